//! What is known of a session's agent, and what is denied to it. It does not change while the agent's process runs.

use siderail_guard::guidance::NameForm;
use siderail_guard::policy::Policy;

use crate::profile::Profile;

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
}
