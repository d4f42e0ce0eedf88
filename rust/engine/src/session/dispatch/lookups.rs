//! Has a session's worker look things up, and holds back what comes meanwhile.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::session::Session;
use crate::session::worker::{PATIENCE, Report, Sight};
use crate::shared::Shared;

/// How many inputs may wait for a session before the engine stops taking more.
pub(in crate::session) const MOST_HELD: usize = 1024;

/// What a session does once it may.
pub(crate) type Then = Box<dyn FnOnce(&mut Session, &mut Shared) + Send>;

impl Session {
    /// Has the worker find something out, and continues with the result. Until then everything else that comes to the
    /// session waits.
    pub(in crate::session) fn look_up<T: Send + 'static>(
        &mut self,
        shared: &Shared,
        find: impl Fn(Sight) -> T + Send + Sync + 'static,
        then: impl FnOnce(&mut Self, T, &mut Shared) + Send + 'static,
    ) {
        self.look_up_within(PATIENCE, shared, find, then);
    }

    /// The same for what may take so long.
    pub(in crate::session) fn look_up_within<T: Send + 'static>(
        &mut self,
        patience: Duration,
        shared: &Shared,
        find: impl Fn(Sight) -> T + Send + Sync + 'static,
        then: impl FnOnce(&mut Self, T, &mut Shared) + Send + 'static,
    ) {
        let found = Arc::new(Mutex::new(None));
        let place = Arc::clone(&found);
        let work = Arc::new(move |sight| {
            let seen = find(sight);
            *place.lock() = Some(seen);
        });
        let then = Box::new(move |session: &mut Self, shared: &mut Shared| {
            let found = found.lock().take();
            if let Some(found) = found {
                then(session, found, shared);
            }
        });
        let report = self.report(shared);
        self.worker.begin(work, then, patience, &report);
    }

    fn report(&self, shared: &Shared) -> Report {
        Report {
            session: self.carried.number,
            done: shared.worked.clone(),
        }
    }

    /// Does something once nothing is pending: at once, as a rule.
    pub(crate) fn in_turn(
        &mut self,
        act: impl FnOnce(&mut Self, &mut Shared) + Send + 'static,
        shared: &mut Shared,
    ) {
        if self.worker.is_busy() {
            return self.worker.held.push_back(Box::new(act));
        }
        act(self, shared);
    }

    /// Whether more may come while something is waited for.
    pub(crate) fn has_room(&self) -> bool {
        self.worker.held.len() < MOST_HELD
    }

    /// Nothing is waited for any longer than anybody would notice.
    pub(crate) fn hurry(&mut self) {
        self.worker.hurry(Instant::now());
    }

    /// The worker has done something.
    pub(crate) fn worked(&mut self, number: u64, shared: &mut Shared) {
        if let Some(then) = self.worker.done(number) {
            self.go_on(then, shared);
        }
    }

    /// The worker has hung for too long: what it was to find out is not known.
    pub(in crate::session) fn worker_overdue(&mut self, now: Instant, shared: &mut Shared) {
        if let Some((work, then)) = self.worker.overdue(now) {
            tracing::warn!(
                session = self.carried.number,
                "the file system gives no answer"
            );
            work(Sight::Blind);
            self.go_on(then, shared);
        }
    }

    /// Continues, and takes what came meanwhile, until something is waited for again.
    pub(in crate::session) fn go_on(&mut self, then: Then, shared: &mut Shared) {
        then(self, shared);
        while !self.worker.is_busy() && !self.is_over() {
            let Some(act) = self.worker.held.pop_front() else {
                self.worker.is_hurried = false;
                return;
            };
            act(self, shared);
        }
        let report = self.report(shared);
        self.worker.hand_over(&report);
    }
}
