//! `siderail agents login`: logs in to an agent by one of its own ways, and sees whether it then opens a session.
//!
//! The agent carries it out where it can; else its command is run in this terminal, or, where nobody sits at one, said.
//! No login is kept here and no secret is read: they are the agent's business.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use siderail_engine::acp::process::{CommandLine, ProcessTree, Streams};
use siderail_engine::command::{Command, SessionOptions};
use siderail_engine::event::EventBody;
use siderail_engine::login::{LoginHow, LoginWay};
use siderail_engine::settings::Layer;
use siderail_engine::{
    AgentSessions, EngineConfig, EngineHandle, SessionsRefused, SessionsWish, shell_word,
};
use tokio::time::timeout;

use crate::args::LoginArgs;
use crate::exit::{Exit, Failure};
use crate::host::{FsSetup, NobodyToAsk};
use crate::packages;
use crate::run::events::{self, Events};
use crate::run::host_link::LinkedHost;
use crate::run::options::{command_words, environment, known_agent, project};
use crate::setup::Setup;
use crate::starting::announce_import;
use crate::starting::{not_started, runtime, usage};
use crate::style::one_line;
use crate::terminal::print;
use crate::terminal::print_error;

/// For an agent to go, and for the engine to put things away.
const END: Duration = Duration::from_secs(12);
/// For an agent to list or delete sessions, and until it is said that it is waited for.
const ANSWER: Duration = Duration::from_secs(20);
const QUIET: Duration = Duration::from_secs(2);
/// Characters of what an agent says.
const LINE: usize = 400;

/// The command that logs in to an agent, as it is typed: with what it was started by, where it has no profile of its own.
pub(crate) fn typed(
    agent: &str,
    command: Option<&str>,
    env: &[String],
    files: &[PathBuf],
) -> String {
    let files = files
        .iter()
        .map(|file| ("--agents-file", file.to_string_lossy().into_owned()));
    let command = command.map(|command| ("--agent-command", command.to_owned()));
    let flags = files.chain(command);
    let flags: String = flags
        .map(|(flag, value)| format!(" {flag} {}", shell_word(&value)))
        .collect();
    let also = match env {
        [] => "",
        // Its values may be secret.
        _ => ", with the same --agent-env,",
    };
    format!("`siderail agents login {}{flags}`{also}", shell_word(agent))
}

/// Runs the command.
pub(crate) fn run(args: &LoginArgs, setup: &Setup) -> Result<Exit, Failure> {
    let done = on_bench(args, None, setup, async |bench| {
        log_in(bench, args, setup).await
    })?;
    print(&format!("{}: {done}\n", one_line(&args.agent, LINE)))
}

/// Asks an agent for the sessions of a project that it remembers itself, or to forget one of them.
pub(crate) fn agent_sessions(
    args: &LoginArgs,
    project: Option<&Path>,
    wish: SessionsWish,
    setup: &Setup,
) -> Result<AgentSessions, Failure> {
    on_bench(args, project, setup, async |bench| {
        let told = bench.agent_sessions(wish).await;
        told.map_err(|failure| match failure.exit {
            Exit::LoginNeeded => with_login(failure, args),
            _ => failure,
        })
    })
}

fn with_login(failure: Failure, args: &LoginArgs) -> Failure {
    let command = args.agent_command.as_deref();
    let does_it = typed(&args.agent, command, &args.agent_env, &args.agents_file);
    let does_it = format!("{does_it} does it");
    let more: Vec<String> = failure.hint.iter().cloned().chain([does_it]).collect();
    failure.hint(more.join("\n      "))
}

/// Does something on an engine of its own, with the agent that is named.
fn on_bench<T>(
    args: &LoginArgs,
    folder: Option<&Path>,
    setup: &Setup,
    work: impl AsyncFnOnce(&mut Bench) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let files = setup.agents_files(&args.agents_file)?;
    let settings = setup.settings(None, Layer::default())?.settings;
    let mut config = setup.engine(&setup.cwd, files, &settings)?;
    let profiles = siderail_engine::profiles(&config).map_err(usage)?;
    let names: Vec<String> = profiles.iter().map(|p| p.name.clone()).collect();
    let command = args.agent_command.as_deref();
    let agent_command = command.map(command_words).transpose()?;
    if !names.contains(&args.agent) && command.is_none() {
        announce_import(&config);
    }
    known_agent(&args.agent, agent_command.is_some(), &names)?;
    let profile = profiles.iter().find(|profile| profile.name == args.agent);
    let agent_command = match (agent_command, profile) {
        (None, Some(profile)) => packages::stand_in(profile, &config, setup.manners.asks)?,
        (given, _) => given,
    };
    let options = SessionOptions {
        agent_command,
        agent_env: environment(&args.agent_env)?,
        project: project(folder, &setup.cwd)?,
        answer: Some(false),
        ..settings.session(&args.agent)
    };
    let run_folder = setup.run_folder()?;
    config.runtime_dir = run_folder.path().to_owned();
    let runtime = runtime()?;
    let done = runtime.block_on(async {
        let mut bench = Bench::new(config, options)?;
        let done = work(&mut bench).await;
        if bench.engine.send(Command::Shutdown).is_ok() {
            let _ = timeout(END, bench.engine.closed()).await;
        }
        done
    });
    runtime.shutdown_background();
    drop(run_folder);
    done
}

async fn log_in(
    bench: &mut Bench,
    args: &LoginArgs,
    setup: &Setup,
) -> Result<&'static str, Failure> {
    let first = bench.try_out(None).await?;
    let ways = match (first, &args.method) {
        (Outcome::Open(_), None) => return Ok("no login is missing"),
        (Outcome::Open(ways) | Outcome::Wants { ways, .. }, Some(_)) => ways,
        (Outcome::Wants { ways, text, hint }, None) if ways.is_empty() => {
            let mut failure = Failure::new(Exit::LoginNeeded, one_line(&text, LINE));
            failure.hint = hint;
            return Err(failure);
        }
        (Outcome::Wants { ways, .. }, None) => ways,
    };
    let way = chosen(&ways, args)?;
    let again = match &way.how {
        LoginHow::Agent => {
            let name = one_line(&way.to_string(), LINE);
            print_error(&format!(
                "the agent logs in by {name}; it may open a browser\n"
            ));
            bench.try_out(Some(&way.id)).await?
        }
        LoginHow::Command { line, typed, .. } => {
            in_terminal(line, &one_line(typed, LINE), args, setup).await?;
            bench.try_out(None).await?
        }
        LoginHow::Variables { names, given } => {
            let names = one_line(&names.join(" or "), LINE);
            let what = format!("{} is given its login by {names}", args.agent);
            let hint = match given.is_empty() {
                true => format!(
                    "set it in the environment, or with --agent-env; {names} is not set by this command"
                ),
                false => {
                    let given = one_line(&given.join(" and "), LINE);
                    format!(
                        "{given} is set, and the agent does not take its value: look whether it is the right one"
                    )
                }
            };
            return Err(Failure::new(Exit::LoginNeeded, what).hint(hint));
        }
        LoginHow::Unknown(_) => {
            let what = one_line(&way.to_string(), LINE);
            let hint = "start the agent by hand and log in there";
            return Err(Failure::new(Exit::LoginNeeded, what).hint(hint));
        }
    };
    match again {
        Outcome::Open(_) => Ok("logged in"),
        Outcome::Wants { text, hint, .. } => {
            let what = format!("it still is not logged in: {}", one_line(&text, LINE));
            let mut failure = Failure::new(Exit::LoginNeeded, what);
            failure.hint = hint;
            Err(failure)
        }
    }
}

/// The way that was named, or the only one.
fn chosen<'a>(ways: &'a [LoginWay], args: &LoginArgs) -> Result<&'a LoginWay, Failure> {
    let there_are = || {
        let each = ways.iter().map(|way| {
            let text = one_line(&way.to_string(), LINE);
            format!("  --method {}   {text}", one_line(&way.id, LINE))
        });
        each.collect::<Vec<_>>().join("\n")
    };
    match (&args.method, ways) {
        (None, [way]) => Ok(way),
        (None, _) => {
            let what = format!("{} can be logged in to in several ways", args.agent);
            Err(Failure::usage(what, format!("take one:\n{}", there_are())))
        }
        (Some(id), _) => ways.iter().find(|way| way.id == *id).ok_or_else(|| {
            let what = format!("{} has no login `{id}`", args.agent);
            let hint = match ways {
                [] => "it offers none".to_owned(),
                _ => format!("take one:\n{}", there_are()),
            };
            Failure::usage(what, hint)
        }),
    }
}

/// Runs a login command where the person sits, if there is one.
async fn in_terminal(
    line: &CommandLine,
    typed: &str,
    args: &LoginArgs,
    setup: &Setup,
) -> Result<(), Failure> {
    if !setup.manners.asks {
        let what = format!("nobody is at a terminal to log in to {}", args.agent);
        return Err(
            Failure::new(Exit::LoginNeeded, what).hint(format!("in a terminal run: {typed}"))
        );
    }
    print_error(&format!("running: {typed}\n"));
    let failed = |why: String| {
        let what = format!("the login of {} {why}", args.agent);
        Failure::new(Exit::LoginNeeded, what).hint(format!("in a terminal run: {typed}"))
    };
    let mut login = ProcessTree::spawn(line, None, Streams::Inherited)
        .map_err(|error| failed(format!("cannot be started: {error}")))?;
    match login.wait().await {
        exit if exit.is_success() => Ok(()),
        exit => Err(failed(exit.to_string())),
    }
}

fn refusal(refused: &SessionsRefused) -> Failure {
    let what = one_line(&refused.text, LINE);
    match refused.wants_login {
        true => Failure::new(
            Exit::LoginNeeded,
            format!("the agent wants a login: {what}"),
        ),
        false => Failure::new(Exit::Failed, what),
    }
}

/// Whether the agent opens a session.
enum Outcome {
    /// It does.
    Open(Vec<LoginWay>),
    /// It wants a login first.
    Wants {
        ways: Vec<LoginWay>,
        text: String,
        hint: Option<String>,
    },
}

/// An engine on which the agent is started again and again.
struct Bench {
    engine: EngineHandle,
    events: Events,
    options: SessionOptions,
    sessions: u64,
    /// What the next session is asked for, and its answer.
    wish: Option<SessionsWish>,
    told: Option<Result<AgentSessions, Failure>>,
}

impl Bench {
    fn new(config: EngineConfig, options: SessionOptions) -> Result<Self, Failure> {
        let (events_in, events) = events::channel(std::env::temp_dir());
        let questioner = Arc::new(NobodyToAsk);
        let (host, slot) = LinkedHost::new(events_in, FsSetup { questioner });
        let engine = siderail_engine::start(config, host).map_err(not_started)?;
        // set once, here: the slot is new
        let _ = slot.set(engine.clone());
        Ok(Self {
            engine,
            events,
            options,
            sessions: 0,
            wish: None,
            told: None,
        })
    }

    /// Starts the agent and asks it for its sessions.
    async fn agent_sessions(&mut self, wish: SessionsWish) -> Result<AgentSessions, Failure> {
        self.wish = Some(wish);
        let opened = self.try_out(None).await?;
        match (opened, self.told.take()) {
            (Outcome::Open(_), Some(told)) => told,
            (Outcome::Wants { text, hint, .. }, _) => {
                let mut failure = Failure::new(Exit::LoginNeeded, one_line(&text, LINE));
                failure.hint = hint;
                Err(failure)
            }
            (Outcome::Open(_), None) => Err(Failure::new(
                Exit::NotStarted,
                "the agent did not open a session",
            )),
        }
    }

    /// What the agent says of its own sessions.
    async fn answer(&self, session: u64, wish: SessionsWish) -> Result<AgentSessions, Failure> {
        let asked = timeout(ANSWER, self.engine.agent_sessions(session, wish));
        tokio::pin!(asked);
        let told = match timeout(QUIET, &mut asked).await {
            Ok(told) => told,
            Err(_) => {
                let most = ANSWER.as_secs();
                print_error(&format!(
                    "waiting for the agent's answer about its sessions, {most} s at most\n"
                ));
                asked.await
            }
        };
        match told {
            Ok(told) => told.map_err(|refused| refusal(&refused)),
            Err(_) => {
                let what = format!("the agent did not answer within {} s", ANSWER.as_secs());
                let hint = "try again, or look with the agent itself";
                Err(Failure::new(Exit::TimedOut, what).hint(hint))
            }
        }
    }

    /// Starts the agent, has it carry out this login, and ends it again.
    async fn try_out(&mut self, login: Option<&str>) -> Result<Outcome, Failure> {
        self.sessions += 1;
        let session = self.sessions;
        let options = SessionOptions {
            login: login.map(str::to_owned),
            ..self.options.clone()
        };
        let start = Command::StartSession {
            session,
            options: Box::new(options),
        };
        let gone = |gone| Failure::new(Exit::NotStarted, format!("{gone}"));
        self.engine.send(start).map_err(gone)?;
        let facts = self.engine.inspect(session).await;
        if let Some(wish) = self.wish.take() {
            self.told = Some(self.answer(session, wish).await);
        }
        // it may be over already
        let _ = self.engine.send(Command::EndSession { session, why: None });
        let mut error = None;
        while let Ok(Some(event)) = timeout(END, self.events.recv()).await {
            match event.body {
                _ if event.session != session => {}
                EventBody::Error { kind, text, hint } => {
                    error.get_or_insert((kind, text, hint));
                }
                EventBody::Summary(_) => break,
                _ => {}
            }
        }
        let is_ready = facts.as_ref().is_some_and(|facts| facts.is_ready);
        let ways = facts.map(|facts| facts.logins).unwrap_or_default();
        match error {
            _ if is_ready => Ok(Outcome::Open(ways)),
            Some((kind, text, hint)) if kind == "login" => Ok(Outcome::Wants { ways, text, hint }),
            Some((_, text, hint)) => {
                let mut failure = Failure::new(Exit::NotStarted, one_line(&text, LINE));
                failure.hint = hint;
                Err(failure)
            }
            None => Err(Failure::new(
                Exit::NotStarted,
                "the agent did not open a session",
            )),
        }
    }
}
