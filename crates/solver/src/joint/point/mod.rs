//! Points: ball joints that turn freely, eight side by side.
//!
//! They are what nets, ropes and chains are made of, and all they do is hold two anchors
//! together: a 3x3 block, solved in lanes as contacts are. What a sweep reads of a joint is
//! small, since masses live in the rows of the bodies and the block is put together anew in
//! every sweep, from the arms as they lie then.

mod sweep;

pub(crate) use sweep::{prepare, relax, solve, warm_start};

use drystone_geometry::lanes::{LANES, Lane3};

use crate::body_rows::{BodyRows, STATIC_ROW};

/// Eight ball joints.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct PointBundle {
    /// Rows of the bodies A; see [`BodyRows`](crate::body_rows::BodyRows).
    row_a: [u32; LANES],
    /// Rows of the bodies B.
    row_b: [u32; LANES],
    /// Anchor on A from A's centre, in world axes as the step began, in metres.
    arm_a: Lane3,
    /// Anchor on B from B's centre, likewise.
    arm_b: Lane3,
    /// B's centre less A's as the step began, in metres.
    offset: Lane3,
    /// Impulse on B in world axes, in N s.
    impulse: Lane3,
}

/// Some bundles of one colour, solved as a block.
#[derive(Clone, Debug, Default)]
pub(crate) struct PointLot {
    /// Whether they make up a net, and do not close the loops of a tree.
    pub(crate) is_net: bool,
    /// Index of the joint of each lane, or [`NO_JOINT`].
    pub(crate) ids: Vec<[u32; LANES]>,
    /// By bundle.
    pub(crate) bundles: Vec<PointBundle>,
}

/// An empty lane.
pub(crate) const NO_JOINT: u32 = u32::MAX;

// Bytes a joint takes in any sweep, beside the rows of its bodies.
const _: () = assert!(size_of::<PointBundle>() / LANES == 56);

impl PointBundle {
    /// Eight empty lanes that read zeros and write nothing.
    const EMPTY: Self = Self {
        row_a: [STATIC_ROW; LANES],
        row_b: [STATIC_ROW; LANES],
        arm_a: Lane3::ZERO,
        arm_b: Lane3::ZERO,
        offset: Lane3::ZERO,
        impulse: Lane3::ZERO,
    };
}

impl PointLot {
    /// Puts `ids` into the lanes, `lanes` of them a bundle.
    pub(crate) fn fill(&mut self, ids: &[u32], lanes: usize) {
        self.ids.clear();
        for eight in ids.chunks(lanes) {
            let mut bundle = [NO_JOINT; LANES];
            bundle[..eight.len()].copy_from_slice(eight);
            self.ids.push(bundle);
        }
        self.bundles.resize(self.ids.len(), PointBundle::EMPTY);
    }

    /// Tells the bodies that something besides trees holds them.
    pub(crate) fn note(&self, rows: &BodyRows) {
        for bundle in &self.bundles {
            for &row in bundle.row_a.iter().chain(&bundle.row_b) {
                rows.wedged.hold(row);
            }
        }
    }

    /// Impulse on B of a joint, in world axes, in N s.
    pub(crate) fn impulse(&self, bundle: usize, lane: usize) -> drystone_geometry::glam::Vec3 {
        self.bundles[bundle].impulse.get(lane)
    }
}
