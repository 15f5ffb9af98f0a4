//! Points of hulls from OBJ and STL files.
//!
//! A hull needs nothing of an OBJ file but its points, and a mistake in one its line. No
//! reader of whole meshes says the line or keeps points that belong to no face, so the few
//! lines are read here.

use std::fmt;
use std::io::Cursor;

use drystone::geometry::glam::{DVec3, Vec3};

use crate::tolerance::MAX_LENGTH;

/// Why a file gives no points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PointError {
    /// Counted from 1, where the format has lines and the mistake one of them.
    line: Option<usize>,
    message: String,
}

impl fmt::Display for PointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl PointError {
    /// In a line counted from 1.
    pub(crate) fn at_line(line: usize, message: impl Into<String>) -> Self {
        Self {
            line: Some(line),
            message: message.into(),
        }
    }

    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            line: None,
            message: message.into(),
        }
    }
}

/// The points of the file called `path`, which holds `bytes`, in its order and times `scale`.
/// The name's ending says the format.
pub(crate) fn points(path: &str, bytes: &[u8], scale: f64) -> Result<Vec<Vec3>, PointError> {
    let ending = path.rsplit('.').next().unwrap_or_default();
    let points = match ending.to_ascii_lowercase().as_str() {
        "obj" => obj(bytes),
        "stl" => stl(bytes),
        _ => Err(PointError::new("its name ends neither in .obj nor in .stl")),
    }?;
    if points.is_empty() {
        return Err(PointError::new("there are no points in it"));
    }
    let scaled = points.iter().map(|(line, point)| {
        let point = *point * scale;
        if point.abs().max_element() <= MAX_LENGTH {
            return Ok(point.as_vec3());
        }
        Err(PointError {
            line: *line,
            message: format!("a coordinate beyond {MAX_LENGTH:e} m or not a number"),
        })
    });
    scaled.collect()
}

/// Points and, where there are lines, the line of each.
type Points = Vec<(Option<usize>, DVec3)>;

fn obj(bytes: &[u8]) -> Result<Points, PointError> {
    let mut points = Points::new();
    for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        // Names and comments may be in any encoding; they are not looked at.
        let line = String::from_utf8_lossy(line);
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace();
        if words.next() != Some("v") {
            continue;
        }
        let mut number = || words.next()?.parse::<f64>().ok();
        let (Some(x), Some(y), Some(z)) = (number(), number(), number()) else {
            return Err(PointError {
                line: Some(index + 1),
                message: "a point is `v x y z`, with three numbers".to_owned(),
            });
        };
        points.push((Some(index + 1), DVec3::new(x, y, z)));
    }
    Ok(points)
}

/// Bytes of a binary file before its triangles, and bytes of a triangle.
const STL_HEADER: usize = 84;
const STL_TRIANGLE: usize = 50;

fn stl(bytes: &[u8]) -> Result<Points, PointError> {
    if !bytes.starts_with(b"solid") {
        // The reader trusts the count and makes room for it.
        let count = bytes.get(80..STL_HEADER);
        let count = count.and_then(|count| count.try_into().ok());
        let count = count.map_or(0, u32::from_le_bytes) as usize;
        let needed = count
            .saturating_mul(STL_TRIANGLE)
            .saturating_add(STL_HEADER);
        if bytes.len() < needed.max(STL_HEADER) {
            let found = bytes.len();
            return Err(PointError::new(format!(
                "{count} triangles need {needed} bytes, but it has {found}"
            )));
        }
    }
    let mesh = stl_io::read_stl(&mut Cursor::new(bytes))
        .map_err(|error| PointError::new(error.to_string()))?;
    let point = |v: &stl_io::Vector<f32>| {
        let [x, y, z] = [v[0], v[1], v[2]].map(f64::from);
        (None, DVec3::new(x, y, z))
    };
    Ok(mesh.vertices.iter().map(point).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tetrahedron as OBJ, with things that are no points around; known by eye.
    #[test]
    fn the_points_of_an_obj_file_are_read_in_order() {
        let text = "# a stone\r\nmtllib x.mtl\nv 0 0 0\nv 1 0 0 1.0\n  v 0 1e0 0 # up\nvn 0 0 1\n\
                    v 0 0 -1\nf 1 2 3\n";
        let expected = [Vec3::ZERO, 2.0 * Vec3::X, 2.0 * Vec3::Y, -2.0 * Vec3::Z];
        assert_eq!(
            points("a/b.OBJ", text.as_bytes(), 2.0),
            Ok(expected.to_vec())
        );
    }

    /// A triangle as binary STL and as text.
    #[test]
    fn both_kinds_of_stl_are_read() {
        let expected = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let mut bytes = vec![0_u8; 80];
        bytes.extend(1_u32.to_le_bytes());
        for value in [
            0.0_f32, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0,
        ] {
            bytes.extend(value.to_le_bytes());
        }
        bytes.extend([0, 0]);
        assert_eq!(points("t.stl", &bytes, 1.0), Ok(expected.to_vec()));
        let text = "solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n\
                    vertex 0 1 0\nendloop\nendfacet\nendsolid t\n";
        assert_eq!(points("t.stl", text.as_bytes(), 1.0), Ok(expected.to_vec()));
    }

    /// What is wrong is said, with the line where there is one; a count that lies does not
    /// make room for four thousand million triangles.
    #[test]
    fn mistakes_in_point_files_are_named() {
        let mut liar = vec![0_u8; 80];
        liar.extend(u32::MAX.to_le_bytes());
        for (path, bytes, part) in [
            (
                "a.obj",
                b"v 0 0 0\nv 1 2\n".as_slice(),
                "line 2: a point is",
            ),
            ("a.obj", b"v 0 0 x\n", "line 1"),
            ("a.obj", b"v 0 0 nan\n", "line 1: a coordinate"),
            ("a.obj", b"\n\nv 0 1e30 0\n", "line 3: a coordinate"),
            ("a.obj", b"# nothing\n", "no points"),
            ("a.ply", b"", "neither in .obj nor in .stl"),
            ("a.stl", b"", "bytes"),
            ("a.stl", b"solid x\nfacet", ""),
            ("a.stl", &liar, "4294967295 triangles need"),
        ] {
            let error = points(path, bytes, 1.0).expect_err(path).to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
