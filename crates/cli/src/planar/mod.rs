//! `drystone planar`: convex shapes of the plane, asked about without a world.

mod args;
mod contest;
mod figures;
mod query;
mod told;

pub(crate) use args::PlanarOptions;

use std::path::Path;

use args::PlanarVerb;

use crate::exit::Outcome;
use crate::output::check_places;

/// Answers the question that was asked.
pub(crate) fn planar(options: &PlanarOptions) -> Outcome {
    let (file, steps) = match &options.verb {
        PlanarVerb::Distance(options) => (options.file.as_deref(), &options.steps),
        PlanarVerb::Query(options) => (Some(options.file.as_path()), &options.steps),
    };
    let read: Vec<&Path> = file.into_iter().collect();
    if let Some(svg) = &steps.svg
        && let Err(outcome) = check_places(&read, &[svg])
    {
        return outcome;
    }
    match &options.verb {
        PlanarVerb::Distance(options) => contest::distance(options),
        PlanarVerb::Query(options) => query::query(options),
    }
}
