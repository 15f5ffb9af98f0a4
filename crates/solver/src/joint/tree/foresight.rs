//! How far the joints of eight trees will open in the movement of a sub-step; see [`arc`](super::arc).
//!
//! It depends on the velocities that they are about to get. A first guess goes by those with which the
//! sub-step begins, before joints push: what they did in the sub-step before points where the bodies
//! were then, and spins light ones. What that gives tells it well enough; where it differs, the tree is
//! solved again. Left at the guess, a pendulum that accelerates is always behind, and swings higher
//! and higher: from 150 degrees by 0.16 degrees in 20 s. Links that whip turn by a quarter of a radian in a
//! sub-step, and how fast depends on what is foreseen: these are solved again up to three times.
//!
//! This is for trees of balls, hinges and welds without motors, stops and stiff springs that nothing else
//! pushes. What touches something or is in a net gets its velocities from contacts and joints that know
//! nothing of it, joints that hold the same would open unlike, and what hangs on a mover gets its energy from
//! there. Where a chain is jerked taut the guess says nothing of what comes, and for that sub-step its joints
//! go by their speeds alone.
//!
//! Axes of hinges are not foreseen. How they turn follows from the angular velocities alike, but bodies that
//! spin like tops change theirs in the movement by as much, and to foresee the one without the other gave
//! a gimbal energy.

use drystone_geometry::lanes::{Lane, Vec3x8, f32x8, mask32x8};
use fearless_simd::prelude::*;

use crate::body_rows::{BodyRows, STATIC_ROW};
use crate::joint::tree::arc::opening;
use crate::joint::tree::closing::reach_sq;
use crate::joint::tree::direct::Bundle;
use crate::joint::tree::parts::Parts;
use crate::joint::tree::shape::{Edge, Shape};
use crate::joint::tree::{Class, TreeLot};
use crate::tolerance::{FORESEEN_JERK, FORESEEN_SHARE};

impl Shape {
    /// Whether it is one of those that are foreseen.
    fn is_foreseen(&self) -> bool {
        let holds = |class: Class| {
            matches!(class, Class::Ball | Class::Hinge | Class::Weld) || class == Class::LINE
        };
        self.joints.len() == self.edges.len() && self.joints.iter().all(|role| holds(role.class))
    }
}

impl TreeLot {
    /// Notes, as a step begins, which trees nothing but their joints pushes; all that closes loops, which
    /// pushes, is asked before any tree.
    pub(crate) fn note_alone(&mut self, rows: &BodyRows) {
        self.is_foreseen = !self.is_soft && self.shape.is_foreseen();
        if self.is_soft {
            for body in &self.bodies {
                body.rows.iter().for_each(|&row| rows.wedged.hold(row));
            }
            return;
        }
        let bodies = self.bodies.chunks(self.shape.pushed.len());
        for (alone, bodies) in self.alone.iter_mut().zip(bodies) {
            *alone = Lane::splat(1.0);
            for body in bodies {
                for (lane, &row) in alone.0.iter_mut().zip(&body.rows) {
                    if row != STATIC_ROW && rows.wedged.is_touched(row) {
                        *lane = 0.0;
                    }
                }
            }
        }
    }
}

/// Foresees it from the velocities before the joints push, for a movement of `h` seconds.
#[inline(always)]
pub(super) fn guess<S: Simd>(simd: S, h: f32, parts: &mut Parts<'_>) {
    let may = may(simd, parts);
    for joint in 0..parts.presents.len() {
        let opens = opens(simd, h, parts, joint);
        let opens = Vec3x8::select(may, opens, Vec3x8::zero(simd));
        parts.presents[joint].opens.store(opens);
    }
}

/// Foresees it from the present velocities. Returns the trees of which it is what was foreseen before; those
/// where it is far from that do without.
#[inline(always)]
pub(super) fn foresee<S: Simd>(simd: S, h: f32, parts: &mut Parts<'_>) -> mask32x8<S> {
    let square = |way: f32| f32x8::splat(simd, way * way / (h * h));
    let (least, most) = (square(FORESEEN_SHARE), square(FORESEEN_JERK));
    let may = may(simd, parts);
    let mut differs = may & !may;
    let mut jerks = differs;
    for joint in 0..parts.presents.len() {
        let opens = opens(simd, h, parts, joint);
        let opens = Vec3x8::select(may, opens, Vec3x8::zero(simd));
        let arms_sq = reach_sq(simd, parts, joint);
        let present = &mut parts.presents[joint];
        let change_sq = (opens - present.opens.load(simd)).length_sq();
        differs |= change_sq.simd_gt(least * arms_sq);
        jerks |= change_sq.simd_gt(most * arms_sq);
        present.opens.store(opens);
    }
    if jerks.any_true() {
        for present in &mut *parts.presents {
            let opens = present.opens.load(simd);
            let opens = Vec3x8::select(jerks, Vec3x8::zero(simd), opens);
            present.opens.store(opens);
        }
    }
    !differs
}

/// The trees that nothing but their joints pushes, none of which holds what others hold.
#[inline(always)]
fn may<S: Simd>(simd: S, parts: &Parts<'_>) -> mask32x8<S> {
    let zero = f32x8::splat(simd, 0.0);
    parts.alone.load(simd).simd_gt(zero) & parts.gives.load(simd).simd_le(zero)
}

/// How fast a joint opens beyond what its speed says, at the present velocities.
#[inline(always)]
fn opens<S: Simd>(simd: S, h: f32, parts: &Parts<'_>, joint: usize) -> Vec3x8<S> {
    let (role, present) = (&parts.shape.joints[joint], &parts.presents[joint]);
    let ends = [role.body_a, role.body_b].map(|body| &parts.work[body as usize]);
    let spins = [ends[0].angular.load(simd), ends[1].angular.load(simd)];
    let arms = [present.arm_a.load(simd), present.arm_b.load(simd)];
    let opens = opening(simd, h, spins, arms);
    if role.class == Class::LINE {
        return parts.guided[joint].lengthens(simd, h, present, ends, opens);
    }
    opens
}

/// Takes how fast the anchors of the joint of an edge will part from what the child's velocity against the
/// parent is to change by.
#[inline(always)]
pub(super) fn keep_shut<S: Simd, const N: usize, const G: bool>(
    simd: S,
    bundle: Bundle<'_>,
    edge: &Edge,
    right: &mut [f32x8<S>; N],
) {
    let index = edge.joints[0] as usize;
    let outward = bundle.shape.joints[index].outward;
    let sign = f32x8::splat(simd, if outward { 1.0 } else { -1.0 });
    let opens = bundle.presents[index].opens.load(simd).scale(sign);
    if G {
        right[0] -= bundle.guides[index].direction(simd, 0).dot(opens);
        return;
    }
    right[0] -= opens.x;
    right[1] -= opens.y;
    right[2] -= opens.z;
}
