//! Joints with axes: sliders, wheels, six axes, gears and racks.

use super::joint::{HALF_TURN, MOTOR, SPRING};
use super::{Default, Field, Range, Record, Type, Union};
use crate::tolerance::{MAX_FACTOR, MAX_HERTZ, MAX_LENGTH, MAX_SPEED, MAX_TORQUE};

const PLACE: Range = Range::within(MAX_LENGTH);
const RATIO: Range = Range::within(MAX_FACTOR);
pub(super) const EFFORT: Range = Range::between(0.0, MAX_TORQUE);

const LOWER_PLACE: Field = Field {
    name: "lower",
    kind: Type::Number(PLACE),
    default: Default::Absent("no limit"),
    doc: "Least place along the axis, in m; needs `upper`.",
};

const UPPER_PLACE: Field = Field {
    name: "upper",
    kind: Type::Number(PLACE),
    default: Default::Absent("no limit"),
    doc: "Greatest place along the axis, in m; needs `lower`.",
};

const LOWER_ANGLE: Field = Field {
    name: "lower",
    kind: Type::Angle(HALF_TURN),
    default: Default::Absent("no limit"),
    doc: "Least angle, in rad; needs `upper`.",
};

const UPPER_ANGLE: Field = Field {
    name: "upper",
    kind: Type::Angle(HALF_TURN),
    default: Default::Absent("no limit"),
    doc: "Greatest angle, in rad; needs `lower`.",
};

const LINEAR_MOTOR_FIELD: Field = Field {
    name: "motor",
    kind: Type::Record(&LINEAR_MOTOR),
    default: Default::Absent("none"),
    doc: "A motor along the axis.",
};

const LINEAR_SPRING_FIELD: Field = Field {
    name: "spring",
    kind: Type::Record(&LINEAR_SPRING),
    default: Default::Absent("none"),
    doc: "A spring, or a servo, towards its target.",
};

const MOTOR_FIELD: Field = Field {
    name: "motor",
    kind: Type::Record(&MOTOR),
    default: Default::Absent("none"),
    doc: "A motor about the axis.",
};

const SPRING_FIELD: Field = Field {
    name: "spring",
    kind: Type::Record(&SPRING),
    default: Default::Absent("none"),
    doc: "A spring, or a servo, towards its target angle.",
};

pub(super) static SLIDER: Record = Record {
    name: "Slider",
    doc: "The second body moves along the Z axis of the first frame and does not turn.",
    fields: &[
        LOWER_PLACE,
        UPPER_PLACE,
        LINEAR_MOTOR_FIELD,
        LINEAR_SPRING_FIELD,
    ],
};

pub(super) static WHEEL: Record = Record {
    name: "Wheel",
    doc: "The second body is a wheel: it turns about Z, the `axis`, and moves along Y of the first \
          frame on its suspension.",
    fields: &[
        LOWER_PLACE,
        UPPER_PLACE,
        Field {
            name: "suspension",
            kind: Type::Record(&LINEAR_SPRING),
            default: Default::Absent("none; without bounds either, the wheel moves freely"),
            doc: "The spring of the suspension.",
        },
        Field {
            name: "steering",
            kind: Type::Record(&STEERING),
            default: Default::Absent("straight ahead"),
            doc: "What turns the axle about Y of the first frame.",
        },
        MOTOR_FIELD,
    ],
};

static STEERING: Record = Record {
    name: "Steering",
    doc: "What turns an axle; nothing given, it turns freely.",
    fields: &[LOWER_ANGLE, UPPER_ANGLE, MOTOR_FIELD, SPRING_FIELD],
};

pub(super) static SIX_DOF: Record = Record {
    name: "SixDof",
    doc: "Six axes, each locked, free or driven: along X, Y and Z of the first frame, and the angles \
          of three rings, about X of the first frame, Y as the first ring turns it, and Z of the \
          second frame. The middle angle means something up to a quarter turn.",
    fields: &[
        along("x", "Along X."),
        along("y", "Along Y."),
        along("z", "Along Z."),
        about("turn_x", "About X."),
        about("turn_y", "About Y; its bounds lie within a quarter turn."),
        about("turn_z", "About Z."),
    ],
};

const fn along(name: &'static str, doc: &'static str) -> Field {
    Field {
        name,
        kind: Type::Union(&ALONG),
        default: Default::Absent("locked"),
        doc,
    }
}

const fn about(name: &'static str, doc: &'static str) -> Field {
    Field {
        name,
        kind: Type::Union(&ABOUT),
        default: Default::Absent("locked"),
        doc,
    }
}

static ALONG: Union = Union {
    name: "Along",
    doc: "An axis of a joint along which it moves, or not.",
    variants: &[&LOCKED, &FREE, &DRIVEN_ALONG],
};

static ABOUT: Union = Union {
    name: "About",
    doc: "An axis of a joint about which it turns, or not.",
    variants: &[&LOCKED, &FREE, &DRIVEN_ABOUT],
};

static LOCKED: Record = Record {
    name: "Locked",
    doc: "It does not move.",
    fields: &[],
};

static FREE: Record = Record {
    name: "Free",
    doc: "It moves freely.",
    fields: &[],
};

static DRIVEN_ALONG: Record = Record {
    name: "Driven",
    doc: "It moves within bounds, by a motor, on a spring.",
    fields: &[
        LOWER_PLACE,
        UPPER_PLACE,
        LINEAR_MOTOR_FIELD,
        LINEAR_SPRING_FIELD,
    ],
};

static DRIVEN_ABOUT: Record = Record {
    name: "Driven",
    doc: "It turns within bounds, by a motor, on a spring.",
    fields: &[LOWER_ANGLE, UPPER_ANGLE, MOTOR_FIELD, SPRING_FIELD],
};

pub(super) static GEAR: Record = Record {
    name: "Gear",
    doc: "The second body turns about Z of its frame by `ratio` times what the first turns about Z \
          of its own. Other joints hold the axles. Needs no anchor.",
    fields: &[Field {
        name: "ratio",
        kind: Type::Number(RATIO),
        default: Default::Required,
        doc: "Not 0; negative for two wheels that mesh from outside.",
    }],
};

pub(super) static RACK: Record = Record {
    name: "Rack",
    doc: "The second body moves past the first along Z of its frame, the joint's `axis_b`, as the first turns \
          on it about Z of its own. Other joints hold both. The anchor is on the first body's axle; without \
          one that goes through the body's origin.",
    fields: &[Field {
        name: "travel",
        kind: Type::Number(PLACE),
        default: Default::Required,
        doc: "In m per radian, not 0.",
    }],
};

/// A motor along an axis.
pub static LINEAR_MOTOR: Record = Record {
    name: "LinearMotor",
    doc: "Drives a joint along an axis.",
    fields: &[
        Field {
            name: "speed",
            kind: Type::Number(Range::within(MAX_SPEED)),
            default: Default::Number(0.0),
            doc: "Speed it drives towards, in m/s.",
        },
        Field {
            name: "max_force",
            kind: Type::Number(EFFORT),
            default: Default::Required,
            doc: "Greatest force, in N.",
        },
    ],
};

/// A spring along an axis.
pub static LINEAR_SPRING: Record = Record {
    name: "LinearSpring",
    doc: "A damped spring along an axis whose stiffness adapts to the masses.",
    fields: &[
        Field {
            name: "hertz",
            kind: Type::Number(Range::above(0.0, MAX_HERTZ)),
            default: Default::Required,
            doc: "Frequency of the undamped swing, in Hz.",
        },
        Field {
            name: "damping_ratio",
            kind: Type::Number(Range::between(0.0, MAX_FACTOR)),
            default: Default::Number(1.0),
            doc: "A ratio; 1 is critical damping.",
        },
        Field {
            name: "target",
            kind: Type::Number(PLACE),
            default: Default::Number(0.0),
            doc: "Place it moves to, in m.",
        },
        Field {
            name: "max_force",
            kind: Type::Number(EFFORT),
            default: Default::Absent("any"),
            doc: "Greatest force, in N.",
        },
    ],
};

/// What a joint may carry.
pub static THRESHOLD: Record = Record {
    name: "Threshold",
    doc: "What a joint may carry before it is reported, or breaks.",
    fields: &[
        Field {
            name: "force",
            kind: Type::Number(EFFORT),
            default: Default::Absent("any"),
            doc: "In N.",
        },
        Field {
            name: "torque",
            kind: Type::Number(EFFORT),
            default: Default::Absent("any"),
            doc: "In N m.",
        },
        Field {
            name: "breaks",
            kind: Type::Flag,
            default: Default::Flag(true),
            doc: "Whether the joint is removed when it is exceeded.",
        },
    ],
};
