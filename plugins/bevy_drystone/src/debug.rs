//! The engine's debug drawing through Bevy's gizmos.

use bevy_app::prelude::*;
use bevy_color::Color;
use bevy_ecs::prelude::*;
use bevy_gizmos::prelude::*;
use bevy_math::{DVec3, Vec3};
use bevy_reflect::Reflect;
use drystone::{DebugDraw, DrawKind, DrawSettings};

use crate::Physics;
use crate::convert::to_bevy;

/// Draws shapes, contacts and joints. Needs Bevy's gizmo plugin (part of its default plugins).
#[derive(Clone, Debug, Default)]
pub struct DebugDrawPlugin;

/// The gizmos of physics: width, depth and whether they show are set in Bevy's `GizmoConfigStore`.
#[derive(Default, Reflect, GizmoConfigGroup)]
pub struct PhysicsGizmos;

/// Which marks are wanted.
#[derive(Resource, Clone, Debug, Default)]
pub struct DebugDrawSettings(pub DrawSettings);

impl Plugin for DebugDrawPlugin {
    fn build(&self, app: &mut App) {
        app.init_gizmo_group::<PhysicsGizmos>()
            .init_resource::<DebugDrawSettings>()
            .add_systems(PostUpdate, draw);
    }
}

fn color(kind: DrawKind) -> Color {
    match kind {
        DrawKind::Static => Color::srgb(0.5, 0.5, 0.5),
        DrawKind::Kinematic => Color::srgb(0.4, 0.6, 1.0),
        DrawKind::Awake => Color::srgb(1.0, 0.8, 0.5),
        DrawKind::Asleep => Color::srgb(0.5, 0.42, 0.3),
        DrawKind::Sensor => Color::srgb(0.5, 1.0, 0.6),
        DrawKind::Box => Color::srgb(0.35, 0.35, 0.45),
        DrawKind::Contact => Color::srgb(1.0, 0.3, 0.3),
        DrawKind::Joint => Color::srgb(0.9, 0.9, 0.3),
        DrawKind::Motion => Color::srgb(0.7, 0.4, 1.0),
        DrawKind::Name => Color::WHITE,
    }
}

fn draw(
    physics: Res<Physics>,
    settings: Res<DebugDrawSettings>,
    mut marks: Local<DebugDraw>,
    mut gizmos: Gizmos<PhysicsGizmos>,
) {
    marks.clear();
    physics.world.debug_draw(&settings.0, &mut marks);
    let local = |at: drystone::glam::DVec3| -> Vec3 {
        let at: DVec3 = to_bevy(at);
        (at - physics.origin).as_vec3()
    };
    for line in &marks.lines {
        gizmos.line(local(line.from), local(line.to), color(line.kind));
    }
    for point in &marks.points {
        let at = local(point.at);
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            gizmos.line(at - 0.02 * axis, at + 0.02 * axis, color(point.kind));
        }
    }
}
