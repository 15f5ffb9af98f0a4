//! What the lot of trees keeps of each bundle, and in which order.

use drystone_geometry::lanes::{Lane, Lane3, Vec3x8, f32x8, mask32x8};
use fearless_simd::prelude::*;

use crate::joint::tree::loops::LoopLanes;
use crate::joint::tree::rest::RestLanes;
use crate::joint::tree::shape::{Edge, Kernel, Shape};
use crate::joint::tree::{
    BodyWork, Factor, Factors, GripLanes, GuideDone, GuideLanes, GuidePresent, ImpulseLanes,
    JointLanes, PresentLanes, TreeBody, TreeLot,
};

/// What belongs to eight trees.
pub(super) struct Parts<'a> {
    pub(super) shape: &'a Shape,
    pub(super) bodies: &'a mut [TreeBody],
    pub(super) joints: &'a mut [JointLanes],
    pub(super) presents: &'a mut [PresentLanes],
    pub(super) grips: &'a mut [[Option<GripLanes>; 2]],
    /// Both empty where no joint is a guide.
    pub(super) guides: &'a mut [GuideLanes],
    pub(super) guided: &'a mut [GuidePresent],
    pub(super) factors: &'a mut Factors,
    pub(super) loops: &'a mut LoopLanes,
    /// How much some edge gives way at most.
    pub(super) gives: &'a mut Lane,
    /// Above 0 where nothing but its joints pushes a tree.
    pub(super) alone: &'a Lane,
    /// Above 0 where no joint drives anything.
    pub(super) idle: &'a Lane,
    /// Velocities before joints push; nothing of nets.
    pub(super) began: &'a mut [[Lane3; 2]],
    /// By edge: whether some stop of its joint is held.
    pub(super) stops: &'a mut [bool],
    pub(super) rests: &'a mut Vec<RestLanes>,
    /// Of the first edges in `factors`.
    pub(super) first: Place,
    /// Velocities that the last pass left, linear and angular.
    /// Empty where no joint is coupled with a spring.
    pub(super) own: &'a [[Lane3; 2]],
    pub(super) left: &'a mut [[Lane3; 2]],
    pub(super) work: &'a mut [BodyWork],
    pub(super) kept: &'a mut [ImpulseLanes],
    /// Impulses and velocities before what is locked was solved.
    pub(super) passed: &'a mut [ImpulseLanes],
    pub(super) guides_kept: &'a mut [GuideDone],
    pub(super) guides_passed: &'a mut [GuideDone],
    pub(super) went: &'a mut [[Lane3; 2]],
}

/// Where an edge's factor is, by number of rows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    pub(super) three: usize,
    pub(super) five: usize,
    pub(super) six: usize,
    pub(super) many: usize,
}

impl Place {
    /// The end of one bundle's edges.
    fn end(shape: &Shape) -> Self {
        let mut place = Self::default();
        for edge in &shape.edges {
            place.next(edge);
        }
        place
    }

    /// The same of so many bundles.
    #[inline(always)]
    fn times(self, bundles: usize) -> Self {
        Self {
            three: self.three * bundles,
            five: self.five * bundles,
            six: self.six * bundles,
            many: self.many * bundles,
        }
    }

    #[inline(always)]
    fn counter(&mut self, kernel: Kernel) -> &mut usize {
        match kernel {
            Kernel::Ball | Kernel::Line => &mut self.three,
            Kernel::Hinge => &mut self.five,
            Kernel::Six | Kernel::Guide => &mut self.six,
            Kernel::Many => &mut self.many,
        }
    }

    /// The place of the next edge, which may be solved by two kernels.
    #[inline(always)]
    pub(super) fn next(&mut self, edge: &Edge) -> Self {
        let at = *self;
        *self.counter(edge.kernel) += 1;
        if edge.idle != edge.kernel {
            *self.counter(edge.idle) += 1;
        }
        at
    }

    /// The place of the edge before the last that was asked for.
    #[inline(always)]
    pub(super) fn back(&mut self, edge: &Edge) -> Self {
        *self.counter(edge.kernel) -= 1;
        if edge.idle != edge.kernel {
            *self.counter(edge.idle) -= 1;
        }
        *self
    }
}

impl BodyWork {
    const EMPTY: Self = Self {
        linear: Lane3::ZERO,
        angular: Lane3::ZERO,
        mobility: [Lane::ZERO; 21],
        held: Lane::ZERO,
        change: [Lane::ZERO; 6],
        removal: [Lane::ZERO; 6],
        impulse: [Lane::ZERO; 6],
        moved: Lane3::ZERO,
        turned: (Lane3::ZERO, Lane::ZERO),
    };

    /// The velocity is where the impulses to come start from.
    #[inline(always)]
    pub(super) fn begin(&mut self) {
        let (v, w) = (&self.linear, &self.angular);
        self.change = [v.x, v.y, v.z, w.x, w.y, w.z];
        self.removal = [Lane::ZERO; 6];
        self.impulse = [Lane::ZERO; 6];
    }
}

impl TreeLot {
    /// Makes room for what sweeps compute.
    pub(super) fn make_room(&mut self) {
        let (shape, count) = (&self.shape, self.bundle_count());
        self.edges = Place::end(shape);
        let end = self.edges.times(count);
        let factors = &mut self.factors;
        factors.three.resize(end.three, Factor::EMPTY);
        factors.five.resize(end.five, Factor::EMPTY);
        factors.six.resize(end.six, Factor::EMPTY);
        factors.many.resize(end.many, Factor::EMPTY);
        self.loops.resize_with(count, LoopLanes::default);
        for loops in &mut self.loops {
            loops.make_room(shape);
        }
        let bodies = shape.pushed.len();
        self.gives.resize(count, Lane::ZERO);
        self.alone.resize(count, Lane::ZERO);
        let began = if self.is_soft { 0 } else { count * bodies };
        self.began.resize(began, [Lane3::ZERO; 2]);
        self.stops.resize(count * shape.edges.len(), false);
        self.rests.resize_with(count, Vec::new);
        self.rests.iter_mut().for_each(Vec::clear);
        self.grips.resize(self.ids.len(), [None; 2]);
        self.left.resize(count * bodies, [Lane3::ZERO; 2]);
        self.work.resize(bodies, BodyWork::EMPTY);
        self.kept.resize(shape.joints.len(), ImpulseLanes::NONE);
        self.passed.resize(shape.joints.len(), ImpulseLanes::NONE);
        let guides = self.guides.len().min(shape.joints.len());
        self.guides_kept.resize(guides, GuideDone::NONE);
        self.guides_passed.resize(guides, GuideDone::NONE);
        self.went.resize(bodies, [Lane3::ZERO; 2]);
    }

    /// What belongs to a bundle.
    #[inline(always)]
    pub(super) fn parts(&mut self, bundle: usize) -> Parts<'_> {
        let (bodies, joints) = (self.shape.pushed.len(), self.shape.joints.len());
        let edges = self.shape.edges.len();
        let (bodies, joints) = (
            bundle * bodies..(bundle + 1) * bodies,
            bundle * joints..(bundle + 1) * joints,
        );
        Parts {
            shape: &self.shape,
            bodies: &mut self.bodies[bodies.clone()],
            joints: &mut self.joints[joints.clone()],
            presents: &mut self.presents[joints.clone()],
            grips: &mut self.grips[joints.clone()],
            guides: self.guides.get_mut(joints.clone()).unwrap_or_default(),
            guided: self.guided.get_mut(joints).unwrap_or_default(),
            factors: &mut self.factors,
            loops: &mut self.loops[bundle],
            gives: &mut self.gives[bundle],
            alone: &self.alone[bundle],
            idle: &self.idle[bundle],
            began: self.began.get_mut(bodies.clone()).unwrap_or_default(),
            stops: &mut self.stops[bundle * edges..(bundle + 1) * edges],
            rests: &mut self.rests[bundle],
            first: self.edges.times(bundle),
            own: self.own.get(bodies.clone()).unwrap_or_default(),
            left: &mut self.left[bodies],
            work: &mut self.work,
            kept: &mut self.kept,
            passed: &mut self.passed,
            guides_kept: &mut self.guides_kept,
            guides_passed: &mut self.guides_passed,
            went: &mut self.went,
        }
    }
}

impl ImpulseLanes {
    /// Takes the lanes of the mask from `other`.
    #[inline(always)]
    pub(super) fn take<S: Simd>(&mut self, simd: S, mask: mask32x8<S>, other: &Self) {
        take(simd, mask, &mut self.linear, &other.linear);
        take(simd, mask, &mut self.angular, &other.angular);
        take(simd, mask, &mut self.spring, &other.spring);
        take(simd, mask, &mut self.friction, &other.friction);
        take_lane(simd, mask, &mut self.cone, &other.cone);
        take_lane(simd, mask, &mut self.motor, &other.motor);
        take_lane(simd, mask, &mut self.axis_spring, &other.axis_spring);
        take_lane(simd, mask, &mut self.lower, &other.lower);
        take_lane(simd, mask, &mut self.upper, &other.upper);
    }

    /// Goes a share of the way to `other`.
    #[inline(always)]
    pub(super) fn approach<S: Simd>(&mut self, simd: S, share: f32x8<S>, other: &Self) {
        approach3(simd, share, &mut self.linear, &other.linear);
        approach3(simd, share, &mut self.angular, &other.angular);
        approach3(simd, share, &mut self.spring, &other.spring);
        approach3(simd, share, &mut self.friction, &other.friction);
        approach(simd, share, &mut self.cone, &other.cone);
        approach(simd, share, &mut self.motor, &other.motor);
        approach(simd, share, &mut self.axis_spring, &other.axis_spring);
        approach(simd, share, &mut self.lower, &other.lower);
        approach(simd, share, &mut self.upper, &other.upper);
    }
}

/// Goes a share of the way to `other`.
#[inline(always)]
pub(super) fn approach3<S: Simd>(simd: S, share: f32x8<S>, own: &mut Lane3, other: &Lane3) {
    let now = own.load(simd);
    own.store(now.add_scaled(other.load(simd) - now, share));
}

/// Goes a share of the way to `other`.
#[inline(always)]
pub(super) fn approach<S: Simd>(simd: S, share: f32x8<S>, own: &mut Lane, other: &Lane) {
    let now = own.load(simd);
    own.store(now + share * (other.load(simd) - now));
}

/// Takes the lanes of the mask from `other`.
#[inline(always)]
pub(super) fn take<S: Simd>(simd: S, mask: mask32x8<S>, own: &mut Lane3, other: &Lane3) {
    own.store(Vec3x8::select(mask, other.load(simd), own.load(simd)));
}

#[inline(always)]
pub(super) fn take_lane<S: Simd>(simd: S, mask: mask32x8<S>, own: &mut Lane, other: &Lane) {
    own.store(mask.select(other.load(simd), own.load(simd)));
}
