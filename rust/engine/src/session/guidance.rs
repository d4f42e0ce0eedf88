//! What the model is told of a denial, and by which way; and what is counted of denials and failed calls.
//!
//! Whether something is denied is decided in [`super::permissions`]. [`denials::Denials`] outlives the agent's process,
//! [`turn_denials::TurnDenials`] ends with its prompt turn, [`ways::OpenWays`] chooses the way. All of it is plain data
//! and gives effects; it knows no session.

pub(in crate::session) mod denials;
pub(in crate::session) mod denied_calls;
pub(in crate::session) mod denied_requests;
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
use denied_calls::SAME_CALL;
use recipes::Recipes;

/// Ended tool calls that are remembered, since agents may speak of an end again.
const ENDED_CALLS: usize = 4096;

/// Which ways there are with this agent, and what is kept to see who hears of what.
pub(in crate::session) struct Guidance {
    /// The hook fires after a permission request was allowed, so what it will deny is allowed there.
    pub(in crate::session) hook_after_allow: bool,
    /// Tool calls of this turn that have come to their end.
    pub(in crate::session) ended: HashSet<String>,
    /// Calls of the last seconds as the hook named them.
    named: Vec<Named>,
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

    /// Another prompt turn begins.
    pub(in crate::session) fn turn_begins(&mut self) {
        if self.ended.len() > ENDED_CALLS {
            self.ended.clear();
        }
    }

    /// A hook names a call. `arguments`: its own, without what the agent puts around them.
    pub(in crate::session) fn named_by_hook(&mut self, arguments: Value, action: &Action) {
        if self.hook_after_allow {
            self.named.retain(|named| named.at.elapsed() < SAME_CALL);
            let (action, at) = (action.clone(), Instant::now());
            self.named.push(Named {
                arguments,
                action,
                at,
            });
        }
    }

    /// What a hook said of the call with these arguments.
    pub(in crate::session) fn action_of_hook(&self, arguments: &Value) -> Option<&Action> {
        let is_it =
            |named: &&Named| named.at.elapsed() < SAME_CALL && named.arguments == *arguments;
        let found = self.named.iter().rev().find(is_it);
        found.map(|named| &named.action)
    }
}

/// A call as a hook named it, for requests that name no tool.
struct Named {
    arguments: Value,
    action: Action,
    at: Instant,
}

#[cfg(test)]
pub(in crate::session) mod tests;
