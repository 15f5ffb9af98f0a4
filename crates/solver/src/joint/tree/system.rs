//! The system of an edge of a tree as it is set up: what the two bodies give way in the locked
//! directions.

use drystone_geometry::lanes::{Lane, Vec3x8, f32x8, mask32x8, max, min};
use fearless_simd::prelude::*;

use crate::joint::tree::rows::{LINE, ROTATION, Rows, Six, product, seen};
use crate::joint::tree::{MOST_ROWS, TreeBody};
use crate::tolerance::{HELD_PIVOT_SHARE, LOCKED_SHARE};

/// Place of an entry in [`BodyWork::mobility`](crate::joint::tree::BodyWork).
#[inline(always)]
pub(super) const fn entry(i: usize, j: usize) -> usize {
    let (low, high) = if i < j { (i, j) } else { (j, i) };
    low * (11 - low) / 2 + high
}

/// Velocity that an impulse in a direction gives a body.
#[inline(always)]
fn moved<S: Simd, const G: bool>(
    simd: S,
    mobility: &[Lane; 21],
    axis: usize,
    along: Vec3x8<S>,
    about: Vec3x8<S>,
) -> Six<S> {
    let mut velocity = [f32x8::splat(simd, 0.0); 6];
    for i in 0..6 {
        let spin = [
            mobility[entry(i, 3)].load(simd),
            mobility[entry(i, 4)].load(simd),
            mobility[entry(i, 5)].load(simd),
        ];
        let turn = product(axis, about, spin);
        velocity[i] = match axis {
            ROTATION => turn,
            LINE.. if G => {
                let x = mobility[entry(i, 0)].load(simd);
                let y = mobility[entry(i, 1)].load(simd);
                let z = mobility[entry(i, 2)].load(simd);
                along.dot(Vec3x8 { x, y, z }) + turn
            }
            _ => mobility[entry(i, axis)].load(simd) + turn,
        };
    }
    velocity
}

/// What the bodies alone would give way in a direction.
#[inline(always)]
pub(super) fn alone<S: Simd, const G: bool>(
    simd: S,
    body: &TreeBody,
    axis: usize,
    along: Vec3x8<S>,
    about: Vec3x8<S>,
) -> f32x8<S> {
    let (d, o) = (body.diagonal.load(simd), body.off_diagonal.load(simd));
    let spin = [
        product(axis, about, [d.x, o.z, o.y]),
        product(axis, about, [o.z, d.y, o.x]),
        product(axis, about, [o.y, o.x, d.z]),
    ];
    let turn = product(axis, about, spin);
    let m = body.inverse_mass.load(simd);
    match axis {
        0 => m.x + turn,
        1 => m.y + turn,
        2 => m.z + turn,
        LINE.. if G => m.mul_components(along).dot(along) + turn,
        _ => turn,
    }
}

/// What a body with locked axes would give way in a direction if its easiest axes lay there; 0 where
/// no axis is locked, or all are.
#[inline(always)]
pub(super) fn beside_locks<S: Simd>(
    simd: S,
    body: &TreeBody,
    axis: usize,
    about: Vec3x8<S>,
) -> f32x8<S> {
    let zero = f32x8::splat(simd, 0.0);
    let (m, d) = (body.inverse_mass.load(simd), body.diagonal.load(simd));
    let turn = max(d.x, max(d.y, d.z)) * about.dot(about);
    let all = if axis == ROTATION {
        turn
    } else {
        max(m.x, max(m.y, m.z)) + turn
    };
    has_locks(simd, body).select(all, zero)
}

/// Whether some axes of a body are locked, but not all.
#[inline(always)]
fn has_locks<S: Simd>(simd: S, body: &TreeBody) -> mask32x8<S> {
    let zero = f32x8::splat(simd, 0.0);
    let (m, d) = (body.inverse_mass.load(simd), body.diagonal.load(simd));
    let least = min(min(m.x, min(m.y, m.z)), min(d.x, min(d.y, d.z)));
    let most = max(max(m.x, max(m.y, m.z)), max(d.x, max(d.y, d.z)));
    most.simd_gt(zero) & least.simd_le(zero)
}

/// The pivot up to which locked axes hold a row already: rounding alone makes it give way, or it does not of its
/// own; `whole` is its entry on the diagonal. 0 where no axis is locked.
#[inline(always)]
pub(super) fn held_pivot<S: Simd>(
    simd: S,
    alone: f32x8<S>,
    beside: f32x8<S>,
    whole: f32x8<S>,
) -> f32x8<S> {
    let zero = f32x8::splat(simd, 0.0);
    let moves = alone.simd_gt(f32x8::splat(simd, LOCKED_SHARE) * beside);
    let share = f32x8::splat(simd, HELD_PIVOT_SHARE);
    let some = moves.select(share * whole, f32x8::splat(simd, f32::MAX));
    beside.simd_gt(zero).select(some, zero)
}

/// An edge's system as it is set up.
pub(super) struct System<S: Simd, const N: usize> {
    /// What the bodies give way together; by column and below the diagonal.
    pub(super) matrix: [[f32x8<S>; N]; N],
    pub(super) floors: [f32x8<S>; N],
    /// What the bodies would give way if their locked axes did not lie in the way; 0 without these.
    pub(super) beside: [f32x8<S>; N],
    /// What the bodies alone would give way.
    pub(super) alone: [f32x8<S>; N],
    /// By row: the velocity that an impulse gives the body that was added last.
    pub(super) last: [[f32x8<S>; 6]; N],
}

/// A body of an edge.
pub(super) struct Side<'a, S: Simd, const N: usize> {
    pub(super) abouts: &'a [Vec3x8<S>; N],
    pub(super) mobility: &'a [Lane; 21],
    pub(super) body: &'a TreeBody,
    /// Least share of what the body alone would give way.
    pub(super) share: f32x8<S>,
}

impl<S: Simd, const N: usize> System<S, N> {
    #[inline(always)]
    pub(super) fn new(simd: S) -> Self {
        let zero = f32x8::splat(simd, 0.0);
        Self {
            matrix: [[zero; N]; N],
            floors: [zero; N],
            beside: [zero; N],
            alone: [zero; N],
            last: [[zero; 6]; N],
        }
    }

    /// By row, its [`held_pivot`].
    #[inline(always)]
    pub(super) fn held(&self, simd: S) -> [f32x8<S>; N] {
        let mut held = [f32x8::splat(simd, 0.0); N];
        for (row, held) in held.iter_mut().enumerate() {
            let whole = self.matrix[row][row];
            *held = held_pivot(simd, self.alone[row], self.beside[row], whole);
        }
        held
    }

    /// Adds what a body gives way.
    #[inline(always)]
    pub(super) fn weigh<const G: bool>(
        &mut self,
        simd: S,
        rows: &Rows<'_, S, N, G>,
        side: &Side<'_, S, N>,
    ) {
        if N == MOST_ROWS {
            for row in 0..N {
                self.add(simd, rows, side, row);
            }
            return;
        }
        // Spelt out, so that the axis of a row is known where the kernel is compiled.
        self.add(simd, rows, side, 0);
        self.add(simd, rows, side, 1);
        self.add(simd, rows, side, 2);
        if N > 3 {
            self.add(simd, rows, side, 3);
            self.add(simd, rows, side, 4);
        }
        if N > 5 {
            self.add(simd, rows, side, 5);
        }
    }

    /// Adds what a body gives way under an impulse in the direction of row `j`.
    #[inline(always)]
    fn add<const G: bool>(
        &mut self,
        simd: S,
        rows: &Rows<'_, S, N, G>,
        side: &Side<'_, S, N>,
        j: usize,
    ) {
        let (axis, along, about) = (rows.axis(j), rows.along(simd, j), side.abouts[j]);
        let velocity = moved::<S, G>(simd, side.mobility, axis, along, about);
        for i in j..N {
            self.matrix[i][j] += seen(rows, i, side.abouts[i], &velocity);
        }
        let alone = alone::<S, G>(simd, side.body, axis, along, about);
        self.floors[j] += side.share * alone;
        self.alone[j] += alone;
        self.beside[j] += beside_locks(simd, side.body, axis, about);
        self.last[j] = velocity;
    }
}
