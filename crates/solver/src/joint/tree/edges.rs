//! All edges of a bundle, one after the other: to the root, and back.

use drystone_geometry::lanes::mask32x8;
use fearless_simd::prelude::*;

use crate::joint::tree::direct::{self, Aim, Bundle, Joints};
use crate::joint::tree::loops::{self, LoopLanes};
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
    loops: &mut LoopLanes,
    place: &mut Place,
) {
    loops::begin(simd, bundle, aim, gives, joints, work, loops);
    for (edge, &is_stopped) in bundle.shape.edges.iter().zip(stops) {
        let at = place.next(edge);
        match edge.kernel(is_stopped) {
            Kernel::Ball => {
                let factor = &mut factors.three[at.three];
                direct::forward::<S, 3, false>(
                    simd, bundle, edge, aim, gives, joints, work, factor, loops,
                );
            }
            Kernel::Line => {
                let factor = &mut factors.three[at.three];
                direct::forward::<S, 3, true>(
                    simd, bundle, edge, aim, gives, joints, work, factor, loops,
                );
            }
            Kernel::Hinge => {
                let factor = &mut factors.five[at.five];
                direct::forward::<S, 5, false>(
                    simd, bundle, edge, aim, gives, joints, work, factor, loops,
                );
            }
            Kernel::Six => {
                let factor = &mut factors.six[at.six];
                direct::forward::<S, 6, false>(
                    simd, bundle, edge, aim, gives, joints, work, factor, loops,
                );
            }
            Kernel::Guide => {
                let factor = &mut factors.six[at.six];
                direct::forward::<S, 6, true>(
                    simd, bundle, edge, aim, gives, joints, work, factor, loops,
                );
            }
            Kernel::Many => {
                let factor = &mut factors.many[at.many];
                direct::forward::<S, MOST_ROWS, true>(
                    simd, bundle, edge, aim, gives, joints, work, factor, loops,
                );
            }
        }
    }
}

#[inline(always)]
pub(super) fn backward<S: Simd>(
    simd: S,
    bundle: Bundle<'_>,
    stops: &[bool],
    aim: Aim,
    hold: Softness,
    work: &mut [BodyWork],
    factors: &Factors,
    loops: &mut LoopLanes,
    joints: &mut Joints<'_>,
    place: &mut Place,
) {
    loops::finish(simd, bundle, aim, hold, joints, loops);
    for (edge, &is_stopped) in bundle.shape.edges.iter().zip(stops).rev() {
        let at = place.back(edge);
        match edge.kernel(is_stopped) {
            Kernel::Ball => {
                let factor = &factors.three[at.three];
                direct::backward::<S, 3, false>(
                    simd, bundle, edge, hold, work, factor, loops, joints,
                );
            }
            Kernel::Line => {
                let factor = &factors.three[at.three];
                direct::backward::<S, 3, true>(
                    simd, bundle, edge, hold, work, factor, loops, joints,
                );
            }
            Kernel::Hinge => {
                let factor = &factors.five[at.five];
                direct::backward::<S, 5, false>(
                    simd, bundle, edge, hold, work, factor, loops, joints,
                );
            }
            Kernel::Six => {
                let factor = &factors.six[at.six];
                direct::backward::<S, 6, false>(
                    simd, bundle, edge, hold, work, factor, loops, joints,
                );
            }
            Kernel::Guide => {
                let factor = &factors.six[at.six];
                direct::backward::<S, 6, true>(
                    simd, bundle, edge, hold, work, factor, loops, joints,
                );
            }
            Kernel::Many => {
                let factor = &factors.many[at.many];
                direct::backward::<S, MOST_ROWS, true>(
                    simd, bundle, edge, hold, work, factor, loops, joints,
                );
            }
        }
    }
    loops::act(simd, bundle, loops, work);
}
