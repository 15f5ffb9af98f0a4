//! Looking at many pairs at once: what the contacts of a chunk are compared with before the
//! narrow phase takes what is left one by one.
//!
//! A [guard](Guard) is made where a pair was found, or proved, to be apart. It dies with the
//! tracker's answer it was made from.

use drystone_geometry::lanes::dispatch;
use drystone_narrow_phase::{Guard, GuardPose, GuardSide, Tracker, still_apart};
use drystone_solver::STATIC_SLOT;

use crate::World;
use crate::collide::Bodies;
use crate::continuous::calm_reach;
use crate::record::ShapeRecord;

/// Awake bodies per unit of parallel work.
const CHUNK: usize = 256;

impl World {
    /// Notes where awake bodies are and how far they get in this step; not where pairs are so few
    /// that looking at them one by one takes less time.
    pub(crate) fn place_guards(&mut self) {
        if self.contacts.live_count() < self.awake.len() {
            self.guard_poses.clear();
            return;
        }
        let (awake, frames, dt) = (&self.awake, &self.frames, self.settings.dt);
        (self.guard_poses).resize(awake.len(), GuardPose::default());
        let chunks = awake.chunks(CHUNK).zip(frames.chunks(CHUNK));
        let work = self.guard_poses.chunks_mut(CHUNK).zip(chunks);
        (self.workers).for_each(work, |_, (poses, (bodies, frames))| {
            for (pose, (body, frame)) in poses.iter_mut().zip(bodies.iter().zip(frames)) {
                let reach = body.surface_speed() * dt;
                *pose = GuardPose::new(body.rotation, frame.translation, reach);
            }
        });
    }
}

impl Bodies<'_> {
    /// Which contacts of a chunk are certainly apart beyond their margins and not to be swept:
    /// one bit each.
    #[inline]
    pub(crate) fn still_apart(&self, guards: &[Guard]) -> u64 {
        let (level, slot_of, poses) = (self.level, self.slot_of, self.guard_poses);
        dispatch!(level, simd => still_apart(simd, guards, slot_of, poses))
    }

    /// What a tracker knows of a pair whose bodies both move.
    pub(crate) fn guard(
        &self,
        tracker: &Tracker,
        [a, b]: [&ShapeRecord; 2],
        margin: f32,
        swept: bool,
    ) -> Guard {
        let slots = [a, b].map(|shape| self.slot_of[shape.body as usize]);
        if (slots[0] | slots[1]) & STATIC_SLOT != 0 {
            return Guard::NONE;
        }
        let calm = |shape: &ShapeRecord| {
            if swept {
                calm_reach(shape)
            } else {
                f32::INFINITY
            }
        };
        let sides = [a, b].map(|shape| GuardSide {
            shape: &shape.shape,
            local: shape.local_frame.as_deref(),
            body: shape.body,
            calm: calm(shape),
        });
        Guard::new(tracker, &sides, margin)
    }
}
