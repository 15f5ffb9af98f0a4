//! Meshes and height fields as scene text, in full.

use drystone::geometry::{HeightField, TriangleMesh};

use crate::write::vec3;

/// A list of items in brackets.
fn list<T>(items: impl IntoIterator<Item = T>, text: impl Fn(T) -> String) -> String {
    let items: Vec<String> = items.into_iter().map(text).collect();
    format!("[{}]", items.join(", "))
}

/// Every corner and triangle.
pub(crate) fn mesh(mesh: &TriangleMesh) -> String {
    let points = list(mesh.vertices(), |v| vec3(*v));
    let triangles = list(mesh.triangles(), |[a, b, c]| format!("({a}, {b}, {c})"));
    let two_sided = if mesh.is_two_sided() {
        ", two_sided: true"
    } else {
        ""
    };
    format!("Mesh(points: {points}, triangles: {triangles}{two_sided})")
}

/// Every height, and the cells that are holes.
pub(crate) fn height_field(field: &HeightField) -> String {
    let (rows, columns) = (field.rows(), field.columns());
    let cell = field.cell();
    let heights = list(field.heights(), |height| format!("{height:?}"));
    let open = field.holes().iter().enumerate().filter(|(_, hole)| **hole);
    let holes = list(open, |(cell, _)| cell.to_string());
    let holes = if holes == "[]" {
        String::new()
    } else {
        format!(", holes: {holes}")
    };
    format!(
        "HeightField(rows: {rows}, columns: {columns}, cell: ({:?}, {:?}), origin: {}, \
         heights: {heights}{holes})",
        cell.x,
        cell.y,
        vec3(field.origin()),
    )
}
