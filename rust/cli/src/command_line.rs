//! Splits a command line given as one text (`--agent-command "CMD ARGS"`) into program and arguments.
//!
//! Quotes and escapes are the shell's; nothing is expanded and nothing is run. Whether a backslash escapes depends on
//! the system: on Windows it separates folders.

use siderail_os::System;

/// Why a text is not a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SplitError {
    /// A quote is opened and not closed.
    #[error("the quote {0} is not closed")]
    OpenQuote(char),
    /// Nothing follows the last backslash.
    #[error("the backslash at the end escapes nothing")]
    OpenEscape,
    /// There is no word at all.
    #[error("it is empty")]
    Empty,
}

/// The words of `text`. But for Windows, whose paths have it, a backslash takes the next character literally outside of
/// quotes, and `"`, `\`, `$` and the back-tick inside of double quotes.
pub(crate) fn split(text: &str, system: System) -> Result<Vec<String>, SplitError> {
    let escapes = !system.is_windows();
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('\'') => break,
                        Some(c) => word.push(c),
                        None => return Err(SplitError::OpenQuote('\'')),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                double_quoted(&mut chars, escapes, word)?;
            }
            '\\' if escapes => {
                let next = chars.next().ok_or(SplitError::OpenEscape)?;
                let word = word.get_or_insert_default();
                if next != '\n' {
                    word.push(next);
                }
            }
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    match words.first() {
        Some(program) if !program.is_empty() => Ok(words),
        _ => Err(SplitError::Empty),
    }
}

fn double_quoted(
    chars: &mut std::iter::Peekable<std::str::Chars<'_>>,
    escapes: bool,
    word: &mut String,
) -> Result<(), SplitError> {
    loop {
        match chars.next() {
            Some('"') => return Ok(()),
            Some('\\') if escapes => match chars.peek() {
                Some('"' | '\\' | '$' | '`') => word.extend(chars.next()),
                Some('\n') => {
                    chars.next();
                }
                _ => word.push('\\'),
            },
            Some(c) => word.push(c),
            None => return Err(SplitError::OpenQuote('"')),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(split(text, System::Linux).unwrap(), expected);
    }

    #[test]
    fn quotes_and_escapes_keep_words_together() {
        check("node  agent.js\t--acp", &["node", "agent.js", "--acp"]);
        check("'/a b/c' \"d e\" f\\ g", &["/a b/c", "d e", "f g"]);
        check(r#"x "a\"b\\c\d$e""#, &["x", r#"a"b\c\d$e"#]);
        check("x 'it'\"'\"'s'", &["x", "it's"]);
        check("x --a='b c' '' \"\"", &["x", "--a=b c", "", ""]);
        check("x a\\\nb", &["x", "ab"]);
        check("ünï 'cödé'", &["ünï", "cödé"]);
    }

    #[test]
    fn nothing_is_expanded() {
        check(
            "x $HOME `id` *.c ~ a;b",
            &["x", "$HOME", "`id`", "*.c", "~", "a;b"],
        );
    }

    #[test]
    fn a_broken_command_line_says_where_it_breaks() {
        assert_eq!(
            split("x 'a", System::Linux),
            Err(SplitError::OpenQuote('\''))
        );
        assert_eq!(
            split("x \"a\\\"", System::Linux),
            Err(SplitError::OpenQuote('"'))
        );
        assert_eq!(split("x \\", System::Linux), Err(SplitError::OpenEscape));
        assert_eq!(split(" \t", System::Linux), Err(SplitError::Empty));
        assert_eq!(split("'' x", System::Linux), Err(SplitError::Empty));
    }

    #[test]
    fn a_windows_path_keeps_its_backslashes() {
        assert_eq!(
            split(r#"C:\agents\a.exe "D:\x y\z""#, System::Windows).unwrap(),
            [r"C:\agents\a.exe", r"D:\x y\z"]
        );
    }

    #[test]
    fn the_plugin_splits_command_lines_alike() {
        // The plugin's test reads the same file.
        let file = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../tests/boundary/rule.command_words.json"
        );
        let cases = std::fs::read_to_string(file).expect("the cases");
        let cases: serde_json::Value = serde_json::from_str(&cases).expect("JSON");
        for case in cases.as_array().expect("cases") {
            let text = case["text"].as_str().expect("a text");
            let words = |system| serde_json::json!(split(text, system).ok());
            assert_eq!(words(System::Linux), case["words"], "{text}");
            let on_windows = case.get("windows").unwrap_or(&case["words"]);
            assert_eq!(&words(System::Windows), on_windows, "{text} on Windows");
        }
    }
}
