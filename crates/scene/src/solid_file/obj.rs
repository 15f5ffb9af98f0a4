//! OBJ files: their points and their faces.

use std::ops::Range;

use drystone::geometry::glam::{DVec3, Vec3};

use super::words::{Word, Words, text_start};
use super::{Mistakes, Solid, scaled};
use crate::tolerance::{FAN_SLACK, MAX_FAN_STARTS};

/// Statements that say nothing of points and faces.
const OTHERS: &[&str] = &[
    "vt",
    "vn",
    "vp",
    "l",
    "p",
    "o",
    "g",
    "s",
    "mg",
    "mtllib",
    "usemtl",
    "maplib",
    "usemap",
    "lod",
    "bevel",
    "c_interp",
    "d_interp",
    "shadow_obj",
    "trace_obj",
];

const POINT_HELP: &str = "write `v x y z`, numbers like `-1.5` or `2e-3`, in m";
const CORNER_HELP: &str = "a corner is `a`, `a/b`, `a//c` or `a/b/c`, and `a` the number of a point, counted from 1, or from \
     -1 back from the last one before it";

/// A corner of a face: the number of its point from 0, and its place.
struct Corner {
    point: usize,
    place: Range<usize>,
}

/// A face: its place, and its corners.
struct Face {
    place: Range<usize>,
    corners: Vec<Corner>,
}

/// Reads points, and faces if they are asked for; all mistakes at once.
pub(super) fn read(bytes: &[u8], scale: f64, with_faces: bool) -> Result<Solid, Mistakes> {
    let mut reader = Reader {
        bytes,
        scale,
        points: Vec::new(),
        faces: Vec::new(),
        mistakes: Mistakes::default(),
    };
    let mut at = text_start(bytes);
    while at < bytes.len() {
        let line = statement(bytes, at);
        at = line.end + 1;
        reader.statement(line, with_faces);
    }
    reader.finish()
}

/// The bytes of the statement that starts at `at`, without comment and line end. It goes on over
/// lines that end in a backslash.
fn statement(bytes: &[u8], at: usize) -> Range<usize> {
    // Lines of old systems end in a carriage return alone.
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let mut end = at;
    loop {
        let begin = end;
        let rest = &bytes[begin..];
        end += rest.iter().position(is_end).unwrap_or(rest.len());
        // The lines before have no comment, or the statement would have ended there.
        let line = &bytes[begin..end];
        if !line.ends_with(b"\\") || line.contains(&b'#') || end == bytes.len() {
            return at..end;
        }
        let is_pair = bytes[end..].starts_with(b"\r\n");
        end += if is_pair { 2 } else { 1 };
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    scale: f64,
    points: Vec<Vec3>,
    faces: Vec<Face>,
    mistakes: Mistakes,
}

impl<'a> Reader<'a> {
    fn statement(&mut self, line: Range<usize>, with_faces: bool) {
        let text = &self.bytes[line.clone()];
        let comment = text.iter().position(|byte| *byte == b'#');
        let end = comment.map_or(line.end, |length| line.start + length);
        // Names and comments may be in any encoding; they are not looked at.
        let words = Words::within(self.bytes, line.start..end);
        let mut words = words.filter_map(Word::without_backslash);
        let Some(keyword) = words.next() else {
            return;
        };
        match keyword.bytes {
            b"v" => self.point(&keyword, words),
            b"f" if with_faces => self.face(&keyword, words),
            b"f" => {}
            other if OTHERS.iter().any(|known| known.as_bytes() == other) => {}
            _ => {
                let message = format!(
                    "`{}` is no statement that is read of an OBJ file",
                    keyword.shown()
                );
                let help = "points are `v x y z` and faces `f a b c`, in small letters; curves and \
                            free-form surfaces are not read";
                self.mistakes.add(keyword.place(), message, help);
            }
        }
    }

    fn point(&mut self, keyword: &Word<'_>, words: impl Iterator<Item = Word<'a>>) {
        let before = self.mistakes.first.len() + self.mistakes.more;
        let mut place = keyword.place();
        // Behind the coordinates there may be a weight or a colour.
        let mut numbers = [0.0; 7];
        let mut count = 0;
        for word in words {
            place.end = word.place().end;
            match word.text().and_then(|text| text.parse::<f64>().ok()) {
                Some(number) if count < numbers.len() => numbers[count] = number,
                Some(_) => {}
                None => {
                    let message = format!("`{}` is not a number", word.shown());
                    self.mistakes.add(word.place(), message, POINT_HELP);
                }
            }
            count += 1;
        }
        let mut point = Vec3::ZERO;
        if !(3..=numbers.len()).contains(&count) {
            let message = format!(
                "a point is `v x y z`, with three numbers and at most four more, found {count}"
            );
            self.mistakes.add(place, message, POINT_HELP);
        } else if self.mistakes.first.len() + self.mistakes.more == before {
            let [x, y, z, ..] = numbers;
            match scaled(DVec3::new(x, y, z), self.scale) {
                Ok(scaled) => point = scaled,
                Err(message) => self.mistakes.add(place, message, POINT_HELP),
            }
        }
        // What is wrong counts all the same, so that the numbers in faces stay right.
        self.points.push(point);
    }

    fn face(&mut self, keyword: &Word<'_>, words: impl Iterator<Item = Word<'a>>) {
        let mut face = Face {
            place: keyword.place(),
            corners: Vec::new(),
        };
        let mut count = 0;
        for word in words {
            face.place.end = word.place().end;
            count += 1;
            match self.corner(&word) {
                Ok(point) => face.corners.push(Corner {
                    point,
                    place: word.place(),
                }),
                Err(message) => self.mistakes.add(word.place(), message, CORNER_HELP),
            }
        }
        if count < 3 {
            let message = "a face is `f a b c`, with at least three numbers of points";
            self.mistakes.add(face.place, message, CORNER_HELP);
        } else if face.corners.len() == count {
            self.faces.push(face);
        }
    }

    /// The number of a corner's point, from 0; whether there is one is known only at the end.
    fn corner(&self, word: &Word<'_>) -> Result<usize, String> {
        let shown = word.shown();
        let wrong = || format!("`{shown}` is not the corner of a face");
        let mut parts = word.text().ok_or_else(wrong)?.split('/');
        let number: i64 = parts
            .next()
            .and_then(|part| part.parse().ok())
            .ok_or_else(wrong)?;
        let others: Vec<&str> = parts.collect();
        let is_number = |part: &&str| part.is_empty() || part.parse::<i64>().is_ok();
        if others.len() > 2 || !others.iter().all(is_number) {
            return Err(wrong());
        }
        let before = self.points.len() as i64;
        match number {
            0 => Err("points are counted from 1: there is no point 0".to_owned()),
            1.. => Ok((number - 1) as usize),
            _ if number >= -before => Ok((before + number) as usize),
            _ => Err(format!("`{shown}`: there are {before} points before this")),
        }
    }

    fn finish(mut self) -> Result<Solid, Mistakes> {
        let mut solid = Solid::default();
        let count = self.points.len();
        for face in &self.faces {
            let mut is_sound = true;
            for corner in face.corners.iter().filter(|corner| corner.point >= count) {
                let (number, place) = (corner.point as u64 + 1, corner.place.clone());
                let message = format!("there is no point {number}: the last is {count}");
                self.mistakes.add(place, message, CORNER_HELP);
                is_sound = false;
            }
            if !is_sound {
                continue;
            }
            let corners = face.corners.iter().map(|corner| corner.point);
            let corners: Vec<usize> = corners.collect();
            let places: Vec<DVec3> = corners.iter().map(|c| self.points[*c].as_dvec3()).collect();
            let Some(start) = fan_start(&places) else {
                let message = "this polygon is not convex, and no fan of triangles fills it";
                let help = "cut it into triangles, as programs for modelling do on export";
                self.mistakes.add(face.place.clone(), message, help);
                continue;
            };
            let corner = |i: usize| corners[(start + i) % corners.len()] as u32;
            for i in 1..corners.len() - 1 {
                solid.triangles.push([corner(0), corner(i), corner(i + 1)]);
                solid.triangle_places.push(face.place.clone());
            }
        }
        solid.points = self.points;
        if self.mistakes.first.is_empty() {
            Ok(solid)
        } else {
            Err(self.mistakes)
        }
    }
}

/// The first corner from which a fan of triangles fills a polygon, none of them turned over;
/// rather one whose triangles all have an area. Any will do for what has no area itself.
fn fan_start(corners: &[DVec3]) -> Option<usize> {
    let count = corners.len();
    if count == 3 {
        return Some(0);
    }
    let origin = corners[0];
    let at = |i: usize| corners[i % count] - origin;
    // Twice the area along the normal (Newell).
    let area: DVec3 = (0..count).map(|i| at(i).cross(at(i + 1))).sum();
    let scale = area.length_squared();
    if scale == 0.0 {
        return Some(0);
    }
    let least = |start: usize| {
        let triangles = (1..count - 1).map(|i| {
            let (p, q) = (at(start + i) - at(start), at(start + i + 1) - at(start));
            p.cross(q).dot(area) / scale
        });
        triangles.fold(f64::INFINITY, f64::min)
    };
    let starts = || 0..count.min(MAX_FAN_STARTS);
    let whole = starts().find(|start| least(*start) > FAN_SLACK);
    whole.or_else(|| starts().find(|start| least(*start) >= -FAN_SLACK))
}

#[cfg(test)]
mod tests {
    use super::super::tests::first_mistake;
    use super::super::{mesh, points};
    use super::*;

    /// A tetrahedron as OBJ, with things that are no points around; known by eye.
    #[test]
    fn the_points_of_an_obj_file_are_read_in_order() {
        let text = "\u{feff}v 0 0 0 # a stone\r\nmtllib x.mtl\nv 1 0 0 1.0\n  v 0 1e0 0 # up\n\
                    vn 0 0 1\nv 0 0 \\\n-1\nf 1 2 3\n";
        let expected = [Vec3::ZERO, 2.0 * Vec3::X, 2.0 * Vec3::Y, -2.0 * Vec3::Z];
        let old = text.replace("\r\n", "\n").replace('\n', "\r");
        for text in [text, &old] {
            let read = points("a/b.OBJ", text.as_bytes(), 2.0);
            assert_eq!(read, Ok(expected.to_vec()), "{text:?}");
        }
    }

    /// A square as one polygon, written in every way a corner may be written; known by eye.
    #[test]
    fn polygons_of_an_obj_file_become_fans() {
        let corners = "v 0 0 0\nv 0 0 1\nv 1 0 1\nv 1 0 0\n";
        for face in [
            "f 1 2 3 4",
            "f 1/1 2/2 3/3 4/4",
            "f 1//1 2//1 3//1 4//1",
            "f 1/1/1 2/2/1 3/3/1 4/4/1",
            "f -4 -3 -2 -1",
            "f 1 2 \\\n 3 4",
        ] {
            let text = format!("{corners}{face}\n");
            let solid = mesh("a.obj", text.as_bytes(), 1.0).expect("good");
            assert_eq!(solid.points.len(), 4);
            assert_eq!(solid.triangles, [[0, 1, 2], [0, 2, 3]]);
        }
    }

    /// An arrow head has an area of 4 by hand; a fan from its first corner would cover 12, and
    /// partly twice. Of two prongs no corner sees all others.
    #[test]
    fn polygons_with_a_dent_are_cut_from_the_dent() {
        let arrow = "v 0 0 0\nv 1 0 1\nv 4 0 0\nv 0 0 4\n";
        let arrow = format!("{arrow}f 1 4 2 3\nf 4 2 3 1\n");
        let solid = mesh("a.obj", arrow.as_bytes(), 1.0).expect("an arrow head");
        let area = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|corner| solid.points[corner as usize]);
            0.5 * (b - a).cross(c - a).length()
        };
        let area: f32 = solid.triangles[..2].iter().map(area).sum();
        assert!((area - 4.0).abs() < 1e-6, "{area}");
        let prongs = "v 0 0 0\nv 3 0 0\nv 3 3 0\nv 2 3 0\nv 2 1 0\nv 1 1 0\nv 1 3 0\nv 0 3 0\n";
        let prongs = format!("{prongs}f 1 2 3 4 5 6 7 8\n");
        let error = mesh("a.obj", prongs.as_bytes(), 1.0).expect_err("two prongs");
        let told = first_mistake(&error, prongs.as_bytes());
        assert!(told.starts_with("9:1 [f 1 2 3 4 5 6 7 8]"), "{told}");
    }

    /// What is wrong is said with its line and column; known by eye.
    #[test]
    fn mistakes_in_obj_files_have_a_place() {
        for (text, told) in [
            ("v 0 0 0\nv 1 2\n", "2:1 [v 1 2] a point is"),
            ("v 0 0 x\n", "1:7 [x] `x` is not a number"),
            ("v 0,5 0 0\n", "1:3 [0,5]"),
            ("v 0 0 nan\n", "1:1 [v 0 0 nan] a coordinate is not"),
            ("\n\nv 0 1e30 0\n", "3:1 [v 0 1e30 0] a coordinate is"),
            ("v 0 0 0 red\n", "1:9 [red]"),
            ("v 0 0 0\nV 0 0 1\n", "2:1 [V] `V` is no statement"),
            ("v 0 0 0\nf 1 1\n", "2:1 [f 1 1] a face is"),
            ("v 0 0 0\nf 1 x 1\n", "2:5 [x]"),
            ("v 0 0 0\nf 1 1.0 1\n", "2:5 [1.0]"),
            ("v 0 0 0\nf 1 1/a 1\n", "2:5 [1/a]"),
            ("v 0 0 0\nf 1 0 1\n", "2:5 [0] points are counted from 1"),
            ("v 0 0 0\nf 1 1 -2\n", "2:7 [-2] `-2`: there are 1"),
            ("f 1 2 3\nv 0 0 0\n", "1:5 [2] there is no point 2"),
            ("v 0 0 0\nf 1 1 99999999999999999999\n", "2:7"),
        ] {
            let error = mesh("a.obj", text.as_bytes(), 1.0).expect_err(text);
            let found = first_mistake(&error, text.as_bytes());
            assert!(found.starts_with(told), "{found}");
        }
    }

    /// Thirty slips: as many as are shown are kept, the others counted.
    #[test]
    fn all_mistakes_of_an_obj_file_come_at_once() {
        let text = "v 1 2\n".repeat(30);
        let error = points("a.obj", text.as_bytes(), 1.0).expect_err("slips");
        assert_eq!((error.first.len(), error.more), (20, 10));
    }
}
