//! Connections that have not identified themselves yet. They are few, and the oldest is closed first: nobody locks a
//! relay out by connecting and saying nothing.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::oneshot;

/// Connections that may be silent at the same time. A relay says hello in its first milliseconds.
const AT_MOST: usize = 64;

/// Those that are waited for, oldest first. Letting go of an entry closes its connection.
#[derive(Debug, Default)]
pub(super) struct Strangers {
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    last: u64,
    places: VecDeque<(u64, oneshot::Sender<()>)>,
}

/// One of them.
#[derive(Debug)]
pub(super) struct Stranger {
    number: u64,
    dropped: oneshot::Receiver<()>,
    strangers: Arc<Strangers>,
}

impl Strangers {
    /// A place for a new connection; if there is none left, the oldest makes room.
    pub(super) fn wait_for_hello(self: &Arc<Self>) -> Stranger {
        let (place, dropped) = oneshot::channel();
        let mut waiting = self.waiting.lock();
        waiting.last += 1;
        let number = waiting.last;
        waiting.places.push_back((number, place));
        if waiting.places.len() > AT_MOST {
            waiting.places.pop_front();
            tracing::debug!("too many silent connections; the oldest is closed");
        }
        Stranger {
            number,
            dropped,
            strangers: Arc::clone(self),
        }
    }
}

impl Stranger {
    /// What comes of the greeting; nothing when its place was needed before.
    pub(super) async fn unless_dropped<T>(
        mut self,
        greeting: impl Future<Output = Option<T>>,
    ) -> Option<T> {
        tokio::select! {
            // What is there counts, whichever caller pushes.
            biased;
            greeted = greeting => greeted,
            _ = &mut self.dropped => None,
        }
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        let mut waiting = self.strangers.waiting.lock();
        waiting.places.retain(|(number, _)| *number != self.number);
    }
}
