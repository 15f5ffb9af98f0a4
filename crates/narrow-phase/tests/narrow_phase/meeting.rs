//! Edges that meet side by side: where the normal is the one midway between their faces.

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{Frame, Manifold, Shape, rotation};
use drystone_narrow_phase::{CollideSettings, Counters, Tracker, collide};

fn turned(angle: f64, x: f64, y: f64, z: f64) -> Frame {
    let rotation = rotation::from_axis_angle(Vec3::Z, angle as f32);
    Frame {
        rotation: rotation::to_dmatrix(rotation::to_double(rotation)),
        translation: DVec3::new(x, y, z),
    }
}

fn cuboid(half_extents: Vec3, is_hull: bool) -> Shape {
    if !is_hull {
        return Shape::Box { half_extents };
    }
    let corner = |i: u32| {
        let sign = |bit: u32| if i & bit == 0 { -1.0 } else { 1.0 };
        half_extents * Vec3::new(sign(1), sign(2), sign(4))
    };
    let corners: Vec<Vec3> = (0..8).map(corner).collect();
    Shape::hull(&corners).expect("a solid")
}

/// Two shapes and where they are in the world; the contact's normal is told there too.
struct Two {
    shapes: [Shape; 2],
    frames: [Frame; 2],
    margin: f64,
}

impl Two {
    fn contact(&self, leans: bool, tracker: &mut Tracker) -> (DVec3, Manifold) {
        let settings = CollideSettings {
            margin: self.margin as f32,
            recycle: false,
            leans,
            ..CollideSettings::default()
        };
        let mut manifold = Manifold::EMPTY;
        collide(
            &self.shapes[0],
            &self.shapes[1],
            &Frame::relative(&self.frames[0], &self.frames[1]),
            &settings,
            tracker,
            &mut manifold,
            &mut Counters::default(),
        );
        let normal = self.frames[0].rotate(manifold.normal.as_dvec3());
        (normal, manifold)
    }
}

/// Cards of half height 1 that lean on each other along the z axis, `lean` radians off the
/// vertical; the right one is `shift` metres higher than where they meet, and moved left by
/// `overlap`, all times `scale`.
fn cards(lean: f64, overlap: f64, shift: f64, scale: f64, is_hull: bool) -> Two {
    let (thickness, depth) = (0.02, 0.5);
    let (sin, cos) = libm::sincos(lean);
    let (x, y) = (sin + thickness * cos, cos + thickness * sin);
    let half = Vec3::new(thickness as f32, 1.0, depth as f32);
    let card = cuboid(scale as f32 * half, is_hull);
    Two {
        shapes: [card.clone(), card],
        frames: [
            turned(-lean, -scale * x, scale * y, 0.0),
            turned(
                lean,
                scale * (x - overlap),
                scale * (y + shift),
                0.3 * scale,
            ),
        ],
        margin: 0.1 * scale,
    }
}

/// Boxes and hulls at three scales that lean and overlap by little, not quite at the same height.
/// Known by hand: the normal is the line of symmetry, in either order of the shapes; the overlap is
/// that along it, at both ends of the part of the edges that they share.
#[test]
fn cards_that_lean_on_each_other_press_along_the_line_of_symmetry() {
    for scale in [0.01, 1.0, 100.0] {
        for lean in [0.15, 0.3, 0.45, 0.6] {
            for (overlap, shift) in [(1e-5, 0.0), (1e-3, 0.0), (1e-3, 2e-4), (1e-3, -2e-4)] {
                for is_hull in [false, true] {
                    let name = format!(
                        "scale {scale}, lean {lean}, overlap {overlap}, shift {shift}, {is_hull}"
                    );
                    let mut two = cards(lean, overlap, shift, scale, is_hull);
                    for sign in [1.0, -1.0] {
                        let (normal, manifold) = two.contact(true, &mut Tracker::default());
                        assert!(
                            (normal - sign * DVec3::X).length() < 1e-5,
                            "{name}: {normal}"
                        );
                        assert_eq!(manifold.points().len(), 2, "{name}");
                        for point in manifold.points() {
                            let off = f64::from(point.separation) + scale * overlap;
                            assert!(off.abs() < 1e-6 * scale, "{name}: {point:?}");
                        }
                        two.shapes.swap(0, 1);
                        two.frames.swap(0, 1);
                    }
                }
            }
        }
    }
}

/// One card slides up along the other and back, past where their edges count as meeting. Whatever
/// carries the contact, its normal is between those of the two faces, no deeper than twice the
/// least depth, but for half a percent of the size that is allowed to faces too; and it changes
/// twice in all, once on each way.
#[test]
fn a_normal_leaves_and_comes_back_once() {
    let (lean, overlap) = (0.4, 1e-3);
    for is_hull in [false, true] {
        let mut tracker = Tracker::default();
        let (mut changes, mut last) = (0, None);
        for step in 0..200 {
            let shift = 5e-5 * f64::from(100 - i32::abs(step - 100));
            let two = cards(lean, overlap, shift, 1.0, is_hull);
            let (normal, manifold) = two.contact(true, &mut tracker);
            let depth = -f64::from(manifold.min_separation());
            let least = overlap * libm::cos(lean) - shift * libm::sin(lean);
            assert!(
                depth <= 2.0 * least.max(0.0) + 1e-4 + 1e-6,
                "{step}: {depth}"
            );
            assert!(normal.x >= libm::cos(lean) - 1e-5, "{step}: {normal}");
            let is_midway = normal.x > 1.0 - 1e-6;
            changes += i32::from(last.is_some_and(|last| last != is_midway));
            last = Some(is_midway);
        }
        assert_eq!((changes, last), (2, Some(true)), "hull: {is_hull}");
    }
}

/// Known by hand: at a seam a box that lies flush on tiles is carried by their tops, and its normal
/// is vertical or level whether edges lean or not; one deep in the other is parted the shortest way.
#[test]
fn flush_and_deep_contacts_do_not_lean() {
    for is_hull in [false, true] {
        for x in [-1e-3, -1e-4, 0.0, 1e-4, 1e-3] {
            for y in [-1e-3, -1e-4, 1e-4] {
                let cube = cuboid(Vec3::splat(0.5), is_hull);
                let two = Two {
                    shapes: [cube.clone(), cube],
                    frames: [
                        turned(0.0, 0.0, 0.0, 0.0),
                        turned(0.0, 1.0 + x, 1.0 + y, 0.0),
                    ],
                    margin: 0.02,
                };
                let [leaning, plain] =
                    [true, false].map(|leans| two.contact(leans, &mut Tracker::default()));
                assert_eq!(leaning, plain, "{x}, {y}, hull: {is_hull}");
            }
        }
        let deep = Two {
            margin: 0.005,
            ..cards(0.4, 0.02, 0.0, 1.0, is_hull)
        };
        let [leaning, plain] =
            [true, false].map(|leans| deep.contact(leans, &mut Tracker::default()));
        assert_eq!(leaning, plain, "deep, hull: {is_hull}");
    }
}
