//! Moving boxes and rays: drystone's broad phase, Box3D's dynamic tree and Parry's BVH, which
//! take turns over the same boxes.
//!
//! A frame moves every chosen box out of its fat box and brings the pairs up to date. drystone
//! answers with sorted arrays of the pairs that began and ended. The peers' trees are run as
//! their own engines run them: leaves enlarged, the tree rebuilt or optimised and refitted,
//! every overlap of a moved box looked up in a hash set of known pairs, and the known pairs of
//! moved boxes tested for their end, as Rapier does it; their lists are not sorted. Margins
//! are those of the engines. A ray asks for the first fat box.

use std::collections::HashSet;
use std::ffi::c_void;
use std::hash::{BuildHasherDefault, Hasher};
use std::hint::black_box;
use std::time::Instant;

use box3d_sys as b3;
use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use drystone::WorldAabb;
use drystone::geometry::Workers;
use drystone::geometry::glam::{DVec3, Vec3};
use drystone_benches::boxes::{Crowd, Random, SCENES};
use drystone_broad_phase::{Activity, BoxCast, BroadPhase, Filter, ProxyDef};
use rapier3d::parry::bounding_volume::Aabb;
use rapier3d::parry::partitioning::{Bvh, BvhWorkspace};
use rapier3d::parry::query::Ray;
use rapier3d::prelude::Vector;

/// What Box3D adds around a box of half a metre: its speculative distance of 2 cm and a
/// margin of at most 5 cm.
const BOX3D_MARGIN: f64 = 0.07;

/// What Rapier adds around a leaf, in metres.
const RAPIER_MARGIN: f32 = 0.04;

/// Options of `broad`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Numbers of boxes.
    #[arg(long, value_delimiter = ',', default_value = "1000,10000,100000")]
    boxes: Vec<usize>,
    /// Crowds: volume, terrain, line, clustered, `size_ratio`.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "volume,terrain,clustered"
    )]
    crowds: Vec<String>,
    /// One box in so many moves.
    #[arg(long, value_delimiter = ',', default_value = "1,10,100")]
    every: Vec<usize>,
    /// Rounds in which the engines take turns; the fastest round counts.
    #[arg(long, default_value_t = 15)]
    rounds: usize,
}

/// Runs all combinations and prints one table.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header([
        "crowd",
        "boxes",
        "work",
        "drystone ns",
        "Box3D ns",
        "Parry ns",
        "Box3D / ours",
        "Parry / ours",
    ]);
    for name in &options.crowds {
        if !SCENES.contains(&name.as_str()) {
            return Err(format!("`{name}` is none of {}", SCENES.join(", ")));
        }
        for &count in &options.boxes {
            eprintln!("{name} {count}");
            let crowd = Crowd::new(name, count);
            let mut trio = Trio::new(&crowd);
            let mut row = |work: String, best: [f64; 3]| {
                let mut cells = vec![name.clone(), count.to_string(), work];
                cells.extend(best.map(|ns| format!("{ns:.0}")));
                cells.extend([best[1] / best[0], best[2] / best[0]].map(|r| format!("{r:.2}")));
                table.add_row(cells);
            };
            for &every in &options.every {
                let best = trio.frames(&crowd, every, options.rounds);
                row(format!("1/{every} move"), best);
            }
            for length in [10.0, 100.0] {
                let best = trio.rays(&crowd, length, options.rounds);
                row(format!("rays of {length} m"), best);
            }
        }
    }
    for column in table.column_iter_mut().skip(3) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    println!("{table}");
    Ok(())
}

/// The same boxes in all three.
struct Trio {
    ours: BroadPhase,
    box3d: Box3dTree,
    parry: Bvh,
    parry_pairs: PairSet,
    workspace: BvhWorkspace,
}

impl Trio {
    fn new(crowd: &Crowd) -> Self {
        let count = crowd.boxes.len();
        let mut ours = BroadPhase::new();
        let defs = (0..count).map(|id| {
            let def = ProxyDef {
                aabb: crowd.aabb(id),
                activity: Activity::Awake,
                filter: Filter::default(),
                owner: id as u32,
            };
            (id as u32, def)
        });
        ours.insert_many(&Workers::ALONE, defs)
            .expect("valid boxes");
        ours.update(&Workers::ALONE);
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
        Self {
            ours,
            box3d,
            parry,
            parry_pairs: PairSet::new(count),
            workspace,
        }
    }

    /// Nanoseconds a moved box, the fastest of all rounds.
    fn frames(&mut self, crowd: &Crowd, every: usize, rounds: usize) -> [f64; 3] {
        let ids = crowd.chosen(every);
        let places = crowd.hops(&ids);
        let motion = vec![Vec3::ZERO; ids.len()];
        let fat = |aabb: &WorldAabb| box3d_box(&aabb.inflate(BOX3D_MARGIN));
        let box3d_places = places
            .each_ref()
            .map(|list| list.iter().map(fat).collect::<Vec<_>>());
        let parry_places = places
            .each_ref()
            .map(|list| list.iter().map(parry_box).collect::<Vec<_>>());
        let mut best = [f64::INFINITY; 3];
        for round in 0..rounds * (100_000 / ids.len()).clamp(1, 20) {
            let side = round % 2;
            let start = Instant::now();
            self.ours
                .move_proxies(&Workers::ALONE, &ids, &places[side], &motion)
                .expect("valid boxes");
            black_box(self.ours.update(&Workers::ALONE).added.len());
            keep(&mut best[0], start, ids.len());

            let start = Instant::now();
            black_box(self.box3d.frame(&ids, &box3d_places[side]));
            keep(&mut best[1], start, ids.len());

            let start = Instant::now();
            black_box(self.parry_frame(&ids, &parry_places[side]));
            keep(&mut best[2], start, ids.len());
        }
        best
    }

    fn parry_frame(&mut self, ids: &[u32], places: &[Aabb]) -> usize {
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
            tree.refit(workspace);
        }
        let pairs = &mut self.parry_pairs;
        tree.traverse_bvtt_single_tree::<true>(workspace, &mut |a, b| pairs.meet(a, b));
        pairs.part(ids, |a, b| match (tree.leaf_node(a), tree.leaf_node(b)) {
            (Some(a), Some(b)) => a.intersects(b),
            _ => false,
        });
        pairs.take_changes()
    }

    /// Nanoseconds a ray, the fastest of all rounds.
    fn rays(&mut self, crowd: &Crowd, length: f64, rounds: usize) -> [f64; 3] {
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
                let ray = BoxCast::ray(origin, way);
                black_box(self.ours.first_hit(&ray, |_, entry| Some(entry)));
            }
            keep(&mut best[0], start, rays.len());

            let start = Instant::now();
            for &(origin, way) in &rays {
                black_box(self.box3d.first_hit(origin, way));
            }
            keep(&mut best[1], start, rays.len());

            let start = Instant::now();
            for &(origin, way) in &rays {
                let ray = Ray::new(parry_vector(origin).into(), parry_vector(way));
                let tree = &self.parry;
                black_box(tree.cast_ray(&ray, 1.0, |leaf, limit| {
                    tree.leaf_node(leaf).map(|node| node.cast_ray(&ray, limit))
                }));
            }
            keep(&mut best[2], start, rays.len());
        }
        best
    }
}

/// Which pairs are known.
struct PairSet {
    known: HashSet<u64, BuildHasherDefault<Mix>>,
    partners: Vec<Vec<u32>>,
    changes: usize,
}

/// Multiplies by an odd constant and folds: quick, and good enough for pairs of ids.
#[derive(Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl PairSet {
    fn new(count: usize) -> Self {
        Self {
            known: HashSet::default(),
            partners: vec![Vec::new(); count],
            changes: 0,
        }
    }

    fn key(a: u32, b: u32) -> u64 {
        u64::from(a.min(b)) << 32 | u64::from(a.max(b))
    }

    /// An overlap was found.
    fn meet(&mut self, a: u32, b: u32) {
        if self.known.insert(Self::key(a, b)) {
            self.partners[a as usize].push(b);
            self.partners[b as usize].push(a);
            self.changes += 1;
        }
    }

    /// Ends the pairs of `moved` that overlap no more.
    fn part(&mut self, moved: &[u32], overlap: impl Fn(u32, u32) -> bool) {
        for &id in moved {
            let mut k = 0;
            while let Some(&other) = self.partners[id as usize].get(k) {
                if overlap(id, other) {
                    k += 1;
                    continue;
                }
                self.partners[id as usize].swap_remove(k);
                self.partners[other as usize].retain(|partner| *partner != id);
                self.known.remove(&Self::key(id, other));
                self.changes += 1;
            }
        }
    }

    fn take_changes(&mut self) -> usize {
        std::mem::take(&mut self.changes)
    }
}

fn keep(best: &mut f64, start: Instant, count: usize) {
    *best = best.min(1e9 * start.elapsed().as_secs_f64() / count as f64);
}

fn parry_vector(v: DVec3) -> Vector {
    Vector::new(v.x as f32, v.y as f32, v.z as f32)
}

fn parry_box(aabb: &WorldAabb) -> Aabb {
    Aabb::new(parry_vector(aabb.min).into(), parry_vector(aabb.max).into())
}

fn box3d_vector(v: DVec3) -> b3::b3Vec3 {
    let [x, y, z] = v.as_vec3().to_array();
    b3::b3Vec3 { x, y, z }
}

fn box3d_box(aabb: &WorldAabb) -> b3::b3AABB {
    b3::b3AABB {
        lowerBound: box3d_vector(aabb.min),
        upperBound: box3d_vector(aabb.max),
    }
}

/// Box3D's dynamic tree with the boxes it was given.
struct Box3dTree {
    tree: b3::b3DynamicTree,
    proxies: Vec<i32>,
    boxes: Vec<b3::b3AABB>,
    /// Frame in which a proxy last moved.
    moved: Vec<u32>,
    frame: u32,
    pairs: PairSet,
}

/// What a query for pairs knows.
struct PairContext<'a> {
    id: u32,
    frame: u32,
    moved: &'a [u32],
    pairs: &'a mut PairSet,
}

/// What a ray knows.
struct RayContext<'a> {
    boxes: &'a [b3::b3AABB],
    first: f32,
}

impl Drop for Box3dTree {
    fn drop(&mut self) {
        // SAFETY: made by `b3DynamicTree_Create` and destroyed once.
        unsafe { b3::b3DynamicTree_Destroy(&mut self.tree) };
    }
}

impl Box3dTree {
    fn new(count: usize) -> Self {
        Self {
            // SAFETY: takes a capacity and nothing else.
            tree: unsafe { b3::b3DynamicTree_Create(count as i32) },
            proxies: Vec::new(),
            boxes: Vec::new(),
            moved: Vec::new(),
            frame: 1,
            pairs: PairSet::new(count),
        }
    }

    fn insert(&mut self, id: usize, aabb: &WorldAabb) {
        let fat = box3d_box(&aabb.inflate(BOX3D_MARGIN));
        // SAFETY: the tree lives as long as `self`.
        let proxy = unsafe { b3::b3DynamicTree_CreateProxy(&mut self.tree, fat, 1, id as u64) };
        self.proxies.push(proxy);
        self.boxes.push(fat);
        self.moved.push(0);
    }

    fn rebuild(&mut self, full: bool) {
        // SAFETY: the tree lives as long as `self`.
        unsafe { b3::b3DynamicTree_Rebuild(&mut self.tree, full) };
    }

    /// Moves boxes and brings the pairs up to date; the number of changes.
    fn frame(&mut self, ids: &[u32], places: &[b3::b3AABB]) -> usize {
        self.frame += 1;
        for (&id, fat) in ids.iter().zip(places) {
            self.boxes[id as usize] = *fat;
            self.moved[id as usize] = self.frame;
            let proxy = self.proxies[id as usize];
            // SAFETY: the proxy is one of the tree's.
            unsafe { b3::b3DynamicTree_EnlargeProxy(&mut self.tree, proxy, *fat) };
        }
        self.rebuild(false);
        for (&id, fat) in ids.iter().zip(places) {
            let mut context = PairContext {
                id,
                frame: self.frame,
                moved: &self.moved,
                pairs: &mut self.pairs,
            };
            let pointer: *mut PairContext<'_> = &mut context;
            // SAFETY: the callback casts the pointer back to what it is, while it lives.
            unsafe {
                b3::b3DynamicTree_Query(
                    &self.tree,
                    *fat,
                    u64::MAX,
                    false,
                    Some(enter_pair),
                    pointer.cast(),
                );
            }
        }
        let boxes = &self.boxes;
        self.pairs.part(ids, |a, b| {
            let (a, b) = (&boxes[a as usize], &boxes[b as usize]);
            let apart = |low: &b3::b3Vec3, high: &b3::b3Vec3| {
                (low.x > high.x) | (low.y > high.y) | (low.z > high.z)
            };
            !(apart(&a.lowerBound, &b.upperBound) | apart(&b.lowerBound, &a.upperBound))
        });
        self.pairs.take_changes()
    }

    fn first_hit(&self, origin: DVec3, way: DVec3) -> f32 {
        let input = b3::b3RayCastInput {
            origin: box3d_vector(origin),
            translation: box3d_vector(way),
            maxFraction: 1.0,
        };
        let mut context = RayContext {
            boxes: &self.boxes,
            first: 2.0,
        };
        let pointer: *mut RayContext<'_> = &mut context;
        // SAFETY: the callback casts the pointer back to what it is, while it lives.
        unsafe {
            b3::b3DynamicTree_RayCast(
                &self.tree,
                &input,
                u64::MAX,
                false,
                Some(ray_meets),
                pointer.cast(),
            );
        }
        context.first
    }
}

/// Enters a pair, from one side when both boxes moved.
extern "C" fn enter_pair(_proxy: i32, user_data: u64, context: *mut c_void) -> bool {
    // SAFETY: `frame` passes a `PairContext` that outlives the query.
    let context = unsafe { &mut *context.cast::<PairContext<'_>>() };
    let other = user_data as u32;
    let both_moved = context.moved[other as usize] == context.frame;
    if other != context.id && !(both_moved && other < context.id) {
        context.pairs.meet(context.id, other);
    }
    true
}

/// The fraction at which a ray meets a box becomes its new end.
extern "C" fn ray_meets(
    input: *const b3::b3RayCastInput,
    _proxy: i32,
    user_data: u64,
    context: *mut c_void,
) -> f32 {
    // SAFETY: `first_hit` passes a `RayContext` that outlives the cast, and Box3D its input.
    let (input, context) = unsafe { (&*input, &mut *context.cast::<RayContext<'_>>()) };
    let target = &context.boxes[user_data as usize];
    let (mut enter, mut leave) = (0.0_f32, input.maxFraction);
    for (origin, along, low, high) in [
        (
            input.origin.x,
            input.translation.x,
            target.lowerBound.x,
            target.upperBound.x,
        ),
        (
            input.origin.y,
            input.translation.y,
            target.lowerBound.y,
            target.upperBound.y,
        ),
        (
            input.origin.z,
            input.translation.z,
            target.lowerBound.z,
            target.upperBound.z,
        ),
    ] {
        let (one, other) = ((low - origin) / along, (high - origin) / along);
        enter = enter.max(one.min(other));
        leave = leave.min(one.max(other));
    }
    if enter > leave {
        return input.maxFraction;
    }
    context.first = enter;
    // A fraction of 0 would end the cast, which a box around the origin does.
    enter
}
