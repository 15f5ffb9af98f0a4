//! Body rows: what sweeps read and write of a body, in two cache lines, or one where the body is
//! as hard to move in every direction.
//!
//! The constraints of one colour push no body twice, so their writes are disjoint, but no
//! slice of Rust can say so: which rows a block writes is data. The rows are therefore made
//! of atomics, read and written with relaxed order. A relaxed access of 64 bits is a plain
//! move on every processor in use, so all it costs is that two floats come at a time instead
//! of eight. The borders between stages order everything else.
//!
//! Determinism: a row is written by at most one constraint of a colour, hence every read has
//! one possible value. A wrong colouring could make results depend on chance but never break
//! memory; the graph's tests check the colouring itself.
//!
//! What sweeps write of a body has a line of its own, so two workers never fight over one by
//! accident.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use drystone_geometry::glam::{Quat, Vec3};
use drystone_geometry::lanes::{LANES, SymMat3x8, Vec3x8, f32x4, f32x8, prelude::*};
use fearless_simd::u64x2;

use crate::wedged::WedgedRows;
use loads::LoadRows;
use rests::RestRows;

/// Set in a row index when the velocity must not be written: the body is static or kinematic
/// and may occur in several lanes of a colour.
pub(crate) const READ_ONLY: u32 = 1 << 31;

/// Row index of everything that never moves, and of empty lanes: reads zeros, ignores writes.
pub(crate) const STATIC_ROW: u32 = READ_ONLY;

/// Rows before those of the bodies: the zeros of static bodies.
const RESERVED: u32 = 1;

/// First pair of floats of the velocity: linear and angular, six floats.
const VELOCITY: usize = 0;

/// Pair of the inverse mass and the inverse inertia of a body that has the same of both along and
/// about every axis; of others both are negative, and [`MASS`] tells.
const ALIKE: usize = 3;

/// First pair of the movement: position, unused, rotation x, y, z, w.
const MOVEMENT: usize = 4;

/// First pair of the masses: inverse inertia xx, yy, zz, yz, zx, xy, inverse mass x, y, z,
/// unevenness.
const MASS: usize = 0;

/// First pair of the drive: changes of the linear and the angular velocity.
const DRIVE: usize = 5;

/// Sixteen floats; two share an atomic.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Line([AtomicU64; 8]);

/// What sweeps know of all bodies, shared by all workers.
#[derive(Debug, Default)]
pub(crate) struct BodyRows {
    /// Velocity, mass if it is alike all round, and movement.
    states: Vec<Line>,
    /// Mass and drive.
    constants: Vec<Line>,
    /// Damping factors, linear and angular. Sweeps do not ask for them.
    dampings: Vec<AtomicU64>,
    /// Which bodies have turned so far that their contacts must be weighed again.
    turned: Vec<AtomicBool>,
    /// Whether any body has.
    any_turned: AtomicBool,
    /// Mass in kg that bodies count as for what they [carry](crate::contact::burden).
    pub(crate) burdens: LoadRows,
    /// What joints [pull](crate::joint::pull) at bodies with, impulses in a sub-step times their arms
    /// summed up, in N m s.
    pub(crate) pulls: LoadRows,
    /// Which bodies touch nothing but things at rest.
    pub(crate) wedged: WedgedRows,
    /// What trees solve of the contacts of their bodies.
    pub(crate) rests: RestRows,
}

/// How hard a body is to move, in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MassRow {
    /// Inverse inertia xx, yy, zz.
    pub(crate) diagonal: Vec3,
    /// Inverse inertia yz, zx, xy.
    pub(crate) off_diagonal: Vec3,
    /// By axis; zero along a locked one.
    pub(crate) inverse_mass: Vec3,
    /// What turning does to the inertia: nothing where it is 0. Else it is four times the greatest
    /// principal moment over the least, less one, or negative where there is more to renewing it
    /// than turning it.
    pub(crate) unevenness: f32,
}

/// Whether all of eight rows are those of [`STATIC_ROW`].
#[inline(always)]
pub(crate) fn are_static(indices: &[u32; LANES]) -> bool {
    indices.iter().fold(0, |any, index| any | index) & !READ_ONLY == 0
}

/// Index by which rows are reached of the body in slot `slot` of the awake array.
#[inline(always)]
pub(crate) const fn row_index(slot: u32) -> u32 {
    slot + RESERVED
}

/// The slot whose rows these are.
pub(crate) const fn slot_of_row(row: u32) -> u32 {
    (row & !READ_ONLY) - RESERVED
}

impl BodyRows {
    /// Makes room for `count` bodies, below 2^31 - 1, none of which has turned yet. Rows keep what
    /// they held, new ones hold zeros.
    pub(crate) fn resize(&mut self, count: usize) {
        let length = count + RESERVED as usize;
        debug_assert!(length < READ_ONLY as usize);
        self.states.resize_with(length, Line::default);
        self.constants.resize_with(length, Line::default);
        self.dampings.resize_with(length, AtomicU64::default);
        if *self.any_turned.get_mut() {
            self.turned.clear();
            *self.any_turned.get_mut() = false;
        }
        self.turned.resize_with(length, AtomicBool::default);
        self.burdens.resize(length);
        self.pulls.resize(length);
        self.wedged.resize(length);
    }

    /// Notes that a body has turned so far since the step began that contacts which were prepared
    /// then would push it too hard.
    #[cold]
    pub(crate) fn set_turned(&self, index: u32) {
        self.turned[(index & !READ_ONLY) as usize].store(true, Ordering::Relaxed);
        self.any_turned.store(true, Ordering::Relaxed);
    }

    /// Whether any body has turned so far.
    #[inline(always)]
    pub(crate) fn any_turned(&self) -> bool {
        self.any_turned.load(Ordering::Relaxed)
    }

    /// Which of eight bodies have turned so far, a bit each.
    pub(crate) fn turned(&self, indices: &[u32; LANES]) -> u8 {
        let mut lanes = 0;
        for (lane, index) in indices.iter().enumerate() {
            let turned = self.turned[(index & !READ_ONLY) as usize].load(Ordering::Relaxed);
            lanes |= u8::from(turned) << lane;
        }
        lanes
    }

    /// Linear and angular velocity.
    #[inline(always)]
    pub(crate) fn velocity(&self, index: u32) -> (Vec3, Vec3) {
        line(&self.states, index).two_vectors(VELOCITY)
    }

    /// Replaces the velocity, unless the index says [`READ_ONLY`].
    #[inline(always)]
    pub(crate) fn set_velocity(&self, index: u32, linear: Vec3, angular: Vec3) {
        if index & READ_ONLY == 0 {
            line(&self.states, index).set_two_vectors(VELOCITY, linear, angular);
        }
    }

    /// Factors on the linear and the angular velocity in a sub-step.
    #[inline(always)]
    pub(crate) fn damping(&self, index: u32) -> [f32; 2] {
        unpack(self.dampings[index as usize].load(Ordering::Relaxed))
    }

    /// Replaces the damping factors.
    #[inline(always)]
    pub(crate) fn set_damping(&self, index: u32, linear: f32, angular: f32) {
        self.dampings[index as usize].store(pack(linear, angular), Ordering::Relaxed);
    }

    /// Movement of the centre and rotation since the step began; all zeros for a static body.
    #[inline(always)]
    pub(crate) fn movement(&self, index: u32) -> (Vec3, Quat) {
        let line = line(&self.states, index);
        let [px, py] = line.pair_of_floats(MOVEMENT);
        let [pz, _] = line.pair_of_floats(MOVEMENT + 1);
        let [x, y] = line.pair_of_floats(MOVEMENT + 2);
        let [z, w] = line.pair_of_floats(MOVEMENT + 3);
        (Vec3::new(px, py, pz), Quat::from_xyzw(x, y, z, w))
    }

    /// Replaces the movement.
    #[inline(always)]
    pub(crate) fn set_movement(&self, index: u32, position: Vec3, rotation: Quat) {
        let line = line(&self.states, index);
        line.set_pair(MOVEMENT, position.x, position.y);
        line.set_pair(MOVEMENT + 1, position.z, 0.0);
        line.set_pair(MOVEMENT + 2, rotation.x, rotation.y);
        line.set_pair(MOVEMENT + 3, rotation.z, rotation.w);
    }

    /// Changes of the linear and the angular velocity by forces in a sub-step.
    #[inline(always)]
    pub(crate) fn drive(&self, index: u32) -> (Vec3, Vec3) {
        line(&self.constants, index).two_vectors(DRIVE)
    }

    /// Replaces the changes by forces.
    #[inline(always)]
    pub(crate) fn set_drive(&self, index: u32, linear: Vec3, angular: Vec3) {
        line(&self.constants, index).set_two_vectors(DRIVE, linear, angular);
    }

    /// Velocities of eight bodies: linear and angular.
    #[inline(always)]
    pub(crate) fn velocities<S: Simd>(
        &self,
        simd: S,
        indices: &[u32; LANES],
    ) -> (Vec3x8<S>, Vec3x8<S>) {
        two_vectors(simd, &rows(&self.states, indices), VELOCITY)
    }

    /// Movements of eight bodies: position, vector and scalar part of the rotation.
    #[inline(always)]
    pub(crate) fn movements<S: Simd>(
        &self,
        simd: S,
        indices: &[u32; LANES],
    ) -> (Vec3x8<S>, Vec3x8<S>, f32x8<S>) {
        movements(simd, &rows(&self.states, indices))
    }

    /// Changes of the velocities by forces in a sub-step, of eight bodies: linear and angular.
    #[inline(always)]
    pub(crate) fn drives<S: Simd>(
        &self,
        simd: S,
        indices: &[u32; LANES],
    ) -> (Vec3x8<S>, Vec3x8<S>) {
        two_vectors(simd, &rows(&self.constants, indices), DRIVE)
    }

    /// Replaces the velocities of eight bodies, except where an index says [`READ_ONLY`].
    ///
    /// The other indices must differ, else all but one of the writes are lost.
    #[inline(always)]
    pub(crate) fn set_velocities<S: Simd>(
        &self,
        indices: &[u32; LANES],
        linear: Vec3x8<S>,
        angular: Vec3x8<S>,
    ) {
        if are_static(indices) {
            return;
        }
        let mut pairs = [[0; LANES]; 3];
        zip(linear.x, linear.y, &mut pairs[0]);
        zip(linear.z, angular.x, &mut pairs[1]);
        zip(angular.y, angular.z, &mut pairs[2]);
        for lane in 0..LANES {
            // A branch, not a write to some unread row: that row's cache line would wander
            // between the cores at every contact with the ground.
            if indices[lane] & READ_ONLY == 0 {
                let line = line(&self.states, indices[lane]);
                for (pair, values) in pairs.iter().enumerate() {
                    line.0[VELOCITY + pair].store(values[lane], Ordering::Relaxed);
                }
            }
        }
    }
}

impl Line {
    #[inline(always)]
    fn pair(&self, pair: usize) -> u64 {
        self.0[pair].load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn pair_of_floats(&self, pair: usize) -> [f32; 2] {
        unpack(self.pair(pair))
    }

    #[inline(always)]
    fn set_pair(&self, pair: usize, first: f32, second: f32) {
        self.0[pair].store(pack(first, second), Ordering::Relaxed);
    }

    #[inline(always)]
    fn two_vectors(&self, first: usize) -> (Vec3, Vec3) {
        let [x, y] = self.pair_of_floats(first);
        let [z, u] = self.pair_of_floats(first + 1);
        let [v, w] = self.pair_of_floats(first + 2);
        (Vec3::new(x, y, z), Vec3::new(u, v, w))
    }

    #[inline(always)]
    fn set_two_vectors(&self, first: usize, a: Vec3, b: Vec3) {
        self.set_pair(first, a.x, a.y);
        self.set_pair(first + 1, a.z, b.x);
        self.set_pair(first + 2, b.y, b.z);
    }
}

#[inline(always)]
fn line(lines: &[Line], index: u32) -> &Line {
    &lines[(index & !READ_ONLY) as usize]
}

/// Two floats in the order in which a vector register holds them.
#[inline(always)]
const fn pack(first: f32, second: f32) -> u64 {
    let (first, second) = (first.to_bits() as u64, second.to_bits() as u64);
    if cfg!(target_endian = "little") {
        first | (second << 32)
    } else {
        second | (first << 32)
    }
}

#[inline(always)]
const fn unpack(bits: u64) -> [f32; 2] {
    let low = f32::from_bits(bits as u32);
    let high = f32::from_bits((bits >> 32) as u32);
    if cfg!(target_endian = "little") {
        [low, high]
    } else {
        [high, low]
    }
}

#[inline(always)]
fn rows<'a>(lines: &'a [Line], indices: &[u32; LANES]) -> [&'a Line; LANES] {
    let [i0, i1, i2, i3, i4, i5, i6, i7] = *indices;
    [
        line(lines, i0),
        line(lines, i1),
        line(lines, i2),
        line(lines, i3),
        line(lines, i4),
        line(lines, i5),
        line(lines, i6),
        line(lines, i7),
    ]
}

/// Six floats from pair `first` on of eight rows, as two vectors.
#[inline(always)]
fn two_vectors<S: Simd>(simd: S, rows: &[&Line; LANES], first: usize) -> (Vec3x8<S>, Vec3x8<S>) {
    let (ax, ay) = unzip_pair(simd, rows, first);
    let (az, bx) = unzip_pair(simd, rows, first + 1);
    let (by, bz) = unzip_pair(simd, rows, first + 2);
    let a = Vec3x8 {
        x: ax,
        y: ay,
        z: az,
    };
    let b = Vec3x8 {
        x: bx,
        y: by,
        z: bz,
    };
    (a, b)
}

/// Position, vector and scalar part of the rotation of eight rows.
#[inline(always)]
fn movements<S: Simd>(simd: S, rows: &[&Line; LANES]) -> (Vec3x8<S>, Vec3x8<S>, f32x8<S>) {
    let (px, py) = unzip_pair(simd, rows, MOVEMENT);
    let (pz, _) = unzip_pair(simd, rows, MOVEMENT + 1);
    let (qx, qy) = unzip_pair(simd, rows, MOVEMENT + 2);
    let (qz, qw) = unzip_pair(simd, rows, MOVEMENT + 3);
    let position = Vec3x8 {
        x: px,
        y: py,
        z: pz,
    };
    let axis = Vec3x8 {
        x: qx,
        y: qy,
        z: qz,
    };
    (position, axis, qw)
}

/// The two floats of one pair of eight rows.
///
/// No closure touches a vector here or in any kernel: closures are compiled without the
/// instruction set of the kernel around them.
#[inline(always)]
fn unzip_pair<S: Simd>(simd: S, rows: &[&Line; LANES], pair: usize) -> (f32x8<S>, f32x8<S>) {
    let [r0, r1, r2, r3, r4, r5, r6, r7] = *rows;
    let pairs = [
        r0.pair(pair),
        r1.pair(pair),
        r2.pair(pair),
        r3.pair(pair),
        r4.pair(pair),
        r5.pair(pair),
        r6.pair(pair),
        r7.pair(pair),
    ];
    unzip(simd, pairs)
}

/// The two floats of eight pairs.
#[inline(always)]
fn unzip<S: Simd>(simd: S, pairs: [u64; LANES]) -> (f32x8<S>, f32x8<S>) {
    let [p0, p1, p2, p3, p4, p5, p6, p7] = pairs;
    let (first_low, second_low) = unzip_four(simd, [p0, p1], [p2, p3]);
    let (first_high, second_high) = unzip_four(simd, [p4, p5], [p6, p7]);
    (
        first_low.combine(first_high),
        second_low.combine(second_high),
    )
}

#[inline(always)]
fn unzip_four<S: Simd>(simd: S, front: [u64; 2], back: [u64; 2]) -> (f32x4<S>, f32x4<S>) {
    let front: u64x2<S> = front.simd_into(simd);
    let back: u64x2<S> = back.simd_into(simd);
    let front: f32x4<S> = front.bitcast();
    let back: f32x4<S> = back.bitcast();
    front.deinterleave(back)
}

/// Pairs of eight lanes as they lie in a row.
#[inline(always)]
fn zip<S: Simd>(first: f32x8<S>, second: f32x8<S>, pairs: &mut [u64; LANES]) {
    let (first_low, first_high) = first.split();
    let (second_low, second_high) = second.split();
    let (front, back) = first_low.interleave(second_low);
    let front: u64x2<S> = front.bitcast();
    let back: u64x2<S> = back.bitcast();
    [pairs[0], pairs[1]] = front.to_array();
    [pairs[2], pairs[3]] = back.to_array();
    let (front, back) = first_high.interleave(second_high);
    let front: u64x2<S> = front.bitcast();
    let back: u64x2<S> = back.bitcast();
    [pairs[4], pairs[5]] = front.to_array();
    [pairs[6], pairs[7]] = back.to_array();
}

mod loads;
mod mass;
pub(crate) mod rests;
mod run;
#[cfg(test)]
mod tests;
