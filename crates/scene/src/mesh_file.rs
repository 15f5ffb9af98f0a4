//! Triangles of meshes from OBJ and STL files.
//!
//! As with points of hulls, an OBJ file gives its points and faces alone, and a mistake
//! names its line.

use std::io::Cursor;

use drystone::geometry::glam::Vec3;

use crate::point_file::{PointError, points};

/// Corners and triangles of the file called `path`, which holds `bytes`; points times
/// `scale`. Polygons are cut into fans of triangles.
pub(crate) fn mesh(
    path: &str,
    bytes: &[u8],
    scale: f64,
) -> Result<(Vec<Vec3>, Vec<[u32; 3]>), PointError> {
    let points = points(path, bytes, scale)?;
    let is_obj = path.to_ascii_lowercase().ends_with(".obj");
    let triangles = if is_obj {
        obj_faces(bytes)?
    } else {
        let mesh = stl_io::read_stl(&mut Cursor::new(bytes))
            .map_err(|error| PointError::new(error.to_string()))?;
        let faces = mesh.faces.iter();
        faces
            .map(|face| face.vertices.map(|corner| corner as u32))
            .collect()
    };
    if triangles.is_empty() {
        return Err(PointError::new("there are no faces in it"));
    }
    Ok((points, triangles))
}

fn obj_faces(bytes: &[u8]) -> Result<Vec<[u32; 3]>, PointError> {
    let mut triangles = Vec::new();
    let mut points = 0_i64;
    for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let line = String::from_utf8_lossy(line);
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => points += 1,
            Some("f") => {
                // A corner is `point`, `point/texture`, `point//normal`; points count from 1,
                // or backwards from the last so far.
                let number = |word: &str| {
                    let number: i64 = word.split('/').next()?.parse().ok()?;
                    let index = if number < 0 {
                        points + number
                    } else {
                        number - 1
                    };
                    u32::try_from(index).ok()
                };
                let corners: Option<Vec<u32>> = words.map(number).collect();
                let corners = corners.filter(|corners| corners.len() >= 3);
                let Some(corners) = corners else {
                    let message = "a face is `f a b c`, with at least three numbers of points";
                    return Err(PointError::at_line(index + 1, message));
                };
                let pairs = corners[1..].windows(2);
                triangles.extend(pairs.map(|pair| [corners[0], pair[0], pair[1]]));
            }
            _ => {}
        }
    }
    Ok(triangles)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square as one polygon, written in every way a corner may be written; known by eye.
    #[test]
    fn polygons_of_an_obj_file_become_fans() {
        let corners = "v 0 0 0\nv 0 0 1\nv 1 0 1\nv 1 0 0\n";
        for face in [
            "f 1 2 3 4",
            "f 1/1 2/2 3/3 4/4",
            "f 1//1 2//1 3//1 4//1",
            "f -4 -3 -2 -1",
        ] {
            let text = format!("{corners}{face}\n");
            let (points, triangles) = mesh("a.obj", text.as_bytes(), 1.0).expect("good");
            assert_eq!(points.len(), 4);
            assert_eq!(triangles, [[0, 1, 2], [0, 2, 3]]);
        }
    }

    /// What is wrong is said, with its line.
    #[test]
    fn mistakes_in_mesh_files_are_named() {
        for (text, part) in [
            ("v 0 0 0\nf 1 1\n", "line 2: a face is"),
            ("v 0 0 0\nf 1 x 1\n", "line 2"),
            ("v 0 0 0\n", "no faces"),
        ] {
            let error = mesh("a.obj", text.as_bytes(), 1.0)
                .expect_err(text)
                .to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
