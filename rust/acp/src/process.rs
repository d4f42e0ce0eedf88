//! Starts a program and leaves nothing of it behind.
//!
//! A program runs in a process group of its own (on Windows a job object), with exactly the environment it is given,
//! and is ended step by step: end of input, a grace, TERM to the group, a grace, KILL. What leaves the group (a daemon
//! in a session of its own) only a [`Guardian`] can find. Knows nothing of ACP; agents, commands and test runs are all
//! started here.
//!
//! `command_line` is what is run and `exit` how it ended, `resolve` finds the program, `stderr` keeps the end of its
//! error output, `login` asks the login shell for an environment, `tree` is what differs between operating systems.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

pub use command_line::CommandLine;
pub use exit::Exit;
pub use login::login_environment;
pub use resolve::{SpawnError, resolve};
pub use stderr::StderrTail;

mod command_line;
mod exit;
mod login;
mod resolve;
mod stderr;
mod tree;

use tree::Tree;

/// How long a killed process may take to disappear before it is given up (a disk that hangs, a debugger).
const KILL_LIMIT: Duration = Duration::from_secs(5);

/// Program and arguments that run the rest of the command line as their child, and end the child's whole tree when
/// they get TERM or when the process that started them is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guardian(pub Vec<String>);

/// What the program's three streams are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streams {
    /// All three are pipes: agents.
    Piped,
    /// No input, output in pipes: commands.
    OutputOnly,
    /// The caller's own: logins in the user's terminal.
    Inherited,
}

/// The two waits between these steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grace {
    /// From the end of input to TERM.
    pub eof: Duration,
    /// From TERM to KILL.
    pub term: Duration,
}

impl Default for Grace {
    /// One and two seconds: agents that heed the end of input at all need less than one.
    fn default() -> Self {
        Self {
            eof: Duration::from_secs(1),
            term: Duration::from_secs(2),
        }
    }
}

/// A running program with everything it started. Dropping it kills them.
#[derive(Debug)]
pub struct ProcessTree {
    /// Input of the program, until taken. Dropping the taken pipe is what the program sees as end of input.
    pub stdin: Option<ChildStdin>,
    /// Output of the program, until taken.
    pub stdout: Option<ChildStdout>,
    /// Error output of the program, until taken.
    pub stderr: Option<ChildStderr>,
    child: Child,
    pid: u32,
    tree: Tree,
    guarded: bool,
    exit: Option<Exit>,
    /// Whether there may be somebody left to kill.
    alive: bool,
}

impl ProcessTree {
    /// Starts a program, behind the guardian where one is given. Needs a running tokio runtime.
    ///
    /// # Errors
    /// [`SpawnError`], which says what is missing and what to do about it.
    pub fn spawn(
        line: &CommandLine,
        guardian: Option<&Guardian>,
        streams: Streams,
    ) -> Result<Self, SpawnError> {
        Self::spawn_resolved(&resolve(line)?, line, guardian, streams)
    }

    /// Starts a program as [`Self::spawn`] does, on a thread that may wait for the disk: the program is looked for in its
    /// folder and on PATH. Needs a running tokio runtime.
    ///
    /// # Errors
    /// [`SpawnError`], which says what is missing and what to do about it.
    pub async fn start(
        line: CommandLine,
        guardian: Option<Guardian>,
        streams: Streams,
    ) -> Result<Self, SpawnError> {
        let path = PathBuf::from(&line.program);
        let start = move || Self::spawn(&line, guardian.as_ref(), streams);
        let started = tokio::task::spawn_blocking(start).await;
        started.unwrap_or_else(|broken| Err(SpawnError::failed(&path, io::Error::other(broken))))
    }

    /// Starts a program that [`resolve`] has found for this line. Needs a running tokio runtime.
    ///
    /// # Errors
    /// [`SpawnError`], which says what to do about it.
    pub fn spawn_resolved(
        program: &Path,
        line: &CommandLine,
        guardian: Option<&Guardian>,
        streams: Streams,
    ) -> Result<Self, SpawnError> {
        let guardian = guardian.and_then(|guardian| guardian.0.split_first());
        let mut command = match guardian {
            Some((first, rest)) => {
                let mut command = Command::new(first);
                command.args(rest).arg(program);
                command
            }
            None => Command::new(program),
        };
        let (input, output) = match streams {
            Streams::Piped => (Stdio::piped(), Stdio::piped as fn() -> Stdio),
            Streams::OutputOnly => (Stdio::null(), Stdio::piped as fn() -> Stdio),
            Streams::Inherited => (Stdio::inherit(), Stdio::inherit as fn() -> Stdio),
        };
        command
            .args(&line.args)
            .env_clear()
            .envs(&line.env)
            .current_dir(&line.cwd)
            .stdin(input)
            .stdout(output())
            .stderr(output());
        let is_own = streams != Streams::Inherited;
        tree::prepare(&mut command, is_own);
        let failed = |failure| {
            let started = guardian.map_or(program, |(first, _)| Path::new(first));
            SpawnError::failed(started, failure)
        };
        let mut child = command.spawn().map_err(failed)?;
        let tree = match Tree::hold(&child, is_own) {
            Ok(tree) => tree,
            Err(failure) => {
                let _gone = child.start_kill();
                return Err(failed(failure));
            }
        };
        let pid = child
            .id()
            .expect("a process that was not waited for has an id");
        Ok(Self {
            stdin: child.stdin.take(),
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            child,
            pid,
            tree,
            guarded: guardian.is_some(),
            exit: None,
            alive: true,
        })
    }

    /// Id of the process (with a guardian, of the guardian).
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Whether a guardian is between this process and the program.
    pub fn is_guarded(&self) -> bool {
        self.guarded
    }

    /// Waits until the program has ended. May be called again, and given up and called again.
    pub async fn wait(&mut self) -> Exit {
        if let Some(exit) = self.exit {
            return exit;
        }
        let exit = match self.child.wait().await {
            Ok(status) => tree::exit_of(status),
            Err(_) => Exit::default(),
        };
        // The group's id cannot be given to others while somebody is in it. When nobody is, it must not be used again.
        self.alive = self.tree.is_left();
        self.exit = Some(exit);
        exit
    }

    /// Kills everything at once and does not wait.
    pub fn kill_now(&self) {
        if self.alive {
            if self.guarded && self.exit.is_none() {
                // The guardian alone knows which processes left the group; killed, it could not say.
                self.tree.terminate();
            } else {
                self.tree.kill();
            }
        }
    }

    /// Ends the program step by step and returns once it is gone. The caller has to drop its input first, or the
    /// program does not see an end of it. What is left of the group when the program itself is gone is killed.
    pub async fn stop(mut self, grace: Grace) -> Exit {
        self.stdin = None;
        if let Ok(exit) = timeout(grace.eof, self.wait()).await {
            return exit;
        }
        self.tree.terminate();
        if let Ok(exit) = timeout(grace.term, self.wait()).await {
            return exit;
        }
        self.tree.kill();
        timeout(KILL_LIMIT, self.wait()).await.unwrap_or_default()
    }
}

impl Drop for ProcessTree {
    /// Also after [`ProcessTree::stop`], for what is left of the group.
    fn drop(&mut self) {
        self.kill_now();
    }
}
