//! Rows of eight bodies that follow each other, as where bodies move without regard to what they
//! touch: each row is found from the first, and none is read-only.

use super::*;

/// Eight rows one after the other.
#[derive(Clone, Copy)]
pub(crate) struct Run<'a> {
    states: &'a [Line; LANES],
    constants: &'a [Line; LANES],
    dampings: &'a [AtomicU64; LANES],
}

impl BodyRows {
    /// The rows of the bodies in eight slots from `first` on.
    #[inline(always)]
    pub(crate) fn run(&self, first: u32) -> Run<'_> {
        let first = row_index(first) as usize;
        Run {
            states: eight(&self.states, first),
            constants: eight(&self.constants, first),
            dampings: eight(&self.dampings, first),
        }
    }
}

#[inline(always)]
fn eight<T>(all: &[T], first: usize) -> &[T; LANES] {
    all[first..]
        .first_chunk()
        .expect("rows of as many bodies as there are")
}

#[inline(always)]
fn each<T>([a, b, c, d, e, f, g, h]: &[T; LANES]) -> [&T; LANES] {
    [a, b, c, d, e, f, g, h]
}

/// Writes pairs of floats, from pair `first` on, to eight rows.
#[inline(always)]
fn store<const N: usize>(lines: &[Line; LANES], first: usize, pairs: &[[u64; LANES]; N]) {
    for (lane, line) in lines.iter().enumerate() {
        for (pair, values) in pairs.iter().enumerate() {
            line.0[first + pair].store(values[lane], Ordering::Relaxed);
        }
    }
}

impl Run<'_> {
    /// Linear and angular velocities.
    #[inline(always)]
    pub(crate) fn velocities<S: Simd>(&self, simd: S) -> (Vec3x8<S>, Vec3x8<S>) {
        two_vectors(simd, &each(self.states), VELOCITY)
    }

    /// Replaces the velocities.
    #[inline(always)]
    pub(crate) fn set_velocities<S: Simd>(&self, linear: Vec3x8<S>, angular: Vec3x8<S>) {
        let mut pairs = [[0; LANES]; 3];
        zip(linear.x, linear.y, &mut pairs[0]);
        zip(linear.z, angular.x, &mut pairs[1]);
        zip(angular.y, angular.z, &mut pairs[2]);
        store(self.states, VELOCITY, &pairs);
    }

    /// Movements: position, vector and scalar part of the rotation.
    #[inline(always)]
    pub(crate) fn movements<S: Simd>(&self, simd: S) -> (Vec3x8<S>, Vec3x8<S>, f32x8<S>) {
        movements(simd, &each(self.states))
    }

    /// Replaces the movements.
    #[inline(always)]
    pub(crate) fn set_movements<S: Simd>(
        &self,
        position: Vec3x8<S>,
        rotation: Vec3x8<S>,
        rotation_w: f32x8<S>,
    ) {
        let zero = f32x8::splat(rotation_w.simd, 0.0);
        let mut pairs = [[0; LANES]; 4];
        zip(position.x, position.y, &mut pairs[0]);
        zip(position.z, zero, &mut pairs[1]);
        zip(rotation.x, rotation.y, &mut pairs[2]);
        zip(rotation.z, rotation_w, &mut pairs[3]);
        store(self.states, MOVEMENT, &pairs);
    }

    /// Changes of the linear and the angular velocities by forces in a sub-step.
    #[inline(always)]
    pub(crate) fn drives<S: Simd>(&self, simd: S) -> (Vec3x8<S>, Vec3x8<S>) {
        two_vectors(simd, &each(self.constants), DRIVE)
    }

    /// Factors on the linear and the angular velocities in a sub-step.
    #[inline(always)]
    pub(crate) fn dampings<S: Simd>(&self, simd: S) -> (f32x8<S>, f32x8<S>) {
        let mut pairs = [0; LANES];
        for (pair, damping) in pairs.iter_mut().zip(self.dampings) {
            *pair = damping.load(Ordering::Relaxed);
        }
        unzip(simd, pairs)
    }

    /// Unevenness, see [`MassRow`].
    #[inline(always)]
    pub(crate) fn unevenness<S: Simd>(&self, simd: S) -> f32x8<S> {
        unzip_pair(simd, &each(self.constants), MASS + 4).1
    }

    /// Replaces the inverse inertias of those bodies whose bits are set.
    #[inline(always)]
    pub(crate) fn set_inertias<S: Simd>(&self, inertia: SymMat3x8<S>, bits: u8) {
        let SymMat3x8 {
            diagonal,
            off_diagonal,
        } = inertia;
        let mut pairs = [[0; LANES]; 3];
        zip(diagonal.x, diagonal.y, &mut pairs[0]);
        zip(diagonal.z, off_diagonal.x, &mut pairs[1]);
        zip(off_diagonal.y, off_diagonal.z, &mut pairs[2]);
        for (lane, line) in self.constants.iter().enumerate() {
            if bits >> lane & 1 == 1 {
                for (pair, values) in pairs.iter().enumerate() {
                    line.0[MASS + pair].store(values[lane], Ordering::Relaxed);
                }
            }
        }
    }
}
