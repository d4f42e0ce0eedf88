//! Node and npm: checks that they are new enough, with a clear error; installs packages as their lock file says, below
//! `target`.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// What the conformance suite's package asks for.
const OLDEST_NODE: u32 = 22;
/// Reads lock files of version 3.
const OLDEST_NPM: u32 = 7;
const INSTALL_LIMIT: Duration = Duration::from_secs(300);

/// Installs what `ours`, a folder with `package.json` and `package-lock.json`, names into `folder`, unless it
/// is there already.
pub(crate) fn install(ours: &Path, folder: &Path) -> Result<(), String> {
    new_enough("node", OLDEST_NODE)?;
    let lock = ours.join("package-lock.json");
    let wanted = fs::read(&lock).map_err(|e| format!("{}: {e}", lock.display()))?;
    let marker = folder.join("installed.json");
    if fs::read(&marker).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    new_enough("npm", OLDEST_NPM)?;
    let failed = |e| format!("{}: {e}", folder.display());
    fs::create_dir_all(folder).map_err(failed)?;
    for name in ["package.json", "package-lock.json"] {
        fs::copy(ours.join(name), folder.join(name)).map_err(failed)?;
    }
    println!("installing the packages of {} with npm", lock.display());
    let mut npm = Command::new("npm");
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
    npm.arg("--loglevel=error").current_dir(folder);
    within(&mut npm, INSTALL_LIMIT)
        .map_err(|why| format!("`npm ci` {why}; it needs a package registry"))?;
    fs::write(&marker, wanted).map_err(failed)
}

/// Runs a program for so long at most. It gets no input.
pub(crate) fn within(command: &mut Command, limit: Duration) -> Result<(), String> {
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
        "{found}; this needs {program} {oldest} or later. `npm ci --prefix \
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
