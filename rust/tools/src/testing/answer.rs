//! What a model reads about a test run: counts first, then failures, then where the rest is.

use serde_json::json;

use super::plan::Plan;
use super::results::{Failure, Results};
use crate::command::{Ended, Ending, LogPage, Run};
use siderail_guard::Tool::GetTestResults;

/// Characters of an answer.
const ANSWER: usize = 9_000;
/// Failures and lines of each that are shown.
const FIRST_FAILURES: usize = 10;
const FIRST_LINES: usize = 8;
const ALL_FAILURES: usize = 50;
const ALL_LINES: usize = 40;
/// Characters of a shown line.
const LINE: usize = 300;
/// Lines of the log's end if there are no results.
const TAIL_LINES: usize = 40;

/// How much is said about failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    First,
    FailuresOnly,
}

/// A run that is not finished.
pub(super) fn running(run: &Run) -> String {
    format!(
        "the tests are still running after {:.0} s, run_id {}\n{}\nNext: {GetTestResults} {}\n",
        run.elapsed().as_secs_f64(),
        run.id(),
        last_lines(run, 5),
        json!({"run_id": run.id()})
    )
}

/// A run that has ended.
pub(super) fn ended(
    run: &Run,
    plan: &Plan,
    ended: Ended,
    results: &Results,
    detail: Detail,
) -> String {
    let how = match ended.ending {
        Ending::Exited(exit) => match (exit.code, exit.signal) {
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(signal)) => format!("ended by signal {signal}"),
            (None, None) => "exit code unknown".to_owned(),
        },
        Ending::TimedOut => "took too long and was ended".to_owned(),
        Ending::Killed => "was cancelled".to_owned(),
        Ending::Lost => "was lost sight of".to_owned(),
    };
    let how = format!(
        "{}, {how}, {:.1} s",
        plan.tool.name(),
        ended.took.as_secs_f64()
    );
    let mut text = match results.counts {
        Some(counts) => format!(
            "{} tests: {} passed, {} failed, {} skipped ({how})\n",
            counts.total(),
            counts.passed,
            counts.failed,
            counts.skipped
        ),
        None => format!("tests: counts unknown, no test report was found ({how})\n"),
    };
    text.push_str(&format!("ran: {}\n", run.command()));
    if let Some(note) = &results.note {
        text.push_str(&format!("Note: {note}\n"));
    }
    if !plan.others.is_empty() && detail == Detail::First {
        let others: Vec<&str> = plan.others.iter().map(|tool| tool.name()).collect();
        text.push_str(&format!(
            "Note: tests of {} are here too and were not run; a target file or module chooses \
             them\n",
            others.join(", ")
        ));
    }
    text.push_str(&failures(&results.failures, detail));
    let is_clear = match results.counts {
        None => false,
        Some(counts) => counts.failed > 0 || exit_code(ended) == Some(0),
    };
    if !is_clear {
        text.push_str(&format!(
            "The output ends with:\n{}\n",
            last_lines(run, TAIL_LINES)
        ));
    }
    text.push_str(&format!(
        "Full log: {} or {GetTestResults} {}\n",
        run.log().display(),
        json!({"run_id": run.id(), "page": 1})
    ));
    text
}

/// The status of the program that ran the tests.
pub(super) fn exit_code(ended: Ended) -> Option<i32> {
    match ended.ending {
        Ending::Exited(exit) => exit.code,
        _ => None,
    }
}

fn failures(failures: &[Failure], detail: Detail) -> String {
    let (most_failures, most_lines) = match detail {
        Detail::First => (FIRST_FAILURES, FIRST_LINES),
        Detail::FailuresOnly => (ALL_FAILURES, ALL_LINES),
    };
    let mut text = String::new();
    let mut n_shown = 0;
    for failure in failures.iter().take(most_failures) {
        let shown = one(failure, most_lines);
        if n_shown > 0 && text.len() + shown.len() > ANSWER {
            break;
        }
        text.push_str(&shown);
        n_shown += 1;
    }
    if n_shown < failures.len() {
        text.push_str(&format!("{} more failures\n", failures.len() - n_shown));
    }
    text
}

fn one(failure: &Failure, most_lines: usize) -> String {
    let place = match &failure.location {
        Some(location) => format!(" at {location}"),
        None => String::new(),
    };
    let mut text = format!("FAILED {}{place}\n", failure.name);
    let lines = failure.text.lines().filter(|line| !line.trim().is_empty());
    for line in lines.take(most_lines) {
        let line: String = line.trim_end().chars().take(LINE).collect();
        text.push_str(&format!("    {line}\n"));
    }
    text
}

fn last_lines(run: &Run, most_lines: usize) -> String {
    let last = |page| LogPage::read(run.log(), page);
    let Ok(first) = last(1) else {
        return "(no output)".to_owned();
    };
    let mut text = first.text;
    if first.n_pages > 1 {
        // The last page may hold a few bytes only.
        text = [first.n_pages - 1, first.n_pages]
            .into_iter()
            .filter_map(|page| Some(last(page).ok()?.text))
            .collect();
    }
    let lines: Vec<String> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.trim_end().chars().take(LINE).collect())
        .collect();
    if lines.is_empty() {
        return "(no output)".to_owned();
    }
    let mut start = lines.len().saturating_sub(most_lines);
    while lines[start..].iter().map(String::len).sum::<usize>() > ANSWER / 2 {
        start += 1;
    }
    lines[start..].join("\n")
}
