//! Mass of polytopes grown by a radius on all sides: Steiner's decomposition into the
//! polytope, a prism on every face, a wedge of a cylinder along every edge and a part of a
//! ball at every corner. All have closed forms.
//!
//! Schneider, *Convex Bodies: The Brunn-Minkowski Theory* (2014), section 4.2. The moments of
//! the parts of balls are integrals over spherical polygons, which Stokes' theorem takes to
//! their sides, since coordinates and their products are spherical harmonics.

use std::f64::consts::TAU;

use glam::{DMat3, DVec3};

use super::{Solid, outer};
use crate::hull::{Polytope, Sector};

/// Volume and moments about the origin, to be added up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sums {
    volume: f64,
    first: DVec3,
    /// Sum of `x x^T`.
    second: DMat3,
}

impl Sums {
    /// Nothing yet.
    const ZERO: Self = Self {
        volume: 0.0,
        first: DVec3::ZERO,
        second: DMat3::ZERO,
    };

    /// The sums of a solid.
    fn of(solid: &Solid) -> Self {
        let Solid {
            volume,
            center,
            inertia,
        } = *solid;
        let trace = 0.5 * (inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z);
        Self {
            volume,
            first: volume * center,
            second: DMat3::from_diagonal(DVec3::splat(trace)) - inertia
                + outer(center, center) * volume,
        }
    }

    /// Adds sums taken about `point`, told from the origin.
    fn add(&mut self, part: &Self, point: DVec3) {
        self.volume += part.volume;
        self.first += part.first + part.volume * point;
        self.second += part.second
            + outer(part.first, point)
            + outer(point, part.first)
            + outer(point, point) * part.volume;
    }

    /// As volume, centre and inertia about the centre.
    pub(super) fn solid(&self) -> Solid {
        let center = self.first / self.volume;
        let covariance = self.second - outer(center, center) * self.volume;
        let trace = covariance.x_axis.x + covariance.y_axis.y + covariance.z_axis.z;
        Solid {
            volume: self.volume,
            center,
            inertia: DMat3::from_diagonal(DVec3::splat(trace)) - covariance,
        }
    }
}

/// A polytope with this interior (none for a triangle), grown by `radius`.
pub(super) fn grown(polytope: &Polytope<'_>, interior: Option<&Solid>, radius: f64) -> Solid {
    let count = polytope.vertices.len() as u32;
    let middle =
        (0..count).fold(DVec3::ZERO, |sum, v| sum + polytope.position(v)) / f64::from(count);
    let mut sums = Sums::ZERO;
    if let Some(interior) = interior {
        sums.add(&Sums::of(interior), -middle);
    }
    for face in 0..polytope.faces.len() as u32 {
        prism(&mut sums, polytope, face, radius, middle);
    }
    for edge in 0..polytope.half_edges.len() as u32 / 2 {
        wedge(&mut sums, polytope, edge, radius, middle);
    }
    for vertex in 0..count {
        let part = ball_part(polytope, vertex, radius);
        sums.add(&part, polytope.position(vertex) - middle);
    }
    let solid = sums.solid();
    Solid {
        center: solid.center + middle,
        ..solid
    }
}

/// The slab of thickness `radius` on a face.
fn prism(sums: &mut Sums, polytope: &Polytope<'_>, face: u32, radius: f64, middle: DVec3) {
    let normal = polytope.faces[face as usize].normal;
    let mut corners = polytope.face_edges(face).map(|e| polytope.origin(e));
    let (Some(a), Some(mut b)) = (corners.next(), corners.next()) else {
        return;
    };
    let start = polytope.position(a);
    let mut flat = Sums::ZERO;
    for c in corners {
        let (ab, ac) = (polytope.position(b) - start, polytope.position(c) - start);
        let area = 0.5 * ab.cross(ac).dot(normal);
        let sum = ab + ac;
        flat.volume += area;
        flat.first += sum * (area / 3.0);
        flat.second += (outer(ab, ab) + outer(ac, ac) + outer(sum, sum)) * (area / 12.0);
        b = c;
    }
    // Each point of the face is spread along the normal, from zero to the radius.
    let (r, r_sq, r_cubed) = (radius, radius * radius, radius * radius * radius);
    let part = Sums {
        volume: flat.volume * r,
        first: flat.first * r + normal * (0.5 * r_sq * flat.volume),
        second: flat.second * r
            + (outer(flat.first, normal) + outer(normal, flat.first)) * (0.5 * r_sq)
            + outer(normal, normal) * (r_cubed / 3.0 * flat.volume),
    };
    sums.add(&part, start - middle);
}

/// The arc of normals around an edge: where it starts, the direction it takes, its angle and
/// the unit direction of the edge.
struct Turn {
    start: DVec3,
    side: DVec3,
    angle: f64,
    along: DVec3,
}

/// The normals between the face to the left of a half-edge and the one to its right.
fn turn(polytope: &Polytope<'_>, half_edge: u32) -> Turn {
    let normal_of = |e: u32| polytope.faces[polytope.half_edges[e as usize].face as usize].normal;
    let (left, right) = (normal_of(half_edge), normal_of(half_edge ^ 1));
    let from = polytope.position(polytope.origin(half_edge));
    let along = (polytope.position(polytope.target(half_edge)) - from).normalize_or_zero();
    // From left to right the normal turns about the edge's direction.
    let side = along.cross(left);
    Turn {
        start: left,
        side,
        // From nothing to half a turn, which rounding must not make minus half a turn.
        angle: libm::atan2(right.dot(side).abs(), right.dot(left)),
        along,
    }
}

/// The wedge of a cylinder along an edge.
fn wedge(sums: &mut Sums, polytope: &Polytope<'_>, edge: u32, radius: f64, middle: DVec3) {
    let Turn {
        start,
        side,
        angle,
        along,
    } = turn(polytope, 2 * edge);
    let from = polytope.position(polytope.origin(2 * edge));
    let length = from.distance(polytope.position(polytope.target(2 * edge)));
    let (sin, cos) = libm::sincos(angle);
    let r_sq = radius * radius;
    let area = 0.5 * r_sq * angle;
    // The sector's own moments, about the edge.
    let first = (start * sin + side * (1.0 - cos)) * (radius * r_sq / 3.0);
    let (half, cross) = (0.5 * sin * cos, 0.5 * sin * sin);
    let second = (outer(start, start) * (0.5 * angle + half)
        + outer(side, side) * (0.5 * angle - half)
        + (outer(start, side) + outer(side, start)) * cross)
        * (0.25 * r_sq * r_sq);
    let part = Sums {
        volume: area * length,
        first: first * length + along * (0.5 * area * length * length),
        second: second * length
            + (outer(first, along) + outer(along, first)) * (0.5 * length * length)
            + outer(along, along) * (area * length * length * length / 3.0),
    };
    sums.add(&part, from - middle);
}

/// The part of a ball at a corner, about the corner: the directions between the normals of
/// the faces around it.
fn ball_part(polytope: &Polytope<'_>, vertex: u32, radius: f64) -> Sums {
    let at = polytope.position(vertex);
    let mut solid_angle = TAU;
    let mut first = DVec3::ZERO;
    let mut second = DMat3::ZERO;
    for &Sector {
        half_edge: leaving, ..
    } in polytope.ring_of(vertex)
    {
        // The face's own angle at the corner is what its normal lacks of a turn.
        let half_edge = polytope.half_edges[leaving as usize];
        let mut arriving = half_edge.next;
        while polytope.target(arriving) != vertex {
            arriving = polytope.half_edges[arriving as usize].next;
        }
        let ahead = polytope.position(polytope.target(leaving)) - at;
        let back = polytope.position(polytope.origin(arriving)) - at;
        solid_angle -= libm::atan2(ahead.cross(back).length(), ahead.dot(back));
        // The side of the spherical polygon that belongs to the edge, seen from the corner:
        // inside is where the edge falls off.
        let Turn {
            start,
            side,
            angle,
            along,
        } = turn(polytope, leaving);
        let inward = -along;
        let (sin, cos) = libm::sincos(angle);
        let arc = start * sin + side * (1.0 - cos);
        first += inward * (0.5 * angle);
        second += (outer(inward, arc) + outer(arc, inward)) / 6.0;
    }
    second += DMat3::IDENTITY * (solid_angle / 3.0);
    let r_cubed = radius * radius * radius;
    Sums {
        volume: solid_angle * r_cubed / 3.0,
        first: first * (0.25 * r_cubed * radius),
        second: second * (0.2 * r_cubed * radius * radius),
    }
}
