//! Threads behind one bounded queue. Work that does not fit is refused.
//!
//! As many threads as are wanted work at a time. One that does not come back (a file system that does not answer, a
//! call that waits for such a one) is not counted any more after a moment, and another takes its place, up to a bound:
//! what is stuck never holds a worker that others need.

use std::collections::VecDeque;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

/// A piece of work; it learns whether the pool is closing, so that it answers at once.
pub(super) type Job = Box<dyn FnOnce(bool) + Send>;

/// How long the first job of the queue waits for a thread before another is started.
const PATIENCE: Duration = Duration::from_secs(1);
/// Threads at most for each that is wanted.
const MOST_FOR_ONE: usize = 16;

pub(super) struct Pool {
    name: &'static str,
    threads: usize,
    queue: usize,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// A job has come, or the pool closes.
    changed: Condvar,
}

/// Threads are started as they are needed: most sessions never wait for a person.
#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    started: usize,
    idle: usize,
    /// When a job was taken from the queue for the last time, or put in an empty one.
    moved: Option<Instant>,
    is_watched: bool,
    closing: bool,
}

impl Pool {
    pub(super) fn new(name: &'static str, threads: usize, queue: usize) -> Self {
        Self {
            name,
            threads,
            queue,
            shared: Arc::default(),
        }
    }

    /// Queues a job; false where the queue is full or no thread can be had.
    pub(super) fn submit(&self, job: Job) -> bool {
        let mut state = self.shared.state.lock();
        if state.jobs.len() >= self.queue {
            return false;
        }
        if state.started < self.threads && state.idle <= state.jobs.len() {
            start(self.name, &self.shared, &mut state);
        }
        if state.started == 0 {
            return false;
        }
        if state.jobs.is_empty() {
            state.moved = Some(Instant::now());
        }
        state.jobs.push_back(job);
        if state.idle < state.jobs.len() && !state.is_watched {
            let (name, shared) = (self.name, Arc::clone(&self.shared));
            let most = self.threads * MOST_FOR_ONE;
            // Without a watch the job waits for a thread as long as that takes.
            state.is_watched = thread::Builder::new()
                .name(format!("{name}-watch"))
                .spawn(move || watch(name, &shared, most))
                .is_ok();
        }
        drop(state);
        self.shared.changed.notify_one();
        true
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.state.lock().closing = true;
        self.shared.changed.notify_all();
    }
}

fn start(name: &str, shared: &Arc<Shared>, state: &mut State) {
    let theirs = Arc::clone(shared);
    let started = thread::Builder::new()
        .name(format!("{name}-{}", state.started))
        .spawn(move || work(&theirs));
    state.started += usize::from(started.is_ok());
}

/// Works until the pool is closed and nothing waits any more.
fn work(shared: &Shared) {
    let mut state = shared.state.lock();
    loop {
        if let Some(job) = state.jobs.pop_front() {
            state.moved = Some(Instant::now());
            let closing = state.closing;
            drop(state);
            job(closing);
            state = shared.state.lock();
        } else if state.closing {
            return;
        } else {
            state.idle += 1;
            shared.changed.wait(&mut state);
            state.idle -= 1;
        }
    }
}

/// Starts another thread whenever no job has left the queue for a moment; ends with the queue.
fn watch(name: &str, shared: &Arc<Shared>, most: usize) {
    loop {
        thread::sleep(PATIENCE / 4);
        let mut state = shared.state.lock();
        if state.jobs.is_empty() {
            state.is_watched = false;
            return;
        }
        let is_stuck = state.moved.is_none_or(|moved| moved.elapsed() >= PATIENCE);
        if is_stuck && state.idle == 0 && state.started < most {
            start(name, shared, &mut state);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn jobs_that_never_end_hold_no_worker_that_others_need() {
        let pool = Pool::new("test", 2, 100);
        let (release, held) = channel::<()>();
        let held = Arc::new(Mutex::new(held));
        for _ in 0..4 {
            let held = Arc::clone(&held);
            // The first holds the lock until the end, the others wait for it.
            assert!(pool.submit(Box::new(move |_| {
                let _ = held.lock().recv();
            })));
        }
        let (done, is_done) = channel();
        assert!(pool.submit(Box::new(move |_| done.send(()).unwrap())));
        let came = is_done.recv_timeout(Duration::from_secs(30));
        drop(release);
        assert!(came.is_ok());
    }

    #[test]
    fn what_waits_when_the_pool_closes_is_still_done_and_told_so() {
        let pool = Pool::new("test", 1, 100);
        let (release, held) = channel::<()>();
        assert!(pool.submit(Box::new(move |_| {
            let _ = held.recv();
        })));
        let (done, closings) = channel();
        assert!(pool.submit(Box::new(move |closing| done.send(closing).unwrap())));
        drop(pool);
        drop(release);
        assert_eq!(closings.recv_timeout(Duration::from_secs(30)), Ok(true));
    }
}
