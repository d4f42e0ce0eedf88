//! One run: a process, its output file, and who waits for its end.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use siderail_acp::process::{CommandLine, Exit, Grace, Guardian, ProcessTree, Streams};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::watch;
use tokio::time::timeout;

use super::live_output::LiveOutput;
use super::log::{ENDING, LogWriter};
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
    /// Output that is not in the log because there was too much of it or the disk took none, in bytes.
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
        let rest = Rest::default();
        let mut pump = Box::pin(pump(outputs, &mut log, &mut live, &rest));
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
        let drain = match ending {
            Ending::Exited(_) => DRAIN,
            Ending::TimedOut | Ending::Killed | Ending::Lost => DRAIN + GRACE.term,
        };
        let drained = async {
            is_drained = is_drained || timeout(drain, &mut pump).await.is_ok();
        };
        match ending {
            Ending::Exited(_) => {
                drained.await;
                // What is left in the background goes as well.
                drop(tree);
            }
            Ending::TimedOut | Ending::Killed | Ending::Lost => {
                tokio::join!(tree.stop(GRACE), drained);
            }
        }
        // A disk that is slow at this moment must not cost the last lines, which say what went wrong.
        for (flag, limit) in [(&rest.is_there, ENDING), (&rest.is_lost, DRAIN)] {
            if !is_drained {
                flag.cancel();
                is_drained = timeout(limit, &mut pump).await.is_ok();
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

/// What becomes of output that is not read yet when the program has ended.
#[derive(Default)]
struct Rest {
    /// No more of it is waited for; what is in the pipes is still read.
    is_there: CancelFlag,
    /// The disk is not waited for either: what it does not take is counted.
    is_lost: CancelFlag,
}

/// Copies both outputs to the log as they come, and to who looks on.
async fn pump(
    (stdout, stderr): (
        Option<impl AsyncRead + Unpin>,
        Option<impl AsyncRead + Unpin>,
    ),
    log: &mut LogWriter,
    live: &mut LiveOutput,
    rest: &Rest,
) {
    let (mut stdout, mut stderr) = (stdout, stderr);
    let (mut first, mut second) = (vec![0; 32 * 1024], vec![0; 8 * 1024]);
    while stdout.is_some() || stderr.is_some() {
        let either = async {
            tokio::select! {
                n_bytes = read(stdout.as_mut(), &mut first), if stdout.is_some() => {
                    (&first[..n_bytes], true)
                }
                n_bytes = read(stderr.as_mut(), &mut second), if stderr.is_some() => {
                    (&second[..n_bytes], false)
                }
            }
        };
        let (bytes, from_stdout) = tokio::select! {
            biased;
            read = either => read,
            () = rest.is_there.cancelled() => break,
        };
        match (bytes.is_empty(), from_stdout) {
            (true, true) => stdout = None,
            (true, false) => stderr = None,
            (false, _) => {
                live.take(bytes);
                tokio::select! {
                    biased;
                    () = log.write(bytes) => {}
                    () = rest.is_lost.cancelled() => {}
                }
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

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    mod slow_disk {
        use std::fs::File;
        use std::io::{self, Read};
        use std::os::fd::OwnedFd;

        use super::super::*;

        /// More than a log and its disk hold, and no more than what the pipe of a program that has ended holds besides.
        const OUTPUT: usize = 1150 << 10;

        /// A log on a disk that takes what is read from the other end.
        fn on_a_disk() -> (io::PipeReader, LogWriter) {
            let (disk, file) = io::pipe().expect("a pipe");
            let log = LogWriter::new(PathBuf::new(), File::from(OwnedFd::from(file)));
            (disk, log)
        }

        #[tokio::test]
        async fn what_is_printed_last_waits_for_a_disk_that_is_slow() {
            let (mut disk, log) = on_a_disk();
            let command = format!("head -c {OUTPUT} /dev/zero; echo the reason >&2");
            let program = Program {
                prefix: "run",
                command: ProgramCommand::Shell(command.clone()),
                project: std::env::temp_dir(),
                working_dir: std::env::temp_dir(),
                env: Vec::new(),
                timeout: Duration::from_secs(60),
            };
            let line = CommandLine {
                program: "/bin/sh".to_owned(),
                args: ["-c".into(), format!("exec 2>&1; {command}").into()].into(),
                env: std::env::vars().collect(),
                cwd: std::env::temp_dir(),
            };
            let out = (log, LiveOutput::new(None));
            let run = Run::start("run-1".to_owned(), out, program, &line, None).expect("it starts");
            let read = std::thread::spawn(move || {
                std::thread::sleep(DRAIN * 4);
                let mut read = Vec::new();
                disk.read_to_end(&mut read).map(|_| read)
            });
            let nobody = CancelFlag::new();
            let ended = run.wait(Duration::from_secs(60), &nobody).await;
            let ended = ended.expect("nobody cancels it").expect("it ends");
            assert_eq!(ended.dropped, 0);
            let read = read.join().expect("it is read").expect("a pipe");
            assert!(read.ends_with(b"the reason\n"));
            assert_eq!(read.len(), OUTPUT + "the reason\n".len());
        }

        #[tokio::test]
        async fn what_a_disk_that_hangs_does_not_take_is_counted() {
            let (disk, mut log) = on_a_disk();
            let output = vec![b'x'; 2 * OUTPUT];
            let rest = Rest::default();
            rest.is_there.cancel();
            rest.is_lost.cancel();
            let outputs = (Some(&output[..]), None::<&[u8]>);
            let mut live = LiveOutput::new(None);
            let pumped = pump(outputs, &mut log, &mut live, &rest);
            timeout(DRAIN, pumped).await.expect("it waits for no disk");
            drop(disk);
            assert!(log.finish().await > OUTPUT as u64);
        }
    }
}
