//! Stacks of boxes as the solver sees them: bodies, contacts of four points at rest, and the
//! graph, without any collision detection.

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{SimdLevel, Workers};
use drystone_solver::{
    Anchors, Body, BodyTable, ConstraintGraph, ConstraintId, Contact, ContactPoint, NO_BODY,
    STATIC_SLOT, Solver, SolverStats, StaticPose, StepSettings,
};

/// World index of the ground, which nothing moves.
const GROUND: u32 = 0;

/// Bodies and contacts that can be stepped again and again.
#[derive(Clone, Debug)]
pub struct Stacks {
    settings: StepSettings,
    bodies: Vec<Body>,
    slot_of: Vec<u32>,
    statics: Vec<StaticPose>,
    contacts: Vec<Contact>,
    graph: ConstraintGraph,
    solver: Solver,
}

impl Stacks {
    /// `count` flat pyramids of unit boxes, `base` wide and `base` high, each an island of
    /// its own, for kernels at `level`.
    ///
    /// # Panics
    ///
    /// When this machine does not have the level.
    pub fn pyramids(count: usize, base: usize, level: SimdLevel) -> Self {
        let mut stacks = Self {
            settings: StepSettings {
                gravity: Vec3::new(0.0, -9.81, 0.0),
                dt: 1.0 / 60.0,
                substeps: 4,
                pace: 0.0,
                restitution_threshold: 1.0,
                max_push_speed: 3.0,
                simd: level.resolve().expect("a level of this machine"),
            },
            bodies: Vec::new(),
            slot_of: vec![STATIC_SLOT],
            statics: vec![StaticPose::IDENTITY],
            contacts: Vec::new(),
            graph: ConstraintGraph::new(),
            solver: Solver::new(),
        };
        for pyramid in 0..count {
            stacks.add_pyramid(base, 10.0 * pyramid as f64);
        }
        stacks
    }

    /// Contacts in all.
    pub fn contact_count(&self) -> usize {
        self.contacts.len()
    }

    /// One step of the solver.
    pub fn step(&mut self, workers: &Workers) -> SolverStats {
        let table = BodyTable {
            slot_of: &self.slot_of,
            statics: &self.statics,
        };
        self.solver.step(
            workers,
            &self.settings,
            &mut self.bodies,
            table,
            &mut self.contacts,
            &mut [],
            &self.graph,
        )
    }

    fn add_pyramid(&mut self, base: usize, z: f64) {
        let mut below: Vec<u32> = Vec::new();
        for row in 0..base {
            let mut current = Vec::new();
            for column in 0..base - row {
                let x = column as f64 + 0.5 * row as f64;
                let body = self.add_box(DVec3::new(x, row as f64 + 0.5, z));
                current.push(body);
                if row == 0 {
                    let at = Vec3::new(x as f32, 0.0, z as f32);
                    self.touch(GROUND, body, at, 0.5);
                    continue;
                }
                // Half of each box below, from its middle outwards.
                self.touch(below[column], body, Vec3::new(0.25, 0.5, 0.0), 0.25);
                self.touch(below[column + 1], body, Vec3::new(-0.25, 0.5, 0.0), 0.25);
            }
            below = current;
        }
    }

    fn add_box(&mut self, center: DVec3) -> u32 {
        let index = self.slot_of.len() as u32;
        self.slot_of.push(self.bodies.len() as u32);
        // Unit cubes of 100 kg: inertia m / 6.
        self.bodies.push(Body {
            index,
            center,
            inverse_mass: 0.01,
            inertia: Vec3::splat(100.0 / 6.0),
            inverse_inertia: Vec3::splat(6.0 / 100.0),
            extent: 0.75f32.sqrt(),
            ..Body::default()
        });
        index
    }

    /// Four points around `at` in the frame of `below`, `half_width` wide in x and half a
    /// metre in z, where the underside of `above` rests.
    fn touch(&mut self, below: u32, above: u32, at: Vec3, half_width: f32) {
        let offset = self.place(above) - self.place(below);
        let corner = |index: usize| {
            let (x, z) = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)][index];
            let anchor = at + Vec3::new(x * half_width, 0.0, 0.5 * z);
            Anchors {
                a: anchor,
                b: (anchor.as_dvec3() - offset).as_vec3(),
            }
        };
        let point = |index: usize| ContactPoint {
            feature: index as u32,
            ..ContactPoint::default()
        };
        let id = ConstraintId::Contact(self.contacts.len() as u32);
        let pushed = if below == GROUND { NO_BODY } else { below };
        self.graph.add(id, pushed, above);
        self.contacts.push(Contact {
            body_a: below,
            body_b: above,
            normal: Vec3::Y,
            friction: 0.6,
            count: 4,
            points: std::array::from_fn(point),
            anchors: std::array::from_fn(corner),
            ..Contact::default()
        });
    }

    fn place(&self, body: u32) -> DVec3 {
        match body {
            GROUND => DVec3::ZERO,
            _ => self.bodies[self.slot_of[body as usize] as usize].center,
        }
    }
}
