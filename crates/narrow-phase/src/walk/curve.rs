//! Rims as smooth curves: where two are nearest, or least deep, by Newton's rule in the places around
//! both.

use drystone_geometry::feature::FeatureKind;
use drystone_geometry::glam::DVec3;
use drystone_geometry::{Feature, Frame};

use super::edge::Ends;
use super::rim::{Part, Rim};
use super::solid::Solid;
use crate::tolerance::{LEAST_TIP_SHARE, RIM_CHORDS};

/// The directions in which a feature extends of itself.
#[derive(Clone, Copy)]
enum Span {
    Point,
    Line(DVec3),
    Plane(DVec3),
}

/// A feature as a curve in the places around its rim, near where it is; fixed if it has none.
pub(super) struct Curve {
    pub(super) point: DVec3,
    rate: DVec3,
    bend: DVec3,
    span: Span,
}

impl Curve {
    pub(super) fn of<S: Solid>(solid: &S, feature: Feature, rim: Option<&Rim<'_>>) -> Self {
        let Some(rim) = rim else {
            return Self::fixed(solid, feature);
        };
        let chord = (rim.count() / RIM_CHORDS).max(1);
        let point = rim.corner(rim.place).1;
        let before = point - rim.corner(rim.place + rim.count() - chord).1;
        let after = rim.corner(rim.place + chord).1 - point;
        // Corners need not be equally far apart: a parabola over the length of the curve, whose two
        // parts are about as long as one another.
        let squares = [before.length_squared(), after.length_squared()];
        let sum = squares[0] + squares[1];
        let (ratio, inverse) = (0.5 * sum / squares[1], 2.0 * squares[1] / sum);
        let (before, share) = (before * inverse, 1.0 / chord as f64);
        Self {
            point,
            rate: (before + ratio * after) * (0.5 * share),
            bend: (after - before) * (0.5 * (ratio + 1.0) * (share * share)),
            span: match rim.part {
                Part::Side(along) => Span::Line(along),
                Part::Tip(tip) => Span::Line(tip - point),
                Part::Corner | Part::Edge => Span::Point,
            },
        }
    }

    fn fixed<S: Solid>(solid: &S, feature: Feature) -> Self {
        let (point, span) = match feature.kind() {
            FeatureKind::Vertex => (solid.position(feature.index()), Span::Point),
            FeatureKind::Edge => {
                let ends = Ends::of(solid, feature.index());
                (ends.positions[0], Span::Line(ends.along()))
            }
            FeatureKind::Face => {
                let face = solid.face(feature.index());
                let corner = solid.position(solid.origin(face.first_edge));
                (corner, Span::Plane(face.normal))
            }
        };
        Self {
            point,
            rate: DVec3::ZERO,
            bend: DVec3::ZERO,
            span,
        }
    }

    /// The same at the height of `other` on a side that narrows to a tip, `tip` in the curve's
    /// frame: what is nearer to the tip goes round slower.
    pub(super) fn narrowed(self, rim: Option<&Rim<'_>>, other: DVec3) -> Self {
        let Some(Part::Tip(tip)) = rim.map(|rim| rim.part) else {
            return self;
        };
        let along = self.point - tip;
        let share = share_from(tip, along, other);
        Self {
            point: tip + share * along,
            rate: share * self.rate,
            bend: share * self.bend,
            span: Span::Line(-share * along),
        }
    }

    /// From another feature to this one, without the directions in which they extend.
    pub(super) fn offset_from(&self, other: &Self) -> DVec3 {
        Rest::of(self.span, other.span).of_vector(self.point - other.point)
    }

    pub(super) fn seen_from(self, frame: &Frame) -> Self {
        Self {
            point: frame.transform_point(self.point),
            rate: frame.rotate(self.rate),
            bend: frame.rotate(self.bend),
            span: match self.span {
                Span::Point => Span::Point,
                Span::Line(along) => Span::Line(frame.rotate(along)),
                Span::Plane(normal) => Span::Plane(frame.rotate(normal)),
            },
        }
    }
}

/// What is left of a vector without the directions in which two features extend.
enum Rest {
    Whole,
    Without(DVec3),
    Only(DVec3),
}

impl Rest {
    fn of(x: Span, y: Span) -> Self {
        match (x, y) {
            (Span::Plane(normal), _) | (_, Span::Plane(normal)) => Self::Only(normal),
            (Span::Point, Span::Point) => Self::Whole,
            (Span::Line(along), Span::Point) | (Span::Point, Span::Line(along)) => {
                Self::Without(along.normalize_or_zero())
            }
            (Span::Line(x), Span::Line(y)) => match x.cross(y).try_normalize() {
                Some(across) => Self::Only(across),
                None => Self::Without(x.normalize_or_zero()),
            },
        }
    }

    fn of_vector(&self, v: DVec3) -> DVec3 {
        match *self {
            Self::Whole => v,
            Self::Without(along) => v - v.dot(along) * along,
            Self::Only(across) => v.dot(across) * across,
        }
    }
}

/// One step of Newton's rule for the squared distance of two curves. Where that is not convex, the
/// steps are shorter.
pub(super) fn nearer(x: &Curve, y: &Curve) -> [f64; 2] {
    let rest = Rest::of(x.span, y.span);
    let offset = rest.of_vector(x.point - y.point);
    let (rate_x, rate_y) = (rest.of_vector(x.rate), rest.of_vector(y.rate));
    let slope = [offset.dot(rate_x), -offset.dot(rate_y)];
    let steep = [rate_x.length_squared(), rate_y.length_squared()];
    let bend = [offset.dot(x.bend), -offset.dot(y.bend)];
    let mixed = -rate_x.dot(rate_y);
    let mut h = [steep[0] + bend[0], steep[1] + bend[1]];
    if h[0] < 0.0 || h[1] < 0.0 || h[0] * h[1] <= mixed * mixed {
        h = [steep[0] + bend[0].abs(), steep[1] + bend[1].abs()];
    }
    // A feature without a rim stays where it is.
    let h = [
        if steep[0] > 0.0 { h[0] } else { 1.0 },
        if steep[1] > 0.0 { h[1] } else { 1.0 },
    ];
    level_point(slope, h, mixed).unwrap_or([0.0; 2])
}

/// How far `other` is from a tip, as a share of the way `along` a side to its rim.
pub(super) fn share_from(tip: DVec3, along: DVec3, other: DVec3) -> f64 {
    let share = (other - tip).dot(along) / along.length_squared();
    share.clamp(LEAST_TIP_SHARE, 1.0)
}

/// How many places to go around each rim to the facet that is nearest or least deep, by one step of
/// Newton's rule for the depth along the facets' normals; nothing where no such facet is near.
pub(super) fn to_facet(x: &Curve, y: &Curve) -> Option<[f64; 2]> {
    match (x.span, y.span) {
        (Span::Point, Span::Point) => between(x, y),
        (Span::Point, Span::Line(along)) if y.rate != DVec3::ZERO => {
            let [steps_y, steps_x] = beside(y, x, along)?;
            Some([steps_x, steps_y])
        }
        (Span::Line(along), Span::Point) if x.rate != DVec3::ZERO => beside(x, y, along),
        (Span::Point, Span::Line(along)) => beside(x, y, along),
        (Span::Line(along), Span::Point) => {
            let [steps_y, steps_x] = beside(y, x, along)?;
            Some([steps_x, steps_y])
        }
        (Span::Line(along_x), Span::Line(along_y)) => apart(x, y, along_x.cross(along_y)),
        (Span::Plane(normal), Span::Point) | (Span::Point, Span::Plane(normal)) => {
            apart(x, y, normal)
        }
        _ => None,
    }
}

/// Of two curves along a direction, either way and of any length, that hardly turns with them.
fn apart(x: &Curve, y: &Curve, across: DVec3) -> Option<[f64; 2]> {
    // They bend away from each other.
    let normal = across * 1f64.copysign((y.bend - x.bend).dot(across));
    Some([to_farthest(x, normal)?, to_farthest(y, -normal)?])
}

/// How many places on a curve reaches farthest along a direction of any length; nothing where it
/// bends the other way.
fn to_farthest(curve: &Curve, outward: DVec3) -> Option<f64> {
    if curve.rate == DVec3::ZERO {
        return Some(0.0);
    }
    let bend = curve.bend.dot(outward);
    (bend < 0.0).then(|| -curve.rate.dot(outward) / bend)
}

/// Where slopes vanish that change by `h` each with its own step and by `mixed` with the other's;
/// nothing where that is no minimum.
fn level_point(slope: [f64; 2], h: [f64; 2], mixed: f64) -> Option<[f64; 2]> {
    let determinant = h[0] * h[1] - mixed * mixed;
    (determinant > 0.0).then(|| {
        [
            (slope[1] * mixed - slope[0] * h[1]) / determinant,
            (slope[0] * mixed - slope[1] * h[0]) / determinant,
        ]
    })
}

/// Of two curves. The point of the Minkowski difference goes along both and its normal turns about
/// both, until they point the same way.
fn between(x: &Curve, y: &Curve) -> Option<[f64; 2]> {
    // Of any length; where it is none, nothing below is positive.
    let normal = x.rate.cross(y.rate);
    let offset = x.point - y.point;
    let depth = offset.dot(normal) / normal.length_squared();
    let slope = [offset.dot(x.rate), -offset.dot(y.rate)];
    let h = [
        x.rate.length_squared() + depth * x.bend.dot(normal),
        y.rate.length_squared() - depth * y.bend.dot(normal),
    ];
    (h[0] > 0.0 && h[1] > 0.0)
        .then(|| level_point(slope, h, -x.rate.dot(y.rate)))
        .flatten()
}

/// Of a curve swept `along` a line, over what is farthest of the other towards it; the steps of the
/// first come first.
fn beside(side: &Curve, other: &Curve, along: DVec3) -> Option<[f64; 2]> {
    // From the other to the curve, which bends away from it; of any length, as `level` is.
    let across = side.rate.cross(along);
    let normal = across * 1f64.copysign(across.dot(side.bend));
    let level = normal.cross(along);
    let rise = side.rate.dot(level);
    // With each place the normal turns by so much towards `level`, in shares of both lengths.
    let turn = -normal.dot(side.bend) / rise;
    let to_farthest = to_farthest(other, normal)?;
    let farthest = other.point + to_farthest * (other.rate + 0.5 * to_farthest * other.bend);
    let other_rate = (other.rate + to_farthest * other.bend).dot(level);
    let follows = if other.rate == DVec3::ZERO {
        0.0
    } else {
        -turn * other_rate / other.bend.dot(normal)
    };
    let offset = farthest - side.point;
    let swing = turn * offset.dot(normal) * along.length_squared();
    let change = other_rate * follows - rise - swing;
    let steps = -offset.dot(level) / change;
    // Where the curve runs along the line these are no numbers.
    (turn * change > 0.0).then_some([steps, to_farthest + follows * steps])
}
