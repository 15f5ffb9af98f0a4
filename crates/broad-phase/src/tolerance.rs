//! The numbers the broad phase was tuned with. None is a length: all scale with the boxes.

/// Growth of a fat box on every side: ratio of the longest edge of the tight box. A larger
/// one searches less often and makes more pairs that do not touch.
pub const MARGIN: f64 = 1.0 / 16.0;

/// The most a fat box grows on every side: ratio of the shortest edge, so that a 1 km floor
/// 1 m thick does not grow by metres.
pub const MAX_THIN_MARGIN: f64 = 0.5;

/// The most a fat box is drawn out along the expected motion: ratio of the longest edge. A
/// faster body leaves its fat box at every step whatever its length, and a longer box would
/// only pair with more.
pub const MAX_LEAD: f64 = 4.0;

/// A fat box is made anew once it is longer along some axis than a fresh one: ratio of the
/// margin, or of the lead where that is longer.
pub const EXCESS: f64 = 4.0;

/// Smallest level of the grid, as the power of two of its cell edge in metres (count of
/// doublings). Smaller boxes share it.
pub const LEVEL_MIN: i32 = -24;

/// Largest level of the grid, as the power of two of its cell edge in metres (count of
/// doublings). Larger boxes are kept on a list of their own.
pub const LEVEL_MAX: i32 = 40;

/// Cells a level may have from the origin along an axis, as a power of two (count of
/// doublings). Small boxes farther out than that go to a coarser level.
pub const REACH_BITS: i32 = 30;

/// Steps a cell edge is divided into for the bounds of fat boxes, as a power of two (count of
/// doublings). A brick of 4 cells and a cell around it must fit 16 bits.
pub const STEP_BITS: i32 = 12;

/// Partners up to which a proxy keeps a plain sorted list (count); with more it gets a tree.
pub const LIST_MAX: usize = 64;

/// Partners below which the tree becomes a list again (count).
pub const HUB_MIN: usize = 32;

/// What testing a box costs in the search for one member alone, beside the way to its cell: ratio.
pub const TESTING: f32 = 0.04;

/// What loading a box costs that several members are searched against, beside the way to its
/// cell: ratio.
pub const LOADING: f32 = 0.16;

/// What finding a member's partners among loaded boxes costs, beside the way to a cell: ratio.
pub const FINDING: f32 = 1.7;

/// The most cells that are looked up by their coordinates to find what is around some boxes; more
/// are found by walking down the trees (count).
pub const MOST_LOOKUPS: i32 = 64;

/// The most layers of cells of a cast on all levels whose cells are looked up; longer ones walk
/// down trees (count).
pub const MOST_LAYERS: f64 = 16.0;

/// Cells that a question looks up before it looks at their boxes (count). They are few: who looks
/// for one hit often has it by then.
pub const MOST_FOUND: usize = 8;

/// How far along its way a cast may meet boxes that are looked up, as a power of two in edges of their
/// cells (count of doublings): what rounding moves it by there is far less than a step.
pub const NEAR_BITS: i32 = 36;

/// Candidates above which they are sorted into bins instead of testing all (count).
pub const SWEEP_MIN: usize = 96;

/// Members from which candidates are sorted into bins: fewer are tested against all candidates
/// in less time than it takes to sort those (count).
pub const SWEEP_MEMBERS: usize = 12;

/// Width of a bin of candidates along the axis of columns, in steps, as a power of two (count
/// of doublings), unless their number asks for another.
pub const BIN_BITS: u32 = 10;

/// Width of a column of bins, in steps, as a power of two (count of doublings), when bins are
/// as wide as `BIN_BITS`.
pub const COLUMN_BITS: u32 = 12;

/// The narrowest bins, in steps, as a power of two (count of doublings).
pub const BIN_BITS_MIN: u32 = 4;

/// The widest bins, in steps, as a power of two (count of doublings): one holds everything.
pub const BIN_BITS_MAX: u32 = 16;

/// Moved proxies a parallel task searches at least (count). It depends on nothing else, so
/// results do not depend on threads.
pub const TASK_MEMBERS: usize = 256;

/// Boxes of a tile when most boxes moved and tiles of cells are searched one by one (count).
/// More of them share more of what lies around, fewer stay in the cache.
pub const TILE_BOXES: usize = 4096;

/// The most cells of a tile along an axis (count). Its boxes and those that touch them, in cells
/// beside it, must fit 16 bits of steps from its middle.
pub const TILE_CELLS: u32 = 12;

/// Moved boxes of a grid from which all of its boxes are searched, as they lie, instead of
/// those that moved: ratio of the boxes.
pub const MOST: f32 = 0.65;

/// The same for a grid of hardly any boxes (count).
pub const MOST_LEAST: usize = 32;

/// Moved proxies below which the grid is not stored anew in spatial order (count).
pub const REORDER_MIN: usize = 256;

/// Moves after which what holds all boxes of a grid is made anew (count for each box). Going through
/// them costs a tenth of a move.
pub const LOOSE_MOVES: usize = 4;

/// Boxes a parallel task places or looks up (count).
pub const TASK_BOXES: usize = 4096;

/// Boxes a parallel task compares with their fat boxes (count). The new ones of those that left
/// them stay in the nearest cache until they are entered.
pub const TASK_MOVES: usize = 256;

/// Parallel tasks of boxes that are placed before they are entered, when many come at once
/// (count). It bounds the room they wait in.
pub const WAVE_TASKS: usize = 16;

/// Ways shorter than the reciprocal of this power of two, in metres, count as none (count of
/// doublings).
pub const STILL_BITS: i32 = 500;

/// Of longer ways than this power of two, in metres, only so much is followed through boxes that end
/// (count of doublings): 1e25 m, far beyond all of them.
pub const WAY_BITS: i32 = 83;

/// Fractions of a way, in `f32`, to a step or to what rounding takes away, beyond which a cast
/// counts as still (ratio).
pub const STILL: f64 = 1e15;

/// Growth of the limit of a cast for what its rounding to `f32` may take away: ratio.
pub const LIMIT_SLACK: f64 = 1e-6;

/// What rounding to `f32` takes away of a coordinate in a frame of a wide tree: ratio of the
/// frame, or of the largest coordinate. Rounding both sides of a difference, the difference,
/// its factor and the product is less than a half of this.
pub const FRAME_ROUNDING: f64 = 1.0 / (1 << 20) as f64;

/// Size below which a subtree of a wide tree gets a frame of its own: ratio of the frame it is
/// in. Rounding is then less than a hundredth of the subtree.
pub const FRAME_RATIO: f32 = 1.0 / (1 << 12) as f32;

/// Coordinates in a frame of a wide tree beyond which a point is as far as that, as a power of
/// two in metres (count of doublings).
pub const FAR_BITS: i32 = 100;

/// Doublings of the places along each axis of a frame by which boxes are sorted for a wide tree
/// (count).
pub const CURVE_BITS: u32 = 14;

/// Queries after which a wide tree is built: ratio of the number of boxes. It is what building
/// costs for a box beside what a query then gains.
pub const BUILD_QUERIES: f32 = 0.17;

/// The same for a tree of hardly any boxes (count).
pub const BUILD_QUERIES_LEAST: usize = 4;

/// Queries a parallel task answers (count).
pub const TASK_QUERIES: usize = 16;

/// Boxes whose places in memory are read ahead of their turn (count).
pub const FETCH_AHEAD: usize = 32;

/// Pairs from which they are sorted digit by digit instead of by comparison (count).
pub const RADIX_MIN: usize = 512;

const _: () = assert!(6 << STEP_BITS < i16::MAX as i32);
const _: () = assert!((TILE_CELLS as i32 + 3) << (STEP_BITS - 1) < i16::MAX as i32);
const _: () = assert!(REACH_BITS <= 30);
const _: () = assert!(HUB_MIN < LIST_MAX);
