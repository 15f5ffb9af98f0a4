//! Crowds of boxes for the broad phase, from a thousand to a million, and how they move.

use drystone_geometry::WorldAabb;
use drystone_geometry::glam::DVec3;

/// How boxes lie. All but the last have edges of 1 m and about one pair each.
pub const SCENES: [&str; 5] = ["volume", "terrain", "line", "clustered", "size_ratio"];

/// A seeded xorshift generator.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// In 0..1.
    pub fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// In `-half..half`.
    pub fn within(&mut self, half: f64) -> f64 {
        half * (2.0 * self.unit() - 1.0)
    }

    /// Each coordinate in `-half..half`.
    pub fn vector(&mut self, half: f64) -> DVec3 {
        DVec3::new(self.within(half), self.within(half), self.within(half))
    }
}

/// Boxes of one scene, in random order but for the line.
#[derive(Clone, Debug)]
pub struct Crowd {
    /// Centre and half edge of each.
    pub boxes: Vec<(DVec3, f64)>,
}

impl Crowd {
    /// `count` boxes; `name` is one of [`SCENES`].
    pub fn new(name: &str, count: usize) -> Self {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let n = count as f64;
        let place = |index: usize| match name {
            // A cube with 4 m^3 to a box.
            "volume" => (random.vector(0.5 * (4.0 * n).cbrt()), 0.5),
            // A layer 2 m high with 2 m^2 to a box.
            "terrain" => {
                let half = 0.5 * (2.0 * n).sqrt();
                let at = DVec3::new(random.within(half), random.within(1.0), random.within(half));
                (at, 0.5)
            }
            "line" => (DVec3::new(0.9 * index as f64, 0.0, 0.0), 0.5),
            // Piles of about 500 boxes, a hundred metres apart.
            "clustered" => {
                let side = (n / 500.0).cbrt().ceil();
                let pile = (random.vector(0.5 * side) + 0.5 * side).floor() * 100.0;
                (pile + random.vector(6.0), 0.5)
            }
            // Dust of 1 cm, among it boxes of 1 m and, one in a thousand, of 100 m.
            _ => {
                let half = match index % 1000 {
                    0 => 50.0,
                    1..10 => 0.5,
                    _ => 0.005,
                };
                (random.vector(75.0 * (0.001 * n).cbrt().max(1.0)), half)
            }
        };
        Self {
            boxes: (0..count).map(place).collect(),
        }
    }

    /// The box at an index, as it lies at the beginning.
    pub fn aabb(&self, index: usize) -> WorldAabb {
        let (center, half) = self.boxes[index];
        box_at(center, half)
    }

    /// The indices of one box in `every`, chosen without regard to place and size.
    pub fn chosen(&self, every: usize) -> Vec<u32> {
        let mut random = Random(0x5851_f42d_4c95_7f2d);
        let mut ids: Vec<u32> = (0..self.boxes.len() as u32).collect();
        for k in (1..ids.len()).rev() {
            ids.swap(k, (random.unit() * (k + 1) as f64) as usize);
        }
        ids.truncate(ids.len().div_ceil(every));
        ids.sort_unstable();
        ids
    }

    /// Where the boxes of `ids` hop to and fro: two boxes each, a fifth of its edge apart
    /// along two axes, which is out of any fat box at every hop.
    pub fn hops(&self, ids: &[u32]) -> [Vec<WorldAabb>; 2] {
        let mut random = Random(7);
        let mut places = [Vec::new(), Vec::new()];
        for &id in ids {
            let (center, half) = self.boxes[id as usize];
            let hop = DVec3::splat(0.2 * half).with_x(random.within(0.2) * half);
            places[0].push(box_at(center - hop, half));
            places[1].push(box_at(center + hop, half));
        }
        places
    }
}

/// The cube around `center` with half edge `half`.
pub fn box_at(center: DVec3, half: f64) -> WorldAabb {
    WorldAabb {
        min: center - half,
        max: center + half,
    }
}
