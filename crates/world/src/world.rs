//! The world: the one owner of bodies, shapes, joints and contacts.

use std::collections::BTreeSet;

use drystone_broad_phase::BroadPhase;
use drystone_geometry::glam::Vec3;
use drystone_geometry::{Frame, Workers, WorldPose, rotation};
use drystone_narrow_phase::GuardPose;
use drystone_solver::{
    Body, ConstraintGraph, Contact, Islands, Joint, STATIC_SLOT, Solver, StaticPose,
};
use fearless_simd::Level;

use crate::collide::ChunkReport;
use crate::contacts::Contacts;
use crate::cut::Cut;
use crate::def::{BodyDef, BodyKind, JointDef, Settings};
use crate::error::{DefError, StaleKey};
use crate::events::Events;
use crate::finish::Followed;
use crate::hits::Approach;
use crate::keys::KeyTable;
use crate::mass::mass_of;
use crate::merge::Merging;
use crate::record::{BodyRecord, MotionSettings, NONE, Place, ShapeRecord, origin_pose};
use crate::replay::{Command, Recording};
use crate::stats::Stats;
use crate::{BodyKey, JointKey, ShapeKey, check};

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
    /// How the last step was cut.
    pub(crate) last_cut: Cut,

    pub(crate) body_keys: KeyTable<BodyKey>,
    pub(crate) bodies: Vec<BodyRecord>,
    pub(crate) shape_keys: KeyTable<ShapeKey>,
    pub(crate) shapes: Vec<ShapeRecord>,
    pub(crate) joint_keys: KeyTable<JointKey>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) joint_defs: Vec<JointDef>,
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
    /// By awake slot: the same for looking at many at once; made anew in every step.
    pub(crate) guard_poses: Vec<GuardPose>,
    /// By awake slot, a bit each: which bodies hardly move; made anew with those.
    pub(crate) calm: Vec<u64>,

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
    /// Bodies that are bullets, sorted.
    pub(crate) bullets: Vec<u32>,
    /// Bodies whose boxes may not reach as far as they will get in the next step: they came, were
    /// put elsewhere, their velocity or shapes were changed, or steps became longer.
    pub(crate) movers: Vec<u32>,
    /// Contacts that only this step's solver has, and what others were before their points
    /// to come were added; empty between steps.
    pub(crate) foreseen: Vec<(u32, Option<Contact>)>,
    /// What pushes in the place of foreseen contacts in the solve.
    pub(crate) pushes: Vec<(u32, Contact)>,
    /// Contacts that act as one within a step; says nothing between steps.
    pub(crate) merging: Merging,
    /// Shapes whose pairs hooks are to be asked about again.
    pub(crate) asking: Vec<u32>,
    /// Contacts that hooks changed in the last step.
    pub(crate) patched: Vec<u32>,
    /// Contacts that begin with speed in this step, by contact.
    pub(crate) approaches: Vec<Approach>,
    /// Contacts of sensors.
    pub(crate) sensor_contacts: BTreeSet<u32>,
    /// Contacts of sleeping bodies with kinematic ones.
    pub(crate) carried_contacts: BTreeSet<u32>,
    /// Whether something at rest moved, so that all sensors must look.
    pub(crate) sensors_stale: bool,
    /// The recording under way.
    pub(crate) journal: Option<Box<Recording>>,
    pub(crate) stats: Stats,
    pub(crate) chunk_reports: Vec<ChunkReport>,
    /// What followed from the poses of the last step; kept for its memory.
    pub(crate) followed: Vec<Followed>,
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
            last_cut: Cut::default(),
            body_keys: KeyTable::default(),
            bodies: Vec::new(),
            shape_keys: KeyTable::default(),
            shapes: Vec::new(),
            joint_keys: KeyTable::default(),
            joints: Vec::new(),
            joint_defs: Vec::new(),
            watched_joints: Vec::new(),
            awake: Vec::new(),
            asleep: Vec::new(),
            slot_of: Vec::new(),
            statics: Vec::new(),
            frames: Vec::new(),
            guard_poses: Vec::new(),
            calm: Vec::new(),
            broad: BroadPhase::new(),
            contacts: Contacts::default(),
            graph: ConstraintGraph::default(),
            islands: Islands::default(),
            solver: Solver::default(),
            pending_events: Events::default(),
            events: Events::default(),
            targeted: Vec::new(),
            bullets: Vec::new(),
            movers: Vec::new(),
            foreseen: Vec::new(),
            pushes: Vec::new(),
            merging: Merging::default(),
            asking: Vec::new(),
            patched: Vec::new(),
            approaches: Vec::new(),
            sensor_contacts: BTreeSet::new(),
            carried_contacts: BTreeSet::new(),
            sensors_stale: false,
            journal: None,
            stats: Stats::default(),
            chunk_reports: Vec::new(),
            followed: Vec::new(),
        })
    }

    /// How the world steps.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Changes how the world steps. Waking bodies, if that is wanted, is the caller's choice.
    pub fn set_settings(&mut self, settings: Settings) -> Result<(), DefError> {
        self.note(|| Command::SetSettings(settings.clone()));
        check::settings(&settings)?;
        let level = resolve_level(&settings)?;
        if settings.threads != self.settings.threads {
            self.workers = new_workers(settings.threads)?;
        }
        self.level = level;
        if settings.dt > self.settings.dt {
            for slot in 0..self.awake.len() {
                self.note_motion(self.awake[slot].index);
            }
        }
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
        let index = self.create_body(def)?;
        self.enter_broad_phase(&[index]);
        if self.bodies[index as usize].kind == BodyKind::Static {
            self.wake_near(index);
        }
        Ok(self.bodies[index as usize].key)
    }

    /// A body with its shapes, all but their proxies.
    pub(crate) fn create_body(&mut self, def: BodyDef) -> Result<u32, DefError> {
        self.note(|| Command::AddBody(Box::new(def.clone())));
        check::body(&def)?;
        let mass = mass_of(def.kind, def.mass, &def.shapes)?;
        if self.shape_keys.slots() + def.shapes.len() > STATIC_SLOT as usize {
            return Err(DefError::Full);
        }
        let (index, key) = self.body_keys.insert()?;
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
            bullet: def.bullet,
            name: def.name.clone(),
            user_data: def.user_data,
            ..BodyRecord::vacant()
        };
        put(&mut self.bodies, index, record);
        if def.bullet {
            let at = self.bullets.partition_point(|bullet| *bullet < index);
            self.bullets.insert(at, index);
        }
        put(&mut self.slot_of, index, STATIC_SLOT | index);
        put(&mut self.statics, index, static_pose(&rest_pose));
        for shape_def in &def.shapes {
            self.attach_shape(index, shape_def)?;
        }
        if def.kind != BodyKind::Static {
            self.note_core(index);
            self.start_moving(index, &def, &mass);
        }
        Ok(index)
    }

    /// Removes a body with its shapes, joints and contacts; what rested on it wakes.
    pub fn remove_body(&mut self, key: BodyKey) -> Result<(), StaleKey> {
        self.note(|| Command::RemoveBody(key));
        let index = self.body_index(key)?;
        for joint in self.bodies[index as usize].joints.clone() {
            self.delete_joint(joint);
        }
        self.delete_contacts(index);
        let mut shape = self.bodies[index as usize].first_shape;
        while shape != NONE {
            self.broad.remove(shape);
            self.shape_keys.remove(shape);
            shape = self.shapes[shape as usize].next;
        }
        self.stop_moving(index);
        self.bodies[index as usize].first_shape = NONE;
        self.bodies[index as usize].parked = None;
        // The index will name another body, which must not inherit a target.
        self.targeted.retain(|targeted| *targeted != index);
        self.bullets.retain(|bullet| *bullet != index);
        self.body_keys.remove(index);
        Ok(())
    }

    /// The keys of all bodies, in the order of their indices.
    pub fn body_keys(&self) -> impl Iterator<Item = BodyKey> + '_ {
        let indices = self.body_keys.indices();
        indices.map(|index| self.bodies[index as usize].key)
    }

    /// The keys of all joints, in the order of their indices.
    pub fn joint_keys(&self) -> impl Iterator<Item = JointKey> + '_ {
        let indices = self.joint_keys.indices();
        indices.map(|index| self.joint_keys.key(index))
    }

    /// Pose of a body's frame in the world.
    pub(crate) fn pose_of(&self, index: u32) -> WorldPose {
        let record = &self.bodies[index as usize];
        match record.place {
            Place::Static => self.pose_with(index, record.parked.as_deref()),
            Place::Awake(slot) => origin_pose(&self.awake[slot as usize], record.center),
            Place::Asleep(slot) => origin_pose(&self.asleep[slot as usize], record.center),
        }
    }

    /// Pose of the frame of a body that is static or whose moving state is `parked`.
    pub(crate) fn pose_with(&self, index: u32, parked: Option<&Body>) -> WorldPose {
        let record = &self.bodies[index as usize];
        parked.map_or(record.rest_pose, |body| origin_pose(body, record.center))
    }

    pub(crate) fn shape_index(&self, key: ShapeKey) -> Result<u32, StaleKey> {
        self.shape_keys.get(key).ok_or(StaleKey)
    }

    pub(crate) fn body_index(&self, key: BodyKey) -> Result<u32, StaleKey> {
        self.body_keys.get(key).ok_or(StaleKey)
    }
}

pub(crate) fn static_pose(pose: &WorldPose) -> StaticPose {
    StaticPose {
        center: pose.position,
        rotation: pose.rotation,
    }
}

/// Stores at an index that exists or is the next one.
pub(crate) fn put<T>(into: &mut Vec<T>, index: u32, value: T) {
    match into.get_mut(index as usize) {
        Some(slot) => *slot = value,
        None => into.push(value),
    }
}

pub(crate) fn resolve_level(settings: &Settings) -> Result<Level, DefError> {
    settings
        .simd
        .resolve()
        .map_err(|error| DefError::Simd(error.to_string()))
}

/// Threads of its own, so that a world never waits for other work.
pub(crate) fn new_workers(count: usize) -> Result<Workers, DefError> {
    Workers::new(count).map_err(|error| DefError::Threads(error.to_string()))
}
