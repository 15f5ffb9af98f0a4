//! The mass of a body: from its shapes and their densities, or as its description says.

use drystone_geometry::glam::Vec3;
use drystone_geometry::mass::MassProperties;
use drystone_geometry::{Pose, rotation};

use crate::def::{BodyKind, MassOverride, ShapeDef};
use crate::error::DefError;
use crate::{check, tolerance};

/// Mass of a checked description, or why it has none.
pub(crate) fn mass_of(
    kind: BodyKind,
    given: Option<MassOverride>,
    shapes: &[ShapeDef],
) -> Result<MassProperties, DefError> {
    let parts: Vec<_> = shapes
        .iter()
        .filter(|part| part.material.density > 0.0 && part.shape.solid().is_some())
        .map(|part| {
            let pose = Pose {
                rotation: rotation::normalize(part.pose.rotation),
                ..part.pose
            };
            (
                bounded(part.shape.mass_properties(part.material.density)),
                pose,
            )
        })
        .collect();
    let mut mass = bounded(MassProperties::combine(&parts));
    if let Some(center) = given.and_then(|given| given.center) {
        mass.center = center;
    }
    if kind != BodyKind::Static {
        check::center_of_mass(mass.center)?;
    }
    if kind != BodyKind::Dynamic {
        return Ok(mass);
    }
    if let Some(MassOverride {
        mass: given,
        inertia,
        ..
    }) = given
    {
        match inertia {
            Some(inertia) => {
                mass.inertia = inertia;
                mass.principal_rotation = MassProperties::ZERO.principal_rotation;
            }
            None if mass.mass > 0.0 => mass.inertia *= given / mass.mass,
            None => return Err(DefError::MassAlone),
        }
        mass.mass = given;
    }
    if mass.mass <= 0.0 {
        return Err(DefError::Massless);
    }
    let moments = mass.inertia.to_array();
    let values = [("a mass", mass.mass)]
        .into_iter()
        .chain(moments.map(|moment| ("a moment of inertia", moment)));
    for (what, value) in values {
        if !(tolerance::MIN_MASS..=tolerance::MAX_MASS).contains(&value) {
            return Err(DefError::MassRange {
                what,
                value: f64::from(value),
            });
        }
    }
    Ok(mass)
}

/// What weighs more than single precision holds, such as a planet that nothing pushes, weighs
/// the most that it holds.
fn bounded(mass: MassProperties) -> MassProperties {
    MassProperties {
        mass: mass.mass.min(f32::MAX),
        inertia: mass.inertia.min(Vec3::splat(f32::MAX)),
        ..mass
    }
}
