//! Regular expressions for what test tools print and how tests are marked.
//!
//! The engine for them is the one without tables and automata, because an IDE loads it. It knows letters of
//! ASCII only; here `\w` has those of all alphabets, because names of tests do.

use regex_lite::{Error, Regex};

/// Everything beyond ASCII counts as a letter: those who name tests have no use for the rest.
const LETTERS: &str = r"\w\x{80}-\x{10FFFF}";

/// Compiles a constant pattern.
pub(super) fn regex(pattern: &str) -> Regex {
    made_regex(pattern).expect("a constant pattern")
}

/// Compiles a pattern that holds words of a file, escaped.
///
/// # Errors
/// It is too large.
pub(super) fn made_regex(pattern: &str) -> Result<Regex, Error> {
    Regex::new(&with_letters(pattern))
}

fn with_letters(pattern: &str) -> String {
    let mut text = String::with_capacity(pattern.len() * 2);
    let (mut in_class, mut is_escaped) = (false, false);
    for letter in pattern.chars() {
        if is_escaped && letter == 'w' {
            text.pop();
            match in_class {
                true => text.push_str(LETTERS),
                false => text.push_str(&format!("[{LETTERS}]")),
            }
        } else {
            text.push(letter);
        }
        if is_escaped {
            is_escaped = false;
            continue;
        }
        match letter {
            '\\' => is_escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_letters_of_all_alphabets_inside_and_outside_of_classes() {
        let found = |pattern: &str, text: &str| {
            let found = regex(pattern)
                .find(text)
                .map(|found| found.as_str().to_owned());
            found.unwrap_or_default()
        };
        assert_eq!(found(r"fn (\w+)", "fn grüße_日本() {}"), "fn grüße_日本");
        assert_eq!(found(r"[\w./]+\.go", "  src/größe.go:3"), "src/größe.go");
        assert_eq!(found(r"\\w", r"a\w"), r"\w");
    }
}
