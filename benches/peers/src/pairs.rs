//! One pair of convex hulls in motion: the same shapes and poses in drystone, Parry and
//! Box3D, which take turns.
//!
//! Every call answers in full: drystone with witness points and a certified interval, the
//! others with what they have. Nothing is skipped or recycled.

use std::hint::black_box;
use std::time::Instant;

use box3d_sys as b3;
use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use drystone::Shape;
use drystone::geometry::{Frame, Manifold, rotation};
use drystone::narrow_phase::{
    CollideSettings, Counters, Tracker, collide, distance, distance_tracked,
};
use drystone_benches::pairs::{Family, Gap, Motion};
use rapier3d::parry::query::{
    ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher, closest_points,
};
use rapier3d::parry::shape::ConvexPolyhedron;
use rapier3d::prelude as r;

/// Box3D's hulls have at most 44 corners for collision; its distance takes a point cloud.
const BOX3D_MAX_HULL: usize = 44;

/// Options of `pairs`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Numbers of corners.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "8,32,128,1000,10000,100000"
    )]
    corners: Vec<usize>,
    /// Hulls: ball, prism, cone, ellipsoid.
    #[arg(long, value_delimiter = ',', default_value = "ball")]
    families: Vec<String>,
    /// Turns between two frames, in degrees; `cold` for unrelated poses.
    #[arg(long, value_delimiter = ',', default_value = "0.5,2,8,32,cold")]
    degrees: Vec<String>,
    /// How far apart: far, near, shallow, deep. Overlapping pairs are asked for manifolds.
    #[arg(long, value_delimiter = ',', default_value = "near,shallow")]
    gaps: Vec<String>,
    /// Rounds in which the engines take turns; the fastest round counts.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

/// A pair in all engines.
struct Case {
    a: Shape,
    b: Shape,
    parry: Option<(ConvexPolyhedron, ConvexPolyhedron)>,
    points: [Vec<b3::b3Vec3>; 2],
    hulls: Option<[Box3dHull; 2]>,
    poses: Vec<Frame>,
    is_cold: bool,
}

/// A hull of Box3D.
struct Box3dHull(*mut b3::b3HullData);

impl Drop for Box3dHull {
    fn drop(&mut self) {
        // Box3D makes no hull of points it cannot use, and does not destroy none either.
        if !self.0.is_null() {
            // SAFETY: made by `b3CreateHull` and destroyed once.
            unsafe { b3::b3DestroyHull(self.0) };
        }
    }
}

/// What an engine said of every pose, and how long it took.
struct Answer {
    nanoseconds: f64,
    distances: Vec<f64>,
}

/// Runs all combinations and prints one table.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header([
        "hulls",
        "corners",
        "motion",
        "gap",
        "drystone ns",
        "Box3D ns",
        "Parry ns",
        "ours / Box3D",
        "Parry / ours",
        "interval",
        "Box3D error",
        "Parry error",
        "walked",
    ]);
    for family in &options.families {
        let family = named(family, &Family::ALL, |f| f.name())?;
        for gap in &options.gaps {
            let gap = named(gap, &Gap::ALL, |g| g.name())?;
            for degrees in &options.degrees {
                let turn = match degrees.as_str() {
                    "cold" => None,
                    text => Some(text.parse().map_err(|_| format!("`{text}` is no angle"))?),
                };
                for &corners in &options.corners {
                    let case = Case::new(family, corners, turn, gap)?;
                    eprintln!("{} {corners} {degrees} {}", family.name(), gap.name());
                    let head = [family.name(), &corners.to_string(), degrees, gap.name()]
                        .map(str::to_owned);
                    let cells = if matches!(gap, Gap::Far | Gap::Near) {
                        compare_distances(&case, options.rounds)
                    } else {
                        compare_manifolds(&case, options.rounds)
                    };
                    table.add_row(head.into_iter().chain(cells));
                }
            }
        }
    }
    for column in table.column_iter_mut().skip(4) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    println!("{table}");
    Ok(())
}

fn named<T: Copy>(name: &str, all: &[T], name_of: fn(T) -> &'static str) -> Result<T, String> {
    let found = all.iter().copied().find(|item| name_of(*item) == name);
    found.ok_or_else(|| {
        let known: Vec<_> = all.iter().copied().map(name_of).collect();
        format!("`{name}` is none of {}", known.join(", "))
    })
}

impl Case {
    fn new(family: Family, corners: usize, degrees: Option<f64>, gap: Gap) -> Result<Self, String> {
        let (a, b) = (family.hull(corners, 1), family.hull(corners, 2));
        let motion = Motion {
            degrees,
            gap,
            frames: if corners > 20_000 { 200 } else { 1000 },
            seed: 3,
        };
        let points = [1, 2].map(|seed| family.points(corners, seed));
        let [parry_a, parry_b] = [0, 1].map(|i| {
            let points: Vec<r::Vector> = points[i]
                .iter()
                .map(|p| r::Vector::new(p.x, p.y, p.z))
                .collect();
            ConvexPolyhedron::from_convex_hull(&points)
        });
        let points = points.map(|points| {
            let vector = |p: &drystone::glam::Vec3| b3::b3Vec3 {
                x: p.x,
                y: p.y,
                z: p.z,
            };
            points.iter().map(vector).collect::<Vec<_>>()
        });
        let hulls = (corners <= BOX3D_MAX_HULL).then(|| {
            [0, 1].map(|i| {
                let count = points[i].len() as i32;
                // SAFETY: `count` points that live through the call.
                Box3dHull(unsafe { b3::b3CreateHull(points[i].as_ptr(), count, count) })
            })
        });
        Ok(Self {
            poses: motion.poses(&a, &b),
            a,
            b,
            parry: parry_a.zip(parry_b),
            points,
            hulls: hulls.filter(|hulls| hulls.iter().all(|hull| !hull.0.is_null())),
            is_cold: degrees.is_none(),
        })
    }

    fn parry_poses(&self) -> Vec<r::Pose> {
        let pose = |frame: &Frame| {
            let ([x, y, z, w], t) = parts(frame);
            r::Pose::from_parts(
                r::Vector::new(t[0], t[1], t[2]),
                r::Rotation::from_xyzw(x, y, z, w),
            )
        };
        self.poses.iter().map(pose).collect()
    }

    fn box3d_poses(&self) -> Vec<b3::b3Transform> {
        let vector = |[x, y, z]: [f32; 3]| b3::b3Vec3 { x, y, z };
        let pose = |frame: &Frame| {
            let ([x, y, z, w], t) = parts(frame);
            b3::b3Transform {
                p: vector(t),
                q: b3::b3Quat {
                    v: vector([x, y, z]),
                    s: w,
                },
            }
        };
        self.poses.iter().map(pose).collect()
    }
}

fn parts(frame: &Frame) -> ([f32; 4], [f32; 3]) {
    let rotation = rotation::from_dmatrix(frame.rotation)
        .to_array()
        .map(|part| part as f32);
    (
        rotation,
        frame.translation.to_array().map(|part| part as f32),
    )
}

/// Times `answer` over all poses.
fn time<P>(poses: &[P], mut answer: impl FnMut(&P) -> f64) -> Answer {
    let mut distances = Vec::with_capacity(poses.len());
    let start = Instant::now();
    for pose in poses {
        distances.push(black_box(answer(black_box(pose))));
    }
    Answer {
        nanoseconds: 1e9 * start.elapsed().as_secs_f64() / poses.len() as f64,
        distances,
    }
}

/// Keeps the fastest round.
fn keep(best: &mut Option<Answer>, found: Answer) {
    if best
        .as_ref()
        .is_none_or(|best| found.nanoseconds < best.nanoseconds)
    {
        *best = Some(found);
    }
}

fn compare_distances(case: &Case, rounds: usize) -> Vec<String> {
    let (mut ours, mut parry, mut box3d) = (None, None, None);
    let (mut counters, mut widest) = (Counters::default(), 0.0f64);
    let (parry_poses, box3d_poses) = (case.parry_poses(), case.box3d_poses());
    for _ in 0..rounds {
        let mut tracker = Tracker::default();
        counters = Counters::default();
        keep(
            &mut ours,
            time(&case.poses, |pose| {
                let found = if case.is_cold {
                    distance(&case.a, &case.b, pose)
                } else {
                    distance_tracked(&case.a, &case.b, pose, &mut tracker, &mut counters)
                };
                widest = widest.max(found.upper - found.lower);
                found.upper
            }),
        );
        if let Some((a, b)) = &case.parry {
            keep(
                &mut parry,
                time(&parry_poses, |pose| {
                    match closest_points(&r::Pose::IDENTITY, a, pose, b, r::Real::MAX) {
                        Ok(rapier3d::parry::query::ClosestPoints::WithinMargin(p, q)) => {
                            (q - p).length().into()
                        }
                        Ok(rapier3d::parry::query::ClosestPoints::Intersecting) => 0.0,
                        _ => f64::NAN,
                    }
                }),
            );
        }
        if case.points[0].len() <= 128 {
            let mut cache = b3::b3SimplexCache::default();
            let proxy = |i: usize| b3::b3ShapeProxy {
                points: case.points[i].as_ptr(),
                count: case.points[i].len() as i32,
                radius: 0.0,
            };
            let mut input = b3::b3DistanceInput {
                proxyA: proxy(0),
                proxyB: proxy(1),
                transform: box3d_poses[0],
                useRadii: false,
            };
            keep(
                &mut box3d,
                time(&box3d_poses, |pose| {
                    input.transform = *pose;
                    if case.is_cold {
                        cache.count = 0;
                    }
                    // SAFETY: points and cache live through the call; no simplexes are asked for.
                    let found =
                        unsafe { b3::b3ShapeDistance(&input, &mut cache, std::ptr::null_mut(), 0) };
                    found.distance.into()
                }),
            );
        }
    }
    cells(ours, box3d, parry, format!("{widest:.0e}"), &counters)
}

fn compare_manifolds(case: &Case, rounds: usize) -> Vec<String> {
    let (mut ours, mut parry, mut box3d) = (None, None, None);
    let mut counters = Counters::default();
    let settings = CollideSettings {
        recycle: false,
        ..CollideSettings::default()
    };
    let (parry_poses, box3d_poses) = (case.parry_poses(), case.box3d_poses());
    for _ in 0..rounds {
        let (mut tracker, mut manifold) = (Tracker::default(), Manifold::EMPTY);
        counters = Counters::default();
        keep(
            &mut ours,
            time(&case.poses, |pose| {
                if case.is_cold {
                    (tracker, manifold) = (Tracker::default(), Manifold::EMPTY);
                }
                let (a, b) = (&case.a, &case.b);
                collide(
                    a,
                    b,
                    pose,
                    &settings,
                    &mut tracker,
                    &mut manifold,
                    &mut counters,
                );
                manifold.min_separation().into()
            }),
        );
        if let Some((a, b)) = &case.parry {
            let mut manifold = ContactManifold::<(), ()>::new();
            keep(
                &mut parry,
                time(&parry_poses, |pose| {
                    if case.is_cold {
                        manifold = ContactManifold::new();
                    }
                    let asked = DefaultQueryDispatcher.contact_manifold_convex_convex(
                        pose,
                        a,
                        b,
                        None,
                        None,
                        settings.margin,
                        &mut manifold,
                    );
                    let least = manifold.points.iter().map(|p| f64::from(p.dist));
                    asked.map_or(f64::NAN, |()| least.fold(f64::INFINITY, f64::min))
                }),
            );
        }
        if let Some([a, b]) = &case.hulls {
            let mut cache = b3::b3SATCache::default();
            let mut points = [b3::b3LocalManifoldPoint::default(); 32];
            keep(
                &mut box3d,
                time(&box3d_poses, |pose| {
                    if case.is_cold {
                        cache = b3::b3SATCache::default();
                    }
                    let mut manifold = b3::b3LocalManifold {
                        points: points.as_mut_ptr(),
                        ..Default::default()
                    };
                    // SAFETY: hulls, cache and the buffer of 32 points live through the call.
                    unsafe { b3::b3CollideHulls(&mut manifold, 32, a.0, b.0, *pose, &mut cache) };
                    let count = manifold.pointCount.clamp(0, 32) as usize;
                    let least = points[..count].iter().map(|p| f64::from(p.separation));
                    least.fold(f64::INFINITY, f64::min)
                }),
            );
        }
    }
    cells(ours, box3d, parry, "-".to_owned(), &counters)
}

fn cells(
    ours: Option<Answer>,
    box3d: Option<Answer>,
    parry: Option<Answer>,
    interval: String,
    counters: &Counters,
) -> Vec<String> {
    let Some(ours) = ours else { return Vec::new() };
    let none = || "-".to_owned();
    let ns = |answer: &Option<Answer>| {
        answer
            .as_ref()
            .map_or_else(none, |a| format!("{:.0}", a.nanoseconds))
    };
    // Shapes have size 1, so an error in metres is one in shares of the size.
    let error = |answer: &Option<Answer>| {
        let Some(answer) = answer else { return none() };
        let pairs = answer.distances.iter().zip(&ours.distances);
        let worst = pairs
            .map(|(theirs, ours)| (theirs - ours).abs())
            .fold(0.0, f64::max);
        format!("{worst:.0e}")
    };
    let answered = counters.walked + counters.held + counters.gjk;
    let walked = match answered {
        0 => none(),
        all => format!(
            "{:.1} %",
            100.0 * (counters.walked + counters.held) as f64 / all as f64
        ),
    };
    vec![
        format!("{:.0}", ours.nanoseconds),
        ns(&box3d),
        ns(&parry),
        box3d
            .as_ref()
            .map_or_else(none, |a| format!("{:.2}", ours.nanoseconds / a.nanoseconds)),
        parry
            .as_ref()
            .map_or_else(none, |a| format!("{:.1}", a.nanoseconds / ours.nanoseconds)),
        interval,
        error(&box3d),
        error(&parry),
        walked,
    ]
}
