//! Numbers events and hands them to the host, in order. Knows nothing of what they mean.

use std::sync::Arc;
use std::time::Instant;

use crate::event::{EVENT_VERSION, Event, EventBody};
use crate::host::Host;

/// The only way out for events.
pub(crate) struct EventLog {
    host: Arc<dyn Host>,
    started: Instant,
    seq: u64,
}

impl EventLog {
    pub(crate) fn new(host: Arc<dyn Host>) -> Self {
        Self {
            host,
            started: Instant::now(),
            seq: 0,
        }
    }

    /// Delivers one event of a session.
    pub(crate) fn emit(&mut self, session: u64, turn: u32, body: EventBody) {
        self.seq += 1;
        let t = (self.started.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
        self.host.deliver(Event {
            v: EVENT_VERSION,
            seq: self.seq,
            t,
            session,
            turn,
            body,
        });
    }
}
