//! What pytest prints with `-ra --tb=short`: a block per failure, a short summary, one line of counts.

use super::pattern::regex;
use super::results::{Counts, Failure, Results};

pub(super) fn results(log: &str) -> Results {
    Results {
        counts: counts(log),
        failures: failures(log),
        note: None,
    }
}

/// `==== 1 failed, 2 passed, 1 skipped in 0.12s ====`
fn counts(log: &str) -> Option<Counts> {
    let summary = regex(r"^=*\s*(no tests ran|\d.*) in [\d.]+s(?: \([\d:]+\))?\s*=*$");
    let line = log.lines().rev().find_map(|line| summary.captures(line))?;
    let mut counts = Counts::default();
    for part in line[1].split(", ") {
        let Some((number, word)) = part.split_once(' ') else {
            continue;
        };
        let number: usize = number.parse().unwrap_or(0);
        match word {
            "passed" | "xpassed" => counts.passed += number,
            "failed" | "error" | "errors" => counts.failed += number,
            "skipped" | "xfailed" => counts.skipped += number,
            _ => {}
        }
    }
    Some(counts)
}

fn failures(log: &str) -> Vec<Failure> {
    let head = regex(r"^_{3,} (?:ERROR (?:at \w+ of|collecting) )?(\S.*?) _{3,}$");
    let place = regex(r"^([^\s:]+\.py):(\d+): ");
    let mut failures: Vec<Failure> = Vec::new();
    let mut open: Option<Failure> = None;
    for line in log.lines() {
        if let Some(found) = head.captures(line) {
            failures.extend(open.take());
            open = Some(Failure {
                name: found[1].to_owned(),
                ..Failure::default()
            });
        } else if line.starts_with("=====") {
            failures.extend(open.take());
        } else if let Some(failure) = &mut open {
            // The last frame of the project's own code is the nearest to the cause.
            if let Some(found) = place.captures(line)
                && !found[1].contains("site-packages")
            {
                failure.location = Some(format!("{}:{}", &found[1], &found[2]));
            }
            failure.text.push_str(line);
            failure.text.push('\n');
        }
    }
    failures.extend(open);
    failures
}
