//! Measuring a world: one number at a time.

use drystone::geometry::glam::{DVec3, Quat, Vec3};
use drystone::geometry::rotation;
use drystone::{BodyKey, BodyKind, JointKey, JointKind, World};

use super::{Along, EnergyPart, JointReading, Quantity};
use crate::motion::angle_between;

/// Where a body was at the reference time of an expectation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference {
    pub(super) key: BodyKey,
    pub(super) position: DVec3,
    pub(super) rotation: Quat,
    pub(super) angular_momentum: DVec3,
}

/// The pose of a body now; `None` when it is gone.
pub(super) fn reference(world: &World, key: BodyKey) -> Option<Reference> {
    let body = world.body(key).ok()?;
    Some(Reference {
        key,
        position: body.position(),
        rotation: body.rotation(),
        angular_momentum: body.angular_momentum().as_dvec3(),
    })
}

/// The direction against gravity; y where there is none.
pub(super) fn up(world: &World) -> DVec3 {
    (-world.settings().gravity.as_dvec3())
        .try_normalize()
        .unwrap_or(DVec3::Y)
}

/// A quantity of a body; NaN when the body is gone.
pub(super) fn of_body(world: &World, key: BodyKey, quantity: Quantity, since: &Reference) -> f64 {
    let Ok(body) = world.body(key) else {
        return f64::NAN;
    };
    let moved = || body.position() - since.position;
    match quantity {
        Quantity::Displacement(Along::Space) => moved().length(),
        Quantity::Displacement(Along::Vertical) => moved().dot(up(world)).abs(),
        Quantity::Displacement(Along::Horizontal) => {
            let up = up(world);
            (moved() - up * moved().dot(up)).length()
        }
        Quantity::Drop => -moved().dot(up(world)),
        Quantity::DistanceTo(point) => body.position().distance(point),
        Quantity::Height => body.position().y,
        Quantity::Speed => body.linear_velocity().as_dvec3().length(),
        Quantity::Spin => body.angular_velocity().as_dvec3().length(),
        Quantity::Tilt(axis) => tilt(body.rotation(), axis, DVec3::Y),
        Quantity::Coordinate(along) => body.position().dot(along.as_dvec3()),
        Quantity::Velocity(along) => body.linear_velocity().as_dvec3().dot(along.as_dvec3()),
        Quantity::MomentumKept => {
            let now = body.angular_momentum().as_dvec3();
            now.length() / since.angular_momentum.length()
        }
        Quantity::MomentumTurned => {
            let (now, then) = (body.angular_momentum().as_dvec3(), since.angular_momentum);
            libm::atan2(then.cross(now).length(), then.dot(now)).to_degrees()
        }
        Quantity::Turned => angle_between(since.rotation, body.rotation()).to_degrees(),
    }
}

/// The angle between a body's axis and a direction of the world, in degrees.
pub(super) fn tilt(turned: Quat, axis: Vec3, to: DVec3) -> f64 {
    let along = rotation::rotate(turned, axis).as_dvec3();
    // atan2 of sine and cosine is exact at both ends, where the cosine alone is not.
    libm::atan2(along.cross(to).length(), along.dot(to)).to_degrees()
}

/// An energy of the world, in J.
pub(super) fn energy(world: &World, part: EnergyPart) -> f64 {
    let energy = world.energy();
    match part {
        EnergyPart::Total => energy.total(),
        EnergyPart::Kinetic => energy.kinetic,
        EnergyPart::Potential => energy.potential,
    }
}

/// The momentum of all bodies that can be pushed, in kg m/s.
pub(super) fn momentum(world: &World) -> DVec3 {
    let dynamic = world
        .bodies()
        .filter(|(_, body)| body.kind() == BodyKind::Dynamic);
    dynamic
        .map(|(_, body)| body.linear_velocity().as_dvec3() * f64::from(body.mass()))
        .sum()
}

/// How many of the bodies have their origin inside a box, its faces included.
pub(super) fn count_inside(
    world: &World,
    keys: impl Iterator<Item = BodyKey>,
    min: DVec3,
    max: DVec3,
) -> usize {
    keys.filter(|key| {
        let place = world.body(*key).map(|body| body.position());
        place.is_ok_and(|p| p.cmpge(min).all() && p.cmple(max).all())
    })
    .count()
}

/// The depth of the deepest contact point, in metres, and its bodies.
pub(super) fn deepest(world: &World) -> (f64, Option<(BodyKey, BodyKey)>) {
    let mut deepest = (0.0, None);
    for contact in world.contacts() {
        for point in &contact.points {
            let depth = -f64::from(point.separation);
            if depth > deepest.0 {
                deepest = (depth, Some((contact.body_a, contact.body_b)));
            }
        }
    }
    deepest
}

/// The impulse that contacts gave a body along their normals in the last step, in N s.
pub(super) fn contact_impulse(world: &World, key: BodyKey) -> DVec3 {
    let mut sum = DVec3::ZERO;
    for contact in world.contacts_of(key).unwrap_or_default() {
        let side = if contact.body_b == key { 1.0 } else { -1.0 };
        let impulse: f64 = contact
            .points
            .iter()
            .map(|p| f64::from(p.normal_impulse))
            .sum();
        sum += contact.normal.as_dvec3() * impulse * side;
    }
    sum
}

/// How far the anchors of a joint are apart, in metres; of a distance joint, how far it is
/// outside its bounds.
pub(super) fn joint_gap(world: &World, key: JointKey) -> f64 {
    let (Ok(def), Ok(gap)) = (world.joint(key), world.joint_gap(key)) else {
        return f64::NAN;
    };
    let Ok(state) = world.joint_state(key) else {
        return f64::NAN;
    };
    let place = state.translation;
    match &def.kind {
        JointKind::Distance { min, max, .. } => {
            (f64::from(*min) - gap).max(gap - f64::from(*max)).max(0.0)
        }
        JointKind::NoContact | JointKind::Gear { .. } | JointKind::Rack { .. } => 0.0,
        JointKind::Slider { .. } => place.truncate().length(),
        JointKind::Wheel(_) => DVec3::new(place.x, 0.0, place.z).length(),
        JointKind::SixDof(axes) => {
            let mut outside = DVec3::ZERO;
            for (axis, settings) in axes.linear.iter().enumerate() {
                if let Some(limit) = settings.limit {
                    let (low, high) = (f64::from(limit.lower), f64::from(limit.upper));
                    outside[axis] = place[axis] - place[axis].clamp(low, high);
                }
            }
            outside.length()
        }
        _ => gap,
    }
}

/// What a joint reads; NaN when it is gone.
pub(super) fn joint_reading(world: &World, key: JointKey, reading: JointReading) -> f64 {
    let (Ok(def), Ok(state), Ok(load)) = (
        world.joint(key),
        world.joint_state(key),
        world.joint_force(key),
    ) else {
        return f64::NAN;
    };
    // A wheel's suspension lies along Y, everything else that slides moves along Z.
    let axis = usize::from(!matches!(def.kind, JointKind::Wheel(_))) + 1;
    match reading {
        JointReading::Angle => f64::from(state.angles.z).to_degrees(),
        JointReading::Steering => f64::from(state.angles.y).to_degrees(),
        JointReading::Place => state.translation[axis],
        JointReading::Speed => f64::from(state.linear_velocity[axis]),
        JointReading::Spin => {
            let axle = rotation::rotate(state.rotation, Vec3::Z);
            f64::from(state.angular_velocity.dot(axle))
        }
        JointReading::Force => f64::from(load.force.length()),
        JointReading::Torque => f64::from(load.torque.length()),
    }
}
