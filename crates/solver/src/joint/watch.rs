//! Joints whose greatest load in a step is noted: what breaks does so in the sub-step in which it
//! carries too much, whatever it carries in those after.

use std::sync::atomic::{AtomicU32, Ordering};

use drystone_geometry::glam::Vec3;

use crate::joint::JointForce;
use crate::tolerance::WATCHED_PER_BLOCK;

/// The most a joint carried in a sub-step of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointLoad {
    /// In N.
    pub force: f32,
    /// About B's anchor, in N m; maybe in another sub-step.
    pub torque: f32,
}

/// The watched joints and what they carried so far.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    ids: Vec<u32>,
    /// By watched joint: the bits of a force and a torque, which are never negative and so lie in
    /// the same order as the numbers.
    most: Vec<[AtomicU32; 2]>,
}

impl Watch {
    /// Watches these joints and no other.
    pub(crate) fn set(&mut self, ids: &[u32]) {
        self.ids.clear();
        self.ids.extend_from_slice(ids);
        self.most.clear();
        self.most.resize_with(ids.len(), Default::default);
    }

    /// Blocks of watched joints.
    pub(crate) fn block_count(&self) -> u32 {
        self.ids.len().div_ceil(WATCHED_PER_BLOCK) as u32
    }

    /// Notes what the joints of a block carry, those that `carried` tells it of.
    pub(crate) fn note(&self, block: usize, carried: impl Fn(u32) -> Option<JointForce>) {
        let watched = self.ids.iter().zip(&self.most);
        let start = block * WATCHED_PER_BLOCK;
        for (&id, [force, torque]) in watched.skip(start).take(WATCHED_PER_BLOCK) {
            if let Some(load) = carried(id) {
                force.fetch_max(bits(load.force), Ordering::Relaxed);
                torque.fetch_max(bits(load.torque), Ordering::Relaxed);
            }
        }
    }

    /// What the watched joints carried at most, in their order.
    pub(crate) fn loads(&self) -> impl Iterator<Item = JointLoad> {
        self.most.iter().map(|[force, torque]| JointLoad {
            force: f32::from_bits(force.load(Ordering::Relaxed)),
            torque: f32::from_bits(torque.load(Ordering::Relaxed)),
        })
    }
}

/// Of the length; of nothing where it is no number, which would hide all others.
fn bits(load: Vec3) -> u32 {
    load.length().max(0.0).to_bits()
}
