//! Reads a command line out of the fields of a tool call, in every shape that agents send them, or out of its title.
//!
//! It joins what the fields hold and judges nothing of it. It names what it cannot join for certain, see
//! [`Run::unread`]. Which of fields, title and options counts is chosen in `normalize/runs.rs`.

use serde_json::{Map, Value};

use super::keys::{COMMAND_KEYS, TYPED_KEYS, WORD_KEYS};
use super::line::{command_line, command_text, is_plain, words_of};
use super::{members, patch};
use crate::action::ActionKind;
use crate::builtin;

/// What a call runs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::normalize) struct Run {
    /// The command line, as far as it is known.
    pub(in crate::normalize) line: Option<String>,
    /// Fields that may change what runs and were not understood.
    pub(in crate::normalize) unread: Vec<String>,
}

/// What `rawInput` runs, by the tool of that name (empty when it has none).
pub(in crate::normalize) fn run(raw_input: &Value, tool: &str) -> Run {
    let mut unread = members::unread(raw_input, tool);
    let line = match raw_input {
        Value::Object(fields) if is_editor_operation(fields, tool) => None,
        Value::Object(fields) => {
            command_lines(fields, &mut unread).or_else(|| typed_text(fields, tool))
        }
        Value::String(text) if builtin::of_tool(tool) == Some(ActionKind::Execute) => {
            Some(text.clone())
        }
        Value::Array(_) if builtin::of_tool(tool) == Some(ActionKind::Execute) => {
            command_text("argv", raw_input)
        }
        _ => None,
    };
    let line = line.filter(|line| patch::plain(line).is_none() && !line.trim().is_empty());
    Run { line, unread }
}

/// The command line in `rawInput`, see [`run`].
pub(in crate::normalize) fn command(raw_input: &Value, tool: &str) -> Option<String> {
    run(raw_input, tool).line
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
    let names_a_tool = builtin::of_tool(line).is_some();
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
    let runs_more = || {
        let mut keys = COMMAND_KEYS[1..].iter().chain(&WORD_KEYS);
        keys.any(|key| fields.get(*key).is_some_and(members::is_set))
    };
    is_operation && (builtin::is_file_editor(tool) || fields.contains_key("path")) && !runs_more()
}

fn typed_text(fields: &Map<String, Value>, tool: &str) -> Option<String> {
    if builtin::of_tool(tool) != Some(ActionKind::Input) {
        return None;
    }
    let typed = TYPED_KEYS
        .iter()
        .filter_map(|key| fields.get(*key)?.as_str());
    let typed: Vec<&str> = typed.filter(|text| !text.is_empty()).collect();
    (!typed.is_empty()).then(|| typed.join("\n"))
}

/// Every command that the fields hold: which of them the tool reads is unknown, and a model may add one to hide
/// another. Copilot's `commands` are the parts of its `command`.
fn command_lines(fields: &Map<String, Value>, unread: &mut Vec<String>) -> Option<String> {
    let mut all: Vec<String> = Vec::new();
    let mut program = None;
    for key in COMMAND_KEYS {
        let Some(text) = fields.get(key).and_then(|value| command_text(key, value)) else {
            continue;
        };
        let are_parts = key == "commands"
            && all
                .iter()
                .any(|line| text.lines().all(|part| line.contains(part)));
        if !are_parts && !all.contains(&text) {
            let is_word = fields[key] == text && is_plain(&text);
            program = (is_word && all.is_empty()).then(|| text.clone());
            all.push(text);
        }
    }
    let line = (!all.is_empty()).then(|| all.join("\n"))?;
    let words = WORD_KEYS
        .iter()
        .filter_map(|key| Some((*key, fields.get(*key)?)));
    let words: Vec<(&str, &Value)> = words.filter(|(_, value)| members::is_set(value)).collect();
    match (program, words.as_slice()) {
        (_, []) => Some(line),
        (Some(program), [(key, words)]) => Some(with_words(&program, key, words, unread)),
        (_, more) => {
            // How a whole line and words go together is the agent's secret: the worst is read.
            unread.extend(more.iter().map(|(key, _)| (*key).to_owned()));
            let texts = more.iter().flat_map(|(_, words)| raw_words(words));
            Some(texts.fold(line, |line, word| format!("{line} {word}")))
        }
    }
}

/// A program's name with its words; words in one text are taken as a shell reads them.
fn with_words(program: &str, key: &str, words: &Value, unread: &mut Vec<String>) -> String {
    if let Some(list) = words_of(words) {
        let all: Vec<&str> = std::iter::once(program).chain(list).collect();
        return command_line(&all);
    }
    let is_simple = words.as_str().is_some_and(|text| {
        text.split(' ')
            .all(|word| word.is_empty() || is_plain(word))
    });
    if !is_simple {
        unread.push(key.to_owned());
    }
    raw_words(words)
        .iter()
        .fold(program.to_owned(), |line, word| format!("{line} {word}"))
}

/// Every text of a value, unchanged.
fn raw_words(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
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
            (
                json!({"command": "rm", "args": ["-rf", "a b", "; x"]}),
                Some("rm -rf 'a b' '; x'"),
            ),
            (
                json!({"command": "bash", "args": ["-c", "rm -rf src"]}),
                Some("rm -rf src"),
            ),
            (
                json!({"program": "rm", "args": ["-rf", "src"]}),
                Some("rm -rf src"),
            ),
            (json!({"argv": ["rm", "-rf", "src"]}), Some("rm -rf src")),
            (
                json!({"command": "rm", "args": "-rf src"}),
                Some("rm -rf src"),
            ),
            (
                json!({"command": "make all", "args": ["; rm -rf src"]}),
                Some("make all ; rm -rf src"),
            ),
            (
                json!({"command": "view", "path": "a", "argv": ["rm", "a"]}),
                Some("view\nrm a"),
            ),
            (json!({"args": ["rm"]}), None),
            (json!({"command": {"cmd": "ls"}}), None),
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
