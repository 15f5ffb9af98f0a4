//! What jerks a tree taut gives it no energy.
//!
//! Joints that drive nothing take energy out of what they hold, or none: of all velocities that they allow they leave
//! those that differ least from what they found, by the masses. But gaps close at some speed, and what
//! [swings across](super::guide) taut distances has more inertia than mass. As long as a tree moves little in a sub-step,
//! relaxing it takes out again what that has brought. Light links that a heavy end jerks taut turn by a radian and
//! more, and then hold in other directions than those in which they were pushed: the speed stays, and throws the heavy
//! end back with energy from nowhere.
//!
//! So a tree that nothing else pushes, with a gap or something that swings, is looked at as a sub-step ends. Where it has
//! gained, it is relaxed again from the velocities with which it began, and goes as far back to those with which it
//! ended as leaves it the energy that it had. That it has moved by others stays, so that gaps do close.

use drystone_geometry::lanes::{
    Lane, SymMat3x8, Vec3x8, divide_or_zero, f32x8, mask32x8, max, min,
};
use fearless_simd::prelude::*;

use crate::joint::tree::drive::Turns;
use crate::joint::tree::goal::Goal;
use crate::joint::tree::grip::inverse_inertia;
use crate::joint::tree::parts::{Parts, approach3, take};
use crate::joint::tree::sweep::{keep, pass, put_back};
use crate::joint::tree::{Class, ImpulseLanes, TreeBody, TreeLot, closing, guide};
use crate::joint::{Joint, JointKind};
use crate::tolerance::JERK_SHARE;

impl TreeLot {
    /// Notes of which trees no joint drives anything.
    pub(super) fn note_idle(&mut self, joints: &[Joint]) {
        self.idle.clear();
        self.idle.resize(self.bundle_count(), Lane::splat(1.0));
        let bundles = self.ids.chunks(self.shape.joints.len().max(1));
        for (idle, bundle) in self.idle.iter_mut().zip(bundles) {
            for ids in bundle {
                for (lane, &id) in idle.0.iter_mut().zip(ids) {
                    // An empty lane is no joint.
                    if joints
                        .get(id as usize)
                        .is_some_and(|joint| drives(&joint.kind))
                    {
                        *lane = 0.0;
                    }
                }
            }
        }
    }
}

/// Whether a joint may bring its bodies energy: it has a spring, or a motor that is to move.
fn drives(kind: &JointKind) -> bool {
    match kind {
        JointKind::Ball { spring, .. } => spring.is_some(),
        JointKind::Weld { linear, angular } => linear.is_some() || angular.is_some(),
        JointKind::Hinge { .. } => kind.axis().is_some_and(|axis| axis.drives()),
        _ => guide::drives(kind),
    }
}

/// The trees that are looked at if there is reason to: neither their joints nor anything else drives them.
#[inline(always)]
pub(super) fn may<S: Simd>(simd: S, parts: &Parts<'_>) -> mask32x8<S> {
    let zero = f32x8::splat(simd, 0.0);
    parts.idle.load(simd).simd_gt(zero) & parts.alone.load(simd).simd_gt(zero)
}

/// Notes how fast trees are before their joints push.
#[inline(always)]
pub(super) fn begin(parts: &mut Parts<'_>) {
    for (began, work) in parts.began.iter_mut().zip(&*parts.work) {
        *began = [work.linear, work.angular];
    }
}

/// Takes out of trees what a sub-step has brought them.
#[inline(always)]
pub(super) fn end<S: Simd>(simd: S, goal: &Goal<S>, parts: &mut Parts<'_>) {
    let asked = may(simd, parts) & (closing::gapes(simd, parts) | sway(simd, parts));
    if asked.any_true() {
        simd.vectorize(
            #[inline(always)]
            || look(simd, goal, parts, asked),
        );
    }
}

/// The trees in which something swings across a distance.
#[inline(always)]
fn sway<S: Simd>(simd: S, parts: &Parts<'_>) -> mask32x8<S> {
    let zero = f32x8::splat(simd, 0.0);
    let mut sways = zero.simd_gt(zero);
    for (guided, role) in parts.guided.iter().zip(&parts.shape.joints) {
        if role.class == Class::LINE {
            sways |= guide::sway::sways(simd, guided);
        }
    }
    sways
}

/// Looks which trees have gained.
#[inline(always)]
fn look<S: Simd>(simd: S, goal: &Goal<S>, parts: &mut Parts<'_>, asked: mask32x8<S>) {
    let zero = f32x8::splat(simd, 0.0);
    let (mut before, mut after, mut change) = (zero, zero, zero);
    for ((body, began), work) in parts.bodies.iter().zip(&*parts.began).zip(&*parts.work) {
        let was = [began[0].load(simd), began[1].load(simd)];
        let is = [work.linear.load(simd), work.angular.load(simd)];
        before += energy(simd, body, was);
        after += energy(simd, body, is);
        change += energy(simd, body, [is[0] - was[0], is[1] - was[1]]);
    }
    let share = f32x8::splat(simd, JERK_SHARE);
    let gains = asked & (after - before).simd_gt(share * change);
    if gains.any_true() {
        relax_again(simd, goal, parts, gains, before);
    }
}

/// Relaxes trees from the velocities with which they began, and goes back as far as leaves them this energy.
#[inline(always)]
fn relax_again<S: Simd>(
    simd: S,
    goal: &Goal<S>,
    parts: &mut Parts<'_>,
    gains: mask32x8<S>,
    whole: f32x8<S>,
) {
    keep(parts);
    let began = parts.began.iter().zip(&mut *parts.work);
    for (left, (began, work)) in parts.left.iter_mut().zip(began) {
        *left = [work.linear, work.angular];
        [work.linear, work.angular] = *began;
    }
    for joint in &mut *parts.joints {
        joint.done = ImpulseLanes::NONE;
    }
    for guide in &mut *parts.guides {
        guide.done.clear();
    }
    // What swings is to come to rest by what it counts as: that never adds energy.
    let turns = Turns::AsFound;
    pass(simd, &Goal { turns, ..*goal }, parts, gains);
    let share = way_back(simd, parts, whole);
    go_back(simd, parts, share);
    put_back(simd, parts, !gains);
    for (left, work) in parts.left.iter().zip(&mut *parts.work) {
        take(simd, !gains, &mut work.linear, &left[0]);
        take(simd, !gains, &mut work.angular, &left[1]);
    }
}

/// The share of the way from the present velocities to those that are left at which trees have this energy, in J.
#[inline(always)]
fn way_back<S: Simd>(simd: S, parts: &Parts<'_>, whole: f32x8<S>) -> f32x8<S> {
    let zero = f32x8::splat(simd, 0.0);
    let (mut now, mut then, mut apart) = (zero, zero, zero);
    for ((body, left), work) in parts.bodies.iter().zip(&*parts.left).zip(&*parts.work) {
        let is = [work.linear.load(simd), work.angular.load(simd)];
        let was = [left[0].load(simd), left[1].load(simd)];
        now += energy(simd, body, is);
        then += energy(simd, body, was);
        apart += energy(simd, body, [was[0] - is[0], was[1] - is[1]]);
    }
    // At a share s of the way it is `now + slope s + apart s^2`.
    let (missing, slope) = (max(whole - now, zero), then - now - apart);
    let root = (slope * slope + f32x8::splat(simd, 4.0) * apart * missing).sqrt();
    let share = divide_or_zero(missing + missing, slope + root);
    min(share, f32x8::splat(simd, 1.0))
}

/// Goes a share of the way back to the velocities that are left and the impulses that are kept.
#[inline(always)]
fn go_back<S: Simd>(simd: S, parts: &mut Parts<'_>, share: f32x8<S>) {
    for (kept, joint) in parts.kept.iter().zip(&mut *parts.joints) {
        joint.done.approach(simd, share, kept);
    }
    for (kept, guide) in parts.guides_kept.iter().zip(&mut *parts.guides) {
        guide.done.approach(simd, share, kept);
    }
    for (left, work) in parts.left.iter().zip(&mut *parts.work) {
        approach3(simd, share, &mut work.linear, &left[0]);
        approach3(simd, share, &mut work.angular, &left[1]);
    }
}

/// Kinetic energy of a body in J, given its linear and angular velocity.
#[inline(always)]
fn energy<S: Simd>(simd: S, body: &TreeBody, [linear, angular]: [Vec3x8<S>; 2]) -> f32x8<S> {
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let inverse_mass = body.inverse_mass.load(simd);
    let momentum = Vec3x8 {
        x: divide_or_zero(linear.x, inverse_mass.x),
        y: divide_or_zero(linear.y, inverse_mass.y),
        z: divide_or_zero(linear.z, inverse_mass.z),
    };
    let inverse = inverse_inertia(simd, body);
    let (d, o) = (inverse.diagonal, inverse.off_diagonal);
    // About locked axes nothing turns, and any inertia will do.
    let xx = d.x.simd_gt(zero).select(d.x, one);
    let yy = d.y.simd_gt(zero).select(d.y, one);
    let zz = d.z.simd_gt(zero).select(d.z, one);
    let adjugate = SymMat3x8 {
        diagonal: Vec3x8 {
            x: yy * zz - o.x * o.x,
            y: zz * xx - o.y * o.y,
            z: xx * yy - o.z * o.z,
        },
        off_diagonal: Vec3x8 {
            x: o.y * o.z - o.x * xx,
            y: o.z * o.x - o.y * yy,
            z: o.x * o.y - o.z * zz,
        },
    };
    let minors = (adjugate.diagonal, adjugate.off_diagonal);
    let determinant = xx * minors.0.x + o.z * minors.1.z + o.y * minors.1.y;
    let turns = divide_or_zero(angular.dot(adjugate.apply(angular)), determinant);
    (linear.dot(momentum) + turns) * f32x8::splat(simd, 0.5)
}
