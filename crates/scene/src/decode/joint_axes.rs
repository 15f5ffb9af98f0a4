//! What acts along and about the axes of joints.

use drystone::{
    JointAxis, JointKind, JointLimit, JointMotor, JointSpring, JointThreshold, SixDofSettings,
    WheelSettings,
};

use super::Reader;

/// A slider.
pub(super) fn slider(reader: &Reader<'_, '_>) -> JointKind {
    let JointAxis {
        limit,
        motor,
        spring,
    } = axis_along(reader);
    JointKind::Slider {
        limit,
        motor,
        spring,
    }
}

/// A hinge.
pub(super) fn hinge(reader: &Reader<'_, '_>) -> JointKind {
    let JointAxis {
        limit,
        motor,
        spring,
    } = axis_about(reader);
    JointKind::Hinge {
        limit,
        motor,
        spring,
    }
}

/// A wheel.
pub(super) fn wheel(reader: &Reader<'_, '_>) -> JointKind {
    let steering = reader.record("steering").map(|inner| {
        let axis = axis_about(&inner);
        inner.finish();
        axis
    });
    JointKind::Wheel(Box::new(WheelSettings {
        suspension: JointAxis {
            limit: place_limit(reader),
            motor: None,
            spring: linear_spring(reader, "suspension"),
        },
        steering,
        motor: motor(reader),
    }))
}

/// Six axes.
pub(super) fn six_dof(reader: &Reader<'_, '_>) -> JointKind {
    let linear = ["x", "y", "z"].map(|name| axis(reader, name, axis_along));
    let angular = ["turn_x", "turn_y", "turn_z"].map(|name| axis(reader, name, axis_about));
    JointKind::SixDof(Box::new(SixDofSettings { linear, angular }))
}

fn axis(
    reader: &Reader<'_, '_>,
    name: &'static str,
    driven: impl Fn(&Reader<'_, '_>) -> JointAxis,
) -> JointAxis {
    let Some(inner) = reader.variant(name) else {
        return JointAxis::LOCKED;
    };
    let axis = match inner.variant_name() {
        "Free" => JointAxis::FREE,
        "Driven" => driven(&inner),
        _ => JointAxis::LOCKED,
    };
    inner.finish();
    axis
}

/// The ratio of a gear or rack, which must not be 0.
pub(super) fn ratio(reader: &Reader<'_, '_>, name: &'static str) -> f32 {
    let ratio = reader.f32(name);
    if ratio == 0.0 && reader.has(name) {
        let message = format!("`{name}` is 0, so one body would not move the other");
        let help = "give another number, or remove the joint";
        reader
            .sink
            .error(reader.place_of(name), "out-of-range", message, help);
    }
    ratio
}

fn axis_along(reader: &Reader<'_, '_>) -> JointAxis {
    JointAxis {
        limit: place_limit(reader),
        motor: reader.record("motor").map(|inner| {
            let motor = JointMotor {
                speed: inner.f32("speed"),
                max_effort: inner.f32("max_force"),
            };
            inner.finish();
            motor
        }),
        spring: linear_spring(reader, "spring"),
    }
}

fn axis_about(reader: &Reader<'_, '_>) -> JointAxis {
    JointAxis {
        limit: limit(reader, "lower", "upper"),
        motor: motor(reader),
        spring: spring(reader, "spring"),
    }
}

fn motor(reader: &Reader<'_, '_>) -> Option<JointMotor> {
    let inner = reader.record("motor")?;
    let motor = JointMotor {
        speed: inner.angle("speed"),
        max_effort: inner.f32("max_torque"),
    };
    inner.finish();
    Some(motor)
}

/// A spring whose target, where it has one, is an angle.
pub(super) fn spring(reader: &Reader<'_, '_>, name: &str) -> Option<JointSpring> {
    let inner = reader.record(name)?;
    let spring = JointSpring {
        hertz: inner.f32("hertz"),
        damping_ratio: inner.f32("damping_ratio"),
        target: inner.angle("target"),
        max_effort: inner.optional_f32("max_torque"),
    };
    inner.finish();
    Some(spring)
}

fn linear_spring(reader: &Reader<'_, '_>, name: &str) -> Option<JointSpring> {
    let inner = reader.record(name)?;
    let spring = JointSpring {
        hertz: inner.f32("hertz"),
        damping_ratio: inner.f32("damping_ratio"),
        target: inner.f32("target"),
        max_effort: inner.optional_f32("max_force"),
    };
    inner.finish();
    Some(spring)
}

/// The range of an angle; both ends or neither are given.
pub(super) fn limit(
    reader: &Reader<'_, '_>,
    low: &'static str,
    high: &'static str,
) -> Option<JointLimit> {
    let ends = (reader.optional_angle(low), reader.optional_angle(high));
    range(reader, [low, high], ends, "rad")
}

fn place_limit(reader: &Reader<'_, '_>) -> Option<JointLimit> {
    let ends = (reader.optional_f32("lower"), reader.optional_f32("upper"));
    range(reader, ["lower", "upper"], ends, "m")
}

fn range(
    reader: &Reader<'_, '_>,
    [low, high]: [&'static str; 2],
    (lower, upper): (Option<f32>, Option<f32>),
    unit: &str,
) -> Option<JointLimit> {
    let only = match (reader.has(low), reader.has(high)) {
        (true, false) => Some((low, high)),
        (false, true) => Some((high, low)),
        _ => None,
    };
    if let Some((given, missing)) = only {
        let message = format!("`{given}` needs `{missing}` beside it");
        let help = format!("add `{missing}`, or remove `{given}`");
        reader
            .sink
            .error(reader.place_of(given), "conflict", message, help);
    }
    let (lower, upper) = (lower?, upper?);
    if lower > upper {
        let message = format!("`{low}` is {lower} {unit}, more than `{high}`, {upper} {unit}");
        let help = "exchange them";
        reader
            .sink
            .error(reader.place_of(low), "conflict", message, help);
    }
    Some(JointLimit { lower, upper })
}

/// What a joint may carry.
pub(super) fn threshold(reader: &Reader<'_, '_>) -> Option<JointThreshold> {
    let inner = reader.record("threshold")?;
    if !inner.has("force") && !inner.has("torque") {
        let message = "this threshold is never exceeded";
        let help = "add `force`, `torque` or both";
        inner.sink.error(inner.span, "missing-field", message, help);
    }
    let threshold = JointThreshold {
        force: inner.optional_f32("force"),
        torque: inner.optional_f32("torque"),
        breaks: inner.flag("breaks"),
    };
    inner.finish();
    Some(threshold)
}
