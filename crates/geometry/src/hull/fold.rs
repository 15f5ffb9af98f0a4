//! The triangles of faces whose corners lie in one plane only up to the rounding of their
//! coordinates, and which of them is under a point.
//!
//! No corner lies inside a face, so across its inner sides the triangles are linked to a tree. A
//! chord that cuts it into nearly equal parts, with such chords of the parts below it, and so on,
//! finds a triangle in logarithmic time.

use glam::{DVec3, Vec3};

use super::Face;
use super::surface::{NONE, Surface};
use crate::tolerance;

/// Set in the child of a chord that is a triangle.
const LEAF: u32 = 1 << 31;

/// The folded faces of a hull. In memory 40 bytes for each triangle of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Folds {
    /// `triangles[starts[f]..starts[f + 1]]` make up face `f`, none if it is flat; empty where all
    /// faces are.
    starts: Vec<u32>,
    triangles: Vec<FoldTriangle>,
    /// Those of a face begin where its triangles do and are one less, the first the topmost.
    chords: Vec<Chord>,
}

/// A triangle of a folded face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoldTriangle {
    /// Counter-clockwise seen from outside.
    pub vertices: [u32; 3],
    /// Number, in the face, of the triangle across the side that leaves each corner, or
    /// [`FoldTriangle::BORDER`].
    pub across: [u32; 3],
}

impl FoldTriangle {
    /// In place of a triangle: the side belongs to the border of the face.
    pub const BORDER: u32 = NONE;
}

/// A side between two triangles, and what lies to the left and to the right of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Chord {
    ends: [u32; 2],
    /// A chord of the same face, or a triangle with [`LEAF`].
    children: [u32; 2],
}

/// A face of a hull that consists of triangles in slightly different planes.
#[derive(Clone, Copy, Debug)]
pub struct Fold<'a> {
    triangles: &'a [FoldTriangle],
    chords: &'a [Chord],
    vertices: &'a [Vec3],
    normal: DVec3,
}

impl Folds {
    /// Those of a surface of this reach, in metres, whose sides have these twins.
    pub(super) fn new(surface: &Surface, twins: &[usize], faces: &[Face], reach: f64) -> Self {
        let mut first = vec![0; faces.len() + 1];
        for &face in &surface.face_of {
            first[face as usize + 1] += 1;
        }
        for face in 0..faces.len() {
            first[face + 1] += first[face];
        }
        let mut order: Vec<u32> = (0..surface.face_of.len() as u32).collect();
        order.sort_unstable_by_key(|&t| (surface.face_of[t as usize], t));
        let mut folds = Self::default();
        let mut number = vec![NONE; surface.face_of.len()];
        let mut starts = vec![0];
        for (face, plane) in faces.iter().enumerate() {
            let own = &order[first[face] as usize..first[face + 1] as usize];
            let depth = |v: u32| plane.offset - plane.normal.dot(surface.position(v));
            let is_folded = own.iter().any(|&t| {
                let corners = surface.triangles[t as usize];
                corners
                    .into_iter()
                    .any(|v| depth(v) > tolerance::PLANAR * reach)
            });
            if own.len() > 1 && is_folded {
                folds.note(surface, twins, own, &mut number);
            }
            starts.push(folds.triangles.len() as u32);
        }
        if !folds.triangles.is_empty() {
            folds.starts = starts;
        }
        folds
    }

    /// Appends a face of these triangles, unless they do not hang together as those of faces do.
    fn note(&mut self, surface: &Surface, twins: &[usize], own: &[u32], number: &mut [u32]) {
        for (index, &t) in own.iter().enumerate() {
            number[t as usize] = index as u32;
        }
        let face = surface.face_of[own[0] as usize];
        let triangles: Vec<FoldTriangle> = own
            .iter()
            .map(|&t| FoldTriangle {
                vertices: surface.triangles[t as usize],
                across: [0, 1, 2].map(|side| {
                    let other = twins[3 * t as usize + side] / 3;
                    if surface.face_of[other] == face {
                        number[other]
                    } else {
                        FoldTriangle::BORDER
                    }
                }),
            })
            .collect();
        if let Some(chords) = Cutting::new(&triangles).run() {
            self.triangles.extend(triangles);
            self.chords.extend(chords);
            self.chords.push(Chord::default());
        }
    }

    /// The fold of a face; nothing if it is flat.
    #[inline]
    pub(super) fn of<'a>(
        &'a self,
        face: u32,
        normal: DVec3,
        vertices: &'a [Vec3],
    ) -> Option<Fold<'a>> {
        let &[start, end] = self.starts.get(face as usize..face as usize + 2)? else {
            return None;
        };
        let own = start as usize..end as usize;
        (start < end).then(|| Fold {
            triangles: &self.triangles[own.clone()],
            chords: &self.chords[own],
            vertices,
            normal,
        })
    }
}

impl<'a> Fold<'a> {
    /// The triangles of the face, in the order of their numbers.
    #[inline]
    pub fn triangles(&self) -> &'a [FoldTriangle] {
        self.triangles
    }

    /// A triangle of the face, by its number.
    #[inline]
    pub fn triangle(&self, number: u32) -> &'a FoldTriangle {
        &self.triangles[number as usize]
    }

    /// The number of the triangle under a point, in the hull's frame, seen along the normal of
    /// the face; of one at the border if there is none. Logarithmic.
    pub fn under(&self, point: DVec3) -> u32 {
        let mut child = 0;
        while child & LEAF == 0 {
            let chord = &self.chords[child as usize];
            let [from, to] = chord.ends.map(|v| self.vertices[v as usize].as_dvec3());
            let is_left = (to - from).cross(point - from).dot(self.normal) >= 0.0;
            child = chord.children[usize::from(!is_left)];
        }
        child & !LEAF
    }
}

/// The cutting of a face's triangles into parts by chords.
struct Cutting<'a> {
    triangles: &'a [FoldTriangle],
    chords: Vec<Chord>,
    /// The part that each triangle is in, for now.
    part: Vec<u32>,
    parts: u32,
    /// From which triangle each one of a part was come to, as its place in the order.
    parent: Vec<u32>,
}

impl<'a> Cutting<'a> {
    fn new(triangles: &'a [FoldTriangle]) -> Self {
        Self {
            triangles,
            chords: Vec::with_capacity(triangles.len()),
            part: vec![0; triangles.len()],
            parts: 1,
            parent: Vec::new(),
        }
    }

    /// The chords, the topmost first. Nothing unless the triangles are linked to one tree.
    fn run(mut self) -> Option<Vec<Chord>> {
        let sides = self.triangles.iter().flat_map(|t| t.across);
        let links = sides.filter(|&other| other != FoldTriangle::BORDER).count() / 2;
        if links + 1 != self.triangles.len() || self.from(0).len() != self.triangles.len() {
            return None;
        }
        // A part still to be cut, and the child that has to name what becomes of it.
        let mut open = vec![(0, None)];
        while let Some((start, above)) = open.pop() {
            let order = self.from(start);
            let name = if order.len() == 1 {
                LEAF | start
            } else {
                let (inner, outer) = self.cut(&order);
                let chord = self.chords.len() as u32 - 1;
                open.push((inner, Some((chord, 0))));
                open.push((outer, Some((chord, 1))));
                chord
            };
            if let Some((chord, side)) = above {
                let chord: &mut Chord = &mut self.chords[chord as usize];
                chord.children[side as usize] = name;
            }
        }
        Some(self.chords)
    }

    /// The triangles of the part of `start`, each after the one it was come to from.
    fn from(&mut self, start: u32) -> Vec<u32> {
        let part = self.part[start as usize];
        let mut order = vec![start];
        self.parent.clear();
        self.parent.push(NONE);
        let mut next = 0;
        while next < order.len() {
            let here = order[next];
            let before = self.parent[next];
            let before = if before == NONE {
                NONE
            } else {
                order[before as usize]
            };
            for other in self.triangles[here as usize].across {
                let is_new = other != FoldTriangle::BORDER && other != before;
                if is_new && self.part[other as usize] == part {
                    order.push(other);
                    self.parent.push(next as u32);
                }
            }
            // Triangles that are linked in a ring would come again and again.
            if order.len() > self.triangles.len() {
                return Vec::new();
            }
            next += 1;
        }
        order
    }

    /// Cuts a part at the chord that leaves its halves most alike, and gives a triangle of the
    /// half to the left of it and one of the other.
    fn cut(&mut self, order: &[u32]) -> (u32, u32) {
        let mut size = vec![1u32; order.len()];
        for place in (1..order.len()).rev() {
            size[self.parent[place] as usize] += size[place];
        }
        let total = order.len() as u32;
        let place = (1..order.len())
            .min_by_key(|&place| (2 * size[place]).abs_diff(total))
            .unwrap_or(1);
        let (inner, outer) = (order[place], order[self.parent[place] as usize]);
        let triangle = &self.triangles[inner as usize];
        let side = (0..3)
            .find(|&side| triangle.across[side] == outer)
            .unwrap_or(0);
        self.chords.push(Chord {
            ends: [triangle.vertices[side], triangle.vertices[(side + 1) % 3]],
            children: [0; 2],
        });
        let fresh = self.parts;
        self.parts += 1;
        self.part[inner as usize] = fresh;
        for later in place + 1..order.len() {
            let parent = order[self.parent[later] as usize];
            if self.part[parent as usize] == fresh {
                self.part[order[later] as usize] = fresh;
            }
        }
        (inner, outer)
    }
}
