//! Names of files in a text, behind an `@`: how they are read, and written so that they are read back.
//!
//! A name ends at the next blank, or is in double quotes. Whether there is such a file, and what becomes of it, is for
//! those who read it. `tests/boundary/rule.mentions.json` keeps this and the plugin in step.

use std::path::Path;

use crate::confine::{quoted, written};

/// What no name ends with: it belongs to the sentence around it.
const BEHIND: &str = ",.;:!?)]}\"'";

/// The names after `@`, at the beginning of a word, each once: up to the next blank, or in double quotes.
pub fn named_in(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut before = ' ';
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if c == '@' && begins_word(before) {
            let name = match rest.strip_prefix('"') {
                Some(quoted) => in_quotes(quoted).0,
                None => {
                    let word = rest.split(char::is_whitespace).next().unwrap_or_default();
                    word.trim_end_matches(|c: char| BEHIND.contains(c))
                }
            };
            if !name.is_empty() && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        before = c;
    }
    names
}

/// Whether a word begins behind this character.
pub fn begins_word(before: char) -> bool {
    before.is_whitespace() || "([{".contains(before)
}

/// The name in double quotes at the beginning of what follows the first of them, as it is written there, and whether they
/// are closed on its line.
pub fn in_quotes(quoted: &str) -> (&str, bool) {
    let mut is_escaped = false;
    for (at, c) in quoted.char_indices() {
        match c {
            '\n' => return (&quoted[..at], false),
            '"' if !is_escaped => return (&quoted[..at], true),
            _ => is_escaped = c == '\\' && !is_escaped,
        }
    }
    (quoted, false)
}

/// A path as a text names it. It is in quotes where it would not be read back as it is.
pub fn mention(path: &str) -> String {
    let name = written(Path::new(path));
    let is_plain = !name.starts_with('"')
        && !name.contains(char::is_whitespace)
        && !name.ends_with(|c| BEHIND.contains(c));
    match is_plain {
        true => format!("@{name}"),
        false => quoted_mention(path),
    }
}

/// The same in quotes, whether it needs them or not.
pub fn quoted_mention(path: &str) -> String {
    format!("@{}", quoted(Path::new(path)))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::confine::unquoted;

    #[test]
    fn names_are_read_and_written_alike_in_all_front_ends() {
        // The plugin's test reads the same file.
        let file = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../tests/boundary/rule.mentions.json"
        );
        let rule = std::fs::read_to_string(file).expect("the rule");
        let rule: Value = serde_json::from_str(&rule).expect("JSON");
        let cases = |of: &str| rule[of].as_array().expect("cases").clone();
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        for case in cases("read") {
            assert_eq!(
                Value::from(named_in(&text(&case["text"]))),
                case["names"],
                "{case}"
            );
        }
        for case in cases("written") {
            let path = text(&case["path"]);
            // On Windows a backslash stands between folders, and no name has one.
            if cfg!(windows) && path.contains('\\') {
                continue;
            }
            let written = mention(&path);
            assert_eq!(written, case["mention"], "{case}");
            let sentence = format!("See {written} and ({written}, too");
            let names = named_in(&sentence);
            let [name] = names.as_slice() else {
                panic!("{names:?} of {sentence}");
            };
            let is_read_back = *name == path
                || unquoted(&format!("\"{name}\"")).as_deref() == Some(Path::new(&path));
            assert!(is_read_back, "{case}");
        }
        assert!(cases("read").len() > 10 && cases("written").len() > 10);
    }

    #[test]
    fn a_path_of_windows_is_named_with_slashes_and_without_quotes() {
        let name = match cfg!(windows) {
            true => "@src/App.java",
            false => r"@src\App.java",
        };
        assert_eq!(mention(r"src\App.java"), name);
    }
}
