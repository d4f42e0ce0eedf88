//! One child process of a chore: its output passed on, its failure reported in one line.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A command to run in the workspace.
pub(crate) struct Step {
    command: Command,
    shown: String,
}

impl Step {
    /// A program with arguments, separated by blanks.
    pub(crate) fn new(root: &Path, line: &str) -> Self {
        let mut words = line.split_whitespace();
        Self::program(root, words.next().unwrap_or_default()).args(words)
    }

    /// The cargo that runs this chore, so that a toolchain chosen on the command line stays chosen.
    pub(crate) fn cargo(root: &Path, line: &str) -> Self {
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
        let step = Self {
            shown: "cargo".to_owned(),
            ..Self::program(root, &cargo)
        };
        step.args(line.split_whitespace())
    }

    /// Whether a program starts with these words and ends well; nobody sees what it says.
    pub(crate) fn is_there(program: &str, words: &[&str]) -> bool {
        let mut look = Command::new(program);
        look.args(words).stdin(Stdio::null());
        look.stdout(Stdio::null()).stderr(Stdio::null());
        look.status().is_ok_and(|status| status.success())
    }

    fn program(root: &Path, program: &str) -> Self {
        let mut command = Command::new(program);
        command.current_dir(root);
        Self {
            command,
            shown: program.to_owned(),
        }
    }

    /// Adds arguments.
    pub(crate) fn args<'a>(mut self, args: impl IntoIterator<Item = &'a str>) -> Self {
        for arg in args {
            self.command.arg(arg);
            self.shown.push(' ');
            self.shown.push_str(arg);
        }
        self
    }

    /// Adds paths as arguments.
    pub(crate) fn paths<'a>(mut self, paths: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        for path in paths {
            self.command.arg(path);
            self.shown.push_str(&format!(" {}", path.display()));
        }
        self
    }

    /// Sets a variable.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs it with this process's own output.
    pub(crate) fn run(mut self) -> Result<(), String> {
        let status = self.command.status().map_err(|e| self.failed(e))?;
        if status.success() {
            Ok(())
        } else {
            Err(self.failed(status))
        }
    }

    /// Runs it, passes its standard output on, and returns the lines for which `keep` holds.
    pub(crate) fn run_keeping(mut self, keep: fn(&str) -> bool) -> Result<Vec<String>, String> {
        self.command.stdout(Stdio::piped());
        let mut child = self.command.spawn().map_err(|e| self.failed(e))?;
        let mut output = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let mut kept = Vec::new();
        let mut line = Vec::new();
        while output
            .read_until(b'\n', &mut line)
            .map_err(|e| self.failed(e))?
            > 0
        {
            std::io::stdout()
                .write_all(&line)
                .map_err(|e| self.failed(e))?;
            let text = String::from_utf8_lossy(&line);
            if keep(text.trim_end()) {
                kept.push(text.trim_end().to_owned());
            }
            line.clear();
        }
        let status = child.wait().map_err(|e| self.failed(e))?;
        if status.success() {
            Ok(kept)
        } else {
            Err(self.failed(status))
        }
    }

    /// Runs what `make` makes, and a second time where it failed: what is emulated on a busy machine may come too late.
    /// What fails twice has failed.
    pub(crate) fn run_keeping_at_second(
        make: impl Fn() -> Self,
        keep: fn(&str) -> bool,
    ) -> Result<Vec<String>, String> {
        make().run_keeping(keep).or_else(|why| {
            println!("\n== once more, since {why}");
            make().run_keeping(keep)
        })
    }

    /// Runs it and returns its standard output; what it complains of is passed on.
    pub(crate) fn output(mut self) -> Result<Vec<u8>, String> {
        self.command.stderr(Stdio::inherit());
        let output = self.command.output().map_err(|e| self.failed(e))?;
        if output.status.success() {
            Ok(output.stdout)
        } else {
            Err(self.failed(output.status))
        }
    }

    /// Runs it without input; whether it ended well, and all that it said on both streams.
    pub(crate) fn collect(mut self) -> Result<(bool, String), String> {
        let output = self.command.stdin(Stdio::null()).output();
        let output = output.map_err(|e| self.failed(e))?;
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        Ok((output.status.success(), said))
    }

    fn failed(&self, why: impl std::fmt::Display) -> String {
        format!("`{}` failed: {why}", self.shown)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Step;

    #[test]
    fn a_step_that_fails_names_its_command() {
        let failed = Step::new(Path::new("."), "sh -c")
            .args(["exit 3"])
            .run()
            .unwrap_err();
        assert!(
            failed.starts_with("`sh -c exit 3` failed: exit status: 3"),
            "{failed}"
        );
        let unknown = Step::new(Path::new("."), "no-such-program-at-all x")
            .run()
            .unwrap_err();
        assert!(
            unknown.starts_with("`no-such-program-at-all x` failed: "),
            "{unknown}"
        );
    }

    #[test]
    fn closing_lines_are_kept_as_they_were() {
        let kept =
            Step::cargo(Path::new("."), "--version").run_keeping(|line| line.contains("cargo"));
        assert_eq!(kept.unwrap().len(), 1);
    }
}
