//! Names of bodies and joints, and what a selector means.

use std::collections::BTreeMap;

use crate::diagnostic::Sink;

/// Indices by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    index: BTreeMap<String, usize>,
}

impl Names {
    /// Adds a name; the index it had already, if it was taken.
    pub(crate) fn insert(&mut self, name: String, index: usize) -> Option<usize> {
        if let Some(taken) = self.index.get(&name) {
            return Some(*taken);
        }
        self.index.insert(name, index);
        None
    }

    /// What one name means: itself, or one with `[first]`, `[middle]` or `[last]` in any
    /// of its parts.
    pub(crate) fn one(&self, name: &str) -> Option<usize> {
        if let Some(index) = self.index.get(name) {
            return Some(*index);
        }
        self.index.get(&self.resolved(name)?).copied()
    }

    /// The name with its places turned into numbers.
    fn resolved(&self, name: &str) -> Option<String> {
        let mut full = String::new();
        for part in name.split('/') {
            if !full.is_empty() {
                full.push('/');
            }
            let place = part
                .strip_suffix(']')
                .and_then(|part| part.rsplit_once('['));
            let Some((group, place @ ("first" | "middle" | "last"))) = place else {
                full.push_str(part);
                continue;
            };
            full.push_str(group);
            let count = self.numbered(&full);
            let number = match place {
                "first" => 0,
                "middle" => count / 2,
                _ => count.checked_sub(1)?,
            };
            full += &format!("[{number}]");
        }
        Some(full)
    }

    /// How many there are of `group[0]`, `group[1]` and so on without a break, bodies or
    /// copies of a prefab. The numbers are dense, so doubling and halving finds the end.
    fn numbered(&self, group: &str) -> usize {
        let has = |number: usize| {
            let name = format!("{group}[{number}]");
            let inside = format!("{name}/");
            let next = self.index.range(inside.clone()..).next();
            self.index.contains_key(&name) || next.is_some_and(|(key, _)| key.starts_with(&inside))
        };
        if !has(0) {
            return 0;
        }
        let mut low = 0;
        let mut high = 1;
        while has(high) {
            (low, high) = (high, high * 2);
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if has(middle) {
                low = middle
            } else {
                high = middle
            }
        }
        high
    }

    /// Everything a selector means, in the order of the indices: what [`Names::one`] says,
    /// or all of a pattern or a placed prefab.
    pub(crate) fn all(&self, selector: &str) -> Vec<usize> {
        if let Some(index) = self.one(selector) {
            return vec![index];
        }
        let Some(selector) = self.resolved(selector) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for open in ["[", "/"] {
            let start = format!("{selector}{open}");
            let range = self.index.range(start.clone()..);
            let inside = range.take_while(|(name, _)| name.starts_with(&start));
            found.extend(inside.map(|(_, index)| *index));
        }
        found.sort_unstable();
        found
    }

    /// Names near to `word`, and the names of groups.
    pub(crate) fn suggest(&self, word: &str, what: &str, sink: &Sink) -> String {
        if sink.is_crowded() {
            return format!("correct the name, or define the {what}");
        }
        let mut groups: Vec<&str> = Vec::new();
        for name in self.index.keys() {
            let group = name.split(['[', '/']).next().unwrap_or(name);
            if groups.last() != Some(&group) && groups.len() < 1000 {
                groups.push(group);
            }
        }
        let head = word.split(['[', '/']).next().unwrap_or(word);
        if groups.contains(&head) && head != word {
            return format!("`{head}` exists, but not this part of it");
        }
        crate::decode::suggest(head, &groups, what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        let mut names = Names::default();
        let list = (0..13).map(|i| format!("wall[{i}]"));
        for (index, name) in list
            .chain(["wall/deck[0]".to_owned(), "wallaby".to_owned()])
            .enumerate()
        {
            assert_eq!(names.insert(name, index), None);
        }
        names
    }

    /// Thirteen stones, a deck and an animal: counted by hand.
    #[test]
    fn selectors_mean_one_part_or_the_whole_group() {
        let names = names();
        for (selector, expected) in [
            ("wall[3]", vec![3]),
            ("wall[first]", vec![0]),
            ("wall[middle]", vec![6]),
            ("wall[last]", vec![12]),
            ("wallaby", vec![14]),
            ("wall", (0..14).collect()),
            ("wall/deck", vec![13]),
            ("wal", vec![]),
            ("wall[13]", vec![]),
        ] {
            assert_eq!(names.all(selector), expected, "{selector}");
        }
        assert_eq!(names.one("wall"), None);
    }
}
