//! Bodies that can move, the poses of those that cannot, and how a constraint finds either.

use drystone_geometry::glam::{DVec3, Quat, Vec3};
use drystone_geometry::rotation;
use serde::{Deserialize, Serialize};

use crate::integrate::{apply_symmetric, world_inverse_inertia};

/// Axes of the world along or about which a body does not move, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AxisLocks(pub u8);

impl AxisLocks {
    /// Free along and about every axis.
    pub const NONE: Self = Self(0);
    /// No translation along X; Y and Z are the next two bits.
    pub const TRANSLATION_X: u8 = 1;
    /// No rotation about X; Y and Z are the next two bits.
    pub const ROTATION_X: u8 = 8;

    /// Locks from one flag per axis.
    pub fn new(translation: [bool; 3], rotation: [bool; 3]) -> Self {
        let mut bits = 0;
        for axis in 0..3 {
            bits |= u8::from(translation[axis]) * (Self::TRANSLATION_X << axis);
            bits |= u8::from(rotation[axis]) * (Self::ROTATION_X << axis);
        }
        Self(bits)
    }

    /// 1 for each axis of translation that is free, 0 for each that is locked.
    pub fn free_translation(self) -> Vec3 {
        Self::free(self.0)
    }

    /// 1 for each axis of rotation that is free, 0 for each that is locked.
    pub fn free_rotation(self) -> Vec3 {
        Self::free(self.0 >> 3)
    }

    fn free(bits: u8) -> Vec3 {
        if bits & 7 == 0 {
            return Vec3::ONE;
        }
        let axis = |axis: u8| f32::from(1 - (bits >> axis & 1));
        Vec3::new(axis(0), axis(1), axis(2))
    }
}

/// State of a body that can move, dynamic or kinematic.
///
/// The world keeps those that are awake in one dense array. Everything is finite, masses
/// and inertias are not negative, rotations are unit; the world checks this at its border.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Body {
    /// Centre of mass in the world, in metres.
    pub center: DVec3,
    /// Orientation of the body's own axes in the world.
    pub rotation: Quat,
    /// Velocity of the centre of mass, in m/s.
    pub linear_velocity: Vec3,
    /// Angular velocity in world axes, in rad/s.
    pub angular_velocity: Vec3,
    /// Force on the centre of mass during the next step, in N; the step clears it.
    pub force: Vec3,
    /// Torque during the next step, in world axes, in N m; the step clears it.
    pub torque: Vec3,
    /// In 1/kg; 0 for a kinematic body, which nothing pushes.
    pub inverse_mass: f32,
    /// Principal moments of inertia about the centre of mass, in kg m^2.
    pub inertia: Vec3,
    /// Inverses of `inertia`; 0 where nothing turns the body.
    pub inverse_inertia: Vec3,
    /// The principal axes in the body's own axes.
    pub principal_rotation: Quat,
    /// Rate at which linear velocity decays, in 1/s.
    pub linear_damping: f32,
    /// Rate at which angular velocity decays, in 1/s.
    pub angular_damping: f32,
    /// Factor on gravity, a ratio.
    pub gravity_scale: f32,
    /// World axes it does not move along or about.
    pub locks: AxisLocks,
    /// Mass in kg it counts as if it has less, because it carries so much more; the step renews
    /// it. 0 for none.
    pub burden: f32,
    /// Impulse of its joints in a sub-step times their arms, summed up, that its inertia was last raised
    /// for, and less as time goes by, in N m s; the step renews it. 0 for none.
    pub tension: f32,
    /// By how much it has turned since it came to rest without its levers having followed, a
    /// rotation vector in world axes, in radians; the step renews it. See
    /// [`MAX_LEAN`](crate::tolerance::MAX_LEAN).
    pub lean: Vec3,
    /// Largest distance of a point of the surface from the centre of mass, in metres.
    pub extent: f32,
    /// How far the surface reaches from the centre of mass along the principal axes, in metres.
    pub extents: Vec3,
    /// Speed of the surface below which the body counts as resting, in m/s.
    pub sleep_threshold: f32,
    /// How long it has rested, in seconds.
    pub sleep_time: f32,
    /// Whether it may fall asleep.
    pub can_sleep: bool,
    /// The world's index of this body.
    pub index: u32,
}

impl Default for Body {
    /// A unit cube's worth of water at the origin, at rest.
    fn default() -> Self {
        Self {
            center: DVec3::ZERO,
            rotation: Quat::IDENTITY,
            linear_velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            force: Vec3::ZERO,
            torque: Vec3::ZERO,
            inverse_mass: 1.0 / 1000.0,
            inertia: Vec3::splat(1000.0 / 6.0),
            inverse_inertia: Vec3::splat(6.0 / 1000.0),
            principal_rotation: Quat::IDENTITY,
            linear_damping: 0.0,
            angular_damping: 0.0,
            gravity_scale: 1.0,
            locks: AxisLocks::NONE,
            burden: 0.0,
            tension: 0.0,
            lean: Vec3::ZERO,
            extent: 0.866,
            extents: Vec3::splat(0.5),
            sleep_threshold: 0.05,
            sleep_time: 0.0,
            can_sleep: true,
            index: 0,
        }
    }
}

impl Body {
    /// Whether forces and constraints move it; otherwise it is kinematic.
    #[inline]
    pub fn is_dynamic(&self) -> bool {
        self.inverse_mass > 0.0 || self.inverse_inertia != Vec3::ZERO
    }

    /// What an angular impulse in N m s, in world axes, adds to the angular velocity, in rad/s. Locked
    /// axes hold still.
    pub fn turned_by(&self, impulse: Vec3) -> Vec3 {
        let [diagonal, rest] = world_inverse_inertia(self, self.rotation);
        apply_symmetric(diagonal, rest, impulse)
    }

    /// Speed of the fastest point of the surface, at most, in m/s.
    #[inline]
    pub fn surface_speed(&self) -> f32 {
        self.linear_velocity.length() + self.arc(self.angular_velocity)
    }

    /// No less than [`Self::surface_speed`], in m/s, and told without a look at how the body lies.
    #[inline]
    pub fn surface_speed_bound(&self) -> f32 {
        self.linear_velocity.length() + self.extent * self.angular_velocity.length()
    }

    /// Greatest length of `turn` crossed with a way from the centre of mass to the surface, at
    /// most: how far the surface gets by a rotation vector, in world axes.
    ///
    /// What is long gets far by turning across its length, and hardly by rolling about it.
    #[inline]
    pub fn arc(&self, turn: Vec3) -> f32 {
        let mut turned = rotation::rotate_inverse(self.rotation, turn);
        // Most bodies are symmetric about their own axes, and then this would change nothing.
        if self.principal_rotation != Quat::IDENTITY {
            turned = rotation::rotate_inverse(self.principal_rotation, turned);
        }
        let turned = turned.abs();
        let e = self.extents;
        let arc = Vec3::new(
            turned.y * e.z + turned.z * e.y,
            turned.z * e.x + turned.x * e.z,
            turned.x * e.y + turned.y * e.x,
        );
        arc.length().min(self.extent * turn.length())
    }
}

/// Where a body that is not among the awake ones stands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StaticPose {
    /// The point its contact anchors and joint frames are measured from, in the world.
    pub center: DVec3,
    /// Orientation of its own axes in the world.
    pub rotation: Quat,
}

impl StaticPose {
    /// The world's own frame.
    pub const IDENTITY: Self = Self {
        center: DVec3::ZERO,
        rotation: Quat::IDENTITY,
    };
}

/// Set in an entry of [`BodyTable::slot_of`] when the rest of it indexes the static poses.
pub const STATIC_SLOT: u32 = 1 << 31;

/// Leads from the world's body indices to awake slots and static poses.
#[derive(Clone, Copy, Debug)]
pub struct BodyTable<'a> {
    /// By world body index: the slot in the awake array, or [`STATIC_SLOT`] plus the index
    /// into `statics`. Every body of a constraint in the graph must have a valid entry.
    pub slot_of: &'a [u32],
    /// Poses of static bodies.
    pub statics: &'a [StaticPose],
}

impl BodyTable<'_> {
    /// The slot of `body` in the awake array, or `None` when it is static.
    pub fn awake_slot(&self, body: u32) -> Option<usize> {
        let slot = self.slot_of[body as usize];
        (slot & STATIC_SLOT == 0).then_some(slot as usize)
    }

    /// Centre and rotation of `body`, wherever it is.
    pub fn pose(&self, bodies: &[Body], body: u32) -> StaticPose {
        let slot = self.slot_of[body as usize];
        if slot & STATIC_SLOT == 0 {
            let body = &bodies[slot as usize];
            StaticPose {
                center: body.center,
                rotation: body.rotation,
            }
        } else {
            self.statics[(slot & !STATIC_SLOT) as usize]
        }
    }
}
