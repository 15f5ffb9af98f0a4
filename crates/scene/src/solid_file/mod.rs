//! Points and triangles from OBJ and STL files.
//!
//! No reader of whole meshes says where a mistake stands, keeps points that belong to no face, or
//! goes on after the first mistake, so the few statements are read here. A mistake keeps its
//! bytes, from which line, column and caret follow.

mod obj;
mod stl;
mod words;

use std::ops::Range;

use drystone::geometry::glam::{DVec3, Vec3};

use crate::tolerance::{MAX_LENGTH, MAX_SHOWN_ERRORS};

/// A mistake in a file of points and faces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mistake {
    /// Its bytes, where the file is text and they say where it is.
    pub(crate) place: Option<Range<usize>>,
    /// What is wrong.
    pub(crate) message: String,
    /// How to put it right.
    pub(crate) help: &'static str,
}

/// The mistakes of a file; the first ones are kept, the others counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mistakes {
    pub(crate) first: Vec<Mistake>,
    pub(crate) more: usize,
}

impl Mistakes {
    fn add(&mut self, place: Range<usize>, message: impl Into<String>, help: &'static str) {
        self.push(Some(place), message.into(), help);
    }

    /// A mistake of the file as a whole.
    fn of_file(message: impl Into<String>, help: &'static str) -> Self {
        let mut mistakes = Self::default();
        mistakes.push(None, message.into(), help);
        mistakes
    }

    fn push(&mut self, place: Option<Range<usize>>, message: String, help: &'static str) {
        if self.first.len() < MAX_SHOWN_ERRORS {
            self.first.push(Mistake {
                place,
                message,
                help,
            });
        } else {
            self.more += 1;
        }
    }
}

/// What a file holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Solid {
    /// In its order and times the scale, in metres.
    pub(crate) points: Vec<Vec3>,
    /// Three points each, counter-clockwise seen from outside.
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Where each triangle stands; nothing of a binary file.
    triangle_places: Vec<Range<usize>>,
}

impl Solid {
    /// Where a triangle stands in a file of text.
    pub(crate) fn place_of(&self, triangle: usize) -> Option<Range<usize>> {
        self.triangle_places.get(triangle).cloned()
    }
}

/// The points of the file called `path`, which holds `bytes`, times `scale`. The name's ending says
/// the format. Faces of an OBJ file are not looked at.
pub(crate) fn points(path: &str, bytes: &[u8], scale: f64) -> Result<Vec<Vec3>, Mistakes> {
    let solid = read(path, bytes, scale, false)?;
    if solid.points.is_empty() {
        let help = "give it points: `v x y z` in an OBJ file, triangles in an STL file";
        return Err(Mistakes::of_file("there are no points in it", help));
    }
    Ok(solid.points)
}

/// Points and triangles of the file called `path`, as [`points`] has them. Polygons are cut into
/// fans of triangles.
pub(crate) fn mesh(path: &str, bytes: &[u8], scale: f64) -> Result<Solid, Mistakes> {
    let solid = read(path, bytes, scale, true)?;
    if solid.triangles.is_empty() {
        let help = "give it faces: `f a b c` in an OBJ file, triangles in an STL file";
        return Err(Mistakes::of_file("there are no faces in it", help));
    }
    Ok(solid)
}

fn read(path: &str, bytes: &[u8], scale: f64, with_faces: bool) -> Result<Solid, Mistakes> {
    let ending = path.rsplit('.').next().unwrap_or_default();
    match ending.to_ascii_lowercase().as_str() {
        "obj" => obj::read(bytes, scale, with_faces),
        "stl" => stl::read(bytes, scale),
        _ => Err(Mistakes::of_file(
            "its name ends neither in .obj nor in .stl",
            "other formats are not read: export it as one of these",
        )),
    }
}

/// A point times `scale`, or what is wrong with it.
fn scaled(point: DVec3, scale: f64) -> Result<Vec3, String> {
    let scaled = point * scale;
    if !point.is_finite() {
        return Err("a coordinate is not a finite number".to_owned());
    }
    if scaled.abs().max_element() <= MAX_LENGTH {
        return Ok(scaled.as_vec3());
    }
    let times = if scale == 1.0 {
        String::new()
    } else {
        format!(" times the scale {scale}")
    };
    Err(format!("a coordinate{times} is beyond {MAX_LENGTH:e} m"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first mistake: its place as line and column by hand, and what is said.
    pub(super) fn first_mistake(error: &Mistakes, bytes: &[u8]) -> String {
        let mistake = &error.first[0];
        let place = match &mistake.place {
            None => String::new(),
            Some(place) => {
                let before = String::from_utf8_lossy(&bytes[..place.start]).into_owned();
                let line = before.matches('\n').count() + 1;
                let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
                let marked = String::from_utf8_lossy(&bytes[place.clone()]);
                format!("{line}:{column} [{marked}] ")
            }
        };
        format!("{place}{}", mistake.message)
    }

    /// What is no file of points at all is said without a place.
    #[test]
    fn files_of_other_kinds_are_refused() {
        for (path, bytes, part) in [
            ("a.ply", b"ply".as_slice(), "neither in .obj nor in .stl"),
            ("a.obj", b"# nothing\n", "no points"),
            ("a.obj", b"", "no points"),
            ("a.stl", b"", "it is empty"),
            ("a.stl", b"solid x\nendsolid x\n", "no points"),
        ] {
            let error = points(path, bytes, 1.0).expect_err(path);
            let told = first_mistake(&error, bytes);
            assert!(told.contains(part), "{told}");
        }
        let error = mesh("a.obj", b"v 0 0 0\n", 1.0).expect_err("no faces");
        assert_eq!(first_mistake(&error, b""), "there are no faces in it");
    }
}
