//! Segments lie anywhere in their shape's frame, and every algorithm wants them around the
//! origin along Y: a frame of their own for as long as a query lasts.

use drystone_geometry::glam::{DMat3, DVec3};
use drystone_geometry::{Frame, Separation, Shape};

use crate::gjk::Seed;
use crate::manifold::Draft;

/// The frames in which a pair's cores stand upright.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Upright {
    /// Of A's core in A's frame.
    a: Frame,
    /// B's core seen from A's.
    pub(crate) b_in_a: Frame,
}

impl Upright {
    /// Nothing when neither shape is a segment.
    #[inline]
    pub(crate) fn of(a: &Shape, b: &Shape, b_in_a: &Frame) -> Option<Self> {
        if !is_segment(a) && !is_segment(b) {
            return None;
        }
        let (a, b) = (frame_of(a), frame_of(b));
        let b_in_a = a.inverse().then(b_in_a).then(&b);
        Some(Self { a, b_in_a })
    }

    /// A start told from A's core.
    pub(crate) fn seed(&self, seed: &Seed) -> Seed {
        Seed {
            direction: self.a.inverse_rotate(seed.direction),
            ..*seed
        }
    }

    /// A direction seen from A's core.
    pub(crate) fn direction(&self, direction: DVec3) -> DVec3 {
        self.a.inverse_rotate(direction)
    }

    /// A direction seen from A again.
    pub(crate) fn restored_direction(&self, direction: DVec3) -> DVec3 {
        self.a.rotate(direction)
    }

    /// An answer seen from A again.
    pub(crate) fn restored(&self, answer: &Separation) -> Separation {
        Separation {
            point_a: self.a.transform_point(answer.point_a),
            point_b: self.a.transform_point(answer.point_b),
            normal: self.a.rotate(answer.normal),
            ..*answer
        }
    }

    /// Candidates seen from A again.
    pub(crate) fn restore(&self, draft: &mut Draft) {
        draft.normal = self.a.rotate(draft.normal);
        for candidate in &mut draft.candidates {
            candidate.on_a = self.a.transform_point(candidate.on_a);
            candidate.on_b = self.a.transform_point(candidate.on_b);
        }
    }
}

#[inline]
fn is_segment(shape: &Shape) -> bool {
    matches!(shape.without_rounding(), Shape::Segment { .. })
}

fn frame_of(shape: &Shape) -> Frame {
    let Shape::Segment { a, b } = shape.without_rounding() else {
        return Frame {
            rotation: DMat3::IDENTITY,
            translation: DVec3::ZERO,
        };
    };
    let (a, b) = (a.as_dvec3(), b.as_dvec3());
    let along = (b - a).normalize_or(DVec3::Y);
    let side = along.any_orthonormal_vector();
    Frame {
        rotation: DMat3::from_cols(side, along, side.cross(along)),
        translation: 0.5 * (a + b),
    }
}
