//! What happened in a step, for message readers. In the engine's order.

use bevy_ecs::prelude::*;
use bevy_math::Vec3;

/// Two bodies began to touch.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactBegan {
    /// First body.
    pub a: Entity,
    /// Second body.
    pub b: Entity,
}

/// Two bodies ceased to touch.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactEnded {
    /// First body.
    pub a: Entity,
    /// Second body.
    pub b: Entity,
}

/// Two bodies met at speed, at least `Settings::hit_speed`.
#[derive(Message, Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// First body.
    pub a: Entity,
    /// Second body.
    pub b: Entity,
    /// Where, in the coordinates of `Transform`.
    pub point: Vec3,
    /// Unit, from A to B.
    pub normal: Vec3,
    /// Of the approach along the normal, in m/s.
    pub speed: f32,
    /// In N s.
    pub impulse: f32,
}

/// A body entered a sensor.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub struct SensorEntered {
    /// The body of the sensor.
    pub sensor: Entity,
    /// Who entered.
    pub visitor: Entity,
}

/// A body left a sensor.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub struct SensorLeft {
    /// The body of the sensor.
    pub sensor: Entity,
    /// Who left.
    pub visitor: Entity,
}

/// A joint carried more than its threshold.
#[derive(Message, Clone, Copy, Debug, PartialEq)]
pub struct JointStrained {
    /// The entity with the joint.
    pub joint: Entity,
    /// In N.
    pub force: f32,
    /// In N m.
    pub torque: f32,
    /// Whether it broke: then its `JointHandle` is taken away.
    pub broken: bool,
}

/// A body fell asleep.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub struct FellAsleep(pub Entity);

/// A body woke up.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub struct WokeUp(pub Entity);

/// The engine refused what an entity asks for; nothing was changed.
#[derive(Message, Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The entity.
    pub entity: Entity,
    /// What is wrong and what would be right.
    pub reason: String,
}
