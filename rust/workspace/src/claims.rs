//! Who may touch which path, in the order of asking.
//!
//! A claim names the paths of a call. It waits for earlier claims on the same path, on a folder
//! above it or on something below it, so that edits of one file are never mixed or reordered while
//! all others run side by side. Claims are taken in one go and given back by dropping them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

#[derive(Default)]
pub(crate) struct Claims {
    open: Mutex<Open>,
    changed: Condvar,
}

#[derive(Default)]
struct Open {
    next: u64,
    paths: BTreeMap<u64, Vec<PathBuf>>,
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
        open.paths.insert(number, paths);
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
        while open.is_blocked(self.number) {
            self.claims.changed.wait(&mut open);
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.claims.open.lock().paths.remove(&self.number);
        self.claims.changed.notify_all();
    }
}

impl Open {
    fn is_blocked(&self, number: u64) -> bool {
        let Some(mine) = self.paths.get(&number) else {
            return false;
        };
        self.paths.range(..number).any(|(_, earlier)| {
            earlier.iter().any(|theirs| {
                mine.iter()
                    .any(|path| path.starts_with(theirs) || theirs.starts_with(path))
            })
        })
    }
}
