//! The same boxes in all three broad phases, which take turns.

use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Instant;

use drystone::WorldAabb;
use drystone::geometry::Workers;
use drystone::geometry::glam::{DVec3, Vec3};
use drystone_benches::boxes::{Crowd, Random, box_at};
use drystone_broad_phase::{Activity, BoxCast, BroadPhase, Filter, ProxyDef};
use rapier3d::parry::bounding_volume::Aabb;
use rapier3d::parry::partitioning::{Bvh, BvhWorkspace, TraversalAction};
use rapier3d::parry::query::Ray;
use rapier3d::prelude::Vector;
use rayon::ThreadPool;

use super::box3d_tree::{Box3dTree, fat_box};
use super::pair_set::{Counts, PairSet, touching};

/// What Rapier adds around a leaf, in metres.
const RAPIER_MARGIN: f32 = 0.04;

/// drystone, Box3D and Parry.
pub(super) struct Trio {
    ours: BroadPhase,
    box3d: Box3dTree,
    parry: Bvh,
    parry_pairs: PairSet,
    workspace: BvhWorkspace,
    count: usize,
}

/// How many threads there are, and the pool of the peers.
pub(super) struct Threads {
    pub(super) count: usize,
    workers: Workers,
    pool: ThreadPool,
}

impl Threads {
    pub(super) fn new(count: usize) -> Result<Self, String> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
        Ok(Self {
            count,
            workers: Workers::new(count).map_err(|error| error.to_string())?,
            pool: pool.map_err(|error| error.to_string())?,
        })
    }
}

impl Threads {
    /// Runs a peer's frame in the pool, or, alone, where it is.
    fn run(&self, frame: impl FnOnce() -> Counts + Send) -> Counts {
        if self.count > 1 {
            self.pool.install(frame)
        } else {
            frame()
        }
    }
}

/// What loading a crowd at rest took and left.
#[derive(Debug)]
pub(super) struct Load {
    /// Nanoseconds a box, the fastest of all rounds.
    pub(super) best: [f64; 3],
    /// Bytes a box that drystone and Box3D hold.
    pub(super) bytes: [usize; 2],
}

/// Loads all boxes of a crowd as static ones: drystone at once, the peers one by one, as their
/// engines do.
pub(super) fn load(crowd: &Crowd, rounds: usize) -> Load {
    let count = crowd.boxes.len();
    let (mut best, mut bytes) = ([f64::INFINITY; 3], [0; 2]);
    for _ in 0..rounds {
        let start = Instant::now();
        let ours = loaded(crowd, Activity::Static);
        keep(&mut best[0], start, count);

        let start = Instant::now();
        let mut box3d = Box3dTree::new(count);
        for id in 0..count {
            box3d.insert(id, &crowd.aabb(id));
        }
        keep(&mut best[1], start, count);

        let start = Instant::now();
        let (mut parry, mut workspace) = (Bvh::new(), BvhWorkspace::default());
        for id in 0..count {
            parry.insert_or_update_partially(parry_box(&crowd.aabb(id)), id as u32, RAPIER_MARGIN);
        }
        parry.refit(&mut workspace);
        keep(&mut best[2], start, count);
        bytes = [ours.memory_bytes() / count, box3d.memory_bytes() / count];
    }
    Load { best, bytes }
}

/// drystone with all boxes of a crowd.
fn loaded(crowd: &Crowd, activity: Activity) -> BroadPhase {
    let mut ours = BroadPhase::new();
    let defs = (0..crowd.boxes.len()).map(|id| {
        let def = ProxyDef {
            aabb: crowd.aabb(id),
            activity,
            filter: Filter::default(),
            owner: id as u32,
        };
        (id as u32, def)
    });
    ours.insert_many(&Workers::ALONE, defs)
        .expect("valid boxes");
    ours.update(&Workers::ALONE);
    ours
}

/// What frames of one kind took and did.
#[derive(Debug)]
pub(super) struct Frames {
    /// Nanoseconds a moved box, the fastest of all rounds.
    pub(super) best: [f64; 3],
    /// What the last frame did.
    pub(super) counts: [Counts; 3],
}

impl Trio {
    pub(super) fn new(crowd: &Crowd) -> Self {
        let count = crowd.boxes.len();
        let ours = loaded(crowd, Activity::Awake);
        let mut box3d = Box3dTree::new(count);
        let mut parry = Bvh::new();
        let mut workspace = BvhWorkspace::default();
        for id in 0..count {
            box3d.insert(id, &crowd.aabb(id));
            parry.insert_or_update_partially(parry_box(&crowd.aabb(id)), id as u32, RAPIER_MARGIN);
        }
        box3d.rebuild(true);
        parry.optimize_incremental(&mut workspace);
        parry.refit(&mut workspace);
        let mut parry_pairs = PairSet::new(count);
        let mut meet = |a, b| parry_pairs.meet(a, b);
        parry.traverse_bvtt_single_tree::<false>(&mut workspace, &mut meet);
        let mut trio = Self {
            ours,
            box3d,
            parry,
            parry_pairs,
            workspace,
            count,
        };
        // Every box once, so that later frames begin with the same set in all three.
        let ids: Vec<u32> = (0..count as u32).collect();
        for side in crowd.hops(&ids) {
            let boxes: Vec<_> = side.iter().map(fat_box).collect();
            trio.box3d.frame(&ids, &boxes, false);
            let boxes: Vec<_> = side.iter().map(parry_box).collect();
            trio.parry_frame(&ids, &boxes, false);
            let still = vec![Vec3::ZERO; count];
            let moved = trio.ours.move_proxies(&Workers::ALONE, &ids, &side, &still);
            moved.expect("valid boxes");
            trio.ours.update(&Workers::ALONE);
        }
        trio
    }

    /// Hops to and fro of one box in `every`.
    pub(super) fn frames(
        &mut self,
        crowd: &Crowd,
        every: usize,
        rounds: usize,
        threads: &Threads,
    ) -> Frames {
        let ids = crowd.chosen(every);
        let places = crowd.hops(&ids);
        let motion = vec![Vec3::ZERO; ids.len()];
        let as_box3d = |list: &Vec<WorldAabb>| list.iter().map(fat_box).collect::<Vec<_>>();
        let as_parry = |list: &Vec<WorldAabb>| list.iter().map(parry_box).collect::<Vec<_>>();
        let box3d_places = places.each_ref().map(as_box3d);
        let parry_places = places.each_ref().map(as_parry);
        let mut best = [f64::INFINITY; 3];
        let mut counts = [Counts::default(); 3];
        let parallel = threads.count > 1;
        let rounds = rounds * (100_000 / ids.len()).clamp(1, 20);
        // An even number of hops before the last leaves the crowd where the next row finds it.
        for round in 0..rounds.next_multiple_of(2) {
            let side = round % 2;
            let start = Instant::now();
            self.ours
                .move_proxies(&threads.workers, &ids, &places[side], &motion)
                .expect("valid boxes");
            let changes = self.ours.update(&threads.workers);
            let (began, ended) = (changes.added.len(), changes.removed.len());
            keep(&mut best[0], start, ids.len());
            let known = self.ours.pair_count();
            counts[0] = Counts {
                began,
                ended,
                known,
            };

            let start = Instant::now();
            counts[1] = threads.run(|| self.box3d.frame(&ids, &box3d_places[side], parallel));
            keep(&mut best[1], start, ids.len());

            let start = Instant::now();
            counts[2] = threads.run(|| self.parry_frame(&ids, &parry_places[side], parallel));
            keep(&mut best[2], start, ids.len());
        }
        Frames { best, counts }
    }

    fn parry_frame(&mut self, ids: &[u32], places: &[Aabb], parallel: bool) -> Counts {
        let (tree, workspace) = (&mut self.parry, &mut self.workspace);
        // Rapier's rule: few moved leaves are inserted anew where they fit best; many are
        // moved in place, and the tree is optimised and refitted as a whole.
        let few = ids.len() * 16 < tree.leaf_count() as usize;
        for (&id, aabb) in ids.iter().zip(places) {
            if few {
                tree.reinsert_or_update_with_change_detection(*aabb, id, RAPIER_MARGIN);
            } else {
                tree.insert_or_update_partially(*aabb, id, RAPIER_MARGIN);
            }
        }
        if few {
            tree.refit_partial(ids, ids);
        } else {
            tree.optimize_incremental(workspace);
            if parallel {
                tree.refit_parallel(workspace);
            } else {
                tree.refit(workspace);
            }
        }
        let pairs = &mut self.parry_pairs;
        if parallel {
            for (a, b) in tree.traverse_bvtt_single_tree_parallel::<true>() {
                pairs.meet(a, b);
            }
        } else {
            tree.traverse_bvtt_single_tree::<true>(workspace, &mut |a, b| pairs.meet(a, b));
        }
        pairs.part(ids, |a, b| match (tree.leaf_node(a), tree.leaf_node(b)) {
            (Some(a), Some(b)) => a.intersects(b),
            _ => false,
        });
        pairs.take_counts()
    }

    /// The pairs that the fat boxes of each have now, found without them.
    pub(super) fn touching(&self) -> [usize; 3] {
        let ids = 0..self.count as u32;
        let ours = ids.clone().filter_map(|id| self.ours.fat_aabb(id));
        let ours = ours.map(|fat| [fat.min.to_array(), fat.max.to_array()]);
        let corner = |v: Vector| [f64::from(v.x), f64::from(v.y), f64::from(v.z)];
        let leaves = ids.filter_map(|id| self.parry.leaf_node(id));
        let parry = leaves.map(|leaf| [corner(leaf.mins()), corner(leaf.maxs())]);
        [
            touching(ours.collect()),
            self.box3d.touching(),
            touching(parry.collect()),
        ]
    }

    /// Nanoseconds a ray, the fastest of all rounds: to the first fat box, or through all.
    pub(super) fn rays(
        &mut self,
        crowd: &Crowd,
        length: f64,
        all: bool,
        rounds: usize,
    ) -> [f64; 3] {
        let mut random = Random(11);
        let rays: Vec<(DVec3, DVec3)> = (0..1000)
            .map(|k| {
                let near = crowd.boxes[k * 7919 % crowd.boxes.len()].0;
                let way = random.vector(1.0).normalize_or(DVec3::X) * length;
                (near + random.vector(3.0), way)
            })
            .collect();
        let mut best = [f64::INFINITY; 3];
        for _ in 0..rounds {
            let start = Instant::now();
            for &(origin, way) in &rays {
                black_box(self.our_hits(origin, way, all));
            }
            keep(&mut best[0], start, rays.len());

            let start = Instant::now();
            for &(origin, way) in &rays {
                black_box(self.box3d.hits(origin, way, all));
            }
            keep(&mut best[1], start, rays.len());

            let start = Instant::now();
            for &(origin, way) in &rays {
                black_box(self.parry_hits(origin, way, all));
            }
            keep(&mut best[2], start, rays.len());
        }
        best
    }

    /// Nanoseconds a cubic region, the fastest of all rounds: all boxes that touch it.
    pub(super) fn regions(&mut self, crowd: &Crowd, edge: f64, rounds: usize) -> [f64; 3] {
        let mut random = Random(13);
        let regions: Vec<WorldAabb> = (0..1000)
            .map(|k| {
                let near = crowd.boxes[k * 7919 % crowd.boxes.len()].0;
                box_at(near + random.vector(3.0), 0.5 * edge)
            })
            .collect();
        let mut best = [f64::INFINITY; 3];
        for _ in 0..rounds {
            let start = Instant::now();
            for region in &regions {
                let mut count = 0;
                let _ = self.ours.query_box(region, |_| {
                    count += 1;
                    ControlFlow::Continue(())
                });
                black_box(count);
            }
            keep(&mut best[0], start, regions.len());

            let start = Instant::now();
            for region in &regions {
                black_box(self.box3d.touching_region(region));
            }
            keep(&mut best[1], start, regions.len());

            let start = Instant::now();
            for region in &regions {
                black_box(self.parry.intersect_aabb(&parry_box(region)).count());
            }
            keep(&mut best[2], start, regions.len());
        }
        best
    }

    fn our_hits(&self, origin: DVec3, way: DVec3, all: bool) -> usize {
        if all {
            let mut hits = 0;
            self.ours.cast_ray(origin, way, |_, _| {
                hits += 1;
                1.0
            });
            return hits;
        }
        let ray = BoxCast::ray(origin, way);
        usize::from(self.ours.first_hit(&ray, |_, entry| Some(entry)).is_some())
    }

    fn parry_hits(&self, origin: DVec3, way: DVec3, all: bool) -> usize {
        let ray = Ray::new(parry_vector(origin), parry_vector(way));
        let tree = &self.parry;
        if all {
            let mut hits = 0;
            tree.traverse(|node| {
                if node.cast_ray(&ray, 1.0) > 1.0 {
                    return TraversalAction::Prune;
                }
                hits += usize::from(node.is_leaf());
                TraversalAction::Continue
            });
            return hits;
        }
        let first = tree.cast_ray(&ray, 1.0, |leaf, limit| {
            tree.leaf_node(leaf).map(|node| node.cast_ray(&ray, limit))
        });
        usize::from(first.is_some())
    }
}

fn keep(best: &mut f64, start: Instant, count: usize) {
    *best = best.min(1e9 * start.elapsed().as_secs_f64() / count as f64);
}

fn parry_vector(v: DVec3) -> Vector {
    Vector::new(v.x as f32, v.y as f32, v.z as f32)
}

fn parry_box(aabb: &WorldAabb) -> Aabb {
    Aabb::new(parry_vector(aabb.min), parry_vector(aabb.max))
}
