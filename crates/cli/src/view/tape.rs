//! A tape: the catalogue and the recorder together, as chunks in the order they are read.

use drystone::World;
use drystone_scene::Instance;
use serde_json::json;

use super::catalog::Catalog;
use super::frame::Recorder;
use super::{Recording, pack, tolerance};

/// Turns the states of a world into chunks.
pub(super) struct Tape {
    catalog: Catalog,
    recorder: Recorder,
    title: String,
    is_described: bool,
}

impl Tape {
    /// An empty tape, its units chosen for `world`.
    pub(super) fn new(world: &World, title: &str, with_contacts: bool) -> Self {
        Self {
            catalog: Catalog::new(world),
            recorder: Recorder::new(with_contacts),
            title: title.to_owned(),
            is_described: false,
        }
    }

    /// Passes the chunks of the next frame to `put`: what has to be described, and the frame.
    pub(super) fn frame(
        &mut self,
        world: &World,
        step_seconds: f32,
        put: &mut dyn FnMut(u8, &[u8]),
    ) {
        let description = self.catalog.describe(world);
        if !self.is_described || !description.is_empty {
            let mut json = description.json;
            let kind = if self.is_described {
                pack::MORE
            } else {
                pack::SCENE
            };
            if !self.is_described {
                json["scene"] = self.head(world);
            }
            put(kind, json.to_string().as_bytes());
            self.is_described = true;
        }
        self.recorder.welcome(world, &self.catalog);
        put(
            pack::FRAME,
            &self.recorder.frame(world, &self.catalog, step_seconds),
        );
    }

    /// The body that the page calls `number`.
    pub(super) fn body(&self, number: u32) -> Option<drystone::BodyKey> {
        self.catalog.bodies.get(number as usize).copied()
    }

    /// The point that the page calls the origin, in the world.
    pub(super) fn origin(&self) -> drystone::glam::DVec3 {
        self.catalog.origin
    }

    fn head(&self, world: &World) -> serde_json::Value {
        let settings = world.settings();
        json!({
            "format": 1,
            "title": self.title,
            "dt": f64::from(settings.dt),
            "gravity": settings.gravity.to_array().map(f64::from),
            "origin": self.catalog.origin.to_array(),
            "step": self.catalog.step,
            "pointStep": self.catalog.step * tolerance::POINT_STEP_TO_STEP,
            "rotationSteps": tolerance::ROTATION_STEPS,
            "leastSpeed": tolerance::LEAST_SPEED,
            "speedSteps": tolerance::SPEED_STEPS,
            "normalSteps": tolerance::NORMAL_STEPS,
            "leastImpulse": tolerance::LEAST_IMPULSE,
            "impulseSteps": tolerance::IMPULSE_STEPS,
        })
    }
}

/// Runs `instance` and returns the recording, compressed.
pub(super) fn record(
    instance: &mut Instance,
    title: &str,
    recording: &Recording,
    progress: &mut dyn FnMut(f64),
) -> Vec<u8> {
    let dt = f64::from(instance.world.settings().dt);
    let start = instance.world.time();
    let half_step = 0.5 * dt;
    let mut out = pack::compressor();
    let mut tape = None;
    let mut step: u64 = 0;
    loop {
        let time = instance.world.time();
        if time + half_step >= recording.from {
            // Steps are counted from the first frame, so that `every` always keeps it.
            let tape =
                tape.get_or_insert_with(|| Tape::new(&instance.world, title, recording.contacts));
            if step.is_multiple_of(u64::from(recording.every)) {
                tape.frame(&instance.world, 0.0, &mut |kind, payload| {
                    pack::compress_chunk(&mut out, kind, payload);
                });
            }
            step += 1;
        }
        // A world whose steps take no time would never end.
        if dt <= 0.0 || time + half_step >= recording.to {
            break;
        }
        instance.step();
        progress(((time - start) / (recording.to - start)).clamp(0.0, 1.0));
    }
    out.finish().expect("memory takes every byte")
}
