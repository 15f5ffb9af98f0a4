//! Box3D's dynamic tree with the boxes it was given, and a pair set beside it.

use std::ffi::c_void;

use box3d_sys as b3;
use drystone::WorldAabb;
use drystone::geometry::glam::DVec3;
use rayon::prelude::*;

use super::pair_set::{Counts, PairSet, touching};

/// What Box3D adds around a box of half a metre: its speculative distance of 2 cm and a
/// margin of at most 5 cm.
const MARGIN: f64 = 0.07;

/// Boxes whose overlaps a parallel task looks up.
const TASK: usize = 256;

/// New pairs that Box3D's own update keeps to a moved box; it drops those beyond.
const CAP: usize = 16;

/// The tree.
pub(super) struct Box3dTree {
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
    found: &'a mut Vec<(u32, u32)>,
}

/// What a ray knows.
struct RayContext<'a> {
    boxes: &'a [b3::b3AABB],
    first: f32,
    hits: usize,
    all: bool,
}

/// A tree that is only read.
#[derive(Clone, Copy)]
struct Shared<'a>(&'a b3::b3DynamicTree);

// SAFETY: Box3D's queries write nothing to the tree; its own engine runs them in parallel.
unsafe impl Sync for Shared<'_> {}

// SAFETY: the tree owns what its pointers point to.
unsafe impl Send for Box3dTree {}

impl Drop for Box3dTree {
    fn drop(&mut self) {
        // SAFETY: made by `b3DynamicTree_Create` and destroyed once.
        unsafe { b3::b3DynamicTree_Destroy(&mut self.tree) };
    }
}

/// A box as Box3D keeps it.
pub(super) fn fat_box(aabb: &WorldAabb) -> b3::b3AABB {
    let fat = aabb.inflate(MARGIN);
    b3::b3AABB {
        lowerBound: vector(fat.min),
        upperBound: vector(fat.max),
    }
}

impl Box3dTree {
    pub(super) fn new(count: usize) -> Self {
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

    pub(super) fn insert(&mut self, id: usize, aabb: &WorldAabb) {
        let fat = fat_box(aabb);
        // SAFETY: the tree lives as long as `self`.
        let proxy = unsafe { b3::b3DynamicTree_CreateProxy(&mut self.tree, fat, 1, id as u64) };
        self.proxies.push(proxy);
        self.boxes.push(fat);
        self.moved.push(0);
    }

    /// What the tree holds.
    pub(super) fn memory_bytes(&self) -> usize {
        // SAFETY: the tree lives as long as `self`.
        let bytes = unsafe { b3::b3DynamicTree_GetByteCount(&self.tree) };
        bytes as usize
    }

    pub(super) fn rebuild(&mut self, full: bool) {
        // SAFETY: the tree lives as long as `self`.
        unsafe { b3::b3DynamicTree_Rebuild(&mut self.tree, full) };
    }

    /// Moves boxes and brings the pairs up to date; on the threads of the pool this runs in,
    /// if `parallel`.
    pub(super) fn frame(&mut self, ids: &[u32], places: &[b3::b3AABB], parallel: bool) -> Counts {
        self.frame += 1;
        for (&id, fat) in ids.iter().zip(places) {
            self.boxes[id as usize] = *fat;
            self.moved[id as usize] = self.frame;
            let proxy = self.proxies[id as usize];
            // SAFETY: the proxy is one of the tree's.
            unsafe { b3::b3DynamicTree_EnlargeProxy(&mut self.tree, proxy, *fat) };
        }
        self.rebuild(false);
        let (tree, frame, moved) = (Shared(&self.tree), self.frame, &self.moved);
        let search =
            |(ids, places): (&[u32], &[b3::b3AABB])| overlaps(tree, ids, places, frame, moved);
        let tasks = ids.par_chunks(TASK).zip(places.par_chunks(TASK));
        let found: Vec<Vec<(u32, u32)>> = if parallel {
            tasks.map(search).collect()
        } else {
            ids.chunks(TASK)
                .zip(places.chunks(TASK))
                .map(search)
                .collect()
        };
        for &(a, b) in found.iter().flatten() {
            self.pairs.meet(a, b);
        }
        let boxes = &self.boxes;
        self.pairs.part(ids, |a, b| {
            let (a, b) = (&boxes[a as usize], &boxes[b as usize]);
            let apart = |low: &b3::b3Vec3, high: &b3::b3Vec3| {
                (low.x > high.x) | (low.y > high.y) | (low.z > high.z)
            };
            !(apart(&a.lowerBound, &b.upperBound) | apart(&b.lowerBound, &a.upperBound))
        });
        self.pairs.take_counts()
    }

    /// The pairs its fat boxes have.
    pub(super) fn touching(&self) -> usize {
        let corner = |v: b3::b3Vec3| [f64::from(v.x), f64::from(v.y), f64::from(v.z)];
        let corners = |aabb: &b3::b3AABB| [corner(aabb.lowerBound), corner(aabb.upperBound)];
        touching(self.boxes.iter().map(corners).collect())
    }

    /// Pairs that Box3D's own update would drop of so many new ones to so many moved boxes.
    pub(super) fn dropped(began: usize, moved: usize) -> usize {
        began.saturating_sub(CAP * moved)
    }

    /// The number of boxes that touch a region.
    pub(super) fn touching_region(&self, region: &WorldAabb) -> usize {
        let region = b3::b3AABB {
            lowerBound: vector(region.min),
            upperBound: vector(region.max),
        };
        let mut count = 0_usize;
        let pointer: *mut usize = &mut count;
        // SAFETY: the callback casts the pointer back to what it is, while it lives.
        unsafe {
            b3::b3DynamicTree_Query(
                &self.tree,
                region,
                u64::MAX,
                false,
                Some(count_one),
                pointer.cast(),
            );
        }
        count
    }

    /// The number of boxes a ray meets, up to the first or all of them.
    pub(super) fn hits(&self, origin: DVec3, way: DVec3, all: bool) -> usize {
        let input = b3::b3RayCastInput {
            origin: vector(origin),
            translation: vector(way),
            maxFraction: 1.0,
        };
        let mut context = RayContext {
            boxes: &self.boxes,
            first: 2.0,
            hits: 0,
            all,
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
        if all {
            context.hits
        } else {
            usize::from(context.first <= 1.0)
        }
    }
}

fn vector(v: DVec3) -> b3::b3Vec3 {
    let [x, y, z] = v.as_vec3().to_array();
    b3::b3Vec3 { x, y, z }
}

/// What some moved boxes overlap.
fn overlaps(
    tree: Shared<'_>,
    ids: &[u32],
    places: &[b3::b3AABB],
    frame: u32,
    moved: &[u32],
) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    for (&id, fat) in ids.iter().zip(places) {
        let mut context = PairContext {
            id,
            frame,
            moved,
            found: &mut found,
        };
        let pointer: *mut PairContext<'_> = &mut context;
        // SAFETY: the callback casts the pointer back to what it is, while it lives.
        unsafe {
            b3::b3DynamicTree_Query(
                tree.0,
                *fat,
                u64::MAX,
                false,
                Some(enter_pair),
                pointer.cast(),
            );
        }
    }
    found
}

/// Enters a pair, from one side when both boxes moved.
extern "C" fn enter_pair(_proxy: i32, user_data: u64, context: *mut c_void) -> bool {
    // SAFETY: `overlaps` passes a `PairContext` that outlives the query.
    let context = unsafe { &mut *context.cast::<PairContext<'_>>() };
    let other = user_data as u32;
    let both_moved = context.moved[other as usize] == context.frame;
    if other != context.id && !(both_moved && other < context.id) {
        context.found.push((context.id, other));
    }
    true
}

/// Counts a box.
extern "C" fn count_one(_proxy: i32, _user_data: u64, context: *mut c_void) -> bool {
    // SAFETY: `touching_region` passes a count that outlives the query.
    let count = unsafe { &mut *context.cast::<usize>() };
    *count += 1;
    true
}

/// The fraction at which a ray meets a box becomes its new end, unless all are wanted.
extern "C" fn ray_meets(
    input: *const b3::b3RayCastInput,
    _proxy: i32,
    user_data: u64,
    context: *mut c_void,
) -> f32 {
    // SAFETY: `hits` passes a `RayContext` that outlives the cast, and Box3D its input.
    let (input, context) = unsafe { (&*input, &mut *context.cast::<RayContext<'_>>()) };
    let target = &context.boxes[user_data as usize];
    let (low, high) = (&target.lowerBound, &target.upperBound);
    let (from, along) = (&input.origin, &input.translation);
    let (mut enter, mut leave) = (0.0_f32, input.maxFraction);
    for (from, along, low, high) in [
        (from.x, along.x, low.x, high.x),
        (from.y, along.y, low.y, high.y),
        (from.z, along.z, low.z, high.z),
    ] {
        let (one, other) = ((low - from) / along, (high - from) / along);
        enter = enter.max(one.min(other));
        leave = leave.min(one.max(other));
    }
    if enter > leave {
        return input.maxFraction;
    }
    context.hits += 1;
    if context.all {
        return input.maxFraction;
    }
    context.first = enter;
    // A fraction of 0 would end the cast, which a box around the origin does.
    enter
}
