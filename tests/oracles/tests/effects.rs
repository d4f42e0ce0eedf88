//! Random lines run in a sandbox: none of them may write, remove or print a project file without a finding.
//!
//! The seed is fresh and printed; `SIDERAIL_SEED` brings a run back and `SIDERAIL_PROGRAMS` says how many lines.
//! Without namespaces nothing runs, and `effect oracle: skipped` with the reason is printed, past the capture of output.

#![cfg(target_os = "linux")]

use siderail_oracles::effects::exceptions::EXCEPTIONS;
use siderail_oracles::effects::sandbox::{Effect, Sandbox};
use siderail_oracles::effects::{self, inside};
use siderail_oracles::effort::Effort;
use std::io::Write;
use std::path::Path;

fn driver() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_effects"))
}

/// A sandbox; where there can be none, this is said so that it is seen although the test passes.
fn sandbox() -> Option<Sandbox> {
    match Sandbox::start(driver()) {
        Ok(sandbox) => Some(sandbox),
        Err(reason) => {
            // Not `eprintln`, which a passing test keeps to itself.
            let _ = writeln!(std::io::stderr(), "effect oracle: skipped: {reason}");
            None
        }
    }
}

#[test]
fn no_effect_goes_without_a_finding() {
    if sandbox().is_none() {
        return;
    }
    let effort = Effort::asked();
    let report =
        effects::run(driver(), effort.seed, effort.programs(1_000)).expect("the sandbox lasts");
    let seed = effort.seed;
    println!("SIDERAIL_SEED={seed}\n{report}");
    if !report.left_out.is_empty() {
        let left_out = &report.left_out;
        let _ = writeln!(
            std::io::stderr(),
            "effect oracle: without {left_out:?}, which are missing here"
        );
    }
    assert!(
        report.n_effects * 3 > report.n_lines,
        "hardly any line has an effect"
    );
    assert!(
        report.opaque.len() * 100 <= report.n_benign * OPAQUE_PERCENT + 100 * OPAQUE_BY_CHANCE,
        "SIDERAIL_SEED={seed}: too many benign lines are opaque"
    );
    assert!(
        report.misses.is_empty(),
        "SIDERAIL_SEED={seed}: an effect goes without a finding"
    );
}

/// How many benign lines of a hundred may be opaque.
const OPAQUE_PERCENT: usize = 2;
/// How many more there may be in a short run: a thousand lines hold less than two hundred that are benign.
const OPAQUE_BY_CHANCE: usize = 2;

#[test]
fn the_sandbox_sees_each_sort_of_effect_and_sets_it_back() {
    let Some(mut sandbox) = sandbox() else { return };
    let mut effects = |line: &str| {
        sandbox
            .run("bash", line)
            .expect("the sandbox lasts")
            .effects
    };
    let of = |effect, path: &str| vec![(effect, path.to_owned())];
    for _ in 0..2 {
        assert_eq!(effects("tail -1 src/a.rs"), of(Effect::Printed, "src/a.rs"));
        assert_eq!(
            effects("echo x >> notes.txt"),
            of(Effect::Written, "notes.txt")
        );
        assert_eq!(effects("echo x > new.txt"), of(Effect::Written, "new.txt"));
        assert_eq!(effects("rm -rf lib"), of(Effect::Removed, "lib/util.py"));
        assert_eq!(
            effects("git rm -rfq lib"),
            of(Effect::Removed, "lib/util.py")
        );
        assert_eq!(
            effects("(sleep 60; rm notes.txt) & echo x; wc -l README.md"),
            Vec::new()
        );
        assert_eq!(
            effects("touch /usr/x /x /etc/x /srv/x; rm -f /tmp/o1"),
            Vec::new()
        );
        assert_eq!(effects("mkdir src/made; cat /tmp/o1"), Vec::new());
    }
    assert!(
        sandbox
            .run("bash", "while :; do :; done")
            .expect("the sandbox lasts")
            .timed_out
    );
}

#[test]
fn nothing_runs_outside_of_the_sandbox() {
    // This process is not the first of a namespace.
    assert!(inside::serve().is_err());
    let outcome = std::process::Command::new(driver())
        .arg("--inside")
        .output()
        .expect("it starts");
    assert!(!outcome.status.success() && outcome.stdout.is_empty());
}

#[test]
fn each_exception_names_what_allows_it_and_has_an_effect() {
    for row in EXCEPTIONS {
        assert!(row.ruling.starts_with("rul"), "{row:?}");
    }
    let Some(mut sandbox) = sandbox() else { return };
    for row in EXCEPTIONS {
        let command = match row.command.split_once('|') {
            Some((program, _))
                if inside::PROGRAMS.contains(&program)
                    && !sandbox.programs.iter().any(|one| one == program) =>
            {
                continue;
            }
            Some((program, rest)) if inside::PROGRAMS.contains(&program) => rest,
            _ => row.command,
        };
        let outcome = sandbox
            .run("bash", &command.replace("{F}", "src/a.rs"))
            .expect("the sandbox lasts");
        assert!(!outcome.effects.is_empty(), "needless: {row:?}");
    }
}
