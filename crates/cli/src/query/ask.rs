//! Asks the narrow phase, frame by frame, and keeps everything it tells.

use drystone::geometry::{Frame, Manifold, Separation};
use drystone::narrow_phase::{
    CollideSettings, Counters, Event, Rung, Tracker, collide_traced, distance, distance_traced,
};
use drystone_scene::pair::{PairQuery, PairQuestion};

/// One frame of a pair and its answer.
pub(super) struct Answered {
    /// Counted from 0.
    pub(super) frame: u64,
    /// The pose of `b` in the frame of the file.
    pub(super) pose_b: Frame,
    /// The signed distance, seen from `a`.
    pub(super) separation: Separation,
    /// The contact, where one was asked for.
    pub(super) contact: Option<Manifold>,
    /// What answered.
    pub(super) rung: Rung,
    /// What was done for this frame.
    pub(super) counters: Counters,
    /// All of it, step by step.
    pub(super) events: Vec<Event>,
}

/// The answers of all frames, one tracker for all of them.
pub(super) fn answers(query: &PairQuery) -> impl Iterator<Item = Answered> + '_ {
    let (a, b) = (&query.a.shape, &query.b.shape);
    let frame_of_a = query.frame_of_a();
    let (mut tracker, mut manifold) = (Tracker::default(), Manifold::EMPTY);
    (0..).zip(query.poses_of_b()).map(move |(frame, pose_b)| {
        let b_in_a = Frame::relative(&frame_of_a, &pose_b);
        let (mut counters, mut events) = (Counters::default(), Vec::new());
        let (separation, contact, rung) = match query.ask {
            PairQuestion::Distance => {
                let answer =
                    distance_traced(a, b, &b_in_a, &mut tracker, &mut counters, &mut events);
                (answer, None, rung_of(&counters))
            }
            PairQuestion::Contact { margin } => {
                let settings = CollideSettings {
                    margin,
                    ..CollideSettings::default()
                };
                let outcome = collide_traced(
                    a,
                    b,
                    &b_in_a,
                    &settings,
                    &mut tracker,
                    &mut manifold,
                    &mut counters,
                    &mut events,
                );
                (distance(a, b, &b_in_a), Some(manifold), outcome.rung)
            }
        };
        Answered {
            frame,
            pose_b,
            separation,
            contact,
            rung,
            counters,
            events,
        }
    })
}

fn rung_of(counters: &Counters) -> Rung {
    if counters.walked > 0 {
        Rung::Walk
    } else if counters.epa > 0 {
        Rung::Epa
    } else if counters.gjk > 0 {
        Rung::Gjk
    } else {
        Rung::ClosedForm
    }
}
