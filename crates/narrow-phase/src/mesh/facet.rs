//! One triangle with what it needs to know of its neighbours: which normals are its own.
//!
//! At a point of a surface the normals that a contact may have are those between the
//! normals of the triangles around it. What leans beyond the neighbour's normal touches the
//! neighbour, or nothing: so an edge inside a flat floor never pushes sideways.

use drystone_geometry::glam::DVec3;
use drystone_geometry::mesh::{EdgeKind, Triangle};
use drystone_geometry::tolerance::FLAT_EDGE_SINE;
use drystone_geometry::{Feature, Surface};

use crate::tolerance::ADMITTED_SINE;

/// A triangle of a surface, seen from the side in question.
pub(crate) struct Facet<'a> {
    surface: Surface<'a>,
    pub(crate) id: u32,
    pub(crate) triangle: Triangle,
    pub(crate) kinds: [EdgeKind; 3],
    is_reversed: bool,
}

/// Whose a contact normal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The triangle's.
    Own,
    /// A neighbour's across a sharp edge or an end, whose contact it is alone.
    Beyond,
    /// Nobody's: it leans across an edge that the surface goes on over.
    Nobody,
}

impl<'a> Facet<'a> {
    /// The triangle seen from its front, or from behind.
    #[inline]
    pub(crate) fn new(surface: Surface<'a>, id: u32, is_reversed: bool) -> Self {
        let (triangle, kinds) = (surface.triangle(id), surface.kinds(id));
        if !is_reversed {
            return Self {
                surface,
                id,
                triangle,
                kinds,
                is_reversed,
            };
        }
        let [first, second, third] = kinds.map(from_behind);
        Self {
            surface,
            id,
            triangle: triangle.reversed(),
            kinds: [third, second, first],
            is_reversed,
        }
    }

    /// Whether it is seen from behind.
    pub(crate) fn is_reversed(&self) -> bool {
        self.is_reversed
    }

    /// Whether an edge that stands out may be at one of its corners.
    pub(crate) fn is_near_sharp(&self) -> bool {
        self.is_reversed || self.surface.is_near_sharp(self.id)
    }

    /// The number of a side as the surface counts.
    fn side_of_surface(&self, side: usize) -> usize {
        if self.is_reversed { 2 - side } else { side }
    }

    /// The number of a corner as the surface counts.
    fn corner_of_surface(&self, corner: usize) -> usize {
        if self.is_reversed {
            (3 - corner) % 3
        } else {
            corner
        }
    }

    /// The vertex at a corner.
    pub(crate) fn vertex(&self, corner: usize) -> Feature {
        let own = self.corner_of_surface(corner);
        Feature::vertex(self.surface.corner_ids(self.id)[own])
    }

    /// The edge at a side, by the lesser of its two numbers.
    pub(crate) fn edge(&self, side: usize) -> Feature {
        let side = self.side_of_surface(side);
        let own = 3 * self.id + side as u32;
        let beyond = self.surface.beyond(self.id, side);
        Feature::edge(beyond.map_or(own, |other| own.min(other)))
    }

    /// The normal of the triangle beyond a side.
    pub(crate) fn normal_beyond(&self, side: usize) -> Option<DVec3> {
        let Some(other) = self.surface.beyond(self.id, self.side_of_surface(side)) else {
            let goes_on = self.kinds[side] == EdgeKind::Flat;
            return goes_on.then_some(self.triangle.normal);
        };
        let normal = self.surface.triangle(other / 3).normal;
        Some(if self.is_reversed { -normal } else { normal })
    }

    /// Whose a unit normal is that points from the triangle to the shape.
    ///
    /// The part of the triangle that is farthest along the normal decides: at a corner, no
    /// edge of the surface may go on along the normal; at a side the normal lies between
    /// those of both triangles.
    pub(crate) fn owner(&self, normal: DVec3) -> Owner {
        let along = |side: usize| {
            let side = self.triangle.side(side);
            let rise = normal.dot(side);
            if rise.abs() <= ADMITTED_SINE * side.length() {
                0.0
            } else {
                rise
            }
        };
        let rises = [along(0), along(1), along(2)];
        let up = normal.dot(self.triangle.normal);
        if rises == [0.0; 3] {
            return if up > 0.0 { Owner::Own } else { Owner::Nobody };
        }
        for side in 0..3 {
            let (next, last) = ((side + 1) % 3, (side + 2) % 3);
            if rises[side] == 0.0 && rises[next] < 0.0 && rises[last] > 0.0 {
                return self.owner_at_side(side, normal, up);
            }
        }
        // The corner to which one side rises and from which the other falls.
        let corner = (0..3).find(|&corner| rises[(corner + 2) % 3] >= 0.0 && rises[corner] <= 0.0);
        if corner.is_some_and(|corner| self.is_peak(corner, normal)) {
            return Owner::Own;
        }
        let leans_beyond = (0..3).any(|side| {
            let outward = self.triangle.outward(side);
            let is_end = matches!(self.kinds[side], EdgeKind::Sharp | EdgeKind::Boundary);
            is_end
                && normal.dot(outward) > ADMITTED_SINE
                && self.owner_at_side(side, normal, up) == Owner::Beyond
        });
        if leans_beyond {
            Owner::Beyond
        } else {
            Owner::Nobody
        }
    }

    /// The same for a normal square to a side.
    fn owner_at_side(&self, side: usize, normal: DVec3, up: f64) -> Owner {
        let outward = self.triangle.outward(side);
        let lean = normal.dot(outward);
        let Some(other) = self.normal_beyond(side) else {
            let is_above = up >= -ADMITTED_SINE;
            return if is_above { Owner::Own } else { Owner::Beyond };
        };
        // The sine of the angle by which the neighbour's normal leans further.
        let (level, tilt) = (other.dot(self.triangle.normal), other.dot(outward));
        let is_between = level * lean - tilt * up <= ADMITTED_SINE;
        // Nothing is between the normals at a valley: they lean away from each other.
        let is_own = if tilt < -ADMITTED_SINE {
            up > 0.0 && lean <= ADMITTED_SINE
        } else {
            is_between && (up > 0.0 || level <= 0.0)
        };
        if is_own {
            Owner::Own
        } else if self.kinds[side] == EdgeKind::Sharp {
            Owner::Beyond
        } else {
            Owner::Nobody
        }
    }

    /// Whether a normal leans over a side beyond which the surface rises, or one beyond which it goes on
    /// level if those count.
    pub(crate) fn leans_into_surface(&self, normal: DVec3, level_counts: bool) -> bool {
        (0..3).any(|side| {
            let goes_on = match self.kinds[side] {
                EdgeKind::Concave => true,
                EdgeKind::Flat => level_counts,
                EdgeKind::Boundary | EdgeKind::Blunt | EdgeKind::Sharp => false,
            };
            goes_on && normal.dot(self.triangle.outward(side)) > ADMITTED_SINE
        })
    }

    /// Whether no edge of the surface rises along `normal` from a corner, the normal points to the
    /// front of some triangle there, and the corner stands out.
    ///
    /// In a pit the edges fall along the same normals, seen from within. They all lie in the cone
    /// around them, and so do the triangles at the one that falls least, which is a side of that
    /// cone: it is a ridge if the surface faces outwards, and a valley if it faces inwards.
    fn is_peak(&self, corner: usize, normal: DVec3) -> bool {
        let corner = self.corner_of_surface(corner);
        let at = self.surface.corners(self.id)[corner].as_dvec3();
        let mut is_in_front = false;
        let mut least = (f64::NEG_INFINITY, self.id, 0);
        let mut falls = |triangle: u32, side: usize| {
            let corners = self.surface.corners(triangle).map(|c| c.as_dvec3());
            let edges = [corners[(side + 1) % 3] - at, corners[(side + 2) % 3] - at];
            let front = edges[0].cross(edges[1]).dot(normal);
            is_in_front |= if self.is_reversed {
                front < 0.0
            } else {
                front > 0.0
            };
            let leans_on = [side, (side + 2) % 3]
                .into_iter()
                .any(|side| self.leans_on_plane(triangle, side, normal));
            let rises = edges.map(|edge| normal.dot(edge) / edge.length());
            for (rise, side) in [(rises[0], side), (rises[1], (side + 2) % 3)] {
                if rise > least.0 {
                    least = (rise, triangle, side);
                }
            }
            !leans_on && rises.into_iter().all(|rise| rise <= ADMITTED_SINE)
        };
        self.around(corner, &mut falls) && is_in_front && self.stands_out(least.1, least.2, normal)
    }

    /// Whether a side of a triangle, both as the surface counts, is no valley seen from the side in
    /// question, and if it is flat, a normal along which it is last does not point behind it.
    fn stands_out(&self, triangle: u32, side: usize, normal: DVec3) -> bool {
        let Some(beyond) = self.surface.beyond(triangle, side) else {
            return true;
        };
        let sign = if self.is_reversed { -1.0 } else { 1.0 };
        let own = self.surface.triangle(triangle);
        let other = sign * self.surface.triangle(beyond / 3).normal;
        let (level, tilt) = (sign * other.dot(own.normal), other.dot(own.outward(side)));
        if tilt.abs() <= ADMITTED_SINE && level > 0.0 {
            sign * normal.dot(own.normal) > -ADMITTED_SINE
        } else {
            tilt >= -ADMITTED_SINE
        }
    }

    /// Whether a normal leans over a side of a triangle, both as the surface counts, beyond which the
    /// plane goes on in triangles that share no more than a corner.
    fn leans_on_plane(&self, triangle: u32, side: usize, normal: DVec3) -> bool {
        self.surface.kinds(triangle)[side] == EdgeKind::Flat
            && self.surface.beyond(triangle, side).is_none()
            && normal.dot(self.surface.triangle(triangle).outward(side)) > ADMITTED_SINE
    }

    /// The triangles that share a corner with this one, each once.
    pub(crate) fn neighbours(&self, ring: &mut Vec<u32>) {
        ring.clear();
        for corner in 0..3 {
            let mut visit = |triangle: u32, _: usize| {
                if triangle != self.id && !ring.contains(&triangle) {
                    ring.push(triangle);
                }
                true
            };
            self.around(corner, &mut visit);
        }
    }

    /// Whether what comes from one point has come below the triangle, where the other is, through
    /// what rises from it or goes on with it: the surface is between the first and the triangle's plane,
    /// and there the triangle lies before it. Behind what falls away from the triangle nothing is below
    /// it, nor is what stands on something farther down, as under the top of a table.
    pub(crate) fn is_entered(&self, from: DVec3, to: DVec3) -> bool {
        let [above, below] = [from, to].map(|point| self.triangle.height(point));
        if above <= 0.0 || below >= 0.0 {
            return false;
        }
        let reach = (above / (above - below) + FLAT_EDGE_SINE).min(1.0);
        let Some(hit) = self.surface.ray(from, to - from, reach) else {
            return false;
        };
        let wall = self.surface.triangle(hit.triangle);
        let [a, b, c] = self.triangle.corners;
        let middle = (a + b + c) / 3.0;
        let height = wall.height(middle) * wall.height(from).signum();
        height >= -FLAT_EDGE_SINE * (middle - wall.corners[0]).length()
    }

    /// Another triangle, seen from the same side.
    pub(crate) fn other(&self, id: u32) -> Self {
        Self::new(self.surface, id, self.is_reversed)
    }

    /// Visits the triangles at a corner with the corner's number in each, numbered as the
    /// surface counts: round it one way, and the other way if the surface ends. Stops and
    /// says so when `visit` answers false.
    fn around(&self, corner: usize, visit: &mut impl FnMut(u32, usize) -> bool) -> bool {
        let (mut triangle, mut own) = (self.id, corner);
        loop {
            if !visit(triangle, own) {
                return false;
            }
            let Some(beyond) = self.surface.beyond(triangle, own) else {
                break;
            };
            (triangle, own) = (beyond / 3, (beyond as usize % 3 + 1) % 3);
            if triangle == self.id {
                return true;
            }
        }
        (triangle, own) = (self.id, corner);
        while let Some(beyond) = self.surface.beyond(triangle, (own + 2) % 3) {
            (triangle, own) = (beyond / 3, beyond as usize % 3);
            if !visit(triangle, own) {
                return false;
            }
        }
        true
    }
}

/// What an edge is seen from behind. A valley may be a sharp ridge there.
fn from_behind(kind: EdgeKind) -> EdgeKind {
    match kind {
        EdgeKind::Boundary | EdgeKind::Flat => kind,
        EdgeKind::Concave => EdgeKind::Sharp,
        EdgeKind::Blunt | EdgeKind::Sharp => EdgeKind::Concave,
    }
}
