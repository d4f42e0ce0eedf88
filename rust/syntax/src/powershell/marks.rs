//! The marks that PowerShell takes for plain ones: typographic quotes and dashes, other blanks, a carriage return alone.
//!
//! Texts are parsed with the plain marks in their place, inside of quotes, too: there a path becomes another name in the
//! same folder at most.

use std::borrow::Cow;

/// The text with plain marks alone.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    let may_differ = |byte: u8| !byte.is_ascii() || matches!(byte, b'\r' | 0x0b | 0x0c);
    if !text.bytes().any(may_differ) {
        return text.into();
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(mark) = rest.next() {
        plain.push(match mark {
            '\u{2018}'..='\u{201b}' => '\'',
            '\u{201c}'..='\u{201e}' => '"',
            '\u{2013}'..='\u{2015}' => '-',
            '\r' if rest.peek() != Some(&'\n') => '\n',
            '\r' | '\n' | '\t' => mark,
            blank if blank.is_whitespace() => ' ',
            other => other,
        });
    }
    plain.into()
}
