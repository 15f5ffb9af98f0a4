//! Files about one pair of shapes: what they are, where they stand, how one of them moves.
//!
//! The same reader and the same shapes as for scenes, with another table
//! ([`crate::schema::PAIR_QUERY`]).
//!
//! ```
//! use drystone_scene::pair::PairQuery;
//!
//! let query = PairQuery::parse(
//!     r#"(
//!         format: 1,
//!         a: (shape: Box(half_extents: (1, 1, 1))),
//!         b: (shape: Sphere(radius: 0.5), position: (3, 0, 0)),
//!     )"#,
//!     "example.ron",
//! )?;
//! assert_eq!(query.poses_of_b().count(), 1);
//! # Ok::<(), drystone_scene::SceneErrors>(())
//! ```

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use drystone::Shape;
use drystone::geometry::glam::{DQuat, DVec3};
use drystone::geometry::{Frame, Hull, rotation};

use crate::decode::Name;
use crate::diagnostic::{Excerpt, LoadError, SceneErrors, Sink};
use crate::solid_file::{self, Mistakes};
use crate::{decode, files, syntax};

/// Two shapes, how they move and what is asked of them.
#[derive(Clone, Debug, PartialEq)]
pub struct PairQuery {
    /// Why the pair is of interest.
    pub about: String,
    /// One shape.
    pub a: PairBody,
    /// The other shape.
    pub b: PairBody,
    /// What is asked.
    pub ask: PairQuestion,
    /// How `b` moves.
    pub motion: PairMotion,
}

/// A shape where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct PairBody {
    /// The shape, in its own frame. Convex.
    pub shape: Shape,
    /// Where its origin is, in metres.
    pub position: DVec3,
    /// How it is turned; unit.
    pub rotation: DQuat,
}

/// What is asked of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PairQuestion {
    /// The signed distance.
    Distance,
    /// The points of contact.
    Contact {
        /// A point is made when its separation is at most this, in metres.
        margin: f32,
    },
    /// Where a ray enters either shape; in the frame of the file, in metres.
    Ray {
        /// Where it starts.
        from: DVec3,
        /// Where it ends; elsewhere.
        to: DVec3,
    },
    /// When `b`, moving straight, first touches `a`.
    Cast {
        /// How far it moves until time 1, in metres.
        shift: DVec3,
        /// The distance that counts as touching, in metres.
        target: f64,
    },
    /// When both, moving and turning, first touch.
    Motion {
        /// What `a` does.
        a: PairPath,
        /// What `b` does.
        b: PairPath,
        /// The distance that counts as touching, in metres.
        target: f64,
    },
}

/// What a shape does until time 1 of a cast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairPath {
    /// How far the point `about` moves, in metres.
    pub shift: DVec3,
    /// Axis times angle of the turn round it, in radians.
    pub spin: DVec3,
    /// In the shape's own frame, in metres.
    pub about: DVec3,
}

impl PairPath {
    /// Nothing moves.
    pub const REST: Self = Self {
        shift: DVec3::ZERO,
        spin: DVec3::ZERO,
        about: DVec3::ZERO,
    };
}

/// What the second shape does from one frame to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairMotion {
    /// How many poses are asked about.
    pub frames: u64,
    /// By how much it moves a frame, in metres.
    pub shift: DVec3,
    /// By how much it turns a frame, about its own origin; unit.
    pub turn: DQuat,
}

impl PairMotion {
    /// One frame: nothing moves.
    pub const NONE: Self = Self {
        frames: 1,
        shift: DVec3::ZERO,
        turn: DQuat::IDENTITY,
    };
}

impl PairBody {
    fn frame(&self) -> Frame {
        Frame {
            rotation: rotation::to_dmatrix(self.rotation),
            translation: self.position,
        }
    }
}

impl PairQuery {
    /// Reads a file about a pair.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        let (text, file) = files::load(path.as_ref())?;
        Ok(Self::parse(text, &file)?)
    }

    /// Reads a pair from its text. `file` is the path shown in errors; files of hulls are
    /// looked for beside it.
    pub fn parse(text: impl Into<String>, file: &str) -> Result<Self, SceneErrors> {
        let sink = Sink::default();
        let sources = files::single(file, text.into(), &sink);
        let mut from_disk = |path: &str| files::read(Path::new(path));
        let read: RefCell<files::Read<'_>> = RefCell::new(&mut from_disk);
        let beside = |name: &Name| files::bytes_beside(&sources, &read, name);
        let query = if sink.is_empty() {
            syntax::parse(sources.text(0), 0, &sink)
                .and_then(|value| decode::pair_query(&value, &beside, &sink))
        } else {
            None
        };
        match query.filter(|_| sink.is_empty()) {
            Some(query) => Ok(query),
            None => Err(sink.into_errors(&sources)),
        }
    }

    /// The pair of the hulls of two OBJ or STL files. `b` stands at `position`, turned by
    /// `rotation`, which need not be unit.
    pub fn of_hulls(
        a: &Path,
        b: &Path,
        position: DVec3,
        rotation: DQuat,
    ) -> Result<Self, LoadError> {
        let (a, b) = match (hull(a), hull(b)) {
            (Ok(a), Ok(b)) => (a, b),
            // What is wrong with both is told at once.
            (Err(LoadError::Invalid(mut errors)), Err(LoadError::Invalid(others))) => {
                errors.errors.extend(others.errors);
                errors.more += others.more;
                return Err(LoadError::Invalid(errors));
            }
            (Err(error), _) | (_, Err(error)) => return Err(error),
        };
        Ok(Self {
            about: String::new(),
            a: PairBody {
                shape: a,
                position: DVec3::ZERO,
                rotation: DQuat::IDENTITY,
            },
            b: PairBody {
                shape: b,
                position,
                rotation: unit(rotation),
            },
            ask: PairQuestion::Distance,
            motion: PairMotion::NONE,
        })
    }

    /// The pose of `a`.
    pub fn frame_of_a(&self) -> Frame {
        self.a.frame()
    }

    /// The poses of `b`, frame by frame.
    pub fn poses_of_b(&self) -> impl Iterator<Item = Frame> + '_ {
        let mut turned = self.b.rotation;
        (0..self.motion.frames).map(move |frame| {
            if frame > 0 {
                turned = unit(product(self.motion.turn, turned));
            }
            Frame {
                rotation: rotation::to_dmatrix(turned),
                translation: self.b.position + frame as f64 * self.motion.shift,
            }
        })
    }
}

/// The hull of the points of an OBJ or STL file.
fn hull(path: &Path) -> Result<Shape, LoadError> {
    let file = path.display().to_string();
    let bytes = match files::read(path) {
        Ok(bytes) => bytes,
        Err(reason) => return Err(LoadError::Unreadable { path: file, reason }),
    };
    let points =
        solid_file::points(&file, &bytes, 1.0).map_err(|found| mistakes(&file, &bytes, found))?;
    match Hull::new(&points) {
        Ok(hull) => Ok(Shape::Hull(Arc::new(hull))),
        Err(error) => Err(LoadError::Unusable {
            path: file,
            reason: error.to_string(),
        }),
    }
}

/// Mistakes of a file that no other one names, at their places in it.
fn mistakes(file: &str, bytes: &[u8], found: Mistakes) -> LoadError {
    let mut errors = SceneErrors {
        errors: Vec::new(),
        more: found.more,
    };
    for mistake in found.first {
        let Some(place) = mistake.place else {
            return LoadError::Unusable {
                path: file.to_owned(),
                reason: format!("{}; {}", mistake.message, mistake.help),
            };
        };
        let (message, help) = (mistake.message, Some(mistake.help.to_owned()));
        let excerpt = Excerpt::of(bytes, place);
        let error = excerpt.diagnostic(file.to_owned(), "hull-file", message, help);
        errors.errors.push(error);
    }
    LoadError::Invalid(errors)
}

/// A quaternion of length one; none for one without length.
pub fn unit(q: DQuat) -> DQuat {
    let [x, y, z, w] = q.to_array();
    let length = (x * x + y * y + z * z + w * w).sqrt();
    if length > 0.0 && length.is_finite() {
        DQuat::from_xyzw(x / length, y / length, z / length, w / length)
    } else {
        DQuat::IDENTITY
    }
}

/// First `b`, then `a`.
pub fn product(a: DQuat, b: DQuat) -> DQuat {
    let (u, v) = (DVec3::new(a.x, a.y, a.z), DVec3::new(b.x, b.y, b.z));
    let vector = a.w * v + b.w * u + u.cross(v);
    DQuat::from_xyzw(vector.x, vector.y, vector.z, a.w * b.w - u.dot(v))
}
