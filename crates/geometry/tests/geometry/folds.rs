//! Triangles of faces that are flat up to rounding alone, against a scan of all of them.

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::hull::FoldTriangle;
use drystone_geometry::{Hull, rotation};

use crate::oracle::Random;

/// Turned prisms: every triangle of a cap is linked to its neighbours both ways, all together
/// are those of the face, and the one said to be under a point is.
#[test]
fn the_triangle_under_a_point_of_a_folded_face_is_found() {
    let mut random = Random(3);
    let mut folded = 0;
    for sides in [4u32, 5, 9, 40, 1000] {
        let turn = rotation::from_scaled_axis(3.0 * random.in_cube());
        let corner = |i: u32| {
            let angle = std::f64::consts::TAU * f64::from(i / 2) / f64::from(sides);
            let (sine, cosine) = (libm::sin(angle) as f32, libm::cos(angle) as f32);
            let at = Vec3::new(cosine, if i.is_multiple_of(2) { 0.3 } else { -0.3 }, sine);
            rotation::rotate(turn, at)
        };
        let hull = Hull::new(&(0..2 * sides).map(corner).collect::<Vec<Vec3>>()).unwrap();
        let position = |v: u32| hull.vertices()[v as usize].as_dvec3();
        for (face, plane) in hull.faces().iter().enumerate() {
            let Some(fold) = hull.fold(face as u32) else {
                continue;
            };
            folded += 1;
            let triangle_count = plane.edge_count - 2;
            for number in 0..triangle_count {
                let triangle = fold.triangle(number);
                for side in 0..3 {
                    let other = triangle.across[side];
                    let ends = [side, (side + 1) % 3].map(|i| triangle.vertices[i]);
                    let is_back = |back: usize| {
                        let to = fold.triangle(other);
                        to.across[back] == number
                            && to.vertices[back] == ends[1]
                            && to.vertices[(back + 1) % 3] == ends[0]
                    };
                    assert!(other == FoldTriangle::BORDER || (0..3).any(is_back));
                }
                // Three corners in unequal shares are somewhere inside.
                let shares: [f64; 3] = [0.6, 0.3, 0.1];
                let corners = triangle.vertices.map(position);
                let inside = (0..3).map(|i| shares[i] * corners[i]).sum::<DVec3>();
                assert_eq!(fold.under(inside + plane.normal), number, "{sides} sides");
            }
            let own = hull.triangle_faces().iter().filter(|&&f| f == face as u32);
            assert_eq!(own.count(), triangle_count as usize);
        }
    }
    assert!(folded > 500, "{folded}");
}
