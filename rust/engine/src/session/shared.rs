//! What the sessions of an engine share: the way out, the host, and the numbers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use siderail_acp::process::Guardian;
use siderail_guard::Tool;
use siderail_guard::shell::ProtectedPlaces;
use siderail_mcp::ToolDefinition;
use tokio::sync::mpsc;

use crate::engine_config::EngineConfig;
use crate::error::NotTaken;
use crate::event::{AgentLog, EventBody, LogKind};
use crate::event_log::EventLog;
use crate::history::{Recorder, Told, Written};
use crate::host::{Host, HostCall, HostReply};
use crate::profile::Profiles;
use crate::session::{Input, Worked};

/// What sessions share.
pub(crate) struct Shared {
    pub(crate) config: EngineConfig,
    pub(crate) guardian: Option<Guardian>,
    pub(crate) profiles: Profiles,
    /// What a person is asked about in every session.
    pub(crate) protected_places: Arc<ProtectedPlaces>,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) log: EventLog,
    /// What is kept of conversations.
    pub(crate) history: Recorder,
    /// All tools of this host.
    pub(crate) offered: Vec<Tool>,
    pub(crate) tools: Arc<[ToolDefinition]>,
    /// Where tasks of sessions report.
    pub(crate) inputs: mpsc::Sender<Input>,
    /// Where their workers do; never more than one word of each is on its way.
    pub(crate) worked: mpsc::UnboundedSender<Worked>,
    /// Host calls that wait for their answer.
    pub(crate) open_calls: Arc<OpenCalls>,
    /// The last number that was given to a call, and to a permission request.
    pub(crate) last_call: u64,
    pub(crate) last_request: u64,
    /// What an earlier run left undone; the first session says it.
    pub(crate) untold: Vec<String>,
}

impl Shared {
    /// A new number for a host call or command of a session.
    pub(crate) fn call_number(&mut self) -> u64 {
        self.last_call += 1;
        self.last_call
    }

    /// A new number for a permission request.
    pub(crate) fn request_number(&mut self) -> u64 {
        self.last_request += 1;
        self.last_request
    }

    /// Has a task of its own do something for a session, which hears of it by an input, where there is one.
    pub(crate) fn spawn(&self, work: impl Future<Output: Into<Option<Input>>> + Send + 'static) {
        let inputs = self.inputs.clone();
        tokio::spawn(async move {
            if let Some(input) = work.await.into() {
                // The engine outlives its sessions' tasks; without it nobody waits.
                let _ = inputs.send(input).await;
            }
        });
    }

    /// Hands the host a call; its answer comes to the session.
    pub(crate) fn start(&self, call: HostCall) {
        // The host may answer before it returns.
        self.open_calls
            .waiting
            .lock()
            .insert(call.call, call.session);
        self.host.start(call);
    }

    /// The call is over: a later answer is ignored.
    pub(crate) fn forget_call(&self, call: u64) {
        self.open_calls.waiting.lock().remove(&call);
    }

    /// Emits an event of a session.
    pub(crate) fn emit(&mut self, session: u64, turn: u32, body: EventBody) {
        let told = self.history.event(session, turn, &body);
        self.log.emit(session, turn, body);
        if let Some(text) = told {
            self.notice(session, turn, text);
        }
    }

    /// Writes down what there is of messages that have waited long enough for their end.
    pub(crate) fn keep_messages(&mut self, now: Instant) {
        let told = self.history.deadline_passed(now);
        self.tell(told);
    }

    /// Tells what has become of what was to be written down.
    pub(crate) fn tell_history(&mut self) {
        let told = self.history.news();
        self.tell(told);
    }

    /// The last of a session is to be written down. What waits for that; none where nothing is.
    pub(crate) fn last_of_history(&mut self, session: u64) -> Option<Written> {
        let (written, told) = self.history.finish(session);
        self.tell(told);
        written
    }

    fn tell(&mut self, told: impl IntoIterator<Item = Told>) {
        for told in told {
            self.notice(told.session, told.turn, told.text);
        }
    }

    fn notice(&mut self, session: u64, turn: u32, text: String) {
        let kind = LogKind::Notice;
        self.log
            .emit(session, turn, EventBody::AgentLog(AgentLog { kind, text }));
    }
}

/// The host calls that wait for an answer, and the way for the answers.
///
/// A host's answer is never refused, so that it needs no queue that can be full: each open call has one place,
/// which its first answer takes.
#[derive(Debug)]
pub(crate) struct OpenCalls {
    /// The session that waits, by call.
    waiting: Mutex<BTreeMap<u64, u64>>,
    answers: mpsc::UnboundedSender<HostAnswer>,
}

/// A host's answer to an open call.
#[derive(Debug)]
pub(crate) struct HostAnswer {
    pub(crate) session: u64,
    pub(crate) call: u64,
    pub(crate) reply: HostReply,
}

impl OpenCalls {
    pub(crate) fn new() -> (Arc<Self>, mpsc::UnboundedReceiver<HostAnswer>) {
        let (answers, incoming) = mpsc::unbounded_channel();
        let open = Self {
            waiting: Mutex::default(),
            answers,
        };
        (Arc::new(open), incoming)
    }

    /// Takes a host's answer; one that nobody waits for is ignored.
    pub(crate) fn answer(&self, call: u64, reply: HostReply) -> Result<(), NotTaken> {
        let Some(session) = self.waiting.lock().remove(&call) else {
            return Ok(());
        };
        let answer = HostAnswer {
            session,
            call,
            reply,
        };
        self.answers.send(answer).map_err(|_| NotTaken::Ended)
    }
}
