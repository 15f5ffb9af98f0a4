//! Snapshots with a header made to fit, as an attacker would.

/// Bytes before the payload.
pub(crate) const HEADER: usize = 28;

/// Writes length and checksum that belong to the payload: the engine's own mix, told again
/// here.
pub(crate) fn sign(bytes: &mut [u8]) {
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut mix = |word: u64| {
        let mixed = (state ^ word).wrapping_mul(0x243f_6a88_85a3_08d3);
        state = mixed ^ (mixed >> 32);
    };
    let (header, payload) = bytes.split_at_mut(HEADER);
    let length = payload.len() as u64;
    mix(length);
    for chunk in payload.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mix(u64::from_le_bytes(word));
    }
    mix(0);
    header[12..20].copy_from_slice(&length.to_le_bytes());
    header[20..].copy_from_slice(&state.to_le_bytes());
}
