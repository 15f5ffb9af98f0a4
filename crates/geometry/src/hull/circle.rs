//! Searches among values in a circle that rise once and fall once, as those of a linear function
//! do at the corners of a convex polygon.

use glam::DVec3;

use crate::tolerance::CLIMB_NEIGHBOURS;

/// For directions in the plane of a convex polygon, about where its farthest corner is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Compass {
    /// An orthonormal basis of the plane.
    axes: [DVec3; 2],
    /// The farthest corner along the middle of each sector; sectors are counted from minus the
    /// first axis round.
    farthest: Vec<u32>,
}

impl Compass {
    /// For a polygon of `count` corners, at least one, that reach `value` along a direction in
    /// the plane with this normal. Takes four bytes for every two corners.
    pub(super) fn new(normal: DVec3, count: usize, value: impl Fn(DVec3, usize) -> f64) -> Self {
        let (along, across) = normal.normalize_or(DVec3::Y).any_orthonormal_pair();
        let sectors = count.div_ceil(2);
        let mut farthest = Vec::with_capacity(sectors);
        let mut corner = 0;
        for sector in 0..sectors {
            let turn = 4.0 * (sector as f64 + 0.5) / sectors as f64;
            let (x, y) = if turn < 2.0 {
                (turn - 1.0, 1.0 - (turn - 1.0).abs())
            } else {
                (3.0 - turn, (turn - 3.0).abs() - 1.0)
            };
            let direction = x * along + y * across;
            corner = if sector == 0 {
                cyclic_max(count, |index| value(direction, index))
            } else {
                cyclic_climb(count, corner, |index| value(direction, index))
            };
            farthest.push(corner as u32);
        }
        Self {
            axes: [along, across],
            farthest,
        }
    }

    /// The corner that is farthest along a direction near `direction`, which may lean out of the
    /// plane and be of any length.
    #[inline]
    pub(super) fn near(&self, direction: DVec3) -> usize {
        let sectors = self.farthest.len();
        let sector = (0.25 * turn(direction, self.axes) * sectors as f64) as usize;
        self.farthest[sector.min(sectors - 1)] as usize
    }
}

/// How far a direction is turned from minus the first axis on, from 0 to 4, all round: instead of
/// an angle the way round a square that stands on a corner, 5 degrees off at most.
#[inline]
pub(super) fn turn(direction: DVec3, [along, across]: [DVec3; 2]) -> f64 {
    let (x, y) = (direction.dot(along), direction.dot(across));
    let share = x / (x.abs() + y.abs());
    if y >= 0.0 { 1.0 + share } else { 3.0 - share }
}

/// Index of the largest of `count` values in a circle that rise once and fall once.
/// Logarithmic; where rounding breaks the rule, a value that no neighbour exceeds.
pub(super) fn cyclic_max(count: usize, value: impl Fn(usize) -> f64) -> usize {
    let stride = (count / 6).max(1);
    let mut best = (value(0), 0);
    for index in (stride..count).step_by(stride) {
        let next = value(index);
        if next > best.0 {
            best = (next, index);
        }
    }
    narrowed(count, best, stride, value)
}

/// The same, searched from `start` on: logarithmic in how far the top is.
pub(super) fn cyclic_climb(count: usize, start: usize, value: impl Fn(usize) -> f64) -> usize {
    let after = |index: usize| if index + 1 < count { index + 1 } else { 0 };
    let before = |index: usize| if index > 0 { index - 1 } else { count - 1 };
    let (next, previous) = (after(start), before(start));
    let (ahead, behind) = (value(next), value(previous));
    let forward = ahead >= behind;
    if ahead.max(behind) <= value(start) {
        return start;
    }
    let mut best = if forward {
        (ahead, next)
    } else {
        (behind, previous)
    };
    for _ in 0..CLIMB_NEIGHBOURS {
        let index = if forward {
            after(best.1)
        } else {
            before(best.1)
        };
        let farther = value(index);
        if farther <= best.0 {
            return best.1;
        }
        best = (farther, index);
    }
    let mut stride = 2;
    while 2 * stride <= count {
        let index = if forward {
            best.1 + stride
        } else {
            best.1 + count - stride
        } % count;
        let farther = value(index);
        if farther <= best.0 {
            break;
        }
        best = (farther, index);
        stride *= 2;
    }
    narrowed(count, best, stride, value)
}

/// The top from one of the values, which lies less than `stride` away from it.
fn narrowed(
    count: usize,
    mut best: (f64, usize),
    mut stride: usize,
    value: impl Fn(usize) -> f64,
) -> usize {
    // Between equals the top may lie on either side; a step of at least half a stride on
    // both sides of the best covers the gap.
    loop {
        let step = stride.div_ceil(2);
        let before = best.1;
        for index in [(before + step) % count, (before + count - step) % count] {
            let next = value(index);
            if next > best.0 {
                best = (next, index);
            }
        }
        if stride == 1 && best.1 == before {
            return best.1;
        }
        stride = step;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Heights of a regular polygon's corners along every direction, for many counts. The
    /// answer is known by a scan.
    #[test]
    fn the_top_of_a_circle_of_values_is_found() {
        for count in [3usize, 4, 7, 33, 64, 1000, 10_007] {
            for turn in 0..97 {
                let angle = f64::from(turn) * 0.31;
                let value = |index: usize| {
                    let at = std::f64::consts::TAU * index as f64 / count as f64;
                    libm::cos(at - angle)
                };
                let most = (0..count).map(value).fold(f64::NEG_INFINITY, f64::max);
                assert_eq!(value(cyclic_max(count, value)), most, "{count}, {turn}");
                for start in [0, count / 3, count - 1] {
                    let top = cyclic_climb(count, start, value);
                    assert_eq!(value(top), most, "{count}, {turn} from {start}");
                }
            }
        }
    }

    /// The same polygons in a tilted plane: the corner that a compass names is next to the
    /// farthest one, however the direction leans out of the plane.
    #[test]
    fn a_compass_points_next_to_the_farthest_corner() {
        let normal = DVec3::new(0.3, -0.8, 0.52).normalize();
        let (along, across) = normal.any_orthonormal_pair();
        for count in [3usize, 33, 1000, 10_007] {
            let corner = |index: usize| {
                let (sin, cos) = libm::sincos(std::f64::consts::TAU * index as f64 / count as f64);
                sin * along + cos * across
            };
            let compass = Compass::new(normal, count, |d, index| corner(index).dot(d));
            for turn in 0..97 {
                let (sin, cos) = libm::sincos(f64::from(turn) * 0.31);
                let direction = 3.0 * (cos * along + sin * across) - 0.5 * normal;
                let reach = |index: usize| corner(index).dot(direction);
                let near = compass.near(direction);
                let farthest = cyclic_max(count, reach);
                let off = near.abs_diff(farthest);
                assert!(off.min(count - off) <= 2, "{count}, {turn}: off by {off}");
            }
        }
    }
}
