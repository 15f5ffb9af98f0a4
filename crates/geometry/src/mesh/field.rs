//! Height fields: a grid of heights, two triangles to a cell.

use glam::{Vec2, Vec3};
use serde::{Deserialize, Serialize};

use super::build::{bend, near_sharp};
use super::{EdgeKind, HeightFieldError, Surface, Triangle};
use crate::Aabb;
use crate::tolerance::{MAX_MESH_TRIANGLES, MAX_SIZE, MIN_SIZE};

/// A surface over the x-z plane, seen from above, for static and kinematic bodies.
///
/// The height at row `r` and column `c` stands at `origin + (c cell.x, h, r cell.y)`. The
/// cell between rows `r`, `r + 1` and columns `c`, `c + 1` has number
/// `r (columns - 1) + c` and the triangles `2 cell` (over its corner with the larger row) and
/// `2 cell + 1`. Triangles are made when they are looked at; stored are 4 bytes a height, 8 a
/// cell for how the edges bend, and one for holes if there are any.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct HeightField {
    heights: Vec<f32>,
    rows: u32,
    columns: u32,
    cell: Vec2,
    origin: Vec3,
    /// One flag per cell, or none at all.
    holes: Vec<bool>,
    kinds: Vec<[EdgeKind; 3]>,
    /// Whether a corner of the triangle is on an edge that stands out.
    near_sharp: Vec<bool>,
    bounds: Aabb,
}

/// What a saved height field consists of.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename = "HeightField")]
struct Stored {
    heights: Vec<f32>,
    rows: usize,
    columns: usize,
    cell: Vec2,
    origin: Vec3,
    holes: Vec<bool>,
}

impl TryFrom<Stored> for HeightField {
    type Error = HeightFieldError;

    fn try_from(stored: Stored) -> Result<Self, HeightFieldError> {
        let size = (stored.rows, stored.columns);
        Self::new(size, stored.heights, stored.cell, stored.origin)?.with_holes(stored.holes)
    }
}

impl From<HeightField> for Stored {
    fn from(field: HeightField) -> Self {
        Self {
            rows: field.rows as usize,
            columns: field.columns as usize,
            heights: field.heights,
            cell: field.cell,
            origin: field.origin,
            holes: field.holes,
        }
    }
}

impl HeightField {
    /// A field of `rows` times `columns` heights in metres, row after row. `cell` is the
    /// spacing of columns (along x) and rows (along z), `origin` where row and column 0
    /// stand at height 0, both in metres.
    ///
    /// # Errors
    ///
    /// Names the number that is wrong.
    pub fn new(
        (rows, columns): (usize, usize),
        heights: Vec<f32>,
        cell: Vec2,
        origin: Vec3,
    ) -> Result<Self, HeightFieldError> {
        let cells = rows
            .saturating_sub(1)
            .checked_mul(columns.saturating_sub(1));
        if !cells.is_some_and(|cells| cells > 0 && cells <= MAX_MESH_TRIANGLES / 2) {
            return Err(HeightFieldError::Size { rows, columns });
        }
        if heights.len() != rows * columns {
            return Err(HeightFieldError::Heights {
                wanted: rows * columns,
                given: heights.len(),
            });
        }
        let reach = Vec2::new(columns as f32, rows as f32) * cell;
        let bad_size = |size: f32| !(MIN_SIZE..=MAX_SIZE).contains(&size);
        let number = |field, index, value| HeightFieldError::Number {
            field,
            index,
            value,
        };
        if let Some(value) = cell.to_array().into_iter().find(|&size| bad_size(size)) {
            return Err(number("cell size", 0, value));
        }
        if let Some(value) = reach.to_array().into_iter().find(|&size| bad_size(size)) {
            return Err(number("width", 0, value));
        }
        let bad = |value: &f32| !value.is_finite() || value.abs() > MAX_SIZE;
        if let Some(value) = origin.to_array().into_iter().find(bad) {
            return Err(number("origin", 0, value));
        }
        if let Some(index) = heights.iter().position(|h| bad(&(h + origin.y))) {
            return Err(number("height", index, heights[index]));
        }
        let mut field = Self {
            heights,
            rows: rows as u32,
            columns: columns as u32,
            cell,
            origin,
            holes: Vec::new(),
            kinds: Vec::new(),
            near_sharp: Vec::new(),
            bounds: Aabb::INFINITE,
        };
        field.finish();
        Ok(field)
    }

    /// The same with cells left open where `holes` is true; one flag per cell, or none.
    ///
    /// # Errors
    ///
    /// When the number of flags is wrong, or no cell is left.
    pub fn with_holes(mut self, holes: Vec<bool>) -> Result<Self, HeightFieldError> {
        let wanted = self.kinds.len() / 2;
        if !holes.is_empty() && holes.len() != wanted {
            return Err(HeightFieldError::Holes {
                wanted,
                given: holes.len(),
            });
        }
        if !holes.is_empty() && holes.iter().all(|&hole| hole) {
            return Err(HeightFieldError::Empty);
        }
        self.holes = holes;
        self.finish();
        Ok(self)
    }

    /// What follows from heights and holes.
    fn finish(&mut self) {
        let low = self.heights.iter().copied().fold(f32::INFINITY, f32::min);
        let high = self
            .heights
            .iter()
            .copied()
            .fold(f32::NEG_INFINITY, f32::max);
        let last = self.vertex((self.rows - 1) * self.columns + self.columns - 1);
        self.bounds = Aabb {
            min: Vec3::new(self.origin.x, self.origin.y + low, self.origin.z),
            max: Vec3::new(last.x, self.origin.y + high, last.z),
        };
        let whole = |t: u32| Triangle::new(self.corners(t).map(|corner| corner.as_dvec3()));
        let count = 2 * (self.rows - 1) * (self.columns - 1);
        self.kinds = (0..count)
            .map(|t| {
                let triangle = whole(t);
                [0, 1, 2].map(|side| match self.beyond(t, side) {
                    Some(other) => bend(&triangle, side, &whole(other / 3)),
                    None => EdgeKind::Boundary,
                })
            })
            .collect();
        let corners: Vec<[u32; 3]> = (0..count).map(|t| self.corner_ids(t)).collect();
        self.near_sharp = near_sharp(&corners, &self.kinds, self.heights.len());
    }

    /// Whether a corner of a triangle is on an edge that is sharp, seen from above, or where
    /// the surface ends.
    #[inline]
    pub fn is_near_sharp(&self, triangle: u32) -> bool {
        self.near_sharp[triangle as usize]
    }

    /// Number of rows of heights (along z).
    pub fn rows(&self) -> usize {
        self.rows as usize
    }

    /// Number of columns of heights (along x).
    pub fn columns(&self) -> usize {
        self.columns as usize
    }

    /// Spacing of columns and rows, in metres.
    pub fn cell(&self) -> Vec2 {
        self.cell
    }

    /// Where row and column 0 stand at height 0.
    pub fn origin(&self) -> Vec3 {
        self.origin
    }

    /// The heights, row after row, in metres over the origin.
    pub fn heights(&self) -> &[f32] {
        &self.heights
    }

    /// One flag per cell, or none at all.
    pub fn holes(&self) -> &[bool] {
        &self.holes
    }

    /// The box around all heights.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Memory in bytes, without the size of the struct itself.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.heights[..])
            + size_of_val(&self.kinds[..])
            + self.near_sharp.len()
            + self.holes.len()
    }

    /// Number of triangle ids, those of holes included.
    pub fn triangle_count(&self) -> usize {
        self.kinds.len()
    }

    /// Whether a triangle belongs to a cell that is left open.
    #[inline]
    pub fn is_hole(&self, triangle: u32) -> bool {
        (self.holes.get(triangle as usize / 2)).is_some_and(|&hole| hole)
    }

    /// Where the height with this index stands.
    #[inline]
    pub fn vertex(&self, vertex: u32) -> Vec3 {
        let (row, column) = (vertex / self.columns, vertex % self.columns);
        let along = Vec2::new(column as f32, row as f32) * self.cell;
        self.origin + Vec3::new(along.x, self.heights[vertex as usize], along.y)
    }

    /// Indices of the heights at the corners of a triangle.
    #[inline]
    pub fn corner_ids(&self, triangle: u32) -> [u32; 3] {
        let (cell, across) = (triangle / 2, self.columns - 1);
        let at = cell / across * self.columns + cell % across;
        if triangle.is_multiple_of(2) {
            [at, at + self.columns, at + self.columns + 1]
        } else {
            [at + self.columns + 1, at + 1, at]
        }
    }

    /// Corner positions of a triangle.
    #[inline]
    pub fn corners(&self, triangle: u32) -> [Vec3; 3] {
        let [a, b, c] = self.corner_ids(triangle);
        [self.vertex(a), self.vertex(b), self.vertex(c)]
    }

    /// How the surface bends at the sides of a triangle.
    #[inline]
    pub fn kinds(&self, triangle: u32) -> [EdgeKind; 3] {
        self.kinds[triangle as usize]
    }

    /// The side beyond a side, as `3 * triangle + side`.
    #[inline]
    pub fn beyond(&self, triangle: u32, side: usize) -> Option<u32> {
        let (cell, across) = (triangle / 2, self.columns - 1);
        let (row, column) = (cell / across, cell % across);
        let lower = triangle.is_multiple_of(2);
        let other = match (lower, side) {
            (true, 2) => 3 * (triangle + 1) + 2,
            (false, 2) => 3 * (triangle - 1) + 2,
            (true, 0) if column > 0 => 3 * (2 * (cell - 1) + 1),
            (true, 1) if row + 2 < self.rows => 3 * (2 * (cell + across) + 1) + 1,
            (false, 0) if column + 1 < across => 3 * (2 * (cell + 1)),
            (false, 1) if row > 0 => 3 * (2 * (cell - across)) + 1,
            _ => return None,
        };
        (!self.is_hole(other / 3)).then_some(other)
    }

    /// The cells whose ground lies under a box: rows and columns from first to last.
    pub(super) fn cells_under(&self, around: &Aabb) -> Option<[std::ops::RangeInclusive<u32>; 2]> {
        let span = |low: f32, high: f32, start: f32, size: f32, count: u32| {
            // One cell more on either side than rounding could ask for.
            let from = ((low - start) / size).floor() - 1.0;
            let to = ((high - start) / size).floor() + 1.0;
            (to >= 0.0 && from < count as f32)
                .then(|| from.max(0.0) as u32..=(to.min(count as f32 - 1.0)) as u32)
        };
        let (min, max, cell) = (around.min, around.max, self.cell);
        let columns = span(min.x, max.x, self.origin.x, cell.x, self.columns - 1)?;
        let rows = span(min.z, max.z, self.origin.z, cell.y, self.rows - 1)?;
        Some([rows, columns])
    }

    /// The field as a surface, on which the queries are.
    pub fn surface(&self) -> Surface<'_> {
        Surface::HeightField(self)
    }
}
