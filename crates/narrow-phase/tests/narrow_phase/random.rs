//! A small generator, so that every failure names a seed that repeats it.

use drystone_geometry::glam::{DMat3, DQuat, DVec3, Vec3};
use drystone_geometry::{DPose, Shape};

/// SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    /// Uniform in -1..1.
    pub(crate) fn signed(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + 0.5 * (self.signed() + 1.0) * (high - low)
    }

    pub(crate) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }

    pub(crate) fn direction(&mut self) -> DVec3 {
        loop {
            let v = self.vector();
            if v.length_squared() <= 1.0 && v.length_squared() > 0.01 {
                return v.normalize();
            }
        }
    }

    pub(crate) fn rotation(&mut self) -> DQuat {
        loop {
            let q = [self.signed(), self.signed(), self.signed(), self.signed()];
            let length = q.iter().map(|c| c * c).sum::<f64>().sqrt();
            if length > 0.1 && length <= 1.0 {
                let [x, y, z, w] = q.map(|c| c / length);
                return DQuat::from_xyzw(x, y, z, w);
            }
        }
    }

    pub(crate) fn matrix(&mut self) -> DMat3 {
        DPose {
            rotation: self.rotation(),
            translation: DVec3::ZERO,
        }
        .to_frame()
        .rotation
    }

    /// A box, a capsule, a sphere or a hull of up to `corners` corners, of about this size.
    pub(crate) fn shape(&mut self, size: f64, corners: usize) -> Shape {
        let length = |random: &mut Self| (size * random.between(0.2, 1.0)) as f32;
        match self.below(6) {
            0 => Shape::Sphere {
                radius: length(self),
            },
            1 => Shape::Capsule {
                half_height: length(self),
                radius: 0.5 * length(self),
            },
            2 | 3 => Shape::Box {
                half_extents: Vec3::new(length(self), length(self), length(self)),
            },
            _ => self.hull(size, corners),
        }
    }

    /// A hull of 4 to `corners` random points in an ellipsoid shell.
    pub(crate) fn hull(&mut self, size: f64, corners: usize) -> Shape {
        let count = 4 + self.below(corners - 3);
        let stretch = DVec3::new(
            self.between(0.3, 1.0),
            self.between(0.3, 1.0),
            self.between(0.3, 1.0),
        );
        loop {
            let points: Vec<Vec3> = (0..count)
                .map(|_| (size * stretch * self.direction()).as_vec3())
                .collect();
            if let Ok(shape) = Shape::hull(&points) {
                return shape;
            }
        }
    }
}
