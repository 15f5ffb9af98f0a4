//! Curved shapes in valleys and pits of surfaces of triangles, as in the edges and corners of a
//! room: each wall pushes along its own normal, and nothing pushes out of the room.

use crate::meshes::{touches, turned};
use crate::random::Random;
use drystone_geometry::glam::{DMat3, DVec3, Vec3};
use drystone_geometry::mesh::MeshOptions;
use drystone_geometry::{Frame, Manifold, Shape, TriangleMesh};
use drystone_narrow_phase::distance;

/// Three walls that meet at the origin, two of them along the Z axis at an angle, and their
/// inward normals: a floor, a wall that rises from it, and the wall at their end.
fn pit(angle: f64, side: f64, cells: u32, is_two_sided: bool) -> (TriangleMesh, [DVec3; 3]) {
    let slope = DVec3::new(libm::cos(angle), libm::sin(angle), 0.0);
    let walls = [(DVec3::Z, DVec3::X), (slope, DVec3::Z), (DVec3::X, slope)];
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (across, along) in walls {
        let base = vertices.len() as u32;
        for i in 0..=cells {
            for j in 0..=cells {
                let at = (f64::from(i) * across + f64::from(j) * along) / f64::from(cells);
                vertices.push((side * at).as_vec3());
            }
        }
        for i in 0..cells {
            for j in 0..cells {
                let p = base + i * (cells + 1) + j;
                let q = p + cells + 1;
                triangles.extend([[p, q, q + 1], [q + 1, p + 1, p]]);
            }
        }
    }
    let options = MeshOptions {
        two_sided: is_two_sided,
        ..MeshOptions::default()
    };
    let mesh = TriangleMesh::new(&vertices, &triangles, options).expect("a good mesh");
    let normals = walls.map(|(across, along)| across.cross(along).normalize());
    (mesh, normals)
}

/// The lowest point of a shape over a wall through the origin, and how high it is.
fn lowest(normal: DVec3, shape: &Shape, frame: &Frame) -> (DVec3, f64) {
    let wall = Shape::half_space(normal.as_vec3());
    let found = distance(&wall, shape, frame);
    (found.point_b, found.lower)
}

/// The overlap told along a normal, if there is one.
fn told(found: &[Manifold], normal: DVec3) -> Option<f64> {
    let along = |m: &&Manifold| m.normal.as_dvec3().dot(normal) > 0.9999;
    let of_wall = found.iter().filter(along);
    of_wall
        .map(|m| f64::from(m.min_separation()))
        .reduce(f64::min)
}

/// Turned shapes of every curved kind, from touch to the middle below two walls at an edge or
/// three at a corner. Known from the planes of the walls: each normal is that of a wall, none
/// is deeper below it than the half-space says, and one whose deepest point is over its wall is
/// as deep, up to the preference for faces.
#[test]
fn nothing_pushes_out_of_a_room() {
    let mut random = Random::new(31);
    let (mut over, mut beyond) = (0, 0);
    for case in 0..900 {
        let scale = [1e-3, 1.0, 1e3][case % 3];
        let angle = random.between(50.0, 150.0).to_radians();
        let cells = 1 + random.below(5) as u32;
        let (mesh, normals) = pit(angle, 12.0 * scale, cells, random.signed() > 0.0);
        let [long, short] = [1.0, random.between(0.125, 1.0)].map(|x| (scale * x) as f32);
        let shape = match random.below(5) {
            0 => Shape::ellipsoid(Vec3::new(long, short, 0.7 * long)),
            1 => Shape::cone(long, short),
            2 => Shape::cylinder(short, long),
            3 => Shape::cylinder(long, short),
            _ => Shape::rounded(Shape::cone(short, long), 0.2 * short).expect("a radius"),
        };
        let mut frame = turned(&mut random);
        let middle = match *shape.without_rounding() {
            Shape::Cone { half_height, .. } => f64::from(-0.5 * half_height),
            _ => 0.0,
        };
        let share = if random.signed() > 0.0 { 0.05 } else { 0.9 };
        let is_corner = random.signed() > 0.0;
        let heights = normals.map(|normal| {
            let (_, low) = lowest(normal, &shape, &frame);
            let reach = normal.dot(frame.rotation.y_axis * middle) - low;
            -low - share * random.between(0.0, 1.0) * reach
        });
        let end = if is_corner { heights[2] } else { 5.0 * scale };
        let planes = DMat3::from_cols(normals[0], normals[1], normals[2]).transpose();
        frame.translation = planes.inverse() * DVec3::new(heights[0], heights[1], end);

        let found = touches(mesh.surface(), &shape, &frame);

        let size = f64::from(short);
        for manifold in found.iter().filter(|m| m.min_separation() < 0.0) {
            let normal = manifold.normal.as_dvec3();
            let wall = normals.iter().position(|n| n.dot(normal) > 0.9999);
            let wall = wall.unwrap_or_else(|| panic!("case {case}, {shape:?}: {normal}"));
            let (_, low) = lowest(normals[wall], &shape, &frame);
            let told = f64::from(manifold.min_separation());
            assert!(told > low - 0.001 * size, "case {case}: {told} below {low}");
        }
        for normal in normals {
            let (point, low) = lowest(normal, &shape, &frame);
            let foot = point - normal.dot(point) * normal;
            if low >= 0.0 {
                continue;
            }
            if normals.iter().any(|other| other.dot(foot) < -1e-6 * size) {
                beyond += 1;
                continue;
            }
            over += 1;
            let told = told(&found, normal);
            assert!(
                told.is_some_and(|told| (told - low).abs() < 0.006 * size),
                "case {case}, {shape:?}: {told:?} is not {low}"
            );
        }
    }
    assert!(over > 1000 && beyond > 100, "{over} {beyond}");
}

/// A ball that is an ellipsoid, and a log along the valley, whose middle is beside the floor and
/// before the wall that leans over it. By hand: over the floor they are deepest above its
/// side, where a circle of radius 1 around (x, y) is `y - sqrt(1 - x x)` high; below the wall by
/// what their radius is more than the distance of their middle.
#[test]
fn what_is_deepest_beyond_a_valley_is_told_at_its_edge() {
    let (mesh, [floor, wall, _]) = pit(120_f64.to_radians(), 12.0, 1, false);
    for shape in [Shape::ellipsoid(Vec3::ONE), Shape::cylinder(0.5, 1.0)] {
        for (x, y) in [(-0.1, 0.7), (-0.3, 0.7), (-0.4, 0.8), (-0.45, 0.85)] {
            let middle = DVec3::new(x, y, 4.0);
            // The axis of the log is along Z.
            let rotation = DMat3::from_cols(DVec3::Y, DVec3::Z, DVec3::X);
            let frame = Frame {
                rotation,
                translation: middle,
            };

            let found = touches(mesh.surface(), &shape, &frame);

            let expected = [
                (floor, y - (1.0 - x * x).sqrt()),
                (wall, wall.dot(middle) - 1.0),
            ];
            assert_eq!(found.len(), 2, "{found:?}");
            for (normal, height) in expected {
                let told = told(&found, normal);
                assert!(
                    told.is_some_and(|told| (told - height).abs() < 1e-5),
                    "({x}, {y}) along {normal}: {told:?} is not {height}"
                );
            }
        }
    }
}

/// Turned shapes whose foot is in the floor below a shelf of the same mesh that they do not touch. By
/// the exact distance from the shelf: only the floor pushes, by what it is entered.
#[test]
fn what_stands_under_a_shelf_does_not_touch_it() {
    let mut random = Random::new(5);
    let mut clear = 0;
    for case in 0..4000 {
        let high = random.between(0.1, 1.5) as f32;
        let sheet = |x: f32, y: f32| {
            [[x, -3.0], [x, 3.0], [3.0, 3.0], [3.0, -3.0]].map(|[x, z]| Vec3::new(x, y, z))
        };
        let vertices = [sheet(-3.0, 0.0), sheet(0.0, high)].concat();
        let triangles = [[0, 1, 2], [2, 3, 0], [4, 5, 6], [6, 7, 4]];
        let options = MeshOptions {
            two_sided: case % 2 == 0,
            ..MeshOptions::default()
        };
        let mesh = TriangleMesh::new(&vertices, &triangles, options).expect("a good mesh");
        let width = random.between(0.05, 1.0) as f32;
        let shape = match random.below(3) {
            0 => Shape::cylinder(1.0, width),
            1 => Shape::cone(1.0, width),
            _ => Shape::ellipsoid(Vec3::new(width, 1.0, width)),
        };
        let mut frame = turned(&mut random);
        let (foot, low) = lowest(DVec3::Y, &shape, &frame);
        let under = random.between(0.01, 0.3);
        frame.translation = DVec3::new(under - foot.x, -low - 0.001, -foot.z);
        let gap = |[a, b, c]: [usize; 3]| {
            let [a, b, c] = [a, b, c].map(|corner| vertices[corner]);
            distance(&Shape::triangle([a, b, c]), &shape, &frame).lower
        };
        if gap([4, 5, 6]).min(gap([6, 7, 4])) < 0.03 {
            continue;
        }
        clear += 1;

        let found = touches(mesh.surface(), &shape, &frame);

        assert!(told(&found, DVec3::Y).is_some(), "case {case}: {found:?}");
        for manifold in &found {
            let depth = manifold.min_separation();
            assert!(depth > -0.0011, "case {case}, {shape:?}: {manifold:?}");
        }
    }
    assert!(clear > 500, "{clear}");
}
