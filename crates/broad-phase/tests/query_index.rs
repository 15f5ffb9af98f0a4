//! Queries in between changes, against a look at every proxy: before a tree is built for
//! them, after, and after each kind of change to what it was built of.

mod random;

use drystone_broad_phase::{Activity, BoxCast, BoxHit, BroadPhase, Filter, ProxyDef};
use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{Workers, WorldAabb};
use random::{Random, around};

/// More ids than any test uses.
const IDS: u32 = 1500;

/// Boxes of a few sizes in clusters, some of them tiny and far apart.
fn fresh(random: &mut Random) -> WorldAabb {
    let cluster = DVec3::new(random.below(3) as f64, 0.0, random.below(3) as f64);
    let scale = [1.0, 1.0, 1e-3][random.below(3) as usize];
    let center = 40.0 * cluster + random.vector(-9.0, 9.0) * scale;
    around(center, random.vector(0.1, 1.0) * scale)
}

fn scene(random: &mut Random) -> BroadPhase {
    let mut broad = BroadPhase::new();
    for id in 0..1300 {
        let aabb = fresh(random);
        let def = random.def(aabb);
        broad.insert(id, def).expect("a free id and a valid box");
    }
    broad
}

/// The fraction of the way at which a box meets `fat`: what the intervals of time in which
/// they overlap along each axis have in common.
fn meeting(cast: &BoxCast, fat: &WorldAabb) -> Option<f64> {
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for axis in 0..3 {
        let by = cast.translation[axis];
        let to_low = fat.min[axis] - cast.start.max[axis];
        let to_high = fat.max[axis] - cast.start.min[axis];
        if by == 0.0 {
            if to_low > 0.0 || to_high < 0.0 {
                return None;
            }
        } else {
            from = from.max((to_low / by).min(to_high / by));
            to = to.min((to_low / by).max(to_high / by));
        }
    }
    (from <= to).then_some(from)
}

/// One question of each kind, against all boxes.
fn ask(broad: &BroadPhase, random: &mut Random) {
    let all: Vec<(u32, WorldAabb)> = (0..IDS)
        .filter_map(|id| broad.fat_aabb(id).map(|fat| (id, fat)))
        .collect();
    let place = fresh(random);
    let corner = place.min + random.vector(-1.0, 1.0);

    let region = around(corner, random.vector(0.0, 3.0));
    let touching = all.iter().filter(|(_, fat)| fat.overlaps(&region));
    let touching: Vec<u32> = touching.map(|(id, _)| *id).collect();
    assert_eq!(broad.touching(&region), touching);
    assert_eq!(broad.any_touching(&region, |_| true), !touching.is_empty());

    let mut translation = random.vector(-1.0, 1.0) * random.scale(-2, 3);
    if random.below(4) == 0 {
        translation[random.below(3) as usize] = 0.0;
        translation[random.below(3) as usize] = 0.0;
    }
    let half = random.vector(0.0, 1.0) * random.below(2) as f64;
    let start = around(corner, half);
    let cast = BoxCast { start, translation };
    let exact = |id: u32| meeting(&cast, &broad.fat_aabb(id).expect("a known id"));
    let met = all.iter().filter_map(|(id, fat)| {
        let fraction = meeting(&cast, fat)?;
        Some(BoxHit { id: *id, fraction })
    });
    let met: Vec<BoxHit> = met.collect();
    let mut first: Option<BoxHit> = None;
    for hit in &met {
        if first.is_none_or(|first| hit.fraction < first.fraction) {
            first = Some(*hit);
        }
    }
    assert_eq!(broad.first_hit(&cast, |id, _| exact(id)), first);
    let hits = broad.all_hits(&cast);
    assert!(
        met.iter()
            .all(|met| hits.iter().any(|hit| hit.id == met.id))
    );
    for hit in &hits {
        // A box that is missed by less than rounding may be among them: relative to
        // coordinates below 200 m, at the speed of the cast, with room for a dozen roundings.
        let slack = 12.0 * 200.0 * f64::EPSILON;
        let grown = broad.fat_aabb(hit.id).expect("a known id").inflate(slack);
        assert!(meeting(&cast, &grown).is_some(), "{hit:?}");
    }
    assert!(broad.any_hit(&cast, |_| true) || hits.is_empty());

    let distance = |fat: &WorldAabb| (corner - corner.clamp(fat.min, fat.max)).length();
    let nearest = all.iter().map(|(_, fat)| distance(fat));
    let nearest = nearest.fold(f64::INFINITY, f64::min);
    let exact = |id: u32| distance(&broad.fat_aabb(id).expect("a known id"));
    let near = broad.nearest(corner, f64::INFINITY, |id, _| Some(exact(id)));
    assert_eq!(near.map(|near| near.distance), Some(nearest));
    let mut within = Vec::new();
    broad.closest(corner, 2.0, |id, _| {
        within.push(id);
        2.0
    });
    within.sort_unstable();
    let expected = all.iter().filter(|(_, fat)| distance(fat) <= 2.0);
    assert!(within.iter().eq(expected.map(|(id, _)| id)));
}

/// Asks a few questions, then so many that trees are built, which shows as memory held, then a
/// few more.
fn ask_at_length(broad: &BroadPhase, random: &mut Random, what: &str) {
    let before = broad.memory_bytes();
    for _ in 0..3 {
        ask(broad, random);
    }
    assert_eq!(broad.memory_bytes(), before, "no tree yet after {what}");
    let region = fresh(random);
    for _ in 0..600 {
        broad.any_touching(&region, |_| false);
    }
    assert!(broad.memory_bytes() > before, "a tree after {what}");
    for _ in 0..25 {
        ask(broad, random);
    }
}

/// Every kind of change to what trees were built of, each after queries without number:
/// queries see it at once.
#[test]
fn queries_see_every_change_at_once() {
    let mut random = Random::new(21);
    let mut broad = scene(&mut random);
    ask_at_length(&broad, &mut random, "loading");
    type Change = fn(&mut BroadPhase, &mut Random);
    let changes: [(&str, Change); 10] = [
        ("an insertion", |broad, random| {
            for activity in [Activity::Static, Activity::Awake] {
                let id = (0..IDS).find(|id| broad.activity(*id).is_none());
                let aabb = fresh(random);
                let def = random.def(aabb);
                broad
                    .insert(id.expect("a free id"), ProxyDef { activity, ..def })
                    .expect("a valid box");
            }
        }),
        ("a removal", |broad, _| {
            for activity in [Activity::Static, Activity::Awake] {
                let id = (0..IDS).find(|id| broad.activity(*id) == Some(activity));
                assert!(broad.remove(id.expect("one of them")));
            }
        }),
        ("a small move", |broad, _| {
            for activity in [Activity::Static, Activity::Awake] {
                let id = (0..IDS).find(|id| broad.activity(*id) == Some(activity));
                let id = id.expect("one of them");
                let fat = broad.fat_aabb(id).expect("a known id");
                let by = 0.1 * (fat.max - fat.min);
                let tight = WorldAabb {
                    min: fat.min + by,
                    max: fat.max + by,
                };
                assert_eq!(broad.move_proxy(id, tight, Vec3::ZERO), Ok(true));
            }
        }),
        ("a teleport", |broad, random| {
            for activity in [Activity::Static, Activity::Awake] {
                let id = (0..IDS).find(|id| broad.activity(*id) == Some(activity));
                let id = id.expect("one of them");
                let moved = broad.move_proxy(id, fresh(random), Vec3::ZERO);
                assert_eq!(moved, Ok(true));
            }
        }),
        ("many moves", |broad, random| {
            let ids: Vec<u32> = (0..IDS)
                .filter(|&id| broad.activity(id).is_some())
                .collect();
            let tight: Vec<WorldAabb> = ids.iter().map(|_| fresh(random)).collect();
            let motion = vec![Vec3::ZERO; ids.len()];
            broad
                .move_proxies(&Workers::ALONE, &ids, &tight, &motion)
                .expect("valid boxes");
        }),
        ("falling asleep for ever and waking", |broad, _| {
            for [from, to] in [
                [Activity::Awake, Activity::Static],
                [Activity::Static, Activity::Asleep],
            ] {
                let id = (0..IDS).find(|id| broad.activity(*id) == Some(from));
                assert!(broad.set_activity(id.expect("one of them"), to));
            }
        }),
        ("many insertions", |broad, random| {
            let ids: Vec<u32> = (0..IDS)
                .filter(|&id| broad.activity(id).is_none())
                .collect();
            let defs = ids.iter().map(|&id| {
                let aabb = fresh(random);
                let activity = [Activity::Static, Activity::Awake][id as usize % 2];
                let filter = Filter::default();
                (
                    id,
                    ProxyDef {
                        aabb,
                        activity,
                        filter,
                        owner: id,
                    },
                )
            });
            let defs: Vec<_> = defs.collect();
            broad
                .insert_many(&Workers::ALONE, defs)
                .expect("valid boxes");
        }),
        ("many removals", |broad, _| {
            let ids: Vec<u32> = (0..IDS).filter(|id| id % 7 == 0).collect();
            assert!(broad.remove_many(&ids) > 0);
        }),
        ("a restoration", |broad, _| {
            let pairs: Vec<_> = broad.pairs().collect();
            let told = |id: u32| Some((broad.activity(id)?, broad.filter(id)?, id));
            *broad = BroadPhase::restore(&broad.save(), told, &pairs).expect("what was saved");
        }),
        ("a copy in writing", |broad, _| {
            let text = ron::to_string(&*broad).expect("plain data");
            *broad = ron::from_str(&text).expect("what was written");
        }),
    ];
    for (what, change) in changes {
        change(&mut broad, &mut random);
        ask_at_length(&broad, &mut random, what);
        broad.update(&Workers::ALONE);
        for _ in 0..3 {
            ask(&broad, &mut random);
        }
    }
    let copy = broad.clone();
    ask_at_length(&copy, &mut random, "a clone");
}

/// Four threads ask the same questions of one broad phase, from before there is a tree until
/// after: all get the answers of one that was asked first.
#[test]
fn threads_get_the_same_answers_while_a_tree_is_built() {
    let mut random = Random::new(22);
    let broad = scene(&mut random);
    let casts: Vec<BoxCast> = (0..400)
        .map(|_| {
            let start = fresh(&mut random);
            let translation = random.vector(-30.0, 30.0);
            BoxCast { start, translation }
        })
        .collect();
    let answers = |broad: &BroadPhase| -> Vec<_> {
        let one = |cast: &BoxCast| {
            let first = broad.first_hit(cast, |_, fraction| Some(fraction));
            let nearest = broad.nearest(cast.start.min, 50.0, |_, bound| Some(bound));
            (
                first,
                broad.all_hits(cast),
                broad.touching(&cast.start),
                nearest,
            )
        };
        casts.iter().map(one).collect()
    };
    // Each question to a broad phase that was never asked before.
    let expected: Vec<_> = casts
        .iter()
        .map(|cast| {
            let fresh = broad.clone();
            let first = fresh.first_hit(cast, |_, fraction| Some(fraction));
            let nearest = fresh.nearest(cast.start.min, 50.0, |_, bound| Some(bound));
            (
                first,
                fresh.all_hits(cast),
                fresh.touching(&cast.start),
                nearest,
            )
        })
        .collect();
    let before = broad.memory_bytes();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| answers(&broad))).collect();
        for thread in threads {
            assert_eq!(thread.join().expect("answers"), expected);
        }
    });
    assert!(broad.memory_bytes() > before, "a tree was built");
}

/// A proxy that is a point, at the origin and elsewhere, asked by points that do not move: it
/// is met, touched and at no distance, before and after there is a tree.
#[test]
fn a_point_meets_a_point() {
    for at in [DVec3::ZERO, DVec3::ONE, DVec3::new(-3.0, 0.5, 1e6)] {
        let mut broad = BroadPhase::new();
        let point = WorldAabb { min: at, max: at };
        let (activity, filter) = (Activity::Static, Filter::default());
        let def = ProxyDef {
            aabb: point,
            activity,
            filter,
            owner: 0,
        };
        broad.insert(0, def).expect("a free id and a valid box");
        let before = broad.memory_bytes();
        for _ in 0..20 {
            let cast = BoxCast::ray(at, DVec3::ZERO);
            let hit = broad.first_hit(&cast, |_, fraction| Some(fraction));
            assert_eq!(hit.map(|hit| hit.fraction), Some(0.0));
            assert_eq!(broad.touching(&point), [0]);
            let near = broad.nearest(at, 0.0, |_, distance| Some(distance));
            assert_eq!(near.map(|near| near.distance), Some(0.0));
        }
        assert!(broad.memory_bytes() > before, "a tree was built");
    }
}
