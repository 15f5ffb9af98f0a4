//! Shapes on surfaces of triangles, against planes and by hand.

use crate::random::Random;
use drystone_geometry::glam::{DMat3, DVec3, Vec2, Vec3};
use drystone_geometry::mesh::MeshOptions;
use drystone_geometry::{Frame, HeightField, Manifold, Shape, Surface, TriangleMesh};
use drystone_narrow_phase::{
    CollideSettings, Counters, SurfaceContact, Tracker, collide, collide_surface,
};

/// A square of `2 n` by `2 n` cells of the given size around the origin, its inner corners
/// moved at random, its diagonals drawn at random, its height given by `height`.
pub(crate) fn ground(
    random: &mut Random,
    n: usize,
    cell: f32,
    height: impl Fn(Vec2) -> f32,
) -> TriangleMesh {
    let row = 2 * n as u32 + 1;
    let mut vertices = Vec::new();
    for i in 0..row * row {
        let (r, c) = (i / row, i % row);
        let inner = r > 0 && c > 0 && r < row - 1 && c < row - 1;
        let mut shift = || {
            if inner {
                0.2 * random.signed() as f32
            } else {
                0.0
            }
        };
        let at = cell * Vec2::new(c as f32 - n as f32 + shift(), r as f32 - n as f32 + shift());
        vertices.push(Vec3::new(at.x, height(at), at.y));
    }
    let mut triangles = Vec::new();
    for r in 0..row - 1 {
        for c in 0..row - 1 {
            let (p, q) = (r * row + c, (r + 1) * row + c);
            if random.signed() > 0.0 {
                triangles.extend([[p, q, q + 1], [q + 1, p + 1, p]]);
            } else {
                triangles.extend([[p, q, p + 1], [p + 1, q, q + 1]]);
            }
        }
    }
    TriangleMesh::new(&vertices, &triangles, MeshOptions::default()).expect("a good mesh")
}

/// A frame turned at random, at the origin.
pub(crate) fn turned(random: &mut Random) -> Frame {
    Frame {
        rotation: random.matrix(),
        translation: DVec3::ZERO,
    }
}

fn touch(surface: Surface<'_>, shape: &Shape, frame: &Frame, contact: &mut SurfaceContact) {
    let settings = CollideSettings::default();
    let mut counters = Counters::default();
    collide_surface(
        surface,
        shape,
        frame,
        false,
        &settings,
        contact,
        &mut counters,
    );
}

/// The manifolds with points, without memory.
pub(crate) fn touches(surface: Surface<'_>, shape: &Shape, frame: &Frame) -> Vec<Manifold> {
    let mut contact = SurfaceContact::default();
    touch(surface, shape, frame, &mut contact);
    contact
        .manifolds()
        .filter(|m| !m.is_empty())
        .copied()
        .collect()
}

pub(crate) fn shapes(random: &mut Random) -> Vec<Shape> {
    let cloud: Vec<Vec3> = (0..12)
        .map(|_| random.direction().as_vec3() * 0.6)
        .collect();
    let askew = Shape::Segment {
        a: Vec3::new(-0.3, 0.1, 0.2),
        b: Vec3::new(0.4, -0.2, 0.1),
    };
    vec![
        Shape::sphere(0.4),
        Shape::capsule(0.5, 0.2),
        Shape::rounded(askew, 0.2).expect("a positive radius"),
        Shape::cube(Vec3::new(0.5, 0.3, 0.8)),
        Shape::hull(&cloud).expect("a solid"),
    ]
}

/// The plane's contact, written as that of a surface: plane first.
fn on_plane(shape: &Shape, frame: &Frame) -> Manifold {
    let plane = Shape::half_space(Vec3::Y);
    let mut manifold = Manifold::EMPTY;
    let settings = CollideSettings::default();
    collide(
        &plane,
        shape,
        frame,
        &settings,
        &mut Tracker::default(),
        &mut manifold,
        &mut Counters::default(),
    );
    manifold
}

/// Places a shape so that its lowest point is at `depth` under the plane y = 0.
fn sink(shape: &Shape, mut frame: Frame, depth: f64) -> Frame {
    let bounds = shape.bounds_in(&frame);
    frame.translation.y -= bounds.min.y + depth;
    frame
}

/// Shapes in random poses on a flat floor of random triangles touch it exactly as they
/// touch a plane: one manifold, along y, the same number of points at the same depths and
/// places. Depths from a gap within the margin to a third of the size.
#[test]
fn a_flat_floor_of_triangles_is_a_plane() {
    let mut random = Random::new(1);
    for cell in [0.15, 0.5, 3.0] {
        let floor = ground(&mut random, 20, cell, |_| 0.0);
        let width = (f64::from(cell) * 19.0 - 1.5).min(8.0);
        for trial in 0..300 {
            for shape in shapes(&mut random) {
                let mut frame = turned(&mut random);
                if trial % 3 == 0 {
                    frame.rotation = Frame::IDENTITY.rotation;
                }
                frame.translation = DVec3::new(random.signed(), 0.0, random.signed()) * width;
                let frame = sink(&shape, frame, random.between(-0.015, 0.1));
                let found = touches(floor.surface(), &shape, &frame);
                let plane = on_plane(&shape, &frame);
                let name = shape.kind_name();
                assert_eq!(found.len(), 1, "{name} {frame:?} {found:?}");
                let found = found[0];
                assert!(
                    found.normal.abs_diff_eq(Vec3::Y, 1e-6),
                    "{name}: {}",
                    found.normal
                );
                let lowest = (found.min_separation() - plane.min_separation()).abs();
                assert!(lowest < 1e-6, "{name}: {lowest}");
                for point in plane.points() {
                    let same = found.points().iter().any(|p| {
                        p.anchor_b.abs_diff_eq(point.anchor_b, 1e-5)
                            && (p.separation - point.separation).abs() < 1e-5
                    });
                    let many = plane.points().len() == 4 && matches!(shape, Shape::Hull(_));
                    assert!(same || many, "{name} {frame:?}\n{plane:?}\n{found:?}");
                }
                assert!(
                    found.points().len() <= plane.points().len().max(1),
                    "{name}"
                );
            }
        }
    }
}

/// Logs, lying cones and boxes on an edge, on a flat floor of random triangles, level or tilted by
/// less than they rest with, rest on the same two ends as on a plane, whatever lies between.
#[test]
fn what_lies_on_a_floor_of_triangles_lies_on_its_ends() {
    let mut random = Random::new(5);
    for cell in [0.15, 0.5, 3.0] {
        let floor = ground(&mut random, 20, cell, |_| 0.0);
        let width = (f64::from(cell) * 19.0 - 1.5).min(8.0);
        for trial in 0..600 {
            let radius = random.between(0.1, 0.5) as f32;
            let half_height = random.between(0.2, 1.2) as f32;
            // What is turned down, and the line along which it then lies.
            let (shape, down, line) = match trial % 3 {
                0 => (Shape::cylinder(half_height, radius), DVec3::X, DVec3::NEG_Y),
                1 => {
                    let line = Vec3::new(radius, -2.0 * half_height, 0.0).as_dvec3();
                    let down = DVec3::new(-line.y, line.x, 0.0);
                    (Shape::cone(half_height, radius), down, line)
                }
                _ => (
                    Shape::cube(Vec3::new(radius, radius, half_height)),
                    DVec3::new(1.0, 1.0, 0.0),
                    DVec3::Z,
                ),
            };
            let (yaw, tilt) = (random.between(0.0, 6.0), random.between(-1e-3, 1e-3));
            let tilt = if trial % 2 == 0 { 0.0 } else { tilt };
            let along = DVec3::new(libm::cos(yaw), tilt, libm::sin(yaw)).normalize();
            let axes = |x: DVec3, y: DVec3| DMat3::from_cols(x, y, x.cross(y));
            let local = axes(down.normalize(), line.normalize());
            let placed = axes((along * along.y - DVec3::Y).normalize(), along);
            let frame = Frame {
                rotation: placed * local.transpose(),
                translation: DVec3::new(random.signed(), 0.0, random.signed()) * width,
            };
            let frame = sink(&shape, frame, random.between(-0.002, 0.02));
            let found = touches(floor.surface(), &shape, &frame);
            let plane = on_plane(&shape, &frame);
            let label = format!("{shape:?} {frame:?}\n{plane:?}\n{found:?}");
            assert_eq!((found.len(), plane.points().len()), (1, 2), "{label}");
            for end in plane.points() {
                let same = found[0].points().iter().any(|point| {
                    point.anchor_b.abs_diff_eq(end.anchor_b, 1e-3)
                        && (point.separation - end.separation).abs() < 1e-5
                });
                assert!(same, "{label}");
            }
        }
    }
}

/// A floor of two triangles a kilometre wide, and one of needles ten metres long and two
/// millimetres wide, under bodies from five centimetres to two metres: as over a plane, to
/// the rounding of an anchor in `f32` so far from the origin.
#[test]
fn huge_triangles_and_needles_are_a_plane_too() {
    let mut random = Random::new(10);
    let sheet = [(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)];
    let sheet = sheet.map(|(x, z)| Vec3::new(500.0 * x, 0.0, 500.0 * z));
    let sheet = TriangleMesh::new(&sheet, &[[0, 1, 2], [2, 3, 0]], MeshOptions::default());
    let strip: Vec<Vec3> = (0..4002)
        .map(|i| {
            Vec3::new(
                0.002 * (i / 2) as f32 - 2.0,
                0.0,
                if i % 2 == 0 { -5.0 } else { 5.0 },
            )
        })
        .collect();
    let needles: Vec<[u32; 3]> = (0..4000)
        .map(|i| {
            if i % 2 == 0 {
                [i, i + 1, i + 2]
            } else {
                [i + 1, i, i + 2]
            }
        })
        .collect();
    let strip = TriangleMesh::new(&strip, &needles, MeshOptions::default());
    for (floor, width) in [(sheet, 480.0), (strip, 0.5)] {
        let floor = floor.expect("a good mesh");
        for trial in 0..60 {
            let scale = [0.05, 0.3, 1.0][trial % 3];
            let scale = if width < 1.0 { 0.6 * scale } else { scale };
            for shape in [
                Shape::sphere(scale),
                Shape::capsule(scale, 0.5 * scale),
                Shape::cube(Vec3::new(1.0, 0.6, 0.8) * scale),
            ] {
                let mut frame = turned(&mut random);
                frame.translation = DVec3::new(random.signed(), 0.0, random.signed()) * width;
                let frame = sink(&shape, frame, f64::from(scale) * random.between(-0.01, 0.2));
                let (found, plane) = (
                    touches(floor.surface(), &shape, &frame),
                    on_plane(&shape, &frame),
                );
                let name = shape.kind_name();
                assert_eq!(found.len(), 1, "{name} {frame:?} {found:?}");
                assert!(
                    found[0].normal.abs_diff_eq(Vec3::Y, 1e-6),
                    "{name}: {}",
                    found[0].normal
                );
                let lower = found[0].min_separation() - plane.min_separation();
                assert!(lower.abs() < 1e-6, "{name} {frame:?}: {lower}");
            }
        }
    }
}

/// The same pose in both orders of the pair: anchors exchanged, the normal turned round.
#[test]
fn the_order_of_the_pair_changes_only_the_frames() {
    let mut random = Random::new(2);
    let floor = ground(&mut random, 6, 0.5, |at| 0.2 * at.x * at.y);
    let settings = CollideSettings::default();
    for _ in 0..200 {
        for shape in shapes(&mut random) {
            let mut frame = turned(&mut random);
            frame.translation = DVec3::new(random.signed(), 0.1 * random.signed(), random.signed());
            let contacts = [false, true].map(|shape_is_a| {
                let mut contact = SurfaceContact::default();
                let mut counters = Counters::default();
                let surface = floor.surface();
                collide_surface(
                    surface,
                    &shape,
                    &frame,
                    shape_is_a,
                    &settings,
                    &mut contact,
                    &mut counters,
                );
                contact
            });
            assert_eq!(contacts[0].manifolds().len(), contacts[1].manifolds().len());
            for (first, second) in contacts[0].manifolds().zip(contacts[1].manifolds()) {
                let turned = frame.rotate(second.normal.as_dvec3()).as_vec3();
                assert!((first.normal + turned).length() < 1e-6);
                assert_eq!(first.points().len(), second.points().len());
                for (p, q) in first.points().iter().zip(second.points()) {
                    assert_eq!((p.anchor_a, p.anchor_b), (q.anchor_b, q.anchor_a));
                    assert_eq!((p.separation, p.feature), (q.separation, q.feature));
                }
            }
        }
    }
}

/// Shapes that wander over hilly ground with their memory kept: what is found is what a
/// cold query finds, as far as recycling and hysteresis allow: the same deepest point to
/// within a few millimetres whenever one of them sees anything.
#[test]
fn memory_changes_answers_by_little() {
    let mut random = Random::new(3);
    let hills = ground(&mut random, 10, 0.6, |at| {
        0.15 * libm::sinf(2.0 * at.x) * libm::cosf(at.y)
    });
    for shape in shapes(&mut random) {
        let (mut warm, mut worst, mut seen) = (SurfaceContact::default(), 0.0_f32, 0);
        let mut at = DVec3::new(-2.0, 0.0, -1.0);
        for _ in 0..400 {
            at += DVec3::new(
                random.between(-0.02, 0.03),
                0.0,
                random.between(-0.02, 0.025),
            );
            let mut frame = Frame::IDENTITY;
            let lift = hills.surface().closest(at, 10.0).expect("ground").point.y;
            frame.translation = DVec3::new(at.x, lift, at.z);
            let frame = sink(&shape, frame, -lift);
            touch(hills.surface(), &shape, &frame, &mut warm);
            let cold = touches(hills.surface(), &shape, &frame);
            let least = |m: &mut dyn Iterator<Item = f32>| m.fold(0.02, f32::min);
            let warm = least(&mut warm.manifolds().map(Manifold::min_separation));
            let cold = least(&mut cold.iter().map(Manifold::min_separation));
            worst = worst.max((warm - cold).abs());
            seen += usize::from(cold < 0.02);
        }
        assert!(seen > 100, "{} touched {seen} times", shape.kind_name());
        assert!(worst < 0.004, "{}: {worst}", shape.kind_name());
    }
}

/// A ball and a box below a floor that ends far away: nothing is felt from behind, unless
/// the surface has two sides; then the normal is -y.
#[test]
fn triangles_are_felt_from_the_front_alone_unless_they_have_two_sides() {
    let mut random = Random::new(4);
    let floor = ground(&mut random, 10, 0.5, |_| 0.0);
    let options = MeshOptions {
        two_sided: true,
        ..MeshOptions::default()
    };
    let both = TriangleMesh::new(floor.vertices(), floor.triangles(), options).expect("the same");
    for shape in shapes(&mut random) {
        let frame = sink(&shape, turned(&mut random), 0.0);
        let height = shape.bounds_in(&frame);
        let mut below = frame;
        below.translation.y -= height.max.y - 0.01;
        assert_eq!(touches(floor.surface(), &shape, &below), []);
        let found = touches(both.surface(), &shape, &below);
        assert_eq!(found.len(), 1, "{}", shape.kind_name());
        assert!(found[0].normal.abs_diff_eq(Vec3::NEG_Y, 1e-6));
        assert!((found[0].min_separation() + 0.01).abs() < 1e-5);
    }
}

/// Shapes that are pressed through a floor in steps of a tenth of their size keep being
/// pushed out through the front, by their whole depth, also when their centre is below.
#[test]
fn what_came_from_the_front_is_pushed_out_there() {
    let mut random = Random::new(5);
    let floor = ground(&mut random, 10, 0.5, |_| 0.0);
    for shape in shapes(&mut random) {
        let start = turned(&mut random);
        let size = shape.bounds_in(&start);
        let size = size.max.y - size.min.y;
        let mut contact = SurfaceContact::default();
        for step in 0..9 {
            let depth = 0.1 * f64::from(step) * size;
            let frame = sink(&shape, start, depth);
            touch(floor.surface(), &shape, &frame, &mut contact);
            let found: Vec<_> = contact.manifolds().filter(|m| !m.is_empty()).collect();
            assert_eq!(found.len(), 1, "{} at {depth}", shape.kind_name());
            assert!(found[0].normal.abs_diff_eq(Vec3::Y, 1e-6));
            assert!((f64::from(found[0].min_separation()) + depth).abs() < 1e-5);
        }
    }
}

/// A ball, a lying capsule and a box in a groove of 90 degrees touch both of its sides;
/// the normals are those of the sides.
#[test]
fn a_groove_is_touched_on_both_sides() {
    let mut random = Random::new(6);
    let groove = ground(&mut random, 8, 0.5, |at| at.x.abs());
    // The columns at x = 0 must lie on the fold.
    let mut vertices = groove.vertices().to_vec();
    for (i, v) in vertices.iter_mut().enumerate() {
        if i % 17 == 8 {
            (v.x, v.y) = (0.0, 0.0);
        }
    }
    let groove = TriangleMesh::new(&vertices, groove.triangles(), MeshOptions::default());
    let groove = groove.expect("a good mesh");
    let about_z = |angle: f64| {
        let (s, c) = libm::sincos(angle);
        drystone_geometry::glam::DMat3::from_cols(
            DVec3::new(c, s, 0.0),
            DVec3::new(-s, c, 0.0),
            DVec3::Z,
        )
    };
    let quarter = std::f64::consts::FRAC_PI_4;
    let along_z = drystone_geometry::glam::DMat3::from_cols(DVec3::X, DVec3::Z, DVec3::NEG_Y);
    let root = std::f64::consts::SQRT_2;
    for (shape, rotation, height, points) in [
        (Shape::sphere(0.4), about_z(0.3), 0.4 * root, 1),
        (Shape::capsule(0.5, 0.4), along_z, 0.4 * root, 2),
        (
            Shape::cube(Vec3::splat(0.4)),
            about_z(quarter),
            0.4 * root,
            4,
        ),
    ] {
        let frame = Frame {
            rotation,
            translation: DVec3::new(0.0, height - 0.002, 0.1),
        };
        let found = touches(groove.surface(), &shape, &frame);
        assert_eq!(found.len(), 2, "{}: {found:?}", shape.kind_name());
        for side in [-1.0, 1.0] {
            let normal = Vec3::new(-side, 1.0, 0.0).normalize();
            let here = found.iter().find(|m| m.normal.dot(normal) > 0.9999);
            let here = here.expect("a manifold on either side");
            assert_eq!(here.points().len(), points, "{}", shape.kind_name());
            assert!((here.min_separation() + 0.002 / root as f32).abs() < 1e-5);
        }
    }
}

/// A height field answers as the mesh of its triangles does, to the bit but for the ids.
#[test]
fn a_height_field_is_touched_like_its_mesh() {
    let mut random = Random::new(7);
    let heights: Vec<f32> = (0..144).map(|_| 0.2 * random.signed() as f32).collect();
    let origin = Vec3::new(-2.75, 0.0, -2.75);
    let field = HeightField::new((12, 12), heights, Vec2::splat(0.5), origin).expect("good");
    let vertices: Vec<Vec3> = (0..144).map(|v| field.vertex(v)).collect();
    let triangles: Vec<[u32; 3]> = (0..242).map(|t| field.corner_ids(t)).collect();
    let mesh = TriangleMesh::new(&vertices, &triangles, MeshOptions::default()).expect("good");
    let mut touched = 0;
    for _ in 0..300 {
        for shape in shapes(&mut random) {
            let mut frame = turned(&mut random);
            frame.translation = DVec3::new(random.signed(), 0.5 * random.signed(), random.signed());
            let (first, second) = (
                touches(field.surface(), &shape, &frame),
                touches(mesh.surface(), &shape, &frame),
            );
            assert_eq!(first.len(), second.len());
            touched += first.len();
            for (a, b) in first.iter().zip(&second) {
                assert_eq!(
                    (a.normal, a.min_separation()),
                    (b.normal, b.min_separation())
                );
            }
        }
    }
    assert!(touched > 500, "{touched}");
}
