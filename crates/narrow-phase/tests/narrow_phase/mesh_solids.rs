//! Surfaces of triangles against the solids and the single triangles they are made of.

use crate::meshes::{ground, shapes, touches, turned};
use crate::random::Random;
use drystone_geometry::glam::Vec3;
use drystone_geometry::mesh::MeshOptions;
use drystone_geometry::{Manifold, Shape, TriangleMesh};
use drystone_narrow_phase::{CollideSettings, Counters, Tracker, collide};

/// The twelve triangles of a box.
fn box_mesh(half: Vec3) -> TriangleMesh {
    let vertices: Vec<Vec3> = (0..8)
        .map(|i| {
            let sign = |bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
            half * Vec3::new(sign(0), sign(1), sign(2))
        })
        .collect();
    let quads = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    let triangles: Vec<[u32; 3]> = quads
        .iter()
        .flat_map(|[a, b, c, d]| [[*a, *b, *c], [*c, *d, *a]])
        .collect();
    TriangleMesh::new(&vertices, &triangles, MeshOptions::default()).expect("a good mesh")
}

/// Shapes of every kind against the twelve triangles of a box and against the box itself,
/// from a centimetre apart to two centimetres deep, on faces, edges and corners: in every pose
/// the deepest point is as deep as that of the box, up to the preference for faces; none is
/// deeper. That preference is 0.005 of the smaller size, here 0.004 m at most.
#[test]
fn a_box_of_triangles_is_a_box() {
    let mut random = Random::new(8);
    let half = Vec3::new(1.0, 0.7, 1.3);
    let (mesh, solid) = (box_mesh(half), Shape::cube(half));
    let mut kinds = shapes(&mut random);
    kinds.push(Shape::cylinder(0.4, 0.3));
    kinds.push(Shape::cylinder(0.1, 0.6));
    kinds.push(Shape::cone(0.4, 0.3));
    kinds.push(Shape::ellipsoid(Vec3::new(0.5, 0.2, 0.3)));
    kinds.push(Shape::rounded(Shape::cylinder(0.3, 0.2), 0.1).expect("can be rounded"));
    for shape in kinds {
        let mut touched = 0;
        let name = shape.kind_name();
        for pose in 0..1500 {
            let mut frame = turned(&mut random);
            let way = random.direction();
            // From outside, until the boxes' gap along the way is about a centimetre deep.
            frame.translation = way * 4.0;
            let gap = drystone_narrow_phase::distance(&solid, &shape, &frame);
            frame.translation -= gap.normal * (gap.lower + random.between(-0.005, 0.02));
            let truth = drystone_narrow_phase::distance(&solid, &shape, &frame);
            if truth.lower > 0.01 {
                continue;
            }
            touched += 1;
            let found = touches(mesh.surface(), &shape, &frame);
            let least = found
                .iter()
                .map(Manifold::min_separation)
                .fold(1.0, f32::min);
            assert!(
                (f64::from(least) - truth.lower).abs() < 0.004,
                "{name}, pose {pose}: {least} is not {}, {found:?}",
                truth.lower
            );
        }
        assert!(touched > 1000, "{name}: {touched}");
    }
}

/// Shapes near and far from a hilly surface: the distance is the least over all triangles,
/// in both orders, and the one-manifold contact is the deepest of the many.
#[test]
fn the_distance_of_a_surface_is_that_of_its_nearest_triangle() {
    let mut random = Random::new(9);
    let hills = std::sync::Arc::new(ground(&mut random, 4, 0.5, |at| 0.3 * at.x * at.y));
    let surface = Shape::Mesh(std::sync::Arc::clone(&hills));
    for _ in 0..30 {
        for shape in shapes(&mut random) {
            let mut frame = turned(&mut random);
            frame.translation = 2.0 * random.vector();
            let least = (0..hills.triangles().len() as u32)
                .map(|t| Shape::Triangle {
                    points: hills.corners(t),
                })
                .map(|t| drystone_narrow_phase::distance(&t, &shape, &frame).lower)
                .fold(f64::INFINITY, f64::min);
            let found = drystone_narrow_phase::distance(&surface, &shape, &frame);
            let back = drystone_narrow_phase::distance(&shape, &surface, &frame.inverse());
            assert!(
                (found.lower - least).abs() < 1e-9,
                "{} {least}",
                found.lower
            );
            assert!((back.lower - least).abs() < 1e-9);
            let mut manifold = Manifold::EMPTY;
            let settings = CollideSettings::default();
            let mut tracker = Tracker::default();
            let mut counters = Counters::default();
            collide(
                &surface,
                &shape,
                &frame,
                &settings,
                &mut tracker,
                &mut manifold,
                &mut counters,
            );
            let deepest = touches(hills.surface(), &shape, &frame);
            let deepest = deepest
                .iter()
                .map(Manifold::min_separation)
                .fold(f32::INFINITY, f32::min);
            assert_eq!(manifold.min_separation(), deepest);
        }
    }
}
