//! What surfaces are made of.

use super::{Default, Field, Range, Record, Type};
use crate::tolerance::{MAX_DENSITY, MAX_FACTOR, MAX_SPEED};

const RULES: &[&str] = &["Average", "GeometricMean", "Minimum", "Multiply", "Maximum"];

/// A material.
pub static MATERIAL: Record = Record {
    name: "Material",
    doc: "How a surface rubs and bounces, and how much its body weighs.",
    fields: &[
        Field {
            name: "friction",
            kind: Type::Number(Range::between(0.0, MAX_FACTOR)),
            default: Default::Number(0.6),
            doc: "Coulomb coefficient. A pair takes the geometric mean, or as its rule says.",
        },
        Field {
            name: "restitution",
            kind: Type::Number(Range::between(0.0, 1.0)),
            default: Default::Number(0.0),
            doc: "Bounce: speed after over speed before. A pair takes the larger, or as its \
                  rule says.",
        },
        Field {
            name: "rolling_resistance",
            kind: Type::Number(Range::between(0.0, MAX_FACTOR)),
            default: Default::Number(0.0),
            doc: "Resistance to rolling, a ratio of the radius. A pair takes the larger.",
        },
        Field {
            name: "density",
            kind: Type::Number(Range::between(0.0, MAX_DENSITY)),
            default: Default::Number(1000.0),
            doc: "Mass per volume, in kg/m^3.",
        },
        Field {
            name: "surface_velocity",
            kind: Type::Vector(Range::within(MAX_SPEED)),
            default: Default::Vector([0.0, 0.0, 0.0]),
            doc: "Velocity of the surface over its shape, in the shape's frame, in m/s: a \
                  conveyor belt.",
        },
        Field {
            name: "friction_rule",
            kind: Type::Choice(RULES),
            default: Default::Absent("none: the other surface's, else the geometric mean"),
            doc: "How friction combines. Of two rules that which stands later in this list holds.",
        },
        Field {
            name: "restitution_rule",
            kind: Type::Choice(RULES),
            default: Default::Absent("none: the other surface's, else the maximum"),
            doc: "How restitution combines, likewise.",
        },
    ],
};
