//! All edges of a bundle, one after the other: to the root, and back.

use drystone_geometry::lanes::mask32x8;
use fearless_simd::prelude::*;

use crate::joint::tree::direct::{self, Aim, Bundle, Joints};
use crate::joint::tree::parts::Place;
use crate::joint::tree::shape::Kernel;
use crate::joint::tree::{BodyWork, Factors, MOST_ROWS};
use crate::softness::Softness;

#[inline(always)]
pub(super) fn forward<S: Simd>(
    simd: S,
    bundle: Bundle<'_>,
    stops: &[bool],
    aim: Aim,
    gives: mask32x8<S>,
    joints: &Joints<'_>,
    work: &mut [BodyWork],
    factors: &mut Factors,
    place: &mut Place,
) {
    for (edge, &is_stopped) in bundle.shape.edges.iter().zip(stops) {
        let at = place.next(edge);
        match edge.kernel(is_stopped) {
            Kernel::Ball => direct::forward::<S, 3, false>(
                simd,
                bundle,
                edge,
                aim,
                gives,
                joints,
                work,
                &mut factors.three[at.three],
            ),
            Kernel::Hinge => direct::forward::<S, 5, false>(
                simd,
                bundle,
                edge,
                aim,
                gives,
                joints,
                work,
                &mut factors.five[at.five],
            ),
            Kernel::Six => direct::forward::<S, 6, false>(
                simd,
                bundle,
                edge,
                aim,
                gives,
                joints,
                work,
                &mut factors.six[at.six],
            ),
            Kernel::Guide => direct::forward::<S, 6, true>(
                simd,
                bundle,
                edge,
                aim,
                gives,
                joints,
                work,
                &mut factors.six[at.six],
            ),
            Kernel::Many => direct::forward::<S, MOST_ROWS, true>(
                simd,
                bundle,
                edge,
                aim,
                gives,
                joints,
                work,
                &mut factors.many[at.many],
            ),
        }
    }
}

#[inline(always)]
pub(super) fn backward<S: Simd>(
    simd: S,
    bundle: Bundle<'_>,
    stops: &[bool],
    hold: Softness,
    work: &mut [BodyWork],
    factors: &Factors,
    joints: &mut Joints<'_>,
    place: &mut Place,
) {
    for (edge, &is_stopped) in bundle.shape.edges.iter().zip(stops).rev() {
        let at = place.back(edge);
        match edge.kernel(is_stopped) {
            Kernel::Ball => direct::backward::<S, 3, false>(
                simd,
                bundle,
                edge,
                hold,
                work,
                &factors.three[at.three],
                joints,
            ),
            Kernel::Hinge => direct::backward::<S, 5, false>(
                simd,
                bundle,
                edge,
                hold,
                work,
                &factors.five[at.five],
                joints,
            ),
            Kernel::Six => direct::backward::<S, 6, false>(
                simd,
                bundle,
                edge,
                hold,
                work,
                &factors.six[at.six],
                joints,
            ),
            Kernel::Guide => direct::backward::<S, 6, true>(
                simd,
                bundle,
                edge,
                hold,
                work,
                &factors.six[at.six],
                joints,
            ),
            Kernel::Many => direct::backward::<S, MOST_ROWS, true>(
                simd,
                bundle,
                edge,
                hold,
                work,
                &factors.many[at.many],
                joints,
            ),
        }
    }
}
