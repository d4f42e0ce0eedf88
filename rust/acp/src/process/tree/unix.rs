//! Process groups and signals.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};
use tokio::process::{Child, Command};

use super::super::exit::Exit;

/// A started program, and its group where it has one of its own.
#[derive(Debug)]
pub(in super::super) struct Tree {
    id: Option<Pid>,
    is_group: bool,
}

/// Makes the child the head of a group of its own, so that its children can be reached through it. In a terminal
/// (`is_own` false) it has to stay in the foreground group, or it could not read from there.
pub(in super::super) fn prepare(command: &mut Command, is_own: bool) {
    if is_own {
        command.process_group(0);
    }
}

pub(in super::super) fn exit_of(status: ExitStatus) -> Exit {
    Exit {
        code: status.code(),
        signal: status.signal(),
    }
}

impl Tree {
    /// Takes a child that [`prepare`] has set up.
    #[expect(
        clippy::unnecessary_wraps,
        reason = "the contract: elsewhere it can fail"
    )]
    pub(in super::super) fn hold(child: &Child, is_own: bool) -> io::Result<Self> {
        let id = child.id().and_then(|pid| i32::try_from(pid).ok());
        Ok(Self {
            id: id.and_then(Pid::from_raw),
            is_group: is_own,
        })
    }

    /// Asks all of it to end.
    pub(in super::super) fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    pub(in super::super) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// Whether anybody is left to end once the program itself was waited for: somebody of its group.
    pub(in super::super) fn is_left(&self) -> bool {
        self.is_group
            && self
                .id
                .is_some_and(|group| test_kill_process_group(group).is_ok())
    }

    /// A process that is gone already is as good as ended.
    fn signal(&self, signal: Signal) {
        if let Some(id) = self.id {
            let _gone = if self.is_group {
                kill_process_group(id, signal)
            } else {
                kill_process(id, signal)
            };
        }
    }
}
