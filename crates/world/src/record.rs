//! How the world keeps bodies and shapes: dense records behind generational keys.

use drystone_geometry::glam::Vec3;
use drystone_geometry::tolerance::CONTACT_MARGIN;
use drystone_geometry::{Frame, Pose, Shape, WorldAabb, WorldPose, rotation};
use drystone_solver::{Body, Joint, JointKind};
use serde::{Deserialize, Serialize};

use crate::def::{BodyDef, BodyKind, Filter, JointDef, MassOverride, Material, ShapeDef};
use crate::hold::CoreIn;
use crate::{BodyKey, ShapeKey, tolerance};

/// No record.
pub(crate) const NONE: u32 = u32::MAX;

/// Where a body's moving state lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Place {
    /// Neither: the body is static, or disabled and its state parked.
    Static,
    /// In the dense array of awake bodies.
    Awake(u32),
    /// In the dense array of sleeping bodies.
    Asleep(u32),
}

/// A body as the world keeps it; its index never changes while it lives.
///
/// What every step asks for lies together, in the first line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[repr(C, align(64))]
pub(crate) struct BodyRecord {
    /// Centre of mass in the body's frame.
    pub(crate) center: Vec3,
    /// Head of the list of its shapes.
    pub(crate) first_shape: u32,
    /// Head of the list of its contacts, as `contact * 2 + side`.
    pub(crate) first_contact: u32,
    pub(crate) contact_count: u32,
    /// How many of its contacts are with static bodies.
    pub(crate) standing_count: u32,
    /// How many of its contacts are with kinematic bodies.
    pub(crate) driven_count: u32,
    /// The kinematic body these are with; [`NONE`] if there have been several since there was none.
    pub(crate) driver: u32,
    pub(crate) place: Place,
    pub(crate) kind: BodyKind,
    /// Whether it has, or once had, a mesh or a height field.
    pub(crate) had_surface: bool,
    /// Whether the body takes part.
    pub(crate) enabled: bool,
    /// Whether it is held back at dynamic bodies too.
    pub(crate) bullet: bool,
    /// Where its core lies among its shapes.
    pub(crate) core: CoreIn,
    /// The least inner radius of its shapes, in metres.
    pub(crate) thickness: f32,
    /// The least contact margin of its shapes, in metres.
    pub(crate) margin: f32,
    pub(crate) mass: f32,
    pub(crate) key: BodyKey,
    /// The last of its contacts with bodies that nothing pushes, as they lead the list; [`NONE`] if it has
    /// none.
    pub(crate) last_unpushed: u32,
    /// Pose of a static body. Of others it is derived from the moving state.
    pub(crate) rest_pose: WorldPose,
    /// The moving state while the body is disabled.
    pub(crate) parked: Option<Box<Body>>,
    pub(crate) mass_override: Option<MassOverride>,
    /// Settings that only bodies in motion use; kept while the body is static.
    pub(crate) motion: MotionSettings,
    pub(crate) joints: Vec<u32>,
    /// Pose to reach at the end of the next step, for a kinematic body.
    /// Boxed, as few bodies have one.
    pub(crate) target: Option<Box<WorldPose>>,
    pub(crate) name: String,
    pub(crate) user_data: u64,
}

/// The part of a description that a static body keeps for later.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct MotionSettings {
    pub(crate) linear_damping: f32,
    pub(crate) angular_damping: f32,
    pub(crate) gravity_scale: f32,
    pub(crate) sleep_threshold: f32,
    pub(crate) can_sleep: bool,
    pub(crate) locks: crate::def::AxisLocks,
}

/// A shape as the world keeps it; its index is its proxy in the broad phase.
///
/// What every pair asks for lies together: pairs come in no order of shapes, so each line of this
/// that is read is waited for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[repr(C, align(64))]
pub(crate) struct ShapeRecord {
    pub(crate) shape: Shape,
    pub(crate) body: u32,
    /// Gap within which this shape makes contact points, in metres. A pair takes the lesser.
    pub(crate) margin: f32,
    /// `pose` in the form the narrow phase computes with; `None` when it is the identity, as
    /// it mostly is. No box: a line elsewhere takes longer than the next one of the record.
    pub(crate) local_frame: Option<Frame>,
    /// The shape's frame from the body's centre of mass.
    pub(crate) center_pose: Pose,
    pub(crate) material: Material,
    pub(crate) key: ShapeKey,
    pub(crate) next: u32,
    /// The shape's frame in the body's.
    pub(crate) pose: Pose,
    pub(crate) filter: Filter,
    pub(crate) sensor: bool,
    /// Whether its body has other shapes too.
    pub(crate) shares_body: bool,
    /// The shape's frame in the world, while its body is not awake.
    pub(crate) rest_frame: Frame,
}

impl Default for MotionSettings {
    /// Those of a plain description.
    fn default() -> Self {
        Self::of(&BodyDef::default())
    }
}

impl MotionSettings {
    pub(crate) fn of(def: &BodyDef) -> Self {
        Self {
            linear_damping: def.linear_damping,
            angular_damping: def.angular_damping,
            gravity_scale: def.gravity_scale,
            sleep_threshold: def.sleep_threshold,
            can_sleep: def.can_sleep,
            locks: def.locks,
        }
    }
}

impl BodyRecord {
    /// What an index without a body holds.
    pub(crate) fn vacant() -> Self {
        Self {
            key: BodyKey::default(),
            kind: BodyKind::Static,
            place: Place::Static,
            rest_pose: WorldPose::IDENTITY,
            center: Vec3::ZERO,
            enabled: true,
            parked: None,
            mass: 0.0,
            mass_override: None,
            motion: MotionSettings::default(),
            bullet: false,
            core: CoreIn::Between,
            thickness: f32::INFINITY,
            margin: f32::INFINITY,
            first_shape: NONE,
            first_contact: NONE,
            last_unpushed: NONE,
            contact_count: 0,
            standing_count: 0,
            driven_count: 0,
            driver: NONE,
            had_surface: false,
            joints: Vec::new(),
            target: None,
            name: String::new(),
            user_data: 0,
        }
    }
}

/// What an index without a joint holds.
pub(crate) fn vacant_joint() -> (Joint, JointDef) {
    let kind = JointKind::NoContact;
    let nobody = BodyKey::default();
    let def = JointDef {
        collide_connected: true,
        ..JointDef::new(nobody, nobody, kind.clone())
    };
    (Joint::new(kind, 0, 0, Pose::IDENTITY, Pose::IDENTITY), def)
}

impl ShapeRecord {
    /// What an index without a shape holds.
    pub(crate) fn vacant() -> Self {
        Self::new(
            ShapeKey::default(),
            NONE,
            &ShapeDef::new(Shape::sphere(1.0)),
        )
    }

    /// A shape on a body, of a checked description whose rotation is of unit length; not in
    /// the body's list yet, and centred on its origin.
    pub(crate) fn new(key: ShapeKey, body: u32, def: &ShapeDef) -> Self {
        Self {
            key,
            body,
            next: NONE,
            center_pose: def.pose,
            local_frame: (def.pose != Pose::IDENTITY).then(|| def.pose.to_double().to_frame()),
            margin: CONTACT_MARGIN
                .min(tolerance::MARGIN_TO_EXTENT * def.shape.extent_from(Vec3::ZERO)),
            shape: def.shape.clone(),
            pose: def.pose,
            material: def.material,
            filter: def.filter,
            sensor: def.sensor,
            shares_body: false,
            rest_frame: Frame::IDENTITY,
        }
    }

    /// A part of the shape, where that is.
    pub(crate) fn part(&self, shape: Shape) -> Self {
        Self {
            shape,
            body: self.body,
            margin: self.margin,
            local_frame: self.local_frame,
            center_pose: self.center_pose,
            material: self.material,
            key: self.key,
            next: self.next,
            pose: self.pose,
            filter: self.filter,
            sensor: self.sensor,
            shares_body: self.shares_body,
            rest_frame: self.rest_frame,
        }
    }

    /// A description that makes the same shape.
    pub(crate) fn to_def(&self) -> ShapeDef {
        ShapeDef {
            shape: self.shape.clone(),
            pose: self.pose,
            material: self.material,
            filter: self.filter,
            sensor: self.sensor,
        }
    }

    /// Takes note of where the body's centre of mass is, in the body's frame.
    pub(crate) fn center_on(&mut self, center: Vec3) {
        self.center_pose = Pose {
            translation: self.pose.translation - center,
            ..self.pose
        };
    }

    /// The shape's frame in the world, given its body's.
    pub(crate) fn frame_on(&self, body: &Frame) -> Frame {
        match &self.local_frame {
            None => *body,
            Some(local) => body.then(local),
        }
    }

    /// The box around the shape in the world, given its body's frame.
    #[inline]
    pub(crate) fn world_aabb(&self, body: &Frame) -> WorldAabb {
        match &self.local_frame {
            None => self.shape.bounds_in(body),
            Some(local) => self.shape.bounds_in(&body.then(local)),
        }
    }

    /// The box the broad phase works with: that of a body which can move reaches out by
    /// the contact margin, so that pairs are known before contact points are due.
    #[inline]
    pub(crate) fn proxy_aabb(&self, body: &Frame, kind: BodyKind) -> WorldAabb {
        let tight = self.world_aabb(body);
        match kind {
            BodyKind::Static => tight,
            BodyKind::Kinematic | BodyKind::Dynamic => tight.inflate(f64::from(self.margin)),
        }
    }
}

/// The pose of the body's frame, from the pose of its centre of mass.
#[inline]
pub(crate) fn origin_pose(body: &Body, center: Vec3) -> WorldPose {
    // Most bodies have one shape, which lies about its own centre.
    if center == Vec3::ZERO {
        return WorldPose {
            rotation: body.rotation,
            position: body.center,
        };
    }
    let offset = rotation::rotate(body.rotation, center);
    WorldPose {
        rotation: body.rotation,
        position: body.center - offset.as_dvec3(),
    }
}
