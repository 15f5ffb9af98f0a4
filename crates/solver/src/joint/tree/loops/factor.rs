//! Factoring the system of what closes loops.

#![expect(
    clippy::needless_range_loop,
    reason = "rows and columns of small matrices; closures lose the instruction set"
)]

use drystone_geometry::lanes::{Lane, SymMat3x8, divide_or_zero, f32x8, max};
use fearless_simd::prelude::*;

use super::{ClosingRows, LoopLanes, direction, triangle};
use crate::joint::tree::direct::{Bundle, inverse_inertia};
use crate::joint::tree::guide::hold;
use crate::joint::tree::parts::{Parts, Place};
use crate::joint::tree::rows::{ROTATION, Rows, guides_of, relative};
use crate::joint::tree::shape::{Closing, Edge, Kernel};
use crate::joint::tree::system::{alone, beside_locks, held_pivot};
use crate::joint::tree::{BodyWork, Factor, Factors, GuideLanes, MOST_ROWS, TreeBody, rest};
use crate::tolerance::REDUNDANT_SHARE;

/// A row of a closing.
#[derive(Clone, Copy)]
struct At {
    closing: usize,
    /// In the system of all, and in its closing.
    row: usize,
    own: usize,
}

/// Factors the system of what closes loops, once all edges are; returns how much it gives way at most.
#[inline(always)]
pub(in crate::joint::tree) fn eliminate<S: Simd>(simd: S, parts: &mut Parts<'_>) -> f32x8<S> {
    let most = f32x8::splat(simd, 0.0);
    if parts.shape.closings.is_empty() {
        return most;
    }
    simd.vectorize(
        #[inline(always)]
        || factor(simd, parts),
    )
}

#[inline(always)]
fn factor<S: Simd>(simd: S, parts: &mut Parts<'_>) -> f32x8<S> {
    let Parts {
        shape,
        factors,
        loops,
        work,
        ..
    } = parts;
    let bundle = Bundle {
        shape,
        bodies: parts.bodies,
        presents: parts.presents,
        guides: parts.guided,
    };
    let mut most = f32x8::splat(simd, 0.0);
    for (closing, Closing { edge, rows: places }) in shape.closings.iter().enumerate() {
        let rows = ClosingRows::<S>::of(simd, bundle, edge);
        for (own, row) in (places[0] as usize..places[1] as usize).enumerate() {
            let at = At { closing, row, own };
            for work in &mut **work {
                work.change = [Lane::ZERO; 6];
            }
            push(simd, bundle, edge, &rows, own, work);
            for rest in &*parts.rests {
                rest::answer(simd, rest, work);
            }
            enter(simd, bundle, at, work, loops);
            let (stops, first) = (&*parts.stops, parts.first);
            feel_all(simd, bundle, at, stops, first, factors, work, loops);
            let floor = finish_row(simd, bundle, edge, &rows, at, parts.guides, loops);
            most = max(most, floor);
        }
    }
    most
}

/// Factors a row of which all edges have answered; returns how much it gives way for good.
#[inline(always)]
fn finish_row<S: Simd>(
    simd: S,
    bundle: Bundle<'_>,
    edge: &Edge,
    rows: &ClosingRows<'_, S>,
    At { row, own, .. }: At,
    guides: &[GuideLanes],
    loops: &mut LoopLanes,
) -> f32x8<S> {
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let [free, beside] = give_way(simd, bundle, edge, rows, own);
    let spin = inverse_inertia(simd, bundle, edge);
    let is_turn = rows.axis(own) == ROTATION;
    let reach = divide_or_zero(spin, if is_turn { spin } else { free });
    loops.reach[row].store(reach);
    let whole = &mut loops.lower[triangle(row, row)];
    let mut held = held_pivot(simd, free, beside, whole.load(simd));
    if let Some((index, axis)) = guide_at(bundle, edge, own) {
        let (guide, guided) = (&guides[index], &bundle.guides[index]);
        let (give, least) = hold::give_along(simd, guide, guided, axis);
        whole.store(whole.load(simd) + give);
        held = max(held, least);
    }
    let pivot = decompose(simd, row, &mut loops.lower);
    let floor = free * f32x8::splat(simd, REDUNDANT_SHARE);
    loops.slack[row].store(floor);
    let pivot = max(pivot, zero) + floor;
    let pivot = pivot.simd_gt(held).select(pivot, zero);
    loops.lower[triangle(row, row)].store(divide_or_zero(one, pivot));
    floor
}

/// The guide that a row of a closing is of, and its axis.
#[inline(always)]
fn guide_at(bundle: Bundle<'_>, edge: &Edge, row: usize) -> Option<(usize, usize)> {
    let mut guides = guides_of::<MOST_ROWS, true>(bundle, edge);
    let guide = guides.find(|(_, rows)| rows.contains(&row));
    guide.map(|(index, rows)| (index, row - rows.start))
}

/// Velocities that an impulse of 1 in a row gives its two bodies by themselves.
#[inline(always)]
fn push<S: Simd>(
    simd: S,
    bundle: Bundle<'_>,
    edge: &Edge,
    rows: &ClosingRows<'_, S>,
    row: usize,
    work: &mut [BodyWork],
) {
    let linear = direction(simd, rows, row);
    let sides = [
        (edge.child, rows.child[row], 1.0),
        (edge.parent, rows.parent[row], -1.0),
    ];
    for (body, about, sign) in sides {
        let sign = f32x8::splat(simd, sign);
        let TreeBody {
            diagonal,
            off_diagonal,
            inverse_mass,
            ..
        } = &bundle.bodies[body as usize];
        let inverse_inertia = SymMat3x8 {
            diagonal: diagonal.load(simd),
            off_diagonal: off_diagonal.load(simd),
        };
        let moved = inverse_mass.load(simd).mul_components(linear).scale(sign);
        let turned = inverse_inertia.apply(about).scale(sign);
        let velocity = [moved.x, moved.y, moved.z, turned.x, turned.y, turned.z];
        let change = &mut work[body as usize].change;
        for (place, value) in change.iter_mut().zip(velocity) {
            place.store(value);
        }
    }
}

/// What the bodies alone give way in a row, and what they would if locked axes did not lie in the way.
#[inline(always)]
fn give_way<S: Simd>(
    simd: S,
    bundle: Bundle<'_>,
    edge: &Edge,
    rows: &ClosingRows<'_, S>,
    row: usize,
) -> [f32x8<S>; 2] {
    let (axis, along) = (rows.axis(row), rows.along(simd, row));
    let mut sums = [f32x8::splat(simd, 0.0); 2];
    let sides = [
        (edge.child, rows.child[row]),
        (edge.parent, rows.parent[row]),
    ];
    for (body, about) in sides {
        let body = &bundle.bodies[body as usize];
        sums[0] += alone::<S, true>(simd, body, axis, along, about);
        sums[1] += beside_locks(simd, body, axis, about);
    }
    sums
}

/// Enters into the row of the matrix what it and those before it have to do with each other through the bodies
/// that they share, whose velocities are given.
#[inline(always)]
fn enter<S: Simd>(
    simd: S,
    bundle: Bundle<'_>,
    At { closing, row, .. }: At,
    work: &[BodyWork],
    loops: &mut LoopLanes,
) {
    let shape = bundle.shape;
    let own = shape.closings[closing].edge;
    for Closing { edge, rows: places } in &shape.closings[..=closing] {
        let [first, end] = [places[0] as usize, (places[1] as usize).min(row + 1)];
        let bodies = [edge.child, edge.parent];
        let shares = bodies.contains(&own.child) || bodies.contains(&own.parent);
        let mut right = [f32x8::splat(simd, 0.0); MOST_ROWS];
        if shares {
            let rows = ClosingRows::<S>::of(simd, bundle, edge);
            let [child, parent] = bodies.map(|body| &work[body as usize].change);
            relative(simd, &rows, child, parent, &mut right);
        }
        for column in first..end {
            loops.lower[triangle(row, column)].store(-right[column - first]);
        }
    }
}

/// Has all edges that feel a row answer to it, and takes from the matrix what they hold.
#[inline(always)]
fn feel_all<S: Simd>(
    simd: S,
    bundle: Bundle<'_>,
    at: At,
    stops: &[bool],
    mut place: Place,
    factors: &Factors,
    work: &mut [BodyWork],
    loops: &mut LoopLanes,
) {
    for (edge, &is_stopped) in bundle.shape.edges.iter().zip(stops) {
        let here = place.next(edge);
        let felt = bundle.shape.felt_by(edge);
        let own = (felt.iter()).position(|feel| feel.closing as usize == at.closing);
        let Some(own) = own else {
            continue;
        };
        let (felt, kernel) = (Felt { edge, own }, edge.kernel(is_stopped));
        feel_edge(simd, bundle, felt, kernel, at, here, factors, work, loops);
    }
}

/// An edge, and which of the closings that it feels is meant.
#[derive(Clone, Copy)]
struct Felt<'a> {
    edge: &'a Edge,
    own: usize,
}

#[inline(always)]
fn feel_edge<S: Simd>(
    simd: S,
    bundle: Bundle<'_>,
    felt: Felt<'_>,
    kernel: Kernel,
    at: At,
    place: Place,
    factors: &Factors,
    work: &mut [BodyWork],
    loops: &mut LoopLanes,
) {
    match kernel {
        Kernel::Ball => {
            let factor = &factors.three[place.three];
            feel::<S, 3, false>(simd, bundle, felt, at, factor, work, loops);
        }
        Kernel::Line => {
            let factor = &factors.three[place.three];
            feel::<S, 3, true>(simd, bundle, felt, at, factor, work, loops);
        }
        Kernel::Hinge => {
            let factor = &factors.five[place.five];
            feel::<S, 5, false>(simd, bundle, felt, at, factor, work, loops);
        }
        Kernel::Six => {
            let factor = &factors.six[place.six];
            feel::<S, 6, false>(simd, bundle, felt, at, factor, work, loops);
        }
        Kernel::Guide => {
            let factor = &factors.six[place.six];
            feel::<S, 6, true>(simd, bundle, felt, at, factor, work, loops);
        }
        Kernel::Many => {
            let factor = &factors.many[place.many];
            feel::<S, MOST_ROWS, true>(simd, bundle, felt, at, factor, work, loops);
        }
    }
}

#[inline(always)]
fn feel<S: Simd, const N: usize, const G: bool>(
    simd: S,
    bundle: Bundle<'_>,
    Felt { edge, own }: Felt<'_>,
    at: At,
    factor: &Factor<N>,
    work: &mut [BodyWork],
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
    if edge.carries {
        factor.hand_on(simd, &right, &mut work[parent].change);
    }
    let felt = &bundle.shape.felt_by(edge)[..=own];
    let reaction = factor.solve(simd, right);
    let from = felt[own].at as usize + at.own * N;
    for i in 0..N {
        loops.reactions[from + i].store(reaction[i]);
    }
    for feel in felt {
        let [first, end] = bundle.shape.closings[feel.closing as usize].rows;
        for column in first as usize..(end as usize).min(at.row + 1) {
            let from = feel.at as usize + (column - first as usize) * N;
            let place = &mut loops.lower[triangle(at.row, column)];
            let mut value = place.load(simd);
            for i in 0..N {
                value -= loops.reactions[from + i].load(simd) * right[i];
            }
            place.store(value);
        }
    }
}

/// Makes a row of the matrix one of `L D L^T`, but for the pivot, which is returned, once those before it are.
#[inline(always)]
fn decompose<S: Simd>(simd: S, row: usize, lower: &mut [Lane]) -> f32x8<S> {
    // First each entry times its pivot, which those after it need.
    for j in 0..row {
        let mut value = lower[triangle(row, j)].load(simd);
        for k in 0..j {
            value -= lower[triangle(row, k)].load(simd) * lower[triangle(j, k)].load(simd);
        }
        lower[triangle(row, j)].store(value);
    }
    let mut pivot = lower[triangle(row, row)].load(simd);
    for j in 0..row {
        let value = lower[triangle(row, j)].load(simd);
        let entry = value * lower[triangle(j, j)].load(simd);
        pivot -= value * entry;
        lower[triangle(row, j)].store(entry);
    }
    pivot
}
