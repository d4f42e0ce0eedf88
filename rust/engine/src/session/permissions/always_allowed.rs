//! What the person has settled beforehand: actions that are always allowed, and what `yolo` may do.
//!
//! The guard decides whether any of it counts. Here is only what exactly an action is remembered as: too
//! little, and one `Always` would open the door to another action.

use std::collections::BTreeMap;

use serde_json::Value;
use siderail_guard::decision::{Decision, Reason, Verdict};
use siderail_guard::path::{is_protected, make_absolute};
use siderail_guard::policy::Policy;
use siderail_guard::{Action, ActionKind, Identity};

use crate::event::{EventBody, LogKind};
use crate::memory::Allowed;
use crate::session::views::text_of;
use crate::session::{CommandIn, Session};
use crate::shared::Shared;

impl Session {
    /// What `Always` remembers of an action; none where what is told of it is not enough to know it again.
    pub(in crate::session) fn remembered(&self, action: &Action) -> Option<Allowed> {
        if !action.is_told_whole() {
            return None;
        }
        let arguments = action.arguments();
        let tool = action.identity.label();
        match (&action.identity, &action.command) {
            (Identity::Unknown, _) => None,
            (Identity::Builtin(_) | Identity::OwnTool(_), Some(command)) => {
                Some(self.remembered_command(command, self.folder_of(action)))
            }
            (Identity::Builtin(_), None) if works_on_files(action) => {
                let paths = action.paths.iter().map(|path| self.true_place(path));
                // A tool may be called like one that does something else.
                let tool = format!("{} by {tool}", action.kind.as_str());
                Some(Allowed::files(&tool, paths.collect()))
            }
            _ if arguments.is_null() => None,
            _ => Some(Allowed::call(&tool, arguments)),
        }
    }

    /// The same of a call at our server.
    pub(in crate::session) fn remembered_call(&self, tool: &str, arguments: &Value) -> Allowed {
        match text_of(arguments, "command") {
            Some(command) => self.remembered_command(command, self.folder_named(arguments)),
            None => Allowed::call(tool, &crate::tools::remembered(tool, arguments)),
        }
    }

    fn remembered_command(&self, command: &str, folder: String) -> Allowed {
        let command = command.to_owned();
        Allowed::Command { command, folder }
    }

    /// The command of a tool of the agent's own, with its folder.
    pub(in crate::session) fn command_in(&self, action: &Action) -> Option<CommandIn> {
        let line = action
            .command
            .clone()
            .filter(|_| !action.identity.is_own())?;
        Some(CommandIn {
            line,
            folder: self.folder_of(action),
            env: variables(&action.arguments()["env"]),
        })
    }

    /// The folder that an action's command starts in, as it truly is.
    pub(in crate::session) fn folder_of(&self, action: &Action) -> String {
        self.true_place(&action.run_folder(&self.root_text()))
    }

    /// The folder that the arguments of a call at our server name, or the project's.
    fn folder_named(&self, arguments: &Value) -> String {
        let named = text_of(arguments, "working_dir").unwrap_or_default();
        self.folder_at(named)
    }

    /// A folder as it truly is; the project's where none is named.
    pub(in crate::session) fn folder_at(&self, named: &str) -> String {
        match named {
            "" => self.root_text(),
            named => self.true_place(&make_absolute(named, &self.root_text())),
        }
    }

    /// Where a path leads now: a link that is turned elsewhere is another file.
    fn true_place(&self, path: &str) -> String {
        let inside = self
            .place
            .confinement
            .resolve(path)
            .map(|found| found.absolute)
            .ok();
        let found = inside.or_else(|| std::fs::canonicalize(path).ok());
        found.map_or_else(|| path.to_owned(), |found| found.display().to_string())
    }

    /// At the start: what is damaged is said once and allows nothing.
    pub(in crate::session) fn check_memory(&self, shared: &mut Shared) {
        if let Some(text) = self.questions.memory.check() {
            tracing::warn!("{text}");
            let kind = LogKind::Notice;
            self.emit(EventBody::AgentLog { kind, text }, shared);
        }
    }

    /// True for what was allowed for good.
    pub(in crate::session) fn is_always_allowed(&self, action: Option<&Allowed>) -> bool {
        action.is_some_and(|action| self.questions.memory.allows(action))
    }

    /// The person chose `Always`. What may not be remembered comes without an action to remember.
    pub(in crate::session) fn allow_always(
        &mut self,
        action: Option<&Allowed>,
        shared: &mut Shared,
    ) {
        let Some(action) = action else { return };
        if let Err(error) = self.questions.memory.remember(action.clone()) {
            let text = format!(
                "what is always allowed counts for this session only: it is not written down: {error}"
            );
            tracing::warn!("{text}");
            let kind = LogKind::Notice;
            self.emit(EventBody::AgentLog { kind, text }, shared);
        }
    }

    /// With the setting for it `yolo` allows what is dangerous too, but nothing on protected files.
    pub(in crate::session) fn with_yolo(&self, decision: Decision, paths: &[String]) -> Decision {
        let is_meant = self.facts.policy == Policy::Yolo
            && self.options.settings.yolo_dangerous
            && decision.verdict == Verdict::Ask
            && decision.reason == Reason::Dangerous;
        let touched = decision.findings.iter().flat_map(|finding| &finding.paths);
        let mut touched = touched.chain(paths);
        if !is_meant || touched.any(|path| self.is_protected_file(path)) {
            return decision;
        }
        Decision {
            verdict: Verdict::Allow,
            reason: Reason::PolicyAllows,
            ..decision
        }
    }

    /// By its name or by where it leads; folders above the project say nothing.
    pub(in crate::session) fn is_protected_file(&self, path: &str) -> bool {
        let root = self.root_text();
        let named = path.strip_prefix(root.as_str()).unwrap_or(path);
        let true_place = self.place.confinement.resolve(path);
        let true_name = true_place
            .ok()
            .and_then(|found| self.place.confinement.unquoted(&found.absolute));
        is_protected(named) || true_name.is_some_and(|name| is_protected(&name))
    }
}

fn works_on_files(action: &Action) -> bool {
    use ActionKind as K;
    let is_file_tool = matches!(
        action.kind,
        K::Read | K::Edit | K::Delete | K::Move | K::Search
    );
    is_file_tool && !action.paths.is_empty()
}

/// The variables that a command's input sets: an object, or ACP's list of names with values.
fn variables(env: &Value) -> BTreeMap<String, String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match env {
        Value::Object(env) => {
            let pairs = env
                .iter()
                .map(|(name, value)| Some((name.clone(), text(value)?)));
            pairs.flatten().collect()
        }
        Value::Array(env) => {
            let pairs = env
                .iter()
                .map(|one| Some((text(&one["name"])?, text(&one["value"])?)));
            pairs.flatten().collect()
        }
        _ => BTreeMap::new(),
    }
}
