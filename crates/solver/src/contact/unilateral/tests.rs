//! Checks answers by the conditions of the problem themselves, in `f64`.

use drystone_geometry::glam::{DMat3, DVec3, Vec3};
use drystone_geometry::lanes::dispatch;
use drystone_geometry::lanes::{LANES, Lane, Lane3};
use drystone_geometry::simd::SimdLevel;
use fearless_simd::prelude::*;

use super::*;

/// One contact of four points.
#[derive(Clone, Debug)]
struct Problem {
    used: [f64; 4],
    kept: [f64; 4],
    speeds: [f64; 4],
    /// In the plane, in metres.
    places: [[f64; 2]; 4],
    compliance: [[f64; 4]; 4],
    inverse: [[f64; 4]; 4],
    block: [f64; 4],
}

/// Numbers from 0 to 1, the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
}

impl Problem {
    /// One of which some point would have to pull.
    fn pulling(random: &mut Random) -> Self {
        loop {
            let problem = Self::random(random);
            if problem.block.iter().any(|&impulse| impulse < 0.0) {
                return problem;
            }
        }
    }

    /// Of points that lie around a middle like those of a face, a few of which may be missing, apart by
    /// gaps of their own or not; sizes, masses and speeds of many orders of magnitude.
    fn random(random: &mut Random) -> Self {
        let size = libm::exp10(random.between(-2.0, 1.0));
        let lightness = libm::exp10(random.between(-25.0, 21.0));
        let speed = libm::exp10(random.between(-4.0, 1.0));
        let corner = |random: &mut Random, x: f64, z: f64| {
            [x, z].map(|side| size * side * random.between(0.3, 1.0))
        };
        let places =
            [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, z)| corner(random, x, z));
        let mut used = [1.0; 4];
        if random.next() < 0.3 {
            used[3] = 0.0;
        }
        let mut sides = || random.between(-1.0, 1.0);
        let half = DMat3::from_cols_array(&std::array::from_fn(|_| sides()));
        let arm = 3.0 / size;
        let scale = DMat3::from_diagonal(DVec3::new(1.0, arm, arm));
        let motion = scale * (half * half.transpose() + DMat3::IDENTITY) * scale * lightness;
        let load = speed / lightness;
        let kept = used.map(|used| used * load * random.between(-0.1, 1.0).max(0.0));
        let slopes = [0, 1, 2].map(|_| speed * random.between(-1.0, 1.0));
        let mut speeds = places.map(|[x, z]| slopes[0] + (slopes[1] * x + slopes[2] * z) / size);
        if random.next() < 0.5 {
            speeds = speeds.map(|own| own + speed * random.between(-0.5, 1.0).max(0.0));
        }
        Self::new(used, kept, speeds, places, motion)
    }

    /// `motion` is how a force and two moments change a velocity and its slopes.
    fn new(
        used: [f64; 4],
        kept: [f64; 4],
        speeds: [f64; 4],
        places: [[f64; 2]; 4],
        motion: DMat3,
    ) -> Self {
        let columns = places.map(|[x, z]| DVec3::new(1.0, x, z));
        let mut spread = DMat3::ZERO;
        for i in 0..4 {
            spread += DMat3::from_cols(
                columns[i] * columns[i].x,
                columns[i] * columns[i].y,
                columns[i] * columns[i].z,
            ) * used[i];
        }
        let spread = spread.inverse();
        let inverse = spread * motion.inverse() * spread;
        let entries = |m: DMat3| {
            std::array::from_fn(|i| std::array::from_fn(|j| columns[i].dot(m * columns[j])))
        };
        let compliance: [[f64; 4]; 4] = entries(motion);
        let mut inverse: [[f64; 4]; 4] = entries(inverse);
        let mut block = kept;
        for i in 0..4 {
            for j in 0..4 {
                inverse[i][j] *= used[i] * used[j];
                block[i] -= inverse[i][j] * speeds[j];
            }
        }
        Self {
            used,
            kept,
            speeds,
            places,
            compliance,
            inverse,
            block,
        }
    }

    /// With point `i` called `i ^ k`.
    fn renamed(&self, k: usize) -> Self {
        let numbers = |of: &[f64; 4]| std::array::from_fn(|i| of[i ^ k]);
        let entries =
            |of: &[[f64; 4]; 4]| std::array::from_fn(|i| std::array::from_fn(|j| of[i ^ k][j ^ k]));
        Self {
            used: numbers(&self.used),
            kept: numbers(&self.kept),
            speeds: numbers(&self.speeds),
            places: std::array::from_fn(|i| self.places[i ^ k]),
            compliance: entries(&self.compliance),
            inverse: entries(&self.inverse),
            block: numbers(&self.block),
        }
    }

    /// Asserts that the impulses answer it, to rounding.
    fn check(&self, impulses: [f32; 4]) {
        let impulses = impulses.map(f64::from);
        let mut scale = 0.0;
        for i in 0..4 {
            scale +=
                self.compliance[i][i] * self.kept[i].abs() + self.used[i] * self.speeds[i].abs();
        }
        for i in 0..4 {
            assert!(impulses[i] >= 0.0, "{self:?}: {impulses:?}");
            assert!(impulses[i] == 0.0 || self.used[i] > 0.0);
            let mut speed = self.speeds[i];
            for j in 0..4 {
                speed += self.compliance[i][j] * (impulses[j] - self.kept[j]);
            }
            let slack = 0.0001 * scale;
            assert!(
                self.used[i] * speed >= -slack,
                "{self:?}: {impulses:?}, {i} approaches by {speed}"
            );
            let presses = self.compliance[i][i] * impulses[i];
            assert!(
                speed.min(presses) <= slack,
                "{self:?}: {impulses:?}, {i} pushes and leaves at {speed}"
            );
        }
    }
}

#[inline(always)]
fn solve<S: Simd>(simd: S, problems: &[Problem]) -> Vec<[f32; 4]> {
    let lanes = |number: &dyn Fn(&Problem) -> f64| {
        Lane(std::array::from_fn(|lane| number(&problems[lane]) as f32)).load(simd)
    };
    let row = |numbers: &dyn Fn(&Problem) -> [f64; 4]| -> [f32x8<S>; 4] {
        std::array::from_fn(|i| lanes(&|problem| numbers(problem)[i]))
    };
    let mut arms = [Lane3::ZERO; 4];
    for (i, arm) in arms.iter_mut().enumerate() {
        for (lane, problem) in problems.iter().enumerate() {
            let [x, z] = problem.places[i];
            arm.set(lane, Vec3::new(x as f32, 0.0, z as f32));
        }
    }
    let arms = arms.each_ref().map(|arm| arm.load(simd));
    let mut normal = Lane3::ZERO;
    (0..LANES).for_each(|lane| normal.set(lane, Vec3::Y));
    let normal = normal.load(simd);
    let problem = Unilateral {
        used: &row(&|problem| problem.used),
        kept: &row(&|problem| problem.kept),
        speeds: &row(&|problem| problem.speeds),
        compliance: &std::array::from_fn(|i| row(&|problem| problem.compliance[i])),
        inverse: &std::array::from_fn(|i| row(&|problem| problem.inverse[i])),
        block: &row(&|problem| problem.block),
    };
    let zero = f32x8::splat(simd, 0.0);
    let found = problem.solve(simd, &arms, normal, zero.simd_eq(zero));
    let mut stored = [Lane::ZERO; 4];
    stored
        .iter_mut()
        .zip(found)
        .for_each(|(lane, found)| lane.store(found));
    (0..LANES)
        .map(|lane| std::array::from_fn(|i| stored[i].0[lane]))
        .collect()
}

/// At every level, which must be the same to the last bit.
fn solve_anywhere(problems: &[Problem]) -> Vec<[f32; 4]> {
    let mut all = SimdLevel::available().into_iter().map(|level| {
        let level = level.resolve().expect("available");
        dispatch!(level, simd => solve(simd, problems))
    });
    let first = all.next().expect("a level");
    all.for_each(|other| assert_eq!(first, other));
    first
}

/// No point pulls, none approaches, and none that leaves presses; and the names of the points change nothing,
/// to the last bit.
#[test]
fn answers_hold_and_do_not_depend_on_the_order_of_points() {
    let mut random = Random(1);
    let mut pressed = [0; 5];
    for _ in 0..2000 {
        let problems: Vec<_> = (0..LANES).map(|_| Problem::pulling(&mut random)).collect();
        let found = solve_anywhere(&problems);
        for (problem, &impulses) in problems.iter().zip(&found) {
            problem.check(impulses);
            pressed[impulses.iter().filter(|&&impulse| impulse > 0.0).count()] += 1;
        }
        for k in 1..4 {
            let renamed: Vec<_> = problems.iter().map(|problem| problem.renamed(k)).collect();
            let again = solve_anywhere(&renamed);
            for (found, again) in found.iter().zip(&again) {
                assert_eq!(std::array::from_fn(|i| found[i ^ k]), *again);
            }
        }
    }
    assert!(pressed.iter().all(|&count| count > 20), "{pressed:?}");
}

/// A plate that rests on its four corners and is tipped about an edge, by hand: the two at that edge press with
/// what the weight of a step needs, and the other two leave.
#[test]
fn a_plate_that_tips_presses_with_its_edge() {
    // Of 1 kg, a metre wide: moments of inertia of 1/12 kg m^2.
    let motion = DMat3::from_diagonal(DVec3::new(1.0, 12.0, 12.0));
    let places = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];
    // Falls at 1 m/s, and turns so that the edge at positive x rises at 4 m/s.
    let speeds = places.map(|[x, _]| -1.0 + 10.0 * x);
    let problem = Problem::new([1.0; 4], [0.0; 4], speeds, places, motion);
    let problems = vec![problem; LANES];
    let found = solve_anywhere(&problems);
    // The edge comes at 6 m/s, and gives way by 1 + 12 / 4 m/s for each N s.
    for impulses in found {
        for (impulse, expected) in impulses.iter().zip([0.75, 0.0, 0.0, 0.75]) {
            assert!((impulse - expected).abs() < 0.00001, "{impulses:?}");
        }
    }
}
