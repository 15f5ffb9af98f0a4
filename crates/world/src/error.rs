//! What the world refuses, and why.

use std::fmt;

use drystone_geometry::ShapeError;
use drystone_solver::joint::JointError;

/// A key whose body, shape or joint is gone, or belongs to another world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StaleKey;

impl fmt::Display for StaleKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the key names nothing in this world: what it named was removed")
    }
}

impl std::error::Error for StaleKey {}

/// Why a description or a command cannot be carried out.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum DefError {
    /// A number that is NaN, infinite or outside its range.
    Number {
        /// The field, as in the description.
        field: &'static str,
        /// What was given.
        value: f64,
        /// What is allowed, to be read after "must be".
        rule: &'static str,
    },
    /// A shape that does not exist as a solid.
    Shape {
        /// Its place in the body's list.
        index: usize,
        /// What is wrong with it.
        error: ShapeError,
    },
    /// A half-space on a body that can move.
    MovingHalfSpace {
        /// Its place in the body's list.
        index: usize,
    },
    /// A mesh or height field on a dynamic body: it has no inside.
    DynamicSurface {
        /// Its place in the body's list.
        index: usize,
    },
    /// A dynamic body without mass.
    Massless,
    /// A mass given without inertia to a dynamic body whose shapes have none either.
    MassAlone,
    /// A mass or inertia outside what single precision can solve with.
    MassRange {
        /// Which it is.
        what: &'static str,
        /// The offending value, in kg or kg m^2.
        value: f64,
    },
    /// Principal moments of inertia of which one exceeds the sum of the other two, in kg m^2.
    Inertia([f32; 3]),
    /// A joint whose two bodies are the same.
    JointToSelf,
    /// A joint between two bodies of which neither is dynamic.
    JointNeedsDynamic,
    /// A key that names nothing in this world.
    Stale(StaleKey),
    /// An instruction set this machine does not have.
    Simd(String),
    /// The operating system refused to start the worker threads.
    Threads(String),
    /// A joint with impossible settings.
    Joint(JointError),
    /// A question about a shape without an inside, such as a mesh or a half-space; the kind.
    QueryShape(&'static str),
    /// More bodies, shapes or joints than 32-bit indices can name.
    Full,
}

impl fmt::Display for DefError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number { field, value, rule } => {
                write!(f, "`{field}` must be {rule}, but is {value}")
            }
            Self::Shape { index, error } => write!(f, "shape {index}: {error}"),
            Self::MovingHalfSpace { index } => write!(
                f,
                "shape {index} is a half-space, which only a static body can carry: \
                 make the body static or use a box"
            ),
            Self::DynamicSurface { index } => write!(
                f,
                "shape {index} is a mesh or height field, which has no inside and cannot fall: \
                 make the body static or kinematic, or use hulls"
            ),
            Self::Massless => f.write_str(
                "a dynamic body needs mass: give a shape a density above 0 kg/m^3, or set `mass`",
            ),
            Self::MassAlone => f.write_str(
                "`mass` alone does not say how a body turns whose shapes have no density: \
                 give `inertia` too, or a shape a density above 0 kg/m^3",
            ),
            Self::MassRange { what, value } => write!(
                f,
                "{what} of {value:e} is outside 1e-20 to 1e20: change the density or the size"
            ),
            Self::Inertia([x, y, z]) => write!(
                f,
                "no body has the principal moments of inertia ({x}, {y}, {z}): none may be more \
                 than the sum of the other two"
            ),
            Self::JointToSelf => f.write_str("a joint needs two different bodies"),
            Self::JointNeedsDynamic => {
                f.write_str("a joint needs at least one dynamic body to act on")
            }
            Self::Stale(error) => error.fmt(f),
            Self::Simd(message) | Self::Threads(message) => f.write_str(message),
            Self::Joint(error) => error.fmt(f),
            Self::QueryShape(kind) => write!(
                f,
                "a {kind} cannot ask: use a convex, finite shape and ask what it meets"
            ),
            Self::Full => f.write_str("the world is full: 2^31 bodies, shapes or joints"),
        }
    }
}

impl std::error::Error for DefError {}

impl From<StaleKey> for DefError {
    fn from(error: StaleKey) -> Self {
        Self::Stale(error)
    }
}
