//! The page: hand-written pieces joined to one HTML file.

use super::pack;

const TEMPLATE: &str = include_str!("../../assets/page.html");
const STYLE: &str = include_str!("../../assets/style.css");

/// Shaders, by the name that the scripts know them by.
const SHADERS: &[(&str, &str)] = &[
    ("pose", include_str!("../../assets/pose.glsl")),
    ("light", include_str!("../../assets/light.glsl")),
    ("solidVertex", include_str!("../../assets/solid.vert")),
    ("solidFragment", include_str!("../../assets/solid.frag")),
    ("planeVertex", include_str!("../../assets/plane.vert")),
    ("planeFragment", include_str!("../../assets/plane.frag")),
    ("lineVertex", include_str!("../../assets/line.vert")),
    ("lineFragment", include_str!("../../assets/line.frag")),
];

/// Scripts in the order they build on each other.
const SCRIPTS: &[&str] = &[
    include_str!("../../assets/vector.js"),
    include_str!("../../assets/tape.js"),
    include_str!("../../assets/mesh.js"),
    include_str!("../../assets/camera.js"),
    include_str!("../../assets/draw.js"),
    include_str!("../../assets/scene.js"),
    include_str!("../../assets/overlay.js"),
    include_str!("../../assets/timeline.js"),
    include_str!("../../assets/panel.js"),
    include_str!("../../assets/live.js"),
    include_str!("../../assets/main.js"),
];

/// The page that replays a compressed recording.
pub(super) fn replay(title: &str, recording: &[u8]) -> String {
    page(title, "none", &pack::base64(recording))
}

/// The page that shows the scene its server runs.
pub(super) fn live(title: &str) -> String {
    page(title, "stream", "")
}

fn page(title: &str, source: &str, data: &str) -> String {
    let program = pack::base64(&pack::compressed(script(SHADERS, SCRIPTS).as_bytes()));
    filled(
        TEMPLATE,
        title,
        &[
            ("style", STYLE),
            ("source", source),
            ("script", &program),
            ("data", data),
        ],
    )
}

/// A template with its marks replaced by the parts of these names, and `{{title}}` by the
/// title as text.
pub(crate) fn filled(template: &str, title: &str, parts: &[(&str, &str)]) -> String {
    let title = escaped(title);
    // Only the template is searched for marks, so that no text put in can hold one.
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let (mark, after) = after.split_once("}}").unwrap_or((after, ""));
        out.push_str(before);
        let part = parts.iter().find(|(name, _)| *name == mark);
        out.push_str(part.map_or(title.as_str(), |(_, text)| text));
        rest = after;
    }
    out.push_str(rest);
    out
}

/// A page's program: shaders as strings, by the name that the scripts know them by, then the
/// scripts, in a scope of their own.
pub(crate) fn script(shaders: &[(&str, &str)], scripts: &[&str]) -> String {
    let mut script = String::from("(() => {\n'use strict';\nconst SHADERS = {};\n");
    for (name, text) in shaders {
        script.push_str(&format!("SHADERS.{name} = `{}`;\n", without_comments(text)));
    }
    for text in scripts {
        script.push_str(&without_comments(text));
    }
    script.push_str("})();\n//# sourceURL=drystone.js\n");
    script
}

/// The text without lines that hold only a comment and without indentation: the pieces are
/// read in the repository, not in the page.
fn without_comments(text: &str) -> String {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect()
}

/// `text` as HTML text.
fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut out, character| {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(character),
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page may hold only its own origin's resources: nothing that a browser would fetch.
    #[test]
    fn the_page_loads_nothing() {
        let page = replay("a <title> & more", &[0; 100]);
        let program = script(SHADERS, SCRIPTS);
        for fetching in ["http://", "https://", " src=", "@import", "url(", "import("] {
            assert!(!page.contains(fetching), "{fetching}");
            assert!(!program.contains(fetching), "{fetching}");
        }
        assert!(page.contains("a &lt;title&gt; &amp; more"));
        assert!(!page.contains("{{"));
        // Text that would end a string or the script early.
        assert!(!program.contains("</script"));
    }

    /// The whole page without any recording, its program packed.
    #[test]
    fn the_page_is_small() {
        let size = live("").len();
        assert!(size < 30 * 1024, "{size} bytes");
    }
}
