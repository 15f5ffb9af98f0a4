//! Faces whose triangles do not quite lie in one plane: the plane under a point over one, and what
//! is nearest inside a face that its own plane says is not.

use drystone_geometry::Feature;
use drystone_geometry::glam::DVec3;
use drystone_geometry::hull::{Fold, FoldTriangle, Hull};

use super::edge::{Ends, Line, Nearest, least_share};
use super::moves::{Ground, Move};
use super::progress::Progress;
use super::solid::{Plane, Solid};
use crate::tolerance::MAX_FOLD_STEPS;

/// A triangle of a face, with a normal of any length.
struct Facet {
    corners: [DVec3; 3],
    across: [u32; 3],
    normal: DVec3,
}

impl Facet {
    fn new(hull: &Hull, triangle: &FoldTriangle) -> Self {
        let position = |v: u32| hull.vertices()[v as usize].as_dvec3();
        let corners @ [a, b, c] = triangle.vertices.map(position);
        Self {
            corners,
            across: triangle.across,
            normal: (b - a).cross(c - a),
        }
    }

    /// Whether the way from a point to this triangle's plane ends past a side of it.
    fn is_past(&self, side: usize, point: DVec3) -> bool {
        let (from, to) = (self.corners[side], self.corners[(side + 1) % 3]);
        (to - from).cross(point - from).dot(self.normal) < 0.0
    }

    /// A side that the way to the plane ends past.
    fn passed(&self, point: DVec3) -> Option<usize> {
        (0..3).find(|&side| self.is_past(side, point))
    }

    fn plane(&self) -> Plane {
        plane(self.normal / self.normal.length(), &self.corners)
    }

    /// How far its corners reach along a direction.
    fn reach(&self, direction: DVec3) -> f64 {
        let reach = |farthest: f64, corner: &DVec3| farthest.max(direction.dot(*corner));
        self.corners.iter().fold(f64::NEG_INFINITY, reach)
    }

    /// How far the way from a point to this triangle's plane ends past its sides, in metres, if it
    /// ends outside.
    fn way_past(&self, point: DVec3) -> f64 {
        let height = (point - self.corners[0]).dot(self.normal) / self.normal.length_squared();
        let foot = point - height * self.normal;
        let past = (0..3).map(|side| {
            let (from, to) = (self.corners[side], self.corners[(side + 1) % 3]);
            let along = to - from;
            let share = (foot - from).dot(along) / along.length_squared();
            foot.distance(from + share.clamp(0.0, 1.0) * along)
        });
        past.fold(f64::INFINITY, f64::min)
    }
}

/// The plane with this unit normal through the farthest of some corners, which the normal of a
/// sliver does not find equally far.
fn plane(normal: DVec3, corners: &[DVec3]) -> Plane {
    let (mut offset, mut least) = (f64::NEG_INFINITY, f64::INFINITY);
    for corner in corners {
        let height = normal.dot(*corner);
        (offset, least) = (offset.max(height), least.min(height));
    }
    Plane {
        normal,
        offset,
        flatness: offset - least,
    }
}

/// The plane of the triangle that a point is over, or, where it is over none but over the side
/// between two, the one across the way there. Nothing where neither is found.
#[inline(never)]
pub(crate) fn plane_under(hull: &Hull, fold: &Fold<'_>, point: DVec3) -> Option<Plane> {
    let mut facet = Facet::new(hull, fold.triangle(fold.under(point)));
    for _ in 0..MAX_FOLD_STEPS {
        let Some(side) = facet.passed(point) else {
            return Some(facet.plane());
        };
        if facet.across[side] == FoldTriangle::BORDER {
            // Over the border but for the tilt of this triangle in the face.
            let mut plane = facet.plane();
            plane.flatness += facet.way_past(point);
            return Some(plane);
        }
        let (from, to) = (facet.corners[side], facet.corners[(side + 1) % 3]);
        let beyond = Facet::new(hull, fold.triangle(facet.across[side]));
        // Nothing is concave here: what is over neither triangle is over the side.
        if (from - to).cross(point - to).dot(beyond.normal) < 0.0 {
            let mut plane = over_side([from, to], point)?;
            // A way of a micrometre may be all rounding: then the corners beside it show it.
            let beside = [&facet, &beyond].map(|facet| facet.reach(plane.normal));
            let farthest = beside[0].max(beside[1]).max(plane.offset);
            plane.flatness += farthest - plane.offset;
            plane.offset = farthest;
            return Some(plane);
        }
        facet = beyond;
    }
    None
}

/// The plane across the way from a point to a side, if the way ends between its ends.
fn over_side([from, to]: [DVec3; 2], point: DVec3) -> Option<Plane> {
    let along = to - from;
    let length_sq = along.length_squared();
    let share = (point - from).dot(along) / length_sq;
    // From the nearer end, so that the step along the side is the shorter one.
    let way = if share <= 0.5 {
        point - from - share * along
    } else {
        point - to - (point - to).dot(along) / length_sq * along
    };
    // Rounding of a place on a long side tilts a short way.
    let normal = (way - way.dot(along) / length_sq * along).try_normalize()?;
    (0.0..=1.0)
        .contains(&share)
        .then(|| plane(normal, &[from, to]))
}

/// The sides inside a face of not very many triangles, each once; of others those of the triangle
/// under a point.
fn inner_sides<'a>(
    hull: &'a Hull,
    fold: &'a Fold<'_>,
    point: DVec3,
) -> impl Iterator<Item = [DVec3; 2]> + 'a {
    let is_small = fold.triangles().len() <= MAX_FOLD_STEPS;
    let number = if is_small {
        0
    } else {
        fold.under(point) as usize
    };
    let triangles = if is_small {
        fold.triangles()
    } else {
        &fold.triangles()[number..=number]
    };
    (number as u32..)
        .zip(triangles)
        .flat_map(move |(number, triangle)| {
            let facet = Facet::new(hull, triangle);
            [0, 1, 2].into_iter().filter_map(move |side| {
                let across = facet.across[side];
                let is_inner = across != FoldTriangle::BORDER && !(is_small && across < number);
                is_inner.then(|| [facet.corners[side], facet.corners[(side + 1) % 3]])
            })
        })
}

impl<X: Solid, Y: Solid> Ground<'_, X, Y> {
    /// Whether a corner of X is nearest to the inside of a face of Y, though the plane of the face
    /// says that it is beside it. Writes the answer if so.
    #[cold]
    pub(super) fn is_corner_over_fold(
        &self,
        i: u32,
        j: u32,
        point_x: DVec3,
        progress: &mut Progress<'_>,
    ) -> bool {
        let next = self.over_face(i, j, point_x, progress);
        matches!(next, Ok(Move::Proved)) && progress.is_certified()
    }

    /// The feature of X, an edge or an end of it, that is nearest to the inside of a face of Y, near
    /// a point on the edge, though the plane of the face says otherwise. Writes the answer if one is
    /// proved to be.
    #[cold]
    pub(super) fn edge_over_fold(
        &self,
        i: u32,
        j: u32,
        point_x: DVec3,
        progress: &mut Progress<'_>,
    ) -> Option<Feature> {
        let (hull, fold) = self.y.fold(j)?;
        let ends = Ends::of(&self.x, i);
        let on_x = Line::between(ends.positions.map(|end| self.x_in_y.transform_point(end)));
        let start = self.y.origin(self.y.face(j).first_edge);
        for side in inner_sides(hull, &fold, point_x) {
            let on_y = Line::between(side);
            let cross = on_x.along.cross(on_y.along);
            let cross = (cross, cross.length_squared());
            let Ok(share) = least_share(&on_x, &on_y, cross, progress.rounding) else {
                continue;
            };
            let nearest = Nearest::at(share, &on_x, &on_y);
            if nearest.distance <= progress.touching {
                return None;
            }
            let normal = nearest.normal((&on_x, &on_y), cross, progress.scale);
            self.turn_to(normal, progress);
            let in_x = self.y_in_x.rotate(normal);
            let reaches = (
                self.x.reach(in_x, ends.farther(in_x).0),
                self.y.reach(-normal, start),
            );
            self.prove(progress, nearest.points, reaches, nearest.distance);
            if progress.is_certified() {
                return Some(Feature::edge(i));
            }
        }
        let mut over_end = |end: usize| {
            let point_x = self.x_in_y.transform_point(ends.positions[end]);
            self.is_corner_over_fold(ends.vertices[end], j, point_x, progress)
        };
        let end = (0..2).find(|&end| over_end(end))?;
        Some(Feature::vertex(ends.vertices[end]))
    }
}
