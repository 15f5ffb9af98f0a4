//! How the surfaces of a contact bend, as the solver needs it for what rolls and rocks.

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{Frame, Manifold, Shape};
use drystone_narrow_phase::Tracker;
use drystone_solver::{Bend, Body, Contact};

use crate::World;
use crate::contacts::CHUNK;
use crate::record::ShapeRecord;
use crate::renew::anchors_of;
use crate::tolerance::{MANY_CORNERS, MAX_BEND_LEAD, MAX_RIM_LEAD};

/// Whether contacts of the shape may need a [`Bend`]: balls and capsules roll by their rounding
/// alone.
pub(crate) fn is_curved(shape: &Shape) -> bool {
    shape.curved().is_some()
}

/// Fills in the bends of a contact of at least one curved shape, whose manifold is of now.
///
/// A surface bends as the solver is told where the other side is flat, so that the normal turns
/// with the other body alone. `tracker` knows whether a face carries the normal; nothing is
/// known of surfaces of triangles, which count as flat.
///
/// The radii are those of the middle of the step, as B turns against A by `turn` until then, see
/// [`half_turn`]: what a point goes by on its way through the step. With those of its beginning, and
/// all of what rolling does to the speeds foreseen, an ellipsoid of 2 to 1 that rocks by 17 degrees gained 1 % of its
/// swing in sixteen periods.
pub(crate) fn bend(
    contact: &mut Contact,
    manifold: &Manifold,
    tracker: Option<&Tracker>,
    [a, b]: [&ShapeRecord; 2],
    [frame_a, frame_b]: [&Frame; 2],
    turn: Vec3,
) {
    (contact.bend_a, contact.bend_b) = (Bend::NONE, Bend::NONE);
    if manifold.is_empty() || manifold.points().len() > 2 {
        return;
    }
    let normal = frame_a.rotate(manifold.normal.as_dvec3());
    let [by_a, by_b] = tracker.map_or([false; 2], Tracker::face_carries);
    let flat = |shape: &Shape, carries: bool| {
        carries || shape.surface().is_some() || matches!(shape, Shape::HalfSpace { .. })
    };
    let mut anchors = [[DVec3::ZERO; 2]; 2];
    for (i, point) in manifold.points().iter().enumerate() {
        anchors[0][i] = point.anchor_a.as_dvec3();
        anchors[1][i] = point.anchor_b.as_dvec3();
    }
    if flat(&b.shape, by_b) && !by_a {
        contact.bend_a = of_side(&a.shape, frame_a, normal, -turn.as_dvec3(), anchors[0]);
    } else if flat(&a.shape, by_a) && !by_b {
        contact.bend_b = of_side(&b.shape, frame_b, -normal, turn.as_dvec3(), anchors[1]);
    }
}

/// Puts the deepest point of a cap that rolls on its rim where that will be deepest in the middle of
/// the step. A cap is round, or a face of so many corners that those beside the deepest are left out.
///
/// One that is not quite level runs round on its rim. Were the point where it stands held for a
/// step, the push would come late by half of it, which feeds the roll until the body tips over.
/// `movers` are the bodies that are awake, `half` is half of the step in seconds. Returns whether the
/// point is another now; after the solve [`World::take_back_rims`] puts it back.
pub(crate) fn aim_rims(
    contact: &mut Contact,
    manifold: &Manifold,
    shapes: [&ShapeRecord; 2],
    frames: [&Frame; 2],
    movers: [Option<&Body>; 2],
    half: f32,
) -> bool {
    let points = manifold.points().iter().enumerate();
    let deepest = points.min_by(|(_, one), (_, next)| one.separation.total_cmp(&next.separation));
    let Some((index, deepest)) = deepest else {
        return false;
    };
    let mut others = manifold.points().iter().enumerate();
    if others.any(|(other, point)| other != index && point.separation <= 0.0) {
        // Where more of the cap carries, it stands.
        return false;
    }
    let across = manifold
        .points()
        .iter()
        .map(|point| point.anchor_a.distance(deepest.anchor_a))
        .fold(0.0, f32::max);
    let normal = frames[0].rotate(manifold.normal.as_dvec3());
    let turns = movers.map(|mover| mover.map_or(Vec3::ZERO, |body| half * body.angular_velocity));
    for (cap, outward) in [(0, normal), (1, -normal)] {
        let shape = &shapes[cap].shape;
        if !has_rim(shape) {
            continue;
        }
        let anchor = [deepest.anchor_a, deepest.anchor_b][cap].as_dvec3();
        let turn = (turns[cap] - turns[1 - cap]).as_dvec3();
        let outward = frames[cap].inverse_rotate(outward);
        let ahead = outward + outward.cross(frames[cap].inverse_rotate(turn));
        let rounding = f64::from(shape.core_radius()) * outward;
        let shift = shape.support(ahead).0 + rounding - anchor;
        let way = shift.length();
        if way == 0.0 || way > MAX_RIM_LEAD * f64::from(across) {
            continue;
        }
        let sinks = shift.dot(outward);
        let shift = frames[cap].rotate(shift);
        let foot = shift - sinks * frames[cap].rotate(outward);
        let [on_a, on_b] = if cap == 0 {
            [shift, foot]
        } else {
            [foot, shift]
        };
        let mut moved = *deepest;
        moved.anchor_a += frames[0].inverse_rotate(on_a).as_vec3();
        moved.anchor_b += frames[1].inverse_rotate(on_b).as_vec3();
        contact.points[index].separation = (f64::from(deepest.separation) - sinks) as f32;
        contact.anchors[index] = anchors_of(shapes, &moved);
        return true;
    }
    false
}

impl World {
    /// Puts the points that were [led](aim_rims) for the solve back where they are.
    pub(crate) fn take_back_rims(&mut self) {
        for chunk in 0..self.chunk_reports.len() {
            let mut led = self.chunk_reports[chunk].led;
            while led != 0 {
                self.reanchor((chunk * CHUNK) as u32 + led.trailing_zeros());
                led &= led - 1;
            }
        }
    }
}

/// Whether a shape may have a face with more corners than a contact looks at one by one.
pub(crate) fn has_rim(shape: &Shape) -> bool {
    match shape {
        Shape::Cylinder { .. } | Shape::Cone { .. } => true,
        Shape::Hull(hull) => hull.polytope().vertices.len() >= MANY_CORNERS,
        Shape::Rounded { core, .. } => has_rim(core),
        _ => false,
    }
}

/// How far B turns against A in half a step of `dt` seconds, a rotation vector in world axes, in radians. Of
/// bodies that are awake; at most [`MAX_BEND_LEAD`].
pub(crate) fn half_turn([a, b]: [Option<&Body>; 2], dt: f32) -> Vec3 {
    let spin = |body: Option<&Body>| body.map_or(Vec3::ZERO, |body| body.angular_velocity);
    (0.5 * dt * (spin(b) - spin(a))).clamp_length_max(MAX_BEND_LEAD)
}

/// One shape's bend at both anchors, seen from the world, once it has turned by `turn` against the other;
/// `outward` and `turn` likewise. The solver adds what rounding there is, so it is that of the core.
pub(crate) fn of_side(
    shape: &Shape,
    frame: &Frame,
    outward: DVec3,
    turn: DVec3,
    anchors: [DVec3; 2],
) -> Bend {
    let Some(solid) = shape.curved() else {
        return Bend::NONE;
    };
    let outward = frame.inverse_rotate(outward);
    let rounding = f64::from(shape.core_radius()) * outward;
    // The other's normal turns the other way.
    let ahead = (outward - frame.inverse_rotate(turn).cross(outward)).normalize();
    let [first, second] = anchors.map(|anchor| solid.bend(ahead, anchor - rounding));
    let across = first.across - outward * outward.dot(first.across);
    Bend {
        across: frame.rotate(across.normalize_or_zero()).as_vec3(),
        radius_across: [first.radius_across as f32, second.radius_across as f32],
        radius_along: first.radius_along as f32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wheel with rounded edges that touches the ground below bends there, with the rounding that
    /// the solver adds, as the wheel without does: by its radius.
    #[test]
    fn the_rounding_of_a_wheel_counts_once() {
        let (radius, rounding) = (0.3, 0.02);
        let core = Shape::cylinder(0.08, radius - rounding);
        let rounded = Shape::rounded(core, rounding).expect("a positive radius");
        for shape in [rounded, Shape::cylinder(0.1, radius)] {
            let outward = DVec3::NEG_X;
            let anchor = f64::from(radius) * outward;
            let anchors = [anchor + 0.08 * DVec3::Y, anchor - 0.08 * DVec3::Y];
            let bend = of_side(&shape, &Frame::IDENTITY, outward, DVec3::ZERO, anchors);
            for across in bend.radius_across {
                assert!(
                    (across + shape.core_radius() - radius).abs() < 1e-6,
                    "{bend:?}"
                );
            }
            assert_eq!(bend.radius_along, 0.0);
        }
    }
}
