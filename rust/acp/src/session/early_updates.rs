//! Updates that come ahead of the result that names their session.

use std::collections::HashMap;

use crate::update::SessionUpdateMessage;

/// Updates for sessions whose id is not known yet: several agents send them ahead of the `session/new` result
/// (`tests/fixtures/recordings/vibe/deny`). Bounded; what does not fit is refused, so that the caller can say so.
#[derive(Debug)]
pub struct EarlyUpdates {
    by_session: HashMap<String, Vec<SessionUpdateMessage>>,
    bytes: usize,
    limit: usize,
}

impl Default for EarlyUpdates {
    fn default() -> Self {
        Self::new(64 << 20)
    }
}

impl EarlyUpdates {
    /// Makes a buffer for up to `limit` bytes of updates.
    pub fn new(limit: usize) -> Self {
        Self {
            by_session: HashMap::new(),
            bytes: 0,
            limit,
        }
    }

    /// Keeps an update.
    ///
    /// # Errors
    /// Gives it back when the buffer is full.
    pub fn push(&mut self, update: SessionUpdateMessage) -> Result<(), Box<SessionUpdateMessage>> {
        let bytes = update.bytes;
        if self.bytes + bytes > self.limit {
            return Err(Box::new(update));
        }
        self.bytes += bytes;
        self.by_session
            .entry(update.session_id.clone())
            .or_default()
            .push(update);
        Ok(())
    }

    /// Takes out the updates of a session that is now known, in the order in which they came.
    pub fn take(&mut self, session_id: &str) -> Vec<SessionUpdateMessage> {
        let updates = self.by_session.remove(session_id).unwrap_or_default();
        self.bytes -= updates.iter().map(|update| update.bytes).sum::<usize>();
        updates
    }

    /// Forgets all updates; how many there were.
    pub fn clear(&mut self) -> usize {
        self.bytes = 0;
        self.by_session
            .drain()
            .map(|(_, updates)| updates.len())
            .sum()
    }
}
