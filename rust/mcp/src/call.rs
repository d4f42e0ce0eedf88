//! The two ends of a tool call: one for the handler, one for the connection.
//!
//! The handler's end can be moved to any thread. It never waits: an answer is queued for the
//! connection, and progress is dropped when the connection is behind. A handler that panics or
//! forgets its call drops it, and the client reads an error instead of waiting for ever.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use tokio::sync::mpsc::{Sender, UnboundedSender};

use crate::result::CallResult;
use crate::server::{CallKey, ToolCallRequest};

/// A call that waits for its answer. Dropping it answers with `INTERNAL_ERROR`.
#[derive(Debug)]
pub struct PendingCall {
    /// Names the call in [`ListenerEvent::Cancelled`](crate::ListenerEvent::Cancelled).
    pub key: CallKey,
    /// The tool.
    pub name: String,
    /// An object that fits the tool's schema in names and types.
    pub arguments: Value,
    /// The request's `_meta`, where agents put their own id of the call.
    pub meta: Option<Value>,
    reply: Option<CallReply>,
}

impl PendingCall {
    pub(crate) fn new(request: ToolCallRequest, reply: CallReply) -> Self {
        let ToolCallRequest {
            key,
            name,
            arguments,
            meta,
        } = request;
        Self {
            key,
            name,
            arguments,
            meta,
            reply: Some(reply),
        }
    }

    /// A call of a client that has gone. For tests of what takes calls.
    #[doc(hidden)]
    pub fn of_nobody(key: CallKey, name: &str, arguments: Value) -> Self {
        Self {
            key,
            name: name.to_owned(),
            arguments,
            meta: None,
            reply: None,
        }
    }

    /// Answers the call. Nothing is sent when the client cancelled it.
    pub fn complete(mut self, result: CallResult) {
        self.answer(result);
    }

    /// Reports progress, if the client asked for it. `done` must rise from report to report;
    /// `total` has the same unit.
    pub fn progress(&self, done: f64, total: Option<f64>, message: &str) {
        if let Some(reply) = &self.reply {
            let report = Progress {
                key: self.key,
                done,
                total,
                message: message.to_owned(),
            };
            // A connection that is behind gets fewer reports; the answer does not wait for them.
            let _ = reply.progress.try_send(report);
        }
    }

    /// Whether nobody wants the answer any more: cancelled by the client, or the connection is gone.
    pub fn is_cancelled(&self) -> bool {
        let cancelled = |reply: &CallReply| {
            reply.cancelled.load(Ordering::Relaxed) || reply.answers.is_closed()
        };
        self.reply.as_ref().is_none_or(cancelled)
    }

    fn answer(&mut self, result: CallResult) {
        if let Some(reply) = self.reply.take() {
            // A closed connection has nobody left to answer.
            let _ = reply.answers.send((self.key, result));
        }
    }
}

impl Drop for PendingCall {
    fn drop(&mut self) {
        let what =
            "the tool stopped without a result; this is a bug, the call may have had effects";
        self.answer(CallResult::failure("INTERNAL_ERROR", what));
    }
}

/// The way back to the connection that a call came from.
#[derive(Debug)]
pub(crate) struct CallReply {
    /// Unbounded, because every entry answers one of the calls that the connection's limit allows.
    pub(crate) answers: UnboundedSender<(CallKey, CallResult)>,
    pub(crate) progress: Sender<Progress>,
    pub(crate) cancelled: Arc<AtomicBool>,
}

/// One progress report.
#[derive(Debug)]
pub(crate) struct Progress {
    pub(crate) key: CallKey,
    pub(crate) done: f64,
    pub(crate) total: Option<f64>,
    pub(crate) message: String,
}
