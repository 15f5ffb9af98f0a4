//! The locked directions of an edge, as rows of its system.

use drystone_geometry::lanes::{Vec3x8, f32x8};
use fearless_simd::prelude::*;

use crate::joint::tree::direct::{Bundle, Six};
use crate::joint::tree::{Class, Edge, PresentLanes};

/// No axis: the direction is about rotation alone.
pub(super) const ROTATION: usize = 3;

/// Locked directions of an edge: how a velocity of the child, or of the parent, shows in them.
#[derive(Clone, Copy)]
pub(super) struct Rows<S: Simd, const N: usize> {
    /// By row: the world axis along which an anchor is held, or [`ROTATION`].
    pub(super) axes: [usize; N],
    /// By row: the angular part.
    pub(super) child: [Vec3x8<S>; N],
    pub(super) parent: [Vec3x8<S>; N],
}

#[inline(always)]
fn unit<S: Simd>(simd: S, axis: usize) -> Vec3x8<S> {
    let mut v = Vec3x8::zero(simd);
    let one = f32x8::splat(simd, 1.0);
    match axis {
        0 => v.x = one,
        1 => v.y = one,
        _ => v.z = one,
    }
    v
}

/// `arm x axis`.
#[inline(always)]
fn lever<S: Simd>(arm: Vec3x8<S>, axis: usize) -> Vec3x8<S> {
    let zero = f32x8::splat(arm.x.simd, 0.0);
    match axis {
        0 => Vec3x8 {
            x: zero,
            y: arm.z,
            z: -arm.y,
        },
        1 => Vec3x8 {
            x: -arm.z,
            y: zero,
            z: arm.x,
        },
        _ => Vec3x8 {
            x: arm.y,
            y: -arm.x,
            z: zero,
        },
    }
}

impl<S: Simd, const N: usize> Rows<S, N> {
    #[inline(always)]
    pub(super) fn of(simd: S, bundle: Bundle<'_>, edge: &Edge) -> Self {
        let mut rows = Self {
            axes: [ROTATION; N],
            child: [Vec3x8::zero(simd); N],
            parent: [Vec3x8::zero(simd); N],
        };
        let mut row = 0;
        for joint in edge.joints[0] as usize..edge.joints[1] as usize {
            let role = bundle.shape.joints[joint];
            let present = &bundle.presents[joint];
            let (arm_a, arm_b) = (present.arm_a.load(simd), present.arm_b.load(simd));
            let (child, parent) = if role.outward {
                (arm_b, arm_a)
            } else {
                (arm_a, arm_b)
            };
            for axis in 0..3 {
                rows.axes[row] = axis;
                rows.child[row] = lever(child, axis);
                rows.parent[row] = lever(parent, axis);
                row += 1;
            }
            for turn in 0..role.class.rows() - 3 {
                let direction = turn_direction(simd, role.class, present, turn);
                rows.child[row] = direction;
                rows.parent[row] = direction;
                row += 1;
            }
        }
        rows
    }
}

/// The direction of a locked rotation.
#[inline(always)]
pub(super) fn turn_direction<S: Simd>(
    simd: S,
    class: Class,
    present: &PresentLanes,
    turn: usize,
) -> Vec3x8<S> {
    match class {
        Class::Hinge => present.across[turn].load(simd),
        _ => unit(simd, turn),
    }
}

/// How `velocity` shows in a direction.
#[inline(always)]
pub(super) fn seen<S: Simd>(axis: usize, about: Vec3x8<S>, velocity: &Six<S>) -> f32x8<S> {
    let turn = about.x * velocity[3] + about.y * velocity[4] + about.z * velocity[5];
    if axis < ROTATION {
        velocity[axis] + turn
    } else {
        turn
    }
}
