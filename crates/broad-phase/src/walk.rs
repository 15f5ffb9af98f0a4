//! Questions about few cells: what touches a region and what a cast meets, where the cells that
//! may hold it are so few that each is looked up by its coordinates.
//!
//! A cast is cut into pieces of at most a cell's length along each axis, and what touches the box
//! around a piece is looked at. Each box is met at one fraction of the way, so it is reported with
//! the piece that this lies in. Pieces come in order, so who wants the first hit is soon done.

use std::ops::ControlFlow;

use drystone_geometry::WorldAabb;
use drystone_geometry::glam::DVec3;
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};

use crate::cast::Cast;
use crate::grid::{Cell, Grid, Span};
use crate::item::Item;
use crate::placement::power_of_two;
use crate::seeker::{LANES, Seeker, touching};
use crate::tolerance::{MOST_LOOKUPS, MOST_PIECES, NEAR_BITS};

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
            let seeker = Seeker::of_region(region, level);
            cells += self.cells_around(&seeker, level).count();
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
    /// cells may hold such boxes, or they are too far from where it starts.
    pub(crate) fn look_up_cast(
        &self,
        cast: &mut Cast,
        visit: &mut impl FnMut(u32, f64) -> f64,
    ) -> bool {
        let size = (cast.behind - cast.ahead).max_element();
        let length = cast.translation.abs().max_element();
        let mut pieces = 0.0;
        for level in self.levels() {
            if let Some([from, to]) = self.way_along(level, cast) {
                let edge = power_of_two(i32::from(level));
                pieces += (length * (to - from) / edge).ceil();
                let is_far = length * to > edge * power_of_two(NEAR_BITS);
                if pieces > MOST_PIECES || size > edge || is_far {
                    return false;
                }
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
        let Some([start, end]) = self.way_along(level, cast) else {
            return;
        };
        let share = end - start;
        let pieces = (length * share / power_of_two(i32::from(level))).ceil();
        let pieces = pieces.max(1.0);
        let mut from = start;
        let mut piece = 0.0;
        while piece < pieces && from <= cast.limit {
            piece += 1.0;
            let to = if piece < pieces {
                start + share * (piece / pieces)
            } else {
                end
            };
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

    /// The fractions of its way between which a cast may meet boxes of a level.
    fn way_along(&self, level: i8, cast: &Cast) -> Option<[f64; 2]> {
        let edge = power_of_two(i32::from(level));
        let span = self.span(level);
        let corner = |cell: [i32; 3], beyond: f64| {
            DVec3::from_array(cell.map(|at| f64::from(at) + beyond)) * edge
        };
        // Boxes stick out of their cells by less than an edge.
        cast.inside(&WorldAabb {
            min: corner(span.first, -1.0),
            max: corner(span.last, 2.0),
        })
    }

    /// Calls `visit` with each box of the seeker's level that touches it, until it breaks.
    #[inline(always)]
    fn look_around(
        &self,
        seeker: &Seeker,
        visit: &mut impl FnMut(&Cell, &Item) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Span { first, last } = self.cells_around(seeker, seeker.level);
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

    /// A number below 1 that has little to do with its index.
    fn mixed(k: u32) -> f64 {
        f64::from(k.wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24)
    }

    /// Boxes on two levels in a cube and in a layer around the origin, questions of a few cells'
    /// length and of far more: the few cells are looked up, the many are not, and either way what is
    /// met is what a test of all fat boxes tells, each box once.
    #[test]
    fn few_cells_tell_what_all_boxes_do() {
        let mut looked_up = [0; 4];
        for size in [DVec3::splat(36.0), DVec3::new(36.0, 1.5, 36.0)] {
            let at = |k: u32| {
                (DVec3::new(mixed(3 * k), mixed(3 * k + 1), mixed(3 * k + 2)) - 0.5) * size
            };
            let mut broad = BroadPhase::new();
            for id in 0..1000 {
                let half = if id % 9 == 0 { 1.3 } else { 0.2 };
                let def = ProxyDef {
                    aabb: WorldAabb {
                        min: at(id) - half,
                        max: at(id) + half,
                    },
                    activity: Activity::Awake,
                    filter: Filter::default(),
                    owner: id,
                };
                broad.insert(id, def).expect("a valid box");
            }
            for k in 0..200 {
                let way = at(k + 1700) * [0.1, 1.0, 9.0][k as usize % 3];
                let (origin, half) = (at(k + 1500), DVec3::splat(0.3 * mixed(k)));
                let cast = Cast::new(origin, half, way);
                let mut met = Vec::new();
                let is_short = broad.mobile.look_up_cast(&mut { cast }, &mut |id, _| {
                    met.push(id);
                    1.0
                });
                looked_up[usize::from(is_short)] += 1;
                let is_met = |id: &u32| cast.entry(broad.fat(*id)).is_some();
                met.sort_unstable();
                assert!(
                    !is_short || met.into_iter().eq((0..1000).filter(is_met)),
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
                    flow.is_none() || found.into_iter().eq((0..1000).filter(touches)),
                    "{region:?}"
                );
            }
        }
        assert!(looked_up.iter().all(|&count| count > 20), "{looked_up:?}");
    }

    /// Where the start is so far off that rounding could move a cast past a box, nothing is looked up.
    #[test]
    fn nothing_far_off_is_looked_up() {
        let mut broad = BroadPhase::new();
        let def = ProxyDef {
            aabb: WorldAabb {
                min: DVec3::splat(-0.5),
                max: DVec3::splat(0.5),
            },
            activity: Activity::Awake,
            filter: Filter::default(),
            owner: 0,
        };
        broad.insert(0, def).expect("a valid box");
        for (distance, is_near) in [(10.0, true), (1e9, true), (1e13, false), (1e300, false)] {
            let origin = DVec3::new(-distance, 0.0, 0.0);
            let mut cast = Cast::new(origin, DVec3::ZERO, -2.0 * origin);
            let mut met = 0;
            let is_looked_up = broad.mobile.look_up_cast(&mut cast, &mut |_, _| {
                met += 1;
                1.0
            });
            assert_eq!(
                (is_looked_up, met),
                (is_near, u32::from(is_near)),
                "{distance}"
            );
        }
    }
}
