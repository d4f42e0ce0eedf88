//! One command line from what a field holds: a text, a list of words, or either of them in JSON.
//!
//! It does not know which fields there are, but for the one whose list is of lines.

use serde_json::Value;

use crate::shell::is_posix_shell;

/// A command as text, as a list of words, or as either of them in JSON.
pub(super) fn command_text(key: &str, value: &Value) -> Option<String> {
    match value {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(list @ Value::Array(_)) => command_text(key, &list),
            _ => Some(text.clone()),
        },
        Value::Array(_) => {
            let words = words_of(value)?;
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
pub(super) fn command_line(words: &[&str]) -> String {
    if let [shell, flags, line] = words {
        let name = shell.rsplit('/').next().unwrap_or(shell);
        if is_posix_shell(name) && matches!(*flags, "-c" | "-lc" | "-ic" | "-lic") {
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
    if is_plain(word) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A word that every shell reads literally.
pub(super) fn is_plain(word: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,+@%".contains(c);
    !word.is_empty() && word.chars().all(is_plain)
}

/// The words of a list that holds nothing else.
pub(super) fn words_of(value: &Value) -> Option<Vec<&str>> {
    value.as_array()?.iter().map(Value::as_str).collect()
}
