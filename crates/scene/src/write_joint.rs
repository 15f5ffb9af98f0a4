//! Writing joint kinds as scene text.

use drystone::{JointAxis, JointKind, JointLimit, JointMotor, JointSpring, WheelSettings};

use crate::write::Fields;

/// Words for what is along an axis and about one.
#[derive(Clone, Copy)]
enum Axis {
    Along,
    About,
}

impl Axis {
    fn effort(self) -> &'static str {
        match self {
            Self::Along => "max_force",
            Self::About => "max_torque",
        }
    }
}

/// A kind with its settings.
pub(crate) fn joint_kind(kind: &JointKind) -> String {
    let mut fields = Fields::default();
    let name = match kind {
        JointKind::Ball {
            friction_torque,
            spring: turning,
            cone,
            twist,
        } => {
            fields.plain("friction_torque", friction_torque, &0.0);
            spring("spring", Axis::About, turning, &mut fields);
            ball_limits(*cone, twist, &mut fields);
            "Ball"
        }
        JointKind::Hinge {
            limit,
            motor,
            spring,
        } => {
            axis(Axis::About, limit, motor, spring, &mut fields);
            "Hinge"
        }
        JointKind::Slider {
            limit,
            motor,
            spring,
        } => {
            axis(Axis::Along, limit, motor, spring, &mut fields);
            "Slider"
        }
        JointKind::Weld { linear, angular } => {
            spring("linear", Axis::About, linear, &mut fields);
            spring("angular", Axis::About, angular, &mut fields);
            "Weld"
        }
        JointKind::Distance {
            min,
            max,
            rest,
            spring: along,
        } => {
            lengths(*min, *max, *rest, along, &mut fields);
            "Distance"
        }
        JointKind::Wheel(settings) => {
            wheel(settings, &mut fields);
            "Wheel"
        }
        JointKind::SixDof(axes) => {
            for (name, settings) in ["x", "y", "z"].iter().zip(&axes.linear) {
                one_of_six(name, Axis::Along, settings, &mut fields);
            }
            for (name, settings) in ["turn_x", "turn_y", "turn_z"].iter().zip(&axes.angular) {
                one_of_six(name, Axis::About, settings, &mut fields);
            }
            "SixDof"
        }
        JointKind::Gear { ratio } => {
            fields.add("ratio", format!("{ratio:?}"));
            "Gear"
        }
        JointKind::Rack { travel } => {
            fields.add("travel", format!("{travel:?}"));
            "Rack"
        }
        JointKind::NoContact => "NoContact",
    };
    format!("{name}{}", fields.finish())
}

fn ball_limits(cone: Option<f32>, twist: &Option<JointLimit>, fields: &mut Fields) {
    if let Some(cone) = cone {
        fields.add("cone", format!("{cone:?}"));
    }
    if let Some(twist) = twist {
        fields.add("twist_lower", format!("{:?}", twist.lower));
        fields.add("twist_upper", format!("{:?}", twist.upper));
    }
}

fn lengths(
    min: f32,
    max: f32,
    rest: Option<f32>,
    along: &Option<JointSpring>,
    fields: &mut Fields,
) {
    fields.add("min", format!("{min:?}"));
    fields.add("max", format!("{max:?}"));
    if along.is_some() {
        fields.add("rest", format!("{:?}", rest.unwrap_or(max)));
    }
    spring("spring", Axis::About, along, fields);
}

fn wheel(wheel: &WheelSettings, fields: &mut Fields) {
    let JointAxis {
        limit,
        spring: suspension,
        ..
    } = &wheel.suspension;
    axis(Axis::Along, limit, &None, &None, fields);
    spring("suspension", Axis::Along, suspension, fields);
    if let Some(steering) = &wheel.steering {
        let mut inner = Fields::default();
        whole_axis(Axis::About, steering, &mut inner);
        fields.add("steering", inner.finish());
    }
    axis(Axis::About, &None, &wheel.motor, &None, fields);
}

fn one_of_six(name: &str, way: Axis, settings: &JointAxis, fields: &mut Fields) {
    if *settings == JointAxis::LOCKED {
        return;
    }
    if *settings == JointAxis::FREE {
        fields.add(name, "Free".to_owned());
        return;
    }
    let mut inner = Fields::default();
    whole_axis(way, settings, &mut inner);
    fields.add(name, format!("Driven{}", inner.finish()));
}

fn whole_axis(way: Axis, settings: &JointAxis, fields: &mut Fields) {
    let JointAxis {
        limit,
        motor,
        spring,
    } = settings;
    axis(way, limit, motor, spring, fields);
}

fn axis(
    way: Axis,
    limit: &Option<drystone::JointLimit>,
    motor: &Option<JointMotor>,
    pull: &Option<JointSpring>,
    fields: &mut Fields,
) {
    if let Some(limit) = limit {
        fields.add("lower", format!("{:?}", limit.lower));
        fields.add("upper", format!("{:?}", limit.upper));
    }
    if let Some(JointMotor { speed, max_effort }) = motor {
        let effort = way.effort();
        fields.add(
            "motor",
            format!("(speed: {speed:?}, {effort}: {max_effort:?})"),
        );
    }
    spring("spring", way, pull, fields);
}

fn spring(name: &str, way: Axis, spring: &Option<JointSpring>, fields: &mut Fields) {
    let Some(JointSpring {
        hertz,
        damping_ratio,
        target,
        max_effort,
    }) = spring
    else {
        return;
    };
    let mut inner = Fields::default();
    inner.add("hertz", format!("{hertz:?}"));
    inner.add("damping_ratio", format!("{damping_ratio:?}"));
    inner.plain("target", target, &0.0);
    if let Some(most) = max_effort {
        inner.add(way.effort(), format!("{most:?}"));
    }
    fields.add(name, inner.finish());
}
