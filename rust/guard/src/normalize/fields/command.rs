//! The command line of a tool call, in every shape that agents send it.
//!
//! It joins what the fields hold and judges nothing of it.

use serde_json::{Map, Value};

use super::patch;
use crate::builtin;

/// Fields that hold a command line.
const COMMAND_KEYS: [&str; 4] = ["command", "cmd", "commands", "script"];

/// What a tool types into a command that runs.
const TYPED_KEYS: [&str; 3] = ["chars", "input", "text"];

/// The command line in `rawInput`, for the tool of that name (empty when it has none).
pub(in crate::normalize) fn command(raw_input: &Value, tool: &str) -> Option<String> {
    let line = match raw_input {
        Value::Object(fields) if is_editor_operation(fields, tool) => None,
        Value::Object(fields) => command_lines(fields).or_else(|| typed_text(fields, tool)),
        Value::String(text) if builtin::Deed::of_tool(tool) == Some(builtin::Deed::Shell) => {
            Some(text.clone())
        }
        _ => None,
    }?;
    let is_only_patch = patch::plain(&line).is_some();
    (!is_only_patch && !line.trim().is_empty()).then_some(line)
}

/// The command line in a title. Back-ticks go; a trailing ` (description)` goes only where a field
/// says the same, for a command may end in a subshell.
pub(in crate::normalize) fn command_in_title(title: &str, raw_input: &Value) -> Option<String> {
    let title = title.trim();
    let bare = title
        .strip_prefix('`')
        .and_then(|rest| rest.strip_suffix('`'))
        .filter(|inner| !inner.contains('`'))
        .unwrap_or(title);
    let described = raw_input["description"]
        .as_str()
        .and_then(|description| bare.strip_suffix(&format!(" ({description})")));
    let line = described.unwrap_or(bare);
    let names_a_tool = builtin::Deed::of_tool(line).is_some();
    (!line.is_empty() && !names_a_tool).then(|| line.to_owned())
}

/// File editors have a `command` that names one of their own operations, beside a path.
fn is_editor_operation(fields: &Map<String, Value>, tool: &str) -> bool {
    let operation = fields
        .get("command")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let is_operation = matches!(
        operation,
        "view" | "create" | "str_replace" | "insert" | "undo_edit"
    );
    is_operation && (builtin::is_file_editor(tool) || fields.contains_key("path"))
}

fn typed_text(fields: &Map<String, Value>, tool: &str) -> Option<String> {
    if builtin::Deed::of_tool(tool) != Some(builtin::Deed::ShellInput) {
        return None;
    }
    TYPED_KEYS
        .iter()
        .find_map(|key| fields.get(*key)?.as_str())
        .map(str::to_owned)
}

/// Every command that the fields hold: which of them the tool reads is not told, and a model may
/// add one to hide another. Copilot's `commands` are the parts of its `command`.
fn command_lines(fields: &Map<String, Value>) -> Option<String> {
    let mut all: Vec<String> = Vec::new();
    for key in COMMAND_KEYS {
        let Some(text) = fields.get(key).and_then(|value| command_text(key, value)) else {
            continue;
        };
        let are_parts = key == "commands"
            && all
                .iter()
                .any(|line| text.lines().all(|part| line.contains(part)));
        if !are_parts && !all.contains(&text) {
            all.push(text);
        }
    }
    (!all.is_empty()).then(|| all.join("\n"))
}

/// A command as text, as a list of words, or as either of them in JSON.
fn command_text(key: &str, value: &Value) -> Option<String> {
    match value {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(list @ Value::Array(_)) => command_text(key, &list),
            _ => Some(text.clone()),
        },
        Value::Array(items) => {
            let words: Vec<&str> = items.iter().map(Value::as_str).collect::<Option<_>>()?;
            Some(if key == "commands" {
                words.join("\n")
            } else {
                command_line(&words)
            })
        }
        _ => None,
    }
    .filter(|text| !text.trim().is_empty())
}

/// One line for a list of words; `bash -lc LINE` is its line.
fn command_line(words: &[&str]) -> String {
    if let [shell, flags, line] = words {
        let name = shell.rsplit('/').next().unwrap_or(shell);
        let is_shell = matches!(name, "sh" | "bash" | "zsh" | "dash" | "ksh");
        if is_shell && matches!(*flags, "-c" | "-lc" | "-ic" | "-lic") {
            return (*line).to_owned();
        }
    }
    words
        .iter()
        .map(|word| quoted(word))
        .collect::<Vec<_>>()
        .join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_command_is_found_in_every_shape_that_agents_send() {
        for (raw_input, want) in [
            (json!({"command": "ls -la"}), Some("ls -la")),
            (json!({"cmd": "ls"}), Some("ls")),
            (
                json!({"command": ["/bin/bash", "-lc", "cat a; ls"]}),
                Some("cat a; ls"),
            ),
            (
                json!({"command": ["rg", "a b", "src"]}),
                Some("rg 'a b' src"),
            ),
            (json!({"command": "[\"bash\",\"-lc\",\"ls\"]"}), Some("ls")),
            (json!({"commands": ["ls", "pwd"]}), Some("ls\npwd")),
            (
                json!({"command": "ls && pwd", "commands": ["ls", "pwd"]}),
                Some("ls && pwd"),
            ),
            (
                json!({"command": "ls", "cmd": "rm -rf src"}),
                Some("ls\nrm -rf src"),
            ),
            (
                json!({"command": "echo rm -rf src", "cmd": "rm -rf src"}),
                Some("echo rm -rf src\nrm -rf src"),
            ),
            (
                json!({"command": "[ -f x ] && rm x"}),
                Some("[ -f x ] && rm x"),
            ),
            (json!({"command": "  "}), None),
            (json!({"command": 7}), None),
            (json!({"command": ["a", 1]}), None),
            (json!({"command": "view", "path": "a"}), None),
            (json!({"command": "*** Begin Patch\n*** End Patch"}), None),
            (json!("ls"), None),
            (json!(null), None),
        ] {
            assert_eq!(command(&raw_input, "").as_deref(), want, "{raw_input}");
        }
        assert_eq!(command(&json!("ls"), "bash").as_deref(), Some("ls"));
        assert_eq!(
            command(&json!({"chars": "ls\n"}), "write_stdin").as_deref(),
            Some("ls\n")
        );
        assert_eq!(command(&json!({"chars": "ls\n"}), "other"), None);
    }

    #[test]
    fn a_title_gives_its_command_whole_unless_a_field_says_what_to_drop() {
        let none = json!({});
        let described = json!({"description": "tests"});
        for (title, raw_input, want) in [
            ("./gradlew test", &none, Some("./gradlew test")),
            ("`ls -la`", &none, Some("ls -la")),
            ("./gradlew test (tests)", &described, Some("./gradlew test")),
            (
                "cd src; (cat App.java)",
                &none,
                Some("cd src; (cat App.java)"),
            ),
            (
                "cd src; (cat App.java)",
                &described,
                Some("cd src; (cat App.java)"),
            ),
            ("`a` `b`", &none, Some("`a` `b`")),
            ("Terminal", &none, None),
            ("bash", &none, None),
            (" ", &none, None),
        ] {
            assert_eq!(
                command_in_title(title, raw_input).as_deref(),
                want,
                "{title}"
            );
        }
    }
}
