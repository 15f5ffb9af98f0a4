//! A binary tree of boxes over the triangles of a mesh, in `f32`: median splits along the
//! widest axis of the middles, leaves of at most four triangles.
//!
//! Nodes lie in the order of a walk that goes left first, so the left child of node `i` is
//! `i + 1` and only the right one is stored.

use glam::Vec3;

use crate::Aabb;

/// Most triangles of a leaf.
const LEAF: usize = 4;

/// More levels than 2^30 triangles need, with halves that differ by one.
const DEPTH: usize = 64;

/// A box with what is in it: 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    min: Vec3,
    /// Index of the right child, or of the first triangle in `order`.
    link: u32,
    max: Vec3,
    /// Number of triangles of a leaf; zero for an inner node.
    count: u32,
}

/// The tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// Triangles in the order of the leaves.
    order: Vec<u32>,
}

impl Tree {
    /// A tree over these boxes, one of each triangle.
    pub(super) fn new(boxes: &[Aabb]) -> Self {
        let mut tree = Self {
            nodes: Vec::with_capacity(boxes.len()),
            order: (0..boxes.len() as u32).collect(),
        };
        // The middle of a box, doubled, which does not change an order.
        let middles: Vec<Vec3> = boxes.iter().map(|b| b.min + b.max).collect();
        let mut order = std::mem::take(&mut tree.order);
        tree.split(&mut order, 0, boxes, &middles);
        tree.order = order;
        tree
    }

    fn split(&mut self, order: &mut [u32], first: usize, boxes: &[Aabb], middles: &[Vec3]) {
        let start = boxes[order[0] as usize];
        let bounds = order[1..]
            .iter()
            .fold(start, |all, &t| all.union(&boxes[t as usize]));
        let index = self.nodes.len();
        self.nodes.push(Node {
            min: bounds.min,
            link: first as u32,
            max: bounds.max,
            count: order.len() as u32,
        });
        if order.len() <= LEAF {
            order.sort_unstable();
            return;
        }
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for &t in order.iter() {
            low = low.min(middles[t as usize]);
            high = high.max(middles[t as usize]);
        }
        let size = high - low;
        let axis = if size.x >= size.y && size.x >= size.z {
            0
        } else if size.y >= size.z {
            1
        } else {
            2
        };
        // Ties are broken by index, so the halves are the same on every platform.
        let half = order.len() / 2;
        order.select_nth_unstable_by(half, |&a, &b| {
            middles[a as usize][axis]
                .total_cmp(&middles[b as usize][axis])
                .then(a.cmp(&b))
        });
        let (left, right) = order.split_at_mut(half);
        self.split(left, first, boxes, middles);
        self.nodes[index].link = self.nodes.len() as u32;
        self.nodes[index].count = 0;
        self.split(right, first + half, boxes, middles);
    }

    /// The box around everything.
    pub(super) fn bounds(&self) -> Aabb {
        Aabb {
            min: self.nodes[0].min,
            max: self.nodes[0].max,
        }
    }

    /// Bytes the tree takes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..]) + size_of_val(&self.order[..])
    }

    /// Visits the triangles of all leaves whose box passes `enters`. Of two children the one
    /// with the lower rank comes first; `enters` is asked again when a node is reached, so a
    /// search may close in while it goes.
    pub(super) fn visit<S>(
        &self,
        state: &mut S,
        enters: impl Fn(&S, &Aabb) -> Option<f64>,
        mut triangle: impl FnMut(&mut S, u32),
    ) {
        let rank = |state: &S, node: usize| {
            let node = &self.nodes[node];
            enters(
                state,
                &Aabb {
                    min: node.min,
                    max: node.max,
                },
            )
        };
        let mut stack = [0_u32; DEPTH];
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let at = stack[height] as usize;
            if rank(state, at).is_none() {
                continue;
            }
            let node = &self.nodes[at];
            if node.count > 0 {
                let first = node.link as usize;
                for &t in &self.order[first..first + node.count as usize] {
                    triangle(state, t);
                }
                continue;
            }
            let (left, right) = (at as u32 + 1, node.link);
            let ranks = (rank(state, left as usize), rank(state, right as usize));
            let (near, far) = match ranks {
                (Some(l), Some(r)) if r < l => (right, left),
                _ => (left, right),
            };
            for child in [far, near] {
                let passes = if child == left { ranks.0 } else { ranks.1 };
                if passes.is_some() {
                    stack[height] = child;
                    height += 1;
                }
            }
        }
    }

    /// Appends the triangles whose leaves' boxes and own boxes meet `around`, in no order.
    pub(super) fn collect(
        &self,
        around: &Aabb,
        mut meets: impl FnMut(u32) -> bool,
        out: &mut Vec<u32>,
    ) {
        let mut stack = [0_u32; DEPTH];
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let at = stack[height];
            let node = &self.nodes[at as usize];
            if !(node.min.cmple(around.max).all() && around.min.cmple(node.max).all()) {
                continue;
            }
            if node.count > 0 {
                let first = node.link as usize;
                let triangles = &self.order[first..first + node.count as usize];
                out.extend(triangles.iter().copied().filter(|&t| meets(t)));
            } else {
                stack[height] = node.link;
                stack[height + 1] = at + 1;
                height += 2;
            }
        }
    }
}
