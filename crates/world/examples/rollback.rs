//! Rollback for two players: each frame is predicted from the other player's last known
//! input; when the true input arrives eight frames late and differs, the world goes back to
//! that frame and the frames since are simulated again.
//!
//! `cargo run --release -p drystone --example rollback`

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use drystone::glam::{DVec3, Vec3};
use drystone::{BodyDef, BodyKey, DefError, Settings, Shape, World};

/// Frames by which the other player's input is late.
const DELAY: usize = 8;

const FRAMES: usize = 240;

/// What a player wants: a push in N s.
type Input = Vec3;

/// One frame of the past: the world before it, and the inputs it was simulated with.
struct Frame {
    world: World,
    inputs: [Input; 2],
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut world, players) = arena()?;
    let bytes = world.snapshot().len();
    let mut past: VecDeque<Frame> = VecDeque::new();
    let (mut plain, mut rolled) = (Vec::new(), Vec::new());
    let mut truth = arena()?.0;

    for frame in 0..FRAMES {
        // The other player's input of eight frames ago arrives; was the guess right?
        let late = frame.saturating_sub(DELAY);
        let known = remote(late);
        let begun = Instant::now();
        let wrong = past
            .front()
            .is_some_and(|then| past.len() == DELAY && then.inputs[1] != known);
        if wrong {
            world = past[0].world.clone();
            for (at, then) in past.iter_mut().enumerate() {
                let inputs = [local(late + at), known];
                *then = Frame {
                    world: world.clone(),
                    inputs,
                };
                simulate(&mut world, players, inputs)?;
            }
            rolled.push(begun.elapsed());
        }
        let inputs = [local(frame), known];
        if past.len() == DELAY {
            past.pop_front();
        }
        past.push_back(Frame {
            world: world.clone(),
            inputs,
        });
        simulate(&mut world, players, inputs)?;

        // What everybody would have seen without delay, and what its steps cost.
        let begun = Instant::now();
        simulate(&mut truth, players, [local(frame), remote(frame)])?;
        plain.push(begun.elapsed());
    }
    // Once the last inputs have arrived, both agree to the last bit.
    let known: Vec<_> = (FRAMES - DELAY..FRAMES).map(remote).collect();
    world = past[0].world.clone();
    for (at, known) in known.into_iter().enumerate() {
        simulate(&mut world, players, [local(FRAMES - DELAY + at), known])?;
    }
    assert_eq!(world.state_hash(), truth.state_hash(), "both worlds agree");

    let step = median(&mut plain);
    let rollback = median(&mut rolled);
    let bodies = world.stats().awake;
    println!(
        "{bodies} active bodies, {} bytes of snapshot each",
        bytes / bodies.max(1)
    );
    println!("a step {step:?}, {DELAY} steps {:?}", step * DELAY as u32);
    println!(
        "a correction over {DELAY} frames {rollback:?}: {:.2} of its steps, {} of {FRAMES} frames",
        rollback.as_secs_f64() / (step * DELAY as u32).as_secs_f64(),
        rolled.len()
    );
    Ok(())
}

/// A heap of a thousand bodies that never sleeps, and two heavy balls in it.
fn arena() -> Result<(World, [BodyKey; 2]), DefError> {
    let mut world = World::new(Settings {
        sleeping: false,
        ..Settings::default()
    })?;
    world.add_body(BodyDef::fixed().with_shape(Shape::half_space(Vec3::Y)))?;
    for i in 0..998 {
        let (x, y, z) = (i % 10, i / 100, i / 10 % 10);
        let shape = match i % 3 {
            0 => Shape::sphere(0.4),
            1 => Shape::cube(Vec3::splat(0.4)),
            _ => Shape::capsule(0.25, 0.25),
        };
        let at = DVec3::new(f64::from(x), 0.5 + f64::from(y), f64::from(z));
        world.add_body(BodyDef::dynamic().at(at).with_shape(shape))?;
    }
    let mut player = |x: f64| {
        let at = DVec3::new(x, 0.8, 5.0);
        world.add_body(BodyDef::dynamic().at(at).with_shape(Shape::sphere(0.8)))
    };
    let players = [player(-3.0)?, player(13.0)?];
    Ok((world, players))
}

fn simulate(world: &mut World, players: [BodyKey; 2], inputs: [Input; 2]) -> Result<(), DefError> {
    for (player, input) in players.into_iter().zip(inputs) {
        let at = world.body(player)?.center_of_mass();
        world.apply_impulse(player, input, at)?;
    }
    world.step();
    Ok(())
}

fn local(frame: usize) -> Input {
    if (frame / 40).is_multiple_of(2) {
        Vec3::new(300.0, 0.0, 0.0)
    } else {
        Vec3::ZERO
    }
}

fn remote(frame: usize) -> Input {
    if (frame / 25).is_multiple_of(2) {
        Vec3::new(-300.0, 0.0, 60.0)
    } else {
        Vec3::new(0.0, 0.0, -60.0)
    }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
