//! Casts over few cells: layer by layer across the axis along which a cast is fastest, the cells
//! that may hold what it meets are looked up by their coordinates.
//!
//! A cast is brought to `f32` once a level, in steps from where it enters what the level has, which
//! tells cells and boxes that may be met from all others; what is reported of those is found in
//! `f64`. Layers come in order, so who wants the first hit is soon done.

use drystone_geometry::glam::DVec3;
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};

use crate::cast::{Cast, Coarse, LANES, greater, lesser};
use crate::found::Found;
use crate::grid::{Grid, Span};
use crate::placement::{STEPS, power_of_two};
use crate::tolerance::{LIMIT_SLACK, MOST_LAYERS, NEAR_BITS, STEP_BITS, STILL};

/// What brings the whole part of a number to the low end of its bits: beside this, steps of `f32`
/// are one.
const WHOLE: f32 = 1.5 * (1 << 23) as f32;

/// A cast over cells of one level, in steps from the corner of one of them.
struct Way {
    level: i8,
    /// The cell.
    base: [i32; 3],
    /// What the level has.
    span: Span,
    /// How far from the corner of a cell its boxes begin and end.
    begin: [f32; 3],
    end: [f32; 3],
    /// Fraction of the whole way at which it begins.
    from: f64,
    /// The cast from there on.
    coarse: Coarse,
    /// The way from there on for all that is left of the whole.
    step: [f32; 3],
    /// The axis along which it is fastest.
    along: usize,
}

impl Way {
    #[inline]
    fn new(cast: &Cast, grid: &Grid, level: i8, [from, to]: [f64; 2]) -> Self {
        let per_step = power_of_two(STEP_BITS - i32::from(level));
        let moved = cast.translation * from;
        let behind = ((cast.behind + moved) * per_step).to_array();
        let ahead = ((cast.ahead + moved) * per_step).to_array();
        let length = cast.translation.abs();
        let along = if length.x >= length.y && length.x >= length.z {
            0
        } else if length.y >= length.z {
            1
        } else {
            2
        };
        let still = DVec3::splat(STILL);
        let inverse = cast.inverse * power_of_two(i32::from(level) - STEP_BITS);
        let inverse = inverse.clamp(-still, still).as_vec3();
        let [x, y, z, negated_x, negated_y, negated_z] = grid.extent(level).reach;
        let mut way = Self {
            level,
            base: [0; 3],
            span: *grid.span(level),
            begin: [x, y, z].map(f32::from),
            end: [negated_x, negated_y, negated_z].map(|negated| -f32::from(negated)),
            from,
            coarse: Coarse {
                behind: [0.0; 3],
                ahead: [0.0; 3],
                inverse: inverse.to_array(),
                negated: (-inverse).to_array(),
                limit: cast
                    .limit_from(from)
                    .min(((to - from) * (1.0 + LIMIT_SLACK)) as f32),
            },
            step: (cast.translation * per_step).as_vec3().to_array(),
            along,
        };
        for axis in 0..3 {
            let base = (ahead[axis] * (1.0 / STEPS as f64)) as i32;
            let corner = f64::from(base) * f64::from(STEPS);
            way.base[axis] = base;
            // A step more than it is: rounding is far below.
            way.coarse.behind[axis] = (behind[axis] - corner + 1.0) as f32;
            way.coarse.ahead[axis] = (ahead[axis] - corner - 1.0) as f32;
        }
        way
    }

    /// The first and the last cell along an axis whose boxes it may meet between two fractions.
    #[inline(always)]
    fn cells(&self, axis: usize, [from, to]: [f32; 2]) -> [i32; 2] {
        let (one, other) = (self.step[axis] * from, self.step[axis] * to);
        // The first one whose boxes end behind where it is last, rounded down.
        let beyond = self.end[axis] - STEPS as f32;
        let low = self.coarse.ahead[axis] - beyond + lesser(one, other);
        let high = self.coarse.behind[axis] - self.begin[axis] + greater(one, other);
        let cell = |at: f32| {
            let steps = (at + WHOLE).to_bits() as i32 - WHOLE.to_bits() as i32;
            self.base[axis] + (steps >> STEP_BITS)
        };
        [
            cell(low).max(self.span.first[axis]),
            cell(high).min(self.span.last[axis]),
        ]
    }

    /// The fractions between which it may meet boxes of the layer of cells at `at` along an axis, and
    /// which are within others.
    #[inline(always)]
    fn times(&self, axis: usize, at: i32, [from, to]: [f32; 2]) -> [f32; 2] {
        let corner = ((at - self.base[axis]) << STEP_BITS) as f32;
        let low = corner + self.begin[axis] - self.coarse.behind[axis];
        let high = corner + self.end[axis] - self.coarse.ahead[axis];
        let inverse = self.coarse.inverse[axis];
        let (one, other) = (low * inverse, high * inverse);
        [
            greater(lesser(one, other), from),
            lesser(greater(one, other), to),
        ]
    }

    /// Where the corner of a cell is.
    #[inline(always)]
    fn corner(&self, coord: [i32; 3]) -> [i32; 3] {
        let along = |axis: usize| (coord[axis] - self.base[axis]) << STEP_BITS;
        [along(0), along(1), along(2)]
    }
}

impl Grid {
    /// Calls `visit` with each box that `cast` meets, roughly in order; `false` when too many
    /// cells may hold such boxes, or they are too far from where it starts.
    pub(crate) fn look_up_cast(
        &self,
        cast: &mut Cast,
        visit: &mut impl FnMut(u32, f64) -> f64,
    ) -> bool {
        let size = (cast.behind - cast.ahead).max_element();
        let length = cast.translation.abs().max_element();
        let mut layers = 0.0;
        for level in self.levels() {
            let edge = power_of_two(i32::from(level));
            if let Some([from, to]) = cast.inside(&self.extent(level).around) {
                layers += 1.0 + length * (to - from) / edge;
                let is_far = length * to > edge * power_of_two(NEAR_BITS);
                if layers > MOST_LAYERS || size > edge || is_far {
                    return false;
                }
            }
        }
        for level in self.levels() {
            // What was met on one level may end the way before another.
            if let Some(fractions) = cast.inside(&self.extent(level).around) {
                self.look_up_way(Way::new(cast, self, level, fractions), cast, visit);
            }
        }
        true
    }

    /// Calls `visit` with each box that `cast` meets on its way over cells of one level.
    fn look_up_way(&self, mut way: Way, cast: &mut Cast, visit: &mut impl FnMut(u32, f64) -> f64) {
        let [first, last] = way.cells(way.along, [0.0, way.coarse.limit]);
        let forth = cast.inverse[way.along] >= 0.0;
        let (mut layer, step) = if forth { (first, 1) } else { (last, -1) };
        // Rows of a layer are along the last axis.
        let (across, row_axis) = ((way.along + 1) % 3, (way.along + 2) % 3);
        let mut found = Found::new(way.level);
        while layer >= first && layer <= last {
            let times = way.times(way.along, layer, [0.0, way.coarse.limit]);
            if times[0] > way.coarse.limit {
                break;
            }
            let mut coord = [layer; 3];
            let rows = way.cells(across, times);
            for row in rows[0]..rows[1] + 1 {
                let times = way.times(across, row, times);
                if times[0] > times[1] {
                    continue;
                }
                let cells = way.cells(row_axis, times);
                coord[across] = row;
                for at in cells[0]..cells[1] + 1 {
                    if found.is_full() {
                        self.look_at_found(&mut way, &mut found, cast, visit);
                    }
                    coord[row_axis] = at;
                    found.add(self, coord, times[0]);
                }
            }
            layer += step;
        }
        self.look_at_found(&mut way, &mut found, cast, visit);
    }

    /// Calls `visit` with each box of the cells that were found that `cast` meets.
    fn look_at_found(
        &self,
        way: &mut Way,
        found: &mut Found,
        cast: &mut Cast,
        visit: &mut impl FnMut(u32, f64) -> f64,
    ) {
        found.settle(self);
        dispatch!(Level::new(), simd => self.look_in_lanes(simd, way, found, cast, visit));
        found.clear();
    }

    /// [`Self::look_at_found`] in lanes.
    #[inline(always)]
    fn look_in_lanes<S: Simd>(
        &self,
        simd: S,
        way: &mut Way,
        found: &Found,
        cast: &mut Cast,
        visit: &mut impl FnMut(u32, f64) -> f64,
    ) {
        for place in found.places() {
            if place.enter > way.coarse.limit {
                continue;
            }
            let corner = way.corner(place.coord);
            let (first, len) = (place.run.first(), place.run.len());
            for block in (0..len).step_by(LANES) {
                let items = self.items_from(first + block as u32);
                let mut met = way
                    .coarse
                    .met(simd, items, (len - block).min(LANES), corner);
                while met != 0 {
                    let item = &items[met.trailing_zeros() as usize];
                    cast.meet(&self.cell(place.cell).world_box(item), item.id(), visit);
                    way.coarse.limit = lesser(way.coarse.limit, cast.limit_from(way.from));
                    met &= met - 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Activity, BroadPhase, Filter, ProxyDef};
    use drystone_geometry::WorldAabb;

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
