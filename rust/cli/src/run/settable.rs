//! Words on what an agent lets be set, on its slash commands, and on what it changed. Plain text for a terminal.

use siderail_engine::event::{AgentCommand, ChangedFile, OptionChoice, SessionOption};

use crate::render::diff;
use crate::style::{harmless, name, one_line};

/// Characters of a name or a description.
const WORDS: usize = 80;
/// Choices and commands that are listed.
const MOST: usize = 40;

/// Modes and options, with what is in force.
pub(super) fn text(
    mode: Option<&str>,
    modes: &[OptionChoice],
    options: &[SessionOption],
) -> String {
    let mut text = String::new();
    if !modes.is_empty() {
        text += &format!("mode: {}\n", choices(modes, mode.unwrap_or_default()));
    }
    for option in options {
        let name = one_line(&option.id, WORDS);
        let values = match option.choices.as_slice() {
            [] => one_line(&option.current, WORDS),
            all => choices(all, &option.current),
        };
        text += &format!("{name}: {values}\n");
    }
    text
}

/// The agent's own slash commands.
pub(super) fn commands(commands: &[AgentCommand]) -> String {
    let mut text = String::new();
    for command in commands.iter().take(MOST) {
        let hint = command.hint.as_deref().unwrap_or_default();
        let words = format!("/{} {hint}", command.name);
        let description = one_line(&command.description, WORDS);
        text += &format!("  {:<20}{description}\n", one_line(words.trim(), WORDS));
    }
    if commands.len() > MOST {
        text += &format!("  and {} more\n", commands.len() - MOST);
    }
    match text.is_empty() {
        true => text,
        false => format!("The agent's own:\n{text}"),
    }
}

/// What a command put out.
pub(super) fn output(text: &str) -> String {
    format!("{}\n", harmless(text.trim_end()))
}

/// What files were changed to, by their paths.
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

fn choices(all: &[OptionChoice], current: &str) -> String {
    let choice = |choice: &OptionChoice| {
        let value = one_line(&choice.value, WORDS);
        match choice.value == current {
            true => format!("[{value}]"),
            false => value,
        }
    };
    let shown: Vec<String> = all.iter().take(MOST).map(choice).collect();
    let more = all.len().saturating_sub(MOST);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("{}{more}", shown.join(", "))
}
