//! EPA in the plane: grows a polygon inside the difference, always at the edge nearest
//! the origin, until that edge is one of the difference itself.
//!
//! Edges wait in a heap by their signed distance, so the origin may even lie a rounding
//! outside of the polygon: the same routine answers touching and barely overlapping
//! cores. A new support only ever splits the edge it was found for, so there is no
//! horizon to get wrong.
//!
//! van den Bergen, "Proximity queries and penetration depth computation on 3D game
//! objects" (2001).

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec2;

use crate::gjk::{edge_weights, nearer_end};
use crate::pair::{DiffVertex, Pair};
use crate::separation::Separation2;
use crate::trace::{Observer, Phase, Stop};

/// What became of an expansion.
pub(crate) enum Expanded {
    /// The certified answer for the cores.
    Done(Separation2),
    /// Out of expansions; the signed distance of the cores lies between the two.
    Unfinished { lower: f64, upper: f64 },
}

/// An edge of the growing polygon, counter-clockwise, so its right side is outside.
struct Edge {
    distance: f64,
    /// Unit, outward.
    normal: DVec2,
    from: u32,
    to: u32,
}

impl Edge {
    /// The edge between two vertices; `None` if they coincide.
    fn new(pair: &Pair<'_>, vertices: &[DiffVertex], from: usize, to: usize) -> Option<Self> {
        let (p, q) = (&vertices[from], &vertices[to]);
        let along = pair.edge(p, q);
        let length = along.length();
        if length == 0.0 {
            return None;
        }
        let outward = DVec2::new(along.y, -along.x);
        Some(Self {
            distance: nearer_end(p, q).w.dot(outward) / length,
            normal: outward / length,
            from: from as u32,
            to: to as u32,
        })
    }
}

impl Ord for Edge {
    /// Nearest first; equal distances by age, so that ties fall the same way always.
    fn cmp(&self, other: &Self) -> Ordering {
        other
            .distance
            .total_cmp(&self.distance)
            .then_with(|| (other.from, other.to).cmp(&(self.from, self.to)))
    }
}

impl PartialOrd for Edge {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Edge {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Edge {}

/// Expands from `start`: one point, two, or a counter-clockwise triangle around the
/// origin or a rounding away from it.
///
/// `tolerance` is in metres and only used by curved cores; polygons end when the nearest
/// edge is an edge of the difference. `budget` is the number of expansions.
pub(crate) fn expand(
    pair: &Pair<'_>,
    start: &[DiffVertex],
    tolerance: f64,
    budget: u32,
    observer: &mut impl Observer,
) -> Expanded {
    let mut vertices: Vec<DiffVertex> = Vec::with_capacity(32);
    vertices.extend_from_slice(start);
    if vertices.len() == 1 {
        match second_vertex(pair, &vertices[0]) {
            Some(second) => vertices.push(second),
            None => return Expanded::Done(coincident(pair, &vertices[0])),
        }
    }
    let mut edges = BinaryHeap::with_capacity(32);
    for from in 0..vertices.len() {
        let to = (from + 1) % vertices.len();
        // Not `extend`, which sees to the order of the whole heap.
        if let Some(edge) = Edge::new(pair, &vertices, from, to) {
            edges.push(edge);
        }
    }
    let mut bounds = (f64::NEG_INFINITY, f64::INFINITY);
    for _ in 0..budget {
        let Some(edge) = edges.pop() else { break };
        let (p, q) = (vertices[edge.from as usize], vertices[edge.to as usize]);
        // It lies between the two, the nearer the smaller the edge has become.
        let w = pair.support_near(edge.normal, &p);
        let depth = w.w.dot(edge.normal);
        let weights = edge_weights(&p, &q, pair.edge(&p, &q));
        observer.expand(&[p, q], weights, edge.normal, (-depth, -edge.distance));
        bounds = (bounds.0.max(-depth), -edge.distance);
        let reason = if w.is_same(&p) || w.is_same(&q) || depth <= edge.distance {
            Stop::RepeatedSupport
        } else if depth - edge.distance <= tolerance {
            Stop::WithinTolerance
        } else {
            vertices.push(w);
            let middle = vertices.len() - 1;
            for (from, to) in [(edge.from as usize, middle), (middle, edge.to as usize)] {
                if let Some(half) = Edge::new(pair, &vertices, from, to) {
                    edges.push(half);
                }
            }
            continue;
        };
        observer.stop(Phase::Epa, reason);
        return Expanded::Done(answer(pair, &p, &q, edge.normal, depth, edge.distance));
    }
    observer.stop(Phase::Epa, Stop::OutOfIterations);
    Expanded::Unfinished {
        lower: bounds.0,
        upper: bounds.1,
    }
}

/// The answer from the nearest edge `p`, `q` with its unit outward normal: B gets out of
/// A against it.
pub(crate) fn answer(
    pair: &Pair<'_>,
    p: &DiffVertex,
    q: &DiffVertex,
    outward: DVec2,
    depth: f64,
    distance: f64,
) -> Separation2 {
    let [s, t] = edge_weights(p, q, pair.edge(p, q));
    let (feature_a, feature_b) = pair.features(p, q);
    Separation2 {
        lower: (-depth).min(-distance),
        upper: -distance,
        point_a: p.a * s + q.a * t,
        point_b: p.b * s + q.b * t,
        normal: -outward,
        feature_a,
        feature_b,
    }
}

/// Any vertex of the difference other than `first`.
fn second_vertex(pair: &Pair<'_>, first: &DiffVertex) -> Option<DiffVertex> {
    [DVec2::X, DVec2::NEG_X, DVec2::Y, DVec2::NEG_Y]
        .into_iter()
        .map(|direction| pair.support(direction))
        .find(|w| w.w != first.w)
}

/// Two points: the difference is a point, and every direction is as good. +Y is taken,
/// whichever shape comes first.
pub(crate) fn coincident(pair: &Pair<'_>, point: &DiffVertex) -> Separation2 {
    let distance = point.w.length();
    let normal = if distance > 0.0 {
        point.w / distance
    } else {
        DVec2::Y
    };
    let (feature_a, feature_b) = pair.features(point, point);
    Separation2 {
        lower: distance,
        upper: distance,
        point_a: point.a,
        point_b: point.b,
        normal,
        feature_a,
        feature_b,
    }
}
