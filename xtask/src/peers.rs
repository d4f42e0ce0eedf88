//! `cargo xtask peers`: builds `tests/peers` and what it measures, and runs it. `cargo xtask peers ide` measures a search
//! in the plugin's host, in a virtual machine with the platform's classes, beside ripgrep.

use std::path::Path;

use crate::node;
use crate::step::Step;

/// Runs the measurements; `args` are handed on.
pub(crate) fn run(root: &Path, args: &[&str]) -> Result<(), String> {
    if args == ["ide"] {
        return in_the_plugin(root);
    }
    let programs = "build --release --locked --package siderail-cli --package siderail-relay";
    Step::cargo(root, programs).run()?;
    build(root)?;
    let mut words = vec!["--programs", "target/release"];
    let typescript = root.join("target/peers/typescript");
    match typescript_server(root, &typescript) {
        Ok(()) => words.extend(["--typescript", "target/peers/typescript"]),
        Err(why) => println!("the TypeScript SDK is left out: {why}"),
    }
    let run = Step::new(root, "target/peers/release/siderail-peers");
    run.args(words).args(args.iter().copied()).run()
}

fn build(root: &Path) -> Result<(), String> {
    let manifest =
        "--release --locked --manifest-path tests/peers/Cargo.toml --target-dir target/peers";
    Step::cargo(root, &format!("build {manifest}")).run()
}

/// Searches in the plugin's host, whose documents are partly unsaved.
fn in_the_plugin(root: &Path) -> Result<(), String> {
    build(root)?;
    let folder = root.join("target/peers/ide");
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    for n_files in ["8000", "50000"] {
        let sources = folder.join(format!("sources{n_files}"));
        if sources.exists() {
            std::fs::remove_dir_all(&sources).map_err(failed)?;
        }
        let make = Step::new(root, "target/peers/release/siderail-peers make-sources");
        make.args([sources.display().to_string().as_str(), n_files, "toy"])
            .run()?;
    }
    crate::maven::search_times(root, &folder)?;
    let rows = std::fs::read_to_string(folder.join("times.txt")).map_err(failed)?;
    println!("{rows}");
    Ok(())
}

fn typescript_server(root: &Path, folder: &Path) -> Result<(), String> {
    let ours = root.join("tests/peers/typescript");
    node::install(&ours, folder)?;
    std::fs::copy(ours.join("server.mjs"), folder.join("server.mjs"))
        .map(drop)
        .map_err(|e| format!("{}: {e}", folder.display()))
}
