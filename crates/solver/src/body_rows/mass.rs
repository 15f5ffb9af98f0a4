//! How hard bodies are to move.
//!
//! Cubes and balls, of which most piles are made, are as hard to move in every direction: what
//! sweeps ask of these lies beside their velocities, so that one cache line of them is read
//! instead of two.

use super::*;

impl MassRow {
    /// The inverse mass and the inverse inertia of a body that has the same of both along and about
    /// every axis, however it turns.
    #[inline]
    fn alike(&self) -> Option<[f32; 2]> {
        let (mass, inertia, mixed) = (self.inverse_mass, self.diagonal, self.off_diagonal);
        // Bits, as a negative zero is another number to sums.
        let mixed = mixed.x.to_bits() | mixed.y.to_bits() | mixed.z.to_bits();
        let is_alike = self.unevenness == 0.0
            && mass == Vec3::splat(mass.x)
            && inertia == Vec3::splat(inertia.x)
            && mixed == 0;
        is_alike.then_some([mass.x, inertia.x])
    }
}

impl BodyRows {
    /// Inverse masses.
    #[inline(always)]
    pub(crate) fn mass(&self, index: u32) -> MassRow {
        let line = line(&self.constants, index);
        let (diagonal, off_diagonal) = line.two_vectors(MASS);
        let [x, y] = line.pair_of_floats(MASS + 3);
        let [z, unevenness] = line.pair_of_floats(MASS + 4);
        MassRow {
            diagonal,
            off_diagonal,
            inverse_mass: Vec3::new(x, y, z),
            unevenness,
        }
    }

    /// Replaces the inverse masses.
    #[inline(always)]
    pub(crate) fn set_mass(&self, index: u32, mass: MassRow) {
        let line = line(&self.constants, index);
        line.set_two_vectors(MASS, mass.diagonal, mass.off_diagonal);
        line.set_pair(MASS + 3, mass.inverse_mass.x, mass.inverse_mass.y);
        line.set_pair(MASS + 4, mass.inverse_mass.z, mass.unevenness);
        let [inverse_mass, inverse_inertia] = mass.alike().unwrap_or([-1.0; 2]);
        let line = self::line(&self.states, index);
        line.set_pair(ALIKE, inverse_mass, inverse_inertia);
    }

    /// Inverse inertias and inverse masses of eight bodies.
    #[inline(always)]
    pub(crate) fn masses<S: Simd>(
        &self,
        simd: S,
        indices: &[u32; LANES],
    ) -> (SymMat3x8<S>, Vec3x8<S>) {
        let (mass, inertia) = unzip_pair(simd, &rows(&self.states, indices), ALIKE);
        let zero = f32x8::splat(simd, 0.0);
        if inertia.simd_ge(zero).all_true() {
            let inertia = SymMat3x8 {
                diagonal: all_round(inertia),
                off_diagonal: Vec3x8::zero(simd),
            };
            return (inertia, all_round(mass));
        }
        let rows = rows(&self.constants, indices);
        let (xx, yy) = unzip_pair(simd, &rows, MASS);
        let (zz, yz) = unzip_pair(simd, &rows, MASS + 1);
        let (zx, xy) = unzip_pair(simd, &rows, MASS + 2);
        let (mx, my) = unzip_pair(simd, &rows, MASS + 3);
        let (mz, _) = unzip_pair(simd, &rows, MASS + 4);
        let inertia = SymMat3x8 {
            diagonal: Vec3x8 {
                x: xx,
                y: yy,
                z: zz,
            },
            off_diagonal: Vec3x8 {
                x: yz,
                y: zx,
                z: xy,
            },
        };
        (
            inertia,
            Vec3x8 {
                x: mx,
                y: my,
                z: mz,
            },
        )
    }
}

/// The same along every axis.
#[inline(always)]
fn all_round<S: Simd>(v: f32x8<S>) -> Vec3x8<S> {
    Vec3x8 { x: v, y: v, z: v }
}
