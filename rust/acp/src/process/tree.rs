//! Ending a process with its group, per operating system: Unix by signals, Windows by `taskkill`.

use tokio::process::Command;

use super::Exit;

/// Whom to end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    /// The process.
    pub(super) pid: u32,
    /// Whether it heads a group of its own, of the same id.
    pub(super) is_group: bool,
}

#[cfg(unix)]
pub(super) use unix::{exit_of, is_left, kill, own_group, terminate};
#[cfg(windows)]
pub(super) use windows::{exit_of, is_left, kill, own_group, terminate};

#[cfg(unix)]
mod unix {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};

    use super::{Command, Exit, Target};

    /// Makes the child the head of a group of its own, so that its children can be reached through it.
    pub(in super::super) fn own_group(command: &mut Command) {
        command.process_group(0);
    }

    pub(in super::super) fn terminate(target: Target) {
        signal(target, Signal::TERM);
    }

    pub(in super::super) fn kill(target: Target) {
        signal(target, Signal::KILL);
    }

    /// Whether anybody is left to end once the process itself was waited for: somebody of its group.
    pub(in super::super) fn is_left(target: Target) -> bool {
        target.is_group && id(target).is_some_and(|group| test_kill_process_group(group).is_ok())
    }

    pub(in super::super) fn exit_of(status: ExitStatus) -> Exit {
        Exit {
            code: status.code(),
            signal: status.signal(),
        }
    }

    /// Whoever is gone already is as good as ended.
    fn signal(target: Target, signal: Signal) {
        if let Some(id) = id(target) {
            let _gone = if target.is_group {
                kill_process_group(id, signal)
            } else {
                kill_process(id, signal)
            };
        }
    }

    fn id(target: Target) -> Option<Pid> {
        i32::try_from(target.pid).ok().and_then(Pid::from_raw)
    }
}

#[cfg(windows)]
mod windows {
    use std::process::{ExitStatus, Stdio};

    use super::{Command, Exit, Target};

    /// `CREATE_NEW_PROCESS_GROUP`: Ctrl-C in the caller's console is not for the child.
    const NEW_GROUP: u32 = 0x0000_0200;

    pub(in super::super) fn own_group(command: &mut Command) {
        command.creation_flags(NEW_GROUP);
    }

    /// Console programs have nothing like TERM; without `/F` taskkill asks windows to close.
    pub(in super::super) fn terminate(target: Target) {
        taskkill(target, &[]);
    }

    pub(in super::super) fn kill(target: Target) {
        taskkill(target, &["/F"]);
    }

    /// Groups cannot be asked on Windows; `taskkill` of a tree whose head is gone does nothing.
    pub(in super::super) fn is_left(_target: Target) -> bool {
        false
    }

    pub(in super::super) fn exit_of(status: ExitStatus) -> Exit {
        Exit {
            code: status.code(),
            signal: None,
        }
    }

    fn taskkill(target: Target, flags: &[&str]) {
        let mut command = std::process::Command::new("taskkill");
        command
            .args(["/T", "/PID", &target.pid.to_string()])
            .args(flags);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let _no_taskkill = command.spawn();
    }
}
