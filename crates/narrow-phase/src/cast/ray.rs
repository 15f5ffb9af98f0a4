//! Rays against every shape: closed forms where there are some, otherwise a point that is cast.

use drystone_geometry::feature::FeatureKind;
use drystone_geometry::glam::{DMat3, DVec3, Vec3};
use drystone_geometry::hull::Face;
use drystone_geometry::mesh::Ray;
use drystone_geometry::shape::curved::Curved;
use drystone_geometry::shape::triangle;
use drystone_geometry::{Feature, Frame, Polytope, Shape};

use super::{CastEnd, CastSettings, cast};
use crate::counters::Counters;
use crate::distance::distance;
use crate::tolerance::LEVEL_SINE;

/// Where a ray enters a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// Along the ray, in lengths of its direction: the point is `origin + fraction * direction`.
    pub fraction: f64,
    /// The point, in the shape's frame, in metres.
    pub point: DVec3,
    /// Unit, outward, and never along the ray. When the ray starts inside, against it.
    pub normal: DVec3,
    /// The feature of the shape's core that is met; of a surface, the triangle as a face.
    pub feature: Feature,
    /// Whether the ray starts inside; the hit is then at its origin.
    pub is_inside: bool,
}

/// Where the ray from `origin` along `direction` first meets the shape, up to `max` lengths of
/// `direction`; all in the shape's frame. Nothing when it misses.
///
/// A ray that starts inside or on the surface, moving in, is answered at its origin. Triangles
/// are met from both sides, surfaces as they were made. A segment has no extent and is never
/// met. `direction` must be finite; a zero one meets what holds the origin.
///
/// Ericson, *Real-Time Collision Detection* (2005), section 5.3.
pub fn ray(shape: &Shape, origin: DVec3, direction: DVec3, max: f64) -> Option<RayHit> {
    let line = Line {
        origin,
        direction,
        max,
    };
    let hit = line.meet(shape)?;
    Some(RayHit {
        normal: line.facing(hit.normal),
        ..hit
    })
}

/// The stretch of a line inside a convex set, and where it begins.
#[derive(Clone, Copy, Debug)]
struct Span {
    enter: f64,
    leave: f64,
    /// Outward where it begins.
    normal: DVec3,
    feature: Feature,
}

impl Span {
    /// The whole line.
    const ALL: Self = Self {
        enter: f64::NEG_INFINITY,
        leave: f64::INFINITY,
        normal: DVec3::ZERO,
        feature: Feature::face(0),
    };

    /// The part on the inner side of a plane.
    fn below(self, line: &Line, normal: DVec3, offset: f64, feature: Feature) -> Option<Self> {
        let rate = normal.dot(line.direction);
        let height = normal.dot(line.origin) - offset;
        let mut span = self;
        if rate == 0.0 {
            return (height <= 0.0).then_some(span);
        }
        let time = -height / rate;
        if rate > 0.0 {
            span.leave = span.leave.min(time);
        } else if time > span.enter {
            (span.enter, span.normal, span.feature) = (time, normal, feature);
        }
        (span.enter <= span.leave).then_some(span)
    }

    /// The part shared with another span.
    fn and(self, other: Self) -> Option<Self> {
        let first = if other.enter > self.enter {
            other
        } else {
            self
        };
        let leave = self.leave.min(other.leave);
        (first.enter <= leave).then_some(Self { leave, ..first })
    }
}

struct Line {
    origin: DVec3,
    direction: DVec3,
    max: f64,
}

impl Line {
    /// The hit on a shape, whose normal may lean away from the ray by rounding.
    fn meet(&self, shape: &Shape) -> Option<RayHit> {
        match shape {
            Shape::Sphere { radius } => self.enter(self.ball(DVec3::ZERO, f64::from(*radius))?),
            Shape::Capsule {
                half_height,
                radius,
            } => self.capsule(f64::from(*half_height), f64::from(*radius)),
            Shape::Box { half_extents } => self.enter(self.cuboid(half_extents.as_dvec3())?),
            Shape::Cylinder {
                half_height,
                radius,
            } => self.enter(self.cylinder(f64::from(*half_height), f64::from(*radius))?),
            Shape::Cone {
                half_height,
                radius,
            } => self.enter(self.cone(f64::from(*half_height), f64::from(*radius))?),
            Shape::Ellipsoid { semi_axes } => self.ellipsoid(semi_axes.as_dvec3()),
            Shape::HalfSpace { normal } => {
                let normal = normal.as_dvec3().normalize();
                self.enter(Span::ALL.below(self, normal, 0.0, Feature::face(0))?)
            }
            Shape::Triangle { points } => self.triangle(*points),
            Shape::Segment { .. } => None,
            Shape::Hull(hull) => {
                let hit = self.by_cast(shape)?;
                if hit.is_inside {
                    return Some(hit);
                }
                let normal = self.entry_normal(&hull.polytope(), hit.feature);
                Some(RayHit {
                    normal: normal.unwrap_or(hit.normal),
                    ..hit
                })
            }
            Shape::Rounded { .. } => self.by_cast(shape),
            Shape::Mesh(_) | Shape::HeightField(_) => {
                let surface = shape.surface()?;
                let hit = surface.ray(self.origin, self.direction, self.max)?;
                let is_front = hit.normal.dot(self.direction) <= 0.0;
                Some(RayHit {
                    fraction: hit.distance,
                    point: hit.point,
                    normal: if is_front { hit.normal } else { -hit.normal },
                    feature: Feature::face(hit.triangle),
                    is_inside: false,
                })
            }
        }
    }

    /// A unit normal, turned as far as it takes not to point along the ray.
    fn facing(&self, normal: DVec3) -> DVec3 {
        let away = normal.dot(self.direction);
        if away <= 0.0 {
            return normal;
        }
        let along = self.direction.normalize_or_zero();
        // Some roundings more, so that none brings it back.
        let excess = normal.dot(along) + 8.0 * f64::EPSILON;
        (normal - excess * along).normalize_or(-along)
    }

    /// The normal of a face that meets a feature and that the ray comes in through; a cast that
    /// ends on a corner or an edge leaves open from which side.
    ///
    /// A ray that grazes may end on a neighbour of the feature that faces it. Then, of all faces,
    /// the one whose plane it crosses last.
    fn entry_normal(&self, polytope: &Polytope<'_>, feature: Feature) -> Option<DVec3> {
        let at = |face: u32| &polytope.faces[face as usize];
        let index = feature.index();
        let near = match feature.kind() {
            FeatureKind::Vertex => {
                let ring = polytope.ring_of(index);
                self.last_entered(ring.iter().map(|sector| at(sector.face)))
            }
            FeatureKind::Edge => {
                let sides = [2 * index, 2 * index + 1];
                let faces = sides.map(|side| polytope.half_edges[side as usize].face);
                self.last_entered(faces.into_iter().map(at))
            }
            FeatureKind::Face => self.last_entered([at(index)].into_iter()),
        };
        near.or_else(|| self.last_entered(polytope.faces.iter()))
    }

    /// The normal of the one of the faces whose plane the ray crosses inwards last.
    fn last_entered<'f>(&self, faces: impl Iterator<Item = &'f Face>) -> Option<DVec3> {
        let mut last = None;
        let mut latest = f64::NEG_INFINITY;
        for face in faces {
            let rate = face.normal.dot(self.direction);
            let time = (face.offset - face.normal.dot(self.origin)) / rate;
            if rate < 0.0 && time > latest {
                (last, latest) = (Some(face.normal), time);
            }
        }
        last
    }

    /// The hit that a span means.
    fn enter(&self, span: Span) -> Option<RayHit> {
        if span.leave < 0.0 || span.enter > self.max {
            return None;
        }
        if span.enter < 0.0 {
            return Some(self.inside(span.feature));
        }
        Some(RayHit {
            fraction: span.enter,
            point: self.origin + span.enter * self.direction,
            normal: span.normal,
            feature: span.feature,
            is_inside: false,
        })
    }

    fn inside(&self, feature: Feature) -> RayHit {
        RayHit {
            fraction: 0.0,
            point: self.origin,
            normal: (-self.direction).normalize_or(DVec3::Y),
            feature,
            is_inside: true,
        }
    }

    /// Times at which `a t^2 + 2 b t + c` is zero, without loss of digits.
    fn roots(a: f64, b: f64, c: f64) -> Option<(f64, f64)> {
        let discriminant = b * b - a * c;
        if discriminant < 0.0 || a == 0.0 {
            return None;
        }
        let sum = -(b + discriminant.sqrt().copysign(b));
        let (first, second) = if sum == 0.0 {
            (0.0, 0.0)
        } else {
            (sum / a, c / sum)
        };
        Some((first.min(second), first.max(second)))
    }

    /// The time of the point nearest to a center: far origins are moved there first, so that
    /// squares of large distances do not hide small radii.
    fn middle(&self, center: DVec3) -> f64 {
        let length_sq = self.direction.length_squared();
        if length_sq > 0.0 {
            (center - self.origin).dot(self.direction) / length_sq
        } else {
            0.0
        }
    }

    fn ball(&self, center: DVec3, radius: f64) -> Option<Span> {
        let middle = self.middle(center);
        let offset = self.origin + middle * self.direction - center;
        let c = offset.length_squared() - radius * radius;
        let length_sq = self.direction.length_squared();
        if length_sq == 0.0 {
            return (c <= 0.0).then_some(Span::ALL);
        }
        if c > 0.0 {
            return None;
        }
        let half = (-c / length_sq).sqrt();
        let enter = middle - half;
        let point = self.origin + enter * self.direction;
        Some(Span {
            enter,
            leave: middle + half,
            normal: (point - center).normalize_or(DVec3::Y),
            feature: Feature::vertex(0),
        })
    }

    /// The part inside an endless cylinder around Y.
    fn pipe(&self, radius: f64, feature: Feature) -> Option<Span> {
        let flat = |v: DVec3| DVec3::new(v.x, 0.0, v.z);
        let line = Self {
            origin: flat(self.origin),
            direction: flat(self.direction),
            max: self.max,
        };
        let span = line.ball(DVec3::ZERO, radius)?;
        Some(Span { feature, ..span })
    }

    fn slab(&self, half_height: f64, features: [Feature; 2]) -> Option<Span> {
        Span::ALL
            .below(self, DVec3::NEG_Y, half_height, features[0])?
            .below(self, DVec3::Y, half_height, features[1])
    }

    fn cylinder(&self, half_height: f64, radius: f64) -> Option<Span> {
        let caps = self.slab(half_height, [Feature::face(0), Feature::face(1)])?;
        caps.and(self.pipe(radius, Feature::face(2))?)
    }

    fn capsule(&self, half_height: f64, radius: f64) -> Option<RayHit> {
        let side = self
            .slab(half_height, [Feature::edge(0); 2])
            .and_then(|caps| caps.and(self.pipe(radius, Feature::edge(0))?));
        let ball = |y: f64| self.ball(DVec3::new(0.0, y, 0.0), radius);
        // The parts overlap: together they are one stretch.
        let parts = [side, ball(-half_height), ball(half_height)];
        let whole = parts.into_iter().flatten().reduce(|all, part| Span {
            enter: all.enter.min(part.enter),
            leave: all.leave.max(part.leave),
            ..all
        })?;
        // Which part begins first is rounding at the seams; the nearest point of the axis is not.
        let point = self.origin + whole.enter.max(0.0) * self.direction;
        let on_axis = DVec3::new(0.0, point.y.clamp(-half_height, half_height), 0.0);
        self.enter(Span {
            normal: (point - on_axis).normalize_or(DVec3::Y),
            feature: if point.y.abs() < half_height {
                Feature::edge(0)
            } else {
                Feature::vertex(u32::from(point.y > 0.0))
            },
            ..whole
        })
    }

    fn cuboid(&self, half: DVec3) -> Option<Span> {
        let mut span = Span::ALL;
        for axis in 0..3 {
            let mut normal = DVec3::ZERO;
            normal[axis] = 1.0;
            let low = Feature::face(2 * axis as u32);
            let high = Feature::face(2 * axis as u32 + 1);
            span = span
                .below(self, -normal, half[axis], low)?
                .below(self, normal, half[axis], high)?;
        }
        Some(span)
    }

    fn ellipsoid(&self, semi_axes: DVec3) -> Option<RayHit> {
        let unit = Self {
            origin: self.origin / semi_axes,
            direction: self.direction / semi_axes,
            max: self.max,
        };
        let span = unit.ball(DVec3::ZERO, 1.0)?;
        self.enter(Span {
            normal: (span.normal / semi_axes).normalize_or(DVec3::Y),
            feature: Feature::face(0),
            ..span
        })
    }

    /// Below the apex the cone is where `k (h - y)` is at least the distance from the axis.
    fn cone(&self, half_height: f64, radius: f64) -> Option<Span> {
        let slope = radius / (2.0 * half_height);
        let middle = self.middle(DVec3::ZERO);
        let near = self.origin + middle * self.direction;
        let (p, d) = (near, self.direction);
        let fall = half_height - p.y;
        let a = d.x * d.x + d.z * d.z - slope * slope * d.y * d.y;
        let b = p.x * d.x + p.z * d.z + slope * slope * fall * d.y;
        let c = p.x * p.x + p.z * p.z - slope * slope * fall * fall;
        let slab = self.slab(half_height, [Feature::face(0), Feature::vertex(0)])?;
        let inside_at = |time: f64| {
            let point = near + time * d;
            let across = (point.x * point.x + point.z * point.z).sqrt();
            across <= slope * (half_height - point.y)
        };
        let mut times = [slab.enter - middle, f64::NAN, f64::NAN, slab.leave - middle];
        if let Some((first, second)) = Self::roots(a, b, c) {
            (times[1], times[2]) = (first, second);
        } else if b != 0.0 {
            times[1] = -0.5 * c / b;
        }
        // The cone and the slab are convex: of the times at which something changes, the
        // middle of one stretch lies inside, or none does.
        for time in [1, 2] {
            // One that lies outside the slab, or is no number, stands for its beginning.
            if !(times[time] >= times[0] && times[time] <= times[3]) {
                times[time] = times[0];
            }
        }
        if times[2] < times[1] {
            times.swap(1, 2);
        }
        let stops = times;
        let probe = |pair: &[f64]| match (pair[0].is_finite(), pair[1].is_finite()) {
            (true, true) => 0.5 * (pair[0] + pair[1]),
            (true, false) => pair[0] + 1.0,
            (false, true) => pair[1] - 1.0,
            (false, false) => 0.0,
        };
        let stretch = stops
            .windows(2)
            .find(|pair| pair[0] < pair[1] && inside_at(probe(pair)))?;
        let (enter, leave) = (stretch[0], stretch[1]);
        if enter == times[0] {
            return Some(Span {
                leave: leave + middle,
                ..slab
            });
        }
        let point = near + enter * d;
        let across = DVec3::new(point.x, 0.0, point.z).normalize_or(DVec3::X);
        let normal = (across + DVec3::new(0.0, slope, 0.0)).normalize();
        let solid = Curved::Cone {
            half_height,
            radius,
        };
        Some(Span {
            enter: enter + middle,
            leave: leave + middle,
            normal,
            feature: solid.feature(normal, LEVEL_SINE),
        })
    }

    fn triangle(&self, points: [Vec3; 3]) -> Option<RayHit> {
        let corners = points.map(|point| point.as_dvec3());
        let fraction = Ray::new(self.origin, self.direction).meets(corners, self.max)?;
        let normal = triangle::normal(points);
        let is_front = normal.dot(self.direction) <= 0.0;
        Some(RayHit {
            fraction,
            point: self.origin + fraction * self.direction,
            normal: if is_front { normal } else { -normal },
            feature: Feature::face(u32::from(!is_front)),
            is_inside: false,
        })
    }

    /// A point that is cast: for polytopes it ends on the plane of the face that it meets.
    fn by_cast(&self, shape: &Shape) -> Option<RayHit> {
        let point = Shape::sphere(0.0);
        let start = Frame {
            rotation: DMat3::IDENTITY,
            translation: self.origin,
        };
        // A far origin is moved to where the shape's ball begins.
        let reach = f64::from(shape.extent_from(Vec3::ZERO));
        let around = self.ball(DVec3::ZERO, 2.0 * reach)?;
        let from = around.enter.max(0.0);
        let until = around.leave.min(self.max);
        if from > until {
            return None;
        }
        let length = if from.is_finite() && until.is_finite() {
            until - from
        } else {
            0.0
        };
        let moved = Frame {
            translation: start.translation + from.max(0.0) * self.direction,
            ..start
        };
        let mut counters = Counters::default();
        let settings = CastSettings::default();
        let velocity = length * self.direction;
        let toi = cast(shape, &point, &moved, velocity, &settings, &mut counters);
        let fraction = from.max(0.0) + toi.time * length;
        match toi.end {
            CastEnd::Missed => None,
            CastEnd::StartsInContact if from <= 0.0 => {
                // On the surface and going out, the ray does not come in again.
                let here = distance(shape, &point, &start);
                let leaves = here.lower >= 0.0 && toi.approach < 0.0;
                (!leaves).then(|| self.inside(toi.separation.feature_a))
            }
            CastEnd::Hit | CastEnd::StartsInContact | CastEnd::OutOfSteps => Some(RayHit {
                fraction,
                point: self.origin + fraction * self.direction,
                normal: toi.separation.normal,
                feature: toi.separation.feature_a,
                is_inside: false,
            }),
        }
    }
}
