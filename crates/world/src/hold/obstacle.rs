//! What is in the way of a core, and how it moves through the step.

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{Frame, Shape};
use drystone_narrow_phase::Motion;
use drystone_solver::Body;

use crate::continuous::Sweep;
use crate::graze::turn_that_shows;
use crate::record::{ShapeRecord, origin_pose};

/// A shape and its way through the step that was just solved.
pub(super) struct Obstacle<'a> {
    pub(super) shape: &'a ShapeRecord,
    motion: Motion,
}

impl<'a> Obstacle<'a> {
    /// That of a static body.
    pub(super) fn still(shape: &'a ShapeRecord) -> Self {
        Self {
            shape,
            motion: Motion::still(shape.rest_frame),
        }
    }

    /// That of a kinematic body, whose centre of mass is at `center` in its own frame, after `dt`
    /// seconds. It moved steadily, so its motion backwards tells where it was.
    pub(super) fn driven(shape: &'a ShapeRecord, body: &Body, center: Vec3, dt: f32) -> Self {
        let end = shape.frame_on(&origin_pose(body, center).to_frame());
        let linear = body.linear_velocity.as_dvec3() * f64::from(dt);
        let angular = body.angular_velocity.as_dvec3() * f64::from(dt);
        let back = Motion {
            start: end,
            center: end.inverse_transform_point(body.center),
            linear: -linear,
            angular: -angular,
        };
        Self::moving(shape, back.at(1.0), body.center - linear, linear, angular)
    }

    /// That of a body whose centre moves from `center` by `linear` metres while it turns by the
    /// rotation vector `angular`.
    pub(super) fn moving(
        shape: &'a ShapeRecord,
        start: Frame,
        center: DVec3,
        linear: DVec3,
        angular: DVec3,
    ) -> Self {
        Self {
            shape,
            motion: Motion {
                start,
                center: start.inverse_transform_point(center),
                linear,
                angular: turn_that_shows(shape, &start, angular),
            },
        }
    }

    pub(super) fn sweep(&self) -> Sweep<'_> {
        Sweep {
            shape: &self.shape.shape,
            motion: self.motion,
            turning: 0.0,
            extent: 0.0,
        }
    }

    /// Where it is at the end of the step, at rest.
    pub(super) fn sweep_at_end(&self) -> Sweep<'_> {
        Sweep {
            motion: Motion::still(self.motion.at(1.0)),
            ..self.sweep()
        }
    }

    pub(super) fn start(&self) -> &Frame {
        &self.motion.start
    }

    /// Whether it stays where it is.
    pub(super) fn is_still(&self) -> bool {
        self.motion.linear == DVec3::ZERO && self.motion.angular == DVec3::ZERO
    }

    /// Velocity of a point of it at the end of the step, which takes `dt` seconds, in m/s.
    pub(super) fn velocity_at(&self, point: DVec3, dt: f32) -> Vec3 {
        let motion = &self.motion;
        let center = motion.start.transform_point(motion.center) + motion.linear;
        let way = motion.linear + motion.angular.cross(point - center);
        (way / f64::from(dt)).as_vec3()
    }

    /// Where it takes a point, and a direction, from `time` until the end of the step.
    pub(super) fn carry(&self, time: f64, point: DVec3, direction: DVec3) -> (DVec3, DVec3) {
        let (then, end) = (self.motion.at(time), self.motion.at(1.0));
        let point = end.transform_point(then.inverse_transform_point(point));
        (point, end.rotate(then.inverse_rotate(direction)))
    }
}

/// The way of a centre past something that moves.
pub(super) struct Past {
    /// In metres, in the axes of the world.
    pub(super) way: DVec3,
    /// How far the true way may leave that, in metres.
    pub(super) bent: f64,
}

impl Past {
    /// Of a centre from `start` by `way` past what moves from `center` by `linear` metres and turns by
    /// the rotation vector `angular`.
    #[inline]
    pub(super) fn of(
        (start, way): (DVec3, DVec3),
        center: DVec3,
        linear: DVec3,
        angular: DVec3,
    ) -> Self {
        let arm = start - center;
        let past = way - (linear + angular.cross(arm));
        Self {
            way: past,
            // An arc leaves its tangent by half the square of the angle at most; in axes that turn,
            // a straight way leaves its chord by a quarter of the angle times its length.
            bent: 0.5 * angular.length_squared() * arm.length()
                + 0.25 * angular.length() * past.length(),
        }
    }

    /// No less than its length, in metres.
    #[inline]
    pub(super) fn reach(&self) -> f64 {
        self.way.length() + self.bent
    }

    /// Whether a ball that ends at `end` in the frame `at` of a shape, there at the end of the step,
    /// may have met the box around it.
    pub(super) fn may_meet(&self, shape: &Shape, at: &Frame, end: DVec3, radius: f64) -> bool {
        let end = at.inverse_transform_point(end);
        let start = end - at.inverse_rotate(self.way);
        let bounds = shape.bounds_in(&Frame::IDENTITY);
        // The start is off by that too, and sweeps end a little before they touch.
        let near = 2.0 * radius + 2.0 * self.bent;
        let (low, high) = (start.min(end) - near, start.max(end) + near);
        low.cmple(bounds.max).all() && high.cmpge(bounds.min).all()
    }
}
