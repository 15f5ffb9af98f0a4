//! Cells of several levels along a curve on which neighbours in space mostly follow each other.
//!
//! Cells of one level are numbered by their [interleaved] coordinates, the finer levels first. The
//! numbers decide on cost alone, never on a result.

use drystone_geometry::curve::interleaved;

use crate::radix::sort_by_digits;
use crate::tolerance::{LEVEL_MAX, LEVEL_MIN};

/// Bits of each coordinate that a place on the curve holds. Cells that far apart share
/// places, which costs locality and nothing else.
const PLACE_BITS: u32 = 19;

/// Something in a cell: the place of the cell on the curve, and the index of the thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    key: u64,
    pub(crate) index: u32,
}

/// The things in `cells`, given by level and coordinates, in the order of the curve.
pub(crate) fn sort_places(cells: impl Iterator<Item = (i8, [i32; 3])> + Clone) -> Vec<Place> {
    // Coordinates are counted from the lowest of their level, so that a world that straddles
    // the origin does not use up all bits.
    let mut lowest = [[i32::MAX; 3]; (LEVEL_MAX - LEVEL_MIN + 1) as usize];
    let level_index = |level: i8| (i32::from(level) - LEVEL_MIN) as usize;
    for (level, coord) in cells.clone() {
        let lowest = &mut lowest[level_index(level)];
        for (lowest, coord) in lowest.iter_mut().zip(coord) {
            // From an even one, so that the eight cells of a coarser one follow each other.
            *lowest = (*lowest).min(coord & !1);
        }
    }
    let mask = (1 << PLACE_BITS) - 1;
    let mut places: Vec<Place> = (0..)
        .zip(cells)
        .map(|(index, (level, coord))| {
            let lowest = lowest[level_index(level)];
            let from_lowest = |axis: usize| coord[axis].wrapping_sub(lowest[axis]) & mask;
            let along = interleaved([from_lowest(0), from_lowest(1), from_lowest(2)]);
            let key = (level_index(level) as u64) << (3 * PLACE_BITS) | along;
            Place { key, index }
        })
        .collect();
    let used = places.iter().fold(0, |used, place| used | place.key);
    sort_by_digits(&mut places, &mut Vec::new(), used, |place| place.key);
    places
}

const _: () = assert!(3 * PLACE_BITS + 7 <= u64::BITS);
const _: () = assert!(LEVEL_MAX - LEVEL_MIN < 1 << 7);

#[cfg(test)]
mod tests {
    use super::*;

    /// Cells on two levels around the origin, in scattered order: each index once, the finer
    /// level first, and on a level a cell never comes before one that is smaller in all
    /// three coordinates.
    #[test]
    fn places_follow_the_curve() {
        let cell = |k: i32| {
            let mixed = k.wrapping_mul(2_654_435_761_u32 as i32);
            let coord = [mixed % 40, (mixed >> 8) % 40, (mixed >> 16) % 40];
            ((mixed & 1) as i8, coord)
        };
        let cells: Vec<_> = (0..2000).map(cell).collect();
        let places = sort_places(cells.iter().copied());
        let mut indices: Vec<u32> = places.iter().map(|place| place.index).collect();
        let sorted: Vec<_> = indices.iter().map(|&index| cells[index as usize]).collect();
        indices.sort_unstable();
        assert!(indices.iter().copied().eq(0..2000));
        assert!(sorted.is_sorted_by_key(|(level, _)| *level));
        for pair in sorted.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            let (one, next) = (pair[0].1, pair[1].1);
            assert!((0..3).any(|axis| one[axis] < next[axis]) || one == next);
        }
    }
}
