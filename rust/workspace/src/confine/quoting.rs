//! Writes a file's name for models and people, and reads it back.
//!
//! Most names are written as they are. One with characters that would break or forge a line, or with bytes that are not
//! valid UTF-8, is written in double quotes, as git does: `"two\nlines"`, `"\377"` (a byte, octal). What is written so
//! is read back as the same name, so that an answer's path can be passed on unchanged. It knows no project and touches
//! no file.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use siderail_os::files::{bytes_of, path_of};

/// A path as tools print it, with `/`; quoted if it would not fit on a line by itself.
pub fn written(path: &Path) -> String {
    let bytes = bytes_of(path);
    match std::str::from_utf8(&bytes) {
        Ok(text) if is_plain(text) => text.to_owned(),
        _ => quoted(path),
    }
}

/// A text of others (an error of the system, say) on one line: what would break or reorder it is escaped.
pub fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    text.chars().for_each(|letter| push(&mut line, letter));
    line
}

/// The path that a quoted text means; `None` if it is not written so.
pub(crate) fn unquoted(given: &str) -> Option<PathBuf> {
    let inner = given.strip_prefix('"')?.strip_suffix('"')?;
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        match first {
            b'"' => return None,
            b'\\' => {
                let (byte, n_read) = unescaped(tail)?;
                bytes.push(byte);
                rest = &tail[n_read..];
            }
            byte => bytes.push(byte),
        }
    }
    path_of(&bytes)
}

/// The byte that an escape means, and how many bytes follow its backslash.
fn unescaped(tail: &[u8]) -> Option<(u8, usize)> {
    if let Some((_, byte)) = SHORT.iter().find(|(name, _)| tail.first() == Some(name)) {
        return Some((*byte, 1));
    }
    let digits = std::str::from_utf8(tail.get(..3)?).ok()?;
    let is_octal = digits.bytes().all(|digit| matches!(digit, b'0'..=b'7'));
    let byte = is_octal.then(|| u8::from_str_radix(digits, 8).ok())??;
    Some((byte, 3))
}

/// Escapes of one letter.
const SHORT: [(u8, u8); 9] = [
    (b'a', 7),
    (b'b', 8),
    (b't', b'\t'),
    (b'n', b'\n'),
    (b'v', 11),
    (b'f', 12),
    (b'r', b'\r'),
    (b'"', b'"'),
    (b'\\', b'\\'),
];

/// A path in quotes, whether it needs them or not.
pub(crate) fn quoted(path: &Path) -> String {
    let bytes = bytes_of(path);
    let mut text = "\"".to_owned();
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '"' | '\\' => text.extend(['\\', letter]),
                // Everywhere else it means bytes that are not text.
                char::REPLACEMENT_CHARACTER => push_octal(&mut text, "\u{fffd}".as_bytes()),
                letter => push(&mut text, letter),
            }
        }
        push_octal(&mut text, chunk.invalid());
    }
    text.push('"');
    text
}

fn push(text: &mut String, letter: char) {
    if !breaks_lines(letter) {
        return text.push(letter);
    }
    let short = SHORT
        .iter()
        .find(|(_, byte)| u32::from(*byte) == u32::from(letter));
    match short {
        Some((name, _)) => text.extend(['\\', char::from(*name)]),
        None => push_octal(text, letter.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

fn push_octal(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        // writing to a string cannot fail
        let _ = write!(text, "\\{byte:03o}");
    }
}

/// Whether a name may be written as it is. A colon with a space begins what an answer says of a file.
fn is_plain(text: &str) -> bool {
    let is_odd = |letter| breaks_lines(letter) || letter == char::REPLACEMENT_CHARACTER;
    !text.starts_with('"') && !text.contains(is_odd) && !text.contains(": ")
}

/// Control characters, the separators of lines, and what changes the order in which letters are shown.
fn breaks_lines(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ides_answer_writes_a_name_alike() {
        // The plugin's test reads the same file.
        let file = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../tests/boundary/rule.written_names.json"
        );
        let cases = std::fs::read_to_string(file).expect("the rule");
        let cases: Vec<serde_json::Value> = serde_json::from_str(&cases).expect("JSON");
        for case in cases {
            let name = case["name"].as_str().expect("a name");
            assert_eq!(
                written(Path::new(name)),
                case["written"].as_str().expect("a name")
            );
        }
    }
}
