//! A session's worker: a thread that looks at the disk, so that the engine's loop never waits for it.
//!
//! While the worker is at it, whatever else comes to the session waits its turn, so that a session does one thing after
//! another as if there were no thread; other sessions go on. A file system that gives no answer in time is left behind
//! with its thread, and the work is done again blind, without a look at the disk. The worker knows nothing of what it does.

use std::collections::VecDeque;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::mpsc::UnboundedSender;

use crate::session::Session;
use crate::shared::Shared;

/// How long a look at the disk may take, which may belong to a machine that is gone.
const PATIENCE: Duration = Duration::from_secs(2);
/// The same once a person wants the turn or the session to end.
const HURRY: Duration = Duration::from_millis(50);
/// Threads that such a file system may hold up side by side; then the disk is not looked at any more.
const MOST_WAITING: usize = 4;

/// What may come to a session meanwhile before the engine stops to take inputs.
const MOST_HELD: usize = 1024;

/// Whether the disk may be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::session) enum Sight {
    /// On the worker.
    Clear,
    /// On the engine's loop, where the worker gave no answer: what only the disk knows counts as unknown.
    Blind,
}

/// What the worker does. It leaves what it found where its [`Then`] takes it.
type Work = Arc<dyn Fn(Sight) + Send + Sync>;
/// What the session does with what was found.
pub(crate) type Then = Box<dyn FnOnce(&mut Session, &mut Shared) + Send>;

/// The worker and what waits for it.
#[derive(Default)]
pub(crate) struct Worker {
    thread: Option<mpsc::Sender<(u64, Work)>>,
    /// Work that is not done; the thread has the first of it.
    pending: VecDeque<Pending>,
    /// What has come to the session meanwhile.
    held: VecDeque<Then>,
    last: u64,
    /// Each thread holds one more of it.
    threads: Arc<()>,
    is_hurried: bool,
}

struct Pending {
    number: u64,
    work: Work,
    then: Then,
    until: Instant,
    is_begun: bool,
}

/// Work that is done: the session's number, and the work's.
pub(crate) type Worked = (u64, u64);

impl Worker {
    /// Whether something is to be waited for before the session can take anything else.
    pub(crate) fn is_busy(&self) -> bool {
        !self.pending.is_empty()
    }

    /// When the first of the work is given up.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.pending.front().map(|pending| pending.until)
    }

    fn hurry(&mut self, now: Instant) {
        self.is_hurried = self.is_busy();
        for pending in &mut self.pending {
            pending.until = pending.until.min(now + HURRY);
        }
    }

    fn begin(&mut self, work: Work, then: Then, report: &Report) {
        self.last += 1;
        let until = Instant::now();
        self.pending.push_back(Pending {
            number: self.last,
            work,
            then,
            until,
            is_begun: false,
        });
        self.hand_over(report);
    }

    /// Gives the first of the work to the thread. Where there is none to give it to, it is overdue at once.
    fn hand_over(&mut self, report: &Report) {
        let first = self.pending.front_mut();
        let Some(first) = first.filter(|first| !first.is_begun) else {
            return;
        };
        first.is_begun = true;
        let patience = match self.is_hurried {
            true => HURRY,
            false => PATIENCE,
        };
        first.until = Instant::now() + patience;
        let job = (first.number, Arc::clone(&first.work));
        let handed = self
            .thread
            .take()
            .or_else(|| begun(&self.threads, report))
            .and_then(|thread| thread.send(job).ok().map(|()| thread));
        match handed {
            Some(thread) => self.thread = Some(thread),
            None => first.until = Instant::now(),
        }
    }

    /// The thread has done this; none where it was given up before.
    fn done(&mut self, number: u64) -> Option<Then> {
        self.pending
            .front()
            .filter(|first| first.number == number)?;
        Some(self.pending.pop_front()?.then)
    }

    /// Gives up the first of the work, with the thread that hangs in it, where its time is over.
    fn overdue(&mut self, now: Instant) -> Option<(Work, Then)> {
        self.pending.front().filter(|first| first.until <= now)?;
        self.thread = None;
        let Pending { work, then, .. } = self.pending.pop_front()?;
        Some((work, then))
    }
}

/// Where the thread says what is done.
struct Report {
    session: u64,
    done: UnboundedSender<Worked>,
}

fn begun(threads: &Arc<()>, report: &Report) -> Option<mpsc::Sender<(u64, Work)>> {
    if Arc::strong_count(threads) > MOST_WAITING {
        return None;
    }
    let (sender, jobs) = mpsc::channel::<(u64, Work)>();
    let (session, done) = (report.session, report.done.clone());
    let counted = Arc::clone(threads);
    let thread = thread::Builder::new().name("siderail-disk".to_owned());
    let begun = thread.spawn(move || {
        for (number, work) in jobs {
            work(Sight::Clear);
            // Without an engine nobody waits.
            let _ = done.send((session, number));
        }
        drop(counted);
    });
    begun.ok().map(|_| sender)
}

impl Session {
    /// Has the worker find something out, and goes on with it. Until then everything else waits that comes to the session.
    pub(in crate::session) fn look_up<T: Send + 'static>(
        &mut self,
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
        self.place.worker.begin(work, then, &report);
    }

    fn report(&self, shared: &Shared) -> Report {
        Report {
            session: self.number,
            done: shared.worked.clone(),
        }
    }

    /// Does something once nothing is waited for: at once, as a rule.
    pub(crate) fn in_turn(
        &mut self,
        act: impl FnOnce(&mut Self, &mut Shared) + Send + 'static,
        shared: &mut Shared,
    ) {
        if self.place.worker.is_busy() {
            return self.place.worker.held.push_back(Box::new(act));
        }
        act(self, shared);
    }

    /// Whether more may come while something is waited for.
    pub(crate) fn has_room(&self) -> bool {
        self.place.worker.held.len() < MOST_HELD
    }

    /// Nothing is waited for any longer than anybody would notice.
    pub(crate) fn hurry(&mut self) {
        self.place.worker.hurry(Instant::now());
    }

    /// What has come while something was waited for, and was not taken before the session was over.
    pub(crate) fn take_held(&mut self) -> VecDeque<Then> {
        std::mem::take(&mut self.place.worker.held)
    }

    /// The worker has done something.
    pub(crate) fn worked(&mut self, number: u64, shared: &mut Shared) {
        if let Some(then) = self.place.worker.done(number) {
            then(self, shared);
            self.catch_up(shared);
        }
    }

    /// The worker has hung for too long: what it was to find out is not known.
    pub(in crate::session) fn worker_overdue(&mut self, now: Instant, shared: &mut Shared) {
        if let Some((work, then)) = self.place.worker.overdue(now) {
            tracing::warn!(session = self.number, "the file system gives no answer");
            work(Sight::Blind);
            then(self, shared);
            self.catch_up(shared);
        }
    }

    /// Takes what came meanwhile, until something is waited for again.
    fn catch_up(&mut self, shared: &mut Shared) {
        while !self.place.worker.is_busy() && !self.is_over() {
            let Some(act) = self.place.worker.held.pop_front() else {
                self.place.worker.is_hurried = false;
                return;
            };
            act(self, shared);
        }
        let report = self.report(shared);
        self.place.worker.hand_over(&report);
    }
}
