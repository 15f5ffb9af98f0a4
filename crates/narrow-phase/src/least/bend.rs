//! Cores bounded by what bends at a contact: rims as ellipses, edges as segments.
//!
//! Around a rim of very many edges the facets of D are small, and bound the depth next to their
//! own direction only. Seen from farther off a rim is as good as the ellipse inside it, whose
//! support function grows with the square of the angle that a direction turns along the rim.
//! Where D bends like this in both directions, and more than the depth does, all directions
//! between those near the facet and those that balls bound are settled at once.

use drystone_geometry::feature::FeatureKind;
use drystone_geometry::glam::DVec3;
use drystone_geometry::hull::{Ellipse, Hull};
use drystone_geometry::{Feature, Separation};

use super::cover::Balls;
use crate::convex::{Core, Pair};
use crate::extremes::larger;
use crate::tolerance::{RIM_SHARE, TILT_SHARES, TOUCHING};
use crate::walk::Foot;

/// Most directions along which a core bends at a feature.
const MAX_BENDS: usize = 2;

/// Most corners of a face beside a rim whose sides are known to lead away from it.
const MAX_SIDES: u32 = 4;

/// A growth of a support function by `rate * (along . u)^2` along the unit `u`.
#[derive(Clone, Copy, Debug, Default)]
struct Bend {
    along: DVec3,
    rate: f64,
}

/// A lower bound of a core's support function along the unit `u`: `point . u` and what the bends
/// add to it.
#[derive(Clone, Copy, Debug)]
struct Bends {
    /// In the core, up to the flatness of its faces.
    point: DVec3,
    bends: [Bend; MAX_BENDS],
}

impl Bends {
    /// A point alone.
    fn none(point: DVec3) -> Self {
        Self {
            point,
            bends: [Bend::default(); MAX_BENDS],
        }
    }

    /// Of an ellipse, about its border near `point`. Of unit length or shorter, `v` is at least
    /// `e . v + (f . v)^2 / 2` long for a unit `e` and an `f` square to it in a plane.
    fn of_ellipse(ellipse: &Ellipse, point: DVec3) -> Self {
        let (point, along) = ellipse.towards(point);
        let rate = 0.5 / ellipse.longest();
        let bends = [Bend { along, rate }, Bend::default()];
        Self { point, bends }
    }

    /// Of a segment, about one of its points.
    fn of_segment(from: DVec3, to: DVec3, point: DVec3) -> Self {
        let along = to - from;
        let share = share_of(point - from, along);
        // The ends reach farther by `share` or less of `|along . u|`, which is `length` at most.
        let rate = share.min(1.0 - share) / along.length();
        let bends = [Bend { along, rate }, Bend::default()];
        Self {
            point: from + share * along,
            bends,
        }
    }

    /// Of an ellipse and a point `end`, about a point on the way to it from the border at `base`.
    ///
    /// The support function is the larger one of the two, hence at least any mean of them. With
    /// `share` of the end it bends like the ellipse alone; with more of the one that is larger it
    /// grows along the way.
    fn of_side(ellipse: &Ellipse, base: DVec3, end: DVec3, point: DVec3) -> Self {
        let share = share_of(point - base, end - base);
        let Self { point, bends } = Self::of_ellipse(ellipse, base);
        let along = end - point;
        let more = 0.5 * share.min(1.0 - share);
        let [around, _] = bends;
        Self {
            point: point + share * along,
            bends: [
                Bend {
                    rate: (1.0 - share - more) * around.rate,
                    ..around
                },
                Bend {
                    along,
                    rate: more / along.length(),
                },
            ],
        }
    }

    /// Of a core about a point of a feature, both in its frame.
    fn of(core: &Core<'_>, feature: Feature, point: DVec3) -> Self {
        match (core, feature.kind()) {
            (Core::Hull(hull), FeatureKind::Vertex) => {
                of_corner(hull, feature.index()).unwrap_or(Self::none(point))
            }
            (Core::Hull(hull), FeatureKind::Face) => {
                of_face(hull, feature.index(), point).unwrap_or(Self::none(point))
            }
            (Core::Hull(hull), FeatureKind::Edge) => of_edge(hull, feature.index(), point),
            (_, FeatureKind::Edge) => {
                let [from, to] = core.edge_ends(feature.index());
                Self::of_segment(core.position(from), core.position(to), point)
            }
            _ => Self::none(point),
        }
    }
}

/// How far along a way a point is, from 0 to 1.
fn share_of(point: DVec3, way: DVec3) -> f64 {
    (point.dot(way) / way.length_squared()).clamp(0.0, 1.0)
}

fn position(hull: &Hull, vertex: u32) -> DVec3 {
    hull.vertices()[vertex as usize].as_dvec3()
}

/// The ellipse in a face of very many edges at a corner.
fn ellipse_at(hull: &Hull, vertex: u32) -> Option<&Ellipse> {
    let (border, _) = hull.border_at(vertex)?;
    hull.ellipse_in(border.face)
}

fn of_corner(hull: &Hull, vertex: u32) -> Option<Bends> {
    let ellipse = ellipse_at(hull, vertex)?;
    Some(Bends::of_ellipse(ellipse, position(hull, vertex)))
}

fn of_edge(hull: &Hull, edge: u32, point: DVec3) -> Bends {
    let winged = &hull.edges()[edge as usize];
    if let Some(ellipse) = winged
        .faces
        .into_iter()
        .find_map(|face| hull.ellipse_in(face))
    {
        return Bends::of_ellipse(ellipse, point);
    }
    let [from, to] = winged.ends.map(|end| end.as_dvec3());
    let is_nearer_to = point.distance_squared(to) < point.distance_squared(from);
    let mut ways = [
        (winged.vertices[0], from, to),
        (winged.vertices[1], to, from),
    ];
    if is_nearer_to {
        ways.reverse();
    }
    for (vertex, base, end) in ways {
        if let Some(ellipse) = ellipse_at(hull, vertex) {
            return Bends::of_side(ellipse, base, end, point);
        }
    }
    Bends::of_segment(from, to, point)
}

/// Of a face between a rim and a corner or another edge, along what leads from the one to the other
/// through a point; nothing for other faces.
fn of_face(hull: &Hull, face: u32, point: DVec3) -> Option<Bends> {
    let plane = &hull.faces()[face as usize];
    if plane.edge_count > MAX_SIDES {
        return None;
    }
    let (mut corners, mut ellipses) = ([DVec3::ZERO; 4], [None; 4]);
    let count = plane.edge_count as usize;
    let mut half_edge = plane.first_edge;
    for k in 0..count {
        let next = &hull.half_edges()[half_edge as usize];
        corners[k] = position(hull, next.origin);
        let across = hull.half_edges()[(half_edge ^ 1) as usize].face;
        ellipses[k] = hull.ellipse_in(across);
        half_edge = next.next;
    }
    let mut best: Option<(f64, Bends)> = None;
    for (k, ellipse) in ellipses[..count].iter().enumerate() {
        let Some(ellipse) = ellipse else { continue };
        let corner = |after: usize| corners[(k + after) % count];
        let rim = [corner(0), corner(1)];
        let far = [corner(count - 1), corner(2)];
        let (share, base, end) = through(rim, far, point);
        if best.as_ref().is_none_or(|(least, _)| share < *least) {
            best = Some((share, Bends::of_side(ellipse, base, end, point)));
        }
    }
    best.map(|(_, bends)| bends)
}

/// The way through a point from one edge to another, or to a corner that both its ends are: its
/// share of the way, and where the way begins and ends.
fn through(rim: [DVec3; 2], far: [DVec3; 2], point: DVec3) -> (f64, DVec3, DVec3) {
    let edge = rim[1] - rim[0];
    let up = 0.5 * (far[0] + far[1]) - rim[0];
    let up = up - up.dot(edge) / edge.length_squared() * edge;
    let share = share_of(point - rim[0], up);
    let from = rim[0].lerp(far[0], share);
    let across = rim[1].lerp(far[1], share) - from;
    let place = if across.length_squared() > 0.0 {
        share_of(point - from, across)
    } else {
        0.5
    };
    (
        share,
        rim[0].lerp(rim[1], place),
        far[0].lerp(far[1], place),
    )
}

/// Angles from the direction of a depth, as the squares of the tangents of half of them, at which no
/// direction has less.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    /// Up to here.
    pub(super) near_sq: f64,
    /// And from here up to there.
    pub(super) ring_sq: (f64, f64),
}

/// Whether what bends at the features of a depth and the balls inside the cores show it to be the
/// least of all. `foot` is known to bound it near its own direction.
pub(super) fn is_least(pair: &Pair<'_>, core: &Separation, foot: &Foot, tolerance: f64) -> bool {
    let top = Balls::of(pair).danger(-core.normal, -core.lower - tolerance);
    shown(pair, core, foot, tolerance, top).is_some_and(|shown| shown.near_sq >= top * top)
}

/// At which angles what bends at the features of a depth bounds it, as far as they are no larger than
/// `enough`. `foot` is known to bound it near its own direction.
#[inline(never)]
pub(super) fn shown(
    pair: &Pair<'_>,
    core: &Separation,
    foot: &Foot,
    tolerance: f64,
    enough: f64,
) -> Option<Shown> {
    let depth = -core.lower;
    if depth <= TOUCHING * pair.scale || !super::is_level(pair, core, tolerance) {
        return None;
    }
    let outward = -core.normal;
    let a = Bends::of(&pair.a, core.feature_a, core.point_a);
    let point_b = pair.b_in_a.inverse_transform_point(core.point_b);
    let b = Bends::of(&pair.b, core.feature_b, point_b);
    let turned = |bend: Bend| Bend {
        along: pair.b_in_a.rotate(bend.along),
        ..bend
    };
    let bends = [
        a.bends[0],
        a.bends[1],
        turned(b.bends[0]),
        turned(b.bends[1]),
    ];
    let point = pair.b_in_a.transform_point(b.point) - a.point;
    let (least, tilt) = least_bend(&bends, outward);
    let flatness = flatness_of(&pair.a) + flatness_of(&pair.b);
    let off = (point - depth * outward).length() + flatness - tolerance;
    let mut square = f64::max(
        RIM_SHARE * RIM_SHARE * foot.inner_sq / (depth * depth),
        0.5 * tolerance / depth,
    );
    let mut ring = (square, square);
    // What is tilted out of the facet's plane counts most near its direction.
    let mut share = 0.5;
    for _ in 0..TILT_SHARES {
        if square >= enough * enough {
            break;
        }
        // What is not a number stays so, and shows nothing.
        let miss = larger(0.0, off + (1.0 / share - 1.0) * tilt);
        let (from, to) = outgrown(2.0 * (1.0 - share) * least, depth, miss);
        if from <= square && to > square {
            square = to;
        } else if from < to && to > ring.1 {
            ring = (from, to);
        }
        share *= 0.5;
    }
    Some(Shown {
        near_sq: square,
        ring_sq: ring,
    })
}

/// Where `bend` outgrows a depth: from which square of the tangent of half an angle up to which one;
/// not numbers if nowhere.
///
/// With `x . u >= depth cos - miss` for the point of D:
///     bend / 2 sin^2 + depth cos - miss >= depth,
/// which is a quadratic inequality in that square.
fn outgrown(bend: f64, depth: f64, miss: f64) -> (f64, f64) {
    let (steep, half) = (depth + 0.5 * miss, 0.5 * (bend - depth - miss));
    let root = (half * half - 0.5 * steep * miss).sqrt();
    let to = (half + root) / steep;
    (0.5 * miss / (half + root), to)
}

/// How much the bends grow at least in the plane with this unit normal, times the squared sine; and
/// what they may lose where they are tilted out of it.
///
/// Of a direction at an angle from the normal, towards `v`, `(f . u)^2` is at least
/// `(1 - s) (f . v sin)^2 - (1 / s - 1) (f . normal)^2` for any share `s`. The smaller eigenvalue
/// of the sum is its determinant over the larger one.
fn least_bend(bends: &[Bend], normal: DVec3) -> (f64, f64) {
    let (mut trace, mut determinant, mut tilt) = (0.0, 0.0, 0.0);
    for (k, bend) in bends.iter().enumerate() {
        let out = bend.along.dot(normal);
        tilt += bend.rate * out * out;
        trace += bend.rate * (bend.along.length_squared() - out * out);
        let across = bend.along.cross(normal);
        for other in &bends[..k] {
            let area = across.dot(other.along);
            determinant += bend.rate * other.rate * area * area;
        }
    }
    let half = 0.5 * trace;
    let larger_one = half + larger(half * half - determinant, 0.0).sqrt();
    (determinant / larger_one, tilt)
}

/// How far a core may reach below its faces, in metres.
fn flatness_of(core: &Core<'_>) -> f64 {
    match core {
        Core::Hull(hull) => 2.0 * hull.flatness(),
        _ => 0.0,
    }
}
