//! What lies on a curved body that does not move rocks and rolls on it as it should.

use drystone::geometry::rotation;
use drystone::glam::{DVec3, Vec3};
use drystone::{BodyDef, BodyKind, Settings, Shape, ShapeDef, World};

const RADIUS: f32 = 0.3;

/// Half the sizes of the board, in metres.
const HALF: Vec3 = Vec3::new(0.4, 0.45, 0.2);

fn rough(shape: Shape) -> ShapeDef {
    let mut part = ShapeDef::new(shape);
    part.material.friction = 2.0;
    part
}

/// Shapes that are round about Z where they are `aside` metres from their middle, and how long they are.
fn rollers(aside: f32) -> [(&'static str, ShapeDef); 4] {
    let lying = |shape| {
        let mut part = rough(shape);
        part.pose.rotation = rotation::from_axis_angle(Vec3::X, std::f32::consts::FRAC_PI_2);
        part
    };
    let length = 0.5 + aside;
    let rounded = Shape::rounded(Shape::cylinder(length, 0.2), 0.1).expect("a positive radius");
    [
        ("capsule", lying(Shape::capsule(length, RADIUS))),
        ("cylinder", lying(Shape::cylinder(length, RADIUS))),
        ("rounded cylinder", lying(rounded)),
        (
            "ellipsoid",
            rough(Shape::ellipsoid(Vec3::new(RADIUS, RADIUS, 200.0))),
        ),
    ]
}

/// How far the board has turned after a second, in radians, which begins upright on a roller at `spin` rad/s.
fn turned(kind: BodyKind, roller: &ShapeDef, aside: f32, spin: f32, rate: f32) -> f32 {
    let settings = Settings {
        dt: 1.0 / rate,
        sleeping: false,
        ..Settings::default()
    };
    let mut world = World::new(settings).expect("valid settings");
    let mut carrier = BodyDef::fixed().with_part(roller.clone());
    carrier.kind = kind;
    world.add_body(carrier).expect("a valid roller");
    let place = DVec3::new(0.0, f64::from(RADIUS + HALF.y), f64::from(aside));
    let mut board = BodyDef::dynamic()
        .at(place)
        .with_part(rough(Shape::cube(HALF)));
    board.angular_velocity = spin * Vec3::Z;
    board.linear_velocity = -spin * HALF.y * Vec3::X;
    let board = world.add_body(board).expect("a valid board");
    for _ in 0..rate as u32 {
        world.step();
    }
    let rotation = world.body(board).expect("it is there").rotation();
    2.0 * libm::atan2f(rotation.z, rotation.w)
}

/// How far it turns by Newton's law, rolling: about the point it touches at the angle `t` acts the weight with
/// a lever of `r (t cos t - sin t) + (r + h) sin t - r t cos t`, and the point moves on by `r t`.
fn known(spin: f32) -> f32 {
    let (r, h) = (f64::from(RADIUS), f64::from(HALF.y));
    let half = HALF.as_dvec3();
    let inertia = (half.x * half.x + half.y * half.y) / 3.0;
    let (mut turn, mut rate, dt) = (0.0_f64, f64::from(spin), 1e-5);
    for _ in 0..100_000 {
        let (sine, cosine) = (libm::sin(turn), libm::cos(turn));
        let pull = 9.81 * (h * sine - r * turn * cosine);
        let arm = inertia + h * h + r * r * turn * turn;
        rate += dt * (pull - r * r * turn * rate * rate) / arm;
        turn += dt * rate;
    }
    turn as f32
}

/// A board taller than the roller is thick falls over, as fast as the law says, to a tenth: balls and capsules do
/// not move their points within a step. On static rollers that are no
/// balls or capsules friction took its lever from the roller's middle: the board stayed upright, and what stood
/// aside of the middle was flung off.
#[test]
fn a_board_falls_off_a_fixed_roller() {
    for spin in [0.05, 0.2] {
        let known = known(spin);
        for aside in [0.0, 3.0] {
            for kind in [BodyKind::Static, BodyKind::Kinematic] {
                for (name, roller) in &rollers(aside) {
                    for rate in [60.0, 240.0] {
                        let turned = turned(kind, roller, aside, spin, rate);
                        let what = format!("{name}, {kind:?}, {aside} m aside, {rate} Hz");
                        assert!(
                            (turned / known - 1.0).abs() < 0.1,
                            "{what}: {turned} for {known}"
                        );
                    }
                }
            }
        }
    }
}
