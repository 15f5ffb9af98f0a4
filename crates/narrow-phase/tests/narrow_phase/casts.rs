//! Rays and casts: closed cases by hand, and every kind of shape against its own distance.

use drystone_geometry::glam::{DMat3, DVec3, Vec3};
use drystone_geometry::{Frame, Shape};
use drystone_narrow_phase::{
    CastEnd, CastSettings, Counters, Motion, Tracker, cast, cast_motion, distance, passes, ray,
};

use crate::curved::shapes;
use crate::random::Random;

fn at(translation: DVec3) -> Frame {
    Frame {
        rotation: DMat3::IDENTITY,
        translation,
    }
}

fn point_distance(shape: &Shape, point: DVec3) -> f64 {
    distance(shape, &Shape::sphere(0.0), &at(point)).lower
}

/// Random rays at every kind of shape, from near and from a thousand sizes away: the point hit
/// lies on the surface, nothing before it does, and a ray that misses stays outside; the
/// distance of the point to the shape says so, which shares no code with the closed forms.
#[test]
fn rays_meet_the_surface_where_the_distance_is_zero() {
    let mut random = Random::new(9);
    for (kind, shape) in shapes(1.0).iter().enumerate() {
        if matches!(shape, Shape::Segment { .. }) {
            continue;
        }
        let mut hits = 0;
        for number in 0..60 {
            let far = if number % 3 == 0 { 1e3 } else { 2.5 };
            let from = far * random.direction();
            let aim = 0.7 * random.vector();
            let direction = (aim - from) * random.between(0.2, 2.0);
            let what = format!("{} {kind} #{number}", shape.kind_name());
            let flat = matches!(shape, Shape::Triangle { .. });
            let hit = ray(shape, from, direction, 8.0);
            if let Some(hit) = hit {
                hits += 1;
                let allowed = 1e-9 * far + 1e-7;
                let off = point_distance(shape, hit.point);
                assert!(off <= allowed, "{what}: {off} off {hit:?}");
                assert!(
                    (hit.normal.length() - 1.0).abs() < 1e-9,
                    "{what}: normal {}",
                    hit.normal
                );
                if hit.is_inside {
                    assert!(
                        hit.fraction == 0.0 && point_distance(shape, from) <= 1e-9,
                        "{what}"
                    );
                    continue;
                }
                assert!(
                    hit.normal.dot(direction) <= 1e-6 * direction.length(),
                    "{what}"
                );
                assert!(flat || off >= -allowed, "{what}: {off} deep");
                // The normal is that of the nearest face just outside.
                let outside = hit.point + 1e-4 * hit.normal;
                let gap = point_distance(shape, outside);
                assert!((gap - 1e-4).abs() <= 2e-6 + allowed, "{what}: gap {gap}");
            }
            let until = hit.map_or(8.0, |hit| hit.fraction);
            for step in 0..40 {
                let time = until * (f64::from(step) + 0.5) / 40.5;
                let gap = point_distance(shape, from + time * direction);
                assert!(gap > -1e-7, "{what}: inside at {time} of {until}, {gap}");
            }
        }
        assert!(
            hits > 10,
            "{} {kind} was hit {hits} times",
            shape.kind_name()
        );
    }
}

/// Rays along axes, through edges, from inside and past the end. Known by hand.
#[test]
fn rays_along_the_axes_hit_where_they_must() {
    let cylinder = Shape::cylinder(1.0, 0.5);
    let cone = Shape::cone(1.0, 1.0);
    let (down, left) = (DVec3::NEG_Y, DVec3::NEG_X);
    let top = ray(&cylinder, DVec3::new(0.2, 5.0, 0.1), down, 10.0).expect("a cap");
    assert!(top.fraction == 4.0 && top.normal == DVec3::Y);
    let side = ray(&cylinder, DVec3::new(3.0, 0.9, 0.0), left, 10.0).expect("the side");
    assert!((side.fraction - 2.5).abs() < 1e-12 && side.normal.abs_diff_eq(DVec3::X, 1e-12));
    assert!(ray(&cylinder, DVec3::new(3.0, 1.1, 0.0), left, 10.0).is_none());
    assert!(ray(&cylinder, DVec3::new(3.0, 0.0, 0.0), left, 2.4).is_none());
    assert!(ray(&cylinder, DVec3::new(3.0, 0.0, 0.0), -left, 10.0).is_none());

    let apex = ray(&cone, DVec3::new(0.0, 3.0, 0.0), down, 10.0).expect("the apex");
    assert!((apex.fraction - 2.0).abs() < 1e-9);
    let slope = ray(&cone, DVec3::new(3.0, 0.0, 0.0), left, 10.0).expect("the side");
    assert!((slope.fraction - 2.5).abs() < 1e-12);
    let out = DVec3::new(2.0, 1.0, 0.0).normalize();
    assert!(slope.normal.abs_diff_eq(out, 1e-12));
    let base = ray(&cone, DVec3::new(0.9, -3.0, 0.0), DVec3::Y, 10.0).expect("the base");
    assert!(base.fraction == 2.0 && base.normal == DVec3::NEG_Y);

    for shape in shapes(1.0) {
        let is_thin = matches!(shape, Shape::Triangle { .. } | Shape::Segment { .. });
        if is_thin || shape.is_infinite() {
            continue;
        }
        let center = shape.solid().expect("solid").center;
        let hit = ray(&shape, center, DVec3::new(0.3, 0.2, 0.9), 1.0).expect("inside");
        assert!(hit.is_inside && hit.fraction == 0.0, "{shape:?}");
    }
}

/// Straight casts whose time is known by hand: head on, past, away, at rest, from contact, and a
/// thin plate in the way of a bullet that travels a million times its size.
#[test]
fn straight_casts_end_where_they_must() {
    let mut counters = Counters::default();
    let settings = CastSettings::default();
    let ball = Shape::sphere(0.5);
    let mut go = |a: &Shape, b: &Shape, from: DVec3, velocity: DVec3| {
        cast(a, b, &at(from), velocity, &settings, &mut counters)
    };
    let wall = Shape::cube(Vec3::new(1.0, 5.0, 5.0));
    let toi = go(
        &wall,
        &ball,
        DVec3::new(5.0, 0.0, 0.0),
        DVec3::new(-10.0, 0.0, 0.0),
    );
    assert!(
        toi.end == CastEnd::Hit && (toi.time - 0.35).abs() < 1e-7,
        "{toi:?}"
    );
    assert!(toi.separation.normal.abs_diff_eq(DVec3::X, 1e-9) && toi.approach == 10.0);

    let past = go(
        &wall,
        &ball,
        DVec3::new(5.0, 5.6, 0.0),
        DVec3::new(-10.0, 0.0, 0.0),
    );
    assert_eq!(past.end, CastEnd::Missed, "{past:?}");
    let away = go(
        &wall,
        &ball,
        DVec3::new(2.0, 0.0, 0.0),
        DVec3::new(10.0, 0.0, 0.0),
    );
    assert!(away.end == CastEnd::Missed && away.time == 1.0 && away.steps == 1);
    let still = go(&wall, &ball, DVec3::new(2.0, 0.0, 0.0), DVec3::ZERO);
    assert!(still.end == CastEnd::Missed && still.steps == 1);
    let inside = go(&wall, &ball, DVec3::new(1.4, 0.0, 0.0), DVec3::X);
    assert!(inside.end == CastEnd::StartsInContact && inside.approach < 0.0);

    let plate = Shape::cube(Vec3::new(1e-4, 100.0, 100.0));
    let bullet = Shape::cylinder(0.01, 0.01);
    let toi = go(
        &plate,
        &bullet,
        DVec3::new(1e4, 3.0, -7.0),
        DVec3::new(-2e4, 0.0, 0.0),
    );
    let expected = (1e4 - 0.01 - f64::from(1e-4f32)) / 2e4;
    assert!(
        toi.end == CastEnd::Hit && (toi.time - expected).abs() < 1e-9,
        "{toi:?}"
    );

    let floor = Shape::half_space(Vec3::Y);
    let cone = Shape::cone(0.5, 0.5);
    let toi = go(
        &floor,
        &cone,
        DVec3::new(0.0, 2.0, 0.0),
        DVec3::new(3.0, -3.0, 0.0),
    );
    assert!(
        toi.end == CastEnd::Hit && (toi.time - 0.5).abs() < 1e-7,
        "{toi:?}"
    );
}

/// A rod of length 2 turns by 90 degrees above a floor half a metre below it: its end touches
/// at 30 degrees, whatever turns beside it.
#[test]
fn a_turning_rod_touches_the_floor_at_thirty_degrees() {
    let rod = Shape::segment(Vec3::new(-1.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0));
    let turning = Motion {
        angular: DVec3::new(0.0, 0.0, std::f64::consts::FRAC_PI_2),
        ..Motion::still(at(DVec3::new(0.3, 0.5, -2.0)))
    };
    let floor = Motion::still(at(DVec3::ZERO));
    for shape in [
        Shape::half_space(Vec3::Y),
        Shape::cube(Vec3::new(20.0, 1e-6, 20.0)),
    ] {
        let mut counters = Counters::default();
        let settings = CastSettings {
            slack: 1e-7,
            ..CastSettings::default()
        };
        let toi = cast_motion((&shape, &floor), (&rod, &turning), &settings, &mut counters);
        assert!(
            toi.end == CastEnd::Hit && (toi.time - 1.0 / 3.0).abs() < 1e-5,
            "{toi:?}"
        );
        let back = cast_motion((&rod, &turning), (&shape, &floor), &settings, &mut counters);
        assert!((back.time - toi.time).abs() < 1e-6, "{back:?}");
    }
}

/// Every pair of kinds flies at each other, turning: at the time told the separation is the
/// target, no earlier moment is closer, and a miss stays apart at every moment looked at.
#[test]
fn no_moment_before_the_time_of_impact_is_closer() {
    let shapes = shapes(1.0);
    let mut flights = Flights::new(12);
    for a in &shapes {
        for b in &shapes {
            flights.fly((a, 1.0), (b, 1.0), 1.5, 3.0);
        }
    }
    assert!(flights.hits > 100, "{} hits", flights.hits);
}

/// The same for shapes of a thousandth to a thousand times each other's size, at rest, turning
/// slowly and up to ten times over, once for each pair of kinds or as often as
/// `DRYSTONE_CAST_ROUNDS` says: 400 rounds are 120,000 casts.
#[test]
fn no_moment_before_the_time_of_impact_is_closer_at_any_size_and_spin() {
    let rounds = std::env::var("DRYSTONE_CAST_ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1);
    let sizes = [1e-3, 0.03, 1.0, 30.0, 1e3];
    let kinds = sizes.map(|size| shapes(size as f32));
    let mut hits = 0;
    for round in 0..rounds {
        let mut flights = Flights::new(1000 + round);
        for a in 0..kinds[0].len() {
            for b in 0..kinds[0].len() {
                let [i, j] = [(); 2].map(|()| flights.random.below(sizes.len()));
                let spin = [0.0, 0.1, 3.0, 60.0][flights.random.below(4)];
                let (a, b) = (&kinds[i][a], &kinds[j][b]);
                flights.fly((a, sizes[i]), (b, sizes[j]), 0.5 * spin, spin);
            }
        }
        hits += flights.hits;
    }
    assert!(hits > 100 * rounds, "{hits} hits");
}

/// Casts at random, each checked at many moments.
struct Flights {
    random: Random,
    counters: Counters,
    hits: u64,
}

impl Flights {
    fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            counters: Counters::default(),
            hits: 0,
        }
    }

    /// Lets `b` fly at `a`, both of given sizes in metres and turning by up to so many radians.
    fn fly(
        &mut self,
        (a, size_a): (&Shape, f64),
        (b, size_b): (&Shape, f64),
        spin_a: f64,
        spin_b: f64,
    ) {
        if b.is_infinite() {
            return;
        }
        let size = 0.5 * (size_a + size_b);
        let (motion_a, motion_b) = self.motions(a.is_infinite(), (size_a, size_b), spin_a, spin_b);
        let target = [0.0, 0.0, 0.05 * size][self.random.below(3)];
        let settings = CastSettings {
            target,
            slack: 1e-4 * size,
            // Ten turns of a body beside a thousand times smaller one take thousands of steps.
            max_steps: 100_000,
            ..CastSettings::default()
        };
        let toi = cast_motion(
            (a, &motion_a),
            (b, &motion_b),
            &settings,
            &mut self.counters,
        );
        let what = format!("{a:?} {motion_a:?} {b:?} {motion_b:?}: {toi:?}");
        assert_ne!(toi.end, CastEnd::OutOfSteps, "{what}");
        let gap = |time: f64| {
            let b_in_a = motion_a.at(time).inverse().then(&motion_b.at(time));
            distance(a, b, &b_in_a)
        };
        if toi.end == CastEnd::StartsInContact {
            assert!(gap(0.0).lower <= target + 1.1e-4 * size, "{what}");
            return;
        }
        if toi.end == CastEnd::Hit {
            self.hits += 1;
            let there = gap(toi.time);
            assert!(there.upper >= target - 1e-6 * size, "{what} {there:?}");
            assert!(there.lower <= target + 1.1e-4 * size, "{what} {there:?}");
        }
        for step in 0..25 {
            let time = toi.time * f64::from(step) / 25.0;
            assert!(gap(time).upper > target, "{what} closer at {time}");
        }
    }

    /// Two motions that lead shapes of these sizes towards each other.
    fn motions(
        &mut self,
        onto_a_plane: bool,
        (size_a, size_b): (f64, f64),
        spin_a: f64,
        spin_b: f64,
    ) -> (Motion, Motion) {
        let random = &mut self.random;
        let spin_a = if onto_a_plane { 0.0 } else { spin_a };
        let direction = random.direction();
        let from = if onto_a_plane {
            DVec3::new(0.0, 4.0 * size_b, 0.0)
        } else {
            2.0 * (size_a + size_b) * direction
        };
        let drift = if onto_a_plane { 0.0 } else { 0.3 * size_a };
        let motion_a = Motion {
            center: size_a * DVec3::new(0.1, 0.2, -0.1),
            angular: spin_a * random.direction(),
            ..Motion::shift(at(DVec3::ZERO), drift * random.direction())
        };
        let start = Frame {
            rotation: random.matrix(),
            translation: from,
        };
        let aim = 0.4 * (size_a + size_b) * random.vector();
        let motion_b = Motion {
            center: size_b * DVec3::new(-0.1, 0.0, 0.2),
            angular: spin_b * random.vector(),
            ..Motion::shift(start, -1.8 * from + aim)
        };
        (motion_a, motion_b)
    }
}

/// Pairs of all kinds and sizes past each other, near misses and hits. What is said to pass is
/// nowhere nearer by cold queries along its way, and most of what does pass clearly is said to. Its
/// tracker mostly knows so from then on, by a plane that is nowhere behind the truth.
#[test]
fn what_passes_is_never_nearer() {
    let mut random = Random::new(31);
    let (mut passing, mut said) = (0, 0);
    let (mut known, mut all) = (0, 0);
    for number in 0..1500 {
        let size = [1e-3, 1.0, 1e3][number % 3];
        let (a, b) = (random.shape(size, 24), random.shape(0.6 * size, 24));
        let b_in_a = Frame {
            rotation: DMat3::from_quat(random.rotation()),
            translation: random.between(1.0, 4.0) * size * random.direction(),
        };
        let way = random.between(0.0, 6.0) * size * random.direction();
        let near = random.between(0.0, 0.3) * size;
        let moment = |k: u32| Frame {
            translation: b_in_a.translation + way * (f64::from(k) / 40.0),
            ..b_in_a
        };
        let gaps = (0..=40).map(|k| distance(&a, &b, &moment(k)).upper);
        let least = gaps.fold(f64::INFINITY, f64::min);
        let mut tracker = Tracker::default();
        let does = passes(&a, &b, &b_in_a, way, near, &mut tracker);
        assert!(!does || least > near, "#{number}: {least} within {near}");
        if does {
            let truth = distance(&a, &b, &b_in_a).upper;
            assert!(!tracker.proves_apart(&a, &b, &b_in_a, truth), "#{number}");
            known += usize::from(tracker.proves_apart_along(&a, &b, &b_in_a, way, near));
            all += 1;
        }
        if least > 1.5 * near + 0.2 * size {
            passing += 1;
            said += usize::from(does);
        }
        let same = at(DVec3::ZERO);
        assert!(!passes(&a, &a, &same, way, near, &mut tracker), "#{number}");
    }
    assert!(100 * known > 99 * all, "{known} of {all}");
    assert!(passing > 500, "{passing}");
    assert!(10 * said > 8 * passing, "{said} of {passing}");
}
