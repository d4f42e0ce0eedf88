//! `cargo xtask bench`: runs everything that measures speed in the workspace, found by where it
//! lies.
//!
//! A measuring program is a file of a package's `benches` folder, or an example named `timing` or
//! `bench_…`. Nothing else is run; if there is nothing, this is reported.

use std::fs;
use std::path::Path;

use crate::metadata::Workspace;
use crate::step::Step;

/// A measuring program.
#[derive(Debug, PartialEq, Eq)]
struct Bench {
    package: String,
    kind: Kind,
    name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bench,
    Example,
}

/// Runs all of them, one after the other.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let benches = announce(root)?;
    for bench in benches {
        let (package, name) = (&bench.package, &bench.name);
        println!("\n== {package} {name}");
        let line = match bench.kind {
            Kind::Bench => format!("bench --package {package} --bench {name}"),
            Kind::Example => format!("run --release --package {package} --example {name}"),
        };
        Step::cargo(root, &line).run()?;
    }
    Ok(())
}

/// Says what there is.
pub(crate) fn list(root: &Path) -> Result<(), String> {
    announce(root).map(drop)
}

fn announce(root: &Path) -> Result<Vec<Bench>, String> {
    let mut benches = Vec::new();
    for package in Workspace::load(root)?.packages {
        let folder = root.join(&package.folder);
        for (kind, files) in [
            (Kind::Bench, files(&folder.join("benches"))?),
            (Kind::Example, files(&folder.join("examples"))?),
        ] {
            benches.extend(
                files
                    .into_iter()
                    .filter(|name| kind == Kind::Bench || measures(name))
                    .map(|name| Bench {
                        package: package.name.clone(),
                        kind,
                        name,
                    }),
            );
        }
    }
    if benches.is_empty() {
        println!("nothing in this workspace measures speed yet");
    }
    for bench in &benches {
        println!("{:18} {}", bench.package, bench.name);
    }
    Ok(benches)
}

fn measures(example: &str) -> bool {
    example == "timing" || example.starts_with("bench_")
}

/// Names of the Rust files in a folder, without ending, sorted; none if there is no such folder.
fn files(folder: &Path) -> Result<Vec<String>, String> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let path = entry
            .map_err(|e| format!("{}: {e}", folder.display()))?
            .path();
        if path.extension().is_some_and(|ending| ending == "rs")
            && let Some(name) = path.file_stem().and_then(|stem| stem.to_str())
        {
            names.push(name.to_owned());
        }
    }
    names.sort();
    Ok(names)
}
