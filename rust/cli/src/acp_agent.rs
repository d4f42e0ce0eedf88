//! `siderail acp`: the guard inside any ACP client. To the client this program is the agent; to the agent it is the
//! client, with the same engine as everywhere else.
//!
//! Standard output carries the protocol and nothing else. [`agent_side`] says what follows from each message; this file
//! joins its two ends: the client's pipes, and the engine with the filesystem host.

mod agent_side;
mod capabilities;
mod client_calls;
mod client_file;
mod client_plans;
mod client_questions;
mod client_terminals;
mod config;
mod face_host;
mod from_agent;
mod open_requests;
mod process;
mod session_list;
mod sessions;
mod shared;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use siderail_engine::acp::transport::{Inbound, TransportConfig, over};
use siderail_engine::acp_client::{Passed, PassedReply, PassedRequest};
use siderail_engine::command::{Command, SessionOptions};
use siderail_engine::settings::ReasonOnReject;
use siderail_engine::{EngineConfig, EngineHandle, ProfileInfo};
use tokio::sync::mpsc;

use self::agent_side::{Effect, Face};
use self::client_calls::ClientCalls;
use self::face_host::FaceHost;
use self::shared::{Ends, Shared};
use crate::args::{AcpArgs, AcpCommand, RunArgs};
use crate::exit::{Exit, Failure};
use crate::host::{FsHost, FsSetup};
use crate::output::Output;
use crate::run::host_link::EngineSlot;
use crate::run::options::{self, RunOptions, Surroundings, understand};
use crate::run::use_package;
use crate::settings_files;
use crate::setup::Setup;
use crate::signals::Signals;
use crate::starting::{self, beside, no_signals, not_started, runtime};
use crate::terminal::note_for_people;

/// Time for the engine to end its agents once the client has gone.
const SHUTDOWN: Duration = Duration::from_secs(8);
/// A client that takes nothing for this long at the end is not waited for.
const UNREAD: Duration = Duration::from_secs(1);

/// Runs the command until the client closes its end or a signal comes.
pub(crate) fn run(args: AcpArgs, setup: &Setup) -> Result<Exit, Failure> {
    if let Some(AcpCommand::Config(args)) = &args.command {
        return config::run(args, setup);
    }
    if let Some(login) = args.login() {
        return crate::login::run(&login, setup);
    }
    note_for_people("acp", "an ACP client");
    let json_log = args.json_log.clone().map(|file| setup.cwd.join(file));
    let plans = args.plan;
    let starter = Starter::new(args.run(), setup)?;
    let first = starter.options(None)?.session;
    let asks_reasons = first.settings.reason_on_reject == ReasonOnReject::Ask;
    let log = match json_log {
        Some(file) => Some(Output::file(&file).map_err(|error| {
            let what = format!(
                "the event log {} cannot be written: {error}",
                file.display()
            );
            Failure::usage(what, "name a file in an existing folder with --json-log")
        })?),
        None => None,
    };
    let folder = setup.run_folder()?;
    let mut config = starter.config.clone();
    config.runtime_dir = folder.path().to_owned();
    let (engines, clients) = (runtime()?, beside()?);
    let (works_in, works) = mpsc::unbounded_channel();
    let shared = Arc::new(Shared {
        ends: Mutex::new(Ends {
            face: Face::new(first.project, asks_reasons, plans),
            client: Output::stdout(),
            works: works_in,
        }),
        notices: Output::stderr(),
        log,
    });
    let ended = clients.block_on(async {
        let signals = Signals::listen().map_err(no_signals)?;
        let worker = Worker {
            shared: Arc::clone(&shared),
            starter,
            config,
            engines: engines.handle().clone(),
            engine: EngineSlot::default(),
        };
        attend(&shared, worker, works, signals).await;
        Ok(())
    });
    shared.ends.lock().client.end(UNREAD);
    shared.notices.end(UNREAD);
    if let Some(log) = &shared.log {
        log.end(UNREAD);
    }
    // reading standard input cannot be interrupted: nobody waits for its thread
    clients.shutdown_background();
    engines.shutdown_background();
    drop(folder);
    ended.map(|()| Exit::Ended)
}

/// Takes what the client says until it has gone.
async fn attend(
    shared: &Arc<Shared>,
    worker: Worker<'_>,
    works: mpsc::UnboundedReceiver<Effect>,
    mut signals: Signals,
) {
    let engine = Arc::clone(&worker.engine);
    let mut transport = over(
        tokio::io::stdin(),
        tokio::io::sink(),
        TransportConfig::default(),
    );
    let gone = shared.ends.lock().client.closed();
    tokio::pin!(gone);
    let work = worker.work(works);
    tokio::pin!(work);
    loop {
        tokio::select! {
            inbound = transport.inbound.recv() => match inbound {
                Some(Inbound::Message(message)) => shared.act(|face| face.client_says(message)),
                Some(Inbound::Noise { why, .. }) => shared.act(|face| face.not_a_message(&why)),
                Some(Inbound::TooLong { .. }) => {
                    shared.act(Face::too_long);
                }
                // Only agents send these.
                Some(Inbound::Update(_) | Inbound::Line(_) | Inbound::Chunks(_)) => {}
                Some(Inbound::Closed) | None => break,
            },
            // clients end an agent that does not go by itself with a signal
            _ = signals.next() => break,
            () = &mut gone => break,
            () = &mut work => break,
        }
    }
    if let Some(engine) = engine.get()
        && engine.send_in_turn(Command::Shutdown).await.is_ok()
    {
        let _ = tokio::time::timeout(SHUTDOWN, engine.closed()).await;
    }
}

/// Carries out what the face wants of the engine, in order.
struct Worker<'a> {
    shared: Arc<Shared>,
    starter: Starter<'a>,
    config: EngineConfig,
    engines: tokio::runtime::Handle,
    engine: EngineSlot,
}

impl Worker<'_> {
    async fn work(self, mut works: mpsc::UnboundedReceiver<Effect>) {
        while let Some(work) = works.recv().await {
            match work {
                Effect::Start {
                    session,
                    folder,
                    client,
                } => {
                    let started = self.start(session, &folder, client);
                    if let Err(failure) = started {
                        let hint = failure
                            .hint
                            .map_or_else(String::new, |hint| format!("; {hint}"));
                        let why = format!("{}{hint}", failure.what);
                        self.shared.act(|face| face.not_started(session, why));
                    }
                }
                work => {
                    if let Some(engine) = self.engine.get() {
                        self.hand_over(engine, work).await;
                    }
                }
            }
        }
    }

    fn start(
        &self,
        session: u64,
        folder: &Path,
        client: Arc<siderail_engine::acp_client::AcpClient>,
    ) -> Result<(), Failure> {
        let mut options = self.starter.options(Some(folder))?;
        use_package(
            &mut options,
            &self.starter.profiles,
            &self.config,
            self.starter.setup,
        )?;
        let trace = options.session.trace.map(|file| numbered(file, session));
        let options = SessionOptions {
            client: Some(client),
            trace,
            ..options.session
        };
        let engine = match self.engine.get() {
            Some(engine) => engine,
            None => {
                let engine = self.start_engine()?;
                self.engine.get_or_init(|| engine)
            }
        };
        let started = engine.send(Command::StartSession {
            session,
            options: Box::new(options),
        });
        started.map_err(|gone| Failure::new(Exit::NotStarted, gone.to_string()))
    }

    fn start_engine(&self) -> Result<EngineHandle, Failure> {
        let slot = Arc::clone(&self.engine);
        let client = Arc::new(ClientCalls::new(Arc::clone(&self.shared)));
        let setup = FsSetup {
            questioner: Arc::clone(&client) as _,
            open: client,
        };
        let files = FsHost::new(setup, move |call, reply| {
            if let Some(engine) = slot.get()
                && engine.send(Command::Complete { call, reply }).is_err()
            {
                tracing::debug!(call, "the engine ended before it answered this call");
            }
        });
        let host = FaceHost {
            shared: Arc::clone(&self.shared),
            files,
            told: self.starter.told.clone(),
        };
        let _its_own = self.engines.enter();
        siderail_engine::start(self.config.clone(), Arc::new(host)).map_err(not_started)
    }

    async fn hand_over(&self, engine: &EngineHandle, work: Effect) {
        let handed = match work {
            Effect::Command(command) => engine.send_in_turn(command).await,
            Effect::Pass { session, passed } => engine.pass(session, passed).await,
            Effect::Request {
                session,
                method,
                params,
                pending,
            } => {
                let shared = Arc::clone(&self.shared);
                let reply = PassedReply::new(move |outcome| {
                    shared.act(|face| face.replied(&pending, outcome));
                });
                let request = PassedRequest {
                    method,
                    params,
                    reply,
                };
                engine.pass(session, Passed::Request(request)).await
            }
            Effect::Line(_) | Effect::Start { .. } => Ok(()),
        };
        if handed.is_err() {
            tracing::debug!("the engine has ended");
        }
    }
}

/// What was typed, for every process that is started.
struct Starter<'a> {
    args: RunArgs,
    setup: &'a Setup,
    config: EngineConfig,
    profiles: Vec<ProfileInfo>,
    /// What was said of agents files that cannot be used.
    told: Vec<String>,
}

impl<'a> Starter<'a> {
    fn new(args: RunArgs, setup: &'a Setup) -> Result<Self, Failure> {
        let agents_files = setup.agents_files(&args.launch.agents_file)?;
        let project = options::project(args.project.as_deref(), &setup.cwd)?;
        let resolved = setup.settings(Some(&project), options::flags(&args));
        settings_files::announce(&resolved);
        let config = setup.engine(&setup.cwd, agents_files, &resolved.settings)?;
        let known = starting::profiles(&config);
        Ok(Self {
            args,
            setup,
            config,
            profiles: known.profiles,
            told: known.problems,
        })
    }

    /// The options of a session in `folder`, which may have settings of its own; none: the one that was typed.
    fn options(&self, folder: Option<&Path>) -> Result<RunOptions, Failure> {
        let mut args = self.args.clone();
        if let Some(folder) = folder {
            args.project = Some(folder.to_owned());
        }
        let project = options::project(args.project.as_deref(), &self.setup.cwd)?;
        let resolved = self.setup.settings(Some(&project), options::flags(&args));
        let names = self.profiles.iter().map(|profile| profile.name.clone());
        let agents: Vec<String> = names.collect();
        let around = Surroundings {
            cwd: &self.setup.cwd,
            asks: true,
            talks: true,
            agents: &agents,
            settings: &resolved.settings,
        };
        understand(args, &around)
    }
}

/// Each process has a recording of its own: the first the file that was named, others one beside it.
fn numbered(file: PathBuf, session: u64) -> PathBuf {
    match session {
        1 => file,
        session => {
            let mut name = file.into_os_string();
            name.push(format!(".{session}"));
            name.into()
        }
    }
}
