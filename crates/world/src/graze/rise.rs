//! Rises: what gets on in a bowl of triangles is carried along the chord of its way.
//!
//! A contact holds for a whole step, in which a shape gets on along the plane of the triangle it is on.
//! In a bowl that leads below the next ones. What the next step then lifts out again is energy for
//! nothing, and the more of it the longer a step and the finer the bowl: in a half-pipe a capsule swung
//! higher and higher. The plane of the triangle at the end of the way is no better: it is too steep for
//! all the way before, and what it bears is taken from the speed. So such a contact acts with the plane
//! through where its points are and where the surface lets them be in the end, and what pushes square to
//! a way does no work.

use drystone_geometry::Frame;
use drystone_geometry::glam::DVec3;
use drystone_geometry::manifold::MAX_POINTS;
use drystone_geometry::mesh::Triangle;
use drystone_solver::{Anchors, Contact};

use super::Graze;
use super::surface::Passage;
use crate::continuous::Sweep;
use crate::tolerance::{GRAZE_ALIKE, GRAZE_STEEP, GRAZE_TURN_SINE_SQ, GRAZE_WAY, RISE_SPAN};

/// A point of a contact on its way over the surface, in the surface's frame: the centre of the
/// roundness that touches there.
#[derive(Clone, Copy, Debug, Default)]
struct Carrier {
    /// In metres.
    radius: f64,
    start: DVec3,
    /// Where it would get if nothing held it up.
    fallen: DVec3,
    /// Whether it comes down rather than getting on.
    falls: bool,
    /// Whether it begins over a triangle whose plane is that of the contact.
    is_here: bool,
    /// Whether it ends there too.
    stays: bool,
    /// The planes of triangles known to be under it at the start and in the end.
    under: [Option<Ground>; 2],
    /// Of the contact.
    plane: Ground,
    /// Where the surface lets it be in the end.
    end: DVec3,
    /// Unit, out of the surface: of what it moves along.
    normal: DVec3,
    /// Gap in metres in the end if nothing held it up.
    gap: f64,
}

impl Carrier {
    /// Whether the plane of its contact is what it moves along.
    fn keeps_plane(&self) -> bool {
        self.falls || self.stays
    }

    /// The same along a plane.
    fn along(self, ground: &Ground) -> Self {
        let gap = ground.gap + ground.normal.dot(self.fallen - self.start);
        Self {
            end: self.fallen - gap * ground.normal,
            normal: ground.normal,
            gap,
            ..self
        }
    }
}

/// What a carrier touches, or is above, at a moment.
#[derive(Clone, Copy, Debug, Default)]
struct Ground {
    /// Unit, out of the surface, in its frame.
    normal: DVec3,
    /// In metres.
    gap: f64,
}

impl Ground {
    /// The way of a carrier from this to a plane that rises from it, if that does. It is at `start`, and
    /// would come to `fallen` if nothing held it up. Returns where it ends, the normal of its way, and the gap
    /// there if nothing held it up.
    fn rise_to(&self, last: &Self, start: DVec3, fallen: DVec3) -> Option<(DVec3, DVec3, f64)> {
        let end = fallen - last.gap * last.normal;
        // From where it comes to the plane of now.
        let reached = if self.gap > 0.0 {
            let closing = -self.normal.dot(fallen - start);
            (self.gap / closing.max(self.gap)) * (fallen - start)
        } else {
            -self.gap * self.normal
        };
        let chord = end - start - reached;
        let mean = self.normal + last.normal;
        let square = mean - (mean.dot(chord) / chord.length_squared()) * chord;
        let rises = self.normal.dot(chord) > 0.0 && last.normal.dot(chord) < 0.0;
        rises.then(|| (end, square.normalize_or(last.normal), last.gap))
    }
}

impl Passage<'_> {
    /// The contact for this step of a shape that gets on over triangles whose planes differ from that of
    /// the contact: over those that rise, and over one of several that share it.
    pub(super) fn risen(&self) -> Option<Contact> {
        let Self { graze, contact, .. } = self;
        let sweeps = graze.ways()?;
        let mut carriers = [Carrier::default(); MAX_POINTS];
        let carriers = &mut carriers[..contact.points().len()];
        let moments = self.moments(&sweeps);
        for (index, carrier) in carriers.iter_mut().enumerate() {
            *carrier = self.carrier(&moments, index);
        }
        self.note_places(carriers);
        if carriers.iter().all(Carrier::keeps_plane) {
            return None;
        }
        let least = |carriers: &[Carrier]| carriers.iter().map(|c| c.gap).fold(0.0, f64::min);
        let (lowest, most) = (least(carriers), RISE_SPAN * f64::from(graze.margin()));
        for carrier in carriers.iter_mut() {
            // Its plane leans by no more than that of a wall.
            let lower = GRAZE_STEEP * carrier.start.distance(carrier.fallen);
            if !carrier.keeps_plane() && carrier.gap - lower <= lowest + most {
                self.follow(&moments, carrier);
            }
        }
        // What ends up above the others bears nothing.
        let lowest = least(carriers);
        let mut sum = DVec3::ZERO;
        let mut is_other = false;
        for carrier in carriers.iter() {
            let share = 1.0 - (carrier.gap - lowest) / most;
            if share > 0.0 {
                let turned_sq = carrier.normal.cross(self.up()).length_squared();
                is_other |= turned_sq >= GRAZE_TURN_SINE_SQ;
                sum += share * carrier.normal;
            }
        }
        is_other.then(|| self.carried(carriers, sum.normalize_or(self.up())))
    }

    /// Notes what is known of the triangles under the carriers.
    fn note_places(&self, carriers: &mut [Carrier]) {
        for id in self.memory.faced() {
            if carriers.iter().all(Carrier::keeps_plane) {
                return;
            }
            let triangle = self.surface.triangle(id);
            let normal = triangle.normal.dot(self.up()).signum() * triangle.normal;
            let is_level = normal.cross(self.up()).length_squared() < GRAZE_TURN_SINE_SQ;
            for carrier in carriers.iter_mut().filter(|carrier| !carrier.keeps_plane()) {
                let places = [carrier.start, carrier.fallen];
                let are_over = places.map(|place| is_over(&triangle, place));
                carrier.is_here |= is_level && are_over[0];
                carrier.stays = is_level && are_over == [true; 2];
                for ((under, place), over) in carrier.under.iter_mut().zip(places).zip(are_over) {
                    let gap = normal.dot(place - triangle.corners[0]) - carrier.radius;
                    if over && under.is_none_or(|under| gap < under.gap) {
                        *under = Some(Ground { normal, gap });
                    }
                }
            }
        }
    }

    /// Out of the surface, in its frame.
    fn up(&self) -> DVec3 {
        if self.side == 0 {
            self.normal
        } else {
            -self.normal
        }
    }

    /// A point of the contact on its way along the plane of now.
    fn carrier(&self, [now, then]: &[[Frame; 2]; 2], index: usize) -> Carrier {
        let Self { graze, side, .. } = self;
        let up = self.up();
        let anchors = &self.contact.anchors()[index];
        let anchor = if *side == 0 { anchors.b } else { anchors.a };
        let pose = &graze.shapes[1 - side].center_pose;
        let touch = onto(now, pose.inverse_transform_point(anchor).as_dvec3());
        let way = graze.frames[*side].inverse_rotate(graze.velocity().as_dvec3());
        let radius = self.radius_at(index, way);
        let start = touch + radius * up;
        let [surface, shape] = *now;
        let coasted = onto(then, onto(&[shape, surface], start));
        // What comes down on a triangle hits that one.
        let way = coasted - start;
        let closing = up.dot(way).min(0.0);
        let falls = closing * closing > GRAZE_STEEP * GRAZE_STEEP * way.length_squared();
        let fallen = coasted + self.fall();
        let plane = Ground {
            normal: up,
            gap: f64::from(self.contact.points()[index].separation),
        };
        let carrier = Carrier {
            radius,
            start,
            fallen,
            falls,
            plane,
            ..Carrier::default()
        };
        carrier.along(&plane)
    }

    /// Frames of the surface and of the shape as the step begins and at its end.
    fn moments(&self, sweeps: &[Sweep<'_>; 2]) -> [[Frame; 2]; 2] {
        let time = f64::from(self.graze.settings.dt / self.graze.horizon());
        let [surface, shape] = [self.side, 1 - self.side].map(|side| &sweeps[side].motion);
        [
            [surface.start, shape.start],
            [surface.at(time), shape.at(time)],
        ]
    }

    /// Where a carrier gets that comes to other triangles, or lies on another than its contact says.
    fn follow(&self, [now, then]: &[[Frame; 2]; 2], carrier: &mut Carrier) {
        let Carrier {
            radius,
            start,
            fallen,
            ..
        } = *carrier;
        let first = if carrier.is_here {
            carrier.plane
        } else if let Some(first) = self.ground(now, start, radius, carrier.under[0]) {
            first
        } else {
            return;
        };
        let last = self.ground(then, fallen, radius, carrier.under[1]);
        let rise = last.and_then(|last| first.rise_to(&last, start, fallen));
        *carrier = match rise {
            Some((end, normal, gap)) => Carrier {
                end,
                normal,
                gap,
                ..*carrier
            },
            None => carrier.along(&first),
        };
    }

    /// The plane of the triangle that is nearest to a carrier, which may be known, if it bears the shape there
    /// and is no wall. The frames are those of the surface and of the shape.
    fn ground(
        &self,
        frames: &[Frame; 2],
        at: DVec3,
        radius: f64,
        known: Option<Ground>,
    ) -> Option<Ground> {
        let margin = f64::from(self.graze.margin());
        let nearest = || {
            let hit = self.surface.closest(at, radius + margin)?;
            let normal = hit.normal.dot(self.up()).signum() * hit.normal;
            let gap = normal.dot(at - hit.point) - radius;
            Some(Ground { normal, gap })
        };
        let ground = known.or_else(nearest)?;
        if ground.normal.dot(self.up()) < GRAZE_ALIKE {
            return None;
        }
        let [surface, passing] = frames;
        let shape = &self.graze.shapes[1 - self.side].shape;
        let (lowest, _) = shape.support(-passing.inverse_rotate(surface.rotate(ground.normal)));
        let beneath = radius - f64::from(shape.core_radius());
        let below = ground.normal.dot(at - onto(frames, lowest)) - beneath;
        (below <= f64::from(GRAZE_WAY) * margin).then_some(ground)
    }

    /// How far gravity takes what passes in the step, in the surface's frame, in metres.
    fn fall(&self) -> DVec3 {
        let Graze {
            frames,
            bodies,
            settings,
            ..
        } = &self.graze;
        let Some(body) = bodies[1 - self.side].filter(|body| body.is_dynamic()) else {
            return DVec3::ZERO;
        };
        let seconds_sq = 0.5 * settings.dt * self.graze.horizon();
        let pull = body.gravity_scale * body.locks.free_translation() * settings.gravity;
        frames[self.side].inverse_rotate((seconds_sq * pull).as_dvec3())
    }

    /// Radius in metres of what touches at a point, along its way.
    fn radius_at(&self, index: usize, way: DVec3) -> f64 {
        let (rounding, bend) = if self.side == 0 {
            (self.contact.radius_b, &self.contact.bend_b)
        } else {
            (self.contact.radius_a, &self.contact.bend_a)
        };
        let Some(&across) = bend.radius_across.get(index) else {
            return f64::from(rounding);
        };
        let direction = self.graze.frames[self.side].inverse_rotate(bend.across.as_dvec3());
        let cosine = direction.dot(way.normalize_or_zero());
        let beyond = f64::from(across) - f64::from(bend.radius_along);
        f64::from(rounding) + f64::from(bend.radius_along) + cosine * cosine * beyond
    }

    /// The contact with the normal `up` whose points keep above where the surface lets them be in the end.
    fn carried(&self, carriers: &[Carrier], up: DVec3) -> Contact {
        let Self { graze, side, .. } = self;
        let sign = if *side == 0 { 1.0 } else { -1.0 };
        let mut risen = *self.contact;
        risen.normal = (sign * graze.frames[*side].rotate(up)).as_vec3();
        for (index, carrier) in carriers.iter().enumerate() {
            let separation = up.dot(carrier.start - carrier.end);
            let touch = carrier.start - carrier.radius * up;
            let places = [touch - separation * up, touch];
            let mut places = places.map(|place| graze.frames[*side].transform_point(place));
            places.swap(0, *side);
            let anchor = |of: usize| {
                let own = graze.frames[of].inverse_transform_point(places[of]);
                graze.shapes[of].center_pose.transform_point(own.as_vec3())
            };
            risen.anchors[index] = Anchors {
                a: anchor(0),
                b: anchor(1),
            };
            risen.points[index].separation = separation as f32;
        }
        for bend in [&mut risen.bend_a, &mut risen.bend_b] {
            // It stays tangent.
            let across = bend.across - risen.normal.dot(bend.across) * risen.normal;
            bend.across = across.normalize_or_zero();
        }
        risen
    }
}

/// A point of the second frame in the first.
fn onto([first, second]: &[Frame; 2], point: DVec3) -> DVec3 {
    first.inverse_transform_point(second.transform_point(point))
}

/// Whether a point is over a triangle, or beneath it.
fn is_over(triangle: &Triangle, point: DVec3) -> bool {
    (0..3).all(|side| {
        let outward = triangle.side(side).cross(triangle.normal);
        outward.dot(point - triangle.corners[side]) <= 0.0
    })
}
