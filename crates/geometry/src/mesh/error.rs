//! Why a surface cannot be built.

use std::fmt;

use crate::tolerance;

/// Why a mesh is refused. Triangles and vertices are named by their index in the input.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MeshError {
    /// There is no triangle, or none is left after the degenerate ones are left out.
    Empty,
    /// More triangles or vertices than ids exist for.
    TooMany {
        /// How many there are.
        count: usize,
    },
    /// A coordinate is NaN, infinite, or beyond [`tolerance::MAX_SIZE`].
    Coordinate {
        /// Index of the vertex.
        vertex: usize,
        /// Its offending coordinate.
        value: f32,
    },
    /// A triangle names a vertex that does not exist.
    Index {
        /// Index of the triangle.
        triangle: usize,
        /// The index it names.
        index: u32,
        /// Number of vertices.
        count: usize,
    },
    /// The corners of a triangle coincide or lie on a line.
    Degenerate {
        /// Index of the triangle.
        triangle: usize,
    },
}

impl fmt::Display for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(
                f,
                "mesh: it has no triangle with an area: give at least one"
            ),
            Self::TooMany { count } => write!(
                f,
                "mesh: {count} triangles or vertices, there may be {} at most: split the mesh",
                tolerance::MAX_MESH_TRIANGLES
            ),
            Self::Coordinate { vertex, value } => write!(
                f,
                "mesh: vertex {vertex} has the coordinate {value}, it must be finite and within \
                 +-{} m",
                tolerance::MAX_SIZE
            ),
            Self::Index {
                triangle,
                index,
                count,
            } => write!(
                f,
                "mesh: triangle {triangle} names vertex {index}, there are {count} (0 to {}): \
                 correct the index",
                count.saturating_sub(1)
            ),
            Self::Degenerate { triangle } => write!(
                f,
                "mesh: triangle {triangle} has no area, its corners coincide or lie on a line: \
                 remove it, or ask for degenerate triangles to be left out"
            ),
        }
    }
}

impl std::error::Error for MeshError {}

/// Why a height field is refused.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum HeightFieldError {
    /// Fewer than two rows or columns, or more cells than ids exist for.
    Size {
        /// Rows asked for.
        rows: usize,
        /// Columns asked for.
        columns: usize,
    },
    /// The number of heights is not rows times columns.
    Heights {
        /// How many are needed.
        wanted: usize,
        /// How many were given.
        given: usize,
    },
    /// The number of hole flags is neither zero nor that of the cells.
    Holes {
        /// How many cells there are.
        wanted: usize,
        /// How many flags were given.
        given: usize,
    },
    /// A height or cell size that is not finite or out of range.
    Number {
        /// What it is.
        field: &'static str,
        /// Index of the height, zero for sizes.
        index: usize,
        /// Its value.
        value: f32,
    },
    /// Every cell is a hole.
    Empty,
}

impl fmt::Display for HeightFieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size { rows, columns } => write!(
                f,
                "height field: {rows} rows and {columns} columns of heights, each must be at \
                 least 2 and both together at most {} triangles",
                tolerance::MAX_MESH_TRIANGLES
            ),
            Self::Heights { wanted, given } => write!(
                f,
                "height field: {given} heights given, rows times columns makes {wanted}"
            ),
            Self::Holes { wanted, given } => write!(
                f,
                "height field: {given} hole flags given, there are {wanted} cells: give one per \
                 cell or none"
            ),
            Self::Number {
                field,
                index,
                value,
            } => write!(
                f,
                "height field: {field} {index} is {value}, it must be finite and in range"
            ),
            Self::Empty => write!(f, "height field: every cell is a hole: leave one solid"),
        }
    }
}

impl std::error::Error for HeightFieldError {}
