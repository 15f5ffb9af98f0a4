//! Rays against meshes and height fields where they are hardest: through corners and sides,
//! and along the triangles themselves.

use crate::oracle::{Random, fibonacci_sphere};
use drystone_geometry::glam::{DVec3, Vec2, Vec3};
use drystone_geometry::mesh::{MeshOptions, Ray, Triangle};
use drystone_geometry::{HeightField, Hull, Surface, TriangleMesh};

/// Cells along a side of the grids.
const CELLS: usize = 8;

/// A grid of heights up to `rough`, in metres, on cells that are no round numbers.
fn field(random: &mut Random, rough: f32) -> HeightField {
    let side = CELLS + 1;
    let heights = (0..side * side)
        .map(|_| rough * random.in_cube().y)
        .collect();
    let start = Vec3::new(-1.1, 0.3, -3.3);
    HeightField::new((side, side), heights, Vec2::new(0.7, 0.6), start).expect("a field")
}

/// The field's triangles as a mesh, turned and moved far away, and where its Y then points.
fn turned(field: &HeightField, random: &mut Random) -> (TriangleMesh, DVec3) {
    let (u, v) = (random.in_cube(), random.in_cube());
    let (x, y) = (u.normalize(), u.cross(v).normalize());
    let z = x.cross(y);
    let side = (CELLS + 1) as u32;
    let vertices: Vec<Vec3> = (0..side * side)
        .map(|i| {
            let p = field.vertex(i);
            x * p.x + y * p.y + z * p.z + 300.0 * v
        })
        .collect();
    let triangles: Vec<[u32; 3]> = (0..field.triangle_count() as u32)
        .map(|t| field.corner_ids(t))
        .collect();
    let mesh = TriangleMesh::new(&vertices, &triangles, MeshOptions::default()).expect("a mesh");
    (mesh, y.as_dvec3())
}

/// Rays from above, steeper than any triangle, at inner corners and at points on inner sides of
/// a surface: all meet it there, since the triangles around leave no gap.
fn check_grid(surface: Surface<'_>, up: DVec3, random: &mut Random, what: &str) {
    let side = CELLS as u32 + 1;
    let is_inner = |v: u32| {
        let (row, column) = (v / side, v % side);
        row.min(column) > 0 && row.max(column) < side - 1
    };
    for number in 0..6000 {
        let id = random.below(surface.triangle_count()) as u32;
        let triangle = surface.triangle(id);
        let ids = surface.corner_ids(id);
        let corner = random.below(3);
        let ends = [corner, (corner + 1) % 3];
        if !ends.iter().all(|&end| is_inner(ids[end])) {
            continue;
        }
        let [from, to] = ends.map(|end| triangle.corners[end]);
        let target = if number % 2 == 0 {
            from
        } else {
            from.lerp(to, f64::from(random.in_cube().x.abs()))
        };
        let origin = target + 3.0 * up + 0.3 * random.in_cube().as_dvec3();
        let hit = surface.ray(origin, target - origin, 1.01);
        let hit = hit.unwrap_or_else(|| panic!("{what}: {origin} passes at {target}"));
        let off = triangle_gap(surface, hit.triangle, hit.point);
        assert!(off < 1e-12 * (1.0 + origin.length()), "{what}: {off} off");
    }
}

fn triangle_gap(surface: Surface<'_>, id: u32, point: DVec3) -> f64 {
    surface.triangle(id).closest(point).point.distance(point)
}

#[test]
fn rays_do_not_slip_through_corners_of_grids() {
    let mut random = Random(5);
    for rough in [0.0, 1e-4, 0.1, 0.4] {
        let field = field(&mut random, rough);
        let what = format!("field {rough}");
        check_grid(field.surface(), DVec3::Y, &mut random, &what);
        let (mesh, up) = turned(&field, &mut random);
        let what = format!("mesh {rough}");
        check_grid(mesh.surface(), up, &mut random, &what);
    }
}

/// Rays from inside closed meshes at their corners and at their sides: none gets out.
#[test]
fn no_ray_leaves_a_closed_mesh() {
    let mut random = Random(6);
    let corners = (0..8).map(|i| {
        let sign = |bit: u32| if i >> bit & 1 == 0 { 1.0 } else { -1.0 };
        Vec3::new(sign(0), sign(1), sign(2))
    });
    let solids = [
        corners.collect(),
        fibonacci_sphere(12),
        fibonacci_sphere(100),
    ];
    for points in &solids {
        let count = points.len();
        for size in [1e-3, 1.0, 1e4] {
            let points: Vec<Vec3> = points.iter().map(|&point| size * point).collect();
            let hull = Hull::new(&points).expect("a hull");
            let options = MeshOptions::default();
            let mesh = TriangleMesh::new(hull.vertices(), hull.triangles(), options).expect("it");
            let surface = mesh.surface();
            for number in 0..4000 {
                let triangle = surface.triangle(random.below(surface.triangle_count()) as u32);
                let [from, to, _] = triangle.corners;
                let target = if number % 2 == 0 {
                    from
                } else {
                    from.lerp(to, f64::from(random.in_cube().x.abs()))
                };
                let origin = f64::from(0.1 * size) * random.in_cube().as_dvec3();
                let direction = target - origin;
                let hit = surface.ray(origin, direction, 2.0);
                let hit = hit.unwrap_or_else(|| panic!("out of {count} by {size} at {target}"));
                assert!((hit.distance - 1.0).abs() < 1e-9, "{hit:?}");
                assert!(surface.ray_meets(origin, direction, 2.0));
            }
        }
    }
}

/// Distance of a point to a triangle: to its sides, or to its plane over the inside.
fn gap(corners: [DVec3; 3], point: DVec3) -> f64 {
    let triangle = Triangle::new(corners);
    let sides = [0, 1, 2].map(|side| {
        let (along, from) = (triangle.side(side), point - corners[side]);
        let share = (from.dot(along) / along.length_squared()).clamp(0.0, 1.0);
        let inside = along.cross(from).dot(triangle.normal) >= 0.0;
        (from.distance(share * along), inside)
    });
    let nearest = sides
        .map(|side| side.0)
        .into_iter()
        .fold(f64::INFINITY, f64::min);
    if sides.iter().all(|side| side.1) {
        nearest.min(triangle.height(point).abs())
    } else {
        nearest
    }
}

/// Rays that run in the plane of a triangle, from a corner, along a side or across, where all
/// volumes are rounding: what is met lies on the triangle and on the ray, or nothing is.
#[test]
fn rays_in_the_plane_of_a_triangle_meet_it_or_nothing() {
    let mut random = Random(7);
    let mut met = 0;
    for number in 0..60_000 {
        let mut corners = [(); 3].map(|()| random.in_cube().as_dvec3());
        let is_sliver = number % 5 == 0;
        if is_sliver {
            corners[2] = corners[0].lerp(corners[1], 0.3) + 1e-6 * corners[2];
        }
        let [a, b, c] = corners;
        let mut in_plane = || {
            let share = 2.0 * random.in_cube().as_dvec3();
            a + share.x * (b - a) + share.y * (c - a)
        };
        let origin = if number % 2 == 0 { c } else { in_plane() };
        let target = if number % 4 < 2 { b } else { in_plane() };
        let direction = (target - origin) * if number % 3 == 0 { -1.0 } else { 1.0 };
        let Some(time) = Ray::new(origin, direction).meets(corners, 100.0) else {
            continue;
        };
        met += 1;
        let point = origin + time * direction;
        let off = gap(corners, point);
        // The plane of a sliver is known less well.
        let allowed = if is_sliver { 1e-9 } else { 1e-14 };
        assert!(
            off < allowed,
            "{number}: {off} off, {corners:?} {origin} {direction}"
        );
    }
    assert!(met > 1000, "{met} rays met their triangle");
}
