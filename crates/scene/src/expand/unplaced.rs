//! Prefabs that nothing places: a mistake in one is a mistake.

use super::{Expander, Scope, resolve};
use crate::tolerance::MAX_BODIES;

impl Expander<'_> {
    /// Reports the mistakes of prefabs that were not placed, as if each had been, at the origin. Ends
    /// after as many bodies as a scene may have.
    pub(crate) fn check_unplaced(&self) {
        let mut in_use = self.in_use.clone();
        let mut made = 0;
        for (name, group) in self.prefabs {
            if made >= MAX_BODIES {
                return;
            }
            if in_use.contains(name.as_str()) {
                continue;
            }
            let mut apart = Expander::new(self.sink, self.prefabs, self.lost_names);
            let scope = Scope {
                prefix: format!("{name}/"),
                copy: Some(0),
                ..Scope::world()
            };
            apart.group(group, &scope);
            made += apart.placed + apart.out.bodies.len() + apart.out.joints.len();
            resolve(&mut apart);
            in_use.append(&mut apart.in_use);
        }
    }
}
