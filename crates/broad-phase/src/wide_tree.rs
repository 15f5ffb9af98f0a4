//! A tree for questions about boxes that stay where they are: eight boxes or subtrees to a
//! node, tested at once.
//!
//! Nodes hold `f32` bounds from the origin of their *frame*, so that a world of any extent is
//! told apart as finely as the boxes in it: where a subtree becomes small beside its frame it
//! gets one of its own. A question is brought to `f32` once a frame, grown by what rounding
//! can take away. So the bounds tell which few boxes may matter, and what is told of those is
//! found from their fat boxes.

mod build;

use std::ops::ControlFlow;

use drystone_geometry::WorldAabb;
use drystone_geometry::glam::DVec3;
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f32x4};

use crate::placement::power_of_two;
use crate::tolerance::{FRAME_ROUNDING, LEVEL_MIN, STEP_BITS};

/// Boxes or subtrees to a node.
pub(crate) const LANES: usize = 8;

/// Up to eight boxes and subtrees, one to a lane.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Node {
    /// Smallest bounds along x, y and z, then largest ones, from the frame's origin, in metres.
    pub(crate) bounds: [[f32; LANES]; 6],
    /// Ids of boxes, indices of nodes or of frames.
    children: [u32; LANES],
    /// Lanes in use, one bit each, and of them those of boxes and of frames.
    used: u8,
    boxes: u8,
    frames: u8,
}

/// What some nodes measure from.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// What holds all of its boxes, in the world, in metres.
    pub(crate) bounds: WorldAabb,
    /// In the world, in metres.
    pub(crate) origin: DVec3,
    root: u32,
}

/// Boxes that do not move.
#[derive(Clone, Debug, Default)]
pub(crate) struct WideTree {
    /// The first one holds all.
    frames: Vec<Frame>,
    nodes: Vec<Node>,
}

/// A question to a tree: about the boxes up to some distance, or fraction of a way.
pub(crate) trait Probe {
    /// The question as nodes of one frame see it.
    type Local;

    /// Brings the question to a frame; none if nothing in that matters.
    fn enter(&self, frame: &Frame) -> Option<Self::Local>;

    /// How far away what is in each lane of a node is at least, not negative, and which lanes
    /// may matter.
    fn lanes<S: Simd>(simd: S, local: &Self::Local, node: &Node, reach: f32) -> (Keys, u32);

    /// How far away something may be at most to matter.
    fn reach(&self, local: &Self::Local) -> f32;

    /// Looks at a box, given in the world, in metres.
    fn meet(&mut self, id: u32, fat: &WorldAabb) -> ControlFlow<()>;
}

/// A number for each lane.
pub(crate) type Keys = [f32; LANES];

impl Frame {
    /// What rounding to `f32` may take away where coordinates from the origin are up to `far`
    /// or within the frame, in metres.
    pub(crate) fn slack(&self, far: f64) -> f64 {
        let extent = (self.bounds.max - self.bounds.min).max_element();
        // A frame of a single point has some, too.
        let finest_step = power_of_two(LEVEL_MIN - STEP_BITS);
        FRAME_ROUNDING * extent.max(far).max(finest_step)
    }
}

impl WideTree {
    /// Memory held, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.frames.capacity() * size_of::<Frame>()
    }

    /// Shows `probe` the boxes that may matter, near ones roughly before far ones, until it
    /// breaks. `fat` has all boxes by id.
    pub(crate) fn visit(&self, fat: &[WorldAabb], probe: &mut impl Probe) -> ControlFlow<()> {
        if self.frames.is_empty() {
            return ControlFlow::Continue(());
        }
        self.visit_frame(0, fat, probe)
    }

    fn visit_frame<P: Probe>(
        &self,
        index: u32,
        fat: &[WorldAabb],
        probe: &mut P,
    ) -> ControlFlow<()> {
        let frame = &self.frames[index as usize];
        match probe.enter(frame) {
            Some(local) => self.visit_node(frame.root, fat, &local, probe),
            None => ControlFlow::Continue(()),
        }
    }

    fn visit_node<P: Probe>(
        &self,
        index: u32,
        fat: &[WorldAabb],
        local: &P::Local,
        probe: &mut P,
    ) -> ControlFlow<()> {
        let node = &self.nodes[index as usize];
        let reach = probe.reach(local);
        let (keys, met) = dispatch!(Level::baseline(), simd => P::lanes(simd, local, node, reach));
        let met = met & u32::from(node.used);
        let mut boxes = met & u32::from(node.boxes);
        while boxes != 0 {
            let lane = boxes.trailing_zeros() as usize;
            boxes &= boxes - 1;
            let id = node.children[lane];
            probe.meet(id, &fat[id as usize])?;
        }
        let mut below = met & !u32::from(node.boxes);
        // Numbers that are not negative sort like their bits; the lowest bits make room for
        // the lane.
        let mut order = [0_u32; LANES];
        let mut count = 0;
        while below != 0 {
            let lane = below.trailing_zeros();
            below &= below - 1;
            let key = keys[lane as usize].to_bits() & !(LANES as u32 - 1) | lane;
            let mut at = count;
            while at > 0 && order[at - 1] > key {
                order[at] = order[at - 1];
                at -= 1;
            }
            order[at] = key;
            count += 1;
        }
        for key in &order[..count] {
            let lane = (key & (LANES as u32 - 1)) as usize;
            if keys[lane] > probe.reach(local) {
                continue;
            }
            let child = node.children[lane];
            if node.frames >> lane & 1 == 0 {
                self.visit_node(child, fat, local, probe)?;
            } else {
                self.visit_frame(child, fat, probe)?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// The lanes of one half of a row of bounds.
#[inline(always)]
pub(crate) fn half<S: Simd>(simd: S, row: &[f32; LANES], half: usize) -> f32x4<S> {
    f32x4::from_slice(simd, &row[4 * half..4 * half + 4])
}
