//! Paths of kinematic bodies, as closed forms of time: no error adds up over a run.

use drystone::WorldPose;
use drystone::geometry::glam::{DVec3, Quat, Vec3};
use drystone::geometry::rotation;

/// A kinematic body and the path it follows.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Index of the body in [`crate::Scene::bodies`].
    pub body: usize,
    /// How it moves.
    pub path: Path,
    /// Time at which it starts, in seconds.
    pub start: f64,
    /// Time at which it stops and stays, in seconds.
    pub stop: Option<f64>,
}

/// How a kinematic body moves, relative to where it starts.
#[derive(Clone, Debug, PartialEq)]
pub enum Path {
    /// In a straight line.
    Steady {
        /// In m/s.
        velocity: DVec3,
    },
    /// To and fro.
    Oscillate {
        /// Farthest excursion, in metres.
        amplitude: DVec3,
        /// Time of a full swing, in seconds.
        period: f64,
        /// Where in the swing it starts, in radians.
        phase: f64,
    },
    /// Turning in place.
    Spin {
        /// Unit, in the world.
        axis: Vec3,
        /// In rad/s.
        speed: f64,
    },
    /// Round a centre without turning.
    Circle {
        /// A point of the axis, in the world, in metres.
        center: DVec3,
        /// Unit, in the world.
        axis: Vec3,
        /// In rad/s.
        speed: f64,
    },
    /// From point to point in straight lines, beginning at the start pose at time zero.
    Waypoints {
        /// Times after the start, rising, and places relative to the start.
        points: Vec<(f64, DVec3)>,
        /// Whether it begins again after the last point.
        repeat: bool,
    },
}

impl Motion {
    /// Where the body that started at `rest` is at `time`, in seconds of the run.
    pub fn pose_at(&self, rest: &WorldPose, time: f64) -> WorldPose {
        let end = self.stop.map_or(time, |stop| time.min(stop));
        let elapsed = (end - self.start).max(0.0);
        match &self.path {
            Path::Steady { velocity } => moved(rest, *velocity * elapsed),
            Path::Oscillate {
                amplitude,
                period,
                phase,
            } => {
                let angle = std::f64::consts::TAU * elapsed / period + phase;
                moved(rest, *amplitude * (libm::sin(angle) - libm::sin(*phase)))
            }
            Path::Spin { axis, speed } => {
                let turn = crate::about_axis(*axis, (speed * elapsed).to_degrees());
                let turned = rotation::multiply(turn, rest.rotation);
                WorldPose {
                    rotation: rotation::normalize(turned),
                    ..*rest
                }
            }
            Path::Circle {
                center,
                axis,
                speed,
            } => {
                let arm = rest.position - *center;
                moved(rest, turn_arm(arm, axis.as_dvec3(), speed * elapsed) - arm)
            }
            Path::Waypoints { points, repeat } => moved(rest, along(points, *repeat, elapsed)),
        }
    }
}

fn moved(rest: &WorldPose, by: DVec3) -> WorldPose {
    WorldPose {
        position: rest.position + by,
        ..*rest
    }
}

/// `arm` turned by `angle` about the unit `axis` (Rodrigues' formula).
fn turn_arm(arm: DVec3, axis: DVec3, angle: f64) -> DVec3 {
    let (sin, cos) = libm::sincos(angle);
    arm * cos + axis.cross(arm) * sin + axis * (axis.dot(arm) * (1.0 - cos))
}

/// Offset along a polyline that starts at zero at time zero.
fn along(points: &[(f64, DVec3)], repeat: bool, elapsed: f64) -> DVec3 {
    let Some(&(last, end)) = points.last() else {
        return DVec3::ZERO;
    };
    let time = if repeat { elapsed % last } else { elapsed };
    if time >= last {
        return end;
    }
    let mut from = (0.0, DVec3::ZERO);
    for &to in points {
        if time < to.0 {
            return from.1 + (to.1 - from.1) * ((time - from.0) / (to.0 - from.0));
        }
        from = to;
    }
    end
}

/// The turn of `rotation` that remains when both poses are compared, in radians.
pub(crate) fn angle_between(a: Quat, b: Quat) -> f64 {
    let part = |x: f32, y: f32| f64::from(x) * f64::from(y);
    // The vector part of a* b keeps its digits where the cosine loses them.
    let difference = rotation::multiply(rotation::conjugate(a), b);
    let [x, y, z, w] = difference.to_array();
    let sine = (part(x, x) + part(y, y) + part(z, z)).sqrt();
    2.0 * libm::atan2(sine, f64::from(w).abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn motion(path: Path) -> Motion {
        Motion {
            body: 0,
            path,
            start: 1.0,
            stop: None,
        }
    }

    /// Positions known by hand at a few times, before the start included.
    #[test]
    fn paths_pass_through_the_places_known_by_hand() {
        let rest = WorldPose::from_position(DVec3::new(2.0, 0.0, 0.0));
        let quarter = std::f64::consts::FRAC_PI_2;
        let points = vec![(1.0, DVec3::X), (3.0, DVec3::new(1.0, 4.0, 0.0))];
        for (path, time, expected) in [
            (
                Path::Steady { velocity: DVec3::Y },
                0.5,
                DVec3::new(2.0, 0.0, 0.0),
            ),
            (
                Path::Steady { velocity: DVec3::Y },
                4.0,
                DVec3::new(2.0, 3.0, 0.0),
            ),
            (
                Path::Oscillate {
                    amplitude: DVec3::Z,
                    period: 4.0,
                    phase: 0.0,
                },
                2.0,
                DVec3::new(2.0, 0.0, 1.0),
            ),
            (
                Path::Circle {
                    center: DVec3::ZERO,
                    axis: Vec3::Y,
                    speed: quarter,
                },
                2.0,
                DVec3::new(0.0, 0.0, -2.0),
            ),
            (
                Path::Waypoints {
                    points: points.clone(),
                    repeat: false,
                },
                3.0,
                DVec3::new(3.0, 2.0, 0.0),
            ),
            (
                Path::Waypoints {
                    points: points.clone(),
                    repeat: false,
                },
                9.0,
                DVec3::new(3.0, 4.0, 0.0),
            ),
            (
                Path::Waypoints {
                    points,
                    repeat: true,
                },
                4.5,
                DVec3::new(2.5, 0.0, 0.0),
            ),
        ] {
            let place = motion(path.clone()).pose_at(&rest, time).position;
            assert!(
                place.abs_diff_eq(expected, 1e-12),
                "{path:?} at {time}: {place}"
            );
        }
    }

    /// A quarter turn in a second, by hand; a stopped motion stays.
    #[test]
    fn a_spin_turns_at_its_speed_and_stops_in_time() {
        let speed = std::f64::consts::FRAC_PI_2;
        let spin = Motion {
            stop: Some(2.0),
            ..motion(Path::Spin {
                axis: Vec3::Y,
                speed,
            })
        };
        for (time, angle) in [(0.0, 0.0), (1.5, 0.25), (2.0, 0.5), (7.0, 0.5)] {
            let pose = spin.pose_at(&WorldPose::IDENTITY, time);
            let turned = angle_between(Quat::IDENTITY, pose.rotation);
            assert!(
                (turned - angle * std::f64::consts::PI).abs() < 1e-6,
                "{time}: {turned}"
            );
        }
    }
}
