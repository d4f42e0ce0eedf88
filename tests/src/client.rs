//! `siderail run` as a process, in the folders of a [`Place`].

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::place::Place;

/// The program with these words, in the place's project, with nothing of the developer's around it.
pub fn siderail(program: &Path, place: &Place, words: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .args(words)
        .current_dir(place.path("project"))
        .env_clear()
        .envs(place.env())
        .env("XDG_RUNTIME_DIR", place.path("run"))
        .env("XDG_STATE_HOME", place.path("state"))
        .stdin(Stdio::null());
    command
}

/// A scripted agent as `--agent-command` takes it.
pub fn agent_command(program: &Path, shape: &str, script: &Path) -> String {
    let (program, script) = (program.display(), script.display());
    format!("{program} scripted-agent --shape {shape} --script {script}")
}

/// Waits for the end of a child; its exit code, 128 and more for a signal.
///
/// # Panics
/// The child cannot be waited for.
pub fn wait(child: &mut Child, limit: Duration) -> Option<i32> {
    let end = Instant::now() + limit;
    while Instant::now() < end {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return Some(exit_code(status));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    None
}

#[cfg(unix)]
fn exit_code(status: std::process::ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt as _;
    status
        .code()
        .unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

#[cfg(not(unix))]
fn exit_code(status: std::process::ExitStatus) -> i32 {
    status.code().unwrap_or(-1)
}
