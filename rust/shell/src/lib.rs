//! Judges a command line: does it do through the shell what a tool does better, is it
//! dangerous, or neither?
//!
//! It looks at what the command *does*: words are folded as the shell would fold them, wrappers
//! are looked through, streams and paths are followed. It is a guide rail and not a sandbox, it
//! reads no file, no clock and no environment, and it is total: any bytes give an answer, in time
//! linear in their number, and what is unknown is said to be `opaque`. What follows from an
//! answer is for others: it knows no agent and no policy.
//!
//! ```
//! use siderail_shell::{
//!     Dialect, FindingKind, Instead, ProtectedPlaces, ShellInput, ShellVerdict, analyse,
//! };
//!
//! let analysis = analyse(&ShellInput {
//!     command: b"cd src && sudo head -n 20 ../README.md",
//!     dialect: Dialect::Bash,
//!     root: "/project",
//!     roots: &[],
//!     cwd: "/project",
//!     home: None,
//!     tools: None,
//!     protected_places: ProtectedPlaces::ours(),
//! });
//! assert_eq!(analysis.verdict, ShellVerdict::Redirect);
//! assert_eq!(analysis.findings[0].kind, FindingKind::Read);
//! assert_eq!(analysis.findings[0].instead, Some(Instead::ReadFile));
//! assert_eq!(analysis.findings[0].paths, ["/project/README.md"]);
//! ```

mod aliases;
mod analysis;
mod args;
mod branches;
mod budget;
mod classify;
mod cmd;
mod commands;
mod connections;
mod findings;
mod fold;
mod inputs;
mod interpreters;
mod ir;
mod judge;
mod kept;
mod kinds;
mod links;
mod links_made;
mod looking;
mod outside;
mod paths;
mod patterns;
mod posix;
mod powershell;
mod program;
mod programs;
mod protected;
pub mod protected_places;
mod read_only;
mod reports;
mod run;
mod saved;
mod saved_files;
mod scope;
mod sources;
mod streams;
mod target;
mod test_line;
mod texts;
mod walk;

use std::borrow::Cow;

pub use analysis::{Analysis, Dialect, Finding, ShellInput, ShellVerdict};
pub use findings::MOST_WRITTEN;
pub use kinds::{FindingKind, Instead};
pub use links::Link;
pub use program::Suggestion;
pub use programs::{is_posix_shell, suggestion};
pub use protected_places::{ProtectedPlace, ProtectedPlaces};

/// Judges one command line. Total: never panics, never fails, linear in the line's length.
pub fn analyse(input: &ShellInput<'_>) -> Analysis {
    analyse_following(input, &[])
}

/// Judges a command line as [`analyse`] does, with links that are known to exist: paths are followed through them.
pub fn analyse_following(input: &ShellInput<'_>, links: &[Link]) -> Analysis {
    judged(input, links, |_| ())
}

/// Whether a name fits a shell's pattern for names; a class of characters by its name fits any.
pub fn fits_pattern(pattern: &str, name: &str) -> bool {
    patterns::matches(pattern, name)
}

/// Judges a command line as [`analyse`] does, with as much work as the longest line may take. `repeats`: one walk may
/// speak for several states, which must change no answer; tests compare both.
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
    // No command can hold a NUL, and no shell passes one on; inside, it marks what is unknown.
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
    if matches!(line, Cow::Owned(_)) {
        // Nobody knows what a shell makes of the bytes that were left out.
        judge.looking.rule_out();
    }
    judge.line(&line)
}

fn too_long(line: &str) -> Analysis {
    let finding = Finding {
        kind: FindingKind::Opaque,
        instead: None,
        text: siderail_syntax::excerpt::excerpt_of(line).to_owned(),
        why: "The line is too long to analyse.".into(),
        paths: Vec::new(),
    };
    Analysis {
        verdict: ShellVerdict::of(finding.kind),
        findings: vec![finding],
        outside: Vec::new(),
        protected: Vec::new(),
        written: Vec::new(),
        only_looks: false,
    }
}
