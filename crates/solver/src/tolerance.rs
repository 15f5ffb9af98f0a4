//! Every tolerance and tuning number of the solver.

use drystone_geometry::tolerance::RESTING_OVERLAP;

/// Colours of the constraint graph before the overflow list; a count. Box piles use 8 to 13.
pub const COLOUR_COUNT: usize = 24;

/// Frequency of contact springs times the length of a sub-step; a ratio. An eighth of the
/// sub-step rate is the stiffest that keeps the spring's own motion resolved.
pub const CONTACT_HERTZ_RATIO: f32 = 0.125;

/// How much faster overlap is pushed out than the spring alone would; a ratio. Halves the sag
/// and stiffens tall walls against leaning; at 3 a wall of bricks no longer comes to rest.
pub const CONTACT_PUSH_RATIO: f32 = 2.0;

/// Damping ratio of contact springs. Far over-damped: overlap decays, never oscillates, and the
/// slow sway of a whole wall, which many springs in a row carry, fades too. Twice as much would
/// leave an arch settling for three seconds.
pub const CONTACT_DAMPING_RATIO: f32 = 15.0;

/// Factor on the frequency, and inverse factor on the damping ratio, of contacts with bodies
/// that nothing pushes; a ratio. The foot of a stack carries all of it.
pub const STATIC_CONTACT_STIFFNESS: f32 = 2.0;

/// Share of the difference in overlap between the points of a contact that a sub-step removes;
/// a ratio. See [`TILT_IMPULSE_SCALE`].
pub const TILT_BIAS_RATIO: f32 = 0.65;

/// The same for contacts with bodies that nothing pushes; a ratio. Tilting must not be softer
/// than the mean, or walls tremble on the ground; that is so from 0.5 on.
pub const STATIC_TILT_BIAS_RATIO: f32 = 0.55;

/// Share of the difference in impulse between the points of a contact that a sub-step forgets;
/// a ratio.
///
/// Tilting is thus a spring of `0.65 * 0.94 / 0.15 = 4` times the tilting mass over the square of
/// the sub-step, three times as stiff as the mean. It needs to be: a wall 1 m thick with the
/// softness of the mean buckles under its own weight from some 30 m on. Of springs as stiff, one
/// that forgets less is damped less: at 0.1 a breath of wind sets a house of cards swaying for good.
/// The mean cannot be as stiff: contacts do not pull, so stacks would hop.
pub const TILT_IMPULSE_SCALE: f32 = 0.15;

/// The same for contacts with bodies that nothing pushes; a ratio. A ledge of bricks of 10 cm tips
/// sooner when its foot is as soft as the rest.
pub const STATIC_TILT_IMPULSE_SCALE: f32 = 0.1;

/// Most a body at rest turns without the levers of its faces following, in radians; see
/// [`Body::lean`](crate::Body::lean).
///
/// Faces that lie on each other are rigid, and a column of blocks of whatever height stands. On
/// springs it buckles under its own weight like a rod: with a tilting stiffness `k` a column of
/// cubes of mass `m` and edge `a` does from `n^3 = 7.84 k / (m g a)` cubes on (Greenhill 1881),
/// which are twelve of 10 cm and six of 1 cm. What drives it is that levers follow the lean, so a
/// body that hardly turns keeps those with which it came to rest. Ten degrees, and 5 cm, are what
/// contacts of Box3D are kept for; here columns of forty cubes still fall if these lie a fifth of
/// an edge to and fro, and stand if it is a twentieth. Between two bodies that are both pushed and
/// turn together as slowly, friction takes the face for that much less or more steep; what lies on
/// something static or kinematic is held by the face as it is.
pub const MAX_LEAN: f32 = 0.02;

/// Square of the speed with which the surface turns about the centre, over what falling by the
/// extent of the body would give, up to which the body hardly turns; a ratio. At 1e-5 columns of
/// twenty buckle that fall by a hundredth of an edge as they are built, at 1e-4 pyramids of small
/// cubes come to rest later, and from 3e-4 on crooked columns do so leaning twice as far.
pub const LEANING_TURN: f32 = 2e-4;

/// Turn of two bodies against each other in a sub-step, about whatever axis, in radians, below which
/// gaps of their contact count as narrower by as much as it is deep. A cone that rolls round its apex
/// turns by 0.02; with its gaps narrower it lost 8 % of its speed in twelve seconds, else below 5 %.
pub const STEADY_TURN: f32 = 1e-3;

/// What the point that bears least of an even load may lack of an equal share before the shares
/// count as unequal, a ratio; they fully do from twice as much on. Joints of arches, whose stones
/// have their centres beside the line of the joints' middles, lack this much and need none of it.
pub const EVEN_SHARE: f32 = 0.05;

/// By how much points of a contact may pull or approach where some are to let go, over what changes there;
/// a ratio, some hundred times f32 rounding.
pub const PRESSING_SLACK: f32 = 1e-5;

/// Rounds of impacts that all workers share; a count. What bounces mostly does so alone, and
/// a row of four balls is through in two rounds.
pub const SHARED_BOUNCE_ROUNDS: u32 = 2;

/// Most rounds of impacts in a sub-step that follow them; a count. A row of a hundred balls
/// is through in fifty. What still comes fast then is stopped as if it did not bounce.
pub const MAX_BOUNCE_ROUNDS: u32 = 64;

/// Mass a body carries over the mass it counts as at least; a ratio. Neighbours of one mass to
/// eight are as stiff and as soon in balance as a stack of eight; see [`Body::burden`].
///
/// [`Body::burden`]: crate::Body::burden
pub const BURDEN_RATIO: f32 = 8.0;

/// Mass of what presses on a body over its own above which it may get a burden; a ratio.
pub const BURDEN_MASS_RATIO: f32 = 2.0;

/// Share of what a load gives a body in a sub-step that this has gained since the step began, up to
/// which it counts as held; a ratio. From 0.2 to 0.5 cubes on the ground under what is 3 to 300 times
/// as heavy, and rows of free blocks, come out alike.
pub const HELD_SHARE: f32 = 0.3;

/// Share of a burden that is kept from step to step while nothing renews it; a ratio. At 0.8 twice as
/// many pyramids of light cubes go on trembling under what fell on them, at 0.9 four times as many.
pub const BURDEN_KEPT: f32 = 0.5;

/// How many times as much of its impulse a contact forgets, at most, where joints load what stands on
/// something fixed; a ratio, from about 2.7 on which small oscillations die down. Of 80 tables and the like on
/// welded legs of a tenth to a hundredth of what each bears, 50 trembled after four seconds at 60 steps
/// of four sub-steps, and 53 at 240; now 24 and 5. While all of it counted for tilts it was
/// twice as many at 3 and somewhat fewer at 6, but feet sink in by as much more.
pub const FOOTING_SOFTENING: f32 = 5.0;

/// How much of [`FOOTING_SOFTENING`] beyond 1 counts for tilts; a ratio. With all of it a biped of 57 kg on feet of
/// 1.5 kg leans by 0.03 at 60 steps a second, with a quarter by 0.009, with none by 0.004; but then 33 and 5
/// of the 80 tables tremble, where a quarter leaves 24 and 5, and all of it 20 and 3.
pub const FOOTING_TILT_SHARE: f32 = 0.25;

/// Load beyond its own weight, over that, from which on a body that joints load has all of
/// [`FOOTING_SOFTENING`]; a ratio. From 2 to 10 as many tables tremble.
pub const FOOTING_LOAD_RANGE: f32 = 10.0;

/// How far [`FOOTING_SOFTENING`] may let a foot sink in, over its extent; a ratio.
pub const FOOTING_SINK_SHARE: f32 = 0.1;

/// How many times as much of tilts a contact forgets, at most, where something lies on a light body that
/// joints hold; a ratio. From 2.1 on small oscillations die down, as in footings.
/// Of nine loads of 40 to 1,600 kg on an arm of 29 kg that leans on its stops eight rocked for ever, and that of
/// 80 kg still does, as at 2.5 and at 5.
pub const LIMB_TILT_SOFTENING: f32 = 3.0;

/// Load beyond its own weight, over that, from which on what lies on such a body has all of
/// [`LIMB_TILT_SOFTENING`]; a ratio. At 10 one more of those loads rocks.
pub const LIMB_LOAD_RANGE: f32 = 2.0;

/// Turn in a sub-step, in radians, from which on what stands on one point or two rolls and yields as ever.
/// At half of it a quarter more of what stands on capsules trembles; at twice a car whose wheels bear fifteen
/// times their own mass is 2 % too fast off the mark at one sub-step, for the radius that they have lost.
pub const FOOTING_STEADY_TURN: f32 = 0.01;

/// Sweeps over the points of an impact of which not all bounce; a count. Two points are then
/// solved to a few percent, and the rounds after it see to the rest.
pub const BOUNCE_SWEEPS: u32 = 4;

/// Rounds in which the points of an impact and its friction answer each other; a count. What they
/// ask of each other falls to a third in each at the end of a slanting rod.
pub const IMPACT_ROUNDS: u32 = 8;

/// By how much the speed at which a point leaves may miss what it should be, as a ratio of the change:
/// what is left of it then is not looked at.
pub const IMPACT_SLACK: f32 = 1e-3;

/// Sweeps over a contact that is new and lies flat on something fixed, beyond the first; a count.
/// What friction and the points ask of each other falls to three fifths in each on a cube, so
/// seven leave three percent; more than that changes nothing on slopes.
pub const LAYING_SWEEPS: u32 = 7;

/// What turning may add to the give of a contact, over that of pushing straight, before it is held
/// stiffer; a ratio. Above what a cube half across the edge of another adds, 0.375.
pub const FREE_LEVER: f32 = 0.5;

/// Friction and twist together about where friction acts, over their limit, up to which nothing slides; a
/// ratio. About the centre of pressure they are 1.62 times as much at most where that is no farther away
/// than the points are on average, as in any rectangle.
pub const FREE_FRICTION_SHARE: f32 = 0.6;

/// Load of a contact after its normals are relaxed over that before from which on it counts for
/// friction, a ratio: an impact comes to light there. Counting smaller ones makes arches settle longer.
pub const IMPACT_LOAD: f32 = 1.1;

/// How much stiffer contacts are held, over what turning adds beyond [`FREE_LEVER`]; a ratio. At 1
/// and with nothing free the ends of bars are as stiff as their middles, but a tower of thirty
/// crossed layers then rests later.
pub const LEVER_STIFFENING: f32 = 0.4;

/// Frequency of rigid joints times the length of a sub-step; a ratio.
pub const JOINT_HERTZ_RATIO: f32 = 0.25;

/// The same of the bounds of distances and of joints that close loops of a tree, which are not over-relaxed; a
/// ratio. From 0.218 on loops that they close oscillate ever more if enough hangs on these, see
/// [`Softness`](crate::softness).
pub const BOUND_HERTZ_RATIO: f32 = 0.21;

/// How far joints of nets change velocities before the movement, over what their own two bodies need; a ratio.
/// Those that close the loops of a tree are not over-relaxed: several at once would swing ever more. Below 1.24,
/// by the eigenvalues of a sub-step, loops oscillate ever more if enough hangs on them, see
/// [`Softness`](crate::softness); from 1.5 on some that are light do.
pub const LOOP_MASS_SCALE: f32 = 1.3;

/// Damping ratio of rigid joints.
pub const JOINT_DAMPING_RATIO: f32 = 2.0;

/// Most of its damping that a spring may lose by taking the bodies for lighter than what else holds them
/// makes them, if it is solved once in a sub-step; a ratio. It is at most
/// `(omega h)^2 (1 + zeta omega h / 2)`, and from 1 on such a spring would swing up. Sub-steps of 1/240 s
/// resolve 23 Hz critically damped and 27 Hz without damping.
pub const SPRING_LAG: f32 = 0.5;

/// Damping of a coupled spring at least, over the square of the angle that two bodies alone swing in a
/// sub-step, before 1 is taken off; a ratio. At 1 nothing changes sides from one sub-step to the next, at
/// 1/2 it may for ever.
pub const ALTERNATING_SHARE: f64 = 2.0 / 3.0;

/// Damping that a spring which has none is solved with where it is solved at once with what is locked:
/// the share of its speed that a sub-step takes; a ratio.
pub const LEAST_SPRING_DAMPING: f64 = 1e-5;

/// How long a body rests before it may sleep, in seconds.
pub const TIME_TO_SLEEP: f32 = 0.5;

/// Speed over the threshold of rest from which on what a motor, a spring or a belt moves does not
/// rest; a ratio: 0.1 mm/s where bodies rest below 5 cm/s. What is blocked moves by rounding alone.
pub const DRIVEN_SHARE: f32 = 2e-3;

/// What a spring may still be off where its bodies may fall asleep, over how far these reach from their
/// centres; a ratio. A millimetre at the end of an arm of a metre, and a thousandth of a radian.
pub const HOME_SHARE: f32 = 1e-3;

/// Speed at which a spring takes its error away over the `2 pi hertz / (1 + 2 damping_ratio)` of it that
/// is natural, from which on it is on its way however slow that is; a ratio. One of 0.05 Hz that starts
/// from rest has got to half of it when bodies may fall asleep, what is blocked moves by rounding alone.
pub const HOMING_SHARE: f32 = 0.25;

/// Fastest linear velocity, in m/s. Three kilometres a second and more leave no contact
/// time to act; a finite cap keeps every later number finite.
pub const MAX_LINEAR_SPEED: f32 = 4000.0;

/// Fastest angular velocity, in rad/s.
pub const MAX_ANGULAR_SPEED: f32 = 10_000.0;

/// Gap over which a speculative point loses its say in where friction acts, in metres.
pub const FRICTION_FADE: f32 = 2.0 * RESTING_OVERLAP;

/// Determinant of a 2x2 mass matrix over its squared trace below which it counts as singular;
/// a ratio, some hundred times f32 rounding.
pub const SINGULAR_DETERMINANT: f32 = 1e-5;

/// Rotation in a sub-step below which the gyroscopic term is left out, in radians. It would
/// change the angular velocity by at most that ratio; resting bodies save the work.
pub const GYROSCOPIC_ANGLE: f32 = 1e-5;

/// Rotation in a sub-step above which the world inertia of a body is renewed, in radians.
pub const INERTIA_REFRESH_ANGLE: f32 = 0.005;

/// Share of itself by which a body may have become easier to turn since the step began before its
/// contacts are weighed again, and by which these may then be easier to push before they forget
/// their impulses; a ratio. From 1 on a sweep adds more than it takes away.
pub const STALE_INERTIA_SHARE: f32 = 0.25;

/// Work that a relaxing sweep may do on bodies that turn far, over the sum of its parts without their
/// signs, before it counts as a gain of energy; a ratio, some hundred times what rounding leaves.
pub const GAINED_WORK: f32 = 1e-3;

/// Largest rotation of one inner step of free rotation, in radians.
pub const INNER_ROTATION: f64 = 0.5;

/// Most inner steps of a sub-step; a count. Beyond, at 32 radians a sub-step, the angular
/// velocity stays fixed in the body instead, which conserves energy at any rate.
pub const MAX_INNER_ROTATIONS: u32 = 64;

/// Newton iterations of an inner step of free rotation; a count. Quadratic from a start that
/// is good to a few percent: three reach f64 rounding.
pub const MAX_NEWTON_ITERATIONS: u32 = 6;

/// Newton correction, relative to the angular velocity, at which free rotation is solved; a ratio.
/// What is left then is at most an eighth of its square.
pub const NEWTON_TOLERANCE: f64 = 1e-6;

const _: () = assert!(COLOUR_COUNT < u8::MAX as usize);
const _: () = assert!(MAX_LINEAR_SPEED > 0.0);

/// Least that two bodies whose anchors are held together turn about an axis, as a share of what they
/// would if these were free; a ratio, some hundred times f32 rounding.
pub const GRIP_SHARE: f32 = 1e-5;

/// Share of the trace that is added to the diagonal of a singular 3x3 mass matrix; a ratio.
pub const SINGULAR_SHARE: f32 = 1e-4;

/// Bundles of a block, the unit workers claim; a count. 128 contacts, two microseconds a pass.
pub const BUNDLES_PER_BLOCK: usize = 16;

/// Joints of a block; a count.
pub const JOINTS_PER_BLOCK: usize = 32;

/// Joints of a block when their ends are looked up before a step and when impulses are written
/// back after it; a count.
pub const ENDS_PER_BLOCK: usize = 512;

/// Joints of a block when their loads are noted in a sub-step; a count.
pub const WATCHED_PER_BLOCK: usize = 128;

/// Bodies of a block; a count.
pub const BODIES_PER_BLOCK: usize = 256;

/// Contacts that are looked at in one go when the plan of a step is made; a count.
pub const CONTACTS_PER_SORT: usize = 1024;

/// Contacts that are looked at then in a microsecond, about; a count.
pub const LOOKS_PER_MICROSECOND: usize = 40;

/// Regions by which workers share contacts; a count: many for each of some workers, and few enough
/// to be counted for every colour.
pub const REGIONS: usize = 128;

/// Steps after which is looked anew in which region bodies are; a count.
pub const REGION_STEPS: u32 = 32;

/// Bodies, contacts and joints whose results are stored in a microsecond, about; a count.
pub const STORED_PER_MICROSECOND: usize = 16;

/// Contacts of a block when impulses are written back; a count. A block without a solved contact is
/// passed over, so few contacts among many that sleep should not share theirs with these.
pub const CONTACTS_PER_BLOCK: usize = 64;

/// Share of an error of the joints of a tree that a sub-step removes; a ratio. Trees are solved
/// exactly, so this is their only softness.
pub const TREE_BIAS_RATIO: f32 = 0.2;

/// Angle by which bodies turn in a sub-step up to which joints go by their speeds alone, in radians: their
/// arms end up less than a millionth of their length aside.
pub const FORESEEN_TURN: f32 = 1e-3;

/// Way over the arms by which a joint opens otherwise than foreseen, in a sub-step, from which on its tree
/// is solved again; a ratio. At 1e-5 double pendulums of hinges gained 0.4 % of their energy in 300 s.
pub const FORESEEN_SHARE: f32 = 1e-7;

/// How often a tree is solved again at most; a count. Links whip at up to 60 rad/s, where each time halves
/// what is left to foresee. With two double pendulums gained 0.8 % of their energy in 300 s.
pub const FORESEEN_ROUNDS: u32 = 3;

/// The same ratio from which on the tree has been jerked, and its joints go by their speeds alone: a chain
/// with a heavy end that was thrown gained a hundredth of its energy at 0.006, and chains that whip lose the
/// more the smaller it is.
pub const FORESEEN_JERK: f32 = 4e-3;

/// What a sub-step brings a tree that nothing drives of kinetic energy, over that of the change of its velocities, from
/// which on it is taken out; a ratio. At 0.1 five beads on ropes that whirl at 20 m/s gain a sixth of their energy in
/// 5 s.
pub const JERK_SHARE: f32 = 0.02;

/// Gap of a joint over its arms from which on the speed that closes it is taken back; a ratio. What is
/// smaller throws nothing about.
pub const CLOSED_GAP_SHARE: f32 = 1e-3;

/// Least pivot of the system of a tree, as a share of what the bodies of the joint would give way
/// alone; a ratio, twice f32 rounding.
pub const ROUNDING_SHARE: f32 = 2.5e-7;

/// Least that a body with locked axes gives way in a direction, as a share of what it would along and
/// about its easiest axes, a ratio: what is less comes of frames that are 1e-4 rad beside the axes, and
/// the locks hold that direction already.
pub const LOCKED_SHARE: f32 = 1e-8;

/// The same of a direction in which the body only gives way against others that its joint holds, as a
/// share of what it would without these; a ratio, some hundred times f32 rounding.
pub const HELD_PIVOT_SHARE: f32 = 2e-5;

/// How much directions give way that other joints may hold as well, as a share of what the
/// bodies of the joint would alone; a ratio, some hundred times f32 rounding. Such joints share
/// by it what they hold together, and do not pull against each other.
pub const REDUNDANT_SHARE: f32 = 1e-5;

/// What a direction that other joints may hold as well gives way beside these, as a share of what the
/// bodies of the joint would alone, below which its error counts for less; a ratio. Joints that
/// disagree push each other by a few hundred times as much as one would that is off by as much.
pub const RECONCILED_SHARE: f32 = 3e-4;

/// How much that share grows with the angle in radians that the error would turn the bodies by; a
/// ratio. At 0.5 a chain that is too short is pulled straight without being thrown across its line.
pub const RECONCILED_TURN: f32 = 0.5;

/// Most that share becomes; a ratio. A bridge that is hung up 30 cm too long closes its gap in a few
/// seconds, at ten times as much it never does.
pub const MOST_RECONCILED: f32 = 0.02;

/// Floors that a pivot may consist of where nothing else gives way; a count. Two joints that hold the
/// same in one direction make it two, and levers add theirs.
pub const FLOORS_IN_PIVOT: f32 = 8.0;

/// Most relaxing sweeps of a sub-step over trees with limits; a count. A limit knows its two
/// bodies alone, so one sweep leaves some of the speed that pushed them back.
pub const LIMIT_SWEEPS: u32 = 3;

/// A bound of an axis that is none, in metres or radians: nothing comes so far, and no product with it
/// overflows.
pub const FAR_BOUND: f32 = 1e30;

/// Sub-steps within which a motor that counts as locked must not come to a stop; a count: it is asked
/// in each, and may not pass it in the one after.
pub const STOP_SUBSTEPS: f32 = 2.0;

/// Turn in radians that the impulse of a stop would give its two bodies on their own within a sub-step,
/// from which on it is solved with all that their tree locks. Arms of five links that lean on their stops sink by
/// 1 to 3 cm until all are solved so.
pub const STOP_LOAD_TURN: f32 = 0.004;

/// Share of what a sub-step's movement does to the speeds at curved contacts that is foreseen; a ratio. With
/// all of it what rolls keeps its energy, but for how far the movement is seen coming: of 200 flat ellipsoids
/// that are thrown on the ground 17 rise by more than 1 % of their energy within six seconds, with this none, and
/// one where nothing is foreseen. What rolls loses a tenth of what it does with none.
pub const ROLLING_SHARE: f32 = 0.9;

/// How far bodies turn against each other in a sub-step from which on nothing of that is foreseen, in radians. Without
/// a bound the energy of some of what is thrown on the ground at up to 500 rad/s rose by up to 2.7 times what it was at
/// first.
pub const ROLLING_TURN: f32 = 0.2;

/// Loops of joints over bodies up to which they are solved as trees, but for closing ones if these lock more than
/// [`MOST_CLOSING_ROWS`]; a ratio. A truss of bars that is just rigid has one to two bars, a space frame two to
/// three, if at each of its nodes one bar holds all others. Nets have up to one, and are solved joint by joint.
pub const NET_LOOPS: f64 = 2.0 / 3.0;

/// Directions that the joints which close loops of a tree lock up to which they are solved with it; a count. Their
/// system is dense, so that it takes time by the cube of it.
pub const MOST_CLOSING_ROWS: u32 = 48;

/// Bonds of a body up to which nets that it is in are over-relaxed, see [`LOOP_MASS_SCALE`]; a count. Frames whose
/// nodes hold more would swing ever more with it.
pub const MOST_NET_BONDS: usize = 4;

/// Mass that a taut distance counts with across itself over that of the lighter of its bodies, a ratio, from which on it
/// does. A fifth of it is where what swings between two begins to gain from the pull it makes.
pub const SWAY_SHARE: f32 = 0.1;

/// Share of the pull of a distance that still counts across it a sub-step later; a ratio. Beads of 0.05 to 1 kg on rods
/// that 1 t jerks taut at 10 m/s gain thousands of times their energy if nothing of it does.
pub const PULL_KEPT: f32 = 0.9;

/// Bundles of trees of a block; a count.
pub const BUNDLES_PER_TREE_BLOCK: usize = 2;

/// Least inertia of a body over what its joints' tension would swing with it in a sub-step; a
/// ratio. A quarter is where sub-steps blow up; this keeps a factor of four.
pub const TENSION_INERTIA_RATIO: f32 = 1.0;

/// Share of the pull on a body that still counts a step later; a ratio. At 0.8 a third fewer of the chains
/// that are jerked taut gain energy than at 0.
pub const TENSION_KEPT: f32 = 0.8;

/// Inertia that the pull of a joint asks for over what the body has, a ratio, from which on it is felt in
/// the same step. A body with four joints feels any pull that would need its inertia raised.
pub const FELT_SWING_SHARE: f32 = 0.25;

/// Rotation in a sub-step up to which f32 and two terms of a series do, in radians: what is
/// left out, `x^5 / 120`, is below f32 rounding.
pub const SMALL_ANGLE: f32 = 0.05;

/// One plus the cosine between the Z axes of a ball joint's frames below which they count as
/// opposite, a ratio: a twist has no meaning there, and just before it turns the faster.
pub const OPPOSITE_AXES: f32 = 1e-3;

/// Least pivot of a joint's 3x3 block in lanes over the trace; a ratio, some ten times f32
/// rounding.
pub const PIVOT_SHARE: f32 = 1e-6;

/// Cosine of the middle one of three rings below which the outer two count as one, a ratio:
/// nearer, forces about them would grow without bound.
pub const GIMBAL_COSINE: f32 = 1e-2;

/// One plus the cosine of a body's turn within a step that is reckoned with at least where it rolls
/// on, a ratio: half a turn has none, and f32 rounding would tell.
pub const LEAST_BOW: f32 = 1e-4;

/// Most points of contacts that a tree solves for a body; a count. What does not fit in is solved as
/// other contacts are.
pub const MOST_RESTS: usize = 4;

/// How many times the weight of a body in a tree a contact must bear for the tree to solve it; a ratio.
/// With half of it a fast rope gained energy; with twice as much links of 2 g sank in by 4 mm and not 2.
pub const REST_LOAD_RATIO: f32 = 8.0;

/// How far what a contact bears would move a body in a tree alone within a sub-step, over its extent,
/// for the tree to solve it; a ratio. Less sinks in too little to be worth it.
pub const REST_LEAST_SINK: f32 = 0.005;

/// How far a contact that a tree solves sinks in at rest, over the extent of the body; a ratio. Links
/// held harder than the pull holds them in line share their load by chance, and friction gets lost.
pub const REST_DEPTH_SHARE: f32 = 0.05;

/// Share of the overlap of a contact that a tree solves which goes in a sub-step; a ratio, and what it
/// gives way at most, of what the body alone would. Twice as fast, all that hangs on it gained from it.
pub const REST_BIAS_RATIO: f32 = 0.1;

/// Least that a contact gives way which a tree solves, of what the body alone would; a ratio.
pub const REST_LEAST_GIVE: f32 = 0.0015;

/// Share of the present load in what friction of a contact goes by that a tree solves, the rest being
/// what it went by before; a ratio. With all of it a rope slips on a pole at nine tenths of what holds it,
/// since loads alternate from one sub-step to the next.
pub const REST_GRIP_SHARE: f32 = 0.5;
