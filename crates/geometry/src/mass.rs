//! Mass, centre and inertia of shapes and of bodies made of several.

mod parallel;
mod revolved;
mod steiner;

use glam::{DMat3, DVec3, Quat, Vec3};
use serde::{Deserialize, Serialize};

use crate::shape::curved::Curved;
use crate::{Pose, hull::Polytope, rotation, tolerance};

/// Mass of a body, its centre, and its principal moments of inertia.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MassProperties {
    /// In kg. Zero for a shape of zero density and for a half-space.
    pub mass: f32,
    /// Centre of mass, in the frame of the shape or body, in metres.
    pub center: Vec3,
    /// Principal moments of inertia about the centre, in kg m^2.
    pub inertia: Vec3,
    /// Takes the principal axes to the frame of the shape or body. The identity when the
    /// axes of the frame are principal already; otherwise the axes are not sorted.
    pub principal_rotation: Quat,
}

/// Volume, centre and second moments of a solid of density 1, in `f64`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solid {
    /// In m^3.
    pub volume: f64,
    /// Centre of volume, in metres.
    pub center: DVec3,
    /// Inertia about the centre at density 1 kg/m^3, in kg m^2: symmetric.
    pub inertia: DMat3,
}

impl MassProperties {
    /// No mass.
    pub const ZERO: Self = Self {
        mass: 0.0,
        center: Vec3::ZERO,
        inertia: Vec3::ZERO,
        principal_rotation: Quat::IDENTITY,
    };

    /// Whether every number is finite and none of mass and moments is negative. Shapes of
    /// planetary size at planetary density can exceed `f32`; everything smaller is valid.
    pub fn is_valid(&self) -> bool {
        let finite = self.mass.is_finite() && self.center.is_finite() && self.inertia.is_finite();
        finite && self.mass >= 0.0 && self.inertia.min_element() >= 0.0
    }

    /// The inertia about the centre along the axes of the shape's or body's frame.
    pub fn inertia_tensor(&self) -> DMat3 {
        let turn = rotation::to_dmatrix(rotation::to_double(self.principal_rotation));
        turn * DMat3::from_diagonal(self.inertia.as_dvec3()) * turn.transpose()
    }

    /// The whole of parts that are rigidly joined, each with its pose in the whole's frame.
    ///
    /// Parts without mass count for nothing; without any mass the result is
    /// [`MassProperties::ZERO`].
    pub fn combine(parts: &[(Self, Pose)]) -> Self {
        let mass: f64 = parts.iter().map(|(part, _)| f64::from(part.mass)).sum();
        if mass <= 0.0 {
            return Self::ZERO;
        }
        let center_of = |part: &Self, pose: &Pose| {
            let turn = rotation::to_dmatrix(rotation::to_double(pose.rotation));
            turn * part.center.as_dvec3() + pose.translation.as_dvec3()
        };
        let weighted = parts.iter().fold(DVec3::ZERO, |sum, (part, pose)| {
            sum + f64::from(part.mass) * center_of(part, pose)
        });
        let center = weighted / mass;
        let inertia = parts.iter().fold(DMat3::ZERO, |sum, (part, pose)| {
            let turn = rotation::to_dmatrix(rotation::to_double(pose.rotation));
            let own = turn * part.inertia_tensor() * turn.transpose();
            sum + own + point_inertia(f64::from(part.mass), center_of(part, pose) - center)
        });
        Self::from_tensor(mass, center, inertia)
    }

    /// From a mass in kg, a centre in metres and the symmetric inertia about it in kg m^2.
    pub fn from_tensor(mass: f64, center: DVec3, inertia: DMat3) -> Self {
        let (moments, axes) = principal_axes(inertia);
        Self {
            mass: mass as f32,
            center: center.as_vec3(),
            inertia: moments.max(DVec3::ZERO).as_vec3(),
            principal_rotation: rotation::to_single(rotation::from_dmatrix(axes)),
        }
    }
}

impl Solid {
    /// The mass properties at `density` kg/m^3.
    pub fn mass_properties(&self, density: f32) -> MassProperties {
        let density = f64::from(density);
        MassProperties::from_tensor(self.volume * density, self.center, self.inertia * density)
    }

    /// A ball around the origin.
    pub fn ball(radius: f64) -> Self {
        let volume = 4.0 / 3.0 * std::f64::consts::PI * radius * radius * radius;
        let moment = 0.4 * volume * radius * radius;
        Self {
            volume,
            center: DVec3::ZERO,
            inertia: DMat3::from_diagonal(DVec3::splat(moment)),
        }
    }

    /// A box around the origin.
    pub fn cuboid(half_extents: DVec3) -> Self {
        let volume = 8.0 * half_extents.x * half_extents.y * half_extents.z;
        let sq = half_extents * half_extents;
        let sums = DVec3::new(sq.y + sq.z, sq.z + sq.x, sq.x + sq.y);
        Self {
            volume,
            center: DVec3::ZERO,
            inertia: DMat3::from_diagonal(sums * (volume / 3.0)),
        }
    }

    /// A capsule along Y: a cylinder of height `2 half_height` with two half balls.
    pub fn capsule(half_height: f64, radius: f64) -> Self {
        let ball = Self::ball(radius).volume;
        let cylinder = 2.0 * std::f64::consts::PI * radius * radius * half_height;
        let (r_sq, h_sq) = (radius * radius, half_height * half_height);
        let along = cylinder * 0.5 * r_sq + ball * 0.4 * r_sq;
        // The half balls' own centres lie 3/8 of the radius outside the cylinder's ends; the
        // terms in radius squared collapse to 2/5.
        let across = cylinder * (0.25 * r_sq + h_sq / 3.0)
            + ball * (0.4 * r_sq + h_sq + 0.75 * radius * half_height);
        Self {
            volume: cylinder + ball,
            center: DVec3::ZERO,
            inertia: DMat3::from_diagonal(DVec3::new(across, along, across)),
        }
    }
}

impl Solid {
    /// A cylinder, cone or ellipsoid.
    pub fn curved(solid: &Curved) -> Self {
        match *solid {
            Curved::Cylinder {
                half_height,
                radius,
            } => Self::cylinder(half_height, radius),
            Curved::Cone {
                half_height,
                radius,
            } => Self::cone(half_height, radius),
            Curved::Ellipsoid(semi_axes) => Self::ellipsoid(semi_axes),
        }
    }

    /// A cylinder along Y.
    pub fn cylinder(half_height: f64, radius: f64) -> Self {
        let r_sq = radius * radius;
        let volume = 2.0 * std::f64::consts::PI * r_sq * half_height;
        let across = volume * (0.25 * r_sq + half_height * half_height / 3.0);
        Self {
            volume,
            center: DVec3::ZERO,
            inertia: DMat3::from_diagonal(DVec3::new(across, 0.5 * volume * r_sq, across)),
        }
    }

    /// A cone along Y, its apex at `half_height`: its centre is a quarter of the height above
    /// the base.
    pub fn cone(half_height: f64, radius: f64) -> Self {
        let r_sq = radius * radius;
        let volume = 2.0 / 3.0 * std::f64::consts::PI * r_sq * half_height;
        let across = volume * 0.15 * (r_sq + half_height * half_height);
        Self {
            volume,
            center: DVec3::new(0.0, -0.5 * half_height, 0.0),
            inertia: DMat3::from_diagonal(DVec3::new(across, 0.3 * volume * r_sq, across)),
        }
    }

    /// An ellipsoid around the origin.
    pub fn ellipsoid(semi_axes: DVec3) -> Self {
        let volume = 4.0 / 3.0 * std::f64::consts::PI * semi_axes.x * semi_axes.y * semi_axes.z;
        let sq = semi_axes * semi_axes;
        let sums = DVec3::new(sq.y + sq.z, sq.z + sq.x, sq.x + sq.y);
        Self {
            volume,
            center: DVec3::ZERO,
            inertia: DMat3::from_diagonal(sums * (0.2 * volume)),
        }
    }

    /// A capsule between two points; a ball when they are one.
    pub fn capsule_between(a: DVec3, b: DVec3, radius: f64) -> Self {
        let axis = b - a;
        let length = axis.length();
        let upright = Self::capsule(0.5 * length, radius);
        let (across, along) = (upright.inertia.x_axis.x, upright.inertia.y_axis.y);
        let unit = axis.normalize_or(DVec3::Y);
        Self {
            center: 0.5 * (a + b),
            inertia: DMat3::from_diagonal(DVec3::splat(across))
                + outer(unit, unit) * (along - across),
            ..upright
        }
    }

    /// A cylinder, cone or ellipsoid with a layer of thickness `radius` around it.
    pub fn rounded_curved(solid: &Curved, radius: f64) -> Self {
        match (revolved::rounded(solid, radius), *solid) {
            (Some(solid), _) => solid,
            (None, Curved::Ellipsoid(semi_axes)) => parallel::ellipsoid(semi_axes, radius),
            (None, _) => Self::curved(solid),
        }
    }

    /// A polytope with a layer of thickness `radius` around it. `interior` is the solid inside
    /// its faces, none for a flat one.
    pub fn rounded_polytope(polytope: &Polytope<'_>, interior: Option<&Self>, radius: f64) -> Self {
        steiner::grown(polytope, interior, radius)
    }
}

/// Inertia of a point mass at `offset` from the axis' origin.
fn point_inertia(mass: f64, offset: DVec3) -> DMat3 {
    let sq = offset.length_squared();
    DMat3::from_diagonal(DVec3::splat(mass * sq)) - outer(offset, offset) * mass
}

/// The matrix `a b^T`.
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Volume, centre and inertia inside a closed triangulated surface, by signed tetrahedra
/// from one of its corners, which keeps a hull far from its origin as exact as one at it.
///
/// Tonon, *Explicit exact formulas for the 3-D tetrahedron inertia tensor* (2005).
pub(crate) fn of_triangles(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Solid {
    let middle = vertices
        .iter()
        .fold(DVec3::ZERO, |sum, v| sum + v.as_dvec3())
        / vertices.len() as f64;
    let corner = |v: u32| vertices[v as usize].as_dvec3() - middle;
    let mut six_volumes = 0.0;
    let mut first_moment = DVec3::ZERO;
    let mut second_moment = DMat3::ZERO;
    for &[a, b, c] in triangles {
        let (a, b, c) = (corner(a), corner(b), corner(c));
        let six_volume = a.dot(b.cross(c));
        let sum = a + b + c;
        six_volumes += six_volume;
        first_moment += six_volume * sum;
        let squares = outer(a, a) + outer(b, b) + outer(c, c) + outer(sum, sum);
        second_moment += squares * six_volume;
    }
    let volume = six_volumes / 6.0;
    let offset = first_moment / (4.0 * six_volumes);
    let covariance = second_moment * (1.0 / 120.0) - outer(offset, offset) * volume;
    let trace = covariance.x_axis.x + covariance.y_axis.y + covariance.z_axis.z;
    Solid {
        volume,
        center: middle + offset,
        inertia: DMat3::from_diagonal(DVec3::splat(trace)) - covariance,
    }
}

/// Eigenvalues and eigenvectors (the columns of a rotation) of a symmetric matrix, by
/// Jacobi's rotations in a fixed order. A matrix that is diagonal up to rounding keeps the
/// identity.
///
/// Golub and Van Loan, *Matrix Computations* (2013), section 8.5.
pub fn principal_axes(matrix: DMat3) -> (DVec3, DMat3) {
    // Quadratic convergence: five sweeps reach rounding from any start, twelve are safe.
    const SWEEPS: usize = 12;
    let mut m = [
        matrix.x_axis.to_array(),
        matrix.y_axis.to_array(),
        matrix.z_axis.to_array(),
    ];
    let mut axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let trace = m[0][0].abs() + m[1][1].abs() + m[2][2].abs();
    for _ in 0..SWEEPS {
        let off = m[0][1].abs() + m[0][2].abs() + m[1][2].abs();
        if off <= tolerance::DIAGONAL_RATIO * trace {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotate_away(&mut m, &mut axes, p, q);
        }
    }
    let axis = |i: usize| DVec3::from_array(axes[i]);
    (
        DVec3::new(m[0][0], m[1][1], m[2][2]),
        DMat3::from_cols(axis(0), axis(1), axis(2)),
    )
}

/// One Jacobi rotation, which makes `m[p][q]` zero. `axes[i]` is the i-th eigenvector so far.
fn rotate_away(m: &mut [[f64; 3]; 3], axes: &mut [[f64; 3]; 3], p: usize, q: usize) {
    if m[p][q] == 0.0 {
        return;
    }
    let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
    let root = (theta * theta + 1.0).sqrt();
    let tangent = if theta >= 0.0 {
        1.0 / (theta + root)
    } else {
        1.0 / (theta - root)
    };
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    let r = 3 - p - q;
    let change = tangent * m[p][q];
    m[p][p] -= change;
    m[q][q] += change;
    m[p][q] = 0.0;
    m[q][p] = 0.0;
    let (rp, rq) = (m[r][p], m[r][q]);
    m[r][p] = cosine * rp - sine * rq;
    m[p][r] = m[r][p];
    m[r][q] = sine * rp + cosine * rq;
    m[q][r] = m[r][q];
    let (ap, aq) = (DVec3::from_array(axes[p]), DVec3::from_array(axes[q]));
    axes[p] = (cosine * ap - sine * aq).to_array();
    axes[q] = (sine * ap + cosine * aq).to_array();
}
