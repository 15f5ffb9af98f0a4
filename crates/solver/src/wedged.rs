//! Wedged bodies: what leans on several things at rest gets no energy from them.
//!
//! The impulses at which contacts without push-out come to an end leave a body as little kinetic energy
//! as pushes can, and no more than it had without any of them: with `v` the velocity before them and
//! `M^-1 J^T x` what they change, that energy is what sweeps over the contacts make smaller, one contact
//! at a time (Moreau, *Quadratic programming in mechanics*, 1966). Between walls that face each other
//! they get there slowly, the more so the steeper the wedge: what pushes against one wall pushes the body
//! into the next. The biased sweep starts them far off, since what it asks for to remove a trace of
//! overlap between steep walls are huge impulses, and one relaxing sweep does not take them back. A peg
//! without friction at the mouth of a narrow cone shot up by eighteen times its size.
//!
//! So a body that touches only things at rest, two or more, is given after a sub-step no larger a share of
//! the impulses of its contacts than leaves it the kinetic energy that it had without them. What has come
//! to its end is not changed, and nothing in free flight is. Bodies that others push, joints hold or
//! movers carry may well gain energy, and what bounces gets back in one sub-step what it lost in another.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use drystone_geometry::glam::{Quat, Vec3};
use drystone_geometry::lanes::LANES;
use drystone_geometry::rotation;

use crate::body::Body;
use crate::body_rows::{BodyRows, READ_ONLY, STATIC_ROW, row_index};
use crate::contact::Contact;
use crate::contact::bundle::{NO_CONTACT, NormalBundle};
use crate::free_motion::Motion;
use crate::sweep::Work;

/// Set in a [`Row`]'s touches where something may bring the body energy.
const DRIVEN: u32 = 1 << 31;

/// Set where the velocity without contacts is known.
const OPEN: u32 = 1 << 30;

/// Of each body: what it touches, and how it would move without.
#[derive(Debug, Default)]
pub(crate) struct WedgedRows {
    rows: Vec<Row>,
    /// Whether some body has two contacts with what never moves.
    any: AtomicBool,
}

#[derive(Debug, Default)]
struct Row {
    /// Contacts with what never moves, a count, and flags.
    touches: AtomicU32,
    /// Linear and angular velocity without contacts, in m/s and rad/s.
    free: [AtomicU32; 6],
}

impl WedgedRows {
    /// Makes room for so many rows.
    pub(crate) fn resize(&mut self, length: usize) {
        self.rows.resize_with(length, Row::default);
        *self.any.get_mut() = false;
    }

    /// Whether there is anything to be done in this step.
    #[inline]
    pub(crate) fn any(&self) -> bool {
        self.any.load(Ordering::Relaxed)
    }

    /// Forgets what a body touched.
    #[inline]
    pub(crate) fn clear(&self, row: u32) {
        self.rows[row as usize].touches.store(0, Ordering::Relaxed);
    }

    /// Takes down what the contacts in eight lanes are between. Several workers may do so for one body: a
    /// flag that is set stays, and whoever counts to two sees to it that the body is looked after.
    #[inline]
    pub(crate) fn note<const N: usize, const C: usize>(
        &self,
        contacts: &[Contact],
        ids: &[u32; LANES],
        bundle: &NormalBundle<N, C>,
    ) {
        for (lane, &id) in ids.iter().enumerate() {
            let (a, b) = (bundle.row_a[lane], bundle.row_b[lane]);
            if id == NO_CONTACT {
                continue;
            }
            if (a | b) & READ_ONLY == 0 {
                self.drive(a);
                self.drive(b);
            } else {
                self.lean(&contacts[id as usize], a, b);
            }
        }
    }

    /// Takes down a contact with a body that nothing pushes.
    fn lean(&self, contact: &Contact, a: u32, b: u32) {
        let (own, other) = if a & READ_ONLY == 0 { (a, b) } else { (b, a) };
        if own & READ_ONLY != 0 {
            return;
        }
        let carries = contact.tangent_velocity != Vec3::ZERO;
        if other != STATIC_ROW || carries || contact.restitution > 0.0 {
            self.drive(own);
        } else {
            let touches = &self.rows[own as usize].touches;
            let before = touches.fetch_add(1, Ordering::Relaxed);
            if 0 < before && before < OPEN {
                self.any.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Whether the body of a row is a mover, has contacts, or is held by joints that no tree has.
    #[inline]
    pub(crate) fn is_touched(&self, row: u32) -> bool {
        row & READ_ONLY != 0 || self.rows[row as usize].touches.load(Ordering::Relaxed) != 0
    }

    /// Takes down that something that may bring it energy acts on the body of a row.
    #[inline]
    pub(crate) fn hold(&self, row: u32) {
        if row & READ_ONLY == 0 {
            self.drive(row);
        }
    }

    #[inline]
    fn drive(&self, row: u32) {
        let touches = &self.rows[row as usize].touches;
        touches.store(DRIVEN, Ordering::Relaxed);
    }

    fn free(&self, row: u32) -> [Vec3; 2] {
        let free = &self.rows[row as usize].free;
        let [a, b, c, d, e, f] = free
            .each_ref()
            .map(|part| f32::from_bits(part.load(Ordering::Relaxed)));
        [Vec3::new(a, b, c), Vec3::new(d, e, f)]
    }

    fn set_free(&self, row: u32, [linear, angular]: [Vec3; 2]) {
        let parts = linear.to_array().into_iter().chain(angular.to_array());
        for (part, value) in self.rows[row as usize].free.iter().zip(parts) {
            part.store(value.to_bits(), Ordering::Relaxed);
        }
    }
}

impl Work<'_> {
    /// Moves the bodies of a block and keeps account of those that are wedged.
    pub(crate) fn move_wedged(&self, block: usize, motion: Motion) {
        let rows = self.rows;
        if !rows.wedged.any() {
            self.move_bodies(block, motion);
            return;
        }
        match motion {
            Motion::Accelerate => {
                self.each_body(block, |slot, body| settle(rows, slot, body));
                self.move_bodies(block, motion);
                self.each_body(block, |slot, _| {
                    open(rows, slot, self.plan.joints.load(slot).is_jointed);
                });
            }
            Motion::Advance(_) => {
                self.each_body(block, |slot, _| pass_movement(rows, slot, -1.0));
                self.move_bodies(block, motion);
                self.each_body(block, |slot, _| pass_movement(rows, slot, 1.0));
            }
        }
    }
}

/// Takes down how body number `slot` moves once forces have acted on it in a sub-step, if it is wedged.
pub(crate) fn open(rows: &BodyRows, slot: u32, is_jointed: bool) {
    let row = row_index(slot);
    let touches = &rows.wedged.rows[row as usize].touches;
    let count = touches.load(Ordering::Relaxed);
    if count > 1 && count < OPEN && !is_jointed {
        let (linear, angular) = rows.velocity(row);
        rows.wedged.set_free(row, [linear, angular]);
        touches.store(count | OPEN, Ordering::Relaxed);
    }
}

/// Leaves movement out of what contacts do: a body that turns freely changes its spin. To be called with
/// -1 before it moves, and with 1 after.
pub(crate) fn pass_movement(rows: &BodyRows, slot: u32, sign: f32) {
    let row = row_index(slot);
    if is_open(rows, row) {
        let (linear, angular) = rows.velocity(row);
        let [free_linear, free_angular] = rows.wedged.free(row);
        let free = [free_linear + sign * linear, free_angular + sign * angular];
        rows.wedged.set_free(row, free);
    }
}

/// Takes from body number `slot`, at the end of a sub-step, what its contacts have brought it in energy.
pub(crate) fn settle(rows: &BodyRows, slot: u32, body: &Body) {
    let row = row_index(slot);
    if !is_open(rows, row) {
        return;
    }
    let touches = &rows.wedged.rows[row as usize].touches;
    touches.fetch_and(!OPEN, Ordering::Relaxed);
    let (linear, angular) = rows.velocity(row);
    let (_, turn) = rows.movement(row);
    let free = rows.wedged.free(row);
    let changes = [linear - free[0], angular - free[1]];
    let share = share_without_gain(body, turn, free, changes);
    if share < 1.0 {
        let [linear, angular] = [0, 1].map(|i| free[i] + share * changes[i]);
        rows.set_velocity(row, linear, angular);
    }
}

fn is_open(rows: &BodyRows, row: u32) -> bool {
    let touches = rows.wedged.rows[row as usize]
        .touches
        .load(Ordering::Relaxed);
    touches & (DRIVEN | OPEN) == OPEN
}

/// Largest share of changes of the linear and the angular velocity that brings no energy, at most 1.
///
/// A share `s` of the change `d` of a velocity `v` brings `s v.M d + s^2 d.M d / 2`.
fn share_without_gain(body: &Body, turn: Quat, free: [Vec3; 2], changes: [Vec3; 2]) -> f32 {
    let orientation = rotation::multiply(turn, body.rotation);
    let frame = rotation::multiply(orientation, body.principal_rotation);
    let [spin, spin_change] =
        [free[1], changes[1]].map(|w| rotation::rotate_inverse(frame, w).as_dvec3());
    let [speed, speed_change] = [free[0], changes[0]].map(|v| v.as_dvec3());
    // In units of the mass: what carries more counts as heavier in every way alike.
    let inertia = body.inertia.as_dvec3() * f64::from(body.inverse_mass);
    let linear = speed.dot(speed_change) + (inertia * spin).dot(spin_change);
    let square = speed_change.length_squared() + (inertia * spin_change).dot(spin_change);
    if 2.0 * linear + square > 0.0 {
        (-2.0 * linear / square).max(0.0) as f32
    } else {
        1.0
    }
}
