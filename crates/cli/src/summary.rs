//! What a run looked like: figures of the world, time per stage, and what still stands.

use std::time::Duration;

use drystone::geometry::glam::DVec3;
use drystone::{BodyKind, StageTimes};
use drystone_scene::{Instance, Scene};

use crate::answer::answer;
use crate::bench::StepTimes;

/// Groups of bodies shown at most; the rest is only counted.
const SHOWN_GROUPS: usize = 12;

/// What is added up over the steps of a run.
pub(crate) struct Summary {
    times: Vec<StageTimes>,
    groups: Vec<Group>,
}

/// A named body or all bodies of a pattern.
struct Group {
    name: String,
    /// Index of each body and where it started.
    members: Vec<(usize, DVec3)>,
}

impl Summary {
    pub(crate) fn new(scene: &Scene) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        for (index, body) in scene.bodies.iter().enumerate() {
            let name = body.name.split(['[', '/']).next().unwrap_or_default();
            if body.def.kind != BodyKind::Dynamic || name.is_empty() {
                continue;
            }
            // Where a body is written is where it starts, also one that appears later.
            let start = body.def.position;
            match groups.last_mut().filter(|group| group.name == name) {
                Some(group) => group.members.push((index, start)),
                None => groups.push(Group {
                    name: name.to_owned(),
                    members: vec![(index, start)],
                }),
            }
        }
        Self {
            times: Vec::new(),
            groups,
        }
    }

    /// Notes the times of the last step.
    pub(crate) fn observe(&mut self, instance: &Instance) {
        self.times.push(instance.world.stats().times);
    }

    /// Prints everything.
    pub(crate) fn print(&self, scene: &Scene, instance: &Instance, with_stats: bool) {
        let world = &instance.world;
        let stats = world.stats();
        let energy = world.energy();
        answer(format_args!(
            "world           {} bodies, {} shapes, {} joints; {} awake",
            stats.bodies, stats.shapes, stats.joints, stats.awake
        ));
        answer(format_args!(
            "contacts        {} pairs, {} touching, {} points, {} islands, {} colours",
            stats.pairs, stats.constraints, stats.points, stats.islands, stats.solver.colours
        ));
        answer(format_args!(
            "energy          kinetic {:.6} J, potential {:.6} J",
            energy.kinetic, energy.potential
        ));
        self.print_groups(scene, instance);
        self.print_times(instance);
        if with_stats {
            self.print_spread();
            answer(format_args!("narrow phase    {:?}", stats.narrow));
            answer(format_args!(
                "instruction set {}, {} threads",
                world.settings().simd,
                world.settings().threads
            ));
        }
        answer(format_args!("hash            {:016x}", world.state_hash()));
    }

    /// How far each named group moved, and whether it stands still now.
    fn print_groups(&self, scene: &Scene, instance: &Instance) {
        for group in self.groups.iter().take(SHOWN_GROUPS) {
            let mut farthest = (0.0, 0);
            let mut fastest = 0.0f64;
            for (index, start) in &group.members {
                let Ok(body) = instance.world.body(instance.body_keys[*index]) else {
                    continue;
                };
                let moved = body.position().distance(*start);
                if moved >= farthest.0 {
                    farthest = (moved, *index);
                }
                fastest = fastest.max(f64::from(body.linear_velocity().length()));
            }
            let who = match group.members.len() {
                1 => String::new(),
                _ => format!(" (`{}`)", scene.bodies[farthest.1].name),
            };
            answer(format_args!(
                "{:<15} {} moved at most {}{who}, now up to {} a second",
                group.name,
                count(group.members.len()),
                length(farthest.0),
                length(fastest)
            ));
        }
        if self.groups.len() > SHOWN_GROUPS {
            answer(format_args!(
                "                and {} more",
                self.groups.len() - SHOWN_GROUPS
            ));
        }
    }

    fn print_times(&self, instance: &Instance) {
        let steps = self.times.len().max(1) as f64;
        let mean = |of: fn(&StageTimes) -> Duration| {
            1000.0
                * self
                    .times
                    .iter()
                    .map(|times| of(times).as_secs_f64())
                    .sum::<f64>()
                / steps
        };
        let total = mean(|times| times.total);
        answer(format_args!(
            "time            {:.4} ms a step: broad {:.4}, narrow {:.4}, solve {:.4}, finish {:.4}, islands {:.4}; serial {:.4}",
            total,
            mean(|times| times.broad),
            mean(|times| times.narrow),
            mean(|times| times.solve),
            mean(|times| times.finish),
            mean(|times| times.islands),
            mean(|times| times.serial)
        ));
        let world = &instance.world;
        let wall = total * steps / 1000.0;
        let factor = if wall > 0.0 { world.time() / wall } else { 0.0 };
        answer(format_args!(
            "speed           {} steps, {:.3} s simulated in {wall:.3} s: {factor:.1} x real time",
            self.times.len(),
            world.time()
        ));
    }

    fn print_spread(&self) {
        let millisecond = |times: &StageTimes| 1000.0 * times.total.as_secs_f64();
        let spread = StepTimes::of(self.times.iter().map(millisecond).collect(), 0.0);
        answer(format_args!(
            "step time       least {:.4} ms, median {:.4} ms, 99 % below {:.4} ms, most {:.4} ms",
            spread.min, spread.median, spread.p99, spread.max
        ));
    }
}

fn count(members: usize) -> String {
    match members {
        1 => "1 body".to_owned(),
        n => format!("{n} bodies"),
    }
}

/// A length in the unit that suits it.
fn length(metres: f64) -> String {
    if metres < 0.01 {
        format!("{:.4} mm", 1000.0 * metres)
    } else {
        format!("{metres:.4} m")
    }
}
