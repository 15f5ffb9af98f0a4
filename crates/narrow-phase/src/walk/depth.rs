//! Sliding over the surface of the Minkowski difference to a direction of least depth.
//!
//! Two overlapping cores are a corner under a face, or an edge under an edge: each is a
//! facet of the difference B - A, and the facet's plane says how deep. If the origin's
//! foot on the plane lies inside the facet, no facet next to it is nearer. Otherwise it
//! leaves through a side, and the facet across that side is strictly nearer. Across a side
//! the normal turns along an arc, between two faces of one solid, until a corner of the
//! other begins to give way to a neighbour.
//!
//! Where a facet's plane leaves the origin outside, the cores are apart, and the slide ends: a
//! walk goes on from there.
//!
//! The least depth found is a local one: whether another direction may be better is for
//! the caller to bound.

use drystone_geometry::feature::FeatureKind;
use drystone_geometry::glam::DVec3;
use drystone_geometry::hull::Spoke;
use drystone_geometry::{Feature, Separation};

use crate::extended::triangle_normal;
use crate::extremes::{larger, smaller};
use crate::tolerance::{PARALLEL_CONTACT_SINE_SQ, PARALLEL_SLIDE_SINE_SQ, SLIVER_SINE_SQ};

use super::edge::{Ends, face_towards};
use super::face;
use super::moves::{Ground, Reach, reach};
use super::solid::Solid;

/// What a facet says.
pub(super) enum Slide {
    /// Its own direction is of least depth, or the cores are apart along it: the depth is written.
    Least(Foot),
    /// Another facet is nearer, or is one at all.
    To(Feature, Feature),
    /// The slide cannot go on.
    Lost,
}

/// How the foot of the origin lies in the facet of the Minkowski difference that holds it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Foot {
    /// Squared radius of a disc around it that lies inside the facet, in square metres; zero where
    /// it is not known.
    pub(crate) inner_sq: f64,
    /// Whether the facet is that of two edges.
    pub(crate) is_of_edges: bool,
    /// Whether these are certainly not side by side.
    pub(crate) crosses: bool,
}

impl Foot {
    /// Nothing is known.
    pub(crate) const UNKNOWN: Self = Self {
        inner_sq: 0.0,
        is_of_edges: false,
        crosses: false,
    };

    /// Of two edges, from the squares of their cross product and of their lengths.
    #[inline]
    fn of_edges(inner_sq: f64, cross_sq: f64, lengths_sq: f64) -> Self {
        Self {
            inner_sq,
            is_of_edges: true,
            // Far from where rounding could tell otherwise.
            crosses: cross_sq > 2.0 * PARALLEL_CONTACT_SINE_SQ * lengths_sq,
        }
    }

    /// Whether the disc leaves less of a gap than `lowest` metres along a direction at an angle of
    /// this cosine from the facet's own, along which the gap is `gap`.
    #[inline]
    pub(crate) fn leaves_less(&self, gap: f64, cosine: f64, lowest: f64) -> bool {
        // The disc's rim reaches as far below the foot as its radius times the sine.
        let above = gap * cosine - lowest;
        above < 0.0 || self.inner_sq * (1.0 - cosine * cosine) > above * above
    }
}

impl<X: Solid, Y: Solid> Ground<'_, X, Y> {
    /// What a corner or edge of X and a face or edge of Y say. `normal`, from X to Y in Y's
    /// frame, comes in as that of the facet before, which tells the two sides of an edge pair
    /// apart, and leaves as that of this one. `rounding` in metres. What the facet that holds the
    /// foot of the origin says goes to `answer`.
    #[inline(always)]
    pub(super) fn slide(
        &self,
        x: Feature,
        y: Feature,
        normal: &mut DVec3,
        rounding: f64,
        answer: &mut Separation,
    ) -> Slide {
        match (x.kind(), y.kind()) {
            (FeatureKind::Vertex, FeatureKind::Face) => {
                self.under_face(x.index(), y.index(), normal, rounding, answer)
            }
            (FeatureKind::Edge, FeatureKind::Edge) => {
                self.under_edge(x.index(), y.index(), normal, rounding, answer)
            }
            _ => Slide::Lost,
        }
    }

    /// The normal of a facet from X to Y, in Y's frame; of two edges the one of the two nearer to
    /// `normal`. Nothing for features that make no facet.
    pub(super) fn facet_normal(&self, [x, y]: [Feature; 2], normal: DVec3) -> Option<DVec3> {
        use FeatureKind::{Edge, Face, Vertex};
        match (x.kind(), y.kind()) {
            (Face, Vertex) => Some(self.x_in_y.rotate(self.x.face(x.index()).normal)),
            (Vertex, Face) => Some(-self.y.face(y.index()).normal),
            (Edge, Edge) => {
                let along_x = self.x_in_y.rotate(Ends::of(&self.x, x.index()).along());
                let along_y = Ends::of(&self.y, y.index()).along();
                let across = along_x.cross(along_y).try_normalize()?;
                Some(across * 1f64.copysign(across.dot(normal)))
            }
            _ => None,
        }
    }

    /// Writes the point on X, in Y's frame, and the gap along `normal`, which is minus the depth,
    /// and the point on Y that is one gap away.
    #[inline(always)]
    fn tell(&self, on_x: DVec3, normal: DVec3, gap: f64, answer: &mut Separation) {
        let on_y = on_x + gap * normal;
        (answer.lower, answer.upper) = (gap, gap);
        (answer.point_a, answer.point_b) = if self.is_swapped {
            (on_y, on_x)
        } else {
            let b_in_a = self.y_in_x;
            (b_in_a.transform_point(on_x), b_in_a.transform_point(on_y))
        };
    }

    #[inline(always)]
    fn under_face(
        &self,
        i: u32,
        j: u32,
        facing: &mut DVec3,
        rounding: f64,
        answer: &mut Separation,
    ) -> Slide {
        let (solid_x, solid_y) = (self.x, self.y);
        let plane = solid_y.face(j);
        let normal = -plane.normal;
        *facing = normal;
        let direction = self.y_in_x.rotate(normal);
        let height = solid_x.position(i).dot(direction);
        match reach(&solid_x, i, height, direction, rounding) {
            Reach::Beyond(Spoke::INNER) => return Slide::Lost,
            Reach::Beyond(half_edge) => {
                let deeper = solid_x.origin(half_edge ^ 1);
                let deeper = solid_x.farther_than(deeper, direction);
                return Slide::To(Feature::vertex(deeper), Feature::face(j));
            }
            Reach::Upto(_) => {}
        }
        let point_x = self.x_in_y.transform_point(solid_x.position(i));
        let gap = plane.normal.dot(point_x) - plane.offset;
        let inner_sq = if gap <= rounding {
            match face::inner_sq(&solid_y, j, point_x) {
                Ok(inner_sq) => inner_sq,
                Err(half_edge) => {
                    let across = solid_y.face_at(half_edge ^ 1);
                    let (x, y) = self.pass(i, half_edge / 2, direction, across, rounding);
                    return Slide::To(x, y);
                }
            }
        } else {
            0.0
        };
        self.tell(point_x, normal, gap, answer);
        Slide::Least(Foot {
            inner_sq,
            is_of_edges: false,
            crosses: false,
        })
    }

    /// The facet at which an arc ends: the normal from X to Y, in X's frame, turns from `from` to
    /// that of face `to` of Y, square to Y's edge, while X's corner lasts.
    #[inline(always)]
    fn pass(
        &self,
        vertex: u32,
        edge: u32,
        from: DVec3,
        to: u32,
        rounding: f64,
    ) -> (Feature, Feature) {
        let (solid_x, solid_y) = (self.x, self.y);
        let until = self.y_in_x.rotate(-solid_y.face(to).normal);
        match solid_x.first_to_rise(vertex, from, until, rounding) {
            Some(half_edge) => (Feature::edge(half_edge / 2), Feature::edge(edge)),
            None => (Feature::vertex(vertex), Feature::face(to)),
        }
    }

    /// A facet less deep than the direction `normal` from X to Y, along which the corners `i` and
    /// `j` are farthest: the normal turns towards the line from corner to corner, on which
    /// they would be apart, until one of them gives way to a neighbour, and then along the arc
    /// of that edge. Nothing if neither gives way.
    pub(super) fn fall(
        &self,
        i: u32,
        j: u32,
        normal: DVec3,
        rounding: f64,
    ) -> Option<(Feature, Feature)> {
        let point_x = self.x_in_y.transform_point(self.x.position(i));
        let line = self.y.position(j) - point_x;
        let until = line.try_normalize()?;
        let (from_x, until_x) = (self.y_in_x.rotate(normal), self.y_in_x.rotate(until));
        let first_x = self.x.first_to_rise(i, from_x, until_x, rounding);
        let first_y = self.y.first_to_rise(j, -normal, -until, rounding);
        let share_x = share(&self.x, first_x, from_x, until_x);
        let share_y = share(&self.y, first_y, -normal, -until);
        let turned = |share: f64| (normal + share * (until - normal)).try_normalize();
        // Of the two ends of the arc the one towards the line.
        if let Some(half_edge) = first_y
            && share_y <= share_x
        {
            let normal = turned(share_y)?;
            let to = better_face(&self.y, half_edge, -normal, -line)?;
            let from = self.y_in_x.rotate(normal);
            return Some(self.pass(i, half_edge / 2, from, to, rounding));
        }
        let half_edge = first_x?;
        let normal = turned(share_x)?;
        let [outward, line] = [normal, line].map(|v| self.y_in_x.rotate(v));
        let to = better_face(&self.x, half_edge, outward, line)?;
        let (y, x) = self
            .backwards()
            .pass(j, half_edge / 2, -normal, to, rounding);
        Some((x, y))
    }

    #[inline(always)]
    fn under_edge(
        &self,
        i: u32,
        j: u32,
        facing: &mut DVec3,
        rounding: f64,
        answer: &mut Separation,
    ) -> Slide {
        let (solid_x, solid_y) = (self.x, self.y);
        let (ends_x, ends_y) = (Ends::of(&solid_x, i), Ends::of(&solid_y, j));
        let (along_x, along_y) = (self.x_in_y.rotate(ends_x.along()), ends_y.along());
        let mut cross = along_x.cross(along_y);
        let mut cross_sq = cross.length_squared();
        let lengths_sq = along_x.length_squared() * along_y.length_squared();
        if cross_sq <= SLIVER_SINE_SQ * lengths_sq {
            if cross_sq <= PARALLEL_SLIDE_SINE_SQ * lengths_sq {
                return Slide::Lost;
            }
            // The edges' own rounding alone would tilt the normal by as much over their sine.
            cross = triangle_normal(DVec3::ZERO, along_x, along_y);
            cross_sq = cross.length_squared();
        }
        let normal = cross * (1f64.copysign(cross.dot(*facing)) / cross_sq.sqrt());
        *facing = normal;
        let in_x = self.y_in_x.rotate(normal);
        if !is_farthest(&solid_x, i, &ends_x, in_x, rounding) {
            return self.onto_face_of_x(i, &ends_x, &ends_y, in_x);
        }
        if !is_farthest(&solid_y, j, &ends_y, -normal, rounding) {
            return self.onto_face_of_y(j, &ends_x, &ends_y, normal);
        }
        let start = self.x_in_y.transform_point(ends_x.positions[0]);
        let offset = ends_y.positions[0] - start;
        let share_x = offset.cross(along_y).dot(cross) / cross_sq;
        let share_y = offset.cross(along_x).dot(cross) / cross_sq;
        let gap = offset.dot(normal);
        let (out_x, out_y) = if gap <= rounding {
            ((share_x - 0.5).abs() - 0.5, (share_y - 0.5).abs() - 0.5)
        } else {
            (0.0, 0.0)
        };
        if out_x > 0.0 && out_x >= out_y {
            let end = usize::from(share_x > 1.0);
            let inwards = if end == 1 { -along_x } else { along_x };
            return match self.past_end(ends_x.vertices[end], j, inwards, in_x, rounding) {
                Some((x, y)) => Slide::To(x, y),
                None => Slide::Lost,
            };
        }
        if out_y > 0.0 {
            let end = usize::from(share_y > 1.0);
            let inwards = self
                .y_in_x
                .rotate(if end == 1 { -along_y } else { along_y });
            let back = self.backwards();
            return match back.past_end(ends_y.vertices[end], i, inwards, -normal, rounding) {
                Some((y, x)) => Slide::To(x, y),
                None => Slide::Lost,
            };
        }
        let point_x = start + share_x * along_x;
        // The facet is a parallelogram; sides along Y's edge are apart along X's.
        let from_x = cross_sq / along_y.length_squared() * (out_x * out_x);
        let from_y = cross_sq / along_x.length_squared() * (out_y * out_y);
        self.tell(point_x, normal, gap, answer);
        Slide::Least(Foot::of_edges(
            smaller(from_x, from_y),
            cross_sq,
            lengths_sq,
        ))
    }

    /// The facet beyond the end `vertex` of X's edge, which goes on `inwards`, in Y's frame: the
    /// normal turns from `from`, in X's frame, to that of a face beside Y's edge.
    #[inline(always)]
    fn past_end(
        &self,
        vertex: u32,
        edge: u32,
        inwards: DVec3,
        from: DVec3,
        rounding: f64,
    ) -> Option<(Feature, Feature)> {
        let solid_y = self.y;
        let to = face_away(&solid_y, edge, inwards)?;
        Some(self.pass(vertex, edge, from, to, rounding))
    }

    /// X's edge is none of its surface along the normal: a face beside it is.
    #[inline(always)]
    fn onto_face_of_x(&self, i: u32, ends_x: &Ends, ends_y: &Ends, in_x: DVec3) -> Slide {
        let solid = self.x;
        match face_towards(&solid, i, ends_x.along(), in_x) {
            Some(face) => {
                let outward = self.x_in_y.rotate(solid.face(face.index()).normal);
                Slide::To(face, Feature::vertex(ends_y.farther(-outward).0))
            }
            None => Slide::Lost,
        }
    }

    #[inline(always)]
    fn onto_face_of_y(&self, j: u32, ends_x: &Ends, ends_y: &Ends, normal: DVec3) -> Slide {
        let solid = self.y;
        match face_towards(&solid, j, ends_y.along(), -normal) {
            Some(face) => {
                let outward = self.y_in_x.rotate(solid.face(face.index()).normal);
                Slide::To(Feature::vertex(ends_x.farther(-outward).0), face)
            }
            None => Slide::Lost,
        }
    }
}

/// Whether an edge lies on the surface along `direction`, which is square to it: nothing beside its
/// ends rises by more than rounding.
#[inline(always)]
fn is_farthest<S: Solid>(
    solid: &S,
    edge: u32,
    ends: &Ends,
    direction: DVec3,
    rounding: f64,
) -> bool {
    let (end, height) = ends.farther(direction);
    // Where the two triangles beside the edge fall off, the whole surface does.
    if let Some([left, right]) = solid.wings(edge)
        && larger(left.1.dot(direction), right.1.dot(direction)) < height - rounding
    {
        return true;
    }
    matches!(
        reach(solid, end, height, direction, rounding),
        Reach::Upto(_)
    )
}

/// When an edge begins to rise as the direction turns, as a share of the way; infinite for no
/// edge.
fn share<S: Solid>(solid: &S, half_edge: Option<u32>, from: DVec3, until: DVec3) -> f64 {
    let Some(half_edge) = half_edge else {
        return f64::INFINITY;
    };
    let start = solid.position(solid.origin(half_edge));
    let end = solid.position(solid.origin(half_edge ^ 1));
    let (before, after) = ((end - start).dot(from).min(0.0), (end - start).dot(until));
    before / (before - after)
}

/// Of the two faces beside an edge the one towards whose normal `line` rises most, from the
/// direction `outward` on.
fn better_face<S: Solid>(solid: &S, half_edge: u32, outward: DVec3, line: DVec3) -> Option<u32> {
    if !S::HAS_FACES {
        return None;
    }
    let level = line - line.dot(outward) * outward;
    let (left, right) = (solid.face_at(half_edge), solid.face_at(half_edge ^ 1));
    let rise = |face: u32| solid.face(face).normal.dot(level);
    Some(if rise(right) > rise(left) {
        right
    } else {
        left
    })
}

/// Of the two faces beside an edge the one whose normal leaves the end of another edge, which
/// goes on `inwards`, the farthest of that edge.
fn face_away<S: Solid>(solid: &S, edge: u32, inwards: DVec3) -> Option<u32> {
    if !S::HAS_FACES {
        return None;
    }
    let leaves = |face: u32| solid.face(face).normal.dot(inwards) > 0.0;
    let (left, right) = (solid.face_at(2 * edge), solid.face_at(2 * edge + 1));
    if leaves(left) {
        Some(left)
    } else {
        leaves(right).then_some(right)
    }
}
