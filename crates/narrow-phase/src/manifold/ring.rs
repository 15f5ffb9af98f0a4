//! Clipping a face of many corners: what is cut off costs as many steps as it has corners, and a
//! side that cuts nothing off hardly any.
//!
//! The corners are links of a ring. As the sides go round the reference face, the corner farthest
//! beyond a side goes round the polygon the other way, so that it is found next to the one before.

use super::clip::{ClipPoint, REFERENCE, Side};
use crate::tolerance::MAX_CLIPPED_CORNERS;

/// Most links: the corners of a face, and two for each side of another.
const MAX_LINKS: usize = 3 * MAX_CLIPPED_CORNERS;

/// A convex polygon on its way; its buffers are kept between pairs.
#[derive(Debug)]
pub(super) struct Ring {
    links: [Link; MAX_LINKS],
    /// Links that were ever made of this polygon.
    used: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Link {
    corner: ClipPoint,
    next: usize,
    previous: usize,
}

impl Default for Ring {
    fn default() -> Self {
        Self {
            links: [Link::default(); MAX_LINKS],
            used: 0,
        }
    }
}

impl Ring {
    /// Leaves of a polygon of `count` corners what is not beyond any side of a convex face, in
    /// order around it, and tells how many corners that has.
    #[inline(never)]
    pub(super) fn cut_all(
        &mut self,
        corners: &mut [ClipPoint],
        count: usize,
        sides: &[Side],
    ) -> usize {
        let (Some(first), true) = (sides.first(), count > 0) else {
            return count;
        };
        self.close(&corners[..count]);
        let mut farthest = self.farthest_of_all(first);
        for side in sides {
            farthest = self.farthest_near(farthest, side);
            if self.beyond(farthest, side) > 0.0 {
                match self.cut(farthest, side) {
                    Some(link) => farthest = link,
                    None => return 0,
                }
            }
        }
        self.write(farthest, corners)
    }

    fn close(&mut self, corners: &[ClipPoint]) {
        let last = corners.len() - 1;
        for (place, (link, corner)) in self.links.iter_mut().zip(corners).enumerate() {
            *link = Link {
                corner: *corner,
                next: if place == last { 0 } else { place + 1 },
                previous: if place == 0 { last } else { place - 1 },
            };
        }
        self.used = corners.len();
    }

    fn beyond(&self, link: usize, side: &Side) -> f64 {
        side.beyond(&self.links[link].corner)
    }

    fn farthest_of_all(&self, side: &Side) -> usize {
        let mut best = (f64::NEG_INFINITY, 0);
        for link in 0..self.used {
            let beyond = self.beyond(link, side);
            if beyond > best.0 {
                best = (beyond, link);
            }
        }
        best.1
    }

    /// The corner farthest beyond a side, from one that is farthest beyond another.
    fn farthest_near(&self, start: usize, side: &Side) -> usize {
        let best = (self.beyond(start, side), start);
        let best = self.climb(best, side, |link| link.previous);
        self.climb(best, side, |link| link.next).1
    }

    /// Goes on one way round while corners are as far or farther: seen from beside a face there may
    /// be several in a row that are as far.
    fn climb(
        &self,
        mut best: (f64, usize),
        side: &Side,
        step: impl Fn(&Link) -> usize,
    ) -> (f64, usize) {
        for _ in 0..self.used {
            let link = step(&self.links[best.1]);
            let beyond = self.beyond(link, side);
            if beyond < best.0 {
                break;
            }
            best = (beyond, link);
        }
        best
    }

    /// Cuts off what is beyond a side around a corner that is; tells a corner on the side, or
    /// nothing if all is beyond.
    fn cut(&mut self, farthest: usize, side: &Side) -> Option<usize> {
        let (leaves, enters) = (
            self.first_within(farthest, side, |link| link.previous)?,
            self.first_within(farthest, side, |link| link.next)?,
        );
        let last_beyond = self.links[enters].previous;
        let out = self.crossing(leaves, self.links[leaves].next, side);
        let back = self.crossing(last_beyond, enters, side);
        let (at_out, at_back) = (self.used, self.used + 1);
        self.links[at_out] = Link {
            corner: ClipPoint {
                outgoing: side.half_edge | REFERENCE,
                ..out
            },
            next: at_back,
            previous: leaves,
        };
        self.links[at_back] = Link {
            corner: back,
            next: enters,
            previous: at_out,
        };
        self.links[leaves].next = at_out;
        self.links[enters].previous = at_back;
        self.used += 2;
        Some(at_out)
    }

    fn first_within(
        &self,
        start: usize,
        side: &Side,
        step: impl Fn(&Link) -> usize,
    ) -> Option<usize> {
        let mut link = step(&self.links[start]);
        while link != start {
            if self.beyond(link, side) <= 0.0 {
                return Some(link);
            }
            link = step(&self.links[link]);
        }
        None
    }

    /// Where the edge between two corners crosses a side.
    fn crossing(&self, from: usize, to: usize, side: &Side) -> ClipPoint {
        let (here, there) = (self.beyond(from, side), self.beyond(to, side));
        let share = here / (here - there);
        let (from, to) = (&self.links[from].corner, &self.links[to].corner);
        ClipPoint {
            position: from.position + share * (to.position - from.position),
            height: from.height + share * (to.height - from.height),
            outgoing: from.outgoing,
        }
    }

    /// Writes the corners in order, from the first made on.
    fn write(&self, some: usize, corners: &mut [ClipPoint]) -> usize {
        let (mut start, mut link) = (some, self.links[some].next);
        while link != some {
            start = start.min(link);
            link = self.links[link].next;
        }
        let mut count = 0;
        link = start;
        loop {
            corners[count] = self.links[link].corner;
            count += 1;
            link = self.links[link].next;
            if link == start {
                return count;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use drystone_geometry::glam::DVec3;

    use super::*;

    /// The corners of a regular polygon in the plane y = 0, clockwise seen from above.
    fn regular(count: usize, radius: f64, center: DVec3) -> impl Iterator<Item = DVec3> {
        (0..count).map(move |place| {
            let (sin, cos) =
                libm::sincos(std::f64::consts::TAU * (place as f64 + 0.3) / count as f64);
            center + radius * DVec3::new(cos, 0.0, sin)
        })
    }

    /// Twice the area, and the number of corners, after each corner is held against each side.
    fn cut_one_by_one(mut polygon: Vec<DVec3>, sides: &[Side]) -> (f64, usize) {
        let point = |position| ClipPoint {
            position,
            ..ClipPoint::default()
        };
        for side in sides {
            let mut kept = Vec::new();
            for place in 0..polygon.len() {
                let (from, to) = (polygon[place], polygon[(place + 1) % polygon.len()]);
                let (here, there) = (side.beyond(&point(from)), side.beyond(&point(to)));
                if here <= 0.0 {
                    kept.push(from);
                }
                if (here <= 0.0) != (there <= 0.0) {
                    kept.push(from + here / (here - there) * (to - from));
                }
            }
            polygon = kept;
        }
        (doubled_area(&polygon), polygon.len())
    }

    fn doubled_area(polygon: &[DVec3]) -> f64 {
        let next = polygon.iter().cycle().skip(1);
        polygon
            .iter()
            .zip(next)
            .map(|(a, b)| a.cross(*b).y)
            .sum::<f64>()
    }

    /// Two regular polygons at many distances, one of them seen from beside at last. Known from
    /// holding every corner against every side.
    #[test]
    fn what_is_left_is_what_lies_within_every_side() {
        let mut ring = Ring::default();
        let mut cuts = 0;
        for (count, side_count) in [(64, 64), (16, 16), (40, 4), (3, 50), (12, 9)] {
            let border: Vec<_> = regular(side_count, 1.0, DVec3::ZERO).collect();
            let sides: Vec<_> = (0..side_count)
                .map(|place| {
                    let (from, to) = (border[(place + 1) % side_count], border[place]);
                    Side::new(place as u32, from, to, DVec3::Y, 0.0)
                })
                .collect();
            for step in 0..60 {
                let center = DVec3::new(0.04 * f64::from(step), 0.0, 0.01);
                let flat = if step % 7 == 0 { 0.0 } else { 1.0 };
                let polygon: Vec<_> = regular(count, 0.9, center)
                    .map(|corner| corner * DVec3::new(1.0, 1.0, flat))
                    .collect();
                let (area, left) = cut_one_by_one(polygon.clone(), &sides);
                let mut corners = [ClipPoint::default(); 2 * MAX_CLIPPED_CORNERS];
                for (corner, position) in corners.iter_mut().zip(&polygon) {
                    corner.position = *position;
                }
                let kept = ring.cut_all(&mut corners, count, &sides);
                let cut: Vec<_> = corners[..kept].iter().map(|c| c.position).collect();
                assert_eq!(kept == 0, left == 0, "{count} {side_count} {step}");
                let off = (doubled_area(&cut) - area).abs();
                assert!(off < 1e-12, "{count} {side_count} {step}: {off}");
                cuts += usize::from(kept != count && kept > 0);
            }
        }
        assert!(cuts > 100);
    }
}
