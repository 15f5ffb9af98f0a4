//! What turning does to an arm in a sub-step beyond what its speed does.
//!
//! Before the movement a joint asks of velocities that its anchors stay together, at the arms as they lie
//! then. But the arms turn while the bodies move straight on: by the end of a sub-step of `h` seconds one
//! that turns at `w` rad/s has come `h^2 w x (w x r) / 2` farther in than that. Not asked for, this opens a
//! gap in every sub-step, which follows the body around a part of a turn behind; what closes it then pushes
//! against the swing as well as towards the middle, and relaxing takes speed out that nothing has put in. A
//! ball that went round at 30 rad/s lost half of its speed in 5 s.
//!
//! So joints ask for the way that the anchors really go: bodies move along the chords of their arcs.
//! Relaxing then turns the velocities by the other half of the angle, and takes out what was put in
//! before. This is how RATTLE keeps energy.
//!
//! Andersen, *RATTLE: a Velocity Version of the SHAKE Algorithm* (1983).

use drystone_geometry::lanes::{Vec3x8, f32x8, max};
use fearless_simd::prelude::*;

use crate::tolerance::FORESEEN_TURN;

/// How eight bodies turn in a sub-step.
#[derive(Clone, Copy)]
struct Arc<S: Simd> {
    spin: Vec3x8<S>,
    spin_sq: f32x8<S>,
    /// What of the acceleration towards the axis counts as speed, in s, and of the speed, a ratio.
    inward: f32x8<S>,
    back: f32x8<S>,
}

/// Mean speed at which eight gaps between `arms` grow in a sub-step of `h` seconds, less that of its
/// beginning, in m/s, where bodies turn at these `spins`; A's first.
///
/// Where both hardly turn it is 0.
#[inline(always)]
pub(super) fn opening<S: Simd>(
    simd: S,
    h: f32,
    spins: [Vec3x8<S>; 2],
    arms: [Vec3x8<S>; 2],
) -> Vec3x8<S> {
    let zero = Vec3x8::zero(simd);
    let least = f32x8::splat(simd, FORESEEN_TURN / h);
    let fastest_sq = max(spins[0].length_sq(), spins[1].length_sq());
    let turns = fastest_sq.simd_gt(least * least);
    if !turns.any_true() {
        return zero;
    }
    let a = Arc::of(simd, spins[0], h).beyond(arms[0]);
    let b = Arc::of(simd, spins[1], h).beyond(arms[1]);
    Vec3x8::select(turns, b - a, zero)
}

impl<S: Simd> Arc<S> {
    /// Of bodies that turn at `spin` rad/s for `h` seconds.
    ///
    /// With `x` the angle, exact would be `(1 - cos x) / x^2` and `1 - sin x / x`. These fractions have
    /// their series up to the fourth power, and stay bounded.
    #[inline(always)]
    fn of(simd: S, spin: Vec3x8<S>, h: f32) -> Self {
        let one = f32x8::splat(simd, 1.0);
        let h = f32x8::splat(simd, h);
        let spin_sq = spin.length_sq();
        let angle_sq = spin_sq * (h * h);
        let quarter = angle_sq * f32x8::splat(simd, 1.0 / 12.0);
        let fourth = angle_sq * angle_sq * f32x8::splat(simd, 1.0 / 240.0);
        let share = one / (one + quarter + fourth);
        let later = one + angle_sq * f32x8::splat(simd, 1.0 / 30.0);
        Self {
            spin,
            spin_sq,
            inward: h * f32x8::splat(simd, 0.5) * share,
            back: angle_sq * f32x8::splat(simd, 1.0 / 6.0) * share * later,
        }
    }

    /// Mean speed of the end of an arm over the sub-step less its speed now, in m/s.
    #[inline(always)]
    fn beyond(&self, arm: Vec3x8<S>) -> Vec3x8<S> {
        let along = self.spin.scale(self.spin.dot(arm));
        let inward = along.sub_scaled(arm, self.spin_sq).scale(self.inward);
        inward.sub_scaled(self.spin.cross(arm), self.back)
    }
}
