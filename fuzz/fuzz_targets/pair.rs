//! Any two shapes in any pose: the distance proves itself, also with the shapes exchanged.
#![no_main]

use arbitrary::{Result, Unstructured};
use drystone_fuzz::{Known, judge, level_with, pose, shape};
use drystone_geometry::glam::Vec3;
use drystone_geometry::{Frame, Manifold, Separation, Shape};
use drystone_narrow_phase::{CollideSettings, Counters, Tracker, collide, distance, intersects};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = run(&mut Unstructured::new(data));
});

fn run(bytes: &mut Unstructured<'_>) -> Result<()> {
    let (a, b, b_in_a) = (shape(bytes)?, shape(bytes)?, pose(bytes)?);
    let answer = distance(&a, &b, &b_in_a);
    let (on_a, on_b) = (Known::new(&a), Known::new(&b));
    judge(&on_a, &on_b, &b_in_a, &answer);
    let size = on_a.extent() + on_b.extent() + b_in_a.translation.length();
    let back = distance(&b, &a, &b_in_a.inverse());
    assert!(
        (back.distance() - answer.distance()).abs() <= 2e-11 * size,
        "{back:?} {answer:?}"
    );
    // Below what a certificate may be wide either word is right.
    let is_certain = answer.lower.abs() > 1e-11 * size;
    let meets = intersects(&a, &b, &b_in_a);
    assert!(!is_certain || meets == (answer.lower <= 0.0), "{answer:?}");
    contact([&on_a, &on_b], [&a, &b], &b_in_a, &answer, size);
    let plane = Shape::HalfSpace { normal: Vec3::Y };
    let under = distance(&plane, &b, &b_in_a);
    assert!(under.upper - under.lower <= 1e-11 * size && under.lower.is_finite());
    Ok(())
}

/// A contact has points wherever the shapes overlap, none deeper than the depth along their
/// normal. That depth is nearly the least, unless the normal is that of a face which is level with
/// two crossing edges: then it is nearly one of the least depth, and long bodies reach far below
/// the face where they do not meet.
fn contact(
    known: [&Known; 2],
    shapes: [&Shape; 2],
    b_in_a: &Frame,
    answer: &Separation,
    size: f64,
) {
    let lower = answer.lower;
    let (mut tracker, mut manifold) = (Tracker::default(), Manifold::EMPTY);
    let settings = CollideSettings {
        margin: 0.0,
        recycle: true,
        leans: false,
        ..CollideSettings::default()
    };
    let mut counters = Counters::default();
    let [a, b] = shapes;
    collide(
        a,
        b,
        b_in_a,
        &settings,
        &mut tracker,
        &mut manifold,
        &mut counters,
    );
    let slack = 1e-5 * size;
    if lower < -slack {
        assert!(!manifold.is_empty(), "{lower} deep, and no contact");
    }
    if lower > slack {
        assert!(manifold.is_empty(), "{lower} apart: {manifold:?}");
    }
    let depth = known[0].gap(known[1], b_in_a, manifold.normal.as_dvec3());
    for point in manifold.points() {
        let separation = f64::from(point.separation);
        assert!(separation >= depth - slack, "{depth}: {manifold:?}");
        assert!(point.anchor_a.is_finite() && point.anchor_b.is_finite());
    }
    if !manifold.is_empty() {
        let nearly = lower - 0.02 * size;
        let is_level = level_with(manifold.normal.as_dvec3(), answer.normal)
            .any(|normal| known[0].gap(known[1], b_in_a, normal) >= nearly);
        assert!(depth >= nearly || is_level, "{lower}: {manifold:?}");
    }
}
