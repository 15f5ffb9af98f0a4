//! What the tests of this crate share: a generator, random shapes, and answers found
//! without any of the crate's searches.
#![allow(dead_code)]

use drystone_planar::glam::DVec2;
use drystone_planar::{Pose2, Separation2, Shape2};

/// SplitMix64: a small generator with a fixed sequence.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in 0..1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    pub(crate) fn vector(&mut self, reach: f64) -> DVec2 {
        DVec2::new(self.range(-reach, reach), self.range(-reach, reach))
    }

    pub(crate) fn pose(&mut self, reach: f64) -> Pose2 {
        let angle = self.range(-4.0, 4.0);
        Pose2::new(self.vector(reach), angle)
    }
}

/// Points on an ellipse at random or even angles: all of them corners of their hull.
pub(crate) fn round_polygon(random: &mut Random, count: usize, half: DVec2) -> Vec<DVec2> {
    let offset = random.range(0.0, 6.0);
    (0..count)
        .map(|index| {
            let angle = offset + std::f64::consts::TAU * index as f64 / count as f64;
            let (sin, cos) = libm::sincos(angle);
            half * DVec2::new(cos, sin)
        })
        .collect()
}

/// Ring vertices of a polygon shape placed by a pose.
pub(crate) fn placed(shape: &Shape2, pose: &Pose2) -> Vec<DVec2> {
    let polygon = shape.as_polygon().expect("a polygon");
    polygon
        .vertices()
        .iter()
        .map(|&v| pose.transform(v))
        .collect()
}

/// Support height by a scan over all vertices.
pub(crate) fn highest(points: &[DVec2], direction: DVec2) -> f64 {
    points
        .iter()
        .map(|p| p.dot(direction))
        .fold(f64::NEG_INFINITY, f64::max)
}

/// Distance of a point and a segment.
pub(crate) fn point_segment(point: DVec2, from: DVec2, to: DVec2) -> f64 {
    let along = to - from;
    if along == DVec2::ZERO {
        return (point - from).length();
    }
    let t = ((point - from).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    (point - (from + along * t)).length()
}

/// Signed distance of two convex rings by looking at every edge against every vertex:
/// the least height over all edge normals when it is negative (separating axes), else the
/// least distance of a vertex and an edge.
pub(crate) fn signed_distance(a: &[DVec2], b: &[DVec2]) -> f64 {
    let mut gap = f64::NEG_INFINITY;
    let mut apart = f64::INFINITY;
    for (one, other) in [(a, b), (b, a)] {
        for index in 0..one.len() {
            let (from, to) = (one[index], one[(index + 1) % one.len()]);
            let along = to - from;
            if along != DVec2::ZERO {
                let outward = DVec2::new(along.y, -along.x) / along.length();
                // Both supports: an edge a rounding long may not face where it should.
                gap = gap.max(-highest(other, -outward) - highest(one, outward));
            }
            for &point in other {
                apart = apart.min(point_segment(point, from, to));
            }
        }
    }
    if gap < 0.0 && gap.is_finite() {
        gap
    } else {
        apart
    }
}

/// How far a point lies outside of a convex counter-clockwise ring; zero inside.
pub(crate) fn outside(ring: &[DVec2], point: DVec2) -> f64 {
    let beyond = (0..ring.len()).any(|index| {
        let (from, to) = (ring[index], ring[(index + 1) % ring.len()]);
        (to - from).perp_dot(point - from) < 0.0
    });
    if !beyond && ring.len() > 2 {
        return 0.0;
    }
    (0..ring.len())
        .map(|index| point_segment(point, ring[index], ring[(index + 1) % ring.len()]))
        .fold(f64::INFINITY, f64::min)
}

/// Checks the certificate of an answer from outside, by scans over all vertices, for two
/// rings with radii. Panics with `what` if it does not hold to `tolerance` metres.
pub(crate) fn check_certificate(
    a: &[DVec2],
    b: &[DVec2],
    radii: (f64, f64),
    answer: &Separation2,
    tolerance: f64,
    what: &str,
) {
    let Separation2 { lower, upper, .. } = *answer;
    assert!(lower <= upper, "{what}: {answer:?}");
    assert!(upper - lower <= tolerance, "{what}: wide {answer:?}");
    let n = answer.normal;
    assert!((n.length() - 1.0).abs() < 1e-14, "{what}: normal {n}");
    let gap = -highest(b, -n) - highest(a, n) - radii.0 - radii.1;
    assert!(
        (gap - lower).abs() <= tolerance,
        "{what}: lower {lower} is not the gap {gap}: {answer:?}"
    );
    let between = answer.point_b - answer.point_a;
    assert!(
        (between - n * answer.distance()).length() <= tolerance,
        "{what}: witnesses {answer:?}"
    );
    for (ring, point, radius) in [(a, answer.point_a, radii.0), (b, answer.point_b, radii.1)] {
        assert!(
            outside(ring, point) <= radius + tolerance,
            "{what}: witness off the shape {answer:?}"
        );
    }
}

/// `actual` and `expected` within `tolerance`.
pub(crate) fn assert_near(actual: f64, expected: f64, tolerance: f64, what: &str) {
    assert!(
        (actual - expected).abs() <= tolerance,
        "{what}: {actual} is not {expected} to {tolerance}"
    );
}

/// Signed distance of any two shapes as the largest gap over all directions: a scan of
/// `count` directions, then the best ones refined by thirds. Good to about 1e-12 of size.
pub(crate) fn scanned_distance(a: &Shape2, b: &Shape2, b_in_a: &Pose2, count: usize) -> f64 {
    let step = std::f64::consts::TAU / count as f64;
    let gap = |angle: f64| {
        let (sin, cos) = libm::sincos(angle);
        let n = DVec2::new(cos, sin);
        let on_a = a.support(n).0;
        let on_b = b_in_a.transform(b.support(b_in_a.unrotate(-n)).0);
        (on_b - on_a).dot(n)
    };
    let gaps: Vec<f64> = (0..count).map(|index| gap(step * index as f64)).collect();
    let mut best = f64::NEG_INFINITY;
    for index in 0..count {
        let (before, after) = (gaps[(index + count - 1) % count], gaps[(index + 1) % count]);
        if gaps[index] < before || gaps[index] < after {
            continue;
        }
        let (mut low, mut high) = (step * (index as f64 - 1.0), step * (index as f64 + 1.0));
        for _ in 0..100 {
            let third = (high - low) / 3.0;
            if gap(low + third) < gap(high - third) {
                low += third;
            } else {
                high -= third;
            }
        }
        best = best.max(gap(0.5 * (low + high))).max(gaps[index]);
    }
    best
}
