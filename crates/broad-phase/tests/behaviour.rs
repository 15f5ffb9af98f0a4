//! What callers rely on besides the pairs themselves: the same arrays for any number of
//! threads, refusals, margins, and no cost at rest.

mod random;

use drystone_broad_phase::{Activity, BroadPhase, Filter, Pair, PairChanges, ProxyDef, ProxyError};
use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{Workers, WorldAabb};
use random::{Random, around};

fn def(aabb: WorldAabb, activity: Activity, owner: u32) -> ProxyDef {
    ProxyDef {
        aabb,
        activity,
        filter: Filter::default(),
        owner,
    }
}

/// Boxes come, go, move and change between the two parts of an update, or the second comes twice or
/// without the first: the oracle is a broad phase that only knows whole updates.
#[test]
fn nothing_is_lost_between_the_parts_of_an_update() {
    let workers = Workers::ALONE;
    let mut random = Random::new(5);
    let [mut parted, mut whole] = [BroadPhase::new(), BroadPhase::new()];
    let half = DVec3::splat(0.6);
    for frame in 0..60_u32 {
        parted.find_changes(&workers);
        assert_eq!(parted.changes(), whole.update(&workers), "frame {frame}");
        for broad in [&parted, &whole] {
            assert_eq!(broad.pair_count(), whole.pairs().count());
        }
        for id in 0..40 {
            let (what, at) = (random.vector(0.0, 1.0).x, random.vector(-3.0, 3.0));
            let mask = if what < 0.7 { 0 } else { u32::MAX };
            let filter = Filter {
                mask,
                ..Filter::default()
            };
            for broad in [&mut parted, &mut whole] {
                if broad.activity(id).is_none() {
                    let def = def(around(at, half), Activity::Awake, id);
                    broad.insert(id, def).expect("valid");
                } else if what < 0.2 {
                    assert!(broad.remove(id));
                } else if what < 0.4 {
                    let moved = broad.move_proxy(id, around(at, half), Vec3::ZERO);
                    moved.expect("valid");
                } else if what < 0.5 {
                    assert!(broad.set_activity(id, Activity::Static));
                } else if what < 0.6 {
                    assert!(broad.set_activity(id, Activity::Awake));
                } else if what < 0.8 {
                    assert!(broad.set_filter(id, filter));
                }
            }
            if what > 0.97 {
                parted.enter_changes();
            }
        }
    }
    parted.update(&workers);
    whole.update(&workers);
    assert!(parted.pairs().eq(whole.pairs()) && whole.pairs().count() > 5);
}

/// Twelve frames over 6,000 boxes with single and batched edits, in the current pool.
fn history(workers: &Workers) -> Vec<PairChanges> {
    let mut random = Random::new(21);
    let mut broad = BroadPhase::new();
    let mut centers = Vec::new();
    for id in 0..6000 {
        let center = random.vector(-14.0, 14.0);
        let activity = random.activity();
        broad
            .insert(id, def(around(center, DVec3::splat(0.5)), activity, id))
            .expect("valid");
        centers.push(center);
    }
    let mut history = vec![broad.update(workers).clone()];
    for frame in 0..12 {
        let ids: Vec<u32> = (0..6000).filter(|id| (id + frame) % 3 != 0).collect();
        let mut boxes = Vec::new();
        let mut motions = Vec::new();
        for &id in &ids {
            let by = random.vector(-0.2, 0.2);
            centers[id as usize] += by;
            boxes.push(around(centers[id as usize], DVec3::splat(0.5)));
            motions.push(by.as_vec3());
        }
        broad
            .move_proxies(workers, &ids, &boxes, &motions)
            .expect("valid boxes");
        history.push(broad.update(workers).clone());
    }
    history
}

/// The same edits with one to eight workers. Bit-equal arrays, by direct comparison.
#[test]
fn changes_do_not_depend_on_the_number_of_threads() {
    let run = |threads| history(&Workers::new(threads).expect("threads for the test"));
    let expected = run(1);
    assert!(expected.iter().all(|changes| changes.added.len() > 100));
    for threads in [2, 4, 8] {
        assert!(run(threads) == expected, "{threads} threads");
    }
}

/// A copy, and a copy through text, go on with the same changes as the original.
#[test]
fn a_snapshot_goes_on_as_the_original() {
    let mut random = Random::new(22);
    let mut broad = BroadPhase::new();
    for id in 0..300 {
        let aabb = around(random.vector(-4.0, 4.0), DVec3::splat(0.5));
        let proxy = random.def(aabb);
        broad.insert(id, proxy).expect("a free id and a valid box");
    }
    broad
        .insert(300, def(WorldAabb::INFINITE, Activity::Static, 999))
        .expect("valid");
    broad.update(&Workers::ALONE);
    for id in 0..100 {
        broad.remove(3 * id);
    }
    let text = ron::to_string(&broad).expect("plain data");
    let mut restored: BroadPhase = ron::from_str(&text).expect("what was written");
    let mut copy = broad.clone();
    for id in 0..300 {
        if id % 3 != 0 {
            let aabb = around(random.vector(-4.0, 4.0), DVec3::splat(0.5));
            for each in [&mut broad, &mut restored, &mut copy] {
                each.move_proxy(id, aabb, Vec3::ZERO).expect("a valid box");
            }
        }
    }
    let expected = broad.update(&Workers::ALONE).clone();
    assert!(!expected.added.is_empty() && !expected.removed.is_empty());
    assert_eq!(restored.update(&Workers::ALONE), &expected);
    assert_eq!(copy.update(&Workers::ALONE), &expected);
    assert!(restored.pairs().eq(broad.pairs()));
}

/// NaN in any bound, bounds the wrong way round, taken and unknown ids: each is refused by
/// name and nothing changes.
#[test]
fn bad_input_is_refused_and_changes_nothing() {
    let mut broad = BroadPhase::new();
    let good = around(DVec3::ZERO, DVec3::ONE);
    broad
        .insert(3, def(good, Activity::Awake, 0))
        .expect("valid");
    broad
        .insert(4, def(good, Activity::Awake, 1))
        .expect("valid");
    broad.update(&Workers::ALONE);
    let mut bad = vec![WorldAabb {
        min: DVec3::ONE,
        max: DVec3::ZERO,
    }];
    for axis in 0..3 {
        let (mut low, mut high) = (good, good);
        low.min[axis] = f64::NAN;
        high.max[axis] = f64::NAN;
        bad.extend([low, high]);
    }
    for aabb in bad {
        let refused = Err(ProxyError::InvalidBox { id: 5 });
        assert_eq!(broad.insert(5, def(aabb, Activity::Awake, 2)), refused);
        assert_eq!(
            broad.move_proxy(3, aabb, Vec3::ZERO),
            Err(ProxyError::InvalidBox { id: 3 })
        );
    }
    let again = broad.insert(3, def(good, Activity::Static, 0));
    assert_eq!(again, Err(ProxyError::IdInUse { id: 3 }));
    for unknown in [0, 5, u32::MAX] {
        let moved = broad.move_proxies(&Workers::ALONE, &[unknown], &[good], &[Vec3::ZERO]);
        assert_eq!(moved, Err(ProxyError::UnknownId { id: unknown }));
        assert!(!broad.remove(unknown));
        assert!(!broad.set_activity(unknown, Activity::Awake));
        assert!(!broad.set_filter(unknown, Filter::default()));
        assert_eq!(broad.fat_aabb(unknown), None);
    }
    assert!(broad.remove(3));
    let moved = broad.move_proxies(
        &Workers::ALONE,
        &[3, 4],
        &[good, good.inflate(9.0)],
        &[Vec3::ZERO; 2],
    );
    assert_eq!(moved, Err(ProxyError::UnknownId { id: 3 }));
    assert!(
        broad
            .fat_aabb(4)
            .expect("known")
            .contains(&good.inflate(9.0)),
        "moved all the same"
    );
    broad
        .move_proxy(4, good, Vec3::NAN)
        .expect("a motion that is no number counts as none");
    let changes = broad.update(&Workers::ALONE);
    assert_eq!(changes.removed, [Pair { a: 3, b: 4 }]);
    assert!(changes.added.is_empty());
}

/// Seven boxes that stay within their margins keep their fat boxes, unless new ones are asked for:
/// then each has that of a proxy which comes where it is now.
#[test]
fn boxes_made_anew_are_those_of_new_proxies() {
    let at = |id: u32, by: f64| {
        let center = DVec3::new(3.0 * f64::from(id), by, 0.0);
        around(center, DVec3::splat(0.5))
    };
    let ids: Vec<u32> = (0..7).collect();
    let (mut broad, mut fresh) = (BroadPhase::new(), BroadPhase::new());
    for &id in &ids {
        for (broad, by) in [(&mut broad, 0.0), (&mut fresh, 0.01)] {
            broad
                .insert(id, def(at(id, by), Activity::Awake, id))
                .expect("valid");
        }
    }
    let boxes: Vec<WorldAabb> = ids.iter().map(|&id| at(id, 0.01)).collect();
    let (motions, mut moves) = ([Vec3::ZERO; 7], Vec::new());
    let planned = broad.plan_moves(&ids, &boxes, &motions, &mut moves);
    assert!(planned.is_ok() && moves.is_empty());

    let planned = broad.plan_anew(&ids, &boxes, &motions, &mut moves);
    assert!(planned.is_ok());
    assert_eq!(moves.len(), 7);
    broad.apply_moves(&moves);
    for &id in &ids {
        assert_eq!(broad.fat_aabb(id), fresh.fat_aabb(id));
    }
}

/// A move inside the margin changes nothing; one beyond it does; a motion lets the fat box
/// reach ahead; and the box shrinks again when the motion is over. Scales from dust to
/// mountains: the same must hold at each.
#[test]
fn fat_boxes_scale_with_size_and_reach_along_the_motion() {
    for half in [0.001, 0.5, 1000.0] {
        let mut broad = BroadPhase::new();
        let at = |x: f64| around(DVec3::new(x * half, 0.0, 0.0), DVec3::splat(half));
        broad
            .insert(0, def(at(0.0), Activity::Awake, 0))
            .expect("valid");
        broad.update(&Workers::ALONE);
        assert_eq!(
            broad.move_proxy(0, at(0.1), Vec3::ZERO),
            Ok(false),
            "half {half}"
        );
        assert_eq!(
            broad.move_proxy(0, at(0.2), Vec3::ZERO),
            Ok(true),
            "half {half}"
        );
        let motion = Vec3::X * (3.0 * half) as f32;
        assert_eq!(broad.move_proxy(0, at(1.0), motion), Ok(true));
        assert_eq!(
            broad.move_proxy(0, at(3.9), motion),
            Ok(false),
            "half {half}"
        );
        let long = broad.fat_aabb(0).expect("a known id");
        assert_eq!(
            broad.move_proxy(0, at(3.9), Vec3::ZERO),
            Ok(true),
            "half {half}"
        );
        let short = broad.fat_aabb(0).expect("a known id");
        assert!((short.max.x - short.min.x) < 0.7 * (long.max.x - long.min.x));
        for _ in 0..3 {
            assert_eq!(
                broad.move_proxy(0, at(3.9), Vec3::ZERO),
                Ok(false),
                "settled"
            );
        }
    }
}

/// The removed pair and the new one of a reused id are told apart: the pair is in both arrays.
#[test]
fn a_reused_id_ends_the_old_pair_and_begins_a_new_one() {
    let mut broad = BroadPhase::new();
    for id in 0..2 {
        let aabb = around(DVec3::ZERO, DVec3::ONE);
        broad
            .insert(id, def(aabb, Activity::Awake, id))
            .expect("valid");
    }
    let pair = Pair { a: 0, b: 1 };
    assert_eq!(broad.update(&Workers::ALONE).added, [pair]);
    assert!(broad.remove(1));
    broad
        .insert(1, def(around(DVec3::ZERO, DVec3::ONE), Activity::Awake, 7))
        .expect("free");
    let changes = broad.update(&Workers::ALONE);
    assert_eq!(
        (changes.added.as_slice(), changes.removed.as_slice()),
        (&[pair][..], &[pair][..])
    );
    assert!(broad.update(&Workers::ALONE).added.is_empty());
}

/// A plate on 400 posts, each post with a bead beside it: more partners than any fixed
/// buffer of a few per proxy would hold. Known by count.
#[test]
fn a_plate_on_four_hundred_posts_keeps_every_pair() {
    let mut broad = BroadPhase::new();
    let plate = around(DVec3::new(0.0, 2.0, 0.0), DVec3::new(20.0, 0.1, 20.0));
    broad
        .insert(0, def(plate, Activity::Awake, 0))
        .expect("valid");
    for id in 1..=400_u32 {
        let (x, z) = (
            f64::from((id - 1) % 20) - 9.5,
            f64::from((id - 1) / 20) - 9.5,
        );
        let post = around(
            DVec3::new(2.0 * x, 1.0, 2.0 * z),
            DVec3::new(0.2, 0.95, 0.2),
        );
        broad
            .insert(id, def(post, Activity::Static, id))
            .expect("valid");
    }
    assert_eq!(broad.update(&Workers::ALONE).added.len(), 400);
    assert_eq!(broad.partners(0).count(), 400);
    broad
        .move_proxy(0, around(plate.min + 30.0, DVec3::ONE), Vec3::ZERO)
        .expect("valid");
    assert_eq!(broad.update(&Workers::ALONE).removed.len(), 400);
    assert_eq!(broad.pairs().count(), 0);
}

/// A planet, a 1 km floor and sand in one world: the sand on the floor pairs with both, sand
/// above the floor with the planet's box alone. Known by hand.
#[test]
fn a_planet_a_floor_and_sand_share_a_world() {
    let mut broad = BroadPhase::new();
    let radius = 6.4e6;
    let planet = around(DVec3::new(0.0, 10.0 - radius, 0.0), DVec3::splat(radius));
    let floor = around(DVec3::ZERO, DVec3::new(500.0, 0.5, 500.0));
    broad
        .insert(0, def(planet, Activity::Static, 0))
        .expect("valid");
    broad
        .insert(1, def(floor, Activity::Static, 1))
        .expect("valid");
    for id in 2..502_u32 {
        let height = if id % 2 == 0 { 0.501 } else { 5.0 };
        let at = DVec3::new(f64::from(id) - 250.0, height, 0.3 * f64::from(id));
        let grain = around(at, DVec3::splat(0.002));
        broad
            .insert(id, def(grain, Activity::Awake, id))
            .expect("valid");
    }
    assert_eq!(broad.update(&Workers::ALONE).added.len(), 500 + 250);
    assert_eq!(broad.partners(0).count(), 500);
    assert!(broad.partners(1).eq((2..502).step_by(2)));
}

/// Dust in eight far corners of the world, grains that touch two by two: cells of a level may be
/// 2^31 apart along each axis.
#[test]
fn dust_as_far_apart_as_may_be_is_searched_together() {
    let mut broad = BroadPhase::new();
    let place = |id: u32, frame: u32| {
        let side = |bit: u32| if id >> bit & 1 == 0 { -3e7 } else { 3e7 };
        let grain = f64::from(id >> 3 & 1) * 0.008 + f64::from(frame) * 0.05;
        let pair = f64::from(id >> 4) * 0.03;
        let corner = DVec3::new(side(0) + grain, side(1) + pair, side(2));
        around(corner, DVec3::splat(0.005))
    };
    let ids: Vec<u32> = (0..4096).collect();
    for &id in &ids {
        let grain = def(place(id, 0), Activity::Awake, id);
        broad.insert(id, grain).expect("valid");
    }
    let lower = ids.iter().filter(|&&id| id >> 3 & 1 == 0);
    let expected: Vec<Pair> = lower.map(|&id| Pair { a: id, b: id + 8 }).collect();
    assert_eq!(broad.update(&Workers::ALONE).added, expected);
    let motions = vec![Vec3::X * 0.05; ids.len()];
    for frame in 1..4 {
        let boxes: Vec<WorldAabb> = ids.iter().map(|&id| place(id, frame)).collect();
        broad
            .move_proxies(&Workers::ALONE, &ids, &boxes, &motions)
            .expect("valid boxes");
        let changes = broad.update(&Workers::ALONE);
        assert_eq!(*changes, PairChanges::default(), "{frame}");
    }
}

/// A thousand boxes of all sizes and activities, some unbounded, some on both sides of the
/// origin: in bulk, with any number of threads, they give the pairs that single insertions
/// give. What is refused is named, and the others come in all the same.
#[test]
fn a_bulk_insertion_gives_the_pairs_of_single_ones() {
    let mut random = Random::new(23);
    let mut defs: Vec<(u32, ProxyDef)> = (0..1000)
        .map(|id| {
            let half = random.scale(-1, 1);
            let aabb = around(random.vector(-9.0, 9.0), DVec3::splat(half));
            (id * 7 % 1000, random.def(aabb))
        })
        .collect();
    defs[17].1.aabb = WorldAabb::INFINITE;
    let mut single = BroadPhase::new();
    for &(id, def) in &defs {
        single.insert(id, def).expect("a free id and a valid box");
    }
    let expected = single.update(&Workers::ALONE).clone();
    assert!(expected.added.len() > 1000);
    for threads in [1, 2, 4] {
        let workers = Workers::new(threads).expect("threads for the test");
        let mut bulk = BroadPhase::new();
        let half = defs.len() / 2;
        for part in [&defs[..half], &defs[half..]] {
            bulk.insert_many(&workers, part.iter().copied())
                .expect("free ids and valid boxes");
        }
        assert_eq!(bulk.update(&workers), &expected, "{threads} threads");
        for &(id, _) in &defs {
            assert_eq!(bulk.fat_aabb(id), single.fat_aabb(id));
        }
        let nan = WorldAabb {
            min: DVec3::NAN,
            max: DVec3::ONE,
        };
        let bad = [(1001, def(nan, Activity::Awake, 0)), (3, defs[0].1)];
        let good = (1002, def(WorldAabb::INFINITE, Activity::Awake, 1));
        let outcome = bulk.insert_many(&workers, [bad[0], good, bad[1]]);
        assert_eq!(outcome, Err(ProxyError::InvalidBox { id: 1001 }));
        let outcome = bulk.insert_many(&workers, [good]);
        assert_eq!(outcome, Err(ProxyError::IdInUse { id: 1002 }));
        assert_eq!(bulk.proxy_count(), 1001);
        assert_eq!(bulk.remove_many(&[1002, 5, 1001, 5]), 2);
        bulk.update(&workers);
        assert_eq!(bulk.proxy_count(), 999);
    }
}

/// Boxes that come and go in bulk leave no memory behind that grows: the cells and runs of
/// the first chunk serve the next ones.
#[test]
fn streaming_chunks_reuse_memory() {
    let mut broad = BroadPhase::new();
    let mut held = 0;
    for chunk in 0..8 {
        let offset = DVec3::new(100.0 * f64::from(chunk), 0.0, 0.0);
        let defs = (0..4000_u32).map(|id| {
            let at = DVec3::new(
                f64::from(id % 20),
                f64::from(id / 400),
                f64::from(id / 20 % 20),
            );
            let activity = if id % 10 == 0 {
                Activity::Awake
            } else {
                Activity::Static
            };
            let aabb = around(offset + 1.5 * at, DVec3::splat(0.6));
            (id, def(aabb, activity, id))
        });
        broad
            .insert_many(&Workers::ALONE, defs)
            .expect("free ids and valid boxes");
        broad.update(&Workers::ALONE);
        let ids: Vec<u32> = (0..4000).collect();
        assert_eq!(broad.remove_many(&ids), 4000);
        broad.update(&Workers::ALONE);
        assert_eq!((broad.proxy_count(), broad.pair_count()), (0, 0));
        if chunk == 1 {
            held = broad.memory_bytes();
        }
        assert!(
            chunk < 2 || broad.memory_bytes() <= held + held / 8,
            "chunk {chunk}"
        );
    }
}
