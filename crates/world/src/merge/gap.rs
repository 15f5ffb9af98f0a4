//! The gap between two bodies over the plane of a contact.

use drystone_geometry::glam::DVec3;

use crate::tolerance::MERGED_WIDTH;

/// The gap between two bodies over the plane of a contact: as both are rigid, it is that of one
/// point and grows as far as another point lies from there.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Gap {
    /// From the centre of the body that it is looked at on and in its axes, in metres.
    origin: DVec3,
    /// There, in metres.
    gap: f64,
    /// How it grows from there, a ratio.
    slope: DVec3,
    /// Twice the area over which it is known, in square metres.
    pub(super) area: f64,
    /// Whether that is more than a line.
    pub(super) is_wide: bool,
}

impl Gap {
    /// Of places and the gaps there. Across a line of places it does not grow.
    pub(super) fn of(mut points: impl Iterator<Item = (DVec3, f64)> + Clone) -> Self {
        let (origin, gap) = points.next().unwrap_or_default();
        let ways = points.map(|(place, at)| (place - origin, at - gap));
        let longest = |best: (DVec3, f64), way: (DVec3, f64)| {
            if way.0.length_squared() > best.0.length_squared() {
                way
            } else {
                best
            }
        };
        let (along, grown) = ways.clone().fold((DVec3::ZERO, 0.0), longest);
        let length_sq = along.length_squared();
        let mut found = Self {
            origin,
            gap,
            slope: along * (grown / length_sq.max(f64::MIN_POSITIVE)),
            area: MERGED_WIDTH * length_sq,
            is_wide: false,
        };
        for (way, gain) in ways {
            let across = along.cross(way);
            let area = across.length();
            if area > found.area {
                let turned = grown * way.cross(across) + gain * across.cross(along);
                found.slope = turned / (area * area);
                found.area = area;
                found.is_wide = true;
            }
        }
        found
    }

    /// What it comes to at a place.
    pub(super) fn at(&self, place: DVec3) -> f64 {
        self.gap + self.slope.dot(place - self.origin)
    }
}
