//! What a request is about, in the guard's terms. Nothing is decided here, and no disk is looked at.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;
use siderail_acp::permission::PermissionRequest;
use siderail_acp::tool_call::ToolCall;
use siderail_guard::decision::{Decision, Verdict};
use siderail_guard::normalize::{self, AgentNames, RequestView};
use siderail_guard::{Action, Identity, Tool};

use crate::session::agent_facts::AgentFacts;
use crate::session::permissions::agent_hook::AgentHook;
use crate::session::permissions::by_name::claimed_call;
use crate::session::question::OwnCalled;
use crate::tools::SERVER;
use crate::views::text_of;

/// What a permission request asks for, before anybody judges it.
pub(in crate::session) struct ToJudge {
    pub(in crate::session) action: Arc<Action>,
    /// The call that it is about.
    pub(in crate::session) call: Option<String>,
    /// Other calls that the same answer is for.
    pub(in crate::session) others: Vec<(Arc<Action>, String)>,
}

/// What a permission request asks for.
pub(in crate::session) struct Asked {
    /// The gravest of the actions, by what the guard says of it.
    pub(in crate::session) action: Arc<Action>,
    pub(in crate::session) decision: Decision,
    /// The calls, that of the gravest first.
    pub(in crate::session) calls: Vec<String>,
    /// What else a person says yes to with it.
    pub(in crate::session) also: Vec<Arc<Action>>,
    /// Those of the calls that carry a name of ours.
    pub(in crate::session) own: Vec<OwnCalled>,
}

impl Asked {
    /// What is asked for by one action alone.
    pub(in crate::session) fn new(
        action: Arc<Action>,
        decision: Decision,
        call: Option<String>,
        own: Option<OwnCalled>,
    ) -> Self {
        Self {
            action,
            decision,
            calls: call.into_iter().collect(),
            also: Vec::new(),
            own: own.into_iter().collect(),
        }
    }

    /// Adds another call that the same answer is for. What a hook denies after the answer does not matter here.
    pub(in crate::session) fn with(
        &mut self,
        action: Arc<Action>,
        decision: Decision,
        call: String,
        hook_denies: bool,
    ) {
        self.own
            .extend(claimed_call(&action, decision.reason, Some(&call)));
        let gravity = |verdict: Verdict| match verdict {
            Verdict::Deny if hook_denies => 0,
            Verdict::Allow => 1,
            Verdict::Ask => 2,
            Verdict::Deny => 3,
        };
        let is_graver = gravity(decision.verdict) > gravity(self.decision.verdict);
        let (lesser, verdict) = if is_graver {
            let lesser = std::mem::replace(&mut self.action, action);
            let said = std::mem::replace(&mut self.decision, decision);
            self.calls.insert(0, call);
            (lesser, said.verdict)
        } else {
            self.calls.push(call);
            (action, decision.verdict)
        };
        if gravity(verdict) > gravity(Verdict::Allow) {
            self.also.push(lesser);
        }
    }
}

/// What a permission request is read with.
pub(in crate::session) struct Reading<'a> {
    pub(in crate::session) facts: &'a AgentFacts,
    pub(in crate::session) offered: &'a [Tool],
    pub(in crate::session) root: &'a str,
    /// The agent's session, with its tool calls.
    pub(in crate::session) acp: Option<&'a siderail_acp::Session>,
    /// Calls that were asked about before.
    pub(in crate::session) asked_calls: &'a HashSet<String>,
    /// Calls as the hook named them.
    pub(in crate::session) hook: &'a AgentHook,
}

impl Reading<'_> {
    /// What a request asks for.
    pub(in crate::session) fn asked_about(&self, request: &PermissionRequest) -> ToJudge {
        let acp = self.acp;
        let known = request.tool_call_id().and_then(|id| acp?.tool_call(id));
        let stored = known.map(ToolCall::to_value);
        let last = acp.and_then(siderail_acp::Session::last_open_call);
        let action = self.action_of(request, stored.as_ref(), last);
        let call = call_id(request, &action);
        let is_named = call.as_deref() == request.tool_call_id();
        // Where it names no call (OpenHands) it is about all that are open and were not asked about before.
        let calls = acp.into_iter().flat_map(siderail_acp::Session::tool_calls);
        let others = calls.filter(|other| {
            !is_named
                && other.announced
                && other.is_open()
                && call.as_ref() != Some(&other.id)
                && !self.asked_calls.contains(&other.id)
        });
        let others = others.map(|call| {
            let action = self.action_of(request, None, Some(call));
            (Arc::new(action), call.id.clone())
        });
        ToJudge {
            others: others.collect(),
            action: Arc::new(action),
            call,
        }
    }

    fn action_of(
        &self,
        request: &PermissionRequest,
        stored: Option<&Value>,
        last_open: Option<&ToolCall>,
    ) -> Action {
        let last = last_open.map(ToolCall::to_value);
        let view = RequestView {
            tool_call: &request.tool_call,
            stored,
            last_open: last.as_ref(),
            meta: Some(&request.meta),
            options: &request.raw_options,
            cwd: self.root,
        };
        let action = normalize::permission(&view, &self.facts.agent_names(self.offered));
        let action = self.facts.by_own_name(action, self.offered);
        let by_hook = match &action.identity {
            Identity::Unknown => self.hook.of(&action.own_arguments()).cloned(),
            _ => None,
        };
        by_hook.unwrap_or(action)
    }
}

impl AgentFacts {
    /// A tool of ours that this agent has under another name is ours all the same.
    pub(in crate::session) fn by_own_name(&self, mut action: Action, offered: &[Tool]) -> Action {
        if let Identity::OtherMcp { server, tool } = &action.identity
            && server == SERVER
            && let Some(own) = self.names.renamed_from(tool)
            && offered.contains(&own)
        {
            action.identity = Identity::OwnTool(own);
        }
        action
    }

    pub(in crate::session) fn agent_names<'a>(&'a self, offered: &'a [Tool]) -> AgentNames<'a> {
        AgentNames {
            quirks: &self.profile.guard.quirks,
            tool_name_in_meta: &self.profile.guard.tool_name_in_meta,
            server: SERVER,
            own_tools: offered,
            title_is_command: !self.profile.guard.title_is_prose,
        }
    }
}

/// The call that a request is about: what is known of it says so where the request names none (OpenHands).
fn call_id(request: &PermissionRequest, action: &Action) -> Option<String> {
    text_of(&action.raw, "toolCallId")
        .or(request.tool_call_id())
        .map(str::to_owned)
}
