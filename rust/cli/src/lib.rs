//! Siderail on the command line: the commands of the binary `siderail`.
//!
//! Everything reaches the engine, the guard and the MCP server through `siderail_engine`. Nothing of
//! a protocol or a policy is decided here; this is where environment, terminal and exit codes are.
//! Read `args` for the commands, `run` for the main one.

mod acp_agent;
mod agent_sessions;
mod agents;
mod args;
mod bench;
mod command_line;
mod config;
mod demo;
mod doctor;
mod exit;
mod explain;
mod history;
mod init;
mod keys;
mod lines;
mod logging;
mod login;
mod login_line;
mod mcp_stdio;
mod menu;
mod one_key;
mod output;
mod packages;
mod policy;
mod question;
mod recording;
mod render;
mod run;
mod runtime_dir;
mod settings_edit;
mod settings_files;
mod setup;
mod signals;
mod similar_names;
mod starting;
mod style;
mod terminal;
mod trace;
mod user_file;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

/// What replaces an IDE.
pub use siderail_hosts as host;

use crate::args::{Command, GuardCommand, TraceCommand, Typed};
use crate::exit::{Exit, Failure};
use crate::setup::Setup;
use crate::terminal::print;
use crate::terminal::print_error;
use crate::terminal::print_failure;

/// Runs the command that the process was started with, and returns its exit code.
pub fn main() -> ExitCode {
    // these two are started by agents and tests with words of their own, and the first one once per
    // server and hook: nothing else comes before it
    let mut words = std::env::args_os().skip(1);
    match words.next().as_ref().and_then(|word| word.to_str()) {
        Some("relay") => return siderail_relay::run(words, |name| std::env::var_os(name)),
        Some("scripted-agent") => return siderail_testkit::scripted_agent(words.collect()),
        _ => {}
    }
    let log = logging::End;
    let exit = match Typed::try_parse().or_else(as_chat) {
        Ok(typed) => perform(typed.command),
        Err(said) if said.use_stderr() => said.exit(),
        Err(help) => print(&help.render().to_string()),
    };
    // The error comes after the lines that led to it.
    drop(log);
    let exit = exit.unwrap_or_else(|failure| {
        print_failure(&failure);
        failure.exit
    });
    ExitCode::from(exit.code())
}

fn perform(command: Option<Command>) -> Result<Exit, Failure> {
    let setup = Setup::of_process()?;
    logging::start(setup.var("SIDERAIL_LOG"));
    if let Err(error) = signals::limits_are_errors() {
        tracing::warn!(%error, "a file that grows too large will end this process");
    }
    let Some(command) = command.or_else(|| chat_alone(&setup)) else {
        print_error(&Typed::command().render_help().to_string());
        return Ok(Exit::Usage);
    };
    match command {
        Command::Run(args) => run::run(*args, &setup),
        Command::Chat(args) => run::chat(*args, &setup),
        Command::Demo(args) => demo::run(&args, &setup),
        Command::Agents(args) => agents::run(&args, &setup),
        Command::Doctor(args) => doctor::run(&args, &setup),
        Command::History(command) => history::run(&command, &setup),
        Command::Init => init::run(&setup),
        Command::Config(command) => config::run(&command, &setup),
        Command::Policy(command) => policy::run(&command, &setup),
        Command::Acp(args) => acp_agent::run(*args, &setup),
        Command::Mcp(args) => mcp_stdio::run(&args, &setup),
        Command::Guard(GuardCommand::Explain(args)) => explain::run(args, &setup),
        Command::Trace(TraceCommand::Replay(args)) => trace::replay(&args, setup.manners.out),
        Command::Trace(TraceCommand::Show(args)) => trace::run(&args, setup.manners.out),
        Command::Completions(args) => {
            let mut text = Vec::new();
            clap_complete::generate(args.shell, &mut Typed::command(), "siderail", &mut text);
            print(&String::from_utf8_lossy(&text))
        }
        Command::Man(args) => {
            let folder = setup.cwd.join(args.folder);
            let pages = std::fs::create_dir_all(&folder)
                .and_then(|()| clap_mangen::generate_to(Typed::command(), &folder));
            pages.map(|()| Exit::Ended).map_err(|error| {
                let what = format!(
                    "the manual pages cannot be written to {}: {error}",
                    folder.display()
                );
                Failure::usage(what, "name a writable folder")
            })
        }
    }
}

/// Options without a command are those of a conversation, where it has them.
fn as_chat(said: clap::Error) -> Result<Typed, clap::Error> {
    let mut words: Vec<_> = std::env::args_os().collect();
    let is_option = |word: &std::ffi::OsString| word.to_string_lossy().starts_with('-');
    if said.kind() != ErrorKind::UnknownArgument || !words.get(1).is_some_and(is_option) {
        return Err(said);
    }
    words.insert(1, "chat".into());
    Typed::try_parse_from(words).map_err(|_| said)
}

/// Without any words a person at a terminal gets a conversation.
fn chat_alone(setup: &Setup) -> Option<Command> {
    let typed = Typed::try_parse_from(["siderail", "chat"]).ok();
    typed.filter(|_| setup.manners.asks)?.command
}
