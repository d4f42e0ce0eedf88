//! Node and npm: new enough, or a clear word; and the suite, installed as its lock file says.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// What the suite's package asks for.
const OLDEST_NODE: u32 = 22;
/// Reads lock files of version 3.
const OLDEST_NPM: u32 = 7;
const INSTALL_LIMIT: Duration = Duration::from_secs(300);

/// The suite, ready to be started.
pub(super) struct Suite {
    script: PathBuf,
}

/// Installs the suite below `target`, unless it is there already.
pub(super) fn install(ours: &Path, target: &Path) -> Result<Suite, String> {
    new_enough("node", OLDEST_NODE)?;
    let folder = target.join("suite");
    let script = folder.join("node_modules/@modelcontextprotocol/conformance/dist/index.js");
    let lock = ours.join("package-lock.json");
    let wanted = fs::read(&lock).map_err(|e| format!("{}: {e}", lock.display()))?;
    let marker = folder.join("installed.json");
    if script.exists() && fs::read(&marker).is_ok_and(|installed| installed == wanted) {
        return Ok(Suite { script });
    }
    new_enough("npm", OLDEST_NPM)?;
    let failed = |e| format!("{}: {e}", folder.display());
    fs::create_dir_all(&folder).map_err(failed)?;
    for name in ["package.json", "package-lock.json"] {
        fs::copy(ours.join(name), folder.join(name)).map_err(failed)?;
    }
    println!("installing the suite with npm");
    let mut npm = Command::new("npm");
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
    npm.arg("--loglevel=error").current_dir(&folder);
    within(&mut npm, INSTALL_LIMIT).map_err(|why| {
        format!("`npm ci` of the conformance suite {why}; it needs a package registry")
    })?;
    fs::write(&marker, wanted).map_err(failed)?;
    Ok(Suite { script })
}

impl Suite {
    /// Runs it with its output going to a file. The error says how it ended.
    pub(super) fn run(&self, args: &[&str], log: &Path, limit: Duration) -> Result<(), String> {
        let failed = |e| format!("{}: {e}", log.display());
        let output = File::create(log).map_err(failed)?;
        let errors = output.try_clone().map_err(failed)?;
        let mut suite = Command::new("node");
        suite.arg(&self.script).args(args).env("NO_COLOR", "1");
        within(suite.stdout(output).stderr(errors), limit)
    }
}

/// Runs a program for so long at most. It gets no input.
fn within(command: &mut Command, limit: Duration) -> Result<(), String> {
    let started = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .spawn()
        .map_err(|e| format!("did not start: {e}"))?;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(format!("failed: {status}")),
            Ok(None) if started.elapsed() < limit => sleep(Duration::from_millis(50)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("took longer than {} s", limit.as_secs()));
            }
        }
    }
}

fn new_enough(program: &str, oldest: u32) -> Result<(), String> {
    let output = Command::new(program).arg("--version").output();
    let found = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let version = found.as_deref().unwrap_or_default();
    if major(version).is_some_and(|major| major >= oldest) {
        return Ok(());
    }
    let found = match version {
        "" => format!("there is no {program}"),
        version => format!("the {program} here is {version}"),
    };
    Err(format!(
        "{found}; the conformance suite needs {program} {oldest} or later. `npm ci --prefix \
         tests/conformance/node` fetches one for Linux, to be put on the PATH"
    ))
}

fn major(version: &str) -> Option<u32> {
    let digits = version.strip_prefix('v').unwrap_or(version);
    digits.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::time::Duration;

    use super::{major, new_enough, within};

    #[test]
    fn versions_are_read_as_node_and_npm_print_them() {
        assert_eq!(major("v22.23.3"), Some(22));
        assert_eq!(major("9.2.0"), Some(9));
        assert_eq!(major(""), None);
    }

    #[test]
    fn a_missing_or_old_program_is_named_with_what_is_needed() {
        let missing = new_enough("no-such-program-at-all", 22).expect_err("it is missing");
        assert!(
            missing.contains("there is no no-such-program-at-all"),
            "{missing}"
        );
        assert!(missing.contains("22 or later"), "{missing}");
        let old = new_enough("cargo", 22).expect_err("it prints no such version");
        assert!(old.contains("the cargo here is"), "{old}");
    }

    #[test]
    fn what_takes_too_long_is_ended() {
        let ended = within(Command::new("sleep").arg("30"), Duration::from_millis(100));
        assert_eq!(ended, Err("took longer than 0 s".to_owned()));
    }
}
