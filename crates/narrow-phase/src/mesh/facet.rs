//! One triangle with what it needs to know of its neighbours: which normals are its own.
//!
//! At a point of a surface the normals that a contact may have are those between the
//! normals of the triangles around it. What leans beyond the neighbour's normal touches the
//! neighbour, or nothing: so an edge inside a flat floor never pushes sideways.

use drystone_geometry::glam::DVec3;
use drystone_geometry::mesh::{EdgeKind, Triangle};
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

    /// The number of a side as the surface counts.
    fn side_of_surface(&self, side: usize) -> usize {
        if self.is_reversed { 2 - side } else { side }
    }

    /// The vertex at a corner.
    pub(crate) fn vertex(&self, corner: usize) -> Feature {
        let own = if self.is_reversed {
            (3 - corner) % 3
        } else {
            corner
        };
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
        let other = self.surface.beyond(self.id, self.side_of_surface(side))?;
        let normal = self.surface.triangle(other / 3).normal;
        Some(if self.is_reversed { -normal } else { normal })
    }

    /// Whose a unit normal is that points from the triangle to the shape.
    pub(crate) fn owner(&self, normal: DVec3) -> Owner {
        let up = normal.dot(self.triangle.normal);
        let mut owner = if up < -ADMITTED_SINE {
            Owner::Nobody
        } else {
            Owner::Own
        };
        for side in 0..3 {
            let outward = self.triangle.outward(side);
            let lean = normal.dot(outward);
            if lean <= ADMITTED_SINE {
                continue;
            }
            let Some(other) = self.normal_beyond(side) else {
                if up < -ADMITTED_SINE {
                    return Owner::Beyond;
                }
                continue;
            };
            // The sine of the angle by which the neighbour's normal leans further.
            let (level, tilt) = (other.dot(self.triangle.normal), other.dot(outward));
            if level * lean - tilt * up <= ADMITTED_SINE {
                continue;
            }
            match self.kinds[side] {
                EdgeKind::Sharp => return Owner::Beyond,
                _ => owner = Owner::Nobody,
            }
        }
        owner
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
