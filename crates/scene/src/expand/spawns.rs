//! Spawns: the copies that appear later, worked out beforehand.

use drystone::geometry::glam::{DVec3, Quat};

use super::{Expander, Expansion, Scope, cells, resolve};
use crate::decode::{Item, Name, SpawnModel};
use crate::diagnostic::Sink;
use crate::spawn::{Copy, Spawn};

impl Expander<'_> {
    /// Adds all copies of all spawns. What is there so far is there from the start.
    pub(crate) fn spawns(&mut self, models: &[SpawnModel]) -> Vec<Spawn> {
        self.start = Some((self.out.bodies.len(), self.out.joints.len()));
        models.iter().map(|model| self.spawn(model)).collect()
    }

    fn spawn(&mut self, model: &SpawnModel) -> Spawn {
        let grid = &model.grid;
        let name = model.name.text.clone();
        let scope = Scope::world().inner(grid.position, grid.rotation, name.clone());
        let (bodies, joints) = self.template(&model.item, &model.name);
        let [nx, ny, nz] = grid.count;
        let mut copies = Vec::new();
        let count = nx.saturating_mul(ny).saturating_mul(nz);
        let size = bodies.len().max(1);
        if self.has_room(count.saturating_mul(size), model.name.span) {
            for (number, cell) in cells(grid.count, grid.order).enumerate() {
                let place = grid.step * DVec3::from_array(cell.map(|step| step as f64));
                let prefix = format!("{name}[{number}]");
                let inner = scope.copy(place, Quat::IDENTITY, prefix, number);
                copies.push(self.copy(&model.item, &model.name, &inner));
            }
        }
        Spawn {
            name,
            schedule: model.schedule,
            copies,
            grid: *grid,
            bodies,
            joints,
        }
    }

    fn copy(&mut self, item: &Item, name: &Name, scope: &Scope) -> Copy {
        let (bodies, joints) = (self.out.bodies.len(), self.out.joints.len());
        match item {
            Item::Body(model) => {
                let (position, rotation) = (model.def.position, model.def.rotation);
                let own = scope.prefix.clone();
                self.body(model, scope, position, rotation, own, name.span);
            }
            Item::Prefab(prefab) => self.prefab(prefab, scope),
        }
        Copy {
            bodies: bodies..self.out.bodies.len(),
            joints: joints..self.out.joints.len(),
        }
    }

    /// What each copy is, in its own frame; mistakes in it are reported with the copies.
    fn template(
        &self,
        item: &Item,
        name: &Name,
    ) -> (Vec<crate::scene::SceneBody>, Vec<crate::scene::SceneJoint>) {
        let unheard = Sink::default();
        let mut apart = Expander::new(&unheard, self.prefabs, self.lost_names);
        let scope = Scope {
            copy: Some(0),
            ..Scope::world()
        };
        apart.copy(item, name, &scope);
        let joints = resolve(&mut apart);
        let Expansion { mut bodies, .. } = apart.out;
        for body in &mut bodies {
            // A prefab's names begin with the name of the copy, which is empty here.
            let local = body.name.trim_start_matches('/').to_owned();
            body.def.name.clone_from(&local);
            body.name = local;
        }
        let joints = joints.into_iter().map(|joint| crate::scene::SceneJoint {
            name: joint.name.trim_start_matches('/').to_owned(),
            ..joint
        });
        (bodies, joints.collect())
    }
}
