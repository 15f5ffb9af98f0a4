//! Pairs against brute force: every frame of random edits, the pairs, the changes and their
//! order are compared with a test of all boxes against all.

mod random;

use std::collections::{BTreeMap, BTreeSet};

use drystone_broad_phase::{Activity, BroadPhase, Pair, ProxyDef};
use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{Workers, WorldAabb};
use random::{Random, around};

/// A broad phase beside the plainest model of it.
struct Model {
    broad: BroadPhase,
    defs: BTreeMap<u32, ProxyDef>,
    pairs: BTreeSet<Pair>,
}

impl Model {
    fn new() -> Self {
        Self {
            broad: BroadPhase::new(),
            defs: BTreeMap::new(),
            pairs: BTreeSet::new(),
        }
    }

    fn insert(&mut self, id: u32, def: ProxyDef) {
        self.broad
            .insert(id, def)
            .expect("a free id and a valid box");
        self.defs.insert(id, def);
    }

    fn place(&mut self, id: u32, aabb: WorldAabb, motion: Vec3) {
        self.broad
            .move_proxy(id, aabb, motion)
            .expect("a valid box");
        self.defs.get_mut(&id).expect("a known id").aabb = aabb;
    }

    /// All pairs by the definition, from the fat boxes.
    fn expected(&self) -> BTreeSet<Pair> {
        let list: Vec<(u32, ProxyDef, WorldAabb)> = self
            .defs
            .iter()
            .map(|(&id, &def)| (id, def, self.broad.fat_aabb(id).expect("a known id")))
            .collect();
        let mut pairs = BTreeSet::new();
        for (k, (id, def, fat)) in list.iter().enumerate() {
            for (other_id, other, other_fat) in &list[..k] {
                let both_static =
                    def.activity == Activity::Static && other.activity == Activity::Static;
                if !both_static
                    && def.owner != other.owner
                    && def.filter.allows(&other.filter)
                    && fat.overlaps(other_fat)
                {
                    pairs.insert(Pair::new(*id, *other_id));
                }
            }
        }
        pairs
    }

    /// Updates and compares everything. `replaced` are ids removed and inserted again.
    fn check(&mut self, frame: usize) -> usize {
        let changes = self.broad.update(&Workers::ALONE).clone();
        for (id, def) in &self.defs {
            let fat = self.broad.fat_aabb(*id).expect("a known id");
            assert!(
                fat.contains(&def.aabb),
                "frame {frame}: {fat:?} holds {:?}",
                def.aabb
            );
        }
        assert!(
            changes.added.is_sorted_by(|one, next| one < next),
            "frame {frame}"
        );
        assert!(
            changes.removed.is_sorted_by(|one, next| one < next),
            "frame {frame}"
        );
        for pair in &changes.removed {
            assert!(
                self.pairs.remove(pair),
                "frame {frame}: {pair:?} was no pair"
            );
        }
        for pair in &changes.added {
            assert!(
                self.pairs.insert(*pair),
                "frame {frame}: {pair:?} was a pair"
            );
        }
        let expected = self.expected();
        let missing: Vec<_> = expected.difference(&self.pairs).collect();
        let excess: Vec<_> = self.pairs.difference(&expected).collect();
        assert!(missing.is_empty(), "frame {frame}: missing {missing:?}");
        assert!(excess.is_empty(), "frame {frame}: too many {excess:?}");
        assert!(
            self.broad.pairs().eq(expected.iter().copied()),
            "frame {frame}"
        );
        assert_eq!(self.broad.pair_count(), expected.len());
        assert_eq!(self.broad.proxy_count(), self.defs.len());
        for &id in self.defs.keys() {
            for other in self.broad.partners(id) {
                assert!(expected.contains(&Pair::new(id, other)));
            }
        }
        changes.added.len() + changes.removed.len()
    }

    fn random_id(&self, random: &mut Random) -> Option<u32> {
        let count = self.defs.len() as u64;
        (count > 0).then(|| {
            *self
                .defs
                .keys()
                .nth(random.below(count) as usize)
                .expect("in range")
        })
    }

    /// Some leave and others come, both in bulk.
    fn exchange(
        &mut self,
        random: &mut Random,
        ids: u64,
        fresh: &dyn Fn(&mut Random) -> WorldAabb,
    ) {
        let mut leaving: Vec<u32> = (0..3).filter_map(|_| self.random_id(random)).collect();
        leaving.dedup();
        let there = |id: &&u32| self.defs.contains_key(id);
        let expected = leaving.iter().filter(there).collect::<BTreeSet<_>>().len();
        assert_eq!(self.broad.remove_many(&leaving), expected);
        for id in leaving {
            self.defs.remove(&id);
        }
        let mut coming = BTreeMap::new();
        for _ in 0..random.below(5) {
            let id = random.below(ids) as u32;
            if !self.defs.contains_key(&id) {
                let aabb = fresh(random);
                coming.insert(id, random.def(aabb));
            }
        }
        let entered = self.broad.insert_many(&Workers::ALONE, coming.clone());
        entered.expect("free ids and valid boxes");
        self.defs.extend(coming);
    }

    /// One random edit; `fresh` makes a new box.
    fn edit(&mut self, random: &mut Random, ids: u64, fresh: &dyn Fn(&mut Random) -> WorldAabb) {
        let choice = random.below(16);
        if choice < 3 {
            let id = random.below(ids) as u32;
            if !self.defs.contains_key(&id) {
                let aabb = fresh(random);
                let def = random.def(aabb);
                self.insert(id, def);
            }
            return;
        }
        let Some(id) = self.random_id(random) else {
            return;
        };
        match choice {
            3 | 4 => {
                assert!(self.broad.remove(id));
                self.defs.remove(&id);
            }
            5 => {
                let aabb = fresh(random);
                self.place(id, aabb, Vec3::ZERO);
            }
            6 => {
                let activity = random.activity();
                assert!(self.broad.set_activity(id, activity));
                self.defs.get_mut(&id).expect("a known id").activity = activity;
            }
            7 => {
                let filter = random.filter();
                assert!(self.broad.set_filter(id, filter));
                self.defs.get_mut(&id).expect("a known id").filter = filter;
            }
            9 => self.exchange(random, ids, fresh),
            8 => {
                let def = self.defs[&id];
                self.broad.remove(id);
                self.insert(id, def);
            }
            _ => {
                let aabb = self.defs[&id].aabb;
                let size = (aabb.max - aabb.min).max_element();
                if size.is_finite() {
                    let by = random.vector(-0.3, 0.3) * size;
                    let moved = WorldAabb {
                        min: aabb.min + by,
                        max: aabb.max + by,
                    };
                    self.place(id, moved, by.as_vec3());
                }
            }
        }
    }
}

/// How many times as long as usual the random tests run: `DRYSTONE_SOAK`, else once.
fn soak_factor() -> usize {
    let text = std::env::var("DRYSTONE_SOAK").unwrap_or_default();
    text.parse().unwrap_or(1)
}

/// Runs `frames` frames of `edits` edits over at most `ids` boxes from `fresh`.
fn soak(
    seed: u64,
    frames: usize,
    edits: usize,
    ids: u64,
    fresh: impl Fn(&mut Random) -> WorldAabb,
) {
    let frames = frames * soak_factor();
    let mut random = Random::new(seed);
    let mut model = Model::new();
    let mut changed = 0;
    for _ in 0..ids {
        model.edit(&mut random, ids, &fresh);
    }
    for frame in 0..frames {
        for _ in 0..edits {
            model.edit(&mut random, ids, &fresh);
        }
        changed += model.check(frame);
    }
    assert!(changed > frames / 10, "the pairs hardly changed: {changed}");
}

/// Runs `frames` frames in which nearly all of `ids` boxes from `fresh` move, some of them only
/// a few, with a few edits now and then: all are then searched at once, but for frames after a
/// filter changed.
fn storm(seed: u64, frames: usize, ids: u64, fresh: impl Fn(&mut Random) -> WorldAabb) {
    let mut random = Random::new(seed);
    let mut model = Model::new();
    for id in 0..ids as u32 {
        let aabb = fresh(&mut random);
        model.insert(id, random.def(aabb));
    }
    let mut changed = 0;
    for frame in 0..frames * soak_factor() {
        let moving = [100, 100, 80, 70, 30][frame % 5];
        let all: Vec<u32> = model.defs.keys().copied().collect();
        let (mut moved, mut boxes, mut motions) = (Vec::new(), Vec::new(), Vec::new());
        for id in all {
            let aabb = model.defs[&id].aabb;
            let size = (aabb.max - aabb.min).max_element();
            if random.below(100) < moving && size.is_finite() {
                let by = random.vector(-0.3, 0.3) * size;
                let aabb = WorldAabb {
                    min: aabb.min + by,
                    max: aabb.max + by,
                };
                moved.push(id);
                boxes.push(aabb);
                motions.push(by.as_vec3());
                model.defs.get_mut(&id).expect("a known id").aabb = aabb;
            }
        }
        let entered = model
            .broad
            .move_proxies(&Workers::ALONE, &moved, &boxes, &motions);
        entered.expect("known ids and valid boxes");
        if frame % 3 == 0 {
            for _ in 0..5 {
                model.edit(&mut random, ids, &fresh);
            }
        }
        changed += model.check(frame);
    }
    assert!(changed > frames, "the pairs hardly changed: {changed}");
}

/// Crowds on both sides of the planes through the origin, in cubes and layers of many tiles;
/// all sizes at once; far out; on borders of cells; at one place, with lists turned trees;
/// among boxes too large for any grid; and more boxes in a few cells than a tile may have.
#[test]
fn pairs_are_right_when_most_boxes_move() {
    storm(31, 40, 700, |random| {
        around(random.vector(-6.0, 6.0), DVec3::splat(0.5))
    });
    storm(32, 40, 700, |random| {
        let at = random.vector(-70.0, 70.0) * DVec3::new(1.0, 0.02, 1.0);
        around(at, DVec3::splat(random.real(0.4, 1.8)))
    });
    storm(33, 60, 300, |random| {
        let half = random.scale(-3, 2);
        around(random.vector(-5.0, 5.0) * half.max(0.2), DVec3::splat(half))
    });
    storm(34, 60, 300, |random| {
        let half = DVec3::splat(random.real(0.05, 0.6));
        around(DVec3::new(-1e7, 3e6, 1e7) + random.vector(-4.0, 4.0), half)
    });
    storm(35, 60, 300, |random| {
        let at = random.vector(-5.0, 5.0).floor();
        around(at, DVec3::splat([0.25, 0.5, 1.0][random.below(3) as usize]))
    });
    storm(36, 40, 200, |random| {
        around(random.vector(-0.6, 0.6), DVec3::splat(0.5))
    });
    storm(37, 60, 200, |random| match random.below(20) {
        0 => WorldAabb::INFINITE,
        1 => around(random.vector(-1e14, 1e14), DVec3::splat(1e14)),
        _ => around(random.vector(-4.0, 4.0), DVec3::splat(0.4)),
    });
    storm(38, 3, 9000, |random| {
        around(random.vector(-16.0, 16.0), DVec3::splat(0.5))
    });
}

/// A few dozen boxes of one size that crowd a small space.
#[test]
fn pairs_are_right_for_a_crowd_of_equal_boxes() {
    soak(1, 2500, 6, 60, |random| {
        around(random.vector(-4.0, 4.0), DVec3::splat(0.5))
    });
}

/// Sizes from 1 mm to 100 m, so every search crosses many levels of the grid.
#[test]
fn pairs_are_right_for_mixed_sizes() {
    soak(2, 2500, 6, 60, |random| {
        let half = random.scale(-3, 2);
        around(random.vector(-5.0, 5.0) * half.max(0.2), DVec3::splat(half))
    });
}

/// Planks, plates and needles: a box far longer than wide, some without any thickness.
#[test]
fn pairs_are_right_for_thin_boxes() {
    soak(3, 1500, 6, 60, |random| {
        let mut half = random.vector(0.0, 1.0);
        half *= half * half * half * 8.0;
        if random.below(4) == 0 {
            half[random.below(3) as usize] = 0.0;
        }
        around(random.vector(-6.0, 6.0), half)
    });
}

/// Ten thousand kilometres from the origin, where an `f32` steps by a metre.
#[test]
fn pairs_are_right_far_from_the_origin() {
    for corner in [DVec3::splat(1e7), DVec3::new(-1e7, 3e6, 1e7)] {
        soak(4, 600, 6, 60, |random| {
            around(
                corner + random.vector(-4.0, 4.0),
                DVec3::splat(random.real(0.05, 0.6)),
            )
        });
    }
}

/// Boxes on the integer grid of the cells, so that bounds and cell borders coincide.
#[test]
fn pairs_are_right_on_cell_borders() {
    soak(5, 1500, 6, 80, |random| {
        let at = random.vector(-4.0, 4.0).floor();
        around(at, DVec3::splat([0.25, 0.5, 1.0][random.below(3) as usize]))
    });
}

/// Half-spaces, boxes larger than the solar system, points, and dust 10^20 m away.
#[test]
fn pairs_are_right_for_infinite_and_far_boxes() {
    soak(6, 1500, 6, 50, |random| match random.below(8) {
        0 => WorldAabb::INFINITE,
        1 => {
            let floor = DVec3::new(f64::INFINITY, random.real(-3.0, 3.0), f64::INFINITY);
            WorldAabb {
                min: DVec3::NEG_INFINITY,
                max: floor,
            }
        }
        2 => around(
            random.vector(-1e14, 1e14),
            DVec3::splat(random.real(1e12, 1e14)),
        ),
        3 => around(
            random.vector(-1e20, 1e20),
            DVec3::splat(random.real(0.0, 1e19)),
        ),
        4 => around(random.vector(-2.0, 2.0), DVec3::ZERO),
        5 => around(DVec3::splat(1e300), DVec3::splat(1e299)),
        6 => WorldAabb {
            min: DVec3::splat(-f64::MAX),
            max: DVec3::splat(f64::MAX),
        },
        _ => around(random.vector(-3.0, 3.0), DVec3::splat(0.4)),
    });
}

/// A few hundred boxes at almost one place: lists turn into trees and back.
#[test]
fn pairs_are_right_when_everything_overlaps() {
    soak(7, 60, 40, 220, |random| {
        around(random.vector(-0.6, 0.6), DVec3::splat(0.5))
    });
}

/// Enough boxes for several groups, batches, sweeps along an axis and parallel tasks.
#[test]
fn pairs_are_right_for_a_thousand_boxes() {
    soak(8, 6, 800, 1500, |random| {
        around(
            random.vector(-7.0, 7.0),
            DVec3::splat(random.real(0.3, 0.5)),
        )
    });
    soak(9, 6, 800, 1500, |random| {
        let rod = DVec3::new(4.0, 0.03, 0.03);
        around(random.vector(-2.0, 2.0), rod)
    });
    soak(10, 6, 800, 1500, |random| {
        around(
            DVec3::new(random.real(-500.0, 500.0), 0.0, 0.0),
            DVec3::splat(0.5),
        )
    });
    // With its margin such a box is as long as the lattice constant: neighbours just touch.
    soak(11, 6, 800, 1500, |random| {
        around(random.vector(-6.0, 6.0).floor() * 1.125, DVec3::splat(0.5))
    });
}
