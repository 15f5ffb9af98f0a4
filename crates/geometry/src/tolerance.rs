//! Every tolerance of the geometry crate, and the one free length of the engine.

/// Overlap a resting contact may keep, in metres. Invisible at human scale, yet hundreds
/// of times f32 round-off at 100 m from the origin (8e-6 m). The only free length of the
/// engine; every other length derives from it or from a shape's size.
pub const RESTING_OVERLAP: f32 = 0.005;

/// Gap at which a contact point is made before the shapes touch, in metres.
pub const CONTACT_MARGIN: f32 = 4.0 * RESTING_OVERLAP;

/// `1 + cos` of the angle between two directions below which they count as opposite. A
/// ratio: f32 leaves no direction to the cross product beyond it.
pub const OPPOSITE_COSINE_MARGIN: f32 = 1e-6;

/// Largest coordinate, radius or half extent of a shape, in metres. More than the radius
/// of the Earth; a box of this size still has a volume and a second moment in f32.
pub const MAX_SIZE: f32 = 1e7;

/// Smallest radius or half extent of a shape, in metres: a micrometre. Its moment of
/// inertia (1e-27 kg m^2) and the inverse of it are still ordinary f32 numbers.
pub const MIN_SIZE: f32 = 1e-6;

/// How far the length of a half-space's normal may be from 1, a ratio.
pub const UNIT_LENGTH_ERROR: f32 = 1e-3;

/// Most points a hull may be made of, a count: its edges need up to three times as many ids.
pub const MAX_HULL_POINTS: usize = crate::Feature::MAX_COUNT / 4;

/// Largest relative error of rounding a number to f32, a ratio.
pub const F32_ROUNDING: f64 = 1.0 / 16_777_216.0;

/// Depth below a face's plane at which a corner still belongs to the face, a ratio of the
/// hull's coordinates: eight roundings. Corners that were computed in f32 are off by two or
/// three roundings each. Of 1,200 prisms turned in f32, four roundings left a cap of 200 in
/// pieces, six of 7, eight of none. The price: rims finer than about 4,000 corners thin out.
pub const FACE_SLACK: f64 = 8.0 * F32_ROUNDING;

/// Distance from the line through its neighbours at which a corner is left out, a ratio of
/// the hull's coordinates: half the slack of a face, since a line has two ends.
pub const EDGE_SLACK: f64 = 0.5 * FACE_SLACK;

/// Ratio to a hull's size: faces whose corners are this close to a plane are planar.
pub const PLANAR: f64 = 1e-14;

/// Multiple of the face slack, a ratio, that a point left out may stand above the hull.
/// Further out, it becomes a corner again.
pub const LEFT_OUT_SLACK: f64 = 2.0;

/// Multiple of the face slack, a ratio, that a hull must exceed in length, width and
/// thickness. With less, its two sides could merge into one face.
pub const SOLID_SLACK: f64 = 16.0;

/// Width and thickness of a hull over its length, a ratio that they must exceed: a million
/// times the rounding of `f64`, so that turned and moved the hull still has two sides. A plate
/// of 100 m may be 10 nm thick.
pub const THINNEST: f64 = 1e-10;

/// Sine of the smallest angle of a triangle, a ratio, below which the plane computed in f64
/// is not trusted and distances come from the exact determinant instead.
pub const SLIVER_SINE: f64 = 1e-7;

/// Share of `f64` rounding in the size of a bounding box, a ratio by which it is grown.
pub const BOX_ROUNDING: f64 = 1e-12;

/// How far corners of a stored hull may be from the planes of their faces, a ratio of its
/// size. Far above the slack of building, since a caller may have asked for coarse faces.
pub const STORED_FACE_SLACK: f64 = 0.25;

/// Sine by which a corner of a face of a stored hull may turn the wrong way, a ratio. Faces
/// as built turn the right way; this leaves room for rounding alone.
pub const STORED_NOTCH_SINE: f64 = 1e-6;

/// Off-diagonal share, a ratio of the trace, at which a symmetric matrix counts as diagonal.
pub const DIAGONAL_RATIO: f64 = 1e-14;

const _: () = assert!(CONTACT_MARGIN > RESTING_OVERLAP);
const _: () = assert!(SOLID_SLACK > 2.0 * LEFT_OUT_SLACK);

/// Most triangles or vertices of a mesh or height field, a count: three sides each need ids.
pub const MAX_MESH_TRIANGLES: usize = crate::Feature::MAX_COUNT / 3;

/// Height of a triangle over its longest side, a ratio of that side, up to which it is
/// degenerate: the rounding of `f32` corners turns such a triangle any way.
pub const DEGENERATE_HEIGHT: f64 = 2.0 * F32_ROUNDING;

/// Distance of two vertices of a mesh as a ratio of its largest coordinate up to which they are the
/// same corner of the surface: eight roundings, as files and turns in f32 leave.
pub const WELD_ROUNDING: f64 = 8.0 * F32_ROUNDING;

/// How far beyond an open side it is looked whether the plane goes on, as a ratio of the distance up
/// to which vertices are one: a corner on a side is off it by as much.
pub const JUNCTION_SHIFT: f64 = 4.0;

/// Part of an open side beyond which nothing may be found where its plane goes on, a ratio: the
/// corners of triangles there are cut by as little.
pub const JUNCTION_GAP: f64 = 1e-3;

/// Sine of the angle between two triangles, a ratio, up to which their common edge is flat.
/// What f32 corners 100 m from the origin make of a plane of triangles 10 cm wide.
pub const FLAT_EDGE_SINE: f64 = 1e-4;

/// Cosine of the angle between two triangles, a ratio, below which their common convex edge
/// is sharp: 26 degrees. At a blunter one, a contact along a face's normal is good enough.
pub const SHARP_EDGE_COSINE: f64 = 0.9;

/// Share of the size of a ray's or point's coordinates, a ratio, by which boxes in `f32` are
/// grown in searches that compute in `f64`.
pub const SEARCH_ROUNDING: f64 = 1e-12;

/// Sine of the angle between the axis of a cylinder or cone and a normal, a ratio, below which
/// the point of the rim counts as less and less able to roll: within three degrees of flat a
/// turn of a step's size carries it round the whole rim.
pub const FLAT_RIM_SINE: f64 = 0.05;

/// Neighbours that a climb around a circle of values looks at in turn before it strides (count):
/// coherent searches end within them.
pub const CLIMB_NEIGHBOURS: usize = 4;
