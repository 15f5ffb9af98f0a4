//! Bodies, shapes and materials.

use super::curved::{CONE, CYLINDER, ELLIPSOID, ROUNDED, SEGMENT, TRIANGLE};
use super::mesh::{HEIGHT_FIELD, MESH};
use super::{Default, Field, MATERIAL, Range, Record, Type, Union};
use crate::tolerance::{
    MAX_COORDINATE, MAX_DEGREES, MAX_FACTOR, MAX_INERTIA, MAX_LENGTH, MAX_MASS, MAX_SPEED,
    MAX_SPIN, MIN_LENGTH, MIN_MASS,
};

pub(super) const LENGTH: Range = Range::between(MIN_LENGTH, MAX_LENGTH);

/// A body of the scene.
pub static BODY: Record = Record {
    name: "Body",
    doc: "A rigid body. A dynamic one needs a shape and mass.",
    fields: &[
        Field {
            name: "name",
            kind: Type::Text,
            default: Default::Absent("none"),
            doc: "For joints, motions and expectations; must be its own. \
                  In a pattern the pattern gives the names.",
        },
        Field {
            name: "kind",
            kind: Type::Choice(&["Dynamic", "Static", "Kinematic"]),
            default: Default::Word("Dynamic"),
            doc: "What moves it: forces, nothing, or its own velocity.",
        },
        Field {
            name: "shape",
            kind: Type::NameOr(&Type::Union(&SHAPE)),
            default: Default::Absent("none"),
            doc: "Its shape, at the body's origin.",
        },
        Field {
            name: "shapes",
            kind: Type::List(&Type::Record(&PART)),
            default: Default::Absent("none"),
            doc: "Several shapes, each at its own place, instead of `shape`.",
        },
        Field {
            name: "material",
            kind: Type::NameOr(&Type::Record(&MATERIAL)),
            default: Default::Absent("the material named `default`, else the defaults"),
            doc: "Surface and density of all its shapes.",
        },
        Field {
            name: "position",
            kind: Type::Vector(Range::within(MAX_COORDINATE)),
            default: Default::Vector([0.0, 0.0, 0.0]),
            doc: "Origin of the body's frame, in m. In a pattern, an offset.",
        },
        Field {
            name: "rotation",
            kind: Type::Rotation,
            default: Default::Absent("none"),
            doc: "Orientation: a quaternion `(x, y, z, w)`, scaled to unit length, or a turn.",
        },
        Field {
            name: "linear_velocity",
            kind: Type::Vector(Range::within(MAX_SPEED)),
            default: Default::Vector([0.0, 0.0, 0.0]),
            doc: "Velocity of the centre of mass, in m/s; none of a body that is static or starts \
                  asleep.",
        },
        Field {
            name: "angular_velocity",
            kind: Type::Vector(Range::within(MAX_SPIN)),
            default: Default::Vector([0.0, 0.0, 0.0]),
            doc: "Angular velocity about the world's axes, in rad/s, likewise.",
        },
        Field {
            name: "linear_damping",
            kind: Type::Number(Range::between(0.0, MAX_FACTOR)),
            default: Default::Number(0.0),
            doc: "Rate at which velocity decays, in 1/s.",
        },
        Field {
            name: "angular_damping",
            kind: Type::Number(Range::between(0.0, MAX_FACTOR)),
            default: Default::Number(0.0),
            doc: "Rate at which angular velocity decays, in 1/s.",
        },
        Field {
            name: "gravity_scale",
            kind: Type::Number(Range::within(MAX_FACTOR)),
            default: Default::Number(1.0),
            doc: "Factor on gravity.",
        },
        Field {
            name: "sleep_threshold",
            kind: Type::Number(Range::between(0.0, MAX_SPEED)),
            default: Default::Number(0.05),
            doc: "Speed below which the body may fall asleep, in m/s.",
        },
        Field {
            name: "can_sleep",
            kind: Type::Flag,
            default: Default::Flag(true),
            doc: "Whether it may fall asleep.",
        },
        Field {
            name: "asleep",
            kind: Type::Flag,
            default: Default::Flag(false),
            doc: "Whether it starts asleep. Only a dynamic body that may fall asleep can.",
        },
        Field {
            name: "bullet",
            kind: Type::Flag,
            default: Default::Flag(false),
            doc: "Whether it and dynamic bodies do not get through each other, however fast they \
                  are: the centre of the smaller stays on its side of the other, if that turns by \
                  no more than 2 radians in a step. Without it, what is fast stops at the dynamic \
                  bodies that it is headed for as a step begins, but what hits them with an end \
                  turns on and may get through where they are thin. The centre of any dynamic \
                  body stays on its side of static and kinematic shapes.",
        },
        Field {
            name: "planar",
            kind: Type::Flag,
            default: Default::Flag(false),
            doc: "Whether it stays in a plane of constant z and turns about z alone: the locks \
                  `(false, false, true)` and `(true, true, false)`, besides those given.",
        },
        Field {
            name: "lock_translation",
            kind: Type::Flags,
            default: Default::Absent("(false, false, false)"),
            doc: "World axes along which it does not move.",
        },
        Field {
            name: "lock_rotation",
            kind: Type::Flags,
            default: Default::Absent("(false, false, false)"),
            doc: "World axes about which it does not turn.",
        },
        Field {
            name: "mass",
            kind: Type::Number(Range::between(MIN_MASS, MAX_MASS)),
            default: Default::Absent("from shapes and densities"),
            doc: "Mass in kg; the inertia of the shapes is scaled to it.",
        },
        Field {
            name: "inertia",
            kind: Type::Vector(Range::above(0.0, MAX_INERTIA)),
            default: Default::Absent("from the shapes"),
            doc: "Moments of inertia about the centre of mass along the axes of the body's frame, in \
                  kg m^2, none more than the sum of the other two; needs `mass`.",
        },
        Field {
            name: "center_of_mass",
            kind: Type::Vector(Range::between(-MAX_LENGTH, MAX_LENGTH)),
            default: Default::Absent("from the shapes"),
            doc: "Centre of mass in the body's frame, in m; needs `mass`.",
        },
        Field {
            name: "filter",
            kind: Type::Record(&FILTER),
            default: Default::Absent("touches everything"),
            doc: "What its shapes may touch.",
        },
        Field {
            name: "user_data",
            kind: Type::Whole(0, u64::MAX),
            default: Default::Number(0.0),
            doc: "A number the engine only keeps.",
        },
    ],
};

/// An entry of a body's `shapes`.
pub static PART: Record = Record {
    name: "Part",
    doc: "One of several shapes of a body.",
    fields: &[
        Field {
            name: "shape",
            kind: Type::NameOr(&Type::Union(&SHAPE)),
            default: Default::Required,
            doc: "The shape.",
        },
        Field {
            name: "position",
            kind: Type::Vector(Range::within(MAX_LENGTH)),
            default: Default::Vector([0.0, 0.0, 0.0]),
            doc: "Its origin in the body's frame, in m.",
        },
        Field {
            name: "rotation",
            kind: Type::Rotation,
            default: Default::Absent("none"),
            doc: "Its orientation in the body's frame.",
        },
        Field {
            name: "material",
            kind: Type::NameOr(&Type::Record(&MATERIAL)),
            default: Default::Absent("the body's"),
            doc: "Its own surface and density.",
        },
        Field {
            name: "filter",
            kind: Type::Record(&FILTER),
            default: Default::Absent("the body's"),
            doc: "What it may touch.",
        },
        Field {
            name: "ring",
            kind: Type::Record(&RING),
            default: Default::Absent("none: there is one"),
            doc: "Repeats it around an axis through the body's origin.",
        },
    ],
};

/// `ring` of a part.
pub static RING: Record = Record {
    name: "Ring",
    doc: "Equal parts around an axis through the body's origin, evenly spaced.",
    fields: &[
        Field {
            name: "count",
            kind: Type::Whole(1, 10_000),
            default: Default::Required,
            doc: "How many, the first where it is written.",
        },
        Field {
            name: "axis",
            kind: Type::Direction,
            default: Default::Vector([0.0, 1.0, 0.0]),
            doc: "The axis, in the body's frame.",
        },
    ],
};

/// What a shape may touch.
pub static FILTER: Record = Record {
    name: "Filter",
    doc: "Two shapes touch when each one's `mask` has a bit of the other's `category`; \
          an equal `group` other than 0 decides first.",
    fields: &[
        Field {
            name: "category",
            kind: Type::Whole(0, u32::MAX as u64),
            default: Default::Number(1.0),
            doc: "Bits of what the shape is.",
        },
        Field {
            name: "mask",
            kind: Type::Whole(0, u32::MAX as u64),
            default: Default::Number(u32::MAX as f64),
            doc: "Bits of what it touches.",
        },
        Field {
            name: "group",
            kind: Type::Signed(i32::MIN as i64, i32::MAX as i64),
            default: Default::Number(0.0),
            doc: "Above 0: always touches its own group; below 0: never.",
        },
        Field {
            name: "group_per_copy",
            kind: Type::Signed(-1_000_000, 1_000_000),
            default: Default::Number(0.0),
            doc: "In a prefab: added to `group` as often as the number of the copy says, that \
                  of the outermost `Grid` or spawn it is part of.",
        },
    ],
};

/// A shape.
pub static SHAPE: Union = Union {
    name: "Shape",
    doc: "A shape in the body's frame.",
    variants: &[
        &BOX,
        &SPHERE,
        &CAPSULE,
        &CYLINDER,
        &CONE,
        &ELLIPSOID,
        &PRISM,
        &EXTRUSION,
        &HULL,
        &TRIANGLE,
        &SEGMENT,
        &ROUNDED,
        &HALF_SPACE,
        &MESH,
        &HEIGHT_FIELD,
    ],
};

static BOX: Record = Record {
    name: "Box",
    doc: "A box around the origin.",
    fields: &[Field {
        name: "half_extents",
        kind: Type::Vector(LENGTH),
        default: Default::Required,
        doc: "Half the edge lengths, in m.",
    }],
};

static SPHERE: Record = Record {
    name: "Sphere",
    doc: "A ball around the origin.",
    fields: &[Field {
        name: "radius",
        kind: Type::Number(LENGTH),
        default: Default::Required,
        doc: "In m.",
    }],
};

static CAPSULE: Record = Record {
    name: "Capsule",
    doc: "A cylinder along Y with round ends.",
    fields: &[
        Field {
            name: "half_height",
            kind: Type::Number(LENGTH),
            default: Default::Required,
            doc: "Half the length between the centres of the round ends, in m.",
        },
        Field {
            name: "radius",
            kind: Type::Number(LENGTH),
            default: Default::Required,
            doc: "In m.",
        },
    ],
};

static PRISM: Record = Record {
    name: "Prism",
    doc: "A regular prism along Y around the origin, one corner towards +x: a hull.",
    fields: &[
        Field {
            name: "sides",
            kind: Type::Whole(3, 1000),
            default: Default::Required,
            doc: "Corners of its ends.",
        },
        Field {
            name: "radius",
            kind: Type::Number(LENGTH),
            default: Default::Required,
            doc: "Distance of the corners from the axis, in m.",
        },
        Field {
            name: "half_height",
            kind: Type::Number(LENGTH),
            default: Default::Required,
            doc: "Half the length along Y, in m.",
        },
    ],
};

static HULL: Record = Record {
    name: "Hull",
    doc: "The convex hull of points; points inside it do no harm.",
    fields: &[
        Field {
            name: "points",
            kind: Type::List(&Type::Vector(Range::within(MAX_LENGTH))),
            default: Default::Absent("those of `file`"),
            doc: "At least 4 points that are not in one plane, in m.",
        },
        Field {
            name: "file",
            kind: Type::Text,
            default: Default::Absent("none"),
            doc: "An .obj or .stl file with the points, relative to this one and not above its \
                  folder.",
        },
        Field {
            name: "scale",
            kind: Type::Number(Range::above(0.0, MAX_FACTOR)),
            default: Default::Number(1.0),
            doc: "Factor on the points of the file.",
        },
        Field {
            name: "faces",
            kind: Type::List(&Type::List(&Type::Whole(0, u32::MAX as u64))),
            default: Default::Absent("found from the points"),
            doc: "The faces as lists of point numbers from 0, counter-clockwise seen from \
                  outside. Only checked: a solid that is not convex is refused.",
        },
    ],
};

static EXTRUSION: Record = Record {
    name: "Extrusion",
    doc: "A convex polygon of the x-y plane drawn out along z, for scenes of two dimensions.",
    fields: &[
        Field {
            name: "points",
            kind: Type::List(&Type::Pair(Range::within(MAX_LENGTH))),
            default: Default::Required,
            doc: "At least 3 points that are not on one line, in any order, in m.",
        },
        Field {
            name: "half_depth",
            kind: Type::Number(LENGTH),
            default: Default::Number(0.5),
            doc: "How far it reaches from the plane, both ways, in m.",
        },
    ],
};

static HALF_SPACE: Record = Record {
    name: "HalfSpace",
    doc: "Everything below a plane through the origin. For static bodies.",
    fields: &[Field {
        name: "normal",
        kind: Type::Direction,
        default: Default::Vector([0.0, 1.0, 0.0]),
        doc: "Outward direction of the plane.",
    }],
};

/// A rotation that is not written as a quaternion.
pub static ROTATION: Union = Union {
    name: "Rotation",
    doc: "An orientation, when it is not a quaternion `(x, y, z, w)`.",
    variants: &[&TURN, &EULER],
};

static TURN: Record = Record {
    name: "Turn",
    doc: "A turn about one axis, counter-clockwise seen against the axis.",
    fields: &[
        Field {
            name: "axis",
            kind: Type::Direction,
            default: Default::Required,
            doc: "The axis.",
        },
        Field {
            name: "degrees",
            kind: Type::Number(Range::within(MAX_DEGREES)),
            default: Default::Required,
            doc: "The angle, in degrees.",
        },
    ],
};

static EULER: Record = Record {
    name: "Euler",
    doc: "Three turns about the fixed axes: first x, then y, then z.",
    fields: &[Field {
        name: "degrees",
        kind: Type::Vector(Range::within(MAX_DEGREES)),
        default: Default::Required,
        doc: "The three angles, in degrees.",
    }],
};
