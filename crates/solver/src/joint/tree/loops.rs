//! Joints that close loops of trees, solved with all that the tree locks.
//!
//! Their rows `J` come last in the elimination (see [`direct`](super::direct)). An impulse on the bodies of such
//! joints is felt by edges: `f_e` is what it leaves the edge `e` to make good, with the edges before it, and `A_e`
//! the edge's system. With the tree around them the closing joints have the compliance
//! `S = J W J^T - sum f_e^T A_e^-1 f_e`, dense over all loops of a tree. On the way to the root each edge adds
//! what it does to what they have to make good, and on the way back it answers to what they did.
//!
//! What a loop holds is often held already, like the plane of hinges that are all parallel. All joints
//! of a loop therefore give way a little, as joints between the same bodies do.

#![expect(
    clippy::needless_range_loop,
    reason = "rows and columns of small matrices; closures lose the instruction set"
)]

mod factor;

pub(super) use factor::eliminate;

use drystone_geometry::lanes::{Lane, Vec3x8, f32x8, mask32x8};
use fearless_simd::prelude::*;

use crate::joint::tree::direct::{Aim, Bundle, Joints, keep};
use crate::joint::tree::errors::{Reconciling, errors, give};
use crate::joint::tree::guide::hold;
use crate::joint::tree::rows::{LINE, Rows, Six, guides_of, relative};
use crate::joint::tree::shape::{Closing, Edge, Shape};
use crate::joint::tree::{BodyWork, MOST_ROWS};
use crate::softness::Softness;

/// The system of what closes loops of eight trees. Rows are those of all closings.
#[derive(Clone, Debug, Default)]
pub(super) struct LoopLanes {
    /// By edge, closing that it feels, and row of this: what the edge does when that row has an impulse of 1,
    /// by row of the edge.
    reactions: Vec<Lane>,
    /// The lower triangle, row after row, with the inverse pivots on the diagonal.
    lower: Vec<Lane>,
    /// By row: how much it gives way for good.
    slack: Vec<Lane>,
    /// By row: turn in radians that an error of 1 comes to, squared.
    reach: Vec<Lane>,
    /// By row: what is to be made good, and so much of it as removes errors, told apart.
    right: Vec<Lane>,
    removal: Vec<Lane>,
    /// By row: the impulse.
    value: Vec<Lane>,
}

/// The rows of a closing; those beyond its own are empty.
type ClosingRows<'a, S> = Rows<'a, S, MOST_ROWS, true>;

#[inline(always)]
fn triangle(row: usize, column: usize) -> usize {
    row * (row + 1) / 2 + column
}

impl LoopLanes {
    /// Makes room for the closings of a shape.
    pub(super) fn make_room(&mut self, shape: &Shape) {
        let rows = shape.closing_rows();
        self.reactions.resize(shape.reactions(), Lane::ZERO);
        self.lower.resize(triangle(rows, 0), Lane::ZERO);
        for lanes in [
            &mut self.slack,
            &mut self.reach,
            &mut self.right,
            &mut self.removal,
            &mut self.value,
        ] {
            lanes.resize(rows, Lane::ZERO);
        }
    }

    /// Adds what an edge does on the way to the root.
    #[inline(always)]
    pub(super) fn add<S: Simd, const N: usize>(
        &mut self,
        simd: S,
        shape: &Shape,
        edge: &Edge,
        right: &[f32x8<S>; N],
        removal: &[f32x8<S>; N],
    ) {
        for feel in shape.felt_by(edge) {
            let [first, end] = shape.closings[feel.closing as usize].rows;
            for row in first..end {
                let at = feel.at as usize + (row - first) as usize * N;
                let row = row as usize;
                let mut sums = [self.right[row].load(simd), self.removal[row].load(simd)];
                for i in 0..N {
                    let reaction = self.reactions[at + i].load(simd);
                    sums[0] += reaction * right[i];
                    sums[1] += reaction * removal[i];
                }
                self.right[row].store(sums[0]);
                self.removal[row].store(sums[1]);
            }
        }
    }

    /// Adds what an edge answers to the impulses of closings.
    #[inline(always)]
    pub(super) fn answer<S: Simd, const N: usize>(
        &self,
        simd: S,
        shape: &Shape,
        edge: &Edge,
        impulse: &mut [f32x8<S>; N],
    ) {
        for feel in shape.felt_by(edge) {
            let [first, end] = shape.closings[feel.closing as usize].rows;
            for row in first..end {
                let at = feel.at as usize + (row - first) as usize * N;
                let value = self.value[row as usize].load(simd);
                for i in 0..N {
                    impulse[i] += self.reactions[at + i].load(simd) * value;
                }
            }
        }
    }

    /// What times the matrix gives `values`, in their place.
    #[inline(always)]
    fn solve<S: Simd>(lower: &[Lane], simd: S, values: &mut [Lane]) {
        let count = values.len();
        for i in 0..count {
            let mut x = values[i].load(simd);
            for j in 0..i {
                x -= lower[triangle(i, j)].load(simd) * values[j].load(simd);
            }
            values[i].store(x);
        }
        for i in (0..count).rev() {
            let mut x = values[i].load(simd) * lower[triangle(i, i)].load(simd);
            for j in i + 1..count {
                x -= lower[triangle(j, i)].load(simd) * values[j].load(simd);
            }
            values[i].store(x);
        }
    }
}

/// Begins with what the velocities in [`BodyWork::change`] leave to make good; what edges do is to be
/// [added](LoopLanes::add).
#[inline(always)]
pub(super) fn begin<S: Simd>(
    simd: S,
    bundle: Bundle<'_>,
    aim: Aim,
    gives: mask32x8<S>,
    joints: &Joints<'_>,
    work: &[BodyWork],
    loops: &mut LoopLanes,
) {
    let zero = f32x8::splat(simd, 0.0);
    for Closing { edge, rows: places } in &bundle.shape.closings {
        let rows = ClosingRows::<S>::of(simd, bundle, edge);
        let [child, parent] = [edge.child, edge.parent].map(|body| &work[body as usize].change);
        let mut right = [zero; MOST_ROWS];
        relative(simd, &rows, child, parent, &mut right);
        for (guide, own) in guides_of::<MOST_ROWS, true>(bundle, edge) {
            let (turns, lanes) = (aim.turns, &joints.guides[guide]);
            hold::aim(simd, bundle, guide, turns, lanes, work, &mut right, own);
        }
        let places = places[0] as usize..places[1] as usize;
        let mut slack = [Lane::ZERO; MOST_ROWS];
        slack[..places.len()].copy_from_slice(&loops.slack[places.clone()]);
        let give = give::<S, MOST_ROWS, true>(simd, bundle, edge, joints, &slack);
        let errors = if aim.bias_rate == 0.0 {
            [zero; MOST_ROWS]
        } else {
            errors::<S, MOST_ROWS, true>(simd, bundle, edge, aim.bias_rate)
        };
        for (own, row) in places.enumerate() {
            let rest = gives.select(zero, errors[own]);
            loops.right[row].store(right[own] - give[own] - rest);
            loops.removal[row].store(zero - gives.select(errors[own], zero));
        }
    }
}

/// Finds and keeps the impulses of what closes loops, once all edges have been asked.
#[inline(always)]
pub(super) fn finish<S: Simd>(
    simd: S,
    bundle: Bundle<'_>,
    aim: Aim,
    softness: Softness,
    joints: &mut Joints<'_>,
    loops: &mut LoopLanes,
) {
    let shape = bundle.shape;
    if aim.bias_rate != 0.0 {
        reconcile(simd, aim.bias_rate, loops);
        LoopLanes::solve(&loops.lower, simd, &mut loops.removal);
    }
    LoopLanes::solve(&loops.lower, simd, &mut loops.right);
    for Closing { edge, rows: places } in &shape.closings {
        let mut impulse = [f32x8::splat(simd, 0.0); MOST_ROWS];
        let places = places[0] as usize..places[1] as usize;
        for (own, row) in places.clone().enumerate() {
            impulse[own] = loops.right[row].load(simd) + loops.removal[row].load(simd);
        }
        keep::<S, MOST_ROWS, true>(simd, bundle, edge, softness, joints, &mut impulse);
        for (own, row) in places.enumerate() {
            loops.value[row].store(impulse[own]);
        }
    }
}

/// Leaves of the errors what the bodies can make good; see [`Factor`](crate::joint::tree::Factor).
#[inline(always)]
fn reconcile<S: Simd>(simd: S, bias_rate: f32, loops: &mut LoopLanes) {
    let reconciling = Reconciling::new(simd, bias_rate);
    // Until the end `value` has what is left of each row by itself.
    for row in 0..loops.value.len() {
        let mut seen = f32x8::splat(simd, 0.0);
        for j in 0..row {
            seen += loops.lower[triangle(row, j)].load(simd) * loops.value[j].load(simd);
        }
        let error = loops.removal[row].load(simd) - seen;
        let floor = loops.lower[triangle(row, row)].load(simd) * loops.slack[row].load(simd);
        let own = reconciling.left(floor, loops.reach[row].load(simd), error);
        loops.value[row].store(own);
        loops.removal[row].store(seen + own);
    }
}

/// The direction along which a row holds an anchor; none of one about rotation alone.
#[inline(always)]
fn direction<S: Simd>(simd: S, rows: &ClosingRows<'_, S>, row: usize) -> Vec3x8<S> {
    let one = f32x8::splat(simd, 1.0);
    let mut direction = Vec3x8::zero(simd);
    match rows.axis(row) {
        0 => direction.x = one,
        1 => direction.y = one,
        2 => direction.z = one,
        LINE.. => direction = rows.along(simd, row),
        _ => {}
    }
    direction
}

/// Adds the impulses of what closes loops to those on its bodies.
#[inline(always)]
pub(super) fn act<S: Simd>(simd: S, bundle: Bundle<'_>, loops: &LoopLanes, work: &mut [BodyWork]) {
    for Closing { edge, rows: places } in &bundle.shape.closings {
        let rows = ClosingRows::<S>::of(simd, bundle, edge);
        let zero = f32x8::splat(simd, 0.0);
        let mut sums: [Six<S>; 2] = [[zero; 6]; 2];
        for (own, row) in (places[0] as usize..places[1] as usize).enumerate() {
            let value = loops.value[row].load(simd);
            let linear = direction(simd, &rows, own);
            for (sum, about) in sums.iter_mut().zip([rows.child[own], rows.parent[own]]) {
                let wrench = [linear.x, linear.y, linear.z, about.x, about.y, about.z];
                for i in 0..6 {
                    sum[i] += wrench[i] * value;
                }
            }
        }
        let [child, parent] = sums;
        for i in 0..6 {
            let place = &mut work[edge.child as usize].impulse[i];
            place.store(place.load(simd) + child[i]);
            let place = &mut work[edge.parent as usize].impulse[i];
            place.store(place.load(simd) - parent[i]);
        }
    }
}
