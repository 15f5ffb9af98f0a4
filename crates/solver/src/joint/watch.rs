//! Joints whose greatest load in a step is noted: what breaks does so in the sub-step in which it
//! carries too much, whatever it carries in those after.

use std::sync::atomic::{AtomicU32, Ordering};

use drystone_geometry::glam::Vec3;
use drystone_geometry::rotation;

use crate::body::StaticPose;
use crate::body_rows::{BodyRows, row_index};
use crate::contact::prepare::Scene;
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

/// Of the length, which is finite whatever the load is; of nothing where it is no number, which would
/// hide all others.
fn bits(load: Vec3) -> u32 {
    let length = load.length();
    let length = if length.is_finite() {
        length
    } else {
        // Squares overflow long before lengths do.
        load.as_dvec3().length() as f32
    };
    if length.is_nan() {
        return 0;
    }
    length.min(f32::MAX).to_bits()
}

/// Where a body is in the present sub-step.
pub(super) fn present_pose(rows: &BodyRows, scene: Scene<'_>, body: u32) -> StaticPose {
    let mut pose = scene.table.pose(scene.bodies, body);
    if let Some(slot) = scene.table.awake_slot(body) {
        let (delta, turn) = rows.movement(row_index(slot as u32));
        pose.center += delta.as_dvec3();
        pose.rotation = rotation::normalize(rotation::multiply(turn, pose.rotation));
    }
    pose
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Loads whose squares overflow, and those that do themselves, by hand: 5e20 N are 3 by 4, and the
    /// rest is the largest number or nothing.
    #[test]
    fn a_load_is_a_finite_number() {
        let length = |load| f32::from_bits(bits(load));
        assert_eq!(length(Vec3::new(3e20, 4e20, 0.0)), 5e20);
        assert_eq!(length(Vec3::splat(f32::MAX)), f32::MAX);
        assert_eq!(length(Vec3::new(f32::INFINITY, 0.0, 0.0)), f32::MAX);
        assert_eq!(length(Vec3::splat(f32::NAN)), 0.0);
    }
}
