//! Meshes and height fields: read, made by rules, or taken from files.

use std::sync::Arc;

use drystone::Shape;
use drystone::geometry::glam::{DVec2, Vec2, Vec3};
use drystone::geometry::mesh::{MeshError, MeshOptions};
use drystone::geometry::{HeightField, TriangleMesh};

use super::shapes::{FileUse, listed_points, of_file};
use super::values::{self, Place};
use super::{Beside, Name, Reader};
use crate::diagnostic::{Excerpt, Sink, Span};
use crate::solid_file;
use crate::tolerance::MAX_GRID_CELLS;

/// Corners and triangles.
type Triangles = (Vec<Vec3>, Vec<[u32; 3]>);

pub(super) fn mesh(reader: &Reader<'_, '_>, beside: &Beside<'_>) -> Option<Shape> {
    let listed = listed(reader);
    let made = made(reader);
    let file = reader.text("file");
    let scale = reader.number("scale");
    let options = MeshOptions {
        two_sided: reader.flag("two_sided"),
        skip_degenerate: reader.flag("skip_degenerate"),
    };
    let is_listed = reader.has("points") || reader.has("triangles");
    let ways = [is_listed, file.is_some(), reader.has("make")];
    if ways.into_iter().filter(|way| *way).count() != 1 {
        let message = "a mesh needs `points` with `triangles`, or a `file`, or `make`, and one \
                       of them alone";
        let help = "`make: Sheet(cells: (10, 10))`, or `file: \"ground.obj\"`";
        let span = head(reader.span);
        reader.sink.error(span, "conflict", message, help);
        return None;
    }
    if reader.has("scale") && file.is_none() {
        let message = "`scale` belongs to `file`";
        let span = reader.place_of("scale");
        reader
            .sink
            .error(span, "conflict", message, "remove `scale`");
        return None;
    }
    let Some(name) = &file else {
        let (vertices, triangles) = if is_listed { listed? } else { made? };
        return match TriangleMesh::new(&vertices, &triangles, options) {
            Ok(mesh) => Some(Shape::Mesh(Arc::new(mesh))),
            Err(error) => {
                let span = place_of(reader, &error);
                reader.sink.refusal(span, "bad-mesh", &error);
                None
            }
        };
    };
    mesh_of_file(name, scale, options, beside, reader.sink)
}

fn mesh_of_file(
    name: &Name,
    scale: f64,
    options: MeshOptions,
    beside: &Beside<'_>,
    sink: &Sink,
) -> Option<Shape> {
    let what = FileUse {
        code: "mesh-file",
        shape: "mesh",
        help: "an .obj or .stl file beside this file or in a folder below",
    };
    let (bytes, solid) = of_file(name, beside, sink, what, |bytes| {
        solid_file::mesh(&name.text, bytes, scale)
    })?;
    let error = match TriangleMesh::new(&solid.points, &solid.triangles, options) {
        Ok(mesh) => return Some(Shape::Mesh(Arc::new(mesh))),
        Err(error) => error,
    };
    let place = match error {
        MeshError::Degenerate { triangle } => solid.place_of(triangle),
        _ => None,
    };
    match place {
        Some(place) => {
            let place = (name.text.clone(), Excerpt::of(&bytes, place));
            let message = "this face, or a triangle it is cut into, has no area: corners coincide or lie on a line";
            let help = "remove it, or write `skip_degenerate: true` in the scene";
            sink.error_elsewhere(name.span, "bad-mesh", place, message, help);
        }
        None => sink.refusal(name.span, "bad-mesh", &error),
    }
    None
}

/// The name of a variant, without what is in its brackets.
fn head(span: Span) -> Span {
    Span {
        end: (span.start + 4).min(span.end),
        ..span
    }
}

/// Where the offending triangle or point stands, if it stands in the scene.
fn place_of(reader: &Reader<'_, '_>, error: &MeshError) -> Span {
    let (field, index) = match error {
        MeshError::Index { triangle, .. } | MeshError::Degenerate { triangle } => {
            ("triangles", *triangle)
        }
        MeshError::Coordinate { vertex, .. } => ("points", *vertex),
        _ => return head(reader.span),
    };
    let item = reader.items(field).get(index);
    item.map_or(head(reader.span), |item| item.span)
}

fn listed(reader: &Reader<'_, '_>) -> Option<Triangles> {
    let points = listed_points(reader);
    let place = Place {
        label: "triangles",
        help: "a triangle is three point numbers, counted from 0",
        sink: reader.sink,
    };
    let items = reader.items("triangles").iter();
    // All are read, so that each mistake is reported.
    let read: Vec<Option<[u32; 3]>> = items
        .map(|item| {
            let corners = values::counts(&place, item, 0, i128::from(u32::MAX))?;
            Some(corners.map(|corner| corner as u32))
        })
        .collect();
    Some((points?, read.into_iter().collect::<Option<_>>()?))
}

fn made(reader: &Reader<'_, '_>) -> Option<Triangles> {
    let rule = reader.variant("make")?;
    let made = match rule.variant_name() {
        "Torus" => Some(torus(&rule)),
        _ => sheet(&rule),
    };
    rule.finish();
    made
}

/// Heights by a rule.
struct Waves {
    amplitude: f64,
    per_metre: DVec2,
}

impl Waves {
    /// The rule in a record; `None` where there is none, or a wrong one.
    fn read(reader: &Reader<'_, '_>) -> Option<Self> {
        let waves = reader.record("waves")?;
        let amplitude = waves.number("amplitude");
        let per_metre = waves.pair("per_metre");
        waves.finish();
        Some(Self {
            amplitude,
            per_metre: DVec2::from_array(per_metre?),
        })
    }

    /// The height so far from the corner.
    fn height(&self, from_corner: DVec2) -> f32 {
        let turns = std::f64::consts::TAU * self.per_metre * from_corner;
        (self.amplitude * libm::sin(turns.x) * libm::sin(turns.y)) as f32
    }
}

fn sheet(reader: &Reader<'_, '_>) -> Option<Triangles> {
    let cells = reader.pair("cells");
    let cell = reader.number("cell");
    let waves = Waves::read(reader);
    let cells = cells?;
    if cells.iter().any(|count| count.fract() != 0.0) || cells[0] * cells[1] > MAX_GRID_CELLS as f64
    {
        let message =
            format!("`cells` must be two whole numbers whose product is at most {MAX_GRID_CELLS}");
        let help = "take fewer, larger cells, or several sheets";
        let span = reader.place_of("cells");
        reader.sink.error(span, "out-of-range", message, help);
        return None;
    }
    let [columns, rows] = cells.map(|count| count as u32);
    let mut vertices = Vec::with_capacity((columns as usize + 1) * (rows as usize + 1));
    for x in 0..=columns {
        for z in 0..=rows {
            let at = DVec2::new(f64::from(x), f64::from(z)) * cell;
            let middle = 0.5 * cell * DVec2::new(f64::from(columns), f64::from(rows));
            let height = waves.as_ref().map_or(0.0, |waves| waves.height(at));
            let flat = (at - middle).as_vec2();
            vertices.push(Vec3::new(flat.x, height, flat.y));
        }
    }
    let mut triangles = Vec::with_capacity(2 * (columns * rows) as usize);
    for x in 0..columns {
        for z in 0..rows {
            let near = x * (rows + 1) + z;
            let far = near + rows + 1;
            triangles.push([near, near + 1, far + 1]);
            triangles.push([far + 1, far, near]);
        }
    }
    Some((vertices, triangles))
}

fn torus(reader: &Reader<'_, '_>) -> Triangles {
    let (ring, tube) = (reader.number("ring_radius"), reader.number("tube_radius"));
    let (around, across) = (reader.whole("around") as u32, reader.whole("across") as u32);
    let turn =
        |i: u32, count: u32| libm::sincos(std::f64::consts::TAU * f64::from(i) / f64::from(count));
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for v in 0..across {
        let (sin_v, cos_v) = turn(v, across);
        for u in 0..around {
            let (sin_u, cos_u) = turn(u, around);
            let reach = ring + tube * cos_v;
            let (x, y) = (reach * cos_u, reach * sin_u);
            vertices.push(Vec3::new(x as f32, y as f32, (tube * sin_v) as f32));
            let at = |v: u32, u: u32| v % across * around + u % around;
            let corners = [at(v, u), at(v, u + 1), at(v + 1, u + 1), at(v + 1, u)];
            triangles.push([corners[0], corners[1], corners[2]]);
            triangles.push([corners[2], corners[3], corners[0]]);
        }
    }
    (vertices, triangles)
}

pub(super) fn height_field(reader: &Reader<'_, '_>) -> Option<Shape> {
    let (rows, columns) = (reader.whole("rows"), reader.whole("columns"));
    let cell = reader.pair("cell").map_or(DVec2::ONE, DVec2::from_array);
    let origin = reader.optional_vec3("origin");
    let heights = numbers(reader);
    let holes = holes(reader);
    let waves = Waves::read(reader);
    if reader.has("heights") == reader.has("waves") {
        let message = "a height field needs `heights` or `waves`, and not both";
        let help = "`heights: [0.0, ...]`, or `waves: (amplitude: 0.4, per_metre: (0.1, 0.1))`";
        let span = head(reader.span);
        reader.sink.error(span, "conflict", message, help);
        return None;
    }
    if rows.saturating_mul(columns) > MAX_GRID_CELLS {
        let message = format!("a height field may have {MAX_GRID_CELLS} heights");
        let help = "take fewer rows, or several height fields side by side";
        reader
            .sink
            .error(reader.place_of("rows"), "too-large", message, help);
        return None;
    }
    let heights = match waves {
        None => heights?,
        Some(waves) => (0..rows * columns)
            .map(|i| {
                let at = DVec2::new((i % columns) as f64, (i / columns) as f64);
                waves.height(at * cell)
            })
            .collect(),
    };
    let size = DVec2::new(columns as f64 - 1.0, rows as f64 - 1.0) * cell;
    let corner = (-0.5 * size).as_vec2();
    let origin = origin.unwrap_or(Vec3::new(corner.x, 0.0, corner.y));
    let cells = ((rows - 1) * (columns - 1)) as usize;
    let mut open = vec![false; if holes.as_ref()?.is_empty() { 0 } else { cells }];
    for (hole, span) in holes? {
        let Some(flag) = open.get_mut(hole) else {
            let message = format!("there is no cell {hole}: the last is {}", cells - 1);
            let help = "cells are numbered along the rows, from 0";
            reader.sink.error(span, "out-of-range", message, help);
            return None;
        };
        *flag = true;
    }
    let cell = Vec2::new(cell.x as f32, cell.y as f32);
    let field = HeightField::new((rows as usize, columns as usize), heights, cell, origin)
        .and_then(|field| field.with_holes(open));
    match field {
        Ok(field) => Some(Shape::HeightField(Arc::new(field))),
        Err(error) => {
            let span = reader.place_of("heights");
            reader.sink.refusal(span, "bad-height-field", &error);
            None
        }
    }
}

/// The listed heights.
fn numbers(reader: &Reader<'_, '_>) -> Option<Vec<f32>> {
    let place = Place {
        label: "heights",
        help: "a height is a number, in m",
        sink: reader.sink,
    };
    let range = crate::schema::Range::within(crate::tolerance::MAX_LENGTH);
    let items = reader.items("heights").iter();
    let read: Vec<Option<f32>> = items
        .map(|item| values::narrow(&place, item, &range))
        .collect();
    read.into_iter().collect()
}

/// The listed cells, each with its place.
fn holes(reader: &Reader<'_, '_>) -> Option<Vec<(usize, Span)>> {
    let place = Place {
        label: "holes",
        help: "the number of a cell, counted from 0",
        sink: reader.sink,
    };
    let items = reader.items("holes").iter();
    let read: Vec<Option<(usize, Span)>> = items
        .map(|item| {
            let cell = values::whole(&place, item, 0, i128::from(u32::MAX))?;
            Some((cell as usize, item.span))
        })
        .collect();
    read.into_iter().collect()
}
