//! One axis of a joint, along or about a direction, and the lock of one that is solved by itself.

use std::f32::consts::PI;
use std::f64::consts::TAU;

use drystone_geometry::glam::Vec3;

use crate::joint::pair::{Pair, inverse_or_zero};
use crate::joint::prepared::Present;
use crate::joint::{AxisImpulses, JointAxis, JointSpring};
use crate::softness::Spring;
use crate::tolerance::{FAR_BOUND, LOCKED_SHARE};

/// How the rate of a coordinate follows from the velocities of both bodies: linear and angular
/// of B, less linear and angular of A.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) along_a: Vec3,
    pub(super) along_b: Vec3,
    pub(super) about_a: Vec3,
    pub(super) about_b: Vec3,
    /// Whether it measures an angle, which begins anew after a turn.
    pub(super) is_angle: bool,
}

impl Row {
    /// The angle about `axis`, in world axes, which need not be unit.
    #[inline]
    pub(super) fn about(axis: Vec3) -> Self {
        Self {
            along_a: Vec3::ZERO,
            along_b: Vec3::ZERO,
            about_a: axis,
            about_b: axis,
            is_angle: true,
        }
    }

    /// The way of B's anchor along the unit vector `axis` that turns with A, in world axes; the
    /// arm on A must reach to B's anchor, or lie in line with it.
    #[inline]
    pub(super) fn along(pair: &Pair, axis: Vec3) -> Self {
        Self {
            along_a: axis,
            along_b: axis,
            about_a: pair.arm_a.cross(axis),
            about_b: pair.arm_b.cross(axis),
            is_angle: false,
        }
    }

    /// Inverse of the rate per impulse; 0 where locked axes hold the row already.
    #[inline]
    fn mass(&self, pair: &Pair) -> f32 {
        let mut compliance = self.about_a.dot(pair.a.inverse_inertia(self.about_a))
            + self.about_b.dot(pair.b.inverse_inertia(self.about_b));
        compliance += self.along_a.dot(pair.a.inverse_mass * self.along_a)
            + self.along_b.dot(pair.b.inverse_mass * self.along_b);
        let beside = pair.a.beside_locks(self.along_a, self.about_a)
            + pair.b.beside_locks(self.along_b, self.about_b);
        if compliance <= LOCKED_SHARE * beside {
            return 0.0;
        }
        inverse_or_zero(compliance)
    }

    #[inline]
    pub(super) fn speed(&self, pair: &Pair) -> f32 {
        self.about_b.dot(pair.b.angular) - self.about_a.dot(pair.a.angular)
            + (self.along_b.dot(pair.b.linear) - self.along_a.dot(pair.a.linear))
    }

    #[inline]
    pub(super) fn apply(&self, pair: &mut Pair, impulse: f32) {
        pair.b.linear += pair.b.inverse_mass * self.along_b * impulse;
        pair.b.angular += pair.b.inverse_inertia(self.about_b * impulse);
        pair.a.linear -= pair.a.inverse_mass * self.along_a * impulse;
        pair.a.angular -= pair.a.inverse_inertia(self.about_a * impulse);
    }
}

impl AxisImpulses {
    /// Those of what `axis` still has; of one about which something turns if `is_angle`. What a lock has done either
    /// way, a stop in its place has done one way.
    pub(super) fn lasting(self, axis: &JointAxis, is_angle: bool) -> Self {
        let limit = axis.limit.filter(|limit| !(is_angle && limit.is_turn()));
        let if_there = |there: bool, impulse: f32| if there { impulse } else { 0.0 };
        let lower = if_there(
            limit.is_some_and(|limit| limit.lower > -FAR_BOUND),
            self.lower,
        );
        let upper = if_there(
            limit.is_some_and(|limit| limit.upper < FAR_BOUND),
            self.upper,
        );
        Self {
            motor: if_there(axis.motor.is_some(), self.motor),
            spring: if_there(axis.spring.is_some(), self.spring),
            lower: if axis.is_locked() {
                lower
            } else {
                lower.max(0.0)
            },
            upper: if_there(!axis.is_locked(), upper),
        }
    }
}

/// `angle` brought into -pi..pi, given that it is within three half turns.
pub(super) fn wrap(angle: f32) -> f32 {
    if angle > PI {
        angle - 2.0 * PI
    } else if angle < -PI {
        angle + 2.0 * PI
    } else {
        angle
    }
}

/// `target`, or the same angle within half a turn where it is more than one, in radians.
pub(super) fn within_turns(target: f32) -> f32 {
    if target.abs() > 2.0 * PI {
        libm::remainder(f64::from(target), TAU) as f32
    } else {
        target
    }
}

/// How far a coordinate is beyond the target of a spring.
pub(super) fn spring_error(row: &Row, position: f32, spring: JointSpring) -> f32 {
    if row.is_angle {
        wrap(position - within_turns(spring.target))
    } else {
        position - spring.target
    }
}

/// Holds the coordinate, whose error is given.
pub(super) fn lock(
    present: &mut Present,
    row: &Row,
    error: f32,
    spring: impl Into<Spring>,
    impulse: &mut f32,
) {
    let spring = spring.into();
    let step = spring.speed_scale * row.speed(&present.pair) + spring.error_rate * error;
    let change = -(row.mass(&present.pair) * step + spring.impulse_scale * *impulse);
    *impulse += change;
    row.apply(&mut present.pair, change);
}
