//! Decimal numbers out of a byte stream, with the line they stand on, and back into one.
//!
//! Plain decimals of up to seven digits on either side of the point take a short path: an
//! integer divided by a power of ten, both exact in `f64`, is correctly rounded (Clinger,
//! "How to read floating point numbers accurately", 1990). Everything else goes to the
//! standard library.

use std::io::{self, Read, Write};

/// Bytes read at a time; a count.
const BLOCK: usize = 1 << 16;

/// Longest word taken for a number; a count of bytes. Longer ones are an error, so that
/// a stream without spaces cannot fill the memory.
const LONGEST_WORD: usize = 512;

/// Powers of ten, up to the seven decimals of the short path.
const POWERS: [u64; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];

/// Words separated by white space, read in blocks.
pub(crate) struct Words<R> {
    reader: R,
    block: Vec<u8>,
    /// The unread part of the block.
    start: usize,
    end: usize,
    at_end: bool,
    /// Line of the next unread byte, from 1.
    line: u64,
}

/// Why the next word is not a number.
#[derive(Debug)]
pub(crate) enum WordError {
    /// The stream ended.
    End,
    /// The stream could not be read.
    Io(io::Error),
    /// Not a number; the word, cut to a printable length.
    NotANumber(String),
}

impl<R: Read> Words<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self {
            reader,
            block: vec![0; BLOCK],
            start: 0,
            end: 0,
            at_end: false,
            line: 1,
        }
    }

    /// Line of the next word, once white space has been skipped; of the last word read
    /// before that.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// Makes at least a longest word's bytes available unless the stream ends first.
    fn fill(&mut self) -> io::Result<()> {
        self.block.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        while self.end < LONGEST_WORD + 1 && !self.at_end {
            match self.reader.read(&mut self.block[self.end..]) {
                Ok(0) => self.at_end = true,
                Ok(count) => self.end += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Skips white space and leaves a whole word in the block, or the first part of one
    /// that is too long. False at the end of the stream.
    pub(crate) fn advance(&mut self) -> Result<bool, WordError> {
        loop {
            while self.start < self.end {
                let byte = self.block[self.start];
                if !byte.is_ascii_whitespace() {
                    if self.end - self.start <= LONGEST_WORD && !self.at_end {
                        self.fill().map_err(WordError::Io)?;
                    }
                    return Ok(true);
                }
                self.line += u64::from(byte == b'\n');
                self.start += 1;
            }
            if self.at_end {
                return Ok(false);
            }
            self.fill().map_err(WordError::Io)?;
        }
    }

    /// The next two words if both are plain numbers and well inside the block; `None`
    /// reads nothing and tells nothing, [`Words::number`] does. The shortest way through
    /// the common case: no error to build, and the place is kept in registers.
    #[inline]
    pub(crate) fn plain_pair(&mut self) -> Option<(f64, f64)> {
        let block = self.block.get(self.start..self.end)?;
        if block.len() < PLAIN_PAIR {
            return None;
        }
        let (space, lines) = leading_space(block);
        let rest = &block[space..];
        let (x, x_length) = plain_decimal(rest)?;
        let rest = &rest[x_length..];
        let (between, more_lines) = leading_space(rest);
        let (y, y_length) = plain_decimal(&rest[between..])?;
        // At the block's end a number may go on in the next one.
        let length = space + x_length + between + y_length;
        if length >= block.len() {
            return None;
        }
        self.start += length;
        self.line += lines + more_lines;
        Some((x, y))
    }

    /// The next word as a number, which may be NaN or infinite if it says so.
    pub(crate) fn number(&mut self) -> Result<f64, WordError> {
        if !self.advance()? {
            return Err(WordError::End);
        }
        let rest = &self.block[self.start..self.end];
        if let Some((value, length)) = plain_decimal(rest) {
            self.start += length;
            return Ok(value);
        }
        let length = rest
            .iter()
            .position(u8::is_ascii_whitespace)
            .unwrap_or(rest.len());
        let word = String::from_utf8_lossy(&rest[..length.min(LONGEST_WORD)]);
        let value = if length <= LONGEST_WORD {
            word.parse().ok()
        } else {
            None
        };
        match value {
            Some(value) => {
                self.start += length;
                Ok(value)
            }
            None => Err(WordError::NotANumber(shown(&word))),
        }
    }
}

/// Bytes that surely hold two plain numbers and the white space around them; a count.
const PLAIN_PAIR: usize = 64;

/// Length of the white space at the start of `bytes`, and the line ends in it.
#[inline]
fn leading_space(bytes: &[u8]) -> (usize, u64) {
    let mut length = 0;
    let mut lines = 0;
    while let Some(byte) = bytes.get(length).filter(|byte| byte.is_ascii_whitespace()) {
        lines += u64::from(*byte == b'\n');
        length += 1;
    }
    (length, lines)
}

/// A word as an error message shows it: at most 24 characters, none that could disturb a
/// terminal.
fn shown(word: &str) -> String {
    let mut shown: String = word.chars().take(24).flat_map(char::escape_debug).collect();
    if word.chars().count() > 24 {
        shown.push_str("...");
    }
    shown
}

/// A plain decimal at the start of `bytes`, followed by white space, and its length.
/// `None` for anything else, good or bad, and within sixteen bytes of the end.
///
/// Sixteen bytes at once: a loop over digits would mispredict its end at every other
/// number, and each number waits for the last to know where it starts.
#[inline]
fn plain_decimal(bytes: &[u8]) -> Option<(f64, usize)> {
    let window = u128::from_le_bytes(bytes.get(..16)?.try_into().ok()?);
    let is_negative = bytes[0] == b'-';
    let sign = usize::from(is_negative || bytes[0] == b'+');
    let text = window >> (8 * sign);
    // A digit less `0` is below ten, so that adding 118 leaves its top bit clear. What
    // carries out of a byte above 127 spoils the next, but such a byte ends the number.
    let values = text ^ u128::from_le_bytes([b'0'; 16]);
    let tops = u128::from_le_bytes([0x80; 16]);
    let others = (values.wrapping_add(u128::from_le_bytes([118; 16])) | values) & tops;
    let first = others.trailing_zeros() as usize / 8;
    let second = (others & others.wrapping_sub(1)).trailing_zeros() as usize / 8;
    let is_decimal = bytes.get(sign + first) == Some(&b'.');
    let (end, fraction_digits) = if is_decimal {
        (second, second - first - 1)
    } else {
        (first, 0)
    };
    let ends = bytes.get(sign + end).is_some_and(u8::is_ascii_whitespace);
    // The sign's shift brings zero bytes in at the top, which are no white space.
    if !ends || sign + end >= 16 || first > 7 || fraction_digits > 7 || first + fraction_digits == 0
    {
        return None;
    }
    let whole = digits_value(values as u64, first);
    let fraction = digits_value((values >> (8 * (first + 1))) as u64, fraction_digits);
    let mantissa = whole * POWERS[fraction_digits] + fraction;
    let value = mantissa as f64 / POWERS[fraction_digits] as f64;
    Some((if is_negative { -value } else { value }, sign + end))
}

/// Value of the first `count` bytes of `values`, lowest byte first, up to seven digits
/// already less `0`: they pair up to two, four and eight in three products.
#[inline]
fn digits_value(values: u64, count: usize) -> u64 {
    // Zeros come in before the digits; two shifts, since none asks for all 64 bits.
    let padded = (values << (8 * (7 - count))) << 8;
    let pairs = padded.wrapping_mul(10).wrapping_add(padded >> 8) & 0x00FF_00FF_00FF_00FF;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_FFFF_0000_FFFF;
    fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xFFFF_FFFF
}

/// Writes a line with a number of at least zero to five decimals, rounded exactly and ties
/// to even, as the standard library does in four times the time.
///
/// The number is an integer times a power of two; times 10^5 that integer is below 2^70, so
/// that a shift of it gives the digits and what it drops decides the rounding.
pub(crate) fn write_five_decimals(value: f64, output: &mut impl Write) -> io::Result<()> {
    let bits = value.to_bits();
    let shift = 1075 - (bits >> 52) as i32;
    // From 2^-70 to 2^46, which leaves a 64-bit result; a sign makes the exponent large.
    if !(7..=122).contains(&shift) {
        return writeln!(output, "{value:.5}");
    }
    let mantissa = (bits & ((1 << 52) - 1)) | 1 << 52;
    let scaled = u128::from(mantissa) * 100_000;
    let (kept, dropped) = (scaled >> shift, scaled & ((1 << shift) - 1));
    let half = 1_u128 << (shift - 1);
    let is_up = dropped > half || (dropped == half && kept & 1 == 1);
    let mut units = kept as u64 + u64::from(is_up);
    // Twenty digits at most, the point and the end of the line.
    let mut line = [b'0'; 24];
    let mut at = line.len() - 1;
    line[at] = b'\n';
    for place in 0.. {
        if place > 5 && units == 0 {
            break;
        }
        at -= 1;
        if place == 5 {
            line[at] = b'.';
            at -= 1;
        }
        line[at] = b'0' + (units % 10) as u8;
        units /= 10;
    }
    output.write_all(&line[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of every size, halves that round to even, and neighbours of round ones.
    /// Known from the standard library, which rounds exactly.
    #[test]
    fn five_decimals_are_those_of_the_standard_library() {
        let mut values = vec![
            0.0,
            1.0,
            0.015_625,
            0.046_875,
            0.000_005,
            0.000_004_999_999,
            9.999_995,
            99_999.999_999,
            1.717_911_380_774_694_6,
            f64::MIN_POSITIVE,
            1e15,
            1e22,
            1e300,
        ];
        let mut state = 1_u64;
        for _ in 0..20_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let part = (state >> 11) as f64 / (1_u64 << 53) as f64;
            let power = libm::exp2((state & 127) as f64 - 70.0);
            values.push(part * power);
            values.push((state >> 40) as f64 / 64.0);
            values.push(((state >> 40) as f64 / 100_000.0).next_up());
        }
        for value in values {
            let mut line = Vec::new();
            write_five_decimals(value, &mut line).expect("a vector");
            assert_eq!(
                String::from_utf8_lossy(&line),
                format!("{value:.5}\n"),
                "{value:e}"
            );
        }
    }

    /// Words of every form a decimal takes. Known from the standard library's parser,
    /// which is correctly rounded.
    #[test]
    fn numbers_read_as_the_standard_library_reads_them() {
        let words = [
            "0",
            "-0",
            "1",
            "-1",
            "+7",
            "1.",
            ".5",
            "-.5",
            "0.1",
            "3.14159",
            "-9999.99999",
            "123456789012345",
            "1234567890123456",
            "0.000000000000001",
            "1e5",
            "-2.5E-3",
            "9007199254740993",
            "0.30000000000000004",
            "179769313486231570000000000000000",
        ];
        let text = words.join("\n \t");
        let mut stream = Words::new(text.as_bytes());
        for (index, word) in words.iter().enumerate() {
            let value = stream.number().expect(word);
            let expected: f64 = word.parse().expect(word);
            assert_eq!(value.to_bits(), expected.to_bits(), "{word}");
            assert_eq!(stream.line(), index as u64 + 1, "{word}");
        }
        assert!(matches!(stream.number(), Err(WordError::End)));
    }

    /// Words that are no numbers, one of them longer than the block. Known by hand: each
    /// is an error that shows the word.
    #[test]
    fn words_that_are_no_numbers_are_shown() {
        let long = "7".repeat(3 * BLOCK);
        for (word, shown) in [
            ("seven", "seven"),
            ("1,5", "1,5"),
            ("--1", "--1"),
            (".", "."),
            ("1\u{1b}[2J", "1\\u{1b}[2J"),
            (long.as_str(), "777777777777777777777777..."),
        ] {
            match Words::new(word.as_bytes()).number() {
                Err(WordError::NotANumber(text)) => assert_eq!(text, shown),
                other => panic!("{word}: {other:?}"),
            }
        }
    }

    /// A reader that gives one byte at a time. Known by hand: words are never split.
    #[test]
    fn words_survive_any_block_boundary() {
        struct Drip<'a>(&'a [u8]);
        impl Read for Drip<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let count = self.0.len().min(1);
                buffer[..count].copy_from_slice(&self.0[..count]);
                self.0 = &self.0[count..];
                Ok(count)
            }
        }
        let text = "12.5 -3\n4e2  0.25\n".repeat(20_000);
        let mut stream = Words::new(Drip(text.as_bytes()));
        for _ in 0..20_000 {
            for expected in [12.5, -3.0, 400.0, 0.25] {
                assert_eq!(stream.number().expect("a number"), expected);
            }
        }
        assert!(matches!(stream.number(), Err(WordError::End)));
        assert_eq!(stream.line(), 40_001);
    }
}
