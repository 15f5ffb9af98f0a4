//! The records of a file about one pair of shapes.

use super::body::SHAPE;
use super::{Default, Field, Range, Record, Type};
use crate::tolerance::{MAX_COORDINATE, MAX_LENGTH, MAX_PAIR_FRAMES};

/// The whole file.
pub static PAIR_QUERY: Record = Record {
    name: "PairQuery",
    doc: "The whole file: one `( ... )`. `format` comes first.",
    fields: &[
        Field {
            name: "format",
            kind: Type::Whole(1, 1),
            default: Default::Required,
            doc: "Version of the format; must be the first field.",
        },
        Field {
            name: "about",
            kind: Type::Text,
            default: Default::Word(""),
            doc: "Why the pair is of interest.",
        },
        Field {
            name: "a",
            kind: Type::Record(&PAIR_BODY),
            default: Default::Required,
            doc: "One shape.",
        },
        Field {
            name: "b",
            kind: Type::Record(&PAIR_BODY),
            default: Default::Required,
            doc: "The other shape; the normal points to it.",
        },
        Field {
            name: "ask",
            kind: Type::Choice(&["Distance", "Contact"]),
            default: Default::Word("Distance"),
            doc: "What is asked: the signed distance with its proof, or the points of contact.",
        },
        Field {
            name: "margin",
            kind: Type::Number(Range::between(0.0, MAX_LENGTH)),
            default: Default::Number(0.02),
            doc: "A contact has points up to this far apart, in m.",
        },
        Field {
            name: "motion",
            kind: Type::Record(&PAIR_MOTION),
            default: Default::Absent("none"),
            doc: "How `b` moves; the pair is then tracked from frame to frame.",
        },
    ],
};

/// A shape where it stands.
pub static PAIR_BODY: Record = Record {
    name: "PairBody",
    doc: "A shape and where it stands.",
    fields: &[
        Field {
            name: "shape",
            kind: Type::Union(&SHAPE),
            default: Default::Required,
            doc: "A convex shape, in its own frame.",
        },
        Field {
            name: "position",
            kind: Type::Vector(Range::within(MAX_COORDINATE)),
            default: Default::Vector([0.0, 0.0, 0.0]),
            doc: "Where its origin is, in m.",
        },
        Field {
            name: "rotation",
            kind: Type::Rotation,
            default: Default::Absent("none"),
            doc: "Orientation: a quaternion `(x, y, z, w)`, scaled to unit length, or a turn.",
        },
    ],
};

/// How the second shape moves.
pub static PAIR_MOTION: Record = Record {
    name: "PairMotion",
    doc: "What `b` does from one frame to the next.",
    fields: &[
        Field {
            name: "frames",
            kind: Type::Whole(1, MAX_PAIR_FRAMES),
            default: Default::Required,
            doc: "How many poses are asked about, the first one included.",
        },
        Field {
            name: "move",
            kind: Type::Vector(Range::within(MAX_COORDINATE)),
            default: Default::Vector([0.0, 0.0, 0.0]),
            doc: "By how much it moves a frame, in m.",
        },
        Field {
            name: "turn",
            kind: Type::Rotation,
            default: Default::Absent("none"),
            doc: "By how much it turns a frame, about its own origin and fixed axes.",
        },
    ],
};
