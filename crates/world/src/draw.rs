//! Debug drawing as plain data: lines, points and labels that any renderer can show.
//!
//! Nothing is drawn by the engine and nothing is kept: [`World::debug_draw`] looks at the
//! world and fills a [`DebugDraw`], whose buffers can be used again.

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{Shape, WorldAabb, WorldPose, rotation};

use crate::body::BodyView;
use crate::{BodyKind, World};

/// What a mark shows, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DrawKind {
    /// A shape of a static body.
    Static,
    /// A shape of a kinematic body.
    Kinematic,
    /// A shape of an awake dynamic body.
    Awake,
    /// A shape of a sleeping body.
    Asleep,
    /// A sensor.
    Sensor,
    /// The box of a shape.
    Box,
    /// A contact point, or its normal with a length after the impulse.
    Contact,
    /// From a joint's anchor on one body to that on the other, and to both centres.
    Joint,
    /// A centre of mass, or the velocity there.
    Motion,
    /// A name.
    Name,
}

/// A straight line in the world, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawLine {
    /// What it shows.
    pub kind: DrawKind,
    /// One end.
    pub from: DVec3,
    /// The other end.
    pub to: DVec3,
}

/// A point in the world, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawPoint {
    /// What it shows.
    pub kind: DrawKind,
    /// Where.
    pub at: DVec3,
}

/// A label in the world.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawText {
    /// What it shows.
    pub kind: DrawKind,
    /// Where, in metres.
    pub at: DVec3,
    /// What it says.
    pub text: String,
}

/// Which marks are wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawSettings {
    /// Outlines of shapes.
    pub shapes: bool,
    /// Boxes of shapes.
    pub boxes: bool,
    /// Contact points and normals.
    pub contacts: bool,
    /// Joints.
    pub joints: bool,
    /// Centres of mass and velocities.
    pub motion: bool,
    /// Names of bodies that have one.
    pub names: bool,
    /// Length of a contact normal at an impulse of 1 N s, and of a velocity of 1 m/s, in
    /// metres.
    pub scale: f32,
    /// Only what meets this box, in the world.
    pub region: WorldAabb,
}

impl Default for DrawSettings {
    fn default() -> Self {
        Self {
            shapes: true,
            boxes: false,
            contacts: true,
            joints: true,
            motion: false,
            names: false,
            scale: 0.1,
            region: WorldAabb::INFINITE,
        }
    }
}

/// Marks to draw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DebugDraw {
    /// Lines.
    pub lines: Vec<DrawLine>,
    /// Points.
    pub points: Vec<DrawPoint>,
    /// Labels.
    pub texts: Vec<DrawText>,
}

/// Lines to a circle.
const SEGMENTS: u32 = 24;

impl DebugDraw {
    /// Forgets all marks and keeps the buffers.
    pub fn clear(&mut self) {
        self.lines.clear();
        self.points.clear();
        self.texts.clear();
    }

    fn line(&mut self, kind: DrawKind, from: DVec3, to: DVec3) {
        self.lines.push(DrawLine { kind, from, to });
    }

    fn circle(&mut self, kind: DrawKind, pose: &WorldPose, center: Vec3, u: Vec3, v: Vec3) {
        let at = |i: u32| {
            let angle = std::f32::consts::TAU * (i % SEGMENTS) as f32 / SEGMENTS as f32;
            let turned = rotation::from_axis_angle(Vec3::Z, angle);
            let around = rotation::rotate(turned, Vec3::X);
            pose.transform_point(center + u * around.x + v * around.y)
        };
        for i in 0..SEGMENTS {
            self.line(kind, at(i), at(i + 1));
        }
    }

    fn shape(&mut self, kind: DrawKind, shape: &Shape, pose: &WorldPose) {
        match shape {
            Shape::Sphere { radius } => self.ball(kind, pose, Vec3::ZERO, *radius),
            Shape::Capsule {
                half_height,
                radius,
            } => {
                let top = Vec3::Y * *half_height;
                for end in [top, -top] {
                    self.ball(kind, pose, end, *radius);
                }
                for side in [Vec3::X, Vec3::Z, -Vec3::X, -Vec3::Z] {
                    let [from, to] =
                        [top, -top].map(|end| pose.transform_point(end + side * *radius));
                    self.line(kind, from, to);
                }
            }
            Shape::Box { half_extents } => {
                let sign = |i: usize, axis: usize| (i >> axis & 1) as f32 * 2.0 - 1.0;
                let corner = |i: usize| {
                    let signs = Vec3::new(sign(i, 0), sign(i, 1), sign(i, 2));
                    pose.transform_point(*half_extents * signs)
                };
                for i in 0..8 {
                    for axis in [1, 2, 4] {
                        if i & axis == 0 {
                            self.line(kind, corner(i), corner(i | axis));
                        }
                    }
                }
            }
            Shape::Hull(hull) => {
                let corner = |half_edge: usize| {
                    let origin = hull.half_edges()[half_edge].origin;
                    pose.transform_point(hull.vertices()[origin as usize])
                };
                for edge in 0..hull.edge_count() {
                    self.line(kind, corner(2 * edge), corner(2 * edge + 1));
                }
            }
            Shape::HalfSpace { normal } => {
                let u = rotation::any_orthogonal(*normal);
                let v = normal.cross(u);
                for reach in [1.0, 5.0, 25.0] {
                    self.circle(kind, pose, Vec3::ZERO, u * reach, v * reach);
                }
            }
            other => self.rest(kind, other, pose),
        }
    }

    /// A ring of `radius` metres about Y, and lines from it to a point on Y.
    fn cone(&mut self, kind: DrawKind, pose: &WorldPose, base: Vec3, radius: f32, apex: Vec3) {
        self.circle(kind, pose, base, Vec3::X * radius, Vec3::Z * radius);
        for side in [Vec3::X, Vec3::Z, -Vec3::X, -Vec3::Z] {
            let from = pose.transform_point(base + side * radius);
            self.line(kind, from, pose.transform_point(apex));
        }
    }

    /// The less common shapes; of a rounded one its core.
    fn rest(&mut self, kind: DrawKind, shape: &Shape, pose: &WorldPose) {
        match shape {
            Shape::Cylinder {
                half_height,
                radius,
            } => {
                let top = Vec3::Y * *half_height;
                for end in [top, -top] {
                    self.circle(kind, pose, end, Vec3::X * *radius, Vec3::Z * *radius);
                }
                for side in [Vec3::X, Vec3::Z, -Vec3::X, -Vec3::Z] {
                    let [from, to] =
                        [top, -top].map(|end| pose.transform_point(end + side * *radius));
                    self.line(kind, from, to);
                }
                return;
            }
            Shape::Cone {
                half_height,
                radius,
            } => {
                let apex = Vec3::Y * *half_height;
                return self.cone(kind, pose, -apex, *radius, apex);
            }
            Shape::Ellipsoid { semi_axes } => {
                let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| axis * *semi_axes);
                for i in 0..3 {
                    self.circle(kind, pose, Vec3::ZERO, axes[i], axes[(i + 1) % 3]);
                }
                return;
            }
            Shape::Segment { a, b } => {
                return self.line(kind, pose.transform_point(*a), pose.transform_point(*b));
            }
            Shape::Triangle { points } => {
                for i in 0..3 {
                    let [from, to] = [points[i], points[(i + 1) % 3]];
                    self.line(kind, pose.transform_point(from), pose.transform_point(to));
                }
                return;
            }
            Shape::Rounded { core, .. } => return self.shape(kind, core, pose),
            _ => {}
        }
        let Some(surface) = shape.surface() else {
            self.aabb(kind, &shape.world_aabb(pose));
            return;
        };
        let mut triangles = Vec::new();
        surface.triangles_in(&surface.bounds(), &mut triangles);
        for triangle in triangles {
            let [a, b, c] = surface.corners(triangle).map(|p| pose.transform_point(p));
            for (from, to) in [(a, b), (b, c), (c, a)] {
                self.line(kind, from, to);
            }
        }
    }

    fn ball(&mut self, kind: DrawKind, pose: &WorldPose, center: Vec3, radius: f32) {
        let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| axis * radius);
        for i in 0..3 {
            self.circle(kind, pose, center, axes[i], axes[(i + 1) % 3]);
        }
    }

    fn aabb(&mut self, kind: DrawKind, aabb: &WorldAabb) {
        if !aabb.min.is_finite() || !aabb.max.is_finite() {
            return;
        }
        let corner = |i: usize| {
            let pick = |axis: usize| {
                if i >> axis & 1 == 0 {
                    aabb.min[axis]
                } else {
                    aabb.max[axis]
                }
            };
            DVec3::new(pick(0), pick(1), pick(2))
        };
        for i in 0..8 {
            for axis in [1, 2, 4] {
                if i & axis == 0 {
                    self.line(kind, corner(i), corner(i | axis));
                }
            }
        }
    }
}

impl World {
    /// Adds marks for what is in the world now, in the order of bodies and contacts.
    pub fn debug_draw(&self, settings: &DrawSettings, draw: &mut DebugDraw) {
        for (_, body) in self.bodies().filter(|(_, body)| body.is_enabled()) {
            draw_body(body, settings, draw);
        }
        if settings.contacts {
            for contact in self.contacts().filter(|contact| contact.is_touching) {
                for point in contact.points {
                    let at = point.position;
                    if !holds(&settings.region, at) {
                        continue;
                    }
                    let kind = DrawKind::Contact;
                    draw.points.push(DrawPoint { kind, at });
                    let length = settings.scale * point.normal_impulse;
                    draw.line(kind, at, at + (contact.normal * length).as_dvec3());
                }
            }
        }
        if settings.joints {
            self.draw_joints(settings, draw);
        }
    }

    fn draw_joints(&self, settings: &DrawSettings, draw: &mut DebugDraw) {
        for key in self.joint_keys() {
            let Ok(def) = self.joint(key) else { continue };
            let (Ok(a), Ok(b)) = (self.body(def.body_a), self.body(def.body_b)) else {
                continue;
            };
            let from = a.pose().transform_point(def.frame_a.translation);
            let to = b.pose().transform_point(def.frame_b.translation);
            if holds(&settings.region, from) {
                let kind = DrawKind::Joint;
                draw.line(kind, a.center_of_mass(), from);
                draw.line(kind, from, to);
                draw.line(kind, to, b.center_of_mass());
            }
        }
    }
}

fn draw_body(body: BodyView<'_>, settings: &DrawSettings, draw: &mut DebugDraw) {
    let own = match body.kind() {
        BodyKind::Static => DrawKind::Static,
        BodyKind::Kinematic => DrawKind::Kinematic,
        BodyKind::Dynamic if body.is_awake() => DrawKind::Awake,
        BodyKind::Dynamic => DrawKind::Asleep,
    };
    for shape in body.shapes() {
        let aabb = shape.aabb();
        if !aabb.overlaps(&settings.region) {
            continue;
        }
        if settings.shapes {
            let kind = if shape.is_sensor() {
                DrawKind::Sensor
            } else {
                own
            };
            draw.shape(kind, shape.shape(), &shape.pose());
        }
        if settings.boxes {
            draw.aabb(DrawKind::Box, &aabb);
        }
    }
    let at = body.center_of_mass();
    if !holds(&settings.region, at) {
        return;
    }
    if settings.motion && body.kind() != BodyKind::Static {
        let kind = DrawKind::Motion;
        draw.points.push(DrawPoint { kind, at });
        let speed = body.linear_velocity() * settings.scale;
        draw.line(kind, at, at + speed.as_dvec3());
    }
    if settings.names && !body.name().is_empty() {
        draw.texts.push(DrawText {
            kind: DrawKind::Name,
            at,
            text: body.name().to_owned(),
        });
    }
}

fn holds(region: &WorldAabb, point: DVec3) -> bool {
    let point = WorldAabb {
        min: point,
        max: point,
    };
    region.contains(&point)
}
