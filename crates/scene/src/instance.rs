//! A scene built: a world, the keys behind the names, and the scripts that move things.

use std::collections::BTreeMap;

use drystone::{BodyKey, BodyKind, DefError, JointDef, JointKey, World, WorldPose};

use crate::diagnostic::{SceneErrors, Sink, Span};
use crate::motion::Motion;
use crate::scene::Scene;
use crate::tolerance::DIVERGED_DISTANCE;

/// A world made from a scene.
#[derive(Debug)]
pub struct Instance {
    /// The world. Step it with [`Instance::step`], so that the scripts run.
    pub world: World,
    /// Bodies that have a name.
    pub bodies: BTreeMap<String, BodyKey>,
    /// Joints that have a name.
    pub joints: BTreeMap<String, JointKey>,
    /// All bodies, in the order of [`Scene::bodies`].
    pub body_keys: Vec<BodyKey>,
    /// All joints, in the order of [`Scene::joints`].
    pub joint_keys: Vec<JointKey>,
    motions: Vec<Scripted>,
}

#[derive(Debug)]
struct Scripted {
    key: BodyKey,
    rest: WorldPose,
    motion: Motion,
}

impl Scene {
    /// Builds the world. What the world refuses is reported where it is written.
    pub fn build(&self) -> Result<Instance, SceneErrors> {
        let sink = Sink::default();
        let place = |span: Span, error: DefError| sink.error(span, "refused", error.to_string());
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
        };
        for body in &self.bodies {
            match instance.world.add_body(body.def.clone()) {
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
        }
        if sink.is_empty() {
            Ok(instance)
        } else {
            Err(sink.into_errors(&self.sources))
        }
    }

    fn build_joints(&self, instance: &mut Instance, place: &dyn Fn(Span, DefError)) {
        for joint in &self.joints {
            let def = JointDef {
                body_a: instance.body_keys[joint.a],
                body_b: instance.body_keys[joint.b],
                frame_a: joint.frame_a,
                frame_b: joint.frame_b,
                kind: joint.kind,
                collide_connected: joint.collide_connected,
                name: joint.name.clone(),
            };
            match instance.world.add_joint(def) {
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
    /// Sends the scripted bodies on their way and advances the world by one step.
    pub fn step(&mut self) {
        let after = self.world.time() + f64::from(self.world.settings().dt);
        for scripted in &self.motions {
            let target = scripted.motion.pose_at(&scripted.rest, after);
            // A caller may have removed the body, or the path may lead out of the world:
            // then it is no longer driven.
            let _ = self.world.set_kinematic_target(scripted.key, target);
        }
        self.world.step();
    }

    /// The body that left the world or ceased to be finite, if there is one.
    pub fn diverged(&self) -> Option<BodyKey> {
        if let Some(key) = self.world.events().diverged.first() {
            return Some(*key);
        }
        let is_lost = |key: &&BodyKey| {
            self.world.body(**key).is_ok_and(|body| {
                let distance = body.position().length();
                let is_near = distance <= DIVERGED_DISTANCE;
                body.kind() != BodyKind::Static && !is_near
            })
        };
        self.body_keys.iter().find(is_lost).copied()
    }

    /// The name of a body; empty when it has none or is gone.
    pub fn name_of(&self, key: BodyKey) -> String {
        self.world
            .body(key)
            .map(|body| body.name().to_owned())
            .unwrap_or_default()
    }
}
