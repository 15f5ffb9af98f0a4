//! Watches a run step by step and keeps the worst case of every expectation.

use super::measure;
use super::state::{Seen, State};
use super::{Bounds, Demand, Expectation, Report, Verdict};
use crate::instance::Instance;
use crate::scene::Scene;

/// Watches a run. Call [`Checker::observe`] before the first step and after each step.
#[derive(Debug)]
pub struct Checker {
    watches: Vec<Watch>,
    half_step: f64,
}

/// An expectation and what was seen so far.
#[derive(Debug)]
struct Watch {
    expectation: Expectation,
    state: State,
    judged: bool,
}

impl Checker {
    /// A checker for the expectations of `scene`.
    pub fn new(scene: &Scene) -> Self {
        let watches = scene.expectations.iter().map(|expectation| Watch {
            state: State::new(expectation.demand.bodies().len()),
            judged: false,
            expectation: expectation.clone(),
        });
        Self {
            watches: watches.collect(),
            half_step: 0.5 * f64::from(scene.settings.dt),
        }
    }

    /// Looks at the world as it is now.
    pub fn observe(&mut self, instance: &Instance) {
        for watch in &mut self.watches {
            watch.observe(instance, self.half_step);
        }
    }

    /// What came true, after the last step.
    pub fn finish(self, instance: &Instance) -> Report {
        let verdicts = self.watches.iter().map(|watch| watch.verdict(instance));
        Report {
            verdicts: verdicts.collect(),
        }
    }
}

impl Demand {
    fn bodies(&self) -> &[usize] {
        match self {
            Self::Each { bodies, .. }
            | Self::Asleep { bodies }
            | Self::ContactForce { bodies, .. }
            | Self::Flips { bodies, .. }
            | Self::InOrder { bodies, .. } => bodies,
            _ => &[],
        }
    }
}

impl Watch {
    fn observe(&mut self, instance: &Instance, half_step: f64) {
        let world = &instance.world;
        let now = world.time();
        let demand = &self.expectation.demand;
        self.state.follow(demand, world);
        // A time that is named means the step nearest to it.
        if now >= self.expectation.reference - half_step {
            for (slot, index) in demand.bodies().iter().enumerate() {
                // A body that appears later, or anew, is measured from where it appears.
                let key = instance.body_keys[*index];
                let reference = &mut self.state.references[slot];
                if reference.as_ref().is_none_or(|known| known.key != key) {
                    *reference = measure::reference(world, key);
                }
            }
        }
        let is_moment = self.expectation.from == self.expectation.to;
        let is_due = now >= self.expectation.from - half_step;
        // With a long step no observation may fall on a moment: then the next one counts.
        let is_over = if is_moment {
            self.judged
        } else {
            now > self.expectation.to + half_step
        };
        if !is_due || is_over {
            return;
        }
        let first = !self.judged;
        self.judged = true;
        self.state
            .judge(&self.expectation.demand, instance, now, first);
    }

    fn verdict(&self, instance: &Instance) -> Verdict {
        let (passed, detail) = if self.judged && self.expectation.negated {
            let (came_true, detail) = self.outcome(instance);
            let word = if came_true { ", but" } else { ", as" };
            (!came_true, format!("{detail}{word} it must not come true"))
        } else if self.judged {
            self.outcome(instance)
        } else {
            let (from, end) = (self.expectation.from, instance.world.time());
            (
                false,
                format!("was to be judged at {from} s, but the run ended at {end:.3} s"),
            )
        };
        Verdict {
            text: self.expectation.text.clone(),
            file: self.expectation.file.clone(),
            line: self.expectation.line,
            passed,
            detail,
        }
    }

    /// The worst of all bodies: its slot and what was seen.
    fn worst_slot(&self) -> Option<(usize, Seen)> {
        let seen = self.state.worst.iter().enumerate();
        seen.filter_map(|(slot, worst)| worst.map(|worst| (slot, worst)))
            .max_by(|a, b| a.1.excess.total_cmp(&b.1.excess).then(b.0.cmp(&a.0)))
    }

    fn outcome(&self, instance: &Instance) -> (bool, String) {
        let name = |slot: usize| self.name_of(slot, instance);
        match &self.expectation.demand {
            Demand::ContactForce {
                newtons, within, ..
            } => {
                return self.force(instance, *newtons, *within);
            }
            Demand::Flips {
                count,
                every,
                within,
                ..
            } => return self.flips(instance, *count, *every, *within),
            Demand::InOrder { degrees, .. } => return self.order(instance, *degrees),
            _ => {}
        }
        let Some((slot, seen)) = self.worst_slot() else {
            return (true, "there was nothing to measure".to_owned());
        };
        if let Some(word) = self.in_words(&seen, instance) {
            let who = match &self.expectation.demand {
                Demand::Asleep { .. } => name(slot),
                Demand::JointHolds { .. } => "the joint".to_owned(),
                _ => "the hash".to_owned(),
            };
            return (seen.excess <= 0.0, format!("{who} {word}"));
        }
        let (what, unit, bounds) = self.measured(&name(slot));
        (seen.excess <= 0.0, sentence(&what, &seen, unit, &bounds))
    }

    /// What is to be said where there is no number to tell.
    fn in_words(&self, seen: &Seen, instance: &Instance) -> Option<String> {
        let as_wanted = seen.value == 0.0;
        let word = |yes: &'static str, no: &'static str| if as_wanted { yes } else { no };
        match &self.expectation.demand {
            Demand::Asleep { .. } => {
                let word = word("is asleep", "is awake");
                Some(format!("{word} at {:.3} s", seen.time))
            }
            Demand::JointHolds { .. } => {
                let word = word("holds", "is gone");
                Some(format!("{word} at {:.3} s", seen.time))
            }
            Demand::Hash(_) => {
                let word = word("is as expected", "is not the expected one");
                let hash = instance.world.state_hash();
                Some(format!("{word}; at the end it is {hash:016x}"))
            }
            _ => None,
        }
    }

    /// What a number says, its unit and its bounds. `name` is the body that was worst.
    fn measured(&self, name: &str) -> (String, &'static str, Bounds) {
        let (what, unit, bounds) = match &self.expectation.demand {
            Demand::Each {
                quantity, bounds, ..
            } => {
                let what = format!("{name} {}", quantity.verb());
                return (what, quantity.unit(), *bounds);
            }
            Demand::Count { bounds, .. } => ("inside were", " bodies", *bounds),
            Demand::Energy {
                relative, bounds, ..
            } => {
                let unit = if *relative { " of the start's" } else { " J" };
                ("the energy was", unit, *bounds)
            }
            Demand::Momentum { bounds } => ("the momentum was", " kg m/s", *bounds),
            Demand::EnergyNeverRises { by } => {
                let bounds = Bounds::at_most(*by);
                ("the energy rose by", " of the energy in play", bounds)
            }
            Demand::Penetration { at_most: limit } => {
                ("the deepest contact was", " m", Bounds::at_most(*limit))
            }
            Demand::JointGap { at_most: limit, .. } => {
                ("the widest gap was", " m", Bounds::at_most(*limit))
            }
            Demand::JointReading {
                reading, bounds, ..
            } => ("the joint read", reading.unit(), *bounds),
            _ => ("it was", "", Bounds::at_most(0.0)),
        };
        (what.to_owned(), unit, bounds)
    }

    fn name_of(&self, slot: usize, instance: &Instance) -> String {
        let index = self
            .expectation
            .demand
            .bodies()
            .get(slot)
            .copied()
            .unwrap_or(0);
        match instance
            .body_keys
            .get(index)
            .map(|key| instance.name_of(*key))
        {
            Some(name) if !name.is_empty() => format!("`{name}`"),
            _ => format!("body {index}"),
        }
    }

    fn force(&self, instance: &Instance, newtons: f64, within: f64) -> (bool, String) {
        let mut worst = (0usize, newtons, f64::NEG_INFINITY);
        for (slot, sum) in self.state.sums.iter().enumerate() {
            let force = if self.state.time > 0.0 {
                sum.length() / self.state.time
            } else {
                0.0
            };
            let excess = (force - newtons).abs() - within * newtons;
            if excess > worst.2 {
                worst = (slot, force, excess);
            }
        }
        let name = self.name_of(worst.0, instance);
        let percent = if newtons > 0.0 {
            100.0 * (worst.1 / newtons - 1.0)
        } else {
            0.0
        };
        let detail = format!(
            "contacts pushed on {name} with {:.6} N on average, {percent:+.3} % off {newtons} N; \
             demanded: within {} %",
            worst.1,
            100.0 * within
        );
        (worst.2 <= 0.0, detail)
    }

    fn flips(&self, instance: &Instance, count: usize, every: f64, within: f64) -> (bool, String) {
        for (slot, (_, times)) in self.state.flips.iter().enumerate() {
            let name = self.name_of(slot, instance);
            let (Some(first), Some(last)) = (times.first(), times.get(count)) else {
                let seen = times.len();
                return (false, format!("{name} flipped only {seen} times"));
            };
            let mean = (last - first) / count as f64;
            let detail = format!("{name} flipped every {} s on average", short(mean));
            if (mean - every).abs() > within * every {
                return (false, detail);
            }
        }
        (true, format!("all flipped every {every} s"))
    }

    fn order(&self, instance: &Instance, degrees: f64) -> (bool, String) {
        let mut before = f64::NEG_INFINITY;
        for (slot, seen) in self.state.worst.iter().enumerate() {
            let name = self.name_of(slot, instance);
            let Some(seen) = seen else {
                return (false, format!("{name} never tilted past {degrees} degrees"));
            };
            if seen.time <= before {
                let time = seen.time;
                return (
                    false,
                    format!(
                        "{name} passed {degrees} degrees at {time:.3} s, not after the one before it"
                    ),
                );
            }
            before = seen.time;
        }
        (
            true,
            format!("the last passed {degrees} degrees at {before:.3} s"),
        )
    }
}

/// "`a` moved 0.002 m at 3.1 s; demanded: at most 0.001 m, missed by 0.001".
fn sentence(what: &str, seen: &Seen, unit: &str, bounds: &Bounds) -> String {
    let demanded = bounds.describe(unit);
    let value = short(seen.value);
    let mut text = format!(
        "{what} {value}{unit} at {:.3} s; demanded: {demanded}",
        seen.time
    );
    if seen.excess > 0.0 {
        text += &format!(", missed by {}", short(seen.excess));
    }
    text
}

/// Six digits that matter.
fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let magnitude = libm::log10(value.abs()).floor();
    if (-4.0..7.0).contains(&magnitude) {
        let decimals = (5.0 - magnitude).clamp(0.0, 9.0) as usize;
        return format!("{value:.decimals$}");
    }
    format!("{value:.5e}")
}
