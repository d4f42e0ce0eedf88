//! Which lines of a text import something, as most languages write that. It only decides which lines to leave alone
//! when imports are optimised, so a guess is enough; no language is known here.

use std::collections::BTreeSet;

/// What such a line begins with.
const WORDS: &[&str] = &[
    "import",
    "from",
    "using",
    "use",
    "#include",
    "require",
    "require_once",
    "open",
    "extern crate",
];

/// The import lines that `new` has and `old` has not, without the blanks around them, each once.
pub fn brought(old: &str, new: &str) -> Vec<String> {
    let mut known: BTreeSet<&str> = lines(old).collect();
    let new_ones = lines(new).filter(|line| known.insert(line));
    new_ones.map(str::to_owned).collect()
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| imports(line))
}

fn imports(line: &str) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || c == '_';
    let mut behind = WORDS.iter().filter_map(|word| line.strip_prefix(word));
    behind.any(|rest| !rest.starts_with(goes_on))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn import_lines_are_known_in_many_languages() {
        let lines = [
            "import java.util.List;",
            "from os import path",
            "using System;",
            "use std::fs;",
            "#include <stdio.h>",
            "require 'json'",
            "open Printf",
            "extern crate core;",
        ];
        for line in lines {
            assert_eq!(brought("", &format!("a\n  {line}\n")), [line]);
        }
        assert!(brought("", "important = 1\nuser = 2\n").is_empty());
    }

    #[test]
    fn what_was_there_is_not_brought_in_and_nothing_twice() {
        let new = "import x\nimport y\n import y\nimport z\n";
        assert_eq!(
            brought("import x\nval z = 1\n", new),
            ["import y", "import z"]
        );
    }
}
