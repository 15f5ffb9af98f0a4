//! Every tolerance of the narrow phase. All are ratios or counts: a query means the same
//! at every scale.

/// Ratio to the pair's scale: cores nearer than this are handed from GJK to EPA, which
/// gives touching a sign. A thousand times the rounding of a coordinate.
pub const TOUCHING: f64 = 1e-13;

/// Ratio to the pair's scale: GJK and EPA stop when their two bounds are this close.
pub const CONVERGED: f64 = 1e-15;

/// Ratio to the pair's scale: a certificate wider than this makes `distance` try the
/// features' own normals, and a walk, GJK or EPA whose bounds are wider hands on to the next. A
/// tenth of what `distance` promises.
pub const CERTIFIED: f64 = 1e-12;

/// Squared sine, a ratio, below which a triangle of a simplex counts as a line.
pub const FLAT_TRIANGLE_SINE_SQ: f64 = 1e-24;

/// Ratio of a tetrahedron's height to the pair's scale below which it is flat: it then
/// neither contains the origin nor hides a face.
pub const FLAT_TETRAHEDRON: f64 = 1e-14;

/// Squared sine, a ratio, below which the normal of a triangle is not trusted: GJK mixes
/// the corners instead, EPA takes it in extended precision.
pub const SLIVER_SINE_SQ: f64 = 1e-8;

/// Cosine, a ratio, of the angle between two search directions up to which the second
/// search starts where the first ended: about 14 degrees, two corners of a hull of 1,000.
pub const NEAR_DIRECTION_COSINE: f64 = 0.97;

/// Ratio to the pair's scale: a point this far from a face's plane is on the side that plain
/// arithmetic says; nearer ones are decided exactly.
pub const CERTAIN_SIDE: f64 = 1e-10;

/// Ratio to the pair's scale: a walk takes a rise of this for rounding and an edge or face
/// that rises no more for level. A few units of the rounding of a coordinate.
pub const WALK_ROUNDING: f64 = 1e-15;

/// Count of corners up to which a walk is always short.
pub const ALWAYS_WALKED_CORNERS: usize = 40;

/// Square of the count of corner distances that a pair may turn between two frames for a
/// walk to be shorter than a search, by measurement (`benches/benches/narrow_phase.rs`).
pub const MAX_CROSSED_SQ: f64 = 3.5;

/// Most triangles of a folded face that are looked at for a point over it, a count. Seen along
/// the face's normal the first is the one; only over a fold that is narrow for the point's
/// height there are more, and then the general search answers.
pub const MAX_FOLD_STEPS: usize = 8;

/// Most times the point of a round shape that is farthest is sought anew, a count, as the triangle
/// below it tilts: triangles of a face differ by rounding alone. Bounds hold after any number.
pub const MAX_FOLD_TURNS: usize = 3;

/// Most states a walk looks at, a count. Two frames half a degree apart are 10 apart at
/// 100,000 corners; beyond this a search is quicker.
pub const MAX_WALK_STEPS: u32 = 48;

/// Most states of a walk, a count, after which the next is taken to be short as well: the pose,
/// from which to tell, is not kept then.
pub const SHORT_WALK_STEPS: u64 = 4;

/// Count of states after each of which a walk looks whether to leap along a rim: many walks
/// are shorter, and between two leaps it finds out on which side of the rim it is.
pub const STATES_PER_LEAP: u32 = 3;

/// Count of corners of a rim from which walks and slides leap before they look at their first
/// state: two degrees pass two of them.
pub const LONG_RIM: usize = 400;

/// Count of chords that tell how a rim bends: of a circle, to two parts in a thousand.
pub const RIM_CHORDS: usize = 64;

/// Most steps of Newton's rule, a count, that tell where two rims are nearest: half a degree takes
/// one, a search from elsewhere all of them.
pub const RIM_NEWTON_STEPS: usize = 4;

/// Ratio of the squared corners that a step of Newton's rule passes to the corners of the rim above
/// which another step follows: it may have missed by half a corner.
pub const ROUGH_LEAP_SQ: f64 = 0.08;

/// Least count of corners worth leaping over: a leap takes as long as four states.
pub const MIN_LEAP: f64 = 2.5;

/// Most states, a count, of a walk from a likely place where there are rims to leap along.
pub const RIM_WALK_STEPS: u32 = 64;

/// Times that cores with rims are looked at from outside to find where their least depth may be,
/// a count: each starts from the direction that the one before gave.
pub const APPROACHES: u32 = 3;

/// Ratio to the pair's scale: the gap that is left when cores are looked at from outside. As deep
/// as contacts are, so that the features are about the same.
pub const OUTSIDE_GAP: f64 = 1e-3;

/// Least share of the way from its tip, a ratio, at which a side that narrows to a tip is
/// taken to be met.
pub const LEAST_TIP_SHARE: f64 = 0.05;

/// Ratio to a rim's corners of the most that are leapt over at once.
pub const RIM_LEAP_SHARE: f64 = 0.15;

/// Most states a walk from the farthest corners along a likely direction looks at before
/// GJK takes over, a count: 5 to 15 are usual on round hulls.
pub const PROBE_WALK_STEPS: u32 = 20;

/// Squared sine, a ratio, below which two edges have no facet of the Minkowski difference
/// worth sliding over.
pub const PARALLEL_SLIDE_SINE_SQ: f64 = 1e-12;

/// Most facets a slide to the least depth looks at before EPA takes over, a count. Coherent
/// frames take one to four.
pub const MAX_SLIDE_STEPS: u32 = 128;

/// Ratio to the pair's scale: no direction has a depth less than that of a contact by more.
/// Verdicts below it are the rounding of `f32` poses and corners. For contacts it stands in for
/// [`CERTIFIED`]: bounds of a walk, GJK or EPA may be as wide.
pub const HELD_DEPTH: f64 = 2e-7;

/// Ratio to the pair's scale: cores that overlap by this along the line of their centres are
/// taken to overlap at first.
pub const DEEP_START: f64 = 0.01;

/// Ratio to the smaller shape's size: up to this depth the face that carried a curved contact
/// carries it on while the contact lies over it.
pub const SHALLOW_DEPTH: f64 = 0.02;

/// The same at most, as a ratio of the contact margin: less than the overlap that shapes which rest may
/// keep, as of [`PREFERENCE_TO_MARGIN`].
pub const SHALLOW_TO_MARGIN: f64 = 0.2;

/// Most directions of least depth nearby that are looked at in turn, a count, each better than
/// the one before.
pub const MAX_SLIDES: u32 = 12;

/// Most corners of the Minkowski difference sought to show a depth the least of all, a count:
/// EPA would take longer for fewer.
pub const MAX_CELL_SUPPORTS: u32 = 240;

/// Ratio of the directions that the corners of a facet bound to those that are left to them when
/// a depth is shown to be the least. At the border of all of them the bound is the depth itself,
/// and cells there would never be settled.
pub const RIM_SHARE: f64 = 0.9;

/// Ratio by which a ring of cells may lie farther out where the facet's corners bound the depth
/// that far: 1.5 gives the fewest cells, by measurement.
pub const RING_BULGE: f64 = 1.5;

/// Tangent of half the angle, a ratio, up to which the corners of a facet are asked to bound the
/// depth: about 150 degrees. Beyond it anything does.
pub const FARTHEST_RIM: f64 = 4.0;

/// Tangent of half the angle, a ratio, up to which directions around that of a depth are left out as
/// one that what bends bounds: a right angle. Farther out great circles between directions at one
/// angle lie outside it.
pub const FARTHEST_BENT: f64 = 1.0;

/// Count of shares, each half of the one before, of what bends that are given up for what is tilted
/// out of a facet's plane: more than one in thirty is not to be had.
pub const TILT_SHARES: u32 = 5;

/// Squared ratio of a cell's size to its angle from the direction to be proved, below which
/// another slide starts from the cell instead of cutting it again.
pub const SMALL_CELL_SQ: f64 = 0.008 * 0.008;

/// Most times a cell of directions is cut in two, a count.
pub const MAX_CELL_CUTS: u32 = 40;

/// Ratio to the pair's scale: how close the bounds of a distance between curved shapes come
/// unless another error is asked for.
pub const CURVED_GAP: f64 = 1e-10;

/// Ratio to the pair's scale: how close the bounds of a depth between curved shapes come
/// unless another error is asked for. Where many directions are equally good, the work grows
/// as the inverse of this, or of its square root.
pub const CURVED_DEPTH: f64 = 1e-8;

/// Ratio to the smaller shape's size: how far the witnesses of curved shapes may lie beside each
/// other, or below the surface, before others are looked for. Those of answers that came to
/// their end differ by the square root of [`CURVED_CONTACT`] at most.
pub const WITNESS_ERROR: f64 = 1e-2;

/// Ratio to the smaller shape's size: how close the bounds of a contact between curved shapes
/// come. The normal is off by about its square root.
pub const CURVED_CONTACT: f64 = 1e-8;

/// Most states in which the contact of curved shapes is sought from the last one, a count: from a
/// normal off by a tenth of a radian Newton's method needs four, and one or two for each feature
/// on the way.
pub const MAX_TRACKED_STATES: u32 = 14;

/// Most times that goes to a face nearby along which shapes overlap less, a count.
pub const MAX_ESCAPES: u32 = 3;

/// Turn, in radians, below which the next step of Newton's method is beneath notice: its square
/// is off by the turn it leaves.
pub const SETTLED_TURN: f64 = 0.01;

/// Tangent of half an angle, a ratio, up to which features alone may show a depth to be the least.
pub const FARTHEST_PROVED: f64 = 1e6;

/// Largest turn of one refinement, in radians. Farther out it may lead anywhere.
pub const MAX_REFINING_TURN: f64 = 0.5;

/// Most points EPA adds for curved shapes, a count; running out is reported and leaves a
/// wider interval.
pub const MAX_CURVED_EXPANSIONS: u32 = 1000;

/// The same for contacts, a count.
pub const MAX_CONTACT_EXPANSIONS: u32 = 200;

/// Most steps to the root that gives the foot of a point on an ellipsoid, a count: bisection
/// alone needs as many to pass through all exponents.
pub const MAX_ROOT_STEPS: u32 = 128;

/// Corners of the polygon that stands for a round cap, a count. Four of them carry a cylinder
/// on its end.
pub const CAP_CORNERS: u32 = 32;

/// Cosine, a ratio, of the angle between the axis of a cylinder or cone and a direction up to
/// which its cap faces that way; beyond, its side does.
pub const CAP_COSINE: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Most rounds in which the first of very many edges to rise is sought, a count; then all are
/// looked at. A handful are usual.
pub const MAX_RISING_ROUNDS: u32 = 24;

/// How far from its point nearest to a shape towards its middle a triangle is looked at to tell
/// whether it can be seen from there; a ratio.
pub const HIDDEN_SHARE: f64 = 1.0 / 16.0;

/// Ratio to the size of two shapes: how far above its target the separation may be where a
/// cast ends, unless more is allowed.
pub const CAST_SLACK: f64 = 1e-8;

/// Ratio to the coordinates of a cast, its path included: their rounding, which no separation
/// can be told from zero below.
pub const CAST_ROUNDING: f64 = 1e-13;

/// Most distances that a cast asks for, a count, unless another is given. Straight casts take
/// 2 to 10, turning ones 10 to 40.
pub const MAX_CAST_STEPS: u32 = 256;

/// Cosine, a ratio, of the tilt of a cap beyond which it touches with one point of its rim
/// alone: about 6 degrees.
pub const FLAT_CAP_COSINE: f64 = 0.995;

/// Most GJK steps, a count. Coherent queries take 2 to 4, cold ones 5 to 12, and each step
/// of a polytope pair strictly shortens the vector; running out is reported.
pub const MAX_GJK_STEPS: u32 = 256;

/// Count of steps that only turn GJK's vector, before it ends with what it has.
pub const MAX_STALLED_STEPS: u32 = 6;

/// Count: most pairs of edges that the exhaustive search looks at.
pub const MAX_ENUMERATED_EDGE_PAIRS: usize = 4_000_000;

/// Sine, a ratio, below which two edge directions have no cross product worth using.
/// Leaving the axis out costs less than this share of the size.
pub const PARALLEL_SINE: f64 = 1e-12;

/// Squared sine, a ratio, above which the crossing of two lines alone tells where segments on them
/// are nearest: rounding moves it by ten thousand roundings of a length at most, and the distance
/// there by the square of that. Below it the ends are looked at as well.
pub const CROSSING_SINE_SQ: f64 = 1e-4;

/// Sine, a ratio, up to which the planes of two half-spaces count as parallel: the rounding
/// of `f32` normals.
pub const OPPOSITE_PLANES_SINE: f64 = 1e-6;

/// Ratio to the pair's scale by which an edge axis of boxes must lie under the best face
/// axis to be left out unseen: above the rounding of its quick estimate.
pub const EDGE_ROUNDING: f64 = 1e-13;

/// Squared sine, a ratio, below which two edges or capsules count as parallel and get two
/// points.
pub const PARALLEL_CONTACT_SINE_SQ: f64 = 0.02 * 0.02;

/// Squared sine, a ratio, below which lines on round sides, those of capsules too, and edges beside
/// them get a point at both ends of what they have in common.
pub const ROUND_SIDE_SINE_SQ: f64 = 0.35 * 0.35;

/// Ratio to the radius around two lines: where they are farther aside from each other than this, an
/// end of what they have in common gets no point. The gap there, which is exact for lines in parallel
/// planes, would be told too wide, and the witnesses are deeper in any case.
pub const LINES_ASIDE: f64 = 0.3;

/// Ratio to the smaller shape's size: an edge axis must beat the best face axis by this to
/// become the contact normal, and a reference face the face used in the last frame. Keeps
/// normals from flickering between axes that differ by noise.
pub const FACE_PREFERENCE: f64 = 0.005;

/// The same at most, as a ratio of the contact margin: half the overlap that shapes which rest may keep,
/// which is far above noise at any size. By the size alone, blocks of ten metres that slid from one slab onto
/// the next felt its side as a wall until they were 18 mm in it, and stopped.
pub const PREFERENCE_TO_MARGIN: f64 = 0.125;

/// Squared sine, a ratio, of the angle between a normal and an axis below which the part of the
/// normal across the axis is cleared of rounding a second time.
pub const STEEP_SINE_SQ: f64 = 1e-4;

/// Sine, a ratio, up to which a feature counts as at a right angle to a normal that was
/// made from it.
pub const LEVEL_SINE: f64 = 1e-7;

/// Cosine, a ratio, of the angle between a face of one shape and one of the other up to which they
/// lie flush: 10 degrees. More than what rests flush turns as it rocks, or faces of one surface
/// differ by at a seam, and of two edges that meet with less between them the normal is as good as
/// that of the face.
pub const FLUSH_COSINE: f64 = 0.984_8;

/// Ratio to the least depth: how much deeper edges that meet may be along the normal midway. At
/// arcs up to a right angle those that meet exactly are deeper by up to the square root of two.
pub const MEETING_DEPTH: f64 = 1.5;

/// The same ratio where edges carried the last contact, so that a normal does not flicker.
pub const KEPT_MEETING_DEPTH: f64 = 2.0;

/// Cosine, a ratio, of the angle to the normal beyond which a face is no reference face.
pub const FACE_WORTH_TRYING: f64 = 0.7;

/// Difference of two cosines, a ratio, up to which two faces of one corner are as much turned
/// towards a third: above noise, and a hundredth of a degree at right angles between them.
pub const SAME_TILT: f64 = 1e-4;

/// Count of faces around a corner up to which all are compared.
pub const MAX_COMPARED_FACES: usize = 32;

/// Ratio to the smaller shape's size by which a reference face is grown before the
/// incident face is clipped, so that flush corners stay corners under noise.
pub const CLIP_GROWTH: f64 = 2e-4;

/// Count of corners of a face beyond which its outline ([`Polytope::outline`]) stands for it where
/// faces are clipped.
///
/// [`Polytope::outline`]: drystone_geometry::hull::Polytope::outline
pub const MAX_CLIPPED_CORNERS: usize = 64;

/// Count of corners of a face above which only those are clipped that may become points, and a few
/// of the others: such faces have a table of their corners.
pub const MANY_CORNERS: usize = 32;

/// Count of the corners of two faces, both together, up to which one is clipped against the other
/// by trying each corner against each side, without a branch.
pub const SMALL_CLIP: usize = 20;

/// Ratio to the smaller shape's size: points this close in depth are equally deep.
pub const DEPTH_TIE: f64 = 1e-3;

/// The same ratio of more points than [`MAX_SEARCHED_POINTS`]: of a rim four points span a square, and what
/// stands on it would tip over its sides at 0.7 times the right angle. With 2e-4 cylinders fell
/// from 0.8 on.
pub const RIM_DEPTH_TIE: f64 = 3e-5;

/// Count of points of which the best four are sought among all fours: 70 of them at most. Two
/// rectangles meet in no more points.
pub const MAX_SEARCHED_POINTS: usize = 8;

/// Ratio to the margin: of what a point spans that is higher than the deepest by so much, half counts
/// when four are chosen. Of points that a fast body brings within a wider margin, more counts: they
/// may all touch within the step.
pub const HALF_AS_NEAR: f64 = 0.05;

/// Ratio to the depth of the deepest point: points that lie deeper than this press too, and all of what
/// they span counts. Of 600 stacks of five blocks of 4 to 7 cm that lie turned on each other, 32 rocked for
/// ever where only points about as deep as the deepest counted so, and from 0.75 on some do.
pub const PRESSING_DEPTH: f64 = 0.5;

/// Ratio of areas as far as they count: last frame's points are kept when theirs is at least this
/// share of the best choice's.
pub const KEPT_WORTH: f64 = 0.6;

/// Ratio to the margin: last frame's points are kept until another is deeper than they are by so much, while
/// three of them and more bear something. With a size's thousandth alone, 11 of the same 600 stacks rocked
/// for ever; with [`RIM_DEPTH_TIE`] alone 69 of 200 stacks of four flat cylinders of 3 to 5 cm did so or fell.
pub const KEPT_DEPTH: f64 = 0.025;

/// Ratio to the smaller shape's size: points closer than this are one point.
pub const SAME_POINT: f64 = 1e-4;

/// Cosine, a ratio, above which a face still carries a stored `f32` normal.
pub const SAME_NORMAL_COSINE: f64 = 1.0 - 1e-10;

/// Ratio to the smaller shape's size: how far B may move in A's frame before a touching
/// pair is answered afresh. For a cube of 1 m it is 5 cm.
pub const RECYCLE_SHIFT: f64 = 0.1;

/// Ratio to the margin: how far a shape on a surface that overlaps it may have come since the frame
/// before; more is answered afresh. Above what bodies at rest do: 0.2 mm.
pub const RECYCLE_SINK: f64 = 0.01;

/// Ratio to the width of the contact patch: how far its points may slide before a touching pair is
/// answered afresh. At a ledge a patch of millimetres may belong to shapes of metres.
pub const RECYCLE_WIDTH: f64 = 0.5;

/// Ratio to the smaller shape's size: a way that no patch is too narrow for. For a cube of 1 m it is
/// 5 mm.
pub const RECYCLE_ANY_WIDTH: f64 = 0.01;

/// Chord of the turn (2 sin of half the angle), a ratio, up to which a touching pair is
/// recycled; about 5 degrees.
pub const RECYCLE_TURN: f64 = 0.087;

/// The same ratio for a contact of two crossing edges, whose normal turns with both.
pub const RECYCLE_TURN_EDGES: f64 = 0.02;

/// Cosine, a ratio, of the angle from the normal of crossing edges up to which a face may carry
/// their contact, about 3 degrees: what rests turns by less as it rocks. From that of a round side,
/// up to which a log or cone lies on it.
pub const LEVEL_FACE_COSINE: f64 = 1.0 - 0.5 * 0.05 * 0.05;

/// Ratio: relative rounding of a pose stored in `f32`, taken off every motion bound.
pub const STORED_POSE_ROUNDING: f64 = 4e-7;

/// Ratio: what a test in `f32` lanes takes off a motion bound of `f64`, of all lengths in it. Poses
/// rounded to `f32` and products of three of them are off by about ten roundings of 6e-8; the
/// rest is room, which costs next to nothing.
pub const GUARD_ROUNDING: f64 = 1e-5;

/// Ratio: the same of the distance from the world's origin. Positions are split in two numbers of
/// 24 bits; splitting two and subtracting the halves is off by five roundings of 2^-48.
pub const FAR_ROUNDING: f64 = 5e-14;

const _: () = assert!(CONVERGED < TOUCHING);
const _: () = assert!(TOUCHING < CERTIFIED);
const _: () = assert!(CLIP_GROWTH < FACE_PREFERENCE);

/// Sine of the angle, a ratio, by which a contact normal may lean beyond the normals around
/// its place on a surface: above rounding, and below what a body would feel.
pub const ADMITTED_SINE: f64 = 1e-6;

/// Cosine, a ratio, of the angle between normals up to which the contacts of several
/// triangles are one: 5 degrees.
pub const CLUSTER_COSINE: f64 = 0.996;

/// The same for a shape that rests on a line, a ratio: 1.1 degrees. What one end goes up while the other
/// goes down cannot be said with one normal, and what a solver pushes out instead is energy for nothing.
pub const LINE_CLUSTER_COSINE: f64 = 0.9998;

/// Cosine, a ratio, of the angle up to which a manifold counts as that of the last frame.
pub const SAME_SLOT_COSINE: f32 = 0.9;

/// Ratio to the extent of a shape by which the box is grown in which the triangles near it
/// are kept: they are looked for again when the shape leaves it.
pub const KEPT_TRIANGLES_SHARE: f64 = 0.25;

/// Ratio of the distance from the origin by which a box is grown to hold in `f32`.
pub const SINGLE_BOX_ROUNDING: f64 = 2.5e-7;

/// Most corners of a shape, a count, that are compared one by one with eight triangles at a
/// time; the box around the shape stands for more.
pub const SIEVE_CORNERS: usize = 32;

/// The same for its faces, a count.
pub const SIEVE_PLANES: usize = 24;

/// Most corners of a shape, a count, for which the sides of triangles are tried as well: the
/// faces of what has more tell it apart from small triangles.
pub const SIEVE_SIDE_CORNERS: usize = 8;

/// Ratio to the size of the coordinates: a distance told in `f32` of a triangle as high as it
/// is wide is off by less. Fourteen units of rounding, of which six to eight are proven.
pub const SIEVE_ROUNDING: f32 = 8.4e-7;

/// Points looked at to find out whether shapes pass each other (count). Most that do are known to
/// by then.
pub const PASS_ROUNDS: usize = 3;

/// Ratio to the margin: how far the points of a shape on a surface may move before it is
/// answered afresh whatever was left out, which was beyond the margin. A step may take a shape
/// as far as the one before, so half keeps what was left out from being reached unseen.
pub const KEPT_MARGIN_SHARE: f64 = 0.5;

/// Cosine, a ratio, of the angle between a triangle and a face over it up to which the
/// corners of the triangle are taken for the points below the face.
pub const COVERING_COSINE: f64 = 0.5;

/// Ratio to a shape's extent by which a box of triangles must be farther than the margin to
/// be left unopened.
pub const SIEVE_BOX_SHARE: f32 = 0.05;

/// Pieces into which the normals at a side of a triangle are cut, a count: in each the gap of a
/// curved shape is taken to be widest once at most. A rim, a side and an apex may each be nearest
/// in turn over a right angle.
pub const ARC_PIECES: u32 = 8;

/// Times a piece of an arc is cut in two, a count: to the rounding of the normal.
pub const MAX_HALVINGS: u32 = 44;

/// Length in metres, 2^64, up to which a ray's direction is left as it is, and its inverse from which
/// on: its square, and that times the square of any shape's size, are ordinary numbers.
pub const MAX_PLAIN_LENGTH: f64 = 18_446_744_073_709_551_616.0;
