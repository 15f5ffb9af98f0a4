//! Where a line runs inside a convex shape: closed forms.

use drystone_geometry::Feature;
use drystone_geometry::glam::DVec3;
use drystone_geometry::shape::curved::Curved;

use crate::tolerance::LEVEL_SINE;

/// The stretch of a line inside a convex set, and where it begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) enter: f64,
    pub(super) leave: f64,
    /// Outward where it begins.
    pub(super) normal: DVec3,
    pub(super) feature: Feature,
}

impl Span {
    /// The whole line.
    pub(super) const ALL: Self = Self {
        enter: f64::NEG_INFINITY,
        leave: f64::INFINITY,
        normal: DVec3::ZERO,
        feature: Feature::face(0),
    };

    /// The part on the inner side of a plane.
    pub(super) fn below(
        self,
        line: &Line,
        normal: DVec3,
        offset: f64,
        feature: Feature,
    ) -> Option<Self> {
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
    pub(super) fn and(self, other: Self) -> Option<Self> {
        let first = if other.enter > self.enter {
            other
        } else {
            self
        };
        let leave = self.leave.min(other.leave);
        (first.enter <= leave).then_some(Self { leave, ..first })
    }
}

/// A ray in the frame of a shape.
pub(super) struct Line {
    pub(super) origin: DVec3,
    pub(super) direction: DVec3,
    /// Lengths of the direction up to which it counts.
    pub(super) max: f64,
}

impl Line {
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

    pub(super) fn ball(&self, center: DVec3, radius: f64) -> Option<Span> {
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
    pub(super) fn pipe(&self, radius: f64, feature: Feature) -> Option<Span> {
        let flat = |v: DVec3| DVec3::new(v.x, 0.0, v.z);
        let line = Self {
            origin: flat(self.origin),
            direction: flat(self.direction),
            max: self.max,
        };
        let span = line.ball(DVec3::ZERO, radius)?;
        Some(Span { feature, ..span })
    }

    pub(super) fn slab(&self, half_height: f64, features: [Feature; 2]) -> Option<Span> {
        Span::ALL
            .below(self, DVec3::NEG_Y, half_height, features[0])?
            .below(self, DVec3::Y, half_height, features[1])
    }

    pub(super) fn cylinder(&self, half_height: f64, radius: f64) -> Option<Span> {
        let caps = self.slab(half_height, [Feature::face(0), Feature::face(1)])?;
        caps.and(self.pipe(radius, Feature::face(2))?)
    }

    pub(super) fn cuboid(&self, half: DVec3) -> Option<Span> {
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

    /// Below the apex the cone is where `k (h - y)` is at least the distance from the axis.
    pub(super) fn cone(&self, half_height: f64, radius: f64) -> Option<Span> {
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
        if d == DVec3::ZERO {
            return inside_at(0.0).then_some(slab);
        }
        let mut times = [slab.enter - middle, f64::NAN, f64::NAN, slab.leave - middle];
        if let Some((first, second)) = Self::roots(a, b, c) {
            (times[1], times[2]) = (first, second);
        } else if a == 0.0 && b != 0.0 {
            times[1] = -0.5 * c / b;
        }
        for time in [1, 2] {
            // One that lies outside the slab, or is no number, stands for its beginning.
            if !(times[time] >= times[0] && times[time] <= times[3]) {
                times[time] = times[0];
            }
        }
        if times[2] < times[1] {
            times.swap(1, 2);
        }
        // The cone and the slab are convex: the stretches between these times whose middles lie
        // inside are one, as a ray through the tip may lie inside before and after a root. A level
        // ray is in the slab for ever, but not in the cone.
        let mut inside = times.windows(2).filter(|pair| {
            let middle = 0.5 * (pair[0] + pair[1]);
            pair[0] < pair[1] && middle.is_finite() && inside_at(middle)
        });
        let first = inside.next()?;
        let (enter, leave) = (first[0], inside.next_back().unwrap_or(first)[1]);
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
}
