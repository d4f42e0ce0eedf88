//! What the person has decided beforehand: actions that are always allowed.
//!
//! The guard decides whether any of it counts. This file only says how exactly an action is remembered: too little, and
//! one `Always` would also allow another action.

use std::collections::BTreeMap;

use serde_json::Value;
use siderail_guard::{Action, Identity, Tool};

use crate::memory::{Allowed, Memory};
use crate::session::CommandIn;
use crate::session::permissions::judge::Judge;
use crate::session::worker::Sight;
use crate::views::text_of;

impl Judge {
    /// What `Always` remembers of an action; `None` if too little is known of it to recognise it again.
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
                let tool = format!("{} by {tool}", action.kind.acp());
                Some(Allowed::files(&tool, paths.collect()))
            }
            _ if arguments.is_null() => None,
            _ => Some(Allowed::call(&tool, arguments)),
        }
    }

    /// The same of a call at our server.
    pub(in crate::session) fn remembered_call(&self, tool: Tool, arguments: &Value) -> Allowed {
        match text_of(arguments, "command") {
            Some(command) => {
                let named = text_of(arguments, "working_dir").unwrap_or_default();
                self.remembered_command(command, self.folder_at(named))
            }
            None => Allowed::call(tool.name(), &crate::tools::remembered(tool, arguments)),
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
    fn folder_of(&self, action: &Action) -> String {
        self.true_place(&action.run_folder(&self.of.root))
    }
}

/// What is damaged of the memory; it is said once and allows nothing.
pub(in crate::session) fn damage(memory: &Memory, sight: Sight) -> Option<String> {
    match sight {
        Sight::Clear => memory.check(),
        Sight::Blind => None,
    }
}

/// The memory with another action that is always allowed, and what a person reads if it cannot be saved.
pub(in crate::session) fn with_always(
    mut memory: Memory,
    action: Allowed,
    sight: Sight,
) -> (Memory, Option<String>) {
    let failed = match sight {
        Sight::Clear => memory.remember(action).err().map(|error| error.to_string()),
        Sight::Blind => {
            memory.believe(action);
            Some("the file system gives no answer".to_owned())
        }
    };
    let told = failed.map(|error| {
        format!("what is always allowed counts for this session only: it cannot be saved: {error}")
    });
    (memory, told)
}

fn works_on_files(action: &Action) -> bool {
    (action.kind.looks() || action.kind.changes_files()) && !action.paths.is_empty()
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
