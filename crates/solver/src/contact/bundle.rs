//! Bundles: eight contacts side by side, of 1, 2 or 4 points each.
//!
//! Each number of points has its own layout, so no lane carries dead points (3 points go
//! into 4). What both sweeps of a sub-step read ([`NormalBundle`]) lies apart from what only
//! the relaxing one and the warm start do ([`FrictionBundle`]) and from what few contacts
//! have ([`ExtraBundle`]).
//!
//! Two things keep a bundle small, because sweeps over many contacts wait for memory. Both
//! bodies feel a point at one common position, so A's arms are B's plus the difference of the
//! centres; this also conserves angular momentum to rounding. And masses live in the
//! rows of the bodies, not in the contact.

use drystone_geometry::lanes::{LANES, Lane, Lane3, f32x8, prelude::*};

use crate::body_rows::{READ_ONLY, STATIC_ROW};
use crate::contact::Contact;
use crate::contact::bend::CurveBundle;
use crate::contact::burden::Burden;
use crate::contact::jointed::JointedLanes;
use crate::contact::shares::Shares;

/// One point of eight contacts.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct PointLanes {
    /// The point, from B's centre, in world axes as the step began, in metres.
    pub(crate) arm_b: Lane3,
    /// Separation as the step began, in metres.
    pub(crate) separation: Lane,
    /// Diagonal of the block's inverse, in kg; 0 in an unused point, -1 where there is none.
    pub(crate) inverse: Lane,
    /// Impulse along the normal, in N s.
    pub(crate) impulse: Lane,
}

/// What both sweeps need of eight contacts of `N` points, with `N (N - 1) / 2` pairs of them; `C`
/// is one more for three points and above.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct NormalBundle<const N: usize, const C: usize> {
    /// Rows of the bodies A; see [`BodyRows`](crate::body_rows::BodyRows).
    pub(crate) row_a: [u32; LANES],
    /// Rows of the bodies B.
    pub(crate) row_b: [u32; LANES],
    /// Unit, from A to B.
    pub(crate) normal: Lane3,
    /// B's centre less A's, in metres; zero where either is static, whose arm does not matter.
    pub(crate) offset: Lane3,
    /// Part of the arms on A and on B that lies along the normal and does not turn with the
    /// body, in metres.
    pub(crate) radius: [Lane; 2],
    /// The points.
    pub(crate) points: [PointLanes; N],
    /// The rest of the block's inverse, in kg: the pairs (0,1), (0,2) ... (2,3) of the points. For
    /// three points and above then what [`Self::softness_share`] reads.
    pub(crate) rest: [Lane; C],
}

/// What friction needs of eight contacts.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct FrictionBundle {
    /// First tangent, unit; the second is the normal times it.
    pub(crate) tangent: Lane3,
    /// Where friction acts, from B's centre, in metres.
    pub(crate) arm_b: Lane3,
    /// Inverse of the 2x2 matrix of the tangents: 11, 12, 22, in kg.
    pub(crate) mass: [Lane; 3],
    /// Impulse along both tangents, in N s.
    pub(crate) impulse: [Lane; 2],
    /// Relative velocity along both tangents that friction aims at, in m/s.
    pub(crate) target: [Lane; 2],
    /// Coulomb coefficient.
    pub(crate) friction: Lane,
    /// Effective inertia about the normal, in kg m^2.
    pub(crate) twist_mass: Lane,
    /// Impulse about the normal, in N m s.
    pub(crate) twist_impulse: Lane,
    /// Mean distance of the points from where friction acts, in metres.
    pub(crate) twist_arm: Lane,
}

/// What contacts that bounce or resist rolling need besides.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct ExtraBundle<const N: usize> {
    /// Ratio of speeds after and before.
    pub(crate) restitution: Lane,
    /// Largest normal impulse of the points so far, in N s.
    pub(crate) peak: [Lane; N],
    /// Arm of the resistance to rolling, in metres.
    pub(crate) rolling_arm: Lane,
    /// Inverse of the sum of both inverse inertias: xx, yy, zz and yz, zx, xy, in kg m^2.
    pub(crate) rolling_mass: [Lane3; 2],
    /// Rolling impulse, in N m s.
    pub(crate) rolling_impulse: Lane3,
}

/// What a bundle has beyond normal and friction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extras {
    /// Some lane bounces.
    pub(crate) bounces: bool,
    /// Some lane resists rolling.
    pub(crate) rolls: bool,
    /// The lanes, a bit each, that lie flat on something no contact pushes and have not pressed
    /// on it yet; see [`crate::sweep`].
    pub(crate) laid: u8,
    /// The lanes, a bit each, whose masses have fallen far since the sub-step before, so that the
    /// impulses do not fit them any more.
    pub(crate) misfit: u8,
    /// The lanes, a bit each, that pressed in a sub-step.
    pub(crate) pressed: u8,
    /// The points of some lane have unequal [`Shares`].
    pub(crate) uneven: bool,
    /// In some lane a body turns that nothing pushes, see [`crate::contact::solve::carry_on`].
    pub(crate) carried: bool,
    /// The lanes, a bit each, whose points move over the bodies, see [`crate::contact::bend`].
    pub(crate) bends: u8,
    /// Joints change how some lane yields.
    pub(crate) jointed: bool,
}

impl Extras {
    /// Of the contacts in eight lanes, as far as they tell by themselves.
    pub(crate) fn of(contacts: &[Contact], ids: &[u32; LANES]) -> Self {
        let mut extras = Self::default();
        for (lane, &id) in ids.iter().enumerate() {
            if id != NO_CONTACT {
                let contact = &contacts[id as usize];
                extras.bounces |= contact.restitution > 0.0;
                extras.rolls |= contact.rolling_resistance > 0.0;
                extras.bends |= u8::from(contact.rolls_on()) << lane;
            }
        }
        extras
    }
}

/// The lanes whose bits are set.
pub(crate) fn lanes_of(bits: u8) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |lane| bits & (1 << lane) != 0)
}

/// Some bundles of one colour and one layout, solved as a block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lot<const N: usize, const C: usize> {
    /// Its contacts, as a stretch of the plan's order.
    pub(crate) source: std::ops::Range<usize>,
    /// Lanes of a bundle that are filled.
    pub(crate) lanes: usize,
    /// Index of the contact of each lane, or [`NO_CONTACT`].
    pub(crate) ids: Vec<[u32; LANES]>,
    /// By bundle.
    pub(crate) extras: Vec<Extras>,
    /// By bundle.
    pub(crate) normals: Vec<NormalBundle<N, C>>,
    /// By bundle.
    pub(crate) frictions: Vec<FrictionBundle>,
    /// By bundle; only valid where `extras` says so.
    pub(crate) extra_bundles: Vec<ExtraBundle<N>>,
    /// Contacts in which a body may carry one that is much heavier.
    pub(crate) burdens: Vec<Burden>,
    /// By bundle, but empty unless some bends; only valid where `extras` says so.
    pub(crate) curves: Vec<CurveBundle<N>>,
    /// By bundle, but empty unless some are unequal; only valid where `extras` says so.
    pub(crate) shares: Vec<Shares<N>>,
    /// By bundle, as far as joints change how some yield; only valid where `extras` says so.
    pub(crate) jointed: Vec<JointedLanes>,
}

/// An empty lane.
pub(crate) const NO_CONTACT: u32 = u32::MAX;

/// Bundles of contacts of one point.
pub(crate) type Lot1 = Lot<1, 0>;
/// Bundles of contacts of two points.
pub(crate) type Lot2 = Lot<2, 1>;
/// Bundles of contacts of three and four points.
pub(crate) type Lot4 = Lot<4, 7>;

/// Bytes a contact of `N` points takes in a biased sweep, beside the rows of its bodies.
pub(crate) const fn solve_bytes<const N: usize, const C: usize>() -> usize {
    size_of::<NormalBundle<N, C>>() / LANES
}

/// Bytes a contact of `N` points takes in a relaxing sweep or a warm start, likewise.
pub(crate) const fn relax_bytes<const N: usize, const C: usize>() -> usize {
    solve_bytes::<N, C>() + size_of::<FrictionBundle>() / LANES
}

const _: () = assert!(solve_bytes::<1, 0>() == 64 && relax_bytes::<1, 0>() == 136);
const _: () = assert!(solve_bytes::<2, 1>() == 96 && relax_bytes::<2, 1>() == 168);
const _: () = assert!(solve_bytes::<4, 7>() == 168 && relax_bytes::<4, 7>() == 240);

impl<const N: usize, const C: usize> NormalBundle<N, C> {
    /// Eight empty lanes that read zeros and write nothing.
    pub(crate) const EMPTY: Self = Self {
        row_a: [STATIC_ROW; LANES],
        row_b: [STATIC_ROW; LANES],
        normal: Lane3::ZERO,
        offset: Lane3::ZERO,
        radius: [Lane::ZERO; 2],
        points: [const { PointLanes::ZERO }; N],
        rest: [Lane::ZERO; C],
    };
}

impl<const N: usize, const C: usize> NormalBundle<N, C> {
    /// How much of the softness to the mean load counts; a ratio. Contacts of one and two points
    /// keep all of it.
    #[inline(always)]
    pub(crate) fn softness_share<S: Simd>(&self, simd: S) -> f32x8<S> {
        if N > 2 {
            self.rest[C - 1].load(simd)
        } else {
            f32x8::splat(simd, 1.0)
        }
    }

    /// Sum of the impulses of the points of one lane, in N s, in the order of `points::sum`, which keeps
    /// what is symmetric so.
    pub(crate) fn load_of(&self, lane: usize) -> f32 {
        let at = |i: usize| self.points[i].impulse.0[lane];
        match N {
            1 => at(0),
            2 => at(0) + at(1),
            _ => (at(0) + at(2)) + (at(1) + at(3)),
        }
    }

    /// Whether lane `lane` is that of a contact with something no contact pushes, none of whose
    /// points presses.
    #[inline(always)]
    pub(crate) fn is_laid(&self, lane: usize) -> bool {
        let fixed = (self.row_a[lane] | self.row_b[lane]) & READ_ONLY != 0;
        fixed && self.points.iter().all(|point| point.impulse.0[lane] <= 0.0)
    }

    /// The lanes of contacts that press, one bit each.
    #[inline(always)]
    pub(crate) fn pressed<S: Simd>(&self, simd: S) -> u8 {
        let zero = f32x8::splat(simd, 0.0);
        let mut pressed = self.points[0].impulse.load(simd).simd_gt(zero);
        for point in &self.points[1..] {
            pressed |= point.impulse.load(simd).simd_gt(zero);
        }
        pressed.to_bitmask() as u8
    }

    /// Gives lanes, a bit each, back where their points are and what these are to push: what a
    /// contact does must not depend on those beside it.
    pub(crate) fn put_back(&mut self, lanes: u8, before: &Self) {
        for lane in lanes_of(lanes) {
            self.offset.set(lane, before.offset.get(lane));
            for (point, before) in self.points.iter_mut().zip(&before.points) {
                point.arm_b.set(lane, before.arm_b.get(lane));
                point.separation.0[lane] = before.separation.0[lane];
                point.inverse.0[lane] = before.inverse.0[lane];
            }
            for (rest, before) in self.rest.iter_mut().zip(&before.rest) {
                rest.0[lane] = before.0[lane];
            }
        }
    }

    /// Takes the impulses of lanes, a bit each, from where they were found.
    pub(crate) fn put_impulses(&mut self, lanes: u8, found: &Self) {
        for lane in lanes_of(lanes) {
            for (point, found) in self.points.iter_mut().zip(&found.points) {
                point.impulse.0[lane] = found.impulse.0[lane];
            }
        }
    }

    /// This bundle with all lanes emptied but those whose bit is set in `lanes`.
    pub(crate) fn only(&self, lanes: u8) -> Self {
        let mut few = self.clone();
        for lane in 0..LANES {
            if lanes & (1 << lane) == 0 {
                few.row_a[lane] = STATIC_ROW;
                few.row_b[lane] = STATIC_ROW;
            }
        }
        few
    }
}

impl FrictionBundle {
    /// As [`NormalBundle::put_impulses`].
    pub(crate) fn put_impulses(&mut self, lanes: u8, found: &Self) {
        for lane in lanes_of(lanes) {
            self.twist_impulse.0[lane] = found.twist_impulse.0[lane];
            for (impulse, found) in self.impulse.iter_mut().zip(&found.impulse) {
                impulse.0[lane] = found.0[lane];
            }
        }
    }

    /// As [`NormalBundle::put_back`].
    pub(crate) fn put_back(&mut self, lanes: u8, before: &Self) {
        for lane in lanes_of(lanes) {
            self.arm_b.set(lane, before.arm_b.get(lane));
            for (mass, before) in self.mass.iter_mut().zip(&before.mass) {
                mass.0[lane] = before.0[lane];
            }
            self.twist_mass.0[lane] = before.twist_mass.0[lane];
        }
    }
}

impl<const N: usize> ExtraBundle<N> {
    /// As [`NormalBundle::put_back`].
    pub(crate) fn put_back(&mut self, lanes: u8, before: &Self) {
        for lane in lanes_of(lanes) {
            for (mass, before) in self.rolling_mass.iter_mut().zip(&before.rolling_mass) {
                mass.set(lane, before.get(lane));
            }
        }
    }
}

impl PointLanes {
    /// Unused in all lanes.
    pub(crate) const ZERO: Self = Self {
        arm_b: Lane3::ZERO,
        separation: Lane::ZERO,
        inverse: Lane::ZERO,
        impulse: Lane::ZERO,
    };
}

impl FrictionBundle {
    /// Unused in all lanes.
    pub(crate) const ZERO: Self = Self {
        tangent: Lane3::ZERO,
        arm_b: Lane3::ZERO,
        mass: [Lane::ZERO; 3],
        impulse: [Lane::ZERO; 2],
        target: [Lane::ZERO; 2],
        friction: Lane::ZERO,
        twist_mass: Lane::ZERO,
        twist_impulse: Lane::ZERO,
        twist_arm: Lane::ZERO,
    };
}

impl<const N: usize> ExtraBundle<N> {
    /// Unused in all lanes.
    pub(crate) const ZERO: Self = Self {
        restitution: Lane::ZERO,
        peak: [Lane::ZERO; N],
        rolling_arm: Lane::ZERO,
        rolling_mass: [Lane3::ZERO; 2],
        rolling_impulse: Lane3::ZERO,
    };
}

impl<const N: usize, const C: usize> Lot<N, C> {
    /// Empties the lot and makes room for `bundles` bundles without contacts.
    pub(crate) fn reset(&mut self, bundles: usize) {
        self.burdens.clear();
        self.ids.clear();
        self.ids.resize(bundles, [NO_CONTACT; LANES]);
        self.extras.clear();
        self.extras.resize(bundles, Extras::default());
        self.normals.resize_with(bundles, || NormalBundle::EMPTY);
        self.frictions.resize(bundles, FrictionBundle::ZERO);
        self.extra_bundles.resize(bundles, ExtraBundle::ZERO);
    }
}

/// Where the entry of two of `n` points stands: row by row above the diagonal.
#[inline(always)]
pub(crate) const fn inverse_index(n: usize, i: usize, j: usize) -> usize {
    let (low, high) = if i < j { (i, j) } else { (j, i) };
    low * (2 * n - low - 1) / 2 + high - low - 1
}
