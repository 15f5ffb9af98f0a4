//! One step: the stages, in order.

use std::time::Duration;

use drystone_solver::{BodyTable, StepSettings};

use crate::World;
use crate::hooks::{Hooks, NoHooks};
use crate::stats::Stopwatch;

impl World {
    /// Advances the world by `settings().dt`.
    ///
    /// Events and stats speak of this step afterwards. A `dt` of zero changes nothing.
    pub fn step(&mut self) {
        self.step_with(&mut NoHooks);
    }

    /// [`World::step`], with a say in which pairs meet and how contacts act.
    pub fn step_with<H: Hooks>(&mut self, hooks: &mut H) {
        let mut watch = Stopwatch::start();
        self.events.clear();
        if self.settings.dt == 0.0 {
            return;
        }
        self.stats.times.serial = Duration::ZERO;
        self.cut_step();
        self.apply_targets();
        self.undo_patches();
        self.reach_out();
        self.update_pairs(hooks);
        self.stats.times.broad = watch.lap();
        self.collide();
        self.foresee();
        self.wake_carried();
        self.note_approaches();
        self.patch_contacts(hooks);
        self.merge_contacts();
        self.aim_foreseen();
        self.stats.times.narrow = watch.lap();
        self.solve();
        self.take_back_aim();
        self.part_contacts();
        self.stats.times.solve = watch.lap();
        self.follow_poses();
        self.report_touch();
        self.report_joints();
        self.forget_foreseen();
        self.take_back_rims();
        self.report_sensors();
        self.stats.times.finish = watch.lap();
        self.fall_asleep();
        self.stats.times.islands = watch.lap();
        self.stats.times.serial += self.stats.times.islands + self.stats.solver.plan;
        self.time += f64::from(self.settings.dt);
        self.step_count += 1;
        std::mem::swap(&mut self.pending_events, &mut self.events);
        self.note_step();
        self.count();
    }

    /// Stage 3: velocities and poses under forces, contacts and joints.
    fn solve(&mut self) {
        let settings = StepSettings {
            gravity: self.settings.gravity,
            dt: self.settings.dt,
            substeps: self.settings.substeps,
            pace: self.last_cut.pace,
            restitution_threshold: self.settings.restitution_threshold,
            max_push_speed: self.settings.max_push_speed,
            simd: self.level,
        };
        let table = BodyTable {
            slot_of: &self.slot_of,
            statics: &self.statics,
        };
        let (solver, awake) = (&mut self.solver, &mut self.awake);
        let (contacts, joints) = (&mut self.contacts.solver, &mut self.joints);
        let graph = &self.graph;
        let workers = &self.workers;
        solver.watch(&self.watched_joints);
        self.stats.solver = solver.step(workers, &settings, awake, table, contacts, joints, graph);
    }

    fn count(&mut self) {
        let stats = &mut self.stats;
        let times = &mut stats.times;
        times.total = times.broad + times.narrow + times.solve + times.finish + times.islands;
        stats.bodies = self.body_keys.len();
        stats.awake = self.awake.len();
        stats.shapes = self.shape_keys.len();
        stats.joints = self.joint_keys.len();
        stats.pairs = self.contacts.live_count();
        stats.colours = stats.solver.colours as usize;
        stats.islands = self.islands.count();
    }
}
