//! How a command ends: the exit codes that scripts rely on, and the one form of error message.
//!
//! Every failure says what happened and why in a lower-case fragment, and what to do about it in a
//! hint of its own line. Nothing here prints: `lib.rs` does, once.

use std::fmt;
use std::io;

/// Exit codes of all commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Ended without the user's interrupt.
    Ended = 0,
    /// Wrong usage.
    Usage = 2,
    /// The agent did not start.
    NotStarted = 3,
    /// The agent or the protocol failed.
    Failed = 4,
    /// The time limit passed.
    TimedOut = 5,
    /// The user cancelled.
    Cancelled = 6,
    /// The agent wants a login first.
    LoginNeeded = 7,
    /// Something was denied because nobody could be asked, or a plan was not approved.
    Unanswered = 8,
}

impl Exit {
    /// The number that the shell sees.
    pub(crate) fn code(self) -> u8 {
        self as u8
    }
}

/// Why a command cannot do what was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) struct Failure {
    /// The exit code it ends with.
    pub(crate) exit: Exit,
    /// What happened and why, a lower-case fragment.
    pub(crate) what: String,
    /// What to do about it.
    pub(crate) hint: Option<String>,
}

impl Failure {
    /// Wrong usage.
    pub(crate) fn usage(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Exit::Usage, what).hint(hint)
    }

    /// A failure without a hint.
    pub(crate) fn new(exit: Exit, what: impl Into<String>) -> Self {
        Self {
            exit,
            what: what.into(),
            hint: None,
        }
    }

    /// Nothing can be written to standard output, and not because nobody reads it any more.
    pub(crate) fn output(error: &io::Error) -> Self {
        let what = format!("standard output cannot be written: {error}");
        Self::new(Exit::Failed, what).hint("free some space there, or redirect it elsewhere")
    }

    /// The same failure with a word on what to do.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.what)?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_what_happened_and_then_what_to_do() {
        let failure = Failure::usage("no prompt was given", "add the prompt in quotes");
        assert_eq!(
            failure.to_string(),
            "error: no prompt was given\nhint: add the prompt in quotes"
        );
        assert_eq!(failure.exit.code(), 2);
    }
}
