//! Grids: bodies or prefabs in a block.

use super::pattern::{NAME, ROTATION_OF_PATTERN, SEED};
use super::{BODY, Default, Field, JOINT_KIND, Range, Record, Type};
use crate::tolerance::{MAX_BODIES, MAX_COORDINATE, MAX_LENGTH};

pub(super) const COUNT: Field = Field {
    name: "count",
    kind: Type::Counts(1, MAX_BODIES as u64),
    default: Default::Required,
    doc: "How many along x, y and z.",
};

pub(super) const STEP: Field = Field {
    name: "step",
    kind: Type::Vector(Range::within(MAX_COORDINATE)),
    default: Default::Required,
    doc: "Distance along x, y and z, in m.",
};

pub(super) const ORDER: Field = Field {
    name: "order",
    kind: Type::Choice(&["YZX", "YXZ", "XYZ", "XZY", "ZXY", "ZYX"]),
    default: Default::Word("YZX"),
    doc: "How they are counted: the last axis fastest, the first one slowest.",
};

pub(super) const PLACE_OF_FIRST: Field = Field {
    name: "position",
    kind: Type::Vector(Range::within(MAX_COORDINATE)),
    default: Default::Vector([0.0, 0.0, 0.0]),
    doc: "Where the first one is, in m.",
};

/// `Grid(...)`.
pub static GRID: Record = Record {
    name: "Grid",
    doc: "A block of equal bodies or prefabs.",
    fields: &[
        NAME,
        Field {
            name: "body",
            kind: Type::Record(&BODY),
            default: Default::Absent("none; one of `body` and `prefab` is needed"),
            doc: "What each one is.",
        },
        Field {
            name: "prefab",
            kind: Type::Name("prefab"),
            default: Default::Absent("none"),
            doc: "Or the prefab that each one is; its bodies are `name[0]/inner`.",
        },
        COUNT,
        STEP,
        ORDER,
        Field {
            name: "stagger",
            kind: Type::Vector(Range::within(MAX_COORDINATE)),
            default: Default::Vector([0.0, 0.0, 0.0]),
            doc: "Added to every second layer, in m.",
        },
        Field {
            name: "jitter",
            kind: Type::Number(Range::between(0.0, MAX_LENGTH)),
            default: Default::Number(0.0),
            doc: "Each is moved by up to this along x, y and z at random, in m.",
        },
        SEED,
        Field {
            name: "fixed",
            kind: Type::Choice(&["Nothing", "X", "Y", "Z"]),
            default: Default::Word("Nothing"),
            doc: "The axis whose first layer is static.",
        },
        Field {
            name: "joint",
            kind: Type::Union(&JOINT_KIND),
            default: Default::Absent("none"),
            doc: "Holds neighbours along each axis together, midway between them. Two static \
                  ones are not held.",
        },
        Field {
            name: "centered",
            kind: Type::Flag,
            default: Default::Flag(false),
            doc: "Whether `position` is the middle of the lowest layer, not the first one.",
        },
        PLACE_OF_FIRST,
        ROTATION_OF_PATTERN,
    ],
};
