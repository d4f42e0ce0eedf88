//! An engine of its own on which a named agent is started to examine it, or to ask it something: for logging in and for
//! an agent's own sessions.
//!
//! No prompt is sent and nobody is asked; the results are worded elsewhere.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use siderail_engine::command::{Command, SessionOptions};
use siderail_engine::event::{self, ErrorKind, EventBody};
use siderail_engine::login::LoginWay;
use siderail_engine::settings::Layer;
use siderail_engine::{AgentSessions, EngineConfig, EngineHandle, SessionsRefused, SessionsWish};
use tokio::time::timeout;

use crate::args::LoginArgs;
use crate::exit::{Exit, Failure};
use crate::host::{FsSetup, NobodyToAsk};
use crate::packages;
use crate::run::events::{self, Events};
use crate::run::host_link::LinkedHost;
use crate::run::options::{command_words, environment, known_agent, project};
use crate::settings_files::announce;
use crate::setup::Setup;
use crate::signals::Signals;
use crate::starting::{self, announce_import, no_signals, not_started, runtime};
use crate::style::one_line;
use crate::terminal::print_error;

/// For an agent to go, and for the engine to put things away.
const END: Duration = Duration::from_secs(12);
/// For an agent to list or delete sessions, and until it is said that it is waited for.
const ANSWER: Duration = Duration::from_secs(20);
const QUIET: Duration = Duration::from_secs(2);
/// Characters of what an agent says.
const LINE: usize = 400;

/// Does something on an engine of its own, with the agent that is named.
pub(crate) fn on_bench<T>(
    args: &LoginArgs,
    folder: Option<&Path>,
    setup: &Setup,
    work: impl AsyncFnOnce(&mut Bench) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let files = setup.agents_files(&args.launch.agents_file)?;
    let resolved = setup.settings(None, Layer::default());
    announce(&resolved);
    let settings = resolved.settings;
    let mut config = setup.engine(&setup.cwd, files, &settings)?;
    let known = starting::profiles(&config);
    let profiles = &known.profiles;
    let names: Vec<String> = profiles.iter().map(|p| p.name.clone()).collect();
    let command = args.agent_command.as_deref();
    let agent_command = command.map(command_words).transpose()?;
    if !names.contains(&args.agent) && command.is_none() {
        announce_import(&known);
    }
    known_agent(&args.agent, agent_command.is_some(), &names)?;
    let profile = profiles.iter().find(|profile| profile.name == args.agent);
    let agent_command = match (agent_command, profile) {
        (None, Some(profile)) => packages::stand_in(profile, &config, setup.manners.asks)?,
        (given, _) => given,
    };
    let options = SessionOptions {
        agent_command,
        agent_env: environment(&args.launch.agent_env)?,
        project: project(folder, &setup.cwd)?,
        answer: Some(false),
        ..SessionOptions::of(&args.agent, &settings)
    };
    let run_folder = setup.run_folder()?;
    config.runtime_dir = run_folder.path().to_owned();
    let runtime = runtime()?;
    let done = runtime.block_on(async {
        let mut signals = Signals::listen().map_err(no_signals)?;
        let mut bench = Bench::new(config, options)?;
        let done = tokio::select! {
            done = work(&mut bench) => done,
            _ = signals.next() => Err(Failure::new(Exit::Cancelled, "cancelled")),
        };
        if bench.engine.send(Command::Shutdown).is_ok() {
            let _ = timeout(END, bench.engine.closed()).await;
        }
        done
    });
    runtime.shutdown_background();
    drop(run_folder);
    done
}

/// Whether the agent opens a session.
pub(crate) enum Outcome {
    /// It does.
    Open(Vec<LoginWay>),
    /// It wants a login first.
    Wants {
        /// What it offers.
        ways: Vec<LoginWay>,
        /// What it says.
        text: String,
        /// What to do.
        hint: Option<String>,
    },
}

/// An engine on which the agent is started again and again.
pub(crate) struct Bench {
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
        let (host, slot) = LinkedHost::new(events_in, FsSetup::new(questioner), None);
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
    pub(crate) async fn agent_sessions(
        &mut self,
        wish: SessionsWish,
    ) -> Result<AgentSessions, Failure> {
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
                    "waiting up to {most} s for the agent's list of sessions\n"
                ));
                asked.await
            }
        };
        match told {
            Ok(told) => told.map_err(|refused| refusal(&refused)),
            Err(_) => {
                let what = format!("the agent did not answer within {} s", ANSWER.as_secs());
                let hint = "try again, or use the agent's own command";
                Err(Failure::new(Exit::TimedOut, what).hint(hint))
            }
        }
    }

    /// Starts the agent, has it carry out this login, and ends it again.
    pub(crate) async fn try_out(&mut self, login: Option<&str>) -> Result<Outcome, Failure> {
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
                EventBody::Error(event::Error { kind, text, hint }) => {
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
            Some((ErrorKind::Login, text, hint)) => Ok(Outcome::Wants { ways, text, hint }),
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

fn refusal(refused: &SessionsRefused) -> Failure {
    let what = one_line(&refused.text, LINE);
    match refused.wants_login {
        true => Failure::new(
            Exit::LoginNeeded,
            format!("the agent needs you to log in: {what}"),
        ),
        false => Failure::new(Exit::Failed, what),
    }
}
