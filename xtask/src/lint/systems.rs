//! Code that is compiled for some systems only is in one place per concern.
//!
//! That is `rust/os` and `rust/relay`, files that are named after a system, and lines that choose between such files.
//! Everywhere else a system is a value, `os::System`, that code can be tested with.

use super::code::Code;
use super::finding::Finding;
use super::rules::{has_word, is_test, without_tests};

/// Where calls of systems are.
const OURS: [&str; 3] = ["rust/os/", "rust/relay/", "xtask/"];
/// Programs that only tests start.
const PLAYED: &str = "rust/testkit/";
const NAMED: [&str; 5] = ["unix", "windows", "linux", "macos", "others"];
/// What a condition asks for a system by.
const WORDS: [&str; 5] = [
    "unix",
    "windows",
    "target_os",
    "target_family",
    "target_vendor",
];
/// What may follow a condition: a module is chosen, or what it holds is.
const CHOICES: [&str; 6] = [
    "mod ",
    "pub mod ",
    "use ",
    "pub use ",
    "pub(crate) use ",
    "pub(super) use ",
];

/// Checks a Rust file.
pub(super) fn check(path: &str, source: &str) -> Vec<Finding> {
    let stem = path
        .rsplit('/')
        .next()
        .and_then(|name| name.strip_suffix(".rs"));
    let is_named = stem.is_some_and(|stem| NAMED.contains(&stem));
    let is_ours = OURS.iter().any(|folder| path.starts_with(folder));
    if is_ours || is_named || path.starts_with(PLAYED) || is_test(path) {
        return Vec::new();
    }
    let (shipped, _) = without_tests(&Code::of(source).code);
    let lines: Vec<&str> = shipped.lines().map(str::trim).collect();
    let mut findings = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let asks = ["cfg(", "cfg!(", "cfg_attr("]
            .iter()
            .any(|word| line.contains(word));
        if !asks || !WORDS.iter().any(|word| has_word(line, word)) {
            continue;
        }
        let rest = lines[at + 1..].iter();
        let next = rest
            .copied()
            .find(|line| !line.is_empty() && !line.starts_with("#["));
        let chooses = line.starts_with("#[cfg(")
            && next.is_some_and(|next| CHOICES.iter().any(|start| next.starts_with(start)));
        if !chooses {
            let text = "asks for a system while it is compiled: that belongs in rust/os, or ask `os::System`";
            findings.push(Finding::new(path, at + 1, text));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::check;

    fn lines(path: &str, source: &str) -> Vec<usize> {
        let found = check(path, source);
        found.into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn a_condition_on_the_system_fails_where_it_chooses_no_module() {
        let inline = "//! Head.\nfn f() {\n    if cfg!(windows) {}\n}\n";
        assert_eq!(lines("rust/cli/src/a.rs", inline), [3]);
        let function = "//! Head.\n#[cfg(unix)]\nfn f() {}\n#[cfg(not(unix))]\nfn f() {}\n";
        assert_eq!(lines("rust/acp/src/a.rs", function), [2, 4]);
        let several = "//! Head.\n#[cfg(all(test, target_os = \"linux\"))]\nfn f() {}\n";
        assert_eq!(lines("rust/acp/src/a.rs", several), [2]);
    }

    #[test]
    fn modules_may_be_chosen_and_tests_may_ask() {
        let chosen =
            "//! Head.\n#[cfg(unix)]\nmod unix;\n#[cfg(windows)]\npub use windows::{a, b};\n";
        assert_eq!(lines("rust/acp/src/a.rs", chosen), [0usize; 0]);
        let tests = "//! Head.\n#[cfg(test)]\nmod tests {\n    #[cfg(unix)]\n    fn f() {}\n}\n";
        assert_eq!(lines("rust/acp/src/a.rs", tests), [0usize; 0]);
        let inline = "//! Head.\nfn f() { cfg!(windows) }\n";
        for path in [
            "rust/os/src/a.rs",
            "rust/acp/src/a/unix.rs",
            "rust/acp/tests/a.rs",
            "rust/acp/src/a/tests.rs",
        ] {
            assert_eq!(lines(path, inline), [0usize; 0], "{path}");
        }
        assert_eq!(
            lines(
                "rust/acp/src/a.rs",
                "//! cfg!(windows)\n#[cfg(debug_assertions)]\nfn f() {}\n"
            ),
            [0usize; 0]
        );
    }
}
