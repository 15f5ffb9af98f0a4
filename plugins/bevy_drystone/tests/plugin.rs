//! Bodies as entities: what falls lands, what is removed is gone, and the other way round.

use std::time::Duration;

use bevy_app::prelude::*;
use bevy_drystone::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::prelude::*;

/// An app whose frames take exactly `milliseconds`.
fn app(milliseconds: f64) -> App {
    let mut app = App::new();
    let frame = Duration::from_secs_f64(milliseconds / 1000.0);
    app.add_plugins((TimePlugin, DrystonePlugin::default()))
        .insert_resource(TimeUpdateStrategy::ManualDuration(frame));
    app.insert_resource(bevy_time::Time::<bevy_time::Fixed>::from_hz(64.0));
    app
}

fn run(app: &mut App, frames: usize) {
    for _ in 0..frames {
        app.update();
    }
}

fn height(app: &App, entity: Entity) -> f32 {
    app.world()
        .get::<Transform>(entity)
        .map_or(f32::NAN, |transform| transform.translation.y)
}

/// A box of half a metre dropped from three metres rests with its centre at half a metre,
/// and its transform says so.
#[test]
fn a_box_falls_and_its_transform_follows() {
    let mut app = app(15.625);
    app.world_mut()
        .spawn((RigidBody::Static, Collider::half_space()));
    let stone = app
        .world_mut()
        .spawn((
            RigidBody::Dynamic,
            Collider::cuboid(0.5, 0.5, 0.5),
            Transform::from_xyz(0.0, 3.0, 0.0),
        ))
        .id();
    run(&mut app, 150);
    assert!((height(&app, stone) - 0.5).abs() < 0.005);
}

/// The same drop with begin, sleep and entities named in the messages.
#[test]
fn messages_name_entities() {
    #[derive(Resource, Default)]
    struct Seen(Vec<(Entity, Entity)>, Vec<Entity>);
    let mut app = app(15.625);
    app.init_resource::<Seen>().add_systems(
        Update,
        |mut seen: ResMut<Seen>,
         mut began: MessageReader<ContactBegan>,
         mut slept: MessageReader<FellAsleep>| {
            seen.0.extend(began.read().map(|event| (event.a, event.b)));
            seen.1.extend(slept.read().map(|event| event.0));
        },
    );
    let floor = app
        .world_mut()
        .spawn((RigidBody::Static, Collider::half_space()))
        .id();
    let ball = app
        .world_mut()
        .spawn((
            RigidBody::Dynamic,
            Collider::ball(0.5),
            Transform::from_xyz(0.0, 1.0, 0.0),
        ))
        .id();
    run(&mut app, 200);
    let seen = app.world().resource::<Seen>();
    assert!(seen.0 == [(floor, ball)] || seen.0 == [(ball, floor)]);
    assert_eq!(seen.1, [ball]);
}

/// Despawning an entity removes its body; removing the component does so too.
#[test]
fn bodies_go_with_their_entities() {
    let mut app = app(15.625);
    let spawn = |app: &mut App| {
        app.world_mut()
            .spawn((RigidBody::Dynamic, Collider::ball(0.5)))
            .id()
    };
    let (first, second) = (spawn(&mut app), spawn(&mut app));
    run(&mut app, 2);
    let count = |app: &App| app.world().resource::<Physics>().world.body_keys().count();
    assert_eq!(count(&app), 2);
    app.world_mut().despawn(first);
    assert_eq!(count(&app), 1);
    app.world_mut().entity_mut(second).remove::<RigidBody>();
    run(&mut app, 1);
    assert_eq!(count(&app), 0);
    assert!(app.world().get::<Body>(second).is_none());
}

/// A transform set by a system is where the body is from then on; a velocity likewise.
#[test]
fn changed_components_are_commands() {
    let mut app = app(15.625);
    let ball = app
        .world_mut()
        .spawn((
            RigidBody::Dynamic,
            Collider::ball(0.5),
            Velocity::default(),
            BodySettings(drystone_def()),
        ))
        .id();
    run(&mut app, 3);
    app.world_mut()
        .entity_mut(ball)
        .insert(Transform::from_xyz(10.0, 0.0, 0.0));
    app.world_mut().entity_mut(ball).insert(Velocity {
        linear: Vec3::new(0.0, 0.0, 64.0),
        angular: Vec3::ZERO,
    });
    run(&mut app, 2);
    let at = app
        .world()
        .get::<Transform>(ball)
        .map_or(Vec3::NAN, |transform| transform.translation);
    assert!((at - Vec3::new(10.0, 0.0, 2.0)).length() < 0.001, "{at}");
}

/// Without gravity.
fn drystone_def() -> bevy_drystone::drystone::BodyDef {
    bevy_drystone::drystone::BodyDef {
        gravity_scale: 0.0,
        ..Default::default()
    }
}

/// Frames of a third of a step: the drawn ball moves in every frame, by a third of what a
/// step moves it.
#[test]
fn interpolated_bodies_move_in_every_frame() {
    let mut app = app(15.625 / 3.0);
    let ball = app
        .world_mut()
        .spawn((
            RigidBody::Dynamic,
            Collider::ball(0.5),
            BodySettings(drystone_def()),
            Velocity {
                linear: Vec3::X * 3.0,
                angular: Vec3::ZERO,
            },
            Interpolate,
        ))
        .id();
    run(&mut app, 12);
    let x = |app: &App| {
        app.world()
            .get::<Transform>(ball)
            .map_or(f32::NAN, |transform| transform.translation.x)
    };
    for _ in 0..30 {
        let before = x(&app);
        run(&mut app, 1);
        let moved = x(&app) - before;
        assert!((moved - 1.0 / 64.0).abs() < 0.0005, "{moved}");
    }
}

/// A ball joint holds two balls at their distance; its entity is told why a joint to nothing
/// is refused.
#[test]
fn joints_hold_and_refusals_say_why() {
    #[derive(Resource, Default)]
    struct Reasons(Vec<String>);
    let mut app = app(15.625);
    app.init_resource::<Reasons>().add_systems(
        Update,
        |mut reasons: ResMut<Reasons>, mut refused: MessageReader<Refused>| {
            reasons.0.extend(refused.read().map(|m| m.reason.clone()));
        },
    );
    let post = app.world_mut().spawn(RigidBody::Static).id();
    let bob = app
        .world_mut()
        .spawn((
            RigidBody::Dynamic,
            Collider::ball(0.1),
            Transform::from_xyz(1.0, 0.0, 0.0),
        ))
        .id();
    let nothing = app.world_mut().spawn_empty().id();
    app.world_mut().spawn(Joint::new(
        JointKind::BALL,
        (post, Vec3::ZERO),
        (bob, Vec3::new(-1.0, 0.0, 0.0)),
    ));
    app.world_mut().spawn(Joint::new(
        JointKind::BALL,
        (post, Vec3::ZERO),
        (nothing, Vec3::ZERO),
    ));
    run(&mut app, 100);
    let at = app
        .world()
        .get::<Transform>(bob)
        .map_or(Vec3::NAN, |transform| transform.translation);
    assert!((at.length() - 1.0).abs() < 0.002, "{at}");
    let reasons = &app.world().resource::<Reasons>().0;
    assert_eq!(reasons, &["a joint needs two entities that are bodies"]);
}

/// A bob of 4.19 kg hangs from a joint that breaks above 20 N: it does, it is told, the bob falls.
#[test]
fn joints_break_and_say_so() {
    #[derive(Resource, Default)]
    struct Told(Vec<JointStrained>);
    let mut app = app(15.625);
    app.init_resource::<Told>().add_systems(
        Update,
        |mut told: ResMut<Told>, mut strained: MessageReader<JointStrained>| {
            told.0.extend(strained.read().copied());
        },
    );
    let post = app.world_mut().spawn(RigidBody::Static).id();
    let bob = app
        .world_mut()
        .spawn((
            RigidBody::Dynamic,
            Collider::ball(0.1),
            Transform::from_xyz(0.0, -1.0, 0.0),
        ))
        .id();
    let cord = app
        .world_mut()
        .spawn(Joint {
            threshold: Some(bevy_drystone::drystone::JointThreshold {
                force: Some(20.0),
                torque: None,
                breaks: true,
            }),
            ..Joint::new(JointKind::BALL, (post, Vec3::ZERO), (bob, Vec3::Y))
        })
        .id();
    run(&mut app, 60);
    let told = &app.world().resource::<Told>().0;
    assert_eq!(told.len(), 1);
    assert!(told[0].broken && told[0].joint == cord && told[0].force > 20.0);
    assert!(app.world().get::<JointHandle>(cord).is_none());
    assert!(height(&app, bob) < -2.0);
}

/// A kinematic platform follows its transform and carries the box on it.
#[test]
fn a_platform_carries_what_stands_on_it() {
    let mut app = app(15.625);
    let platform = app
        .world_mut()
        .spawn((RigidBody::Kinematic, Collider::cuboid(2.0, 0.1, 2.0)))
        .id();
    let rider = app
        .world_mut()
        .spawn((
            RigidBody::Dynamic,
            Collider::cuboid(0.2, 0.2, 0.2),
            Transform::from_xyz(0.0, 0.3, 0.0).with_rotation(Quat::IDENTITY),
        ))
        .id();
    for frame in 0..128 {
        let x = frame as f32 / 128.0;
        if let Some(mut transform) = app.world_mut().get_mut::<Transform>(platform) {
            transform.translation.x = x;
        }
        run(&mut app, 1);
    }
    let at = app
        .world()
        .get::<Transform>(rider)
        .map_or(Vec3::NAN, |transform| transform.translation);
    assert!((at.x - 1.0).abs() < 0.05, "{at}");
    assert!((at.y - 0.3).abs() < 0.005, "{at}");
}
