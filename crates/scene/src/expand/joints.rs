//! Joints find their bodies, and their frames from where the bodies stand.

use drystone::geometry::glam::{DVec3, Quat, Vec3};
use drystone::geometry::rotation;
use drystone::{BodyDef, BodyKind, JointKind, Pose};

use super::{End, Expander, PendingJoint};
use crate::decode::KindModel;
use crate::scene::SceneJoint;
use crate::tolerance::MAX_LENGTH;

/// Turns the pending joints into joints between known bodies; what cannot be is reported.
pub(crate) fn resolve(expander: &mut Expander<'_>) -> Vec<SceneJoint> {
    let pending = std::mem::take(&mut expander.out.joints);
    pending
        .iter()
        .enumerate()
        .filter_map(|(index, joint)| resolve_one(expander, index, joint))
        .collect()
}

/// Whether a joint that is there from the start would hold a body that is not.
fn is_early(expander: &Expander<'_>, index: usize, body: usize) -> bool {
    let start = expander.start;
    start.is_some_and(|(bodies, joints)| index < joints && body >= bodies)
}

fn resolve_one(expander: &Expander<'_>, index: usize, joint: &PendingJoint) -> Option<SceneJoint> {
    let a = find(expander, &joint.ends[0]);
    let b = find(expander, &joint.ends[1]);
    let (a, b) = (a?, b?);
    let sink = expander.sink;
    let span = match &joint.ends[1] {
        End::Named(name) => name.span,
        End::Index(_) => joint.span,
    };
    if a == b {
        let message = "a joint needs two different bodies";
        sink.error(span, "joint-to-self", message, "name another body");
        return None;
    }
    if let Some(late) = [a, b]
        .into_iter()
        .find(|end| is_early(expander, index, *end))
    {
        let name = &expander.out.bodies[late].name;
        let message = format!("`{name}` appears during the run, so this joint could not hold it");
        let help = "put the joint and both bodies into the spawned prefab";
        sink.error(span, "conflict", message, help);
        return None;
    }
    let bodies = [&expander.out.bodies[a].def, &expander.out.bodies[b].def];
    if bodies.iter().all(|body| body.kind != BodyKind::Dynamic) {
        let message = "neither body of this joint is dynamic, so it could hold nothing";
        sink.error(span, "dead-joint", message, "remove the joint");
        return None;
    }
    let anchors = anchors(joint, bodies);
    let rotations = rotations(joint, bodies);
    let kind = kind(joint, bodies, anchors);
    if let Err(error) = kind.check() {
        // Most of this was told where the numbers stand.
        if !sink.has_within(joint.span) {
            sink.refusal(joint.span, "bad-joint", &error);
        }
        return None;
    }
    Some(SceneJoint {
        name: joint.name.clone(),
        a,
        b,
        frame_a: Pose {
            rotation: rotations[0],
            translation: anchors[0],
        },
        frame_b: Pose {
            rotation: rotations[1],
            translation: anchors[1],
        },
        kind,
        collide_connected: joint.collide_connected,
        threshold: joint.threshold,
        span: joint.span,
    })
}

fn find(expander: &Expander<'_>, end: &End) -> Option<usize> {
    let name = match end {
        End::Index(index) => return Some(*index),
        End::Named(name) => name,
    };
    let found = expander.out.names.one(&name.text);
    if found.is_none() && !expander.lost_names {
        let is_group = !expander.out.names.all(&name.text).is_empty();
        let (message, help) = if is_group {
            let message = format!("`{}` is many bodies, a joint needs one", name.text);
            (
                message,
                format!("write `{}[first]` or `{}[0]`", name.text, name.text),
            )
        } else {
            let message = format!("there is no body called `{}`", name.text);
            (
                message,
                expander
                    .out
                    .names
                    .suggest(&name.text, "body", expander.sink),
            )
        };
        expander
            .sink
            .error(name.span, "unknown-name", message, help);
    }
    found
}

/// A point of the world in a body's frame, computed in f64.
fn local_point(body: &BodyDef, point: DVec3) -> Vec3 {
    let offset = point - body.position;
    if body.rotation == Quat::IDENTITY {
        return offset.as_vec3();
    }
    let turn = rotation::to_dmatrix(rotation::to_double(body.rotation));
    (turn.transpose() * offset).as_vec3()
}

fn world_point(body: &BodyDef, point: Vec3) -> DVec3 {
    if body.rotation == Quat::IDENTITY {
        return body.position + point.as_dvec3();
    }
    let turn = rotation::to_dmatrix(rotation::to_double(body.rotation));
    body.position + turn * point.as_dvec3()
}

/// Both anchors in their bodies' frames. What is not given lies where the other one is.
fn anchors(joint: &PendingJoint, bodies: [&BodyDef; 2]) -> [Vec3; 2] {
    let given =
        |side: usize| joint.local_anchors[side].map(|anchor| world_point(bodies[side], anchor));
    let in_world = match (joint.anchor, &joint.kind) {
        (Some(anchor), _) => [anchor; 2],
        (None, KindModel::Distance { .. }) => [bodies[0].position, bodies[1].position],
        (None, KindModel::Known(_)) => {
            let place = given(0).or(given(1)).unwrap_or(bodies[0].position);
            [place; 2]
        }
    };
    [0, 1].map(|side| {
        joint.local_anchors[side].unwrap_or_else(|| local_point(bodies[side], in_world[side]))
    })
}

fn rotations(joint: &PendingJoint, bodies: [&BodyDef; 2]) -> [Quat; 2] {
    let along = |axis: Vec3| {
        if axis == Vec3::Z {
            Quat::IDENTITY
        } else {
            rotation::between(Vec3::Z, axis)
        }
    };
    let frames = [joint.axis, joint.axis_b.unwrap_or(joint.axis)].map(along);
    // A frame that one side gives is what the other side coincides with at the start.
    let given = [0, 1].map(|side| {
        joint.local_rotations[side].map(|turn| super::compose(bodies[side].rotation, turn))
    });
    let other = given[0].or(given[1]);
    [0, 1].map(|side| {
        joint.local_rotations[side].unwrap_or_else(|| {
            let in_world = other.unwrap_or(frames[side]);
            super::compose(rotation::conjugate(bodies[side].rotation), in_world)
        })
    })
}

fn kind(joint: &PendingJoint, bodies: [&BodyDef; 2], anchors: [Vec3; 2]) -> JointKind {
    let (min, max, rest, spring) = match joint.kind {
        KindModel::Known(ref kind) => return kind.clone(),
        KindModel::Distance {
            min,
            max,
            rest,
            spring,
        } => (min, max, rest, spring),
    };
    let [a, b] = [0, 1].map(|side| world_point(bodies[side], anchors[side]));
    let length = a.distance(b) as f32;
    let is_rod = min.is_none() && max.is_none() && spring.is_none();
    JointKind::Distance {
        min: min.unwrap_or(if is_rod { length } else { 0.0 }),
        max: max.unwrap_or(if is_rod { length } else { MAX_LENGTH as f32 }),
        rest: spring.map(|_| rest.unwrap_or(length)),
        spring,
    }
}
