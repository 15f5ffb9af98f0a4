//! Expectations: what must come true.

use super::expect_motion::{ANGULAR_MOMENTUM, COORDINATE, FLIPS, MOMENTUM, VELOCITY};
use super::expect_world::{
    ENERGY, ENERGY_NEVER_RISES, HASH, JOINT_GAP, JOINT_HOLDS, JOINT_READING, PENETRATION,
};
use super::{Default, Field, Range, Record, Type, Union};
use crate::tolerance::{MAX_COORDINATE, MAX_MEASURED, MAX_SPEED, MAX_TIME};

pub(super) const TIME: Range = Range::between(0.0, MAX_TIME);
pub(super) const DISTANCE: Range = Range::between(0.0, MAX_COORDINATE);
const POSITIVE: Range = Range::between(0.0, MAX_MEASURED);
/// In degrees.
const HALF_TURN: Range = Range::between(0.0, 180.0);

pub(super) const BODIES: Field = Field {
    name: "body",
    kind: Type::Bodies,
    default: Default::Required,
    doc: "Which bodies; each must comply.",
};

pub(super) const AT: Field = Field {
    name: "at",
    kind: Type::Number(TIME),
    default: Default::Absent("see `from` and `to`"),
    doc: "Time at which it is judged, in s.",
};

pub(super) const FROM: Field = Field {
    name: "from",
    kind: Type::Number(TIME),
    default: Default::Number(0.0),
    doc: "Start of the time over which it is judged, in s.",
};

pub(super) const TO: Field = Field {
    name: "to",
    kind: Type::Number(TIME),
    default: Default::Absent("the end"),
    doc: "End of that time, in s.",
};

const ALONG: Field = Field {
    name: "along",
    kind: Type::Choice(&["Space", "Horizontal", "Vertical"]),
    default: Default::Word("Space"),
    doc: "Which part of a displacement counts.",
};

/// An expectation.
pub static EXPECTATION: Union = Union {
    name: "Expectation",
    doc: "What must come true. Times count from the start of the run. Where bodies are \
          named, a pattern's name means all its bodies and `all` every body that can move. \
          Bodies that appear during the run count from when they are there.",
    variants: &[
        &RESTS,
        &STAYS,
        &MOVES,
        &FALLS,
        &NEAR,
        &HEIGHT,
        &SPEED,
        &SPIN,
        &TILT,
        &TURNED,
        &COORDINATE,
        &VELOCITY,
        &ANGULAR_MOMENTUM,
        &FLIPS,
        &ASLEEP_BY,
        &COUNT_INSIDE,
        &ENERGY,
        &ENERGY_NEVER_RISES,
        &MOMENTUM,
        &PENETRATION,
        &JOINT_GAP,
        &JOINT_READING,
        &JOINT_HOLDS,
        &CONTACT_FORCE,
        &IN_ORDER,
        &HASH,
        &NOT,
    ],
};

static NOT: Record = Record {
    name: "Not",
    doc: "Another expectation does not come true; one about a time is missed once at least.",
    fields: &[Field {
        name: "expect",
        kind: Type::Union(&EXPECTATION),
        default: Default::Required,
        doc: "The other expectation; not a `Not` itself.",
    }],
};

static RESTS: Record = Record {
    name: "Rests",
    doc: "The speed stays low from a time on.",
    fields: &[
        BODIES,
        Field {
            name: "by",
            kind: Type::Number(TIME),
            default: Default::Required,
            doc: "Time from which it rests, in s.",
        },
        TO,
        Field {
            name: "speed",
            kind: Type::Number(Range::above(0.0, MAX_SPEED)),
            default: Default::Number(0.01),
            doc: "Greatest speed that counts as rest, in m/s.",
        },
    ],
};

static STAYS: Record = Record {
    name: "Stays",
    doc: "No body leaves the place it had at `from`.",
    fields: &[
        BODIES,
        Field {
            name: "within",
            kind: Type::Number(DISTANCE),
            default: Default::Required,
            doc: "Greatest displacement, in m.",
        },
        ALONG,
        FROM,
        TO,
    ],
};

static MOVES: Record = Record {
    name: "Moves",
    doc: "How far a body has come at `at` from where it was at `from`.",
    fields: &[
        BODIES,
        Field {
            name: "at_least",
            kind: Type::Number(POSITIVE),
            default: Default::Absent("no bound"),
            doc: "Least displacement, in m.",
        },
        Field {
            name: "at_most",
            kind: Type::Number(POSITIVE),
            default: Default::Absent("no bound"),
            doc: "Greatest displacement, in m.",
        },
        ALONG,
        FROM,
        Field {
            name: "at",
            kind: Type::Number(TIME),
            default: Default::Absent("the end"),
            doc: "Time at which it is judged, in s.",
        },
    ],
};

static FALLS: Record = Record {
    name: "Falls",
    doc: "At some time the body is lower than at the start.",
    fields: &[
        BODIES,
        Field {
            name: "by_more_than",
            kind: Type::Number(DISTANCE),
            default: Default::Required,
            doc: "Least drop against gravity, in m.",
        },
        Field {
            name: "before",
            kind: Type::Number(TIME),
            default: Default::Absent("the end"),
            doc: "Time before which it happens, in s.",
        },
    ],
};

static NEAR: Record = Record {
    name: "Near",
    doc: "The body is at a place.",
    fields: &[
        BODIES,
        Field {
            name: "point",
            kind: Type::Vector(Range::within(MAX_COORDINATE)),
            default: Default::Required,
            doc: "The place, in m.",
        },
        Field {
            name: "within",
            kind: Type::Number(DISTANCE),
            default: Default::Required,
            doc: "Greatest distance from it, in m.",
        },
        AT,
        FROM,
        TO,
    ],
};

static HEIGHT: Record = Record {
    name: "Height",
    doc: "The y coordinate of the body's origin.",
    fields: &[
        BODIES,
        Field {
            name: "at_least",
            kind: Type::Number(Range::within(MAX_MEASURED)),
            default: Default::Absent("no bound"),
            doc: "Least height, in m.",
        },
        Field {
            name: "at_most",
            kind: Type::Number(Range::within(MAX_MEASURED)),
            default: Default::Absent("no bound"),
            doc: "Greatest height, in m.",
        },
        AT,
        FROM,
        TO,
    ],
};

static SPEED: Record = Record {
    name: "Speed",
    doc: "The speed of the body's centre of mass.",
    fields: &[
        BODIES,
        Field {
            name: "at_least",
            kind: Type::Number(POSITIVE),
            default: Default::Absent("no bound"),
            doc: "Least speed, in m/s.",
        },
        Field {
            name: "at_most",
            kind: Type::Number(POSITIVE),
            default: Default::Absent("no bound"),
            doc: "Greatest speed, in m/s.",
        },
        AT,
        FROM,
        TO,
    ],
};

static SPIN: Record = Record {
    name: "Spin",
    doc: "The angular speed of the body.",
    fields: &[
        BODIES,
        Field {
            name: "at_least",
            kind: Type::Number(POSITIVE),
            default: Default::Absent("no bound"),
            doc: "Least angular speed, in rad/s.",
        },
        Field {
            name: "at_most",
            kind: Type::Number(POSITIVE),
            default: Default::Absent("no bound"),
            doc: "Greatest angular speed, in rad/s.",
        },
        AT,
        FROM,
        TO,
    ],
};

static TILT: Record = Record {
    name: "Tilt",
    doc: "The angle between an axis of the body and the world's y axis.",
    fields: &[
        BODIES,
        Field {
            name: "axis",
            kind: Type::Direction,
            default: Default::Vector([0.0, 1.0, 0.0]),
            doc: "Axis in the body's frame.",
        },
        Field {
            name: "at_least",
            kind: Type::Number(HALF_TURN),
            default: Default::Absent("no bound"),
            doc: "Least angle, in degrees.",
        },
        Field {
            name: "at_most",
            kind: Type::Number(HALF_TURN),
            default: Default::Absent("no bound"),
            doc: "Greatest angle, in degrees.",
        },
        AT,
        FROM,
        TO,
    ],
};

static TURNED: Record = Record {
    name: "Turned",
    doc: "The angle by which the body turned since `from`.",
    fields: &[
        BODIES,
        Field {
            name: "at_least",
            kind: Type::Number(HALF_TURN),
            default: Default::Absent("no bound"),
            doc: "Least angle, in degrees.",
        },
        Field {
            name: "at_most",
            kind: Type::Number(HALF_TURN),
            default: Default::Absent("no bound"),
            doc: "Greatest angle, in degrees.",
        },
        AT,
        FROM,
        TO,
    ],
};

static ASLEEP_BY: Record = Record {
    name: "AsleepBy",
    doc: "The body is asleep from a time on.",
    fields: &[
        BODIES,
        Field {
            name: "by",
            kind: Type::Number(TIME),
            default: Default::Required,
            doc: "Time, in s.",
        },
        TO,
    ],
};

static COUNT_INSIDE: Record = Record {
    name: "CountInside",
    doc: "How many bodies have their origin inside a box.",
    fields: &[
        BODIES,
        Field {
            name: "min",
            kind: Type::Vector(Range::within(MAX_COORDINATE)),
            default: Default::Required,
            doc: "Lowest corner of the box, in m.",
        },
        Field {
            name: "max",
            kind: Type::Vector(Range::within(MAX_COORDINATE)),
            default: Default::Required,
            doc: "Highest corner, in m.",
        },
        Field {
            name: "at_least",
            kind: Type::Number(POSITIVE),
            default: Default::Absent("no bound"),
            doc: "Least count.",
        },
        Field {
            name: "at_most",
            kind: Type::Number(POSITIVE),
            default: Default::Absent("no bound"),
            doc: "Greatest count.",
        },
        AT,
        FROM,
        TO,
    ],
};

static CONTACT_FORCE: Record = Record {
    name: "ContactForce",
    doc: "The force that contacts push with on a body, on average.",
    fields: &[
        BODIES,
        Field {
            name: "newtons",
            kind: Type::Number(POSITIVE),
            default: Default::Required,
            doc: "Expected force, in N.",
        },
        Field {
            name: "within",
            kind: Type::Number(Range::between(0.0, 10.0)),
            default: Default::Required,
            doc: "Greatest deviation, a ratio to it.",
        },
        FROM,
        TO,
    ],
};

static IN_ORDER: Record = Record {
    name: "InOrder",
    doc: "One body after the other tilts past an angle, in the order of their names.",
    fields: &[
        BODIES,
        Field {
            name: "degrees",
            kind: Type::Number(Range::above(0.0, 180.0)),
            default: Default::Number(20.0),
            doc: "The angle from where the body's y axis pointed at the start.",
        },
    ],
};
