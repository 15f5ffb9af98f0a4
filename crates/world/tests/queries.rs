//! Rays, casts, overlaps and closest points, against answers by hand and by brute force.

use drystone::geometry::rotation;
use drystone::glam::{DVec3, Vec3};
use drystone::{
    BodyDef, BodyKey, DebugDraw, DrawSettings, Filter, QueryFilter, RayCast, Settings, Shape,
    ShapeDef, World, WorldAabb, WorldPose,
};

const ALL: QueryFilter<'static> = QueryFilter {
    filter: Filter {
        category: 1,
        mask: u32::MAX,
        group: 0,
    },
    exclude: None,
    sensors: false,
    predicate: None,
};

fn add(world: &mut World, at: DVec3, shape: Shape) -> BodyKey {
    world
        .add_body(BodyDef::dynamic().at(at).with_shape(shape))
        .unwrap()
}

fn random(state: &mut u64) -> f64 {
    *state = state
        .wrapping_mul(6364136223846793005)
        .wrapping_add(1442695040888963407);
    (*state >> 11) as f64 / (1_u64 << 53) as f64
}

/// Three bodies in a row along X; known by hand.
#[test]
fn a_ray_meets_what_is_first() {
    let mut world = World::new(Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    })
    .unwrap();
    let ball = add(&mut world, DVec3::new(3.0, 0.0, 0.0), Shape::sphere(0.5));
    let cube = add(
        &mut world,
        DVec3::new(6.0, 0.0, 0.0),
        Shape::cube(Vec3::splat(0.5)),
    );
    let pill = add(
        &mut world,
        DVec3::new(9.0, 0.0, 0.0),
        Shape::capsule(0.5, 0.25),
    );
    let way = DVec3::new(20.0, 0.0, 0.0);
    let hits = world.cast_ray_all(DVec3::ZERO, way, &ALL);
    let bodies: Vec<_> = hits.iter().map(|hit| hit.body).collect();
    assert_eq!(bodies, [ball, cube, pill]);
    for (hit, x) in hits.iter().zip([2.5, 5.5, 8.75]) {
        assert!(
            (hit.point - DVec3::new(x, 0.0, 0.0)).length() < 1e-9,
            "{hit:?}"
        );
        assert!((hit.normal - Vec3::NEG_X).length() < 1e-6, "{hit:?}");
        assert!((hit.fraction * 20.0 - x).abs() < 1e-9);
    }
    assert_eq!(world.cast_ray(DVec3::ZERO, way, &ALL), Some(hits[0]));
    assert!(world.is_ray_blocked(DVec3::ZERO, way, &ALL));
    let through = world
        .cast_ray(DVec3::ZERO, way, &QueryFilter::without(ball))
        .unwrap();
    assert_eq!(through.body, cube);
    let only_pill = |shape| world.shape(shape).unwrap().body().key() == pill;
    let filter = QueryFilter {
        predicate: Some(&only_pill),
        ..ALL
    };
    assert_eq!(
        world.cast_ray(DVec3::ZERO, way, &filter).unwrap().body,
        pill
    );
    assert!(world.cast_ray(DVec3::ZERO, -way, &ALL).is_none());
    let inside = world
        .cast_ray(DVec3::new(3.0, 0.1, 0.0), way, &ALL)
        .unwrap();
    assert_eq!((inside.fraction, inside.normal), (0.0, Vec3::NEG_X));
    assert!(
        world
            .cast_ray(DVec3::new(f64::NAN, 0.0, 0.0), way, &ALL)
            .is_none()
    );
    world.set_enabled(ball, false).unwrap();
    assert_eq!(world.cast_ray(DVec3::ZERO, way, &ALL).unwrap().body, cube);
    world
        .teleport(cube, WorldPose::from_position(DVec3::new(0.0, 50.0, 0.0)))
        .unwrap();
    assert_eq!(world.cast_ray(DVec3::ZERO, way, &ALL).unwrap().body, pill);
}

/// Random rays at random bodies of all kinds. The oracle: the hit lies on the surface, the
/// way there is free, and a point sampled densely along a missing ray is never inside.
#[test]
fn random_rays_agree_with_distances() {
    let mut world = World::new(Settings::default()).unwrap();
    let mut state = 3;
    let corners: Vec<_> = (0..20)
        .map(|_| {
            Vec3::new(
                random(&mut state) as f32,
                random(&mut state) as f32,
                random(&mut state) as f32,
            )
        })
        .collect();
    for i in 0..60 {
        let shape = match i % 4 {
            0 => Shape::sphere(0.6),
            1 => Shape::capsule(0.5, 0.3),
            2 => Shape::cube(Vec3::new(0.3, 0.6, 0.9)),
            _ => Shape::hull(&corners).unwrap(),
        };
        let at = DVec3::new(random(&mut state), random(&mut state), random(&mut state)) * 8.0;
        let def = BodyDef {
            rotation: rotation::from_scaled_axis(Vec3::new(i as f32, 0.5, -0.3 * i as f32)),
            ..BodyDef::fixed().at(at).with_shape(shape)
        };
        world.add_body(def).unwrap();
    }
    let rays: Vec<_> = (0..400)
        .map(|_| {
            let mut point = || {
                DVec3::new(random(&mut state), random(&mut state), random(&mut state)) * 12.0 - 2.0
            };
            let (origin, end) = (point(), point());
            RayCast {
                origin,
                translation: end - origin,
            }
        })
        .collect();
    let answers = world.cast_rays(&rays, &ALL);
    let mut hits = 0;
    for (ray, answer) in rays.iter().zip(&answers) {
        assert_eq!(*answer, world.cast_ray(ray.origin, ray.translation, &ALL));
        let until = answer.map_or(1.0, |hit| hit.fraction);
        for i in 0..20 {
            let at = ray.origin + ray.translation * (until * f64::from(i) / 20.0);
            let near = world.closest(at, 100.0, &ALL).unwrap();
            assert!(until == 0.0 || near.distance > -1e-9, "{near:?}");
        }
        if let Some(hit) = answer.filter(|hit| hit.fraction > 0.0) {
            hits += 1;
            let near = world.closest(hit.point, 1.0, &ALL).unwrap();
            assert!(near.distance.abs() < 1e-8, "{hit:?} {near:?}");
            assert!(hit.normal.as_dvec3().dot(ray.translation) <= 1e-9);
        }
    }
    assert!(hits > 100, "{hits}");
}

/// A box falls on a ball and on a mesh; by hand. Overlap, closest point and bodies in a box
/// likewise.
#[test]
fn shapes_are_cast_and_overlap() {
    let mut world = World::new(Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    })
    .unwrap();
    let ball = add(&mut world, DVec3::ZERO, Shape::sphere(1.0));
    let cube = Shape::cube(Vec3::splat(0.5));
    let start = WorldPose::from_position(DVec3::new(0.0, 5.0, 0.0));
    let way = DVec3::new(0.0, -10.0, 0.0);
    let hit = world.cast_shape(&cube, &start, way, &ALL).unwrap().unwrap();
    assert!((hit.fraction - 0.35).abs() < 1e-9, "{hit:?}");
    assert!((hit.point - DVec3::Y).length() < 1e-6);
    assert!((hit.normal - Vec3::Y).length() < 1e-6);
    let beside = WorldPose::from_position(DVec3::new(1.6, 5.0, 0.0));
    assert!(
        world
            .cast_shape(&cube, &beside, way, &ALL)
            .unwrap()
            .is_none()
    );
    assert!(
        world
            .cast_shape(&Shape::half_space(Vec3::Y), &start, way, &ALL)
            .is_err()
    );
    // A plank above the ball turns a quarter about Z and meets it with its end.
    let plank = Shape::cube(Vec3::new(2.0, 0.05, 0.5));
    let (over, still) = (
        WorldPose::from_position(DVec3::new(0.0, 2.0, 0.0)),
        DVec3::ZERO,
    );
    assert!(
        world
            .cast_shape(&plank, &over, still, &ALL)
            .unwrap()
            .is_none()
    );
    let turn = Vec3::new(0.0, 0.0, std::f32::consts::FRAC_PI_2);
    let hit = world
        .cast_turning_shape(&plank, &over, still, turn, &ALL)
        .unwrap()
        .unwrap();
    assert!(hit.fraction > 0.3 && hit.fraction < 1.0, "{hit:?}");
    let near = |y: f64| WorldPose::from_position(DVec3::new(0.0, y, 0.0));
    assert_eq!(world.overlaps(&cube, &near(1.4), &ALL).unwrap().len(), 1);
    assert!(world.overlaps(&cube, &near(1.6), &ALL).unwrap().is_empty());
    let overlap = world
        .deepest_overlap(&cube, &near(1.4), &ALL)
        .unwrap()
        .unwrap();
    assert!((overlap.depth - 0.1).abs() < 1e-6 && overlap.body == ball);
    let closest = world
        .closest(DVec3::new(3.0, 0.0, 0.0), 10.0, &ALL)
        .unwrap();
    assert!((closest.distance - 2.0).abs() < 1e-9);
    assert!((closest.point - DVec3::X).length() < 1e-9);
    assert!(
        world
            .closest(DVec3::new(3.0, 0.0, 0.0), 1.0, &ALL)
            .is_none()
    );
    let region = WorldAabb {
        min: DVec3::splat(0.5),
        max: DVec3::splat(0.6),
    };
    assert_eq!(world.bodies_in(&region, &ALL), [ball]);
}

/// Sensors are seen on request, categories must agree.
#[test]
fn filters_decide_what_is_seen() {
    let mut world = World::new(Settings::default()).unwrap();
    let part = ShapeDef {
        sensor: true,
        filter: Filter {
            category: 2,
            mask: 4,
            group: 0,
        },
        ..ShapeDef::new(Shape::sphere(1.0))
    };
    world.add_body(BodyDef::fixed().with_part(part)).unwrap();
    let (from, way) = (DVec3::new(0.0, 5.0, 0.0), DVec3::new(0.0, -10.0, 0.0));
    let mut filter = QueryFilter {
        filter: Filter {
            category: 4,
            mask: 2,
            group: 0,
        },
        ..ALL
    };
    assert!(world.cast_ray(from, way, &filter).is_none());
    filter.sensors = true;
    assert!(world.cast_ray(from, way, &filter).is_some());
    filter.filter.category = 1;
    assert!(world.cast_ray(from, way, &filter).is_none());
}

/// A world can be asked from several threads at once.
#[test]
fn threads_may_ask_together() {
    let mut world = World::new(Settings {
        threads: 2,
        ..Settings::default()
    })
    .unwrap();
    add(&mut world, DVec3::ZERO, Shape::sphere(1.0));
    let world = &world;
    let hit = || world.cast_ray(DVec3::new(0.0, 5.0, 0.0), DVec3::new(0.0, -10.0, 0.0), &ALL);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(hit)).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), hit());
        }
    });
}

/// A unit cube is drawn as twelve lines, its box as twelve more, its contact as points.
#[test]
fn debug_drawing_is_plain_data() {
    let mut world = World::new(Settings::default()).unwrap();
    world
        .add_body(BodyDef::fixed().with_shape(Shape::cube(Vec3::splat(0.5))))
        .unwrap();
    let on_top = DVec3::new(0.0, 1.0, 0.0);
    add(&mut world, on_top, Shape::cube(Vec3::splat(0.5)));
    for _ in 0..10 {
        world.step();
    }
    let mut draw = DebugDraw::default();
    let settings = DrawSettings {
        boxes: true,
        ..DrawSettings::default()
    };
    world.debug_draw(&settings, &mut draw);
    assert_eq!(draw.points.len(), 4);
    assert_eq!(draw.lines.len(), 2 * 24 + 4);
    draw.clear();
    let far = WorldAabb {
        min: DVec3::splat(90.0),
        max: DVec3::splat(91.0),
    };
    world.debug_draw(
        &DrawSettings {
            region: far,
            ..settings
        },
        &mut draw,
    );
    assert_eq!(draw, DebugDraw::default());
}
