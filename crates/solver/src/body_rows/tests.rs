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

/// Bodies of which some are as hard to move in every direction: eight of these alone, and among
/// others. Either way the lanes hold what the rows hold.
#[test]
fn masses_that_are_alike_all_round_are_the_same_beside_others() {
    let mut rows = BodyRows::default();
    rows.resize(16);
    let masses: Vec<MassRow> = (0..16)
        .map(|slot| {
            let (mass, inertia) = (slot as f32 + 1.0, slot as f32 + 20.0);
            let is_alike = slot < 8;
            let along_z = if slot == 9 { 0.0 } else { mass };
            let mixed = if slot == 10 { 0.5 } else { 0.0 };
            MassRow {
                diagonal: Vec3::splat(inertia),
                off_diagonal: Vec3::new(0.0, mixed, 0.0),
                inverse_mass: Vec3::new(mass, mass, along_z),
                unevenness: if is_alike || slot < 11 { 0.0 } else { 1.0 },
            }
        })
        .collect();
    for (slot, mass) in (0..).zip(&masses) {
        rows.set_mass(row_index(slot), *mass);
        assert_eq!(rows.mass(row_index(slot)), *mass);
    }
    for slots in [[0, 1, 2, 3, 4, 5, 6, 7], [8, 1, 9, 3, 10, 5, 11, 7]] {
        let indices = slots.map(row_index);
        for level in SimdLevel::available() {
            let level = level.resolve().expect("available");
            dispatch!(level, simd => check_masses(simd, &rows, &indices, &masses));
        }
    }
}

#[inline(always)]
fn check_masses<S: Simd>(simd: S, rows: &BodyRows, indices: &[u32; LANES], expected: &[MassRow]) {
    let (inertia, mass) = rows.masses(simd, indices);
    for (lane, &index) in indices.iter().enumerate() {
        let expected = &expected[slot_of_row(index) as usize];
        assert_eq!(get(inertia.diagonal, lane), expected.diagonal);
        assert_eq!(get(inertia.off_diagonal, lane), expected.off_diagonal);
        assert_eq!(get(mass, lane), expected.inverse_mass);
    }
}

fn get<S: Simd>(v: Vec3x8<S>, lane: usize) -> Vec3 {
    Vec3::new(
        v.x.to_array()[lane],
        v.y.to_array()[lane],
        v.z.to_array()[lane],
    )
}
