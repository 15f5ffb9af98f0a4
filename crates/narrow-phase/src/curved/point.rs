//! A point against a cylinder, a cone or an ellipsoid: the nearest point of the surface, from
//! outside or inside, in closed form or by a root that is bracketed.

use drystone_geometry::glam::{DVec2, DVec3};
use drystone_geometry::shape::curved::Curved;

use crate::tolerance::MAX_ROOT_STEPS;

/// The point of a surface nearest to a given one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    /// On the surface.
    pub(crate) point: DVec3,
    /// Unit, outward at `point`, along the line from it to the given point.
    pub(crate) normal: DVec3,
    /// Negative inside, in metres.
    pub(crate) distance: f64,
}

/// The point of the solid's surface nearest to `point`. From the axis, +X is taken for a
/// direction away from it; between equally near faces caps come first.
pub(crate) fn nearest(solid: &Curved, point: DVec3) -> Nearest {
    if let Curved::Ellipsoid(semi_axes) = *solid {
        return on_ellipsoid(semi_axes, point);
    }
    let across = (point.x * point.x + point.z * point.z).sqrt();
    let away = if across > 0.0 {
        DVec3::new(point.x / across, 0.0, point.z / across)
    } else {
        DVec3::X
    };
    let flat = DVec2::new(across, point.y);
    let found = match *solid {
        Curved::Cylinder {
            half_height,
            radius,
        } => on_rectangle(half_height, radius, flat),
        Curved::Cone {
            half_height,
            radius,
        } => on_slope(half_height, radius, flat),
        Curved::Ellipsoid(_) => Profile::at(flat, DVec2::Y, 0.0),
    };
    let lift = |p: DVec2| away * p.x + DVec3::new(0.0, p.y, 0.0);
    Nearest {
        point: lift(found.point),
        normal: lift(found.normal),
        distance: found.distance,
    }
}

/// The same in the half-plane of the axis: distance from it, then height.
struct Profile {
    point: DVec2,
    normal: DVec2,
    distance: f64,
}

impl Profile {
    /// On a line `distance` below `from`.
    fn at(from: DVec2, normal: DVec2, distance: f64) -> Self {
        Self {
            point: from - distance * normal,
            normal,
            distance,
        }
    }

    /// At a corner, seen from outside.
    fn corner(from: DVec2, corner: DVec2, fallback: DVec2) -> Self {
        let offset = from - corner;
        Self {
            point: corner,
            normal: offset.normalize_or(fallback),
            distance: offset.length(),
        }
    }
}

fn on_rectangle(half_height: f64, radius: f64, p: DVec2) -> Profile {
    let up = DVec2::new(0.0, 1f64.copysign(p.y));
    let (over, beyond) = (p.y.abs() - half_height, p.x - radius);
    if over > 0.0 && beyond > 0.0 {
        return Profile::corner(p, DVec2::new(radius, half_height * up.y), up);
    }
    if over >= beyond {
        Profile::at(p, up, over)
    } else {
        Profile::at(p, DVec2::X, beyond)
    }
}

fn on_slope(half_height: f64, radius: f64, p: DVec2) -> Profile {
    let (apex, rim) = (
        DVec2::new(0.0, half_height),
        DVec2::new(radius, -half_height),
    );
    let down = rim - apex;
    let length = down.length();
    let side = DVec2::new(-down.y, down.x) / length;
    let (below, out) = (-half_height - p.y, side.dot(p - apex));
    if below <= 0.0 && out <= 0.0 {
        return if below >= out {
            Profile::at(p, -DVec2::Y, below)
        } else {
            Profile::at(p, side, out)
        };
    }
    let along = (p - apex).dot(down) / (length * length);
    if below > 0.0 && p.x <= radius {
        Profile::at(p, -DVec2::Y, below)
    } else if out > 0.0 && (0.0..=1.0).contains(&along) {
        Profile::at(p, side, out)
    } else if along < 0.5 {
        Profile::corner(p, apex, DVec2::Y)
    } else {
        Profile::corner(p, rim, side)
    }
}

/// The foot of a point on an ellipsoid: `x = a^2 p / (a^2 + t)` for the largest root `t` of
/// `sum (a p / (a^2 + t))^2 = 1`.
///
/// Eberly, *Distance from a Point to an Ellipse, an Ellipsoid, or a Hyperellipsoid* (2013).
/// The unknown is counted from the square of the shortest axis, which keeps points near the
/// middle exact.
fn on_ellipsoid(semi_axes: DVec3, point: DVec3) -> Nearest {
    let shortest = semi_axes.min_element();
    let p = point.abs();
    let excess = (semi_axes - DVec3::splat(shortest)) * (semi_axes + DVec3::splat(shortest));
    let weighted = semi_axes * p;
    // Along the shortest axes alone the sum is at least 1 here, and altogether at most 1 there.
    let lowest = |i: usize| {
        if excess[i] > 0.0 {
            0.0
        } else {
            weighted[i] * weighted[i]
        }
    };
    let mut low = (lowest(0) + lowest(1) + lowest(2)).sqrt();
    low = low.max((weighted - excess).max_element());
    let high = weighted.length().max(low);
    let mut foot = DVec3::ZERO;
    if low > 0.0 || (high > 0.0 && value_at_zero(weighted, excess) > 0.0) {
        let s = root(weighted, excess, (low, high));
        let share = semi_axes / (excess + DVec3::splat(s));
        foot = share * weighted;
    } else {
        // Inside, in the plane of the longer axes: the foot is off the plane.
        let mut rest = 1.0;
        let mut free = 0;
        for i in 0..3 {
            if excess[i] > 0.0 {
                foot[i] = semi_axes[i] * weighted[i] / excess[i];
                let share = foot[i] / semi_axes[i];
                rest -= share * share;
            } else {
                free = i;
            }
        }
        foot[free] = shortest * rest.max(0.0).sqrt();
    }
    let foot = DVec3::from_array([0, 1, 2].map(|i| foot[i].copysign(point[i])));
    // Back to the surface, which rounding may have left.
    let scale = (foot / semi_axes).length();
    let foot = if scale > 0.0 { foot / scale } else { foot };
    let unit = foot / semi_axes;
    let normal = (unit / semi_axes * shortest).normalize_or(DVec3::Y);
    let outside = (point / semi_axes).length_squared() > 1.0;
    let distance = point.distance(foot);
    Nearest {
        point: foot,
        normal,
        distance: if outside { distance } else { -distance },
    }
}

/// The root between two bounds, the lower of which may be a pole.
fn root(weighted: DVec3, excess: DVec3, (mut low, mut high): (f64, f64)) -> f64 {
    let mut s = if low > 0.0 { low } else { 0.5 * high };
    for _ in 0..MAX_ROOT_STEPS {
        let terms = weighted / (excess + DVec3::splat(s));
        let over = terms.length_squared() - 1.0;
        if over > 0.0 {
            low = s;
        } else {
            high = s;
        }
        // The sum falls and is convex: Newton's steps from the left never overshoot.
        let slope = -2.0 * (terms * terms / (excess + DVec3::splat(s))).element_sum();
        let step = s - over / slope;
        let next = if step > low && step < high {
            step
        } else {
            0.5 * (low + high)
        };
        if next == s || low >= high {
            break;
        }
        s = next;
    }
    s
}

/// The sum without its pole, less 1.
fn value_at_zero(weighted: DVec3, excess: DVec3) -> f64 {
    let mut sum = -1.0;
    for i in 0..3 {
        if excess[i] > 0.0 {
            let term = weighted[i] / excess[i];
            sum += term * term;
        }
    }
    sum
}
