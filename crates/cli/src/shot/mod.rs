//! `drystone shot`: a picture of a world as SVG, without a browser or a graphics card.
//!
//! Bodies are convex and hardly overlap, so a plane lies between any two of them, and the one
//! on the eye's side hides the other. The narrow phase finds these planes; sorting by them and
//! painting from back to front is exact, unlike sorting by distance. The same world gives the
//! same text on any machine.

mod camera;
mod order;
mod paint;
mod shadow;
mod solid;

use std::path::PathBuf;

use clap::Args;
use drystone::World;

use camera::Camera;

/// Draw a scene at one time as an SVG picture.
#[derive(Args, Clone, Debug)]
pub(crate) struct ShotArgs {
    /// The scene.
    pub(crate) file: PathBuf,
    /// Time of the picture, in seconds.
    #[arg(long, default_value_t = 0.0, value_name = "S", value_parser = at_least_zero)]
    pub(crate) at: f64,
    /// File to write.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Width in pixels.
    #[arg(long, default_value_t = 960, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(16..=10_000))]
    pub(crate) width: u32,
    /// Height in pixels.
    #[arg(long, default_value_t = 600, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(16..=10_000))]
    pub(crate) height: u32,
    /// Direction from which the scene is seen, in degrees about the vertical; 0 is from +Z.
    #[arg(long, default_value_t = 30.0, value_name = "DEGREES", value_parser = finite, allow_negative_numbers = true)]
    pub(crate) yaw: f64,
    /// Height from which the scene is seen, in degrees above the horizon.
    #[arg(long, default_value_t = 18.0, value_name = "DEGREES", value_parser = finite, allow_negative_numbers = true)]
    pub(crate) pitch: f64,
    /// How much closer than necessary to see everything.
    #[arg(long, default_value_t = 1.0, value_name = "FACTOR", value_parser = positive)]
    pub(crate) zoom: f64,
}

fn finite(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|value| value.is_finite());
    number.ok_or_else(|| "a number".to_owned())
}

fn at_least_zero(text: &str) -> Result<f64, String> {
    finite(text)
        .ok()
        .filter(|value| *value >= 0.0)
        .ok_or_else(|| "a number, at least 0".to_owned())
}

fn positive(text: &str) -> Result<f64, String> {
    finite(text)
        .ok()
        .filter(|value| *value > 0.0)
        .ok_or_else(|| "a number above 0".to_owned())
}

/// From where a picture is taken, and how large it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct View {
    /// In pixels, at least 1.
    pub(crate) width: u32,
    /// In pixels, at least 1.
    pub(crate) height: u32,
    /// Direction to the eye about the vertical, in radians; 0 is +Z.
    pub(crate) yaw: f64,
    /// Direction to the eye above the horizon, in radians, less than a quarter turn.
    pub(crate) pitch: f64,
    /// How much closer than necessary to see everything that moves, above 0.
    pub(crate) zoom: f64,
}

impl ShotArgs {
    /// The view the arguments ask for.
    pub(crate) fn view(&self) -> View {
        View {
            width: self.width,
            height: self.height,
            yaw: self.yaw.to_radians(),
            pitch: self.pitch.clamp(-89.0, 89.0).to_radians(),
            zoom: self.zoom,
        }
    }
}

impl Default for View {
    fn default() -> Self {
        let (yaw, pitch) = (30_f64.to_radians(), 18_f64.to_radians());
        Self {
            width: 960,
            height: 600,
            yaw,
            pitch,
            zoom: 1.0,
        }
    }
}

/// A picture of `world` as a whole SVG file.
pub(crate) fn svg(world: &World, view: &View) -> String {
    let camera = Camera::new(world, view);
    let (solids, grounds) = solid::gather(world, &camera);
    let order = order::back_to_front(&solids, camera.eye);
    paint::picture(&camera, &solids, &grounds, &order)
}

#[cfg(test)]
mod tests;
