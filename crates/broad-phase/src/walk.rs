//! Questions about few cells: what touches a region and what a cast meets, where the cells that
//! may hold it are so few that each is looked up by its coordinates.
//!
//! A cast is cut into pieces of at most a cell's length along each axis, and what touches the box
//! around a piece is looked at. Each box is met at one fraction of the way, so it is reported with
//! the piece that this lies in. Pieces come in order, so who wants the first hit is soon done.

use std::ops::ControlFlow;

use drystone_geometry::WorldAabb;
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};

use crate::cast::Cast;
use crate::grid::{Cell, Grid};
use crate::item::Item;
use crate::placement::power_of_two;
use crate::seeker::{LANES, Seeker, touching};
use crate::tolerance::{MOST_LOOKUPS, MOST_PIECES};

impl Grid {
    /// Calls `visit` with each box that touches `region`, in the world, in metres, until it
    /// breaks; none when too many cells may hold such boxes.
    pub(crate) fn look_up_touching(
        &self,
        region: &WorldAabb,
        visit: &mut impl FnMut(u32) -> ControlFlow<()>,
    ) -> Option<ControlFlow<()>> {
        let mut cells = 0;
        for level in self.levels() {
            cells += Seeker::of_region(region, level).count_cells();
            if cells > i64::from(MOST_LOOKUPS) {
                return None;
            }
        }
        for level in self.levels() {
            let seeker = Seeker::of_region(region, level);
            let flow = self.look_around(&seeker, &mut |_, item| visit(item.id()));
            if flow.is_break() {
                return Some(flow);
            }
        }
        Some(ControlFlow::Continue(()))
    }

    /// Calls `visit` with each box that `cast` meets, roughly in order; `false` when too many
    /// cells may hold such boxes.
    pub(crate) fn look_up_cast(
        &self,
        cast: &mut Cast,
        visit: &mut impl FnMut(u32, f64) -> f64,
    ) -> bool {
        let size = (cast.behind - cast.ahead).max_element();
        let length = cast.translation.abs().max_element();
        let mut pieces = 0.0;
        for level in self.levels() {
            let edge = power_of_two(i32::from(level));
            pieces += (length / edge).ceil();
            if pieces > MOST_PIECES || size > edge {
                return false;
            }
        }
        for level in self.levels() {
            self.look_up_level(level, length, cast, visit);
        }
        true
    }

    /// Calls `visit` with each box of a level that `cast` meets, whose longest coordinate is
    /// `length`, in metres.
    fn look_up_level(
        &self,
        level: i8,
        length: f64,
        cast: &mut Cast,
        visit: &mut impl FnMut(u32, f64) -> f64,
    ) {
        let pieces = (length / power_of_two(i32::from(level))).ceil().max(1.0);
        let mut from = 0.0;
        let mut piece = 0.0;
        while piece < pieces && from <= cast.limit {
            piece += 1.0;
            let to = if piece < pieces { piece / pieces } else { 1.0 };
            let (one, other) = (cast.translation * from, cast.translation * to);
            let region = WorldAabb {
                min: cast.ahead + one.min(other),
                max: cast.behind + one.max(other),
            };
            // A step is far more than rounding.
            let seeker = Seeker::of_region(&region, level).grown(1);
            let is_last = piece >= pieces;
            let _ = self.look_around(&seeker, &mut |cell, item| {
                let target = cell.world_box(item);
                if let Some(entry) = cast.entry(&target)
                    && entry >= from
                    && (entry < to || is_last)
                {
                    cast.limit = cast.limit.min(visit(item.id(), entry));
                    if cast.limit < 0.0 {
                        return ControlFlow::Break(());
                    }
                }
                ControlFlow::Continue(())
            });
            from = to;
        }
    }

    /// Calls `visit` with each box of the seeker's level that touches it, until it breaks.
    #[inline(always)]
    fn look_around(
        &self,
        seeker: &Seeker,
        visit: &mut impl FnMut(&Cell, &Item) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let [first, last] = seeker.cells(seeker.level);
        for z in first[2]..=last[2] {
            for y in first[1]..=last[1] {
                for x in first[0]..=last[0] {
                    if let Some(index) = self.find(seeker.level, [x, y, z]) {
                        self.look_into(self.cell(index), seeker, visit)?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Calls `visit` with each box of a cell that touches the seeker, until it breaks.
    #[inline(always)]
    fn look_into(
        &self,
        cell: &Cell,
        seeker: &Seeker,
        visit: &mut impl FnMut(&Cell, &Item) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let run = cell.run();
        let limit = seeker.limit(cell.level, cell.coord);
        for block in 0..run.len().div_ceil(LANES) {
            let mut bits = dispatch!(Level::baseline(), simd => {
                touching(simd, self, &run, block, limit.simd_into(simd))
            });
            let items = &self.items(cell)[LANES * block..];
            while bits != 0 {
                visit(cell, &items[(bits.trailing_zeros() / u8::BITS) as usize])?;
                bits &= bits - 1;
            }
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Activity, BroadPhase, Filter, ProxyDef};
    use drystone_geometry::glam::DVec3;

    /// Boxes on two levels around the origin, questions of a few cells' length and of far more:
    /// the few cells are looked up, the many are not, and either way what is met is what a
    /// test of all fat boxes tells, each box once.
    #[test]
    fn few_cells_tell_what_all_boxes_do() {
        let mut broad = BroadPhase::new();
        let mixed = |k: u32| f64::from(k.wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24);
        let at = |k: u32| DVec3::new(mixed(3 * k), mixed(3 * k + 1), mixed(3 * k + 2)) * 12.0 - 6.0;
        for id in 0..400 {
            let half = if id % 9 == 0 { 1.3 } else { 0.2 };
            let aabb = WorldAabb {
                min: at(id) - half,
                max: at(id) + half,
            };
            let (activity, filter) = (Activity::Awake, Filter::default());
            let def = ProxyDef {
                aabb,
                activity,
                filter,
                owner: id,
            };
            broad.insert(id, def).expect("a valid box");
        }
        let mut looked_up = [0; 4];
        for k in 0..200 {
            let (way, half) = (at(k + 700) * [0.3, 9.0][k as usize % 2], 0.3 * mixed(k));
            let (origin, half) = (at(k + 500), DVec3::splat(half));
            let mut met = Vec::new();
            let is_short =
                broad
                    .mobile
                    .look_up_cast(&mut Cast::new(origin, half, way), &mut |id, _| {
                        met.push(id);
                        1.0
                    });
            looked_up[usize::from(is_short)] += 1;
            let is_met = |id: &u32| Cast::new(origin, half, way).entry(broad.fat(*id)).is_some();
            met.sort_unstable();
            assert!(
                !is_short || met.into_iter().eq((0..400).filter(is_met)),
                "{origin} {way}"
            );

            let region = WorldAabb {
                min: origin - way.abs(),
                max: origin + way.abs(),
            };
            let mut found = Vec::new();
            let flow = broad.mobile.look_up_touching(&region, &mut |id| {
                found.push(id);
                ControlFlow::Continue(())
            });
            looked_up[2 + usize::from(flow.is_some())] += 1;
            found.sort_unstable();
            let touches = |id: &u32| broad.fat(*id).overlaps(&region);
            assert!(
                flow.is_none() || found.into_iter().eq((0..400).filter(touches)),
                "{region:?}"
            );
        }
        assert!(looked_up.iter().all(|&count| count > 20), "{looked_up:?}");
    }
}
