//! From what a snapshot stored to a world: every part is checked, then put together.

use drystone_broad_phase::BroadPhase;
use drystone_geometry::glam::Quat;
use drystone_solver::Solver;

use super::stored::Stored;
use super::{Checked, SnapshotError, Threads, bodies, constraints, ensure, level_of};
use crate::World;
use crate::events::Events;
use crate::merge::Merging;
use crate::stats::Stats;
use crate::tolerance::UNIT_QUATERNION_ERROR;
use crate::words::{Visit, visit};
use crate::{check, record};

/// The world that was stored, stepped by these workers.
pub(super) fn world(mut stored: Stored, workers: Threads) -> Checked<World> {
    check_numbers(&stored)?;
    let level = level_of(&mut stored.settings);
    let mut world = World {
        settings: stored.settings.clone(),
        workers,
        level,
        time: stored.time,
        step_count: stored.step_count,
        last_cut: stored.last_cut,
        body_keys: std::mem::take(&mut stored.body_keys),
        bodies: Vec::new(),
        shape_keys: std::mem::take(&mut stored.shape_keys),
        shapes: Vec::new(),
        joint_keys: std::mem::take(&mut stored.joint_keys),
        joints: Vec::new(),
        joint_defs: Vec::new(),
        watched_joints: Vec::new(),
        awake: Vec::new(),
        asleep: Vec::new(),
        slot_of: Vec::new(),
        statics: Vec::new(),
        frames: Vec::new(),
        guard_poses: Vec::new(),
        calm: Vec::new(),
        broad: BroadPhase::new(),
        contacts: Default::default(),
        graph: Default::default(),
        islands: Default::default(),
        solver: Solver::default(),
        pending_events: std::mem::take(&mut stored.pending_events),
        events: std::mem::take(&mut stored.events),
        targeted: std::mem::take(&mut stored.targeted),
        bullets: Vec::new(),
        movers: std::mem::take(&mut stored.movers),
        foreseen: Vec::new(),
        pushes: Vec::new(),
        merging: Merging::default(),
        asking: std::mem::take(&mut stored.asking),
        patched: Vec::new(),
        approaches: Vec::new(),
        sensor_contacts: Default::default(),
        carried_contacts: Default::default(),
        sensors_stale: stored.sensors_stale,
        journal: None,
        stats: Stats::default(),
        chunk_reports: Vec::new(),
        followed: Vec::new(),
    };
    bodies::bring_back(&mut world, &stored)?;
    constraints::bring_back(&mut world, &mut stored)?;
    Ok(world)
}

/// Looks for numbers that are not finite.
struct Finite(bool);

impl Visit for Finite {
    fn integer(&mut self, _: u64) {}

    fn single(&mut self, value: f32) {
        self.0 &= value.is_finite();
    }

    fn double(&mut self, value: f64) {
        self.0 &= value.is_finite();
    }
}

/// Numbers must be finite, except where a shape is infinite, and counts must agree.
fn check_numbers(stored: &Stored) -> Checked<()> {
    let Stored {
        settings,
        time,
        step_count: _,
        last_cut,
        body_keys,
        shape_keys,
        joint_keys,
        shared: _,
        bodies,
        shapes,
        joints,
        awake,
        asleep,
        boxes: _,
        contacts,
        free_contacts: _,
        colours: _,
        islands: _,
        pending_events,
        events,
        targeted: _,
        movers: _,
        asking,
        sensors_stale: _,
    } = stored;
    check::settings(settings).map_err(refused)?;
    check::dt(last_cut.substep).map_err(refused)?;
    check::dt(last_cut.pace).map_err(refused)?;
    let mut finite = Finite(true);
    visit(&(time, bodies, shapes, joints), &mut finite);
    visit(&(awake, asleep), &mut finite);
    for contact in contacts.iter().flatten() {
        // Its tracker may keep infinite bounds and is checked with the shapes.
        let numbers = (
            (&contact.normals, &contact.belt),
            (&contact.points, &contact.impulses),
        );
        visit(&numbers, &mut finite);
    }
    let told: [&Events; 2] = [pending_events, events];
    visit(&told, &mut finite);
    ensure(finite.0, "a number is not finite")?;
    ensure(
        body_keys.is_sound() && shape_keys.is_sound() && joint_keys.is_sound(),
        "a key is in use and free at once",
    )?;
    ensure(
        body_keys.len() == bodies.len()
            && shape_keys.len() == shapes.len()
            && joint_keys.len() == joints.len(),
        "there are not as many bodies, shapes or joints as keys",
    )?;
    let slots = shape_keys.slots();
    ensure(
        asking.iter().all(|shape| (*shape as usize) < slots),
        "a shape that does not exist is asked about",
    )?;
    ensure(
        contacts.len() < record::NONE as usize / 2,
        "there are too many contacts",
    )
}

/// A description that the border would have refused.
pub(super) fn refused(error: crate::DefError) -> SnapshotError {
    SnapshotError::Malformed(error.to_string())
}

/// Whether a quaternion is of unit length, up to what stepping leaves.
pub(super) fn is_unit(q: Quat) -> bool {
    let length_sq = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    (length_sq - 1.0).abs() <= UNIT_QUATERNION_ERROR
}
