//! What the guard says of an action, with all that only the disk knows of it: where its paths lie, the links on the way of
//! its command, whether it was allowed for good; and what a question about it would show.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use siderail_guard::decision::{Decision, Reason, Verdict};
use siderail_guard::path::make_absolute;
use siderail_guard::planning::{is_plan_edit, restrain, restrain_own_tool};
use siderail_guard::shell::Dialect;
use siderail_guard::{
    Action, Context, Identity, Tool, decide, own_tool_gate, paths_of_danger, with_dangers_allowed,
    with_named_program,
};

use crate::event::RequestChannel;
use crate::memory::Allowed;
use crate::session::own_calls::call::named_paths;
use crate::session::permissions::action::{Asked, ToJudge};
use crate::session::permissions::by_name::claimed_call;
use crate::session::permissions::command_lines::{Facts, Followed};
use crate::session::permissions::judge::{Basis, Judge, Judged, JudgedCall};
use crate::session::permissions::preview::words_of;
use crate::session::permissions::shell_language::dialect_of;
use crate::session::prompt_turn::turn_denials::fingerprint;
use crate::session::question::RequestedAction;
use crate::session::worker::Sight;
use crate::views::text_of;

/// Paths that a call may name and still be judged on the engine's loop.
const MOST_AT_ONCE: usize = 8;

impl Judge {
    /// All that a permission request is about. `hook_denies`: what the guard denies, the agent's hook denies after the
    /// answer.
    pub(in crate::session) fn request(
        &self,
        asked: &ToJudge,
        hook_denies: bool,
    ) -> (Asked, RequestedAction) {
        let decision = self.decide(&asked.action);
        let own = claimed_call(&asked.action, decision.reason, asked.call.as_ref());
        let first = Asked::new(Arc::clone(&asked.action), decision, asked.call.clone(), own);
        let asked = asked.others.iter().fold(first, |mut all, (action, call)| {
            let decision = self.decide(action);
            all.with(Arc::clone(action), decision, call.clone(), hook_denies);
            all
        });
        let call = asked.calls.first().cloned();
        let channel = RequestChannel::Acp;
        let mut requested = self.requested(&asked.action, &asked.decision, call, channel);
        self.and_with_it(&mut requested, &asked.also);
        requested.own.clone_from(&asked.own);
        (asked, requested)
    }

    /// An action that nobody asks about first.
    pub(in crate::session) fn action(
        &self,
        action: &Action,
        call: Option<String>,
        channel: RequestChannel,
    ) -> Judged {
        let decision = self.decide(action);
        let requested = self.requested(action, &decision, call, channel);
        Judged {
            decision,
            requested,
        }
    }

    /// A call at our server.
    pub(in crate::session) fn call(&self, tool: Tool, arguments: &Value) -> JudgedCall {
        self.call_as(self.gate(tool, arguments), tool, arguments)
    }

    fn call_as(&self, decision: Decision, tool: Tool, arguments: &Value) -> JudgedCall {
        let asks = decision.verdict == Verdict::Ask;
        JudgedCall {
            cannot_work: asks.then(|| self.cannot_work(tool, arguments)).flatten(),
            files: self.written_files(tool, arguments),
            judged: Judged {
                requested: self.requested_call(tool, arguments, &decision),
                decision,
            },
        }
    }

    /// The same, judged without the disk; `None` where the disk might change the answer.
    pub(in crate::session) fn call_at_once(
        &self,
        tool: Tool,
        arguments: &Value,
    ) -> Option<JudgedCall> {
        let paths = named_paths(arguments);
        let runs_something = text_of(arguments, "command").is_some() || tool.is_git();
        if runs_something || paths.len() > MOST_AT_ONCE {
            return None;
        }
        let known =
            |path: String| Some((path.clone(), self.of.confinement.resolve_at_once(&path)?));
        let mut judge = self.with(Sight::Blind);
        judge.known = paths.into_iter().map(known).collect::<Option<_>>()?;
        let decision = judge.gate(tool, arguments);
        // Other reasons may depend on what was allowed for good, or have somebody be asked.
        let is_simple = decision.reason == Reason::OwnTool;
        is_simple.then(|| judge.call_as(decision, tool, arguments))
    }

    /// What the guard says, with the places of all paths looked up on disk.
    pub(in crate::session) fn decide(&self, action: &Action) -> Decision {
        let mut places = self.places(&action.paths);
        if action.command.is_some() {
            places.push(self.place(&action.run_folder(&self.of.root)));
        }
        let followed = self.line_of(action).map(|line| self.follow(&line));
        let facts = Facts {
            places,
            followed: followed.unwrap_or_default(),
        };
        let dialect = dialect_of(&action.identity);
        let remembered = || self.remembered(action);
        let decision = self.with_memory(dialect, &facts, remembered, |ctx| {
            self.with_dangers(decide(action, ctx), &action.paths, ctx)
        });
        let decision = self.unless_it_cannot_work(action, decision);
        match &self.of.planning {
            Some(planning) if !self.is_plan_file(action) => {
                self.with_context(dialect, &facts, false, |ctx| {
                    restrain(action, decision, ctx, planning.exit_tool.as_deref())
                })
            }
            _ => decision,
        }
    }

    /// The same for a call of one of our tools.
    pub(in crate::session) fn gate(&self, tool: Tool, arguments: &Value) -> Decision {
        let paths = named_paths(arguments);
        let line = self.line_of_call(tool, arguments);
        let facts = Facts {
            places: self.places(&paths),
            followed: line.map_or_else(Followed::default, |line| self.follow(&line)),
        };
        let dialect = dialect_of(&Identity::OwnTool(tool));
        let remembered = || Some(self.remembered_call(tool, arguments));
        let runs_filter = self.runs_filter(tool, &paths);
        let decision = self.with_memory(dialect, &facts, remembered, |ctx| {
            let mut decision = own_tool_gate(tool, arguments, ctx);
            if runs_filter {
                decision = with_named_program(decision, ctx);
            }
            self.with_dangers(decision, &paths, ctx)
        });
        match &self.of.planning {
            Some(planning) => self.with_context(dialect, &facts, false, |ctx| {
                let exit_tool = planning.exit_tool.as_deref();
                restrain_own_tool(tool, arguments, decision, ctx, exit_tool)
            }),
            None => decision,
        }
    }

    /// What is decided. What was allowed for good is read from the disk, but only where that matters: most is allowed or
    /// denied whatever it says.
    fn with_memory(
        &self,
        dialect: Dialect,
        facts: &Facts,
        remembered: impl FnOnce() -> Option<Allowed>,
        decided: impl Fn(&Context<'_>) -> Decision,
    ) -> Decision {
        let decision = self.with_context(dialect, facts, false, &decided);
        let matters = decision.verdict == Verdict::Ask || decision.reason == Reason::PolicyAllows;
        let is_allowed = || remembered().is_some_and(|action| self.of.memory.allows(&action));
        match matters && self.sight == Sight::Clear && is_allowed() {
            true => self.with_context(dialect, facts, true, &decided),
            false => decision,
        }
    }

    /// With what `yolo` may do, as the guard has it once it knows where the paths in question lie.
    fn with_dangers(&self, decision: Decision, paths: &[String], ctx: &Context<'_>) -> Decision {
        let asked = paths_of_danger(&decision, paths, ctx);
        let places = (self.sight == Sight::Clear).then(|| self.places(&asked));
        with_dangers_allowed(decision, &asked, places.as_deref(), ctx)
    }

    fn with_context<T>(
        &self,
        dialect: Dialect,
        facts: &Facts,
        always_allowed: bool,
        act: impl FnOnce(&Context<'_>) -> T,
    ) -> T {
        let Basis { facts: agent, .. } = &*self.of;
        act(&Context {
            policy: agent.policy,
            yolo_dangerous: self.of.yolo_dangerous,
            root: &self.of.root,
            roots: &self.of.roots,
            cwd: &self.of.root,
            home: self.of.home.as_deref(),
            offered: &self.of.offered,
            dialect,
            places: &facts.places,
            links: &facts.followed.links,
            untold: &facts.followed.untold,
            name_trusted: self.of.name_trusted,
            always_allowed,
            pass_tools: &agent.profile.guard.pass_tools,
            tool_as_seen: &agent.names,
            protected_places: &self.of.protected_places,
        })
    }

    /// True for an edit of the file in which the agent keeps its plan: a file of its own, outside of the project.
    fn is_plan_file(&self, action: &Action) -> bool {
        let Some(part) = self.of.plan_files.as_deref() else {
            return false;
        };
        let is_outside = |path: &String| {
            let path = make_absolute(path, &self.of.root);
            self.sight == Sight::Clear && self.resolve(&path).is_err()
        };
        is_plan_edit(action, part, &self.of.root) && action.paths.iter().all(is_outside)
    }

    /// Whether git would run a filter of the repository's for this.
    pub(in crate::session) fn runs_filter(&self, tool: Tool, paths: &[String]) -> bool {
        if !tool.is_git() {
            return false;
        }
        if self.sight == Sight::Blind {
            return true;
        }
        let resolved = paths.iter().filter_map(|path| self.resolve(path).ok());
        let paths: Vec<PathBuf> = resolved.map(|found| found.absolute).collect();
        crate::tools::git::filters::may_run(tool, self.of.confinement.root(), &paths)
    }

    fn written_files(&self, tool: Tool, arguments: &Value) -> Vec<PathBuf> {
        if crate::tools::changes_repository(tool, arguments) {
            // Two runs of git at once would find each other's lock.
            return vec![self.of.confinement.root().join(".git")];
        }
        let paths = tool
            .written_paths()
            .iter()
            .filter_map(|name| text_of(arguments, name));
        let found = paths.filter_map(|path| self.resolve(path).ok());
        found.map(|found| found.absolute).collect()
    }

    /// What a question about an action is about and shows. Its number is given when it is asked.
    pub(in crate::session) fn requested(
        &self,
        action: &Action,
        decision: &Decision,
        tool_call_id: Option<String>,
        channel: RequestChannel,
    ) -> RequestedAction {
        let may_be_remembered = self.may_be_remembered(decision);
        let inside = action
            .paths
            .iter()
            .filter_map(|path| self.resolve(path).ok());
        RequestedAction {
            request_id: 0,
            tool_call_id,
            fingerprint: fingerprint(action),
            tool: action.identity.label(),
            kind: decision.kind.into(),
            text: self.commit_in(action).unwrap_or_else(|| words_of(action)),
            paths: self.relative_paths(&action.paths),
            inside: inside.map(|found| found.absolute).collect(),
            channel,
            writes: !action.identity.is_own() && action.kind.changes_files(),
            command: self.command_in(action),
            remember: may_be_remembered.then(|| self.remembered(action)).flatten(),
            shown: self
                .shown_of(action)
                .because(self.reasons(action, decision)),
            own: Vec::new(),
        }
    }

    /// What could not be looked at could not be known again.
    fn may_be_remembered(&self, decision: &Decision) -> bool {
        self.sight == Sight::Clear && decision.reason.may_be_remembered()
    }

    /// Adds what the same yes is for besides. What was shown as several things is not remembered as one of them.
    fn and_with_it(&self, requested: &mut RequestedAction, also: &[Arc<Action>]) {
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

    fn requested_call(
        &self,
        tool: Tool,
        arguments: &Value,
        decision: &Decision,
    ) -> RequestedAction {
        let asks = decision.verdict == Verdict::Ask;
        let commit = asks.then(|| self.commit_words(tool, arguments));
        let text = commit
            .flatten()
            .or_else(|| crate::tools::asked_for(tool, arguments))
            .or_else(|| text_of(arguments, "command").map(str::to_owned))
            .unwrap_or_else(|| arguments.to_string());
        let paths = named_paths(arguments);
        let may_be_remembered = self.may_be_remembered(decision);
        RequestedAction {
            request_id: 0,
            tool_call_id: None,
            fingerprint: String::new(),
            tool: tool.name().to_owned(),
            kind: decision.kind.into(),
            text,
            paths: self.relative_paths(&paths),
            inside: Vec::new(),
            channel: RequestChannel::Own,
            writes: false,
            command: None,
            own: Vec::new(),
            remember: may_be_remembered.then(|| self.remembered_call(tool, arguments)),
            shown: self.shown_of_call(tool, arguments, decision, &paths),
        }
    }
}
