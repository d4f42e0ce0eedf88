//! What a request is about, and what the guard says of it, with the places of its paths looked up on disk.

use crate::event::RequestChannel;
use serde_json::Value;
use siderail_acp::permission::PermissionRequest;
use siderail_acp::tool_call::ToolCall;
use siderail_guard::decision::Decision;
use siderail_guard::normalize::{self, AgentNames, RequestView};
use siderail_guard::path::{PathFact, Place, locate};
use siderail_guard::planning;
use siderail_guard::shell::Dialect;
use siderail_guard::{Action, ActionKind, Context, Identity, decide};

use crate::session::Session;
use crate::session::guidance::denials::fingerprint;
use crate::session::own_calls::expected::OwnCalled;
use crate::session::permissions::command_lines::Facts;
use crate::session::permissions::preview::words_of;
use crate::session::permissions::question::Asked;
use crate::session::permissions::question::RequestedAction;
use crate::session::permissions::shell_language::dialect_of;
use crate::session::views::text_of;
use crate::shared::Shared;
use crate::tools::SERVER;

impl Session {
    /// What a request asks for, and what the guard says.
    /// `hook_denies`: what the guard denies, the agent's hook denies after the answer.
    pub(in crate::session) fn asked_about(
        &self,
        request: &PermissionRequest,
        hook_denies: bool,
        shared: &Shared,
    ) -> Asked {
        let acp = self.handshake.acp.as_ref();
        let known = request.tool_call_id().and_then(|id| acp?.tool_call(id));
        let stored = known.map(ToolCall::to_value);
        let last = acp.and_then(siderail_acp::Session::last_open_call);
        let action = self.action_of(request, stored.as_ref(), last, shared);
        let id = call_id(request, &action);
        let decision = self.decide(&action, shared);
        let own = OwnCalled::of(&action, decision.reason, id.as_ref());
        let mut asked = Asked {
            decision,
            action,
            calls: id.into_iter().collect(),
            also: Vec::new(),
            own: own.into_iter().collect(),
        };
        let is_named = asked.calls.first().map(String::as_str) == request.tool_call_id();
        if is_named {
            return asked;
        }
        // It names no call (OpenHands): it is about all that are open and were not asked about before.
        let calls = acp.into_iter().flat_map(siderail_acp::Session::tool_calls);
        let others = calls.filter(|call| {
            call.announced
                && call.is_open()
                && !asked.calls.contains(&call.id)
                && !self.turn.asked_calls.contains(&call.id)
        });
        for call in others.collect::<Vec<_>>() {
            let action = self.action_of(request, None, Some(call), shared);
            let decision = self.decide(&action, shared);
            asked.with(action, decision, call.id.clone(), hook_denies);
        }
        asked
    }

    fn action_of(
        &self,
        request: &PermissionRequest,
        stored: Option<&Value>,
        last_open: Option<&ToolCall>,
        shared: &Shared,
    ) -> Action {
        let cwd = self.root_text();
        let last = last_open.map(ToolCall::to_value);
        let view = RequestView {
            tool_call: &request.tool_call,
            stored,
            last_open: last.as_ref(),
            meta: Some(&request.meta),
            options: &request.raw_options,
            cwd: &cwd,
        };
        let action = normalize::permission(&view, &self.agent_names(&shared.offered));
        let action = self.by_own_name(action, shared);
        match &action.identity {
            Identity::Unknown => self.named_by_hook(&action).unwrap_or(action),
            _ => action,
        }
    }

    /// A tool of ours that this agent has under another name is ours all the same.
    pub(in crate::session) fn by_own_name(&self, mut action: Action, shared: &Shared) -> Action {
        if let Identity::OtherMcp { server, tool } = &action.identity
            && server == SERVER
        {
            let own = self.facts.names.own_name(tool);
            if own != tool && shared.offered.contains(&own) {
                action.identity = Identity::OwnTool(own.to_owned());
            }
        }
        action
    }

    pub(in crate::session) fn agent_names<'a>(
        &'a self,
        offered: &'a [&'static str],
    ) -> AgentNames<'a> {
        AgentNames {
            quirks: &self.facts.profile.guard.quirks,
            server: SERVER,
            own_tools: offered,
            title_is_command: !self.facts.profile.guard.title_is_prose,
        }
    }

    /// What the guard says, with the places of all paths looked up on disk.
    pub(in crate::session) fn decide(&self, action: &Action, shared: &Shared) -> Decision {
        let mut places = self.places(&action.paths);
        if action.command.is_some() {
            places.push(self.place(&action.run_folder(&self.root_text())));
        }
        let followed = self.line_of(action).map(|line| self.follow(&line));
        let facts = Facts {
            places,
            followed: followed.unwrap_or_default(),
        };
        let always = self.is_always_allowed(self.remembered(action).as_ref());
        let dialect = dialect_of(&action.identity);
        let decision =
            self.with_context(dialect, &facts, always, shared, |ctx| decide(action, ctx));
        let decision = self.with_yolo(decision, &action.paths);
        let decision = self.unless_it_cannot_work(action, decision);
        if self.is_plan_file(action) {
            return decision;
        }
        self.while_planning(decision, |decision, exit_tool| {
            self.with_context(dialect, &facts, always, shared, |ctx| {
                planning::restrain(action, decision, ctx, exit_tool)
            })
        })
    }

    pub(in crate::session) fn places(&self, paths: &[String]) -> Vec<PathFact> {
        paths.iter().map(|given| self.place(given)).collect()
    }

    /// Where a path truly lies: links followed; what cannot be followed counts as outside.
    pub(in crate::session) fn place(&self, given: &str) -> PathFact {
        if given.starts_with('~') {
            let root = self.root_text();
            return locate(given, &root, &root, self.home());
        }
        let found = self.place.confinement.resolve(given).ok();
        let relative = found.and_then(|found| self.place.confinement.unquoted(&found.absolute));
        let place = match relative {
            Some(relative) => Place::Inside { relative },
            None => Place::Outside,
        };
        PathFact {
            given: given.to_owned(),
            place,
        }
    }

    pub(in crate::session) fn home(&self) -> Option<&str> {
        self.place.home.as_deref()
    }

    pub(in crate::session) fn with_context<T>(
        &self,
        dialect: Dialect,
        facts: &Facts,
        always_allowed: bool,
        shared: &Shared,
        act: impl FnOnce(&Context<'_>) -> T,
    ) -> T {
        let root = self.root_text();
        act(&Context {
            policy: self.facts.policy,
            root: &root,
            cwd: &root,
            home: self.home(),
            offered: &shared.offered,
            dialect,
            places: &facts.places,
            links: &facts.followed.links,
            untold: &facts.followed.untold,
            name_trusted: self.trusts_names(),
            always_allowed,
            pass_tools: &self.facts.profile.guard.pass_tools,
            tool_as_seen: &self.facts.names,
        })
    }

    pub(in crate::session) fn requested_action(
        &self,
        action: &Action,
        decision: &Decision,
        tool_call_id: Option<String>,
        channel: RequestChannel,
        shared: &mut Shared,
    ) -> RequestedAction {
        RequestedAction {
            request_id: shared.request_number(),
            tool_call_id,
            fingerprint: fingerprint(action),
            tool: action.identity.label(),
            kind: decision.kind.to_owned(),
            text: words_of(action),
            paths: self.relative_paths(&action.paths),
            channel,
            writes: !action.identity.is_own()
                && matches!(
                    action.kind,
                    ActionKind::Edit | ActionKind::Delete | ActionKind::Move
                ),
            command: self.command_in(action),
            remember: decision
                .reason
                .may_be_remembered()
                .then(|| self.remembered(action))
                .flatten(),
            shown: self
                .shown_of(action)
                .because(self.reasons(action, decision)),
            own: Vec::new(),
        }
    }

    /// Adds what the same yes is for besides. What was shown as several things is not remembered as one of them.
    pub(in crate::session) fn and_with_it(&self, requested: &mut RequestedAction, also: &[Action]) {
        for action in also {
            requested.text = format!("{}\nand with it: {}", requested.text, words_of(action));
            requested.remember = None;
            let more = self.shown_of(action);
            let paths = self.relative_paths(&action.paths);
            for (to, from) in [
                (&mut requested.paths, paths),
                (&mut requested.shown.outside, more.outside),
            ] {
                let is_new = |path: &String| !to.contains(path);
                let new: Vec<String> = from.into_iter().filter(is_new).collect();
                to.extend(new);
            }
            requested.shown.diffs.extend(more.diffs);
        }
    }

    pub(in crate::session) fn relative_paths(&self, paths: &[String]) -> Vec<String> {
        let relative = |path: &String| match self.place.confinement.resolve(path) {
            Ok(found) => found.relative,
            Err(_) => path.clone(),
        };
        paths.iter().map(relative).collect()
    }
}

/// The call that a request is about: what is known of it says so where the request names none (OpenHands).
fn call_id(request: &PermissionRequest, action: &Action) -> Option<String> {
    text_of(&action.raw, "toolCallId")
        .or(request.tool_call_id())
        .map(str::to_owned)
}
