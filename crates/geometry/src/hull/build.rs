//! From points to a hull: triangulate exactly, merge coplanar triangles, and take corners
//! away until every face is a strictly convex polygon.
//!
//! The loop cannot run for ever: a round takes corners away, or forbids some corner to
//! merge by tolerance, or is the last. A corner whose loss would show comes back and stays.

use glam::{DVec3, Vec3};

use super::merge::{self, Flaw, Patches};
use super::order;
use super::quickhull::{self, Mesh};
use super::simplex;
use super::slack::Slack;
use super::surface::Surface;
use super::{Hull, HullError};
use crate::tolerance;

/// Rounds after which corners merge only exactly, which always ends.
const TOLERANT_ROUNDS: usize = 24;

impl Hull {
    /// The convex hull of `points`, in metres, in the shape's own frame.
    ///
    /// Any number of points; duplicates, points inside, on faces and on edges are left out.
    /// Triangles that are coplanar up to the rounding of their `f32` corners become one
    /// face. No point lies further outside than a few units of that rounding
    /// ([`tolerance::FACE_SLACK`] times [`tolerance::LEFT_OUT_SLACK`] of the coordinates).
    /// Up to 64 corners keep the order of the points; more are ordered along a
    /// space-filling curve. The same points in the same order give the same hull.
    ///
    /// # Errors
    ///
    /// Fewer than four points, a coordinate that is not finite or beyond
    /// [`tolerance::MAX_SIZE`], or points that coincide or lie on a line or in a plane, up to
    /// rounding or [`tolerance::THINNEST`] of their spread.
    pub fn new(points: &[Vec3]) -> Result<Self, HullError> {
        Self::with_tolerance(points, 0.0)
    }

    /// Like [`Hull::new`], for points known only to `tolerance` metres (a file with few
    /// digits, say): corners that close to a face's plane belong to it.
    ///
    /// # Errors
    ///
    /// Those of [`Hull::new`], with `tolerance` in place of rounding, and a tolerance that
    /// is negative or not finite.
    pub fn with_tolerance(points: &[Vec3], tolerance: f32) -> Result<Self, HullError> {
        check(points, tolerance)?;
        let distinct = distinct(points);
        let slack = Slack::new(&distinct, f64::from(tolerance));
        let (mesh, patches) = Reduction::new(&distinct, &slack).run()?;
        let stored: Vec<Vec3> = distinct.iter().map(|p| p.as_vec3()).collect();
        Surface::assemble(order::canonical(&stored, &mesh, &patches))
    }
}

fn check(points: &[Vec3], tolerance: f32) -> Result<(), HullError> {
    if !(tolerance >= 0.0 && tolerance.is_finite()) {
        return Err(HullError::BadTolerance { tolerance });
    }
    if points.len() < 4 {
        return Err(HullError::TooFewPoints {
            count: points.len(),
        });
    }
    if points.len() > tolerance::MAX_HULL_POINTS {
        return Err(HullError::TooManyPoints {
            count: points.len(),
        });
    }
    for (index, point) in points.iter().enumerate() {
        if !point.is_finite() {
            return Err(HullError::NotFinite { index });
        }
        let coordinate = point.abs().max_element();
        if coordinate > tolerance::MAX_SIZE {
            return Err(HullError::TooLarge { index, coordinate });
        }
    }
    Ok(())
}

/// The points in `f64` without repetitions, in the order of their first occurrence.
fn distinct(points: &[Vec3]) -> Vec<DVec3> {
    // Adding zero turns -0 into +0, so that equal numbers have equal keys.
    let key = |i: u32| {
        (points[i as usize] + Vec3::ZERO)
            .to_array()
            .map(f32::to_bits)
    };
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_unstable_by_key(|&i| (key(i), i));
    order.dedup_by_key(|i| key(*i));
    order.sort_unstable();
    order
        .into_iter()
        .map(|i| (points[i as usize] + Vec3::ZERO).as_dvec3())
        .collect()
}

/// The search for a set of corners that has clean faces.
struct Reduction<'a> {
    points: &'a [DVec3],
    slack: &'a Slack,
    /// Points looked at: all at first, then the corners of the first hull and what it left
    /// outside.
    candidates: Vec<u32>,
    /// Points that may be corners.
    keep: Vec<bool>,
    /// Points that came back after they were taken away.
    essential: Vec<bool>,
    /// Points around which faces merge only exactly.
    exact: Vec<bool>,
}

impl<'a> Reduction<'a> {
    fn new(points: &'a [DVec3], slack: &'a Slack) -> Self {
        Self {
            points,
            slack,
            candidates: (0..points.len() as u32).collect(),
            keep: vec![true; points.len()],
            essential: vec![false; points.len()],
            exact: vec![false; points.len()],
        }
    }

    fn run(mut self) -> Result<(Mesh, Patches), HullError> {
        for round in 0..TOLERANT_ROUNDS + self.points.len() {
            if round == TOLERANT_ROUNDS {
                self.exact.fill(true);
            }
            let mesh = self.triangulate()?;
            self.note_corners(&mesh, round == 0);
            let patches = merge::grow(&mesh, self.points, self.slack, &self.exact);
            let flaws = merge::flaws(&mesh, self.points, &patches, self.slack, &self.exact);
            if flaws.is_empty() {
                return Ok((mesh, patches));
            }
            if !self.take_away(&flaws) && !self.make_exact(&flaws) {
                return Err(HullError::Unresolved);
            }
        }
        Err(HullError::Unresolved)
    }

    fn triangulate(&self) -> Result<Mesh, HullError> {
        let kept: Vec<u32> = self
            .candidates
            .iter()
            .copied()
            .filter(|&v| self.keep[v as usize])
            .collect();
        if kept.is_empty() {
            return Err(HullError::Unresolved);
        }
        let simplex = simplex::find(self.points, &kept, self.slack)?;
        Ok(quickhull::triangulate(
            self.points,
            &self.candidates,
            &self.keep,
            simplex,
            self.slack,
        ))
    }

    /// Records which points are corners, and which of them came back.
    fn note_corners(&mut self, mesh: &Mesh, first_round: bool) {
        let mut is_corner = vec![false; self.points.len()];
        for triangle in &mesh.triangles {
            for &v in triangle {
                is_corner[v as usize] = true;
            }
        }
        if first_round {
            // What lies inside this hull stays within the slack of every later one.
            let mut stays = is_corner.clone();
            for &v in &mesh.outside {
                stays[v as usize] = true;
            }
            self.candidates.retain(|&v| stays[v as usize]);
        }
        for &v in &self.candidates {
            let v = v as usize;
            self.essential[v] |= is_corner[v] && !self.keep[v] && !first_round;
            self.keep[v] = is_corner[v];
        }
    }

    /// Takes flawed corners away, no two that are neighbours. Says whether there were any.
    fn take_away(&mut self, flaws: &[Flaw]) -> bool {
        let mut fixed = vec![false; self.points.len()];
        let mut gone = vec![false; self.points.len()];
        let mut any = false;
        for flaw in flaws {
            let Flaw::Corner {
                vertex,
                neighbors,
                straight,
            } = flaw
            else {
                continue;
            };
            let v = *vertex as usize;
            // An exact corner with a flaw is redundant exactly: it goes even if essential.
            let is_redundant = self.exact[v] && !straight;
            let may_go = !self.essential[v] || is_redundant;
            let alone = neighbors.is_empty();
            if may_go && (alone || !fixed[v]) {
                self.keep[v] = false;
                any = true;
                // Between the other corners, yet found before them: it would come back for ever.
                gone[v] = self.essential[v] && is_redundant && neighbors.len() < 3;
                for &neighbor in neighbors {
                    fixed[neighbor as usize] = true;
                }
            }
        }
        self.candidates.retain(|&v| !gone[v as usize]);
        any
    }

    /// Lets the corners of all flaws merge only exactly. Says whether that is news.
    fn make_exact(&mut self, flaws: &[Flaw]) -> bool {
        let mut any = false;
        for flaw in flaws {
            let vertices = match flaw {
                Flaw::Corner { vertex, .. } => std::slice::from_ref(vertex),
                Flaw::Fit { vertices } => vertices,
            };
            for &v in vertices {
                any |= !self.exact[v as usize];
                self.exact[v as usize] = true;
            }
        }
        any
    }
}
