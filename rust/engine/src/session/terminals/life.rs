//! The process behind a terminal: sends its output as it comes, and its exit.
//!
//! The end is the process's own, not that of its output: a program that it leaves in the background may hold
//! the pipes open for as long as it likes. What is left goes with the terminal's process.

use std::time::Duration;

use siderail_acp::process::{Exit, Grace, ProcessTree};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::session::Input;

/// How long output is still read after the end.
const DRAIN: Duration = Duration::from_millis(500);
/// How long a command has to end politely when its terminal is ended.
const GRACE: Grace = Grace {
    eof: Duration::from_millis(200),
    term: Duration::from_secs(2),
};

/// Where a terminal's task reports.
#[derive(Clone)]
pub(in crate::session) struct Reports {
    pub(in crate::session) session: u64,
    pub(in crate::session) terminal: String,
    pub(in crate::session) inputs: mpsc::Sender<Input>,
}

/// Follows a process to its end. `stopped` resolves when its end is wanted.
pub(in crate::session) async fn live(
    mut tree: ProcessTree,
    stopped: oneshot::Receiver<()>,
    to: Reports,
) {
    let (stdout, stderr) = (tree.stdout.take(), tree.stderr.take());
    let mut output = Box::pin(async { tokio::join!(to.pump(stdout), to.pump(stderr)) });
    let mut is_drained = false;
    tokio::pin!(stopped);
    let ended = loop {
        tokio::select! {
            exit = tree.wait() => break Some(exit),
            _ = &mut stopped => break None,
            _ = &mut output, if !is_drained => is_drained = true,
        }
    };
    let rest = async {
        if !is_drained {
            output.await;
        }
    };
    let exit = match ended {
        Some(exit) => {
            let _ = timeout(DRAIN, rest).await;
            // Any children that are left go with it.
            drop(tree);
            exit
        }
        None => {
            let rest = timeout(GRACE.eof + GRACE.term + DRAIN, rest);
            tokio::join!(tree.stop(GRACE), rest).0
        }
    };
    to.exited(exit).await;
}

impl Reports {
    async fn pump(&self, stream: Option<impl AsyncRead + Unpin>) {
        let Some(mut stream) = stream else { return };
        let mut chunk = vec![0; 16 * 1024];
        while let Ok(n @ 1..) = stream.read(&mut chunk).await {
            let put_out = Input::TerminalOutput {
                session: self.session,
                terminal: self.terminal.clone(),
                bytes: chunk[..n].to_vec(),
            };
            if self.inputs.send(put_out).await.is_err() {
                break;
            }
        }
    }

    async fn exited(self, exit: Exit) {
        let ended = Input::TerminalExited {
            session: self.session,
            terminal: self.terminal,
            exit,
        };
        // The engine outlives its sessions' tasks; without it nobody waits.
        let _ = self.inputs.send(ended).await;
    }
}
