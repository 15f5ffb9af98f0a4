//! How strongly the surface of a solid bends: what a contact point does while the solid rolls.

use glam::DVec3;

use super::curved::Curved;
use crate::tolerance::FLAT_RIM_SINE;

/// How the farthest point of a solid along a direction moves as the direction turns: by the
/// radius of curvature times the turn, in two directions that do not mix. These are the
/// eigenvectors of the second derivative of the support function.
///
/// Zero at corners, which stay where they are, and on flat faces and lines, where the farthest
/// point is not one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bend {
    /// Unit, tangent to the surface; zero where nothing bends.
    pub across: DVec3,
    /// Radius of curvature in that direction, in metres.
    pub radius_across: f64,
    /// Radius of curvature at a right angle to it, in metres.
    pub radius_along: f64,
}

impl Curved {
    /// The bend at `point` of the surface, whose normal is the unit `outward`, all in the solid's
    /// own frame. Exact to the first order in turns of the direction.
    ///
    /// Of cylinders and cones `across` runs round the axis, along which they are straight; at an
    /// angle below [`FLAT_RIM_SINE`] to the axis a rim counts as less and less round, since
    /// there its point moves too fast for any radius to tell.
    pub fn bend(&self, outward: DVec3, point: DVec3) -> Bend {
        match *self {
            Self::Cylinder { .. } | Self::Cone { .. } => {
                let level = DVec3::new(outward.x, 0.0, outward.z);
                let sine = level.length();
                if sine <= 0.0 {
                    return Bend::default();
                }
                let arm = DVec3::new(point.x, 0.0, point.z).length();
                let steepness = if sine < FLAT_RIM_SINE {
                    sine / (FLAT_RIM_SINE * FLAT_RIM_SINE)
                } else {
                    1.0 / sine
                };
                Bend {
                    across: DVec3::new(outward.z, 0.0, -outward.x) / sine,
                    radius_across: arm * steepness,
                    radius_along: 0.0,
                }
            }
            Self::Ellipsoid(semi_axes) => ellipsoid(semi_axes, outward),
        }
    }
}

/// With `h = |E n|`, the support function of semi-axes `E`: its second derivative is
/// `(E^2 - s s^T) / h`, where `s = E^2 n / h` is the point.
fn ellipsoid(semi_axes: DVec3, outward: DVec3) -> Bend {
    let reach = (semi_axes * outward).length();
    if reach <= 0.0 {
        return Bend::default();
    }
    let point = semi_axes * (semi_axes * outward) / reach;
    let first = outward.any_orthonormal_vector();
    let second = outward.cross(first);
    let entry = |u: DVec3, v: DVec3| {
        ((semi_axes * u).dot(semi_axes * v) - point.dot(u) * point.dot(v)) / reach
    };
    let (xx, xy, yy) = (
        entry(first, first),
        entry(first, second),
        entry(second, second),
    );
    let mean = 0.5 * (xx + yy);
    let half = 0.5 * (xx - yy);
    let spread = (half * half + xy * xy).sqrt();
    // Of both ways to write the eigenvector, the one that does not cancel.
    let (u, v) = if half >= 0.0 {
        (spread + half, xy)
    } else {
        (xy, spread - half)
    };
    let across = (u * first + v * second).try_normalize().unwrap_or(first);
    Bend {
        across,
        radius_across: mean + spread,
        radius_along: (mean - spread).max(0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bend against the difference of two supports, over directions all round. The
    /// remainder is of second order in the turn.
    #[test]
    fn the_farthest_point_moves_as_the_bend_says() {
        let solids = [
            Curved::cylinder(0.7, 0.4),
            Curved::cone(0.6, 0.5),
            Curved::Ellipsoid(DVec3::new(0.6, 0.3, 0.9)),
            Curved::Ellipsoid(DVec3::splat(0.5)),
            Curved::Ellipsoid(DVec3::new(0.5, 0.5, 0.1)),
        ];
        let turn = 1e-6;
        for solid in solids {
            for i in 0..200 {
                let t = f64::from(i);
                let direction = DVec3::new(
                    libm::sin(1.7 * t),
                    libm::cos(2.3 * t),
                    libm::sin(0.9 * t + 1.0),
                );
                let outward = direction.normalize();
                let point = solid.support(outward);
                let bend = solid.bend(outward, point);
                let along = outward.cross(bend.across);
                for (aside, radius) in [
                    (bend.across, bend.radius_across),
                    (along, bend.radius_along),
                ] {
                    let moved = solid.support(outward + turn * aside) - point;
                    let expected = turn * radius * aside;
                    assert!(
                        (moved - expected).length() < 1e-9,
                        "{solid:?} along {outward}: {moved} is not {expected}"
                    );
                }
            }
        }
    }

    /// The ellipsoid of the rocking scene on its flat side: by hand, `a^2 / b`.
    #[test]
    fn a_flat_ellipsoid_bends_by_the_square_over_its_height() {
        let solid = Curved::Ellipsoid(DVec3::new(0.6, 0.3, 0.6));
        let bend = solid.bend(DVec3::NEG_Y, DVec3::new(0.0, -0.3, 0.0));
        assert!((bend.radius_across - 1.2).abs() < 1e-12);
        assert!((bend.radius_along - 1.2).abs() < 1e-12);
    }
}
