//! The direct solution of all locked directions of eight trees.
//!
//! Let `W` be the mobility of a body, velocity per impulse, with all that hangs on it; of a leaf
//! it is the inverse mass. An edge that locks the directions `J` between a child and its parent
//! has the compliance `A = J_c W_c J_c^T + J_p W_p J_p^T`, and hangs the child on the parent:
//! `W_p` becomes `W_p - W_p J_p^T A^-1 J_p W_p`. From the leaves to the root each edge is so
//! eliminated without touching any other, and errors are handed on the same way; from the root
//! back each edge learns what came of the ones after it. A body is as easy to move in the end as
//! it really is, so masses may differ by any ratio, and bodies that nothing moves have `W = 0`.
//!
//! Featherstone, *Rigid Body Dynamics Algorithms* (2008), chapter 7, in inverse inertias and
//! with constraints for joints; Baraff, *Linear-Time Dynamics using Lagrange Multipliers* (1996).

#![expect(
    clippy::needless_range_loop,
    reason = "rows and columns of small matrices; closures lose the instruction set"
)]

use drystone_geometry::lanes::{
    Lane, SymMat3x8, Vec3x8, divide_or_zero, f32x8, mask32x8, max, min,
};
use fearless_simd::prelude::*;

use crate::joint::tree::drive::{self, Turns};
use crate::joint::tree::errors::{errors, give};
use crate::joint::tree::foresight::keep_shut;
use crate::joint::tree::guide::hold;
use crate::joint::tree::loops::LoopLanes;
use crate::joint::tree::rows::{
    LINE, ROTATION, Rows, class_of, guides_of, has_turns, joints_of, load_six, relative, rows_of,
    turn_direction,
};
use crate::joint::tree::shape::{Edge, Shape};
use crate::joint::tree::system::{Side, System, entry};
use crate::joint::tree::{
    BodyWork, Class, Factor, GuideLanes, GuidePresent, JointLanes, PresentLanes, TreeBody,
};
use crate::softness::Softness;
use crate::tolerance::{REDUNDANT_SHARE, ROUNDING_SHARE};

/// What a bundle's edges are solved with.
#[derive(Clone, Copy)]
pub(super) struct Bundle<'a> {
    pub(super) shape: &'a Shape,
    pub(super) bodies: &'a [TreeBody],
    pub(super) presents: &'a [PresentLanes],
    /// Empty where no joint is a guide.
    pub(super) guides: &'a [GuidePresent],
}

/// What the joints of a bundle are told and have done; the last are empty where none is a guide.
pub(super) struct Joints<'a> {
    pub(super) lanes: &'a mut [JointLanes],
    pub(super) guides: &'a mut [GuideLanes],
}

/// What a pass is to reach.
#[derive(Clone, Copy)]
pub(super) struct Aim {
    /// Share of errors that goes, in 1/s.
    pub(super) bias_rate: f32,
    /// Whether a movement follows, and how arms turn in it is foreseen.
    pub(super) is_ahead: bool,
    pub(super) turns: Turns,
}

/// Sets the mobilities to those of the bodies alone.
#[inline(always)]
pub(super) fn begin<S: Simd>(simd: S, bodies: &[TreeBody], work: &mut [BodyWork]) {
    for (body, work) in bodies.iter().zip(work) {
        let (d, o) = (&body.diagonal, &body.off_diagonal);
        let m = &body.inverse_mass;
        let w = &mut work.mobility;
        *w = [Lane::ZERO; 21];
        (w[entry(0, 0)], w[entry(1, 1)], w[entry(2, 2)]) = (m.x, m.y, m.z);
        (w[entry(3, 3)], w[entry(4, 4)], w[entry(5, 5)]) = (d.x, d.y, d.z);
        (w[entry(4, 5)], w[entry(3, 5)], w[entry(3, 4)]) = (o.x, o.y, o.z);
        let (m, d) = (m.load(simd), d.load(simd));
        let least = min(min(m.x, min(m.y, m.z)), min(d.x, min(d.y, d.z)));
        let is_held = least.simd_le(f32x8::splat(simd, 0.0));
        let (one, zero) = (f32x8::splat(simd, 1.0), f32x8::splat(simd, 0.0));
        work.held.store(is_held.select(one, zero));
    }
}

#[inline(always)]
fn side<'a, S: Simd, const N: usize>(
    bundle: Bundle<'a>,
    work: &'a [BodyWork],
    body: u32,
    abouts: &'a [Vec3x8<S>; N],
    share: f32x8<S>,
) -> Side<'a, S, N> {
    Side {
        abouts,
        mobility: &work[body as usize].mobility,
        body: &bundle.bodies[body as usize],
        share,
    }
}

/// Mean over the axes of the spin that an angular impulse gives the two bodies of an edge.
#[inline(always)]
pub(super) fn inverse_inertia<S: Simd>(simd: S, bundle: Bundle<'_>, edge: &Edge) -> f32x8<S> {
    let [child, parent] =
        [edge.child, edge.parent].map(|body| bundle.bodies[body as usize].diagonal.load(simd));
    let both = child + parent;
    (both.x + both.y + both.z) * f32x8::splat(simd, 1.0 / 3.0)
}

/// Factors an edge and hangs its child on the parent; returns how much it gives way at most.
#[inline(always)]
pub(super) fn eliminate<S: Simd, const N: usize, const G: bool>(
    simd: S,
    bundle: Bundle<'_>,
    edge: &Edge,
    joints: &Joints<'_>,
    work: &mut [BodyWork],
    factor: &mut Factor<N>,
) -> f32x8<S> {
    let rows = Rows::<S, N, G>::of(simd, bundle, edge);
    let mut system = System::<S, N>::new(simd);
    let none = f32x8::splat(simd, 0.0);
    let shared = f32x8::splat(simd, REDUNDANT_SHARE);
    // Something else may hold what an edge does: another joint between the same bodies, the others of a
    // loop, or what holds the child from beyond. They share the load by what they give way.
    let held = work[edge.child as usize].held.load(simd);
    let gives = if edge.in_loop || edge.joints[1] - edge.joints[0] > 1 {
        none.simd_eq(none)
    } else {
        held.simd_gt(none)
    };
    let on_parent = &mut work[edge.parent as usize].held;
    on_parent.store(max(on_parent.load(simd), held));
    let share = gives.select(shared, f32x8::splat(simd, ROUNDING_SHARE));
    // The parent comes last, so its velocities are what stays.
    if bundle.shape.pushed[edge.child as usize] {
        let side = side(bundle, work, edge.child, &rows.child, share);
        system.weigh(simd, &rows, &side);
    }
    if bundle.shape.pushed[edge.parent as usize] {
        let side = side(bundle, work, edge.parent, &rows.parent, share);
        system.weigh(simd, &rows, &side);
    }
    let mut held = system.held(simd);
    if let Some(turned) = drive::turned::<N>(bundle, edge) {
        drive::give(simd, bundle, turned, joints.lanes, &mut system, &mut held);
    }
    for (index, rows) in guides_of::<N, G>(bundle, edge) {
        let (guide, guided) = (&joints.guides[index], &bundle.guides[index]);
        hold::give(simd, guide, guided, &mut system, &mut held, rows);
    }
    let System {
        matrix,
        floors,
        alone,
        last: on_parent,
        ..
    } = system;
    factor.decompose(simd, &matrix, &floors, &held);
    for row in 0..N {
        factor.slack[row].store(gives.select(floors[row], none));
    }
    if gives.any_true() {
        let spin = inverse_inertia(simd, bundle, edge);
        for row in 0..N {
            let is_turn = rows.axis(row) == ROTATION;
            let whole = if is_turn { spin } else { alone[row] };
            factor.reach[row].store(divide_or_zero(spin, whole));
        }
    }
    if edge.carries {
        factor.hang(simd, &on_parent, &mut work[edge.parent as usize].mobility);
    }
    factor.most_slack(simd)
}

/// Solves an edge with what hangs on it, given the velocities in [`BodyWork::change`], as if
/// nothing came after it.
///
/// In trees of which some edge `gives`, what the removal of errors does is told apart from the rest: no
/// edge has to make good what others cannot agree on. Other trees of the bundle are not touched.
#[inline(always)]
pub(super) fn forward<S: Simd, const N: usize, const G: bool>(
    simd: S,
    bundle: Bundle<'_>,
    edge: &Edge,
    aim: Aim,
    gives: mask32x8<S>,
    joints: &Joints<'_>,
    work: &mut [BodyWork],
    factor: &mut Factor<N>,
    loops: &mut LoopLanes,
) {
    let rows = Rows::<S, N, G>::of(simd, bundle, edge);
    let [child, parent] = [edge.child as usize, edge.parent as usize];
    let mut right = [f32x8::splat(simd, 0.0); N];
    relative(
        simd,
        &rows,
        &work[child].change,
        &work[parent].change,
        &mut right,
    );
    if let Some(turned) = drive::turned::<N>(bundle, edge) {
        let lanes = &*joints.lanes;
        drive::aim(simd, bundle, turned, aim.turns, lanes, work, &mut right);
    }
    for (index, rows) in guides_of::<N, G>(bundle, edge) {
        let (turns, guide) = (aim.turns, &joints.guides[index]);
        hold::aim(simd, bundle, index, turns, guide, work, &mut right, rows);
    }
    if aim.is_ahead && (!G || N == 3) {
        keep_shut::<S, N, G>(simd, bundle, edge, &mut right);
    }
    let is_split = gives.any_true();
    if is_split {
        let give = give::<S, N, G>(simd, bundle, edge, joints, &factor.slack);
        for i in 0..N {
            right[i] -= give[i];
        }
    }
    let mut first = [f32x8::splat(simd, 0.0); N];
    let mut removal = first;
    // Relaxing removes no errors.
    if aim.bias_rate != 0.0 {
        let errors = errors::<S, N, G>(simd, bundle, edge, aim.bias_rate);
        if is_split {
            let (here, there) = (&work[child].removal, &work[parent].removal);
            relative(simd, &rows, here, there, &mut removal);
            for i in 0..N {
                removal[i] = gives.select(removal[i] - errors[i], f32x8::splat(simd, 0.0));
                right[i] = gives.select(right[i], right[i] - errors[i]);
            }
            factor.reconcile(simd, aim.bias_rate, &mut removal);
            if edge.carries {
                factor.hand_on(simd, &removal, &mut work[parent].removal);
            }
            first = factor.solve(simd, removal);
        } else {
            for i in 0..N {
                right[i] -= errors[i];
            }
        }
    }
    loops.add(simd, bundle.shape, edge, &right, &removal);
    let value = factor.solve(simd, right);
    for i in 0..N {
        factor.value[i].store(first[i] + value[i]);
    }
    if edge.carries {
        factor.hand_on(simd, &right, &mut work[parent].change);
    }
}

/// Learns what came of the edges after this one, and keeps and applies the impulses.
#[inline(always)]
pub(super) fn backward<S: Simd, const N: usize, const G: bool>(
    simd: S,
    bundle: Bundle<'_>,
    edge: &Edge,
    softness: Softness,
    work: &mut [BodyWork],
    factor: &Factor<N>,
    loops: &LoopLanes,
    joints: &mut Joints<'_>,
) {
    let rows = Rows::<S, N, G>::of(simd, bundle, edge);
    let mut parent = load_six(simd, &work[edge.parent as usize].impulse);
    let mut child = load_six(simd, &work[edge.child as usize].impulse);
    let mut impulse = [f32x8::splat(simd, 0.0); N];
    for row in 0..N {
        impulse[row] = factor.value[row].load(simd);
        if edge.carries {
            for column in 0..6 {
                impulse[row] += factor.feedback[row][column].load(simd) * parent[column];
            }
        }
    }
    loops.answer(simd, bundle.shape, edge, &mut impulse);
    keep::<S, N, G>(simd, bundle, edge, softness, joints, &mut impulse);
    for row in 0..N {
        let axis = rows.axis(row);
        if axis < ROTATION {
            child[axis] += impulse[row];
            parent[axis] -= impulse[row];
        }
        if G && axis >= LINE {
            let Vec3x8 { x, y, z } = rows.along(simd, row).scale(impulse[row]);
            for (column, part) in [x, y, z].into_iter().enumerate() {
                child[column] += part;
                parent[column] -= part;
            }
        }
        let (there, here) = (rows.parent[row], rows.child[row]);
        // Along an axis nothing turns about it.
        if axis != 0 {
            child[3] += here.x * impulse[row];
            parent[3] -= there.x * impulse[row];
        }
        if axis != 1 {
            child[4] += here.y * impulse[row];
            parent[4] -= there.y * impulse[row];
        }
        if axis != 2 {
            child[5] += here.z * impulse[row];
            parent[5] -= there.z * impulse[row];
        }
    }
    for i in 0..6 {
        work[edge.child as usize].impulse[i].store(child[i]);
        work[edge.parent as usize].impulse[i].store(parent[i]);
    }
}

/// Adds the impulses on the child to those of the joints, on B, softened.
#[inline(always)]
pub(super) fn keep<S: Simd, const N: usize, const G: bool>(
    simd: S,
    bundle: Bundle<'_>,
    edge: &Edge,
    softness: Softness,
    joints: &mut Joints<'_>,
    impulse: &mut [f32x8<S>; N],
) {
    let scale = f32x8::splat(simd, softness.mass_scale);
    let forget = f32x8::splat(simd, softness.impulse_scale);
    let mut row = 0;
    for index in joints_of::<N>(edge) {
        let role = bundle.shape.joints[index];
        let class = class_of::<N, G>(bundle, index);
        let sign = f32x8::splat(simd, if role.outward { 1.0 } else { -1.0 });
        if let Class::Guide { .. } = class {
            let (guide, guided) = (&mut joints.guides[index], &bundle.guides[index]);
            let rows = rows_of::<N, G>(class, row);
            row = rows.end;
            hold::keep(simd, guide, guided, softness, sign, impulse, rows);
            continue;
        }
        let joint = &mut joints.lanes[index];
        let old = joint.done.linear.load(simd);
        let change = Vec3x8 {
            x: impulse[row],
            y: impulse[row + 1],
            z: impulse[row + 2],
        };
        let change = change.scale(scale * sign).sub_scaled(old, forget);
        joint.done.linear.store(old + change);
        let back = change.scale(sign);
        (impulse[row], impulse[row + 1], impulse[row + 2]) = (back.x, back.y, back.z);
        row += 3;
        let mut angular = joint.done.angular.load(simd);
        for turn in 0..class.tilts() {
            let direction = turn_direction(simd, class, &bundle.presents[index], turn);
            let old = direction.dot(angular);
            let change = impulse[row] * scale * sign - forget * old;
            angular = angular.add_scaled(direction, change);
            impulse[row] = change * sign;
            row += 1;
        }
        joint.done.angular.store(angular);
        if has_turns::<N, G>() {
            let present = &bundle.presents[index];
            row = drive::keep_impulses(simd, class, joint, present, sign, impulse, row);
        }
    }
}

/// Velocities once the impulses of the joints have acted.
#[inline(always)]
pub(super) fn apply<S: Simd>(simd: S, bodies: &[TreeBody], work: &mut [BodyWork]) {
    for (body, work) in bodies.iter().zip(work) {
        let [lx, ly, lz, x, y, z] = load_six(simd, &work.impulse);
        let inverse_inertia = SymMat3x8 {
            diagonal: body.diagonal.load(simd),
            off_diagonal: body.off_diagonal.load(simd),
        };
        let push = Vec3x8 {
            x: lx,
            y: ly,
            z: lz,
        };
        let push = body.inverse_mass.load(simd).mul_components(push);
        let turn = inverse_inertia.apply(Vec3x8 { x, y, z });
        work.linear.store(work.linear.load(simd) + push);
        work.angular.store(work.angular.load(simd) + turn);
    }
}
