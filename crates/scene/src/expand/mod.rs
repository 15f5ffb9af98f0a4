//! From patterns and prefabs to single bodies with names.

mod arch;
mod blocks;
mod cards;
mod chain;
mod grid;
mod joints;
mod names;
mod pile;
mod spawns;
mod unplaced;
mod wall;

use std::collections::{BTreeMap, BTreeSet};

use drystone::geometry::glam::{DVec3, Quat, Vec3};
use drystone::geometry::rotation;
use drystone::{BodyDef, BodyKind, JointThreshold, Pose, Shape, ShapeDef};

pub(crate) use grid::cells;
pub(crate) use joints::resolve;
pub(crate) use names::Names;

use crate::decode::{BodyModel, JointModel, KindModel, Name, PatternModel, Rule};
use crate::diagnostic::{Sink, Span};
use crate::scene::SceneBody;
use crate::tolerance::{MAX_BODIES, MAX_COORDINATE, MAX_JOINTS, MAX_PLACED, MAX_PREFAB_DEPTH};

/// Bodies, patterns and joints that share a frame and a name space.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    pub(crate) bodies: Vec<BodyModel>,
    pub(crate) patterns: Vec<PatternModel>,
    pub(crate) joints: Vec<JointModel>,
}

/// A frame in the world and what names in it begin with.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    pub(crate) position: DVec3,
    pub(crate) rotation: Quat,
    pub(crate) prefix: String,
    /// The number of the copy it is part of: of the outermost grid of prefabs, or spawn.
    pub(crate) copy: Option<usize>,
}

impl Scope {
    /// The world itself.
    pub(crate) fn world() -> Self {
        Self {
            position: DVec3::ZERO,
            rotation: Quat::IDENTITY,
            prefix: String::new(),
            copy: None,
        }
    }

    /// A point of this frame, in the world. Frames that are not turned add nothing but
    /// their position, so that coordinates stay as exact as they were written.
    pub(crate) fn point(&self, local: DVec3) -> DVec3 {
        self.position + self.turn(local)
    }

    /// A direction or offset of this frame, in the world.
    pub(crate) fn turn(&self, local: DVec3) -> DVec3 {
        if self.rotation == Quat::IDENTITY {
            return local;
        }
        rotation::to_dmatrix(rotation::to_double(self.rotation)) * local
    }

    /// A frame given in this one.
    fn inner(&self, position: DVec3, turned: Quat, prefix: String) -> Self {
        let rotation = compose(self.rotation, turned);
        Self {
            position: self.point(position),
            rotation,
            prefix,
            copy: self.copy,
        }
    }

    /// The frame of copy `number` of something.
    pub(crate) fn copy(
        &self,
        position: DVec3,
        turned: Quat,
        prefix: String,
        number: usize,
    ) -> Self {
        Self {
            copy: self.copy.or(Some(number)),
            ..self.inner(position, turned, prefix)
        }
    }
}

/// The rotation that applies `b`, then `a`; exact when one of them turns nothing.
pub(crate) fn compose(a: Quat, b: Quat) -> Quat {
    if a == Quat::IDENTITY {
        b
    } else if b == Quat::IDENTITY {
        a
    } else {
        rotation::normalize(rotation::multiply(a, b))
    }
}

/// A joint whose bodies and frames are still to be worked out.
#[derive(Clone, Debug)]
pub(crate) struct PendingJoint {
    pub(crate) name: String,
    pub(crate) name_span: Span,
    pub(crate) ends: [End; 2],
    pub(crate) kind: KindModel,
    /// In the world.
    pub(crate) anchor: Option<DVec3>,
    /// Unit, in the world.
    pub(crate) axis: Vec3,
    /// Of the second body, where it is another.
    pub(crate) axis_b: Option<Vec3>,
    pub(crate) local_anchors: [Option<Vec3>; 2],
    pub(crate) local_rotations: [Option<Quat>; 2],
    pub(crate) collide_connected: bool,
    pub(crate) threshold: Option<JointThreshold>,
    pub(crate) span: Span,
}

/// A body a joint holds.
#[derive(Clone, Debug)]
pub(crate) enum End {
    Index(usize),
    Named(Name),
}

/// What comes out.
#[derive(Debug, Default)]
pub(crate) struct Expansion {
    pub(crate) bodies: Vec<SceneBody>,
    pub(crate) joints: Vec<PendingJoint>,
    pub(crate) names: Names,
    pub(crate) joint_names: Names,
}

/// Expands groups into bodies.
pub(crate) struct Expander<'a> {
    pub(crate) sink: &'a Sink,
    pub(crate) prefabs: &'a BTreeMap<String, Group>,
    /// Whether missing names may be the fault of something that could not be read.
    pub(crate) lost_names: bool,
    pub(crate) out: Expansion,
    /// How many bodies and joints there are from the start; none before spawns are added.
    pub(crate) start: Option<(usize, usize)>,
    depth: usize,
    placed: usize,
    /// The prefabs that were placed.
    in_use: BTreeSet<&'a str>,
    full: bool,
    /// Where the last body was written that stands out of the world.
    far: Option<Span>,
}

impl<'a> Expander<'a> {
    pub(crate) fn new(
        sink: &'a Sink,
        prefabs: &'a BTreeMap<String, Group>,
        lost_names: bool,
    ) -> Self {
        Self {
            sink,
            prefabs,
            lost_names,
            out: Expansion::default(),
            start: None,
            depth: 0,
            placed: 0,
            in_use: BTreeSet::new(),
            full: false,
            far: None,
        }
    }

    /// Adds everything of `group`, placed in `scope`.
    pub(crate) fn group(&mut self, group: &Group, scope: &Scope) {
        for body in &group.bodies {
            let name = body
                .name
                .as_ref()
                .map(|name| format!("{}{}", scope.prefix, name.text));
            let span = body.name.as_ref().map_or(body.span, |name| name.span);
            let (position, rotation) = (body.def.position, body.def.rotation);
            self.body(
                body,
                scope,
                position,
                rotation,
                name.unwrap_or_default(),
                span,
            );
        }
        for pattern in &group.patterns {
            self.pattern(pattern, scope);
        }
        for joint in &group.joints {
            self.joint(joint, scope);
        }
    }

    fn pattern(&mut self, pattern: &PatternModel, outer: &Scope) {
        let name = format!("{}{}", outer.prefix, pattern.name.text);
        let scope = outer.inner(pattern.position, pattern.rotation, name);
        let span = pattern.name.span;
        match &pattern.rule {
            Rule::Grid(item, rule) => self.grid(item, rule, &scope, span),
            Rule::Pyramid {
                body,
                base,
                rows,
                step,
            } => self.pyramid(body, [*base, *rows], *step, &scope, span),
            Rule::SquarePyramid { body, base, step } => {
                self.square_pyramid(body, *base, *step, &scope, span);
            }
            Rule::Wall(body, rule) => self.wall(body, rule, &scope, span),
            Rule::Arch(body, rule) => self.arch(body, rule, &scope, span),
            Rule::CardHouse {
                body,
                half_extents,
                base,
                degrees,
            } => {
                self.card_house(body, *half_extents, *base, *degrees, &scope, span);
            }
            Rule::Chain(body, rule) => self.chain(body, rule, &scope, outer, span),
            Rule::Pile(body, rule) => self.pile(body, rule, &scope, span),
            Rule::Place {
                prefab,
                linear_velocity,
                angular_velocity,
            } => {
                let first = self.out.bodies.len();
                self.prefab(prefab, &scope);
                let turn = |v: Vec3| rotation::rotate(scope.rotation, v);
                let added = &mut self.out.bodies[first..];
                let moves = |b: &&mut SceneBody| b.def.kind == BodyKind::Dynamic && !b.def.asleep;
                for body in added.iter_mut().filter(moves) {
                    body.def.linear_velocity += turn(*linear_velocity);
                    body.def.angular_velocity += turn(*angular_velocity);
                }
            }
        }
    }

    /// Adds a copy of a prefab; its names begin with the scope's and a slash.
    fn prefab(&mut self, name: &Name, scope: &Scope) {
        let Some((known, group)) = self.prefabs.get_key_value(&name.text) else {
            if !self.lost_names {
                let known: Vec<&str> = self.prefabs.keys().map(String::as_str).collect();
                let help = crate::decode::suggest(&name.text, &known, "prefab");
                let message = format!("there is no prefab called `{}`", name.text);
                self.sink.error(name.span, "unknown-name", message, help);
            }
            return;
        };
        self.in_use.insert(known);
        if self.full {
            return;
        }
        if self.depth >= MAX_PREFAB_DEPTH {
            let message =
                format!("prefabs nest deeper than {MAX_PREFAB_DEPTH}, or one contains itself");
            let help = "let none of them place itself, not by way of others either";
            return self.stop(name.span, message, help);
        }
        if self.placed >= MAX_PLACED {
            let message = format!("the scene places more than {MAX_PLACED} prefabs");
            return self.stop(name.span, message, "lower a `count`, or nest fewer grids");
        }
        self.placed += 1;
        self.depth += 1;
        let prefix = format!("{}/", scope.prefix);
        self.group(
            group,
            &Scope {
                prefix,
                ..scope.clone()
            },
        );
        self.depth -= 1;
    }

    /// Whether `count` more bodies are allowed; reports the first time they are not.
    fn has_room(&mut self, count: usize, span: Span) -> bool {
        let total = self.out.bodies.len().saturating_add(count);
        if total > MAX_BODIES {
            let message = format!("the scene expands to more than {MAX_BODIES} bodies");
            self.stop(span, message, "lower a `count`, or `base`");
        }
        !self.full
    }

    /// Adds no more; says why, the first time.
    fn stop(&mut self, span: Span, message: String, help: &str) {
        if !self.full {
            self.full = true;
            self.sink.error(span, "too-large", message, help);
        }
    }

    /// Reports a body that its pattern puts out of the world, once for each pattern.
    fn check_place(&mut self, name: &str, position: DVec3, span: Span) {
        let is_within = position.abs().max_element() <= MAX_COORDINATE;
        if is_within || self.far == Some(span) {
            return;
        }
        self.far = Some(span);
        let what = if name.is_empty() { "a body" } else { name };
        let message = format!("`{what}` comes to stand at {position}, beyond {MAX_COORDINATE:e} m");
        let help = "positions and steps of patterns add up: make them smaller";
        self.sink.error(span, "out-of-range", message, help);
    }

    /// Adds `model` at a place in `scope`, and says its index. Without a name it has none.
    fn body(
        &mut self,
        model: &BodyModel,
        scope: &Scope,
        position: DVec3,
        turned: Quat,
        name: String,
        span: Span,
    ) -> usize {
        if !self.has_room(1, span) {
            return 0;
        }
        let turn = |v: Vec3| {
            let is_plain = scope.rotation == Quat::IDENTITY;
            if is_plain {
                v
            } else {
                rotation::rotate(scope.rotation, v)
            }
        };
        self.check_place(&name, scope.point(position), span);
        let mut def = BodyDef {
            position: scope.point(position),
            rotation: compose(scope.rotation, turned),
            linear_velocity: turn(model.def.linear_velocity),
            angular_velocity: turn(model.def.angular_velocity),
            name: name.clone(),
            ..model.def.clone()
        };
        if let Some(number) = scope.copy {
            for (shape, step) in def.shapes.iter_mut().zip(&model.groups_per_copy) {
                let group = i64::from(shape.filter.group) + i64::from(*step) * number as i64;
                // A number of copies and a step have room in an i32 by their limits, or end
                // at its last value.
                shape.filter.group = group.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
            }
        }
        let index = self.out.bodies.len();
        self.out.bodies.push(SceneBody {
            name: name.clone(),
            def,
            span,
        });
        if !name.is_empty()
            && let Some(first) = self.out.names.insert(name, index)
        {
            self.report_twice("body", first, index);
        }
        index
    }

    fn report_twice(&self, what: &str, first: usize, second: usize) {
        let (first, second) = (&self.out.bodies[first], &self.out.bodies[second]);
        let message = format!("there is already a {what} called `{}`", second.name);
        let help = if first.span == second.span {
            "a prefab or pattern is placed twice under one name".to_owned()
        } else {
            "names must differ, those of patterns too".to_owned()
        };
        self.sink
            .error(second.span, "duplicate-name", message, help);
    }

    /// Adds a body of a pattern: the template with one shape of its own.
    fn shaped(
        &mut self,
        model: &BodyModel,
        shape: Shape,
        scope: &Scope,
        position: DVec3,
        turned: Quat,
        name: String,
        span: Span,
    ) -> usize {
        let mut model = model.clone();
        let (material, filter) = (model.material, model.filter);
        model.def.shapes = vec![ShapeDef {
            shape,
            pose: Pose::IDENTITY,
            material,
            filter,
            sensor: false,
        }];
        model.groups_per_copy = vec![model.group_per_copy];
        let position = position + model.def.position;
        let turned = compose(turned, model.def.rotation);
        self.body(&model, scope, position, turned, name, span)
    }

    fn joint(&mut self, joint: &JointModel, scope: &Scope) {
        let full = |name: &Name| {
            End::Named(Name {
                text: format!("{}{}", scope.prefix, name.text),
                span: name.span,
            })
        };
        let turned = |axis: Vec3| {
            if scope.rotation == Quat::IDENTITY {
                axis
            } else {
                scope.turn(axis.as_dvec3()).as_vec3()
            }
        };
        let name = joint
            .name
            .as_ref()
            .map(|name| format!("{}{}", scope.prefix, name.text));
        self.pending(PendingJoint {
            name: name.unwrap_or_default(),
            name_span: joint.name.as_ref().map_or(joint.span, |name| name.span),
            ends: [full(&joint.a), full(&joint.b)],
            kind: joint.kind.clone(),
            anchor: joint.anchor.map(|anchor| scope.point(anchor)),
            axis: turned(joint.axis),
            axis_b: joint.axis_b.map(turned),
            local_anchors: joint.local_anchors,
            local_rotations: joint.local_rotations,
            collide_connected: joint.collide_connected,
            threshold: joint.threshold,
            span: joint.span,
        });
    }

    fn pending(&mut self, joint: PendingJoint) {
        let index = self.out.joints.len();
        if index >= MAX_JOINTS {
            let message = format!("the scene expands to more than {MAX_JOINTS} joints");
            return self.stop(joint.span, message, "lower a `count`");
        }
        if !joint.name.is_empty()
            && self
                .out
                .joint_names
                .insert(joint.name.clone(), index)
                .is_some()
        {
            let message = format!("there is already a joint called `{}`", joint.name);
            let help = "names must differ, those of patterns too";
            self.sink
                .error(joint.name_span, "duplicate-name", message, help);
        }
        self.out.joints.push(joint);
    }
}

/// Lowest and highest corner of a body's shapes around its origin, as it is turned in its
/// pattern; `None` without shapes or with an endless one.
pub(crate) fn bounds(def: &BodyDef) -> Option<(Vec3, Vec3)> {
    let turned = Pose::from_rotation(def.rotation);
    let mut bounds: Option<(Vec3, Vec3)> = None;
    for part in &def.shapes {
        let aabb = match (
            &part.shape,
            part.pose == Pose::IDENTITY && def.rotation == Quat::IDENTITY,
        ) {
            // A box that is not turned is as large as it is written, to the last digit.
            (Shape::Box { half_extents }, true) => (-*half_extents, *half_extents),
            (Shape::HalfSpace { .. }, _) => return None,
            (shape, _) => {
                let aabb = shape.aabb(&turned.then(&part.pose));
                (aabb.min, aabb.max)
            }
        };
        bounds = Some(match bounds {
            Some((min, max)) => (min.min(aabb.0), max.max(aabb.1)),
            None => aabb,
        });
    }
    bounds
}
