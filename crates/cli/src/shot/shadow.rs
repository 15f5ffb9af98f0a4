//! Shadows that fall on planes: outlines along the sun's rays, cut to what they fall on.

use drystone::Shape;
use drystone::glam::{DVec2, DVec3};

use super::solid::Solid;

/// Number of corners of a round outline.
const ROUND: usize = 24;

/// Direction to the sun, unit.
pub(super) fn sun() -> DVec3 {
    DVec3::new(-0.5, 0.8, 0.4).normalize()
}

/// A plane that shadows fall on, with axes of its own.
pub(super) struct Screen {
    point: DVec3,
    normal: DVec3,
    u: DVec3,
    v: DVec3,
}

impl Screen {
    /// The plane through `point` with the unit `normal`. `None` when the sun does not shine
    /// on it.
    pub(super) fn new(point: DVec3, normal: DVec3) -> Option<Self> {
        if normal.dot(sun()) < 0.05 {
            return None;
        }
        let other = if normal.x.abs() < 0.57 {
            DVec3::X
        } else {
            DVec3::Y
        };
        let u = normal.cross(other).normalize();
        Some(Self {
            point,
            normal,
            u,
            v: normal.cross(u),
        })
    }

    /// The shadow of `solid` as a convex polygon in the world, cut to the convex polygon
    /// `border` of this plane if there is one. Empty for what lies behind the plane.
    pub(super) fn shadow(&self, solid: &Solid, border: Option<&[DVec3]>) -> Vec<DVec3> {
        if (solid.center - self.point).dot(self.normal) <= 0.0 {
            return Vec::new();
        }
        let fallen: Vec<_> = outline_points(solid)
            .into_iter()
            .map(|p| self.fall(p))
            .collect();
        let mut polygon = convex_hull(fallen);
        if let Some(border) = border {
            let border: Vec<_> = border.iter().map(|p| self.flat(*p)).collect();
            polygon = cut(polygon, &border);
        }
        polygon
            .into_iter()
            .map(|p| self.point + self.u * p.x + self.v * p.y)
            .collect()
    }

    /// Where the ray from the sun through `point` meets the plane.
    fn fall(&self, point: DVec3) -> DVec2 {
        let height = (point - self.point).dot(self.normal);
        self.flat(point - sun() * (height / self.normal.dot(sun())))
    }

    fn flat(&self, point: DVec3) -> DVec2 {
        let offset = point - self.point;
        DVec2::new(offset.dot(self.u), offset.dot(self.v))
    }
}

/// Points whose convex hull has the same outline as the solid, seen along the sun's rays.
fn outline_points(solid: &Solid) -> Vec<DVec3> {
    if !matches!(solid.shape, Shape::Sphere { .. } | Shape::Capsule { .. }) {
        return solid.with_polytope(|polytope| {
            let corners = polytope.vertices.iter();
            corners
                .map(|corner| solid.frame.transform_point(corner.as_dvec3()))
                .collect()
        });
    }
    let u = sun().cross(DVec3::X).normalize();
    let v = sun().cross(u);
    let mut points = Vec::new();
    for (center, radius) in solid.caps() {
        for i in 0..ROUND {
            let angle = std::f64::consts::TAU * i as f64 / ROUND as f64;
            let (sin, cos) = libm::sincos(angle);
            points.push(center + (u * cos + v * sin) * radius);
        }
    }
    points
}

/// The convex hull, counter-clockwise.
///
/// Andrew, *Another efficient algorithm for convex hulls in two dimensions* (1979).
fn convex_hull(mut points: Vec<DVec2>) -> Vec<DVec2> {
    points.sort_by(|a, b| {
        // Adding zero turns -0 into +0, which all else takes for the same number.
        let (a, b) = (*a + DVec2::ZERO, *b + DVec2::ZERO);
        a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y))
    });
    let mut hull: Vec<DVec2> = Vec::with_capacity(points.len() + 1);
    for half in 0..2 {
        let start = hull.len();
        let mut add = |point: DVec2| {
            while hull.len() >= start + 2 {
                let (a, b) = (hull[hull.len() - 2], hull[hull.len() - 1]);
                if (b - a).perp_dot(point - a) > 0.0 {
                    break;
                }
                hull.pop();
            }
            hull.push(point);
        };
        if half == 0 {
            points.iter().copied().for_each(&mut add);
        } else {
            points.iter().rev().copied().for_each(&mut add);
        }
        // Each half ends where the other begins.
        hull.pop();
    }
    hull
}

/// The part of a convex polygon inside another, both counter-clockwise or both clockwise.
///
/// Sutherland and Hodgman, *Reentrant polygon clipping* (1974).
fn cut(mut polygon: Vec<DVec2>, border: &[DVec2]) -> Vec<DVec2> {
    let area: f64 = (0..border.len())
        .map(|i| border[i].perp_dot(border[(i + 1) % border.len()]))
        .sum();
    let side = if area < 0.0 { -1.0 } else { 1.0 };
    for i in 0..border.len() {
        let (from, to) = (border[i], border[(i + 1) % border.len()]);
        let inside = |p: DVec2| side * (to - from).perp_dot(p - from);
        let mut next = Vec::with_capacity(polygon.len() + 1);
        for (k, &p) in polygon.iter().enumerate() {
            let q = polygon[(k + 1) % polygon.len()];
            let (here, there) = (inside(p), inside(q));
            if here >= 0.0 {
                next.push(p);
            }
            if (here >= 0.0) != (there >= 0.0) {
                next.push(p + (q - p) * (here / (here - there)));
            }
        }
        polygon = next;
    }
    polygon
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(low: f64, high: f64) -> Vec<DVec2> {
        [(low, low), (high, low), (high, high), (low, high)]
            .map(DVec2::from)
            .to_vec()
    }

    fn area(polygon: &[DVec2]) -> f64 {
        let corner = |i: usize| polygon[i % polygon.len()];
        (0..polygon.len())
            .map(|i| 0.5 * corner(i).perp_dot(corner(i + 1)))
            .sum()
    }

    /// Corners of a square with points inside and on its edges: the corners remain.
    #[test]
    fn the_hull_of_a_square_has_four_corners() {
        let mut points = square(-1.0, 1.0);
        points.extend([(0.0, 0.0), (1.0, 0.5), (-0.3, -1.0), (0.9, 0.9)].map(DVec2::from));
        let hull = convex_hull(points);
        assert_eq!(hull.len(), 4);
        assert!((area(&hull) - 4.0).abs() < 1e-12);
    }

    /// A triangle with a point on its side, whose zeros have either sign: three corners remain.
    #[test]
    fn the_sign_of_a_zero_does_not_move_a_hull() {
        let points = [(-0.0, 1.0), (0.0, 0.0), (-1.0, 0.0), (-0.0, 0.5)];
        let hull = convex_hull(points.map(DVec2::from).to_vec());
        assert_eq!(hull.len(), 3);
        assert!((area(&hull) - 0.5).abs() < 1e-12);
    }

    /// Two squares that share a quarter; apart, nothing remains; clockwise works as well.
    #[test]
    fn cutting_leaves_what_both_cover() {
        let shared = cut(square(0.0, 2.0), &square(1.0, 3.0));
        assert!((area(&shared) - 1.0).abs() < 1e-12);
        let mut clockwise = square(1.0, 3.0);
        clockwise.reverse();
        assert!((area(&cut(square(0.0, 2.0), &clockwise)) - 1.0).abs() < 1e-12);
        assert!(cut(square(0.0, 1.0), &square(2.0, 3.0)).is_empty());
    }
}
