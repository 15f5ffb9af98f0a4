//! Bodies that appear during a run.

use super::grid::{COUNT, ORDER, PLACE_OF_FIRST};
use super::pattern::ROTATION_OF_PATTERN;
use super::{BODY, Default, Field, Range, Record, Type};
use crate::tolerance::{MAX_BODIES, MAX_COORDINATE, MAX_STEPS};

/// An entry of `spawn`.
pub static SPAWN: Record = Record {
    name: "Spawn",
    doc: "Bodies or prefabs that appear before certain steps, at the places of a grid, one \
          place after the other. Steps count from 0; what is due appears before the step.",
    fields: &[
        Field {
            name: "name",
            kind: Type::Text,
            default: Default::Required,
            doc: "First part of its bodies' names: `name[0]`, or `name[0]/inner`.",
        },
        Field {
            name: "body",
            kind: Type::Record(&BODY),
            default: Default::Absent("none; one of `body` and `prefab` is needed"),
            doc: "What appears at each place.",
        },
        Field {
            name: "prefab",
            kind: Type::Name("prefab"),
            default: Default::Absent("none"),
            doc: "Or the prefab that does.",
        },
        Field {
            default: Default::Absent("(1, 1, 1)"),
            ..COUNT
        },
        Field {
            name: "step",
            kind: Type::Vector(Range::within(MAX_COORDINATE)),
            default: Default::Vector([0.0, 0.0, 0.0]),
            doc: "Distance of the places along x, y and z, in m.",
        },
        ORDER,
        PLACE_OF_FIRST,
        ROTATION_OF_PATTERN,
        Field {
            name: "together",
            kind: Type::Whole(1, MAX_BODIES as u64),
            default: Default::Number(1.0),
            doc: "How many appear at a time.",
        },
        Field {
            name: "every",
            kind: Type::Whole(1, MAX_STEPS),
            default: Default::Number(1.0),
            doc: "Steps from one time to the next.",
        },
        Field {
            name: "from",
            kind: Type::Whole(0, MAX_STEPS),
            default: Default::Number(0.0),
            doc: "Number of the step before which the first ones appear.",
        },
        Field {
            name: "until",
            kind: Type::Whole(0, MAX_STEPS),
            default: Default::Absent("no end"),
            doc: "Number of the last step before which any appear.",
        },
        Field {
            name: "mask",
            kind: Type::Whole(0, u16::MAX as u64),
            default: Default::Number(0.0),
            doc: "Only before steps whose number has none of these bits.",
        },
        Field {
            name: "respawn",
            kind: Type::Flag,
            default: Default::Flag(false),
            doc: "Whether, once every place is taken, the oldest is removed and appears anew.",
        },
    ],
};
