//! A seeded source of numbers and boxes for the tests.

use drystone_broad_phase::{Activity, Filter, ProxyDef};
use drystone_geometry::WorldAabb;
use drystone_geometry::glam::DVec3;

/// A 64-bit xorshift generator.
#[allow(unreachable_pub)]
pub struct Random(u64);

#[allow(dead_code, unreachable_pub)]
impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    pub fn below(&mut self, count: u64) -> u64 {
        self.bits() % count
    }

    /// In `low..high`.
    pub fn real(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() % (1 << 40)) as f64 / (1_u64 << 40) as f64
    }

    pub fn vector(&mut self, low: f64, high: f64) -> DVec3 {
        DVec3::new(
            self.real(low, high),
            self.real(low, high),
            self.real(low, high),
        )
    }

    /// From `10^low` to `10^high`, each power of ten as often as the others.
    pub fn scale(&mut self, low: i32, high: i32) -> f64 {
        let power = low + self.below((high - low) as u64) as i32;
        self.real(1.0, 10.0) * 10_f64.powi(power)
    }

    pub fn activity(&mut self) -> Activity {
        match self.below(4) {
            0 => Activity::Static,
            1 => Activity::Asleep,
            _ => Activity::Awake,
        }
    }

    pub fn filter(&mut self) -> Filter {
        match self.below(6) {
            0 => Filter {
                category: 1,
                mask: 2,
                group: 0,
            },
            1 => Filter {
                category: 2,
                mask: 3,
                group: 0,
            },
            2 => Filter {
                category: 1,
                mask: 1,
                group: -3,
            },
            3 => Filter {
                category: 0,
                mask: 0,
                group: 5,
            },
            _ => Filter::default(),
        }
    }

    pub fn def(&mut self, aabb: WorldAabb) -> ProxyDef {
        let owner = self.below(400) as u32;
        ProxyDef {
            aabb,
            activity: self.activity(),
            filter: self.filter(),
            owner,
        }
    }
}

/// The box around `center` with half edges `half`.
#[allow(dead_code, unreachable_pub)]
pub fn around(center: DVec3, half: DVec3) -> WorldAabb {
    WorldAabb {
        min: center - half,
        max: center + half,
    }
}
