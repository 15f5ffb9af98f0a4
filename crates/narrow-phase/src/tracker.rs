//! What persists of a pair between frames, and the two cheapest rungs of the ladder:
//! proving that nothing can have happened, and re-evaluating what hardly moved.

mod apart;

use drystone_geometry::feature::FeatureKind;
use drystone_geometry::glam::{DMat3, DQuat, DVec3, Vec3};
use drystone_geometry::{Feature, Frame, Manifold, Separation, Shape, rotation};
use serde::{Deserialize, Serialize};

use crate::gjk::{Seed, Standing};
use crate::manifold::{Carrier, faces};
use crate::tolerance::{
    ALWAYS_WALKED_CORNERS, MAX_CROSSED_SQ, RECYCLE_ANY_WIDTH, RECYCLE_SHIFT, RECYCLE_TURN,
    RECYCLE_TURN_EDGES, RECYCLE_WIDTH,
};

/// What is known of the pair since its last full answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum State {
    /// Nothing.
    #[default]
    Unknown,
    /// No contact point; `gap` is a lower bound of the separation along `normal`.
    Apart,
    /// There are contact points; `gap` is the smallest separation of one.
    Touching,
    /// Nothing but that a short walk led to the features; the pose was not kept.
    Coherent,
}

/// The memory of one pair of shapes: plain data, part of a saved state. All of it speaks
/// the caller's order of A and B. One line of a cache: pairs are many and seldom near.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[repr(align(64))]
pub struct Tracker {
    /// Rotation of B in A at the last full answer: x, y, z, w, of any length.
    rotation: [f32; 4],
    /// Position of B in A at the last full answer, in metres.
    translation: Vec3,
    /// Unit, A to B, in A's frame, at the last full answer.
    normal: Vec3,
    /// See [`State`], in metres.
    gap: f32,
    /// How much nearer the nearest point left out of the manifold must come to belong to
    /// it, in metres.
    clearance: f32,
    /// The features of the last answer, where walks and support searches start.
    features: [Feature; 2],
    /// Whether `features` are known.
    has_features: bool,
    state: State,
    carrier: Carrier,
}

const _: () = assert!(size_of::<Tracker>() == 64);

impl Default for Tracker {
    fn default() -> Self {
        Self {
            rotation: [0.0, 0.0, 0.0, 1.0],
            translation: Vec3::ZERO,
            normal: Vec3::ZERO,
            gap: 0.0,
            clearance: 0.0,
            features: [Feature::vertex(0); 2],
            has_features: false,
            state: State::Unknown,
            carrier: Carrier::None,
        }
    }
}

/// What a full answer leaves for the next frame, in the caller's order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    /// Unit, A to B, in A's frame.
    pub(crate) normal: DVec3,
    /// Along `normal`, radii included, in metres.
    pub(crate) gap: f64,
    /// Beyond the margin, in metres.
    pub(crate) clearance: f64,
    /// Where walks and support searches start.
    pub(crate) features: Option<[Feature; 2]>,
    /// What carries the normal.
    pub(crate) carrier: Carrier,
    /// Whether there are contact points.
    pub(crate) touching: bool,
}

/// A rotation as it is kept: x, y, z, w, not of unit length, for a root and a division after every
/// answer would delay the next.
#[inline(always)]
pub(crate) fn stored(rotation: &DMat3) -> [f32; 4] {
    let DQuat { x, y, z, w } = rotation::unscaled_from_dmatrix(*rotation);
    [x as f32, y as f32, z as f32, w as f32]
}

#[inline]
fn corner_count(shape: &Shape) -> usize {
    match shape {
        Shape::Hull(hull) => hull.vertices().len(),
        _ => 8,
    }
}

/// Whether two shapes are polytopes of which one has faces of very many corners, or corners of very
/// many edges.
fn have_rims(a: &Shape, b: &Shape) -> bool {
    let has_rims = |shape: &Shape| matches!(shape, Shape::Hull(hull) if hull.has_rims());
    let is_polytope = |shape: &Shape| matches!(shape, Shape::Hull(_) | Shape::Box { .. });
    (has_rims(a) && is_polytope(b)) || (has_rims(b) && is_polytope(a))
}

/// How far the pair has moved since the last full answer.
struct Motion {
    /// Rotation of B in A then.
    rotation: DMat3,
    /// Twice the sine of half the angle turned since: how far a point at distance 1 from
    /// the origin has moved at most.
    chord: f64,
}

impl Motion {
    fn chord_sq(&self) -> f64 {
        self.chord * self.chord
    }
}

impl Tracker {
    /// Whether the memory can be one of these two shapes: its numbers are numbers and the
    /// features it names exist. For what was read from outside; a memory of other motions
    /// of the pair costs time, never the answer.
    pub fn fits(&self, a: &Shape, b: &Shape) -> bool {
        let exists = |feature: Feature, shape: &Shape| {
            let [vertices, edges, faces] = shape.feature_counts();
            let count = match feature.kind() {
                FeatureKind::Vertex => vertices,
                FeatureKind::Edge => edges,
                FeatureKind::Face => faces,
            };
            (feature.index() as usize) < count
        };
        let features =
            !self.has_features || (exists(self.features[0], a) && exists(self.features[1], b));
        let bounds = [self.gap, self.clearance];
        features
            && self.rotation.iter().all(|x| x.is_finite())
            && bounds.iter().all(|x| !x.is_nan())
            && self.translation.is_finite()
            && self.normal.is_finite()
    }

    /// A start for a search in canonical order, without a direction, which a walk does not need.
    /// `radii` are those around both cores, in metres in all.
    #[inline(always)]
    pub(crate) fn start(
        &self,
        a: &Shape,
        b: &Shape,
        b_in_a: &Frame,
        radii: f64,
        flipped: bool,
    ) -> Seed {
        if !self.has_features {
            return Seed::NONE;
        }
        let walks = f64::from(self.gap) + radii > 0.0;
        if self.has_turned_far(a, b, b_in_a) {
            return Seed {
                meets: !walks,
                ..Seed::NONE
            };
        }
        let [feature_a, feature_b] = self.features;
        Seed {
            direction: DVec3::ZERO,
            features: Some(if flipped {
                [feature_b, feature_a]
            } else {
                [feature_a, feature_b]
            }),
            walks,
            meets: !walks,
            standing: Standing::Near,
        }
    }

    /// The direction of a start from features, or of one for hulls with rims that overlap: around
    /// these the way from the line of the centres is longer than that from the last normal. Zero,
    /// none, for others. Which start it is, is told.
    pub(crate) fn direction(
        &self,
        (a, b): (&Shape, &Shape),
        b_in_a: &Frame,
        flipped: bool,
        (has_features, meets): (bool, bool),
    ) -> DVec3 {
        let tells = has_features || (meets && have_rims(a, b));
        if !tells {
            return DVec3::ZERO;
        }
        let direction = self.normal.as_dvec3();
        if flipped {
            -b_in_a.inverse_rotate(direction)
        } else {
            direction
        }
    }

    /// Whether the motion since the last answer crosses more features than a search does.
    #[inline]
    fn has_turned_far(&self, a: &Shape, b: &Shape, b_in_a: &Frame) -> bool {
        let corners = corner_count(a).max(corner_count(b));
        corners > ALWAYS_WALKED_CORNERS
            && self.state != State::Coherent
            && self.has_turned_across(corners, b_in_a)
    }

    /// The same for shapes of so many corners whose last pose is known.
    fn has_turned_across(&self, corners: usize, b_in_a: &Frame) -> bool {
        // Seen from either shape the other turns, and goes round it.
        let shift_sq = (b_in_a.translation - self.translation.as_dvec3()).length_squared();
        let distance_sq = b_in_a.translation.length_squared();
        let turn_sq = 2.0 * (self.motion(b_in_a).chord_sq() + shift_sq / distance_sq);
        // Corners of a ball are the square root of 4 pi / n apart.
        turn_sq * corners as f64 > MAX_CROSSED_SQ * 4.0 * std::f64::consts::PI
    }

    /// What carried the normal of the last answer, in canonical order.
    pub(crate) fn carrier(&self, flipped: bool) -> Carrier {
        if flipped {
            self.carrier.flipped()
        } else {
            self.carrier
        }
    }

    /// Whether a face of A, and whether one of B, carried the normal of the last contact: such a
    /// normal turns with the body of that face.
    pub fn face_carries(&self) -> [bool; 2] {
        [
            self.carrier == Carrier::FaceA,
            self.carrier == Carrier::FaceB,
        ]
    }

    /// Keeps a full answer found at this pose.
    #[inline(always)]
    pub(crate) fn remember(&mut self, b_in_a: &Frame, memory: &Memory) {
        self.rotation = stored(&b_in_a.rotation);
        self.translation = b_in_a.translation.as_vec3();
        self.normal = memory.normal.as_vec3();
        self.gap = memory.gap as f32;
        self.clearance = memory.clearance as f32;
        self.has_features = memory.features.is_some();
        if let Some(features) = memory.features {
            self.features = features;
        }
        self.carrier = memory.carrier;
        self.state = if memory.touching {
            State::Touching
        } else {
            State::Apart
        };
    }

    /// Keeps a plane between shapes without contact points: unit normal, from A to B, in A's frame,
    /// and the gap along it, in metres. Where searches start remains.
    #[inline]
    pub(crate) fn remember_plane(&mut self, b_in_a: &Frame, normal: DVec3, gap: f64) {
        self.rotation = stored(&b_in_a.rotation);
        self.translation = b_in_a.translation.as_vec3();
        self.normal = normal.as_vec3();
        self.gap = gap as f32;
        self.state = State::Apart;
    }

    /// Keeps what the next query of the distance can use, and nothing a contact could.
    #[inline]
    pub(crate) fn remember_features(
        &mut self,
        a: &Shape,
        b: &Shape,
        b_in_a: &Frame,
        answer: &Separation,
        is_coherent: bool,
    ) {
        self.state = State::Coherent;
        if !is_coherent {
            self.state = State::Unknown;
            self.remember_pose(a, b, b_in_a);
        }
        self.normal = answer.normal.as_vec3();
        self.gap = answer.lower as f32;
        self.features = [answer.feature_a, answer.feature_b];
        self.has_features = true;
    }

    /// Keeps the pose if a walk from it may be long.
    fn remember_pose(&mut self, a: &Shape, b: &Shape, b_in_a: &Frame) {
        if corner_count(a).max(corner_count(b)) > ALWAYS_WALKED_CORNERS {
            self.rotation = stored(&b_in_a.rotation);
            self.translation = b_in_a.translation.as_vec3();
        }
    }

    /// Along the last normal, in metres; a lower bound of the separation then.
    pub(crate) fn gap(&self) -> f64 {
        f64::from(self.gap)
    }

    /// B seen from A at the last full answer.
    pub(crate) fn last_pose(&self) -> Frame {
        Frame {
            rotation: self.last_rotation(),
            translation: self.translation.as_dvec3(),
        }
    }

    /// Its rotation as a unit quaternion: x, y, z, w.
    pub(crate) fn last_turn(&self) -> [f32; 4] {
        let [x, y, z, w] = self.rotation.map(f64::from);
        let scale = 1.0 / (x * x + y * y + z * z + w * w).sqrt();
        [x, y, z, w].map(|part| (scale * part) as f32)
    }

    /// Unit up to the rounding of storage, from A to B, in A's frame, at the last full answer.
    pub(crate) fn last_normal(&self) -> DVec3 {
        self.normal.as_dvec3()
    }

    /// Whether the last answer left contact points.
    #[inline]
    pub(crate) fn is_touching(&self) -> bool {
        self.state == State::Touching
    }

    /// Whether the cores of radius `radii` in all overlapped.
    #[inline]
    pub(crate) fn may_hold(&self, radii: f64) -> bool {
        self.state == State::Touching && f64::from(self.gap) + radii <= 0.0
    }

    /// The last normal, carried along by its face if it has one, in canonical order; unit up
    /// to the rounding of storage.
    #[inline(always)]
    pub(crate) fn held_normal(&self, b_in_a: &Frame, flipped: bool) -> DVec3 {
        let mut normal = self.normal.as_dvec3();
        if self.carrier == Carrier::FaceB {
            normal = b_in_a.rotation * (self.motion(b_in_a).rotation.transpose() * normal);
        }
        if flipped {
            -b_in_a.inverse_rotate(normal)
        } else {
            normal
        }
    }

    #[inline(always)]
    fn last_rotation(&self) -> DMat3 {
        let [x, y, z, w] = self.rotation;
        let (x, y, z, w) = (f64::from(x), f64::from(y), f64::from(z), f64::from(w));
        rotation::to_dmatrix(DQuat::from_xyzw(x, y, z, w))
    }

    #[inline(always)]
    fn motion(&self, b_in_a: &Frame) -> Motion {
        let rotation = self.last_rotation();
        let now = &b_in_a.rotation;
        let changed_sq = (now.x_axis - rotation.x_axis).length_squared()
            + (now.y_axis - rotation.y_axis).length_squared()
            + (now.z_axis - rotation.z_axis).length_squared();
        // The squared Frobenius norm is 8 sin^2 of half the angle.
        Motion {
            rotation,
            chord: (0.5 * changed_sq).sqrt(),
        }
    }

    /// Re-evaluates the separations of `manifold` if the touching pair has hardly moved;
    /// otherwise changes nothing and says so.
    ///
    /// `size` is the smaller shape's size and `reach` bounds the distance between two
    /// points of the contact, both in metres. Exact to first order; where a face carries
    /// the normal, exact for every corner of the other shape.
    pub(crate) fn recycle(
        &self,
        b_in_a: &Frame,
        size: f64,
        reach: f64,
        margin: f64,
        manifold: &mut Manifold,
    ) -> bool {
        if manifold.is_empty() {
            return false;
        }
        let motion = self.motion(b_in_a);
        let allowed_turn = if self.carrier == Carrier::Edges {
            RECYCLE_TURN_EDGES
        } else {
            RECYCLE_TURN
        };
        if motion.chord > allowed_turn {
            return false;
        }
        let mut normal = self.normal.as_dvec3();
        if self.carrier == Carrier::FaceB {
            normal = b_in_a.rotation * (motion.rotation.transpose() * normal);
        }
        let allowed_shift = RECYCLE_SHIFT * size;
        let mut separations = [0.0; drystone_geometry::manifold::MAX_POINTS];
        let (mut least, mut farthest_sq) = (f64::INFINITY, 0.0f64);
        for (point, separation) in manifold.points().iter().zip(&mut separations) {
            let offset =
                b_in_a.transform_point(point.anchor_b.as_dvec3()) - point.anchor_a.as_dvec3();
            *separation = normal.dot(offset);
            least = least.min(*separation);
            let drift_sq = offset.length_squared() - *separation * *separation;
            if *separation > margin || drift_sq > allowed_shift * allowed_shift {
                return false;
            }
            farthest_sq = farthest_sq.max(drift_sq);
        }
        // At a ledge the patch may be far narrower than the shapes, and gone after such a way.
        let hardly = RECYCLE_ANY_WIDTH * size;
        if farthest_sq > hardly * hardly {
            let allowed = RECYCLE_WIDTH * width(manifold);
            if farthest_sq > allowed * allowed {
                return false;
            }
        }
        let lowered = (least - f64::from(self.gap)).abs();
        if lowered > allowed_shift || lowered + motion.chord * reach > f64::from(self.clearance) {
            return false;
        }
        // Deeper, another normal may have become the one of least depth.
        if least < f64::from(self.gap).min(0.0) - faces::preference(size, margin) {
            return false;
        }
        manifold.normal = normal.as_vec3();
        for (point, separation) in manifold.points_mut().iter_mut().zip(separations) {
            point.separation = separation as f32;
        }
        true
    }
}

/// How wide the patch of a manifold is across its longer diagonal, in metres; of two points their
/// distance. One point has no width that would bound its way.
fn width(manifold: &Manifold) -> f64 {
    let points = manifold.points();
    let between =
        |i: usize, j: usize| points[j].anchor_a.as_dvec3() - points[i].anchor_a.as_dvec3();
    let (first, second) = match points.len() {
        0 | 1 => return f64::INFINITY,
        2 => return between(0, 1).length(),
        3 => (between(0, 1), between(0, 2)),
        _ => (between(0, 2), between(1, 3)),
    };
    let longer = first.length_squared().max(second.length_squared()).sqrt();
    if longer > 0.0 {
        0.5 * first.cross(second).length() / longer
    } else {
        0.0
    }
}
