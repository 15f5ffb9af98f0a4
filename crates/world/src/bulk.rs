//! Many bodies at once: loading a scene, streaming chunks of a large world in and out.

use drystone_broad_phase::{Activity, ProxyDef};

use crate::BodyKey;
use crate::World;
use crate::def::{BodyDef, BodyKind};
use crate::error::{DefError, StaleKey};
use crate::record::{BodyRecord, Place, ShapeRecord};

impl World {
    /// [`Self::add_body`] for many, with one answer each, in order. Those that are refused
    /// are left out; the others are added all the same.
    ///
    /// A thousand bodies and more come in several times faster than one by one, and later
    /// steps find their boxes better ordered. What happens in the world is the same.
    pub fn add_bodies(
        &mut self,
        defs: impl IntoIterator<Item = BodyDef>,
    ) -> Vec<Result<BodyKey, DefError>> {
        let defs = defs.into_iter();
        self.reserve(defs.size_hint().0);
        let mut waiting = Vec::with_capacity(defs.size_hint().0);
        let mut asleep = false;
        let answers = defs
            .map(|def| {
                let index = self.create_body(def)?;
                waiting.push(index);
                let record = &self.bodies[index as usize];
                let key = record.key;
                asleep |= matches!(record.place, Place::Asleep(_));
                if record.kind == BodyKind::Static {
                    // It wakes those that came before it, and none that come after.
                    if asleep {
                        self.enter_broad_phase(&waiting);
                        waiting.clear();
                        asleep = false;
                    }
                    self.wake_near(index);
                }
                Ok(key)
            })
            .collect();
        self.enter_broad_phase(&waiting);
        answers
    }

    /// [`Self::remove_body`] for many.
    ///
    /// Fails when a key is stale; the others are removed all the same.
    pub fn remove_bodies(&mut self, keys: &[BodyKey]) -> Result<(), StaleKey> {
        let mut outcome = Ok(());
        for key in keys {
            outcome = outcome.and(self.remove_body(*key));
        }
        outcome
    }

    /// Makes room for `more` bodies of one shape, so that adding them moves no array, and for an
    /// eighth as many that come later one by one: the first bullet fired in a large level must not
    /// move the level.
    fn reserve(&mut self, more: usize) {
        let more = more + more / 8;
        let more = self.body_keys.reserve(more);
        self.bodies.reserve(more);
        self.slot_of.reserve(more);
        self.statics.reserve(more);
        let more = self.shape_keys.reserve(more);
        self.shapes.reserve(more);
    }

    /// Enters the shapes of new bodies into the broad phase.
    pub(crate) fn enter_broad_phase(&mut self, new: &[u32]) {
        let (bodies, shapes) = (&self.bodies, &self.shapes);
        let proxies = new.iter().flat_map(|&body| proxies(bodies, shapes, body));
        let entered = if new.len() == 1 {
            let mut proxies = proxies;
            proxies.try_for_each(|(shape, def)| self.broad.insert(shape, def))
        } else {
            self.broad.insert_many(&self.workers, proxies)
        };
        debug_assert!(entered.is_ok(), "checked at the border");
    }
}

/// The shapes of a new body as the broad phase is to know them.
fn proxies(
    bodies: &[BodyRecord],
    shapes: &[ShapeRecord],
    body: u32,
) -> impl Iterator<Item = (u32, ProxyDef)> {
    let record = &bodies[body as usize];
    let activity = match record.place {
        Place::Static => Activity::Static,
        Place::Awake(_) => Activity::Awake,
        Place::Asleep(_) => Activity::Asleep,
    };
    let (frame, mut at) = (record.rest_pose.to_frame(), record.first_shape);
    std::iter::from_fn(move || {
        let index = at;
        let shape = shapes.get(index as usize)?;
        at = shape.next;
        let def = ProxyDef {
            aabb: shape.proxy_aabb(&frame, record.kind),
            activity,
            filter: shape.filter,
            owner: body,
        };
        Some((index, def))
    })
}
