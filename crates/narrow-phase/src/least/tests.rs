//! EPA, which grows a polytope and knows nothing of slides and cells, as the oracle.

use drystone_geometry::glam::{DQuat, DVec3, Vec3};
use drystone_geometry::{Frame, Shape, rotation};

use super::*;
use crate::epa::Epa;
use crate::gjk::{Search, Seed, Verdict as Met};
use crate::tolerance::{HELD_DEPTH, MAX_GJK_STEPS};
use crate::trace::Silent;

/// SplitMix64, uniform from -1 to 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }

    /// A cone or a prism whose rim has this many corners.
    fn round(&mut self, count: usize, is_cone: bool) -> Shape {
        let rim = |height: f32| {
            (0..count.max(3)).map(move |i| {
                let angle = std::f64::consts::TAU * i as f64 / count.max(3) as f64;
                let (sin, cos) = libm::sincos(angle);
                Vec3::new(0.8 * cos as f32, height, 0.8 * sin as f32)
            })
        };
        let mut points: Vec<Vec3> = rim(-0.4).collect();
        if is_cone {
            points.push(Vec3::new(0.0, 0.8, 0.0));
        } else {
            points.extend(rim(0.4));
        }
        Shape::hull(&points).expect("a solid")
    }

    /// Corners on an ellipsoid of these half axes.
    fn hull(&mut self, count: usize, half_axes: Vec3) -> Shape {
        let points: Vec<Vec3> = (0..count)
            .map(|_| half_axes * self.vector().normalize_or(DVec3::X).as_vec3())
            .collect();
        Shape::hull(&points).expect("a solid")
    }
}

/// Hulls from 6 to 1,000 corners, round, flat and like needles, cones and prisms, from a hair to
/// half way into each other. Whatever a slide calls the least depth is EPA's, and it is
/// found mostly, from whatever direction the slide starts.
#[test]
fn the_least_depth_is_that_of_epa() {
    let seeds = std::env::var("DRYSTONE_DEPTH_SEEDS").map_or(60, |text| {
        text.parse().expect("DRYSTONE_DEPTH_SEEDS is a count")
    });
    let (mut found, mut lost, mut epa) = (0, 0, Epa::default());
    let counts = [6, 8, 12, 20, 50, 200, 1000];
    let axes = [
        Vec3::ONE,
        Vec3::new(1.0, 1.0, 0.1),
        Vec3::new(1.0, 0.1, 0.1),
        Vec3::new(1.0, 0.6, 0.4),
    ];
    for seed in 0..seeds {
        let mut random = Random(seed);
        let mut pick = |count: usize| ((random.next() + 1.0) * 0.5 * count as f64) as usize;
        let (n, m, k, l) = (pick(7), pick(7), pick(6), pick(6));
        let mut shape = |count: usize, kind: usize| match axes.get(kind) {
            Some(&half_axes) => random.hull(count, half_axes),
            None => random.round(count, kind == axes.len()),
        };
        let (a, b) = (shape(counts[n], k), shape(counts[m], l));
        let (Shape::Hull(hull_a), Shape::Hull(hull_b)) = (&a, &b) else {
            panic!("hulls");
        };
        for _ in 0..60 {
            let [x, y, z, w] = [(); 4].map(|()| random.next());
            let length = (x * x + y * y + z * z + w * w).sqrt();
            let turn = DQuat::from_xyzw(x / length, y / length, z / length, w / length);
            let mut pose = Frame {
                rotation: rotation::to_dmatrix(turn),
                translation: 3.0 * random.vector(),
            };
            let apart = crate::distance(&a, &b, &pose);
            let share = 0.5 + 0.5 * random.next();
            let deep = apart.distance().max(0.0) + share * share * share * 0.5;
            pose.translation -= deep * apart.normal;
            let pair = Pair::new(Core::Hull(hull_a), Core::Hull(hull_b), &pose);
            let mut search = Search::new(&pair, &Seed::NONE);
            search.run(MAX_GJK_STEPS, f64::INFINITY, &mut Silent);
            if search.found.verdict != Met::Met {
                continue;
            }
            let simplex = search.found.simplex.vertices();
            let expected = epa.run(&pair, simplex, &mut Silent).expect("solids");
            let direction = random.vector().normalize_or(DVec3::Y);
            let corner = pair.support(direction, NO_HINT, NO_HINT);
            let start = ([corner.a, corner.b].map(Feature::vertex), false);
            let tolerance = HELD_DEPTH * pair.scale;
            let mut answer = NOTHING;
            match depth(&pair, start, direction, tolerance, &mut Silent, &mut answer) {
                Least::Found(_) => {
                    found += 1;
                    let missed = -answer.lower - expected.depth;
                    assert!(
                        missed <= 1.01 * tolerance && missed >= -tolerance,
                        "seed {seed}: {} but EPA says {}",
                        -answer.lower,
                        expected.depth
                    );
                }
                Least::Unproved | Least::Lost => lost += 1,
                Least::Apart(..) => assert!(expected.depth <= tolerance, "seed {seed}"),
            }
        }
    }
    println!("{found} found, {lost} left to a search");
    assert!(found > 5 * lost, "{found} found, {lost} lost");
}
