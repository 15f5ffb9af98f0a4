//! Sorting pairs digit by digit.

use crate::proxy::Pair;
use crate::tolerance::RADIX_MIN;

const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 1 << DIGIT_BITS;

/// Sorts pairs, no two of which are equal, so that the order is unique.
pub(crate) fn sort_pairs(pairs: &mut Vec<Pair>, spare: &mut Vec<Pair>) {
    if pairs.len() < RADIX_MIN {
        pairs.sort_unstable();
        return;
    }
    let (used_a, used_b) = pairs.iter().fold((0, 0), |(used_a, used_b), pair| {
        (used_a | pair.a, used_b | pair.b)
    });
    for_each_digit(used_b, |shift| pass(pairs, spare, |pair| pair.b >> shift));
    for_each_digit(used_a, |shift| pass(pairs, spare, |pair| pair.a >> shift));
}

/// Calls `pass` with the shift of each digit up to the highest bit of `used`.
fn for_each_digit(used: u32, mut pass: impl FnMut(u32)) {
    let mut shift = 0;
    while shift < u32::BITS && used >> shift != 0 {
        pass(shift);
        shift += DIGIT_BITS;
    }
}

/// Sorts by one digit, keeping the order of equal ones.
fn pass(pairs: &mut Vec<Pair>, spare: &mut Vec<Pair>, digit: impl Fn(&Pair) -> u32) {
    let mut next = [0_u32; DIGITS];
    for pair in pairs.iter() {
        next[digit(pair) as usize % DIGITS] += 1;
    }
    let mut total = 0;
    for next in &mut next {
        total += std::mem::replace(next, total);
    }
    spare.clear();
    spare.resize(pairs.len(), Pair::default());
    for pair in pairs.iter() {
        let next = &mut next[digit(pair) as usize % DIGITS];
        spare[*next as usize] = *pair;
        *next += 1;
    }
    std::mem::swap(pairs, spare);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scattered pairs of small, large and mixed ids, against the sort of the standard
    /// library, on both sides of the length where the method changes.
    #[test]
    fn pairs_are_sorted_as_by_comparison() {
        for (count, factor) in [(100, 1), (RADIX_MIN, 7), (5000, 3), (5000, 800_000)] {
            let mut pairs: Vec<Pair> = (0..count as u32)
                .map(|k| {
                    let mixed = k.wrapping_mul(2_654_435_761) >> 7;
                    Pair {
                        a: mixed % 4099 * factor,
                        b: u32::MAX - k,
                    }
                })
                .collect();
            let mut expected = pairs.clone();
            expected.sort();
            sort_pairs(&mut pairs, &mut Vec::new());
            assert_eq!(pairs, expected);
        }
    }
}
