//! The directions in which a polytope may leave a triangle with sharp edges.
//!
//! A triangle is a thin sheet, and the shortest way out of it may lead through its back or
//! along its plane, which the surface around it forbids. Of the directions that are the
//! triangle's own, the least depth lies on a face normal of either, or where an edge of the
//! shape crosses a sharp side; the rest is the neighbours'. If one of theirs is better, the
//! triangles around say so, and the contact is left to them.

use drystone_geometry::Frame;
use drystone_geometry::glam::DVec3;
use drystone_geometry::hull::Polytope;
use drystone_geometry::mesh::EdgeKind;

use super::facet::{Facet, Owner};
use crate::tolerance::{ADMITTED_SINE, HELD_DEPTH, PARALLEL_SINE};
use drystone_geometry::tolerance::SHARP_EDGE_COSINE;

/// The best way out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Way<P> {
    /// None of these; the face's own is left.
    Face,
    /// Unit, from the triangle to the shape, with the gap along it in metres, and where.
    Along(DVec3, f64, P),
    /// Along the normal of a triangle around: its contact, not this one's.
    Beyond,
}

/// A shape that may leave a triangle.
pub(crate) trait Leaves {
    /// What is known of a way besides.
    type Place: Copy;

    /// Where it is.
    fn frame(&self) -> &Frame;

    /// How far along a direction the first point of the shape is, in metres.
    fn lowest(&self, direction: DVec3) -> f64;

    /// Offers the ways out that are a triangle's, besides its own normal. With each goes the gap,
    /// in metres; none of `least` metres or less is of use.
    fn own_ways(
        &self,
        facet: &Facet<'_>,
        least: f64,
        take: &mut impl FnMut(DVec3, f64, Self::Place),
    );
}

/// A polytope and where it is.
pub(crate) struct Placed<'a> {
    pub(crate) polytope: &'a Polytope<'a>,
    pub(crate) frame: &'a Frame,
}

/// A side at which the triangle owns more than one normal: from its own to `last`.
struct Arc {
    from: DVec3,
    along: DVec3,
    outward: DVec3,
    last: DVec3,
}

/// Finds the way with the widest gap that beats `gap`, that along the face's normal, in
/// metres. The shapes overlap. `ring` is scratch.
pub(crate) fn widest<S: Leaves>(
    facet: &Facet<'_>,
    shape: &S,
    gap: f64,
    ring: &mut Vec<u32>,
) -> Way<S::Place> {
    let mut best = (gap, Way::Face);
    shape.own_ways(facet, gap, &mut |normal, gap, place| {
        if gap > best.0 {
            best = (gap, Way::Along(normal, gap, place));
        }
    });
    facet.neighbours(ring);
    // What a neighbour has to offer must part the shape from this triangle as well, and be
    // better by more than rounding: sides and corners that both have are this one's.
    let clear = HELD_DEPTH * scale(facet, shape.frame());
    let mut beyond = |normal: DVec3, gap: f64| {
        if gap > best.0 + clear {
            let corners = facet.triangle.corners.map(|corner| normal.dot(corner));
            let last = corners.into_iter().fold(f64::NEG_INFINITY, f64::max);
            let gap = gap.min(shape.lowest(normal) - last);
            if gap > best.0 + clear {
                best = (gap, Way::Beyond);
            }
        }
    };
    for &id in ring.iter() {
        let other = facet.other(id);
        let normal = other.triangle.normal;
        if normal.dot(facet.triangle.normal) < SHARP_EDGE_COSINE {
            let offset = normal.dot(other.triangle.corners[0]);
            let corners = facet.triangle.corners.map(|corner| normal.dot(corner));
            // What rises over the neighbour's plane stays in the way of what leaves that.
            if corners.into_iter().all(|height| height <= offset + clear) {
                beyond(normal, shape.lowest(normal) - offset);
            }
        }
        shape.own_ways(&other, gap, &mut |normal, gap, _| beyond(normal, gap));
    }
    best.1
}

/// Size of the coordinates that rounding goes by, in metres.
fn scale(facet: &Facet<'_>, frame: &Frame) -> f64 {
    let [a, b, c] = facet.triangle.corners;
    let sides = (b - a).length().max((c - b).length()).max((a - c).length());
    sides + (frame.translation - a).length()
}

impl Leaves for Placed<'_> {
    type Place = ();

    fn frame(&self) -> &Frame {
        self.frame
    }

    fn lowest(&self, direction: DVec3) -> f64 {
        let inner = self.frame.inverse_rotate(direction);
        let vertices = self.polytope.vertices.iter();
        let first = vertices.fold(f64::INFINITY, |least, vertex| {
            least.min(inner.dot(vertex.as_dvec3()))
        });
        first + direction.dot(self.frame.translation)
    }

    fn own_ways(&self, facet: &Facet<'_>, least: f64, take: &mut impl FnMut(DVec3, f64, ())) {
        let mut take = |normal: DVec3, gap: f64| take(normal, gap, ());
        own_ways(facet, self.polytope, self.frame, least, &mut take);
    }
}

/// Offers the ways out that are a triangle's, besides its own normal: those along normals of
/// the shape's faces, and those square to an edge of either. With each goes the gap, in metres;
/// none of `least` metres or less is of use.
fn own_ways(
    facet: &Facet<'_>,
    polytope: &Polytope<'_>,
    frame: &Frame,
    least: f64,
    take: &mut impl FnMut(DVec3, f64),
) {
    let normal = facet.triangle.normal;
    for face in polytope.faces {
        let way = -frame.rotate(face.normal);
        if way.dot(normal) < -ADMITTED_SINE {
            continue;
        }
        let height =
            |corner: &DVec3| face.normal.dot(frame.inverse_transform_point(*corner)) - face.offset;
        let heights = facet.triangle.corners.iter().map(height);
        let gap = heights.fold(f64::INFINITY, f64::min);
        if gap > least && facet.owner(way) == Owner::Own {
            take(way, gap);
        }
    }
    for side in 0..3 {
        let stands_out = matches!(facet.kinds[side], EdgeKind::Sharp | EdgeKind::Boundary);
        if !stands_out {
            continue;
        }
        let outward = facet.triangle.outward(side);
        let arc = Arc {
            from: facet.triangle.corners[side],
            along: facet.triangle.side(side).normalize(),
            outward,
            last: facet.normal_beyond(side).unwrap_or(outward),
        };
        crossings(&arc, normal, polytope, frame, take);
    }
}

/// Offers the directions square to a side and an edge of the shape that belong to both.
fn crossings(
    arc: &Arc,
    normal: DVec3,
    polytope: &Polytope<'_>,
    frame: &Frame,
    take: &mut impl FnMut(DVec3, f64),
) {
    let along = frame.inverse_rotate(arc.along);
    for edge in (0..polytope.half_edges.len() as u32).step_by(2) {
        let from = polytope.position(polytope.origin(edge));
        let direction = polytope.position(polytope.target(edge)) - from;
        let cross = direction.cross(along);
        let length = cross.length();
        if length <= PARALLEL_SINE * direction.length() {
            continue;
        }
        // Between the outward normals of both faces at the edge, turned round.
        let [left, right] = [edge, edge + 1].map(|half_edge| {
            let face = polytope.half_edges[half_edge as usize].face;
            polytope.faces[face as usize].normal
        });
        let mut inward = cross / length;
        if inward.dot(left + right) > 0.0 {
            inward = -inward;
        }
        let turn = left.cross(right);
        let is_shapes = left.cross(inward).dot(turn) <= 0.0 && inward.cross(right).dot(turn) <= 0.0;
        if !is_shapes {
            continue;
        }
        let way = frame.rotate(inward);
        let (lean, up) = (way.dot(arc.outward), way.dot(normal));
        let (tilt, level) = (arc.last.dot(arc.outward), arc.last.dot(normal));
        let is_triangles = lean >= -ADMITTED_SINE
            && level * lean - tilt * up <= ADMITTED_SINE
            && (up > 0.0 || level < 0.0);
        if is_triangles {
            let gap = way.dot(frame.transform_point(from) - arc.from);
            take(way, gap);
        }
    }
}
