//! Licences of everything that is built in: each must leave us a choice from the list below.

use super::finding::Finding;
use crate::metadata::Licensed;

/// Licences that ask for no more than their own text and a notice.
const ALLOWED: &[&str] = &[
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Packages that tests run and that are part of nothing that is given away, each with its licence.
const TEST_TOOLS: &[(&str, &str)] = &[("cbindgen", "MPL-2.0")];

/// Checks all packages of the lock file.
pub(super) fn check(packages: &[Licensed]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in packages {
        let named = format!("{} {}", package.name, package.version);
        match &package.licence {
            Some(licence) if TEST_TOOLS.contains(&(&package.name, licence)) => {}
            None => findings.push(Finding::new(
                "Cargo.lock",
                0,
                format!("{named} names no licence"),
            )),
            Some(licence) => match acceptable(licence) {
                Some(true) => {}
                Some(false) => {
                    let text =
                        format!("{named} is under {licence}, which leaves no allowed choice");
                    findings.push(Finding::new("Cargo.lock", 0, text));
                }
                None => {
                    let text = format!("the licence of {named} cannot be read: {licence}");
                    findings.push(Finding::new("Cargo.lock", 0, text));
                }
            },
        }
    }
    findings
}

/// Whether an SPDX expression (or the older form with `/`) can be met; `None` where it is malformed.
fn acceptable(expression: &str) -> Option<bool> {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    let met = either(&mut rest)?;
    rest.is_empty().then_some(met)
}

fn either(rest: &mut &[&str]) -> Option<bool> {
    let mut met = both(rest)?;
    while let ["OR", tail @ ..] = *rest {
        *rest = tail;
        met |= both(rest)?;
    }
    Some(met)
}

fn both(rest: &mut &[&str]) -> Option<bool> {
    let mut met = single(rest)?;
    while let ["AND", tail @ ..] = *rest {
        *rest = tail;
        met &= single(rest)?;
    }
    Some(met)
}

fn single(rest: &mut &[&str]) -> Option<bool> {
    match *rest {
        ["(", tail @ ..] => {
            *rest = tail;
            let met = either(rest)?;
            *rest = rest.strip_prefix(&[")"])?;
            Some(met)
        }
        ["AND" | "OR" | "WITH" | ")", ..] | [] => None,
        [licence, "WITH", exception, tail @ ..] => {
            *rest = tail;
            Some(ALLOWED.contains(&format!("{licence} WITH {exception}").as_str()))
        }
        [licence, tail @ ..] => {
            *rest = tail;
            Some(ALLOWED.contains(licence))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{acceptable, check};
    use crate::metadata::Licensed;

    #[test]
    fn one_allowed_side_of_an_or_is_enough() {
        assert_eq!(
            acceptable("MIT OR Apache-2.0 OR LGPL-2.1-or-later"),
            Some(true)
        );
        assert_eq!(acceptable("GPL-3.0 OR (LGPL-3.0 AND MIT)"), Some(false));
        assert_eq!(acceptable("Unlicense/MIT"), Some(true));
    }

    #[test]
    fn both_sides_of_an_and_must_be_allowed() {
        assert_eq!(
            acceptable("(MIT OR Apache-2.0) AND Unicode-3.0"),
            Some(true)
        );
        assert_eq!(acceptable("(MIT OR Apache-2.0) AND OpenSSL"), Some(false));
    }

    #[test]
    fn an_exception_must_be_allowed_by_name() {
        assert_eq!(acceptable("Apache-2.0 WITH LLVM-exception"), Some(true));
        assert_eq!(
            acceptable("GPL-2.0 WITH Classpath-exception-2.0"),
            Some(false)
        );
    }

    #[test]
    fn what_cannot_be_read_is_not_allowed() {
        for expression in ["", "MIT OR", "(MIT", "MIT Apache-2.0", "AND MIT", "MIT)"] {
            assert_eq!(acceptable(expression), None, "{expression:?}");
        }
    }

    #[test]
    fn a_package_without_a_licence_fails() {
        let package = |licence: Option<&str>| Licensed {
            name: "x".to_owned(),
            version: "1.0.0".to_owned(),
            licence: licence.map(str::to_owned),
        };
        let found = check(&[
            package(None),
            package(Some("AGPL-3.0")),
            package(Some("MIT")),
        ]);
        assert_eq!(found.len(), 2);
    }
}
