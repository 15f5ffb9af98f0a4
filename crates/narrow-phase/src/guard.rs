//! Eight pairs at once: whether what their trackers know still proves them apart.
//!
//! Nearly all pairs of a loose pile are apart and remain so. A [`Guard`] holds what
//! [`Tracker::proves_apart`] would compute with, put in the frames of the bodies and rounded to
//! `f32`; a [`GuardPose`] holds where a body is. From both, [`still_apart`] finds in lanes what the
//! tracker would say one by one: never `true` where that says `false`, since it takes off more
//! than all rounding of both.

use drystone_geometry::glam::{DVec3, Quat, Vec3};
use drystone_geometry::lanes::{LANES, Vec3x8, f32x8, max, prelude::*, rows_to_lanes_4};
use drystone_geometry::{Frame, Shape, rotation};
use serde::{Deserialize, Serialize};

use crate::measure::extent;
use crate::tolerance::{FAR_ROUNDING, GUARD_ROUNDING, STORED_POSE_ROUNDING};
use crate::tracker::Tracker;

/// No body.
const NOBODY: u32 = u32::MAX;

/// Twelve numbers of one lane.
type Rows = [[f32; 4]; 3];

/// Sixteen numbers of one lane: a cache line.
type PoseRows = [[f32; 4]; 4];

/// Where a body is, and how far it gets: what guards are compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GuardPose {
    /// Position in the world, in metres, rounded, and how far the surface gets in a step without
    /// forces; what rounding took off the position, and nothing; rotation: x, y, z, w; way of the
    /// centre in a step and how far turning takes the surface beyond that.
    rows: PoseRows,
}

/// How far a body gets in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GuardWay {
    /// Way of its centre in the world, in metres.
    pub linear: Vec3,
    /// Farthest that turning takes the surface beyond that, in metres.
    pub turning: f32,
}

impl GuardWay {
    /// How far the surface gets, in metres.
    #[inline]
    pub fn reach(&self) -> f32 {
        self.linear.length() + self.turning
    }

    /// How the body gets past another.
    #[inline]
    pub fn past(&self, other: &Self) -> Self {
        Self {
            linear: self.linear - other.linear,
            turning: self.turning + other.turning,
        }
    }
}

impl GuardPose {
    /// Of a body whose frame in the world this is, `rotation` being the unit quaternion the
    /// frame was made from, with how far it gets, and how far its surface would get without
    /// forces, which is what [`Guard::new`] compares.
    #[inline]
    pub fn new(rotation: Quat, position: DVec3, way: &GuardWay, reach: f32) -> Self {
        let high = position.as_vec3();
        let low = (position - high.as_dvec3()).as_vec3();
        Self {
            rows: [
                [high.x, high.y, high.z, reach],
                [low.x, low.y, low.z, 0.0],
                rotation.to_array(),
                way.linear.extend(way.turning).to_array(),
            ],
        }
    }

    /// How far the body gets in a step.
    #[inline]
    pub fn way(&self) -> GuardWay {
        let [x, y, z, turning] = self.rows[3];
        GuardWay {
            linear: Vec3::new(x, y, z),
            turning,
        }
    }

    /// How far the surface gets in a step, in metres, without forces.
    #[inline]
    pub fn reach(&self) -> f32 {
        self.rows[0][3]
    }
}

/// One side of a pair: a shape on a body.
#[derive(Clone, Copy, Debug)]
pub struct GuardSide<'a> {
    /// The shape.
    pub shape: &'a Shape,
    /// Its frame in the body's, if that is another.
    pub local: Option<&'a Frame>,
    /// The caller's number of the body.
    pub body: u32,
}

/// What proved a pair apart, made to be tested eight at once.
///
/// The separation is measured along a normal that turns with one of the bodies, the *own*
/// one; the shape of the other body is what turns least.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[repr(align(64))]
pub struct Guard {
    /// The unit normal, from the own shape to the other, in the own body's frame, and what is to
    /// be added to the way between the bodies along it for the separation beyond the margin, less
    /// rounding, in metres; rotation of the other body seen from the own one, then: x, y, z, w;
    /// origin of the other shape in its body's frame, and the extent of its core, in metres.
    rows: Rows,
    /// How far either body may get in a step without forces, or both past each other with them, in
    /// metres, without their ways counting; less than nothing where turning does not count for the
    /// way past each other.
    calm: f32,
    /// The own body and the other.
    bodies: [u32; 2],
}

const _: () = assert!(size_of::<Guard>() == 64);

impl Guard {
    /// Proves nothing.
    pub const NONE: Self = Self {
        rows: [
            [0.0, 0.0, 0.0, f32::NEG_INFINITY],
            [0.0, 0.0, 0.0, 1.0],
            [0.0; 4],
        ],
        calm: 0.0,
        bodies: [NOBODY; 2],
    };

    /// From what [`collide`](crate::collide()) last left in a tracker, for a pair that counts as
    /// apart beyond `margin` metres; [`Guard::NONE`] when it did not find it so. Where one of the
    /// bodies gets farther than `calm` metres in a step without forces, and both past each other
    /// with them, the pair has to stay apart on their ways as well; `turns` tells whether turning
    /// counts there, or only their centres' ways.
    pub fn new(
        tracker: &Tracker,
        [a, b]: &[GuardSide<'_>; 2],
        margin: f32,
        calm: f32,
        turns: bool,
    ) -> Self {
        let margin = f64::from(margin);
        let extents = [extent(a.shape), extent(b.shape)];
        if !tracker.may_be_apart(margin) {
            return Self::NONE;
        }
        // As the tracker does: the shape with the smaller extent counts as the one that turns.
        let (then, turn, normal) = (
            tracker.last_pose(),
            tracker.last_turn(),
            tracker.last_normal(),
        );
        let guard = if extents[1] <= extents[0] {
            let last = (&then, turn, normal);
            Self::seen_from(a, b, last, (extents[1], tracker.gap()), margin)
        } else {
            let [x, y, z, w] = turn;
            let normal = -then.inverse_rotate(normal);
            let last = (&then.inverse(), [-x, -y, -z, w], normal);
            Self::seen_from(b, a, last, (extents[0], tracker.gap()), margin)
        };
        let calm = if turns { calm } else { -calm };
        Self { calm, ..guard }
    }

    /// From the pose of the other shape, its rotation once more, and the normal at the last answer.
    fn seen_from(
        own: &GuardSide<'_>,
        other: &GuardSide<'_>,
        (then, turn, normal): (&Frame, [f32; 4], DVec3),
        (extent, gap): (f64, f64),
        margin: f64,
    ) -> Self {
        let (mut turn, mut normal_on_body) = (turn, normal);
        let (mut own_lever, mut lever) = (DVec3::ZERO, DVec3::ZERO);
        if own.local.is_some() || other.local.is_some() {
            let on_own = own.local.unwrap_or(&Frame::IDENTITY);
            let on_other = other.local.unwrap_or(&Frame::IDENTITY);
            let chain = on_own.rotation * then.rotation * on_other.rotation.transpose();
            turn = rotation::from_dmatrix(chain)
                .to_array()
                .map(|part| part as f32);
            normal_on_body = on_own.rotate(normal);
            (own_lever, lever) = (on_own.translation, on_other.translation);
        }
        let size = then.translation.length() + extent + gap;
        let all = size + margin + own_lever.length() + lever.length();
        let base = gap
            - normal.dot(then.translation)
            - normal_on_body.dot(own_lever)
            - margin
            - STORED_POSE_ROUNDING * size
            - GUARD_ROUNDING * all;
        if !base.is_finite() {
            return Self::NONE;
        }
        let [x, y, z] = normal_on_body.as_vec3().to_array();
        let lever = lever.as_vec3();
        Self {
            rows: [
                [x, y, z, base as f32],
                turn,
                [lever.x, lever.y, lever.z, extent as f32],
            ],
            bodies: [own.body, other.body],
            ..Self::NONE
        }
    }

    /// Whether it may prove anything.
    #[inline]
    pub fn is_some(&self) -> bool {
        self.bodies[0] != NOBODY
    }
}

/// Which of at most 64 pairs are certainly still apart: one bit each, the first lowest.
///
/// `slot_of` leads from a body's number to its pose; bodies without one leave the bits of their
/// pairs at 0. A pair of which one is [fast](Guard::new) is apart when it will be for the whole step,
/// its turning left out where it does not count.
#[inline(always)]
pub fn still_apart<S: Simd>(
    simd: S,
    guards: &[Guard],
    slot_of: &[u32],
    poses: &[GuardPose],
) -> u64 {
    debug_assert!(guards.len() <= 64);
    let mut apart = 0;
    for (block, guards) in guards.chunks(LANES).enumerate() {
        let mut eight = Eight::NONE;
        let mut is_any = false;
        for (lane, guard) in guards.iter().enumerate() {
            let [own, other] = guard.bodies;
            if own == NOBODY {
                continue;
            }
            let (own, other) = (slot_of[own as usize], slot_of[other as usize]);
            let own = poses.get(own as usize);
            if let (Some(own), Some(other)) = (own, poses.get(other as usize)) {
                eight.guards[lane] = &guard.rows;
                eight.own[lane] = &own.rows;
                eight.other[lane] = &other.rows;
                eight.calm[lane] = guard.calm;
                is_any = true;
            }
        }
        if is_any {
            apart |= u64::from(eight.are_apart(simd)) << (block * LANES);
        }
    }
    apart
}

/// Eight pairs.
struct Eight<'a> {
    guards: [&'a Rows; LANES],
    own: [&'a PoseRows; LANES],
    other: [&'a PoseRows; LANES],
    calm: [f32; LANES],
}

impl Eight<'_> {
    /// Of which nothing is known.
    const NONE: Self = Self {
        guards: [&Guard::NONE.rows; LANES],
        own: [&[[0.0; 4]; 4]; LANES],
        other: [&[[0.0; 4]; 4]; LANES],
        calm: [0.0; LANES],
    };

    /// Which of them certainly are: one bit each.
    #[inline(always)]
    fn are_apart<S: Simd>(&self, simd: S) -> u32 {
        let own = row(simd, &self.own, 0);
        let other = row(simd, &self.other, 0);
        let (low_own, low_other) = (row(simd, &self.own, 1), row(simd, &self.other, 1));
        let far = size(vector(&own));
        let way = vector(&other) - vector(&own) + (vector(&low_other) - vector(&low_own));
        let zero = f32x8::splat(simd, 0.0);
        let calm = f32x8::load_array_ref(simd, &self.calm);
        let turns = calm.simd_ge(zero);
        let calm = calm.abs();
        let is_calm = calm.simd_ge(max(own[3], other[3]));
        let turn_own = row(simd, &self.own, 2);
        let turn_other = row(simd, &self.other, 2);

        let known = row(simd, &self.guards, 0);
        let lever = row(simd, &self.guards, 2);
        let normal = rotate(&turn_own, vector(&known));
        let mut gap = known[3] + normal.dot(way);
        if lever[0].simd_eq(zero).to_bitmask()
            & lever[1].simd_eq(zero).to_bitmask()
            & lever[2].simd_eq(zero).to_bitmask()
            != 0xff
        {
            gap += normal.dot(rotate(&turn_other, vector(&lever)));
        }
        let since = since(
            &row(simd, &self.guards, 1),
            &between(&turn_own, &turn_other),
        );
        let chord = f32x8::splat(simd, 2.0) * since.length();
        let rounding = f32x8::splat(simd, GUARD_ROUNDING as f32) * size(way)
            + f32x8::splat(simd, FAR_ROUNDING as f32) * far;
        let mut left = gap - chord * lever[3] - rounding;
        if is_calm.to_bitmask() as u32 & 0xff != 0xff {
            // Shapes that go the same way, or part, do not come nearer than turning takes them.
            let (ahead, astern) = (row(simd, &self.own, 3), row(simd, &self.other, 3));
            let way = vector(&ahead) - vector(&astern);
            let turning = ahead[3] + astern[3];
            let all = size(vector(&ahead)) + size(vector(&astern)) + turning;
            let rounding = f32x8::splat(simd, GUARD_ROUNDING as f32) * all;
            let past = way.length() + turning + rounding;
            let is_calm = is_calm | calm.simd_ge(past);
            let closing = max(normal.dot(way), zero);
            let turned = turns.select(turning, zero);
            left -= is_calm.select(zero, closing + turned + rounding);
        }
        left.simd_gt(zero).to_bitmask() as u32 & 0xff
    }
}

/// One row of each of eight things, number by number.
#[inline(always)]
fn row<S: Simd, const N: usize>(
    simd: S,
    things: &[&[[f32; 4]; N]; LANES],
    row: usize,
) -> [f32x8<S>; 4] {
    let [a, b, c, d, e, f, g, h] = things;
    let rows = [
        &a[row], &b[row], &c[row], &d[row], &e[row], &f[row], &g[row], &h[row],
    ];
    rows_to_lanes_4(simd, rows)
}

/// The first three numbers.
#[inline(always)]
fn vector<S: Simd>(row: &[f32x8<S>; 4]) -> Vec3x8<S> {
    let [x, y, z, _] = *row;
    Vec3x8 { x, y, z }
}

/// The sum of the components' sizes, which is at least the length.
#[inline(always)]
fn size<S: Simd>(v: Vec3x8<S>) -> f32x8<S> {
    v.x.abs() + v.y.abs() + v.z.abs()
}

/// Vectors turned by unit quaternions: `v + 2 (w (u x v) + u x (u x v))`.
#[inline(always)]
fn rotate<S: Simd>(turn: &[f32x8<S>; 4], v: Vec3x8<S>) -> Vec3x8<S> {
    let u = vector(turn);
    let half = u.cross(v);
    let both = half.scale(turn[3]) + u.cross(half);
    v + both + both
}

/// The second rotations seen from the first: `conj(a) b`.
#[inline(always)]
fn between<S: Simd>(a: &[f32x8<S>; 4], b: &[f32x8<S>; 4]) -> [f32x8<S>; 4] {
    let (u, v) = (vector(a), vector(b));
    let part = since(a, b);
    [part.x, part.y, part.z, a[3] * b[3] + u.dot(v)]
}

/// The vector part of `conj(a) b`: as long as the sine of half the angle between them.
#[inline(always)]
fn since<S: Simd>(a: &[f32x8<S>; 4], b: &[f32x8<S>; 4]) -> Vec3x8<S> {
    let (u, v) = (vector(a), vector(b));
    v.scale(a[3]) - u.scale(b[3]) - u.cross(v)
}
