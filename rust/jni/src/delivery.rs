//! The threads between an engine and its embedder, and the end of both.
//!
//! Events, calls and log records have a thread each, so that an embedder that is slow with one is not slow with the
//! others. A third thread per engine waits for the engine's end and cleans up, whichever side ended it.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use siderail_engine::EngineHandle;
use siderail_engine::host::ToolErrorCode;
use tokio::sync::Notify;

use crate::callbacks::{CallbackError, Callbacks};
use crate::calls::{Calls, Handover, failed};
use crate::logging::Listening;
use crate::outbox::Outbox;
use crate::runtime::{self, Lease};

/// From the wish to close an engine to its end. An agent that has to be killed takes six seconds.
const ENDING: Duration = Duration::from_secs(8);
/// Time for the embedder to take the last events.
const LAST_EVENTS: Duration = Duration::from_secs(2);
/// Time for the thread that writes what waits for the embedder.
const AT_REST: Duration = Duration::from_secs(1);

/// An open engine and all that has to be put away after it.
pub(crate) struct Life {
    pub(crate) engine: EngineHandle,
    /// Notified when the embedder wants it closed.
    pub(crate) closing: Arc<Notify>,
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) calls: Arc<Calls>,
    pub(crate) callbacks: Arc<dyn Callbacks>,
    /// Our place among those who get log records.
    pub(crate) log: Listening,
    /// May be the last one, which shuts the runtime down.
    pub(crate) lease: Lease,
}

/// Starts the threads.
pub(crate) fn start(life: Life) -> io::Result<()> {
    let (outbox, told) = (Arc::clone(&life.outbox), Arc::clone(&life.callbacks));
    let events = runtime::spawn("siderail-events", move || deliver_events(&outbox, &*told))?;
    let (calls, asked) = (Arc::clone(&life.calls), Arc::clone(&life.callbacks));
    let calls = runtime::spawn("siderail-calls", move || hand_over_calls(&calls, &*asked))?;
    runtime::spawn("siderail-life", move || life.attend(events, calls))?;
    Ok(())
}

fn deliver_events(outbox: &Outbox, callbacks: &dyn Callbacks) {
    while let Some(batch) = outbox.next_batch() {
        match callbacks.events(&batch) {
            Ok(()) => {}
            Err(CallbackError::Cancelled) => tracing::debug!("whoever took events was cancelled"),
            Err(error) => tracing::error!(%error, "the IDE failed at taking events"),
        }
    }
}

fn hand_over_calls(calls: &Calls, callbacks: &dyn Callbacks) {
    while let Some(next) = calls.next() {
        match next {
            Handover::Start(call, request) => {
                if let Err(error) = callbacks.start(call, &request) {
                    calls.complete(call, refusal(&error));
                }
            }
            Handover::Cancel(call) => {
                if let Err(error) = callbacks.cancel(call) {
                    tracing::warn!(%error, call, "the IDE failed at cancelling a host call");
                }
            }
        }
    }
}

fn refusal(error: &CallbackError) -> siderail_engine::host::HostReply {
    match error {
        CallbackError::Cancelled => failed(ToolErrorCode::Cancelled, "the IDE cancelled the call"),
        CallbackError::Threw { .. } => {
            tracing::error!(%error, "the IDE failed at starting a host call");
            let text = format!("the IDE failed at starting the call: {error}; this is a bug in it");
            failed(ToolErrorCode::InternalError, text)
        }
    }
}

impl Life {
    /// Waits for the engine's end and puts everything away, in the order in which it depends on each other.
    fn attend(self, events: JoinHandle<()>, calls: JoinHandle<()>) {
        let Self {
            engine,
            closing,
            outbox,
            calls: open_calls,
            callbacks,
            log,
            lease,
        } = self;
        lease.handle().block_on(async {
            let overdue = async {
                closing.notified().await;
                tokio::time::sleep(ENDING).await;
            };
            tokio::select! {
                () = engine.closed() => {}
                () = overdue => tracing::error!("an engine does not end; it is left alone"),
            }
        });
        open_calls.close();
        outbox.close();
        let deadline = Instant::now() + LAST_EVENTS;
        if !ends_by(|| events.is_finished(), deadline) {
            tracing::warn!("nobody takes the last events; they are dropped");
            outbox.abandon();
        }
        ends_by(|| calls.is_finished(), deadline);
        ends_by(|| outbox.is_at_rest(), Instant::now() + AT_REST);
        drop(engine);
        drop(lease);
        drop(log);
        callbacks.closed();
        // Last of all: what holds the embedder's class loader, and by it this library, in memory.
        drop(callbacks);
    }
}

/// Whether a thread ends in time. One that does not is left alone: it is in a function of the embedder's, or waits for a
/// disk.
fn ends_by(has_ended: impl Fn() -> bool, deadline: Instant) -> bool {
    while !has_ended() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(2));
    }
    has_ended()
}
