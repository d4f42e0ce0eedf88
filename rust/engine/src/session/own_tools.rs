//! Calls of our own tools: the gate before the handler, the handler on the host, the answer.
//!
//! A call that waits for a person longer than agents are patient is answered "still waiting"; the same
//! call made again joins the open one. Calls that write the same file run one after the other.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;
use siderail_guard::decision::{Decision, Verdict};
use siderail_guard::planning::restrain_own_tool;
use siderail_guard::{Identity, Tool, own_tool_gate, with_named_program};
use siderail_mcp::{CallResult, PendingCall};

use super::Session;
use super::arbiter::{Ask, Settled};
use super::denials::No;
use super::dialect::dialect_of;
use super::ladder::Way;
use super::lines::{Facts, Followed};
use super::subject::Subject;
use super::views::text_of;
use crate::command::PermissionAnswer;
use crate::event::{ApprovedBy, OwnToolStatus, Receipt, RequestChannel};
use crate::host::{HostCall, HostRequest, ToolErrorCode, ToolFailure};
use crate::shelf::Shelf;
use crate::tools::CancelFlag;

/// Several agents give up on a tool call after 60 s.
pub(super) const PATIENCE: Duration = Duration::from_secs(50);

/// One call at our server.
pub(crate) struct OwnCall {
    pub(super) tool: String,
    pub(super) arguments: Value,
    /// The connection that it came on.
    pub(super) conn: u64,
    /// The waiting side; none after "still waiting" until the same call is made again.
    pub(super) pending: Option<PendingCall>,
    pub(super) state: State,
    /// When the waiting side, or the call as a whole, is given up.
    pub(super) until: Instant,
    /// The files that it writes, for the queue.
    pub(super) files: Vec<PathBuf>,
    /// The denial whose reason its answer carries.
    pub(super) denied: Option<u64>,
    /// Ends a command of ours.
    pub(super) cancel: CancelFlag,
}

pub(super) enum State {
    /// A person is asked, under this request number.
    Asking(u64),
    /// Another call writes the same file.
    Queued,
    /// The handler runs.
    Running,
    /// The answer waits for the same call to be made again.
    Answered(Box<Answer>),
}

/// What a call is answered.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) result: CallResult,
    /// The denial whose reason it carries.
    pub(super) tells_of: Option<u64>,
}

impl OwnCall {
    pub(crate) fn deadline(&self) -> Option<Instant> {
        Some(self.until)
    }

    /// True once only the same call made again is waited for.
    pub(super) fn is_answered(&self) -> bool {
        matches!(self.state, State::Answered(_))
    }

    /// The handler may go on after the waiting side is told to come back.
    pub(super) fn may_take_long(&self) -> bool {
        matches!(self.state, State::Running) && crate::tools::may_take_long(&self.tool)
    }

    pub(super) fn asks_a_person(&self) -> bool {
        matches!(self.state, State::Asking(_)) || Tool::named(&self.tool) == Some(Tool::AskUser)
    }
}

impl Session {
    /// A tool call arrived at our server.
    pub(super) fn own_call(&mut self, conn: u64, mut call: PendingCall, shelf: &mut Shelf) {
        call.name = self.names.own_name(&call.name).to_owned();
        let (tool, arguments) = (call.name.clone(), call.arguments.clone());
        if self.is_closing() || self.turn.cancelling.is_some() {
            return call.complete(failure(ToolErrorCode::Cancelled, "the session is ending"));
        }
        self.own_call_arrived(&tool, Some(&arguments));
        self.went_on();
        let Some(call) = self.join(conn, call, shelf) else {
            return;
        };
        self.followed(&tool, text_of(&arguments, "path"), shelf);
        let decision = self.gate(&tool, &arguments, shelf);
        let subject = self.own_subject(&tool, &arguments, &decision, shelf);
        match decision.verdict {
            Verdict::Deny => {
                self.requested(&subject, &[], false, shelf);
                let text = self.deny_with_guidance(&subject, &decision, Way::Result, shelf);
                call.complete(failure(ToolErrorCode::Denied, &text));
                self.receipt(subject.request_id, Receipt::Delivered, shelf);
                self.own_event(
                    subject.request_id,
                    &tool,
                    OwnToolStatus::Denied,
                    &text,
                    None,
                    shelf,
                );
            }
            Verdict::Allow => {
                let number = self.admit(conn, call, State::Running, shelf);
                self.start_call(number, shelf);
            }
            // One question is enough: this very call was shown when the agent asked.
            Verdict::Ask if self.was_allowed_as_asked(&tool, &arguments) => {
                let number = self.admit(conn, call, State::Running, shelf);
                self.start_call(number, shelf);
            }
            Verdict::Ask => {
                if let Some(failed) = self.in_vain(&tool, &arguments) {
                    let number = self.admit(conn, call, State::Running, shelf);
                    return self.call_done(number, Err(failed), shelf);
                }
                let number = self.admit(conn, call, State::Asking(subject.request_id), shelf);
                let asks = self.options.answer.is_none();
                self.requested(&subject, &[], asks, shelf);
                match self.settled_beforehand() {
                    Some(settled) => self.own_call_resolved(number, &subject, settled, shelf),
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
    fn join(&mut self, conn: u64, call: PendingCall, shelf: &mut Shelf) -> Option<PendingCall> {
        let found = self.own_calls.iter().find(|(_, open)| {
            open.pending.is_none() && open.tool == call.name && open.arguments == call.arguments
        });
        let Some((&number, _)) = found else {
            return Some(call);
        };
        let mut open = self.own_calls.remove(&number)?;
        match open.state {
            State::Answered(answer) => self.hand_over(call, *answer, shelf),
            _ => {
                open.pending = Some(call);
                open.conn = conn;
                open.until = Instant::now() + PATIENCE;
                self.own_calls.insert(number, open);
            }
        }
        None
    }

    fn admit(&mut self, conn: u64, call: PendingCall, state: State, shelf: &mut Shelf) -> u64 {
        let number = shelf.call_number();
        let own = OwnCall {
            tool: call.name.clone(),
            arguments: call.arguments.clone(),
            files: self.written_files(&call.name, &call.arguments),
            denied: None,
            conn,
            pending: Some(call),
            state,
            until: Instant::now() + PATIENCE,
            cancel: CancelFlag::default(),
        };
        self.own_calls.insert(number, own);
        number
    }

    fn written_files(&self, tool: &str, arguments: &Value) -> Vec<PathBuf> {
        if crate::tools::changes_repository(tool, arguments) {
            // Two runs of git at once would find each other's lock.
            return vec![self.root().join(".git")];
        }
        let named = Tool::named(tool).map_or(&[][..], Tool::written_paths);
        let paths = named.iter().filter_map(|name| text_of(arguments, name));
        paths
            .filter_map(|path| self.confinement.resolve(path).ok())
            .map(|found| found.absolute)
            .collect()
    }

    pub(super) fn gate(&self, tool: &str, arguments: &Value, shelf: &Shelf) -> Decision {
        let paths = named_paths(arguments);
        let line = self.line_of_call(tool, arguments);
        let facts = Facts {
            places: self.places(&paths),
            followed: line.map_or_else(Followed::default, |line| self.follow(&line)),
        };
        let always = self.is_always_allowed(Some(&self.remembered_call(tool, arguments)));
        let dialect = dialect_of(&Identity::OwnTool(tool.to_owned()));
        let decision = self.with_context(dialect, &facts, always, shelf, |ctx| {
            let decision = own_tool_gate(tool, arguments, ctx);
            match self.runs_filter(tool, &paths) {
                true => with_named_program(decision, ctx),
                false => decision,
            }
        });
        let decision = self.with_yolo(decision, &paths);
        self.while_planning(decision, |decision, exit_tool| {
            self.with_context(dialect, &facts, always, shelf, |ctx| {
                restrain_own_tool(tool, arguments, decision, ctx, exit_tool)
            })
        })
    }

    /// Whether git would run a filter of the repository's for this.
    pub(super) fn runs_filter(&self, tool: &str, paths: &[String]) -> bool {
        let resolved = paths
            .iter()
            .filter_map(|path| self.confinement.resolve(path).ok());
        let paths: Vec<PathBuf> = resolved.map(|found| found.absolute).collect();
        crate::tools::git::filters::may_run(tool, self.root(), &paths)
    }

    fn own_subject(
        &self,
        tool: &str,
        arguments: &Value,
        decision: &Decision,
        shelf: &mut Shelf,
    ) -> Subject {
        let text = crate::tools::asked_for(tool, arguments)
            .or_else(|| text_of(arguments, "command").map(str::to_owned))
            .unwrap_or_else(|| arguments.to_string());
        let paths = named_paths(arguments);
        Subject {
            request_id: shelf.request_number(),
            tool_call_id: None,
            fingerprint: String::new(),
            tool: tool.to_owned(),
            kind: decision.kind.to_owned(),
            text,
            paths: self.relative_paths(&paths),
            channel: RequestChannel::Own,
            writes: false,
            command: None,
            own: Vec::new(),
            remember: decision
                .reason
                .may_be_remembered()
                .then(|| self.remembered_call(tool, arguments)),
            shown: self
                .shown_of_call(tool, arguments, &paths)
                .because(self.grounds_of_call(tool, arguments, decision, &paths)),
        }
    }

    /// The person, or the answer given beforehand, settled a question of the gate.
    pub(super) fn own_call_resolved(
        &mut self,
        number: u64,
        subject: &Subject,
        settled: Settled,
        shelf: &mut Shelf,
    ) {
        // No options are offered on a question of the gate: one that is named is no yes.
        let said = match settled {
            Settled::BySetting { allows: true } => Ok(ApprovedBy::Setting),
            Settled::BySetting { allows: false } => Err(No::Setting),
            Settled::ByPerson(PermissionAnswer::Deny { reason, nobody }) => {
                Err(No::told(reason, nobody))
            }
            Settled::ByPerson(PermissionAnswer::Option { .. }) => Err(No::Person(String::new())),
            Settled::ByPerson(PermissionAnswer::Allow) => Ok(ApprovedBy::User),
            Settled::ByPerson(PermissionAnswer::Always) => {
                self.allow_always(subject.remember.as_ref(), shelf);
                Ok(ApprovedBy::User)
            }
        };
        let by = match said {
            Ok(by) => by,
            Err(no) => return self.own_call_refused(number, subject, &no, shelf),
        };
        self.approved(subject, by, shelf);
        self.start_call(number, shelf);
    }

    fn own_call_refused(&mut self, number: u64, subject: &Subject, no: &No, shelf: &mut Shelf) {
        let text = Some(no.for_model(&subject.tool));
        let text = self.denied_by_person(subject, no, text, Way::Result, shelf);
        if let Some(own) = self.own_calls.get_mut(&number) {
            own.denied = Some(subject.request_id);
        }
        let denied = fail(ToolErrorCode::Denied, text.unwrap_or_default());
        self.call_done(number, Err(denied), shelf);
    }

    /// Starts the handler, or queues the call behind others that write one of its files.
    fn start_call(&mut self, number: u64, shelf: &mut Shelf) {
        let Some(own) = self.own_calls.get_mut(&number) else {
            return;
        };
        own.state = State::Queued;
        if self.edits.enter(own.files.clone(), number) {
            self.run_call(number, shelf);
        }
    }

    pub(super) fn run_call(&mut self, number: u64, shelf: &mut Shelf) {
        let Some(own) = self.own_calls.get_mut(&number) else {
            return;
        };
        own.state = State::Running;
        let (tool, arguments) = (own.tool.clone(), own.arguments.clone());
        let cancel = own.cancel.clone();
        for file in own.files.clone() {
            self.carried.changes.note(&file);
        }
        let named = text_of(&arguments, "command").or_else(|| text_of(&arguments, "path"));
        let shown = crate::tools::for_people(&tool, &arguments);
        let what = shown.as_deref().or(named);
        self.own_event(
            number,
            &tool,
            OwnToolStatus::Started,
            what.unwrap_or_default(),
            None,
            shelf,
        );
        if crate::tools::runs_in_engine(&tool) {
            return self.run_in_engine(number, tool, arguments, cancel, shelf);
        }
        let request = HostRequest::Tool {
            name: tool,
            arguments,
        };
        let project = self.root().to_owned();
        shelf.start(HostCall {
            call: number,
            session: self.number,
            project,
            request,
        });
    }
}

/// The paths that a call of ours names, as given.
pub(super) fn named_paths(arguments: &Value) -> Vec<String> {
    let named = ["path", "to", "working_dir", "directory"];
    let listed = arguments.get("paths").and_then(Value::as_array);
    let listed = listed.into_iter().flatten().filter_map(Value::as_str);
    let named = named.iter().filter_map(|name| text_of(arguments, name));
    named.chain(listed).map(str::to_owned).collect()
}

pub(super) fn fail(code: ToolErrorCode, text: String) -> ToolFailure {
    ToolFailure { code, text }
}

fn failure(code: ToolErrorCode, text: &str) -> CallResult {
    CallResult {
        text: fail(code, text.to_owned()).to_string(),
        is_error: true,
    }
}
