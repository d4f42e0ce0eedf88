//! Starts the binary in surroundings of its own: no settings, no terminal, no variables of the
//! developer's.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Longer than anything here takes, even on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A folder for one test: a home, a runtime folder and a project.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["home", "run", "project"] {
            std::fs::create_dir(folder.path().join(name)).expect("a new folder");
        }
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.path("project")
            .canonicalize()
            .expect("the project exists")
    }

    /// Writes the user's settings.
    pub(crate) fn config(&self, text: &str) {
        let folder = self.path("home/.config/siderail");
        std::fs::create_dir_all(&folder).expect("it can be made");
        std::fs::write(folder.join("config.toml"), text).expect("it can be written");
    }

    /// The binary with these words, in the project, with this place's folders.
    pub(crate) fn siderail(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_siderail"));
        command.args(words).current_dir(self.project());
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
            .env("HOME", self.path("home"))
            .env("XDG_RUNTIME_DIR", self.path("run"));
        command
            .env("LANG", "C.UTF-8")
            .env("TERM", "xterm")
            .env("COLUMNS", "100");
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the binary to its end.
    pub(crate) fn run(&self, words: &[&str]) -> Ended {
        Ended::of(self.siderail(words).output().expect("the binary starts"))
    }

    /// Runs the binary with this on its standard input.
    pub(crate) fn run_with(&self, words: &[&str], input: &[u8]) -> Ended {
        let mut child = self
            .siderail(words)
            .stdin(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut stdin = child.stdin.take().expect("a piped input");
        let input = input.to_vec();
        let writer = std::thread::spawn(move || {
            // a process that has ended takes no more
            let _ = stdin.write_all(&input);
        });
        let output = child.wait_with_output().expect("it ends");
        writer.join().expect("the writer ends");
        Ended::of(output)
    }

    /// Folders of runs that are left behind.
    pub(crate) fn left_behind(&self) -> Vec<PathBuf> {
        entries(&self.path("run/siderail"))
    }
}

/// What a process left.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ended {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).expect("the output is text"),
            err: String::from_utf8(output.stderr).expect("the messages are text"),
        }
    }

    pub(crate) fn lines(&self) -> Vec<serde_json::Value> {
        let line = |line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        self.out.lines().map(line).collect()
    }
}

pub(crate) fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Waits for a child's end; kills it when that takes too long.
pub(crate) fn wait(child: &mut Child) -> Option<i32> {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = child.try_wait().expect("the child can be waited for") {
            return status.code();
        }
        if Instant::now() > end {
            child.kill().expect("the child can be killed");
            panic!("the process did not end");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
