//! From the groups of many triangles to few manifolds: groups whose normals are nearly
//! equal become one, with up to four points.

use drystone_geometry::Manifold;
use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::manifold::MAX_POINTS;
use serde::{Deserialize, Serialize};

use super::gather::Gather;
use crate::manifold::{self, Candidate, Draft, Writing, feature_id};
use crate::tolerance::{CLUSTER_COSINE, DEPTH_TIE, LINE_CLUSTER_COSINE, SAME_SLOT_COSINE};

/// One of the manifolds of a pair. It keeps its place while it has points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Slot {
    /// Unit, from the surface to the shape, in the surface's frame.
    pub(crate) normal: Vec3,
    pub(crate) manifold: Manifold,
    /// Written in the frame at work.
    is_fresh: bool,
}

impl Slot {
    const EMPTY: Self = Self {
        normal: Vec3::ZERO,
        manifold: Manifold::EMPTY,
        is_fresh: false,
    };

    /// Whether what was read is what is written between frames.
    pub(crate) fn is_sound(&self) -> bool {
        !self.is_fresh
            && self.normal.is_finite()
            && self.manifold.normal.is_finite()
            && self.manifold.is_sound()
    }
}

/// How many points a shape rests on at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rests {
    /// A ball.
    Point,
    /// A capsule, or a log or cone that lies on its side, with this point in its middle.
    Line(DVec3),
    /// What has faces.
    Area,
}

/// Sorts the groups into clusters and writes each over a slot: the one of nearly the same
/// normal in the last frame, else one that is empty, else a new one. `rests` tells what the shape
/// rests on where the normal is this.
pub(crate) fn write(
    gather: &mut Gather,
    draft: &mut Draft,
    writing: &Writing<'_>,
    rests: impl Fn(DVec3) -> Rests,
    slots: &mut Vec<Slot>,
) {
    while let Some(normal) = next_cluster(gather, draft, &rests) {
        for candidate in &mut draft.candidates {
            let above = writing.radius_b + candidate.separation;
            candidate.on_a = candidate.on_b - above * normal;
        }
        if draft.candidates.len() > MAX_POINTS {
            manifold::around(&mut draft.candidates, normal, &mut gather.turns);
        }
        draft.normal = normal;
        let single = normal.as_vec3();
        let index = slot_for(slots, single);
        if index == slots.len() {
            slots.push(Slot::EMPTY);
        }
        let slot = &mut slots[index];
        slot.is_fresh = true;
        slot.normal = single;
        let left = manifold::finish(draft, writing, &mut slot.manifold);
        gather.sinkage = gather.sinkage.min(left);
    }
    for slot in slots.iter_mut() {
        if !slot.is_fresh {
            *slot = Slot::EMPTY;
        }
        slot.is_fresh = false;
    }
    while slots.len() > 1 && slots.last().is_some_and(|slot| slot.manifold.is_empty()) {
        slots.pop();
    }
}

/// The slot that a cluster of this normal goes to.
fn slot_for(slots: &[Slot], normal: Vec3) -> usize {
    let mut best = (SAME_SLOT_COSINE, slots.len());
    for (index, slot) in slots.iter().enumerate() {
        let alike = slot.normal.dot(normal);
        if !slot.is_fresh && !slot.manifold.is_empty() && alike > best.0 {
            best = (alike, index);
        }
    }
    if best.1 < slots.len() {
        return best.1;
    }
    let free = (slots.iter()).position(|slot| !slot.is_fresh && slot.manifold.is_empty());
    free.unwrap_or(slots.len())
}

/// Takes the group with the deepest point and all that look nearly the same way into the
/// draft; returns their common normal. Each counts for how far it reaches under the margin,
/// so one that comes or goes turns the normal by nothing at first.
fn next_cluster(
    gather: &mut Gather,
    draft: &mut Draft,
    rests: &impl Fn(DVec3) -> Rests,
) -> Option<DVec3> {
    let groups = &mut gather.groups;
    let mut seed = None;
    for (index, group) in groups.iter().enumerate() {
        if !group.is_taken && seed.is_none_or(|best: usize| group.weight > groups[best].weight) {
            seed = Some(index);
        }
    }
    let seed = groups[seed?];
    draft.begin(gather.margin);
    let alike = match rests(seed.normal) {
        Rests::Line(_) => LINE_CLUSTER_COSINE,
        Rests::Point | Rests::Area => CLUSTER_COSINE,
    };
    let mut sum = DVec3::ZERO;
    for group in groups.iter_mut().filter(|group| !group.is_taken) {
        if group.normal.dot(seed.normal) < alike {
            continue;
        }
        group.is_taken = true;
        sum += group.normal * group.weight;
        let own = &gather.candidates[group.first..group.first + group.count];
        draft.candidates.extend_from_slice(own);
    }
    if draft.candidates.len() > 1 {
        merge_same(&mut draft.candidates, &mut gather.table);
    }
    // A ball has one nearest point; others of its cluster are the same point seen from
    // the triangles around.
    let mut normal = sum.normalize_or(seed.normal);
    match rests(normal) {
        Rests::Point => {
            normal = seed.normal;
            let first = gather.candidates[seed.first];
            draft.candidates.clear();
            draft.candidates.push(first);
        }
        Rests::Line(center) => keep_ends(&mut draft.candidates, center, gather.size),
        Rests::Area => {}
    }
    Some(normal)
}

/// Of candidates of the same features the deepest stays, in the place of the first:
/// neighbours that share an edge or a corner all tell of it. `table` is scratch: indices of
/// those that stay, found by their ids.
fn merge_same(candidates: &mut Vec<Candidate>, table: &mut Vec<u32>) {
    const NONE: u32 = u32::MAX;
    let size = (2 * candidates.len()).next_power_of_two();
    table.clear();
    table.resize(size, NONE);
    let mut kept = 0;
    for index in 0..candidates.len() {
        let candidate = candidates[index];
        let id = feature_id(candidate.features);
        // Ids are hashes already. Less than half of the places are taken, so this ends.
        let mut place = id as usize & (size - 1);
        loop {
            let other = table[place];
            if other == NONE {
                table[place] = kept as u32;
                candidates[kept] = candidate;
                kept += 1;
                break;
            }
            let known = &mut candidates[other as usize];
            if feature_id(known.features) == id {
                if candidate.separation < known.separation {
                    *known = candidate;
                }
                break;
            }
            place = (place + 1) & (size - 1);
        }
    }
    candidates.truncate(kept);
}

/// Of points on a line those two on which it comes to rest that is held at `center`: both ends, unless
/// one between is deeper than a line through them, and then that one in the place of the end
/// beyond it. So a level line keeps its ends, whatever rounding says, and what lies across a bump on
/// two points never lets go of one for an end in the air.
fn keep_ends(candidates: &mut Vec<Candidate>, center: DVec3, size: f64) {
    if candidates.len() <= 2 {
        return;
    }
    let farthest = |from: DVec3| {
        let mut best = (f64::NEG_INFINITY, candidates[0]);
        for candidate in candidates.iter() {
            let distance_sq = (candidate.on_b - from).length_squared();
            if distance_sq > best.0 {
                best = (distance_sq, *candidate);
            }
        }
        best.1
    };
    let mut ends = [candidates[0]; 2];
    ends[1] = farthest(ends[0].on_b);
    ends[0] = farthest(ends[1].on_b);
    let origin = ends[0].on_b;
    let along = ends[1].on_b - origin;
    let place = |point: DVec3| (point - origin).dot(along);
    loop {
        let [from, to] = ends.map(|end| place(end.on_b));
        let slope = (ends[1].separation - ends[0].separation) / (to - from);
        let mut deepest = (DEPTH_TIE * size, None);
        for candidate in candidates.iter() {
            let at = place(candidate.on_b);
            let below = ends[0].separation + slope * (at - from) - candidate.separation;
            if at > from && at < to && below > deepest.0 {
                deepest = (below, Some(*candidate));
            }
        }
        let Some(between) = deepest.1 else {
            break;
        };
        let beyond = usize::from(place(center) < place(between.on_b));
        ends[beyond] = between;
    }
    candidates.clear();
    candidates.extend(ends);
}
