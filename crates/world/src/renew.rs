//! The solver's record of a contact: what it takes over from the manifold.

use drystone_geometry::glam::Vec3;
use drystone_geometry::manifold::MAX_POINTS;
use drystone_geometry::{Frame, Manifold, ManifoldPoint};
use drystone_narrow_phase::{Outcome, Tracker};
use drystone_solver::{Anchors, Contact, ContactPoint};

use crate::bend::{bend, is_curved};
use crate::record::ShapeRecord;

/// Brings the solver's record of a contact up to date with its manifold.
#[inline]
pub(crate) fn renew(
    contact: &mut Contact,
    manifold: &Manifold,
    outcome: Outcome,
    tracker: &Tracker,
    shapes: [&ShapeRecord; 2],
    frames: [&Frame; 2],
) {
    refresh(contact, manifold, outcome, shapes);
    if is_curved(&shapes[0].shape) || is_curved(&shapes[1].shape) {
        bend(contact, manifold, Some(tracker), shapes, frames);
    }
    contact.normal = frames[0].rotate(manifold.normal.as_dvec3()).as_vec3();
    carry(contact, shapes, frames);
}

/// How surfaces that run along themselves, such as belts, carry what touches them.
#[inline]
fn carry(contact: &mut Contact, [a, b]: [&ShapeRecord; 2], [frame_a, frame_b]: [&Frame; 2]) {
    let (belt_a, belt_b) = (a.material.surface_velocity, b.material.surface_velocity);
    if belt_a != Vec3::ZERO || belt_b != Vec3::ZERO {
        let slip = frame_a.rotate(belt_a.as_dvec3()) - frame_b.rotate(belt_b.as_dvec3());
        contact.tangent_velocity = slip.as_vec3();
    }
}

/// Where a point of a manifold lies, from the bodies' centres of mass.
#[inline]
pub(crate) fn anchors_of([a, b]: [&ShapeRecord; 2], from: &ManifoldPoint) -> Anchors {
    Anchors {
        a: a.center_pose.transform_point(from.anchor_a),
        b: b.center_pose.transform_point(from.anchor_b),
    }
}

/// Carries a manifold over into the solver's record, impulses by feature id.
pub(crate) fn refresh(
    contact: &mut Contact,
    manifold: &Manifold,
    outcome: Outcome,
    shapes: [&ShapeRecord; 2],
) {
    if !outcome.is_fresh() {
        for (point, from) in contact.points.iter_mut().zip(manifold.points()) {
            point.separation = from.separation;
        }
        return;
    }
    let mut old = [(0, 0.0); MAX_POINTS];
    for (old, point) in old.iter_mut().zip(contact.points()) {
        *old = (point.feature, point.normal_impulse);
    }
    let old = &old[..contact.count as usize];
    contact.count = manifold.points().len() as u32;
    let places = contact.points.iter_mut().zip(&mut contact.anchors);
    for ((point, anchors), from) in places.zip(manifold.points()) {
        let before = old.iter().find(|(feature, _)| *feature == from.feature);
        *anchors = anchors_of(shapes, from);
        *point = ContactPoint {
            separation: from.separation,
            normal_impulse: before.map_or(0.0, |(_, impulse)| *impulse),
            max_normal_impulse: 0.0,
            feature: from.feature,
        };
    }
    if manifold.is_empty() {
        contact.friction_impulse = Vec3::ZERO;
        contact.twist_impulse = 0.0;
        contact.rolling_impulse = Vec3::ZERO;
    }
}
