//! What bodies of trees rest on, solved with what is locked while it presses hard.
//!
//! A contact knows the masses of its two bodies alone. Where a rope of light links runs over a peg and
//! bears something heavy, what a link presses the peg with has nothing to do with its mass: solved by
//! itself, its contact would sink in by `N h^2 / m`, with `N` the force, `m` the mass of the link and `h`
//! the sub-step, creep, and let thin pegs through. So what such a link rests on is a row of the system of
//! its tree. It holds one body against something that nothing pushes, so it is eliminated before all
//! edges: the mobility `W` of the body becomes `W - W j^T (j W j^T + c)^-1 j W`, with `j` the row and `c`
//! what it gives way, and the edges find a body that hardly moves along the normal, whatever its mass.
//!
//! Rests push only. Those that would have to pull are let go as stops are (see [`stop`](super::stop)),
//! and the tree is solved anew.
//!
//! Taut links are held in line by the pull, and rests that are much harder than that share the load by
//! chance. So they are springs as soft as may be: at rest they sink in by a share of the extent of the
//! body, see [`rest`](crate::contact::rest), which chooses them.

#![expect(
    clippy::needless_range_loop,
    reason = "rows and columns of small matrices; closures lose the instruction set"
)]

use drystone_geometry::lanes::{
    Lane, Lane3, SymMat3x8, Vec3x8, divide_or_zero, f32x8, mask32x8, max, min,
};
use fearless_simd::prelude::*;

use crate::body_rows::BodyRows;
use crate::joint::tree::parts::{Parts, take_lane};
use crate::joint::tree::rows::load_six;
use crate::joint::tree::system::entry;
use crate::joint::tree::{BodyWork, TreeBody};

/// A rest of eight bodies; see [`Rest`](crate::body_rows::rests::Rest).
#[derive(Clone, Copy, Debug)]
pub(super) struct RestLanes {
    /// Number of the bodies in their trees.
    body: u32,
    /// Which of the rests of its body it is.
    place: u32,
    normal: Lane3,
    about: Lane3,
    separation: Lane,
    speed: Lane,
    /// What it has done so far, in N s.
    pub(super) impulse: Lane,
    /// 1 where it acts, -1 where it is about to be let go.
    acts: Lane,
    share: Lane,
    /// How much it gives way, in 1/kg.
    give: Lane,
    /// Inverse pivot, in kg.
    inverse: Lane,
    /// Velocity per impulse of the body with what was eliminated before, linear before angular.
    moved: [Lane; 6],
    /// Impulse without what comes later, in N s.
    value: Lane,
    /// What it did before the pass, and before what is locked was solved.
    kept: Lane,
    pub(super) passed: Lane,
}

impl RestLanes {
    const NONE: Self = Self {
        body: 0,
        place: 0,
        normal: Lane3::ZERO,
        about: Lane3::ZERO,
        separation: Lane::ZERO,
        speed: Lane::ZERO,
        impulse: Lane::ZERO,
        acts: Lane::ZERO,
        share: Lane::ZERO,
        give: Lane::ZERO,
        inverse: Lane::ZERO,
        moved: [Lane::ZERO; 6],
        value: Lane::ZERO,
        kept: Lane::ZERO,
        passed: Lane::ZERO,
    };
}

/// Keeps what rests have done.
pub(super) fn keep(rests: &mut [RestLanes]) {
    for rest in rests {
        rest.kept = rest.impulse;
    }
}

/// Puts back what [`keep`] has kept of some trees.
#[inline(always)]
pub(super) fn put_back<S: Simd>(simd: S, rests: &mut [RestLanes], some: mask32x8<S>) {
    for rest in rests {
        take_lane(simd, some, &mut rest.impulse, &rest.kept);
    }
}

/// What a pass asks of rests.
#[derive(Clone, Copy, Debug)]
pub(super) enum RestAim {
    /// To remove a share of overlap, and all of a gap.
    Biased {
        rate: f32,
        inverse_h: f32,
        fastest: f32,
    },
    /// To keep the distance, or to close a gap within the sub-step and no more.
    Relaxed { inverse_h: f32 },
    /// Nothing but to stay.
    Unasked,
}

/// Looks up the rests of eight trees; returns whether there are some.
pub(super) fn collect(rows: &BodyRows, parts: &mut Parts<'_>) -> bool {
    parts.rests.clear();
    if !rows.rests.any() {
        return false;
    }
    for (index, body) in parts.bodies.iter().enumerate() {
        let counts = body.rows.map(|row| rows.rests.count(row));
        let most = counts.into_iter().fold(0, usize::max);
        for place in 0..most {
            let mut lanes = RestLanes {
                body: index as u32,
                place: place as u32,
                ..RestLanes::NONE
            };
            for (lane, &row) in body.rows.iter().enumerate() {
                if place < counts[lane] {
                    let rest = rows.rests.get(row, place);
                    lanes.normal.set(lane, rest.normal);
                    lanes.about.set(lane, rest.about);
                    lanes.separation.0[lane] = rest.separation;
                    lanes.speed.0[lane] = rest.speed;
                    lanes.impulse.0[lane] = rest.impulse;
                    lanes.share.0[lane] = rest.give;
                    lanes.acts.0[lane] = 1.0;
                }
            }
            parts.rests.push(lanes);
        }
        if most > 0 {
            for (&row, &count) in body.rows.iter().zip(&counts) {
                if count > 0 {
                    rows.rests.clear(row);
                }
            }
        }
    }
    !parts.rests.is_empty()
}

/// Tells contacts what their rests have done.
pub(super) fn tell(rows: &BodyRows, parts: &Parts<'_>) {
    for rest in &*parts.rests {
        let body = &parts.bodies[rest.body as usize];
        for (lane, &row) in body.rows.iter().enumerate() {
            if rest.normal.get(lane).length_squared() > 0.0 {
                let (impulse, acts) = (rest.impulse.0[lane], rest.acts.0[lane]);
                rows.rests.set_done(row, rest.place as usize, impulse, acts);
            }
        }
    }
}

/// Moves the rests on with their bodies, which have made a movement with the velocities they have.
#[inline(always)]
pub(super) fn advance<S: Simd>(simd: S, h: f32, parts: &mut Parts<'_>) {
    for rest in &mut *parts.rests {
        let work = &parts.work[rest.body as usize];
        let (n, about) = (rest.normal.load(simd), rest.about.load(simd));
        let speed = n.dot(work.linear.load(simd)) + about.dot(work.angular.load(simd));
        let away = (speed - rest.speed.load(simd)) * f32x8::splat(simd, h);
        rest.separation.store(rest.separation.load(simd) + away);
    }
}

/// The row of a rest: what makes the velocity of its body the speed along the normal.
#[inline(always)]
fn row<S: Simd>(simd: S, rest: &RestLanes) -> [f32x8<S>; 6] {
    let (n, t) = (rest.normal.load(simd), rest.about.load(simd));
    [n.x, n.y, n.z, t.x, t.y, t.z]
}

#[inline(always)]
fn dot<S: Simd>(a: &[f32x8<S>; 6], b: &[f32x8<S>; 6]) -> f32x8<S> {
    let mut sum = a[0] * b[0];
    for i in 1..6 {
        sum += a[i] * b[i];
    }
    sum
}

/// What a body alone would give way, in 1/kg.
#[inline(always)]
fn alone<S: Simd>(simd: S, body: &TreeBody, rest: &RestLanes) -> f32x8<S> {
    let (n, about) = (rest.normal.load(simd), rest.about.load(simd));
    let push = body.inverse_mass.load(simd).mul_components(n);
    push.dot(n) + inertia(simd, body).apply(about).dot(about)
}

#[inline(always)]
fn inertia<S: Simd>(simd: S, body: &TreeBody) -> SymMat3x8<S> {
    SymMat3x8 {
        diagonal: body.diagonal.load(simd),
        off_diagonal: body.off_diagonal.load(simd),
    }
}

/// Takes from the mobilities of bodies what rests hold.
#[inline(always)]
pub(super) fn eliminate<S: Simd>(
    simd: S,
    bodies: &[TreeBody],
    rests: &mut [RestLanes],
    work: &mut [BodyWork],
) {
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    for rest in rests {
        let body = &bodies[rest.body as usize];
        let mobility = &mut work[rest.body as usize].mobility;
        let j = row(simd, rest);
        let give = alone(simd, body, rest) * rest.share.load(simd);
        rest.give.store(give);
        let mut moved = [zero; 6];
        for i in 0..6 {
            for k in 0..6 {
                moved[i] += mobility[entry(i, k)].load(simd) * j[k];
            }
            rest.moved[i].store(moved[i]);
        }
        let pivot = max(dot(&j, &moved), zero) + give;
        let acts = rest.acts.load(simd).simd_gt(zero);
        let inverse = acts.select(divide_or_zero(one, pivot), zero);
        rest.inverse.store(inverse);
        for i in 0..6 {
            for k in i..6 {
                let place = &mut mobility[entry(i, k)];
                place.store(place.load(simd) - moved[i] * (moved[k] * inverse));
            }
        }
    }
}

/// Solves rests as if nothing came after them, given the velocities in [`BodyWork::change`].
#[inline(always)]
pub(super) fn forward<S: Simd>(
    simd: S,
    aim: RestAim,
    rests: &mut [RestLanes],
    work: &mut [BodyWork],
) {
    let zero = f32x8::splat(simd, 0.0);
    for rest in rests {
        let change = &mut work[rest.body as usize].change;
        let came = load_six(simd, change);
        let separation = rest.separation.load(simd);
        let wanted = match aim {
            RestAim::Biased {
                rate,
                inverse_h,
                fastest,
            } => {
                let out = min(
                    -separation * f32x8::splat(simd, rate),
                    f32x8::splat(simd, fastest),
                );
                let close = -separation * f32x8::splat(simd, inverse_h);
                let push = separation.simd_lt(zero).select(out, close);
                rest.speed.load(simd) + push - rest.give.load(simd) * rest.impulse.load(simd)
            }
            RestAim::Relaxed { inverse_h } => {
                rest.speed.load(simd) - max(separation, zero) * f32x8::splat(simd, inverse_h)
            }
            RestAim::Unasked => zero,
        };
        let missing = wanted - dot(&row(simd, rest), &came);
        let value = rest.inverse.load(simd) * missing;
        rest.value.store(value);
        for i in 0..6 {
            change[i].store(came[i] + rest.moved[i].load(simd) * value);
        }
    }
}

/// Takes from the velocities in [`BodyWork::change`] what a rest holds of them.
#[inline(always)]
pub(super) fn answer<S: Simd>(simd: S, rest: &RestLanes, work: &mut [BodyWork]) {
    let change = &mut work[rest.body as usize].change;
    let came = load_six(simd, change);
    let value = rest.inverse.load(simd) * dot(&row(simd, rest), &came);
    for i in 0..6 {
        change[i].store(came[i] - rest.moved[i].load(simd) * value);
    }
}

/// Learns what came of the edges, and keeps and applies the impulses.
#[inline(always)]
pub(super) fn backward<S: Simd>(simd: S, rests: &mut [RestLanes], work: &mut [BodyWork]) {
    for rest in rests.iter_mut().rev() {
        let place = &mut work[rest.body as usize].impulse;
        let later = load_six(simd, place);
        let mut moved = later;
        for i in 0..6 {
            moved[i] = rest.moved[i].load(simd);
        }
        let change = rest.value.load(simd) - rest.inverse.load(simd) * dot(&moved, &later);
        rest.impulse.store(rest.impulse.load(simd) + change);
        let j = row(simd, rest);
        for i in 0..6 {
            place[i].store(later[i] + j[i] * change);
        }
    }
}

/// Lets go of what would have had to pull, in trees where that `may` be; returns where.
#[inline(always)]
pub(super) fn let_go<S: Simd>(simd: S, rests: &mut [RestLanes], may: mask32x8<S>) -> mask32x8<S> {
    let zero = f32x8::splat(simd, 0.0);
    let mut some = zero.simd_gt(zero);
    for rest in rests {
        let acts = rest.acts.load(simd);
        let ends = acts.simd_gt(zero) & rest.impulse.load(simd).simd_lt(zero) & may;
        rest.acts.store(ends.select(f32x8::splat(simd, -1.0), acts));
        some |= ends;
    }
    some
}
/// Lets rests that were let go do nothing; returns whether there were some.
#[inline(always)]
pub(super) fn end<S: Simd>(simd: S, parts: &mut Parts<'_>) -> bool {
    let zero = f32x8::splat(simd, 0.0);
    let mut any = false;
    for rest in &mut *parts.rests {
        let acts = rest.acts.load(simd);
        let left = acts.simd_lt(zero);
        if !left.any_true() {
            continue;
        }
        any = true;
        rest.acts.store(left.select(zero, acts));
        let done = rest.impulse.load(simd);
        let back = left.select(zero - done, zero);
        rest.impulse.store(left.select(zero, done));
        let body = &parts.bodies[rest.body as usize];
        let work = &mut parts.work[rest.body as usize];
        let push: Vec3x8<S> = rest.normal.load(simd).scale(back);
        let turn: Vec3x8<S> = rest.about.load(simd).scale(back);
        let linear = work.linear.load(simd) + body.inverse_mass.load(simd).mul_components(push);
        work.linear.store(linear);
        work.angular
            .store(work.angular.load(simd) + inertia(simd, body).apply(turn));
    }
    any
}
