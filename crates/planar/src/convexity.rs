//! Is this ring of points a convex polygon, and if not, which vertex is to blame?
//!
//! All decisions are exact: turns by Shewchuk's orientation test, winding by comparing
//! coordinates.

use std::fmt;

use glam::DVec2;
use robust::Coord;
use serde::{Deserialize, Serialize};

use crate::tolerance::MAX_COORDINATE;

/// Which way round a ring of points runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Winding {
    /// Interior on the left of every edge.
    CounterClockwise,
    /// Interior on the right of every edge.
    Clockwise,
    /// All points on one line: there is no interior.
    Flat,
}

/// Why points are not a convex polygon. Indices are positions in the given slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConvexityError {
    /// A coordinate is NaN or infinite.
    NotFinite {
        /// The vertex.
        index: usize,
    },
    /// A coordinate is so large that areas would overflow.
    TooLarge {
        /// The vertex.
        index: usize,
    },
    /// Fewer than three different points.
    TooFewPoints {
        /// How many there are.
        distinct: usize,
    },
    /// More points than 32-bit indices can number.
    TooManyPoints {
        /// How many there are.
        count: usize,
    },
    /// The outline turns the wrong way here.
    Reflex {
        /// The vertex.
        index: usize,
    },
    /// The outline doubles back on itself here.
    Spike {
        /// The vertex.
        index: usize,
    },
    /// The outline turns the right way everywhere but goes round more than once; from
    /// here on it crosses itself.
    WindsTwice {
        /// The vertex.
        index: usize,
    },
}

impl fmt::Display for ConvexityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite { index } => write!(
                f,
                "point {index} is not finite: give two ordinary numbers in metres"
            ),
            Self::TooLarge { index } => write!(
                f,
                "point {index} is too far out: coordinates reach up to {MAX_COORDINATE:e} m, \
                 move it closer to the origin"
            ),
            Self::TooFewPoints { distinct } => write!(
                f,
                "{distinct} distinct points: a polygon needs at least 3: add some, or \
                 give a point or segment"
            ),
            Self::TooManyPoints { count } => write!(
                f,
                "{count} points: a polygon holds at most {}: thin them out",
                u32::MAX
            ),
            Self::Reflex { index } => write!(
                f,
                "the outline is not convex at point {index}: it turns the other way there, \
                 split it into convex parts"
            ),
            Self::Spike { index } => write!(
                f,
                "the outline is not convex at point {index}: it doubles back on itself, remove \
                 the point"
            ),
            Self::WindsTwice { index } => write!(
                f,
                "the outline is not convex at point {index}: it goes round more than once, \
                 list each point once"
            ),
        }
    }
}

impl std::error::Error for ConvexityError {}

impl ConvexityError {
    /// The offending vertex, as a position in the given slice, where there is one.
    pub fn index(&self) -> Option<usize> {
        match *self {
            Self::NotFinite { index }
            | Self::TooLarge { index }
            | Self::Reflex { index }
            | Self::Spike { index }
            | Self::WindsTwice { index } => Some(index),
            Self::TooFewPoints { .. } | Self::TooManyPoints { .. } => None,
        }
    }
}

/// Exact sign of twice the area of the triangle `a`, `b`, `c`: positive when it runs
/// counter-clockwise.
///
/// Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric
/// predicates" (1997).
pub fn orientation(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    robust::orient2d(
        Coord { x: a.x, y: a.y },
        Coord { x: b.x, y: b.y },
        Coord { x: c.x, y: c.y },
    )
}

/// Lexicographic order of two points, x first.
pub(crate) fn before(a: DVec2, b: DVec2) -> bool {
    a.x < b.x || (a.x == b.x && a.y < b.y)
}

/// Checks that every coordinate is finite and not too large.
pub(crate) fn check_coordinates(points: &[DVec2]) -> Result<(), ConvexityError> {
    // One branch for the lot: NaN fails the comparison too.
    let fine = |p: DVec2| p.x.abs() <= MAX_COORDINATE && p.y.abs() <= MAX_COORDINATE;
    match points.iter().position(|p| !fine(*p)) {
        None => Ok(()),
        Some(index) if points[index].is_finite() => Err(ConvexityError::TooLarge { index }),
        Some(index) => Err(ConvexityError::NotFinite { index }),
    }
}

/// How many different points there are, counted no further than three.
pub(crate) fn distinct_up_to_three(points: &[DVec2]) -> usize {
    let Some(&first) = points.first() else {
        return 0;
    };
    let Some(second) = points.iter().find(|&&p| p != first) else {
        return 1;
    };
    if points.iter().any(|p| *p != first && p != second) {
        3
    } else {
        2
    }
}

/// Checks that points in order round an outline bound a convex set.
///
/// Repeated neighbours and points on a straight edge are fine. On success says which way
/// the outline runs; a flat outline there and back is convex and [`Winding::Flat`].
/// Fails with the first vertex at fault.
///
/// A closed outline that turns only one way is convex if it changes between lexicographically
/// rising and falling exactly twice; more changes mean it winds more than once.
pub fn check_convex(points: &[DVec2]) -> Result<Winding, ConvexityError> {
    check_coordinates(points)?;
    let distinct = distinct_up_to_three(points);
    if distinct < 3 {
        return Err(ConvexityError::TooFewPoints { distinct });
    }
    let ring = Ring { points };
    let start = ring.lowest();
    // The lowest point is a corner of the hull, so its turn is that of the outline.
    let turn = ring.turn(start);
    if turn == 0.0 {
        return ring.check_flat(start);
    }
    ring.check_turns(start, turn)?;
    Ok(if turn > 0.0 {
        Winding::CounterClockwise
    } else {
        Winding::Clockwise
    })
}

/// Points round an outline, with neighbours that skip repeated points.
struct Ring<'a> {
    points: &'a [DVec2],
}

impl Ring<'_> {
    fn lowest(&self) -> usize {
        let mut lowest = 0;
        for (index, &point) in self.points.iter().enumerate() {
            if before(point, self.points[lowest]) {
                lowest = index;
            }
        }
        lowest
    }

    /// The next index whose point differs. The caller knows that there is one.
    fn next(&self, from: usize) -> usize {
        let mut index = from;
        loop {
            index = if index + 1 == self.points.len() {
                0
            } else {
                index + 1
            };
            if self.points[index] != self.points[from] {
                return index;
            }
        }
    }

    fn previous(&self, from: usize) -> usize {
        let mut index = from;
        loop {
            index = index.checked_sub(1).unwrap_or(self.points.len() - 1);
            if self.points[index] != self.points[from] {
                return index;
            }
        }
    }

    fn turn(&self, index: usize) -> f64 {
        orientation(
            self.points[self.previous(index)],
            self.points[index],
            self.points[self.next(index)],
        )
    }

    /// Walks once round from the lowest point, looking for a turn against `turn`, a
    /// reversal, or a second time round.
    fn check_turns(&self, start: usize, turn: f64) -> Result<(), ConvexityError> {
        let points = self.points;
        let mut changes = 0;
        let mut previous = start;
        let mut current = self.next(start);
        let mut rising = true;
        for _ in 0..points.len() {
            let next = self.next(current);
            let now_rising = before(points[current], points[next]);
            let here = orientation(points[previous], points[current], points[next]);
            if here * turn.signum() < 0.0 {
                return Err(ConvexityError::Reflex { index: current });
            }
            if here == 0.0 && now_rising != rising {
                return Err(ConvexityError::Spike { index: current });
            }
            if now_rising != rising {
                changes += 1;
                rising = now_rising;
                if changes > 2 {
                    return Err(ConvexityError::WindsTwice { index: current });
                }
            }
            previous = current;
            current = next;
            // Back at the first edge: every corner has been seen.
            if points[previous] == points[start] && self.is_past(start, previous) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether `index` is in the run of equal points that `start` belongs to.
    fn is_past(&self, start: usize, index: usize) -> bool {
        index == start || self.next(start) == self.next(index)
    }

    /// All points on a line: convex if the outline goes there and back once.
    fn check_flat(&self, start: usize) -> Result<Winding, ConvexityError> {
        let points = self.points;
        let (previous, next) = (points[self.previous(start)], points[self.next(start)]);
        let off = |p: &DVec2| {
            orientation(points[start], next, *p) != 0.0
                || orientation(points[start], previous, *p) != 0.0
        };
        if points.iter().any(off) {
            return Err(ConvexityError::Spike { index: start });
        }
        let mut rising = true;
        let mut changes = 0;
        let mut current = self.next(start);
        for _ in 0..points.len() {
            if current == start || points[current] == points[start] {
                break;
            }
            let after = self.next(current);
            let now_rising = before(points[current], points[after]);
            if now_rising != rising {
                changes += 1;
                rising = now_rising;
                if changes > 1 {
                    return Err(ConvexityError::Spike { index: current });
                }
            }
            current = after;
        }
        Ok(Winding::Flat)
    }
}
