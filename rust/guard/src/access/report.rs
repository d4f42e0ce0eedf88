//! Lines by which test runners, compilers, linters and comparisons are recognised: the lines beside them are their
//! report.

/// What the line of a report holds, as written.
const MARKS: [&str; 40] = [
    "test result: ",
    "short test summary info",
    "--- FAIL:",
    "FAIL\t",
    "not ok ",
    "Tests run:",
    "Test Suites:",
    "Test Files ",
    "FAILED (",
    "FAILURES!",
    "COMPILATION ERROR",
    "Compilation failed",
    "error: could not compile",
    "error[E",
    "error TS",
    "diff --git ",
    "@@ -",
    "tests passed",
    "tests failed",
    "tests completed",
    "test failed",
    "Failed!  - Failed:",
    "Result: FAIL",
    "AssertionError",
    "AssertionFailedError",
    "assertion failed",
    "assertion `left",
    "Assertion failed",
    "expect(received)",
    "FAILED tests/",
    "There was 1 failure",
    " | ^",
    "✖ ",
    "✕ ",
    "# fail ",
    "# tests ",
    "ℹ fail ",
    "Found 1 error",
    "error generated.",
    "errors generated.",
];
/// What a number counts in the last line of a runner or a compiler.
const COUNTED: [&str; 22] = [
    "test",
    "tests",
    "spec",
    "specs",
    "example",
    "examples",
    "passing",
    "failing",
    "passed",
    "failed",
    "failure",
    "failures",
    "problem",
    "problems",
    "error",
    "errors",
    "assertion",
    "assertions",
    "pending",
    "todo",
    "suite",
    "suites",
];
/// What precedes a number there.
const HEADS: [&str; 6] = [
    "tests",
    "failures",
    "passed",
    "failed",
    "assertions",
    "examples",
];

/// Whether a line is one that only a report has.
pub(super) fn is_report(line: &str) -> bool {
    MARKS.iter().any(|mark| line.contains(mark)) || is_count(line)
}

/// `3 failed`, `12 passing`, `Tests: 4`, `2 errors`: not `Error 126`, which make says of a program's status.
fn is_count(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    let mut before = "";
    for word in lower.split_whitespace() {
        // A number in brackets is a status, as in curl's `(23) Failure …`.
        let number = word
            .trim_start_matches('(')
            .trim_end_matches([',', '.', ';']);
        let name = word.trim_matches(|c: char| !c.is_alphanumeric());
        if is_number(before) && COUNTED.contains(&name) {
            return true;
        }
        let head = before.strip_suffix(':');
        if is_number(number) && head.is_some_and(|head| HEADS.contains(&head)) {
            return true;
        }
        before = number;
    }
    false
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit())
}
