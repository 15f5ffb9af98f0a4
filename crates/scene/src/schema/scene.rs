//! The outermost records: the scene itself, its settings, prefabs, motions, bench.

use super::{
    BODY, Default, EXPECTATION, Field, JOINT, MATERIAL, PATTERN, Range, Record, SHAPE, SPAWN, Type,
    Union,
};
use crate::tolerance::{MAX_ACCELERATION, MAX_COORDINATE, MAX_SPEED, MAX_SPIN, MAX_TIME};

/// The whole file.
pub static SCENE: Record = Record {
    name: "Scene",
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
            doc: "What the scene shows and what is expected of it.",
        },
        Field {
            name: "include",
            kind: Type::List(&Type::Text),
            default: Default::Absent("nothing"),
            doc: "Other files to read first, relative to this one and not above its folder. \
                  They may define everything but `settings`, `duration`, `also_dt` and \
                  `bench`.",
        },
        Field {
            name: "settings",
            kind: Type::Record(&SETTINGS),
            default: Default::Absent("all defaults"),
            doc: "How the world steps.",
        },
        Field {
            name: "materials",
            kind: Type::Map(&Type::Record(&MATERIAL)),
            default: Default::Absent("nothing"),
            doc: "Named materials. One called `default` stands in wherever none is named.",
        },
        Field {
            name: "shapes",
            kind: Type::Map(&Type::Union(&SHAPE)),
            default: Default::Absent("nothing"),
            doc: "Named shapes.",
        },
        Field {
            name: "prefabs",
            kind: Type::Map(&Type::Record(&PREFAB)),
            default: Default::Absent("nothing"),
            doc: "Named groups, placed by the patterns `Place` and `Grid`.",
        },
        Field {
            name: "bodies",
            kind: Type::List(&Type::Record(&BODY)),
            default: Default::Absent("nothing"),
            doc: "Bodies, one by one.",
        },
        Field {
            name: "patterns",
            kind: Type::List(&Type::Union(&PATTERN)),
            default: Default::Absent("nothing"),
            doc: "Many bodies by a rule.",
        },
        Field {
            name: "joints",
            kind: Type::List(&Type::Record(&JOINT)),
            default: Default::Absent("nothing"),
            doc: "Joints between named bodies.",
        },
        Field {
            name: "motion",
            kind: Type::List(&Type::Record(&MOTION)),
            default: Default::Absent("nothing"),
            doc: "Paths that kinematic bodies follow.",
        },
        Field {
            name: "spawn",
            kind: Type::List(&Type::Record(&SPAWN)),
            default: Default::Absent("nothing"),
            doc: "Bodies that appear during the run.",
        },
        Field {
            name: "duration",
            kind: Type::Number(Range::between(0.0, MAX_TIME)),
            default: Default::Absent("the last time an expectation names, else 10"),
            doc: "How long a run or a check lasts, in s.",
        },
        Field {
            name: "also_dt",
            kind: Type::List(&Type::Number(Range::above(0.0, 1000.0))),
            default: Default::Absent("nothing"),
            doc: "Other lengths of a step, in s, with which the expectations must come true too; \
                  `check` runs the scene with each.",
        },
        Field {
            name: "expect",
            kind: Type::List(&Type::Union(&EXPECTATION)),
            default: Default::Absent("nothing"),
            doc: "What must come true.",
        },
        Field {
            name: "bench",
            kind: Type::Record(&BENCH),
            default: Default::Absent("nothing"),
            doc: "How a benchmark times the scene.",
        },
    ],
};

/// `settings`.
pub static SETTINGS: Record = Record {
    name: "Settings",
    doc: "How the world steps.",
    fields: &[
        Field {
            name: "gravity",
            kind: Type::Vector(Range::within(MAX_ACCELERATION)),
            default: Default::Vector([0.0, -9.81, 0.0]),
            doc: "Acceleration of free fall, in m/s^2.",
        },
        Field {
            name: "dt",
            kind: Type::Number(Range::between(0.0, 1000.0)),
            default: Default::Number(1.0 / 60.0),
            doc: "Time a step advances, in s. Zero changes nothing.",
        },
        Field {
            name: "substeps",
            kind: Type::Whole(1, 64),
            default: Default::Number(4.0),
            doc: "Sub-steps of a step. More is stiffer and slower.",
        },
        Field {
            name: "sleeping",
            kind: Type::Flag,
            default: Default::Flag(true),
            doc: "Whether bodies at rest fall asleep.",
        },
        Field {
            name: "recycling",
            kind: Type::Flag,
            default: Default::Flag(true),
            doc: "Whether a touching pair that hardly moved keeps its contact points.",
        },
        Field {
            name: "restitution_threshold",
            kind: Type::Number(Range::between(0.0, MAX_SPEED)),
            default: Default::Number(1.0),
            doc: "Approach speed below which a contact does not bounce, in m/s.",
        },
        Field {
            name: "max_push_speed",
            kind: Type::Number(Range::above(0.0, MAX_SPEED)),
            default: Default::Number(3.0),
            doc: "Fastest push-out of overlapping shapes, in m/s.",
        },
    ],
};

/// An entry of `prefabs`.
pub static PREFAB: Record = Record {
    name: "Prefab",
    doc: "A group of bodies and joints in a frame of its own. Names inside are its own too.",
    fields: &[
        Field {
            name: "bodies",
            kind: Type::List(&Type::Record(&BODY)),
            default: Default::Absent("nothing"),
            doc: "Bodies, placed in the prefab's frame.",
        },
        Field {
            name: "patterns",
            kind: Type::List(&Type::Union(&PATTERN)),
            default: Default::Absent("nothing"),
            doc: "Patterns, placed in the prefab's frame; other prefabs by `Place` too.",
        },
        Field {
            name: "joints",
            kind: Type::List(&Type::Record(&JOINT)),
            default: Default::Absent("nothing"),
            doc: "Joints between bodies of the prefab.",
        },
    ],
};

/// An entry of `motion`.
pub static MOTION: Record = Record {
    name: "Motion",
    doc: "A path that a kinematic body follows, given relative to where the body starts.",
    fields: &[
        Field {
            name: "body",
            kind: Type::Name("kinematic body"),
            default: Default::Required,
            doc: "The body that moves.",
        },
        Field {
            name: "path",
            kind: Type::Union(&PATH),
            default: Default::Required,
            doc: "How it moves.",
        },
        Field {
            name: "start",
            kind: Type::Number(Range::between(0.0, MAX_TIME)),
            default: Default::Number(0.0),
            doc: "Time at which it starts, in s.",
        },
        Field {
            name: "stop",
            kind: Type::Number(Range::between(0.0, MAX_TIME)),
            default: Default::Absent("never"),
            doc: "Time at which it stops and stays, in s.",
        },
    ],
};

/// `path` of a motion.
pub static PATH: Union = Union {
    name: "Path",
    doc: "How a kinematic body moves. All are closed forms of time, so errors do not add up.",
    variants: &[&STEADY, &OSCILLATE, &SPIN, &CIRCLE, &WAYPOINTS],
};

static STEADY: Record = Record {
    name: "Steady",
    doc: "In a straight line at constant speed.",
    fields: &[Field {
        name: "velocity",
        kind: Type::Vector(Range::within(MAX_SPEED)),
        default: Default::Required,
        doc: "In m/s.",
    }],
};

static OSCILLATE: Record = Record {
    name: "Oscillate",
    doc: "To and fro: `amplitude * sin(2 pi t / period + phase)`, less its value at the start.",
    fields: &[
        Field {
            name: "amplitude",
            kind: Type::Vector(Range::within(MAX_COORDINATE)),
            default: Default::Required,
            doc: "Farthest excursion along each axis, in m.",
        },
        Field {
            name: "period",
            kind: Type::Number(Range::above(0.0, MAX_TIME)),
            default: Default::Required,
            doc: "Time of one full swing, in s.",
        },
        Field {
            name: "phase",
            kind: Type::Angle(Range::within(MAX_SPIN)),
            default: Default::Number(0.0),
            doc: "Where in the swing it starts, in rad.",
        },
    ],
};

static SPIN: Record = Record {
    name: "Spin",
    doc: "Turning in place about the body's origin.",
    fields: &[
        Field {
            name: "axis",
            kind: Type::Direction,
            default: Default::Vector([0.0, 1.0, 0.0]),
            doc: "Axis in the world.",
        },
        Field {
            name: "speed",
            kind: Type::Angle(Range::within(MAX_SPIN)),
            default: Default::Required,
            doc: "In rad/s, or `Degrees(...)` a second.",
        },
    ],
};

static CIRCLE: Record = Record {
    name: "Circle",
    doc: "Round a centre without turning.",
    fields: &[
        Field {
            name: "center",
            kind: Type::Vector(Range::within(MAX_COORDINATE)),
            default: Default::Required,
            doc: "A point of the axis, in the world, in m.",
        },
        Field {
            name: "axis",
            kind: Type::Direction,
            default: Default::Vector([0.0, 1.0, 0.0]),
            doc: "Direction of the axis in the world.",
        },
        Field {
            name: "speed",
            kind: Type::Angle(Range::within(MAX_SPIN)),
            default: Default::Required,
            doc: "In rad/s, or `Degrees(...)` a second.",
        },
    ],
};

static WAYPOINTS: Record = Record {
    name: "Waypoints",
    doc: "From point to point in straight lines.",
    fields: &[
        Field {
            name: "points",
            kind: Type::List(&Type::Record(&WAYPOINT)),
            default: Default::Required,
            doc: "At least one, their times rising.",
        },
        Field {
            name: "repeat",
            kind: Type::Flag,
            default: Default::Flag(false),
            doc: "Whether it begins again after the last point; else it stays there.",
        },
    ],
};

/// A point of `Waypoints`.
pub static WAYPOINT: Record = Record {
    name: "Waypoint",
    doc: "Where to be, and when.",
    fields: &[
        Field {
            name: "at",
            kind: Type::Number(Range::above(0.0, MAX_TIME)),
            default: Default::Required,
            doc: "Time after the start of the motion, in s.",
        },
        Field {
            name: "offset",
            kind: Type::Vector(Range::within(MAX_COORDINATE)),
            default: Default::Required,
            doc: "Place relative to where the body starts, in m.",
        },
    ],
};

/// `bench`.
pub static BENCH: Record = Record {
    name: "Bench",
    doc: "How a benchmark times the scene.",
    fields: &[
        Field {
            name: "steps",
            kind: Type::Whole(1, 10_000_000),
            default: Default::Required,
            doc: "Steps in all.",
        },
        Field {
            name: "warmup",
            kind: Type::Whole(0, 10_000_000),
            default: Default::Number(1.0),
            doc: "Steps of these that are not timed.",
        },
    ],
};
