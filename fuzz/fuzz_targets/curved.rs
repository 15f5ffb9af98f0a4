//! Shapes of all kinds on any way: answers prove themselves, tracked ones are the cold ones,
//! contacts keep up.
#![no_main]

use arbitrary::{Result, Unstructured};
use drystone_fuzz::{Solid, judge_solid, level_with, move_on, pose, solid, vector};
use drystone_geometry::glam::{DMat3, DVec3};
use drystone_geometry::{Frame, Manifold, Separation, Shape};
use drystone_narrow_phase::{
    CollideSettings, Counters, Precision, Rung, Tracker, collide, distance, distance_tracked,
    distance_within, intersects, ray,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = run(&mut Unstructured::new(data));
});

fn run(bytes: &mut Unstructured<'_>) -> Result<()> {
    let (a, b, mut frame) = (solid(bytes)?, solid(bytes)?, pose(bytes)?);
    let (on_a, on_b) = (Solid::new(&a), Solid::new(&b));
    let reach = on_a.extent() + on_b.extent();
    let (mut tracker, mut contact) = (Tracker::default(), Tracker::default());
    let (mut manifold, mut counters) = (Manifold::EMPTY, Counters::default());
    let settings = CollideSettings {
        margin: (0.01 * reach) as f32,
        recycle: true,
        leans: false,
        ..CollideSettings::default()
    };
    for _ in 0..8 {
        let size = reach + frame.translation.length();
        let mut asked = Counters::default();
        let cold = distance_within(&a, &b, &frame, &Precision::FULL, &mut asked);
        judge_solid(&on_a, &on_b, &frame, &cold, &asked);
        let back = distance(&b, &a, &frame.inverse());
        let between = (back.lower - cold.upper).max(cold.lower - back.upper);
        assert!(between <= 1e-11 * size, "{cold:?} {back:?}");
        let mut asked = Counters::default();
        let warm = distance_tracked(&a, &b, &frame, &mut tracker, &mut asked);
        judge_solid(&on_a, &on_b, &frame, &warm, &asked);
        let between = (cold.lower - warm.upper).max(warm.lower - cold.upper);
        assert!(between <= 1e-11 * size, "{cold:?} {warm:?}");
        let meets = intersects(&a, &b, &frame);
        let is_certain = cold.lower > 1e-11 * size || cold.upper < -1e-11 * size;
        assert!(!is_certain || meets == (cold.lower <= 0.0), "{cold:?}");
        let outcome = collide(
            &a,
            &b,
            &frame,
            &settings,
            &mut contact,
            &mut manifold,
            &mut counters,
        );
        if cold.upper < -0.05 * reach {
            assert!(!manifold.is_empty(), "no contact at {cold:?}");
        }
        if cold.lower > 0.02 * reach + 1e-5 * size {
            assert!(manifold.is_empty(), "{manifold:?} at {cold:?}");
        }
        // What is recycled keeps the normal and the points of the last full answer.
        if !manifold.is_empty() && outcome.rung != Rung::Recycle {
            judge_contact(&manifold, [&on_a, &on_b], &frame, &cold, size);
        }
        if bytes.is_empty() {
            break;
        }
        move_on(bytes, &mut frame, reach, &warm)?;
    }
    let [origin, direction] = [vector(bytes, 1e4)?, vector(bytes, 8.0)?];
    rays(&a, &on_a, origin, direction);
    rays(&b, &on_b, 1e-3 * on_b.extent() * origin, direction);
    Ok(())
}

/// No point is deeper than the shapes are along the normal, and they are nearly the least deep
/// along that, or along one that is level with it.
fn judge_contact(
    manifold: &Manifold,
    [a, b]: [&Solid; 2],
    b_in_a: &Frame,
    cold: &Separation,
    size: f64,
) {
    let normal = manifold.normal.as_dvec3();
    let along = a.gap(b, b_in_a, normal);
    for point in manifold.points() {
        assert!(point.anchor_a.is_finite() && point.anchor_b.is_finite());
        let separation = f64::from(point.separation);
        assert!(separation >= along - 1e-5 * size, "{along}: {manifold:?}");
    }
    let nearly = cold.lower - 0.02 * size;
    let is_level = level_with(normal, cold.normal).any(|n| a.gap(b, b_in_a, n) >= nearly);
    assert!(along >= nearly || is_level, "{cold:?}: {manifold:?}");
}

/// A ray enters where a plane through the point has all of the shape behind it; one that misses
/// goes through no inner ball.
fn rays(shape: &Shape, known: &Solid, origin: DVec3, direction: DVec3) {
    let reach = known.extent();
    let max = (origin.length() + reach) / direction.length().max(1e-3);
    let slack = 1e-8 * (reach + origin.length());
    match ray(shape, origin, direction, max) {
        Some(hit) if hit.is_inside => {
            assert!(known.outside(origin) <= slack, "{hit:?}");
        }
        Some(hit) => {
            let normal = hit.normal;
            let apart = hit.point.distance(origin + hit.fraction * direction);
            assert!(apart <= slack, "{apart}: {hit:?}");
            assert!((normal.length() - 1.0).abs() < 1e-9, "{hit:?}");
            assert!(normal.dot(direction) <= 0.0, "{hit:?}");
            assert!(known.outside(hit.point) <= slack, "{hit:?}");
            let behind = hit.point.dot(normal) - known.reach(normal);
            assert!(behind >= -1e2 * slack, "{behind}: {hit:?}");
        }
        None => {
            let grain = Shape::sphere(1e-6);
            for step in 0..=16 {
                let point = origin + max * f64::from(step) / 16.0 * direction;
                let place = Frame {
                    rotation: DMat3::IDENTITY,
                    translation: point,
                };
                let inside = distance(shape, &grain, &place).upper + 1e-6;
                assert!(inside >= -slack, "{inside} at {point}");
            }
        }
    }
}
