//! Joints, before their bodies are known.

use drystone::geometry::glam::{DVec3, Quat, Vec3};
use drystone::{JointKind, JointSpring, JointThreshold};

use super::{Context, Name, Reader, joint_axes};
use crate::diagnostic::Span;
use crate::schema::JOINT;

/// A joint as written.
#[derive(Clone, Debug)]
pub(crate) struct JointModel {
    pub(crate) name: Option<Name>,
    pub(crate) a: Name,
    pub(crate) b: Name,
    pub(crate) kind: KindModel,
    /// In the frame of what the joint stands in.
    pub(crate) anchor: Option<DVec3>,
    pub(crate) axis: Vec3,
    /// Of the second body, where it is another.
    pub(crate) axis_b: Option<Vec3>,
    /// In the bodies' own frames.
    pub(crate) local_anchors: [Option<Vec3>; 2],
    pub(crate) local_rotations: [Option<Quat>; 2],
    pub(crate) collide_connected: bool,
    pub(crate) threshold: Option<JointThreshold>,
    pub(crate) span: Span,
}

/// What a joint holds; lengths may still follow from where the bodies stand.
#[derive(Clone, Debug)]
pub(crate) enum KindModel {
    Known(JointKind),
    Distance {
        min: Option<f32>,
        max: Option<f32>,
        rest: Option<f32>,
        spring: Option<JointSpring>,
    },
}

impl Context<'_> {
    /// The joints of a list.
    pub(super) fn joints(&self, reader: &Reader<'_, '_>, field: &str) -> Vec<JointModel> {
        let open = |item| Reader::open(&JOINT, item, self.sink);
        let readers = reader.items(field).iter().filter_map(open);
        readers.filter_map(|reader| joint(&reader)).collect()
    }
}

fn joint(reader: &Reader<'_, '_>) -> Option<JointModel> {
    let name = reader.text("name");
    if let Some(name) = &name {
        super::bodies::check_free_name(name, reader);
    }
    let (a, b) = (reader.text("a"), reader.text("b"));
    let kind = reader.variant("kind").map(|inner| kind(&inner));
    let anchor = reader.optional_vector("anchor");
    let local_anchors = ["anchor_a", "anchor_b"].map(|name| reader.optional_vec3(name));
    let local_rotations = ["rotation_a", "rotation_b"].map(|name| reader.optional_rotation(name));
    let axis = reader.direction("axis");
    let axis_b = reader.direction("axis_b");
    let axis_b = reader.has("axis_b").then_some(axis_b);
    let threshold = joint_axes::threshold(reader);
    let collide_connected = reader.flag("collide_connected");
    reader.finish();
    check_frames(reader);
    let is_apart = matches!(kind, Some(KindModel::Known(JointKind::NoContact)));
    if is_apart && collide_connected {
        let message = "bodies that may touch need no `NoContact`";
        let span = reader.place_of("collide_connected");
        reader
            .sink
            .error(span, "conflict", message, "remove the joint");
    }
    let needs_none = is_apart
        || matches!(
            kind,
            Some(
                KindModel::Distance { .. }
                    | KindModel::Known(JointKind::Gear { .. } | JointKind::Rack { .. })
            )
        );
    let has_anchor = ["anchor", "anchor_a", "anchor_b"]
        .iter()
        .any(|name| reader.has(name));
    if kind.is_some() && !needs_none && !has_anchor {
        let span = Span {
            end: (reader.span.start + 1).min(reader.span.end),
            ..reader.span
        };
        let help = "add `anchor: (x, y, z)` in the world, or `anchor_a` in the first body's frame";
        reader
            .sink
            .error(span, "missing-field", "the joint has no anchor", help);
    }
    Some(JointModel {
        name,
        a: a?,
        b: b?,
        kind: kind?,
        anchor,
        axis,
        axis_b,
        local_anchors,
        local_rotations,
        collide_connected,
        threshold,
        span: reader.span,
    })
}

/// Refuses what would change nothing: what is said of both frames together, beside each alone.
fn check_frames(reader: &Reader<'_, '_>) {
    for (fields, [a, b]) in [
        (&["anchor"][..], ["anchor_a", "anchor_b"]),
        (&["axis", "axis_b"], ["rotation_a", "rotation_b"]),
    ] {
        let used = !(reader.has(a) && reader.has(b));
        for field in fields.iter().filter(|field| !used && reader.has(field)) {
            let message = format!("`{field}` is not used beside `{a}` and `{b}`");
            let help = "keep the one or the two";
            let span = reader.place_of(field);
            reader.sink.error(span, "conflict", message, help);
        }
    }
}

/// What a joint holds.
pub(super) fn kind(reader: &Reader<'_, '_>) -> KindModel {
    let spring_of = |name| joint_axes::spring(reader, name);
    let kind = match reader.variant_name() {
        "Ball" => KindModel::Known(JointKind::Ball {
            friction_torque: reader.f32("friction_torque"),
            spring: spring_of("spring"),
            cone: reader.optional_angle("cone"),
            twist: joint_axes::limit(reader, "twist_lower", "twist_upper"),
        }),
        "Hinge" => KindModel::Known(joint_axes::hinge(reader)),
        "Slider" => KindModel::Known(joint_axes::slider(reader)),
        "Weld" => KindModel::Known(JointKind::Weld {
            linear: spring_of("linear"),
            angular: spring_of("angular"),
        }),
        "Wheel" => KindModel::Known(joint_axes::wheel(reader)),
        "SixDof" => KindModel::Known(joint_axes::six_dof(reader)),
        "Gear" => KindModel::Known(JointKind::Gear {
            ratio: joint_axes::ratio(reader, "ratio"),
        }),
        "Rack" => KindModel::Known(JointKind::Rack {
            travel: joint_axes::ratio(reader, "travel"),
        }),
        "NoContact" => KindModel::Known(JointKind::NoContact),
        _ => distance(reader, spring_of("spring")),
    };
    reader.finish();
    kind
}

fn distance(reader: &Reader<'_, '_>, spring: Option<JointSpring>) -> KindModel {
    let (min, max) = (reader.optional_f32("min"), reader.optional_f32("max"));
    let rest = reader.optional_f32("rest");
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        let message = format!("`min` is {min}, more than `max`, {max}");
        let help = "exchange them";
        reader
            .sink
            .error(reader.place_of("min"), "conflict", message, help);
    }
    if rest.is_some() && !reader.has("spring") {
        let message = "`rest` needs a `spring`";
        let help = "a rod has `min` and `max` alone";
        reader
            .sink
            .error(reader.place_of("rest"), "conflict", message, help);
    }
    KindModel::Distance {
        min,
        max,
        rest,
        spring,
    }
}
