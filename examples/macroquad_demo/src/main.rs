//! A wall in a window: the left button throws a box where the pointer points, the right one
//! turns the camera, the wheel comes nearer, R builds the wall anew, space pauses.
//!
//! `cargo run --release -p macroquad_demo`. With `--frames` and `--picture` it throws by
//! itself, writes a picture of the last frame and ends.
#![forbid(unsafe_code)]

mod camera;
mod draw;

use std::error::Error;
use std::path::PathBuf;

use clap::Parser;
use drystone::clock::FixedStep;
use drystone::glam::{DVec3, Vec3};
use drystone::{BodyDef, BodyKey, QueryFilter, Settings, Shape, World};
use macroquad::prelude as mq;

use crate::camera::Orbit;
use crate::draw::Model;

/// Boxes thrown fly this fast, in m/s.
const SPEED: f32 = 25.0;

#[derive(Parser)]
#[command(version, about = "A wall of boxes to throw boxes at")]
struct Arguments {
    /// Ends after this many frames; a box is thrown every half second.
    #[arg(long)]
    frames: Option<u64>,
    /// Where the last frame is written as a PNG. Needs `--frames`.
    #[arg(long, requires = "frames")]
    picture: Option<PathBuf>,
    /// Threads that share a step; 0 takes one per core.
    #[arg(long, default_value_t = 0)]
    threads: usize,
}

/// A body and what it looks like.
struct Thing {
    body: BodyKey,
    model: Model,
}

struct Demo {
    world: World,
    clock: FixedStep,
    things: Vec<Thing>,
    paused: bool,
}

impl Demo {
    fn new(threads: usize) -> Result<Self, Box<dyn Error>> {
        let mut world = World::new(Settings {
            threads,
            ..Settings::default()
        })?;
        world.add_body(BodyDef::fixed().with_shape(Shape::half_space(Vec3::Y)))?;
        let mut demo = Self {
            world,
            clock: FixedStep::new(4),
            things: Vec::new(),
            paused: false,
        };
        let stone = Shape::cube(Vec3::new(0.5, 0.25, 0.25));
        for row in 0..12 {
            let shift = if row % 2 == 0 { 0.0 } else { 0.5 };
            for column in 0..12 {
                let x = f64::from(column) - 6.0 + shift;
                let at = DVec3::new(x, 0.25 + 0.5 * f64::from(row), 0.0);
                demo.add(BodyDef::dynamic().at(at), stone.clone())?;
            }
        }
        let curved = [
            Shape::sphere(0.4),
            Shape::capsule(0.3, 0.25),
            Shape::cube(Vec3::splat(0.35)),
        ];
        for (place, shape) in curved.into_iter().cycle().take(9).enumerate() {
            let at = DVec3::new(place as f64 * 1.5 - 6.0, 8.0, 0.0);
            demo.add(BodyDef::dynamic().at(at), shape)?;
        }
        Ok(demo)
    }

    fn add(&mut self, def: BodyDef, shape: Shape) -> Result<(), Box<dyn Error>> {
        let model = Model::new(&shape)?;
        let body = self.world.add_body(def.with_shape(shape))?;
        self.things.push(Thing { body, model });
        Ok(())
    }

    /// Throws a box from the camera at what the ray meets, or along it into the open.
    fn throw(&mut self, from: DVec3, along: DVec3) -> Result<(), Box<dyn Error>> {
        let far = along * 100.0;
        let hit = self.world.cast_ray(from, far, &QueryFilter::default());
        let target = hit.map_or(from + far, |hit| hit.point);
        let velocity = (target - from).normalize().as_vec3() * SPEED;
        let def = BodyDef {
            linear_velocity: velocity,
            ..BodyDef::dynamic().at(from + along)
        };
        self.add(def, Shape::cube(Vec3::splat(0.35)))
    }

    fn advance(&mut self, seconds: f32) {
        if !self.paused {
            self.clock
                .run(&mut self.world, f64::from(seconds), |_world| {});
        }
    }
}

fn window() -> mq::Conf {
    mq::Conf {
        window_title: "drystone".to_owned(),
        window_width: 1280,
        window_height: 720,
        sample_count: 4,
        ..mq::Conf::default()
    }
}

#[macroquad::main(window)]
async fn main() {
    let arguments = Arguments::parse();
    if let Err(error) = play(&arguments).await {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}

async fn play(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let mut demo = Demo::new(arguments.threads)?;
    let mut orbit = Orbit::default();
    let mut frame = 0_u64;
    loop {
        orbit.follow_mouse();
        if mq::is_key_pressed(mq::KeyCode::R) {
            demo = Demo::new(arguments.threads)?;
        }
        if mq::is_key_pressed(mq::KeyCode::Space) {
            demo.paused = !demo.paused;
        }
        if mq::is_mouse_button_pressed(mq::MouseButton::Left) {
            let (from, along) = orbit.ray(mq::mouse_position_local());
            demo.throw(from, along)?;
        }
        // By itself, time is that of 60 frames a second, however fast frames come.
        let seconds = match arguments.frames {
            Some(_) => 1.0 / 60.0,
            None => mq::get_frame_time(),
        };
        if arguments.frames.is_some() && frame % 30 == 29 {
            let aside = ((frame / 30) % 5) as f32 * 0.2 - 0.4;
            let (from, along) = orbit.ray(mq::Vec2::new(aside, 0.1));
            demo.throw(from, along)?;
        }
        demo.advance(seconds);
        draw::frame(&demo.world, &demo.clock, &demo.things, &orbit);
        frame += 1;
        if arguments.frames == Some(frame) {
            if let Some(path) = &arguments.picture {
                mq::get_screen_data().export_png(&path.to_string_lossy());
            }
            return Ok(());
        }
        mq::next_frame().await;
    }
}
