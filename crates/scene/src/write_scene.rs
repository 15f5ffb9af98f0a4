//! Writing a scene back, its patterns expanded: what it starts with, what its scripts do and
//! what it expects.

use std::fmt::Write;

use drystone::geometry::glam::{DVec3, Quat};

use crate::motion::{Motion, Path};
use crate::scene::{Scene, SceneBody, SceneJoint};
use crate::spawn::{Schedule, Spawn};
use crate::write::{Fields, Writer, dvec3, joint, quat, settings, vec3};

impl Scene {
    /// The scene as RON, each body and joint written out. Numbers have the fewest digits that
    /// read back as the same bits, so the text loads as the same scene: the same bodies,
    /// joints, motions, spawns and expectations under the same names.
    ///
    /// Unlike [`crate::to_ron`], which writes a world as it is now, this writes the start.
    pub fn to_ron(&self) -> String {
        let mut writer = Writer::default();
        let (bodies, joints) = (self.start_bodies(), self.start_joints());
        let templates = self.spawns.iter().flat_map(|spawn| &spawn.bodies);
        for body in self.bodies[..bodies].iter().chain(templates) {
            writer.collect_hulls(&body.def);
        }
        let mut text = String::from("#![enable(implicit_some, unwrap_variant_newtypes)]\n(\n");
        text += "    format: 1,\n";
        if !self.about.is_empty() {
            let _ = writeln!(text, "    about: {:?},", self.about);
        }
        let _ = writeln!(text, "    settings: {},", settings(&self.settings));
        writer.shape_table(&mut text);
        let prefabs = self.spawns.iter().enumerate();
        let prefabs = prefabs.filter(|(_, spawn)| !self.is_single(spawn));
        let prefabs: Vec<String> = prefabs
            .map(|(index, spawn)| self.prefab(&writer, index, spawn))
            .collect();
        block(&mut text, "prefabs", ["{", "}"], &prefabs);
        let bodies = self.bodies[..bodies].iter();
        let bodies: Vec<String> = bodies
            .map(|body| writer.body(&body.name, &body.def, &[]))
            .collect();
        list(&mut text, "bodies", &bodies);
        list(
            &mut text,
            "joints",
            &lines(&self.joints[..joints], &self.bodies),
        );
        let motions: Vec<String> = self.motions.iter().map(|m| self.motion(m)).collect();
        list(&mut text, "motion", &motions);
        let spawns = self.spawns.iter().enumerate();
        let spawns: Vec<String> = spawns
            .map(|(index, spawn)| self.spawn(&writer, index, spawn))
            .collect();
        list(&mut text, "spawn", &spawns);
        if !self.also_dt.is_empty() {
            let _ = writeln!(text, "    also_dt: {:?},", self.also_dt);
        }
        let expected: Vec<String> = self.expectations.iter().map(|e| e.text.clone()).collect();
        list(&mut text, "expect", &expected);
        let _ = writeln!(text, "    duration: {:?},", self.duration);
        if let Some(bench) = self.bench {
            let (steps, warmup) = (bench.steps, bench.warmup);
            let _ = writeln!(text, "    bench: (steps: {steps}, warmup: {warmup}),");
        }
        text + ")\n"
    }

    /// Whether a spawn repeats a single body, which bears the name of the copy.
    fn is_single(&self, spawn: &Spawn) -> bool {
        let first = spawn.copies.first();
        let named = |copy: &crate::spawn::Copy| {
            copy.bodies.len() == 1
                && self.bodies[copy.bodies.start].name == format!("{}[0]", spawn.name)
        };
        first.is_some_and(named)
    }

    /// What each copy of a spawn adds to the filter groups of one of its bodies.
    fn group_steps(&self, spawn: &Spawn, index: usize) -> Vec<i64> {
        let [first, second, ..] = &spawn.copies[..] else {
            return Vec::new();
        };
        let shapes = |start: usize| self.bodies[start + index].def.shapes.iter();
        let pairs = shapes(first.bodies.start).zip(shapes(second.bodies.start));
        let group = |shape: &drystone::ShapeDef| i64::from(shape.filter.group);
        pairs.map(|(a, b)| group(b) - group(a)).collect()
    }

    fn prefab(&self, writer: &Writer, index: usize, spawn: &Spawn) -> String {
        let bodies = spawn.bodies.iter().enumerate();
        let bodies: Vec<String> = bodies
            .map(|(i, body)| writer.body(&body.name, &body.def, &self.group_steps(spawn, i)))
            .collect();
        let joints = lines(&spawn.joints, &spawn.bodies);
        format!(
            "\"spawn {index}\": (\n            bodies: [\n                {},\n            ],\n            joints: [{}],\n        )",
            bodies.join(",\n                "),
            joints.join(", "),
        )
    }

    fn spawn(&self, writer: &Writer, index: usize, spawn: &Spawn) -> String {
        let mut fields = Fields::default();
        fields.add("name", format!("{:?}", spawn.name));
        match &spawn.bodies[..] {
            [body] if self.is_single(spawn) => {
                let steps = self.group_steps(spawn, 0);
                fields.add("body", writer.body("", &body.def, &steps));
            }
            _ => fields.add("prefab", format!("\"spawn {index}\"")),
        }
        let grid = &spawn.grid;
        let [x, y, z] = grid.count;
        fields.add("count", format!("({x}, {y}, {z})"));
        fields.add("step", dvec3(grid.step));
        let order: String = grid
            .order
            .iter()
            .map(|axis| ["X", "Y", "Z"][*axis])
            .collect();
        fields.add("order", order);
        fields.add_unless("position", &grid.position, &DVec3::ZERO, |p| dvec3(*p));
        fields.add_unless("rotation", &grid.rotation, &Quat::IDENTITY, |q| quat(*q));
        let Schedule {
            together,
            every,
            from,
            until,
            mask,
            respawn,
        } = spawn.schedule;
        fields.plain("together", &together, &1);
        fields.plain("every", &every, &1);
        fields.plain("from", &from, &0);
        if let Some(until) = until {
            fields.add("until", until.to_string());
        }
        fields.plain("mask", &mask, &0);
        fields.plain("respawn", &respawn, &false);
        fields.finish()
    }

    fn motion(&self, motion: &Motion) -> String {
        let mut fields = Fields::default();
        fields.add("body", format!("{:?}", self.bodies[motion.body].name));
        fields.add("path", path(&motion.path));
        fields.plain("start", &motion.start, &0.0);
        if let Some(stop) = motion.stop {
            fields.add("stop", format!("{stop:?}"));
        }
        fields.finish()
    }
}

fn path(path: &Path) -> String {
    match path {
        Path::Steady { velocity } => format!("Steady(velocity: {})", dvec3(*velocity)),
        Path::Oscillate {
            amplitude,
            period,
            phase,
        } => {
            let amplitude = dvec3(*amplitude);
            format!("Oscillate(amplitude: {amplitude}, period: {period:?}, phase: {phase:?})")
        }
        Path::Spin { axis, speed } => format!("Spin(axis: {}, speed: {speed:?})", vec3(*axis)),
        Path::Circle {
            center,
            axis,
            speed,
        } => {
            let (center, axis) = (dvec3(*center), vec3(*axis));
            format!("Circle(center: {center}, axis: {axis}, speed: {speed:?})")
        }
        Path::Waypoints { points, repeat } => {
            let point = |(at, offset): &(f64, DVec3)| {
                let offset = dvec3(*offset);
                format!("(at: {at:?}, offset: {offset})")
            };
            let points: Vec<String> = points.iter().map(point).collect();
            format!(
                "Waypoints(points: [{}], repeat: {repeat})",
                points.join(", ")
            )
        }
    }
}

fn lines(joints: &[SceneJoint], bodies: &[SceneBody]) -> Vec<String> {
    let line = |held: &SceneJoint| {
        let ends = [held.a, held.b].map(|end| bodies[end].name.as_str());
        let frames = [&held.frame_a, &held.frame_b];
        let rest = (held.collide_connected, held.threshold);
        joint(&held.name, ends, frames, &held.kind, rest)
    };
    joints.iter().map(line).collect()
}

fn list(text: &mut String, name: &str, items: &[String]) {
    block(text, name, ["[", "]"], items);
}

fn block(text: &mut String, name: &str, [open, close]: [&str; 2], items: &[String]) {
    if items.is_empty() {
        return;
    }
    let _ = writeln!(text, "    {name}: {open}");
    for item in items {
        let _ = writeln!(text, "        {item},");
    }
    let _ = writeln!(text, "    {close},");
}
