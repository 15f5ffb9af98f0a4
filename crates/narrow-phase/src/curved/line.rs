//! Straight lines on figures: edges, and lines on the sides of cylinders and cones. Two that cross
//! have one normal, one beside something round or a corner has it by a root in one unknown.

use drystone_geometry::Feature;
use drystone_geometry::glam::DVec3;
use drystone_geometry::shape::curved::Curved;

use super::Figure;
use super::depth::Reach;
use super::side::{Circle, Foot, Side};
use super::track::{Contact, Move, Next, State, ordered, sign};
use crate::manifold::patch::side_line;
use crate::tolerance::{MAX_REFINING_TURN, SETTLED_TURN};

/// A straight line on a figure at a normal, in A's frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) start: DVec3,
    /// To the other end.
    pub(super) along: DVec3,
    /// Radii of curvature around the line at its ends, in metres.
    radii: [f64; 2],
    /// Radii of the circles through its ends, in metres.
    rings: [f64; 2],
}

impl Line {
    pub(super) fn point(&self, share: f64) -> DVec3 {
        self.start + share * self.along
    }

    /// Where the foot of a point is, as a share of the way along.
    pub(super) fn foot(&self, point: DVec3) -> f64 {
        (point - self.start).dot(self.along) / self.along.length_squared()
    }

    /// Radius of curvature around the line, in metres.
    pub(super) fn radius(&self, share: f64) -> f64 {
        self.radii[0] + share * (self.radii[1] - self.radii[0])
    }

    /// How far the figure reaches along the line, and across, see [`super::depth`].
    fn reach(&self, share: f64) -> [f64; 2] {
        let along = share.min(1.0 - share).max(0.0) * self.along.length();
        let across = 0.5 * (self.rings[0] + share * (self.rings[1] - self.rings[0]));
        if self.rings[0] == self.rings[1] {
            [along, across]
        } else {
            // A cone has the line and the circle, not their sum; half of both is in their hull.
            [0.5 * along, 0.5 * across]
        }
    }

    /// Adds how far the figure reaches around a point of the line.
    pub(super) fn add_reach(&self, share: f64, normal: DVec3, reach: Reach) -> Reach {
        let along = self.along.normalize_or_zero();
        reach.along(normal, along, self.reach(share))
    }
}

impl Side<'_> {
    /// The line of a feature that has [`Normals::Circle`], at one of them.
    pub(super) fn line(&self, feature: Feature, normal: DVec3) -> Line {
        let (ends, radii, rings) = match self.figure {
            Figure::Core(core) => {
                let ends = core.edge_ends(feature.index()).map(|v| core.position(v));
                (ends, [0.0; 2], [0.0; 2])
            }
            Figure::Curved(solid) => {
                let ends = side_line(solid, self.outward(normal));
                let (rings, cosine) = match *solid {
                    Curved::Cylinder { radius, .. } => ([radius; 2], 1.0),
                    Curved::Cone {
                        half_height,
                        radius,
                    } => {
                        let height = 2.0 * half_height;
                        let slant = (height * height + radius * radius).sqrt();
                        ([radius, 0.0], height / slant)
                    }
                    Curved::Ellipsoid(_) => ([0.0; 2], 1.0),
                };
                (ends, rings.map(|ring| ring / cosine), rings)
            }
        };
        let [start, end] = ends.map(|end| self.placed(end));
        Line {
            start,
            along: end - start,
            radii,
            rings,
        }
    }

    /// What is at an end of the line of a feature.
    pub(super) fn end(&self, feature: Feature, is_last: bool) -> Feature {
        match self.figure {
            Figure::Core(core) => {
                Feature::vertex(core.edge_ends(feature.index())[usize::from(is_last)])
            }
            Figure::Curved(Curved::Cone { .. }) if is_last => Feature::vertex(0),
            Figure::Curved(_) => Feature::edge(u32::from(is_last)),
        }
    }
}

impl State<'_> {
    /// Two lines that cross: both circles of normals meet in two, of which the nearer is taken.
    pub(super) fn crossing(&mut self, a: &Circle, b: &Circle) -> Next {
        let (cosine, cross) = (a.axis.dot(b.axis), a.axis.cross(b.axis));
        let square = cross.length_squared();
        let flat =
            ((a.sine - cosine * b.sine) * a.axis + (b.sine - cosine * a.sine) * b.axis) / square;
        // What the square of `flat` lacks to 1, times `square`: by subtraction from 1 nothing would
        // be left of it for flat cones.
        let (cosines, met) = (a.cosine * b.cosine, cosine - a.sine * b.sine);
        let rest = (cosines - met) * (cosines + met);
        if rest <= 0.0 {
            return Next::Lost;
        }
        let side = (rest.sqrt() / square).copysign(self.normal.dot(cross));
        let normal = (flat + side * cross).normalize_or(self.normal);
        self.normal = normal;
        for k in 0..2 {
            if let Some(face) = self.sides[k].beyond(self.features[k], normal) {
                self.set(k, face);
                return Next::Moved;
            }
        }
        let [a, b] = [0, 1].map(|k| self.sides[k].line(self.features[k], normal));
        let offset = b.start - a.start;
        let spread = a.along.cross(b.along).dot(normal);
        let shares = [
            offset.cross(b.along).dot(normal) / spread,
            offset.cross(a.along).dot(normal) / spread,
        ];
        let excess = [
            (shares[0] - 0.5).abs() * a.along.length() - 0.5 * a.along.length(),
            (shares[1] - 0.5).abs() * b.along.length() - 0.5 * b.along.length(),
        ];
        let worst = usize::from(excess[1] > excess[0]);
        if excess[worst] > 0.0 || spread == 0.0 {
            let end = self.sides[worst].end(self.features[worst], shares[worst] > 0.5);
            self.set(worst, end);
            return Next::Moved;
        }
        let points = [a.point(shares[0]), b.point(shares[1])];
        let gap = parted(&a, &b, normal);
        let falls = [a.along, b.along].map(|along| along.dot(normal).abs());
        let reach = a.add_reach(shares[0], normal, Reach::around(normal));
        let reach = b.add_reach(shares[1], normal, reach);
        let contact = Contact {
            points,
            features: self.features,
            normal,
            gap,
            reach: reach.falling(falls[0] + falls[1]),
        };
        Next::Try(contact, Move::Ends)
    }

    /// A line of side `i` and something round, a corner, or a line beside it, of the other.
    pub(super) fn along_line(&mut self, i: usize, circle: &Circle, is_beside: bool) -> Next {
        let Some(level) = circle.level(self.normal) else {
            return Next::Lost;
        };
        let normal = circle.normal(level);
        self.normal = normal;
        let tangent = circle.axis.cross(level);
        if let Some(face) = self.sides[i].beyond(self.features[i], normal) {
            self.set(i, face);
            return Next::Moved;
        }
        let line = self.sides[i].line(self.features[i], normal);
        let met = if is_beside {
            self.meet_line(i, &line, tangent)
        } else {
            self.look(1 - i).map(|foot| Met {
                share: line.foot(foot.point),
                gap: f64::INFINITY,
                reach: Reach::around(normal).along(normal, foot.across, foot.reach),
                foot,
            })
        };
        match met {
            Some(met) => self.turn_round(i, &line, tangent, &met),
            None => Next::Moved,
        }
    }

    /// Where a line runs beside one of the other side; nothing if the state has moved on.
    fn meet_line(&mut self, i: usize, line: &Line, tangent: DVec3) -> Option<Met> {
        let (j, normal) = (1 - i, self.normal);
        if let Some(face) = self.sides[j].beyond(self.features[j], normal) {
            self.set(j, face);
            return None;
        }
        let other = self.sides[j].line(self.features[j], normal);
        let Some(share) = beside(line, &other) else {
            // End to end.
            let is_last = line.foot(other.point(0.5)) > 0.5;
            let end = self.sides[i].end(self.features[i], is_last);
            self.set(i, end);
            return None;
        };
        let other_share = other.foot(line.point(share)).clamp(0.0, 1.0);
        let [a, b] = ordered(i, line, &other);
        let reach = other.add_reach(other_share, normal, Reach::around(normal));
        Some(Met {
            share,
            gap: parted(a, b, normal),
            reach: reach.falling(other.along.dot(normal).abs()),
            foot: Foot {
                point: other.point(other_share),
                is_farthest: true,
                across: tangent,
                radii: [other.radius(other_share), 0.0],
                reach: [0.0; 2],
            },
        })
    }

    /// One step of Newton's method round a line, towards `tangent` or away from it.
    fn turn_round(&mut self, i: usize, line: &Line, tangent: DVec3, met: &Met) -> Next {
        let (normal, features, foot) = (self.normal, self.features, &met.foot);
        let share = met.share.clamp(0.0, 1.0);
        let on_line = line.point(share);
        let offset = sign(i) * (foot.point - on_line);
        // Rounding leaves one end of the line farther than the other.
        let ends = [0.0, 1.0].map(|share| sign(i) * (foot.point - line.point(share)).dot(normal));
        let gap = ends[0].min(ends[1]).min(met.gap);
        let along = foot.across.dot(tangent);
        let along_sq = along * along;
        let radius =
            line.radius(share) + foot.radii[0] * along_sq + foot.radii[1] * (1.0 - along_sq);
        let stiffness = radius + gap;
        if stiffness <= 0.0 {
            return self.escape(gap);
        }
        let turn = offset.dot(tangent) / stiffness;
        let turn = turn.clamp(-MAX_REFINING_TURN, MAX_REFINING_TURN);
        self.normal = (normal + turn * tangent).normalize_or(normal);
        let mut moved = Move::Far;
        if turn.abs() < SETTLED_TURN {
            moved = Move::Settled;
            if share != met.share {
                moved = Move::Far;
                let end = self.sides[i].end(features[i], met.share > 0.5);
                self.set(i, end);
            }
        }
        let contact = Contact {
            points: ordered(i, on_line, foot.point),
            features,
            normal,
            gap,
            reach: line
                .add_reach(share, normal, met.reach)
                .falling((ends[1] - ends[0]).abs()),
        };
        Next::Try(contact, moved)
    }
}

/// What is over a line.
struct Met {
    /// The nearest point of the other figure.
    foot: Foot,
    /// Where on the line that is.
    share: f64,
    /// A bound of the gap.
    gap: f64,
    /// How far the other figure reaches aside.
    reach: Reach,
}

/// The gap between two lines along a unit normal, from one to the other.
fn parted(a: &Line, b: &Line, normal: DVec3) -> f64 {
    let [a0, a1] = [0.0, 1.0].map(|share| a.point(share).dot(normal));
    let [b0, b1] = [0.0, 1.0].map(|share| b.point(share).dot(normal));
    b0.min(b1) - a0.max(a1)
}

/// The middle of where two lines run side by side, as a share of the first.
fn beside(line: &Line, other: &Line) -> Option<f64> {
    let ends = [other.point(0.0), other.point(1.0)].map(|end| line.foot(end));
    let low = ends[0].min(ends[1]).max(0.0);
    let high = ends[0].max(ends[1]).min(1.0);
    (low <= high).then_some(0.5 * (low + high))
}
