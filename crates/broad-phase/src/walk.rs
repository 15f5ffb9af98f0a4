//! Questions about few cells: what touches a region, where the cells that may hold it are so few
//! that each is looked up by its coordinates. Casts do the same on their way.

use std::ops::ControlFlow;

use drystone_geometry::WorldAabb;
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};

use crate::found::{Found, FoundCell};
use crate::grid::{Grid, Span};
use crate::seeker::{LANES, Seeker, touching};
use crate::tolerance::MOST_LOOKUPS;

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
            let flow = self.look_around(&seeker, visit);
            if flow.is_break() {
                return Some(flow);
            }
        }
        Some(ControlFlow::Continue(()))
    }

    /// Calls `visit` with each box of the seeker's level that touches it, until it breaks.
    fn look_around(
        &self,
        seeker: &Seeker,
        visit: &mut impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut found = Found::new(seeker.level);
        let Span { first, last } = self.cells_around(seeker, seeker.level);
        for z in first[2]..last[2] + 1 {
            for y in first[1]..last[1] + 1 {
                for x in first[0]..last[0] + 1 {
                    if found.is_full() {
                        self.look_into(&mut found, seeker, visit)?;
                    }
                    found.add(self, [x, y, z], 0.0);
                }
            }
        }
        self.look_into(&mut found, seeker, visit)
    }

    /// Calls `visit` with each box of the cells that were found that touches the seeker, until it
    /// breaks.
    fn look_into(
        &self,
        found: &mut Found,
        seeker: &Seeker,
        visit: &mut impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        found.settle(self);
        for FoundCell { coord, run, .. } in found.places() {
            let limit = seeker.limit(seeker.level, *coord);
            for block in 0..run.len().div_ceil(LANES) {
                let mut bits = dispatch!(Level::baseline(), simd => {
                    touching(simd, self, run, block, limit.simd_into(simd))
                });
                let items = self.items_from(run.first() + (LANES * block) as u32);
                while bits != 0 {
                    visit(items[(bits.trailing_zeros() / u8::BITS) as usize].id())?;
                    bits &= bits - 1;
                }
            }
        }
        found.clear();
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cast::Cast;
    use crate::{Activity, BroadPhase, Filter, ProxyDef};
    use drystone_geometry::glam::DVec3;

    /// A number below 1 that has little to do with its index.
    fn mixed(k: u32) -> f64 {
        f64::from(k.wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24)
    }

    /// Boxes on two levels in a cube and in a layer around the origin, questions of a few cells'
    /// length and of far more, some along an axis or across one: the few cells are looked up, the many are not, and either way what is
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
                let axes = [DVec3::ONE, DVec3::X, DVec3::new(1.0, 0.0, 1.0)][k as usize / 3 % 3];
                let way = at(k + 1700) * axes * [0.1, 1.0, 9.0][k as usize % 3];
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
}
