//! The open calls at our server: how far each is, what waits for whom, and whose time is up.
//!
//! A call that waits longer than agents are patient is answered "still waiting"; the same call made again joins the open
//! one. Calls that write the same file run one after the other. Plain data: it knows no session, no host and no clock.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use siderail_guard::{Tool, guidance};
use siderail_mcp::{CallKey, CallResult, PendingCall};
use siderail_workspace::FileQueue;

use crate::event::DeniedBy;
use crate::host::{ToolErrorCode, ToolFailure};
use crate::session::duration_texts::seconds;
use crate::session::effect::Effect;
use crate::session::own_calls::call::{Answer, ArrivedCall, OwnCall, PATIENCE, State, fail};
use crate::tools::{CancelFlag, runs_in_engine, still_running};

/// How long an answer that nobody waited for, or a question of permission without one, is kept for the same call made
/// again. How long a model's own question stays is the matter of the tool that asks it.
const KEPT: Duration = Duration::from_secs(600);

/// The calls, by their numbers.
#[derive(Default)]
pub(in crate::session) struct CallTable {
    calls: BTreeMap<u64, OwnCall>,
    /// Calls that write, serialised per file.
    edits: FileQueue<u64>,
    /// The tools of calls that the host was asked to give up, and that may have been done; by number, until it says so.
    given_up: BTreeMap<u64, Tool>,
}

/// What a call that has come is.
#[derive(Debug)]
pub(in crate::session) enum Joined {
    /// A call of its own.
    New(ArrivedCall),
    /// One that is open, which it waits for from now on.
    Waits,
    /// One that has its answer.
    Answered(PendingCall, Answer),
}

/// What becomes of a call whose time is up.
pub(in crate::session) enum Overdue {
    /// The agent is asked to make it again.
    ComesBack(PendingCall, CallResult),
    /// It is given up.
    GivenUp(GivenUp),
}

/// A call that is given up.
pub(in crate::session) struct GivenUp {
    /// What ends the work or the question behind it.
    pub(in crate::session) effects: Vec<Effect>,
    /// What the agent is answered.
    pub(in crate::session) failed: ToolFailure,
}

impl CallTable {
    /// Whether nothing is kept.
    pub(in crate::session) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Whether all that is kept is answers.
    pub(in crate::session) fn is_answered(&self) -> bool {
        self.calls.values().all(OwnCall::is_answered)
    }

    /// When the next of them is overdue.
    pub(in crate::session) fn deadline(&self) -> Option<Instant> {
        self.calls.values().map(|own| own.until).min()
    }

    /// A call that is open.
    pub(in crate::session) fn get(&self, number: u64) -> Option<&OwnCall> {
        self.calls.get(&number)
    }

    /// The same call made again takes the place of the one that was asked to come back.
    pub(in crate::session) fn join(&mut self, call: ArrivedCall, now: Instant) -> Joined {
        let is_same = |open: &OwnCall| {
            open.pending.is_none()
                && open.tool == call.tool
                && open.arguments == call.pending.arguments
        };
        let mut calls = self.calls.iter();
        let found = calls.find(|(_, open)| is_same(open));
        let number = found.map(|(number, _)| *number);
        let Some((number, mut open)) = number.and_then(|number| self.calls.remove_entry(&number))
        else {
            return Joined::New(call);
        };
        if let State::Answered(answer) = open.state {
            return Joined::Answered(call.pending, *answer);
        }
        open.pending = Some(call.pending);
        open.conn = call.conn;
        open.until = now + PATIENCE;
        self.calls.insert(number, open);
        Joined::Waits
    }

    /// A call is let in. It writes these files.
    pub(in crate::session) fn admit(
        &mut self,
        number: u64,
        call: ArrivedCall,
        state: State,
        files: Vec<PathBuf>,
        now: Instant,
    ) {
        let own = OwnCall {
            tool: call.tool,
            arguments: call.pending.arguments.clone(),
            files,
            denied: None,
            conn: call.conn,
            pending: Some(call.pending),
            state,
            until: now + PATIENCE,
            cancel: CancelFlag::default(),
        };
        self.calls.insert(number, own);
    }

    /// It was denied under this request number, whose reason its answer carries.
    pub(in crate::session) fn denied(&mut self, number: u64, request_id: u64) {
        if let Some(own) = self.calls.get_mut(&number) {
            own.denied = Some(request_id);
        }
    }

    /// It may run once no earlier one writes one of its files. True when that is now.
    pub(in crate::session) fn start(&mut self, number: u64) -> bool {
        let Some(own) = self.calls.get_mut(&number) else {
            return false;
        };
        own.state = State::Queued;
        self.edits.enter(own.files.clone(), number)
    }

    /// Its handler begins. The files that it writes; none if it is not open any more.
    pub(in crate::session) fn run(&mut self, number: u64) -> Option<Vec<PathBuf>> {
        let own = self.calls.get_mut(&number)?;
        own.state = State::Running;
        Some(own.files.clone())
    }

    /// Takes a call out whose outcome is known; [`Self::end`] takes it again.
    pub(in crate::session) fn take(&mut self, number: u64) -> Option<OwnCall> {
        self.calls.remove(&number)
    }

    /// A call has its answer, which is kept where nobody waits for it. Who waits, and the calls that may run now.
    pub(in crate::session) fn end(
        &mut self,
        number: u64,
        mut own: OwnCall,
        answer: Answer,
        now: Instant,
    ) -> (Option<(PendingCall, Answer)>, Vec<u64>) {
        let waiting = match own.pending.take() {
            Some(pending) => Some((pending, answer)),
            None => {
                own.state = State::Answered(Box::new(answer));
                own.until = now + KEPT;
                self.calls.insert(number, own);
                None
            }
        };
        (waiting, self.edits.remove(&number))
    }

    /// The call that its client withdraws.
    pub(in crate::session) fn withdrawn(&self, conn: u64, key: CallKey) -> Option<u64> {
        let waits = |own: &OwnCall| own.pending.as_ref().is_some_and(|call| call.key == key);
        let mut calls = self.calls.iter();
        let found = calls.find(|(_, own)| own.conn == conn && waits(own));
        found.map(|(number, _)| *number)
    }

    /// All of them are to end. What waits for its turn at a file must not get it by another one's end.
    pub(in crate::session) fn stop(&mut self) -> Vec<u64> {
        self.edits.clear_waiting();
        self.calls.keys().copied().collect()
    }

    /// A call is given up. What ends the work behind it, or the question, closed by this side and for this reason.
    pub(in crate::session) fn give_up(
        &mut self,
        number: u64,
        by: DeniedBy,
        why: &str,
    ) -> Option<Vec<Effect>> {
        let own = self.calls.get(&number)?;
        own.cancel.cancel();
        Some(match own.state {
            State::Asking(request_id) => vec![Effect::CloseQuestion {
                request_id,
                by,
                why: why.to_owned(),
            }],
            // What runs in the engine is ended with its program, and reports no files.
            State::Running if runs_in_engine(own.tool) => vec![Effect::CancelCall(number)],
            State::Running => {
                self.given_up.insert(number, own.tool);
                vec![Effect::StopCall(number)]
            }
            State::Queued | State::Answered(_) => Vec::new(),
        })
    }

    /// The calls that the host was asked to give up, and has not answered.
    pub(in crate::session) fn given_up(&self) -> impl Iterator<Item = u64> {
        self.given_up.keys().copied()
    }

    /// The host has answered a call: its tool, where it was given up.
    pub(in crate::session) fn given_up_replied(&mut self, number: u64) -> Option<Tool> {
        self.given_up.remove(&number)
    }

    /// Nobody comes back for its answer.
    pub(in crate::session) fn forget(&mut self, number: u64) {
        self.calls.remove(&number);
    }

    /// Calls whose time is up. What waits goes first: it must not be begun by the end of what it waits for, only to be
    /// given up.
    pub(in crate::session) fn due(&self, now: Instant) -> Vec<u64> {
        let due = self.calls.iter().filter(|(_, own)| own.until <= now);
        let mut due: Vec<(bool, u64)> = due
            .map(|(number, own)| (!matches!(own.state, State::Queued), *number))
            .collect();
        due.sort_unstable();
        due.into_iter().map(|(_, number)| number).collect()
    }

    /// The time of a call is up. None where nothing is to be done for it.
    pub(in crate::session) fn overdue(&mut self, number: u64, now: Instant) -> Option<Overdue> {
        let own = self.calls.get_mut(&number)?;
        if own.is_answered() {
            self.calls.remove(&number);
            return None;
        }
        if (own.asks_a_person() || own.may_take_long())
            && let Some(pending) = own.pending.take()
        {
            own.until = now + KEPT;
            let text = match own.may_take_long() {
                true => still_running(own.tool),
                false => guidance::still_waiting(own.tool),
            };
            let is_error = false;
            return Some(Overdue::ComesBack(pending, CallResult { text, is_error }));
        }
        let was_queued = matches!(own.state, State::Queued);
        let tool = own.tool;
        let unanswered = "nobody answered, and the agent did not ask again";
        let effects = self.give_up(number, DeniedBy::Timeout, unanswered)?;
        tracing::warn!(number, tool = tool.name(), "a tool call took too long");
        let patience = seconds(PATIENCE);
        let why = match was_queued {
            true => format!(
                "{tool} waited {patience} for {} and was not begun; make the call again",
                self.queued_behind(tool)
            ),
            false => format!(
                "{tool} did not answer within {patience}: it is busy or hangs. It was asked to stop; check \
                 what it did before you call it again, or ask for less"
            ),
        };
        let failed = fail(ToolErrorCode::Timeout, why);
        Some(Overdue::GivenUp(GivenUp { effects, failed }))
    }

    /// What a call of this tool that is not begun waits for.
    fn queued_behind(&self, tool: Tool) -> String {
        if !tool.is_git() {
            return "another write of the same file".to_owned();
        }
        match self.calls.values().find(|own| own.may_take_long()) {
            Some(own) => format!(
                "{}, which is still running in this repository (a hook of it may take long)",
                own.tool
            ),
            None => "another call that changes the repository".to_owned(),
        }
    }

    /// What each of them waits for, for a person.
    pub(in crate::session) fn waits_for(&self) -> impl Iterator<Item = String> {
        self.calls.values().filter_map(|own| {
            let tool = own.tool;
            match own.state {
                State::Asking(_) => Some(format!("a person is asked about {tool}")),
                State::Queued => Some(format!("{tool} waits for another write of that file")),
                State::Running => Some(format!("{tool} is still running")),
                State::Answered(_) => None,
            }
        })
    }
}
