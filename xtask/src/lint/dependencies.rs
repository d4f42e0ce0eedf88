//! Checks that every direct dependency is used, and has a line in the map that says why it is worth
//! having.

use std::collections::{BTreeMap, BTreeSet};

use super::code::Code;
use super::finding::Finding;
use super::rules::has_word;
use super::table;
use super::tree::Tree;
use crate::metadata::Package;

/// First cell of the table's header.
const HEADER: &str = "dependency";

/// Compares the direct dependencies of all packages, tests included, with the table.
pub(super) fn check(map: &str, markdown: &str, packages: &[Package]) -> Vec<Finding> {
    let Some(rows) = table::rows(markdown, HEADER) else {
        return vec![Finding::new(
            map,
            0,
            format!("has no table that begins with `{HEADER}`"),
        )];
    };
    let used: BTreeSet<&str> = packages
        .iter()
        .flat_map(|package| &package.dependencies)
        .filter(|dependency| !dependency.ours)
        .map(|dependency| dependency.name.as_str())
        .collect();
    let mut explained = BTreeMap::new();
    let mut findings = Vec::new();
    for row in &rows {
        let reason = row.cells.get(1).map(String::as_str).unwrap_or_default();
        for name in table::quoted(&row.cells[0]) {
            if reason.is_empty() {
                findings.push(Finding::new(
                    map,
                    row.line,
                    format!("no reason is given for {name}"),
                ));
            }
            if explained.insert(name.clone(), row.line).is_some() {
                findings.push(Finding::new(
                    map,
                    row.line,
                    format!("{name} is listed twice"),
                ));
            }
        }
    }
    for name in &used {
        if !explained.contains_key(*name) {
            findings.push(Finding::new(
                map,
                0,
                format!("does not say why we depend on {name}"),
            ));
        }
    }
    for (name, line) in explained {
        if !used.contains(name.as_str()) {
            findings.push(Finding::new(
                map,
                line,
                format!("nothing depends on {name} any more"),
            ));
        }
    }
    findings
}

/// Dependencies that no source file of their package names.
pub(super) fn unused(packages: &[Package], tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in packages {
        let folder = format!("{}/", package.folder);
        let is_source = |path: &str| path.starts_with(&folder) && path.ends_with(".rs");
        let sources = tree.files.iter().filter(|file| is_source(&file.path));
        let code: Vec<String> = sources.map(|file| Code::of(&file.text).code).collect();
        let names: BTreeSet<&str> = package
            .dependencies
            .iter()
            .map(|dependency| dependency.name.as_str())
            .collect();
        for name in names {
            let word = name.replace('-', "_");
            if !code.iter().any(|code| has_word(code, &word)) {
                let text = format!("no source of this package names {name}");
                findings.push(Finding::new(&format!("{folder}Cargo.toml"), 0, text));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::{check, unused};
    use crate::lint::tree::Tree;
    use crate::metadata::{Dependency, Package};

    #[test]
    fn a_dependency_that_no_source_names_fails() {
        let dependency = |name: &str| Dependency {
            name: name.to_owned(),
            normal: true,
            ours: false,
        };
        let package = Package {
            name: "siderail-a".to_owned(),
            folder: "rust/a".to_owned(),
            dependencies: vec![dependency("serde"), dependency("serde-json")],
        };
        let mut tree = Tree::of(&["rust/a/src/lib.rs", "rust/ab/src/lib.rs"]);
        let mut texts = |ours: &str, others: &str| {
            tree.files[0].text = ours.to_owned();
            tree.files[1].text = others.to_owned();
            let found = unused(std::slice::from_ref(&package), &tree);
            found
                .into_iter()
                .map(|finding| finding.text)
                .collect::<Vec<_>>()
        };
        assert!(texts("use serde_json::Value;\nuse serde::Serialize;", "").is_empty());
        assert_eq!(
            texts("use serde_json::Value; // serde", "use serde::Serialize;"),
            ["no source of this package names serde"]
        );
    }

    fn texts(markdown: &str, names: &[&str]) -> Vec<String> {
        let dependencies = names
            .iter()
            .map(|&name| Dependency {
                name: name.to_owned(),
                normal: false,
                ours: false,
            })
            .collect();
        let package = Package {
            name: "x".to_owned(),
            folder: String::new(),
            dependencies,
        };
        check("map.md", markdown, &[package])
            .into_iter()
            .map(|finding| finding.text)
            .collect()
    }

    const TABLE: &str = "| dependency | why |\n|---|---|\n";

    #[test]
    fn a_dependency_without_a_line_fails() {
        let markdown = format!("{TABLE}| `serde`, `serde_json` | JSON |\n");
        assert_eq!(
            texts(&markdown, &["serde", "serde_json", "rand"]),
            ["does not say why we depend on rand"]
        );
        assert!(texts(&markdown, &["serde", "serde_json"]).is_empty());
    }

    #[test]
    fn a_line_without_a_dependency_or_a_reason_fails() {
        let markdown = format!("{TABLE}| `serde` | |\n| `old` | once |\n| `old` | again |\n");
        assert_eq!(
            texts(&markdown, &["serde"]),
            [
                "no reason is given for serde",
                "old is listed twice",
                "nothing depends on old any more"
            ]
        );
    }
}
