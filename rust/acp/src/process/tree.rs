//! Process groups, per operating system: Unix by signals, Windows by `taskkill`.

use tokio::process::Command;

use super::Exit;

#[cfg(unix)]
pub(super) use unix::{exit_of, group_exists, kill, own_group, terminate};
#[cfg(windows)]
pub(super) use windows::{exit_of, group_exists, kill, own_group, terminate};

#[cfg(unix)]
mod unix {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

    use super::{Command, Exit};

    /// Makes the child the head of a group of its own, so that its children can be reached through it.
    pub(in super::super) fn own_group(command: &mut Command) {
        command.process_group(0);
    }

    pub(in super::super) fn terminate(pid: u32) {
        signal(pid, Signal::TERM);
    }

    pub(in super::super) fn kill(pid: u32) {
        signal(pid, Signal::KILL);
    }

    /// Whether anybody is left in the group.
    pub(in super::super) fn group_exists(pid: u32) -> bool {
        group(pid).is_some_and(|group| test_kill_process_group(group).is_ok())
    }

    pub(in super::super) fn exit_of(status: ExitStatus) -> Exit {
        Exit {
            code: status.code(),
            signal: status.signal(),
        }
    }

    /// A group that is gone already is as good as a group that was ended.
    fn signal(pid: u32, signal: Signal) {
        if let Some(group) = group(pid) {
            let _gone = kill_process_group(group, signal);
        }
    }

    fn group(pid: u32) -> Option<Pid> {
        i32::try_from(pid).ok().and_then(Pid::from_raw)
    }
}

#[cfg(windows)]
mod windows {
    use std::process::{ExitStatus, Stdio};

    use super::{Command, Exit};

    /// `CREATE_NEW_PROCESS_GROUP`: Ctrl-C in the caller's console is not for the child.
    const NEW_GROUP: u32 = 0x0000_0200;

    pub(in super::super) fn own_group(command: &mut Command) {
        command.creation_flags(NEW_GROUP);
    }

    /// Console programs have nothing like TERM; without `/F` taskkill asks windows to close.
    pub(in super::super) fn terminate(pid: u32) {
        taskkill(pid, &[]);
    }

    pub(in super::super) fn kill(pid: u32) {
        taskkill(pid, &["/F"]);
    }

    /// Groups cannot be asked on Windows; `taskkill` of a tree whose head is gone does nothing.
    pub(in super::super) fn group_exists(_pid: u32) -> bool {
        false
    }

    pub(in super::super) fn exit_of(status: ExitStatus) -> Exit {
        Exit {
            code: status.code(),
            signal: None,
        }
    }

    fn taskkill(pid: u32, flags: &[&str]) {
        let mut command = std::process::Command::new("taskkill");
        command.args(["/T", "/PID", &pid.to_string()]).args(flags);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let _no_taskkill = command.spawn();
    }
}
