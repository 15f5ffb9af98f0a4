//! drystone as a Bevy plugin: bodies, shapes and joints as components, poses in
//! `Transform`, events as messages, interpolation between steps, gizmos for debugging.
//!
//! ```
//! use bevy_app::prelude::*;
//! use bevy_ecs::prelude::*;
//! use bevy_drystone::prelude::*;
//! use bevy_time::TimePlugin;
//! use bevy_transform::prelude::*;
//!
//! fn set_up(mut commands: Commands) {
//!     commands.spawn((RigidBody::Static, Collider::half_space()));
//!     commands.spawn((
//!         RigidBody::Dynamic,
//!         Collider::cuboid(0.5, 0.5, 0.5),
//!         Transform::from_xyz(0.0, 3.0, 0.0),
//!     ));
//! }
//!
//! let mut app = App::new();
//! app.add_plugins((TimePlugin, DrystonePlugin::default()))
//!     .add_systems(Startup, set_up);
//! app.update();
//! ```
//!
//! # What runs when
//!
//! [`PhysicsSystems`] run in `FixedPostUpdate`, one world step for each run of it: new bodies
//! and joints are created, changed transforms and velocities are taken over, the world steps
//! by the fixed time step, poses and velocities are written back, messages are sent. After
//! the fixed loop, bodies with [`Interpolate`] are drawn between their last two poses.
//!
//! # Rules
//!
//! - A body is an entity without a parent: its `Transform` is its pose in the world. Scale is
//!   not looked at.
//! - A `Transform` that you change is a teleport of a static or dynamic body, and the target
//!   of the next step of a kinematic one.
//! - What the engine refuses (a mesh without triangles, a dynamic body without mass) comes as
//!   a [`Refused`] message with the reason; the entity stays without a body.
//! - Worlds are as large as `f64`: [`Physics::origin`] is the place that `Transform` counts from.
//! - glam: Bevy 0.19 uses glam 0.32, drystone 0.33 or later. Vectors are converted at this
//!   border, [`to_bevy`] and [`to_drystone`] do it for you.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod components;
mod convert;
mod debug;
mod messages;
mod systems;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::DVec3;
use drystone::Settings;

pub use components::{
    Body, BodySettings, Collider, Interpolate, Joint, JointHandle, RigidBody, Velocity,
};
pub use convert::{to_bevy, to_drystone};
pub use debug::{DebugDrawPlugin, DebugDrawSettings, PhysicsGizmos};
pub use drystone;
pub use messages::{
    ContactBegan, ContactEnded, FellAsleep, Hit, JointStrained, Refused, SensorEntered, SensorLeft,
    WokeUp,
};

/// What most games need.
pub mod prelude {
    pub use crate::{
        Body, BodySettings, Collider, ContactBegan, ContactEnded, DebugDrawPlugin, DrystonePlugin,
        FellAsleep, Hit, Interpolate, Joint, JointHandle, JointStrained, Physics, PhysicsSystems,
        Refused, RigidBody, SensorEntered, SensorLeft, Velocity, WokeUp,
    };
    pub use drystone::{JointKind, Material, Shape};
}

/// Adds a physics world to an app. Needs Bevy's `TimePlugin` (part of its default plugins).
#[derive(Clone, Debug, Default)]
pub struct DrystonePlugin {
    /// How the world steps. `dt` is taken from `Time<Fixed>`.
    pub settings: Settings,
}

/// The steps of physics within `FixedPostUpdate`, in this order.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PhysicsSystems {
    /// Entities become bodies and joints; changed components are taken over.
    Prepare,
    /// The world steps.
    Step,
    /// Poses, velocities and messages are written.
    Sync,
}

/// The world. Read it and command it as the `drystone` crate says; entities and bodies find
/// each other through [`Body`] and [`Physics::entity`].
#[derive(Resource)]
pub struct Physics {
    /// The engine's world.
    pub world: drystone::World,
    /// The place in the engine's world where `Transform` has its origin, in metres.
    pub origin: DVec3,
}

impl Physics {
    /// The entity of a body, if the body is there and was made by this plugin.
    pub fn entity(&self, body: drystone::BodyKey) -> Option<Entity> {
        let bits = self.world.body(body).ok()?.user_data();
        Entity::try_from_bits(bits)
    }
}

impl Plugin for DrystonePlugin {
    fn build(&self, app: &mut App) {
        let world = match drystone::World::new(self.settings.clone()) {
            Ok(world) => world,
            Err(error) => panic!("DrystonePlugin: {error}"),
        };
        app.insert_resource(Physics {
            world,
            origin: DVec3::ZERO,
        })
        .add_message::<ContactBegan>()
        .add_message::<ContactEnded>()
        .add_message::<Hit>()
        .add_message::<SensorEntered>()
        .add_message::<SensorLeft>()
        .add_message::<JointStrained>()
        .add_message::<FellAsleep>()
        .add_message::<WokeUp>()
        .add_message::<Refused>()
        .configure_sets(
            FixedPostUpdate,
            (
                PhysicsSystems::Prepare,
                PhysicsSystems::Step,
                PhysicsSystems::Sync,
            )
                .chain(),
        )
        .add_systems(
            FixedPostUpdate,
            (
                (
                    systems::add_bodies,
                    ApplyDeferred,
                    systems::add_joints,
                    systems::take_transforms,
                    systems::take_velocities,
                )
                    .chain()
                    .in_set(PhysicsSystems::Prepare),
                systems::step.in_set(PhysicsSystems::Step),
                (
                    systems::write_poses,
                    systems::write_velocities,
                    systems::send_messages,
                )
                    .chain()
                    .in_set(PhysicsSystems::Sync),
            ),
        )
        .add_systems(
            RunFixedMainLoop,
            systems::interpolate.in_set(RunFixedMainLoopSystems::AfterFixedMainLoop),
        )
        .add_observer(systems::remove_body)
        .add_observer(systems::remove_joint);
    }
}
