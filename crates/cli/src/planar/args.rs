//! What `drystone planar` accepts. The help texts teach by example.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// Options of `planar`.
#[derive(Debug, Args)]
#[command(after_help = PLANAR_EXAMPLES)]
pub(crate) struct PlanarOptions {
    #[command(subcommand)]
    pub(crate) verb: PlanarVerb,
}

const PLANAR_EXAMPLES: &str = "\
Examples:
  drystone planar distance cases.txt        one distance per pair of polygons
  drystone planar query shapes.ron          any shapes, any questions
  drystone planar query shapes.ron --svg steps.svg

Exit codes:
  0  done
  2  wrong usage, a mistake in the input, or a tolerance that cannot be met
  4  a file could not be read or written";

#[derive(Debug, Subcommand)]
pub(crate) enum PlanarVerb {
    /// Distances of pairs of convex polygons, in the classical format.
    Distance(DistanceOptions),
    /// Answer a file of shapes and questions.
    Query(QueryFileOptions),
}

const DISTANCE_EXAMPLES: &str = "\
The input is a line `N M`, then N points of one polygon and M of the other as `x y`,
repeated until `0 0`. Points may come in any order; a polygon is their convex hull and
needs three that differ. The answer is one line per pair, with five decimals; polygons
that overlap have distance 0. Any number of pairs takes the memory of the largest.
`--svg` draws the first pair, or the one that `--case` names.

  3 4
  4 11
  4 5
  9 9
  8 6
  10 2
  13 1
  15 6
  0 0

gives 1.71791.

Examples:
  drystone planar distance cases.txt > distances.txt
  generate | drystone planar distance
  drystone planar distance cases.txt --case 7 --trace
  drystone planar distance cases.txt --case 7 --svg steps.svg";

/// Options of `planar distance`.
#[derive(Debug, Args)]
#[command(after_help = DISTANCE_EXAMPLES)]
pub(crate) struct DistanceOptions {
    /// The file of pairs; `-` or nothing reads the standard input.
    pub(crate) file: Option<PathBuf>,
    /// Answer only the Nth pair, counted from 1.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) case: Option<u64>,
    #[command(flatten)]
    pub(crate) steps: StepOptions,
}

const QUERY_EXAMPLES: &str = "\
A file of questions:

  (
      format: 1,
      shapes: {
          \"triangle\": (shape: Polygon(points: [(4, 11), (4, 5), (9, 9)])),
          \"leaf\": (shape: Ellipse(half_axes: (2, 1)), position: (12, 4),
                   angle: Degrees(30), rounding: 0.1),
      },
      ask: [
          Distance,
          Intersects(a: \"leaf\", b: \"triangle\"),
          Penetration,
          TimeOfImpact(velocity: (-1, 0.5), within: 10),
          Contains(shape: \"leaf\", point: (12, 4)),
      ],
  )

A question that names no shapes is about the first two. Every distance comes with a lower
and an upper bound that were computed from the shapes. `drystone schema planar` shows all
shapes, questions and fields.

Examples:
  drystone planar query shapes.ron
  drystone planar query shapes.ron --trace
  drystone planar query shapes.ron --trace json | jq .answer
  drystone planar query shapes.ron --svg steps.svg";

/// Options of `planar query`.
#[derive(Debug, Args)]
#[command(after_help = QUERY_EXAMPLES)]
pub(crate) struct QueryFileOptions {
    /// The file of shapes and questions, in RON.
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) steps: StepOptions,
}

/// How the steps of a search are told.
#[derive(Debug, Args)]
pub(crate) struct StepOptions {
    /// Tell every step of the search: the simplex, the direction, the bounds, why it ended.
    /// As text, or as one line of JSON per answer.
    #[arg(long, value_name = "FORMAT", num_args = 0..=1, default_missing_value = "text")]
    pub(crate) trace: Option<TraceFormat>,
    /// Draw the simplex of every step on the Minkowski difference, all in one SVG file.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
}

/// How a trace is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TraceFormat {
    /// Paragraphs for people.
    Text,
    /// One JSON object per line.
    Json,
}
