//! The border of a face that is clipped: its corners in order, and of many of them those that
//! matter.

use drystone_geometry::glam::DVec3;
use drystone_geometry::hull::Polytope;

use crate::convex::incident_face;
use crate::tolerance::{MANY_CORNERS, MAX_CLIPPED_CORNERS};

/// Half-edges around a face.
pub(super) type Noted = [u32; MAX_CLIPPED_CORNERS];

/// Writes the half-edges of a [`border`] over what was there and tells how many they are.
#[inline(always)]
pub(super) fn note_border(polytope: &Polytope<'_>, face: u32, edges: &mut Noted) -> usize {
    let plane = &polytope.faces[face as usize];
    let count = plane.edge_count as usize;
    if count > MAX_CLIPPED_CORNERS {
        let mut count = 0;
        border(polytope, face, |edge| {
            edges[count] = edge;
            count += 1;
        });
        return count;
    }
    let mut edge = plane.first_edge;
    for noted in &mut edges[..count] {
        *noted = edge;
        edge = polytope.half_edges[edge as usize].next;
    }
    count
}

/// Visits the half-edges of a face, in order; of a face of very many, those at the corners
/// farthest in evenly spread directions. Of the outline four points will be kept, and whatever its
/// corners, this one of them lies within half a percent of its width.
#[inline]
pub(crate) fn border(polytope: &Polytope<'_>, face: u32, mut visit: impl FnMut(u32)) {
    let plane = &polytope.faces[face as usize];
    if plane.edge_count as usize > MAX_CLIPPED_CORNERS
        && let Some(outline) = polytope.outline(face)
    {
        let mut previous = outline[outline.len() - 1];
        for &edge in outline {
            if edge != previous {
                visit(edge);
            }
            previous = edge;
        }
        return;
    }
    let mut edge = plane.first_edge;
    for _ in 0..plane.edge_count {
        visit(edge);
        edge = polytope.half_edges[edge as usize].next;
    }
}

/// A face to clip.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Incident<'a> {
    /// Whose face it is.
    pub(crate) polytope: &'a Polytope<'a>,
    /// The face.
    pub(crate) face: u32,
    /// Its corner that is farthest towards the reference face.
    pub(crate) lowest: u32,
    /// Unit, to the reference face and square to it, in the incident shape's frame.
    pub(crate) down: DVec3,
}

impl<'a> Incident<'a> {
    /// The face at a polytope's `lowest` corner that looks `down` the most.
    pub(super) fn facing(polytope: &'a Polytope<'a>, lowest: u32, down: DVec3) -> Self {
        Self {
            polytope,
            face: incident_face(polytope, lowest, down),
            lowest,
            down,
        }
    }

    /// Of the [`border`] of a face of very many corners writes those at low corners, which reach as
    /// far as `reach` metres down, the next ones on either side, and of the others ever fewer;
    /// tells how many they are. Nothing where the face has few corners, or none that is low.
    ///
    /// What these corners span is the same as the face where it is low. Higher up it lies within,
    /// so that what is clipped of it leaves off no higher than the face would.
    #[inline(always)]
    pub(super) fn note_low(&self, reach: f64, edges: &mut Noted) -> Option<usize> {
        let count = self.polytope.faces[self.face as usize].edge_count as usize;
        if count <= MANY_CORNERS {
            return None;
        }
        self.note_low_of_many(count, reach, edges)
    }

    #[inline(never)]
    fn note_low_of_many(&self, count: usize, reach: f64, edges: &mut Noted) -> Option<usize> {
        let (polytope, down) = (self.polytope, self.down);
        if count > MAX_CLIPPED_CORNERS {
            let outline = polytope.outline(self.face)?;
            let reach_of = |place: usize| {
                let corner = polytope.origin(outline[place]);
                polytope.position(corner).dot(down)
            };
            let near = polytope.outline_place(self.face, down);
            let lowest = farthest_near(outline.len(), near, reach_of);
            let kept = keep(outline.len(), lowest, |place| reach_of(place) >= reach)?;
            return Some(write(kept, outline, edges));
        }
        let (border, lowest) = polytope.border_around(self.face, self.lowest)?;
        let kept = keep(count, lowest, |place| {
            border.corners[place].1.as_dvec3().dot(down) >= reach
        })?;
        Some(write(kept, border.half_edges, edges))
    }
}

/// Of `count` places all round the one that reaches farthest, from one near it.
#[inline(always)]
fn farthest_near(count: usize, start: usize, reach: impl Fn(usize) -> f64) -> usize {
    let mut best = (reach(start), start);
    for step in [1, count - 1] {
        // A corner may come several times in a row.
        for _ in 0..count {
            let place = wrapped(best.1 + step, count);
            let next = reach(place);
            if next < best.0 {
                break;
            }
            best = (next, place);
        }
    }
    best.1
}

/// A place at most twice round.
#[inline(always)]
fn wrapped(place: usize, count: usize) -> usize {
    if place < count { place } else { place - count }
}

/// The places to keep of so many all round, as bits: those that are low, one more on either side,
/// and from there on either way at distances that double. Nothing if the lowest is not low.
#[inline(always)]
fn keep(count: usize, lowest: usize, is_low: impl Fn(usize) -> bool) -> Option<u64> {
    if !is_low(lowest) {
        return None;
    }
    let mut kept = 1u64 << lowest;
    let (mut left, mut ends) = (count - 1, [lowest; 2]);
    for (end, step) in ends.iter_mut().zip([1, count - 1]) {
        while left > 0 {
            *end = wrapped(*end + step, count);
            kept |= 1 << *end;
            left -= 1;
            if !is_low(*end) {
                break;
            }
        }
    }
    let mut gap = 2;
    while 2 * gap <= left {
        ends = [
            wrapped(ends[0] + gap, count),
            wrapped(ends[1] + count - gap, count),
        ];
        kept |= 1 << ends[0] | 1 << ends[1];
        left -= 2 * gap;
        gap *= 2;
    }
    Some(kept)
}

/// Writes those of the half-edges whose places are kept, and tells how many they are.
#[inline(always)]
fn write(mut kept: u64, half_edges: &[u32], edges: &mut Noted) -> usize {
    let mut count = 0;
    let mut previous = u32::MAX;
    while kept != 0 {
        let edge = half_edges[kept.trailing_zeros() as usize];
        edges[count] = edge;
        // One that comes several times in a row is one.
        count += usize::from(edge != previous);
        previous = edge;
        kept &= kept - 1;
    }
    if count > 1 && edges[0] == edges[count - 1] {
        count -= 1;
    }
    count
}

const _: () = assert!(MAX_CLIPPED_CORNERS <= u64::BITS as usize);

#[cfg(test)]
mod tests {
    use drystone_geometry::glam::{DMat3, DVec3, Vec3};
    use drystone_geometry::{Frame, Hull};

    use super::super::clip::{Clipper, Reference};
    use super::*;

    /// An upright prism of this many sides, of radius 1 and height 1.
    fn prism(sides: usize) -> Hull {
        let corner = |place: usize| {
            let (sin, cos) = libm::sincos(std::f64::consts::TAU * place as f64 / sides as f64);
            [-0.5, 0.5].map(|y| DVec3::new(cos, y, sin).as_vec3())
        };
        Hull::new(&(0..sides).flat_map(corner).collect::<Vec<_>>()).unwrap()
    }

    /// A plate whose upper face is this wide and one deep, at height 0.
    fn plate(width: f32) -> Hull {
        let corner = |bits: usize| {
            let sign = |bit: usize| if bits & bit == 0 { -0.5 } else { 0.5 };
            Vec3::new(width * sign(1), sign(2) - 0.5, sign(4))
        };
        Hull::new(&(0..8).map(corner).collect::<Vec<_>>()).unwrap()
    }

    fn face_towards(hull: &Hull, direction: DVec3) -> u32 {
        let faces = hull.faces().iter().enumerate();
        let aligned = |(_, face): &(usize, &_)| -> f64 {
            let face: &drystone_geometry::hull::Face = face;
            face.normal.dot(direction)
        };
        let best = faces.max_by(|one, other| aligned(one).total_cmp(&aligned(other)));
        best.unwrap().0 as u32
    }

    /// A pose in which the lowest corner is a centimetre below height 0.
    fn over_plate(prism: &Hull, step: u32) -> Frame {
        let step = f64::from(step);
        let turn = |rate: f64| DMat3::from_rotation_y(rate * step);
        let rotation = turn(1.3) * DMat3::from_rotation_z(0.003 * (step % 61.0)) * turn(0.7);
        let down = rotation.transpose() * -DVec3::Y;
        let lowest = prism.vertices()[prism.support(down) as usize].as_dvec3();
        let aside = DVec3::new(0.02 * (step % 50.0), 0.0, 0.1);
        Frame {
            rotation,
            translation: aside + DVec3::Y * (lowest.dot(down) - 0.01),
        }
    }

    /// Corners with their heights after each of them is held against each side of the plate.
    fn cut_one_by_one(mut corners: Vec<DVec3>, half: [f64; 2]) -> Vec<DVec3> {
        for (axis, half) in [(0, half[0]), (2, half[1])] {
            for sign in [-1.0, 1.0] {
                let beyond = |corner: DVec3| sign * corner[axis] - half;
                let mut kept = Vec::new();
                for place in 0..corners.len() {
                    let (from, to) = (corners[place], corners[(place + 1) % corners.len()]);
                    let (here, there) = (beyond(from), beyond(to));
                    if here <= 0.0 {
                        kept.push(from);
                    }
                    if (here <= 0.0) != (there <= 0.0) {
                        kept.push(from + here / (here - there) * (to - from));
                    }
                }
                corners = kept;
            }
        }
        corners
    }

    /// Prisms of many sides at many angles over plates, one of which is a sliver, and beside their
    /// middle. Known from holding every corner of the prism's border against every side.
    #[test]
    fn points_are_those_of_all_corners_and_what_is_left_out_is_no_lower() {
        let limit = 0.02;
        let (mut clipper, mut points, mut empty) = (Clipper::default(), 0, 0);
        for (sides, width) in [(40, 1.0), (64, 0.01), (200, 1.0), (1000, 0.01)] {
            let (prism, plate) = (prism(sides), plate(width));
            let [incident, reference] = [&prism, &plate].map(Hull::polytope);
            for step in 0..200 {
                let pose = over_plate(&prism, step);
                let down = pose.rotation.transpose() * -DVec3::Y;
                let lowest = prism.support(down);
                let face = face_towards(&prism, down);
                let mut all = Vec::new();
                border(&incident, face, |edge| {
                    all.push(pose.transform_point(incident.position(incident.origin(edge))));
                });
                let all = cut_one_by_one(all, [0.5 * f64::from(width), 0.5]);
                let (low, high): (Vec<DVec3>, Vec<DVec3>) = all.iter().partition(|c| c.y <= limit);
                let mut found = Vec::new();
                let left_out = clipper.clip(
                    &Reference {
                        polytope: &reference,
                        face: face_towards(&plate, DVec3::Y),
                        incident_pose: &pose,
                        growth: 0.0,
                    },
                    &Incident {
                        polytope: &incident,
                        face,
                        lowest,
                        down,
                    },
                    limit,
                    |corner| found.push(corner.point),
                );
                assert_eq!(found.len(), low.len(), "{sides} {width} {step}");
                for point in low {
                    let off = found.iter().map(|other| point.distance(*other));
                    let off = off.fold(f64::INFINITY, f64::min);
                    assert!(off < 1e-6, "{sides} {width} {step}: {off}");
                }
                let highest = high.iter().map(|c| c.y).fold(f64::INFINITY, f64::min);
                assert!(left_out <= highest + 1e-6, "{left_out} {highest}");
                assert!(left_out > limit, "{left_out}");
                points += found.len();
                empty += usize::from(found.is_empty());
            }
        }
        assert!(points > 1000, "{points}");
        assert!(empty > 20, "{empty}");
    }
}
