//! Queries against a look at every proxy.

mod random;

use std::ops::ControlFlow;

use drystone_broad_phase::{Activity, BoxCast, BoxHit, BoxNear, BroadPhase, Filter, ProxyDef};
use drystone_geometry::glam::DVec3;
use drystone_geometry::{Workers, WorldAabb};
use random::{Random, around};

/// Boxes of many sizes around `corner`, some removed again, some moved, two infinite.
fn scene(random: &mut Random, corner: DVec3) -> BroadPhase {
    let mut broad = BroadPhase::new();
    let fresh = |random: &mut Random| {
        let half = random.scale(-2, 1);
        around(
            corner + random.vector(-30.0, 30.0),
            random.vector(0.2, 1.0) * half,
        )
    };
    for id in 0..600 {
        let aabb = fresh(random);
        let def = random.def(aabb);
        broad.insert(id, def).expect("a free id and a valid box");
    }
    for id in [600, 601] {
        let max = DVec3::new(
            f64::INFINITY,
            corner.y - random.real(0.0, 40.0),
            f64::INFINITY,
        );
        let aabb = WorldAabb {
            min: DVec3::NEG_INFINITY,
            max,
        };
        let activity = Activity::Static;
        let def = ProxyDef {
            aabb,
            activity,
            filter: Filter::default(),
            owner: id,
        };
        broad.insert(id, def).expect("a free id and a valid box");
    }
    for id in 0..600 {
        if random.below(4) == 0 {
            broad.remove(id);
        } else if random.below(2) == 0 {
            let aabb = fresh(random);
            broad
                .move_proxy(id, aabb, random.vector(-1.0, 1.0).as_vec3())
                .expect("a valid box");
        }
    }
    broad
}

fn boxes(broad: &BroadPhase) -> Vec<(u32, WorldAabb)> {
    (0..602)
        .filter_map(|id| broad.fat_aabb(id).map(|fat| (id, fat)))
        .collect()
}

const CORNERS: [DVec3; 3] = [
    DVec3::ZERO,
    DVec3::new(1e7, -2e6, 1e7),
    DVec3::new(-300.0, 0.1, 0.3),
];

/// Regions from a point to all of space. `touching` is every box that overlaps, in order,
/// and breaking at the first hit stops there.
#[test]
fn a_box_query_finds_exactly_the_boxes_it_touches() {
    let mut random = Random::new(11);
    for corner in CORNERS {
        let broad = scene(&mut random, corner);
        let all = boxes(&broad);
        for _ in 0..300 {
            let half = random.vector(0.0, 1.0) * random.scale(-3, 2);
            let region = around(corner + random.vector(-40.0, 40.0), half);
            let hits = all.iter().filter(|(_, fat)| fat.overlaps(&region));
            let expected: Vec<u32> = hits.map(|&(id, _)| id).collect();
            assert_eq!(broad.touching(&region), expected);
            let mut visits = 0;
            let stopped = broad.query_box(&region, |id| {
                visits += 1;
                assert!(expected.contains(&id));
                ControlFlow::Break(())
            });
            assert_eq!(stopped.is_break(), !expected.is_empty());
            assert_eq!(visits, usize::from(!expected.is_empty()));
        }
        let expected: Vec<u32> = all.iter().map(|&(id, _)| id).collect();
        assert_eq!(broad.touching(&WorldAabb::INFINITE), expected);
        let nan = around(DVec3::NAN, DVec3::ONE);
        assert!(broad.touching(&nan).is_empty());
    }
}

/// The fraction of the way at which a box moving by `by` meets `fat`: intervals of time, one
/// per axis, in which they overlap, and what those have in common.
fn meeting(start: &WorldAabb, by: DVec3, fat: &WorldAabb) -> Option<f64> {
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for axis in 0..3 {
        let to_low = fat.min[axis] - start.max[axis];
        let to_high = fat.max[axis] - start.min[axis];
        if by[axis] == 0.0 {
            if to_low > 0.0 || to_high < 0.0 {
                return None;
            }
        } else {
            let (one, other) = (to_low / by[axis], to_high / by[axis]);
            from = from.max(one.min(other));
            to = to.min(one.max(other));
        }
    }
    (from <= to).then_some(from)
}

/// Rays and moving boxes, along axes and across, short and long. Everything met is reported
/// at its time; what is reported besides would be met by a box one part in a thousand of the
/// smallest proxy larger; the first hit is the earliest of all.
#[test]
fn a_cast_meets_the_boxes_on_its_way_and_the_first_one_first() {
    let mut random = Random::new(12);
    let mut hits = 0;
    for corner in CORNERS {
        let broad = scene(&mut random, corner);
        let all = boxes(&broad);
        for k in 0..300 {
            let half = if k % 3 == 0 {
                DVec3::ZERO
            } else {
                random.vector(0.0, 2.0)
            };
            let start = around(corner + random.vector(-40.0, 40.0), half);
            let mut by = random.vector(-1.0, 1.0) * random.scale(-2, 3);
            if k % 5 == 0 {
                by[random.below(3) as usize] = 0.0;
                by[random.below(3) as usize] = 0.0;
            }
            let mut reported = vec![None; 602];
            broad.cast_box(&start, by, |id, fraction| {
                assert_eq!(
                    reported[id as usize].replace(fraction),
                    None,
                    "visited once"
                );
                f64::INFINITY
            });
            let mut earliest = f64::INFINITY;
            for (id, fat) in &all {
                let met = meeting(&start, by, fat);
                let seen = reported[*id as usize];
                let size = fat.max - fat.min;
                let slack = if size.is_finite() {
                    0.001 * size.max_element()
                } else {
                    1e-6
                };
                if let Some(fraction) = met {
                    hits += 1;
                    earliest = earliest.min(fraction);
                    let seen = seen.expect("a box on the way is reported");
                    assert!(seen <= fraction + 1e-9, "{seen} after {fraction}");
                } else if seen.is_some() {
                    assert!(meeting(&start, by, &fat.inflate(slack)).is_some());
                }
            }
            let mut first = f64::INFINITY;
            broad.cast_box(&start, by, |id, _| {
                let exact = meeting(&start, by, &broad.fat_aabb(id).expect("a known id"));
                first = first.min(exact.unwrap_or(f64::INFINITY));
                first
            });
            assert_eq!(first, earliest);
        }
        broad.cast_ray(DVec3::NAN, DVec3::X, |_, _| panic!("a ray from nowhere"));
        broad.cast_ray(corner, DVec3::splat(f64::INFINITY), |_, _| {
            panic!("an endless ray")
        });
    }
    assert!(hits > 500, "only {hits} hits");
}

/// Points inside and outside the crowd: all within a distance, and the closest one.
#[test]
fn closest_finds_the_nearest_box() {
    let mut random = Random::new(13);
    for corner in CORNERS {
        let broad = scene(&mut random, corner);
        let all = boxes(&broad);
        for _ in 0..300 {
            let point = corner + random.vector(-60.0, 60.0);
            let distance = |fat: &WorldAabb| (point - point.clamp(fat.min, fat.max)).length();
            let within = random.real(0.0, 20.0);
            let mut found = Vec::new();
            broad.closest(point, within, |id, bound| {
                let fat = broad.fat_aabb(id).expect("a known id");
                assert!((bound - distance(&fat)).abs() <= 1e-7);
                found.push(id);
                within
            });
            found.sort_unstable();
            let near = all.iter().filter(|(_, fat)| distance(fat) <= within);
            let expected: Vec<u32> = near.map(|&(id, _)| id).collect();
            assert_eq!(found, expected);
            let mut best = f64::INFINITY;
            broad.closest(point, f64::INFINITY, |_, bound| {
                best = best.min(bound);
                best
            });
            let expected = all
                .iter()
                .map(|(_, fat)| distance(fat))
                .fold(f64::INFINITY, f64::min);
            assert!((best - expected).abs() <= 1e-7, "{best} against {expected}");
        }
    }
}

/// A ray through a dense crowd of 20,000 boxes, of which it meets about a hundred. When each
/// visit shortens the way, only the first few are looked at, since near cells come first.
#[test]
fn a_first_hit_visits_few_boxes() {
    let mut random = Random::new(14);
    let mut broad = BroadPhase::new();
    for id in 0..20_000 {
        let aabb = around(random.vector(-15.0, 15.0), DVec3::splat(0.5));
        let (activity, filter) = (Activity::Static, Filter::default());
        broad
            .insert(
                id,
                ProxyDef {
                    aabb,
                    activity,
                    filter,
                    owner: id,
                },
            )
            .expect("valid");
    }
    for _ in 0..50 {
        let (mut all, mut few) = (0, 0);
        let origin = random.vector(-15.0, 15.0);
        let translation = -2.0 * origin;
        broad.cast_ray(origin, translation, |_, _| {
            all += 1;
            1.0
        });
        broad.cast_ray(origin, translation, |_, fraction| {
            few += 1;
            fraction
        });
        assert!(few <= 12 && few <= all, "{few} of {all}");
    }
}

/// Rays, moving boxes, regions and points in batches, by one to four workers, half-spaces
/// and moved boxes among what they meet. First, all and any are told by looking at every
/// box; of equal answers the lower id wins.
#[test]
fn batches_answer_as_a_look_at_every_box() {
    let mut random = Random::new(15);
    let broad = scene(&mut random, DVec3::ZERO);
    let all = boxes(&broad);
    let casts: Vec<BoxCast> = (0..200)
        .map(|k| {
            let half = if k % 2 == 0 {
                DVec3::ZERO
            } else {
                random.vector(0.0, 1.0)
            };
            BoxCast {
                start: around(random.vector(-40.0, 40.0), half),
                translation: random.vector(-60.0, 60.0),
            }
        })
        .collect();
    let exact = |cast: &BoxCast, id: u32| {
        let fat = broad.fat_aabb(id).expect("a known id");
        meeting(&cast.start, cast.translation, &fat)
    };
    let firsts: Vec<Option<BoxHit>> = casts
        .iter()
        .map(|cast| {
            let hits = all.iter().filter_map(|&(id, _)| {
                let fraction = exact(cast, id)?;
                Some(BoxHit { id, fraction })
            });
            hits.min_by(|a, b| {
                (a.fraction, a.id)
                    .partial_cmp(&(b.fraction, b.id))
                    .expect("numbers")
            })
        })
        .collect();
    assert!(firsts.iter().flatten().count() > 50);
    assert!(firsts.iter().any(Option::is_none));
    let points: Vec<DVec3> = casts.iter().map(|cast| cast.start.min).collect();
    let distance = |point: DVec3, id: u32| {
        let fat = broad.fat_aabb(id).expect("a known id");
        (point - point.clamp(fat.min, fat.max)).length()
    };
    let nearest: Vec<Option<BoxNear>> = points
        .iter()
        .map(|&point| {
            let near = all.iter().map(|&(id, _)| BoxNear {
                id,
                distance: distance(point, id),
            });
            near.filter(|near| near.distance <= 5.0).min_by(|a, b| {
                (a.distance, a.id)
                    .partial_cmp(&(b.distance, b.id))
                    .expect("numbers")
            })
        })
        .collect();
    let regions: Vec<WorldAabb> = casts.iter().map(|cast| cast.start).collect();
    for threads in [1, 2, 4] {
        let workers = Workers::new(threads).expect("threads for the test");
        let found = broad.first_hits(&workers, &casts, |k, id, _| exact(&casts[k], id));
        assert_eq!(found, firsts, "{threads} threads");
        let found = broad.nearest_each(&workers, &points, 5.0, |k, id, _| {
            Some(distance(points[k], id))
        });
        assert_eq!(found, nearest, "{threads} threads");
        let lists = broad.all_hits_of(&workers, &casts);
        for (cast, hits) in casts.iter().zip(&lists) {
            assert!(hits.is_sorted_by_key(|hit| hit.fraction));
            let met = all.iter().filter(|(id, _)| exact(cast, *id).is_some());
            for (id, _) in met {
                assert!(hits.iter().any(|hit| hit.id == *id));
            }
            assert_eq!(broad.any_hit(cast, |_| true), !hits.is_empty());
            assert!(!broad.any_hit(cast, |_| false));
        }
        let touching = broad.touching_each(&workers, &regions);
        for (region, ids) in regions.iter().zip(&touching) {
            let hits = all.iter().filter(|(_, fat)| fat.overlaps(region));
            assert!(hits.map(|&(id, _)| id).eq(ids.iter().copied()));
            assert_eq!(broad.any_touching(region, |_| true), !ids.is_empty());
        }
    }
}
