//! Sweeps through touching: the distance is monotone and continuous, and the contact is
//! there from the margin on, cold and tracked.

use drystone_geometry::glam::{DMat3, DVec3, Vec3};
use drystone_geometry::{Frame, Manifold, Shape};
use drystone_narrow_phase::{CollideSettings, Counters, Tracker, collide, distance};

use crate::random::Random;

fn shapes(random: &mut Random) -> Vec<Shape> {
    vec![
        Shape::Sphere { radius: 0.5 },
        Shape::Capsule {
            half_height: 0.5,
            radius: 0.25,
        },
        Shape::Box {
            half_extents: Vec3::new(0.5, 0.4, 0.3),
        },
        random.hull(0.7, 16),
    ]
}

/// B comes straight at A from a gap of 0.1 to a depth of about 0.1 in steps of 1 mm; every
/// step changes the distance by at most the step, and the distance is a convex function of
/// the way, as it is for all convex shapes.
#[test]
fn the_distance_of_approaching_shapes_is_convex_and_contact_is_never_lost() {
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let shapes = shapes(&mut random);
        for a in &shapes {
            for b in &shapes {
                let axis_aligned = random.below(3) == 0;
                let rotation = if axis_aligned {
                    DMat3::IDENTITY
                } else {
                    random.matrix()
                };
                let direction = if axis_aligned {
                    DVec3::Y
                } else {
                    random.direction()
                };
                let at = |t: f64| Frame {
                    rotation,
                    translation: t * direction,
                };
                if distance(a, b, &at(0.0)).upper > -0.01 {
                    continue;
                }
                let start = touching(a, b, &at);
                sweep(a, b, &at, start, &format!("seed {seed}, {a:?}, {b:?}"));
            }
        }
    }
}

/// Where along the path the shapes touch, by bisection.
fn touching(a: &Shape, b: &Shape, at: &dyn Fn(f64) -> Frame) -> f64 {
    let (mut inside, mut outside) = (0.0, 4.0);
    for _ in 0..60 {
        let middle = 0.5 * (inside + outside);
        if distance(a, b, &at(middle)).distance() <= 0.0 {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    outside
}

fn sweep(a: &Shape, b: &Shape, at: &dyn Fn(f64) -> Frame, touch: f64, what: &str) {
    let settings = CollideSettings {
        margin: 0.02,
        recycle: true,
        leans: false,
        ..CollideSettings::default()
    };
    let (mut tracker, mut manifold) = (Tracker::default(), Manifold::EMPTY);
    let mut counters = Counters::default();
    let step = 0.001;
    let mut last: [f64; 2] = [f64::INFINITY; 2];
    for i in 0..200 {
        let t = touch + 0.1 - step * f64::from(i);
        let frame = at(t);
        let found = distance(a, b, &frame).distance();
        let [before, previous] = last;
        if previous.is_finite() {
            assert!(
                (found - previous).abs() <= step + 1e-12,
                "{what}: {previous} to {found}"
            );
        }
        if before.is_finite() {
            let mean = 0.5 * (before + found);
            assert!(
                previous <= mean + 1e-12,
                "{what}: {before}, {previous}, {found}"
            );
        }
        last = [previous, found];
        collide(
            a,
            b,
            &frame,
            &settings,
            &mut tracker,
            &mut manifold,
            &mut counters,
        );
        if found < 0.0 {
            assert!(
                !manifold.is_empty(),
                "{what}: no contact at {found}, step {i}"
            );
        }
        // The gap along a box's axis may be below the distance of its corners, at most by
        // the diagonal of a cube.
        if found > 0.02 * 3f64.sqrt() {
            assert!(manifold.is_empty(), "{what}: contact at {found}, step {i}");
        }
    }
    if distance(a, b, &at(touch + 0.1)).lower > 0.05 {
        assert!(counters.skipped > 0, "{what}: the first steps need no work");
    }
}
