//! Paths of kinematic bodies.

use super::{Context, Name, Reader};
use crate::motion::Path;
use crate::schema::{MOTION, WAYPOINT};

/// A motion as written.
#[derive(Clone, Debug)]
pub(crate) struct MotionModel {
    pub(crate) body: Name,
    pub(crate) path: Path,
    pub(crate) start: f64,
    pub(crate) stop: Option<f64>,
}

impl Context<'_> {
    /// The motions of a list.
    pub(super) fn motions(&self, reader: &Reader<'_, '_>, field: &str) -> Vec<MotionModel> {
        let open = |item| Reader::open(&MOTION, item, self.sink);
        let readers = reader.items(field).iter().filter_map(open);
        readers.filter_map(|reader| motion(&reader)).collect()
    }
}

fn motion(reader: &Reader<'_, '_>) -> Option<MotionModel> {
    let body = reader.text("body");
    let path = reader.variant("path").and_then(|inner| path(&inner));
    let (start, stop) = (reader.number("start"), reader.optional("stop"));
    reader.finish();
    if stop.is_some_and(|stop| stop < start) {
        let message = "`stop` comes before `start`";
        let help = "exchange them";
        reader
            .sink
            .error(reader.place_of("stop"), "conflict", message, help);
    }
    Some(MotionModel {
        body: body?,
        path: path?,
        start,
        stop,
    })
}

fn path(reader: &Reader<'_, '_>) -> Option<Path> {
    let path = match reader.variant_name() {
        "Steady" => Path::Steady {
            velocity: reader.vector("velocity"),
        },
        "Oscillate" => Path::Oscillate {
            amplitude: reader.vector("amplitude"),
            period: reader.number("period"),
            phase: f64::from(reader.angle("phase")),
        },
        "Spin" => Path::Spin {
            axis: reader.direction("axis"),
            speed: f64::from(reader.angle("speed")),
        },
        "Circle" => Path::Circle {
            center: reader.vector("center"),
            axis: reader.direction("axis"),
            speed: f64::from(reader.angle("speed")),
        },
        _ => Path::Waypoints {
            points: waypoints(reader)?,
            repeat: reader.flag("repeat"),
        },
    };
    reader.finish();
    Some(path)
}

fn waypoints(reader: &Reader<'_, '_>) -> Option<Vec<(f64, drystone::glam::DVec3)>> {
    let mut points: Vec<(f64, drystone::glam::DVec3)> = Vec::new();
    let items = reader.items("points");
    if reader.has("points") && items.is_empty() {
        let message = "a path needs at least one point";
        let help = "add one: `(at: 1.0, offset: (0, 1, 0))`";
        reader
            .sink
            .error(reader.place_of("points"), "out-of-range", message, help);
    }
    for item in items {
        let point = Reader::open(&WAYPOINT, item, reader.sink)?;
        let (at, offset) = (point.number("at"), point.vector("offset"));
        point.finish();
        if points.last().is_some_and(|last| last.0 >= at) {
            let message = "the times of the points must rise";
            let help = "sort the points by `at`, and give each a time of its own";
            reader
                .sink
                .error(point.place_of("at"), "out-of-range", message, help);
        }
        points.push((at, offset));
    }
    (!points.is_empty()).then_some(points)
}
