//! The border: every description is checked here, once, before it becomes state.

use drystone_geometry::glam::{DVec3, Quat, Vec3};
use drystone_geometry::{Pose, Shape, WorldPose};

use crate::def::{BodyDef, BodyKind, MassOverride, Material, Settings, ShapeDef};
use crate::error::DefError;
use crate::mover::Mover;
use crate::tolerance;

type Checked = Result<(), DefError>;

fn fail(field: &'static str, value: f64, rule: &'static str) -> Checked {
    Err(DefError::Number { field, value, rule })
}

/// Passes a finite number within bounds that `rule` describes.
fn number(field: &'static str, value: f32, low: f32, high: f32, rule: &'static str) -> Checked {
    if value >= low && value <= high {
        Ok(())
    } else {
        fail(field, f64::from(value), rule)
    }
}

pub(crate) fn non_negative(field: &'static str, value: f32) -> Checked {
    number(field, value, 0.0, f32::MAX, "finite and at least 0")
}

/// Passes a vector with finite components no longer than a speed or force may be.
pub(crate) fn vector(field: &'static str, v: Vec3) -> Checked {
    let limit = tolerance::MAX_INPUT;
    for value in v.to_array() {
        number(field, value, -limit, limit, "finite and within +-1e15")?;
    }
    Ok(())
}

/// Passes a sum of forces or torques that did not overflow.
pub(crate) fn load(field: &'static str, v: Vec3) -> Checked {
    for value in v.to_array() {
        number(field, value, f32::MIN, f32::MAX, "finite")?;
    }
    Ok(())
}

/// Passes a position the world can represent.
pub(crate) fn position(field: &'static str, p: DVec3) -> Checked {
    for value in p.to_array() {
        if value.is_nan() || value.abs() > tolerance::MAX_COORDINATE {
            return fail(field, value, "finite and within +-1e12 m");
        }
    }
    Ok(())
}

/// Passes a position that a body of the world may have got to.
pub(crate) fn reached(field: &'static str, p: DVec3) -> Checked {
    for value in p.to_array() {
        if value.is_nan() || value.abs() > tolerance::MAX_REACHED_COORDINATE {
            return fail(field, value, "finite and within +-3e12 m");
        }
    }
    Ok(())
}

/// Passes a centre of mass, in the body's frame, that the world can represent wherever the body is.
pub(crate) fn center_of_mass(center: Vec3) -> Checked {
    let length = center.as_dvec3().length();
    if length <= tolerance::MAX_COORDINATE {
        return Ok(());
    }
    fail(
        "distance of the centre of mass from the body's position",
        length,
        "finite and at most 1e12 m",
    )
}

/// Passes a threshold whose bounds are finite and at least 0.
pub(crate) fn threshold(threshold: Option<crate::JointThreshold>) -> Checked {
    let Some(threshold) = threshold else {
        return Ok(());
    };
    let bounds = [("force", threshold.force), ("torque", threshold.torque)];
    bounds
        .into_iter()
        .try_for_each(|(field, value)| value.map_or(Ok(()), |value| non_negative(field, value)))
}

pub(crate) fn mover(mover: &Mover) -> Checked {
    Shape::capsule(mover.half_height, mover.radius)
        .check()
        .map_err(|error| DefError::Shape { index: 0, error })?;
    let Mover {
        skin,
        min_slope_cos,
        step_height,
        push_mass,
        ..
    } = *mover;
    if !(skin > 0.0 && skin < mover.radius) {
        return fail("skin", f64::from(skin), "above 0 and below the radius");
    }
    number(
        "min_slope_cos",
        min_slope_cos,
        -1.0,
        1.0,
        "between -1 and 1",
    )?;
    let (most, rule) = (tolerance::MAX_INPUT, "between 0 and 1e15 m");
    number("step_height", step_height, 0.0, most, rule)?;
    non_negative("push_mass", push_mass)
}

/// Passes the length of a step.
pub(crate) fn dt(dt: f32) -> Checked {
    number("dt", dt, 0.0, 1000.0, "between 0 and 1000 s")
}

/// Passes a speed along an axis, in m/s.
pub(crate) fn speed(field: &'static str, speed: f32) -> Checked {
    vector(field, Vec3::splat(speed))
}

/// Passes a quaternion that can be scaled to unit length.
pub(crate) fn quaternion(field: &'static str, q: Quat) -> Checked {
    let length_sq = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    number(
        field,
        length_sq,
        tolerance::MIN_QUATERNION_LENGTH_SQ,
        tolerance::MAX_INPUT,
        "a finite quaternion (x, y, z, w) that is not zero",
    )
}

pub(crate) fn world_pose(pose: &WorldPose) -> Checked {
    position("position", pose.position)?;
    quaternion("rotation", pose.rotation)
}

pub(crate) fn local_pose(pose: &Pose) -> Checked {
    vector("pose.translation", pose.translation)?;
    quaternion("pose.rotation", pose.rotation)
}

pub(crate) fn settings(settings: &Settings) -> Checked {
    vector("gravity", settings.gravity)?;
    dt(settings.dt)?;
    let substeps = settings.substeps as f32;
    number("substeps", substeps, 1.0, 64.0, "between 1 and 64")?;
    non_negative("restitution_threshold", settings.restitution_threshold)?;
    non_negative("max_push_speed", settings.max_push_speed)?;
    number(
        "hit_speed",
        settings.hit_speed,
        0.0,
        f32::INFINITY,
        "at least 0",
    )?;
    let threads = settings.threads as f32;
    number("threads", threads, 0.0, 1024.0, "between 0 and 1024")
}

pub(crate) fn material(material: &Material) -> Checked {
    non_negative("friction", material.friction)?;
    number(
        "restitution",
        material.restitution,
        0.0,
        1.0,
        "between 0 and 1",
    )?;
    non_negative("rolling_resistance", material.rolling_resistance)?;
    vector("surface_velocity", material.surface_velocity)?;
    non_negative("density", material.density)
}

/// Checks one shape of a body of the given kind.
pub(crate) fn shape(index: usize, def: &ShapeDef, kind: BodyKind) -> Checked {
    def.shape
        .check()
        .map_err(|error| DefError::Shape { index, error })?;
    if matches!(def.shape, Shape::HalfSpace { .. }) && kind != BodyKind::Static {
        return Err(DefError::MovingHalfSpace { index });
    }
    if def.shape.surface().is_some() && kind == BodyKind::Dynamic {
        return Err(DefError::DynamicSurface { index });
    }
    local_pose(&def.pose)?;
    material(&def.material)
}

pub(crate) fn body(def: &BodyDef) -> Checked {
    position("position", def.position)?;
    quaternion("rotation", def.rotation)?;
    vector("linear_velocity", def.linear_velocity)?;
    vector("angular_velocity", def.angular_velocity)?;
    non_negative("linear_damping", def.linear_damping)?;
    non_negative("angular_damping", def.angular_damping)?;
    let limit = tolerance::MAX_INPUT;
    number(
        "gravity_scale",
        def.gravity_scale,
        -limit,
        limit,
        "finite and within +-1e15",
    )?;
    non_negative("sleep_threshold", def.sleep_threshold)?;
    if let Some(given) = &def.mass {
        mass_override(given)?;
    }
    for (index, shape_def) in def.shapes.iter().enumerate() {
        shape(index, shape_def, def.kind)?;
    }
    Ok(())
}

pub(crate) fn mass_override(given: &MassOverride) -> Checked {
    mass_number("mass", given.mass)?;
    for value in given.inertia.iter().flat_map(|inertia| inertia.to_array()) {
        mass_number("inertia", value)?;
    }
    if let Some(center) = given.center {
        center_of_mass(center)?;
    }
    match given.inertia {
        Some(inertia) => moments(inertia),
        None => Ok(()),
    }
}

/// Passes moments that some body may have: mass away from one axis is away from another one too.
fn moments(inertia: Vec3) -> Checked {
    let largest = inertia.max_element();
    let others = inertia.element_sum() - largest;
    if largest <= others * (1.0 + tolerance::MOMENT_SLACK) {
        return Ok(());
    }
    Err(DefError::Inertia(inertia.to_array()))
}

/// Passes a mass or moment whose inverse is as representable as itself.
pub(crate) fn mass_number(field: &'static str, value: f32) -> Checked {
    let rule = "above 0 and between 1e-20 and 1e20";
    number(field, value, tolerance::MIN_MASS, tolerance::MAX_MASS, rule)
}
