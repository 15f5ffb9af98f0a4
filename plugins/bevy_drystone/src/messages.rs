//! What happened in a step, for message readers. In the engine's order.

use bevy_ecs::prelude::*;

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
