//! Bodies.

use drystone::geometry::glam::Vec3;
use drystone::geometry::{Pose, rotation};
use drystone::{AxisLocks, BodyDef, BodyKind, Filter, MassOverride, Material, Shape, ShapeDef};

use super::shapes::filter;
use super::{Context, Name, Reader};
use crate::diagnostic::Span;
use crate::schema::{BODY, PART};

/// A body as written, placed in the frame of what it stands in.
#[derive(Clone, Debug)]
pub(crate) struct BodyModel {
    pub(crate) name: Option<Name>,
    pub(crate) def: BodyDef,
    /// The material and filter its shapes get when a pattern makes them.
    pub(crate) material: Material,
    pub(crate) filter: Filter,
    /// What each copy adds to the filter group of such a shape, and of each given shape.
    pub(crate) group_per_copy: i32,
    pub(crate) groups_per_copy: Vec<i32>,
    pub(crate) span: Span,
}

/// What a body is read for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A body of its own.
    Single,
    /// The body of a pattern, with its shape.
    Template,
    /// The body of a pattern that makes the shapes itself.
    Shapeless,
}

impl Context<'_> {
    /// Reads a body.
    pub(super) fn body(&self, reader: &Reader<'_, '_>, role: Role) -> BodyModel {
        let material = self.material_of(reader, self.default_material());
        let (filter, group_per_copy) = reader
            .record("filter")
            .map_or_else(Default::default, |inner| filter(&inner));
        let name = reader.text("name");
        if let Some(name) = &name {
            check_name(name, reader, role);
        }
        let kind = match reader.choice("kind") {
            "Static" => BodyKind::Static,
            "Kinematic" => BodyKind::Kinematic,
            _ => BodyKind::Dynamic,
        };
        let before = self.sink.count();
        let parts = self.body_shapes(reader, kind, material, (filter, group_per_copy));
        let (shapes, groups_per_copy): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        let wants_shape = reader.has("shape") || reader.has("shapes");
        let shapes_are_sound = self.sink.count() == before
            && reader.unknown_fields().next().is_none()
            && (!wants_shape || !shapes.is_empty());
        let def = BodyDef {
            kind,
            position: reader.vector("position"),
            rotation: reader.rotation("rotation"),
            linear_velocity: reader.vec3("linear_velocity"),
            angular_velocity: reader.vec3("angular_velocity"),
            linear_damping: reader.f32("linear_damping"),
            angular_damping: reader.f32("angular_damping"),
            gravity_scale: reader.f32("gravity_scale"),
            sleep_threshold: reader.f32("sleep_threshold"),
            can_sleep: reader.flag("can_sleep"),
            asleep: reader.flag("asleep"),
            bullet: reader.flag("bullet"),
            locks: locks(reader),
            mass: mass(reader),
            shapes,
            name: String::new(),
            user_data: reader.whole("user_data"),
        };
        check_rest(&def, reader);
        if shapes_are_sound {
            check_shapes(&def, material, reader, role);
        }
        reader.finish();
        BodyModel {
            name,
            def,
            material,
            filter,
            group_per_copy,
            groups_per_copy,
            span: reader.span,
        }
    }

    /// The shapes, and what each copy adds to the group of each.
    fn body_shapes(
        &self,
        reader: &Reader<'_, '_>,
        kind: BodyKind,
        material: Material,
        own_filter: (Filter, i32),
    ) -> Vec<(ShapeDef, i32)> {
        let mut shapes = Vec::new();
        let parts = reader.items("shapes");
        if let Some(value) = reader.value("shape") {
            if reader.has("shapes") {
                let message = "a body has either `shape` or `shapes`";
                let help = "move the single shape into the list";
                self.sink.error(value.span, "conflict", message, help);
            }
            if let Some(shape) = self.shape(value) {
                self.check_half_space(&shape, kind, value.span);
                let def = ShapeDef {
                    shape,
                    pose: Pose::IDENTITY,
                    material,
                    filter: own_filter.0,
                    sensor: false,
                };
                shapes.push((def, own_filter.1));
            }
        }
        for item in parts {
            let Some(part) = Reader::open(&PART, item, self.sink) else {
                continue;
            };
            let value = part.value("shape");
            let shape = value.and_then(|value| self.shape(value));
            let pose = Pose {
                translation: part.vec3("position"),
                rotation: part.rotation("rotation"),
            };
            let material = self.material_of(&part, material);
            let filter = part
                .record("filter")
                .map_or(own_filter, |inner| filter(&inner));
            let ring = part.record("ring").map(|inner| ring(&inner));
            part.finish();
            if let Some(shape) = shape {
                self.check_half_space(&shape, kind, part.place_of("shape"));
                let (count, axis) = ring.unwrap_or((1, Vec3::Y));
                shapes.extend((0..count).map(|number| {
                    let def = ShapeDef {
                        shape: shape.clone(),
                        pose: turned(&pose, axis, 360.0 * number as f64 / count as f64),
                        material,
                        filter: filter.0,
                        sensor: false,
                    };
                    (def, filter.1)
                }));
            }
        }
        shapes
    }

    fn check_half_space(&self, shape: &Shape, kind: BodyKind, span: Span) {
        if matches!(shape, Shape::HalfSpace { .. }) && kind != BodyKind::Static {
            let message = "a half-space can only stand on a static body";
            let help = "add `kind: Static`, or use a `Box`";
            self.sink.error(span, "moving-half-space", message, help);
        }
        if shape.surface().is_some() && kind == BodyKind::Dynamic {
            let message = format!(
                "a {} can only stand on a static or kinematic body",
                shape.kind_name()
            );
            let help = "add `kind: Static`, or use hulls";
            self.sink.error(span, "dynamic-surface", message, help);
        }
    }

    /// The bodies of a list.
    pub(super) fn bodies(&self, reader: &Reader<'_, '_>, field: &str) -> Vec<BodyModel> {
        let open = |item| {
            let reader = Reader::open(&BODY, item, self.sink);
            if reader.is_none() {
                self.lost_names.set(true);
            }
            reader
        };
        let readers = reader.items(field).iter().filter_map(open);
        readers
            .map(|reader| self.body(&reader, Role::Single))
            .collect()
    }
}

/// How many equal parts there are around which axis.
fn ring(reader: &Reader<'_, '_>) -> (u64, Vec3) {
    let ring = (reader.whole("count"), reader.direction("axis"));
    reader.finish();
    ring
}

/// `pose` turned about an axis through the origin; exact when it is not turned.
fn turned(pose: &Pose, axis: Vec3, degrees: f64) -> Pose {
    if degrees == 0.0 {
        return *pose;
    }
    let turn = crate::about_axis(axis, degrees);
    let matrix = rotation::to_dmatrix(rotation::to_double(turn));
    Pose {
        translation: (matrix * pose.translation.as_dvec3()).as_vec3(),
        rotation: crate::expand::compose(turn, pose.rotation),
    }
}

fn check_name(name: &Name, reader: &Reader<'_, '_>, role: Role) {
    if role != Role::Single {
        let message = "the pattern names its bodies itself";
        reader
            .sink
            .error(name.span, "bad-name", message, "remove the name");
    }
    check_free_name(name, reader);
}

/// A name that could not be referred to is refused.
pub(super) fn check_free_name(name: &Name, reader: &Reader<'_, '_>) {
    if name.text.is_empty() || name.text == "all" {
        let message = format!("{:?} cannot be a name", name.text);
        let help = "`all` means every body that can move; choose another name";
        reader.sink.error(name.span, "bad-name", message, help);
    }
}

fn locks(reader: &Reader<'_, '_>) -> AxisLocks {
    let given = AxisLocks {
        translation: reader.flags("lock_translation"),
        rotation: reader.flags("lock_rotation"),
    };
    if reader.flag("planar") {
        given.union(AxisLocks::PLANAR)
    } else {
        given
    }
}

fn mass(reader: &Reader<'_, '_>) -> Option<MassOverride> {
    let mass = reader.optional_f32("mass");
    let inertia = reader.optional_vec3("inertia");
    let center = reader.optional_vec3("center_of_mass");
    for field in ["inertia", "center_of_mass"] {
        if reader.has(field) && !reader.has("mass") {
            let message = format!("`{field}` needs `mass` beside it");
            let span = reader.place_of(field);
            reader.sink.error(span, "conflict", &message, "add `mass`");
        }
    }
    let given = MassOverride {
        mass: mass?,
        inertia,
        center,
    };
    if let Err(error) = given.check() {
        let span = reader.place_of("inertia");
        reader.sink.refusal(span, "bad-inertia", &error);
    }
    Some(given)
}

/// What does not move has no velocity, and what does not sleep does not start asleep.
fn check_rest(def: &BodyDef, reader: &Reader<'_, '_>) {
    let sink = reader.sink;
    let (message, help) = match (def.kind, def.asleep) {
        (BodyKind::Static, _) => (
            "a static body has no velocity",
            "remove it, or write `kind: Kinematic`",
        ),
        (_, true) => (
            "a body that starts asleep has no velocity",
            "remove it, or remove `asleep: true`",
        ),
        _ => ("", ""),
    };
    let velocities = [
        ("linear_velocity", def.linear_velocity),
        ("angular_velocity", def.angular_velocity),
    ];
    for (field, velocity) in velocities {
        if !message.is_empty() && velocity != Vec3::ZERO {
            sink.error(reader.place_of(field), "conflict", message, help);
        }
    }
    if def.asleep && (def.kind != BodyKind::Dynamic || !def.can_sleep) {
        let message = "only a dynamic body that may fall asleep can start asleep";
        let help = "remove `asleep: true`, or what keeps it awake";
        sink.error(reader.place_of("asleep"), "conflict", message, help);
    }
}

/// A dynamic body needs mass and inertia from somewhere.
fn check_shapes(def: &BodyDef, material: Material, reader: &Reader<'_, '_>, role: Role) {
    if role == Role::Shapeless && !def.shapes.is_empty() {
        let message = "the pattern makes the shapes itself";
        let span = reader.place_of(if reader.has("shape") {
            "shape"
        } else {
            "shapes"
        });
        reader
            .sink
            .error(span, "conflict", message, "remove the shape");
        return;
    }
    let given_mass = reader.has("mass");
    if def.kind != BodyKind::Dynamic || given_mass && reader.has("inertia") {
        return;
    }
    let weighs = |shape: &ShapeDef| shape.material.density > 0.0;
    let is_shapeless = role == Role::Shapeless;
    let has_density = def.shapes.iter().any(weighs) || (is_shapeless && material.density > 0.0);
    let (message, help) = if def.shapes.is_empty() && !is_shapeless {
        let help = "give it a `shape`, or `mass` and `inertia`, or `kind: Static`";
        (
            "a dynamic body without a shape has no mass or inertia",
            help,
        )
    } else if !has_density {
        let help = "give a shape a density above 0 kg/m^3, or the body `mass` and `inertia`";
        (
            "a dynamic body whose shapes all have density 0 has no mass",
            help,
        )
    } else {
        return;
    };
    let span = Span {
        end: (reader.span.start + 1).min(reader.span.end),
        ..reader.span
    };
    reader.sink.error(span, "massless", message, help);
}
