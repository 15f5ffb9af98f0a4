//! Contacts: what the world keeps about a touching pair from step to step.

pub(crate) mod bend;
pub(crate) mod bounce;
pub(crate) mod bundle;
pub(crate) mod burden;
pub(crate) mod couple;
mod footing;
mod friction;
mod hung;
mod inverse;
pub(crate) mod jointed;
pub(crate) mod lanes;
mod loose;
mod patch;
pub(crate) mod points;
pub(crate) mod prepare;
pub(crate) mod rest;
mod shares;
mod side;
pub(crate) mod solve;
mod spread;
mod squeeze;
pub(crate) mod store;
mod unilateral;
pub(crate) mod weigh;
pub(crate) mod work;

use std::ops::{Add, Div, Mul};

use drystone_geometry::glam::Vec3;
use drystone_geometry::manifold::MAX_POINTS;
use serde::{Deserialize, Serialize};

pub use bend::Bend;

use crate::tolerance::FRICTION_FADE;

/// One point of a [`Contact`]: what changes while it is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactPoint {
    /// Along the normal, in metres; negative in overlap.
    pub separation: f32,
    /// Impulse along the normal in one sub-step, in N s; the next step starts from it.
    pub normal_impulse: f32,
    /// Largest normal impulse of a sub-step of the last step, in N s. Only kept for
    /// contacts that bounce; otherwise the final one.
    pub max_normal_impulse: f32,
    /// The pair of features that made the point.
    pub feature: u32,
}

/// Where a point of a [`Contact`] lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Anchors {
    /// On A's surface, from A's centre of mass (a static body: from its
    /// [`StaticPose::center`](crate::StaticPose)), in A's own axes, in metres.
    pub a: Vec3,
    /// On B's surface, likewise.
    pub b: Vec3,
}

/// A touching pair of shapes, kept from step to step.
///
/// Before a step the world refreshes the normal, the anchors, the separations and the
/// material; the solver keeps the impulses.
///
/// What is read and written between two solves, without the anchors, lies in the first two lines:
/// a pile has more contacts than a near cache holds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct Contact {
    /// The points; those beyond `count` mean nothing.
    pub points: [ContactPoint; MAX_POINTS],
    /// Points in use, 1 to 4 (0 is allowed and does nothing).
    pub count: u32,
    /// Unit, from A to B, in world axes.
    pub normal: Vec3,
    /// Friction impulse of one sub-step on B, in world axes, in N s.
    pub friction_impulse: Vec3,
    /// Twisting impulse about the normal of one sub-step on B, in N m s.
    pub twist_impulse: f32,
    /// Rolling impulse of one sub-step on B, in world axes, in N m s.
    pub rolling_impulse: Vec3,
    /// Coulomb coefficient, a ratio, at least 0.
    pub friction: f32,
    /// Bounce, a ratio from 0 to 1.
    pub restitution: f32,
    /// Arm of the resistance to rolling, in metres: its torque is at most this times the
    /// normal force.
    pub rolling_resistance: f32,
    /// World index of the first body.
    pub body_a: u32,
    /// World index of the second body.
    pub body_b: u32,
    /// Where the points lie; those beyond `count` mean nothing.
    pub anchors: [Anchors; MAX_POINTS],
    /// How much of A's anchors is rounding, in metres: the radius of a sphere or capsule, 0 of a
    /// box. That part stays on the normal when the body turns, so a rolling ball stays down.
    pub radius_a: f32,
    /// Likewise for B.
    pub radius_b: f32,
    /// Velocity of A's surface less that of B's, in world axes, in m/s: what a conveyor does.
    /// Only the part in the contact plane counts.
    pub tangent_velocity: Vec3,
    /// How A's surface bends at the first two points beyond its rounding, and at those beyond likewise.
    /// Contacts of more than two points do not roll, but their points may go along with what hangs.
    pub bend_a: Bend,
    /// Likewise for B.
    pub bend_b: Bend,
    /// How far B's centre gets past A's before the points meet, in world axes, in metres: where the
    /// anchors are those of that moment. Zero of shapes that touch.
    pub lead: Vec3,
    /// Gap beyond which the shapes have no points, in metres. Beside one that presses a point comes
    /// and goes there without a say in how they share their load; at half that gap it has all of it.
    pub margin: f32,
}

const _: () = assert!(size_of::<Contact>() == 320 && std::mem::offset_of!(Contact, anchors) == 128);

impl Default for Contact {
    fn default() -> Self {
        Self {
            points: [ContactPoint::default(); MAX_POINTS],
            count: 0,
            normal: Vec3::Y,
            friction_impulse: Vec3::ZERO,
            twist_impulse: 0.0,
            rolling_impulse: Vec3::ZERO,
            friction: 0.6,
            restitution: 0.0,
            rolling_resistance: 0.0,
            body_a: 0,
            body_b: 0,
            anchors: [Anchors::default(); MAX_POINTS],
            radius_a: 0.0,
            radius_b: 0.0,
            tangent_velocity: Vec3::ZERO,
            bend_a: Bend::NONE,
            bend_b: Bend::NONE,
            lead: Vec3::ZERO,
            margin: f32::MAX,
        }
    }
}

impl Contact {
    /// The points in use.
    #[inline]
    pub fn points(&self) -> &[ContactPoint] {
        &self.points[..self.count as usize]
    }

    /// Multiplies all impulses that the next solve starts from.
    pub fn scale_impulses(&mut self, ratio: f32) {
        for point in &mut self.points {
            point.normal_impulse *= ratio;
        }
        self.friction_impulse *= ratio;
        self.twist_impulse *= ratio;
        self.rolling_impulse *= ratio;
    }

    /// Where the points in use lie.
    #[inline]
    pub fn anchors(&self) -> &[Anchors] {
        &self.anchors[..self.count as usize]
    }

    /// Whether the points move with the bodies within a step, as those of round ones do that are no balls,
    /// and of what hangs.
    pub(crate) fn rolls_on(&self) -> bool {
        self.bend_a != Bend::NONE || self.bend_b != Bend::NONE
    }

    /// Whether one of the bodies hangs by it: its points go along with both of them.
    pub fn hangs(&self) -> bool {
        self.bend_a != Bend::NONE && self.bend_b != Bend::NONE
    }

    /// Clears what the next step would start from.
    pub fn forget_impulses(&mut self) {
        for point in &mut self.points {
            point.normal_impulse = 0.0;
            point.max_normal_impulse = 0.0;
        }
        self.friction_impulse = Vec3::ZERO;
        self.twist_impulse = 0.0;
        self.rolling_impulse = Vec3::ZERO;
    }

    /// Whether a point overlaps, or pressed in the last step.
    pub fn presses(&self) -> bool {
        let mut points = self.points().iter();
        points.any(|p| p.max_normal_impulse > 0.0 || p.separation <= 0.0)
    }

    /// Whether no impulse overflowed.
    pub(crate) fn has_finite_impulses(&self) -> bool {
        let mut points = self.points().iter();
        points.all(|p| p.normal_impulse.is_finite() && p.max_normal_impulse.is_finite())
            && self.friction_impulse.is_finite()
            && self.twist_impulse.is_finite()
            && self.rolling_impulse.is_finite()
    }

    /// Shares of the points in where friction acts, ratios that sum up to 1; 0 beyond those in use.
    ///
    /// A point loses its share smoothly as its gap grows, so that it comes and goes without a jump.
    pub fn friction_weights(&self) -> [f32; MAX_POINTS] {
        let mut weights = [0.0; MAX_POINTS];
        for (weight, point) in weights.iter_mut().zip(self.points()) {
            *weight = friction_share(FRICTION_FADE, point.separation.max(0.0));
        }
        let total: f32 = weights.iter().sum();
        if total > 0.0 {
            weights = weights.map(|weight| weight / total);
        }
        weights
    }

    /// Sum of the points' normal impulses in one sub-step, in N s.
    pub fn total_normal_impulse(&self) -> f32 {
        self.points()
            .iter()
            .fold(0.0, |sum, point| sum + point.normal_impulse)
    }
}

/// Share that a point `gap` metres apart has in where friction acts, before all sum up to 1. `fade` is
/// [`FRICTION_FADE`]: of one contact, or of eight side by side.
#[inline(always)]
fn friction_share<T>(fade: T, gap: T) -> T
where
    T: Copy + Add<Output = T> + Div<Output = T> + Mul<Output = T>,
{
    let nearness = fade / (fade + gap);
    nearness * nearness
}
