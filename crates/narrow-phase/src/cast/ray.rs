//! Rays against every shape: closed forms where there are some, otherwise a point that is cast.

use drystone_geometry::feature::FeatureKind;
use drystone_geometry::glam::{DMat3, DVec3, Vec3};
use drystone_geometry::hull::Face;
use drystone_geometry::mesh::Ray;
use drystone_geometry::shape::triangle;
use drystone_geometry::{Feature, Frame, Polytope, Shape};

use super::span::{Line, Span};
use super::{CastEnd, CastSettings, cast};
use crate::counters::Counters;
use crate::distance::distance;
use crate::tolerance::MAX_PLAIN_LENGTH;

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
/// met. `direction` must be finite and may have any length, in which a fraction may be infinite;
/// a zero one meets what holds the origin.
///
/// Ericson, *Real-Time Collision Detection* (2005), section 5.3.
pub fn ray(shape: &Shape, origin: DVec3, direction: DVec3, max: f64) -> Option<RayHit> {
    let power = plain_power(direction);
    if power == 0 {
        let line = Line {
            origin,
            direction,
            max,
        };
        return line.hit(shape);
    }
    let line = Line {
        origin,
        direction: direction.map(|part| libm::scalbn(part, power)),
        max: libm::scalbn(max, -power),
    };
    let hit = line.hit(shape)?;
    Some(RayHit {
        fraction: libm::scalbn(hit.fraction, power),
        ..hit
    })
}

/// The power of two by which a direction is multiplied, exactly, so that the square of its length
/// is an ordinary number; 0 for most.
fn plain_power(direction: DVec3) -> i32 {
    let size = direction.abs().max_element();
    let is_plain = size <= MAX_PLAIN_LENGTH && size * MAX_PLAIN_LENGTH >= 1.0;
    if is_plain || size == 0.0 || !size.is_finite() {
        0
    } else {
        -libm::ilogb(size)
    }
}

impl Line {
    /// The hit on a shape, with a normal that faces the ray.
    fn hit(&self, shape: &Shape) -> Option<RayHit> {
        let hit = self.meet(shape)?;
        Some(RayHit {
            normal: self.facing(hit.normal),
            ..hit
        })
    }

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
