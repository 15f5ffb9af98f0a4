//! The description of a scene in a recording: bodies, shapes and joints, written once.
//!
//! Bodies that appear later are appended; their numbers never change. Poses of bodies are
//! relative to the catalogue's origin and stored as in frames (see [`BodyState`]).

use std::collections::BTreeMap;
use std::sync::Arc;

use drystone::geometry::{Polytope, TrianglePolytope};
use drystone::glam::{DVec3, Quat, Vec3};
use drystone::{BodyKey, BodyKind, BodyView, JointKey, JointKind, Pose, Shape, World};
use serde_json::{Value, json};
use slotmap::SecondaryMap;

use super::state::BodyState;
use super::tolerance;

/// What the page knows of the scene, and by which numbers.
pub(super) struct Catalog {
    /// The point that stored positions start from, in the world.
    pub(super) origin: DVec3,
    /// Metres per unit of stored positions.
    pub(super) step: f64,
    numbers: SecondaryMap<BodyKey, u32>,
    /// Bodies by number.
    pub(super) bodies: Vec<BodyKey>,
    joints: SecondaryMap<JointKey, ()>,
    /// Hulls and surfaces by their address; the shape keeps the address taken.
    hulls: BTreeMap<usize, (u32, Shape)>,
    /// Meshes of shapes without polygons of their own, by how they are written.
    meshes: BTreeMap<String, u32>,
}

/// Which part of the description [`Catalog::describe`] gave.
pub(super) struct Description {
    /// As the page reads it.
    pub(super) json: Value,
    /// Whether it holds anything.
    pub(super) is_empty: bool,
}

impl Catalog {
    /// A catalogue without bodies, its origin and step chosen for `world`.
    pub(super) fn new(world: &World) -> Self {
        let (min, max, smallest) = measure(world);
        let origin = ((min + max) * 0.5).round();
        let size = (max - min).max_element().max(1.0);
        let wanted = (smallest * tolerance::POSITION_STEP_TO_EXTENT)
            .min(size * tolerance::COARSEST_STEP_TO_SCENE);
        let step = wanted.max(size * tolerance::POSITION_STEP_TO_SCENE);
        Self {
            origin,
            step,
            numbers: SecondaryMap::new(),
            bodies: Vec::new(),
            joints: SecondaryMap::new(),
            hulls: BTreeMap::new(),
            meshes: BTreeMap::new(),
        }
    }

    /// The number of a body, if it has been described.
    pub(super) fn number(&self, body: BodyKey) -> Option<u32> {
        self.numbers.get(body).copied()
    }

    /// Describes the bodies, hulls and joints of `world` that have not been described yet.
    pub(super) fn describe(&mut self, world: &World) -> Description {
        let mut hulls = Vec::new();
        let mut bodies = Vec::new();
        let mut joints = Vec::new();
        for (key, body) in world.bodies() {
            if !self.numbers.contains_key(key) {
                self.numbers.insert(key, self.bodies.len() as u32);
                self.bodies.push(key);
                bodies.push(self.body(&body, &mut hulls));
            }
        }
        for key in world.joint_keys() {
            if !self.joints.contains_key(key) {
                self.joints.insert(key, ());
                joints.extend(self.joint(world, key));
            }
        }
        let is_empty = bodies.is_empty() && joints.is_empty();
        Description {
            json: json!({ "hulls": hulls, "bodies": bodies, "joints": joints }),
            is_empty,
        }
    }

    fn body(&mut self, body: &BodyView<'_>, hulls: &mut Vec<Value>) -> Value {
        let kind = match body.kind() {
            BodyKind::Static => 0,
            BodyKind::Kinematic => 1,
            BodyKind::Dynamic => 2,
        };
        let shapes: Vec<_> = body
            .shapes()
            .iter()
            .map(|shape| {
                let mut value = self.shape(shape.shape(), hulls);
                let pose = shape.local_pose();
                if pose != Pose::IDENTITY {
                    value["p"] = vector(pose.translation);
                    value["q"] = quaternion(pose.rotation);
                }
                value
            })
            .collect();
        let stored = BodyState::of(body, self);
        let mut value = json!({
            "k": kind,
            "p": stored.position,
            "q": stored.rotation,
            "s": shapes,
        });
        // A large floor must not be tilted by rounding: what stands still is exact.
        if body.kind() == BodyKind::Static {
            value["x"] = vector((body.position() - self.origin).as_vec3());
            value["r"] = quaternion(body.rotation());
        }
        if !body.name().is_empty() {
            value["n"] = json!(body.name());
        }
        if body.mass() > 0.0 {
            value["m"] = number(body.mass());
        }
        value
    }

    fn shape(&mut self, shape: &Shape, hulls: &mut Vec<Value>) -> Value {
        match shape {
            Shape::Sphere { radius } => json!({ "k": "sphere", "r": number(*radius) }),
            Shape::Capsule {
                half_height,
                radius,
            } => {
                json!({ "k": "capsule", "h": number(*half_height), "r": number(*radius) })
            }
            Shape::Box { half_extents } => json!({ "k": "box", "d": vector(*half_extents) }),
            Shape::HalfSpace { normal } => json!({ "k": "plane", "n": vector(*normal) }),
            Shape::Hull(hull) => self.polygons(Arc::as_ptr(hull) as usize, shape, hulls, || {
                polygons(&hull.polytope())
            }),
            Shape::Mesh(mesh) => {
                let faces = || triangles(mesh.vertices(), mesh.triangles());
                self.polygons(Arc::as_ptr(mesh) as usize, shape, hulls, faces)
            }
            Shape::HeightField(field) => {
                let faces = || {
                    let count = field.heights().len() as u32;
                    let vertices: Vec<Vec3> = (0..count).map(|v| field.vertex(v)).collect();
                    let solid = (0..field.triangle_count() as u32).filter(|t| !field.is_hole(*t));
                    let corners: Vec<_> = solid.map(|t| field.corner_ids(t)).collect();
                    triangles(&vertices, &corners)
                };
                self.polygons(Arc::as_ptr(field) as usize, shape, hulls, faces)
            }
            other => {
                let next = self.mesh_count();
                let index = *self.meshes.entry(format!("{other:?}")).or_insert_with(|| {
                    hulls.push(mesh(other));
                    next
                });
                json!({ "k": "hull", "m": index })
            }
        }
    }

    fn mesh_count(&self) -> u32 {
        (self.hulls.len() + self.meshes.len()) as u32
    }

    /// A shape made of polygons, which are described where its address is new.
    fn polygons(
        &mut self,
        address: usize,
        shape: &Shape,
        hulls: &mut Vec<Value>,
        describe: impl FnOnce() -> Value,
    ) -> Value {
        let next = self.mesh_count();
        let (index, _) = self.hulls.entry(address).or_insert_with(|| {
            hulls.push(describe());
            (next, shape.clone())
        });
        json!({ "k": "hull", "m": *index })
    }

    fn joint(&self, world: &World, key: JointKey) -> Option<Value> {
        let def = world.joint(key).ok()?;
        let kind = match def.kind {
            JointKind::Ball { .. } => "ball",
            JointKind::Hinge { .. } => "hinge",
            JointKind::Weld { .. } => "weld",
            JointKind::Distance { .. } => "distance",
            JointKind::Slider { .. } => "slider",
            JointKind::Wheel(_) => "wheel",
            JointKind::SixDof(_) => "six axes",
            JointKind::Gear { .. } => "gear",
            JointKind::Rack { .. } => "rack",
            JointKind::NoContact => "no contact",
        };
        let axis = drystone::geometry::rotation::rotate(def.frame_a.rotation, Vec3::Z);
        Some(json!({
            "k": kind,
            "n": def.name,
            "a": self.number(def.body_a)?,
            "b": self.number(def.body_b)?,
            "p": vector(def.frame_a.translation),
            "o": vector(def.frame_b.translation),
            "z": vector(axis),
        }))
    }
}

/// The box around all bodies, planes apart, and the extent of the smallest that moves.
fn measure(world: &World) -> (DVec3, DVec3, f64) {
    let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let mut smallest = f64::INFINITY;
    for (_, body) in world.bodies() {
        let mut extent: f64 = 0.0;
        for shape in body.shapes() {
            let bounds = shape.aabb();
            let is_finite = bounds.min.is_finite() && bounds.max.is_finite();
            let (low, high) = if is_finite {
                (bounds.min, bounds.max)
            } else {
                (body.position(), body.position())
            };
            min = min.min(low);
            max = max.max(high);
            extent = extent.max((high - low).max_element());
        }
        if body.kind() != BodyKind::Static && extent > 0.0 {
            smallest = smallest.min(extent);
        }
    }
    if min.is_finite() && max.is_finite() {
        (min, max, smallest)
    } else {
        (DVec3::ZERO, DVec3::ZERO, smallest)
    }
}

/// Corners and faces of a hull, faces as lists of corners.
/// Corners on a circle of a round shape, a count.
const AROUND: usize = 32;

/// The polygons of a shape that is not a hull; none for a line.
fn mesh(shape: &Shape) -> Value {
    if let Shape::Triangle { points } = shape {
        return polygons(&TrianglePolytope::new(*points).polytope());
    }
    match shape.faceted(AROUND) {
        Some(hull) => polygons(&hull.polytope()),
        None => json!({ "v": [], "f": [] }),
    }
}

fn polygons(polytope: &Polytope<'_>) -> Value {
    let corners: Vec<_> = polytope
        .vertices
        .iter()
        .flat_map(|v| v.to_array())
        .map(number)
        .collect();
    let faces: Vec<Vec<u32>> = (0..polytope.faces.len() as u32)
        .map(|face| {
            polytope
                .face_edges(face)
                .map(|edge| polytope.origin(edge))
                .collect()
        })
        .collect();
    json!({ "v": corners, "f": faces })
}

/// Corners and triangles of a surface.
fn triangles(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Value {
    let corners = vertices.iter().flat_map(|v| v.to_array()).map(number);
    json!({ "v": corners.collect::<Vec<_>>(), "f": triangles })
}

/// A number in as few digits as give the same `f32` back.
fn number(value: f32) -> Value {
    let shortest: f64 = value.to_string().parse().unwrap_or_default();
    json!(shortest)
}

fn vector(v: Vec3) -> Value {
    Value::Array(v.to_array().map(number).to_vec())
}

fn quaternion(q: Quat) -> Value {
    Value::Array([q.x, q.y, q.z, q.w].map(number).to_vec())
}
