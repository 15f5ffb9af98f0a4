//! Descriptions: plain structs with public fields that say what to create. The world
//! checks them once, at its border; nothing invalid gets past it.

use drystone_geometry::glam::{DVec3, Quat, Vec3};
use drystone_geometry::{Pose, Shape};
use serde::{Deserialize, Serialize};

use crate::error::DefError;
use crate::{BodyKey, SimdLevel, check};

/// How a world steps. The defaults suit human-sized scenes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Acceleration of free fall, in m/s^2.
    pub gravity: Vec3,
    /// Time a step advances, in seconds. Zero is allowed and changes nothing; at most 1000. It may change from step
    /// to step, but equal steps are the most exact.
    pub dt: f32,
    /// Sub-steps of a step: 1 to 64. More is stiffer and slower.
    pub substeps: u32,
    /// Whether islands at rest fall asleep.
    pub sleeping: bool,
    /// Whether a touching pair that hardly moved keeps its manifold (rung RECYCLE).
    pub recycling: bool,
    /// Approach speed below which a contact does not bounce, in m/s.
    pub restitution_threshold: f32,
    /// Fastest push-out of overlapping shapes, in m/s.
    pub max_push_speed: f32,
    /// Approach speed from which a contact that begins is reported as a hit, in m/s, at least
    /// 0. Infinity reports none.
    pub hit_speed: f32,
    /// Worker threads; 0 takes one per core. The result never depends on it.
    pub threads: usize,
    /// Instruction set of the wide kernels. The result never depends on it.
    pub simd: SimdLevel,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            gravity: Vec3::new(0.0, -9.81, 0.0),
            dt: 1.0 / 60.0,
            substeps: 4,
            sleeping: true,
            recycling: true,
            restitution_threshold: 1.0,
            max_push_speed: 3.0,
            hit_speed: 1.0,
            threads: 1,
            simd: SimdLevel::Auto,
        }
    }
}

/// What moves a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum BodyKind {
    /// Nothing: it stays where it is put.
    Static,
    /// Its own velocity, which nothing in the world changes.
    Kinematic,
    /// Forces, contacts and joints.
    #[default]
    Dynamic,
}

/// A shape on a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShapeDef {
    /// The geometry.
    pub shape: Shape,
    /// The shape's frame in the body's.
    pub pose: Pose,
    /// Its surface and density.
    pub material: Material,
    /// What it may touch.
    pub filter: Filter,
    /// Whether it pushes nothing and only reports what enters and leaves it.
    pub sensor: bool,
}

impl ShapeDef {
    /// `shape` at the body's origin, of the default material.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            pose: Pose::IDENTITY,
            material: Material::default(),
            filter: Filter::default(),
            sensor: false,
        }
    }
}

/// Mass given instead of computed from shapes and densities.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MassOverride {
    /// In kg, above 0.
    pub mass: f32,
    /// Moments of inertia about axes through the centre of mass along those of the body's frame, which
    /// are principal then; in kg m^2, above 0, none more than the sum of the other two. Without them,
    /// the inertia of the shapes about their centre of mass is scaled to the mass.
    pub inertia: Option<Vec3>,
    /// Centre of mass in the body's frame, in metres; that of the shapes without it.
    pub center: Option<Vec3>,
}

impl MassOverride {
    /// A mass in kg, its inertia and centre those of the shapes.
    pub const fn new(mass: f32) -> Self {
        Self {
            mass,
            inertia: None,
            center: None,
        }
    }

    /// Whether a body can have this mass and inertia; the world refuses others.
    pub fn check(&self) -> Result<(), DefError> {
        check::mass_override(self)
    }
}

/// Axes of the world along or about which a body does not move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AxisLocks {
    /// Translation along x, y, z.
    pub translation: [bool; 3],
    /// Rotation about x, y, z.
    pub rotation: [bool; 3],
}

impl AxisLocks {
    /// A body of the x-y plane: it does not leave it, and turns about z alone.
    pub const PLANAR: Self = Self {
        translation: [false, false, true],
        rotation: [true, true, false],
    };

    /// The axes locked by either.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        let either = |a: [bool; 3], b: [bool; 3]| [a[0] | b[0], a[1] | b[1], a[2] | b[2]];
        Self {
            translation: either(self.translation, other.translation),
            rotation: either(self.rotation, other.rotation),
        }
    }
}

/// A body to create.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyDef {
    /// What moves it.
    pub kind: BodyKind,
    /// Origin of the body's frame in the world, in metres.
    pub position: DVec3,
    /// Orientation; scaled to unit length on creation.
    pub rotation: Quat,
    /// Velocity of the centre of mass, in m/s. A body that is static or starts asleep has none,
    /// whatever stands here.
    pub linear_velocity: Vec3,
    /// Angular velocity in world axes, in rad/s, likewise.
    pub angular_velocity: Vec3,
    /// Rate at which linear velocity decays, in 1/s, at least 0.
    pub linear_damping: f32,
    /// Rate at which angular velocity decays, in 1/s, at least 0.
    pub angular_damping: f32,
    /// Factor on gravity.
    pub gravity_scale: f32,
    /// Speed below which the body may fall asleep, in m/s, at least 0.
    pub sleep_threshold: f32,
    /// Whether the body may fall asleep.
    pub can_sleep: bool,
    /// Whether the body starts asleep, if it is dynamic and may fall asleep.
    pub asleep: bool,
    /// Whether it and dynamic bodies do not get through each other, however fast they are.
    ///
    /// What is fast stops at what it is headed for as a step begins, bullet or not, and its centre
    /// never gets through static or kinematic shapes, but where it is hollow there: a ring goes over a
    /// peg. And what hits something dynamic with an end turns on about that, and may get through where it
    /// is thin. Where one of the two is a bullet, the centre
    /// of the smaller is kept on its side of the other, if they had met or were about to as the step
    /// began and the larger turns by no more than 2 radians in it; both give way by their masses.
    /// Fast turns of a bullet against what it touches already are foreseen too.
    pub bullet: bool,
    /// Axes it does not move along or about.
    pub locks: AxisLocks,
    /// Mass instead of the shapes' own.
    pub mass: Option<MassOverride>,
    /// Its shapes. A dynamic body needs mass: from a shape of positive density or from `mass`.
    /// Where they lie flush, it rests and slides as the whole would.
    pub shapes: Vec<ShapeDef>,
    /// A name for people; need not be unique. Empty for none.
    pub name: String,
    /// Whatever the caller likes; the engine only keeps it.
    pub user_data: u64,
}

impl Default for BodyDef {
    fn default() -> Self {
        Self {
            kind: BodyKind::Dynamic,
            position: DVec3::ZERO,
            rotation: Quat::IDENTITY,
            linear_velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            linear_damping: 0.0,
            angular_damping: 0.0,
            gravity_scale: 1.0,
            sleep_threshold: 0.05,
            can_sleep: true,
            asleep: false,
            bullet: false,
            locks: AxisLocks::default(),
            mass: None,
            shapes: Vec::new(),
            name: String::new(),
            user_data: 0,
        }
    }
}

impl BodyDef {
    /// A dynamic body at the origin, without shapes yet.
    pub fn dynamic() -> Self {
        Self::default()
    }

    /// A static body at the origin, without shapes yet.
    pub fn fixed() -> Self {
        Self {
            kind: BodyKind::Static,
            ..Self::default()
        }
    }

    /// A kinematic body at the origin, without shapes yet.
    pub fn kinematic() -> Self {
        Self {
            kind: BodyKind::Kinematic,
            ..Self::default()
        }
    }

    /// The same, at `position`.
    pub fn at(self, position: DVec3) -> Self {
        Self { position, ..self }
    }

    /// The same, with one more shape as described.
    pub fn with_part(mut self, part: ShapeDef) -> Self {
        self.shapes.push(part);
        self
    }

    /// The same, with one more shape at the body's origin.
    pub fn with_shape(mut self, shape: Shape) -> Self {
        self.shapes.push(ShapeDef::new(shape));
        self
    }
}

/// What a joint holds together, and its frames on both bodies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointDef {
    /// First body.
    pub body_a: BodyKey,
    /// Second body, another than the first.
    pub body_b: BodyKey,
    /// The joint's frame in A's.
    pub frame_a: Pose,
    /// The joint's frame in B's.
    pub frame_b: Pose,
    /// What is held.
    pub kind: JointKind,
    /// Whether the two bodies touch each other all the same.
    pub collide_connected: bool,
    /// What it may carry until it is reported, or breaks.
    pub threshold: Option<JointThreshold>,
    /// A name for people; need not be unique. Empty for none.
    pub name: String,
}

/// What a joint may carry until [`Events`](crate::Events) report it: after each step in a sub-step
/// of which either is exceeded. A rigid joint takes up a jerk in one sub-step, so an impulse of 1 N s
/// counts as 1 N over the length of a sub-step in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointThreshold {
    /// In N, at least 0; any without it.
    pub force: Option<f32>,
    /// In N m, at least 0; any without it.
    pub torque: Option<f32>,
    /// Whether the joint breaks: it is removed after the step, when it was reported.
    pub breaks: bool,
}

impl JointDef {
    /// A joint at the origins of both bodies, whose bodies do not touch each other.
    pub fn new(body_a: BodyKey, body_b: BodyKey, kind: JointKind) -> Self {
        Self {
            body_a,
            body_b,
            frame_a: Pose::IDENTITY,
            frame_b: Pose::IDENTITY,
            kind,
            collide_connected: false,
            threshold: None,
            name: String::new(),
        }
    }

    /// The same, with its frames at these points of the bodies, in their own frames.
    pub fn with_anchors(mut self, a: Vec3, b: Vec3) -> Self {
        self.frame_a.translation = a;
        self.frame_b.translation = b;
        self
    }
}

pub use crate::material::{CombineRule, Material};
pub use drystone_broad_phase::Filter;
pub use drystone_solver::joint::{
    JointAxis, JointKind, JointLimit, JointMotor, JointSpring, SixDofSettings, WheelSettings,
};
