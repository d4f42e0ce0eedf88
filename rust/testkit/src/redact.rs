//! Makes texts comparable between runs: ids, times, durations and paths get names.
//!
//! The same id gets the same name within one [`Redactor`] (`<id-1>`, `<id-2>` …), so that a golden
//! file still shows which lines belong together.

use std::collections::HashMap;

use serde_json::Value;

/// Members that hold a time, a duration, or a process id, and lose their value.
const VOLATILE: [&str; 9] = [
    "t",
    "time",
    "timestamp",
    "updatedAt",
    "durationMs",
    "duration_s",
    "pid",
    "started_at_ms",
    "completed_at_ms",
];

/// Renames what differs from run to run.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    /// Texts and their names, longest first.
    known: Vec<(String, String)>,
    ids: HashMap<String, usize>,
}

impl Redactor {
    /// A redactor that knows no paths.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces `text` (a path, a port, a token) by `<name>`.
    #[must_use]
    pub fn replace(mut self, text: impl Into<String>, name: &str) -> Self {
        self.known.push((text.into(), format!("<{name}>")));
        self.known
            .sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        self
    }

    /// The text with names for what differs from run to run.
    pub fn text(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for (known, name) in self.known.iter().filter(|(known, _)| !known.is_empty()) {
            text = text.replace(known, name);
        }
        let mut redacted = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(first) = rest.chars().next() {
            // Nothing begins in the middle of a word: "v1ms" is not a duration.
            let inside =
                redacted.ends_with(|last: char| last.is_ascii_alphanumeric() || last == '_');
            let found = if inside { None } else { self.volatile(rest) };
            let (length, name) = found.unwrap_or_else(|| (first.len_utf8(), first.to_string()));
            redacted.push_str(&name);
            rest = &rest[length..];
        }
        redacted
    }

    /// A JSON value with names in all texts, and without the values of members that hold times or process ids.
    pub fn json(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => items.iter().map(|item| self.json(item)).collect(),
            Value::Object(members) => {
                let mut redacted = serde_json::Map::new();
                for (name, value) in members {
                    let is_volatile = VOLATILE.contains(&name.as_str()) && !value.is_null();
                    let value = if is_volatile {
                        format!("<{name}>").into()
                    } else {
                        self.json(value)
                    };
                    redacted.insert(self.text(name), value);
                }
                Value::Object(redacted)
            }
            other => other.clone(),
        }
    }

    /// Length and name of what is at the start of `text`.
    fn volatile(&mut self, text: &str) -> Option<(usize, String)> {
        if let Some(length) = time(text) {
            return Some((length, "<time>".to_owned()));
        }
        if let Some(length) = uuid(text).or_else(|| long_hex(text)) {
            let next = self.ids.len() + 1;
            let number = *self.ids.entry(text[..length].to_owned()).or_insert(next);
            return Some((length, format!("<id-{number}>")));
        }
        duration(text).map(|length| (length, "<duration>".to_owned()))
    }
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

fn hex_digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_hexdigit).count()
}

fn ends_word(text: &str) -> bool {
    !text.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '_')
}

/// 8-4-4-4-12 hexadecimal digits.
fn uuid(text: &str) -> Option<usize> {
    let mut length = 0;
    for (index, group) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if index > 0 {
            length += text[length..].starts_with('-').then_some(1)?;
        }
        if hex_digits(&text[length..]) != group {
            return None;
        }
        length += group;
    }
    Some(length)
}

/// 16 hexadecimal digits or more, with a digit among them.
fn long_hex(text: &str) -> Option<usize> {
    let length = hex_digits(text);
    let has_digit = text[..length].bytes().any(|byte| byte.is_ascii_digit());
    (length >= 16 && has_digit && ends_word(&text[length..])).then_some(length)
}

/// `2026-11-20T09:20:01`, with fractions and zone where they follow.
fn time(text: &str) -> Option<usize> {
    const FORM: &[u8] = b"dddd-dd-ddTdd:dd:dd";
    let bytes = text.as_bytes();
    let fits = |(form, byte): (&u8, &u8)| match form {
        b'd' => byte.is_ascii_digit(),
        b'T' => matches!(byte, b'T' | b' '),
        other => byte == other,
    };
    if bytes.len() < FORM.len() || !FORM.iter().zip(bytes).all(fits) {
        return None;
    }
    let mut length = FORM.len();
    if text[length..].starts_with('.') {
        length += 1 + digits(&text[length + 1..]);
    }
    let zone = &text[length..];
    if zone.starts_with('Z') {
        length += 1;
    } else if zone.starts_with(['+', '-']) && digits(&zone[1..]) == 2 {
        length += if zone[3..].starts_with(':') {
            6.min(zone.len())
        } else {
            3
        };
    }
    Some(length)
}

/// A number with ns, µs, ms, s or min behind it, with or without a space.
fn duration(text: &str) -> Option<usize> {
    let mut length = digits(text);
    if length == 0 {
        return None;
    }
    if text[length..].starts_with('.') && digits(&text[length + 1..]) > 0 {
        length += 1 + digits(&text[length + 1..]);
    }
    let space = usize::from(text[length..].starts_with(' '));
    let unit = &text[length + space..];
    let units = ["ns", "µs", "us", "ms", "min", "seconds", "s"];
    let unit = units
        .iter()
        .find(|name| unit.strip_prefix(**name).is_some_and(ends_word))?;
    Some(length + space + unit.len())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Redactor;

    fn check(text: &str, redacted: &str) {
        assert_eq!(
            Redactor::new().replace("/tmp/x", "project").text(text),
            redacted
        );
    }

    #[test]
    fn ids_keep_their_identity() {
        let (one, two) = (
            "ccbc7bb2-cfcc-43f0-b210-d018f18c912a",
            "fddf2fbb-0755-4a09-a30e-22863a688dd6",
        );
        check(&format!("{one} {two} {one}"), "<id-1> <id-2> <id-1>");
        check("token c3603fff970e48ac92e083107e69ee3c", "token <id-1>");
    }

    #[test]
    fn times_durations_and_paths_get_names() {
        check(
            "at 2026-11-20T09:20:01.888Z in /tmp/x/src",
            "at <time> in <project>/src",
        );
        check(
            "took 12 ms, 1.5s and 3 min",
            "took <duration>, <duration> and <duration>",
        );
    }

    #[test]
    fn words_and_small_numbers_stay() {
        check(
            "int x = 1; v1ms call_0001 3 strings deadbeef",
            "int x = 1; v1ms call_0001 3 strings deadbeef",
        );
    }

    #[test]
    fn volatile_members_lose_their_values() {
        let event = json!({"t": 1.25, "event": "SUMMARY", "duration_s": 3.5, "texts": ["/tmp/x"]});
        let redacted = Redactor::new().replace("/tmp/x", "project").json(&event);
        let expected = json!({
            "t": "<t>", "event": "SUMMARY", "duration_s": "<duration_s>", "texts": ["<project>"],
        });
        assert_eq!(redacted, expected);
    }
}
