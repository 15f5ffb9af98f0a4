//! The points of a contact as one block: exact static impulses, no pull, no order.

mod scene;

use drystone_geometry::glam::{DVec3, Quat, Vec3};
use drystone_geometry::rotation;
use drystone_solver::{Anchors, AxisLocks, Body, Contact, ContactPoint};
use scene::{GROUND, Random, Scene, Source, assert_near, box_body, rotational_energy};

const HALF: Vec3 = Vec3::splat(0.5);

/// A box of 1 m times `size` on the ground, touching it at `feet` (in its own axes, in sizes).
/// One sub-step a step, so that the first biased sweep does all there is to do.
fn on_feet(size: f32, mass: f32, feet: &[Vec3]) -> Scene {
    let mut scene = Scene::new();
    scene.settings.substeps = 1;
    let half = size * HALF;
    let body = scene.add(box_body(Vec3::new(0.0, half.y, 0.0), half, mass));
    scene.touch(Source::BoxOnGround { body, half }, Contact::default());
    scene.sources.clear();
    stand(&mut scene, size, feet);
    scene
}

/// Puts the points of contact 0 under body 1, at no gap.
fn stand(scene: &mut Scene, size: f32, feet: &[Vec3]) {
    let body = scene.body(1).clone();
    let contact = &mut scene.contacts[0];
    contact.normal = Vec3::Y;
    contact.body_a = GROUND;
    contact.count = feet.len() as u32;
    for (i, &foot) in feet.iter().enumerate() {
        contact.anchors[i] = Anchors {
            a: rotation::rotate(body.rotation, size * foot) + body.center.as_vec3(),
            b: size * foot,
        };
        contact.points[i] = ContactPoint {
            feature: i as u32,
            ..ContactPoint::default()
        };
    }
}

/// Steps without making the contacts anew.
fn step(scene: &mut Scene) {
    let table = drystone_solver::BodyTable {
        slot_of: &scene.slot_of,
        statics: &scene.statics,
    };
    scene.solver.step(
        &scene.workers,
        &scene.settings,
        &mut scene.bodies,
        table,
        &mut scene.contacts,
        &mut scene.joints,
        &scene.graph,
    );
}

fn impulses(scene: &Scene) -> Vec<f64> {
    let points = scene.contacts[0].points().iter();
    points.map(|p| f64::from(p.normal_impulse)).collect()
}

fn foot(x: f32, z: f32) -> Vec3 {
    Vec3::new(x, -0.5, z)
}

/// A box put down on two, three and four feet that are not centred under it. By hand, from the
/// balance of force and moments, and for four feet from the least impulses that balance: after
/// one sweep each foot carries its share of `m g h` and nothing moves. From 1 cm to 100 m.
#[test]
fn a_box_on_feet_gets_its_static_impulses_in_one_sweep() {
    let feet_and_shares: [(Vec<Vec3>, Vec<f64>); 5] = [
        (
            vec![
                foot(-0.5, -0.5),
                foot(0.5, -0.5),
                foot(0.5, 0.5),
                foot(-0.5, 0.5),
            ],
            vec![0.25; 4],
        ),
        (
            vec![
                foot(-0.1, -0.5),
                foot(0.3, -0.5),
                foot(0.3, 0.5),
                foot(-0.1, 0.5),
            ],
            vec![0.375, 0.125, 0.125, 0.375],
        ),
        // A long narrow foot print, turned by an odd angle.
        (
            vec![
                foot(-0.31, -0.39),
                foot(0.29, 0.41),
                foot(0.31, 0.39),
                foot(-0.29, -0.41),
            ],
            vec![0.25; 4],
        ),
        (
            vec![foot(0.4, 0.0), foot(-0.2, 0.3), foot(-0.2, -0.3)],
            vec![1.0 / 3.0; 3],
        ),
        (
            vec![foot(-0.2, 0.0), foot(0.4, 0.0)],
            vec![2.0 / 3.0, 1.0 / 3.0],
        ),
    ];
    for size in [0.01, 1.0, 100.0] {
        for (feet, shares) in &feet_and_shares {
            let mass = 3.0 * size * size;
            let mut scene = on_feet(size, mass, feet);
            step(&mut scene);
            let weight = f64::from(mass) * 9.81 / 60.0;
            for (found, share) in impulses(&scene).into_iter().zip(shares) {
                assert_near(found, share * weight, 2e-5 * weight);
            }
            let body = scene.body(1);
            let fall = 9.81 / 60.0;
            assert_near(f64::from(body.linear_velocity.length()), 0.0, 3e-5 * fall);
            let spin = f64::from(size * body.angular_velocity.length());
            assert_near(spin, 0.0, 3e-5 * fall);
        }
    }
}

/// Feet that no block can tell apart: on one line, at one place, or under a body that may not
/// turn. By hand: after some sweeps they carry the weight together, none pulls, and nothing
/// moves by more than what softness leaves; under a body that cannot turn each carries an equal
/// share at once.
#[test]
fn feet_without_a_common_answer_still_carry_the_weight() {
    let line = [
        foot(-0.5, 0.0),
        foot(-0.1, 0.0),
        foot(0.2, 0.0),
        foot(0.4, 0.0),
    ];
    let slanted = [foot(-0.4, -0.4), foot(0.0, 0.0), foot(0.4, 0.4)];
    let place = [foot(0.0, 0.0); 4];
    let pair = [foot(0.0, 0.0); 2];
    let all: [&[Vec3]; 4] = [&line, &slanted, &place, &pair];
    for size in [0.01, 1.0, 100.0] {
        for feet in all {
            let mut scene = on_feet(size, 2.0, feet);
            scene.settings.substeps = 4;
            for _ in 0..8 {
                step(&mut scene);
            }
            let weight = 2.0 * 9.81 / 240.0;
            let found = impulses(&scene);
            assert!(found.iter().all(|&impulse| impulse >= 0.0), "{found:?}");
            assert_near(found.iter().sum(), weight, 1e-3 * weight);
            let speed = f64::from(scene.body(1).surface_speed());
            assert_near(speed, 0.0, 5e-3 * 9.81 / 240.0);
        }
    }
    let mut scene = on_feet(1.0, 2.0, &line);
    scene.body_mut(1).inverse_inertia = Vec3::ZERO;
    step(&mut scene);
    for found in impulses(&scene) {
        assert_near(found, 0.25 * 2.0 * 9.81 / 60.0, 1e-6);
    }
}

/// A cube that tips over two of its four feet, in each direction. No foot may pull and those
/// that rise carry nothing; by hand, those that press get `v / (K_11 + K_12) = m v / 5` each.
/// Up to an eighth is allowed, since the points are solved one by one and only once.
#[test]
fn feet_that_rise_carry_nothing() {
    let feet = [
        foot(-0.5, -0.5),
        foot(0.5, -0.5),
        foot(0.5, 0.5),
        foot(-0.5, 0.5),
    ];
    let tips = [
        (Vec3::new(0.0, 0.0, 2.0), vec![0, 3]),
        (Vec3::new(0.0, 0.0, -2.0), vec![1, 2]),
        (Vec3::new(2.0, 0.0, 0.0), vec![2, 3]),
        (Vec3::new(-2.0, 0.0, 0.0), vec![0, 1]),
    ];
    for (spin, pressing) in tips {
        let mut scene = on_feet(1.0, 2.0, &feet);
        scene.settings.gravity = Vec3::ZERO;
        scene.body_mut(1).angular_velocity = spin;
        scene.contacts[0].friction = 0.0;
        step(&mut scene);
        for (i, found) in impulses(&scene).into_iter().enumerate() {
            let expected = if pressing.contains(&i) {
                2.0 / 5.0
            } else {
                0.0
            };
            assert_near(found, expected, 0.125 * expected);
        }
    }
}

/// Rods that strike the ground with a foot far from their middle: three or four points within
/// anything from a micrometre to a metre, blunt, narrow and all but on one line, under rods of up
/// to a hundred metres, at every slant. By conservation: without gravity and overlap, no step adds
/// energy, but for what the inertia changes while the rod turns in it.
#[test]
fn small_feet_of_long_bodies_add_no_energy() {
    let mut random = Random(7);
    let mut pressed = 0;
    for case in 0..4000 {
        let width = libm::powf(10.0, random.between(-6.0, 0.0));
        let narrow = libm::powf(10.0, random.between(-4.0, 0.0));
        let half = Vec3::new(0.5, libm::powf(10.0, random.between(-0.5, 1.7)), 0.5);
        let mut scene = on_feet(1.0, 50.0, &[Vec3::ZERO; 3]);
        scene.settings.substeps = 4;
        scene.settings.gravity = Vec3::ZERO;
        let mut body = Body {
            index: 1,
            rotation: rotation::normalize(Quat::from_xyzw(
                random.between(-1.0, 1.0),
                random.between(-1.0, 1.0),
                random.between(-1.0, 1.0),
                random.between(0.1, 1.0),
            )),
            linear_velocity: random.vector(5.0) - 5.0 * Vec3::Y,
            angular_velocity: random.vector(3.0),
            ..box_body(Vec3::ZERO, half, 50.0)
        };
        let foot = half * Vec3::new(random.sign(), random.sign(), random.sign());
        let back = rotation::conjugate(body.rotation);
        let turn = rotation::normalize(Quat::from_xyzw(0.0, random.between(-1.0, 1.0), 0.0, 1.0));
        let corners = [(1.0, 1.0), (-1.0, 0.9), (-0.8, -1.0), (0.7, -1.1)];
        let count = 3 + case % 2;
        let feet: Vec<Vec3> = corners[..count]
            .iter()
            .map(|(x, z)| {
                let off = rotation::rotate(turn, width * Vec3::new(*x, 0.0, narrow * z));
                foot + rotation::rotate(back, off)
            })
            .collect();
        body.center = -rotation::rotate(body.rotation, foot).as_dvec3();
        *scene.body_mut(1) = body;
        stand(&mut scene, 1.0, &feet);
        scene.contacts[0].friction = random.between(0.0, 1.2);
        scene.contacts[0].restitution = 0.5 * random.between(-1.0, 1.0).max(0.0);
        let energy = |scene: &Scene| {
            let body = scene.body(1);
            let motion = 25.0 * f64::from(body.linear_velocity.length_squared());
            motion + rotational_energy(body)
        };
        let mut presses = false;
        for _ in 0..2 {
            let before = energy(&scene);
            step(&mut scene);
            presses |= impulses(&scene).iter().any(|&impulse| impulse > 0.0);
            let after = energy(&scene);
            assert!(
                after <= 1.05 * before,
                "case {case}, {width} by {narrow}, {half}: {before} to {after}"
            );
        }
        pressed += usize::from(presses);
    }
    assert!(pressed > 200, "{pressed}");
}

/// Rods and planks that spin as they strike the ground, so that their inertia in the world
/// changes several times over within one step; they bounce or slide on for half a second. By
/// conservation: without gravity no step adds energy, but for the push out of overlaps.
#[test]
fn thin_bodies_that_strike_while_they_spin_gain_no_energy() {
    let mut random = Random(11);
    let mut pressed = 0;
    for case in 0..2000 {
        let half = Vec3::new(
            libm::powf(10.0, random.between(-2.5, -1.0)),
            1.0,
            libm::powf(10.0, random.between(-2.5, -1.0)),
        );
        let mut scene = Scene::new();
        scene.settings.gravity = Vec3::ZERO;
        let body = scene.add(Body {
            rotation: rotation::normalize(Quat::from_xyzw(
                random.between(-1.0, 1.0),
                random.between(-1.0, 1.0),
                random.between(-1.0, 1.0),
                random.between(0.1, 1.0),
            )),
            linear_velocity: random.vector(5.0) - 8.0 * Vec3::Y,
            angular_velocity: random.vector(40.0),
            ..box_body(1.1 * half.length() * Vec3::Y, half, 10.0)
        });
        let material = Contact {
            friction: random.between(0.0, 1.2),
            restitution: 0.5 * random.between(-1.0, 1.0).max(0.0),
            ..Contact::default()
        };
        scene.touch(Source::BoxOnGround { body, half }, material);
        let energy = |scene: &Scene| {
            let body = scene.body(1);
            let motion = 5.0 * f64::from(body.linear_velocity.length_squared());
            motion + rotational_energy(body)
        };
        let first = energy(&scene);
        for step in 0..30 {
            let before = energy(&scene);
            scene.step();
            pressed += usize::from(scene.solver.is_pressing(0));
            let risen = energy(&scene) - before;
            assert!(
                risen <= 0.1 * first,
                "case {case}, step {step}, {half}: {before} risen by {risen} of {first}"
            );
        }
    }
    assert!(pressed > 1000, "{pressed}");
}

/// A cube pressed on unevenly, its feet listed in all eight orders around the contact. The
/// results are compared bit by bit: the order is arbitrary, so it must not matter.
#[test]
fn the_order_of_points_that_press_does_not_change_a_bit() {
    let feet = [
        foot(-0.5, -0.45),
        foot(0.48, -0.5),
        foot(0.5, 0.4),
        foot(-0.42, 0.5),
    ];
    let run = |order: [usize; 4]| {
        let mut scene = on_feet(1.0, 2.0, &order.map(|i| feet[i]));
        scene.settings.substeps = 4;
        scene.body_mut(1).angular_velocity = Vec3::new(0.05, 0.03, -0.03);
        scene.body_mut(1).linear_velocity = Vec3::new(0.02, -0.1, 0.01);
        step(&mut scene);
        let found = impulses(&scene);
        let mut by_foot = [0.0; 4];
        for (place, foot) in order.into_iter().enumerate() {
            by_foot[foot] = found[place];
        }
        assert!(found.iter().all(|&impulse| impulse > 0.0), "{found:?}");
        (by_foot, scene.bodies)
    };
    let expected = run([0, 1, 2, 3]);
    for start in 0..4 {
        for step in [1, 3] {
            let order = [0, 1, 2, 3].map(|i| (start + step * i) % 4);
            assert_eq!(run(order), expected, "{order:?}");
        }
    }
}

/// A tower that is symmetric about the plane z = 0 and leans in it: ten cubes, each moved along
/// x and turned about z. Known by symmetry: no bit of z, of a velocity along it or of a turn out
/// of the plane ever appears, while they land, hop and come to rest.
#[test]
fn a_tower_that_leans_in_a_plane_never_leaves_it() {
    let mut scene = Scene::new();
    let mut below = GROUND;
    for i in 0..10_u8 {
        let lean = 0.005 * (f32::from(i * 7 % 5) - 2.0);
        let center = Vec3::new(lean, 0.5 + 1.001 * f32::from(i), 0.0);
        let mut body = box_body(center, HALF, 100.0);
        body.rotation = rotation::normalize(drystone_geometry::glam::Quat::from_xyzw(
            0.0,
            0.0,
            0.1 * lean,
            1.0,
        ));
        let above = scene.add(body);
        let source = if below == GROUND {
            Source::BoxOnGround {
                body: above,
                half: HALF,
            }
        } else {
            Source::Stacked {
                below,
                above,
                half: HALF,
            }
        };
        scene.touch(source, Contact::default());
        below = above;
    }
    for _ in 0..300 {
        scene.step();
        for body in &scene.bodies {
            assert_eq!(body.center.z, 0.0);
            assert_eq!((body.rotation.x, body.rotation.y), (0.0, 0.0));
            assert_eq!(body.linear_velocity.z, 0.0);
            assert_eq!(
                (body.angular_velocity.x, body.angular_velocity.y),
                (0.0, 0.0)
            );
        }
    }
    let top = scene.body(below);
    assert!(
        (top.center - DVec3::new(0.0, 9.5, 0.0)).length() < 0.05,
        "{}",
        top.center
    );
    assert!(top.surface_speed() < 0.01, "{}", top.surface_speed());
}

/// The same box when it only moves in the plane z = 0, and when it does not turn at all. By
/// hand as before: on feet that are centred under it each carries a quarter, on feet that are
/// not, the balance of moments about z holds as long as it may turn about z.
#[test]
fn bodies_with_locked_axes_get_their_static_impulses_in_one_sweep() {
    let feet = [
        foot(-0.1, -0.5),
        foot(0.3, -0.5),
        foot(0.3, 0.5),
        foot(-0.1, 0.5),
    ];
    for (turns_about_z, shares) in [
        (true, [0.375, 0.125, 0.125, 0.375]),
        (false, [0.25, 0.25, 0.25, 0.25]),
    ] {
        let mut scene = on_feet(1.0, 3.0, &feet);
        let rotation = [true, true, !turns_about_z];
        scene.body_mut(1).locks = AxisLocks::new([false, false, true], rotation);
        step(&mut scene);
        let weight = 3.0 * 9.81 / 60.0;
        for (found, share) in impulses(&scene).into_iter().zip(shares) {
            assert_near(found, share * weight, 2e-5 * weight);
        }
    }
}
