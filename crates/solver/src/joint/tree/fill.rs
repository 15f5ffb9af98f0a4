//! Joints into lanes as a step begins, and what they did out of them.

use drystone_geometry::glam::Vec3;
use drystone_geometry::lanes::{LANES, Lane, Lane3};
use drystone_geometry::rotation;

use crate::body::{Body, BodyTable};
use crate::body_rows::STATIC_ROW;
use crate::integrate::world_inverse_inertia;
use crate::joint::axis::within_turns;
use crate::joint::prepared::Seat;
use crate::joint::tree::shape::{Role, Shape};
use crate::joint::tree::spring::SpringLanes;
use crate::joint::tree::{
    Class, Guide, GuideLanes, GuidePresent, ImpulseLanes, JointLanes, NO_JOINT, PresentLanes,
    StopPresent, TreeBody, TreeLot, Uses,
};
use crate::joint::{AxisImpulses, Joint, JointAxis, JointImpulses, JointKind, JointSpring};
use crate::tolerance::{STOP_LOAD_TURN, STOP_SUBSTEPS};

/// Places of the cone and of what acts about Z in [`JointImpulses::axes`].
const CONE: usize = 3;
const ABOUT: usize = 5;

/// A limit that is none, in radians.
const FAR: f32 = 1_000_000.0;

impl ImpulseLanes {
    pub(super) const NONE: Self = Self {
        linear: Lane3::ZERO,
        angular: Lane3::ZERO,
        spring: Lane3::ZERO,
        friction: Lane3::ZERO,
        cone: Lane::ZERO,
        motor: Lane::ZERO,
        axis_spring: Lane::ZERO,
        lower: Lane::ZERO,
        upper: Lane::ZERO,
    };
}

impl JointLanes {
    /// Lanes that do nothing.
    const EMPTY: Self = Self {
        arm_a: Lane3::ZERO,
        arm_b: Lane3::ZERO,
        offset: Lane3::ZERO,
        frame_a: (Lane3::ZERO, Lane::ZERO),
        frame_b: (Lane3::ZERO, Lane::ZERO),
        uses: Uses::NOTHING,
        spring: SpringLanes::NONE,
        motor_most: Lane::ZERO,
        motor_speed: Lane::ZERO,
        motor_way: Lane::ZERO,
        cone: Lane::splat(FAR),
        lower: Lane::splat(-FAR),
        upper: Lane::splat(FAR),
        locked: Lane::ZERO,
        stop_least: Lane::ZERO,
        done: ImpulseLanes::NONE,
    };

    /// Where the ends of a joint are.
    fn seat(&mut self, lane: usize, joint: &Joint, [a, b]: [&Seat; 2]) {
        self.arm_a.set(lane, a.arm);
        self.arm_b.set(lane, b.arm);
        let offset = (b.pose.center - a.pose.center).as_vec3();
        self.offset.set(lane, offset);
        set_frame(&mut self.frame_a, lane, a, joint.frame_a.rotation);
        set_frame(&mut self.frame_b, lane, b, joint.frame_b.rotation);
    }

    /// Settings and impulses of a joint.
    fn set(&mut self, lane: usize, joint: &Joint, h: f32) {
        let done = &joint.impulses;
        if Guide::of(&joint.kind).is_some() {
            return;
        }
        self.done.linear.set(lane, done.linear);
        match joint.kind {
            JointKind::Ball {
                friction_torque,
                spring,
                cone,
                twist,
            } => {
                let axis = JointAxis {
                    limit: twist,
                    ..JointAxis::FREE
                };
                self.set_axis(lane, &axis, &done.axes[ABOUT], h);
                if let Some(spring) = spring {
                    self.set_spring(lane, spring, h);
                    self.done.spring.set(lane, done.spring);
                }
                if friction_torque > 0.0 {
                    self.uses.motor = true;
                    self.motor_most.0[lane] = friction_torque * h;
                    self.done.friction.set(lane, done.friction);
                }
                if let Some(cone) = cone {
                    self.uses.cone = true;
                    self.cone.0[lane] = cone;
                    self.done.cone.0[lane] = done.axes[CONE].upper;
                }
            }
            JointKind::Hinge { .. } => {
                if let Some(axis) = joint.kind.axis() {
                    self.set_axis(lane, &axis, &done.axes[ABOUT], h);
                }
                self.done.angular.set(lane, done.angular);
            }
            JointKind::Weld {
                angular: Some(spring),
                ..
            } => {
                self.set_spring(lane, spring, h);
                self.done.spring.set(lane, done.angular);
            }
            JointKind::Weld { .. } => self.done.angular.set(lane, done.angular),
            _ => {}
        }
    }

    fn set_spring(&mut self, lane: usize, spring: JointSpring, h: f32) {
        self.uses.spring = true;
        let target = within_turns(spring.target);
        self.uses.stiff |= self.spring.set(lane, spring, target, h);
    }

    fn set_axis(&mut self, lane: usize, axis: &JointAxis, done: &AxisImpulses, h: f32) {
        if let Some(spring) = axis.spring {
            self.done.axis_spring.0[lane] = done.spring;
            self.set_spring(lane, spring, h);
        }
        if let Some(motor) = axis.motor {
            self.uses.motor = true;
            self.done.motor.0[lane] = done.motor;
            self.motor_speed.0[lane] = motor.speed;
            self.motor_way.0[lane] = STOP_SUBSTEPS * h * motor.speed;
            self.motor_most.0[lane] = motor.max_effort * h;
        }
        if let Some(limit) = axis.limit.filter(|limit| !limit.is_turn()) {
            self.uses.limit = true;
            self.done.lower.0[lane] = done.lower;
            self.done.upper.0[lane] = done.upper;
            self.lower.0[lane] = limit.lower;
            self.upper.0[lane] = limit.upper;
            self.locked.0[lane] = if axis.is_locked() { 1.0 } else { 0.0 };
        }
    }

    /// What the joint of a lane did.
    fn get(&self, lane: usize, class: Class, kind: &JointKind) -> JointImpulses {
        let mut done = JointImpulses {
            linear: self.done.linear.get(lane),
            ..JointImpulses::default()
        };
        if matches!(kind, JointKind::Weld { .. }) {
            done.angular = if class.shared() == Class::Ball {
                self.done.spring.get(lane)
            } else {
                self.done.angular.get(lane)
            };
            return done;
        }
        if class.shared() == Class::Ball {
            done.spring = self.done.spring.get(lane);
            done.friction = self.done.friction.get(lane);
            done.axes[CONE].upper = self.done.cone.0[lane];
        } else {
            done.angular = self.done.angular.get(lane);
        }
        done.axes[ABOUT] = AxisImpulses {
            motor: self.done.motor.0[lane],
            spring: self.done.axis_spring.0[lane],
            lower: self.done.lower.0[lane],
            upper: self.done.upper.0[lane],
        };
        done
    }
}

impl PresentLanes {
    const EMPTY: Self = Self {
        arm_a: Lane3::ZERO,
        arm_b: Lane3::ZERO,
        gap: Lane3::ZERO,
        opens: Lane3::ZERO,
        tilt: Lane3::ZERO,
        across: [Lane3::ZERO; 2],
        axis: Lane3::ZERO,
        axis_mass: Lane::ZERO,
        angle: Lane::ZERO,
        drives: Lane::ZERO,
        stop: StopPresent::NONE,
        own_spin: [Lane3::ZERO; 2],
        swing_axis: Lane3::ZERO,
        swing: Lane::ZERO,
        spin_pivots: Lane3::ZERO,
        spin_lower: Lane3::ZERO,
    };
}

impl TreeBody {
    /// Bodies that nothing moves.
    const EMPTY: Self = Self {
        rows: [STATIC_ROW; LANES],
        diagonal: Lane3::ZERO,
        off_diagonal: Lane3::ZERO,
        inverse_mass: Lane3::ZERO,
    };
}

impl TreeLot {
    /// Gives the lot other trees of a shape, each a list of joints in the order of the shape,
    /// `lanes` of them a bundle.
    pub(crate) fn assign<'a>(
        &mut self,
        shape: &Shape,
        trees: impl ExactSizeIterator<Item = &'a [u32]>,
        lanes: usize,
    ) {
        self.shape.clone_from(shape);
        let joints = shape.joints.len();
        self.ids.clear();
        self.ids
            .resize(trees.len().div_ceil(lanes) * joints, [NO_JOINT; LANES]);
        for (tree, ids) in trees.enumerate() {
            let (bundle, lane) = (tree / lanes, tree % lanes);
            for (joint, &id) in ids.iter().enumerate() {
                self.ids[bundle * joints + joint][lane] = id;
            }
        }
    }

    /// Makes the joints ready for a step of sub-steps of `h` seconds.
    pub(crate) fn prepare(
        &mut self,
        h: f32,
        joints: &[Joint],
        bodies: &[Body],
        table: BodyTable<'_>,
    ) {
        self.is_fresh = false;
        let count = self.bundle_count();
        self.joints.clear();
        self.joints.resize(self.ids.len(), JointLanes::EMPTY);
        self.presents.resize(self.ids.len(), PresentLanes::EMPTY);
        self.bodies.clear();
        let body_count = self.shape.pushed.len();
        self.bodies.resize(count * body_count, TreeBody::EMPTY);
        self.guides.clear();
        let is_guide = |role: &Role| matches!(role.class, Class::Guide { .. });
        if self.shape.joints.iter().any(is_guide) {
            self.guides.resize(self.ids.len(), GuideLanes::FREE);
        }
        self.guided.resize(self.guides.len(), GuidePresent::EMPTY);
        let is_coupled = |role: &Role| role.class.is_coupled();
        self.own.clear();
        if self.shape.joints.iter().any(is_coupled) {
            self.own.resize(self.bodies.len(), [Lane3::ZERO; 2]);
        }
        let roles = self.shape.joints.iter().cycle();
        for (index, ((ids, role), lanes)) in
            self.ids.iter().zip(roles).zip(&mut self.joints).enumerate()
        {
            let first = index / self.shape.joints.len() * body_count;
            let bundle = &mut self.bodies[first..];
            let mut own = self.own.get_mut(first..);
            for (lane, &id) in ids.iter().enumerate() {
                if id == NO_JOINT {
                    continue;
                }
                let joint = &joints[id as usize];
                let a = Seat::new(joint.body_a, joint.frame_a.translation, bodies, table);
                let b = Seat::new(joint.body_b, joint.frame_b.translation, bodies, table);
                bundle[role.body_a as usize].rows[lane] = a.row;
                bundle[role.body_b as usize].rows[lane] = b.row;
                lanes.seat(lane, joint, [&a, &b]);
                lanes.set(lane, joint, h);
                if role.class.has_stop() && lanes.uses.limit {
                    let ease = ease(joint, [a.arm, b.arm], bodies, table);
                    lanes.stop_least.0[lane] = STOP_LOAD_TURN / (h * ease);
                }
                if let Class::Guide { .. } = role.class {
                    let guide = &mut self.guides[index];
                    guide.set(lane, joint, [&a, &b], h);
                    lanes.uses = guide.uses();
                }
                if role.class.is_coupled()
                    && let Some(own) = &mut own
                {
                    for (place, body) in [(role.body_a, joint.body_a), (role.body_b, joint.body_b)]
                    {
                        let lanes = &mut own[place as usize];
                        set_own(lanes, lane, body, bodies, table);
                    }
                }
            }
        }
        self.note_idle(joints);
        self.make_room();
        let limited = |lanes: &JointLanes| lanes.uses.cone || lanes.uses.limit;
        self.has_limits = self.joints.iter().any(limited);
        let may_end = |role: &Role| role.class.may_end();
        self.has_drives = self.shape.joints.iter().any(may_end);
    }

    /// What a joint did in the present sub-step.
    pub(crate) fn impulses(&self, index: usize, lane: usize, kind: &JointKind) -> JointImpulses {
        let class = self.shape.joints[index % self.shape.joints.len()].class;
        if let Class::Guide { .. } = class {
            return self.guides[index].get(lane, &self.guided[index], kind);
        }
        self.joints[index].get(lane, class, kind)
    }
}

/// How easily the bodies of a joint turn about their anchors with these arms, at the most, together; in
/// rad/s per N m s.
fn ease(joint: &Joint, arms: [Vec3; 2], bodies: &[Body], table: BodyTable<'_>) -> f32 {
    let of = |body: u32, arm: Vec3| {
        let body = table.awake_slot(body).map(|slot| &bodies[slot]);
        body.filter(|body| body.is_dynamic()).map_or(0.0, |body| {
            let on_arm = arm.length_squared() / body.inverse_mass;
            1.0 / (body.inertia.min_element() + on_arm)
        })
    };
    of(joint.body_a, arms[0]) + of(joint.body_b, arms[1])
}

/// The inverse inertia of a body on its own.
fn set_own(
    [diagonal, off_diagonal]: &mut [Lane3; 2],
    lane: usize,
    body: u32,
    bodies: &[Body],
    table: BodyTable<'_>,
) {
    let body = table.awake_slot(body).map(|slot| &bodies[slot]);
    if let Some(body) = body.filter(|body| body.is_dynamic()) {
        let own = world_inverse_inertia(body, body.rotation);
        diagonal.set(lane, own[0]);
        off_diagonal.set(lane, own[1]);
    }
}

fn set_frame(
    (v, w): &mut (Lane3, Lane),
    lane: usize,
    seat: &Seat,
    frame: drystone_geometry::glam::Quat,
) {
    let turn = rotation::multiply(seat.pose.rotation, frame);
    v.set(lane, Vec3::new(turn.x, turn.y, turn.z));
    w.0[lane] = turn.w;
}
