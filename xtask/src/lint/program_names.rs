//! What is known of a program by its name is in its row: no other source of the shell's analysis compares the name of a
//! command with one that it knows. A name may be used, as `$0` or for what the line itself has defined.
//!
//! Words that were read in another way look like any others, so that this rule sees only the names of calls and the
//! first words of commands.

use super::code::Code;
use super::finding::Finding;
use super::phrases::is_product;
use super::rules::without_tests;

/// Where lines are analysed, and where programs have their rows.
const ANALYSIS: &str = "rust/shell/src/";
const ROWS: &str = "rust/shell/src/programs";

/// A command's name in the place of what is compared. Literals are blank in the code, but for the first quote.
const COMPARISONS: [&str; 10] = [
    "match call.name",
    "match (call.name",
    "matches!(call.name",
    "call.name ==",
    "call.name !=",
    "== call.name",
    "!= call.name",
    "contains(&call.name)",
    "call.name.starts_with(\"",
    "call.name.ends_with(\"",
];
/// How the first word of a command is read where it is no call yet.
const WORDS: [&str; 2] = [".bare()", ".literal()"];

/// Checks a Rust file.
pub(super) fn check(path: &str, text: &str) -> Vec<Finding> {
    if !path.starts_with(ANALYSIS) || path.starts_with(ROWS) || !is_product(path) {
        return Vec::new();
    }
    let (shipped, _) = without_tests(&Code::of(text).code);
    let compares = |line: &str| {
        let of_call = COMPARISONS
            .iter()
            .any(|comparison| line.contains(comparison));
        let of_word = WORDS.iter().any(|word| line.contains(word)) && line.contains("Some(\"");
        of_call || of_word
    };
    let lines = shipped.lines().enumerate();
    let lines = lines.filter(|(_, line)| compares(line));
    let found = lines.map(|(at, _)| {
        let text = format!("compares a program's name: let its row in {ROWS} say what it is");
        Finding::new(path, at + 1, text)
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::check;

    fn found(path: &str, text: &str) -> Vec<usize> {
        check(path, text)
            .into_iter()
            .map(|found| found.line)
            .collect()
    }

    #[test]
    fn a_name_that_is_compared_fails_outside_of_the_rows() {
        let code = "match call.name {\n    \"rm\" => 1,\n}\nif call.name == \"cat\" {}\n\
                    let a = KNOWN.contains(&call.name);\nmatches!(word.bare(), Some(\"rm\"));\n\
                    call.name.starts_with(\"g\");\n";
        assert_eq!(
            found("rust/shell/src/classify/find.rs", code),
            [1, 4, 5, 6, 7]
        );
        for path in [
            "rust/shell/src/programs/files.rs",
            "rust/shell/src/programs.rs",
            "rust/shell/tests/names.rs",
            "rust/guard/src/a.rs",
        ] {
            assert!(found(path, code).is_empty(), "{path}");
        }
    }

    #[test]
    fn a_name_may_be_used_and_mentioned() {
        let code = "// match call.name\nlet why = \"call.name == x\";\nself.scope.alias(call.name);\n\
                    programs::find(word.bare()?);\ncall.name.starts_with(['.', '[']);\n";
        assert!(found("rust/shell/src/commands.rs", code).is_empty());
    }
}
