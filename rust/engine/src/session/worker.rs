//! A session's worker: a thread that looks at the disk, so that the engine's loop waits for it a tenth of a ms at most.
//!
//! While the worker is busy, everything else that comes to the session waits its turn, so that a session does one thing
//! after another as if there were no thread; other sessions continue. A file system that gives no answer in time is
//! abandoned with its thread, and the work is done again blind, without a look at the disk. The worker knows nothing of
//! what it does.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};
use std::{hint, thread};

use parking_lot::Mutex;
use tokio::sync::mpsc::UnboundedSender;

/// How long a look at the disk may take, which may belong to a machine that is gone.
pub(in crate::session) const PATIENCE: Duration = Duration::from_secs(2);
/// The same once a person wants the turn or the session to end, unless more was granted. A busy machine needs it to run a
/// thread at all.
pub(in crate::session) const HURRY: Duration = Duration::from_millis(300);
/// How long the loop itself waits for a look: most take a tenth of it, and to sleep and be woken may take as long.
const AT_ONCE: Duration = Duration::from_micros(100);
/// Threads that such a file system may hold up side by side; then the disk is not looked at any more.
const MOST_WAITING: usize = 4;

/// Whether the disk may be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::session) enum Sight {
    /// On the worker.
    Clear,
    /// On the engine's loop, mostly where the worker gave no answer: what only the disk knows counts as unknown.
    Blind,
}

/// What the worker does. It leaves what it found where the session takes it.
pub(in crate::session) type Work = Arc<dyn Fn(Sight) + Send + Sync>;

/// Work that uses something up: done again blind, it finds `None` where the worker has begun it. It holds no lock
/// meanwhile, or the loop would wait for a worker that hangs.
pub(in crate::session) fn once<O, T>(
    owned: O,
    work: impl Fn(Option<O>, Sight) -> T,
) -> impl Fn(Sight) -> T {
    let owned = Mutex::new(Some(owned));
    move |sight| {
        let left = owned.lock().take();
        work(left, sight)
    }
}

/// The worker and what waits for it. `Then`: what the session does with what was found.
pub(in crate::session) struct Worker<Then> {
    thread: Option<mpsc::Sender<Job>>,
    /// Work that is not done; the thread has the first of it.
    pending: VecDeque<Pending<Then>>,
    /// Inputs of the session that came meanwhile.
    pub(in crate::session) held: VecDeque<Then>,
    last: u64,
    /// Each thread holds one more of it.
    threads: Arc<()>,
    pub(in crate::session) is_hurried: bool,
}

struct Pending<Then> {
    number: u64,
    work: Work,
    then: Then,
    patience: Duration,
    until: Instant,
    is_begun: bool,
    /// The thread has done it, and says so at this moment.
    is_done: Arc<AtomicBool>,
}

struct Job {
    number: u64,
    work: Work,
    is_done: Arc<AtomicBool>,
}

/// Work that is done: the session's number, and the work's.
pub(crate) type Worked = (u64, u64);

impl<Then> Default for Worker<Then> {
    fn default() -> Self {
        Self {
            thread: None,
            pending: VecDeque::new(),
            held: VecDeque::new(),
            last: 0,
            threads: Arc::default(),
            is_hurried: false,
        }
    }
}

impl<Then> Worker<Then> {
    /// The same for another process of the session: with what has come, on a thread of its own.
    pub(in crate::session) fn anew(self) -> Self {
        Self {
            held: self.held,
            last: self.last,
            ..Self::default()
        }
    }

    /// Whether something is to be waited for before the session can take anything else.
    pub(in crate::session) fn is_busy(&self) -> bool {
        !self.pending.is_empty()
    }

    /// When the first of the work is given up. What is done is not, however late that is heard of.
    pub(in crate::session) fn deadline(&self) -> Option<Instant> {
        let first = self.pending.front().filter(|first| !first.is_done());
        first.map(|first| first.until)
    }

    pub(in crate::session) fn hurry(&mut self, now: Instant) {
        self.is_hurried = self.is_busy();
        let all = self.pending.iter_mut();
        for pending in all.filter(|pending| pending.patience <= PATIENCE) {
            pending.until = pending.until.min(now + HURRY);
        }
    }

    /// Whatever is pending has until then at most.
    pub(in crate::session) fn give_until(&mut self, until: Instant) {
        for pending in &mut self.pending {
            pending.until = pending.until.min(until);
        }
    }

    pub(in crate::session) fn begin(
        &mut self,
        work: Work,
        then: Then,
        patience: Duration,
        report: &Report,
    ) {
        self.last += 1;
        let until = Instant::now();
        self.pending.push_back(Pending {
            number: self.last,
            work,
            then,
            patience,
            until,
            is_begun: false,
            is_done: Arc::default(),
        });
        self.hand_over(report);
    }

    /// Gives the first of the work to the thread. If there is no thread, it is overdue at once.
    pub(in crate::session) fn hand_over(&mut self, report: &Report) {
        let first = self.pending.front_mut();
        let Some(first) = first.filter(|first| !first.is_begun) else {
            return;
        };
        first.is_begun = true;
        let patience = match self.is_hurried && first.patience <= PATIENCE {
            true => HURRY,
            false => first.patience,
        };
        first.until = Instant::now() + patience;
        let job = Job {
            number: first.number,
            work: Arc::clone(&first.work),
            is_done: Arc::clone(&first.is_done),
        };
        let handed = self
            .thread
            .take()
            .or_else(|| begun(&self.threads, report))
            .and_then(|thread| thread.send(job).ok().map(|()| thread));
        match handed {
            Some(thread) => {
                self.thread = Some(thread);
                let end = Instant::now() + AT_ONCE;
                while !first.is_done() && Instant::now() < end {
                    hint::spin_loop();
                }
            }
            None => first.until = Instant::now(),
        }
    }

    /// The thread has done this; none if it was given up before.
    pub(in crate::session) fn done(&mut self, number: u64) -> Option<Then> {
        self.pending
            .front()
            .filter(|first| first.number == number)?;
        Some(self.pending.pop_front()?.then)
    }

    /// Gives up the first of the work, with the thread that hangs in it, where its time is over.
    pub(in crate::session) fn overdue(&mut self, now: Instant) -> Option<(Work, Then)> {
        let first = self.pending.front();
        first.filter(|first| first.until <= now && !first.is_done())?;
        self.thread = None;
        let Pending { work, then, .. } = self.pending.pop_front()?;
        Some((work, then))
    }
}

impl<Then> Pending<Then> {
    fn is_done(&self) -> bool {
        self.is_done.load(Ordering::Acquire)
    }
}

/// Where the thread says what is done.
pub(in crate::session) struct Report {
    pub(in crate::session) session: u64,
    pub(in crate::session) done: UnboundedSender<Worked>,
}

fn begun(threads: &Arc<()>, report: &Report) -> Option<mpsc::Sender<Job>> {
    if Arc::strong_count(threads) > MOST_WAITING {
        return None;
    }
    let (sender, jobs) = mpsc::channel::<Job>();
    let (session, done) = (report.session, report.done.clone());
    let counted = Arc::clone(threads);
    let thread = thread::Builder::new().name("siderail-disk".to_owned());
    let begun = thread.spawn(move || {
        for job in jobs {
            (job.work)(Sight::Clear);
            job.is_done.store(true, Ordering::Release);
            // Without an engine nobody waits.
            let _ = done.send((session, job.number));
        }
        drop(counted);
    });
    begun.ok().map(|_| sender)
}
