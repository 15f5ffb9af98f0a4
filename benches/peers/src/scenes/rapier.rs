//! The scene in Rapier, with its own defaults where a scene says nothing.

use drystone::geometry::rotation::normalize;
use drystone::geometry::{Aabb, Surface};
use drystone::glam::{DVec3, Quat, Vec3};
use drystone::{BodyDef, BodyKind, JointKind, Pose, Shape, WorldPose};
use drystone_scene::{Scene, SceneJoint, SpawnedCopy};
use rapier3d::prelude as r;

use super::engine::{Engine, Wants, is_compared_nowhere};

struct Rapier {
    world: r::PhysicsWorld,
    bodies: Vec<Option<r::RigidBodyHandle>>,
    sleeping: bool,
}

pub(crate) fn build(scene: &Scene, threads: u32) -> Result<Box<dyn Engine>, Vec<String>> {
    let mut wants = Wants::new(scene);
    let any_shape =
        |is: fn(&drystone::def::ShapeDef) -> bool| move |body: &BodyDef| body.shapes.iter().any(is);
    wants.refuse_bodies(
        "rolling resistance",
        any_shape(|s| s.material.rolling_resistance > 0.0),
    );
    wants.refuse_bodies("filter groups", any_shape(|s| s.filter.group != 0));
    wants.refuse_bodies("a given mass", |body| body.mass.is_some());
    wants.refuse_joints(
        "sliders, wheels, joints of six axes and gears",
        is_compared_nowhere,
    );
    wants.refuse_joints("springs, friction and limits of ball joints", |kind| {
        matches!(kind, JointKind::Ball { friction_torque, spring, cone, twist } if *friction_torque > 0.0 || spring.is_some() || cone.is_some() || twist.is_some())
    });
    wants.refuse_joints("limits, motors and springs of hinges", |kind| {
        matches!(kind, JointKind::Hinge { limit, motor, spring } if limit.is_some() || motor.is_some() || spring.is_some())
    });
    wants.refuse_joints("soft welds", |kind| {
        matches!(kind, JointKind::Weld { linear, angular } if linear.is_some() || angular.is_some())
    });
    wants.refuse_joints("distance joints other than ropes", |kind| {
        matches!(kind, JointKind::Distance { min, spring, .. } if *min > 0.0 || spring.is_some())
    });
    if !wants.missing.is_empty() {
        return Err(wants.missing);
    }
    let mut world = r::PhysicsWorld::new();
    world
        .physics_pipeline
        .configure_thread_pool(threads as usize)
        .map_err(|error| vec![error.to_string()])?;
    let settings = &scene.settings;
    world.gravity = vector(settings.gravity);
    world.integration_parameters.dt = settings.dt;
    world.integration_parameters.num_solver_iterations = settings.substeps as usize;
    world.integration_parameters.contact_recycling = settings.recycling;
    world
        .integration_parameters
        .normalized_max_corrective_velocity = settings.max_push_speed;
    let mut engine = Rapier {
        world,
        bodies: vec![None; scene.bodies.len()],
        sleeping: settings.sleeping,
    };
    let start = SpawnedCopy {
        bodies: 0..scene.start_bodies(),
        joints: 0..scene.start_joints(),
    };
    engine.add(scene, &start)?;
    Ok(Box::new(engine))
}

impl Rapier {
    fn add(&mut self, scene: &Scene, copy: &SpawnedCopy) -> Result<(), Vec<String>> {
        for index in copy.bodies.clone() {
            let def = &scene.bodies[index].def;
            self.bodies[index] = Some(add_body(&mut self.world, def, self.sleeping)?);
        }
        for joint in &scene.joints[copy.joints.clone()] {
            if let (Some(a), Some(b)) = (self.bodies[joint.a], self.bodies[joint.b]) {
                self.world.insert_impulse_joint(a, b, generic_joint(joint));
            }
        }
        Ok(())
    }
}

fn add_body(
    world: &mut r::PhysicsWorld,
    def: &BodyDef,
    sleeping: bool,
) -> Result<r::RigidBodyHandle, Vec<String>> {
    let mut locks = r::LockedAxes::empty();
    let axes = [
        (
            r::LockedAxes::TRANSLATION_LOCKED_X,
            r::LockedAxes::ROTATION_LOCKED_X,
        ),
        (
            r::LockedAxes::TRANSLATION_LOCKED_Y,
            r::LockedAxes::ROTATION_LOCKED_Y,
        ),
        (
            r::LockedAxes::TRANSLATION_LOCKED_Z,
            r::LockedAxes::ROTATION_LOCKED_Z,
        ),
    ];
    for (axis, (translation, rotation)) in axes.into_iter().enumerate() {
        locks.set(translation, def.locks.translation[axis]);
        locks.set(rotation, def.locks.rotation[axis]);
    }
    let builder = match def.kind {
        BodyKind::Static => r::RigidBodyBuilder::fixed(),
        BodyKind::Kinematic => r::RigidBodyBuilder::kinematic_position_based(),
        BodyKind::Dynamic => r::RigidBodyBuilder::dynamic(),
    };
    let body = builder
        .pose(pose(def.position.as_vec3(), def.rotation))
        .linvel(vector(def.linear_velocity))
        .angvel(vector(def.angular_velocity))
        .linear_damping(def.linear_damping)
        .angular_damping(def.angular_damping)
        .gravity_scale(def.gravity_scale)
        .locked_axes(locks)
        .can_sleep(sleeping && def.can_sleep);
    let body = world.insert_body(body);
    for shape in &def.shapes {
        let material = &shape.material;
        let filter = r::InteractionGroups::new(
            r::Group::from_bits_retain(shape.filter.category),
            r::Group::from_bits_retain(shape.filter.mask),
            r::InteractionTestMode::And,
        );
        let collider = collider(&shape.shape)?
            .position(pose(shape.pose.translation, shape.pose.rotation))
            .density(material.density)
            .friction(material.friction)
            .friction_combine_rule(r::CoefficientCombineRule::GeometricMean)
            .restitution(material.restitution)
            .restitution_combine_rule(r::CoefficientCombineRule::Max)
            .collision_groups(filter);
        world.insert_collider(collider, Some(body));
    }
    Ok(body)
}

fn collider(shape: &Shape) -> Result<r::ColliderBuilder, Vec<String>> {
    Ok(match shape {
        Shape::Sphere { radius } => r::ColliderBuilder::ball(*radius),
        Shape::Capsule {
            half_height,
            radius,
        } => r::ColliderBuilder::capsule_y(*half_height, *radius),
        Shape::Box { half_extents: half } => r::ColliderBuilder::cuboid(half.x, half.y, half.z),
        Shape::Hull(hull) => {
            let points: Vec<r::Vector> = hull.vertices().iter().map(|p| vector(*p)).collect();
            r::ColliderBuilder::convex_hull(&points)
                .ok_or_else(|| vec!["a hull of this scene".to_owned()])?
        }
        Shape::Mesh(mesh) => surface(mesh.surface())?,
        Shape::HeightField(field) => surface(field.surface())?,
        Shape::HalfSpace { normal } => {
            r::ColliderBuilder::new(r::SharedShape::halfspace(vector(*normal)))
        }
        Shape::Cylinder {
            half_height,
            radius,
        } => r::ColliderBuilder::cylinder(*half_height, *radius),
        Shape::Cone {
            half_height,
            radius,
        } => r::ColliderBuilder::cone(*half_height, *radius),
        other => return Err(vec![format!("a {} of this scene", other.kind_name())]),
    })
}

/// All triangles of a surface, with the corrections of inner edges that Rapier offers.
fn surface(surface: Surface<'_>) -> Result<r::ColliderBuilder, Vec<String>> {
    let mut triangles = Vec::new();
    surface.triangles_in(&Aabb::INFINITE, &mut triangles);
    let mut vertices = Vec::new();
    let mut indices = Vec::new();
    for triangle in triangles {
        let ids = surface.corner_ids(triangle);
        for (id, at) in ids.into_iter().zip(surface.corners(triangle)) {
            let count = vertices.len().max(id as usize + 1);
            vertices.resize(count, vector(Vec3::ZERO));
            vertices[id as usize] = vector(at);
        }
        indices.push(ids);
    }
    let flags = r::TriMeshFlags::FIX_INTERNAL_EDGES;
    r::ColliderBuilder::trimesh_with_flags(vertices, indices, flags)
        .map_err(|error| vec![error.to_string()])
}

/// Rapier's joints turn about the X of their frames, drystone's about Z.
fn generic_joint(joint: &SceneJoint) -> r::GenericJoint {
    let quarter = Quat::from_xyzw(0.5, 0.5, 0.5, 0.5);
    let frame = |frame: &Pose| pose(frame.translation, frame.rotation * quarter);
    let (locked, rope) = match joint.kind {
        JointKind::Ball { .. } => (r::JointAxesMask::LOCKED_SPHERICAL_AXES, None),
        JointKind::Hinge { .. } => (r::JointAxesMask::LOCKED_REVOLUTE_AXES, None),
        JointKind::Weld { .. } => (r::JointAxesMask::LOCKED_FIXED_AXES, None),
        JointKind::Distance { max, .. } => (r::JointAxesMask::empty(), Some(max)),
        // The last five are refused before.
        JointKind::NoContact
        | JointKind::Slider { .. }
        | JointKind::Wheel(_)
        | JointKind::SixDof(_)
        | JointKind::Gear { .. }
        | JointKind::Rack { .. } => (r::JointAxesMask::empty(), None),
    };
    let mut data: r::GenericJoint = match rope {
        Some(length) => r::RopeJointBuilder::new(length).build().into(),
        None => r::GenericJointBuilder::new(locked).build(),
    };
    data.set_local_frame1(frame(&joint.frame_a));
    data.set_local_frame2(frame(&joint.frame_b));
    data.set_contacts_enabled(joint.collide_connected);
    data
}

fn vector(v: Vec3) -> r::Vector {
    r::Vector::new(v.x, v.y, v.z)
}

fn pose(position: Vec3, rotation: Quat) -> r::Pose {
    let [x, y, z, w] = normalize(rotation).to_array();
    r::Pose::from_parts(vector(position), r::Rotation::from_xyzw(x, y, z, w))
}

impl Engine for Rapier {
    fn step(&mut self) {
        self.world.step();
    }

    fn set_target(&mut self, body: usize, target: &WorldPose) {
        let target = pose(target.position.as_vec3(), target.rotation);
        if let Some(body) = self.bodies[body] {
            self.world.bodies[body].set_next_kinematic_position(target);
        }
    }

    fn respawn(&mut self, scene: &Scene, copy: &SpawnedCopy) {
        for body in self.bodies[copy.bodies.clone()].iter().flatten() {
            self.world.remove_body(*body);
        }
        let added = self.add(scene, copy);
        debug_assert!(added.is_ok(), "the same was added before");
    }

    fn is_awake(&self) -> bool {
        // Not all bodies: to read a million between two steps would empty the caches.
        self.world.islands.active_bodies().any(|body| {
            let body = &self.world.bodies[body];
            body.is_dynamic() && !body.is_sleeping()
        })
    }

    fn collide_ms(&self) -> Option<f64> {
        None
    }

    fn pose(&self, body: usize) -> Option<WorldPose> {
        let body = &self.world.bodies[self.bodies[body]?];
        let (position, rotation) = (body.translation(), body.rotation());
        Some(WorldPose {
            position: DVec3::new(position.x.into(), position.y.into(), position.z.into()),
            rotation: Quat::from_xyzw(rotation.x, rotation.y, rotation.z, rotation.w),
        })
    }
}
