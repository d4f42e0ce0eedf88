//! Job objects: what is in one cannot leave it, and ends with it, also when this process is killed.
//!
//! Console programs know no TERM: a program is asked by the end of its input, and killed if that does not help.

use std::io;
use std::process::{ExitStatus, Stdio};

use siderail_os::job::{CREATION_FLAGS, Job};
use tokio::process::{Child, Command};

use super::super::exit::Exit;

/// A started program.
#[derive(Debug)]
pub(in super::super) enum Tree {
    /// With everything it starts.
    Job(Job),
    /// In the user's terminal: what a login starts there, a browser perhaps, may outlive it.
    Alone { pid: u32 },
}

/// Has the program wait until it is held.
pub(in super::super) fn prepare(command: &mut Command, is_own: bool) {
    if is_own {
        command.creation_flags(CREATION_FLAGS);
    }
}

pub(in super::super) fn exit_of(status: ExitStatus) -> Exit {
    Exit {
        code: status.code(),
        signal: None,
    }
}

impl Tree {
    /// Takes a child that [`prepare`] has set up, and lets it go.
    pub(in super::super) fn hold(child: &Child, is_own: bool) -> io::Result<Self> {
        let ended = || io::Error::other("the program has ended already");
        let pid = child.id().ok_or_else(ended)?;
        if !is_own {
            return Ok(Self::Alone { pid });
        }
        Job::hold(pid).map(Self::Job)
    }

    pub(in super::super) fn terminate(&self) {
        self.kill();
    }

    pub(in super::super) fn kill(&self) {
        match self {
            Self::Job(job) => job.kill(),
            Self::Alone { pid } => taskkill(*pid),
        }
    }

    /// Whether anybody is left to end once the program itself was waited for.
    pub(in super::super) fn is_left(&self) -> bool {
        match self {
            Self::Job(job) => job.is_alive(),
            Self::Alone { .. } => false,
        }
    }
}

fn taskkill(pid: u32) {
    let mut command = std::process::Command::new("taskkill");
    command
        .args(["/F", "/T", "/PID", &pid.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let _no_taskkill = command.spawn();
}
