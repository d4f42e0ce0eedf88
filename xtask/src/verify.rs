//! `cargo xtask test`: every check that a change must pass, in the order in which it fails fastest.
//!
//! Ends with the closing lines of the test runners as they wrote them, and adds nothing to them.

use std::path::Path;

use crate::lint;
use crate::step::Step;

/// How much of it to run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All checks.
    Everything,
    /// Leaves clippy out, which rebuilds what the tests have built.
    WithoutClippy,
}

/// Runs the checks, stopping at the first failure.
pub(crate) fn all(root: &Path, scope: Scope) -> Result<(), String> {
    heading("formatting");
    Step::cargo(root, ["fmt", "--all", "--check"]).run()?;
    heading("habits");
    lint::run(root)?;
    if scope == Scope::Everything {
        heading("clippy");
        Step::cargo(
            root,
            [
                "clippy",
                "--workspace",
                "--all-targets",
                "--locked",
                "--quiet",
            ],
        )
        .args(["--", "-D", "warnings"])
        .run()?;
    }
    heading("tests");
    // Tests of the command line and of whole runs start the binaries, which `cargo test` alone builds
    // only for the package under test.
    Step::cargo(
        root,
        ["build", "--workspace", "--bins", "--locked", "--quiet"],
    )
    .run()?;
    let closing =
        Step::cargo(root, ["test", "--workspace", "--locked"]).run_keeping(is_closing_line)?;
    heading("closing lines of the test runners");
    for line in &closing {
        println!("{line}");
    }
    Ok(())
}

fn heading(what: &str) {
    println!("\n== {what}");
}

fn is_closing_line(line: &str) -> bool {
    line.starts_with("test result: ")
}
