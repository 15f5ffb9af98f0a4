//! The picture itself: sky, ground, and solids from back to front, as SVG text.

use std::fmt::Write;

use drystone::Shape;
use drystone::glam::{DVec2, DVec3};

use super::camera::Camera;
use super::shadow::{Screen, sun};
use super::solid::{Ground, Solid};

const SKY: [f64; 3] = [0.851, 0.871, 0.890];
const FLOOR: [f64; 3] = [0.80, 0.82, 0.83];
/// Darkness of shadows.
const SHADE: f64 = 0.3;
/// Light that every face gets, and what full sun adds.
const AMBIENT: f64 = 0.58;
const DIRECT: f64 = 0.5;
/// How far the ground reaches, in sizes of what is of interest.
const GROUND_REACH: f64 = 40.0;
/// Lines of the ground's grid to each side of the middle.
const GRID: i32 = 20;
/// Static bodies this large beside what is of interest are floors and walls, which catch
/// shadows.
const SCREEN_SIZE: f64 = 0.5;
/// Sine of a wall's tilt at which it becomes a floor.
const WALL_TILT: f64 = 0.7;
/// How walls before the eye are painted.
const WALL_CLEAR: &str = " fill-opacity=\"0.2\" stroke-opacity=\"0.4\"";

/// The whole file.
pub(super) fn picture(
    camera: &Camera,
    solids: &[Solid],
    grounds: &[Ground],
    order: &[usize],
) -> String {
    let mut out = String::new();
    let (width, height) = (camera.width, camera.height);
    line(
        &mut out,
        format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">"
        ),
    );
    line(
        &mut out,
        format_args!(
            "<rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>",
            hex(SKY, 1.0)
        ),
    );
    let casters: Vec<&Solid> = solids.iter().filter(|solid| !solid.is_static).collect();
    for ground in grounds {
        // Seen from below, a ground would hide everything; it is left out.
        if ground.normal.dot(camera.eye - ground.point) > 0.0 {
            paint_ground(&mut out, camera, ground, solids);
        }
    }
    line(
        &mut out,
        format_args!("<g stroke-linejoin=\"round\" stroke-width=\"0.8\">"),
    );
    for &index in order {
        match &solids[index].shape {
            Shape::Sphere { .. } | Shape::Capsule { .. } => {
                paint_round(&mut out, camera, &solids[index], index);
            }
            _ => paint_faces(&mut out, camera, &solids[index], &casters),
        }
    }
    out.push_str("</g>\n</svg>\n");
    out
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{text}");
}

fn paint_ground(out: &mut String, camera: &Camera, ground: &Ground, solids: &[Solid]) {
    let normal = ground.normal;
    let other = if normal.y.abs() > 0.9 {
        DVec3::Z
    } else {
        DVec3::Y
    };
    let u = normal.cross(other).normalize();
    let v = normal.cross(u);
    let middle = camera.target - normal * (camera.target - ground.point).dot(normal);
    let reach = GROUND_REACH * camera.size;
    let corner = |x: f64, y: f64| middle + (u * x + v * y) * reach;
    let square = [
        corner(-1.0, -1.0),
        corner(1.0, -1.0),
        corner(1.0, 1.0),
        corner(-1.0, 1.0),
    ];
    let light = AMBIENT + DIRECT * normal.dot(sun()).max(0.0);
    let outline = path(&camera.project_polygon(&square));
    line(
        out,
        format_args!("<path d=\"{outline}\" fill=\"{}\"/>", hex(FLOOR, light)),
    );

    // Whole metres, tens or tenths: whatever suits what is looked at.
    let spacing = libm::exp10(libm::log10(camera.size / 6.0).round());
    let round = |value: f64| (value / spacing).round() * spacing;
    let origin = middle
        + u * (round(middle.dot(u)) - middle.dot(u))
        + v * (round(middle.dot(v)) - middle.dot(v));
    let half = f64::from(GRID) * spacing;
    let mut grid = String::new();
    for i in -GRID..=GRID {
        let at = f64::from(i) * spacing;
        // A round patch of lines, which looks less cut off than a square one.
        let reach = (half * half - at * at).max(0.0).sqrt();
        for (along, across) in [(u, v), (v, u)] {
            let middle = origin + across * at;
            let ends = [middle - along * reach, middle + along * reach];
            grid.push_str(&open_path(&camera.project_polygon(&ends)));
        }
    }
    line(
        out,
        format_args!(
            "<path d=\"{grid}\" fill=\"none\" stroke=\"#000\" stroke-opacity=\"0.1\" stroke-width=\"0.7\"/>"
        ),
    );
    if let Some(screen) = Screen::new(ground.point, normal) {
        let shadows = solids.iter().map(|solid| screen.shadow(solid, None));
        paint_shadows(out, camera, shadows);
    }
}

/// Shadows that lie over each other are no darker than one: opacity belongs to the group.
fn paint_shadows(out: &mut String, camera: &Camera, shadows: impl Iterator<Item = Vec<DVec3>>) {
    let mut outlines = String::new();
    for shadow in shadows.filter(|shadow| shadow.len() > 2) {
        outlines.push_str(&path(&camera.project_polygon(&shadow)));
    }
    if !outlines.is_empty() {
        line(
            out,
            format_args!(
                "<path d=\"{outlines}\" fill=\"#000\" fill-opacity=\"{SHADE}\" stroke=\"none\"/>"
            ),
        );
    }
}

fn paint_faces(out: &mut String, camera: &Camera, solid: &Solid, casters: &[&Solid]) {
    let is_large = solid.is_static && solid.radius > SCREEN_SIZE * camera.size;
    let stroke = hex(solid.colour, 0.45);
    solid.with_polytope(|polytope| {
        for (index, face) in polytope.faces.iter().enumerate() {
            let corners = solid.face(polytope, index as u32);
            let normal = solid.frame.rotate(face.normal);
            if normal.dot(camera.eye - corners[0]) <= 0.0 {
                continue;
            }
            let outline = path(&camera.project_polygon(&corners));
            if outline.is_empty() {
                continue;
            }
            let light = AMBIENT + DIRECT * normal.dot(sun()).max(0.0);
            let fill = hex(solid.colour, light);
            // A wall between the eye and what moves lets it be seen; a floor is no wall.
            let is_wall = is_large && normal.y.abs() < WALL_TILT && camera.is_before(&corners);
            let clear = if is_wall { WALL_CLEAR } else { "" };
            line(
                out,
                format_args!("<path d=\"{outline}\" fill=\"{fill}\" stroke=\"{stroke}\"{clear}/>"),
            );
            if let Some(screen) = Screen::new(corners[0], normal).filter(|_| is_large) {
                let shadows = casters
                    .iter()
                    .map(|caster| screen.shadow(caster, Some(&corners)));
                paint_shadows(out, camera, shadows);
            }
        }
    });
}

/// How something round is lit.
struct Gloss {
    bright: String,
    dark: String,
    stroke: String,
    /// Towards the sun in the picture, unit.
    light: DVec2,
    /// Names the gradient in the file.
    index: usize,
}

/// A sphere as a disc, a capsule as two discs and what lies between them.
fn paint_round(out: &mut String, camera: &Camera, solid: &Solid, index: usize) {
    let discs = solid.discs(camera);
    let Some(&first) = discs.first() else { return };
    let last = discs[discs.len() - 1];
    let toward = camera.project(solid.center + sun() * solid.radius) - camera.project(solid.center);
    let gloss = Gloss {
        bright: hex(solid.colour, 1.12),
        dark: hex(solid.colour, 0.8 * AMBIENT),
        stroke: hex(solid.colour, 0.45),
        light: toward.normalize_or_zero(),
        index,
    };
    let (small, large) = if first.1 < last.1 {
        (first, last)
    } else {
        (last, first)
    };
    if small.0.distance(large.0) <= large.1 - small.1 {
        paint_disc(out, large, &gloss);
    } else {
        paint_pill(out, small, large, &gloss);
    }
}

fn paint_disc(out: &mut String, (center, radius): (DVec2, f64), gloss: &Gloss) {
    let Gloss {
        bright,
        dark,
        stroke,
        light,
        index,
    } = gloss;
    let spot = center + *light * (0.4 * radius);
    line(
        out,
        format_args!(
            "<radialGradient id=\"r{index}\" gradientUnits=\"userSpaceOnUse\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"{:.1}\">\
         <stop stop-color=\"{bright}\"/><stop offset=\"1\" stop-color=\"{dark}\"/></radialGradient>\
         <circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius:.1}\" fill=\"url(#r{index})\" stroke=\"{stroke}\"/>",
            spot.x,
            spot.y,
            1.4 * radius,
            center.x,
            center.y
        ),
    );
}

/// The convex hull of two discs, neither of which holds the other.
fn paint_pill(out: &mut String, small: (DVec2, f64), large: (DVec2, f64), gloss: &Gloss) {
    let Gloss {
        bright,
        dark,
        stroke,
        light,
        index,
    } = gloss;
    let apart = small.0.distance(large.0);
    let along = (large.0 - small.0) / apart;
    let side = if along.perp().dot(*light) < 0.0 {
        -along.perp()
    } else {
        along.perp()
    };
    // Where the common tangents touch.
    let cos = (small.1 - large.1) / apart;
    let sin = (1.0 - cos * cos).max(0.0).sqrt();
    let tangent = |(center, radius): (DVec2, f64), sign: f64| {
        center + (along * cos + along.perp() * (sign * sin)) * radius
    };
    let (a, b) = (tangent(small, 1.0), tangent(small, -1.0));
    let (c, d) = (tangent(large, -1.0), tangent(large, 1.0));
    let (from, to) = (large.0 + side * large.1, large.0 - side * large.1);
    line(
        out,
        format_args!(
            "<linearGradient id=\"r{index}\" gradientUnits=\"userSpaceOnUse\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\">\
         <stop stop-color=\"{bright}\"/><stop offset=\"1\" stop-color=\"{dark}\"/></linearGradient>",
            from.x, from.y, to.x, to.y
        ),
    );
    line(
        out,
        format_args!(
            "<path d=\"M{:.1} {:.1}A{r:.1} {r:.1} 0 0 1 {:.1} {:.1}L{:.1} {:.1}A{R:.1} {R:.1} 0 1 1 {:.1} {:.1}Z\" fill=\"url(#r{index})\" stroke=\"{stroke}\"/>",
            a.x,
            a.y,
            b.x,
            b.y,
            c.x,
            c.y,
            d.x,
            d.y,
            r = small.1,
            R = large.1
        ),
    );
}

/// A closed outline; empty for what is no polygon.
fn path(points: &[DVec2]) -> String {
    if points.len() < 3 {
        return String::new();
    }
    let mut text = open_path(points);
    text.push('Z');
    text
}

fn open_path(points: &[DVec2]) -> String {
    let mut text = String::new();
    for (i, point) in points.iter().enumerate() {
        let letter = if i == 0 { 'M' } else { 'L' };
        let _ = write!(text, "{letter}{:.1} {:.1}", point.x, point.y);
    }
    text
}

/// A colour under a light, as SVG writes it.
fn hex(colour: [f64; 3], light: f64) -> String {
    let [red, green, blue] =
        colour.map(|part| (part * light * 255.0).round().clamp(0.0, 255.0) as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}
