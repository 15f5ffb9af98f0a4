//! Convex polygons: made from any points, kept as a strictly convex counter-clockwise
//! ring whose extreme vertices are found by binary search.

use glam::DVec2;

use crate::convexity::{
    ConvexityError, Winding, before, check_convex, check_coordinates, distinct_up_to_three,
    orientation,
};
use crate::tolerance::{MAX_COORDINATE, ORIENTATION_ERROR};

/// A convex polygon in its own frame, in metres.
///
/// The ring is counter-clockwise and strictly convex: no repeated and no straight
/// corners. It starts at the lexicographically lowest vertex. Points that all lie on one
/// line make a ring of two.
#[derive(Clone, Debug, PartialEq)]
pub struct Polygon {
    /// Ring in counter-clockwise order, lexicographically lowest first.
    vertices: Vec<DVec2>,
    sources: Sources,
    /// Index of the lexicographically highest vertex: where the lower chain ends.
    highest: usize,
    /// Box around the ring.
    low: DVec2,
    high: DVec2,
}

/// Where the vertices of a ring came from.
#[derive(Clone, Debug, PartialEq)]
enum Sources {
    /// The points were the ring already, starting elsewhere or the other way round.
    Turned { lowest: usize, winding: Winding },
    /// Position of each vertex in the points.
    Listed(Vec<u32>),
}

impl Polygon {
    /// The convex hull of `points`, given in any order, in metres.
    ///
    /// Points that already run round a convex outline, either way, are recognised in one
    /// pass; others are sorted. Repeated and collinear points are left out. Fails on
    /// fewer than three distinct points, and on coordinates that are not finite or
    /// larger than [`crate::tolerance::MAX_COORDINATE`].
    ///
    /// Andrew, "Another efficient algorithm for convex hulls in two dimensions" (1979).
    pub fn new(points: &[DVec2]) -> Result<Self, ConvexityError> {
        if points.len() > u32::MAX as usize {
            return Err(ConvexityError::TooManyPoints {
                count: points.len(),
            });
        }
        if let Some(polygon) = Self::already_strict(points) {
            return Ok(polygon);
        }
        check_coordinates(points)?;
        let distinct = distinct_up_to_three(points);
        if distinct < 3 {
            return Err(ConvexityError::TooFewPoints { distinct });
        }
        Ok(Self::hull(points))
    }

    /// The polygon whose outline is `points` in order, in metres.
    ///
    /// Unlike [`Polygon::new`] refuses an outline that is not convex and names the
    /// vertex at fault.
    pub fn from_outline(points: &[DVec2]) -> Result<Self, ConvexityError> {
        check_convex(points)?;
        Self::new(points)
    }

    /// A ring of one or two points, for the cores of points and segments.
    pub(crate) fn from_segment(from: DVec2, to: DVec2) -> Self {
        let (vertices, sources) = if from == to {
            (vec![from], vec![0])
        } else if before(from, to) {
            (vec![from, to], vec![0, 1])
        } else {
            (vec![to, from], vec![1, 0])
        };
        Self::from_ring(vertices, sources)
    }

    /// The common case in one pass: distinct, finite points strictly round a convex
    /// outline. `None` leaves every other case to the caller.
    fn already_strict(points: &[DVec2]) -> Option<Self> {
        let Strict {
            winding,
            lowest,
            highest,
        } = strict_outline(points)?;
        let count = points.len();
        let mut vertices = Vec::with_capacity(count);
        let highest = if winding == Winding::CounterClockwise {
            vertices.extend_from_slice(&points[lowest..]);
            vertices.extend_from_slice(&points[..lowest]);
            highest + if highest < lowest { count } else { 0 } - lowest
        } else {
            vertices.extend(points[..=lowest].iter().rev());
            vertices.extend(points[lowest + 1..].iter().rev());
            lowest + if lowest < highest { count } else { 0 } - highest
        };
        let (low, high) = bounds(&vertices);
        if low.abs().max(high.abs()).max_element() > MAX_COORDINATE {
            return None;
        }
        Some(Self {
            vertices,
            sources: Sources::Turned { lowest, winding },
            highest,
            low,
            high,
        })
    }

    /// Andrew's monotone chain over finite points with at least two distinct ones.
    pub(crate) fn hull(points: &[DVec2]) -> Self {
        let mut order: Vec<u32> = (0..points.len() as u32).collect();
        let at = |index: u32| points[index as usize];
        order.sort_unstable_by(|&i, &j| {
            // Adding zero turns -0 into +0, which all else takes for the same number.
            let (p, q) = (at(i) + DVec2::ZERO, at(j) + DVec2::ZERO);
            p.x.total_cmp(&q.x)
                .then(p.y.total_cmp(&q.y))
                .then(i.cmp(&j))
        });
        order.dedup_by(|i, j| at(*i) == at(*j));
        let mut ring: Vec<u32> = Vec::with_capacity(order.len() + 1);
        let extend = |ring: &mut Vec<u32>, floor: usize, index: u32| {
            while ring.len() >= floor + 2
                && orientation(
                    at(ring[ring.len() - 2]),
                    at(ring[ring.len() - 1]),
                    at(index),
                ) <= 0.0
            {
                ring.pop();
            }
            ring.push(index);
        };
        for &index in &order {
            extend(&mut ring, 0, index);
        }
        let floor = ring.len() - 1;
        for &index in order.iter().rev().skip(1) {
            extend(&mut ring, floor, index);
        }
        if ring.len() > 1 {
            ring.pop();
        }
        Self::from_ring(ring.iter().map(|&i| at(i)).collect(), ring)
    }

    fn from_ring(vertices: Vec<DVec2>, sources: Vec<u32>) -> Self {
        let mut highest = 0;
        for (index, &vertex) in vertices.iter().enumerate() {
            if before(vertices[highest], vertex) {
                highest = index;
            }
        }
        let (low, high) = bounds(&vertices);
        Self {
            vertices,
            sources: Sources::Listed(sources),
            highest,
            low,
            high,
        }
    }

    /// The ring, counter-clockwise, lexicographically lowest first.
    pub fn vertices(&self) -> &[DVec2] {
        &self.vertices
    }

    /// Position of a ring vertex in the points the polygon was made from.
    ///
    /// `vertex` must be below the number of vertices.
    pub fn source(&self, vertex: u32) -> u32 {
        match &self.sources {
            Sources::Listed(sources) => sources[vertex as usize],
            Sources::Turned { lowest, winding } => {
                let count = self.vertices.len();
                let vertex = vertex as usize;
                let source = match winding {
                    Winding::CounterClockwise => lowest + vertex,
                    _ => lowest + count - vertex,
                };
                (source % count) as u32
            }
        }
    }

    /// The corners of the smallest box with sides along the axes.
    pub fn bounds(&self) -> (DVec2, DVec2) {
        (self.low, self.high)
    }

    /// Index of the lexicographically highest vertex; the lowest is 0.
    pub(crate) fn highest(&self) -> usize {
        self.highest
    }

    /// Index after `index` round the ring.
    pub(crate) fn next(&self, index: usize) -> usize {
        if index + 1 == self.vertices.len() {
            0
        } else {
            index + 1
        }
    }

    /// Index before `index` round the ring.
    pub(crate) fn previous(&self, index: usize) -> usize {
        if index == 0 {
            self.vertices.len() - 1
        } else {
            index - 1
        }
    }

    /// How far the edge from `index` to its successor goes along `direction`.
    fn rise(&self, index: usize, direction: DVec2) -> f64 {
        (self.vertices[self.next(index)] - self.vertices[index]).dot(direction)
    }

    /// Index of a vertex farthest along `direction`, by binary search.
    ///
    /// The lower chain, from lowest to highest vertex, holds the answer when `direction`
    /// points down, the upper chain when it points up; on a chain the rise of the edges
    /// falls from positive to negative once.
    pub fn support(&self, direction: DVec2) -> usize {
        let (mut first, mut count) = if direction.y < 0.0 {
            (0, self.highest)
        } else if direction.y > 0.0 {
            (self.highest, self.vertices.len() - self.highest)
        } else {
            return if direction.x > 0.0 { self.highest } else { 0 };
        };
        // Invariant: every chain edge before `first` rises. Halving without an early
        // exit keeps the branch out of the loop.
        while count > 0 {
            let half = count / 2;
            let middle = first + half;
            let rises = self.rise(middle, direction) > 0.0;
            first = if rises { middle + 1 } else { first };
            count = if rises { count - half - 1 } else { half };
        }
        if first == self.vertices.len() {
            0
        } else {
            first
        }
    }

    /// The same, from a vertex thought to be near the answer: constant time when it is,
    /// logarithmic in how far off it is when not.
    pub fn support_from(&self, hint: usize, direction: DVec2) -> usize {
        let count = self.vertices.len();
        if self.rise(hint, direction) > 0.0 {
            self.gallop(hint, count, direction, false)
        } else if self.rise(self.previous(hint), direction) < 0.0 {
            self.gallop(hint, count, direction, true)
        } else {
            hint
        }
    }

    /// Doubles the stride from `hint` while the ring keeps rising, then halves it.
    fn gallop(&self, hint: usize, count: usize, direction: DVec2, backward: bool) -> usize {
        // Vertex at `offset` from the hint, and whether the ring still rises there.
        let index = |offset: usize| {
            let turned = hint + if backward { count - offset } else { offset };
            if turned < count {
                turned
            } else {
                turned - count
            }
        };
        let rises = |offset: usize| {
            if backward {
                self.rise(self.previous(index(offset)), direction) < 0.0
            } else {
                self.rise(index(offset), direction) > 0.0
            }
        };
        let (mut near, mut far) = (0, 1);
        while rises(far) {
            near = far;
            far *= 2;
            if far >= count {
                return self.support(direction);
            }
        }
        while far - near > 1 {
            let middle = near + (far - near) / 2;
            if rises(middle) {
                near = middle;
            } else {
                far = middle;
            }
        }
        index(far)
    }

    /// Whether `point` is inside or on the outline. Exact, O(log n).
    pub fn contains(&self, point: DVec2) -> bool {
        let vertices = &self.vertices;
        let (first, last) = (vertices[0], vertices[self.highest]);
        if before(point, first) || before(last, point) {
            return false;
        }
        // The edge of each chain that spans the point in lexicographic order.
        let lower = vertices[..=self.highest].partition_point(|&v| before(v, point));
        let upper = vertices[self.highest..].partition_point(|&v| before(point, v));
        if lower == 0 || upper == 0 {
            // The point is the first or the last vertex itself.
            return true;
        }
        let from = self.highest + upper - 1;
        orientation(vertices[lower - 1], vertices[lower], point) >= 0.0
            && orientation(vertices[from], vertices[self.next(from)], point) >= 0.0
    }
}

/// The corners of the smallest box around points, of which there is at least one.
fn bounds(points: &[DVec2]) -> (DVec2, DVec2) {
    points
        .iter()
        .fold((points[0], points[0]), |(low, high), &p| {
            (low.min(p), high.max(p))
        })
}

/// An outline that turns strictly one way at every point and goes round once.
struct Strict {
    winding: Winding,
    /// Index of the lexicographically lowest and highest point.
    lowest: usize,
    highest: usize,
}

/// Recognises a strict outline; `None` for any other points, NaN among them.
fn strict_outline(points: &[DVec2]) -> Option<Strict> {
    let count = points.len();
    if count < 3 {
        return None;
    }
    let (mut a, mut b) = (points[count - 2], points[count - 1]);
    let sign = orientation(a, b, points[0]).signum();
    let mut rising = before(a, b);
    let mut changes = 0;
    let (mut lowest, mut highest) = (0, 0);
    for (index, &c) in points.iter().enumerate() {
        if !turns(a, b, c, sign) {
            return None;
        }
        let now_rising = before(b, c);
        if now_rising != rising {
            let corner = if index == 0 { count - 1 } else { index - 1 };
            if now_rising {
                lowest = corner;
            } else {
                highest = corner;
            }
            changes += 1;
            rising = now_rising;
        }
        (a, b) = (b, c);
    }
    let winding = if sign > 0.0 {
        Winding::CounterClockwise
    } else {
        Winding::Clockwise
    };
    (changes == 2).then_some(Strict {
        winding,
        lowest,
        highest,
    })
}

/// Whether `a`, `b`, `c` turn strictly the way of `sign`. Exact: the sign of the plain
/// formula is trusted only where its rounding error cannot reach it.
fn turns(a: DVec2, b: DVec2, c: DVec2, sign: f64) -> bool {
    let (left, right) = ((a.x - c.x) * (b.y - c.y), (a.y - c.y) * (b.x - c.x));
    let area = (left - right) * sign;
    if area > ORIENTATION_ERROR * (left.abs() + right.abs()) {
        return true;
    }
    orientation(a, b, c) * sign > 0.0
}
