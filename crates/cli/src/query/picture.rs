//! What the page of `drystone explain` shows, as JSON: both shapes as polygons, and what
//! every step looks at.

use drystone::Shape;
use drystone::geometry::feature::FeatureKind;
use drystone::geometry::{BoxPolytope, Feature, Frame, Hull, Polytope};
use drystone::glam::{DVec3, Vec3};
use drystone::narrow_phase::{Event, MinkowskiVertex};
use drystone_scene::pair::PairQuery;
use serde_json::{Value, json};

use super::ask::Answered;
use super::{told, words};

/// Directions in which a round shape is sampled for its picture.
const ROUND_SAMPLES: usize = 400;

/// Largest number of corner pairs whose differences are drawn in full.
const MAX_DIFFERENCES: usize = 6000;

/// Half the side of the square by which a half-space is drawn, in metres.
const PLANE_HALF: f64 = 10.0;

/// Everything the page shows.
pub(super) fn data(query: &PairQuery, answers: &[Answered]) -> Value {
    let (a, b) = (&query.a.shape, &query.b.shape);
    let frames = answers
        .iter()
        .map(|answered| frame(query, answered, &answered.b_in_a()));
    json!({
        "about": told::about(query),
        "shapes": [mesh(a), mesh(b)],
        "names": [told::shape(a), told::shape(b)],
        "frames": frames.collect::<Vec<_>>(),
    })
}

fn frame(query: &PairQuery, answered: &Answered, b_in_a: &Frame) -> Value {
    let mut is_flipped = false;
    let mut steps = Vec::new();
    for event in &answered.events {
        if let Event::Begin {
            is_flipped: flipped,
        } = event
        {
            is_flipped = *flipped;
        }
        steps.push(step(query, event, is_flipped));
    }
    let answer = &answered.separation;
    let moved = |v: DVec3| v.to_array();
    json!({
        "turn": [b_in_a.rotation.x_axis, b_in_a.rotation.y_axis, b_in_a.rotation.z_axis],
        "at": moved(b_in_a.translation),
        "distance": answer.distance(),
        "lower": answer.lower,
        "upper": answer.upper,
        "witness": [moved(answer.point_a), moved(answer.point_b)],
        "normal": moved(answer.normal),
        "on": [
            feature_points(&query.a.shape, answer.feature_a),
            feature_points(&query.b.shape, answer.feature_b),
        ],
        "features": [told::feature(answer.feature_a), told::feature(answer.feature_b)],
        "rung": told::rung(answered.rung),
        "flipped": is_flipped,
        "difference": difference(query, b_in_a, is_flipped),
        "steps": steps,
    })
}

/// One step: its sentence, what it looks at on both shapes, and its part of the Minkowski
/// difference.
fn step(query: &PairQuery, event: &Event, is_flipped: bool) -> Value {
    let shapes = if is_flipped {
        [&query.b.shape, &query.a.shape]
    } else {
        [&query.a.shape, &query.b.shape]
    };
    let text = words::sentence(event, is_flipped);
    let (mut on_a, mut on_b) = (Vec::new(), Vec::new());
    let mut looked = |vertices: &[MinkowskiVertex]| {
        for vertex in vertices {
            on_a.push(feature_points(shapes[0], Feature::vertex(vertex.vertex_a)));
            on_b.push(feature_points(shapes[1], Feature::vertex(vertex.vertex_b)));
        }
    };
    let mut told = json!({ "text": text });
    let point = |vertex: &MinkowskiVertex| vertex.point.to_array();
    match event {
        Event::Walk(step) | Event::Slide(step) => {
            on_a.push(feature_points(shapes[0], step.feature_a));
            on_b.push(feature_points(shapes[1], step.feature_b));
        }
        Event::GjkStart(vertex) => {
            looked(&[*vertex]);
            told["simplex"] = json!([point(vertex)]);
        }
        Event::Gjk(step) => {
            looked(&step.simplex);
            told["simplex"] = json!(step.simplex.iter().map(point).collect::<Vec<_>>());
            told["support"] = json!(point(&step.support));
            told["nearest"] = json!(step.nearest.to_array());
        }
        Event::Epa(step) => {
            looked(&step.face);
            let faces = step.polytope.iter().map(|face| face.each_ref().map(point));
            told["faces"] = json!(faces.collect::<Vec<_>>());
            told["bright"] = json!(step.face.each_ref().map(point));
            told["support"] = json!(point(&step.support));
            told["nearest"] = json!((step.normal * step.distance).to_array());
        }
        _ => {}
    }
    let looked_at = if is_flipped {
        [on_b, on_a]
    } else {
        [on_a, on_b]
    };
    told["on"] = json!(looked_at);
    told
}

/// The polygons of a shape in its own frame: `v` its corners, `f` its faces.
fn mesh(shape: &Shape) -> Value {
    match shape {
        Shape::Hull(hull) => polygons(&hull.polytope()),
        Shape::Box { half_extents } => polygons(&BoxPolytope::new(*half_extents).polytope()),
        Shape::HalfSpace { normal } => {
            let normal = normal.as_dvec3();
            let side = normal.any_orthonormal_vector();
            let other = normal.cross(side);
            let corners = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]
                .map(|(u, v)| (PLANE_HALF * (u * side + v * other)).to_array());
            json!({ "v": corners, "f": [[0, 1, 2, 3]] })
        }
        round => match Hull::new(&samples(round)) {
            Ok(hull) => {
                let mut mesh = polygons(&hull.polytope());
                mesh["round"] = json!(true);
                mesh
            }
            // Flat or thin: its corners say enough.
            Err(_) => {
                let corners: Vec<_> = samples(round).iter().map(|p| p.to_array()).collect();
                json!({ "v": corners, "f": [] })
            }
        },
    }
}

/// Points of a shape's surface, farthest in directions all around.
fn samples(shape: &Shape) -> Vec<Vec3> {
    let radius = f64::from(shape.core_radius());
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    (0..ROUND_SAMPLES)
        .map(|index| {
            let y = 1.0 - 2.0 * (index as f64 + 0.5) / ROUND_SAMPLES as f64;
            let (sin, cos) = libm::sincos(golden * index as f64);
            let across = (1.0 - y * y).sqrt();
            let direction = DVec3::new(across * cos, y, across * sin);
            (shape.support(direction).0 + radius * direction).as_vec3()
        })
        .collect()
}

fn polygons(polytope: &Polytope<'_>) -> Value {
    let corners: Vec<[f32; 3]> = polytope.vertices.iter().map(|v| v.to_array()).collect();
    let faces: Vec<Vec<u32>> = (0..polytope.faces.len() as u32)
        .map(|face| {
            let edges = polytope.face_edges(face);
            edges.map(|edge| polytope.origin(edge)).collect()
        })
        .collect();
    json!({ "v": corners, "f": faces })
}

/// Where a feature is, in its shape's frame: a point, a segment or a polygon.
fn feature_points(shape: &Shape, feature: Feature) -> Vec<[f64; 3]> {
    let cuboid;
    let polytope = match shape {
        Shape::Hull(hull) => hull.polytope(),
        Shape::Box { half_extents } => {
            cuboid = BoxPolytope::new(*half_extents);
            cuboid.polytope()
        }
        Shape::Capsule { half_height, .. } => {
            let end = DVec3::new(0.0, f64::from(*half_height), 0.0);
            return match (feature.kind(), feature.index()) {
                (FeatureKind::Vertex, 0) => vec![(-end).to_array()],
                (FeatureKind::Vertex, _) => vec![end.to_array()],
                _ => vec![(-end).to_array(), end.to_array()],
            };
        }
        Shape::Sphere { .. } => return vec![[0.0; 3]],
        // Curved features have no corners to be drawn by.
        _ => return Vec::new(),
    };
    let index = feature.index();
    let vertices: Vec<u32> = match feature.kind() {
        FeatureKind::Vertex => vec![index],
        FeatureKind::Edge => vec![polytope.origin(2 * index), polytope.target(2 * index)],
        FeatureKind::Face => polytope
            .face_edges(index)
            .map(|edge| polytope.origin(edge))
            .collect(),
    };
    let place = |vertex: u32| polytope.position(vertex).to_array();
    vertices.into_iter().map(place).collect()
}

/// The corners of a shape's core.
fn core_corners(shape: &Shape) -> Vec<DVec3> {
    match shape {
        Shape::Hull(hull) => hull.vertices().iter().map(|v| v.as_dvec3()).collect(),
        Shape::Box { half_extents } => BoxPolytope::new(*half_extents)
            .polytope()
            .vertices
            .iter()
            .map(|v| v.as_dvec3())
            .collect(),
        Shape::Capsule { half_height, .. } => {
            let end = DVec3::new(0.0, f64::from(*half_height), 0.0);
            vec![-end, end]
        }
        Shape::Sphere { .. } => vec![DVec3::ZERO],
        Shape::HalfSpace { .. } => Vec::new(),
        round => samples(round).iter().map(|p| p.as_dvec3()).collect(),
    }
}

/// The whole Minkowski difference of the cores, in the algorithm's order, where it is small
/// enough to be drawn.
fn difference(query: &PairQuery, b_in_a: &Frame, is_flipped: bool) -> Value {
    let (mut first, mut second) = (&query.a.shape, &query.b.shape);
    let inverse;
    let mut pose = b_in_a;
    if is_flipped {
        inverse = b_in_a.inverse();
        (first, second, pose) = (second, first, &inverse);
    }
    let (first, second) = (core_corners(first), core_corners(second));
    if first.is_empty() || first.len() * second.len() > MAX_DIFFERENCES {
        return Value::Null;
    }
    let mut points = Vec::with_capacity(first.len() * second.len());
    for corner in &second {
        let corner = pose.transform_point(*corner);
        points.extend(first.iter().map(|other| (corner - *other).as_vec3()));
    }
    Hull::new(&points).map_or(Value::Null, |hull| polygons(&hull.polytope()))
}
