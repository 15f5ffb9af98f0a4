//! Turning two bodies about an axis while the anchors of their joint stay together.

use drystone_geometry::lanes::{Lane, Lane3, SymMat3x8, Vec3x8, divide_or_zero, f32x8, max};
use fearless_simd::prelude::*;

use crate::joint::tree::block::{Block, compliance};
use crate::joint::tree::{GripLanes, PresentLanes, TreeBody};
use crate::tolerance::GRIP_SHARE;

/// What an angular impulse of 1 N m s about an axis does to the bodies of eight joints, on B, and
/// its opposite on A.
///
/// With the inverse inertias alone it would part the anchors, and a rod held at its end would seem
/// four times as easy to turn as it is.
pub(super) struct Grip<S: Simd> {
    /// Inverse of the change of the rate about the axis, scaled as the axis is when that is not
    /// unit.
    pub(super) mass: f32x8<S>,
    /// Linear impulse on B's anchor that keeps it on A's.
    pub(super) shove: Vec3x8<S>,
    /// Change of the angular velocity of B, and of that of A the other way.
    pub(super) turn_a: Vec3x8<S>,
    pub(super) turn_b: Vec3x8<S>,
}

impl GripLanes {
    const NONE: Self = Self {
        mass: Lane::ZERO,
        shove: Lane3::ZERO,
        turn_a: Lane3::ZERO,
        turn_b: Lane3::ZERO,
    };
}

impl<S: Simd> Grip<S> {
    /// The one kept in `known`, or else a new one, which is kept there.
    #[inline(always)]
    pub(super) fn of(
        simd: S,
        axis: Vec3x8<S>,
        present: &PresentLanes,
        bodies: [&TreeBody; 2],
        known: &mut Option<GripLanes>,
    ) -> Self {
        if let Some(lanes) = known {
            return Self {
                mass: lanes.mass.load(simd),
                shove: lanes.shove.load(simd),
                turn_a: lanes.turn_a.load(simd),
                turn_b: lanes.turn_b.load(simd),
            };
        }
        let grip = Self::new(simd, axis, present, bodies);
        let lanes = known.insert(GripLanes::NONE);
        lanes.mass.store(grip.mass);
        lanes.shove.store(grip.shove);
        lanes.turn_a.store(grip.turn_a);
        lanes.turn_b.store(grip.turn_b);
        grip
    }

    #[inline(always)]
    fn new(simd: S, axis: Vec3x8<S>, present: &PresentLanes, [a, b]: [&TreeBody; 2]) -> Self {
        let (arm_a, arm_b) = (present.arm_a.load(simd), present.arm_b.load(simd));
        let (inertia_a, inertia_b) = (inverse_inertia(simd, a), inverse_inertia(simd, b));
        let on_a = compliance(a.inverse_mass.load(simd), inertia_a, arm_a);
        let on_b = compliance(b.inverse_mass.load(simd), inertia_b, arm_b);
        let anchors = SymMat3x8 {
            diagonal: on_a.diagonal + on_b.diagonal,
            off_diagonal: on_a.off_diagonal + on_b.off_diagonal,
        };
        let (free_a, free_b) = (inertia_a.apply(axis), inertia_b.apply(axis));
        let parting = free_a.cross(arm_a) + free_b.cross(arm_b);
        let shove = -Block::factor(anchors).solve(parting);
        let turn_a = free_a + inertia_a.apply(arm_a.cross(shove));
        let turn_b = free_b + inertia_b.apply(arm_b.cross(shove));
        let alone = axis.dot(free_a + free_b);
        let held = axis.dot(turn_a + turn_b);
        let least = alone * f32x8::splat(simd, GRIP_SHARE);
        Self {
            mass: divide_or_zero(f32x8::splat(simd, 1.0), max(held, least)),
            shove,
            turn_a,
            turn_b,
        }
    }
}

#[inline(always)]
pub(super) fn inverse_inertia<S: Simd>(simd: S, body: &TreeBody) -> SymMat3x8<S> {
    SymMat3x8 {
        diagonal: body.diagonal.load(simd),
        off_diagonal: body.off_diagonal.load(simd),
    }
}
