//! What commands of the chat show of the last turn and of the agent: changed files (`/diff`), a command's output
//! (`/output`) and the agent's slash commands (`/help`). Plain text for a terminal.

use siderail_engine::event::{AgentCommand, ChangedFile};

use crate::render::diff;
use crate::style::{harmless, name, one_line};

/// Characters of a command with its hint.
const WORDS: usize = 80;
/// Characters of what a command does.
const DESCRIPTION: usize = 300;
/// Commands that are listed.
const MOST: usize = 40;

/// The agent's own slash commands.
pub(super) fn commands(commands: &[AgentCommand]) -> String {
    let mut text = String::new();
    for command in commands.iter().take(MOST) {
        let hint = command.hint.as_deref().unwrap_or_default();
        let words = format!("/{} {hint}", command.name);
        let description = one_line(&command.description, DESCRIPTION);
        text += &format!("  {:<19} {description}\n", one_line(words.trim(), WORDS));
    }
    if commands.len() > MOST {
        text += &format!("  and {} more\n", commands.len() - MOST);
    }
    match text.is_empty() {
        true => text,
        false => format!("The agent's own:\n{text}"),
    }
}

/// A command's output.
pub(super) fn output(text: &str) -> String {
    format!("{}\n", harmless(text.trim_end()))
}

/// The diff of each changed file, by its path.
pub(super) fn changes(files: &[ChangedFile]) -> Vec<(String, String)> {
    let file = |file: &ChangedFile| {
        let diff = match (&file.old_text, &file.new_text) {
            (None, None) => String::new(),
            (old, new) => {
                let new = new.as_deref().unwrap_or_default();
                diff::unified(&file.path, old.as_deref(), new)
            }
        };
        let text = format!("{} {}\n{}", file.kind, name(&file.path), harmless(&diff));
        (file.path.clone(), text)
    };
    files.iter().map(file).collect()
}
