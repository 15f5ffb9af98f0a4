//! Loops of joints in which a joint holds far more than the bodies it is between.

use drystone::glam::{DVec3, Quat, Vec3};
use drystone::{
    BodyDef, BodyKey, JointDef, JointKey, JointKind, MassOverride, Settings, Shape, World,
};

/// Steps a second and sub-steps.
const RATES: [(f32, u32); 5] = [(30.0, 4), (60.0, 4), (60.0, 8), (240.0, 4), (240.0, 16)];

fn world((rate, substeps): (f32, u32)) -> World {
    World::new(Settings {
        dt: 1.0 / rate,
        substeps,
        sleeping: false,
        ..Settings::default()
    })
    .unwrap()
}

/// A body that meets nothing.
fn body(world: &mut World, at: DVec3, mass: f32, half: Vec3) -> BodyKey {
    let mut def = BodyDef::dynamic().at(at).with_shape(Shape::cube(half));
    def.shapes[0].filter.mask = 0;
    def.mass = Some(MassOverride::new(mass));
    world.add_body(def).unwrap()
}

fn join(
    world: &mut World,
    [a, b]: [BodyKey; 2],
    kind: JointKind,
    [anchor_a, anchor_b]: [Vec3; 2],
) -> JointKey {
    let def = JointDef::new(a, b, kind).with_anchors(anchor_a, anchor_b);
    world.add_joint(def).unwrap()
}

const HINGE: JointKind = JointKind::Hinge {
    limit: None,
    motor: None,
    spring: None,
};

fn rod(min: f32, max: f32) -> JointKind {
    JointKind::Distance {
        min,
        max,
        rest: None,
        spring: None,
    }
}

/// Most energy above that of the start within ten seconds, in J.
fn gain(world: &mut World) -> f64 {
    let start = world.energy().total();
    let steps = (10.0 / world.settings().dt).round() as u32;
    (0..steps).fold(0.0, |most: f64, _| {
        world.step();
        most.max(world.energy().total() - start)
    })
}

/// A boom of 10 kg on a hinge is held by a stay at a small angle, and a load of 100 kg swings from its
/// tip: along the stay all of that is as heavy as ten tonnes, of which the stay sees some kilograms.
/// Oscillations grew, the faster the shorter the sub-steps were, to some megajoules.
#[test]
fn a_boom_on_a_stay_gains_no_energy() {
    for rates in RATES {
        for degrees in [5.0_f32, 10.0, 20.0, 60.0] {
            for is_rope in [false, true] {
                let mut world = world(rates);
                let ground = world.add_body(BodyDef::fixed()).unwrap();
                let boom = body(&mut world, DVec3::X, 10.0, Vec3::new(1.0, 0.05, 0.05));
                join(&mut world, [ground, boom], HINGE, [Vec3::ZERO, Vec3::NEG_X]);
                let top = Vec3::Y * 2.0 * libm::tanf(degrees.to_radians());
                let length = top.distance(2.0 * Vec3::X);
                let stay = rod(if is_rope { 0.0 } else { length }, length);
                join(&mut world, [ground, boom], stay, [top, Vec3::X]);
                let arm = Vec3::new(1.2, -0.3, 0.5);
                let load = body(
                    &mut world,
                    2.0 * DVec3::X + arm.as_dvec3(),
                    100.0,
                    Vec3::splat(0.3),
                );
                join(&mut world, [boom, load], JointKind::BALL, [Vec3::X, -arm]);
                let gained = gain(&mut world);
                // Of what the load has in a fall of a metre; it begins with the stay unloaded. Velocities are half a
                // sub-step ahead of places.
                let share = gained / (100.0 * 9.81);
                let most = (1.2 / (rates.0 * rates.1 as f32)).max(0.005);
                assert!(
                    share < f64::from(most),
                    "{rates:?}, {degrees} degrees, rope {is_rope}: {gained} J"
                );
            }
        }
    }
}

/// A carriage on a level rail, held by a rod that is nearly square to it, with a pendulum of its weight.
#[test]
fn a_carriage_on_a_rod_gains_no_energy() {
    for rates in RATES {
        for degrees in [30.0_f32, 60.0, 80.0, 85.0] {
            let mut world = world(rates);
            let ground = world.add_body(BodyDef::fixed()).unwrap();
            let carriage = body(&mut world, DVec3::ZERO, 1.0, Vec3::splat(0.1));
            let mut rail = JointDef::new(
                ground,
                carriage,
                JointKind::Slider {
                    limit: None,
                    motor: None,
                    spring: None,
                },
            );
            // Z of the frames along X of the world.
            let turn = Quat::from_xyzw(0.0, 0.5_f32.sqrt(), 0.0, 0.5_f32.sqrt());
            (rail.frame_a.rotation, rail.frame_b.rotation) = (turn, turn);
            world.add_joint(rail).unwrap();
            let angle = degrees.to_radians();
            let top = Vec3::new(libm::cosf(angle), libm::sinf(angle), 0.0);
            join(
                &mut world,
                [ground, carriage],
                rod(1.0, 1.0),
                [top, Vec3::ZERO],
            );
            let bob = body(
                &mut world,
                DVec3::new(0.4, -0.4, 0.2),
                1.0,
                Vec3::splat(0.1),
            );
            let arm = Vec3::new(-0.4, 0.4, -0.2);
            join(
                &mut world,
                [carriage, bob],
                JointKind::BALL,
                [Vec3::ZERO, arm],
            );
            let gained = gain(&mut world);
            assert!(
                gained < 0.05,
                "{rates:?}, {degrees} degrees: {gained} J of 1.9"
            );
        }
    }
}
