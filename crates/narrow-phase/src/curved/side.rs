//! What a feature of a figure tells of the normals and points of a contact: a face has one
//! normal, an edge or a line on a round side the normals of a circle, a corner, a rim or an
//! ellipsoid any, each with a point of its own.

use drystone_geometry::feature::FeatureKind;
use drystone_geometry::glam::DVec3;
use drystone_geometry::shape::curved::Curved;
use drystone_geometry::{Feature, Frame};

use super::Figure;
use crate::convex::{NO_HINT, aligned_face, edge_between};
use crate::tolerance::STEEP_SINE_SQ;

/// One figure of a pair, seen from A's frame. Normals point from A to B.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub(super) figure: &'a Figure<'a>,
    /// Where B is; nothing for A.
    pub(super) place: Option<&'a Frame>,
}

/// The normals at which a feature is farthest.
#[derive(Clone, Copy, Debug)]
pub(super) enum Normals {
    /// Those around one.
    All,
    /// Those at one angle above the plane across an axis.
    Circle(Circle),
    /// One alone.
    One(DVec3),
}

/// Normals at one angle above the plane across an axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Circle {
    /// Unit, in A's frame.
    pub(super) axis: DVec3,
    /// Of the angle, 0 for straight edges and cylinders.
    pub(super) sine: f64,
    /// Of the angle, as flat cones have it too small to be found from the sine.
    pub(super) cosine: f64,
}

impl Circle {
    /// The part of a unit normal across the axis, scaled to unit length; nothing if it is along the
    /// axis up to rounding.
    pub(super) fn level(&self, normal: DVec3) -> Option<DVec3> {
        let across = |v: DVec3| v - v.dot(self.axis) * self.axis;
        let part = across(normal);
        let level = part.try_normalize()?;
        if part.length_squared() >= STEEP_SINE_SQ {
            return Some(level);
        }
        // What rounding left of the axis has grown with the rest.
        let level = across(level);
        (level.length_squared() > 0.5).then(|| level.normalize())
    }

    /// The one whose part across the axis is along the unit `level`.
    pub(super) fn normal(&self, level: DVec3) -> DVec3 {
        self.sine * self.axis + self.cosine * level
    }
}

/// The farthest point of a corner, a rim or an ellipsoid along a normal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foot {
    /// In A's frame.
    pub(super) point: DVec3,
    /// Whether no other point of the figure is farther.
    pub(super) is_farthest: bool,
    /// Unit, tangent, in A's frame; zero where nothing bends.
    pub(super) across: DVec3,
    /// Radii of curvature across, and at a right angle to that, in metres.
    pub(super) radii: [f64; 2],
    /// How far the figure reaches aside in the same two directions, see [`super::depth`].
    pub(super) reach: [f64; 2],
}

impl<'a> Side<'a> {
    pub(super) fn a(figure: &'a Figure<'a>) -> Self {
        Self {
            figure,
            place: None,
        }
    }

    pub(super) fn b(figure: &'a Figure<'a>, b_in_a: &'a Frame) -> Self {
        Self {
            figure,
            place: Some(b_in_a),
        }
    }

    /// A normal as the direction outward of the figure, in its own frame.
    pub(super) fn outward(&self, normal: DVec3) -> DVec3 {
        match self.place {
            None => normal,
            Some(frame) => -frame.inverse_rotate(normal),
        }
    }

    pub(super) fn normal(&self, outward: DVec3) -> DVec3 {
        match self.place {
            None => outward,
            Some(frame) => -frame.rotate(outward),
        }
    }

    pub(super) fn turned(&self, own: DVec3) -> DVec3 {
        self.place.map_or(own, |frame| frame.rotate(own))
    }

    pub(super) fn placed(&self, own: DVec3) -> DVec3 {
        self.place.map_or(own, |frame| frame.transform_point(own))
    }

    /// Whether the figure has such a feature.
    pub(super) fn has(&self, feature: Feature) -> bool {
        let count = match (self.figure, feature.kind()) {
            (Figure::Curved(Curved::Cylinder { .. }), FeatureKind::Face) => 3,
            (Figure::Curved(Curved::Cylinder { .. }), FeatureKind::Edge)
            | (Figure::Curved(Curved::Cone { .. }), FeatureKind::Face) => 2,
            (Figure::Curved(Curved::Cone { .. }), _)
            | (Figure::Curved(Curved::Ellipsoid(_)), FeatureKind::Face) => 1,
            (Figure::Curved(_), _) => 0,
            (Figure::Core(core), kind) => match (core.polytope(), kind) {
                (Some(polytope), FeatureKind::Vertex) => polytope.vertices.len(),
                (Some(polytope), FeatureKind::Edge) => polytope.half_edges.len() / 2,
                (Some(polytope), FeatureKind::Face) => polytope.faces.len(),
                (None, FeatureKind::Vertex) => 2,
                (None, FeatureKind::Edge) => 1,
                (None, FeatureKind::Face) => 0,
            },
        };
        (feature.index() as usize) < count
    }

    /// The normals of a feature.
    pub(super) fn normals(&self, feature: Feature) -> Normals {
        let circle = |axis: DVec3, sine: f64, cosine: f64| {
            Normals::Circle(Circle {
                axis: self.turned(axis),
                sine: if self.place.is_some() { -sine } else { sine },
                cosine,
            })
        };
        match (self.figure, feature.kind(), feature.index()) {
            (Figure::Curved(Curved::Cylinder { .. }), FeatureKind::Face, 2) => {
                circle(DVec3::Y, 0.0, 1.0)
            }
            (Figure::Curved(Curved::Cylinder { .. }), FeatureKind::Face, face) => {
                let up = if face == 1 { DVec3::Y } else { DVec3::NEG_Y };
                Normals::One(self.normal(up))
            }
            (
                Figure::Curved(Curved::Cone {
                    half_height,
                    radius,
                }),
                FeatureKind::Face,
                face,
            ) => {
                if face == 0 {
                    return Normals::One(self.normal(DVec3::NEG_Y));
                }
                let height = 2.0 * half_height;
                let slant = (height * height + radius * radius).sqrt();
                circle(DVec3::Y, radius / slant, height / slant)
            }
            (Figure::Curved(_), ..) | (_, FeatureKind::Vertex, _) => Normals::All,
            (Figure::Core(core), FeatureKind::Edge, edge) => {
                let [from, to] = core.edge_ends(edge).map(|vertex| core.position(vertex));
                circle((to - from).normalize_or(DVec3::Y), 0.0, 1.0)
            }
            (Figure::Core(core), FeatureKind::Face, face) => {
                let plane = core
                    .polytope()
                    .map(|polytope| polytope.faces[face as usize].normal);
                Normals::One(self.normal(plane.unwrap_or(DVec3::Y)))
            }
        }
    }

    /// The farthest point along a normal.
    pub(super) fn support(&self, normal: DVec3, hint: u32) -> DVec3 {
        self.placed(self.figure.support(self.outward(normal), hint).0)
    }

    /// A corner of a feature, where searches for the farthest one start.
    pub(super) fn hint(&self, feature: Feature) -> u32 {
        match self.figure {
            Figure::Core(core) => core.vertex_of(feature),
            Figure::Curved(_) => NO_HINT,
        }
    }

    /// The corner or the rim that is farthest along a normal.
    pub(super) fn lowest(&self, normal: DVec3, hint: u32) -> Feature {
        let outward = self.outward(normal);
        match self.figure {
            Figure::Core(core) => Feature::vertex(core.support(outward, hint)),
            Figure::Curved(Curved::Cylinder { .. }) => Feature::edge(u32::from(outward.y > 0.0)),
            Figure::Curved(solid @ Curved::Cone { .. }) => {
                if is_tip(solid, outward) {
                    Feature::vertex(0)
                } else {
                    Feature::edge(0)
                }
            }
            Figure::Curved(Curved::Ellipsoid(_)) => Feature::face(0),
        }
    }

    /// The farthest point of a feature that has [`Normals::All`].
    pub(super) fn foot(&self, feature: Feature, normal: DVec3) -> Foot {
        let outward = self.outward(normal);
        let solid = match self.figure {
            Figure::Core(core) => {
                let vertex = feature.index();
                let farthest = core.support(outward, core.vertex_of(feature));
                return Foot::corner(self.placed(core.position(vertex)), farthest == vertex);
            }
            Figure::Curved(solid) => solid,
        };
        let (height, radius, is_farthest) = match *solid {
            Curved::Cylinder {
                half_height,
                radius,
            } => {
                let is_top = feature.index() == 1;
                let height = if is_top { half_height } else { -half_height };
                (height, radius, (outward.y > 0.0) == is_top)
            }
            Curved::Cone {
                half_height,
                radius,
            } => {
                let at_tip = is_tip(solid, outward);
                if feature.kind() == FeatureKind::Vertex {
                    let tip = self.placed(DVec3::new(0.0, half_height, 0.0));
                    return Foot::corner(tip, at_tip);
                }
                (-half_height, radius, !at_tip)
            }
            Curved::Ellipsoid(semi_axes) => {
                let point = solid.support(outward);
                let bend = solid.bend(outward, point);
                let share = 0.5 * outward.dot(point) / semi_axes.max_element();
                let radii = [bend.radius_across, bend.radius_along];
                return Foot {
                    point: self.placed(point),
                    is_farthest: true,
                    across: self.turned(bend.across),
                    radii,
                    reach: radii.map(|radius| share * radius),
                };
            }
        };
        let sine = (outward.x * outward.x + outward.z * outward.z).sqrt();
        if sine <= 0.0 {
            return Foot::corner(self.placed(DVec3::new(0.0, height, 0.0)), is_farthest);
        }
        let level = DVec3::new(outward.x / sine, 0.0, outward.z / sine);
        Foot {
            point: self.placed(radius * level + DVec3::new(0.0, height, 0.0)),
            is_farthest,
            across: self.turned(DVec3::new(level.z, 0.0, -level.x)),
            radii: [radius / sine, 0.0],
            reach: [0.5 * radius, 0.0],
        }
    }

    /// The face towards which a normal lies beyond those of an edge.
    pub(super) fn beyond(&self, edge: Feature, normal: DVec3) -> Option<Feature> {
        let Figure::Core(core) = self.figure else {
            return None;
        };
        let polytope = core.polytope()?;
        let outward = self.outward(normal);
        let half_edge = 2 * edge.index();
        let along = polytope.position(polytope.target(half_edge))
            - polytope.position(polytope.origin(half_edge));
        for (half_edge, along) in [(half_edge, along), (half_edge ^ 1, -along)] {
            let face = polytope.half_edges[half_edge as usize].face;
            let inward = polytope.faces[face as usize].normal.cross(along);
            if outward.dot(inward) > 0.0 {
                return Some(Feature::face(face));
            }
        }
        None
    }

    /// The feature between one that was farthest along `before` and the one that is along
    /// `normal`, if it is another.
    pub(super) fn between(
        &self,
        feature: Feature,
        before: DVec3,
        normal: DVec3,
    ) -> Option<Feature> {
        let outward = self.outward(normal);
        let solid = match self.figure {
            Figure::Core(core) => {
                let from = feature.index();
                let to = core.support(outward, core.vertex_of(feature));
                if to == from {
                    return None;
                }
                let edge = core
                    .polytope()
                    .map_or(Some(0), |polytope| edge_between(&polytope, from, to));
                return Some(edge.map_or(Feature::vertex(to), |edge| Feature::edge(edge / 2)));
            }
            Figure::Curved(solid) => solid,
        };
        let before = self.outward(before);
        let has_turned = outward.x * before.x + outward.z * before.z < 0.0;
        match solid {
            Curved::Cylinder { .. } => {
                let is_top = feature.index() == 1;
                if (outward.y > 0.0) != is_top {
                    Some(Feature::face(2))
                } else {
                    has_turned.then_some(Feature::face(feature.index()))
                }
            }
            Curved::Cone { .. } => {
                let at_tip = feature.kind() == FeatureKind::Vertex;
                if is_tip(solid, outward) != at_tip {
                    Some(Feature::face(1))
                } else {
                    (has_turned && !at_tip).then_some(Feature::face(0))
                }
            }
            Curved::Ellipsoid(_) => None,
        }
    }

    /// The cap over whose middle a point lies that a rim seems nearest to.
    pub(super) fn cap_below(&self, feature: Feature, point: DVec3) -> Option<Feature> {
        let Figure::Curved(solid) = self.figure else {
            return None;
        };
        if feature.kind() != FeatureKind::Edge {
            return None;
        }
        let own = self
            .place
            .map_or(point, |frame| frame.inverse_transform_point(point));
        let (Curved::Cylinder {
            half_height,
            radius,
        }
        | Curved::Cone {
            half_height,
            radius,
        }) = *solid
        else {
            return None;
        };
        let up = if feature.index() == 1 { own.y } else { -own.y };
        let is_over = own.x * own.x + own.z * own.z < radius * radius && up > half_height;
        is_over.then_some(Feature::face(feature.index()))
    }

    /// Faces and lines next to a feature towards a normal.
    pub(super) fn neighbours(&self, feature: Feature, normal: DVec3) -> [Option<Feature>; 2] {
        let outward = self.outward(normal);
        match self.figure {
            Figure::Core(core) => match core.polytope() {
                Some(polytope) => {
                    let vertex = core.support(outward, core.vertex_of(feature));
                    let face = aligned_face(&polytope, &[vertex], outward);
                    [Some(Feature::face(face)), None]
                }
                None => [Some(Feature::edge(0)), None],
            },
            Figure::Curved(Curved::Cylinder { .. }) => [
                Some(Feature::face(u32::from(outward.y > 0.0))),
                Some(Feature::face(2)),
            ],
            Figure::Curved(Curved::Cone { .. }) => [
                (outward.y < 0.0).then_some(Feature::face(0)),
                Some(Feature::face(1)),
            ],
            Figure::Curved(Curved::Ellipsoid(_)) => [None; 2],
        }
    }

    /// A ball inside: its centre in A's frame and its radius.
    pub(super) fn inner_ball(&self) -> (DVec3, f64) {
        let (center, radius) = match self.figure {
            Figure::Core(core) => core.inner_ball(),
            Figure::Curved(solid) => {
                let radius = solid.inner_radius();
                let center = match *solid {
                    Curved::Cone { half_height, .. } => DVec3::new(0.0, radius - half_height, 0.0),
                    _ => DVec3::ZERO,
                };
                (center, radius)
            }
        };
        (self.placed(center), radius)
    }

    /// The feature to name for a normal: the farthest face or line, else corner or rim.
    pub(super) fn named(&self, normal: DVec3, level: f64) -> Feature {
        self.figure.feature(self.outward(normal), level)
    }
}

impl Foot {
    fn corner(point: DVec3, is_farthest: bool) -> Self {
        Self {
            point,
            is_farthest,
            across: DVec3::ZERO,
            radii: [0.0; 2],
            reach: [0.0; 2],
        }
    }
}

/// Whether the tip of a cone is farther along a direction than its rim.
fn is_tip(solid: &Curved, outward: DVec3) -> bool {
    let Curved::Cone {
        half_height,
        radius,
    } = *solid
    else {
        return false;
    };
    let across = (outward.x * outward.x + outward.z * outward.z).sqrt();
    2.0 * half_height * outward.y > radius * across
}
