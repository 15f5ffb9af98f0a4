//! How far rounding of the input can move a point, in a given direction.

use glam::DVec3;

use crate::tolerance;

/// Distances that count as rounding for one point set.
///
/// A coordinate `x` stored in f32 is off by up to `|x|` times [`tolerance::F32_ROUNDING`],
/// so the slack along a direction follows the largest coordinates along it: a plate keeps a
/// small slack through its thickness, and a hull far from its own origin gets a large one.
pub(super) struct Slack {
    largest: DVec3,
    floor: f64,
}

impl Slack {
    /// The slack of `points`, at least `floor` metres.
    pub(super) fn new(points: &[DVec3], floor: f64) -> Self {
        let largest = points.iter().fold(DVec3::ZERO, |most, p| most.max(p.abs()));
        Self { largest, floor }
    }

    /// Along the unit normal of a plane, in metres.
    pub(super) fn of_plane(&self, normal: DVec3) -> f64 {
        (tolerance::FACE_SLACK * (normal * self.largest).length()).max(self.floor)
    }

    /// Along the unit direction from a line to a point, in metres.
    pub(super) fn of_line(&self, direction: DVec3) -> f64 {
        (tolerance::EDGE_SLACK * (direction * self.largest).length()).max(0.5 * self.floor)
    }
}
