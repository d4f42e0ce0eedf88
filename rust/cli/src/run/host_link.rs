//! The host of a run: events go to the event loop, host calls to the filesystem, and its answers back to
//! the engine.

use std::sync::{Arc, OnceLock};

use super::events::EventsIn;
use crate::host::{FsHost, FsSetup};
use siderail_engine::EngineHandle;
use siderail_engine::command::Command;
use siderail_engine::event::Event;
use siderail_engine::host::{Host, HostCall, Surroundings};

/// Joins the engine, the filesystem host and whoever shows the events.
pub(crate) struct LinkedHost {
    events: EventsIn,
    files: FsHost,
}

/// Where the engine's handle is put once there is one; calls come only after that.
pub(crate) type EngineSlot = Arc<OnceLock<EngineHandle>>;

impl LinkedHost {
    /// A host on the filesystem. `events` takes every event; it is never waited for.
    pub(crate) fn new(events: EventsIn, setup: FsSetup) -> (Arc<Self>, EngineSlot) {
        let slot = EngineSlot::default();
        let engine = Arc::clone(&slot);
        let files = FsHost::new(setup, move |call, reply| {
            if let Some(engine) = engine.get()
                && engine.send(Command::Complete { call, reply }).is_err()
            {
                tracing::debug!(call, "the engine ended before it answered this call");
            }
        });
        (Arc::new(Self { events, files }), slot)
    }
}

impl Host for LinkedHost {
    fn deliver(&self, event: Event) {
        self.events.send(event);
    }

    fn start(&self, call: HostCall) {
        self.files.start(call);
    }

    fn cancel(&self, call: u64) {
        self.files.cancel(call);
    }

    fn tools(&self) -> Vec<&'static str> {
        self.files.tools()
    }

    fn surroundings(&self) -> Surroundings {
        Surroundings::Files
    }
}
