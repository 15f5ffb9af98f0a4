//! Keeping four points of many: the deepest, and those that span the largest area with
//! it; last frame's choice when it is still about as good.

use drystone_geometry::Manifold;
use drystone_geometry::glam::DVec3;
use drystone_geometry::manifold::MAX_POINTS;

use super::{Candidate, feature_id};
use crate::tolerance::{DEPTH_TIE, KEPT_AREA, MAX_SEARCHED_POINTS, SAME_POINT};

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

/// Chooses from a polygon of more `candidates` than are kept, in order around `normal`.
#[inline(never)]
pub(crate) fn choose(
    candidates: &[Candidate],
    normal: DVec3,
    size: f64,
    previous: &Manifold,
) -> Kept {
    let best = if let Some(ends) = on_a_line(candidates, normal, size) {
        ends
    } else if candidates.len() <= MAX_SEARCHED_POINTS {
        widest(candidates, normal, size)
    } else {
        spread(candidates, normal, size)
    };
    let depth_tie = DEPTH_TIE * size;
    if let Some(old) = same_as_before(candidates, previous)
        && area(candidates, old.indices(), normal)
            >= KEPT_AREA * area(candidates, best.indices(), normal)
        && deepest(candidates, old.indices()) <= deepest(candidates, best.indices()) + depth_tie
    {
        return old;
    }
    best
}

/// Of points on one line, as a log leaves them on many triangles, both ends, and the deepest if it
/// is deeper than they are: no area tells these from the others.
fn on_a_line(candidates: &[Candidate], normal: DVec3, size: f64) -> Option<Kept> {
    let equal_area = SAME_POINT * size * size;
    let first = candidates[0].on_a;
    let from = |point: DVec3| move |c: &Candidate| (c.on_a - point).length_squared();
    let one = largest(candidates, equal_area, from(first));
    let start = candidates[one].on_a;
    let other = largest(candidates, equal_area, from(start));
    let line = candidates[other].on_a - start;
    let is_on_it = |c: &Candidate| line.cross(c.on_a - start).dot(normal).abs() <= equal_area;
    if !candidates.iter().all(is_on_it) {
        return None;
    }
    let deepest = largest(candidates, DEPTH_TIE * size, |c| -c.separation);
    let ends = candidates[one].separation.min(candidates[other].separation);
    let is_deeper = candidates[deepest].separation < ends - DEPTH_TIE * size;
    let third = if is_deeper { deepest } else { one };
    Some(different(candidates, [one, other, third, third], size))
}

/// The candidates with the ids of the previous points, if there are four and all remain.
fn same_as_before(candidates: &[Candidate], previous: &Manifold) -> Option<Kept> {
    if previous.points().len() < MAX_POINTS {
        return None;
    }
    let mut kept = Kept::default();
    for (index, candidate) in candidates.iter().enumerate() {
        let id = feature_id(candidate.features);
        if kept.count < MAX_POINTS && previous.points().iter().any(|point| point.feature == id) {
            kept.push(index);
        }
    }
    (kept.count == MAX_POINTS).then_some(kept)
}

fn deepest(candidates: &[Candidate], indices: &[usize]) -> f64 {
    indices.iter().fold(f64::INFINITY, |least, &i| {
        least.min(candidates[i].separation)
    })
}

/// Twice the area of a polygon of candidates in order.
fn area(candidates: &[Candidate], indices: &[usize], normal: DVec3) -> f64 {
    let origin = candidates[indices[0]].on_a;
    let mut sum = 0.0;
    for pair in indices[1..].windows(2) {
        let (a, b) = (
            candidates[pair[0]].on_a - origin,
            candidates[pair[1]].on_a - origin,
        );
        sum += a.cross(b).dot(normal);
    }
    sum.abs()
}

/// Of few points the four that span the largest area, the deepest or one about as deep among
/// them; of fours that span about the same the one with the smallest ids.
fn widest(candidates: &[Candidate], normal: DVec3, size: f64) -> Kept {
    let count = candidates.len();
    let (tie, equal_area) = (deep_tie(candidates, size), SAME_POINT * size * size);
    let (mut ids, mut is_deep) = ([0; MAX_SEARCHED_POINTS], [false; MAX_SEARCHED_POINTS]);
    for (index, candidate) in candidates.iter().enumerate() {
        ids[index] = feature_id(candidate.features);
        is_deep[index] = candidate.separation <= tie;
    }
    let mut best = (f64::NEG_INFINITY, 0, [0; MAX_POINTS]);
    for i in 0..count {
        for k in i + 2..count {
            // Twice the area of a convex polygon of four is the product of its diagonals.
            let across = normal.cross(candidates[k].on_a - candidates[i].on_a);
            for j in i + 1..k {
                for l in k + 1..count {
                    if !(is_deep[i] || is_deep[j] || is_deep[k] || is_deep[l]) {
                        continue;
                    }
                    let area = across.dot(candidates[l].on_a - candidates[j].on_a).abs();
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
    different(candidates, best.2, size)
}

/// Those of four points that are not the same, in the order of the candidates.
fn different(candidates: &[Candidate], indices: [usize; MAX_POINTS], size: f64) -> Kept {
    let apart = SAME_POINT * size;
    let mut kept = Kept::default();
    for index in indices {
        let point = candidates[index].on_a;
        let distinct =
            |&other: &usize| (candidates[other].on_a - point).length_squared() > apart * apart;
        if kept.indices().iter().all(distinct) {
            kept.push(index);
        }
    }
    kept.indices[..kept.count].sort_unstable();
    kept
}

/// The separation up to which points are about as deep as the deepest.
fn deep_tie(candidates: &[Candidate], size: f64) -> f64 {
    let least = candidates
        .iter()
        .fold(f64::INFINITY, |least, c| least.min(c.separation));
    least + DEPTH_TIE * size
}

/// The deepest point (of equally deep ones the farthest from the middle), the one farthest
/// from it, and on either side of their line the one that adds most area; then the same from
/// the line of those two.
fn spread(candidates: &[Candidate], normal: DVec3, size: f64) -> Kept {
    let middle = candidates.iter().map(|c| c.on_a).sum::<DVec3>() / candidates.len() as f64;
    let tie = deep_tie(candidates, size);
    let equal_area = SAME_POINT * size * size;
    let first = largest(candidates, equal_area, |c| {
        if c.separation <= tie {
            (c.on_a - middle).length_squared()
        } else {
            f64::NEG_INFINITY
        }
    });
    let a = candidates[first].on_a;
    let second = largest(candidates, equal_area, |c| (c.on_a - a).length_squared());
    let line = candidates[second].on_a - a;
    let side = |c: &Candidate| line.cross(c.on_a - a).dot(normal);
    let left = largest(candidates, equal_area, side);
    let right = largest(candidates, equal_area, |c| -side(c));
    // The diagonal from left to right is as good as the other: what lies farthest off it may be
    // farther than the two that it began with. One of the deepest stays.
    let (middle, line) = (
        candidates[left].on_a,
        candidates[right].on_a - candidates[left].on_a,
    );
    let across = |c: &Candidate| line.cross(c.on_a - middle).dot(normal);
    let sign = 1f64.copysign(across(&candidates[first]));
    let first = largest(candidates, equal_area, |c| {
        if c.separation <= tie {
            sign * across(c)
        } else {
            f64::NEG_INFINITY
        }
    });
    let second = largest(candidates, equal_area, |c| -sign * across(c));
    different(candidates, [first, second, left, right], size)
}

/// The candidate with the largest measure, an area; of those within `tie` of each other the
/// one with the smallest id, so that neither rounding nor order decides.
fn largest(candidates: &[Candidate], tie: f64, measure: impl Fn(&Candidate) -> f64) -> usize {
    let mut best = (f64::NEG_INFINITY, 0, 0);
    for (index, candidate) in candidates.iter().enumerate() {
        let value = measure(candidate);
        if value < best.0 - tie {
            continue;
        }
        let id = feature_id(candidate.features);
        if value > best.0 + tie || id < best.1 {
            best = (value, id, index);
        }
    }
    best.2
}
