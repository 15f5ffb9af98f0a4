//! The systems: entities in, a step, poses out.

use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_math::DVec3;
use bevy_time::prelude::*;
use bevy_transform::prelude::*;
use drystone::{BodyDef, BodyKind, JointDef, WorldPose};

use crate::components::Drawn;
use crate::convert::{to_bevy, to_drystone};
use crate::{
    Body, BodySettings, Collider, ContactBegan, ContactEnded, FellAsleep, Hit, Interpolate, Joint,
    JointHandle, JointStrained, Physics, Refused, RigidBody, SensorEntered, SensorLeft, Velocity,
    WokeUp,
};

fn transform_of(pose: &WorldPose, origin: DVec3, like: &Transform) -> Transform {
    Transform {
        translation: (to_bevy(pose.position) - origin).as_vec3(),
        rotation: to_bevy(pose.rotation),
        scale: like.scale,
    }
}

fn pose_of(transform: &Transform, origin: DVec3) -> WorldPose {
    WorldPose {
        position: to_drystone(transform.translation.as_dvec3() + origin),
        rotation: to_drystone(transform.rotation),
    }
}

/// What a new body is made of.
type NewBody = (
    Entity,
    &'static RigidBody,
    &'static Transform,
    Option<&'static Collider>,
    Option<&'static Velocity>,
    Option<&'static BodySettings>,
);

pub(crate) fn add_bodies(
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    mut refused: MessageWriter<Refused>,
    new: Query<NewBody, (Added<RigidBody>, Without<Body>)>,
) {
    for (entity, kind, transform, collider, velocity, settings) in &new {
        let pose = pose_of(transform, physics.origin);
        let velocity = velocity.copied().unwrap_or_default();
        let def = BodyDef {
            kind: (*kind).into(),
            position: pose.position,
            rotation: pose.rotation,
            linear_velocity: to_drystone(velocity.linear),
            angular_velocity: to_drystone(velocity.angular),
            shapes: collider.map_or_else(Vec::new, |collider| collider.0.clone()),
            user_data: entity.to_bits(),
            ..settings.map_or_else(BodyDef::default, |settings| settings.0.clone())
        };
        match physics.world.add_body(def) {
            Ok(key) => {
                let drawn = Drawn {
                    written: *transform,
                    from: *transform,
                    to: *transform,
                };
                commands.entity(entity).insert((Body(key), drawn));
            }
            Err(error) => {
                let reason = error.to_string();
                refused.write(Refused { entity, reason });
            }
        }
    }
}

pub(crate) fn add_joints(
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    mut refused: MessageWriter<Refused>,
    new: Query<(Entity, &Joint), (Added<Joint>, Without<JointHandle>)>,
    bodies: Query<&Body>,
) {
    for (entity, joint) in &new {
        let keys = (bodies.get(joint.body_a), bodies.get(joint.body_b));
        let (Ok(body_a), Ok(body_b)) = keys else {
            let reason = "a joint needs two entities that are bodies".to_owned();
            refused.write(Refused { entity, reason });
            continue;
        };
        let def = JointDef {
            body_a: body_a.0,
            body_b: body_b.0,
            frame_a: joint.frame_a,
            frame_b: joint.frame_b,
            kind: joint.kind.clone(),
            collide_connected: joint.collide_connected,
            threshold: joint.threshold,
            name: String::new(),
        };
        match physics.world.add_joint(def) {
            Ok(key) => {
                commands.entity(entity).insert(JointHandle(key));
            }
            Err(error) => {
                let reason = error.to_string();
                refused.write(Refused { entity, reason });
            }
        }
    }
}

/// Transforms that somebody else changed since they were written.
pub(crate) fn take_transforms(
    mut physics: ResMut<Physics>,
    mut refused: MessageWriter<Refused>,
    mut changed: Query<(Entity, &Body, &RigidBody, &Transform, &mut Drawn), Changed<Transform>>,
) {
    for (entity, body, kind, transform, mut drawn) in &mut changed {
        if *transform == drawn.written {
            continue;
        }
        let pose = pose_of(transform, physics.origin);
        let taken = if BodyKind::from(*kind) == BodyKind::Kinematic {
            physics.world.set_kinematic_target(body.0, pose)
        } else {
            drawn.from = *transform;
            drawn.to = *transform;
            physics.world.teleport(body.0, pose)
        };
        drawn.written = *transform;
        if let Err(error) = taken {
            let reason = error.to_string();
            refused.write(Refused { entity, reason });
        }
    }
}

pub(crate) fn take_velocities(
    mut physics: ResMut<Physics>,
    mut refused: MessageWriter<Refused>,
    changed: Query<(Entity, &Body, &Velocity), Changed<Velocity>>,
) {
    for (entity, body, velocity) in &changed {
        let (linear, angular) = (to_drystone(velocity.linear), to_drystone(velocity.angular));
        if let Err(error) = physics.world.set_velocity(body.0, linear, angular) {
            let reason = error.to_string();
            refused.write(Refused { entity, reason });
        }
    }
}

pub(crate) fn step(
    mut physics: ResMut<Physics>,
    time: Res<Time<Fixed>>,
    mut refused: Local<Option<f32>>,
) {
    let dt = time.timestep().as_secs_f32();
    if physics.world.settings().dt != dt && *refused != Some(dt) {
        let settings = drystone::Settings {
            dt,
            ..physics.world.settings().clone()
        };
        // A time step the engine does not take keeps the last one it did.
        if physics.world.set_settings(settings).is_err() {
            *refused = Some(dt);
        }
    }
    physics.world.step();
}

/// Poses into transforms. What did not move is not marked as changed.
pub(crate) fn write_poses(
    physics: Res<Physics>,
    mut bodies: Query<(&Body, &mut Transform, &mut Drawn, Has<Interpolate>)>,
) {
    for (body, mut transform, mut drawn, interpolated) in &mut bodies {
        let Ok(view) = physics.world.body(body.0) else {
            continue;
        };
        let now = transform_of(&view.pose(), physics.origin, &transform);
        drawn.from = drawn.to;
        drawn.to = now;
        if !interpolated {
            drawn.written = now;
            transform.set_if_neq(now);
        }
    }
}

pub(crate) fn write_velocities(physics: Res<Physics>, mut bodies: Query<(&Body, &mut Velocity)>) {
    for (body, mut velocity) in &mut bodies {
        let Ok(view) = physics.world.body(body.0) else {
            continue;
        };
        let now = Velocity {
            linear: to_bevy(view.linear_velocity()),
            angular: to_bevy(view.angular_velocity()),
        };
        if *velocity != now {
            // Written by us: it must not come back as a command.
            *velocity.bypass_change_detection() = now;
        }
    }
}

pub(crate) fn interpolate(
    time: Res<Time<Fixed>>,
    mut bodies: Query<(&mut Transform, &mut Drawn), With<Interpolate>>,
) {
    let share = time.overstep_fraction();
    for (mut transform, mut drawn) in &mut bodies {
        if *transform != drawn.written {
            // Somebody moved it after the step: the next step takes it over.
            continue;
        }
        let between = Transform {
            translation: drawn.from.translation.lerp(drawn.to.translation, share),
            rotation: drawn.from.rotation.slerp(drawn.to.rotation, share),
            scale: transform.scale,
        };
        drawn.written = between;
        transform.set_if_neq(between);
    }
}

/// The channels of a step's messages.
#[derive(SystemParam)]
pub(crate) struct Channels<'w> {
    began: MessageWriter<'w, ContactBegan>,
    ended: MessageWriter<'w, ContactEnded>,
    hits: MessageWriter<'w, Hit>,
    entered: MessageWriter<'w, SensorEntered>,
    left: MessageWriter<'w, SensorLeft>,
    strained: MessageWriter<'w, JointStrained>,
    asleep: MessageWriter<'w, FellAsleep>,
    awake: MessageWriter<'w, WokeUp>,
}

pub(crate) fn send_messages(
    mut commands: Commands,
    physics: Res<Physics>,
    joints: Query<(Entity, &JointHandle)>,
    mut channels: Channels,
) {
    let events = physics.world.events();
    let both = |a, b| Some((physics.entity(a)?, physics.entity(b)?));
    for event in &events.contact_begin {
        if let Some((a, b)) = both(event.body_a, event.body_b) {
            channels.began.write(ContactBegan { a, b });
        }
    }
    for event in &events.contact_end {
        if let Some((a, b)) = both(event.body_a, event.body_b) {
            channels.ended.write(ContactEnded { a, b });
        }
    }
    for event in &events.hit {
        if let Some((a, b)) = both(event.body_a, event.body_b) {
            channels.hits.write(Hit {
                a,
                b,
                point: (to_bevy(event.point) - physics.origin).as_vec3(),
                normal: to_bevy(event.normal),
                speed: event.speed,
                impulse: event.impulse,
            });
        }
    }
    for event in &events.sensor_begin {
        if let Some((sensor, visitor)) = both(event.sensor_body, event.visitor_body) {
            channels.entered.write(SensorEntered { sensor, visitor });
        }
    }
    for event in &events.sensor_end {
        if let Some((sensor, visitor)) = both(event.sensor_body, event.visitor_body) {
            channels.left.write(SensorLeft { sensor, visitor });
        }
    }
    for event in &events.joint_over_threshold {
        let found = joints.iter().find(|(_, handle)| handle.0 == event.joint);
        if let Some((joint, _)) = found {
            channels.strained.write(JointStrained {
                joint,
                force: event.force,
                torque: event.torque,
                broken: event.broken,
            });
            if event.broken {
                commands.entity(joint).try_remove::<JointHandle>();
            }
        }
    }
    for body in &events.sleep {
        channels
            .asleep
            .write_batch(physics.entity(*body).map(FellAsleep));
    }
    for body in &events.wake {
        channels
            .awake
            .write_batch(physics.entity(*body).map(WokeUp));
    }
}

/// The body goes with its component or entity.
pub(crate) fn remove_body(
    removed: On<Remove, RigidBody>,
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    bodies: Query<&Body>,
) {
    if let Ok(body) = bodies.get(removed.entity) {
        // A body that is gone already needs no removal.
        let _ = physics.world.remove_body(body.0);
        commands
            .entity(removed.entity)
            .try_remove::<(Body, Drawn)>();
    }
}

/// The joint goes with its component or entity.
pub(crate) fn remove_joint(
    removed: On<Remove, Joint>,
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    joints: Query<&JointHandle>,
) {
    if let Ok(joint) = joints.get(removed.entity) {
        // A joint goes with its bodies; then there is nothing left to remove.
        let _ = physics.world.remove_joint(joint.0);
        commands.entity(removed.entity).try_remove::<JointHandle>();
    }
}
