//! Which solid hides which.

use std::collections::BTreeSet;

use drystone::geometry::Frame;
use drystone::glam::DVec3;
use drystone::narrow_phase::distance;

use super::solid::Solid;

/// Indices of `solids` in the order to paint them seen from `eye`, the hidden first.
///
/// Two solids whose places in the picture do not overlap may come in any order. Where three
/// or more hide each other in a ring no order is right; the farthest of them comes first.
pub(super) fn back_to_front(solids: &[Solid], eye: DVec3) -> Vec<usize> {
    let mut later: Vec<Vec<usize>> = vec![Vec::new(); solids.len()];
    let mut hidden_by: Vec<usize> = vec![0; solids.len()];
    for (a, b) in overlapping(solids) {
        let (back, front) = if is_in_front(&solids[a], &solids[b], eye) {
            (a, b)
        } else {
            (b, a)
        };
        later[back].push(front);
        hidden_by[front] += 1;
    }
    // Bits of positive floats rise with their value, so the farthest is the last.
    let key = |i: usize| (solids[i].center.distance(eye).to_bits(), i);
    let mut ready: BTreeSet<_> = (0..solids.len())
        .filter(|i| hidden_by[*i] == 0)
        .map(key)
        .collect();
    let mut waiting: BTreeSet<_> = (0..solids.len())
        .filter(|i| hidden_by[*i] > 0)
        .map(key)
        .collect();
    let mut order = Vec::with_capacity(solids.len());
    while let Some((_, next)) = ready.pop_last().or_else(|| waiting.pop_last()) {
        order.push(next);
        for &front in &later[next] {
            hidden_by[front] = hidden_by[front].saturating_sub(1);
            if hidden_by[front] == 0 && waiting.remove(&key(front)) {
                ready.insert(key(front));
            }
        }
    }
    order
}

/// Pairs whose boxes in the picture overlap, by a sweep from left to right.
fn overlapping(solids: &[Solid]) -> Vec<(usize, usize)> {
    let mut by_left: Vec<usize> = (0..solids.len()).collect();
    by_left.sort_by(|a, b| solids[*a].low.x.total_cmp(&solids[*b].low.x).then(a.cmp(b)));
    let mut pairs = Vec::new();
    for (i, &a) in by_left.iter().enumerate() {
        for &b in &by_left[i + 1..] {
            if solids[b].low.x > solids[a].high.x {
                break;
            }
            if solids[a].low.y <= solids[b].high.y && solids[b].low.y <= solids[a].high.y {
                pairs.push((a, b));
            }
        }
    }
    pairs
}

/// Whether `b` may hide `a` rather than the reverse: whether the eye is on B's side of a
/// plane between them.
fn is_in_front(a: &Solid, b: &Solid, eye: DVec3) -> bool {
    let offset = b.center - a.center;
    let length = offset.length();
    if length > a.radius + b.radius {
        // The balls around them are apart already.
        let normal = offset / length;
        let middle = a.center + normal * (0.5 * (length + a.radius - b.radius));
        return normal.dot(eye - middle) > 0.0;
    }
    let b_in_a = Frame::relative(&a.frame, &b.frame);
    let found = distance(&a.shape, &b.shape, &b_in_a);
    let middle = a
        .frame
        .transform_point(0.5 * (found.point_a + found.point_b));
    a.frame.rotate(found.normal).dot(eye - middle) > 0.0
}

#[cfg(test)]
mod tests {
    use drystone::Shape;
    use drystone::glam::{DMat3, DVec2, Vec3};

    use super::*;

    fn cuboid(center: DVec3, half_extents: Vec3) -> Solid {
        Solid {
            shape: Shape::Box { half_extents },
            facets: None,
            frame: Frame {
                rotation: DMat3::IDENTITY,
                translation: center,
            },
            colour: [0.5; 3],
            is_static: false,
            center,
            radius: f64::from(half_extents.length()),
            low: DVec2::ZERO,
            high: DVec2::ONE,
        }
    }

    /// A cube on a long table, seen from above: the table's middle is nearer to the eye than
    /// the cube, yet the cube hides the table. Known by hand.
    #[test]
    fn a_cube_on_a_long_table_is_painted_after_it() {
        let table = cuboid(DVec3::new(0.0, -0.5, 4.0), Vec3::new(1.0, 0.5, 10.0));
        let cube = cuboid(DVec3::new(0.0, 0.5, -5.0), Vec3::splat(0.5));
        let eye = DVec3::new(0.0, 5.0, 12.0);
        assert!(table.center.distance(eye) < cube.center.distance(eye));
        assert_eq!(back_to_front(&[table.clone(), cube.clone()], eye), [0, 1]);
        assert_eq!(back_to_front(&[cube, table], eye), [1, 0]);
    }

    /// From below, the same table hides the cube.
    #[test]
    fn seen_from_below_the_table_hides_the_cube() {
        let table = cuboid(DVec3::new(0.0, -0.5, 4.0), Vec3::new(1.0, 0.5, 10.0));
        let cube = cuboid(DVec3::new(0.0, 0.5, -5.0), Vec3::splat(0.5));
        let eye = DVec3::new(0.0, -5.0, 12.0);
        assert_eq!(back_to_front(&[table, cube], eye), [1, 0]);
    }

    /// Every solid is painted once, also when three hide each other in a ring.
    #[test]
    fn a_ring_of_solids_is_painted_whole() {
        let long = 4.0;
        let turn = |angle: f64| {
            DMat3::from_cols(
                DVec3::new(libm::cos(angle), libm::sin(angle), 0.0),
                DVec3::new(-libm::sin(angle), libm::cos(angle), 0.0),
                DVec3::Z,
            )
        };
        let beams: Vec<_> = (0..3)
            .map(|i| {
                let angle = f64::from(i) * std::f64::consts::TAU / 3.0;
                let along = turn(angle);
                // Each beam leans over the next.
                let lean = DMat3::from_cols(
                    DVec3::new(0.95, 0.0, 0.3).normalize(),
                    DVec3::Y,
                    DVec3::new(-0.3, 0.0, 0.95).normalize(),
                );
                let mut beam = cuboid(along * DVec3::new(0.0, 1.0, 0.0), Vec3::new(long, 0.2, 0.1));
                beam.frame.rotation = along * lean;
                beam
            })
            .collect();
        let mut order = back_to_front(&beams, DVec3::new(0.0, 0.0, 30.0));
        order.sort_unstable();
        assert_eq!(order, [0, 1, 2]);
    }
}
