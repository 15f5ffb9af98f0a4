//! Every kind of expectation, once where it comes true and once where it does not, on
//! motions whose course is known in closed form.

use drystone_scene::{Checker, Report, Scene};

/// Runs a scene to its end.
fn check(text: &str) -> Report {
    let scene = Scene::parse(format!("(format: 1, {text})"), "test.ron")
        .unwrap_or_else(|errors| panic!("{errors}"));
    let mut instance = scene.build().unwrap_or_else(|errors| panic!("{errors}"));
    let mut checker = Checker::new(&scene);
    checker.observe(&instance);
    for _ in 0..scene.steps() {
        instance.step();
        checker.observe(&instance);
    }
    checker.finish(&instance)
}

/// Checks each expectation's outcome, and that its detail contains a text.
fn check_all(bodies: &str, cases: &[(&str, bool, &str)]) {
    let list: Vec<&str> = cases.iter().map(|case| case.0).collect();
    let report = check(&format!("{bodies}, expect: [{}]", list.join(", ")));
    assert_eq!(report.verdicts.len(), cases.len());
    for (verdict, (text, passes, part)) in report.verdicts.iter().zip(cases) {
        assert_eq!(verdict.text, *text);
        assert_eq!(verdict.passed, *passes, "{verdict}");
        assert!(verdict.detail.contains(part), "{part} in {verdict}");
    }
    assert_eq!(report.passed(), cases.iter().all(|case| case.1));
}

/// A ball of 2 kg in free fall from 10 m for a second, and one that drifts in space. After
/// t seconds the fall is between g t^2 / 2 and that plus g t dt / 2: 4.905 to 4.987 m at
/// the end. Nothing touches and energy stays to a few parts in a thousand.
#[test]
fn a_free_fall_is_judged_by_its_closed_form() {
    let bodies = "
        duration: 1,
        settings: (sleeping: false),
        bodies: [
            (name: \"ball\", shape: Sphere(radius: 0.5), mass: 2, position: (0, 10, 0)),
            (name: \"ship\", shape: Sphere(radius: 0.5), mass: 2, gravity_scale: 0,
             position: (9, 0, 0), linear_velocity: (3, 0, 4), angular_velocity: (0, 1, 0)),
        ]";
    check_all(
        bodies,
        &[
            (
                "Falls(body: \"ball\", by_more_than: 4.9)",
                true,
                "`ball` dropped 4.9",
            ),
            (
                "Falls(body: \"ball\", by_more_than: 5)",
                false,
                "missed by 0.0",
            ),
            (
                "Falls(body: \"ball\", by_more_than: 2, before: 0.5)",
                false,
                "dropped 1.2",
            ),
            (
                "Falls(body: \"all\", by_more_than: 1)",
                false,
                "`ship` dropped",
            ),
            (
                "Stays(body: \"ball\", within: 1, to: 0.4)",
                true,
                "at most 1 m",
            ),
            ("Stays(body: \"ball\", within: 1)", false, "missed by 3.9"),
            (
                "Stays(body: \"ball\", within: 0.01, along: Horizontal)",
                true,
                "moved sideways 0 m",
            ),
            (
                "Stays(body: \"ship\", within: 0.01, along: Vertical)",
                true,
                "up or down",
            ),
            (
                "Moves(body: \"ship\", at_least: 4.99, at_most: 5.01)",
                true,
                "moved 5.0000",
            ),
            (
                "Moves(body: \"ship\", at_least: 2.49, at_most: 2.51, from: 0.5)",
                true,
                "moved 2.5000",
            ),
            (
                "Moves(body: \"ship\", at_most: 2, at: 0.5)",
                false,
                "missed by 0.5",
            ),
            (
                "Near(body: \"ship\", point: (12, 0, 4), within: 0.01, at: 1)",
                true,
                "missed the place by",
            ),
            (
                "Near(body: \"ship\", point: (12, 0, 4), within: 0.01)",
                false,
                "5.00000 m at 0.000 s",
            ),
            (
                "Height(body: \"ball\", at_least: 5, at_most: 5.1, at: 1)",
                true,
                "at height 5.0",
            ),
            (
                "Height(body: \"ball\", at_least: 9)",
                false,
                "at height 5.0",
            ),
            (
                "Speed(body: \"ball\", at_least: 9.8, at_most: 9.82, at: 1)",
                true,
                "9.81",
            ),
            (
                "Speed(body: \"all\", at_most: 6)",
                false,
                "`ball` had a speed of 9.81",
            ),
            (
                "Rests(body: \"ship\", by: 0.5)",
                false,
                "`ship` had a speed of 5.0",
            ),
            (
                "Rests(body: \"ship\", by: 0.5, speed: 5.1)",
                true,
                "at most 5.1 m/s",
            ),
            (
                "Spin(body: \"ship\", at_least: 0.99, at_most: 1.01)",
                true,
                "turned at 1.0000",
            ),
            (
                "Spin(body: \"ball\", at_least: 0.1)",
                false,
                "turned at 0 rad/s",
            ),
            (
                "Turned(body: \"ship\", at_least: 57, at_most: 58, at: 1)",
                true,
                "turned by 57.29",
            ),
            ("Tilt(body: \"ship\", at_most: 0.01)", true, "tilted by"),
            (
                "Tilt(body: \"ship\", axis: (1, 0, 0), at_least: 89.9, at_most: 90.1)",
                true,
                "90.0000",
            ),
            (
                "Tilt(body: \"ship\", at_least: 5, at: 1)",
                false,
                "missed by",
            ),
            (
                "AsleepBy(body: \"ship\", by: 0.5)",
                false,
                "`ship` is awake at 0.",
            ),
            (
                "CountInside(body: \"all\", min: (-1, 0, -1), max: (1, 20, 1), at_least: 1, at_most: 1)",
                true,
                "inside were 1.00000 bodies",
            ),
            (
                "CountInside(body: \"all\", min: (-1, 8, -1), max: (1, 20, 1), at_least: 1)",
                false,
                "inside were 0 bodies",
            ),
            // m g h = 2 * 9.81 * 10 J; m v^2 / 2 = 25 J, and the spin adds 0.1 J.
            (
                "Energy(of: Potential, at_least: 196.1, at_most: 196.3, at: 0)",
                true,
                "196.2",
            ),
            (
                "Energy(of: Kinetic, at_least: 25.09, at_most: 25.11, at: 0)",
                true,
                "25.1000 J",
            ),
            (
                "Energy(relative: true, at_least: 0.98, at_most: 1.02)",
                true,
                "of the start's",
            ),
            (
                "Energy(of: Kinetic, relative: true, at_most: 2)",
                false,
                "missed by",
            ),
            ("EnergyNeverRises(by: 0.02)", true, "the energy rose by"),
            ("Penetration(at_most: 0)", true, "deepest contact was 0 m"),
            (
                "ContactForce(body: \"ball\", newtons: 19.62, within: 0.01)",
                false,
                "-100.000 % off",
            ),
            ("JointGap(at_most: 0)", true, "nothing to measure"),
            ("Hash(is: \"0123456789abcdef\")", false, "at the end it is"),
        ],
    );
}

/// A motion drives energy into the world: the watch on energy notices, and says by how much.
#[test]
fn a_driven_world_gains_energy_and_is_caught() {
    let bodies = "
        duration: 1,
        settings: (gravity: (0, 0, 0)),
        bodies: [
            (name: \"bat\", kind: Kinematic, shape: Sphere(radius: 0.5)),
            (name: \"ball\", shape: Sphere(radius: 0.5), position: (1.5, 0, 0)),
        ],
        motion: [(body: \"bat\", path: Steady(velocity: (3, 0, 0)))]";
    check_all(
        bodies,
        &[
            (
                "EnergyNeverRises()",
                false,
                "the energy rose by 1.00000 of the energy in play",
            ),
            (
                "Near(body: \"bat\", point: (3, 0, 0), within: 0.001, at: 1)",
                true,
                "at 1.000 s",
            ),
            (
                "Speed(body: \"ball\", at_least: 2.5, at: 1)",
                true,
                "had a speed of",
            ),
        ],
    );
}

/// A kilogram rests on the ground: the ground feels m g, the contact is shallow, the body
/// falls asleep. Two boxes turned by scripts pass an angle in their order, or not.
#[test]
fn a_body_at_rest_weighs_what_it_weighs() {
    let bodies = "
        duration: 3,
        bodies: [
            (name: \"ground\", kind: Static, shape: Box(half_extents: (5, 0.5, 5)), position: (0, -0.5, 0)),
            (name: \"box\", shape: Box(half_extents: (0.5, 0.5, 0.5)), mass: 1, position: (0, 0.5, 0)),
            (name: \"t[0]\", kind: Kinematic, shape: Sphere(radius: 0.1), position: (50, 0, 0)),
            (name: \"t[1]\", kind: Kinematic, shape: Sphere(radius: 0.1), position: (60, 0, 0)),
            (name: \"u[0]\", kind: Kinematic, shape: Sphere(radius: 0.1), position: (70, 0, 0)),
            (name: \"u[1]\", kind: Kinematic, shape: Sphere(radius: 0.1), position: (80, 0, 0)),
        ],
        motion: [
            (body: \"t[0]\", path: Spin(axis: (1, 0, 0), speed: Degrees(40))),
            (body: \"t[1]\", path: Spin(axis: (1, 0, 0), speed: Degrees(20))),
            (body: \"u[0]\", path: Spin(axis: (1, 0, 0), speed: Degrees(20))),
            (body: \"u[1]\", path: Spin(axis: (1, 0, 0), speed: Degrees(40))),
        ]";
    check_all(
        bodies,
        &[
            (
                "ContactForce(body: \"ground\", newtons: 9.81, within: 0.01, from: 1, to: 2)",
                true,
                "on average",
            ),
            (
                "ContactForce(body: \"box\", newtons: 9.81, within: 0.01, from: 1, to: 2)",
                true,
                "on average",
            ),
            (
                "ContactForce(body: \"box\", newtons: 12, within: 0.01, from: 1, to: 2)",
                false,
                "-18.",
            ),
            ("Penetration(at_most: 0.005)", true, "deepest contact"),
            ("AsleepBy(body: \"box\", by: 2.5)", true, "`box` is asleep"),
            (
                "InOrder(body: \"t\", degrees: 20)",
                true,
                "the last passed 20 degrees at 1.0",
            ),
            (
                "InOrder(body: \"u\", degrees: 20)",
                false,
                "not after the one before it",
            ),
            (
                "InOrder(body: \"t\", degrees: 100)",
                false,
                "`t[1]` never tilted past 100 degrees",
            ),
        ],
    );
}

/// Anchors that a pulled joint keeps together, and a rope that is slack.
#[test]
fn gaps_of_joints_are_measured() {
    let bodies = "
        duration: 1,
        bodies: [
            (name: \"hook\", kind: Static),
            (name: \"bob\", shape: Sphere(radius: 0.1), position: (0, -1, 0)),
            (name: \"free\", shape: Sphere(radius: 0.1), position: (5, 0, 0), gravity_scale: 0),
        ],
        joints: [
            (name: \"pin\", a: \"hook\", b: \"bob\", kind: Ball(), anchor: (0, 0, 0)),
            (name: \"rope\", a: \"hook\", b: \"free\", kind: Distance(min: 0, max: 6)),
        ]";
    check_all(
        bodies,
        &[
            ("JointGap(at_most: 0.01)", true, "widest gap"),
            (
                "JointGap(joint: \"rope\", at_most: 0)",
                true,
                "widest gap was 0 m",
            ),
        ],
    );
}

/// What is wrapped in `Not` comes out the other way round, with the same measurement. A ball
/// falls 1.2 m in half a second; one that floats stays.
#[test]
fn not_turns_an_expectation_round() {
    let bodies = "
        duration: 0.5,
        bodies: [
            (name: \"ball\", shape: Sphere(radius: 0.1)),
            (name: \"moon\", shape: Sphere(radius: 0.1), position: (9, 0, 0), gravity_scale: 0),
        ]";
    check_all(
        bodies,
        &[
            (
                "Not(expect: Falls(body: \"moon\", by_more_than: 0.1))",
                true,
                "as it must not come true",
            ),
            (
                "Not(expect: Falls(body: \"ball\", by_more_than: 1))",
                false,
                "but it must not come true",
            ),
            (
                "Not(expect: Stays(body: \"all\", within: 0.5))",
                true,
                "`ball` moved 1.2",
            ),
            (
                "Not(expect: AsleepBy(body: \"moon\", by: 0.1))",
                true,
                "`moon` is awake",
            ),
        ],
    );
}
