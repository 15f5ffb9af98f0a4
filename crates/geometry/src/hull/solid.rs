//! The finished hull: what it stores and what it can say of itself.

use glam::{DMat3, DVec3, Vec3};
use serde::{Deserialize, Serialize};

use super::around::{Around, Border};
use super::bounds::Corners;
use super::fold::Folds;
use super::support::Climb;
use super::surface::{Surface, Topology};
use super::winged::winged_edges;
use super::{Ellipse, Face, Fold, HalfEdge, HullError, Polytope, Sector, Spoke, WingedEdge};
use crate::mass::{self, Solid};
use crate::{Aabb, Frame};

/// A convex polyhedron with any number of corners, in its own frame and metres.
///
/// Built by [`Hull::new`] and never changed. Faces are strictly convex polygons, at least
/// three edges meet at every corner, and `V - E + F = 2`. Corners of a face lie on its plane
/// or, by the rounding of their coordinates, below it; none lies beyond. The exact convex
/// hull of the corners is also kept as triangles, for support queries that are exact.
///
/// Stored as corners, triangles and faces of triangles; reading it back checks that they
/// are a closed convex surface and gives the same hull bit for bit.
///
/// In memory a corner takes about 575 bytes where all faces are triangles: 192 for its share of
/// the [`WingedEdge`]s, 124 for its [`Spoke`]s, 80 for faces, 72 for half-edges, 44 for itself
/// and the triangles, the rest for rings and the start map of support queries. Where a face or a
/// corner has very many edges, each corner takes 4 bytes more, and each of those edges 2. Faces of
/// several triangles that are flat only up to rounding take 40 bytes for each of these; one of
/// more than eight corners takes 216 for its outline and the ellipse inside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Surface", into = "Surface")]
pub struct Hull {
    surface: Surface,
    faces: Vec<Face>,
    half_edges: Vec<HalfEdge>,
    ring_starts: Vec<u32>,
    ring: Vec<Sector>,
    edges: Vec<WingedEdge>,
    folds: Folds,
    climb: Climb,
    corners: Corners,
    solid: Solid,
    aabb: Aabb,
    reach: f64,
    bounding_radius: f64,
    inner_radius: f64,
    inner_ellipsoid: DMat3,
    flatness: f64,
    fingerprint: u64,
}

impl TryFrom<Surface> for Hull {
    type Error = HullError;

    fn try_from(surface: Surface) -> Result<Self, HullError> {
        surface.check_convex()?;
        let hull = surface.assemble()?;
        hull.check_corners()?;
        Ok(hull)
    }
}

impl From<Hull> for Surface {
    fn from(hull: Hull) -> Self {
        hull.surface
    }
}

impl Hull {
    pub(super) fn from_parts(
        surface: Surface,
        twins: &[usize],
        topology: Topology,
        faces: Vec<Face>,
    ) -> Self {
        let mut climb = Climb::new(&surface, twins, &topology);
        climb
            .around
            .note_outlines(&faces, &topology.half_edges, &surface.vertices);
        let solid = mass::of_triangles(&surface.vertices, &surface.triangles);
        let corners = || surface.vertices.iter().map(|v| v.as_dvec3());
        let first = surface.vertices[0];
        let aabb = surface.vertices.iter().fold(
            Aabb {
                min: first,
                max: first,
            },
            |b, &v| Aabb {
                min: b.min.min(v),
                max: b.max.max(v),
            },
        );
        let radius_sq = corners().fold(0.0, |most: f64, v| {
            most.max(v.distance_squared(solid.center))
        });
        let reach_sq = corners().fold(0.0, |most: f64, v| most.max(v.length_squared()));
        let depth = |face: &Face| face.offset - face.normal.dot(solid.center);
        let inner_radius = faces
            .iter()
            .map(depth)
            .fold(f64::INFINITY, f64::min)
            .max(0.0);
        let flatness = topology
            .half_edges
            .iter()
            .fold(0.0, |most: f64, half_edge| {
                let face = &faces[half_edge.face as usize];
                most.max(face.offset - face.normal.dot(surface.position(half_edge.origin)))
            });
        Self {
            fingerprint: fingerprint(&surface.vertices),
            folds: Folds::new(&surface, twins, &faces, reach_sq.sqrt()),
            reach: reach_sq.sqrt(),
            bounding_radius: radius_sq.sqrt(),
            inner_radius,
            inner_ellipsoid: ellipsoid_inside(&solid, &faces, flatness),
            flatness,
            solid,
            aabb,
            corners: Corners::new(&surface.vertices),
            climb,
            edges: winged_edges(&surface, &topology),
            faces,
            half_edges: topology.half_edges,
            ring_starts: topology.ring_starts,
            ring: topology.ring,
            surface,
        }
    }

    /// The hull as the narrow phase walks it.
    #[inline]
    pub fn polytope(&self) -> Polytope<'_> {
        Polytope {
            vertices: &self.surface.vertices,
            faces: &self.faces,
            half_edges: &self.half_edges,
            ring_starts: &self.ring_starts,
            ring: &self.ring,
            around: Some(&self.climb.around),
        }
    }

    /// Corner positions, in metres.
    #[inline]
    pub fn vertices(&self) -> &[Vec3] {
        &self.surface.vertices
    }

    /// Faces with their planes.
    #[inline]
    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// Half-edges; the twin of `e` is `e ^ 1`.
    #[inline]
    pub fn half_edges(&self) -> &[HalfEdge] {
        &self.half_edges
    }

    /// Number of undirected edges.
    #[inline]
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// Undirected edges; those of half-edges `2 e` and `2 e + 1` are edge `e`.
    #[inline]
    pub fn edges(&self) -> &[WingedEdge] {
        &self.edges
    }

    /// The exact convex hull of the corners, as triangles counter-clockwise seen from
    /// outside. Their planes support every corner, up to `f64` rounding.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.surface.triangles
    }

    /// The face each of [`Hull::triangles`] belongs to.
    pub fn triangle_faces(&self) -> &[u32] {
        &self.surface.face_of
    }

    /// Centre of volume, in metres: an interior point.
    #[inline]
    pub fn center(&self) -> DVec3 {
        self.solid.center
    }

    /// In cubic metres.
    pub fn volume(&self) -> f64 {
        self.solid.volume
    }

    /// Volume, centre and second moments, at density 1.
    pub fn solid(&self) -> &Solid {
        &self.solid
    }

    /// The smallest box around the corners, in the hull's own frame.
    pub fn local_aabb(&self) -> Aabb {
        self.aabb
    }

    /// Largest distance of a corner from the origin of the hull's frame, in metres.
    #[inline]
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// Largest distance of a corner from [`Hull::center`], in metres.
    #[inline]
    pub fn bounding_radius(&self) -> f64 {
        self.bounding_radius
    }

    /// Radius of the largest ball around [`Hull::center`] inside every face plane, in metres.
    #[inline]
    pub fn inner_radius(&self) -> f64 {
        self.inner_radius
    }

    /// An ellipsoid inside the hull, around [`Hull::center`]: the symmetric matrix `S` for which
    /// its point farthest along `u` is `S u / sqrt(u . S u)` from the centre. Shaped like the
    /// hull's second moments, as large as fits. Zero for a hull too thin to hold one.
    #[inline]
    pub fn inner_ellipsoid(&self) -> DMat3 {
        self.inner_ellipsoid
    }

    /// Largest distance of a face's corner below the face's plane, in metres. A point on a
    /// face polygon is at most this far from the convex hull of the corners.
    #[inline]
    pub fn flatness(&self) -> f64 {
        self.flatness
    }

    /// The triangles of a face of several, where its corners are in one plane only up to the
    /// rounding of their coordinates; nothing for other faces.
    #[inline]
    pub fn fold(&self, face: u32) -> Option<Fold<'_>> {
        let normal = self.faces[face as usize].normal;
        self.folds.of(face, normal, &self.surface.vertices)
    }

    /// A number that follows from the corners: hulls with different ones are different, and
    /// hardly ever the other way round. Puts hulls in an order that is quick to find.
    #[inline]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Index of a corner farthest along `direction` (in the hull's frame, of any length),
    /// exact up to `f64` rounding.
    ///
    /// Up to 16 corners are scanned and the lowest index wins a tie. With more, the search
    /// climbs from a start map; a tie is won by whichever tied corner the climb meets, which
    /// depends on nothing but the direction.
    #[inline]
    pub fn support(&self, direction: DVec3) -> u32 {
        self.climb.support(&self.surface.vertices, direction)
    }

    /// Like [`Hull::support`], starting at the corner `start`: a step or two when `start` is
    /// close to the answer. A tie may be won by another corner than from another start.
    #[inline]
    pub fn support_from(&self, direction: DVec3, start: u32) -> u32 {
        self.climb
            .support_from(&self.surface.vertices, direction, start)
    }

    /// The edges that leave a corner on the exact surface, counter-clockwise seen from
    /// outside, with the positions of the neighbours: side by side in memory. Edges across
    /// faces whose corners lie exactly in one plane are left out.
    #[inline]
    pub fn spokes(&self, vertex: u32) -> &[Spoke] {
        self.climb.around.spokes_of(vertex).0
    }

    /// The edge at a corner that rises most along `direction` (in the hull's frame), and the
    /// rise: metres times the direction's length. Not above zero exactly when the corner is
    /// a farthest one along `direction`, up to `f64` rounding. `height` is the corner's own
    /// position times `direction`, which callers know.
    ///
    /// Where none rises, the edge may be any of them. With many edges the search is logarithmic,
    /// and the edge is the steepest one in a plane across them: it rises if any edge does.
    #[inline(always)]
    pub fn steepest_spoke(&self, vertex: u32, height: f64, direction: DVec3) -> (f64, &Spoke) {
        let (spokes, special) = self.climb.around.spokes_of(vertex);
        if special && Around::is_hub(spokes) {
            let start = self.surface.vertices[vertex as usize].as_dvec3();
            return self.climb.around.steepest_of_many(vertex, start, direction);
        }
        // Most often none rises: a search for the largest height has no branch to miss.
        let mut highest = f64::NEG_INFINITY;
        for spoke in spokes {
            let height = spoke.position.as_dvec3().dot(direction);
            highest = if height > highest { height } else { highest };
        }
        let mut best = &spokes[0];
        if highest > height {
            for spoke in spokes {
                if spoke.position.as_dvec3().dot(direction) == highest {
                    best = spoke;
                    break;
                }
            }
        }
        (highest - height, best)
    }

    /// Whether it has faces of very many corners, or corners of very many edges.
    #[inline]
    pub fn has_rims(&self) -> bool {
        self.climb.around.is_special()
    }

    /// Most corners of a face of very many; zero where there is none.
    #[inline]
    pub fn longest_rim(&self) -> usize {
        self.climb.around.longest_rim()
    }

    /// The half-edges of a face of very many corners as one list, counter-clockwise; nothing
    /// for smaller faces, which are quick to go round.
    #[inline]
    pub fn wide_face(&self, face: u32) -> Option<&[u32]> {
        self.climb.around.wide_loop(face)
    }

    /// An ellipse inside a face of more than eight corners, in its plane: at most
    /// [`Hull::flatness`] of it lies outside the convex hull of the corners.
    #[inline]
    pub fn ellipse_in(&self, face: u32) -> Option<&Ellipse> {
        self.climb.around.ellipse_in(face)
    }

    /// The border of a face of very many corners at a corner, and the corner's place in it.
    #[inline]
    pub fn border_at(&self, vertex: u32) -> Option<(Border<'_>, usize)> {
        self.climb.around.borders_at(vertex).next()
    }

    /// The border of a face, if it has very many corners and this among them, and the corner's
    /// place in it.
    #[inline]
    pub fn border_around(&self, face: u32, vertex: u32) -> Option<(Border<'_>, usize)> {
        self.climb.around.border_around(face, vertex)
    }

    /// Box around the hull seen from a parent frame, up to `f64` rounding.
    pub(crate) fn bounds_in(&self, frame: &Frame) -> (DVec3, DVec3) {
        let (min, max) = (self.corners.bounds(&frame.rotation)).unwrap_or_else(|| {
            let mut min = DVec3::ZERO;
            let mut max = DVec3::ZERO;
            for axis in 0..3 {
                let mut direction = DVec3::ZERO;
                direction[axis] = 1.0;
                let local = frame.inverse_rotate(direction);
                let reach = |d: DVec3| {
                    self.vertices()[self.support(d) as usize]
                        .as_dvec3()
                        .dot(local)
                };
                max[axis] = reach(local);
                min[axis] = reach(-local);
            }
            (min, max)
        });
        (min + frame.translation, max + frame.translation)
    }
}

/// The matrix of [`Hull::inner_ellipsoid`]. Corners may lie `flatness` below their face.
fn ellipsoid_inside(solid: &Solid, faces: &[Face], flatness: f64) -> DMat3 {
    // The moments of x x^T, from the inertia: trace(C) 1 - C.
    let inertia = solid.inertia;
    let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
    let moments =
        (DMat3::from_diagonal(DVec3::splat(0.5 * trace)) - inertia) * (1.0 / solid.volume);
    let mut share_sq = f64::INFINITY;
    for face in faces {
        let depth = (face.offset - flatness - face.normal.dot(solid.center)).max(0.0);
        let reach_sq = face.normal.dot(moments * face.normal);
        share_sq = share_sq.min(depth * depth / reach_sq);
    }
    if share_sq.is_finite() {
        moments * share_sq
    } else {
        DMat3::ZERO
    }
}

/// The hash of Fowler, Noll and Vo over the bits of all coordinates.
fn fingerprint(vertices: &[Vec3]) -> u64 {
    let bits = vertices.iter().flat_map(|v| v.to_array().map(f32::to_bits));
    bits.fold(0xcbf2_9ce4_8422_2325, |hash, bits| {
        (hash ^ u64::from(bits)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
