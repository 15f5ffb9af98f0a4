//! Keeping four points of many: the deepest, and those that span the largest area with
//! it; last frame's choice when it is still about as good.

use drystone_geometry::glam::DVec3;
use drystone_geometry::manifold::MAX_POINTS;

use super::{Candidate, feature_id};
use crate::tolerance::{
    DEPTH_TIE, HALF_AS_NEAR, KEPT_DEPTH, KEPT_WORTH, MAX_SEARCHED_POINTS, PRESSING_DEPTH,
    RIM_DEPTH_TIE, SAME_POINT,
};

/// What points are chosen by.
pub(crate) trait Spot: Copy {
    /// In metres, in a frame common to all.
    fn place(&self) -> DVec3;
    /// In metres; negative in overlap.
    fn separation(&self) -> f64;
    /// Decides between equals, so that neither rounding nor order does.
    fn id(&self) -> u32;
}

impl Spot for Candidate {
    #[inline(always)]
    fn place(&self) -> DVec3 {
        self.on_a
    }

    #[inline(always)]
    fn separation(&self) -> f64 {
        self.separation
    }

    #[inline(always)]
    fn id(&self) -> u32 {
        feature_id(self.features)
    }
}

/// Indices of the points to keep.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Kept {
    indices: [usize; MAX_POINTS],
    count: usize,
}

impl Kept {
    /// So many from the first on.
    #[inline]
    pub(crate) fn first(count: usize) -> Self {
        Self {
            indices: [0, 1, 2, 3],
            count,
        }
    }

    /// In the order of the candidates.
    #[inline]
    pub(crate) fn indices(&self) -> &[usize] {
        &self.indices[..self.count]
    }

    fn push(&mut self, index: usize) {
        self.indices[self.count] = index;
        self.count += 1;
    }
}

/// Chooses from a polygon of more `candidates` than are kept, in order around `normal`, of the
/// smaller shape's size and within a margin, both in metres; `previous` tells of each whether it was
/// kept in the last frame, and `stands` whether something stands on those.
#[inline(never)]
pub(crate) fn choose<S: Spot>(
    candidates: &[S],
    normal: DVec3,
    (size, margin): (f64, f64),
    stands: bool,
    previous: impl Fn(&S) -> bool,
) -> Kept {
    let depth_tie = depth_tie(candidates) * size;
    let nearness = Nearness {
        level: deep_tie(candidates, size).max(PRESSING_DEPTH * least(candidates)),
        half: depth_tie.max(HALF_AS_NEAR * margin),
    };
    let best = if let Some(ends) = on_a_line(candidates, normal, size) {
        ends
    } else if candidates.len() <= MAX_SEARCHED_POINTS {
        widest(candidates, normal, size, nearness)
    } else {
        spread(candidates, normal, size, nearness)
    };
    let worth = |kept: &Kept| {
        let shares = kept.indices().iter();
        area(candidates, kept.indices(), normal)
            * shares.fold(1.0, |product, &i| product * nearness.share(&candidates[i]))
    };
    let tie = if stands {
        depth_tie.max(KEPT_DEPTH * margin)
    } else {
        depth_tie
    };
    if let Some(old) = same_as_before(candidates, previous)
        && worth(&old) >= KEPT_WORTH * worth(&best)
        && deepest(candidates, old.indices()) <= deepest(candidates, best.indices()) + tie
    {
        return old;
    }
    best
}

/// How far a candidate that is not `kept` may sink, in metres, until it is deeper than those. Of less than
/// four kept it lies between them, and cannot. `size` is that of the smaller shape, in metres.
#[inline(never)]
pub(crate) fn clearance<S: Spot>(candidates: &[S], kept: &Kept, size: f64) -> f64 {
    if kept.count < MAX_POINTS {
        return f64::INFINITY;
    }
    let mut nearest = f64::INFINITY;
    for (index, candidate) in candidates.iter().enumerate() {
        if !kept.indices().contains(&index) {
            nearest = nearest.min(candidate.separation());
        }
    }
    nearest - deepest(candidates, kept.indices()) + depth_tie(candidates) * size
}

/// How much of the area that a point spans counts: all where it is about half as deep as the deepest,
/// less the higher it is.
///
/// What leans stands on two corners of many, and one of them may be a hair deeper. By area alone the
/// other one would be left out for some far away that press on nothing: the body would tip over the
/// one, then over the other, and rock for ever. Those that lie deep all press: did they count for less
/// than one that is deeper by a hair, two corners beside each other would be kept and the far ones left
/// out, over which the body would tip to and fro.
#[derive(Clone, Copy)]
struct Nearness {
    /// Separation up to which all counts, in metres.
    level: f64,
    /// How far above half of it counts, in metres.
    half: f64,
}

impl Nearness {
    fn share<S: Spot>(self, spot: &S) -> f64 {
        self.half / (self.half + (spot.separation() - self.level).max(0.0))
    }
}

/// Sorts points by their direction from the middle, once around the normal. `turns` is scratch.
pub(crate) fn around<S: Spot>(points: &mut [S], normal: DVec3, turns: &mut Vec<(f64, u32, S)>) {
    let middle = points.iter().map(S::place).sum::<DVec3>() / points.len() as f64;
    let (x_axis, y_axis) = normal.any_orthonormal_pair();
    turns.clear();
    for point in points.iter() {
        // Grows with the angle from -x, without trigonometry.
        let offset = point.place() - middle;
        let (x, y) = (offset.dot(x_axis), offset.dot(y_axis));
        let sum = x.abs() + y.abs();
        let share = if sum > 0.0 { x / sum } else { 0.0 };
        let turn = if y < 0.0 { share - 1.0 } else { 1.0 - share };
        turns.push((turn, point.id(), *point));
    }
    turns.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    for (point, (_, _, sorted)) in points.iter_mut().zip(turns.iter()) {
        *point = *sorted;
    }
}

/// Of points on one line, as a log leaves them on many triangles, both ends, and the deepest if it
/// is deeper than they are: no area tells these from the others.
fn on_a_line<S: Spot>(candidates: &[S], normal: DVec3, size: f64) -> Option<Kept> {
    let equal_area = SAME_POINT * size * size;
    let first = candidates[0].place();
    let from = |point: DVec3| move |c: &S| (c.place() - point).length_squared();
    let one = largest(candidates, equal_area, from(first));
    let start = candidates[one].place();
    let other = largest(candidates, equal_area, from(start));
    let line = candidates[other].place() - start;
    let is_on_it = |c: &S| line.cross(c.place() - start).dot(normal).abs() <= equal_area;
    if !candidates.iter().all(is_on_it) {
        return None;
    }
    let deepest = largest(candidates, DEPTH_TIE * size, |c| -c.separation());
    let ends = candidates[one]
        .separation()
        .min(candidates[other].separation());
    let is_deeper = candidates[deepest].separation() < ends - DEPTH_TIE * size;
    let third = if is_deeper { deepest } else { one };
    Some(different(candidates, &[one, other, third], size))
}

/// The candidates that were kept in the last frame, if there are four.
fn same_as_before<S: Spot>(candidates: &[S], previous: impl Fn(&S) -> bool) -> Option<Kept> {
    let mut kept = Kept::default();
    for (index, candidate) in candidates.iter().enumerate() {
        if kept.count < MAX_POINTS && previous(candidate) {
            kept.push(index);
        }
    }
    (kept.count == MAX_POINTS).then_some(kept)
}

fn deepest<S: Spot>(candidates: &[S], indices: &[usize]) -> f64 {
    indices.iter().fold(f64::INFINITY, |least, &i| {
        least.min(candidates[i].separation())
    })
}

/// Twice the area of a polygon of candidates in order.
fn area<S: Spot>(candidates: &[S], indices: &[usize], normal: DVec3) -> f64 {
    let origin = candidates[indices[0]].place();
    let mut sum = 0.0;
    for pair in indices[1..].windows(2) {
        let (a, b) = (
            candidates[pair[0]].place() - origin,
            candidates[pair[1]].place() - origin,
        );
        sum += a.cross(b).dot(normal);
    }
    sum.abs()
}

/// Of few points the four that span the largest area, as far as it [counts](Nearness), the deepest or
/// one about as deep among them; of fours that span about the same the one with the smallest ids.
fn widest<S: Spot>(candidates: &[S], normal: DVec3, size: f64, nearness: Nearness) -> Kept {
    let count = candidates.len();
    let (tie, equal_area) = (deep_tie(candidates, size), SAME_POINT * size * size);
    let (mut ids, mut is_deep) = ([0; MAX_SEARCHED_POINTS], [false; MAX_SEARCHED_POINTS]);
    let mut shares = [0.0; MAX_SEARCHED_POINTS];
    for (index, candidate) in candidates.iter().enumerate() {
        ids[index] = candidate.id();
        is_deep[index] = candidate.separation() <= tie;
        shares[index] = nearness.share(candidate);
    }
    let mut best = (f64::NEG_INFINITY, 0, [0; MAX_POINTS]);
    for i in 0..count {
        for k in i + 2..count {
            // Twice the area of a convex polygon of four is the product of its diagonals.
            let across = normal.cross(candidates[k].place() - candidates[i].place());
            for j in i + 1..k {
                for l in k + 1..count {
                    if !(is_deep[i] || is_deep[j] || is_deep[k] || is_deep[l]) {
                        continue;
                    }
                    let area = across
                        .dot(candidates[l].place() - candidates[j].place())
                        .abs()
                        * ((shares[i] * shares[k]) * (shares[j] * shares[l]));
                    if area < best.0 - equal_area {
                        continue;
                    }
                    let id = (u64::from(ids[i]) + u64::from(ids[j]))
                        + (u64::from(ids[k]) + u64::from(ids[l]));
                    if area > best.0 + equal_area || id < best.1 {
                        best = (area, id, [i, j, k, l]);
                    }
                }
            }
        }
    }
    different(candidates, &best.2, size)
}

/// Those of up to four points that are not the same, in the order of the candidates.
pub(crate) fn different<S: Spot>(candidates: &[S], indices: &[usize], size: f64) -> Kept {
    let apart = SAME_POINT * size;
    let mut kept = Kept::default();
    for &index in indices {
        let point = candidates[index].place();
        let distinct =
            |&other: &usize| (candidates[other].place() - point).length_squared() > apart * apart;
        if kept.indices().iter().all(distinct) {
            kept.push(index);
        }
    }
    kept.indices[..kept.count].sort_unstable();
    kept
}

/// The separation up to which points are about as deep as the deepest.
fn deep_tie<S: Spot>(candidates: &[S], size: f64) -> f64 {
    least(candidates) + depth_tie(candidates) * size
}

/// The separation of the deepest.
fn least<S: Spot>(candidates: &[S]) -> f64 {
    (candidates.iter()).fold(f64::INFINITY, |least, c| least.min(c.separation()))
}

/// Ratio to the size: points this close in depth are equally deep.
fn depth_tie<S: Spot>(candidates: &[S]) -> f64 {
    if candidates.len() > MAX_SEARCHED_POINTS {
        RIM_DEPTH_TIE
    } else {
        DEPTH_TIE
    }
}

/// The deepest point (of equally deep ones the farthest from the middle), the one farthest
/// from it, and on either side of their line the one that adds most area; then the same from
/// the line of those two. Areas as far as they [count](Nearness).
fn spread<S: Spot>(candidates: &[S], normal: DVec3, size: f64, nearness: Nearness) -> Kept {
    let middle = candidates.iter().map(|c| c.place()).sum::<DVec3>() / candidates.len() as f64;
    let tie = deep_tie(candidates, size);
    let equal_area = SAME_POINT * size * size;
    let first = largest(candidates, equal_area, |c| {
        if c.separation() <= tie {
            (c.place() - middle).length_squared()
        } else {
            f64::NEG_INFINITY
        }
    });
    let at = |index: usize| candidates[index].place();
    // Beyond the line from one candidate to another, to the left seen against the normal.
    let beyond =
        |from: usize, to: usize, c: &S| (at(to) - at(from)).cross(c.place() - at(from)).dot(normal);
    let farthest = |from: usize, to: usize, sign: f64| {
        largest(candidates, equal_area, |c| {
            sign * beyond(from, to, c) * nearness.share(c)
        })
    };
    let second = largest(candidates, equal_area, |c| {
        (c.place() - at(first)).length_squared() * nearness.share(c)
    });
    let [left, right] = [1.0, -1.0].map(|sign| farthest(first, second, sign));
    let [is_left, is_right] =
        [left, right].map(|index| beyond(first, second, &candidates[index]).abs() > equal_area);
    if !(is_left && is_right) {
        // The line is a border of the patch: the fourth goes where it adds most to a triangle.
        let (third, sign) = if is_left { (left, 1.0) } else { (right, -1.0) };
        let fourth = largest(candidates, equal_area, |c| {
            let sides = [beyond(second, third, c), beyond(third, first, c)];
            let [one, other] = sides.map(|side| -sign * side);
            one.max(other) * nearness.share(c)
        });
        return different(candidates, &[first, second, third, fourth], size);
    }
    // The diagonal from left to right is as good as the other: what lies farthest off it may be
    // farther than the two that it began with. One of the deepest stays.
    let sign = 1f64.copysign(beyond(left, right, &candidates[first]));
    let first = largest(candidates, equal_area, |c| {
        if c.separation() <= tie {
            sign * beyond(left, right, c)
        } else {
            f64::NEG_INFINITY
        }
    });
    let second = farthest(left, right, -sign);
    different(candidates, &[first, second, left, right], size)
}

/// The candidate with the largest measure, an area; of those within `tie` of each other the
/// one with the smallest id, so that neither rounding nor order decides.
fn largest<S: Spot>(candidates: &[S], tie: f64, measure: impl Fn(&S) -> f64) -> usize {
    let mut best = (f64::NEG_INFINITY, 0, 0);
    for (index, candidate) in candidates.iter().enumerate() {
        let value = measure(candidate);
        if value < best.0 - tie {
            continue;
        }
        let id = candidate.id();
        if value > best.0 + tie || id < best.1 {
            best = (value, id, index);
        }
    }
    best.2
}
