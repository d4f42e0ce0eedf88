//! Words that name a protected place, as they are in the line and as the shell unfolds them. A pattern names
//! what it fits: the guard does not know which files there are.

use super::analysis::Dialect;
use super::ir::{Arg, Pattern, UNKNOWN};
use super::judge::Judge;
use super::paths::Target;
use super::patterns;
use crate::protected_places::ProtectedPlaces;

/// Patterns that are longer stand for nothing that is protected.
const MOST_BYTES: usize = 256;

impl Judge<'_> {
    /// Notes the words of a text that name protected places.
    pub(super) fn names(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let places = self.protected_places;
        let marks = places.marks();
        let ends = |byte: &u8| marks.ends(*byte);
        let mut from = 0;
        while let Some(mark) = marks.next(bytes, from) {
            let start = bytes[..mark].iter().rposition(ends).map_or(0, |at| at + 1);
            let rest = &bytes[mark..];
            from = mark + rest.iter().position(ends).unwrap_or(rest.len());
            let word = text[start..from].trim_end_matches('/');
            if places.has(word) {
                self.protected.add(word);
            }
        }
    }

    /// Notes the words that are patterns for protected places, or have an unknown piece and could be one.
    fn spells_names(&mut self, arg: &Arg) {
        let ends = |c: char| {
            let is_mark = matches!(
                c,
                '\'' | '"' | '=' | ';' | ',' | '|' | '&' | '<' | '>' | '`'
            );
            is_mark || matches!(c, '(' | ')' | '{' | '}') || c.is_whitespace()
        };
        // A class of characters contains a colon, too.
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
        if self.protected_places.has(below) {
            let below = below.trim_start_matches('/').to_owned();
            self.protected.add(&below);
        }
    }

    /// Whether the line makes patterns fit names with a leading dot. Rather so too often: it may be said anywhere.
    fn fits_dots(&self) -> bool {
        let says = || self.findings.line_has(&DOTS);
        *self.protected.fits_dots.get_or_init(says)
    }

    /// Whether a part of a path is a pattern, or has an unknown piece, and could be a protected name.
    fn stands_for_protected(&self, word: &str, pattern: Pattern) -> bool {
        let is_live = pattern != Pattern::None && word.contains(['*', '?', '[']);
        if !is_live && !word.contains(UNKNOWN) {
            return false;
        }
        let leads = word.starts_with(['*', '?', '['])
            || word
                .as_bytes()
                .windows(2)
                .any(|pair| matches!(pair, b"/*" | b"/?" | b"/["));
        let windows = matches!(self.dialect, Dialect::PowerShell | Dialect::Cmd);
        let windows = windows || (leads && self.fits_dots());
        let parts = || {
            let parts = word.split(['/', '\\']);
            parts.filter(|part| part.len() <= MOST_BYTES)
        };
        let places = self.protected_places;
        parts().any(|part| spells(part, windows, places))
            || places.paths().any(|path| goes_through(parts(), path))
    }
}

/// What makes patterns fit names with a leading dot: options of bash and zsh, and groups that begin with one.
#[rustfmt::skip]
const DOTS: [&str; 9] = [
    "dotglob", "globdots", "glob_dots", "GLOB_DOTS", "GLOBIGNORE", "@(.", "+(.", "?(.", "*(.",
];

/// Whether the parts of a path may be those of a place, somewhere in it.
fn goes_through<'a>(mut parts: impl Iterator<Item = &'a str> + Clone, place: &[String]) -> bool {
    loop {
        let mut here = parts.clone();
        let is_next = |name: &String| here.next().is_some_and(|part| fits(part, name));
        if place.iter().all(is_next) {
            return true;
        }
        if parts.next().is_none() {
            return false;
        }
    }
}

/// Whether a part that begins like a name may be it.
fn fits(part: &str, name: &str) -> bool {
    let first = |text: &str| text.chars().next().map(|c| c.to_ascii_lowercase());
    if first(part) != first(name) {
        return false;
    }
    let pattern = part.replace(UNKNOWN, "*").to_lowercase();
    let start = pattern.split(['*', '?', '[']).next().unwrap_or_default();
    !start.is_empty() && name.starts_with(start) && patterns::matches(&pattern, name)
}

/// A leading dot has to be written out, but for the shells of Windows and where the line says otherwise.
fn spells(part: &str, windows: bool, places: &ProtectedPlaces) -> bool {
    let first = part.find([UNKNOWN, '*', '?', '[']);
    // Most parts say too little.
    if first.is_none_or(|at| at < 4 && !(windows && at == 0) && !part.starts_with('.')) {
        return false;
    }
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
        && places
            .names()
            .any(|name| name.starts_with(start) && patterns::matches(&pattern, name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ProtectedPlace, ShellInput, analyse};

    const MORE: [&str; 4] = [".agent", "agent.config.yaml", ".github/hooks", "x.d/a"];

    /// Whether a line with this word in it is one that a person is asked about.
    fn is_noticed(word: &str, protected_places: &ProtectedPlaces) -> bool {
        let command = format!("tool ab.cd a/{word}/b");
        let analysis = analyse(&ShellInput {
            command: command.as_bytes(),
            dialect: Dialect::Bash,
            root: "/proj",
            roots: &[],
            cwd: "/proj",
            home: None,
            tools: None,
            protected_places,
        });
        !analysis.protected.is_empty()
    }

    #[test]
    fn each_protected_name_is_noticed_in_a_line_however_it_is_spelled() {
        let more = MORE.map(|path| ProtectedPlace::parse(path).expect(path));
        let places = ProtectedPlaces::with(more);
        let is_noticed = |word: &str| is_noticed(word, &places);
        let ours = ProtectedPlaces::ours().names();
        for name in ours.chain(MORE) {
            assert!(is_noticed(name), "{name}");
            assert!(is_noticed(&name.to_uppercase()), "{name}");
            for (at, _) in name.char_indices() {
                let (before, behind) = name.split_at(at);
                let spelled = format!("{before}\u{200b}{behind}");
                assert!(is_noticed(&spelled), "{spelled:?}");
            }
        }
        for pattern in [".age*", "agent.c*", ".git*b/h?oks", "x.*/a"] {
            assert!(is_noticed(pattern), "{pattern}");
        }
        for word in ["git/x.json", "agent/x.json", "agent.md", ".github/x", "x.d"] {
            assert!(!is_noticed(word), "{word}");
        }
    }
}
