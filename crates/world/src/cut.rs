//! Sub-steps that change their length: slow motion, and steps as long as a picture took.
//!
//! Two things go by the sub-step: what impulse bears a weight, and how deep what rests lies in what bears
//! it, which is as its square. With a sub-step a hundred times as short the impulses of the last one would
//! throw a stack, and so would overlap that is deep for it and would be gone within one, at the fastest
//! push-out. So impulses are scaled, and overlap is removed at the pace at which it came to be; that
//! of the new sub-steps takes over as time goes by.

use serde::{Deserialize, Serialize};

use crate::World;
use crate::def::Settings;
use crate::record::Place;
use crate::tolerance::{MOST_IMPULSE_GAIN, PACE_FADING};

/// How a step is cut into sub-steps; zero before the first step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Cut {
    /// Length of a sub-step, in seconds.
    pub(crate) substep: f32,
    /// How many there are.
    pub(crate) substeps: u32,
    /// Length of the sub-steps at whose pace contacts remove overlap, in seconds; at least that of these.
    pub(crate) pace: f32,
}

impl Cut {
    /// Of the step after this one.
    fn next(self, settings: &Settings) -> Self {
        let substep = settings.dt / settings.substeps as f32;
        Self {
            substep,
            substeps: settings.substeps,
            pace: substep.max(self.pace - PACE_FADING * settings.dt),
        }
    }
}

impl World {
    /// Cuts the step that begins, and fits the impulses that its solve starts from to its sub-steps.
    ///
    /// What did much in a short time may have been an impact, which is over. So what is awake starts from
    /// no more than [`MOST_IMPULSE_GAIN`] times as much.
    pub(crate) fn cut_step(&mut self) {
        let before = self.last_cut;
        self.last_cut = before.next(&self.settings);
        let ratio = self.last_cut.substep / before.substep;
        if ratio == 1.0 || !ratio.is_finite() {
            return;
        }
        let awake_ratio = ratio.min(MOST_IMPULSE_GAIN);
        let states = self.contacts.states.iter();
        for (contact, state) in self.contacts.solver.iter_mut().zip(states) {
            contact.scale_impulses(if state.awake { awake_ratio } else { ratio });
        }
        for index in self.joint_keys.indices() {
            let joint = &mut self.joints[index as usize];
            let is_awake = [joint.body_a, joint.body_b].iter().any(|body| {
                let place = self.bodies[*body as usize].place;
                matches!(place, Place::Awake(_))
            });
            joint
                .impulses
                .scale(if is_awake { awake_ratio } else { ratio });
        }
    }
}
