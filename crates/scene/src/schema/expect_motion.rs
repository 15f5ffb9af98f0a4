//! Expectations of how bodies move: along a direction, and what rotation keeps.

use super::expect::{AT, BODIES, FROM, TO};
use super::{Default, Field, Range, Record, Type};
use crate::tolerance::{MAX_MEASURED, MAX_TIME};

const DIRECTION: Field = Field {
    name: "along",
    kind: Type::Direction,
    default: Default::Required,
    doc: "The direction, in the world.",
};

const AT_LEAST: Field = Field {
    name: "at_least",
    kind: Type::Number(Range::within(MAX_MEASURED)),
    default: Default::Absent("no bound"),
    doc: "Least value.",
};

const AT_MOST: Field = Field {
    name: "at_most",
    kind: Type::Number(Range::within(MAX_MEASURED)),
    default: Default::Absent("no bound"),
    doc: "Greatest value.",
};

pub(super) static COORDINATE: Record = Record {
    name: "Coordinate",
    doc: "How far the body's origin is along a direction from the world's, in m.",
    fields: &[BODIES, DIRECTION, AT_LEAST, AT_MOST, AT, FROM, TO],
};

pub(super) static VELOCITY: Record = Record {
    name: "Velocity",
    doc: "The velocity of the body's centre of mass along a direction, in m/s.",
    fields: &[BODIES, DIRECTION, AT_LEAST, AT_MOST, AT, FROM, TO],
};

pub(super) static ANGULAR_MOMENTUM: Record = Record {
    name: "AngularMomentum",
    doc: "The body's angular momentum about its centre of mass, against that at `from`: its \
          size as a ratio, or the angle between both in degrees.",
    fields: &[
        BODIES,
        Field {
            name: "of",
            kind: Type::Choice(&["Size", "Direction"]),
            default: Default::Word("Size"),
            doc: "What is measured.",
        },
        AT_LEAST,
        AT_MOST,
        AT,
        FROM,
        TO,
    ],
};

pub(super) static FLIPS: Record = Record {
    name: "Flips",
    doc: "The body's rate of turning about one of its own axes changes its sign again and \
          again.",
    fields: &[
        BODIES,
        Field {
            name: "axis",
            kind: Type::Direction,
            default: Default::Vector([0.0, 1.0, 0.0]),
            doc: "Axis in the body's frame.",
        },
        Field {
            name: "count",
            kind: Type::Whole(1, 1_000_000),
            default: Default::Number(4.0),
            doc: "Intervals between flips whose mean is judged, the first ones.",
        },
        Field {
            name: "every",
            kind: Type::Number(Range::above(0.0, MAX_TIME)),
            default: Default::Required,
            doc: "Expected mean interval, in s.",
        },
        Field {
            name: "within",
            kind: Type::Number(Range::between(0.0, 10.0)),
            default: Default::Required,
            doc: "Greatest deviation, a ratio to it.",
        },
    ],
};

pub(super) static MOMENTUM: Record = Record {
    name: "Momentum",
    doc: "The size of the momentum of all bodies together, in kg m/s.",
    fields: &[AT_LEAST, AT_MOST, AT, FROM, TO],
};
