//! Rays against triangles, so that nothing passes between those that share a side or a corner.
//!
//! The corners are sheared along the ray onto a plane, where the ray is the origin. A corner
//! lands in the same place whichever triangle asks, so a surface stays without gaps on that
//! plane, and there the signs of areas are exact: what covers the origin is found.
//!
//! Woop, Benthin, Wald, "Watertight ray/triangle intersection" (2013).

use glam::{DVec2, DVec3};

/// A ray made ready to be compared with many triangles.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    origin: DVec3,
    /// Rows that take a place seen from the origin to the plane along the ray. Each has a one
    /// on an axis across, and the slope of the ray on the axis `along`.
    across: [DVec3; 2],
    /// Unit, the axis along which the ray runs most.
    along: DVec3,
    /// How far the ray runs along it, per length of its direction.
    rate: f64,
}

/// An area as an unevaluated sum: what rounding took off is kept.
#[derive(Clone, Copy, Debug)]
struct Area {
    rounded: f64,
    rest: f64,
}

impl Ray {
    /// The ray from `origin` along `direction`, in the frame and units of the triangles.
    ///
    /// Both must be finite. A ray without direction meets nothing.
    pub fn new(origin: DVec3, direction: DVec3) -> Self {
        let size = direction.abs();
        let axis = if size.x >= size.y && size.x >= size.z {
            0
        } else if size.y >= size.z {
            1
        } else {
            2
        };
        let rate = direction[axis];
        let row = |other: usize| {
            let mut row = DVec3::ZERO;
            row[other] = 1.0;
            row[axis] = -(direction[other] / rate);
            row
        };
        let mut along = DVec3::ZERO;
        along[axis] = 1.0;
        Self {
            origin,
            across: [row((axis + 1) % 3), row((axis + 2) % 3)],
            along,
            rate,
        }
    }

    /// How far along the ray, in lengths of its direction, the triangle is met, from either
    /// side; `None` beyond `limit`, and for one that is seen as a line.
    ///
    /// The point lies on the triangle up to the rounding of the ray's distance, however flat
    /// the ray comes in. Of the triangles around a side or corner that a ray goes through, at
    /// least one is met.
    #[inline]
    pub fn meets(&self, corners: [DVec3; 3], limit: f64) -> Option<f64> {
        let seen = corners.map(|corner| corner - self.origin);
        // The zeros of a row add nothing, so each of these rounds twice, wherever it is done.
        let x = seen.map(|p| self.across[0].dot(p));
        if is_beside(x) {
            return None;
        }
        let y = seen.map(|p| self.across[1].dot(p));
        if is_beside(y) {
            return None;
        }
        let [a, b, c] = [0, 1, 2].map(|corner| DVec2::new(x[corner], y[corner]));
        // Rounding is monotone: an area that is not zero has the right sign.
        let areas = [b.perp_dot(c), c.perp_dot(a), a.perp_dot(b)];
        if !is_one_sign(areas) {
            return None;
        }
        let heights = seen.map(|p| self.along.dot(p));
        let time = exact(a, b, c, heights)? / self.rate;
        (time >= 0.0 && time <= limit).then_some(time)
    }
}

/// Whether the origin is beyond all three corners, along one axis.
#[inline]
fn is_beside([a, b, c]: [f64; 3]) -> bool {
    (a > 0.0 && b > 0.0 && c > 0.0) || (a < 0.0 && b < 0.0 && c < 0.0)
}

#[inline]
fn is_one_sign([u, v, w]: [f64; 3]) -> bool {
    (u >= 0.0 && v >= 0.0 && w >= 0.0) || (u <= 0.0 && v <= 0.0 && w <= 0.0)
}

/// The height at the origin of a triangle whose corners have these, if it covers the origin.
///
/// The weights are good to rounding even where areas nearly vanish, and no height lies beyond
/// those of the corners.
#[inline(never)]
fn exact(a: DVec2, b: DVec2, c: DVec2, heights: [f64; 3]) -> Option<f64> {
    let areas = [Area::new(b, c), Area::new(c, a), Area::new(a, b)].map(Area::value);
    let sum = areas[0] + areas[1] + areas[2];
    if !is_one_sign(areas) || sum == 0.0 {
        return None;
    }
    // From the corner with the greatest weight: a corner that is met is met exactly, and so is a
    // level triangle.
    let size = areas.map(f64::abs);
    let base = if size[0] >= size[1] && size[0] >= size[2] {
        0
    } else if size[1] >= size[2] {
        1
    } else {
        2
    };
    let (next, last) = ((base + 1) % 3, (base + 2) % 3);
    let rise = areas[next] * (heights[next] - heights[base])
        + areas[last] * (heights[last] - heights[base]);
    Some(heights[base] + rise / sum)
}

impl Area {
    /// Twice the area of the triangle of the origin and two points.
    fn new(p: DVec2, q: DVec2) -> Self {
        let (left, right) = (p.x * q.y, p.y * q.x);
        Self {
            rounded: left - right,
            rest: product_error(p.x, q.y, left) - product_error(p.y, q.x, right),
        }
    }

    /// The area, to a few roundings of its own size. Never of the wrong sign.
    fn value(self) -> f64 {
        self.rounded + self.rest
    }
}

/// What rounding took off a product; nothing where it is too small a number to be told. Dekker,
/// "A floating-point technique for extending the available precision" (1971).
fn product_error(a: f64, b: f64, product: f64) -> f64 {
    if product.abs() < f64::MIN_POSITIVE / (f64::EPSILON * f64::EPSILON) {
        return 0.0;
    }
    let (a_high, a_low) = split(a);
    let (b_high, b_low) = split(b);
    a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)
}

/// The upper and lower half of a number's digits.
fn split(a: f64) -> (f64, f64) {
    const SPLITTER: f64 = 134_217_729.0; // 2^27 + 1
    let c = SPLITTER * a;
    let high = c - (c - a);
    (high, a - high)
}
