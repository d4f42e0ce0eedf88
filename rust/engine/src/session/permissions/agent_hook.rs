//! What an agent's pre-tool hook says of a call, for the permission request about it that follows at once and names no
//! tool; and whether the hook decides. Plain data; it knows no session.

use std::time::Instant;

use serde_json::Value;
use siderail_guard::Action;

use crate::session::prompt_turn::denied_calls::SAME_CALL;

/// The hook of an agent, as far as its requests depend on it.
#[derive(Default)]
pub(in crate::session) struct AgentHook {
    /// It fires after a permission request was allowed, so what it will deny is allowed there.
    pub(in crate::session) is_after_allow: bool,
    /// Calls of the last seconds.
    named: Vec<Named>,
}

/// A call as the hook named it.
struct Named {
    arguments: Value,
    action: Action,
    at: Instant,
}

impl AgentHook {
    /// The hook names a call. `arguments`: its own, without what the agent puts around them.
    pub(in crate::session) fn add(&mut self, arguments: Value, action: &Action) {
        if self.is_after_allow {
            self.named.retain(|named| named.at.elapsed() < SAME_CALL);
            let (action, at) = (action.clone(), Instant::now());
            self.named.push(Named {
                arguments,
                action,
                at,
            });
        }
    }

    /// What it said of the last call with these arguments.
    pub(in crate::session) fn of(&self, arguments: &Value) -> Option<&Action> {
        let is_it =
            |named: &&Named| named.at.elapsed() < SAME_CALL && named.arguments == *arguments;
        let found = self.named.iter().rev().find(is_it);
        found.map(|named| &named.action)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::session::guidance::tests::edit;

    #[test]
    fn a_call_is_known_by_its_arguments_only_where_the_hook_has_the_last_word() {
        let (arguments, first) = (json!({"path": "a"}), edit());
        let mut last = first.clone();
        last.paths = vec!["/p/b.rs".to_owned()];
        let mut hook = AgentHook::default();
        hook.add(arguments.clone(), &first);
        assert!(hook.of(&arguments).is_none());
        hook.is_after_allow = true;
        hook.add(arguments.clone(), &first);
        hook.add(arguments.clone(), &last);
        let found = hook.of(&arguments).expect("it was named");
        assert_eq!(found.paths, last.paths);
        assert!(hook.of(&json!({"path": "b"})).is_none());
    }
}
