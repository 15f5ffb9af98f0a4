//! The solver's record of a contact: what it takes over from the manifold.

use drystone_geometry::glam::Vec3;
use drystone_geometry::manifold::MAX_POINTS;
use drystone_geometry::{Frame, Manifold, ManifoldPoint, Shape};
use drystone_narrow_phase::{Outcome, Tracker};
use drystone_solver::{Anchors, Body, Contact, ContactPoint};

use crate::bend::{bend, half_turn, is_curved};
use crate::collide::{Bodies, Met};
use crate::hang::hang;
use crate::record::ShapeRecord;
use crate::tolerance::{ROUND_PLACE, SAME_PLACE};

/// Whether more points than the ends of an edge press.
#[inline]
pub(crate) fn stands(contact: &Contact) -> bool {
    let points = &contact.points[..contact.count as usize];
    let pressing = points.iter().filter(|point| point.normal_impulse > 0.0);
    pressing.count() > 2
}

impl Bodies<'_> {
    /// Brings the solver's record of a pair that has just been looked at up to date with its manifold.
    #[inline]
    pub(crate) fn renew(
        &self,
        met: &Met<'_>,
        outcome: Outcome,
        tracker: &Tracker,
        manifold: &Manifold,
        contact: &mut Contact,
    ) {
        let (shapes, frames) = (met.shapes, met.frames);
        let turn = || half_turn(shapes.map(|shape| self.mover(shape)), self.settings.dt);
        renew(contact, manifold, outcome, tracker, shapes, frames, turn);
        let is_pushed = |shape: &ShapeRecord| self.mover(shape).is_some_and(Body::is_dynamic);
        hang(contact, manifold, Some(tracker), shapes, frames, is_pushed);
    }
}

/// Likewise, but for what hangs; `turn` is that of [`bend()`].
#[inline]
fn renew(
    contact: &mut Contact,
    manifold: &Manifold,
    outcome: Outcome,
    tracker: &Tracker,
    shapes: [&ShapeRecord; 2],
    frames: [&Frame; 2],
    turn: impl Fn() -> Vec3,
) {
    refresh(contact, manifold, outcome, shapes);
    if is_curved(&shapes[0].shape) || is_curved(&shapes[1].shape) {
        bend(contact, manifold, Some(tracker), shapes, frames, turn());
    }
    contact.normal = frames[0].rotate(manifold.normal.as_dvec3()).as_vec3();
    carry(contact, shapes, frames);
}

/// How surfaces that run along themselves, such as belts, carry what touches them.
#[inline]
pub(crate) fn carry(
    contact: &mut Contact,
    [a, b]: [&ShapeRecord; 2],
    [frame_a, frame_b]: [&Frame; 2],
) {
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

/// Radius of the sides and rims that are round, in metres; zero where there are none.
fn round_radius(shape: &Shape) -> f32 {
    match shape {
        Shape::Capsule { radius, .. } => *radius,
        _ => shape
            .curved()
            .map_or(0.0, |solid| solid.rim_radius() as f32),
    }
}

/// What points pressed with before their manifold was found anew.
pub(crate) struct Impulses {
    old: [(u32, f32, Vec3); MAX_POINTS],
    count: usize,
    /// How far apart two points are the same, in metres, squared.
    near_sq: f32,
}

impl Impulses {
    /// Of a contact between two shapes.
    #[inline]
    pub(crate) fn of(contact: &Contact, [a, b]: [&ShapeRecord; 2]) -> Self {
        let mut old = [(0, 0.0, Vec3::ZERO); MAX_POINTS];
        let points = contact.points().iter().zip(&contact.anchors);
        for (old, (point, anchors)) in old.iter_mut().zip(points) {
            *old = (point.feature, point.normal_impulse, anchors.a);
        }
        let near = SAME_PLACE * a.margin.min(b.margin);
        let round = round_radius(&a.shape).max(round_radius(&b.shape));
        let near = near.max(ROUND_PLACE * round);
        Self {
            old,
            count: contact.count as usize,
            near_sq: near * near,
        }
    }

    /// What a point of the new manifold takes over, `anchor` being where it lies on A: what was
    /// of the same features, or else, once, of features that are gone and lay there.
    ///
    /// Corners that lie on each other within a hair change between "of A inside B" and "of B inside
    /// A". Were their load lost each time, half a face would bear it all until the next step. On a
    /// rim that rocks other points of many are the deepest in turns, and where sides cross moves into
    /// the end of one: the load goes over likewise.
    #[inline]
    pub(crate) fn taken_over(
        &mut self,
        feature: u32,
        anchor: Vec3,
        points: &[ManifoldPoint],
    ) -> f32 {
        let old = &mut self.old[..self.count];
        if let Some((_, impulse, _)) = old.iter().find(|(of, ..)| *of == feature) {
            return *impulse;
        }
        let gone = old.iter_mut().filter(|(of, impulse, _)| {
            *impulse > 0.0 && points.iter().all(|point| point.feature != *of)
        });
        let distance = |at: Vec3| at.distance_squared(anchor);
        let nearest = gone.min_by(|one, next| distance(one.2).total_cmp(&distance(next.2)));
        nearest.map_or(0.0, |(_, impulse, at)| {
            if distance(*at) <= self.near_sq {
                std::mem::take(impulse)
            } else {
                0.0
            }
        })
    }
}

/// Carries a manifold over into the solver's record, impulses by [feature and
/// place](Impulses::taken_over).
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
    let mut before = Impulses::of(contact, shapes);
    contact.count = manifold.points().len() as u32;
    let places = contact.points.iter_mut().zip(&mut contact.anchors);
    for ((point, anchors), from) in places.zip(manifold.points()) {
        *anchors = anchors_of(shapes, from);
        *point = ContactPoint {
            separation: from.separation,
            normal_impulse: before.taken_over(from.feature, anchors.a, manifold.points()),
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
