//! A box in sixteen bytes: eight 16-bit lanes, six for its bounds and two for its id.
//!
//! Bounds are kept as the smallest corner and the *negated* largest corner, so that two boxes
//! touch exactly when every bound of one is at most the *limit* from the other. All eight
//! lanes are compared at once; the lanes of the id have a limit that always holds. Eight
//! 16-bit lanes are what the least of instruction sets has (SSE2, NEON), so no level is
//! chosen at run time; integers compare alike on all of them.

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, i16x8};
use serde::{Deserialize, Serialize};

/// Bounds of a box: smallest corner, then largest corner negated, in steps.
pub(crate) type Bounds = [i16; 6];

/// What the lanes of an item are compared with.
pub(crate) type Limit = [i16; 8];

/// A box and its proxy.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Item([i16; 8]);

impl Item {
    /// A box that touches nothing.
    pub(crate) const NOWHERE: Self = Self([i16::MAX; 8]);

    /// A box of the proxy `id`.
    pub(crate) fn new(bounds: Bounds, id: u32) -> Self {
        let [a, b, c, d, e, f] = bounds;
        Self([a, b, c, d, e, f, id as i16, (id >> 16) as i16])
    }

    /// The proxy.
    #[inline]
    pub(crate) fn id(&self) -> u32 {
        u32::from(self.0[6] as u16) | u32::from(self.0[7] as u16) << 16
    }

    /// The box.
    #[inline]
    pub(crate) fn bounds(&self) -> Bounds {
        let [a, b, c, d, e, f, _, _] = self.0;
        [a, b, c, d, e, f]
    }

    /// Replaces the box.
    pub(crate) fn set_bounds(&mut self, bounds: Bounds) {
        self.0[..6].copy_from_slice(&bounds);
    }

    /// All lanes.
    #[inline(always)]
    pub(crate) fn lanes<S: Simd>(&self, simd: S) -> i16x8<S> {
        i16x8::simd_from(simd, self.0)
    }

    /// The bounds of eight boxes, one to a lane, and two columns of halves of ids.
    #[inline(always)]
    pub(crate) fn columns<S: Simd>(simd: S, items: &[Self; 8]) -> [i16x8<S>; 8] {
        let mut rows = [i16x8::splat(simd, 0); 8];
        for (row, item) in rows.iter_mut().zip(items) {
            *row = i16x8::simd_from(simd, item.0);
        }
        // A perfect shuffle of 64 lanes rotates the six bits of their places by one; three
        // of them exchange rows and columns.
        for _ in 0..3 {
            let [a, b, c, d, e, f, g, h] = rows;
            rows = [
                a.zip_low(e),
                a.zip_high(e),
                b.zip_low(f),
                b.zip_high(f),
                c.zip_low(g),
                c.zip_high(g),
                d.zip_low(h),
                d.zip_high(h),
            ];
        }
        rows
    }

    /// The smallest box around all.
    pub(crate) fn around(items: &[Self]) -> Bounds {
        dispatch!(Level::baseline(), simd => {
            let mut around = i16x8::splat(simd, i16::MAX);
            for item in items {
                around = around.min(item.lanes(simd));
            }
            let [a, b, c, d, e, f, _, _] = *around;
            [a, b, c, d, e, f]
        })
    }

    /// Whether the box touches the one `limit` was made from.
    #[inline(always)]
    pub(crate) fn touches<S: Simd>(&self, simd: S, limit: &Limit) -> bool {
        let lanes = i16x8::simd_from(simd, self.0);
        lanes.simd_gt(i16x8::simd_from(simd, *limit)).all_false()
    }

    /// The box seen from elsewhere; `shift` as [`shift`] makes it. Nothing may overflow.
    #[inline(always)]
    pub(crate) fn shifted<S: Simd>(&self, simd: S, shift: &Limit) -> Self {
        let lanes = i16x8::simd_from(simd, self.0) + i16x8::simd_from(simd, *shift);
        Self(*lanes)
    }
}

/// The lanes to add to move a box by `steps`.
pub(crate) fn shift(steps: [i16; 3]) -> Limit {
    let [x, y, z] = steps;
    [x, y, z, -x, -y, -z, 0, 0]
}

/// The limit whose items touch the box of `bounds`.
#[inline]
pub(crate) fn limit(bounds: &Bounds) -> Limit {
    let [a, b, c, d, e, f] = *bounds;
    [-d, -e, -f, -a, -b, -c, i16::MAX, i16::MAX]
}
