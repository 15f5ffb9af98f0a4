//! Worlds of jointed cubes, and random trees of them.

use drystone::glam::{DVec3, Quat, Vec3};
use drystone::{
    BodyDef, BodyKey, JointDef, JointKey, JointKind, MassOverride, Pose, Settings, Shape, World,
};

pub(crate) const GRAVITY: f32 = 10.0;

pub(crate) const TIME_STEPS: [f32; 3] = [1.0 / 240.0, 1.0 / 60.0, 1.0 / 30.0];

pub(crate) fn world(dt: f32) -> World {
    let settings = Settings {
        dt,
        sleeping: false,
        gravity: Vec3::NEG_Y * GRAVITY,
        ..Settings::default()
    };
    World::new(settings).expect("valid settings")
}

/// A cube that touches nothing.
pub(crate) fn cube(world: &mut World, at: DVec3, half: f32, mass: f32) -> BodyKey {
    let mut def = BodyDef::dynamic().at(at);
    def = def.with_shape(Shape::cube(Vec3::splat(half)));
    def.shapes[0].filter.mask = 0;
    def.mass = Some(MassOverride::new(mass));
    world.add_body(def).expect("a valid body")
}

pub(crate) fn run(world: &mut World, seconds: f32, mut look: impl FnMut(&World)) {
    let steps = (seconds / world.settings().dt).round() as u32;
    for _ in 0..steps {
        world.step();
        look(world);
    }
}

pub(crate) fn height(world: &World, body: BodyKey) -> f64 {
    world.body(body).expect("the body").position().y
}

/// Numbers that look random, from a seed.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn next(&mut self, low: f32, high: f32) -> f32 {
        self.0 = (self.0.wrapping_mul(6_364_136_223_846_793_005)).wrapping_add(1);
        low + (high - low) * ((self.0 >> 40) as f32 / (1 << 24) as f32)
    }

    pub(crate) fn vector(&mut self, most: f32) -> Vec3 {
        let mut part = || self.next(-most, most);
        Vec3::new(part(), part(), part())
    }

    pub(crate) fn rotation(&mut self) -> Quat {
        let Vec3 { x, y, z } = self.vector(1.0);
        drystone_geometry::rotation::normalize(Quat::from_xyzw(x, y, z, self.next(0.1, 1.0)))
    }
}

/// Two to eight bodies that touch nothing, a hundred times as heavy as each other at most, in motion, and what
/// joins them and the ground: a tree of random joints.
pub(crate) fn random_tree(
    seed: u64,
    kind: impl Fn(&mut Dice) -> JointKind,
) -> (World, Vec<JointKey>) {
    let mut dice = Dice(seed);
    let mut world = world(TIME_STEPS[seed as usize % 3]);
    let ground = world.add_body(BodyDef::fixed()).expect("the ground");
    let mut bodies = vec![(ground, DVec3::ZERO, Quat::IDENTITY)];
    let mut joints = Vec::new();
    for _ in 0..2 + seed % 7 {
        let parent = dice.next(0.0, bodies.len() as f32) as usize;
        let (a, at_a, turn_a) = bodies[parent];
        let (at_b, turn_b) = (at_a + dice.vector(0.4).as_dvec3(), dice.rotation());
        let mut def = BodyDef::dynamic().at(at_b);
        def.rotation = turn_b;
        def = def.with_shape(Shape::cube(Vec3::splat(0.1) + dice.vector(0.05)));
        def.shapes[0].filter.mask = 0;
        def.mass = Some(MassOverride::new(dice.next(0.0, 10.0).powi(2) + 1.0));
        def.linear_velocity = dice.vector(1.0);
        let b = world.add_body(def).expect("a valid body");
        let (anchor, frame) = (at_b + dice.vector(0.2).as_dvec3(), dice.rotation());
        let seat = |at: DVec3, turn: Quat| Pose {
            translation: turn.inverse() * (anchor - at).as_vec3(),
            rotation: turn.inverse() * frame,
        };
        let mut def = JointDef::new(a, b, kind(&mut dice));
        (def.frame_a, def.frame_b) = (seat(at_a, turn_a), seat(at_b, turn_b));
        joints.push(world.add_joint(def).expect("a valid joint"));
        bodies.push((b, at_b, turn_b));
    }
    (world, joints)
}
