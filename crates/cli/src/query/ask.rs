//! Asks the narrow phase, frame by frame, and keeps everything it tells.

use drystone::geometry::{Frame, Manifold, Separation};
use drystone::glam::DVec3;
use drystone::narrow_phase::{
    CastEnd, CastSettings, CollideSettings, Counters, Event, Motion, RayHit, Rung, Toi, Tracker,
    cast_motion_traced, collide_traced, distance, distance_traced, ray,
};
use drystone_scene::pair::{PairPath, PairQuery, PairQuestion};

/// One frame of a pair and its answer.
pub(super) struct Answered {
    /// Counted from 0.
    pub(super) frame: u64,
    /// The poses of `a` and `b` in the frame of the file: for casts at the time they end.
    pub(super) poses: [Frame; 2],
    /// The signed distance there, seen from `a`.
    pub(super) separation: Separation,
    /// What was asked for besides.
    pub(super) found: Found,
    /// What answered.
    pub(super) rung: Rung,
    /// What was done for this frame.
    pub(super) counters: Counters,
    /// All of it, step by step.
    pub(super) events: Vec<Event>,
}

/// What a question asks for beyond the distance.
pub(super) enum Found {
    /// Nothing.
    Distance,
    /// The points of contact.
    Contact(Manifold),
    /// Where a ray enters `a` and `b`, in the frame of the file, and how long it is.
    Ray([Option<RayHit>; 2]),
    /// When both touch.
    Cast(Toi),
}

impl Answered {
    /// B's pose seen from A.
    pub(super) fn b_in_a(&self) -> Frame {
        Frame::relative(&self.poses[0], &self.poses[1])
    }
}

/// What all frames of a pair share.
struct Asker<'a> {
    query: &'a PairQuery,
    tracker: Tracker,
    manifold: Manifold,
}

/// The answers of all frames, one tracker for all of them.
pub(super) fn answers(query: &PairQuery) -> impl Iterator<Item = Answered> + '_ {
    let mut asker = Asker {
        query,
        tracker: Tracker::default(),
        manifold: Manifold::EMPTY,
    };
    let pose_a = query.frame_of_a();
    (0..)
        .zip(query.poses_of_b())
        .map(move |(frame, pose_b)| asker.answer(frame, [pose_a, pose_b]))
}

impl Asker<'_> {
    fn answer(&mut self, frame: u64, mut poses: [Frame; 2]) -> Answered {
        let (mut counters, mut events) = (Counters::default(), Vec::new());
        let (separation, found) = match self.query.ask {
            PairQuestion::Distance => {
                let separation = self.distance(&poses, &mut counters, &mut events);
                (separation, Found::Distance)
            }
            PairQuestion::Contact { margin } => {
                return self.contact(frame, poses, margin);
            }
            PairQuestion::Ray { from, to } => {
                let separation = self.distance(&poses, &mut counters, &mut events);
                (separation, Found::Ray(self.ray(&poses, from, to)))
            }
            PairQuestion::Cast { shift, target } => {
                let path = PairPath {
                    shift,
                    ..PairPath::REST
                };
                let paths = [PairPath::REST, path];
                self.cast(&mut poses, paths, target, &mut counters, &mut events)
            }
            PairQuestion::Motion { a, b, target } => {
                self.cast(&mut poses, [a, b], target, &mut counters, &mut events)
            }
        };
        Answered {
            frame,
            poses,
            separation,
            found,
            rung: rung_of(&counters),
            counters,
            events,
        }
    }

    fn distance(
        &mut self,
        poses: &[Frame; 2],
        counters: &mut Counters,
        events: &mut Vec<Event>,
    ) -> Separation {
        let (a, b) = (&self.query.a.shape, &self.query.b.shape);
        let b_in_a = Frame::relative(&poses[0], &poses[1]);
        distance_traced(a, b, &b_in_a, &mut self.tracker, counters, events)
    }

    fn contact(&mut self, frame: u64, poses: [Frame; 2], margin: f32) -> Answered {
        let (a, b) = (&self.query.a.shape, &self.query.b.shape);
        let (mut counters, mut events) = (Counters::default(), Vec::new());
        let b_in_a = Frame::relative(&poses[0], &poses[1]);
        let settings = CollideSettings {
            margin,
            ..CollideSettings::default()
        };
        let outcome = collide_traced(
            a,
            b,
            &b_in_a,
            &settings,
            &mut self.tracker,
            &mut self.manifold,
            &mut counters,
            &mut events,
        );
        Answered {
            frame,
            poses,
            separation: distance(a, b, &b_in_a),
            found: Found::Contact(self.manifold),
            rung: outcome.rung,
            counters,
            events,
        }
    }

    /// Where the ray enters each shape, told in the frame of the file.
    fn ray(&self, poses: &[Frame; 2], from: DVec3, to: DVec3) -> [Option<RayHit>; 2] {
        let hit = |body: usize| {
            let shape = [&self.query.a.shape, &self.query.b.shape][body];
            let pose = &poses[body];
            let origin = pose.inverse_transform_point(from);
            let hit = ray(shape, origin, pose.inverse_rotate(to - from), 1.0)?;
            Some(RayHit {
                point: pose.transform_point(hit.point),
                normal: pose.rotate(hit.normal),
                ..hit
            })
        };
        [hit(0), hit(1)]
    }

    /// Moves both shapes to where their cast ends.
    fn cast(
        &self,
        poses: &mut [Frame; 2],
        paths: [PairPath; 2],
        target: f64,
        counters: &mut Counters,
        events: &mut Vec<Event>,
    ) -> (Separation, Found) {
        let (a, b) = (&self.query.a.shape, &self.query.b.shape);
        let motion = |body: usize| Motion {
            start: poses[body],
            center: paths[body].about,
            linear: paths[body].shift,
            angular: paths[body].spin,
        };
        let (motion_a, motion_b) = (motion(0), motion(1));
        let settings = CastSettings {
            target,
            ..CastSettings::default()
        };
        let (start, end) = ((a, &motion_a), (b, &motion_b));
        let mut tracker = Tracker::default();
        let mut toi = cast_motion_traced(start, end, &settings, &mut tracker, counters, events);
        *poses = [motion_a.at(toi.time), motion_b.at(toi.time)];
        if toi.end == CastEnd::Missed {
            // The last distance asked for may be of an earlier time.
            toi.separation = distance(a, b, &Frame::relative(&poses[0], &poses[1]));
        }
        (toi.separation, Found::Cast(toi))
    }
}

fn rung_of(counters: &Counters) -> Rung {
    if counters.walked > 0 {
        Rung::Walk
    } else if counters.held > 0 {
        Rung::Hold
    } else if counters.epa > 0 {
        Rung::Epa
    } else if counters.gjk > 0 {
        Rung::Gjk
    } else {
        Rung::ClosedForm
    }
}
