//! What comes of calls of our own tools: answers, notices ahead of them, cancelling, and patience that ends.

use std::time::{Duration, Instant};

use siderail_guard::guidance;
use siderail_mcp::{CallKey, CallResult};

use super::Session;
use super::arbiter::Ask;
use super::own_tools::{PATIENCE, State, fail};
use super::updates::capped;
use crate::engine::Shelf;
use crate::event::{EventBody, OwnToolView};
use crate::host::{HostReply, ToolErrorCode, ToolFailure, ToolOutcome};

/// How long an answered question, or an unanswered one, is kept for the same call made again.
const KEPT: Duration = Duration::from_secs(600);
/// Text of a result that an event carries at most.
const EVENT_TEXT: usize = 2_000;

impl Session {
    /// The host, or a command of ours, answered.
    pub(crate) fn host_replied(&mut self, call: u64, reply: HostReply, shelf: &mut Shelf) {
        if self.file_replied(call, &reply, shelf) {
            return;
        }
        let outcome = match reply {
            HostReply::Tool(outcome) => Ok(outcome),
            HostReply::Failed(failure) => Err(failure),
            HostReply::Text { .. } | HostReply::Written { .. } => Err(fail(
                ToolErrorCode::InternalError,
                "the host mixed up its answers".to_owned(),
            )),
        };
        self.call_done(call, outcome, shelf);
    }

    /// Answers a call and lets the next one at its file go.
    pub(super) fn call_done(
        &mut self,
        number: u64,
        outcome: Result<ToolOutcome, ToolFailure>,
        shelf: &mut Shelf,
    ) {
        self.heard = Instant::now();
        shelf.forget_call(number);
        let Some(mut own) = self.own_calls.remove(&number) else {
            return;
        };
        let answer = match &outcome {
            Ok(done) => {
                self.tracker.on_success(&own.tool);
                for file in &done.files_written {
                    if !self.files_written.contains(file) {
                        self.files_written.push(file.clone());
                    }
                }
                self.own_event(
                    number,
                    &own.tool,
                    "completed",
                    &done.text,
                    Some(done),
                    shelf,
                );
                CallResult {
                    text: self.with_notice(&done.text, shelf),
                    is_error: false,
                }
            }
            Err(failed) => {
                let text = failed.to_string();
                let status = match failed.code {
                    ToolErrorCode::Denied => "denied",
                    ToolErrorCode::Cancelled => "cancelled",
                    _ => "failed",
                };
                self.own_event(number, &own.tool, status, &text, None, shelf);
                CallResult {
                    text: self.with_notice(&text, shelf),
                    is_error: true,
                }
            }
        };
        if !own.holds_file {
            self.edits.withdraw(|queued| *queued == number);
        }
        let file = own.file.take().filter(|_| own.holds_file);
        match own.pending.take() {
            Some(pending) => pending.complete(answer),
            None => {
                own.state = State::Answered(Box::new(answer));
                own.until = Instant::now() + KEPT;
                self.own_calls.insert(number, own);
            }
        }
        if let Some(next) = file.and_then(|file| self.edits.finish(&file)) {
            self.run_call(next, shelf);
        }
    }

    /// Ladder step 6: guidance that had no other way goes ahead of a result.
    fn with_notice(&mut self, text: &str, shelf: &mut Shelf) -> String {
        let carried = self.delivery.take_notice();
        self.receipts(&carried, shelf);
        let mut notices = self.delivery.take_notes();
        notices.extend(
            carried
                .iter()
                .map(|carried| guidance::notice(&carried.text)),
        );
        if notices.is_empty() {
            return text.to_owned();
        }
        format!("{}\n\n{text}", notices.join("\n"))
    }

    pub(super) fn followed(&mut self, tool: &str, path: Option<&str>, shelf: &mut Shelf) {
        if let Some(guidance) = self.delivery.own_call(tool, path) {
            let body = EventBody::GuidanceFollowed {
                request_id: guidance.request_id,
                tool: tool.to_owned(),
                kind: guidance.kind,
                channel: guidance.channel,
            };
            self.emit(body, shelf);
        }
    }

    pub(super) fn own_event(
        &self,
        call: u64,
        tool: &str,
        status: &str,
        text: &str,
        done: Option<&ToolOutcome>,
        shelf: &mut Shelf,
    ) {
        let view = OwnToolView {
            call,
            tool: tool.to_owned(),
            status: status.to_owned(),
            text: capped(text, EVENT_TEXT),
            paths: done.map(|d| d.files_written.clone()).unwrap_or_default(),
            diff: done.and_then(|d| d.diff.clone()),
        };
        self.emit(EventBody::OwnTool(view), shelf);
    }

    /// The MCP client takes a call back.
    pub(super) fn own_call_cancelled(&mut self, conn: u64, key: CallKey, shelf: &mut Shelf) {
        let found = self.own_calls.iter().find(|(_, own)| {
            own.conn == conn && own.pending.as_ref().is_some_and(|p| p.key == key)
        });
        if let Some((&number, _)) = found {
            self.abort_call(number, "the agent took the call back", shelf);
        }
    }

    /// Ends every call of the session: the turn was cancelled, or the session ends.
    pub(super) fn stop_own_calls(&mut self, shelf: &mut Shelf) {
        // What waits for its turn at a file must not get it by another one's end.
        self.edits.withdraw(|_| true);
        let numbers: Vec<u64> = self.own_calls.keys().copied().collect();
        for number in numbers {
            self.abort_call(number, "the turn was cancelled", shelf);
        }
        // Commands that no call waits for any more end as well.
        self.runner.kill_all();
    }

    fn abort_call(&mut self, number: u64, why: &str, shelf: &mut Shelf) {
        let Some(own) = self.own_calls.get(&number) else {
            return;
        };
        own.cancel.cancel();
        match own.state {
            State::Asking(request_id) => {
                if let Some(Ask::Own { subject, .. }) = self.asks.remove(&request_id) {
                    self.denied_event(&subject, "cancel", why, shelf);
                }
            }
            State::Running => shelf.host.cancel(number),
            State::Queued | State::Answered(_) => {}
        }
        self.call_done(
            number,
            Err(fail(ToolErrorCode::Cancelled, why.to_owned())),
            shelf,
        );
        // An aborted call that nobody waits for need not be kept.
        self.own_calls.remove(&number);
    }

    /// Calls whose time is up.
    pub(super) fn own_deadlines(&mut self, now: Instant, shelf: &mut Shelf) {
        let due: Vec<u64> = self
            .own_calls
            .iter()
            .filter(|(_, own)| own.until <= now)
            .map(|(n, _)| *n)
            .collect();
        for number in due {
            self.own_call_overdue(number, now, shelf);
        }
    }

    fn own_call_overdue(&mut self, number: u64, now: Instant, shelf: &mut Shelf) {
        let Some(own) = self.own_calls.get_mut(&number) else {
            return;
        };
        if own.asks_a_person()
            && let Some(pending) = own.pending.take()
        {
            own.until = now + KEPT;
            let text = guidance::still_waiting(&own.tool);
            return pending.complete(CallResult {
                text,
                is_error: false,
            });
        }
        let file = own.file.clone();
        own.cancel.cancel();
        shelf.host.cancel(number);
        if matches!(own.state, State::Answered(_)) {
            self.own_calls.remove(&number);
            return;
        }
        tracing::warn!(number, ?file, "a tool call took too long");
        let text = format!(
            "no answer within {} s; try again, or with less",
            PATIENCE.as_secs()
        );
        self.call_done(number, Err(fail(ToolErrorCode::Timeout, text)), shelf);
        self.own_calls.remove(&number);
    }
}
