//! Guards against the trackers they were made from, and against cold queries.

use drystone_geometry::glam::{DVec3, Quat};
use drystone_geometry::lanes::dispatch;
use drystone_geometry::{Frame, Manifold, Pose, Shape, SimdLevel, WorldPose, rotation};
use drystone_narrow_phase::{
    CollideSettings, Counters, Guard, GuardPose, GuardSide, GuardWay, Tracker, collide, distance,
    still_apart,
};

use crate::random::Random;

/// Two bodies with a shape each, and what was once found of them.
struct Case {
    shapes: [Shape; 2],
    locals: [Option<Frame>; 2],
    poses: [WorldPose; 2],
    tracker: Tracker,
    guard: Guard,
}

fn single(random: &mut Random) -> Quat {
    rotation::to_single(random.rotation())
}

/// A pose a little on: moved by up to `way` metres and turned by a tenth of a radian at most.
fn moved(random: &mut Random, pose: &WorldPose, way: f64) -> WorldPose {
    let turn = rotation::normalize(Quat::from_xyzw(
        0.05 * random.signed() as f32,
        0.05 * random.signed() as f32,
        0.05 * random.signed() as f32,
        1.0,
    ));
    WorldPose {
        rotation: rotation::normalize(rotation::multiply(turn, pose.rotation)),
        position: pose.position + way * random.vector(),
    }
}

impl Case {
    /// Shapes about `size` metres large and some sizes apart, near `origin`; every other pair of
    /// bodies has its shapes off its origins.
    fn new(seed: usize, size: f64, origin: DVec3, margin: f32) -> Self {
        let mut random = Random::new(seed as u64);
        let shapes = [random.shape(size, 24), random.shape(0.4 * size, 24)];
        let locals = [0, 1].map(|side| {
            (seed >> side & 1 == 1).then(|| {
                let pose = Pose {
                    rotation: single(&mut random),
                    translation: (size * random.vector()).as_vec3(),
                };
                pose.to_double().to_frame()
            })
        });
        let way = random.between(2.0, 4.0) * size * random.direction();
        let poses = [origin, origin + way].map(|position| WorldPose {
            rotation: single(&mut random),
            position,
        });
        let mut case = Self {
            shapes,
            locals,
            poses,
            tracker: Tracker::default(),
            guard: Guard::NONE,
        };
        let settings = CollideSettings {
            margin,
            recycle: true,
            leans: false,
            ..CollideSettings::default()
        };
        collide(
            &case.shapes[0],
            &case.shapes[1],
            &case.b_in_a(),
            &settings,
            &mut case.tracker,
            &mut Manifold::EMPTY.clone(),
            &mut Counters::default(),
        );
        case.guard = case.guard(seed, margin, true);
        case
    }

    fn guard(&self, seed: usize, margin: f32, turns: bool) -> Guard {
        let sides = [0, 1].map(|side| GuardSide {
            shape: &self.shapes[side],
            local: self.locals[side].as_ref(),
            body: (2 * (seed % 64) + side) as u32,
        });
        Guard::new(&self.tracker, &sides, margin, 1.0, turns)
    }

    /// A way of A or B, towards the other.
    fn way(&self, side: usize, length: f32, turning: f32) -> GuardWay {
        let ahead = self.poses[1 - side].position - self.poses[side].position;
        GuardWay {
            linear: length * ahead.normalize().as_vec3(),
            turning,
        }
    }

    fn b_in_a(&self) -> Frame {
        let [a, b] = [0, 1].map(|side| {
            let body = self.poses[side].to_frame();
            let local = &self.locals[side];
            local.as_ref().map_or(body, |local| body.then(local))
        });
        Frame::relative(&a, &b)
    }
}

/// Both bodies of a case go by `way`, one against the other, and turn by `turning`.
fn bits(level: SimdLevel, cases: &[Case], slot_of: &[u32], (way, turning): (f32, f32)) -> u64 {
    let guards: Vec<_> = cases.iter().map(|case| case.guard).collect();
    let poses: Vec<_> = cases
        .iter()
        .flat_map(|case| {
            [0, 1].map(|side| {
                let (pose, way) = (&case.poses[side], case.way(side, way, turning));
                GuardPose::new(pose.rotation, pose.position, &way, way.reach())
            })
        })
        .collect();
    let level = level.resolve().expect("it is available");
    dispatch!(level, simd => still_apart(simd, &guards, slot_of, &poses))
}

/// Pairs of all kinds and sizes wander, far from the origin too, from where a tracker found them
/// apart. Where a guard proves a pair apart its tracker does, and a cold query too; where the
/// tracker does, the guard mostly does. Every level gives the same bits.
#[test]
fn guards_prove_what_trackers_prove() {
    let slot_of: Vec<u32> = (0..128).collect();
    let mut proved = [0, 0];
    for size in [1e-3, 1.0, 1e3] {
        for origin in [DVec3::ZERO, DVec3::new(1e7, -3e6, 4e6)] {
            let margin = 0.02 * size as f32;
            let mut cases: Vec<_> = (0..61)
                .map(|seed| Case::new(seed, size, origin, margin))
                .collect();
            let mut random = Random::new(7);
            for step in 0..25 {
                let apart = bits(SimdLevel::Fallback, &cases, &slot_of, (0.5, 0.0));
                for level in SimdLevel::available() {
                    assert_eq!(
                        bits(level, &cases, &slot_of, (0.5, 0.0)),
                        apart,
                        "{level:?}"
                    );
                }
                for (at, case) in cases.iter_mut().enumerate() {
                    let [a, b] = &case.shapes;
                    let b_in_a = case.b_in_a();
                    let known = case.tracker.proves_apart(a, b, &b_in_a, f64::from(margin));
                    let guarded = apart >> at & 1 == 1;
                    let what = format!("size {size}, case {at}, step {step}");
                    assert!(known || !guarded, "{what}: more than the tracker knows");
                    if guarded {
                        let upper = distance(a, b, &b_in_a).upper;
                        assert!(upper > f64::from(margin), "{what}: {upper}");
                    }
                    proved[0] += usize::from(known);
                    proved[1] += usize::from(guarded);
                    let way = 0.05 * size;
                    case.poses = [0, 1].map(|side| moved(&mut random, &case.poses[side], way));
                }
            }
        }
    }
    assert!(proved[0] > 4000, "{proved:?}");
    assert!(100 * proved[1] > 99 * proved[0], "{proved:?}");
}

/// Bodies that get farther in a step than is calm: their pair is proved when its tracker proves it
/// apart all along the way past each other, with their turning where that counts, and mostly then.
#[test]
fn guards_of_fast_bodies_prove_the_whole_step() {
    for turns in [true, false] {
        prove_the_whole_step(turns);
    }
}

fn prove_the_whole_step(turns: bool) {
    let slot_of: Vec<u32> = (0..128).collect();
    let mut cases: Vec<_> = (0..61)
        .map(|seed| Case::new(seed, 1.0, DVec3::new(1e3, 2e3, 3e3), 0.02))
        .collect();
    for (seed, case) in cases.iter_mut().enumerate() {
        case.guard = case.guard(seed, 0.02, turns);
    }
    let mut proved = [0, 0];
    for step in 0..40 {
        let (length, turning) = (1.001 + 0.02 * step as f32, 0.01 * step as f32);
        let apart = bits(SimdLevel::Fallback, &cases, &slot_of, (length, turning));
        for (at, case) in cases.iter().enumerate() {
            let [a, b] = &case.shapes;
            let ways = [0, 1].map(|side| case.way(side, length, turning));
            let way = ways[1].past(&ways[0]).linear.as_dvec3();
            let first = case.poses[0].to_frame();
            let frame_a = case.locals[0]
                .as_ref()
                .map_or(first, |local| first.then(local));
            let way = frame_a.inverse_rotate(way);
            let near = 0.02 + if turns { 2.0 * f64::from(turning) } else { 0.0 };
            let known = (case.tracker).proves_apart_along(a, b, &case.b_in_a(), way, near);
            let guarded = apart >> at & 1 == 1;
            assert!(known || !guarded, "case {at}, step {step}: {near}");
            proved[0] += usize::from(known);
            proved[1] += usize::from(guarded);
        }
    }
    assert!(proved[0] > 100, "{proved:?}");
    assert!(100 * proved[1] > 95 * proved[0], "{proved:?}");
}

/// A body that is not among those that move, and a guard that was never made leave their bits at
/// 0, and so do bodies that get farther than the guard allows, and farther than they are apart;
/// otherwise all would be proved.
#[test]
fn guards_are_not_asked_of_resting_bodies() {
    let mut cases: Vec<_> = (0..64)
        .map(|seed| Case::new(seed, 1.0, DVec3::ZERO, 0.02))
        .filter(|case| case.guard.is_some())
        .take(10)
        .collect();
    for (at, case) in cases.iter_mut().enumerate() {
        let [a, b] = [2 * at as u32, 2 * at as u32 + 1];
        let sides = [0, 1].map(|side| GuardSide {
            shape: &case.shapes[side],
            local: case.locals[side].as_ref(),
            body: [a, b][side],
        });
        case.guard = Guard::new(&case.tracker, &sides, 0.02, 1.0, true);
    }
    let mut slot_of: Vec<u32> = (0..20).collect();
    let level = SimdLevel::Fallback;
    assert_eq!(bits(level, &cases, &slot_of, (1.0, 0.0)), 0x3ff);
    assert_eq!(bits(level, &cases, &slot_of, (9.0, 0.0)), 0);
    slot_of[6] = 1 << 31;
    assert_eq!(bits(level, &cases, &slot_of, (0.0, 0.0)), 0x3ff & !(1 << 3));
    cases[9].guard = Guard::NONE;
    assert_eq!(bits(level, &cases, &slot_of, (0.0, 0.0)), 0x1ff & !(1 << 3));
}
