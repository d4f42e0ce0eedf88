//! One child process of a chore: shown before it starts, its failure told in one line.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// A command to run in the workspace.
pub(crate) struct Step {
    command: Command,
    shown: String,
}

impl Step {
    /// The cargo that runs this chore, so that a toolchain chosen on the command line stays chosen.
    pub(crate) fn cargo<'a>(root: &Path, args: impl IntoIterator<Item = &'a str>) -> Self {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.current_dir(root);
        Self {
            command,
            shown: "cargo".to_owned(),
        }
        .args(args)
    }

    /// Adds arguments.
    pub(crate) fn args<'a>(mut self, args: impl IntoIterator<Item = impl AsRef<str> + 'a>) -> Self {
        for arg in args {
            let arg = arg.as_ref();
            self.command.arg(arg);
            self.shown.push(' ');
            self.shown.push_str(arg);
        }
        self
    }

    /// Runs it with this process's own output.
    pub(crate) fn run(mut self) -> Result<(), String> {
        let status = self
            .command
            .status()
            .map_err(|e| format!("{} did not start: {e}", self.shown))?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("{} failed ({status})", self.shown))
        }
    }

    /// Runs it, passes its standard output on, and returns the lines for which `keep` holds.
    pub(crate) fn run_keeping(mut self, keep: fn(&str) -> bool) -> Result<Vec<String>, String> {
        let failed = |e: std::io::Error| format!("{}: {e}", self.shown);
        let mut child = self
            .command
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let mut output = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let mut kept = Vec::new();
        let mut line = Vec::new();
        while output.read_until(b'\n', &mut line).map_err(failed)? > 0 {
            std::io::stdout().write_all(&line).map_err(failed)?;
            let text = String::from_utf8_lossy(&line);
            let text = text.trim_end();
            if keep(text) {
                kept.push(text.to_owned());
            }
            line.clear();
        }
        let status = child.wait().map_err(failed)?;
        if status.success() {
            Ok(kept)
        } else {
            Err(format!("{} failed ({status})", self.shown))
        }
    }

    /// Runs it silently and returns its standard output.
    pub(crate) fn output(mut self) -> Result<Vec<u8>, String> {
        let output = self
            .command
            .stderr(Stdio::inherit())
            .output()
            .map_err(|e| format!("{} did not start: {e}", self.shown))?;
        if output.status.success() {
            Ok(output.stdout)
        } else {
            Err(format!("{} failed ({})", self.shown, output.status))
        }
    }
}
