//! Words that name a protected place, as they stand in the line and as the shell unfolds them. A pattern names
//! what it fits: the guard does not know which files there are.

use super::Dialect;
use super::ir::{Arg, Pattern, UNKNOWN};
use super::judge::Judge;
use super::paths::Target;
use super::patterns;
use crate::path::{PROTECTED, is_protected};

/// Words that are kept; more add nothing.
const MOST_WORDS: usize = 8;
/// Patterns that are longer stand for nothing that is protected.
const MOST_BYTES: usize = 256;

/// Words of the line that name protected places.
#[derive(Debug, Default)]
pub(super) struct Protected(Vec<String>);

impl Protected {
    fn add(&mut self, word: &str) {
        let shown = word.replace(UNKNOWN, "…");
        if self.0.len() < MOST_WORDS && !self.0.contains(&shown) {
            self.0.push(shown);
        }
    }

    pub(super) fn shown(self) -> Vec<String> {
        self.0
    }
}

/// What a byte is to the search for names.
#[derive(Clone, Copy)]
enum Class {
    /// A word ends here.
    Ends,
    /// A part of a path ends here.
    Divides,
    /// A protected name may begin with it.
    Leads,
    Other,
}

const CLASSES: [Class; 256] = classes();

const fn classes() -> [Class; 256] {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b' ' | b'\t'..=b'\r' | b'\'' | b'"' | b'=' | b':' | b';' | b',' => Class::Ends,
            b'|' | b'&' | b'<' | b'>' | b'(' | b')' | b'{' | b'}' | b'`' => Class::Ends,
            b'/' | b'\\' => Class::Divides,
            b'.' | b'g' | b'G' | b'o' | b'O' | b'f' | b'F' | 0x80.. => Class::Leads,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
}

/// A look at the second letter, which is enough for most words.
fn begins_name(text: &[u8]) -> bool {
    let second = text.get(1).map_or(b' ', u8::to_ascii_lowercase);
    match text[0].to_ascii_lowercase() {
        b'.' => !matches!(second, b'.' | b'/' | b'\\' | b' '),
        b'g' => matches!(second, b'i' | 0x80..),
        b'o' => matches!(second, b'p' | 0x80..),
        b'f' => matches!(second, b'a' | 0x80..),
        _ => true,
    }
}

impl Judge<'_> {
    /// Notes the words of a text that name protected places.
    pub(super) fn names(&mut self, text: &str) {
        let bytes = text.as_bytes();
        // One of these is in each of the names. Without an early end many bytes are looked at in one step.
        let marks = |found: bool, byte: &u8| found | (*byte == b'.') | (*byte == b'~');
        if !bytes.iter().fold(false, marks) {
            return;
        }
        let (mut start, mut may_be, mut is_first) = (0, false, true);
        for at in 0..=bytes.len() {
            let class = bytes
                .get(at)
                .map_or(Class::Ends, |byte| CLASSES[usize::from(*byte)]);
            match class {
                Class::Ends => {
                    let word = text[start..at].trim_end_matches('/');
                    if may_be && is_protected(word) {
                        self.protected.add(word);
                    }
                    (start, may_be, is_first) = (at + 1, false, true);
                }
                Class::Divides => is_first = true,
                Class::Leads => {
                    may_be |= is_first && begins_name(&bytes[at..]);
                    is_first = false;
                }
                Class::Other => is_first = false,
            }
        }
    }

    /// Notes the words that are patterns for protected places, or have a piece that cannot be told and could be one.
    fn spells_names(&mut self, arg: &Arg) {
        let ends = |c: char| c.is_whitespace() || "'\"=;,|&<>(){}`".contains(c);
        // A colon stands in a class of characters, too.
        for word in arg.text.split(ends) {
            if self.stands_for_protected(word, arg.pattern) {
                self.protected.add(word.trim_end_matches(['/', '\\']));
            }
        }
    }

    pub(super) fn names_arg(&mut self, arg: &Arg) {
        self.names(&arg.text);
        if arg.pattern != Pattern::None || arg.unknown.is_some() {
            self.spells_names(arg);
        }
    }

    /// The same for a place that a link leads to.
    pub(super) fn names_place(&mut self, target: &Target) {
        let below = self.places.below_root(&target.path);
        if is_protected(below) {
            let below = below.trim_start_matches('/').to_owned();
            self.protected.add(&below);
        }
    }

    /// Whether a part of a path is a pattern, or has a piece that cannot be told, and could be a protected name.
    fn stands_for_protected(&self, word: &str, pattern: Pattern) -> bool {
        let is_live = pattern != Pattern::None && word.contains(['*', '?', '[']);
        if !is_live && !word.contains(UNKNOWN) {
            return false;
        }
        let windows = matches!(self.dialect, Dialect::PowerShell | Dialect::Cmd);
        let parts = || {
            let parts = word.split(['/', '\\']);
            parts.filter(|part| part.len() <= MOST_BYTES)
        };
        let mut pairs = parts().zip(parts().skip(1));
        parts().any(|part| spells(part, windows))
            || pairs.any(|(first, second)| fits(first, ".github") && fits(second, "hooks"))
    }
}

/// Whether a part that begins like a name may be it.
fn fits(part: &str, name: &str) -> bool {
    let pattern = part.replace(UNKNOWN, "*").to_lowercase();
    let start = pattern.split(['*', '?', '[']).next().unwrap_or_default();
    !start.is_empty() && name.starts_with(start) && patterns::matches(&pattern, name)
}

/// A leading dot has to be written out, but for the shells of Windows.
fn spells(part: &str, windows: bool) -> bool {
    let pattern = part.replace(UNKNOWN, "*").to_lowercase();
    let Some(at) = pattern.find(['*', '?', '[']) else {
        return false;
    };
    if at == 0 {
        let says_something = pattern.contains(char::is_alphanumeric);
        return windows && says_something && patterns::matches(&pattern, ".git");
    }
    let start = &pattern[..at];
    // `open*` is meant, `o*` is anything.
    let is_told = start.starts_with('.') || start.len() >= 4;
    is_told
        && PROTECTED
            .iter()
            .any(|name| name.starts_with(start) && patterns::matches(&pattern, name))
}
