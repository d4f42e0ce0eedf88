//! Circles of files in each crate, and of the modules in each crate and in each of its modules, against the table of the
//! map, if it has one.
//!
//! A circle is a set of files or modules that can reach each other by arrows. A crate that is not in the table must
//! have no circle of modules, and no circle of more than two files; a module that is not in it must have none among its
//! modules. A module's own file belongs to none of them. Numbers only fall: one that could be lower is advice, one
//! above fails.

use std::collections::{BTreeMap, BTreeSet};

use super::arrows::Arrows;
use super::finding::Finding;
use super::table;
use super::tree::Tree;
use crate::metadata::Package;

/// First cell of the table's header.
const HEADER: &str = "circles in";
const PREFIX: &str = "siderail-";
/// Files of a circle that is not a finding; a circle of modules has at least two.
const FREE: Size = Size {
    files: 2,
    modules: 1,
};

#[derive(Clone, Copy, PartialEq, Eq)]
struct Size {
    files: usize,
    modules: usize,
}

/// Compares the largest circles with the table.
pub(super) fn check(map: &str, markdown: &str, packages: &[Package], tree: &Tree) -> Vec<Finding> {
    let rows = table::rows(markdown, HEADER).unwrap_or_default();
    let mut allowed = BTreeMap::new();
    for row in &rows {
        let cell = |at: usize| row.cells.get(at).map(String::as_str).unwrap_or_default();
        let name = table::quoted(cell(0)).into_iter().next();
        let number = |at, free| cell(at).parse().unwrap_or(free);
        let size = Size {
            files: number(1, FREE.files),
            modules: number(2, FREE.modules),
        };
        allowed.insert(name.unwrap_or_default(), (row.line, size));
    }
    let mut findings = Vec::new();
    for package in packages {
        let name = package.name.strip_prefix(PREFIX).unwrap_or(&package.name);
        let folder = format!("{}/src/", package.folder);
        let sources = tree.files.iter().filter_map(|file| {
            let path = file.path.strip_prefix(&folder)?;
            Some((path, file.text.as_str()))
        });
        let arrows = Arrows::of(sources);
        for within in parents(&arrows) {
            let place = [&[name.to_owned()], within].concat().join("::");
            let (line, most) = allowed.remove(&place).unwrap_or((0, FREE));
            let mut compare = |what, circle: &[usize], most, names: &[String]| {
                let circle: Vec<&str> = circle.iter().map(|at| names[*at].as_str()).collect();
                let (size, names) = (circle.len(), circle.join(", "));
                if size > most {
                    let text =
                        format!("a circle of {size} {what} in {place}, more than {most}: {names}");
                    findings.push(Finding::new(map, line, text));
                } else if size < most && line > 0 {
                    let text = format!(
                        "the largest circle of {what} in {place} is {size} now, not {most}"
                    );
                    findings.push(Finding::advice(map, line, text));
                }
            };
            if within.is_empty() {
                compare("files", &largest(&arrows.to), most.files, &arrows.files);
            }
            let (rooms, between) = between_rooms(&arrows, within);
            compare("modules", &largest(&between), most.modules, &rooms);
        }
    }
    for (name, (line, _)) in allowed {
        let text = format!("there is no crate or module {name}");
        findings.push(Finding::new(map, line, text));
    }
    findings
}

/// All modules of a crate that have others in them, and the crate itself, which has no name.
fn parents(arrows: &Arrows) -> BTreeSet<&[String]> {
    let modules = (0..arrows.files.len()).map(|file| arrows.module(file));
    let above = modules.flat_map(|module| (0..module.len()).map(|depth| &module[..depth]));
    above.chain([[].as_slice()]).collect()
}

/// The modules in a module, and the arrows between them.
fn between_rooms(arrows: &Arrows, within: &[String]) -> (Vec<String>, Vec<BTreeSet<usize>>) {
    let name = |file: usize| arrows.module(file).strip_prefix(within)?.first();
    let names: BTreeSet<&String> = (0..arrows.files.len()).filter_map(name).collect();
    let names: Vec<String> = names.into_iter().cloned().collect();
    let room = |file: usize| names.binary_search(name(file)?).ok();
    let mut between = vec![BTreeSet::new(); names.len()];
    for (from, to) in arrows.to.iter().enumerate() {
        let Some(from) = room(from) else { continue };
        between[from].extend(
            to.iter()
                .filter_map(|to| room(*to))
                .filter(|to| *to != from),
        );
    }
    (names, between)
}

/// The largest set of nodes that all reach each other; a single one if there is no circle.
fn largest(to: &[BTreeSet<usize>]) -> Vec<usize> {
    let mut back = vec![BTreeSet::new(); to.len()];
    for (from, to) in to.iter().enumerate() {
        for to in to {
            back[*to].insert(from);
        }
    }
    let mut left: BTreeSet<usize> = (0..to.len()).collect();
    let mut largest = Vec::new();
    while let Some(start) = left.first().copied() {
        let (after, before) = (reached(start, to), reached(start, &back));
        let circle: Vec<usize> = after.intersection(&before).copied().collect();
        for node in &circle {
            left.remove(node);
        }
        if circle.len() > largest.len() {
            largest = circle;
        }
    }
    largest
}

fn reached(start: usize, to: &[BTreeSet<usize>]) -> BTreeSet<usize> {
    let mut reached = BTreeSet::from([start]);
    let mut next = vec![start];
    while let Some(node) = next.pop() {
        next.extend(to[node].iter().filter(|to| reached.insert(**to)));
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::lint::finding::Finding;
    use crate::lint::tree::Tree;
    use crate::metadata::Package;

    const FILES: &[(&str, &str)] = &[
        ("rust/a/src/lib.rs", "mod x;\nmod y;\nmod z;"),
        ("rust/a/src/x.rs", "use crate::y::Y;"),
        ("rust/a/src/y.rs", "use crate::z::Z;"),
        ("rust/a/src/z.rs", "use crate::x::X;"),
        ("rust/b/src/lib.rs", "mod x;"),
        ("rust/b/src/x.rs", "mod y;\nuse y::Y;"),
        ("rust/b/src/x/y.rs", "use super::X;"),
    ];

    fn findings(table: &str) -> Vec<Finding> {
        let header = "| circles in | files | modules |\n|---|---|---|";
        findings_of(&format!("{header}\n{table}"))
    }

    fn findings_of(map: &str) -> Vec<Finding> {
        let package = |name: &str| Package {
            name: format!("siderail-{name}"),
            folder: format!("rust/{name}"),
            dependencies: Vec::new(),
        };
        let tree = Tree::with(FILES);
        check("map.md", map, &[package("a"), package("b")], &tree)
    }

    #[test]
    fn a_circle_above_its_number_is_named_with_what_is_in_it() {
        let found = findings("| `a` | 2 | 3 |\n");
        let [finding] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!((finding.line, finding.advice), (3, false));
        assert!(
            finding.text.ends_with("more than 2: x.rs, y.rs, z.rs"),
            "{}",
            finding.text
        );
        assert_eq!(
            findings("").len(),
            2,
            "files and modules of a, and nothing of b"
        );
        assert_eq!(
            findings_of("# Map").len(),
            2,
            "without a table no crate may have one"
        );
    }

    #[test]
    fn modules_in_a_module_are_compared_like_those_of_a_crate() {
        let found = |inner: &str, table: &str| {
            let files = [
                ("rust/a/src/lib.rs", "mod x;"),
                ("rust/a/src/x.rs", "mod y;\nmod z;\nuse y::Y;"),
                ("rust/a/src/x/y.rs", "mod deep;"),
                ("rust/a/src/x/y/deep.rs", inner),
                ("rust/a/src/x/z.rs", "use super::y::Y;"),
            ];
            let package = Package {
                name: "siderail-a".to_owned(),
                folder: "rust/a".to_owned(),
                dependencies: Vec::new(),
            };
            let map = format!("| circles in | files | modules |\n|---|---|---|\n{table}");
            let found = check("map.md", &map, &[package], &Tree::with(&files)).into_iter();
            let texts = found.map(|finding| (finding.advice, finding.text));
            texts.collect::<Vec<_>>()
        };
        let circle = "use crate::x::z::Z;";
        let [(false, text)] = &found(circle, "")[..] else {
            panic!("one finding is expected");
        };
        assert_eq!(text, "a circle of 2 modules in a::x, more than 1: y, z");
        assert_eq!(found(circle, "| `a::x` | | 2 |\n"), []);
        assert_eq!(found("use crate::x::X;", ""), [], "a parent is no sibling");
        assert!(found("", "| `a::x` | | 2 |\n")[0].0, "advice");
        assert!(!found("", "| `a::w` | | 2 |\n")[0].0, "no such module");
    }

    #[test]
    fn a_number_that_could_be_lower_is_advice_and_one_that_holds_says_nothing() {
        assert_eq!(findings("| `a` | 3 | 3 |\n"), []);
        let found = findings("| `a` | 5 | 3 |\n");
        assert!(found.len() == 1 && found[0].advice, "{found:?}");
        assert!(
            !findings("| `a` | 3 | 3 |\n| `c` | 3 | 3 |\n")[0].advice,
            "no crate c"
        );
    }
}
