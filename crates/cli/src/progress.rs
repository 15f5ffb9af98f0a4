//! A progress bar on stderr, for people only: nothing is drawn into files and pipes.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use drystone::World;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How often the text beside the bar changes.
const REFRESH: Duration = Duration::from_millis(100);

/// The bar, or nothing.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    start: Instant,
    last: Instant,
}

impl Progress {
    /// A bar of `steps` steps if stderr is a terminal and the user wants to see it.
    pub(crate) fn new(steps: u64, quiet: bool) -> Self {
        let now = Instant::now();
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr());
            let template = "{bar:30} {pos}/{len} {msg}";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar
        });
        Self {
            bar,
            start: now,
            last: now,
        }
    }

    /// One more step is done.
    pub(crate) fn advance(&mut self, world: &World) {
        let Some(bar) = &self.bar else { return };
        bar.inc(1);
        let now = Instant::now();
        if now - self.last < REFRESH {
            return;
        }
        self.last = now;
        let speed = world.time() / (now - self.start).as_secs_f64();
        let energy = world.energy();
        bar.set_message(format!(
            "{:.2} s, {speed:.1} x real time, kinetic {:.3} J, potential {:.3} J, {} awake",
            world.time(),
            energy.kinetic,
            energy.potential,
            world.stats().awake
        ));
    }

    /// Takes the bar off the screen.
    pub(crate) fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
