//! Judges a command line: does it do through the shell what an IDE tool does better, is it
//! dangerous, or neither?
//!
//! It looks at what the command *does*: words are folded as the shell would fold them, wrappers
//! are looked through, streams and paths are followed. It is a guide rail and not a sandbox, it
//! reads no file, no clock and no environment, and it is total: any bytes give an answer, in time
//! linear in their number, and what cannot be told is said to be `opaque`. What follows from an
//! answer is for others: it knows no agent and no policy.
//!
//! ```
//! use siderail_shell::{Dialect, FindingKind, ShellInput, ShellVerdict, analyse};
//!
//! let analysis = analyse(&ShellInput {
//!     command: b"cd src && sudo head -n 20 ../README.md",
//!     dialect: Dialect::Bash,
//!     root: "/project",
//!     cwd: "/project",
//!     home: None,
//!     tools: None,
//! });
//! assert_eq!(analysis.verdict, ShellVerdict::Redirect);
//! assert_eq!(analysis.findings[0].kind, FindingKind::ReadFile);
//! assert_eq!(analysis.findings[0].paths, ["/project/README.md"]);
//! ```

mod aliases;
mod args;
mod bash;
mod branches;
mod budget;
mod classify;
mod cmd;
mod commands;
mod cursor;
mod excerpt;
pub mod explain;
mod findings;
mod fish;
mod fold;
mod interpreters;
mod ir;
mod judge;
mod links;
mod names;
mod outside;
mod parts;
mod paths;
mod patterns;
mod powershell;
mod programs;
mod protected;
pub mod protected_places;
mod reports;
mod run;
mod saved;
mod scope;
mod sources;
mod syntax;
mod target;
mod walk;

pub use findings::MOST_WRITTEN;
pub use links::Link;
pub use protected_places::is_protected;

use std::borrow::Cow;
use std::fmt;

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

impl Dialect {
    /// The dialect of a shell's plain name, without folder and extension.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "bash" | "sh" | "zsh" | "dash" | "ksh" | "ash" => Some(Self::Bash),
            "fish" => Some(Self::Fish),
            "powershell" | "pwsh" => Some(Self::PowerShell),
            "cmd" => Some(Self::Cmd),
            _ => None,
        }
    }
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
    /// Where the command starts.
    pub cwd: &'a str,
    /// The user's home folder; without it `~` is a place outside the project.
    pub home: Option<&'a str>,
    /// The IDE tools offered in this session; `None` means all of them.
    pub tools: Option<&'a [&'a str]>,
}

/// What a part of a command line does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FindingKind {
    /// Prints the text of a project file.
    ReadFile,
    /// Writes text that the line itself supplies into a project file.
    WriteFile,
    /// Searches text in project files.
    SearchText,
    /// Searches project files by name.
    FindFile,
    /// Lists a project folder.
    ListDir,
    /// Runs the project's tests.
    RunTests,
    /// A git subcommand that an IDE tool covers.
    Git,
    /// Loses work or data.
    Destructive,
    /// Runs what it has just downloaded.
    RemoteCode,
    /// What will run cannot be told.
    Opaque,
}

impl FindingKind {
    /// Every kind, in the order of declaration.
    pub const ALL: [Self; 10] = [
        Self::ReadFile,
        Self::WriteFile,
        Self::SearchText,
        Self::FindFile,
        Self::ListDir,
        Self::RunTests,
        Self::Git,
        Self::Destructive,
        Self::RemoteCode,
        Self::Opaque,
    ];

    /// The name used in the machine interface.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadFile => "read_file",
            Self::WriteFile => "write_file",
            Self::SearchText => "search_text",
            Self::FindFile => "find_file",
            Self::ListDir => "list_dir",
            Self::RunTests => "run_tests",
            Self::Git => "git",
            Self::Destructive => "destructive",
            Self::RemoteCode => "remote_code",
            Self::Opaque => "opaque",
        }
    }

    /// What a line with this finding alone is answered with.
    pub fn verdict(self) -> ShellVerdict {
        match self {
            Self::Destructive | Self::RemoteCode | Self::Opaque => ShellVerdict::Ask,
            _ => ShellVerdict::Redirect,
        }
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One reason why a line is not simply allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What the part does.
    pub kind: FindingKind,
    /// The IDE tool that does it better; none for the dangerous kinds.
    pub tool: Option<&'static str>,
    /// The part of the line that caused it.
    pub text: String,
    /// A sentence for people and models.
    pub why: Cow<'static, str>,
    /// The files and folders it is about, absolute where they can be told.
    pub paths: Vec<String>,
}

/// The answer for a whole line, weakest first: the strongest of its findings decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ShellVerdict {
    /// No finding: the user's ordinary permission policy applies.
    Allow,
    /// Dangerous or opaque: a person decides.
    Ask,
    /// An IDE tool does this.
    Redirect,
}

impl ShellVerdict {
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
    /// Paths outside of the project that the line writes to, as far as they can be told; temporary folders
    /// and devices do not count.
    pub outside: Vec<String>,
    /// Words of the line, as the shell unfolds them, that name a protected place or are a pattern for one.
    pub protected: Vec<String>,
    /// Absolute paths in the project and in temporary folders that the line writes to, `..` and patterns kept. Only a
    /// link could lead them elsewhere: whoever has the file system at hand looks them up, and asks again with the
    /// links that are there ([`analyse_following`]). Where they are [`MOST_WRITTEN`], there may be more.
    pub written: Vec<String>,
}

/// Judges one command line. Total: never panics, never fails, linear in the line's length.
pub fn analyse(input: &ShellInput<'_>) -> Analysis {
    analyse_following(input, &[])
}

/// Whether a name fits a shell's pattern for names; a class of characters by its name fits any.
pub fn fits_pattern(pattern: &str, name: &str) -> bool {
    patterns::matches(pattern, name)
}

/// The same, where links that exist are known.
pub fn analyse_following(input: &ShellInput<'_>, links: &[Link]) -> Analysis {
    judged(input, links, |_| ())
}

/// The same with as much work as it takes, and with or without walks that speak for several states: whether there are
/// any may change no answer.
#[doc(hidden)]
pub fn analyse_patiently(input: &ShellInput<'_>, repeats: bool) -> Analysis {
    judged(input, &[], |judge| {
        judge.budget = budget::Budget::for_line(budget::LENGTH_LIMIT);
        judge.repeats = repeats;
    })
}

fn judged(
    input: &ShellInput<'_>,
    links: &[Link],
    prepare: impl FnOnce(&mut judge::Judge<'_>),
) -> Analysis {
    let line = match std::str::from_utf8(input.command) {
        Ok(line) => line.into(),
        Err(_) => String::from_utf8_lossy(input.command),
    };
    // No command can hold a NUL, and no shell passes one on; inside, it marks what cannot be told.
    let line = if line.contains('\0') {
        line.replace('\0', "").into()
    } else {
        line
    };
    if line.len() > budget::LENGTH_LIMIT {
        return too_long(&line);
    }
    let mut judge = judge::Judge::new(input, links, &line);
    prepare(&mut judge);
    judge.line(&line)
}

fn too_long(line: &str) -> Analysis {
    let finding = Finding {
        kind: FindingKind::Opaque,
        tool: None,
        text: excerpt::excerpt_of(line).to_owned(),
        why: "The line is too long to be followed.".into(),
        paths: Vec::new(),
    };
    Analysis {
        verdict: finding.kind.verdict(),
        findings: vec![finding],
        outside: Vec::new(),
        protected: Vec::new(),
        written: Vec::new(),
    }
}
