//! A trace as pictures: the Minkowski difference, the origin, and the simplex on it.

use std::fmt::Write;

use glam::DVec2;

use crate::merge;
use crate::pair::Pair;
use crate::pose::Pose2;
use crate::shape::{Core, Shape2};
use crate::tolerance::MAX_DRAWN_VERTICES;
use crate::trace::{Trace, TraceStep};

/// Width and height of the drawing in pixels, and of its margin.
const SIDE: f64 = 640.0;
const MARGIN: f64 = 40.0;
/// Room for the label of a vertex, in pixels.
const LABEL: f64 = 140.0;
/// Height of the caption below it, in pixels.
const CAPTION: f64 = 72.0;

/// One SVG document per step of `trace`, which must be of the same shapes and pose.
///
/// Each shows the difference B - A of the cores (without the radii of rounded shapes),
/// the origin, the simplex with the vertices it came from, the direction of the next
/// support, and a caption with the bounds. Outlines of more than
/// [`MAX_DRAWN_VERTICES`] vertices are
/// sampled.
pub fn svg(a: &Shape2, b: &Shape2, b_in_a: &Pose2, trace: &Trace) -> Vec<String> {
    let outline = difference(a, b, b_in_a);
    let view = View::around(&outline);
    trace
        .steps
        .iter()
        .enumerate()
        .map(|(index, step)| {
            let mut text = String::new();
            // Writing to a string cannot fail.
            let _ = picture(&mut text, &view, &outline, index, step);
            text
        })
        .collect()
}

/// The pictures of [`svg`] in one SVG document, in rows of `columns`, read like a page.
///
/// Pictures of several traces may follow each other. `columns` must not be zero.
pub fn sheet(pictures: &[String], columns: usize) -> String {
    let across = pictures.len().clamp(1, columns.max(1));
    let down = pictures.len().div_ceil(across).max(1);
    let (width, height) = (SIDE * across as f64, (SIDE + CAPTION) * down as f64);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n"
    );
    for (index, picture) in pictures.iter().enumerate() {
        let x = SIDE * (index % across) as f64;
        let y = (SIDE + CAPTION) * (index / across) as f64;
        // A document inside a document takes a place and is otherwise the same.
        let placed = picture.replacen("<svg ", &format!("<svg x=\"{x}\" y=\"{y}\" "), 1);
        text.push_str(&placed);
    }
    text.push_str("</svg>\n");
    text
}

/// Outline of the difference B - A of the cores, counter-clockwise, in A's frame.
///
/// Exact vertices for polygons; at most [`MAX_DRAWN_VERTICES`], sampled by direction,
/// otherwise.
pub fn difference(a: &Shape2, b: &Shape2, b_in_a: &Pose2) -> Vec<DVec2> {
    let pair = Pair::new(a, b, b_in_a);
    let mut outline = Vec::new();
    if let (Core::Ring(ring_a), Core::Ring(ring_b)) = (pair.a, pair.b)
        && ring_a.vertices().len() + ring_b.vertices().len() <= MAX_DRAWN_VERTICES
    {
        merge::outline(&pair, ring_a, ring_b, |v| outline.push(v.w));
    } else {
        for index in 0..MAX_DRAWN_VERTICES {
            let angle = std::f64::consts::TAU * index as f64 / MAX_DRAWN_VERTICES as f64;
            let (sin, cos) = libm::sincos(angle);
            outline.push(pair.support(DVec2::new(cos, sin)).w);
        }
    }
    outline.dedup();
    if outline.len() > 1 && outline.first() == outline.last() {
        outline.pop();
    }
    outline
}

/// Where metres come to lie in pixels.
struct View {
    middle: DVec2,
    scale: f64,
}

impl View {
    /// A view of the outline and the origin.
    fn around(outline: &[DVec2]) -> Self {
        let low = outline.iter().fold(DVec2::ZERO, |low, &p| low.min(p));
        let high = outline.iter().fold(DVec2::ZERO, |high, &p| high.max(p));
        let extent = (high - low).max_element();
        Self {
            middle: 0.5 * (low + high),
            scale: if extent > 0.0 {
                (SIDE - 2.0 * MARGIN) / extent
            } else {
                1.0
            },
        }
    }

    /// Pixels; Y points down there.
    fn place(&self, point: DVec2) -> DVec2 {
        let offset = (point - self.middle) * self.scale;
        DVec2::new(0.5 * SIDE + offset.x, 0.5 * SIDE - offset.y)
    }

    fn list(&self, points: impl Iterator<Item = DVec2>) -> String {
        let mut text = String::new();
        for point in points.map(|point| self.place(point)) {
            let _ = write!(text, "{:.2},{:.2} ", point.x, point.y);
        }
        text
    }
}

fn picture(
    out: &mut String,
    view: &View,
    outline: &[DVec2],
    index: usize,
    step: &TraceStep,
) -> std::fmt::Result {
    let height = SIDE + CAPTION;
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{SIDE}\" height=\"{height}\" \
         viewBox=\"0 0 {SIDE} {height}\" font-family=\"sans-serif\" font-size=\"13\">"
    )?;
    writeln!(out, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>")?;
    writeln!(
        out,
        "<polygon points=\"{}\" fill=\"#e8eef4\" stroke=\"#5b7083\" stroke-width=\"1.5\"/>",
        view.list(outline.iter().copied()).trim_end()
    )?;
    origin(out, view)?;
    simplex(out, view, step)?;
    arrow(out, view, step)?;
    caption(out, index, step)?;
    writeln!(out, "</svg>")
}

fn origin(out: &mut String, view: &View) -> std::fmt::Result {
    let at = view.place(DVec2::ZERO);
    writeln!(
        out,
        "<path d=\"M{:.2} {:.2}h16m-8 -8v16\" stroke=\"#222\" stroke-width=\"1.5\"/>",
        at.x - 8.0,
        at.y
    )?;
    writeln!(
        out,
        "<text x=\"{:.2}\" y=\"{:.2}\" fill=\"#222\">O</text>",
        at.x + 9.0,
        at.y + 14.0
    )
}

fn simplex(out: &mut String, view: &View, step: &TraceStep) -> std::fmt::Result {
    let points = || step.simplex.iter().map(|v| v.difference);
    if step.simplex.len() > 1 {
        writeln!(
            out,
            "<polygon points=\"{}\" fill=\"#d9822b\" fill-opacity=\"0.25\" \
             stroke=\"#b4610f\" stroke-width=\"2.5\"/>",
            view.list(points()).trim_end()
        )?;
    }
    for v in &step.simplex {
        let at = view.place(v.difference);
        // Written towards the middle near the right border.
        let (beside, anchor) = if at.x > SIDE - LABEL {
            (at.x - 8.0, "end")
        } else {
            (at.x + 8.0, "start")
        };
        writeln!(
            out,
            "<circle cx=\"{:.2}\" cy=\"{:.2}\" r=\"4.5\" fill=\"#b4610f\"/>\
             <text x=\"{beside:.2}\" y=\"{:.2}\" text-anchor=\"{anchor}\" fill=\"#7a3f05\">\
             B{} - A{}</text>",
            at.x,
            at.y,
            at.y - 8.0,
            v.vertex_b,
            v.vertex_a
        )?;
    }
    Ok(())
}

/// The direction of the next support, from the point of the simplex nearest the origin.
fn arrow(out: &mut String, view: &View, step: &TraceStep) -> std::fmt::Result {
    if step.direction == DVec2::ZERO {
        return Ok(());
    }
    let nearest: DVec2 = step.simplex.iter().map(|v| v.difference * v.weight).sum();
    let from = view.place(nearest);
    let ahead = DVec2::new(step.direction.x, -step.direction.y);
    let aside = DVec2::new(-ahead.y, ahead.x);
    let tip = from + ahead * 56.0;
    let (left, right) = (
        tip - ahead * 10.0 + aside * 5.0,
        tip - ahead * 10.0 - aside * 5.0,
    );
    writeln!(
        out,
        "<path d=\"M{:.2} {:.2}L{:.2} {:.2}M{:.2} {:.2}L{:.2} {:.2}L{:.2} {:.2}\" \
         fill=\"none\" stroke=\"#1f6f54\" stroke-width=\"2\"/>",
        from.x, from.y, tip.x, tip.y, left.x, left.y, tip.x, tip.y, right.x, right.y
    )
}

fn caption(out: &mut String, index: usize, step: &TraceStep) -> std::fmt::Result {
    let lower = step
        .lower
        .map_or_else(|| "-".to_owned(), |lower| format!("{lower:.9}"));
    let lines = [
        format!("step {index}, {}", step.phase),
        format!(
            "signed distance of the cores from {lower} to {:.9} m",
            step.upper
        ),
        step.stop
            .map_or_else(String::new, |stop| format!("ends: {stop}")),
    ];
    for (row, line) in lines.iter().enumerate() {
        writeln!(
            out,
            "<text x=\"{MARGIN}\" y=\"{:.2}\" fill=\"#222\">{line}</text>",
            SIDE + 8.0 + 20.0 * row as f64
        )?;
    }
    Ok(())
}
