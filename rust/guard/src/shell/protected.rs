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

impl Judge<'_> {
    /// Notes the words of a text that name protected places.
    pub(super) fn names(&mut self, text: &str, pattern: Pattern) {
        let parts = |c: char| c.is_whitespace() || "'\"=;,|&<>(){}`".contains(c);
        for word in text.split(parts) {
            // A colon stands in a class of characters, too.
            if self.stands_for_protected(word, pattern) {
                self.protected.add(word);
                continue;
            }
            let mut names = word.split(':').map(|name| name.trim_end_matches('/'));
            if let Some(name) = names.find(|name| is_protected(name)) {
                self.protected.add(name);
            }
        }
    }

    pub(super) fn names_arg(&mut self, arg: &Arg) {
        self.names(&arg.text, arg.pattern);
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
