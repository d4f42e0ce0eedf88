//! What `cargo test` prints: a summary line per test binary, and a block per failure.

use super::pattern::regex;
use super::results::{Counts, Failure, Results};

pub(super) fn results(log: &str) -> Results {
    let mut results = Results::default();
    let summary =
        regex(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored; \d+ measured");
    let place = regex(r"panicked at (?:'.*', )?([^\s:]+\.rs:\d+)");
    let mut block: Option<Failure> = None;
    for line in log.lines() {
        if let Some(found) = summary.captures(line) {
            let number = |index: usize| found[index].parse().unwrap_or(0);
            results.counts.get_or_insert_default().add(Counts {
                passed: number(1),
                failed: number(2),
                skipped: number(3),
            });
        }
        let header = line
            .strip_prefix("---- ")
            .and_then(|line| line.strip_suffix(" stdout ----"));
        if let Some(name) = header {
            results.failures.extend(block.take());
            block = Some(Failure {
                name: name.to_owned(),
                ..Failure::default()
            });
        } else if line == "failures:" {
            results.failures.extend(block.take());
        } else if let Some(failure) = &mut block {
            if failure.location.is_none()
                && let Some(found) = place.captures(line)
            {
                failure.location = Some(found[1].to_owned());
            }
            failure.text.push_str(line);
            failure.text.push('\n');
        }
    }
    results.failures.extend(block);
    let n_failed = results.counts.map_or(0, |counts| counts.failed);
    if results.failures.len() < n_failed {
        results.failures.extend(unexplained(log, &results.failures));
    }
    results
}

/// Failed tests without a block: doc tests and custom harnesses print none.
fn unexplained(log: &str, known: &[Failure]) -> Vec<Failure> {
    log.lines()
        .filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"))
        .filter(|name| known.iter().all(|failure| failure.name != *name))
        .map(|name| Failure {
            name: name.to_owned(),
            ..Failure::default()
        })
        .collect()
}
