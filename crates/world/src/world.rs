//! The world: the one owner of bodies, shapes, joints and contacts.

use drystone_broad_phase::{Activity, BroadPhase, ProxyDef};
use drystone_geometry::glam::Vec3;
use drystone_geometry::mass::MassProperties;
use drystone_geometry::tolerance::CONTACT_MARGIN;
use drystone_geometry::{Frame, Pose, Workers, WorldPose, rotation};
use drystone_solver::{
    AxisLocks, Body, ConstraintGraph, Islands, Joint, STATIC_SLOT, Solver, StaticPose,
};
use fearless_simd::Level;
use slotmap::SlotMap;

use crate::collide::ChunkReport;
use crate::contacts::Contacts;
use crate::def::{BodyDef, BodyKind, JointDef, Settings, ShapeDef};
use crate::error::{DefError, StaleKey};
use crate::events::Events;
use crate::mass::mass_of;
use crate::record::{BodyRecord, MotionSettings, NONE, Place, ShapeRecord};
use crate::stats::Stats;
use crate::{BodyKey, JointKey, ShapeKey, check, tolerance};

/// Bodies, shapes, joints and contacts, and the rules by which they move.
///
/// Worlds are independent of each other. Between steps a world may be read from several
/// threads.
#[derive(Clone, Debug)]
pub struct World {
    pub(crate) settings: Settings,
    pub(crate) workers: Workers,
    pub(crate) level: Level,
    pub(crate) time: f64,
    pub(crate) step_count: u64,

    pub(crate) body_keys: SlotMap<BodyKey, u32>,
    pub(crate) bodies: Vec<BodyRecord>,
    pub(crate) free_bodies: Vec<u32>,
    pub(crate) shape_keys: SlotMap<ShapeKey, u32>,
    pub(crate) shapes: Vec<ShapeRecord>,
    pub(crate) free_shapes: Vec<u32>,
    pub(crate) joint_keys: SlotMap<JointKey, u32>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) joint_defs: Vec<JointDef>,
    pub(crate) joint_slots: Vec<JointKey>,
    pub(crate) free_joints: Vec<u32>,
    /// Joints with a threshold, sorted.
    pub(crate) watched_joints: Vec<u32>,

    /// Moving state of awake bodies, dense.
    pub(crate) awake: Vec<Body>,
    /// Moving state of sleeping bodies, dense.
    pub(crate) asleep: Vec<Body>,
    /// By body index: how the solver finds a body.
    pub(crate) slot_of: Vec<u32>,
    /// By body index: the pose of a static body.
    pub(crate) statics: Vec<StaticPose>,
    /// By awake slot: the body's frame in the world.
    pub(crate) frames: Vec<Frame>,

    pub(crate) broad: BroadPhase,
    pub(crate) contacts: Contacts,
    pub(crate) graph: ConstraintGraph,
    pub(crate) islands: Islands,
    pub(crate) solver: Solver,
    /// Events gathered for the next step's report, those of commands included.
    pub(crate) pending_events: Events,
    /// Events of the last step.
    pub(crate) events: Events,
    /// Kinematic bodies that have, or in the last step had, a target pose.
    pub(crate) targeted: Vec<u32>,
    pub(crate) stats: Stats,
    pub(crate) chunk_reports: Vec<ChunkReport>,
}

impl World {
    /// An empty world.
    ///
    /// Fails when a setting is outside its range or this machine lacks the instruction set.
    pub fn new(settings: Settings) -> Result<Self, DefError> {
        check::settings(&settings)?;
        Ok(Self {
            level: resolve_level(&settings)?,
            workers: new_workers(settings.threads)?,
            settings,
            time: 0.0,
            step_count: 0,
            body_keys: SlotMap::with_key(),
            bodies: Vec::new(),
            free_bodies: Vec::new(),
            shape_keys: SlotMap::with_key(),
            shapes: Vec::new(),
            free_shapes: Vec::new(),
            joint_keys: SlotMap::with_key(),
            joints: Vec::new(),
            joint_defs: Vec::new(),
            joint_slots: Vec::new(),
            free_joints: Vec::new(),
            watched_joints: Vec::new(),
            awake: Vec::new(),
            asleep: Vec::new(),
            slot_of: Vec::new(),
            statics: Vec::new(),
            frames: Vec::new(),
            broad: BroadPhase::new(),
            contacts: Contacts::default(),
            graph: ConstraintGraph::default(),
            islands: Islands::default(),
            solver: Solver::default(),
            pending_events: Events::default(),
            events: Events::default(),
            targeted: Vec::new(),
            stats: Stats::default(),
            chunk_reports: Vec::new(),
        })
    }

    /// How the world steps.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Changes how the world steps. Waking bodies, if that is wanted, is the caller's choice.
    pub fn set_settings(&mut self, settings: Settings) -> Result<(), DefError> {
        check::settings(&settings)?;
        let level = resolve_level(&settings)?;
        if settings.threads != self.settings.threads {
            self.workers = new_workers(settings.threads)?;
        }
        self.level = level;
        self.settings = settings;
        Ok(())
    }

    /// Seconds simulated so far.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Steps taken so far.
    pub fn step_count(&self) -> u64 {
        self.step_count
    }

    /// What happened in the last step and through the commands given just before it.
    pub fn events(&self) -> &Events {
        &self.events
    }

    /// What the last step cost and did.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Adds a body with its shapes.
    ///
    /// Fails, changing nothing, when a number is outside its range, a shape is no solid, or
    /// a dynamic body has no mass.
    pub fn add_body(&mut self, def: BodyDef) -> Result<BodyKey, DefError> {
        check::body(&def)?;
        let mass = mass_of(&def)?;
        if self.shapes.len() + def.shapes.len() > STATIC_SLOT as usize {
            return Err(DefError::Full);
        }
        let index = take_index(&mut self.free_bodies, self.bodies.len())?;
        let key = self.body_keys.insert(index);
        let rest_pose = WorldPose {
            rotation: rotation::normalize(def.rotation),
            position: def.position,
        };
        let record = BodyRecord {
            key,
            kind: def.kind,
            place: Place::Static,
            rest_pose,
            center: if def.kind == BodyKind::Static {
                Vec3::ZERO
            } else {
                mass.center
            },
            mass: mass.mass,
            mass_override: def.mass,
            motion: MotionSettings::of(&def),
            first_shape: NONE,
            first_contact: NONE,
            contact_count: 0,
            joints: Vec::new(),
            target: None,
            name: def.name.clone(),
            user_data: def.user_data,
        };
        put(&mut self.bodies, index, record);
        put(&mut self.slot_of, index, STATIC_SLOT | index);
        put(&mut self.statics, index, static_pose(&rest_pose));
        for shape_def in &def.shapes {
            self.attach_shape(index, shape_def)?;
        }
        if def.kind != BodyKind::Static {
            self.start_moving(index, &def, &mass);
        }
        self.enter_broad_phase(index);
        if def.kind == BodyKind::Static {
            self.wake_near(index);
        }
        Ok(key)
    }

    /// Removes a body with its shapes, joints and contacts; what rested on it wakes.
    pub fn remove_body(&mut self, key: BodyKey) -> Result<(), StaleKey> {
        let index = self.body_index(key)?;
        for joint in self.bodies[index as usize].joints.clone() {
            self.delete_joint(joint);
        }
        self.delete_contacts(index);
        let mut shape = self.bodies[index as usize].first_shape;
        while shape != NONE {
            self.broad.remove(shape);
            self.shape_keys.remove(self.shapes[shape as usize].key);
            self.free_shapes.push(shape);
            shape = self.shapes[shape as usize].next;
        }
        self.stop_moving(index);
        self.bodies[index as usize].first_shape = NONE;
        // The index will name another body, which must not inherit a target.
        self.targeted.retain(|targeted| *targeted != index);
        self.body_keys.remove(key);
        self.free_bodies.push(index);
        Ok(())
    }

    /// The keys of all bodies, in the order of their indices.
    pub fn body_keys(&self) -> impl Iterator<Item = BodyKey> + '_ {
        let live = |record: &&BodyRecord| self.body_keys.contains_key(record.key);
        self.bodies.iter().filter(live).map(|record| record.key)
    }

    /// The keys of all joints, in the order of their indices.
    pub fn joint_keys(&self) -> impl Iterator<Item = JointKey> + '_ {
        self.joint_keys.keys()
    }

    pub(crate) fn body_index(&self, key: BodyKey) -> Result<u32, StaleKey> {
        self.body_keys.get(key).copied().ok_or(StaleKey)
    }

    /// The shapes of a body, newest first.
    pub(crate) fn shapes_of(&self, body: u32) -> impl Iterator<Item = u32> + '_ {
        let mut at = self.bodies[body as usize].first_shape;
        std::iter::from_fn(move || {
            let shape = at;
            (shape != NONE).then(|| {
                at = self.shapes[shape as usize].next;
                shape
            })
        })
    }

    fn attach_shape(&mut self, body: u32, def: &ShapeDef) -> Result<(), DefError> {
        let index = take_index(&mut self.free_shapes, self.shapes.len())?;
        let key = self.shape_keys.insert(index);
        let pose = Pose {
            rotation: rotation::normalize(def.pose.rotation),
            ..def.pose
        };
        let record = ShapeRecord {
            key,
            body,
            next: self.bodies[body as usize].first_shape,
            center_pose: Pose {
                translation: pose.translation - self.bodies[body as usize].center,
                ..pose
            },
            local_frame: (pose != Pose::IDENTITY).then(|| pose.to_double().to_frame()),
            margin: CONTACT_MARGIN
                .min(tolerance::MARGIN_TO_EXTENT * def.shape.extent_from(Vec3::ZERO)),
            shape: def.shape.clone(),
            pose,
            material: def.material,
            filter: def.filter,
            rest_frame: Frame::IDENTITY,
        };
        put(&mut self.shapes, index, record);
        self.bodies[body as usize].first_shape = index;
        Ok(())
    }

    /// Gives a new dynamic or kinematic body its moving state.
    fn start_moving(&mut self, index: u32, def: &BodyDef, mass: &MassProperties) {
        let record = &mut self.bodies[index as usize];
        let dynamic = record.kind == BodyKind::Dynamic;
        let extent = {
            let mut extent: f32 = 0.0;
            let mut at = record.first_shape;
            while at != NONE {
                let shape = &self.shapes[at as usize];
                let center = shape.pose.inverse_transform_point(record.center);
                extent = extent.max(shape.shape.extent_from(center));
                at = shape.next;
            }
            extent
        };
        let inverse = |value: f32| {
            if dynamic && value > 0.0 {
                1.0 / value
            } else {
                0.0
            }
        };
        let body = Body {
            center: record.rest_pose.transform_point(record.center),
            rotation: record.rest_pose.rotation,
            linear_velocity: def.linear_velocity,
            angular_velocity: def.angular_velocity,
            inverse_mass: inverse(mass.mass),
            inertia: mass.inertia,
            inverse_inertia: Vec3::from_array(mass.inertia.to_array().map(inverse)),
            principal_rotation: mass.principal_rotation,
            linear_damping: def.linear_damping,
            angular_damping: def.angular_damping,
            gravity_scale: def.gravity_scale,
            locks: AxisLocks::new(def.locks.translation, def.locks.rotation),
            extent,
            sleep_threshold: def.sleep_threshold,
            can_sleep: def.can_sleep,
            index,
            ..Body::default()
        };
        if def.asleep && dynamic && def.can_sleep {
            let body = Body {
                linear_velocity: Vec3::ZERO,
                angular_velocity: Vec3::ZERO,
                ..body
            };
            self.asleep.push(body);
            record.place = Place::Asleep((self.asleep.len() - 1) as u32);
        } else {
            self.frames.push(record.rest_pose.to_frame());
            self.awake.push(body);
            let slot = (self.awake.len() - 1) as u32;
            record.place = Place::Awake(slot);
            self.slot_of[index as usize] = slot;
        }
        if dynamic {
            self.islands.insert_body(index);
            let asleep = matches!(record.place, Place::Asleep(_));
            self.islands
                .set_asleep(self.islands.island_of(index), asleep);
        }
    }

    /// Takes a body's moving state away.
    fn stop_moving(&mut self, index: u32) {
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

    /// Enters the shapes of a new body into the broad phase.
    fn enter_broad_phase(&mut self, body: u32) {
        let record = &self.bodies[body as usize];
        let activity = match record.place {
            Place::Static => Activity::Static,
            Place::Awake(_) => Activity::Awake,
            Place::Asleep(_) => Activity::Asleep,
        };
        let frame = record.rest_pose.to_frame();
        let mut at = record.first_shape;
        while at != NONE {
            let shape = &mut self.shapes[at as usize];
            shape.rest_frame = shape.frame_on(&frame);
            let def = ProxyDef {
                aabb: shape.proxy_aabb(&record.rest_pose, record.kind),
                activity,
                filter: shape.filter,
                owner: body,
            };
            let entered = self.broad.insert(at, def);
            debug_assert!(entered.is_ok(), "checked at the border");
            at = shape.next;
        }
    }
}

impl MotionSettings {
    fn of(def: &BodyDef) -> Self {
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

pub(crate) fn static_pose(pose: &WorldPose) -> StaticPose {
    StaticPose {
        center: pose.position,
        rotation: pose.rotation,
    }
}

/// A free index, or the next new one.
pub(crate) fn take_index(free: &mut Vec<u32>, length: usize) -> Result<u32, DefError> {
    match free.pop() {
        Some(index) => Ok(index),
        None if length < STATIC_SLOT as usize => Ok(length as u32),
        None => Err(DefError::Full),
    }
}

/// Stores at an index that exists or is the next one.
pub(crate) fn put<T>(into: &mut Vec<T>, index: u32, value: T) {
    match into.get_mut(index as usize) {
        Some(slot) => *slot = value,
        None => into.push(value),
    }
}

fn resolve_level(settings: &Settings) -> Result<Level, DefError> {
    settings
        .simd
        .resolve()
        .map_err(|error| DefError::Simd(error.to_string()))
}

/// Threads of its own, so that a world never waits for other work.
fn new_workers(count: usize) -> Result<Workers, DefError> {
    Workers::new(count).map_err(|error| DefError::Threads(error.to_string()))
}
