//! Patterns: many bodies by a rule.

use super::{BODY, Default, Field, GRID, JOINT_KIND, Range, Record, SHAPE, Type, Union};
use crate::tolerance::{MAX_BODIES, MAX_COORDINATE, MAX_LENGTH, MAX_SPEED, MAX_SPIN, MIN_LENGTH};

pub(super) const NAME: Field = Field {
    name: "name",
    kind: Type::Text,
    default: Default::Required,
    doc: "First part of its bodies' names.",
};

pub(super) const ROTATION_OF_PATTERN: Field = Field {
    name: "rotation",
    kind: Type::Rotation,
    default: Default::Absent("none"),
    doc: "Turns the whole pattern about its position.",
};

const TEMPLATE: Field = Field {
    name: "body",
    kind: Type::Record(&BODY),
    default: Default::Required,
    doc: "What each one is; its position and rotation are added to the pattern's.",
};

const SHAPELESS: Field = Field {
    name: "body",
    kind: Type::Record(&BODY),
    default: Default::Absent("a plain dynamic body"),
    doc: "What each one is, without a shape: material, filter and the like.",
};

pub(super) const SEED: Field = Field {
    name: "seed",
    kind: Type::Whole(0, u64::MAX),
    default: Default::Number(1.0),
    doc: "Start of the random sequence.",
};

/// A pattern.
pub static PATTERN: Union = Union {
    name: "Pattern",
    doc: "Many bodies by a rule. A pattern called `wall` names its bodies `wall[0]`, \
          `wall[1]` and so on; `wall` alone means all of them, `wall[first]`, `wall[last]` \
          and `wall[middle]` one.",
    variants: &[
        &GRID,
        &PYRAMID,
        &SQUARE_PYRAMID,
        &WALL,
        &ARCH,
        &CARD_HOUSE,
        &CHAIN,
        &PILE,
        &PLACE,
    ],
};

/// `Pyramid(...)`.
pub static PYRAMID: Record = Record {
    name: "Pyramid",
    doc: "A flat pyramid in the x-y plane: row i has `base - i` bodies, each over two below.",
    fields: &[
        NAME,
        TEMPLATE,
        Field {
            name: "base",
            kind: Type::Whole(1, 2000),
            default: Default::Required,
            doc: "Bodies in the lowest row.",
        },
        Field {
            name: "rows",
            kind: Type::Whole(1, 2000),
            default: Default::Absent("`base`, up to the tip"),
            doc: "Rows, at most `base`.",
        },
        Field {
            name: "step",
            kind: Type::Pair(Range::above(0.0, MAX_LENGTH)),
            default: Default::Absent("the size of the body"),
            doc: "Distance along x and y, in m.",
        },
        Field {
            name: "position",
            kind: Type::Vector(Range::within(MAX_COORDINATE)),
            default: Default::Vector([0.0, 0.0, 0.0]),
            doc: "Middle of the base, on the ground, in m.",
        },
        ROTATION_OF_PATTERN,
    ],
};

/// `SquarePyramid(...)`.
pub static SQUARE_PYRAMID: Record = Record {
    name: "SquarePyramid",
    doc: "A solid pyramid: layer i has `base - i` bodies along x and along z.",
    fields: &[
        NAME,
        TEMPLATE,
        Field {
            name: "base",
            kind: Type::Whole(1, 200),
            default: Default::Required,
            doc: "Bodies along the lowest edge.",
        },
        Field {
            name: "step",
            kind: Type::Vector(Range::above(0.0, MAX_LENGTH)),
            default: Default::Absent("the size of the body"),
            doc: "Distance along x, y and z, in m.",
        },
        Field {
            name: "position",
            kind: Type::Vector(Range::within(MAX_COORDINATE)),
            default: Default::Vector([0.0, 0.0, 0.0]),
            doc: "Middle of the base, on the ground, in m.",
        },
        ROTATION_OF_PATTERN,
    ],
};

/// `Wall(...)`.
pub static WALL: Record = Record {
    name: "Wall",
    doc: "A wall along x in running bond: every second course is shifted by half a brick and ends in half bricks.",
    fields: &[
        NAME,
        SHAPELESS,
        Field {
            name: "half_extents",
            kind: Type::Vector(Range::between(MIN_LENGTH, MAX_LENGTH)),
            default: Default::Required,
            doc: "Half the size of a brick, in m.",
        },
        Field {
            name: "bricks",
            kind: Type::Whole(1, 100_000),
            default: Default::Required,
            doc: "Whole bricks in the lowest course.",
        },
        Field {
            name: "courses",
            kind: Type::Whole(1, 100_000),
            default: Default::Required,
            doc: "Courses.",
        },
        Field {
            name: "gap",
            kind: Type::Number(Range::between(0.0, MAX_LENGTH)),
            default: Default::Number(0.0),
            doc: "Gap between neighbours of a course, in m.",
        },
        Field {
            name: "irregular",
            kind: Type::Number(Range::between(0.0, 0.8)),
            default: Default::Number(0.0),
            doc: "How far the upright joints are moved at random, as a part of half a brick.",
        },
        SEED,
        Field {
            name: "position",
            kind: Type::Vector(Range::within(MAX_COORDINATE)),
            default: Default::Vector([0.0, 0.0, 0.0]),
            doc: "Middle of the foot, on the ground, in m.",
        },
        ROTATION_OF_PATTERN,
    ],
};

/// `Arch(...)`.
pub static ARCH: Record = Record {
    name: "Arch",
    doc: "A ring of wedge stones in the x-y plane, the first at +x; `name[middle]` is the keystone. The static springers are `name/right` and `name/left`.",
    fields: &[
        NAME,
        SHAPELESS,
        Field {
            name: "stones",
            kind: Type::Whole(2, 1000),
            default: Default::Required,
            doc: "Stones, springers not counted.",
        },
        Field {
            name: "radius",
            kind: Type::Number(Range::between(MIN_LENGTH, MAX_LENGTH)),
            default: Default::Required,
            doc: "Mean radius, in m.",
        },
        Field {
            name: "thickness",
            kind: Type::Number(Range::between(MIN_LENGTH, MAX_LENGTH)),
            default: Default::Required,
            doc: "Outer less inner radius, in m; less than twice `radius`.",
        },
        Field {
            name: "depth",
            kind: Type::Number(Range::between(MIN_LENGTH, MAX_LENGTH)),
            default: Default::Required,
            doc: "Size along z, in m.",
        },
        Field {
            name: "degrees",
            kind: Type::Number(Range::above(0.0, 350.0)),
            default: Default::Number(180.0),
            doc: "Angle the arch spans, half of it on either side of the top.",
        },
        Field {
            name: "springers",
            kind: Type::Flag,
            default: Default::Flag(true),
            doc: "Whether a static stone stands under each end.",
        },
        Field {
            name: "position",
            kind: Type::Vector(Range::within(MAX_COORDINATE)),
            default: Default::Vector([0.0, 0.0, 0.0]),
            doc: "Centre of the circle, in m.",
        },
        ROTATION_OF_PATTERN,
    ],
};

/// `CardHouse(...)`.
pub static CARD_HOUSE: Record = Record {
    name: "CardHouse",
    doc: "Leaning pairs of cards, level above level, each level but the last under one long card `name/deck[k]`.",
    fields: &[
        NAME,
        SHAPELESS,
        Field {
            name: "half_extents",
            kind: Type::Vector(Range::between(MIN_LENGTH, MAX_LENGTH)),
            default: Default::Required,
            doc: "Half the thickness, length and width of a card, in m.",
        },
        Field {
            name: "base",
            kind: Type::Whole(1, 100),
            default: Default::Required,
            doc: "Pairs on the lowest level.",
        },
        Field {
            name: "degrees",
            kind: Type::Number(Range::between(1.0, 60.0)),
            default: Default::Number(25.0),
            doc: "Lean from upright.",
        },
        Field {
            name: "position",
            kind: Type::Vector(Range::within(MAX_COORDINATE)),
            default: Default::Vector([0.0, 0.0, 0.0]),
            doc: "Middle of the foot, on the ground, in m.",
        },
        ROTATION_OF_PATTERN,
    ],
};

/// `Chain(...)`.
pub static CHAIN: Record = Record {
    name: "Chain",
    doc: "Equal links along a line, their Y axis along it. Joint i, also called `name[i]`, is at the start of link i.",
    fields: &[
        NAME,
        TEMPLATE,
        Field {
            name: "links",
            kind: Type::Whole(1, MAX_BODIES as u64),
            default: Default::Required,
            doc: "Links.",
        },
        Field {
            name: "pitch",
            kind: Type::Number(Range::between(MIN_LENGTH, MAX_LENGTH)),
            default: Default::Absent("the height of the body"),
            doc: "Distance of neighbours, in m.",
        },
        Field {
            name: "direction",
            kind: Type::Direction,
            default: Default::Vector([0.0, -1.0, 0.0]),
            doc: "Direction of the chain.",
        },
        Field {
            name: "joint",
            kind: Type::Union(&JOINT_KIND),
            default: Default::Absent("Ball()"),
            doc: "Joint between neighbours.",
        },
        Field {
            name: "start",
            kind: Type::Name("body"),
            default: Default::Absent("nothing"),
            doc: "Body the first link hangs on.",
        },
        Field {
            name: "end",
            kind: Type::Name("body"),
            default: Default::Absent("nothing"),
            doc: "Body that hangs on the last link, by joint `name[links]`.",
        },
        Field {
            name: "position",
            kind: Type::Vector(Range::within(MAX_COORDINATE)),
            default: Default::Vector([0.0, 0.0, 0.0]),
            doc: "Start of the first link, in m.",
        },
        ROTATION_OF_PATTERN,
    ],
};

/// `Pile(...)`.
pub static PILE: Record = Record {
    name: "Pile",
    doc: "Bodies of random shape, size and orientation, layer above layer, to be dropped.",
    fields: &[
        NAME,
        SHAPELESS,
        Field {
            name: "shapes",
            kind: Type::List(&Type::NameOr(&Type::Union(&SHAPE))),
            default: Default::Required,
            doc: "Shapes to choose from.",
        },
        Field {
            name: "count",
            kind: Type::Whole(1, MAX_BODIES as u64),
            default: Default::Required,
            doc: "Bodies.",
        },
        Field {
            name: "columns",
            kind: Type::Pair(Range::between(1.0, 10_000.0)),
            default: Default::Required,
            doc: "Bodies along x and z in a layer; whole numbers.",
        },
        Field {
            name: "spacing",
            kind: Type::Number(Range::above(0.0, MAX_LENGTH)),
            default: Default::Absent("so that no two can overlap"),
            doc: "Distance of neighbours, in m.",
        },
        Field {
            name: "scale",
            kind: Type::Pair(Range::between(0.001, 1000.0)),
            default: Default::Absent("(1, 1)"),
            doc: "Least and greatest factor on the size.",
        },
        Field {
            name: "turned",
            kind: Type::Flag,
            default: Default::Flag(true),
            doc: "Whether they are turned at random.",
        },
        SEED,
        Field {
            name: "position",
            kind: Type::Vector(Range::within(MAX_COORDINATE)),
            default: Default::Vector([0.0, 0.0, 0.0]),
            doc: "Middle of the lowest layer, in m.",
        },
        ROTATION_OF_PATTERN,
    ],
};

/// `Place(...)`.
pub static PLACE: Record = Record {
    name: "Place",
    doc: "One copy of a prefab; its bodies are `name/inner`.",
    fields: &[
        NAME,
        Field {
            name: "prefab",
            kind: Type::Name("prefab"),
            default: Default::Required,
            doc: "The prefab.",
        },
        Field {
            name: "position",
            kind: Type::Vector(Range::within(MAX_COORDINATE)),
            default: Default::Vector([0.0, 0.0, 0.0]),
            doc: "Where, in m.",
        },
        ROTATION_OF_PATTERN,
        Field {
            name: "linear_velocity",
            kind: Type::Vector(Range::within(MAX_SPEED)),
            default: Default::Vector([0.0, 0.0, 0.0]),
            doc: "Added to that of each of its dynamic bodies, in m/s.",
        },
        Field {
            name: "angular_velocity",
            kind: Type::Vector(Range::within(MAX_SPIN)),
            default: Default::Vector([0.0, 0.0, 0.0]),
            doc: "Added likewise, in rad/s; each body turns about its own centre.",
        },
    ],
};
