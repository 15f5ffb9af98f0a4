//! Patterns, before they are expanded.

use drystone::geometry::glam::{DVec3, Quat, Vec3};
use drystone::{BodyDef, BodyKind, JointKind, Shape};

use super::bodies::{BodyModel, Role};
use super::joints::{KindModel, kind};
use super::{Context, GridRule, Item, Name, Reader, open_variant};
use crate::schema::{BODY, PATTERN};

/// A pattern as written.
#[derive(Clone, Debug)]
pub(crate) struct PatternModel {
    pub(crate) name: Name,
    pub(crate) position: DVec3,
    pub(crate) rotation: Quat,
    pub(crate) rule: Rule,
}

/// The rule of a pattern. Lengths that were left out follow from the body's size.
#[derive(Clone, Debug)]
pub(crate) enum Rule {
    Grid(Item, GridRule),
    Pyramid {
        body: BodyModel,
        base: usize,
        rows: usize,
        step: Option<[f64; 2]>,
    },
    SquarePyramid {
        body: BodyModel,
        base: usize,
        step: Option<DVec3>,
    },
    Wall(BodyModel, WallRule),
    Arch(BodyModel, ArchRule),
    CardHouse {
        body: BodyModel,
        half_extents: Vec3,
        base: usize,
        degrees: f64,
    },
    Chain(BodyModel, ChainRule),
    Pile(BodyModel, PileRule),
    Place {
        prefab: Name,
        linear_velocity: Vec3,
        angular_velocity: Vec3,
    },
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct WallRule {
    pub(crate) half_extents: Vec3,
    pub(crate) bricks: usize,
    pub(crate) courses: usize,
    pub(crate) gap: f64,
    pub(crate) irregular: f64,
    pub(crate) seed: u64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ArchRule {
    pub(crate) stones: usize,
    pub(crate) radius: f64,
    pub(crate) thickness: f64,
    pub(crate) depth: f64,
    pub(crate) degrees: f64,
    pub(crate) springers: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct ChainRule {
    pub(crate) links: usize,
    pub(crate) pitch: Option<f64>,
    pub(crate) direction: Vec3,
    pub(crate) joint: KindModel,
    pub(crate) start: Option<Name>,
    pub(crate) end: Option<Name>,
}

#[derive(Clone, Debug)]
pub(crate) struct PileRule {
    pub(crate) shapes: Vec<Shape>,
    pub(crate) count: usize,
    pub(crate) columns: [usize; 2],
    pub(crate) spacing: Option<f64>,
    pub(crate) scale: [f64; 2],
    pub(crate) turned: bool,
    pub(crate) seed: u64,
}

impl Context<'_> {
    /// The patterns of a list.
    pub(super) fn patterns(&self, reader: &Reader<'_, '_>, field: &str) -> Vec<PatternModel> {
        let mut patterns = Vec::new();
        for item in reader.items(field) {
            let read = open_variant(&PATTERN, item, self.sink);
            match read.and_then(|reader| self.pattern(&reader)) {
                Some(pattern) => patterns.push(pattern),
                None => self.lost_names.set(true),
            }
        }
        patterns
    }

    fn pattern(&self, reader: &Reader<'_, '_>) -> Option<PatternModel> {
        let before = self.sink.count();
        let name = reader.text("name");
        if let Some(name) = &name {
            super::bodies::check_free_name(name, reader);
        }
        let position = reader.vector("position");
        let rotation = reader.rotation("rotation");
        let rule = match reader.variant_name() {
            "Grid" => self.grid(reader).map(|(item, rule)| Rule::Grid(item, rule)),
            "Pyramid" => self.pyramid(reader),
            "SquarePyramid" => {
                let base = reader.whole("base") as usize;
                let step = reader.optional_vector("step");
                let body = self.template(reader, Role::Template);
                body.map(|body| Rule::SquarePyramid { body, base, step })
            }
            "Wall" => self.wall(reader),
            "Arch" => self.arch(reader),
            "CardHouse" => {
                let half_extents = reader.vec3("half_extents");
                let base = reader.whole("base") as usize;
                let degrees = reader.number("degrees");
                let body = self.template(reader, Role::Shapeless);
                body.map(|body| Rule::CardHouse {
                    body,
                    half_extents,
                    base,
                    degrees,
                })
            }
            "Chain" => self.chain(reader),
            "Pile" => self.pile(reader),
            _ => {
                let linear_velocity = reader.vec3("linear_velocity");
                let angular_velocity = reader.vec3("angular_velocity");
                reader.text("prefab").map(|prefab| Rule::Place {
                    prefab,
                    linear_velocity,
                    angular_velocity,
                })
            }
        };
        reader.finish();
        if self.sink.count() > before {
            return None;
        }
        Some(PatternModel {
            name: name?,
            position,
            rotation,
            rule: rule?,
        })
    }

    /// The `body` of a pattern; a plain one when the pattern makes the shapes itself.
    pub(super) fn template(&self, reader: &Reader<'_, '_>, role: Role) -> Option<BodyModel> {
        if let Some(value) = reader.value("body") {
            return Reader::open(&BODY, value, self.sink).map(|inner| self.body(&inner, role));
        }
        (role == Role::Shapeless).then(|| BodyModel {
            name: None,
            def: BodyDef::dynamic(),
            material: self.default_material(),
            filter: drystone::Filter::default(),
            group_per_copy: 0,
            groups_per_copy: Vec::new(),
            span: reader.span,
        })
    }

    fn pyramid(&self, reader: &Reader<'_, '_>) -> Option<Rule> {
        let base = reader.whole("base") as usize;
        let rows = reader.whole("rows") as usize;
        let rows = if reader.has("rows") { rows } else { base };
        if rows > base {
            let message = format!("`rows` is {rows}, more than `base`, {base}");
            let help =
                "each row has one body less than the one below: raise `base`, or leave `rows` out";
            self.sink
                .error(reader.place_of("rows"), "out-of-range", message, help);
        }
        let step = reader.pair("step");
        let body = self.template(reader, Role::Template)?;
        Some(Rule::Pyramid {
            body,
            base,
            rows,
            step,
        })
    }

    fn wall(&self, reader: &Reader<'_, '_>) -> Option<Rule> {
        let rule = WallRule {
            half_extents: reader.vec3("half_extents"),
            bricks: reader.whole("bricks") as usize,
            courses: reader.whole("courses") as usize,
            gap: reader.number("gap"),
            irregular: reader.number("irregular"),
            seed: reader.whole("seed"),
        };
        if reader.has("gap") && rule.gap >= f64::from(rule.half_extents.x) {
            let message = "`gap` must be less than half a brick";
            let help = "make the gap smaller or the bricks longer";
            self.sink
                .error(reader.place_of("gap"), "out-of-range", message, help);
        }
        Some(Rule::Wall(self.template(reader, Role::Shapeless)?, rule))
    }

    fn arch(&self, reader: &Reader<'_, '_>) -> Option<Rule> {
        let rule = ArchRule {
            stones: reader.whole("stones") as usize,
            radius: reader.number("radius"),
            thickness: reader.number("thickness"),
            depth: reader.number("depth"),
            degrees: reader.number("degrees"),
            springers: reader.flag("springers"),
        };
        let given = reader.has("radius") && reader.has("thickness");
        if given && rule.thickness >= 2.0 * rule.radius {
            let message = format!(
                "`thickness` must be less than twice the radius, found {} with radius {}",
                rule.thickness, rule.radius
            );
            let help = "make it thinner: the inner radius is `radius - thickness / 2`";
            self.sink
                .error(reader.place_of("thickness"), "out-of-range", message, help);
        }
        if rule.degrees / rule.stones as f64 >= 120.0 {
            let message = "a stone would span 120 degrees or more";
            let help = "raise `stones`";
            self.sink
                .error(reader.place_of("stones"), "out-of-range", message, help);
        }
        Some(Rule::Arch(self.template(reader, Role::Shapeless)?, rule))
    }

    fn chain(&self, reader: &Reader<'_, '_>) -> Option<Rule> {
        let ball = KindModel::Known(JointKind::BALL);
        let rule = ChainRule {
            links: reader.whole("links") as usize,
            pitch: reader.optional("pitch"),
            direction: reader.direction("direction"),
            joint: reader.variant("joint").map_or(ball, |inner| kind(&inner)),
            start: reader.text("start"),
            end: reader.text("end"),
        };
        let body = self.template(reader, Role::Template)?;
        if body.def.kind != BodyKind::Dynamic {
            let message = "the links of a chain are dynamic";
            let help = "remove `kind`, and tie `start` or `end` to a body that is fixed";
            self.sink.error(body.span, "conflict", message, help);
        }
        Some(Rule::Chain(body, rule))
    }

    fn pile(&self, reader: &Reader<'_, '_>) -> Option<Rule> {
        let given = reader.items("shapes");
        let shapes: Vec<Shape> = given.iter().filter_map(|item| self.shape(item)).collect();
        if reader.has("shapes") && given.is_empty() {
            let span = reader.place_of("shapes");
            let message = "a pile needs at least one shape";
            let help = "add one: `Sphere(radius: 0.5)`";
            self.sink.error(span, "out-of-range", message, help);
        }
        for (shape, item) in shapes.iter().zip(given) {
            if matches!(shape, Shape::HalfSpace { .. }) || shape.surface().is_some() {
                let message = format!("a {} cannot be part of a pile", shape.kind_name());
                let help = "give it a body of its own, or fill the pile with closed shapes";
                self.sink
                    .error(item.span, "moving-half-space", message, help);
            }
        }
        let columns = reader.pair("columns").unwrap_or([1.0, 1.0]);
        if columns.iter().any(|count| count.fract() != 0.0) {
            let span = reader.place_of("columns");
            let message = "`columns` must be two whole numbers";
            let help = "how many along x and along z: `(4, 4)`";
            self.sink.error(span, "out-of-range", message, help);
        }
        let scale = reader.pair("scale").unwrap_or([1.0, 1.0]);
        if scale[0] > scale[1] {
            let message = "the least `scale` comes first";
            let help = "exchange the two";
            self.sink
                .error(reader.place_of("scale"), "out-of-range", message, help);
        }
        let rule = PileRule {
            shapes,
            count: reader.whole("count") as usize,
            columns: columns.map(|count| count as usize),
            spacing: reader.optional("spacing"),
            scale,
            turned: reader.flag("turned"),
            seed: reader.whole("seed"),
        };
        Some(Rule::Pile(self.template(reader, Role::Shapeless)?, rule))
    }
}
