//! Events on their way to the embedder: in order, in batches, none lost, however slow the embedder is.
//!
//! An engine never waits for its embedder. Pieces of streamed text that follow each other are joined while they
//! wait: the joined event keeps the number and time of its first piece, so numbers still rise but some are
//! missing. What waits beyond [`MEMORY`] goes to a file and comes back in its turn. Only where the disk refuses,
//! too, does memory grow.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use siderail_engine::event::{Event, EventBody};

use crate::spill::Spill;

/// Time between the beginnings of two batches.
const PACE: Duration = Duration::from_millis(16);
/// Bytes of a batch after which it is closed.
const BATCH: usize = 256 << 10;
/// Bytes of events that wait in memory.
const MEMORY: usize = 4 << 20;
/// Bytes of text behind the file that are gathered for one write.
const GATHERED: usize = 64 << 10;
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
    queue: Queue,
    /// Before this no further batch begins.
    due: Option<Instant>,
    closed: bool,
}

impl Outbox {
    /// An empty queue. `folder` is a private one, for what memory is not to hold.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self {
            state: Mutex::new(State {
                queue: Queue::new(folder, MEMORY),
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
        state.queue.push(event);
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
        state.queue = Queue::new(PathBuf::new(), 0);
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

    /// Joins the next piece of the same text; false where it is something else.
    fn join(&mut self, next: &Event) -> bool {
        let Self::Piece(waiting) = self else {
            return false;
        };
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

/// The waiting events: first those in `head`, then those in the file, then those in `tail`.
#[derive(Debug)]
struct Queue {
    folder: PathBuf,
    memory: usize,
    head: VecDeque<Waiting>,
    head_weight: usize,
    spill: Option<Spill>,
    tail: VecDeque<Waiting>,
    tail_weight: usize,
    /// Weight of the tail from which on it is written.
    gather: usize,
}

impl Queue {
    fn new(folder: PathBuf, memory: usize) -> Self {
        Self {
            folder,
            memory,
            head: VecDeque::new(),
            head_weight: 0,
            spill: None,
            tail: VecDeque::new(),
            tail_weight: 0,
            gather: GATHERED,
        }
    }

    /// The file is empty whenever the tail is: both are drained together.
    fn is_empty(&self) -> bool {
        self.head.is_empty() && self.tail.is_empty() && !self.is_spilling()
    }

    fn is_spilling(&self) -> bool {
        self.spill.as_ref().is_some_and(|spill| !spill.is_empty())
    }

    fn push(&mut self, event: Event) {
        let behind = self.is_spilling() || self.head_weight >= self.memory;
        let (queue, weight) = if behind {
            (&mut self.tail, &mut self.tail_weight)
        } else {
            (&mut self.head, &mut self.head_weight)
        };
        if let Some(last) = queue.back_mut() {
            let before = last.weight();
            if last.join(&event) {
                *weight += last.weight() - before;
                return;
            }
        }
        let waiting = Waiting::of(event);
        *weight += waiting.weight();
        queue.push_back(waiting);
        if behind && self.tail_weight >= self.gather {
            self.write_tail();
        }
    }

    /// Moves the tail to the file. Where that fails it stays in memory until it has doubled.
    fn write_tail(&mut self) {
        let mut lines = Vec::with_capacity(self.tail_weight + self.tail.len());
        for event in &self.tail {
            event.write(&mut lines);
            lines.push(b'\n');
        }
        let spill = match &mut self.spill {
            Some(spill) => Ok(spill),
            none => Spill::create(&self.folder).map(|spill| none.insert(spill)),
        };
        match spill.and_then(|spill| spill.append(&lines)) {
            Ok(()) => {
                self.tail.clear();
                self.tail_weight = 0;
                self.gather = GATHERED;
            }
            Err(error) => {
                self.gather = self.tail_weight * 2;
                tracing::error!(%error, "events that wait for a slow listener stay in memory");
            }
        }
    }

    /// Takes events off until `most` bytes are reached; at least one where there is one.
    fn take(&mut self, most: usize) -> Vec<Waiting> {
        if self.head.is_empty() {
            self.refill(most);
        }
        let mut taken = Vec::new();
        let mut weight = 0;
        while weight < most
            && let Some(event) = self.head.pop_front()
        {
            weight += event.weight();
            taken.push(event);
        }
        self.head_weight = self.head_weight.saturating_sub(weight);
        if self.head.is_empty() {
            self.head_weight = 0;
        }
        taken
    }

    /// What comes after an empty head: the file's first lines, and once that is empty, the tail.
    fn refill(&mut self, most: usize) {
        if let Some(spill) = self.spill.as_mut().filter(|spill| !spill.is_empty()) {
            match spill.take(most) {
                Ok(lines) => self.head.extend(lines.into_iter().map(Waiting::Line)),
                Err(error) => {
                    tracing::error!(%error, "events that waited in a file cannot be read and are lost");
                    self.spill = None;
                }
            }
        }
        if !self.is_spilling() {
            self.head.append(&mut self.tail);
            self.tail_weight = 0;
        }
        self.head_weight = self.head.iter().map(Waiting::weight).sum();
    }
}

#[cfg(test)]
mod tests;
