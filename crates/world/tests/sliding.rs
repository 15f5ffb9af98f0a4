//! Bodies that turn while they slide, thrown or pushed: all of friction has one limit.
//!
//! The answers come from Coulomb's law at each point of a [`Puck`], integrated in small steps, which
//! shares nothing with the engine.

use drystone::glam::{DVec2, DVec3, Vec3};
use drystone::{BodyDef, MassOverride, Material, Settings, Shape, ShapeDef, World};

const FRICTION: f64 = 0.5;
const GRAVITY: f64 = 9.81;
/// Length of a sub-step, in seconds.
const SUBSTEP: f64 = 1.0 / 240.0;

/// A rigid body of 1 kg that slides over a plane on some points.
struct Puck {
    shape: Shape,
    /// The points from the middle, in metres.
    points: Vec<DVec2>,
    /// Square of the radius of gyration about the normal, in m^2.
    gyration_sq: f64,
    /// Of the centre over the plane, in metres.
    height: f64,
}

/// How a puck starts.
#[derive(Clone, Copy, Debug)]
struct Start {
    /// Along X, in m/s.
    speed: f64,
    /// About the normal, from X to Y, in rad/s.
    spin: f64,
    /// Acceleration along X that pulls all the time, in m/s^2.
    pull: f64,
}

/// How a puck comes to rest.
#[derive(Clone, Copy, Debug, Default)]
struct Rest {
    /// From where it started, in metres.
    way: DVec2,
    /// How far it turned, in radians.
    angle: f64,
    /// In seconds.
    time: f64,
}

impl Puck {
    fn cuboid(half: DVec3) -> Self {
        let corners = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
        Self {
            shape: Shape::Box {
                half_extents: half.as_vec3(),
            },
            points: corners
                .map(|(x, y)| DVec2::new(x * half.x, y * half.z))
                .to_vec(),
            gyration_sq: (half.x * half.x + half.z * half.z) / 3.0,
            height: half.y,
        }
    }

    fn cylinder(radius: f64, half_height: f64) -> Self {
        let angles = (0..32).map(|k| f64::from(k) * std::f64::consts::TAU / 32.0);
        Self {
            shape: Shape::Cylinder {
                half_height: half_height as f32,
                radius: radius as f32,
            },
            points: angles
                .map(|angle| radius * DVec2::from_angle(angle))
                .collect(),
            gyration_sq: 0.5 * radius * radius,
            height: half_height,
        }
    }

    /// Mean distance of the points from the middle, in metres.
    fn arm(&self) -> f64 {
        let distances = self.points.iter().map(|point| point.length());
        distances.sum::<f64>() / self.points.len() as f64
    }

    /// Each point rubs with its share of the weight against its own way, in steps of `dt` seconds. The
    /// moment of friction about the centre is borne by loads that are affine over the plane.
    fn coulomb(&self, start: Start, dt: f64) -> Rest {
        let (mut velocity, mut spin) = (DVec2::new(start.speed, 0.0), start.spin);
        let mut rest = Rest::default();
        let mut friction = DVec2::ZERO;
        let spread: DVec2 = self.points.iter().map(|&point| point * point).sum();
        let least = 1.5 * FRICTION * GRAVITY * dt;
        while velocity.length_squared() + self.gyration_sq * spin * spin > least * least {
            let (turn, back) = (
                DVec2::from_angle(rest.angle),
                DVec2::from_angle(-rest.angle),
            );
            let mut torque = 0.0;
            // Loads and friction hang on each other.
            for _ in 0..2 {
                let slope = -self.height * back.rotate(friction) / spread;
                (friction, torque) = (DVec2::ZERO, 0.0);
                for &point in &self.points {
                    let load = GRAVITY / self.points.len() as f64 + slope.dot(point);
                    let arm = turn.rotate(point);
                    let slip = velocity + spin * arm.perp();
                    let force = -FRICTION * load * slip.normalize_or_zero();
                    friction += force;
                    torque += arm.perp_dot(force);
                }
            }
            velocity += dt * (friction + DVec2::new(start.pull, 0.0));
            spin += dt * torque / self.gyration_sq;
            rest.way += dt * velocity;
            rest.angle += dt * spin;
            rest.time += dt;
        }
        rest
    }

    /// How far a cuboid turns that a ball without friction pushes by its smaller face along X, `off` metres
    /// beside its middle, until the ball has gone `way` metres, in radians: so slowly that the force is what
    /// friction holds against, and has no moment about the ball. By symmetry the centre of rotation is
    /// abreast of the middle.
    fn pushed(&self, off: f64, way: f64) -> f64 {
        const STEPS: u32 = 1000;
        let (mut place, mut angle) = (DVec2::ZERO, 0.0);
        for _ in 0..STEPS {
            let side = (DVec2::from_angle(-angle).rotate(DVec2::new(0.0, off) - place)).y;
            let moment = |pivot: f64| {
                let rubs = self.points.iter().map(|&point| {
                    let arm = point - DVec2::new(0.0, pivot);
                    let force = arm.perp().normalize_or_zero();
                    (point - DVec2::new(0.0, side)).perp_dot(force)
                });
                rubs.sum::<f64>()
            };
            let (mut near, mut far) = (0.0, 1000.0 * self.arm());
            for _ in 0..50 {
                let middle = 0.5 * (near + far);
                if moment(-middle * side.signum()) * moment(-far * side.signum()) > 0.0 {
                    far = middle;
                } else {
                    near = middle;
                }
            }
            let pivot = -far * side.signum();
            let turn = way / f64::from(STEPS) * DVec2::from_angle(angle).x / (pivot - side);
            place += DVec2::from_angle(angle) * (turn * pivot);
            angle += turn;
        }
        angle
    }

    /// The engine's answer. Its Y points up, so that Z is against the Y of the plane.
    fn engine(&self, start: Start) -> Rest {
        let mut world = level(start.pull, FRICTION);
        let body = BodyDef {
            linear_velocity: Vec3::new(start.speed as f32, 0.0, 0.0),
            angular_velocity: Vec3::new(0.0, start.spin as f32, 0.0),
            ..BodyDef::dynamic()
                .with_part(rough(self.shape.clone(), FRICTION))
                .at(DVec3::new(0.0, self.height, 0.0))
        };
        let body = world.add_body(body).unwrap();
        let dt = f64::from(world.settings().dt);
        let (mut rest, mut spin) = (Rest::default(), start.spin);
        for step in 1..600 {
            world.step();
            let view = world.body(body).unwrap();
            let before = std::mem::replace(&mut spin, f64::from(view.angular_velocity().y));
            rest.angle += 0.5 * dt * (before + spin);
            rest.way = DVec2::new(view.position().x, -view.position().z);
            let speed = f64::from(view.linear_velocity().with_y(0.0).length());
            if speed + self.arm() * spin.abs() > FRICTION * GRAVITY * SUBSTEP {
                rest.time = f64::from(step) * dt;
            }
        }
        rest
    }
}

fn rough(shape: Shape, friction: f64) -> ShapeDef {
    ShapeDef {
        material: Material {
            friction: friction as f32,
            ..Material::default()
        },
        ..ShapeDef::new(shape)
    }
}

/// Level ground with gravity that pulls along X besides, in m/s^2, and without sleep.
fn level(pull: f64, friction: f64) -> World {
    let settings = Settings {
        gravity: Vec3::new(pull as f32, -GRAVITY as f32, 0.0),
        sleeping: false,
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let ground = rough(Shape::HalfSpace { normal: Vec3::Y }, friction);
    world.add_body(BodyDef::fixed().with_part(ground)).unwrap();
    world
}

/// Boxes, planks and cylinders of 5 cm to 5 m.
fn pucks() -> Vec<(f64, Puck)> {
    let mut pucks = Vec::new();
    for size in [0.05, 0.5, 5.0] {
        pucks.push((size, Puck::cuboid(size * DVec3::new(1.0, 0.2, 1.0))));
        pucks.push((size, Puck::cuboid(size * DVec3::new(2.0, 0.1, 0.3))));
        pucks.push((size, Puck::cuboid(size * DVec3::new(1.0, 0.8, 1.0))));
        pucks.push((size, Puck::cylinder(size, 0.2 * size)));
    }
    pucks
}

/// Compares the engine with Coulomb's law.
///
/// Sub-steps brake before they move, which costs half of the way and turn of one at the start; that is
/// all that is off where nothing spins. Cylinders touch with four points of their rim only.
fn check(size: f64, puck: &Puck, start: Start) {
    let exact = puck.coulomb(start, 2e-5 * size.sqrt());
    let found = puck.engine(start);
    let case = format!("{:?} {start:?}: {exact:?}, found {found:?}", puck.shape);
    let fast = start.speed + puck.arm() * start.spin;
    let slack = SUBSTEP * fast;
    let way = (found.way - exact.way).length();
    assert!(way < 0.02 * exact.way.length() + slack, "{case}");
    let angle = (found.angle - exact.angle).abs();
    assert!(angle < 0.02 * exact.angle + slack / puck.arm(), "{case}");
    let time = (found.time - exact.time).abs();
    assert!(time < 0.02 * exact.time + 2.0 / 60.0, "{case}");
}

/// Pucks that slide and spin, from ten times as fast at the rim as in the middle to a tenth of that.
/// With a limit for each, spin of the speed of the middle ended after two fifths of its angle, and the
/// puck stopped after four fifths of its way.
#[test]
fn what_spins_while_it_slides_goes_farther() {
    for (size, puck) in pucks() {
        for ratio in [0.1, 0.3, 1.0, 3.0, 10.0] {
            let fast = 4.0 * size.sqrt();
            let start = Start {
                speed: fast * f64::min(1.0, ratio),
                spin: fast * f64::min(1.0, 1.0 / ratio) / puck.arm(),
                pull: 0.0,
            };
            check(size, &puck, start);
        }
    }
}

/// Pucks that only spin, on a slope that they would rest on: while they spin they slide down, and both
/// end together.
#[test]
fn what_spins_on_a_slope_slides_down() {
    for (size, puck) in pucks() {
        for share in [0.2, 0.5] {
            let start = Start {
                speed: 0.0,
                spin: 4.0 * size.sqrt() / puck.arm(),
                pull: share * FRICTION * GRAVITY,
            };
            check(size, &puck, start);
        }
    }
}

/// A box that is heavy on one side, on a slope at 0.98 of its friction and at 1.1. By statics the load is
/// borne, and friction acts, below the centre of mass: it holds, or slides straight on.
#[test]
fn a_lopsided_box_holds_and_slides_straight() {
    for size in [0.05_f32, 0.5, 5.0] {
        for steepness in [0.98, 1.1] {
            let mut world = level(FRICTION * steepness * GRAVITY, FRICTION);
            let half_extents = size * Vec3::new(1.0, 0.2, 1.0);
            let shape = rough(Shape::Box { half_extents }, FRICTION);
            let body = BodyDef {
                mass: Some(MassOverride {
                    center: Some(Vec3::new(0.0, 0.0, 0.5 * size)),
                    ..MassOverride::new(1.0)
                }),
                ..BodyDef::dynamic().with_part(shape).at(DVec3::new(
                    0.0,
                    f64::from(half_extents.y),
                    0.0,
                ))
            };
            let body = world.add_body(body).unwrap();
            for _ in 0..120 {
                world.step();
            }
            let view = world.body(body).unwrap();
            let (way, turn) = (view.center_of_mass().x, 2.0 * view.rotation().y);
            let time = 2.0 + 0.5 * SUBSTEP;
            let free = 0.5 * FRICTION * (steepness - 1.0).max(0.0) * GRAVITY * time * time;
            assert!((way - free).abs() < 0.02 * free + 1e-3, "{way}, {free}");
            assert!(turn.abs() < 0.01, "{turn} of {size} m at {steepness}");
        }
    }
}

/// Boxes and planks pushed beside their middle, from far below the speed that friction stops within a
/// sub-step to far above. With the limit of an ellipsoid they turned half as far.
#[test]
fn what_is_pushed_slowly_turns_as_its_corners_rub() {
    for size in [0.05, 0.5, 5.0] {
        for half in [(1.0, 1.0), (0.5, 1.0), (0.6, 2.0)] {
            for share in [0.3, 10.0] {
                let half = size * DVec3::new(half.0, 0.1, half.1);
                let puck = Puck::cuboid(half);
                let (off, way, radius) = (0.3 * half.z, 0.5 * half.z, 0.1 * size);
                let exact = puck.pushed(off, way);
                let mut world = level(0.0, FRICTION);
                let body = BodyDef::dynamic()
                    .with_part(rough(puck.shape.clone(), FRICTION))
                    .at(DVec3::new(0.0, half.y, 0.0));
                let body = world.add_body(body).unwrap();
                let speed = share * size * FRICTION * GRAVITY * SUBSTEP;
                let ball = Shape::Sphere {
                    radius: radius as f32,
                };
                let ball = BodyDef {
                    linear_velocity: Vec3::new(speed as f32, 0.0, 0.0),
                    ..BodyDef::kinematic()
                        .with_part(rough(ball, 0.0))
                        .at(DVec3::new(-half.x - radius, half.y, -off))
                };
                world.add_body(ball).unwrap();
                let dt = f64::from(world.settings().dt);
                for _ in 0..(way / (speed * dt)) as u32 {
                    world.step();
                }
                let rotation = world.body(body).unwrap().rotation();
                let found = 2.0 * f64::from(rotation.y);
                assert!(
                    (found - exact).abs() < 0.04,
                    "{half} at {speed} m/s: {found}, {exact}"
                );
            }
        }
    }
}
