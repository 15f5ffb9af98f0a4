//! Grids, before they are expanded.

use drystone::BodyKind;
use drystone::geometry::glam::DVec3;

use super::bodies::{BodyModel, Role};
use super::joints::{KindModel, kind};
use super::{Context, Name, Reader};
use crate::diagnostic::Span;

/// What a grid is made of.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Body(Box<BodyModel>),
    Prefab(Name),
}

/// Where the items of a grid are.
#[derive(Clone, Debug)]
pub(crate) struct GridRule {
    pub(crate) count: [usize; 3],
    pub(crate) step: DVec3,
    /// The axes, slowest first.
    pub(crate) order: [usize; 3],
    pub(crate) stagger: DVec3,
    pub(crate) jitter: f64,
    pub(crate) seed: u64,
    pub(crate) centered: bool,
    /// The axis whose first layer is static.
    pub(crate) fixed: Option<usize>,
    /// Between neighbours.
    pub(crate) joint: Option<KindModel>,
}

impl Context<'_> {
    pub(super) fn grid(&self, reader: &Reader<'_, '_>) -> Option<(Item, GridRule)> {
        let rule = GridRule {
            count: reader.counts("count"),
            step: reader.vector("step"),
            order: order(reader),
            stagger: reader.vector("stagger"),
            jitter: reader.number("jitter"),
            seed: reader.whole("seed"),
            centered: reader.flag("centered"),
            fixed: axis(reader.choice("fixed")),
            joint: reader.variant("joint").map(|inner| kind(&inner)),
        };
        let item = self.item(reader)?;
        let is_prefab = matches!(item, Item::Prefab(_));
        for field in ["joint", "fixed"] {
            if is_prefab && reader.has(field) {
                let message = format!("`{field}` is for a grid of bodies, not of prefabs");
                let help = "repeat a `body`, or put it into the prefab";
                let span = reader.place_of(field);
                self.sink.error(span, "conflict", message, help);
            }
        }
        if let Item::Body(body) = &item
            && rule.joint.is_some()
            && body.def.kind != BodyKind::Dynamic
        {
            let message = "neither of two neighbours is dynamic, so a joint could hold nothing";
            let span = reader.place_of("joint");
            self.sink
                .error(span, "dead-joint", message, "remove the joint");
        }
        Some((item, rule))
    }

    /// What is repeated: a body or a prefab.
    pub(super) fn item(&self, reader: &Reader<'_, '_>) -> Option<Item> {
        let prefab = reader.text("prefab");
        let body = self.template(reader, Role::Template);
        if reader.has("body") == reader.has("prefab") {
            let message = "this needs `body` or `prefab`, and not both";
            let help = "`body: (shape: ...)` repeats a body, `prefab: \"name\"` a group";
            let span = Span {
                end: (reader.span.start + 4).min(reader.span.end),
                ..reader.span
            };
            self.sink.error(span, "conflict", message, help);
        }
        let body = body.map(|body| Item::Body(Box::new(body)));
        body.or(prefab.map(Item::Prefab))
    }
}

/// The axes of `order`, slowest first.
pub(super) fn order(reader: &Reader<'_, '_>) -> [usize; 3] {
    let mut axes = [1, 2, 0];
    let letters = reader.choice("order").split("").filter_map(axis);
    for (slot, axis) in axes.iter_mut().zip(letters) {
        *slot = axis;
    }
    axes
}

fn axis(letter: &str) -> Option<usize> {
    ["X", "Y", "Z"].iter().position(|axis| *axis == letter)
}
