//! The scene in Box3D, through its C interface, with its own defaults where a scene says
//! nothing.
//!
//! The only `unsafe` beside drystone: calls of C functions with plain values and with
//! pointers that live through the call.

use std::collections::BTreeMap;
use std::sync::Arc;

use box3d_sys as b3;
use drystone::def::ShapeDef;
use drystone::geometry::rotation::normalize;
use drystone::geometry::{Aabb, Hull, Surface};
use drystone::glam::{Quat, Vec3};
use drystone::{BodyDef, BodyKind, JointKind, Pose, Shape, WorldPose};
use drystone_scene::{Scene, SceneJoint, SpawnedCopy};

use super::engine::{Engine, Wants, is_compared_nowhere};

struct Box3d {
    world: b3::b3WorldId,
    bodies: Vec<Option<b3::b3BodyId>>,
    recycling: bool,
    hulls: Hulls,
    dt: f32,
    substeps: i32,
}

/// Hulls and meshes made for the shapes of a scene, one for each that is shared.
#[derive(Default)]
struct Hulls(
    BTreeMap<usize, *mut b3::b3HullData>,
    BTreeMap<usize, *mut b3::b3MeshData>,
);

impl Drop for Hulls {
    fn drop(&mut self) {
        for hull in self.0.values() {
            // SAFETY: made by `b3CreateHull` and destroyed once; shapes hold copies.
            unsafe { b3::b3DestroyHull(*hull) };
        }
        for mesh in self.1.values() {
            // SAFETY: made by `b3CreateMesh`; the world that used them is gone by now.
            unsafe { b3::b3DestroyMesh(*mesh) };
        }
    }
}

pub(crate) fn build(scene: &Scene, threads: u32) -> Result<Box<dyn Engine>, Vec<String>> {
    let mut wants = Wants::new(scene);
    wants.refuse_bodies("half-spaces", |body| {
        let is_plane = |s: &ShapeDef| matches!(s.shape, Shape::HalfSpace { .. });
        body.shapes.iter().any(is_plane)
    });
    wants.refuse_joints(
        "sliders, wheels, joints of six axes and gears",
        is_compared_nowhere,
    );
    wants.refuse_bodies("a given mass", |body| body.mass.is_some());
    if !wants.missing.is_empty() {
        return Err(wants.missing);
    }
    let settings = &scene.settings;
    // SAFETY: a definition with its defaults, changed in plain fields.
    let world = unsafe {
        let mut def = b3::b3DefaultWorldDef();
        def.gravity = vector(settings.gravity);
        def.restitutionThreshold = settings.restitution_threshold;
        def.contactSpeed = settings.max_push_speed;
        def.enableSleep = settings.sleeping;
        def.workerCount = threads;
        b3::b3CreateWorld(&def)
    };
    let mut engine = Box3d {
        world,
        bodies: vec![None; scene.bodies.len()],
        recycling: settings.recycling,
        hulls: Hulls::default(),
        dt: settings.dt,
        substeps: settings.substeps as i32,
    };
    let start = SpawnedCopy {
        bodies: 0..scene.start_bodies(),
        joints: 0..scene.start_joints(),
    };
    engine.add(scene, &start)?;
    Ok(Box::new(engine))
}

impl Box3d {
    fn add(&mut self, scene: &Scene, copy: &SpawnedCopy) -> Result<(), Vec<String>> {
        for index in copy.bodies.clone() {
            self.bodies[index] = Some(self.add_body(&scene.bodies[index].def)?);
        }
        for joint in &scene.joints[copy.joints.clone()] {
            if let (Some(a), Some(b)) = (self.bodies[joint.a], self.bodies[joint.b]) {
                self.add_joint(joint, a, b);
            }
        }
        Ok(())
    }

    fn add_body(&mut self, def: &BodyDef) -> Result<b3::b3BodyId, Vec<String>> {
        // SAFETY: as above; the world was made before and lives on.
        let body = unsafe {
            let mut out = b3::b3DefaultBodyDef();
            out.type_ = match def.kind {
                BodyKind::Static => b3::b3BodyType_b3_staticBody,
                BodyKind::Kinematic => b3::b3BodyType_b3_kinematicBody,
                BodyKind::Dynamic => b3::b3BodyType_b3_dynamicBody,
            };
            out.position = vector(def.position.as_vec3());
            out.rotation = rotation(def.rotation);
            out.linearVelocity = vector(def.linear_velocity);
            out.angularVelocity = vector(def.angular_velocity);
            out.linearDamping = def.linear_damping;
            out.angularDamping = def.angular_damping;
            out.gravityScale = def.gravity_scale;
            out.sleepThreshold = def.sleep_threshold;
            out.enableSleep = def.can_sleep;
            out.isAwake = !def.asleep;
            out.enableContactRecycling = self.recycling;
            let (t, r) = (def.locks.translation, def.locks.rotation);
            out.motionLocks.linearX = t[0];
            out.motionLocks.linearY = t[1];
            out.motionLocks.linearZ = t[2];
            out.motionLocks.angularX = r[0];
            out.motionLocks.angularY = r[1];
            out.motionLocks.angularZ = r[2];
            b3::b3CreateBody(self.world, &out)
        };
        for shape in &def.shapes {
            add_shape(body, shape, &mut self.hulls)?;
        }
        Ok(body)
    }

    fn add_joint(&mut self, joint: &SceneJoint, a: b3::b3BodyId, b: b3::b3BodyId) {
        let base = |base: &mut b3::b3JointDef| {
            base.bodyIdA = a;
            base.bodyIdB = b;
            base.localFrameA = transform(&joint.frame_a);
            base.localFrameB = transform(&joint.frame_b);
            base.collideConnected = joint.collide_connected;
        };
        // SAFETY: as above; both bodies are of this world.
        unsafe {
            match joint.kind {
                JointKind::Ball {
                    friction_torque,
                    spring,
                    cone,
                    twist,
                } => {
                    let mut def = b3::b3DefaultSphericalJointDef();
                    base(&mut def.base);
                    def.enableMotor = friction_torque > 0.0;
                    def.maxMotorTorque = friction_torque;
                    if let Some(spring) = spring {
                        def.enableSpring = true;
                        def.hertz = spring.hertz;
                        def.dampingRatio = spring.damping_ratio;
                    }
                    if let Some(cone) = cone {
                        def.enableConeLimit = true;
                        def.coneAngle = cone;
                    }
                    if let Some(twist) = twist {
                        def.enableTwistLimit = true;
                        def.lowerTwistAngle = twist.lower;
                        def.upperTwistAngle = twist.upper;
                    }
                    b3::b3CreateSphericalJoint(self.world, &def);
                }
                JointKind::Hinge {
                    limit,
                    motor,
                    spring,
                } => {
                    let mut def = b3::b3DefaultRevoluteJointDef();
                    base(&mut def.base);
                    if let Some(limit) = limit {
                        def.enableLimit = true;
                        def.lowerAngle = limit.lower;
                        def.upperAngle = limit.upper;
                    }
                    if let Some(motor) = motor {
                        def.enableMotor = true;
                        def.motorSpeed = motor.speed;
                        def.maxMotorTorque = motor.max_effort;
                    }
                    if let Some(spring) = spring {
                        def.enableSpring = true;
                        def.hertz = spring.hertz;
                        def.dampingRatio = spring.damping_ratio;
                        def.targetAngle = spring.target;
                    }
                    b3::b3CreateRevoluteJoint(self.world, &def);
                }
                JointKind::Weld { linear, angular } => {
                    let mut def = b3::b3DefaultWeldJointDef();
                    base(&mut def.base);
                    if let Some(spring) = linear {
                        def.linearHertz = spring.hertz;
                        def.linearDampingRatio = spring.damping_ratio;
                    }
                    if let Some(spring) = angular {
                        def.angularHertz = spring.hertz;
                        def.angularDampingRatio = spring.damping_ratio;
                    }
                    b3::b3CreateWeldJoint(self.world, &def);
                }
                JointKind::Distance {
                    min,
                    max,
                    rest,
                    spring,
                } => {
                    let mut def = b3::b3DefaultDistanceJointDef();
                    base(&mut def.base);
                    def.length = rest.unwrap_or(max);
                    def.minLength = min;
                    def.maxLength = max;
                    def.enableLimit = min < max;
                    // A limit only acts beside a spring, which may have no stiffness.
                    def.enableSpring = min < max;
                    if let Some(spring) = spring {
                        def.enableSpring = true;
                        def.hertz = spring.hertz;
                        def.dampingRatio = spring.damping_ratio;
                    }
                    b3::b3CreateDistanceJoint(self.world, &def);
                }
                JointKind::NoContact => {
                    let mut def = b3::b3DefaultFilterJointDef();
                    base(&mut def.base);
                    b3::b3CreateFilterJoint(self.world, &def);
                }
                // Refused before.
                JointKind::Slider { .. }
                | JointKind::Wheel(_)
                | JointKind::SixDof(_)
                | JointKind::Gear { .. }
                | JointKind::Rack { .. } => {}
            }
        }
    }
}

fn add_shape(body: b3::b3BodyId, shape: &ShapeDef, hulls: &mut Hulls) -> Result<(), Vec<String>> {
    let placed = |point: Vec3| vector(shape.pose.translation + shape.pose.rotation * point);
    let frame = transform(&shape.pose);
    // SAFETY: as above; hulls and points live through the calls, which copy them.
    unsafe {
        let mut def = b3::b3DefaultShapeDef();
        def.density = shape.material.density;
        def.baseMaterial.friction = shape.material.friction;
        def.baseMaterial.restitution = shape.material.restitution;
        def.baseMaterial.rollingResistance = shape.material.rolling_resistance;
        def.filter.categoryBits = u64::from(shape.filter.category);
        def.filter.maskBits = u64::from(shape.filter.mask);
        def.filter.groupIndex = shape.filter.group;
        match &shape.shape {
            Shape::Sphere { radius } => {
                let sphere = b3::b3Sphere {
                    center: placed(Vec3::ZERO),
                    radius: *radius,
                };
                b3::b3CreateSphereShape(body, &def, &sphere);
            }
            Shape::Capsule {
                half_height,
                radius,
            } => {
                let capsule = b3::b3Capsule {
                    center1: placed(Vec3::Y * *half_height),
                    center2: placed(Vec3::NEG_Y * *half_height),
                    radius: *radius,
                };
                b3::b3CreateCapsuleShape(body, &def, &capsule);
            }
            Shape::Box { half_extents: half } => {
                let hull = b3::b3MakeTransformedBoxHull(half.x, half.y, half.z, frame);
                b3::b3CreateHullShape(body, &def, &hull.base);
            }
            Shape::Hull(hull) => {
                let hull = hulls.get(hull)?;
                let scale = vector(Vec3::ONE);
                b3::b3CreateTransformedHullShape(body, &def, hull, frame, scale);
            }
            Shape::Mesh(mesh) if shape.pose == Pose::IDENTITY => {
                let data = hulls.mesh(Arc::as_ptr(mesh).addr(), mesh.surface())?;
                b3::b3CreateMeshShape(body, &def, data, vector(Vec3::ONE));
            }
            Shape::HeightField(field) if shape.pose == Pose::IDENTITY => {
                let data = hulls.mesh(Arc::as_ptr(field).addr(), field.surface())?;
                b3::b3CreateMeshShape(body, &def, data, vector(Vec3::ONE));
            }
            Shape::HalfSpace { .. } => {}
            other => return Err(vec![format!("a {} of this scene", other.kind_name())]),
        }
    }
    Ok(())
}

impl Hulls {
    fn get(&mut self, hull: &Arc<Hull>) -> Result<*const b3::b3HullData, Vec<String>> {
        let key = Arc::as_ptr(hull) as usize;
        if let Some(known) = self.0.get(&key) {
            return Ok(*known);
        }
        let points: Vec<b3::b3Vec3> = hull.vertices().iter().map(|p| vector(*p)).collect();
        let count = points.len() as i32;
        // SAFETY: `count` points that live through the call.
        let made = unsafe { b3::b3CreateHull(points.as_ptr(), count, count) };
        if made.is_null() {
            return Err(vec![format!("a hull of {count} vertices")]);
        }
        self.0.insert(key, made);
        Ok(made)
    }

    /// A mesh of all triangles of a surface.
    fn mesh(
        &mut self,
        key: usize,
        surface: Surface<'_>,
    ) -> Result<*const b3::b3MeshData, Vec<String>> {
        if let Some(known) = self.1.get(&key) {
            return Ok(*known);
        }
        let mut triangles = Vec::new();
        surface.triangles_in(&Aabb::INFINITE, &mut triangles);
        let count = triangles
            .iter()
            .flat_map(|t| surface.corner_ids(*t))
            .max()
            .map_or(0, |last| last as usize + 1);
        let mut vertices = vec![vector(Vec3::ZERO); count];
        let mut indices = Vec::with_capacity(3 * triangles.len());
        for triangle in &triangles {
            for (id, at) in
                (surface.corner_ids(*triangle).into_iter()).zip(surface.corners(*triangle))
            {
                vertices[id as usize] = vector(at);
                indices.push(id as i32);
            }
        }
        let def = b3::b3MeshDef {
            vertices: vertices.as_mut_ptr(),
            indices: indices.as_mut_ptr(),
            vertexCount: vertices.len() as i32,
            triangleCount: triangles.len() as i32,
            identifyEdges: true,
            ..b3::b3MeshDef::default()
        };
        // SAFETY: the arrays live through the call, which copies them.
        let made = unsafe { b3::b3CreateMesh(&def, std::ptr::null_mut(), 0) };
        if made.is_null() {
            return Err(vec![format!("a mesh of {} triangles", triangles.len())]);
        }
        self.1.insert(key, made);
        Ok(made)
    }
}

fn vector(v: Vec3) -> b3::b3Vec3 {
    b3::b3Vec3 {
        x: v.x,
        y: v.y,
        z: v.z,
    }
}

fn rotation(q: Quat) -> b3::b3Quat {
    let [x, y, z, w] = normalize(q).to_array();
    b3::b3Quat {
        v: vector(Vec3::new(x, y, z)),
        s: w,
    }
}

fn transform(pose: &Pose) -> b3::b3Transform {
    b3::b3Transform {
        p: vector(pose.translation),
        q: rotation(pose.rotation),
    }
}

impl Engine for Box3d {
    fn step(&mut self) {
        // SAFETY: the world lives until `drop`.
        unsafe { b3::b3World_Step(self.world, self.dt, self.substeps) };
    }

    fn set_target(&mut self, body: usize, target: &WorldPose) {
        let target = b3::b3WorldTransform {
            p: vector(target.position.as_vec3()),
            q: rotation(target.rotation),
        };
        if let Some(body) = self.bodies[body] {
            // SAFETY: the body lives as long as the world, or until it is removed.
            unsafe { b3::b3Body_SetTargetTransform(body, target, self.dt, true) };
        }
    }

    fn respawn(&mut self, scene: &Scene, copy: &SpawnedCopy) {
        for body in self.bodies[copy.bodies.clone()].iter().flatten() {
            // SAFETY: made by `b3CreateBody`, and destroyed once.
            unsafe { b3::b3DestroyBody(*body) };
        }
        let added = self.add(scene, copy);
        debug_assert!(added.is_ok(), "the same was added before");
    }

    fn is_awake(&self) -> bool {
        // SAFETY: the world lives until `drop`.
        unsafe { b3::b3World_GetAwakeBodyCount(self.world) > 0 }
    }

    fn collide_ms(&self) -> Option<f64> {
        // SAFETY: the world lives until `drop`.
        let profile = unsafe { b3::b3World_GetProfile(self.world) };
        Some(f64::from(profile.collide))
    }

    fn pose(&self, body: usize) -> Option<WorldPose> {
        // SAFETY: as above.
        let at = unsafe { b3::b3Body_GetTransform(self.bodies[body]?) };
        Some(WorldPose {
            position: Vec3::new(at.p.x, at.p.y, at.p.z).as_dvec3(),
            rotation: Quat::from_xyzw(at.q.v.x, at.q.v.y, at.q.v.z, at.q.s),
        })
    }
}

impl Drop for Box3d {
    fn drop(&mut self) {
        // SAFETY: made by `b3CreateWorld` and destroyed once.
        unsafe { b3::b3DestroyWorld(self.world) };
    }
}
