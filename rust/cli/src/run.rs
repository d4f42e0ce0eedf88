//! `siderail run`: one user prompt to one agent, seen through to its end.
//!
//! From what was typed to an exit code: `options` says what the flags mean, `event_loop` shows and asks,
//! `run_state` decides what to do next. The engine does all else.

mod agent_settings;
mod attention;
pub(crate) mod chat_input;
mod chat_texts;
mod completion;
pub(crate) mod default_agent;
mod error_answer;
mod event_loop;
pub(crate) mod events;
pub(crate) mod fallback_summary;
pub(crate) mod host_link;
mod input_history;
mod interview;
mod last_answer;
mod line_editor;
mod line_rows;
mod login_question;
mod model_question;
pub(crate) mod options;
mod paste;
mod person;
mod plan_question;
pub(crate) mod resume_choice;
pub(crate) mod run_state;
mod step;
mod typing;
mod unanswered;

use std::sync::Arc;
use std::time::Duration;

use siderail_engine::command::Command;
use siderail_engine::history::Archive;
use siderail_engine::{EngineConfig, EngineHandle, ProfileInfo};
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

use crate::args::{ChatArgs, RunArgs};
use crate::exit::{Exit, Failure};
use crate::host::{FsSetup, NobodyToAsk, OPEN_QUESTIONS, Questioner};
use crate::packages;
use crate::recording::{self, Holds};
use crate::settings_files;
use crate::setup::Setup;
use crate::signals::Signals;
use crate::starting::{self, announce_import, beside, no_signals, not_started, runtime};
use crate::style::one_line;
use crate::terminal::print_error;
use event_loop::{EventLoop, Inlets};
use host_link::LinkedHost;
use input_history::InputHistory;
use options::{Answers, RunOptions, Surroundings, understand};
use person::Person;
use step::SESSION;

/// Characters of a file's name.
const NAME: usize = 400;
/// Time for the engine to end after the session has.
const SHUTDOWN: Duration = Duration::from_secs(2);

/// Runs the command.
pub(crate) fn run(mut args: RunArgs, setup: &Setup) -> Result<Exit, Failure> {
    prompt_of_input(&mut args.prompt)?;
    begin(args, setup, None)
}

/// Runs a conversation, new or an earlier one.
pub(crate) fn chat(args: ChatArgs, setup: &Setup) -> Result<Exit, Failure> {
    let mut run = args.run;
    let newest = args.newest.then(String::new);
    let resume = match args.resume.or(newest) {
        None => None,
        Some(which) => {
            let project = options::project(run.project.as_deref(), &setup.cwd)?;
            let archive = Archive::of_project(&setup.state_folder()?, &project);
            let asks = setup.manners.asks && !run.json && !args.newest;
            let found = resume_choice::find(&archive, &which, asks)?;
            if run.agent.is_empty() {
                run.agent = found.head.agent;
            }
            Some(found.head.id)
        }
    };
    begin(run, setup, Some(resume))
}

/// Runs a session with what was typed; `talk`: a conversation instead of a single prompt, and which one it resumes.
fn begin(mut args: RunArgs, setup: &Setup, talk: Option<Option<String>>) -> Result<Exit, Failure> {
    let agents_files = setup.agents_files(&args.launch.agents_file)?;
    let project = options::project(args.project.as_deref(), &setup.cwd)?;
    let resolved = setup.settings(Some(&project), options::flags(&args));
    // the run's own folder is made when the words are known to make sense
    let config = setup.engine(&setup.cwd, agents_files, &resolved.settings)?;
    let known = starting::profiles(&config);
    let profiles = &known.profiles;
    let agents: Vec<String> = profiles
        .iter()
        .map(|profile| profile.name.clone())
        .collect();
    if args.agent.is_empty() {
        args.agent = default_agent::choose(&resolved.settings, profiles, setup.manners)?;
    }
    if !agents.contains(&args.agent) && args.agent_command.is_none() {
        announce_import(&known);
    }
    let around = Surroundings {
        cwd: &setup.cwd,
        asks: setup.manners.asks,
        talks: talk.is_some(),
        agents: &agents,
        settings: &resolved.settings,
    };
    let mut options = understand(args, &around)?;
    options.session.resume = talk.flatten();
    options.told.clone_from(&known.problems);
    let mut known_profiles = profiles.iter();
    if !options.talks
        && let Some(profile) = known_profiles.find(|profile| profile.name == options.session.agent)
    {
        options.error_messages = profile.error_messages.clone();
    }
    if let Err(failure) = use_package(&mut options, profiles, &config, setup) {
        return Ok(never_started(&options, &failure, setup));
    }
    announce_trace(&options);
    settings_files::announce(&resolved);
    settings_files::announce_names(&resolved.settings, &agents, &options.session.agent);
    settings_files::announce_memory(&config.state_dir, &project);
    perform(&options, config, setup)
}

/// Puts the text of standard input in the place of `-`, or takes it for the whole prompt where none was typed.
fn prompt_of_input(prompt: &mut Vec<String>) -> Result<(), Failure> {
    use std::io::{IsTerminal, Read};
    let mut input = std::io::stdin();
    if prompt.is_empty() && !input.is_terminal() {
        prompt.push("-".to_owned());
    }
    let Some(place) = prompt.iter_mut().find(|word| *word == "-") else {
        return Ok(());
    };
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes).map_err(|error| {
        let what = format!("standard input cannot be read: {error}");
        Failure::usage(what, "give the prompt in quotes")
    })?;
    *place = String::from_utf8_lossy(&bytes).trim_end().to_owned();
    Ok(())
}

/// Says that a recording of an earlier run goes.
fn announce_trace(options: &RunOptions) {
    let file = options.session.trace.as_deref();
    if let Some(file) = file.filter(|file| recording::holds(file) == Holds::Recording) {
        let file = one_line(&file.to_string_lossy(), NAME);
        print_error(&format!(
            "note: this run replaces the earlier recording in {file}\n"
        ));
    }
}

/// An agent that is not installed is run out of its package, where a person agreed.
pub(crate) fn use_package(
    options: &mut RunOptions,
    profiles: &[ProfileInfo],
    config: &EngineConfig,
    setup: &Setup,
) -> Result<(), Failure> {
    let session = &mut options.session;
    let mut known = profiles.iter();
    if session.agent_command.is_none()
        && let Some(agent) = known.find(|profile| profile.name == session.agent)
    {
        let asks = options.answers == Answers::Person && setup.manners.asks;
        session.agent_command = packages::stand_in(agent, config, asks)?;
    }
    Ok(())
}

/// Also a run that never started ends with its summary.
fn never_started(options: &RunOptions, failure: &Failure, setup: &Setup) -> Exit {
    let mut event_loop = EventLoop::new(options, setup.manners);
    event_loop.report(failure);
    event_loop.finish()
}

/// Performs a run.
pub(crate) fn perform(
    options: &RunOptions,
    mut config: EngineConfig,
    setup: &Setup,
) -> Result<Exit, Failure> {
    let mut event_loop = EventLoop::new(options, setup.manners);
    if options.talks && setup.manners.asks {
        let project = &options.session.project;
        let keeps = options.session.settings.history;
        let file = keeps.then(|| Archive::of_project(&config.state_dir, project).typed_lines());
        let typed_lines = InputHistory::new(file);
        event_loop = event_loop.remembering(typed_lines, project, setup.editor());
    }
    if options.session.settings.bell {
        let kitty = setup.var("TERM").filter(|name| name.contains("kitty"));
        event_loop = event_loop.ringing(setup.var("TERM_PROGRAM").or(kitty.map(|_| "kitty")));
    }
    let prepared = setup
        .run_folder()
        .and_then(|folder| Ok((folder, runtime()?, beside()?)));
    let (folder, runtime, beside) = match prepared {
        Ok(prepared) => prepared,
        Err(failure) => {
            event_loop.report(&failure);
            return Ok(event_loop.finish());
        }
    };
    config.runtime_dir = folder.path().to_owned();
    tracing::debug!(folder = %folder.path().display(), "the engine is started");
    beside.block_on(async {
        match start(options, config, setup, &runtime) {
            Ok((engine, inlets)) => {
                event_loop.attend(engine.clone(), inlets).await;
                // the session is over: what is left of the engine gets a moment to put things away
                if engine.send(Command::Shutdown).is_ok() {
                    let _ = tokio::time::timeout(SHUTDOWN, engine.closed()).await;
                }
            }
            Err(failure) => event_loop.report(&failure),
        }
    });
    let exit = event_loop.finish();
    runtime.shutdown_background();
    beside.shutdown_background();
    drop(folder);
    Ok(exit)
}

/// Pieces of what commands print that wait to be shown.
const PIECES: usize = 64;

fn start(
    options: &RunOptions,
    config: EngineConfig,
    setup: &Setup,
    runtime: &Runtime,
) -> Result<(EngineHandle, Inlets), Failure> {
    let (events_in, events) = events::channel(std::env::temp_dir());
    let (askings_in, askings) = mpsc::channel(OPEN_QUESTIONS);
    let (output_in, output) = mpsc::channel(PIECES);
    let signals = Signals::listen().map_err(no_signals)?;
    // Who has said no to everything beforehand is asked nothing by tools and agents either.
    let asks = setup.manners.asks && options.session.answer != Some(false);
    let questioner: Arc<dyn Questioner> = match asks {
        true => Arc::new(Person::new(askings_in)),
        false => Arc::new(NobodyToAsk),
    };
    let files = FsSetup::new(questioner);
    let (host, slot) = LinkedHost::new(events_in, files, Some(output_in));
    let engine = {
        let _its_own = runtime.enter();
        siderail_engine::start(config, host).map_err(not_started)?
    };
    // set once, here: the slot is new
    let _ = slot.set(engine.clone());
    let session = options.session.clone();
    let started = engine.send(Command::StartSession {
        session: SESSION,
        options: Box::new(session),
    });
    started.map_err(|gone| Failure::new(Exit::NotStarted, gone.to_string()))?;
    Ok((
        engine,
        Inlets {
            events,
            askings,
            output,
            signals,
        },
    ))
}
