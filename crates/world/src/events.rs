//! What happened during a step, as arrays in a defined order.

use drystone_geometry::glam::{DVec3, Vec3};
use serde::{Deserialize, Serialize};

use crate::{BodyKey, JointKey, ShapeKey};

/// Two shapes that began or ceased to touch.
///
/// After a removal the keys may be stale; they still compare and hash as before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContactEvent {
    /// The shape with the smaller index.
    pub shape_a: ShapeKey,
    /// The other shape.
    pub shape_b: ShapeKey,
    /// The body of `shape_a`.
    pub body_a: BodyKey,
    /// The body of `shape_b`.
    pub body_b: BodyKey,
}

/// A joint that carried more than its threshold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointEvent {
    /// The joint; stale when it broke.
    pub joint: JointKey,
    /// Its first body.
    pub body_a: BodyKey,
    /// Its second body.
    pub body_b: BodyKey,
    /// The most it carried in a sub-step, in N.
    pub force: f32,
    /// The same in N m; maybe in another sub-step.
    pub torque: f32,
    /// Whether it broke.
    pub broken: bool,
}

/// Two shapes that began to touch at speed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HitEvent {
    /// The shape with the smaller index.
    pub shape_a: ShapeKey,
    /// The other shape.
    pub shape_b: ShapeKey,
    /// The body of `shape_a`.
    pub body_a: BodyKey,
    /// The body of `shape_b`.
    pub body_b: BodyKey,
    /// Where the points meet that came fastest, in the world, in metres; the step may have led on.
    pub point: DVec3,
    /// Unit, from A to B, in world axes.
    pub normal: Vec3,
    /// Speed of approach along the normal there, before the step, in m/s.
    pub speed: f32,
    /// The impulse that stops it there, or throws it back as far as the pair bounces, when
    /// nothing else holds the bodies; in N s.
    pub impulse: f32,
}

/// A shape that entered or left a sensor.
///
/// After a removal the keys may be stale; they still compare and hash as before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SensorEvent {
    /// The sensor.
    pub sensor: ShapeKey,
    /// The body of the sensor.
    pub sensor_body: BodyKey,
    /// What entered or left.
    pub visitor: ShapeKey,
    /// The body of the visitor.
    pub visitor_body: BodyKey,
}

/// The events of a step, and of the commands given since the step before.
///
/// Contacts touch when they press or overlap; a contact that is only near does not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Events {
    /// Pairs that began to touch, in contact order. One that met within the step, as fast bodies do, has
    /// its points in [`World::contacts_of`](crate::World::contacts_of) from a later step on; what it
    /// did is in [`Self::hit`], if it was as fast as that asks.
    pub contact_begin: Vec<ContactEvent>,
    /// Pairs that ceased to touch, in contact order.
    pub contact_end: Vec<ContactEvent>,
    /// Pairs that began to touch with at least `Settings::hit_speed`, in contact order.
    pub hit: Vec<HitEvent>,
    /// Shapes that entered a sensor, in contact order. One that is struck into a sensor within the step, far
    /// off its way, is told a step later, if it is still in there.
    pub sensor_begin: Vec<SensorEvent>,
    /// Shapes that left a sensor, in contact order.
    pub sensor_end: Vec<SensorEvent>,
    /// Bodies that fell asleep, island by island; not those that were added asleep.
    pub sleep: Vec<BodyKey>,
    /// Bodies that woke, island by island.
    pub wake: Vec<BodyKey>,
    /// Joints that carried more than their threshold in a sub-step, in joint order. Those that broke
    /// are gone.
    pub joint_over_threshold: Vec<JointEvent>,
    /// Bodies whose state ceased to be finite or that left the world's range of 1e12 m: put
    /// to rest where they last were.
    pub diverged: Vec<BodyKey>,
}

impl Events {
    pub(crate) fn clear(&mut self) {
        self.contact_begin.clear();
        self.contact_end.clear();
        self.hit.clear();
        self.sensor_begin.clear();
        self.sensor_end.clear();
        self.sleep.clear();
        self.wake.clear();
        self.joint_over_threshold.clear();
        self.diverged.clear();
    }
}
