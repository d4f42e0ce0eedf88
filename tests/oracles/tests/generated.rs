//! Generated bash programs of known truth: the guard must find every command that would run, and no decoy.
//!
//! The seed is fresh and printed; `SIDERAIL_SEED` brings a run back and `SIDERAIL_PROGRAMS` says how many programs.
//! Where a bash is installed it is asked, too: whether what is judged wrongly is a program at all, how it prints
//! programs, which the guard must read the same, and for some of them which commands it really starts.

#![cfg(unix)]

use siderail_oracles::bash::{Bash, Stage};
use siderail_oracles::effort::Effort;
use siderail_oracles::generator::{self, Program};
use siderail_oracles::labelled::Setting;
use siderail_shell::{Dialect, FindingKind};
use std::collections::BTreeSet;

/// What is wrong with the reading of a text; nothing where it names the planted commands and these alone.
fn misreading(text: &str, program: &Program) -> Option<String> {
    let analysis = Setting::of(Dialect::Bash).analyse(text.as_bytes());
    let mut found = BTreeSet::new();
    for finding in &analysis.findings {
        if finding.kind == FindingKind::Opaque {
            return Some(format!("opaque: {} {:?}", finding.why, finding.text));
        }
        let files = finding.paths.iter();
        let names = files.filter_map(|path| path.strip_prefix("/proj/"));
        found.extend(names.map(|name| (name.to_owned(), finding.kind)));
    }
    let planted = program.planted.iter();
    let planted: BTreeSet<_> = planted.map(|one| (one.marker.clone(), one.kind)).collect();
    let missed: Vec<_> = planted.difference(&found).collect();
    let invented: Vec<_> = found
        .difference(&planted)
        .filter(|(name, _)| generator::is_marker(name))
        .collect();
    let right = missed.is_empty() && invented.is_empty();
    (!right).then(|| format!("missed {missed:?}, invented {invented:?}"))
}

#[test]
fn every_command_of_a_generated_program_is_found_and_no_decoy() {
    let effort = Effort::asked();
    let (seed, n_programs) = (effort.seed, effort.programs(1_500));
    let bash = Bash::find();
    let (mut n_commands, mut n_asked, mut n_refused) = (0, 0, 0);
    let mut report = String::new();
    for index in 0..n_programs {
        let program = generator::program(seed, index);
        n_commands += program.planted.len();
        let wrong = misreading(&program.text, &program);
        // What is no program has no commands. All that are misread are shown to bash, and some of the others.
        let asked = wrong.is_some() || index % 16 == 0;
        if let Some(bash) = bash.as_ref().filter(|_| asked) {
            n_asked += 1;
            if !bash.accepts(&program.text) {
                n_refused += 1;
                continue;
            }
        }
        let Some(wrong) = wrong else { continue };
        report += &format!("--- {index}: {wrong}\n{}\n", program.text);
    }
    println!(
        "seed {seed}: {n_programs} programs, {n_commands} commands; bash was asked about {n_asked}, and refuses {n_refused}"
    );
    assert!(report.is_empty(), "seed {seed}\n{report}");
    assert!(
        n_refused * 10 <= n_asked.max(100),
        "seed {seed}: {n_refused} of {n_asked} are no programs"
    );
}

#[test]
fn a_program_means_the_same_when_bash_has_printed_it() {
    let Some(bash) = Bash::find() else {
        // Where everything is built and judged it has to be there; elsewhere it may be too old to print programs.
        assert!(
            std::env::consts::OS != "linux",
            "this test compares with bash: install it"
        );
        println!("no bash here: nothing was compared");
        return;
    };
    let effort = Effort::asked();
    let (seed, n_programs) = (effort.seed, effort.programs(3_000) / 10);
    let (mut n_printed, mut report) = (0, String::new());
    for index in 0..n_programs {
        let program = generator::program(seed, index);
        // bash prints here-documents wrongly: it loses separators in their neighbourhood.
        if has_document(&program.text) {
            continue;
        }
        // It also takes away the dollar of a `$'…'` that is text in quotes within "${…}".
        if program.text.contains("$'\\''") {
            continue;
        }
        let Some(printed) = bash.pretty(&program.text) else {
            continue;
        };
        n_printed += 1;
        if let Some(wrong) = misreading(&printed, &program) {
            report += &format!(
                "--- {index}: {wrong}\n{}\n--- printed\n{printed}\n",
                program.text
            );
        }
    }
    let n_wrong = report.matches("\n--- printed\n").count();
    println!("seed {seed}: {n_printed} of {n_programs} programs printed, {n_wrong} read otherwise");
    // The printer has faults of its own; what is read wrongly as it was written fails the test above.
    assert!(n_wrong * 50 <= n_printed, "seed {seed}\n{report}");
}

fn has_document(text: &str) -> bool {
    text.replace("<<<", "").contains("<<")
}

#[test]
fn bash_starts_the_commands_that_were_planted() {
    let Some(bash) = Bash::find() else {
        // Where everything is built and judged it has to be there; elsewhere it may be too old to print programs.
        assert!(
            std::env::consts::OS != "linux",
            "this test compares with bash: install it"
        );
        println!("no bash here: nothing was run");
        return;
    };
    let stage = Stage::build(&bash).expect("a folder for programs that only note");
    let effort = Effort::asked();
    let (seed, n_programs) = (effort.seed, effort.programs(1_000) / 20);
    let (mut n_planted, mut n_started) = (0, 0);
    let (mut report, mut garbled) = (String::new(), Vec::new());
    for index in 0..n_programs {
        let program = generator::program(seed, index);
        let used = stage.run(&program.text);
        let used = used.unwrap_or_else(|error| panic!("seed {seed}, program {index}: {error}"));
        let Some(used) = used else { continue };
        // Whether all of it runs depends on what commands return; nothing else may.
        let planted: BTreeSet<_> = program
            .planted
            .iter()
            .map(|one| one.marker.clone())
            .collect();
        n_planted += planted.len();
        n_started += planted.intersection(&used).count();
        let decoys: Vec<_> = used.difference(&planted).collect();
        if decoys.is_empty() {
            continue;
        }
        if program.garbled {
            garbled.push(index);
            continue;
        }
        report += &format!("--- {index}: {decoys:?}\n{}\n", program.text);
    }
    println!(
        "seed {seed}: {n_programs} programs run, {n_started} of {n_planted} planted commands start; \
         decoys start in {garbled:?}, which bash may have garbled"
    );
    // Conditions keep much from running, in some seeds most of it; a stage that notes nothing would say none.
    assert!(
        n_started * 8 > n_planted,
        "seed {seed}: hardly anything of what is planted runs"
    );
    assert!(report.is_empty(), "seed {seed}\n{report}");
    // bash garbles one program of some thousands; more would be a fault of the generator.
    assert!(
        garbled.len() * 20 <= usize::try_from(n_programs).expect("a count").max(50),
        "seed {seed}: decoys start in the programs {garbled:?}"
    );
}

#[test]
fn what_a_program_leaves_in_the_background_ends_with_it() {
    let Some(bash) = Bash::find() else {
        println!("no bash here: nothing was run");
        return;
    };
    let stage = Stage::build(&bash).expect("a folder for programs that only note");
    let folder = tempfile::tempdir().expect("a folder");
    let beats = folder.path().join("beats");
    let program = format!(
        "until echo x >> '{0}' && false; do :; done & until [ -s '{0}' ]; do :; done",
        beats.display()
    );
    let used = stage.run(&program).expect("bash starts");
    assert!(used.is_some(), "the program itself ends");
    let length = || std::fs::metadata(&beats).expect("it has beaten once").len();
    let at_the_end = length();
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(at_the_end, length(), "its loop is still running");
}
