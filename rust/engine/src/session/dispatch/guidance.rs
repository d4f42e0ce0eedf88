//! Runs guidance in the session: gives its parts what they need, and sends what they want sent.

use std::sync::Arc;

use serde_json::json;
use siderail_acp::permission::Outcome;
use siderail_acp::wire::{RequestId, message};

use crate::api;
use crate::event::Receipt;
use crate::session::effect::Effect;
use crate::session::guidance::channels::Way;
use crate::session::guidance::denials::Moment;
use crate::session::{Input, Session};
use crate::shared::Shared;

impl Session {
    /// What a denial meets now.
    pub(in crate::session) fn moment(&self) -> Moment {
        let initialized = self.lifecycle.peers.initialized.as_ref();
        Moment {
            facts: Arc::clone(&self.agent_facts),
            turn: self.carried.n_turns,
            has_api: self.guidance.api.is_some(),
            steers: initialized.is_some_and(|agent| agent.steering),
            sends_messages: self.carried.options.settings.session_message,
        }
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
        let waiting = Way::Waits.channel(&self.agent_facts.profile);
        let denials = &mut self.carried.denials;
        let effect = denials.way_ended(request_id, delivered, waiting);
        self.apply(effect, shared);
    }

    /// Ladder step 7, where the user wants it: a notification that is in no schema and that few agents read.
    pub(super) fn message_reason(
        &mut self,
        request_id: u64,
        tool: String,
        text: &str,
        shared: &mut Shared,
    ) {
        let Some(acp) = &self.lifecycle.peers.acp else {
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
    pub(super) fn tell_api(
        &mut self,
        (request_id, call_id, text): (u64, String, String),
        id: RequestId,
        outcome: Outcome,
        shared: &mut Shared,
    ) {
        let Some(access) = self.guidance.api.clone() else {
            return self.apply([Effect::Permission(id, outcome)], shared);
        };
        let (session, project) = (self.carried.number, self.root_text());
        shared.spawn(async move {
            let told = api::reject(access, project, call_id, text).await;
            if let Err(why) = &told {
                tracing::warn!(session, why, "the agent's API did not accept the rejection");
            }
            let delivered = told.is_ok();
            Input::ApiAnswered {
                session,
                request_id,
                id,
                outcome,
                delivered,
            }
        });
    }
}
