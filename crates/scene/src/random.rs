//! Random numbers for patterns: the same sequence for a seed on every platform.

use drystone::geometry::glam::Quat;

/// SplitMix64 (Steele, Lea and Flood, *Fast Splittable Pseudorandom Number Generators*,
/// 2014): a Weyl sequence through a mixing function.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0, below 1, in steps of 2^-53.
    pub(crate) fn unit(&mut self) -> f64 {
        const STEPS: f64 = (1u64 << 53) as f64;
        (self.bits() >> 11) as f64 / STEPS
    }

    /// From -1, below 1.
    pub(crate) fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// Below `count`, which is not zero. The bias of the remainder is below 2^-40 for any
    /// count a scene allows.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    /// A rotation, all equally likely (Shoemake, *Graphics Gems III*, 1992, section III.6).
    pub(crate) fn rotation(&mut self) -> Quat {
        let height = self.unit();
        let (low, high) = ((1.0 - height).sqrt(), height.sqrt());
        let (sin_a, cos_a) = libm::sincos(std::f64::consts::TAU * self.unit());
        let (sin_b, cos_b) = libm::sincos(std::f64::consts::TAU * self.unit());
        let parts = [low * sin_a, low * cos_a, high * sin_b, high * cos_b];
        Quat::from_array(parts.map(|part| part as f32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers for seed 1234567, from the generator's published test values.
    #[test]
    fn the_sequence_is_splitmix64() {
        let mut random = Random::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.bits()).collect();
        assert_eq!(
            first,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    /// Unit length, and no direction preferred: the mean of many is near zero.
    #[test]
    fn random_rotations_are_unit_and_balanced() {
        let mut random = Random::new(7);
        let mut sum = [0.0f64; 4];
        for _ in 0..4000 {
            let q = random.rotation().to_array();
            let length_sq: f32 = q.iter().map(|part| part * part).sum();
            assert!((length_sq - 1.0).abs() < 1e-6);
            for (sum, part) in sum.iter_mut().zip(q) {
                *sum += f64::from(part) / 4000.0;
            }
        }
        assert!(sum.iter().all(|mean| mean.abs() < 0.04), "{sum:?}");
    }
}
