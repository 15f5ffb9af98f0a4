//! The pictures of all traces of one run, as one SVG file.

use drystone_planar::{Pose2, Shape2, Trace, draw};

use crate::exit::Outcome;
use crate::output::save;

use super::args::StepOptions;

/// Pictures in a row; a count. Three of them fill a screen.
const COLUMNS: usize = 3;

/// Pictures to be written in the end, if they were asked for.
pub(super) struct Figures<'a> {
    options: &'a StepOptions,
    pictures: Vec<String>,
}

impl<'a> Figures<'a> {
    pub(super) fn new(options: &'a StepOptions) -> Self {
        Self {
            options,
            pictures: Vec::new(),
        }
    }

    /// Adds the steps of a trace.
    pub(super) fn add(&mut self, a: &Shape2, b: &Shape2, b_in_a: &Pose2, trace: &Trace) {
        if self.options.svg.is_some() {
            self.pictures.extend(draw::svg(a, b, b_in_a, trace));
        }
    }

    /// Writes the file.
    pub(super) fn save(self) -> Outcome {
        match &self.options.svg {
            None => Outcome::Done,
            Some(path) => save(path, draw::sheet(&self.pictures, COLUMNS).as_bytes()),
        }
    }
}
