//! Distances in chains and loops: how far they stretch, and what energy they keep.

use drystone::glam::{DVec3, Vec3};
use drystone::{
    BodyDef, BodyKey, JointDef, JointKey, JointKind, JointMotor, MassOverride, Settings, Shape,
    World,
};

/// A world that never sleeps, of so many steps a second of four sub-steps, and its ground.
fn world(hertz: f32) -> (World, BodyKey) {
    let settings = Settings {
        dt: 1.0 / hertz,
        substeps: 4,
        sleeping: false,
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let ground = world.add_body(BodyDef::fixed()).unwrap();
    (world, ground)
}

/// A body that meets nothing.
fn body(world: &mut World, at: Vec3, mass: f32, shape: Shape) -> BodyKey {
    let mut def = BodyDef::dynamic().at(at.as_dvec3()).with_shape(shape);
    def.shapes[0].filter.mask = 0;
    def.mass = Some(MassOverride::new(mass));
    world.add_body(def).unwrap()
}

/// Keeps two points of bodies that are not turned at most, or as a rod just, as far apart as they are.
fn link(world: &mut World, ends: [(BodyKey, Vec3); 2], is_rope: bool) -> JointKey {
    let [a, b] = ends;
    let max = a.1.distance(b.1);
    let kind = JointKind::Distance {
        min: if is_rope { 0.0 } else { max },
        max,
        rest: None,
        spring: None,
    };
    let arm = |(body, point): (BodyKey, Vec3)| {
        (point.as_dvec3() - world.body(body).unwrap().position()).as_vec3()
    };
    let def = JointDef::new(a.0, b.0, kind).with_anchors(arm(a), arm(b));
    world.add_joint(def).unwrap()
}

/// Beads of 1 kg half a metre apart in a direction, the last of another mass.
fn chain(hertz: f32, count: u32, along: Vec3, last: f32, is_rope: bool) -> (World, Vec<BodyKey>) {
    let (mut world, ground) = world(hertz);
    let mut end = (ground, Vec3::ZERO);
    let mut beads = Vec::new();
    for i in 1..=count {
        let at = 0.5 * i as f32 * along;
        let mass = if i == count { last } else { 1.0 };
        let bead = body(&mut world, at, mass, Shape::sphere(0.1));
        link(&mut world, [end, (bead, at)], is_rope);
        end = (bead, at);
        beads.push(bead);
    }
    (world, beads)
}

/// How much longer some distance is than it may be, in metres.
fn stretch(world: &World) -> f64 {
    let over = world.joint_keys().map(|key| {
        let JointKind::Distance { max, .. } = world.joint(key).unwrap().kind else {
            return 0.0;
        };
        world.joint_gap(key).unwrap() - f64::from(max)
    });
    over.fold(0.0, f64::max)
}

/// Ten rods or ropes with a thousand times the mass of a bead at the end hold it to a millimetre, hanging
/// and swinging down from the side, and it keeps nearly all of its energy.
#[test]
fn chains_of_rods_and_ropes_hold_a_tonne() {
    for is_rope in [false, true] {
        for along in [Vec3::NEG_Y, Vec3::X] {
            let (mut world, _) = chain(60.0, 10, along, 1000.0, is_rope);
            let start = world.energy().total();
            for _ in 0..300 {
                world.step();
                assert!(stretch(&world) < 1e-3, "{along}: {}", stretch(&world));
            }
            let gained = (world.energy().total() - start) / (1000.0 * 9.81 * 5.0);
            assert!((-0.05..0.001).contains(&gained), "{along}: {gained}");
        }
    }
}

/// Bobs on one to three rods in a row keep their energy for twenty seconds.
#[test]
fn pendulums_of_rods_keep_their_energy() {
    for count in 1..=3 {
        for (x, y) in [(0.5, -0.75_f32.sqrt()), (1.0, 0.0), (0.5, 0.75_f32.sqrt())] {
            let (mut world, _) = chain(60.0, count, Vec3::new(x, y, 0.0), 1.0, false);
            let start = world.energy().total();
            // All bobs at their lowest.
            let weights = f64::from(count * (count + 1)) / 2.0;
            let whole = 9.81 * 0.5 * weights * f64::from(1.0 + y);
            for _ in 0..1200 {
                world.step();
                let lost = (start - world.energy().total()) / whole;
                // Velocities are half a sub-step ahead of places.
                assert!(lost.abs() < 0.025, "{count}, {y}: {lost}");
            }
        }
    }
}

/// A bead that is plucked with 4.5 J between taut rods gains no more than that again, whatever these bear, and not
/// that for long.
#[test]
fn a_plucked_bead_gains_little() {
    for load in [100.0, 1000.0, 10_000.0] {
        let (mut world, beads) = chain(60.0, 10, Vec3::NEG_Y, load, false);
        world
            .set_velocity(beads[4], Vec3::new(3.0, 0.0, 0.0), Vec3::ZERO)
            .unwrap();
        let start = world.energy().total();
        for _ in 0..480 {
            world.step();
            let gained = world.energy().total() - start;
            let most = 4.5 + 1e-4 * 9.81 * 5.0 * f64::from(load);
            assert!(gained < most, "{load}: {gained}");
        }
        let left = world.energy().total() - start;
        assert!(left < 4.5, "{load}: {left}");
    }
}

/// What holds the beads of a chain.
#[derive(Clone, Copy, Debug)]
enum Link {
    Rod,
    Rope,
    Ball,
}

/// Beads of 0.1 kg down a zigzag of half-metre links so many degrees off the vertical, the last of another mass and
/// with a velocity.
fn zigzag(count: u32, degrees: f64, links: Link, (mass, velocity): (f32, Vec3)) -> World {
    let (mut world, ground) = world(60.0);
    let (sine, cosine) = libm::sincos(degrees.to_radians());
    let mut end = (ground, Vec3::ZERO);
    for i in 1..=count {
        let side = if i % 2 == 0 { -sine } else { sine };
        let way = (0.5 * DVec3::new(side, -cosine, 0.0)).as_vec3();
        let at = end.1 + way;
        let mass = if i == count { mass } else { 0.1 };
        let bead = body(&mut world, at, mass, Shape::sphere(0.1));
        if let Link::Ball = links {
            let kind = JointKind::Ball {
                friction_torque: 0.0,
                spring: None,
                cone: None,
                twist: None,
            };
            let def = JointDef::new(end.0, bead, kind).with_anchors(0.5 * way, -0.5 * way);
            world.add_joint(def).unwrap();
        } else {
            link(&mut world, [end, (bead, at)], matches!(links, Link::Rope));
        }
        end = (bead, at);
    }
    world.set_velocity(end.0, velocity, Vec3::ZERO).unwrap();
    world
}

/// Zigzags of light links that a heavy end jerks taut gain no energy.
#[test]
fn what_is_jerked_taut_gains_nothing() {
    let ends = [(20, 5.0, 5.0), (10, 100.0, 20.0), (20, 100.0, 10.0)];
    for links in [Link::Rod, Link::Rope, Link::Ball] {
        for (count, mass, speed) in ends {
            for (degrees, aside) in [(5.0, 0.0), (20.0, 0.0), (20.0, 0.5), (45.0, 0.5)] {
                let velocity = speed * Vec3::new(aside, -1.0, 0.0);
                let mut world = zigzag(count, degrees, links, (mass, velocity));
                let energy = 0.5 * f64::from(mass * velocity.length_squared());
                let start = world.energy().total();
                for _ in 0..90 {
                    world.step();
                    let gained = (world.energy().total() - start) / energy;
                    assert!(
                        gained < 0.01,
                        "{links:?}, {count}, {degrees}, {aside}: {gained}"
                    );
                }
            }
        }
    }
}

/// A plate of 1 kg on four ropes from one body bears a tonne on a fifth.
#[test]
fn a_plate_on_ropes_bears_a_tonne() {
    for is_rope in [false, true] {
        let (mut world, ground) = world(60.0);
        let half = Vec3::new(0.5, 0.05, 0.5);
        let plate = body(&mut world, Vec3::ZERO, 1.0, Shape::cube(half));
        for (x, z) in [(0.45, 0.45), (-0.45, 0.45), (0.45, -0.45), (-0.45, -0.45)] {
            let corner = Vec3::new(x, 0.0, z);
            let hook = (ground, corner + 2.0 * Vec3::Y);
            link(&mut world, [hook, (plate, corner)], is_rope);
        }
        let load = body(&mut world, Vec3::NEG_Y, 1000.0, Shape::sphere(0.2));
        let ends = [(plate, Vec3::ZERO), (load, Vec3::NEG_Y)];
        link(&mut world, ends, is_rope);
        for _ in 0..240 {
            world.step();
            let moved = world.body(load).unwrap().position() - DVec3::NEG_Y;
            assert!(moved.length() < 1e-3, "{is_rope}: {moved}");
        }
    }
}

/// Two balls on a rod whirl on at fifty radians a second.
#[test]
fn a_dumbbell_whirls_on() {
    let (mut world, _) = world(60.0);
    let at = Vec3::new(0.5, 0.0, 0.0);
    let ends = [at, -at].map(|at| (body(&mut world, at, 1.0, Shape::sphere(0.1)), at));
    link(&mut world, ends, false);
    for (ball, at) in ends {
        let fast = Vec3::new(0.0, 50.0 * at.x, 0.0);
        world.set_velocity(ball, fast, Vec3::ZERO).unwrap();
    }
    for _ in 0..300 {
        world.step();
    }
    let [a, b] = ends.map(|(ball, _)| world.body(ball).unwrap().linear_velocity());
    assert!(((a - b).length() - 50.0).abs() < 0.01, "{a} {b}");
}

/// A light bead on rods between heavy balls that whirl does not slow them.
#[test]
fn a_light_bead_between_heavy_ones_whirls_on() {
    let (mut world, _) = world(60.0);
    let at = Vec3::new(0.5, 0.0, 0.0);
    let balls = [(100.0, -at), (0.1, Vec3::ZERO), (100.0, at)]
        .map(|(mass, at)| (body(&mut world, at, mass, Shape::sphere(0.1)), at));
    link(&mut world, [balls[0], balls[1]], false);
    link(&mut world, [balls[1], balls[2]], false);
    for (ball, at) in balls {
        let fast = Vec3::new(0.0, 10.0 * at.x, 0.0);
        world.set_velocity(ball, fast, Vec3::ZERO).unwrap();
    }
    for _ in 0..300 {
        world.step();
    }
    let [a, _, b] = balls.map(|(ball, _)| world.body(ball).unwrap().linear_velocity());
    assert!(((a - b).length() - 10.0).abs() < 0.01, "{a} {b}");
}

/// What hangs on a rod, or stands on one, falls freely when this becomes a longer rope.
#[test]
fn a_rod_that_becomes_a_rope_lets_go() {
    for side in [-1.0, 1.0] {
        let (mut world, ground) = world(60.0);
        let at = Vec3::new(0.0, side, 0.0);
        let bead = body(&mut world, at, 2.0, Shape::sphere(0.1));
        let rod = link(&mut world, [(ground, Vec3::ZERO), (bead, at)], false);
        for _ in 0..30 {
            world.step();
        }
        let rope = JointKind::Distance {
            min: 0.0,
            max: 3.0,
            rest: None,
            spring: None,
        };
        world.set_joint_kind(rod, rope).unwrap();
        for _ in 0..18 {
            world.step();
        }
        let fell = f64::from(side) - world.body(bead).unwrap().position().y;
        assert!((fell - 0.5 * 9.81 * 0.09).abs() < 0.01, "{side}: {fell}");
    }
}

/// Slack ropes beside the motors of an arm, or across them, leave it as stiff as it was.
#[test]
fn slack_ropes_leave_motors_their_strength() {
    let motor = JointKind::Hinge {
        limit: None,
        motor: Some(JointMotor {
            speed: 0.0,
            max_effort: 1e6,
        }),
        spring: None,
    };
    let rope = JointKind::Distance {
        min: 0.0,
        max: 5.0,
        rest: None,
        spring: None,
    };
    for apart in [0, 1, 2] {
        let (mut world, ground) = world(60.0);
        let mut links = vec![ground];
        for i in 0..7 {
            let at = Vec3::new(0.5 * i as f32 + 0.25, 0.0, 0.0);
            let mass = if i == 6 { 100.0 } else { 1.0 };
            let link = body(
                &mut world,
                at,
                mass,
                Shape::cube(Vec3::new(0.25, 0.05, 0.05)),
            );
            let arm = Vec3::new(0.25, 0.0, 0.0);
            let before = if i == 0 { Vec3::ZERO } else { arm };
            let def = JointDef::new(links[i], link, motor.clone()).with_anchors(before, -arm);
            world.add_joint(def).unwrap();
            links.push(link);
        }
        if apart > 0 {
            for pair in links.windows(apart + 1) {
                let def = JointDef::new(pair[0], pair[apart], rope.clone());
                world.add_joint(def).unwrap();
            }
        }
        let start = world.body(links[7]).unwrap().position();
        for _ in 0..120 {
            world.step();
        }
        let moved = (world.body(links[7]).unwrap().position() - start).length();
        assert!(moved < 2e-3, "{apart}: {moved}");
    }
}
