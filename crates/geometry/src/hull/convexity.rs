//! Whether stored corners and triangles are a convex surface: for data from outside.

use glam::DVec3;

use super::quickhull::height_sign;
use super::surface::Surface;
use super::{Hull, HullError};
use crate::tolerance;

impl Surface {
    /// Refuses anything but a closed convex surface with faces that are nearly planar.
    ///
    /// A closed surface whose edges are all convex and that surrounds an interior point once
    /// is the border of a convex body (Tietze and Nakajima), which needs one pass instead of
    /// comparing all corners with all faces.
    pub(super) fn check_convex(&self) -> Result<(), HullError> {
        let corrupt = |rule| Err(HullError::Corrupt { rule });
        self.check_indices()?;
        let in_range =
            |v: &glam::Vec3| v.is_finite() && v.abs().max_element() <= tolerance::MAX_SIZE;
        if !self.vertices.iter().all(in_range) {
            return corrupt("finite corners within the size limit");
        }
        let twins = self.twins()?;
        for (side, &twin) in twins.iter().enumerate() {
            let [a, b, c] = self.corners(side / 3);
            let apex = self.position(self.triangles[twin / 3][(twin + 2) % 3]);
            if height_sign(a, b, c, apex) > 0.0 {
                return corrupt("convex at every edge");
            }
        }
        let inside = self
            .vertices
            .iter()
            .fold(DVec3::ZERO, |sum, v| sum + v.as_dvec3())
            / self.vertices.len() as f64;
        for triangle in 0..self.triangles.len() {
            let [a, b, c] = self.corners(triangle);
            if height_sign(a, b, c, inside) >= 0.0 {
                return corrupt("an interior point");
            }
        }
        if !self.is_once_around(inside) {
            return corrupt("closed once around");
        }
        self.check_faces()
    }

    /// Whether a surface that turns its inner side to the point `inside` everywhere surrounds
    /// it once: a ray from there then leaves through one triangle. By exact signs alone, so that
    /// it holds of the flattest hull.
    fn is_once_around(&self, inside: DVec3) -> bool {
        // A ray that meets an edge decides nothing, and another is taken.
        let through = |aim: DVec3| {
            let mut count = 0;
            for triangle in 0..self.triangles.len() {
                let [a, b, c] = self.corners(triangle);
                let sides =
                    [(a, b), (b, c), (c, a)].map(|(from, to)| height_sign(inside, from, to, aim));
                if sides.iter().all(|&side| side > 0.0) {
                    count += 1;
                } else if sides.iter().all(|&side| side >= 0.0) {
                    return None;
                }
            }
            Some(count)
        };
        (0..self.triangles.len())
            .find_map(|triangle| {
                let [a, b, c] = self.corners(triangle);
                through((a + b + c) / 3.0)
            })
            .is_some_and(|count| count == 1)
    }

    /// Refuses faces whose triangles are far from one plane.
    fn check_faces(&self) -> Result<(), HullError> {
        let normal = |triangle: usize| {
            let [a, b, c] = self.corners(triangle);
            (b - a).cross(c - a)
        };
        let face_count = self
            .face_of
            .iter()
            .max()
            .map_or(0, |&face| face as usize + 1);
        let mut largest = vec![(DVec3::ZERO, 0.0, DVec3::ZERO); face_count];
        for triangle in 0..self.triangles.len() {
            let cross = normal(triangle);
            let plane = &mut largest[self.face_of[triangle] as usize];
            if cross.length_squared() > plane.1 {
                *plane = (cross, cross.length_squared(), self.corners(triangle)[0]);
            }
        }
        let first = self.position(0);
        let size = self
            .vertices
            .iter()
            .fold(0.0, |most: f64, v| most.max(v.as_dvec3().distance(first)));
        for (triangle, &face) in self.face_of.iter().enumerate() {
            let (cross, length_sq, on_plane) = largest[face as usize];
            let unit = cross / length_sq.sqrt();
            let flat = self
                .corners(triangle)
                .iter()
                .all(|&p| unit.dot(p - on_plane).abs() <= tolerance::STORED_FACE_SLACK * size);
            // Also refuses NaN, from a face without area.
            if !flat {
                return Err(HullError::Corrupt {
                    rule: "planar faces",
                });
            }
        }
        Ok(())
    }
}

impl Hull {
    /// Refuses faces that are not convex polygons.
    pub(super) fn check_corners(&self) -> Result<(), HullError> {
        let polytope = self.polytope();
        for edge in 0..polytope.half_edges.len() as u32 {
            let half_edge = polytope.half_edges[edge as usize];
            let [from, to, after] = [
                polytope.origin(edge),
                polytope.target(edge),
                polytope.target(half_edge.next),
            ]
            .map(|v| polytope.position(v));
            let (arriving, leaving) = (to - from, after - to);
            let turn = arriving
                .cross(leaving)
                .dot(polytope.faces[half_edge.face as usize].normal);
            let allowed = tolerance::STORED_NOTCH_SINE * arriving.length() * leaving.length();
            if turn.is_nan() || turn < -allowed {
                return Err(HullError::Corrupt {
                    rule: "convex faces",
                });
            }
        }
        Ok(())
    }
}
