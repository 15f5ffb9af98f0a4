//! Ropes of light links that run over something fixed and bear heavy loads.

use std::f32::consts::PI;

use drystone::glam::{DVec3, Vec3};
use drystone::{BodyDef, BodyKey, JointDef, JointKind, MassOverride, Settings, Shape, World};
use drystone_geometry::rotation;

/// Radius of the pole, and of the links, in metres.
const POLE: f32 = 0.5;
const LINK: f32 = 0.02;

/// A rope of 101 links of 2 g over a pole of this friction, with loads on both ends, in kg.
struct Hoist {
    world: World,
    links: Vec<BodyKey>,
    loads: [BodyKey; 2],
}

impl Hoist {
    fn new(friction: f32, loads: [f32; 2]) -> Self {
        let settings = Settings {
            sleeping: false,
            ..Settings::default()
        };
        let mut world = World::new(settings).unwrap();
        let mut pole = BodyDef::fixed().with_shape(Shape::cylinder(0.5, POLE));
        pole.rotation = rotation::from_scaled_axis(Vec3::X * (PI / 2.0));
        pole.shapes[0].material.friction = friction;
        world.add_body(pole).unwrap();
        let reach = POLE + LINK;
        let step = PI * reach / 60.0;
        let place = |index: i32| {
            let angle = PI * (1.0 - index as f32 / 60.0);
            if (0..=60).contains(&index) {
                reach * Vec3::new(libm::cosf(angle), libm::sinf(angle), 0.0)
            } else {
                let side = if index < 0 { -1.0 } else { 1.0 };
                let below = (index - 30).abs() - 30;
                Vec3::new(side * reach, -step * below as f32, 0.0)
            }
        };
        let mut links = Vec::<BodyKey>::new();
        for index in -20..=80 {
            let at = place(index);
            let mut def = BodyDef::dynamic().at(at.as_dvec3());
            def = def.with_shape(Shape::sphere(LINK));
            def.shapes[0].material.friction = friction;
            def.shapes[0].filter.group = -1;
            def.mass = Some(MassOverride::new(0.002));
            let link = world.add_body(def).unwrap();
            if let Some(&last) = links.last() {
                let half = 0.5 * (at - place(index - 1));
                let def = JointDef::new(last, link, JointKind::BALL).with_anchors(half, -half);
                world.add_joint(def).unwrap();
            }
            links.push(link);
        }
        let loads = [(-20, loads[0]), (80, loads[1])].map(|(index, mass)| {
            let below = Vec3::Y * 0.3;
            let mut def = BodyDef::dynamic().at((place(index) - below).as_dvec3());
            def = def.with_shape(Shape::sphere(0.1));
            def.shapes[0].filter.mask = 0;
            def.mass = Some(MassOverride::new(mass));
            let load = world.add_body(def).unwrap();
            let link = links[(index + 20) as usize];
            let def = JointDef::new(link, load, JointKind::BALL).with_anchors(Vec3::ZERO, below);
            world.add_joint(def).unwrap();
            load
        });
        Self {
            world,
            links,
            loads,
        }
    }

    fn height(&self) -> f64 {
        self.world.body(self.loads[1]).unwrap().position().y
    }

    /// How far the second load falls in so many steps, in metres.
    fn fall(&mut self, steps: u32) -> f64 {
        let before = self.height();
        for _ in 0..steps {
            self.world.step();
        }
        before - self.height()
    }

    /// How deep the links are in the pole, in metres.
    fn depth(&self) -> f64 {
        let positions = self.links.iter().map(|&link| {
            let DVec3 { x, y, .. } = self.world.body(link).unwrap().position();
            f64::from(POLE + LINK) - (x * x + y * y).sqrt()
        });
        positions.fold(0.0, f64::max)
    }
}

/// By Euler and Eytelwein a rope half-way round a pole holds `e^(mu pi)` times what pulls at its other
/// end. Each link bears many times its own weight; at nine tenths the rope crept by 11 cm/s, as each contact
/// knew the mass of its link alone.
#[test]
fn a_rope_round_a_pole_does_not_creep() {
    for friction in [0.2, 0.4] {
        let most = libm::expf(friction * PI);
        let mut holds = Hoist::new(friction, [1.0, 0.9 * most]);
        holds.fall(60);
        let depth = holds.depth();
        assert!(depth < 0.004, "friction {friction}: {depth} m deep");
        let crept = holds.fall(120);
        assert!(
            crept.abs() < 0.002,
            "friction {friction}: crept by {crept} m"
        );
        let mut slips = Hoist::new(friction, [1.0, 1.1 * most]);
        let fell = slips.fall(60);
        assert!(fell > 0.1, "friction {friction}: fell by {fell} m");
    }
}

/// Over a smooth pole the loads accelerate by Atwood's `(m2 - m1) g / (m1 + m2 + rope)`. The rope lay
/// 3 cm deep, a load fell too far by as much, and energy went where the rope gave way. Allowed for are
/// what links that come on and go off jerk, and that they bend over the pole.
#[test]
fn a_running_rope_neither_sinks_in_nor_is_braked() {
    let (light, heavy, rope) = (1.0_f64, 1.2, 0.202);
    let mut hoist = Hoist::new(0.0, [light as f32, heavy as f32]);
    let energy = hoist.world.energy().total();
    let steps = 36;
    let time = f64::from(steps) / 60.0;
    let expected = 0.5 * 9.81 * (heavy - light) / (light + heavy + rope) * time * time;
    let mut deepest = 0.0_f64;
    let mut fell = 0.0;
    for _ in 0..steps {
        fell += hoist.fall(1);
        deepest = deepest.max(hoist.depth());
    }
    assert!(deepest < 0.004, "{deepest} m deep");
    let share = fell / expected;
    assert!((0.93..1.03).contains(&share), "fell {fell} of {expected} m");
    let gained = hoist.world.energy().total() - energy;
    assert!(gained < 0.0, "gained {gained} J");
}
