//! The records of a file of planar questions.

use drystone_planar::tolerance::{MAX_COORDINATE, MAX_ITERATIONS, TOLERANCE};

use super::{Default, Field, Range, Record, Type, Union};
use crate::tolerance::{MAX_SPIN, MAX_TIME};

const PLACE: Type = Type::Pair(Range::within(MAX_COORDINATE));
const LENGTH: Type = Type::Number(Range::above(0.0, MAX_COORDINATE));
const LENGTHS: Type = Type::Pair(Range::above(0.0, MAX_COORDINATE));
const ANGLE: Type = Type::Angle(Range::within(MAX_SPIN));

/// The whole file.
pub static PLANAR_QUERY: Record = Record {
    name: "PlanarQuery",
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
            doc: "What the questions are about.",
        },
        Field {
            name: "shapes",
            kind: Type::Map(&Type::Record(&PLANAR_BODY)),
            default: Default::Required,
            doc: "Named shapes. A question that names none is about the first two.",
        },
        Field {
            name: "ask",
            kind: Type::List(&Type::Union(&QUESTION)),
            default: Default::Required,
            doc: "The questions, answered in this order.",
        },
        Field {
            name: "tolerance",
            kind: Type::Number(Range::between(0.0, 1.0)),
            default: Default::Number(TOLERANCE),
            doc: "Width of the certified interval between ellipses, as a ratio of their size. \
                  Everything else is answered exactly.",
        },
        Field {
            name: "max_iterations",
            kind: Type::Whole(1, u32::MAX as u64),
            default: Default::Number(MAX_ITERATIONS as f64),
            doc: "Iterations before an ellipse is given up on, which is an error.",
        },
    ],
};

/// A shape where it stands.
pub static PLANAR_BODY: Record = Record {
    name: "PlanarBody",
    doc: "A shape and where it stands.",
    fields: &[
        Field {
            name: "shape",
            kind: Type::Union(&PLANAR_SHAPE),
            default: Default::Required,
            doc: "The shape, in its own frame.",
        },
        Field {
            name: "rounding",
            kind: Type::Number(Range::between(0.0, MAX_COORDINATE)),
            default: Default::Number(0.0),
            doc: "By how much the shape is grown on all sides, in m.",
        },
        Field {
            name: "position",
            kind: PLACE,
            default: Default::Absent("(0, 0)"),
            doc: "Where its origin is, in m.",
        },
        Field {
            name: "angle",
            kind: ANGLE,
            default: Default::Number(0.0),
            doc: "How far it is turned, counter-clockwise.",
        },
    ],
};

/// A shape of the plane.
pub static PLANAR_SHAPE: Union = Union {
    name: "PlanarShape",
    doc: "A convex shape of the plane.",
    variants: &[
        &POINT, &SEGMENT, &POLYGON, &OUTLINE, &POINTS, &RECTANGLE, &CIRCLE, &ELLIPSE,
    ],
};

static POINT: Record = Record {
    name: "Point",
    doc: "A single point.",
    fields: &[Field {
        name: "at",
        kind: PLACE,
        default: Default::Absent("(0, 0)"),
        doc: "In m.",
    }],
};

static SEGMENT: Record = Record {
    name: "Segment",
    doc: "The segment between two points.",
    fields: &[
        Field {
            name: "from",
            kind: PLACE,
            default: Default::Required,
            doc: "One end, in m.",
        },
        Field {
            name: "to",
            kind: PLACE,
            default: Default::Required,
            doc: "The other end, in m.",
        },
    ],
};

const VERTICES: Field = Field {
    name: "points",
    kind: Type::List(&PLACE),
    default: Default::Required,
    doc: "The points, in m.",
};

static POLYGON: Record = Record {
    name: "Polygon",
    doc: "The convex hull of points in any order; at least three must differ.",
    fields: &[VERTICES],
};

static OUTLINE: Record = Record {
    name: "Outline",
    doc: "A polygon given round its outline, either way; refused where it is not convex.",
    fields: &[VERTICES],
};

static POINTS: Record = Record {
    name: "Points",
    doc: "The convex hull of points, left unordered: every support looks at all of them.",
    fields: &[VERTICES],
};

static RECTANGLE: Record = Record {
    name: "Rectangle",
    doc: "A rectangle around the origin.",
    fields: &[Field {
        name: "half_extents",
        kind: LENGTHS,
        default: Default::Required,
        doc: "Half its width and height, in m.",
    }],
};

const CENTER: Field = Field {
    name: "center",
    kind: PLACE,
    default: Default::Absent("(0, 0)"),
    doc: "Its centre, in m.",
};

static CIRCLE: Record = Record {
    name: "Circle",
    doc: "A disk.",
    fields: &[
        CENTER,
        Field {
            name: "radius",
            kind: LENGTH,
            default: Default::Required,
            doc: "In m.",
        },
    ],
};

static ELLIPSE: Record = Record {
    name: "Ellipse",
    doc: "A filled ellipse.",
    fields: &[
        CENTER,
        Field {
            name: "half_axes",
            kind: LENGTHS,
            default: Default::Required,
            doc: "Half the length of both axes, in m.",
        },
        Field {
            name: "angle",
            kind: ANGLE,
            default: Default::Number(0.0),
            doc: "How far the first axis is turned from +x.",
        },
    ],
};

const FIRST: Field = Field {
    name: "a",
    kind: Type::Name("shape"),
    default: Default::Absent("the first shape"),
    doc: "One shape.",
};

const SECOND: Field = Field {
    name: "b",
    kind: Type::Name("shape"),
    default: Default::Absent("the second shape"),
    doc: "The other shape.",
};

/// A question.
pub static QUESTION: Union = Union {
    name: "Question",
    doc: "What to ask. Positions and directions are those of the plane all shapes stand in.",
    variants: &[
        &DISTANCE,
        &INTERSECTS,
        &PENETRATION,
        &TIME_OF_IMPACT,
        &CONTAINS,
    ],
};

static DISTANCE: Record = Record {
    name: "Distance",
    doc: "The signed distance, negative in overlap, with both closest points.",
    fields: &[FIRST, SECOND],
};

static INTERSECTS: Record = Record {
    name: "Intersects",
    doc: "Whether the two have a common point.",
    fields: &[FIRST, SECOND],
};

static PENETRATION: Record = Record {
    name: "Penetration",
    doc: "How deep the two overlap, and the move of `b` that parts them.",
    fields: &[FIRST, SECOND],
};

static TIME_OF_IMPACT: Record = Record {
    name: "TimeOfImpact",
    doc: "When `b`, sliding along a line, first touches `a`.",
    fields: &[
        FIRST,
        SECOND,
        Field {
            name: "velocity",
            kind: PLACE,
            default: Default::Required,
            doc: "Velocity of `b` seen from `a`, in m/s.",
        },
        Field {
            name: "within",
            kind: Type::Number(Range::between(0.0, MAX_TIME)),
            default: Default::Number(MAX_TIME),
            doc: "The longest time looked at, in s.",
        },
    ],
};

static CONTAINS: Record = Record {
    name: "Contains",
    doc: "Whether a point is inside a shape or on its outline.",
    fields: &[
        Field {
            name: "shape",
            kind: Type::Name("shape"),
            default: Default::Absent("the first shape"),
            doc: "The shape.",
        },
        Field {
            name: "point",
            kind: PLACE,
            default: Default::Required,
            doc: "The point, in m.",
        },
    ],
};
