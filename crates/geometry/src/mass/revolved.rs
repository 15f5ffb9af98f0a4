//! Mass of solids of revolution around Y, rounded or not, from their profile.
//!
//! The profile is a chain of straight lines and circular arcs from the bottom of the axis to
//! its top, seen counter-clockwise. With the radius `R` at height `y`, the volume is
//! `pi R^2 dy` summed along it, and so on for the moments. On a line these are polynomials,
//! on an arc trigonometric polynomials of degree seven at most: Gauss's rule with twenty
//! nodes gives both to the last digits.

use std::f64::consts::PI;

use glam::{DMat3, DVec3};

use super::Solid;
use crate::shape::curved::Curved;

/// A piece of a profile.
#[derive(Clone, Copy, Debug)]
enum Piece {
    /// From one radius and height to another.
    Line([f64; 2], [f64; 2]),
    /// Centre (radius, height), radius of the arc, and the angles above the horizontal at
    /// which it begins and ends.
    Arc([f64; 2], f64, [f64; 2]),
}

/// Nodes and weights of Gauss's rule between -1 and 1.
fn gauss() -> [(f64, f64); 20] {
    const COUNT: usize = 20;
    let mut nodes = [(0.0, 0.0); COUNT];
    for (i, node) in nodes.iter_mut().enumerate() {
        let mut x = libm::cos(PI * (i as f64 + 0.75) / (COUNT as f64 + 0.5));
        let mut slope = 1.0;
        // Newton's steps from a start good to three digits.
        for _ in 0..6 {
            let (mut previous, mut value) = (1.0, x);
            for k in 2..=COUNT {
                let k = k as f64;
                let next = ((2.0 * k - 1.0) * x * value - (k - 1.0) * previous) / k;
                previous = value;
                value = next;
            }
            slope = COUNT as f64 * (x * value - previous) / (x * x - 1.0);
            x -= value / slope;
        }
        *node = (x, 2.0 / ((1.0 - x * x) * slope * slope));
    }
    nodes
}

impl Piece {
    /// Radius, height and the rate of the height, at `t` from -1 to 1.
    fn at(&self, t: f64) -> (f64, f64, f64) {
        let share = 0.5 * (1.0 + t);
        match *self {
            Self::Line(from, to) => (
                from[0] + share * (to[0] - from[0]),
                from[1] + share * (to[1] - from[1]),
                0.5 * (to[1] - from[1]),
            ),
            Self::Arc(center, radius, angles) => {
                let turn = angles[1] - angles[0];
                let (sin, cos) = libm::sincos(angles[0] + share * turn);
                (
                    center[0] + radius * cos,
                    center[1] + radius * sin,
                    0.5 * turn * radius * cos,
                )
            }
        }
    }
}

/// The solid inside a profile.
fn revolve(pieces: &[Piece]) -> Solid {
    let nodes = gauss();
    let (mut volume, mut first, mut second, mut fourth) = (0.0, 0.0, 0.0, 0.0);
    for piece in pieces {
        for (t, weight) in nodes {
            let (radius, y, rate) = piece.at(t);
            let area = PI * radius * radius * rate * weight;
            volume += area;
            first += area * y;
            second += area * y * y;
            fourth += area * radius * radius;
        }
    }
    let center = first / volume;
    // A disc has the moments 1/2 and 1/4 of mass times radius squared.
    let along = 0.5 * fourth;
    let across = 0.25 * fourth + second - first * center;
    Solid {
        volume,
        center: DVec3::new(0.0, center, 0.0),
        inertia: DMat3::from_diagonal(DVec3::new(across, along, across)),
    }
}

/// A cylinder or cone grown by `radius` on all sides; nothing for an ellipsoid.
pub(super) fn rounded(core: &Curved, radius: f64) -> Option<Solid> {
    let quarter = 0.5 * PI;
    match *core {
        Curved::Cylinder {
            half_height: h,
            radius: r,
        } => Some(revolve(&[
            Piece::Arc([r, -h], radius, [-quarter, 0.0]),
            Piece::Line([r + radius, -h], [r + radius, h]),
            Piece::Arc([r, h], radius, [0.0, quarter]),
        ])),
        Curved::Cone {
            half_height: h,
            radius: r,
        } => {
            // The side's normal rises by this angle.
            let tilt = libm::atan2(r, 2.0 * h);
            let (sin, cos) = libm::sincos(tilt);
            let (out, up) = (radius * cos, radius * sin);
            Some(revolve(&[
                Piece::Arc([r, -h], radius, [-quarter, tilt]),
                Piece::Line([r + out, up - h], [out, up + h]),
                Piece::Arc([0.0, h], radius, [tilt, quarter]),
            ]))
        }
        Curved::Ellipsoid(_) => None,
    }
}
