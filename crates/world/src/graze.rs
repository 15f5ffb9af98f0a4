//! Grazes: what passes an edge does not bump into it.
//!
//! A contact point with a gap says "no closer than this along that normal", and holds for a whole
//! step. But as a shape moves straight past another, their distance is a convex function of time
//! (Boyd and Vandenberghe, *Convex Optimization* (2004), section 3.2.5), so its tangent now is
//! below it later: a ball over flush tiles is headed for the edge of the next tile as far as the
//! normal of now can tell, though it will pass above. The tangent at the moment at which they are
//! nearest is level: it takes nothing from the way. So where a contact would act on shapes that
//! merely move on as they do, the distance along their ways is looked at, to the end of the
//! sub-step after the step, as far as contacts look. If they never come to overlap by more than
//! touching shapes may, the contact acts in this step with the normal of that moment. Distances
//! are signed, so this also tells a box that rests a little deeper than the tile in front of it
//! from one that runs into a wall, and what has passed a whole tile within a step from what
//! leaves it.
//!
//! Nothing tunnels: no point is left out, the plane of that moment still stands between
//! the shapes, and what is left of an overlap, a fraction of the margin and of the thinner shape,
//! is for the contact of the next step. What turns so far within a step that its way bends keeps
//! the contact it has. Gravity is left out of the ways, as what it does to a body that lies on
//! something is undone in the same step. Ways and normals are measured against the ground where it
//! moves: what rides on a turning drum passes nothing, and a wall that turns keeps its normal.

mod rise;
mod surface;

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{Frame, Shape, rotation};
use drystone_narrow_phase::{Counters, Tracker, distance_tracked};
use drystone_solver::{Body, Contact};

use crate::continuous::{Pair, Sweep, Way};
use crate::def::Settings;
use crate::record::ShapeRecord;
use crate::tolerance::{
    GRAZE_BUMP, GRAZE_CREEP_SQ, GRAZE_DEPTH, GRAZE_DEPTH_TO_RADIUS, GRAZE_FACES, GRAZE_LOSS,
    GRAZE_ROUNDS, GRAZE_SLOPE, GRAZE_SURELY, GRAZE_TRUTH, GRAZE_TURN_SINE_SQ, GRAZE_WAY,
    WALL_COSINE_SQ,
};

/// Two shapes whose contact may act though they would pass each other.
pub(crate) struct Graze<'a> {
    pub(crate) shapes: [&'a ShapeRecord; 2],
    pub(crate) frames: [&'a Frame; 2],
    /// Of the pair: where searches start.
    pub(crate) tracker: &'a Tracker,
    /// Those that are awake.
    pub(crate) bodies: [Option<&'a Body>; 2],
    pub(crate) settings: &'a Settings,
}

/// The shapes at a moment of their ways.
#[derive(Clone, Copy, Debug)]
struct Probe {
    /// From 0 to 1, the end of the ways.
    time: f64,
    /// Signed distance, in metres.
    gap: f64,
    /// Its change in metres per step.
    slope: f64,
    /// From A to B, in world axes.
    normal: DVec3,
}

impl Graze<'_> {
    /// Whether the bodies move past each other by enough for a bump to show: what rests costs no
    /// more than this. What is slower than to hop is still stopped, by a contact that stands across its
    /// way like a wall.
    #[inline]
    pub(crate) fn moves(&self, acting: &Contact) -> bool {
        let (way, least) = (
            self.velocity() * self.settings.dt,
            GRAZE_WAY * self.margin(),
        );
        let (way_sq, least_sq) = (way.length_squared(), least * least);
        way_sq > least_sq
            || (way_sq > GRAZE_CREEP_SQ * least_sq && self.is_wall(acting.normal, way))
    }

    /// Whether a normal is rather along the way of the bodies than across it, and across gravity than
    /// along it.
    fn is_wall(&self, normal: Vec3, way: Vec3) -> bool {
        let (ahead, down) = (normal.dot(way), normal.dot(self.settings.gravity));
        let gravity_sq = self.settings.gravity.length_squared();
        ahead * ahead > WALL_COSINE_SQ * way.length_squared()
            && down * down < WALL_COSINE_SQ * gravity_sq
    }

    /// The side of what bodies pass: that of the body which nothing pushes, or else of the lower shape.
    #[inline]
    fn ground(&self) -> usize {
        match self.bodies {
            [Some(a), Some(b)] if a.is_dynamic() && b.is_dynamic() => {
                lower(self.frames, self.settings)
            }
            [a, _] => usize::from(a.is_some_and(Body::is_dynamic)),
        }
    }

    /// Of the centre of what passes, past what the [ground](Self::ground) carries along there, in
    /// m/s: what rides on a drum that turns passes nothing.
    #[inline]
    fn velocity(&self) -> Vec3 {
        let ground = self.ground();
        let mut velocity = Vec3::ZERO;
        let mut arm = Vec3::ZERO;
        if let Some(passing) = self.bodies[1 - ground] {
            velocity = passing.linear_velocity;
            if let Some(ground) = self.bodies[ground] {
                arm = (passing.center - ground.center).as_vec3();
            }
        }
        if let Some(ground) = self.bodies[ground] {
            velocity -= ground.linear_velocity + ground.angular_velocity.cross(arm);
        }
        velocity
    }

    /// The contact for this step of shapes that would pass each other in spite of `acting`, the
    /// contact they would have in it; `contact` is the one they have now.
    #[cold]
    pub(crate) fn eased(&self, contact: &Contact, acting: &Contact) -> Option<Contact> {
        // A face that slides on has the normal it has.
        let bump = self.bump(acting, acting.count <= 2)?;
        let sweeps = self.ways()?;
        if self.sinks(&sweeps, acting) {
            return None;
        }
        let nearest = self.nearest(&sweeps)?;
        let turned = self.turned(&sweeps, &nearest, acting.normal.as_dvec3());
        turned.then(|| self.passing(&sweeps, &nearest, bump, contact, acting))?
    }

    /// Whether the normal of a moment is not `now` any more.
    fn turned(&self, sweeps: &[Sweep<'_>; 2], at: &Probe, now: DVec3) -> bool {
        // A normal that turns with the ground is the same.
        let then = unturned(&sweeps[self.ground()], at);
        then.cross(now).length_squared() >= GRAZE_TURN_SINE_SQ || then.dot(now) <= 0.0
    }

    /// Both ways, unless one of them bends by more than shows.
    fn ways(&self) -> Option<[Sweep<'_>; 2]> {
        let sweeps = [0, 1].map(|side| self.coasting(side));
        let depth = self.depth();
        let straight = sweeps.iter().all(|sweep| bent(sweep) <= depth);
        straight.then_some(sweeps)
    }

    /// The contact of shapes that are `nearest` on their ways, in the place of `acting`, which pushes
    /// them by `bump` metres.
    fn passing(
        &self,
        sweeps: &[Sweep<'_>; 2],
        nearest: &Probe,
        bump: f32,
        contact: &Contact,
        acting: &Contact,
    ) -> Option<Contact> {
        // What the contact takes from the way has to be mostly an error of its normal.
        let gaps = acting.points().iter().map(|point| point.separation);
        let gap = f64::from(gaps.fold(0.0, f32::min));
        if gap - nearest.gap > GRAZE_TRUTH * f64::from(bump) {
            return None;
        }
        let pair = Pair {
            shapes: self.shapes,
            sweeps: [&sweeps[0], &sweeps[1]],
            simd: self.settings.simd,
        };
        let mut tracker = Tracker::default();
        let (passing, _) = pair.contact_at(nearest.time, nearest.gap, contact, &mut tracker);
        (passing.count > 0).then_some(passing)
    }

    /// The moment at which the shapes are nearest on their ways; `None` when they overlap by more
    /// than shapes that pass may.
    fn nearest(&self, sweeps: &[Sweep<'_>; 2]) -> Option<Probe> {
        let way = self.velocity().as_dvec3().length() * f64::from(self.horizon());
        nearest(sweeps, *self.tracker, way, self.depth())
    }

    /// Whether a point of the contact comes to lie deeper in the other shape than may be at the end
    /// of the ways. The shapes then overlap by more, and nothing has to be searched to know that.
    fn sinks(&self, sweeps: &[Sweep<'_>; 2], contact: &Contact) -> bool {
        let depth = self.depth();
        let frames = [0, 1].map(|side| sweeps[side].motion.at(1.0));
        contact.anchors().iter().any(|anchors| {
            [anchors.a, anchors.b]
                .into_iter()
                .zip(0..)
                .any(|(anchor, side): (_, usize)| {
                    let own = self.shapes[side]
                        .center_pose
                        .inverse_transform_point(anchor);
                    let point = frames[side].transform_point(own.as_dvec3());
                    let point = frames[1 - side].inverse_transform_point(point);
                    depth_in(&self.shapes[1 - side].shape, point) > GRAZE_SURELY * depth
                })
        })
    }

    /// How far a contact pushes shapes that move on as they do, and as gravity asks if it is asked, in
    /// metres; `None` when that is next to nothing, or the contact already has to part them.
    fn bump(&self, contact: &Contact, is_pulled: bool) -> Option<f32> {
        let depth = self.depth() as f32;
        let [a, b] = self.bodies;
        let pull = if is_pulled {
            // What carries it is held up itself.
            let ground = self.ground();
            let pull = self.pull(contact.normal, self.bodies[1 - ground]);
            if ground == 0 { -pull } else { pull }
        } else {
            0.0
        };
        let mut bump: f32 = 0.0;
        for (point, anchors) in contact.points().iter().zip(contact.anchors()) {
            if point.separation <= -depth {
                return None;
            }
            let velocity = velocity_at(a, anchors.a) - velocity_at(b, anchors.b);
            let closing = (contact.normal.dot(velocity) + pull) * self.horizon();
            bump = bump.max(closing - point.separation.max(0.0));
        }
        (bump > self.least_bump()).then_some(bump)
    }

    /// Above next to nothing, in metres.
    fn least_bump(&self) -> f32 {
        // What is taken from the way in a sub-step is taken from the speed.
        let substep = self.settings.dt / self.settings.substeps as f32;
        let lost = GRAZE_LOSS * substep * self.velocity().length();
        lost.min(GRAZE_BUMP * self.margin())
    }

    /// What gravity adds to the speed of a body along a normal before what carries it answers, in
    /// m/s.
    fn pull(&self, normal: Vec3, body: Option<&Body>) -> f32 {
        let gravity = self.settings.gravity;
        let aside = normal.cross(gravity).length_squared();
        let level = GRAZE_TURN_SINE_SQ as f32 * gravity.length_squared();
        match body.filter(|body| body.is_dynamic()) {
            Some(body) if aside > level => {
                let gain = body.gravity_scale * self.horizon() * body.locks.free_translation();
                normal.dot(gain * gravity)
            }
            _ => 0.0,
        }
    }

    /// How far ahead contacts look, in s: the solver's last pass over a step asks that nothing
    /// overlaps a sub-step later either.
    #[inline]
    fn horizon(&self) -> f32 {
        let Settings { dt, substeps, .. } = *self.settings;
        dt + dt / substeps as f32
    }

    /// In metres, as of any contact of the pair.
    fn margin(&self) -> f32 {
        self.shapes[0].margin.min(self.shapes[1].margin)
    }

    /// Overlap in metres that shapes which pass may come to.
    fn depth(&self) -> f64 {
        // Where the sheet of a triangle is passed, the depth is that of the other shape in it.
        let radii = self.shapes.map(|shape| match shape.shape {
            Shape::Triangle { .. } => f32::INFINITY,
            _ => shape.shape.inner_radius(),
        });
        let thin = GRAZE_DEPTH_TO_RADIUS * radii[0].min(radii[1]);
        f64::from(thin.min(GRAZE_DEPTH * self.margin()))
    }

    /// The way of a shape that moves on as it does. The turn of a round one about its own axis is
    /// left out: it does not show.
    fn coasting(&self, side: usize) -> Sweep<'_> {
        let (record, body) = (self.shapes[side], self.bodies[side]);
        let velocity = body.map_or(Vec3::ZERO, |body| body.linear_velocity);
        let way = Way::at_speed(body, velocity, self.horizon());
        let mut sweep = Sweep::new(&record.shape, self.frames[side], &way);
        let angular = sweep.motion.angular;
        sweep.motion.angular = turn_that_shows(record, self.frames[side], angular);
        sweep
    }
}

/// The side of the shape that is lower.
#[inline]
pub(crate) fn lower([a, b]: [&Frame; 2], settings: &Settings) -> usize {
    let down = (b.translation - a.translation).as_vec3();
    usize::from(down.dot(settings.gravity) > 0.0)
}

/// A rotation vector of a shape in `frame` without the turn of a round one about its own axis.
pub(crate) fn turn_that_shows(record: &ShapeRecord, frame: &Frame, angular: DVec3) -> DVec3 {
    let pose = &record.center_pose;
    let center = rotation::rotate_inverse(pose.rotation, pose.translation);
    match record.shape {
        Shape::Sphere { .. } if center == Vec3::ZERO => DVec3::ZERO,
        Shape::Capsule { .. } | Shape::Cylinder { .. } | Shape::Cone { .. }
            if center.x == 0.0 && center.z == 0.0 =>
        {
            let axis = frame.rotation.y_axis;
            angular - axis * axis.dot(angular)
        }
        _ => angular,
    }
}

/// Velocity of the point of a body at an anchor, in m/s; zero of one that is not awake.
pub(crate) fn velocity_at(body: Option<&Body>, anchor: Vec3) -> Vec3 {
    body.map_or(Vec3::ZERO, |body| {
        let arm = rotation::rotate(body.rotation, anchor);
        body.linear_velocity + body.angular_velocity.cross(arm)
    })
}

/// How far points of a shape on its way leave their tangents, at most, in metres: an arc does by
/// half the square of its angle.
fn bent(sweep: &Sweep<'_>) -> f64 {
    0.5 * sweep.motion.angular.length_squared() * sweep.extent
}

/// Least distance in metres of a point from the outside of a ball, a capsule or a shape with few
/// faces; below all others where it is not known.
fn depth_in(shape: &Shape, point: DVec3) -> f64 {
    match shape {
        Shape::Sphere { radius } => f64::from(*radius) - point.length(),
        Shape::Capsule {
            half_height,
            radius,
        } => {
            let half_height = f64::from(*half_height);
            let on_axis = DVec3::Y * point.y.clamp(-half_height, half_height);
            f64::from(*radius) - (point - on_axis).length()
        }
        Shape::Box { half_extents } => (half_extents.as_dvec3() - point.abs()).min_element(),
        Shape::Hull(hull) if hull.faces().len() <= GRAZE_FACES => {
            let beneath = hull
                .faces()
                .iter()
                .map(|face| face.offset - face.normal.dot(point));
            beneath.fold(f64::INFINITY, f64::min)
        }
        _ => f64::NEG_INFINITY,
    }
}

/// The normal of a moment, as it is at the start on what carries it along `sweep`.
fn unturned(sweep: &Sweep<'_>, at: &Probe) -> DVec3 {
    if sweep.motion.angular == DVec3::ZERO {
        return at.normal;
    }
    let then = sweep.motion.at(at.time);
    sweep.motion.start.rotate(then.inverse_rotate(at.normal))
}

fn probe(sweeps: &[Sweep<'_>; 2], tracker: &mut Tracker, time: f64) -> Probe {
    let [a, b] = sweeps;
    let [frame_a, frame_b] = [a.motion.at(time), b.motion.at(time)];
    let b_in_a = Frame::relative(&frame_a, &frame_b);
    let found = distance_tracked(a.shape, b.shape, &b_in_a, tracker, &mut Counters::default());
    let normal = frame_a.rotate(found.normal);
    let speed = |sweep: &Sweep<'_>, frame: &Frame, point: DVec3| {
        let arm = frame_a.transform_point(point) - frame.transform_point(sweep.motion.center);
        normal.dot(sweep.motion.linear + sweep.motion.angular.cross(arm))
    };
    Probe {
        time,
        gap: found.distance(),
        slope: speed(b, &frame_b, found.point_b) - speed(a, &frame_a, found.point_a),
        normal,
    }
}

/// The moment at which shapes on their ways of `way` metres are nearest; `None` when they overlap
/// by more than `depth` metres on them, or meet in an impact at their end.
///
/// A convex function lies above its tangents, so where those of two moments cross is a bound; each
/// further moment is taken there (Kelley, *The Cutting-Plane Method*, 1960). When that comes
/// to no end, the most level one counts.
fn nearest(sweeps: &[Sweep<'_>; 2], mut tracker: Tracker, way: f64, depth: f64) -> Option<Probe> {
    let mut high = probe(sweeps, &mut tracker, 1.0);
    let is_impact = high.gap <= 0.0 && high.slope < -GRAZE_SLOPE * way;
    if high.gap < -depth || is_impact {
        return None;
    }
    let level = GRAZE_TURN_SINE_SQ.sqrt() * way;
    if high.slope <= level {
        return Some(high);
    }
    let mut low = probe(sweeps, &mut tracker, 0.0);
    for _ in 0..GRAZE_ROUNDS {
        if low.slope >= -level {
            return Some(low);
        }
        let between = high.gap - low.gap + low.slope * low.time - high.slope * high.time;
        let time = between / (low.slope - high.slope);
        if time <= low.time || time >= high.time {
            break;
        }
        let middle = probe(sweeps, &mut tracker, time);
        if middle.gap < -depth {
            return None;
        }
        if middle.slope > level {
            high = middle;
        } else {
            low = middle;
        }
    }
    let best = if -low.slope < high.slope { low } else { high };
    (best.slope.abs() < GRAZE_SLOPE * way).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ShapeKey;
    use crate::def::ShapeDef;

    /// A drum that turns at 1 rad/s, and a body at its wall, 16 m from the axis.
    #[test]
    fn what_a_drum_carries_passes_nothing() {
        let drum = Body {
            inverse_mass: 0.0,
            inverse_inertia: Vec3::ZERO,
            angular_velocity: Vec3::Z,
            ..Body::default()
        };
        let rider = |speed: f32| Body {
            center: DVec3::new(0.0, -16.0, 0.0),
            linear_velocity: Vec3::new(speed, 0.0, 0.0),
            ..Body::default()
        };
        let shape = ShapeRecord::new(ShapeKey::default(), 0, &ShapeDef::new(Shape::sphere(1.0)));
        let moves = |bodies: [&Body; 2]| {
            let graze = Graze {
                shapes: [&shape; 2],
                frames: [&Frame::IDENTITY; 2],
                tracker: &Tracker::default(),
                bodies: bodies.map(Some),
                settings: &Settings::default(),
            };
            graze.moves(&Contact::default())
        };
        let (carried, slides) = (rider(16.0), rider(0.0));
        assert!(!moves([&drum, &carried]) && !moves([&carried, &drum]));
        assert!(moves([&drum, &slides]) && moves([&slides, &drum]));
    }
}
