//! What moves the points of curved bodies within a step, as it begins; see [`crate::contact::bend`].

use drystone_geometry::lanes::{LANES, Lane, Vec3x8, f32x8};
use fearless_simd::prelude::*;

use super::{Scene, Staging};
use crate::body_rows::STATIC_ROW;
use crate::contact::bend::{Bend, CurveBundle};
use crate::contact::bundle::{NO_CONTACT, NormalBundle};
use crate::contact::hung::Telling;

/// What moves the points of curved bodies within the step. The rounding goes with it.
#[inline(always)]
pub(super) fn prepare_curve<S: Simd, const N: usize, const C: usize>(
    simd: S,
    scene: Scene<'_>,
    ids: &[u32; LANES],
    staging: &Staging<N>,
    normals: &mut NormalBundle<N, C>,
    curve: &mut CurveBundle<N>,
) {
    for (lane, &id) in ids.iter().enumerate() {
        let mut bends = [(Bend::NONE, 0.0); 2];
        if id != NO_CONTACT {
            let contact = &scene.contacts[id as usize];
            bends = [
                (contact.bend_a, contact.radius_a),
                (contact.bend_b, contact.radius_b),
            ];
            if contact.rolls_on() {
                for radius in &mut normals.radius {
                    radius.0[lane] = 0.0;
                }
            }
        }
        // What bends carries the point with it, also where nothing pushes it: the crown of a roller stays
        // where it is, whatever slides over it.
        curve.share_a.0[lane] = match bends.map(|(bend, _)| bend != Bend::NONE) {
            [true, false] => 1.0,
            [false, true] => 0.0,
            _ => staging.share_a.0[lane],
        };
        curve.lone.0[lane] = match [normals.row_a, normals.row_b].map(|rows| rows[lane]) {
            [STATIC_ROW, _] => 1.0,
            [_, STATIC_ROW] => -1.0,
            _ => 0.0,
        };
        curve.telling.0[lane] = Telling::of(bends.map(|(bend, _)| bend));
        for (side, (bend, radius)) in curve.sides.iter_mut().zip(bends) {
            side.set(lane, &bend, radius);
        }
    }
    let (lone, zero) = (curve.lone.load(simd), f32x8::splat(simd, 0.0));
    let normal = normals.normal.load(simd);
    for i in 0..N {
        let anchor_a = staging.anchors_a[i].load(simd);
        let anchor_b = staging.anchors_b[i].load(simd);
        let on_a = staging.rotation_a.rotate(simd, anchor_a);
        let on_b = staging.rotation_b.rotate(simd, anchor_b);
        // A static body has no arm to speak of: its point is where the other's is, but for the gap.
        let gap = normal.scale(normals.points[i].separation.load(simd));
        let [side_a, side_b] = &mut curve.sides;
        side_a.surface[i].store(Vec3x8::select(lone.simd_gt(zero), on_b - gap, on_a));
        side_b.surface[i].store(Vec3x8::select(lone.simd_lt(zero), on_a + gap, on_b));
        curve.separation[i] = normals.points[i].separation;
        curve.used[i] = staging.used[i];
    }
    curve.offset = normals.offset;
    curve.slip = [Lane::ZERO; 2];
}
