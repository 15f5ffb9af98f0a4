//! Bodies that hang on others by contact alone: chains of rings, and frames that swing on pegs.

use std::f32::consts::PI;

use drystone::glam::{DVec3, Quat, Vec3};
use drystone::{
    BodyDef, BodyKey, JointDef, JointKind, MassOverride, Material, Pose, Settings, Shape, ShapeDef,
    World,
};
use drystone_geometry::rotation;

/// Distance of the corners of a ring from its middle, in metres.
const RING: f32 = 0.05;

/// Half of what its bars are thick, in metres.
const BAR: f32 = 0.008;

/// A world without sleep.
fn world(dt: f32, substeps: u32) -> World {
    let settings = Settings {
        dt,
        substeps,
        sleeping: false,
        ..Settings::default()
    };
    World::new(settings).unwrap()
}

fn turn(axis: Vec3, angle: f32) -> Quat {
    let (sin, cos) = libm::sincosf(0.5 * angle);
    Quat::from_xyzw(axis.x * sin, axis.y * sin, axis.z * sin, cos)
}

/// A bar along Y.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Bar {
    Capsule,
    Cylinder,
    Box,
    Rounded,
}

impl Bar {
    const ALL: [Self; 4] = [Self::Capsule, Self::Cylinder, Self::Box, Self::Rounded];

    fn shape(self, half_length: f32) -> Shape {
        let half = Vec3::new(BAR, half_length, BAR);
        match self {
            Self::Capsule => Shape::capsule(half_length, BAR),
            Self::Cylinder => Shape::cylinder(half_length, BAR),
            Self::Box => Shape::cube(half),
            Self::Rounded => {
                let core = Shape::cube(half - Vec3::splat(0.4 * BAR));
                Shape::rounded(core, 0.4 * BAR).unwrap()
            }
        }
    }

    /// Eight of them in a ring in the plane of x and y, with one at the top and one at the bottom.
    fn ring(self, def: BodyDef, friction: f32) -> BodyDef {
        let half_length = RING * libm::sinf(PI / 8.0);
        let ring = (0..8).map(|place| {
            let angle = place as f32 * PI / 4.0;
            let (sin, cos) = libm::sincosf(angle);
            let mut part = ShapeDef::new(self.shape(half_length));
            part.pose = Pose {
                translation: RING * libm::cosf(PI / 8.0) * Vec3::new(sin, cos, 0.0),
                rotation: turn(Vec3::Z, PI / 2.0 - angle),
            };
            part.material = Material {
                friction,
                density: 7800.0,
                ..Material::default()
            };
            part
        });
        ring.fold(def, BodyDef::with_part)
    }
}

/// A chain of rings that leans by so much, each at a right angle to the one above, which is fixed at the
/// top.
fn chain(world: &mut World, bar: Bar, count: usize, lean: f32) -> Vec<BodyKey> {
    let reach = RING * libm::cosf(PI / 8.0) - BAR;
    let leaning = turn(Vec3::Z, lean);
    let down = rotation::rotate(leaning, Vec3::NEG_Y);
    let ring = |place: usize| {
        let def = match place {
            0 => BodyDef::fixed(),
            _ => {
                let at = Vec3::NEG_Y * reach + down * (2 * place - 1) as f32 * reach;
                BodyDef::dynamic().at(at.as_dvec3())
            }
        };
        let across = turn(
            Vec3::Y,
            if place.is_multiple_of(2) {
                0.0
            } else {
                PI / 2.0
            },
        );
        let rotation = if place == 0 { across } else { leaning * across };
        bar.ring(BodyDef { rotation, ..def }, 0.4)
    };
    (0..=count)
        .map(|place| world.add_body(ring(place)).unwrap())
        .collect()
}

fn fastest(world: &World, bodies: &[BodyKey]) -> f32 {
    let speeds = bodies.iter().map(|body| {
        let body = world.body(*body).unwrap();
        let turning = RING * body.angular_velocity().length();
        body.linear_velocity().length() + turning
    });
    speeds.fold(0.0, f32::max)
}

/// Twelve rings of steel, and ten that bear 10 kg, at several time steps and sub-steps: by statics they
/// hang still, and no bar is in another by half of what it is thick.
#[test]
fn chains_of_rings_hang_still() {
    for bar in Bar::ALL {
        for (dt, substeps, count, load) in [
            (1.0 / 60.0, 4, 12, 0.0),
            (1.0 / 60.0, 4, 10, 10.0),
            (1.0 / 60.0, 16, 10, 0.0),
            (1.0 / 120.0, 4, 10, 10.0),
        ] {
            let mut world = world(dt, substeps);
            let rings = chain(&mut world, bar, count, 0.0);
            let last = *rings.last().unwrap();
            let start = world.body(last).unwrap().position();
            if load > 0.0 {
                let mut def = BodyDef::dynamic().with_shape(Shape::sphere(0.05));
                def.mass = Some(MassOverride::new(load));
                def.shapes[0].filter.mask = 0;
                let weight = world.add_body(def.at(start - DVec3::Y * 0.2)).unwrap();
                let joint = JointDef::new(last, weight, JointKind::BALL);
                let joint = joint.with_anchors(Vec3::ZERO, Vec3::Y * 0.2);
                world.add_joint(joint).unwrap();
            }
            for _ in 0..(8.0 / dt) as usize {
                world.step();
            }
            let context = format!("{bar:?}, {count}, {load} kg, {dt} s, {substeps} sub-steps");
            let sag = start.y - world.body(last).unwrap().position().y;
            let most = count as f64 * f64::from(BAR);
            assert!((-0.001..most).contains(&sag), "{context}: {sag} m low");
            let speed = fastest(&world, &rings);
            assert!(speed < 1e-3, "{context}: {speed} m/s");
        }
    }
}

/// By conservation a chain of eight rings that swings from half a radian never has more energy than it began
/// with, but for what its first jerk finds: no more than would lift it by 1.25 mm. It does not come apart
/// either.
#[test]
fn a_chain_of_rings_that_swings_gains_no_energy() {
    for bar in Bar::ALL {
        let mut world = world(1.0 / 60.0, 4);
        let rings = chain(&mut world, bar, 8, 0.5);
        let gravity = -f64::from(world.settings().gravity.y);
        let height = |world: &World| {
            let heights = rings[1..].iter().map(|ring| {
                let ring = world.body(*ring).unwrap();
                let spin = ring.principal_axes().inverse()
                    * (ring.rotation().inverse() * ring.angular_velocity());
                let turning = spin.dot(ring.inertia() * spin) / ring.mass();
                let motion = f64::from(ring.linear_velocity().length_squared() + turning);
                ring.position().y + 0.5 * motion / gravity
            });
            heights.sum::<f64>()
        };
        let start = height(&world);
        for step in 0..720 {
            world.step();
            let now = height(&world);
            assert!(
                now < start + 0.01,
                "{bar:?}: {now} m of {start} in step {step}"
            );
            let pairs = rings.windows(2);
            let apart = pairs.map(|pair| {
                let [one, next] = [0, 1].map(|at| world.body(pair[at]).unwrap().position());
                one.distance(next)
            });
            let apart = apart.fold(0.0, f64::max);
            assert!(
                apart < f64::from(2.0 * RING),
                "{bar:?}: {apart} m in step {step}"
            );
        }
    }
}

/// A ring without slip on a peg across its plane, or on one within it: it rolls as it swings. With `d`
/// from the contact down to its centre and `r` the radius of what is round there (of the peg, which the bar
/// rolls over, or of the bar, which rolls along the peg), the contact moves by `r` times the angle, and
/// by conservation of energy a small swing takes `2 pi sqrt((I + m d^2) / (m g (d + r)))`.
#[test]
fn rings_swing_on_pegs_in_time() {
    for (bar, is_across) in [
        (Bar::Capsule, true),
        (Bar::Capsule, false),
        (Bar::Cylinder, true),
        (Bar::Cylinder, false),
        (Bar::Box, true),
        (Bar::Rounded, true),
    ] {
        let dt = 1.0 / 120.0;
        let mut world = world(dt, 4);
        let peg_radius = 0.01;
        let mut peg = ShapeDef::new(Shape::capsule(0.2, peg_radius));
        peg.material.friction = 1.0;
        peg.pose.rotation = turn(Vec3::X, PI / 2.0);
        world.add_body(BodyDef::fixed().with_part(peg)).unwrap();
        let reach = RING * libm::cosf(PI / 8.0) - BAR;
        let axis = if is_across { Vec3::Z } else { Vec3::X };
        let lean = 0.05;
        // As it would have rolled there from where it hangs straight.
        let (sin, cos) = libm::sincosf(lean);
        let at = if is_across {
            let out = peg_radius * Vec3::new(-sin, cos, 0.0);
            let along = peg_radius * lean * Vec3::new(cos, sin, 0.0);
            out + along - reach * Vec3::new(-sin, cos, 0.0)
        } else {
            let bar_at = Vec3::new(0.0, peg_radius + BAR, BAR * lean);
            bar_at - (reach + BAR) * Vec3::new(0.0, cos, sin)
        };
        let ring = bar.ring(BodyDef::dynamic().at(at.as_dvec3()), 1.0);
        let rotation = turn(axis, lean);
        let ring = world.add_body(BodyDef { rotation, ..ring }).unwrap();
        let view = world.body(ring).unwrap();
        let (mass, inertia) = (view.mass(), view.inertia());
        let about = if is_across {
            inertia.max_element()
        } else {
            inertia.min_element()
        };
        let round = if is_across { peg_radius } else { BAR };
        let gravity = -world.settings().gravity.y;
        let expected = 2.0
            * PI
            * libm::sqrtf((about + mass * reach * reach) / (mass * gravity * (reach + round)));
        let (mut crossings, mut before) = (Vec::new(), 1.0);
        let mut peak = 0.0_f32;
        for step in 0..(8.0 / dt) as usize {
            world.step();
            let view = world.body(ring).unwrap();
            let spin = view.angular_velocity().dot(axis);
            if before < 0.0 && spin >= 0.0 {
                crossings.push((step as f32 - spin / (spin - before)) * dt);
            }
            before = spin;
            if step as f32 * dt > 6.0 {
                let tilt = 2.0 * view.rotation().xyz().dot(axis);
                peak = peak.max(tilt.abs());
            }
        }
        let swings = (crossings.len() - 1) as f32;
        let period = (crossings.last().unwrap() - crossings[0]) / swings;
        assert!(
            (period / expected - 1.0).abs() < 0.002,
            "{bar:?}, {is_across}: {period} s, not {expected} s"
        );
        assert!(
            (0.99 * lean..lean).contains(&peak),
            "{bar:?}, {is_across}: {peak} rad"
        );
    }
}

/// A chain that swings goes on bit for bit from a snapshot, also where a part of it is removed: a ring of
/// which one bar is left does not hang any more.
#[test]
fn a_chain_goes_on_from_a_snapshot() {
    let mut world = world(1.0 / 60.0, 4);
    let rings = chain(&mut world, Bar::Capsule, 6, 0.5);
    for step in 0..60 {
        if step == 40 {
            let shapes = world.body(rings[5]).unwrap().shapes();
            let shapes: Vec<_> = shapes.iter().map(|shape| shape.key()).collect();
            for shape in &shapes[1..] {
                world.remove_shape(*shape).unwrap();
            }
        }
        let mut other = World::restore(&world.snapshot()).unwrap();
        world.step();
        other.step();
        assert_eq!(world.state_hash(), other.state_hash(), "in step {step}");
    }
}
