//! What every command needs before the engine runs: threads, known agents, and error messages for what fails that
//! early.
//!
//! Knows no command.

use siderail_engine::{EngineConfig, EngineError, KnownProfiles};
use tokio::runtime::Runtime;

use crate::exit::{Exit, Failure};
use crate::similar_names::did_you_mean;
use crate::style::one_line;
use crate::terminal::print_error;

/// Characters of a notice.
const LINE: usize = 1_000;

/// For the engine: threads of its own, which only move messages; what may wait for the disk has others.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    let built = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    built.map_err(|error| no_threads(&error))
}

/// For the thread that watches the engine: limits and signals pass here however busy it is. Among its own threads
/// nobody looks at the clock while the one whose turn that is reads a huge message.
pub(crate) fn beside() -> Result<Runtime, Failure> {
    let built = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    built.map_err(|error| no_threads(&error))
}

fn no_threads(error: &std::io::Error) -> Failure {
    Failure::new(
        Exit::NotStarted,
        format!("threads cannot be started: {error}"),
    )
}

/// A process that cannot listen to signals could not end properly.
pub(crate) fn no_signals(error: std::io::Error) -> Failure {
    Failure::new(
        Exit::NotStarted,
        format!("signals cannot be received: {error}"),
    )
}

/// What the engine could not do before there was a session.
pub(crate) fn not_started(error: EngineError) -> Failure {
    let mut failure = Failure::new(Exit::NotStarted, error.to_string());
    failure.hint = error.hint().map(str::to_owned);
    failure
}

/// The agent has to be a known one, since no command can replace it.
pub(crate) fn profile_named(name: &str, known: &[String]) -> Result<(), Failure> {
    match known.iter().any(|known| known == name) {
        true => Ok(()),
        false => Err(Failure::usage(
            format!("there is no agent named `{name}`"),
            format!(
                "{}known agents are {}",
                did_you_mean(name, known.iter().map(String::as_str)),
                known.join(", ")
            ),
        )),
    }
}

/// The known profiles; says what of the user's own files cannot be used.
pub(crate) fn profiles(config: &EngineConfig) -> KnownProfiles {
    let known = siderail_engine::profiles(config);
    announce_problems(&known.problems);
    known
}

/// Says what of the user's own profiles cannot be used.
pub(crate) fn announce_problems(problems: &[String]) {
    for problem in problems {
        print_error(&format!("error: {}\n", one_line(problem, LINE)));
    }
}

/// Says what of the agents that were added in other programs cannot be used.
pub(crate) fn announce_import(known: &KnownProfiles) {
    for problem in &known.import_problems {
        print_error(&format!("note: {}\n", one_line(problem, LINE)));
    }
}
