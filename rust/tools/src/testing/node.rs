//! What the test runners of Node print: jest, vitest, mocha, `node:test` (TAP or spec).
//!
//! Their formats are for people, so that this reads only what has been stable for years: the summary
//! and the head of each failure.

use std::path::Path;

use super::pattern::regex;
use super::results::{Counts, Failure, Results};

pub(super) fn results(log: &str, root: &Path) -> Results {
    let counts = counts(log);
    let n_failed = counts.map_or(0, |counts| counts.failed);
    Results {
        counts,
        failures: if n_failed == 0 {
            Vec::new()
        } else {
            failures(log, root)
        },
        note: None,
    }
}

fn counts(log: &str) -> Option<Counts> {
    jest_or_vitest(log)
        .or_else(|| node_test(log))
        .or_else(|| mocha(log))
}

/// `Tests:  1 failed, 2 passed, 3 total` and `Tests  1 failed | 2 passed (3)`.
fn jest_or_vitest(log: &str) -> Option<Counts> {
    let line = log.lines().rev().find_map(|line| {
        let rest = line.trim_start().strip_prefix("Tests")?;
        let rest = rest.strip_prefix(':').unwrap_or(rest);
        (rest.starts_with(' ') && rest.contains(|letter: char| letter.is_ascii_digit()))
            .then_some(rest)
    })?;
    let number = |words: &[&str]| -> usize {
        let parts = line.split([',', '|', '(']);
        parts
            .filter_map(|part| part.trim().split_once(' '))
            .filter(|(_, word)| words.contains(&word.trim()))
            .filter_map(|(number, _)| number.parse::<usize>().ok())
            .sum()
    };
    Some(Counts {
        passed: number(&["passed"]),
        failed: number(&["failed"]),
        skipped: number(&["skipped", "todo", "pending"]),
    })
}

/// `# pass 2` or `ℹ pass 2`.
fn node_test(log: &str) -> Option<Counts> {
    let number = |word: &str| {
        log.lines().rev().find_map(|line| {
            let rest = line
                .strip_prefix("# ")
                .or_else(|| line.strip_prefix("ℹ "))?;
            rest.strip_prefix(word)?.trim().parse::<usize>().ok()
        })
    };
    Some(Counts {
        passed: number("pass ")?,
        failed: number("fail ")? + number("cancelled ").unwrap_or(0),
        skipped: number("skipped ").unwrap_or(0) + number("todo ").unwrap_or(0),
    })
}

/// `2 passing (5ms)`.
fn mocha(log: &str) -> Option<Counts> {
    let number = |word: &str| {
        log.lines().rev().find_map(|line| {
            let (number, rest) = line.trim_start().split_once(' ')?;
            rest.starts_with(word)
                .then(|| number.parse::<usize>().ok())?
        })
    };
    Some(Counts {
        passed: number("passing")?,
        failed: number("failing").unwrap_or(0),
        skipped: number("pending").unwrap_or(0),
    })
}

fn failures(log: &str, root: &Path) -> Vec<Failure> {
    let head = regex(concat!(
        r"^\s*(?:● (?P<jest>.+)$",
        r"|(?:❯ )?FAIL\s+(?P<vitest>\S+.* > .+)$",
        r"|not ok \d+ (?:- )?(?P<tap>.+)$",
        r"|✖ (?P<spec>.+?) \([\d.]+ms\)$",
        r"|\d+\) (?P<mocha>.+)$)"
    ));
    let place = regex(r"([\w@./\\+-]+\.(?:[cm]?[jt]sx?|vue|svelte)):(\d+)(?::\d+)?");
    let mut failures: Vec<Failure> = Vec::new();
    for line in log.lines() {
        if let Some(found) = head.captures(line) {
            let name = found
                .iter()
                .skip(1)
                .flatten()
                .next()
                .map_or(line, |name| name.as_str());
            failures.push(Failure {
                name: name.trim().trim_end_matches(':').to_owned(),
                ..Failure::default()
            });
        } else if let Some(failure) = failures.last_mut() {
            if failure.location.is_none() {
                failure.location = place
                    .captures_iter(line)
                    .map(|found| (found[1].to_owned(), found[2].to_owned()))
                    .find(|(file, _)| !file.contains("node_modules") && !file.starts_with("node:"))
                    .map(|(file, line)| format!("{}:{line}", relative(root, &file)));
            }
            // mocha gives suite and test a line each, the last with a colon.
            if failure.text.is_empty() && line.ends_with(':') && !failure.name.is_empty() {
                failure.name = format!("{} {}", failure.name, line.trim().trim_end_matches(':'));
                continue;
            }
            failure.text.push_str(line);
            failure.text.push('\n');
        }
    }
    merged(failures)
}

/// Runners name a failure in their list and again in their summary: the first with a place stays.
fn merged(failures: Vec<Failure>) -> Vec<Failure> {
    let mut merged: Vec<Failure> = Vec::new();
    for failure in failures {
        match merged.iter_mut().find(|known| known.name == failure.name) {
            Some(known) if known.location.is_none() => *known = failure,
            Some(_) => {}
            None => merged.push(failure),
        }
    }
    // Heads without a place are list entries where others have one.
    if merged.iter().any(|failure| failure.location.is_some()) {
        merged.retain(|failure| failure.location.is_some());
    }
    merged
}

fn relative(root: &Path, file: &str) -> String {
    let file = file.strip_prefix("file://").unwrap_or(file);
    let path = Path::new(file);
    path.strip_prefix(root)
        .unwrap_or(path)
        .display()
        .to_string()
}
