//! From the tree to typed parts, by the table in [`crate::schema`].
//!
//! Every function reports what is wrong and returns a stand-in or `None`, so that reading
//! goes on.

mod bodies;
mod expectations;
mod grid;
mod joint_axes;
mod joints;
mod motions;
mod pair;
mod patterns;
mod planar;
mod reader;
mod scene;
mod shapes;
mod spawns;
mod surfaces;
mod values;

use std::cell::Cell;
use std::collections::BTreeMap;

use drystone::{Material, Shape};

pub(crate) use bodies::BodyModel;
pub(crate) use expectations::{Targets, expectations};
pub(crate) use grid::{GridRule, Item};
pub(crate) use joints::{JointModel, KindModel};
pub(crate) use motions::MotionModel;
pub(crate) use pair::pair_query;
pub(crate) use patterns::{ArchRule, ChainRule, PatternModel, PileRule, Rule, WallRule};
pub(crate) use planar::planar_query;
pub(crate) use reader::{Reader, open_variant};
pub(crate) use scene::{Decoded, decode};
pub(crate) use spawns::SpawnModel;
pub(crate) use values::about as about_axis;

use crate::diagnostic::{Sink, Span};

/// A name or text and where it stood.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// Gives the bytes of the file that a name says, seen from the file in which it stands.
pub(crate) type Beside<'a> = dyn Fn(&Name) -> Result<Vec<u8>, String> + 'a;

/// What the parts of a scene are read with.
pub(crate) struct Context<'a> {
    pub(crate) sink: &'a Sink,
    pub(crate) beside: &'a Beside<'a>,
    pub(crate) materials: BTreeMap<String, Material>,
    pub(crate) shapes: BTreeMap<String, Option<Shape>>,
    /// Whether something that would have had a name could not be read, so that a missing
    /// name proves nothing.
    pub(crate) lost_names: Cell<bool>,
}

impl Context<'_> {
    /// Looks up a definition by name; an unknown one is reported at its place.
    pub(crate) fn lookup<T: Clone>(
        &self,
        what: &str,
        definitions: &BTreeMap<String, T>,
        name: &Name,
    ) -> Option<T> {
        let found = definitions.get(&name.text).cloned();
        if found.is_none() && !self.lost_names.get() {
            let message = format!("there is no {what} called `{}`", name.text);
            let help = if self.sink.is_crowded() {
                format!("correct the name, or define the {what}")
            } else {
                let known: Vec<&str> = definitions.keys().map(String::as_str).collect();
                suggest(&name.text, &known, what)
            };
            self.sink.error(name.span, "unknown-name", message, help);
        }
        found
    }
}

/// What others call things, and what they are called here.
const OTHER_WORDS: &[(&str, &[&str])] = &[
    ("angvel", &["angular_velocity"]),
    ("ccd", &["bullet"]),
    ("convex", &["Hull"]),
    ("cuboid", &["Box"]),
    ("cube", &["Box"]),
    ("elasticity", &["restitution"]),
    ("fixed", &["Static", "Weld"]),
    ("ground", &["HalfSpace"]),
    ("linvel", &["linear_velocity"]),
    ("location", &["position"]),
    ("move", &["velocity"]),
    ("orientation", &["rotation"]),
    ("plane", &["HalfSpace"]),
    ("pos", &["position"]),
    ("prismatic", &["Slider"]),
    ("quat", &["rotation"]),
    ("revolute", &["Hinge"]),
    ("rot", &["rotation"]),
    ("rope", &["Distance"]),
    ("size", &["half_extents"]),
    ("spherical", &["Ball"]),
    ("terrain", &["HeightField"]),
    ("timestep", &["dt"]),
    ("translation", &["position"]),
    ("trimesh", &["Mesh"]),
    ("type", &["kind"]),
    ("vel", &["linear_velocity"]),
];

/// Help for a word that is none of `known`.
pub(crate) fn suggest(word: &str, known: &[&str], what: &str) -> String {
    if let Some(near) = crate::diagnostic::nearest(word, known.iter().copied()) {
        return format!("did you mean `{near}`?");
    }
    let lower = word.to_lowercase();
    let other = OTHER_WORDS.iter().find(|(other, _)| *other == lower);
    let meant = other.map_or(&[][..], |(_, meant)| *meant);
    // A word that is a part of others: `velocity` of `linear_velocity`.
    let is_meant =
        |name: &&&str| meant.contains(*name) || name.split('_').any(|part| part == lower);
    let meant: Vec<String> = known
        .iter()
        .filter(is_meant)
        .map(|name| format!("`{name}`"))
        .collect();
    if !meant.is_empty() {
        return format!("did you mean {}?", meant.join(" or "));
    }
    match known {
        [] => format!("no {what} is defined"),
        _ if known.len() <= 24 => format!("known: {}", known.join(", ")),
        _ => format!(
            "known: {} and {} more",
            known[..24].join(", "),
            known.len() - 24
        ),
    }
}

/// The name of a table as it is said: `joint kind` for `JointKind`.
pub(crate) fn spoken(name: &str) -> String {
    let mut spoken = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !spoken.is_empty() {
            spoken.push(' ');
        }
        spoken.extend(c.to_lowercase());
    }
    spoken
}
