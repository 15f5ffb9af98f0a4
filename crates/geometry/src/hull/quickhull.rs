//! The exact triangulated hull of a point set: quickhull, with every side decided by an
//! exact predicate.
//!
//! The idea to hold: distances (in f64, rounded) only choose *which* point comes next; the
//! sign of an exact determinant alone decides which triangles a point removes. So the
//! surface is a convex polytope at every moment, whatever the input, and points that are
//! coplanar with a triangle never remove it.
//!
//! Barber, Dobkin and Huhdanpaa, *The quickhull algorithm for convex hulls* (1996);
//! Shewchuk, *Adaptive precision floating-point arithmetic* (1997).

use std::collections::VecDeque;

use glam::DVec3;
use robust::{Coord3D, orient3d};

use super::slack::Slack;
use crate::tolerance;

/// "No triangle" or "no point" in an index.
const NONE: u32 = u32::MAX;

/// A closed triangulated surface. Edge `i` of a triangle runs from its corner `i` to the
/// next; `neighbors[t][i]` is the triangle across it.
pub(super) struct Mesh {
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) neighbors: Vec<[u32; 3]>,
    /// Candidates that stayed outside, all within the slack.
    pub(super) outside: Vec<u32>,
}

/// Six times the volume of the tetrahedron `a`, `b`, `c`, `p`; its sign is exact. Positive
/// when `p` is on the side from which `a`, `b`, `c` run counter-clockwise.
pub(super) fn height_sign(a: DVec3, b: DVec3, c: DVec3, p: DVec3) -> f64 {
    let coord = |v: DVec3| Coord3D {
        x: v.x,
        y: v.y,
        z: v.z,
    };
    -orient3d(coord(a), coord(b), coord(c), coord(p))
}

/// A triangle under construction, with the points that wait above it.
struct Facet {
    vertices: [u32; 3],
    neighbors: [u32; 3],
    normal: DVec3,
    offset: f64,
    double_area: f64,
    slack: f64,
    is_sliver: bool,
    alive: bool,
    /// Head of the list of points above the facet.
    first: u32,
    /// The waiting point that comes next, and its distance.
    farthest: u32,
    farthest_distance: f64,
}

struct Builder<'a> {
    points: &'a [DVec3],
    keep: &'a [bool],
    slack: &'a Slack,
    /// Whether points that are not in `keep` may become corners too.
    all: bool,
    facets: Vec<Facet>,
    free: Vec<u32>,
    /// Next point in the list of the same facet.
    next: Vec<u32>,
    /// New facet whose horizon edge starts at this point.
    facet_from: Vec<u32>,
    /// Facets that may have points waiting, oldest first. Refining everywhere at the same
    /// pace keeps the region a point sees small; newest first, a prism of 50,000 sides took
    /// 8.5 s instead of 0.1 s.
    work: VecDeque<u32>,
    visible: Vec<u32>,
    horizon: Vec<Horizon>,
    fresh: Vec<u32>,
    orphans: Vec<u32>,
    /// The last look over the surface that came by each facet.
    seen_by: Vec<u32>,
    looks: u32,
}

/// A border edge of the region a point sees, with the triangle that stays.
#[derive(Clone, Copy)]
struct Horizon {
    from: u32,
    to: u32,
    outside: u32,
}

/// The hull of `points[candidates]`, starting from `simplex` (four of them, not coplanar).
///
/// Points with `keep` become corners when they stand above the hull of the others by more
/// than the slack; the rest only afterwards, and only when a multiple of the slack above.
/// Every candidate ends at most about that far outside. The order of candidates decides ties.
pub(super) fn triangulate(
    points: &[DVec3],
    candidates: &[u32],
    keep: &[bool],
    simplex: [u32; 4],
    slack: &Slack,
) -> Mesh {
    let mut builder = Builder {
        points,
        keep,
        slack,
        all: false,
        facets: Vec::new(),
        free: Vec::new(),
        next: vec![NONE; points.len()],
        facet_from: vec![NONE; points.len()],
        work: VecDeque::new(),
        visible: Vec::new(),
        horizon: Vec::new(),
        fresh: Vec::new(),
        orphans: Vec::new(),
        seen_by: Vec::new(),
        looks: 0,
    };
    builder.start(simplex);
    for &point in candidates {
        if !simplex.contains(&point) {
            builder.assign(point, 0..4);
        }
    }
    builder.work.extend(0..4);
    builder.run();
    builder.open_to_all();
    builder.run();
    builder.finish()
}

impl Builder<'_> {
    fn point(&self, index: u32) -> DVec3 {
        self.points[index as usize]
    }

    /// The first tetrahedron, facets 0 to 3.
    fn start(&mut self, simplex: [u32; 4]) {
        let [a, b, c, d] = simplex;
        let above = height_sign(self.point(a), self.point(b), self.point(c), self.point(d)) > 0.0;
        let (b, c) = if above { (c, b) } else { (b, c) };
        // `d` is below `a b c`; the other facets hang from its three edges.
        self.push([a, b, c], [1, 2, 3]);
        self.push([b, a, d], [0, 3, 2]);
        self.push([c, b, d], [0, 1, 3]);
        self.push([a, c, d], [0, 2, 1]);
    }

    fn push(&mut self, vertices: [u32; 3], neighbors: [u32; 3]) -> u32 {
        let [a, b, c] = vertices.map(|v| self.point(v));
        let (ab, bc, ca) = (b - a, c - b, a - c);
        let cross = ab.cross(-ca);
        let double_area = cross.length();
        let longest_sq = ab
            .length_squared()
            .max(bc.length_squared())
            .max(ca.length_squared());
        let normal = if double_area > 0.0 {
            cross / double_area
        } else {
            DVec3::ZERO
        };
        let facet = Facet {
            vertices,
            neighbors,
            normal,
            offset: normal.dot(a),
            double_area,
            slack: self.slack.of_plane(normal),
            is_sliver: double_area < tolerance::SLIVER_SINE * longest_sq,
            alive: true,
            first: NONE,
            farthest: NONE,
            farthest_distance: 0.0,
        };
        if let Some(index) = self.free.pop() {
            self.facets[index as usize] = facet;
            index
        } else {
            self.facets.push(facet);
            (self.facets.len() - 1) as u32
        }
    }

    /// Signed height of a point over a facet, in metres, for choosing points by.
    fn distance(&self, facet: &Facet, point: u32) -> f64 {
        let p = self.point(point);
        if facet.is_sliver {
            let [a, b, c] = facet.vertices.map(|v| self.point(v));
            height_sign(a, b, c, p) / facet.double_area.max(f64::MIN_POSITIVE)
        } else {
            facet.normal.dot(p) - facet.offset
        }
    }

    /// Puts a point on the list of a facet it stands above, if there is one.
    fn assign(&mut self, point: u32, facets: impl Iterator<Item = u32>) {
        let mut best = NONE;
        let mut best_distance = 0.0;
        for index in facets {
            let facet = &self.facets[index as usize];
            let distance = self.distance(facet, point);
            if distance > best_distance {
                best = index;
                best_distance = distance;
                if distance > tolerance::LEFT_OUT_SLACK * facet.slack {
                    break;
                }
            }
        }
        if best != NONE {
            let first = self.facets[best as usize].first;
            self.next[point as usize] = first;
            self.facets[best as usize].first = point;
            self.offer(best, point, best_distance);
        }
    }

    /// Lets a waiting point become the next one of its facet.
    fn offer(&mut self, index: u32, point: u32, distance: f64) {
        let kept = self.keep[point as usize];
        let facet = &mut self.facets[index as usize];
        let required = if kept {
            facet.slack
        } else {
            tolerance::LEFT_OUT_SLACK * facet.slack
        };
        let farther = distance > facet.farthest_distance
            || (distance == facet.farthest_distance && point < facet.farthest);
        if (kept || self.all) && distance > required && farther {
            facet.farthest = point;
            facet.farthest_distance = distance;
        }
    }

    /// Adds points until none stands above the surface by more than the slack.
    fn run(&mut self) {
        loop {
            self.drain();
            self.look_again();
            if self.work.is_empty() {
                return;
            }
        }
    }

    /// Adds points until every facet with work is done.
    fn drain(&mut self) {
        while let Some(index) = self.work.pop_front() {
            let facet = &self.facets[index as usize];
            if !facet.alive || facet.farthest == NONE {
                continue;
            }
            let point = facet.farthest;
            if !self.sees(index, point) {
                // Rounding put the point above; exactly it is not. Its neighbours on the
                // list are looked at again without it.
                self.forget(index, point);
                self.work.push_back(index);
                continue;
            }
            self.add(index, point);
        }
    }

    /// Points left waiting are within the slack of the facet they wait at, but they may be
    /// further beyond that of another one: offers each to the facet it stands highest above,
    /// for the facet's slack.
    fn look_again(&mut self) {
        for index in 0..self.facets.len() as u32 {
            if !self.facets[index as usize].alive {
                continue;
            }
            let mut point = self.facets[index as usize].first;
            while point != NONE {
                let (facet, distance) = self.highest_above(index, point);
                // The exact question keeps a point that only rounding lifts from being
                // offered again and again.
                if distance > self.facets[facet as usize].slack && self.sees(facet, point) {
                    self.offer(facet, point, distance);
                    if self.facets[facet as usize].farthest == point {
                        self.work.push_back(facet);
                    }
                }
                point = self.next[point as usize];
            }
        }
    }

    /// The facet a point stands highest above, in multiples of the facet's slack, among the region
    /// it sees around `start`, and the distance.
    fn highest_above(&mut self, start: u32, point: u32) -> (u32, f64) {
        self.looks += 1;
        self.seen_by.resize(self.facets.len(), 0);
        self.seen_by[start as usize] = self.looks;
        self.visible.clear();
        self.visible.push(start);
        let facet = &self.facets[start as usize];
        let mut best = (start, self.distance(facet, point));
        let mut best_share = best.1 / facet.slack;
        let mut done = 0;
        while done < self.visible.len() {
            let neighbors = self.facets[self.visible[done] as usize].neighbors;
            done += 1;
            for other in neighbors {
                if self.seen_by[other as usize] == self.looks {
                    continue;
                }
                self.seen_by[other as usize] = self.looks;
                let facet = &self.facets[other as usize];
                let distance = self.distance(facet, point);
                if distance > 0.0 {
                    self.visible.push(other);
                    if distance / facet.slack > best_share {
                        best_share = distance / facet.slack;
                        best = (other, distance);
                    }
                }
            }
        }
        best
    }

    /// Takes a point off a facet's list for good and chooses the next.
    fn forget(&mut self, index: u32, point: u32) {
        let mut current = self.facets[index as usize].first;
        self.facets[index as usize].first = NONE;
        self.facets[index as usize].farthest = NONE;
        self.facets[index as usize].farthest_distance = 0.0;
        while current != NONE {
            let next = self.next[current as usize];
            if current != point {
                self.assign(current, std::iter::once(index));
            }
            current = next;
        }
    }

    /// From now on points outside `keep` count as well.
    fn open_to_all(&mut self) {
        self.all = true;
        for index in 0..self.facets.len() as u32 {
            if self.facets[index as usize].alive {
                self.forget(index, NONE);
                self.work.push_back(index);
            }
        }
    }

    /// Whether a point is strictly above a facet: exact.
    fn sees(&self, index: u32, point: u32) -> bool {
        let [a, b, c] = self.facets[index as usize].vertices.map(|v| self.point(v));
        height_sign(a, b, c, self.point(point)) > 0.0
    }

    /// Makes a point that sees `start` a corner of the surface.
    fn add(&mut self, start: u32, point: u32) {
        self.find_horizon(start, point);
        self.orphans.clear();
        for i in 0..self.visible.len() {
            let index = self.visible[i];
            let mut current = self.facets[index as usize].first;
            while current != NONE {
                if current != point {
                    self.orphans.push(current);
                }
                current = self.next[current as usize];
            }
            self.free.push(index);
        }
        self.build_cone(point);
        let orphans = std::mem::take(&mut self.orphans);
        let fresh = std::mem::take(&mut self.fresh);
        for &orphan in &orphans {
            self.assign(orphan, fresh.iter().copied());
        }
        self.work.extend(&fresh);
        self.orphans = orphans;
        self.fresh = fresh;
    }

    /// Collects what a point sees, which is connected, and the border around it.
    fn find_horizon(&mut self, start: u32, point: u32) {
        self.visible.clear();
        self.horizon.clear();
        self.facets[start as usize].alive = false;
        self.visible.push(start);
        let mut done = 0;
        while done < self.visible.len() {
            let Facet {
                vertices,
                neighbors,
                ..
            } = self.facets[self.visible[done] as usize];
            done += 1;
            for side in 0..3 {
                let other = neighbors[side];
                if !self.facets[other as usize].alive {
                    continue;
                }
                if self.sees(other, point) {
                    self.facets[other as usize].alive = false;
                    self.visible.push(other);
                } else {
                    let (from, to) = (vertices[side], vertices[(side + 1) % 3]);
                    self.horizon.push(Horizon {
                        from,
                        to,
                        outside: other,
                    });
                }
            }
        }
    }

    /// Joins a point to every edge of the horizon.
    fn build_cone(&mut self, point: u32) {
        self.fresh.clear();
        for i in 0..self.horizon.len() {
            let Horizon { from, to, outside } = self.horizon[i];
            let index = self.push([from, to, point], [outside, NONE, NONE]);
            self.facet_from[from as usize] = index;
            self.fresh.push(index);
            let facet = &mut self.facets[outside as usize];
            for side in 0..3 {
                if facet.vertices[side] == to && facet.vertices[(side + 1) % 3] == from {
                    facet.neighbors[side] = index;
                }
            }
        }
        for i in 0..self.horizon.len() {
            let index = self.fresh[i];
            let following = self.facet_from[self.horizon[i].to as usize];
            self.facets[index as usize].neighbors[1] = following;
            self.facets[following as usize].neighbors[2] = index;
        }
    }

    /// The live facets, renumbered.
    fn finish(self) -> Mesh {
        let mut number = vec![NONE; self.facets.len()];
        let mut count = 0;
        for (index, facet) in self.facets.iter().enumerate() {
            if facet.alive {
                number[index] = count;
                count += 1;
            }
        }
        let mut outside = Vec::new();
        for facet in self.facets.iter().filter(|facet| facet.alive) {
            let mut point = facet.first;
            while point != NONE {
                outside.push(point);
                point = self.next[point as usize];
            }
        }
        let live = self.facets.iter().filter(|facet| facet.alive);
        Mesh {
            triangles: live.clone().map(|facet| facet.vertices).collect(),
            neighbors: live
                .map(|facet| facet.neighbors.map(|n| number[n as usize]))
                .collect(),
            outside,
        }
    }
}
