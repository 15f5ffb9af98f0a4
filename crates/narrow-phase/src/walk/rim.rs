//! Leaps along rims.
//!
//! Around a face of very many edges a walk from edge to edge is long. Seen from afar such a
//! rim is a smooth curve, and so are the faces beside it, swept along it: where two of them
//! are nearest is found by Newton's rule in the places around both: for the distance along the
//! normals of the facets of the Minkowski difference, or, far from there, for the squared distance
//! without the directions along which a feature extends of itself (an edge, a face, a face
//! beside the rim). A leap lands on the facet that the place found is on. It only says where the
//! walk goes on, never what is nearest.

use drystone_geometry::feature::FeatureKind;
use drystone_geometry::glam::DVec3;
use drystone_geometry::hull::Border;
use drystone_geometry::{Feature, Frame};

use super::edge::Ends;
use super::moves::Ground;
use super::solid::Solid;
use crate::tolerance::{
    LEAST_TIP_SHARE, MIN_LEAP, RIM_CHORDS, RIM_LEAP_SHARE, RIM_NEWTON_STEPS, ROUGH_LEAP_SQ,
};

/// A feature on or beside the rim of a face of very many edges.
pub(super) struct Rim<'a> {
    /// What lies around the face.
    pub(super) border: Border<'a>,
    /// Where the feature is in it: at or after this corner.
    pub(super) place: usize,
    /// How far beyond, a share of the way to the next corner.
    pub(super) beyond: f64,
    /// What the feature is.
    pub(super) part: Part,
}

impl Rim<'_> {
    fn count(&self) -> usize {
        self.border.corners.len()
    }

    /// The corner at a place, from zero to twice round.
    fn corner(&self, place: usize) -> (u32, DVec3) {
        let count = self.count();
        let place = if place < count { place } else { place - count };
        let (vertex, position) = self.border.corners[place];
        (vertex, position.as_dvec3())
    }

    /// The half-edge from the corner at a place on.
    fn half_edge(&self, place: usize) -> u32 {
        self.border.half_edges[place % self.count()]
    }

    /// Whether what goes round the rim is what leaves it.
    fn is_of_sides(&self) -> bool {
        matches!(self.part, Part::Side(_) | Part::Tip(_))
    }

    /// Most places to go at once.
    fn most(&self) -> f64 {
        self.count() as f64 * RIM_LEAP_SHARE
    }

    /// Goes so many places around, but not too far; says how many.
    fn go(&mut self, steps: f64) -> f64 {
        let count = self.count();
        let steps = steps.clamp(-self.most(), self.most());
        let cut = steps as isize;
        let whole = cut - isize::from(steps < cut as f64);
        // Less than once round either way.
        let place = self.place as isize + whole;
        let count = count as isize;
        self.place = match place {
            ..0 => place + count,
            _ if place >= count => place - count,
            _ => place,
        } as usize;
        self.beyond = steps - whole as f64;
        steps
    }

    /// The corner at or after the place that is nearest to where it went.
    fn nearest(&self) -> usize {
        self.place + usize::from(self.beyond >= 0.5)
    }
}

/// What a feature is to a rim.
#[derive(Clone, Copy)]
pub(super) enum Part {
    /// A corner of it.
    Corner,
    /// An edge of it.
    Edge,
    /// An edge or face that leaves it, along this direction.
    Side(DVec3),
    /// The same, where all that leave the rim meet in a tip, which is here.
    Tip(DVec3),
}

/// Where a leap shall lead.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Aim {
    /// From features of a pose before: to where a walk begins.
    Start,
    /// From a walk's features to some that are nearer, far enough away to be worth it.
    Nearer,
    /// From a slide's features to a facet, far enough away to be worth it.
    Facet,
}

/// The directions in which a feature extends of itself.
#[derive(Clone, Copy)]
enum Span {
    Point,
    Line(DVec3),
    Plane(DVec3),
}

/// A feature as a curve in the places around its rim, near where it is; fixed if it has none.
struct Curve {
    point: DVec3,
    rate: DVec3,
    bend: DVec3,
    span: Span,
}

impl Curve {
    fn of<S: Solid>(solid: &S, feature: Feature, rim: Option<&Rim<'_>>) -> Self {
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
    fn narrowed(self, rim: Option<&Rim<'_>>, other: DVec3) -> Self {
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
    fn offset_from(&self, other: &Self) -> DVec3 {
        Rest::of(self.span, other.span).of_vector(self.point - other.point)
    }

    fn seen_from(self, frame: &Frame) -> Self {
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
fn nearer(x: &Curve, y: &Curve) -> [f64; 2] {
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

/// How many places to go around each rim; to a facet, nothing where none is near.
fn steps_of(
    [x, y]: &[Curve; 2],
    [rim_x, rim_y]: &[Option<Rim<'_>>; 2],
    aim: Aim,
) -> Option<[f64; 2]> {
    let to_facet = to_facet(x, y);
    if aim == Aim::Facet {
        return to_facet;
    }
    // Far from the facet the rule for it leads astray.
    let may_go = |rim: &Option<Rim<'_>>, steps: f64| {
        rim.as_ref().is_none_or(|rim| steps.abs() <= rim.most())
    };
    let to_facet = to_facet.filter(|steps| may_go(rim_x, steps[0]) && may_go(rim_y, steps[1]));
    Some(to_facet.unwrap_or_else(|| nearer(x, y)))
}

/// How far `other` is from a tip, as a share of the way `along` a side to its rim.
fn share_from(tip: DVec3, along: DVec3, other: DVec3) -> f64 {
    let share = (other - tip).dot(along) / along.length_squared();
    share.clamp(LEAST_TIP_SHARE, 1.0)
}

/// How many places to go around each rim to the facet that is nearest or least deep, by one step of
/// Newton's rule for the depth along the facets' normals; nothing where no such facet is near.
fn to_facet(x: &Curve, y: &Curve) -> Option<[f64; 2]> {
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

impl<X: Solid, Y: Solid> Ground<'_, X, Y> {
    /// How two features go on along the rims that they are on, in Y's frame.
    #[inline(always)]
    fn curves(&self, [x, y]: [Feature; 2], rims: &[Option<Rim<'_>>; 2]) -> [Curve; 2] {
        let [rim_x, rim_y] = [rims[0].as_ref(), rims[1].as_ref()];
        let curve_x = Curve::of(&self.x, x, rim_x);
        let mut curve_y = Curve::of(&self.y, y, rim_y);
        let y_in_x = self.y_in_x.transform_point(curve_y.point);
        let curve_x = curve_x.narrowed(rim_x, y_in_x).seen_from(self.x_in_y);
        curve_y = curve_y.narrowed(rim_y, curve_x.point);
        [curve_x, curve_y]
    }

    /// The facet farther along the rims that two features are on where the distance or depth is
    /// about least. Nothing if neither is on a rim, or if it does not serve the aim.
    #[inline(never)]
    pub(super) fn leap(&self, [x, y]: [Feature; 2], aim: Aim) -> Option<[Feature; 2]> {
        let mut rims = [self.x.rim(x), self.y.rim(y)];
        if rims[0].is_none() && rims[1].is_none() {
            return None;
        }
        let mut curves = self.curves([x, y], &rims);
        let before_sq = match aim {
            Aim::Nearer => curves[0].offset_from(&curves[1]).length_squared(),
            Aim::Start | Aim::Facet => f64::INFINITY,
        };
        let mut places: f64 = 0.0;
        for _ in 0..RIM_NEWTON_STEPS {
            let Some(steps) = steps_of(&curves, &rims, aim) else {
                break;
            };
            let mut is_rough = false;
            for (rim, steps) in rims.iter_mut().zip(steps) {
                if let Some(rim) = rim {
                    let gone = rim.go(steps);
                    places = places.max(gone.abs());
                    is_rough |= gone * gone > ROUGH_LEAP_SQ * rim.count() as f64;
                }
            }
            // A slide's next facet tells it more than another step.
            if !is_rough || aim == Aim::Facet {
                break;
            }
            curves = self.curves([x, y], &rims);
        }
        if aim != Aim::Start && places < MIN_LEAP {
            return None;
        }
        if aim == Aim::Nearer {
            let [x, y] = self.curves([x, y], &rims);
            if x.offset_from(&y).length_squared() >= before_sq {
                return None;
            }
        }
        Some(self.landing([x, y], &rims))
    }

    /// The facet where two features that went along their rims have come to.
    #[inline(always)]
    fn landing(&self, [x, y]: [Feature; 2], rims: &[Option<Rim<'_>>; 2]) -> [Feature; 2] {
        match rims {
            [Some(rim_x), Some(rim_y)] if !rim_x.is_of_sides() && rim_y.is_of_sides() => {
                self.over_sides(rim_x, rim_y)
            }
            [Some(rim_x), Some(rim_y)] if rim_x.is_of_sides() && !rim_y.is_of_sides() => {
                let [y, x] = self.backwards().over_sides(rim_y, rim_x);
                [x, y]
            }
            [rim_x, rim_y] => [
                carrier(&self.x, x, rim_x.as_ref(), (y.kind(), rim_y.is_some())),
                carrier(&self.y, y, rim_y.as_ref(), (x.kind(), rim_x.is_some())),
            ],
        }
    }

    /// Where X's rim is nearest to what leaves Y's: over a face of that or at an edge.
    fn over_sides(&self, rim_x: &Rim<'_>, rim_y: &Rim<'_>) -> [Feature; 2] {
        let [from, to] = [rim_x.place, rim_x.place + 1].map(|place| {
            let (vertex, position) = rim_x.corner(place);
            (vertex, self.x_in_y.transform_point(position))
        });
        let [left, right] = [rim_y.place, rim_y.place + 1].map(|place| {
            let corner = rim_y.corner(place).1;
            match rim_y.part {
                Part::Tip(tip) => {
                    let along = corner - tip;
                    tip + share_from(tip, along, from.1) * along
                }
                _ => corner,
            }
        });
        let face = self.y.face_at(rim_y.half_edge(rim_y.place) ^ 1);
        let falls = (to.1 - from.1).dot(self.y.face(face).normal) < 0.0;
        let (vertex, end) = if falls { to } else { from };
        let across = right - left;
        let place = (end - left).dot(across);
        if place >= 0.0 && place <= across.length_squared() {
            return [Feature::vertex(vertex), Feature::face(face)];
        }
        let edge_x = Feature::edge(rim_x.half_edge(rim_x.place) / 2);
        let place_y = rim_y.place + usize::from(place > 0.0);
        [edge_x, side_edge(&self.y, rim_y, place_y)]
    }
}

/// The edge that leaves a rim at a place.
fn side_edge<S: Solid>(solid: &S, rim: &Rim<'_>, place: usize) -> Feature {
    Feature::edge(solid.half_edge(rim.half_edge(place) ^ 1).next / 2)
}

/// What makes a facet where a rim has been gone to, with a feature of another solid that is of
/// this kind or goes along a rim itself.
fn carrier<S: Solid>(
    solid: &S,
    feature: Feature,
    rim: Option<&Rim<'_>>,
    (other, goes): (FeatureKind, bool),
) -> Feature {
    let Some(rim) = rim else {
        return feature;
    };
    match (rim.is_of_sides(), other) {
        (false, FeatureKind::Face) if !goes => Feature::vertex(rim.corner(rim.nearest()).0),
        (false, _) => Feature::edge(rim.half_edge(rim.place) / 2),
        (true, FeatureKind::Vertex) if !goes => {
            Feature::face(solid.face_at(rim.half_edge(rim.place) ^ 1))
        }
        (true, _) => side_edge(solid, rim, rim.nearest()),
    }
}
