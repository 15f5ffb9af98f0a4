//! Linkages whose joints close loops: what is rigid by geometry bears loads far above its own mass, and
//! what moves by geometry goes where that says.

use drystone::glam::{DVec3, Quat, Vec3};
use drystone::{
    BodyDef, BodyKey, BodyKind, JointDef, JointKind, JointMotor, Pose, Settings, Shape, World,
};
use drystone_geometry::rotation;

const HINGE: JointKind = hinge(None);

const BALL: JointKind = JointKind::Ball {
    friction_torque: 0.0,
    spring: None,
    cone: None,
    twist: None,
};

const WELD: JointKind = JointKind::Weld {
    linear: None,
    angular: None,
};

const fn hinge(motor: Option<JointMotor>) -> JointKind {
    JointKind::Hinge {
        limit: None,
        motor,
        spring: None,
    }
}

const fn slider(motor: Option<JointMotor>) -> JointKind {
    JointKind::Slider {
        limit: None,
        motor,
        spring: None,
    }
}

const fn motor(speed: f32) -> Option<JointMotor> {
    Some(JointMotor {
        speed,
        max_effort: 1e7,
    })
}

/// Bodies that meet nothing, at 60 steps of four sub-steps a second.
struct Linkage {
    world: World,
    ground: BodyKey,
}

impl Linkage {
    fn new(gravity: Vec3) -> Self {
        let mut world = World::new(Settings {
            sleeping: false,
            gravity,
            ..Settings::default()
        })
        .expect("settings");
        let ground = world.add_body(BodyDef::fixed()).expect("a ground");
        Self { world, ground }
    }

    fn body(&mut self, center: Vec3, turned: Quat, half: Vec3, mass: f32) -> BodyKey {
        let mut def = BodyDef::dynamic()
            .at(center.as_dvec3())
            .with_shape(Shape::cube(half));
        def.rotation = turned;
        def.shapes[0].filter.mask = 0;
        def.shapes[0].material.density = mass / (8.0 * half.x * half.y * half.z);
        self.world.add_body(def).expect("a body")
    }

    fn block(&mut self, center: Vec3, half: Vec3, mass: f32) -> BodyKey {
        self.body(center, Quat::IDENTITY, half, mass)
    }

    /// A bar 6 cm thick.
    fn bar(&mut self, [from, to]: [Vec3; 2], mass: f32) -> BodyKey {
        let way = to - from;
        let half = Vec3::new(0.03, 0.03, 0.5 * way.length());
        self.body(0.5 * (from + to), along(way), half, mass)
    }

    /// A joint at a place, the Z axes of its frames along `axis`.
    fn join(&mut self, bodies: [BodyKey; 2], place: Vec3, axis: Vec3, kind: JointKind) {
        let [frame_a, frame_b] = bodies.map(|key| Pose {
            translation: self.local(key, place),
            rotation: rotation::multiply(
                rotation::conjugate(self.world.body(key).expect("a body").rotation()),
                along(axis),
            ),
        });
        let mut def = JointDef::new(bodies[0], bodies[1], kind);
        (def.frame_a, def.frame_b) = (frame_a, frame_b);
        self.world.add_joint(def).expect("a joint");
    }

    /// A cylinder of two parts of 3 kg each that hold their length, between hinges about Z.
    fn cylinder(&mut self, [a, b]: [BodyKey; 2], [from, to]: [Vec3; 2]) {
        let way = to - from;
        let barrel = self.bar([from, from + 0.6 * way], 3.0);
        let rod = self.bar([from + 0.4 * way, to], 3.0);
        self.join([a, barrel], from, Vec3::Z, HINGE);
        self.join([barrel, rod], 0.5 * (from + to), way, slider(motor(0.0)));
        self.join([b, rod], to, Vec3::Z, HINGE);
    }

    fn local(&self, key: BodyKey, place: Vec3) -> Vec3 {
        let body = self.world.body(key).expect("a body");
        let arm = (place.as_dvec3() - body.position()).as_vec3();
        rotation::rotate(rotation::conjugate(body.rotation()), arm)
    }

    fn place(&self, key: BodyKey, local: Vec3) -> DVec3 {
        let body = self.world.body(key).expect("a body");
        body.position() + rotation::rotate(body.rotation(), local).as_dvec3()
    }

    /// Steps, and how far a body gets from where it was at the most.
    fn strays(&mut self, key: BodyKey, steps: u32) -> f64 {
        let start = self.place(key, Vec3::ZERO);
        (0..steps).fold(0.0, |most: f64, _| {
            self.world.step();
            most.max((self.place(key, Vec3::ZERO) - start).length())
        })
    }

    /// Angular momentum about the origin, in kg m2/s.
    fn angular_momentum(&self) -> DVec3 {
        let moving = self.world.bodies().map(|(_, body)| body);
        let moving = moving.filter(|body| body.kind() == BodyKind::Dynamic);
        moving.fold(DVec3::ZERO, |sum, body| {
            let push = f64::from(body.mass()) * body.linear_velocity().as_dvec3();
            sum + body.angular_momentum().as_dvec3() + body.center_of_mass().cross(push)
        })
    }
}

/// Turns Z onto a direction.
fn along(way: Vec3) -> Quat {
    rotation::between(Vec3::Z, way.normalize())
}

/// A delta robot: three arms of 0.5 kg with motors that hold them, six rods of 0.2 kg that keep a platform of 1 kg
/// level, and a hundred kilograms below it. Five loops, all of which the load goes through.
#[test]
fn a_delta_robot_holds_a_hundred_times_its_platform() {
    let mut robot = Linkage::new(Vec3::new(0.0, -9.81, 0.0));
    let level = Vec3::new(0.0, -0.8, 0.0);
    let platform = robot.block(level, Vec3::new(0.1, 0.02, 0.1), 1.0);
    for (x, z) in [
        (1.0, 0.0),
        (-0.5, 0.75_f32.sqrt()),
        (-0.5, -0.75_f32.sqrt()),
    ] {
        let (out, axis) = (Vec3::new(x, 0.0, z), Vec3::new(-z, 0.0, x));
        let (shoulder, elbow) = (0.2 * out, 0.5 * out - 0.05 * Vec3::Y);
        let arm = robot.bar([shoulder, elbow], 0.5);
        robot.join([robot.ground, arm], shoulder, axis, hinge(motor(0.0)));
        for side in [-0.08 * axis, 0.08 * axis] {
            let ends = [elbow + side, level + 0.1 * out + side];
            let rod = robot.bar(ends, 0.2);
            robot.join([arm, rod], ends[0], axis, BALL);
            robot.join([platform, rod], ends[1], axis, BALL);
        }
    }
    let load = robot.block(Vec3::new(0.0, -1.0, 0.05), Vec3::splat(0.05), 100.0);
    robot.join([platform, load], Vec3::new(0.0, -0.9, 0.0), Vec3::Y, WELD);
    let strays = robot.strays(platform, 180);
    assert!(strays < 0.003, "by {strays} m");
}

/// The arm of an excavator, 80 kg, on two cylinders of 6 kg, with 200 kg in its bucket: what holds the second
/// cylinder is held by the first.
#[test]
fn cylinders_hold_an_arm_much_heavier_than_they_are() {
    let mut digger = Linkage::new(Vec3::new(0.0, -9.81, 0.0));
    let (foot, elbow) = (Vec3::new(0.0, 1.0, 0.0), Vec3::new(2.5, 3.0, 0.0));
    let tip = Vec3::new(4.5, 1.5, 0.0);
    let boom = digger.bar([foot, elbow], 50.0);
    let stick = digger.bar([elbow, tip], 30.0);
    let bucket = digger.block(tip - 0.3 * Vec3::Y, Vec3::splat(0.3), 200.0);
    digger.join([digger.ground, boom], foot, Vec3::Z, HINGE);
    digger.join([boom, stick], elbow, Vec3::Z, HINGE);
    digger.join([stick, bucket], tip, Vec3::Z, HINGE);
    let lower = [Vec3::new(0.6, 0.6, 0.0), 0.5 * (foot + elbow)];
    digger.cylinder([digger.ground, boom], lower);
    let bracket = foot + 0.6 * (elbow - foot) + Vec3::new(-0.3, 0.4, 0.0);
    digger.cylinder([boom, stick], [bracket, elbow + 0.25 * (elbow - tip)]);
    // Geometry alone keeps it where it is; motors at rest creep by half a millimetre a second.
    let strays = digger.strays(bucket, 240);
    assert!(strays < 0.025, "by {strays} m");
}

/// Peaucellier's linkage of seven bars: while one of them turns, a corner goes along a straight line.
#[test]
fn peaucelliers_linkage_draws_a_straight_line() {
    let mut linkage = Linkage::new(Vec3::new(0.0, -9.81, 0.0));
    let (long, short, crank) = (2.0_f32, 0.8_f32, 0.7);
    let near = Vec3::new(2.0 * crank, 0.0, 0.0);
    let middle = (long * long - short * short + near.x * near.x) / (2.0 * near.x);
    let high = Vec3::new(middle, (long * long - middle * middle).sqrt(), 0.0);
    let low = Vec3::new(middle, -high.y, 0.0);
    let far = Vec3::new(2.0 * middle - near.x, 0.0, 0.0);
    let center = Vec3::new(crank, 0.0, 0.0);
    let ends = [
        [Vec3::ZERO, high],
        [Vec3::ZERO, low],
        [near, high],
        [near, low],
        [high, far],
        [low, far],
        [center, near],
    ];
    let bars = ends.map(|ends| linkage.bar(ends, 0.2));
    let ground = linkage.ground;
    for (bodies, place) in [
        ([ground, bars[0]], Vec3::ZERO),
        ([ground, bars[1]], Vec3::ZERO),
        ([bars[0], bars[2]], high),
        ([bars[0], bars[4]], high),
        ([bars[1], bars[3]], low),
        ([bars[1], bars[5]], low),
        ([bars[2], bars[3]], near),
        ([bars[4], bars[5]], far),
        ([bars[2], bars[6]], near),
    ] {
        linkage.join(bodies, place, Vec3::Z, HINGE);
    }
    linkage.join([ground, bars[6]], center, Vec3::Z, hinge(motor(0.3)));
    let corner = linkage.local(bars[4], far);
    let (mut aside, mut along) = (0.0_f64, 0.0_f64);
    for _ in 0..120 {
        linkage.world.step();
        let place = linkage.place(bars[4], corner);
        aside = aside.max((place.x - f64::from(far.x)).abs());
        along = along.max(place.y.abs());
    }
    assert!(along > 0.7 && aside < 2e-5, "{aside} m over {along} m");
}

/// Rings that fly and turn, of hinges that all are parallel: three directions of each are held twice. One of
/// three bars has a slider, which made it gain a sixth of its energy when loops were closed joint by joint.
#[test]
fn rings_in_flight_keep_their_energy_and_momentum() {
    for (count, is_sliding) in [(3_u16, true), (4, false), (12, false)] {
        let mut ring = Linkage::new(Vec3::ZERO);
        let radius = 0.2 * f32::from(count);
        let corner = |index: u16| {
            let turn = std::f32::consts::TAU * f32::from(index) / f32::from(count);
            radius * Vec3::new(libm::cosf(turn), libm::sinf(turn), 0.0)
        };
        let bars: Vec<_> = (0..count)
            .map(|index| ring.bar([corner(index), corner(index + 1)], 1.0))
            .collect();
        for index in 0..usize::from(count) {
            let before = bars[(index + bars.len() - 1) % bars.len()];
            let slides = is_sliding && index == 0;
            let (axis, kind) = if slides {
                (Vec3::X, slider(None))
            } else {
                (Vec3::Z, HINGE)
            };
            ring.join([before, bars[index]], corner(index as u16), axis, kind);
        }
        for (index, &bar) in bars.iter().enumerate() {
            let speed = [1.7, -0.9, 0.3, -1.6, 1.1][index % 5];
            let push = Vec3::new(speed, 0.4 - speed * speed, 0.0);
            ring.world
                .set_velocity(bar, push, 2.0 * speed * Vec3::Z)
                .expect("a velocity");
        }
        // Joints take out what speeds do not agree with them.
        for _ in 0..5 {
            ring.world.step();
        }
        let (energy, spin) = (ring.world.energy().kinetic, ring.angular_momentum());
        for step in 0..600 {
            ring.world.step();
            let now = ring.world.energy().kinetic;
            assert!(
                now < 1.001 * energy,
                "{count}: {now} J at {step} of {energy}"
            );
        }
        let lost = (ring.angular_momentum() - spin).length() / spin.length();
        // The ring of four passes its dead centers.
        assert!(lost < 5e-3, "{count}: {lost} of the angular momentum");
    }
}
