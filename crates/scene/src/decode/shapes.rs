//! Materials and shapes.

use std::collections::BTreeMap;
use std::sync::Arc;

use drystone::geometry::glam::{DVec3, Vec3};
use drystone::geometry::hull::Hull;
use drystone::{CombineRule, Filter, Material, Shape};

use super::values::{self, Place};
use super::{Beside, Context, Name, Reader, open_variant, surfaces};
use crate::diagnostic::{Excerpt, Sink, Span};
use crate::schema::{MATERIAL, Range, SHAPE};
use crate::solid_file::{self, Mistakes};
use crate::syntax::{Kind, Number, Value};
use crate::tolerance::{CONVEX_SLACK, MAX_LENGTH, MAX_SHOWN_ERRORS};

pub(super) fn material(reader: &Reader<'_, '_>) -> Material {
    let material = Material {
        friction: reader.f32("friction"),
        restitution: reader.f32("restitution"),
        rolling_resistance: reader.f32("rolling_resistance"),
        density: reader.f32("density"),
        surface_velocity: reader.vec3("surface_velocity"),
        friction_rule: rule(reader, "friction_rule"),
        restitution_rule: rule(reader, "restitution_rule"),
    };
    reader.finish();
    material
}

fn rule(reader: &Reader<'_, '_>, field: &str) -> Option<CombineRule> {
    let rule = match reader.choice(field) {
        "Average" => CombineRule::Average,
        "GeometricMean" => CombineRule::GeometricMean,
        "Minimum" => CombineRule::Minimum,
        "Multiply" => CombineRule::Multiply,
        _ => CombineRule::Maximum,
    };
    reader.has(field).then_some(rule)
}

/// A filter, and what each copy of the body adds to its group.
pub(super) fn filter(reader: &Reader<'_, '_>) -> (Filter, i32) {
    let filter = Filter {
        category: reader.whole("category") as u32,
        mask: reader.whole("mask") as u32,
        group: reader.signed("group") as i32,
    };
    let per_copy = reader.signed("group_per_copy") as i32;
    reader.finish();
    (filter, per_copy)
}

impl Context<'_> {
    /// The material of a field: named, written out, or the fallback.
    pub(super) fn material_of(&self, reader: &Reader<'_, '_>, fallback: Material) -> Material {
        let Some(value) = reader.value("material") else {
            return fallback;
        };
        if !matches!(value.kind, Kind::Text(_) | Kind::Word(_)) {
            let inner = Reader::open(&MATERIAL, value, self.sink);
            return inner.map_or(fallback, |inner| material(&inner));
        }
        let Some(name) = reader.text("material") else {
            return fallback;
        };
        self.lookup("material", &self.materials, &name)
            .unwrap_or(fallback)
    }

    /// The material that stands in where none is named.
    pub(super) fn default_material(&self) -> Material {
        self.materials.get("default").copied().unwrap_or_default()
    }

    /// A shape, named or written out.
    pub(super) fn shape(&self, value: &Value<'_>) -> Option<Shape> {
        if let Kind::Text(text) = &value.kind {
            let name = Name {
                text: text.clone().into_owned(),
                span: value.span,
            };
            return self.lookup("shape", &self.shapes, &name)?;
        }
        shape(value, self.beside, self.sink)
    }
}

/// A shape that is written out.
pub(super) fn shape(value: &Value<'_>, beside: &Beside<'_>, sink: &Sink) -> Option<Shape> {
    let reader = open_variant(&SHAPE, value, sink)?;
    let before = sink.count();
    let shape = match reader.variant_name() {
        "Box" => Some(Shape::Box {
            half_extents: reader.vec3("half_extents"),
        }),
        "Sphere" => Some(Shape::Sphere {
            radius: reader.f32("radius"),
        }),
        "Capsule" => {
            let (half_height, radius) = (reader.f32("half_height"), reader.f32("radius"));
            Some(Shape::Capsule {
                half_height,
                radius,
            })
        }
        "Cylinder" => {
            let (half_height, radius) = (reader.f32("half_height"), reader.f32("radius"));
            Some(Shape::cylinder(half_height, radius))
        }
        "Cone" => {
            let (half_height, radius) = (reader.f32("half_height"), reader.f32("radius"));
            Some(Shape::cone(half_height, radius))
        }
        "Ellipsoid" => Some(Shape::ellipsoid(reader.vec3("semi_axes"))),
        "Triangle" => triangle(&reader),
        "Segment" => Some(Shape::segment(reader.vec3("a"), reader.vec3("b"))),
        "Rounded" => rounded(&reader, beside),
        "HalfSpace" => Some(Shape::HalfSpace {
            normal: reader.direction("normal"),
        }),
        "Mesh" => surfaces::mesh(&reader, beside),
        "HeightField" => surfaces::height_field(&reader),
        "Prism" => prism(&reader),
        "Extrusion" => extrusion(&reader),
        _ => hull(&reader, beside),
    };
    reader.finish();
    let shape = shape.filter(|_| sink.count() == before)?;
    if let Err(error) = shape.check() {
        sink.refusal(value.span, "bad-shape", &error);
        return None;
    }
    Some(shape)
}

fn triangle(reader: &Reader<'_, '_>) -> Option<Shape> {
    let points = listed_points(reader)?;
    if !reader.has("points") {
        return None;
    }
    match <[Vec3; 3]>::try_from(points) {
        Ok(points) => Some(Shape::triangle(points)),
        Err(points) => {
            let message = format!("a triangle has 3 points, found {}", points.len());
            let span = reader.place_of("points");
            let help = "give three, or a `Hull` of all points";
            reader.sink.error(span, "bad-shape", message, help);
            None
        }
    }
}

fn rounded(reader: &Reader<'_, '_>, beside: &Beside<'_>) -> Option<Shape> {
    let radius = reader.f32("radius");
    let core = shape(reader.value("core")?, beside, reader.sink)?;
    match Shape::rounded(core, radius) {
        Ok(shape) => Some(shape),
        Err(error) => {
            let span = reader.place_of("core");
            reader.sink.refusal(span, "bad-shape", &error);
            None
        }
    }
}

fn prism(reader: &Reader<'_, '_>) -> Option<Shape> {
    let sides = reader.whole("sides");
    let (radius, half_height) = (reader.number("radius"), reader.number("half_height"));
    let mut points = Vec::new();
    for side in 0..sides {
        let angle = std::f64::consts::TAU * side as f64 / sides as f64;
        let (sin, cos) = libm::sincos(angle);
        for y in [-half_height, half_height] {
            points.push(DVec3::new(radius * cos, y, radius * sin).as_vec3());
        }
    }
    match Hull::new(&points) {
        Ok(hull) => Some(Shape::Hull(Arc::new(hull))),
        Err(error) => {
            let help = "make it less flat, or with fewer sides";
            let message = error.to_string();
            reader.sink.error(reader.span, "bad-hull", message, help);
            None
        }
    }
}

fn hull(reader: &Reader<'_, '_>, beside: &Beside<'_>) -> Option<Shape> {
    let sink = reader.sink;
    let listed = listed_points(reader);
    let file = reader.text("file");
    let scale = reader.number("scale");
    reader.value("faces");
    if reader.has("points") == file.is_some() {
        let span = Span {
            end: (reader.span.start + 4).min(reader.span.end),
            ..reader.span
        };
        let message = "a hull needs `points` or a `file`, and not both";
        let help = "`points: [(x, y, z), ...]`, or `file: \"stone.obj\"`";
        sink.error(span, "conflict", message, help);
        return None;
    }
    for (field, other) in [("faces", "points"), ("scale", "file")] {
        if reader.has(field) && !reader.has(other) {
            let message = format!("`{field}` belongs to `{other}`");
            let span = reader.place_of(field);
            sink.error(span, "conflict", message, format!("remove `{field}`"));
            return None;
        }
    }
    let (points, span) = match &file {
        None => (listed?, reader.place_of("points")),
        Some(name) => (points_of_file(name, scale, beside, sink)?, name.span),
    };
    if let Some(faces) = faces(reader, points.len())
        && !is_convex(&points, &faces, sink)
    {
        return None;
    }
    hull_of(&points, span, sink)
}

/// The hull of points, or its error reported at `span`.
fn hull_of(points: &[Vec3], span: Span, sink: &Sink) -> Option<Shape> {
    match Hull::new(points) {
        Ok(hull) => Some(Shape::Hull(Arc::new(hull))),
        Err(error) => {
            sink.refusal(span, "bad-hull", &error);
            None
        }
    }
}

fn extrusion(reader: &Reader<'_, '_>) -> Option<Shape> {
    let place = Place {
        label: "points",
        help: "a point is `(x, y)`, in m",
        sink: reader.sink,
    };
    let range = Range::within(MAX_LENGTH);
    let read: Vec<Option<[Number; 2]>> = reader
        .items("points")
        .iter()
        .map(|item| values::numbers::<2>(&place, item, &range, "`(x, y)`"))
        .collect();
    let depth = reader.f32("half_depth");
    let outline: Vec<[Number; 2]> = read.into_iter().collect::<Option<_>>()?;
    if !reader.has("points") {
        return None;
    }
    let points: Vec<Vec3> = [-depth, depth]
        .into_iter()
        .flat_map(|z| {
            outline
                .iter()
                .map(move |[x, y]| Vec3::new(x.narrow, y.narrow, z))
        })
        .collect();
    hull_of(&points, reader.place_of("points"), reader.sink)
}

pub(super) fn listed_points(reader: &Reader<'_, '_>) -> Option<Vec<Vec3>> {
    let place = Place {
        label: "points",
        help: "a point is `(x, y, z)`, in m",
        sink: reader.sink,
    };
    let range = Range::within(MAX_LENGTH);
    let items = reader.items("points").iter();
    // All are read, so that each mistake is reported.
    let read: Vec<Option<Vec3>> = items
        .map(|item| values::narrow_vector(&place, item, &range))
        .collect();
    read.into_iter().collect()
}

fn points_of_file(name: &Name, scale: f64, beside: &Beside<'_>, sink: &Sink) -> Option<Vec<Vec3>> {
    let help = "an .obj or .stl file beside this file or in a folder below; all its points count";
    let what = FileUse {
        code: "hull-file",
        shape: "hull",
        help,
    };
    let (_, points) = of_file(name, beside, sink, what, |bytes| {
        solid_file::points(&name.text, bytes, scale)
    })?;
    Some(points)
}

/// What a file is read for.
#[derive(Clone, Copy)]
pub(super) struct FileUse {
    pub(super) code: &'static str,
    /// What is made of it.
    pub(super) shape: &'static str,
    /// Which files will do.
    pub(super) help: &'static str,
}

/// Reads the file that `name` says: its bytes, and what `read` makes of them. Mistakes in it are
/// reported where they stand in it.
pub(super) fn of_file<T>(
    name: &Name,
    beside: &Beside<'_>,
    sink: &Sink,
    what: FileUse,
    read: impl FnOnce(&[u8]) -> Result<T, Mistakes>,
) -> Option<(Vec<u8>, T)> {
    let message = |reason: &str| format!("no {} from `{}`: {reason}", what.shape, name.text);
    let bytes = match beside(name) {
        Ok(bytes) => bytes,
        Err(reason) => {
            sink.error(name.span, what.code, message(&reason), what.help);
            return None;
        }
    };
    let mistakes = match read(&bytes) {
        Ok(read) => return Some((bytes, read)),
        Err(mistakes) => mistakes,
    };
    // Each keeps its line, which may be a whole file: no more of them than are shown.
    let room = MAX_SHOWN_ERRORS.saturating_sub(sink.count());
    let unkept = mistakes.first.len().saturating_sub(room);
    for mistake in mistakes.first.into_iter().take(room) {
        let Some(place) = mistake.place else {
            let help = mistake.help;
            sink.error(name.span, what.code, message(&mistake.message), help);
            continue;
        };
        let place = (name.text.clone(), Excerpt::of(&bytes, place));
        sink.error_elsewhere(name.span, what.code, place, mistake.message, mistake.help);
    }
    sink.drop_more(unkept + mistakes.more);
    None
}

/// A listed face: its place and its point numbers.
type Face = (Span, Vec<usize>);

/// The listed faces; `None` when there are none or one of them is wrong.
fn faces(reader: &Reader<'_, '_>, points: usize) -> Option<Vec<Face>> {
    let help = "the number of a point, counted from 0";
    let place = Place {
        label: "faces",
        help,
        sink: reader.sink,
    };
    let last = points as i128 - 1;
    let mut faces = Vec::new();
    for item in reader.items("faces") {
        let numbers = values::items(&place, item)?.iter();
        let read = numbers.map(|number| values::whole(&place, number, 0, last));
        let face: Vec<usize> = read
            .collect::<Option<Vec<_>>>()?
            .iter()
            .map(|n| *n as usize)
            .collect();
        if face.len() < 3 {
            let message = format!("a face needs at least 3 points, found {}", face.len());
            let help = "remove the face, or list all its corners";
            reader.sink.error(item.span, "bad-hull", message, help);
            return None;
        }
        faces.push((item.span, face));
    }
    (!faces.is_empty()).then_some(faces)
}

/// Whether the listed faces bound a convex solid: each edge is used once each way, and no
/// point lies in front of a face.
fn is_convex(points: &[Vec3], faces: &[Face], sink: &Sink) -> bool {
    let mut edges: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (_, face) in faces {
        for (i, from) in face.iter().enumerate() {
            *edges
                .entry((*from, face[(i + 1) % face.len()]))
                .or_default() += 1;
        }
    }
    let is_open = |(edge, count): (&(usize, usize), &usize)| {
        *count != 1 || edges.get(&(edge.1, edge.0)) != Some(&1)
    };
    if let Some((edge, _)) = edges.iter().find(|entry| is_open((entry.0, entry.1))) {
        let message = format!(
            "the faces are not closed at the edge {} - {}",
            edge.0, edge.1
        );
        let help = "every edge belongs to two faces, once each way";
        sink.error(faces[0].0, "bad-hull", message, help);
        return false;
    }
    let middle = points.iter().map(|p| p.as_dvec3()).sum::<DVec3>() / points.len() as f64;
    let size = points
        .iter()
        .map(|p| p.as_dvec3().distance(middle))
        .fold(0.0, f64::max);
    for (span, face) in faces {
        let Some((point, beyond)) = in_front(points, face) else {
            continue;
        };
        if beyond > CONVEX_SLACK * size {
            let message = format!(
                "the hull is not convex: point {point} lies {beyond:.4} m in front of this face"
            );
            let help = "split it into convex hulls and give the body several `shapes`";
            sink.error(*span, "not-convex", message, help);
            return false;
        }
    }
    true
}

/// The point farthest in front of a face, and how far; `None` for a face without area.
fn in_front(points: &[Vec3], face: &[usize]) -> Option<(usize, f64)> {
    let at = |index: usize| points[index].as_dvec3();
    // Newell's normal: right for polygons that are only nearly flat.
    let mut normal = DVec3::ZERO;
    for (i, from) in face.iter().enumerate() {
        normal += at(*from).cross(at(face[(i + 1) % face.len()]));
    }
    let normal = normal.try_normalize()?;
    let offset = normal.dot(at(face[0]));
    let distances = points
        .iter()
        .map(|p| normal.dot(p.as_dvec3()) - offset)
        .enumerate();
    distances.max_by(|a, b| a.1.total_cmp(&b.1))
}
