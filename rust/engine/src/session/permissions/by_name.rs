//! Actions under one of our tools' names: which call of ours they claim to be, and what the guard says of one that
//! could not work.
//!
//! The name comes from the agent. Whether such a call reaches our server is up to
//! [`crate::session::prompt_turn::expected`].

use siderail_guard::decision::{Decision, Reason, Verdict};
use siderail_guard::{Action, Identity, Tool};

use crate::session::permissions::judge::Judge;
use crate::session::question::OwnCalled;

/// The call of our tool that an action claims to be; none if nothing is allowed by that name.
pub(super) fn claimed_call(
    action: &Action,
    reason: Reason,
    call: Option<&String>,
) -> Option<OwnCalled> {
    let Identity::OwnTool(tool) = &action.identity else {
        return None;
    };
    if matches!(reason, Reason::Contradictory | Reason::OwnToolUntrusted) {
        return None;
    }
    Some(OwnCalled {
        call: call.cloned(),
        tool: *tool,
        arguments: action.own_arguments(),
    })
}

impl Judge {
    /// A question about a call of ours that no yes could make work is a denial with what our server would say.
    pub(in crate::session) fn unless_it_cannot_work(
        &self,
        action: &Action,
        decision: Decision,
    ) -> Decision {
        let is_about_place = matches!(
            decision.reason,
            Reason::OutsideProject | Reason::ProtectedPath
        );
        let Identity::OwnTool(tool) = &action.identity else {
            return decision;
        };
        let checked_in_git = [Tool::GitCommit, Tool::GitBranch, Tool::GitStash];
        let may_fail = is_about_place || checked_in_git.contains(tool);
        if decision.verdict != Verdict::Ask || !may_fail {
            return decision;
        }
        match self.cannot_work(*tool, &action.own_arguments()) {
            Some(failed) => Decision {
                verdict: Verdict::Deny,
                guidance: Some(failed.to_string()),
                ..decision
            },
            None => decision,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use siderail_guard::normalize;

    use crate::session::guidance::tests::facts;

    fn action(tool: Tool) -> Action {
        let call = json!({"toolCallId": "call 1", "title": tool.name(), "rawInput": {"data": {"path": "a", "kind": "k"}}});
        let mut action = normalize::update(&call, "/p", &facts("openhands").agent_names(&[]));
        action.identity = Identity::OwnTool(tool);
        action
    }

    #[test]
    fn a_name_of_ours_stands_for_a_call_unless_nothing_is_allowed_by_it() {
        let action = action(Tool::ReadFile);
        let id = "call 1".to_owned();
        let claimed = |reason| claimed_call(&action, reason, Some(&id));
        let own = claimed(Reason::OutsideProject).expect("it is a call of ours");
        assert_eq!((own.tool, own.call), (Tool::ReadFile, Some(id.clone())));
        assert_eq!(
            own.arguments,
            json!({"path": "a"}),
            "without what is put around them"
        );
        assert!(claimed(Reason::Contradictory).is_none());
        assert!(claimed(Reason::OwnToolUntrusted).is_none());
        let mut other = action.clone();
        other.identity = Identity::Unknown;
        assert!(claimed_call(&other, Reason::OutsideProject, Some(&id)).is_none());
    }
}
