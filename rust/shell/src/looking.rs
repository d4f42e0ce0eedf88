//! Tracks whether a line is known to change nothing, while the line is walked.
//!
//! [`super::read_only`] has the rules for commands and redirections; here is what is kept of them, and what a line must
//! be like as a text. It knows no program.

use super::analysis::Dialect;

/// Whether all that has been walked so far is known to change nothing.
#[derive(Debug, Default)]
pub(super) struct Looking {
    /// Something may change things, or was not followed.
    is_ruled_out: bool,
    /// Where the next command begins that was not seen before: the walk visits some commands more than once.
    next: usize,
    /// Opening brackets in the quotes of the commands seen.
    n_quoted_brackets: usize,
}

impl Looking {
    /// Notes what is not known to change nothing.
    pub(super) fn rule_out(&mut self) {
        self.is_ruled_out = true;
    }

    pub(super) fn is_ruled_out(&self) -> bool {
        self.is_ruled_out
    }

    /// Notes a command that changes nothing: where it begins, and how many opening brackets are in its quotes.
    pub(super) fn note_harmless(&mut self, start: usize, quoted_brackets: impl FnOnce() -> usize) {
        if start >= self.next {
            self.next = start + 1;
            self.n_quoted_brackets += quoted_brackets();
        }
    }

    /// Whether a line is known to change nothing, when all of it has been walked.
    pub(super) fn holds_for(&self, line: &str, dialect: Dialect) -> bool {
        let has_commands = self.next > 0;
        // zsh runs programs from within brackets behind a name, which the tree does not keep.
        let has_only_quoted = || self.n_quoted_brackets == brackets(line);
        !self.is_ruled_out && has_commands && has_only_quoted() && is_read_alike(line, dialect)
    }
}

/// The opening brackets of a text.
pub(super) fn brackets(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'(').count()
}

/// Whether a line has nothing that a shell, or a program in taking its command line apart, could read in another way
/// than our parsers do.
fn is_read_alike(line: &str, dialect: Dialect) -> bool {
    let is_plain = |c: char| match c {
        ' '..='~' | '\n' | '\t' => true,
        c => !c.is_control() && !c.is_whitespace(),
    };
    let is_odd = match dialect {
        Dialect::Bash | Dialect::Fish => false,
        // Its other quotes, and what it hands on to programs in ways of its own.
        Dialect::PowerShell => {
            line.contains(|c| matches!(c, '`' | '\u{2018}'..='\u{201f}')) || line.contains("--%")
        }
        Dialect::Cmd => line.contains("\\\"") || line.contains("\"\""),
    };
    line.chars().all(is_plain) && !is_odd
}
