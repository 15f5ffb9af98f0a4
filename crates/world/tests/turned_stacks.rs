//! Stacks of blocks that lie turned on each other, and of cylinders: their faces meet in seven points and
//! more, of which four are kept.

use drystone::glam::{DVec3, Vec3};
use drystone::{BodyDef, BodyKey, MassOverride, Settings, Shape, World};
use drystone_geometry::rotation;

/// A block of a stack: half its edges in metres, its turn in radians, its mass in kg, its place across.
type Block = ([f32; 3], f32, f32, [f64; 2]);

/// While a point a hundredth of a millimetre deeper than those kept had others chosen, which made the blocks
/// lean another way, this one rocked for ever by up to a millimetre, at up to 30 cm/s.
const FLAT: [Block; 3] = [
    (
        [0.04227, 0.01029, 0.038792],
        2.21462,
        0.15269,
        [0.002521, 0.004688],
    ),
    (
        [0.031509, 0.019937, 0.046766],
        1.92472,
        0.07476,
        [-0.000148, 0.001863],
    ),
    (
        [0.037979, 0.024997, 0.032198],
        2.03841,
        0.31788,
        [-0.002827, -0.004077],
    ),
];

/// While points counted for less that were higher than the deepest by a hair, however deep they lay, these
/// rocked for ever, at 2 to 5 mm/s: two corners were kept a tenth of a millimetre from each other, and the
/// block tipped over those left out.
const SMALL: [Block; 3] = [
    (
        [0.02067, 0.011011, 0.018552],
        2.88075,
        0.01083,
        [-0.00037, -0.000251],
    ),
    (
        [0.019589, 0.006731, 0.024105],
        2.44992,
        0.01888,
        [-0.001678, 0.001458],
    ),
    (
        [0.022746, 0.009254, 0.023862],
        2.24524,
        0.11264,
        [-0.001796, -0.001145],
    ),
];
const TINY: [Block; 2] = [
    (
        [0.004525, 0.001222, 0.004213],
        3.07427,
        0.0001,
        [0.000269, -0.000493],
    ),
    (
        [0.003227, 0.002039, 0.004198],
        1.63402,
        0.0003,
        [-0.000044, -0.000093],
    ),
];

/// A cylinder of a stack: its radius and half its height in metres, its turn in radians, its mass in kg, its
/// place across. While any point of the rim that was deeper by a hair had others chosen, they rocked for
/// ever, at 2 to 4 cm/s, and other such stacks fell over.
type Can = ([f32; 2], f32, f32, [f64; 2]);

const CANS: [Can; 4] = [
    ([0.038146, 0.011249], 2.0576, 0.10089, [-0.001861, -0.00419]),
    ([0.048539, 0.022848], 2.4465, 0.62081, [-0.001905, 0.001777]),
    ([0.040263, 0.021468], 2.7363, 0.26333, [0.001815, -0.004149]),
    (
        [0.049399, 0.016646],
        0.4749,
        0.32541,
        [-0.002218, -0.000505],
    ),
];

/// A body of a stack: its shape, half its height, its turn, its mass, its place across.
type Layer = (Shape, f32, f32, f32, [f64; 2]);

fn blocks(stack: &[Block], scale: f32) -> Vec<Layer> {
    let layers = stack.iter().map(|&(half, turn, mass, [x, z])| {
        let half = Vec3::from(half) * scale;
        let place = [x, z].map(|at| at * f64::from(scale));
        (Shape::cube(half), half.y, turn, mass * scale.powi(3), place)
    });
    layers.collect()
}

fn cans(stack: &[Can], scale: f32) -> Vec<Layer> {
    let layers = stack.iter().map(|&(size, turn, mass, [x, z])| {
        let [radius, half_height] = size.map(|length| length * scale);
        let shape = Shape::Cylinder {
            half_height,
            radius,
        };
        let place = [x, z].map(|at| at * f64::from(scale));
        (shape, half_height, turn, mass * scale.powi(3), place)
    });
    layers.collect()
}

/// Piles a stack on the ground.
fn pile(world: &mut World, stack: &[Layer]) -> Vec<BodyKey> {
    let ground = Shape::cube(Vec3::new(100.0, 1.0, 100.0));
    let ground = BodyDef::fixed().at(DVec3::NEG_Y).with_shape(ground);
    world.add_body(ground).unwrap();
    let mut top = 0.0;
    let bodies = stack.iter().map(|(shape, half, turn, mass, [x, z])| {
        let at = DVec3::new(*x, f64::from(top + half), *z);
        top += 2.0 * half;
        let mut def = BodyDef::dynamic().at(at).with_shape(shape.clone());
        def.rotation = rotation::from_axis_angle(Vec3::Y, *turn);
        def.mass = Some(MassOverride::new(*mass));
        world.add_body(def).unwrap()
    });
    bodies.collect()
}

/// By hand: every centre is well above all that it stands on, so they stand still.
#[test]
fn what_lies_turned_on_each_other_does_not_rock() {
    let stacks = [
        blocks(&FLAT, 1.0),
        blocks(&FLAT, 2.0),
        blocks(&SMALL, 1.0),
        blocks(&TINY, 1.0),
        cans(&CANS, 1.0),
        cans(&CANS, 0.3),
        cans(&CANS, 3.0),
    ];
    for stack in stacks {
        let mut world = World::new(Settings {
            sleeping: false,
            ..Settings::default()
        })
        .unwrap();
        let bodies = pile(&mut world, &stack);
        for step in 0..300 {
            world.step();
            for &body in &bodies {
                let speed = world.body(body).unwrap().linear_velocity().length();
                assert!(step < 240 || speed < 1e-3, "{speed} m/s: {stack:?}");
            }
        }
    }
}
