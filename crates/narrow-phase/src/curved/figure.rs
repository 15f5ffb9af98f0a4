//! A shape without its radius, with faces flat or curved.

use drystone_geometry::glam::DVec3;
use drystone_geometry::shape::curved::Curved;
use drystone_geometry::{Feature, Shape};

use crate::convex::{Core, Lent, NO_HINT};

/// The core of any bounded shape.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Figure<'a> {
    /// With corners alone.
    Core(Core<'a>),
    /// With curved faces.
    Curved(Curved),
}

impl<'a> Figure<'a> {
    /// The core of a shape whose polytope is `lent`; nothing for a half-space.
    pub(crate) fn of(shape: &'a Shape, lent: &'a Lent) -> Option<Self> {
        match shape.curved() {
            Some(solid) => Some(Self::Curved(solid)),
            None => Core::of(shape, lent).map(Self::Core),
        }
    }

    /// The point farthest along `direction`, and its vertex; the search may start at `hint`.
    #[inline]
    pub(crate) fn support(&self, direction: DVec3, hint: u32) -> (DVec3, u32) {
        match self {
            Self::Core(core) => {
                let vertex = core.support(direction, hint);
                (core.position(vertex), vertex)
            }
            Self::Curved(solid) => (solid.support(direction), NO_HINT),
        }
    }

    /// Largest distance of a point from the frame's origin, in metres.
    pub(crate) fn extent(&self) -> f64 {
        match self {
            Self::Core(core) => core.extent(),
            Self::Curved(solid) => solid.extent_from(DVec3::ZERO),
        }
    }

    /// A point inside.
    pub(crate) fn center(&self) -> DVec3 {
        match self {
            Self::Core(core) => core.center(),
            Self::Curved(solid) => solid.center(),
        }
    }

    /// The largest feature at a right angle to the unit `outward`, up to the sine `level`.
    pub(crate) fn feature(&self, outward: DVec3, level: f64) -> Feature {
        match self {
            Self::Core(core) => {
                crate::certify::support_feature(core, core.support(outward, NO_HINT), outward)
            }
            Self::Curved(solid) => solid.feature(outward, level),
        }
    }
}
