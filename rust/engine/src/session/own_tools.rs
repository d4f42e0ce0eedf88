//! Calls of our own tools: the gate before the handler, the handler on the host, the answer.
//!
//! A call that waits for a person longer than agents are patient is answered "still waiting"; the same
//! call made again joins the open one. Calls that write the same file run one after the other.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;
use siderail_guard::decision::{Decision, Verdict};
use siderail_guard::own_tool_gate;
use siderail_mcp::{CallKey, CallResult, PendingCall};

use super::arbiter::{Ask, Subject, nobody};
use super::ladder::Way;
use super::updates::{capped, text_of};
use super::{Input, Session};
use crate::command::PermissionAnswer;
use crate::engine::Shelf;
use crate::event::{EventBody, OwnToolView, Receipt};
use crate::host::{HostCall, HostReply, HostRequest, ToolErrorCode, ToolFailure, ToolOutcome};
use crate::tools::CancelFlag;

/// Several agents give up on a tool call after 60 s.
const PATIENCE: Duration = Duration::from_secs(50);
/// How long an answered question, or an unanswered one, is kept for the same call made again.
const KEPT: Duration = Duration::from_secs(600);
/// Text of a result that an event carries at most.
const EVENT_TEXT: usize = 2_000;

/// One call at our server.
pub(crate) struct OwnCall {
    tool: String,
    arguments: Value,
    /// The connection that it came on.
    conn: u64,
    /// The waiting side; none after "still waiting" until the same call is made again.
    pending: Option<PendingCall>,
    state: State,
    /// When the waiting side, or the call as a whole, is given up.
    until: Instant,
    /// The file that it writes, for the queue.
    file: Option<PathBuf>,
    /// Ends a command of ours.
    cancel: CancelFlag,
}

enum State {
    /// A person is asked, under this request number.
    Asking(u64),
    /// Another call writes the same file.
    Queued,
    /// The handler runs.
    Running,
    /// The answer waits for the same call to be made again.
    Answered(Box<CallResult>),
}

impl OwnCall {
    pub(crate) fn deadline(&self) -> Option<Instant> {
        Some(self.until)
    }

    fn asks_a_person(&self) -> bool {
        matches!(self.state, State::Asking(_)) || self.tool == "ask_user"
    }
}

impl Session {
    /// A tool call arrived at our server.
    pub(super) fn own_call(&mut self, conn: u64, call: PendingCall, shelf: &mut Shelf) {
        let (tool, arguments) = (call.name.clone(), call.arguments.clone());
        if self.is_closing() {
            return call.complete(failure(ToolErrorCode::Cancelled, "the session is ending"));
        }
        let Some(call) = self.join(conn, call) else {
            return;
        };
        if let Some(at) = self
            .expected
            .iter()
            .position(|(_, expected)| *expected == tool)
        {
            self.expected.remove(at);
        }
        self.followed(&tool, text_of(&arguments, "path"), shelf);
        let decision = self.gate(&tool, &arguments, shelf);
        let subject = self.own_subject(&tool, &arguments, &decision, shelf);
        match decision.verdict {
            Verdict::Deny => {
                self.requested(&subject, &[], false, shelf);
                let text = self.deny_with_guidance(&subject, &decision, Way::Result, shelf);
                call.complete(failure(ToolErrorCode::Denied, &text));
                self.receipt(subject.request_id, Receipt::Delivered, shelf);
                self.own_event(subject.request_id, &tool, "denied", &text, None, shelf);
            }
            Verdict::Allow => {
                let number = self.admit(conn, call, State::Running, shelf);
                self.start_call(number, shelf);
            }
            Verdict::Ask => {
                let number = self.admit(conn, call, State::Asking(subject.request_id), shelf);
                let asks = self.options.answer.is_none();
                self.requested(&subject, &[], asks, shelf);
                match self.options.answer {
                    Some(true) => {
                        self.own_call_resolved(number, &subject, PermissionAnswer::Allow, shelf);
                    }
                    Some(false) => self.own_call_resolved(number, &subject, nobody(), shelf),
                    None => {
                        let request_id = subject.request_id;
                        self.asks.insert(
                            request_id,
                            Ask::Own {
                                call: number,
                                subject,
                            },
                        );
                    }
                }
            }
        }
    }

    /// The same call made again takes the place of the one that was told to come back.
    fn join(&mut self, conn: u64, call: PendingCall) -> Option<PendingCall> {
        let found = self.own_calls.iter_mut().find(|(_, open)| {
            open.pending.is_none() && open.tool == call.name && open.arguments == call.arguments
        });
        let Some((&number, open)) = found else {
            return Some(call);
        };
        if let State::Answered(result) = &open.state {
            call.complete((**result).clone());
            self.own_calls.remove(&number);
        } else {
            open.pending = Some(call);
            open.conn = conn;
            open.until = Instant::now() + PATIENCE;
        }
        None
    }

    fn admit(&mut self, conn: u64, call: PendingCall, state: State, shelf: &mut Shelf) -> u64 {
        let number = shelf.call_number(self.number);
        let own = OwnCall {
            tool: call.name.clone(),
            arguments: call.arguments.clone(),
            file: self.written_file(&call.name, &call.arguments),
            conn,
            pending: Some(call),
            state,
            until: Instant::now() + PATIENCE,
            cancel: CancelFlag::default(),
        };
        self.own_calls.insert(number, own);
        number
    }

    fn written_file(&self, tool: &str, arguments: &Value) -> Option<PathBuf> {
        let name = match tool {
            "intellij_write_file" | "delete_file" => "path",
            "move_file" => "from",
            _ => return None,
        };
        self.confinement
            .resolve(text_of(arguments, name)?)
            .ok()
            .map(|found| found.absolute)
    }

    fn gate(&self, tool: &str, arguments: &Value, shelf: &Shelf) -> Decision {
        let paths: Vec<String> = ["path", "from", "to", "working_dir", "directory"]
            .iter()
            .filter_map(|name| text_of(arguments, name))
            .map(str::to_owned)
            .collect();
        let places = self.places(&paths);
        let always = self.always.contains(&own_key(tool, arguments));
        self.with_context(&places, always, shelf, |ctx| {
            own_tool_gate(tool, arguments, ctx)
        })
    }

    fn own_subject(
        &self,
        tool: &str,
        arguments: &Value,
        decision: &Decision,
        shelf: &mut Shelf,
    ) -> Subject {
        let text =
            text_of(arguments, "command").map_or_else(|| arguments.to_string(), str::to_owned);
        Subject {
            request_id: shelf.request_number(),
            tool_call_id: None,
            tool: tool.to_owned(),
            kind: decision.kind.to_owned(),
            text,
            paths: text_of(arguments, "path")
                .map(str::to_owned)
                .into_iter()
                .collect(),
            channel: "own",
            remember: decision
                .reason
                .may_be_remembered()
                .then(|| own_key(tool, arguments)),
        }
    }

    /// The person, or the answer given beforehand, settled a question of the gate.
    pub(super) fn own_call_resolved(
        &mut self,
        number: u64,
        subject: &Subject,
        answer: PermissionAnswer,
        shelf: &mut Shelf,
    ) {
        if let PermissionAnswer::Deny { reason, nobody } = answer {
            let by = if nobody { "no_terminal" } else { "user" };
            self.denied_event(subject, by, &reason, shelf);
            self.tracker.on_denial(&subject.tool);
            let text = match (nobody, reason.is_empty()) {
                (true, _) => "nobody is there to allow it; do without, or tell the user".to_owned(),
                (_, true) => "the user did not allow it; ask what to do instead".to_owned(),
                _ => format!("the user did not allow it: {reason}"),
            };
            return self.call_done(number, Err(fail(ToolErrorCode::Denied, text)), shelf);
        }
        if let (PermissionAnswer::Always, Some(key)) = (&answer, &subject.remember) {
            self.always.insert(key.clone());
        }
        self.approved(subject, "user", shelf);
        self.start_call(number, shelf);
    }

    /// Starts the handler, or queues the call behind another one that writes the same file.
    fn start_call(&mut self, number: u64, shelf: &mut Shelf) {
        let Some(own) = self.own_calls.get_mut(&number) else {
            return;
        };
        if let Some(file) = own.file.clone() {
            own.state = State::Queued;
            if self.edits.enter(file, number).is_none() {
                return;
            }
        }
        self.run_call(number, shelf);
    }

    fn run_call(&mut self, number: u64, shelf: &mut Shelf) {
        let Some(own) = self.own_calls.get_mut(&number) else {
            return;
        };
        own.state = State::Running;
        let (tool, arguments) = (own.tool.clone(), own.arguments.clone());
        let cancel = own.cancel.clone();
        let what = text_of(&arguments, "command").or_else(|| text_of(&arguments, "path"));
        self.own_event(
            number,
            &tool,
            "started",
            what.unwrap_or_default(),
            None,
            shelf,
        );
        if tool == "run_command" {
            let (runner, inputs) = (self.runner.clone(), shelf.inputs.clone());
            let (session, root) = (self.number, self.root().to_owned());
            tokio::spawn(async move {
                let reply = match runner.run(&root, &arguments, cancel).await {
                    Ok(outcome) => HostReply::Tool(outcome),
                    Err(failure) => HostReply::Failed(failure),
                };
                // The engine outlives its sessions' tasks; without it nobody waits.
                let _ = inputs
                    .send(Input::CommandDone {
                        session,
                        call: number,
                        reply,
                    })
                    .await;
            });
            return;
        }
        let request = HostRequest::Tool {
            name: tool,
            arguments,
        };
        let project = self.root().to_owned();
        shelf.host.start(HostCall {
            call: number,
            session: self.number,
            project,
            request,
        });
    }

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
    fn call_done(
        &mut self,
        number: u64,
        outcome: Result<ToolOutcome, ToolFailure>,
        shelf: &mut Shelf,
    ) {
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
        let file = own.file.take();
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
        notices.extend(carried.into_iter().map(|guidance| guidance.text));
        if notices.is_empty() {
            return text.to_owned();
        }
        format!("NOTICE: {}\n\n{text}", notices.join("\nNOTICE: "))
    }

    fn followed(&mut self, tool: &str, path: Option<&str>, shelf: &mut Shelf) {
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

    fn own_event(
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
        let numbers: Vec<u64> = self.own_calls.keys().copied().collect();
        for number in numbers {
            self.abort_call(number, "the turn was cancelled", shelf);
        }
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
            let text = format!(
                "Still waiting for the user. Call {} again with the same arguments to go on waiting.",
                own.tool
            );
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

/// What `Always` remembers of a call.
fn own_key(tool: &str, arguments: &Value) -> String {
    match text_of(arguments, "command") {
        Some(command) => format!("command {command}"),
        None => format!("{tool} {arguments}"),
    }
}

fn fail(code: ToolErrorCode, text: String) -> ToolFailure {
    ToolFailure { code, text }
}

fn failure(code: ToolErrorCode, text: &str) -> CallResult {
    CallResult {
        text: fail(code, text.to_owned()).to_string(),
        is_error: true,
    }
}
