//! `cargo xtask test`: every check that a change must pass, in the order in which it fails fastest.
//!
//! Ends with the closing lines of the test runners as they wrote them, and adds nothing to them.

use std::path::Path;

use crate::lint;
use crate::maven;
use crate::step::Step;

/// How much of it to run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All checks.
    Everything,
    /// Leaves clippy out, which checks everything anew.
    WithoutClippy,
}

/// Runs the checks, stopping at the first failure.
pub(crate) fn all(root: &Path, scope: Scope) -> Result<(), String> {
    heading("formatting");
    Step::cargo(root, "fmt --all --check").run()?;
    heading("habits");
    lint::run(root)?;
    heading("tests of the live rig");
    let mut closing = rig_tests(root)?;
    if scope == Scope::Everything {
        heading("clippy");
        let line = "clippy --workspace --all-targets --locked --quiet -- -D warnings";
        Step::cargo(root, line).run()?;
    }
    heading("tests");
    // Whole runs start binaries of other packages, which `cargo test` does not build for them.
    Step::cargo(root, "build --workspace --bins --locked --quiet").run()?;
    let tests = Step::cargo(root, "test --workspace --locked");
    closing.extend(tests.run_keeping(|line| line.starts_with("test result: "))?);
    heading("tests of the plugin");
    closing.extend(maven::test(root)?);
    heading("closing lines of the test runners");
    for line in &closing {
        println!("{line}");
    }
    Ok(())
}

fn heading(what: &str) {
    println!("\n== {what}");
}

/// The rig is Python, and nobody needs it to build: without an interpreter that is new enough its tests
/// are left out, and that is said.
fn rig_tests(root: &Path) -> Result<Vec<String>, String> {
    let check = "import sys; sys.exit(sys.version_info < (3, 11))";
    if Step::new(root, "python3 -c").args([check]).run().is_err() {
        println!("left out: there is no python3 of version 3.11 or later");
        return Ok(Vec::new());
    }
    let is_closing = |line: &str| line.starts_with("Ran ") || line.starts_with("OK");
    Step::new(root, "python3 tests/live/test_rig.py").run_keeping(is_closing)
}
