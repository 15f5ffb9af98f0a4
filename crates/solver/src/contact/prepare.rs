//! Filling bundles: contact by contact into lanes, then the arithmetic eight at a time.

use drystone_geometry::glam::{Quat, Vec3};
use drystone_geometry::lanes::{LANES, Lane, Lane3, Vec3x8, divide_or_zero, f32x8, max};
use fearless_simd::prelude::*;

use crate::body::{Body, BodyTable};
use crate::contact::Contact;
use crate::contact::bend::CurveBundle;
use crate::contact::bundle::{ExtraBundle, Extras, FrictionBundle, Lot, NO_CONTACT, NormalBundle};
use crate::contact::couple::invert;
use crate::contact::inverse::{invert_2x2, invert_3x3};
use crate::contact::loose::let_go;
use crate::contact::points::{sum, sum_vectors};
use crate::contact::shares::Shares;
use crate::contact::side::Side;
use crate::contact::solve::{Pair, SweepContext, carry_on};
use crate::contact::{burden, friction_share, jointed};
use crate::tolerance::FRICTION_FADE;

mod curve;

use curve::prepare_curve;

/// What filling bundles reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene<'a> {
    /// The awake bodies.
    pub(crate) bodies: &'a [Body],
    /// Leads to them and to static ones.
    pub(crate) table: BodyTable<'a>,
    /// All contacts.
    pub(crate) contacts: &'a [Contact],
}

/// A quaternion per lane.
#[derive(Clone, Debug)]
struct RotationLanes {
    axis: Lane3,
    w: Lane,
}

/// Eight contacts as the world keeps them, side by side.
struct Staging<const N: usize> {
    rotation_a: RotationLanes,
    rotation_b: RotationLanes,
    /// Own inverse masses, in 1/kg.
    inverse_masses: [Lane; 2],
    anchors_a: [Lane3; N],
    anchors_b: [Lane3; N],
    /// 1 in the points in use.
    used: [Lane; N],
    /// Whether some point has less than all of its say, see [`Contact::says`].
    any_far: bool,
    /// Sum of the leans of both bodies, see [`lean_back`].
    lean: Lane3,
    any_lean: bool,
    /// Whether nothing pushes some body that turns.
    any_turned: bool,
    /// Share of A's anchor in the common point: 0 when nothing pushes A, 1 when nothing pushes B,
    /// else 1/2.
    share_a: Lane,
    friction_impulse: Lane3,
    tangent_velocity: Lane3,
}

/// Fills a lot whose `ids` are set.
#[inline(always)]
pub(crate) fn prepare_lot<S: Simd, const N: usize, const C: usize>(
    simd: S,
    context: &SweepContext<'_>,
    scene: Scene<'_>,
    lot: &mut Lot<N, C>,
) {
    for index in 0..lot.ids.len() {
        let normals = &mut lot.normals[index];
        let friction = &mut lot.frictions[index];
        let extra = &mut lot.extra_bundles[index];
        let mut staging = Staging::<N>::ZERO;
        *normals = NormalBundle::EMPTY;
        let extras = Extras::of(scene.contacts, &lot.ids[index]);
        lot.extras[index] = extras;
        if extras.bounces || extras.rolls {
            *extra = ExtraBundle::ZERO;
        }
        for lane in 0..LANES {
            let id = lot.ids[index][lane];
            if id != NO_CONTACT {
                let contact = &scene.contacts[id as usize];
                stage_bodies(scene, contact, lane, normals, &mut staging);
                stage_contact(contact, lane, normals, friction, &mut staging);
                stage_extra(contact, lane, extras, extra);
                lot.extras[index].laid |= u8::from(normals.is_laid(lane)) << lane;
            } else {
                friction.friction.0[lane] = 0.0;
                friction.twist_impulse.0[lane] = 0.0;
            }
        }
        (context.rows.wedged).note(scene.contacts, &lot.ids[index], normals);
        let mut pair = place_points(simd, context, &staging, normals);
        if staging.any_lean {
            lean_back(simd, &staging, normals, &mut pair);
        }
        let own = &staging.inverse_masses;
        let jointed = &mut lot.jointed;
        lot.extras[index].jointed =
            jointed::note(context, scene.bodies, normals, own, index, jointed);
        burden::list(simd, own, normals, index, &mut lot.burdens);
        let tangent = tangent_of(simd, pair.normal);
        let spread = invert(simd, &pair, tangent, &staging.used, normals);
        let uneven = spread.and_then(|spread| spread.uneven_shares(simd, &pair));
        if uneven.is_some() || staging.any_far {
            let shares = Shares::at(&mut lot.shares, lot.ids.len(), index);
            shares.note(scene.contacts, &lot.ids[index]);
            shares.fill(simd, &staging.used, uneven, normals);
            lot.extras[index].uneven = true;
        }
        let weights = prepare_friction(simd, &pair, tangent, &staging, normals, friction);
        let rolling = extras.rolls.then_some(&mut *extra);
        let_go(simd, context, normals, friction, rolling);
        if staging.any_turned {
            lot.extras[index].carried = true;
            carry_on(simd, context, &pair, friction, -0.5);
        }
        if extras.bends != 0 {
            if lot.curves.len() <= index {
                lot.curves.resize(lot.ids.len(), CurveBundle::ZERO);
            }
            let curve = &mut lot.curves[index];
            prepare_curve(simd, scene, &lot.ids[index], &staging, normals, curve);
            for (lanes, weight) in curve.weights.iter_mut().zip(weights) {
                lanes.store(weight);
            }
        }
        if extras.rolls {
            prepare_rolling(simd, &pair, extra);
        }
    }
}

impl<const N: usize> Staging<N> {
    const ZERO: Self = Self {
        rotation_a: RotationLanes {
            axis: Lane3::ZERO,
            w: Lane::ZERO,
        },
        rotation_b: RotationLanes {
            axis: Lane3::ZERO,
            w: Lane::ZERO,
        },
        inverse_masses: [Lane::ZERO; 2],
        anchors_a: [Lane3::ZERO; N],
        anchors_b: [Lane3::ZERO; N],
        used: [Lane::ZERO; N],
        any_far: false,
        lean: Lane3::ZERO,
        any_lean: false,
        any_turned: false,
        share_a: Lane::ZERO,
        friction_impulse: Lane3::ZERO,
        tangent_velocity: Lane3::ZERO,
    };
}

impl RotationLanes {
    #[inline(always)]
    fn set(&mut self, lane: usize, rotation: Quat) {
        self.axis
            .set(lane, Vec3::new(rotation.x, rotation.y, rotation.z));
        self.w.0[lane] = rotation.w;
    }

    #[inline(always)]
    fn rotate<S: Simd>(&self, simd: S, v: Vec3x8<S>) -> Vec3x8<S> {
        let axis = self.axis.load(simd);
        let t = axis.cross(v);
        let t = t + t;
        v.add_scaled(t, self.w.load(simd)) + axis.cross(t)
    }
}

#[inline(always)]
fn stage_bodies<const N: usize, const C: usize>(
    scene: Scene<'_>,
    contact: &Contact,
    lane: usize,
    normals: &mut NormalBundle<N, C>,
    staging: &mut Staging<N>,
) {
    let a = Side::find(scene, contact.body_a);
    let b = Side::find(scene, contact.body_b);
    normals.row_a[lane] = a.row;
    normals.row_b[lane] = b.row;
    staging.rotation_a.set(lane, a.rotation);
    staging.rotation_b.set(lane, b.rotation);
    staging.inverse_masses[0].0[lane] = a.inverse_mass;
    staging.inverse_masses[1].0[lane] = b.inverse_mass;
    staging.any_turned |= a.is_turned || b.is_turned;
    // What a drive turns is not at rest, and the points of what is curved follow it in the step.
    if N > 2 && !(a.is_turned || b.is_turned || contact.rolls_on()) {
        let lean = contact.planted() * (a.lean + b.lean);
        staging.lean.set(lane, lean);
        staging.any_lean |= lean != Vec3::ZERO;
    }
    // A body that nothing pushes may have its centre so far away that the anchor on it is rounded
    // to metres: the other body's anchor alone decides.
    staging.share_a.0[lane] = match (a.is_pushed(), b.is_pushed()) {
        (true, true) => 0.5,
        (true, false) => 1.0,
        (false, _) => 0.0,
    };
    // A static one has no arm to speak of.
    let offset = if a.moves() && b.moves() {
        (b.center - a.center).as_vec3() + contact.lead
    } else {
        Vec3::ZERO
    };
    normals.offset.set(lane, offset);
}

#[inline(always)]
fn stage_contact<const N: usize, const C: usize>(
    contact: &Contact,
    lane: usize,
    normals: &mut NormalBundle<N, C>,
    friction: &mut FrictionBundle,
    staging: &mut Staging<N>,
) {
    normals.normal.set(lane, contact.normal);
    normals.radius[0].0[lane] = contact.radius_a;
    normals.radius[1].0[lane] = contact.radius_b;
    for (i, point) in contact.points().iter().enumerate() {
        let anchors = &contact.anchors[i];
        staging.anchors_a[i].set(lane, anchors.a);
        staging.anchors_b[i].set(lane, anchors.b);
        staging.used[i].0[lane] = 1.0;
        staging.any_far |= point.separation > 0.5 * contact.margin;
        normals.points[i].separation.0[lane] = point.separation;
        normals.points[i].impulse.0[lane] = point.normal_impulse;
    }
    friction.friction.0[lane] = contact.friction;
    friction.twist_impulse.0[lane] = if N > 1 { contact.twist_impulse } else { 0.0 };
    staging.friction_impulse.set(lane, contact.friction_impulse);
    staging.tangent_velocity.set(lane, contact.tangent_velocity);
}

#[inline(always)]
fn stage_extra<const N: usize>(
    contact: &Contact,
    lane: usize,
    extras: Extras,
    extra: &mut ExtraBundle<N>,
) {
    if extras.bounces || extras.rolls {
        extra.restitution.0[lane] = contact.restitution;
        extra.rolling_arm.0[lane] = contact.rolling_resistance;
        if contact.rolling_resistance > 0.0 {
            extra.rolling_impulse.set(lane, contact.rolling_impulse);
        }
    }
}

/// Puts each point half-way between both surfaces, as an arm from B's centre.
#[inline(always)]
fn place_points<S: Simd, const N: usize, const C: usize>(
    simd: S,
    context: &SweepContext<'_>,
    staging: &Staging<N>,
    normals: &mut NormalBundle<N, C>,
) -> Pair<S> {
    let pair = Pair::gather(simd, context, normals);
    let offset = normals.offset.load(simd);
    let half = f32x8::splat(simd, 0.5);
    let share_a = staging.share_a.load(simd);
    let share_b = f32x8::splat(simd, 1.0) - share_a;
    for (i, point) in normals.points.iter_mut().enumerate() {
        let anchor_a = staging
            .rotation_a
            .rotate(simd, staging.anchors_a[i].load(simd));
        let anchor_b = staging
            .rotation_b
            .rotate(simd, staging.anchors_b[i].load(simd));
        let half_gap = pair.normal.scale(half * point.separation.load(simd));
        let from_a = anchor_a + half_gap - offset;
        let from_b = anchor_b - half_gap;
        point
            .impulse
            .store(max(point.impulse.load(simd), f32x8::splat(simd, 0.0)));
        point
            .arm_b
            .store(from_a.scale(share_a) + from_b.scale(share_b));
    }
    pair
}

/// Turns contacts back by the lean of their bodies, that of both if both are pushed: the levers of
/// faces, and the direction in which those press that lean themselves.
///
/// Linear in the lean, whose square is 4e-4 at most; the normal stays a unit vector.
#[inline(always)]
fn lean_back<S: Simd, const N: usize, const C: usize>(
    simd: S,
    staging: &Staging<N>,
    normals: &mut NormalBundle<N, C>,
    pair: &mut Pair<S>,
) {
    let zero = f32x8::splat(simd, 0.0);
    let (half, one) = (f32x8::splat(simd, 0.5), f32x8::splat(simd, 1.0));
    let both = pair.both_are_pushed(simd);
    let lean = staging.lean.load(simd).scale(both.select(half, one));
    // Lanes without a lean keep what they have, to the sign of a zero.
    let leans = lean.length_sq().simd_gt(zero);
    for point in &mut normals.points {
        let arm = point.arm_b.load(simd);
        let turned = Vec3x8::select(leans, arm - lean.cross(arm), arm);
        point.arm_b.store(turned);
    }
    let lean = lean.scale(both.select(one, zero));
    let offset = normals.offset.load(simd);
    let offset = Vec3x8::select(leans, offset - lean.cross(offset), offset);
    let across = lean.cross(pair.normal);
    let normal = pair.normal.scale(one - half * across.length_sq()) - across;
    let normal = Vec3x8::select(leans, normal, pair.normal);
    normals.offset.store(offset);
    normals.normal.store(normal);
    pair.normal = normal;
    pair.offset_arm = offset.cross(normal);
}

/// A unit vector orthogonal to each unit normal, and to the coordinate axis that is farthest
/// from it: what is symmetric about a coordinate plane stays so to the last bit.
#[inline(always)]
fn tangent_of<S: Simd>(simd: S, n: Vec3x8<S>) -> Vec3x8<S> {
    let zero = f32x8::splat(simd, 0.0);
    let one = f32x8::splat(simd, 1.0);
    let (x, y, z) = (n.x * n.x, n.y * n.y, n.z * n.z);
    let take_z = z.simd_le(x) & z.simd_le(y);
    let take_y = y.simd_le(x);
    let axis = Vec3x8 {
        x: (take_z | take_y).select(zero, one),
        y: take_z.select(zero, take_y.select(one, zero)),
        z: take_z.select(one, zero),
    };
    let across = n.cross(axis);
    across.scale(divide_or_zero(one, across.length()))
}

/// Where friction acts, its masses, and the old impulse laid along the new tangents. Returns
/// the weights of the points in where it acts.
#[inline(always)]
fn prepare_friction<S: Simd, const N: usize, const C: usize>(
    simd: S,
    pair: &Pair<S>,
    tangent: Vec3x8<S>,
    staging: &Staging<N>,
    normals: &NormalBundle<N, C>,
    friction: &mut FrictionBundle,
) -> [f32x8<S>; N] {
    let n = pair.normal;
    let bitangent = n.cross(tangent);
    friction.tangent.store(tangent);
    let old = staging.friction_impulse.load(simd);
    let target = staging.tangent_velocity.load(simd);
    friction.impulse[0].store(tangent.dot(old));
    friction.impulse[1].store(bitangent.dot(old));
    friction.target[0].store(tangent.dot(target));
    friction.target[1].store(bitangent.dot(target));
    let (weights, arm_b) = friction_center(simd, staging, normals);
    friction.arm_b.store(arm_b);
    let mut levers = [f32x8::splat(simd, 0.0); N];
    for (i, point) in normals.points.iter().enumerate() {
        let lever = point.arm_b.load(simd) - arm_b;
        let lever = lever.sub_scaled(n, lever.dot(n));
        levers[i] = weights[i] * lever.length();
    }
    friction.twist_arm.store(sum(levers));
    aim_friction(simd, pair, tangent, normals, friction);
    weights
}

/// The masses of friction, whose point is set.
#[inline(always)]
pub(super) fn aim_friction<S: Simd, const N: usize, const C: usize>(
    simd: S,
    pair: &Pair<S>,
    tangent: Vec3x8<S>,
    normals: &NormalBundle<N, C>,
    friction: &mut FrictionBundle,
) {
    let n = pair.normal;
    let bitangent = n.cross(tangent);
    let arm_b = friction.arm_b.load(simd);
    let arm_a = arm_b + normals.offset.load(simd);
    let inverse_mass = pair.a.inverse_mass + pair.b.inverse_mass;
    let (a1, a2) = (arm_a.cross(tangent), arm_a.cross(bitangent));
    let (b1, b2) = (arm_b.cross(tangent), arm_b.cross(bitangent));
    let (inertia_a, inertia_b) = (&pair.a.inverse_inertia, &pair.b.inverse_inertia);
    let (turned_a1, turned_b1) = (inertia_a.apply(a1), inertia_b.apply(b1));
    let (turned_a2, turned_b2) = (inertia_a.apply(a2), inertia_b.apply(b2));
    let linear1 = inverse_mass.mul_components(tangent);
    let linear2 = inverse_mass.mul_components(bitangent);
    let k11 = linear1.dot(tangent) + turned_a1.dot(a1) + turned_b1.dot(b1);
    let k12 = linear1.dot(bitangent) + turned_a1.dot(a2) + turned_b1.dot(b2);
    let k22 = linear2.dot(bitangent) + turned_a2.dot(a2) + turned_b2.dot(b2);
    friction.mass = invert_2x2(simd, [k11, k12, k22]);
    let turned = (pair.a.inverse_inertia.apply(n) + pair.b.inverse_inertia.apply(n)).dot(n);
    friction
        .twist_mass
        .store(divide_or_zero(f32x8::splat(simd, 1.0), turned));
}

/// Weights of the points, which sum to 1, and their weighted mean; see
/// [`Contact::friction_weights`].
#[inline(always)]
fn friction_center<S: Simd, const N: usize, const C: usize>(
    simd: S,
    staging: &Staging<N>,
    normals: &NormalBundle<N, C>,
) -> ([f32x8<S>; N], Vec3x8<S>) {
    let zero = f32x8::splat(simd, 0.0);
    let fade = f32x8::splat(simd, FRICTION_FADE);
    let mut weights = [zero; N];
    for (i, point) in normals.points.iter().enumerate() {
        let gap = max(point.separation.load(simd), zero);
        weights[i] = staging.used[i].load(simd) * friction_share(fade, gap);
    }
    let total = sum(weights);
    let mut shares = [Vec3x8::zero(simd); N];
    for (i, point) in normals.points.iter().enumerate() {
        weights[i] = divide_or_zero(weights[i], total);
        shares[i] = point.arm_b.load(simd).scale(weights[i]);
    }
    let center = sum_vectors(shares);
    (weights, center)
}

/// Inverse of the sum of both inverse inertias.
#[inline(always)]
pub(super) fn prepare_rolling<S: Simd, const N: usize>(
    simd: S,
    pair: &Pair<S>,
    extra: &mut ExtraBundle<N>,
) {
    let (a, b) = (&pair.a.inverse_inertia, &pair.b.inverse_inertia);
    let (d, o) = invert_3x3(
        simd,
        a.diagonal + b.diagonal,
        a.off_diagonal + b.off_diagonal,
    );
    extra.rolling_mass[0].store(d);
    extra.rolling_mass[1].store(o);
}
