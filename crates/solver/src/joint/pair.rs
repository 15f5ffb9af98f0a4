//! The two bodies of a joint during a sweep, and the small linear systems of joints.

use drystone_geometry::glam::{DVec3, Quat, Vec3, Vec3Swizzles};
use drystone_geometry::rotation;

use crate::body_rows::{BodyRows, MassRow, STATIC_ROW};
use crate::integrate::{apply_symmetric, symmetric_cofactors};
use crate::softness::Spring;
use crate::tolerance::SINGULAR_SHARE;

/// What the movement row of a static body holds as rotation.
const NO_ROW: Quat = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);

/// A body as a joint sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    index: u32,
    pub(super) linear: Vec3,
    pub(super) angular: Vec3,
    pub(super) inverse_mass: Vec3,
    diagonal: Vec3,
    off_diagonal: Vec3,
    /// Movement of the centre since the step began, in metres.
    pub(super) moved: Vec3,
    /// Rotation since the step began.
    pub(super) turned: Quat,
}

impl Side {
    #[inline]
    pub(super) fn load(rows: &BodyRows, index: u32) -> Self {
        let (linear, angular) = rows.velocity(index);
        let MassRow {
            diagonal,
            off_diagonal,
            inverse_mass,
            ..
        } = rows.mass(index);
        let (moved, turned) = rows.movement(index);
        // The row of static bodies is all zeros, which is no rotation.
        let turned = if turned == NO_ROW {
            Quat::IDENTITY
        } else {
            turned
        };
        Self {
            index,
            linear,
            angular,
            inverse_mass,
            diagonal,
            off_diagonal,
            moved,
            turned,
        }
    }

    /// A body that stands still, for what only asks where it is.
    pub(super) fn still() -> Self {
        Self {
            index: STATIC_ROW,
            linear: Vec3::ZERO,
            angular: Vec3::ZERO,
            inverse_mass: Vec3::ZERO,
            diagonal: Vec3::ZERO,
            off_diagonal: Vec3::ZERO,
            moved: Vec3::ZERO,
            turned: Quat::IDENTITY,
        }
    }

    /// Row, `arm` and inverse inertias xx, yy, zz in world axes.
    pub(super) fn end(&self, arm: Vec3) -> (u32, Vec3, Vec3) {
        (self.index, arm, self.diagonal)
    }

    #[inline]
    fn store(&self, rows: &BodyRows) {
        rows.set_velocity(self.index, self.linear, self.angular);
    }

    /// Change of the velocity of the point at `arm` per impulse there: `m + r S r^T`, with `S`
    /// the inverse inertia and `r` the matrix of the cross product with the arm.
    #[inline]
    fn compliance(&self, arm: Vec3) -> Symmetric {
        let (s, o) = (self.diagonal, self.off_diagonal);
        let (sq, mixed) = (arm * arm, arm.yzx() * arm.zxy());
        // Written out; the products of the arm's parts are yz, zx and xy.
        let diagonal = Vec3::new(
            s.y * sq.z + s.z * sq.y - 2.0 * o.x * mixed.x,
            s.z * sq.x + s.x * sq.z - 2.0 * o.y * mixed.y,
            s.x * sq.y + s.y * sq.x - 2.0 * o.z * mixed.z,
        );
        let off = Vec3::new(
            o.z * mixed.y + o.y * mixed.z - s.x * mixed.x - o.x * sq.x,
            o.x * mixed.z + o.z * mixed.x - s.y * mixed.y - o.y * sq.y,
            o.y * mixed.x + o.x * mixed.y - s.z * mixed.z - o.z * sq.z,
        );
        Symmetric {
            diagonal: self.inverse_mass + diagonal,
            off,
        }
    }

    /// What the side would give way along the direction `along`, and about `about` from its centre,
    /// if its easiest axes lay there; 0 where no axis is locked, or all are.
    #[inline]
    pub(super) fn beside_locks(&self, along: Vec3, about: Vec3) -> f32 {
        let (m, s) = (self.inverse_mass, self.diagonal);
        if m.min_element() > 0.0 && s.min_element() > 0.0 {
            return 0.0;
        }
        m.max_element() * along.length_squared() + s.max_element() * about.length_squared()
    }

    #[inline]
    pub(super) fn inverse_inertia(&self, v: Vec3) -> Vec3 {
        apply_symmetric(self.diagonal, self.off_diagonal, v)
    }
}

/// Both bodies of a joint and the present arms of its anchors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) a: Side,
    pub(super) b: Side,
    /// Anchor on A from A's centre, in world axes, in metres.
    pub(super) arm_a: Vec3,
    /// Anchor on B from B's centre, likewise.
    pub(super) arm_b: Vec3,
}

impl Pair {
    #[inline]
    pub(super) fn store(&self, rows: &BodyRows) {
        self.a.store(rows);
        self.b.store(rows);
    }

    /// Velocity of B's anchor relative to A's.
    #[inline]
    pub(super) fn anchor_velocity(&self) -> Vec3 {
        (self.b.linear + self.b.angular.cross(self.arm_b))
            - (self.a.linear + self.a.angular.cross(self.arm_a))
    }

    /// Angular velocity of B relative to A.
    #[inline]
    pub(super) fn spin(&self) -> Vec3 {
        self.b.angular - self.a.angular
    }

    /// Applies an impulse at the anchors: to B, and its opposite to A.
    #[inline]
    pub(super) fn push(&mut self, impulse: Vec3) {
        self.b.linear += self.b.inverse_mass * impulse;
        self.b.angular += self.b.inverse_inertia(self.arm_b.cross(impulse));
        self.a.linear -= self.a.inverse_mass * impulse;
        self.a.angular -= self.a.inverse_inertia(self.arm_a.cross(impulse));
    }

    /// Applies an angular impulse to B, and its opposite to A.
    #[inline]
    pub(super) fn twist(&mut self, impulse: Vec3) {
        self.b.angular += self.b.inverse_inertia(impulse);
        self.a.angular -= self.a.inverse_inertia(impulse);
    }

    /// Change of the anchors' relative velocity per impulse.
    #[inline]
    fn anchor_compliance(&self) -> Symmetric {
        self.a.compliance(self.arm_a) + self.b.compliance(self.arm_b)
    }

    /// Change of the spin per angular impulse.
    #[inline]
    fn spin_compliance(&self) -> Symmetric {
        Symmetric {
            diagonal: self.a.diagonal + self.b.diagonal,
            off: self.a.off_diagonal + self.b.off_diagonal,
        }
    }

    /// Impulse that changes the anchors' relative velocity by `change`.
    #[inline]
    pub(super) fn solve_anchor(&self, change: Vec3) -> Vec3 {
        self.anchor_compliance().solve(change)
    }

    /// Angular impulse that changes the spin by `change`.
    #[inline]
    pub(super) fn solve_spin(&self, change: Vec3) -> Vec3 {
        self.spin_compliance().solve(change)
    }

    /// Holds the anchors together: error `gap` in metres, impulse so far `impulse`.
    #[inline]
    pub(super) fn hold_anchor(&mut self, gap: Vec3, spring: impl Into<Spring>, impulse: &mut Vec3) {
        let spring = spring.into();
        let rate = spring.speed_scale * self.anchor_velocity() + spring.error_rate * gap;
        let change = -(self.solve_anchor(rate) + spring.impulse_scale * *impulse);
        *impulse += change;
        self.push(change);
    }

    /// Holds the orientation: error `tilt` in radians, impulse so far `impulse`.
    pub(super) fn hold_spin(&mut self, tilt: Vec3, spring: impl Into<Spring>, impulse: &mut Vec3) {
        let spring = spring.into();
        let rate = spring.speed_scale * self.spin() + spring.error_rate * tilt;
        let change = -(self.solve_spin(rate) + spring.impulse_scale * *impulse);
        *impulse += change;
        self.twist(change);
    }
}

/// Rotation vector from `a` to `b` in world axes, for the shorter way: twice the vector part
/// of the quaternion, which is the angle while small and keeps its direction beyond.
pub(super) fn rotation_error(a: Quat, b: Quat) -> Vec3 {
    let q = rotation::multiply(b, rotation::conjugate(a));
    let sign = if q.w < 0.0 { -2.0 } else { 2.0 };
    sign * Vec3::new(q.x, q.y, q.z)
}

pub(super) fn inverse_or_zero(value: f32) -> f32 {
    if value > 0.0 { 1.0 / value } else { 0.0 }
}

/// A symmetric matrix that is not negative.
#[derive(Clone, Copy, Debug)]
struct Symmetric {
    /// xx, yy, zz.
    diagonal: Vec3,
    /// yz, zx, xy.
    off: Vec3,
}

impl core::ops::Add for Symmetric {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self {
            diagonal: self.diagonal + other.diagonal,
            off: self.off + other.off,
        }
    }
}

impl Symmetric {
    /// What times this matrix gives `right`, by Cramer's rule, in `f64`: long arms of light
    /// bodies make it stiff. A singular matrix, as between bodies with locked axes, is made
    /// regular by a small share of its trace on the diagonal.
    #[inline]
    fn solve(&self, right: Vec3) -> Vec3 {
        let (mut d, o) = (self.diagonal.as_dvec3(), self.off.as_dvec3());
        let share = f64::from(SINGULAR_SHARE) * (d.x + d.y + d.z);
        if share.is_nan() || share <= 0.0 {
            return Vec3::ZERO;
        }
        let (mut cofactors, mut determinant) = symmetric_cofactors(d, o);
        if determinant.is_nan() || determinant <= share * share * share {
            d += share;
            (cofactors, determinant) = symmetric_cofactors(d, o);
        }
        let b = right.as_dvec3();
        let [xx, yy, zz, yz, zx, xy] = cofactors;
        let solution = DVec3::new(
            xx * b.x + xy * b.y + zx * b.z,
            xy * b.x + yy * b.y + yz * b.z,
            zx * b.x + yz * b.y + zz * b.z,
        );
        (solution / determinant).as_vec3()
    }
}

#[cfg(test)]
mod tests {
    use drystone_geometry::glam::DMat3;

    use super::*;

    fn side(diagonal: Vec3, off_diagonal: Vec3, inverse_mass: Vec3) -> Side {
        Side {
            index: 0,
            linear: Vec3::ZERO,
            angular: Vec3::ZERO,
            inverse_mass,
            diagonal,
            off_diagonal,
            moved: Vec3::ZERO,
            turned: Quat::IDENTITY,
        }
    }

    fn times(matrix: Symmetric, v: Vec3) -> Vec3 {
        apply_symmetric(matrix.diagonal, matrix.off, v)
    }

    /// The written-out compliance against the same by cross products, column by column, and
    /// the solution of its system put back in. Arms from a millimetre to a kilometre, a body
    /// with one locked axis.
    #[test]
    fn the_compliance_is_that_of_cross_products() {
        let body = side(
            Vec3::new(2.0, 3.0, 1.5),
            Vec3::new(0.3, -0.4, 0.2),
            Vec3::new(0.7, 0.7, 0.0),
        );
        let direction = Vec3::new(0.48, -0.6, 0.64);
        for scale in [0.001_f32, 0.1, 1.0, 30.0, 1000.0] {
            let arm = scale * direction;
            let compliance = body.compliance(arm);
            let column = |axis: Vec3| {
                let turned = body.inverse_inertia(arm.cross(axis)).cross(arm);
                (body.inverse_mass * axis + turned).as_dvec3()
            };
            let expected = DMat3::from_cols(column(Vec3::X), column(Vec3::Y), column(Vec3::Z));
            let size = expected.x_axis.length() + expected.y_axis.length();
            for (axis, column) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().zip([
                expected.x_axis,
                expected.y_axis,
                expected.z_axis,
            ]) {
                let found = times(compliance, axis).as_dvec3();
                assert!((found - column).length() < 1e-6 * size, "{found} {column}");
            }
            if scale < 10.0 && scale > 0.01 {
                let right = Vec3::new(1.0, -2.0, 0.5);
                let back = times(compliance, compliance.solve(right));
                assert!((back - right).length() < 1e-3, "{scale}: {back}");
            }
        }
    }
}
