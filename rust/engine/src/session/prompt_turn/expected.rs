//! Calls of our tools that were allowed when the agent asked, until they come to our server.
//!
//! The name is the agent's word. So every call that is allowed by it is expected at our server until its turn ends,
//! whatever the agent says of it meanwhile; one that never arrives ends that trust for the session. It knows no session,
//! no agent and no events.

use serde_json::Value;
use siderail_guard::Tool;

use crate::session::question::OwnCalled;

/// Calls that may be on their way to our server before names stop to count. Agents that call several tools at
/// once have their first answer long before.
const ON_THE_WAY: usize = 32;

/// A call that was allowed as ours and has not arrived at our server.
#[derive(Debug)]
struct Expected {
    /// The agent's id; none where its request named no call.
    call: Option<String>,
    tool: Tool,
    arguments: Value,
}

/// The calls of our tools that were allowed when the agent asked.
#[derive(Debug, Default)]
pub(in crate::session) struct ExpectedCalls {
    /// Those that have not arrived at our server.
    on_the_way: Vec<Expected>,
    /// Those that a person said yes to: their gate does not ask again.
    allowed: Vec<OwnCalled>,
}

impl ExpectedCalls {
    /// Whether no more may be on their way.
    pub(in crate::session) fn is_full(&self) -> bool {
        self.on_the_way.len() >= ON_THE_WAY
    }

    /// A call was allowed; `by_person`: somebody said yes to it.
    pub(in crate::session) fn expect(&mut self, own: &OwnCalled, by_person: bool) {
        if by_person {
            self.allowed.push(own.clone());
        }
        let is_known = own.call.as_ref().is_some_and(|id| self.holds(id));
        if !is_known {
            self.on_the_way.push(Expected {
                call: own.call.clone(),
                tool: own.tool,
                arguments: own.arguments.clone(),
            });
        }
    }

    /// A call of this tool came. The one with the same arguments is crossed off before any other, since not every agent
    /// tells them.
    pub(in crate::session) fn arrived(&mut self, tool: Tool, arguments: Option<&Value>) {
        let is_same = |e: &Expected| e.tool == tool && Some(&e.arguments) == arguments;
        let exact = self.on_the_way.iter().position(is_same);
        let found = exact.or_else(|| self.on_the_way.iter().position(|e| e.tool == tool));
        if let Some(at) = found {
            self.on_the_way.remove(at);
        }
    }

    /// Whether a person has said yes to this very call. A yes is for one call.
    pub(in crate::session) fn use_up_allowed(&mut self, tool: Tool, arguments: &Value) -> bool {
        let mut allowed = self.allowed.iter();
        let found = allowed.position(|own| own.tool == tool && own.arguments == *arguments);
        found.map(|at| self.allowed.remove(at)).is_some()
    }

    pub(in crate::session) fn holds(&self, id: &str) -> bool {
        self.on_the_way
            .iter()
            .any(|e| e.call.as_deref() == Some(id))
    }

    /// Takes out the call of this id and gives its tool.
    pub(in crate::session) fn take(&mut self, id: &str) -> Option<Tool> {
        let mut calls = self.on_the_way.iter();
        let at = calls.position(|e| e.call.as_deref() == Some(id))?;
        Some(self.on_the_way.remove(at).tool)
    }

    /// The turn is over: gives the tools of the calls that never came, though they had the time to. `was_cut_off`: the
    /// turn was cancelled, so nobody knows what the agent would have done.
    pub(in crate::session) fn settle(&mut self, was_cut_off: bool) -> Vec<Tool> {
        self.allowed.clear();
        let missing = std::mem::take(&mut self.on_the_way).into_iter();
        let missing = missing.filter(|_| !was_cut_off);
        missing.map(|e| e.tool).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(id: Option<&str>, tool: Tool, arguments: Value) -> OwnCalled {
        OwnCalled {
            call: id.map(str::to_owned),
            tool,
            arguments,
        }
    }

    #[test]
    fn the_call_with_the_same_arguments_is_crossed_off_first() {
        let mut calls = ExpectedCalls::default();
        calls.expect(
            &call(Some("1"), Tool::ReadFile, json!({"path": "a"})),
            false,
        );
        calls.expect(
            &call(Some("2"), Tool::ReadFile, json!({"path": "b"})),
            false,
        );
        calls.arrived(Tool::ReadFile, Some(&json!({"path": "b"})));
        assert!(calls.holds("1") && !calls.holds("2"));
        calls.arrived(Tool::ReadFile, None);
        assert_eq!(calls.settle(false), []);
    }

    #[test]
    fn a_call_that_never_comes_is_missing_at_the_end_of_its_turn() {
        let mut calls = ExpectedCalls::default();
        calls.expect(&call(Some("1"), Tool::WriteFile, json!({})), false);
        calls.expect(&call(Some("1"), Tool::WriteFile, json!({})), false);
        calls.arrived(Tool::ReadFile, None);
        assert_eq!(calls.settle(false), [Tool::WriteFile]);
        assert_eq!(calls.settle(false), [], "said once");
        calls.expect(&call(Some("2"), Tool::WriteFile, json!({})), false);
        assert_eq!(calls.settle(true), [], "it had no time to come");
        assert_eq!(calls.settle(false), []);
    }

    #[test]
    fn a_yes_is_for_one_call_of_one_turn() {
        let mut calls = ExpectedCalls::default();
        let arguments = json!({"path": "a"});
        calls.expect(&call(None, Tool::WriteFile, arguments.clone()), true);
        assert!(!calls.use_up_allowed(Tool::WriteFile, &json!({"path": "b"})));
        assert!(calls.use_up_allowed(Tool::WriteFile, &arguments));
        assert!(!calls.use_up_allowed(Tool::WriteFile, &arguments));
        calls.expect(&call(None, Tool::WriteFile, arguments.clone()), true);
        calls.settle(false);
        assert!(!calls.use_up_allowed(Tool::WriteFile, &arguments));
    }

    #[test]
    fn names_count_for_so_many_calls_at_once_and_no_more() {
        let mut calls = ExpectedCalls::default();
        for id in 0..ON_THE_WAY {
            assert!(!calls.is_full());
            calls.expect(
                &call(Some(&id.to_string()), Tool::ReadFile, json!({})),
                false,
            );
        }
        assert!(calls.is_full());
        assert_eq!(calls.take("0"), Some(Tool::ReadFile));
        assert!(!calls.is_full());
    }
}
