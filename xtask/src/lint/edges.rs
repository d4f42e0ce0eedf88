//! Which crate may use which: compares the table of the map with what cargo says.
//!
//! The table is exact. An edge that the map does not have fails, and so does one that only the map has.

use std::collections::BTreeSet;

use super::finding::Finding;
use super::table::{self, Row};
use crate::metadata::Package;

/// First cell of the table's header.
const HEADER: &str = "crate";
const PREFIX: &str = "siderail-";
/// Says of a column that it holds anything, or nothing.
const ANY: &str = "any";
const NONE: &str = "none";

/// What the map says of one crate.
struct Allowed {
    line: usize,
    name: String,
    /// Crates of ours, exactly; `None` for any.
    uses: Option<BTreeSet<String>>,
    /// Crates of others that it must not depend on; `None` for all of them.
    never: Option<BTreeSet<String>>,
}

/// Compares normal dependencies with the table.
pub(super) fn check(map: &str, markdown: &str, packages: &[Package]) -> Vec<Finding> {
    let Some(rows) = table::rows(markdown, HEADER) else {
        return vec![Finding::new(
            map,
            0,
            format!("has no table that begins with `{HEADER}`"),
        )];
    };
    let rows: Vec<Allowed> = rows.iter().map(allowed).collect();
    let mut findings = Vec::new();
    for package in packages {
        let name = short(&package.name);
        match rows.iter().find(|row| row.name == name) {
            Some(row) => findings.extend(compare(map, row, package)),
            None => findings.push(Finding::new(
                map,
                0,
                format!("says nothing of crate {name}"),
            )),
        }
    }
    for row in &rows {
        if !packages
            .iter()
            .any(|package| short(&package.name) == row.name)
        {
            findings.push(Finding::new(
                map,
                row.line,
                format!("there is no crate {}", row.name),
            ));
        }
    }
    findings
}

fn compare(map: &str, row: &Allowed, package: &Package) -> Vec<Finding> {
    let normal = || {
        package
            .dependencies
            .iter()
            .filter(|dependency| dependency.normal)
    };
    let ours: BTreeSet<String> = normal()
        .filter(|dependency| dependency.ours)
        .map(|dependency| short(&dependency.name))
        .collect();
    let mut findings = Vec::new();
    if let Some(uses) = &row.uses {
        for name in ours.difference(uses) {
            let text = format!("{} uses {name}, which the map does not allow", row.name);
            findings.push(Finding::new(map, row.line, text));
        }
        for name in uses.difference(&ours) {
            let text = format!("{} does not use {name}; take it out of the map", row.name);
            findings.push(Finding::new(map, row.line, text));
        }
    }
    for dependency in normal().filter(|dependency| !dependency.ours) {
        if row
            .never
            .as_ref()
            .is_none_or(|never| never.contains(&dependency.name))
        {
            let text = format!("{} must not depend on {}", row.name, dependency.name);
            findings.push(Finding::new(map, row.line, text));
        }
    }
    findings
}

fn allowed(row: &Row) -> Allowed {
    let cell = |at: usize| row.cells.get(at).map(String::as_str).unwrap_or_default();
    let names = |at: usize| table::quoted(cell(at)).into_iter().collect();
    Allowed {
        line: row.line,
        name: table::quoted(cell(0))
            .into_iter()
            .next()
            .unwrap_or_default(),
        uses: if cell(1) == ANY { None } else { Some(names(1)) },
        never: match cell(2) {
            ANY => None,
            NONE => Some(BTreeSet::new()),
            _ => Some(names(2)),
        },
    }
}

fn short(package: &str) -> String {
    package.strip_prefix(PREFIX).unwrap_or(package).to_owned()
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::metadata::{Dependency, Package};

    const MAP: &str = "\
| crate | uses of ours | never depends on | knows nothing of |
|---|---|---|---|
| `wire` | none | `tokio` | anything |
| `acp` | `wire` | none | policy |
| `relay` | none | any | Rust crates |
";

    fn package(name: &str, ours: &[&str], others: &[&str]) -> Package {
        let dependency = |name: &&str, ours| Dependency {
            name: (*name).to_owned(),
            normal: true,
            ours,
        };
        let ours = ours.iter().map(|name| dependency(name, true));
        let others = others.iter().map(|name| dependency(name, false));
        Package {
            name: format!("siderail-{name}"),
            folder: String::new(),
            dependencies: ours.chain(others).collect(),
        }
    }

    fn texts(acp: Package, relay: Package) -> Vec<String> {
        let packages = [package("wire", &[], &["serde"]), acp, relay];
        check("map.md", MAP, &packages)
            .into_iter()
            .map(|finding| finding.text)
            .collect()
    }

    #[test]
    fn the_map_as_it_is_passes() {
        let acp = package("acp", &["siderail-wire"], &["tokio"]);
        assert!(texts(acp, package("relay", &[], &[])).is_empty());
    }

    #[test]
    fn an_edge_that_the_map_does_not_have_fails() {
        let acp = package("acp", &["siderail-wire", "siderail-relay"], &[]);
        assert_eq!(
            texts(acp, package("relay", &[], &[])),
            ["acp uses relay, which the map does not allow"]
        );
    }

    #[test]
    fn an_edge_that_only_the_map_has_fails() {
        let acp = package("acp", &[], &[]);
        assert_eq!(
            texts(acp, package("relay", &[], &[])),
            ["acp does not use wire; take it out of the map"]
        );
    }

    #[test]
    fn a_dependency_that_a_crate_must_never_have_fails() {
        let acp = package("acp", &["siderail-wire"], &[]);
        assert_eq!(
            texts(acp, package("relay", &[], &["libc"])),
            ["relay must not depend on libc"]
        );
        let wire = package("wire", &[], &["tokio"]);
        let found = check("map.md", MAP, &[wire]);
        assert!(
            found
                .iter()
                .any(|finding| finding.text == "wire must not depend on tokio")
        );
    }

    #[test]
    fn a_dependency_of_tests_is_no_edge() {
        let mut acp = package("acp", &["siderail-wire"], &[]);
        let relay = Dependency {
            name: "siderail-relay".to_owned(),
            normal: false,
            ours: true,
        };
        acp.dependencies.push(relay);
        assert!(texts(acp, package("relay", &[], &[])).is_empty());
    }

    #[test]
    fn a_crate_missing_on_either_side_fails() {
        let found = check(
            "map.md",
            MAP,
            &[package("wire", &[], &[]), package("new", &[], &[])],
        );
        let texts: Vec<&str> = found.iter().map(|finding| finding.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "says nothing of crate new",
                "there is no crate acp",
                "there is no crate relay"
            ]
        );
        assert_eq!(check("map.md", "# nothing", &[]).len(), 1);
    }
}
