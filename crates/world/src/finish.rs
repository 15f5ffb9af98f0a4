//! Stage 4: what follows from new poses, in parallel over awake bodies: frames and
//! boxes; then, serially, the boxes that left their margins.

use drystone_broad_phase::Move;
use drystone_geometry::glam::Vec3;
use drystone_geometry::{Frame, rotation};
use drystone_solver::Body;

use crate::continuous::is_fast;
use crate::record::{NONE, origin_pose};
use crate::stats::Stopwatch;
use crate::{World, tolerance};

/// Awake bodies per unit of parallel work.
const CHUNK: usize = 64;

/// What a chunk of bodies has to tell the serial part.
#[derive(Default)]
struct Followed {
    /// Boxes that left their margins.
    moved: Vec<Move>,
    /// Bodies that are fast now.
    fast: Vec<u32>,
    /// Slots of bodies whose state ceased to be finite.
    diverged: Vec<usize>,
}

impl World {
    /// Brings frames and boxes up to date with the poses of awake bodies.
    pub(crate) fn follow_poses(&mut self) {
        let dt = self.settings.dt;
        let (records, shapes, broad) = (&self.bodies, &self.shapes, &self.broad);
        let follow = |body: &Body, frame: &mut Frame, followed: &mut Followed| {
            let record = &records[body.index as usize];
            let pose = origin_pose(body, record.center);
            *frame = pose.to_frame();
            let reach = body.surface_speed() * dt;
            let mut fast = false;
            let mut at = record.first_shape;
            while at != NONE {
                let shape = &shapes[at as usize];
                let tight = shape.proxy_aabb(&pose, record.kind);
                let motion = body.linear_velocity * dt;
                fast |= is_fast(shape, reach);
                let planned = broad.plan_move(at, &tight, motion);
                debug_assert!(planned.is_ok(), "diverged bodies are not moved");
                followed.moved.extend(planned.ok().flatten());
                at = shape.next;
            }
            if fast {
                followed.fast.push(body.index);
            }
        };
        let (awake, frames) = (&self.awake, &mut self.frames);
        let mut followed: Vec<Followed> = Vec::new();
        followed.resize_with(awake.len().div_ceil(CHUNK), Followed::default);
        let chunks = awake.chunks(CHUNK).zip(frames.chunks_mut(CHUNK));
        let work = chunks.zip(&mut followed);
        self.workers
            .for_each(work, |chunk, ((bodies, frames), followed)| {
                for (i, (body, frame)) in bodies.iter().zip(frames).enumerate() {
                    if is_in_range(body) {
                        follow(body, frame, followed);
                    } else {
                        followed.diverged.push(chunk * CHUNK + i);
                    }
                }
            });
        let mut watch = Stopwatch::start();
        self.movers.clear();
        for Followed {
            moved,
            fast,
            diverged,
        } in followed
        {
            self.movers.extend(fast);
            self.broad.apply_moves(&moved);
            for slot in diverged {
                self.stop_diverged(slot);
            }
        }
        self.stats.times.serial += watch.lap();
    }

    /// Puts a body to rest whose state ceased to be finite or in range, where it last was.
    fn stop_diverged(&mut self, slot: usize) {
        let (index, frame) = (self.awake[slot].index, self.frames[slot]);
        let center = self.bodies[index as usize].center;
        let body = &mut self.awake[slot];
        body.center = frame.transform_point(center.as_dvec3());
        body.rotation = rotation::to_single(rotation::from_dmatrix(frame.rotation));
        body.linear_velocity = Vec3::ZERO;
        body.angular_velocity = Vec3::ZERO;
        self.frames[slot] = origin_pose(body, center).to_frame();
        self.forget_impulses(index);
        self.pending_events
            .diverged
            .push(self.bodies[index as usize].key);
    }

    /// Clears what contacts and joints of a body would start the next step from.
    fn forget_impulses(&mut self, index: u32) {
        let contacts: Vec<_> = self
            .contacts
            .of_body(&self.bodies[index as usize])
            .collect();
        for (id, _) in contacts {
            self.contacts.solver[id as usize].forget_impulses();
        }
        for joint in self.bodies[index as usize].joints.clone() {
            self.joints[joint as usize].impulses = Default::default();
        }
    }
}

fn is_in_range(body: &Body) -> bool {
    body.center.abs().max_element() <= tolerance::MAX_COORDINATE
        && body.center.is_finite()
        && body.rotation.is_finite()
        && body.linear_velocity.is_finite()
        && body.angular_velocity.is_finite()
}
