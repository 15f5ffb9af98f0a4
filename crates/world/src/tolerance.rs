//! Every tolerance and limit of the world.

use drystone_geometry::tolerance::{CONTACT_MARGIN, RESTING_OVERLAP};

/// Largest component of a velocity, force, gravity or local position that is accepted, in
/// m/s, newton, m/s^2 or metres: far beyond use, and its square still fits an f32.
pub const MAX_INPUT: f32 = 1e15;

/// Largest world coordinate, in metres. An f64 resolves 0.1 mm there.
pub const MAX_COORDINATE: f64 = 1e12;

/// Largest coordinate that a body gets to, in metres: its centre of mass may be as far from its
/// position as that from the origin, and the fastest body takes eight years from there.
pub const MAX_REACHED_COORDINATE: f64 = 3.0 * MAX_COORDINATE;

/// How fast the pace at which contacts remove overlap becomes that of shorter sub-steps; a ratio, of the
/// length of sub-steps to time. From four sub-steps of a sixtieth of a second that takes a twelfth of a second.
/// Four times as fast, a stack of ten cubes moved twice as fast when its steps became three times as short.
pub const PACE_FADING: f32 = 0.05;

/// Most that impulses grow by with the sub-step, a ratio, where bodies are awake. Without it, cubes that
/// fall on a stack in steps of 1/600 s and 1/60 s in turns are thrown up at up to 9 m/s, with it at 2.2 m/s; in equal
/// steps at 2.0.
pub const MOST_IMPULSE_GAIN: f32 = 2.0;

/// Ratio to the distance of the farthest point of a contact: how far along the rim of a cap the point
/// it stands on may be led at most. Beyond, the cap is nearly level, and that point runs round faster
/// than a step can follow; and corners that are farther apart are points of the contact themselves.
pub const MAX_RIM_LEAD: f64 = 0.3;

/// Most that curved bodies are seen to turn against each other ahead of a contact, in radians. What turns
/// farther in half a step comes by any radius on its way.
pub const MAX_BEND_LEAD: f32 = 0.5;

/// Count of the corners of the smallest prism whose caps have more than a contact looks at one by one.
pub const MANY_CORNERS: usize = 18;

/// Smallest squared length of a quaternion that still has a direction; a ratio.
pub const MIN_QUATERNION_LENGTH_SQ: f32 = 1e-12;

/// Cosine of the steepest angle between a contact normal and the way up of a one-way
/// platform at which the platform holds; a ratio.
pub const ONE_WAY_COSINE: f32 = 0.7;

/// Times a mover bends its way around what it meets in a step (count).
pub const MOVER_BENDS: usize = 5;

/// Share of a fall, a ratio, below which a mover that falls farther than its skin in a step counts as
/// held. Frictionless slopes down to two degrees let it fall by more.
pub const MOVER_WEDGED: f32 = 0.001;

/// What is left of a mover's way after a bend over its skin, below which it stands; a ratio.
pub const MOVER_REST: f64 = 0.01;

/// Overlaps a mover leaves in a step (count).
pub const MOVER_ROUNDS: usize = 4;

/// Room that a mover which fits nowhere keeps to what it is in, over its skin; a ratio.
pub const MOVER_SQUEEZE: f32 = 0.25;

/// Most by which such a mover looks ahead with a thinner capsule, over its radius; a ratio.
pub const MOVER_THINNEST: f32 = 0.5;

/// How far the squared length of a stored rotation may be from 1; a ratio. Stepping keeps it
/// much closer.
pub const UNIT_QUATERNION_ERROR: f32 = 1e-3;

/// Smallest mass in kg or moment in kg m^2 whose inverse is an ordinary f32.
pub const MIN_MASS: f32 = 1e-20;

/// Largest mass in kg or moment in kg m^2 whose inverse is an ordinary f32.
pub const MAX_MASS: f32 = 1e20;

/// How far a principal moment of inertia may exceed the sum of the other two, as a ratio: thin plates
/// are at the limit, and moments written with three digits may be beyond it by their rounding.
pub const MOMENT_SLACK: f32 = 0.01;

/// Contact margin as a ratio of the smaller shape's extent, where that is less than
/// the free contact margin: a gap that looks small beside the shapes.
pub const MARGIN_TO_EXTENT: f32 = 0.1;

/// Start of the state hash; no unit. The first 64 fractional bits of the golden ratio.
pub(crate) const HASH_SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// Odd multiplier of the state hash; no unit. The first 64 fractional bits of pi, made odd.
pub(crate) const HASH_MULTIPLIER: u64 = 0x243f_6a88_85a3_08d3;

/// Way of two bodies past each other in a step, as a ratio of the inner radius of the thinner one,
/// above which they are swept where both are pushed. From a half on its centre might be beyond what
/// it runs into when the narrow phase first sees that; bodies that pour into each other are the
/// deeper the later they are swept, and below a third sweeps cost more than they save.
pub const FAST_SHARE: f32 = 0.35;

/// Least way of a centre in a step that is looked at where the body is on a surface, as a ratio of the
/// radius of its core: a thousandth of a millimetre of a coin, and more than bodies at rest do.
pub const HOLD_STILL: f32 = 1e-3;

/// Radius of a core as a ratio of the distance of the centre from a surface, at most: it touches
/// nothing as it starts, by more than the gap at which sweeps end.
pub const HOLD_ROOM: f32 = 0.75;

/// Share of what a core lacks of its radius, so near is the surface, by which it is lifted when it is
/// held; a ratio. Without it what is held again and again comes ever nearer.
pub const HOLD_LIFT: f32 = 0.2;

/// Times the way of a core is changed by what is in it, the last time cut (count). Two are usual, and
/// three in a corner.
pub const HOLD_PASSES: usize = 5;

/// Radius of a core as a ratio of that of the time before: what has changed the way is not touched
/// again.
pub const HOLD_SHRINK: f32 = 0.8;

/// Turn within a step, in radians, up to which a body that is pushed is a wall to a bullet: what turns
/// by half a turn and more has gone round an unknown way.
pub const HOLD_TURN: f64 = 2.0;

/// How far from one that is gone a point of a contact takes over its load, as a ratio of the contact
/// margin. Features change names where they lie on each other, which is nearer than that.
pub const SAME_PLACE: f32 = 0.01;

/// The same on round sides and rims, as a ratio of their radius: more than corners that stand for a
/// rim are apart, which is 0.2.
pub const ROUND_PLACE: f32 = 0.3;

/// Cosine, a ratio, of the angle between normals up to which contacts of two bodies act as one:
/// 2 degrees, more than faces that rest on each other lean.
pub const MERGED_COSINE: f32 = 0.9994;

/// How far the gap at a contact may be off that which another one of the same bodies has there, for
/// both to act as one, as a ratio of the contact margin: more than rounding, and a recess so flat is
/// none.
pub const MERGED_GAP: f32 = 0.01;

/// Width of a contact over its length, a ratio, up to which it is a line that tells nothing of how
/// the gap grows across.
pub const MERGED_WIDTH: f64 = 1e-3;

/// Gap between shapes of one body, as a ratio of the contact margin, over which their faces go on:
/// a millimetre between stones.
pub const SEAM_GAP: f32 = 0.05;

/// The same as a ratio of the inner radius: what is thin has small gaps.
pub const SEAM_GAP_TO_RADIUS: f32 = 0.1;

/// Radius of the ball that rolls from the one face onto the other over a seam, as a ratio of the gap
/// there: faces that meet at more than 13 degrees it touches both.
pub const SEAM_SIGHT: f32 = 40.0;

/// Gap at which a sweep ends, as a ratio of the contact margin: well within it, so that the
/// contact of that moment has points, and well above the sweep's own rounding.
pub const SWEEP_TARGET: f32 = 0.1;

/// Chords drawn to find when what comes to a mesh or height field gets there (count): gaps close at
/// nearly steady speeds, and what is left is far below the error of levers that are taken from it.
pub const LANDING_ROUNDS: usize = 4;

/// Angle by which the normal of a contact of round shapes has to turn until its gap is closed before it is
/// looked at how they will touch, in radians, about: a third of a degree.
pub const GLANCE_TURN: f32 = 0.005;

/// The same where nothing bounces, in radians: what stays together does not leave along that normal,
/// and with a third of a degree contacts in a falling pile of 4,000 balls took twice the time.
pub const DULL_GLANCE_TURN: f32 = 0.1;

/// Least way in a step that a contact has to take from bodies before it is looked at whether they
/// would pass each other, as a ratio of the contact margin: above what bodies at rest do, and a hop
/// of a few micrometres at most.
pub const GRAZE_BUMP: f32 = 0.005;

/// Share of the speed past each other that a contact may take from bodies before the same is
/// looked at; a ratio. A sub-step is short, so a way of micrometres taken in one may be more.
pub const GRAZE_LOSS: f32 = 1e-3;

/// Way in a step, in metres, up to which a body that others push rests: three millimetres a second at 60 Hz.
pub const GRAZE_REST: f32 = 5e-5;

/// Square of the greatest way by which the surface of a body that others push turns in a step, as a ratio to
/// the way past it, at which it counts as ground: looking at all that tumbles together would cost a third of
/// the step of washer.
pub const GRAZE_CALM_SQ: f32 = 0.01;

/// Least way of bodies past each other in a step, as a ratio of the contact margin, at which it is
/// looked at whether they would pass: what is slower does not hop by a tenth of a millimetre.
pub const GRAZE_WAY: f32 = 0.05;

/// Square of the share of [`GRAZE_WAY`] from which on it is looked at all the same where a contact stands in
/// the way like a wall, a ratio: a micrometre a step, which is more than what leans on a wall moves by.
pub const GRAZE_CREEP_SQ: f32 = 1e-6;

/// Square of the cosine between a normal and a way above which the one is along the other, and between a
/// normal and gravity below which it is a wall's; a ratio.
pub const WALL_COSINE_SQ: f32 = 0.25;

/// Share of their way by which bodies that pass each other may still come nearer at its end; a
/// ratio. More is an impact.
pub const GRAZE_SLOPE: f64 = 0.25;

/// Greatest share of what a contact takes from the way of shapes that may be true, so that they
/// overlap at its end, when they still count as passing; a ratio.
pub const GRAZE_TRUTH: f64 = 0.5;

/// Overlap that shapes which pass each other may come to, as a ratio of the contact margin: that
/// between shapes at rest.
pub const GRAZE_DEPTH: f32 = RESTING_OVERLAP / CONTACT_MARGIN;

/// The same as a ratio of the smaller inner radius: what passes a thin plate is not through it.
pub const GRAZE_DEPTH_TO_RADIUS: f32 = 0.1;

/// Depth of a point in a shape, as a ratio of the overlap that shapes which pass may come to, that
/// tells without a search that they overlap by more: above it by f32 rounding of anchors on a large
/// floor.
pub const GRAZE_SURELY: f64 = 1.1;

/// Most faces of a hull in which a point is looked for so; a count.
pub const GRAZE_FACES: usize = 32;

/// Moments looked at to find where shapes that pass each other are nearest (count). What is
/// most level then has to do.
pub const GRAZE_ROUNDS: usize = 8;

/// Cosine of the angle between the normals of a contact with a surface and of one of its triangles up
/// to which the contact may stem from it: the narrow phase puts together what is within 5 degrees.
pub const GRAZE_ALIKE: f64 = 0.98;

/// Its sine, rounded up; a ratio.
pub const GRAZE_STEEP: f64 = 0.2;

/// How much higher than the lowest a point may end up that has a say in which way a contact pushes in a
/// bowl, as a ratio of the contact margin: half a millimetre at 1 m.
pub const RISE_SPAN: f64 = 0.1;

/// Squared sine below which a normal counts as the same, or as level; a ratio. At 30 m/s it makes
/// a hop of half a millimetre.
pub const GRAZE_TURN_SINE_SQ: f64 = 1e-6;

/// Boxes of awake bodies that end in a step above which all get new ones, as a ratio: searching so
/// many among the rest takes about as long as searching all, which the others need not be in the
/// step after.
pub const TOGETHER_SHARE: f32 = 0.4;

/// Cosine of the angle between the pull of a contact and the way from a body's centre to its point up to
/// which the body hangs there; a ratio. A log on a wavy ground is pulled at by what is far aside, slowly.
pub const HANGING_COSINE: f32 = 0.5;

/// Tangent, a ratio, of the angle by which a normal is tilted to and fro to find the two corners of an edge
/// that it belongs to.
pub const EDGE_TILT: f64 = 1e-3;

/// Sine of the angle between two edges from which on they count as crossing; a ratio. What is nearer to
/// parallel has two points.
pub const CROSSING_SINE: f32 = 0.1;
