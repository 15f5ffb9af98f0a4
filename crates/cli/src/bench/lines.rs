//! Figures as JSON lines, and comparison with earlier ones.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use super::row::Row;
use crate::exit::{Outcome, complain};

/// Adds one line to the file, which is made when there is none. A line is written in one
/// piece, so that several jobs may share a file.
pub(crate) fn append(path: &Path, row: &Row) -> io::Result<()> {
    let mut line = serde_json::to_string(row)?;
    line.push('\n');
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(line.as_bytes())
}

/// Reads the rows of an earlier run. A line that is none is complained about.
pub(crate) fn read(path: &Path) -> Result<Vec<Row>, Outcome> {
    let text = fs::read_to_string(path).map_err(|error| {
        complain(&format!("cannot read `{}`: {error}", path.display()));
        Outcome::InputOutput
    })?;
    let mut rows = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        match serde_json::from_str(line) {
            Ok(row) => rows.push(row),
            Err(error) => {
                let (file, line) = (path.display(), index + 1);
                complain(&format!(
                    "{file}:{line}: not a line of `bench --json`: {error}"
                ));
                return Err(Outcome::BadScene);
            }
        }
    }
    Ok(rows)
}

/// The ratio of each row's time to the baseline's last row of the same scene, values and
/// threads, and what is to be said against it.
pub(crate) fn compare(
    rows: &[Row],
    baseline: &[Row],
    fail_over: f64,
) -> (Vec<Option<f64>>, Vec<String>) {
    let mut objections = Vec::new();
    let ratios = rows.iter().map(|row| {
        let before = baseline.iter().rfind(|before| before.key() == row.key())?;
        let (title, threads) = (row.title(), row.threads);
        if before.steps != row.steps {
            objections.push(format!(
                "`{title}`: {} steps here, {} in the baseline: nothing to compare",
                row.steps, before.steps
            ));
            return None;
        }
        if before.hash != row.hash {
            objections.push(format!(
                "`{title}` on {threads} threads ends in {}, in the baseline in {}",
                row.hash, before.hash
            ));
        }
        let ratio = row.ms.mean / before.ms.mean;
        if ratio > fail_over {
            objections.push(format!(
                "`{title}` on {threads} threads takes {ratio:.3} of the baseline's time, more than {fail_over}"
            ));
        }
        Some(ratio)
    });
    let ratios = ratios.collect();
    (ratios, objections)
}
