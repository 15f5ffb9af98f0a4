//! One triangle in `f64`: its normal, and the point nearest to another.

use glam::DVec3;

/// Corners and unit normal, counter-clockwise seen from the tip of the normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    /// In the frame of the surface, in metres.
    pub corners: [DVec3; 3],
    /// Unit.
    pub normal: DVec3,
}

/// The part of a triangle that a point belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The inside.
    Face,
    /// A side, by its number.
    Side(usize),
    /// A corner, by its number.
    Corner(usize),
}

/// The point of a triangle nearest to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// On the triangle.
    pub point: DVec3,
    /// Where on it.
    pub part: Part,
}

impl Triangle {
    /// The triangle with these corners, which must not lie on a line.
    #[inline]
    pub fn new(corners: [DVec3; 3]) -> Self {
        let [a, b, c] = corners;
        Self {
            corners,
            normal: (b - a).cross(c - a).normalize(),
        }
    }

    /// The same seen from behind: corners in the order 0, 2, 1.
    #[inline]
    #[must_use]
    pub fn reversed(&self) -> Self {
        let [a, b, c] = self.corners;
        Self {
            corners: [a, c, b],
            normal: -self.normal,
        }
    }

    /// Height of a point over the plane, in metres.
    #[inline]
    pub fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point - self.corners[0])
    }

    /// Direction of a side, of the side's length.
    #[inline]
    pub fn side(&self, side: usize) -> DVec3 {
        self.corners[(side + 1) % 3] - self.corners[side]
    }

    /// Unit, in the plane, square to a side and away from the triangle.
    #[inline]
    pub fn outward(&self, side: usize) -> DVec3 {
        self.side(side).cross(self.normal).normalize()
    }

    /// The nearest point of the triangle.
    ///
    /// Ericson, *Real-Time Collision Detection* (2005), section 5.1.5.
    pub fn closest(&self, point: DVec3) -> Closest {
        let [a, b, c] = self.corners;
        let (ab, ac, ap) = (b - a, c - a, point - a);
        let (d1, d2) = (ab.dot(ap), ac.dot(ap));
        let at = |point, part| Closest { point, part };
        if d1 <= 0.0 && d2 <= 0.0 {
            return at(a, Part::Corner(0));
        }
        let bp = point - b;
        let (d3, d4) = (ab.dot(bp), ac.dot(bp));
        if d3 >= 0.0 && d4 <= d3 {
            return at(b, Part::Corner(1));
        }
        let vc = d1 * d4 - d3 * d2;
        if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
            return at(a + ab * (d1 / (d1 - d3)), Part::Side(0));
        }
        let cp = point - c;
        let (d5, d6) = (ab.dot(cp), ac.dot(cp));
        if d6 >= 0.0 && d5 <= d6 {
            return at(c, Part::Corner(2));
        }
        let vb = d5 * d2 - d1 * d6;
        if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            return at(a + ac * (d2 / (d2 - d6)), Part::Side(2));
        }
        let va = d3 * d6 - d5 * d4;
        if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
            let t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
            return at(b + (c - b) * t, Part::Side(1));
        }
        let sum = va + vb + vc;
        at(a + ab * (vb / sum) + ac * (vc / sum), Part::Face)
    }
}
