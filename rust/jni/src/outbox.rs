//! Events on their way to the embedder: in order, in batches, none lost, however slow the embedder is.
//!
//! An engine never waits for its embedder. Pieces of streamed text that follow each other are joined while they wait:
//! the joined event keeps the number and time of its first piece, so numbers still rise but some are missing. What
//! waits beyond [`MEMORY`] goes to a file and comes back in its turn. The thread that takes a batch makes JSON of it,
//! with what a window shows of each event.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use siderail_engine::event::Event;
use siderail_engine::event::backlog::{Backlog, WaitingEvent, Waits};

use crate::views::Views;

/// Time between the beginnings of two batches.
const PACE: Duration = Duration::from_millis(16);
/// Bytes of a batch after which it is closed.
const BATCH: usize = 256 << 10;
/// Bytes of events that wait in memory.
const MEMORY: usize = 4 << 20;
/// Bytes of text up to which pieces are joined.
const JOINED: usize = 32 << 10;

/// The queue between an engine and the thread that delivers its events.
#[derive(Debug)]
pub(crate) struct Outbox {
    queue: Backlog<Waiting>,
    state: Mutex<State>,
    changed: Condvar,
    /// For the thread that takes batches.
    views: Mutex<Views>,
}

#[derive(Debug, Default)]
struct State {
    /// Before this no further batch begins.
    due: Option<Instant>,
    closed: bool,
}

impl Outbox {
    /// An empty queue. `folder` is a private one, for what memory is not to hold; `views` says what is added to events.
    pub(crate) fn new(folder: PathBuf, views: Views) -> Self {
        Self::of(Backlog::new(folder, MEMORY), views)
    }

    fn of(queue: Backlog<Waiting>, views: Views) -> Self {
        Self {
            queue,
            state: Mutex::new(State::default()),
            changed: Condvar::new(),
            views: Mutex::new(views),
        }
    }

    /// Takes an event. Waits for nobody.
    pub(crate) fn push(&self, event: Event) {
        let state = self.state.lock();
        // Who waits for the time of the next batch is not woken by each event.
        let was_empty = self.queue.is_empty();
        self.queue.push(Waiting(event.into()));
        drop(state);
        if was_empty {
            self.changed.notify_one();
        }
    }

    /// Nothing will be added; what waits is still delivered, without pauses.
    pub(crate) fn close(&self) {
        self.state.lock().closed = true;
        self.changed.notify_one();
    }

    /// Drops what waits: nobody is left to receive it.
    pub(crate) fn abandon(&self) {
        self.queue.close();
        self.close();
    }

    /// Whether nothing of it runs any more, once it is closed and empty or abandoned.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.queue.is_at_rest()
    }

    /// Waits for the next batch, a JSON array; none when all is delivered and nothing will be added.
    pub(crate) fn next_batch(&self) -> Option<Vec<u8>> {
        loop {
            self.wait_for_events()?;
            // Without the lock: the file of what waits may be read.
            let taken = self.queue.take(BATCH);
            if !taken.is_empty() {
                return Some(batch_of(taken, &mut self.views.lock()));
            }
        }
    }

    /// Waits until a batch may begin and has something in it; none at the end.
    fn wait_for_events(&self) -> Option<()> {
        let mut state = self.state.lock();
        loop {
            let now = Instant::now();
            let due = state.due.filter(|due| *due > now && !state.closed);
            match due {
                _ if self.queue.is_empty() && state.closed => return None,
                _ if self.queue.is_empty() => self.changed.wait(&mut state),
                Some(due) => {
                    self.changed.wait_until(&mut state, due);
                }
                None => {
                    state.due = Some(now + PACE);
                    return Some(());
                }
            }
        }
    }
}

/// An event that waits and takes in the pieces of text that follow its own.
#[derive(Debug)]
struct Waiting(WaitingEvent);

impl Waits for Waiting {
    fn weight(&self) -> usize {
        self.0.weight()
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        self.0.write(bytes);
    }

    fn read(line: Vec<u8>) -> Option<Self> {
        WaitingEvent::read(line).map(Self)
    }

    fn join(&mut self, next: Self) -> Option<Self> {
        self.0.join_text(next.0, JOINED).map(Self)
    }
}

/// Events as a JSON array, with what a window is to show of each.
fn batch_of(taken: Vec<Waiting>, views: &mut Views) -> Vec<u8> {
    let weight: usize = taken.iter().map(Waits::weight).sum();
    let mut bytes = Vec::with_capacity(weight + 2);
    bytes.push(b'[');
    for (at, Waiting(event)) in taken.into_iter().enumerate() {
        if at > 0 {
            bytes.push(b',');
        }
        let event = event.into_event();
        serde_json::to_writer(&mut bytes, &event).expect("an event is text, numbers and lists");
        views.add(&event, &mut bytes);
    }
    bytes.push(b']');
    bytes
}

#[cfg(test)]
mod tests;
