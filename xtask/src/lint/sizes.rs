//! How large a crate may grow: what nobody can keep in mind at once should be two crates.

use std::collections::BTreeMap;

use super::finding::Finding;
use super::rules::{is_test, without_tests};
use super::tree::Tree;

/// Lines of a crate's sources without its tests.
const MOST_LINES: usize = 20_000;
/// The same of the crate that knows programs, one by one.
const MOST_OF_SHELL: usize = 22_000;

/// Checks the crates in `rust`.
pub(super) fn crates(tree: &Tree) -> Vec<Finding> {
    let mut n_lines: BTreeMap<&str, usize> = BTreeMap::new();
    for file in &tree.files {
        let inside = file.path.strip_prefix("rust/");
        if let Some((krate, path)) = inside.and_then(|inside| inside.split_once('/'))
            && path.starts_with("src/")
            && path.ends_with(".rs")
            && !is_test(&file.path)
        {
            *n_lines.entry(krate).or_default() += without_tests(&file.text).1;
        }
    }
    let most = |krate| match krate {
        "shell" => MOST_OF_SHELL,
        _ => MOST_LINES,
    };
    let large = n_lines
        .into_iter()
        .filter(|(krate, n_lines)| *n_lines > most(krate));
    let finding = |(krate, n_lines)| {
        let text = format!(
            "{n_lines} lines without tests, more than {}: a part of it is a crate of its own",
            most(krate)
        );
        Finding::new(&format!("rust/{krate}"), 0, text)
    };
    large.map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::crates;
    use crate::lint::tree::{File, Tree};

    #[test]
    fn a_crate_that_has_grown_too_large_fails() {
        let mut tree = Tree::of(&[]);
        let mut found = |path: &str, n_lines: usize| {
            let text = "x\n".repeat(n_lines);
            let path = path.to_owned();
            tree.files.push(File { path, text });
            crates(&tree).len()
        };
        assert_eq!(found("rust/wire/src/a.rs", 12_000), 0);
        assert_eq!(found("rust/wire/src/a/tests.rs", 12_000), 0);
        assert_eq!(found("rust/wire/tests/a.rs", 12_000), 0);
        assert_eq!(found("rust/shell/src/a.rs", 22_000), 0);
        assert_eq!(found("rust/wire/src/b.rs", 8_001), 1);
        assert_eq!(found("rust/shell/src/b.rs", 1), 2);
    }
}
