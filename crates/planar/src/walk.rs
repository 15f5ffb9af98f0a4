//! Lin-Canny in the plane: from a pair of features to the closest pair, neighbour by
//! neighbour.
//!
//! The state is a vertex and a vertex, or an edge and a vertex. A step asks whether each
//! feature lies in the other's Voronoi region; if not, the violated line names the
//! neighbour that is nearer. Two edges never need a state of their own: an edge that
//! descends towards the other is clipped against the slab of that other, and the clipped
//! end is a vertex of one of them. Every move shortens the distance, or keeps it and
//! drops an edge for its end, so a walk over exact numbers cannot cycle; against rounding
//! there is a step limit.
//!
//! Lin and Canny, "A fast algorithm for incremental distance calculation" (1991);
//! Mirtich, "V-Clip: fast and robust polyhedral collision detection" (1998).

use glam::DVec2;
use serde::{Deserialize, Serialize};

use crate::pair::unit;
use crate::polygon::Polygon;
use crate::pose::Pose2;
use crate::separation::{Feature2, Separation2};

/// A pair of features. An edge is named by the ring vertex it starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum State {
    /// A vertex of A and a vertex of B.
    VertexVertex(u32, u32),
    /// An edge of A and a vertex of B.
    EdgeVertex(u32, u32),
    /// A vertex of A and an edge of B.
    VertexEdge(u32, u32),
}

impl State {
    /// A vertex of each ring near the pair.
    pub(crate) fn vertices(self) -> (u32, u32) {
        match self {
            Self::VertexVertex(i, j) | Self::EdgeVertex(i, j) | Self::VertexEdge(i, j) => (i, j),
        }
    }

    /// The state that stands for two features of rings, if they are a pair the walk
    /// knows. Two parallel edges start as an edge and a vertex.
    pub(crate) fn from_features(feature_a: Feature2, feature_b: Feature2) -> Option<Self> {
        match (feature_a, feature_b) {
            (Feature2::Vertex(i), Feature2::Vertex(j)) => Some(Self::VertexVertex(i, j)),
            (Feature2::Edge(i, _), Feature2::Vertex(j) | Feature2::Edge(j, _)) => {
                Some(Self::EdgeVertex(i, j))
            }
            (Feature2::Vertex(i), Feature2::Edge(j, _)) => Some(Self::VertexEdge(i, j)),
            _ => None,
        }
    }
}

/// How a walk ended.
pub(crate) enum End {
    /// The closest pair, with the answer for the cores.
    Closest(State, Separation2),
    /// Behind an edge, or touching: not for a walk to answer.
    Lost,
    /// Out of steps, here.
    OutOfSteps(State),
}

/// A ring placed in A's frame.
struct Placed<'a> {
    ring: &'a Polygon,
    pose: Pose2,
}

impl Placed<'_> {
    fn at(&self, index: usize) -> DVec2 {
        self.pose.transform(self.ring.vertices()[index])
    }

    /// The vector from one vertex to another, turned after the subtraction: its direction
    /// is right to rounding however short it is, so that the placed ring is as convex as
    /// the ring itself. Exactly the negative of the vector back.
    fn edge(&self, from: usize, to: usize) -> DVec2 {
        let vertices = self.ring.vertices();
        self.pose.rotate(vertices[to] - vertices[from])
    }
}

/// One step of an edge-vertex or vertex-edge state, told by roles rather than by A and B.
enum Move {
    Closest,
    Lost,
    /// The edge falls back to one of its ends.
    EdgeEnd(usize),
    /// The edge gives way to its twin: a ring of two has one edge per side.
    Twin(usize),
    /// The vertex moves on.
    Vertex(usize),
    /// Roles change: an end of the edge against an edge of the other ring.
    Swap(usize, usize),
}

/// One step with the edge `edge` of `p` and the vertex `vertex` of `q`.
fn step_edge(p: &Placed<'_>, q: &Placed<'_>, edge: usize, vertex: usize) -> Move {
    let after = p.ring.next(edge);
    let point = q.at(vertex);
    let (from_start, from_end) = (point - p.at(edge), point - p.at(after));
    let along = p.edge(edge, after);
    // The same numbers as in the vertex-vertex step, so that both agree to the bit about
    // which side of the dividing line the point is on.
    if from_start.dot(along) <= 0.0 {
        return Move::EdgeEnd(edge);
    }
    if from_end.dot(along) >= 0.0 {
        return Move::EdgeEnd(after);
    }
    let outward = DVec2::new(along.y, -along.x);
    let reach = from_start.dot(outward);
    if reach <= 0.0 {
        return if p.ring.vertices().len() == 2 && reach < 0.0 {
            Move::Twin(after)
        } else {
            Move::Lost
        };
    }
    for (neighbour, other_edge) in [
        (q.ring.next(vertex), vertex),
        (q.ring.previous(vertex), q.ring.previous(vertex)),
    ] {
        let onward = q.edge(vertex, neighbour);
        let descent = onward.dot(outward);
        if descent >= 0.0 {
            continue;
        }
        // The other ring's edge comes nearer. It is followed to its end, or to where it
        // leaves the slab of this edge, whichever comes first.
        let clipped_end = if (from_start + onward).dot(along) < 0.0 {
            Some((edge, from_start))
        } else if (from_end + onward).dot(along) > 0.0 {
            Some((after, from_end))
        } else {
            None
        };
        let Some((end_index, from_end)) = clipped_end else {
            return if reach + descent > 0.0 {
                Move::Vertex(neighbour)
            } else {
                Move::Lost
            };
        };
        let part = -from_end.dot(along) / onward.dot(along);
        return if reach + part * descent > 0.0 {
            Move::Swap(end_index, other_edge)
        } else {
            Move::Lost
        };
    }
    Move::Closest
}

/// The edge to change to when vertex `vertex` of `q` leaves the region of vertex
/// `corner` of `p`; `None` inside.
fn leaves_corner(p: &Placed<'_>, corner: usize, point: DVec2) -> Option<usize> {
    let from_corner = point - p.at(corner);
    let previous = p.ring.previous(corner);
    if from_corner.dot(p.edge(corner, p.ring.next(corner))) > 0.0 {
        Some(corner)
    } else if from_corner.dot(p.edge(corner, previous)) > 0.0 {
        Some(previous)
    } else {
        None
    }
}

/// Walks from `state`, whose indices must be vertices of the rings, for at most
/// `max_steps` steps. Returns the steps taken too.
pub(crate) fn walk(
    a: &Polygon,
    b: &Polygon,
    b_in_a: &Pose2,
    mut state: State,
    max_steps: u32,
) -> (End, u32) {
    let a = Placed {
        ring: a,
        pose: Pose2::IDENTITY,
    };
    let b = Placed {
        ring: b,
        pose: *b_in_a,
    };
    for steps in 1..=max_steps {
        let next = match state {
            State::VertexVertex(i, j) => step_vertices(&a, &b, i, j),
            State::EdgeVertex(i, j) => match step_edge(&a, &b, i as usize, j as usize) {
                Move::Closest => return (End::Closest(state, from_edge(&a, &b, i, j)), steps),
                Move::Lost => None,
                Move::EdgeEnd(end) => Some(State::VertexVertex(end as u32, j)),
                Move::Twin(edge) => Some(State::EdgeVertex(edge as u32, j)),
                Move::Vertex(vertex) => Some(State::EdgeVertex(i, vertex as u32)),
                Move::Swap(vertex, edge) => Some(State::VertexEdge(vertex as u32, edge as u32)),
            },
            State::VertexEdge(i, j) => match step_edge(&b, &a, j as usize, i as usize) {
                Move::Closest => {
                    let flipped = from_edge(&b, &a, j, i).flipped();
                    return (End::Closest(state, flipped), steps);
                }
                Move::Lost => None,
                Move::EdgeEnd(end) => Some(State::VertexVertex(i, end as u32)),
                Move::Twin(edge) => Some(State::VertexEdge(i, edge as u32)),
                Move::Vertex(vertex) => Some(State::VertexEdge(vertex as u32, j)),
                Move::Swap(vertex, edge) => Some(State::EdgeVertex(edge as u32, vertex as u32)),
            },
        };
        match next {
            None => return (End::Lost, steps),
            Some(next) if next == state => {
                return match from_vertices(&a, &b, state) {
                    Some(separation) => (End::Closest(state, separation), steps),
                    None => (End::Lost, steps),
                };
            }
            Some(next) => state = next,
        }
    }
    (End::OutOfSteps(state), max_steps)
}

/// One step with two vertices; the same state again when they are the closest pair.
fn step_vertices(a: &Placed<'_>, b: &Placed<'_>, i: u32, j: u32) -> Option<State> {
    let (at_a, at_b) = (a.at(i as usize), b.at(j as usize));
    if let Some(edge) = leaves_corner(a, i as usize, at_b) {
        return Some(State::EdgeVertex(edge as u32, j));
    }
    if let Some(edge) = leaves_corner(b, j as usize, at_a) {
        return Some(State::VertexEdge(i, edge as u32));
    }
    Some(State::VertexVertex(i, j))
}

/// How far below the vertex `corner` its neighbours reach along `direction`: zero when
/// the corner is extreme, which by convexity makes it so for the whole ring.
fn shortfall(p: &Placed<'_>, corner: usize, direction: DVec2) -> f64 {
    let next = p.edge(corner, p.ring.next(corner)).dot(direction);
    let previous = p.edge(corner, p.ring.previous(corner)).dot(direction);
    next.min(previous).min(0.0)
}

/// The answer for two vertices in each other's regions; `None` when they coincide.
fn from_vertices(a: &Placed<'_>, b: &Placed<'_>, state: State) -> Option<Separation2> {
    let (i, j) = state.vertices();
    let (point_a, point_b) = (a.at(i as usize), b.at(j as usize));
    let between = point_b - point_a;
    let distance = between.length();
    if distance == 0.0 {
        return None;
    }
    let normal = between / distance;
    let gap = distance + shortfall(b, j as usize, normal) + shortfall(a, i as usize, -normal);
    Some(Separation2 {
        lower: gap,
        upper: distance,
        point_a,
        point_b,
        normal,
        feature_a: Feature2::Vertex(i),
        feature_b: Feature2::Vertex(j),
    })
}

/// The answer for an edge of `p` and a vertex of `q` in each other's regions, as if `p`
/// were A.
fn from_edge(p: &Placed<'_>, q: &Placed<'_>, edge: u32, vertex: u32) -> Separation2 {
    let after = p.ring.next(edge as usize);
    let (start, end, point) = (p.at(edge as usize), p.at(after), q.at(vertex as usize));
    let along = p.edge(edge as usize, after);
    let normal = unit(DVec2::new(along.y, -along.x));
    let (from_start, from_end) = (point - start, point - end);
    // Measured from the nearer end, where the error of the normal counts least.
    let (base, offset) = if from_start.length_squared() < from_end.length_squared() {
        (start, from_start)
    } else {
        (end, from_end)
    };
    let distance = offset.dot(normal);
    let gap = distance
        + shortfall(q, vertex as usize, normal)
        + shortfall(p, edge as usize, -normal).min(shortfall(p, after, -normal));
    Separation2 {
        lower: gap.min(distance),
        upper: distance,
        point_a: base + along * (offset.dot(along) / along.length_squared()),
        point_b: point,
        normal,
        feature_a: Feature2::Edge(edge, after as u32),
        feature_b: Feature2::Vertex(vertex),
    }
}
