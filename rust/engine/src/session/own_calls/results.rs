//! What comes of calls of our own tools: answers, notices ahead of them, cancelling, and patience that ends.

use std::time::Instant;

use siderail_mcp::{CallKey, CallResult, PendingCall};

use crate::event::{DeniedBy, EventBody, OwnToolStatus, OwnToolView, Receipt};
use crate::host::{HostReply, ToolErrorCode, ToolFailure, ToolOutcome};
use crate::session::Session;
use crate::session::host_calls::{MIXED_UP, Waiting};
use crate::session::own_calls::call::{Answer, OwnCall, fail};
use crate::session::own_calls::table::{Held, Overdue};
use crate::session::permissions::question::Ask;
use crate::session::views::capped;
use crate::shared::Shared;

/// Text of a result that an event carries at most.
const EVENT_TEXT: usize = 2_000;

impl Session {
    /// The host, or a tool that runs here, answered a call.
    pub(in crate::session) fn own_call_replied(
        &mut self,
        call: u64,
        reply: HostReply,
        shared: &mut Shared,
    ) {
        let outcome = match reply {
            HostReply::Tool(mut outcome) => {
                let before = std::mem::take(&mut outcome.before);
                return self.watch_told(before, shared, move |session, shared| {
                    session.call_done(call, Ok(outcome), shared);
                });
            }
            HostReply::Failed(failure) => Err(failure),
            HostReply::Text { .. }
            | HostReply::Written { .. }
            | HostReply::Done
            | HostReply::Documents(_) => {
                Err(fail(ToolErrorCode::InternalError, MIXED_UP.to_owned()))
            }
        };
        self.call_done(call, outcome, shared);
    }

    /// The same of a call that was given up.
    pub(in crate::session) fn given_up_call_replied(
        &mut self,
        call: u64,
        tool: String,
        reply: HostReply,
        shared: &mut Shared,
    ) {
        let before = match &reply {
            HostReply::Tool(outcome) => outcome.before.clone(),
            _ => Vec::new(),
        };
        self.watch_told(before, shared, move |session, shared| {
            session.given_up_replied(call, &tool, &reply, shared);
        });
    }

    /// Answers a call and lets the next one at its file go.
    pub(in crate::session) fn call_done(
        &mut self,
        number: u64,
        outcome: Result<ToolOutcome, ToolFailure>,
        shared: &mut Shared,
    ) {
        self.wire.heard = Instant::now();
        let Some(own) = self.own.table.take(number) else {
            return;
        };
        let answer = Answer {
            result: self.outcome_told(number, &own, outcome, shared),
            tells_of: own.denied,
        };
        let now = Instant::now();
        let (waiting, next) = self.own.table.end(number, own, answer, now);
        if let Some((pending, answer)) = waiting {
            self.hand_over(pending, answer, shared);
        }
        for next in next {
            self.run_call(next, shared);
        }
    }

    /// Reports what came of a call and puts it into the form that the agent gets.
    fn outcome_told(
        &mut self,
        number: u64,
        own: &OwnCall,
        outcome: Result<ToolOutcome, ToolFailure>,
        shared: &mut Shared,
    ) -> CallResult {
        let tool = own.tool.as_str();
        let (denials, turn) = (&mut self.carried.denials, self.carried.n_turns);
        let effect = denials.own_call_ended(turn, tool, &own.arguments, &outcome);
        self.apply(effect, shared);
        match outcome {
            Ok(done) => {
                self.carried.wrote(done.files_written.clone());
                self.own_event(
                    number,
                    tool,
                    OwnToolStatus::Completed,
                    &done.text,
                    Some(&done),
                    shared,
                );
                CallResult {
                    text: self.as_offered(tool, done.text),
                    is_error: false,
                }
            }
            Err(failed) => {
                let text = failed.to_string();
                let status = match failed.code {
                    ToolErrorCode::Denied => OwnToolStatus::Denied,
                    ToolErrorCode::Cancelled => OwnToolStatus::Cancelled,
                    _ => OwnToolStatus::Failed,
                };
                self.own_event(number, tool, status, &text, None, shared);
                CallResult {
                    text,
                    is_error: true,
                }
            }
        }
    }

    /// The host's answer to a call that it was told to give up. What it had done by then is done, and counts.
    fn given_up_replied(&mut self, call: u64, tool: &str, reply: &HostReply, shared: &mut Shared) {
        if let HostReply::Tool(done) = reply
            && !done.files_written.is_empty()
        {
            self.carried.wrote(done.files_written.clone());
            let text = "the call was cancelled, but it had already been done";
            let status = OwnToolStatus::Completed;
            self.own_event(call, tool, status, text, Some(done), shared);
        }
        self.write_settled(shared);
    }

    /// Tells whoever performs a call to stop; what it says of it later still counts.
    fn give_up(&mut self, number: u64, tool: String, shared: &Shared) {
        // What runs in the engine is ended with its program, and reports no files.
        if crate::tools::runs_in_engine(&tool) {
            self.wire.host_calls.take(number);
        } else {
            self.wire.host_calls.wait(number, Waiting::GivenUp(tool));
        }
        shared.host.cancel(number);
    }

    /// A tool's word about itself, by the name that the model knows.
    fn as_offered(&self, tool: &str, text: String) -> String {
        match self.facts.names.offered_as(tool) == tool {
            true => text,
            false => self.facts.names.in_text(text),
        }
    }

    /// Answers a call. Ladder step 6: guidance that had no other way goes ahead of the result.
    pub(in crate::session) fn hand_over(
        &mut self,
        call: PendingCall,
        answer: Answer,
        shared: &mut Shared,
    ) {
        let Answer {
            mut result,
            tells_of,
        } = answer;
        let (notices, receipts) = self.carried.denials.ahead_of_result();
        if !notices.is_empty() {
            result.text = format!("{}\n\n{}", notices.join("\n"), result.text);
        }
        call.complete(result);
        self.apply(receipts, shared);
        if let Some(request_id) = tells_of {
            self.receipt(request_id, Receipt::Delivered, shared);
        }
    }

    pub(in crate::session) fn followed(
        &mut self,
        tool: &str,
        path: Option<&str>,
        shared: &mut Shared,
    ) {
        let effect = self.carried.denials.own_call(tool, path);
        self.apply(effect, shared);
    }

    pub(in crate::session) fn own_event(
        &self,
        call: u64,
        tool: &str,
        status: OwnToolStatus,
        text: &str,
        done: Option<&ToolOutcome>,
        shared: &mut Shared,
    ) {
        let view = OwnToolView {
            call,
            tool: tool.to_owned(),
            status,
            text: capped(text, EVENT_TEXT),
            paths: done.map(|d| d.files_written.clone()).unwrap_or_default(),
            diff: done.and_then(|d| d.diff.clone()),
            exit_code: done.and_then(|d| d.exit_code).map(i64::from),
        };
        self.emit(EventBody::OwnTool(view), shared);
    }

    /// The MCP client takes a call back.
    pub(in crate::session) fn own_call_cancelled(
        &mut self,
        conn: u64,
        key: CallKey,
        shared: &mut Shared,
    ) {
        if let Some(number) = self.own.table.withdrawn(conn, key) {
            self.abort_call(number, "the agent withdrew the call", shared);
        }
    }

    /// Ends every call of the session: the turn was cancelled, or the session ends.
    pub(in crate::session) fn stop_own_calls(&mut self, shared: &mut Shared) {
        for number in self.own.table.stop() {
            self.abort_call(number, "the turn was cancelled", shared);
        }
        // Commands that no call waits for any more end as well.
        self.own.runner.kill_all();
    }

    fn abort_call(&mut self, number: u64, why: &str, shared: &mut Shared) {
        let Some((tool, held)) = self.own.table.give_up(number) else {
            return;
        };
        self.let_go(number, (tool, held), (DeniedBy::Cancel, why), shared);
        let failed = fail(ToolErrorCode::Cancelled, why.to_owned());
        self.call_done(number, Err(failed), shared);
        // An aborted call that nobody waits for need not be kept.
        self.own.table.forget(number);
    }

    /// Who is at a call that is given up is told.
    fn let_go(
        &mut self,
        number: u64,
        (tool, held): (String, Held),
        (by, why): (DeniedBy, &str),
        shared: &mut Shared,
    ) {
        match held {
            Held::Person(request_id) => self.close_own_question(request_id, by, why, shared),
            Held::Handler => self.give_up(number, tool, shared),
            Held::Nobody => {}
        }
    }

    fn close_own_question(
        &mut self,
        request_id: u64,
        by: DeniedBy,
        why: &str,
        shared: &mut Shared,
    ) {
        if let Some(Ask::Own { requested, .. }) = self.questions.asks.remove(&request_id) {
            self.question_closed(&requested, by, why, shared);
        }
    }

    /// Calls whose time is up.
    pub(in crate::session) fn own_deadlines(&mut self, now: Instant, shared: &mut Shared) {
        for number in self.own.table.due(now) {
            match self.own.table.overdue(number, now) {
                None => {}
                Some(Overdue::ComesBack(pending, result)) => pending.complete(result),
                Some(Overdue::GivenUp { tool, held, why }) => {
                    tracing::warn!(number, tool, "a tool call took too long");
                    let unanswered = "nobody answered, and the agent did not ask again";
                    let denied = (DeniedBy::Timeout, unanswered);
                    self.let_go(number, (tool, held), denied, shared);
                    self.call_done(number, Err(fail(ToolErrorCode::Timeout, why)), shared);
                    self.own.table.forget(number);
                }
            }
        }
    }
}
