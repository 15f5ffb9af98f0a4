//! Bytes: variable-length integers, chunks, gzip and base64.
//!
//! A recording is a sequence of chunks: length of the payload (u32, little endian), one byte
//! that says what it is, payload.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

/// A chunk that describes the scene, as JSON; everything before it is void.
pub(crate) const SCENE: u8 = b'S';
/// A chunk that adds to the description, as JSON.
pub(crate) const MORE: u8 = b'M';
/// A chunk that holds a frame.
pub(crate) const FRAME: u8 = b'F';
/// A chunk without meaning, sent to learn whether anyone still listens.
pub(crate) const PULSE: u8 = b'P';

/// Appends `value`, seven bits to a byte, lowest first.
pub(crate) fn put_count(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a signed number; small magnitudes take few bytes.
pub(crate) fn put_signed(out: &mut Vec<u8>, value: i32) {
    put_count(out, ((value << 1) ^ (value >> 31)) as u32);
}

/// Appends a whole chunk.
pub(crate) fn put_chunk(out: &mut Vec<u8>, kind: u8, payload: &[u8]) {
    out.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    out.push(kind);
    out.extend_from_slice(payload);
}

/// A compressor to write chunks into. The result depends on the input alone.
pub(crate) fn compressor() -> GzEncoder<Vec<u8>> {
    GzEncoder::new(Vec::new(), Compression::default())
}

/// Writes a chunk into a compressor, which writes to memory and so cannot fail.
pub(crate) fn compress_chunk(to: &mut GzEncoder<Vec<u8>>, kind: u8, payload: &[u8]) {
    let mut chunk = Vec::with_capacity(payload.len() + 5);
    put_chunk(&mut chunk, kind, payload);
    to.write_all(&chunk).expect("memory takes every byte");
}

/// `bytes` as gzip.
pub(crate) fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::best());
    out.write_all(bytes).expect("memory takes every byte");
    out.finish().expect("memory takes every byte")
}

/// Base64 with padding, for text that a browser's `atob` reads.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for triple in bytes.chunks(3) {
        let at = |i: usize| triple.get(i).map_or(0, |byte| u32::from(*byte));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for digit in 0..4 {
            if digit <= triple.len() {
                let index = (bits >> (18 - 6 * digit)) & 63;
                text.push(char::from(DIGITS[index as usize]));
            } else {
                text.push('=');
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vectors of RFC 4648, section 10.
    #[test]
    fn base64_agrees_with_the_standard() {
        let cases = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (plain, coded) in cases {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    /// Read back by the definition: seven bits a byte, sign in the lowest bit.
    #[test]
    fn signed_numbers_survive_at_every_magnitude() {
        for value in [
            0,
            1,
            -1,
            63,
            64,
            -64,
            -65,
            8191,
            -300_000,
            i32::MAX,
            i32::MIN,
        ] {
            let mut bytes = Vec::new();
            put_signed(&mut bytes, value);
            let coded = bytes.iter().enumerate().fold(0u32, |sum, (i, byte)| {
                sum | u32::from(byte & 0x7f) << (7 * i)
            });
            let back = (coded >> 1) as i32 ^ -((coded & 1) as i32);
            assert_eq!(back, value);
            assert!(bytes[..bytes.len() - 1].iter().all(|byte| byte & 0x80 != 0));
            assert_eq!(bytes[bytes.len() - 1] & 0x80, 0);
        }
    }
}
