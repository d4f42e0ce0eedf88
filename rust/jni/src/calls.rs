//! Host calls between an engine and its embedder: delivered in order, and every one answered.
//!
//! A call that the embedder does not answer within its limit is answered as timed out, and one that finds too
//! many before it is refused, so that an agent never waits for a dead embedder. Knows nothing of what a call does.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use siderail_engine::guard::tool::Patience;
use siderail_engine::host::{
    DocumentRequest, HostCall, HostReply, HostRequest, ToolErrorCode, ToolFailure,
};
use tokio::runtime::Handle;
use tokio::time::Instant;

/// Calls that may wait to be handed over, and their bytes.
const MOST: usize = 1024;
const MOST_BYTES: usize = 16 << 20;
/// Time for an answer.
const LIMIT: Duration = Duration::from_secs(120);
/// The same for what runs a project's own programs.
const RUN_LIMIT: Duration = Duration::from_secs(30 * 60);
/// The same for a person: it is long, since the caller withdraws what nobody waits for any more.
const PERSON_LIMIT: Duration = Duration::from_secs(24 * 3600);
const _: () =
    assert!(LIMIT.as_secs() <= RUN_LIMIT.as_secs() && LIMIT.as_secs() <= PERSON_LIMIT.as_secs());

/// What the embedder has to receive next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Handover {
    /// Start this call, given as JSON.
    Start(u64, Vec<u8>),
    /// This call is no longer wanted.
    Cancel(u64),
}

/// Takes the answer to a call.
type Answering = dyn Fn(u64, HostReply) + Send + Sync;

/// The calls of one engine.
pub(crate) struct Calls {
    runtime: Handle,
    answering: Box<Answering>,
    /// Takes the place of all limits where it is given.
    limit: Option<Duration>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Handover>,
    /// Bytes of those that are to be started.
    weight: usize,
    /// Calls without an answer.
    open: HashMap<u64, Open>,
    /// A task looks whose time is up.
    is_watched: bool,
    closed: bool,
}

/// A call without an answer.
#[derive(Clone, Copy)]
struct Open {
    limit: Duration,
    until: Instant,
}

impl Calls {
    pub(crate) fn new(
        runtime: Handle,
        limit: Option<Duration>,
        answering: impl Fn(u64, HostReply) + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self {
            runtime,
            answering: Box::new(answering),
            limit,
            state: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    /// Takes a call of the engine. Does not wait.
    pub(crate) fn start(self: &Arc<Self>, call: &HostCall) {
        let number = call.call;
        let request = serde_json::to_vec(call).expect("a call is text, numbers and lists");
        let mut state = self.state.lock();
        if state.closed || state.is_full(request.len()) {
            drop(state);
            let text = "too many calls wait for the IDE; call again when some have been answered";
            self.answer(number, failed(ToolErrorCode::InternalError, text));
            return;
        }
        let limit = self.limit_of(&call.request);
        let until = Instant::now() + limit;
        state.open.insert(number, Open { limit, until });
        if !state.is_watched {
            state.is_watched = true;
            self.runtime.spawn(watch(Arc::downgrade(self)));
        }
        state.weight += request.len();
        state.waiting.push_back(Handover::Start(number, request));
        self.changed.notify_one();
    }

    /// The engine no longer wants the call. One that was not handed over yet never is, and is answered as cancelled; the
    /// embedder says what became of another one, within its limit.
    pub(crate) fn cancel(&self, call: u64) {
        let mut state = self.state.lock();
        if !state.open.contains_key(&call) {
            return;
        }
        if state.withdraw(call) {
            state.open.remove(&call);
            drop(state);
            let text = "the call was cancelled before the IDE had it";
            self.answer(call, failed(ToolErrorCode::Cancelled, text));
        } else {
            self.changed.notify_one();
        }
    }

    /// The embedder's answer. One that comes too late, or twice, is nobody's.
    pub(crate) fn complete(&self, call: u64, reply: HostReply) {
        let open = self.state.lock().open.remove(&call);
        match open {
            Some(_) => self.answer(call, reply),
            None => tracing::debug!(call, "an answer to a host call that is over"),
        }
    }

    /// The next thing to deliver; none when the engine is closed.
    pub(crate) fn next(&self) -> Option<Handover> {
        let mut state = self.state.lock();
        loop {
            if state.closed {
                return None;
            }
            if let Some(next) = state.waiting.pop_front() {
                state.weight -= next.weight();
                return Some(next);
            }
            self.changed.wait(&mut state);
        }
    }

    /// Nothing is handed over any more.
    pub(crate) fn close(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        state.waiting.clear();
        state.open.clear();
        self.changed.notify_all();
    }

    /// Answers the calls whose time is up; when somebody has to look again, if a call is open.
    fn look(&self) -> Option<Instant> {
        let now = Instant::now();
        let (first, due) = {
            let mut state = self.state.lock();
            let Some(first) = state.open.values().map(|open| open.until).min() else {
                state.is_watched = false;
                return None;
            };
            (first, state.due(now))
        };
        for (call, limit) in due {
            self.expire(call, limit);
        }
        // No call that comes meanwhile has less time.
        Some(first.min(now + self.limit.unwrap_or(LIMIT)))
    }

    fn expire(&self, call: u64, limit: Duration) {
        let mut state = self.state.lock();
        if state.open.remove(&call).is_none() {
            return;
        }
        state.withdraw(call);
        self.changed.notify_one();
        drop(state);
        tracing::warn!(call, ?limit, "the IDE did not answer a host call");
        let text = format!(
            "the IDE gave no answer within {} s; it may be busy: try again later",
            limit.as_secs_f32()
        );
        self.answer(call, failed(ToolErrorCode::Timeout, text));
    }

    fn answer(&self, call: u64, reply: HostReply) {
        (self.answering)(call, reply);
    }

    fn limit_of(&self, request: &HostRequest) -> Duration {
        let usual = match request {
            HostRequest::Documents(DocumentRequest::AskPerson { .. }) => PERSON_LIMIT,
            HostRequest::Tool { tool, .. } if tool.patience() == Patience::Programs => RUN_LIMIT,
            HostRequest::Tool { .. }
            | HostRequest::ReadText { .. }
            | HostRequest::WriteText { .. }
            | HostRequest::SaveDocuments
            | HostRequest::RefreshFiles { .. }
            | HostRequest::FinishTurn
            | HostRequest::Documents(_) => LIMIT,
        };
        self.limit.unwrap_or(usual)
    }
}

impl State {
    /// Whether there is no room for a call of this many bytes. A single one always has room.
    fn is_full(&self, bytes: usize) -> bool {
        let too_heavy = self.weight > 0 && self.weight + bytes > MOST_BYTES;
        self.waiting.len() >= MOST || too_heavy
    }

    /// The calls whose time is up by now, each with its limit.
    fn due(&self, now: Instant) -> Vec<(u64, Duration)> {
        let due = self.open.iter().filter(|(_, open)| open.until <= now);
        let mut due: Vec<_> = due.map(|(call, open)| (*call, *open)).collect();
        due.sort_by_key(|(_, open)| open.until);
        due.into_iter()
            .map(|(call, open)| (call, open.limit))
            .collect()
    }

    /// Withdraws a call that was not delivered yet, or (false) has the embedder notified.
    fn withdraw(&mut self, call: u64) -> bool {
        let is_start =
            |waiting: &Handover| matches!(waiting, Handover::Start(number, _) if *number == call);
        let taken_back = self.waiting.iter().position(is_start);
        match taken_back.and_then(|at| self.waiting.remove(at)) {
            Some(start) => self.weight -= start.weight(),
            None => self.waiting.push_back(Handover::Cancel(call)),
        }
        taken_back.is_some()
    }
}

impl Handover {
    fn weight(&self) -> usize {
        match self {
            Self::Start(_, request) => request.len(),
            Self::Cancel(_) => 0,
        }
    }
}

/// Looks whose time is up while a call is open. One task for all of them: a timer for each would wake the thread that
/// watches the clock at every call.
async fn watch(calls: Weak<Calls>) {
    loop {
        let Some(next) = calls.upgrade().and_then(|calls| calls.look()) else {
            return;
        };
        tokio::time::sleep_until(next).await;
    }
}

/// A failure as an answer.
pub(crate) fn failed(code: ToolErrorCode, text: impl Into<String>) -> HostReply {
    HostReply::Failed(ToolFailure {
        code,
        text: text.into(),
    })
}

#[cfg(test)]
mod tests;
