//! Ends a prompt turn, from the agent's answer to what follows. `prompt_turn` says what the answer means, and what
//! follows.

use serde_json::value::RawValue;
use siderail_acp::wire::RpcError;
use siderail_guard::Tool;

use crate::delivery::{Continuation, Guidance};
use crate::event::{AutoRetry, EventBody, Receipt, RetryExhausted, StopReason};
use crate::session::effect::Effect;
use crate::session::guidance::after_turn::{Follows, TurnContext};
use crate::session::guidance::denials::tell_receipts;
use crate::session::own_calls::host_work::HostWork;
use crate::session::prompt_turn::ending::{Answer, LoginContext, continuation, turn_ended};
use crate::session::{Input, Session};
use crate::shared::Shared;

impl Session {
    /// The answer to `session/prompt`. A host that tidies does so before the turn ends.
    pub(super) fn prompt_response(
        &mut self,
        outcome: Result<Box<RawValue>, RpcError>,
        shared: &mut Shared,
    ) {
        let tidies = (shared.host.tools()).contains(&Tool::OptimizeImports);
        let has_changed = !self.carried.changes.is_empty();
        if !tidies || !self.turn.is_tidied(has_changed) || !self.is_prompting() {
            return self.prompt_finished(outcome, shared);
        }
        let host_work = HostWork::new(self.carried.number, shared.inputs.clone());
        let session = self.carried.number;
        shared.spawn(async move {
            host_work.finish_turn().await;
            Input::PromptAnswered { session, outcome }
        });
    }

    /// The same, when the host has tidied, or takes too long: what the turn has changed is looked at.
    pub(super) fn prompt_finished(
        &mut self,
        outcome: Result<Box<RawValue>, RpcError>,
        shared: &mut Shared,
    ) {
        // A file that is tidied after the turn's end could not be reverted.
        let late = self.wire.host_calls.forget_unheard();
        self.apply(late.into_iter().map(Effect::StopCall), shared);
        self.after_a_look(shared, move |session, shared| {
            session.prompt_answered(outcome, shared);
        });
    }

    /// The answer to `session/prompt`: everything the agent sent before it has been dealt with.
    fn prompt_answered(&mut self, outcome: Result<Box<RawValue>, RpcError>, shared: &mut Shared) {
        if !self.is_prompting() {
            // The turn was ended without waiting for it.
            return;
        }
        self.tell_client_prompt_answered(&outcome, shared);
        let answer = Answer::read(outcome);
        if let Some(tokens) = &answer.usage {
            self.emit(self.carried.agent_notices.turn(tokens), shared);
        }
        let asks_person = self.asks_person();
        let context = LoginContext {
            asks_person,
            is_plan_dropped: self.carried.planning.state.is_dropped(),
            has_client: self.lifecycle.peers.client.is_some(),
        };
        let lacks_login = self.turn.needs_login(&answer, context);
        let failed = self.turn.running.prompt.take();
        if let Some(failed) = failed.filter(|_| lacks_login && asks_person) {
            let prompt = self.planner().prompt_after_login(failed);
            self.lifecycle.prompt_lacks_login(prompt);
        }
        let error = answer.error;
        let text = error.as_ref().map(ToString::to_string);
        self.end_turn(answer.stop_reason, text, shared);
        if let Some(error) = error.filter(|_| lacks_login) {
            self.login_needed(&error, shared);
        }
    }

    /// Ends the running turn, however it came to its end.
    pub(in crate::session) fn end_turn(
        &mut self,
        reason: StopReason,
        error: Option<String>,
        shared: &mut Shared,
    ) {
        // Before the calls that it leaves open are closed as failed: that is our word, not the agent's.
        let was_cut_off = self.is_closing() || self.turn.is_cut_off(&reason);
        let missing = self.turn.expected.settle(was_cut_off);
        self.own_calls_missing(missing, shared);
        let ended =
            self.lifecycle.peers.acp.as_mut().and_then(|acp| {
                acp.end_turn(acp.running_prompt()?, reason == StopReason::Cancelled)
            });
        for call in ended.into_iter().flat_map(|end| end.unfinished) {
            self.tool_call_changed(&call, shared);
        }
        let ended = self.turn.end(reason, error.is_some());
        if ended.closes_all(self.is_closing()) {
            self.close_questions(shared);
            self.stop_own_calls(shared);
        } else {
            self.close_requests(shared);
        }
        self.lifecycle.turn_ended();
        let ignored = self.carried.denials.turn_ended(self.carried.n_turns);
        self.apply(ignored, shared);
        let context = TurnContext {
            is_ready: self.lifecycle.is_ready(),
            reject_stands: self.turn.denials.reject_stands,
            sent_again: self.lifecycle.lacks_login(),
        };
        let (denials, planning) = (&mut self.carried.denials, &mut self.carried.planning.state);
        let follows = Follows::new(&ended, context, denials, planning);
        self.apply(follows.steps, shared);
        self.tell_changes(shared);
        let told = turn_ended(ended.stop_reason, follows.continues, error);
        self.apply([told], shared);
        match follows.continuation {
            Continuation::Due { attempt, guidance } => {
                return self.continue_turn(attempt, &guidance, shared);
            }
            Continuation::Exhausted(attempts) => {
                self.emit(
                    EventBody::RetryExhausted(RetryExhausted { attempts }),
                    shared,
                );
            }
            Continuation::NotNeeded => {}
        }
        let mut planner = self.planner();
        let effects = planner.go_on(follows.plan, || shared.request_number());
        self.apply(effects, shared);
    }

    /// Ladder step 5: the denial ended the turn, so the guidance is the next prompt.
    fn continue_turn(&mut self, attempt: u32, waiting: &[Guidance], shared: &mut Shared) {
        let prompt = continuation(waiting);
        let text = prompt.text.clone();
        self.emit(EventBody::AutoRetry(AutoRetry { attempt, text }), shared);
        self.send_prompt(prompt, shared);
        self.apply(tell_receipts(waiting, Receipt::Delivered), shared);
    }
}
