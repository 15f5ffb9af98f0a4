//! All edges of a bundle, one after the other: to the root, and back.

use drystone_geometry::lanes::mask32x8;
use fearless_simd::prelude::*;

use crate::joint::tree::direct::{self, Aim, Bundle, Joints};
use crate::joint::tree::parts::Place;
use crate::joint::tree::{BodyWork, Factors, MOST_ROWS};
use crate::softness::Softness;

#[inline(always)]
pub(super) fn forward<S: Simd>(
    simd: S,
    bundle: Bundle<'_>,
    aim: Aim,
    gives: mask32x8<S>,
    joints: &Joints<'_>,
    work: &mut [BodyWork],
    factors: &mut Factors,
    place: &mut Place,
) {
    for edge in &bundle.shape.edges {
        let at = place.next(edge.rows);
        match edge.rows {
            3 => direct::forward::<S, 3, false>(
                simd,
                bundle,
                edge,
                aim,
                gives,
                joints,
                work,
                &mut factors.three[at],
            ),
            5 => direct::forward::<S, 5, false>(
                simd,
                bundle,
                edge,
                aim,
                gives,
                joints,
                work,
                &mut factors.five[at],
            ),
            6 if !edge.is_guide => direct::forward::<S, 6, false>(
                simd,
                bundle,
                edge,
                aim,
                gives,
                joints,
                work,
                &mut factors.six[at],
            ),
            6 => direct::forward::<S, 6, true>(
                simd,
                bundle,
                edge,
                aim,
                gives,
                joints,
                work,
                &mut factors.six[at],
            ),
            _ => direct::forward::<S, MOST_ROWS, true>(
                simd,
                bundle,
                edge,
                aim,
                gives,
                joints,
                work,
                &mut factors.many[at],
            ),
        }
    }
}

#[inline(always)]
pub(super) fn backward<S: Simd>(
    simd: S,
    bundle: Bundle<'_>,
    hold: Softness,
    work: &mut [BodyWork],
    factors: &Factors,
    joints: &mut Joints<'_>,
    place: &mut Place,
) {
    for edge in bundle.shape.edges.iter().rev() {
        let at = place.back(edge.rows);
        match edge.rows {
            3 => direct::backward::<S, 3, false>(
                simd,
                bundle,
                edge,
                hold,
                work,
                &factors.three[at],
                joints,
            ),
            5 => direct::backward::<S, 5, false>(
                simd,
                bundle,
                edge,
                hold,
                work,
                &factors.five[at],
                joints,
            ),
            6 if !edge.is_guide => direct::backward::<S, 6, false>(
                simd,
                bundle,
                edge,
                hold,
                work,
                &factors.six[at],
                joints,
            ),
            6 => direct::backward::<S, 6, true>(
                simd,
                bundle,
                edge,
                hold,
                work,
                &factors.six[at],
                joints,
            ),
            _ => direct::backward::<S, MOST_ROWS, true>(
                simd,
                bundle,
                edge,
                hold,
                work,
                &factors.many[at],
                joints,
            ),
        }
    }
}
