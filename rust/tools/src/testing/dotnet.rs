//! What `dotnet test` prints: a block per failure, a line of counts per assembly.

use super::pattern::regex;
use super::results::{Counts, Failure, Results};

pub(super) fn results(log: &str) -> Results {
    let summary = regex(
        r"(?:Passed|Failed|Skipped)!\s+-\s+Failed:\s*(\d+), Passed:\s*(\d+), Skipped:\s*(\d+)",
    );
    let head = regex(r"^\s+Failed (\S.*?)(?: \[[^\]]*\])?$");
    let place = regex(r" in (.+?\.\w+):line (\d+)");
    let mut results = Results::default();
    let mut open: Option<Failure> = None;
    for line in log.lines() {
        if let Some(found) = summary.captures(line) {
            let number = |index: usize| found[index].parse().unwrap_or(0);
            results.counts.get_or_insert_default().add(Counts {
                failed: number(1),
                passed: number(2),
                skipped: number(3),
            });
            results.failures.extend(open.take());
        } else if let Some(found) = head.captures(line) {
            results.failures.extend(open.take());
            open = Some(Failure {
                name: found[1].to_owned(),
                ..Failure::default()
            });
        } else if let Some(failure) = &mut open {
            if line.starts_with("  Passed ") || line.starts_with("  Skipped ") {
                results.failures.extend(open.take());
                continue;
            }
            if failure.location.is_none()
                && let Some(found) = place.captures(line)
            {
                failure.location = Some(format!("{}:{}", &found[1], &found[2]));
            }
            failure.text.push_str(line);
            failure.text.push('\n');
        }
    }
    results.failures.extend(open);
    results
}
