//! Bodies of several shapes rest on each other as on one.
//!
//! Where two bodies touch in several pairs of shapes, each pair has a contact of its own, whose
//! normal and points know nothing of the others. A box that is put together of two rests on the
//! floor by two patches, beside a seam on which four contacts meet; solved one after the other,
//! they rock it. So the contacts of two bodies that press one way act as one within a step: up to
//! four points of all of them carry the load, and what these bore goes back to the contact that
//! each came from. Contacts at a [seam] do not act.

use drystone_geometry::glam::{DVec3, Quat, Vec3};
use drystone_geometry::manifold::MAX_POINTS;
use drystone_geometry::rotation;
use drystone_narrow_phase::{MergedPatch, MergedPoint};
use drystone_solver::{Bend, Contact, ContactPoint};

use crate::World;
use crate::bend::is_curved;
use crate::record::Place;
use crate::stats::Stopwatch;
use crate::tolerance::{MERGED_COSINE, MERGED_GAP};

mod gap;
mod seam;

use gap::Gap;
use seam::seam_gap;

/// Contacts per unit of parallel work, at least.
const LOT: usize = 32;

/// A contact of two bodies, the lesser first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Member {
    bodies: [u32; 2],
    id: u32,
}

/// Contacts that act as one within a step. What it holds is of that step; kept for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Merging {
    members: Vec<Member>,
    lots: Vec<Lot>,
}

/// A unit of parallel work, and what came of it.
#[derive(Clone, Debug, Default)]
struct Lot {
    /// Among the members.
    range: std::ops::Range<usize>,
    views: Vec<View>,
    alike: Vec<View>,
    patch: MergedPatch,
    merged: Vec<Merged>,
    /// Contacts that do not act, and how many points they have.
    hidden: Vec<(u32, u32)>,
}

/// A contact that acts for several.
#[derive(Clone, Copy, Debug)]
struct Merged {
    /// The contact in whose place it acts.
    id: u32,
    /// As it acts; while it does, what the contact is otherwise.
    contact: Contact,
    /// The contact that each point came from, and its number there.
    sources: [[u32; 2]; MAX_POINTS],
}

/// A contact of a group, seen in the order of the group's bodies.
#[derive(Clone, Copy, Debug)]
struct View {
    id: u32,
    shapes: [u32; 2],
    /// Gap over which the faces of each shape go on, in metres.
    seams: [f32; 2],
    /// From the first body to the second, in world axes.
    normal: Vec3,
    /// Whether the contact has the bodies in the other order.
    flipped: bool,
    /// Whether it still acts by itself.
    acts: bool,
    /// Of its points along the normal, on the body they are looked at on, in metres.
    height: f32,
    /// Over its plane.
    gap: Gap,
}

impl World {
    /// Has the contacts of bodies with several shapes act as one for this step.
    pub(crate) fn merge_contacts(&mut self) {
        if (self.chunk_reports.iter()).all(|report| report.shared.is_empty()) {
            return;
        }
        let mut watch = Stopwatch::start();
        let mut merging = std::mem::take(&mut self.merging);
        self.gather(&mut merging.members);
        let count = cut(&merging.members, &mut merging.lots);
        self.stats.times.serial += watch.lap();
        let (world, members) = (&*self, &merging.members);
        let lots = merging.lots[..count].iter_mut();
        (self.workers).for_each(lots, |_, lot| world.merge_lot(lot, members));
        watch.lap();
        for lot in &mut merging.lots[..count] {
            for merged in &mut lot.merged {
                let contact = &mut self.contacts.solver[merged.id as usize];
                std::mem::swap(contact, &mut merged.contact);
            }
            for &(id, _) in &lot.hidden {
                self.contacts.solver[id as usize].count = 0;
            }
        }
        self.merging = merging;
        self.stats.times.serial += watch.lap();
    }

    /// Gives back to each contact what its points bore.
    pub(crate) fn part_contacts(&mut self) {
        let mut watch = Stopwatch::start();
        let mut merging = std::mem::take(&mut self.merging);
        for lot in &mut merging.lots {
            for &(id, count) in &lot.hidden {
                let contact = &mut self.contacts.solver[id as usize];
                contact.count = count;
                contact.forget_impulses();
            }
            for merged in &mut lot.merged {
                let contact = &mut self.contacts.solver[merged.id as usize];
                std::mem::swap(contact, &mut merged.contact);
                contact.forget_impulses();
                contact.friction_impulse = merged.contact.friction_impulse;
                contact.twist_impulse = merged.contact.twist_impulse;
                contact.rolling_impulse = merged.contact.rolling_impulse;
                for (point, [id, at]) in merged.contact.points().iter().zip(merged.sources) {
                    let own = &mut self.contacts.solver[id as usize].points[at as usize];
                    own.normal_impulse = point.normal_impulse;
                    own.max_normal_impulse = point.max_normal_impulse;
                }
            }
            for (id, _) in lot.hidden.drain(..) {
                let presses = self.contacts.solver[id as usize].presses();
                self.solver.set_pressing(id, presses);
            }
            for merged in lot.merged.drain(..) {
                let pressed = self.solver.is_pressing(merged.id);
                let presses = self.contacts.solver[merged.id as usize].presses();
                self.solver.set_pressing(merged.id, presses);
                let points = merged.contact.points().len();
                let sources = &merged.sources[..points];
                // What an impact pressed with is gone by the end of the step.
                let is_over = |&[id, _]: &[u32; 2]| !self.solver.is_pressing(id);
                if pressed && sources.iter().all(is_over) {
                    for &[id, _] in sources {
                        self.solver.set_pressing(id, true);
                    }
                }
            }
        }
        self.merging = merging;
        self.stats.times.serial += watch.lap();
    }

    /// The contacts with points of all pairs of bodies that may have several, pair by pair.
    fn gather(&self, members: &mut Vec<Member>) {
        members.clear();
        let wholes = self.chunk_reports.iter().flat_map(|report| &report.shared);
        for id in wholes.flat_map(|&whole| self.contacts.with_parts(whole, false)) {
            if self.acts(id) {
                let [a, b] = self.contacts.links[id as usize].bodies;
                let bodies = [a.min(b), a.max(b)];
                members.push(Member { bodies, id });
            }
        }
        members.sort_unstable();
    }

    /// A contact as it acted in the last step: with the points of all those that it has the friction of.
    ///
    /// They are chosen anew, as nothing keeps them. Those that bore something stay, so it is the same
    /// choice but where a step has just put points in the place of others.
    pub(crate) fn acting_contact(&self, id: u32) -> Contact {
        let own = self.contacts.solver[id as usize];
        let links = self.contacts.links[id as usize];
        let shapes = links.shapes.map(|shape| &self.shapes[shape as usize]);
        let is_bare = own.friction_impulse == Vec3::ZERO && own.twist_impulse == 0.0;
        if is_bare || shapes.iter().all(|shape| !shape.shares_body) {
            return own;
        }
        let [a, b] = links.bodies;
        let bodies = [a.min(b), a.max(b)];
        let of_first = self.contacts.of_body(&self.bodies[bodies[0] as usize]);
        let mut members: Vec<_> = (of_first.map(|(id, _)| id))
            .filter(|other| {
                let [a, b] = self.contacts.links[*other as usize].bodies;
                [a.min(b), a.max(b)] == bodies && self.acts(*other)
            })
            .map(|id| Member { bodies, id })
            .collect();
        members.sort_unstable();
        let mut lot = Lot::default();
        if members.len() > 1 {
            self.merge_group(&mut lot, &members);
        }
        let mut merged = lot.merged.iter();
        let found = merged.find(|merged| merged.id == id);
        found.map_or(own, |merged| merged.contact)
    }

    /// Whether the solver has the contact, and points of it.
    fn acts(&self, id: u32) -> bool {
        self.contacts.states[id as usize].constrained && self.contacts.solver[id as usize].count > 0
    }

    fn merge_lot(&self, lot: &mut Lot, members: &[Member]) {
        let of_lot = &members[lot.range.clone()];
        for group in of_lot.chunk_by(|one, next| one.bodies == next.bodies) {
            if group.len() > 1 {
                self.merge_group(lot, group);
            }
        }
    }

    /// The contacts of two bodies.
    fn merge_group(&self, lot: &mut Lot, group: &[Member]) {
        let bodies = group[0].bodies;
        let rotations = bodies.map(|body| self.rotation_of(body));
        // Points are told apart on the body that moves: anchors on a large ground are rounded.
        let side = usize::from(!self.is_pushed(bodies[0]));
        lot.views.clear();
        lot.views.extend(group.iter().map(|member| {
            let i = member.id as usize;
            let flipped = self.contacts.links[i].bodies != bodies;
            let mut shapes = self.contacts.links[i].shapes;
            let contact = &self.contacts.solver[i];
            let mut normal = contact.normal;
            if flipped {
                shapes.reverse();
                normal = -normal;
            }
            let mut view = View {
                id: member.id,
                shapes,
                seams: shapes.map(|shape| seam_gap(&self.shapes[shape as usize])),
                normal,
                flipped,
                acts: true,
                height: 0.0,
                gap: Gap::default(),
            };
            let along = rotation::rotate_inverse(rotations[side], normal);
            let heights = self.anchors(&view, side).map(|anchor| along.dot(anchor));
            view.height = heights.sum::<f32>() / contact.count as f32;
            view.gap = Gap::of(self.places(&view, side));
            view
        }));
        self.hide(lot, rotations);
        // The widest first: the others lie on its plane or do not.
        lot.views.sort_unstable_by(|one, next| {
            next.gap
                .area
                .total_cmp(&one.gap.area)
                .then(one.id.cmp(&next.id))
        });
        for at in 0..lot.views.len() {
            if lot.views[at].acts {
                self.merge_like(lot, at, side, rotations[side]);
            }
        }
    }

    /// Merges a contact with those behind it that press the same way on the same plane. The first
    /// of them all stands for the others.
    fn merge_like(&self, lot: &mut Lot, at: usize, side: usize, rotation: Quat) {
        let seed = lot.views[at];
        lot.alike.clear();
        lot.alike.push(seed);
        for view in &mut lot.views[at + 1..] {
            if view.acts && self.are_alike(&seed, view, side) {
                view.acts = false;
                lot.alike.push(*view);
            }
        }
        if lot.alike.len() == 1 {
            return;
        }
        lot.alike.sort_unstable_by_key(|view| view.id);
        let first = lot.alike[0];
        let mut merged = Merged {
            id: first.id,
            contact: self.contacts.solver[first.id as usize],
            sources: [[0; 2]; MAX_POINTS],
        };
        let mut sum = DVec3::ZERO;
        lot.patch.points.clear();
        self.add_points(&first, side, &mut lot.patch.points, &mut sum);
        // None is round: those whose points go along hang.
        let mut hangs = merged.contact.hangs();
        for view in &lot.alike[1..] {
            self.add_points(view, side, &mut lot.patch.points, &mut sum);
            let contact = &self.contacts.solver[view.id as usize];
            lot.hidden.push((view.id, contact.count));
            hangs |= contact.hangs();
            add_impulses(&mut merged.contact, contact, view.flipped != first.flipped);
        }
        let normal = sum.normalize_or(first.normal.as_dvec3()).as_vec3();
        let along = rotation::rotate_inverse(rotation, normal);
        let margin = f64::from(self.margin_of(&first));
        let count = lot.patch.choose(along.as_dvec3(), margin);
        let (kept, others) = lot.patch.points.split_at(count);
        let contact = &mut merged.contact;
        contact.normal = if first.flipped { -normal } else { normal };
        contact.count = count as u32;
        if hangs {
            (contact.bend_a, contact.bend_b) = (Bend::corner(normal), Bend::corner(normal));
        }
        for (k, point) in kept.iter().enumerate() {
            let [id, number] = point.source;
            let own = &self.contacts.solver[id as usize];
            let mut anchors = own.anchors[number as usize];
            if own.body_a != contact.body_a {
                std::mem::swap(&mut anchors.a, &mut anchors.b);
            }
            contact.anchors[k] = anchors;
            contact.points[k] = own.points[number as usize];
            merged.sources[k] = point.source;
        }
        for other in others {
            let [id, number] = other.source;
            let borne = self.contacts.solver[id as usize].points[number as usize].normal_impulse;
            let distance = |point: &MergedPoint| point.place.distance_squared(other.place);
            let nearest =
                (0..count).min_by(|&i, &j| distance(&kept[i]).total_cmp(&distance(&kept[j])));
            if let Some(nearest) = nearest {
                contact.points[nearest].normal_impulse += borne;
            }
        }
        lot.merged.push(merged);
    }

    /// Adds the points of a contact, and its normal as often as they reach under the margin.
    fn add_points(&self, view: &View, side: usize, points: &mut Vec<MergedPoint>, sum: &mut DVec3) {
        let contact = &self.contacts.solver[view.id as usize];
        let margin = self.margin_of(view);
        let numbered = (0..).zip(contact.points()).zip(self.anchors(view, side));
        for ((number, point), anchor) in numbered {
            let ContactPoint {
                separation,
                normal_impulse,
                feature,
                ..
            } = *point;
            let reach = (margin - separation).max(f32::MIN_POSITIVE);
            *sum += (view.normal * reach).as_dvec3();
            points.push(MergedPoint {
                place: anchor.as_dvec3(),
                separation: f64::from(separation),
                id: feature ^ view.id.rotate_left(16),
                was_kept: normal_impulse > 0.0,
                source: [view.id, number],
            });
        }
    }

    /// Whether two contacts of the same bodies may act as one.
    fn are_alike(&self, one: &View, other: &View, side: usize) -> bool {
        let [a, b] = [one, other].map(|view| &self.contacts.solver[view.id as usize]);
        let mut b = *b;
        if one.flipped != other.flipped {
            std::mem::swap(&mut b.radius_a, &mut b.radius_b);
            b.tangent_velocity = -b.tangent_velocity;
        }
        let is_curved = |view: &View| {
            let shapes = view.shapes.iter();
            shapes
                .into_iter()
                .any(|shape| is_curved(&self.shapes[*shape as usize].shape))
        };
        let margin = self.margin_of(one).max(self.margin_of(other));
        let near = f64::from(MERGED_GAP * margin);
        let mut places = self.places(other, side);
        one.normal.dot(other.normal) >= MERGED_COSINE
            && (one.height - other.height).abs() <= margin
            && a.friction == b.friction
            && a.restitution == b.restitution
            && a.tangent_velocity == b.tangent_velocity
            && [a.radius_a, a.radius_b] == [b.radius_a, b.radius_b]
            && places.all(|(place, gap)| (one.gap.at(place) - gap).abs() <= near)
            && !is_curved(one)
            && !is_curved(other)
    }

    /// Where the points of a contact lie on one of the bodies, from its centre and in its axes.
    fn anchors(&self, view: &View, side: usize) -> impl Iterator<Item = Vec3> + Clone + '_ {
        let is_on_b = (side == 1) != view.flipped;
        let anchors = self.contacts.solver[view.id as usize].anchors();
        anchors
            .iter()
            .map(move |anchors| if is_on_b { anchors.b } else { anchors.a })
    }

    /// The same, with the gap there.
    fn places(&self, view: &View, side: usize) -> impl Iterator<Item = (DVec3, f64)> + Clone + '_ {
        let points = self.contacts.solver[view.id as usize].points();
        let gaps = points.iter().map(|point| f64::from(point.separation));
        self.anchors(view, side)
            .map(|anchor| anchor.as_dvec3())
            .zip(gaps)
    }

    fn margin_of(&self, view: &View) -> f32 {
        let [a, b] = view.shapes.map(|shape| self.shapes[shape as usize].margin);
        a.min(b)
    }

    /// Whether contacts push a body, or would if it were awake.
    pub(crate) fn is_pushed(&self, body: u32) -> bool {
        match self.bodies[body as usize].place {
            Place::Static => false,
            Place::Awake(slot) => self.awake[slot as usize].is_dynamic(),
            Place::Asleep(slot) => self.asleep[slot as usize].is_dynamic(),
        }
    }

    fn rotation_of(&self, body: u32) -> Quat {
        let record = &self.bodies[body as usize];
        match record.place {
            Place::Static => record.rest_pose.rotation,
            Place::Awake(slot) => self.awake[slot as usize].rotation,
            Place::Asleep(slot) => self.asleep[slot as usize].rotation,
        }
    }
}

/// Cuts groups of contacts into units of work; returns how many.
fn cut(members: &[Member], lots: &mut Vec<Lot>) -> usize {
    let mut count = 0;
    let mut start = 0;
    while start < members.len() {
        let mut end = members.len().min(start + LOT);
        while end < members.len() && members[end].bodies == members[end - 1].bodies {
            end += 1;
        }
        if count == lots.len() {
            lots.push(Lot::default());
        }
        lots[count].range = start..end;
        count += 1;
        start = end;
    }
    count
}

/// What another contact bore goes to the one that acts for it.
fn add_impulses(to: &mut Contact, from: &Contact, flipped: bool) {
    let sign = if flipped { -1.0 } else { 1.0 };
    to.friction_impulse += sign * from.friction_impulse;
    to.rolling_impulse += sign * from.rolling_impulse;
    // About the normal, which turns with the order.
    to.twist_impulse += from.twist_impulse;
    to.rolling_resistance = to.rolling_resistance.max(from.rolling_resistance);
}
