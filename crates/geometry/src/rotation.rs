//! Rotation arithmetic on stored quaternions: scalar, in a fixed order, the same bits
//! on every platform. Every function takes unit quaternions and says when it needs not.

use glam::{DMat3, DQuat, DVec3, Mat3, Quat, Vec3};

/// `rotation` applied to `v`.
#[inline]
pub fn rotate(rotation: Quat, v: Vec3) -> Vec3 {
    let axis = Vec3::new(rotation.x, rotation.y, rotation.z);
    let t = 2.0 * axis.cross(v);
    v + rotation.w * t + axis.cross(t)
}

/// The inverse of `rotation` applied to `v`.
#[inline]
pub fn rotate_inverse(rotation: Quat, v: Vec3) -> Vec3 {
    let axis = Vec3::new(rotation.x, rotation.y, rotation.z);
    let t = 2.0 * axis.cross(v);
    v - rotation.w * t + axis.cross(t)
}

/// The rotation that applies `b` first, then `a`. Neither needs to be unit.
#[inline]
pub fn multiply(a: Quat, b: Quat) -> Quat {
    Quat::from_xyzw(
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    )
}

/// The inverse of a unit quaternion.
#[inline]
pub fn conjugate(q: Quat) -> Quat {
    Quat::from_xyzw(-q.x, -q.y, -q.z, q.w)
}

/// `q` scaled to unit length, or the identity when its length is zero or not finite.
pub fn normalize(q: Quat) -> Quat {
    let length_sq = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    if !(length_sq > 0.0 && length_sq.is_finite()) {
        return Quat::IDENTITY;
    }
    let scale = 1.0 / length_sq.sqrt();
    Quat::from_xyzw(q.x * scale, q.y * scale, q.z * scale, q.w * scale)
}

/// The rotation by `angle` radians about the unit `axis`.
pub fn from_axis_angle(axis: Vec3, angle: f32) -> Quat {
    let (sin, cos) = libm::sincosf(0.5 * angle);
    Quat::from_xyzw(axis.x * sin, axis.y * sin, axis.z * sin, cos)
}

/// The rotation by `|vector|` radians about the direction of `vector`.
pub fn from_scaled_axis(vector: Vec3) -> Quat {
    let angle = vector.length();
    if angle > 0.0 {
        from_axis_angle(vector / angle, angle)
    } else {
        Quat::IDENTITY
    }
}

/// The rotation as axis times angle, in radians, by the shorter way.
pub fn to_scaled_axis(q: Quat) -> Vec3 {
    let sign = if q.w < 0.0 { -1.0 } else { 1.0 };
    let axis = sign * Vec3::new(q.x, q.y, q.z);
    let sin = axis.length();
    if sin > 0.0 {
        axis * (2.0 * libm::atan2f(sin, sign * q.w) / sin)
    } else {
        Vec3::ZERO
    }
}

/// The shortest rotation that takes the unit vector `from` to the unit vector `to`.
///
/// For opposite vectors, half a turn about some axis orthogonal to `from`.
pub fn between(from: Vec3, to: Vec3) -> Quat {
    let w = 1.0 + from.dot(to);
    if w > crate::tolerance::OPPOSITE_COSINE_MARGIN {
        let axis = from.cross(to);
        normalize(Quat::from_xyzw(axis.x, axis.y, axis.z, w))
    } else {
        let axis = any_orthogonal(from);
        Quat::from_xyzw(axis.x, axis.y, axis.z, 0.0)
    }
}

/// A unit vector orthogonal to the unit vector `n`, the same for the same input.
pub fn any_orthogonal(n: Vec3) -> Vec3 {
    let other = if n.x.abs() < 0.57 { Vec3::X } else { Vec3::Y };
    let v = n.cross(other);
    v / v.length()
}

/// The matrix of `rotation`.
pub fn to_matrix(rotation: Quat) -> Mat3 {
    let (x, y, z, w) = (rotation.x, rotation.y, rotation.z, rotation.w);
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, xy, xz) = (x * x2, x * y2, x * z2);
    let (yy, yz, zz) = (y * y2, y * z2, z * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    Mat3::from_cols(
        Vec3::new(1.0 - (yy + zz), xy + wz, xz - wy),
        Vec3::new(xy - wz, 1.0 - (xx + zz), yz + wx),
        Vec3::new(xz + wy, yz - wx, 1.0 - (xx + yy)),
    )
}

/// The matrix of `rotation` in `f64`; the quaternion is first scaled to unit length in
/// `f64`, so the matrix is orthonormal to `f64` rounding.
#[inline]
pub fn to_dmatrix(rotation: DQuat) -> DMat3 {
    let (x, y, z, w) = (rotation.x, rotation.y, rotation.z, rotation.w);
    let s = 2.0 / (x * x + y * y + z * z + w * w);
    let (xx, xy, xz) = (s * x * x, s * x * y, s * x * z);
    let (yy, yz, zz) = (s * y * y, s * y * z, s * z * z);
    let (wx, wy, wz) = (s * w * x, s * w * y, s * w * z);
    DMat3::from_cols(
        DVec3::new(1.0 - (yy + zz), xy + wz, xz - wy),
        DVec3::new(xy - wz, 1.0 - (xx + zz), yz + wx),
        DVec3::new(xz + wy, yz - wx, 1.0 - (xx + yy)),
    )
}

/// The unit quaternion of a rotation matrix.
pub fn from_dmatrix(matrix: DMat3) -> DQuat {
    let DQuat { x, y, z, w } = unscaled_from_dmatrix(matrix);
    let scale = 1.0 / (x * x + y * y + z * z + w * w).sqrt();
    DQuat::from_xyzw(x * scale, y * scale, z * scale, w * scale)
}

/// The quaternion of a rotation matrix, between 2 and 4 long: [`to_dmatrix`] scales it. Shepperd's
/// choice of the largest component keeps every case well conditioned.
///
/// Shepperd, *Quaternion from rotation matrix* (1978).
#[inline(always)]
pub fn unscaled_from_dmatrix(matrix: DMat3) -> DQuat {
    let (c0, c1, c2) = (matrix.x_axis, matrix.y_axis, matrix.z_axis);
    let trace = c0.x + c1.y + c2.z;
    // Four times each squared component, less one.
    let (x, y, z, w) = if trace >= c0.x && trace >= c1.y && trace >= c2.z {
        (c1.z - c2.y, c2.x - c0.z, c0.y - c1.x, 1.0 + trace)
    } else if c0.x >= c1.y && c0.x >= c2.z {
        (
            1.0 + c0.x - c1.y - c2.z,
            c0.y + c1.x,
            c2.x + c0.z,
            c1.z - c2.y,
        )
    } else if c1.y >= c2.z {
        (
            c0.y + c1.x,
            1.0 - c0.x + c1.y - c2.z,
            c1.z + c2.y,
            c2.x - c0.z,
        )
    } else {
        (
            c2.x + c0.z,
            c1.z + c2.y,
            1.0 - c0.x - c1.y + c2.z,
            c0.y - c1.x,
        )
    };
    DQuat::from_xyzw(x, y, z, w)
}

/// `q` in `f64`, scaled to unit length there.
pub fn to_double(q: Quat) -> DQuat {
    let (x, y, z, w) = (
        f64::from(q.x),
        f64::from(q.y),
        f64::from(q.z),
        f64::from(q.w),
    );
    let scale = 1.0 / (x * x + y * y + z * z + w * w).sqrt();
    DQuat::from_xyzw(x * scale, y * scale, z * scale, w * scale)
}

/// `q` rounded to `f32` and scaled to unit length there.
pub fn to_single(q: DQuat) -> Quat {
    normalize(Quat::from_xyzw(
        q.x as f32, q.y as f32, q.z as f32, q.w as f32,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quarter turn about Z takes X to Y, known by hand; its inverse takes it back.
    #[test]
    fn a_quarter_turn_about_z_takes_x_to_y() {
        let q = from_axis_angle(Vec3::Z, std::f32::consts::FRAC_PI_2);
        assert!(rotate(q, Vec3::X).abs_diff_eq(Vec3::Y, 1e-6));
        assert!(rotate_inverse(q, Vec3::Y).abs_diff_eq(Vec3::X, 1e-6));
        assert!((to_matrix(q) * Vec3::X).abs_diff_eq(Vec3::Y, 1e-6));
    }

    /// Applying a product equals applying both factors, for a few skew rotations.
    #[test]
    fn a_product_applies_the_right_factor_first() {
        let a = from_scaled_axis(Vec3::new(0.3, -1.2, 0.7));
        let b = from_scaled_axis(Vec3::new(-0.9, 0.4, 2.0));
        let v = Vec3::new(1.0, -2.0, 0.5);
        assert!(rotate(multiply(a, b), v).abs_diff_eq(rotate(a, rotate(b, v)), 1e-5));
    }

    /// `between` maps one direction to the other, opposite directions included.
    #[test]
    fn between_takes_one_direction_to_the_other() {
        for to in [
            Vec3::X,
            Vec3::Y,
            -Vec3::X,
            Vec3::new(-0.6, 0.8, 0.0),
            Vec3::Z,
        ] {
            let q = between(Vec3::X, to);
            assert!(rotate(q, Vec3::X).abs_diff_eq(to, 1e-6), "{to}");
        }
    }
}
