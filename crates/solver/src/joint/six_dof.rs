//! Six axes: along and about X, Y and Z, each free, locked, limited or driven.
//!
//! Three locked axes of a kind are one block, as in a weld. The others are rows: along the axes
//! of A's frame, and about the axes of three rings in each other. What a ring's angle does to
//! the bodies, and its rate follows from, is the dual of the rings' axes.

use drystone_geometry::glam::{Mat3, Vec3};
use drystone_geometry::rotation;

use crate::joint::prepared::{Present, Wrench};
use crate::joint::{JointAxis, JointImpulses, SixDofSettings};
use crate::tolerance::GIMBAL_COSINE;

/// The angles of three rings and the directions whose products with the spin are their rates.
pub(super) struct Rings {
    pub(super) angles: Vec3,
    pub(super) rates: [Vec3; 3],
}

impl Rings {
    /// With B's frame at `Rx(a) Ry(b) Rz(c)` in A's.
    pub(super) fn of(present: &Present) -> Self {
        let (a, b) = (present.frame_a, present.frame_b);
        let (x, y) = (rotation::rotate(a, Vec3::X), rotation::rotate(a, Vec3::Y));
        let z = rotation::rotate(b, Vec3::Z);
        let m: Mat3 = rotation::to_matrix(rotation::multiply(rotation::conjugate(a), b));
        let cosine = libm::sqrtf(m.x_axis.x * m.x_axis.x + m.y_axis.x * m.y_axis.x);
        let angles = Vec3::new(
            libm::atan2f(-m.z_axis.y, m.z_axis.z),
            libm::atan2f(m.z_axis.x, cosine),
            libm::atan2f(-m.y_axis.x, m.x_axis.x),
        );
        // Where both outer axes meet there is no telling them apart; the rates stay bounded.
        let cosine = cosine.max(GIMBAL_COSINE);
        let middle = z.cross(x);
        let length = middle.length();
        let middle = if length > GIMBAL_COSINE {
            middle / length
        } else {
            y
        };
        Self {
            angles,
            rates: [middle.cross(z) / cosine, middle, x.cross(middle) / cosine],
        }
    }
}

/// Whether a block holds all three axes at 0.
pub(super) fn is_block(axes: &[JointAxis; 3]) -> bool {
    axes.iter().all(|axis| *axis == JointAxis::LOCKED)
}

/// Whether nothing acts along or about any of three axes.
pub(super) fn is_free(axes: &[JointAxis; 3]) -> bool {
    axes.iter().all(|axis| *axis == JointAxis::FREE)
}

fn directions(present: &Present) -> [Vec3; 3] {
    [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| rotation::rotate(present.frame_a, axis))
}

pub(super) fn wrench(
    present: &Present,
    settings: &SixDofSettings,
    impulses: &JointImpulses,
) -> Wrench {
    let [x, y, z] = directions(present);
    let i = &impulses.axes;
    let linear = i[0].total() * x + i[1].total() * y + i[2].total() * z;
    let mut angular = Vec3::ZERO;
    if !is_free(&settings.angular) && !is_block(&settings.angular) {
        let [x, y, z] = Rings::of(present).rates;
        angular = i[3].total() * x + i[4].total() * y + i[5].total() * z;
    }
    Wrench {
        linear: impulses.linear + linear,
        angular: impulses.angular + angular,
    }
}
