//! A small world made by hand: boxes, spheres and the plane y = 0, whose contacts need no
//! collision detection.
#![allow(dead_code, unreachable_pub)]

use drystone_geometry::glam::{DVec3, Quat, Vec3};
use drystone_geometry::simd::SimdLevel;
use drystone_geometry::{Workers, rotation};
use drystone_solver::joint::{JointForce, JointState};
use drystone_solver::{
    Anchors, Body, BodyTable, ConstraintGraph, ConstraintId, Contact, ContactPoint, Joint,
    JointKind, NO_BODY, STATIC_SLOT, Solver, SolverStats, StaticPose, StepSettings,
};

/// World index of the static ground, a plane through the origin facing up.
pub const GROUND: u32 = 0;

/// A hinge without more.
pub const HINGE: JointKind = JointKind::Hinge {
    limit: None,
    motor: None,
    spring: None,
};

/// A rigid weld.
pub const WELD: JointKind = JointKind::Weld {
    linear: None,
    angular: None,
};

/// Contact made from the poses before each step.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// The eight corners of a box against the ground; the four lowest count, as far as they are
    /// within the margin.
    BoxOnGround { body: u32, half: Vec3 },
    /// A ball against the ground.
    BallOnGround { body: u32, radius: f32 },
    /// Two balls.
    Balls { a: u32, b: u32, radius: f32 },
    /// Four corners of the lower box's top under the bottom of the upper box.
    Stacked { below: u32, above: u32, half: Vec3 },
}

#[derive(Clone, Debug)]
pub struct Scene {
    pub bodies: Vec<Body>,
    pub slot_of: Vec<u32>,
    pub statics: Vec<StaticPose>,
    pub contacts: Vec<Contact>,
    pub sources: Vec<Source>,
    pub joints: Vec<Joint>,
    pub graph: ConstraintGraph,
    pub solver: Solver,
    pub workers: Workers,
    pub settings: StepSettings,
    pub stats: SolverStats,
}

pub fn settings() -> StepSettings {
    StepSettings {
        gravity: Vec3::new(0.0, -9.81, 0.0),
        dt: 1.0 / 60.0,
        substeps: 4,
        pace: 0.0,
        restitution_threshold: 1.0,
        max_push_speed: 3.0,
        simd: SimdLevel::Auto.resolve().expect("this machine has a level"),
    }
}

pub fn box_body(center: Vec3, half: Vec3, mass: f32) -> Body {
    let sq = half * half;
    let inertia = mass / 3.0 * Vec3::new(sq.y + sq.z, sq.z + sq.x, sq.x + sq.y);
    Body {
        center: center.as_dvec3(),
        inverse_mass: 1.0 / mass,
        inertia,
        inverse_inertia: 1.0 / inertia,
        extent: half.length(),
        extents: half,
        ..Body::default()
    }
}

pub fn ball_body(center: Vec3, radius: f32, mass: f32) -> Body {
    let inertia = Vec3::splat(0.4 * mass * radius * radius);
    Body {
        center: center.as_dvec3(),
        inverse_mass: 1.0 / mass,
        inertia,
        inverse_inertia: 1.0 / inertia,
        extent: radius,
        extents: Vec3::splat(radius),
        ..Body::default()
    }
}

/// A body that moves by its velocity alone.
pub fn kinematic_body(center: Vec3) -> Body {
    Body {
        center: center.as_dvec3(),
        inverse_mass: 0.0,
        inertia: Vec3::ZERO,
        inverse_inertia: Vec3::ZERO,
        ..Body::default()
    }
}

impl Scene {
    pub fn new() -> Self {
        Self {
            bodies: Vec::new(),
            slot_of: vec![STATIC_SLOT],
            statics: vec![StaticPose::IDENTITY],
            contacts: Vec::new(),
            sources: Vec::new(),
            joints: Vec::new(),
            graph: ConstraintGraph::new(),
            solver: Solver::new(),
            workers: Workers::ALONE,
            settings: settings(),
            stats: SolverStats::default(),
        }
    }

    pub fn add(&mut self, mut body: Body) -> u32 {
        let index = self.slot_of.len() as u32;
        body.index = index;
        self.slot_of.push(self.bodies.len() as u32);
        self.bodies.push(body);
        index
    }

    pub fn body(&self, index: u32) -> &Body {
        &self.bodies[self.slot_of[index as usize] as usize]
    }

    pub fn body_mut(&mut self, index: u32) -> &mut Body {
        &mut self.bodies[self.slot_of[index as usize] as usize]
    }

    fn pushed(&self, body: u32) -> u32 {
        let slot = self.slot_of[body as usize];
        let moves = slot & STATIC_SLOT == 0 && self.bodies[slot as usize].is_dynamic();
        if moves { body } else { NO_BODY }
    }

    pub fn touch(&mut self, source: Source, material: Contact) -> usize {
        let (a, b) = match source {
            Source::BoxOnGround { body, .. } | Source::BallOnGround { body, .. } => (GROUND, body),
            Source::Balls { a, b, .. } => (a, b),
            Source::Stacked { below, above, .. } => (below, above),
        };
        let id = self.contacts.len();
        self.graph.add(
            ConstraintId::Contact(id as u32),
            self.pushed(a),
            self.pushed(b),
        );
        self.contacts.push(Contact {
            body_a: a,
            body_b: b,
            ..material
        });
        self.sources.push(source);
        id
    }

    pub fn join(&mut self, joint: Joint) -> usize {
        let id = self.joints.len();
        let (a, b) = (self.pushed(joint.body_a), self.pushed(joint.body_b));
        self.graph.add(ConstraintId::Joint(id as u32), a, b);
        self.joints.push(joint);
        id
    }

    pub fn table(&self) -> BodyTable<'_> {
        BodyTable {
            slot_of: &self.slot_of,
            statics: &self.statics,
        }
    }

    pub fn step(&mut self) {
        for id in 0..self.contacts.len() {
            self.refresh(id);
        }
        let table = BodyTable {
            slot_of: &self.slot_of,
            statics: &self.statics,
        };
        self.stats = self.solver.step(
            &self.workers,
            &self.settings,
            &mut self.bodies,
            table,
            &mut self.contacts,
            &mut self.joints,
            &self.graph,
        );
    }

    pub fn run(&mut self, steps: usize) {
        for _ in 0..steps {
            self.step();
        }
    }

    fn refresh(&mut self, id: usize) {
        let mut contact = self.contacts[id];
        let mut points: Vec<(Anchors, ContactPoint)> = Vec::new();
        match self.sources[id] {
            Source::BoxOnGround { body, half } => {
                contact.normal = Vec3::Y;
                let body = self.body(body);
                for corner in 0..8_u32 {
                    let sign = |bit: u32| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
                    let anchor = half * Vec3::new(sign(0), sign(1), sign(2));
                    points.push(ground_point(
                        body,
                        rotation::rotate(body.rotation, anchor),
                        anchor,
                        corner,
                    ));
                }
                points.sort_by(|(_, p), (_, q)| p.separation.total_cmp(&q.separation));
                points.truncate(4);
                points.retain(|(_, point)| point.separation <= contact.margin);
                points.sort_by_key(|(_, p)| p.feature);
            }
            Source::BallOnGround { body, radius } => {
                contact.normal = Vec3::Y;
                contact.radius_b = radius;
                let body = self.body(body);
                let down = Vec3::new(0.0, -radius, 0.0);
                points.push(ground_point(
                    body,
                    down,
                    rotation::rotate_inverse(body.rotation, down),
                    0,
                ));
            }
            Source::Balls { a, b, radius } => {
                contact.radius_a = radius;
                contact.radius_b = radius;
                let (a, b) = (self.body(a), self.body(b));
                let between = (b.center - a.center).as_vec3();
                contact.normal = between / between.length();
                let anchors = Anchors {
                    a: rotation::rotate_inverse(a.rotation, radius * contact.normal),
                    b: rotation::rotate_inverse(b.rotation, -radius * contact.normal),
                };
                let point = ContactPoint {
                    separation: between.length() - 2.0 * radius,
                    ..ContactPoint::default()
                };
                points.push((anchors, point));
            }
            Source::Stacked { below, above, half } => {
                let (a, b) = (self.body(below), self.body(above));
                contact.normal = rotation::rotate(a.rotation, Vec3::Y);
                for corner in 0..4_u32 {
                    let sign = |bit: u32| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
                    let anchors = Anchors {
                        a: half * Vec3::new(sign(0), 1.0, sign(1)),
                        b: half * Vec3::new(sign(0), -1.0, sign(1)),
                    };
                    let gap = (b.center - a.center).as_vec3()
                        + rotation::rotate(b.rotation, anchors.b)
                        - rotation::rotate(a.rotation, anchors.a);
                    let point = ContactPoint {
                        separation: gap.dot(contact.normal),
                        feature: corner,
                        ..ContactPoint::default()
                    };
                    points.push((anchors, point));
                }
            }
        }
        keep_impulses(&contact, &mut points);
        contact.count = points.len() as u32;
        for (i, (anchors, point)) in points.into_iter().enumerate() {
            (contact.anchors[i], contact.points[i]) = (anchors, point);
        }
        self.contacts[id] = contact;
    }

    /// Poses of the bodies of a joint.
    fn ends(&self, joint: usize) -> [StaticPose; 2] {
        let joint = &self.joints[joint];
        [joint.body_a, joint.body_b].map(|body| self.table().pose(&self.bodies, body))
    }

    /// What a joint did in the last sub-step.
    pub fn force(&self, joint: usize) -> JointForce {
        let [a, b] = self.ends(joint);
        let substep = self.settings.dt / self.settings.substeps as f32;
        self.joints[joint].force(&a, &b, substep)
    }

    pub fn state(&self, joint: usize) -> JointState {
        let ends = self.ends(joint);
        let velocity = |body: u32| match self.table().awake_slot(body) {
            Some(slot) => {
                let body = &self.bodies[slot];
                [body.linear_velocity, body.angular_velocity]
            }
            None => [Vec3::ZERO; 2],
        };
        let joint = &self.joints[joint];
        joint.state(
            ends.each_ref(),
            velocity(joint.body_a),
            velocity(joint.body_b),
        )
    }

    /// Kinetic and potential energy, in J, in f64.
    pub fn energy(&self) -> f64 {
        self.bodies
            .iter()
            .filter(|body| body.is_dynamic())
            .map(|body| {
                let mass = 1.0 / f64::from(body.inverse_mass);
                let speed_sq = body.linear_velocity.as_dvec3().length_squared();
                let height = -body.center.dot(self.settings.gravity.as_dvec3());
                0.5 * mass * speed_sq + mass * height + rotational_energy(body)
            })
            .sum()
    }

    /// Linear momentum, and angular momentum about the origin.
    pub fn momentum(&self) -> (DVec3, DVec3) {
        let mut sum = (DVec3::ZERO, DVec3::ZERO);
        for body in &self.bodies {
            let p = body.linear_velocity.as_dvec3() / f64::from(body.inverse_mass);
            sum.0 += p;
            sum.1 += body.center.cross(p) + angular_momentum(body);
        }
        sum
    }

    /// Every bit that a step may change.
    pub fn fingerprint(&self) -> Vec<u64> {
        let mut bits = Vec::new();
        for body in &self.bodies {
            bits.extend(body.center.to_array().map(f64::to_bits));
            let q = body.rotation.to_array().map(|x| u64::from(x.to_bits()));
            let v = body
                .linear_velocity
                .to_array()
                .map(|x| u64::from(x.to_bits()));
            let w = body
                .angular_velocity
                .to_array()
                .map(|x| u64::from(x.to_bits()));
            bits.extend(q.into_iter().chain(v).chain(w));
        }
        for contact in &self.contacts {
            for point in contact.points() {
                bits.push(u64::from(point.normal_impulse.to_bits()));
            }
        }
        for joint in &self.joints {
            bits.extend(
                joint
                    .impulses
                    .linear
                    .to_array()
                    .map(|x| u64::from(x.to_bits())),
            );
        }
        bits
    }
}

fn ground_point(body: &Body, arm: Vec3, anchor: Vec3, feature: u32) -> (Anchors, ContactPoint) {
    let place = body.center + arm.as_dvec3();
    let anchors = Anchors {
        a: Vec3::new(place.x as f32, 0.0, place.z as f32),
        b: anchor,
    };
    let point = ContactPoint {
        separation: place.y as f32,
        feature,
        ..ContactPoint::default()
    };
    (anchors, point)
}

fn keep_impulses(old: &Contact, points: &mut [(Anchors, ContactPoint)]) {
    for (_, point) in points {
        for before in old.points() {
            if before.feature == point.feature {
                point.normal_impulse = before.normal_impulse;
            }
        }
    }
}

fn principal(body: &Body) -> Quat {
    rotation::normalize(rotation::multiply(body.rotation, body.principal_rotation))
}

pub fn angular_momentum(body: &Body) -> DVec3 {
    let axes = rotation::to_dmatrix(rotation::to_double(principal(body)));
    axes * (body.inertia.as_dvec3() * (axes.transpose() * body.angular_velocity.as_dvec3()))
}

pub fn rotational_energy(body: &Body) -> f64 {
    0.5 * angular_momentum(body).dot(body.angular_velocity.as_dvec3())
}

/// Fails with both numbers when they are further apart than `most`.
#[track_caller]
pub fn assert_near(found: f64, expected: f64, most: f64) {
    assert!(
        (found - expected).abs() <= most,
        "found {found}, expected {expected} +- {most}"
    );
}

/// Numbers that look random and are the same in every run: Steele, Lea and Flood, *Fast
/// Splittable Pseudorandom Number Generators* (2014).
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^= bits >> 31;
        low + (high - low) * ((bits >> 40) as f32 / (1u32 << 24) as f32)
    }

    pub fn vector(&mut self, most: f32) -> Vec3 {
        Vec3::new(
            self.between(-most, most),
            self.between(-most, most),
            self.between(-most, most),
        )
    }

    pub fn sign(&mut self) -> f32 {
        self.between(-1.0, 1.0).signum()
    }
}
