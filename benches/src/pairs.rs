//! Pairs of convex shapes of any number of corners and the poses they pass through, the
//! same for every engine that is compared.
//!
//! Everything follows from its arguments, bit for bit. Shapes fit in a ball of radius 1, so
//! sizes and gaps are in metres and shares of the size at once.

use drystone_geometry::glam::{DMat3, DQuat, DVec3, Vec3};
use drystone_geometry::{Frame, Shape, rotation};
use drystone_narrow_phase::{Counters, Tracker, distance_tracked};

/// A kind of hull that exists at every number of corners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Random points on the unit sphere: small faces, about six edges at every corner.
    Ball,
    /// An upright prism of radius 0.8 and height 1.2: half the corners around each of two
    /// large faces.
    Prism,
    /// An upright cone of radius 0.8 and height 1.2: all corners but one around one large
    /// face, and at the tip as many edges.
    Cone,
    /// A ball-like hull of half-axes 1, 0.6 and 0.4.
    Ellipsoid,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Ball, Self::Prism, Self::Cone, Self::Ellipsoid];

    /// A lower-case name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ball => "ball",
            Self::Prism => "prism",
            Self::Cone => "cone",
            Self::Ellipsoid => "ellipsoid",
        }
    }

    /// The corners: `count` of them, at least 4 (at least 6 and an even number for a prism).
    pub fn points(self, count: usize, seed: u64) -> Vec<Vec3> {
        let mut random = Random::new(seed);
        match self {
            Self::Ball => (0..count).map(|_| random.direction().as_vec3()).collect(),
            Self::Ellipsoid => {
                let half_axes = DVec3::new(1.0, 0.6, 0.4);
                (0..count)
                    .map(|_| (half_axes * random.direction()).as_vec3())
                    .collect()
            }
            Self::Prism => {
                let mut points = circle(count / 2, -0.6);
                points.extend(circle(count / 2, 0.6));
                points
            }
            Self::Cone => {
                let mut points = circle(count - 1, -0.4);
                points.push(Vec3::new(0.0, 0.8, 0.0));
                points
            }
        }
    }

    /// The hull of [`Family::points`].
    ///
    /// # Panics
    ///
    /// When `count` is too small for a solid.
    pub fn hull(self, count: usize, seed: u64) -> Shape {
        Shape::hull(&self.points(count, seed)).expect("enough corners for a solid")
    }
}

/// `count` points around the Y axis at a height.
fn circle(count: usize, height: f64) -> Vec<Vec3> {
    (0..count)
        .map(|i| {
            let angle = std::f64::consts::TAU * i as f64 / count as f64;
            DVec3::new(0.8 * libm::cos(angle), height, 0.8 * libm::sin(angle)).as_vec3()
        })
        .collect()
}

/// How far apart a pair is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// Gaps from 0.5 to 1.5.
    Far,
    /// Gaps from 0.001 to 0.1, evenly in their logarithm.
    Near,
    /// Depths from 0.0005 to 0.005, as of contacts at rest.
    Shallow,
    /// Depths from 0.1 to 0.4.
    Deep,
}

impl Gap {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Far, Self::Near, Self::Shallow, Self::Deep];

    /// A lower-case name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Far => "far",
            Self::Near => "near",
            Self::Shallow => "shallow",
            Self::Deep => "deep",
        }
    }

    /// The signed distance at a share, 0 to 1, of the way.
    fn at(self, share: f64) -> f64 {
        match self {
            Self::Far => 0.5 + share,
            Self::Near => libm::pow(10.0, -3.0 + 2.0 * share),
            Self::Shallow => -0.0005 - 0.0045 * share,
            Self::Deep => -0.1 - 0.3 * share,
        }
    }
}

/// A motion of B about A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Turn of B between two frames, in degrees, about an axis that wanders; B goes round
    /// A by half of it. Nothing for unrelated poses.
    pub degrees: Option<f64>,
    /// How far apart the pair is kept; the gap goes up and down over 100 frames.
    pub gap: Gap,
    /// Number of poses.
    pub frames: usize,
    /// Of the random numbers.
    pub seed: u64,
}

impl Motion {
    /// The poses of B in A's frame. Each has its signed distance within a thousandth of what
    /// [`Gap`] asks for.
    pub fn poses(&self, a: &Shape, b: &Shape) -> Vec<Frame> {
        let mut random = Random::new(self.seed);
        let mut direction = random.direction();
        let mut pose = random.rotation();
        let (mut spin, mut orbit) = (random.direction(), random.direction());
        let (mut tracker, mut counters) = (Tracker::default(), Counters::default());
        let mut along = 2.0;
        let mut poses = Vec::with_capacity(self.frames);
        for frame in 0..self.frames {
            match self.degrees {
                Some(degrees) => {
                    spin = (spin + 0.05 * random.direction()).normalize();
                    orbit = (orbit + 0.05 * random.direction()).normalize();
                    pose = turn(spin, degrees) * pose;
                    direction = turn(orbit, 0.5 * degrees) * direction;
                }
                None => {
                    pose = random.rotation();
                    direction = random.direction();
                }
            }
            let share = 0.5 - 0.5 * libm::cos(std::f64::consts::TAU * frame as f64 / 100.0);
            let asked = match self.degrees {
                Some(_) => self.gap.at(share),
                None => self.gap.at(random.unit()),
            };
            // The distance is a convex function of the way: Newton's rule converges.
            for _ in 0..40 {
                let at = place(pose, along * direction);
                let found = distance_tracked(a, b, &at, &mut tracker, &mut counters);
                let missing = asked - found.distance();
                if missing.abs() <= 0.001 * asked.abs() {
                    break;
                }
                let rate = found.normal.dot(direction);
                along += missing / if rate.abs() < 0.2 { 1.0 } else { rate };
            }
            poses.push(place(pose, along * direction));
        }
        poses
    }
}

/// A pose whose rotation is orthonormal to the last bit or nearly.
fn place(rotation: DMat3, translation: DVec3) -> Frame {
    let quaternion = rotation::from_dmatrix(rotation);
    Frame {
        rotation: rotation::to_dmatrix(quaternion),
        translation,
    }
}

/// A turn about a unit axis.
fn turn(axis: DVec3, degrees: f64) -> DMat3 {
    let (sin, cos) = libm::sincos(0.5 * degrees.to_radians());
    let v = sin * axis;
    rotation::to_dmatrix(DQuat::from_xyzw(v.x, v.y, v.z, cos))
}

/// SplitMix64.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence that `seed` names.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    /// Uniform from 0 to 1.
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A unit vector, uniform on the sphere.
    pub fn direction(&mut self) -> DVec3 {
        loop {
            let v = DVec3::new(self.unit(), self.unit(), self.unit()) * 2.0 - DVec3::ONE;
            if v.length_squared() <= 1.0 && v.length_squared() > 0.01 {
                return v.normalize();
            }
        }
    }

    /// A rotation, uniform.
    pub fn rotation(&mut self) -> DMat3 {
        loop {
            let [x, y, z, w] = [(); 4].map(|()| 2.0 * self.unit() - 1.0);
            let q = DQuat::from_xyzw(x, y, z, w);
            let length = (x * x + y * y + z * z + w * w).sqrt();
            if length <= 1.0 && length > 0.1 {
                let [x, y, z, w] = q.to_array().map(|part| part / length);
                return rotation::to_dmatrix(DQuat::from_xyzw(x, y, z, w));
            }
        }
    }
}
