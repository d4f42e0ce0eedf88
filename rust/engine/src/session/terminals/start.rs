//! The start of a terminal's command. It is work for the session's [worker](crate::session::worker): the program is looked
//! for in its folder and on PATH, and a disk may give no answer. It knows no session.

use std::sync::atomic::{AtomicBool, Ordering};

use siderail_acp::process::{CommandLine, Guardian, ProcessTree, Streams, resolve};
use siderail_acp::wire::{RpcError, codes};
use tokio::runtime::Handle;

use crate::session::worker::Sight;

/// A command that is to be started.
pub(in crate::session) struct ToStart {
    line: CommandLine,
    guardian: Option<Guardian>,
    runtime: Handle,
    /// The agent reads that it does not run, so it must not start later.
    is_given_up: AtomicBool,
}

impl ToStart {
    /// Needs a running tokio runtime.
    pub(in crate::session) fn new(line: CommandLine, guardian: Option<Guardian>) -> Self {
        Self {
            line,
            guardian,
            runtime: Handle::current(),
            is_given_up: AtomicBool::new(false),
        }
    }

    /// Starts it; blind, gives it up. The error says why it does not run.
    pub(in crate::session) fn start(&self, sight: Sight) -> Result<ProcessTree, RpcError> {
        if sight == Sight::Blind {
            self.is_given_up.store(true, Ordering::Release);
        }
        let started = match sight {
            Sight::Clear => self.spawn(),
            Sight::Blind => Err(self.no_answer()),
        };
        started.map_err(|text| RpcError::new(codes::INTERNAL_ERROR, text))
    }

    fn spawn(&self) -> Result<ProcessTree, String> {
        // A disk that hangs does so here, before anything runs.
        let program = resolve(&self.line).map_err(|error| error.to_string())?;
        if self.is_given_up.load(Ordering::Acquire) {
            return Err(self.no_answer());
        }
        let _runtime = self.runtime.enter();
        let guardian = self.guardian.as_ref();
        ProcessTree::spawn_resolved(&program, &self.line, guardian, Streams::OutputOnly)
            .map_err(|error| error.to_string())
    }

    fn no_answer(&self) -> String {
        format!(
            "the command was not started: the file system does not answer for {} or a folder of PATH; \
             check what is mounted there, then try again",
            self.line.cwd.display()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::collections::BTreeMap;

    #[tokio::test]
    async fn what_is_given_up_does_not_start_any_more() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let to_start = || {
            let program = std::env::current_exe().expect("it runs");
            let line = CommandLine {
                program: program.display().to_string(),
                args: vec!["--list".into()],
                env: BTreeMap::new(),
                cwd: folder.path().to_owned(),
            };
            ToStart::new(line, None)
        };
        assert!(to_start().start(Sight::Clear).is_ok());
        let given_up = to_start();
        for sight in [Sight::Blind, Sight::Clear] {
            let error = given_up.start(sight).expect_err("it is given up");
            assert!(error.to_string().contains("does not answer"), "{error}");
        }
    }
}
