//! Calls of our own tools: the gate before the handler, and the handler on the host. What is open, the [table] knows.
//!
//! [table]: crate::session::own_calls::table

use std::time::Instant;

use siderail_guard::decision::{Decision, Verdict};
use siderail_mcp::{CallResult, PendingCall};

use crate::command::PermissionAnswer;
use crate::event::{ApprovedBy, Receipt};
use crate::host::{HostRequest, ToolErrorCode};
use crate::session::Session;
use crate::session::effect::Effect;
use crate::session::guidance::no::No;
use crate::session::guidance::ways::Way;
use crate::session::host_calls::Waiting;
use crate::session::own_calls::call::State;
use crate::session::own_calls::call::fail;
use crate::session::own_calls::outcome;
use crate::session::own_calls::table::Joined;
use crate::session::permissions::judge::{Judged, JudgedCall};
use crate::session::question::RequestedAction;
use crate::session::question::{Ask, Settled};
use crate::shared::Shared;
use crate::views::text_of;

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
        self.turn.expected.arrived(&tool, Some(&arguments));
        self.went_on();
        let call = match self.own.table.join(conn, call, Instant::now()) {
            Joined::New(call) => call,
            Joined::Waits => return,
            Joined::Answered(call, answer) => return self.hand_over(call, answer, shared),
        };
        let denials = &mut self.carried.denials;
        let followed = denials.own_call(&tool, text_of(&arguments, "path"));
        self.apply(followed, shared);
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
        if decision.verdict == Verdict::Deny {
            return self.own_call_denied(call, &requested, &decision, shared);
        }
        // One question is enough: this very call may have been shown when the agent asked.
        let expected = &mut self.turn.expected;
        let asks = decision.verdict == Verdict::Ask
            && !expected.use_up_allowed(&call.name, &call.arguments);
        let state = match asks && cannot_work.is_none() {
            true => State::Asking(requested.request_id),
            false => State::Running,
        };
        let number = shared.call_number();
        let table = &mut self.own.table;
        table.admit(number, (conn, call), state, files, Instant::now());
        match cannot_work {
            _ if !asks => self.start_call(number, shared),
            Some(failed) => self.call_done(number, Err(failed), shared),
            None => self.ask_about_own_call(number, requested, shared),
        }
    }

    fn own_call_denied(
        &mut self,
        call: PendingCall,
        requested: &RequestedAction,
        decision: &Decision,
        shared: &mut Shared,
    ) {
        let request_id = requested.request_id;
        self.announce_request(requested, &[], false, shared);
        let text = self.deny_with_guidance(requested, decision, Way::Result, shared);
        let told = outcome::denied(request_id, &call.name, &text);
        call.complete(failure(ToolErrorCode::Denied, &text));
        self.receipt(request_id, Receipt::Delivered, shared);
        self.apply([told], shared);
    }

    fn ask_about_own_call(&mut self, number: u64, requested: RequestedAction, shared: &mut Shared) {
        let asks = self.carried.options.answer.is_none();
        self.announce_request(&requested, &[], asks, shared);
        if let Some(settled) = self.settled_beforehand() {
            return self.own_call_resolved(number, &requested, settled, shared);
        }
        let request_id = requested.request_id;
        let call = number;
        let ask = Ask::Own { call, requested };
        self.questions.asks.insert(request_id, ask);
    }

    /// The person, or the answer given beforehand, settled a question of the gate.
    pub(in crate::session) fn own_call_resolved(
        &mut self,
        number: u64,
        requested: &RequestedAction,
        settled: Settled,
        shared: &mut Shared,
    ) {
        if matches!(settled, Settled::ByPerson(PermissionAnswer::Always)) {
            self.allow_always(requested.remember.as_ref(), shared);
        }
        match said(settled) {
            Ok(by) => {
                self.approved(requested, by, shared);
                self.start_call(number, shared);
            }
            Err(no) => {
                let text = Some(no.for_model(&requested.tool));
                let text = self.denied_by_person(requested, (&no, text), Way::Result, shared);
                self.own.table.denied(number, requested.request_id);
                let denied = fail(ToolErrorCode::Denied, text.unwrap_or_default());
                self.call_done(number, Err(denied), shared);
            }
        }
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
        self.apply([outcome::started(number, &tool, &arguments)], shared);
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

/// What a question of the gate was settled to. No options are offered on it: one that is named is no yes.
fn said(settled: Settled) -> Result<ApprovedBy, No> {
    match settled {
        Settled::BySetting { allows: true } => Ok(ApprovedBy::Setting),
        Settled::BySetting { allows: false } => Err(No::Setting),
        Settled::ByPerson(PermissionAnswer::Allow | PermissionAnswer::Always) => {
            Ok(ApprovedBy::User)
        }
        Settled::ByPerson(PermissionAnswer::Deny { reason, nobody }) => {
            Err(No::told(reason, nobody))
        }
        Settled::ByPerson(PermissionAnswer::Option { .. }) => Err(No::Person(String::new())),
    }
}

fn failure(code: ToolErrorCode, text: &str) -> CallResult {
    CallResult {
        text: fail(code, text.to_owned()).to_string(),
        is_error: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_yes_to_the_call_itself_lets_it_run() {
        let by_person = |answer| said(Settled::ByPerson(answer));
        assert_eq!(
            by_person(PermissionAnswer::Allow).ok(),
            Some(ApprovedBy::User)
        );
        assert_eq!(
            by_person(PermissionAnswer::Always).ok(),
            Some(ApprovedBy::User)
        );
        let id = "allow".to_owned();
        assert!(by_person(PermissionAnswer::Option { id }).is_err());
        let by_setting = |allows| said(Settled::BySetting { allows });
        assert_eq!(by_setting(true).ok(), Some(ApprovedBy::Setting));
        assert!(matches!(by_setting(false), Err(No::Setting)));
    }
}
