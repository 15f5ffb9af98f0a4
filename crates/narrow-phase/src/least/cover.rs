//! Covering the directions that a facet does not bound with cells, each settled by one point.

use drystone_geometry::glam::{DMat3, DVec3};

use super::facet::{MAX_COLUMNS, Rim};
use crate::convex::{NO_HINT, Pair, Vertex};
use crate::tolerance::{FARTHEST_RIM, MAX_CELL_CUTS, NEAR_DIRECTION_COSINE, SMALL_CELL_SQ};

/// Balls inside both cores, as one ball inside D.
pub(crate) struct Balls {
    pub(super) center: DVec3,
    radius: f64,
}

impl Balls {
    #[inline(always)]
    pub(super) fn of(pair: &Pair<'_>) -> Self {
        let (center_b, radius_b) = pair.b.inner_ball();
        let center_b = pair.b_in_a.transform_point(center_b);
        Self::between(pair.a.inner_ball(), (center_b, radius_b))
    }

    /// Of a ball in A and one in B, by their centres in A's frame and their radii.
    #[inline]
    pub(crate) fn between(a: (DVec3, f64), b: (DVec3, f64)) -> Self {
        Self {
            center: b.0 - a.0,
            radius: a.1 + b.1,
        }
    }

    /// Whether the balls alone give a depth of `level` along all directions farther from `outward`
    /// than an angle, given as the tangent of half of it.
    ///
    /// They give `c . u + r` along `u`, which is least for the one of those directions that is
    /// nearest to `-c`.
    #[inline(always)]
    pub(crate) fn reach_beyond(&self, outward: DVec3, tangent: f64, level: f64) -> bool {
        let square = tangent * tangent;
        let (cosine, sine, scale) = (1.0 - square, 2.0 * tangent, 1.0 + square);
        let against = -self.center.dot(outward);
        let distance_sq = self.center.length_squared();
        // Is `-c` itself within the angle?
        let is_within = against > 0.0
            && (cosine <= 0.0
                || against * against * (scale * scale) > distance_sq * (cosine * cosine));
        let aside_sq = (distance_sq - against * against).max(0.0);
        let left = (self.radius - level) * scale - against * cosine;
        is_within && left >= 0.0 && aside_sq * (sine * sine) <= left * left
    }

    /// The angle around `outward`, as the tangent of half of it, beyond which the balls alone
    /// give a depth of `level`; infinite if there is none.
    pub(super) fn danger(&self, outward: DVec3, level: f64) -> f64 {
        let distance = self.center.length();
        let cosine = (self.radius - level) / distance;
        if cosine >= 1.0 {
            return 0.0;
        }
        let half_tangent = |cosine: f64| ((1.0 - cosine) / (1.0 + cosine)).max(0.0).sqrt();
        let aside = half_tangent(-self.center.dot(outward) / distance);
        let around = half_tangent(cosine);
        let product = aside * around;
        if cosine > -1.0 && product < 1.0 {
            (aside + around) / (1.0 - product)
        } else {
            f64::INFINITY
        }
    }
}

/// Ellipsoids inside both cores, as one set inside D.
pub(super) struct Inner {
    center: DVec3,
    /// See [`drystone_geometry::Hull::inner_ellipsoid`]; both in A's frame.
    shapes: [DMat3; 2],
}

impl Inner {
    pub(super) fn of(pair: &Pair<'_>, center: DVec3) -> Self {
        let turn = &pair.b_in_a.rotation;
        let shape_b = *turn * pair.b.inner_ellipsoid() * turn.transpose();
        Self {
            center,
            shapes: [pair.a.inner_ellipsoid(), shape_b],
        }
    }

    /// The point farthest along a direction of any length.
    #[inline]
    fn support(&self, direction: DVec3) -> DVec3 {
        let mut point = self.center;
        for shape in &self.shapes {
            let along = *shape * direction;
            let square = along.dot(direction);
            if square > 0.0 {
                point += (1.0 / square.sqrt()) * along;
            }
        }
        point
    }
}

/// A spherical polygon of four corners, some of which may be one.
#[derive(Clone, Copy)]
pub(super) struct Cell {
    corners: [DVec3; 4],
    /// Whether the inner ellipsoids may settle it.
    tries_inner: bool,
}

impl Cell {
    /// Towards the middle, not of length 1.
    #[inline]
    fn towards_middle(&self) -> DVec3 {
        let [a, b, c, d] = self.corners;
        a + b + c + d
    }

    /// Whether a point of D reaches at least `level` along all directions of the cell.
    #[inline]
    fn is_settled_by(&self, point: DVec3, level: f64) -> bool {
        do_reach(self.corners.each_ref(), point, level)
    }

    /// Squared length of the longer diagonal.
    fn size_sq(&self) -> f64 {
        let [a, b, c, d] = self.corners;
        a.distance_squared(c).max(b.distance_squared(d))
    }

    /// Cut across its longer sides.
    fn halves(&self, tries_inner: bool) -> [Self; 2] {
        let [a, b, c, d] = self.corners;
        let across = a.distance_squared(b).max(c.distance_squared(d));
        let along = b.distance_squared(c).max(d.distance_squared(a));
        let middle = |p: DVec3, q: DVec3| (p + q).normalize_or_zero();
        let with = |corners| Self {
            corners,
            tries_inner,
        };
        if across > along {
            let (low, high) = (middle(a, b), middle(c, d));
            [with([a, low, high, d]), with([low, b, c, high])]
        } else {
            let (right, left) = (middle(b, c), middle(d, a));
            [with([a, b, right, left]), with([left, right, c, d])]
        }
    }
}

/// Whether a point of D reaches at least `level` along all four directions.
#[inline(always)]
fn do_reach([a, b, c, d]: [&DVec3; 4], point: DVec3, level: f64) -> bool {
    a.dot(point) >= level && b.dot(point) >= level && c.dot(point) >= level && d.dot(point) >= level
}

/// A proof under way.
pub(super) struct Proof<'a> {
    pub(super) pair: &'a Pair<'a>,
    pub(super) inner: Inner,
    /// The depth to be shown everywhere, in metres.
    pub(super) level: f64,
    /// The last corner of D, and the direction it is farthest along.
    pub(super) latest: Vertex,
    pub(super) latest_unit: DVec3,
    /// The direction whose depth is to be shown the least.
    pub(super) outward: DVec3,
    /// Whether small cells are left alone.
    pub(super) is_hasty: bool,
    /// How many more corners may be sought.
    pub(super) supports: u32,
    /// A direction of less depth.
    pub(super) less: Option<(DVec3, Vertex)>,
}

impl Proof<'_> {
    /// Settles all directions from the rim out to `top`, a tangent of half an angle. Rings of
    /// cells double outwards: where the depth is less nearby, that shows soon.
    pub(super) fn settle_all(&mut self, rim: &Rim, top: f64) -> bool {
        let columns = rim.columns();
        let nearest = columns
            .iter()
            .fold(FARTHEST_RIM, |least: f64, column| least.min(column.tangent));
        // Great circles between directions at one angle come nearer than it in the middle: by
        // less than half for meridians at most a third of a turn apart.
        let mut inner = nearest;
        // A corner of D that settles a cell is the likeliest to settle the next one out.
        let mut settlers = [self.latest.w; MAX_COLUMNS];
        // The corners on the inner ring of cells and on the outer one, in turns.
        let mut rings = [[DVec3::ZERO; MAX_COLUMNS]; 2];
        let (mut near, mut far) = (0, 1);
        rim.draw(inner, &mut rings[near]);
        while inner < 2.0 * top {
            // What comes nearer than the inner ring of cells by half is bounded as well.
            if inner >= 2.0 * rim.ring.0 && inner < rim.ring.1 {
                inner = rim.ring.1;
                rim.draw(inner, &mut rings[near]);
                continue;
            }
            let outer = 2.0 * inner;
            let is_last = outer > FARTHEST_RIM;
            for (place, column) in rings[far].iter_mut().zip(columns) {
                *place = if is_last {
                    -rim.outward
                } else {
                    column.at(rim.outward, column.on_ring(outer))
                };
            }
            let mut left = columns.len() - 1;
            for right in 0..columns.len() {
                // As far as the cell lies outside the rim.
                let is_within =
                    outer <= columns[left].tangent && outer <= columns[right].tangent && !is_last;
                let (near, far) = (&rings[near], &rings[far]);
                let corners = [&near[left], &near[right], &far[right], &far[left]];
                let is_settled = is_within
                    || do_reach(corners, columns[right].corner, self.level)
                    || do_reach(corners, settlers[right], self.level);
                if !is_settled {
                    let cell = Cell {
                        corners: corners.map(|corner| *corner),
                        tries_inner: true,
                    };
                    if !self.settle(&cell, MAX_CELL_CUTS) {
                        return false;
                    }
                    settlers[right] = self.latest.w;
                }
                left = right;
            }
            if is_last {
                return true;
            }
            inner = outer;
            (near, far) = (far, near);
        }
        true
    }

    fn settle(&mut self, cell: &Cell, cuts: u32) -> bool {
        if cell.is_settled_by(self.latest.w, self.level) {
            return true;
        }
        let along = cell.towards_middle();
        let inner = if cell.tries_inner {
            let point = self.inner.support(along);
            if cell.is_settled_by(point, self.level) {
                return true;
            }
            Some(point)
        } else {
            None
        };
        if self.supports == 0 || cuts == 0 {
            return false;
        }
        let unit = along.normalize_or_zero();
        self.supports -= 1;
        let near = unit.dot(self.latest_unit) >= NEAR_DIRECTION_COSINE;
        let (hint_a, hint_b) = if near {
            (self.latest.a, self.latest.b)
        } else {
            (NO_HINT, NO_HINT)
        };
        self.latest = self.pair.support(-unit, hint_a, hint_b);
        self.latest_unit = unit;
        if cell.is_settled_by(self.latest.w, self.level) {
            return true;
        }
        if self.latest.w.dot(unit) < self.level {
            self.less = Some((-unit, self.latest));
            return false;
        }
        // A cell that is small and still not settled lies where the depth is about the same: on
        // the border, most of all, of directions of less.
        if self.is_hasty && cell.size_sq() < SMALL_CELL_SQ * unit.distance_squared(self.outward) {
            self.less = Some((-unit, self.latest));
            return false;
        }
        let tries_inner = inner.is_some_and(|point| point.dot(unit) >= self.level);
        let [first, second] = cell.halves(tries_inner);
        let shared = self.latest.w;
        if !self.settle(&first, cuts - 1) {
            return false;
        }
        second.is_settled_by(shared, self.level) || self.settle(&second, cuts - 1)
    }
}
