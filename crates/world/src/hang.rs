//! What hangs: where a body pulls at what bears it.
//!
//! A ring in a ring, a hook on a bar or a cup on a nail swings about where it hangs, and the more it bears
//! the faster. Were the points of such a contact and its pull held as the step found them, the pull would
//! come late by half a step, which feeds the swing: ten links of a chain shook until they fell apart. So
//! these points go along with both bodies from sub-step to sub-step. What stands on something is another
//! matter: there the pull tips the body, and late is soft.

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{Curved, Feature, Frame, Manifold, Shape};
use drystone_narrow_phase::Tracker;
use drystone_solver::{Bend, Contact};

use crate::bend::{is_curved, of_side};
use crate::record::ShapeRecord;
use crate::tolerance::{CROSSING_SINE, EDGE_TILT, HANGING_COSINE};

/// Lets the points of a contact go along with the bodies within the step if one of them hangs on the
/// other, whose normal and anchors are of now.
///
/// `is_pushed` tells whether contacts push the body of a shape. Only what consists of several shapes can
/// hang: the centre of a convex one lies behind all its faces. `tracker` knows whether a face carries the
/// normal.
#[inline]
pub(crate) fn hang(
    contact: &mut Contact,
    manifold: &Manifold,
    tracker: Option<&Tracker>,
    shapes: [&ShapeRecord; 2],
    frames: [&Frame; 2],
    is_pushed: impl Fn(&ShapeRecord) -> bool,
) {
    let may_hang = shapes.map(|shape| shape.shares_body && is_pushed(shape));
    if may_hang != [false; 2] {
        follow(contact, manifold, tracker, shapes, frames, may_hang);
    } else if shapes[0].shares_body || shapes[1].shares_body {
        stand(contact, shapes);
    }
}

/// Lets the points stay where the step found them, but those of what is round.
fn stand(contact: &mut Contact, shapes: [&ShapeRecord; 2]) {
    if shapes.iter().all(|shape| !is_curved(&shape.shape)) {
        (contact.bend_a, contact.bend_b) = (Bend::NONE, Bend::NONE);
    }
}

#[cold]
#[inline(never)]
fn follow(
    contact: &mut Contact,
    manifold: &Manifold,
    tracker: Option<&Tracker>,
    shapes: [&ShapeRecord; 2],
    frames: [&Frame; 2],
    may_hang: [bool; 2],
) {
    let normal = frames[0].rotate(manifold.normal.as_dvec3());
    let normals = [normal, -normal];
    let outward = [0, 1].map(|side| frames[side].inverse_rotate(normals[side]));
    let hangs = |side: usize| {
        let outward = shapes[side].center_pose.rotation * outward[side].as_vec3();
        let is_above = |arm: Vec3| arm.dot(outward) < -HANGING_COSINE * arm.length();
        let mut anchors = contact.anchors().iter();
        may_hang[side] && anchors.any(|anchors| is_above([anchors.a, anchors.b][side]))
    };
    if !(hangs(0) || hangs(1)) {
        return stand(contact, shapes);
    }
    let carries = tracker.map_or([false; 2], Tracker::face_carries);
    let sides = [0, 1].map(|side| {
        let shape = &shapes[side].shape;
        let is_flat = shape.surface().is_some() || matches!(shape, Shape::HalfSpace { .. });
        if carries[side] || is_flat {
            return Side::Face;
        }
        if let Some((edge, radius)) = edge(shape, outward[side]) {
            return Side::Edge(frames[side].rotate(edge).as_vec3(), radius as f32);
        }
        if is_curved(shape) {
            Side::Round
        } else {
            Side::Corner
        }
    });
    let normal = normal.as_vec3();
    [contact.bend_a, contact.bend_b] = match sides {
        [Side::Edge(a, radius_a), Side::Edge(b, radius_b)]
            if contact.count == 1 && a.cross(b).length() > CROSSING_SINE =>
        {
            [Bend::edge(a, radius_a), Bend::edge(b, radius_b)]
        }
        _ => [0, 1].map(|side| match (sides[side], sides[1 - side]) {
            (Side::Face, Side::Edge(..) | Side::Corner) => Bend::face(normal),
            (Side::Edge(edge, radius), Side::Face) => Bend::edge(edge, radius),
            (own, _) if own != Side::Round || contact.count > 2 => Bend::corner(normal),
            _ => {
                let mut anchors = [DVec3::ZERO; 2];
                for (anchor, point) in anchors.iter_mut().zip(manifold.points()) {
                    *anchor = [point.anchor_a, point.anchor_b][side].as_dvec3();
                }
                of_side(
                    &shapes[side].shape,
                    frames[side],
                    normals[side],
                    DVec3::ZERO,
                    anchors,
                )
            }
        }),
    };
}

/// What a shape has at a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Side {
    /// A face, which carries the normal.
    Face,
    /// A straight edge or bar: a unit vector along it, in world axes, and its radius beyond the rounding,
    /// in metres.
    Edge(Vec3, f32),
    /// A corner, or the middle of a ball.
    Corner,
    /// What is round otherwise.
    Round,
}

/// The edge of a shape that is farthest along the unit `outward`, a unit vector, and its radius beyond the
/// rounding, in metres; in the shape's frame.
fn edge(shape: &Shape, outward: DVec3) -> Option<(DVec3, f64)> {
    if let Some(solid) = shape.curved() {
        let is_cylinder = matches!(solid, Curved::Cylinder { .. });
        let is_side = is_cylinder && solid.feature(outward, EDGE_TILT) == Feature::face(2);
        return is_side.then(|| (DVec3::Y, solid.rim_radius()));
    }
    let tangent = outward.any_orthonormal_vector();
    [tangent, outward.cross(tangent)].iter().find_map(|&tilt| {
        let end = |tilt: DVec3| shape.support(outward + EDGE_TILT * tilt).0;
        let way = end(tilt) - end(-tilt);
        way.try_normalize().map(|way| (way, 0.0))
    })
}
