//! The same bits for any number of workers and any instruction set.

mod scene;

use drystone_geometry::glam::Vec3;
use drystone_geometry::simd::SimdLevel;
use drystone_geometry::{Pose, Workers};
use drystone_solver::joint::{JointLimit, JointMotor, JointSpring};
use drystone_solver::{Contact, Joint, JointKind};
use scene::{Scene, Source, ball_body, box_body};

/// Towers of cubes, rows of balls, chains, a hub with more contacts than there are colours:
/// every layout, the overflow, bounces, rolling resistance and joints.
fn everything() -> Scene {
    let half = Vec3::splat(0.5);
    let mut scene = Scene::new();
    for tower in 0..200 {
        let mut below = None;
        for level in 0..4 {
            let jitter = 0.01 * ((tower * 7 + level * 3) % 5) as f32;
            let center = Vec3::new(2.0 * tower as f32 + jitter, 0.5 + level as f32, jitter);
            let mut body = box_body(center, half, 1.0 + level as f32);
            body.angular_velocity = Vec3::new(0.1, 0.5 * jitter, 0.0);
            let cube = scene.add(body);
            let source = match below {
                None => Source::BoxOnGround { body: cube, half },
                Some(below) => Source::Stacked {
                    below,
                    above: cube,
                    half,
                },
            };
            let bounce = if tower % 3 == 0 { 0.5 } else { 0.0 };
            scene.touch(
                source,
                Contact {
                    restitution: bounce,
                    ..Contact::default()
                },
            );
            below = Some(cube);
        }
    }
    let hub = scene.add(ball_body(Vec3::new(0.0, 20.0, 0.0), 0.5, 50.0));
    let mut previous = hub;
    for i in 0..64 {
        let angle = 0.37 * i as f32;
        let direction = Vec3::new(
            libm::cosf(angle),
            0.3 * libm::sinf(3.0 * angle),
            libm::sinf(angle),
        );
        let center = Vec3::new(0.0, 20.0, 0.0) + 1.001 * direction / direction.length();
        let ball = scene.add(ball_body(center, 0.5, 1.0));
        scene.body_mut(ball).linear_velocity = -2.0 * direction;
        let material = Contact {
            rolling_resistance: 0.01 * (i % 2) as f32,
            ..Contact::default()
        };
        scene.touch(
            Source::Balls {
                a: hub,
                b: ball,
                radius: 0.5,
            },
            material,
        );
        let kind = JointKind::Distance {
            min: 0.0,
            max: 1.2,
            rest: None,
            spring: None,
        };
        let kind = if i % 2 == 0 {
            kind
        } else {
            JointKind::Ball {
                friction_torque: 0.1,
                spring: None,
                cone: Some(0.8),
                twist: Some(JointLimit {
                    lower: -0.3,
                    upper: 0.2,
                }),
            }
        };
        let frame = Pose::from_translation(0.1 * direction);
        scene.join(Joint::new(kind, previous, ball, frame, Pose::IDENTITY));
        previous = ball;
    }
    hang_trees(&mut scene);
    scene
}

/// Twenty trees of two shapes with every row that joints have in lanes, each with a ring of three
/// hinges at its end: a bridge of two hinges, limits, a motor, springs, friction, welds.
fn hang_trees(scene: &mut Scene) {
    let range = Some(JointLimit {
        lower: -0.2,
        upper: 0.3,
    });
    let hinge = JointKind::Hinge {
        limit: range,
        motor: Some(JointMotor {
            speed: 1.0,
            max_effort: 2.0,
        }),
        spring: Some(JointSpring::new(2.0, 0.5)),
    };
    let ball = JointKind::Ball {
        friction_torque: 0.3,
        spring: Some(JointSpring::new(1.0, 0.7)),
        cone: Some(0.4),
        twist: range,
    };
    let weld = JointKind::Weld {
        linear: None,
        angular: None,
    };
    let soft = JointKind::Weld {
        linear: None,
        angular: Some(JointSpring::new(3.0, 0.2)),
    };
    for tree in 0..20_u16 {
        let place = Vec3::new(f32::from(tree), 30.0, 5.0);
        let count = 9 + u32::from(tree % 2);
        let limbs: Vec<u32> = (0..count)
            .map(|index| {
                let center = place + 0.5 * index as f32 * Vec3::Z;
                let mut limb = box_body(center, Vec3::new(0.1, 0.1, 0.2), 1.0 + index as f32);
                limb.angular_velocity = Vec3::new(f32::from(tree % 7), index as f32, 1.0);
                scene.add(limb)
            })
            .collect();
        let mut join = |kind: &JointKind, a: u32, b: u32, side: f32| {
            let [near, far] =
                [0.25, -0.25].map(|z| Pose::from_translation(Vec3::new(side, 0.0, z)));
            scene.join(Joint::new(kind.clone(), a, b, near, far));
        };
        let last = limbs.len() - 1;
        for (index, pair) in limbs.windows(2).enumerate() {
            let kind = [&hinge, &ball, &weld, &soft][index % 4];
            join(kind, pair[0], pair[1], 0.0);
            if index == 1 {
                join(kind, pair[0], pair[1], 0.1);
            }
        }
        join(&hinge, limbs[last], limbs[last - 2], 0.0);
        join(&hinge, limbs[3], limbs[0], 0.0);
    }
}

fn run(threads: usize, level: SimdLevel) -> (Vec<u64>, u32) {
    let mut scene = everything();
    scene.workers = Workers::new(threads).expect("threads for the test");
    scene.settings.simd = level.resolve().expect("available");
    let mut workers = 0;
    for _ in 0..30 {
        scene.step();
        workers = workers.max(scene.stats.workers);
    }
    assert!(scene.stats.overflow > 0, "the overflow was not reached");
    assert!(scene.fingerprint().iter().any(|&bits| bits != 0));
    (scene.fingerprint(), workers)
}

/// One to eight threads against one thread, by exact bits; where the machine has two cores or
/// more, several workers really ran.
#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    let (expected, _) = run(1, SimdLevel::Auto);
    let mut most = 0;
    for threads in [2, 3, 4, 8] {
        let (found, workers) = run(threads, SimdLevel::Auto);
        assert!(found == expected, "{threads} threads");
        most = most.max(workers);
    }
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    assert!(cores == 1 || most > 1, "only one worker ever ran");
}

/// Every instruction set this machine has, by exact bits.
#[test]
fn the_result_does_not_depend_on_the_instruction_set() {
    let (expected, _) = run(1, SimdLevel::Auto);
    for level in SimdLevel::available() {
        let (found, _) = run(2, level);
        assert!(found == expected, "{level}");
    }
}

/// Ten chains of three balls, with springs and friction, that fly; of all, or of all but the first,
/// none touches anything.
fn chains(lands: bool) -> Scene {
    let mut scene = Scene::new();
    let mut balls = Vec::new();
    for chain in 0..10 {
        for link in 0..3 {
            let place = Vec3::new(chain as f32, 0.19 + 0.5 * link as f32, 0.0);
            let mut ball = ball_body(place, 0.2, 1.0);
            ball.linear_velocity = Vec3::new(0.3, -1.0, 0.5 * link as f32);
            balls.push(scene.add(ball));
            if let [.., below, above] = balls[3 * chain..] {
                let kind = JointKind::Ball {
                    friction_torque: 0.1,
                    spring: Some(JointSpring::new(2.0, 0.5)),
                    cone: None,
                    twist: None,
                };
                let frame = |y| Pose::from_translation(Vec3::new(0.0, y, 0.0));
                scene.join(Joint::new(kind, below, above, frame(0.25), frame(-0.25)));
            }
        }
    }
    // Something lands in any case.
    let alone = scene.add(ball_body(Vec3::new(-2.0, 0.2, 0.0), 0.2, 1.0));
    let body = if lands { balls[0] } else { alone };
    let ground = Source::BallOnGround { body, radius: 0.2 };
    scene.touch(ground, Contact::default());
    scene.run(5);
    scene
}

/// Eight trees are solved side by side. Whether the first hits the ground is nothing to the others,
/// which are the same to the bit.
#[test]
fn a_tree_does_not_mind_what_pushes_others() {
    let (flies, lands) = (chains(false), chains(true));
    assert_ne!(flies.bodies[..3], lands.bodies[..3]);
    assert_eq!(flies.bodies[3..30], lands.bodies[3..30]);
}
