//! Free rotation of four bodies side by side: [`crate::gyroscope`] in lanes, for turns that
//! take one inner step. Every operation is that of [`crate::integrate`] for a single body, in
//! its order, so the bits are the same. Likewise the world inertia of eight that have turned.

use drystone_geometry::glam::Vec3;
use drystone_geometry::lanes::{LANES, Lane, Lane3, SymMat3x8, Vec3x8, f32x8, mask32x8};
use fearless_simd::{f64x4, prelude::*};

use crate::body::Body;
use crate::integrate::is_gyroscopic;
use crate::tolerance::{MAX_NEWTON_ITERATIONS, NEWTON_TOLERANCE};

/// A vector for each of four bodies.
#[derive(Clone, Copy)]
struct Vec3x4<S: Simd> {
    x: f64x4<S>,
    y: f64x4<S>,
    z: f64x4<S>,
}

/// A rotation for each of four bodies, as `(x, y, z, w)`.
type Turnx4<S> = [f64x4<S>; 4];

/// What turning freely asks of eight bodies.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tops {
    rotation: [Lane; 4],
    principal_rotation: [Lane; 4],
    inertia: Lane3,
    inverse_inertia: Lane3,
    /// 1 for those that turn as tops do once they turn, else 0.
    gyroscopic: Lane,
}

impl Tops {
    /// Of at most eight bodies. It holds as long as they are in the same step.
    pub(crate) fn of(bodies: &[Body]) -> Self {
        let mut tops = Self::default();
        for (lane, body) in bodies.iter().enumerate().take(LANES) {
            if is_gyroscopic(body) {
                tops.gyroscopic.0[lane] = 1.0;
                tops.set(lane, body);
            } else {
                tops.leave(lane);
            }
        }
        tops
    }

    /// Which of the bodies turn as tops do once they turn.
    #[inline(always)]
    pub(crate) fn are_gyroscopic<S: Simd>(&self, simd: S) -> mask32x8<S> {
        let zero = f32x8::splat(simd, 0.0);
        self.gyroscopic.load(simd).simd_gt(zero)
    }

    /// Puts a body in a lane.
    fn set(&mut self, lane: usize, body: &Body) {
        self.rotation[0].0[lane] = body.rotation.x;
        self.rotation[1].0[lane] = body.rotation.y;
        self.rotation[2].0[lane] = body.rotation.z;
        self.rotation[3].0[lane] = body.rotation.w;
        self.principal_rotation[0].0[lane] = body.principal_rotation.x;
        self.principal_rotation[1].0[lane] = body.principal_rotation.y;
        self.principal_rotation[2].0[lane] = body.principal_rotation.z;
        self.principal_rotation[3].0[lane] = body.principal_rotation.w;
        self.inertia.set(lane, body.inertia);
        self.inverse_inertia.set(lane, body.inverse_inertia);
    }

    /// A lane without a body: it turns like a ball.
    fn leave(&mut self, lane: usize) {
        self.rotation[3].0[lane] = 1.0;
        self.principal_rotation[3].0[lane] = 1.0;
        self.inertia.set(lane, Vec3::ONE);
    }

    /// Turns all eight for `h` seconds: `delta` is how they have turned in the step, the first
    /// three components apart from the last, and `omega` their angular velocities, in rad/s and
    /// world axes. `omega` times `h` must be below [`crate::tolerance::INNER_ROTATION`].
    #[inline(always)]
    pub(crate) fn turn<S: Simd>(
        &self,
        simd: S,
        (axis, scalar): (Vec3x8<S>, f32x8<S>),
        omega: Vec3x8<S>,
        h: f32,
    ) -> ((Vec3x8<S>, f32x8<S>), Vec3x8<S>) {
        let deltas = turns(axis, scalar);
        let omegas = vectors(omega);
        let rotations = load_turns(simd, &self.rotation);
        let principals = load_turns(simd, &self.principal_rotation);
        let inertias = vectors(self.inertia.load(simd));
        let h = f64x4::splat(simd, f64::from(h));
        let first = (rotations.0, principals.0, inertias.0);
        let (turn_0, omega_0) = turn_freely(simd, first, deltas.0, omegas.0, h);
        let second = (rotations.1, principals.1, inertias.1);
        let (turn_1, omega_1) = turn_freely(simd, second, deltas.1, omegas.1, h);
        let axis = Vec3x8 {
            x: turn_0[0].narrow(turn_1[0]),
            y: turn_0[1].narrow(turn_1[1]),
            z: turn_0[2].narrow(turn_1[2]),
        };
        let omega = Vec3x8 {
            x: omega_0.x.narrow(omega_1.x),
            y: omega_0.y.narrow(omega_1.y),
            z: omega_0.z.narrow(omega_1.z),
        };
        ((axis, turn_0[3].narrow(turn_1[3])), omega)
    }

    /// Inverse inertias of all eight in world axes once they have turned by `delta` in the step.
    /// See `world_inverse_inertia` of [`crate::integrate`].
    #[inline(always)]
    pub(crate) fn inverse_inertias<S: Simd>(&self, simd: S, delta: Rotationx8<S>) -> SymMat3x8<S> {
        let inverse = self.inverse_inertia.load(simd);
        let orientation = multiply_eight(delta, load_rotation(simd, &self.rotation));
        let principal = load_rotation(simd, &self.principal_rotation);
        let [x, y, z] = to_matrix(multiply_eight(orientation, principal));
        // In the order of `symmetric` of `integrate`.
        let weighed = [x.scale(inverse.x), y.scale(inverse.y), z.scale(inverse.z)];
        let diagonal = Vec3x8 {
            x: weighed[0].x * x.x + weighed[1].x * y.x + weighed[2].x * z.x,
            y: weighed[0].y * x.y + weighed[1].y * y.y + weighed[2].y * z.y,
            z: weighed[0].z * x.z + weighed[1].z * y.z + weighed[2].z * z.z,
        };
        let off_diagonal = Vec3x8 {
            x: weighed[0].y * x.z + weighed[1].y * y.z + weighed[2].y * z.z,
            y: weighed[0].z * x.x + weighed[1].z * y.x + weighed[2].z * z.x,
            z: weighed[0].x * x.y + weighed[1].x * y.y + weighed[2].x * z.y,
        };
        SymMat3x8 {
            diagonal,
            off_diagonal,
        }
    }
}

/// Vector and scalar part of a rotation for each of eight bodies.
pub(crate) type Rotationx8<S> = (Vec3x8<S>, f32x8<S>);

/// See [`drystone_geometry::rotation::multiply`].
#[inline(always)]
pub(crate) fn multiply_eight<S: Simd>(
    (a, a_w): Rotationx8<S>,
    (b, b_w): Rotationx8<S>,
) -> Rotationx8<S> {
    let axis = Vec3x8 {
        x: a_w * b.x + a.x * b_w + a.y * b.z - a.z * b.y,
        y: a_w * b.y - a.x * b.z + a.y * b_w + a.z * b.x,
        z: a_w * b.z + a.x * b.y - a.y * b.x + a.z * b_w,
    };
    (axis, a_w * b_w - a.x * b.x - a.y * b.y - a.z * b.z)
}

/// Columns of the matrix, see [`drystone_geometry::rotation::to_matrix`].
#[inline(always)]
fn to_matrix<S: Simd>((v, w): Rotationx8<S>) -> [Vec3x8<S>; 3] {
    let one = f32x8::splat(w.simd, 1.0);
    let Vec3x8 { x, y, z } = v;
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, xy, xz) = (x * x2, x * y2, x * z2);
    let (yy, yz, zz) = (y * y2, y * z2, z * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    [
        Vec3x8 {
            x: one - (yy + zz),
            y: xy + wz,
            z: xz - wy,
        },
        Vec3x8 {
            x: xy - wz,
            y: one - (xx + zz),
            z: yz + wx,
        },
        Vec3x8 {
            x: xz + wy,
            y: yz - wx,
            z: one - (xx + yy),
        },
    ]
}

#[inline(always)]
fn load_rotation<S: Simd>(simd: S, columns: &[Lane; 4]) -> Rotationx8<S> {
    let axis = Vec3x8 {
        x: columns[0].load(simd),
        y: columns[1].load(simd),
        z: columns[2].load(simd),
    };
    (axis, columns[3].load(simd))
}

const _: () = assert!(LANES == 8);

// Spelt out: loops over arrays of lanes keep the compiler busy for minutes.

/// The first four and the last four lanes in `f64`.
#[inline(always)]
fn vectors<S: Simd>(eight: Vec3x8<S>) -> (Vec3x4<S>, Vec3x4<S>) {
    let (x, y, z) = (eight.x.widen(), eight.y.widen(), eight.z.widen());
    (vector([x.0, y.0, z.0]), vector([x.1, y.1, z.1]))
}

/// The same of rotations.
#[inline(always)]
fn turns<S: Simd>(axis: Vec3x8<S>, scalar: f32x8<S>) -> (Turnx4<S>, Turnx4<S>) {
    let (x, y, z) = (axis.x.widen(), axis.y.widen(), axis.z.widen());
    let w = scalar.widen();
    ([x.0, y.0, z.0, w.0], [x.1, y.1, z.1, w.1])
}

#[inline(always)]
fn load_turns<S: Simd>(simd: S, columns: &[Lane; 4]) -> (Turnx4<S>, Turnx4<S>) {
    let (axis, scalar) = load_rotation(simd, columns);
    turns(axis, scalar)
}

#[inline(always)]
fn vector<S: Simd>([x, y, z]: [f64x4<S>; 3]) -> Vec3x4<S> {
    Vec3x4 { x, y, z }
}

impl<S: Simd> Vec3x4<S> {
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        vector([self.x + other.x, self.y + other.y, self.z + other.z])
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        vector([self.x - other.x, self.y - other.y, self.z - other.z])
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        vector([self.x * other.x, self.y * other.y, self.z * other.z])
    }

    #[inline(always)]
    fn scale(self, factor: f64x4<S>) -> Self {
        vector([self.x * factor, self.y * factor, self.z * factor])
    }

    #[inline(always)]
    fn dot(self, other: Self) -> f64x4<S> {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    #[inline(always)]
    fn cross(self, other: Self) -> Self {
        vector([
            self.y * other.z - other.y * self.z,
            self.z * other.x - other.z * self.x,
            self.x * other.y - other.x * self.y,
        ])
    }
}

/// See [`crate::gyroscope::multiply`].
#[inline(always)]
fn multiply<S: Simd>(a: Turnx4<S>, b: Turnx4<S>) -> Turnx4<S> {
    [
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    ]
}

/// See [`crate::gyroscope::normalize`].
#[inline(always)]
fn normalize<S: Simd>(turn: Turnx4<S>) -> Turnx4<S> {
    let [x, y, z, w] = turn;
    let one = f64x4::splat(x.simd, 1.0);
    let scale = one / (x * x + y * y + z * z + w * w).sqrt();
    [x * scale, y * scale, z * scale, w * scale]
}

/// Columns of the matrix, see [`drystone_geometry::rotation::to_dmatrix`].
#[inline(always)]
fn to_axes<S: Simd>([x, y, z, w]: Turnx4<S>) -> [Vec3x4<S>; 3] {
    let one = f64x4::splat(x.simd, 1.0);
    let s = f64x4::splat(x.simd, 2.0) / (x * x + y * y + z * z + w * w);
    let (xx, xy, xz) = (s * x * x, s * x * y, s * x * z);
    let (yy, yz, zz) = (s * y * y, s * y * z, s * z * z);
    let (wx, wy, wz) = (s * w * x, s * w * y, s * w * z);
    [
        vector([one - (yy + zz), xy + wz, xz - wy]),
        vector([xy - wz, one - (xx + zz), yz + wx]),
        vector([xz + wy, yz - wx, one - (xx + yy)]),
    ]
}

/// See `turn_freely` of [`crate::integrate`].
#[inline(always)]
fn turn_freely<S: Simd>(
    simd: S,
    (rotation, principal_rotation, inertia): (Turnx4<S>, Turnx4<S>, Vec3x4<S>),
    delta: Turnx4<S>,
    omega: Vec3x4<S>,
    h: f64x4<S>,
) -> (Turnx4<S>, Vec3x4<S>) {
    let principal = multiply(rotation, principal_rotation);
    let axes = multiply(delta, principal);
    let [x, y, z] = to_axes(axes);
    let local = vector([x.dot(omega), y.dot(omega), z.dot(omega)]);
    let (local, turn) = rotate_freely(simd, inertia, local, h);
    let axes = multiply(axes, turn);
    let [x, y, z] = to_axes(axes);
    let [px, py, pz, pw] = principal;
    let delta = multiply(axes, [-px, -py, -pz, pw]);
    let omega = x.scale(local.x).add(y.scale(local.y)).add(z.scale(local.z));
    (normalize(delta), omega)
}

/// See [`crate::gyroscope::rotate_freely`], of one inner step.
#[inline(always)]
fn rotate_freely<S: Simd>(
    simd: S,
    inertia: Vec3x4<S>,
    omega: Vec3x4<S>,
    h: f64x4<S>,
) -> (Vec3x4<S>, Turnx4<S>) {
    let Vec3x4 { x, y, z } = inertia;
    let coefficients = vector([(y - z) / x, (z - x) / y, (x - y) / z]);
    let energy = inertia.times(omega).dot(omega);
    let stretched = h * phase_factor(omega.dot(omega) * (h * h));
    let next = midpoint_step(simd, coefficients, omega, stretched);
    let middle = omega.add(next).scale(f64x4::splat(simd, 0.25) * stretched);
    // The product with no rotation: it changes the sign of a zero alone.
    let (zero, one) = (f64x4::splat(simd, 0.0), f64x4::splat(simd, 1.0));
    let turn = [middle.x + zero, middle.y + zero, middle.z + zero, one];
    let after = inertia.times(next).dot(next);
    let rose = after.simd_gt(energy) & after.simd_gt(zero);
    let factor = (energy / after).sqrt();
    let omega = vector([
        rose.select(next.x * factor, next.x),
        rose.select(next.y * factor, next.y),
        rose.select(next.z * factor, next.z),
    ]);
    (omega, turn)
}

/// See `phase_factor` of [`crate::gyroscope`].
#[inline(always)]
fn phase_factor<S: Simd>(s: f64x4<S>) -> f64x4<S> {
    1.0 + s * (1.0 / 12.0 + s * (1.0 / 120.0 + s * (17.0 / 20160.0 + s * (31.0 / 362_880.0))))
}

#[inline(always)]
fn products<S: Simd>(m: Vec3x4<S>) -> Vec3x4<S> {
    vector([m.y * m.z, m.z * m.x, m.x * m.y])
}

/// See `midpoint_step` of [`crate::gyroscope`].
#[inline(always)]
fn midpoint_step<S: Simd>(simd: S, c: Vec3x4<S>, w0: Vec3x4<S>, h: f64x4<S>) -> Vec3x4<S> {
    let zero = f64x4::splat(simd, 0.0);
    let (half, one) = (f64x4::splat(simd, 0.5), f64x4::splat(simd, 1.0));
    let hc = c.scale(h);
    let j = hc.scale(half);
    let mut w1 = w0.add(hc.times(products(w0.add(j.times(products(w0))))));
    let square = NEWTON_TOLERANCE * NEWTON_TOLERANCE;
    let tolerance = f64x4::splat(simd, square) * w0.dot(w0);
    let mut is_active = zero.simd_eq(zero);
    let mut has_failed = !is_active;
    for _ in 0..MAX_NEWTON_ITERATIONS {
        let m = w0.add(w1).scale(half);
        let residual = w1.sub(w0).sub(hc.times(products(m)));
        let row_x = vector([one, -j.x * m.z, -j.x * m.y]);
        let row_y = vector([-j.y * m.z, one, -j.y * m.x]);
        let row_z = vector([-j.z * m.y, -j.z * m.x, one]);
        let (yz, zx, xy) = (row_y.cross(row_z), row_z.cross(row_x), row_x.cross(row_y));
        let determinant = row_x.dot(yz);
        let is_regular = determinant.simd_gt(zero) | determinant.simd_lt(zero);
        has_failed |= is_active & !is_regular;
        is_active &= is_regular;
        let correction = yz
            .scale(residual.x)
            .add(zx.scale(residual.y))
            .add(xy.scale(residual.z));
        let correction = correction.scale(one / determinant);
        w1 = vector([
            is_active.select(w1.x - correction.x, w1.x),
            is_active.select(w1.y - correction.y, w1.y),
            is_active.select(w1.z - correction.z, w1.z),
        ]);
        is_active &= !correction.dot(correction).simd_le(tolerance);
        if is_active.all_false() {
            break;
        }
    }
    // What is infinite or no number does not cancel itself.
    let rest = w1.sub(w1);
    let is_finite = rest.x.simd_eq(zero) & rest.y.simd_eq(zero) & rest.z.simd_eq(zero);
    let is_found = is_finite & !has_failed;
    vector([
        is_found.select(w1.x, w0.x),
        is_found.select(w1.y, w0.y),
        is_found.select(w1.z, w0.z),
    ])
}
