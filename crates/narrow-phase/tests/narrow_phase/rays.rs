//! Rays at the places where parts of a shape meet, and of every length.

use drystone_geometry::Shape;
use drystone_geometry::glam::DVec3;
use drystone_narrow_phase::ray;

use crate::random::Random;

/// Rays from outside at the seams of a capsule and at the rest of it. Known by hand: the normal
/// comes from the nearest point of the axis. At the seams it was that of a plane inside.
#[test]
fn the_normal_at_the_seam_of_a_capsule_is_that_of_its_side() {
    let (half_height, radius) = (0.5, 0.25);
    let shape = Shape::capsule(half_height as f32, radius as f32);
    let on_seam = ray(
        &shape,
        DVec3::new(1.25, 1.5, 0.0),
        DVec3::new(-1.0, -1.0, 0.0),
        10.0,
    );
    let normal = on_seam.expect("the seam").normal;
    assert!(normal.abs_diff_eq(DVec3::X, 1e-12), "{normal}");
    let mut random = Random::new(11);
    for number in 0..4000 {
        let mut out = random.direction();
        let height = match number % 4 {
            0 => {
                out.y = 0.0;
                half_height
            }
            1 => {
                out.y = 0.0;
                -half_height
            }
            2 => {
                out.y = 0.0;
                half_height * random.signed()
            }
            _ => half_height.copysign(out.y),
        };
        let out = out.normalize();
        let target = DVec3::new(0.0, height, 0.0) + radius * out;
        let lean = random.direction();
        let way = lean * lean.dot(out).signum() + 0.05 * out;
        let hit = ray(&shape, target + 2.0 * way, -way, 10.0).expect("the target");
        assert!((hit.fraction - 2.0).abs() < 1e-6, "{number}: {hit:?}");
        assert!(
            hit.normal.abs_diff_eq(out, 1e-6),
            "{number}: {hit:?}, not {out}"
        );
    }
}
