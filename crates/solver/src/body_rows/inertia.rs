//! World inertia of eight bodies that turn.

use super::*;

impl BodyRows {
    /// Unevenness of eight bodies, see [`MassRow`].
    #[inline(always)]
    pub(crate) fn unevenness<S: Simd>(&self, simd: S, indices: &[u32; LANES]) -> f32x8<S> {
        unzip_pair(simd, &rows(&self.constants, indices), MASS + 4).1
    }

    /// Replaces the inverse inertias of those of eight bodies whose bits are set.
    #[inline(always)]
    pub(crate) fn set_inertias<S: Simd>(
        &self,
        indices: &[u32; LANES],
        inertia: SymMat3x8<S>,
        bits: u8,
    ) {
        let SymMat3x8 {
            diagonal,
            off_diagonal,
        } = inertia;
        let mut pairs = [[0; LANES]; 3];
        zip(diagonal.x, diagonal.y, &mut pairs[0]);
        zip(diagonal.z, off_diagonal.x, &mut pairs[1]);
        zip(off_diagonal.y, off_diagonal.z, &mut pairs[2]);
        for lane in 0..LANES {
            if bits >> lane & 1 == 1 {
                let line = line(&self.constants, indices[lane]);
                for (pair, values) in pairs.iter().enumerate() {
                    line.0[MASS + pair].store(values[lane], Ordering::Relaxed);
                }
            }
        }
    }
}
