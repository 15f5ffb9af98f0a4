//! Stage 4: what follows from new poses, in parallel over awake bodies: frames and
//! boxes, of which those that left their margins are entered later.

use drystone_broad_phase::Move;
use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{Frame, Workers, WorldAabb, rotation};
use drystone_solver::Body;

use crate::hold::Holder;
use crate::path::Path;
use crate::record::{NONE, origin_pose};
use crate::stats::Stopwatch;
use crate::{World, tolerance};

/// Awake bodies per unit of parallel work: least and most. Few bodies may have many shapes each.
const CHUNK: [usize; 2] = [4, 64];

/// Units that the work is cut into where bodies are few.
const FEW_CHUNKS: usize = 16;

/// Shapes that are followed in a microsecond, about.
const SHAPES_PER_MICROSECOND: usize = 10;

/// What a chunk of bodies has to tell the serial part.
#[derive(Clone, Debug, Default)]
pub(crate) struct Followed {
    /// Shapes of bodies that move, where they are now, and their expected displacements.
    shapes: Vec<u32>,
    tight: Vec<WorldAabb>,
    motion: Vec<Vec3>,
    /// Boxes that left their margins, or get new ones with those that did.
    pub(crate) moved: Vec<Move>,
    /// Slots of bodies that are held back, where their centres are then, and their velocities.
    held: Vec<(usize, DVec3, Vec3)>,
    /// Slots of bodies whose state ceased to be finite.
    diverged: Vec<usize>,
}

impl Followed {
    fn clear(&mut self) {
        self.shapes.clear();
        self.tight.clear();
        self.motion.clear();
        self.moved.clear();
        self.held.clear();
        self.diverged.clear();
    }
}

impl World {
    /// Brings frames and boxes up to date with the poses of awake bodies, after holding back
    /// what would have passed through something. Moves are planned only; see
    /// [`World::report_touch`].
    pub(crate) fn follow_poses(&mut self) {
        self.hold_bullets();
        let mut followed = std::mem::take(&mut self.followed);
        // As many as there were, or as there must be at least.
        let before = followed.iter().map(|some| some.shapes.len());
        let shapes = before.sum::<usize>().max(self.awake.len());
        let workers = self.workers.worth(shapes / SHAPES_PER_MICROSECOND);
        let length = (self.awake.len() / FEW_CHUNKS).clamp(CHUNK[0], CHUNK[1]);
        followed.resize_with(self.awake.len().div_ceil(length), Followed::default);
        let mut frames = std::mem::take(&mut self.frames);
        let follow = Follow {
            dt: self.settings.dt,
            holder: self.holder(),
        };
        let chunks = self.awake.chunks(length).zip(frames.chunks_mut(length));
        let work = chunks.zip(&mut followed);
        workers.for_each(work, |chunk, ((bodies, frames), followed)| {
            followed.clear();
            for (slot, (body, frame)) in (chunk * length..).zip(bodies.iter().zip(frames)) {
                if !is_in_range(body) {
                    followed.diverged.push(slot);
                } else if let Some((center, velocity)) = follow.holder.held_at(body, frame) {
                    let body = Body {
                        center,
                        linear_velocity: velocity,
                        ..body.clone()
                    };
                    follow.body(&body, frame, followed);
                    followed.held.push((slot, center, velocity));
                } else {
                    follow.body(body, frame, followed);
                }
            }
            follow.plan_moves(followed);
        });
        follow.keep_together(&workers, &mut followed);
        self.frames = frames;
        let mut watch = Stopwatch::start();
        for Followed { held, diverged, .. } in &followed {
            for &(slot, center, velocity) in held {
                self.awake[slot].center = center;
                self.awake[slot].linear_velocity = velocity;
            }
            for &slot in diverged {
                self.stop_diverged(slot);
            }
        }
        self.followed = followed;
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
            let contact = &mut self.contacts.solver[id as usize];
            contact.forget_impulses();
            self.solver.set_pressing(id, contact.presses());
        }
        for joint in self.bodies[index as usize].joints.clone() {
            self.joints[joint as usize].impulses = Default::default();
        }
    }
}

/// What follows from a body's new pose.
struct Follow<'a> {
    dt: f32,
    holder: Holder<'a>,
}

impl Follow<'_> {
    #[inline]
    fn body(&self, body: &Body, frame: &mut Frame, followed: &mut Followed) {
        let shapes = self.holder.shapes;
        let record = &self.holder.bodies[body.index as usize];
        *frame = origin_pose(body, record.center).to_frame();
        let path = Path::of(body, record, self.dt);
        let mut at = record.first_shape;
        while at != NONE {
            let shape = &shapes[at as usize];
            let tight = shape.proxy_aabb(frame, record.kind);
            let tight = path.map_or(tight, |path| path.sweep(&tight));
            followed.shapes.push(at);
            followed.tight.push(tight);
            followed.motion.push(body.linear_velocity * self.dt);
            at = shape.next;
        }
    }

    /// Finds which boxes left their margins.
    fn plan_moves(&self, followed: &mut Followed) {
        let (shapes, tight, motion) = (&followed.shapes, &followed.tight, &followed.motion);
        let moved = &mut followed.moved;
        let planned = self.holder.broad.plan_moves(shapes, tight, motion, moved);
        debug_assert!(planned.is_ok(), "diverged bodies are not moved");
    }

    /// Gives all shapes new boxes where many left theirs: in a crowd that flies or is carried along
    /// boxes last for some steps, and then end in the same step again, not some in each.
    fn keep_together(&self, workers: &Workers, followed: &mut [Followed]) {
        let (mut moved, mut all) = (0, 0);
        for chunk in &*followed {
            moved += chunk.moved.len();
            all += chunk.shapes.len();
        }
        if moved as f32 <= tolerance::TOGETHER_SHARE * all as f32 {
            return;
        }
        workers.for_each(followed.iter_mut(), |_, followed| {
            let (shapes, tight, motion) = (&followed.shapes, &followed.tight, &followed.motion);
            let moved = &mut followed.moved;
            if moved.len() < shapes.len() {
                moved.clear();
                let planned = self.holder.broad.plan_anew(shapes, tight, motion, moved);
                debug_assert!(planned.is_ok(), "diverged bodies are not moved");
            }
        });
    }
}

#[inline]
fn is_in_range(body: &Body) -> bool {
    let [x, y, z] = body.center.abs().to_array();
    let most = tolerance::MAX_COORDINATE;
    // Zero times what is not finite is no number.
    let [i, j, k, w] = body.rotation.to_array();
    let speeds = body.linear_velocity * 0.0 + body.angular_velocity * 0.0;
    let nothing = speeds + Vec3::new(i, j, k) * 0.0;
    x <= most && y <= most && z <= most && nothing.x + nothing.y + nothing.z + w * 0.0 == 0.0
}
