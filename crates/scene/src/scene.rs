//! A scene: everything a file says, checked, with patterns expanded and names looked up.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use drystone::glam::Vec3;
use drystone::{BodyDef, BodyKind, JointKind, JointThreshold, Pose, Settings};

use crate::decode::{self, Beside, Decoded, MotionModel, Name, Targets};
use crate::diagnostic::{LoadError, SceneErrors, Sink, Sources, Span};
use crate::expand::{self, Expander, Names, Scope};
use crate::expect::Expectation;
use crate::files;
use crate::motion::Motion;
use crate::overrides::Override;
use crate::spawn::Spawn;
use crate::syntax::{self, Value};
use crate::tolerance::{MAX_STEPS, TURNED_SLACK};

/// A scene, ready to be built.
#[derive(Clone, Debug)]
pub struct Scene {
    /// What the file says about itself.
    pub about: String,
    /// How the world steps. Threads and instruction set are the runner's to choose.
    pub settings: Settings,
    /// All bodies, patterns expanded, in the order in which they are added to the world.
    pub bodies: Vec<SceneBody>,
    /// All joints.
    pub joints: Vec<SceneJoint>,
    /// Paths of kinematic bodies.
    pub motions: Vec<Motion>,
    /// What appears during the run. Its bodies and joints are the last ones of the lists.
    pub spawns: Vec<Spawn>,
    /// What must come true.
    pub expectations: Vec<Expectation>,
    /// How long a run lasts, in seconds.
    pub duration: f64,
    /// Other lengths of a step with which the expectations must come true too, in seconds.
    pub also_dt: Vec<f32>,
    /// How a benchmark times it.
    pub bench: Option<Bench>,
    /// Paths of the files that were read for it, beside its own.
    pub files: Vec<String>,
    pub(crate) names: Names,
    pub(crate) joint_names: Names,
    pub(crate) sources: Arc<Sources>,
}

/// A body of a scene.
#[derive(Clone, Debug)]
pub struct SceneBody {
    /// Its name; empty when it has none.
    pub name: String,
    /// What to create.
    pub def: BodyDef,
    /// Where it is written.
    pub(crate) span: Span,
}

/// A joint of a scene.
#[derive(Clone, Debug)]
pub struct SceneJoint {
    /// Its name; empty when it has none.
    pub name: String,
    /// Index of the first body in [`Scene::bodies`].
    pub a: usize,
    /// Index of the second body.
    pub b: usize,
    /// The joint's frame in the first body's.
    pub frame_a: Pose,
    /// The joint's frame in the second body's.
    pub frame_b: Pose,
    /// What is held.
    pub kind: JointKind,
    /// Whether the bodies touch each other all the same.
    pub collide_connected: bool,
    /// What it may carry before it is reported, or breaks.
    pub threshold: Option<JointThreshold>,
    /// Where it is written.
    pub(crate) span: Span,
}

/// How a benchmark times a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bench {
    /// Steps in all.
    pub steps: u64,
    /// Steps of these that are not timed.
    pub warmup: u64,
}

impl Scene {
    /// Reads a scene file and the files it includes.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        Self::load_with(path, &[])
    }

    /// Like [`Scene::load`], with some values of the main file overridden.
    pub fn load_with(path: impl AsRef<Path>, overrides: &[Override]) -> Result<Self, LoadError> {
        let (text, file) = files::load(path.as_ref())?;
        let text = Override::apply(overrides, &text, &file)?;
        Ok(Self::parse(text, &file)?)
    }

    /// Reads a scene from its text. `file` is the path shown in errors; included files are
    /// looked for beside it.
    pub fn parse(text: impl Into<String>, file: &str) -> Result<Self, SceneErrors> {
        Self::parse_with(text, file, &mut |path| files::read(Path::new(path)))
    }

    /// Like [`Scene::parse`], with included files and those of hulls read by `read`, which is
    /// given their path and says in words why there is none.
    pub fn parse_with(
        text: impl Into<String>,
        file: &str,
        read: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
    ) -> Result<Self, SceneErrors> {
        let sink = Sink::default();
        let mut files = Vec::new();
        let read: files::Read<'_> = &mut |path| {
            files.push(path.to_owned());
            read(path)
        };
        let (sources, order) = files::collect(file.to_owned(), text.into(), read, &sink);
        let values: Vec<Value<'_>> = order
            .iter()
            .filter_map(|index| syntax::parse(sources.text(*index), *index, &sink))
            .collect();
        // What syntax or a missing file hid may be what a name refers to.
        let lost_names = values.len() < order.len() || !sink.is_empty();
        let read = RefCell::new(read);
        let beside = |name: &Name| files::bytes_beside(&sources, &read, name);
        let scene = assemble(&values, lost_names, &sources, &beside, &sink);
        drop(values);
        if !sink.is_empty() {
            return Err(sink.into_errors(&sources));
        }
        let sources = Arc::new(sources);
        scene
            .map(|scene| Self {
                sources,
                files,
                ..scene
            })
            .ok_or_else(SceneErrors::default)
    }

    /// The bodies that `selector` means: a name, a pattern, or `all` that can move.
    pub fn select(&self, selector: &str) -> Vec<usize> {
        if selector == "all" {
            let is_dynamic = |index: &usize| self.bodies[*index].def.kind == BodyKind::Dynamic;
            return (0..self.bodies.len()).filter(is_dynamic).collect();
        }
        self.names.all(selector)
    }

    /// The joints that `selector` means: a name, a pattern, or `all`.
    pub fn select_joints(&self, selector: &str) -> Vec<usize> {
        match selector {
            "all" => (0..self.joints.len()).collect(),
            _ => self.joint_names.all(selector),
        }
    }

    /// How many of [`Scene::bodies`] are there from the start; the others are spawned.
    pub fn start_bodies(&self) -> usize {
        let copies = self.spawns.iter().flat_map(|spawn| &spawn.copies);
        let first = copies.map(|copy| copy.bodies.start).min();
        first.unwrap_or(self.bodies.len())
    }

    /// How many of [`Scene::joints`] are there from the start; the others are spawned.
    pub fn start_joints(&self) -> usize {
        let copies = self.spawns.iter().flat_map(|spawn| &spawn.copies);
        let first = copies.map(|copy| copy.joints.start).min();
        first.unwrap_or(self.joints.len())
    }

    /// How many steps a run of [`Scene::duration`] takes. A scene whose time stands still
    /// takes ten.
    pub fn steps(&self) -> u64 {
        let dt = f64::from(self.settings.dt);
        if dt > 0.0 {
            (self.duration / dt).round().max(1.0) as u64
        } else {
            10
        }
    }
}

fn assemble(
    values: &[Value<'_>],
    lost_names: bool,
    sources: &Sources,
    beside: &Beside<'_>,
    sink: &Sink,
) -> Option<Scene> {
    if values.is_empty() {
        return None;
    }
    let decoded = decode::decode(values, lost_names, beside, sink);
    let lost_names = decoded.lost_names;
    let mut expander = Expander::new(sink, &decoded.prefabs, lost_names);
    expander.group(&decoded.main, &Scope::world());
    let spawns = expander.spawns(&decoded.spawns);
    let start = expander.out.bodies.len();
    let start = expander.start.map_or(start, |(bodies, _)| bodies);
    let joints = expand::resolve(&mut expander);
    let unplaced = expander.unplaced();
    check_locks(expander.out.bodies.iter().chain(&unplaced), sink);
    let out = expander.out;
    let motions = motions(&decoded, &out.names, &out.bodies[..start], lost_names, sink);
    let targets = Targets {
        sink,
        bodies: &out.bodies,
        names: &out.names,
        joints: &joints,
        joint_names: &out.joint_names,
        lost_names,
        sources,
    };
    let (expectations, duration) =
        decode::expectations(&decoded.expectations, &targets, decoded.duration);
    check_length(&decoded, duration, sink);
    Some(Scene {
        about: decoded.about,
        settings: decoded.settings,
        bodies: out.bodies,
        joints,
        motions,
        spawns,
        expectations,
        duration,
        also_dt: decoded.also_dt,
        bench: decoded.bench,
        names: out.names,
        joint_names: out.joint_names,
        files: Vec::new(),
        sources: Arc::default(),
    })
}

/// Refuses velocities along or about axes that a body does not move along or about: nothing would come
/// of them.
fn check_locks<'a>(bodies: impl Iterator<Item = &'a SceneBody>, sink: &Sink) {
    let starts = |body: &&SceneBody| body.def.kind == BodyKind::Dynamic;
    for SceneBody { def, name, span } in bodies.filter(starts) {
        let parts = [
            (
                "move along",
                "m/s",
                def.locks.translation,
                def.linear_velocity,
            ),
            (
                "turn about",
                "rad/s",
                def.locks.rotation,
                def.angular_velocity,
            ),
        ];
        for (moves, unit, locks, velocity) in parts {
            let least = TURNED_SLACK * velocity.length();
            let lost = (0..3).find(|&axis| locks[axis] && velocity[axis].abs() > least);
            let Some(axis) = lost else { continue };
            let what = if name.is_empty() { "the body" } else { name };
            let letter = ["X", "Y", "Z"][axis];
            let message = format!(
                "`{what}` does not {moves} {letter}, but starts with {} {unit}",
                velocity[axis]
            );
            let help = "make that part of the velocity 0, or do not lock the axis";
            sink.error(*span, "conflict", message, help);
        }
    }
}

/// Refuses a run that would not end in years.
fn check_length(decoded: &Decoded<'_, '_>, duration: f64, sink: &Sink) {
    let steps = [decoded.settings.dt]
        .into_iter()
        .chain(decoded.also_dt.iter().copied());
    let steps = steps.filter(|dt| *dt > 0.0);
    let shortest = steps.fold(f32::INFINITY, f32::min);
    let count = duration / f64::from(shortest);
    if count > MAX_STEPS as f64 {
        let message = format!(
            "{duration} s in steps of {shortest:e} s are {count:.1e} steps, more than {MAX_STEPS:e}"
        );
        let help = "lower `duration`, or raise `dt`";
        sink.error(decoded.duration_span, "out-of-range", message, help);
    }
}

fn motions(
    decoded: &Decoded<'_, '_>,
    names: &Names,
    bodies: &[SceneBody],
    lost_names: bool,
    sink: &Sink,
) -> Vec<Motion> {
    let mut motions: Vec<Motion> = Vec::new();
    for MotionModel {
        body,
        path,
        start,
        stop,
    } in &decoded.motions
    {
        let Some(index) = names.one(&body.text) else {
            if !lost_names {
                let message = format!("there is no body called `{}`", body.text);
                let help = names.suggest(&body.text, "body", sink);
                sink.error(body.span, "unknown-name", message, help);
            }
            continue;
        };
        // Spawned bodies come after those that are there from the start.
        if index >= bodies.len() {
            let message = format!(
                "`{}` appears during the run, so no path moves it",
                body.text
            );
            let help = "give it velocities, or let it be there from the start";
            sink.error(body.span, "conflict", message, help);
            continue;
        }
        if bodies[index].def.kind != BodyKind::Kinematic {
            let message = format!("`{}` is not kinematic, so no path moves it", body.text);
            let help = "give the body `kind: Kinematic`";
            sink.error(body.span, "conflict", message, help);
        }
        let def = &bodies[index].def;
        if def.linear_velocity != Vec3::ZERO || def.angular_velocity != Vec3::ZERO {
            let message = format!("`{}` has a velocity, and a path moves it", body.text);
            let help = "remove the velocity: the path says how fast the body is";
            sink.error(body.span, "conflict", message, help);
        }
        if motions.iter().any(|motion| motion.body == index) {
            let message = format!("`{}` has a motion already", body.text);
            let help = "remove one of them: a body follows one path";
            sink.error(body.span, "duplicate-name", message, help);
        }
        motions.push(Motion {
            body: index,
            path: path.clone(),
            start: *start,
            stop: *stop,
        });
    }
    motions
}
