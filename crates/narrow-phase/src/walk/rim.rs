//! Leaps along rims.
//!
//! Around a face of very many edges a walk from edge to edge is long. Seen from afar such a
//! rim is a smooth curve, and so are the faces beside it, swept along it: where two of them
//! are nearest is found by Newton's rule in the places around both: for the distance along the
//! normals of the facets of the Minkowski difference, or, far from there, for the squared distance
//! without the directions along which a feature extends of itself (an edge, a face, a face
//! beside the rim). A leap lands on the facet that the place found is on. It only says where the
//! walk goes on, never what is nearest.

use drystone_geometry::Feature;
use drystone_geometry::feature::FeatureKind;
use drystone_geometry::glam::DVec3;
use drystone_geometry::hull::Border;

use super::curve::{Curve, nearer, share_from, to_facet};
use super::moves::Ground;
use super::solid::Solid;
use crate::tolerance::{
    LONG_RIM, MIN_LEAP, RIM_LEAP_SHARE, RIM_NEWTON_STEPS, ROUGH_LEAP_SQ, STATES_PER_LEAP,
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
    pub(super) fn count(&self) -> usize {
        self.border.corners.len()
    }

    /// The corner at a place, from zero to twice round.
    pub(super) fn corner(&self, place: usize) -> (u32, DVec3) {
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

impl<X: Solid, Y: Solid> Ground<'_, X, Y> {
    /// Of every [`STATES_PER_LEAP`] states of a walk or slide the one, counted from zero, before which
    /// it looks whether to leap; none of them where there is no rim.
    pub(super) fn leaping_state(&self) -> u32 {
        match self.x.longest_rim().max(self.y.longest_rim()) {
            0 => STATES_PER_LEAP,
            LONG_RIM.. => 1,
            _ => 0,
        }
    }

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
