//! How a wide tree is built: from above, each node by some splits in two that make the
//! surfaces of the parts small (the surface area heuristic, in bins: Wald, *On fast
//! construction of SAH-based bounding volume hierarchies*, 2007).

use drystone_geometry::WorldAabb;
use drystone_geometry::glam::{DVec3, Vec3};

use super::{Frame, LANES, Node, WideTree};
use crate::tolerance::{FRAME_RATIO, SPLIT_BINS};

/// A box on its way into a tree.
#[derive(Clone, Copy)]
struct Entry {
    id: u32,
    /// From the origin of the frame it is in, in metres.
    low: Vec3,
    high: Vec3,
}

/// What some entries take up.
#[derive(Clone, Copy)]
struct Extent {
    low: Vec3,
    high: Vec3,
}

impl Extent {
    const NOTHING: Self = Self {
        low: Vec3::INFINITY,
        high: Vec3::NEG_INFINITY,
    };

    fn of(entries: &[Entry]) -> Self {
        let each = entries.iter().map(Self::of_one);
        each.fold(Self::NOTHING, |all, one| all.with(&one))
    }

    fn of_one(entry: &Entry) -> Self {
        Self {
            low: entry.low,
            high: entry.high,
        }
    }

    fn with(&self, other: &Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// Half of its surface; none has less than nothing.
    fn surface(&self) -> f32 {
        let size = (self.high - self.low).max(Vec3::ZERO);
        size.x * size.y + size.y * size.z + size.z * size.x
    }
}

/// A part of the entries of a node.
#[derive(Clone, Copy)]
struct Part {
    start: usize,
    end: usize,
    extent: Extent,
}

impl Part {
    fn count(&self) -> usize {
        self.end - self.start
    }
}

/// What a lane of a node is to hold.
enum Child {
    Box(u32),
    Node(u32),
    Frame(u32),
}

impl WideTree {
    /// A tree of the boxes `ids`, each once; `fat` has all boxes by id, those of `ids` finite.
    pub(crate) fn new(ids: impl Iterator<Item = u32>, fat: &[WorldAabb]) -> Self {
        let mut tree = Self::default();
        let entry = |id| Entry {
            id,
            low: Vec3::ZERO,
            high: Vec3::ZERO,
        };
        let mut entries: Vec<Entry> = ids.map(entry).collect();
        if !entries.is_empty() {
            tree.add_frame(&mut entries, fat);
        }
        tree
    }

    /// Adds a frame around some boxes and all below; answers with its index.
    fn add_frame(&mut self, entries: &mut [Entry], fat: &[WorldAabb]) -> u32 {
        let nothing = WorldAabb {
            min: DVec3::INFINITY,
            max: DVec3::NEG_INFINITY,
        };
        let bounds = entries.iter().fold(nothing, |all, entry| {
            let fat = &fat[entry.id as usize];
            WorldAabb {
                min: all.min.min(fat.min),
                max: all.max.max(fat.max),
            }
        });
        let origin = 0.5 * bounds.min + 0.5 * bounds.max;
        for entry in entries.iter_mut() {
            let fat = &fat[entry.id as usize];
            entry.low = (fat.min - origin).as_vec3();
            entry.high = (fat.max - origin).as_vec3();
        }
        let index = self.frames.len();
        self.frames.push(Frame {
            bounds,
            origin,
            root: 0,
        });
        let size = (bounds.max - bounds.min).max_element() as f32;
        let root = self.add_node(entries, fat, FRAME_RATIO * size);
        self.frames[index].root = root;
        index as u32
    }

    /// Adds a node of some boxes and all below; answers with its index. Parts smaller than
    /// `least`, in metres, get a frame of their own.
    fn add_node(&mut self, entries: &mut [Entry], fat: &[WorldAabb], least: f32) -> u32 {
        let index = self.nodes.len();
        self.nodes.push(Node {
            bounds: [[0.0; LANES]; 6],
            children: [0; LANES],
            used: 0,
            boxes: 0,
            frames: 0,
        });
        for (lane, part) in parts(entries).into_iter().enumerate() {
            let entries = &mut entries[part.start..part.end];
            let child = if let [entry] = entries {
                Child::Box(entry.id)
            } else if (part.extent.high - part.extent.low).max_element() < least {
                Child::Frame(self.add_frame(entries, fat))
            } else {
                Child::Node(self.add_node(entries, fat, least))
            };
            self.nodes[index].set(lane, &part.extent, &child);
        }
        index as u32
    }
}

impl Node {
    fn set(&mut self, lane: usize, extent: &Extent, child: &Child) {
        for axis in 0..3 {
            self.bounds[axis][lane] = extent.low[axis];
            self.bounds[axis + 3][lane] = extent.high[axis];
        }
        let bit = 1 << lane;
        self.used |= bit;
        self.children[lane] = match *child {
            Child::Box(id) => {
                self.boxes |= bit;
                id
            }
            Child::Node(index) => index,
            Child::Frame(index) => {
                self.frames |= bit;
                index
            }
        };
    }
}

/// Sorts the entries of a node into at most eight parts: single boxes, and such as become
/// nodes themselves.
fn parts(entries: &mut [Entry]) -> Vec<Part> {
    let mut parts = Vec::with_capacity(LANES);
    parts.push(Part {
        start: 0,
        end: entries.len(),
        extent: Extent::of(entries),
    });
    while parts.len() < LANES {
        // First what is too much for a node of its own, the largest first; then what fits in
        // here box by box, which saves its node.
        let room = LANES - parts.len();
        let too_many = |part: &&Part| part.count() > LANES;
        let fits = |part: &&Part| part.count() > 1 && part.count() <= room + 1;
        let by_surface = |a: &&Part, b: &&Part| a.extent.surface().total_cmp(&b.extent.surface());
        let next = (parts.iter().filter(too_many).max_by(by_surface))
            .or_else(|| parts.iter().filter(fits).max_by(by_surface));
        let Some(&Part { start, end, .. }) = next else {
            break;
        };
        parts.retain(|part| part.start != start);
        if end - start <= room + 1 {
            parts.extend((start..end).map(|k| Part {
                start: k,
                end: k + 1,
                extent: Extent::of_one(&entries[k]),
            }));
        } else {
            parts.extend(split(entries, start, end));
        }
    }
    parts
}

/// Sorts the entries from `start` to `end` into two parts along the axis on which their middles
/// lie widest apart; none is empty.
fn split(all: &mut [Entry], start: usize, end: usize) -> [Part; 2] {
    let entries = &mut all[start..end];
    let middle = |entry: &Entry| 0.5 * entry.low + 0.5 * entry.high;
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for entry in entries.iter() {
        low = low.min(middle(entry));
        high = high.max(middle(entry));
    }
    let size = high - low;
    let axis = size.max_position();
    // The last bin ends a little after the last middle.
    let per_metre = (SPLIT_BINS as f32 - 0.5) / size[axis];
    if !(per_metre.is_finite() && per_metre > 0.0) {
        // All lie in one place.
        let middle = usize::midpoint(start, end);
        return [(start, middle), (middle, end)].map(|(start, end)| Part {
            start,
            end,
            extent: Extent::of(&all[start..end]),
        });
    }
    let bin = |entry: &Entry| ((middle(entry)[axis] - low[axis]) * per_metre) as usize;
    let mut bins = [(0_usize, Extent::NOTHING); SPLIT_BINS];
    for entry in entries.iter() {
        let (count, extent) = &mut bins[bin(entry)];
        *count += 1;
        *extent = extent.with(&Extent::of_one(entry));
    }
    let first_bin = first_bin_of_second_part(&bins);
    let mut first = 0;
    for k in 0..entries.len() {
        if bin(&entries[k]) < first_bin {
            entries.swap(first, k);
            first += 1;
        }
    }
    let extent = |bins: &[(usize, Extent)]| {
        let each = bins.iter().map(|(_, extent)| extent);
        each.fold(Extent::NOTHING, |all, one| all.with(one))
    };
    let middle = start + first;
    [
        Part {
            start,
            end: middle,
            extent: extent(&bins[..first_bin]),
        },
        Part {
            start: middle,
            end,
            extent: extent(&bins[first_bin..]),
        },
    ]
}

/// Where to cut so that the surfaces of both parts, each times its count, are least: the
/// chance of a ray to pass a part times what it then costs.
fn first_bin_of_second_part(bins: &[(usize, Extent); SPLIT_BINS]) -> usize {
    let mut after = [0.0; SPLIT_BINS];
    let (mut count, mut extent) = (0, Extent::NOTHING);
    for k in (1..SPLIT_BINS).rev() {
        count += bins[k].0;
        extent = extent.with(&bins[k].1);
        after[k] = extent.surface() * count as f32;
    }
    let mut best = (f32::INFINITY, SPLIT_BINS - 1);
    (count, extent) = (0, Extent::NOTHING);
    for k in 1..SPLIT_BINS {
        count += bins[k - 1].0;
        extent = extent.with(&bins[k - 1].1);
        let cost = extent.surface() * count as f32 + after[k];
        // The first and the last bin hold something, so no part is empty.
        if cost < best.0 {
            best = (cost, k);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is below a node: each box once, inside the bounds of its lane but for the slack of
    /// the frame. Answers with their number.
    fn check(
        tree: &WideTree,
        fat: &[WorldAabb],
        frame: u32,
        node: u32,
        seen: &mut [bool],
    ) -> usize {
        let (node, frame_index) = (&tree.nodes[node as usize], frame);
        let frame = &tree.frames[frame as usize];
        let slack = frame.slack(0.0);
        let mut count = 0;
        for lane in (0..LANES).filter(|lane| node.used >> lane & 1 == 1) {
            let corner = |row: usize| {
                let at = |axis: usize| f64::from(node.bounds[row + axis][lane]);
                frame.origin + DVec3::new(at(0), at(1), at(2))
            };
            let bounds = WorldAabb {
                min: corner(0),
                max: corner(3),
            };
            let child = node.children[lane];
            let mut below = vec![false; seen.len()];
            count += if node.boxes >> lane & 1 == 1 {
                below[child as usize] = true;
                1
            } else if node.frames >> lane & 1 == 1 {
                check(
                    tree,
                    fat,
                    child,
                    tree.frames[child as usize].root,
                    &mut below,
                )
            } else {
                check(tree, fat, frame_index, child, &mut below)
            };
            for (id, _) in below.iter().enumerate().filter(|(_, below)| **below) {
                assert!(!seen[id], "box {id} twice");
                seen[id] = true;
                assert!(bounds.inflate(slack).contains(&fat[id]), "box {id}");
                assert!(frame.bounds.contains(&fat[id]), "box {id}");
            }
        }
        count
    }

    /// Clusters within clusters from a thousand kilometres down to a millimetre, then lines,
    /// points in one place and boxes of all sizes around one centre. All boxes are found where
    /// the tree says, and small clusters measure from origins of their own.
    #[test]
    fn a_tree_holds_every_box_in_its_bounds() {
        let mut state = 1_u64;
        let mut unit = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as f64 / (1_u64 << 31) as f64
        };
        let mut nested = |scales: &[f64]| {
            let center = scales.iter().fold(DVec3::ZERO, |center, scale| {
                center + *scale * DVec3::new(unit(), unit(), unit()).round()
            });
            let half = DVec3::splat(0.2 * scales[scales.len() - 1]);
            WorldAabb {
                min: center - half * unit(),
                max: center + half,
            }
        };
        let scales = [1e6, 1e4, 1e2, 1.0, 1e-2];
        let clusters = (0..900).map(|k| nested(&scales[..2 + k % 4]));
        let cube = |center: DVec3, half: f64| WorldAabb {
            min: center - half,
            max: center + half,
        };
        let line = (0..100).map(|k| cube(DVec3::X * f64::from(k), 0.5));
        let point = (0..100).map(|_| cube(DVec3::ONE, 0.0));
        let onion = (0..100).map(|k| cube(DVec3::ONE, 1.3_f64.powi(k - 50)));
        let crowds: [(Vec<WorldAabb>, bool); 4] = [
            (clusters.collect(), true),
            (line.collect(), false),
            (point.collect(), false),
            (onion.collect(), true),
        ];
        for (fat, has_frames) in &crowds {
            for count in [0, 1, 2, 8, 9, 64, 65, fat.len()] {
                let tree = WideTree::new(0..count as u32, fat);
                let mut seen = vec![false; count];
                if count > 0 {
                    let root = tree.frames[0].root;
                    assert_eq!(check(&tree, fat, 0, root, &mut seen), count);
                }
                assert!(seen.iter().all(|seen| *seen));
            }
            let tree = WideTree::new(0..fat.len() as u32, fat);
            assert_eq!(tree.frames.len() > 1, *has_frames);
        }
    }
}
