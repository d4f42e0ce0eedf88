//! `siderail demo`: a run against a scripted agent that shows each step of the guidance.
//!
//! It makes a small project in a temporary folder, runs the ordinary `run` in it, checks that the
//! file holds what the agent wrote through our tool, and removes the folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use siderail_engine::ErrorMessages;
use siderail_engine::command::SessionOptions;
use siderail_engine::settings::Settings;

use crate::args::DemoArgs;
use crate::exit::{Exit, Failure};
use crate::run::options::{Answers, RunOptions};
use crate::run::perform;
use crate::setup::{Setup, own_program};
use crate::style::Tone;
use crate::terminal::print_error;

/// The agent that the script plays.
const AGENT: &str = "copilot";
/// What it does.
const SCRIPT: &str = include_str!("../../testkit/scripts/demo.toml");
/// Longer than the demonstration takes on a slow machine.
const LIMIT: Duration = Duration::from_secs(60);
/// The file that the agent changes, and what it holds before and after.
const FILE: &str = "src/App.java";
const BEFORE: &str = "class App {\n    int x = 1;\n}\n";
const AFTER: &str = "class App {\n    int x = 2;\n}\n";

/// Runs the command.
pub(crate) fn run(args: &DemoArgs, setup: &Setup) -> Result<Exit, Failure> {
    let folder = tempfile::Builder::new()
        .prefix("siderail-demo-")
        .tempdir()
        .map_err(unmade)?;
    let project = make_project(folder.path()).map_err(unmade)?;
    let options = RunOptions {
        talks: false,
        session: SessionOptions {
            agent: AGENT.to_owned(),
            agent_command: Some(agent_command()?),
            agent_env: BTreeMap::new(),
            project: project.clone(),
            settings: Settings {
                hide: false,
                // of a folder that is about to go
                history: false,
                ..Settings::default()
            },
            answer: Some(true),
            ..SessionOptions::default()
        },
        prompt: format!("Please set x to 2 in {FILE} of this project."),
        plan: false,
        json: args.json,
        quiet: false,
        verbose: args.verbose,
        answers: Answers::Engine,
        timeout: Some(LIMIT),
        login: String::new(),
        told: Vec::new(),
        error_messages: ErrorMessages::default(),
    };
    if !args.json {
        introduce(&options.prompt, setup);
    }
    // the same for everybody, whatever is set
    let config = setup.engine(&setup.cwd, Vec::new(), &Settings::default())?;
    let exit = perform(&options, config, setup)?;
    if exit != Exit::Ended {
        return Ok(exit);
    }
    check(&project)?;
    if !args.json {
        let more = match args.verbose {
            true => "",
            false => "`siderail demo -v` shows the events underneath.\n",
        };
        print_error(&format!(
            "{FILE} has the new text, written with Siderail's tool.\n{more}"
        ));
    }
    Ok(Exit::Ended)
}

/// The scripted agent is this very program.
fn agent_command() -> Result<Vec<String>, Failure> {
    let words = ["scripted-agent", "--shape", AGENT, "--script-text", SCRIPT];
    let mut command = vec![own_program()?];
    command.extend(words.map(str::to_owned));
    Ok(command)
}

fn make_project(folder: &Path) -> std::io::Result<PathBuf> {
    let project = folder.canonicalize()?.join("project");
    fs::create_dir_all(project.join("src"))?;
    fs::write(project.join(FILE), BEFORE)?;
    fs::write(
        project.join("README.md"),
        "# A project for the demonstration\n",
    )?;
    Ok(project)
}

fn introduce(prompt: &str, setup: &Setup) {
    let style = setup.manners.err;
    let text = format!(
        "A scripted agent plays {AGENT} in a temporary project, without an account or network.\n\
         Its own tools are not hidden here, so that the denials can be seen.\n\n\
         prompt: {prompt}\n\n"
    );
    print_error(&style.paint(Tone::Dim, &text));
}

fn check(project: &Path) -> Result<(), Failure> {
    match fs::read_to_string(project.join(FILE)) {
        Ok(text) if text == AFTER => Ok(()),
        found => {
            let found = match found {
                Ok(text) => format!("holds {text:?}"),
                Err(error) => format!("cannot be read: {error}"),
            };
            Err(Failure::new(
                Exit::Failed,
                format!("{FILE} {found} instead of the new text"),
            )
            .hint("run it again with SIDERAIL_LOG=debug and report what it says"))
        }
    }
}

fn unmade(error: std::io::Error) -> Failure {
    Failure::new(
        Exit::NotStarted,
        format!("the temporary project cannot be created: {error}"),
    )
    .hint("check the free space and permissions of the temporary folder")
}
