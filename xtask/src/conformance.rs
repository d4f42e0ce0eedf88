//! `cargo xtask conformance`: the official MCP suite against our server, in both protocol eras.
//!
//! The suite speaks HTTP only, so there are four programs: the suite, `tests/conformance/bridge.mjs`, a relay
//! per session, and the server with the suite's tools. Everything downloaded or written lies below `target`.
//! What the suite asks for and we do not offer is listed, with reasons, in `tests/conformance/not-offered`;
//! whatever differs from that list, in either direction, fails.

mod verdict;

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::node;
use crate::step::Step;
use verdict::{Expected, Verdict};

/// The newest version with a handshake, and the stateless one.
const ERAS: [&str; 2] = ["2025-11-25", "2026-07-28"];
/// A healthy run takes seconds.
const SUITE_LIMIT: Duration = Duration::from_secs(240);
const START_LIMIT: Duration = Duration::from_secs(30);

/// Runs the suite and prints a table for each era.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let ours = root.join("tests/conformance");
    let place = Place::of_this_build(root)?;
    let suite = place.folder.join("suite");
    node::install(&ours, &suite)?;
    let packages = "build --quiet --locked --package siderail-conformance --package siderail-relay";
    Step::cargo(root, packages).run()?;
    let mut total = Verdict::default();
    for era in ERAS {
        let list = ours.join("not-offered").join(format!("{era}.yml"));
        let text = fs::read_to_string(&list).map_err(|e| format!("{}: {e}", list.display()))?;
        let expected = Expected::parse(&text).map_err(|e| format!("{}: {e}", list.display()))?;
        let results = place.fresh(era)?;
        let servers = Servers::start(&ours, &place)?;
        let arguments = [
            "server",
            "--url",
            &servers.url,
            "--requirements",
            era,
            "--expected-failures",
            path(&list)?,
            "--output-dir",
            path(&results)?,
        ];
        let log = results.join("suite.log");
        let ended = run_suite(&suite, &arguments, &log);
        drop(servers);
        let verdict = verdict::judge(&results, &expected)?;
        println!("\n== MCP {era}\n{verdict}");
        // What the suite itself complains of, our reading of its checks has to complain of too.
        if ended.is_err() && verdict.is_clean() {
            return Err(format!("the suite failed: see {}", log.display()));
        }
        total.add(verdict);
    }
    total.close()
}

/// Runs the suite with its output going to a file. The error says how it ended.
fn run_suite(folder: &Path, arguments: &[&str], log: &Path) -> Result<(), String> {
    let failed = |e| format!("{}: {e}", log.display());
    let output = File::create(log).map_err(failed)?;
    let errors = output.try_clone().map_err(failed)?;
    let mut suite = Command::new("node");
    suite.arg(folder.join("node_modules/@modelcontextprotocol/conformance/dist/index.js"));
    suite.args(arguments).env("NO_COLOR", "1");
    node::within(suite.stdout(output).stderr(errors), SUITE_LIMIT)
}

fn path(path: &Path) -> Result<&str, String> {
    path.to_str()
        .ok_or_else(|| format!("{} is not UTF-8", path.display()))
}

/// Where things are built and kept: beside the binary that runs this chore.
struct Place {
    binaries: PathBuf,
    folder: PathBuf,
}

impl Place {
    fn of_this_build(root: &Path) -> Result<Self, String> {
        let this = std::env::current_exe().map_err(|e| format!("where am I: {e}"))?;
        let binaries = this.parent().unwrap_or(root).to_owned();
        let folder = binaries.parent().unwrap_or(root).join("conformance");
        Ok(Self { binaries, folder })
    }

    /// An empty folder for one era's results.
    fn fresh(&self, era: &str) -> Result<PathBuf, String> {
        let folder = self.folder.join(era);
        let failed = |e| format!("{}: {e}", folder.display());
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(failed)?;
        }
        fs::create_dir_all(&folder).map_err(failed)?;
        Ok(folder)
    }
}

/// The server under test and the bridge to it; both end when this is dropped.
struct Servers {
    /// The server goes when its standard input ends, the bridge is killed.
    children: Vec<Child>,
    /// Holds the socket. Not below `target`, as addresses of sockets are short and a build may lie deep.
    sockets: PathBuf,
    url: String,
}

impl Servers {
    fn start(ours: &Path, place: &Place) -> Result<Self, String> {
        let name = format!("siderail-conformance-{}", std::process::id());
        let mut servers = Self {
            children: Vec::new(),
            sockets: std::env::temp_dir().join(name),
            url: String::new(),
        };
        let mut server = Command::new(place.binaries.join("conformance-server"));
        server.arg(&servers.sockets);
        let [socket, token] = servers.spawn(&mut server)?;
        let mut bridge = Command::new("node");
        bridge.arg(ours.join("bridge.mjs")).arg("0");
        bridge.arg(place.binaries.join("siderail-relay"));
        for variable in [&socket, &token] {
            let (name, value) = variable.split_once('=').unwrap_or_default();
            bridge.env(name, value);
        }
        let [url] = servers.spawn(&mut bridge)?;
        servers.url = url;
        Ok(servers)
    }

    /// Starts a program and waits for its first lines.
    fn spawn<const LINES: usize>(
        &mut self,
        command: &mut Command,
    ) -> Result<[String; LINES], String> {
        let shown = command.get_program().to_string_lossy().into_owned();
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|e| format!("{shown}: {e}"))?;
        let output = child.stdout.take().expect("stdout is piped");
        self.children.push(child);
        first_lines(output).ok_or_else(|| format!("{shown} did not start"))
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        for child in self.children.iter_mut().rev() {
            drop(child.stdin.take());
            // The server removes its socket when it goes by itself.
            std::thread::sleep(Duration::from_millis(100));
            let _ = child.kill();
            let _ = child.wait();
        }
        let _ = fs::remove_dir_all(&self.sockets);
    }
}

fn first_lines<const LINES: usize>(output: ChildStdout) -> Option<[String; LINES]> {
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    let read: Vec<String> = (0..LINES)
        .map_while(|_| lines.recv_timeout(START_LIMIT).ok())
        .collect();
    read.try_into().ok()
}
