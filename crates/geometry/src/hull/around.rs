//! What lies around a corner and around a wide face, stored side by side.
//!
//! Every corner has its ring of [`Spoke`]s: the neighbours on the exact surface with their
//! positions, in one piece of memory. A corner where very many edges meet (the tip of a
//! cone) and a face of very many corners (the cap of a cylinder) are searched in
//! logarithmic time: a linear function on a convex polygon rises once and falls once, and
//! so does a direction's slope along the edges of a convex cone, measured in a plane
//! across the cone.

use glam::{DVec3, Vec3};
use serde::{Deserialize, Serialize};

use super::circle::{Compass, cyclic_climb, turn};
use super::ellipse::Ellipse;
use super::quickhull::height_sign;
use super::surface::{NONE, Surface, following};
use super::{Face, HalfEdge};

/// Number of neighbours, or of a face's corners, from which a search beats a scan.
const SCAN_COUNT: usize = 32;

/// Set in `starts` where a climb must look at more than the spokes.
const SPECIAL: u32 = 1 << 31;

/// An edge that leaves a corner, on the exact surface of a hull.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spoke {
    /// Where the edge arrives, in the hull's frame and metres.
    pub position: Vec3,
    /// The corner where it arrives.
    pub vertex: u32,
    /// The half-edge, or [`Spoke::INNER`] for an edge inside a face.
    pub half_edge: u32,
}

impl Spoke {
    /// In place of a half-edge: the edge crosses a face whose corners lie in one plane only
    /// up to the rounding of their coordinates.
    pub const INNER: u32 = NONE;

    /// How steeply the edge from a corner at `start` rises along `direction` while it goes on by
    /// one along `axis`.
    fn slope(&self, start: DVec3, direction: DVec3, axis: DVec3) -> f64 {
        let along = self.position.as_dvec3() - start;
        along.dot(direction) / along.dot(axis)
    }
}

/// A corner of many spokes.
#[derive(Clone, Debug, PartialEq)]
struct Hub {
    vertex: u32,
    /// All spokes point along this rather than against it.
    axis: DVec3,
    /// Knows where the spokes meet a plane square to the axis.
    compass: Compass,
    /// All faces look along this rather than against it.
    outward: DVec3,
}

/// A face of many corners: its half-edges are `loops[start..start + count]`.
#[derive(Clone, Debug, PartialEq)]
struct WideFace {
    face: u32,
    start: u32,
    count: u32,
    /// Knows the corners.
    compass: Compass,
}

impl WideFace {
    fn range(&self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.count) as usize
    }
}

/// The border of a face of very many corners, counter-clockwise.
#[derive(Clone, Copy, Debug)]
pub struct Border<'a> {
    /// The face.
    pub face: u32,
    /// Its half-edges.
    pub half_edges: &'a [u32],
    /// The corners that these leave, and where they are, in the hull's frame and metres.
    pub corners: &'a [(u32, Vec3)],
}

/// Number of corners of a face from which its outline is kept.
const OUTLINED: u32 = 9;

/// Number of corners of an outline.
pub(super) const OUTLINE: usize = 32;

/// Half-edges of a face, one for each of [`OUTLINE`] directions, and the ellipse inside.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Outline {
    face: u32,
    half_edges: [u32; OUTLINE],
    ellipse: Ellipse,
}

/// The surroundings of all corners and wide faces.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Around {
    /// `spokes[starts[v]..starts[v + 1]]` belong to corner `v`; see [`SPECIAL`].
    starts: Vec<u32>,
    spokes: Vec<Spoke>,
    /// In the order of their corners.
    hubs: Vec<Hub>,
    /// In the order of their faces.
    wide_faces: Vec<WideFace>,
    loops: Vec<u32>,
    /// The corners that the half-edges in `loops` leave, and where they are.
    corners: Vec<(u32, Vec3)>,
    /// `wide_at[wide_starts[v]..wide_starts[v + 1]]` belong to corner `v`; empty where no face is
    /// wide.
    wide_starts: Vec<u32>,
    /// A corner, the number among the wide faces of one at it, and its place around that face, in
    /// order.
    wide_at: Vec<(u32, u32, u32)>,
    /// In the order of their faces.
    outlines: Vec<Outline>,
    /// Most corners of a wide face; zero where none is.
    longest_rim: usize,
}

impl Around {
    /// The surroundings on `surface`, whose sides have these twins and, where they border a
    /// face, these half-edges.
    pub(super) fn new(surface: &Surface, twins: &[usize], half_edge_of: &[u32]) -> Self {
        let mut around = Self::default();
        around.collect_spokes(surface, twins, half_edge_of);
        around
    }

    fn collect_spokes(&mut self, surface: &Surface, twins: &[usize], half_edge_of: &[u32]) {
        let mut first = vec![usize::MAX; surface.vertices.len()];
        for side in (0..twins.len()).rev() {
            first[surface.origin(side) as usize] = side;
        }
        self.starts.reserve(first.len() + 1);
        self.spokes.reserve(twins.len());
        self.starts.push(0);
        for (vertex, &start) in first.iter().enumerate() {
            let begin = self.spokes.len();
            let mut axis = DVec3::ZERO;
            let mut side = start;
            loop {
                let target = surface.origin(following(side));
                let half_edge = half_edge_of[side];
                if half_edge != NONE || !is_exactly_flat(surface, side, twins[side]) {
                    self.spokes.push(Spoke {
                        position: surface.vertices[target as usize],
                        vertex: target,
                        half_edge,
                    });
                }
                let [a, b, c] = surface.corners(side / 3);
                axis -= (b - a).cross(c - a).normalize_or_zero();
                side = twins[following(following(side))];
                if side == start {
                    break;
                }
            }
            if self.spokes.len() - begin > SCAN_COUNT {
                self.hubs.push(Hub {
                    vertex: vertex as u32,
                    axis,
                    compass: self.compass_of_spokes(vertex, begin, axis, surface),
                    outward: self.away_from_spokes(vertex, begin, surface),
                });
                self.starts[vertex] |= SPECIAL;
            }
            self.starts.push(self.spokes.len() as u32);
        }
    }

    /// Against the mean of the spokes from `begin` on, which is inside the cone of the corner:
    /// every face around it looks away from there.
    fn away_from_spokes(&self, vertex: usize, begin: usize, surface: &Surface) -> DVec3 {
        let start = surface.vertices[vertex].as_dvec3();
        let along = |spoke: &Spoke| (spoke.position.as_dvec3() - start).normalize_or_zero();
        -self.spokes[begin..].iter().map(along).sum::<DVec3>()
    }

    /// For the spokes from `begin` on, which all point along `axis`.
    fn compass_of_spokes(
        &self,
        vertex: usize,
        begin: usize,
        axis: DVec3,
        surface: &Surface,
    ) -> Compass {
        let start = surface.vertices[vertex].as_dvec3();
        let spokes = &self.spokes[begin..];
        Compass::new(axis, spokes.len(), |direction, index| {
            spokes[index].slope(start, direction, axis)
        })
    }

    /// Records a face's half-edges, in order, and the corners they leave, if they are many.
    /// Faces come in the order of their numbers; [`Around::finish`] must follow.
    pub(super) fn note_face(&mut self, face: u32, corners: &[(u32, u32)], vertices: &[Vec3]) {
        if corners.len() <= SCAN_COUNT {
            return;
        }
        let position = |place: usize| vertices[corners[place].1 as usize].as_dvec3();
        // Along the normal, twice the area long.
        let normal = (0..corners.len())
            .map(|place| {
                let next = (place + 1) % corners.len();
                (position(place) - position(0)).cross(position(next) - position(0))
            })
            .sum();
        let wide = self.wide_faces.len() as u32;
        self.wide_faces.push(WideFace {
            face,
            start: self.loops.len() as u32,
            count: corners.len() as u32,
            compass: Compass::new(normal, corners.len(), |direction, place| {
                position(place).dot(direction)
            }),
        });
        self.longest_rim = self.longest_rim.max(corners.len());
        for (place, &(half_edge, vertex)) in corners.iter().enumerate() {
            self.loops.push(half_edge);
            self.corners.push((vertex, vertices[vertex as usize]));
            self.wide_at.push((vertex, wide, place as u32));
            self.starts[vertex as usize] |= SPECIAL;
        }
    }

    /// Keeps the outlines of faces of more than a few corners.
    pub(super) fn note_outlines(
        &mut self,
        faces: &[Face],
        half_edges: &[HalfEdge],
        vertices: &[Vec3],
    ) {
        let mut border = Vec::new();
        for (face, plane) in faces.iter().enumerate() {
            if plane.edge_count < OUTLINED {
                continue;
            }
            border.clear();
            let mut half_edge = plane.first_edge;
            for _ in 0..plane.edge_count {
                let origin = half_edges[half_edge as usize].origin;
                border.push((half_edge, vertices[origin as usize].as_dvec3()));
                half_edge = half_edges[half_edge as usize].next;
            }
            self.outlines.push(Outline {
                face: face as u32,
                half_edges: outline(&border, plane.normal),
                ellipse: Ellipse::within(border.iter().map(|&(_, at)| at), plane.normal),
            });
        }
    }

    /// For each of evenly spread directions around a face, the half-edge that leaves its corner
    /// farthest that way, counter-clockwise; nothing for faces of few corners.
    pub(super) fn outline_of(&self, face: u32) -> Option<&[u32; OUTLINE]> {
        Some(&self.outlined(face)?.half_edges)
    }

    /// An ellipse inside a face; nothing for faces of few corners.
    pub(super) fn ellipse_in(&self, face: u32) -> Option<&Ellipse> {
        Some(&self.outlined(face)?.ellipse)
    }

    fn outlined(&self, face: u32) -> Option<&Outline> {
        let index = self
            .outlines
            .binary_search_by_key(&face, |outline| outline.face);
        Some(&self.outlines[index.ok()?])
    }

    /// Ends the recording of faces.
    pub(super) fn finish(&mut self) {
        if self.wide_faces.is_empty() {
            return;
        }
        self.wide_at.sort_unstable();
        let mut first = 0;
        for vertex in 0..self.starts.len() as u32 {
            let later = |&&(v, ..): &&(u32, u32, u32)| v < vertex;
            first += self.wide_at[first..].iter().take_while(later).count();
            self.wide_starts.push(first as u32);
        }
    }

    /// The spokes of a corner, counter-clockwise seen from outside, and whether the corner
    /// is special.
    #[inline]
    pub(super) fn spokes_of(&self, vertex: u32) -> (&[Spoke], bool) {
        let v = vertex as usize;
        let begin = self.starts[v];
        let range = (begin & !SPECIAL) as usize..(self.starts[v + 1] & !SPECIAL) as usize;
        (&self.spokes[range], begin & SPECIAL != 0)
    }

    /// Whether there are hubs or wide faces.
    #[inline]
    pub(super) fn is_special(&self) -> bool {
        !self.hubs.is_empty() || !self.wide_faces.is_empty()
    }

    /// Most corners of a wide face; zero where none is.
    #[inline]
    pub(super) fn longest_rim(&self) -> usize {
        self.longest_rim
    }

    /// Whether spokes are too many for a scan.
    #[inline]
    pub(super) fn is_hub(spokes: &[Spoke]) -> bool {
        spokes.len() > SCAN_COUNT
    }

    /// The half-edges of a wide face, counter-clockwise; nothing for other faces.
    pub(super) fn wide_loop(&self, face: u32) -> Option<&[u32]> {
        Some(&self.loops[self.wide_range(face)?])
    }

    fn wide_range(&self, face: u32) -> Option<std::ops::Range<usize>> {
        let index = self
            .wide_faces
            .binary_search_by_key(&face, |wide| wide.face)
            .ok()?;
        Some(self.wide_faces[index].range())
    }

    /// For each wide face at a corner, its corner that is farthest along `direction`, and how far
    /// that is.
    pub(super) fn farthest_of_faces(
        &self,
        vertex: u32,
        direction: DVec3,
    ) -> impl Iterator<Item = (u32, f64)> {
        self.all_wide_at(vertex).iter().map(move |&(_, wide, _)| {
            let wide = &self.wide_faces[wide as usize];
            let corners = &self.corners[wide.range()];
            let reach = |place: usize| corners[place].1.as_dvec3().dot(direction);
            let best = cyclic_climb(corners.len(), wide.compass.near(direction), reach);
            (corners[best].0, reach(best))
        })
    }

    fn all_wide_at(&self, vertex: u32) -> &[(u32, u32, u32)] {
        let v = vertex as usize;
        if self.wide_starts.is_empty() {
            return &[];
        }
        &self.wide_at[self.wide_starts[v] as usize..self.wide_starts[v + 1] as usize]
    }

    /// The borders of wide faces at a corner, each with the corner's place in it.
    pub(super) fn borders_at(&self, vertex: u32) -> impl Iterator<Item = (Border<'_>, usize)> {
        self.all_wide_at(vertex).iter().map(|&(_, wide, place)| {
            let wide = &self.wide_faces[wide as usize];
            let border = Border {
                face: wide.face,
                half_edges: &self.loops[wide.range()],
                corners: &self.corners[wide.range()],
            };
            (border, place as usize)
        })
    }

    /// The border of a wide face at a corner, and the corner's place in it.
    pub(super) fn border_around(&self, face: u32, vertex: u32) -> Option<(Border<'_>, usize)> {
        self.borders_at(vertex)
            .find(|(border, _)| border.face == face)
    }

    /// A direction along which all faces around a hub look; nothing for other corners.
    pub(super) fn outward_of(&self, vertex: u32) -> Option<DVec3> {
        let hub = self.hubs.binary_search_by_key(&vertex, |hub| hub.vertex);
        Some(self.hubs[hub.ok()?].outward)
    }

    /// The steepest spoke of a hub at `start` along `direction` in a plane across the cone, which
    /// rises if any does, and its rise: metres times the direction's length.
    #[inline(never)]
    pub(super) fn steepest_of_many(
        &self,
        vertex: u32,
        start: DVec3,
        direction: DVec3,
    ) -> (f64, &Spoke) {
        let (spokes, _) = self.spokes_of(vertex);
        let hub = self.hubs.binary_search_by_key(&vertex, |hub| hub.vertex);
        let spoke = match hub {
            Ok(index) => {
                let Hub { axis, compass, .. } = &self.hubs[index];
                let slope = |index: usize| spokes[index].slope(start, direction, *axis);
                &spokes[cyclic_climb(spokes.len(), compass.near(direction), slope)]
            }
            Err(_) => &spokes[0],
        };
        ((spoke.position.as_dvec3() - start).dot(direction), spoke)
    }
}

/// Of the half-edges around a face with this normal, with the corners they leave, those at the
/// corners farthest in evenly spread directions. As the direction turns round once, so does the
/// farthest corner of a convex outline.
fn outline(border: &[(u32, DVec3)], normal: DVec3) -> [u32; OUTLINE] {
    let [along, across] = outline_axes(normal);
    let (mut half_edges, mut place) = ([0; OUTLINE], 0);
    for (k, half_edge) in half_edges.iter_mut().enumerate() {
        let (sin, cos) = libm::sincos(std::f64::consts::TAU * k as f64 / OUTLINE as f64);
        // On a round outline the next corner is as far on as the direction has turned.
        let guess = (place + border.len() / OUTLINE) % border.len();
        let direction = cos * along + sin * across;
        place = cyclic_climb(border.len(), guess, |index| border[index].1.dot(direction));
        *half_edge = border[place].0;
    }
    half_edges
}

/// The first direction of the [`outline`] of a face with this normal, and the one a quarter round.
fn outline_axes(normal: DVec3) -> [DVec3; 2] {
    let (along, across) = normal.any_orthonormal_pair();
    // Counter-clockwise about the normal from `along` to `across`.
    if along.cross(across).dot(normal) < 0.0 {
        [along, -across]
    } else {
        [along, across]
    }
}

/// Where in the [`outline`] of a face with this normal the corner farthest along a direction is,
/// give or take one.
pub(super) fn outline_place(normal: DVec3, direction: DVec3) -> usize {
    // Turns go the other way round, from the place opposite to the first.
    let quarters = 2.0 - turn(direction, outline_axes(normal));
    let count = OUTLINE as f64;
    (0.25 * quarters * count + count + 0.5) as usize % OUTLINE
}

/// Whether the triangles at an edge lie exactly in one plane.
fn is_exactly_flat(surface: &Surface, side: usize, twin: usize) -> bool {
    let [a, b, c] = surface.corners(side / 3);
    let apex = surface.position(surface.origin(following(following(twin))));
    height_sign(a, b, c, apex) == 0.0
}
