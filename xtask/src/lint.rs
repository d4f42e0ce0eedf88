//! `cargo xtask lint`: habits of this code base that a compiler does not check.
//!
//! The rules are functions of text, each in a module with cases that must fail; this module only reads
//! the tree, runs them and prints. What a rule needs to know of the design (crate edges, dependencies)
//! it reads from the tables of `docs/architecture.md`, so that map and territory cannot part.

mod arrows;
mod circles;
mod code;
mod dependencies;
mod docs;
mod edges;
mod fields;
mod finding;
mod licence;
mod phrases;
mod places;
mod program_names;
mod rules;
mod session;
mod sizes;
mod systems;
mod table;
mod tool_names;
mod tree;
mod way;

use std::path::Path;

use crate::metadata::{self, Workspace};
use finding::Finding;
pub(crate) use phrases::literals;
use tree::Tree;

const MAP: &str = "docs/architecture.md";

/// Checks the workspace and prints what was found.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let tree = Tree::read(root)?;
    let workspace = Workspace::load(root)?;
    let mut findings = Vec::new();
    for file in &tree.files {
        findings.extend(places::machine_paths(&file.path, &file.text));
        findings.extend(places::registries(&file.path, &file.text));
        if file.path.ends_with(".rs") {
            findings.extend(rules::rust(&file.path, &file.text));
            findings.extend(phrases::rust(&file.path, &file.text));
            findings.extend(systems::check(&file.path, &file.text));
            findings.extend(program_names::check(&file.path, &file.text));
        }
        if file.path.ends_with(".py") {
            findings.extend(rules::python(&file.path, &file.text));
        }
        if file.path.ends_with(".md") {
            findings.extend(docs::links(&file.path, &file.text, &tree));
        }
        if is_read_by_people(&file.path) {
            findings.extend(phrases::prose(&file.path, &file.text));
        }
    }
    let map = tree.text(MAP).ok_or_else(|| format!("{MAP} is missing"))?;
    findings.extend(docs::length(MAP, map));
    findings.extend(sizes::crates(&tree));
    findings.extend(tool_names::check(&tree));
    findings.extend(edges::check(MAP, map, &workspace.packages));
    findings.extend(circles::check(MAP, map, &workspace.packages, &tree));
    findings.extend(dependencies::check(MAP, map, &workspace.packages));
    findings.extend(way::check(&tree));
    findings.extend(session::check(&tree));
    findings.extend(dependencies::unused(&workspace.packages, &tree));
    findings.extend(licence::check(&metadata::licensed(root)?));
    report(findings, tree.files.len())
}

/// Documents for users, and the texts of the plugin.
fn is_read_by_people(path: &str) -> bool {
    let is_page = path.ends_with(".md") && (path.starts_with("docs/") || !path.contains('/'));
    is_page || is_bundle(path)
}

/// The texts of the plugin.
fn is_bundle(path: &str) -> bool {
    path.ends_with(".properties") && path.starts_with("plugin/")
}

/// The files whose texts people or models read: path and text.
pub(crate) fn read_by_people(root: &Path) -> Result<Vec<(String, String)>, String> {
    let files = Tree::read(root)?.files.into_iter();
    let own = files.filter(|file| phrases::is_product(&file.path) || is_bundle(&file.path));
    Ok(own.map(|file| (file.path, file.text)).collect())
}

fn report(mut findings: Vec<Finding>, n_files: usize) -> Result<(), String> {
    findings.sort();
    for finding in &findings {
        let advice = if finding.advice { "advice: " } else { "" };
        match finding.line {
            0 => println!("{}: {advice}{}", finding.path, finding.text),
            line => println!("{}:{line}: {advice}{}", finding.path, finding.text),
        }
    }
    let n_failures = findings.iter().filter(|finding| !finding.advice).count();
    if n_failures == 0 {
        println!("{n_files} files keep the habits");
        Ok(())
    } else {
        Err(format!("{n_failures} findings of `cargo xtask lint`"))
    }
}
