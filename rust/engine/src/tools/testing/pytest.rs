//! What pytest prints with `-ra --tb=short`: a block per failure, a short summary, one line of counts.

use std::path::Path;

use super::pattern::regex;
use super::results::{Counts, Failure, Results};

pub(super) fn results(log: &str, root: &Path) -> Results {
    Results {
        counts: counts(log),
        failures: failures(log, root),
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

fn failures(log: &str, root: &Path) -> Vec<Failure> {
    let head = regex(r"^_{3,} (?:ERROR (?:at \w+ of|collecting) )?(\S.*?) _{3,}$");
    let frame = regex(r"^(\S.*?\.py|<[^>]+>):(\d+): ");
    let unreadable = regex(r#"^E +File "([^"]+)", line (\d+)"#);
    let mut failures: Vec<Failure> = Vec::new();
    let mut open: Option<Failure> = None;
    let mut in_library = false;
    for line in log.lines() {
        if let Some(found) = head.captures(line) {
            failures.extend(open.take());
            in_library = false;
            open = Some(Failure {
                name: found[1].to_owned(),
                ..Failure::default()
            });
        } else if line.starts_with("=====") {
            failures.extend(open.take());
        } else if let Some(failure) = &mut open {
            let found = frame.captures(line);
            in_library = match &found {
                Some(found) => !is_own(&found[1], root),
                None => in_library && !line.starts_with("E "),
            };
            if in_library {
                continue;
            }
            // The last place in the project's own code is the nearest to the cause. For a file that Python cannot
            // read, no frame is in that.
            if let Some(found) = found.or_else(|| unreadable.captures(line))
                && is_own(&found[1], root)
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

/// Whether a file is the project's: of others pytest gives the whole path.
fn is_own(file: &str, root: &Path) -> bool {
    let is_near = !Path::new(file).is_absolute() && !file.starts_with('<');
    let is_installed = ["site-packages", "dist-packages"]
        .iter()
        .any(|folder| file.contains(folder));
    (is_near || Path::new(file).starts_with(root)) && !is_installed
}
