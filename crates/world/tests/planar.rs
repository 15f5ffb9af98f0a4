//! Bodies whose axes are locked to a plane.

use drystone::geometry::hull::Hull;
use drystone::glam::{DVec3, Quat, Vec3};
use drystone::{AxisLocks, BodyDef, BodyKey, Settings, Shape, World};
use std::sync::Arc;

/// A triangle of the x-y plane drawn out along z, crookedly: its far end is smaller, so
/// that every contact pushes it out of the plane as well.
fn crooked_prism() -> Shape {
    let points: Vec<Vec3> = [(-0.5, 1.0), (0.5, 0.8)]
        .into_iter()
        .flat_map(|(z, scale)| {
            [(-0.5, -0.3), (0.5, -0.3), (0.0, 0.6)].map(|(x, y)| Vec3::new(x * scale, y * scale, z))
        })
        .collect();
    Shape::Hull(Arc::new(Hull::new(&points).expect("a prism")))
}

fn heap() -> (World, Vec<BodyKey>) {
    let mut world = World::new(Settings::default()).expect("a world");
    let ground = Shape::HalfSpace {
        normal: Vec3::new(0.1, 1.0, 0.3).normalize(),
    };
    world
        .add_body(BodyDef::fixed().with_shape(ground))
        .expect("the ground");
    let shape = crooked_prism();
    let bodies = (0..24).map(|index| {
        let at = DVec3::new(
            f64::from(index % 4) * 1.1 - 1.5,
            1.5 + f64::from(index / 4) * 1.2,
            // Out of line with its neighbours.
            0.05 * f64::from(index % 3),
        );
        let def = BodyDef {
            locks: AxisLocks::PLANAR,
            angular_velocity: Vec3::new(0.0, 0.0, f32::from(index as u8) * 0.3 - 3.0),
            ..BodyDef::dynamic().at(at).with_shape(shape.clone())
        };
        world.add_body(def).expect("a prism")
    });
    let bodies = bodies.collect();
    (world, bodies)
}

/// Crooked prisms fall on tilted ground, out of line with each other. Known from the
/// locks: z and the turns about x and y keep their bits whatever pushes, while the
/// bodies move and turn in the plane.
#[test]
fn nothing_pushes_a_planar_body_out_of_its_plane() {
    let (mut world, bodies) = heap();
    let start: Vec<DVec3> = bodies
        .iter()
        .map(|key| world.body(*key).expect("it is there").position())
        .collect();
    for _ in 0..300 {
        world.step();
    }
    let mut turned = 0;
    for (key, from) in bodies.iter().zip(start) {
        let body = world.body(*key).expect("it is there");
        let at = body.position();
        let rotation: Quat = body.rotation();
        assert!((at.z - from.z).abs() < 1e-7, "{at} from {from}");
        assert_eq!([rotation.x, rotation.y], [0.0, 0.0]);
        assert_eq!(body.linear_velocity().z, 0.0);
        let spin = body.angular_velocity();
        assert_eq!([spin.x, spin.y], [0.0, 0.0]);
        assert!((at - from).length() > 0.5, "{at} from {from}");
        turned += u32::from(rotation.z.abs() > 0.05);
    }
    assert!(turned > 12, "{turned} turned");
}

/// Locks joined by hand: an axis is locked if either locks it.
#[test]
fn locks_are_joined_axis_by_axis() {
    let upright = AxisLocks {
        rotation: [true, true, true],
        ..AxisLocks::default()
    };
    let joined = upright.union(AxisLocks::PLANAR);
    assert_eq!(joined.translation, [false, false, true]);
    assert_eq!(joined.rotation, [true; 3]);
    assert_eq!(AxisLocks::default().union(upright), upright);
}
