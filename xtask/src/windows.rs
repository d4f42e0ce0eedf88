//! `cargo xtask windows-test`: the tests, built for Windows and run under Wine.
//!
//! Installs nothing: a missing tool is named with the package that brings it. Wine gets a folder of its own below
//! `target`, set to Windows 10, so that nobody's own Wine is touched. What Wine cannot do is left out by name, with the
//! reason.

use std::fs;
use std::path::{Path, PathBuf};

use crate::step::Step;
use crate::tools::{Tools, refuse};

mod jvm;

/// As rustup names it: what builds on Linux with mingw alone.
const TARGET: &str = "x86_64-pc-windows-gnu";
const COMPILER: &str = "x86_64-w64-mingw32-gcc";
/// Seconds that one test program may take.
const LIMIT: u32 = 900;

/// Whose tests are run. The others have none that differ between systems.
const PACKAGES: [&str; 18] = [
    "wire",
    "acp",
    "mcp",
    "shell",
    "syntax",
    "guard",
    "workspace",
    "settings",
    "state",
    "history",
    "agents",
    "tools",
    "traffic",
    "engine",
    "hosts",
    "os",
    "relay",
    "cli",
];

/// Tests that Wine cannot run, and why.
const LEFT_OUT: [(&str, &str); 3] = [
    ("a_folder_is_written_through_its_junction", NO_JUNCTIONS),
    (
        "a_whole_home_is_seen_through_and_gets_back_what_is_new",
        NO_JUNCTIONS,
    ),
    (
        "a_path_longer_than_windows_once_took_is_written_and_read",
        "Wine 8 tells the final path of an open file in up to 260 characters",
    ),
];
const NO_JUNCTIONS: &str = "Wine 8 makes no junctions";

/// Builds and runs all of it; the runners' closing lines are printed last.
pub(crate) fn test(root: &Path) -> Result<(), String> {
    refuse("windows-test", &missing(root))?;
    let prefix = prefix(root)?;
    for (name, why) in LEFT_OUT {
        println!("left out under Wine: {name}: {why}");
    }
    let of_all = |line: &str| {
        PACKAGES.iter().fold(
            Step::cargo(root, line).args(["--locked", "--target", TARGET]),
            |step, package| step.args(["--package", &format!("siderail-{package}")]),
        )
    };
    of_all("clippy --quiet --all-targets")
        .args(["--", "-D", "warnings"])
        .run()?;
    let runner = format!("timeout --kill-after=10 {LIMIT} wine");
    let tests = || {
        let skips = LEFT_OUT.iter().flat_map(|(name, _)| ["--skip", *name]);
        in_prefix(of_all("test --tests --no-fail-fast"), &prefix)
            .env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", &runner)
            .args(["--"])
            .args(skips)
    };
    let is_closing = |line: &str| line.starts_with("test result: ");
    let outcome = Step::run_keeping_at_second(tests, is_closing).and_then(|mut closing| {
        closing.extend(jvm::test(root, &prefix)?);
        Ok(closing)
    });
    // Whatever came of it, nothing of Wine stays behind. It fails where nothing runs any more.
    drop(in_prefix(Step::new(root, "wineserver --kill"), &prefix).run());
    let closing = outcome?;
    println!("\n== closing lines of the test runners");
    for line in closing {
        println!("{line}");
    }
    Ok(())
}

/// What has to be installed first, each with how.
pub(crate) fn missing(root: &Path) -> Vec<String> {
    let mut missing = Tools {
        system: "Windows",
        triple: TARGET,
        programs: &[
            (COMPILER, "gcc-mingw-w64-x86-64"),
            ("wine", "wine"),
            ("timeout", "coreutils"),
        ],
    }
    .missing();
    missing.extend(jvm::missing(root));
    missing
}

/// Wine's folder, made once: Windows 10, with the library that Wine 8 lacks.
fn prefix(root: &Path) -> Result<PathBuf, String> {
    let folder = root.join("target/wine");
    let prefix = folder.join("prefix");
    let made = folder.join("made");
    if made.is_file() {
        return Ok(prefix);
    }
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    println!("making a folder for Wine in {}", folder.display());
    if prefix.exists() {
        // What an interrupted start has left is not a whole one.
        fs::remove_dir_all(&prefix).map_err(failed)?;
    }
    fs::create_dir_all(&folder).map_err(failed)?;
    let library = folder.join("bcryptprimitives.dll");
    let source = root.join("xtask/src/windows/prng.c");
    Step::new(root, COMPILER)
        .args(["-shared", "-Os", "-s", "-o"])
        .paths([&library, &source])
        .args(["-ladvapi32"])
        .run()?;
    in_prefix(
        Step::new(root, "timeout --kill-after=10 300 wineboot --init"),
        &prefix,
    )
    .run()?;
    let version = r"wine reg add HKCU\Software\Wine /v Version /d win10 /f";
    in_prefix(Step::new(root, version), &prefix).run()?;
    let place = prefix.join("drive_c/windows/system32/bcryptprimitives.dll");
    fs::copy(&library, place).map_err(failed)?;
    fs::write(&made, "").map_err(failed)?;
    Ok(prefix)
}

/// Runs in that folder, without a screen and without offers to install what nobody needs here.
fn in_prefix(step: Step, prefix: &Path) -> Step {
    step.env("WINEPREFIX", &prefix.display().to_string())
        .env("WINEARCH", "win64")
        .env("WINEDEBUG", "-all")
        .env("WINEDLLOVERRIDES", "mscoree,mshtml=")
        .env("DISPLAY", "")
}
