//! Calls that are allowed because they carry one of our names, and whether they came to our server.
//!
//! The name is the agent's word. So every call that is allowed by it is expected at our server until its turn
//! ends, whatever the agent says of it meanwhile; one that never arrives ends that trust for the session.

use serde_json::Value;
use siderail_guard::decision::{Decision, Reason, Verdict};
use siderail_guard::{Action, Identity};

use super::Session;
use super::hooks::bare_arguments;
use super::subject::{OwnCalled, Subject};
use crate::shelf::Shelf;

/// Calls that may be on their way to our server before names stop to count. Agents that call several tools at
/// once have their first answer long before.
const ON_THE_WAY: usize = 32;

/// A call that was allowed as ours and has not arrived at our server.
#[derive(Debug)]
struct Expected {
    /// The agent's id; none where its request named no call.
    call: Option<String>,
    tool: String,
    arguments: Value,
}

/// The calls of our tools that were allowed when the agent asked.
#[derive(Debug, Default)]
pub(super) struct ExpectedCalls {
    /// Those that have not arrived at our server.
    on_the_way: Vec<Expected>,
    /// Those that a person said yes to: their gate does not ask again.
    allowed: Vec<OwnCalled>,
}

impl ExpectedCalls {
    /// Whether no more may be on their way.
    fn is_full(&self) -> bool {
        self.on_the_way.len() >= ON_THE_WAY
    }

    /// A call was allowed; `by_person`: somebody said yes to it.
    fn expect(&mut self, own: &OwnCalled, by_person: bool) {
        if by_person {
            self.allowed.push(own.clone());
        }
        let is_known = own.call.as_ref().is_some_and(|id| self.holds(id));
        if !is_known {
            self.on_the_way.push(Expected {
                call: own.call.clone(),
                tool: own.tool.clone(),
                arguments: own.arguments.clone(),
            });
        }
    }

    /// A call of this tool came. The one with the same arguments is crossed off before any other, since not every agent
    /// tells them.
    fn arrived(&mut self, tool: &str, arguments: Option<&Value>) {
        let is_same = |e: &Expected| e.tool == tool && Some(&e.arguments) == arguments;
        let exact = self.on_the_way.iter().position(is_same);
        let found = exact.or_else(|| self.on_the_way.iter().position(|e| e.tool == tool));
        if let Some(at) = found {
            self.on_the_way.remove(at);
        }
    }

    /// Whether a person has said yes to this very call. A yes is for one call.
    fn use_up_allowed(&mut self, tool: &str, arguments: &Value) -> bool {
        let mut allowed = self.allowed.iter();
        let found = allowed.position(|own| own.tool == tool && own.arguments == *arguments);
        found.map(|at| self.allowed.remove(at)).is_some()
    }

    fn holds(&self, id: &str) -> bool {
        self.on_the_way
            .iter()
            .any(|e| e.call.as_deref() == Some(id))
    }

    /// Takes out the call of this id and gives its tool.
    fn take(&mut self, id: &str) -> Option<String> {
        let mut calls = self.on_the_way.iter();
        let at = calls.position(|e| e.call.as_deref() == Some(id))?;
        Some(self.on_the_way.remove(at).tool)
    }

    /// The turn is over: gives the tools of the calls that never came.
    fn settle(&mut self) -> Vec<String> {
        self.allowed.clear();
        let missing = std::mem::take(&mut self.on_the_way).into_iter();
        missing.map(|e| e.tool).collect()
    }
}

impl OwnCalled {
    /// The call of our tool that an action claims to be; none where nothing is allowed by that name.
    pub(super) fn of(action: &Action, reason: Reason, call: Option<&String>) -> Option<Self> {
        let Identity::OwnTool(tool) = &action.identity else {
            return None;
        };
        if matches!(reason, Reason::Contradictory | Reason::OwnToolUntrusted) {
            return None;
        }
        Some(Self {
            call: call.cloned(),
            tool: tool.clone(),
            arguments: bare_arguments(action.arguments()),
        })
    }
}

impl Session {
    /// A question about a call of ours that no yes could make work is a denial with what our server would say.
    pub(super) fn unless_in_vain(&self, action: &Action, decision: Decision) -> Decision {
        let is_about_place = matches!(
            decision.reason,
            Reason::OutsideProject | Reason::ProtectedPath
        );
        let Identity::OwnTool(tool) = &action.identity else {
            return decision;
        };
        if decision.verdict != Verdict::Ask || !is_about_place {
            return decision;
        }
        match self.in_vain(tool, &bare_arguments(action.arguments())) {
            Some(failed) => Decision {
                verdict: Verdict::Deny,
                guidance: Some(failed.to_string()),
                ..decision
            },
            None => decision,
        }
    }

    /// True while a name of ours is believed.
    pub(super) fn trusts_names(&self) -> bool {
        self.carried.canary.trusts_names() && !self.turn.expected.is_full()
    }

    /// What carries names of ours was allowed: its calls have to arrive. `by_person`: somebody said yes to them.
    pub(super) fn expect_own_calls(&mut self, subject: &Subject, by_person: bool) {
        for own in &subject.own {
            self.turn.expected.expect(own, by_person);
        }
    }

    /// A call of this tool came to our server, whatever becomes of it there.
    pub(super) fn own_call_arrived(&mut self, tool: &str, arguments: Option<&Value>) {
        self.turn.expected.arrived(tool, arguments);
    }

    /// Whether a person has said yes to this very call when the agent asked about it. A yes is for one call.
    pub(super) fn was_allowed_as_asked(&mut self, tool: &str, arguments: &Value) -> bool {
        self.turn.expected.use_up_allowed(tool, arguments)
    }

    /// True for a call that was allowed as ours and has not arrived.
    pub(super) fn is_expected(&self, id: &str) -> bool {
        self.turn.expected.holds(id)
    }

    /// The agent says that a call failed or was given up before it ran.
    pub(super) fn own_call_failed(&mut self, id: &str) {
        self.turn.expected.take(id);
    }

    /// A call that was allowed as ours has ended without having arrived.
    pub(super) fn own_tool_ended(&mut self, id: &str, shelf: &mut Shelf) {
        if let Some(tool) = self.turn.expected.take(id) {
            self.own_call_missing(&tool, shelf);
        }
    }

    /// The turn is over: a call that was allowed as ours in it had the time to arrive. `was_cut_off`: the turn
    /// was cancelled, so nobody knows what the agent would have done.
    pub(super) fn settle_expected(&mut self, was_cut_off: bool, shelf: &mut Shelf) {
        for tool in self.turn.expected.settle() {
            if !was_cut_off {
                self.own_call_missing(&tool, shelf);
            }
        }
    }

    fn own_call_missing(&mut self, tool: &str, shelf: &mut Shelf) {
        if let Some(found) = self.carried.canary.own_call_never_came(tool) {
            self.unguarded(found, shelf);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(id: Option<&str>, tool: &str, arguments: Value) -> OwnCalled {
        OwnCalled {
            call: id.map(str::to_owned),
            tool: tool.to_owned(),
            arguments,
        }
    }

    #[test]
    fn the_call_with_the_same_arguments_is_crossed_off_first() {
        let mut calls = ExpectedCalls::default();
        calls.expect(&call(Some("1"), "read", json!({"path": "a"})), false);
        calls.expect(&call(Some("2"), "read", json!({"path": "b"})), false);
        calls.arrived("read", Some(&json!({"path": "b"})));
        assert!(calls.holds("1") && !calls.holds("2"));
        calls.arrived("read", None);
        assert_eq!(calls.settle(), [""; 0]);
    }

    #[test]
    fn a_call_that_never_comes_is_missing_at_the_end_of_its_turn() {
        let mut calls = ExpectedCalls::default();
        calls.expect(&call(Some("1"), "write", json!({})), false);
        calls.expect(&call(Some("1"), "write", json!({})), false);
        calls.arrived("read", None);
        assert_eq!(calls.settle(), ["write"]);
        assert_eq!(calls.settle(), [""; 0], "said once");
    }

    #[test]
    fn a_yes_is_for_one_call_of_one_turn() {
        let mut calls = ExpectedCalls::default();
        let arguments = json!({"path": "a"});
        calls.expect(&call(None, "write", arguments.clone()), true);
        assert!(!calls.use_up_allowed("write", &json!({"path": "b"})));
        assert!(calls.use_up_allowed("write", &arguments));
        assert!(!calls.use_up_allowed("write", &arguments));
        calls.expect(&call(None, "write", arguments.clone()), true);
        calls.settle();
        assert!(!calls.use_up_allowed("write", &arguments));
    }

    #[test]
    fn names_count_for_so_many_calls_at_once_and_no_more() {
        let mut calls = ExpectedCalls::default();
        for id in 0..ON_THE_WAY {
            assert!(!calls.is_full());
            calls.expect(&call(Some(&id.to_string()), "read", json!({})), false);
        }
        assert!(calls.is_full());
        assert_eq!(calls.take("0").as_deref(), Some("read"));
        assert!(!calls.is_full());
    }
}
