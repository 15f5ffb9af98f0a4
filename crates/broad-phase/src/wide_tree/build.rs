//! How a wide tree is built: boxes are sorted along a curve through the frame, and each node
//! is cut where the curve leaves one half of a cube for the other (Lauterbach and others, *Fast
//! BVH construction on GPUs*, 2009). Bounds follow from below.

use drystone_geometry::WorldAabb;
use drystone_geometry::curve::interleaved;
use drystone_geometry::glam::{DVec3, Vec3};

use super::{Frame, LANES, Node, WideTree};
use crate::radix::sort_by_digits;
use crate::tolerance::{CURVE_BITS, FRAME_RATIO};

/// A box on its way into a tree.
#[derive(Clone, Copy, Default)]
struct Entry {
    /// Where its middle is along the curve through its frame.
    place: u64,
    id: u32,
}

/// Bits of places in which entries differ that may be small enough for a frame of their own: in
/// each axis less than two in `FRAME_RATIO` of all places.
const FINE_BITS: u32 = 3 * (CURVE_BITS - 11);

const _: () = assert!(CURVE_BITS > 11 && CURVE_BITS <= 21);

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

    fn of(fat: &WorldAabb, origin: DVec3) -> Self {
        Self {
            low: (fat.min - origin).as_vec3(),
            high: (fat.max - origin).as_vec3(),
        }
    }

    fn with(&self, other: &Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
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
        let mut entries: Vec<Entry> = ids.map(|id| Entry { place: 0, id }).collect();
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
        let sorted = sorted(entries, &bounds, fat);
        let index = self.frames.len();
        self.frames.push(Frame {
            bounds,
            origin: 0.5 * bounds.min + 0.5 * bounds.max,
            root: 0,
        });
        let root = self.add_node(&sorted, index, fat).0;
        self.frames[index].root = root;
        index as u32
    }

    /// Adds a node of some boxes, sorted, and all below; answers with its index and bounds.
    /// Parts that are small beside their frame get one of their own.
    fn add_node(&mut self, entries: &[Entry], frame: usize, fat: &[WorldAabb]) -> (u32, Extent) {
        let index = self.nodes.len();
        self.nodes.push(Node {
            bounds: [[0.0; LANES]; 6],
            children: [0; LANES],
            used: 0,
            boxes: 0,
            frames: 0,
        });
        let (ends, count) = parts(entries);
        let mut around = Extent::NOTHING;
        let mut start = 0;
        for (lane, &end) in ends[..count].iter().enumerate() {
            let (child, extent) = self.add_part(&entries[start..end], frame, fat);
            self.nodes[index].set(lane, &extent, &child);
            around = around.with(&extent);
            start = end;
        }
        (index as u32, around)
    }

    /// Adds what a lane of a node is to hold; answers with that and its bounds.
    fn add_part(&mut self, entries: &[Entry], frame: usize, fat: &[WorldAabb]) -> (Child, Extent) {
        let Frame { bounds, origin, .. } = &self.frames[frame];
        if let [entry] = entries {
            let extent = Extent::of(&fat[entry.id as usize], *origin);
            return (Child::Box(entry.id), extent);
        }
        let (first, last) = (entries[0].place, entries[entries.len() - 1].place);
        let size = (bounds.max - bounds.min).max_element();
        // What differs in the last bits alone may be small. It is looked at more closely.
        if (first ^ last) >> FINE_BITS == 0 && size > 0.0 {
            let origin = *origin;
            let each = entries
                .iter()
                .map(|entry| Extent::of(&fat[entry.id as usize], origin));
            let extent = each.fold(Extent::NOTHING, |all, one| all.with(&one));
            let part = (extent.high - extent.low).max_element();
            if part < FRAME_RATIO * size as f32 {
                let frame = self.add_frame(&mut entries.to_vec(), fat);
                return (Child::Frame(frame), extent);
            }
        }
        let (node, extent) = self.add_node(entries, frame, fat);
        (Child::Node(node), extent)
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

/// The entries of a frame with `bounds` in the order of the curve.
fn sorted(entries: &mut [Entry], bounds: &WorldAabb, fat: &[WorldAabb]) -> Vec<Entry> {
    let size = (bounds.max - bounds.min).max_element();
    let cells = f64::from(1 << CURVE_BITS);
    // Middles, doubled; the largest is in the last cell.
    let per_metre = (0.5 * (cells - 0.5) / size).min(f64::MAX);
    let low = 2.0 * bounds.min;
    let mut used = 0;
    for entry in entries.iter_mut() {
        let fat = &fat[entry.id as usize];
        let [x, y, z] = ((fat.min + fat.max - low) * per_metre).to_array();
        entry.place = interleaved([x as i32, y as i32, z as i32]);
        used |= entry.place;
    }
    let (mut sorted, mut spare) = (entries.to_vec(), Vec::new());
    sort_by_digits(&mut sorted, &mut spare, used, |entry| entry.place);
    sorted
}

/// Cuts the entries of a node into at most eight parts, by their ends, and tells how many:
/// single boxes, and such as become nodes themselves.
fn parts(entries: &[Entry]) -> ([usize; LANES], usize) {
    let mut ends = [0; LANES];
    ends[0] = entries.len();
    let mut count = 1;
    // First what is too much for a node of its own, the largest first.
    while let Some((index, start)) = largest(&ends[..count], LANES + 1, usize::MAX) {
        if count == LANES {
            return (ends, count);
        }
        let end = ends[index];
        let cut = start + cut(&entries[start..end]);
        ends.copy_within(index..count, index + 1);
        ends[index] = cut;
        count += 1;
    }
    // Then what fits in here box by box, which saves its node.
    while let Some((index, start)) = largest(&ends[..count], 2, LANES - count + 1) {
        let more = ends[index] - start - 1;
        ends.copy_within(index..count, index + more);
        for k in 0..more {
            ends[index + k] = start + k + 1;
        }
        count += more;
    }
    (ends, count)
}

/// The index and the beginning of the longest of some parts, given by their ends, of those that
/// have from `least` to `most` entries.
fn largest(ends: &[usize], least: usize, most: usize) -> Option<(usize, usize)> {
    let (mut longest, mut found, mut start) = (least - 1, None, 0);
    for (index, &end) in ends.iter().enumerate() {
        if end - start > longest && end - start <= most {
            (longest, found) = (end - start, Some((index, start)));
        }
        start = end;
    }
    found
}

/// Where the curve leaves the lower half of the smallest cube around all entries, or of the
/// half of one.
fn cut(entries: &[Entry]) -> usize {
    let (first, last) = (entries[0].place, entries[entries.len() - 1].place);
    if first == last {
        return entries.len() / 2;
    }
    let bit = (first ^ last).ilog2();
    entries.partition_point(|entry| entry.place >> bit & 1 == first >> bit & 1)
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
