//! Contacts carried by a face: which face is the reference, and what lies on it.
//!
//! A face is preferred to the exact direction of least depth when it is worse by less than
//! a small share of the size; and last frame's choice to another that is no better than
//! that. So a normal changes when the geometry does, not when rounding does.

use drystone_geometry::feature::FeatureKind;
use drystone_geometry::glam::DVec3;
use drystone_geometry::hull::Polytope;
use drystone_geometry::{Feature, Separation};

use super::clip::{Reference, clip_face, clip_segment};
use super::{Candidate, Carrier, Draft};
use crate::convex::{NO_HINT, Pair, aligned_face, feature_vertices};
use crate::cuboid::Axes;
use crate::tolerance::{
    CLIP_GROWTH, FACE_PREFERENCE, FACE_WORTH_TRYING, SAME_NORMAL_COSINE, SAME_POINT,
};

/// A reference face and how wide the gap along its normal is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FaceGap {
    /// Face of its shape.
    pub(crate) face: u32,
    /// In metres.
    pub(crate) gap: f64,
}

/// Chooses the carrier of the normal: the widest gap, with faces and last frame's choice
/// preferred by a share of `size`.
pub(crate) fn choose(
    face_a: Option<f64>,
    face_b: Option<f64>,
    widest: f64,
    last: Carrier,
    size: f64,
) -> Carrier {
    let slack = FACE_PREFERENCE * size;
    let allowed = match last {
        Carrier::None => slack,
        Carrier::Edges => 0.5 * slack,
        Carrier::FaceA | Carrier::FaceB => 1.5 * slack,
    };
    let serves = |gap: Option<f64>| gap.filter(|&gap| gap >= widest - allowed);
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

/// The face of A around a tracked feature that is most along the normal, if it is worth
/// trying, with its gap.
pub(crate) fn face_of_a(
    pair: &Pair<'_>,
    polytope: &Polytope<'_>,
    core: &Separation,
) -> Option<FaceGap> {
    let face = face_around(polytope, core.feature_a, core.normal);
    let normal = polytope.faces[face as usize].normal;
    let aligned = normal.dot(core.normal);
    (aligned >= FACE_WORTH_TRYING).then(|| FaceGap {
        face,
        gap: if aligned >= SAME_NORMAL_COSINE {
            core.lower
        } else {
            pair.gap(
                normal,
                pair.a.vertex_of(core.feature_a),
                pair.b.vertex_of(core.feature_b),
            )
        },
    })
}

/// The same of B.
pub(crate) fn face_of_b(
    pair: &Pair<'_>,
    polytope: &Polytope<'_>,
    core: &Separation,
) -> Option<FaceGap> {
    let inward = -pair.b_in_a.inverse_rotate(core.normal);
    let face = face_around(polytope, core.feature_b, inward);
    let normal = polytope.faces[face as usize].normal;
    let aligned = normal.dot(inward);
    (aligned >= FACE_WORTH_TRYING).then(|| FaceGap {
        face,
        gap: if aligned >= SAME_NORMAL_COSINE {
            core.lower
        } else {
            pair.gap(
                -pair.b_in_a.rotate(normal),
                pair.a.vertex_of(core.feature_a),
                pair.b.vertex_of(core.feature_b),
            )
        },
    })
}

/// Whether a feature is a face with this normal, up to rounding.
pub(crate) fn is_face_along(polytope: &Polytope<'_>, feature: Feature, outward: DVec3) -> bool {
    feature.kind() == FeatureKind::Face
        && polytope.faces[feature.index() as usize].normal.dot(outward) >= SAME_NORMAL_COSINE
}

/// Of the faces around a feature the one whose normal is nearest to `outward`.
fn face_around(polytope: &Polytope<'_>, feature: Feature, outward: DVec3) -> u32 {
    let index = feature.index();
    match feature.kind() {
        FeatureKind::Face if is_face_along(polytope, feature, outward) => index,
        FeatureKind::Edge => {
            let [left, right] =
                [2 * index, 2 * index + 1].map(|e| polytope.half_edges[e as usize].face);
            let aligned = |face: u32| polytope.faces[face as usize].normal.dot(outward);
            if aligned(right) > aligned(left) {
                right
            } else {
                left
            }
        }
        FeatureKind::Vertex => aligned_face(polytope, &[index], outward),
        FeatureKind::Face => aligned_face(polytope, &feature_vertices(polytope, feature), outward),
    }
}

/// The faces of two boxes whose axes are widest.
pub(crate) fn box_faces(
    pair: &Pair<'_>,
    a: &Polytope<'_>,
    b: &Polytope<'_>,
    axes: &Axes,
) -> (FaceGap, FaceGap) {
    let outward = axes.face_a.normal;
    let face_a = aligned_face(a, &[pair.a.support(outward, NO_HINT)], outward);
    let inward = -pair.b_in_a.inverse_rotate(axes.face_b.normal);
    let face_b = aligned_face(b, &[pair.b.support(inward, NO_HINT)], inward);
    (
        FaceGap {
            face: face_a,
            gap: axes.face_a.gap,
        },
        FaceGap {
            face: face_b,
            gap: axes.face_b.gap,
        },
    )
}

/// Clips B's incident face against face `face` of A. The search for it starts at `hint`; the
/// radii around both are `radius` in all.
pub(crate) fn on_face_of_a(
    draft: &mut Draft,
    pair: &Pair<'_>,
    a: &Polytope<'_>,
    b: &Polytope<'_>,
    face: u32,
    hint: u32,
    (radius, size): (f64, f64),
) {
    let normal = a.faces[face as usize].normal;
    let inward = -pair.b_in_a.inverse_rotate(normal);
    let incident = aligned_face(b, &[pair.b.support(inward, hint)], inward);
    draft.normal = normal;
    draft.carrier = Carrier::FaceA;
    let reference = Reference {
        polytope: a,
        face,
        incident_pose: pair.b_in_a,
        growth: CLIP_GROWTH * size,
    };
    let (mut polygon, mut clipped) = draft.take_buffers();
    clip_face(
        &reference,
        b,
        incident,
        &mut polygon,
        &mut clipped,
        |corner| {
            draft.add(Candidate {
                on_a: corner.point - corner.height * normal,
                on_b: corner.point,
                separation: corner.height - radius,
                features: (corner.reference_feature, corner.incident_feature),
            });
        },
    );
    draft.return_buffers(polygon, clipped);
}

/// Clips A's incident face against face `face` of B. The search for it starts at `hint`; the
/// radii around both are `radius` in all.
pub(crate) fn on_face_of_b(
    draft: &mut Draft,
    pair: &Pair<'_>,
    a: &Polytope<'_>,
    b: &Polytope<'_>,
    face: u32,
    hint: u32,
    (radius, size): (f64, f64),
) {
    let normal = -pair.b_in_a.rotate(b.faces[face as usize].normal);
    let incident = aligned_face(a, &[pair.a.support(normal, hint)], normal);
    draft.normal = normal;
    draft.carrier = Carrier::FaceB;
    let a_in_b = pair.b_in_a.inverse();
    let reference = Reference {
        polytope: b,
        face,
        incident_pose: &a_in_b,
        growth: CLIP_GROWTH * size,
    };
    let (mut polygon, mut clipped) = draft.take_buffers();
    clip_face(
        &reference,
        a,
        incident,
        &mut polygon,
        &mut clipped,
        |corner| {
            let on_a = pair.b_in_a.transform_point(corner.point);
            draft.add(Candidate {
                on_a,
                on_b: on_a + corner.height * normal,
                separation: corner.height - radius,
                features: (corner.incident_feature, corner.reference_feature),
            });
        },
    );
    draft.return_buffers(polygon, clipped);
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
