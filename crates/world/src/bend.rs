//! How the surfaces of a contact bend, as the solver needs it for what rolls and rocks.

use drystone_geometry::glam::DVec3;
use drystone_geometry::{Frame, Manifold, Shape};
use drystone_narrow_phase::Tracker;
use drystone_solver::{Bend, Contact};

use crate::record::ShapeRecord;

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
pub(crate) fn bend(
    contact: &mut Contact,
    manifold: &Manifold,
    tracker: Option<&Tracker>,
    [a, b]: [&ShapeRecord; 2],
    [frame_a, frame_b]: [&Frame; 2],
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
        contact.bend_a = of_side(&a.shape, frame_a, normal, anchors[0]);
    } else if flat(&a.shape, by_a) && !by_b {
        contact.bend_b = of_side(&b.shape, frame_b, -normal, anchors[1]);
    }
}

/// One shape's bend at both anchors, seen from the world; `outward` likewise. The solver adds what
/// rounding there is, so it is that of the core.
fn of_side(shape: &Shape, frame: &Frame, outward: DVec3, anchors: [DVec3; 2]) -> Bend {
    let Some(solid) = shape.curved() else {
        return Bend::NONE;
    };
    let outward = frame.inverse_rotate(outward);
    let rounding = f64::from(shape.core_radius()) * outward;
    let [first, second] = anchors.map(|anchor| solid.bend(outward, anchor - rounding));
    Bend {
        across: frame.rotate(first.across).as_vec3(),
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
            let bend = of_side(&shape, &Frame::IDENTITY, outward, anchors);
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
