//! The runs of a session: which are known, how many there may be, and their end all at once.
//!
//! The engine's loop ends them, so nobody holds the lock while a disk is asked or a program is started: a run has its
//! place before that and is added after it. It starts nothing itself.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;

use super::run::Run;
use siderail_workspace::outcome::{ToolErrorCode, ToolFailure};

/// Runs that are remembered, with their output; older finished ones are forgotten.
const MOST_RUNS: usize = 40;
/// Runs at the same time.
pub(crate) const MOST_RUNNING: usize = 16;

/// The runs in the order of their start.
#[derive(Default)]
pub(super) struct Runs {
    /// The last number of an id.
    last: u64,
    /// Places of runs that are being started.
    n_starting: usize,
    /// How often all were ended.
    n_kills: u64,
    known: VecDeque<Arc<Run>>,
}

/// The place of a run that is being started. Dropping it gives the place up.
pub(super) struct Starting {
    runs: Arc<Mutex<Runs>>,
    n_kills: u64,
    is_added: bool,
}

impl Runs {
    /// Reserves a place, where there is one.
    pub(super) fn begin(runs: &Arc<Mutex<Self>>) -> Result<Starting, ToolFailure> {
        let mut locked = runs.lock();
        locked.have_room()?;
        locked.n_starting += 1;
        Ok(Starting {
            runs: Arc::clone(runs),
            n_kills: locked.n_kills,
            is_added: false,
        })
    }

    /// Whether another one may run.
    fn have_room(&self) -> Result<(), ToolFailure> {
        let running = self.known.iter().filter(|run| run.ended().is_none());
        match running.count() + self.n_starting {
            n_running if n_running >= MOST_RUNNING => Err(ToolFailure::new(
                ToolErrorCode::NotApplicable,
                format!("{n_running} commands run already; wait for one of them"),
            )),
            _ => Ok(()),
        }
    }

    /// The number of a new id.
    pub(super) fn number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    pub(super) fn find(&self, project: &Path, id: &str) -> Result<Arc<Run>, ToolFailure> {
        let known = || self.known.iter().filter(|run| run.project() == project);
        known().find(|run| run.id() == id).cloned().ok_or_else(|| {
            let ids: Vec<&str> = known().map(|run| run.id()).collect();
            ToolFailure::new(
                ToolErrorCode::InvalidParam,
                format!("there is no run `{id}` (known: {})", ids.join(", ")),
            )
        })
    }

    pub(super) fn latest(&self, project: &Path, prefix: &str) -> Option<Arc<Run>> {
        let mut latest = self.known.iter().rev();
        latest
            .find(|run| run.project() == project && run.id().starts_with(prefix))
            .cloned()
    }

    /// Ends all runs; those that are being started end as soon as they are added.
    pub(super) fn kill_all(&mut self) {
        self.n_kills += 1;
        for run in &self.known {
            run.kill();
        }
    }

    /// Forgets the oldest finished runs.
    fn forget_old(&mut self) -> Vec<Arc<Run>> {
        let mut forgotten = Vec::new();
        while self.known.len() > MOST_RUNS {
            let oldest = self.known.iter().position(|run| run.ended().is_some());
            let Some(run) = oldest.and_then(|oldest| self.known.remove(oldest)) else {
                break;
            };
            forgotten.push(run);
        }
        forgotten
    }
}

impl Starting {
    /// Whether all were ended since: it is not to be started any more.
    pub(super) fn is_unwanted(&self) -> bool {
        self.runs.lock().n_kills != self.n_kills
    }

    /// The run has begun. The output of those that are forgotten for it is removed.
    pub(super) fn add(mut self, run: &Arc<Run>) {
        let mut runs = self.runs.lock();
        if runs.n_kills != self.n_kills {
            run.kill();
        }
        runs.n_starting -= 1;
        runs.known.push_back(Arc::clone(run));
        let forgotten = runs.forget_old();
        drop(runs);
        self.is_added = true;
        for run in forgotten {
            // A file that stays goes with the runtime folder.
            let _ = std::fs::remove_file(run.log());
        }
    }
}

impl Drop for Starting {
    fn drop(&mut self) {
        if !self.is_added {
            self.runs.lock().n_starting -= 1;
        }
    }
}
