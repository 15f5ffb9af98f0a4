//! Variants of scenes: all combinations of the swept values.

use drystone_scene::Override;

/// A path and the values it takes in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sweep {
    path: String,
    values: Vec<String>,
}

impl Sweep {
    /// Reads `path=[a, b, c]`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let whole = Override::parse(text)?;
        let inner = whole.value.strip_prefix('[');
        let inner = inner.and_then(|rest| rest.strip_suffix(']'));
        let values = inner.map(split).unwrap_or_default();
        if values.is_empty() {
            return Err(format!("`{text}` needs a list: write `path=[2, 4, 8]`"));
        }
        Ok(Self {
            path: whole.path,
            values,
        })
    }
}

/// Parts a RON list at its commas, not at those inside brackets and quotes. The text has
/// been read as RON before.
fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let (mut depth, mut quoted, mut escaped) = (0, false, false);
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    parts
        .iter_mut()
        .for_each(|part| *part = part.trim().to_owned());
    parts.retain(|part| !part.is_empty());
    parts
}

/// All combinations of the swept values, the last path changing fastest, each after the
/// values that are always `set`.
pub(crate) fn variants(set: &[Override], sweeps: &[Sweep]) -> Vec<Vec<Override>> {
    let mut all = vec![set.to_vec()];
    for sweep in sweeps {
        let with = |base: &Vec<Override>, value: &String| {
            let mut variant = base.clone();
            variant.push(Override {
                path: sweep.path.clone(),
                value: value.clone(),
            });
            variant
        };
        all = all
            .iter()
            .flat_map(|base| sweep.values.iter().map(move |value| with(base, value)))
            .collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two paths with two and three values: six variants, in the order written by hand.
    #[test]
    fn all_combinations_come_in_order() {
        let sweeps = [
            Sweep::parse("a=[1, 2]").unwrap(),
            Sweep::parse("b=[(0, 1), \"x, y\", [3, 4],]").unwrap(),
        ];
        let set = [Override::parse("c=9").unwrap()];
        let shown: Vec<String> = variants(&set, &sweeps)
            .iter()
            .map(|variant| {
                let values: Vec<&str> = variant.iter().map(|o| o.value.as_str()).collect();
                values.join(" ")
            })
            .collect();
        let expected = [
            "9 1 (0, 1)",
            "9 1 \"x, y\"",
            "9 1 [3, 4]",
            "9 2 (0, 1)",
            "9 2 \"x, y\"",
            "9 2 [3, 4]",
        ];
        assert_eq!(shown, expected);
        for wrong in ["a=1", "a=[]", "a", "a=[1"] {
            assert!(Sweep::parse(wrong).is_err(), "{wrong}");
        }
    }
}
