//! From what an algorithm found to a [`Separation`] whose bounds are recomputed from the
//! shapes: supports along the normal below, witness points above.

use drystone_geometry::feature::FeatureKind;
use drystone_geometry::glam::DVec3;
use drystone_geometry::hull::{Hull, Spoke};
use drystone_geometry::{Feature, Frame, Separation};

use crate::convex::{Core, NO_HINT, Pair, aligned_face, feature_vertices};
use crate::cuboid::Axis;
use crate::epa::Depth;
use crate::extended::triangle_normal;
use crate::gjk::Gjk;
use crate::manifold::edges::supporting_edge;
use crate::simplex::{Simplex, square_to};
use crate::tolerance::{CERTIFIED, LEVEL_SINE};
use crate::witness::{Patch, crossing, meeting};

/// Cores apart: the witnesses of the nearest simplex, and the best normal known. Where the bounds
/// are farther apart than `width`, a ratio to the pair's scale, the features' own normals and
/// nearest points are tried.
pub(crate) fn apart(pair: &Pair<'_>, found: &Gjk, width: f64) -> Separation {
    let witness = Witness::new(pair, &found.simplex, &found.weights);
    let offset = witness.point_b - witness.point_a;
    let upper = offset.length();
    let best = Axis {
        gap: found.lower,
        normal: found.lower_normal,
    };
    let (feature_a, feature_b) = witness.features(pair, best.normal);
    let mut answer = Separation {
        lower: best.gap.min(upper),
        upper,
        point_a: witness.point_a,
        point_b: witness.point_b,
        normal: best.normal,
        feature_a,
        feature_b,
    };
    let is_loose = |answer: &Separation| answer.upper - answer.lower > width * pair.scale;
    if is_loose(&answer) {
        for normal in tighten(pair, &witness, &mut answer) {
            if is_loose(&answer) {
                approach(pair, normal, &mut answer);
            }
        }
    }
    answer
}

/// Takes the witnesses from the corners that are farthest along a normal where they are nearer
/// each other: a sliver of a simplex misplaces its own along the faces. Faces tell less than
/// their corners do, which lie in one plane only up to rounding.
fn approach(pair: &Pair<'_>, normal: DVec3, answer: &mut Separation) {
    let inward = -pair.b_in_a.inverse_rotate(normal);
    let vertex = pair.support(normal, NO_HINT, NO_HINT);
    let features = [
        support_feature(&pair.a, vertex.a, normal),
        support_feature(&pair.b, vertex.b, inward),
    ];
    for slack in [CERTIFIED, LEVEL_SINE] {
        let on_a = farthest_corners(&pair.a, vertex.a, normal, slack * pair.scale);
        let on_b = farthest_corners(&pair.b, vertex.b, inward, slack * pair.scale);
        let patches = [Patch::Corners(&on_a), Patch::Corners(&on_b)];
        let [point_a, point_b] = meeting(pair, patches, normal);
        let upper = point_a.distance(point_b);
        if upper < answer.upper {
            *answer = Separation {
                lower: answer.lower.min(upper),
                upper,
                point_a,
                point_b,
                feature_a: features[0],
                feature_b: features[1],
                ..*answer
            };
        }
    }
}

/// The corners of a core that reach as far along `outward` as `vertex` does, or less far by at
/// most `slack`, in metres.
fn farthest_corners(core: &Core<'_>, vertex: u32, outward: DVec3, slack: f64) -> Vec<u32> {
    let lowest = core.position(vertex).dot(outward) - slack;
    let is_among = |&other: &u32| core.position(other).dot(outward) >= lowest;
    let Core::Hull(hull) = core else {
        let count = core
            .polytope()
            .map_or(2, |polytope| polytope.vertices.len() as u32);
        return match core {
            Core::Point => vec![vertex],
            _ => (0..count).filter(is_among).collect(),
        };
    };
    // On a convex surface each is next to another.
    let mut corners = vec![vertex];
    let mut is_seen = vec![false; hull.vertices().len()];
    is_seen[vertex as usize] = true;
    let mut next = 0;
    while let Some(&corner) = corners.get(next) {
        for spoke in hull.spokes(corner) {
            let is_new = !std::mem::replace(&mut is_seen[spoke.vertex as usize], true);
            corners.extend(Some(spoke.vertex).filter(is_among).filter(|_| is_new));
        }
        next += 1;
    }
    corners
}

/// Cores that overlap: EPA's face, its support sum and its ball. For `width` see [`apart`].
pub(crate) fn overlap(pair: &Pair<'_>, depth: &Depth, found: &Gjk, width: f64) -> Separation {
    let mut simplex = Simplex::of(depth.face[0]);
    simplex.push(depth.face[1]);
    simplex.push(depth.face[2]);
    let mut weights = [1.0, 0.0, 0.0];
    if let Some(nearest) = simplex.nearest(pair.scale) {
        simplex = simplex.reduced(&nearest);
        weights = nearest.weights;
    }
    let mut witness = Witness::new(pair, &simplex, &weights);
    if found.simplex.vertices().len() < 4 && depth.depth < 0.0 {
        // A gap of a few rounding units: GJK's witnesses are that close.
        witness = Witness::new(pair, &found.simplex, &found.weights);
    }
    let whole = Witness {
        ids: ids_of(&depth.face),
        ..witness
    };
    let (feature_a, feature_b) = whole.features(pair, depth.normal);
    let lower = -depth.depth;
    let upper = if lower > 0.0 {
        (witness.point_b - witness.point_a).length().max(lower)
    } else {
        (-depth.radius).max(lower)
    };
    let mut answer = Separation {
        lower,
        upper,
        point_a: witness.point_a,
        point_b: witness.point_b,
        normal: depth.normal,
        feature_a,
        feature_b,
    };
    if upper - lower > width * pair.scale {
        tighten(pair, &whole, &mut answer);
    }
    answer
}

/// Cores whose widest gap is exactly along `axis`.
pub(crate) fn along(pair: &Pair<'_>, axis: &Axis) -> Separation {
    let normal = axis.normal;
    let inward = -pair.b_in_a.inverse_rotate(normal);
    let vertex = pair.support(normal, NO_HINT, NO_HINT);
    let on_a = pair.a.position(vertex.a);
    let on_b = pair.b_in_a.transform_point(pair.b.position(vertex.b));
    let feature_a = support_feature(&pair.a, vertex.a, normal);
    let feature_b = support_feature(&pair.b, vertex.b, inward);
    let [point_a, point_b] = match (feature_a.kind(), feature_b.kind()) {
        (FeatureKind::Face, FeatureKind::Vertex) => [on_b - axis.gap * normal, on_b],
        (FeatureKind::Vertex, FeatureKind::Vertex | FeatureKind::Face) => {
            [on_a, on_a + axis.gap * normal]
        }
        kinds => {
            let edges = [feature_a.index(), feature_b.index()];
            (kinds == (FeatureKind::Edge, FeatureKind::Edge))
                .then(|| crossing(pair, edges, normal))
                .flatten()
                .unwrap_or_else(|| {
                    meeting(pair, [feature_a, feature_b].map(Patch::Feature), normal)
                })
        }
    };
    Separation {
        lower: axis.gap,
        upper: axis.gap,
        point_a,
        point_b,
        normal,
        feature_a,
        feature_b,
    }
}

/// The largest feature at `vertex` that is at a right angle to `outward`.
pub(crate) fn support_feature(core: &Core<'_>, vertex: u32, outward: DVec3) -> Feature {
    let Some(polytope) = core.polytope() else {
        let level = matches!(core, Core::Segment(_)) && outward.y.abs() <= LEVEL_SINE;
        return if level {
            Feature::edge(0)
        } else {
            Feature::vertex(vertex)
        };
    };
    let face = aligned_face(&polytope, &[vertex], outward);
    if polytope.faces[face as usize].normal.dot(outward) >= 1.0 - LEVEL_SINE * LEVEL_SINE {
        return Feature::face(face);
    }
    let (half_edge, sine) = supporting_edge(&polytope, vertex, outward);
    if sine <= LEVEL_SINE {
        Feature::edge(half_edge / 2)
    } else {
        Feature::vertex(vertex)
    }
}

/// A point at the origin of A's frame and a box, in closed form. The box's feature is left
/// to [`box_feature`].
pub(crate) fn point_box(half: DVec3, b_in_a: &Frame) -> Separation {
    let point = b_in_a.inverse_transform_point(DVec3::ZERO);
    let nearest = point.clamp(-half, half);
    let offset = point - nearest;
    let distance = offset.length();
    let over = point.abs() - half;
    let mut axis = 0;
    for other in 1..3 {
        if over[other] > over[axis] {
            axis = other;
        }
    }
    let mut face = DVec3::ZERO;
    face[axis] = 1f64.copysign(point[axis]);
    let (outward, upper, on_box) = if distance > 0.0 {
        (offset / distance, distance, nearest)
    } else {
        (face, over[axis], point - over[axis] * face)
    };
    Separation {
        lower: (outward.dot(point) - half.dot(outward.abs())).min(upper),
        upper,
        point_a: DVec3::ZERO,
        point_b: b_in_a.transform_point(on_box),
        normal: -b_in_a.rotate(outward),
        feature_a: Feature::vertex(0),
        feature_b: Feature::face(0),
    }
}

/// The feature of a box nearest to the origin of A's frame.
pub(crate) fn box_feature(pair: &Pair<'_>, half: DVec3) -> Feature {
    let point = pair.b_in_a.inverse_transform_point(DVec3::ZERO);
    let over = point.abs() - half;
    let outside = over.max_element() > 0.0;
    let mut free = [0; 3];
    let mut count = 0;
    for k in 0..3 {
        let clamped = if outside {
            over[k] > 0.0
        } else {
            over[k] == over.max_element()
        };
        if !clamped && count < 2 {
            free[count] = 1 << k;
            count += 1;
        }
    }
    let nearest = pair.b.support(point, NO_HINT);
    let ids = [nearest, nearest ^ free[0], nearest ^ free[1]];
    pair.b.feature_of(&ids[..=count], point)
}

/// Witness points as the same mixture of vertices on both cores.
struct Witness {
    point_a: DVec3,
    point_b: DVec3,
    ids: ([u32; 3], [u32; 3], usize),
}

impl Witness {
    fn new(pair: &Pair<'_>, simplex: &Simplex, weights: &[f64; 3]) -> Self {
        let vertices = &simplex.vertices()[..simplex.vertices().len().min(3)];
        let (mut on_a, mut on_b) = (DVec3::ZERO, DVec3::ZERO);
        for (vertex, &weight) in vertices.iter().zip(weights) {
            on_a += weight * pair.a.position(vertex.a);
            on_b += weight * pair.b.position(vertex.b);
        }
        Self {
            point_a: on_a,
            point_b: pair.b_in_a.transform_point(on_b),
            ids: ids_of(vertices),
        }
    }

    fn features(&self, pair: &Pair<'_>, normal: DVec3) -> (Feature, Feature) {
        let (a, b, count) = &self.ids;
        let inward = -pair.b_in_a.inverse_rotate(normal);
        (
            pair.a.feature_of(&a[..*count], normal),
            pair.b.feature_of(&b[..*count], inward),
        )
    }
}

fn ids_of(vertices: &[crate::convex::Vertex]) -> ([u32; 3], [u32; 3], usize) {
    let (mut a, mut b) = ([0; 3], [0; 3]);
    for (i, vertex) in vertices.iter().enumerate() {
        (a[i], b[i]) = (vertex.a, vertex.b);
    }
    (a, b, vertices.len())
}

/// Tries the normals of the faces and their triangles around both features and around the corners
/// of the simplex, which need be no edge of the face that they are all on, the offset of the
/// witnesses square to their edges and the cross products of these: one of them is the exact
/// direction when the simplex was a sliver. Returns all that show as wide a gap as the widest up to
/// rounding: next to long edges several faces do, and the nearest points lie on one of them.
fn tighten(pair: &Pair<'_>, witness: &Witness, answer: &mut Separation) -> Vec<DVec3> {
    let old = answer.normal;
    let (ids_a, ids_b, count) = &witness.ids;
    let directions = |core: &Core<'_>, feature: Feature, corners: &[u32]| {
        let (mut normals, mut edges) = (Vec::new(), Vec::new());
        if let Some(polytope) = core.polytope() {
            let mut vertices = feature_vertices(&polytope, feature).to_vec();
            vertices.extend_from_slice(corners);
            vertices.sort_unstable();
            vertices.dedup();
            for vertex in vertices {
                let start = polytope.position(vertex);
                for sector in polytope.ring_of(vertex) {
                    normals.push(polytope.faces[sector.face as usize].normal);
                    edges.push(polytope.position(polytope.target(sector.half_edge)) - start);
                }
                if let Core::Hull(hull) = core {
                    folds(hull, vertex, &mut normals, &mut edges);
                }
            }
        } else if let Core::Segment(_) = core {
            edges.push(DVec3::Y);
        }
        (normals, edges)
    };
    let (normals_a, edges_a) = directions(&pair.a, answer.feature_a, &ids_a[..*count]);
    let (normals_b, edges_b) = directions(&pair.b, answer.feature_b, &ids_b[..*count]);
    let rounding = CERTIFIED * pair.scale;
    let mut wide = vec![(answer.lower, old)];
    let mut consider = |normal: DVec3| {
        let gap = pair.gap(normal, NO_HINT, NO_HINT);
        if gap >= answer.lower - rounding {
            wide.push((gap, normal));
        }
        if gap > answer.lower {
            answer.lower = gap.min(answer.upper);
            answer.normal = normal;
        }
    };
    normals_a.into_iter().for_each(&mut consider);
    normals_b
        .into_iter()
        .for_each(|normal| consider(-pair.b_in_a.rotate(normal)));
    // Parallel edges: from line to line.
    let offset = answer.point_b - answer.point_a;
    let turned_b = edges_b.iter().map(|edge| pair.b_in_a.rotate(*edge));
    for edge in edges_a.iter().copied().chain(turned_b) {
        if let Some(normal) = square_to(offset, edge).try_normalize() {
            consider(if answer.upper > 0.0 { normal } else { -normal });
        }
    }
    for a in &edges_a {
        for b in &edges_b {
            let cross = triangle_normal(DVec3::ZERO, *a, pair.b_in_a.rotate(*b));
            if let Some(normal) = cross.try_normalize() {
                consider(if normal.dot(old) < 0.0 {
                    -normal
                } else {
                    normal
                });
            }
        }
    }
    let widest = answer.lower;
    wide.retain(|(gap, _)| *gap >= widest - rounding);
    wide.into_iter().map(|(_, normal)| normal).collect()
}

/// Adds what a corner's faces hide that are flat only up to rounding: the normals of their
/// triangles and the edges between these.
fn folds(hull: &Hull, vertex: u32, normals: &mut Vec<DVec3>, edges: &mut Vec<DVec3>) {
    let start = hull.vertices()[vertex as usize].as_dvec3();
    let spokes = hull.spokes(vertex);
    let following = spokes.iter().cycle().skip(1);
    for (spoke, next) in spokes.iter().zip(following) {
        let [along, beside] = [spoke, next].map(|spoke| spoke.position.as_dvec3() - start);
        normals.extend(triangle_normal(DVec3::ZERO, along, beside).try_normalize());
        if spoke.half_edge == Spoke::INNER {
            edges.push(along);
        }
    }
}
