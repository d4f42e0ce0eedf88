//! Which call may touch which path, for threads that wait for their turn.
//!
//! A claim has its place in one [`FileQueue`] for all sessions. It is taken without a look at the disk: until the paths of
//! a call are looked up, its claim holds the whole project, so that later calls there stay behind it and calls of other
//! projects do not. A call has one claim for all its paths and returns it by dropping it. A lookup may hang, so whoever
//! cancels the call can withdraw a claim that has not been looked up yet, through its [`Ticket`].

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::cancel::CancelFlag;
use crate::file_queue::FileQueue;

/// How often a waiting thread looks whether its call is still wanted.
const LOOK: Duration = Duration::from_millis(200);

#[derive(Default)]
pub(crate) struct Claims {
    open: Mutex<Open>,
    changed: Condvar,
}

#[derive(Default)]
struct Open {
    next: u64,
    queue: FileQueue<u64>,
    /// Of every claim until it is dropped, also of those that are no longer in the queue.
    lookups: HashMap<u64, Lookup>,
}

/// Whether it is known what a claim touches. The queue cannot say: it starts a claim before that if nothing is ahead of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lookup {
    Pending,
    Done,
    Withdrawn,
}

/// A place in the queue for what a call names.
pub struct Claim {
    claims: Arc<Claims>,
    number: u64,
    /// The paths as the call has them.
    pub(crate) named: Vec<String>,
}

/// Withdraws a claim that another thread holds.
pub struct Ticket {
    claims: Arc<Claims>,
    number: u64,
}

impl Claims {
    /// Takes a place in the queue for all of these folders, which is to be narrowed to what the names in it lead to. One
    /// without names touches nothing.
    pub(crate) fn claim(self: &Arc<Self>, folders: Vec<PathBuf>, named: Vec<String>) -> Claim {
        let mut open = self.open.lock();
        let number = open.next;
        open.next += 1;
        let (paths, lookup) = match named.is_empty() {
            true => (Vec::new(), Lookup::Done),
            false => (folders, Lookup::Pending),
        };
        open.queue.enter(paths, number);
        open.lookups.insert(number, lookup);
        Claim {
            claims: Arc::clone(self),
            number,
            named,
        }
    }
}

impl Open {
    fn is_withdrawn(&self, number: u64) -> bool {
        self.lookups.get(&number) == Some(&Lookup::Withdrawn)
    }
}

impl Claim {
    /// What withdraws it.
    pub fn ticket(&self) -> Ticket {
        Ticket {
            claims: Arc::clone(&self.claims),
            number: self.number,
        }
    }

    /// What its names lead to has been looked up: the rest of the project is free for others. False, and without effect,
    /// where the claim has been withdrawn.
    pub(crate) fn narrow(&self, paths: Vec<PathBuf>) -> bool {
        let mut open = self.claims.open.lock();
        if open.is_withdrawn(self.number) {
            return false;
        }
        open.lookups.insert(self.number, Lookup::Done);
        let started = open.queue.narrow(&self.number, paths);
        if !started.is_empty() {
            self.claims.changed.notify_all();
        }
        true
    }

    /// Returns when no earlier claim touches the same paths; false where the call is no longer wanted by then, or the
    /// claim has been withdrawn.
    pub(crate) fn wait(&self, cancel: &CancelFlag) -> bool {
        let mut open = self.claims.open.lock();
        loop {
            if cancel.is_cancelled() || open.is_withdrawn(self.number) {
                return false;
            }
            if open.queue.runs(&self.number) {
                return true;
            }
            self.claims.changed.wait_for(&mut open, LOOK);
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut open = self.claims.open.lock();
        open.lookups.remove(&self.number);
        let started = open.queue.remove(&self.number);
        if !started.is_empty() {
            self.claims.changed.notify_all();
        }
    }
}

impl Ticket {
    /// Takes the claim out of the queue if it is not known yet what it touches. A claim that has been looked up keeps its
    /// place until it is dropped, because its call may be at work.
    pub fn withdraw(&self) {
        let mut open = self.claims.open.lock();
        if open.lookups.get(&self.number) != Some(&Lookup::Pending) {
            return;
        }
        open.lookups.insert(self.number, Lookup::Withdrawn);
        let started = open.queue.remove(&self.number);
        if !started.is_empty() {
            self.claims.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(claims: &Arc<Claims>, folder: &str, name: &str) -> Claim {
        claims.claim(vec![folder.into()], vec![name.to_owned()])
    }

    /// Whether it waits for nobody now.
    fn runs(claim: &Claim) -> bool {
        claim.claims.open.lock().queue.runs(&claim.number)
    }

    #[test]
    fn a_claim_that_is_not_looked_up_yet_holds_later_ones_of_its_project_and_no_others() {
        let claims = Arc::default();
        let first = claim(&claims, "/p", "link");
        let second = claim(&claims, "/p", "a");
        second.narrow(vec!["/p/a".into()]);
        let elsewhere = claim(&claims, "/q", "a");
        assert!(!runs(&second), "the link may lead to a");
        assert!(runs(&elsewhere));
        let third = claim(&claims, "/p", "b");
        third.narrow(vec!["/p/b".into()]);
        first.narrow(vec!["/p/link".into(), "/p/a".into()]);
        assert!(!runs(&second), "it does");
        assert!(runs(&third), "what the first does not touch is free");
        drop(first);
        assert!(runs(&second));
    }

    #[test]
    fn a_claim_that_names_nothing_waits_for_nobody_and_holds_nobody() {
        let claims = Arc::default();
        let first = claim(&claims, "/p", "a");
        let nothing = claims.claim(vec!["/p".into()], Vec::new());
        assert!(runs(&nothing));
        drop(first);
        let later = claim(&claims, "/p", "a");
        assert!(runs(&later));
    }

    #[test]
    fn a_withdrawn_claim_holds_nobody_and_never_gets_its_turn() {
        let claims = Arc::default();
        let first = claim(&claims, "/p", "link");
        let second = claim(&claims, "/p", "a");
        second.narrow(vec!["/p/a".into()]);
        assert!(runs(&first) && !runs(&second));
        first.ticket().withdraw();
        assert!(runs(&second));
        assert!(!first.narrow(vec!["/p/a".into()]));
        assert!(!first.wait(&CancelFlag::new()));
        let third = claim(&claims, "/p", "a");
        drop(first);
        assert!(runs(&second) && !runs(&third), "the order is kept");
    }

    #[test]
    fn a_claim_that_is_looked_up_keeps_its_place_when_its_call_is_cancelled() {
        let claims = Arc::default();
        let first = claim(&claims, "/p", "a");
        assert!(first.narrow(vec!["/p/a".into()]));
        let second = claim(&claims, "/p", "a");
        first.ticket().withdraw();
        assert!(runs(&first) && !runs(&second), "the first may be at work");
        let ticket = first.ticket();
        drop(first);
        ticket.withdraw();
        assert!(runs(&second));
    }

    #[test]
    fn a_cancelled_call_gets_no_turn_although_nobody_is_ahead_of_it() {
        let claims = Arc::default();
        let claim = claim(&claims, "/p", "a");
        assert!(claim.narrow(vec!["/p/a".into()]));
        let cancel = CancelFlag::new();
        assert!(claim.wait(&cancel));
        cancel.cancel();
        assert!(runs(&claim) && !claim.wait(&cancel));
    }
}
