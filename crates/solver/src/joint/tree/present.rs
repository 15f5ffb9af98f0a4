//! What follows from the poses of the bodies: arms, angles and directions of eight joints.

use drystone_geometry::lanes::{Lane, Lane3, SymMat3x8, Vec3x8, divide_or_zero, f32x8};
use fearless_simd::prelude::*;

use crate::body_rows::BodyRows;
use crate::contact::lanes::DeltaLanes;
use crate::joint::tree::angle::{atan2, wrap};
use crate::joint::tree::block::Block;
use crate::joint::tree::drive;
use crate::joint::tree::stop::StopPresent;
use crate::joint::tree::{BodyWork, Class, JointLanes, PresentLanes, TreeBody};
use crate::tolerance::OPPOSITE_AXES;

/// Eight orientations.
#[derive(Clone, Copy)]
pub(super) struct Turn<S: Simd> {
    v: Vec3x8<S>,
    w: f32x8<S>,
}

impl<S: Simd> Turn<S> {
    /// First `other`, then this.
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        Self {
            v: other.v.scale(self.w) + self.v.scale(other.w) + self.v.cross(other.v),
            w: self.w * other.w - self.v.dot(other.v),
        }
    }

    #[inline(always)]
    fn conjugate(self) -> Self {
        Self {
            v: -self.v,
            w: self.w,
        }
    }

    #[inline(always)]
    pub(super) fn x(self) -> Vec3x8<S> {
        let Vec3x8 { x, y, z } = self.v;
        let one = f32x8::splat(x.simd, 1.0);
        Vec3x8 {
            x: one - twice(y * y + z * z),
            y: twice(x * y + self.w * z),
            z: twice(x * z - self.w * y),
        }
    }

    #[inline(always)]
    pub(super) fn y(self) -> Vec3x8<S> {
        let Vec3x8 { x, y, z } = self.v;
        let one = f32x8::splat(x.simd, 1.0);
        Vec3x8 {
            x: twice(x * y - self.w * z),
            y: one - twice(x * x + z * z),
            z: twice(y * z + self.w * x),
        }
    }

    #[inline(always)]
    pub(super) fn z(self) -> Vec3x8<S> {
        let Vec3x8 { x, y, z } = self.v;
        let one = f32x8::splat(x.simd, 1.0);
        Vec3x8 {
            x: twice(x * z + self.w * y),
            y: twice(y * z - self.w * x),
            z: one - twice(x * x + y * y),
        }
    }

    /// A tensor turned.
    #[inline(always)]
    fn turned(self, tensor: SymMat3x8<S>) -> SymMat3x8<S> {
        let (d, o) = (tensor.diagonal, tensor.off_diagonal);
        let half = self.rows_of(of(d.x, o.z, o.y), of(o.z, d.y, o.x), of(o.y, o.x, d.z));
        let [x, y, z] = self.rows_of(half[0], half[1], half[2]);
        SymMat3x8 {
            diagonal: of(x.x, y.y, z.z),
            off_diagonal: of(y.z, z.x, x.y),
        }
    }

    /// The rows of a matrix whose columns are turned.
    #[inline(always)]
    fn rows_of(self, x: Vec3x8<S>, y: Vec3x8<S>, z: Vec3x8<S>) -> [Vec3x8<S>; 3] {
        let (x, y, z) = (self.rotate(x), self.rotate(y), self.rotate(z));
        [of(x.x, y.x, z.x), of(x.y, y.y, z.y), of(x.z, y.z, z.z)]
    }

    /// `v` turned.
    #[inline(always)]
    fn rotate(self, v: Vec3x8<S>) -> Vec3x8<S> {
        let t = self.v.cross(v);
        let t = t + t;
        v.add_scaled(t, self.w) + self.v.cross(t)
    }
}

#[inline(always)]
fn of<S: Simd>(x: f32x8<S>, y: f32x8<S>, z: f32x8<S>) -> Vec3x8<S> {
    Vec3x8 { x, y, z }
}

#[inline(always)]
fn twice<S: Simd>(value: f32x8<S>) -> f32x8<S> {
    value + value
}

/// Looks up how far eight bodies have moved since the step began.
#[inline(always)]
pub(super) fn follow<S: Simd>(simd: S, rows: &BodyRows, body: &TreeBody, work: &mut BodyWork) {
    let delta = DeltaLanes::gather(simd, rows, &body.rows);
    let (v, w) = (delta.rotation, delta.rotation_w);
    // The row of static bodies is all zeros, which turns nothing.
    let turns = (v.length_sq() + w * w).simd_gt(f32x8::splat(simd, 0.0));
    work.moved.store(delta.position);
    work.turned.0.store(v);
    work.turned
        .1
        .store(turns.select(w, f32x8::splat(simd, 1.0)));
}

/// The anchors of eight joints between two bodies, from A's centre and from B's, and B's less A's.
#[inline(always)]
pub(super) fn anchors<S: Simd>(
    simd: S,
    joint: &JointLanes,
    [a, b]: [&BodyWork; 2],
) -> (Vec3x8<S>, Vec3x8<S>, Vec3x8<S>) {
    let arm_a = turn(simd, &a.turned).rotate(joint.arm_a.load(simd));
    let arm_b = turn(simd, &b.turned).rotate(joint.arm_b.load(simd));
    let moved = b.moved.load(simd) - a.moved.load(simd);
    let gap = joint.offset.load(simd) + moved + (arm_b - arm_a);
    (arm_a, arm_b, gap)
}

/// The frames of eight joints between two bodies.
#[inline(always)]
pub(super) fn frames<S: Simd>(simd: S, joint: &JointLanes, [a, b]: [&BodyWork; 2]) -> [Turn<S>; 2] {
    let frame_a = turn(simd, &a.turned).times(turn(simd, &joint.frame_a));
    let frame_b = turn(simd, &b.turned).times(turn(simd, &joint.frame_b));
    [frame_a, frame_b]
}

/// Computes the presents of eight joints between `a` and `b`, whose masses are those of now.
#[inline(always)]
pub(super) fn refresh<S: Simd>(
    simd: S,
    class: Class,
    joint: &JointLanes,
    [a, b]: [&TreeBody; 2],
    [work_a, work_b]: [&BodyWork; 2],
    present: &mut PresentLanes,
) {
    let (arm_a, arm_b, gap) = anchors(simd, joint, [work_a, work_b]);
    present.gap.store(gap);
    present.arm_a.store(arm_a);
    present.arm_b.store(arm_b);
    let uses = joint.uses;
    if let Class::Guide { .. } = class {
        // Its axes say what they need.
        return;
    }
    if class == Class::Ball && !(uses.spring || uses.motor || uses.cone || uses.limit) {
        return;
    }
    let [frame_a, frame_b] = frames(simd, joint, [work_a, work_b]);
    let spin = spin_compliance(simd, a, b);
    match class {
        Class::Ball | Class::Elastic => ball(spin, uses.cone, frame_a, frame_b, present),
        Class::Hinge | Class::Driven | Class::Sprung | Class::Stopped => {
            hinge(spin, frame_a, frame_b, present);
        }
        Class::Weld => present.tilt.store(tilt(frame_a, frame_b)),
        Class::Guide { .. } => {}
    }
    present.drives = Lane::ZERO;
    present.stop = StopPresent::NONE;
    drive::refresh(simd, class, joint, present);
}

/// Lets both bodies be pushed at one place, half way between the anchors: then joints between the same
/// bodies that hold the same do so however these turn. A joint alone holds its anchors, which a fast
/// spin would else turn with it.
#[inline(always)]
pub(super) fn meet_half_way<S: Simd>(simd: S, present: &mut PresentLanes) {
    let half = present.gap.load(simd).scale(f32x8::splat(simd, 0.5));
    let (arm_a, arm_b) = (present.arm_a.load(simd), present.arm_b.load(simd));
    present.arm_a.store(arm_a + half);
    present.arm_b.store(arm_b - half);
}

#[inline(always)]
fn turn<S: Simd>(simd: S, (v, w): &(Lane3, Lane)) -> Turn<S> {
    Turn {
        v: v.load(simd),
        w: w.load(simd),
    }
}

/// The inverse inertias of two bodies on their own, given as the step began.
#[inline(always)]
pub(super) fn own_inertias<S: Simd>(
    simd: S,
    own: [&[Lane3; 2]; 2],
    work: [&BodyWork; 2],
) -> [SymMat3x8<S>; 2] {
    [0, 1].map(|side: usize| {
        let [diagonal, off_diagonal] = own[side];
        turn(simd, &work[side].turned).turned(SymMat3x8 {
            diagonal: diagonal.load(simd),
            off_diagonal: off_diagonal.load(simd),
        })
    })
}

/// Sums them.
#[inline(always)]
pub(super) fn own_spin<S: Simd>([a, b]: [SymMat3x8<S>; 2], present: &mut PresentLanes) {
    present.own_spin[0].store(a.diagonal + b.diagonal);
    present.own_spin[1].store(a.off_diagonal + b.off_diagonal);
}

/// Spin per angular impulse.
#[inline(always)]
fn spin_compliance<S: Simd>(simd: S, a: &TreeBody, b: &TreeBody) -> SymMat3x8<S> {
    SymMat3x8 {
        diagonal: a.diagonal.load(simd) + b.diagonal.load(simd),
        off_diagonal: a.off_diagonal.load(simd) + b.off_diagonal.load(simd),
    }
}

/// Rotation vector from `a` to `b` in world axes, for the shorter way: twice the vector part
/// of the quaternion, which is the angle while small and keeps its direction beyond.
#[inline(always)]
pub(super) fn tilt<S: Simd>(a: Turn<S>, b: Turn<S>) -> Vec3x8<S> {
    let error = b.times(a.conjugate());
    let zero = f32x8::splat(error.w.simd, 0.0);
    let two = f32x8::splat(error.w.simd, 2.0);
    error.v.scale(error.w.simd_lt(zero).select(-two, two))
}

/// Angle about Z of the rotation from `a` to `b`.
#[inline(always)]
fn twist<S: Simd>(a: Turn<S>, b: Turn<S>) -> f32x8<S> {
    let relative = a.conjugate().times(b);
    wrap(twice(atan2(relative.v.z, relative.w)))
}

/// Inverse of the compliance about an axis, scaled as the axis is when that is not unit.
#[inline(always)]
fn mass_about<S: Simd>(spin: SymMat3x8<S>, axis: Vec3x8<S>) -> f32x8<S> {
    let one = f32x8::splat(axis.x.simd, 1.0);
    divide_or_zero(one, spin.apply(axis).dot(axis))
}

#[inline(always)]
fn hinge<S: Simd>(spin: SymMat3x8<S>, a: Turn<S>, b: Turn<S>, present: &mut PresentLanes) {
    let axis = a.z();
    present.axis.store(axis);
    present.across[0].store(a.x());
    present.across[1].store(a.y());
    present.tilt.store(axis.cross(b.z()));
    present.axis_mass.store(mass_about(spin, axis));
    present.angle.store(twist(a, b));
}

/// The direction of the twist is half way between both Z axes, and the longer the farther they
/// are apart; zero where they are opposite and there is no twist. With the rotation `q` of B
/// in A's frame the twist is `2 atan2(q.z, q.w)`; its derivative, with `dq/dt = spin q / 2`, is
/// `spin . (a + b) / (1 + a . b)`.
#[inline(always)]
fn ball<S: Simd>(
    spin: SymMat3x8<S>,
    has_cone: bool,
    a: Turn<S>,
    b: Turn<S>,
    present: &mut PresentLanes,
) {
    let simd = a.w.simd;
    let zero = f32x8::splat(simd, 0.0);
    present.tilt.store(tilt(a, b));
    let block = Block::factor(spin);
    present.spin_pivots.store(block.pivots);
    present.spin_lower.store(block.lower);
    let (axis_a, axis_b) = (a.z(), b.z());
    let cosine = axis_a.dot(axis_b);
    let scale = f32x8::splat(simd, 1.0) + cosine;
    let twists = scale.simd_gt(f32x8::splat(simd, OPPOSITE_AXES));
    let share = divide_or_zero(f32x8::splat(simd, 1.0), twists.select(scale, zero));
    let axis = (axis_a + axis_b).scale(share);
    present.axis.store(axis);
    present.angle.store(twist(a, b));
    if has_cone {
        let normal = axis_a.cross(axis_b);
        let sine = normal.length();
        // Any axis across Z serves where both are in line: no way to swing is better.
        let across = a.x();
        let is_apart = sine.simd_gt(zero);
        let share = divide_or_zero(f32x8::splat(simd, 1.0), sine);
        let axis = Vec3x8::select(is_apart, normal.scale(share), across);
        present.swing_axis.store(axis);
        // Exact at both ends, where sine or cosine alone are not.
        present.swing.store(atan2(sine, cosine));
    }
}
