//! Expectations of the whole scene: energy, overlap, joints, the hash.

use super::expect::{AT, DISTANCE, FROM, TIME, TO};
use super::{Default, Field, Range, Record, Type};
use crate::tolerance::MAX_MEASURED;

const READING: Range = Range::within(MAX_MEASURED);

pub(super) static ENERGY: Record = Record {
    name: "Energy",
    doc: "The energy of all bodies.",
    fields: &[
        Field {
            name: "of",
            kind: Type::Choice(&["Total", "Kinetic", "Potential"]),
            default: Default::Word("Total"),
            doc: "Which energy.",
        },
        Field {
            name: "relative",
            kind: Type::Flag,
            default: Default::Flag(false),
            doc: "Whether the bounds are ratios to the energy at the start, not J.",
        },
        Field {
            name: "at_least",
            kind: Type::Number(Range::within(MAX_MEASURED)),
            default: Default::Absent("no bound"),
            doc: "Least energy.",
        },
        Field {
            name: "at_most",
            kind: Type::Number(Range::within(MAX_MEASURED)),
            default: Default::Absent("no bound"),
            doc: "Greatest energy.",
        },
        AT,
        FROM,
        TO,
    ],
};

pub(super) static ENERGY_NEVER_RISES: Record = Record {
    name: "EnergyNeverRises",
    doc: "The energy never rises above the least it had before.",
    fields: &[
        Field {
            name: "by",
            kind: Type::Number(Range::between(0.0, 1.0)),
            default: Default::Number(0.001),
            doc: "Rise that is let pass, a ratio to the greatest kinetic energy or fall so far.",
        },
        FROM,
        TO,
    ],
};

pub(super) static PENETRATION: Record = Record {
    name: "Penetration",
    doc: "How deep shapes overlap.",
    fields: &[
        Field {
            name: "at_most",
            kind: Type::Number(DISTANCE),
            default: Default::Required,
            doc: "Greatest depth of a contact point, in m.",
        },
        AT,
        FROM,
        TO,
    ],
};

pub(super) static JOINT_GAP: Record = Record {
    name: "JointGap",
    doc: "How far the anchors of a joint are apart, or a distance is out of its bounds.",
    fields: &[
        Field {
            name: "joint",
            kind: Type::Name("joint"),
            default: Default::Word("all"),
            doc: "Which joint, or which pattern's joints.",
        },
        Field {
            name: "at_most",
            kind: Type::Number(DISTANCE),
            default: Default::Required,
            doc: "Greatest gap, in m.",
        },
        AT,
        FROM,
        TO,
    ],
};

pub(super) static JOINT_READING: Record = Record {
    name: "JointReading",
    doc: "What a joint reads stays in bounds.",
    fields: &[
        Field {
            name: "joint",
            kind: Type::Name("joint"),
            default: Default::Required,
            doc: "Which joint, or which pattern's joints.",
        },
        Field {
            name: "of",
            kind: Type::Choice(&[
                "Angle", "Place", "Spin", "Speed", "Force", "Torque", "Steering",
            ]),
            default: Default::Required,
            doc: "Angle of a hinge or twist of a ball, in degrees; place along a slider's axis or \
                  of a wheel on its suspension, in m; spin about Z of the second frame, in rad/s; \
                  speed along the axis, in m/s; force, in N, or torque, in N m, that it carries; \
                  angle by which a wheel is steered, in degrees.",
        },
        Field {
            name: "at_least",
            kind: Type::Number(READING),
            default: Default::Absent("no bound"),
            doc: "Least value.",
        },
        Field {
            name: "at_most",
            kind: Type::Number(READING),
            default: Default::Absent("no bound"),
            doc: "Greatest value.",
        },
        AT,
        FROM,
        TO,
    ],
};

pub(super) static JOINT_HOLDS: Record = Record {
    name: "JointHolds",
    doc: "A joint is there: it has not broken.",
    fields: &[
        Field {
            name: "joint",
            kind: Type::Name("joint"),
            default: Default::Word("all"),
            doc: "Which joint, or which pattern's joints.",
        },
        AT,
        FROM,
        TO,
    ],
};

pub(super) static HASH: Record = Record {
    name: "Hash",
    doc: "The state of the world, to the last bit.",
    fields: &[
        Field {
            name: "is",
            kind: Type::Text,
            default: Default::Required,
            doc: "The hash, 16 hexadecimal digits, as `run` prints it.",
        },
        Field {
            name: "at",
            kind: Type::Number(TIME),
            default: Default::Absent("the end"),
            doc: "Time at which it is judged, in s.",
        },
    ],
};
