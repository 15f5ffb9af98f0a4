//! What a snapshot stores of each thing: all that cannot be computed again, and no more.

use std::collections::BTreeMap;

use drystone_broad_phase::{Filter, SavedBoxes};
use drystone_geometry::glam::{DVec3, Quat, Vec3};
use drystone_geometry::manifold::MAX_POINTS;
use drystone_geometry::{Pose, Shape, WorldPose};
use drystone_narrow_phase::{Rung, Tracker};
use drystone_solver::{Body, Joint, SavedIslands};
use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::contacts::{OnSurface, State};
use crate::cut::Cut;
use crate::def::{BodyKind, JointDef, MassOverride, Material, Settings};
use crate::events::Events;
use crate::keys::KeyTable;
use crate::record::{BodyRecord, MotionSettings, Place, ShapeRecord};
use crate::{BodyKey, JointKey, ShapeKey, World};

/// A whole world.
#[derive(Serialize, Deserialize)]
pub(crate) struct Stored {
    pub(crate) settings: Settings,
    pub(crate) time: f64,
    pub(crate) step_count: u64,
    pub(crate) last_cut: Cut,
    pub(crate) body_keys: KeyTable<BodyKey>,
    pub(crate) shape_keys: KeyTable<ShapeKey>,
    pub(crate) joint_keys: KeyTable<JointKey>,
    /// Shapes that several may share, each once.
    pub(crate) shared: Vec<Shape>,
    /// By index, those in use alone; so are shapes and joints.
    pub(crate) bodies: Vec<StoredBody>,
    pub(crate) shapes: Vec<StoredShape>,
    pub(crate) joints: Vec<(Joint, JointDef)>,
    /// In the order of the dense arrays.
    pub(crate) awake: Vec<StoredMotion>,
    pub(crate) asleep: Vec<StoredMotion>,
    pub(crate) boxes: SavedBoxes,
    /// By number; `None` where there is none.
    pub(crate) contacts: Vec<Option<StoredContact>>,
    pub(crate) free_contacts: Vec<u32>,
    /// Contacts and joints of each colour.
    pub(crate) colours: Vec<[Vec<u32>; 2]>,
    pub(crate) islands: SavedIslands,
    pub(crate) pending_events: Events,
    pub(crate) events: Events,
    pub(crate) targeted: Vec<u32>,
    pub(crate) movers: Vec<u32>,
    pub(crate) asking: Vec<u32>,
    pub(crate) sensors_stale: bool,
}

/// A body, but for its moving state.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredBody {
    pub(crate) kind: BodyKind,
    pub(crate) enabled: bool,
    pub(crate) parked: Option<StoredMotion>,
    /// `None` where the moving state says it.
    pub(crate) rest_pose: Option<WorldPose>,
    /// `None` for the origin.
    pub(crate) center: Option<Vec3>,
    pub(crate) mass: f32,
    pub(crate) mass_override: Option<MassOverride>,
    /// `None` for those of a plain body.
    pub(crate) motion: Option<MotionSettings>,
    /// Newest first.
    pub(crate) shapes: Vec<u32>,
    /// Newest first, as `contact * 2 + side`.
    pub(crate) contacts: Vec<u32>,
    pub(crate) joints: Vec<u32>,
    pub(crate) target: Option<WorldPose>,
    pub(crate) name: String,
    pub(crate) bullet: bool,
    pub(crate) user_data: u64,
}

/// A shape on a body.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredShape {
    pub(crate) shape: StoredGeometry,
    /// `None` for the identity; material and filter `None` for the default.
    pub(crate) pose: Option<Pose>,
    pub(crate) material: Option<Material>,
    pub(crate) filter: Option<Filter>,
    pub(crate) sensor: bool,
}

/// The geometry of a shape.
#[derive(Serialize, Deserialize)]
pub(crate) enum StoredGeometry {
    /// Its place among the shared ones.
    Shared(u32),
    Own(Shape),
}

/// What moves: the rest of the solver's body follows from the record.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoredMotion {
    pub(crate) index: u32,
    pub(crate) center: DVec3,
    pub(crate) rotation: Quat,
    pub(crate) linear_velocity: Vec3,
    pub(crate) angular_velocity: Vec3,
    /// Force and torque, unless both are zero.
    pub(crate) load: Option<[Vec3; 2]>,
    pub(crate) inertia: Vec3,
    pub(crate) principal_rotation: Quat,
    pub(crate) extent: f32,
    pub(crate) extents: Vec3,
    /// `None` for none.
    pub(crate) burden: Option<f32>,
    /// `None` for none.
    pub(crate) tension: Option<f32>,
    /// `None` for none.
    pub(crate) lean: Option<Vec3>,
    pub(crate) sleep_time: f32,
}

/// A contact. What the solver needs besides follows from manifold and materials.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoredContact {
    pub(crate) shapes: [u32; 2],
    pub(crate) muted: bool,
    pub(crate) rejected: bool,
    pub(crate) constrained: bool,
    pub(crate) touching: bool,
    pub(crate) rung: Rung,
    pub(crate) tracker: Tracker,
    /// Of the manifold in A's frame and of the solver in the world; `None` without points.
    pub(crate) normals: Option<[Vec3; 2]>,
    pub(crate) points: StoredPoints,
    /// Friction, rolling and twist, unless all are zero.
    pub(crate) impulses: Option<(Vec3, Vec3, f32)>,
    /// How surfaces run along themselves, in the world, unless they do not: those of sleepers may act
    /// before their contact is found anew.
    pub(crate) belt: Option<Vec3>,
    pub(crate) is_part: bool,
    pub(crate) surface: Option<Box<OnSurface>>,
}

/// A point of a manifold with its impulse.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct StoredPoint {
    pub(crate) anchor_a: Vec3,
    pub(crate) anchor_b: Vec3,
    pub(crate) separation: f32,
    pub(crate) feature: u32,
    pub(crate) normal_impulse: f32,
    /// `None` where it is the final one.
    pub(crate) max_normal_impulse: Option<f32>,
}

/// Up to four points, without an allocation.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StoredPoints {
    count: usize,
    points: [StoredPoint; MAX_POINTS],
}

impl StoredPoints {
    pub(crate) fn as_slice(&self) -> &[StoredPoint] {
        &self.points[..self.count]
    }
}

impl Serialize for StoredPoints {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.as_slice())
    }
}

impl<'de> Deserialize<'de> for StoredPoints {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Points;
        impl<'de> Visitor<'de> for Points {
            type Value = StoredPoints;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("at most four points")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<StoredPoints, A::Error> {
                let mut points = StoredPoints::default();
                while let Some(point) = seq.next_element()? {
                    let slot = points.points.get_mut(points.count);
                    *slot.ok_or_else(|| de::Error::invalid_length(points.count, &self))? = point;
                    points.count += 1;
                }
                Ok(points)
            }
        }
        deserializer.deserialize_seq(Points)
    }
}

/// Whether all are zero to the bit: minus zero goes on differently.
fn is_zero(vectors: &[Vec3]) -> bool {
    let mut parts = vectors.iter().flat_map(|vector| vector.to_array());
    parts.all(|part| part.to_bits() == 0)
}

fn is_identity(pose: &Pose) -> bool {
    let q = pose.rotation;
    is_zero(&[pose.translation, Vec3::new(q.x, q.y, q.z)]) && q.w == 1.0
}

impl StoredMotion {
    pub(crate) fn of(body: &Body) -> Self {
        Self {
            index: body.index,
            center: body.center,
            rotation: body.rotation,
            linear_velocity: body.linear_velocity,
            angular_velocity: body.angular_velocity,
            load: (!is_zero(&[body.force, body.torque])).then_some([body.force, body.torque]),
            inertia: body.inertia,
            principal_rotation: body.principal_rotation,
            extent: body.extent,
            extents: body.extents,
            burden: (body.burden != 0.0).then_some(body.burden),
            tension: (body.tension != 0.0).then_some(body.tension),
            lean: (body.lean != Vec3::ZERO).then_some(body.lean),
            sleep_time: body.sleep_time,
        }
    }
}

impl StoredContact {
    pub(crate) fn of(world: &World, id: usize) -> Self {
        let contacts = &world.contacts;
        let State {
            live: _,
            awake: _,
            muted,
            rejected,
            sensor: _,
            constrained,
            touching,
            is_part,
            free: _,
            loose: _,
            rung,
        } = contacts.states[id];
        let (manifold, solver) = (&contacts.manifolds[id], &contacts.solver[id]);
        let mut points = StoredPoints::default();
        for from in manifold.points() {
            // Hooks may have left points out for a step.
            let solved = solver.points().iter().find(|p| p.feature == from.feature);
            let solved = solved.copied().unwrap_or_default();
            points.points[points.count] = StoredPoint {
                anchor_a: from.anchor_a,
                anchor_b: from.anchor_b,
                separation: from.separation,
                feature: from.feature,
                normal_impulse: solved.normal_impulse,
                max_normal_impulse: (solved.max_normal_impulse.to_bits()
                    != solved.normal_impulse.to_bits())
                .then_some(solved.max_normal_impulse),
            };
            points.count += 1;
        }
        let (friction, rolling) = (solver.friction_impulse, solver.rolling_impulse);
        let twist = solver.twist_impulse;
        let at_rest = is_zero(&[friction, rolling, Vec3::splat(twist)]);
        // What hooks changed in the last step is undone with the next.
        let is_patched = world.patched.binary_search(&(id as u32)).is_ok();
        Self {
            shapes: contacts.links[id].shapes,
            muted,
            rejected,
            constrained,
            touching,
            rung,
            tracker: contacts.trackers[id],
            normals: (points.count > 0).then_some([manifold.normal, solver.normal]),
            points,
            impulses: (!at_rest).then_some((friction, rolling, twist)),
            belt: (!is_patched && solver.tangent_velocity != Vec3::ZERO)
                .then_some(solver.tangent_velocity),
            is_part,
            surface: contacts.surfaces[id].clone(),
        }
    }
}

/// Shapes whose data lies on the heap, each once.
#[derive(Default)]
struct Shared {
    shapes: Vec<Shape>,
    by_address: BTreeMap<usize, u32>,
}

impl Shared {
    fn store(&mut self, shape: &Shape) -> StoredGeometry {
        let Some(address) = shape.shared_address() else {
            return StoredGeometry::Own(shape.clone());
        };
        let next = self.shapes.len() as u32;
        let index = *self.by_address.entry(address).or_insert(next);
        if index == next {
            self.shapes.push(shape.clone());
        }
        StoredGeometry::Shared(index)
    }
}

impl Stored {
    pub(crate) fn of(world: &World) -> Self {
        let mut shared = Shared::default();
        let shapes = world.shape_keys.indices();
        let shapes = shapes.map(|i| StoredShape::of(&world.shapes[i as usize], &mut shared));
        let contacts = &world.contacts;
        let stored_contact = |id: usize| {
            let live = contacts.states[id].live;
            live.then(|| StoredContact::of(world, id))
        };
        Self {
            settings: world.settings.clone(),
            time: world.time,
            step_count: world.step_count,
            last_cut: world.last_cut,
            body_keys: world.body_keys.clone(),
            shape_keys: world.shape_keys.clone(),
            joint_keys: world.joint_keys.clone(),
            shapes: shapes.collect(),
            shared: shared.shapes,
            bodies: (world.body_keys.indices())
                .map(|index| StoredBody::of(world, index))
                .collect(),
            joints: (world.joint_keys.indices())
                .map(|i| {
                    (
                        world.joints[i as usize].clone(),
                        world.joint_defs[i as usize].clone(),
                    )
                })
                .collect(),
            awake: world.awake.iter().map(StoredMotion::of).collect(),
            asleep: world.asleep.iter().map(StoredMotion::of).collect(),
            boxes: world.broad.save(),
            contacts: (0..contacts.links.len()).map(stored_contact).collect(),
            free_contacts: contacts.free().to_vec(),
            colours: (world.graph.lists())
                .map(|lists| [lists.contacts.to_vec(), lists.joints.to_vec()])
                .collect(),
            islands: world.islands.save(),
            pending_events: world.pending_events.clone(),
            events: world.events.clone(),
            targeted: world.targeted.clone(),
            movers: world.movers.clone(),
            asking: world.asking.clone(),
            sensors_stale: world.sensors_stale,
        }
    }
}

impl StoredBody {
    fn of(world: &World, index: u32) -> Self {
        let BodyRecord {
            key: _,
            kind,
            place,
            rest_pose,
            center,
            enabled,
            parked,
            mass,
            mass_override,
            motion,
            bullet,
            first_shape: _,
            first_contact: _,
            last_unpushed: _,
            contact_count: _,
            standing_count: _,
            driven_count: _,
            driver: _,
            had_surface: _,
            core: _,
            thickness: _,
            margin: _,
            joints,
            target,
            name,
            user_data,
        } = &world.bodies[index as usize];
        let contacts = world.contacts.of_body(&world.bodies[index as usize]);
        Self {
            kind: *kind,
            enabled: *enabled,
            parked: parked.as_deref().map(StoredMotion::of),
            rest_pose: (*place == Place::Static && parked.is_none()).then_some(*rest_pose),
            center: (!is_zero(&[*center])).then_some(*center),
            mass: *mass,
            mass_override: *mass_override,
            motion: (*motion != MotionSettings::default()).then_some(*motion),
            shapes: world.shapes_of(index).collect(),
            contacts: contacts.map(|(id, side)| id << 1 | side as u32).collect(),
            joints: joints.clone(),
            target: target.as_deref().copied(),
            name: name.clone(),
            bullet: *bullet,
            user_data: *user_data,
        }
    }
}

impl StoredShape {
    fn of(record: &ShapeRecord, shared: &mut Shared) -> Self {
        let ShapeRecord {
            key: _,
            body: _,
            next: _,
            shape,
            pose,
            center_pose: _,
            local_frame: _,
            material,
            filter,
            sensor,
            margin: _,
            shares_body: _,
            rest_frame: _,
        } = record;
        Self {
            shape: shared.store(shape),
            pose: (!is_identity(pose)).then_some(*pose),
            material: (*material != Material::default()).then_some(*material),
            filter: (*filter != Filter::default()).then_some(*filter),
            sensor: *sensor,
        }
    }
}
