//! Bodies appear when and where a scene says, the same in every run.

use drystone::glam::DVec3;
use drystone::{BodyKey, JointKey};
use drystone_scene::{Checker, Instance, Scene};

use crate::source::parse;

fn build(scene: &Scene) -> Instance {
    scene.build().unwrap_or_else(|errors| panic!("{errors}"))
}

const FLOATING: &str = "settings: (gravity: (0, 0, 0))";

/// A pair of balls on a rod; ball `b` is the second one.
const PAIR: &str = "prefabs: { \"pair\": (
    bodies: [
        (name: \"a\", shape: Sphere(radius: 0.1), filter: (group: -5, group_per_copy: -2)),
        (name: \"b\", shape: Sphere(radius: 0.1), position: (0, 1, 0), linear_velocity: (0, 1, 0)),
    ],
    joints: [(name: \"rod\", a: \"a\", b: \"b\", kind: Distance())],
) }";

/// The rule of a published benchmark: a step whose number n has (n AND 0x2F) = 0. The numbers
/// below 400 are those its description lists.
#[test]
fn a_mask_picks_the_steps_of_the_benchmark() {
    let scene = parse(&format!(
        "{FLOATING}, spawn: [(name: \"s\", body: (shape: Sphere(radius: 0.1)), mask: 0x2F,
            count: (100, 1, 1), step: (1, 0, 0))]"
    ));
    let due: Vec<u64> = (0..400)
        .filter(|n| scene.spawns[0].schedule.is_due(*n))
        .collect();
    assert_eq!(
        due,
        [0, 16, 64, 80, 128, 144, 192, 208, 256, 272, 320, 336, 384]
    );
}

/// Every third step from step 2 to step 10, two at a time: before the steps 2, 5 and 8. Five
/// places take the first two, the next two, and the last one.
#[test]
fn copies_appear_one_place_after_the_other() {
    let scene = parse(&format!(
        "{FLOATING}, spawn: [(name: \"s\", body: (shape: Sphere(radius: 0.1)), every: 3, from: 2,
            until: 10, together: 2, count: (5, 1, 1), step: (2, 0, 0), position: (0, 7, 0))]"
    ));
    let mut instance = build(&scene);
    let mut counts = Vec::new();
    for _ in 0..12 {
        instance.step();
        counts.push(instance.world.body_keys().count());
    }
    assert_eq!(counts, [0, 0, 2, 2, 2, 4, 4, 4, 5, 5, 5, 5]);
    for (index, key) in instance.body_keys.iter().enumerate() {
        let body = instance.world.body(*key).expect("it has appeared");
        assert_eq!(body.position(), DVec3::new(2.0 * index as f64, 7.0, 0.0));
        assert_eq!(body.name(), format!("s[{index}]"));
        assert_eq!(instance.bodies[body.name()], *key);
    }
}

/// Three places, a copy before every step, made anew for ever: before step 3 the first copy
/// goes and comes back where it began, with its joint, and so on round.
#[test]
fn the_oldest_copy_is_made_anew() {
    let scene = parse(&format!(
        "{FLOATING}, {PAIR}, spawn: [(name: \"s\", prefab: \"pair\", respawn: true,
            count: (1, 1, 3), step: (0, 0, 4))]"
    ));
    let mut instance = build(&scene);
    assert!(
        instance
            .body_keys
            .iter()
            .all(|key| *key == BodyKey::default())
    );
    for _ in 0..3 {
        instance.step();
    }
    let old = (instance.body_keys.clone(), instance.joint_keys.clone());
    assert_eq!(instance.world.body_keys().count(), 6);
    instance.step();
    assert_eq!(instance.world.body_keys().count(), 6);
    assert_eq!(instance.world.joint_keys().count(), 3);
    for index in 0..6 {
        let is_new = instance.body_keys[index] != old.0[index];
        assert_eq!(is_new, index < 2, "{index}");
    }
    assert!(instance.world.body(old.0[0]).is_err());
    assert_ne!(instance.joint_keys[0], old.1[0]);
    assert_ne!(instance.joint_keys[0], JointKey::default());
    assert_eq!(instance.joints["s[0]/rod"], instance.joint_keys[0]);
    // One step of a sixtieth of a second after it came back, the pair has risen a little.
    let body = instance.world.body(instance.bodies["s[0]/b"]).expect("b");
    assert!((1.0..1.02).contains(&body.position().y));
}

/// Copies of a prefab get filter groups of their own: -5 less twice the number of the copy.
#[test]
fn copies_have_groups_of_their_own() {
    let scene = parse(&format!(
        "{FLOATING}, {PAIR},
        patterns: [Grid(name: \"g\", prefab: \"pair\", count: (2, 1, 1), step: (5, 0, 0))],
        spawn: [(name: \"s\", prefab: \"pair\", count: (1, 1, 3), step: (0, 0, 4))]"
    ));
    let group = |name: &str| {
        let index = scene.select(name)[0];
        scene.bodies[index].def.shapes[0].filter.group
    };
    for (name, expected) in [
        ("g[0]/a", -5),
        ("g[1]/a", -7),
        ("g[1]/b", 0),
        ("s[0]/a", -5),
        ("s[2]/a", -9),
    ] {
        assert_eq!(group(name), expected, "{name}");
    }
}

/// With a time step of zero no step is ever taken, so what appears before step 0 appears once.
#[test]
fn nothing_appears_twice_while_time_stands_still() {
    let scene = parse(
        "settings: (dt: 0), spawn: [(name: \"s\", body: (shape: Sphere(radius: 0.1)),
            count: (9, 1, 1), step: (1, 0, 0))]",
    );
    let mut instance = build(&scene);
    for _ in 0..5 {
        instance.step();
    }
    assert_eq!(instance.world.body_keys().count(), 1);
}

/// Two runs agree to the bit, and so does a copy of a half-run one.
#[test]
fn spawning_is_the_same_in_every_run() {
    let scene = parse(&format!(
        "{PAIR}, bodies: [(kind: Static, shape: HalfSpace())],
        spawn: [(name: \"s\", prefab: \"pair\", every: 7, respawn: true, position: (0, 0.5, 0),
            count: (2, 1, 1), step: (0.15, 0, 0))]"
    ));
    let run = |instance: &mut Instance, steps: usize| {
        (0..steps).for_each(|_| instance.step());
        instance.world.state_hash()
    };
    let mut first = build(&scene);
    let mut second = build(&scene);
    run(&mut first, 40);
    let mut third = first.clone();
    let hash = run(&mut first, 40);
    assert_eq!(run(&mut second, 80), hash);
    assert_eq!(run(&mut third, 40), hash);
}

/// A body is measured from where it appears: one that drifts at 1 m/s and is made anew every
/// 30 steps never comes farther than half a metre. Before it is there, nothing is expected of
/// it, and it cannot be counted.
#[test]
fn expectations_wait_for_a_body_to_appear() {
    let scene = parse(&format!(
        "{FLOATING}, spawn: [(name: \"s\", body: (shape: Sphere(radius: 0.1),
            linear_velocity: (1, 0, 0)), every: 30, from: 30, respawn: true)],
        expect: [
            Stays(body: \"s\", within: 0.52),
            CountInside(body: \"s\", min: (-1, -1, -1), max: (1, 1, 1), at_most: 0, at: 0.4),
            CountInside(body: \"s\", min: (-1, -1, -1), max: (1, 1, 1), at_least: 1, from: 0.52),
            Moves(body: \"s\", at_least: 0.4, at: 0.99),
        ],
        duration: 3"
    ));
    let mut instance = build(&scene);
    let mut checker = Checker::new(&scene);
    checker.observe(&instance);
    for _ in 0..scene.steps() {
        instance.step();
        checker.observe(&instance);
    }
    for verdict in checker.finish(&instance).verdicts {
        assert!(verdict.passed, "{verdict}");
    }
}

/// A scene written out and read again is the same scene: bodies, joints, groups, motions,
/// spawns and expectations, and it runs to the same bits.
#[test]
fn a_written_scene_reads_back_equal() {
    let text = format!(
        "about: \"a \\\"test\\\"\", {PAIR},
        shapes: {{ \"wedge\": Prism(sides: 5, radius: 0.5, half_height: 0.25) }},
        bodies: [
            (name: \"floor\", kind: Static, shape: HalfSpace()),
            (name: \"mill\", kind: Kinematic, position: (9, 1, 0), shapes: [
                (shape: \"wedge\", position: (1, 0, 0), ring: (count: 4)),
            ]),
            (name: \"lift\", kind: Kinematic, position: (0, 1, 9), shape: \"wedge\"),
        ],
        patterns: [Grid(name: \"net\", count: (3, 2, 1), step: (1, 1, 1), position: (-9, 1, 0),
            fixed: X, joint: Ball(), body: (shape: Sphere(radius: 0.3)))],
        motion: [
            (body: \"mill\", path: Spin(speed: Degrees(90)), start: 0.1, stop: 0.5),
            (body: \"lift\", path: Waypoints(points: [(at: 1, offset: (0, 1, 0))], repeat: true)),
        ],
        spawn: [
            (name: \"s\", prefab: \"pair\", every: 7, respawn: true, position: (0, 0.5, 0),
                order: ZXY, count: (2, 1, 2), step: (0.5, 0, 1), together: 2, until: 90,
                rotation: Turn(axis: (0, 1, 0), degrees: 90)),
            (name: \"drop\", body: (shape: \"wedge\", filter: (group_per_copy: 1)), mask: 3,
                count: (3, 1, 1), step: (2, 0, 0), position: (9, 3, 9)),
        ],
        expect: [JointGap(at_most: 0.2), Height(body: \"s[last]\", at_least: 0)],
        duration: 0.5, bench: (steps: 30)"
    );
    let scene = parse(&text);
    let written = scene.to_ron();
    let again = Scene::parse(written.clone(), "again.ron")
        .unwrap_or_else(|errors| panic!("{errors}\n{written}"));
    assert_eq!(again.to_ron(), written);
    assert_eq!(again.about, scene.about);
    assert_eq!(again.bench, scene.bench);
    assert_eq!(again.motions, scene.motions);
    assert_eq!(again.bodies.len(), scene.bodies.len());
    for (a, b) in again.bodies.iter().zip(&scene.bodies) {
        assert_eq!(a.def, b.def);
    }
    assert_eq!(again.joints.len(), scene.joints.len());
    for (a, b) in again.joints.iter().zip(&scene.joints) {
        assert_eq!((a.a, a.b, &a.name), (b.a, b.b, &b.name));
        assert_eq!(
            (a.frame_a, a.frame_b, &a.kind),
            (b.frame_a, b.frame_b, &b.kind)
        );
    }
    for (a, b) in again.spawns.iter().zip(&scene.spawns) {
        assert_eq!(
            (&a.name, &a.copies, a.schedule),
            (&b.name, &b.copies, b.schedule)
        );
    }
    let hash = |scene: &Scene| {
        let mut instance = build(scene);
        (0..30).for_each(|_| instance.step());
        instance.world.state_hash()
    };
    assert_eq!(hash(&again), hash(&scene));
}
