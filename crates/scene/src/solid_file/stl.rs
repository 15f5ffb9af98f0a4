//! STL files, as text and binary.

use std::collections::BTreeMap;
use std::ops::Range;

use drystone::geometry::glam::DVec3;

use super::words::{Word, Words, text_start};
use super::{Mistakes, Solid, scaled};

/// Bytes of a binary file before its triangles, and bytes of a triangle.
const HEADER: usize = 84;
const TRIANGLE: usize = 50;

const FACET_HELP: &str = "a triangle is `facet normal x y z outer loop vertex x y z vertex x y z \
                          vertex x y z endloop endfacet`";

/// Reads triangles; corners at the same place are one point.
pub(super) fn read(bytes: &[u8], scale: f64) -> Result<Solid, Mistakes> {
    let mut builder = Builder {
        scale,
        solid: Solid::default(),
        numbers: BTreeMap::new(),
        mistakes: Mistakes::default(),
    };
    if bytes.is_empty() {
        return Err(Mistakes::of_file("it is empty", "export it anew"));
    }
    // Many programs begin binary files with the word of the others, so the length decides.
    let count = bytes
        .get(80..HEADER)
        .and_then(|count| count.try_into().ok());
    let count = count.map_or(0, u32::from_le_bytes) as usize;
    let needed = count.saturating_mul(TRIANGLE).saturating_add(HEADER);
    if bytes.len() == needed {
        builder.binary(bytes);
    } else if let Some(words) = text(bytes) {
        // What stops reading is reported.
        let _ = builder.text(words);
    } else if bytes.len() < HEADER {
        let message = "it is neither text that begins with `solid`, nor long enough to be binary";
        return Err(Mistakes::of_file(message, "export it anew"));
    } else {
        let found = bytes.len();
        let message = format!("{count} triangles need {needed} bytes, but it has {found}");
        let help = "the count at byte 80 and the length must fit: export the file anew";
        return Err(Mistakes::of_file(message, help));
    }
    if builder.mistakes.first.is_empty() {
        Ok(builder.solid)
    } else {
        Err(builder.mistakes)
    }
}

/// The words of a file that is text.
fn text(bytes: &[u8]) -> Option<Words<'_>> {
    let words = Words::within(bytes, text_start(bytes)..bytes.len());
    let is_text = !bytes[..bytes.len().min(HEADER)].contains(&0);
    let first = words.clone().next()?;
    (is_text && first.bytes.eq_ignore_ascii_case(b"solid")).then_some(words)
}

/// Reading cannot go on; the reason is among the mistakes.
struct Stop;

struct Builder {
    scale: f64,
    solid: Solid,
    /// The number of the point with these bits.
    numbers: BTreeMap<[u32; 3], u32>,
    mistakes: Mistakes,
}

impl Builder {
    fn binary(&mut self, bytes: &[u8]) {
        for (index, triangle) in bytes[HEADER..].chunks_exact(TRIANGLE).enumerate() {
            let number = |at: usize| {
                let bytes = [0, 1, 2, 3].map(|i| triangle[at + i]);
                f32::from_le_bytes(bytes)
            };
            // Behind the normal.
            let corners = [12, 24, 36].map(|at| [number(at), number(at + 4), number(at + 8)]);
            let points = corners.map(|corner| self.point(corner));
            let mut triangle = [0; 3];
            for (place, point) in triangle.iter_mut().zip(points) {
                match point {
                    Ok(point) => *place = point,
                    Err(message) => {
                        let message = format!("triangle {index}, counted from 0: {message}");
                        let help = "export the file anew";
                        self.mistakes.push(None, message, help);
                        break;
                    }
                }
            }
            self.solid.triangles.push(triangle);
        }
    }

    fn text(&mut self, mut words: Words<'_>) -> Result<(), Stop> {
        let mut last = 0..0;
        let mut is_open = false;
        // There may be several solids, one after the other.
        while let Some(word) = words.next() {
            last = word.place();
            let is = |expected: &str| word.bytes.eq_ignore_ascii_case(expected.as_bytes());
            if is("facet") && is_open {
                last = self.facet(&word, &mut words)?;
            } else if is(if is_open { "endsolid" } else { "solid" }) {
                is_open = !is_open;
                // What follows is its name.
                words.skip_line();
            } else if !is_open && word.bytes.iter().all(|byte| matches!(byte, 0 | 0x1a)) {
                // Some programs mark the end of a file so, or fill it up.
            } else {
                let expected = if is_open {
                    "`facet` or `endsolid`"
                } else {
                    "`solid`"
                };
                let message = format!("expected {expected}, found `{}`", word.shown());
                self.mistakes.add(word.place(), message, FACET_HELP);
                return Err(Stop);
            }
        }
        if is_open {
            let message = "the file ends without `endsolid`: it may have been cut off";
            let help = "export it anew, or add `endsolid` if it is whole";
            self.mistakes.add(last, message, help);
        }
        Ok(())
    }

    /// One triangle, behind its first word; the place of its last one.
    fn facet(&mut self, first: &Word<'_>, words: &mut Words<'_>) -> Result<Range<usize>, Stop> {
        let mut place = first.place();
        self.expect("normal", &mut place, words)?;
        // Normals follow from the corners; of slivers they may be no numbers.
        for _ in 0..3 {
            self.next(&mut place, words)?;
        }
        self.expect("outer", &mut place, words)?;
        self.expect("loop", &mut place, words)?;
        let mut triangle = [0; 3];
        for number in &mut triangle {
            self.expect("vertex", &mut place, words)?;
            let mut coordinates = [0.0; 3];
            let mut corner = None::<Range<usize>>;
            let before = self.mistakes.first.len() + self.mistakes.more;
            for coordinate in &mut coordinates {
                let word = self.next(&mut place, words)?;
                let start = corner.map_or(word.start, |corner| corner.start);
                corner = Some(start..word.place().end);
                match word.text().and_then(|text| text.parse::<f32>().ok()) {
                    Some(number) => *coordinate = number,
                    None => {
                        let message = format!("`{}` is not a number", word.shown());
                        self.mistakes.add(word.place(), message, FACET_HELP);
                    }
                }
            }
            if self.mistakes.first.len() + self.mistakes.more > before {
                continue;
            }
            match self.point(coordinates) {
                Ok(point) => *number = point,
                Err(message) => {
                    let place = corner.unwrap_or_else(|| place.clone());
                    self.mistakes.add(place, message, FACET_HELP);
                }
            }
        }
        self.expect("endloop", &mut place, words)?;
        let last = self.expect("endfacet", &mut place, words)?;
        self.solid.triangles.push(triangle);
        self.solid.triangle_places.push(place);
        Ok(last)
    }

    /// The next word of a triangle; `place` grows up to it.
    fn next<'a>(
        &mut self,
        place: &mut Range<usize>,
        words: &mut Words<'a>,
    ) -> Result<Word<'a>, Stop> {
        let Some(word) = words.next() else {
            let message = "the file ends within this triangle: it may have been cut off";
            self.mistakes.add(place.clone(), message, FACET_HELP);
            return Err(Stop);
        };
        place.end = word.place().end;
        Ok(word)
    }

    fn expect(
        &mut self,
        expected: &str,
        place: &mut Range<usize>,
        words: &mut Words<'_>,
    ) -> Result<Range<usize>, Stop> {
        let word = self.next(place, words)?;
        if word.bytes.eq_ignore_ascii_case(expected.as_bytes()) {
            return Ok(word.place());
        }
        let message = format!("expected `{expected}`, found `{}`", word.shown());
        self.mistakes.add(word.place(), message, FACET_HELP);
        Err(Stop)
    }

    /// The number of the point there.
    fn point(&mut self, at: [f32; 3]) -> Result<u32, String> {
        let bits = at.map(f32::to_bits);
        if let Some(number) = self.numbers.get(&bits) {
            return Ok(*number);
        }
        let point = scaled(DVec3::from_array(at.map(f64::from)), self.scale)?;
        let number = self.solid.points.len() as u32;
        self.solid.points.push(point);
        self.numbers.insert(bits, number);
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::first_mistake;
    use super::super::{mesh, points};
    use drystone::geometry::glam::Vec3;

    const TEXT: &str = "solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n\
                        vertex 0 1 0\nendloop\nendfacet\nendsolid t\n";

    /// One triangle and a header of one's choice.
    fn binary(header: &[u8], count: u32) -> Vec<u8> {
        let mut bytes = vec![0_u8; 80];
        bytes[..header.len()].copy_from_slice(header);
        bytes.extend(count.to_le_bytes());
        for value in [
            0.0_f32, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0,
        ] {
            bytes.extend(value.to_le_bytes());
        }
        bytes.extend([0, 0]);
        bytes
    }

    /// A triangle as binary STL, of a program that begins that with `solid` too, and as text in
    /// every way programs write it.
    #[test]
    fn every_kind_of_stl_is_read() {
        let expected = [Vec3::ZERO, Vec3::X, Vec3::Y];
        for bytes in [
            binary(b"", 1),
            binary(b"solid of a program\n", 1),
            TEXT.into(),
            TEXT.replace("solid t", "solid").into(),
            TEXT.to_uppercase().into(),
            TEXT.replace('\n', "\r\n").into(),
            format!("\u{feff} \n{TEXT}").into(),
            TEXT.replace("0 0 1", "nan nan nan").into(),
        ] {
            let read = points("t.stl", &bytes, 1.0);
            assert_eq!(read, Ok(expected.to_vec()), "{bytes:?}");
        }
    }

    /// Two solids in one file: none is left out, and they share the corner they have in common.
    #[test]
    fn all_solids_of_a_file_are_read() {
        let text = format!("{TEXT}{}", TEXT.replace("vertex 0 1 0", "vertex 0 0 1"));
        let solid = mesh("t.stl", text.as_bytes(), 1.0).expect("two solids");
        assert_eq!(solid.triangles, [[0, 1, 2], [0, 1, 3]]);
        let start = TEXT.len() + "solid t\n".len();
        assert_eq!(solid.place_of(1).map(|place| place.start), Some(start));
    }

    /// What is wrong is said, with line and column where there are lines; a count that lies does
    /// not make room for four thousand million triangles.
    #[test]
    fn mistakes_in_stl_files_are_named() {
        let swap = |from: &str, to: &str| TEXT.replacen(from, to, 1).into_bytes();
        let cut = |length: usize| TEXT.as_bytes()[..length].to_vec();
        let mut longer = binary(b"", 1);
        longer.push(0);
        let mut broken = binary(b"", 1);
        broken[96..100].copy_from_slice(&f32::NAN.to_le_bytes());
        for (bytes, told) in [
            (swap("x 1 0 0", "x 1 O 0"), "5:10 [O] `O` is not a number"),
            (swap("x 1 0 0", "x 1 nan 0"), "5:8 [1 nan 0] a coordinate"),
            (swap("x 1 0 0", "x 1e30 0 0"), "5:8 [1e30 0 0] a coordinate"),
            (
                swap("endloop", "vertex 1 2 3"),
                "7:1 [vertex] expected `endloop`",
            ),
            (swap("endsolid t", "junk"), "9:1 [junk] expected `facet`"),
            (swap("endsolid t\n", ""), "8:1 [endfacet] the file ends"),
            (cut(48), "2:1 [facet normal 0 0 1\nouter loop\nvertex 0 0]"),
            (b"solid x\nfacet".to_vec(), "2:1 [facet] the file ends"),
            (b"v 0 0 0\n".to_vec(), "it is neither text"),
            (binary(b"", u32::MAX), "4294967295 triangles need"),
            (binary(b"", 0), "0 triangles need 84 bytes"),
            (longer, "1 triangles need 134 bytes, but it has 135"),
            (broken, "triangle 0, counted from 0: a coordinate is not"),
        ] {
            let error = points("a.stl", &bytes, 1.0).expect_err(told);
            let found = first_mistake(&error, &bytes);
            assert!(found.starts_with(told), "{found}");
        }
    }
}
