//! Questions as a wide tree sees them: what touches a box, what a moving box meets, what is
//! near a point.

use std::ops::ControlFlow;

use drystone_geometry::WorldAabb;
use drystone_geometry::glam::DVec3;
use fearless_simd::f32x4;
use fearless_simd::prelude::*;

use crate::cast::Cast;
use crate::placement::power_of_two;
use crate::query::box_distance;
use crate::tolerance::{FAR_BITS, FRAME_ROUNDING, LIMIT_SLACK, STILL};
use crate::wide_tree::{Frame, Keys, LANES, Node, Probe, half};

/// Boxes that touch `region`.
pub(crate) struct Touching<'a, F> {
    pub(crate) region: &'a WorldAabb,
    pub(crate) visit: F,
}

/// A region in a frame: what its lower and its upper bounds are compared with.
pub(crate) struct LocalRegion {
    low: [f32; 3],
    high: [f32; 3],
}

impl<F: FnMut(u32) -> ControlFlow<()>> Probe for Touching<'_, F> {
    type Local = LocalRegion;

    fn enter(&self, frame: &Frame) -> Option<LocalRegion> {
        let (region, bounds) = (self.region, &frame.bounds);
        // The part of the region that matters is no larger than the frame.
        bounds.overlaps(region).then(|| {
            let slack = frame.slack(0.0);
            let low = region.min.max(bounds.min) - frame.origin - slack;
            let high = region.max.min(bounds.max) - frame.origin + slack;
            LocalRegion {
                low: low.as_vec3().to_array(),
                high: high.as_vec3().to_array(),
            }
        })
    }

    #[inline(always)]
    fn lanes<S: Simd>(simd: S, local: &LocalRegion, node: &Node, _reach: f32) -> (Keys, u32) {
        let mut apart = 0;
        for side in 0..2 {
            for axis in 0..3 {
                let low = half(simd, &node.bounds[axis], side);
                let high = half(simd, &node.bounds[axis + 3], side);
                let beyond = low.simd_gt(f32x4::splat(simd, local.high[axis]))
                    | high.simd_lt(f32x4::splat(simd, local.low[axis]));
                apart |= (beyond.to_bitmask() as u32) << (4 * side);
            }
        }
        ([0.0; LANES], !apart)
    }

    fn reach(&self, _local: &LocalRegion) -> f32 {
        0.0
    }

    fn meet(&mut self, id: u32, fat: &WorldAabb) -> ControlFlow<()> {
        if fat.overlaps(self.region) {
            return (self.visit)(id);
        }
        ControlFlow::Continue(())
    }
}

/// Boxes on the way of a cast.
pub(crate) struct Met<'a, F> {
    pub(crate) cast: &'a mut Cast,
    pub(crate) visit: F,
}

/// A cast from where it enters a frame.
pub(crate) struct LocalCast {
    /// Rows of bounds at which it enters and leaves a box, by axis.
    near_row: [usize; 3],
    far_row: [usize; 3],
    /// Where its side is that meets those.
    near: [f32; 3],
    far: [f32; 3],
    /// Fractions of the way to a metre.
    inverse: [f32; 3],
    /// Fraction of the way at which it enters.
    entry: f64,
}

impl<F: FnMut(u32, f64) -> f64> Probe for Met<'_, F> {
    type Local = LocalCast;

    fn enter(&self, frame: &Frame) -> Option<LocalCast> {
        let cast = &*self.cast;
        let entry = cast.entry(&frame.bounds)?;
        let moved = cast.translation * entry - frame.origin;
        let (behind, ahead) = (cast.behind + moved, cast.ahead + moved);
        let slack = frame.slack(behind.abs().max(ahead.abs()).max_element());
        let (behind, ahead) = (behind + slack, ahead - slack);
        let still = DVec3::splat(STILL / slack);
        let mut local = LocalCast {
            near_row: [0; 3],
            far_row: [0; 3],
            near: [0.0; 3],
            far: [0.0; 3],
            inverse: cast.inverse.clamp(-still, still).as_vec3().to_array(),
            entry,
        };
        for axis in 0..3 {
            let (behind, ahead) = (behind[axis] as f32, ahead[axis] as f32);
            let forth = cast.inverse[axis] >= 0.0;
            (local.near_row[axis], local.far_row[axis]) = if forth {
                (axis, axis + 3)
            } else {
                (axis + 3, axis)
            };
            (local.near[axis], local.far[axis]) = if forth {
                (behind, ahead)
            } else {
                (ahead, behind)
            };
        }
        Some(local)
    }

    #[inline(always)]
    fn lanes<S: Simd>(simd: S, local: &LocalCast, node: &Node, reach: f32) -> (Keys, u32) {
        let mut keys = [0.0; LANES];
        let mut met = 0;
        for side in 0..2 {
            let mut near = f32x4::splat(simd, 0.0);
            let mut far = f32x4::splat(simd, reach);
            for axis in 0..3 {
                let inverse = f32x4::splat(simd, local.inverse[axis]);
                let row = half(simd, &node.bounds[local.near_row[axis]], side);
                near = near.max((row - f32x4::splat(simd, local.near[axis])) * inverse);
                let row = half(simd, &node.bounds[local.far_row[axis]], side);
                far = far.min((row - f32x4::splat(simd, local.far[axis])) * inverse);
            }
            near.store_slice(&mut keys[4 * side..4 * side + 4]);
            met |= (near.simd_le(far).to_bitmask() as u32) << (4 * side);
        }
        (keys, met)
    }

    fn reach(&self, local: &LocalCast) -> f32 {
        ((self.cast.limit - local.entry) * (1.0 + LIMIT_SLACK)) as f32
    }

    fn meet(&mut self, id: u32, fat: &WorldAabb) -> ControlFlow<()> {
        self.cast.meet(fat, id, &mut self.visit);
        if self.cast.limit < 0.0 {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// Boxes near a point, up to a distance in metres.
pub(crate) struct Near<F> {
    pub(crate) point: DVec3,
    pub(crate) limit: f64,
    pub(crate) visit: F,
}

/// A point in a frame.
pub(crate) struct LocalPoint {
    at: [f32; 3],
    /// What brings distances to about one, so that their squares are numbers.
    scale: f32,
    /// What rounding takes away, scaled.
    slack: f32,
}

impl<F: FnMut(u32, f64) -> f64> Probe for Near<F> {
    type Local = LocalPoint;

    fn enter(&self, frame: &Frame) -> Option<LocalPoint> {
        if box_distance(&frame.bounds, self.point) > self.limit {
            return None;
        }
        let most = DVec3::splat(power_of_two(FAR_BITS));
        let at = (self.point - frame.origin).clamp(-most, most);
        let slack = frame.slack(at.abs().max_element());
        let scale = FRAME_ROUNDING / slack;
        Some(LocalPoint {
            at: at.as_vec3().to_array(),
            scale: scale as f32,
            slack: (2.0 * FRAME_ROUNDING) as f32,
        })
    }

    #[inline(always)]
    fn lanes<S: Simd>(simd: S, local: &LocalPoint, node: &Node, reach: f32) -> (Keys, u32) {
        let mut keys = [0.0; LANES];
        let mut near = 0;
        let zero = f32x4::splat(simd, 0.0);
        let scale = f32x4::splat(simd, local.scale);
        for side in 0..2 {
            let mut square = zero;
            for axis in 0..3 {
                let at = f32x4::splat(simd, local.at[axis]);
                let below = half(simd, &node.bounds[axis], side) - at;
                let above = at - half(simd, &node.bounds[axis + 3], side);
                let gap = below.max(above).max(zero) * scale;
                square += gap * gap;
            }
            let key = (square.sqrt() - f32x4::splat(simd, local.slack)).max(zero);
            key.store_slice(&mut keys[4 * side..4 * side + 4]);
            let met = key.simd_le(f32x4::splat(simd, reach));
            near |= (met.to_bitmask() as u32) << (4 * side);
        }
        (keys, near)
    }

    fn reach(&self, local: &LocalPoint) -> f32 {
        (self.limit * f64::from(local.scale) * (1.0 + LIMIT_SLACK)) as f32
    }

    fn meet(&mut self, id: u32, fat: &WorldAabb) -> ControlFlow<()> {
        let distance = box_distance(fat, self.point);
        if distance <= self.limit {
            self.limit = self.limit.min((self.visit)(id, distance));
            if self.limit < 0.0 {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }
}
