//! What is known about a session's agent, and what it is denied. It does not change while the agent's process runs: it is
//! a constant of the session, not one of its parts, so any part may hold it.

use siderail_acp::wire::{RequestId, RpcError, codes};
use siderail_guard::guidance::NameForm;
use siderail_guard::policy::Policy;

use crate::profile::Profile;
use crate::session::effect::Effect;

/// All of it.
#[derive(Clone)]
pub(in crate::session) struct AgentFacts {
    /// What is known of the agent.
    pub(in crate::session) profile: Profile,
    /// What is denied and asked.
    pub(in crate::session) policy: Policy,
    /// How this agent's model sees our tools.
    pub(in crate::session) names: NameForm,
    /// Built-in tools that are not offered to the model.
    pub(in crate::session) hidden: Vec<String>,
}

impl AgentFacts {
    /// A reason of the policy in force, by its name.
    pub(in crate::session) fn by_policy(&self, why: &str) -> String {
        format!("by the policy `{}`: {why}", self.policy.as_str())
    }

    /// A refusal in the form in which this agent's model gets to read the reason.
    pub(in crate::session) fn refusal(&self, id: RequestId, reason: &str) -> Effect {
        match &self.profile.refusal {
            Some(refusal) if refusal.bare_text => Effect::RefuseInText(id, reason.to_owned()),
            _ => Effect::Refuse(id, RpcError::new(codes::INTERNAL_ERROR, reason)),
        }
    }
}
