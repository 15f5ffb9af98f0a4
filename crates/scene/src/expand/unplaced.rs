//! Prefabs that nothing places: a mistake in one is a mistake.

use super::{Expander, Names, Scope, resolve};
use crate::scene::SceneBody;

impl Expander<'_> {
    /// Reports the mistakes of prefabs that were not placed, as if each had been, at the origin of a
    /// world of its own. All together they may have as many bodies as a scene, which are returned.
    pub(crate) fn unplaced(&self) -> Vec<SceneBody> {
        let mut apart = Expander::new(self.sink, self.prefabs, self.lost_names);
        apart.in_use.clone_from(&self.in_use);
        for (name, group) in self.prefabs {
            if apart.in_use.contains(name.as_str()) {
                continue;
            }
            let scope = Scope {
                prefix: format!("{name}/"),
                copy: Some(0),
                ..Scope::world()
            };
            apart.group(group, &scope);
            resolve(&mut apart);
            apart.out.names = Names::default();
            apart.out.joint_names = Names::default();
        }
        apart.out.bodies
    }
}
