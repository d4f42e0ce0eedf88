//! Events on their way from the engine to the event loop: in order, none lost, and however slow the reader is, the
//! engine does not wait and memory does not fill.

use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use siderail_engine::event::backlog::{Backlog, Waits};
use siderail_engine::event::{AgentMessage, AgentThought, Event, EventBody};
use tokio::sync::Notify;

/// Bytes of events that wait in memory.
const MEMORY: usize = 4 << 20;
/// Bytes that an event takes beside its texts.
const OVERHEAD: usize = 400;

/// A way for events. What is beyond its share of memory waits in a nameless file in `folder`.
pub(crate) fn channel(folder: PathBuf) -> (EventsIn, Events) {
    let shared = Arc::new(Shared {
        state: Mutex::new(State {
            waiting: Backlog::new(folder, MEMORY),
            is_closed: false,
        }),
        changed: Notify::new(),
    });
    (EventsIn(Arc::clone(&shared)), Events(shared))
}

/// Where events go in; its end is the end of them.
pub(crate) struct EventsIn(Arc<Shared>);

/// Where they come out.
pub(crate) struct Events(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    changed: Notify,
}

struct State {
    waiting: Backlog<Waiting>,
    /// One of the two ends is gone.
    is_closed: bool,
}

struct Waiting(Box<Event>);

impl EventsIn {
    /// Takes an event; waits for nobody, but beyond [`MEMORY`] for the disk. Without a reader it is dropped.
    pub(crate) fn send(&self, event: Event) {
        let mut state = self.0.state.lock();
        if !state.is_closed {
            state.waiting.push(Waiting(Box::new(event)));
            self.0.changed.notify_one();
        }
    }
}

impl Drop for EventsIn {
    fn drop(&mut self) {
        self.0.state.lock().is_closed = true;
        self.0.changed.notify_one();
    }
}

impl Events {
    /// The next event; none when all have been taken and no more will come. Nothing is lost when it is dropped
    /// before it is done.
    pub(crate) async fn recv(&mut self) -> Option<Event> {
        loop {
            {
                let mut state = self.0.state.lock();
                match state.waiting.pop() {
                    Some(Waiting(event)) => return Some(*event),
                    None if state.is_closed => return None,
                    None => {}
                }
            }
            self.0.changed.notified().await;
        }
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        state.is_closed = true;
        state.waiting = Backlog::new(PathBuf::new(), 0);
    }
}

impl Waits for Waiting {
    fn weight(&self) -> usize {
        let texts = match &self.0.body {
            EventBody::AgentMessage(AgentMessage { text, .. })
            | EventBody::AgentThought(AgentThought { text, .. }) => text.len(),
            EventBody::ToolCall(call) => {
                let diffs = call.diffs.iter().map(|diff| {
                    diff.new_text.len() + diff.old_text.as_ref().map_or(0, String::len)
                });
                call.text.len() + diffs.sum::<usize>()
            }
            EventBody::OwnTool(call) => call.text.len() + call.diff.as_ref().map_or(0, String::len),
            _ => 0,
        };
        OVERHEAD + texts
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        if let Err(error) = serde_json::to_writer(bytes, &self.0) {
            tracing::error!(%error, "an event has no JSON form");
        }
    }

    fn read(line: Vec<u8>) -> Option<Self> {
        let event = serde_json::from_slice(&line);
        event
            .inspect_err(|error| tracing::error!(%error, "an event is lost"))
            .ok()
            .map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use siderail_engine::event::{EVENT_VERSION, FileDiff, ToolCallView};

    fn event(seq: u64) -> Event {
        let diff = FileDiff {
            path: format!("/p/{seq}"),
            old_text: None,
            new_text: "x\n".repeat(200),
        };
        let call = ToolCallView {
            tool_call_id: seq.to_string(),
            diffs: vec![diff],
            ..ToolCallView::default()
        };
        Event {
            v: EVENT_VERSION,
            seq,
            t: 0.25,
            session: 1,
            turn: 1,
            body: EventBody::ToolCall(call),
        }
    }

    #[tokio::test]
    async fn events_that_nobody_takes_for_a_while_come_in_order_and_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let (sender, mut events) = channel(folder.path().to_owned());
        let mut heaviest = 0;
        for seq in 1..=20_000 {
            sender.send(event(seq));
            heaviest = heaviest.max(events.0.state.lock().waiting.in_memory());
        }
        assert!(
            heaviest < MEMORY + (1 << 20),
            "{heaviest} bytes wait in memory"
        );
        assert!(events.0.state.lock().waiting.is_spilling());
        for seq in 1..=20_000 {
            assert_eq!(events.recv().await, Some(event(seq)));
        }
        drop(sender);
        assert_eq!(events.recv().await, None);
    }

    #[tokio::test]
    async fn a_reader_that_waits_is_woken_and_one_that_has_gone_costs_nothing() {
        let (sender, mut events) = channel(std::env::temp_dir());
        let reader = tokio::spawn(async move { (events.recv().await, events) });
        tokio::task::yield_now().await;
        sender.send(event(1));
        let (first, events) = reader.await.unwrap();
        assert_eq!(first, Some(event(1)));
        drop(events);
        sender.send(event(2));
        assert!(sender.0.state.lock().waiting.is_empty());
    }
}
