//! Escapes untrusted text for a person's screen: characters that a screen would obey, or show as nothing, are written
//! out.
//!
//! A carriage return puts a line over another, an escape moves the cursor, marks of direction turn words around and
//! others take no room at all. None of them may vanish either: a command that is shown without them is another one.

use std::borrow::Cow;

/// Text as it is shown. Line ends and tabs stay; so does what joins letters and signs in honest prose.
pub fn visible(text: &str) -> Cow<'_, str> {
    written_out(text, false)
}

/// The same of what a person judges by each character: a command, a change of a file. Nothing in it is invisible.
pub fn visible_code(text: &str) -> Cow<'_, str> {
    written_out(text, true)
}

/// The name of a file on one line: what could steer a terminal or begin another line is written out, so that
/// no name can pass for another one or for a row of ours.
pub fn name(name: &str) -> String {
    let written = |c: char| {
        let hidden = picture(c, false).is_some() || matches!(c, '\n' | '\t');
        let escaped = hidden.then(|| c.escape_default());
        let plain = (!hidden).then_some(c);
        escaped.into_iter().flatten().chain(plain)
    };
    name.chars().flat_map(written).collect()
}

/// A character as it is written out; none if it is shown as it is. Line ends and tabs are for the caller.
pub fn picture(c: char, is_code: bool) -> Option<String> {
    let code = u32::from(c);
    match c {
        // The pictures of control characters begin at U+2400, in their order.
        '\0'..='\x1f' => char::from_u32(0x2400 + code).map(String::from),
        '\x7f' => Some('\u{2421}'.to_string()),
        _ if c.is_control() || is_unseen(c) || (is_code && is_unseen_in_code(c)) => {
            Some(format!("\\u{{{code:x}}}"))
        }
        _ => None,
    }
}

fn written_out(text: &str, is_code: bool) -> Cow<'_, str> {
    let is_plain = |c: char| matches!(c, '\n' | '\t') || picture(c, is_code).is_none();
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let ends_line = c == '\r' && chars.peek() == Some(&'\n') && !is_code;
        match picture(c, is_code).filter(|_| !matches!(c, '\n' | '\t')) {
            Some(_) if ends_line => {}
            Some(picture) => shown.push_str(&picture),
            None => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// What turns the direction of text around, separates lines unseen, or takes no room.
fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// What joins letters and signs, fills their place, or is a blank to the eye and none to a shell.
fn is_unseen_in_code(c: char) -> bool {
    matches!(c,
        '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{200c}' | '\u{200d}' | '\u{2800}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{e0100}'..='\u{e01ef}')
        || (c.is_whitespace() && !c.is_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_screen_obeys_is_written_out_and_line_ends_stay() {
        assert_eq!(
            visible("a\x1b[2J\rb\x07\u{9b}c\u{202e}d\u{200b}\r\n\te\x7f"),
            "a␛[2J␍b␇\\u{9b}c\\u{202e}d\\u{200b}\n\te␡"
        );
        assert_eq!(visible("👩\u{200d}💻 ⚠\u{fe0f}"), "👩\u{200d}💻 ⚠\u{fe0f}");
    }

    #[test]
    fn a_window_writes_it_out_alike() {
        // The plugin's test reads the same file.
        let file = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../tests/boundary/rule.visible.json"
        );
        let cases = std::fs::read_to_string(file).expect("the rule");
        let cases: Vec<serde_json::Value> = serde_json::from_str(&cases).expect("JSON");
        for case in cases {
            let text = case["text"].as_str().expect("a text");
            assert_eq!(visible(text), case["shown"].as_str().expect("a text"));
            assert_eq!(visible_code(text), case["code"].as_str().expect("a text"));
        }
    }

    #[test]
    fn nothing_vanishes_from_a_command() {
        assert_eq!(
            visible_code("rm\u{a0}-rf a\u{200d}b\u{fe0f}\r\n\u{3164}"),
            "rm\\u{a0}-rf a\\u{200d}b\\u{fe0f}␍\n\\u{3164}"
        );
    }
}
