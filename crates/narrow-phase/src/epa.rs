//! EPA: the depth of two cores that overlap, by growing a polytope inside their
//! Minkowski difference until its nearest face is a true one.
//!
//! Every orientation is decided by an exact predicate, so the polytope stays convex and
//! closed whatever the input: a new point sees exactly the faces it lies strictly above,
//! their border is one loop, and coplanar or repeated points change nothing. The origin
//! may lie on the polytope or a rounding unit outside it: distances are signed.
//!
//! Van den Bergen, *Proximity queries and penetration depth computation on 3D game
//! objects* (2001); Shewchuk, *Adaptive precision floating-point arithmetic and fast
//! robust geometric predicates* (1997).

mod depth;

use drystone_geometry::glam::DVec3;
use robust::orient3d;

pub(crate) use depth::Depth;

use crate::convex::{NO_HINT, Vertex};
use crate::difference::Difference;
use crate::extended::triangle_normal;
use crate::simplex::{coord, distance_sq};
use crate::tolerance::{CERTAIN_SIDE, SLIVER_SINE_SQ, TOUCHING};
use crate::trace::{EpaEnd, EpaStart, EpaStep, Event, MinkowskiVertex, Trace};

#[derive(Clone, Copy, Debug)]
struct Face {
    vertices: [u32; 3],
    /// `neighbours[i]` is across the edge from `vertices[i]` to the next one.
    neighbours: [u32; 3],
    /// Unit, outward.
    normal: DVec3,
    alive: bool,
}

/// The growing polytope. Kept between queries so that its arrays are allocated once.
#[derive(Debug, Default)]
pub(crate) struct Epa {
    vertices: Vec<Vertex>,
    faces: Vec<Face>,
    /// Signed distance of each face's plane from the origin; infinite for dead faces.
    distances: Vec<f64>,
    /// Distance from a plane beyond which the side needs no exact predicate.
    certain: f64,
    /// The least support met and its outward normal: no depth is larger.
    shallowest: (f64, DVec3),
    horizon: Vec<(u32, u32)>,
    stack: Vec<(u32, u32)>,
}

/// Fixed directions for the start polytope: axes and diagonals.
const START_DIRECTIONS: [DVec3; 14] = [
    DVec3::X,
    DVec3::NEG_X,
    DVec3::Y,
    DVec3::NEG_Y,
    DVec3::Z,
    DVec3::NEG_Z,
    DVec3::new(1.0, 1.0, 1.0),
    DVec3::new(1.0, 1.0, -1.0),
    DVec3::new(1.0, -1.0, 1.0),
    DVec3::new(1.0, -1.0, -1.0),
    DVec3::new(-1.0, 1.0, 1.0),
    DVec3::new(-1.0, 1.0, -1.0),
    DVec3::new(-1.0, -1.0, 1.0),
    DVec3::new(-1.0, -1.0, -1.0),
];

impl Epa {
    /// The depth of `pair`. `simplex` is what GJK ended with: its tetrahedron is the start
    /// when it is sound, otherwise supports in fixed directions are.
    ///
    /// Nothing when the Minkowski difference has no volume, which no solid shape gives.
    pub(crate) fn run<D: Difference, T: Trace>(
        &mut self,
        pair: &D,
        simplex: &[Vertex],
        trace: &mut T,
    ) -> Option<Depth> {
        let start = self.start(pair, simplex);
        trace.event(Event::EpaStart(start));
        if start == EpaStart::Flat {
            return None;
        }
        let mut expansions = 0;
        loop {
            let nearest = self.nearest_face();
            let distance = self.distances[nearest as usize];
            if D::IS_CURVED {
                let (depth, normal) = self.shallowest;
                let is_close = pair.is_close(-depth, -distance);
                if is_close || expansions == pair.max_expansions() {
                    trace.event(Event::EpaEnd(if is_close {
                        EpaEnd::BoundsMeet
                    } else {
                        EpaEnd::OutOfSteps
                    }));
                    return Some(Depth {
                        normal: -normal,
                        depth,
                        radius: distance,
                        face: self.corners(nearest),
                        expansions,
                    });
                }
            }
            // Each further point is a new vertex of the Minkowski difference, of which
            // there are finitely many unless it is curved, so the loop ends without a cap.
            match self.expand(pair, nearest, trace) {
                None => expansions += 1,
                Some(depth) => {
                    let normal = self.faces[nearest as usize].normal;
                    trace.event(Event::EpaEnd(EpaEnd::TrueFace));
                    return Some(Depth {
                        normal: -normal,
                        depth,
                        radius: distance,
                        face: self.witness_face(nearest, pair.scale()),
                        expansions,
                    });
                }
            }
        }
    }

    /// Adds the farthest point beyond a face. When the face is a true one, nothing changes
    /// and the support along its normal is returned.
    fn expand<D: Difference, T: Trace>(
        &mut self,
        pair: &D,
        face: u32,
        trace: &mut T,
    ) -> Option<f64> {
        let Face {
            vertices, normal, ..
        } = self.faces[face as usize];
        let distance = self.distances[face as usize];
        let hint = self.vertices[vertices[0] as usize];
        let support = pair.support(-normal, hint.a, hint.b);
        let reach = support.w.dot(normal);
        if reach < self.shallowest.0 {
            self.shallowest = (reach, normal);
        }
        let beyond = reach - distance > pair.converged() && self.sees(face, support.w);
        let told = T::WATCHES.then(|| (self.corners(face), self.triangles()));
        let grown = beyond && self.insert(support, face);
        if let Some((corners, polytope)) = told {
            trace.event(Event::Epa(EpaStep {
                face: corners.map(Into::into),
                normal,
                distance,
                support: support.into(),
                reach,
                horizon: if beyond { self.horizon.len() as u32 } else { 0 },
                polytope,
            }));
        }
        if grown { None } else { Some(reach) }
    }

    /// All faces, for a trace.
    fn triangles(&self) -> Vec<[MinkowskiVertex; 3]> {
        let alive = (0..self.faces.len() as u32).filter(|&face| self.faces[face as usize].alive);
        alive
            .map(|face| self.corners(face).map(Into::into))
            .collect()
    }

    fn nearest_face(&self) -> u32 {
        let mut best = (f64::INFINITY, 0);
        for (index, &distance) in self.distances.iter().enumerate() {
            if distance < best.0 {
                best = (distance, index as u32);
            }
        }
        best.1
    }

    /// Of the faces in the plane of the nearest one, the triangle that holds the foot of
    /// the origin; when the origin is on the surface, any triangle it lies on.
    fn witness_face(&self, nearest: u32, scale: f64) -> [Vertex; 3] {
        let normal = self.faces[nearest as usize].normal;
        let distance = self.distances[nearest as usize];
        let slack = TOUCHING * scale;
        let on_surface = distance.abs() <= slack;
        let mut best = (f64::INFINITY, self.corners(nearest));
        for (index, face) in self.faces.iter().enumerate() {
            let same_plane = on_surface || face.normal.dot(normal) >= 1.0 - TOUCHING;
            if same_plane && self.distances[index] <= distance + slack {
                let corners = self.corners(index as u32);
                let away_sq = distance_sq(&corners, scale);
                if away_sq < best.0 {
                    best = (away_sq, corners);
                }
            }
        }
        best.1
    }

    fn corners(&self, face: u32) -> [Vertex; 3] {
        self.faces[face as usize]
            .vertices
            .map(|v| self.vertices[v as usize])
    }

    /// Builds a first polytope with volume, or says that there is none.
    fn start(&mut self, pair: &impl Difference, simplex: &[Vertex]) -> EpaStart {
        self.shallowest = (f64::INFINITY, DVec3::Y);
        self.vertices.clear();
        self.faces.clear();
        self.distances.clear();
        self.certain = CERTAIN_SIDE * pair.scale();
        if let [a, b, c, d] = *simplex
            && self.tetrahedron([a, b, c, d])
        {
            return EpaStart::Tetrahedron;
        }
        if self.start_from_few(pair, simplex) {
            return EpaStart::Completed;
        }
        let mut points: [Vertex; 18] = [Vertex::default(); 18];
        let mut count = 0;
        for &vertex in simplex {
            points[count] = vertex;
            count += 1;
        }
        for direction in START_DIRECTIONS {
            points[count] = pair.support(direction, NO_HINT, NO_HINT);
            count += 1;
        }
        if !self.spanning_tetrahedron(pair, &points[..count]) {
            return EpaStart::Flat;
        }
        for &point in &points[..count] {
            self.insert_anywhere(point);
        }
        EpaStart::FixedDirections
    }

    /// A double pyramid on GJK's triangle, with supports to both sides; on a segment, the
    /// triangle is made first.
    fn start_from_few(&mut self, pair: &impl Difference, simplex: &[Vertex]) -> bool {
        let (a, b, c) = match *simplex {
            [a, b, c] => (a, b, c),
            [a, b] => {
                let edge = b.w - a.w;
                let side = edge.any_orthogonal_vector();
                let [c, d] = [side, -side].map(|side| pair.support(side, a.a, a.b));
                let area = |point: &Vertex| edge.cross(point.w - a.w).length_squared();
                (a, b, if area(&c) >= area(&d) { c } else { d })
            }
            _ => return false,
        };
        let normal = triangle_normal(a.w, b.w, c.w);
        let [d, e] = [normal, -normal].map(|side| pair.support(side, c.a, c.b));
        let height = |point: &Vertex| normal.dot(point.w - a.w).abs();
        let (d, e) = if height(&d) >= height(&e) {
            (d, e)
        } else {
            (e, d)
        };
        if !self.tetrahedron([a, b, c, d]) {
            return false;
        }
        self.insert_anywhere(e);
        true
    }

    /// A tetrahedron of widely spaced `points`; one more support is taken when they are
    /// all in one plane.
    fn spanning_tetrahedron(&mut self, pair: &impl Difference, points: &[Vertex]) -> bool {
        let farthest = |measure: &dyn Fn(DVec3) -> f64| {
            let mut best = (0.0, points[0]);
            for &point in points {
                let value = measure(point.w);
                if value > best.0 {
                    best = (value, point);
                }
            }
            best.1
        };
        let a = points[0];
        let b = farthest(&|w| (w - a.w).length_squared());
        let ab = b.w - a.w;
        let c = farthest(&|w| ab.cross(w - a.w).length_squared());
        let normal = triangle_normal(a.w, b.w, c.w);
        let d = farthest(&|w| normal.dot(w - a.w).abs());
        let above = pair.support(-normal, d.a, d.b);
        let below = pair.support(normal, d.a, d.b);
        [d, above, below]
            .into_iter()
            .any(|d| self.tetrahedron([a, b, c, d]))
    }

    /// Starts from four points unless they lie exactly in one plane.
    fn tetrahedron(&mut self, [a, mut b, mut c, d]: [Vertex; 4]) -> bool {
        let side = orient3d(coord(a.w), coord(b.w), coord(c.w), coord(d.w));
        if side == 0.0 {
            return false;
        }
        if side < 0.0 {
            (b, c) = (c, b);
        }
        // Now d lies below the plane of a, b, c, which are counter-clockwise from above.
        self.vertices.extend([a, b, c, d]);
        self.push_face([0, 1, 2], [2, 3, 1]);
        self.push_face([0, 2, 3], [0, 3, 2]);
        self.push_face([0, 3, 1], [1, 3, 0]);
        self.push_face([1, 3, 2], [2, 1, 0]);
        true
    }

    fn push_face(&mut self, vertices: [u32; 3], neighbours: [u32; 3]) {
        let at = |i: usize| self.vertices[vertices[i] as usize].w;
        let (a, b, c) = (at(0), at(1), at(2));
        let (ab, ac) = (b - a, c - a);
        let mut normal = ab.cross(ac);
        let longest_sq = ab.length_squared().max(ac.length_squared());
        if normal.length_squared() <= SLIVER_SINE_SQ * longest_sq * longest_sq {
            normal = triangle_normal(a, b, c);
        }
        let length = normal.length();
        // Only underflow leaves no length; such a face is never the nearest.
        let (normal, distance) = if length > 0.0 {
            let normal = normal / length;
            (normal, normal.dot(a))
        } else {
            (DVec3::ZERO, f64::INFINITY)
        };
        self.faces.push(Face {
            vertices,
            neighbours,
            normal,
            alive: true,
        });
        self.distances.push(distance);
    }

    /// Whether `point` lies strictly above a face.
    fn sees(&self, face: u32, point: DVec3) -> bool {
        let Face {
            vertices, normal, ..
        } = self.faces[face as usize];
        let above = normal.dot(point) - self.distances[face as usize];
        if above.abs() > self.certain {
            return above > 0.0;
        }
        let at = |i: usize| coord(self.vertices[vertices[i] as usize].w);
        orient3d(at(0), at(1), at(2), coord(point)) < 0.0
    }

    fn insert_anywhere(&mut self, point: Vertex) {
        let seen = (0..self.faces.len() as u32)
            .find(|&face| self.faces[face as usize].alive && self.sees(face, point.w));
        if let Some(face) = seen {
            self.insert(point, face);
        }
    }

    /// Replaces the faces that `point` sees, of which `first` is one, by a fan. Says
    /// so if their border is not one loop, which exact signs exclude; the polytope is then
    /// spoilt.
    fn insert(&mut self, point: Vertex, first: u32) -> bool {
        self.horizon.clear();
        self.stack.clear();
        self.kill(first);
        self.stack.extend([(first, 2), (first, 1), (first, 0)]);
        while let Some((face, edge)) = self.stack.pop() {
            let neighbour = self.faces[face as usize].neighbours[edge as usize];
            if !self.faces[neighbour as usize].alive {
                continue;
            }
            let from = self.faces[face as usize].vertices[((edge + 1) % 3) as usize];
            let entry = edge_from(&self.faces[neighbour as usize], from);
            if self.sees(neighbour, point.w) {
                self.kill(neighbour);
                self.stack.push((neighbour, (entry + 2) % 3));
                self.stack.push((neighbour, (entry + 1) % 3));
            } else {
                self.horizon.push((neighbour, entry));
            }
        }
        debug_assert!(self.horizon_is_one_loop());
        if !self.horizon_is_one_loop() {
            return false;
        }
        let apex = self.vertices.len() as u32;
        self.vertices.push(point);
        let start = self.faces.len() as u32;
        let count = self.horizon.len() as u32;
        for index in 0..count {
            let (outside, entry) = self.horizon[index as usize];
            let border = self.faces[outside as usize].vertices;
            let (from, to) = (border[((entry + 1) % 3) as usize], border[entry as usize]);
            self.faces[outside as usize].neighbours[entry as usize] = start + index;
            let next = start + (index + 1) % count;
            let previous = start + (index + count - 1) % count;
            self.push_face([from, to, apex], [outside, next, previous]);
        }
        true
    }

    fn kill(&mut self, face: u32) {
        self.faces[face as usize].alive = false;
        self.distances[face as usize] = f64::INFINITY;
    }

    fn horizon_is_one_loop(&self) -> bool {
        let ends = |&(face, entry): &(u32, u32)| {
            let border = self.faces[face as usize].vertices;
            (border[((entry + 1) % 3) as usize], border[entry as usize])
        };
        let Some(last) = self.horizon.last() else {
            return false;
        };
        let mut expected = ends(last).1;
        self.horizon.iter().all(|edge| {
            let (from, to) = ends(edge);
            let joined = from == expected;
            expected = to;
            joined
        })
    }
}

/// Which edge of `face` leaves `vertex`.
fn edge_from(face: &Face, vertex: u32) -> u32 {
    if face.vertices[0] == vertex {
        0
    } else if face.vertices[1] == vertex {
        1
    } else {
        2
    }
}
