//! Where the axes of guides stand, and what each is solved as.

use drystone_geometry::lanes::{
    Lane, Lane3, SymMat3x8, Vec3x8, divide_or_zero, f32x8, mask32x8, max, min,
};
use fearless_simd::prelude::*;

use crate::joint::tree::angle::{atan2, near, wrap};
use crate::joint::tree::guide::{AXES, AxisDone, AxisLanes, Guide, GuideLanes, GuidePresent, role};
use crate::joint::tree::present::{Turn, tilt};
use crate::joint::tree::rows::{LINE, ROTATION};
use crate::joint::tree::stop::before_stop;
use crate::joint::tree::{BodyWork, PresentLanes, TreeBody};
use crate::tolerance::GIMBAL_COSINE;

impl GuidePresent {
    pub(in crate::joint::tree) const EMPTY: Self = Self {
        along: [Lane3::ZERO; 3],
        about: [Lane3::ZERO; 3],
        place: [Lane::ZERO; AXES],
        error: [Lane::ZERO; AXES],
        role: [Lane::ZERO; AXES],
        end: [Lane::ZERO; AXES],
        own: [Lane::ZERO; AXES],
    };

    /// Where an axis of eight guides is solved as `what`.
    #[inline(always)]
    pub(super) fn is<S: Simd>(&self, simd: S, axis: usize, what: f32) -> mask32x8<S> {
        self.role[axis].load(simd).simd_eq(f32x8::splat(simd, what))
    }

    /// An axis of frame A.
    #[inline(always)]
    pub(in crate::joint::tree) fn direction<S: Simd>(&self, simd: S, axis: usize) -> Vec3x8<S> {
        self.along[axis].load(simd)
    }

    /// Sums vectors along A's axes.
    #[inline(always)]
    pub(super) fn along_sum<S: Simd>(&self, simd: S, parts: [f32x8<S>; 3]) -> Vec3x8<S> {
        let [x, y, z] = &self.along;
        let sum = x.load(simd).scale(parts[0]);
        let sum = sum.add_scaled(y.load(simd), parts[1]);
        sum.add_scaled(z.load(simd), parts[2])
    }

    /// An axis as a row of a body whose arm is given: [`LINE`] or [`ROTATION`], the direction along which it
    /// holds and the one about which.
    #[inline(always)]
    pub(super) fn row<S: Simd>(
        &self,
        simd: S,
        axis: usize,
        arm: &Lane3,
    ) -> (usize, Vec3x8<S>, Vec3x8<S>) {
        if axis < 3 {
            let along = self.along[axis].load(simd);
            (LINE, along, arm.load(simd).cross(along))
        } else {
            (
                ROTATION,
                Vec3x8::zero(simd),
                self.about[axis - 3].load(simd),
            )
        }
    }

    /// What of the way of B's anchor is beyond where it is held, by axis along which something does.
    #[inline(always)]
    fn all_beyond<S: Simd>(&self, simd: S) -> [f32x8<S>; 3] {
        let mut all = [f32x8::splat(simd, 0.0); 3];
        for (axis, beyond) in all.iter_mut().enumerate() {
            *beyond = self.beyond(simd, axis);
        }
        all
    }

    /// The same along one axis.
    #[inline(always)]
    fn beyond<S: Simd>(&self, simd: S, axis: usize) -> f32x8<S> {
        let zero = f32x8::splat(simd, 0.0);
        let error = self.error[axis].load(simd);
        let is = |what: f32| self.is(simd, axis, what);
        let beyond = is(role::LOCK).select(error, zero);
        let beyond = is(role::LOWER).select(min(error, zero), beyond);
        is(role::UPPER).select(max(error, zero), beyond)
    }
}

/// Computes the presents of eight guides with frames `a` and `b`, given arms and gaps of their joints.
#[inline(always)]
pub(in crate::joint::tree) fn refresh<S: Simd>(
    simd: S,
    kind: Guide,
    is_shared: bool,
    guide: &GuideLanes,
    [a, b]: [Turn<S>; 2],
    present: &mut PresentLanes,
    guided: &mut GuidePresent,
) {
    let (arm_a, gap) = (present.arm_a.load(simd), present.gap.load(simd));
    if let Guide::Line { .. } = kind {
        find_line(gap, guided);
    } else {
        // Both bodies are pushed at B's anchor.
        present.arm_a.store(arm_a + gap);
        find_along(a, gap, guided);
    }
    match kind {
        Guide::Line { .. } => {}
        Guide::Block => {
            let tilt = tilt(a, b);
            for axis in 0..3 {
                guided.about[axis] = guided.along[axis];
                let direction = guided.about[axis].load(simd);
                guided.place[3 + axis].store(direction.dot(tilt));
            }
        }
        Guide::Rings => rings(a, b, guided),
        Guide::Wheel => {
            let axle = b.z();
            let tilt = a.z().cross(axle);
            guided.about = [guided.along[0], guided.along[1], guided.about[2]];
            guided.about[2].store(axle);
            guided.place[3].store(a.x().dot(tilt));
            guided.place[4].store(a.y().dot(tilt));
            guided.place[5] = Lane::ZERO;
        }
        Guide::Steered => {
            let (axle, up) = (b.z(), a.y());
            guided.about[0].store(axle.cross(up));
            guided.about[1].store(up);
            guided.about[2].store(axle);
            guided.place[3].store(up.dot(axle));
            guided.place[4].store(atan2(axle.dot(a.x()), axle.dot(a.z())));
            guided.place[5] = Lane::ZERO;
        }
    }
    for axis in 0..AXES {
        let (lanes, done) = (&guide.axes[axis], &guide.done.axes[axis]);
        let place = guided.place[axis].load(simd);
        let is_angle = axis >= 3;
        let role = choose(simd, is_shared, is_angle, lanes, done, place);
        guided.role[axis].store(role);
        let error = error(simd, is_angle, lanes, role, place);
        guided.error[axis].store(error);
    }
    let gap = guided.all_beyond(simd);
    present.gap.store(guided.along_sum(simd, gap));
}

/// A's axes, and the way of B's anchor along them.
#[inline(always)]
fn find_along<S: Simd>(a: Turn<S>, gap: Vec3x8<S>, guided: &mut GuidePresent) {
    for (axis, direction) in [a.x(), a.y(), a.z()].into_iter().enumerate() {
        guided.along[axis].store(direction);
        guided.place[axis].store(direction.dot(gap));
    }
}

impl GuidePresent {
    /// The square of the distance between the anchors of a [`Line`](Guide::Line), in m^2.
    #[inline(always)]
    pub(in crate::joint::tree) fn length_sq<S: Simd>(&self, simd: S) -> f32x8<S> {
        let length = self.place[0].load(simd);
        length * length
    }

    /// Along a [`Line`](Guide::Line), the mean speed at which it grows in a sub-step of `h` seconds, less that of its
    /// beginning, in m/s, where it is held. The anchors part by what their arms do beyond their speed, as given, too.
    #[inline(always)]
    pub(in crate::joint::tree) fn lengthens<S: Simd>(
        &self,
        simd: S,
        h: f32,
        present: &PresentLanes,
        [a, b]: [&BodyWork; 2],
        beyond: Vec3x8<S>,
    ) -> Vec3x8<S> {
        let (zero, h) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, h));
        let speed = |work: &BodyWork, arm: &Lane3| {
            work.linear.load(simd) + work.angular.load(simd).cross(arm.load(simd))
        };
        let parting = speed(b, &present.arm_b) - speed(a, &present.arm_a);
        let (along, length) = (self.along[0].load(simd), self.place[0].load(simd));
        let went = parting + beyond;
        let after = along.scale(length).add_scaled(went, h).length();
        let whole = went.dot(along.scale(length + length)) + went.length_sq() * h;
        let mean = divide_or_zero(whole, after + length);
        let role = self.role[0].load(simd);
        let holds = !role.simd_eq(zero) & !self.is(simd, 0, role::SPRING);
        along.scale(holds.select(mean - along.dot(parting), zero))
    }
}

/// The unit vector from A's anchor to B's, or up when they coincide, and their distance.
#[inline(always)]
fn find_line<S: Simd>(gap: Vec3x8<S>, guided: &mut GuidePresent) {
    let simd = gap.x.simd;
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let length = gap.length();
    let mut up = Vec3x8::zero(simd);
    up.y = one;
    let along = Vec3x8::select(
        length.simd_gt(zero),
        gap.scale(divide_or_zero(one, length)),
        up,
    );
    *guided = GuidePresent::EMPTY;
    guided.along[0].store(along);
    guided.place[0].store(length);
}

/// Three rings in each other: with B's frame at `Rx(a) Ry(b) Rz(c)` in A's their angles, and the dual of
/// their axes.
#[inline(always)]
fn rings<S: Simd>(a: Turn<S>, b: Turn<S>, guided: &mut GuidePresent) {
    let (x, y, z) = (a.x(), a.y(), b.z());
    let simd = x.x.simd;
    let (xx, xy) = (x.dot(b.x()), x.dot(b.y()));
    let cosine = (xx * xx + xy * xy).sqrt();
    guided.place[3].store(atan2(-y.dot(z), a.z().dot(z)));
    guided.place[4].store(atan2(x.dot(z), cosine));
    guided.place[5].store(atan2(-xy, xx));
    // Where both outer axes meet there is no telling them apart; the rates stay bounded.
    let least = f32x8::splat(simd, GIMBAL_COSINE);
    let one = f32x8::splat(simd, 1.0);
    let cosine = max(cosine, least);
    let middle = z.cross(x);
    let length = middle.length();
    let is_apart = length.simd_gt(least);
    let middle = Vec3x8::select(is_apart, middle.scale(divide_or_zero(one, length)), y);
    guided.about[0].store(middle.cross(z).scale(one / cosine));
    guided.about[1].store(middle);
    guided.about[2].store(x.cross(middle).scale(one / cosine));
}

/// What an axis is solved as.
///
/// What is at the end of its force goes without the tree, and so does what is at a stop or about to come
/// to one. A stop that pushes holds until it would have to pull.
#[inline(always)]
fn choose<S: Simd>(
    simd: S,
    is_shared: bool,
    is_angle: bool,
    lanes: &AxisLanes,
    done: &AxisDone,
    place: f32x8<S>,
) -> f32x8<S> {
    let zero = f32x8::splat(simd, 0.0);
    let code = |what: f32| f32x8::splat(simd, what);
    let mut chosen = code(role::NONE);
    let uses = lanes.uses;
    if !is_shared && (uses.motor || uses.stiff || uses.limit) {
        let (lower, upper) = (lanes.lower.load(simd), lanes.upper.load(simd));
        let (low, high) = (done.lower.load(simd), done.upper.load(simd));
        let place = unwound(simd, is_angle, lanes, place);
        let stands = low.simd_le(zero) & high.simd_le(zero);
        let clears = |way: f32x8<S>| {
            (place + min(way, zero)).simd_ge(lower)
                & (place + max(way, zero)).simd_le(upper)
                & stands
        };
        if uses.motor {
            let drives = lanes.leads.load(simd).simd_gt(zero)
                & is_within(done.motor.load(simd), lanes.motor_most.load(simd))
                & clears(lanes.motor_way.load(simd));
            chosen = drives.select(code(role::MOTOR), chosen);
        }
        if uses.stiff {
            let way = spring_error(simd, is_angle, lanes, place);
            let pulls = lanes.spring.is_stiff.load(simd).simd_gt(zero)
                & is_within(done.spring.load(simd), lanes.spring.most.load(simd))
                & clears(-way);
            chosen = pulls.select(code(role::SPRING), chosen);
        }
        if uses.limit {
            chosen = low.simd_gt(zero).select(code(role::LOWER), chosen);
            chosen = high.simd_gt(zero).select(code(role::UPPER), chosen);
        }
    }
    let locked = lanes.locked.load(simd).simd_gt(zero);
    locked.select(code(role::LOCK), chosen)
}

/// Whether an impulse is not at its bounds.
#[inline(always)]
pub(super) fn is_within<S: Simd>(impulse: f32x8<S>, most: f32x8<S>) -> mask32x8<S> {
    max(impulse, -impulse).simd_lt(most)
}

/// A place as its bounds are told: an angle within half a turn of the middle of its range.
#[inline(always)]
pub(super) fn unwound<S: Simd>(
    simd: S,
    is_angle: bool,
    lanes: &AxisLanes,
    place: f32x8<S>,
) -> f32x8<S> {
    if !is_angle {
        return place;
    }
    let middle = (lanes.lower.load(simd) + lanes.upper.load(simd)) * f32x8::splat(simd, 0.5);
    near(place, middle)
}

/// How far a place is beyond the target of a spring.
#[inline(always)]
pub(super) fn spring_error<S: Simd>(
    simd: S,
    is_angle: bool,
    lanes: &AxisLanes,
    place: f32x8<S>,
) -> f32x8<S> {
    let error = place - lanes.spring.target.load(simd);
    if is_angle { wrap(error) } else { error }
}

/// What of a place is to go.
#[inline(always)]
fn error<S: Simd>(
    simd: S,
    is_angle: bool,
    lanes: &AxisLanes,
    chosen: f32x8<S>,
    place: f32x8<S>,
) -> f32x8<S> {
    let zero = f32x8::splat(simd, 0.0);
    let is = |what: f32| chosen.simd_eq(f32x8::splat(simd, what));
    let place = unwound(simd, is_angle, lanes, place);
    let beyond_lower = place - lanes.lower.load(simd);
    let mut error = is(role::LOCK).select(beyond_lower, zero);
    if lanes.uses.limit {
        error = is(role::LOWER).select(before_stop(beyond_lower), error);
        let room = lanes.upper.load(simd) - place;
        error = is(role::UPPER).select(-before_stop(room), error);
    }
    if lanes.uses.spring {
        let pulled = spring_error(simd, is_angle, lanes, place);
        error = is(role::SPRING).select(pulled, error);
    }
    error
}

/// Sets what two bodies on their own give way along and about the axes, whose inverse inertias these are.
#[inline(always)]
pub(in crate::joint::tree) fn weigh_own<S: Simd>(
    simd: S,
    present: &PresentLanes,
    bodies: [&TreeBody; 2],
    own: [SymMat3x8<S>; 2],
    guide: &GuideLanes,
    guided: &mut GuidePresent,
) {
    let arms = [&present.arm_a, &present.arm_b];
    for axis in 0..AXES {
        if !guide.axes[axis].uses.stiff {
            continue;
        }
        let mut sum = f32x8::splat(simd, 0.0);
        for side in 0..2 {
            let (_, along, about) = guided.row(simd, axis, arms[side]);
            let mass = bodies[side].inverse_mass.load(simd);
            sum += mass.mul_components(along).dot(along);
            sum += own[side].apply(about).dot(about);
        }
        guided.own[axis].store(sum);
    }
}

/// Puts what has closed of what was beyond its bounds, the other way round, in the place of the errors,
/// given the present frame A and B's anchor less A's.
#[inline(always)]
pub(in crate::joint::tree) fn find_closed<S: Simd>(
    simd: S,
    kind: Guide,
    a: Turn<S>,
    gap: Vec3x8<S>,
    present: &PresentLanes,
    guided: &mut GuidePresent,
) {
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let beyond = guided.all_beyond(simd);
    let mut after_sq = zero;
    for (axis, direction) in [a.x(), a.y(), a.z()].into_iter().enumerate() {
        let bound = guided.place[axis].load(simd) - beyond[axis];
        let place = if let Guide::Line { .. } = kind {
            gap.length()
        } else {
            direction.dot(gap)
        };
        let after = place - bound;
        // Inside of a stop nothing is left.
        let after = guided
            .is(simd, axis, role::LOWER)
            .select(min(after, zero), after);
        let after = guided
            .is(simd, axis, role::UPPER)
            .select(max(after, zero), after);
        let is = |what: f32| guided.is(simd, axis, what);
        let holds = is(role::LOCK) | is(role::LOWER) | is(role::UPPER);
        after_sq += holds.select(after * after, zero);
    }
    // In length, as gaps turn with their bodies.
    let before = present.gap.load(simd).length();
    let left = min(divide_or_zero(after_sq.sqrt(), before) - one, zero);
    guided.error = [Lane::ZERO; AXES];
    for (error, beyond) in guided.error.iter_mut().zip(beyond) {
        error.store(beyond * left);
    }
}
