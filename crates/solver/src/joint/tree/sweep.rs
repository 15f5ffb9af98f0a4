//! The sweeps over trees: warm start, biased and relaxing solution.

use drystone_geometry::lanes::{Lane, Lane3};
use fearless_simd::prelude::*;

use crate::body_rows::BodyRows;
use crate::joint::prepared::JointContext;
use crate::joint::tree::direct::{self, Bundle};
use crate::joint::tree::turn::{Pace, turn};
use crate::joint::tree::{
    BodyWork, Class, Edge, Factor, Factors, JointLanes, PresentLanes, Role, Shape, TreeBody,
    TreeLot, present,
};
use crate::softness::Softness;
use crate::tolerance::{LIMIT_SWEEPS, TREE_BIAS_RATIO};

impl BodyWork {
    const EMPTY: Self = Self {
        linear: Lane3::ZERO,
        angular: Lane3::ZERO,
        mobility: [Lane::ZERO; 21],
        change: [Lane::ZERO; 6],
        impulse: [Lane::ZERO; 6],
        moved: Lane3::ZERO,
        turned: (Lane3::ZERO, Lane::ZERO),
    };

    /// The velocity is where the impulses to come start from.
    #[inline(always)]
    fn begin(&mut self) {
        let (v, w) = (&self.linear, &self.angular);
        self.change = [v.x, v.y, v.z, w.x, w.y, w.z];
        self.impulse = [Lane::ZERO; 6];
    }
}

/// Which factor comes next, by number of rows.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    three: usize,
    five: usize,
    six: usize,
    many: usize,
}

impl Factors {
    /// Makes room for `count` bundles of a shape.
    fn resize(&mut self, shape: &Shape, count: usize) {
        let edges = |rows: &[u32]| {
            let with = |edge: &&Edge| rows.contains(&edge.rows);
            count * shape.edges.iter().filter(with).count()
        };
        let (three, five, six) = (edges(&[3]), edges(&[5]), edges(&[6]));
        let many = count * shape.edges.len() - three - five - six;
        self.three.resize(three, Factor::EMPTY);
        self.five.resize(five, Factor::EMPTY);
        self.six.resize(six, Factor::EMPTY);
        self.many.resize(many, Factor::EMPTY);
    }
}

impl Place {
    /// The place of the next edge with so many rows.
    #[inline(always)]
    fn next(&mut self, rows: u32) -> usize {
        let counter = match rows {
            3 => &mut self.three,
            5 => &mut self.five,
            6 => &mut self.six,
            _ => &mut self.many,
        };
        *counter += 1;
        *counter - 1
    }

    /// The place of the edge before the last that was asked for.
    #[inline(always)]
    fn back(&mut self, rows: u32) -> usize {
        let counter = match rows {
            3 => &mut self.three,
            5 => &mut self.five,
            6 => &mut self.six,
            _ => &mut self.many,
        };
        *counter -= 1;
        *counter
    }
}

/// Computes what follows from the poses, unless it is known.
///
/// It is long, and two sweeps may have to do it, so it is a function of its own, entered like a
/// kernel.
#[inline(always)]
fn refresh<S: Simd>(simd: S, rows: &BodyRows, lot: &mut TreeLot) {
    if !lot.is_fresh {
        lot.is_fresh = true;
        simd.vectorize(
            #[inline(always)]
            || renew(simd, rows, lot),
        );
    }
}

#[inline(always)]
fn renew<S: Simd>(simd: S, rows: &BodyRows, lot: &mut TreeLot) {
    let count = lot.bundle_count();
    lot.factors.resize(&lot.shape, count);
    let TreeLot {
        shape,
        joints,
        presents,
        bodies,
        factors,
        work,
        ..
    } = lot;
    work.resize(shape.pushed.len(), BodyWork::EMPTY);
    let bundles = bodies
        .chunks_mut(shape.pushed.len())
        .zip(joints.chunks_mut(shape.joints.len()))
        .zip(presents.chunks_mut(shape.joints.len()));
    let mut place = Place::default();
    for ((bodies, joints), presents) in bundles {
        for (body, work) in bodies.iter_mut().zip(&mut *work) {
            let (inverse_inertia, inverse_mass) = rows.masses(simd, &body.rows);
            body.diagonal.store(inverse_inertia.diagonal);
            body.off_diagonal.store(inverse_inertia.off_diagonal);
            body.inverse_mass.store(inverse_mass);
            present::follow(simd, rows, body, work);
        }
        for ((role, joint), present) in shape.joints.iter().zip(joints).zip(&mut *presents) {
            let sides = sides(bodies, role);
            let [a, b] = [role.body_a, role.body_b].map(|body| &work[body as usize]);
            present::refresh(simd, role.class, joint, sides, [a, b], present);
            if role.class == Class::Hinge {
                straighten(simd, joint, present);
            }
        }
        direct::begin(bodies, work);
        let bundle = Bundle {
            shape,
            bodies,
            presents,
        };
        for edge in &shape.edges {
            let at = place.next(edge.rows);
            match edge.rows {
                3 => direct::eliminate(simd, bundle, edge, work, &mut factors.three[at]),
                5 => direct::eliminate(simd, bundle, edge, work, &mut factors.five[at]),
                6 => direct::eliminate(simd, bundle, edge, work, &mut factors.six[at]),
                _ => direct::eliminate(simd, bundle, edge, work, &mut factors.many[at]),
            }
        }
    }
}

#[inline(always)]
fn sides<'a>(bodies: &'a [TreeBody], role: &Role) -> [&'a TreeBody; 2] {
    [&bodies[role.body_a as usize], &bodies[role.body_b as usize]]
}

/// Takes from what the lock of a hinge did before the part that now lies along its axis.
#[inline(always)]
fn straighten<S: Simd>(simd: S, joint: &mut JointLanes, present: &PresentLanes) {
    let axis = present.axis.load(simd);
    let old = joint.angular.load(simd);
    joint.angular.store(old.sub_scaled(axis, axis.dot(old)));
}

#[inline(always)]
fn gather<S: Simd>(simd: S, rows: &BodyRows, bodies: &[TreeBody], work: &mut [BodyWork]) {
    for (body, work) in bodies.iter().zip(work) {
        let (linear, angular) = rows.velocities(simd, &body.rows);
        work.linear.store(linear);
        work.angular.store(angular);
    }
}

#[inline(always)]
fn scatter<S: Simd>(simd: S, rows: &BodyRows, bodies: &[TreeBody], work: &[BodyWork]) {
    for (body, work) in bodies.iter().zip(work) {
        rows.set_velocities(&body.rows, work.linear.load(simd), work.angular.load(simd));
    }
}

/// Applies the impulses of the sub-step before to the bodies.
#[inline(always)]
pub(crate) fn warm_start<S: Simd>(simd: S, context: &JointContext<'_>, lot: &mut TreeLot) {
    refresh(simd, context.rows, lot);
    let TreeLot {
        shape,
        joints,
        presents,
        bodies,
        work,
        ..
    } = lot;
    let bundles = bodies
        .chunks(shape.pushed.len())
        .zip(joints.chunks(shape.joints.len()))
        .zip(presents.chunks(shape.joints.len()));
    for ((bodies, joints), presents) in bundles {
        gather(simd, context.rows, bodies, work);
        for work in work.iter_mut() {
            work.begin();
        }
        for ((role, joint), present) in shape.joints.iter().zip(joints).zip(presents) {
            push(simd, role, joint, present, work);
        }
        direct::apply(simd, bodies, work);
        scatter(simd, context.rows, bodies, work);
    }
}

/// Adds what a joint does to the impulses on its bodies.
#[inline(always)]
fn push<S: Simd>(
    simd: S,
    role: &Role,
    joint: &JointLanes,
    present: &PresentLanes,
    work: &mut [BodyWork],
) {
    let linear = joint.linear.load(simd);
    let mut angular = joint.angular.load(simd);
    let uses = joint.uses;
    if role.class == Class::Ball {
        angular = angular + joint.spring_impulse.load(simd) + joint.friction_impulse.load(simd);
        if uses.cone {
            let swing = present.swing_axis.load(simd);
            angular = angular.sub_scaled(swing, joint.cone_impulse.load(simd));
        }
    }
    if uses.limit || uses.motor || uses.spring {
        let total = joint.axis_motor.load(simd)
            + joint.axis_spring.load(simd)
            + joint.axis_lower.load(simd)
            - joint.axis_upper.load(simd);
        // A ball has no axis where it has no limits, and no impulse either.
        angular = angular.add_scaled(present.axis.load(simd), total);
    }
    let a = &mut work[role.body_a as usize].impulse;
    let turn = angular + present.arm_a.load(simd).cross(linear);
    for (place, value) in a
        .iter_mut()
        .zip([linear.x, linear.y, linear.z, turn.x, turn.y, turn.z])
    {
        place.store(place.load(simd) - value);
    }
    let b = &mut work[role.body_b as usize].impulse;
    let turn = angular + present.arm_b.load(simd).cross(linear);
    for (place, value) in b
        .iter_mut()
        .zip([linear.x, linear.y, linear.z, turn.x, turn.y, turn.z])
    {
        place.store(place.load(simd) + value);
    }
}

/// One pass that also removes position errors.
#[inline(always)]
pub(crate) fn solve<S: Simd>(simd: S, context: &JointContext<'_>, lot: &mut TreeLot) {
    let softness = context.softness;
    let (bias_rate, hold) = if lot.is_soft {
        (softness.bias_rate, softness)
    } else {
        (TREE_BIAS_RATIO / context.h, Softness::RIGID)
    };
    pass(simd, context, lot, 1, softness, bias_rate, hold);
}

/// What is left to do over the velocities alone, after the movement.
#[inline(always)]
pub(crate) fn relax<S: Simd>(simd: S, context: &JointContext<'_>, lot: &mut TreeLot) {
    lot.is_fresh = false;
    refresh(simd, context.rows, lot);
    let passes = if lot.has_limits { LIMIT_SWEEPS } else { 1 };
    let rigid = Softness::RIGID;
    pass(simd, context, lot, passes, rigid, 0.0, rigid);
}

/// So many passes, bundle after bundle: nothing moves the bodies of a tree in between.
///
/// All but the first are for the limits, which alone know too little to be met at once, and end as
/// soon as no limit of a bundle has anything to do: then what is locked still holds.
#[inline(always)]
fn pass<S: Simd>(
    simd: S,
    context: &JointContext<'_>,
    lot: &mut TreeLot,
    passes: u32,
    limit: Softness,
    bias_rate: f32,
    hold: Softness,
) {
    let pace = Pace::new(simd, context.h, limit);
    let TreeLot {
        shape,
        joints,
        presents,
        bodies,
        factors,
        work,
        ..
    } = lot;
    let bundles = bodies
        .chunks(shape.pushed.len())
        .zip(joints.chunks_mut(shape.joints.len()))
        .zip(presents.chunks(shape.joints.len()));
    let mut place = Place::default();
    for ((bodies, joints), presents) in bundles {
        let bundle = Bundle {
            shape,
            bodies,
            presents,
        };
        gather(simd, context.rows, bodies, work);
        let mut end = place;
        for pass in 0..passes {
            let again = pass > 0;
            let mut acts = !again;
            for ((role, joint), present) in shape.joints.iter().zip(&mut *joints).zip(presents) {
                let at = [role.body_a as usize, role.body_b as usize];
                let sides = sides(bodies, role);
                let class = role.class;
                acts |= turn(simd, &pace, again, class, joint, present, sides, work, at);
            }
            if !acts {
                break;
            }
            for work in work.iter_mut() {
                work.begin();
            }
            let mut at = place;
            forward(simd, bundle, bias_rate, joints, work, factors, &mut at);
            let mut back = at;
            backward(simd, bundle, hold, work, factors, joints, &mut back);
            direct::apply(simd, bodies, work);
            end = at;
        }
        place = end;
        scatter(simd, context.rows, bodies, work);
    }
}

#[inline(always)]
fn forward<S: Simd>(
    simd: S,
    bundle: Bundle<'_>,
    bias_rate: f32,
    joints: &[JointLanes],
    work: &mut [BodyWork],
    factors: &mut Factors,
    place: &mut Place,
) {
    for edge in &bundle.shape.edges {
        let at = place.next(edge.rows);
        match edge.rows {
            3 => direct::forward(
                simd,
                bundle,
                edge,
                bias_rate,
                joints,
                work,
                &mut factors.three[at],
            ),
            5 => direct::forward(
                simd,
                bundle,
                edge,
                bias_rate,
                joints,
                work,
                &mut factors.five[at],
            ),
            6 => direct::forward(
                simd,
                bundle,
                edge,
                bias_rate,
                joints,
                work,
                &mut factors.six[at],
            ),
            _ => direct::forward(
                simd,
                bundle,
                edge,
                bias_rate,
                joints,
                work,
                &mut factors.many[at],
            ),
        }
    }
}

#[inline(always)]
fn backward<S: Simd>(
    simd: S,
    bundle: Bundle<'_>,
    hold: Softness,
    work: &mut [BodyWork],
    factors: &Factors,
    joints: &mut [JointLanes],
    place: &mut Place,
) {
    for edge in bundle.shape.edges.iter().rev() {
        let at = place.back(edge.rows);
        match edge.rows {
            3 => direct::backward(simd, bundle, edge, hold, work, &factors.three[at], joints),
            5 => direct::backward(simd, bundle, edge, hold, work, &factors.five[at], joints),
            6 => direct::backward(simd, bundle, edge, hold, work, &factors.six[at], joints),
            _ => direct::backward(simd, bundle, edge, hold, work, &factors.many[at], joints),
        }
    }
}
