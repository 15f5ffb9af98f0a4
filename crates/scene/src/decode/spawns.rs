//! Spawns, before they are expanded.

use super::grid::order;
use super::{Context, Item, Name, Reader};
use crate::schema::SPAWN;
use crate::spawn::{Grid, Schedule};

/// A spawn as written.
#[derive(Clone, Debug)]
pub(crate) struct SpawnModel {
    pub(crate) name: Name,
    pub(crate) item: Item,
    pub(crate) grid: Grid,
    pub(crate) schedule: Schedule,
}

impl Context<'_> {
    /// The spawns of a list.
    pub(super) fn spawns(&self, reader: &Reader<'_, '_>, field: &str) -> Vec<SpawnModel> {
        let mut spawns = Vec::new();
        for item in reader.items(field) {
            let read = Reader::open(&SPAWN, item, self.sink);
            match read.and_then(|reader| self.spawn(&reader)) {
                Some(spawn) => spawns.push(spawn),
                None => self.lost_names.set(true),
            }
        }
        spawns
    }

    fn spawn(&self, reader: &Reader<'_, '_>) -> Option<SpawnModel> {
        let before = self.sink.count();
        let name = reader.text("name");
        if let Some(name) = &name {
            super::bodies::check_free_name(name, reader);
        }
        let grid = Grid {
            count: reader.counts("count"),
            step: reader.vector("step"),
            order: order(reader),
            position: reader.vector("position"),
            rotation: reader.rotation("rotation"),
        };
        let until = reader.whole("until");
        let schedule = Schedule {
            together: reader.whole("together") as usize,
            every: reader.whole("every"),
            from: reader.whole("from"),
            until: reader.has("until").then_some(until),
            mask: reader.whole("mask"),
            respawn: reader.flag("respawn"),
        };
        let item = self.item(reader);
        reader.finish();
        check(reader, &schedule);
        if self.sink.count() > before {
            return None;
        }
        Some(SpawnModel {
            name: name?,
            item: item?,
            grid,
            schedule,
        })
    }
}

fn check(reader: &Reader<'_, '_>, schedule: &Schedule) {
    if let Some(until) = schedule.until
        && until < schedule.from
    {
        let message = format!("`until` is step {until}, before `from`, {}", schedule.from);
        let help = "exchange them";
        reader
            .sink
            .error(reader.place_of("until"), "conflict", message, help);
    } else if !schedule.ever() {
        let message = "no step fits `every`, `from`, `until` and `mask`, so nothing appears";
        let help = "a step n is due when n - from is a multiple of `every` and n AND mask is 0";
        let span = reader.place_of("mask");
        reader.sink.error(span, "conflict", message, help);
    }
}
