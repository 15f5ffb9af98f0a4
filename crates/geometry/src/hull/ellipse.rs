//! The ellipse inside a face of many corners: what a rim is as a smooth curve.

use glam::{DVec2, DVec3};

/// An ellipse inside a face, and in its plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipse {
    center: DVec3,
    /// Square to each other.
    half_axes: [DVec3; 2],
    /// Length of the longer half axis, in metres.
    longest: f64,
}

impl Ellipse {
    /// Shaped like the second moments of the convex polygon with these corners, counter-clockwise
    /// about the unit `normal`, and as large as fits around its centre of area.
    pub(super) fn within(corners: impl Iterator<Item = DVec3> + Clone, normal: DVec3) -> Self {
        let (along, across) = normal.any_orthonormal_pair();
        let across = across * 1f64.copysign(along.cross(across).dot(normal));
        let start = corners.clone().next().unwrap_or_default();
        let flat = corners.map(|corner| {
            let offset = corner - start;
            DVec2::new(offset.dot(along), offset.dot(across))
        });
        let (mut area, mut first) = (0.0, DVec2::ZERO);
        let (mut squares, mut mixed) = (DVec2::ZERO, 0.0);
        for (a, b) in flat.clone().zip(flat.clone().skip(1)) {
            let twice = a.perp_dot(b);
            let sum = a + b;
            area += twice / 2.0;
            first += twice / 6.0 * sum;
            squares += twice / 24.0 * (a * a + b * b + sum * sum);
            mixed += twice / 24.0 * (a.x * a.y + b.x * b.y + sum.x * sum.y);
        }
        let center = first / area;
        let squares = squares / area - center * center;
        let mixed = mixed / area - center.x * center.y;
        let angle = 0.5 * libm::atan2(2.0 * mixed, squares.x - squares.y);
        let (sin, cos) = libm::sincos(angle);
        let axis = DVec2::new(cos, sin);
        let (mean, half) = (0.5 * (squares.x + squares.y), 0.5 * (squares.x - squares.y));
        let spread = (half * half + mixed * mixed).sqrt();
        let lengths = DVec2::new(mean + spread, mean - spread).max(DVec2::ZERO);
        // Where the polygon is least far from the centre against the ellipse of its moments.
        let mut share = f64::INFINITY;
        for (a, b) in flat.clone().zip(flat.clone().skip(1).chain(flat.take(1))) {
            let outward = -(b - a).perp();
            let (u, v) = (outward.dot(axis), outward.dot(axis.perp()));
            let reach_sq = lengths.dot(DVec2::new(u * u, v * v));
            let distance = (a - center).dot(outward).max(0.0);
            if reach_sq > 0.0 {
                share = share.min(distance / reach_sq.sqrt());
            }
        }
        let lengths = share * DVec2::new(lengths.x.sqrt(), lengths.y.sqrt());
        let place = |p: DVec2| p.x * along + p.y * across;
        Self {
            center: start + place(center),
            half_axes: [lengths.x * place(axis), lengths.y * place(axis.perp())],
            longest: lengths.x,
        }
    }

    /// The point of the border towards `point`, which is in the plane, seen from the centre in
    /// units of the half axes; and how the border goes on there with the angle in these units. Not
    /// numbers for an ellipse without extent and for its centre.
    pub fn towards(&self, point: DVec3) -> (DVec3, DVec3) {
        let [a, b] = self.half_axes;
        let offset = point - self.center;
        let (x, y) = (
            offset.dot(a) / a.length_squared(),
            offset.dot(b) / b.length_squared(),
        );
        let scale = 1.0 / (x * x + y * y).sqrt();
        let (cos, sin) = (scale * x, scale * y);
        (self.center + cos * a + sin * b, cos * b - sin * a)
    }

    /// Radius of a disc around `point`, which is in the plane, that lies inside, in metres; zero where
    /// the point does not.
    pub fn radius_around(&self, point: DVec3) -> f64 {
        let [a, b] = self.half_axes;
        let offset = point - self.center;
        let (x, y) = (
            offset.dot(a) / a.length_squared(),
            offset.dot(b) / b.length_squared(),
        );
        // What is left of the ellipse when it shrinks towards one of its points fits around that.
        let left = 1.0 - (x * x + y * y).sqrt();
        left.max(0.0) * b.length()
    }

    /// Length of the longer half axis, in metres.
    pub fn longest(&self) -> f64 {
        self.longest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points of an ellipse with half axes 2 and 0.5, on its axes and off them. The disc around the
    /// centre is known by hand; none reaches beyond the border, and it shrinks towards there.
    #[test]
    fn a_disc_around_a_point_lies_inside() {
        let ellipse = Ellipse {
            center: DVec3::new(1.0, 0.0, -1.0),
            half_axes: [DVec3::new(2.0, 0.0, 0.0), DVec3::new(0.0, 0.0, 0.5)],
            longest: 2.0,
        };
        assert_eq!(ellipse.radius_around(ellipse.center), 0.5);
        for turn in 0..40 {
            let (sin, cos) = libm::sincos(0.17 * f64::from(turn));
            let border = DVec3::new(2.0 * cos, 0.0, 0.5 * sin);
            let mut last = 0.5;
            for share in [0.2, 0.5, 0.9, 1.0, 1.3] {
                let offset = share * border;
                let radius = ellipse.radius_around(ellipse.center + offset);
                assert!(radius < last || (radius == 0.0 && share >= 1.0), "{turn}");
                for step in 0..40 {
                    let (sin, cos) = libm::sincos(0.16 * f64::from(step));
                    let rim = offset + radius * DVec3::new(cos, 0.0, sin);
                    let square = rim.x * rim.x / 4.0 + rim.z * rim.z * 4.0;
                    assert!(share > 1.0 || square < 1.0 + 1e-12, "{turn}, {share}");
                }
                last = radius;
            }
        }
    }

    /// Corners on an ellipse in a tilted plane, spread unevenly: the one found is inside the
    /// polygon, touches a side, and is the ellipse itself up to the square of the corners'
    /// distance.
    #[test]
    fn an_ellipse_is_found_by_the_corners_on_it() {
        let normal = DVec3::new(0.3, -0.8, 0.52).normalize();
        let along = normal.any_orthonormal_vector();
        let across = normal.cross(along);
        let center = DVec3::new(1.0, -2.0, 0.5);
        for (count, off) in [(40, 0.05), (400, 5e-4), (4000, 5e-6)] {
            let corner = |k: usize| {
                let angle = std::f64::consts::TAU * k as f64 / count as f64;
                let (sin, cos) = libm::sincos(angle + 0.3 * libm::sin(angle));
                center + 0.9 * cos * along + 0.4 * sin * across
            };
            let found = Ellipse::within((0..count).map(corner), normal);
            let mut least = f64::INFINITY;
            for k in 0..count {
                let (from, to) = (corner(k), corner((k + 1) % count));
                let outward = (to - from).cross(normal).normalize();
                let [a, b] = found.half_axes.map(|axis| axis.dot(outward));
                let reach = found.center.dot(outward) + (a * a + b * b).sqrt();
                least = least.min(from.dot(outward) - reach);
                let middle = 0.5 * (from + to);
                let (border, along) = found.towards(middle);
                assert!(border.distance(middle) < off, "{count}, {k}");
                assert!(along.dot(to - from) > 0.0, "{count}, {k}");
            }
            assert!(least.abs() < 1e-12, "{count}: {least}");
            assert!((found.longest() - 0.9).abs() < off, "{count}");
        }
    }
}
