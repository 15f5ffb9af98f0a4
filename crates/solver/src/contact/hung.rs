//! Points of contacts that bodies hang by, as a sub-step finds them.
//!
//! Where two edges cross, the normal is at a right angle to both, and the point lies where they are nearest
//! to each other, wherever the bodies have turned. Where a face bears an edge or corners, the normal turns
//! with the face, and the points go with what it bears. Bars and rounding are round their middle lines: the
//! points lie on those, moved by the radius along the normal.

use drystone_geometry::lanes::{Vec3x8, divide_or_zero, f32x8, mask32x8};
use fearless_simd::prelude::*;

use crate::contact::bend::{Bend, CurveBundle, Scene};

/// What tells the normal of a contact after its bodies have turned, as a number in a lane.
pub(super) struct Telling;

impl Telling {
    const NOTHING: f32 = 0.0;
    const EDGES: f32 = 1.0;
    const FACE_OF_A: f32 = 2.0;
    const FACE_OF_B: f32 = 3.0;

    /// Of the bends of both sides.
    pub(super) fn of([a, b]: [Bend; 2]) -> f32 {
        if a.is_edge() && b.is_edge() {
            Self::EDGES
        } else if a.is_face() {
            Self::FACE_OF_A
        } else if b.is_face() {
            Self::FACE_OF_B
        } else {
            Self::NOTHING
        }
    }

    /// Where there is something.
    #[inline(always)]
    pub(super) fn any<S: Simd, const N: usize>(simd: S, curve: &CurveBundle<N>) -> mask32x8<S> {
        let nothing = f32x8::splat(simd, Self::NOTHING);
        curve.telling.load(simd).simd_gt(nothing)
    }
}

/// One point of eight contacts of what hangs.
pub(super) struct Hung<S: Simd> {
    /// In metres, along the normal of now.
    pub(super) separation: f32x8<S>,
    /// Half-way between both surfaces, from A's centre and from B's, in metres.
    pub(super) from: [Vec3x8<S>; 2],
}

impl<S: Simd> Scene<S> {
    /// A point of now, where something [tells](Telling) its normal.
    #[inline(always)]
    pub(super) fn hung<const N: usize>(
        &self,
        simd: S,
        curve: &CurveBundle<N>,
        point: usize,
    ) -> Hung<S> {
        let [side_a, side_b] = &curve.sides;
        let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
        let radius_a = side_a.radius_along.load(simd);
        let radius_b = side_b.radius_along.load(simd);
        let axis_a = side_a.surface[point].load(simd);
        let axis_a = axis_a.sub_scaled(self.normal, radius_a);
        let axis_b = side_b.surface[point].load(simd);
        let axis_b = axis_b.add_scaled(self.normal, radius_b);
        let (turned_a, turned_b) = (self.a.turn(simd, axis_a), self.b.turn(simd, axis_b));
        let (axis_a, axis_b) = (axis_a + turned_a, axis_b + turned_b);
        let gap = curve.separation[point].load(simd) + radius_a + radius_b;
        let between = self.normal.scale(gap) + self.apart + (turned_b - turned_a);
        // The points of two lines that are nearest to each other.
        let (edge_a, edge_b) = (side_a.across.load(simd), side_b.across.load(simd));
        let edge_a = edge_a + self.a.turn(simd, edge_a);
        let edge_b = edge_b + self.b.turn(simd, edge_b);
        let cosine = edge_a.dot(edge_b);
        let along_b = cosine * between.dot(edge_a) - between.dot(edge_b);
        let along_b = divide_or_zero(along_b, one - cosine * cosine);
        let along_a = between.dot(edge_a) + along_b * cosine;
        let across = edge_a.cross(edge_b);
        let across = across.scale(divide_or_zero(one, across.length()));
        let is_behind = across.dot(self.normal).simd_lt(zero);
        let across = Vec3x8::select(is_behind, -across, across);

        let telling = curve.telling.load(simd);
        let is = |number: f32| telling.simd_eq(f32x8::splat(simd, number));
        let (edges, face_of_a) = (is(Telling::EDGES), is(Telling::FACE_OF_A));
        let of_b = self.normal + self.b.turn(simd, self.normal);
        let of_a = self.normal + self.a.turn(simd, self.normal);
        let of_face = Vec3x8::select(face_of_a, of_a, of_b);
        let normal = Vec3x8::select(edges, across, of_face);
        let separation = normal.dot(between) - radius_a - radius_b;
        let half_gap = f32x8::splat(simd, 0.5) * separation;
        let along_a = edges.select(along_a, zero);
        // On the bar or corner of A, or on that of B which the face of A bears.
        let beyond_a = edge_a
            .scale(along_a)
            .add_scaled(normal, radius_a + half_gap);
        let beyond_b = normal.scale(-(radius_b + half_gap));
        let from_a = Vec3x8::select(face_of_a, between + beyond_b, beyond_a);
        let from_b = Vec3x8::select(face_of_a, beyond_b, beyond_a - between);
        Hung {
            separation,
            from: [axis_a + from_a, axis_b + from_b],
        }
    }
}
