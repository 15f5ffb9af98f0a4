//! Chains of light links with something heavy at their end.

use drystone::geometry::rotation;
use drystone::glam::{DVec3, Quat, Vec3};
use drystone::{
    BodyDef, Filter, JointDef, JointKind, MassOverride, Settings, Shape, ShapeDef, World,
};

/// Length of a link, in metres.
const LINK: f32 = 0.5;

/// A shape that touches nothing of the chain.
fn part(shape: Shape) -> ShapeDef {
    ShapeDef {
        filter: Filter {
            group: -1,
            ..Filter::default()
        },
        ..ShapeDef::new(shape)
    }
}

/// Where the links of a chain reach to from the post, in turn.
const HANGING: [Vec3; 2] = [Vec3::NEG_Y, Vec3::NEG_Y];
const SLACK: [Vec3; 2] = [Vec3::new(0.8, 0.6, 0.0), Vec3::new(0.8, -0.6, 0.0)];

/// A chain of links of 100 g from a post, and a ball of `mass` kg at its end that is thrown across
/// with `speed` m/s.
fn thrown(ways: [Vec3; 2], links: usize, mass: f32, speed: f32, dt: f32) -> World {
    let settings = Settings {
        dt,
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let post = BodyDef::fixed().with_part(part(Shape::sphere(0.05)));
    let (mut last, mut end) = ((world.add_body(post).unwrap(), Vec3::ZERO), DVec3::ZERO);
    let top = Vec3::new(0.0, 0.5 * LINK, 0.0);
    for way in ways.into_iter().cycle().take(links) {
        let capsule = Shape::Capsule {
            half_height: 0.2,
            radius: 0.05,
        };
        let mut link = BodyDef {
            mass: Some(MassOverride::new(0.1)),
            ..BodyDef::dynamic().with_part(part(capsule))
        };
        // Half way from down to there.
        let half = Vec3::NEG_Y.cross(way);
        let turn = Quat::from_xyzw(half.x, half.y, half.z, 1.0 + Vec3::NEG_Y.dot(way));
        link.rotation = rotation::normalize(turn);
        let reach = f64::from(LINK) * way.as_dvec3();
        let link = world.add_body(link.at(end + 0.5 * reach)).unwrap();
        let joint = JointDef::new(last.0, link, JointKind::BALL).with_anchors(last.1, top);
        world.add_joint(joint).unwrap();
        (last, end) = ((link, -top), end + reach);
    }
    let ball = BodyDef {
        mass: Some(MassOverride::new(mass)),
        linear_velocity: Vec3::new(0.0, 0.0, speed),
        ..BodyDef::dynamic().with_part(part(Shape::sphere(0.3)))
    };
    let ball = world.add_body(ball.at(end)).unwrap();
    let joint = JointDef::new(last.0, ball, JointKind::BALL).with_anchors(last.1, Vec3::ZERO);
    world.add_joint(joint).unwrap();
    world
}

/// A ball a hundred or a thousand times as heavy as a link swings over, falls into the chain and is
/// caught again: at the jerk the links are pulled with tonnes where nothing pulled before. Energy
/// rose to several times what there was.
#[test]
fn a_chain_that_is_jerked_taut_gains_no_energy() {
    for ways in [HANGING, SLACK] {
        for links in [5, 10, 20] {
            for mass in [10.0, 100.0] {
                // At 20 m/s the links turn by up to half a radian in a sub-step.
                for (speed, rate, most) in [
                    (5.0, 60.0, 0.01),
                    (5.0, 30.0, 0.01),
                    (10.0, 60.0, 0.01),
                    (20.0, 60.0, 0.3),
                ] {
                    let mut world = thrown(ways, links, mass, speed, 1.0 / rate);
                    let start = world.energy();
                    let scale = start.total() - start.potential;
                    for step in 0..8 * rate as usize {
                        world.step();
                        let gained = world.energy().total() - start.total();
                        assert!(
                            gained < most * scale,
                            "{ways:?}, {links} links, {mass} kg, {speed} m/s, {rate} Hz, \
                             step {step}: {gained} J of {scale}"
                        );
                    }
                }
            }
        }
    }
}

/// The heavy ball of a chain that was let go level comes to rest in the end and is never thrown back
/// where the chain is pulled taut: energy only falls, but for what the swing of the links hides for a
/// moment. With the lightest ball it rose by 4 % of all that there was at the start.
#[test]
fn a_chain_pulled_taut_throws_nothing_back() {
    let ways = [Vec3::X; 2];
    for links in [12, 16] {
        for mass in [2.0, 5.0, 10.0] {
            let mut world = thrown(ways, links, mass, 0.0, 1.0 / 60.0);
            let start = world.energy().total();
            // From where it starts to where it hangs.
            let scale = 9.81 * f64::from(mass) * f64::from(LINK) * links as f64;
            let (mut least, mut rise) = (start, 0.0_f64);
            for _ in 0..1500 {
                world.step();
                let now = world.energy().total();
                least = least.min(now);
                rise = rise.max(now - least);
            }
            assert!(
                rise < 0.01 * scale,
                "{links} links, {mass} kg: {rise} J of {scale}"
            );
        }
    }
}
