//! Showing from one contact that its depth is the least of all.
//!
//! The depth along a direction `u` is how far the Minkowski difference D = B - A reaches along it.
//! Where A and B are farthest along their common normal, each holds more than a point: some of a
//! face, a line, an arc of a rim, a piece of an ellipsoid. So along `u`, at an angle `t` from the
//! direction whose depth is `d` and towards the tangent `e`, D reaches at least
//!
//! `d cos t + (e.K e) sin^2 t`,
//!
//! with a matrix `K` that is the sum of what the shapes hold:
//!
//! - A line that goes on for `l` both ways along `a` reaches `l |a.e| sin t`, so its `K` is `l a a`.
//!   A disc of radius `r` on a face has `r` in all directions.
//! - A circle of radius `r` with the tangent `a` at its farthest point reaches `r (|q| - m.q)`, with
//!   `q` the part of `u` in its plane and `m` the unit part of the contact's direction: that is
//!   `r (q.a)^2 / (|q| + m.q)`, at least `r / 2 (a.e)^2 sin^2 t`.
//! - An ellipsoid of semi-axes `E` reaches `|E u| - Em.Eu / |Em| = |Em x Eu|^2 / (|Em| (|Em| |Eu| +
//!   Em.Eu))`. Its radii of curvature are `R = |Em x Ee|^2 / |Em|^3` along `e`, so `K` is at least
//!   `R |Em| / (2 max E)`.
//!
//! With `k` the least eigenvalue of `K` that is `d` or more as long as `1 + cos t` is at least
//! `d / k`: for a shallow contact almost all round. The rest is behind, where balls inside the
//! shapes reach far.
//!
//! If the points of the contact are `s` aside of their normal, what they reach lacks `s sin t`.
//! A quarter of `k` makes up for all of it but `s^2 / k`.

use drystone_geometry::glam::DVec3;

use super::side::Side;
use crate::least::Balls;
use crate::tolerance::FARTHEST_PROVED;

/// The matrix `K`, on two tangents: xx, xy, yy, in metres.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    tangents: [DVec3; 2],
    entries: [f64; 3],
    /// By how much what is reached may be less than told, in metres.
    lost: f64,
}

impl Reach {
    /// Nothing, around a unit normal.
    pub(super) fn around(normal: DVec3) -> Self {
        let first = normal.any_orthonormal_vector();
        Self {
            tangents: [first, normal.cross(first)],
            entries: [0.0; 3],
            lost: 0.0,
        }
    }

    /// The same where a face or line is not level: `fall` is how much lower its far end is, in metres.
    /// At most so much less does it reach beyond the point of the contact than if it were, and that
    /// point lies lower by as much at most than what is farthest.
    pub(super) fn falling(self, fall: f64) -> Self {
        self.less(2.0 * fall)
    }

    /// The same if what is reached may be less by so much, in metres.
    pub(super) fn less(mut self, amount: f64) -> Self {
        self.lost += amount;
        self
    }

    /// The same in every direction.
    pub(super) fn all_round(mut self, amount: f64) -> Self {
        self.entries[0] += amount;
        self.entries[2] += amount;
        self
    }

    /// So much along a unit tangent, and so much at a right angle to it.
    pub(super) fn along(mut self, normal: DVec3, tangent: DVec3, amounts: [f64; 2]) -> Self {
        let [first, second] = self.tangents;
        for (direction, amount) in [(tangent, amounts[0]), (normal.cross(tangent), amounts[1])] {
            let (x, y) = (direction.dot(first), direction.dot(second));
            self.entries[0] += amount * x * x;
            self.entries[1] += amount * x * y;
            self.entries[2] += amount * y * y;
        }
        self
    }

    /// The least eigenvalue.
    fn least(&self) -> f64 {
        let [xx, xy, yy] = self.entries;
        let (mean, half) = (0.5 * (xx + yy), 0.5 * (xx - yy));
        mean - (half * half + xy * xy).sqrt()
    }

    /// By how much at most, in metres, the depth along another direction is less than `depth`,
    /// found along `normal` at points `aside` metres aside of it; nothing if that is not shown.
    pub(super) fn slack(
        &self,
        sides: &[Side<'_>; 2],
        normal: DVec3,
        depth: f64,
        aside: f64,
    ) -> Option<f64> {
        let least = self.least();
        let share = 0.75 * least;
        if share <= 0.5 * depth {
            return None;
        }
        // `1 + cos t = d / k` as the tangent of half of `t`.
        let tangent = (2.0 * share - depth).min(FARTHEST_PROVED * FARTHEST_PROVED * depth)
            / depth.max(f64::MIN_POSITIVE);
        let balls = Balls::between(sides[0].inner_ball(), sides[1].inner_ball());
        balls
            .reach_beyond(-normal, tangent.sqrt(), depth)
            .then(|| aside * aside / least + self.lost)
    }
}
