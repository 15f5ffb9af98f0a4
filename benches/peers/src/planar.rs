//! Convex polygons of the plane: drystone beside `parry2d-f64`, in one run.
//!
//! Every row asks the same pairs of both libraries, in turns, and reports the least time of
//! many rounds: on a busy machine the least is what the code needs. The distances are
//! compared as well; a library that is fast and wrong shows it.

use std::hint::black_box;
use std::time::Instant;

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use drystone_planar::glam::DVec2;
use drystone_planar::{
    Counters2, Pose2, QueryOptions, Shape2, Tracker2, distance, intersects, time_of_impact, track,
};
use parry2d_f64::math::{Pose, Rotation, Vector};
use parry2d_f64::query::details::closest_points_support_map_support_map_with_params;
use parry2d_f64::query::gjk::{GJKResult, VoronoiSimplex};
use parry2d_f64::query::{self, ShapeCastOptions};
use parry2d_f64::shape::ConvexPolygon;

/// Options of `planar`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Vertices of each polygon.
    #[arg(long, value_delimiter = ',', default_values_t = [4, 8, 32, 100, 1_000, 10_000])]
    counts: Vec<usize>,
    /// Rounds of which the least counts.
    #[arg(long, default_value_t = 25)]
    rounds: usize,
    /// Degrees a frame in the coherent rows.
    #[arg(long, default_value_t = 0.5)]
    degrees: f64,
}

/// Poses in one round of a row.
const POSES: usize = 720;

/// SplitMix64, mapped to 0..1.
fn next(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Points on an ellipse of half-axes 1 and 0.8, counter-clockwise.
fn ring(count: usize, seed: u64) -> Vec<DVec2> {
    let mut state = seed;
    let step = std::f64::consts::TAU / count as f64;
    (0..count)
        .map(|index| {
            let angle = step * (index as f64 + 0.8 * next(&mut state));
            Pose2::new(DVec2::ZERO, angle).rotation * DVec2::new(1.0, 0.8)
        })
        .collect()
}

/// Unrelated poses with the shapes about `gap` sizes apart; inside each other when negative.
fn scattered(gap: f64) -> Vec<Pose2> {
    let mut state = 7;
    (0..POSES)
        .map(|_| {
            let way = next(&mut state) * std::f64::consts::TAU;
            let reach = 2.0 + gap * (0.5 + next(&mut state));
            let at = Pose2::new(DVec2::ZERO, way).rotation * reach;
            Pose2::new(at, next(&mut state) * std::f64::consts::TAU)
        })
        .collect()
}

/// B turns on the spot.
fn turning(degrees: f64, at: DVec2) -> Vec<Pose2> {
    (0..POSES)
        .map(|frame| Pose2::new(at, (degrees * frame as f64).to_radians()))
        .collect()
}

/// The same polygons in both libraries.
struct Pair {
    a: Shape2,
    b: Shape2,
    parry_a: ConvexPolygon,
    parry_b: ConvexPolygon,
}

impl Pair {
    fn new(count: usize) -> Self {
        let (a, b) = (ring(count, 1), ring(count, 2));
        // Unmodified: nothing is left out, so both libraries see the same vertices.
        let parry = |points: &[DVec2]| {
            let points = points.iter().map(|p| Vector::new(p.x, p.y)).collect();
            ConvexPolygon::from_convex_polyline_unmodified(points).expect("a polygon")
        };
        let (parry_a, parry_b) = (parry(&a), parry(&b));
        let ours = |points: &[DVec2]| Shape2::polygon(points).expect("a polygon");
        Self {
            a: ours(&a),
            b: ours(&b),
            parry_a,
            parry_b,
        }
    }
}

fn parry_pose(pose: &Pose2) -> Pose {
    let turn = Rotation::from_cos_sin_unchecked(pose.rotation.x, pose.rotation.y);
    Pose::from_parts(Vector::new(pose.translation.x, pose.translation.y), turn)
}

/// One line of the table.
struct Row {
    question: &'static str,
    vertices: usize,
    ours: String,
    theirs: String,
    ratio: String,
    difference: String,
}

/// Runs `ask` once over `poses` and returns ns per pose.
fn time<P>(poses: &[P], mut ask: impl FnMut(&P) -> f64) -> f64 {
    let start = Instant::now();
    for pose in poses {
        black_box(ask(black_box(pose)));
    }
    start.elapsed().as_secs_f64() * 1e9 / poses.len() as f64
}

/// Times both in turns; the answers are compared pose by pose.
fn compare(
    arguments: &Options,
    question: &'static str,
    vertices: usize,
    poses: &[Pose2],
    mut ours: impl FnMut(&Pose2) -> f64,
    mut theirs: impl FnMut(&Pose) -> f64,
) -> Row {
    let parry_poses: Vec<Pose> = poses.iter().map(parry_pose).collect();
    let difference = poses
        .iter()
        .zip(&parry_poses)
        .map(|(pose, parry)| (ours(pose) - theirs(parry)).abs())
        // A pair that one library does not answer shows as NaN.
        .fold(0.0, |largest: f64, difference: f64| {
            if difference.is_nan() || difference > largest {
                difference
            } else {
                largest
            }
        });
    let (mut least, mut parry_least) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..arguments.rounds {
        least = least.min(time(poses, &mut ours));
        parry_least = parry_least.min(time(&parry_poses, &mut theirs));
    }
    Row {
        question,
        vertices,
        ours: format!("{least:.0}"),
        theirs: format!("{parry_least:.0}"),
        ratio: format!("{:.1}", parry_least / least),
        difference: format!("{difference:.1e}"),
    }
}

fn parry_apart(pair: &Pair, pose: &Pose) -> f64 {
    query::distance(&Pose::IDENTITY, &pair.parry_a, pose, &pair.parry_b)
        .map_or(f64::NAN, |found| found.distance)
}

/// Signed distance by the contact query, which is the one that knows overlap.
fn parry_signed(pair: &Pair, pose: &Pose) -> f64 {
    query::contact(&Pose::IDENTITY, &pair.parry_a, pose, &pair.parry_b, 100.0)
        .ok()
        .flatten()
        .map_or(f64::NAN, |contact| contact.dist)
}

fn rows(arguments: &Options, count: usize) -> Vec<Row> {
    let pair = Pair::new(count);
    let options = QueryOptions::default();
    let cold = |pose: &Pose2| {
        distance(&pair.a, &pair.b, pose, &options).map_or(f64::NAN, |s| s.distance())
    };
    let (apart, deep) = (scattered(1.0), scattered(-0.7));
    let turned = turning(arguments.degrees, DVec2::new(2.05, 0.3));
    let yes = |flag: bool| f64::from(u8::from(flag));
    vec![
        compare(
            arguments,
            "distance, cold, apart",
            count,
            &apart,
            cold,
            |pose| parry_apart(&pair, pose),
        ),
        compare(
            arguments,
            "distance, cold, overlapping",
            count,
            &deep,
            cold,
            |pose| parry_signed(&pair, pose),
        ),
        compare(
            arguments,
            "intersection, cold, half of them",
            count,
            &scattered(-0.2),
            |pose| yes(intersects(&pair.a, &pair.b, pose, &options).unwrap_or(false)),
            |pose| {
                let met =
                    query::intersection_test(&Pose::IDENTITY, &pair.parry_a, pose, &pair.parry_b);
                yes(met.is_ok_and(|met| met.intersecting))
            },
        ),
        impact(arguments, &pair, count),
        coherent(arguments, &pair, count, &turned),
    ]
}

/// B flies at A's middle from two sizes away.
fn impact(arguments: &Options, pair: &Pair, count: usize) -> Row {
    let options = QueryOptions::default();
    let parry_options = ShapeCastOptions::with_max_time_of_impact(9.0);
    let still = Vector::ZERO;
    compare(
        arguments,
        "time of impact",
        count,
        &scattered(2.0),
        |pose| {
            time_of_impact(&pair.a, &pair.b, pose, -pose.translation, 9.0, &options)
                .ok()
                .flatten()
                .map_or(f64::NAN, |impact| impact.time())
        },
        |pose| {
            let (a, b) = (&pair.parry_a, &pair.parry_b);
            let fly = -pose.translation;
            query::cast_shapes(&Pose::IDENTITY, still, a, pose, fly, b, parry_options)
                .ok()
                .flatten()
                .map_or(f64::NAN, |hit| hit.time_of_impact)
        },
    )
}

/// A pair turning a little every frame: our tracker, and parry's search started from the
/// last direction.
fn coherent(arguments: &Options, pair: &Pair, count: usize, poses: &[Pose2]) -> Row {
    let options = QueryOptions::default();
    let (mut tracker, mut counters) = (Tracker2::default(), Counters2::default());
    let mut simplex = VoronoiSimplex::new();
    let mut last: Option<Vector> = None;
    compare(
        arguments,
        "distance, coherent",
        count,
        poses,
        |pose| {
            track(
                &pair.a,
                &pair.b,
                pose,
                &options,
                &mut tracker,
                &mut counters,
            )
            .map_or(f64::NAN, |separation| separation.distance())
        },
        |pose| {
            let found = closest_points_support_map_support_map_with_params(
                pose,
                &pair.parry_a,
                &pair.parry_b,
                f64::MAX,
                &mut simplex,
                last,
            );
            match found {
                GJKResult::ClosestPoints(p, q, normal) => {
                    last = Some(normal);
                    (q - p).length()
                }
                _ => f64::NAN,
            }
        },
    )
}

/// Runs all rows and prints one table.
pub(crate) fn run(arguments: &Options) {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN).set_header([
        "question",
        "vertices",
        "drystone ns",
        "parry2d-f64 ns",
        "parry / drystone",
        "largest difference",
    ]);
    for row in arguments
        .counts
        .iter()
        .flat_map(|count| rows(arguments, *count))
    {
        table.add_row([
            row.question.to_owned(),
            row.vertices.to_string(),
            row.ours,
            row.theirs,
            row.ratio,
            row.difference,
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    println!("{table}");
    println!(
        "Least of {} rounds of {POSES} poses; {} degrees a frame when coherent.",
        arguments.rounds, arguments.degrees
    );
}
