//! What was seen so far of one expectation.

use drystone::geometry::glam::{DVec3, Vec3};
use drystone::geometry::rotation;
use drystone::{BodyKey, JointKey, World};

use super::measure::{self, Reference};
use super::{Bounds, Demand, When};
use crate::instance::Instance;

/// What was seen so far, per body of the demand, or once for the whole.
#[derive(Debug)]
pub(super) struct State {
    pub(super) references: Vec<Option<Reference>>,
    /// The worst case; the best one where once is enough.
    pub(super) worst: Vec<Option<Seen>>,
    /// Contact impulses summed over the window, in N s.
    pub(super) sums: Vec<DVec3>,
    /// Time those impulses took, in seconds.
    pub(super) time: f64,
    energy: EnergySeen,
    /// Of each body, the sign of its rate of turning and the times at which it changed.
    pub(super) flips: Vec<(f32, Vec<f64>)>,
}

/// A measured value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) value: f64,
    /// How far it is outside what is allowed; zero or less inside.
    pub(super) excess: f64,
    pub(super) time: f64,
}

/// Energies in J.
#[derive(Clone, Copy, Debug, Default)]
struct EnergySeen {
    /// The energy that is watched, at the start; of rises, the potential one.
    start: f64,
    least: f64,
    /// Greatest kinetic energy or fall since the start.
    scale: f64,
}

impl State {
    pub(super) fn new(bodies: usize) -> Self {
        Self {
            references: vec![None; bodies],
            worst: vec![None; bodies.max(1)],
            sums: vec![DVec3::ZERO; bodies],
            time: 0.0,
            energy: EnergySeen::default(),
            flips: vec![(0.0, Vec::new()); bodies],
        }
    }

    /// Follows the energy from before the first step on: relative bounds refer to the
    /// start, and rises to the energy that was in play so far.
    pub(super) fn follow(&mut self, demand: &Demand, world: &World) {
        match demand {
            Demand::Energy { part, .. } if world.step_count() == 0 => {
                self.energy.start = measure::energy(world, *part);
            }
            Demand::EnergyNeverRises { .. } => {
                let energy = world.energy();
                if world.step_count() == 0 {
                    self.energy.start = energy.potential;
                }
                let fallen = (self.energy.start - energy.potential).abs();
                self.energy.scale = self.energy.scale.max(energy.kinetic).max(fallen);
            }
            _ => {}
        }
    }

    /// Looks at the world and keeps what is worst.
    pub(super) fn judge(&mut self, demand: &Demand, instance: &Instance, now: f64, first: bool) {
        let world = &instance.world;
        let keys = &instance.body_keys;
        match demand {
            Demand::Each {
                quantity,
                bodies,
                bounds,
                when,
            } => {
                for (slot, index) in bodies.iter().enumerate() {
                    if let Some(since) = self.references[slot] {
                        let value = measure::of_body(world, keys[*index], *quantity, &since);
                        self.record(slot, value, bounds, *when, now);
                    }
                }
            }
            Demand::Asleep { bodies } => self.wakefulness(world, keys, bodies, now),
            Demand::Count {
                bodies,
                min,
                max,
                bounds,
            } => {
                let counted = bodies.iter().map(|index| keys[*index]);
                let count = measure::count_inside(world, counted, *min, *max);
                self.record(0, count as f64, bounds, When::Always, now);
            }
            Demand::Energy {
                part,
                relative,
                bounds,
            } => {
                let unit = if *relative { self.energy.start } else { 1.0 };
                let energy = measure::energy(world, *part) / unit;
                self.record(0, energy, bounds, When::Always, now);
            }
            Demand::Momentum { bounds } => {
                let momentum = measure::momentum(world).length();
                self.record(0, momentum, bounds, When::Always, now);
            }
            Demand::Flips { bodies, axis, .. } => self.turns(world, keys, bodies, *axis, now),
            Demand::EnergyNeverRises { by } => self.energy_rise(world, *by, now, first),
            Demand::Penetration { at_most } => {
                let depth = measure::deepest(world).0;
                self.record(0, depth, &Bounds::at_most(*at_most), When::Always, now);
            }
            Demand::JointGap { joints, at_most } => {
                let gap = |key| measure::joint_gap(world, key);
                self.of_joints(instance, joints, gap, &Bounds::at_most(*at_most), now);
            }
            Demand::JointReading {
                joints,
                reading,
                bounds,
            } => {
                let value = |key| measure::joint_reading(world, key, *reading);
                self.of_joints(instance, joints, value, bounds, now);
            }
            Demand::JointHolds { joints } => {
                let gone = |key| f64::from(world.joint(key).is_err());
                self.of_joints(instance, joints, gone, &Bounds::at_most(0.0), now);
            }
            Demand::ContactForce { bodies, .. } => self.add_impulses(world, keys, bodies),
            Demand::InOrder { bodies, degrees } => self.tilts(world, keys, bodies, *degrees, now),
            Demand::Hash(expected) => {
                let differs = f64::from(world.state_hash() != *expected);
                self.record(0, differs, &Bounds::at_most(0.0), When::Always, now);
            }
        }
    }

    /// Records what is measured of each joint that has been made.
    fn of_joints(
        &mut self,
        instance: &Instance,
        joints: &[usize],
        measure: impl Fn(JointKey) -> f64,
        bounds: &Bounds,
        now: f64,
    ) {
        for index in joints {
            let key = instance.joint_keys[*index];
            if key != JointKey::default() {
                self.record(0, measure(key), bounds, When::Always, now);
            }
        }
    }

    fn wakefulness(&mut self, world: &World, keys: &[BodyKey], bodies: &[usize], now: f64) {
        let bounds = Bounds::at_most(0.0);
        for (slot, index) in bodies.iter().enumerate() {
            // What has not appeared yet cannot be awake.
            if keys[*index] == BodyKey::default() {
                continue;
            }
            let awake = world.body(keys[*index]).map(|b| f64::from(b.is_awake()));
            self.record(slot, awake.unwrap_or(f64::NAN), &bounds, When::Always, now);
        }
    }

    /// Keeps the worst value; where once is enough, the best one.
    fn record(&mut self, slot: usize, value: f64, bounds: &Bounds, when: When, time: f64) {
        let excess = bounds.excess(value);
        let worst = &mut self.worst[slot];
        let replaces = worst.is_none_or(|worst| match when {
            When::Always => excess > worst.excess,
            When::Once => excess < worst.excess,
        });
        if replaces {
            *worst = Some(Seen {
                value,
                excess,
                time,
            });
        }
    }

    /// The rise above the least energy so far, as a ratio to the energy in play.
    fn energy_rise(&mut self, world: &World, by: f64, now: f64, first: bool) {
        let total = world.energy().total();
        if first {
            self.energy.least = total;
        }
        let rise = total - self.energy.least;
        self.energy.least = self.energy.least.min(total);
        let scale = self.energy.scale;
        let ratio = if scale > 0.0 { rise / scale } else { 0.0 };
        let bounds = Bounds::at_most(by);
        self.record(0, ratio, &bounds, When::Always, now);
    }

    fn add_impulses(&mut self, world: &World, keys: &[BodyKey], bodies: &[usize]) {
        if world.step_count() == 0 {
            return;
        }
        self.time += f64::from(world.settings().dt);
        for (sum, index) in self.sums.iter_mut().zip(bodies) {
            *sum += measure::contact_impulse(world, keys[*index]);
        }
    }

    /// Notes the times at which each body's rate of turning about an axis changes its sign.
    fn turns(&mut self, world: &World, keys: &[BodyKey], bodies: &[usize], axis: Vec3, now: f64) {
        for ((sign, times), index) in self.flips.iter_mut().zip(bodies) {
            let Ok(body) = world.body(keys[*index]) else {
                continue;
            };
            let rate = rotation::rotate(body.rotation(), axis).dot(body.angular_velocity());
            if rate * *sign < 0.0 {
                times.push(now);
            }
            if rate != 0.0 {
                *sign = rate.signum();
            }
        }
    }

    /// Notes the first time at which each body is tilted past the angle.
    fn tilts(&mut self, world: &World, keys: &[BodyKey], bodies: &[usize], limit: f64, now: f64) {
        for (slot, index) in bodies.iter().enumerate() {
            let (Some(since), Ok(body)) = (&self.references[slot], world.body(keys[*index])) else {
                continue;
            };
            let upright = rotation::rotate(since.rotation, Vec3::Y).as_dvec3();
            let tilt = measure::tilt(body.rotation(), Vec3::Y, upright);
            if tilt >= limit && self.worst[slot].is_none() {
                self.worst[slot] = Some(Seen {
                    value: tilt,
                    excess: 0.0,
                    time: now,
                });
            }
        }
    }
}
