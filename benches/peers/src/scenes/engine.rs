//! What the comparison asks of an engine, and what it measures from outside.

use drystone::glam::{DVec3, Quat, Vec3};
use drystone::{BodyKind, JointKind, Pose, WorldPose};
use drystone_scene::Scene;

/// A world of some engine, made from a scene. Bodies go by their index in the scene.
pub(crate) trait Engine {
    /// Advances by the scene's time step.
    fn step(&mut self);
    /// Sends a kinematic body to a pose, which it reaches at the end of the next step.
    fn set_target(&mut self, body: usize, target: &WorldPose);
    /// Where the origin of a body is.
    fn pose(&self, body: usize) -> WorldPose;
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
}

impl Quality {
    /// Of the poses an engine holds now.
    pub(crate) fn measure(scene: &Scene, engine: &dyn Engine) -> Self {
        let poses: Vec<WorldPose> = (0..scene.bodies.len()).map(|i| engine.pose(i)).collect();
        let mut quality = Self {
            overlap: deepest_overlap(scene, &poses),
            joint_gap: widest_gap(scene, &poses),
            ..Self::default()
        };
        for (body, pose) in scene.bodies.iter().zip(&poses) {
            if body.def.kind != BodyKind::Dynamic {
                continue;
            }
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
        }
    }
}

/// All bodies are put where `poses` says, and one step of next to no time finds the
/// contacts: drystone's certified narrow phase is the judge for all engines.
fn deepest_overlap(scene: &Scene, poses: &[WorldPose]) -> f64 {
    let mut still = scene.clone();
    still.settings.dt = 1e-9;
    still.motions.clear();
    for (body, pose) in still.bodies.iter_mut().zip(poses) {
        let is_usable = pose.position.is_finite() && pose.rotation.is_finite();
        if body.def.kind == BodyKind::Static || !is_usable {
            continue;
        }
        body.def.position = pose.position;
        body.def.rotation = pose.rotation;
        body.def.linear_velocity = Vec3::ZERO;
        body.def.angular_velocity = Vec3::ZERO;
        body.def.asleep = false;
    }
    let Ok(mut instance) = still.build() else {
        return f64::NAN;
    };
    instance.world.step();
    let contacts = instance.world.contacts();
    let depths = contacts
        .flat_map(|contact| contact.points)
        .map(|p| -f64::from(p.separation));
    depths.fold(0.0, f64::max)
}

fn widest_gap(scene: &Scene, poses: &[WorldPose]) -> f64 {
    let anchor = |body: usize, frame: &Pose| -> DVec3 {
        let pose = &poses[body];
        pose.position + turned(pose.rotation, frame.translation.as_dvec3())
    };
    let gaps = scene.joints.iter().map(|joint| {
        let apart = anchor(joint.a, &joint.frame_a).distance(anchor(joint.b, &joint.frame_b));
        match joint.kind {
            JointKind::Distance { min, max, .. } => (f64::from(min) - apart)
                .max(apart - f64::from(max))
                .max(0.0),
            _ => apart,
        }
    });
    gaps.fold(0.0, f64::max)
}

/// A vector turned by a unit quaternion.
fn turned(rotation: Quat, vector: DVec3) -> DVec3 {
    rotation.as_dquat() * vector
}
