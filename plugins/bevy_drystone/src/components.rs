//! What an entity carries to be a body or a joint.

use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_transform::prelude::*;
use drystone::{
    BodyDef, BodyKey, BodyKind, JointKey, JointKind, JointThreshold, Material, Pose, Shape,
    ShapeDef,
};

use crate::convert::to_drystone;

/// Makes an entity a body. Its pose is the entity's `Transform`; its shapes are in
/// [`Collider`]. Removing this component removes the body.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
#[component(immutable)]
#[require(Transform)]
pub enum RigidBody {
    /// Stays where it is put.
    Static,
    /// Moves by its own velocity or by its changed `Transform`; nothing pushes it.
    Kinematic,
    /// Moves by forces, contacts and joints.
    Dynamic,
}

impl From<RigidBody> for BodyKind {
    fn from(body: RigidBody) -> Self {
        match body {
            RigidBody::Static => Self::Static,
            RigidBody::Kinematic => Self::Kinematic,
            RigidBody::Dynamic => Self::Dynamic,
        }
    }
}

/// The shapes of a body, each with its place, material and filter. Read when the body is made.
#[derive(Component, Clone, Debug)]
pub struct Collider(pub Vec<ShapeDef>);

impl Collider {
    /// One shape of the default material at the body's origin.
    pub fn shape(shape: Shape) -> Self {
        Self(vec![ShapeDef::new(shape)])
    }

    /// A box of these half extents, in metres.
    pub fn cuboid(x: f32, y: f32, z: f32) -> Self {
        Self::shape(Shape::cube(to_drystone(Vec3::new(x, y, z))))
    }

    /// A ball of this radius, in metres.
    pub fn ball(radius: f32) -> Self {
        Self::shape(Shape::sphere(radius))
    }

    /// A capsule along Y, in metres.
    pub fn capsule(half_height: f32, radius: f32) -> Self {
        Self::shape(Shape::capsule(half_height, radius))
    }

    /// Everything below the body's origin, along its Y axis.
    pub fn half_space() -> Self {
        Self::shape(Shape::half_space(to_drystone(Vec3::Y)))
    }

    /// The same, all shapes of this material.
    pub fn with_material(mut self, material: Material) -> Self {
        for shape in &mut self.0 {
            shape.material = material;
        }
        self
    }

    /// The same, with one more shape at a place of the body.
    pub fn and(mut self, shape: Shape, at: Vec3, rotation: Quat) -> Self {
        self.0.push(ShapeDef {
            pose: Pose {
                translation: to_drystone(at),
                rotation: to_drystone(rotation),
            },
            ..ShapeDef::new(shape)
        });
        self
    }
}

/// Velocity of the centre of mass in m/s and angular velocity in rad/s, in world axes.
/// Changing it changes the body's; after a step it is the body's.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub struct Velocity {
    /// In m/s.
    pub linear: Vec3,
    /// In rad/s.
    pub angular: Vec3,
}

/// Everything else that the engine's description of a body says: damping, gravity scale,
/// locks, sleep, mass. Read when the body is made; kind, pose, velocity, shapes and user data
/// come from the other components.
#[derive(Component, Clone, Debug, Default)]
pub struct BodySettings(pub BodyDef);

/// The engine's key of an entity's body, put there by the plugin.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Body(pub BodyKey);

/// Draws the body between its last two poses, so that motion is smooth at any frame rate.
/// The `Transform` is then up to one step behind the world.
#[derive(Component, Clone, Copy, Debug, Default)]
pub struct Interpolate;

/// The pose that the plugin last wrote, and the two it draws between.
#[derive(Component, Clone, Copy, Debug)]
pub(crate) struct Drawn {
    pub(crate) written: Transform,
    pub(crate) from: Transform,
    pub(crate) to: Transform,
}

/// Holds two bodies together. Both entities must be bodies by the next step. Removing this
/// component removes the joint.
#[derive(Component, Clone, Debug)]
#[component(immutable)]
pub struct Joint {
    /// First body.
    pub body_a: Entity,
    /// Second body.
    pub body_b: Entity,
    /// The joint's frame in A's.
    pub frame_a: Pose,
    /// The joint's frame in B's.
    pub frame_b: Pose,
    /// What is held.
    pub kind: JointKind,
    /// Whether the two bodies touch each other all the same.
    pub collide_connected: bool,
    /// A load that is told by a message, and whether the joint breaks then.
    pub threshold: Option<JointThreshold>,
}

impl Joint {
    /// A joint of `kind` at these places of the two bodies, in metres in their own frames.
    pub fn new(kind: JointKind, a: (Entity, Vec3), b: (Entity, Vec3)) -> Self {
        let frame = |at: Vec3| Pose {
            translation: to_drystone(at),
            ..Pose::IDENTITY
        };
        Self {
            body_a: a.0,
            body_b: b.0,
            frame_a: frame(a.1),
            frame_b: frame(b.1),
            kind,
            collide_connected: false,
            threshold: None,
        }
    }
}

/// The engine's key of an entity's joint, put there by the plugin.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub struct JointHandle(pub JointKey);
