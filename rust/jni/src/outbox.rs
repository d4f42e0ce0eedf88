//! Events on their way to the embedder: in order, in batches, none lost, however slow the embedder is.
//!
//! An engine never waits for its embedder. Pieces of streamed text that follow each other are joined while they wait:
//! the joined event keeps the number and time of its first piece, so numbers still rise but some are missing. The
//! thread that takes a batch writes the new events, with what a window shows of them; if none does, the engine's own
//! thread writes them, in pieces of [`FRESH`]. What waits beyond [`MEMORY`] goes to a file and comes back in its turn.
//! Memory grows only if the disk refuses, too.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};
use siderail_engine::event::backlog::{Backlog, Waits};
use siderail_engine::event::{AgentMessage, AgentThought, Event, EventBody};

use crate::views::Views;

/// Time between the beginnings of two batches.
const PACE: Duration = Duration::from_millis(16);
/// Bytes of a batch after which it is closed.
const BATCH: usize = 256 << 10;
/// Bytes of events that wait in memory.
const MEMORY: usize = 4 << 20;
/// Bytes of events that are not written yet.
const FRESH: usize = 1 << 20;
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
    fresh: Fresh,
    /// None while somebody writes events that were fresh.
    views: Option<Views>,
    /// Events as JSON.
    queue: Backlog<Line>,
    /// Before this no further batch begins.
    due: Option<Instant>,
    closed: bool,
}

impl Outbox {
    /// An empty queue. `folder` is a private one, for what memory is not to hold; `views` says what is added to events.
    pub(crate) fn new(folder: PathBuf, views: Views) -> Self {
        Self::of(Backlog::new(folder, MEMORY), views)
    }

    fn of(queue: Backlog<Line>, views: Views) -> Self {
        Self {
            state: Mutex::new(State {
                fresh: Fresh::default(),
                views: Some(views),
                queue,
                due: None,
                closed: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// Takes an event. Waits for nobody, but beyond [`MEMORY`] for the disk.
    pub(crate) fn push(&self, event: Event) {
        let mut state = self.state.lock();
        let was_empty = state.is_empty();
        state.fresh.push(event);
        if state.fresh.weight > FRESH
            && let Some(mut views) = state.views.take()
        {
            let fresh = std::mem::take(&mut state.fresh);
            state.put(lines(fresh, &mut views), views);
        }
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
        let mut state = self.state.lock();
        state.queue = Backlog::new(PathBuf::new(), 0);
        state.fresh = Fresh::default();
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
                _ if state.is_empty() && state.closed => return None,
                _ if state.is_empty() => self.changed.wait(&mut state),
                Some(due) => {
                    self.changed.wait_until(&mut state, due);
                }
                None => {
                    state.due = Some(now + PACE);
                    if let Some(mut views) = state.views.take() {
                        let fresh = std::mem::take(&mut state.fresh);
                        // Meanwhile the engine continues.
                        let lines = MutexGuard::unlocked(&mut state, || lines(fresh, &mut views));
                        state.put(lines, views);
                    }
                    let taken = state.queue.take(BATCH);
                    drop(state);
                    return Some(batch_of(&taken));
                }
            }
        }
    }
}

impl State {
    fn is_empty(&self) -> bool {
        self.queue.is_empty() && self.fresh.events.is_empty()
    }

    /// Puts back what was taken to be written.
    fn put(&mut self, lines: Vec<Line>, views: Views) {
        self.views = Some(views);
        lines.into_iter().for_each(|line| self.queue.push(line));
    }
}

/// Events whose views nobody has made yet.
#[derive(Debug, Default)]
struct Fresh {
    events: Vec<(Event, Vec<u8>)>,
    weight: usize,
}

impl Fresh {
    fn push(&mut self, event: Event) {
        if let Some(text) = text(&event.body) {
            self.weight += text.len();
            let last = self.events.last_mut();
            if last.is_some_and(|(last, _)| joined(last, &event)) {
                return;
            }
            self.weight += OVERHEAD;
            return self.events.push((event, Vec::new()));
        }
        let line = json(&event);
        self.weight += 2 * line.len();
        self.events.push((event, line));
    }
}

/// An event that waits, as JSON.
#[derive(Debug)]
struct Line(Vec<u8>);

impl Waits for Line {
    fn weight(&self) -> usize {
        self.0.len()
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(&self.0);
    }

    fn read(line: Vec<u8>) -> Option<Self> {
        Some(Self(line))
    }
}

/// Events as JSON, with what a window is to show of them.
fn lines(fresh: Fresh, views: &mut Views) -> Vec<Line> {
    let line = |(event, line): (Event, Vec<u8>)| {
        // A piece of text is written when all of it that was joined is there.
        let mut line = if line.is_empty() { json(&event) } else { line };
        views.add(&event, &mut line);
        Line(line)
    };
    fresh.events.into_iter().map(line).collect()
}

fn json(event: &Event) -> Vec<u8> {
    serde_json::to_vec(event).expect("an event is text, numbers and lists")
}

/// Joins the next piece of the same text; false where it is something else.
fn joined(waiting: &mut Event, next: &Event) -> bool {
    let same_place = (waiting.session, waiting.turn) == (next.session, next.turn);
    match (&mut waiting.body, &next.body) {
        (
            EventBody::AgentMessage(AgentMessage { text, message_id }),
            EventBody::AgentMessage(AgentMessage {
                text: more,
                message_id: id,
            }),
        )
        | (
            EventBody::AgentThought(AgentThought { text, message_id }),
            EventBody::AgentThought(AgentThought {
                text: more,
                message_id: id,
            }),
        ) if same_place && message_id == id && text.len() + more.len() <= JOINED => {
            text.push_str(more);
            true
        }
        _ => false,
    }
}

fn text(body: &EventBody) -> Option<&str> {
    match body {
        EventBody::AgentMessage(AgentMessage { text, .. })
        | EventBody::AgentThought(AgentThought { text, .. }) => Some(text),
        _ => None,
    }
}

fn batch_of(lines: &[Line]) -> Vec<u8> {
    let weight: usize = lines.iter().map(Waits::weight).sum();
    let mut bytes = Vec::with_capacity(weight + lines.len() + 2);
    bytes.push(b'[');
    for (at, line) in lines.iter().enumerate() {
        if at > 0 {
            bytes.push(b',');
        }
        line.write(&mut bytes);
    }
    bytes.push(b']');
    bytes
}

#[cfg(test)]
mod tests;
