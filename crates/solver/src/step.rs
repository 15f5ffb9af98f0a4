//! The step: how the stages follow each other.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use drystone_geometry::Workers;
use drystone_geometry::glam::Vec3;

use crate::body::{Body, BodyTable};
use crate::body_rows::BodyRows;
use crate::contact::Contact;
use crate::contact::bundle::{Lot1, Lot2, Lot4};
use crate::contact::prepare::Scene;
use crate::contact::solve::{ContactSoftness, SweepContext};
use crate::contact::store::store_lane;
use crate::graph::ConstraintGraph;
use crate::integrate;
use crate::joint::plan::open;
use crate::joint::{Joint, JointContext, JointLoad};
use crate::plan::{Place, Plan, Stage};
use crate::softness::Softness;
use crate::stages::{Blocks, run_stages};
use crate::sweep::Work;
use crate::tolerance::{
    BODIES_PER_BLOCK, BOUND_HERTZ_RATIO, BURDEN_RATIO, CONTACT_DAMPING_RATIO, CONTACT_HERTZ_RATIO,
    CONTACT_PUSH_RATIO, CONTACTS_PER_BLOCK, ENDS_PER_BLOCK, JOINT_DAMPING_RATIO, JOINT_HERTZ_RATIO,
    LOOP_MASS_SCALE, STATIC_CONTACT_STIFFNESS, STATIC_TILT_BIAS_RATIO, STATIC_TILT_IMPULSE_SCALE,
    STORED_PER_MICROSECOND, TILT_BIAS_RATIO, TILT_IMPULSE_SCALE,
};

/// How a step is solved.
#[derive(Clone, Copy, Debug)]
pub struct StepSettings {
    /// Acceleration of free fall, in m/s^2.
    pub gravity: Vec3,
    /// Length of the step, in seconds, at least 0; 0 changes nothing.
    pub dt: f32,
    /// Sub-steps, at least 1.
    pub substeps: u32,
    /// Length of the sub-steps at whose pace contacts remove overlap, in seconds, where it is longer than
    /// that of the step's own: what came to rest in long sub-steps lies deep for short ones.
    pub pace: f32,
    /// Approach speed below which a contact does not bounce, in m/s.
    pub restitution_threshold: f32,
    /// Fastest push-out of overlapping shapes, in m/s.
    pub max_push_speed: f32,
    /// Instruction set of the wide kernels. The result does not depend on it.
    pub simd: fearless_simd::Level,
}

/// Where the time of a step went, and how much there was to do.
///
/// A step with a single block of work in each sweep is too short to be taken apart: all up to
/// `finish` counts as `prepare`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolverStats {
    /// Cutting the constraints into blocks, most of it on one thread. Part of `prepare`.
    pub plan: Duration,
    /// Making bundles and rows.
    pub prepare: Duration,
    /// Velocities and positions of all sub-steps.
    pub integrate: Duration,
    /// Warm starts of all sub-steps but those of trees.
    pub warm_start: Duration,
    /// Biased sweeps of all sub-steps, with the warm starts of trees.
    pub solve: Duration,
    /// Relaxing sweeps of all sub-steps, and looks at watched joints.
    pub relax: Duration,
    /// Impacts of all sub-steps.
    pub bounce: Duration,
    /// Stored impulses and final poses.
    pub finish: Duration,
    /// Workers that took part. Varies from run to run.
    pub workers: u32,
    /// Bodies solved.
    pub bodies: u32,
    /// Contacts solved.
    pub contacts: u32,
    /// Joints solved.
    pub joints: u32,
    /// Colours in use.
    pub colours: u32,
    /// Constraints that found no colour.
    pub overflow: u32,
    /// Bundles of eight lanes.
    pub bundles: u32,
}

const _: () = assert!(CONTACTS_PER_BLOCK == u64::BITS as usize, "a bit each");

/// Solves steps. Keeps nothing from step to step but its buffers and which joints it watches.
#[derive(Debug, Default)]
pub struct Solver {
    rows: BodyRows,
    plan: Plan,
    /// When each stage began, in nanoseconds since the step did.
    stage_starts: Vec<AtomicU64>,
    /// By block of contacts, those that press, one bit each; see [`Solver::is_pressing`].
    pressing: Vec<AtomicU64>,
}

impl Clone for Solver {
    /// A solver with empty buffers: there is nothing else to copy.
    fn clone(&self) -> Self {
        Self::new()
    }
}

impl Solver {
    /// A solver with empty buffers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes the next step note the [`greatest loads`](Self::greatest_loads) on these joints, by
    /// index, and on no other.
    pub fn watch(&mut self, joints: &[u32]) {
        self.plan.joints.watch.set(joints);
    }

    /// What each of the [watched](Self::watch) joints carried at most in a sub-step of the last step,
    /// in their order; nothing if it did not act.
    pub fn greatest_loads(&self) -> impl Iterator<Item = JointLoad> {
        self.plan.joints.watch.loads()
    }

    /// Advances `bodies` by `settings.dt` under forces, `contacts` and `joints`.
    ///
    /// Only constraints in `graph` act; its indices point into `contacts` and `joints`, whose
    /// bodies are world indices that `table` resolves. Separations and normals must be those
    /// of the bodies' present poses. The result does not depend on the number of `workers`.
    pub fn step(
        &mut self,
        workers: &Workers,
        settings: &StepSettings,
        bodies: &mut [Body],
        table: BodyTable<'_>,
        contacts: &mut [Contact],
        joints: &mut [Joint],
        graph: &ConstraintGraph,
    ) -> SolverStats {
        let begun = Instant::now();
        self.pressing.clear();
        let blocks = contacts.len().div_ceil(CONTACTS_PER_BLOCK);
        self.pressing.resize_with(blocks, AtomicU64::default);
        if settings.dt <= 0.0 || bodies.is_empty() {
            return SolverStats::default();
        }
        let substeps = settings.substeps.max(1);
        self.rows.resize(bodies.len());
        let resting = if joints.is_empty() {
            0
        } else {
            bodies.len() + 1
        };
        self.rows.rests.resize(resting);
        self.plan.make(
            workers,
            graph,
            Scene {
                bodies,
                table,
                contacts,
            },
            joints,
            settings.dt / substeps as f32,
            substeps,
        );
        let planned = begun.elapsed();
        self.stage_starts.clear();
        self.stage_starts
            .resize_with(self.plan.stages.len(), AtomicU64::default);

        let work = self.work(settings, substeps, bodies, table, contacts, joints);
        let starts = &self.stage_starts;
        let workers = &workers.with_cores();
        let counters = run_stages(workers, &self.plan.block_counts, |stage, block| {
            if block == 0 && self.plan.turns[stage] {
                let now = begun.elapsed().as_nanos() as u64;
                starts[stage].store(now, Ordering::Relaxed);
            }
            work.run(self.plan.stages[stage], block);
        });
        let solved = begun.elapsed();
        self.store(workers, settings, bodies, contacts, joints);

        let mut stats = self.times(solved);
        stats.plan = planned;
        stats.finish += begun.elapsed() - solved;
        stats.workers = counters.workers;
        stats.bodies = bodies.len() as u32;
        stats.contacts = self.plan.contact_count;
        stats.joints = self.plan.joints.count;
        stats.colours = self.plan.colour_count;
        stats.overflow = self.plan.overflow_count;
        stats.bundles = self.plan.bundle_count + self.plan.joints.bundle_count;
        stats
    }

    /// Whether a contact pressed in the last step, be it in one sub-step alone, or
    /// [presses](Contact::presses) as that left it. One that did not act in it does not.
    ///
    /// Most contacts have nothing to tell after a step, and each is lines of memory away.
    pub fn is_pressing(&self, contact: u32) -> bool {
        let (block, bit) = split(contact);
        let bits = self.pressing.get(block);
        bits.is_some_and(|bits| bits.load(Ordering::Relaxed) >> bit & 1 == 1)
    }

    /// Tells of a contact that was changed since the last step whether it
    /// [presses](Self::is_pressing).
    pub fn set_pressing(&mut self, contact: u32, presses: bool) {
        let (block, bit) = split(contact);
        if let Some(bits) = self.pressing.get_mut(block) {
            let bits = bits.get_mut();
            *bits = *bits & !(1 << bit) | u64::from(presses) << bit;
        }
    }

    fn work<'a>(
        &'a self,
        settings: &StepSettings,
        substeps: u32,
        bodies: &'a [Body],
        table: BodyTable<'a>,
        contacts: &'a [Contact],
        joints: &'a [Joint],
    ) -> Work<'a> {
        let h = settings.dt / substeps as f32;
        let hertz = CONTACT_HERTZ_RATIO / h;
        let rigid = Softness::new(JOINT_HERTZ_RATIO / h, JOINT_DAMPING_RATIO, h);
        let pace = h.max(settings.pace);
        let push_ratio = CONTACT_PUSH_RATIO * (h / pace);
        Work {
            plan: &self.plan,
            rows: &self.rows,
            scene: Scene {
                bodies,
                table,
                contacts,
            },
            joints,
            sweep: SweepContext {
                rows: &self.rows,
                inverse_h: 1.0 / h,
                softness: ContactSoftness {
                    mean: Softness::new(hertz, CONTACT_DAMPING_RATIO, h).pushing(push_ratio),
                    tilt_bias_rate: TILT_BIAS_RATIO / pace,
                    tilt_impulse_scale: TILT_IMPULSE_SCALE,
                },
                static_softness: ContactSoftness {
                    mean: Softness::new(
                        STATIC_CONTACT_STIFFNESS * hertz,
                        CONTACT_DAMPING_RATIO / STATIC_CONTACT_STIFFNESS,
                        h,
                    )
                    .pushing(push_ratio),
                    tilt_bias_rate: STATIC_TILT_BIAS_RATIO / pace,
                    tilt_impulse_scale: STATIC_TILT_IMPULSE_SCALE,
                },
                max_push_speed: settings.max_push_speed,
                restitution_threshold: settings.restitution_threshold,
                substeps: substeps as f32,
                burden_per_impulse: burden_per_impulse(settings.gravity.length(), h),
                jointed: self.plan.joints.loads(),
                any_press: self.plan.joints.any_press,
                in_trees: self.plan.joints.in_trees(),
                weight_speed: weight_speed(settings.gravity.length(), h),
            },
            joint: JointContext {
                rows: &self.rows,
                joints,
                h,
                softness: rigid.over_relaxed(LOOP_MASS_SCALE),
                stops: rigid,
                bounds: Softness::new(BOUND_HERTZ_RATIO / h, JOINT_DAMPING_RATIO, h),
                max_push_speed: settings.max_push_speed,
            },
            gravity: settings.gravity,
            h,
            level: settings.simd,
        }
    }

    /// Writes impulses and poses back.
    fn store(
        &mut self,
        workers: &Workers,
        settings: &StepSettings,
        bodies: &mut [Body],
        contacts: &mut [Contact],
        joints: &mut [Joint],
    ) {
        let (gravity, dt) = (settings.gravity.length(), settings.dt);
        let plan = &mut self.plan;
        let stored = bodies.len() + (plan.contact_count + plan.joints.count) as usize;
        let workers = &workers.worth(stored / STORED_PER_MICROSECOND);
        let solved = plan.solved_blocks();
        let results = plan.joints.results();
        let lots = Lots {
            ones: open(&mut plan.lots1),
            twos: open(&mut plan.lots2),
            fours: open(&mut plan.lots4),
        };
        let (places, pressing) = (&plan.places, &self.pressing);
        let body_blocks = Blocks::new(bodies, BODIES_PER_BLOCK);
        let contact_blocks = Blocks::new(contacts, CONTACTS_PER_BLOCK);
        let joint_blocks = Blocks::new(joints, ENDS_PER_BLOCK);
        // One after the other, so that every worker gets its own share of the bodies and contacts.
        let counts = [
            body_blocks.count(),
            solved.len() as u32,
            joint_blocks.count(),
        ];
        run_stages(workers, &counts, |stage, block| match stage {
            0 => {
                let start = body_blocks.start(block);
                for (i, body) in body_blocks.lock(block).iter_mut().enumerate() {
                    integrate::finish(&self.rows, (start + i) as u32, body, gravity, dt);
                }
            }
            1 => {
                let block = solved[block] as usize;
                let start = contact_blocks.start(block);
                let mut contacts = contact_blocks.lock(block);
                read_solved(&places[start..], &contacts);
                let mut bits = 0;
                for (i, contact) in contacts.iter_mut().enumerate() {
                    let place = Place::unpack(places[start + i].load(Ordering::Relaxed));
                    let presses = lots.store(place, (start + i) as u32, contact);
                    bits |= u64::from(presses) << i;
                }
                pressing[block].store(bits, Ordering::Relaxed);
            }
            _ => {
                let start = joint_blocks.start(block);
                results.store(start, &mut joint_blocks.lock(block));
            }
        });
    }

    /// Time of each kind of stage, from the moments at which its first block began.
    fn times(&self, end: Duration) -> SolverStats {
        let mut stats = SolverStats::default();
        let mut next = end.as_nanos() as u64;
        let mut first = next;
        for (index, stage) in self.plan.stages.iter().enumerate().rev() {
            if !self.plan.turns[index] {
                continue;
            }
            let start = self.stage_starts[index].load(Ordering::Relaxed);
            let time = Duration::from_nanos(next.saturating_sub(start));
            next = start;
            first = start;
            *match stage {
                Stage::Begin | Stage::Prepare | Stage::PrepareTrees => &mut stats.prepare,
                Stage::Velocities | Stage::Positions => &mut stats.integrate,
                Stage::WarmStart(_) => &mut stats.warm_start,
                Stage::Solve(_) | Stage::StartTrees | Stage::SolvePushedTrees => &mut stats.solve,
                Stage::Relax(_) | Stage::RelaxTrees | Stage::Watch => &mut stats.relax,
                Stage::Bounce(..) | Stage::Settle(_) => &mut stats.bounce,
            } += time;
        }
        stats.prepare += Duration::from_nanos(first);
        stats
    }
}

/// Reads what is about to be written of contacts that were solved: reads that do not wait for each
/// other take little longer than one of them.
fn read_solved(places: &[AtomicU64], contacts: &[Contact]) {
    let mut all = 0;
    for (contact, place) in contacts.iter().zip(places) {
        if Place::unpack(place.load(Ordering::Relaxed)).points > 0 {
            all ^= contact.points[0].feature ^ contact.count;
        }
    }
    std::hint::black_box(all);
}

/// The block of a contact, and its place there.
fn split(contact: u32) -> (usize, usize) {
    let contact = contact as usize;
    (contact / CONTACTS_PER_BLOCK, contact % CONTACTS_PER_BLOCK)
}

/// The mass in kg that an impulse of 1 N s in a sub-step of `h` seconds makes a body count as.
fn burden_per_impulse(gravity: f32, h: f32) -> f32 {
    let weight = BURDEN_RATIO * gravity * h;
    if weight > 0.0 { 1.0 / weight } else { 0.0 }
}

/// The speed that its weight gives a body in a sub-step of `h` seconds.
fn weight_speed(gravity: f32, h: f32) -> f32 {
    let speed = gravity * h;
    if speed > 0.0 { speed } else { f32::MAX }
}

/// The lots of a finished step, to read from.
struct Lots<'a> {
    ones: Vec<&'a Lot1>,
    twos: Vec<&'a Lot2>,
    fours: Vec<&'a Lot4>,
}

impl<'a> Lots<'a> {
    fn store(&self, place: Place, id: u32, contact: &mut Contact) -> bool {
        let (lot, bundle, lane) = (
            place.lot as usize,
            place.bundle as usize,
            place.lane as usize,
        );
        match place.points {
            1 => store_lane(self.ones[lot], bundle, lane, id, contact),
            2 => store_lane(self.twos[lot], bundle, lane, id, contact),
            4 => store_lane(self.fours[lot], bundle, lane, id, contact),
            _ => false,
        }
    }
}
