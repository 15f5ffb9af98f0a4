//! Questions to the broad phase: what touches a box, what a moving box or a ray meets, what
//! lies near a point.
//!
//! All see fat boxes as they are now, moves since the last update included; the caller looks
//! closer at what they report. They look up the cells around them where those are few, else walk
//! the trees of cells, or, where many are asked between changes, a tree built for them alone,
//! and skip what cannot matter, so their cost follows
//! the answer and the logarithm of the world's extent, not the number of proxies; only
//! unbounded proxies are asked one by one. They take `&self`, so many can run in parallel.

use std::ops::ControlFlow;

use drystone_geometry::WorldAabb;
use drystone_geometry::glam::DVec3;

use crate::broad_phase::BroadPhase;
use crate::cast::Cast;
use crate::grid::{Cell, Grid};
use crate::placement::power_of_two;
use crate::probe::{Met, Near, Touching};
use crate::tolerance::WAY_BITS;

impl BroadPhase {
    /// Calls `visit` with each proxy whose fat box touches `region`, in the world, in
    /// metres, until it breaks. The order means nothing and may be another for the same boxes.
    ///
    /// For any hit, break at the first; for all, see [`Self::touching`]. A region with NaN
    /// touches nothing.
    pub fn query_box(
        &self,
        region: &WorldAabb,
        mut visit: impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for (id, fat) in self.unbounded_boxes() {
            if fat.overlaps(region) {
                visit(id)?;
            }
        }
        if region.min.is_nan() || region.max.is_nan() {
            return ControlFlow::Continue(());
        }
        for grid in [&self.mobile, &self.fixed] {
            if let Some(tree) = grid.tree(&self.fat) {
                let visit = &mut visit;
                tree.visit(&self.fat, &mut Touching { region, visit })?;
                continue;
            }
            if let Some(flow) = grid.look_up_touching(region, &mut visit) {
                flow?;
                continue;
            }
            for root in grid.roots() {
                grid.visit_touching(root, region, &mut visit)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// The proxies whose fat boxes touch `region`, sorted.
    pub fn touching(&self, region: &WorldAabb) -> Vec<u32> {
        let mut ids = Vec::new();
        let _ = self.query_box(region, |id| {
            ids.push(id);
            ControlFlow::Continue(())
        });
        ids.sort_unstable();
        ids
    }

    /// Moves `start` by `translation`, both in the world, in metres, and calls `visit` with
    /// each proxy whose fat box it meets and the fraction of the way, 0 to 1, at which it may
    /// first do so. `visit` answers with the fraction up to which to go on looking: what it
    /// was given to look for everything, the fraction of its own hit for the first hit, a
    /// negative number to stop.
    ///
    /// Nearer boxes come earlier, roughly; the order may be another for the same boxes. A box
    /// missed by less than rounding may be reported;
    /// none that is met is missed. A start or translation that is not finite meets nothing.
    pub fn cast_box(
        &self,
        start: &WorldAabb,
        translation: DVec3,
        mut visit: impl FnMut(u32, f64) -> f64,
    ) {
        let origin = 0.5 * start.min + 0.5 * start.max;
        let half = 0.5 * (start.max - start.min);
        if !start.is_valid() || !origin.is_finite() || !translation.is_finite() {
            return;
        }
        let rounding = |way: DVec3| 4.0 * f64::EPSILON * (origin.abs() + way.abs()).max_element();
        let mut cast = Cast::new(origin, half + rounding(translation), translation);
        for (id, fat) in self.unbounded_boxes() {
            cast.meet(fat, id, &mut visit);
        }
        // In cells, fractions of a way are followed in f32, which those of a longer way underflow.
        let excess = translation.abs().max_element() / power_of_two(WAY_BITS);
        let whole = if excess > 1.0 { excess } else { 1.0 };
        if whole > 1.0 {
            let limit = cast.limit * whole;
            let part = translation / whole;
            cast = Cast::new(origin, half + rounding(part), part);
            cast.limit = cast.limit.min(limit);
        }
        let mut visit = |id, entry| whole * visit(id, entry / whole);
        for grid in [&self.mobile, &self.fixed] {
            if grid.count() == 0 {
                continue;
            }
            match grid.tree(&self.fat) {
                Some(tree) => {
                    let (cast, visit) = (&mut cast, &mut visit);
                    let _ = tree.visit(&self.fat, &mut Met { cast, visit });
                }
                None if grid.look_up_cast(&mut cast, &mut visit) => {}
                None => grid.visit_cast(&mut cast, &mut visit),
            }
        }
    }

    /// Casts a ray from `origin` to `origin + translation`: a box without extent, see
    /// [`Self::cast_box`].
    pub fn cast_ray(&self, origin: DVec3, translation: DVec3, visit: impl FnMut(u32, f64) -> f64) {
        self.cast_box(
            &WorldAabb {
                min: origin,
                max: origin,
            },
            translation,
            visit,
        );
    }

    /// Calls `visit` with each proxy whose fat box is within `max_distance` of `point`, in
    /// the world, in metres, and that distance: a lower bound for anything inside the box.
    /// `visit` answers with the distance within which to go on looking: what it was given for
    /// everything, the distance of its own answer for the closest, a negative number to stop.
    /// Nearer boxes come earlier, roughly. To a point that is not finite nothing is close.
    pub fn closest(&self, point: DVec3, max_distance: f64, mut visit: impl FnMut(u32, f64) -> f64) {
        if !point.is_finite() {
            return;
        }
        let mut limit = max_distance;
        for (id, fat) in self.unbounded_boxes() {
            let distance = box_distance(fat, point);
            if distance <= limit {
                limit = limit.min(visit(id, distance));
            }
        }
        for grid in [&self.mobile, &self.fixed] {
            if let Some(tree) = grid.tree(&self.fat) {
                let visit = &mut visit;
                let mut near = Near {
                    point,
                    limit,
                    visit,
                };
                let _ = tree.visit(&self.fat, &mut near);
                limit = near.limit;
                continue;
            }
            for root in grid.roots() {
                if box_distance(&grid.cell(root).reach(), point) <= limit {
                    grid.visit_closest(root, point, &mut limit, &mut visit);
                }
            }
        }
    }

    fn unbounded_boxes(&self) -> impl Iterator<Item = (u32, &WorldAabb)> {
        self.unbounded.iter().map(|&id| (id, self.fat(id)))
    }
}

impl Grid {
    fn visit_touching(
        &self,
        index: u32,
        region: &WorldAabb,
        visit: &mut impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let cell = self.cell(index);
        for item in self.items(cell) {
            if cell.world_box(item).overlaps(region) {
                visit(item.id())?;
            }
        }
        let mut children = self.children_touching(cell, region);
        while children != 0 {
            let child = self.child(cell, children.trailing_zeros() as usize);
            self.visit_touching(child, region, visit)?;
            children &= children - 1;
        }
        ControlFlow::Continue(())
    }

    fn visit_closest(
        &self,
        index: u32,
        point: DVec3,
        limit: &mut f64,
        visit: &mut impl FnMut(u32, f64) -> f64,
    ) {
        let cell = self.cell(index);
        for item in self.items(cell) {
            let distance = box_distance(&cell.world_box(item), point);
            if distance <= *limit {
                *limit = limit.min(visit(item.id(), distance));
            }
        }
        // The child on the point's side first.
        let middle = cell.origin() + DVec3::splat(0.5 * cell.edge());
        let first: usize = (0..3)
            .map(|axis| usize::from(point[axis] >= middle[axis]) << axis)
            .sum();
        for order in 0..8 {
            let Some(child) = self.child_if_any(cell, first ^ order) else {
                continue;
            };
            if box_distance(&cell.child_reach(first ^ order), point) <= *limit {
                self.visit_closest(child, point, limit, visit);
            }
        }
    }

    fn child_if_any(&self, cell: &Cell, index: usize) -> Option<u32> {
        let child = self.child(cell, index);
        (child != crate::grid::NONE).then_some(child)
    }
}

/// Distance of a point from a box, in metres; 0 inside.
pub(crate) fn box_distance(target: &WorldAabb, point: DVec3) -> f64 {
    (target.min - point)
        .max(point - target.max)
        .max(DVec3::ZERO)
        .length()
}
