//! A scene built: a world, the keys behind the names, and the scripts that move things.

use std::collections::BTreeMap;

use drystone::{BodyKey, BodyKind, DefError, JointDef, JointKey, World, WorldPose};

use crate::diagnostic::{SceneErrors, Sink, Span};
use crate::motion::Motion;
use crate::scene::{Scene, SceneBody, SceneJoint};
use crate::spawn::{Copy, Schedule, Spawn};
use crate::tolerance::DIVERGED_DISTANCE;

/// A world made from a scene.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The world. Step it with [`Instance::step`], so that the scripts run.
    pub world: World,
    /// Bodies that have a name.
    pub bodies: BTreeMap<String, BodyKey>,
    /// Joints that have a name.
    pub joints: BTreeMap<String, JointKey>,
    /// All bodies, in the order of [`Scene::bodies`]; the null key for one that has not
    /// appeared yet.
    pub body_keys: Vec<BodyKey>,
    /// All joints, in the order of [`Scene::joints`]; likewise.
    pub joint_keys: Vec<JointKey>,
    motions: Vec<Scripted>,
    spawners: Vec<Spawner>,
    /// Number of the next step whose spawns have not been made.
    next_step: u64,
    /// Bodies that can move, as indices into `body_keys`.
    movers: Vec<usize>,
}

#[derive(Clone, Debug)]
struct Scripted {
    key: BodyKey,
    rest: WorldPose,
    motion: Motion,
}

/// What makes the copies of a spawn.
#[derive(Clone, Debug)]
struct Spawner {
    schedule: Schedule,
    parts: Vec<Part>,
    /// Copies made so far, those made anew included.
    made: usize,
}

/// A copy, ready to be made.
#[derive(Clone, Debug, Default)]
struct Part {
    copy: Copy,
    bodies: Vec<SceneBody>,
    joints: Vec<SceneJoint>,
}

impl SceneJoint {
    /// What to create, given the keys of all bodies.
    fn def(&self, keys: &[BodyKey]) -> JointDef {
        JointDef {
            body_a: keys[self.a],
            body_b: keys[self.b],
            frame_a: self.frame_a,
            frame_b: self.frame_b,
            kind: self.kind.clone(),
            threshold: self.threshold,
            collide_connected: self.collide_connected,
            name: self.name.clone(),
        }
    }
}

impl Scene {
    /// Builds the world. What the world refuses is reported where it is written.
    pub fn build(&self) -> Result<Instance, SceneErrors> {
        let sink = Sink::default();
        let place = |span: Span, error: DefError| sink.refusal(span, "refused", &error);
        let world = World::new(self.settings.clone()).map_err(|e| place(Span::default(), e));
        let Ok(world) = world else {
            return Err(sink.into_errors(&self.sources));
        };
        let mut instance = Instance {
            world,
            bodies: BTreeMap::new(),
            joints: BTreeMap::new(),
            body_keys: Vec::with_capacity(self.bodies.len()),
            joint_keys: Vec::with_capacity(self.joints.len()),
            motions: Vec::new(),
            spawners: Vec::new(),
            next_step: 0,
            movers: self.movers(),
        };
        let bodies = &self.bodies[..self.start_bodies()];
        let defs = bodies.iter().map(|body| body.def.clone());
        for (body, added) in bodies.iter().zip(instance.world.add_bodies(defs)) {
            match added {
                Ok(key) => {
                    instance.body_keys.push(key);
                    if !body.name.is_empty() {
                        instance.bodies.insert(body.name.clone(), key);
                    }
                }
                Err(error) => place(body.span, error),
            }
        }
        if sink.is_empty() {
            self.build_joints(&mut instance, &place);
            instance.motions = self
                .motions
                .iter()
                .map(|m| self.script(m, &instance))
                .collect();
            instance
                .body_keys
                .resize(self.bodies.len(), BodyKey::default());
            instance
                .joint_keys
                .resize(self.joints.len(), JointKey::default());
            instance.spawners = self.spawners(&place);
        }
        if sink.is_empty() {
            Ok(instance)
        } else {
            Err(sink.into_errors(&self.sources))
        }
    }

    fn build_joints(&self, instance: &mut Instance, place: &dyn Fn(Span, DefError)) {
        for joint in &self.joints[..self.start_joints()] {
            match instance.world.add_joint(joint.def(&instance.body_keys)) {
                Ok(key) => {
                    instance.joint_keys.push(key);
                    if !joint.name.is_empty() {
                        instance.joints.insert(joint.name.clone(), key);
                    }
                }
                Err(error) => place(joint.span, error),
            }
        }
    }

    fn movers(&self) -> Vec<usize> {
        let can_move = |index: &usize| self.bodies[*index].def.kind != BodyKind::Static;
        (0..self.bodies.len()).filter(can_move).collect()
    }

    /// What makes the copies during the run. Each copy is tried in a world of its own here,
    /// so that what the world refuses is reported before the run.
    fn spawners(&self, place: &dyn Fn(Span, DefError)) -> Vec<Spawner> {
        let spawner = |spawn: &Spawn| {
            if let Ok(mut trial) = World::new(self.settings.clone()) {
                let mut keys = vec![BodyKey::default(); self.bodies.len()];
                for copy in &spawn.copies {
                    self.rehearse(copy, &mut trial, &mut keys, place);
                }
            }
            let parts = |copy: &Copy| Part {
                copy: copy.clone(),
                bodies: self.bodies[copy.bodies.clone()].to_vec(),
                joints: self.joints[copy.joints.clone()].to_vec(),
            };
            Spawner {
                schedule: spawn.schedule,
                parts: spawn.copies.iter().map(parts).collect(),
                made: 0,
            }
        };
        self.spawns.iter().map(spawner).collect()
    }

    fn rehearse(
        &self,
        copy: &Copy,
        trial: &mut World,
        keys: &mut [BodyKey],
        place: &dyn Fn(Span, DefError),
    ) {
        for index in copy.bodies.clone() {
            match trial.add_body(self.bodies[index].def.clone()) {
                Ok(key) => keys[index] = key,
                Err(error) => return place(self.bodies[index].span, error),
            }
        }
        for index in copy.joints.clone() {
            if let Err(error) = trial.add_joint(self.joints[index].def(keys)) {
                place(self.joints[index].span, error);
            }
        }
        for index in copy.bodies.clone() {
            let removed = trial.remove_body(keys[index]);
            debug_assert!(removed.is_ok(), "it was just added");
        }
    }

    fn script(&self, motion: &Motion, instance: &Instance) -> Scripted {
        let def = &self.bodies[motion.body].def;
        let rest = WorldPose {
            position: def.position,
            rotation: drystone::geometry::rotation::normalize(def.rotation),
        };
        Scripted {
            key: instance.body_keys[motion.body],
            rest,
            motion: motion.clone(),
        }
    }
}

impl Instance {
    /// Runs the scripts, then advances the world by one step.
    pub fn step(&mut self) {
        self.run_scripts();
        self.world.step();
    }

    /// What happens before a step: bodies appear, and kinematic ones are sent on their way.
    /// [`Instance::step`] does this; call it only to take the world's step yourself.
    pub fn run_scripts(&mut self) {
        let step = self.world.step_count();
        // A step that takes no time is not counted, and nothing appears for it again.
        if step >= self.next_step {
            self.next_step = step + 1;
            self.spawn(step);
        }
        let after = self.world.time() + f64::from(self.world.settings().dt);
        for scripted in &self.motions {
            let target = scripted.motion.pose_at(&scripted.rest, after);
            // A caller may have removed the body, or the path may lead out of the world:
            // then it is no longer driven.
            let _ = self.world.set_kinematic_target(scripted.key, target);
        }
    }

    fn spawn(&mut self, step: u64) {
        for index in 0..self.spawners.len() {
            let Spawner {
                schedule,
                parts,
                made,
            } = &mut self.spawners[index];
            let count = parts.len();
            let due = schedule.due(step, *made, count);
            *made = due.end;
            for number in due {
                let part = std::mem::take(&mut self.spawners[index].parts[number % count]);
                self.appear(&part);
                self.spawners[index].parts[number % count] = part;
            }
        }
    }

    /// Makes a copy, which disappears first if it is there already.
    fn appear(&mut self, part: &Part) {
        for key in &self.body_keys[part.copy.bodies.clone()] {
            // Not there yet, or removed by a caller: nothing to remove.
            let _ = self.world.remove_body(*key);
        }
        for (index, body) in part.copy.bodies.clone().zip(&part.bodies) {
            // Tried when the scene was built: only a full world would refuse it now.
            let added = self.world.add_body(body.def.clone());
            debug_assert!(added.is_ok(), "{added:?}");
            let key = added.unwrap_or_default();
            self.body_keys[index] = key;
            if !body.name.is_empty() {
                self.bodies.insert(body.name.clone(), key);
            }
        }
        for (index, joint) in part.copy.joints.clone().zip(&part.joints) {
            let added = self.world.add_joint(joint.def(&self.body_keys));
            debug_assert!(added.is_ok(), "{added:?}");
            let key = added.unwrap_or_default();
            self.joint_keys[index] = key;
            if !joint.name.is_empty() {
                self.joints.insert(joint.name.clone(), key);
            }
        }
    }

    /// The body that left the world or ceased to be finite, if there is one.
    pub fn diverged(&self) -> Option<BodyKey> {
        if let Some(key) = self.world.events().diverged.first() {
            return Some(*key);
        }
        let is_lost = |key: &BodyKey| {
            self.world.body(*key).is_ok_and(|body| {
                let distance = body.position().length();
                let is_near = distance <= DIVERGED_DISTANCE;
                !is_near
            })
        };
        let mut keys = self.movers.iter().map(|index| self.body_keys[*index]);
        keys.find(is_lost)
    }

    /// The name of a body; empty when it has none or is gone.
    pub fn name_of(&self, key: BodyKey) -> String {
        self.world
            .body(key)
            .map(|body| body.name().to_owned())
            .unwrap_or_default()
    }
}
