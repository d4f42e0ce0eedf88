//! A fixed number of threads behind one bounded queue. Work that does not fit is refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use parking_lot::Mutex;

/// A piece of work; told whether the pool is closing, so that it answers at once.
pub(super) type Job = Box<dyn FnOnce(bool) + Send>;

pub(super) struct Pool {
    name: &'static str,
    threads: usize,
    state: Mutex<State>,
    queue: SyncSender<Job>,
    jobs: Arc<Mutex<Receiver<Job>>>,
    closing: Arc<AtomicBool>,
}

/// Threads are started as they are needed: most sessions never wait for a person.
struct State {
    started: usize,
}

impl Pool {
    pub(super) fn new(name: &'static str, threads: usize, queue: usize) -> Self {
        let (sender, receiver) = sync_channel(queue);
        Self {
            name,
            threads,
            state: Mutex::new(State { started: 0 }),
            queue: sender,
            jobs: Arc::new(Mutex::new(receiver)),
            closing: Arc::default(),
        }
    }

    /// Queues a job; false where the queue is full or no thread can be had.
    pub(super) fn submit(&self, job: Job) -> bool {
        self.grow() && self.queue.try_send(job).is_ok()
    }

    /// Starts one more thread until all run. Whether there is at least one.
    fn grow(&self) -> bool {
        let mut state = self.state.lock();
        if state.started < self.threads {
            let jobs = Arc::clone(&self.jobs);
            let closing = Arc::clone(&self.closing);
            let started = thread::Builder::new()
                .name(format!("{}-{}", self.name, state.started))
                .spawn(move || work(&jobs, &closing));
            if started.is_ok() {
                state.started += 1;
            }
        }
        state.started > 0
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.closing.store(true, Ordering::Release);
    }
}

fn work(jobs: &Mutex<Receiver<Job>>, closing: &AtomicBool) {
    loop {
        // The lock is held while waiting, by one idle thread at a time; a job runs without it.
        let next = jobs.lock().recv();
        match next {
            Ok(job) => job(closing.load(Ordering::Acquire)),
            Err(_) => return,
        }
    }
}
