//! Prefabs that nothing places: a mistake in one is a mistake.

use super::{Expander, Scope, resolve};

impl Expander<'_> {
    /// Reports the mistakes of prefabs that were not placed, as if each had been, at the origin.
    pub(crate) fn check_unplaced(&self) {
        let mut in_use = self.in_use.clone();
        for (name, group) in self.prefabs {
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
            resolve(&mut apart);
            in_use.append(&mut apart.in_use);
        }
    }
}
