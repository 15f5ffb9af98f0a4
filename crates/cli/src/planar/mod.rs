//! `drystone planar`: convex shapes of the plane, asked about without a world.

mod args;
mod contest;
mod figures;
mod query;
mod told;

pub(crate) use args::PlanarOptions;

use args::PlanarVerb;

use crate::exit::Outcome;

/// Answers the question that was asked.
pub(crate) fn planar(options: &PlanarOptions) -> Outcome {
    match &options.verb {
        PlanarVerb::Distance(options) => contest::distance(options),
        PlanarVerb::Query(options) => query::query(options),
    }
}
