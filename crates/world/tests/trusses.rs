//! Frames of bars whose joints close many loops: they carry themselves and more, and gain no energy.

use std::collections::BTreeMap;

use drystone::glam::{DVec3, Quat, Vec3};
use drystone::{BodyDef, BodyKey, JointDef, JointKind, MassOverride, Pose, Settings, Shape, World};
use drystone_geometry::rotation;

const HINGE: JointKind = JointKind::Hinge {
    limit: None,
    motor: None,
    spring: None,
};

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

/// Bars between nodes, which meet nothing.
struct Frame {
    world: World,
    ground: BodyKey,
    /// By the number of a node: where it is, and the bars that end there.
    nodes: BTreeMap<u32, (Vec3, Vec<BodyKey>)>,
    mass: f32,
}

impl Frame {
    fn new((rate, substeps): (f32, u32)) -> Self {
        let mut world = World::new(Settings {
            dt: 1.0 / rate,
            substeps,
            sleeping: false,
            ..Settings::default()
        })
        .expect("settings");
        let ground = world.add_body(BodyDef::fixed()).expect("a ground");
        Self {
            world,
            ground,
            nodes: BTreeMap::new(),
            mass: 0.0,
        }
    }

    fn node(&mut self, number: u32, place: Vec3) {
        self.nodes.insert(number, (place, Vec::new()));
    }

    /// A square bar of 10 kg a metre.
    fn bar(&mut self, [a, b]: [u32; 2]) {
        let [from, to] = [a, b].map(|node| self.nodes[&node].0);
        let length = (to - from).length();
        let half = Vec3::new(0.5 * length, 0.05, 0.05);
        let mut def = BodyDef::dynamic()
            .at((0.5 * (from + to)).as_dvec3())
            .with_shape(Shape::cube(half));
        def.shapes[0].filter.mask = 0;
        def.rotation = rotation::between(Vec3::X, (to - from) / length);
        self.mass += 10.0 * length;
        let key = self.world.add_body(def).expect("a bar");
        for node in [a, b] {
            self.nodes
                .entry(node)
                .and_modify(|(_, bars)| bars.push(key));
        }
    }

    /// A joint whose frames lie along the world's axes.
    fn join(&mut self, bodies: [BodyKey; 2], place: Vec3, kind: JointKind) {
        let [frame_a, frame_b] = bodies.map(|key| {
            let body = self.world.body(key).expect("it is there");
            let back = rotation::conjugate(body.rotation());
            let arm = (place.as_dvec3() - body.position()).as_vec3();
            Pose {
                rotation: back,
                translation: rotation::rotate(back, arm),
            }
        });
        let mut def = JointDef::new(bodies[0], bodies[1], kind);
        (def.frame_a, def.frame_b) = (frame_a, frame_b);
        self.world.add_joint(def).expect("a joint");
    }

    /// At every node one bar holds all others; the `held` ones are held too.
    fn tie(&mut self, kind: &JointKind, held: &[u32]) {
        for (number, (place, bars)) in self.nodes.clone() {
            for bar in &bars[1..] {
                self.join([bars[0], *bar], place, kind.clone());
            }
            if held.contains(&number) {
                self.join([self.ground, bars[0]], place, kind.clone());
            }
        }
    }

    /// Hangs so many times the mass of the bars on a node.
    fn load(&mut self, node: u32, times: f32) {
        let (place, bars) = self.nodes[&node].clone();
        let mut def = BodyDef::dynamic()
            .at(place.as_dvec3() - 0.5 * DVec3::Y)
            .with_shape(Shape::sphere(0.2));
        def.shapes[0].filter.mask = 0;
        def.mass = Some(MassOverride::new(times * self.mass));
        let weight = self.world.add_body(def).expect("a weight");
        self.join([bars[0], weight], place, BALL);
    }

    fn run(&mut self, seconds: f32) {
        for _ in 0..(seconds / self.world.settings().dt) as u32 {
            self.world.step();
        }
    }

    /// How far the first bar at a node is below where it began, in metres.
    fn sag(&self, node: u32, start: f64) -> f64 {
        start - self.height(node)
    }

    fn height(&self, node: u32) -> f64 {
        let bar = self.nodes[&node].1[0];
        self.world.body(bar).expect("it is there").position().y
    }
}

/// A girder of eight bays of a metre, 0.9 m high, held at one end and hung up at the other: bottom nodes 0 to
/// 8, top ones from 10.
fn girder(rate: (f32, u32), kind: &JointKind) -> Frame {
    let mut frame = Frame::new(rate);
    for i in 0..9 {
        frame.node(i, Vec3::new(i as f32, 0.0, 0.0));
    }
    for i in 0..8 {
        frame.node(10 + i, Vec3::new(i as f32 + 0.5, 0.9, 0.0));
    }
    for i in 0..8 {
        frame.bar([i, i + 1]);
        frame.bar([i, 10 + i]);
        frame.bar([10 + i, i + 1]);
        if i < 7 {
            frame.bar([10 + i, 11 + i]);
        }
    }
    frame.tie(kind, &[0]);
    let (place, bars) = frame.nodes[&8].clone();
    let body = frame.world.body(bars[0]).expect("it is there");
    let arm = (place.as_dvec3() - body.position()).as_vec3();
    let arm = rotation::rotate_inverse(body.rotation(), arm);
    let rod = JointKind::Distance {
        min: 3.0,
        max: 3.0,
        rest: None,
        spring: None,
    };
    let rod = JointDef::new(frame.ground, bars[0], rod).with_anchors(place + 3.0 * Vec3::Y, arm);
    frame.world.add_joint(rod).expect("a rod");
    frame
}

/// A girder that is welded carries a hundred times its mass in its middle as a beam does, to a millimetre;
/// pinned it carries itself.
#[test]
fn girders_bear_loads() {
    for rate in [(60.0, 4), (60.0, 16), (240.0, 4)] {
        let mut welded = girder(rate, &WELD);
        let start = welded.height(4);
        welded.load(4, 100.0);
        welded.run(4.0);
        let sag = welded.sag(4, start);
        assert!(sag.abs() < 1e-3, "welded, {rate:?}: {sag}");
        let mut pinned = girder(rate, &HINGE);
        let start = pinned.height(4);
        pinned.run(4.0);
        let sag = pinned.sag(4, start);
        let most = if rate == (60.0, 4) { 0.05 } else { 5e-3 };
        assert!(sag.abs() < most, "pinned, {rate:?}: {sag}");
    }
}

/// A tower of four storeys of bars with ball joints stands by its diagonals, and its energy never rises.
#[test]
fn a_tower_of_bars_gains_no_energy() {
    for rate in [(30.0, 4), (60.0, 4), (60.0, 16), (240.0, 4)] {
        let mut tower = Frame::new(rate);
        for storey in 0..5 {
            for (corner, (x, z)) in (0..).zip([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]) {
                tower.node(4 * storey + corner, Vec3::new(x, storey as f32, z));
            }
        }
        for storey in 0..4 {
            let (low, high) = (4 * storey, 4 * storey + 4);
            for corner in 0..4 {
                let next = (corner + 1) % 4;
                tower.bar([low + corner, high + corner]);
                tower.bar([low + corner, high + next]);
                tower.bar([high + corner, high + next]);
            }
            tower.bar([high, high + 2]);
        }
        tower.tie(&BALL, &[0, 1, 2, 3]);
        let start = (tower.height(17), tower.world.energy().total());
        for _ in 0..5 {
            tower.run(1.0);
            let gained = tower.world.energy().total() - start.1;
            assert!(gained < 0.01, "{rate:?}: {gained} J");
        }
        let sag = tower.sag(17, start.0);
        assert!(sag.abs() < 0.03, "{rate:?}: {sag}");
    }
}

/// A lift of four pairs of crossed bars, 1.6 m wide, each held at both feet.
#[test]
fn a_scissor_lift_stands() {
    let mut lift = Frame::new((60.0, 4));
    let (x, y) = (0.8, 0.6);
    let mut bars = Vec::new();
    for stage in 0..4 {
        let middle = Vec3::new(0.0, y * (2 * stage + 1) as f32, 0.0);
        for side in [1.0_f32, -1.0] {
            let mut def = BodyDef::dynamic()
                .at(middle.as_dvec3())
                .with_shape(Shape::cube(Vec3::new(1.0, 0.05, 0.05)));
            def.shapes[0].filter.mask = 0;
            def.rotation = Quat::from_xyzw(0.0, 0.0, side * libm::sqrtf(0.1), libm::sqrtf(0.9));
            bars.push(lift.world.add_body(def).expect("a bar"));
        }
        let at = 2 * stage;
        lift.join([bars[at], bars[at + 1]], middle, HINGE);
        if stage > 0 {
            let low = y * (2 * stage) as f32;
            let right = Vec3::new(x, low, 0.0);
            lift.join([bars[at - 2], bars[at + 1]], right, HINGE);
            let left = Vec3::new(-x, low, 0.0);
            lift.join([bars[at - 1], bars[at]], left, HINGE);
        }
    }
    for (bar, foot) in [(bars[0], -x), (bars[1], x)] {
        lift.join([lift.ground, bar], Vec3::new(foot, 0.0, 0.0), HINGE);
    }
    lift.run(5.0);
    let top = lift.world.body(bars[7]).expect("it is there").position().y;
    assert!((top - 4.2).abs() < 0.05, "{top}");
}
