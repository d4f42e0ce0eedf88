//! Calls of our own tools: the gate before the handler, and the handler on the host. What is open, the [table] knows.
//!
//! [table]: crate::session::own_calls::table

use std::path::PathBuf;
use std::time::Instant;

use siderail_guard::decision::Verdict;
use siderail_mcp::{CallResult, PendingCall};

use crate::command::PermissionAnswer;
use crate::event::{ApprovedBy, OwnToolStatus, Receipt};
use crate::host::{HostRequest, ToolErrorCode};
use crate::session::Session;
use crate::session::effect::Effect;
use crate::session::guidance::no::No;
use crate::session::guidance::ways::Way;
use crate::session::host_calls::Waiting;
use crate::session::own_calls::call::State;
use crate::session::own_calls::call::fail;
use crate::session::own_calls::table::Joined;
use crate::session::permissions::judge::{Judged, JudgedCall};
use crate::session::permissions::question::RequestedAction;
use crate::session::permissions::question::{Ask, Settled};
use crate::session::views::text_of;
use crate::shared::Shared;

impl Session {
    /// A tool call arrived at our server.
    pub(in crate::session) fn own_call(
        &mut self,
        conn: u64,
        mut call: PendingCall,
        shared: &mut Shared,
    ) {
        call.name = self.facts.names.own_name(&call.name).to_owned();
        let (tool, arguments) = (call.name.clone(), call.arguments.clone());
        if self.is_stopping() {
            return call.complete(failure(ToolErrorCode::Cancelled, "the session is ending"));
        }
        self.own_call_arrived(&tool, Some(&arguments));
        self.went_on();
        let call = match self.own.table.join(conn, call, Instant::now()) {
            Joined::New(call) => call,
            Joined::Waits => return,
            Joined::Answered(call, answer) => return self.hand_over(call, answer, shared),
        };
        self.followed(&tool, text_of(&arguments, "path"), shared);
        let judge = self.judge(shared);
        if let Some(judged) = judge.call_at_once(&tool, &arguments) {
            return self.own_call_gated(conn, call, judged, shared);
        }
        self.look_up(
            shared,
            move |sight| judge.with(sight).call(&tool, &arguments),
            move |session, judged, shared| session.own_call_gated(conn, call, judged, shared),
        );
    }

    /// The gate has spoken.
    fn own_call_gated(
        &mut self,
        conn: u64,
        call: PendingCall,
        judged: JudgedCall,
        shared: &mut Shared,
    ) {
        let (tool, arguments) = (call.name.clone(), call.arguments.clone());
        let JudgedCall {
            judged,
            cannot_work,
            files,
        } = judged;
        let Judged {
            decision,
            mut requested,
        } = judged;
        requested.request_id = shared.request_number();
        match decision.verdict {
            Verdict::Deny => {
                self.announce_request(&requested, &[], false, shared);
                let text = self.deny_with_guidance(&requested, &decision, Way::Result, shared);
                call.complete(failure(ToolErrorCode::Denied, &text));
                self.receipt(requested.request_id, Receipt::Delivered, shared);
                self.own_event(
                    requested.request_id,
                    &tool,
                    OwnToolStatus::Denied,
                    &text,
                    None,
                    shared,
                );
            }
            Verdict::Allow => {
                let number = self.admit(conn, call, State::Running, files, shared);
                self.start_call(number, shared);
            }
            // One question is enough: this very call was shown when the agent asked.
            Verdict::Ask if self.was_allowed_as_asked(&tool, &arguments) => {
                let number = self.admit(conn, call, State::Running, files, shared);
                self.start_call(number, shared);
            }
            Verdict::Ask => {
                if let Some(failed) = cannot_work {
                    let number = self.admit(conn, call, State::Running, files, shared);
                    return self.call_done(number, Err(failed), shared);
                }
                let state = State::Asking(requested.request_id);
                let number = self.admit(conn, call, state, files, shared);
                let asks = self.carried.options.answer.is_none();
                self.announce_request(&requested, &[], asks, shared);
                match self.settled_beforehand() {
                    Some(settled) => self.own_call_resolved(number, &requested, settled, shared),
                    None => {
                        let request_id = requested.request_id;
                        self.questions.asks.insert(
                            request_id,
                            Ask::Own {
                                call: number,
                                requested,
                            },
                        );
                    }
                }
            }
        }
    }

    fn admit(
        &mut self,
        conn: u64,
        call: PendingCall,
        state: State,
        files: Vec<PathBuf>,
        shared: &mut Shared,
    ) -> u64 {
        let number = shared.call_number();
        let table = &mut self.own.table;
        table.admit(number, (conn, call), state, files, Instant::now());
        number
    }

    /// The person, or the answer given beforehand, settled a question of the gate.
    pub(in crate::session) fn own_call_resolved(
        &mut self,
        number: u64,
        requested: &RequestedAction,
        settled: Settled,
        shared: &mut Shared,
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
                self.allow_always(requested.remember.as_ref(), shared);
                Ok(ApprovedBy::User)
            }
        };
        let by = match said {
            Ok(by) => by,
            Err(no) => return self.own_call_refused(number, requested, &no, shared),
        };
        self.approved(requested, by, shared);
        self.start_call(number, shared);
    }

    fn own_call_refused(
        &mut self,
        number: u64,
        requested: &RequestedAction,
        no: &No,
        shared: &mut Shared,
    ) {
        let text = Some(no.for_model(&requested.tool));
        let text = self.denied_by_person(requested, (no, text), Way::Result, shared);
        self.own.table.denied(number, requested.request_id);
        let denied = fail(ToolErrorCode::Denied, text.unwrap_or_default());
        self.call_done(number, Err(denied), shared);
    }

    /// Starts the handler, or queues the call behind others that write one of its files.
    fn start_call(&mut self, number: u64, shared: &mut Shared) {
        if self.own.table.start(number) {
            self.run_call(number, shared);
        }
    }

    pub(in crate::session) fn run_call(&mut self, number: u64, shared: &mut Shared) {
        let Some(files) = self.own.table.run(number) else {
            return;
        };
        self.watch(files, shared, move |session, shared| {
            session.run_watched(number, shared);
        });
    }

    /// What its files were is kept by now.
    fn run_watched(&mut self, number: u64, shared: &mut Shared) {
        let Some(own) = self.own.table.get(number) else {
            return;
        };
        let (tool, arguments) = (own.tool.clone(), own.arguments.clone());
        let cancel = own.cancel.clone();
        let named = text_of(&arguments, "command").or_else(|| text_of(&arguments, "path"));
        let shown = crate::tools::for_people(&tool, &arguments);
        let what = shown.as_deref().or(named);
        self.own_event(
            number,
            &tool,
            OwnToolStatus::Started,
            what.unwrap_or_default(),
            None,
            shared,
        );
        if crate::tools::runs_in_engine(&tool) {
            return self.run_in_engine(number, tool, arguments, cancel, shared);
        }
        let request = HostRequest::Tool {
            name: tool,
            arguments,
        };
        self.apply([Effect::Call(number, request, Waiting::OwnCall)], shared);
    }
}

fn failure(code: ToolErrorCode, text: &str) -> CallResult {
    CallResult {
        text: fail(code, text.to_owned()).to_string(),
        is_error: true,
    }
}
