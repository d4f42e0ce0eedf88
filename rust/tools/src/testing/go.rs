//! What `go test -v` prints: lines of a test below its name, its outcome, and a line per package.

use std::collections::BTreeMap;
use std::path::Path;

use regex_lite::Regex;

use super::pattern::regex;
use super::results::{Counts, Failure, Results};
use siderail_workspace::build_tool::MOST_BYTES;
use siderail_workspace::small_file;

/// What has been read of a log, package by package.
struct Reading {
    outcome: Regex,
    package: Regex,
    place: Regex,
    /// The module's name.
    module: String,
    /// What each test has printed; without a test, the compiler.
    printed: BTreeMap<String, String>,
    /// Whose lines these are.
    current: String,
    /// Failed tests of the package that is read.
    failed: Vec<String>,
    results: Results,
}

/// Reads a log; `folder` is where the module's `go.mod` lies.
pub(super) fn results(log: &str, folder: &Path) -> Results {
    let mut reading = Reading {
        outcome: regex(r"^\s*--- (PASS|FAIL|SKIP): (\S+) \("),
        package: regex(r"^(ok|FAIL|\?)\s+(\S+)\s+(.*)$"),
        // A message of a test or of the compiler, or a frame of a panic.
        place: regex(r"^\s*([\w./@-]+\.go):(\d+)(?::\d+)?(?:: | \+0x)"),
        module: module(folder),
        printed: BTreeMap::new(),
        current: String::new(),
        failed: Vec::new(),
        results: Results::default(),
    };
    for line in log.lines() {
        reading.line(line);
    }
    reading.end_of_package("", "");
    reading.results
}

impl Reading {
    fn line(&mut self, line: &str) {
        if let Some(named) = line.strip_prefix("=== ") {
            // RUN, CONT and NAME say whose lines follow.
            let name = named.split_whitespace().nth(1).unwrap_or_default();
            self.current = name.to_owned();
        } else if let Some(found) = self.outcome.captures(line) {
            let name = found[2].to_owned();
            let (passed, failed, skipped) = match &found[1] {
                "PASS" => (1, 0, 0),
                "SKIP" => (0, 0, 1),
                _ => (0, 1, 0),
            };
            self.results.counts.get_or_insert_default().add(Counts {
                passed,
                failed,
                skipped,
            });
            if failed == 1 {
                self.failed.push(name.clone());
            }
            // A panic is printed behind the outcome.
            self.current = name;
        } else if let Some(found) = self.package.captures(line) {
            let (name, end) = (found[2].to_owned(), found[3].to_owned());
            self.end_of_package(&name, &end);
        } else {
            let printed = self.printed.entry(self.current.clone()).or_default();
            printed.push_str(line);
            printed.push('\n');
        }
    }

    fn end_of_package(&mut self, package: &str, end: &str) {
        let below = package
            .strip_prefix(self.module.as_str())
            .unwrap_or_default();
        let below = below.trim_start_matches('/').to_owned();
        let failed = std::mem::take(&mut self.failed);
        let mut printed = std::mem::take(&mut self.printed);
        self.current.clear();
        for name in &failed {
            let text = printed.remove(name).unwrap_or_default();
            // A test fails with each of its subtests: the inner one says why.
            let is_outer = failed
                .iter()
                .any(|other| other.starts_with(&format!("{name}/")));
            if !(is_outer && text.trim().is_empty()) {
                let failure = self.failure(name, text, &below);
                self.results.failures.push(failure);
            }
        }
        if end.contains("build failed") || end.contains("setup failed") {
            self.results.counts.get_or_insert_default().failed += 1;
            // If a package does not compile, the places contain its folder already.
            let failure = self.failure(package, printed.remove("").unwrap_or_default(), "");
            self.results.failures.push(failure);
        }
    }

    fn failure(&self, name: &str, text: String, below: &str) -> Failure {
        let places = text.lines().filter_map(|line| self.place.captures(line));
        let own = |file: &str| {
            !["/src/testing/", "/src/runtime/"]
                .iter()
                .any(|of_go| file.contains(of_go))
        };
        let found = places.into_iter().find(|found| own(&found[1]));
        let location = found.map(|found| {
            // Messages name a file without its folder.
            match below.is_empty() || found[1].contains('/') {
                true => format!("{}:{}", &found[1], &found[2]),
                false => format!("{below}/{}:{}", &found[1], &found[2]),
            }
        });
        Failure {
            name: name.to_owned(),
            location,
            text,
        }
    }
}

fn module(folder: &Path) -> String {
    let text = small_file::text(&folder.join("go.mod"), MOST_BYTES).unwrap_or_default();
    let mut lines = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("module "));
    lines.next().unwrap_or_default().trim().to_owned()
}
