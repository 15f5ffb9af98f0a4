//! Patterns put bodies where the published formulae and geometry say.

use drystone::glam::{DVec3, Quat, Vec3};
use drystone::{BodyKind, Shape};
use drystone_scene::Scene;

use crate::source::{load, parse};

/// Y slowest, then x, then z, as the junkyard counts its rocks, and x, y, z as the washer its
/// cubes; the published counts and places.
#[test]
fn grids_are_counted_in_the_order_they_name() {
    let scene = load("bench/junkyard");
    let mut rocks = scene.bodies.iter().skip(2);
    for y in 0..24 {
        for x in 0..21 {
            for z in 0..21 {
                let cell = DVec3::new(f64::from(x), f64::from(y), f64::from(z));
                let expected = DVec3::new(-40.0, 25.0, -40.0) + 4.0 * cell;
                let rock = rocks.next().expect("10,584 rocks");
                assert_eq!(rock.def.position, expected);
            }
        }
    }
    assert_eq!(rocks.count(), 0);
    let scene = load("bench/washer");
    let mut cubes = scene.bodies.iter().skip(2);
    for x in 0..20 {
        for y in 0..20 {
            for z in 0..20 {
                let cell = DVec3::new(f64::from(x), f64::from(y), f64::from(z));
                let expected = DVec3::new(-8.0, 13.0, -8.0) + 0.8 * cell;
                let cube = cubes.next().expect("8,000 cubes");
                assert!(cube.def.position.abs_diff_eq(expected, 1e-9));
            }
        }
    }
    assert_eq!(cubes.count(), 0);
}

/// A prism of n sides has 2 n vertices and n + 2 faces, its corners on a circle, the first
/// one towards +x; a hexagon of radius 2 and height 3 has a volume of 6 sqrt(3) * 3.
#[test]
fn prisms_are_regular() {
    for sides in [3, 4, 6, 16, 100] {
        let scene = parse(&format!(
            "bodies: [(shape: Prism(sides: {sides}, radius: 2, half_height: 1.5))]"
        ));
        let shape = &scene.bodies[0].def.shapes[0].shape;
        let Shape::Hull(hull) = shape else {
            panic!("a prism is a hull")
        };
        assert_eq!(hull.vertices().len(), 2 * sides);
        assert_eq!(hull.faces().len(), sides + 2);
        for v in hull.vertices() {
            assert!((v.x.hypot(v.z) - 2.0).abs() < 1e-6);
            assert_eq!(v.y.abs(), 1.5);
        }
        assert!(hull.vertices().contains(&Vec3::new(2.0, 1.5, 0.0)));
        if sides == 6 {
            let volume = 6.0 * 3.0_f32.sqrt() * 3.0;
            assert!((shape.mass_properties(1.0).mass - volume).abs() < 1e-4);
        }
    }
}

/// Nine of ten rows of a pyramid are all but the tip.
#[test]
fn a_pyramid_may_end_below_its_tip() {
    let pyramid = |rows: &str| {
        parse(&format!(
            "patterns: [Pyramid(name: \"p\", base: 10 {rows},
                body: (shape: Box(half_extents: (0.5, 0.5, 0.5))))]"
        ))
    };
    let (whole, cut) = (pyramid(""), pyramid(", rows: 9"));
    assert_eq!((whole.bodies.len(), cut.bodies.len()), (55, 54));
    for (a, b) in whole.bodies.iter().zip(&cut.bodies) {
        assert_eq!(a.def, b.def);
    }
}

/// All stones of an arch meet: the outer corners of a stone's upper joint are those of the
/// next one's lower joint, and all corners lie on the two circles. Known from geometry.
#[test]
fn the_stones_of_an_arch_share_their_joints() {
    let scene = load("arch");
    let stones = scene.select("arch");
    assert_eq!(stones.len(), 17, "15 stones and 2 springers");
    let corners = |index: usize| -> Vec<DVec3> {
        let def = &scene.bodies[index].def;
        let Shape::Hull(hull) = &def.shapes[0].shape else {
            panic!("stones are hulls")
        };
        assert_eq!(def.rotation, Quat::IDENTITY);
        hull.vertices()
            .iter()
            .map(|v| def.position + v.as_dvec3())
            .collect()
    };
    let mut shared = 0;
    for pair in stones.windows(2).take(14) {
        for a in corners(pair[0]) {
            let radius = a.truncate().length();
            let is_on = |circle: f64| (radius - circle).abs() < 1e-6;
            assert!(is_on(2.7) || is_on(3.3), "{radius}");
            shared += corners(pair[1])
                .iter()
                .filter(|b| a.distance(**b) < 2e-6)
                .count();
        }
    }
    assert_eq!(shared, 14 * 4);
    let keystone = &scene.bodies[scene.select("arch[middle]")[0]];
    assert_eq!(keystone.name, "arch[7]");
    assert!(keystone.def.position.x.abs() < 1e-12);
    for side in ["arch/left", "arch/right"] {
        assert_eq!(
            scene.bodies[scene.select(side)[0]].def.kind,
            BodyKind::Static
        );
    }
}

/// A running bond: every course is as long as the wall, nothing overlaps, and no upright
/// joint stands above another, the irregular ones included.
#[test]
fn the_courses_of_a_wall_are_full_and_their_joints_broken() {
    for irregular in [0.0, 0.4] {
        let scene = parse(&format!(
            "patterns: [Wall(name: \"w\", half_extents: (0.5, 0.25, 0.25), bricks: 6, courses: 5,
                gap: 0.01, irregular: {irregular}, seed: 3)]"
        ));
        let mut courses: Vec<Vec<(f64, f64)>> = vec![Vec::new(); 5];
        for body in &scene.bodies {
            let Shape::Box { half_extents } = &body.def.shapes[0].shape else {
                panic!("boxes")
            };
            let (x, half) = (body.def.position.x, f64::from(half_extents.x));
            let course = ((body.def.position.y - 0.25) / 0.5).round() as usize;
            courses[course].push((x - half, x + half));
        }
        for (number, course) in courses.iter().enumerate() {
            assert_eq!(course.len(), 6 + number % 2);
            assert!((course[0].0 + 3.0).abs() < 1e-6);
            assert!((course[course.len() - 1].1 - 3.0).abs() < 1e-6);
            for pair in course.windows(2) {
                assert!((pair[1].0 - pair[0].1 - 0.01).abs() < 1e-6, "{pair:?}");
            }
        }
        for pair in courses.windows(2) {
            for a in &pair[0][1..] {
                let nearest = pair[1][1..]
                    .iter()
                    .map(|b| (a.0 - b.0).abs())
                    .fold(9.0, f64::min);
                assert!(nearest > 0.05, "joints {nearest} apart");
            }
        }
    }
}

/// The leaning pair of the case collection: cards 0.7 mm by 10 cm at 25 degrees stand at
/// x = +-0.0214481, y = 0.0454633, turned by +-25 degrees.
#[test]
fn a_pair_of_cards_leans_as_computed_by_hand() {
    let scene =
        parse("patterns: [CardHouse(name: \"c\", base: 1, half_extents: (0.00035, 0.05, 0.03))]");
    let expected = [
        (-0.021448120812497803, -0.21643961),
        (0.021448120812497803, 0.21643961),
    ];
    for (body, (x, z)) in scene.bodies.iter().zip(expected) {
        let place = DVec3::new(x, 0.04546330574344174, 0.0);
        assert!(
            body.def.position.abs_diff_eq(place, 1e-9),
            "{}",
            body.def.position
        );
        let turned = Quat::from_xyzw(0.0, 0.0, z, 0.976_296);
        assert!(
            body.def.rotation.abs_diff_eq(turned, 1e-6),
            "{}",
            body.def.rotation
        );
    }
    // Three pairs, two, one, and a deck on all levels but the last.
    let house =
        parse("patterns: [CardHouse(name: \"c\", base: 3, half_extents: (0.002, 0.1, 0.06))]");
    assert_eq!(house.bodies.len(), 14);
    assert_eq!(house.select("c/deck").len(), 2);
}

/// Links follow each other at the pitch, and every joint sits where two of them meet.
#[test]
fn a_chain_hangs_link_by_link() {
    let scene = parse(
        "bodies: [(name: \"hook\", kind: Static, position: (1, 5, 0)), (name: \"ball\", shape: Sphere(radius: 0.2), position: (3.2, 5, 0))],
         patterns: [Chain(name: \"c\", links: 4, direction: (1, 0, 0), position: (1, 5, 0), start: \"hook\", end: \"ball\",
            body: (shape: Capsule(half_height: 0.2, radius: 0.05)))]",
    );
    let xs: Vec<f64> = scene
        .select("c")
        .iter()
        .map(|i| scene.bodies[*i].def.position.x)
        .collect();
    for (i, x) in xs.iter().enumerate() {
        assert!((x - (1.25 + 0.5 * i as f64)).abs() < 1e-6, "{xs:?}");
    }
    assert_eq!(scene.joints.len(), 5);
    for (i, joint) in scene.joints.iter().enumerate() {
        assert_eq!(joint.name, format!("c[{i}]"));
        let a = &scene.bodies[joint.a].def;
        let pose = drystone::WorldPose {
            position: a.position,
            rotation: a.rotation,
        };
        let anchor = pose.transform_point(joint.frame_a.translation);
        assert!(
            anchor.abs_diff_eq(DVec3::new(1.0 + 0.5 * i as f64, 5.0, 0.0), 1e-6),
            "{anchor}"
        );
    }
}

/// The same seed gives the same pile, another seed another one, and no two bodies overlap:
/// their bounding spheres do not.
#[test]
fn a_pile_depends_on_its_seed_alone_and_starts_apart() {
    let pile = |seed: u64| {
        parse(&format!(
            "patterns: [Pile(name: \"p\", count: 60, columns: (4, 3), seed: {seed}, scale: (0.5, 1.0),
                shapes: [Sphere(radius: 0.5), Box(half_extents: (0.3, 0.4, 0.2)), Capsule(half_height: 0.3, radius: 0.2)])]"
        ))
    };
    let (one, same, other) = (pile(1), pile(1), pile(2));
    let defs = |scene: &Scene| -> Vec<_> { scene.bodies.iter().map(|b| b.def.clone()).collect() };
    assert_eq!(defs(&one), defs(&same));
    assert_ne!(defs(&one), defs(&other));
    // The widest shape reaches 0.5385 m (half the diagonal of the box).
    for (i, a) in one.bodies.iter().enumerate() {
        for b in &one.bodies[..i] {
            let distance = a.def.position.distance(b.def.position);
            assert!(distance >= 2.0 * 0.538, "{} {}: {distance}", a.name, b.name);
        }
    }
}

/// A prefab in a turned place: its joint still sits between its bodies, and its velocity
/// turns with it. Known by hand for a quarter turn about y, which takes x to -z.
#[test]
fn a_placed_prefab_turns_as_a_whole() {
    let scene = parse(
        "prefabs: { \"pair\": (
            bodies: [
                (name: \"a\", shape: Sphere(radius: 0.1)),
                (name: \"b\", shape: Sphere(radius: 0.1), position: (2, 0, 0), linear_velocity: (3, 0, 0)),
            ],
            joints: [(name: \"rod\", a: \"a\", b: \"b\", kind: Ball(), anchor: (1, 0, 0), axis: (1, 0, 0))],
         ) },
         patterns: [Place(name: \"here\", prefab: \"pair\", position: (5, 1, 0), rotation: Turn(axis: (0, 1, 0), degrees: 90))]",
    );
    let b = &scene.bodies[scene.select("here/b")[0]].def;
    assert!(
        b.position.abs_diff_eq(DVec3::new(5.0, 1.0, -2.0), 1e-6),
        "{}",
        b.position
    );
    assert!(
        b.linear_velocity
            .abs_diff_eq(drystone::glam::Vec3::new(0.0, 0.0, -3.0), 1e-5)
    );
    let rod = &scene.joints[scene.select_joints("here/rod")[0]];
    let pose = drystone::WorldPose {
        position: b.position,
        rotation: b.rotation,
    };
    let anchor = pose.transform_point(rod.frame_b.translation);
    assert!(
        anchor.abs_diff_eq(DVec3::new(5.0, 1.0, -1.0), 1e-6),
        "{anchor}"
    );
}

/// A rod without lengths is as long as the bodies are apart, a rope is a rope.
#[test]
fn distances_that_are_left_out_follow_from_the_places() {
    let scene = parse(
        "bodies: [(name: \"a\", kind: Static), (name: \"b\", shape: Sphere(radius: 0.1), position: (3, 4, 0))],
         joints: [
            (name: \"rod\", a: \"a\", b: \"b\", kind: Distance()),
            (name: \"rope\", a: \"a\", b: \"b\", kind: Distance(max: 6)),
            (name: \"spring\", a: \"a\", b: \"b\", kind: Distance(spring: (hertz: 2))),
         ]",
    );
    let lengths: Vec<_> = scene
        .joints
        .iter()
        .map(|joint| match &joint.kind {
            drystone::JointKind::Distance { min, max, rest, .. } => (*min, *max, *rest),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        lengths,
        [(5.0, 5.0, None), (0.0, 6.0, None), (0.0, 1e7, Some(5.0))]
    );
}
