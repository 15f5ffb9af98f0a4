//! What stands on legs far lighter than what they bear: still, as high as it should, and asleep.

use drystone::glam::{DVec3, Vec3};
use drystone::{
    BodyDef, BodyKey, JointDef, JointKind, JointMotor, JointSpring, MassOverride, Settings, Shape,
    World,
};

const WELD: JointKind = JointKind::Weld {
    linear: None,
    angular: None,
};

/// What is to stand on the ground.
struct Table {
    /// In kg: the top, and each leg.
    masses: [f32; 2],
    /// Corners of the legs' tops on the top, in metres.
    corners: Vec<[f32; 2]>,
    /// Half the length of the legs, in metres.
    half: f32,
    leg: Shape,
    /// From the ground, in metres.
    drop: f64,
    joint: JointKind,
}

impl Table {
    fn build(&self, settings: Settings) -> (World, BodyKey) {
        let mut world = World::new(settings).unwrap();
        let ground = BodyDef::fixed().with_shape(Shape::half_space(Vec3::Y));
        world.add_body(ground).unwrap();
        let body = |mass: f32, at: DVec3, shape: Shape| BodyDef {
            mass: Some(MassOverride::new(mass)),
            ..BodyDef::dynamic().at(at).with_shape(shape)
        };
        let [top_mass, leg_mass] = self.masses;
        let length = f64::from(2.0 * self.half);
        let at = DVec3::new(0.0, length + 0.05 + self.drop, 0.0);
        let top = body(top_mass, at, Shape::cube(Vec3::new(0.5, 0.05, 0.5)));
        let top = world.add_body(top).unwrap();
        for &[x, z] in &self.corners {
            let at = Vec3::new(x, self.half, z).as_dvec3() + self.drop * DVec3::Y;
            let leg = body(leg_mass, at, self.leg.clone());
            let leg = world.add_body(leg).unwrap();
            let joint = JointDef::new(top, leg, self.joint.clone())
                .with_anchors(Vec3::new(x, -0.05, z), Vec3::new(0.0, self.half, 0.0));
            world.add_joint(joint).unwrap();
        }
        (world, top)
    }
}

fn settings(hertz: f32) -> Settings {
    Settings {
        dt: 1.0 / hertz,
        ..Settings::default()
    }
}

fn square() -> Vec<[f32; 2]> {
    let ends = [-0.4, 0.4];
    ends.iter().flat_map(|&x| ends.map(|z| [x, z])).collect()
}

/// By the balance of what a foot forgets and what it removes of overlap in a sub-step `h`: with `n` times
/// its own mass on it, itself included, it sinks in by `1.013 n g h^2`. They stand as good as still; at 240
/// steps a second the first went up and down by four centimetres a second.
#[test]
fn tables_stand_still_on_legs_of_a_hundredth() {
    for (mass, hertz) in [(100.0, 60.0), (100.0, 240.0), (400.0, 240.0)] {
        let table = Table {
            masses: [mass, 1.0],
            corners: square(),
            half: 0.4,
            leg: Shape::cube(Vec3::new(0.04, 0.4, 0.04)),
            drop: 0.0,
            joint: WELD,
        };
        let settings = Settings {
            sleeping: false,
            ..settings(hertz)
        };
        let substeps = settings.substeps as f32;
        let (mut world, top) = table.build(settings);
        for _ in 0..(6.0 * hertz) as u32 {
            world.step();
        }
        let top = world.body(top).unwrap();
        let sunk = (0.85 - top.position().y) as f32;
        let h = 1.0 / (hertz * substeps);
        let expected = 1.013 * (mass / 4.0 + 1.0) * 9.81 * h * h;
        assert!(
            (sunk / expected - 1.0).abs() < 0.05,
            "{mass} kg at {hertz} Hz: {sunk}, not {expected}"
        );
        let speed = top.linear_velocity().length() + top.angular_velocity().length();
        assert!(speed < 1e-4, "{mass} kg at {hertz} Hz: {speed}");
    }
}

/// Tables of three to six round legs at irregular places, each of which bears one to ten times its own mass:
/// they fall asleep within four seconds and gain no energy. Some trembled on.
#[test]
fn irregular_tables_come_to_rest() {
    let motor = JointKind::Hinge {
        limit: None,
        motor: Some(JointMotor {
            speed: 0.0,
            max_effort: 1e6,
        }),
        spring: None,
    };
    for (seed, (hertz, joint)) in (0..).zip(
        [60.0, 240.0]
            .iter()
            .flat_map(|&hertz| [(hertz, &WELD), (hertz, &motor)])
            .cycle()
            .take(48),
    ) {
        let mut unit = numbers(seed);
        let legs = 3 + (4.0 * unit()) as usize;
        let leg = 0.1 + 5.0 * unit();
        let ratio = 1.0 + 9.0 * unit();
        let half = 0.15 + 0.35 * unit();
        let radius = 0.03 + 0.03 * unit();
        let drop = f64::from((0.6 * unit() - 0.3).max(0.0));
        let corners = (0..legs).map(|leg| {
            let turn = (leg as f32 + 0.3 * unit()) / legs as f32 * std::f32::consts::TAU;
            [0.42 * libm::cosf(turn), 0.42 * libm::sinf(turn)]
        });
        let table = Table {
            masses: [leg * ratio * legs as f32, leg],
            corners: corners.collect(),
            half,
            leg: Shape::capsule(half - radius, radius),
            drop,
            joint: joint.clone(),
        };
        let (mut world, top) = table.build(settings(hertz));
        let before = world.energy().total();
        let mut most = before;
        for _ in 0..(4.0 * hertz) as u32 {
            world.step();
            most = most.max(world.energy().total());
        }
        let about = format!("{seed}: {legs} legs of {leg} kg that bear {ratio} times as much");
        assert!(!world.body(top).unwrap().is_awake(), "{about} are awake");
        assert!(most < before + 0.001 * before.abs(), "{about} gain energy");
    }
}

/// A biped of 57 kg on feet of 1.5 kg, springs of 3 kN m/rad at six hinges. By hand it does not lean: what is
/// above the ankles has its centre over them, within the feet. A twin of a tenth of the size is scaled in mass,
/// force and time. The great one leaned by 0.03 at 60 steps a second, and the small one fell.
#[test]
fn bipeds_stand_upright_on_light_feet() {
    for (size, hertz, lean) in [(1.0, 60.0, 0.015), (1.0, 120.0, 0.005), (0.1, 120.0, 0.05)] {
        let (mut world, pelvis) = biped(size, settings(hertz));
        for _ in 0..(6.0 * hertz) as u32 {
            world.step();
        }
        let forward = world.body(pelvis).unwrap().rotation() * Vec3::X;
        let tipped = forward.y.abs();
        assert!(tipped < lean, "{size} at {hertz}: {tipped}");
    }
}

/// The world, and the pelvis.
fn biped(size: f32, settings: Settings) -> (World, BodyKey) {
    let mut world = World::new(settings).unwrap();
    let ground = BodyDef::fixed().with_shape(Shape::half_space(Vec3::Y));
    world.add_body(ground).unwrap();
    let mut bone = |at: [f32; 3], half: [f32; 3], mass: f32| {
        let at = (Vec3::from(at) * size).as_dvec3();
        let shape = Shape::cube(Vec3::from(half) * size);
        let body = BodyDef {
            mass: Some(MassOverride::new(mass * size.powi(3))),
            ..BodyDef::dynamic().at(at).with_shape(shape)
        };
        world.add_body(body).unwrap()
    };
    let pelvis = bone([0.0, 1.15, 0.0], [0.12, 0.15, 0.22], 30.0);
    let legs = [-0.15, 0.15].map(|z| {
        let foot = bone([0.05, 0.04, z], [0.15, 0.04, 0.07], 1.5);
        let shin = bone([0.0, 0.3, z], [0.05, 0.2, 0.05], 4.0);
        let thigh = bone([0.0, 0.75, z], [0.06, 0.22, 0.06], 8.0);
        [
            (foot, shin, [0.08, z]),
            (shin, thigh, [0.52, z]),
            (thigh, pelvis, [0.98, z]),
        ]
    });
    for (below, above, [y, z]) in legs.into_iter().flatten() {
        let at = Vec3::new(0.0, y, z) * size;
        let from = |body| (at.as_dvec3() - world.body(body).unwrap().position()).as_vec3();
        let (on_above, on_below) = (from(above), from(below));
        let hinge = |spring| JointKind::Hinge {
            limit: None,
            motor: None,
            spring,
        };
        let mut joint = JointDef::new(above, below, hinge(None)).with_anchors(on_above, on_below);
        let inertia = world.joint_mass(&joint).unwrap().angular.z;
        let stiffness = 3000.0 * size.powi(4);
        let damping = 0.1 * stiffness * size.sqrt();
        joint.kind = hinge(Some(JointSpring::from_stiffness(
            stiffness, damping, inertia,
        )));
        world.add_joint(joint).unwrap();
    }
    (world, pelvis)
}

/// Numbers from 0 to 1, the same for the same seed.
fn numbers(seed: u32) -> impl FnMut() -> f32 {
    let mut state = seed.wrapping_mul(0x9E37_79B9).wrapping_add(1);
    move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 8) as f32 / (1 << 24) as f32
    }
}
