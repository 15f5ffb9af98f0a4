//! A camera that circles around a point.

use drystone::glam::DVec3;
use macroquad::prelude as mq;

/// Where the camera is, seen from what it looks at.
pub(crate) struct Orbit {
    /// Around Y, in radians.
    yaw: f32,
    /// Above the horizon, in radians.
    pitch: f32,
    /// In metres.
    distance: f32,
    last: mq::Vec2,
}

impl Default for Orbit {
    fn default() -> Self {
        Self {
            yaw: 0.6,
            pitch: 0.25,
            distance: 16.0,
            last: mq::Vec2::ZERO,
        }
    }
}

const TARGET: mq::Vec3 = mq::Vec3::new(0.0, 2.5, 0.0);

impl Orbit {
    /// The right button turns, the wheel comes nearer.
    pub(crate) fn follow_mouse(&mut self) {
        let now = mq::mouse_position_local();
        if mq::is_mouse_button_down(mq::MouseButton::Right) {
            let moved = now - self.last;
            self.yaw -= 2.0 * moved.x;
            self.pitch = (self.pitch + moved.y).clamp(0.02, 1.5);
        }
        self.last = now;
        let wheel = mq::mouse_wheel().1;
        if wheel != 0.0 {
            let factor = if wheel > 0.0 { 0.9 } else { 1.1 };
            self.distance = (self.distance * factor).clamp(3.0, 60.0);
        }
    }

    fn position(&self) -> mq::Vec3 {
        let level = libm::cosf(self.pitch) * self.distance;
        let around = mq::Vec3::new(
            libm::sinf(self.yaw) * level,
            0.0,
            libm::cosf(self.yaw) * level,
        );
        TARGET + around + mq::Vec3::Y * (libm::sinf(self.pitch) * self.distance)
    }

    pub(crate) fn camera(&self) -> mq::Camera3D {
        mq::Camera3D {
            position: self.position(),
            target: TARGET,
            up: mq::Vec3::Y,
            ..mq::Camera3D::default()
        }
    }

    /// From the camera through a point of the screen, which reaches from -1 to 1, y down.
    pub(crate) fn ray(&self, screen: mq::Vec2) -> (DVec3, DVec3) {
        let camera = self.camera();
        let forward = (camera.target - camera.position).normalize();
        let right = forward.cross(camera.up).normalize();
        let up = right.cross(forward);
        let height = libm::tanf(camera.fovy / 2.0);
        let width = height * mq::screen_width() / mq::screen_height();
        let along = (forward + right * (screen.x * width) - up * (screen.y * height)).normalize();
        let wide = |v: mq::Vec3| DVec3::new(f64::from(v.x), f64::from(v.y), f64::from(v.z));
        (wide(camera.position), wide(along))
    }
}
