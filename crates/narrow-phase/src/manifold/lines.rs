//! Contacts of lines on round sides: a point at both ends of what two have in common.
//!
//! Sides that lie at a few degrees to each other are deepest in one point, at either end or where
//! they cross, which jumps from end to end as they rock. Along one normal they touch at both ends:
//! where circles of radii r and s lie aside of each other by d, the gap is that of the lines that
//! face each other and (r + s)(1 - cos t) more, with sin t = d / (r + s).

use drystone_geometry::glam::DVec3;
use drystone_geometry::shape::curved::Curved;
use drystone_geometry::{Feature, Frame, Separation};

use super::edges::{Edge, End, common_part, edge_at, witnesses};
use super::patch::side_line;
use super::{Candidate, Carrier, Draft};
use crate::curved::Figure;
use crate::tolerance::{LINES_ASIDE, ROUND_SIDE_SINE_SQ, SAME_POINT};

/// A line that a figure shows, in its own frame or A's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    edge: Edge,
    /// Of the side around it, at either end, in metres; zero for an edge.
    radii: [f64; 2],
}

impl Line {
    /// The line of a figure at a feature, in its own frame: an edge of a flat one, or the line on
    /// the side of a cylinder or cone when it is nearly at a right angle to the normal.
    pub(crate) fn of(figure: &Figure<'_>, feature: Feature, outward: DVec3) -> Option<Self> {
        let (solid, radii) = match figure {
            Figure::Core(core) => {
                return edge_at(core, feature, outward, ROUND_SIDE_SINE_SQ).map(Self::sharp);
            }
            Figure::Curved(solid) => match solid {
                Curved::Cylinder { radius, .. } => (solid, [*radius; 2]),
                Curved::Cone { radius, .. } => (solid, [*radius, 0.0]),
                Curved::Ellipsoid(_) => return None,
            },
        };
        let ends = side_line(solid, outward);
        let along = ends[1] - ends[0];
        let fall = along.dot(outward);
        let is_level = fall * fall <= ROUND_SIDE_SINE_SQ * along.length_squared();
        is_level.then_some(Self {
            edge: Edge {
                ends,
                vertices: [Feature::vertex(0), Feature::vertex(1)],
                whole: Feature::face(2),
            },
            radii,
        })
    }

    /// An edge with nothing round about it but the radius of its core.
    pub(super) fn sharp(edge: Edge) -> Self {
        Self {
            edge,
            radii: [0.0; 2],
        }
    }

    /// A line of B seen from A.
    pub(crate) fn seen_from(&self, b_in_a: &Frame) -> Self {
        Self {
            edge: self.edge.seen_from(b_in_a),
            ..*self
        }
    }

    /// A vector turned to a right angle with the line, as long as it was.
    fn across(&self, vector: DVec3) -> DVec3 {
        let [from, to] = self.edge.ends;
        let along = to - from;
        let across = vector - along * (vector.dot(along) / along.length_squared());
        across.normalize_or_zero() * vector.length()
    }

    /// Radius of the side at a point of the line, in metres.
    fn radius_at(&self, point: DVec3) -> f64 {
        let [from, to] = self.edge.ends;
        let along = to - from;
        let share = (point - from).dot(along) / along.length_squared();
        self.radii[0] + share * (self.radii[1] - self.radii[0])
    }
}

/// Adds a point at both ends of what lines side by side have in common, and the witnesses of
/// `core` where they are deeper or there is no such part. The normal is that of `core`; `radii` are
/// around the cores, in metres.
pub(crate) fn draft(
    draft: &mut Draft,
    lines: Option<(Line, Line)>,
    core: &Separation,
    radii: [f64; 2],
    size: f64,
) {
    draft.normal = core.normal;
    draft.carrier = Carrier::Edges;
    let radius = radii[0] + radii[1];
    if let Some((a, b)) = lines
        && let Some(ends) = common_part(&a.edge, &b.edge, ROUND_SIDE_SINE_SQ, size)
    {
        for end in ends {
            // Points are told apart by their features: the deepest one is this end.
            if end.features == (core.feature_a, core.feature_b) {
                witnesses(draft, core, radius);
            } else {
                add_end(draft, [&a, &b], radii, &end, core);
            }
        }
    }
    if core.lower - radius < draft.least() - SAME_POINT * size {
        witnesses(draft, core, radius);
    }
}

/// Adds the point where the circles at an end of the common part meet along the normal.
fn add_end(draft: &mut Draft, [a, b]: [&Line; 2], radii: [f64; 2], end: &End, core: &Separation) {
    let normal = draft.normal;
    let [on_a, on_b] = end.points;
    let around_a = a.radius_at(on_a) + radii[0];
    let around_b = b.radius_at(on_b) + radii[1];
    let around = around_a + around_b;
    let across = on_b - on_a;
    let gap = across.dot(normal);
    let aside = across - gap * normal;
    let sine_sq = aside.length_squared() / (around * around);
    if sine_sq.is_nan() || sine_sq > LINES_ASIDE * LINES_ASIDE {
        return;
    }
    let drop = sine_sq / (1.0 + (1.0 - sine_sq).sqrt());
    // No point is deeper than the shapes are along the normal.
    let gap = (gap + around * drop).max(core.lower);
    // On the rim that ends there.
    let (on, rounded, line) = if end.is_of_b() {
        (on_b, -around_b, b)
    } else {
        (on_a, around_a, a)
    };
    let on = on + line.across(aside) * (rounded / around) - (rounded * drop) * normal;
    let (on_a, on_b) = if end.is_of_b() {
        (on - gap * normal, on)
    } else {
        (on, on + gap * normal)
    };
    draft.add(Candidate {
        on_a,
        on_b,
        separation: gap - (radii[0] + radii[1]),
        features: end.features,
    });
}
