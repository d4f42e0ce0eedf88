//! Rules that one source file keeps or breaks by itself.

use super::code::Code;
use super::finding::Finding;

/// Lines of a source file without its tests: beyond the first is said, beyond the second fails.
const ADVISED_LINES: usize = 400;
const MOST_LINES: usize = 500;
/// The same for files that hold nothing but tests.
const MOST_TEST_LINES: usize = 800;
/// Lines of a function: beyond this is said.
const ADVISED_FUNCTION_LINES: usize = 60;

/// Crates of `rust` that meet the terminal and the environment; the others get all they need as arguments.
const OUTER: &[&str] = &["cli", "relay", "testkit", "jni"];
/// Crates that call the operating system or a virtual machine by hand.
const UNSAFE: &[&str] = &["jni", "os", "relay"];
/// The one other place: tokio takes the access list of a pipe as a pointer only.
const UNSAFE_FILE: &str = "rust/mcp/src/socket/pipe.rs";

const UNFINISHED_COMMENTS: &[&str] = &["TODO", "FIXME", "XXX"];
const UNFINISHED_CODE: &[&str] = &["todo!", "unimplemented!", "dbg!", "#[ignore"];
const SURROUNDINGS: &[&str] = &["env::var", "env::home_dir"];
const PRINTS: &[&str] = &["println!", "eprintln!", "print!", "eprint!"];

/// Checks a Rust file.
pub(super) fn rust(path: &str, source: &str) -> Vec<Finding> {
    let split = Code::of(source);
    let (shipped, n_lines) = without_tests(&split.code);
    let krate = path
        .strip_prefix("rust/")
        .and_then(|rest| rest.split('/').next());
    let library = krate.filter(|name| !OUTER.contains(name)).is_some() && path.contains("/src/");
    let mut findings = Vec::new();
    if !source.starts_with("//!") {
        let text = "does not begin with `//!`: what it is for and what it must not know";
        findings.push(Finding::new(path, 1, text));
    }
    if is_test(path) {
        findings.extend(length(
            path,
            source.lines().count(),
            MOST_TEST_LINES,
            MOST_TEST_LINES,
        ));
    } else {
        findings.extend(length(path, n_lines, ADVISED_LINES, MOST_LINES));
        findings.extend(functions(path, &shipped));
    }
    findings.extend(words(
        path,
        &split.comments,
        UNFINISHED_COMMENTS,
        "is unfinished",
    ));
    findings.extend(words(path, &split.code, UNFINISHED_CODE, "is unfinished"));
    if library && !is_test(path) {
        let why = "belongs in cli, relay or jni: a library is told what it needs";
        findings.extend(words(path, &shipped, SURROUNDINGS, why));
        findings.extend(words(
            path,
            &shipped,
            PRINTS,
            "belongs in cli: a library does not print",
        ));
    }
    if path != UNSAFE_FILE && !krate.is_some_and(|name| UNSAFE.contains(&name)) {
        findings.extend(words(
            path,
            &split.code,
            &["unsafe"],
            "only rust/jni, rust/os and rust/relay may",
        ));
    }
    findings
}

/// Checks a Python file.
pub(super) fn python(path: &str, source: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let head = source.lines().find(|line| !line.starts_with("#!"));
    if !head.is_some_and(|line| line.starts_with("\"\"\"")) {
        findings.push(Finding::new(
            path,
            1,
            "does not begin with a text that says what it is for",
        ));
    }
    findings.extend(length(
        path,
        source.lines().count(),
        ADVISED_LINES,
        MOST_LINES,
    ));
    findings.extend(words(path, source, UNFINISHED_COMMENTS, "is unfinished"));
    findings
}

pub(super) fn is_test(path: &str) -> bool {
    path.starts_with("tests/") || path.contains("/tests/") || path.ends_with("/tests.rs")
}

fn length(path: &str, n_lines: usize, advised: usize, most: usize) -> Option<Finding> {
    if n_lines > most {
        return Some(Finding::new(
            path,
            0,
            format!("{n_lines} lines, more than {most}"),
        ));
    }
    (n_lines > advised)
        .then(|| Finding::advice(path, 0, format!("{n_lines} lines, more than {advised}")))
}

/// The code with its test modules blanked, and how many lines are left. Relies on rustfmt: such a module
/// ends at the first `}` in column 0.
pub(super) fn without_tests(code: &str) -> (String, usize) {
    let mut lines: Vec<&str> = code.lines().collect();
    let mut n_lines = lines.len();
    let mut at = 0;
    while at < lines.len() {
        let is_module = |line: &&str| line.starts_with("mod ") && line.ends_with('{');
        let mut length = 1;
        if lines[at] == "#[cfg(test)]" && lines[at + 1..].iter().take(3).any(is_module) {
            let rest = &mut lines[at..];
            length = rest
                .iter()
                .position(|&line| line == "}")
                .map_or(rest.len(), |end| end + 1);
            rest[..length].fill("");
            n_lines -= length;
        }
        at += length;
    }
    (lines.join("\n"), n_lines)
}

/// Each occurrence of a word that is not part of a longer one.
fn words(path: &str, text: &str, words: &[&str], why: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, line) in text.lines().enumerate() {
        for word in words {
            if has_word(line, word) {
                findings.push(Finding::new(path, at + 1, format!("`{word}` {why}")));
            }
        }
    }
    findings
}

/// Whether a text contains a word that is not part of a longer one.
pub(super) fn has_word(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let starts = !line[..at].chars().next_back().is_some_and(part);
        // `env::var` also covers `env::vars` and `env::var_os`.
        let ends = word.contains("::") || !line[at + word.len()..].chars().next().is_some_and(part);
        starts && ends
    })
}

/// Functions that are long enough to be said. Relies on rustfmt: a body ends at its own indentation.
fn functions(path: &str, code: &str) -> Vec<Finding> {
    let lines: Vec<&str> = code.lines().collect();
    let mut findings = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let declares = has_word(line, "fn") && line.contains("fn ");
        if !declares || line.trim_end().ends_with([';', '}']) {
            continue;
        }
        let end = format!("{}}}", &line[..indent]);
        let Some(length) = lines[at..].iter().position(|line| line.trim_end() == end) else {
            continue;
        };
        if length + 1 > ADVISED_FUNCTION_LINES {
            let text = format!(
                "a function of {} lines, more than {ADVISED_FUNCTION_LINES}",
                length + 1
            );
            findings.push(Finding::advice(path, at + 1, text));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::{python, rust};

    fn check(path: &str, source: &str, expected: &[&str]) {
        let found: Vec<String> = rust(path, source)
            .into_iter()
            .map(|f| {
                format!(
                    "{}{}: {}",
                    if f.advice { "advice " } else { "" },
                    f.line,
                    f.text
                )
            })
            .collect();
        let met = found.len() == expected.len()
            && found
                .iter()
                .zip(expected)
                .all(|(found, start)| found.starts_with(start));
        assert!(met, "{path}: found {found:#?}, expected {expected:#?}");
    }

    #[test]
    fn a_module_without_a_head_fails() {
        check("rust/acp/src/a.rs", "//! Head.\n", &[]);
        check(
            "rust/acp/src/a.rs",
            "\nfn f() {}\n",
            &["1: does not begin with"],
        );
        check(
            "rust/acp/tests/a.rs",
            "/// Not a head.\n",
            &["1: does not begin with"],
        );
    }

    #[test]
    fn the_length_of_a_file_is_counted_without_its_tests() {
        let tests = format!(
            "#[cfg(test)]\nmod tests {{\n{}}}\n",
            "    f();\n".repeat(600)
        );
        let file = |n_lines: usize| format!("//! Head.\n{}{tests}", "f();\n".repeat(n_lines));
        check("rust/acp/src/a.rs", &file(390), &[]);
        check(
            "rust/acp/src/a.rs",
            &file(450),
            &["advice 0: 451 lines, more than 400"],
        );
        check(
            "rust/acp/src/a.rs",
            &file(500),
            &["0: 501 lines, more than 500"],
        );
        check(
            "rust/acp/tests/a.rs",
            &format!("//! Head.\n{}", "f();\n".repeat(700)),
            &[],
        );
        check(
            "rust/acp/tests/a.rs",
            &format!("//! Head.\n{}", "f();\n".repeat(800)),
            &["0: 801 lines"],
        );
    }

    #[test]
    fn code_after_a_test_module_is_counted_and_checked() {
        let source =
            "//! Head.\n#[cfg(test)]\nmod tests {\n    println!();\n}\nfn f() { println!() }\n";
        assert_eq!(rust("rust/acp/src/a.rs", source).len(), 1);
    }

    #[test]
    fn a_long_function_is_said() {
        let body =
            |n_lines: usize| format!("//! Head.\nfn f() {{\n{}}}\n", "    g();\n".repeat(n_lines));
        check("rust/acp/src/a.rs", &body(58), &[]);
        check(
            "rust/acp/src/a.rs",
            &body(59),
            &["advice 2: a function of 61 lines"],
        );
    }

    #[test]
    fn unfinished_work_fails_in_comments_and_in_code() {
        check(
            "rust/acp/src/a.rs",
            "//! Head.\n// TODO: more\n",
            &["2: `TODO`"],
        );
        check(
            "rust/acp/src/a.rs",
            "//! Head.\nfn f() { dbg!(1) }\n",
            &["2: `dbg!`"],
        );
        check(
            "rust/acp/src/a.rs",
            "//! Head.\nfn f() { todo!() }\n",
            &["2: `todo!`"],
        );
        check(
            "rust/acp/tests/a.rs",
            "//! Head.\n#[ignore = \"slow\"]\n",
            &["2: `#[ignore`"],
        );
        check(
            "rust/acp/src/a.rs",
            "//! Head.\nconst TODO: &str = \"TODO\";\n",
            &[],
        );
    }

    #[test]
    fn a_library_that_reads_its_surroundings_fails() {
        let source = "//! Head.\nfn f() { std::env::var_os(\"X\"); env::vars(); }\n";
        check("rust/engine/src/a.rs", source, &["2: `env::var`"]);
        check("rust/cli/src/a.rs", source, &[]);
        check("rust/engine/tests/a.rs", source, &[]);
        check("xtask/src/a.rs", source, &[]);
        check(
            "rust/engine/src/a.rs",
            "//! Head.\nfn f() { env!(\"X\"); }\n",
            &[],
        );
    }

    #[test]
    fn a_library_that_prints_fails() {
        let source = "//! Head.\nfn f() { eprintln!(); }\n";
        check("rust/guard/src/a.rs", source, &["2: `eprintln!`"]);
        check("rust/testkit/src/a.rs", source, &[]);
        check("rust/guard/examples/timing.rs", source, &[]);
        let tests = "//! Head.\n#[cfg(test)]\nmod tests {\n    fn f() { println!(); }\n}\n";
        check("rust/guard/src/a.rs", tests, &[]);
    }

    #[test]
    fn unsafe_code_outside_its_crates_fails() {
        let source = "//! Head.\nfn f() { unsafe { g() } }\n";
        check("rust/acp/src/a.rs", source, &["2: `unsafe`"]);
        check("rust/relay/src/a.rs", source, &[]);
        check("rust/os/src/a.rs", source, &[]);
        check("rust/mcp/src/socket/pipe.rs", source, &[]);
        check(
            "rust/acp/src/a.rs",
            "//! Head.\n#![forbid(unsafe_code)] // unsafe\n",
            &[],
        );
    }

    #[test]
    fn a_python_file_says_what_it_is_for() {
        assert!(
            python(
                "tests/live/a.py",
                "#!/usr/bin/env python3\n\"\"\"Head.\"\"\"\n"
            )
            .is_empty()
        );
        assert_eq!(python("tests/live/a.py", "import os\n# FIXME\n").len(), 2);
    }
}
