//! Ten boxes in a stack, and a ball thrown at them: `cargo run --example stack`.
//!
//! It runs without a window and prints what happens; in a game, add Bevy's default plugins
//! and `DebugDrawPlugin`, and the same entities are drawn.

use std::time::Duration;

use bevy_app::prelude::*;
use bevy_drystone::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::prelude::*;

#[derive(Component)]
struct Crate(usize);

fn set_up(mut commands: Commands) {
    commands.spawn((RigidBody::Static, Collider::half_space()));
    for level in 0..10 {
        commands.spawn((
            Crate(level),
            RigidBody::Dynamic,
            Collider::cuboid(0.5, 0.5, 0.5),
            Transform::from_xyz(0.0, 0.5 + level as f32, 0.0),
            Interpolate,
        ));
    }
    commands.spawn((
        RigidBody::Dynamic,
        Collider::ball(0.3),
        Velocity {
            linear: Vec3::new(20.0, 4.0, 0.0),
            angular: Vec3::ZERO,
        },
        Transform::from_xyz(-8.0, 5.0, 0.0),
    ));
}

fn say(mut began: MessageReader<ContactBegan>, crates: Query<&Crate>, mut frame: Local<usize>) {
    *frame += 1;
    for touch in began.read() {
        if let (Ok(a), Ok(b)) = (crates.get(touch.a), crates.get(touch.b))
            && a.0.abs_diff(b.0) > 1
        {
            println!("frame {}: crate {} lands on crate {}", *frame, a.0, b.0);
        }
    }
}

fn main() {
    let mut app = App::new();
    let frame = Duration::from_secs_f64(1.0 / 60.0);
    app.add_plugins((TimePlugin, DrystonePlugin::default()))
        .insert_resource(TimeUpdateStrategy::ManualDuration(frame))
        .add_systems(Startup, set_up)
        .add_systems(Update, say);
    for _ in 0..240 {
        app.update();
    }
    let mut crates = app.world_mut().query::<(&Crate, &Transform)>();
    for (level, transform) in crates.iter(app.world()) {
        println!("crate {}: {:.2}", level.0, transform.translation);
    }
}
