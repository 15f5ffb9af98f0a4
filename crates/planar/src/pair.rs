//! Two cores in A's frame and the support function of their Minkowski difference.
//!
//! The difference is B - A: its points are vectors from a point of A to a point of B, so
//! the one nearest the origin is the shortest way from A to B.

use glam::DVec2;

use crate::pose::Pose2;
use crate::separation::{Feature2, Separation2};
use crate::shape::{Core, Shape2};
use crate::tolerance::{LEAST_LENGTH, ROUNDING};

/// A point of the difference and the two points it came from, all in A's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DiffVertex {
    /// `b - a`.
    pub(crate) w: DVec2,
    pub(crate) a: DVec2,
    pub(crate) b: DVec2,
    /// `b` in B's own frame.
    pub(crate) local_b: DVec2,
    pub(crate) id_a: u32,
    pub(crate) id_b: u32,
}

impl DiffVertex {
    /// Whether both came from the same two source points. Ids alone do not tell on
    /// curved cores, where every support point is new.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.id_a == other.id_a && self.id_b == other.id_b && self.a == other.a && self.b == other.b
    }
}

/// Two cores, posed.
pub(crate) struct Pair<'a> {
    pub(crate) a: &'a Core,
    pub(crate) b: &'a Core,
    pub(crate) radius_a: f64,
    pub(crate) radius_b: f64,
    pub(crate) b_in_a: Pose2,
    /// Half the extent of A plus half that of B, in metres, radii included.
    pub(crate) size: f64,
    /// Rounding a difference may carry, in metres.
    pub(crate) rounding: f64,
    /// From the middle of A to the middle of B.
    pub(crate) offset: DVec2,
}

impl<'a> Pair<'a> {
    pub(crate) fn new(a: &'a Shape2, b: &'a Shape2, b_in_a: &Pose2) -> Self {
        debug_assert!(b_in_a.is_valid());
        let (low_a, high_a) = a.core().bounds();
        let (low_b, high_b) = b.core().bounds();
        let middle_a = 0.5 * (low_a + high_a);
        let middle_b = b_in_a.transform(0.5 * (low_b + high_b));
        let radii = a.core_radius() + b.core_radius();
        let size = 0.5 * ((high_a - low_a).length() + (high_b - low_b).length()) + radii;
        let reach_b = low_b.abs().max(high_b.abs()).max_element();
        let reach = middle_a.abs().max(middle_b.abs()).max_element()
            + b_in_a.translation.abs().max_element()
            + reach_b
            + size;
        Self {
            a: a.core(),
            b: b.core(),
            radius_a: a.core_radius(),
            radius_b: b.core_radius(),
            b_in_a: *b_in_a,
            size,
            rounding: ROUNDING * reach,
            offset: middle_b - middle_a,
        }
    }

    pub(crate) fn is_curved(&self) -> bool {
        self.a.is_curved() || self.b.is_curved()
    }

    pub(crate) fn radii(&self) -> f64 {
        self.radius_a + self.radius_b
    }

    /// Vertices of both cores together; an ellipse counts none.
    pub(crate) fn vertex_count(&self) -> u32 {
        let count = |core: &Core| match core {
            Core::Ring(polygon) => polygon.vertices().len() as u32,
            Core::Cloud(cloud) => cloud.points.len() as u32,
            Core::Ellipse(_) => 0,
        };
        count(self.a).saturating_add(count(self.b))
    }

    /// Width a certificate of this pair must reach, in metres.
    pub(crate) fn tolerance(&self, ratio: f64) -> f64 {
        (ratio * self.size).max(self.rounding)
    }

    /// Point of the difference farthest along `direction`, which is not zero.
    pub(crate) fn support(&self, direction: DVec2) -> DiffVertex {
        let (a, id_a) = self.a.support(-direction);
        let (local_b, id_b) = self.b.support(self.b_in_a.unrotate(direction));
        self.join(a, id_a, local_b, id_b)
    }

    /// The same, found from a vertex of the difference thought to be near it: the closer it
    /// is, the quicker.
    pub(crate) fn support_near(&self, direction: DVec2, near: &DiffVertex) -> DiffVertex {
        let (a, id_a) = self.a.support_near(-direction, near.id_a);
        let (local_b, id_b) = self
            .b
            .support_near(self.b_in_a.unrotate(direction), near.id_b);
        self.join(a, id_a, local_b, id_b)
    }

    /// The difference's vertex made of two vertices.
    pub(crate) fn vertex(&self, id_a: u32, id_b: u32) -> DiffVertex {
        self.join(self.a.point(id_a), id_a, self.b.point(id_b), id_b)
    }

    fn join(&self, a: DVec2, id_a: u32, local_b: DVec2, id_b: u32) -> DiffVertex {
        let b = self.b_in_a.transform(local_b);
        DiffVertex {
            w: b - a,
            a,
            b,
            local_b,
            id_a,
            id_b,
        }
    }

    /// The vector from `p` to `q`, from the vertices in their own frames: right to the
    /// rounding of the edges themselves, however close their ends, where `q.w - p.w`
    /// would carry that of the distance and of B's pose.
    pub(crate) fn edge(&self, p: &DiffVertex, q: &DiffVertex) -> DVec2 {
        self.b_in_a.rotate(q.local_b - p.local_b) - (q.a - p.a)
    }

    /// The feature of each core that holds the witness on the edge `p`, `q` of the
    /// difference.
    pub(crate) fn features(&self, p: &DiffVertex, q: &DiffVertex) -> (Feature2, Feature2) {
        (
            feature(self.a, p.id_a, q.id_a),
            feature(self.b, p.id_b, q.id_b),
        )
    }

    /// The answer for the cores, with the radii added: the bounds come down by both and
    /// the witnesses move out along the normal.
    pub(crate) fn with_radii(&self, core: Separation2) -> Separation2 {
        core.rounded(self.radius_a, self.radius_b)
    }
}

impl Separation2 {
    /// The same with both shapes grown by a radius.
    pub(crate) fn rounded(self, radius_a: f64, radius_b: f64) -> Self {
        let radii = radius_a + radius_b;
        if radii == 0.0 {
            return self;
        }
        Self {
            lower: self.lower - radii,
            upper: self.upper - radii,
            point_a: self.point_a + self.normal * radius_a,
            point_b: self.point_b - self.normal * radius_b,
            ..self
        }
    }
}

/// The vertex or edge between two supports of one core. Ring edges are given in ring
/// order.
fn feature(core: &Core, from: u32, to: u32) -> Feature2 {
    match core {
        Core::Ellipse(_) => Feature2::Curve,
        _ if from == to => Feature2::Vertex(from),
        Core::Ring(polygon) if polygon.next(to as usize) == from as usize => {
            Feature2::Edge(to, from)
        }
        Core::Ring(_) | Core::Cloud(_) => Feature2::Edge(from, to),
    }
}

impl Core {
    /// A vertex by its id. An ellipse has none and answers its centre.
    pub(crate) fn point(&self, id: u32) -> DVec2 {
        match self {
            Self::Ring(polygon) => polygon.vertices()[id as usize],
            Self::Cloud(cloud) => cloud.points[id as usize],
            Self::Ellipse(ellipse) => ellipse.center,
        }
    }
}

/// A vector that is not zero at length one, however short it is.
pub(crate) fn unit(v: DVec2) -> DVec2 {
    let length = v.length();
    if length >= LEAST_LENGTH {
        return v / length;
    }
    let scaled = v / v.abs().max_element();
    scaled / scaled.length()
}
