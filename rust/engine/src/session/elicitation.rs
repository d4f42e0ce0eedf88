//! The agent's questions to the person (`elicitation/create`): put to the host one after the other, answered once.
//!
//! What is open, the [table] knows. A question may come before there is a session, as those of a login do; the
//! handshake waits for it.

pub(in crate::session) mod table;

use serde_json::{Value, value::RawValue};
use siderail_acp::elicitation::Elicitation;
use siderail_acp::wire::RequestId;
use siderail_guard::Tool;

use crate::session::Session;
use crate::session::effect::Effect;
use crate::shared::Shared;

impl Session {
    /// Whether the host can show questions.
    pub(in crate::session) fn can_ask(shared: &Shared) -> bool {
        shared.offered.contains(&Tool::AskUser.name())
    }

    /// The agent asks the person.
    pub(in crate::session) fn elicited(
        &mut self,
        id: RequestId,
        params: &RawValue,
        shared: &mut Shared,
    ) {
        let effects = if self.is_stopping() {
            vec![Effect::AnswerCancelled(id)]
        } else if Self::can_ask(shared) {
            let asked = Elicitation::read(params);
            self.elicitations.asked(id, asked, || shared.call_number())
        } else {
            self.elicitations.declined(id)
        };
        self.apply(effects, shared);
    }

    /// What the person was to open has been dealt with.
    pub(in crate::session) fn elicitation_complete(
        &mut self,
        params: Option<&RawValue>,
        shared: &mut Shared,
    ) {
        let params: Value = params
            .and_then(|params| serde_json::from_str(params.get()).ok())
            .unwrap_or(Value::Null);
        if let Some(url_id) = params["elicitationId"].as_str() {
            let effects = self.elicitations.completed(url_id);
            self.apply(effects, shared);
        }
    }
}
