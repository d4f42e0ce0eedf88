//! The host of a run: events go to the event loop, host calls to the filesystem, and its answers back to
//! the engine.

use std::sync::{Arc, OnceLock};

use super::events::EventsIn;
use crate::host::{FsHost, FsSetup};
use siderail_engine::EngineHandle;
use siderail_engine::command::Command;
use siderail_engine::event::Event;
use siderail_engine::guard::Tool;
use siderail_engine::host::{Host, HostCall, Surroundings};
use siderail_engine::tools::command::ShowsOutput;
use tokio::sync::mpsc;

/// Joins the engine, the filesystem host and the reader of events.
pub(crate) struct LinkedHost {
    events: EventsIn,
    files: FsHost,
    /// Takes what commands print as it comes.
    output: Option<mpsc::Sender<String>>,
}

/// Where the engine's handle is put once there is one; calls come only after that.
pub(crate) type EngineSlot = Arc<OnceLock<EngineHandle>>;

impl LinkedHost {
    /// A host on the filesystem. `events` takes every event; it is never waited for. `output` gets what commands print
    /// as it comes; what a slow reader does not take is left out there, since all of it comes with the event at the end.
    pub(crate) fn new(
        events: EventsIn,
        setup: FsSetup,
        output: Option<mpsc::Sender<String>>,
    ) -> (Arc<Self>, EngineSlot) {
        let slot = EngineSlot::default();
        let engine = Arc::clone(&slot);
        let files = FsHost::new(setup, move |call, reply| {
            if let Some(engine) = engine.get()
                && engine.send(Command::Complete { call, reply }).is_err()
            {
                tracing::debug!(call, "the engine ended before it answered this call");
            }
        });
        let host = Self {
            events,
            files,
            output,
        };
        (Arc::new(host), slot)
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

    fn tools(&self) -> Vec<Tool> {
        self.files.tools()
    }

    fn shows_output(&self, _session: u64) -> Option<Arc<ShowsOutput>> {
        let output = self.output.clone()?;
        Some(Arc::new(move |text| {
            let _ = output.try_send(text.to_owned());
        }))
    }

    fn surroundings(&self) -> Surroundings {
        Surroundings::Files
    }
}
