//! Bodies and contacts as whole numbers, the form in which a recording keeps them.
//!
//! A state is settled against what the reader knows already: a change too small to see is no
//! change, so that what rests costs nothing.

use drystone::geometry::rotation;
use drystone::narrow_phase::Rung;
use drystone::{BodyKind, BodyView, TouchView, World};

use super::catalog::Catalog;
use super::tolerance;

const PRESENT: u8 = 1;
const AWAKE: u8 = 2;

/// Stands for "no solver colour".
const NO_COLOUR: u8 = u8::MAX;

/// A body as it is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BodyState {
    pub(super) position: [i32; 3],
    pub(super) rotation: [i32; 4],
    pub(super) speed: u8,
    pub(super) spin: u8,
    pub(super) flags: u8,
    /// One more than the island's number; 0 for none.
    pub(super) island: u32,
}

impl BodyState {
    /// The state of a body that is there.
    pub(super) fn of(body: &BodyView<'_>, catalog: &Catalog) -> Self {
        let position = (body.position() - catalog.origin) / catalog.step;
        let q = body.rotation();
        let component = |value: f32| (value * tolerance::ROTATION_STEPS).round() as i32;
        let rate = |value: f32| {
            level(
                f64::from(value),
                tolerance::LEAST_SPEED,
                tolerance::SPEED_STEPS,
            )
        };
        let awake = body.is_awake() && body.kind() == BodyKind::Dynamic;
        // A static body is drawn as what it is: neither asleep nor awake.
        let lively = awake || body.kind() != BodyKind::Dynamic;
        Self {
            position: position.to_array().map(|value| value.round() as i32),
            rotation: [q.x, q.y, q.z, q.w].map(component),
            speed: rate(body.linear_velocity().length()),
            spin: rate(body.angular_velocity().length()),
            flags: PRESENT | if lively { AWAKE } else { 0 },
            island: body.island().map_or(0, |island| island.wrapping_add(1)),
        }
    }

    /// The same pose with everything else as a reader takes it to be before any frame.
    pub(super) fn described(self) -> Self {
        Self {
            speed: 0,
            spin: 0,
            flags: PRESENT | AWAKE,
            island: 0,
            ..self
        }
    }

    /// The same, gone.
    pub(super) fn absent(self) -> Self {
        Self {
            flags: 0,
            speed: 0,
            spin: 0,
            ..self
        }
    }

    /// The same state in the words closest to `known`.
    pub(super) fn settled(mut self, known: &Self) -> Self {
        // A quaternion and its negative are the same rotation.
        let dot: i64 = self
            .rotation
            .iter()
            .zip(&known.rotation)
            .map(|(a, b)| i64::from(a * b))
            .sum();
        if dot < 0 {
            self.rotation = self.rotation.map(|component| -component);
        }
        let close = |a: &i32, b: &i32| a.abs_diff(*b) <= 1;
        let stays = self
            .position
            .iter()
            .zip(&known.position)
            .all(|(a, b)| close(a, b))
            && self
                .rotation
                .iter()
                .zip(&known.rotation)
                .all(|(a, b)| close(a, b));
        if stays {
            self.position = known.position;
            self.rotation = known.rotation;
        }
        for (rate, before) in [(&mut self.speed, known.speed), (&mut self.spin, known.spin)] {
            if *rate != 0 && before != 0 && rate.abs_diff(before) <= tolerance::SPEED_SLACK {
                *rate = before;
            }
        }
        self
    }
}

/// A contact as it is stored. Points are in the frame of one of the bodies: while both move
/// as one, they do not change.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ContactState {
    pub(super) bodies: [u32; 2],
    /// Whether points are in the frame of the second body.
    pub(super) on_b: bool,
    /// From the first body to the second, in world axes.
    pub(super) normal: [i32; 3],
    pub(super) count: u8,
    pub(super) points: [[i32; 3]; 4],
    pub(super) impulses: [u8; 4],
    pub(super) rung: u8,
    pub(super) colour: u8,
}

impl ContactState {
    /// The state of a contact, or `None` when the catalogue lacks one of its bodies.
    pub(super) fn of(touch: &TouchView, world: &World, catalog: &Catalog) -> Option<Self> {
        let a = catalog.number(touch.body_a)?;
        let b = catalog.number(touch.body_b)?;
        let body_a = world.body(touch.body_a).ok()?;
        let on_b = body_a.kind() == BodyKind::Static;
        let pose = if on_b {
            world.body(touch.body_b).ok()?.pose()
        } else {
            body_a.pose()
        };
        let component = |value: f32| (value * tolerance::NORMAL_STEPS).round() as i32;
        let mut state = Self {
            bodies: [a, b],
            on_b,
            normal: touch.normal.to_array().map(component),
            count: touch.points.len().min(4) as u8,
            rung: rung_number(touch.rung),
            colour: touch.colour.map_or(NO_COLOUR, |colour| colour as u8),
            ..Self::default()
        };
        for (i, point) in touch.points.iter().take(4).enumerate() {
            let step = catalog.step * tolerance::POINT_STEP_TO_STEP;
            let offset = (point.position - pose.position) / step;
            let local = rotation::rotate_inverse(pose.rotation, offset.as_vec3());
            state.points[i] = local.to_array().map(|value| value.round() as i32);
            let impulse = f64::from(point.normal_impulse);
            state.impulses[i] = level(impulse, tolerance::LEAST_IMPULSE, tolerance::IMPULSE_STEPS);
        }
        Some(state)
    }

    /// The same state, or what is known of it where the difference cannot be seen; impulses may
    /// differ by `impulse_slack` levels.
    pub(super) fn settled(mut self, known: Option<&Self>, impulse_slack: u8) -> Self {
        let Some(known) = known.filter(|known| {
            (known.bodies, known.on_b, known.count) == (self.bodies, self.on_b, self.count)
        }) else {
            return self;
        };
        let near = |a: &[i32; 3], b: &[i32; 3], slack: u32| {
            a.iter().zip(b).all(|(a, b)| a.abs_diff(*b) <= slack)
        };
        let slack = tolerance::POINT_SLACK;
        let stays = near(&self.normal, &known.normal, tolerance::NORMAL_SLACK)
            && self
                .points
                .iter()
                .zip(&known.points)
                .all(|(a, b)| near(a, b, slack));
        if stays {
            self.normal = known.normal;
            self.points = known.points;
        }
        let steady = self
            .impulses
            .iter()
            .zip(&known.impulses)
            .all(|(a, b)| a.abs_diff(*b) <= impulse_slack && (*a == 0) == (*b == 0));
        if stays && steady {
            self.impulses = known.impulses;
        }
        self
    }
}

/// Logarithm of a value in `steps` per doubling above `least`; 0 for what is less.
fn level(value: f64, least: f64, steps: f64) -> u8 {
    if value < least {
        return 0;
    }
    1 + (steps * libm::log2(value / least)).round().min(254.0) as u8
}

/// The page names rungs by these numbers.
fn rung_number(rung: Rung) -> u8 {
    match rung {
        Rung::Skip => 0,
        Rung::Recycle => 1,
        Rung::Walk => 2,
        Rung::Hold => 3,
        Rung::ClosedForm => 4,
        Rung::Gjk => 5,
        Rung::Epa => 6,
    }
}
