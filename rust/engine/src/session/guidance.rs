//! What the model is told of a denial, and by which way; and what is counted of denials and failed calls.
//!
//! Whether something is denied is decided in [`super::permissions`]. [`denials::Denials`] outlives the agent's process,
//! [`turn_denials::TurnDenials`] ends with its prompt turn, [`ways::OpenWays`] chooses the way. [`denying`] is
//! the session's side.

pub(in crate::session) mod denials;
pub(in crate::session) mod denied_calls;
mod denying;
pub(in crate::session) mod exit_code;
pub(in crate::session) mod failed_calls;
pub(in crate::session) mod no;
pub(in crate::session) mod recipes;
pub(in crate::session) mod refused_calls;
pub(in crate::session) mod turn_denials;
pub(in crate::session) mod ways;

use std::collections::HashSet;
use std::time::Instant;

use serde_json::Value;
use siderail_guard::Action;

use crate::api::ApiAccess;
use recipes::Recipes;

/// Which ways there are with this agent, and what is kept to see who hears of what.
pub(in crate::session) struct Guidance {
    /// The hook fires after a permission request was allowed, so what it will deny is allowed there.
    pub(in crate::session) hook_after_allow: bool,
    /// Tool calls of this turn that have come to their end.
    pub(in crate::session) ended: HashSet<String>,
    /// Calls of the last seconds as the hook named them.
    pub(in crate::session) named: Vec<Named>,
    /// The agent's own API, where it has one.
    pub(in crate::session) api: Option<ApiAccess>,
    /// Which of the profile's recipes work.
    pub(in crate::session) recipes: Recipes,
}

impl Guidance {
    /// The ways that these recipes open.
    pub(in crate::session) fn new(recipes: Recipes) -> Self {
        Self {
            hook_after_allow: false,
            ended: HashSet::new(),
            named: Vec::new(),
            api: None,
            recipes,
        }
    }
}

/// A call as a hook named it, for requests that name no tool.
pub(crate) struct Named {
    pub(in crate::session) arguments: Value,
    pub(in crate::session) action: Action,
    pub(in crate::session) at: Instant,
}

#[cfg(test)]
mod tests;
