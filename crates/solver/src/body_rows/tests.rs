//! Rows and lanes hold the same numbers.

use drystone_geometry::lanes::dispatch;
use drystone_geometry::simd::SimdLevel;

use super::*;

fn vector(index: u32, first: f32) -> Vec3 {
    index as f32 + Vec3::new(first, first + 0.1, first + 0.2)
}

/// Rows written one by one are gathered, changed in lanes and scattered at every level;
/// what must come out is known by index. Read-only rows and the static row keep theirs.
#[test]
fn lanes_and_rows_hold_the_same_numbers() {
    for level in SimdLevel::available() {
        let level = level.resolve().expect("available");
        let mut rows = BodyRows::default();
        rows.resize(9);
        for index in (0..9).map(row_index) {
            rows.set_velocity(index, vector(index, 0.0), vector(index, 0.3));
            rows.set_movement(
                index,
                vector(index, 0.5),
                Quat::from_xyzw(1.0, 2.0, 3.0, 4.0),
            );
            rows.set_mass(
                index,
                MassRow {
                    diagonal: vector(index, 10.0),
                    off_diagonal: vector(index, 20.0),
                    inverse_mass: vector(index, 30.0),
                    unevenness: index as f32,
                },
            );
        }
        let indices = [3, 1, STATIC_ROW, 7, 2, 9, 4 | READ_ONLY, 5];
        dispatch!(level, simd => check_and_negate(simd, &rows, &indices));
        for index in 1..=9 {
            let sign = if indices.contains(&index) { -1.0 } else { 1.0 };
            let expected = (sign * vector(index, 0.0), sign * vector(index, 0.3));
            assert_eq!(rows.velocity(index), expected, "{index}");
            assert_eq!(rows.movement(index).0, vector(index, 0.5));
        }
        assert_eq!(rows.velocity(STATIC_ROW), (Vec3::ZERO, Vec3::ZERO));
    }
}

#[inline(always)]
fn check_and_negate<S: Simd>(simd: S, rows: &BodyRows, indices: &[u32; LANES]) {
    let (v, w) = rows.velocities(simd, indices);
    let (inertia, mass) = rows.masses(simd, indices);
    let (position, rotation, scalar) = rows.movements(simd, indices);
    for (lane, &index) in indices.iter().enumerate() {
        if index != STATIC_ROW {
            let plain = index & !READ_ONLY;
            assert_eq!(get(v, lane), vector(plain, 0.0));
            assert_eq!(get(w, lane), vector(plain, 0.3));
            assert_eq!(get(inertia.diagonal, lane), vector(plain, 10.0));
            assert_eq!(get(inertia.off_diagonal, lane), vector(plain, 20.0));
            assert_eq!(get(mass, lane), vector(plain, 30.0));
            assert_eq!(get(position, lane), vector(plain, 0.5));
            assert_eq!(get(rotation, lane), Vec3::new(1.0, 2.0, 3.0));
            assert_eq!(scalar.to_array()[lane], 4.0);
        }
    }
    rows.set_velocities(indices, -v, -w);
}

fn get<S: Simd>(v: Vec3x8<S>, lane: usize) -> Vec3 {
    Vec3::new(
        v.x.to_array()[lane],
        v.y.to_array()[lane],
        v.z.to_array()[lane],
    )
}
