//! The sandbox from outside: starts one, sends lines, receives effects.
//!
//! No line is ever run without it: where namespaces cannot be made there is no sandbox and so no run.

use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// What a line did to a file of the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Its text was written to standard output or standard error.
    Printed,
    /// It was not there before, or holds something else now.
    Written,
    /// The same, and that is nothing.
    Emptied,
    /// It is gone.
    Removed,
}

/// All that a line did.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Effects, each with the path in the project.
    pub effects: Vec<(Effect, String)>,
    /// The line did not end in time.
    pub timed_out: bool,
    /// A shell said that it, or a text that it hands on, is no program.
    pub invalid: bool,
    /// A shell said that a command is not there.
    pub missing: bool,
    /// What `strace` saw of it, where that was asked for.
    pub calls: Vec<String>,
}

/// Namespaces with a throw-away project.
pub struct Sandbox {
    child: Child,
    lines: ChildStdin,
    outcomes: BufReader<ChildStdout>,
    /// The programs that it holds, of those that the grammar asks for.
    pub programs: Vec<String>,
}

impl Sandbox {
    /// Starts one. The driver is the program `effects`, which runs itself inside.
    ///
    /// # Errors
    /// Where namespaces or programs to set them up are missing; it says what.
    pub fn start(driver: &Path) -> io::Result<Self> {
        let mut child = Command::new("unshare")
            .args([
                "-Urmpnf",
                "--kill-child",
                "bash",
                "-c",
                include_str!("namespace.sh"),
                "bash",
            ])
            .arg(driver)
            .env_clear()
            .env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin")
            .env("HOME", "/home")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let lines = child.stdin.take().expect("a pipe");
        let mut outcomes = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut ready = String::new();
        outcomes.read_line(&mut ready)?;
        let Some(programs) = ready.strip_prefix("ready ") else {
            let mut said = String::new();
            if let Some(stderr) = child.stderr.as_mut() {
                io::Read::read_to_string(stderr, &mut said)?;
            }
            child.wait()?;
            return Err(io::Error::other(format!("no namespace: {}", said.trim())));
        };
        let programs = programs.split_whitespace().map(str::to_owned).collect();
        Ok(Self {
            child,
            lines,
            outcomes,
            programs,
        })
    }

    /// Runs a line.
    ///
    /// # Errors
    /// Where the sandbox ended.
    pub fn run(&mut self, shell: &str, line: &str) -> io::Result<Outcome> {
        self.ask(shell, line)
    }

    /// Runs a line under `strace`, to explain what it does.
    ///
    /// # Errors
    /// Where the sandbox ended.
    pub fn trace(&mut self, shell: &str, line: &str) -> io::Result<Outcome> {
        self.ask(&format!("strace {shell}"), line)
    }

    fn ask(&mut self, shell: &str, line: &str) -> io::Result<Outcome> {
        write!(self.lines, "{shell}\0{line}\0")?;
        self.lines.flush()?;
        let mut outcome = Outcome::default();
        loop {
            let mut answer = String::new();
            if self.outcomes.read_line(&mut answer)? == 0 {
                return Err(io::Error::other(format!("the sandbox ended at {line:?}")));
            }
            let answer = answer.trim_end();
            match answer.split_once(' ') {
                None if answer == "done" => return Ok(outcome),
                None if answer == "invalid" => outcome.invalid = true,
                None if answer == "missing" => outcome.missing = true,
                None => outcome.timed_out = true,
                Some(("printed", path)) => outcome.effects.push((Effect::Printed, path.to_owned())),
                Some(("emptied", path)) => outcome.effects.push((Effect::Emptied, path.to_owned())),
                Some(("removed", path)) => outcome.effects.push((Effect::Removed, path.to_owned())),
                Some(("call", call)) => outcome.calls.push(call.to_owned()),
                Some((_, path)) => outcome.effects.push((Effect::Written, path.to_owned())),
            }
        }
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // Its first process ends all others with it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
