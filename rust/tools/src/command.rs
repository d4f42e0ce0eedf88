//! Runs commands: `run_command`, and for a host the programs behind its own tools.
//!
//! A command has no input, its output goes to a file in the runtime folder, and nothing it started outlives it. A call
//! waits for a while; a command that takes longer continues as a run with an id, which later calls wait for or read
//! pages of. Whether a command may run is decided elsewhere. A client that has terminals of its own runs it in one of
//! them ([`terminal`]).

mod answer;
mod live_output;
mod log;
mod program;
mod run;
mod runs;
mod terminal;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use serde_json::Value;
use siderail_acp::process::{CommandLine, Guardian, resolve};
use siderail_os::System;
use siderail_os::private;

use super::disk::on_disk;
use siderail_guard::Tool::RunCommand;
use siderail_workspace::cancel::CancelFlag;
use siderail_workspace::failure::cancelled;
use siderail_workspace::outcome::{ToolErrorCode, ToolFailure, ToolOutcome};
use siderail_workspace::{Place, Project};

pub use answer::MOST_WAIT;
pub use live_output::ShowsOutput;
pub use log::{LogPage, PAGE};
pub use program::{Program, ProgramCommand};
pub use run::{Ended, Ending, Run};
pub use terminal::ClientTerminals;

pub(super) use log::plain;
#[cfg(test)]
pub(super) use runs::MOST_RUNNING;
use runs::{Runs, Starting};
use terminal::{NoTerminal, Terminal};

/// How the ids of commands begin.
const COMMAND: &str = "run";

/// Starts commands and remembers their runs. Dropping it ends them.
pub struct CommandRunner {
    folder: PathBuf,
    guardian: Option<Guardian>,
    env: BTreeMap<String, String>,
    /// Where `run_command` runs in place of processes of ours.
    terminals: Option<Arc<dyn ClientTerminals>>,
    /// Those did not say whether a command runs: from then on none is asked for.
    is_silent: AtomicBool,
    runs: Arc<Mutex<Runs>>,
    /// Who looks on while `run_command` prints.
    shows: OnceLock<Arc<ShowsOutput>>,
}

impl CommandRunner {
    /// A runner that keeps output below `folder` and starts programs with exactly `env` and a few
    /// variables that stop them from asking or paging.
    pub fn new(folder: PathBuf, guardian: Option<Guardian>, env: BTreeMap<String, String>) -> Self {
        Self {
            folder,
            guardian,
            env: quiet(env),
            terminals: None,
            is_silent: AtomicBool::new(false),
            runs: Arc::default(),
            shows: OnceLock::new(),
        }
    }

    /// From now on what commands of `run_command` print is shown as it comes, too.
    pub fn show_output(&self, shows: Arc<ShowsOutput>) {
        // the first one stays
        let _ = self.shows.set(shows);
    }

    /// The same, whose `run_command` uses these terminals where they can be had.
    #[must_use]
    pub fn with_terminals(mut self, terminals: Option<Arc<dyn ClientTerminals>>) -> Self {
        self.terminals = terminals;
        self
    }

    /// Performs a `run_command` call. Needs a running tokio runtime. Cancelling ends the command.
    pub async fn run(
        self: &Arc<Self>,
        project: impl Into<Project<'_>>,
        arguments: &Value,
        cancel: CancelFlag,
    ) -> Result<ToolOutcome, ToolFailure> {
        let project = project.into();
        let wanted = answer::Wanted::new(arguments)?;
        let run = match &wanted.of {
            answer::Of::Command(command) => {
                let program = Program {
                    prefix: COMMAND,
                    command: ProgramCommand::Shell(command.clone()),
                    project: project.folder.to_owned(),
                    working_dir: working_dir(project, wanted.working_dir.clone()).await?,
                    env: Vec::new(),
                    timeout: wanted.timeout,
                };
                let starting = Runs::begin(&self.runs)?;
                let terminal = self.terminal(command, &program).await?;
                self.start_either(terminal, program, starting, &cancel)
                    .await?
            }
            answer::Of::Run(id) => self.find(project.folder, id)?,
        };
        if let Some(page) = wanted.page {
            return on_disk(move || answer::page(&run, page)).await;
        }
        run.wait(wanted.wait, &cancel).await?;
        on_disk(move || answer::whole(&run)).await
    }

    /// Starts a program. Needs a running tokio runtime.
    pub async fn start(
        self: &Arc<Self>,
        program: Program,
        cancel: &CancelFlag,
    ) -> Result<Arc<Run>, ToolFailure> {
        let starting = Runs::begin(&self.runs)?;
        self.start_either(None, program, starting, cancel).await
    }

    /// In a terminal where there is one, else here.
    async fn start_either(
        self: &Arc<Self>,
        terminal: Option<Terminal>,
        program: Program,
        starting: Starting,
        cancel: &CancelFlag,
    ) -> Result<Arc<Run>, ToolFailure> {
        let (runner, cancel) = (Arc::clone(self), cancel.clone());
        on_disk(move || match terminal {
            Some(terminal) => runner.start_in(terminal, program, starting),
            None => runner.start_here(program, starting, &cancel),
        })
        .await
    }

    fn start_here(
        &self,
        program: Program,
        starting: Starting,
        cancel: &CancelFlag,
    ) -> Result<Arc<Run>, ToolFailure> {
        let line = self.line(&program)?;
        let (id, log) = self.new_log(program.prefix)?;
        // The client may have been asked before, and a disk may have given no answer for long.
        if cancel.is_cancelled() || starting.is_unwanted() {
            return Err(cancelled());
        }
        let shows = self.shows.get().filter(|_| program.prefix == COMMAND);
        let live = live_output::LiveOutput::new(shows.cloned());
        let run = Run::start(id, (log, live), program, &line, self.guardian.as_ref())?;
        starting.add(&run);
        Ok(run)
    }

    /// A terminal of the client's in which the command has begun; none: it is to run here.
    async fn terminal(
        self: &Arc<Self>,
        command: &str,
        program: &Program,
    ) -> Result<Option<Terminal>, ToolFailure> {
        // Words of a program are no way to give Windows' cmd its line as it is.
        let is_cmd = System::HERE.is_windows();
        let Some(client) = self.terminals.as_ref().filter(|_| !is_cmd) else {
            return Ok(None);
        };
        if self.is_silent.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let (runner, folder) = (Arc::clone(self), program.working_dir.clone());
        let shell = on_disk(move || Ok(runner.shell(&folder))).await?;
        let env = quiet(BTreeMap::new());
        match Terminal::open(client, (shell, command), &env, &program.working_dir).await {
            Ok(terminal) => Ok(Some(terminal)),
            Err(NoTerminal::Refused) => Ok(None),
            Err(NoTerminal::Unknown) => {
                self.is_silent.store(true, Ordering::Relaxed);
                Err(ToolFailure::new(
                    ToolErrorCode::Timeout,
                    format!(
                        "the person's client did not say whether it started the command in its terminal, so the command \
                     may have run there in part or in whole, and was not run again; the client is asked to end it. \
                     Look at what it has changed before you call {RunCommand} again: from now on commands run \
                     without the client's terminal"
                    ),
                ))
            }
        }
    }

    fn start_in(
        &self,
        terminal: Terminal,
        program: Program,
        starting: Starting,
    ) -> Result<Arc<Run>, ToolFailure> {
        let (id, log) = match self.new_log(program.prefix) {
            Ok(made) => made,
            Err(failure) => {
                tokio::spawn(terminal.give_up());
                return Err(failure);
            }
        };
        let run = Run::in_terminal(id, log, program, terminal);
        starting.add(&run);
        Ok(run)
    }

    /// A run of a project, by its id.
    pub fn find(&self, project: &Path, id: &str) -> Result<Arc<Run>, ToolFailure> {
        self.runs.lock().find(project, id)
    }

    /// The latest run of a project whose id begins with `prefix`.
    pub fn latest(&self, project: &Path, prefix: &str) -> Option<Arc<Run>> {
        self.runs.lock().latest(project, prefix)
    }

    /// Ends all runs, and those that have their place and are being started; a call that still looks for its folder has
    /// its cancel flag. Waits for no disk.
    pub fn kill_all(&self) {
        self.runs.lock().kill_all();
    }

    fn line(&self, program: &Program) -> Result<CommandLine, ToolFailure> {
        let mut env = self.env.clone();
        env.extend(program.env.iter().cloned());
        let line = |command: &[String]| {
            let (program_name, args) = command.split_first()?;
            Some(CommandLine {
                program: program_name.clone(),
                args: args.iter().map(Into::into).collect(),
                env: env.clone(),
                cwd: program.working_dir.clone(),
            })
        };
        let command = match &program.command {
            ProgramCommand::Plain(command) => command.clone(),
            ProgramCommand::Shell(command) if System::HERE.is_windows() => {
                ["cmd.exe", "/d", "/s", "/c", command]
                    .map(str::to_owned)
                    .into()
            }
            ProgramCommand::Shell(command) => {
                let shell = self.shell(&program.working_dir);
                [shell, "-c", command].map(str::to_owned).into()
            }
        };
        let not_started = |why: String| {
            ToolFailure::new(ToolErrorCode::NotApplicable, format!("not started: {why}"))
        };
        let mut line = line(&command).ok_or_else(|| not_started("no program".to_owned()))?;
        let program = resolve(&line).map_err(|error| not_started(error.to_string()))?;
        if !System::HERE.is_windows() {
            // One pipe for both outputs keeps their order, which two pipes would lose.
            let words = ["-c", "exec \"$@\" 2>&1", "sh"].map(Into::into);
            let args = std::mem::take(&mut line.args);
            line.args = words
                .into_iter()
                .chain([program.into_os_string()])
                .chain(args)
                .collect();
            line.program = "/bin/sh".to_owned();
        }
        Ok(line)
    }

    /// The shell for command lines, on systems that have one of these.
    fn shell(&self, folder: &Path) -> &'static str {
        let bash = CommandLine {
            program: "bash".to_owned(),
            args: Vec::new(),
            env: self.env.clone(),
            cwd: folder.to_owned(),
        };
        if resolve(&bash).is_ok() { "bash" } else { "sh" }
    }

    /// An id that nobody else uses in this folder, and the file for the output.
    fn new_log(&self, prefix: &str) -> Result<(String, log::LogWriter), ToolFailure> {
        let not_made = |error: io::Error| {
            ToolFailure::new(
                ToolErrorCode::IoError,
                format!(
                    "no file for the output can be made in {}: {error}",
                    self.folder.display()
                ),
            )
        };
        make_private(&self.folder).map_err(not_made)?;
        loop {
            let id = format!("{prefix}-{}", self.runs.lock().number());
            match log::LogWriter::create(self.folder.join(format!("{id}.log"))) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(not_made(error)),
                Ok(log) => return Ok((id, log)),
            }
        }
    }
}

impl Drop for CommandRunner {
    fn drop(&mut self) {
        self.kill_all();
    }
}

/// The environment of programs that nobody watches: no pager, no question for a password, no colours,
/// and nothing that would let them speak in our name.
fn quiet(mut env: BTreeMap<String, String>) -> BTreeMap<String, String> {
    env.retain(|name, _| {
        !matches!(
            name.as_str(),
            "SIDERAIL_SOCKET" | "SIDERAIL_TOKEN" | "SIDERAIL_TOKEN_FILE"
        )
    });
    for (name, value) in [
        ("PAGER", "cat"),
        ("GIT_PAGER", "cat"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("TERM", "dumb"),
    ] {
        env.insert(name.to_owned(), value.to_owned());
    }
    env
}

async fn working_dir(project: Project<'_>, given: Option<String>) -> Result<PathBuf, ToolFailure> {
    let (folder, roots) = (project.folder.to_owned(), project.roots.to_vec());
    on_disk(move || {
        let place = Place::new(Project {
            folder: &folder,
            roots: &roots,
        })?;
        let Some(given) = given else {
            return Ok(place.root().to_owned());
        };
        let confined = place.existing(&given)?;
        if confined.absolute.is_dir() {
            Ok(confined.absolute)
        } else {
            Err(ToolFailure::new(
                ToolErrorCode::InvalidParam,
                format!("working_dir {} is not a folder", confined.relative),
            ))
        }
    })
    .await
}

fn make_private(folder: &Path) -> io::Result<()> {
    private::folder().recursive(true).create(folder)
}
