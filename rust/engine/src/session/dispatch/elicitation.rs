//! Puts a question of the agent to the person. `elicitation` says what is asked and answered.

use serde_json::value::RawValue;
use siderail_acp::elicitation::Elicitation;
use siderail_acp::wire::RequestId;
use siderail_guard::Tool;

use crate::session::Session;
use crate::session::elicitation::table::{Asking, url_in};
use crate::shared::Shared;

impl Session {
    /// Whether the host can show questions.
    pub(in crate::session) fn can_ask(shared: &Shared) -> bool {
        shared.offered.contains(&Tool::AskUser)
    }

    /// The agent asks the person.
    pub(super) fn elicited(&mut self, id: RequestId, params: &RawValue, shared: &mut Shared) {
        let asking = Asking {
            is_stopping: self.is_stopping(),
            can_ask: Self::can_ask(shared),
        };
        let asked = Elicitation::read(params);
        let elicitations = &mut self.elicitation;
        let effects = elicitations.requested(id, asked, asking, || shared.call_number());
        self.apply(effects, shared);
    }

    /// What the person was to open has been dealt with.
    pub(super) fn elicitation_complete(&mut self, params: Option<&RawValue>, shared: &mut Shared) {
        if let Some(url_id) = url_in(params) {
            let effects = self.elicitation.completed(&url_id);
            self.apply(effects, shared);
        }
    }
}
