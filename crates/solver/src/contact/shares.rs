//! How the points of a contact share its load where not all of them count alike.
//!
//! Softness removes the mean overlap of a contact slowly and what its points differ by quickly, so
//! it matters which points there are. A corner that comes within the margin of a body that rests on
//! two others is 2 cm away and presses on nothing. Did it count like them, the mean would change by
//! a third from one step to the next, and what was the overlap of two points would become a tilt of
//! three, to be removed at once: bodies deep in a pile hopped by 1.6 mm, sank back within ten steps,
//! lost the corner again, and the pile never slept. So a point gains its say over half the margin.

use drystone_geometry::lanes::{LANES, Lane, divide_or_zero, f32x8, max, min};
use drystone_geometry::manifold::MAX_POINTS;
use fearless_simd::prelude::*;

use crate::contact::Contact;
use crate::contact::bundle::{NO_CONTACT, NormalBundle};
use crate::contact::points::sum;

/// Of eight contacts of `N` points.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Shares<const N: usize> {
    /// Shares in an even load, which add up to 1.
    pub(crate) even: [Lane; N],
    /// What each point counts for in the mean depth, from 0 to 1; see [`Contact::says`].
    pub(crate) say: [Lane; N],
}

impl<const N: usize> Shares<N> {
    /// Of no points.
    pub(crate) const ZERO: Self = Self {
        even: [Lane::ZERO; N],
        say: [Lane::ZERO; N],
    };

    /// Those of one of `count` bundles, of which none need have any yet.
    pub(super) fn at(all: &mut Vec<Self>, count: usize, index: usize) -> &mut Self {
        if all.len() <= index {
            all.resize(count, Self::ZERO);
        }
        &mut all[index]
    }

    /// Takes down what the points of the contacts in eight lanes have to say.
    pub(super) fn note(&mut self, contacts: &[Contact], ids: &[u32; LANES]) {
        for (lane, &id) in ids.iter().enumerate() {
            let says = if id == NO_CONTACT {
                [0.0; MAX_POINTS]
            } else {
                contacts[id as usize].says()
            };
            for (lanes, say) in self.say.iter_mut().zip(says) {
                lanes.0[lane] = say;
            }
        }
    }

    /// Finds the shares, what points have to say being known. `used` is 1 in points in use. `uneven` are the shares in an even load if all points have all
    /// of their say; where there are none they are equal. `normals` are [freed](Self::free).
    #[inline(always)]
    pub(super) fn fill<S: Simd, const C: usize>(
        &mut self,
        simd: S,
        used: &[Lane; N],
        uneven: Option<[f32x8<S>; N]>,
        normals: &mut NormalBundle<N, C>,
    ) {
        let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
        let used = used.each_ref().map(|used| used.load(simd));
        let each = divide_or_zero(one, sum(used));
        let mut has_far = zero.simd_gt(zero);
        let (mut even, mut heard) = ([zero; N], [zero; N]);
        for i in 0..N {
            let say = self.say[i].load(simd);
            even[i] = uneven.map_or(used[i] * each, |uneven| uneven[i]);
            heard[i] = even[i] * say;
            has_far |= say.simd_lt(used[i]);
        }
        let scale = divide_or_zero(one, sum(heard));
        for i in 0..N {
            self.even[i].store(has_far.select(heard[i] * scale, even[i]));
        }
        if has_far.any_true() {
            self.free(simd, normals);
        }
    }

    /// Takes from contacts of three points and more the stiffness that those of two do not have, as
    /// far as they have no more than two with a say.
    #[inline(always)]
    pub(super) fn free<S: Simd, const C: usize>(&self, simd: S, normals: &mut NormalBundle<N, C>) {
        if N > 2 {
            let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
            let says = sum(self.say.each_ref().map(|say| say.load(simd)));
            let planted = max(min(says - f32x8::splat(simd, 2.0), one), zero);
            let share = normals.rest[C - 1].load(simd);
            normals.rest[C - 1].store(share + (one - planted) * (one - share));
        }
    }
}

impl Contact {
    /// How much say the points have in how they share their load, from 0 to 1: those that are apart,
    /// and farther than the nearest one by more than half the margin, have less than all of it.
    #[inline]
    pub(crate) fn says(&self) -> [f32; MAX_POINTS] {
        let points = self.points();
        let least = points
            .iter()
            .fold(f32::INFINITY, |least, point| least.min(point.separation));
        let (near, half) = (least.max(0.0), 0.5 * self.margin);
        let mut says = [0.0; MAX_POINTS];
        for (say, point) in says.iter_mut().zip(points) {
            let beyond = point.separation - near - half;
            *say = if beyond > 0.0 {
                (1.0 - beyond / half).max(0.0)
            } else {
                1.0
            };
        }
        says
    }

    /// From 0 where no more than two points have a say to 1 where three have all of theirs.
    #[inline]
    pub(crate) fn planted(&self) -> f32 {
        let says = self.says();
        ((says[0] + says[1]) + (says[2] + says[3]) - 2.0).clamp(0.0, 1.0)
    }
}
