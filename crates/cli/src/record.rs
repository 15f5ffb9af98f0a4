//! Recording poses to a file.

use std::io::{Error, Write};
use std::path::Path;

use drystone::BodyKind;
use drystone_scene::Instance;
use serde_json::json;

use crate::exit::Outcome;
use crate::output::Output;

/// A file being written.
pub(crate) struct Recorder {
    out: Output,
    format: Format,
}

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// One JSON object a step.
    JsonLines,
    /// One line a body and step.
    Csv,
}

impl Format {
    /// The format that a file name's ending asks for.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            "csv" => Some(Self::Csv),
            _ => None,
        }
    }
}

impl Recorder {
    /// Opens the file.
    pub(crate) fn create(path: &Path, format: Format) -> Result<Self, Outcome> {
        let mut recorder = Self {
            out: Output::create(path)?,
            format,
        };
        if format == Format::Csv {
            let head = "step,time,body,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz";
            // It is in memory still; what cannot be written shows itself later.
            let _ = writeln!(recorder.out, "{head}");
        }
        Ok(recorder)
    }

    /// Writes the poses of all bodies that can move.
    pub(crate) fn write(&mut self, instance: &Instance) -> Result<(), Error> {
        let world = &instance.world;
        let (step, time) = (world.step_count(), world.time());
        let moving = instance
            .body_keys
            .iter()
            .enumerate()
            .filter_map(|(index, key)| {
                let body = world
                    .body(*key)
                    .ok()
                    .filter(|body| body.kind() != BodyKind::Static)?;
                let name = match body.name() {
                    "" => format!("#{index}"),
                    name => name.to_owned(),
                };
                Some((name, body))
            });
        if self.format == Format::Csv {
            for (name, body) in moving {
                let (p, q) = (body.position(), body.rotation());
                let (v, w) = (body.linear_velocity(), body.angular_velocity());
                let name = quoted(&name);
                write!(self.out, "{step},{time},{name},{},{},{}", p.x, p.y, p.z)?;
                write!(self.out, ",{},{},{},{}", q.x, q.y, q.z, q.w)?;
                writeln!(self.out, ",{},{},{},{},{},{}", v.x, v.y, v.z, w.x, w.y, w.z)?;
            }
            return Ok(());
        }
        let bodies: serde_json::Map<String, serde_json::Value> = moving
            .map(|(name, body)| {
                let (p, q) = (body.position(), body.rotation());
                (
                    name,
                    json!({ "position": p.to_array(), "rotation": q.to_array() }),
                )
            })
            .collect();
        let energy = world.energy();
        let line = json!({
            "step": step,
            "time": time,
            "kinetic": energy.kinetic,
            "potential": energy.potential,
            "hash": format!("{:016x}", world.state_hash()),
            "bodies": bodies,
        });
        writeln!(self.out, "{line}")
    }

    /// Completes the file and gives it its name.
    pub(crate) fn finish(self) -> Outcome {
        self.out.finish()
    }

    /// Removes what was written so far.
    pub(crate) fn discard(self) {
        self.out.discard();
    }
}

/// A name as a CSV field.
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}
