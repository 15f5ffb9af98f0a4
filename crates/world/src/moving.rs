//! The moving state of bodies: in the dense array of those awake or of those asleep.

use drystone_geometry::glam::{DVec3, Quat, Vec3};
use drystone_geometry::mass::MassProperties;
use drystone_geometry::{DPose, Pose};
use drystone_solver::{AxisLocks, Body, STATIC_SLOT};

use crate::World;
use crate::def::{BodyDef, BodyKind};
use crate::record::{NONE, Place};

impl World {
    /// Gives a new dynamic or kinematic body its moving state.
    pub(crate) fn start_moving(&mut self, index: u32, def: &BodyDef, mass: &MassProperties) {
        let (linear, angular) = (def.linear_velocity, def.angular_velocity);
        let body = self.new_moving(index, linear, angular, mass);
        let dynamic = self.is_dynamic(index);
        if def.asleep && dynamic && def.can_sleep {
            let body = Body {
                linear_velocity: Vec3::ZERO,
                angular_velocity: Vec3::ZERO,
                ..body
            };
            self.asleep.push(body);
            let place = Place::Asleep((self.asleep.len() - 1) as u32);
            self.bodies[index as usize].place = place;
            self.islands.insert_body(index);
            let island = self.islands.island_of(index);
            self.islands.set_asleep(island, true);
            self.rest_frames(index, &self.pose_of(index));
        } else {
            self.enter_awake(body);
        }
    }

    /// The moving state of a body at its rest pose, from its record and shapes.
    pub(crate) fn new_moving(
        &self,
        index: u32,
        linear_velocity: Vec3,
        angular_velocity: Vec3,
        mass: &MassProperties,
    ) -> Body {
        let record = &self.bodies[index as usize];
        let motion = &record.motion;
        let mut body = Body {
            center: record.rest_pose.transform_point(record.center),
            rotation: record.rest_pose.rotation,
            linear_velocity,
            angular_velocity,
            principal_rotation: mass.principal_rotation,
            linear_damping: motion.linear_damping,
            angular_damping: motion.angular_damping,
            gravity_scale: motion.gravity_scale,
            locks: AxisLocks::new(motion.locks.translation, motion.locks.rotation),
            extent: self.extent_of(index),
            extents: self.extents_of(index, mass.principal_rotation),
            sleep_threshold: motion.sleep_threshold,
            can_sleep: motion.can_sleep,
            index,
            ..Body::default()
        };
        let dynamic = record.kind == BodyKind::Dynamic;
        set_inertia(&mut body, dynamic, mass.mass, mass.inertia);
        body
    }

    /// Largest distance of a point of a body's shapes from its centre of mass, in metres.
    pub(crate) fn extent_of(&self, index: u32) -> f32 {
        let record = &self.bodies[index as usize];
        let mut extent: f32 = 0.0;
        let mut at = record.first_shape;
        while at != NONE {
            let shape = &self.shapes[at as usize];
            let center = shape.pose.inverse_transform_point(record.center);
            extent = extent.max(shape.shape.extent_from(center));
            at = shape.next;
        }
        extent
    }

    /// How far a body's shapes reach from its centre of mass along its principal axes, in metres.
    pub(crate) fn extents_of(&self, index: u32, principal_rotation: Quat) -> Vec3 {
        let record = &self.bodies[index as usize];
        let principal = Pose {
            rotation: principal_rotation,
            translation: record.center,
        }
        .to_double();
        let mut extents = DVec3::ZERO;
        let mut at = record.first_shape;
        while at != NONE {
            let shape = &self.shapes[at as usize];
            let in_principal = DPose::relative(&principal, &shape.pose.to_double());
            let bounds = shape.shape.bounds_in(&in_principal);
            extents = extents.max(bounds.min.abs()).max(bounds.max.abs());
            at = shape.next;
        }
        extents.as_vec3()
    }

    /// Takes a body's moving state away.
    pub(crate) fn stop_moving(&mut self, index: u32) {
        match self.bodies[index as usize].place {
            Place::Static => return,
            Place::Awake(slot) => {
                self.take_awake(slot);
            }
            Place::Asleep(slot) => {
                self.take_asleep(slot);
            }
        }
        if self.bodies[index as usize].kind == BodyKind::Dynamic {
            self.islands.remove_body(index);
        }
        self.bodies[index as usize].place = Place::Static;
    }

    /// Takes a body out of the awake array; the last one moves into its slot.
    pub(crate) fn take_awake(&mut self, slot: u32) -> Body {
        let body = self.awake.swap_remove(slot as usize);
        self.frames.swap_remove(slot as usize);
        self.slot_of[body.index as usize] = STATIC_SLOT | body.index;
        if let Some(moved) = self.awake.get(slot as usize) {
            self.bodies[moved.index as usize].place = Place::Awake(slot);
            self.slot_of[moved.index as usize] = slot;
        }
        body
    }

    /// Takes a body out of the sleeping array; the last one moves into its slot.
    pub(crate) fn take_asleep(&mut self, slot: u32) -> Body {
        let body = self.asleep.swap_remove(slot as usize);
        if let Some(moved) = self.asleep.get(slot as usize) {
            self.bodies[moved.index as usize].place = Place::Asleep(slot);
        }
        body
    }
}

/// Makes a body as hard to move as its mass in kg and its moments in kg m^2 say; what is not
/// dynamic cannot be pushed at all.
pub(crate) fn set_inertia(body: &mut Body, dynamic: bool, mass: f32, inertia: Vec3) {
    let inverse = |value: f32| {
        if dynamic && value > 0.0 {
            1.0 / value
        } else {
            0.0
        }
    };
    (body.inverse_mass, body.inertia) = (inverse(mass), inertia);
    body.inverse_inertia = Vec3::from_array(inertia.to_array().map(inverse));
}
