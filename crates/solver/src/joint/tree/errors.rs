//! What the locked directions of an edge are off, and what of it joints that hold the same can agree
//! on.

#![expect(
    clippy::needless_range_loop,
    reason = "rows and columns of small matrices; closures lose the instruction set"
)]

use drystone_geometry::lanes::{Lane, f32x8, max, min};
use fearless_simd::prelude::*;

use crate::joint::tree::direct::{Bundle, Joints};
use crate::joint::tree::guide::hold;
use crate::joint::tree::rows::{class_of, has_turns, joints_of, rows_of, turn_direction};
use crate::joint::tree::shape::Edge;
use crate::joint::tree::{Class, Factor, drive, stop};
use crate::tolerance::{
    FLOORS_IN_PIVOT, MOST_RECONCILED, RECONCILED_SHARE, RECONCILED_TURN, REDUNDANT_SHARE,
};

impl<const N: usize> Factor<N> {
    /// Leaves of the errors what the bodies can make good.
    ///
    /// Where joints hold the same and their anchors disagree, nothing closes the gap, and the
    /// impulse that would have to is without bound. So far as a direction does not give way beside
    /// those before it, its error is what these make of it, and of the rest `p^2 / (p^2 + q^2)`
    /// counts, of what the bodies give way there, `p`, and a share `q` of what they would alone: the
    /// impulse never exceeds `1 / 2q` of the error, and is none where nothing gives but the floors.
    /// What gives way by turning, like a taut chain that leaves its line, does so until it has
    /// turned far enough, so the share grows with the error over the length that turns.
    #[inline(always)]
    pub(super) fn reconcile<S: Simd>(&self, simd: S, bias_rate: f32, errors: &mut [f32x8<S>; N]) {
        let reconciling = Reconciling::new(simd, bias_rate);
        let mut own = *errors;
        for i in 0..N {
            let mut seen = f32x8::splat(simd, 0.0);
            for j in 0..i {
                seen += self.lower[i][j].load(simd) * own[j];
            }
            let floor = self.lower[i][i].load(simd) * self.slack[i].load(simd);
            let reach = self.reach[i].load(simd);
            own[i] = reconciling.left(floor, reach, errors[i] - seen);
            errors[i] = seen + own[i];
        }
    }
}

/// How much of an error counts that others may disagree with; see [`Factor::reconcile`].
pub(super) struct Reconciling<S: Simd> {
    /// Of the share: its square, the most that becomes, and by what it grows with the square of a turn.
    least_sq: f32x8<S>,
    most_sq: f32x8<S>,
    per_turn_sq: f32x8<S>,
}

impl<S: Simd> Reconciling<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, bias_rate: f32) -> Self {
        let per_turn = RECONCILED_TURN / bias_rate;
        Self {
            least_sq: f32x8::splat(simd, RECONCILED_SHARE * RECONCILED_SHARE),
            most_sq: f32x8::splat(simd, MOST_RECONCILED * MOST_RECONCILED),
            per_turn_sq: f32x8::splat(simd, per_turn * per_turn),
        }
    }

    /// What is left of the `error` of a direction with this reach, and this share of its floor in its pivot.
    #[inline(always)]
    pub(super) fn left(&self, floor: f32x8<S>, reach: f32x8<S>, error: f32x8<S>) -> f32x8<S> {
        let simd = error.simd;
        let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
        let alone = f32x8::splat(simd, 1.0 / REDUNDANT_SHARE);
        let floors = f32x8::splat(simd, FLOORS_IN_PIVOT);
        let ratio = alone * floor / max(one - floors * floor, zero);
        let turn_sq = self.per_turn_sq * error * error * reach;
        let share_sq = min(self.least_sq + turn_sq, self.most_sq);
        error / (one + share_sq * ratio * ratio)
    }
}

/// Speeds at which the errors are to go, as the child's against the parent.
#[inline(always)]
pub(super) fn errors<S: Simd, const N: usize, const G: bool>(
    simd: S,
    bundle: Bundle<'_>,
    edge: &Edge,
    bias_rate: f32,
) -> [f32x8<S>; N] {
    let mut errors = [f32x8::splat(simd, 0.0); N];
    let mut row = 0;
    for index in joints_of::<N>(edge) {
        let role = bundle.shape.joints[index];
        let class = class_of::<N, G>(bundle, index);
        let present = &bundle.presents[index];
        let sign = if role.outward { 1.0 } else { -1.0 };
        let rate = f32x8::splat(simd, bias_rate * sign);
        if let Class::Guide { .. } = class {
            let rows = rows_of::<N, G>(class, row);
            row = rows.end;
            hold::errors(simd, &bundle.guides[index], rate, &mut errors, rows);
            continue;
        }
        let gap = present.gap.load(simd).scale(rate);
        (errors[row], errors[row + 1], errors[row + 2]) = (gap.x, gap.y, gap.z);
        row += 3;
        if class == Class::Ball {
            continue;
        }
        let tilt = present.tilt.load(simd).scale(rate);
        for turn in 0..class.tilts() {
            errors[row + turn] = turn_direction(simd, class, present, turn).dot(tilt);
        }
        if has_turns::<N, G>() && class.has_stop() {
            errors[N - 1] = rate * present.stop.error.load(simd);
        }
        row += class.rows() - 3;
    }
    errors
}

/// Speeds by which the directions give way to what the joints have done so far: where these hold the
/// same, and nothing else says how they share it, none pulls against another.
#[inline(always)]
pub(super) fn give<S: Simd, const N: usize, const G: bool>(
    simd: S,
    bundle: Bundle<'_>,
    edge: &Edge,
    joints: &Joints<'_>,
    slack: &[Lane; N],
) -> [f32x8<S>; N] {
    let mut give = [f32x8::splat(simd, 0.0); N];
    let mut row = 0;
    for index in joints_of::<N>(edge) {
        let role = bundle.shape.joints[index];
        let class = class_of::<N, G>(bundle, index);
        let sign = f32x8::splat(simd, if role.outward { 1.0 } else { -1.0 });
        if let Class::Guide { .. } = class {
            let (guide, guided) = (&joints.guides[index], &bundle.guides[index]);
            for (axis, at) in rows_of::<N, G>(class, row).enumerate() {
                let held = hold::held(simd, guide, guided, axis);
                give[at] = slack[at].load(simd) * sign * held;
                row = at + 1;
            }
            continue;
        }
        let (present, joint) = (&bundle.presents[index], &joints.lanes[index]);
        let done = joint.done.linear.load(simd).scale(sign);
        give[row] = slack[row].load(simd) * done.x;
        give[row + 1] = slack[row + 1].load(simd) * done.y;
        give[row + 2] = slack[row + 2].load(simd) * done.z;
        row += 3;
        let done = joint.done.angular.load(simd) + drive::done(simd, class, joint, present);
        let done = done.scale(sign);
        for turn in 0..class.rows() - 3 {
            let direction = turn_direction(simd, class, present, turn);
            give[row] = slack[row].load(simd) * direction.dot(done);
            row += 1;
        }
        if has_turns::<N, G>() && class.has_stop() {
            give[N - 1] += slack[N - 1].load(simd) * sign * stop::held(simd, joint, present);
        }
    }
    give
}
