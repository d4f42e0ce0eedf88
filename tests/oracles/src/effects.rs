//! The effect oracle: random lines run in a sandbox, and what they do is compared with what the guard says of them.
//!
//! A file of the throw-away project that is written, removed or printed by a line without a finding is a miss. What the
//! policy allows is a table of [`exceptions`]. A line never runs outside of a [`sandbox`]: where there is none, nothing runs.

pub mod exceptions;
pub mod frames;
pub mod grammar;
pub mod inside;
pub mod judge;
pub mod leaves;
pub mod line;
pub mod project;
pub mod sandbox;

use grammar::Grammar;
use judge::{Judgement, Report};
use sandbox::Sandbox;
use std::io;
use std::path::Path;
use std::thread;

/// How many sandboxes work at the same time.
const AT_ONCE: u64 = 2;
/// How many misses of a run are explained by their system calls.
const EXPLAINED: usize = 5;

/// Runs so many lines of a seed and judges each.
///
/// # Errors
/// Where no sandbox can be made, or one broke.
pub fn run(driver: &Path, seed: u64, n_lines: u64) -> io::Result<Report> {
    let shares: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE)
            .map(|first| scope.spawn(move || share(driver, seed, (first..n_lines).step_by(2))))
            .collect();
        let joined = workers.into_iter().map(|worker| worker.join());
        joined
            .map(|outcome| outcome.unwrap_or_else(|_| Err(io::Error::other("a worker panicked"))))
            .collect()
    });
    let mut whole = Report::default();
    for part in shares {
        whole.add(part?);
    }
    Ok(whole)
}

fn share(driver: &Path, seed: u64, indices: impl Iterator<Item = u64>) -> io::Result<Report> {
    let mut sandbox = Sandbox::start(driver)?;
    let grammar = Grammar::of(&sandbox.programs);
    let mut report = Report {
        left_out: grammar.left_out().map(str::to_owned).collect(),
        ..Report::default()
    };
    for index in indices {
        let line = grammar.line(seed, index);
        let outcome = sandbox.run(line.shell, &line.text)?;
        let judgement = Judgement::of(&line, &outcome);
        let calls =
            if judgement.is_miss() && report.misses.len() < EXPLAINED && grammar.has("strace") {
                sandbox.trace(line.shell, &line.text)?.calls
            } else {
                Vec::new()
            };
        report.note(index, line, judgement, calls);
    }
    Ok(report)
}
