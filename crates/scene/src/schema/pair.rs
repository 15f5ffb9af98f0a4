//! The records of a file about one pair of shapes.

use super::body::SHAPE;
use super::{Default, Field, Range, Record, Type, Union};
use crate::tolerance::{MAX_COORDINATE, MAX_LENGTH, MAX_PAIR_FRAMES, MAX_SPIN};

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
            kind: Type::Union(&PAIR_QUESTION),
            default: Default::Absent("Distance"),
            doc: "What is asked.",
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

/// What is asked of a pair.
static PAIR_QUESTION: Union = Union {
    name: "PairQuestion",
    doc: "What is asked of two shapes. All places and directions are those of the file.",
    variants: &[&DISTANCE, &CONTACT, &RAY, &CAST, &MOTION],
};

static DISTANCE: Record = Record {
    name: "Distance",
    doc: "The signed distance with its proof.",
    fields: &[],
};

static CONTACT: Record = Record {
    name: "Contact",
    doc: "The points of contact.",
    fields: &[Field {
        name: "margin",
        kind: Type::Number(Range::between(0.0, MAX_LENGTH)),
        default: Default::Number(0.02),
        doc: "Points are made up to this far apart, in m.",
    }],
};

static RAY: Record = Record {
    name: "Ray",
    doc: "Where a ray enters either shape, and which it meets first.",
    fields: &[
        Field {
            name: "from",
            kind: Type::Vector(Range::within(MAX_COORDINATE)),
            default: Default::Required,
            doc: "Where it starts, in m.",
        },
        Field {
            name: "to",
            kind: Type::Vector(Range::within(MAX_COORDINATE)),
            default: Default::Required,
            doc: "Where it ends, in m.",
        },
    ],
};

/// How near counts as touching, for both casts.
const TARGET: Field = Field {
    name: "target",
    kind: Type::Number(Range::between(0.0, MAX_LENGTH)),
    default: Default::Number(0.0),
    doc: "The distance that counts as touching, in m.",
};

static CAST: Record = Record {
    name: "Cast",
    doc: "When `b`, moving straight, first touches `a`: a time from 0 to 1.",
    fields: &[
        Field {
            name: "move",
            kind: Type::Vector(Range::within(MAX_COORDINATE)),
            default: Default::Required,
            doc: "Where `b` is at time 1, seen from where it stands, in m.",
        },
        TARGET,
    ],
};

static MOTION: Record = Record {
    name: "Motion",
    doc: "When two shapes that move and turn first touch: a time from 0 to 1.",
    fields: &[
        Field {
            name: "a",
            kind: Type::Record(&PAIR_PATH),
            default: Default::Absent("at rest"),
            doc: "What `a` does until time 1.",
        },
        Field {
            name: "b",
            kind: Type::Record(&PAIR_PATH),
            default: Default::Absent("at rest"),
            doc: "What `b` does.",
        },
        TARGET,
    ],
};

/// How a shape moves during a cast.
static PAIR_PATH: Record = Record {
    name: "PairPath",
    doc: "A steady motion: one point of the shape moves straight, and the shape turns round it.",
    fields: &[
        Field {
            name: "move",
            kind: Type::Vector(Range::within(MAX_COORDINATE)),
            default: Default::Vector([0.0, 0.0, 0.0]),
            doc: "How far that point moves, in m.",
        },
        Field {
            name: "spin",
            kind: Type::Vector(Range::within(MAX_SPIN)),
            default: Default::Vector([0.0, 0.0, 0.0]),
            doc: "Axis times angle of the turn, in rad; may be more than once round.",
        },
        Field {
            name: "about",
            kind: Type::Vector(Range::within(MAX_COORDINATE)),
            default: Default::Vector([0.0, 0.0, 0.0]),
            doc: "The point, in the shape's own frame, in m.",
        },
    ],
};
