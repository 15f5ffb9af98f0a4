//! Manifolds of random shapes in awkward poses: what must hold of every one, whatever the shapes,
//! the pose and the scale.

use drystone_geometry::glam::{DMat3, DQuat, DVec2, DVec3, Vec3};
use drystone_geometry::{Frame, Manifold, Separation, Shape, rotation};
use drystone_narrow_phase::{CollideSettings, Counters, Tracker, collide, distance};

use crate::certificate::gap_along;
use crate::random::Random;

/// Share of the size by which a normal may be worse than the best one: an axis of edges must be
/// that much better than a face, and more than that to end what was there in the last frame.
pub(crate) const PREFERENCE: f64 = 1.5 * 0.005;

/// Cosine of the angle, three degrees, by which a face's normal may be off that of crossing edges.
const LEVEL_COSINE: f64 = 1.0 - 0.5 * 0.05 * 0.05 - 1e-6;

/// Whether a contact rests on a face that is nearly level with the normal of least depth, and is as
/// deep, up to `slack` metres.
pub(crate) fn rests_level(manifold: &Manifold, least: &Separation, slack: f64) -> bool {
    manifold.normal.as_dvec3().dot(least.normal) >= LEVEL_COSINE
        && (f64::from(manifold.min_separation()) - least.lower).abs() <= slack
}

/// Share of the size that `f32` points and normals may be off by.
const STORED: f64 = 2e-6;

/// A box, a plate, a card, a hull or a prism of about this size.
fn body(random: &mut Random, size: f64) -> Shape {
    let mut length = |low: f64, high: f64| (size * random.between(low, high)) as f32;
    let half_extents = match length(0.0, 6.0) / size as f32 {
        kind if kind < 1.0 => Vec3::new(length(0.3, 1.0), length(0.3, 1.0), length(0.3, 1.0)),
        kind if kind < 2.0 => Vec3::new(length(0.3, 1.0), length(0.01, 0.02), length(0.3, 1.0)),
        kind if kind < 3.0 => Vec3::new(length(0.3, 1.0), length(0.001, 0.002), length(0.3, 1.0)),
        kind if kind < 4.0 => {
            let (radius, height) = (length(0.2, 1.0), length(0.02, 1.0));
            let corners = 3 + random.below(14);
            return prism(corners, radius, height);
        }
        kind => return random.hull(size, if kind < 5.0 { 8 } else { 40 }),
    };
    if random.below(2) == 0 {
        return Shape::Box { half_extents };
    }
    let corner = |i: u32| {
        let sign = |bit: u32| if i & bit == 0 { -1.0 } else { 1.0 };
        half_extents * Vec3::new(sign(1), sign(2), sign(4))
    };
    let corners: Vec<Vec3> = (0..8).map(corner).collect();
    Shape::hull(&corners).expect("a solid")
}

fn prism(corners: usize, radius: f32, half_height: f32) -> Shape {
    let rim = |y: f32| {
        (0..corners).map(move |i| {
            let (sin, cos) = libm::sincos(std::f64::consts::TAU * i as f64 / corners as f64);
            Vec3::new(radius * cos as f32, y, radius * sin as f32)
        })
    };
    let points: Vec<Vec3> = rim(-half_height).chain(rim(half_height)).collect();
    Shape::hull(&points).expect("a solid")
}

fn turn(axis: DVec3, angle: f64) -> DMat3 {
    let (sin, cos) = libm::sincos(0.5 * angle);
    let v = axis.normalize() * sin;
    rotation::to_dmatrix(DQuat::from_xyzw(v.x, v.y, v.z, cos))
}

/// Any rotation, one that lays faces on faces, or nearly that.
fn attitude(random: &mut Random) -> DMat3 {
    let quarter = std::f64::consts::FRAC_PI_2;
    let flush = turn(DVec3::Y, random.below(4) as f64 * quarter)
        * turn(DVec3::X, random.below(4) as f64 * quarter);
    match random.below(4) {
        0 => random.matrix(),
        1 => flush,
        2 => turn(DVec3::Y, random.signed()) * flush,
        _ => {
            let angle = libm::pow(10.0, random.between(-8.0, -1.0));
            turn(random.direction(), angle) * flush
        }
    }
}

/// A pose in which the shapes touch, overlap a little or much, or nearly touch.
fn touching(random: &mut Random, a: &Shape, b: &Shape, size: f64) -> Frame {
    let along = if random.below(2) == 0 {
        random.direction()
    } else {
        DVec3::Y + 0.2 * random.vector()
    };
    let mut pose = Frame {
        rotation: attitude(random),
        translation: 4.0 * size * along,
    };
    let apart = distance(a, b, &pose);
    let share = random.signed();
    let depth = size * (share * share * share * 0.1 + random.between(-0.01, 0.01));
    pose.translation -= (apart.lower + depth) * apart.normal;
    pose
}

struct Case {
    a: Shape,
    b: Shape,
    pose: Frame,
    size: f64,
    settings: CollideSettings,
}

impl Case {
    fn new(seed: u64, size: f64) -> Self {
        let mut random = Random::new(seed);
        let (a, b) = (body(&mut random, size), body(&mut random, size));
        Self {
            pose: touching(&mut random, &a, &b, size),
            a,
            b,
            size,
            settings: CollideSettings {
                margin: 0.02 * size as f32,
                recycle: false,
                leans: false,
                ..CollideSettings::default()
            },
        }
    }

    fn contact(&self, pose: &Frame, tracker: &mut Tracker, manifold: &mut Manifold) {
        let (a, b) = (&self.a, &self.b);
        let counters = &mut Counters::default();
        collide(a, b, pose, &self.settings, tracker, manifold, counters);
    }
}

fn all_cases(check: impl Fn(&Case, &str)) {
    for size in [0.01, 1.0, 100.0] {
        for seed in 0..250 {
            let case = Case::new(seed, size);
            check(&case, &format!("seed {seed}, size {size}"));
        }
    }
}

/// Over all shapes, poses and scales: the normal is nearly one of least depth (known from the
/// certified distance), or within three degrees of it if the depth is the same; no point
/// is deeper than the depth along it (a scan over all corners), and the deepest reaches it; and
/// every point lies on both shapes, up to the growth of faces.
#[test]
fn points_tell_the_depth_along_their_normal() {
    all_cases(|case, name| {
        let (mut tracker, mut manifold) = (Tracker::default(), Manifold::EMPTY);
        case.contact(&case.pose, &mut tracker, &mut manifold);
        let least = distance(&case.a, &case.b, &case.pose);
        if least.lower > 0.019 * case.size {
            return;
        }
        assert!(!manifold.is_empty(), "{name}: {least:?}");
        let normal = manifold.normal.as_dvec3();
        let stored = STORED * case.size;
        let deepest = f64::from(manifold.min_separation());
        let along = if rests_level(&manifold, &least, PREFERENCE * case.size + stored) {
            deepest
        } else {
            gap_along(&case.a, &case.b, &case.pose, normal)
        };
        assert!(
            along >= least.lower - PREFERENCE * case.size - stored,
            "{name}: {along} along the normal, but {} is possible",
            least.lower
        );
        assert!(
            deepest >= along - stored,
            "{name}: {deepest} beyond {along}"
        );
        assert!(
            deepest <= along + PREFERENCE * case.size,
            "{name}: {deepest} falls short of {along}"
        );
        for point in manifold.points() {
            let on_b = case.pose.transform_point(point.anchor_b.as_dvec3());
            let beyond = (
                height_over(&case.a, point.anchor_a),
                height_over(&case.b, point.anchor_b),
            );
            let most = 3e-4 * case.size;
            assert!(
                beyond.0.abs() <= most.max(deepest.abs())
                    && beyond.1.abs() <= most.max(deepest.abs()),
                "{name}: {beyond:?} off the surfaces, {point:?}"
            );
            let offset = on_b - point.anchor_a.as_dvec3();
            assert!(
                (offset.dot(normal) - f64::from(point.separation)).abs() < stored,
                "{name}"
            );
        }
    });
}

/// How far a point is outside the highest of the shape's faces under it.
fn height_over(shape: &Shape, point: Vec3) -> f64 {
    let point = point.as_dvec3();
    match shape {
        Shape::Box { half_extents } => (point.abs() - half_extents.as_dvec3()).max_element(),
        Shape::Hull(hull) => hull
            .faces()
            .iter()
            .map(|face| face.normal.dot(point) - face.offset)
            .fold(f64::NEG_INFINITY, f64::max),
        _ => unreachable!("bodies are boxes and hulls"),
    }
}

/// Exchanging the shapes turns the normal round, exchanges the anchors and keeps the ids.
#[test]
fn exchanging_shapes_exchanges_their_contact() {
    all_cases(|case, name| {
        let (mut tracker, mut manifold) = (Tracker::default(), Manifold::EMPTY);
        case.contact(&case.pose, &mut tracker, &mut manifold);
        let swapped = Case {
            a: case.b.clone(),
            b: case.a.clone(),
            pose: case.pose.inverse(),
            ..*case
        };
        let (mut tracker, mut other) = (Tracker::default(), Manifold::EMPTY);
        swapped.contact(&swapped.pose, &mut tracker, &mut other);
        assert_eq!(manifold.points().len(), other.points().len(), "{name}");
        let normal = -case.pose.rotate(other.normal.as_dvec3());
        assert!(
            (normal - manifold.normal.as_dvec3()).length() < STORED,
            "{name}"
        );
        for point in manifold.points() {
            let twin = other.points().iter().find(|p| p.feature == point.feature);
            let twin = twin.unwrap_or_else(|| panic!("{name}: no {:x}", point.feature));
            let off = (twin.anchor_a - point.anchor_b).length()
                + (twin.anchor_b - point.anchor_a).length();
            assert!(f64::from(off) < 10.0 * STORED * case.size, "{name}: {off}");
        }
    });
}

/// A manifold keeps its ids, its normal and its depths while the pose trembles by a billionth
/// of the size, frame after frame.
#[test]
fn noise_of_a_billionth_changes_no_manifold() {
    all_cases(|case, name| {
        let (mut tracker, mut manifold) = (Tracker::default(), Manifold::EMPTY);
        case.contact(&case.pose, &mut tracker, &mut manifold);
        // The first answer knows nothing of a last frame; the second stands.
        case.contact(&case.pose, &mut tracker, &mut manifold);
        let ids = |manifold: &Manifold| {
            let mut ids: Vec<u32> = manifold.points().iter().map(|p| p.feature).collect();
            ids.sort_unstable();
            ids
        };
        let before = manifold;
        let near_margin = before
            .points()
            .iter()
            .any(|p| f64::from(case.settings.margin - p.separation) < 1e-5 * case.size);
        if before.is_empty() || near_margin {
            return;
        }
        let mut random = Random::new(7);
        for _ in 0..6 {
            let pose = Frame {
                rotation: turn(random.direction(), 1e-9) * case.pose.rotation,
                translation: case.pose.translation + 1e-9 * case.size * random.vector(),
            };
            case.contact(&pose, &mut tracker, &mut manifold);
            assert_eq!(ids(&manifold), ids(&before), "{name}");
            let turned = (manifold.normal - before.normal).length();
            assert!(f64::from(turned) < 1e-5, "{name}: turned by {turned}");
            let sunk = (manifold.min_separation() - before.min_separation()).abs();
            assert!(f64::from(sunk) < STORED * case.size, "{name}: {sunk}");
        }
    });
}

/// The corners of the polygon that two convex polygons share, in no order.
fn shared_corners(a: &[DVec2], b: &[DVec2]) -> Vec<DVec2> {
    let sides = |p: &[DVec2]| -> Vec<(DVec2, DVec2)> {
        (0..p.len()).map(|i| (p[i], p[(i + 1) % p.len()])).collect()
    };
    let holds = |polygon: &[DVec2], point: DVec2| {
        let turns: Vec<f64> = sides(polygon)
            .iter()
            .map(|(from, to)| (*to - *from).perp_dot(point - *from))
            .collect();
        turns.iter().all(|t| *t >= 0.0) || turns.iter().all(|t| *t <= 0.0)
    };
    let mut corners: Vec<DVec2> = Vec::new();
    corners.extend(a.iter().filter(|p| holds(b, **p)));
    corners.extend(b.iter().filter(|p| holds(a, **p)));
    for (a0, a1) in sides(a) {
        for (b0, b1) in sides(b) {
            let cross = (a1 - a0).perp_dot(b1 - b0);
            let (s, t) = (
                (b0 - a0).perp_dot(b1 - b0) / cross,
                (b0 - a0).perp_dot(a1 - a0) / cross,
            );
            if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
                corners.push(a0 + s * (a1 - a0));
            }
        }
    }
    corners
}

/// Area of the convex hull of four points at most: the best order round of them.
fn quad_area(points: &[DVec2]) -> f64 {
    let middle = points.iter().sum::<DVec2>() / points.len() as f64;
    let mut order = points.to_vec();
    order.sort_by(|p, q| {
        let angle = |p: &DVec2| libm::atan2(p.y - middle.y, p.x - middle.x);
        angle(p).total_cmp(&angle(q))
    });
    let next = |i: usize| order[(i + 1) % order.len()];
    (0..order.len())
        .map(|i| 0.5 * (order[i] - middle).perp_dot(next(i) - middle))
        .sum()
}

/// Two plates or prisms lie flush on each other, turned and shifted at will: the four points kept
/// span nearly as much as the best four corners of the patch, which a search over all fours finds.
#[test]
fn four_points_of_a_flush_patch_span_it() {
    for seed in 0..300 {
        let mut random = Random::new(1000 + seed);
        let counts = [4, 4, 4 + random.below(5), 4 + random.below(9)];
        let rims = [counts[random.below(4)], counts[random.below(4)]];
        let sizes = [random.between(0.5, 1.0), random.between(0.5, 1.0)];
        let [a, b] = [0, 1].map(|i| prism(rims[i], sizes[i] as f32, 0.1));
        let spin = turn(DVec3::Y, 3.0 * random.signed());
        let shift = DVec3::new(0.4 * random.signed(), 0.2 - 0.002, 0.4 * random.signed());
        let pose = Frame {
            rotation: spin,
            translation: shift,
        };
        let outline = |i: usize| -> Vec<DVec3> {
            (0..rims[i])
                .map(|k| {
                    let (sin, cos) =
                        libm::sincos(std::f64::consts::TAU * k as f64 / rims[i] as f64);
                    sizes[i] * DVec3::new(cos, 0.0, sin)
                })
                .collect()
        };
        let flat = |p: DVec3| DVec2::new(p.x, p.z);
        let face_a: Vec<DVec2> = outline(0).into_iter().map(flat).collect();
        let face_b: Vec<DVec2> = outline(1)
            .into_iter()
            .map(|p| flat(pose.transform_point(p)))
            .collect();
        let patch = shared_corners(&face_a, &face_b);
        let mut best: f64 = 0.0;
        for i in 0..patch.len() {
            for j in i + 1..patch.len() {
                for k in j + 1..patch.len() {
                    for l in k + 1..patch.len() {
                        best = best.max(quad_area(&[patch[i], patch[j], patch[k], patch[l]]));
                    }
                }
            }
        }
        let settings = CollideSettings {
            margin: 0.02,
            recycle: false,
            leans: false,
            ..CollideSettings::default()
        };
        let (mut tracker, mut manifold) = (Tracker::default(), Manifold::EMPTY);
        let counters = &mut Counters::default();
        collide(
            &a,
            &b,
            &pose,
            &settings,
            &mut tracker,
            &mut manifold,
            counters,
        );
        let points: Vec<DVec2> = (manifold.points().iter())
            .map(|p| flat(p.anchor_a.as_dvec3()))
            .collect();
        if best > 0.02 {
            assert_eq!(points.len(), 4, "seed {seed}: a patch of {best} m^2");
            let share = quad_area(&points) / best;
            assert!(share > 0.9, "seed {seed}: {share} of {best} m^2");
        }
    }
}
