//! Events on their way to the embedder: in order, in batches, none lost, however slow the embedder is.
//!
//! An engine never waits for its embedder. Pieces of streamed text that follow each other are joined while they
//! wait: the joined event keeps the number and time of its first piece, so numbers still rise but some are
//! missing. What waits beyond [`MEMORY`] goes to a file and comes back in its turn. Only where the disk refuses,
//! too, does memory grow.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use siderail_engine::backlog::{Backlog, Waits};
use siderail_engine::event::{Event, EventBody};

/// Time between the beginnings of two batches.
const PACE: Duration = Duration::from_millis(16);
/// Bytes of a batch after which it is closed.
const BATCH: usize = 256 << 10;
/// Bytes of events that wait in memory.
const MEMORY: usize = 4 << 20;
/// Bytes of text up to which pieces are joined.
const JOINED: usize = 32 << 10;
/// What an event weighs beside its text.
const OVERHEAD: usize = 160;

/// The queue between an engine and the thread that delivers its events.
#[derive(Debug)]
pub(crate) struct Outbox {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    queue: Backlog<Waiting>,
    /// Before this no further batch begins.
    due: Option<Instant>,
    closed: bool,
}

impl Outbox {
    /// An empty queue. `folder` is a private one, for what memory is not to hold.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self {
            state: Mutex::new(State {
                queue: Backlog::new(folder, MEMORY),
                due: None,
                closed: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// Takes an event. Does not wait for anybody.
    pub(crate) fn push(&self, event: Event) {
        let mut state = self.state.lock();
        let was_empty = state.queue.is_empty();
        state.queue.push(Waiting::of(event));
        if was_empty {
            self.changed.notify_one();
        }
    }

    /// Nothing will be added; what waits is still delivered, without pauses.
    pub(crate) fn close(&self) {
        self.state.lock().closed = true;
        self.changed.notify_one();
    }

    /// Drops what waits: there is nobody any more who could be told.
    pub(crate) fn abandon(&self) {
        let mut state = self.state.lock();
        state.queue = Backlog::new(PathBuf::new(), 0);
        state.closed = true;
        self.changed.notify_one();
    }

    /// Waits for the next batch, a JSON array; none when all is delivered and nothing will be added.
    pub(crate) fn next_batch(&self) -> Option<Vec<u8>> {
        let mut state = self.state.lock();
        loop {
            let now = Instant::now();
            let due = state.due.filter(|due| *due > now && !state.closed);
            match due {
                _ if state.queue.is_empty() && state.closed => return None,
                _ if state.queue.is_empty() => self.changed.wait(&mut state),
                Some(due) => {
                    self.changed.wait_until(&mut state, due);
                }
                None => {
                    state.due = Some(now + PACE);
                    let taken = state.queue.take(BATCH);
                    drop(state);
                    return Some(batch_of(&taken));
                }
            }
        }
    }
}

/// An event that waits.
#[derive(Debug)]
enum Waiting {
    /// A piece of text that a later one may be joined to.
    Piece(Box<Event>),
    /// JSON.
    Line(Vec<u8>),
}

impl Waiting {
    fn of(event: Event) -> Self {
        match event.body {
            EventBody::AgentMessage { .. } | EventBody::AgentThought { .. } => {
                Self::Piece(Box::new(event))
            }
            _ => Self::Line(json(&event)),
        }
    }
}

impl Waits for Waiting {
    fn weight(&self) -> usize {
        match self {
            Self::Piece(event) => OVERHEAD + text(&event.body).map_or(0, |text| text.len()),
            Self::Line(line) => line.len(),
        }
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Piece(event) => bytes.extend(json(event)),
            Self::Line(line) => bytes.extend(line),
        }
    }

    fn read(line: Vec<u8>) -> Option<Self> {
        Some(Self::Line(line))
    }

    fn join(&mut self, next: Self) -> Option<Self> {
        let joined = match (self, &next) {
            (Self::Piece(waiting), Self::Piece(more)) => joined(waiting, more),
            _ => false,
        };
        (!joined).then_some(next)
    }
}

/// Joins the next piece of the same text; false where it is something else.
fn joined(waiting: &mut Event, next: &Event) -> bool {
    let same_place = (waiting.session, waiting.turn) == (next.session, next.turn);
    match (&mut waiting.body, &next.body) {
        (
            EventBody::AgentMessage { text, message_id },
            EventBody::AgentMessage {
                text: more,
                message_id: id,
            },
        )
        | (
            EventBody::AgentThought { text, message_id },
            EventBody::AgentThought {
                text: more,
                message_id: id,
            },
        ) if same_place && message_id == id && text.len() + more.len() <= JOINED => {
            text.push_str(more);
            true
        }
        _ => false,
    }
}

fn text(body: &EventBody) -> Option<&str> {
    match body {
        EventBody::AgentMessage { text, .. } | EventBody::AgentThought { text, .. } => Some(text),
        _ => None,
    }
}

fn json(event: &Event) -> Vec<u8> {
    serde_json::to_vec(event).expect("an event is text, numbers and lists")
}

fn batch_of(events: &[Waiting]) -> Vec<u8> {
    let weight: usize = events.iter().map(Waiting::weight).sum();
    let mut bytes = Vec::with_capacity(weight + events.len() + 2);
    bytes.push(b'[');
    for (at, event) in events.iter().enumerate() {
        if at > 0 {
            bytes.push(b',');
        }
        event.write(&mut bytes);
    }
    bytes.push(b']');
    bytes
}

#[cfg(test)]
mod tests;
