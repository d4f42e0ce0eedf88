//! The session's side of guidance: it hands its parts to [`super::denials`] and [`super::ways`] and carries the effects out.

use serde_json::json;
use siderail_acp::permission::{Outcome, PermissionRequest};
use siderail_acp::wire::{RequestId, message};
use siderail_guard::decision::Decision;
use siderail_guard::{Action, ActionKind};

use super::denials::{self, Moment};
use super::denied_calls::Seen;
use super::no::No;
use super::ways::{OpenWays, Way, carry_out};
use crate::api;
use crate::event::{DeniedBy, Receipt};
use crate::session::effect::Effect;
use crate::session::permissions::question::RequestedAction;
use crate::session::{Input, Session, Tag};
use crate::shared::Shared;

impl Session {
    /// The ways that are open now.
    pub(in crate::session) fn open_ways(&self) -> OpenWays<'_> {
        let initialized = self.handshake.initialized.as_ref();
        OpenWays {
            profile: &self.facts.profile,
            api: self.guidance.api.is_some(),
            steers: initialized.is_some_and(|agent| agent.steering),
            refuses: !self.carried.denials.refusal_failed,
        }
    }

    /// Denies a permission request of the agent, with its reason on the best way.
    pub(in crate::session) fn deny_request(
        &mut self,
        request: &PermissionRequest,
        action: &Action,
        decision: &Decision,
        requested: &RequestedAction,
        shared: &mut Shared,
    ) {
        let way = self.open_ways().of(action);
        let text = self.deny_with_guidance(requested, decision, way, shared);
        self.turn.denials.remember(requested, Seen::Request, &text);
        let is_command = action.kind == ActionKind::Execute;
        self.reject(request, is_command, way, requested, text, shared);
    }

    /// Answers a denied request and sends the reason on its way.
    pub(in crate::session) fn reject(
        &mut self,
        request: &PermissionRequest,
        is_command: bool,
        way: Way,
        requested: &RequestedAction,
        text: String,
        shared: &mut Shared,
    ) {
        let message = self.carried.options.settings.session_message;
        let turn = &mut self.turn.denials;
        let effects = carry_out(request, is_command, way, requested, text, message, turn);
        self.apply(effects, shared);
    }

    /// A denial that guidance explains. `way`: how its text goes out.
    pub(in crate::session) fn deny_with_guidance(
        &mut self,
        requested: &RequestedAction,
        decision: &Decision,
        way: Way,
        shared: &mut Shared,
    ) -> String {
        let (denials, turn) = (&mut self.carried.denials, &mut self.turn.denials);
        let moment = Moment {
            facts: &self.facts,
            turn: self.carried.n_turns,
        };
        let (text, effects) = denials.by_policy(turn, moment, requested, decision, way);
        self.apply(effects, shared);
        text
    }

    /// A denial by the person, or because nobody could be asked: what the model is to read of it, if anything.
    pub(in crate::session) fn denied_by_person(
        &mut self,
        requested: &RequestedAction,
        said: (&No, Option<String>),
        way: Way,
        shared: &mut Shared,
    ) -> Option<String> {
        let (denials, turn) = (&mut self.carried.denials, &mut self.turn.denials);
        let moment = Moment {
            facts: &self.facts,
            turn: self.carried.n_turns,
        };
        let (text, effects) = denials.by_person(turn, moment, requested, said, way);
        self.apply(effects, shared);
        text
    }

    /// Announces that a question is closed without a yes. Nobody said no, so that it is no denial to count.
    pub(in crate::session) fn question_closed(
        &mut self,
        requested: &RequestedAction,
        by: DeniedBy,
        text: &str,
        shared: &mut Shared,
    ) {
        self.apply([denials::question_closed(requested, by, text)], shared);
    }

    /// A channel's receipt for guidance that went out by it, where one is awaited.
    pub(in crate::session) fn receipt(
        &mut self,
        request_id: u64,
        receipt: Receipt,
        shared: &mut Shared,
    ) {
        let effect = self.carried.denials.receipt(request_id, receipt);
        self.apply(effect, shared);
    }

    /// A way says whether it carried its text.
    pub(in crate::session) fn way_ended(
        &mut self,
        request_id: u64,
        delivered: bool,
        shared: &mut Shared,
    ) {
        let waiting = Way::Waits.channel(&self.facts.profile);
        let denials = &mut self.carried.denials;
        let effect = denials.way_ended(request_id, delivered, waiting);
        self.apply(effect, shared);
    }

    /// The reason with which something is refused that was allowed only to be refused here.
    pub(in crate::session) fn refused_with(
        &mut self,
        told: Option<(u64, String)>,
        shared: &mut Shared,
    ) -> Option<String> {
        let (text, effect) = self.carried.denials.refused_with(told)?;
        self.apply(effect, shared);
        Some(text)
    }

    /// A call of the agent's own tool has ended, by its own status well (`completed`) or not.
    pub(in crate::session) fn builtin_ended(
        &mut self,
        id: &str,
        action: &Action,
        completed: bool,
        shared: &mut Shared,
    ) {
        let acp = self.handshake.acp.as_ref();
        let call = acp.and_then(|acp| acp.tool_call(id));
        let (root, offered) = (self.root_text(), &shared.offered);
        if self.facts.carries_ours(action, call, &root, offered) {
            return;
        }
        let (denials, turn) = (&mut self.carried.denials, self.carried.n_turns);
        let effect = denials.builtin_ended(turn, action, call, completed);
        self.apply(effect, shared);
    }

    /// Puts the text of a denial into the running turn.
    pub(in crate::session) fn steer(&mut self, request_id: u64, text: &str, shared: &mut Shared) {
        self.send_steering(text, Tag::Steering(request_id), shared);
    }

    /// Ladder step 7, where the user wants it: a notification that is in no schema and that few agents read.
    pub(in crate::session) fn message_reason(
        &mut self,
        request_id: u64,
        tool: String,
        text: &str,
        shared: &mut Shared,
    ) {
        let Some(acp) = &self.handshake.acp else {
            return;
        };
        let content = json!([{"type": "text", "text": text}]);
        let params = json!({
            "sessionId": acp.id(),
            "message": {"role": "user", "content": content},
        });
        self.send(message::notification("session/message", &params), shared);
        let effect = self.carried.denials.sent_as_message(request_id, tool);
        self.apply([effect], shared);
    }

    /// Rejects through the agent's own API, which takes a message, and then in ACP.
    pub(in crate::session) fn tell_api(
        &mut self,
        (request_id, call_id, text): (u64, String, String),
        id: RequestId,
        outcome: Outcome,
        shared: &mut Shared,
    ) {
        let Some(access) = self.guidance.api.clone() else {
            return self.apply([Effect::Permission(id, outcome)], shared);
        };
        let (session, project) = (self.number, self.root_text());
        let inputs = shared.inputs.clone();
        tokio::spawn(async move {
            let told = api::reject(access, project, call_id, text).await;
            if let Err(why) = &told {
                tracing::warn!(session, why, "the agent's API did not accept the rejection");
            }
            let delivered = told.is_ok();
            // The engine outlives its sessions' tasks; without it nobody answers.
            let answered = Input::ApiAnswered {
                session,
                request_id,
                id,
                outcome,
                delivered,
            };
            let _ = inputs.send(answered).await;
        });
    }
}
