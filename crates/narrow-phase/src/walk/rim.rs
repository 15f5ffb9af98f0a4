//! Leaps along rims.
//!
//! Around a face of very many edges a walk from edge to edge is long. Seen from afar such a
//! rim is a smooth curve, and so are the faces beside it, swept along it: where two of them
//! are nearest is found by Newton's rule in the places around both. Directions along which a
//! feature extends of itself (an edge, a face, a face beside the rim) are left out of the
//! distance. A leap only says where the walk goes on, never what is nearest.

use drystone_geometry::feature::FeatureKind;
use drystone_geometry::glam::DVec3;
use drystone_geometry::hull::Border;
use drystone_geometry::{Feature, Frame};

use super::edge::Ends;
use super::moves::Ground;
use super::solid::Solid;
use crate::tolerance::{LEAST_TIP_SHARE, MIN_LEAP, RIM_CHORDS, RIM_LEAP_SHARE, RIM_NEWTON_STEPS};

/// A feature on or beside the rim of a face of very many edges.
pub(super) struct Rim<'a> {
    /// What lies around the face.
    pub(super) border: Border<'a>,
    /// Where the feature is in it.
    pub(super) place: usize,
    /// What the feature is.
    pub(super) part: Part,
}

impl Rim<'_> {
    /// The same part at another place.
    fn at(&self, place: usize) -> Self {
        Self { place, ..*self }
    }

    fn count(&self) -> usize {
        self.border.corners.len()
    }

    /// Where the corner at a place is, from zero to twice round.
    fn corner(&self, place: usize) -> DVec3 {
        let count = self.count();
        let place = if place < count { place } else { place - count };
        self.border.corners[place].1.as_dvec3()
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
    /// Whether its side narrows to a tip, so far from `point`.
    narrows: bool,
}

impl Curve {
    fn of<S: Solid>(solid: &S, feature: Feature, rim: Option<&Rim<'_>>) -> Self {
        let Some(rim) = rim else {
            return Self::fixed(solid, feature);
        };
        let chord = (rim.count() / RIM_CHORDS).max(1);
        let before = rim.corner(rim.place + rim.count() - chord);
        let (point, after) = (rim.corner(rim.place), rim.corner(rim.place + chord));
        let width = chord as f64;
        Self {
            point,
            rate: (after - before) / (2.0 * width),
            bend: (after - point - (point - before)) / (width * width),
            span: match rim.part {
                Part::Side(along) => Span::Line(along),
                Part::Tip(tip) => Span::Line(tip - point),
                Part::Corner | Part::Edge => Span::Point,
            },
            narrows: matches!(rim.part, Part::Tip(_)),
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
            narrows: false,
        }
    }

    /// The same at the height of `other` on a side that narrows to a tip, `tip` in the curve's
    /// frame: what is nearer to the tip goes round slower.
    fn narrowed(self, rim: Option<&Rim<'_>>, other: DVec3) -> Self {
        let Some(Part::Tip(tip)) = rim.map(|rim| rim.part) else {
            return self;
        };
        let along = self.point - tip;
        let share = (other - tip).dot(along) / along.length_squared();
        let share = share.clamp(LEAST_TIP_SHARE, 1.0);
        Self {
            point: tip + share * along,
            rate: share * self.rate,
            bend: share * self.bend,
            span: Span::Line(-share * along),
            ..self
        }
    }

    /// The same `steps` places farther, as far as it bends alike.
    fn moved(&self, steps: f64) -> Self {
        let change = steps * (self.rate + 0.5 * steps * self.bend);
        Self {
            point: self.point + change,
            rate: self.rate + steps * self.bend,
            bend: self.bend,
            span: match self.span {
                Span::Line(along) if self.narrows => Span::Line(along - change),
                span => span,
            },
            narrows: self.narrows,
        }
    }

    fn seen_from(self, frame: &Frame) -> Self {
        Self {
            narrows: self.narrows,
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

    /// The directions in which the feature extends as it goes along its rim.
    fn swept(&self) -> Span {
        match self.span {
            _ if self.rate == DVec3::ZERO => self.span,
            Span::Point => Span::Line(self.rate),
            Span::Line(along) => Span::Plane(self.rate.cross(along)),
            Span::Plane(normal) => Span::Plane(normal),
        }
    }
}

/// The normal of the facet that two features make as they go along their rims, either way and of
/// any length; nothing if they make none.
fn facet_normal(x: &Curve, y: &Curve) -> Option<DVec3> {
    match (x.swept(), y.swept()) {
        (Span::Plane(_), Span::Plane(_)) => match (x.span, y.span) {
            (Span::Line(x), Span::Line(y)) => Some(x.cross(y)),
            _ => None,
        },
        (Span::Plane(normal), _) | (_, Span::Plane(normal)) => Some(normal),
        (Span::Line(x), Span::Line(y)) => Some(x.cross(y)),
        (Span::Point, _) | (_, Span::Point) => None,
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

/// How many places to go around each rim, by Newton's rule for the squared distance of two
/// curves.
///
/// Where a gap is small against what the curves bend, one step misses: the squared distance hardly
/// changes as both go the same way, and what is left out of the slope weighs as much. More steps
/// are taken with what is known of the curves already.
fn newton(x: &Curve, y: &Curve) -> [f64; 2] {
    let mut steps = newton_once(x, y);
    if steps[0].abs().max(steps[1].abs()) < MIN_LEAP as f64 - 0.5 {
        return steps;
    }
    for _ in 1..RIM_NEWTON_STEPS {
        let more = newton_once(&x.moved(steps[0]), &y.moved(steps[1]));
        steps = [steps[0] + more[0], steps[1] + more[1]];
    }
    steps
}

/// One step of it. Where the squared distance is not convex, the steps are shorter.
fn newton_once(x: &Curve, y: &Curve) -> [f64; 2] {
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

/// How many places to go around each rim to the facet that is least deep, by one step of Newton's
/// rule for the depth along the facets' normals; nothing where no such facet is near. `normal` is
/// about that of the facet, from X to Y.
fn newton_down(x: &Curve, y: &Curve, normal: DVec3) -> Option<[f64; 2]> {
    match (x.span, y.span) {
        (Span::Point, Span::Point) => down_between(x, y),
        (Span::Point, Span::Line(along)) if y.rate != DVec3::ZERO => {
            let [steps_y, steps_x] = down_side(y, x, along, normal)?;
            Some([steps_x, steps_y])
        }
        (Span::Line(along), Span::Point) if x.rate != DVec3::ZERO => {
            down_side(x, y, along, -normal)
        }
        (Span::Point, Span::Line(along)) => down_side(x, y, along, -normal),
        (Span::Line(along), Span::Point) => {
            let [steps_y, steps_x] = down_side(y, x, along, normal)?;
            Some([steps_x, steps_y])
        }
        (Span::Line(along_x), Span::Line(along_y)) => {
            let across = along_x.cross(along_y);
            let across = across * 1f64.copysign(across.dot(normal));
            Some([to_farthest(x, across)?, to_farthest(y, -across)?])
        }
        _ => None,
    }
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

/// Of two curves. The point of the Minkowski difference goes along both and its normal turns about
/// both, until they point the same way.
fn down_between(x: &Curve, y: &Curve) -> Option<[f64; 2]> {
    let normal = x.rate.cross(y.rate).try_normalize()?;
    let offset = x.point - y.point;
    let depth = offset.dot(normal);
    let slope = [offset.dot(x.rate), -offset.dot(y.rate)];
    let h = [
        x.rate.length_squared() + depth * x.bend.dot(normal),
        y.rate.length_squared() - depth * y.bend.dot(normal),
    ];
    if h[0] <= 0.0 || h[1] <= 0.0 {
        return None;
    }
    level_point(slope, h, -x.rate.dot(y.rate))
}

/// Of a curve swept `along` a line, over what is farthest of the other towards it; the steps of the
/// first come first. `normal` is from the other to it.
fn down_side(side: &Curve, other: &Curve, along: DVec3, normal: DVec3) -> Option<[f64; 2]> {
    let across = side.rate.cross(along).try_normalize()?;
    let normal = across * 1f64.copysign(across.dot(normal));
    let level = normal.cross(along).try_normalize()?;
    // With each place the normal turns by so much towards `level`.
    let turn = -normal.dot(side.bend) / side.rate.dot(level);
    let to_farthest = to_farthest(other, normal)?;
    let farthest = other.point + to_farthest * (other.rate + 0.5 * to_farthest * other.bend);
    let other_rate = (other.rate + to_farthest * other.bend).dot(level);
    let follows = if other.rate == DVec3::ZERO {
        0.0
    } else {
        -turn * other_rate / other.bend.dot(normal)
    };
    let offset = farthest - side.point;
    let change = other_rate * follows - side.rate.dot(level) - turn * offset.dot(normal);
    if turn * change <= 0.0 {
        return None;
    }
    let steps = -offset.dot(level) / change;
    Some([steps, to_farthest + follows * steps])
}

/// The place `steps` further around a rim, but not too far.
fn moved(rim: Option<&Rim<'_>>, steps: f64) -> (isize, usize) {
    let Some(rim) = rim else {
        return (0, 0);
    };
    let count = rim.count();
    let most = count as f64 * RIM_LEAP_SHARE;
    let steps = steps.clamp(-most, most);
    // An edge is where it begins and goes on to the next place.
    let steps = match rim.part {
        Part::Edge => libm::floor(steps),
        _ => libm::round(steps),
    } as isize;
    let place = (rim.place as isize + steps).rem_euclid(count as isize);
    (steps, place as usize)
}

/// The feature of the same part of a rim at another place.
fn feature_at<S: Solid>(solid: &S, rim: &Rim<'_>, place: usize) -> Feature {
    let half_edge = rim.border.half_edges[place];
    match rim.part {
        Part::Corner => Feature::vertex(rim.border.corners[place].0),
        Part::Edge => Feature::edge(half_edge / 2),
        Part::Side(_) | Part::Tip(_) => Feature::edge(solid.half_edge(half_edge ^ 1).next / 2),
    }
}

impl<X: Solid, Y: Solid> Ground<'_, X, Y> {
    /// How two features go on along the rims that they are on, in Y's frame, and where that of Y is
    /// in X's. Nothing if neither is on a rim.
    #[inline(always)]
    fn curves(
        &self,
        [x, y]: [Feature; 2],
        [rim_x, rim_y]: [Option<&Rim<'_>>; 2],
    ) -> Option<([Curve; 2], DVec3)> {
        if rim_x.is_none() && rim_y.is_none() {
            return None;
        }
        let curve_x = Curve::of(&self.x, x, rim_x);
        let curve_y = Curve::of(&self.y, y, rim_y);
        let y_in_x = self.y_in_x.transform_point(curve_y.point);
        let curve_x = curve_x.narrowed(rim_x, y_in_x).seen_from(self.x_in_y);
        let curve_y = curve_y.narrowed(rim_y, curve_x.point);
        Some(([curve_x, curve_y], y_in_x))
    }

    /// Features farther along the rims that these are on, where the distance is nearly least.
    /// Nothing if neither is on a rim, or if it is not worth a leap.
    #[inline(never)]
    pub(super) fn leap(&self, [x, y]: [Feature; 2]) -> Option<[Feature; 2]> {
        let (rim_x, rim_y) = (self.x.rim(x), self.y.rim(y));
        let ([curve_x, curve_y], y_in_x) = self.curves([x, y], [rim_x.as_ref(), rim_y.as_ref()])?;
        let rest = Rest::of(curve_x.span, curve_y.span);
        let steps = newton(&curve_x, &curve_y);
        let (steps_x, place_x) = moved(rim_x.as_ref(), steps[0]);
        let (steps_y, place_y) = moved(rim_y.as_ref(), steps[1]);
        if steps_x.abs().max(steps_y.abs()) < MIN_LEAP {
            return None;
        }
        let (mut point_x, mut point_y) = (curve_x.point, curve_y.point);
        let (mut to_x, mut to_y) = (x, y);
        if let Some(rim) = &rim_x {
            let there = Curve::of(&self.x, x, Some(&rim.at(place_x)));
            let there = there.narrowed(Some(rim), y_in_x);
            point_x = self.x_in_y.transform_point(there.point);
            to_x = feature_at(&self.x, rim, place_x);
        }
        if let Some(rim) = &rim_y {
            let there = Curve::of(&self.y, y, Some(&rim.at(place_y)));
            point_y = there.narrowed(Some(rim), curve_x.point).point;
            to_y = feature_at(&self.y, rim, place_y);
        }
        let before = rest.of_vector(curve_x.point - curve_y.point);
        let after = rest.of_vector(point_x - point_y);
        (after.length_squared() < before.length_squared()).then_some([to_x, to_y])
    }

    /// The facet, and its normal from X to Y in Y's frame, where the depth is about least farther
    /// along the rims that two features of a facet are on, for a slide that comes along `normal`.
    /// Nothing if neither is on a rim, or if it is not worth a leap.
    #[inline(never)]
    pub(super) fn leap_down(
        &self,
        [x, y]: [Feature; 2],
        normal: DVec3,
    ) -> Option<([Feature; 2], DVec3)> {
        let (rim_x, rim_y) = (self.x.rim(x), self.y.rim(y));
        let ([curve_x, curve_y], _) = self.curves([x, y], [rim_x.as_ref(), rim_y.as_ref()])?;
        let steps = newton_down(&curve_x, &curve_y, normal)?;
        let (steps_x, place_x) = moved(rim_x.as_ref(), steps[0]);
        let (steps_y, place_y) = moved(rim_y.as_ref(), steps[1]);
        if steps_x.abs().max(steps_y.abs()) < MIN_LEAP {
            return None;
        }
        let (mut there_x, mut there_y) = (curve_x, curve_y);
        let mut features = [x, y];
        if let Some(rim) = &rim_x {
            there_x = Curve::of(&self.x, x, Some(&rim.at(place_x))).seen_from(self.x_in_y);
            let is_edge = rim_y.is_some() || y.kind() == FeatureKind::Edge;
            features[0] = carrier_at(&self.x, rim, place_x, is_edge);
        }
        if let Some(rim) = &rim_y {
            there_y = Curve::of(&self.y, y, Some(&rim.at(place_y)));
            let is_edge = rim_x.is_some() || x.kind() == FeatureKind::Edge;
            features[1] = carrier_at(&self.y, rim, place_y, is_edge);
        }
        let across = facet_normal(&there_x, &there_y)?.try_normalize()?;
        Some((features, across * 1f64.copysign(across.dot(normal))))
    }
}

/// What makes a facet at a place of a rim, with an edge of another solid or with a corner.
fn carrier_at<S: Solid>(solid: &S, rim: &Rim<'_>, place: usize, is_edge: bool) -> Feature {
    let half_edge = rim.border.half_edges[place];
    match rim.part {
        Part::Corner | Part::Edge => Feature::edge(half_edge / 2),
        Part::Side(_) | Part::Tip(_) if is_edge => {
            Feature::edge(solid.half_edge(half_edge ^ 1).next / 2)
        }
        Part::Side(_) | Part::Tip(_) => Feature::face(solid.face_at(half_edge ^ 1)),
    }
}
