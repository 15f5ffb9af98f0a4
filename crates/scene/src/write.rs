//! Writing a world back as a scene. Every number is written with the fewest digits that
//! read back as the same bits, so loading the text gives an equal world.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Debug, Write};
use std::sync::Arc;

use drystone::geometry::glam::{DVec3, Quat, Vec3};
use drystone::geometry::hull::Hull;
use drystone::{
    AxisLocks, BodyDef, BodyKey, BodyKind, Filter, JointDef, JointKind, JointThreshold, Material,
    Pose, Settings, Shape, ShapeDef, World,
};

use crate::write_joint::joint_kind;
use crate::write_surface;

/// The scene of a world as it is now: settings, bodies and joints, without contacts or
/// impulses, so a run that goes on from it starts cold.
///
/// Bodies that a joint holds get a name when they have none, and names that are not their
/// own get a number.
pub fn to_ron(world: &World) -> String {
    let mut writer = Writer::default();
    let bodies: Vec<(BodyKey, BodyDef)> = world
        .bodies()
        .map(|(key, body)| (key, body.to_def()))
        .collect();
    let joints: Vec<JointDef> = world
        .joint_keys()
        .filter_map(|key| world.joint(key).ok().cloned())
        .collect();
    for (_, def) in &bodies {
        writer.collect_hulls(def);
    }
    let names = writer.name_bodies(&bodies, &joints);
    let mut text = String::from("#![enable(implicit_some, unwrap_variant_newtypes)]\n(\n");
    text += "    format: 1,\n";
    let _ = writeln!(text, "    settings: {},", settings(world.settings()));
    writer.shape_table(&mut text);
    text += "    bodies: [\n";
    for (key, def) in &bodies {
        let name = names.get(key).map_or("", String::as_str);
        let _ = writeln!(text, "        {},", writer.body(name, def, &[]));
    }
    text += "    ],\n";
    if !joints.is_empty() {
        text += "    joints: [\n";
        let mut taken = BTreeSet::new();
        for def in &joints {
            let name = own_name(&def.name, &mut taken);
            let ends = [def.body_a, def.body_b];
            let ends = ends.map(|key| names.get(&key).map_or("", String::as_str));
            let frames = [&def.frame_a, &def.frame_b];
            let line = joint(
                &name,
                ends,
                frames,
                &def.kind,
                (def.collide_connected, def.threshold),
            );
            let _ = writeln!(text, "        {line},");
        }
        text += "    ],\n";
    }
    text + ")\n"
}

/// Hulls by their points, as bits so that they can be ordered.
#[derive(Default)]
pub(crate) struct Writer {
    hulls: BTreeMap<Vec<[u32; 3]>, String>,
}

fn bits(hull: &Hull) -> Vec<[u32; 3]> {
    hull.vertices()
        .iter()
        .map(|v| v.to_array().map(f32::to_bits))
        .collect()
}

fn point(bits: &[u32; 3]) -> Vec3 {
    Vec3::from_array(bits.map(f32::from_bits))
}

/// `name`, or `name (2)` and so on when it is taken; nothing for no name.
fn own_name(name: &str, taken: &mut BTreeSet<String>) -> String {
    if name.is_empty() {
        return String::new();
    }
    let mut own = name.to_owned();
    let mut number = 2;
    while own == "all" || taken.contains(&own) {
        own = format!("{name} ({number})");
        number += 1;
    }
    taken.insert(own.clone());
    own
}

impl Writer {
    /// The table of named hulls; nothing when there are none.
    pub(crate) fn shape_table(&self, text: &mut String) {
        if self.hulls.is_empty() {
            return;
        }
        *text += "    shapes: {\n";
        for (points, name) in &self.hulls {
            let points: Vec<String> = points.iter().map(|bits| vec3(point(bits))).collect();
            let points = points.join(", ");
            let _ = writeln!(text, "        {name:?}: Hull(points: [{points}]),");
        }
        *text += "    },\n";
    }

    pub(crate) fn collect_hulls(&mut self, def: &BodyDef) {
        for part in &def.shapes {
            if let Shape::Hull(hull) = &part.shape {
                let next = format!("hull {}", self.hulls.len());
                self.hulls.entry(bits(hull)).or_insert(next);
            }
        }
    }

    fn name_bodies(
        &self,
        bodies: &[(BodyKey, BodyDef)],
        joints: &[JointDef],
    ) -> BTreeMap<BodyKey, String> {
        let held: BTreeSet<BodyKey> = joints
            .iter()
            .flat_map(|joint| [joint.body_a, joint.body_b])
            .collect();
        let mut taken = BTreeSet::new();
        let name = |(key, def): &(BodyKey, BodyDef)| {
            let needs_one = def.name.is_empty() && held.contains(key);
            let name = if needs_one { "body" } else { &def.name };
            (*key, own_name(name, &mut taken))
        };
        bodies.iter().map(name).collect()
    }

    /// A body. `steps` is what each copy of it adds to the filter group of each shape.
    pub(crate) fn body(&self, name: &str, def: &BodyDef, steps: &[i64]) -> String {
        let usual = BodyDef::default();
        let mut fields = Fields::default();
        fields.add_unless("name", &name, &"", |name| format!("{name:?}"));
        fields.add_unless("kind", &def.kind, &BodyKind::Dynamic, |kind| {
            format!("{kind:?}")
        });
        self.shapes(&def.shapes, steps, &mut fields);
        fields.add_unless("position", &def.position, &DVec3::ZERO, |p| dvec3(*p));
        fields.add_unless("rotation", &def.rotation, &Quat::IDENTITY, |q| quat(*q));
        fields.add_unless("linear_velocity", &def.linear_velocity, &Vec3::ZERO, |v| {
            vec3(*v)
        });
        fields.add_unless(
            "angular_velocity",
            &def.angular_velocity,
            &Vec3::ZERO,
            |v| vec3(*v),
        );
        fields.plain("linear_damping", &def.linear_damping, &usual.linear_damping);
        fields.plain(
            "angular_damping",
            &def.angular_damping,
            &usual.angular_damping,
        );
        fields.plain("gravity_scale", &def.gravity_scale, &usual.gravity_scale);
        fields.plain(
            "sleep_threshold",
            &def.sleep_threshold,
            &usual.sleep_threshold,
        );
        fields.plain("can_sleep", &def.can_sleep, &true);
        fields.plain("asleep", &def.asleep, &false);
        fields.plain("bullet", &def.bullet, &false);
        let is_planar = def.locks == AxisLocks::PLANAR;
        fields.plain("planar", &is_planar, &false);
        let AxisLocks {
            translation,
            rotation,
        } = if is_planar {
            AxisLocks::default()
        } else {
            def.locks
        };
        let flags = |f: &[bool; 3]| format!("({}, {}, {})", f[0], f[1], f[2]);
        fields.add_unless("lock_translation", &translation, &[false; 3], flags);
        fields.add_unless("lock_rotation", &rotation, &[false; 3], flags);
        if let Some(given) = &def.mass {
            fields.add("mass", format!("{:?}", given.mass));
            if let Some(inertia) = given.inertia {
                fields.add("inertia", vec3(inertia));
            }
            if let Some(center) = given.center {
                fields.add("center_of_mass", vec3(center));
            }
        }
        fields.plain("user_data", &def.user_data, &0);
        fields.finish()
    }

    /// One plain shape is written as `shape`, anything else as `shapes`.
    fn shapes(&self, parts: &[ShapeDef], steps: &[i64], fields: &mut Fields) {
        let step = |index: usize| steps.get(index).copied().unwrap_or(0);
        match parts {
            [] => {}
            [part] if part.pose == Pose::IDENTITY => {
                fields.add("shape", self.shape(&part.shape));
                surface(part, step(0), fields);
            }
            _ => {
                let parts = parts.iter().enumerate();
                let parts: Vec<String> = parts.map(|(i, part)| self.part(part, step(i))).collect();
                fields.add("shapes", format!("[{}]", parts.join(", ")));
            }
        }
    }

    fn part(&self, part: &ShapeDef, step: i64) -> String {
        let mut fields = Fields::default();
        fields.add("shape", self.shape(&part.shape));
        fields.add_unless("position", &part.pose.translation, &Vec3::ZERO, |v| {
            vec3(*v)
        });
        fields.add_unless("rotation", &part.pose.rotation, &Quat::IDENTITY, |q| {
            quat(*q)
        });
        surface(part, step, &mut fields);
        fields.finish()
    }

    fn shape(&self, shape: &Shape) -> String {
        match shape {
            Shape::Sphere { radius } => format!("Sphere(radius: {radius:?})"),
            Shape::Capsule {
                half_height,
                radius,
            } => {
                format!("Capsule(half_height: {half_height:?}, radius: {radius:?})")
            }
            Shape::Box { half_extents } => format!("Box(half_extents: {})", vec3(*half_extents)),
            Shape::HalfSpace { normal } => format!("HalfSpace(normal: {})", vec3(*normal)),
            Shape::Hull(hull) => self.hull(hull),
            Shape::Cylinder {
                half_height,
                radius,
            } => format!("Cylinder(half_height: {half_height:?}, radius: {radius:?})"),
            Shape::Cone {
                half_height,
                radius,
            } => format!("Cone(half_height: {half_height:?}, radius: {radius:?})"),
            Shape::Ellipsoid { semi_axes } => {
                format!("Ellipsoid(semi_axes: {})", vec3(*semi_axes))
            }
            Shape::Triangle { points } => {
                let points = points.map(vec3).join(", ");
                format!("Triangle(points: [{points}])")
            }
            Shape::Segment { a, b } => format!("Segment(a: {}, b: {})", vec3(*a), vec3(*b)),
            Shape::Rounded { core, radius } => {
                // A core cannot be a name: a hull is written out.
                let core = match &**core {
                    Shape::Hull(hull) => {
                        let points: Vec<_> = hull.vertices().iter().map(|v| vec3(*v)).collect();
                        format!("Hull(points: [{}])", points.join(", "))
                    }
                    other => self.shape(other),
                };
                format!("Rounded(core: {core}, radius: {radius:?})")
            }
            Shape::Mesh(mesh) => write_surface::mesh(mesh),
            Shape::HeightField(field) => write_surface::height_field(field),
        }
    }

    fn hull(&self, hull: &Arc<Hull>) -> String {
        self.hulls
            .get(&bits(hull))
            .map(|name| format!("{name:?}"))
            .unwrap_or_default()
    }
}

/// Fields of a record, one after the other.
#[derive(Default)]
pub(crate) struct Fields(Vec<String>);

impl Fields {
    pub(crate) fn add(&mut self, name: &str, value: String) {
        self.0.push(format!("{name}: {value}"));
    }

    pub(crate) fn add_unless<T: PartialEq + ?Sized>(
        &mut self,
        name: &str,
        value: &T,
        usual: &T,
        text: impl FnOnce(&T) -> String,
    ) {
        if value != usual {
            self.add(name, text(value));
        }
    }

    pub(crate) fn plain<T: PartialEq + Debug>(&mut self, name: &str, value: &T, usual: &T) {
        self.add_unless(name, value, usual, |value| format!("{value:?}"));
    }

    pub(crate) fn finish(self) -> String {
        format!("({})", self.0.join(", "))
    }
}

fn surface(part: &ShapeDef, step: i64, fields: &mut Fields) {
    // Always in full: a scene may change what `default` means.
    let Material {
        friction,
        restitution,
        rolling_resistance,
        density,
        surface_velocity,
        friction_rule,
        restitution_rule,
    } = part.material;
    let usual = Material::default();
    let mut inner = Fields::default();
    inner.plain("friction", &friction, &usual.friction);
    inner.plain("restitution", &restitution, &usual.restitution);
    inner.plain(
        "rolling_resistance",
        &rolling_resistance,
        &usual.rolling_resistance,
    );
    inner.plain("density", &density, &usual.density);
    inner.add_unless("surface_velocity", &surface_velocity, &Vec3::ZERO, |v| {
        vec3(*v)
    });
    for (name, rule) in [
        ("friction_rule", friction_rule),
        ("restitution_rule", restitution_rule),
    ] {
        if let Some(rule) = rule {
            inner.add(name, format!("{rule:?}"));
        }
    }
    if part.material != usual {
        fields.add("material", inner.finish());
    }
    let Filter {
        category,
        mask,
        group,
    } = part.filter;
    let mut inner = Fields::default();
    inner.plain("category", &category, &1);
    inner.plain("mask", &mask, &u32::MAX);
    inner.plain("group", &group, &0);
    inner.plain("group_per_copy", &step, &0);
    if part.filter != Filter::default() || step != 0 {
        fields.add("filter", inner.finish());
    }
}

pub(crate) fn settings(settings: &Settings) -> String {
    let mut fields = Fields::default();
    fields.add("gravity", vec3(settings.gravity));
    fields.add("dt", format!("{:?}", settings.dt));
    fields.add("substeps", format!("{:?}", settings.substeps));
    fields.add("sleeping", format!("{:?}", settings.sleeping));
    fields.add("recycling", format!("{:?}", settings.recycling));
    fields.add(
        "restitution_threshold",
        format!("{:?}", settings.restitution_threshold),
    );
    fields.add("max_push_speed", format!("{:?}", settings.max_push_speed));
    fields.finish()
}

/// A joint between two named bodies.
pub(crate) fn joint(
    name: &str,
    ends: [&str; 2],
    frames: [&Pose; 2],
    kind: &JointKind,
    (collide_connected, threshold): (bool, Option<JointThreshold>),
) -> String {
    let mut fields = Fields::default();
    fields.add_unless("name", name, "", |name| format!("{name:?}"));
    fields.add("a", format!("{:?}", ends[0]));
    fields.add("b", format!("{:?}", ends[1]));
    fields.add("kind", joint_kind(kind));
    fields.add("anchor_a", vec3(frames[0].translation));
    fields.add("anchor_b", vec3(frames[1].translation));
    fields.add("rotation_a", quat(frames[0].rotation));
    fields.add("rotation_b", quat(frames[1].rotation));
    fields.plain("collide_connected", &collide_connected, &false);
    if let Some(threshold) = threshold {
        let mut inner = Fields::default();
        for (name, most) in [("force", threshold.force), ("torque", threshold.torque)] {
            if let Some(most) = most {
                inner.add(name, format!("{most:?}"));
            }
        }
        inner.plain("breaks", &threshold.breaks, &true);
        fields.add("threshold", inner.finish());
    }
    fields.finish()
}

pub(crate) fn vec3(v: Vec3) -> String {
    format!("({:?}, {:?}, {:?})", v.x, v.y, v.z)
}

pub(crate) fn dvec3(v: DVec3) -> String {
    format!("({:?}, {:?}, {:?})", v.x, v.y, v.z)
}

pub(crate) fn quat(q: Quat) -> String {
    format!("({:?}, {:?}, {:?}, {:?})", q.x, q.y, q.z, q.w)
}
