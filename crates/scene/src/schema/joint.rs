//! Joints.

use super::joint_axes::{GEAR, RACK, SIX_DOF, SLIDER, THRESHOLD, WHEEL};
use super::{Default, Field, Range, Record, Type, Union};
use crate::tolerance::{MAX_COORDINATE, MAX_FACTOR, MAX_HERTZ, MAX_LENGTH, MAX_SPIN, MAX_TORQUE};

const SPIN: Range = Range::within(MAX_SPIN);
pub(super) const HALF_TURN: Range = Range::within(std::f64::consts::PI);
const TORQUE: Range = Range::between(0.0, MAX_TORQUE);

/// A joint of the scene.
pub static JOINT: Record = Record {
    name: "Joint",
    doc: "Holds two bodies together. Its frames are given by `anchor` and `axis` in the \
          world (in a prefab, in the prefab's frame) as the bodies stand at the start, or \
          by `anchor_a`, `anchor_b`, `rotation_a` and `rotation_b` in the bodies' own frames.",
    fields: &[
        Field {
            name: "name",
            kind: Type::Text,
            default: Default::Absent("none"),
            doc: "For expectations; must be its own.",
        },
        Field {
            name: "a",
            kind: Type::Name("body"),
            default: Default::Required,
            doc: "First body.",
        },
        Field {
            name: "b",
            kind: Type::Name("body"),
            default: Default::Required,
            doc: "Second body, another than the first.",
        },
        Field {
            name: "kind",
            kind: Type::Union(&JOINT_KIND),
            default: Default::Required,
            doc: "What is held.",
        },
        Field {
            name: "anchor",
            kind: Type::Vector(Range::within(MAX_COORDINATE)),
            default: Default::Absent("from `anchor_a` or `anchor_b`; of `Distance`, the origins"),
            doc: "Point of both bodies, in the world, in m.",
        },
        Field {
            name: "axis",
            kind: Type::Direction,
            default: Default::Vector([0.0, 0.0, 1.0]),
            doc: "Z axis of both frames, in the world: a hinge turns about it.",
        },
        Field {
            name: "axis_b",
            kind: Type::Direction,
            default: Default::Absent("as `axis`"),
            doc: "Z axis of the second frame where it is another, as of a rack.",
        },
        Field {
            name: "anchor_a",
            kind: Type::Vector(Range::within(MAX_LENGTH)),
            default: Default::Absent("where the other anchor is"),
            doc: "Point of the first body, in its own frame, in m.",
        },
        Field {
            name: "anchor_b",
            kind: Type::Vector(Range::within(MAX_LENGTH)),
            default: Default::Absent("where the other anchor is"),
            doc: "Point of the second body, in its own frame, in m.",
        },
        Field {
            name: "rotation_a",
            kind: Type::Rotation,
            default: Default::Absent("from `axis`"),
            doc: "Orientation of the joint's frame in the first body's.",
        },
        Field {
            name: "rotation_b",
            kind: Type::Rotation,
            default: Default::Absent("from `axis`"),
            doc: "Orientation of the joint's frame in the second body's.",
        },
        Field {
            name: "collide_connected",
            kind: Type::Flag,
            default: Default::Flag(false),
            doc: "Whether the two bodies touch each other all the same.",
        },
        Field {
            name: "threshold",
            kind: Type::Record(&THRESHOLD),
            default: Default::Absent("none"),
            doc: "What it may carry before it breaks.",
        },
    ],
};

/// What a joint holds.
pub static JOINT_KIND: Union = Union {
    name: "JointKind",
    doc: "What a joint holds.",
    variants: &[
        &BALL,
        &HINGE,
        &SLIDER,
        &WELD,
        &DISTANCE,
        &WHEEL,
        &SIX_DOF,
        &GEAR,
        &RACK,
        &NO_CONTACT,
    ],
};

static BALL: Record = Record {
    name: "Ball",
    doc: "The anchors coincide; the bodies turn freely, or within limits. The twist is the \
          angle about Z that is left when the Z axis of the second frame is swung onto that of \
          the first the shortest way.",
    fields: &[
        Field {
            name: "friction_torque",
            kind: Type::Number(TORQUE),
            default: Default::Number(0.0),
            doc: "Greatest torque against turning, in N m.",
        },
        Field {
            name: "spring",
            kind: Type::Record(&SPRING),
            default: Default::Absent("none"),
            doc: "A spring towards equal orientation of both frames.",
        },
        Field {
            name: "cone",
            kind: Type::Angle(Range::between(0.0, std::f64::consts::PI)),
            default: Default::Absent("no limit"),
            doc: "Greatest angle between the Z axes of both frames, in rad.",
        },
        Field {
            name: "twist_lower",
            kind: Type::Angle(HALF_TURN),
            default: Default::Absent("no limit"),
            doc: "Least twist, in rad; needs `twist_upper`.",
        },
        Field {
            name: "twist_upper",
            kind: Type::Angle(HALF_TURN),
            default: Default::Absent("no limit"),
            doc: "Greatest twist, in rad; needs `twist_lower`.",
        },
    ],
};

static HINGE: Record = Record {
    name: "Hinge",
    doc: "The anchors coincide; the bodies turn about the Z axis of both frames.",
    fields: &[
        Field {
            name: "lower",
            kind: Type::Angle(HALF_TURN),
            default: Default::Absent("no limit"),
            doc: "Least angle, in rad; needs `upper`.",
        },
        Field {
            name: "upper",
            kind: Type::Angle(HALF_TURN),
            default: Default::Absent("no limit"),
            doc: "Greatest angle, in rad; needs `lower`.",
        },
        Field {
            name: "motor",
            kind: Type::Record(&MOTOR),
            default: Default::Absent("none"),
            doc: "A motor about the axis.",
        },
        Field {
            name: "spring",
            kind: Type::Record(&SPRING),
            default: Default::Absent("none"),
            doc: "A spring towards its target angle.",
        },
    ],
};

static WELD: Record = Record {
    name: "Weld",
    doc: "The frames coincide; rigid unless a spring is given.",
    fields: &[
        Field {
            name: "linear",
            kind: Type::Record(&SPRING),
            default: Default::Absent("rigid"),
            doc: "Softness of the place.",
        },
        Field {
            name: "angular",
            kind: Type::Record(&SPRING),
            default: Default::Absent("rigid"),
            doc: "Softness of the orientation.",
        },
    ],
};

static DISTANCE: Record = Record {
    name: "Distance",
    doc: "Keeps the distance of the anchors in bounds. A rope has `min: 0`; a rod, `min` \
          and `max` equal. Without either it is a rod as long as at the start; with a \
          spring, free.",
    fields: &[
        Field {
            name: "min",
            kind: Type::Number(Range::between(0.0, MAX_LENGTH)),
            default: Default::Absent("0 with `max` or `spring`, else as at the start"),
            doc: "Least distance, in m.",
        },
        Field {
            name: "max",
            kind: Type::Number(Range::between(0.0, MAX_LENGTH)),
            default: Default::Absent(
                "the largest length with `min` or `spring`, else as at the start",
            ),
            doc: "Greatest distance, in m.",
        },
        Field {
            name: "rest",
            kind: Type::Number(Range::between(0.0, MAX_LENGTH)),
            default: Default::Absent("as at the start"),
            doc: "Length at which the spring is at rest, in m; needs `spring`.",
        },
        Field {
            name: "spring",
            kind: Type::Record(&SPRING),
            default: Default::Absent("none"),
            doc: "A spring between the bounds.",
        },
    ],
};

static NO_CONTACT: Record = Record {
    name: "NoContact",
    doc: "Holds nothing: the two bodies only do not touch each other. Needs no anchor.",
    fields: &[],
};

/// A motor about an axis.
pub static MOTOR: Record = Record {
    name: "Motor",
    doc: "Drives a joint about an axis.",
    fields: &[
        Field {
            name: "speed",
            kind: Type::Angle(SPIN),
            default: Default::Number(0.0),
            doc: "Speed it drives towards, in rad/s.",
        },
        Field {
            name: "max_torque",
            kind: Type::Number(TORQUE),
            default: Default::Required,
            doc: "Greatest torque, in N m.",
        },
    ],
};

/// A spring of a joint.
pub static SPRING: Record = Record {
    name: "Spring",
    doc: "A damped spring whose stiffness adapts to the masses.",
    fields: &[
        Field {
            name: "hertz",
            kind: Type::Number(Range::above(0.0, MAX_HERTZ)),
            default: Default::Required,
            doc: "Frequency of the undamped swing, in Hz.",
        },
        Field {
            name: "damping_ratio",
            kind: Type::Number(Range::between(0.0, MAX_FACTOR)),
            default: Default::Number(1.0),
            doc: "A ratio; 1 is critical damping.",
        },
        Field {
            name: "target",
            kind: Type::Angle(HALF_TURN),
            default: Default::Number(0.0),
            doc: "Angle a hinge's spring turns to, in rad; springs without an axis do not use it.",
        },
        Field {
            name: "max_torque",
            kind: Type::Number(TORQUE),
            default: Default::Absent("any"),
            doc: "Greatest torque of a spring about an axis, in N m; others do not use it.",
        },
    ],
};
