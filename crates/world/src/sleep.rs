//! Sleep and wake: whole islands move between the dense arrays of awake and sleeping
//! bodies, and their constraints leave or enter the graph.

use drystone_broad_phase::Activity;
use drystone_geometry::glam::Vec3;
use drystone_solver::joint::follows;
use drystone_solver::tolerance::DRIVEN_SHARE;
use drystone_solver::{Body, BodyTable, ConstraintId, IslandId, JointKind};

use crate::World;
use crate::def::BodyKind;
use crate::graze::velocity_at;
use crate::record::{Place, origin_pose};

impl World {
    /// Puts the islands to sleep whose bodies have all rested long enough.
    pub(crate) fn fall_asleep(&mut self) {
        if !self.settings.sleeping {
            return;
        }
        let table = BodyTable {
            slot_of: &self.slot_of,
            statics: &self.statics,
        };
        for island in self.islands.sleepers(&self.awake, table) {
            if self.is_on_its_way(island) {
                self.stay_awake(island);
            } else {
                self.sleep_island(island);
            }
        }
    }

    /// Whether motors, springs or belts move something of an island, if ever so slowly.
    fn is_on_its_way(&self, island: IslandId) -> bool {
        self.islands.links(island).any(|link| match link {
            ConstraintId::Contact(id) => self.is_conveyed(id),
            ConstraintId::Joint(id) => self.is_driven(id) || self.hangs_on_mover(id),
        })
    }

    /// Whether the surfaces of a contact take along what touches them.
    fn is_conveyed(&self, id: u32) -> bool {
        let contact = &self.contacts.solver[id as usize];
        let belt = contact.tangent_velocity.reject_from(contact.normal);
        let speed = belt.length();
        if speed <= 0.0 {
            return false;
        }
        let bodies = self.contacts.links[id as usize].bodies;
        let [a, b] = bodies.map(|body| self.awake_body(body));
        let least = DRIVEN_SHARE * threshold([a, b]);
        contact.anchors().iter().any(|anchors| {
            let rate = (velocity_at(b, anchors.b) - velocity_at(a, anchors.a)).dot(belt / speed);
            follows(rate, speed, 1.0, least)
        })
    }

    /// Whether one of the bodies of a joint is kinematic and moves.
    fn hangs_on_mover(&self, id: u32) -> bool {
        let joint = &self.joints[id as usize];
        let bodies = [joint.body_a, joint.body_b];
        bodies.into_iter().any(|body| self.carries(body))
    }

    fn is_driven(&self, id: u32) -> bool {
        let joint = &self.joints[id as usize];
        let ends = [joint.body_a, joint.body_b];
        let [pose_a, pose_b] = ends.map(|body| self.center_pose(body));
        let bodies = ends.map(|body| self.awake_body(body));
        let velocity = |body: Option<&Body>| {
            body.map_or([Vec3::ZERO; 2], |body| {
                [body.linear_velocity, body.angular_velocity]
            })
        };
        let extent = |body: Option<&Body>, anchor: Vec3| {
            body.map_or(0.0, |body| body.extent + anchor.length())
        };
        let [a, b] = bodies;
        let extents = [
            extent(a, joint.frame_a.translation),
            extent(b, joint.frame_b.translation),
        ];
        let velocities = [velocity(a), velocity(b)];
        joint.is_driven([&pose_a, &pose_b], velocities, extents, threshold(bodies))
    }

    /// Lets the bodies of an island begin to rest anew.
    fn stay_awake(&mut self, island: IslandId) {
        for &index in self.islands.bodies(island) {
            if let Place::Awake(slot) = self.bodies[index as usize].place {
                self.awake[slot as usize].sleep_time = 0.0;
            }
        }
    }

    fn sleep_island(&mut self, island: IslandId) {
        self.islands.set_asleep(island, true);
        let links: Vec<_> = self.islands.links(island).collect();
        for link in links {
            self.graph.remove(link);
        }
        for index in self.islands.bodies(island).to_vec() {
            let Place::Awake(slot) = self.bodies[index as usize].place else {
                continue;
            };
            let mut body = self.take_awake(slot);
            body.linear_velocity = Vec3::ZERO;
            body.angular_velocity = Vec3::ZERO;
            self.rest_frames(
                index,
                &origin_pose(&body, self.bodies[index as usize].center),
            );
            self.asleep.push(body);
            let place = Place::Asleep((self.asleep.len() - 1) as u32);
            self.bodies[index as usize].place = place;
            self.pending_events
                .sleep
                .push(self.bodies[index as usize].key);
            self.announce(index, Activity::Asleep);
        }
    }

    /// Wakes a body with its whole island. Does nothing to one that is static or awake,
    /// except that an awake one is kept from falling asleep for a while.
    pub(crate) fn wake_body(&mut self, index: u32) {
        match self.bodies[index as usize].place {
            Place::Static => {}
            Place::Awake(slot) => self.awake[slot as usize].sleep_time = 0.0,
            Place::Asleep(_) => self.wake_island(self.islands.island_of(index)),
        }
    }

    fn wake_island(&mut self, island: IslandId) {
        self.islands.set_asleep(island, false);
        for index in self.islands.bodies(island).to_vec() {
            let Place::Asleep(slot) = self.bodies[index as usize].place else {
                continue;
            };
            let mut body = self.take_asleep(slot);
            body.sleep_time = 0.0;
            let pose = origin_pose(&body, self.bodies[index as usize].center);
            self.frames.push(pose.to_frame());
            self.awake.push(body);
            let slot = (self.awake.len() - 1) as u32;
            self.bodies[index as usize].place = Place::Awake(slot);
            self.slot_of[index as usize] = slot;
            self.pending_events
                .wake
                .push(self.bodies[index as usize].key);
            self.announce(index, Activity::Awake);
        }
        let links: Vec<_> = self.islands.links(island).collect();
        for link in links {
            let [a, b] = match link {
                ConstraintId::Contact(id) => self.contacts.links[id as usize].bodies,
                ConstraintId::Joint(id) => {
                    let joint = &self.joints[id as usize];
                    [joint.body_a, joint.body_b]
                }
            };
            self.graph.add(link, self.pushed(a), self.pushed(b));
        }
    }

    /// Wakes the dynamic bodies whose boxes meet those of `body`, a static one that came.
    pub(crate) fn wake_near(&mut self, body: u32) {
        if self.asleep.is_empty() {
            return;
        }
        let shapes: Vec<_> = self.shapes_of(body).collect();
        for shape in shapes {
            let frame = self.bodies[body as usize].rest_pose.to_frame();
            let tight = self.shapes[shape as usize].world_aabb(&frame);
            for near in self.broad.touching(&tight) {
                self.wake_body(self.shapes[near as usize].body);
            }
        }
    }

    /// Wakes what touches `body`, for a change that contacts do not see by themselves.
    pub(crate) fn wake_touching(&mut self, body: u32) {
        let others: Vec<_> = self
            .contacts
            .of_body(&self.bodies[body as usize])
            .filter(|(id, _)| self.contacts.states[*id as usize].constrained)
            .map(|(id, side)| self.contacts.links[id as usize].bodies[1 - side])
            .collect();
        for other in others {
            self.wake_body(other);
        }
    }

    /// Wakes what joints connect to `body`, a kinematic or static one that moves or came elsewhere.
    pub(crate) fn wake_jointed(&mut self, body: u32) {
        for joint in self.bodies[body as usize].joints.clone() {
            let joint = &self.joints[joint as usize];
            let is_first = joint.body_a == body;
            let other = if is_first { joint.body_b } else { joint.body_a };
            if joint.kind != JointKind::NoContact {
                self.wake_body(other);
            }
        }
    }

    /// Wakes sleeping bodies that a kinematic body touches while it moves.
    pub(crate) fn wake_carried(&mut self) {
        for id in self.carried_contacts.iter().copied().collect::<Vec<_>>() {
            let bodies = self.contacts.links[id as usize].bodies;
            let is_carried = self.contacts.states[id as usize].constrained
                && bodies.into_iter().any(|body| self.carries(body));
            for body in bodies {
                let is_asleep = matches!(self.bodies[body as usize].place, Place::Asleep(_));
                if is_carried && is_asleep {
                    self.wake_body(body);
                }
            }
        }
    }

    /// Whether a body is kinematic and moves.
    pub(crate) fn carries(&self, body: u32) -> bool {
        let Place::Awake(slot) = self.bodies[body as usize].place else {
            return false;
        };
        let body = &self.awake[slot as usize];
        !body.is_dynamic() && body.surface_speed() > 0.0
    }

    /// Tells the broad phase and the contacts of a body that it woke or fell asleep.
    fn announce(&mut self, index: u32, activity: Activity) {
        let shapes: Vec<_> = self.shapes_of(index).collect();
        for shape in shapes {
            self.broad.set_activity(shape, activity);
        }
        let contacts: Vec<_> = self
            .contacts
            .of_body(&self.bodies[index as usize])
            .collect();
        for (id, _) in contacts {
            self.refresh_awake(id);
        }
    }

    /// Stores the world frames of a body's shapes, for a body that ceases to be awake.
    pub(crate) fn rest_frames(&mut self, index: u32, pose: &drystone_geometry::WorldPose) {
        let frame = pose.to_frame();
        let shapes: Vec<_> = self.shapes_of(index).collect();
        for shape in shapes {
            let shape = &mut self.shapes[shape as usize];
            shape.rest_frame = shape.frame_on(&frame);
        }
    }

    /// Whether the body is one that forces and contacts move.
    pub(crate) fn is_dynamic(&self, index: u32) -> bool {
        self.bodies[index as usize].kind == BodyKind::Dynamic
    }
}

/// Speed of a surface below which both bodies rest, in m/s.
fn threshold(bodies: [Option<&Body>; 2]) -> f32 {
    let thresholds = bodies
        .into_iter()
        .flatten()
        .map(|body| body.sleep_threshold);
    thresholds.fold(f32::INFINITY, f32::min)
}
