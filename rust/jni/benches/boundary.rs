//! What the boundary costs, and what the same would cost with a JVM on both sides of a loopback connection.
//!
//! Starts virtual machines that measure (`java/dev/siderail/bridge/Bench.java`) on every JDK of the tests, and an
//! agent that measures tool calls through relay, socket, engine and JVM. The baseline is a proxy on stdio, on the
//! JVM, in front of an HTTP server that answers the same. `docs/performance.md` has a run's figures.

#[path = "../tests/jvm/jdk.rs"]
mod jdk;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use jdk::{Jdk, OLDEST, jdks};

/// New virtual machines for the time that loading takes.
const LOADS: usize = 21;

fn main() {
    // `cargo test --benches` only wants to know that it builds.
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    let built = build();
    let folder = tempfile::tempdir().expect("a folder");
    let classes = folder.path().join("classes");
    compile(&classes);
    for jdk in jdks() {
        println!("JDK {}", jdk.version);
        let bench = Bench {
            jdk: &jdk,
            classes: &classes,
            built: &built,
            folder: folder.path(),
        };
        bench.load();
        bench.crossings();
        bench.tools();
        bench.baseline("", "HTTP server as it is");
        bench.baseline("-Dsun.net.httpserver.nodelay=true", "HTTP server, no delay");
        println!();
    }
}

/// Builds what is measured, in the profile of what is packaged, though without the folding of identical code; the folder
/// of that profile.
fn build() -> PathBuf {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    for args in [
        "rustc --quiet --profile slim --package siderail-jni --lib --crate-type cdylib",
        "build --quiet --profile slim --package siderail-jni --examples",
    ] {
        let status = Command::new(&cargo).args(args.split(' ')).status();
        assert!(status.expect("cargo starts").success(), "cargo {args}");
    }
    let own = std::env::current_exe().expect("this program has a path");
    let target = own.ancestors().nth(3).expect("it is in a profile's deps");
    target.join("slim")
}

fn compile(classes: &Path) {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["tests/java", "benches/java"] {
        let folder = own.join(folder).join("dev/siderail/bridge");
        let entries = std::fs::read_dir(folder).expect("the sources");
        files.extend(entries.map(|entry| entry.expect("an entry").path()));
    }
    let mut javac = jdks().remove(0).program("javac");
    let status = javac
        .args(["--release", &OLDEST.to_string(), "-d"])
        .arg(classes)
        .args(files)
        .status();
    assert!(status.expect("javac starts").success());
}

struct Bench<'a> {
    jdk: &'a Jdk,
    classes: &'a Path,
    built: &'a Path,
    folder: &'a Path,
}

impl Bench<'_> {
    fn java(&self, options: &str) -> Command {
        let mut java = self.jdk.program("java");
        java.args(options.split_whitespace());
        if self.jdk.version >= 22 {
            java.arg("--enable-native-access=ALL-UNNAMED");
        }
        java.arg("-cp").arg(self.classes);
        java
    }

    /// Runs a mode of the bench class; its lines of name and value.
    fn run(&self, args: &[&Path]) -> Vec<(String, f64)> {
        let mut java = self.java("");
        let output = java.arg("dev.siderail.bridge.Bench").args(args).output();
        let output = output.expect("java starts");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{told}");
        results(&String::from_utf8_lossy(&output.stdout))
    }

    fn private_folder(&self) -> tempfile::TempDir {
        tempfile::Builder::new()
            .prefix("b")
            .tempdir_in(std::env::temp_dir())
            .expect("a folder")
    }

    fn load(&self) {
        let library = self.built.join("libsiderail_jni.so");
        let relay = self.built.join("examples/agent");
        let mut runs: Vec<Vec<(String, f64)>> = (0..LOADS)
            .map(|_| {
                let folder = self.private_folder();
                self.run(&[Path::new("load"), &library, &relay, folder.path()])
            })
            .collect();
        for at in 0..runs[0].len() {
            runs.sort_by(|a, b| a[at].1.total_cmp(&b[at].1));
            let (name, value) = &runs[LOADS / 2][at];
            say(&format!("{name}, µs"), *value);
        }
    }

    fn crossings(&self) {
        let library = self.built.join("examples/libtesting.so");
        for (name, value) in self.run(&[Path::new("crossings"), &library]) {
            say(&name, value);
        }
    }

    fn tools(&self) {
        let out = self.folder.join("results");
        let folder = self.private_folder();
        self.run(&[
            Path::new("tools"),
            &self.built.join("libsiderail_jni.so"),
            &self.built.join("examples/agent"),
            &self.built.join("examples/measuring_agent"),
            &out,
            folder.path(),
        ]);
        self.told("relay, engine, JVM", &out);
    }

    fn baseline(&self, option: &str, what: &str) {
        let mut java = self.java(option);
        let mut server = java
            .args(["dev.siderail.bridge.Bench", "http"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("java starts");
        let mut line = String::new();
        let stdout = server.stdout.take().expect("it is piped");
        BufReader::new(stdout)
            .read_line(&mut line)
            .expect("it says its port");
        let port = line.trim().strip_prefix("port ").expect("a port");
        let out = self.folder.join("results");
        let status = Command::new(self.built.join("examples/measuring_agent"))
            .arg("direct")
            .arg(&out)
            .arg(self.jdk.home.join("bin/java"))
            .args(["-XX:TieredStopAtLevel=1", "-Xshare:auto", "-cp"])
            .arg(self.classes)
            .args(["dev.siderail.bridge.Proxy", port])
            .status();
        assert!(status.expect("it starts").success());
        // It ends with its input.
        drop(server.stdin.take());
        server.wait().expect("it ends");
        self.told(&format!("JVM proxy, {what}"), &out);
    }

    fn told(&self, who: &str, out: &Path) {
        let text = std::fs::read_to_string(out).expect("the agent has measured");
        for (name, value) in results(&text) {
            say(&format!("{who}: {name}, µs"), value);
        }
    }
}

fn results(text: &str) -> Vec<(String, f64)> {
    let pair = |line: &str| {
        let (name, value) = line.split_once(' ')?;
        Some((name.to_owned(), value.trim().parse().ok()?))
    };
    text.lines().filter_map(pair).collect()
}

fn say(name: &str, value: f64) {
    println!("  {name:<55} {value:>12.1}");
}
