//! What every printed table must hold.

use drystone_scene::schema::{Record, Union};

/// Checks that `text` names every record, field and union.
pub(crate) fn assert_complete(text: &str, records: &[&Record], unions: &[&Union]) {
    let fields = records.iter().flat_map(|record| record.fields);
    let names = records
        .iter()
        .map(|record| format!("{}(...)", record.name))
        .chain(fields.map(|field| format!("{}: ", field.name)))
        .chain(unions.iter().map(|union| format!("{}: one of", union.name)));
    for name in names {
        assert!(text.contains(&name), "{name}");
    }
}
