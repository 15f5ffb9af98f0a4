//! Every limit and threshold of this crate, each with its unit and reason.

/// Most poses of a pair that one file may ask about, a count.
pub const MAX_PAIR_FRAMES: u64 = 100_000;

/// Area of a triangle of a fan, as a ratio of that of the polygon it is part of, up to which it counts
/// as none: what single precision makes of corners on a straight side.
pub(crate) const FAN_SLACK: f64 = 1e-6;

/// Corners of a polygon from which a fan is tried; a count. Bounds the time for hostile files.
pub(crate) const MAX_FAN_STARTS: usize = 64;

/// Largest scene file, in bytes: a count. Guards memory against hostile files; a scene of
/// 100,000 bodies written out one by one needs 8 MB.
pub const MAX_FILE_BYTES: usize = 32 << 20;

/// Most files one scene may read through `include`, a count.
pub const MAX_FILES: usize = 64;

/// Deepest nesting of brackets, a count. Keeps the reader's stack small.
pub const MAX_DEPTH: usize = 64;

/// Most bodies a scene may expand to, a count; so that a slip in a `count` cannot eat the
/// memory.
pub const MAX_BODIES: usize = 2_000_000;

/// Most joints a scene may expand to, a count, for the same reason: four to a body.
pub const MAX_JOINTS: usize = 4 * MAX_BODIES;

/// Most prefabs a scene may place, a count; empty ones take time too.
pub const MAX_PLACED: usize = MAX_BODIES;

/// Mistakes of a scene up to which a word is looked for that was meant, a count: a search among
/// all names of a large scene takes long.
pub(crate) const MAX_SUGGESTIONS: usize = 100;

/// Most cells of a mesh or height field that a scene makes by a rule, a count: 240 MB.
pub const MAX_GRID_CELLS: u64 = 2_000_000;

/// Deepest nesting of prefabs in prefabs, a count.
pub const MAX_PREFAB_DEPTH: usize = 16;

/// Errors shown of one scene, a count; the rest is only counted.
pub const MAX_SHOWN_ERRORS: usize = 20;

/// Errors kept of one scene, a count; reading goes on, but nothing more is stored.
pub const MAX_KEPT_ERRORS: usize = 1000;

/// Farthest coordinate a scene file may name, in metres: twice the distance to the Moon.
pub const MAX_COORDINATE: f64 = 1e9;

/// Largest extent a shape may have, in metres: larger than any planet's floor tile.
pub const MAX_LENGTH: f64 = 1e7;

/// Smallest extent a shape may have, in metres.
pub const MIN_LENGTH: f64 = 1e-5;

/// Fastest speed a scene file may name, in m/s.
pub const MAX_SPEED: f64 = 1e6;

/// Fastest angular speed, motor speed or phase a scene file may name, in rad/s or rad.
pub const MAX_SPIN: f64 = 1e4;

/// Largest acceleration of free fall a scene file may name, in m/s^2.
pub const MAX_ACCELERATION: f64 = 1e6;

/// Latest time and longest duration a scene file may name, in seconds: eleven days.
pub const MAX_TIME: f64 = 1e6;

/// Latest step a scene file may name, and most steps of a run, a count.
pub const MAX_STEPS: u64 = 1_000_000_000;

/// Largest factor, friction coefficient or decay rate a scene file may name, a ratio or 1/s.
pub const MAX_FACTOR: f64 = 1e6;

/// Highest frequency of a spring, in hertz, which is 1/s.
pub const MAX_HERTZ: f64 = 1e4;

/// Largest torque a scene file may name, in newton metres.
pub const MAX_TORQUE: f64 = 1e15;

/// Largest turn a scene file may name, in degrees.
pub const MAX_DEGREES: f64 = 1e6;

/// Largest density a scene file may name, in kg/m^3: past that of white dwarfs.
pub const MAX_DENSITY: f64 = 1e9;

/// Largest moment of inertia a scene file may name, in kg m^2; the world checks it again.
pub const MAX_INERTIA: f64 = 1e20;

/// Largest number an expectation may be measured against or a direction may consist of, in
/// whatever unit it has.
pub const MAX_MEASURED: f64 = 1e30;

/// Largest mass a scene file may name, in kg.
pub const MAX_MASS: f64 = 1e15;

/// Smallest mass a scene file may name, in kg: smaller ones make inverse masses overflow
/// in products.
pub const MIN_MASS: f64 = 1e-12;

/// Smallest length of a quaternion or an axis that still says a direction, a ratio to one.
pub const MIN_DIRECTION_LENGTH: f64 = 1e-6;

/// Part of a velocity on an axis that is locked up to which it is the rounding of a prefab that was
/// turned: ratio of the speed.
pub const TURNED_SLACK: f32 = 1e-6;

/// How far the length of a written quaternion may be off one and still be taken as it
/// stands, a ratio: the rounding of four `f32` parts. Anything else is scaled.
pub const UNIT_LENGTH_SLACK: f64 = 1e-6;

/// How far a listed hull point may lie beyond a listed face before the hull counts as not
/// convex, a ratio to the size of the hull.
pub const CONVEX_SLACK: f64 = 1e-5;

/// Distance from the origin, in metres, beyond which a run counts as diverged.
pub const DIVERGED_DISTANCE: f64 = 2e9;

const _: () = assert!(MAX_COORDINATE < DIVERGED_DISTANCE);
const _: () = assert!(MIN_LENGTH < MAX_LENGTH);
