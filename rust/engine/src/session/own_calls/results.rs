//! What comes of calls of our own tools: answers, notices ahead of them, cancelling, and patience that ends.

use std::time::{Duration, Instant};

use siderail_guard::guidance;
use siderail_mcp::{CallKey, CallResult, PendingCall};

use crate::event::{DeniedBy, EventBody, OwnToolStatus, OwnToolView, Receipt};
use crate::host::{HostReply, ToolErrorCode, ToolFailure, ToolOutcome};
use crate::session::Session;
use crate::session::host_calls::{MIXED_UP, Waiting};
use crate::session::lifecycle::waiting::seconds;
use crate::session::own_calls::call::{Answer, OwnCall, PATIENCE, State, fail};
use crate::session::permissions::question::Ask;
use crate::session::views::capped;
use crate::shared::Shared;
use crate::tools::still_running;

/// How long an answered question, or an unanswered one, is kept for the same call made again.
const KEPT: Duration = Duration::from_secs(600);
/// Text of a result that an event carries at most.
const EVENT_TEXT: usize = 2_000;

impl Session {
    /// The host, or a command of ours, answered. What nobody waits for is ignored.
    pub(crate) fn host_replied(&mut self, call: u64, reply: HostReply, shared: &mut Shared) {
        match self.wire.host_calls.take(call) {
            None => {}
            Some(Waiting::OwnCall) => {
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
            Some(Waiting::GivenUp(tool)) => {
                let before = match &reply {
                    HostReply::Tool(outcome) => outcome.before.clone(),
                    _ => Vec::new(),
                };
                self.watch_told(before, shared, move |session, shared| {
                    session.given_up_replied(call, &tool, &reply, shared);
                });
            }
            Some(Waiting::Work(work)) => {
                // A tool that was cancelled, or was tired of waiting, listens no more.
                let _ = work.send(reply);
            }
            Some(Waiting::File(open)) => self.file_replied(&open, &reply, shared),
            Some(Waiting::Question(open)) => self.elicitation_replied(open, &reply, shared),
        }
    }

    /// Answers a call and lets the next one at its file go.
    pub(in crate::session) fn call_done(
        &mut self,
        number: u64,
        outcome: Result<ToolOutcome, ToolFailure>,
        shared: &mut Shared,
    ) {
        self.wire.heard = Instant::now();
        let Some(mut own) = self.own.calls.remove(&number) else {
            return;
        };
        let answer = Answer {
            result: self.outcome_told(number, &own, outcome, shared),
            tells_of: own.denied,
        };
        match own.pending.take() {
            Some(pending) => self.hand_over(pending, answer, shared),
            None => {
                own.state = State::Answered(Box::new(answer));
                own.until = Instant::now() + KEPT;
                self.own.calls.insert(number, own);
            }
        }
        for next in self.own.edits.remove(&number) {
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
                self.count_written(&done.files_written);
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

    fn count_written(&mut self, files: &[String]) {
        for file in files {
            if !self.carried.files_written.contains(file) {
                self.carried.files_written.push(file.clone());
            }
        }
    }

    /// The host's answer to a call that it was told to give up. What it had done by then is done, and counts.
    fn given_up_replied(&mut self, call: u64, tool: &str, reply: &HostReply, shared: &mut Shared) {
        if let HostReply::Tool(done) = reply
            && !done.files_written.is_empty()
        {
            self.count_written(&done.files_written);
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
        let found = self.own.calls.iter().find(|(_, own)| {
            own.conn == conn && own.pending.as_ref().is_some_and(|p| p.key == key)
        });
        if let Some((&number, _)) = found {
            self.abort_call(number, "the agent withdrew the call", shared);
        }
    }

    /// Ends every call of the session: the turn was cancelled, or the session ends.
    pub(in crate::session) fn stop_own_calls(&mut self, shared: &mut Shared) {
        // What waits for its turn at a file must not get it by another one's end.
        self.own.edits.clear_waiting();
        let numbers: Vec<u64> = self.own.calls.keys().copied().collect();
        for number in numbers {
            self.abort_call(number, "the turn was cancelled", shared);
        }
        // Commands that no call waits for any more end as well.
        self.own.runner.kill_all();
    }

    fn abort_call(&mut self, number: u64, why: &str, shared: &mut Shared) {
        let Some(own) = self.own.calls.get(&number) else {
            return;
        };
        own.cancel.cancel();
        let tool = own.tool.clone();
        match own.state {
            State::Asking(request_id) => {
                self.close_own_question(request_id, DeniedBy::Cancel, why, shared);
            }
            State::Running => self.give_up(number, tool, shared),
            State::Queued | State::Answered(_) => {}
        }
        self.call_done(
            number,
            Err(fail(ToolErrorCode::Cancelled, why.to_owned())),
            shared,
        );
        // An aborted call that nobody waits for need not be kept.
        self.own.calls.remove(&number);
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
        let due = self.own.calls.iter().filter(|(_, own)| own.until <= now);
        let mut due: Vec<(bool, u64)> = due
            .map(|(number, own)| (!matches!(own.state, State::Queued), *number))
            .collect();
        // What waits goes first: it must not be begun by the end of what it waits for, only to be given up.
        due.sort_unstable();
        for (_, number) in due {
            self.own_call_overdue(number, now, shared);
        }
    }

    /// What a call of this tool that is not begun waits for.
    fn queued_behind(&self, tool: &str) -> String {
        if !tool.starts_with("git_") {
            return "another write of the same file".to_owned();
        }
        match self.own.calls.values().find(|own| own.may_take_long()) {
            Some(own) => format!(
                "{}, which is still running in this repository (a hook of it may take long)",
                own.tool
            ),
            None => "another call that changes the repository".to_owned(),
        }
    }

    fn own_call_overdue(&mut self, number: u64, now: Instant, shared: &mut Shared) {
        let Some(own) = self.own.calls.get_mut(&number) else {
            return;
        };
        if (own.asks_a_person() || own.may_take_long())
            && let Some(pending) = own.pending.take()
        {
            own.until = now + KEPT;
            let text = match own.may_take_long() {
                true => still_running(&own.tool),
                false => guidance::still_waiting(&own.tool),
            };
            return pending.complete(CallResult {
                text,
                is_error: false,
            });
        }
        own.cancel.cancel();
        let tool = own.tool.clone();
        let was_queued = matches!(own.state, State::Queued);
        match own.state {
            State::Answered(_) => {
                self.own.calls.remove(&number);
                return;
            }
            State::Asking(request_id) => {
                let why = "nobody answered, and the agent did not ask again";
                self.close_own_question(request_id, DeniedBy::Timeout, why, shared);
            }
            State::Running => self.give_up(number, tool.clone(), shared),
            State::Queued => {}
        }
        tracing::warn!(number, tool, "a tool call took too long");
        let text = match was_queued {
            true => format!(
                "{tool} waited {} for {} and was not begun; make the call again",
                seconds(PATIENCE),
                self.queued_behind(&tool)
            ),
            false => format!(
                "{tool} did not answer within {}: it is busy or hangs. It was asked to stop; check \
                 what it did before you call it again, or ask for less",
                seconds(PATIENCE)
            ),
        };
        self.call_done(number, Err(fail(ToolErrorCode::Timeout, text)), shared);
        self.own.calls.remove(&number);
    }
}
