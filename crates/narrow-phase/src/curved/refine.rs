//! The closest directions of curved shapes found from those of the last frame: Newton's method on
//! the sphere of directions instead of a search.
//!
//! The vertex `w` of the Minkowski difference that lies least along `n` is the nearest to the
//! origin when `w` and `n` are parallel. As `n` turns by a small `e`, `w` moves by `-R e`, with
//! `R` the radii of curvature of both shapes at that point together. So with `w = g n + t`, the
//! turn that makes them parallel is `(R + g)^-1 t`. A few steps suffice; where shapes have lines
//! and faces, between which supports jump, the steps do not settle, and a search is made.
//!
//! The proof needs no search either. The distance is at least `g`, whatever the direction. A
//! convex set whose radii of curvature are all at least `r` is the sum of a ball of that radius
//! and another convex set (Blaschke's rolling theorem; Schneider, *Convex Bodies*, section 3.2),
//! so the difference holds a ball of radius `r` that touches its boundary at `w` from within. The
//! origin is no farther from the difference than from that ball and, inside, no nearer to its
//! boundary. Of shapes that are apart `w` itself bounds the distance.

use drystone_geometry::Separation;
use drystone_geometry::glam::DVec3;
use drystone_geometry::shape::curved::Curved;

use super::{Figure, Supports};
use crate::convex::NO_HINT;
use crate::difference::Difference;
use crate::tolerance::{LEVEL_SINE, MAX_REFINEMENTS, MAX_REFINING_TURN};

/// The second derivative of a support function, on two tangents: xx, xy, yy, in metres.
#[derive(Clone, Copy)]
struct Radii([f64; 3]);

impl Radii {
    /// Adds what a figure has at `point`, whose outward normal is the unit `outward`, both in
    /// its own frame, as are the tangents.
    fn add(&mut self, figure: &Figure<'_>, outward: DVec3, point: DVec3, tangents: [DVec3; 2]) {
        let Figure::Curved(solid) = figure else {
            return;
        };
        let bend = solid.bend(outward, point);
        let along = outward.cross(bend.across);
        let [first, second] = tangents;
        for (aside, radius) in [
            (bend.across, bend.radius_across),
            (along, bend.radius_along),
        ] {
            let (x, y) = (aside.dot(first), aside.dot(second));
            self.0[0] += radius * x * x;
            self.0[1] += radius * x * y;
            self.0[2] += radius * y * y;
        }
    }

    /// `(R + gap)^-1 (x, y)`; nothing unless `R + gap` is positive.
    fn solve(&self, gap: f64, [x, y]: [f64; 2]) -> Option<[f64; 2]> {
        let (xx, xy, yy) = (self.0[0] + gap, self.0[1], self.0[2] + gap);
        let determinant = xx * yy - xy * xy;
        let sound = xx > 0.0 && determinant > 0.0;
        sound.then(|| {
            [
                (yy * x - xy * y) / determinant,
                (xx * y - xy * x) / determinant,
            ]
        })
    }
}

/// The least radius of curvature of a figure, in metres; 0 where there are edges or flats.
fn least_radius(figure: &Figure<'_>) -> f64 {
    match figure {
        Figure::Curved(Curved::Ellipsoid(semi_axes)) => {
            let least = semi_axes.min_element();
            least * least / semi_axes.max_element()
        }
        _ => 0.0,
    }
}

impl Supports<'_> {
    /// The separation from a direction that is near the closest one, with the steps it took; only
    /// what its bounds prove, or a gap above `limit` metres.
    pub(super) fn refine(&self, direction: DVec3, limit: f64) -> Option<(Separation, u32)> {
        let mut normal = direction.try_normalize()?;
        let inner = least_radius(self.a) + least_radius(self.b);
        for step in 1..=MAX_REFINEMENTS {
            let inward = -self.b_in_a.inverse_rotate(normal);
            let on_a = self.a.support(normal, NO_HINT).0;
            let local = self.b.support(inward, NO_HINT).0;
            let on_b = self.b_in_a.transform_point(local);
            let w = on_b - on_a;
            let gap = normal.dot(w);
            let aside = w - gap * normal;
            let upper = if gap > 0.0 {
                w.length()
            } else if inner + gap > 0.0 {
                let room = (inner + gap) * (inner + gap) + aside.length_squared();
                room.sqrt() - inner
            } else {
                // Deeper than the ball is wide, nothing is known.
                return None;
            };
            let upper = upper.max(gap);
            if gap > limit || self.is_close(gap, upper) {
                let told = Separation {
                    lower: gap,
                    upper,
                    point_a: on_a,
                    point_b: on_b,
                    normal,
                    feature_a: self.a.feature(normal, LEVEL_SINE),
                    feature_b: self.b.feature(inward, LEVEL_SINE),
                };
                return Some((told, step));
            }
            let first = normal.any_orthonormal_vector();
            let second = normal.cross(first);
            let mut radii = Radii([0.0; 3]);
            radii.add(self.a, normal, on_a, [first, second]);
            let tangents = [first, second].map(|tangent| self.b_in_a.inverse_rotate(tangent));
            radii.add(self.b, inward, local, tangents);
            let [x, y] = radii.solve(gap, [aside.dot(first), aside.dot(second)])?;
            let turn = x * first + y * second;
            if turn.length_squared() > MAX_REFINING_TURN * MAX_REFINING_TURN {
                return None;
            }
            normal = (normal + turn).try_normalize()?;
        }
        None
    }
}
