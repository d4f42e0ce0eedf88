//! `cargo xtask arm-test`: tests built for Linux on ARM, and run by qemu-user.
//!
//! Installs nothing: a missing tool is named with the package that brings it. qemu runs one program, so a small library
//! is loaded into it, and into programs of this machine that it starts, which in turn starts programs of that machine
//! in qemu.

use std::path::{Path, PathBuf};

use crate::step::Step;
use crate::tools::{Tools, refuse};

/// As rustup names it.
const TARGET: &str = "aarch64-unknown-linux-gnu";
const COMPILER: &str = "aarch64-linux-gnu-gcc";
/// What Rust's linker for this machine is, too.
const HOST_COMPILER: &str = "cc";
const QEMU: &str = "qemu-aarch64";
/// Where Debian's cross compiler has the libraries of that machine.
const LIBRARIES: &str = "/usr/aarch64-linux-gnu";
/// Seconds that one test program may take.
const LIMIT: u32 = 900;

/// Whose tests are run: what decides, and what speaks the protocols.
const PACKAGES: [&str; 4] = ["wire", "acp", "mcp", "guard"];

/// Tests of the command line that are run: the demonstration and a run in every shape of an agent, whose events are the same on
/// every system. Left out is what outlives a killed client: qemu does not let the guardian adopt it.
const ALIKE: [&str; 2] = ["demo::", "events::"];

/// Tests that do not run so, and why.
const LEFT_OUT: [(&str, &str); 1] = [(
    "a_program_that_cannot_be_started_says_why_and_what_to_do",
    "qemu makes vfork a fork, by which glibc learns why a program could not be started",
)];
/// Builds and runs all of it; the runners' closing lines are printed last.
pub(crate) fn test(root: &Path) -> Result<(), String> {
    refuse("arm-test", &missing())?;
    let library = library(root)?;
    for (name, why) in LEFT_OUT {
        println!("left out under qemu: {name}: {why}");
    }
    let runner = format!(
        "timeout --kill-after=10 {LIMIT} {QEMU} -L {LIBRARIES} -E LD_PRELOAD={}",
        library.display()
    );
    let run = |line: &str| {
        Step::cargo(root, line)
            .args(["--locked", "--target", TARGET])
            .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", COMPILER)
            .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", &runner)
    };
    let crates = || {
        let skips = LEFT_OUT.iter().flat_map(|(name, _)| ["--skip", *name]);
        let crates = PACKAGES.iter().map(|package| format!("siderail-{package}"));
        let step = run("test --tests --no-fail-fast");
        let step = crates.fold(step, |step, name| step.args(["--package", &*name]));
        step.args(["--"]).args(skips)
    };
    let alike = || {
        let step = run("test --package siderail-cli --test systems").args(["--"]);
        step.args(ALIKE)
    };
    let is_closing = |line: &str| line.starts_with("test result: ");
    let mut closing = Step::run_keeping_at_second(crates, is_closing)?;
    closing.extend(Step::run_keeping_at_second(alike, is_closing)?);
    println!("\n== closing lines of the test runners");
    for line in closing {
        println!("{line}");
    }
    Ok(())
}

/// What has to be installed first, each with how.
pub(crate) fn missing() -> Vec<String> {
    let mut missing = Tools {
        system: "Linux on ARM",
        triple: TARGET,
        programs: &[
            (COMPILER, "gcc-aarch64-linux-gnu libc6-dev-arm64-cross"),
            (HOST_COMPILER, "gcc libc6-dev"),
            (QEMU, "qemu-user"),
            ("timeout", "coreutils"),
        ],
    }
    .missing();
    if !Path::new(LIBRARIES).join("include/stdio.h").is_file() {
        missing.push("its headers: on Debian, apt-get install libc6-dev-arm64-cross".to_owned());
    }
    missing
}

/// Makes the libraries that start programs in qemu; the one for ARM.
fn library(root: &Path) -> Result<PathBuf, String> {
    let folder = root.join("target/arm");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let (library, host) = (folder.join("exec.so"), folder.join("host.so"));
    let qemu = Step::new(root, "sh -c").args([&*format!("command -v {QEMU}")]);
    let qemu = String::from_utf8_lossy(&qemu.output()?).trim().to_owned();
    for (compiler, made) in [(COMPILER, &library), (HOST_COMPILER, &host)] {
        Step::new(root, compiler)
            .args(["-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-O1"])
            .args([
                &*format!("-DQEMU=\"{qemu}\""),
                &*format!("-DLIBRARIES=\"{LIBRARIES}\""),
                &*format!("-DSELF=\"{}\"", library.display()),
                &*format!("-DHOST=\"{}\"", host.display()),
                "-o",
            ])
            .paths([made, &root.join("xtask/src/arm/exec.c")])
            .run()?;
    }
    Ok(library)
}
