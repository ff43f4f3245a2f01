//! Tells a user how far a long computation is: a bar on a terminal; elsewhere (a log, a pipe) a plain line now and then.

use std::fmt::Display;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Off a terminal, at least this long between two lines.
const QUIET: Duration = Duration::from_secs(5);

/// The progress of one computation of a known number of steps; written to standard error.
pub struct Progress {
    what: &'static str,
    total: u64,
    done: u64,
    started: Instant,
    bar: Option<ProgressBar>,
    last_line: Instant,
}

impl Progress {
    /// Begins to show `what`, which takes `total` steps.
    pub fn start(what: &'static str, total: u64) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(total).with_style(style()).with_prefix(what);
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        let now = Instant::now();
        Self { what, total, done: 0, started: now, bar, last_line: now }
    }

    /// Counts one step as done; `state` says where the computation is, in a few words.
    pub fn step(&mut self, state: impl Display) {
        self.done += 1;
        match &self.bar {
            Some(bar) => {
                bar.set_message(state.to_string());
                bar.inc(1);
            }
            None if self.last_line.elapsed() >= QUIET => {
                self.last_line = Instant::now();
                eprintln!("{}: {} of {}, {state}", self.what, self.done, self.total);
            }
            None => {}
        }
    }

    /// Ends it: the bar gives way to one line that holds `state` and the time it took.
    pub fn finish(self, state: impl Display) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        eprintln!("{}: {state} ({:.1} s)", self.what, self.started.elapsed().as_secs_f64());
    }
}

fn style() -> ProgressStyle {
    // The template is a constant; were it wrong, the default style would serve.
    ProgressStyle::with_template("{prefix} [{bar:32}] {pos}/{len} {elapsed} {msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ")
}
