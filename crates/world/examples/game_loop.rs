//! A game loop without a window: fixed steps for frames of any length, interpolated poses
//! for drawing, bodies that come and go, events, queries and impulses.
//!
//! `cargo run --release -p drystone --example game_loop`

use drystone::clock::FixedStep;
use drystone::glam::{DVec3, Vec3};
use drystone::{BodyDef, BodyKey, QueryFilter, Settings, Shape, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new(Settings::default())?;
    world.add_body(BodyDef::fixed().with_shape(Shape::half_space(Vec3::Y)))?;
    let brick = Shape::cube(Vec3::new(0.4, 0.2, 0.2));

    let mut clock = FixedStep::new(4);
    let mut bricks: Vec<BodyKey> = Vec::new();
    let (mut touches, mut hardest) = (0, 0.0_f32);

    // A display that does not run at the rate of the physics, with a hitch now and then.
    for frame in 0..600 {
        let frame_seconds = if frame % 100 == 99 { 0.2 } else { 1.0 / 144.0 };

        // Every half second a brick appears; the oldest goes when there are more than twelve.
        if frame % 72 == 0 {
            let height = 1.0 + 0.1 * f64::from(frame % 7);
            let def = BodyDef::dynamic().at(DVec3::new(0.0, height, 0.0));
            bricks.push(world.add_body(def.with_shape(brick.clone()))?);
            if bricks.len() > 12 {
                world.remove_body(bricks.remove(0))?;
            }
        }
        // The player shoots along a line and hits what is first.
        if frame % 72 == 36 {
            let (from, way) = (DVec3::new(-5.0, 0.2, 0.0), DVec3::new(20.0, 0.0, 0.0));
            if let Some(hit) = world.cast_ray(from, way, &QueryFilter::default()) {
                world.apply_impulse(hit.body, Vec3::new(150.0, 40.0, 0.0), hit.point)?;
            }
        }

        clock.run(&mut world, frame_seconds, |_| {});
        touches += world.events().contact_begin.len();
        for hit in &world.events().hit {
            hardest = hardest.max(hit.speed);
        }

        // What would be drawn: between the last two steps, so that motion is smooth.
        if frame % 150 == 0 {
            for key in &bricks {
                let drawn = clock.pose(&world, *key)?.position;
                println!("frame {frame:3}: brick at {drawn:.3}");
            }
        }
    }
    println!(
        "{} bricks left, {touches} touches, the hardest at {hardest:.2} m/s, {:.2} s simulated",
        bricks.len(),
        world.time()
    );
    Ok(())
}
