//! The shell that an agent of this platform gives a command line to.

use std::process::Command;

/// `sh`, as agents on Unix do it.
#[cfg(not(windows))]
pub(crate) fn command(line: &str, _as_argument: bool) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(line);
    command
}

/// `cmd`, which takes the line as it is between one pair of quotes. What PowerShell needs ahead of a quoted program
/// (`&`), `cmd` must not see: an agent whose hooks are for PowerShell is played without it.
#[cfg(windows)]
pub(crate) fn command(line: &str, as_argument: bool) -> Command {
    use std::os::windows::process::CommandExt as _;
    if as_argument {
        let mut command = Command::new("cmd");
        command.args(["/C", line]);
        return command;
    }
    let line = line.strip_prefix("& ").unwrap_or(line);
    let mut command = Command::new("cmd");
    command.args(["/d", "/s", "/c"]);
    command.raw_arg(format!("\"{line}\""));
    command
}
