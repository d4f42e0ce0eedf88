//! A command line with what has to be known of it, and what is found in it.

use super::kinds::{FindingKind, Instead};
use crate::protected_places::ProtectedPlaces;
use std::borrow::Cow;

/// The language a command line is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// bash, and what is close enough to it: sh, zsh, dash, ksh.
    Bash,
    /// fish.
    Fish,
    /// Windows PowerShell and pwsh.
    PowerShell,
    /// The Windows command interpreter.
    Cmd,
}

/// A command line and where it would run. Paths are absolute and not touched: all that is done
/// with them is lexical.
#[derive(Clone, Copy, Debug)]
pub struct ShellInput<'a> {
    /// The line itself, in any encoding; what is not UTF-8 is read as replacement characters.
    pub command: &'a [u8],
    /// The shell that would run it.
    pub dialect: Dialect,
    /// The project's base path.
    pub root: &'a str,
    /// The project's content roots elsewhere: files there are the project's as well, but neither its git nor its tests.
    pub roots: &'a [String],
    /// Where the command starts.
    pub cwd: &'a str,
    /// The user's home folder; without it `~` is a place outside the project.
    pub home: Option<&'a str>,
    /// What is at hand in place of commands; `None` means all of it.
    pub tools: Option<&'a [Instead]>,
    /// Names that are noticed wherever the line has them.
    pub protected_places: &'a ProtectedPlaces,
}

/// One reason why a line is not simply allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What the part does: what a tool does better, or a danger.
    pub kind: FindingKind,
    /// What does it better; none for the dangerous kinds.
    pub instead: Option<Instead>,
    /// The part of the line that caused it.
    pub text: String,
    /// A sentence for the person who is asked, and for whoever has the line explained; no model reads it.
    pub why: Cow<'static, str>,
    /// The files and folders it is about, absolute where they are known.
    pub paths: Vec<String>,
}

/// The answer for a whole line, weakest first: the strongest of its findings decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ShellVerdict {
    /// No finding: the user's ordinary permission policy applies.
    Allow,
    /// Dangerous or opaque: a person decides.
    Ask,
    /// A tool does this better.
    Redirect,
}

impl ShellVerdict {
    /// What a line with a finding of this kind alone is answered with.
    pub fn of(kind: FindingKind) -> Self {
        match kind {
            FindingKind::Destructive | FindingKind::RemoteCode | FindingKind::Opaque => Self::Ask,
            _ => Self::Redirect,
        }
    }

    /// The name used in the machine interface.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Redirect => "redirect",
        }
    }
}

/// The verdict on a line and what it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// The strongest verdict of the findings.
    pub verdict: ShellVerdict,
    /// In the order in which the line would run.
    pub findings: Vec<Finding>,
    /// Paths outside of the project that the line writes to, as far as they are known; temporary folders
    /// and devices do not count.
    pub outside: Vec<String>,
    /// Words of the line, as the shell unfolds them, that name a protected place or are a pattern for one.
    pub protected: Vec<String>,
    /// Absolute paths in the project and in temporary folders that the line writes to, `..` and patterns kept. Only a
    /// link could lead them elsewhere: whoever has the file system at hand looks them up, and asks again with the
    /// links that are there ([`crate::analyse_following`]). Where they are [`crate::MOST_WRITTEN`], there may be more.
    pub written: Vec<String>,
    /// All of the line was understood, and it is known to change nothing. Stricter than to have no findings, which say
    /// what a line is known to do.
    pub only_looks: bool,
}
