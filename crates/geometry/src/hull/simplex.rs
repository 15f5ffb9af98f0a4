//! The first tetrahedron of a hull, or why there is none.

use glam::DVec3;

use super::HullError;
use super::quickhull::height_sign;
use super::slack::Slack;
use crate::tolerance;

/// Four far apart points among `points[candidates]`.
///
/// The two farthest apart of the extremes along the axes, the point farthest from their
/// line, and the point farthest from the plane of the three; ties go to the earlier
/// candidate.
///
/// # Errors
///
/// When a distance is not beyond [`tolerance::SOLID_SLACK`] times rounding, or the first not
/// beyond [`tolerance::MIN_SIZE`], or another not beyond [`tolerance::THINNEST`] of the first,
/// says which.
pub(super) fn find(
    points: &[DVec3],
    candidates: &[u32],
    slack: &Slack,
) -> Result<[u32; 4], HullError> {
    let at = |index: u32| points[index as usize];
    let (a, b) = farthest_extremes(points, candidates);
    let along = at(b) - at(a);
    let spread = along.length();
    let required = |direction: DVec3| tolerance::SOLID_SLACK * slack.of_plane(direction);
    let axis = if spread > 0.0 {
        along / spread
    } else {
        DVec3::X
    };
    let least = required(axis).max(f64::from(tolerance::MIN_SIZE));
    if spread <= least {
        return Err(HullError::Coincident {
            spread,
            required: least,
        });
    }

    let required = |direction: DVec3| required(direction).max(tolerance::THINNEST * spread);
    let from_line = |p: DVec3| (p - at(a)) - axis * axis.dot(p - at(a));
    let c = farthest(candidates, |index| from_line(at(index)).length_squared());
    let across = from_line(at(c));
    let width = across.length();
    let side = if width > 0.0 {
        across / width
    } else {
        DVec3::ZERO
    };
    if width <= required(side) {
        return Err(HullError::Collinear {
            width,
            required: required(side),
        });
    }

    let normal = axis.cross(side);
    let d = farthest(candidates, |index| normal.dot(at(index) - at(a)).abs());
    let thickness = normal.dot(at(d) - at(a)).abs();
    let flat = height_sign(at(a), at(b), at(c), at(d)) == 0.0;
    if flat || thickness <= required(normal) {
        return Err(HullError::Coplanar {
            thickness,
            required: required(normal),
        });
    }
    Ok([a, b, c, d])
}

/// The two extremes along the axes that are farthest apart.
fn farthest_extremes(points: &[DVec3], candidates: &[u32]) -> (u32, u32) {
    let mut extremes = [candidates[0]; 6];
    for &index in candidates {
        let p = points[index as usize];
        for axis in 0..3 {
            if p[axis] < points[extremes[2 * axis] as usize][axis] {
                extremes[2 * axis] = index;
            }
            if p[axis] > points[extremes[2 * axis + 1] as usize][axis] {
                extremes[2 * axis + 1] = index;
            }
        }
    }
    let mut best = (extremes[0], extremes[1]);
    let mut best_sq = -1.0;
    for (i, &a) in extremes.iter().enumerate() {
        for &b in &extremes[i + 1..] {
            let distance_sq = points[a as usize].distance_squared(points[b as usize]);
            if distance_sq > best_sq {
                best = (a, b);
                best_sq = distance_sq;
            }
        }
    }
    best
}

/// The first candidate with the largest measure.
fn farthest(candidates: &[u32], measure: impl Fn(u32) -> f64) -> u32 {
    let mut best = candidates[0];
    let mut most = f64::NEG_INFINITY;
    for &index in candidates {
        let value = measure(index);
        if value > most {
            best = index;
            most = value;
        }
    }
    best
}
