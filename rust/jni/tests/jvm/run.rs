//! Runs a scenario: classes compiled once, a virtual machine per JDK, output read for complaints.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::built::built;
use crate::jdk::{Jdk, jdks};

/// Longer than any scenario takes, even on a busy machine.
const LIMIT: Duration = Duration::from_secs(180);
/// The last word of a scenario that went well.
const PASSED: &str = "passed";
/// From there to the end of the virtual machine. Its daemon threads must not hold it.
const EXIT: Duration = Duration::from_secs(10);

/// Runs the scenario on every JDK that is to be tried.
///
/// # Panics
/// It does not pass, or the virtual machine finds fault with the use of JNI.
pub(crate) fn passes(scenario: &str) {
    for jdk in jdks() {
        run(&jdk, scenario);
    }
}

fn run(jdk: &Jdk, scenario: &str) {
    let folder = tempfile::Builder::new()
        .prefix("sj")
        .tempdir_in(std::env::temp_dir())
        .expect("a folder");
    let mut java = jdk.program("java");
    java.args(["-Xcheck:jni", "-Xmx512m"]);
    if jdk.version >= 22 {
        java.arg("--enable-native-access=ALL-UNNAMED");
    }
    java.arg("-cp").arg(classes());
    java.args(["dev.siderail.bridge.Scenarios", scenario]);
    java.args([
        built("libtesting.so"),
        built("agent"),
        folder.path().to_owned(),
    ]);
    let child = java.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let (output, after) = finish(child.expect("java starts"));
    let told = format!("{scenario} on JDK {}:\n{output}", jdk.version);
    assert!(output.contains(PASSED), "{told}");
    for complaint in [
        "WARNING in native method",
        "FATAL ERROR in native",
        "Warning: SIG",
    ] {
        assert!(!output.contains(complaint), "{told}");
    }
    assert!(
        after < EXIT,
        "the virtual machine stayed {after:?} after {told}"
    );
}

/// Waits for the end; the output, and the time from the scenario's last word to the end.
fn finish(mut child: Child) -> (String, Duration) {
    let collect = |mut from: Box<dyn Read + Send>| {
        std::thread::spawn(move || {
            let (mut text, mut passed) = (Vec::new(), None);
            let mut bytes = [0; 4096];
            while let Ok(n @ 1..) = from.read(&mut bytes) {
                text.extend(&bytes[..n]);
                let ends = String::from_utf8_lossy(&text).trim_end().ends_with(PASSED);
                passed = passed.or(ends.then(Instant::now));
            }
            (String::from_utf8_lossy(&text).into_owned(), passed)
        })
    };
    let out = collect(Box::new(child.stdout.take().expect("it is piped")));
    let err = collect(Box::new(child.stderr.take().expect("it is piped")));
    let deadline = Instant::now() + LIMIT;
    while child.try_wait().expect("it can be asked").is_none() {
        if Instant::now() > deadline {
            child.kill().expect("it can be killed");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let ended = Instant::now();
    let (out, passed) = out.join().expect("it reads");
    let (err, _) = err.join().expect("it reads");
    (out + &err, passed.map_or(Duration::ZERO, |at| ended - at))
}

/// The scenarios' classes, for the oldest supported JDK.
fn classes() -> &'static Path {
    static CLASSES: OnceLock<tempfile::TempDir> = OnceLock::new();
    CLASSES
        .get_or_init(|| {
            let folder = tempfile::tempdir().expect("a folder");
            let jdk = jdks().remove(0);
            let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java");
            let mut files = std::fs::read_dir(source.join("dev/siderail/bridge"))
                .expect("the sources")
                .map(|entry| entry.expect("an entry").path())
                .collect::<Vec<_>>();
            files.sort();
            let release = crate::jdk::OLDEST.to_string();
            let compiled = jdk
                .program("javac")
                .args(["--release", &release, "-Xlint:all,-serial", "-Werror", "-d"])
                .arg(folder.path())
                .args(files)
                .output()
                .expect("javac starts");
            let told = String::from_utf8_lossy(&compiled.stderr);
            assert!(compiled.status.success(), "{told}");
            folder
        })
        .path()
}
