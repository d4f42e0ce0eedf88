//! Approvals of what the agent asked for: what the rest of the turn may do because of one, and what is reported and
//! answered.

use siderail_acp::permission::{Choice, Outcome, PermissionRequest, choose};

use crate::event::{ApprovedBy, DeniedBy, EventBody, PermissionApproved};
use crate::session::effect::Effect;
use crate::session::prompt_turn::PromptTurn;
use crate::session::question::RequestedAction;

impl PromptTurn {
    /// Something is allowed: it is not asked about again when it comes to us in this turn.
    pub(in crate::session) fn approve(
        &mut self,
        requested: &RequestedAction,
        by: ApprovedBy,
    ) -> Effect {
        self.running.approved_paths.extend(requested.changes());
        self.running
            .approved_commands
            .extend(requested.command.clone());
        let by_person = matches!(by, ApprovedBy::User | ApprovedBy::Setting);
        for own in &requested.own {
            self.expected.expect(own, by_person);
        }
        Effect::emit(EventBody::PermissionApproved(PermissionApproved {
            request_id: requested.request_id,
            tool_call_id: requested.tool_call_id.clone(),
            tool: requested.tool.clone(),
            kind: requested.kind.clone(),
            by,
        }))
    }

    /// A permission request is allowed. `option`: the agent's own that a person chose; none: the one that allows once.
    pub(in crate::session) fn allow(
        &mut self,
        request: &PermissionRequest,
        requested: &RequestedAction,
        by: ApprovedBy,
        option: Option<String>,
    ) -> [Effect; 2] {
        let outcome = match option {
            Some(id) => Outcome::Selected(id),
            None => choose(&request.options, Choice::AllowOnce),
        };
        let told = match outcome {
            Outcome::Cancelled => {
                let why = "the agent offers no way to allow it once";
                Effect::emit(requested.denied_event(DeniedBy::Cancel, why))
            }
            Outcome::Selected(_) => self.approve(requested, by),
        };
        [told, Effect::Permission(request.id.clone(), outcome)]
    }
}
