//! Steps of fixed length for frames of any length, and poses between two steps.
//!
//! A [`FixedStep`] takes in the time of each frame and says how many steps are due. Drawing
//! lags one step behind and shows each body between its last two poses, so motion is smooth
//! at any frame rate. What is drawn never goes back into the world.
//!
//! ```
//! use drystone::clock::FixedStep;
//! use drystone::glam::{DVec3, Vec3};
//! use drystone::{BodyDef, Settings, Shape, World};
//!
//! let mut world = World::new(Settings::default())?;
//! let ball = world.add_body(
//!     BodyDef::dynamic().at(DVec3::Y).with_shape(Shape::sphere(0.5)),
//! )?;
//! let mut clock = FixedStep::new(4);
//! for _frame in 0..10 {
//!     clock.run(&mut world, 1.0 / 144.0, |_world| { /* input of this step */ });
//!     let drawn = clock.pose(&world, ball)?;
//!     assert!(drawn.position.y <= 1.0);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use drystone_geometry::glam::Quat;
use drystone_geometry::{WorldPose, rotation};

use crate::error::StaleKey;
use crate::{BodyKey, World};

/// Turns frame times into whole steps and remembers the poses before the last one.
#[derive(Clone, Debug)]
pub struct FixedStep {
    /// Time taken in that no step has used yet, in seconds.
    pending: f64,
    max_steps: u32,
    dropped: f64,
    alpha: f64,
    /// By body index: who was there before the last step, and where.
    previous: Vec<Option<(BodyKey, WorldPose)>>,
}

impl FixedStep {
    /// A clock that takes at most `max_steps` steps a frame, at least 1. What a slow frame
    /// leaves beyond that is dropped, so that it does not make the next one slower.
    pub fn new(max_steps: u32) -> Self {
        Self {
            pending: 0.0,
            max_steps: max_steps.max(1),
            dropped: 0.0,
            alpha: 1.0,
            previous: Vec::new(),
        }
    }

    /// Takes in the time since the last frame and steps the world as often as is due; before
    /// each step `before` may give commands. Returns the number of steps.
    ///
    /// A time that is negative or not finite counts as zero.
    pub fn run(
        &mut self,
        world: &mut World,
        frame_seconds: f64,
        mut before: impl FnMut(&mut World),
    ) -> u32 {
        let steps = self.due(f64::from(world.settings().dt), frame_seconds);
        for step in 0..steps {
            before(world);
            if step + 1 == steps {
                self.remember(world);
            }
            world.step();
        }
        steps
    }

    /// Takes in the time since the last frame; returns the steps of `dt` seconds due now, for
    /// callers that step themselves and call [`FixedStep::remember`] before the last step. None
    /// are when `dt` is not a number above 0.
    pub fn due(&mut self, dt: f64, frame_seconds: f64) -> u32 {
        if !dt.is_finite() || dt <= 0.0 {
            return 0;
        }
        if frame_seconds.is_finite() {
            self.pending += frame_seconds.max(0.0);
        }
        let due = (self.pending / dt).floor();
        if due.is_infinite() {
            // More steps than there are numbers: none of what is left means anything.
            self.dropped += std::mem::take(&mut self.pending);
            self.alpha = 0.0;
            return self.max_steps;
        }
        let steps = due.min(f64::from(self.max_steps));
        self.pending -= due * dt;
        self.dropped += (due - steps) * dt;
        self.alpha = (self.pending / dt).clamp(0.0, 1.0);
        steps as u32
    }

    /// Keeps the poses of all awake bodies, to draw between them and those of the next step.
    pub fn remember(&mut self, world: &World) {
        self.previous.clear();
        self.previous.resize(world.bodies.len(), None);
        for body in &world.awake {
            let key = world.bodies[body.index as usize].key;
            let pose = world.pose_of(body.index);
            self.previous[body.index as usize] = Some((key, pose));
        }
    }

    /// How far the moment to draw lies between the last two steps, 0 to 1.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// Time given up by frames that needed too many steps, in seconds.
    pub fn dropped(&self) -> f64 {
        self.dropped
    }

    /// Where to draw a body: between its poses before and after the last step. A body that
    /// rested or did not exist then is where it is.
    pub fn pose(&self, world: &World, key: BodyKey) -> Result<WorldPose, StaleKey> {
        let index = world.body_index(key)?;
        let now = world.pose_of(index);
        match self.previous.get(index as usize) {
            Some(Some((owner, before))) if *owner == key => {
                Ok(interpolate(before, &now, self.alpha))
            }
            _ => Ok(now),
        }
    }

    /// Draws a body where it is until the next step: after a teleport.
    pub fn snap(&mut self, world: &World, key: BodyKey) -> Result<(), StaleKey> {
        let index = world.body_index(key)?;
        if let Some(previous) = self.previous.get_mut(index as usize) {
            *previous = None;
        }
        Ok(())
    }
}

/// The pose a share `alpha` of the way from one to another: straight, and about one axis the
/// shorter way round at an even rate.
pub fn interpolate(from: &WorldPose, to: &WorldPose, alpha: f64) -> WorldPose {
    let turn = rotation::multiply(to.rotation, rotation::conjugate(from.rotation));
    let part = rotation::from_scaled_axis(rotation::to_scaled_axis(turn) * alpha as f32);
    let rotation: Quat = rotation::normalize(rotation::multiply(part, from.rotation));
    WorldPose {
        rotation,
        position: from.position + (to.position - from.position) * alpha,
    }
}
