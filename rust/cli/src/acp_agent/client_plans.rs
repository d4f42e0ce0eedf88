//! Shows a plan to the person in the client: a form, which has room for changes that are wanted, else a permission
//! request.
//!
//! Its options are our own whatever the agent offers: an approval allows once, as everywhere.

use serde_json::{Value, json};
use siderail_engine::acp::client_request::methods;
use siderail_engine::event::PlanChannel;

use super::agent_side::Face;
use super::open_requests::{ALLOW, APPROVE, Asked, REJECT, SEND_BACK};

impl Face {
    /// A plan waits for approval.
    pub(super) fn plan(&mut self, session: u64, request_id: u64, text: &str, channel: PlanChannel) {
        let shows_forms = self.shows_forms();
        let Some(process) = self.processes.get_mut(&session) else {
            return;
        };
        let raw = process.asks.take().filter(|_| channel == PlanChannel::Acp);
        if shows_forms {
            let params = form(process.client_id.as_deref(), text);
            let asked = Asked::Plan {
                session,
                request_id,
            };
            self.ask(methods::CREATE_ELICITATION, &params, asked);
            return;
        }
        let raw = raw.and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok());
        let params = json!({
            "sessionId": process.client_id,
            "toolCall": raw.map_or_else(|| call(request_id, text), |mut raw| raw["toolCall"].take()),
            "options": [
                {"optionId": ALLOW, "name": APPROVE, "kind": "allow_once"},
                {"optionId": REJECT, "name": SEND_BACK, "kind": "reject_once"},
            ],
        });
        self.question(session, request_id, &params);
    }
}

/// The call that a plan at the end of a turn is shown as.
fn call(request_id: u64, text: &str) -> Value {
    json!({
        "toolCallId": format!("siderail-{request_id}"),
        "title": "Plan",
        "kind": "think",
        "status": "pending",
        "content": [{"type": "content", "content": {"type": "text", "text": text}}],
    })
}

fn form(client_id: Option<&str>, text: &str) -> Value {
    json!({
        "sessionId": client_id,
        "mode": "form",
        "message": format!("The agent has a plan:\n\n{text}"),
        "requestedSchema": {
            "type": "object",
            "properties": {
                "decision": {"type": "string", "title": "Decision", "enum": [APPROVE, SEND_BACK]},
                "feedback": {"type": "string", "title": "What to change (with Reject)"},
            },
            "required": ["decision"],
        },
    })
}
