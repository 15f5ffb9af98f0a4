//! A curve through space along which neighbours in space mostly follow each other: cells in the
//! order of their interleaved coordinates (Morton, *A Computer Oriented Geodetic Data Base*, 1966).

/// The place of a cell: the lowest 21 bits of its coordinates, interleaved.
pub fn interleaved(coord: [i32; 3]) -> u64 {
    let spread = |k: i32| {
        let mut bits = k as u64 & 0x1f_ffff;
        for (shift, mask) in [
            (32, 0x001f_0000_0000_ffff),
            (16, 0x001f_0000_ff00_00ff),
            (8, 0x100f_00f0_0f00_f00f),
            (4, 0x10c3_0c30_c30c_30c3),
            (2, 0x1249_2492_4924_9249),
        ] {
            bits = (bits | (bits << shift)) & mask;
        }
        bits
    };
    spread(coord[0]) | (spread(coord[1]) << 1) | (spread(coord[2]) << 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits of x, y and z in turn, from the lowest: by hand, and all that fit.
    #[test]
    fn bits_of_the_coordinates_take_turns() {
        assert_eq!(interleaved([0b101, 0b011, 0b110]), 0b101_110_011);
        assert_eq!(interleaved([0x1f_ffff; 3]), (1 << 63) - 1);
        assert_eq!(interleaved([-1, 0, 0]), interleaved([0x1f_ffff, 0, 0]));
    }
}
