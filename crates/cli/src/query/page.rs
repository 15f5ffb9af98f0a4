//! The page of `drystone explain`: hand-written pieces joined to one HTML file.

use serde_json::Value;

use crate::view::{base64, compressed, filled, script};

/// Most frames that one page holds.
pub(super) const MAX_FRAMES: u64 = 200;

const TEMPLATE: &str = include_str!("../../assets/pair.html");
const STYLE: &str = include_str!("../../assets/pair.css");

/// Scripts in the order they build on each other.
const SCRIPTS: &[&str] = &[
    include_str!("../../assets/vector.js"),
    include_str!("../../assets/camera.js"),
    include_str!("../../assets/pair.js"),
];

/// The page that shows `data`.
pub(super) fn page(title: &str, data: &Value) -> String {
    let program = base64(&compressed(script(&[], SCRIPTS).as_bytes()));
    let data = base64(&compressed(data.to_string().as_bytes()));
    filled(
        TEMPLATE,
        title,
        &[("style", STYLE), ("script", &program), ("data", &data)],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page may hold only its own origin's resources: nothing that a browser would fetch.
    #[test]
    fn the_page_loads_nothing() {
        let page = page("a <pair>", &Value::Null);
        let program = script(&[], SCRIPTS);
        for fetching in ["http://", "https://", " src=", "@import", "url(", "import("] {
            assert!(!page.contains(fetching), "{fetching}");
            assert!(!program.contains(fetching), "{fetching}");
        }
        assert!(page.contains("a &lt;pair&gt;") && !page.contains("{{"));
        assert!(!program.contains("</script"));
    }
}
