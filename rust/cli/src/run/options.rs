//! Interprets the flags of a run: checked, with absolute paths, ready for the engine.
//!
//! Pure, except for checking whether folders and files exist. Every error says what to do.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use siderail_engine::ErrorMessages;
use siderail_engine::command::SessionOptions;
use siderail_engine::confine::written;
use siderail_engine::settings::{Layer, Mode, Settings};

use siderail_os::System;

use crate::args::{AnswerName, PolicyName, RunArgs, Switch};
use crate::command_line;
use crate::exit::Failure;
use crate::login_line;
use crate::recording::{self, Holds};
use crate::starting::profile_named;

/// A run that can be started.
#[derive(Clone, Debug)]
pub(crate) struct RunOptions {
    /// For the engine.
    pub(crate) session: SessionOptions,
    /// The user's prompt.
    pub(crate) prompt: String,
    /// A plan is wanted first.
    pub(crate) plan: bool,
    /// A conversation of many prompts; the first one may be empty.
    pub(crate) talks: bool,
    /// Print event lines.
    pub(crate) json: bool,
    /// Print the answer alone on standard output.
    pub(crate) quiet: bool,
    /// Show each event of the permission flow by its word.
    pub(crate) verbose: bool,
    /// Who answers what the policy leaves open.
    pub(crate) answers: Answers,
    /// The run's time limit.
    pub(crate) timeout: Option<Duration>,
    /// The command that logs in to the agent.
    pub(crate) login: String,
    /// What was said already of agents files that cannot be used.
    pub(crate) told: Vec<String>,
    /// Errors that the agent reports as messages.
    pub(crate) error_messages: ErrorMessages,
}

/// Who answers questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answers {
    /// The engine, as the session's options say.
    Engine,
    /// The person at the terminal.
    Person,
    /// Nobody is there: everything is denied.
    Nobody,
}

/// What the flags are judged against.
pub(crate) struct Surroundings<'a> {
    /// The current folder.
    pub(crate) cwd: &'a Path,
    /// A person can be asked.
    pub(crate) asks: bool,
    /// A conversation is wanted.
    pub(crate) talks: bool,
    /// Names of the known profiles.
    pub(crate) agents: &'a [String],
    /// The settings in force, flags included.
    pub(crate) settings: &'a Settings,
}

/// What the flags say of settings.
pub(crate) fn flags(args: &RunArgs) -> Layer {
    Layer {
        policy: args.session.policy.map(PolicyName::policy),
        hide: args.session.hide.map(|hide| hide == Switch::On),
        mode: args.session.mode.clone().map(Mode::ForAll),
        consent: (!args.session.consent.is_empty()).then(|| args.session.consent.clone()),
        ..Layer::default()
    }
}

/// Checks and completes what was typed.
///
/// # Errors
/// A usage failure that names the flag.
pub(crate) fn understand(args: RunArgs, around: &Surroundings<'_>) -> Result<RunOptions, Failure> {
    let agent_command = args
        .agent_command
        .as_deref()
        .map(command_words)
        .transpose()?;
    known_agent(&args.agent, agent_command.is_some(), around.agents)?;
    for name in &args.session.consent {
        if *name != args.agent {
            profile_named(name, around.agents)?;
        }
    }
    let command = args.agent_command.as_deref();
    let login = login_line::typed(
        &args.agent,
        command,
        &args.launch.agent_env,
        &args.launch.agents_file,
    );
    let prompt = args.prompt.join(" ");
    if prompt.trim().is_empty() && !around.talks {
        return Err(Failure::usage(
            "the prompt is empty",
            "give the agent's task in quotes",
        ));
    }
    let (answers, answer) = match args.answer {
        AnswerName::Allow => (Answers::Engine, Some(true)),
        AnswerName::Deny => (Answers::Engine, Some(false)),
        AnswerName::Prompt if around.asks => (Answers::Person, None),
        AnswerName::Prompt => (Answers::Nobody, None),
    };
    let trace = args.trace.map(|file| trace_file(&file, around.cwd));
    let further = args
        .add_dir
        .iter()
        .map(|folder| further_folder(folder, around.cwd));
    let session = SessionOptions {
        agent_command,
        agent_env: environment(&args.launch.agent_env)?,
        set: settings_of(&args.session.set)?,
        project: project(args.project.as_deref(), around.cwd)?,
        answer,
        no_login: answers != Answers::Person,
        trace: trace.transpose()?,
        additional_directories: further.collect::<Result<_, _>>()?,
        ..SessionOptions::of(&args.agent, around.settings)
    };
    let timeout = args.timeout.as_deref().map(seconds).transpose()?;
    Ok(RunOptions {
        session,
        prompt,
        plan: args.plan,
        talks: around.talks,
        json: args.json,
        quiet: args.quiet,
        verbose: args.verbose,
        answers,
        timeout,
        login,
        told: Vec::new(),
        error_messages: ErrorMessages::default(),
    })
}

/// The project's folder, absolute and without links.
///
/// # Errors
/// It does not exist or is not a folder.
pub(crate) fn project(typed: Option<&Path>, cwd: &Path) -> Result<PathBuf, Failure> {
    let path = typed.map_or_else(|| cwd.to_owned(), |typed| cwd.join(typed));
    folder(&path, "project", "--project")
}

/// A further folder that the agent may work in, as [`project`].
fn further_folder(typed: &Path, cwd: &Path) -> Result<PathBuf, Failure> {
    folder(&cwd.join(typed), "further", "--add-dir")
}

fn folder(path: &Path, which: &str, flag: &str) -> Result<PathBuf, Failure> {
    let refused = |why: String| {
        let what = format!(
            "the {which} folder {} cannot be used: {why}",
            path.display()
        );
        Failure::usage(what, format!("name an existing folder with {flag}"))
    };
    let canonical = path
        .canonicalize()
        .map_err(|error| refused(error.to_string()))?;
    if !canonical.is_dir() {
        return Err(refused("it is not a folder".to_owned()));
    }
    if canonical.to_str().is_none() {
        // sent in another spelling it would be another folder
        let what = format!(
            "the {which} folder {} cannot be used: its name is not valid UTF-8, which agents need",
            written(&canonical)
        );
        return Err(Failure::usage(
            what,
            "rename the folder, or the one above it that is shown with `\\`",
        ));
    }
    Ok(canonical)
}

/// An agent must be known, unless a command says how to start it.
///
/// # Errors
/// A name that nothing is known of, without a command to start; the known names are in the hint.
pub(crate) fn known_agent(name: &str, has_command: bool, known: &[String]) -> Result<(), Failure> {
    match has_command && !name.is_empty() {
        true => Ok(()),
        false => profile_named(name, known).map_err(|failure| {
            let hint = failure.hint.clone().unwrap_or_default();
            failure.hint(format!(
                "{hint}, or give its command line with --agent-command"
            ))
        }),
    }
}

pub(crate) fn command_words(text: &str) -> Result<Vec<String>, Failure> {
    command_line::split(text, System::HERE).map_err(|error| {
        Failure::usage(
            format!("--agent-command cannot be split into words: {error}"),
            "quote it as in a shell, for example --agent-command \"node 'my agent.js' --acp\"",
        )
    })
}

pub(crate) fn environment(typed: &[String]) -> Result<BTreeMap<String, String>, Failure> {
    let pairs = typed.iter().map(|pair| match pair.split_once('=') {
        Some((name, value)) if !name.is_empty() && !pair.contains('\0') => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => Err(Failure::usage(
            format!("--agent-env `{pair}` is not NAME=VALUE"),
            "for example --agent-env LOG_LEVEL=debug",
        )),
    });
    pairs.collect()
}

/// Options of the agent, by id.
fn settings_of(typed: &[String]) -> Result<BTreeMap<String, String>, Failure> {
    let pairs = typed.iter().map(|pair| match pair.split_once('=') {
        Some((id, value)) if !id.is_empty() => Ok((id.to_owned(), value.to_owned())),
        _ => Err(Failure::usage(
            format!("--set `{pair}` is not OPTION=VALUE"),
            "for example --set model=opus; `siderail doctor AGENT` lists an agent's options",
        )),
    });
    pairs.collect()
}

fn trace_file(typed: &Path, cwd: &Path) -> Result<PathBuf, Failure> {
    let file = cwd.join(typed);
    let folder_exists = file.parent().is_some_and(Path::is_dir);
    if !folder_exists || file.is_dir() {
        return Err(Failure::usage(
            format!("the recording cannot be written to {}", file.display()),
            "name a file in an existing folder with --trace",
        ));
    }
    if recording::holds(&file) == Holds::Other {
        return Err(Failure::usage(
            format!(
                "{} is not a recording, and --trace would overwrite it",
                file.display()
            ),
            "name another file with --trace",
        ));
    }
    Ok(file)
}

fn seconds(text: &str) -> Result<Duration, Failure> {
    let parsed = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0);
    parsed
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| {
            Failure::usage(
                format!("--timeout `{text}` is not a positive number of seconds"),
                "for example --timeout 120",
            )
        })
}

#[cfg(test)]
mod tests;
