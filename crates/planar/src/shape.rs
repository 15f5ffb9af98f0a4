//! Shapes of the plane: a core (polygon, unordered points or ellipse) and a radius.
//!
//! The idea to hold while reading: every query runs on the cores, and the radii are added
//! afterwards, exactly. A circle is a point with a radius. An ellipse, too, gives up the
//! largest disk that rolls inside it, so that what is left is small when it is nearly
//! round, which is what makes overlaps of round things quick to certify.

use std::fmt;

use glam::DVec2;
use serde::{Deserialize, Serialize};

use crate::convexity::{ConvexityError, check_coordinates};
use crate::polygon::Polygon;
use crate::separation::Feature2;
use crate::tolerance::{CIRCLE_AXES, MAX_COORDINATE, MIN_LENGTH};

/// A convex shape of the plane in its own frame, in metres.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape2 {
    core: Core,
    /// Radius that belongs to the core itself: the disk taken out of an ellipse.
    inner_radius: f64,
    /// Radius the shape was rounded by.
    radius: f64,
}

/// What is left of a shape without its radius.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Core {
    /// A ring of one vertex (point), two (segment) or more.
    Ring(Polygon),
    /// Points in no order; the support scans them all.
    Cloud(Cloud),
    /// An ellipse less a disk.
    Ellipse(Ellipse),
}

/// Points in no order and the box around them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cloud {
    pub(crate) points: Vec<DVec2>,
    low: DVec2,
    high: DVec2,
}

/// An ellipse from which a disk of `inner_radius` has been taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ellipse {
    pub(crate) center: DVec2,
    /// Unit direction of the first half-axis.
    pub(crate) axis: DVec2,
    pub(crate) half_axes: DVec2,
    pub(crate) inner_radius: f64,
}

impl Ellipse {
    /// Farthest point along `direction`, which must not be zero.
    fn support(&self, direction: DVec2) -> DVec2 {
        let axis = self.axis;
        let local = DVec2::new(direction.dot(axis), axis.perp_dot(direction));
        let scaled = local * self.half_axes;
        let on_ellipse = self.half_axes * scaled / scaled.length();
        let point = on_ellipse - local * (self.inner_radius / local.length());
        self.center
            + DVec2::new(
                axis.x * point.x - axis.y * point.y,
                axis.y * point.x + axis.x * point.y,
            )
    }
}

/// Why numbers do not describe a shape.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ShapeError2 {
    /// The points are not a shape.
    Points(ConvexityError),
    /// A shape of points without any.
    NoPoints,
    /// A radius or half-axis that is negative, zero where it may not be, out of range, or not finite.
    BadLength {
        /// What the number is.
        what: &'static str,
        /// The number, in metres.
        value: f64,
    },
    /// An angle that is not finite.
    BadAngle {
        /// The number, in radians.
        value: f64,
    },
}

impl fmt::Display for ShapeError2 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Points(error) => error.fmt(f),
            Self::NoPoints => write!(f, "a shape of points has none: give at least one"),
            Self::BadLength { what, value } => write!(
                f,
                "{what} is {value:?} m: give a length from {MIN_LENGTH:e} to {MAX_COORDINATE:e} m (a rounding \
                 may be 0 m)"
            ),
            Self::BadAngle { value } => {
                write!(
                    f,
                    "the angle is {value} rad: give a finite number of radians"
                )
            }
        }
    }
}

impl std::error::Error for ShapeError2 {}

impl From<ConvexityError> for ShapeError2 {
    fn from(error: ConvexityError) -> Self {
        Self::Points(error)
    }
}

fn check_length(what: &'static str, value: f64, may_be_zero: bool) -> Result<(), ShapeError2> {
    let large_enough = value >= MIN_LENGTH || (may_be_zero && value == 0.0);
    if large_enough && value <= MAX_COORDINATE {
        Ok(())
    } else {
        Err(ShapeError2::BadLength { what, value })
    }
}

impl From<Polygon> for Shape2 {
    fn from(polygon: Polygon) -> Self {
        Self::from_core(Core::Ring(polygon))
    }
}

impl Shape2 {
    fn from_core(core: Core) -> Self {
        Self {
            core,
            inner_radius: 0.0,
            radius: 0.0,
        }
    }

    /// A single point. Fails if it is not finite or too far out.
    pub fn point(at: DVec2) -> Result<Self, ShapeError2> {
        Self::segment(at, at)
    }

    /// The segment between two points; equal ends make a point. Fails if an end is not
    /// finite or too far out.
    pub fn segment(from: DVec2, to: DVec2) -> Result<Self, ShapeError2> {
        check_coordinates(&[from, to])?;
        Ok(Self::from_core(Core::Ring(Polygon::from_segment(from, to))))
    }

    /// The convex hull of points in any order; see [`Polygon::new`].
    pub fn polygon(points: &[DVec2]) -> Result<Self, ShapeError2> {
        Ok(Polygon::new(points)?.into())
    }

    /// The convex hull of points, left unordered: nothing is sorted, every support scans
    /// them all. Right for a handful of points, or for one query.
    ///
    /// Fails on no points and on coordinates that are not finite or too large. One
    /// distinct point or a flat set is fine.
    pub fn points(points: Vec<DVec2>) -> Result<Self, ShapeError2> {
        check_coordinates(&points)?;
        let Some(&first) = points.first() else {
            return Err(ShapeError2::NoPoints);
        };
        let low = points.iter().fold(first, |low, &p| low.min(p));
        let high = points.iter().fold(first, |high, &p| high.max(p));
        Ok(Self::from_core(Core::Cloud(Cloud { points, low, high })))
    }

    /// A rectangle around the origin. Fails on half-extents that are not positive.
    pub fn rectangle(half_extents: DVec2) -> Result<Self, ShapeError2> {
        check_length("the half-extent along x", half_extents.x, false)?;
        check_length("the half-extent along y", half_extents.y, false)?;
        let (x, y) = (half_extents.x, half_extents.y);
        Self::polygon(&[
            DVec2::new(-x, -y),
            DVec2::new(x, -y),
            DVec2::new(x, y),
            DVec2::new(-x, y),
        ])
    }

    /// A disk. Fails on a radius that is not positive.
    pub fn circle(center: DVec2, radius: f64) -> Result<Self, ShapeError2> {
        check_length("the radius", radius, false)?;
        Self::point(center)?.rounded(radius)
    }

    /// A filled ellipse whose first half-axis points `angle` radians from +X.
    ///
    /// Fails on half-axes that are not positive. Equal half-axes make a circle.
    ///
    /// A disk of the smallest radius of curvature rolls inside the ellipse (Blaschke), so
    /// the ellipse is the Minkowski sum of that disk and a smaller convex core.
    pub fn ellipse(center: DVec2, half_axes: DVec2, angle: f64) -> Result<Self, ShapeError2> {
        check_coordinates(&[center])?;
        check_length("the first half-axis", half_axes.x, false)?;
        check_length("the second half-axis", half_axes.y, false)?;
        if !angle.is_finite() {
            return Err(ShapeError2::BadAngle { value: angle });
        }
        let (short, long) = (half_axes.min_element(), half_axes.max_element());
        if long - short <= CIRCLE_AXES * long {
            return Self::circle(center, long);
        }
        let (sin, cos) = libm::sincos(angle);
        let inner_radius = short * (short / long);
        Ok(Self {
            core: Core::Ellipse(Ellipse {
                center,
                axis: DVec2::new(cos, sin),
                half_axes,
                inner_radius,
            }),
            inner_radius,
            radius: 0.0,
        })
    }

    /// This shape grown by `radius` on all sides: its Minkowski sum with a disk.
    ///
    /// Fails on a radius that is negative or not finite.
    pub fn rounded(mut self, radius: f64) -> Result<Self, ShapeError2> {
        check_length("the rounding", radius, true)?;
        self.radius += radius;
        Ok(self)
    }

    /// The polygon this shape is made of, if it is one (or a point or segment).
    pub fn as_polygon(&self) -> Option<&Polygon> {
        match &self.core {
            Core::Ring(polygon) => Some(polygon),
            Core::Cloud(_) | Core::Ellipse(_) => None,
        }
    }

    /// A feature in the numbering of the points the shape was made from, where answers
    /// number the ring of [`Shape2::as_polygon`]. Vertices must be those of the shape.
    pub fn source_feature(&self, feature: Feature2) -> Feature2 {
        let Core::Ring(polygon) = &self.core else {
            return feature;
        };
        match feature {
            Feature2::Vertex(i) => Feature2::Vertex(polygon.source(i)),
            Feature2::Edge(i, j) => Feature2::Edge(polygon.source(i), polygon.source(j)),
            Feature2::Curve => Feature2::Curve,
        }
    }

    /// The radius the shape was rounded by, in metres.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Farthest point of the shape along `direction`, and the vertex of its core there.
    ///
    /// `direction` must not be zero; it need not be unit. O(log n) for a polygon, O(n)
    /// for unordered points.
    pub fn support(&self, direction: DVec2) -> (DVec2, u32) {
        debug_assert!(direction != DVec2::ZERO);
        let (point, vertex) = self.core.support(direction);
        let radius = self.core_radius();
        if radius == 0.0 {
            return (point, vertex);
        }
        (point + direction * (radius / direction.length()), vertex)
    }

    /// The corners of the smallest box with sides along the axes, in metres.
    pub fn bounds(&self) -> (DVec2, DVec2) {
        let grown = DVec2::splat(self.core_radius());
        let (low, high) = self.core.bounds();
        (low - grown, high + grown)
    }

    /// Whether `point`, in the shape's frame, is inside or on the outline.
    ///
    /// Exact for polygons, to rounding for round shapes. O(log n) for polygons.
    pub fn contains(&self, point: DVec2) -> bool {
        match &self.core {
            Core::Ring(polygon) if polygon.contains(point) => true,
            Core::Ellipse(ellipse) if self.radius == 0.0 => {
                let offset = point - ellipse.center;
                let (axis, half) = (ellipse.axis, ellipse.half_axes);
                let unit = DVec2::new(offset.dot(axis), axis.perp_dot(offset)) / half;
                unit.length_squared() <= 1.0
            }
            Core::Ring(_) if self.radius == 0.0 => false,
            _ => crate::query::covers(self, point),
        }
    }

    pub(crate) fn core(&self) -> &Core {
        &self.core
    }

    /// Everything the core lacks: the rounding and the disk taken out of an ellipse.
    pub(crate) fn core_radius(&self) -> f64 {
        self.radius + self.inner_radius
    }
}

impl Core {
    /// Farthest point of the core along `direction` (not zero) and its vertex.
    pub(crate) fn support(&self, direction: DVec2) -> (DVec2, u32) {
        match self {
            Self::Ring(polygon) => {
                let vertex = polygon.support(direction);
                (polygon.vertices()[vertex], vertex as u32)
            }
            Self::Cloud(cloud) => {
                let mut best = 0;
                let mut best_height = cloud.points[0].dot(direction);
                for (index, point) in cloud.points.iter().enumerate().skip(1) {
                    let height = point.dot(direction);
                    if height > best_height {
                        best = index;
                        best_height = height;
                    }
                }
                (cloud.points[best], best as u32)
            }
            Self::Ellipse(ellipse) => (ellipse.support(direction), 0),
        }
    }

    /// The same, from a vertex thought to be near the answer.
    pub(crate) fn support_near(&self, direction: DVec2, near: u32) -> (DVec2, u32) {
        match self {
            Self::Ring(polygon) => {
                let vertex = polygon.support_from(near as usize, direction);
                (polygon.vertices()[vertex], vertex as u32)
            }
            Self::Cloud(_) | Self::Ellipse(_) => self.support(direction),
        }
    }

    /// A box around the core; the tight one except for an ellipse, where the box of the
    /// ellipse is shrunk by the disk.
    pub(crate) fn bounds(&self) -> (DVec2, DVec2) {
        match self {
            Self::Ring(polygon) => polygon.bounds(),
            Self::Cloud(cloud) => (cloud.low, cloud.high),
            Self::Ellipse(ellipse) => {
                let (right, up) = (ellipse.support(DVec2::X), ellipse.support(DVec2::Y));
                let half = DVec2::new(right.x, up.y) - ellipse.center;
                (ellipse.center - half, ellipse.center + half)
            }
        }
    }

    pub(crate) fn is_curved(&self) -> bool {
        matches!(self, Self::Ellipse(_))
    }
}

/// A shape as a file describes it; becomes a [`Shape2`] by `TryFrom`, which checks it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum ShapeDef2 {
    /// A single point.
    Point {
        /// Position, in metres.
        at: DVec2,
    },
    /// A segment.
    Segment {
        /// One end, in metres.
        from: DVec2,
        /// The other end, in metres.
        to: DVec2,
    },
    /// The convex hull of points in any order.
    Polygon {
        /// The points, in metres.
        points: Vec<DVec2>,
    },
    /// The same, left unordered.
    Points {
        /// The points, in metres.
        points: Vec<DVec2>,
    },
    /// A rectangle around the origin.
    Rectangle {
        /// Half the width and height, in metres.
        half_extents: DVec2,
    },
    /// A disk.
    Circle {
        /// Its centre, in metres.
        #[serde(default)]
        center: DVec2,
        /// Its radius, in metres.
        radius: f64,
    },
    /// A filled ellipse.
    Ellipse {
        /// Its centre, in metres.
        #[serde(default)]
        center: DVec2,
        /// Half the length of both axes, in metres.
        half_axes: DVec2,
        /// Angle of the first axis from +X, in radians.
        #[serde(default)]
        angle: f64,
    },
    /// Another shape grown on all sides.
    Rounded {
        /// The shape.
        shape: Box<ShapeDef2>,
        /// By how much, in metres.
        radius: f64,
    },
}

impl TryFrom<ShapeDef2> for Shape2 {
    type Error = ShapeError2;

    fn try_from(def: ShapeDef2) -> Result<Self, ShapeError2> {
        match def {
            ShapeDef2::Point { at } => Self::point(at),
            ShapeDef2::Segment { from, to } => Self::segment(from, to),
            ShapeDef2::Polygon { points } => Self::polygon(&points),
            ShapeDef2::Points { points } => Self::points(points),
            ShapeDef2::Rectangle { half_extents } => Self::rectangle(half_extents),
            ShapeDef2::Circle { center, radius } => Self::circle(center, radius),
            ShapeDef2::Ellipse {
                center,
                half_axes,
                angle,
            } => Self::ellipse(center, half_axes, angle),
            ShapeDef2::Rounded { shape, radius } => Self::try_from(*shape)?.rounded(radius),
        }
    }
}
