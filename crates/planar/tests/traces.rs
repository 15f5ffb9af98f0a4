//! Traces: what they say, and the pictures made from them.

mod support;

use drystone_planar::glam::DVec2;
use drystone_planar::{
    Phase, Pose2, QueryOptions, Shape2, Stop, Trace, distance_traced, draw, intersects_traced,
};
use support::{Random, assert_near};

fn points(list: &[(f64, f64)]) -> Vec<DVec2> {
    list.iter().map(|&(x, y)| DVec2::new(x, y)).collect()
}

fn textbook() -> (Shape2, Shape2) {
    let a = points(&[(4.0, 11.0), (4.0, 5.0), (9.0, 9.0)]);
    let b = points(&[(8.0, 6.0), (10.0, 2.0), (13.0, 1.0), (15.0, 6.0)]);
    (
        Shape2::polygon(&a).expect("a triangle"),
        Shape2::polygon(&b).expect("a quadrilateral"),
    )
}

/// The textbook pair. Known by hand: the search ends on a repeated support with the edge
/// of the difference that comes from (8, 6) less the edge (4, 5)-(9, 9), and the weights
/// give the witness points.
#[test]
fn the_trace_of_the_textbook_pair_ends_with_its_features() {
    let (a, b) = textbook();
    let (answer, trace) = distance_traced(&a, &b, &Pose2::IDENTITY, &QueryOptions::default());
    let answer = answer.expect("polygons never fail");

    assert_eq!(trace.stop(), Some(Stop::RepeatedSupport));
    assert_eq!(trace.answer, Some(answer));
    let last = trace.steps.last().expect("steps");
    assert_eq!(last.phase, Phase::Gjk);
    assert_eq!(last.simplex.len(), 2);
    let on_a: DVec2 = last.simplex.iter().map(|v| v.point_a * v.weight).sum();
    assert!(on_a.abs_diff_eq(answer.point_a, 1e-14));
    for v in &last.simplex {
        assert_eq!(v.point_b, DVec2::new(8.0, 6.0));
        assert_eq!(v.difference, v.point_b - v.point_a);
    }
    for pair in trace.steps.windows(2) {
        assert!(pair[1].upper < pair[0].upper, "the vector grows shorter");
        assert!(pair[1].lower >= pair[0].lower, "the bound only rises");
    }

    let text = trace.to_string();
    assert!(text.contains("ends: repeated support"), "{text}");
    assert!(text.contains("step 0 (GJK)"), "{text}");
    let json = serde_json::to_string(&trace).expect("plain data");
    let back: Trace = serde_json::from_str(&json).expect("plain data");
    assert_eq!(back.steps.len(), trace.steps.len());
    assert_eq!(back.stop(), trace.stop());
}

/// The reasons a query may end for. Known by hand for each situation.
#[test]
fn every_reason_to_stop_is_told() {
    let options = QueryOptions::default();
    let (a, b) = textbook();
    let (hit, trace) = intersects_traced(&a, &b, &Pose2::IDENTITY, &options);
    assert_eq!(hit, Ok(false));
    assert_eq!(trace.stop(), Some(Stop::DidNotPassOrigin));

    let over = Pose2::from_translation(DVec2::new(-3.0, 2.0));
    let (hit, trace) = intersects_traced(&a, &b, &over, &options);
    assert_eq!(hit, Ok(true));
    assert_eq!(trace.stop(), Some(Stop::ContainsOrigin));

    let (answer, trace) = distance_traced(&a, &b, &over, &options);
    assert!(answer.expect("polygons").is_overlapping());
    let gjk_end = trace
        .steps
        .iter()
        .rfind(|s| s.phase == Phase::Gjk)
        .expect("steps");
    assert_eq!(gjk_end.stop, Some(Stop::ContainsOrigin));
    assert_eq!(gjk_end.simplex.len(), 3);
    assert_eq!(trace.stop(), Some(Stop::RepeatedSupport));

    let round = Shape2::ellipse(DVec2::ZERO, DVec2::new(2.0, 1.0), 0.3).expect("an ellipse");
    let beside = Pose2::from_translation(DVec2::new(5.0, 1.0));
    let (_, trace) = distance_traced(&round, &round, &beside, &options);
    assert_eq!(trace.stop(), Some(Stop::WithinTolerance));
    let few = QueryOptions {
        max_iterations: 2,
        ..options
    };
    let (answer, trace) = distance_traced(&round, &round, &beside, &few);
    assert!(answer.is_err());
    assert_eq!(trace.stop(), Some(Stop::OutOfIterations));
    assert_eq!(trace.answer, None);
}

/// Random pairs. Known by the definition of a search: it never falls back on the whole
/// difference for ordinary pairs, and takes few steps.
#[test]
fn ordinary_pairs_are_answered_by_the_search_itself() {
    let mut random = Random::new(61);
    let options = QueryOptions::default();
    let mut steps = 0;
    for _ in 0..5_000 {
        let cloud =
            |random: &mut Random| -> Vec<DVec2> { (0..12).map(|_| random.vector(1.0)).collect() };
        let a = Shape2::polygon(&cloud(&mut random)).expect("a polygon");
        let b = Shape2::polygon(&cloud(&mut random)).expect("a polygon");
        let (_, trace) = distance_traced(&a, &b, &random.pose(2.0), &options);
        assert!(trace.steps.iter().all(|step| step.phase != Phase::Merge));
        steps += trace.steps.len();
    }
    assert!(steps < 8 * 5_000, "{steps} steps");
}

/// Pictures of the textbook pair. Known by hand: one per step, the difference has seven
/// corners less those from parallel edges, and the document is closed.
#[test]
fn every_step_becomes_a_picture() {
    let (a, b) = textbook();
    let (_, trace) = distance_traced(&a, &b, &Pose2::IDENTITY, &QueryOptions::default());
    let pictures = draw::svg(&a, &b, &Pose2::IDENTITY, &trace);
    assert_eq!(pictures.len(), trace.steps.len());
    for picture in &pictures {
        assert!(picture.starts_with("<svg "), "{picture}");
        assert!(picture.ends_with("</svg>\n"), "{picture}");
        assert!(!picture.contains("NaN"), "{picture}");
        let opened = picture.matches('<').count();
        assert_eq!(opened, picture.matches('>').count());
    }
    assert!(pictures.last().expect("one").contains("repeated support"));

    let outline = draw::difference(&a, &b, &Pose2::IDENTITY);
    assert_eq!(outline.len(), 7);
    let area: f64 = (0..7)
        .map(|i| outline[i].perp_dot(outline[(i + 1) % 7]))
        .sum();
    // Area of a Minkowski sum: both areas and twice their mixed area, from the supports.
    assert!(area > 0.0);
    let height = outline
        .iter()
        .map(|p| p.x)
        .fold(f64::NEG_INFINITY, f64::max);
    assert_near(height, 15.0 - 4.0, 1e-15, "the difference's right end");
}

/// Pictures of shapes whose difference is a point, a segment, a circle. Known by hand:
/// nothing is divided by the extent of nothing.
#[test]
fn pictures_of_degenerate_differences_are_finite() {
    let options = QueryOptions::default();
    let shapes = [
        Shape2::point(DVec2::ZERO),
        Shape2::segment(DVec2::ZERO, DVec2::X),
        Shape2::circle(DVec2::X, 1.0),
        Shape2::ellipse(DVec2::X, DVec2::new(1.0, 0.5), 0.0),
        Shape2::points(points(&[(0.0, 0.0), (1.0, 2.0), (3.0, 0.0)])),
    ]
    .map(|shape| shape.expect("a shape"));
    for a in &shapes {
        for b in &shapes {
            let (_, trace) = distance_traced(a, b, &Pose2::IDENTITY, &options);
            for picture in draw::svg(a, b, &Pose2::IDENTITY, &trace) {
                assert!(
                    !picture.contains("NaN") && !picture.contains("inf"),
                    "{picture}"
                );
            }
        }
    }
}

/// Pictures of two traces on one sheet. Known by hand: each takes its place once, in rows
/// of two, and the sheet is as large as the rows.
#[test]
fn a_sheet_holds_every_picture_once() {
    let (a, b) = textbook();
    let (_, trace) = distance_traced(&a, &b, &Pose2::IDENTITY, &QueryOptions::default());
    let pictures = draw::svg(&a, &b, &Pose2::IDENTITY, &trace);
    assert_eq!(pictures.len(), 3);
    let sheet = draw::sheet(&pictures, 2);
    assert!(sheet.starts_with("<svg ") && sheet.ends_with("</svg>\n"));
    assert!(sheet.contains("width=\"1280\" height=\"1424\""), "{sheet}");
    for place in ["x=\"0\" y=\"0\"", "x=\"640\" y=\"0\"", "x=\"0\" y=\"712\""] {
        let inner = format!("<svg {place} ");
        assert_eq!(sheet.matches(&inner).count(), 1, "{place}");
    }
    assert_eq!(sheet.matches("</svg>").count(), 4);
    let empty = draw::sheet(&[], 3);
    assert_eq!(empty.matches("</svg>").count(), 1);
}

/// Shapes given clockwise, shuffled, and as a reversed segment. Known by the points: a
/// vertex numbered as given is where the trace says it is.
#[test]
fn traces_can_be_numbered_as_the_points_were_given() {
    let mut given = points(&[(15.0, 6.0), (10.0, 2.0), (8.0, 6.0), (13.0, 1.0)]);
    given.push(DVec2::new(11.0, 5.0));
    let b = Shape2::polygon(&given).expect("a quadrilateral");
    let ends = [DVec2::new(4.0, 5.0), DVec2::new(-1.0, 9.0)];
    let a = Shape2::segment(ends[0], ends[1]).expect("a segment");
    for at in [DVec2::ZERO, DVec2::new(-9.0, 2.0)] {
        let pose = Pose2::from_translation(at);
        let (answer, trace) = distance_traced(&a, &b, &pose, &QueryOptions::default());
        let trace = trace.with_source_numbers(&a, &b);
        for v in trace.steps.iter().flat_map(|step| &step.simplex) {
            assert_eq!(v.point_a, ends[v.vertex_a as usize]);
            assert_eq!(v.point_b, given[v.vertex_b as usize] + at);
        }
        let told = trace.answer.expect("polygons");
        let answer = answer.expect("polygons");
        assert_eq!(told.feature_b, b.source_feature(answer.feature_b));
        assert_eq!(told.upper, answer.upper);
    }
}
