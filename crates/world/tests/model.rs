//! Random command streams against a simple model: whatever a caller does, in whatever order,
//! keys, counts and settings are as a list of plain records says, and the world stays sound.
//!
//! `DRYSTONE_MODEL_SEEDS=1000 cargo test --release -p drystone --test model` runs long.

use std::collections::BTreeMap;
use std::sync::Arc;

use drystone::geometry::TriangleMesh;
use drystone::geometry::mesh::MeshOptions;
use drystone::glam::{DVec3, Vec3};
use drystone::{
    BodyDef, BodyKey, BodyKind, ContactPatch, DefError, Filter, Hooks, JointDef, JointKey,
    JointKind, Material, Pose, Settings, Shape, ShapeDef, ShapeKey, World, WorldPose,
};

/// What the model knows of a body.
#[derive(Clone, Debug, PartialEq)]
struct Known {
    kind: BodyKind,
    enabled: bool,
    shapes: Vec<ShapeKey>,
    user_data: u64,
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }

    fn share(&mut self) -> f32 {
        self.below(1 << 20) as f32 / (1 << 20) as f32
    }

    /// In m/s; one in six is fast.
    fn speed(&mut self) -> Vec3 {
        let size = if self.below(6) == 0 { 100.0 } else { 3.0 };
        self.vector(size)
    }

    fn vector(&mut self, size: f32) -> Vec3 {
        Vec3::new(self.share() - 0.5, self.share() - 0.5, self.share() - 0.5) * 2.0 * size
    }
}

/// A height of rock between the bodies: a pyramid of four triangles.
fn rocks() -> BodyDef {
    let corners = [(-2.0, -2.0), (2.0, -2.0), (2.0, 2.0), (-2.0, 2.0)];
    let mut corners = corners.map(|(x, z)| Vec3::new(x, -0.2, z)).to_vec();
    corners.push(Vec3::new(0.3, 0.8, -0.2));
    let triangles = [[1, 0, 4], [2, 1, 4], [3, 2, 4], [0, 3, 4]];
    let mesh = TriangleMesh::new(&corners, &triangles, MeshOptions::default()).unwrap();
    BodyDef::fixed().with_shape(Shape::Mesh(Arc::new(mesh)))
}

/// Lets a pair slide, pass or act by a point less, whichever its normal says.
struct Picky;

impl Hooks for Picky {
    fn may_meet(&mut self, world: &World, a: ShapeKey, b: ShapeKey) -> bool {
        let [a, b] = [a, b].map(|key| world.shape(key).unwrap().body());
        let [a, b] = [a, b].map(|body| body.user_data());
        (a + b) % 5 != 0
    }

    fn modify(&mut self, _: &World, contact: &mut ContactPatch) {
        match (contact.normal.x.abs() * 100.0) as u32 % 5 {
            0 => contact.friction = 0.0,
            1 => contact.enabled = false,
            2 => contact.points_mut()[0].enabled = false,
            3 => contact.surface_velocity = Vec3::X,
            _ => {}
        }
    }
}

#[derive(Clone)]
struct Model {
    world: World,
    bodies: BTreeMap<BodyKey, Known>,
    joints: BTreeMap<JointKey, [BodyKey; 2]>,
    gone: Vec<BodyKey>,
}

impl Model {
    fn new() -> Self {
        let mut world = World::new(Settings::default()).unwrap();
        let ground = BodyDef::fixed().with_shape(Shape::half_space(Vec3::Y));
        world.add_body(ground).unwrap();
        world.add_body(rocks()).unwrap();
        Self {
            world,
            bodies: BTreeMap::new(),
            joints: BTreeMap::new(),
            gone: Vec::new(),
        }
    }

    fn any_body(&self, random: &mut Random) -> Option<BodyKey> {
        let count = self.bodies.len();
        (count > 0).then(|| *self.bodies.keys().nth(random.below(count)).unwrap())
    }

    fn part(random: &mut Random) -> ShapeDef {
        let shape = match random.below(4) {
            0 => Shape::sphere(0.2 + 0.3 * random.share()),
            1 => Shape::capsule(0.3, 0.2),
            2 => Shape::cube(Vec3::splat(0.3) + random.vector(0.1)),
            _ => {
                let points: Vec<_> = (0..10).map(|_| random.vector(0.5)).collect();
                Shape::hull(&points).unwrap_or(Shape::sphere(0.3))
            }
        };
        ShapeDef {
            pose: Pose::from_translation(random.vector(0.2)),
            sensor: random.below(8) == 0,
            ..ShapeDef::new(shape)
        }
    }

    fn kind(random: &mut Random) -> BodyKind {
        [
            BodyKind::Dynamic,
            BodyKind::Dynamic,
            BodyKind::Static,
            BodyKind::Kinematic,
        ][random.below(4)]
    }

    fn command(&mut self, random: &mut Random) {
        match random.below(24) {
            0..=3 if self.bodies.len() < 40 => self.create(random),
            4 => self.remove(random),
            5 => self.join(random),
            6 => self.part_ways(random),
            7..=13 => self.change(random),
            14 => {
                let bytes = self.world.snapshot();
                // Reading back checks every list of the world against every other.
                self.world = World::restore(&bytes).expect("sound");
                assert!(self.world.snapshot() == bytes, "the same bytes again");
            }
            15 => self.stale(),
            16 => self.world.step_with(&mut Picky),
            17 => {
                let settings = Settings {
                    dt: [1.0 / 60.0, 1.0 / 30.0, 1.0 / 240.0][random.below(3)],
                    ..self.world.settings().clone()
                };
                self.world.set_settings(settings).unwrap();
            }
            _ => {
                self.world.step();
                assert!(self.world.events().diverged.is_empty());
            }
        }
    }

    fn create(&mut self, random: &mut Random) {
        let parts: Vec<_> = (0..1 + random.below(2))
            .map(|_| Self::part(random))
            .collect();
        let at = (random.vector(2.0) + Vec3::new(0.0, 2.5, 0.0)).as_dvec3();
        let def = BodyDef {
            kind: Self::kind(random),
            linear_velocity: random.speed(),
            angular_velocity: random.vector(3.0),
            bullet: random.below(6) == 0,
            asleep: random.below(6) == 0,
            user_data: self.gone.len() as u64,
            shapes: parts,
            ..BodyDef::dynamic().at(at)
        };
        let known = |world: &World, key| Known {
            kind: def.kind,
            enabled: true,
            shapes: world
                .body(key)
                .unwrap()
                .shapes()
                .iter()
                .map(|s| s.key())
                .collect(),
            user_data: def.user_data,
        };
        let key = self.world.add_body(def.clone()).unwrap();
        let known = known(&self.world, key);
        assert!(
            self.bodies.insert(key, known).is_none(),
            "a key was given twice"
        );
        assert!(!self.gone.contains(&key));
    }

    fn remove(&mut self, random: &mut Random) {
        let Some(key) = self.any_body(random) else {
            return;
        };
        self.world.remove_body(key).unwrap();
        self.bodies.remove(&key);
        self.joints.retain(|_, bodies| !bodies.contains(&key));
        self.gone.push(key);
    }

    fn join(&mut self, random: &mut Random) {
        let (Some(a), Some(b)) = (self.any_body(random), self.any_body(random)) else {
            return;
        };
        let def = JointDef {
            body_a: a,
            body_b: b,
            frame_a: Pose::from_translation(random.vector(0.3)),
            frame_b: Pose::from_translation(random.vector(0.3)),
            kind: [JointKind::BALL, JointKind::NoContact][random.below(2)].clone(),
            collide_connected: random.below(2) == 0,
            threshold: None,
            name: String::new(),
        };
        let dynamic = |key| self.bodies[&key].kind == BodyKind::Dynamic;
        let expected = a != b && (dynamic(a) || dynamic(b));
        match self.world.add_joint(def) {
            Ok(key) => {
                assert!(expected);
                self.joints.insert(key, [a, b]);
            }
            Err(error) => assert!(!expected, "{error}"),
        }
    }

    fn part_ways(&mut self, random: &mut Random) {
        let count = self.joints.len();
        if count > 0 {
            let key = *self.joints.keys().nth(random.below(count)).unwrap();
            self.world.remove_joint(key).unwrap();
            assert!(self.world.remove_joint(key).is_err());
            self.joints.remove(&key);
        }
    }

    fn change(&mut self, random: &mut Random) {
        let Some(key) = self.any_body(random) else {
            return;
        };
        let known = self.bodies.get_mut(&key).unwrap();
        let world = &mut self.world;
        let shape =
            (!known.shapes.is_empty()).then(|| known.shapes[random.below(known.shapes.len())]);
        match random.below(13) {
            0 => {
                let at = (random.vector(2.0) + Vec3::new(0.0, 2.5, 0.0)).as_dvec3();
                world.teleport(key, WorldPose::from_position(at)).unwrap();
                let moved = world.body(key).unwrap().position() - at;
                assert!(moved.length() < 1e-6, "{moved}");
            }
            1 => {
                let kind = Self::kind(random);
                match world.set_kind(key, kind) {
                    Ok(()) => known.kind = kind,
                    Err(error) => assert_eq!(error, DefError::Massless),
                }
            }
            2 | 3 => {
                known.enabled = !known.enabled;
                world.set_enabled(key, known.enabled).unwrap();
            }
            4 if known.shapes.len() < 4 => {
                known
                    .shapes
                    .push(world.add_shape(key, Self::part(random)).unwrap());
            }
            5 => {
                if let Some(shape) = shape
                    && world.remove_shape(shape).is_ok()
                {
                    known.shapes.retain(|other| *other != shape);
                    assert!(world.shape(shape).is_err());
                }
            }
            6 => {
                if let Some(shape) = shape {
                    world.set_shape(shape, Self::part(random)).unwrap();
                }
            }
            7 => {
                let material = Material {
                    friction: random.share(),
                    ..Material::default()
                };
                if let Some(shape) = shape {
                    world.set_material(shape, material).unwrap();
                }
            }
            8 => {
                let filter = Filter {
                    mask: [1, u32::MAX, 0][random.below(3)],
                    ..Filter::default()
                };
                if let Some(shape) = shape {
                    world.set_filter(shape, filter).unwrap();
                }
            }
            9 => {
                let at = world.body(key).unwrap().center_of_mass();
                world.apply_impulse(key, random.vector(100.0), at).unwrap();
                world
                    .apply_force(key, random.vector(100.0), at + DVec3::X)
                    .unwrap();
            }
            10 => world
                .set_velocity(key, random.speed(), random.vector(3.0))
                .unwrap(),
            11 => {
                let pose = WorldPose::from_position(random.vector(3.0).as_dvec3());
                world.set_kinematic_target(key, pose).unwrap();
            }
            _ => {
                known.user_data += 1;
                world.set_user_data(key, known.user_data).unwrap();
            }
        }
    }

    fn stale(&mut self) {
        for key in self.gone.iter().rev().take(5) {
            assert!(self.world.body(*key).is_err());
            assert!(self.world.set_enabled(*key, true).is_err());
        }
    }

    fn check(&self) {
        let bodies: Vec<_> = self.world.bodies().skip(2).collect();
        assert_eq!(bodies.len(), self.bodies.len());
        for (key, known) in &self.bodies {
            let body = self.world.body(*key).unwrap();
            let shapes: Vec<_> = body.shapes().iter().map(|shape| shape.key()).collect();
            let now = Known {
                kind: body.kind(),
                enabled: body.is_enabled(),
                shapes,
                user_data: body.user_data(),
            };
            assert_eq!(now, *known);
            assert!(body.position().is_finite() && body.linear_velocity().is_finite());
            let joints = body.joints();
            let expected = self
                .joints
                .iter()
                .filter(|(_, bodies)| bodies.contains(key));
            assert_eq!(joints.len(), expected.count());
        }
        for contact in self.world.contacts() {
            for (body, shape) in [
                (contact.body_a, contact.shape_a),
                (contact.body_b, contact.shape_b),
            ] {
                assert!(self.world.body(body).unwrap().is_enabled());
                assert!(!self.world.shape(shape).unwrap().is_sensor());
            }
        }
    }
}

#[test]
fn random_commands_agree_with_a_model() {
    let seeds = std::env::var("DRYSTONE_MODEL_SEEDS").ok();
    let seeds = seeds.map_or(3, |seeds| seeds.parse().expect("a number of seeds"));
    for seed in 42..42 + seeds {
        run(seed);
    }
}

/// Five thousand commands.
fn run(seed: u64) {
    let mut random = Random(seed);
    let mut model = Model::new();
    for at in 0..5000 {
        model.command(&mut random);
        if at % 16 == 0 {
            model.check();
        }
        if at % 250 == 249 {
            // A copy and a restored copy go the same way, down to the last byte.
            let mut copy = model.clone();
            let mut stored = model.clone();
            stored.world = World::restore(&model.world.snapshot()).unwrap();
            let mut again = Random(random.0);
            let mut same = Random(random.0);
            for _ in 0..50 {
                copy.command(&mut again);
                stored.command(&mut same);
                let same_bytes = copy.world.snapshot() == stored.world.snapshot();
                assert!(same_bytes, "seed {seed}, command {at}");
            }
        }
    }
}
