//! `cargo xtask peers`: builds `tests/peers` and what it measures, and runs it.

use std::path::Path;

use crate::node;
use crate::step::Step;

/// Runs the measurements; `args` are handed on.
pub(crate) fn run(root: &Path, args: &[&str]) -> Result<(), String> {
    let programs = "build --release --locked --package siderail-cli --package siderail-relay";
    Step::cargo(root, programs).run()?;
    let manifest =
        "--release --locked --manifest-path tests/peers/Cargo.toml --target-dir target/peers";
    Step::cargo(root, &format!("build {manifest}")).run()?;
    let mut words = vec!["--programs", "target/release"];
    let typescript = root.join("target/peers/typescript");
    match typescript_server(root, &typescript) {
        Ok(()) => words.extend(["--typescript", "target/peers/typescript"]),
        Err(why) => println!("the TypeScript SDK is left out: {why}"),
    }
    let run = Step::new(root, "target/peers/release/siderail-peers");
    run.args(words).args(args.iter().copied()).run()
}

fn typescript_server(root: &Path, folder: &Path) -> Result<(), String> {
    let ours = root.join("tests/peers/typescript");
    node::install(&ours, folder)?;
    std::fs::copy(ours.join("server.mjs"), folder.join("server.mjs"))
        .map(drop)
        .map_err(|e| format!("{}: {e}", folder.display()))
}
