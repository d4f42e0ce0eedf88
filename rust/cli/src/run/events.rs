//! Events on their way from the engine to the event loop: in order, none lost, and however slow the reader is, the
//! engine does not wait and memory does not fill.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use siderail_engine::event::Event;
use siderail_engine::event::backlog::{Backlog, WaitingEvent};
use tokio::sync::Notify;

/// Bytes of events that wait in memory.
const MEMORY: usize = 4 << 20;

/// A way for events. What is beyond its share of memory waits in a nameless file in `folder`.
pub(crate) fn channel(folder: PathBuf) -> (EventsIn, Events) {
    let shared = Arc::new(Shared {
        waiting: Backlog::new(folder, MEMORY),
        has_ended: AtomicBool::new(false),
        changed: Notify::new(),
    });
    (EventsIn(Arc::clone(&shared)), Events(shared))
}

/// Where events go in; its end is the end of them.
pub(crate) struct EventsIn(Arc<Shared>);

/// Where they come out.
pub(crate) struct Events(Arc<Shared>);

struct Shared {
    waiting: Backlog<WaitingEvent>,
    /// No more will come.
    has_ended: AtomicBool,
    changed: Notify,
}

impl EventsIn {
    /// Takes an event; waits for nobody. Without a reader it is dropped.
    pub(crate) fn send(&self, event: Event) {
        self.0.waiting.push(event.into());
        self.0.changed.notify_one();
    }
}

impl Drop for EventsIn {
    fn drop(&mut self) {
        self.0.has_ended.store(true, Ordering::Release);
        self.0.changed.notify_one();
    }
}

impl Events {
    /// The next event; none when all have been taken and no more will come. Nothing is lost when it is dropped
    /// before it is done.
    pub(crate) async fn recv(&mut self) -> Option<Event> {
        loop {
            if self.0.waiting.is_next_in_file() {
                // Signals and limits are looked after on this thread, whatever the disk does.
                let shared = Arc::clone(&self.0);
                let _read = tokio::task::spawn_blocking(move || shared.waiting.read_ahead()).await;
            }
            // Asked first: what came before the end is there then.
            let has_ended = self.0.has_ended.load(Ordering::Acquire);
            match self.0.waiting.pop() {
                Some(event) => return Some(event.into_event()),
                None if has_ended => return None,
                None => self.0.changed.notified().await,
            }
        }
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.0.waiting.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use siderail_engine::event::{EVENT_VERSION, EventBody, FileDiff, ToolCallView};
    use std::time::{Duration, Instant};

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
        for seq in 1..=20_000 {
            sender.send(event(seq));
        }
        assert!(events.0.waiting.is_spilling());
        let end = Instant::now() + Duration::from_secs(60);
        while events.0.waiting.in_memory() > MEMORY + (1 << 20) {
            assert!(Instant::now() < end, "the rest does not go to the disk");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
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
        assert!(sender.0.waiting.is_empty());
    }
}
