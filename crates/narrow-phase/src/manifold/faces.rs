//! Contacts carried by a face: which face is the reference, and what lies on it.
//!
//! A face is preferred to the exact direction of least depth when it is worse by less than
//! a small share of the size; and last frame's choice to another that is no better than
//! that. So a normal changes when the geometry does, not when rounding does.

use drystone_geometry::feature::FeatureKind;
use drystone_geometry::glam::DVec3;
use drystone_geometry::hull::Polytope;
use drystone_geometry::{Feature, Separation};

use super::border::Incident;
use super::clip::{Reference, clip_segment};
use super::{Candidate, Carrier, Draft};
use crate::collide::Query;
use crate::convex::{Core, Pair, aligned_face, feature_vertices};
use crate::extremes::smaller;
use crate::tolerance::{
    CLIP_GROWTH, FACE_PREFERENCE, FACE_WORTH_TRYING, LEVEL_FACE_COSINE, PREFERENCE_TO_MARGIN,
    SAME_NORMAL_COSINE, SAME_POINT,
};

/// A reference face and how wide the gap along its normal is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FaceGap {
    /// Face of its shape.
    pub(crate) face: u32,
    /// In metres.
    pub(crate) gap: f64,
    /// Of the other shape, towards the face.
    pub(crate) farthest: Farthest,
}

/// By how much one axis must beat another to take its place, in metres.
#[inline]
pub(crate) fn preference(size: f64, margin: f64) -> f64 {
    smaller(FACE_PREFERENCE * size, PREFERENCE_TO_MARGIN * margin)
}

/// How much narrower than the widest gap one along a face's normal may be, in metres.
#[inline]
pub(crate) fn allowance(query: &Query) -> f64 {
    let slack = preference(query.size, query.margin);
    match query.last {
        Carrier::None => slack,
        Carrier::Edges => 0.5 * slack,
        Carrier::FaceA | Carrier::FaceB => 1.5 * slack,
    }
}

/// Chooses the carrier of the normal: the widest gap, with faces and last frame's choice
/// preferred by a share of `size`.
#[inline(always)]
pub(crate) fn choose(
    face_a: Option<f64>,
    face_b: Option<f64>,
    widest: f64,
    query: &Query,
) -> Carrier {
    let last = query.last;
    let slack = preference(query.size, query.margin);
    let lowest = widest - allowance(query);
    let serves = |gap: Option<f64>| gap.filter(|&gap| gap >= lowest);
    match (serves(face_a), serves(face_b)) {
        (Some(a), Some(b)) => {
            let prefers_a = if last == Carrier::FaceB {
                a > b + slack
            } else {
                a + slack >= b
            };
            if prefers_a {
                Carrier::FaceA
            } else {
                Carrier::FaceB
            }
        }
        (Some(_), None) => Carrier::FaceA,
        (None, Some(_)) => Carrier::FaceB,
        (None, None) => Carrier::Edges,
    }
}

/// The face that carries a contact of edges all the same, as it is level with their normal: these
/// are the cosines between that and the nearest faces of A and B.
#[inline]
pub(crate) fn level(last: Carrier, level_a: f64, level_b: f64) -> Carrier {
    let takes_a = match last {
        Carrier::FaceA => level_a >= LEVEL_FACE_COSINE,
        Carrier::FaceB => level_b < LEVEL_FACE_COSINE,
        Carrier::None | Carrier::Edges => level_a >= level_b,
    };
    if level_a.max(level_b) < LEVEL_FACE_COSINE {
        Carrier::Edges
    } else if takes_a {
        Carrier::FaceA
    } else {
        Carrier::FaceB
    }
}

/// Whether what lies on a [`level`] face has enough points, and is as deep as the edges, which
/// leave this gap in metres. If not, `draft` is empty again.
#[inline]
pub(crate) fn is_patch(draft: &mut Draft, points: usize, gap: f64, query: &Query) -> bool {
    let off = (draft.least() - gap).abs();
    let serves = off <= allowance(query) && draft.candidates.len() >= points;
    if !serves {
        draft.begin(query.margin);
    }
    serves
}

/// The face of A around a tracked feature that is most along the normal, with its gap, if it
/// is worth trying: not if the gap is certainly less than `lowest` metres.
#[inline(always)]
pub(crate) fn face_of_a(
    pair: &Pair<'_>,
    (polytope, b): (&Polytope<'_>, &Polytope<'_>),
    core: &Separation,
    lowest: f64,
) -> Option<FaceGap> {
    let face = face_around(polytope, core.feature_a, core.normal);
    let plane = &polytope.faces[face as usize];
    let normal = plane.normal;
    let aligned = normal.dot(core.normal);
    if aligned >= SAME_NORMAL_COSINE {
        return Some(FaceGap {
            face,
            gap: core.lower,
            farthest: Farthest::along(&pair.b, core.feature_b),
        });
    }
    // The corners that made the normal may be below the face already.
    let inward = -pair.b_in_a.inverse_rotate(normal);
    let shift = normal.dot(pair.b_in_a.translation) - plane.offset;
    if aligned < FACE_WORTH_TRYING || shift - highest_corner(b, core.feature_b, inward) < lowest {
        return None;
    }
    let corner = pair.b.support(inward, pair.b.vertex_of(core.feature_b));
    Some(FaceGap {
        face,
        gap: shift - pair.b.position(corner).dot(inward),
        farthest: Farthest::At(corner),
    })
}

/// The same of B.
#[inline(always)]
pub(crate) fn face_of_b(
    pair: &Pair<'_>,
    (polytope, a): (&Polytope<'_>, Option<&Polytope<'_>>),
    core: &Separation,
    lowest: f64,
) -> Option<FaceGap> {
    let inward = -pair.b_in_a.inverse_rotate(core.normal);
    let face = face_around(polytope, core.feature_b, inward);
    let plane = &polytope.faces[face as usize];
    let aligned = plane.normal.dot(inward);
    if aligned >= SAME_NORMAL_COSINE {
        return Some(FaceGap {
            face,
            gap: core.lower,
            farthest: Farthest::along(&pair.a, core.feature_a),
        });
    }
    let normal = -pair.b_in_a.rotate(plane.normal);
    let shift = normal.dot(pair.b_in_a.translation) - plane.offset;
    if aligned < FACE_WORTH_TRYING
        || a.is_some_and(|a| shift - highest_corner(a, core.feature_a, normal) < lowest)
    {
        return None;
    }
    let corner = pair.a.support(normal, pair.a.vertex_of(core.feature_a));
    Some(FaceGap {
        face,
        gap: shift - pair.a.position(corner).dot(normal),
        farthest: Farthest::At(corner),
    })
}

/// The most that a corner of a feature reaches along `direction`, in the polytope's frame: of a
/// face two of its corners stand for all.
#[inline(always)]
fn highest_corner(polytope: &Polytope<'_>, feature: Feature, direction: DVec3) -> f64 {
    let [first, second] = feature_vertices(polytope, feature);
    let height = polytope.position(first).dot(direction);
    if first == second {
        return height;
    }
    height.max(polytope.position(second).dot(direction))
}

/// Whether a feature is a face with this normal, up to rounding.
#[inline(always)]
pub(crate) fn is_face_along(polytope: &Polytope<'_>, feature: Feature, outward: DVec3) -> bool {
    feature.kind() == FeatureKind::Face
        && polytope.faces[feature.index() as usize].normal.dot(outward) >= SAME_NORMAL_COSINE
}

/// Of the faces around a feature the one whose normal is nearest to `outward`.
#[inline(always)]
pub(crate) fn face_around(polytope: &Polytope<'_>, feature: Feature, outward: DVec3) -> u32 {
    let index = feature.index();
    match feature.kind() {
        FeatureKind::Face if is_face_along(polytope, feature, outward) => index,
        FeatureKind::Edge => {
            let left = polytope.half_edges[2 * index as usize].face;
            let right = polytope.half_edges[2 * index as usize + 1].face;
            let aligned = |face: u32| polytope.faces[face as usize].normal.dot(outward);
            let (most_left, most_right) = (aligned(left), aligned(right));
            // Which one it is nobody can guess: no branch.
            left ^ ((left ^ right) & u32::from(most_right > most_left).wrapping_neg())
        }
        FeatureKind::Vertex => aligned_face(polytope, &[index], outward),
        FeatureKind::Face => aligned_face(polytope, &feature_vertices(polytope, feature), outward),
    }
}

/// Where the corner of the incident shape that is farthest towards the reference face is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Farthest {
    /// Here.
    At(u32),
    /// To be sought from here, or from anywhere.
    From(u32),
}

impl Farthest {
    /// The one that a core's feature knows towards a face whose normal is the core's own;
    /// otherwise where a search starts.
    #[inline]
    fn along(core: &Core<'_>, feature: Feature) -> Self {
        if feature.kind() == FeatureKind::Vertex {
            Self::At(feature.index())
        } else {
            Self::From(core.vertex_of(feature))
        }
    }

    #[inline]
    fn corner(self, core: &Core<'_>, direction: DVec3) -> u32 {
        match self {
            Self::At(corner) => corner,
            Self::From(hint) => core.support(direction, hint),
        }
    }
}

/// Clips B's incident face against face `face` of A; the radii around both are `radius` in all.
/// Tells the faces of A and B.
#[inline(always)]
pub(crate) fn on_face_of_a(
    draft: &mut Draft,
    pair: &Pair<'_>,
    a: &Polytope<'_>,
    b: &Polytope<'_>,
    face: u32,
    farthest: Farthest,
    (radius, size): (f64, f64),
) -> [u32; 2] {
    let normal = a.faces[face as usize].normal;
    let inward = -pair.b_in_a.inverse_rotate(normal);
    let lowest = farthest.corner(&pair.b, inward);
    let incident = Incident::facing(b, lowest, inward);
    draft.normal = normal;
    draft.carrier = Carrier::FaceA;
    let reference = Reference {
        polytope: a,
        face,
        incident_pose: pair.b_in_a,
        growth: CLIP_GROWTH * size,
    };
    let limit = draft.margin + radius;
    let candidates = &mut draft.candidates;
    let clipper = &mut draft.clipper;
    let left_out = clipper.clip(
        &reference,
        &incident,
        limit,
        #[inline(always)]
        |corner| {
            candidates.push(Candidate {
                on_a: corner.point - corner.height * normal,
                on_b: corner.point,
                separation: corner.height - radius,
                features: (corner.reference_feature, corner.incident_feature),
            });
        },
    );
    draft.nearest_left_out = draft.nearest_left_out.min(left_out - radius);
    [face, incident.face]
}

/// Clips A's incident face against face `face` of B; the radii around both are `radius` in all.
/// Tells the faces of A and B.
#[inline(always)]
pub(crate) fn on_face_of_b(
    draft: &mut Draft,
    pair: &Pair<'_>,
    a: &Polytope<'_>,
    b: &Polytope<'_>,
    face: u32,
    farthest: Farthest,
    (radius, size): (f64, f64),
) -> [u32; 2] {
    let normal = -pair.b_in_a.rotate(b.faces[face as usize].normal);
    let lowest = farthest.corner(&pair.a, normal);
    let incident = Incident::facing(a, lowest, normal);
    draft.normal = normal;
    draft.carrier = Carrier::FaceB;
    let a_in_b = pair.b_in_a.inverse();
    let reference = Reference {
        polytope: b,
        face,
        incident_pose: &a_in_b,
        growth: CLIP_GROWTH * size,
    };
    let limit = draft.margin + radius;
    let candidates = &mut draft.candidates;
    let clipper = &mut draft.clipper;
    let left_out = clipper.clip(
        &reference,
        &incident,
        limit,
        #[inline(always)]
        |corner| {
            let on_a = pair.b_in_a.transform_point(corner.point);
            candidates.push(Candidate {
                on_a,
                on_b: on_a + corner.height * normal,
                separation: corner.height - radius,
                features: (corner.incident_feature, corner.reference_feature),
            });
        },
    );
    draft.nearest_left_out = draft.nearest_left_out.min(left_out - radius);
    [incident.face, face]
}

/// Clips the segment A against face `face` of B.
pub(crate) fn segment_on_face_of_b(
    draft: &mut Draft,
    pair: &Pair<'_>,
    half_height: f64,
    b: &Polytope<'_>,
    face: u32,
    radius: f64,
    size: f64,
) {
    let normal = -pair.b_in_a.rotate(b.faces[face as usize].normal);
    draft.normal = normal;
    draft.carrier = Carrier::FaceB;
    let a_in_b = pair.b_in_a.inverse();
    let reference = Reference {
        polytope: b,
        face,
        incident_pose: &a_in_b,
        growth: CLIP_GROWTH * size,
    };
    let end = DVec3::new(0.0, half_height, 0.0);
    let ends = [a_in_b.transform_point(-end), a_in_b.transform_point(end)];
    clip_segment(&reference, ends, SAME_POINT * size, |corner| {
        let on_a = pair.b_in_a.transform_point(corner.point);
        let features: (Feature, Feature) = (corner.incident_feature, corner.reference_feature);
        draft.add(Candidate {
            on_a,
            on_b: on_a + corner.height * normal,
            separation: corner.height - radius,
            features,
        });
    });
}
