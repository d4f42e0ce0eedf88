//! Hands what the agent sends (answers, session updates, requests) to the part that deals with it.

use serde_json::value::RawValue;
use siderail_acp::client_request::methods::CREATE_ELICITATION as ELICIT;
use siderail_acp::connection::Incoming;
use siderail_acp::tool_call::ToolCallStatus;
use siderail_acp::update::{Chunk, SessionUpdate, SessionUpdateMessage};
use siderail_acp::wire::{Message, RpcError};
use siderail_guard::Action;
use siderail_guard::normalize;

use crate::event::{AgentLog, AgentMessage, AgentThought, EventBody, LogKind, Plan, ToolCallView};
use crate::session::effect::Effect;
use crate::session::outer_client::Client;
use crate::session::prompt_turn::steering::{is_injected, steered};
use crate::session::prompt_turn::turn_denials::TurnDenials;
use crate::session::{Session, Tag};
use crate::shared::Shared;
use crate::views::{into_shown, plan_entries, shown, view_of};

/// A notification: what the person was to open has been dealt with.
const ELICITATION_COMPLETE: &str = "elicitation/complete";

impl Session {
    /// An update that is not a part of the work.
    pub(in crate::session) fn aside(&mut self, update: &SessionUpdate, shared: &mut Shared) {
        if let Some(body) = self.carried.agent_notices.update(update) {
            self.emit(body, shared);
        }
    }

    /// One message of the agent.
    pub(in crate::session) fn message(&mut self, message: Message, shared: &mut Shared) {
        match self.wire.connection.handle(message) {
            Incoming::Response { id, tag, outcome } => {
                self.wire.unanswered.remove(&id);
                self.response(tag, outcome, shared);
            }
            Incoming::Update(update) => self.routed_update(*update, shared),
            Incoming::Permission { id, params } => self.permission(id, &params, shared),
            Incoming::Fs(request) => self.file_request(request, shared),
            Incoming::Terminal { id, method, params } => {
                self.terminal_request(id, &method, &params, shared);
            }
            Incoming::Elicitation { id, .. } if self.lifecycle.peers.client_answers(ELICIT) => {
                self.lifecycle.peers.wait_for_client(id);
            }
            Incoming::Elicitation { id, params } => self.elicited(id, &params, shared),
            Incoming::Cancelled { id } => self.request_withdrawn(&id, shared),
            Incoming::Extension { id, method, params } => {
                self.extension(id, &method, params.as_deref(), shared);
            }
            Incoming::Ignored { why } => {
                tracing::debug!(session = self.carried.number, why, "ignored")
            }
            Incoming::BadParams { answer, why, .. } => {
                self.emit(
                    EventBody::AgentLog(AgentLog {
                        kind: LogKind::Noise,
                        text: why,
                    }),
                    shared,
                );
                if !answer.is_empty() {
                    self.send(answer, shared);
                }
            }
        }
    }

    /// The agent's answer to a request of ours.
    fn response(
        &mut self,
        tag: Tag,
        outcome: Result<Box<RawValue>, RpcError>,
        shared: &mut Shared,
    ) {
        match tag {
            Tag::Prompt => self.prompt_response(outcome, shared),
            Tag::Steering(request_id) => self.way_ended(request_id, is_injected(&outcome), shared),
            Tag::Steer(text) => self.apply([steered(text, &outcome)], shared),
            Tag::Set(setting) => self.change_answered(setting, &outcome, shared),
            Tag::BeforePrompt { setting, for_plan } => {
                let taken = self.setting_answered(&setting, &outcome, shared);
                self.prompt_setting_answered(taken, for_plan, shared);
            }
            Tag::Passed(number) => self.passed_answered(number, outcome, shared),
            tag => self.handshake_answer(tag, outcome, shared),
        }
    }

    /// Whether a request is about a session that is not this one, or about one that is not open yet; this is reported.
    /// Nothing that was allowed here is meant for such a request, so it is answered and never carried out.
    pub(in crate::session) fn is_foreign(
        &self,
        session_id: &str,
        wants: &str,
        shared: &mut Shared,
    ) -> bool {
        let acp = self.lifecycle.peers.acp.as_ref();
        if acp.is_some_and(|acp| acp.id() == session_id) {
            return false;
        }
        let text =
            format!("{wants} is rejected: it names the session `{session_id}`, not this one");
        let kind = LogKind::Noise;
        self.emit(EventBody::AgentLog(AgentLog { kind, text }), shared);
        true
    }

    /// A request of a kind that no specification knows.
    fn extension(
        &mut self,
        id: Option<siderail_acp::wire::RequestId>,
        method: &str,
        params: Option<&RawValue>,
        shared: &mut Shared,
    ) {
        tracing::debug!(session = self.carried.number, method, ?params, "extension");
        if method == ELICITATION_COMPLETE {
            self.elicitation_complete(params, shared);
        }
        if let Some(id) = id {
            if self.lifecycle.peers.client_answers(method) {
                return self.lifecycle.peers.wait_for_client(id);
            }
            let unknown = Effect::Refuse(id, RpcError::method_not_found(method));
            self.apply([unknown], shared);
        }
    }

    /// Updates may come before the session's id is known, and for sessions that are not ours.
    pub(in crate::session) fn routed_update(
        &mut self,
        update: SessionUpdateMessage,
        shared: &mut Shared,
    ) {
        let peers = &self.lifecycle.peers;
        match &peers.acp {
            // What the agent sends again on behalf of a client is shown by the client.
            None if peers.client.as_ref().is_some_and(Client::loads) => {}
            None => self.keep_early(update, shared),
            Some(acp) if acp.id() == update.session_id => match self.restore.is_under_way() {
                true if self.lifecycle.is_ready() => self.told_again(update.update, shared),
                true => self.keep_early(update, shared),
                false => self.update(update.update, shared),
            },
            Some(_) => tracing::debug!(other = update.session_id, "update of another session"),
        }
    }

    fn keep_early(&mut self, update: SessionUpdateMessage, shared: &mut Shared) {
        if let Some(starting) = self.lifecycle.starting()
            && starting.early.push(update).is_err()
        {
            let text = "too many updates before the session's answer; some are lost".to_owned();
            self.notice(&text, shared);
        }
    }

    /// Applies one update and reports what changed.
    pub(in crate::session) fn update(&mut self, update: SessionUpdate, shared: &mut Shared) {
        let Some(acp) = &mut self.lifecycle.peers.acp else {
            return;
        };
        let stands = self.turn.denials.reject_stands;
        let before = if stands { newest_call(acp) } else { None };
        let applied = acp.apply(update);
        let (update, starts) = (applied.update, applied.starts_message);
        if stands {
            let is_other_call = newest_call(acp) != before;
            let speaks = self.agent_facts.profile.guard.speaks_after_reject;
            if goes_on(&update, is_other_call, &self.turn.denials, speaks) {
                self.went_on();
            }
        }
        match update {
            SessionUpdate::AgentMessageChunk(Chunk {
                content,
                message_id,
                ..
            }) => {
                let text = into_shown(content);
                if self.is_mode_echo(&text, shared) {
                    return;
                }
                let steps = self.planner().message(&text, starts);
                self.emit(
                    EventBody::AgentMessage(AgentMessage { text, message_id }),
                    shared,
                );
                if let Some(entries) = steps {
                    self.emit(EventBody::Plan(Plan { entries }), shared);
                }
            }
            SessionUpdate::AgentThoughtChunk(Chunk {
                content,
                message_id,
                ..
            }) => {
                let text = into_shown(content);
                // It may be what the model has said, once the work is on.
                let is_said = self.agent_facts.profile.says_in_thoughts
                    && !self.carried.planning.state.is_drafting();
                let steps = is_said.then(|| self.carried.planning.state.message(&text, starts));
                self.emit(
                    EventBody::AgentThought(AgentThought { text, message_id }),
                    shared,
                );
                if let Some(entries) = steps.flatten() {
                    self.emit(EventBody::Plan(Plan { entries }), shared);
                }
            }
            SessionUpdate::ToolCall(fields) | SessionUpdate::ToolCallUpdate(fields) => {
                self.tool_call_changed(&fields.id, shared);
            }
            SessionUpdate::Plan(entries) => {
                let entries = plan_entries(entries);
                self.carried.planning.state.entries(&entries);
                self.emit(EventBody::Plan(Plan { entries }), shared);
            }
            SessionUpdate::AvailableCommands(_) => self.tell_commands(shared),
            SessionUpdate::CurrentMode { .. } | SessionUpdate::ConfigOptions(_) => {
                self.tell_options(shared);
            }
            other => self.aside(&other, shared),
        }
    }

    /// Reports a tool call's merged state, and watches for what ran unasked.
    pub(in crate::session) fn tool_call_changed(&mut self, id: &str, shared: &mut Shared) {
        let Some((view, action, status)) = self.call_view(id, shared) else {
            return;
        };
        self.emit(EventBody::ToolCall(view), shared);
        self.carried.planning.state.call();
        if self.call_ends(id) {
            self.tool_call_ended(id, &status, &action, shared);
        }
    }

    /// Whether a call has ended, the first time this is asked.
    pub(in crate::session) fn call_ends(&mut self, id: &str) -> bool {
        let acp = self.lifecycle.peers.acp.as_mut();
        acp.is_some_and(|acp| acp.take_end(id))
    }

    /// A call's merged state as an event reports it, with what the guard sees in it and its status.
    pub(in crate::session) fn call_view(
        &self,
        id: &str,
        shared: &Shared,
    ) -> Option<(ToolCallView, Action, ToolCallStatus)> {
        let call = self.lifecycle.peers.acp.as_ref()?.tool_call(id)?;
        let status = call.status.clone();
        let cwd = self.root_text();
        let names = self.agent_facts.agent_names(&shared.offered);
        let action = normalize::update(&call.to_value(), &cwd, &names);
        let action = self.agent_facts.by_own_name(action, &shared.offered);
        let view = view_of(call, &action);
        Some((view, action, status))
    }

    /// A call of the agent's own tool has ended, by its own status well (`completed`) or not.
    fn builtin_ended(&mut self, id: &str, action: &Action, completed: bool, shared: &mut Shared) {
        let acp = self.lifecycle.peers.acp.as_ref();
        let call = acp.and_then(|acp| acp.tool_call(id));
        let (root, offered) = (self.root_text(), &shared.offered);
        if self.agent_facts.carries_ours(action, call, &root, offered) {
            return;
        }
        let (denials, turn) = (&mut self.carried.denials, self.carried.n_turns);
        let effect = denials.builtin_ended(turn, action, call, completed);
        self.apply(effect, shared);
    }

    /// A call has ended, which the agent may report several times.
    fn tool_call_ended(
        &mut self,
        id: &str,
        status: &ToolCallStatus,
        action: &Action,
        shared: &mut Shared,
    ) {
        match status {
            ToolCallStatus::Completed if self.turn.expected.holds(id) => {
                self.own_tool_ended(id, shared);
            }
            ToolCallStatus::Completed => self.tool_ran(id, action, shared),
            // What was denied has been counted already.
            _ if self.turn.denials.may_be(id, action) => {}
            ToolCallStatus::Cancelled => {
                self.turn.expected.take(id);
                self.carried.canary.failed(id);
            }
            _ => {
                self.turn.expected.take(id);
                self.carried.canary.failed(id);
                self.builtin_ended(id, action, false, shared);
            }
        }
    }

    /// A tool was carried out.
    fn tool_ran(&mut self, id: &str, action: &Action, shared: &mut Shared) {
        let tool = action.identity.label();
        let denials = &mut self.carried.denials;
        let (is_past_refusal, effect) = denials.ran(&mut self.turn.denials, id);
        self.apply(effect, shared);
        if is_past_refusal || (self.turn.denials.holds(id) && !action.identity.is_own()) {
            // The hook no longer has the last word: from now on a denied request is rejected.
            self.permissions.hook.is_after_allow = false;
            let canary = &mut self.carried.canary;
            let found = canary.ran_although_denied(id, &tool, action.kind);
            return self.apply(found.map(Effect::unguarded), shared);
        }
        self.builtin_ended(id, action, true, shared);
        if self.plan_file_written(id, action) {
            return self.carried.canary.failed(id);
        }
        if !self.agent_facts.policy.redirects() {
            // Nothing is denied here: the call is crossed off, and what is reported only once stays unreported.
            self.carried.canary.failed(id);
        } else {
            let found = self.carried.canary.ran(id, &action.identity, action.kind);
            self.apply(found.map(Effect::unguarded), shared);
        }
    }

    /// The agent takes a request back (`$/cancel_request`): its question is closed and answered.
    fn request_withdrawn(&mut self, id: &siderail_acp::wire::RequestId, shared: &mut Shared) {
        let effects = self.permissions.withdraw(id);
        self.apply(effects, shared);
        self.apply(self.client_files.withdraw(Some(id)), shared);
        let unasked = self.elicitation.withdraw(Some(id));
        self.apply(unasked, shared);
        self.terminals.forget_wait(id);
        self.forget_client_wait(id);
        self.apply([Effect::AnswerCancelled(id.clone())], shared);
    }
}

/// The call that an agent spoke of last.
fn newest_call(acp: &siderail_acp::Session) -> Option<String> {
    Some(acp.tool_calls().next_back()?.id.clone())
}

/// True for what an agent does of its own accord, and not because a call of it was rejected. `is_other_call`: it speaks of
/// another call than last. `speaks`: this agent has a word for the rejection itself.
fn goes_on(
    update: &SessionUpdate,
    is_other_call: bool,
    denials: &TurnDenials,
    speaks: bool,
) -> bool {
    let says = |chunk: &Chunk| !shown(&chunk.content).trim().is_empty();
    match update {
        SessionUpdate::AgentMessageChunk(chunk) => !speaks && says(chunk),
        SessionUpdate::AgentThoughtChunk(chunk) => says(chunk),
        SessionUpdate::ToolCall(fields) | SessionUpdate::ToolCallUpdate(fields) => {
            is_other_call && !denials.holds(&fields.id)
        }
        SessionUpdate::Plan(_) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn update(value: Value) -> SessionUpdate {
        let params = json!({"sessionId": "s", "update": value});
        let params = serde_json::value::to_raw_value(&params).expect("JSON");
        SessionUpdateMessage::read(&params)
            .expect("an update")
            .update
    }

    fn says(kind: &str, text: &str) -> SessionUpdate {
        update(json!({"sessionUpdate": kind, "content": {"type": "text", "text": text}}))
    }

    #[test]
    fn an_agent_goes_on_by_words_of_its_own_and_by_other_calls_than_the_rejected_one() {
        let denials = TurnDenials::default();
        let goes_on = |update: &SessionUpdate, is_other_call, speaks| {
            super::goes_on(update, is_other_call, &denials, speaks)
        };
        let words = says("agent_message_chunk", "so I use another tool");
        assert!(goes_on(&words, false, false));
        assert!(!goes_on(&words, false, true), "its word for the rejection");
        assert!(!goes_on(&says("agent_message_chunk", " \n"), false, false));
        assert!(goes_on(&says("agent_thought_chunk", "hm"), false, true));
        let call = update(json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "x"}));
        assert!(goes_on(&call, true, false) && !goes_on(&call, false, false));
        assert!(goes_on(
            &update(json!({"sessionUpdate": "plan", "entries": []})),
            false,
            false
        ));
        let mode = update(json!({"sessionUpdate": "current_mode_update", "currentModeId": "a"}));
        assert!(!goes_on(&mode, true, false));
    }
}
