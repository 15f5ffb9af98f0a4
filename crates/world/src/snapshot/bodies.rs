//! Bodies, their shapes and their motion, out of a snapshot.

use drystone_geometry::glam::Vec3;
use drystone_geometry::{Pose, Shape};
use drystone_solver::tolerance::MAX_LEAN;
use drystone_solver::{AxisLocks, Body, STATIC_SLOT};

use super::load::{is_unit, refused};
use super::stored::{Stored, StoredBody, StoredGeometry, StoredMotion, StoredShape};
use super::{Checked, ensure};
use crate::World;
use crate::check;
use crate::def::{BodyKind, ShapeDef};
use crate::record::{BodyRecord, NONE, Place, ShapeRecord, origin_pose};
use crate::world::static_pose;

/// Fills the columns of bodies and shapes and the dense arrays.
pub(super) fn bring_back(world: &mut World, stored: &Stored) -> Checked<()> {
    let slots = world.body_keys.slots();
    let indices: Vec<u32> = world.body_keys.indices().collect();
    world.bodies = (0..slots).map(|_| BodyRecord::vacant()).collect();
    world.slot_of = (0..slots as u32).map(|index| STATIC_SLOT | index).collect();
    for (&index, body) in indices.iter().zip(&stored.bodies) {
        world.bodies[index as usize] = record(body, world.body_keys.key(index))?;
        if body.bullet {
            world.bullets.push(index);
        }
    }
    shapes(world, stored, &indices)?;
    for &index in &indices {
        world.note_core(index);
    }
    for motion in &stored.awake {
        let slot = world.awake.len() as u32;
        let body = moving(world, motion, Place::Awake(slot))?;
        let center = world.bodies[motion.index as usize].center;
        world.frames.push(origin_pose(&body, center).to_frame());
        world.slot_of[motion.index as usize] = slot;
        world.awake.push(body);
    }
    for motion in &stored.asleep {
        let slot = world.asleep.len() as u32;
        let body = moving(world, motion, Place::Asleep(slot))?;
        ensure(body.is_dynamic(), "a body that is not dynamic sleeps")?;
        world.asleep.push(body);
    }
    for (&index, body) in indices.iter().zip(&stored.bodies) {
        if let Some(motion) = &body.parked {
            ensure(
                motion.index == index && !body.enabled,
                "a body is parked and takes part",
            )?;
            let parked = moving(world, motion, Place::Static)?;
            world.bodies[index as usize].parked = Some(Box::new(parked));
        }
        let record = &world.bodies[index as usize];
        let moves = record.place != Place::Static;
        let is_static = body.kind == BodyKind::Static;
        ensure(
            is_static == body.rest_pose.is_some()
                && moves == (!is_static && body.enabled)
                && body.parked.is_some() == (!is_static && !body.enabled),
            "a body moves and stands at once",
        )?;
        let pose = world.pose_of(index);
        world.bodies[index as usize].rest_pose = pose;
        world.rest_frames(index, &pose);
    }
    world.statics = world
        .bodies
        .iter()
        .map(|record| static_pose(&record.rest_pose))
        .collect();
    targets(world)
}

fn record(stored: &StoredBody, key: crate::BodyKey) -> Checked<BodyRecord> {
    let rest_pose = stored
        .rest_pose
        .unwrap_or(drystone_geometry::WorldPose::IDENTITY);
    for pose in [Some(rest_pose), stored.target].into_iter().flatten() {
        check::reached("position", pose.position).map_err(refused)?;
        ensure(is_unit(pose.rotation), "a rotation is not of unit length")?;
    }
    let motion = stored.motion.unwrap_or_default();
    ensure(
        motion.linear_damping >= 0.0
            && motion.angular_damping >= 0.0
            && motion.sleep_threshold >= 0.0
            && stored.mass >= 0.0,
        "a mass or a damping is negative",
    )?;
    if stored.kind == BodyKind::Dynamic {
        check::mass_number("mass", stored.mass).map_err(refused)?;
    }
    Ok(BodyRecord {
        key,
        kind: stored.kind,
        enabled: stored.enabled,
        rest_pose,
        center: stored.center.unwrap_or(Vec3::ZERO),
        mass: stored.mass,
        mass_override: stored.mass_override,
        motion,
        joints: stored.joints.clone(),
        target: stored.target.map(Box::new),
        name: stored.name.clone(),
        bullet: stored.bullet,
        user_data: stored.user_data,
        ..BodyRecord::vacant()
    })
}

/// Shapes, each on the one body that lists it.
fn shapes(world: &mut World, stored: &Stored, indices: &[u32]) -> Checked<()> {
    let slots = world.shape_keys.slots();
    let mut owner = vec![(NONE, NONE); slots];
    for (&index, body) in indices.iter().zip(&stored.bodies) {
        let mut next = NONE;
        for &shape in body.shapes.iter().rev() {
            let owner = owner.get_mut(shape as usize);
            ensure(
                owner.as_ref().is_some_and(|owner| owner.0 == NONE),
                "a shape is on two bodies or on none",
            )?;
            if let Some(owner) = owner {
                *owner = (index, next);
            }
            next = shape;
        }
        world.bodies[index as usize].first_shape = next;
    }
    let live: Vec<u32> = world.shape_keys.indices().collect();
    let owned = owner.iter().filter(|owner| owner.0 != NONE).count();
    ensure(owned == live.len(), "a shape is on no body")?;
    world.shapes = (0..slots).map(|_| ShapeRecord::vacant()).collect();
    for (&index, shape) in live.iter().zip(&stored.shapes) {
        let (body, next) = owner[index as usize];
        ensure(body != NONE, "a shape is on no body")?;
        let def = shape_def(shape, &stored.shared)?;
        let record = &mut world.bodies[body as usize];
        check::shape(0, &def, record.kind).map_err(refused)?;
        ensure(
            is_unit(def.pose.rotation),
            "a rotation is not of unit length",
        )?;
        record.had_surface |= def.shape.surface().is_some();
        let mut made = ShapeRecord::new(world.shape_keys.key(index), body, &def);
        made.center_on(record.center);
        made.next = next;
        made.shares_body = record.first_shape != index || next != NONE;
        world.shapes[index as usize] = made;
    }
    Ok(())
}

fn shape_def(stored: &StoredShape, shared: &[Shape]) -> Checked<ShapeDef> {
    let shape = match &stored.shape {
        StoredGeometry::Own(shape) => Some(shape),
        StoredGeometry::Shared(index) => shared.get(*index as usize),
    };
    ensure(shape.is_some(), "a shared shape is missing")?;
    Ok(ShapeDef {
        shape: shape.cloned().unwrap_or(Shape::sphere(1.0)),
        pose: stored.pose.unwrap_or(Pose::IDENTITY),
        material: stored.material.unwrap_or_default(),
        filter: stored.filter.unwrap_or_default(),
        sensor: stored.sensor,
    })
}

/// The solver's body, and its place in the record.
fn moving(world: &mut World, stored: &StoredMotion, place: Place) -> Checked<Body> {
    let index = stored.index;
    ensure(
        world.body_keys.is_live(index) && world.bodies[index as usize].place == Place::Static,
        "a body moves twice, or does not exist",
    )?;
    let record = &mut world.bodies[index as usize];
    record.place = place;
    check::reached("position", stored.center).map_err(refused)?;
    check::vector("linear velocity", stored.linear_velocity).map_err(refused)?;
    check::vector("angular velocity", stored.angular_velocity).map_err(refused)?;
    ensure(
        is_unit(stored.rotation) && is_unit(stored.principal_rotation),
        "a rotation is not of unit length",
    )?;
    ensure(
        stored.extent >= 0.0
            && stored.extents.cmpge(Vec3::ZERO).all()
            && stored.sleep_time >= 0.0
            && stored.tension.is_none_or(|tension| tension >= 0.0)
            && stored.inertia.min_element() >= 0.0,
        "a length, a time, a pull or an inertia is negative",
    )?;
    ensure(
        stored.lean.unwrap_or_default().length() <= 1.001 * MAX_LEAN,
        "a body leans farther than bodies do",
    )?;
    let dynamic = record.kind == BodyKind::Dynamic;
    if dynamic {
        for value in stored.inertia.to_array() {
            check::mass_number("inertia", value).map_err(refused)?;
        }
    }
    let [force, torque] = stored.load.unwrap_or_default();
    let motion = &record.motion;
    let mut body = Body {
        center: stored.center,
        rotation: stored.rotation,
        linear_velocity: stored.linear_velocity,
        angular_velocity: stored.angular_velocity,
        force,
        torque,
        principal_rotation: stored.principal_rotation,
        linear_damping: motion.linear_damping,
        angular_damping: motion.angular_damping,
        gravity_scale: motion.gravity_scale,
        locks: AxisLocks::new(motion.locks.translation, motion.locks.rotation),
        extent: stored.extent,
        extents: stored.extents,
        sleep_threshold: motion.sleep_threshold,
        burden: stored.burden.unwrap_or(0.0),
        tension: stored.tension.unwrap_or(0.0),
        lean: stored.lean.unwrap_or_default(),
        sleep_time: stored.sleep_time,
        can_sleep: motion.can_sleep,
        index,
        ..Body::default()
    };
    crate::moving::set_inertia(&mut body, dynamic, record.mass, stored.inertia);
    Ok(body)
}

/// Kinematic bodies with a target are listed once each.
fn targets(world: &World) -> Checked<()> {
    let mut seen = vec![false; world.bodies.len()];
    for &index in &world.targeted {
        let live = world.body_keys.is_live(index);
        ensure(live && !seen[index as usize], "a target has no body")?;
        seen[index as usize] = true;
    }
    Ok(())
}
