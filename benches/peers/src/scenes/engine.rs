//! What the comparison asks of an engine, and what it measures from outside.

use drystone::geometry::rotation::normalize;
use drystone::glam::{DVec3, Quat, Vec3};
use drystone::{BodyDef, BodyKind, JointDef, JointKind, Pose, World, WorldPose};
use drystone_scene::{Scene, SpawnedCopy};

/// A world of some engine, made from a scene. Bodies go by their index in the scene.
pub(crate) trait Engine {
    /// Advances by the scene's time step.
    fn step(&mut self);
    /// Sends a kinematic body to a pose, which it reaches at the end of the next step.
    fn set_target(&mut self, body: usize, target: &WorldPose);
    /// Makes a copy of what a spawn makes; the one before it disappears.
    fn respawn(&mut self, scene: &Scene, copy: &SpawnedCopy);
    /// Whether any dynamic body is awake.
    fn is_awake(&self) -> bool;
    /// Milliseconds that the last step's contacts took: pairs to manifolds and changes of touch.
    /// `None` where the engine does not tell.
    fn collide_ms(&self) -> Option<f64>;
    /// Where the origin of a body is; `None` while it does not exist.
    fn pose(&self, body: usize) -> Option<WorldPose>;
}

/// The scripts of a scene, run alike for every engine.
pub(crate) struct Scripts<'a> {
    scene: &'a Scene,
    rests: Vec<WorldPose>,
    /// Copies each spawn has made.
    made: Vec<usize>,
}

impl<'a> Scripts<'a> {
    pub(crate) fn new(scene: &'a Scene) -> Self {
        let rest = |motion: &drystone_scene::Motion| {
            let def = &scene.bodies[motion.body].def;
            WorldPose {
                position: def.position,
                rotation: normalize(def.rotation),
            }
        };
        Self {
            scene,
            rests: scene.motions.iter().map(rest).collect(),
            made: vec![0; scene.spawns.len()],
        }
    }

    /// What happens before step number `step`, from 0.
    pub(crate) fn run(&mut self, step: u64, engine: &mut dyn Engine) {
        for (spawn, made) in self.scene.spawns.iter().zip(&mut self.made) {
            let count = spawn.copies.len();
            let due = spawn.schedule.due(step, *made, count);
            *made = due.end;
            for number in due {
                engine.respawn(self.scene, &spawn.copies[number % count]);
            }
        }
        let after = (step + 1) as f64 * f64::from(self.scene.settings.dt);
        for (motion, rest) in self.scene.motions.iter().zip(&self.rests) {
            engine.set_target(motion.body, &motion.pose_at(rest, after));
        }
    }
}

/// Kinds of joints that no compared scene has, and that nobody has carried over to the peers.
pub(crate) fn is_compared_nowhere(kind: &JointKind) -> bool {
    matches!(
        kind,
        JointKind::Slider { .. }
            | JointKind::Wheel(_)
            | JointKind::SixDof(_)
            | JointKind::Gear { .. }
            | JointKind::Rack { .. }
    )
}

/// A way to make a world, or the reasons why this engine cannot.
pub(crate) type Build = fn(&Scene, u32) -> Result<Box<dyn Engine>, Vec<String>>;

/// What a scene asks that an engine may not have.
pub(crate) struct Wants<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) missing: Vec<String>,
}

impl<'a> Wants<'a> {
    pub(crate) fn new(scene: &'a Scene) -> Self {
        Self {
            scene,
            missing: Vec::new(),
        }
    }

    /// Notes that `what` cannot be expressed when any body says so.
    pub(crate) fn refuse_bodies(
        &mut self,
        what: &str,
        is_needed: impl Fn(&drystone::BodyDef) -> bool,
    ) {
        if self.scene.bodies.iter().any(|body| is_needed(&body.def)) {
            self.missing.push(what.to_owned());
        }
    }

    /// Notes that `what` cannot be expressed when any joint says so.
    pub(crate) fn refuse_joints(&mut self, what: &str, is_needed: impl Fn(&JointKind) -> bool) {
        if self.scene.joints.iter().any(|joint| is_needed(&joint.kind)) {
            self.missing.push(what.to_owned());
        }
    }
}

/// The quality of an end state, measured alike for all engines: from poses alone.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Quality {
    /// Deepest overlap, in metres.
    pub(crate) overlap: f64,
    /// Farthest that a dynamic body has moved sideways, in metres.
    pub(crate) drift: f64,
    /// Farthest that a dynamic body has come down, in metres.
    pub(crate) sag: f64,
    /// Widest gap between the anchors of a joint, in metres.
    pub(crate) joint_gap: f64,
    /// Dynamic bodies that are not finite or fell a hundred metres below their start.
    pub(crate) lost: usize,
    /// Step after which everything stayed asleep; `None` when something was awake at the end.
    pub(crate) asleep: Option<u64>,
}

impl Quality {
    /// Of the poses an engine holds now.
    pub(crate) fn measure(scene: &Scene, engine: &dyn Engine) -> Self {
        let poses: Vec<Option<WorldPose>> =
            (0..scene.bodies.len()).map(|i| engine.pose(i)).collect();
        let mut quality = Self {
            overlap: deepest_overlap(scene, &poses),
            joint_gap: widest_gap(scene, &poses),
            ..Self::default()
        };
        for (body, pose) in scene.bodies.iter().zip(&poses) {
            let Some(pose) = pose.filter(|_| body.def.kind == BodyKind::Dynamic) else {
                continue;
            };
            let moved = pose.position - body.def.position;
            if !moved.is_finite() || moved.y < -100.0 {
                quality.lost += 1;
                continue;
            }
            quality.drift = quality.drift.max(moved.x.hypot(moved.z));
            quality.sag = quality.sag.max(-moved.y);
        }
        quality
    }

    /// The worse of each figure.
    pub(crate) fn worst(self, other: Self) -> Self {
        Self {
            overlap: self.overlap.max(other.overlap),
            drift: self.drift.max(other.drift),
            sag: self.sag.max(other.sag),
            joint_gap: self.joint_gap.max(other.joint_gap),
            lost: self.lost.max(other.lost),
            asleep: other.asleep,
        }
    }
}

/// All bodies are put where `poses` says, and one step of next to no time finds the
/// contacts: drystone's certified narrow phase is the judge for all engines.
fn deepest_overlap(scene: &Scene, poses: &[Option<WorldPose>]) -> f64 {
    let mut settings = scene.settings.clone();
    settings.dt = 1e-9;
    let Ok(mut world) = World::new(settings) else {
        return f64::NAN;
    };
    let mut keys = Vec::new();
    for (body, pose) in scene.bodies.iter().zip(poses) {
        let usable = pose.filter(|pose| pose.position.is_finite() && pose.rotation.is_finite());
        let key = usable.and_then(|pose| {
            let def = BodyDef {
                position: pose.position,
                rotation: pose.rotation,
                linear_velocity: Vec3::ZERO,
                angular_velocity: Vec3::ZERO,
                asleep: false,
                ..body.def.clone()
            };
            world.add_body(def).ok()
        });
        keys.push(key);
    }
    // Bodies that a joint connects may overlap, if it says so.
    for joint in scene.joints.iter().filter(|joint| !joint.collide_connected) {
        if let (Some(body_a), Some(body_b)) = (keys[joint.a], keys[joint.b]) {
            let _ = world.add_joint(JointDef {
                body_a,
                body_b,
                frame_a: joint.frame_a,
                frame_b: joint.frame_b,
                kind: JointKind::NoContact,
                collide_connected: false,
                threshold: None,
                name: String::new(),
            });
        }
    }
    world.step();
    let contacts = world.contacts();
    let depths = contacts
        .flat_map(|contact| contact.points)
        .map(|p| -f64::from(p.separation));
    depths.fold(0.0, f64::max)
}

fn widest_gap(scene: &Scene, poses: &[Option<WorldPose>]) -> f64 {
    let anchor = |body: usize, frame: &Pose| -> Option<DVec3> {
        let pose = poses[body]?;
        Some(pose.position + turned(pose.rotation, frame.translation.as_dvec3()))
    };
    let gaps = scene.joints.iter().filter_map(|joint| {
        let a = anchor(joint.a, &joint.frame_a)?;
        let apart = a.distance(anchor(joint.b, &joint.frame_b)?);
        match joint.kind {
            JointKind::Distance { min, max, .. } => Some(
                (f64::from(min) - apart)
                    .max(apart - f64::from(max))
                    .max(0.0),
            ),
            JointKind::NoContact => None,
            _ => Some(apart),
        }
    });
    gaps.fold(0.0, f64::max)
}

/// A vector turned by a unit quaternion.
fn turned(rotation: Quat, vector: DVec3) -> DVec3 {
    rotation.as_dquat() * vector
}
