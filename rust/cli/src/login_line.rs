//! The command that logs in to an agent, for hints. Runs nothing.

use std::path::PathBuf;

use siderail_engine::shell_word;

/// The command that logs in to an agent, as it is typed: with what it was started by, where it has no profile of its own.
pub(crate) fn typed(
    agent: &str,
    command: Option<&str>,
    env: &[String],
    files: &[PathBuf],
) -> String {
    let files = files
        .iter()
        .map(|file| ("--agents-file", file.to_string_lossy().into_owned()));
    let command = command.map(|command| ("--agent-command", command.to_owned()));
    let flags = files.chain(command);
    let flags: String = flags
        .map(|(flag, value)| format!(" {flag} {}", shell_word(&value)))
        .collect();
    let also = match env {
        [] => "",
        // Its values may be secret.
        _ => ", with the same --agent-env,",
    };
    format!("`siderail agents login {}{flags}`{also}", shell_word(agent))
}
