//! What the test runners of Bun and Deno print: a line per test, a summary, failures with their places.

use regex_lite::Regex;

use super::pattern::regex;
use super::results::{Counts, Failure, Results};

/// `bun test`: what went wrong is above `(fail) name`.
pub(super) fn bun(log: &str) -> Results {
    let number = |word: &str| {
        log.lines().rev().find_map(|line| {
            let (number, rest) = line.trim().split_once(' ')?;
            (rest == word).then(|| number.parse::<usize>().ok())?
        })
    };
    let head = regex(r"^\((pass|fail|skip|todo)\) (.+?)(?: \[[\d.]+m?s\])?$");
    let place = regex(r"([\w@./\\+-]+\.[cm]?[jt]sx?):(\d+)(?::\d+)?");
    let mut failures = Vec::new();
    let mut lines: Vec<&str> = Vec::new();
    for line in log.lines() {
        match head.captures(line) {
            Some(found) if &found[1] == "fail" => {
                failures.push(failure(&found[2], &lines, &place));
                lines.clear();
            }
            Some(_) => lines.clear(),
            None => lines.push(line),
        }
    }
    Results {
        counts: number("pass").map(|passed| Counts {
            passed,
            failed: number("fail").unwrap_or(0),
            skipped: number("skip").unwrap_or(0) + number("todo").unwrap_or(0),
        }),
        failures,
        note: None,
    }
}

/// `deno test`: `name => ./a_test.ts:3:6`, then the error, up to an empty line and the next head.
pub(super) fn deno(log: &str) -> Results {
    let summary =
        regex(r"^(?:ok|FAILED) \| (\d+) passed.*? \| (\d+) failed(?:.*? \| (\d+) ignored)?");
    let head = regex(r"^(.+?) => (?:file://)?(\S+?):(\d+):\d+$");
    let mut results = Results::default();
    let mut in_errors = false;
    for line in log.lines() {
        if let Some(found) = summary.captures(line) {
            let number = |index: usize| {
                let found = found.get(index);
                found
                    .and_then(|found| found.as_str().parse().ok())
                    .unwrap_or(0)
            };
            results.counts = Some(Counts {
                passed: number(1),
                failed: number(2),
                skipped: number(3),
            });
        }
        match line.trim() {
            "ERRORS" => in_errors = true,
            "FAILURES" => in_errors = false,
            _ => {}
        }
        if !in_errors {
            continue;
        }
        if let Some(found) = head.captures(line) {
            let file = found[2].trim_start_matches("./");
            results.failures.push(Failure {
                name: found[1].to_owned(),
                location: Some(format!("{file}:{}", &found[3])),
                text: String::new(),
            });
        } else if let Some(failure) = results.failures.last_mut() {
            failure.text.push_str(line);
            failure.text.push('\n');
        }
    }
    results
}

fn failure(name: &str, lines: &[&str], place: &Regex) -> Failure {
    let own = |found: &regex_lite::Captures<'_>| !found[1].contains("node_modules");
    let at = lines
        .iter()
        .filter(|line| line.trim_start().starts_with("at "));
    let found = at.filter_map(|line| place.captures(line)).find(own);
    Failure {
        name: name.to_owned(),
        location: found.map(|found| format!("{}:{}", &found[1], &found[2])),
        text: lines.join("\n"),
    }
}
