//! Joints that are on their way: what a motor turns or a spring pulls home does not rest, however
//! slow it is. What stands against either does.

use std::f32::consts::TAU;

use drystone_geometry::glam::Vec3;
use drystone_geometry::rotation;
use drystone_geometry::tolerance::RESTING_OVERLAP;

use crate::body::StaticPose;
use crate::joint::axis::{self, Row};
use crate::joint::pair::rotation_error;
use crate::joint::prepared::Present;
use crate::joint::six_dof::Rings;
use crate::joint::{Joint, JointAxis, JointKind, JointMotor, JointSpring, distance, hinge, wheel};
use crate::tolerance::{DRIVEN_SHARE, HOME_SHARE, HOMING_SHARE};

/// Whether what moves at `rate` follows what would move it at `wanted`, both along one direction and
/// in units of which one makes a point move by `reach` metres: it does from the speed `least`, in
/// m/s, on, or from half of what is wanted.
pub fn follows(rate: f32, wanted: f32, reach: f32, least: f32) -> bool {
    let along = if wanted < 0.0 { -rate } else { rate };
    wanted != 0.0 && along > 0.0 && (along * reach > least || along >= 0.5 * wanted.abs())
}

/// From what speed on motion counts, and how far a turn moves what turns.
#[derive(Clone, Copy, Debug)]
struct Measure {
    /// In m/s.
    least: f32,
    /// In metres per radian.
    arc: f32,
    /// Error up to which a spring is home, in metres.
    near: f32,
}

impl Measure {
    fn reach(&self, is_angle: bool) -> f32 {
        if is_angle { self.arc } else { 1.0 }
    }

    fn is_driven(&self, motor: Option<JointMotor>, rate: f32, is_angle: bool) -> bool {
        motor.is_some_and(|motor| {
            let reach = self.reach(is_angle);
            motor.max_effort > 0.0 && follows(rate, motor.speed, reach, self.least)
        })
    }

    /// Whether a spring takes its error away, which changes at `rate`.
    fn is_pulled(&self, spring: Option<JointSpring>, error: Vec3, rate: Vec3, reach: f32) -> bool {
        let size = error.length();
        let Some(spring) = spring.filter(|_| size * reach > self.near) else {
            return false;
        };
        // As fast as a spring goes home on its own, by and by.
        let wanted = TAU * spring.hertz * size / (1.0 + 2.0 * spring.damping_ratio);
        let rate = -rate.dot(error) / size;
        spring.max_effort != Some(0.0)
            && (rate * reach > self.least || rate > 0.0 && rate >= HOMING_SHARE * wanted)
    }

    fn moves(&self, present: &Present, row: &Row, position: f32, axis: &JointAxis) -> bool {
        let rate = row.speed(&present.pair);
        let pulled = axis.spring.is_some_and(|spring| {
            let error = axis::spring_error(row, position, spring);
            let reach = self.reach(row.is_angle);
            self.is_pulled(axis.spring, error * Vec3::X, rate * Vec3::X, reach)
        });
        pulled || self.is_driven(axis.motor, rate, row.is_angle)
    }
}

impl Joint {
    /// Whether a motor of the joint turns or moves it, or a spring takes it to its target, if ever
    /// so slowly.
    ///
    /// The joint stands still when neither does, be it at a stop, against a load or where it
    /// belongs. Given are the poses of both bodies, their velocities (linear of the centre, and
    /// angular, in world axes), how far their surfaces reach from their centres, in metres, and the
    /// speed below which a surface rests, in m/s. Of a body that does not move the reach is 0; where
    /// neither reaches anywhere a turn counts as at 1 m.
    pub fn is_driven(
        &self,
        poses: [&StaticPose; 2],
        velocities: [[Vec3; 2]; 2],
        extents: [f32; 2],
        sleep_threshold: f32,
    ) -> bool {
        let mut present = self.at(poses[0], poses[1]);
        let pair = &mut present.pair;
        for (side, [linear, angular]) in [&mut pair.a, &mut pair.b].into_iter().zip(velocities) {
            (side.linear, side.angular) = (linear, angular);
        }
        let arc = extents[0].max(extents[1]);
        let arc = if arc > 0.0 { arc } else { 1.0 };
        let measure = Measure {
            least: DRIVEN_SHARE * sleep_threshold,
            arc,
            near: RESTING_OVERLAP.min(HOME_SHARE * arc),
        };
        moves(&self.kind, &present, &measure)
    }
}

fn moves(kind: &JointKind, present: &Present, measure: &Measure) -> bool {
    let tilt = || rotation_error(present.frame_a, present.frame_b);
    let [x, y, z] = [Vec3::X, Vec3::Y, Vec3::Z].map(|v| rotation::rotate(present.frame_a, v));
    let along = |axis: Vec3, settings: &JointAxis| {
        let row = Row::along(&present.pair, axis);
        measure.moves(present, &row, axis.dot(present.gap), settings)
    };
    let about = |axis: Vec3, angle: f32, settings: &JointAxis| {
        measure.moves(present, &Row::about(axis), angle, settings)
    };
    match *kind {
        JointKind::Ball { spring, .. } => {
            measure.is_pulled(spring, tilt(), present.pair.spin(), measure.arc)
        }
        JointKind::Hinge { .. } => kind
            .axis()
            .is_some_and(|axis| about(z, hinge::angle(present.frame_a, present.frame_b), &axis)),
        JointKind::Slider { .. } => kind.axis().is_some_and(|axis| along(z, &axis)),
        JointKind::Weld { linear, angular } => {
            let parting = present.pair.anchor_velocity();
            measure.is_pulled(linear, present.gap, parting, 1.0)
                || measure.is_pulled(angular, tilt(), present.pair.spin(), measure.arc)
        }
        JointKind::Distance {
            max, rest, spring, ..
        } => {
            let (direction, length) = distance::line(present.gap);
            let error = (length - rest.unwrap_or(max)) * direction;
            measure.is_pulled(spring, error, present.pair.anchor_velocity(), 1.0)
        }
        JointKind::Wheel(ref settings) => {
            let motor = JointAxis {
                motor: settings.motor,
                ..JointAxis::FREE
            };
            let axle = rotation::rotate(present.frame_b, Vec3::Z);
            let steering = settings.steering.unwrap_or(JointAxis::FREE);
            along(y, &settings.suspension)
                || about(y, wheel::steering_angle(present), &steering)
                || about(axle, 0.0, &motor)
        }
        JointKind::SixDof(ref settings) => {
            let rings = Rings::of(present);
            let angles = rings.angles.to_array();
            let turns = rings.rates.into_iter().zip(angles).zip(&settings.angular);
            let ways = [x, y, z].into_iter().zip(&settings.linear);
            { ways }.any(|(axis, settings)| along(axis, settings)) || { turns }
                .any(|((axis, angle), settings)| about(axis, angle, settings))
        }
        JointKind::Gear { .. } | JointKind::Rack { .. } | JointKind::NoContact => false,
    }
}
