//! Which call may touch which path, for threads that wait for their turn.
//!
//! A claim names the paths of a call and has its place in one [`FileQueue`] for all sessions. A call takes all its
//! claims at once and returns them by dropping them.

use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use crate::file_queue::FileQueue;

#[derive(Default)]
pub(crate) struct Claims {
    open: Mutex<Open>,
    changed: Condvar,
}

#[derive(Default)]
struct Open {
    next: u64,
    queue: FileQueue<u64>,
}

/// A place in the queue for some paths.
pub struct Claim {
    claims: Arc<Claims>,
    number: u64,
}

impl Claims {
    /// Takes a place in the queue.
    pub(crate) fn claim(self: &Arc<Self>, paths: Vec<PathBuf>) -> Claim {
        let mut open = self.open.lock();
        let number = open.next;
        open.next += 1;
        open.queue.enter(paths, number);
        Claim {
            claims: Arc::clone(self),
            number,
        }
    }
}

impl Claim {
    /// Returns when no earlier claim touches the same paths.
    pub fn wait(&self) {
        let mut open = self.claims.open.lock();
        while !open.queue.runs(&self.number) {
            self.claims.changed.wait(&mut open);
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let started = self.claims.open.lock().queue.remove(&self.number);
        if !started.is_empty() {
            self.claims.changed.notify_all();
        }
    }
}
