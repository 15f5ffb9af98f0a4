//! Contact manifolds: up to four points that carry a contact through a step.

use glam::Vec3;
use serde::{Deserialize, Serialize};

/// Most points a manifold keeps.
pub const MAX_POINTS: usize = 4;

/// One point of a manifold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ManifoldPoint {
    /// Point on A's surface, in the frame of shape A, in metres.
    pub anchor_a: Vec3,
    /// Point on B's surface, in the frame of shape B, in metres.
    pub anchor_b: Vec3,
    /// `normal . (anchor_b - anchor_a)` in a common frame, in metres; negative in overlap.
    pub separation: f32,
    /// The pair of features that made the point. The same pair gives the same id in the
    /// next frame, and when A and B are exchanged.
    pub feature: u32,
}

impl ManifoldPoint {
    /// A point at both origins; what unused slots hold.
    pub const EMPTY: Self = Self {
        anchor_a: Vec3::ZERO,
        anchor_b: Vec3::ZERO,
        separation: 0.0,
        feature: 0,
    };
}

/// Points that share one normal. Spheres have one point, parallel capsules and edges two.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifold {
    /// Unit, from A to B, in the frame of shape A. Zero when there are no points.
    pub normal: Vec3,
    count: u32,
    points: [ManifoldPoint; MAX_POINTS],
}

impl Manifold {
    /// No contact.
    pub const EMPTY: Self = Self {
        normal: Vec3::ZERO,
        count: 0,
        points: [ManifoldPoint::EMPTY; MAX_POINTS],
    };

    /// A manifold without points yet.
    pub fn with_normal(normal: Vec3) -> Self {
        Self {
            normal,
            ..Self::EMPTY
        }
    }

    /// The points in use.
    #[inline]
    pub fn points(&self) -> &[ManifoldPoint] {
        &self.points[..self.count as usize]
    }

    /// The points in use, for changing.
    #[inline]
    pub fn points_mut(&mut self) -> &mut [ManifoldPoint] {
        &mut self.points[..self.count as usize]
    }

    /// Removes all points and sets the normal of those to come.
    #[inline]
    pub fn restart(&mut self, normal: Vec3) {
        self.normal = normal;
        self.count = 0;
        self.points = [ManifoldPoint::EMPTY; MAX_POINTS];
    }

    /// Adds a point. Panics beyond [`MAX_POINTS`], which is a bug of the caller.
    #[inline]
    pub fn push(&mut self, point: ManifoldPoint) {
        self.points[self.count as usize] = point;
        self.count += 1;
    }

    /// Whether it has no more points than it keeps. For what was read from outside.
    pub fn is_sound(&self) -> bool {
        self.count as usize <= MAX_POINTS
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Smallest separation of the points, or infinity when there are none.
    pub fn min_separation(&self) -> f32 {
        self.points()
            .iter()
            .fold(f32::INFINITY, |least, p| least.min(p.separation))
    }
}

impl Default for Manifold {
    fn default() -> Self {
        Self::EMPTY
    }
}
