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

use drystone_geometry::lanes::{Lane, SymMat3x8, Vec3x8, divide_or_zero, f32x8, max};
use fearless_simd::prelude::*;

use crate::joint::tree::rows::{ROTATION, Rows, class_of, joints_of, seen, turn_direction};
use crate::joint::tree::system::{Side, System, entry, has_locks};
use crate::joint::tree::{
    BodyWork, Class, Edge, Factor, JointLanes, MOST_ROWS, PresentLanes, Shape, TreeBody,
};
use crate::softness::Softness;
use crate::tolerance::{REDUNDANT_SHARE, ROUNDING_SHARE};

/// What a bundle's edges are solved with.
#[derive(Clone, Copy)]
pub(super) struct Bundle<'a> {
    pub(super) shape: &'a Shape,
    pub(super) bodies: &'a [TreeBody],
    pub(super) presents: &'a [PresentLanes],
}

/// A velocity, linear then angular.
pub(super) type Six<S> = [f32x8<S>; 6];

#[inline(always)]
fn load_six<S: Simd>(simd: S, lanes: &[Lane; 6]) -> Six<S> {
    let mut six = [f32x8::splat(simd, 0.0); 6];
    for i in 0..6 {
        six[i] = lanes[i].load(simd);
    }
    six
}

/// Sets the mobilities to those of the bodies alone.
#[inline(always)]
pub(super) fn begin(bodies: &[TreeBody], work: &mut [BodyWork]) {
    for (body, work) in bodies.iter().zip(work) {
        let (d, o) = (&body.diagonal, &body.off_diagonal);
        let m = &body.inverse_mass;
        let w = &mut work.mobility;
        *w = [Lane::ZERO; 21];
        (w[entry(0, 0)], w[entry(1, 1)], w[entry(2, 2)]) = (m.x, m.y, m.z);
        (w[entry(3, 3)], w[entry(4, 4)], w[entry(5, 5)]) = (d.x, d.y, d.z);
        (w[entry(4, 5)], w[entry(3, 5)], w[entry(3, 4)]) = (o.x, o.y, o.z);
    }
}

/// Whether something else may hold what an edge does: so it is between two ends held by what does
/// not move, and with several joints between two bodies. They share the load by what they give way.
#[inline(always)]
fn is_redundant<const N: usize>(bundle: Bundle<'_>, edge: &Edge) -> bool {
    N == MOST_ROWS || !bundle.shape.pushed[edge.child as usize]
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

/// Factors an edge and hangs its child on the parent.
#[inline(always)]
pub(super) fn eliminate<S: Simd, const N: usize>(
    simd: S,
    bundle: Bundle<'_>,
    edge: &Edge,
    work: &mut [BodyWork],
    factor: &mut Factor<N>,
) {
    let rows = Rows::<S, N>::of(simd, bundle, edge);
    let mut system = System::<S, N>::new(simd);
    let is_redundant = is_redundant::<N>(bundle, edge);
    let none = f32x8::splat(simd, 0.0);
    let shared = f32x8::splat(simd, REDUNDANT_SHARE);
    // Locked axes may hold what the joint does, like another joint.
    let gives = if is_redundant {
        none.simd_eq(none)
    } else {
        let [child, parent] = [edge.child, edge.parent].map(|body| &bundle.bodies[body as usize]);
        has_locks(simd, child) | has_locks(simd, parent)
    };
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
    let held = system.held(simd);
    let System {
        matrix,
        floors,
        last: on_parent,
        ..
    } = system;
    factor.decompose(simd, &matrix, &floors, &held);
    for row in 0..N {
        factor.slack[row].store(gives.select(floors[row], none));
    }
    if edge.carries {
        factor.hang(simd, &on_parent, &mut work[edge.parent as usize].mobility);
    }
}

impl<const N: usize> Factor<N> {
    pub(super) const EMPTY: Self = Self {
        lower: [[Lane::ZERO; N]; N],
        feedback: [[Lane::ZERO; 6]; N],
        value: [Lane::ZERO; N],
        slack: [Lane::ZERO; N],
    };

    /// Whether a direction gives way in some lane.
    #[inline(always)]
    fn gives<S: Simd>(&self, simd: S) -> bool {
        let zero = f32x8::splat(simd, 0.0);
        let mut most = zero;
        for row in 0..N {
            most = max(most, self.slack[row].load(simd));
        }
        most.simd_gt(zero).any_true()
    }

    /// `L D L^T` of a symmetric matrix given below its diagonal, each entry of which is raised
    /// by its floor. Directions whose pivots do not exceed what is `held` get no impulse.
    #[inline(always)]
    fn decompose<S: Simd>(
        &mut self,
        simd: S,
        matrix: &[[f32x8<S>; N]; N],
        floors: &[f32x8<S>; N],
        held: &[f32x8<S>; N],
    ) {
        let zero = f32x8::splat(simd, 0.0);
        let one = f32x8::splat(simd, 1.0);
        let mut lower = [[f32x8::splat(simd, 0.0); N]; N];
        for j in 0..N {
            let mut pivot = matrix[j][j] + floors[j];
            for k in 0..j {
                let before = lower[j][k];
                lower[j][k] = before * lower[k][k];
                pivot -= before * lower[j][k];
            }
            let pivot = max(pivot, floors[j]);
            let pivot = pivot.simd_gt(held[j]).select(pivot, zero);
            let inverse = divide_or_zero(one, pivot);
            lower[j][j] = inverse;
            for i in j + 1..N {
                let mut rest = matrix[i][j];
                for k in 0..j {
                    rest -= lower[i][k] * lower[j][k];
                }
                // Without the inverse pivot until row i is reached.
                lower[i][j] = rest;
            }
        }
        for i in 0..N {
            for j in 0..=i {
                self.lower[i][j].store(lower[i][j]);
            }
        }
    }

    /// What times the matrix gives `right`.
    #[inline(always)]
    fn solve<S: Simd>(&self, simd: S, right: [f32x8<S>; N]) -> [f32x8<S>; N] {
        let mut x = right;
        for i in 0..N {
            for j in 0..i {
                x[i] -= self.lower[i][j].load(simd) * x[j];
            }
        }
        for i in 0..N {
            x[i] *= self.lower[i][i].load(simd);
        }
        for i in (0..N).rev() {
            for j in i + 1..N {
                x[i] -= self.lower[j][i].load(simd) * x[j];
            }
        }
        x
    }

    /// Takes from the parent's mobility what the edge holds; `on_parent` is by row the velocity
    /// an impulse gives the parent.
    #[inline(always)]
    fn hang<S: Simd>(
        &mut self,
        simd: S,
        on_parent: &[[f32x8<S>; 6]; N],
        mobility: &mut [Lane; 21],
    ) {
        if N == MOST_ROWS {
            for column in 0..6 {
                self.hang_column(simd, on_parent, mobility, column);
            }
            return;
        }
        // Spelt out, so that places are known where the kernel is compiled.
        self.hang_column(simd, on_parent, mobility, 0);
        self.hang_column(simd, on_parent, mobility, 1);
        self.hang_column(simd, on_parent, mobility, 2);
        self.hang_column(simd, on_parent, mobility, 3);
        self.hang_column(simd, on_parent, mobility, 4);
        self.hang_column(simd, on_parent, mobility, 5);
    }

    #[inline(always)]
    fn hang_column<S: Simd>(
        &mut self,
        simd: S,
        on_parent: &[[f32x8<S>; 6]; N],
        mobility: &mut [Lane; 21],
        column: usize,
    ) {
        let mut right = [f32x8::splat(simd, 0.0); N];
        for row in 0..N {
            right[row] = on_parent[row][column];
        }
        let solution = self.solve(simd, right);
        for row in 0..N {
            self.feedback[row][column].store(solution[row]);
        }
        for i in 0..=column {
            let place = &mut mobility[entry(i, column)];
            let mut value = place.load(simd);
            for row in 0..N {
                value -= on_parent[row][i] * solution[row];
            }
            place.store(value);
        }
    }
}

/// Solves an edge with what hangs on it, given the velocities in [`BodyWork::change`], as if
/// nothing came after it.
#[inline(always)]
pub(super) fn forward<S: Simd, const N: usize>(
    simd: S,
    bundle: Bundle<'_>,
    edge: &Edge,
    bias_rate: f32,
    joints: &[JointLanes],
    work: &mut [BodyWork],
    factor: &mut Factor<N>,
) {
    let rows = Rows::<S, N>::of(simd, bundle, edge);
    let child = load_six(simd, &work[edge.child as usize].change);
    let mut parent = load_six(simd, &work[edge.parent as usize].change);
    let mut right = [f32x8::splat(simd, 0.0); N];
    for i in 0..N {
        let here = seen(rows.axis(i), rows.child[i], &child);
        let there = seen(rows.axis(i), rows.parent[i], &parent);
        right[i] = there - here;
    }
    // Relaxing removes no errors, and what is not redundant does not give way.
    if bias_rate != 0.0 || factor.gives(simd) {
        let errors = errors(simd, bundle, edge, bias_rate, joints, &factor.slack);
        for i in 0..N {
            right[i] -= errors[i];
        }
    }
    let value = factor.solve(simd, right);
    for i in 0..N {
        factor.value[i].store(value[i]);
    }
    if edge.carries {
        for column in 0..6 {
            for row in 0..N {
                parent[column] -= factor.feedback[row][column].load(simd) * right[row];
            }
            work[edge.parent as usize].change[column].store(parent[column]);
        }
    }
}

/// Speeds at which the errors are to go, as the child's against the parent.
///
/// What a direction gives way is an error too: where joints hold the same, and nothing else
/// says how they share it, none pulls against another.
#[inline(always)]
fn errors<S: Simd, const N: usize>(
    simd: S,
    bundle: Bundle<'_>,
    edge: &Edge,
    bias_rate: f32,
    joints: &[JointLanes],
    slack: &[Lane; N],
) -> [f32x8<S>; N] {
    let mut errors = [f32x8::splat(simd, 0.0); N];
    let mut row = 0;
    for index in joints_of::<N>(edge) {
        let role = bundle.shape.joints[index];
        let class = class_of::<N>(bundle, index);
        let (present, joint) = (&bundle.presents[index], &joints[index]);
        let sign = f32x8::splat(simd, if role.outward { 1.0 } else { -1.0 });
        let rate = f32x8::splat(simd, bias_rate);
        let gap = present.gap.load(simd).scale(rate);
        let done = joint.done.linear.load(simd);
        errors[row] = (gap.x + slack[row].load(simd) * done.x) * sign;
        errors[row + 1] = (gap.y + slack[row + 1].load(simd) * done.y) * sign;
        errors[row + 2] = (gap.z + slack[row + 2].load(simd) * done.z) * sign;
        row += 3;
        if class == Class::Ball {
            continue;
        }
        let tilt = present.tilt.load(simd).scale(rate);
        let done = joint.done.angular.load(simd);
        for turn in 0..class.rows() - 3 {
            let direction = turn_direction(simd, class, present, turn);
            let error = tilt.add_scaled(done, slack[row].load(simd));
            errors[row] = direction.dot(error) * sign;
            row += 1;
        }
    }
    errors
}

/// Learns what came of the edges after this one, and keeps and applies the impulses.
#[inline(always)]
pub(super) fn backward<S: Simd, const N: usize>(
    simd: S,
    bundle: Bundle<'_>,
    edge: &Edge,
    softness: Softness,
    work: &mut [BodyWork],
    factor: &Factor<N>,
    joints: &mut [JointLanes],
) {
    let rows = Rows::<S, N>::of(simd, bundle, edge);
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
    keep(simd, bundle, edge, softness, joints, &mut impulse);
    for row in 0..N {
        let axis = rows.axis(row);
        if axis < ROTATION {
            child[axis] += impulse[row];
            parent[axis] -= impulse[row];
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
fn keep<S: Simd, const N: usize>(
    simd: S,
    bundle: Bundle<'_>,
    edge: &Edge,
    softness: Softness,
    joints: &mut [JointLanes],
    impulse: &mut [f32x8<S>; N],
) {
    let scale = f32x8::splat(simd, softness.mass_scale);
    let forget = f32x8::splat(simd, softness.impulse_scale);
    let mut row = 0;
    for index in joints_of::<N>(edge) {
        let role = bundle.shape.joints[index];
        let class = class_of::<N>(bundle, index);
        let joint = &mut joints[index];
        let sign = f32x8::splat(simd, if role.outward { 1.0 } else { -1.0 });
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
        for turn in 0..class.rows() - 3 {
            let direction = turn_direction(simd, class, &bundle.presents[index], turn);
            let old = direction.dot(angular);
            let change = impulse[row] * scale * sign - forget * old;
            angular = angular.add_scaled(direction, change);
            impulse[row] = change * sign;
            row += 1;
        }
        joint.done.angular.store(angular);
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
