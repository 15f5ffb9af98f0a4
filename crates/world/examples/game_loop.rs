//! A game loop without a window: fixed steps fed from an accumulator, interpolated poses
//! for drawing, bodies that come and go, events and impulses.
//!
//! `cargo run --release -p drystone --example game_loop`

use drystone::glam::{DVec3, Vec3};
use drystone::{BodyDef, BodyKey, Settings, Shape, World};

/// Turns frame times of any length into whole steps, and says how far drawing is between
/// two of them.
struct Accumulator {
    step: f64,
    pending: f64,
    max_steps: u32,
}

impl Accumulator {
    /// Takes in the time since the last frame; returns the steps due now. Time beyond
    /// `max_steps` is dropped, so that a slow frame does not make the next one slower.
    fn advance(&mut self, frame_seconds: f64) -> u32 {
        self.pending += frame_seconds;
        let due = (self.pending / self.step).floor();
        self.pending -= due * self.step;
        (due as u32).min(self.max_steps)
    }

    /// How far the moment to draw lies between the last two steps, 0 to 1.
    fn alpha(&self) -> f64 {
        self.pending / self.step
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new(Settings::default())?;
    world.add_body(BodyDef::fixed().with_shape(Shape::HalfSpace { normal: Vec3::Y }))?;
    let brick = Shape::Box {
        half_extents: Vec3::new(0.4, 0.2, 0.2),
    };

    let mut clock = Accumulator {
        step: f64::from(world.settings().dt),
        pending: 0.0,
        max_steps: 4,
    };
    let mut bricks: Vec<(BodyKey, DVec3)> = Vec::new();
    let mut touches = 0;

    // A display that does not run at the rate of the physics, with a hitch now and then.
    for frame in 0..600 {
        let frame_seconds = if frame % 100 == 99 { 0.2 } else { 1.0 / 144.0 };

        // Every half second a brick appears; the oldest goes when there are more than twelve.
        if frame % 72 == 0 {
            let height = 1.0 + 0.1 * f64::from(frame % 7);
            let def = BodyDef::dynamic()
                .at(DVec3::new(0.0, height, 0.0))
                .with_shape(brick.clone());
            let position = def.position;
            bricks.push((world.add_body(def)?, position));
            if bricks.len() > 12 {
                let (oldest, _) = bricks.remove(0);
                world.remove_body(oldest)?;
            }
        }
        // The player hits the newest brick.
        if frame % 72 == 36
            && let Some((newest, _)) = bricks.last()
        {
            let at = world.body(*newest)?.center_of_mass();
            world.apply_impulse(*newest, Vec3::new(150.0, 40.0, 0.0), at)?;
        }

        for _ in 0..clock.advance(frame_seconds) {
            for (key, previous) in &mut bricks {
                *previous = world.body(*key)?.position();
            }
            world.step();
            touches += world.events().contact_begin.len();
        }

        // What would be drawn: between the last two steps, so that motion is smooth.
        if frame % 150 == 0 {
            for (key, previous) in &bricks {
                let now = world.body(*key)?.position();
                let drawn = previous.lerp(now, clock.alpha());
                println!("frame {frame:3}: brick at {drawn:.3}");
            }
        }
    }
    println!(
        "{} bricks left, {touches} touches, {:.2} s simulated",
        bricks.len(),
        world.time()
    );
    Ok(())
}
