//! Reading bodies.

use drystone_geometry::glam::{DVec3, Quat, Vec3};
use drystone_geometry::{Pose, Shape, WorldAabb, WorldPose, rotation};
use drystone_solver::Body;

use crate::def::{BodyDef, BodyKind, Filter, Material, ShapeDef};
use crate::error::StaleKey;
use crate::record::{BodyRecord, Place, ShapeRecord, origin_pose};
use crate::{BodyKey, JointKey, ShapeKey, World};

/// A body as it is between steps.
#[derive(Clone, Copy, Debug)]
pub struct BodyView<'a> {
    world: &'a World,
    index: u32,
}

/// A shape of a body as it is between steps.
#[derive(Clone, Copy, Debug)]
pub struct ShapeView<'a> {
    record: &'a ShapeRecord,
    body: BodyView<'a>,
}

impl World {
    /// The body that `key` names. Fails when it was removed.
    pub fn body(&self, key: BodyKey) -> Result<BodyView<'_>, StaleKey> {
        Ok(BodyView {
            world: self,
            index: self.body_index(key)?,
        })
    }

    /// The shape that `key` names. Fails when it was removed.
    pub fn shape(&self, key: ShapeKey) -> Result<ShapeView<'_>, StaleKey> {
        let index = self.shape_index(key)?;
        let record = &self.shapes[index as usize];
        Ok(ShapeView {
            record,
            body: BodyView {
                world: self,
                index: record.body,
            },
        })
    }

    /// All bodies with their keys, in the order of their indices.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyKey, BodyView<'_>)> + '_ {
        self.body_keys.indices().map(|index| {
            let view = BodyView { world: self, index };
            (view.key(), view)
        })
    }
}

impl<'a> BodyView<'a> {
    fn record(&self) -> &'a BodyRecord {
        &self.world.bodies[self.index as usize]
    }

    /// The moving state, which static bodies do not have.
    fn moving(&self) -> Option<&'a Body> {
        self.world.moving(self.index)
    }

    /// The key that names the body.
    pub fn key(&self) -> BodyKey {
        self.record().key
    }

    /// What moves it.
    pub fn kind(&self) -> BodyKind {
        self.record().kind
    }

    /// Its name; empty for none.
    pub fn name(&self) -> &'a str {
        &self.record().name
    }

    /// What the caller stored with it.
    pub fn user_data(&self) -> u64 {
        self.record().user_data
    }

    /// Pose of the body's frame in the world.
    pub fn pose(&self) -> WorldPose {
        match self.moving() {
            Some(body) => origin_pose(body, self.record().center),
            None => self.record().rest_pose,
        }
    }

    /// Origin of the body's frame in the world, in metres.
    pub fn position(&self) -> DVec3 {
        self.pose().position
    }

    /// Orientation of the body's frame in the world.
    pub fn rotation(&self) -> Quat {
        self.moving()
            .map_or(self.record().rest_pose.rotation, |body| body.rotation)
    }

    /// Centre of mass in the world, in metres; of a static body, its origin.
    pub fn center_of_mass(&self) -> DVec3 {
        self.moving()
            .map_or(self.record().rest_pose.position, |body| body.center)
    }

    /// Velocity of the centre of mass, in m/s.
    pub fn linear_velocity(&self) -> Vec3 {
        self.moving()
            .map_or(Vec3::ZERO, |body| body.linear_velocity)
    }

    /// Angular velocity in world axes, in rad/s.
    pub fn angular_velocity(&self) -> Vec3 {
        self.moving()
            .map_or(Vec3::ZERO, |body| body.angular_velocity)
    }

    /// Angular momentum about the centre of mass, in world axes, in kg m^2/s.
    pub fn angular_momentum(&self) -> Vec3 {
        self.moving().map_or(Vec3::ZERO, |body| {
            let axes = rotation::multiply(body.rotation, body.principal_rotation);
            let spin = rotation::rotate_inverse(axes, body.angular_velocity);
            // What is heavier than single precision holds does not make it overflow when it is turned.
            let most = Vec3::splat(f32::MAX / 16.0);
            rotation::rotate(axes, (body.inertia * spin).clamp(-most, most))
        })
    }

    /// In kg; 0 for a body that is not dynamic and has no dense shape.
    pub fn mass(&self) -> f32 {
        self.record().mass
    }

    /// Principal moments of inertia about the centre of mass, in kg m^2, along
    /// [`BodyView::principal_axes`].
    pub fn inertia(&self) -> Vec3 {
        self.moving().map_or(Vec3::ZERO, |body| body.inertia)
    }

    /// Takes the principal axes of inertia to the body's frame.
    pub fn principal_axes(&self) -> Quat {
        self.moving()
            .map_or(Quat::IDENTITY, |body| body.principal_rotation)
    }

    /// Whether the body takes part in the world, see [`World::set_enabled`].
    pub fn is_enabled(&self) -> bool {
        self.record().enabled
    }

    /// Velocity of the body at a point of the world, in m/s.
    pub fn velocity_at(&self, point: DVec3) -> Vec3 {
        let arm = (point - self.center_of_mass()).as_vec3();
        self.linear_velocity() + self.angular_velocity().cross(arm)
    }

    /// Whether the body is stepped. Static bodies never are.
    pub fn is_awake(&self) -> bool {
        matches!(self.record().place, Place::Awake(_))
    }

    /// Number that bodies connected by contacts and joints share, or `None` when it is not
    /// dynamic. Changes as islands merge and split.
    pub fn island(&self) -> Option<u32> {
        let dynamic = self.kind() == BodyKind::Dynamic && self.is_enabled();
        dynamic.then(|| self.world.islands.island_of(self.index))
    }

    /// Its shapes, in the order they were given.
    pub fn shapes(&self) -> Vec<ShapeView<'a>> {
        let view = *self;
        let mut shapes: Vec<_> = view
            .world
            .shapes_of(view.index)
            .map(|shape| ShapeView {
                record: &view.world.shapes[shape as usize],
                body: view,
            })
            .collect();
        shapes.reverse();
        shapes
    }

    /// The joints on it.
    pub fn joints(&self) -> Vec<JointKey> {
        let joints = self.record().joints.iter();
        joints.map(|joint| self.world.joint_key(*joint)).collect()
    }

    /// A description that creates the same body as it is now: damping, locks and whatever else was
    /// set stand in it.
    pub fn to_def(&self) -> BodyDef {
        let record = self.record();
        BodyDef {
            kind: record.kind,
            position: self.position(),
            rotation: self.rotation(),
            linear_velocity: self.linear_velocity(),
            angular_velocity: self.angular_velocity(),
            linear_damping: record.motion.linear_damping,
            angular_damping: record.motion.angular_damping,
            gravity_scale: record.motion.gravity_scale,
            sleep_threshold: record.motion.sleep_threshold,
            can_sleep: record.motion.can_sleep,
            asleep: matches!(record.place, Place::Asleep(_)),
            bullet: record.bullet,
            locks: record.motion.locks,
            mass: record.mass_override,
            shapes: self.shapes().into_iter().map(ShapeView::to_def).collect(),
            name: record.name.clone(),
            user_data: record.user_data,
        }
    }
}

impl<'a> ShapeView<'a> {
    /// The key that names the shape.
    pub fn key(&self) -> ShapeKey {
        self.record.key
    }

    /// The body it is on.
    pub fn body(&self) -> BodyView<'a> {
        self.body
    }

    /// The geometry.
    pub fn shape(&self) -> &'a Shape {
        &self.record.shape
    }

    /// Its frame in the body's.
    pub fn local_pose(&self) -> Pose {
        self.record.pose
    }

    /// Its frame in the world.
    pub fn pose(&self) -> WorldPose {
        self.body.pose().then(&self.record.pose)
    }

    /// Its surface and density.
    pub fn material(&self) -> Material {
        self.record.material
    }

    /// What it may touch.
    pub fn filter(&self) -> Filter {
        self.record.filter
    }

    /// The box around it, in the world.
    pub fn aabb(&self) -> WorldAabb {
        self.record.world_aabb(&self.body.pose().to_frame())
    }

    /// Whether it pushes nothing and only reports what enters and leaves it.
    pub fn is_sensor(&self) -> bool {
        self.record.sensor
    }

    /// A description that makes the same shape.
    pub fn to_def(self) -> ShapeDef {
        self.record.to_def()
    }
}
