//! What follows from the poses of a sub-step: where joints stand, and the factors of all edges.

use drystone_geometry::lanes::{f32x8, max};
use fearless_simd::prelude::*;

use crate::body_rows::BodyRows;
use crate::joint::tree::direct::{self, Bundle, Joints};
use crate::joint::tree::parts::Parts;
use crate::joint::tree::shape::{Edge, Kernel};
use crate::joint::tree::sweep::sides;
use crate::joint::tree::{
    Class, Guide, JointLanes, MOST_ROWS, PresentLanes, guide, loops, present, rest, stop,
};

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
    let lanes = roles.zip(&mut **joints).zip(&mut **presents);
    for (index, ((role, joint), present)) in lanes.enumerate() {
        let sides = sides(bodies, role);
        let ends = [role.body_a, role.body_b].map(|body| &work[body as usize]);
        present::refresh(simd, role.class, joint, sides, ends, present);
        if let Class::Guide { kind, is_shared } = role.class {
            let (guide, guided) = (&mut parts.guides[index], &mut parts.guided[index]);
            let frames = present::frames(simd, joint, ends);
            guide::present::refresh(simd, kind, is_shared, guide, frames, present, guided);
            // What turns as a whole does not swing.
            if kind == (Guide::Line { sways: true }) && shape.joints.len() > 1 {
                guide::sway::refresh(simd, sides, guide, guided);
            }
        }
        if role.class.is_coupled() && joint.uses.stiff {
            let own = [role.body_a, role.body_b].map(|body| &parts.own[body as usize]);
            let own = present::own_inertias(simd, own, ends);
            if let Class::Guide { .. } = role.class {
                let (guide, guided) = (&parts.guides[index], &mut parts.guided[index]);
                guide::present::weigh_own(simd, present, sides, own, guide, guided);
            } else {
                present::own_spin(own, present);
            }
        }
        if role.class.shared() == Class::Hinge {
            straighten(simd, joint, present);
        }
    }
    // What holds the same as others is to push at one place.
    let closings = shape.closings.iter().map(|closing| &closing.edge);
    let shared = |edge: &&Edge| edge.in_loop || edge.joints[1] - edge.joints[0] > 1;
    for edge in shape.edges.iter().filter(shared).chain(closings) {
        for index in edge.joints[0] as usize..edge.joints[1] as usize {
            // Guides do so anyhow.
            if !matches!(shape.joints[index].class, Class::Guide { .. }) {
                present::meet_half_way(simd, &mut presents[index]);
            }
        }
    }
    for grips in &mut *parts.grips {
        *grips = [None; 2];
    }
    stop::refresh(simd, parts);
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
        stops,
        work,
        ..
    } = parts;
    let bundle = Bundle {
        shape,
        bodies: parts.bodies,
        presents: parts.presents,
        guides: parts.guided,
    };
    let joints = &Joints {
        lanes: joints,
        guides: parts.guides,
    };
    direct::begin(simd, bundle.bodies, work);
    rest::eliminate(simd, bundle.bodies, parts.rests, work);
    let mut place = parts.first;
    let mut most = f32x8::splat(simd, 0.0);
    for (edge, &is_stopped) in shape.edges.iter().zip(&**stops) {
        let at = place.next(edge);
        let slack = match edge.kernel(is_stopped) {
            Kernel::Ball => {
                let factor = &mut factors.three[at.three];
                direct::eliminate::<S, 3, false>(simd, bundle, edge, joints, work, factor)
            }
            Kernel::Line => {
                let factor = &mut factors.three[at.three];
                direct::eliminate::<S, 3, true>(simd, bundle, edge, joints, work, factor)
            }
            Kernel::Hinge => {
                let factor = &mut factors.five[at.five];
                direct::eliminate::<S, 5, false>(simd, bundle, edge, joints, work, factor)
            }
            Kernel::Six => {
                let factor = &mut factors.six[at.six];
                direct::eliminate::<S, 6, false>(simd, bundle, edge, joints, work, factor)
            }
            Kernel::Guide => {
                let factor = &mut factors.six[at.six];
                direct::eliminate::<S, 6, true>(simd, bundle, edge, joints, work, factor)
            }
            Kernel::Many => {
                let factor = &mut factors.many[at.many];
                direct::eliminate::<S, MOST_ROWS, true>(simd, bundle, edge, joints, work, factor)
            }
        };
        most = max(most, slack);
    }
    let most = max(most, loops::eliminate(simd, parts));
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
