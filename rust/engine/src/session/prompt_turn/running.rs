//! Prompts, their end, continuations, cancelling, and silence.

use std::time::Instant;

use serde_json::{Value, json, value::RawValue};
use siderail_acp::requests;
use siderail_acp::tool_call::ToolCall;
use siderail_acp::wire::{RpcError, message};
use siderail_guard::Tool;
use siderail_workspace::Project;

use crate::delivery::{Continuation, Guidance};
use crate::event::{EventBody, PromptOrigin, Receipt, StopReason};
use crate::planning::AfterTurn;
use crate::session::effect::Effect;
use crate::session::guidance::denials::tell_receipts;
use crate::session::own_calls::host_work::HostWork;
use crate::session::prompt_turn::PromptTurn;
use crate::session::prompt_turn::content::{self, Content};
use crate::session::prompt_turn::ending::{Answer, continuation, turn_ended};
use crate::session::prompt_turn::prompt::{Prompt, Sent};
use crate::session::time_spans::seconds;
use crate::session::worker::Sight;
use crate::session::{CANCEL, Input, Session, Tag};
use crate::shared::Shared;

/// Ended tool calls that are remembered, since agents may speak of an end again.
const ENDED_CALLS: usize = 4096;

impl Session {
    /// A user prompt; it waits while a turn runs. `plan`: a plan is wanted first.
    pub(crate) fn prompt(&mut self, text: String, sent: Sent, plan: bool, shared: &mut Shared) {
        let origin = PromptOrigin::User;
        self.carried.queue.push_back(Prompt {
            text,
            origin,
            sent,
            plan,
        });
        self.next_prompt(shared);
    }

    /// Sends the next waiting prompt when the session is idle.
    pub(in crate::session) fn next_prompt(&mut self, shared: &mut Shared) {
        let is_busy = self.is_prompting()
            || self.agent_settings.pending.is_some()
            || self.carried.planning.is_proposed()
            || self.lifecycle.lacks_login();
        if !self.lifecycle.is_ready() || is_busy {
            return;
        }
        if let Some(prompt) = self.carried.queue.pop_front() {
            // Others wait here for a login only, and go on where they were.
            if prompt.origin == PromptOrigin::User {
                self.begin_task(prompt.plan, shared);
            }
            self.prepare_prompt(prompt, shared);
        }
    }

    /// A user's prompt is a task of its own.
    fn begin_task(&mut self, plan: bool, shared: &mut Shared) {
        self.drop_waiting(shared);
        self.carried
            .changes
            .forget(self.carried.files_written.len());
        self.carried.denials.user_prompt();
        match plan {
            true => self.planner().begin(),
            false => self.carried.planning.over(),
        }
    }

    /// Sends a prompt, once the files that go along are looked at.
    pub(in crate::session) fn send_prompt(&mut self, mut prompt: Prompt, shared: &mut Shared) {
        self.goes_on_anew(shared);
        self.carried.sends_again = false;
        let initialized = self.lifecycle.handshake.initialized.as_ref();
        let agent = initialized.filter(|_| prompt.origin == PromptOrigin::User);
        let running = prompt.clone();
        let (text, sent) = (prompt.text.clone(), std::mem::take(&mut prompt.sent));
        let capabilities = match agent {
            Some(agent) if sent.blocks.is_empty() => agent.capabilities.clone(),
            _ => {
                let blocks = match sent.blocks.is_empty() {
                    true => vec![json!({"type": "text", "text": text})],
                    false => sent.blocks,
                };
                return self.send_blocks(running, sent.meta, blocks, shared);
            }
        };
        let (root, roots) = (self.root().to_owned(), self.place.further_roots());
        let attachments = sent.attachments;
        let is_text_alone = !content::has_more(&text, &attachments);
        let find = move |sight| match sight {
            Sight::Clear => {
                let project = Project {
                    folder: &root,
                    roots: &roots,
                };
                content::resolve(project, &text, &attachments, &capabilities)
            }
            Sight::Blind => content::text_alone(&text, &attachments),
        };
        let meta = sent.meta;
        let send = move |session: &mut Self, content: Content, shared: &mut Shared| {
            for why in content.left_out {
                session.notice(&format!("not sent with the prompt: {why}"), shared);
            }
            session.send_blocks(running, meta, content.blocks, shared);
        };
        match is_text_alone {
            true => send(self, find(Sight::Blind), shared),
            false => self.look_up(shared, find, send),
        }
    }

    fn send_blocks(
        &mut self,
        running: Prompt,
        meta: Value,
        mut blocks: Vec<Value>,
        shared: &mut Shared,
    ) {
        let (text, origin, plan) = (running.text.clone(), running.origin, running.plan);
        if plan {
            let (also, started) = self.planner().started();
            self.apply([started], shared);
            blocks.push(json!({"type": "text", "text": also}));
        }
        if self.is_prompting() {
            return self.carried.queue.push_front(running);
        }
        let Some(acp) = &mut self.lifecycle.handshake.acp else {
            return;
        };
        let mut params = json!({"sessionId": acp.id(), "prompt": blocks});
        if !meta.is_null() {
            params["_meta"] = meta;
        }
        let (request, line) = self.wire.request(requests::PROMPT, &params, Tag::Prompt);
        acp.begin_turn(request)
            .expect("a prompt is only sent while the session is idle");
        self.carried.n_turns += 1;
        self.wire.heard = Instant::now();
        let over = self.carried.denials.close_refusals(&mut self.turn.denials);
        self.apply(over, shared);
        self.turn = PromptTurn::of(running, std::mem::take(&mut self.turn));
        if self.guidance.ended.len() > ENDED_CALLS {
            self.guidance.ended.clear();
        }
        self.emit(EventBody::TurnStarted { origin, text }, shared);
        self.send(line, shared);
    }

    /// Whether the turn or the session is to end: nothing is begun for the agent any more.
    pub(in crate::session) fn is_stopping(&self) -> bool {
        self.turn.cancelling.is_some() || self.is_closing()
    }

    pub(in crate::session) fn is_prompting(&self) -> bool {
        self.lifecycle
            .handshake
            .acp
            .as_ref()
            .is_some_and(|acp| acp.running_prompt().is_some())
    }

    /// The answer to `session/prompt`. A host that tidies does so before the turn ends, so that this belongs to the
    /// changes of the turn; not where guidance may send the agent on.
    pub(in crate::session) fn prompt_response(
        &mut self,
        outcome: Result<Box<RawValue>, RpcError>,
        shared: &mut Shared,
    ) {
        let tidies = (shared.host.tools()).contains(&Tool::OptimizeImports.name());
        if !tidies
            || self.carried.changes.is_empty()
            || self.turn.denials.reject_stands
            || !self.is_prompting()
        {
            return self.prompt_finished(outcome, shared);
        }
        let host_work = HostWork::new(self.carried.number, shared.inputs.clone());
        let (session, inputs) = (self.carried.number, shared.inputs.clone());
        tokio::spawn(async move {
            host_work.finish_turn().await;
            // The engine outlives its sessions' tasks; without it nobody waits.
            let _ = inputs
                .send(Input::PromptAnswered { session, outcome })
                .await;
        });
    }

    /// The same, when the host has tidied, or takes too long: what the turn has changed is looked at.
    pub(in crate::session) fn prompt_finished(
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
        // A prompt that nobody wants any more needs no login, nor one whose plan is turned down.
        let is_over = self.carried.planning.is_dropped() && self.asks_person();
        let is_unwanted = self.turn.cancelling.is_some() || is_over;
        let lacks_login =
            answer.lacks_login() && !is_unwanted && self.lifecycle.handshake.client.is_none();
        let failed = self.turn.running.take();
        if let Some(failed) = failed.filter(|_| lacks_login && self.asks_person()) {
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
        self.settle_expected(was_cut_off, shared);
        let ended = self.lifecycle.handshake.acp.as_mut().and_then(|acp| {
            let reason = siderail_acp::prompt::StopReason::read(reason.as_str());
            acp.end_turn(acp.running_prompt()?, Some(&reason))
        });
        for call in ended.into_iter().flat_map(|end| end.unfinished) {
            self.tool_call_changed(&call, shared);
        }
        let ended = self.turn.end(reason, error.is_some());
        if ended.cancelled.is_some() || self.is_closing() {
            self.close_questions(shared);
            self.stop_own_calls(shared);
        } else {
            self.close_requests(shared);
        }
        self.lifecycle.turn_ended();
        let ignored = self.carried.denials.turn_ended(self.carried.n_turns);
        self.apply(ignored, shared);
        let is_ready = self.lifecycle.is_ready();
        let next = match is_ready && ended.may_continue(self.turn.denials.reject_stands) {
            true => self.carried.denials.continuation(),
            false => Continuation::NotNeeded,
        };
        let is_due = matches!(next, Continuation::Due { .. });
        let sent_again = self.lifecycle.lacks_login();
        let mut plan = AfterTurn::Idle;
        if !is_due && !sent_again {
            match is_ready && ended.keeps_plan() {
                true => plan = self.carried.planning.turn_ended(ended.is_well()),
                false => self.carried.planning.over(),
            }
        }
        // The steps of the work end with its turn.
        let steps = (!sent_again).then(|| self.carried.planning.finished());
        if let Some(entries) = steps.flatten().filter(|_| ended.is_well() && !is_due) {
            self.emit(EventBody::Plan { entries }, shared);
        }
        let plan_continues = matches!(
            plan,
            AfterTurn::Propose | AfterTurn::Revise(_) | AfterTurn::Work
        );
        let continues = sent_again || is_due || plan_continues;
        self.tell_changes(shared);
        self.apply([turn_ended(ended.stop_reason, continues, error)], shared);
        match next {
            Continuation::Due { attempt, guidance } => {
                return self.continue_turn(attempt, &guidance, shared);
            }
            Continuation::Exhausted(attempts) => {
                self.emit(EventBody::RetryExhausted { attempts }, shared);
            }
            Continuation::NotNeeded => {}
        }
        let effects = self.planner().go_on(plan, || shared.request_number());
        self.apply(effects, shared);
    }

    /// Ladder step 5: the denial ended the turn, so the guidance is the next prompt.
    fn continue_turn(&mut self, attempt: u32, waiting: &[Guidance], shared: &mut Shared) {
        let prompt = continuation(waiting);
        let text = prompt.text.clone();
        self.emit(EventBody::AutoRetry { attempt, text }, shared);
        self.send_prompt(prompt, shared);
        self.apply(tell_receipts(waiting, Receipt::Delivered), shared);
    }

    /// The user cancels: every open question is answered, own calls end, the agent is told.
    pub(crate) fn cancel(&mut self, shared: &mut Shared) {
        self.carried.queue.clear();
        if self.turn.cancelling == Some(StopReason::PlanRejected) {
            // No other plan is wanted any more.
            self.turn.cancelling = Some(StopReason::Cancelled);
        }
        self.cancel_turn(StopReason::Cancelled, shared);
    }

    pub(in crate::session) fn cancel_turn(&mut self, why: StopReason, shared: &mut Shared) {
        if self.turn.cancelling.is_some() {
            return;
        }
        if self.lifecycle.ends_by_cancel(self.carried.sends_again) {
            return self.end(Some(why), shared);
        }
        self.drop_waiting(shared);
        self.close_questions(shared);
        self.cancel_unsent(&why, shared);
        if self.is_prompting() {
            return self.cancel_running(why, shared);
        }
        // What agents do in the background has no turn to be cancelled.
        if !self.own.table.is_empty() {
            self.stop_own_calls(shared);
        }
        self.close_agent_requests(shared);
    }

    /// Ends a turn that is not over yet, but whose prompt is in no agent's hands: it waits for a login or a setting.
    fn cancel_unsent(&mut self, why: &StopReason, shared: &mut Shared) {
        let lacks_login = self.lifecycle.lacks_login();
        if lacks_login {
            self.lifecycle.login_ended();
            let line = self.wire.abandon_login();
            self.send_some(line, shared);
        }
        let gave_up = lacks_login || std::mem::take(&mut self.carried.sends_again);
        if self.agent_settings.pending.take().is_some() || gave_up {
            self.carried.planning.over();
            self.turn.stop_reason = Some(why.clone());
            self.apply([turn_ended(why.clone(), false, None)], shared);
        }
    }

    /// Tells the agent to end its turn, which it has some time for.
    fn cancel_running(&mut self, why: StopReason, shared: &mut Shared) {
        self.turn.cancelling = Some(why);
        self.lifecycle.await_end_of_turn(Instant::now() + CANCEL);
        self.stop_own_calls(shared);
        let Some(acp) = &mut self.lifecycle.handshake.acp else {
            return;
        };
        let line = message::notification(requests::CANCEL, &json!({"sessionId": acp.id()}));
        let is_open = |call: &&ToolCall| call.is_open();
        let open = acp.tool_calls().filter(is_open).map(|call| call.id.clone());
        let open: Vec<String> = open.collect();
        acp.cancel();
        self.send(line, shared);
        self.close_agent_requests(shared);
        for call in open {
            self.tool_call_changed(&call, shared);
        }
    }

    /// Guidance that found no way to the model comes too late: another task is on, or none.
    pub(in crate::session) fn drop_waiting(&mut self, shared: &mut Shared) {
        let late = self.carried.denials.drop_waiting();
        self.apply(late, shared);
    }

    /// The model has gone on after whatever was denied.
    pub(in crate::session) fn went_on(&mut self) {
        self.turn.denials.reject_stands = false;
    }

    /// The agent did not end its cancelled turn: it is ended without it.
    pub(in crate::session) fn cancel_overdue(&mut self, now: Instant, shared: &mut Shared) {
        let why = (self.turn.cancelling.clone()).unwrap_or(StopReason::Cancelled);
        let text = format!(
            "the agent did not end the cancelled turn within {} ({}); its session is ended",
            seconds(CANCEL),
            self.waits_for(now)
        );
        let text = self.with_last_words(text);
        self.notice(&text, shared);
        self.end(Some(why), shared);
    }

    /// When the agent has been silent for too long; none while somebody else is awaited.
    pub(in crate::session) fn inactivity_deadline(&self) -> Option<Instant> {
        let waits = self.is_prompting()
            && self.turn.cancelling.is_none()
            && self.questions.asks.is_empty()
            && self.elicitations.is_empty()
            && !self.lifecycle.handshake.waits_for_client()
            && self.own.table.is_answered()
            && !self.terminals.is_awaited();
        waits.then(|| self.wire.heard + self.carried.options.settings.inactivity)
    }

    pub(in crate::session) fn inactive(&mut self, now: Instant, shared: &mut Shared) {
        let text = format!(
            "nothing came from the agent for {}: {}. Its turn is cancelled; raise the inactivity setting for an \
             agent that needs longer",
            seconds(self.carried.options.settings.inactivity),
            self.waits_for(now)
        );
        let body = EventBody::InactivityTimeout {
            seconds: self.carried.options.settings.inactivity.as_secs(),
            text: self.with_last_words(text),
        };
        self.emit(body, shared);
        self.cancel_turn(StopReason::Inactivity, shared);
    }
}
