//! Recordings: where a world began, what it was told, and a hash of every step; and the
//! replay that finds the first step, and the first body, that comes out differently.

use drystone_geometry::WorldPose;
use drystone_geometry::glam::{DVec3, Vec3};
use serde::{Deserialize, Serialize};

use crate::def::{
    AxisLocks, BodyDef, BodyKind, Filter, JointDef, JointKind, JointThreshold, MassOverride,
    Material, Settings, ShapeDef,
};
use crate::hash::Hash;
use crate::hooks::{Hooks, NoHooks};
use crate::snapshot::{SnapshotError, StoredMotion, seal, unseal};
use crate::words::visit;
use crate::{BodyKey, DefError, JointKey, ShapeKey, World};

/// First bytes of a stored recording.
const MAGIC: [u8; 8] = *b"drystrec";

/// Something a world was told between steps: the method of the same name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is the method of World of the same name")]
pub enum Command {
    SetSettings(Settings),
    AddBody(Box<BodyDef>),
    RemoveBody(BodyKey),
    SetVelocity(BodyKey, Vec3, Vec3),
    ApplyImpulse(BodyKey, Vec3, DVec3),
    ApplyAngularImpulse(BodyKey, Vec3),
    ApplyForce(BodyKey, Vec3, DVec3),
    ApplyTorque(BodyKey, Vec3),
    Wake(BodyKey),
    Teleport(BodyKey, WorldPose),
    SetKinematicTarget(BodyKey, WorldPose),
    SetUserData(BodyKey, u64),
    SetName(BodyKey, String),
    SetKind(BodyKey, BodyKind),
    SetEnabled(BodyKey, bool),
    SetMass(BodyKey, Option<MassOverride>),
    SetDamping(BodyKey, f32, f32),
    SetGravityScale(BodyKey, f32),
    SetLocks(BodyKey, AxisLocks),
    SetSleep(BodyKey, bool, f32),
    SetBullet(BodyKey, bool),
    AddShape(BodyKey, Box<ShapeDef>),
    RemoveShape(ShapeKey),
    SetShape(ShapeKey, Box<ShapeDef>),
    SetMaterial(ShapeKey, Material),
    SetFilter(ShapeKey, Filter),
    AskAgain(ShapeKey),
    AddJoint(Box<JointDef>),
    RemoveJoint(JointKey),
    SetJointKind(JointKey, JointKind),
    SetJointThreshold(JointKey, Option<JointThreshold>),
}

/// What happened next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Entry {
    Command(Command),
    Step {
        /// Of the state after the step.
        hash: u64,
        /// Of each body's motion, by rising index.
        bodies: Vec<u32>,
    },
}

/// What a world did from some moment on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// Snapshot of the world at the start.
    start: Vec<u8>,
    entries: Vec<Entry>,
}

/// What a replay found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replay {
    /// Every step came out to the same bits.
    Same {
        /// How many there were.
        steps: u64,
    },
    /// A step came out differently.
    Differs {
        /// The first that did, counted from the start of the world.
        step: u64,
        /// The first body whose motion differs in it, by index, with its name; none when
        /// only what bodies do not show differs, such as impulses or islands.
        body: Option<(BodyKey, String)>,
    },
}

impl World {
    /// Begins a recording: from now on, every command and step is kept in memory, until
    /// [`World::take_recording`]. A recording under way begins anew.
    ///
    /// Hooks are not recorded: replay such steps with [`Recording::replay_with`] and the
    /// same hooks. Costs a state hash a step.
    pub fn start_recording(&mut self) {
        self.journal = None;
        self.journal = Some(Box::new(Recording {
            start: self.snapshot(),
            entries: Vec::new(),
        }));
    }

    /// Ends the recording and returns it; `None` when there is none.
    pub fn take_recording(&mut self) -> Option<Recording> {
        self.journal.take().map(|journal| *journal)
    }

    /// Whether a recording is under way.
    pub fn is_recording(&self) -> bool {
        self.journal.is_some()
    }

    /// Carries out a command as if its method had been called; what it creates gets the same
    /// key in the same world.
    pub fn apply(&mut self, command: &Command) -> Result<(), DefError> {
        match command.clone() {
            Command::SetSettings(settings) => self.set_settings(settings),
            Command::AddBody(def) => self.add_body(*def).map(|_| ()),
            Command::RemoveBody(body) => Ok(self.remove_body(body)?),
            Command::SetVelocity(body, linear, angular) => self.set_velocity(body, linear, angular),
            Command::ApplyImpulse(body, impulse, point) => self.apply_impulse(body, impulse, point),
            Command::ApplyAngularImpulse(body, impulse) => {
                self.apply_angular_impulse(body, impulse)
            }
            Command::ApplyForce(body, force, point) => self.apply_force(body, force, point),
            Command::ApplyTorque(body, torque) => self.apply_torque(body, torque),
            Command::Wake(body) => Ok(self.wake(body)?),
            Command::Teleport(body, pose) => self.teleport(body, pose),
            Command::SetKinematicTarget(body, pose) => self.set_kinematic_target(body, pose),
            Command::SetUserData(body, data) => Ok(self.set_user_data(body, data)?),
            Command::SetName(body, name) => Ok(self.set_name(body, name)?),
            Command::SetKind(body, kind) => self.set_kind(body, kind),
            Command::SetEnabled(body, enabled) => Ok(self.set_enabled(body, enabled)?),
            Command::SetMass(body, mass) => self.set_mass(body, mass),
            Command::SetDamping(body, linear, angular) => self.set_damping(body, linear, angular),
            Command::SetGravityScale(body, scale) => self.set_gravity_scale(body, scale),
            Command::SetLocks(body, locks) => self.set_locks(body, locks),
            Command::SetSleep(body, may, threshold) => self.set_sleep(body, may, threshold),
            Command::SetBullet(body, bullet) => Ok(self.set_bullet(body, bullet)?),
            Command::AddShape(body, def) => self.add_shape(body, *def).map(|_| ()),
            Command::RemoveShape(shape) => self.remove_shape(shape),
            Command::SetShape(shape, def) => self.set_shape(shape, *def),
            Command::SetMaterial(shape, material) => self.set_material(shape, material),
            Command::SetFilter(shape, filter) => Ok(self.set_filter(shape, filter)?),
            Command::AskAgain(shape) => Ok(self.ask_again(shape)?),
            Command::AddJoint(def) => self.add_joint(*def).map(|_| ()),
            Command::RemoveJoint(joint) => Ok(self.remove_joint(joint)?),
            Command::SetJointKind(joint, kind) => self.set_joint_kind(joint, kind),
            Command::SetJointThreshold(joint, threshold) => {
                self.set_joint_threshold(joint, threshold)
            }
        }
    }

    /// Keeps a command, if there is a recording.
    pub(crate) fn note(&mut self, command: impl FnOnce() -> Command) {
        if let Some(journal) = &mut self.journal {
            journal.entries.push(Entry::Command(command()));
        }
    }

    /// Keeps how a step came out, if there is a recording.
    pub(crate) fn note_step(&mut self) {
        if self.journal.is_none() {
            return;
        }
        let step = Entry::Step {
            hash: self.state_hash(),
            bodies: self.body_hashes(),
        };
        if let Some(journal) = &mut self.journal {
            journal.entries.push(step);
        }
    }

    fn body_hashes(&self) -> Vec<u32> {
        let hash_of = |index: u32| {
            let mut hash = Hash::default();
            match self.moving(index) {
                Some(body) => visit(&StoredMotion::of(body), &mut hash),
                None => visit(&self.statics[index as usize], &mut hash),
            }
            hash.finish() as u32
        };
        self.body_keys.indices().map(hash_of).collect()
    }
}

impl Recording {
    /// Steps recorded.
    pub fn steps(&self) -> usize {
        let steps = self.entries.iter();
        steps
            .filter(|entry| matches!(entry, Entry::Step { .. }))
            .count()
    }

    /// The recording as bytes, for [`Recording::from_bytes`].
    pub fn to_bytes(&self) -> Vec<u8> {
        seal(MAGIC, self)
    }

    /// Reads a recording. Fails on bytes that are none or are damaged, and says why.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        unseal(MAGIC, bytes)
    }

    /// The world as it was at the start, to replay by hand or to look at.
    pub fn start(&self) -> Result<World, SnapshotError> {
        World::restore(&self.start)
    }

    /// Does everything again and compares every step.
    pub fn replay(&self) -> Result<Replay, SnapshotError> {
        self.replay_with(&mut NoHooks)
    }

    /// [`Recording::replay`] with the hooks of the recorded steps.
    ///
    /// Commands that failed fail again and change nothing.
    pub fn replay_with<H: Hooks>(&self, hooks: &mut H) -> Result<Replay, SnapshotError> {
        let mut world = self.start()?;
        let mut steps = 0;
        for entry in &self.entries {
            match entry {
                Entry::Command(command) => drop(world.apply(command)),
                Entry::Step { hash, bodies } => {
                    world.step_with(hooks);
                    steps += 1;
                    if world.state_hash() != *hash {
                        return Ok(differs(&world, bodies));
                    }
                }
            }
        }
        Ok(Replay::Same { steps })
    }
}

/// Names the first body that moved differently.
fn differs(world: &World, recorded: &[u32]) -> Replay {
    let now = world.body_hashes();
    let first = (now.iter().zip(recorded))
        .position(|(now, then)| now != then)
        .or((now.len() != recorded.len()).then_some(now.len().min(recorded.len())));
    let body = first.and_then(|at| world.bodies().nth(at));
    Replay::Differs {
        step: world.step_count(),
        body: body.map(|(key, body)| (key, body.name().to_owned())),
    }
}
