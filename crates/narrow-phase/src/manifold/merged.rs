//! One patch of the points of several contacts: two bodies of several shapes each that rest on
//! each other meet in many pairs of shapes, and all press one way.

use drystone_geometry::glam::DVec3;
use drystone_geometry::manifold::MAX_POINTS;

use super::reduce::{self, Spot, around};

/// A point of one of several contacts of the same normal.
#[derive(Clone, Copy, Debug)]
pub struct MergedPoint {
    /// In metres, in a frame common to all.
    pub place: DVec3,
    /// In metres; negative in overlap.
    pub separation: f64,
    /// Decides between equals: the same from frame to frame, and another of each point.
    pub id: u32,
    /// Whether it carried the load in the last frame.
    pub was_kept: bool,
    /// What the caller knows it by.
    pub source: [u32; 2],
}

impl Spot for MergedPoint {
    fn place(&self) -> DVec3 {
        self.place
    }

    fn separation(&self) -> f64 {
        self.separation
    }

    fn id(&self) -> u32 {
        self.id
    }
}

/// Points of one patch, and scratch for choosing among them.
#[derive(Clone, Debug, Default)]
pub struct MergedPatch {
    /// Of all contacts.
    pub points: Vec<MergedPoint>,
    turns: Vec<(f64, u32, MergedPoint)>,
}

impl MergedPatch {
    /// Puts those points first that carry the patch, and returns how many: four at most, none in
    /// the place of another, chosen as for a manifold of one pair. `normal` is of unit length, and the
    /// points lie within `margin`, in metres.
    pub fn choose(&mut self, normal: DVec3, margin: f64) -> usize {
        let points = &mut self.points;
        around(points, normal, &mut self.turns);
        let first = points.first().map_or(DVec3::ZERO, |point| point.place);
        let reaches = points.iter().map(|point| point.place.distance(first));
        let size = reaches.fold(0.0, f64::max);
        let kept = if points.len() <= MAX_POINTS {
            reduce::different(points, &[0, 1, 2, 3][..points.len()], size)
        } else {
            reduce::choose(points, normal, (size, margin), true, |point| point.was_kept)
        };
        for (place, &index) in kept.indices().iter().enumerate() {
            points.swap(place, index);
        }
        kept.indices().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(places: &[[f64; 2]]) -> Vec<[f64; 2]> {
        let mut patch = MergedPatch::default();
        patch.points.extend((0..).zip(places).map(|(id, [x, y])| {
            let id: u32 = id;
            MergedPoint {
                place: DVec3::new(*x, *y, 3.0),
                separation: 0.0,
                id: id.wrapping_mul(0x9e37_79b9),
                was_kept: false,
                source: [id, 0],
            }
        }));
        let count = patch.choose(DVec3::Z, 0.02);
        let mut kept: Vec<_> = patch.points[..count]
            .iter()
            .map(|point| [point.place.x, point.place.y])
            .collect();
        kept.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
        kept
    }

    /// Known by hand: the corners of the whole carry it, whatever way it is cut.
    #[test]
    fn the_corners_of_the_whole_are_chosen() {
        let corners = [[-2.0, -1.0], [-2.0, 1.0], [2.0, -1.0], [2.0, 1.0]];
        for cut in [-1.5, -0.3, 0.0, 1.9] {
            let seam = [[cut, -1.0], [cut, 1.0]];
            let both = [&corners[..2], &seam, &seam, &corners[2..]].concat();
            assert_eq!(chosen(&both), corners, "cut at {cut}");
            let across = [&seam[..], &corners[..], &seam].concat();
            assert_eq!(chosen(&across), corners, "cut at {cut}, in another order");
        }
    }

    #[test]
    fn points_in_one_place_are_one() {
        let ends = [[0.0, 0.0], [1.0, 0.5]];
        assert_eq!(chosen(&ends), ends);
        assert_eq!(chosen(&[ends[0], ends[1], ends[1]]), ends);
        assert_eq!(chosen(&[ends[0], ends[0], ends[1], ends[1]]), ends);
        assert_eq!(chosen(&[ends[0]; 6]), ends[..1]);
        assert_eq!(chosen(&[]), ends[..0]);
    }
}
