//! What the live page may ask of the world: a few words a line, numbers checked.

use drystone::geometry::rotation;
use drystone::glam::{DVec3, Vec3};
use drystone::{BodyDef, BodyKey, BodyKind, Shape, World};

use super::tape::Tape;
use super::tolerance;

/// A request of the page. Points are relative to the origin that the page was given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Command {
    /// Let time run.
    Play,
    /// Hold time.
    Pause,
    /// One step, then hold.
    Step,
    /// Build the scene anew.
    Reset,
    /// Seconds of the scene per second.
    Speed(f64),
    /// Take hold of a body, by its number, at a point.
    Grab(u32, DVec3),
    /// Pull what is held to a point.
    Drag(DVec3),
    /// Let go.
    Drop,
    /// A new ball: where from, velocity in m/s, radius in metres.
    Throw(DVec3, Vec3, f32),
}

impl Command {
    /// Reads a command. `None` for anything that is not exactly one, with finite numbers.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_ascii_whitespace();
        let name = words.next()?;
        let mut numbers = [0.0; 7];
        let mut count = 0;
        for word in words {
            *numbers.get_mut(count)? = word.parse().ok().filter(|n: &f64| n.is_finite())?;
            count += 1;
        }
        let point = |at: usize| DVec3::new(numbers[at], numbers[at + 1], numbers[at + 2]);
        match (name, count) {
            ("play", 0) => Some(Self::Play),
            ("pause", 0) => Some(Self::Pause),
            ("step", 0) => Some(Self::Step),
            ("reset", 0) => Some(Self::Reset),
            ("drop", 0) => Some(Self::Drop),
            ("speed", 1) => Some(Self::Speed(numbers[0].clamp(0.01, 100.0))),
            ("drag", 3) => Some(Self::Drag(point(0))),
            ("grab", 4) => Some(Self::Grab(numbers[0] as u32, point(1))),
            ("throw", 7) => Some(Self::Throw(point(0), point(3).as_vec3(), numbers[6] as f32)),
            _ => None,
        }
    }
}

/// A body held by the pointer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Grip {
    body: BodyKey,
    /// Where it is held, in its own frame.
    anchor: Vec3,
    /// Where the pointer is, in the world.
    pub(super) target: DVec3,
}

impl Grip {
    /// Takes hold of a body that can be moved.
    pub(super) fn new(world: &World, tape: &Tape, number: u32, point: DVec3) -> Option<Self> {
        let key = tape.body(number)?;
        let body = world.body(key).ok()?;
        if body.kind() != BodyKind::Dynamic {
            return None;
        }
        let target = tape.origin() + point;
        Some(Self {
            body: key,
            anchor: body.pose().inverse_transform_point(target),
            target,
        })
    }

    /// Pulls for one step: a critically damped spring, weak enough not to swing a body that
    /// is held at its rim.
    pub(super) fn pull(&self, world: &mut World) {
        let Ok(body) = world.body(self.body) else {
            return;
        };
        let dt = world.settings().dt;
        let at = body.pose().transform_point(self.anchor);
        let arm = rotation::rotate(body.rotation(), self.anchor);
        let velocity = body.linear_velocity() + body.angular_velocity().cross(arm);
        let rate = tolerance::GRIP_RATE;
        let wanted = (self.target - at).as_vec3() * (rate * rate) - velocity * (2.0 * rate);
        let acceleration = wanted.clamp_length_max(tolerance::GRIP_ACCELERATION);
        let impulse = (0.5 * acceleration - world.settings().gravity) * (body.mass() * dt);
        let spin = body.angular_velocity();
        let calmer = spin * (1.0 - (rate * dt).min(0.5));
        let linear = body.linear_velocity();
        // Both only fail for bodies that are gone and numbers that are not finite: then the
        // pointer holds nothing.
        let _ = world.set_velocity(self.body, linear, calmer);
        let _ = world.apply_impulse(self.body, impulse, at);
    }
}

/// Adds a ball that flies.
pub(super) fn throw(world: &mut World, from: DVec3, velocity: Vec3, radius: f32) {
    let shape = Shape::Sphere { radius };
    let def = BodyDef {
        linear_velocity: velocity,
        name: "thrown ball".to_owned(),
        ..BodyDef::dynamic().at(from).with_shape(shape)
    };
    // A ball of impossible size or speed is not thrown.
    let _ = world.add_body(def);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every command as the page writes it.
    #[test]
    fn the_commands_of_the_page_are_understood() {
        let one = DVec3::new(1.0, 2.0, -0.5);
        let cases = [
            ("pause", Command::Pause),
            (" step\n", Command::Step),
            ("speed 0.25", Command::Speed(0.25)),
            ("speed 1e9", Command::Speed(100.0)),
            ("grab 7 1 2 -0.5", Command::Grab(7, one)),
            ("drag 1 2 -0.5", Command::Drag(one)),
            (
                "throw 1 2 -0.5 0 0 9 0.3",
                Command::Throw(one, Vec3::Z * 9.0, 0.3),
            ),
        ];
        for (text, command) in cases {
            assert_eq!(Command::parse(text), Some(command), "{text}");
        }
    }

    /// Anything else is refused, numbers that are not finite included.
    #[test]
    fn anything_else_is_refused() {
        let cases = [
            "",
            "stop",
            "pause 1",
            "speed",
            "speed nan",
            "drag 1 2",
            "drag 1 2 inf",
            "grab a 1 2 3",
        ];
        for text in cases {
            assert_eq!(Command::parse(text), None, "{text}");
        }
        assert_eq!(Command::parse(&"throw 1 ".repeat(99)), None);
    }
}
