//! The figures as people read them.

use comfy_table::{CellAlignment, Table, presets};

use super::row::Row;

const HEAD: [&str; 17] = [
    "scene",
    "threads",
    "ms/step",
    "min",
    "median",
    "p99",
    "broad",
    "narrow",
    "solve",
    "finish",
    "bodies",
    "pairs",
    "touching",
    "colours",
    "recycled",
    "walked/held/GJK/EPA",
    "MB",
];

/// A table of all rows, with the ratio to a baseline where there is one.
pub(crate) fn render(rows: &[Row], ratios: Option<&[Option<f64>]>, markdown: bool) -> String {
    let mut table = Table::new();
    table.load_style(if markdown {
        presets::ASCII_MARKDOWN
    } else {
        presets::NOTHING
    });
    let mut head: Vec<&str> = HEAD.to_vec();
    if ratios.is_some() {
        head.insert(3, "ratio");
    }
    table.set_header(head);
    for (index, row) in rows.iter().enumerate() {
        let mut cells = cells(row);
        if let Some(ratios) = ratios {
            let ratio = ratios.get(index).copied().flatten();
            cells.insert(
                3,
                ratio.map_or("new".to_owned(), |ratio| format!("{ratio:.3}")),
            );
        }
        table.add_row(cells);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.to_string()
}

fn cells(row: &Row) -> Vec<String> {
    let narrow = &row.narrow;
    let answered = narrow.skipped
        + narrow.recycled
        + narrow.walked
        + narrow.held
        + narrow.closed_form
        + narrow.gjk;
    let share = |count: u64| match answered {
        0 => "-".to_owned(),
        all => format!("{:.1} %", 100.0 * count as f64 / all as f64),
    };
    let (ms, stages, world) = (&row.ms, &row.stages_ms, &row.world);
    vec![
        row.title(),
        row.threads.to_string(),
        format!("{:.3}", ms.mean),
        format!("{:.3}", ms.min),
        format!("{:.3}", ms.median),
        format!("{:.3}", ms.p99),
        format!("{:.3}", stages.broad),
        format!("{:.3}", stages.narrow),
        format!("{:.3}", stages.solve),
        format!("{:.3}", stages.finish),
        world.bodies.to_string(),
        world.pairs.to_string(),
        world.touching.to_string(),
        world.colours.to_string(),
        share(narrow.recycled),
        format!(
            "{} / {} / {} / {}",
            share(narrow.walked),
            share(narrow.held),
            share(narrow.gjk),
            share(narrow.epa)
        ),
        row.peak_memory.map_or("-".to_owned(), |bytes| {
            format!("{:.0}", bytes as f64 / 1_000_000.0)
        }),
    ]
}
