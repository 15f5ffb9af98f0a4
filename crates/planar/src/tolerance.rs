//! Every number of this crate that is a choice, with its unit and its reason.
//!
//! There is no absolute length among them: all are ratios of the size of the shapes at
//! hand or counts, so an answer scales with its question.

/// Width of a certified interval asked for by default, as a ratio of the pair's size.
/// Thousands of times the rounding of `f64`, so that polygons always meet it.
pub const TOLERANCE: f64 = 1e-11;

/// Rounding a query may gather, as a ratio of the largest coordinate of the pair seen
/// from A. Some forty roundings of one part in 2^53; a certificate is not asked to be
/// narrower than this.
pub const ROUNDING: f64 = 40.0 * f64::EPSILON;

/// Core distance, as a ratio of the pair's size, below which curved cores that could not
/// be certified apart are handed to the expanding polygon: the direction between two
/// support points this close is mostly rounding.
pub const TOUCHING: f64 = 1e-6;

/// Largest coordinate accepted, in metres. Products of two lengths stay finite, and so
/// do the error terms of the exact orientation test.
pub const MAX_COORDINATE: f64 = 1e100;

/// Smallest half-axis, half-extent and radius accepted, in metres, for the same reason.
pub const MIN_LENGTH: f64 = 1e-100;

/// Least length, in metres, that is computed from squares: those of shorter vectors lose digits, or
/// vanish.
pub const LEAST_LENGTH: f64 = 1e-140;

/// Rounding error of a plain orientation determinant, as a ratio of the sum of its two
/// products' magnitudes: (3 + 16 u) u with u = 2^-53, rounded up (Shewchuk 1997).
pub const ORIENTATION_ERROR: f64 = 2.0 * f64::EPSILON;

/// Sine of the angle between two edges below which they count as parallel when the whole
/// range of closest points is asked for. A ratio, and only a report: no decision of a
/// query depends on it.
pub const PARALLEL_SINE: f64 = 1e-12;

/// Half-axes of an ellipse closer than this ratio make it a circle: their difference is
/// below the rounding of the larger one.
pub const CIRCLE_AXES: f64 = 4.0 * f64::EPSILON;

/// Iterations of one query before it is answered by an error (curved shapes) or by the
/// whole Minkowski difference (polygons); a count. Distances need fewer than 40; the
/// depth of two nearly round ellipses around one centre, the worst there is, some 1,000.
pub const MAX_ITERATIONS: u32 = 4096;

/// Supports of a search taken from scratch before each is sought from the last one; a count.
/// The first few jump about, and a jump costs twice a search from scratch.
pub const COLD_STEPS: u32 = 2;

/// Vertices of both polygons together from which supports are sought from the last one; a
/// count. With fewer, a search from scratch is as quick and easier to predict.
pub const MANY_VERTICES: u32 = 160;

/// Expansions of the polygon of supports before polygons are handed to the linear merge;
/// a count. Past it the difference is close to a disk around the origin and every edge
/// would be visited, each at the price of two searches.
pub const EXPANSIONS_BEFORE_MERGE: u32 = 64;

/// Steps of a feature walk from the cached pair before it jumps along the last normal;
/// a count. Eight single steps cost what one search from a hint does.
pub const STEPS_BEFORE_JUMP: u32 = 8;

/// Steps of a feature walk after such a jump; a count. A jump lands within a few features
/// or far off, and then a search costs less than walking on.
pub const STEPS_AFTER_JUMP: u32 = 24;

/// Steps of a feature walk before it gives up and the pair is searched from the start;
/// a count. Every step shortens the distance, so only rounding can use them up.
pub const MAX_WALK_STEPS: u32 = 64;

/// Cosine of the largest turn of the normal from one frame to the next that is taken to go
/// on; a ratio. Past it the pair has jumped, and the last normal is the better guess.
pub const MAX_PREDICTED_TURN: f64 = 0.8;

/// Steps of one ray through a rounded difference; a count. Each halves the chord that
/// the ray crosses, so 64 of them resolve every bit of a coordinate.
pub const MAX_CAST_STEPS: u32 = 256;

/// Vertices of an outline in a drawing; a count. More are sampled down to it.
pub const MAX_DRAWN_VERTICES: usize = 720;

/// Points of both polygons of a case up to which they are left unordered; a count. A search
/// scans so few faster than they are put in order.
pub const FEW_POINTS: usize = 64;
