//! The box around a hull of few corners: all of them, four at a time.

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f64x4};
use glam::{DMat3, DVec3, Vec3};

use super::support::BOUNDS_SCAN_COUNT;
use crate::lanes::{LANES, Lane, Lane3};

/// Corners by component, the last repeated to fill the lanes; none of a hull whose box is found
/// by climbing.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Corners(Vec<Lane3>);

impl Corners {
    pub(super) fn new(vertices: &[Vec3]) -> Self {
        if vertices.len() > BOUNDS_SCAN_COUNT {
            return Self(Vec::new());
        }
        let blocks = vertices.chunks(LANES).map(|corners| {
            let mut block = Lane3::ZERO;
            for lane in 0..LANES {
                block.set(lane, corners[lane.min(corners.len() - 1)]);
            }
            block
        });
        Self(blocks.collect())
    }

    /// Smallest and largest coordinates of the corners in a parent frame that is turned against
    /// the hull's; none for a hull of many corners. A zero may have either sign.
    pub(super) fn bounds(&self, rotation: &DMat3) -> Option<(DVec3, DVec3)> {
        if self.0.is_empty() {
            return None;
        }
        Some(dispatch!(Level::new(), simd => self.bounds_in(simd, rotation)))
    }

    #[inline(always)]
    fn bounds_in<S: Simd>(&self, simd: S, rotation: &DMat3) -> (DVec3, DVec3) {
        let turn = rotation.to_cols_array();
        let mut min = [f64x4::splat(simd, f64::INFINITY); 3];
        let mut max = [f64x4::splat(simd, f64::NEG_INFINITY); 3];
        for block in &self.0 {
            let (x0, x1) = wide(simd, &block.x);
            let (y0, y1) = wide(simd, &block.y);
            let (z0, z1) = wide(simd, &block.z);
            for axis in 0..3 {
                // In the order of the product of a matrix and a vector.
                let [x, y, z] = [turn[axis], turn[axis + 3], turn[axis + 6]];
                let low = x0 * x + y0 * y + z0 * z;
                let high = x1 * x + y1 * y + z1 * z;
                min[axis] = min[axis].min(low).min(high);
                max[axis] = max[axis].max(low).max(high);
            }
        }
        // Plain comparisons: what is not a number need not be passed over.
        let lesser = |a: f64, b: f64| if a < b { a } else { b };
        let greater = |a: f64, b: f64| if a > b { a } else { b };
        let mut bounds = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for axis in 0..3 {
            let [a, b, c, d] = min[axis].to_array();
            bounds.0[axis] = lesser(lesser(a, b), lesser(c, d));
            let [a, b, c, d] = max[axis].to_array();
            bounds.1[axis] = greater(greater(a, b), greater(c, d));
        }
        bounds
    }
}

/// Eight numbers in twice the precision.
#[inline(always)]
fn wide<S: Simd>(simd: S, lane: &Lane) -> (f64x4<S>, f64x4<S>) {
    simd.widen_f32x8(lane.load(simd))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rotation;

    /// Corners one by one, turned by the product of a matrix and a vector, for counts that fill
    /// their lanes and counts that do not: the same numbers.
    #[test]
    fn corners_in_lanes_bound_as_one_by_one() {
        let angle = |k: usize| Vec3::new(0.3, -0.7, 1.1) * k as f32;
        for count in 4..=BOUNDS_SCAN_COUNT + 1 {
            let corner = |k: usize| {
                rotation::rotate(
                    rotation::from_scaled_axis(angle(k)),
                    Vec3::new(1.0, 2.0, -3.0 - k as f32),
                )
            };
            let vertices: Vec<Vec3> = (0..count).map(corner).collect();
            let turn = rotation::to_double(rotation::from_scaled_axis(angle(count)));
            let turn = rotation::to_dmatrix(turn);

            let found = Corners::new(&vertices).bounds(&turn);

            if count > BOUNDS_SCAN_COUNT {
                assert_eq!(found, None);
                continue;
            }
            let turned = vertices.iter().map(|v| turn * v.as_dvec3());
            let min = turned.clone().fold(DVec3::INFINITY, DVec3::min);
            let max = turned.fold(DVec3::NEG_INFINITY, DVec3::max);
            assert_eq!(found, Some((min, max)), "{count} corners");
        }
    }
}
