//! Checks that what documents point at exists (files and headings behind links, and paths of the tree in backticks), and that the
//! map of the code stays short.

use super::finding::Finding;
use super::tree::Tree;

/// Folders by which a path in backticks is known for one.
const TOP: &[&str] = &["rust/", "tests/", "docs/", "xtask/", "plugin/", ".ci/"];

/// Lines of the map: more than this, nobody reads from end to end.
const MOST_LINES: usize = 250;

/// Checks how long the map is.
pub(super) fn length(path: &str, markdown: &str) -> Option<Finding> {
    let n_lines = markdown.lines().count();
    (n_lines > MOST_LINES).then(|| {
        let text =
            format!("{n_lines} lines, more than {MOST_LINES}: details have pages of their own");
        Finding::new(path, 0, text)
    })
}

/// Checks a Markdown file.
pub(super) fn links(path: &str, markdown: &str, tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, line) in prose(markdown) {
        let (text, code) = inline(line);
        for target in targets(&text) {
            if let Some(broken) = broken(path, target, tree) {
                findings.push(Finding::new(
                    path,
                    at,
                    format!("links to {target}: {broken}"),
                ));
            }
        }
        for quoted in &code {
            let is_missing = match is_path(quoted) {
                true => !named_from_above(path, quoted, tree),
                false => is_source(quoted) && !tree.has_end(quoted),
            };
            if is_missing {
                findings.push(Finding::new(
                    path,
                    at,
                    format!("names `{quoted}`, which is not there"),
                ));
            }
        }
    }
    findings
}

/// A path is relative to the workspace or to a folder that contains the document, such as its crate's.
fn named_from_above(path: &str, quoted: &str, tree: &Tree) -> bool {
    let folders = path.match_indices('/').map(|(at, _)| &path[..=at]);
    std::iter::once("")
        .chain(folders)
        .any(|folder| tree.has(&format!("{folder}{quoted}")))
}

/// Numbered lines outside fenced blocks.
fn prose(markdown: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    markdown.lines().enumerate().filter_map(move |(at, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        (!fenced && !fence).then_some((at + 1, line))
    })
}

/// A line without its code spans, and the spans.
fn inline(line: &str) -> (String, Vec<&str>) {
    let mut text = String::new();
    let mut code = Vec::new();
    for (at, piece) in line.split('`').enumerate() {
        if at % 2 == 0 {
            text.push_str(piece);
        } else {
            code.push(piece);
        }
    }
    (text, code)
}

fn targets(text: &str) -> impl Iterator<Item = &str> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
}

/// Why a link leads nowhere; none for those that lead out of the tree.
fn broken(path: &str, target: &str, tree: &Tree) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = match target.split_once('#') {
        Some((file, anchor)) => (file, Some(anchor)),
        None => (target, None),
    };
    let file = if file.is_empty() {
        path.to_owned()
    } else {
        resolve(path, file)?
    };
    if !tree.has(&file) {
        return Some("there is no such file".to_owned());
    }
    let anchor = anchor?;
    let found = prose(tree.text(&file)?)
        .filter(|(_, line)| line.starts_with('#'))
        .any(|(_, line)| slug(line) == anchor);
    (!found).then(|| "there is no such heading".to_owned())
}

/// A relative target as a path from the workspace; a target above it is left as it is, and is not found.
fn resolve(path: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in target.trim_end_matches('/').split('/') {
        match part {
            "." | "" => {}
            ".." => {
                if parts.pop().is_none() {
                    return Some(target.to_owned());
                }
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// A heading's anchor as code forges write it.
fn slug(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = kept
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn is_path(quoted: &str) -> bool {
    TOP.iter().any(|top| quoted.starts_with(top))
        && quoted
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c))
}

/// A file of ours by the end of its path, as a text names it that has said where it is.
fn is_source(quoted: &str) -> bool {
    quoted.strip_suffix(".rs").is_some_and(|stem| {
        stem.chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "_/".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::{length, links};
    use crate::lint::tree::{File, Tree};

    fn check(markdown: &str, expected: &[&str]) {
        let mut tree = Tree::of(&[
            "docs",
            "docs/a.md",
            "README.md",
            "rust/wire",
            "rust/wire/src/line.rs",
        ]);
        let text = "# Its Title: two!\n```\n# not one\n```\n".to_owned();
        tree.files.insert(
            0,
            File {
                path: "README.md".to_owned(),
                text,
            },
        );
        let found: Vec<String> = links("docs/a.md", markdown, &tree)
            .into_iter()
            .map(|finding| finding.text)
            .collect();
        assert_eq!(found, expected, "{markdown:?}");
    }

    #[test]
    fn a_map_that_has_grown_too_long_fails() {
        let found = |n_lines: usize| length("docs/a.md", &"x\n".repeat(n_lines));
        assert_eq!(found(250), None);
        let too_long = found(251).map(|finding| (finding.text, finding.advice));
        let text = "251 lines, more than 250: details have pages of their own".to_owned();
        assert_eq!(too_long, Some((text, false)));
    }

    #[test]
    fn a_link_to_a_missing_file_fails() {
        check(
            "[x](../README.md) and [y](a.md), [z](https://example.org)",
            &[],
        );
        check("[x](b.md)", &["links to b.md: there is no such file"]);
        check(
            "[x](../../README.md)",
            &["links to ../../README.md: there is no such file"],
        );
    }

    #[test]
    fn a_link_to_a_missing_heading_fails() {
        check("[x](../README.md#its-title-two)", &[]);
        check(
            "[x](../README.md#not-one)",
            &["links to ../README.md#not-one: there is no such heading"],
        );
        check(
            "# Here\n[x](#there)",
            &["links to #there: there is no such heading"],
        );
    }

    #[test]
    fn a_path_in_backticks_that_is_not_there_fails() {
        check(
            "`rust/wire/src/line.rs`, `rust/wire/`, `rust/*/src`, `target/x`",
            &[],
        );
        check(
            "`rust/wire/src/gone.rs`",
            &["names `rust/wire/src/gone.rs`, which is not there"],
        );
    }

    #[test]
    fn a_source_may_be_named_by_the_end_of_its_path() {
        check("`line.rs`, `src/line.rs`, `*.rs`, `App.rs`", &[]);
        check("`ine.rs`", &["names `ine.rs`, which is not there"]);
        check(
            "`wire/line.rs`",
            &["names `wire/line.rs`, which is not there"],
        );
    }

    #[test]
    fn a_path_may_be_written_from_the_crate_of_the_document() {
        let tree = Tree::of(&["rust/shell/tests/corpus.rs"]);
        let found = |text| links("rust/shell/tests/corpus/README.md", text, &tree).len();
        assert_eq!(
            (found("`tests/corpus.rs`"), found("`tests/gone.rs`")),
            (0, 1)
        );
    }

    #[test]
    fn examples_in_fenced_blocks_are_left_alone() {
        check("```\n[x](gone.md)\n```\n", &[]);
    }
}
