//! Reading the impulses back out of the bundles.

use drystone_geometry::glam::Vec3;
use drystone_geometry::lanes::LANES;

use crate::contact::Contact;
use crate::contact::bundle::Lot;

/// Writes the impulses of lane `lane` of a bundle of `lot` to `contact`, which has the index
/// `id`; does nothing when another contact or none is there now. Tells whether the contact
/// [presses](Contact::presses), or did in a sub-step.
pub(crate) fn store_lane<const N: usize, const C: usize>(
    lot: &Lot<N, C>,
    bundle: usize,
    lane: usize,
    id: u32,
    contact: &mut Contact,
) -> bool {
    debug_assert!(lane < LANES);
    if lot.ids.get(bundle).is_none_or(|ids| ids[lane] != id) {
        return false;
    }
    let normals = &lot.normals[bundle];
    let friction = &lot.frictions[bundle];
    let extras = lot.extras[bundle];
    let extra = &lot.extra_bundles[bundle];
    for i in 0..contact.count as usize {
        let point = &mut contact.points[i];
        point.normal_impulse = normals.points[i].impulse.0[lane];
        point.max_normal_impulse = if extras.bounces && contact.restitution > 0.0 {
            extra.peak[i].0[lane]
        } else {
            point.normal_impulse
        };
    }
    let normal = normals.normal.get(lane);
    let tangent = friction.tangent.get(lane);
    let bitangent = normal.cross(tangent);
    contact.friction_impulse =
        friction.impulse[0].0[lane] * tangent + friction.impulse[1].0[lane] * bitangent;
    contact.twist_impulse = friction.twist_impulse.0[lane];
    contact.rolling_impulse = if extras.rolls && contact.rolling_resistance > 0.0 {
        extra.rolling_impulse.get(lane)
    } else {
        Vec3::ZERO
    };
    // Masses and arms at the ends of the range can overflow. Kept, the next step would start
    // from what is no number, and never come free of it.
    if !contact.has_finite_impulses() {
        contact.forget_impulses();
    }
    extras.pressed >> lane & 1 == 1 || contact.presses()
}
