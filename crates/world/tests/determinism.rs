//! Same bits: for any number of threads, any instruction set, and again from the start.

use drystone::geometry::rotation;
use drystone::glam::{DVec3, Vec3};
use drystone::{BodyDef, QueryFilter, Settings, Shape, SimdLevel, World};

/// Random numbers by a Weyl sequence with a mixing step (SplitMix64, Steele et al. 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1u64 << 24) as f32
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next()) * 2.0 - Vec3::ONE
    }
}

/// Three hundred mixed bodies fall into a heap.
fn heap(threads: usize, simd: SimdLevel) -> World {
    let settings = Settings {
        threads,
        simd,
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let ground = Shape::HalfSpace { normal: Vec3::Y };
    world.add_body(BodyDef::fixed().with_shape(ground)).unwrap();
    let mut random = Random(7);
    for i in 0..300 {
        let points: Vec<_> = (0..12).map(|_| random.vector() * 0.4).collect();
        let shape = match i % 4 {
            0 => Shape::Sphere { radius: 0.3 },
            1 => Shape::Capsule {
                half_height: 0.3,
                radius: 0.2,
            },
            2 => Shape::Box {
                half_extents: Vec3::new(0.3, 0.2, 0.4),
            },
            _ => Shape::hull(&points).unwrap(),
        };
        let column = f64::from(i % 16);
        let at = DVec3::new(
            column % 4.0,
            0.5 + f64::from(i / 16),
            (column / 4.0).floor(),
        );
        let def = BodyDef {
            rotation: rotation::from_scaled_axis(random.vector()),
            linear_velocity: random.vector(),
            ..BodyDef::dynamic().at(at).with_shape(shape)
        };
        world.add_body(def).unwrap();
    }
    world
}

fn hashes(mut world: World) -> Vec<u64> {
    (0..120)
        .map(|_| {
            world.step();
            world.state_hash()
        })
        .collect()
}

/// A heap of 1,600 bodies of all round and flat kinds, some of which bounce, resist rolling, spin fast
/// or are heavy. Workers that share so many put contacts into other lanes beside other contacts, so
/// what one does must not depend on those beside it. The oracle is the run on one thread.
#[test]
fn contacts_know_nothing_of_those_beside_them() {
    let run = |threads: usize| {
        let settings = Settings {
            threads,
            ..Settings::default()
        };
        let mut world = World::new(settings).unwrap();
        let ground = Shape::HalfSpace { normal: Vec3::Y };
        world.add_body(BodyDef::fixed().with_shape(ground)).unwrap();
        let mut random = Random(11);
        for i in 0..1600 {
            let shape = match i % 7 {
                0 => Shape::Sphere { radius: 0.3 },
                1 => Shape::Capsule {
                    half_height: 0.2,
                    radius: 0.2,
                },
                2 => Shape::Cylinder {
                    half_height: 0.25,
                    radius: 0.25,
                },
                3 => Shape::Cone {
                    half_height: 0.3,
                    radius: 0.3,
                },
                4 => Shape::ellipsoid(Vec3::new(0.35, 0.2, 0.25)),
                5 => prism(5),
                _ => Shape::Box {
                    half_extents: Vec3::new(0.3, 0.15, 0.3),
                },
            };
            let (column, layer) = (i % 256, i / 256);
            let at = DVec3::new(
                f64::from(column % 16) * 0.66,
                0.4 + 0.7 * f64::from(layer),
                f64::from(column / 16) * 0.66,
            );
            let [mut bounce, mut roll] = [0.0, 0.0];
            let kind = random.next();
            if kind < 0.3 {
                bounce = random.next();
            } else if kind < 0.6 {
                roll = 0.2;
            }
            let mut def = BodyDef {
                rotation: rotation::from_scaled_axis(random.vector()),
                angular_velocity: random.vector() * if kind > 0.9 { 40.0 } else { 2.0 },
                ..BodyDef::dynamic().at(at).with_shape(shape)
            };
            let shape = &mut def.shapes[0];
            shape.material.restitution = bounce;
            shape.material.rolling_resistance = roll;
            shape.material.density *= if kind < 0.1 { 50.0 } else { 1.0 };
            world.add_body(def).unwrap();
        }
        world
    };
    let mut worlds = [1, 2, 3].map(run);
    for step in 0..90 {
        let hashes = worlds.each_mut().map(|world| {
            world.step();
            world.state_hash()
        });
        assert_eq!(hashes, [hashes[0]; 3], "step {step}");
    }
    assert!(worlds[0].stats().constraints > 3000, "a heap");
}

fn prism(corners: u32) -> Shape {
    let corner = |i: u32| {
        let angle = std::f32::consts::TAU * (i % corners) as f32 / corners as f32;
        let y = if i < corners { -0.15 } else { 0.15 };
        Vec3::new(0.3 * libm::cosf(angle), y, 0.3 * libm::sinf(angle))
    };
    let points: Vec<_> = (0..2 * corners).map(corner).collect();
    Shape::hull(&points).unwrap()
}

/// The oracle is the run on one thread; eight threads on fewer cores interleave freely.
#[test]
fn the_number_of_threads_changes_no_bit() {
    let expected = hashes(heap(1, SimdLevel::Auto));
    for threads in [1, 2, 3, 4, 8] {
        let world = heap(threads, SimdLevel::Auto);
        let got = hashes(world);
        let first = got.iter().zip(&expected).position(|(a, b)| a != b);
        assert_eq!(first, None, "{threads} threads: first differing step");
    }
}

#[test]
fn the_instruction_set_changes_no_bit() {
    let expected = hashes(heap(1, SimdLevel::Auto));
    let levels = SimdLevel::available();
    assert!(levels.len() > 1, "there is something to compare");
    for level in levels {
        let got = hashes(heap(2, level));
        let first = got.iter().zip(&expected).position(|(a, b)| a != b);
        assert_eq!(first, None, "{level}: first differing step");
    }
}

/// Several workers really take part when there are several; otherwise the tests above
/// would prove nothing. A busy machine may wake the others late, so there are many chances.
#[test]
fn several_workers_take_part() {
    let took_part = (0..40).any(|_| {
        let mut world = heap(4, SimdLevel::Auto);
        (0..120).any(|_| {
            world.step();
            world.stats().solver.workers > 1
        })
    });
    assert!(took_part, "one worker did it all");
}

/// A clone is a world of its own and goes on with the same bits.
#[test]
fn a_clone_goes_on_alike() {
    let mut world = heap(2, SimdLevel::Auto);
    for _ in 0..60 {
        world.step();
    }
    let mut copy = world.clone();
    for step in 0..60 {
        world.step();
        copy.step();
        assert_eq!(world.state_hash(), copy.state_hash(), "step {step}");
    }
}

/// The hash notices a difference in the last bit of one velocity.
#[test]
fn the_hash_sees_a_single_bit() {
    let mut world = heap(1, SimdLevel::Auto);
    world.step();
    let before = world.state_hash();
    assert_eq!(before, world.clone().state_hash());
    let (key, velocity) = {
        let (key, body) = world.bodies().last().unwrap();
        (key, body.linear_velocity())
    };
    let nudged = Vec3::new(
        f32::from_bits(velocity.x.to_bits() ^ 1),
        velocity.y,
        velocity.z,
    );
    let spin = world.body(key).unwrap().angular_velocity();
    world.set_velocity(key, nudged, spin).unwrap();
    assert_ne!(before, world.state_hash());
}

/// A world may be moved to another thread and asked from several: the compiler is the judge.
#[test]
fn a_world_is_send_and_sync() {
    fn holds<T: Send + Sync>(_: &T) {}
    let world = World::new(Settings::default()).expect("plain settings");
    holds(&world);
    let rays = std::thread::scope(|scope| {
        let ask = || world.cast_ray(DVec3::Y, DVec3::NEG_Y, &QueryFilter::default());
        let askers = [scope.spawn(ask), scope.spawn(ask)];
        askers.map(|asker| asker.join().expect("a query"))
    });
    assert_eq!(rays, [None, None]);
}
