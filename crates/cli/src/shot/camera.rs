//! The camera of a picture: where the eye is, and where a point of the world appears.

use drystone::glam::{DVec2, DVec3};
use drystone::{BodyKind, World};

use super::View;

/// Half the vertical angle of view, in radians.
const HALF_ANGLE: f64 = 0.3;
/// Depth at which things are cut off, as a share of the distance to the middle.
const NEAR: f64 = 0.02;
/// How much of the picture is filled, from the middle to the border.
const FIT_FULLNESS: f64 = 0.8;
/// Least fullness reckoned with, so that a tiny box is not divided by.
const FIT_LEAST: f64 = 0.001;
/// Corrections of the distance; each leaves a small part of the error.
const FIT_ROUNDS: u32 = 6;

/// A perspective camera that looks at what moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Camera {
    pub(super) eye: DVec3,
    /// The point in the middle of the picture.
    pub(super) target: DVec3,
    /// Radius of a ball around `target` that holds what is of interest, in metres.
    pub(super) size: f64,
    right: DVec3,
    up: DVec3,
    forward: DVec3,
    /// Pixels per unit of slope.
    focal: f64,
    near: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Camera {
    /// Looks at the moving bodies of `world`, or at all of them when none moves.
    pub(super) fn new(world: &World, view: &View) -> Self {
        let (min, max) = subject(world);
        let target = 0.5 * (min + max);
        let size = 0.5 * (max - min).length();
        let (yaw_sin, yaw_cos) = libm::sincos(view.yaw);
        let (pitch_sin, pitch_cos) = libm::sincos(view.pitch);
        let back = DVec3::new(yaw_sin * pitch_cos, pitch_sin, yaw_cos * pitch_cos);
        let right = DVec3::new(yaw_cos, 0.0, -yaw_sin);
        let height = f64::from(view.height);
        let mut camera = Self {
            eye: target,
            target,
            size,
            right,
            up: back.cross(right),
            forward: -back,
            focal: 0.5 * height / libm::tan(HALF_ANGLE),
            near: 0.0,
            width: f64::from(view.width),
            height,
        };
        // From far away, everything is in sight; a few corrections then fill the picture.
        let mut distance = 20.0 * size;
        for _ in 0..FIT_ROUNDS {
            camera.stand_back(distance);
            distance *= camera.fullness(min, max).max(FIT_LEAST) / FIT_FULLNESS;
            distance = distance.max(1.05 * size);
        }
        camera.stand_back(distance / view.zoom);
        camera
    }

    /// Moves the eye to `distance` from the target.
    fn stand_back(&mut self, distance: f64) {
        self.eye = self.target - self.forward * distance;
        self.near = NEAR * distance;
    }

    /// How much of the picture a box takes from its middle to its border, 1 for all of it.
    fn fullness(&self, min: DVec3, max: DVec3) -> f64 {
        let half = DVec2::new(0.5 * self.width, 0.5 * self.height);
        let corner = |i: u32| {
            let pick = |bit: u32, low: f64, high: f64| if i & bit == 0 { low } else { high };
            DVec3::new(
                pick(1, min.x, max.x),
                pick(2, min.y, max.y),
                pick(4, min.z, max.z),
            )
        };
        (0..8)
            .map(|i| {
                ((self.project(corner(i)) - half) / half)
                    .abs()
                    .max_element()
            })
            .fold(0.0, f64::max)
    }

    /// Distance in front of the eye, along the view.
    pub(super) fn depth(&self, point: DVec3) -> f64 {
        (point - self.eye).dot(self.forward)
    }

    /// Pixels per metre at a depth.
    pub(super) fn scale(&self, depth: f64) -> f64 {
        self.focal / depth
    }

    /// Whether a point is far enough in front of the eye to be projected.
    pub(super) fn sees(&self, point: DVec3) -> bool {
        self.depth(point) >= self.near
    }

    /// Whether the middle of `points` lies on the eye's side of what is of interest.
    pub(super) fn is_before(&self, points: &[DVec3]) -> bool {
        let middle = points.iter().sum::<DVec3>() / points.len() as f64;
        (middle - self.target).dot(self.forward) < -0.05 * self.size
    }

    /// Where a point appears, in pixels from the upper left corner.
    pub(super) fn project(&self, point: DVec3) -> DVec2 {
        let offset = point - self.eye;
        let scale = self.scale(offset.dot(self.forward));
        DVec2::new(
            0.5 * self.width + offset.dot(self.right) * scale,
            0.5 * self.height - offset.dot(self.up) * scale,
        )
    }

    /// A convex polygon as it appears, cut off in front of the eye. Empty when all of it is
    /// behind.
    pub(super) fn project_polygon(&self, points: &[DVec3]) -> Vec<DVec2> {
        let depths: Vec<_> = points
            .iter()
            .map(|point| self.depth(*point) - self.near)
            .collect();
        let mut out = Vec::with_capacity(points.len() + 1);
        for (i, point) in points.iter().enumerate() {
            let j = (i + 1) % points.len();
            if depths[i] >= 0.0 {
                out.push(self.project(*point));
            }
            if (depths[i] >= 0.0) != (depths[j] >= 0.0) {
                let share = depths[i] / (depths[i] - depths[j]);
                out.push(self.project(*point + (points[j] - *point) * share));
            }
        }
        out
    }
}

/// The box around what moves, or around everything when nothing does.
fn subject(world: &World) -> (DVec3, DVec3) {
    let moves = world
        .bodies()
        .any(|(_, body)| body.kind() == BodyKind::Dynamic);
    let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for (_, body) in world.bodies() {
        if moves && body.kind() == BodyKind::Static {
            continue;
        }
        for shape in body.shapes() {
            let bounds = shape.aabb();
            if bounds.min.is_finite() && bounds.max.is_finite() {
                min = min.min(bounds.min);
                max = max.max(bounds.max);
            }
        }
    }
    if min.is_finite() && max.is_finite() {
        (min, max)
    } else {
        (DVec3::splat(-3.0), DVec3::splat(3.0))
    }
}
