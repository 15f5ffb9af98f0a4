//! Lanes give the bits of plain scalar arithmetic, at every level of this machine.

use drystone_geometry::glam::Vec3;
use drystone_geometry::lanes::{
    self, LANES, Lane, Lane3, Level, SymMat3x8, Vec3x8, dispatch, f32x8, prelude::*,
};
use drystone_geometry::simd::SimdLevel;

/// Numbers that round, cancel, underflow and carry both signs of zero. No NaN.
fn samples() -> Vec<f32> {
    let mut numbers = vec![
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.1,
        -3.3,
        f32::MIN_POSITIVE,
        -f32::MIN_POSITIVE / 8.0,
        1e-20,
        -1e20,
        16_777_217.0,
        f32::MAX / 4.0,
    ];
    let mut state = 0x9e37_79b9_u32;
    for _ in 0..52 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        numbers.push((state >> 8) as f32 / (1 << 20) as f32 - 8.0);
    }
    numbers
}

fn levels() -> Vec<(SimdLevel, Level)> {
    let names = SimdLevel::available().into_iter();
    names.map(|name| (name, name.resolve().unwrap())).collect()
}

type Lanes = [f32; LANES];

#[track_caller]
fn assert_bits(name: SimdLevel, what: &str, found: Lanes, expected: Lanes) {
    assert_eq!(
        found.map(f32::to_bits),
        expected.map(f32::to_bits),
        "{what} at {name}: {found:?} instead of {expected:?}"
    );
}

#[inline(always)]
fn two_operand_results<S: Simd>(simd: S, a: Lanes, b: Lanes) -> [Lanes; 9] {
    let (a, b) = (f32x8::simd_from(simd, a), f32x8::simd_from(simd, b));
    [
        a + b,
        a - b,
        a * b,
        a / b,
        a.abs().sqrt(),
        -a,
        lanes::min(a, b),
        lanes::max(a, b),
        lanes::divide_or_zero(a, b),
    ]
    .map(|lane| lane.to_array())
}

/// Every pair of sample numbers in every operation; the oracle is scalar Rust, lane by
/// lane. `min` and `max` of equal numbers give the second, which fixes the sign of zero.
#[test]
fn operations_have_the_bits_of_scalar_arithmetic_at_every_level() {
    let numbers = samples();
    let scalar: [fn(f32, f32) -> f32; 9] = [
        |a, b| a + b,
        |a, b| a - b,
        |a, b| a * b,
        |a, b| a / b,
        |a, _| a.abs().sqrt(),
        |a, _| -a,
        |a, b| if a < b { a } else { b },
        |a, b| if a > b { a } else { b },
        |a, b| if b > 0.0 { a / b } else { 0.0 },
    ];
    for (name, level) in levels() {
        for shift in 0..numbers.len() {
            for start in (0..numbers.len()).step_by(LANES) {
                let a: Lanes = std::array::from_fn(|i| numbers[(start + i) % numbers.len()]);
                let b: Lanes =
                    std::array::from_fn(|i| numbers[(start + i + shift) % numbers.len()]);
                let found = dispatch!(level, simd => two_operand_results(simd, a, b));
                for (operation, (found, scalar)) in found.into_iter().zip(scalar).enumerate() {
                    let expected: Lanes = std::array::from_fn(|i| scalar(a[i], b[i]));
                    // Zero by zero is the one NaN made here; its payload is not promised.
                    let clean = |x: Lanes| x.map(|x| if x.is_nan() { 0.0 } else { x });
                    assert_bits(
                        name,
                        &format!("operation {operation}"),
                        clean(found),
                        clean(expected),
                    );
                }
            }
        }
    }
}

/// Over the whole range of `f32`; the property is checked in `f64`, which holds the product.
#[test]
fn inverse_root_powers_bring_numbers_between_one_and_four() {
    for exponent in -126..=127 {
        let value = |lane: usize| (1.0 + 0.124 * lane as f32) * 2.0_f32.powi(exponent);
        let values: Lanes = std::array::from_fn(value);
        for (name, level) in levels() {
            let roots: Lanes = dispatch!(level, simd => {
                lanes::inverse_root_power(Lane(values).load(simd)).to_array()
            });
            for (value, root) in values.into_iter().zip(roots) {
                let is_power = root.to_bits() & 0x007f_ffff == 0;
                let scaled = f64::from(value) * f64::from(root) * f64::from(root);
                let is_near = (1.0..4.0).contains(&scaled);
                assert!(is_power && is_near, "{name}: {root} of {value}");
            }
        }
    }
    let of_zero = dispatch!(Level::new(), simd => {
        lanes::inverse_root_power(Lane::ZERO.load(simd)).to_array()
    });
    assert_eq!(of_zero, [2.0_f32.powi(64); LANES]);
}

#[inline(always)]
fn vector_results<S: Simd>(simd: S, a: &Lane3, b: &Lane3, factor: &Lane) -> [Lane3; 8] {
    let (a, b, factor) = (a.load(simd), b.load(simd), factor.load(simd));
    let matrix = SymMat3x8 {
        diagonal: a,
        off_diagonal: b,
    };
    let dot = a.dot(b);
    let results = [
        a.cross(b),
        a.add_scaled(b, factor),
        a.sub_scaled(b, factor),
        Vec3x8::select(factor.simd_gt(0.5), a, b),
        Vec3x8 {
            x: dot,
            y: a.length(),
            z: lanes::clamp(factor, -dot.abs(), dot.abs()),
        },
        a.min(b),
        a.max(-b),
        matrix.apply(a.mul_components(b)),
    ];
    results.map(|result| {
        let mut stored = Lane3::ZERO;
        stored.store(result);
        stored
    })
}

/// The same vector formulas through every level must agree with the scalar fallback bit
/// for bit; cross and dot product are also compared with glam's scalar `Vec3`.
#[test]
fn vector_operations_agree_between_all_levels() {
    let numbers = samples();
    let at = |index: usize| numbers[index % numbers.len()];
    for start in 0..200 {
        let mut a = Lane3::ZERO;
        let mut b = Lane3::ZERO;
        for lane in 0..LANES {
            let k = start * 7 + lane * 3;
            // Bounded samples only: products of the huge ones would make infinities.
            let small = |index: usize| at(12 + index % 52);
            a.set(lane, Vec3::new(small(k), small(k + 1), small(k + 2)));
            b.set(lane, Vec3::new(small(k + 5), small(k + 11), small(k + 17)));
        }
        let factor = Lane(std::array::from_fn(|i| at(12 + (start + i) % 52)));
        let fallback = Level::fallback();
        let expected = dispatch!(fallback, simd => vector_results(simd, &a, &b, &factor));
        for lane in 0..LANES {
            assert_eq!(expected[0].get(lane), a.get(lane).cross(b.get(lane)));
            assert_eq!(expected[4].get(lane).x, a.get(lane).dot(b.get(lane)));
        }
        for (name, level) in levels() {
            let found = dispatch!(level, simd => vector_results(simd, &a, &b, &factor));
            for (found, expected) in found.iter().zip(&expected) {
                assert_bits(name, "x", found.x.0, expected.x.0);
                assert_bits(name, "y", found.y.0, expected.y.0);
                assert_bits(name, "z", found.z.0, expected.z.0);
            }
        }
    }
}

#[inline(always)]
fn transposed_8<S: Simd>(simd: S, rows: &[Lanes; 8]) -> ([Lanes; 8], [Lanes; 8]) {
    let columns = lanes::rows_to_lanes_8(simd, rows.each_ref());
    let back = lanes::lanes_to_rows_8(columns);
    (columns.map(|column| column.to_array()), back)
}

#[inline(always)]
fn transposed_4<S: Simd>(simd: S, rows: &[[f32; 4]; 8]) -> ([Lanes; 4], [[f32; 4]; 8]) {
    let columns = lanes::rows_to_lanes_4(simd, rows.each_ref());
    let back = lanes::lanes_to_rows_4(columns);
    (columns.map(|column| column.to_array()), back)
}

/// Numbered cells: column `c` of row `r` must land in lane `r` of vector `c`, and back.
#[test]
fn transposes_move_every_cell_to_its_place_and_back() {
    let rows_8: [Lanes; 8] =
        std::array::from_fn(|row| std::array::from_fn(|column| (row * 10 + column) as f32));
    let rows_4: [[f32; 4]; 8] =
        std::array::from_fn(|row| std::array::from_fn(|column| (row * 10 + column) as f32));
    for (name, level) in levels() {
        let (columns, back) = dispatch!(level, simd => transposed_8(simd, &rows_8));
        for (row, column) in (0..8).flat_map(|row| (0..8).map(move |column| (row, column))) {
            assert_eq!(columns[column][row], rows_8[row][column], "{name}");
        }
        assert_eq!(back, rows_8, "{name}");

        let (columns, back) = dispatch!(level, simd => transposed_4(simd, &rows_4));
        for (row, column) in (0..8).flat_map(|row| (0..4).map(move |column| (row, column))) {
            assert_eq!(columns[column][row], rows_4[row][column], "{name}");
        }
        assert_eq!(back, rows_4, "{name}");
    }
}

/// A block is what its name says on every machine: eight numbers, aligned to 32 bytes.
#[test]
fn blocks_have_one_layout_everywhere() {
    assert_eq!((size_of::<Lane>(), align_of::<Lane>()), (32, 32));
    assert_eq!((size_of::<Lane3>(), align_of::<Lane3>()), (96, 32));
}
