//! Shapes with curved faces, flat shapes, and rounding.

use super::body::LENGTH;
use super::{Default, Field, Range, Record, SHAPE, Type};
use crate::tolerance::MAX_LENGTH;

pub(super) static CYLINDER: Record = Record {
    name: "Cylinder",
    doc: "A cylinder along Y around the origin, exactly round.",
    fields: &[
        Field {
            name: "half_height",
            kind: Type::Number(LENGTH),
            default: Default::Required,
            doc: "Half the length, in m.",
        },
        Field {
            name: "radius",
            kind: Type::Number(LENGTH),
            default: Default::Required,
            doc: "In m.",
        },
    ],
};

pub(super) static CONE: Record = Record {
    name: "Cone",
    doc: "A cone along Y, its apex up; the origin is halfway between apex and base.",
    fields: &[
        Field {
            name: "half_height",
            kind: Type::Number(LENGTH),
            default: Default::Required,
            doc: "Half the height, in m.",
        },
        Field {
            name: "radius",
            kind: Type::Number(LENGTH),
            default: Default::Required,
            doc: "Of the base, in m.",
        },
    ],
};

pub(super) static ELLIPSOID: Record = Record {
    name: "Ellipsoid",
    doc: "An ellipsoid around the origin.",
    fields: &[Field {
        name: "semi_axes",
        kind: Type::Vector(LENGTH),
        default: Default::Required,
        doc: "Half its lengths along x, y and z, in m.",
    }],
};

pub(super) static TRIANGLE: Record = Record {
    name: "Triangle",
    doc: "A flat triangle with two sides. It has no mass of its own.",
    fields: &[Field {
        name: "points",
        kind: Type::List(&Type::Vector(Range::within(MAX_LENGTH))),
        default: Default::Required,
        doc: "Its 3 corners, not on one line, in m.",
    }],
};

pub(super) static SEGMENT: Record = Record {
    name: "Segment",
    doc: "A straight line between two points. It has no mass of its own.",
    fields: &[
        Field {
            name: "a",
            kind: Type::Vector(Range::within(MAX_LENGTH)),
            default: Default::Required,
            doc: "One end, in m.",
        },
        Field {
            name: "b",
            kind: Type::Vector(Range::within(MAX_LENGTH)),
            default: Default::Required,
            doc: "The other end, in m.",
        },
    ],
};

pub(super) static ROUNDED: Record = Record {
    name: "Rounded",
    doc: "Every point within a radius of another shape, which is not a half-space.",
    fields: &[
        Field {
            name: "core",
            kind: Type::Union(&SHAPE),
            default: Default::Required,
            doc: "What is rounded.",
        },
        Field {
            name: "radius",
            kind: Type::Number(LENGTH),
            default: Default::Required,
            doc: "By how much it grows on all sides, in m.",
        },
    ],
};
