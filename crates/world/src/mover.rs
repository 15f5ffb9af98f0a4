//! A character's legs: an upright capsule that walks through a world by queries alone.
//!
//! The mover slides along walls, climbs steps and slopes, rides what it stands on and
//! pushes what is in its way. It is no body: it asks the world, which it never changes, and
//! says where it got to and whom it pushed; the caller applies that. So it can be stepped
//! any number of times for one step of the world, as rollback and prediction want.
//!
//! ```
//! use drystone::glam::{DVec3, Vec3};
//! use drystone::mover::{Mover, MoverState};
//! use drystone::{BodyDef, Settings, Shape, World};
//!
//! let mut world = World::new(Settings::default())?;
//! world.add_body(BodyDef::fixed().with_shape(Shape::half_space(Vec3::Y)))?;
//! let legs = Mover::default();
//! let mut state = MoverState::at(DVec3::new(0.0, 1.0, 0.0));
//! for _ in 0..60 {
//!     world.step();
//!     let walk = Vec3::new(2.0, 0.0, 0.0);
//!     for push in legs.step(&world, &mut state, walk, 1.0 / 60.0)? {
//!         world.apply_impulse(push.body, push.impulse, push.point)?;
//!     }
//! }
//! assert!(state.ground.is_some());
//! assert!((state.position.x - 2.0).abs() < 0.05);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{Shape, WorldPose, rotation};
use serde::{Deserialize, Serialize};

use crate::queries::{CastHit, Overlap, QueryFilter};
use crate::tolerance::{
    MOVER_BENDS, MOVER_REST, MOVER_ROUNDS, MOVER_SQUEEZE, MOVER_THINNEST, MOVER_WEDGED,
};
use crate::{BodyKey, BodyKind, DefError, Filter, World, check};

/// How a character walks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mover {
    /// Half the length of the capsule's core, along Y, in metres.
    pub half_height: f32,
    /// Radius of the capsule, in metres.
    pub radius: f32,
    /// Gap it keeps to everything, in metres, above 0 and below the radius, better well below.
    pub skin: f32,
    /// Cosine of the steepest slope it stands on, from -1 to 1; steeper ones are walls.
    pub min_slope_cos: f32,
    /// Highest step it climbs and lowest it follows down, in metres, at least 0.
    pub step_height: f32,
    /// Mass with which it pushes dynamic bodies, in kg, finite and at least 0; 0 pushes none.
    pub push_mass: f32,
    /// What it meets.
    pub filter: Filter,
    /// A body it looks through, such as one that stands for it in the world.
    pub exclude: Option<BodyKey>,
}

impl Default for Mover {
    /// A person of 1.8 m.
    fn default() -> Self {
        Self {
            half_height: 0.55,
            radius: 0.35,
            skin: 0.02,
            min_slope_cos: 0.7,
            step_height: 0.35,
            push_mass: 70.0,
            filter: Filter::default(),
            exclude: None,
        }
    }
}

/// Where a mover is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoverState {
    /// Centre of the capsule in the world, in metres.
    pub position: DVec3,
    /// Speed along Y while in the air, in m/s; set it to jump.
    pub rise: f32,
    /// What it stands on.
    pub ground: Option<Ground>,
}

impl MoverState {
    /// In the air at a place.
    pub fn at(position: DVec3) -> Self {
        Self {
            position,
            rise: 0.0,
            ground: None,
        }
    }
}

/// What a mover stands on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ground {
    /// The body.
    pub body: BodyKey,
    /// Where, in the world, in metres.
    pub point: DVec3,
    /// Unit, up from it, in the world.
    pub normal: Vec3,
}

/// A push that the mover gave to a body, for [`World::apply_impulse`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// Whom.
    pub body: BodyKey,
    /// In the world, in N s.
    pub impulse: Vec3,
    /// Where, in the world, in metres.
    pub point: DVec3,
}

impl Mover {
    /// Walks for `dt` seconds, from 0 to 1000: `walk` is the wanted velocity over ground in m/s, of which
    /// only the horizontal part counts. Gravity is the world's. Returns whom it pushed.
    ///
    /// In the air `walk` is the velocity in the world: whoever jumps from what moves adds its velocity
    /// to go on with it. Where it is too steep to stand the mover slides down, without friction.
    ///
    /// Fails, changing nothing, when the capsule or a number is impossible, or when the way leads
    /// out of the world.
    pub fn step(
        &self,
        world: &World,
        state: &mut MoverState,
        walk: Vec3,
        dt: f32,
    ) -> Result<Vec<Push>, DefError> {
        let mut next = *state;
        let pushes = self.advance(world, &mut next, walk, dt)?;
        *state = next;
        Ok(pushes)
    }

    fn advance(
        &self,
        world: &World,
        state: &mut MoverState,
        walk: Vec3,
        dt: f32,
    ) -> Result<Vec<Push>, DefError> {
        check::mover(self)?;
        check::dt(dt)?;
        check::vector("walk", walk)?;
        check::position("position", state.position)?;
        check::speed("rise", state.rise)?;
        let mut walker = Walker {
            mover: self,
            world,
            capsule: Shape::capsule(self.half_height, self.radius),
            skin: f64::from(self.skin),
            position: state.position,
            pushes: Vec::new(),
            dt,
        };
        walker.get_out()?;
        let carried = walker.carried(state);
        walker.slide(carried, false)?;
        let walk = Vec3::new(walk.x, 0.0, walk.z);
        let rising = state.rise > 0.0;
        if state.ground.is_some() && !rising {
            walker.stride((walk * dt).as_dvec3())?;
            state.ground = walker.ground(self.step_height)?;
        } else {
            state.rise += world.settings().gravity.y * dt;
            // Apart: what is a wall to a walk is a slide to a fall.
            walker.slide((walk * dt).as_dvec3(), true)?;
            let before = walker.position;
            walker.slide(DVec3::Y * f64::from(state.rise * dt), false)?;
            let rose = (walker.position.y - before.y) as f32;
            let bumped = state.rise > 0.0 && rose < 0.5 * state.rise * dt;
            let wedged = state.rise * dt < -self.skin && rose > MOVER_WEDGED * state.rise * dt;
            if bumped || wedged {
                state.rise = 0.0;
            }
            state.ground = if state.rise > 0.0 {
                None
            } else {
                walker.ground(self.skin)?
            };
        }
        if state.ground.is_some() {
            state.rise = 0.0;
        }
        state.position = walker.position;
        Ok(walker.pushes)
    }
}

/// One step of a mover under way.
struct Walker<'a> {
    mover: &'a Mover,
    world: &'a World,
    /// What looks ahead: the mover's own capsule, or a thinner one where that does not fit.
    capsule: Shape,
    /// Gap that it keeps, in metres.
    skin: f64,
    position: DVec3,
    pushes: Vec<Push>,
    dt: f32,
}

impl Walker<'_> {
    fn filter(&self) -> QueryFilter<'static> {
        QueryFilter {
            filter: self.mover.filter,
            exclude: self.mover.exclude,
            sensors: false,
            predicate: None,
        }
    }

    fn cast(&self, way: DVec3) -> Result<Option<CastHit>, DefError> {
        let start = WorldPose::from_position(self.position);
        let cast = self
            .world
            .cast_shape(&self.capsule, &start, way, &self.filter());
        // What it overlaps and leaves again does not hold it.
        Ok(cast?.filter(|hit| hit.fraction > 0.0 || way.dot(hit.normal.as_dvec3()) < 0.0))
    }

    /// Height of the capsule's centre over the ground it stands on.
    fn height(&self) -> f64 {
        f64::from(self.mover.half_height + self.mover.radius)
    }

    /// Whether one stands on what was met below: it is level enough, or the round foot met
    /// the edge of something that is.
    fn holds(&self, hit: &CastHit) -> bool {
        if self.is_ground(hit.normal) {
            return true;
        }
        let out = hit.point - self.position;
        let out = DVec3::new(out.x, 0.0, out.z).normalize_or_zero();
        let skin = f64::from(self.mover.skin);
        let from = hit.point + (out + DVec3::Y) * skin;
        let below = (self.world).cast_ray(from, DVec3::NEG_Y * (2.0 * skin), &self.filter());
        below.is_some_and(|below| below.fraction > 0.0 && self.is_ground(below.normal))
    }

    fn is_ground(&self, normal: Vec3) -> bool {
        normal.y >= self.mover.min_slope_cos
    }

    /// Leaves what it overlaps, the shortest way first. What it stays in narrows it.
    fn get_out(&mut self) -> Result<(), DefError> {
        for _ in 0..MOVER_ROUNDS {
            let pose = WorldPose::from_position(self.position);
            let deepest = (self.world).deepest_overlap(&self.capsule, &pose, &self.filter())?;
            let Some(Overlap { depth, normal, .. }) = deepest else {
                return Ok(());
            };
            self.position += normal.as_dvec3() * (depth + f64::from(self.mover.skin) * 0.5);
        }
        self.squeeze()
    }

    /// Looks ahead with a thinner capsule, and a wider gap around it, where the mover is still in
    /// something, as between a floor and a ceiling that comes down: what it overlaps would hide what
    /// lies behind.
    fn squeeze(&mut self) -> Result<(), DefError> {
        let pose = WorldPose::from_position(self.position);
        let overlap = (self.world).deepest_overlap(&self.capsule, &pose, &self.filter())?;
        let Some(Overlap { depth, .. }) = overlap else {
            return Ok(());
        };
        let Mover { radius, skin, .. } = *self.mover;
        let thinner = (depth as f32 + MOVER_SQUEEZE * skin).min(MOVER_THINNEST * radius);
        self.capsule = Shape::capsule(self.mover.half_height, radius - thinner);
        self.skin += f64::from(thinner);
        Ok(())
    }

    /// How what it stands on moves it, in metres: straight on and around its centre of mass, on the
    /// arc on which it went or goes.
    fn carried(&self, state: &MoverState) -> DVec3 {
        let Some(ground) = state.ground else {
            return DVec3::ZERO;
        };
        let Ok(body) = self.world.body(ground.body) else {
            return DVec3::ZERO;
        };
        let way = (body.linear_velocity() * self.dt).as_dvec3();
        let turn = rotation::from_scaled_axis(body.angular_velocity() * self.dt);
        let arm = ground.point - (body.center_of_mass() - way);
        way + rotation::to_dmatrix(rotation::to_double(turn)) * arm - arm
    }

    /// Moves along `way` as far as it goes and along what it meets for the rest. To a walk,
    /// slopes too steep to stand on are walls.
    fn slide(&mut self, way: DVec3, is_walk: bool) -> Result<(), DefError> {
        let (skin, mut rest) = (self.skin, way);
        let mut walls: Vec<DVec3> = Vec::new();
        for _ in 0..MOVER_BENDS {
            let length = rest.length();
            // A slow way is gone; what is left of one after a bend need not be.
            let least = if walls.is_empty() {
                0.0
            } else {
                skin * MOVER_REST
            };
            if length <= least {
                break;
            }
            let reach = rest * ((length + skin) / length);
            let Some(hit) = self.cast(reach)? else {
                self.position += rest;
                break;
            };
            let free = (hit.fraction * (length + skin) - skin).clamp(0.0, length);
            self.position += rest * (free / length);
            rest *= 1.0 - free / length;
            self.push(&hit, rest);
            // Of unit length in double precision: what slides along a wall may not go into it.
            let mut normal = hit.normal.as_dvec3().normalize();
            if is_walk && !self.is_ground(hit.normal) && hit.normal.y > 0.0 {
                normal = DVec3::new(normal.x, 0.0, normal.z).normalize_or(normal);
            }
            walls.push(normal);
            rest = along_walls(rest, &walls);
        }
        Ok(())
    }

    /// Walks on the ground: level, and over what is no higher than a step.
    fn stride(&mut self, way: DVec3) -> Result<(), DefError> {
        let start = self.position;
        let pushed = self.pushes.len();
        self.slide(way, true)?;
        let level = self.position;
        let wanted = way.length();
        if wanted == 0.0 || gained(start, level, way) > wanted * 0.99 {
            return Ok(());
        }
        // Up by a step, on, and down again.
        let climb = f64::from(self.mover.step_height);
        self.position = start;
        let up = self.cast(DVec3::Y * climb)?;
        let rise = up.map_or(climb, |hit| hit.fraction * climb) - self.skin;
        let level_pushes = self.pushes.split_off(pushed);
        if rise > 0.0 {
            self.position += DVec3::Y * rise;
            self.slide(way, true)?;
            let far = gained(start, self.position, way) > gained(start, level, way) + wanted * 0.01;
            let down = self.cast(DVec3::NEG_Y * (rise + self.skin))?;
            let highest = start.y - self.height() + climb;
            let lands = |hit: &CastHit| far && hit.point.y <= highest && self.holds(hit);
            if let Some(hit) = down.filter(lands) {
                let drop = hit.fraction * (rise + self.skin);
                self.position.y -= (drop - self.skin).max(0.0);
                return Ok(());
            }
        }
        self.position = level;
        self.pushes.truncate(pushed);
        self.pushes.extend(level_pushes);
        Ok(())
    }

    /// The ground within `below` metres under the capsule, onto which it settles.
    fn ground(&mut self, below: f32) -> Result<Option<Ground>, DefError> {
        let skin = self.skin;
        let reach = f64::from(below) + 2.0 * skin;
        let Some(hit) = self.cast(DVec3::NEG_Y * reach)? else {
            return Ok(None);
        };
        if !self.holds(&hit) {
            return Ok(None);
        }
        let gap = hit.fraction * reach;
        self.position.y += if gap < skin {
            self.room_above(skin - gap, gap)?
        } else {
            skin - gap
        };
        Ok(Some(Ground {
            body: hit.body,
            point: hit.point,
            normal: hit.normal,
        }))
    }

    /// How much of `lift` there is room for over a ground `gap` metres below, in metres: under a low
    /// ceiling both gaps are alike.
    fn room_above(&self, lift: f64, gap: f64) -> Result<f64, DefError> {
        let reach = lift + self.skin;
        let above = self.cast(DVec3::Y * reach)?;
        let room = above.map_or(reach, |hit| hit.fraction * reach);
        Ok(lift.min(0.5 * (room - gap)).max(0.0))
    }

    /// Notes the push of what it walks into with `rest` metres left to go.
    fn push(&mut self, hit: &CastHit, rest: DVec3) {
        let Ok(body) = self.world.body(hit.body) else {
            return;
        };
        if body.kind() != BodyKind::Dynamic || self.mover.push_mass <= 0.0 || self.dt <= 0.0 {
            return;
        }
        let into = -rest.dot(hit.normal.as_dvec3()) as f32 / self.dt;
        let closing = into + body.velocity_at(hit.point).dot(hit.normal);
        if closing > 0.0 && !self.is_ground(hit.normal) {
            // Products of the largest masses overflow.
            let mass = 1.0 / (1.0 / self.mover.push_mass + 1.0 / body.mass());
            self.pushes.push(Push {
                body: hit.body,
                impulse: -hit.normal * closing * mass,
                point: hit.point,
            });
        }
    }
}

/// How far one came along `way`.
fn gained(from: DVec3, to: DVec3, way: DVec3) -> f64 {
    (to - from).dot(way.normalize_or_zero())
}

/// The part of `way` that goes into none of the walls; along the line where two meet.
fn along_walls(way: DVec3, walls: &[DVec3]) -> DVec3 {
    let slack = 4.0 * f64::EPSILON * way.length();
    let free = |way: DVec3| walls.iter().all(|wall| way.dot(*wall) >= -slack);
    let mut best = DVec3::ZERO;
    for (i, wall) in walls.iter().enumerate() {
        let slid = way - *wall * way.dot(*wall).min(0.0);
        if free(slid) && slid.length_squared() > best.length_squared() {
            best = slid;
        }
        for other in &walls[..i] {
            let line = wall.cross(*other);
            if let Some(line) = line.try_normalize() {
                let slid = line * way.dot(line);
                if free(slid) && slid.length_squared() > best.length_squared() {
                    best = slid;
                }
            }
        }
    }
    if free(way) { way } else { best }
}
