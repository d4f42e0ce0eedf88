//! Words that name a protected place, as they stand in the line and as the shell unfolds them. A pattern names
//! what it fits: the guard does not know which files there are.

use super::analysis::Dialect;
use super::ir::{Arg, Pattern, UNKNOWN};
use super::judge::Judge;
use super::paths::Target;
use super::patterns;
use crate::protected_places::{PROTECTED, is_protected};

/// Patterns that are longer stand for nothing that is protected.
const MOST_BYTES: usize = 256;

/// What a byte says to the search for names. Each of them has a dot or a tilde: in front, or behind its first word.
mod says {
    /// A word ends here.
    pub(super) const ENDS: u8 = 1;
    /// It may stand before the mark that a name begins with; with the bits of the byte behind the mark.
    pub(super) const BEFORE_FIRST: u8 = 2;
    pub(super) const BEHIND_FIRST: u8 = BEFORE_FIRST << 2;
    /// The same for a mark in the middle: `git~1`, `opencode.json`, `fastagent.config.yaml`.
    pub(super) const BEFORE_MIDDLE: u8 = 4;
    pub(super) const BEHIND_MIDDLE: u8 = BEFORE_MIDDLE << 2;
}

const SAYS: [u8; 256] = {
    let mut says = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        says[byte] = match (byte as u8).to_ascii_lowercase() {
            b' '
            | b'\t'..=b'\r'
            | b'\''
            | b'"'
            | b'='
            | b':'
            | b';'
            | b','
            | b'|'
            | b'&'
            | b'<'
            | b'>'
            | b'('
            | b')'
            | b'{'
            | b'}'
            | b'`' => says::ENDS | says::BEFORE_FIRST,
            b'/' | b'\\' => says::BEFORE_FIRST,
            b'e' | b't' => says::BEFORE_MIDDLE,
            b'1' => says::BEHIND_MIDDLE,
            b'c' | b'j' | b's' => says::BEHIND_FIRST | says::BEHIND_MIDDLE,
            b'f' | b'g' | b'i' | b'k' | b'm' | b'o' | b'q' | b'v' => says::BEHIND_FIRST,
            // It may be a character that shows nothing.
            0x80.. => !says::ENDS,
            _ => 0,
        };
        byte += 1;
    }
    says
};

fn says(byte: u8) -> u8 {
    SAYS[usize::from(byte)]
}

/// The next mark, of which each of the names has one. Blocks without are looked at as a whole.
fn next_mark(text: &[u8], from: usize) -> Option<usize> {
    let is_mark = |byte: &u8| (*byte == b'.') | (*byte == b'~');
    let (blocks, _) = text.get(from..)?.as_chunks::<16>();
    let without = blocks.iter().take_while(|block| {
        !block
            .iter()
            .fold(false, |found, byte| found | is_mark(byte))
    });
    let from = from + 16 * without.count();
    Some(from + text[from..].iter().position(is_mark)?)
}

/// Whether a mark may be that of a name, by the bytes beside it.
fn may_be_of_name(text: &[u8], mark: usize) -> bool {
    let before = match mark {
        0 => says::BEFORE_FIRST,
        _ => says(text[mark - 1]),
    };
    let behind = text.get(mark + 1).map_or(0, |byte| says(*byte));
    before & (behind >> 2) & (says::BEFORE_FIRST | says::BEFORE_MIDDLE) != 0
}

impl Judge<'_> {
    /// Notes the words of a text that name protected places.
    pub(super) fn names(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let ends = |byte: &u8| says(*byte) & says::ENDS != 0;
        let mut from = 0;
        while let Some(mark) = next_mark(bytes, from) {
            from = mark + 1;
            if !may_be_of_name(bytes, mark) {
                continue;
            }
            let start = bytes[..mark].iter().rposition(ends).map_or(0, |at| at + 1);
            let rest = &bytes[mark..];
            from = mark + rest.iter().position(ends).unwrap_or(rest.len());
            let word = text[start..from].trim_end_matches('/');
            if is_protected(word) {
                self.protected.add(word);
            }
        }
    }

    /// Notes the words that are patterns for protected places, or have a piece that cannot be told and could be one.
    fn spells_names(&mut self, arg: &Arg) {
        let ends = |c: char| {
            let is_mark = matches!(
                c,
                '\'' | '"' | '=' | ';' | ',' | '|' | '&' | '<' | '>' | '`'
            );
            is_mark || matches!(c, '(' | ')' | '{' | '}') || c.is_whitespace()
        };
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

    /// Whether the line makes patterns fit names with a leading dot. Rather so too often: it may be said anywhere.
    fn fits_dots(&self) -> bool {
        let says = || self.findings.line_has(&DOTS);
        *self.protected.fits_dots.get_or_init(says)
    }

    /// Whether a part of a path is a pattern, or has a piece that cannot be told, and could be a protected name.
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
        let mut pairs = parts().zip(parts().skip(1));
        parts().any(|part| spells(part, windows))
            || pairs.any(|(first, second)| fits(first, ".github") && fits(second, "hooks"))
    }
}

/// What makes patterns fit names with a leading dot: options of bash and zsh, and groups that begin with one.
#[rustfmt::skip]
const DOTS: [&str; 9] = [
    "dotglob", "globdots", "glob_dots", "GLOB_DOTS", "GLOBIGNORE", "@(.", "+(.", "?(.", "*(.",
];

/// Whether a part that begins like a name may be it.
fn fits(part: &str, name: &str) -> bool {
    if !part
        .get(..1)
        .is_some_and(|first| name[..1].eq_ignore_ascii_case(first))
    {
        return false;
    }
    let pattern = part.replace(UNKNOWN, "*").to_lowercase();
    let start = pattern.split(['*', '?', '[']).next().unwrap_or_default();
    !start.is_empty() && name.starts_with(start) && patterns::matches(&pattern, name)
}

/// A leading dot has to be written out, but for the shells of Windows and where the line says otherwise.
fn spells(part: &str, windows: bool) -> bool {
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
        && PROTECTED
            .iter()
            .any(|name| name.starts_with(start) && patterns::matches(&pattern, name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ShellInput, analyse};

    /// Whether a line with this word in it is one that a person is asked about.
    fn is_noticed(word: &str) -> bool {
        let command = format!("tool ab.cd a/{word}/b");
        let analysis = analyse(&ShellInput {
            command: command.as_bytes(),
            dialect: Dialect::Bash,
            root: "/proj",
            roots: &[],
            cwd: "/proj",
            home: None,
            tools: None,
        });
        !analysis.protected.is_empty()
    }

    #[test]
    fn each_protected_name_is_noticed_in_a_line_however_it_is_spelled() {
        for name in PROTECTED.into_iter().chain([".github/hooks"]) {
            assert!(is_noticed(name), "{name}");
            assert!(is_noticed(&name.to_uppercase()), "{name}");
            for (at, _) in name.char_indices() {
                let (before, behind) = name.split_at(at);
                let spelled = format!("{before}\u{200b}{behind}");
                assert!(is_noticed(&spelled), "{spelled:?}");
            }
        }
        assert!(!is_noticed("git/x.json"));
    }
}
