//! Joints, contacts, colours, islands and the broad phase, out of a snapshot.

use drystone_broad_phase::{BroadPhase, Pair};
use drystone_geometry::{Manifold, ManifoldPoint};
use drystone_solver::{ConstraintGraph, ConstraintId, Contact, ContactPoint, Islands};

use super::load::{is_unit, refused};
use super::stored::{Stored, StoredContact};
use super::{Checked, SnapshotError, ensure};
use crate::World;
use crate::contacts::{Contacts, Restored, State};
use crate::def::BodyKind;
use crate::error::DefError;
use crate::record::{Place, ShapeRecord, vacant_joint};
use crate::renew::anchors_of;
use crate::{JointDef, check};

/// Fills everything that connects bodies.
pub(super) fn bring_back(world: &mut World, stored: &mut Stored) -> Checked<()> {
    joints(world, stored)?;
    contacts(world, stored)?;
    connections(world, stored)?;
    let mut pairs: Vec<_> = (world.contacts.links.iter().zip(&world.contacts.states))
        .filter(|(_, state)| state.live && !state.is_part)
        .map(|(links, _)| Pair {
            a: links.shapes[0],
            b: links.shapes[1],
        })
        .collect();
    pairs.sort_unstable();
    let proxy = |id: u32| {
        let shape = world
            .shape_keys
            .is_live(id)
            .then(|| &world.shapes[id as usize])?;
        Some((world.activity_of(shape.body)?, shape.filter, shape.body))
    };
    world.broad = BroadPhase::restore(&stored.boxes, proxy, &pairs)
        .map_err(|error| SnapshotError::Malformed(error.to_string()))?;
    Ok(())
}

fn joints(world: &mut World, stored: &mut Stored) -> Checked<()> {
    let slots = world.joint_keys.slots();
    let (joint, def) = vacant_joint();
    world.joints = vec![joint; slots];
    world.joint_defs = vec![def; slots];
    let indices: Vec<u32> = world.joint_keys.indices().collect();
    let mut mentions = 0;
    for index in world.body_keys.indices() {
        for &joint in &world.bodies[index as usize].joints {
            ensure(
                world.joint_keys.is_live(joint),
                "a body has a joint that is gone",
            )?;
            mentions += 1;
        }
    }
    ensure(
        mentions == 2 * indices.len(),
        "a joint is not on both its bodies",
    )?;
    for (&index, (joint, def)) in indices.iter().zip(stored.joints.drain(..)) {
        check_joint(world, index, &joint, &def)?;
        if def.threshold.is_some() {
            world.watched_joints.push(index);
        }
        world.joints[index as usize] = joint;
        world.joint_defs[index as usize] = def;
    }
    Ok(())
}

fn check_joint(
    world: &World,
    index: u32,
    joint: &drystone_solver::Joint,
    def: &JointDef,
) -> Checked<()> {
    let bodies = [joint.body_a, joint.body_b];
    let named = [def.body_a, def.body_b].map(|key| world.body_keys.get(key));
    ensure(
        bodies[0] != bodies[1] && named == bodies.map(Some),
        "a joint does not hold the bodies it names",
    )?;
    let listed = bodies.map(|body| {
        let joints = &world.bodies[body as usize].joints;
        joints.iter().filter(|other| **other == index).count()
    });
    ensure(listed == [1, 1], "a joint is not on both its bodies")?;
    for pose in [&joint.frame_a, &joint.frame_b, &def.frame_a, &def.frame_b] {
        check::local_pose(pose).map_err(refused)?;
    }
    ensure(
        is_unit(joint.frame_a.rotation) && is_unit(joint.frame_b.rotation),
        "a rotation is not of unit length",
    )?;
    for kind in [&joint.kind, &def.kind] {
        kind.check()
            .map_err(|error| refused(DefError::Joint(error)))?;
    }
    check::threshold(def.threshold).map_err(refused)?;
    Ok(())
}

fn contacts(world: &mut World, stored: &Stored) -> Checked<()> {
    let mut restored = Vec::with_capacity(stored.contacts.len());
    for contact in &stored.contacts {
        restored.push(match contact {
            None => None,
            Some(contact) => Some(restore_contact(world, contact)?),
        });
    }
    let indices = world.body_keys.indices();
    let lists: Vec<_> = indices
        .zip(&stored.bodies)
        .map(|(index, body)| (index, &body.contacts[..]))
        .collect();
    let contacts = Contacts::restore(&mut world.bodies, restored, &stored.free_contacts, &lists);
    world.contacts = contacts.ok_or(SnapshotError::Inconsistent(
        "a contact is not on both its bodies",
    ))?;
    for id in 0..world.contacts.links.len() as u32 {
        if world.contacts.states[id as usize].live {
            world.refresh_awake(id);
        }
        if world.contacts.states[id as usize].sensor {
            world.sensor_contacts.insert(id);
        }
    }
    Ok(())
}

/// Whether a contact can be one of these two shapes.
fn check_contact(a: &ShapeRecord, b: &ShapeRecord, stored: &StoredContact) -> Checked<()> {
    ensure(a.body != b.body, "a body touches itself")?;
    ensure(
        stored.tracker.fits(&a.shape, &b.shape),
        "a contact remembers features its shapes do not have",
    )?;
    // Two surfaces never meet, so such a pair remembers nothing.
    let surface = match (a.shape.surface(), b.shape.surface()) {
        (Some(surface), None) | (None, Some(surface)) => Some(surface),
        _ => None,
    };
    let has_memory = surface.is_some() && !stored.is_part;
    let memory_fits = match (&stored.surface, surface) {
        (None, _) => !has_memory,
        (Some(known), Some(surface)) => has_memory && known.memory.fits(surface, known.parts.len()),
        (Some(_), None) => false,
    };
    ensure(
        memory_fits && (surface.is_some() || !stored.is_part),
        "a contact remembers triangles its surface does not have",
    )?;
    let is_empty = stored.points.as_slice().is_empty();
    ensure(
        is_empty || !(a.sensor || b.sensor),
        "a contact of a sensor has points",
    )?;
    ensure(
        stored.normals.is_some() != is_empty && stored.constrained != is_empty,
        "a contact has points but does not act, or acts without any",
    )
}

fn restore_contact(world: &World, stored: &StoredContact) -> Checked<Restored> {
    let [a, b] = stored.shapes;
    ensure(
        a < b && world.shape_keys.is_live(a) && world.shape_keys.is_live(b),
        "a contact is between shapes that are gone",
    )?;
    let [a, b] = [a, b].map(|shape| &world.shapes[shape as usize]);
    check_contact(a, b, stored)?;
    let points = stored.points.as_slice();
    let mut manifold = Manifold::EMPTY;
    let mut solver = Contact {
        count: points.len() as u32,
        tangent_velocity: stored.belt.unwrap_or_default(),
        ..world.new_contact(a, b)
    };
    if let Some([local, in_world]) = stored.normals {
        manifold = Manifold::with_normal(local);
        solver.normal = in_world;
    }
    let places = solver.points.iter_mut().zip(&mut solver.anchors);
    for (point, (solved, anchors)) in points.iter().zip(places) {
        let placed = ManifoldPoint {
            anchor_a: point.anchor_a,
            anchor_b: point.anchor_b,
            separation: point.separation,
            feature: point.feature,
        };
        *anchors = anchors_of([a, b], &placed);
        manifold.push(placed);
        *solved = ContactPoint {
            separation: point.separation,
            normal_impulse: point.normal_impulse,
            max_normal_impulse: point.max_normal_impulse.unwrap_or(point.normal_impulse),
            feature: point.feature,
        };
    }
    if let Some((friction, rolling, twist)) = stored.impulses {
        solver.friction_impulse = friction;
        solver.rolling_impulse = rolling;
        solver.twist_impulse = twist;
    }
    let state = State {
        live: true,
        awake: false,
        muted: stored.muted,
        rejected: stored.rejected,
        sensor: a.sensor != b.sensor,
        constrained: stored.constrained,
        touching: stored.touching,
        is_part: stored.is_part,
        free: world.are_free([a.body, b.body]),
        loose: world.are_loose([a.body, b.body]),
        rung: stored.rung,
    };
    Ok(Restored {
        shapes: stored.shapes,
        bodies: [a.body, b.body],
        state,
        tracker: stored.tracker,
        manifold,
        solver,
        surface: stored.surface.clone(),
    })
}

/// Colours and islands must hold exactly the constraints there are, and contacts be mute where
/// bodies, joints and hooks have them so.
fn connections(world: &mut World, stored: &Stored) -> Checked<()> {
    for (id, state) in world.contacts.states.iter().enumerate() {
        ensure(
            !state.live || state.is_part || state.muted == world.is_muted(id as u32),
            "a contact pushes that may not, or does not though it may",
        )?;
    }
    let ends = |id: ConstraintId| match id {
        ConstraintId::Contact(id) => (world.contacts.states.get(id as usize))
            .is_some_and(|state| state.constrained)
            .then(|| world.contacts.links[id as usize].bodies),
        ConstraintId::Joint(id) => world
            .joint_keys
            .is_live(id)
            .then(|| &world.joints[id as usize])
            .filter(|_| world.joint_acts(id))
            .map(|joint| [joint.body_a, joint.body_b]),
    };
    let contacts = (0..world.contacts.links.len() as u32).map(ConstraintId::Contact);
    let all = contacts.chain(world.joint_keys.indices().map(ConstraintId::Joint));
    let (mut linked, mut acting) = (0, 0);
    for bodies in all.filter_map(ends) {
        linked += 1;
        acting += usize::from(is_acting(world, bodies));
        ensure(
            bodies.into_iter().any(|body| world.is_dynamic(body)),
            "a constraint holds nothing that moves",
        )?;
    }
    let pushed = |id: ConstraintId| {
        let bodies = ends(id).filter(|bodies| is_acting(world, *bodies))?;
        Some(bodies.map(|body| world.pushed(body)))
    };
    let in_colours = stored.colours.iter().flatten().map(Vec::len).sum::<usize>();
    let graph = ConstraintGraph::from_lists(&stored.colours, pushed);
    let islands = Islands::restore(&stored.islands, world.bodies.len(), ends);
    let (Some(graph), Some(islands)) = (graph, islands) else {
        return Err(SnapshotError::Inconsistent(
            "colours or islands do not match contacts and joints",
        ));
    };
    let in_islands = (0..islands.slots()).map(|island| islands.links(island).count());
    ensure(
        in_colours == acting && in_islands.sum::<usize>() == linked,
        "a constraint is missing from colours or islands",
    )?;
    for (index, record) in world.bodies.iter().enumerate() {
        let island = islands.island_of(index as u32);
        let dynamic = record.kind == BodyKind::Dynamic
            && record.enabled
            && world.body_keys.is_live(index as u32);
        let asleep = matches!(record.place, Place::Asleep(_));
        ensure(
            dynamic == (island != drystone_solver::islands::NO_ISLAND)
                && (!dynamic || islands.is_asleep(island) == asleep),
            "a body sleeps and its island does not, or the other way round",
        )?;
    }
    (world.graph, world.islands) = (graph, islands);
    Ok(())
}

/// Whether the solver works on a constraint between these: what it pushes is awake.
fn is_acting(world: &World, bodies: [u32; 2]) -> bool {
    let awake = |body: u32| matches!(world.bodies[body as usize].place, Place::Awake(_));
    let mut pushed = bodies.into_iter().filter(|body| world.is_dynamic(*body));
    pushed.all(awake)
}
