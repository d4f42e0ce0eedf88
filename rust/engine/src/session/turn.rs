//! Prompts, their end, continuations, cancelling, and silence.

use std::time::Instant;

use serde_json::{Value, json, value::RawValue};
use siderail_acp::prompt::{PromptResult, StopReason};
use siderail_acp::requests;
use siderail_acp::tool_call::ToolCall;
use siderail_acp::wire::{RpcError, codes, message};
use siderail_guard::guidance;

use super::awaited::{Unanswered, seconds};
use super::errands::Errands;
use super::login::Missing;
use super::mentions;
use super::prompt::{Prompt, Sent};
use super::prompt_turn::PromptTurn;
use super::{CANCEL, Input, Limit, OwnCall, Phase, Session, Tag};
use crate::delivery::{Continuation, Guidance};
use crate::event::{EventBody, LogKind, PromptOrigin, Receipt};
use crate::planning::AfterTurn;
use crate::shelf::Shelf;

/// Why a turn is cancelled that an agent would go on with although its plan was rejected.
pub(super) const PLAN_REJECTED: &str = "plan_rejected";
/// Ended tool calls that are remembered, since agents may speak of an end again.
const ENDED_CALLS: usize = 4096;

impl Session {
    /// A user prompt; it waits while a turn runs. `plan`: a plan is wanted first.
    pub(crate) fn prompt(&mut self, text: String, sent: Sent, plan: bool, shelf: &mut Shelf) {
        let origin = PromptOrigin::User;
        self.carried.queue.push_back(Prompt {
            text,
            origin,
            sent,
            plan,
        });
        self.next_prompt(shelf);
    }

    /// Sends the next waiting prompt when the session is idle.
    pub(super) fn next_prompt(&mut self, shelf: &mut Shelf) {
        let is_busy =
            self.is_prompting() || self.pending.is_some() || self.carried.planning.is_proposed();
        let is_busy = is_busy || self.login_missing.is_some();
        if self.phase != Phase::Ready || is_busy {
            return;
        }
        if let Some(prompt) = self.carried.queue.pop_front() {
            // Others wait here for a login only, and go on where they were.
            if prompt.origin == PromptOrigin::User {
                self.begin_task(prompt.plan, shelf);
            }
            self.prepare_prompt(prompt, shelf);
        }
    }

    /// A user's prompt is a task of its own.
    fn begin_task(&mut self, plan: bool, shelf: &mut Shelf) {
        self.drop_waiting(shelf);
        self.carried
            .changes
            .forget(self.carried.files_written.len());
        self.carried.delivery.user_prompt();
        self.carried.tracker.on_user_prompt();
        self.carried.tracker.reset_turn();
        match plan {
            true => self.begin_planning(),
            false => self.carried.planning.over(),
        }
    }

    pub(super) fn send_prompt(&mut self, prompt: Prompt, shelf: &mut Shelf) {
        self.goes_on_anew(shelf);
        let running = prompt.clone();
        self.carried.sends_again = false;
        let Prompt {
            text,
            origin,
            sent,
            plan,
        } = prompt;
        let meta = sent.meta.clone();
        let mut blocks = self.content_blocks(&text, origin, sent, shelf);
        if plan {
            let also = self.tell_planning(shelf);
            blocks.push(json!({"type": "text", "text": also}));
        }
        let Some(acp) = &mut self.acp else { return };
        let mut params = json!({"sessionId": acp.id(), "prompt": blocks});
        if !meta.is_null() {
            params["_meta"] = meta;
        }
        let (request, line) = self
            .connection
            .request(requests::PROMPT, &params, Tag::Prompt);
        let open = Unanswered::new(requests::PROMPT);
        self.unanswered.insert(request, open);
        acp.begin_turn(request)
            .expect("a prompt is only sent while the session is idle");
        self.carried.n_turns += 1;
        self.heard = Instant::now();
        self.close_refusals(shelf);
        self.turn = PromptTurn::of(running, std::mem::take(&mut self.turn));
        if self.ended.len() > ENDED_CALLS {
            self.ended.clear();
        }
        self.emit(EventBody::TurnStarted { origin, text }, shelf);
        self.send(line, shelf);
    }

    /// What the agent gets for a prompt; what cannot go along is told.
    fn content_blocks(
        &self,
        text: &str,
        origin: PromptOrigin,
        sent: Sent,
        shelf: &mut Shelf,
    ) -> Vec<Value> {
        if !sent.blocks.is_empty() {
            return sent.blocks;
        }
        let initialized = self
            .initialized
            .as_ref()
            .filter(|_| origin == PromptOrigin::User);
        let Some(agent) = initialized else {
            return vec![json!({"type": "text", "text": text})];
        };
        let content = mentions::resolve(self.root(), text, &sent.attachments, &agent.capabilities);
        for why in content.left_out {
            let kind = LogKind::Notice;
            let text = format!("not sent with the prompt: {why}");
            self.emit(EventBody::AgentLog { kind, text }, shelf);
        }
        content.blocks
    }

    pub(super) fn is_prompting(&self) -> bool {
        self.acp
            .as_ref()
            .is_some_and(|acp| acp.running_prompt().is_some())
    }

    /// The answer to `session/prompt`. A host that tidies does so before the turn ends, so that this belongs to the
    /// changes of the turn; not where guidance may send the agent on.
    pub(super) fn prompt_response(
        &mut self,
        outcome: Result<Box<RawValue>, RpcError>,
        shelf: &mut Shelf,
    ) {
        let tidies = shelf.host.tools().contains(&"optimize_imports");
        if !tidies
            || self.carried.changes.is_empty()
            || self.turn.reject_stands
            || !self.is_prompting()
        {
            return self.prompt_answered(outcome, shelf);
        }
        let errands = Errands::new(self.number, shelf.inputs.clone());
        let (session, inputs) = (self.number, shelf.inputs.clone());
        tokio::spawn(async move {
            errands.finish_turn().await;
            // The engine outlives its sessions' tasks; without it nobody waits.
            let _ = inputs
                .send(Input::PromptAnswered { session, outcome })
                .await;
        });
    }

    /// The answer to `session/prompt`: everything the agent sent before it has been dealt with.
    pub(super) fn prompt_answered(
        &mut self,
        outcome: Result<Box<RawValue>, RpcError>,
        shelf: &mut Shelf,
    ) {
        if !self.is_prompting() {
            // The turn was ended without waiting for it.
            return;
        }
        self.tell_client_prompt_answered(&outcome, shelf);
        let (reason, error) = match outcome {
            Ok(result) => {
                let result = PromptResult::read(&result);
                if let Some(tokens) = &result.usage {
                    self.emit(self.carried.asides.turn(tokens), shelf);
                }
                match result.stop_reason.as_str() {
                    "" => ("error".to_owned(), Some(no_stop_reason())),
                    reason => (reason.to_owned(), None),
                }
            }
            Err(e) if e.code == codes::REQUEST_CANCELLED => ("cancelled".to_owned(), None),
            Err(e) => ("error".to_owned(), Some(e)),
        };
        // A prompt that nobody wants any more needs no login, nor one whose plan is turned down.
        let is_over = self.carried.planning.is_dropped() && self.asks_person();
        let login = self.turn.cancelling.is_none()
            && self.client.is_none()
            && !is_over
            && error
                .as_ref()
                .is_some_and(|e| e.code == codes::AUTH_REQUIRED);
        let prompt = self
            .turn
            .running
            .take()
            .filter(|_| login && self.asks_person());
        if let Some(failed) = prompt {
            let prompt = self.prompt_after_login(failed);
            self.login_missing = Some(Missing::Prompt(prompt));
        }
        self.end_turn(&reason, error.as_ref().map(ToString::to_string), shelf);
        if let Some(error) = error.filter(|_| login) {
            self.login_needed(&error, shelf);
        }
    }

    /// Ends the running turn, however it came to its end.
    pub(super) fn end_turn(&mut self, reason: &str, error: Option<String>, shelf: &mut Shelf) {
        // Before the calls that it leaves open are closed as failed: that is our word, not the agent's. An agent
        // may cancel its turn by itself after a no, with whatever it had begun beside it.
        let gave_up = reason == "cancelled" && self.turn.reject_stands;
        let was_cut_off = self.turn.cancelling.is_some() || self.is_closing() || gave_up;
        self.settle_expected(was_cut_off, shelf);
        let ended = self
            .acp
            .as_mut()
            .and_then(|acp| acp.end_turn(acp.running_prompt()?, Some(&StopReason::read(reason))));
        for call in ended.into_iter().flat_map(|end| end.unfinished) {
            self.tool_call_changed(&call, shelf);
        }
        let cancelled = self.turn.cancelling.take();
        if cancelled.is_some() || self.is_closing() {
            self.close_questions(shelf);
            self.stop_own_calls(shelf);
        } else {
            self.close_requests(shelf);
        }
        let reason = cancelled.unwrap_or(reason).to_owned();
        self.stop_reason = Some(reason.clone());
        if self.limit.is_some_and(|(_, limit)| limit == Limit::Cancel) {
            self.limit = None;
        }
        let ignored = self.carried.delivery.turn_ended(self.carried.n_turns);
        self.ignored(&ignored, shelf);
        let next = match (cancelled, self.phase) {
            // What the agent went on after is no reason to send it on.
            (None, Phase::Ready) if error.is_none() && self.turn.reject_stands => {
                self.carried.delivery.continuation()
            }
            _ => Continuation::NotNeeded,
        };
        let is_due = matches!(next, Continuation::Due { .. });
        let well = error.is_none() && is_own_end(&reason);
        let sent_again = self.login_missing.is_some();
        let plan = match cancelled {
            _ if is_due || sent_again => None,
            None | Some(PLAN_REJECTED) if self.phase == Phase::Ready => self.plan_after_turn(well),
            _ => {
                self.carried.planning.over();
                None
            }
        };
        if !sent_again && let Some(entries) = self.planning_finished(well, is_due) {
            self.emit(EventBody::Plan { entries }, shelf);
        }
        let continues = sent_again
            || is_due
            || matches!(
                plan,
                Some(AfterTurn::Propose | AfterTurn::Revise(_) | AfterTurn::Work)
            );
        self.tell_changes(shelf);
        self.emit(
            EventBody::TurnEnded {
                stop_reason: reason,
                continues,
                text: error,
            },
            shelf,
        );
        match next {
            Continuation::Due { attempt, guidance } => {
                self.continue_turn(attempt, &guidance, shelf)
            }
            Continuation::Exhausted(attempts) => {
                self.emit(EventBody::RetryExhausted { attempts }, shelf);
                self.go_on_with_plan(plan.unwrap_or(AfterTurn::Idle), shelf);
            }
            Continuation::NotNeeded => {
                self.go_on_with_plan(plan.unwrap_or(AfterTurn::Idle), shelf);
            }
        }
    }

    /// Ladder step 5: the denial ended the turn, so the guidance is the next prompt.
    fn continue_turn(&mut self, attempt: u32, waiting: &[Guidance], shelf: &mut Shelf) {
        let mut texts: Vec<&str> = waiting.iter().map(|g| g.text.as_str()).collect();
        texts.dedup();
        let text = guidance::continuation(&texts.join(" "));
        self.emit(
            EventBody::AutoRetry {
                attempt,
                text: text.clone(),
            },
            shelf,
        );
        let prompt = Prompt {
            text,
            origin: PromptOrigin::Continuation,
            sent: Sent::default(),
            plan: false,
        };
        self.send_prompt(prompt, shelf);
        self.receipts(waiting, Receipt::Delivered, shelf);
    }

    /// Reports what became of guidance that waited.
    pub(super) fn receipts(&self, guidance: &[Guidance], receipt: Receipt, shelf: &mut Shelf) {
        for carried in guidance {
            let body = EventBody::GuidanceReceipt {
                request_id: carried.request_id,
                tool: carried.tool.clone(),
                channel: carried.channel,
                receipt,
                text: String::new(),
            };
            self.emit(body, shelf);
        }
    }

    /// The user cancels: every open question is answered, own calls end, the agent is told.
    pub(crate) fn cancel(&mut self, shelf: &mut Shelf) {
        self.carried.queue.clear();
        if self.turn.cancelling == Some(PLAN_REJECTED) {
            // No other plan is wanted any more.
            self.turn.cancelling = Some("cancelled");
        }
        self.cancel_turn("cancelled", shelf);
    }

    pub(super) fn cancel_turn(&mut self, why: &'static str, shelf: &mut Shelf) {
        if self.turn.cancelling.is_some() {
            return;
        }
        let logs_in = self.login_missing.is_some();
        if self.phase == Phase::Starting && (logs_in || !self.carried.sends_again) {
            return self.end(Some(why.to_owned()), shelf);
        }
        self.drop_waiting(shelf);
        self.close_questions(shelf);
        if self.login_missing.take().is_some() {
            self.abandon_login(shelf);
            self.limit = None;
        }
        // The prompt of a turn that was not over yet, but in no agent's hands.
        let gave_up = logs_in || std::mem::take(&mut self.carried.sends_again);
        if self.pending.take().is_some() || gave_up {
            self.carried.planning.over();
            self.stop_reason = Some(why.to_owned());
            let body = EventBody::TurnEnded {
                stop_reason: why.to_owned(),
                continues: false,
                text: None,
            };
            self.emit(body, shelf);
        }
        if !self.is_prompting() {
            // What agents do in the background has no turn to be cancelled.
            if !self.own_calls.is_empty() {
                self.stop_own_calls(shelf);
            }
            return self.close_agent_requests(shelf);
        }
        self.turn.cancelling = Some(why);
        self.limit = Some((Instant::now() + CANCEL, Limit::Cancel));
        self.stop_own_calls(shelf);
        let Some(acp) = &mut self.acp else { return };
        let line = message::notification(requests::CANCEL, &json!({"sessionId": acp.id()}));
        let is_open = |call: &&ToolCall| call.is_open();
        let open = acp.tool_calls().filter(is_open).map(|call| call.id.clone());
        let open: Vec<String> = open.collect();
        acp.cancel();
        self.send(line, shelf);
        self.close_agent_requests(shelf);
        for call in open {
            self.tool_call_changed(&call, shelf);
        }
    }

    /// Guidance that found no way to the model comes too late: another task is on, or none.
    pub(super) fn drop_waiting(&mut self, shelf: &mut Shelf) {
        let late = self.carried.delivery.drop_waiting();
        self.receipts(&late, Receipt::Failed, shelf);
    }

    /// The model has gone on after whatever was denied.
    pub(super) fn went_on(&mut self) {
        self.turn.reject_stands = false;
    }

    /// The agent did not end its cancelled turn: it is ended without it.
    pub(super) fn cancel_overdue(&mut self, now: Instant, shelf: &mut Shelf) {
        let why = self.turn.cancelling.unwrap_or("cancelled");
        let text = format!(
            "the agent did not end the cancelled turn within {} ({}); its session is ended",
            seconds(CANCEL),
            self.awaited(now)
        );
        let text = self.with_last_words(text);
        let kind = LogKind::Notice;
        self.emit(EventBody::AgentLog { kind, text }, shelf);
        self.end(Some(why.to_owned()), shelf);
    }

    /// When the agent has been silent for too long; none while somebody else is awaited.
    pub(super) fn inactivity_deadline(&self) -> Option<Instant> {
        let waits = self.is_prompting()
            && self.turn.cancelling.is_none()
            && self.asks.is_empty()
            && self.elicitations.is_empty()
            && !self.waits_for_client()
            && self.own_calls.values().all(OwnCall::is_answered)
            && !self.terminal_is_awaited();
        waits.then(|| self.heard + self.inactivity)
    }

    pub(super) fn inactive(&mut self, now: Instant, shelf: &mut Shelf) {
        let text = format!(
            "nothing came from the agent for {}: {}. Its turn is cancelled; an agent that needs longer gets it \
             by the setting for inactivity",
            seconds(self.inactivity),
            self.awaited(now)
        );
        let body = EventBody::InactivityTimeout {
            seconds: self.inactivity.as_secs(),
            text: self.with_last_words(text),
        };
        self.emit(body, shelf);
        self.cancel_turn("inactivity", shelf);
    }
}

/// True for a turn that the agent itself brought to its end.
fn is_own_end(reason: &str) -> bool {
    matches!(reason, "end_turn" | "max_tokens" | "max_turn_requests")
}

/// What stands for an answer to a prompt that says nothing of how the turn ended.
fn no_stop_reason() -> RpcError {
    RpcError::new(
        codes::INVALID_PARAMS,
        "the agent's answer to the prompt has no stopReason",
    )
}
