//! One table of everything a scene file may say: every field, its type, default, range
//! and meaning.
//!
//! The reader takes names, defaults and ranges from here, the suggestions come from here
//! and `drystone schema` prints it, so none of them can drift. In debug builds the reader
//! also checks that it asked for every field of a record and for no other.

mod body;
mod curved;
mod expect;
mod expect_motion;
mod expect_world;
mod grid;
mod joint;
mod joint_axes;
mod material;
mod mesh;
mod pair;
mod pattern;
mod planar;
mod render;
mod scene;
mod spawn;

pub use body::{BODY, FILTER, PART, RING, ROTATION, SHAPE};
pub use expect::EXPECTATION;
pub use grid::GRID;
pub use joint::{JOINT, JOINT_KIND, MOTOR, SPRING};
pub use joint_axes::{LINEAR_MOTOR, LINEAR_SPRING, THRESHOLD};
pub use material::MATERIAL;
pub use mesh::{MESH_RULE, WAVES};
pub use pair::{PAIR_BODY, PAIR_MOTION, PAIR_QUERY};
pub use pattern::{ARCH, CARD_HOUSE, CHAIN, PATTERN, PILE, PLACE, PYRAMID, SQUARE_PYRAMID, WALL};
pub use planar::{PLANAR_BODY, PLANAR_QUERY, PLANAR_SHAPE, QUESTION};
pub use render::{render, render_one, render_pair, render_planar};
pub use scene::{BENCH, MOTION, PATH, PREFAB, SCENE, SETTINGS, WAYPOINT};
pub use spawn::SPAWN;

/// A record: `(field: value, ...)`, or a variant `Name(field: value, ...)`.
#[derive(Debug)]
pub struct Record {
    /// The variant's name as written in a file; a plain record's name in the schema.
    pub name: &'static str,
    /// What it is.
    pub doc: &'static str,
    /// Its fields, in the order they are shown.
    pub fields: &'static [Field],
}

/// A choice between named records: `Box(...)` or `Sphere(...)`.
#[derive(Debug)]
pub struct Union {
    /// Name in the schema.
    pub name: &'static str,
    /// What it is.
    pub doc: &'static str,
    /// The variants.
    pub variants: &'static [&'static Record],
}

/// A field of a record.
#[derive(Debug)]
pub struct Field {
    /// Name in the file.
    pub name: &'static str,
    /// What may stand there.
    pub kind: Type,
    /// What holds when it is left out.
    pub default: Default,
    /// Meaning, with its unit.
    pub doc: &'static str,
}

/// What may stand in a field.
#[derive(Debug)]
pub enum Type {
    /// `true` or `false`.
    Flag,
    /// A whole number between two bounds, both allowed.
    Whole(u64, u64),
    /// A whole number that may be negative.
    Signed(i64, i64),
    /// A number in a range.
    Number(Range),
    /// Two numbers, each in a range.
    Pair(Range),
    /// Three numbers, each in a range: `(x, y, z)` or `[x, y, z]`.
    Vector(Range),
    /// Three numbers that say a direction; the length does not matter.
    Direction,
    /// Three whole numbers.
    Counts(u64, u64),
    /// Three flags, for x, y and z.
    Flags,
    /// A quaternion `(x, y, z, w)` or one of [`ROTATION`].
    Rotation,
    /// Radians, or `Degrees(...)`.
    Angle(Range),
    /// Free text.
    Text,
    /// The name of something defined elsewhere in the scene; says of what.
    Name(&'static str),
    /// The name of a body, of a group of bodies, or `all`.
    Bodies,
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// A record.
    Record(&'static Record),
    /// A variant.
    Union(&'static Union),
    /// A name of a definition, or the thing itself.
    NameOr(&'static Type),
    /// Any number of items.
    List(&'static Type),
    /// Named items: `{ "name": item }`.
    Map(&'static Type),
}

/// Bounds of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Least value.
    pub min: f64,
    /// Greatest value.
    pub max: f64,
    /// Whether `min` itself is refused.
    pub above: bool,
}

impl Range {
    /// From `min` to `max`, both allowed.
    pub const fn between(min: f64, max: f64) -> Self {
        Self {
            min,
            max,
            above: false,
        }
    }

    /// Above `min`, up to `max`.
    pub const fn above(min: f64, max: f64) -> Self {
        Self {
            min,
            max,
            above: true,
        }
    }

    /// At most `size` either side of zero.
    pub const fn within(size: f64) -> Self {
        Self {
            min: -size,
            max: size,
            above: false,
        }
    }

    /// Whether `value` lies in the range; NaN does not.
    pub fn holds(&self, value: f64) -> bool {
        value <= self.max
            && if self.above {
                value > self.min
            } else {
                value >= self.min
            }
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let word = if self.above { "above" } else { "at least" };
        write!(
            f,
            "{word} {} and at most {}",
            short(self.min),
            short(self.max)
        )
    }
}

/// A number as people write it: `0.5`, `1e9`.
pub(crate) fn short(number: f64) -> String {
    let size = number.abs();
    if size != 0.0 && size.is_finite() && !(0.001..10_000_000.0).contains(&size) {
        format!("{number:e}")
    } else {
        format!("{number}")
    }
}

/// What holds when a field is left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Default {
    /// It must not be left out.
    Required,
    /// Nothing, or what the text says.
    Absent(&'static str),
    /// This number.
    Number(f64),
    /// This flag.
    Flag(bool),
    /// These three numbers.
    Vector([f64; 3]),
    /// This word or text.
    Word(&'static str),
}

impl Record {
    /// The field called `name`.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

impl Union {
    /// The variant called `name`.
    pub fn variant(&self, name: &str) -> Option<&'static Record> {
        self.variants
            .iter()
            .find(|variant| variant.name == name)
            .copied()
    }
}

/// Every record and union of a scene file, the outermost first.
pub fn tables() -> (Vec<&'static Record>, Vec<&'static Union>) {
    tables_below(&SCENE)
}

/// Every record and union of a file of planar questions, the outermost first.
pub fn planar_tables() -> (Vec<&'static Record>, Vec<&'static Union>) {
    tables_below(&PLANAR_QUERY)
}

/// Every record and union of a file about a pair, the outermost first.
pub fn pair_tables() -> (Vec<&'static Record>, Vec<&'static Union>) {
    tables_below(&PAIR_QUERY)
}

fn tables_below(root: &'static Record) -> (Vec<&'static Record>, Vec<&'static Union>) {
    let mut records: Vec<&'static Record> = Vec::new();
    let mut unions: Vec<&'static Union> = Vec::new();
    visit_record(root, &mut records, &mut unions);
    (records, unions)
}

fn visit_record(
    record: &'static Record,
    records: &mut Vec<&'static Record>,
    unions: &mut Vec<&'static Union>,
) {
    if records.iter().any(|known| std::ptr::eq(*known, record)) {
        return;
    }
    records.push(record);
    for field in record.fields {
        visit_type(&field.kind, records, unions);
    }
}

fn visit_type(
    kind: &'static Type,
    records: &mut Vec<&'static Record>,
    unions: &mut Vec<&'static Union>,
) {
    match kind {
        Type::Record(record) => visit_record(record, records, unions),
        Type::Rotation => visit_union(&ROTATION, records, unions),
        Type::Union(union) => visit_union(union, records, unions),
        Type::NameOr(inner) | Type::List(inner) | Type::Map(inner) => {
            visit_type(inner, records, unions);
        }
        _ => {}
    }
}

fn visit_union(
    union: &'static Union,
    records: &mut Vec<&'static Record>,
    unions: &mut Vec<&'static Union>,
) {
    if unions.iter().any(|known| std::ptr::eq(*known, union)) {
        return;
    }
    unions.push(union);
    for variant in union.variants {
        visit_record(variant, records, unions);
    }
}
