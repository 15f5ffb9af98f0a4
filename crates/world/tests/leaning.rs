//! Bodies that lean on each other along their edges.

use drystone::glam::{DVec3, Quat, Vec3};
use drystone::{BodyDef, Material, Settings, Shape, World};

fn world(dt: f32) -> World {
    World::new(Settings {
        dt,
        sleeping: false,
        ..Settings::default()
    })
    .expect("valid settings")
}

fn with_box(def: BodyDef, half: Vec3, friction: f32) -> BodyDef {
    with(def, Shape::cube(half), friction)
}

fn with(def: BodyDef, shape: Shape, friction: f32) -> BodyDef {
    let mut def = def.with_shape(shape);
    for shape in &mut def.shapes {
        shape.material = Material {
            friction,
            ..Material::default()
        };
    }
    def
}

fn add_ground(world: &mut World, friction: f32) {
    let ground = BodyDef::fixed().at(DVec3::new(0.0, -0.5, 0.0));
    let ground = with_box(ground, Vec3::new(50.0, 0.5, 50.0), friction);
    world.add_body(ground).expect("a valid ground");
}

/// How far the left of two cards has sunk after some seconds; each has this half height and leans
/// by so many radians on the other, which stands on ground of this friction.
fn sinking(lean: f64, half_height: f64, friction: f64, dt: f32) -> f64 {
    let (sin, cos) = libm::sincos(lean);
    let thickness = 0.01 * half_height;
    let half = Vec3::new(
        thickness as f32,
        half_height as f32,
        0.6 * half_height as f32,
    );
    let (x, y) = (
        half_height * sin + thickness * cos,
        half_height * cos + thickness * sin,
    );
    let mut world = world(dt);
    add_ground(&mut world, friction as f32);
    let keys = [-1.0, 1.0].map(|side| {
        let mut def = BodyDef::dynamic().at(DVec3::new(side * x, y, 0.0));
        let (sin, cos) = libm::sincos(0.5 * side * lean);
        def.rotation = Quat::from_xyzw(0.0, 0.0, sin as f32, cos as f32);
        let def = with_box(def, half, friction as f32);
        world.add_body(def).expect("a valid card")
    });
    for _ in 0..(5.0 / dt) as u32 {
        world.step();
    }
    y - world.body(keys[0]).expect("it is there").pose().position.y
}

/// Two cards that lean on each other need friction of half the tangent of their lean: the top
/// presses level, so the moments about a foot ask for half the weight times the tangent there.
/// A tenth above it they stand, a tenth below they fall, at two sizes and two rates.
#[test]
fn two_cards_stand_from_half_the_tangent_of_their_lean() {
    for degrees in [15.0_f64, 25.0, 35.0] {
        let lean = degrees.to_radians();
        let needed = 0.5 * libm::tan(lean);
        for half_height in [0.05, 0.5] {
            for rate in [60.0, 120.0] {
                let stands = sinking(lean, half_height, 1.1 * needed, 1.0 / rate);
                let falls = sinking(lean, half_height, 0.9 * needed, 1.0 / rate);
                assert!(
                    stands < 0.02 * half_height && falls > 0.4 * half_height,
                    "{degrees} degrees, {half_height} m, {rate} Hz: {stands}, {falls}"
                );
            }
        }
    }
}

/// Blocks of height `a` let fall by a hundredth of it onto each other, every other one shifted by
/// `shift` along `along`: how far the farthest has moved sideways after five seconds.
fn sway(block: &Shape, a: f64, count: usize, shift: f64, along: DVec3, dt: f32) -> f64 {
    let mut world = world(dt);
    add_ground(&mut world, 0.7);
    let starts: Vec<DVec3> = (0..count)
        .map(|i| (i % 2) as f64 * shift * along + a * (0.51 + 1.01 * i as f64) * DVec3::Y)
        .collect();
    let add = |&start: &DVec3| {
        let def = with(BodyDef::dynamic().at(start), block.clone(), 0.7);
        world.add_body(def).expect("a valid block")
    };
    let keys: Vec<_> = starts.iter().map(add).collect();
    for _ in 0..(5.0 / dt) as u32 {
        world.step();
    }
    let mut farthest: f64 = 0.0;
    for (key, start) in keys.iter().zip(&starts) {
        let moved = world.body(*key).expect("it is there").position() - start;
        farthest = farthest.max(moved.x.hypot(moved.z));
    }
    farthest
}

/// A column of cubes stands whatever its height, as long as each lies well on the one below. As
/// springs, these contacts would let it buckle: of 1 cm from six cubes on, of 10 cm from twelve.
#[test]
fn crooked_columns_do_not_buckle() {
    let across = DVec3::new(0.8, 0.0, 0.6);
    for (a, count, shift) in [(0.01, 10, 0.02), (0.1, 20, 0.05), (1.0, 30, 0.05)] {
        let cube = Shape::cube(Vec3::splat(0.5 * a as f32));
        for along in [DVec3::X, across] {
            for rate in [60.0, 120.0] {
                let moved = sway(&cube, a, count, shift * a, along, 1.0 / rate);
                assert!(
                    moved < 0.15 * a,
                    "{count} of {a} m along {along}, {rate} Hz: {moved} m"
                );
            }
        }
    }
}

/// A right prism along Y, centred, whose ends are the polygon with these corners in the x-z plane.
fn prism(corners: &[[f64; 2]], height: f64) -> Shape {
    let ends = [-0.5, 0.5].map(|side| side * height);
    let points = ends.iter().flat_map(|&y| {
        let corners = corners.iter();
        corners.map(move |[x, z]| Vec3::new(*x as f32, y as f32, *z as f32))
    });
    let points: Vec<Vec3> = points.collect();
    Shape::hull(&points).expect("a valid prism")
}

/// A column of prisms stands whatever its face. Contacts keep four points, and those of a face of
/// five, seven or nine corners, or of an irregular one, do not lie around its middle. If they
/// shared the load equally, each would tip what stands on it: these columns would all fall.
#[test]
fn columns_of_odd_prisms_stand() {
    let regular = |sides: u32| -> Vec<[f64; 2]> {
        let turn = std::f64::consts::TAU / f64::from(sides);
        let corner = |k| libm::sincos(0.1 + turn * f64::from(k));
        (0..sides)
            .map(corner)
            .map(|(sin, cos)| [cos, sin])
            .collect()
    };
    // The middle of this one is at zero too, to a thousandth.
    let kite = vec![
        [0.94, 0.0],
        [-0.06, 0.6],
        [-0.46, 0.5],
        [-0.66, 0.0],
        [-0.46, -0.5],
        [-0.06, -0.6],
    ];
    for (name, face) in [
        ("five", regular(5)),
        ("seven", regular(7)),
        ("nine", regular(9)),
        ("kite", kite),
    ] {
        for (a, count, shift) in [(0.1, 20, 0.0), (0.1, 20, 0.02), (1.0, 40, 0.0)] {
            let corners: Vec<_> = face
                .iter()
                .map(|[x, z]| [0.7 * a * x, 0.7 * a * z])
                .collect();
            let block = prism(&corners, a);
            for rate in [60.0, 120.0] {
                let moved = sway(&block, a, count, shift * a, DVec3::X, 1.0 / rate);
                assert!(
                    moved < 0.1 * a,
                    "{count} of {a} m, {name} corners, {shift}, {rate} Hz: {moved} m"
                );
            }
        }
    }
}

/// What stands because levers do not follow a lean must still fall where it should: a cube on the
/// edge of another, its centre a fiftieth of its edge within the support or beyond it.
#[test]
fn a_cube_on_an_edge_falls_when_its_centre_is_beyond_it() {
    for a in [0.01, 0.1, 1.0] {
        for (overhang, stands) in [(0.48, true), (0.52, false)] {
            let mut world = world(1.0 / 60.0);
            let half = Vec3::splat(0.5 * a as f32);
            let support = with_box(BodyDef::fixed(), half, 0.7);
            world.add_body(support).expect("a valid support");
            let start = DVec3::new(overhang * a, a, 0.0);
            let def = with_box(BodyDef::dynamic().at(start), half, 0.7);
            let cube = world.add_body(def).expect("a valid cube");
            for _ in 0..300 {
                world.step();
            }
            let y = world.body(cube).expect("it is there").position().y;
            assert_eq!(y > 0.9 * a, stands, "{a} m, {overhang} over: {y} m high");
        }
    }
}

/// A cube on a table that tilts slowly slips where the slope passes the friction, since the table
/// is driven and its face is where it is. It starts a fiftieth of a radian below that, has hardly
/// gone just below it, and has gone by more than creep an eightieth above.
#[test]
fn a_cube_slips_from_a_tilting_table_at_the_angle_of_friction() {
    let friction = 0.5;
    let (limit, rate) = (libm::atan(friction), 0.02);
    let mut world = world(1.0 / 120.0);
    let turned = |angle: f64| {
        let (sin, cos) = libm::sincos(0.5 * angle);
        Quat::from_xyzw(0.0, 0.0, sin as f32, cos as f32)
    };
    let begin = limit - 0.02;
    let mut table = BodyDef::kinematic().at(DVec3::ZERO);
    table.rotation = turned(begin);
    table.angular_velocity = Vec3::new(0.0, 0.0, rate as f32);
    let table = with_box(table, Vec3::new(1.0, 0.1, 1.0), friction as f32);
    let table = world.add_body(table).expect("a valid table");
    let (sin, cos) = libm::sincos(begin);
    let mut cube = BodyDef::dynamic().at(0.2 * DVec3::new(-sin, cos, 0.0));
    cube.rotation = turned(begin);
    let cube = world
        .add_body(with_box(cube, Vec3::splat(0.1), friction as f32))
        .expect("a valid cube");
    let slipped = |world: &World| {
        let pose = world.body(table).expect("it is there").pose();
        let cube = world.body(cube).expect("it is there").position();
        f64::from(-pose.inverse_transform_point(cube).x)
    };
    let mut angle = begin;
    while angle < limit - 0.004 {
        world.step();
        angle += rate / 120.0;
    }
    assert!(
        slipped(&world) < 0.001,
        "slipped by {} m early",
        slipped(&world)
    );
    while angle < limit + 0.012 {
        world.step();
        angle += rate / 120.0;
    }
    assert!(slipped(&world) > 0.003, "only {} m late", slipped(&world));
}
