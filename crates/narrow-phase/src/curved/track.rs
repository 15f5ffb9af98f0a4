//! The closest or deepest points of curved shapes from those of the last frame, without a search.
//!
//! The state is a feature of each shape and a normal. The features say which normals they are
//! farthest along (see [`Normals`]): a face has one, two lines that cross have one in common, and
//! what is left is a root in one unknown, for a line and something round, or in two. The vertex
//! `w` of the Minkowski difference B - A that lies least along `n` is the nearest to the origin
//! when `w` and `n` are parallel. As `n` turns by a small `e`, `w` moves by `-R e`, with `R` the
//! radii of curvature of both shapes together. So with `w = g n + t`, the turn that makes them
//! parallel is `(R + g)^-1 t`; along a line, whose points are all as far, only what of `t` is
//! across it counts. A few steps of Newton's method suffice.
//!
//! When the point on a line comes to its end, or the normal passes to another feature, the state
//! goes there, as a walk of Lin and Canny does.
//!
//! An answer carries its proof. The distance is at least `g` whatever the direction, and at most
//! that of two points of the shapes; that a depth is the least of all, [`super::depth`] shows from
//! the features. What is not proved is left to a search.

use drystone_geometry::glam::DVec3;
use drystone_geometry::{Feature, Separation};

use super::Supports;
use super::depth::Reach;
use super::face::Over;
use super::side::{Foot, Normals, Side};
use crate::difference::Difference;
use crate::gjk::Seed;
use crate::tolerance::{
    LEVEL_SINE, MAX_ESCAPES, MAX_REFINING_TURN, MAX_TRACKED_STATES, PARALLEL_SLIDE_SINE_SQ,
    SETTLED_TURN,
};

/// A pair of features and a normal.
pub(super) struct State<'a> {
    pub(super) sides: [Side<'a>; 2],
    pub(super) features: [Feature; 2],
    /// Unit, A to B, in A's frame.
    pub(super) normal: DVec3,
    /// Of each figure, the normal at which it was last seen with this feature.
    before: [Option<DVec3>; 2],
    escapes: u32,
}

/// Points of both figures that may be the closest or deepest.
pub(super) struct Contact {
    pub(super) points: [DVec3; 2],
    pub(super) features: [Feature; 2],
    /// Unit, A to B.
    pub(super) normal: DVec3,
    /// Along the normal, between the points, faces or lines that the contact is on.
    pub(super) gap: f64,
    /// How far both figures reach aside.
    pub(super) reach: Reach,
}

/// What a state leads to.
pub(super) enum Next {
    /// To be proved; if it cannot be, the state has moved on as told.
    Try(Contact, Move),
    /// Another state.
    Moved,
    /// A search must find the answer.
    Lost,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// A step that is not small.
    Far,
    /// A small step: the depth is what it will be.
    Settled,
    /// None.
    Ends,
}

impl Supports<'_> {
    /// The separation from features and a direction that are near the closest ones, with the
    /// states it took; only what its bounds prove, or a gap above `limit` metres.
    pub(super) fn track(&self, seed: &Seed, limit: f64) -> Option<(Separation, u32)> {
        let features = seed.features?;
        let sides = [Side::a(self.a), Side::b(self.b, self.b_in_a)];
        if !sides[0].has(features[0]) || !sides[1].has(features[1]) {
            return None;
        }
        let mut state = State {
            sides,
            features,
            normal: seed.direction.try_normalize()?,
            before: [None; 2],
            escapes: 0,
        };
        for step in 1..=MAX_TRACKED_STATES {
            match state.next() {
                Next::Moved => {}
                Next::Lost => return None,
                Next::Try(contact, moved) => {
                    let upper = contact.upper(&sides);
                    let is_known = upper.is_some();
                    let lower = contact.lower(&sides);
                    if let Some(upper) = upper
                        && (lower > limit || self.is_close(lower, upper))
                    {
                        let answer = Separation {
                            lower,
                            upper,
                            point_a: contact.points[0],
                            point_b: contact.points[1],
                            normal: contact.normal,
                            feature_a: contact.features[0],
                            feature_b: contact.features[1],
                        };
                        return Some((answer, step));
                    }
                    if moved == Move::Ends || (moved == Move::Settled && !is_known) {
                        return None;
                    }
                }
            }
        }
        None
    }
}

impl Contact {
    /// The lower bound: faces and edges of hulls are level but for rounding, so that other corners
    /// than theirs may be farther along the normal.
    fn lower(&self, sides: &[Side<'_>; 2]) -> f64 {
        let [a, b] = [0, 1].map(|k| {
            let side = &sides[k];
            side.support(self.normal, side.hint(self.features[k]))
        });
        (b - a).dot(self.normal).min(self.gap)
    }

    /// The upper bound; nothing for a depth that is not shown to be the least.
    fn upper(&self, sides: &[Side<'_>; 2]) -> Option<f64> {
        let offset = self.points[1] - self.points[0];
        if self.gap > 0.0 {
            return Some(offset.length().max(self.gap));
        }
        let along = offset.dot(self.normal).max(self.gap);
        let aside = (offset - along * self.normal).length();
        Some(along + self.reach.slack(sides, self.normal, -self.gap, aside)?)
    }
}

/// From A to B, or the other way round.
pub(super) fn sign(i: usize) -> f64 {
    if i == 0 { 1.0 } else { -1.0 }
}

/// Puts what belongs to side `i` and to the other in order.
pub(super) fn ordered<T>(i: usize, own: T, other: T) -> [T; 2] {
    if i == 0 { [own, other] } else { [other, own] }
}

impl State<'_> {
    fn next(&mut self) -> Next {
        let [a, b] = [0, 1].map(|i| self.sides[i].normals(self.features[i]));
        match (a, b) {
            (Normals::One(normal), _) => self.on_face(0, normal, b),
            (_, Normals::One(normal)) => self.on_face(1, normal, a),
            (Normals::Circle(own), Normals::Circle(other)) => {
                if own.axis.cross(other.axis).length_squared() < PARALLEL_SLIDE_SINE_SQ {
                    if (own.sine - own.axis.dot(other.axis) * other.sine).abs() > LEVEL_SINE {
                        // Side by side they have no normal in common.
                        let hint = self.sides[1].hint(self.features[1]);
                        let lowest = self.sides[1].lowest(self.normal, hint);
                        self.set(1, lowest);
                        return Next::Moved;
                    }
                    self.along_line(0, &own, true)
                } else {
                    self.crossing(&own, &other)
                }
            }
            (Normals::Circle(own), Normals::All) => self.along_line(0, &own, false),
            (Normals::All, Normals::Circle(own)) => self.along_line(1, &own, false),
            (Normals::All, Normals::All) => self.free(),
        }
    }

    pub(super) fn set(&mut self, i: usize, feature: Feature) {
        self.features[i] = feature;
        self.before[i] = None;
    }

    /// A face of side `i` and the farthest point of the other.
    fn on_face(&mut self, i: usize, normal: DVec3, others: Normals) -> Next {
        let j = 1 - i;
        self.normal = normal;
        let (own, other) = (self.sides[i], self.sides[j]);
        let on_own = own.support(normal, own.hint(self.features[i]));
        let on_other = other.support(normal, other.hint(self.features[j]));
        let gap = sign(i) * (on_other - on_own).dot(normal);
        let below = |point: DVec3| point - (point - on_own).dot(normal) * normal;
        let foot = below(on_other);
        let edge = match own.over(self.features[i], foot) {
            None => return Next::Lost,
            Some(Over::Face(room, sag)) => {
                self.features[j] = other.named(normal, LEVEL_SINE);
                if let Some(contact) = self.on_fold(i, room, sag, on_other) {
                    return Next::Try(contact, Move::Ends);
                }
                let foot = foot - sign(i) * sag * normal;
                let contact = Contact {
                    points: ordered(i, foot, on_other),
                    features: self.features,
                    normal: self.normal,
                    gap,
                    reach: Reach::around(normal).all_round(room),
                };
                return Next::Try(contact, Move::Ends);
            }
            Some(Over::Edge(edge)) => edge,
        };
        if let Normals::One(facing) = others {
            if facing.dot(normal) >= 1.0 - LEVEL_SINE * LEVEL_SINE {
                // Flush: any point of both will do.
                return self.flush(i, gap, facing, below);
            }
            let lowest = other.lowest(normal, other.hint(self.features[j]));
            self.set(j, lowest);
        }
        self.set(i, edge);
        Next::Moved
    }

    /// Two faces flat on each other: over the middle of one or the other.
    fn flush(&mut self, i: usize, gap: f64, facing: DVec3, below: impl Fn(DVec3) -> DVec3) -> Next {
        let j = 1 - i;
        let (own, other) = (self.sides[i], self.sides[j]);
        let (Some(middle), Some(own_middle)) =
            (other.middle(self.features[j]), own.middle(self.features[i]))
        else {
            return Next::Lost;
        };
        let rise = (middle - own_middle).dot(facing) / self.normal.dot(facing);
        for on_other in [middle, own_middle + rise * self.normal] {
            let foot = below(on_other);
            let over = (
                own.over(self.features[i], foot),
                other.over(self.features[j], on_other),
            );
            if let (Some(Over::Face(room, sag)), Some(Over::Face(other_room, other_sag))) = over {
                // The farthest point of the other face may be far off, on the side away from its
                // nearer border.
                let lies_lower = sign(i) * (on_other - foot).dot(self.normal) - gap;
                let falls = other_room * self.normal.cross(facing).length();
                let inward = sign(i) * self.normal;
                let points = ordered(i, foot - sag * inward, on_other + other_sag * inward);
                let contact = Contact {
                    points,
                    features: self.features,
                    normal: self.normal,
                    gap,
                    reach: Reach::around(self.normal)
                        .all_round(room + other_room)
                        .falling(lies_lower.max(falls)),
                };
                return Next::Try(contact, Move::Ends);
            }
        }
        Next::Lost
    }

    /// The farthest point of a feature that has all normals around one; nothing if the state has
    /// moved on to another feature that is there instead.
    pub(super) fn look(&mut self, k: usize) -> Option<Foot> {
        let foot = self.sides[k].foot(self.features[k], self.normal);
        if let Some(before) = self.before[k]
            && (!foot.is_farthest || foot.radii[0] > 0.0)
            && let Some(feature) = self.sides[k].between(self.features[k], before, self.normal)
        {
            self.set(k, feature);
            return None;
        }
        self.before[k] = Some(self.normal);
        Some(foot)
    }

    /// Two points, each of something round or a corner.
    fn free(&mut self) -> Next {
        let normal = self.normal;
        let (Some(a), Some(b)) = (self.look(0), self.look(1)) else {
            return Next::Moved;
        };
        let offset = b.point - a.point;
        let gap = offset.dot(normal);
        if gap > 0.0 {
            for (k, other) in [(0, b.point), (1, a.point)] {
                if let Some(cap) = self.sides[k].cap_below(self.features[k], other) {
                    self.set(k, cap);
                    return Next::Moved;
                }
            }
        }
        let aside = offset - gap * normal;
        let first = normal.any_orthonormal_vector();
        let second = normal.cross(first);
        let mut radii = [gap, 0.0, gap];
        for foot in [&a, &b] {
            let along = normal.cross(foot.across);
            for (direction, radius) in [(foot.across, foot.radii[0]), (along, foot.radii[1])] {
                let (x, y) = (direction.dot(first), direction.dot(second));
                radii[0] += radius * x * x;
                radii[1] += radius * x * y;
                radii[2] += radius * y * y;
            }
        }
        let [xx, xy, yy] = radii;
        let determinant = xx * yy - xy * xy;
        if xx <= 0.0 || determinant <= 0.0 {
            return self.escape(gap);
        }
        let (x, y) = (aside.dot(first), aside.dot(second));
        let turn = ((yy * x - xy * y) * first + (xx * y - xy * x) * second) / determinant;
        let turn = turn.clamp_length_max(MAX_REFINING_TURN);
        self.normal = (normal + turn).normalize_or(normal);
        let moved = if turn.length_squared() < SETTLED_TURN * SETTLED_TURN {
            Move::Settled
        } else {
            Move::Far
        };
        let reach = Reach::around(normal)
            .along(normal, a.across, a.reach)
            .along(normal, b.across, b.reach);
        let contact = Contact {
            points: [a.point, b.point],
            features: self.features,
            normal,
            gap,
            reach,
        };
        Next::Try(contact, moved)
    }

    /// Goes to the face or line next to these features along which the gap is widest, if it is
    /// wider than here: where figures overlap, corners and rims alone are at no least depth.
    pub(super) fn escape(&mut self, gap: f64) -> Next {
        let mut best = (gap, None);
        for k in 0..2 {
            for feature in self.sides[k].neighbours(self.features[k], self.normal) {
                let Some(feature) = feature.filter(|&feature| feature != self.features[k]) else {
                    continue;
                };
                let normal = match self.sides[k].normals(feature) {
                    Normals::One(normal) => normal,
                    Normals::Circle(circle) => match circle.level(self.normal) {
                        Some(level) => circle.normal(level),
                        None => continue,
                    },
                    Normals::All => continue,
                };
                let [a, b] = [0, 1].map(|k| {
                    let side = &self.sides[k];
                    side.support(normal, side.hint(self.features[k]))
                });
                let wide = (b - a).dot(normal);
                if wide > best.0 {
                    best = (wide, Some((k, feature, normal)));
                }
            }
        }
        let (_, Some((k, feature, normal))) = best else {
            return Next::Lost;
        };
        if self.escapes == MAX_ESCAPES {
            return Next::Lost;
        }
        self.escapes += 1;
        let other = &self.sides[1 - k];
        let lowest = other.lowest(normal, other.hint(self.features[1 - k]));
        self.set(k, feature);
        self.set(1 - k, lowest);
        self.normal = normal;
        Next::Moved
    }
}
