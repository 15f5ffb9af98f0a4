//! Any stream of commands to a world: it refuses by name what it cannot do, and every body
//! keeps a finite pose.
#![no_main]

use arbitrary::{Result, Unstructured};
use drystone::glam::{DVec3, Quat};
use drystone::{
    BodyDef, BodyKey, BodyKind, JointAxis, JointDef, JointKey, JointKind, JointLimit, JointMotor,
    JointSpring, JointThreshold, Pose, Settings, ShapeDef, SixDofSettings, WheelSettings, World,
    WorldPose,
};
use drystone_fuzz::{number, shape, turn, vector};
use drystone_geometry::Shape;
use drystone_geometry::glam::Vec3;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut game = Game {
        world: World::new(Settings::default()).expect("the default settings"),
        bodies: Vec::new(),
        joints: Vec::new(),
    };
    let mut bytes = Unstructured::new(data);
    for _ in 0..60 {
        if bytes.is_empty() || game.command(&mut bytes).is_err() {
            break;
        }
    }
    game.world.step();
    game.check();
});

struct Game {
    world: World,
    bodies: Vec<BodyKey>,
    joints: Vec<JointKey>,
}

/// What the world takes as it is: NaN and infinity too.
fn wild(bytes: &mut Unstructured<'_>, limit: f64) -> Result<Vec3> {
    if bytes.ratio(1, 30)? {
        return Ok(Vec3::from_array(bytes.arbitrary()?));
    }
    Ok(vector(bytes, limit)?.as_vec3())
}

impl Game {
    fn body(&self, bytes: &mut Unstructured<'_>) -> Result<BodyKey> {
        Ok(*bytes.choose(&self.bodies)?)
    }

    fn command(&mut self, bytes: &mut Unstructured<'_>) -> Result<()> {
        match bytes.int_in_range(0..=11)? {
            0 | 1 => self.add(bytes)?,
            2 => {
                let key = self.body(bytes)?;
                let known = self.world.body(key).is_ok();
                assert_eq!(self.world.remove_body(key).is_ok(), known);
            }
            3 => {
                let (key, speed) = (self.body(bytes)?, wild(bytes, 50.0)?);
                let _ = self.world.set_velocity(key, speed, wild(bytes, 50.0)?);
            }
            4 => {
                let (key, push) = (self.body(bytes)?, wild(bytes, 1e3)?);
                let _ = self.world.apply_impulse(key, push, vector(bytes, 10.0)?);
            }
            5 => {
                let pose = place(bytes)?;
                let _ = self.world.teleport(self.body(bytes)?, pose);
            }
            6 => {
                let pose = place(bytes)?;
                let _ = self.world.set_kinematic_target(self.body(bytes)?, pose);
            }
            7 => self.join(bytes)?,
            8 if !self.joints.is_empty() => {
                let _ = self.world.remove_joint(*bytes.choose(&self.joints)?);
            }
            9 => {
                let _ = self.world.wake(self.body(bytes)?);
            }
            _ => {
                for _ in 0..bytes.int_in_range(1..=8)? {
                    self.world.step();
                }
                self.check();
            }
        }
        Ok(())
    }

    fn add(&mut self, bytes: &mut Unstructured<'_>) -> Result<()> {
        let kind = [BodyKind::Dynamic, BodyKind::Static, BodyKind::Kinematic]
            [bytes.int_in_range(0..=2)?];
        let mut def = BodyDef {
            kind,
            position: vector(bytes, 20.0)?,
            linear_velocity: wild(bytes, 20.0)?,
            angular_velocity: wild(bytes, 20.0)?,
            ..BodyDef::default()
        };
        let q = turn(bytes)?;
        def.rotation = Quat::from_xyzw(q.x as f32, q.y as f32, q.z as f32, q.w as f32);
        for _ in 0..bytes.int_in_range(1..=2)? {
            let shape = if bytes.ratio(1, 8)? {
                Shape::HalfSpace { normal: Vec3::Y }
            } else {
                shape(bytes)?
            };
            let mut shape = ShapeDef::new(shape);
            shape.material.restitution = bytes.int_in_range(0..=10)? as f32 / 10.0;
            shape.material.friction = number(bytes, 2.0)? as f32;
            def.shapes.push(shape);
        }
        if let Ok(key) = self.world.add_body(def) {
            self.bodies.push(key);
        }
        Ok(())
    }

    fn join(&mut self, bytes: &mut Unstructured<'_>) -> Result<()> {
        let (body_a, body_b) = (self.body(bytes)?, self.body(bytes)?);
        let kind = joint_kind(bytes)?;
        let frame = |translation| Pose {
            translation,
            ..Pose::IDENTITY
        };
        let threshold: Option<(Option<f32>, Option<f32>, bool)> = bytes.arbitrary()?;
        let def = JointDef {
            body_a,
            body_b,
            frame_a: frame(wild(bytes, 2.0)?),
            frame_b: frame(wild(bytes, 2.0)?),
            kind,
            collide_connected: bytes.arbitrary()?,
            threshold: threshold.map(|(force, torque, breaks)| JointThreshold {
                force,
                torque,
                breaks,
            }),
            name: String::new(),
        };
        if let Ok(key) = self.world.add_joint(def) {
            self.joints.push(key);
        }
        Ok(())
    }

    fn check(&self) {
        for (_, body) in self.world.bodies() {
            let position: DVec3 = body.position();
            assert!(position.is_finite(), "{position}");
            let q = body.rotation();
            let length = (q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w).sqrt();
            assert!((length - 1.0).abs() < 1e-3, "{q}");
            assert!(body.linear_velocity().is_finite());
        }
        let stored = World::restore(&self.world.snapshot()).expect("a world can be stored");
        assert_eq!(stored.state_hash(), self.world.state_hash());
    }
}

fn optional<T>(
    bytes: &mut Unstructured<'_>,
    make: impl FnOnce(&mut Unstructured<'_>) -> Result<T>,
) -> Result<Option<T>> {
    Ok(if bytes.arbitrary()? {
        Some(make(bytes)?)
    } else {
        None
    })
}

/// Limits, motors and springs along or about one axis, refused or not.
fn axis(bytes: &mut Unstructured<'_>) -> Result<JointAxis> {
    Ok(JointAxis {
        limit: optional(bytes, |bytes| {
            let (lower, upper) = (number(bytes, 4.0)? as f32, number(bytes, 4.0)? as f32);
            Ok(JointLimit { lower, upper })
        })?,
        motor: optional(bytes, |bytes| {
            Ok(JointMotor {
                speed: number(bytes, 50.0)? as f32,
                max_effort: number(bytes, 1e5)? as f32,
            })
        })?,
        spring: optional(bytes, |bytes| {
            Ok(JointSpring {
                hertz: number(bytes, 60.0)? as f32,
                damping_ratio: number(bytes, 5.0)? as f32,
                target: number(bytes, 3.0)? as f32,
                max_effort: optional(bytes, |bytes| Ok(number(bytes, 1e4)? as f32))?,
            })
        })?,
    })
}

/// A joint of any kind with any settings, refused or not.
fn joint_kind(bytes: &mut Unstructured<'_>) -> Result<JointKind> {
    let JointAxis {
        limit,
        motor,
        spring,
    } = axis(bytes)?;
    Ok(match bytes.int_in_range(0..=9)? {
        0 => JointKind::NoContact,
        1 => JointKind::Weld {
            linear: spring,
            angular: axis(bytes)?.spring,
        },
        2 => JointKind::Hinge {
            limit,
            motor,
            spring,
        },
        3 => JointKind::Slider {
            limit,
            motor,
            spring,
        },
        4 => JointKind::Ball {
            friction_torque: number(bytes, 100.0)? as f32,
            spring,
            cone: optional(bytes, |bytes| Ok(number(bytes, 4.0)? as f32))?,
            twist: limit,
        },
        5 => JointKind::Distance {
            min: number(bytes, 3.0)? as f32,
            max: number(bytes, 5.0)? as f32,
            rest: optional(bytes, |bytes| Ok(number(bytes, 5.0)? as f32))?,
            spring,
        },
        6 => JointKind::Wheel(Box::new(WheelSettings {
            suspension: axis(bytes)?,
            steering: optional(bytes, axis)?,
            motor,
        })),
        7 => JointKind::SixDof(Box::new(SixDofSettings {
            linear: [axis(bytes)?, axis(bytes)?, axis(bytes)?],
            angular: [axis(bytes)?, axis(bytes)?, axis(bytes)?],
        })),
        8 => JointKind::Gear {
            ratio: number(bytes, 10.0)? as f32,
        },
        _ => JointKind::Rack {
            travel: number(bytes, 10.0)? as f32,
        },
    })
}

fn place(bytes: &mut Unstructured<'_>) -> Result<WorldPose> {
    let q = turn(bytes)?;
    Ok(WorldPose {
        position: vector(bytes, 1e3)?,
        rotation: Quat::from_xyzw(q.x as f32, q.y as f32, q.z as f32, q.w as f32),
    })
}
