//! What follows from the poses of a sub-step: where joints stand, and the factors of all edges.

use drystone_geometry::lanes::{f32x8, max};
use fearless_simd::prelude::*;

use crate::body_rows::BodyRows;
use crate::joint::tree::direct::{self, Bundle};
use crate::joint::tree::parts::Parts;
use crate::joint::tree::sweep::sides;
use crate::joint::tree::{Class, JointLanes, PresentLanes, present};

/// Computes what follows from the poses.
///
/// It is long, and several sweeps have to do it, so it is a function of its own, entered like a
/// kernel.
#[inline(always)]
pub(super) fn renew<S: Simd>(simd: S, rows: &BodyRows, parts: &mut Parts<'_>) {
    simd.vectorize(
        #[inline(always)]
        || compute(simd, rows, parts),
    );
}

#[inline(always)]
fn compute<S: Simd>(simd: S, rows: &BodyRows, parts: &mut Parts<'_>) {
    let Parts {
        shape,
        bodies,
        joints,
        presents,
        work,
        ..
    } = parts;
    for (body, work) in bodies.iter_mut().zip(&mut **work) {
        let (inverse_inertia, inverse_mass) = rows.masses(simd, &body.rows);
        body.diagonal.store(inverse_inertia.diagonal);
        body.off_diagonal.store(inverse_inertia.off_diagonal);
        body.inverse_mass.store(inverse_mass);
        present::follow(simd, rows, body, work);
    }
    let roles = shape.joints.iter();
    for ((role, joint), present) in roles.zip(&mut **joints).zip(&mut **presents) {
        let sides = sides(bodies, role);
        let [a, b] = [role.body_a, role.body_b].map(|body| &work[body as usize]);
        present::refresh(simd, role.class, joint, sides, [a, b], present);
        if role.class.is_coupled() {
            let own = [role.body_a, role.body_b].map(|body| &parts.own[body as usize]);
            present::own_spin(simd, own, [a, b], present);
        }
        if role.class.shared() == Class::Hinge {
            straighten(simd, joint, present);
        }
    }
    for edge in &shape.edges {
        let [first, end] = edge.joints;
        if end - first > 1 {
            for present in &mut presents[first as usize..end as usize] {
                present::meet_half_way(simd, present);
            }
        }
    }
    for grips in &mut *parts.grips {
        *grips = [None; 2];
    }
    factor(simd, parts);
}

/// Factors all edges, in a function of its own as [`renew`] is.
#[inline(always)]
pub(super) fn factor<S: Simd>(simd: S, parts: &mut Parts<'_>) {
    simd.vectorize(
        #[inline(always)]
        || eliminate(simd, parts),
    );
}

#[inline(always)]
fn eliminate<S: Simd>(simd: S, parts: &mut Parts<'_>) {
    let Parts {
        shape,
        joints,
        factors,
        work,
        ..
    } = parts;
    let bundle = Bundle {
        shape,
        bodies: parts.bodies,
        presents: parts.presents,
    };
    direct::begin(simd, bundle.bodies, work);
    let mut place = parts.first;
    let mut most = f32x8::splat(simd, 0.0);
    for edge in &shape.edges {
        let at = place.next(edge.rows);
        let slack = match edge.rows {
            3 => direct::eliminate(simd, bundle, edge, joints, work, &mut factors.three[at]),
            5 => direct::eliminate(simd, bundle, edge, joints, work, &mut factors.five[at]),
            6 => direct::eliminate(simd, bundle, edge, joints, work, &mut factors.six[at]),
            _ => direct::eliminate(simd, bundle, edge, joints, work, &mut factors.many[at]),
        };
        most = max(most, slack);
    }
    parts.gives.store(most);
}

/// Takes from what the lock of a hinge did before the part that now lies along its axis.
#[inline(always)]
fn straighten<S: Simd>(simd: S, joint: &mut JointLanes, present: &PresentLanes) {
    let axis = present.axis.load(simd);
    let old = joint.done.angular.load(simd);
    joint
        .done
        .angular
        .store(old.sub_scaled(axis, axis.dot(old)));
}
