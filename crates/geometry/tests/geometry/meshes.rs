//! Meshes and height fields: neighbours and bends by hand, queries against brute force.

use std::sync::Arc;

use crate::oracle::Random;
use drystone_geometry::glam::{DVec3, Vec2, Vec3};
use drystone_geometry::mesh::{EdgeKind, HeightFieldError, MeshError, MeshOptions, Ray};
use drystone_geometry::{Aabb, HeightField, Shape, Surface, TriangleMesh};

fn mesh(vertices: &[Vec3], triangles: &[[u32; 3]]) -> TriangleMesh {
    TriangleMesh::new(vertices, triangles, MeshOptions::default()).expect("a good mesh")
}

/// Two triangles over the common side from (0, 0, 0) to (1, 0, 0): the first in the plane
/// y = 0 towards +z, the second towards -z with its far corner at `height`.
fn hinge(height: f32) -> TriangleMesh {
    let vertices = [
        Vec3::ZERO,
        Vec3::X,
        Vec3::new(0.5, 0.0, 1.0),
        Vec3::new(0.5, height, -1.0),
    ];
    mesh(&vertices, &[[0, 2, 1], [0, 1, 3]])
}

/// A hinge that is flat, rises, and falls by about 6 and 45 degrees; the kinds follow from
/// the definition. The other sides border nothing.
#[test]
fn edges_are_told_by_the_angle_between_their_triangles() {
    for (height, kind) in [
        (0.0, EdgeKind::Flat),
        (1e-5, EdgeKind::Flat),
        (0.1, EdgeKind::Concave),
        (-0.1, EdgeKind::Blunt),
        (-1.0, EdgeKind::Sharp),
    ] {
        let mesh = hinge(height);
        let open = EdgeKind::Boundary;
        assert_eq!(mesh.kinds(0), [open, open, kind], "height {height}");
        assert_eq!(mesh.kinds(1), [kind, open, open], "height {height}");
        assert_eq!(mesh.beyond(0, 2), Some(3), "triangle 1, side 0");
        assert_eq!(mesh.beyond(1, 0), Some(2), "triangle 0, side 2");
    }
}

/// Triangles that are turned against each other, and three at one side: neither is a
/// surface there, so all of them end.
#[test]
fn sides_that_are_no_surface_are_boundaries() {
    let vertices = [Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::NEG_Z, Vec3::Y];
    let against = mesh(&vertices, &[[0, 2, 1], [0, 3, 1]]);
    assert!(
        against
            .kinds(0)
            .iter()
            .all(|kind| *kind == EdgeKind::Boundary)
    );
    let three = mesh(&vertices, &[[0, 2, 1], [0, 1, 3], [0, 1, 4]]);
    for triangle in 0..3 {
        assert!((0..3).all(|side| three.beyond(triangle, side).is_none()));
    }
}

/// Corners given once per triangle, as files do, and zeros of both signs: the triangles
/// are neighbours all the same.
#[test]
fn vertices_at_one_place_count_as_one() {
    let vertices = [
        Vec3::ZERO,
        Vec3::Z,
        Vec3::X,
        Vec3::new(-0.0, 0.0, 0.0),
        Vec3::X,
        Vec3::NEG_Z,
    ];
    let mesh = mesh(&vertices, &[[0, 1, 2], [3, 4, 5]]);
    assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 5]]);
    assert_eq!(mesh.beyond(0, 2), Some(3));
}

/// One mistake each; the message names the vertex or triangle.
#[test]
fn bad_meshes_are_refused_by_name() {
    let good = [Vec3::ZERO, Vec3::X, Vec3::Y, 2.0 * Vec3::X];
    let mut nan = good;
    nan[2].y = f32::NAN;
    let refuse = |vertices: &[Vec3], triangles: &[[u32; 3]]| {
        TriangleMesh::new(vertices, triangles, MeshOptions::default()).expect_err("a bad mesh")
    };
    assert_eq!(refuse(&good, &[]), MeshError::Empty);
    let index = refuse(&good, &[[0, 1, 2], [0, 1, 9]]);
    assert!(index.to_string().contains("triangle 1 names vertex 9"));
    let line = refuse(&good, &[[0, 1, 2], [0, 1, 3]]);
    assert_eq!(line, MeshError::Degenerate { triangle: 1 });
    let same = refuse(&good, &[[0, 1, 1]]);
    assert_eq!(same, MeshError::Degenerate { triangle: 0 });
    assert!(refuse(&nan, &[[0, 1, 2]]).to_string().contains("vertex 2"));
    let options = MeshOptions {
        skip_degenerate: true,
        ..MeshOptions::default()
    };
    let mesh = TriangleMesh::new(&good, &[[0, 1, 3], [0, 1, 2]], options).expect("one is left");
    assert_eq!((mesh.triangles().len(), mesh.skipped()), (1, 1));
}

/// The same for height fields.
#[test]
fn bad_height_fields_are_refused_by_name() {
    let field =
        |size, heights, cell| HeightField::new(size, heights, Vec2::splat(cell), Vec3::ZERO);
    let wrong = |size, heights: Vec<f32>, cell: f32| field(size, heights, cell).expect_err("bad");
    assert!(matches!(
        wrong((1, 2), vec![0.0; 2], 1.0),
        HeightFieldError::Size { .. }
    ));
    assert!(matches!(
        wrong((2, 2), vec![0.0; 3], 1.0),
        HeightFieldError::Heights { .. }
    ));
    assert!(matches!(
        wrong((2, 2), vec![0.0; 4], 0.0),
        HeightFieldError::Number { .. }
    ));
    let nan = wrong((2, 2), vec![0.0, 0.0, f32::NAN, 0.0], 1.0);
    assert!(nan.to_string().contains("height 2"));
    let good = field((2, 3), vec![0.0; 6], 1.0).expect("good");
    assert!(good.clone().with_holes(vec![false]).is_err());
    assert_eq!(
        good.with_holes(vec![true, true]),
        Err(HeightFieldError::Empty)
    );
}

/// A field of random heights with holes, and the mesh of its triangles.
fn field_and_mesh(random: &mut Random, size: f32) -> (HeightField, TriangleMesh, Vec<u32>) {
    let (rows, columns) = (9, 7);
    let heights: Vec<f32> = (0..rows * columns)
        .map(|_| size * random.signed())
        .collect();
    let cell = Vec2::new(size, 0.7 * size);
    let origin = size * random.in_cube();
    let holes: Vec<bool> = (0..(rows - 1) * (columns - 1))
        .map(|_| random.signed() > 0.8)
        .collect();
    let field = HeightField::new((rows, columns), heights, cell, origin)
        .and_then(|field| field.with_holes(holes))
        .expect("a good field");
    let vertices: Vec<Vec3> = (0..(rows * columns) as u32)
        .map(|v| field.vertex(v))
        .collect();
    let ids: Vec<u32> = (0..field.triangle_count() as u32)
        .filter(|t| !field.is_hole(*t))
        .collect();
    let triangles: Vec<[u32; 3]> = ids.iter().map(|t| field.corner_ids(*t)).collect();
    let mesh = mesh(&vertices, &triangles);
    (field, mesh, ids)
}

/// A height field and the mesh of the same triangles agree about corners, neighbours and
/// bends, over scales.
#[test]
fn a_height_field_is_the_mesh_of_its_triangles() {
    let mut random = Random(5);
    for size in [0.01, 1.0, 300.0] {
        let (field, mesh, ids) = field_and_mesh(&mut random, size);
        for (own, id) in ids.iter().enumerate() {
            let own = own as u32;
            assert_eq!(field.corners(*id), mesh.corners(own));
            assert_eq!(field.kinds(*id), mesh.kinds(own), "triangle {id}");
            for side in 0..3 {
                let beyond = mesh
                    .beyond(own, side)
                    .map(|b| 3 * ids[b as usize / 3] + b % 3);
                assert_eq!(field.beyond(*id, side), beyond, "triangle {id} side {side}");
            }
        }
    }
}

/// Triangles strewn at random: no surface, but queries do not mind.
fn soup(random: &mut Random, count: usize, size: f32) -> TriangleMesh {
    let mut vertices = Vec::new();
    for _ in 0..count {
        let at = random.in_cube() * size;
        for _ in 0..3 {
            vertices.push(at + random.in_cube() * (0.2 * size));
        }
    }
    let triangles: Vec<[u32; 3]> = (0..count as u32)
        .map(|t| [3 * t, 3 * t + 1, 3 * t + 2])
        .collect();
    let options = MeshOptions {
        skip_degenerate: true,
        ..MeshOptions::default()
    };
    TriangleMesh::new(&vertices, &triangles, options).expect("mostly good triangles")
}

fn meet(a: &Aabb, b: &Aabb) -> bool {
    a.min.cmple(b.max).all() && b.min.cmple(a.max).all()
}

/// Boxes, points and rays around a surface against a look at every triangle.
fn check_queries(
    surface: Surface<'_>,
    exists: impl Fn(u32) -> bool,
    size: f32,
    random: &mut Random,
) {
    let all: Vec<u32> = (0..surface.triangle_count() as u32)
        .filter(|t| exists(*t))
        .collect();
    let (mut found, mut hits) = (Vec::new(), 0);
    for _ in 0..120 {
        let (p, q) = (1.5 * size * random.in_cube(), 1.5 * size * random.in_cube());
        let around = Aabb {
            min: p.min(q),
            max: p.max(q),
        };
        surface.triangles_in(&around, &mut found);
        let expected: Vec<u32> = (all.iter().copied())
            .filter(|t| meet(&surface.triangle_bounds(*t), &around))
            .collect();
        assert_eq!(found, expected);

        let point = p.as_dvec3();
        let distance = |t: u32| surface.triangle(t).closest(point).point.distance(point);
        let least = all
            .iter()
            .map(|t| distance(*t))
            .fold(f64::INFINITY, f64::min);
        let hit = surface
            .closest(point, f64::INFINITY)
            .expect("something is nearest");
        assert_eq!(hit.distance, least);
        assert_eq!(
            Some(&hit.triangle),
            all.iter().find(|t| distance(**t) == least)
        );
        assert!(surface.closest(point, 0.999 * least).is_none());

        let direction = (q - p).as_dvec3();
        let ray = Ray::new(point, direction);
        let times = |t: u32| ray.meets(surface.triangle(t).corners, 2.0);
        let first = all
            .iter()
            .filter_map(|t| times(*t))
            .fold(f64::INFINITY, f64::min);
        let hit = surface.ray(point, direction, 2.0);
        assert_eq!(hit.map_or(f64::INFINITY, |hit| hit.distance), first);
        assert_eq!(surface.ray_meets(point, direction, 2.0), hit.is_some());
        hits += usize::from(hit.is_some());
    }
    assert!(hits > 2, "only {hits} rays met anything");
}

/// Soups from one triangle to 500 and height fields with holes, over six orders of scale.
#[test]
fn queries_find_what_a_look_at_every_triangle_finds() {
    let mut random = Random(11);
    for size in [0.001, 1.0, 1000.0] {
        for count in [60, 500] {
            let mesh = soup(&mut random, count, size);
            check_queries(mesh.surface(), |_| true, size, &mut random);
        }
        let (field, ..) = field_and_mesh(&mut random, size);
        let middle = 0.5 * (field.bounds().min + field.bounds().max);
        let cells = field.heights().to_vec();
        let centred = HeightField::new((9, 7), cells, field.cell(), field.origin() - middle)
            .and_then(|f| f.with_holes(field.holes().to_vec()))
            .expect("moved");
        check_queries(
            centred.surface(),
            |t| !centred.is_hole(t),
            3.0 * size,
            &mut random,
        );
    }
}

/// Rays through the corners and side middles of a grid: each passes between triangles, and
/// must meet one of them.
#[test]
fn rays_do_not_slip_between_triangles() {
    let heights = (0..100).map(|i| 0.1 * ((i * 7) % 5) as f32).collect();
    let cell = Vec2::new(0.3, 0.7);
    let field =
        HeightField::new((10, 10), heights, cell, Vec3::new(-1.1, 0.0, -3.3)).expect("good");
    let surface = field.surface();
    for t in 0..field.triangle_count() as u32 {
        let corners = field.corners(t).map(|corner| corner.as_dvec3());
        for side in 0..3 {
            for target in [
                corners[side],
                0.5 * (corners[side] + corners[(side + 1) % 3]),
            ] {
                let inside = (target - surface.bounds().min.as_dvec3()).min_element() > 0.01;
                let from = target + DVec3::new(0.13, 2.0, -0.21);
                let hit = surface.ray(from, target - from, 1.5);
                let within = hit.is_some_and(|hit| (hit.distance - 1.0).abs() < 0.2);
                let beyond = target.x > 1.5 || target.z > 2.9;
                assert!(
                    within || !inside || beyond,
                    "triangle {t} side {side}: {hit:?}"
                );
            }
        }
    }
}

/// A mesh and a field through JSON and back equal what they were, trees and bends included.
#[test]
fn surfaces_survive_storage() {
    let mut random = Random(3);
    let (field, mesh, _) = field_and_mesh(&mut random, 1.0);
    for shape in [
        Shape::Mesh(Arc::new(mesh)),
        Shape::HeightField(Arc::new(field)),
    ] {
        let text = serde_json::to_string(&shape).expect("plain data");
        let back: Shape = serde_json::from_str(&text).expect("what was written");
        assert!(back == shape, "{} changed", shape.kind_name());
    }
}

/// The memory of a large grid, per triangle, stays what the documentation says.
#[test]
fn a_mesh_takes_about_55_bytes_a_triangle() {
    let n = 60;
    let vertices: Vec<Vec3> = (0..n * n)
        .map(|i| Vec3::new((i % n) as f32, 0.0, (i / n) as f32))
        .collect();
    let mut triangles = Vec::new();
    for row in 0..n - 1 {
        for column in 0..n - 1 {
            let at = row * n + column;
            triangles.push([at, at + n, at + n + 1]);
            triangles.push([at + n + 1, at + 1, at]);
        }
    }
    let mesh = mesh(&vertices, &triangles);
    let per_triangle = mesh.bytes() as f64 / triangles.len() as f64;
    assert!(per_triangle < 60.0, "{per_triangle} bytes a triangle");
    assert!(mesh.kinds(2000).iter().all(|kind| *kind == EdgeKind::Flat));
}

/// Two squares side by side whose corners differ by rounding, and one beside two half as long, which
/// share no side with it. By hand: the plane goes on, so none of the sides between is an end; with
/// one of the halves missing, the long side is.
#[test]
fn a_plane_goes_on_where_corners_differ_by_rounding_or_lie_on_a_side() {
    let near = 1.0 + 2.0 * f32::EPSILON;
    let vertices = [
        Vec3::ZERO,
        Vec3::Z,
        Vec3::X,
        Vec3::new(1.0, 0.0, 1.0),
        Vec3::new(near, 0.0, 0.0),
        Vec3::new(near, 0.0, near),
        Vec3::new(2.0, 0.0, 0.0),
    ];
    let welded = mesh(&vertices, &[[2, 1, 3], [4, 5, 6]]);
    assert_eq!(welded.kinds(0)[2], EdgeKind::Flat);
    assert_eq!(welded.beyond(0, 2), Some(3));
    assert_eq!(welded.corners(1)[0], vertices[4]);

    let vertices = [
        Vec3::ZERO,
        Vec3::Z,
        Vec3::NEG_X,
        Vec3::new(0.0, 0.0, 0.5),
        Vec3::new(1.0, 0.0, 0.25),
        Vec3::new(1.0, 0.0, 0.75),
    ];
    let halves = [[1, 0, 2], [0, 3, 4], [3, 1, 5]];
    let whole = mesh(&vertices, &halves);
    let half = mesh(&vertices, &halves[..2]);
    assert_eq!(whole.kinds(0)[0], EdgeKind::Flat);
    assert_eq!(whole.kinds(1)[0], EdgeKind::Flat);
    assert_eq!(whole.kinds(2)[0], EdgeKind::Flat);
    assert_eq!(half.kinds(0)[0], EdgeKind::Boundary);
    assert_eq!(half.kinds(1)[0], EdgeKind::Flat);
}
