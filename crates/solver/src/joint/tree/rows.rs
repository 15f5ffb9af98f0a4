//! The locked directions of an edge, as rows of its system.

use std::ops::Range;

use drystone_geometry::lanes::{Lane, Vec3x8, f32x8};
use fearless_simd::prelude::*;

use crate::joint::tree::direct::Bundle;
use crate::joint::tree::guide::hold;
use crate::joint::tree::shape::Edge;
use crate::joint::tree::{Class, GuidePresent, PresentLanes};

/// A velocity, linear then angular.
pub(super) type Six<S> = [f32x8<S>; 6];

/// No axis: the direction is about rotation alone.
pub(super) const ROTATION: usize = 3;

/// From here on an axis of a guide: of joint `i` of the bundle those from `3 i` beyond it.
pub(super) const LINE: usize = 4;

/// Locked directions of an edge: how a velocity of the child, or of the parent, shows in them. Lines have
/// only those that may be of `G`uides.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a, S: Simd, const N: usize, const G: bool> {
    /// See [`Rows::axis`].
    pub(super) axes: [usize; N],
    pub(super) guides: &'a [GuidePresent],
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

/// The joints of an edge with `N` locked directions: three or five are those of one joint.
#[inline(always)]
pub(super) fn joints_of<const N: usize>(edge: &Edge) -> Range<usize> {
    let first = edge.joints[0] as usize;
    match N {
        3 | 5 => first..first + 1,
        _ => first..edge.joints[1] as usize,
    }
}

/// The class of a joint of an edge with `N` locked directions; of three or five it is known where the
/// kernel is compiled.
#[inline(always)]
pub(super) fn class_of<const N: usize, const G: bool>(bundle: Bundle<'_>, joint: usize) -> Class {
    match N {
        3 if G => Class::LINE,
        3 => Class::Ball,
        5 => Class::Hinge,
        _ => bundle.shape.joints[joint].class,
    }
}

/// Whether what turns a joint, or stops it, may be a direction of an edge with `N` locked ones.
pub(super) const fn has_turns<const N: usize, const G: bool>() -> bool {
    N == 6 && !G
}

/// The rows of a joint from the `first` on; of three or six of a guide it is known where the kernel is compiled how
/// many there are.
#[inline(always)]
pub(super) fn rows_of<const N: usize, const G: bool>(class: Class, first: usize) -> Range<usize> {
    match N {
        3 | 6 if G => 0..N,
        _ => first..first + class.rows(),
    }
}

/// The guides of an edge with `N` locked directions, and their rows.
#[inline(always)]
pub(super) fn guides_of<'a, const N: usize, const G: bool>(
    bundle: Bundle<'a>,
    edge: &Edge,
) -> impl Iterator<Item = (usize, Range<usize>)> + use<'a, N, G> {
    let joints = if G { joints_of::<N>(edge) } else { 0..0 };
    let mut next = 0;
    joints.filter_map(move |index| {
        let class = class_of::<N, G>(bundle, index);
        let rows = rows_of::<N, G>(class, next);
        next = rows.end;
        matches!(class, Class::Guide { .. }).then_some((index, rows))
    })
}

impl<'a, S: Simd, const N: usize, const G: bool> Rows<'a, S, N, G> {
    /// The direction along which a row holds an anchor, if that is a [`LINE`].
    #[inline(always)]
    pub(super) fn along(&self, simd: S, row: usize) -> Vec3x8<S> {
        let axis = self.axis(row);
        if G && axis >= LINE {
            let line = axis - LINE;
            self.guides[line / 3].direction(simd, line % 3)
        } else {
            Vec3x8::zero(simd)
        }
    }

    /// The world axis along which a row holds an anchor, [`LINE`] or [`ROTATION`].
    #[inline(always)]
    pub(super) fn axis(&self, row: usize) -> usize {
        match N {
            3 | 5 if !G => row.min(ROTATION),
            _ => self.axes[row],
        }
    }

    #[inline(always)]
    pub(super) fn of(simd: S, bundle: Bundle<'a>, edge: &Edge) -> Self {
        let mut rows = Self {
            axes: [ROTATION; N],
            guides: bundle.guides,
            child: [Vec3x8::zero(simd); N],
            parent: [Vec3x8::zero(simd); N],
        };
        let mut row = 0;
        for joint in joints_of::<N>(edge) {
            let role = bundle.shape.joints[joint];
            let class = class_of::<N, G>(bundle, joint);
            let present = &bundle.presents[joint];
            let (arm_a, arm_b) = (present.arm_a.load(simd), present.arm_b.load(simd));
            let (child, parent) = if role.outward {
                (arm_b, arm_a)
            } else {
                (arm_a, arm_b)
            };
            if G && let Class::Guide { .. } = class {
                let own = rows_of::<N, G>(class, row);
                row = own.end;
                hold::list(simd, joint, [child, parent], &mut rows, own);
                continue;
            }
            for axis in 0..3 {
                rows.axes[row] = axis;
                rows.child[row] = lever(child, axis);
                rows.parent[row] = lever(parent, axis);
                row += 1;
            }
            for turn in 0..class.rows() - 3 {
                let direction = turn_direction(simd, class, present, turn);
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
        Class::Hinge | Class::Driven | Class::Sprung | Class::Stopped if turn < 2 => {
            present.across[turn].load(simd)
        }
        Class::Driven | Class::Sprung | Class::Stopped => present.axis.load(simd),
        _ => unit(simd, turn),
    }
}

/// The product of `about`, the angular part of a row, with a vector. Along an axis nothing turns
/// about it, and that part is left out.
#[inline(always)]
pub(super) fn product<S: Simd>(
    axis: usize,
    about: Vec3x8<S>,
    [x, y, z]: [f32x8<S>; 3],
) -> f32x8<S> {
    match axis {
        0 => about.y * y + about.z * z,
        1 => about.x * x + about.z * z,
        2 => about.x * x + about.y * y,
        _ => about.x * x + about.y * y + about.z * z,
    }
}

/// How `velocity` shows in a direction.
#[inline(always)]
pub(super) fn seen<S: Simd, const N: usize, const G: bool>(
    rows: &Rows<'_, S, N, G>,
    row: usize,
    about: Vec3x8<S>,
    velocity: &Six<S>,
) -> f32x8<S> {
    let simd = about.x.simd;
    let [u, v, w, x, y, z] = *velocity;
    let axis = rows.axis(row);
    let turn = product(axis, about, [x, y, z]);
    match axis {
        ROTATION => turn,
        LINE.. if G => rows.along(simd, row).dot(Vec3x8 { x: u, y: v, z: w }) + turn,
        _ => velocity[axis] + turn,
    }
}

#[inline(always)]
pub(super) fn load_six<S: Simd>(simd: S, lanes: &[Lane; 6]) -> Six<S> {
    let mut six = [f32x8::splat(simd, 0.0); 6];
    for i in 0..6 {
        six[i] = lanes[i].load(simd);
    }
    six
}

/// What is to be added to the velocity of the child against the parent so that it vanishes.
#[inline(always)]
pub(super) fn relative<S: Simd, const N: usize, const G: bool>(
    simd: S,
    rows: &Rows<'_, S, N, G>,
    child: &[Lane; 6],
    parent: &[Lane; 6],
    right: &mut [f32x8<S>; N],
) {
    let (child, parent) = (load_six(simd, child), load_six(simd, parent));
    for (i, right) in right.iter_mut().enumerate() {
        let here = seen(rows, i, rows.child[i], &child);
        let there = seen(rows, i, rows.parent[i], &parent);
        *right = there - here;
    }
}
