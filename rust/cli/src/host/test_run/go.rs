//! What `go test -v` prints: a line per test with its own lines around it, and one per package.

use std::fs;
use std::path::Path;

use regex::Regex;

use super::results::{Failure, Results};

/// Reads a log; `folder` is where the module's `go.mod` lies.
pub(super) fn results(log: &str, folder: &Path) -> Results {
    let outcome = Regex::new(r"^\s*--- (PASS|FAIL|SKIP): (\S+) \(").expect("a constant pattern");
    let package = Regex::new(r"^(ok|FAIL|---|\?)\s+(\S+)\s+(.*)$").expect("a constant pattern");
    let place = Regex::new(r"^\s*([\w./-]+\.go):(\d+)(?::\d+)?: ").expect("a constant pattern");
    let module = module(folder);
    let mut results = Results::default();
    // What a test prints comes before its outcome, by name, and its failure's place with it.
    let mut lines: Vec<&str> = Vec::new();
    let mut of_package: Vec<Failure> = Vec::new();
    for line in log.lines() {
        if line.starts_with("=== ") {
            lines.clear();
        } else if let Some(found) = outcome.captures(line) {
            let counts = results.counts.get_or_insert_default();
            match &found[1] {
                "PASS" => counts.passed += 1,
                "SKIP" => counts.skipped += 1,
                _ => {
                    counts.failed += 1;
                    let text = std::mem::take(&mut lines).join("\n");
                    of_package.push(failure(&found[2], &text, &place));
                }
            }
            lines.clear();
        } else if let Some(found) = package.captures(line).filter(|found| &found[1] != "---") {
            let below = found[2].strip_prefix(module.as_str()).unwrap_or_default();
            let below = below.trim_start_matches('/');
            if &found[1] == "FAIL" && found[3].contains("build failed") {
                let text = std::mem::take(&mut lines).join("\n");
                results.counts.get_or_insert_default().failed += 1;
                results.failures.push(failure(&found[2], &text, &place));
            }
            results
                .failures
                .extend(of_package.drain(..).map(|failure| located(failure, below)));
            lines.clear();
        } else {
            lines.push(line);
        }
    }
    results.failures.extend(of_package);
    // A test fails with each of its subtests: the inner one says why.
    let names: Vec<String> = results
        .failures
        .iter()
        .map(|failure| failure.name.clone())
        .collect();
    let is_outer = |name: &str| {
        names
            .iter()
            .any(|other| other.starts_with(&format!("{name}/")))
    };
    results
        .failures
        .retain(|failure| failure.location.is_some() || !is_outer(&failure.name));
    results
}

fn failure(name: &str, text: &str, place: &Regex) -> Failure {
    let found = text.lines().find_map(|line| place.captures(line));
    Failure {
        name: name.to_owned(),
        location: found.map(|found| format!("{}:{}", &found[1], &found[2])),
        text: text.to_owned(),
    }
}

/// go names files of tests without their folder.
fn located(mut failure: Failure, below: &str) -> Failure {
    if let Some(location) = &mut failure.location
        && !below.is_empty()
        && !location.contains('/')
    {
        *location = format!("{below}/{location}");
    }
    failure
}

fn module(folder: &Path) -> String {
    let text = fs::read_to_string(folder.join("go.mod")).unwrap_or_default();
    let mut lines = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("module "));
    lines.next().unwrap_or_default().trim().to_owned()
}
