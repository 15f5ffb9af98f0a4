//! A shape as a mesh of flat faces, for pictures.

use std::f64::consts::{PI, TAU};

use glam::{DVec3, Vec3};

use super::Shape;
use crate::Hull;

impl Shape {
    /// A polyhedron inside the shape that looks like it, with about `around` corners on a
    /// circle; nothing for a half-space, a flat shape, or one with polygons of its own.
    ///
    /// For pictures, not for contacts.
    pub fn faceted(&self, around: usize) -> Option<Hull> {
        let radius = f64::from(self.core_radius());
        let solid = self.without_rounding();
        let is_smooth = radius > 0.0 || self.curved().is_some();
        if !is_smooth || self.is_infinite() {
            return None;
        }
        let mut points: Vec<Vec3> = Vec::new();
        let mut add = |point: DVec3| {
            let point = point.as_vec3();
            if !points.contains(&point) {
                points.push(point);
            }
        };
        let rings = (around / 2).max(2);
        for ring in 0..=rings {
            let (sin, cos) = libm::sincos(PI * ring as f64 / rings as f64);
            let spokes = if ring % rings == 0 { 1 } else { around.max(3) };
            for spoke in 0..spokes {
                let (sin_spoke, cos_spoke) = libm::sincos(TAU * spoke as f64 / spokes as f64);
                let unit = DVec3::new(sin * cos_spoke, cos, sin * sin_spoke);
                // The middle of a cap makes no corner.
                let is_cap = matches!(solid, Self::Cylinder { .. } | Self::Cone { .. });
                let is_middle = is_cap && spokes == 1 && radius == 0.0;
                let is_apex = matches!(solid, Self::Cone { .. }) && ring == 0;
                if !is_middle || is_apex {
                    add(solid.support(unit).0 + radius * unit);
                }
            }
        }
        Hull::new(&points).ok()
    }
}
