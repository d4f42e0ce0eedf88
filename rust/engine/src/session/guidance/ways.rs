//! The ways by which the reason for a denial reaches the model (ladder steps 3 to 5), and what they say back.
//!
//! The decision is made elsewhere. Here a denial is announced, counted and put on the best way that the
//! agent's profile knows; a way that fails hands the text on to the next own result or prompt.

use std::path::Path;

use serde_json::{json, value::RawValue};
use siderail_acp::permission::{Choice, Outcome, PermissionRequest, choose};
use siderail_acp::wire::{RequestId, RpcError, message};
use siderail_guard::decision::Decision;
use siderail_guard::{Action, ActionKind, guidance};

use crate::api;
use crate::delivery::Guidance;
use crate::event::{EventBody, GuidanceChannel, Receipt};
use crate::session::guidance::denied_calls::Seen;
use crate::session::guidance::refused_calls::Refused;
use crate::session::permissions::question::RequestedAction;
use crate::session::prompt_turn::steering::is_injected;
use crate::session::terminals::command::TerminalCommand;
use crate::session::{Input, Session, Tag};
use crate::shared::Shared;

/// The channel of ladder step 7.
const MESSAGE: GuidanceChannel = GuidanceChannel::Message;

/// How a denial's reason gets to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::session) enum Way {
    /// The answer of the agent's own hook.
    Hook,
    /// The result of the denied call of one of our tools.
    Result,
    /// The error of the file or terminal request that follows an allowed permission request.
    Refusal,
    /// The agent's own API.
    Api,
    /// `_session/steering` after the rejection.
    Steering,
    /// The next own result, or the next prompt.
    Waits,
}

impl Session {
    /// Denies a permission request of the agent, with its reason on the best way.
    pub(in crate::session) fn deny_request(
        &mut self,
        request: &PermissionRequest,
        action: &Action,
        decision: &Decision,
        requested: &RequestedAction,
        shared: &mut Shared,
    ) {
        let way = self.way_of(action);
        let text = self.deny_with_guidance(requested, decision, way, shared);
        self.remember_denied(requested, Seen::Request, &text);
        self.carry_out(request, Some(action), way, requested, text, shared);
    }

    /// The best way for a denied action of this agent.
    fn way_of(&self, action: &Action) -> Way {
        if self.refuses(action) {
            Way::Refusal
        } else {
            self.way_of_rejection()
        }
    }

    /// The best way beside a rejected permission request.
    pub(in crate::session) fn way_of_rejection(&self) -> Way {
        let steers = self
            .handshake
            .initialized
            .as_ref()
            .is_some_and(|i| i.steering);
        if self.guidance.api.is_some() {
            Way::Api
        } else if steers && !self.facts.profile.guard.reject_ends_turn {
            Way::Steering
        } else {
            Way::Waits
        }
    }

    /// True where such an action comes to our files or terminals after it was allowed.
    fn refuses(&self, action: &Action) -> bool {
        let Some(refusal) = self
            .facts
            .profile
            .refusal
            .as_ref()
            .filter(|_| !self.carried.refusal_failed)
        else {
            return false;
        };
        if action.identity.is_own() {
            // What is truly ours goes to our server, not to our files and terminals.
            return false;
        }
        match action.kind {
            ActionKind::Edit => refusal.edits && !action.paths.is_empty(),
            ActionKind::Execute => refusal.commands && action.command.is_some(),
            _ => false,
        }
    }

    /// Answers the request and sends the text on its way.
    pub(in crate::session) fn carry_out(
        &mut self,
        request: &PermissionRequest,
        action: Option<&Action>,
        way: Way,
        requested: &RequestedAction,
        text: String,
        shared: &mut Shared,
    ) {
        let reject = choose(&request.options, Choice::RejectOnce);
        match (way, action) {
            (Way::Refusal, Some(action)) => {
                let is_command = action.kind == ActionKind::Execute;
                self.turn.refused.add(Refused {
                    request_id: requested.request_id,
                    call_id: requested.tool_call_id.clone(),
                    paths: requested.inside.clone(),
                    command: requested.command.clone().filter(|_| is_command),
                    text,
                });
                let allow = choose(&request.options, Choice::AllowOnce);
                self.answer(&request.id, &allow, shared);
            }
            (Way::Api, _) => self.tell_api(request, reject, requested, text, shared),
            (Way::Steering, _) => {
                self.answer(&request.id, &reject, shared);
                self.steer(requested.request_id, &text, shared);
            }
            _ => {
                self.answer(&request.id, &reject, shared);
                if self.options.settings.session_message {
                    self.message_reason(requested, &text, shared);
                }
            }
        }
    }

    /// Ladder step 7, where the user wants it: a notification that is in no schema and that few agents
    /// read. The text also waits for its better way.
    fn message_reason(&mut self, requested: &RequestedAction, text: &str, shared: &mut Shared) {
        let Some(acp) = &self.handshake.acp else {
            return;
        };
        let content = json!([{"type": "text", "text": text}]);
        let params = json!({
            "sessionId": acp.id(),
            "message": {"role": "user", "content": content},
        });
        self.send(message::notification("session/message", &params), shared);
        self.carried.delivery.sent_besides(MESSAGE);
        let body = EventBody::GuidanceReceipt {
            request_id: requested.request_id,
            tool: requested.tool.clone(),
            channel: MESSAGE,
            receipt: Receipt::NoReceipt,
            text: String::new(),
        };
        self.emit(body, shared);
    }

    /// Rejects through the agent's own API, which takes a message, and then in ACP.
    fn tell_api(
        &mut self,
        request: &PermissionRequest,
        outcome: Outcome,
        requested: &RequestedAction,
        text: String,
        shared: &mut Shared,
    ) {
        let Some(access) = self.guidance.api.clone() else {
            return self.answer(&request.id, &outcome, shared);
        };
        let call_id = request.tool_call_id().unwrap_or_default().to_owned();
        let (session, request_id) = (self.number, requested.request_id);
        let (id, project) = (request.id.clone(), self.root_text());
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

    /// The API has taken the rejection, or has not.
    pub(in crate::session) fn api_answered(
        &mut self,
        request_id: u64,
        id: &RequestId,
        outcome: &Outcome,
        delivered: bool,
        shared: &mut Shared,
    ) {
        self.way_ended(request_id, delivered, shared);
        self.answer(id, outcome, shared);
    }

    fn steer(&mut self, request_id: u64, text: &str, shared: &mut Shared) {
        let text = guidance::steering(text);
        self.send_steering(&text, Tag::Steering(request_id), shared);
    }

    /// The agent says what became of a steering message.
    pub(in crate::session) fn steered(
        &mut self,
        request_id: u64,
        outcome: &Result<Box<RawValue>, RpcError>,
        shared: &mut Shared,
    ) {
        self.way_ended(request_id, is_injected(outcome), shared);
    }

    /// A way's receipt. What it did not carry waits for the next own result or prompt.
    pub(in crate::session) fn way_ended(
        &mut self,
        request_id: u64,
        delivered: bool,
        shared: &mut Shared,
    ) {
        let receipt = if delivered {
            Receipt::Delivered
        } else {
            Receipt::Failed
        };
        if let Some(guidance) = self.receipt(request_id, receipt, shared)
            && !delivered
        {
            let channel = self.waiting_channel();
            self.carried.delivery.requeue(guidance, channel);
        }
    }

    /// The reason with which a write is refused that was allowed only to be refused here.
    pub(in crate::session) fn refused_write(
        &mut self,
        path: &Path,
        shared: &mut Shared,
    ) -> Option<String> {
        let told = self.turn.refused.meet_write(path);
        self.refused_with(told, shared)
    }

    /// The reason with which a terminal is refused that was allowed only to be refused here.
    pub(in crate::session) fn refused_command(
        &mut self,
        command: &TerminalCommand,
        shared: &mut Shared,
    ) -> Option<String> {
        let told = self.turn.refused.meet_command(|asked| command.is(asked));
        self.refused_with(told, shared)
    }

    fn refused_with(&mut self, told: Option<(u64, String)>, shared: &mut Shared) -> Option<String> {
        let (request_id, text) = told?;
        self.receipt(request_id, Receipt::Delivered, shared);
        Some(text)
    }

    /// A call that was to be refused here ran without coming to us: the way is closed for this session.
    pub(in crate::session) fn ran_past_refusal(
        &mut self,
        call_id: &str,
        shared: &mut Shared,
    ) -> bool {
        let Some(request_id) = self.turn.refused.ran(call_id) else {
            return false;
        };
        self.carried.refusal_failed = true;
        self.receipt(request_id, Receipt::Failed, shared);
        true
    }

    /// The channel of guidance that has no way in its turn.
    pub(in crate::session) fn waiting_channel(&self) -> GuidanceChannel {
        if self.facts.profile.guard.reject_ends_turn {
            GuidanceChannel::Continuation
        } else {
            GuidanceChannel::Notice
        }
    }

    /// The name of a way in events.
    pub(in crate::session) fn channel_of(&self, way: Way) -> GuidanceChannel {
        match way {
            Way::Hook => GuidanceChannel::Hook,
            Way::Result => GuidanceChannel::Result,
            Way::Refusal => GuidanceChannel::Refusal,
            Way::Api => GuidanceChannel::Api,
            Way::Steering => GuidanceChannel::Steering,
            Way::Waits => self.waiting_channel(),
        }
    }

    /// Registers guidance as sent, or as waiting.
    pub(in crate::session) fn put_on(&mut self, way: Way, guidance: Guidance, shared: &mut Shared) {
        if matches!(way, Way::Waits | Way::Api | Way::Steering) {
            self.turn.reject_stands = true;
        }
        let ignored = match way {
            Way::Waits => self.carried.delivery.waits(guidance),
            _ => self.carried.delivery.sent(guidance),
        };
        self.ignored(&ignored, shared);
    }

    /// Reports what became of guidance that waited.
    pub(in crate::session) fn receipts(
        &self,
        guidance: &[Guidance],
        receipt: Receipt,
        shared: &mut Shared,
    ) {
        for carried in guidance {
            let body = EventBody::GuidanceReceipt {
                request_id: carried.request_id,
                tool: carried.tool.clone(),
                channel: carried.channel,
                receipt,
                text: String::new(),
            };
            self.emit(body, shared);
        }
    }

    /// A new turn: what was to be refused and never came is over, without a receipt.
    pub(in crate::session) fn close_refusals(&mut self, shared: &mut Shared) {
        for request_id in self.turn.refused.settle() {
            self.receipt(request_id, Receipt::NoReceipt, shared);
        }
    }
}
