//! Runs a helper program (git, curl) to its end and keeps its output.
//!
//! Unlike a command of the agent's, such a run has no id and no log: its output is read by the tool that
//! started it. Its time is limited, and cancelling ends it with all that it started.

use std::pin::pin;
use std::time::Duration;

use siderail_acp::process::{CommandLine, Exit, Grace, Guardian, ProcessTree, SpawnError, Streams};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};

use siderail_workspace::cancel::CancelFlag;

/// Bytes of error output that are kept.
const MOST_ERRORS: usize = 64 * 1024;
/// A program that is asked to end may tidy up: git removes its locks.
const GRACE: Grace = Grace {
    eof: Duration::ZERO,
    term: Duration::from_secs(2),
};
/// What it left running may hold the pipes open for.
const DRAIN: Duration = Duration::from_millis(500);

/// What is to be run.
pub(super) struct Helper<'a> {
    pub(super) line: CommandLine,
    pub(super) guardian: Option<&'a Guardian>,
    /// Its standard input; closed if absent.
    pub(super) input: Option<Vec<u8>>,
    /// Bytes of output that are kept.
    pub(super) most_output: usize,
    /// Whether it is over once that much is there; else the rest is read and not kept.
    pub(super) ends_full: bool,
    /// What it may take.
    pub(super) limit: Duration,
}

/// What a run has left.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) exit: Exit,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
}

/// Why there is no result.
#[derive(Debug)]
pub(super) enum Unfinished {
    NotStarted(SpawnError),
    TooLong,
    Cancelled,
}

impl Helper<'_> {
    pub(super) async fn run(self, cancel: &CancelFlag) -> Result<Finished, Unfinished> {
        let streams = match self.input {
            Some(_) => Streams::Piped,
            None => Streams::OutputOnly,
        };
        let mut limit = pin!(tokio::time::sleep(self.limit));
        // The disk may not say where the program is. One that is started after all ends at once: its tree is dropped.
        let started = tokio::select! {
            started = ProcessTree::start(self.line, self.guardian.cloned(), streams) => started,
            () = &mut limit => return Err(Unfinished::TooLong),
            () = cancel.cancelled() => return Err(Unfinished::Cancelled),
        };
        let mut tree = started.map_err(Unfinished::NotStarted)?;
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let (stdin, outputs) = (tree.stdin.take(), (tree.stdout.take(), tree.stderr.take()));
        let input = self.input.unwrap_or_default();
        let ended = {
            let mut drained = Box::pin(async {
                let fed = async move {
                    if let Some(mut stdin) = stdin {
                        // A program that ends before it has read everything says why itself.
                        let _ = stdin.write_all(&input).await;
                    }
                };
                tokio::join!(
                    fed,
                    keep(outputs.0, &mut stdout, self.most_output, self.ends_full),
                    keep(outputs.1, &mut stderr, MOST_ERRORS, false)
                );
            });
            tokio::select! {
                exit = finish(&mut tree, &mut drained) => Ok(exit),
                () = &mut limit => Err(Unfinished::TooLong),
                () = cancel.cancelled() => Err(Unfinished::Cancelled),
            }
        };
        if ended.is_err() {
            tree.stop(GRACE).await;
        }
        Ok(Finished {
            exit: ended?,
            stdout,
            stderr,
        })
    }
}

/// Waits for the program, then for a moment for the rest of its output.
async fn finish(tree: &mut ProcessTree, drained: &mut (impl Future<Output = ()> + Unpin)) -> Exit {
    let mut is_drained = false;
    let exit = loop {
        tokio::select! {
            exit = tree.wait() => break exit,
            () = &mut *drained, if !is_drained => is_drained = true,
        }
    };
    if !is_drained {
        let _ = tokio::time::timeout(DRAIN, drained).await;
    }
    exit
}

/// Reads a pipe to its end and keeps what fits. `ends_full`: only so far, and a program that writes more finds it
/// closed.
async fn keep(
    pipe: Option<impl AsyncRead + Unpin>,
    kept: &mut Vec<u8>,
    most: usize,
    ends_full: bool,
) {
    let Some(mut pipe) = pipe else { return };
    let mut piece = vec![0; 32 * 1024];
    while let Ok(n_bytes @ 1..) = pipe.read(&mut piece).await {
        let room = most.saturating_sub(kept.len());
        kept.extend_from_slice(&piece[..n_bytes.min(room)]);
        if ends_full && kept.len() >= most {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_disk_that_does_not_say_where_the_program_is_holds_up_nobody() {
        let helper = |limit| Helper {
            line: CommandLine {
                program: "no-such-program".to_owned(),
                args: Vec::new(),
                // A disk that takes its time.
                env: [("PATH".to_owned(), "/no/such/folder:".repeat(100_000))].into(),
                cwd: std::env::temp_dir(),
            },
            guardian: None,
            input: None,
            most_output: 0,
            ends_full: false,
            limit,
        };
        let (at_once, late) = (Duration::ZERO, Duration::from_secs(60));
        let cancel = CancelFlag::new();
        let unfinished = helper(at_once).run(&cancel).await;
        assert!(matches!(unfinished, Err(Unfinished::TooLong)));
        cancel.cancel();
        let unfinished = helper(late).run(&cancel).await;
        assert!(matches!(unfinished, Err(Unfinished::Cancelled)));
    }
}
