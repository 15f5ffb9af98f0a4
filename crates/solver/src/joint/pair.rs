//! The two bodies of a joint during a sweep, and the small linear systems of joints.

use drystone_geometry::glam::{DMat3, DVec3, Quat, Vec3};
use drystone_geometry::rotation;

use crate::body_rows::{BodyRows, MassRow};
use crate::integrate::apply_symmetric;
use crate::softness::Softness;
use crate::tolerance::{SINGULAR_DETERMINANT, SINGULAR_SHARE};

/// What the movement row of a static body holds as rotation.
const NO_ROW: Quat = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);

/// A body as a joint sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    index: u32,
    pub(super) linear: Vec3,
    pub(super) angular: Vec3,
    inverse_mass: Vec3,
    diagonal: Vec3,
    off_diagonal: Vec3,
    /// Movement of the centre since the step began, in metres.
    pub(super) moved: Vec3,
    /// Rotation since the step began.
    pub(super) turned: Quat,
}

impl Side {
    pub(super) fn load(rows: &BodyRows, index: u32) -> Self {
        let (linear, angular) = rows.velocity(index);
        let MassRow {
            diagonal,
            off_diagonal,
            inverse_mass,
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

    fn store(&self, rows: &BodyRows) {
        rows.set_velocity(self.index, self.linear, self.angular);
    }

    /// Velocity that an impulse at `there` gives this body's point `here`, both arms from its
    /// centre: as a matrix.
    pub(super) fn coupling(&self, here: Vec3, there: Vec3) -> DMat3 {
        let column = |axis: Vec3| {
            let turned = self.inverse_inertia(there.cross(axis)).cross(here);
            (self.inverse_mass * axis + turned).as_dvec3()
        };
        DMat3::from_cols(column(Vec3::X), column(Vec3::Y), column(Vec3::Z))
    }

    fn inverse_inertia(&self, v: Vec3) -> Vec3 {
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
    pub(super) fn store(&self, rows: &BodyRows) {
        self.a.store(rows);
        self.b.store(rows);
    }

    /// Velocity of B's anchor relative to A's.
    pub(super) fn anchor_velocity(&self) -> Vec3 {
        (self.b.linear + self.b.angular.cross(self.arm_b))
            - (self.a.linear + self.a.angular.cross(self.arm_a))
    }

    /// Angular velocity of B relative to A.
    pub(super) fn spin(&self) -> Vec3 {
        self.b.angular - self.a.angular
    }

    /// Applies an impulse at the anchors: to B, and its opposite to A.
    pub(super) fn push(&mut self, impulse: Vec3) {
        self.b.linear += self.b.inverse_mass * impulse;
        self.b.angular += self.b.inverse_inertia(self.arm_b.cross(impulse));
        self.a.linear -= self.a.inverse_mass * impulse;
        self.a.angular -= self.a.inverse_inertia(self.arm_a.cross(impulse));
    }

    /// Applies an angular impulse to B, and its opposite to A.
    pub(super) fn twist(&mut self, impulse: Vec3) {
        self.b.angular += self.b.inverse_inertia(impulse);
        self.a.angular -= self.a.inverse_inertia(impulse);
    }

    /// Change of the anchors' relative velocity per impulse.
    fn anchor_compliance(&self, impulse: Vec3) -> Vec3 {
        let turned_a = self
            .a
            .inverse_inertia(self.arm_a.cross(impulse))
            .cross(self.arm_a);
        let turned_b = self
            .b
            .inverse_inertia(self.arm_b.cross(impulse))
            .cross(self.arm_b);
        (self.a.inverse_mass + self.b.inverse_mass) * impulse + turned_a + turned_b
    }

    /// Matrix of [`Self::anchor_compliance`].
    pub(super) fn anchor_matrix(&self) -> DMat3 {
        let column = |axis: Vec3| self.anchor_compliance(axis).as_dvec3();
        DMat3::from_cols(column(Vec3::X), column(Vec3::Y), column(Vec3::Z))
    }

    /// Change of the spin per angular impulse.
    fn spin_compliance(&self, impulse: Vec3) -> Vec3 {
        self.a.inverse_inertia(impulse) + self.b.inverse_inertia(impulse)
    }

    /// Inverse of the compliance along a unit direction through both anchors.
    pub(super) fn mass_along(&self, direction: Vec3) -> f32 {
        inverse_or_zero(self.anchor_compliance(direction).dot(direction))
    }

    /// Inverse of the compliance about an axis, scaled as the axis is when that is not unit.
    pub(super) fn mass_about(&self, axis: Vec3) -> f32 {
        inverse_or_zero(self.spin_compliance(axis).dot(axis))
    }

    /// Impulse that changes the anchors' relative velocity by `change`.
    pub(super) fn solve_anchor(&self, change: Vec3) -> Vec3 {
        let columns = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| self.anchor_compliance(axis));
        solve_3x3(columns, change)
    }

    /// Angular impulse that changes the spin by `change`.
    pub(super) fn solve_spin(&self, change: Vec3) -> Vec3 {
        let columns = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| self.spin_compliance(axis));
        solve_3x3(columns, change)
    }

    /// Angular impulse in the plane of the unit vectors `t1` and `t2` that changes the spin's
    /// part in that plane by that of `change`.
    pub(super) fn solve_spin_in_plane(&self, t1: Vec3, t2: Vec3, change: Vec3) -> Vec3 {
        let (k1, k2) = (self.spin_compliance(t1), self.spin_compliance(t2));
        let (k11, k12, k22) = (k1.dot(t1), k1.dot(t2), k2.dot(t2));
        let (c1, c2) = (change.dot(t1), change.dot(t2));
        let determinant = k11 * k22 - k12 * k12;
        let trace = k11 + k22;
        if determinant > SINGULAR_DETERMINANT * trace * trace {
            let scale = 1.0 / determinant;
            (k22 * c1 - k12 * c2) * scale * t1 + (k11 * c2 - k12 * c1) * scale * t2
        } else if trace > 0.0 {
            // Pseudo-inverse of a matrix of rank 1.
            let scale = 1.0 / (trace * trace);
            (k11 * c1 + k12 * c2) * scale * t1 + (k12 * c1 + k22 * c2) * scale * t2
        } else {
            Vec3::ZERO
        }
    }

    /// Holds the anchors together: error `gap` in metres, impulse so far `impulse`.
    pub(super) fn hold_anchor(&mut self, gap: Vec3, softness: Softness, impulse: &mut Vec3) {
        let bias = softness.bias_rate * gap;
        let step = self.solve_anchor(self.anchor_velocity() + bias);
        let change = -(softness.mass_scale * step + softness.impulse_scale * *impulse);
        *impulse += change;
        self.push(change);
    }

    /// Holds the orientation: error `tilt` in radians, impulse so far `impulse`.
    pub(super) fn hold_spin(&mut self, tilt: Vec3, softness: Softness, impulse: &mut Vec3) {
        let bias = softness.bias_rate * tilt;
        let step = self.solve_spin(self.spin() + bias);
        let change = -(softness.mass_scale * step + softness.impulse_scale * *impulse);
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

/// One side of a limit: `room` is what is left before it, negative beyond it; `speed` the
/// rate of `room`. Returns the new impulse, at least 0, given the old.
pub(super) fn limit_impulse(
    room: f32,
    speed: f32,
    mass: f32,
    h: f32,
    softness: Softness,
    old: f32,
) -> f32 {
    let new = if room > 0.0 {
        old - mass * (speed + room / h)
    } else {
        let step = mass * (speed + softness.bias_rate * room);
        old - (softness.mass_scale * step + softness.impulse_scale * old)
    };
    new.max(0.0)
}

fn inverse_or_zero(value: f32) -> f32 {
    if value > 0.0 { 1.0 / value } else { 0.0 }
}

/// Solves a symmetric, not negative system by Cramer's rule, in `f64`: long arms of light
/// bodies make it stiff. A singular one, as between bodies with locked axes, is made regular
/// by a small share of its trace on the diagonal.
fn solve_3x3(columns: [Vec3; 3], right: Vec3) -> Vec3 {
    let mut c = columns.map(|column| column.as_dvec3());
    let share = f64::from(SINGULAR_SHARE) * (c[0].x + c[1].y + c[2].z);
    if share.is_nan() || share <= 0.0 {
        return Vec3::ZERO;
    }
    let mut determinant = c[0].dot(c[1].cross(c[2]));
    if determinant.is_nan() || determinant <= share * share * share {
        c[0].x += share;
        c[1].y += share;
        c[2].z += share;
        determinant = c[0].dot(c[1].cross(c[2]));
    }
    let right = right.as_dvec3();
    let solution = DVec3::new(
        right.dot(c[1].cross(c[2])),
        right.dot(c[2].cross(c[0])),
        right.dot(c[0].cross(c[1])),
    );
    (solution / determinant).as_vec3()
}
