//! What the triangles around a shape have to say, before it is sorted by normals.

use drystone_geometry::glam::DVec3;
use drystone_geometry::{Feature, SimdLevel};

use super::polygon::Corner;
use crate::convex::NO_HINT;
use crate::manifold::Candidate;

/// Candidates that one triangle made on one normal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    /// Unit, from the surface to the shape.
    pub(crate) normal: DVec3,
    /// Index of the first of them.
    pub(crate) first: usize,
    /// How many there are.
    pub(crate) count: usize,
    /// How far the deepest is below the margin, in metres: what the normal counts for.
    pub(crate) weight: f64,
    /// Taken into a cluster.
    pub(crate) is_taken: bool,
}

/// The scratch arrays of a thread, and what one query asks and finds. In the surface's frame.
#[derive(Debug)]
pub(crate) struct Gather {
    /// Points are made within this, in metres.
    pub(crate) margin: f64,
    /// The smaller of the sizes that tolerances go by, in metres.
    pub(crate) size: f64,
    /// Instruction set of the wide kernels.
    pub(crate) simd: SimdLevel,
    /// Candidates of all triangles, `on_a` on the surface, `on_b` on the shape's core.
    pub(crate) candidates: Vec<Candidate>,
    /// Groups in the order of triangles.
    pub(crate) groups: Vec<Group>,
    /// Triangles that made candidates, with the side they were seen from in the last bit.
    pub(crate) faced: Vec<u32>,
    /// No point left out comes within the margin before the shape moves this far, in metres.
    pub(crate) clearance: f64,
    /// How far a point that was not chosen, where there are more than four, may sink, in metres, until it is
    /// deeper than those that were.
    pub(crate) sinkage: f64,
    /// Triangles that no face of the shape is over, with the side they were seen from in the last
    /// bit.
    pub(crate) beside: Vec<u32>,
    /// Whether a normal is not that of a face.
    pub(crate) has_edges: bool,
    /// A face of the shape, in the surface's frame, and which one it is.
    pub(crate) incident: (u32, Vec<Corner>),
    /// Where the next support search along a normal starts.
    pub(crate) hint: u32,
    /// Clipping buffers.
    pub(crate) polygon: Vec<Corner>,
    /// See `polygon`.
    pub(crate) clipped: Vec<Corner>,
    /// Places of candidates by their ids.
    pub(crate) table: Vec<u32>,
    /// Candidates with what they are sorted by.
    pub(crate) turns: Vec<(f64, u32, Candidate)>,
}

impl Default for Gather {
    fn default() -> Self {
        Self {
            margin: 0.0,
            size: 0.0,
            simd: SimdLevel::Auto,
            candidates: Vec::new(),
            groups: Vec::new(),
            faced: Vec::new(),
            clearance: f64::INFINITY,
            sinkage: f64::INFINITY,
            beside: Vec::new(),
            has_edges: false,
            incident: (NO_HINT, Vec::new()),
            hint: NO_HINT,
            polygon: Vec::new(),
            clipped: Vec::new(),
            table: Vec::new(),
            turns: Vec::new(),
        }
    }
}

impl Gather {
    /// Starts over for another pair.
    pub(crate) fn begin(&mut self, margin: f64, size: f64, simd: SimdLevel) {
        self.margin = margin;
        self.size = size;
        self.simd = simd;
        self.candidates.clear();
        self.groups.clear();
        self.faced.clear();
        self.clearance = f64::INFINITY;
        self.sinkage = f64::INFINITY;
        self.beside.clear();
        self.has_edges = false;
        self.incident.0 = NO_HINT;
        self.hint = NO_HINT;
    }

    /// What is left out stays out until the shape moves this far.
    #[inline]
    pub(crate) fn leave_out(&mut self, clearance: f64) {
        self.clearance = self.clearance.min(clearance.max(0.0));
    }

    /// Adds a point if it is within the margin.
    pub(crate) fn add(&mut self, on_b: DVec3, separation: f64, features: (Feature, Feature)) {
        if separation <= self.margin {
            self.candidates.push(Candidate {
                on_a: on_b,
                on_b,
                separation,
                features,
            });
        } else {
            self.leave_out(separation - self.margin);
        }
    }

    /// Makes the candidates from `first` on a group of their own, if there are any.
    pub(crate) fn close(&mut self, first: usize, normal: DVec3) {
        let made = &self.candidates[first..];
        if made.is_empty() {
            return;
        }
        let least = made
            .iter()
            .fold(f64::INFINITY, |least, c| least.min(c.separation));
        self.groups.push(Group {
            normal,
            first,
            count: made.len(),
            weight: self.margin - least,
            is_taken: false,
        });
    }
}
