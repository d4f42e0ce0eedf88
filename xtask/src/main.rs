//! Chores of the project: `cargo xtask demo | test | lint | man | texts | dist | deploy | natives | release | windows-test | arm-test |
//! conformance |
//! tools | agent-pages | bench | peers | kill-test | soak`.
//!
//! Everything that a contributor or a build server has to run is a command here, so that there is one
//! way to do it. No product code lives in this package and no product code depends on it.

mod arm;
mod bench;
mod conformance;
mod deploy;
mod lint;
mod maven;
mod metadata;
mod natives;
mod node;
mod peers;
mod release;
mod repack;
mod step;
mod texts;
mod tools;
mod verify;
mod windows;

use std::path::Path;
use std::process::ExitCode;

use release::Signing;
use step::Step;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  demo [ARGS…]         build the command line and run `siderail demo`; no account, no network
  test [--fast]        all checks: formatting, clippy, habits, tests; --fast leaves clippy out
  lint                 only the habits: crate edges, file lengths, licences, links, paths
  man                  the manual pages of the command, into target/man
  texts                what people and models read, by file, for reading it through
  dist                 dist/siderail-VERSION.zip: the plugin with its natives, judged; needs Maven and a JDK 17
  deploy [FOLDER]      that archive into an IDE's plugin folder: says stop, remove, unpack, start
  natives [--target T] the plugin's library and relay for this platform, into target/natives; for another one built
                       with Zig or mingw and judged (linux-, macos-x86_64 and -aarch64, windows-x86_64)
  release [--sign]     everything for people, for five machines, into dist/release; says what of the tools is missing
  windows-test         the tests built for Windows and run under Wine; --missing only says what of mingw and Wine is missing
  arm-test             tests built for Linux on ARM and run by qemu; --missing only says what is missing
  conformance          the official MCP suite against our server, both eras; needs Node 22 and npm
  tools                what the list of our tools costs an agent, in bytes
  agent-pages          docs/agents/*.md anew, out of the profiles and the measured tables
  bench [--list]       run what measures speed; --list only says what there is
  peers [ARGS…]        Siderail beside the SDKs that others would use (--rounds N, --only acp, mcp, relay, files or session)
  kill-test [ARGS…]    kill clients at random moments and look for processes left behind (--runs N)
  soak [ARGS…]         many turns on one session, watching memory and lost updates (--turns N)
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match args.as_slice() {
        ["demo", rest @ ..] => demo(rest),
        ["test"] => verify::all(root(), verify::Scope::Everything),
        ["test", "--fast"] => verify::all(root(), verify::Scope::WithoutClippy),
        ["lint"] => lint::run(root()),
        ["texts"] => texts::run(root()),
        ["man"] => Step::cargo(
            root(),
            "run --quiet --locked --package siderail-cli -- man target/man",
        )
        .run(),
        ["natives"] => natives::run(root()),
        ["natives", "--target", name] => natives::run_for(root(), name),
        ["dist"] => maven::dist(root()),
        ["deploy"] => deploy::run(root(), None),
        ["deploy", folder] => deploy::run(root(), Some(folder)),
        ["conformance"] => conformance::run(root()),
        ["tools"] => Step::cargo(
            root(),
            "run --quiet --package siderail-engine --example tools",
        )
        .run(),
        ["agent-pages"] => Step::cargo(
            root(),
            "test --quiet --package siderail-agents --test agent_pages",
        )
        .env("SIDERAIL_BLESS", "1")
        .run(),
        ["release"] => release::run(root(), Signing::Off),
        ["release", "--sign"] => release::run(root(), Signing::On),
        ["windows-test"] => windows::test(root()),
        ["windows-test", "--missing"] => tools::print(&windows::missing(root())),
        ["arm-test"] => arm::test(root()),
        ["arm-test", "--missing"] => tools::print(&arm::missing()),
        ["bench"] => bench::run(root()),
        ["bench", "--list"] => bench::list(root()),
        ["peers", rest @ ..] => peers::run(root(), rest),
        ["kill-test", rest @ ..] => endurance("kill_test", rest),
        ["soak", rest @ ..] => endurance("soak", rest),
        ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("xtask: {why}");
            ExitCode::FAILURE
        }
    }
}

/// The workspace's folder.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask is a folder of the workspace")
}

fn demo(args: &[&str]) -> Result<(), String> {
    Step::cargo(root(), "build --quiet --package siderail-cli").run()?;
    Step::cargo(root(), "run --quiet --package siderail-cli -- demo")
        .args(args.iter().copied())
        .run()
}

/// A long-running test binary of the `tests` package. It drives the command line, which is built first.
fn endurance(binary: &str, args: &[&str]) -> Result<(), String> {
    Step::cargo(root(), "build --release --package siderail-cli").run()?;
    let line = format!("run --release --package siderail-tests --bin {binary} --");
    Step::cargo(root(), &line).args(args.iter().copied()).run()
}
