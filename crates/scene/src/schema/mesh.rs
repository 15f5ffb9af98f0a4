//! Surfaces of triangles: meshes and height fields.

use super::{Default, Field, Range, Record, Type, Union};
use crate::tolerance::{MAX_FACTOR, MAX_GRID_CELLS, MAX_LENGTH, MIN_LENGTH};

const LENGTH: Range = Range::between(MIN_LENGTH, MAX_LENGTH);

pub(super) static MESH: Record = Record {
    name: "Mesh",
    doc: "A surface of triangles, given one by one, by a file or by a rule. For static and \
          kinematic bodies.",
    fields: &[
        Field {
            name: "points",
            kind: Type::List(&Type::Vector(Range::within(MAX_LENGTH))),
            default: Default::Absent("those of `file` or `make`"),
            doc: "The corners of all triangles, in m.",
        },
        Field {
            name: "triangles",
            kind: Type::List(&Type::Counts(0, u32::MAX as u64)),
            default: Default::Absent("those of `file` or `make`"),
            doc: "Three point numbers from 0 each, counter-clockwise seen from the front.",
        },
        Field {
            name: "file",
            kind: Type::Text,
            default: Default::Absent("none"),
            doc: "An .obj or .stl file with points and faces, relative to this one and not above \
                  its folder.",
        },
        Field {
            name: "scale",
            kind: Type::Number(Range::above(0.0, MAX_FACTOR)),
            default: Default::Number(1.0),
            doc: "Factor on the points of the file.",
        },
        Field {
            name: "make",
            kind: Type::Union(&MESH_RULE),
            default: Default::Absent("none"),
            doc: "A rule that makes the triangles.",
        },
        Field {
            name: "two_sided",
            kind: Type::Flag,
            default: Default::Flag(false),
            doc: "Whether the triangles are felt from behind as well.",
        },
        Field {
            name: "skip_degenerate",
            kind: Type::Flag,
            default: Default::Flag(false),
            doc: "Whether triangles without area are left out; otherwise they are mistakes.",
        },
    ],
};

/// `make` of a mesh.
pub static MESH_RULE: Union = Union {
    name: "MeshRule",
    doc: "Triangles made by a rule.",
    variants: &[&SHEET, &TORUS],
};

static SHEET: Record = Record {
    name: "Sheet",
    doc: "A rectangle of square cells around the origin, seen from above, two triangles each.",
    fields: &[
        Field {
            name: "cells",
            kind: Type::Pair(Range::between(1.0, MAX_GRID_CELLS as f64)),
            default: Default::Required,
            doc: "How many along x and along z.",
        },
        Field {
            name: "cell",
            kind: Type::Number(LENGTH),
            default: Default::Number(1.0),
            doc: "Width of a cell, in m.",
        },
        Field {
            name: "waves",
            kind: Type::Record(&WAVES),
            default: Default::Absent("none: it is flat"),
            doc: "Makes it hilly.",
        },
    ],
};

static TORUS: Record = Record {
    name: "Torus",
    doc: "A ring around z, seen from outside.",
    fields: &[
        Field {
            name: "ring_radius",
            kind: Type::Number(LENGTH),
            default: Default::Required,
            doc: "From the origin to the middle of the tube, in m.",
        },
        Field {
            name: "tube_radius",
            kind: Type::Number(LENGTH),
            default: Default::Required,
            doc: "In m.",
        },
        Field {
            name: "around",
            kind: Type::Whole(3, 4096),
            default: Default::Number(16.0),
            doc: "Cells around the ring.",
        },
        Field {
            name: "across",
            kind: Type::Whole(3, 4096),
            default: Default::Number(16.0),
            doc: "Cells around the tube.",
        },
    ],
};

/// `waves` of a sheet or a height field.
pub static WAVES: Record = Record {
    name: "Waves",
    doc: "Heights of amplitude sin(2 pi a x) sin(2 pi b z), x and z counted from the corner \
          of least x and z.",
    fields: &[
        Field {
            name: "amplitude",
            kind: Type::Number(Range::within(MAX_LENGTH)),
            default: Default::Required,
            doc: "In m.",
        },
        Field {
            name: "per_metre",
            kind: Type::Pair(Range::within(MAX_FACTOR)),
            default: Default::Required,
            doc: "Waves per metre along x and along z: a and b, in 1/m.",
        },
    ],
};

pub(super) static HEIGHT_FIELD: Record = Record {
    name: "HeightField",
    doc: "A surface over a grid of heights, seen from above. For static and kinematic bodies.",
    fields: &[
        Field {
            name: "rows",
            kind: Type::Whole(2, MAX_GRID_CELLS),
            default: Default::Required,
            doc: "Rows of heights, along z.",
        },
        Field {
            name: "columns",
            kind: Type::Whole(2, MAX_GRID_CELLS),
            default: Default::Required,
            doc: "Heights of a row, along x.",
        },
        Field {
            name: "cell",
            kind: Type::Pair(LENGTH),
            default: Default::Absent("(1, 1)"),
            doc: "Spacing of columns (along x) and rows (along z), in m.",
        },
        Field {
            name: "origin",
            kind: Type::Vector(Range::within(MAX_LENGTH)),
            default: Default::Absent("such that the grid is around the shape's origin"),
            doc: "Where row 0 and column 0 stand at height 0, in m.",
        },
        Field {
            name: "heights",
            kind: Type::List(&Type::Number(Range::within(MAX_LENGTH))),
            default: Default::Absent("those of `waves`"),
            doc: "Row after row, in m.",
        },
        Field {
            name: "waves",
            kind: Type::Record(&WAVES),
            default: Default::Absent("none"),
            doc: "A rule for the heights.",
        },
        Field {
            name: "holes",
            kind: Type::List(&Type::Whole(0, u32::MAX as u64)),
            default: Default::Absent("none"),
            doc: "Numbers of cells that are open: row times the cells of a row, plus column.",
        },
    ],
};
