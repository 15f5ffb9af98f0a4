//! Sorting digit by digit: pairs, and places along a curve.

use crate::proxy::Pair;
use crate::tolerance::RADIX_MIN;

const DIGIT_BITS: u32 = 11;

/// Bits of a digit where there are fewer items than [`MANY`]: for each digit all its values are
/// gone through.
const FEW_DIGIT_BITS: u32 = 8;

const MANY: usize = 1 << (DIGIT_BITS + 1);

/// Sorts pairs, no two of which are equal, so that the order is unique.
pub(crate) fn sort_pairs(pairs: &mut Vec<Pair>, spare: &mut Vec<Pair>) {
    if pairs.len() < RADIX_MIN {
        pairs.sort_unstable();
        return;
    }
    let key = |pair: &Pair| u64::from(pair.a) << u32::BITS | u64::from(pair.b);
    let used = pairs.iter().fold(0, |used, pair| used | key(pair));
    sort_by_digits(pairs, spare, used, key);
}

/// Sorts by a key, keeping the order of equal ones; `used` has all bits that occur in keys.
/// Digits in which no key has a bit cost nothing.
pub(crate) fn sort_by_digits<T: Copy + Default>(
    items: &mut Vec<T>,
    spare: &mut Vec<T>,
    used: u64,
    key: impl Fn(&T) -> u64,
) {
    let many = items.len() >= MANY;
    let bits = if many { DIGIT_BITS } else { FEW_DIGIT_BITS };
    let mut shift = 0;
    while shift < u64::BITS && used >> shift != 0 {
        // Digits begin at the lowest bit in use, so that pairs of small ids take few.
        shift += (used >> shift).trailing_zeros();
        pass(items, spare, 1 << bits, |item| key(item) >> shift);
        shift += bits;
    }
}

/// Sorts by the lowest digit of `digits`, one of `values`, a power of two, keeping the order of
/// equal ones.
fn pass<T: Copy + Default>(
    items: &mut Vec<T>,
    spare: &mut Vec<T>,
    values: usize,
    digits: impl Fn(&T) -> u64,
) {
    let mut next = [0_u32; 1 << DIGIT_BITS];
    let next = &mut next[..values];
    let digit = |item: &T| digits(item) as usize & (values - 1);
    for item in items.iter() {
        next[digit(item)] += 1;
    }
    let mut total = 0;
    for next in &mut *next {
        total += std::mem::replace(next, total);
    }
    spare.clear();
    spare.resize(items.len(), T::default());
    for item in items.iter() {
        let next = &mut next[digit(item)];
        spare[*next as usize] = *item;
        *next += 1;
    }
    std::mem::swap(items, spare);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scattered pairs of small, large and mixed ids, against the sort of the standard
    /// library, on both sides of the length where the method changes.
    #[test]
    fn pairs_are_sorted_as_by_comparison() {
        for (count, factor) in [
            (100, 1),
            (RADIX_MIN, 7),
            (5000, 3),
            (5000, 800_000),
            (3000, 800_000),
        ] {
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
