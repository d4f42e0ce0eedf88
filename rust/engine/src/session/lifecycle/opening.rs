//! Puts a session together: profile, wishes, folder, token and launch become an agent's process and its owner.
//!
//! Nothing has been said to the agent yet. What fails here is told before anything was started.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use siderail_acp::process::CommandLine;
use siderail_acp::trace::TrafficLog;
use siderail_guard::canary::Canary;
use siderail_guard::denial::DenialTracker;
use siderail_guard::guidance::NameForm;
use siderail_mcp::Listener;

use crate::command::SessionOptions;
use crate::confine::Confinement;
use crate::error::EngineError;
use crate::event::{ErrorKind, EventBody, Summary};
use crate::launch::Launch;
use crate::memory::Memory;
use crate::places;
use crate::profile::McpDelivery;
use crate::recording_notes;
use crate::secrets::Secrets;
use crate::servers::UserServers;
use crate::session::agent_facts::AgentFacts;
use crate::session::agent_settings::AgentSettings;
use crate::session::carried::Carried;
use crate::session::guidance::Guidance;
use crate::session::guidance::recipes::Recipes;
use crate::session::lifecycle::Lifecycle;
use crate::session::lifecycle::handshake::Handshake;
use crate::session::lifecycle::handshake::Opening;
use crate::session::lifecycle::process::{open_trace, spawn_agent};
use crate::session::outer_client::Client;
use crate::session::own_calls::OwnCalls;
use crate::session::permissions::Questions;
use crate::session::place::Place;
use crate::session::prompt_turn::PromptTurn;
use crate::session::restore::Restore;
use crate::session::terminals::table::Terminals;
use crate::session::wire::Wire;
use crate::session::worker::Worker;
use crate::session::{Input, STARTUP, Session};
use crate::shared::Shared;
use crate::tools::command::CommandRunner;
use crate::tools::{EngineTools, SERVER};

mod plan;

pub(in crate::session) use plan::remove_folder;
use plan::{Plan, folder_of};

/// A session without a process yet, and what to start for it.
struct Prepared {
    session: Session,
    command: CommandLine,
    trace: Option<TrafficLog>,
}

impl Session {
    /// Starts an agent; `None` when it failed at once, with `ERROR` and `SUMMARY` already out.
    pub(crate) fn start(
        number: u64,
        options: SessionOptions,
        shared: &mut Shared,
        listener: &Listener,
    ) -> Option<Self> {
        Self::start_process(number, options, false, shared, listener)
    }

    /// As [`Self::start`]. `again`: after another process of the same session.
    pub(in crate::session) fn start_process(
        number: u64,
        options: SessionOptions,
        again: bool,
        shared: &mut Shared,
        listener: &Listener,
    ) -> Option<Self> {
        let agent = options.agent.clone();
        let Prepared {
            session,
            command,
            trace,
        } = match Self::prepare(number, options, again, shared, listener) {
            Ok(prepared) => prepared,
            Err(error) => {
                listener.revoke(number);
                remove_folder(&folder_of(number, shared));
                not_started(number, agent, &error, shared);
                return None;
            }
        };
        let inputs = shared.inputs.clone();
        let guardian = shared.guardian.clone();
        let lines = session.handshake.client.is_some();
        tokio::spawn(async move {
            let started = spawn_agent(number, command, guardian, trace, lines, &inputs).await;
            let started = Box::new(started);
            // The engine outlives its sessions' tasks; without it nobody is left to tell.
            let _ = inputs
                .send(Input::Started {
                    session: number,
                    started,
                })
                .await;
        });
        Some(session)
    }

    /// Everything that can fail ahead of the agent's process. What changes a file of the user's comes last,
    /// so that no failure leaves it changed.
    fn prepare(
        number: u64,
        options: SessionOptions,
        again: bool,
        shared: &Shared,
        listener: &Listener,
    ) -> Result<Prepared, EngineError> {
        let profile = shared
            .profiles
            .get(&options.agent, options.agent_command.is_some())?;
        let plan = Plan::new(number, options, profile, shared)?;
        let form = names(&plan.profile.mcp, shared);
        let access = plan.access(&form, shared, listener)?;
        let servers = user_servers(&shared.config.env);
        let own = access.secrets().into_iter().chain(servers.secrets());
        let secrets = Secrets::new(own.collect(), &plan.environment(shared));
        let trace = open_trace(
            number,
            shared.inputs.clone(),
            plan.options.trace.as_deref(),
            secrets.in_traffic(),
            again,
        )?;
        recording_notes::begin(trace.as_ref(), &plan.profile.name);
        let mut launch = plan.launch(&access, shared)?;
        plan.use_consent(&launch, shared)?;
        let overlay = launch.overlay.take();
        let hook = plan.profile.hook.as_ref();
        let after_allow = launch.hook.is_some() && hook.is_some_and(|hook| hook.after_allow);
        let mut session = Self::new(plan, form, &launch, shared);
        if let Some(shows) = shared.host.shows_output(number) {
            let hidden = secrets.in_traffic();
            let shows = move |text: &str| shows(&hidden.known(text.to_owned()));
            session.own.runner.show_output(Arc::new(shows));
        }
        session.wire.record.secrets = secrets;
        session.wire.record.trace.clone_from(&trace);
        session.handshake.opening.servers = servers;
        session.place.overlay = overlay;
        session.guidance.hook_after_allow = after_allow;
        session.place.consented = launch.consent.is_some();
        session.guidance.recipes.relay_env = access.relay_env();
        session.guidance.api = access.api;
        let command = CommandLine {
            program: launch.program,
            args: launch.args.into_iter().map(Into::into).collect(),
            env: launch.env,
            cwd: session.root().to_owned(),
        };
        Ok(Prepared {
            session,
            command,
            trace,
        })
    }

    /// A session without an agent, for a plain MCP client: our tools and their gate, nobody to ask.
    ///
    /// What a person would be asked about is denied.
    pub(crate) fn plain(
        number: u64,
        options: SessionOptions,
        shared: &Shared,
    ) -> Result<Self, EngineError> {
        let options = SessionOptions {
            answer: Some(false),
            ..options
        };
        let profile = shared.profiles.get("mcp", true)?;
        let plan = Plan::new(number, options, profile, shared)?;
        let launch = Launch {
            env: shared.config.env.clone(),
            home: shared.config.env.get("HOME").cloned(),
            ..Launch::default()
        };
        let mut session = Self::new(plan, names(&McpDelivery::plain(), shared), &launch, shared);
        session.lifecycle = Lifecycle::without_agent();
        Ok(session)
    }

    fn new(plan: Plan, names: NameForm, launch: &Launch, shared: &Shared) -> Self {
        let Plan {
            number,
            options,
            profile,
            policy,
            confinement,
            folder,
        } = plan;
        let now = Instant::now();
        let runner = Arc::new(runner(number, &folder, shared));
        let canary = Canary::new(&profile.guard.unasked, launch.hook.is_some());
        let tracker = tracker(&confinement, &options);
        let client = options.client.clone().map(Client::new);
        let carried = Carried::new(now, options, tracker, canary);
        let tools = EngineTools::new(
            Arc::clone(&runner),
            shared.guardian.clone(),
            shared.config.env.clone(),
        );
        let memory = Memory::of_project(&shared.config.state_dir, confinement.root());
        Self {
            number,
            carried,
            lifecycle: Lifecycle::starting(now + STARTUP),
            handshake: Handshake::new(Opening::new(&profile, launch), client),
            wire: Wire::default(),
            turn: PromptTurn::default(),
            restore: Restore::default(),
            agent_settings: AgentSettings::default(),
            questions: Questions::new(memory),
            own: OwnCalls::new(runner, Arc::new(tools)),
            terminals: Terminals::default(),
            worker: Worker::default(),
            guidance: Guidance::new(Recipes::new(launch.hook.clone(), launch.hook_off.clone())),
            place: Place {
                confinement,
                home: launch.home.clone(),
                folder,
                overlay: None,
                consented: false,
            },
            facts: Arc::new(AgentFacts {
                profile,
                policy,
                names,
                hidden: launch.hidden.clone(),
            }),
        }
    }
}

fn user_servers(env: &BTreeMap<String, String>) -> UserServers {
    let folder = places::settings_folder(env);
    folder.map_or_else(UserServers::default, |folder| {
        UserServers::read(&folder.join("mcp.json"), env)
    })
}

/// How the agent's model sees our tools.
fn names(mcp: &McpDelivery, shared: &Shared) -> NameForm {
    NameForm::new(&mcp.as_seen, SERVER)
        .backed_by(shared.host.surroundings())
        .renaming(mcp.renamed.clone())
}

/// Runs commands for the agent, from the engine's own environment.
fn runner(session: u64, folder: &Path, shared: &Shared) -> CommandRunner {
    let (guardian, env) = (shared.guardian.clone(), shared.config.env.clone());
    let terminals = shared.host.client_terminals(session);
    CommandRunner::new(folder.join("runs"), guardian, env).with_terminals(terminals)
}

fn tracker(confinement: &Confinement, options: &SessionOptions) -> DenialTracker {
    let root = confinement.root().display().to_string();
    DenialTracker::new(options.settings.deny_threshold, &root)
}

/// A start that failed has its error and its summary, as every session has.
fn not_started(number: u64, agent: String, error: &EngineError, shared: &mut Shared) {
    let body = EventBody::Error {
        kind: ErrorKind::Spawn,
        text: error.to_string(),
        hint: error.hint().map(str::to_owned),
    };
    shared.emit(number, 0, body);
    let summary = Summary {
        agent,
        stop_reason: "not_started".to_owned(),
        ..Summary::default()
    };
    shared.emit(number, 0, EventBody::Summary(summary));
}
