//! Spawns: bodies that appear during a run, by the number of the step alone, so that every
//! run of a scene is the same.

use std::ops::Range;

use drystone::geometry::glam::{DVec3, Quat};

use crate::scene::{SceneBody, SceneJoint};

/// Bodies or prefabs that appear during a run.
#[derive(Clone, Debug)]
pub struct Spawn {
    /// First part of its bodies' names.
    pub name: String,
    /// When they appear.
    pub schedule: Schedule,
    /// What appears at each place, in the order in which they do.
    pub copies: Vec<Copy>,
    pub(crate) grid: Grid,
    /// What each copy is, in its own frame. Only writing needs it.
    pub(crate) bodies: Vec<SceneBody>,
    pub(crate) joints: Vec<SceneJoint>,
}

/// A copy of what a spawn makes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Copy {
    /// Its bodies, as indices into [`crate::Scene::bodies`].
    pub bodies: Range<usize>,
    /// Its joints, as indices into [`crate::Scene::joints`].
    pub joints: Range<usize>,
}

/// Before which steps something appears. Steps count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Copies that appear at a time, a count above 0.
    pub together: usize,
    /// Steps from one time to the next, above 0.
    pub every: u64,
    /// First step.
    pub from: u64,
    /// Last step that may be one.
    pub until: Option<u64>,
    /// Bits that the number of such a step does not have.
    pub mask: u64,
    /// Whether the oldest copy is removed and appears anew once all exist.
    pub respawn: bool,
}

impl Schedule {
    /// Whether copies appear before step number `step`.
    pub fn is_due(&self, step: u64) -> bool {
        step >= self.from
            && self.until.is_none_or(|until| step <= until)
            && (step - self.from).is_multiple_of(self.every)
            && step & self.mask == 0
    }

    /// Which copies appear before step number `step`, of `count` and when `made` were made so
    /// far: their numbers go on counting, number `n` is copy `n % count`.
    pub fn due(&self, step: u64, made: usize, count: usize) -> Range<usize> {
        if count == 0 || !self.is_due(step) {
            return made..made;
        }
        let end = made + self.together.min(count);
        made..if self.respawn {
            end
        } else {
            end.min(count.max(made))
        }
    }

    /// Whether any step is due. The mask sees nothing above its highest bit, so the steps
    /// `from + k every` look the same to it again after that power of two.
    pub(crate) fn ever(&self) -> bool {
        let period = (self.mask + 1).next_power_of_two();
        let last = self.until.unwrap_or(u64::MAX);
        (0..period)
            .map(|k| self.from + k * self.every)
            .take_while(|step| *step <= last)
            .any(|step| self.is_due(step))
    }
}

/// The places of a spawn's copies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grid {
    pub(crate) count: [usize; 3],
    pub(crate) step: DVec3,
    /// The axes, slowest first.
    pub(crate) order: [usize; 3],
    pub(crate) position: DVec3,
    pub(crate) rotation: Quat,
}
