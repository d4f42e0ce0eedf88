//! One run: a process, its output file, and who waits for its end.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use siderail_acp::process::{CommandLine, Exit, Grace, Guardian, ProcessTree, Streams};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::watch;
use tokio::time::timeout;

use super::live_output::LiveOutput;
use super::log::LogWriter;
use super::program::{Program, ProgramCommand};
use super::terminal::{Look, Terminal};
use siderail_workspace::cancel::CancelFlag;
use siderail_workspace::outcome::{ToolErrorCode, ToolFailure};

/// What a program left running in the background may hold the pipe open for.
const DRAIN: Duration = Duration::from_millis(500);
/// How often a terminal's output is looked at.
const LOOK: Duration = Duration::from_millis(500);
/// What a program gets to end politely.
const GRACE: Grace = Grace {
    eof: Duration::ZERO,
    term: Duration::from_secs(1),
};

/// A started program.
#[derive(Debug)]
pub struct Run {
    id: String,
    program: Program,
    log: PathBuf,
    started: Instant,
    ended: watch::Sender<Option<Ended>>,
    kill: CancelFlag,
}

/// How a run has ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ended {
    /// Why.
    pub ending: Ending,
    /// From start to end.
    pub took: Duration,
    /// Output that is not in the log because there was too much of it, in bytes.
    pub dropped: u64,
}

/// Why a run has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By itself.
    Exited(Exit),
    /// It took too long.
    TimedOut,
    /// Nobody wanted it any more.
    Killed,
    /// The client in whose terminal it ran does not say any more what becomes of it, and was asked to end it.
    Lost,
}

impl Run {
    pub(super) fn start(
        id: String,
        (log, live): (LogWriter, LiveOutput),
        program: Program,
        line: &CommandLine,
        guardian: Option<&Guardian>,
    ) -> Result<Arc<Self>, ToolFailure> {
        let tree = ProcessTree::spawn(line, guardian, Streams::OutputOnly).map_err(|error| {
            ToolFailure::new(
                ToolErrorCode::NotApplicable,
                format!("the command was not started: {error}"),
            )
        })?;
        let run = Arc::new(Self::new(id, &log, program));
        tokio::spawn(Arc::clone(&run).supervise(tree, log, live));
        Ok(run)
    }

    /// A run in a terminal of the client's.
    pub(super) fn in_terminal(
        id: String,
        log: LogWriter,
        program: Program,
        terminal: Terminal,
    ) -> Arc<Self> {
        let run = Arc::new(Self::new(id, &log, program));
        tokio::spawn(Arc::clone(&run).follow(terminal, log));
        run
    }

    fn new(id: String, log: &LogWriter, program: Program) -> Self {
        Self {
            id,
            log: log.path().to_owned(),
            started: Instant::now(),
            ended: watch::Sender::new(None),
            kill: CancelFlag::new(),
            program,
        }
    }

    /// Names the run in later calls.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The project it belongs to.
    pub fn project(&self) -> &Path {
        &self.program.project
    }

    /// What it runs, in one line.
    pub fn command(&self) -> String {
        match &self.program.command {
            ProgramCommand::Shell(command) => command.clone(),
            ProgramCommand::Plain(command) => command.join(" "),
        }
    }

    /// The file with its output so far, raw.
    pub fn log(&self) -> &Path {
        &self.log
    }

    /// How it has ended, if it has.
    pub fn ended(&self) -> Option<Ended> {
        *self.ended.borrow()
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Waits for the end, at most for `limit`. When `cancel` is set the run is ended.
    pub async fn wait(
        &self,
        limit: Duration,
        cancel: &CancelFlag,
    ) -> Result<Option<Ended>, ToolFailure> {
        let mut ended = self.ended.subscribe();
        let is_cancelled = tokio::select! {
            // The sender lives in `self`, so that this cannot fail.
            _ = ended.wait_for(Option::is_some) => false,
            () = tokio::time::sleep(limit) => false,
            () = cancel.cancelled() => true,
        };
        if is_cancelled {
            self.kill();
            let _ = ended.wait_for(Option::is_some).await;
            return Err(ToolFailure::new(
                ToolErrorCode::Cancelled,
                "the call was cancelled and the command ended".to_owned(),
            ));
        }
        Ok(self.ended())
    }

    /// Ends the program and all it started.
    pub fn kill(&self) {
        self.kill.cancel();
    }

    async fn supervise(
        self: Arc<Self>,
        mut tree: ProcessTree,
        mut log: LogWriter,
        mut live: LiveOutput,
    ) {
        let outputs = (tree.stdout.take(), tree.stderr.take());
        let mut pump = Box::pin(pump(outputs, &mut log, &mut live));
        let mut is_drained = false;
        let deadline = tokio::time::sleep(self.program.timeout);
        tokio::pin!(deadline);
        let ending = loop {
            tokio::select! {
                exit = tree.wait() => break Ending::Exited(exit),
                () = &mut deadline => break Ending::TimedOut,
                () = self.kill.cancelled() => break Ending::Killed,
                () = &mut pump, if !is_drained => is_drained = true,
            }
        };
        let rest = async {
            if !is_drained {
                let _ = timeout(DRAIN + GRACE.term, &mut pump).await;
            }
        };
        match ending {
            Ending::Exited(_) => {
                let _ = timeout(DRAIN, rest).await;
                // What is left in the background goes as well.
                drop(tree);
            }
            Ending::TimedOut | Ending::Killed | Ending::Lost => {
                tokio::join!(tree.stop(GRACE), rest);
            }
        }
        drop(pump);
        self.over(ending, log).await;
    }

    /// Follows what happens in a terminal, and looks at its output meanwhile, so that there is something to be read.
    async fn follow(self: Arc<Self>, mut terminal: Terminal, mut log: LogWriter) {
        let ending = tokio::select! {
            ending = ending_in(&mut terminal, &mut log) => ending,
            () = tokio::time::sleep(self.program.timeout) => Ending::TimedOut,
            () = self.kill.cancelled() => Ending::Killed,
        };
        if !matches!(ending, Ending::Exited(_)) {
            terminal.kill().await;
        }
        // Only what is in the terminal now is all of its output.
        let ending = match (ending, terminal.read(&mut log).await) {
            // A client that does not say at once how a command ended may show it.
            (
                Ending::Exited(Exit {
                    code: None,
                    signal: None,
                }),
                Look::Ended(exit),
            ) => Ending::Exited(exit),
            (ending, _) => ending,
        };
        self.over(ending, log).await;
        let exit = match ending {
            Ending::Exited(exit) => Some(exit),
            Ending::TimedOut | Ending::Killed | Ending::Lost => None,
        };
        terminal.release(exit).await;
    }

    async fn over(&self, ending: Ending, log: LogWriter) {
        let took = self.started.elapsed();
        let dropped = log.finish().await;
        self.ended.send_replace(Some(Ended {
            ending,
            took,
            dropped,
        }));
    }
}

/// How a command in a terminal ends. A client that does not wait for that may still show it beside the output.
async fn ending_in(terminal: &mut Terminal, log: &mut LogWriter) -> Ending {
    let mut end = Box::pin(terminal.end());
    let mut is_waited_for = true;
    loop {
        tokio::select! {
            exit = &mut end, if is_waited_for => match exit {
                Some(exit) => return Ending::Exited(exit),
                None => is_waited_for = false,
            },
            () = tokio::time::sleep(LOOK) => match terminal.read(log).await {
                Look::Ended(exit) => return Ending::Exited(exit),
                Look::Unknown if !is_waited_for => return Ending::Lost,
                Look::Running | Look::Unknown => {}
            },
        }
    }
}

/// Copies both outputs to the log as they come, and to who looks on.
async fn pump(
    (stdout, stderr): (
        Option<impl AsyncRead + Unpin>,
        Option<impl AsyncRead + Unpin>,
    ),
    log: &mut LogWriter,
    live: &mut LiveOutput,
) {
    let (mut stdout, mut stderr) = (stdout, stderr);
    let (mut first, mut second) = (vec![0; 32 * 1024], vec![0; 8 * 1024]);
    while stdout.is_some() || stderr.is_some() {
        let (bytes, from_stdout) = tokio::select! {
            n_bytes = read(stdout.as_mut(), &mut first), if stdout.is_some() => {
                (&first[..n_bytes], true)
            }
            n_bytes = read(stderr.as_mut(), &mut second), if stderr.is_some() => {
                (&second[..n_bytes], false)
            }
        };
        match (bytes.is_empty(), from_stdout) {
            (true, true) => stdout = None,
            (true, false) => stderr = None,
            (false, _) => {
                live.take(bytes);
                log.write(bytes).await;
            }
        }
    }
}

async fn read(pipe: Option<&mut (impl AsyncRead + Unpin)>, buffer: &mut [u8]) -> usize {
    match pipe {
        Some(pipe) => pipe.read(buffer).await.unwrap_or(0),
        None => 0,
    }
}
