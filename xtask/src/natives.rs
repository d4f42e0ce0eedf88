//! `cargo xtask natives [--target NAME]`: the native programs and the library that the plugin carries for a platform,
//! built small and put where its build looks.
//!
//! The library that the IDE loads and the relay that agents start, in `target/natives/<os>-<arch>`, named as the
//! plugin's loader names platforms. The scripted agent, which only the plugin's tests start, lies beside them in
//! `target/test-programs`. A release has the command line built by the same means.

use std::fs;
use std::path::{Path, PathBuf};

use crate::step::Step;

mod judge;
mod seal;
mod targets;

use targets::System;
pub(crate) use targets::{ALL, Target, has_library};

/// Bytes that the library for another machine may have: other linkers fold less, other processors have longer code.
const MOST_BYTES_ELSEWHERE: u64 = 9_500_000;
/// Bytes that the library may have; docs/performance.md says what they are. Packed it takes less than half of this
/// in a plugin's download.
const MOST_BYTES: u64 = 8_900_000;

/// What makes the machine code smaller where it was measured. Tables for unwinding are a third shorter when each
/// function keeps its frame in a register.
const SMALLER_CODE: &str = "-Cforce-frame-pointers=yes";
/// Functions and constants that are the same byte for byte are kept once. The linker that comes with Rust for this
/// platform knows how; nothing compares their addresses.
const FOLDED: [&str; 2] = [
    "-Clink-arg=-Wl,--icf=all",
    "-Clink-arg=-Wl,--ignore-data-address-equality",
];

/// Builds and places both.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let is_measured = cfg!(all(
        target_os = "linux",
        target_arch = "x86_64",
        target_env = "gnu"
    ));
    let mut of_library = Step::cargo(
        root,
        "rustc --profile slim --locked --package siderail-jni --lib --crate-type cdylib",
    );
    let mut of_programs = Step::cargo(
        root,
        "build --profile slim --locked --package siderail-relay --package siderail-testkit --bins",
    );
    let mut flags = flags(root);
    if is_measured {
        flags.push_str(SMALLER_CODE);
        of_library = of_library.args(["--"]).args(FOLDED);
    }
    of_library = of_library.env("RUSTFLAGS", &flags);
    of_programs = of_programs.env("RUSTFLAGS", &flags);
    of_library.run()?;
    of_programs.run()?;
    tools_for_tests(root)?;
    let size = place_all(root, "slim", "natives")?;
    within_limit(&library(), size, MOST_BYTES)
}

fn within_limit(library: &str, size: u64, most: u64) -> Result<(), String> {
    match size > most {
        false => Ok(()),
        true => Err(format!(
            "{library} has {size} bytes, more than {most}: see what has grown before the limit does"
        )),
    }
}

/// Builds both for one of the machines that a release is for, judges them and places them.
pub(crate) fn run_for(root: &Path, name: &str) -> Result<(), String> {
    let target = Target::named(name)?;
    let missing = target.missing();
    if !missing.is_empty() {
        return Err(format!(
            "natives for {name} need\n  {}",
            missing.join("\n  ")
        ));
    }
    build_for(root, target, &["siderail-relay"])
}

/// Builds the library and the programs of these packages for a machine, judges all of them, and places what the plugin
/// takes along.
pub(crate) fn build_for(root: &Path, target: Target, programs: &[&str]) -> Result<(), String> {
    compile(root, target, programs)?;
    let mut files = vec![target.library().to_owned()];
    files.extend(programs.iter().map(|package| target.program_of(package)));
    let from = built(root, target);
    let mut faults = Vec::new();
    for file in &files {
        let bytes = read_signed(&from.join(file), target)?;
        let found = judge::faults(root, target, file, &bytes);
        let named = |fault| format!("{}/{file}: {fault}", target.name);
        faults.extend(found.into_iter().map(named));
    }
    if !faults.is_empty() {
        return Err(faults.join("\n"));
    }
    let natives = placed(root, target);
    let size = place(&from, &natives, target.library())?;
    place(&from, &natives, &target.program_of("siderail-relay"))?;
    within_limit(target.library(), size, MOST_BYTES_ELSEWHERE)
}

/// What was built, signed where its system wants that and its linker has not done it. The file is replaced as a whole.
fn read_signed(file: &Path, target: Target) -> Result<Vec<u8>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", file.display());
    let mut bytes = fs::read(file).map_err(failed)?;
    let built = bytes.len();
    if target.is_macos() {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        seal::sign(&mut bytes, &name).map_err(|why| format!("{}: {why}", file.display()))?;
    }
    if bytes.len() != built {
        let mode = fs::metadata(file).map_err(failed)?.permissions();
        let partial = file.with_extension("signed");
        fs::write(&partial, &bytes).map_err(failed)?;
        fs::set_permissions(&partial, mode).map_err(failed)?;
        fs::rename(&partial, file).map_err(failed)?;
    }
    Ok(bytes)
}

/// Where the plugin's build finds what is for a machine.
pub(crate) fn placed(root: &Path, target: Target) -> PathBuf {
    root.join("target/natives").join(target.name)
}

/// Where cargo puts what is built for a machine.
pub(crate) fn built(root: &Path, target: Target) -> PathBuf {
    root.join("target").join(target.triple).join("slim")
}

fn compile(root: &Path, target: Target, programs: &[&str]) -> Result<(), String> {
    let given = target.given();
    let mut flags = flags(root);
    if target.system == System::MacOs {
        // Else the library's own name would be where it was built.
        flags.push_str(" -Clink-arg=-Wl,-install_name,@rpath/libsiderail_jni.dylib");
    }
    // Zig has what a program needs of macOS. Without a folder with an SDK, rustc would look for Apple's tools and warn.
    let sdk = root.join("target/no-sdk");
    fs::create_dir_all(&sdk).map_err(|error| format!("{}: {error}", sdk.display()))?;
    let sdk = std::env::var("SDKROOT").unwrap_or(sdk.display().to_string());
    let library = "--profile slim --locked --package siderail-jni --lib --crate-type cdylib";
    let programs = programs.iter().fold(
        "--profile slim --locked --bins".to_owned(),
        |line, package| format!("{line} --package {package}"),
    );
    for (verb, what) in [("rustc", library), ("build", &programs)] {
        let step = match target.builder() {
            "cargo" => Step::cargo(root, verb),
            builder => Step::new(root, builder).args([verb]),
        };
        step.args(what.split_whitespace())
            .args(["--target", &given])
            .env("RUSTFLAGS", &flags)
            .env("MACOSX_DEPLOYMENT_TARGET", targets::OLDEST_MACOS)
            .env("SDKROOT", &sdk)
            .run()?;
    }
    Ok(())
}

/// Flags for what goes to people: nothing in it says where it was built.
fn flags(root: &Path) -> String {
    let mut flags = std::env::var("RUSTFLAGS").unwrap_or_default();
    let mut leave_out = |folder: &Path, instead: &str| {
        flags.push_str(&format!(
            " --remap-path-prefix={}={instead}",
            folder.display()
        ));
    };
    leave_out(root, ".");
    if let Some(cargo) = cargo_home() {
        leave_out(&cargo, "cargo");
        let registries = fs::read_dir(cargo.join("registry/src"));
        for registry in registries.into_iter().flatten().flatten() {
            leave_out(&registry.path(), "crates");
        }
    }
    flags.push(' ');
    flags
}

/// Where cargo keeps the sources of others.
fn cargo_home() -> Option<PathBuf> {
    std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(std::env::home_dir()?.join(".cargo")))
}

/// Builds both quickly, for the plugin's tests, into `target/test-natives`: nothing that goes to people.
pub(crate) fn for_tests(root: &Path) -> Result<(), String> {
    Step::cargo(root, "build --locked --quiet --package siderail-jni --lib").run()?;
    let programs =
        "build --locked --quiet --package siderail-relay --package siderail-testkit --bins";
    Step::cargo(root, programs).run()?;
    tools_for_tests(root)?;
    place_all(root, "debug", "test-natives").map(drop)
}

/// The scripted agent, for tests of the plugin with the natives that are there.
pub(crate) fn for_plugin_tests(root: &Path) -> Result<(), String> {
    Step::cargo(
        root,
        "build --locked --quiet --package siderail-testkit --bins",
    )
    .run()?;
    let agent = program("siderail-scripted-agent");
    let programs = root.join("target/test-programs");
    tools_for_tests(root)?;
    place(&root.join("target/debug"), &programs, &agent).map(drop)
}

/// The file tools alone, which the plugin's tests call without an agent.
fn tools_for_tests(root: &Path) -> Result<(), String> {
    tools(root, &[], "debug", &root.join("target/test-programs"))
}

/// The same, as fast as people have them.
pub(crate) fn tools_for_times(root: &Path, folder: &Path) -> Result<(), String> {
    tools(root, &["--release"], "release", folder)
}

fn tools(root: &Path, more: &[&str], profile: &str, folder: &Path) -> Result<(), String> {
    let build = "build --locked --quiet --package siderail-jni --example tools";
    Step::cargo(root, build).args(more.iter().copied()).run()?;
    let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let library = format!("{prefix}tools{suffix}");
    let from = root.join("target").join(profile).join("examples");
    place(&from, folder, &library).map(drop)
}

/// Copies what a profile has built; the size of the library.
fn place_all(root: &Path, profile: &str, folder: &str) -> Result<u64, String> {
    let target = root.join("target");
    let from = target.join(profile);
    let platform = format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH);
    let natives = target.join(folder).join(platform);
    let size = place(&from, &natives, &library())?;
    place(&from, &natives, &program("siderail-relay"))?;
    let programs = target.join("test-programs");
    place(&from, &programs, &program("siderail-scripted-agent"))?;
    Ok(size)
}

fn library() -> String {
    let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    format!("{prefix}siderail_jni{suffix}")
}

fn program(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

/// Replaces the file as a whole: an IDE may have the old one open. Returns its size.
fn place(from: &Path, folder: &Path, name: &str) -> Result<u64, String> {
    let failed = |path: &Path| {
        let path = path.display().to_string();
        move |error: std::io::Error| format!("{path}: {error}")
    };
    let from = from.join(name);
    fs::create_dir_all(folder).map_err(failed(folder))?;
    let (partial, to) = (folder.join(format!(".{name}")), folder.join(name));
    let size = fs::copy(&from, &partial).map_err(failed(&from))?;
    fs::rename(&partial, &to).map_err(failed(&to))?;
    println!("{size:>9} bytes  {}", to.display());
    Ok(size)
}
