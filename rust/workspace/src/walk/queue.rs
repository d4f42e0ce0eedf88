//! The rest of a walk, shared by its threads: pieces that wait for a thread, and folders about which somebody has to be
//! asked first. Knows no file.

use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use super::ignored::Rules;
use super::{Entries, Level};

/// A piece of a walk that one thread does.
pub(super) enum Job {
    Folder(Subfolder),
    /// Some of the entries of a large folder.
    Share {
        level: Arc<Level>,
        entries: Entries,
    },
    /// Folders that may be left out.
    Ask(Vec<Subfolder>),
}

/// A folder that nobody has opened yet.
pub(super) struct Subfolder {
    /// From the project's root.
    pub(super) below: PathBuf,
    /// The rules of the folder that it is in.
    pub(super) above: Option<Arc<Rules>>,
}

/// Jobs that wait for a thread. The last comes first, so that few folders are under way at a time.
///
/// Of the folders to ask about, one thread takes all that wait, and others come meanwhile: so a slow answer makes the
/// next question a longer one, and not the walk a longer one.
#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    jobs: Vec<Job>,
    unasked: Vec<Subfolder>,
    is_asking: bool,
    /// Threads at a job, each of which may bring more.
    n_busy: usize,
    is_over: bool,
}

impl Waiting {
    fn next(&mut self) -> Option<Job> {
        if self.is_asking || self.unasked.is_empty() {
            return self.jobs.pop();
        }
        self.is_asking = true;
        Some(Job::Ask(std::mem::take(&mut self.unasked)))
    }
}

impl Queue {
    pub(super) fn put(&self, jobs: impl IntoIterator<Item = Job>) {
        self.state.lock().jobs.extend(jobs);
        self.changed.notify_all();
    }

    /// Folders that are walked if they are not left out.
    pub(super) fn ask(&self, folders: Vec<Subfolder>) {
        self.state.lock().unasked.extend(folders);
        self.changed.notify_all();
    }

    /// What was asked is answered.
    pub(super) fn asked(&self) {
        self.state.lock().is_asking = false;
        self.changed.notify_all();
    }

    /// The next job; none when there will be none any more.
    pub(super) fn take(&self) -> Option<Job> {
        let mut state = self.state.lock();
        loop {
            if state.is_over {
                return None;
            }
            if let Some(job) = state.next() {
                state.n_busy += 1;
                return Some(job);
            }
            if state.n_busy == 0 {
                return None;
            }
            self.changed.wait(&mut state);
        }
    }

    pub(super) fn done(&self) {
        let mut state = self.state.lock();
        state.n_busy -= 1;
        if state.n_busy == 0 && state.jobs.is_empty() && state.unasked.is_empty() {
            self.changed.notify_all();
        }
    }

    pub(super) fn end(&self) {
        self.state.lock().is_over = true;
        self.changed.notify_all();
    }
}
