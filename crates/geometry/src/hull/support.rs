//! Support queries: the corner farthest along a direction.
//!
//! Big hulls climb from corner to corner. The climb runs on the edges of the exact
//! triangulation, not on the edges of merged faces: there a corner without a better
//! neighbour is the best of all, while on merged faces rounding can stop it early.

use glam::{DVec3, Vec3};

use super::around::Around;
use super::surface::{Surface, Topology};

/// Largest number of corners that are scanned: 24 ns for 16 and 40 ns for 32, where a climb
/// takes 25 ns from 17 corners to thousands.
const SCAN_COUNT: usize = 16;

/// Largest number of corners that are scanned for a bounding box, which needs six supports
/// at once: 3 ns a corner against 280 ns for six climbs.
pub(super) const BOUNDS_SCAN_COUNT: usize = 90;

/// Rounds of a climb after which it looks across wide faces instead of following their border.
const PATIENCE: u32 = 3;

/// Surroundings of the corners, and the start map.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Climb {
    pub(super) around: Around,
    /// For each cell of a cube around the origin, the best corner along the cell's centre.
    /// Empty for hulls that are scanned.
    map: Vec<u32>,
    /// Cells along an edge of the cube.
    cells: u32,
}

impl Climb {
    pub(super) fn new(surface: &Surface, twins: &[usize], topology: &Topology) -> Self {
        let mut around = Around::new(surface, twins, &topology.half_edge_of);
        let half_edges = &topology.half_edges;
        let mut corners = Vec::new();
        for (face, &(first, count)) in topology.loops.iter().enumerate() {
            corners.clear();
            let mut half_edge = first;
            for _ in 0..count {
                corners.push((half_edge, half_edges[half_edge as usize].origin));
                half_edge = half_edges[half_edge as usize].next;
            }
            around.note_face(face as u32, &corners, &surface.vertices);
        }
        around.finish();
        let mut climb = Self {
            around,
            map: Vec::new(),
            cells: 0,
        };
        if surface.vertices.len() > SCAN_COUNT {
            climb.build_map(&surface.vertices);
        }
        climb
    }

    /// About one cell per corner, each answered by a climb from the cell before.
    fn build_map(&mut self, vertices: &[Vec3]) {
        let cells = ((vertices.len() as f64 / 6.0).sqrt().ceil() as u32).max(1);
        let mut map = Vec::with_capacity(6 * (cells * cells) as usize);
        let mut current = 0;
        for face in 0..6 {
            for row in 0..cells {
                let first = map.len();
                // Every other row runs backwards, so that the next cell is a neighbour.
                for step in 0..cells {
                    let column = if row.is_multiple_of(2) {
                        step
                    } else {
                        cells - 1 - step
                    };
                    let direction = cell_center(face, row, column, cells);
                    current = self.support_from(vertices, direction, current);
                    map.push(current);
                }
                if row % 2 == 1 {
                    map[first..].reverse();
                }
            }
        }
        self.map = map;
        self.cells = cells;
    }

    pub(super) fn support(&self, vertices: &[Vec3], direction: DVec3) -> u32 {
        if self.map.is_empty() {
            scan(vertices, direction)
        } else {
            let start = self.map[cell_of(direction, self.cells)];
            self.support_from(vertices, direction, start)
        }
    }

    pub(super) fn support_from(&self, vertices: &[Vec3], direction: DVec3, start: u32) -> u32 {
        if vertices.len() <= SCAN_COUNT {
            return scan(vertices, direction);
        }
        let mut best = start;
        let mut best_reach = vertices[start as usize].as_dvec3().dot(direction);
        // Every round reaches strictly further, so no corner comes twice.
        let mut patience = PATIENCE;
        loop {
            let current = best;
            let (spokes, special) = self.around.spokes_of(current);
            patience = patience.saturating_sub(1);
            if special && (patience == 0 || Around::is_hub(spokes)) {
                patience = PATIENCE;
                (best, best_reach) = self.leap(vertices, direction, current);
            } else {
                for spoke in spokes {
                    let reach = spoke.position.as_dvec3().dot(direction);
                    if reach > best_reach {
                        (best, best_reach) = (spoke.vertex, reach);
                    }
                }
            }
            if best == current {
                return best;
            }
        }
    }

    /// The best corner of the wide faces at `vertex` and of its steepest spoke, or itself.
    #[inline(never)]
    fn leap(&self, vertices: &[Vec3], direction: DVec3, vertex: u32) -> (u32, f64) {
        let reach = |v: u32| vertices[v as usize].as_dvec3().dot(direction);
        let start = vertices[vertex as usize].as_dvec3();
        let mut best = (vertex, reach(vertex));
        for found in self.around.farthest_of_faces(vertex, direction) {
            if found.1 > best.1 {
                best = found;
            }
        }
        let (spokes, _) = self.around.spokes_of(vertex);
        let hub = Around::is_hub(spokes)
            .then(|| self.around.steepest_of_many(vertex, start, direction).1);
        for spoke in hub.map_or(spokes, std::slice::from_ref) {
            if reach(spoke.vertex) > best.1 {
                best = (spoke.vertex, reach(spoke.vertex));
            }
        }
        best
    }
}

fn scan(vertices: &[Vec3], direction: DVec3) -> u32 {
    let mut best = 0;
    let mut best_reach = f64::NEG_INFINITY;
    for (index, vertex) in vertices.iter().enumerate() {
        let reach = vertex.as_dvec3().dot(direction);
        if reach > best_reach {
            best = index as u32;
            best_reach = reach;
        }
    }
    best
}

/// Direction of a cell's centre. Faces 2a and 2a + 1 look along minus and plus axis `a`.
fn cell_center(face: u32, row: u32, column: u32, cells: u32) -> DVec3 {
    let middle = |i: u32| (2.0 * f64::from(i) + 1.0) / f64::from(cells) - 1.0;
    let axis = (face / 2) as usize;
    let mut direction = DVec3::ZERO;
    direction[axis] = if face.is_multiple_of(2) { -1.0 } else { 1.0 };
    direction[(axis + 1) % 3] = middle(column);
    direction[(axis + 2) % 3] = middle(row);
    direction
}

/// The cell a direction falls in; some cell for zero and NaN.
fn cell_of(direction: DVec3, cells: u32) -> usize {
    let size = direction.abs();
    let axis = if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    let face = 2 * axis + usize::from(direction[axis] > 0.0);
    let index = |along: f64| {
        let position = (along / size[axis] + 1.0) * 0.5 * f64::from(cells);
        (position as u32).min(cells - 1) as usize
    };
    let cells = cells as usize;
    (face * cells + index(direction[(axis + 2) % 3])) * cells + index(direction[(axis + 1) % 3])
}
