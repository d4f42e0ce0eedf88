//! Puts a session together: what its worker has prepared goes to the parts that own it, and as a rule an agent's process is
//! started. Nothing has been said to the agent yet.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use siderail_guard::canary::Canary;
use siderail_guard::guidance::NameForm;

#[cfg(test)]
use crate::command::SessionOptions;
use crate::launch::Launch;
use crate::memory::Memory;
use crate::session::agent_facts::AgentFacts;
use crate::session::agent_settings::AgentSettings;
use crate::session::carried::Carried;
use crate::session::client_files::table::FileRequests;
use crate::session::elicitation::table::Elicitations;
use crate::session::folders::Folders;
use crate::session::guidance::Guidance;
use crate::session::guidance::recipes::Recipes;
use crate::session::lifecycle::opening::plan::{Plan, Prepared};
use crate::session::lifecycle::{Lifecycle, STARTUP, opening};
use crate::session::outer_client::Client;
use crate::session::own_calls::OwnCalls;
use crate::session::permissions::Questions;
use crate::session::prompt_turn::PromptTurn;
use crate::session::record::Record;
use crate::session::restore::Restore;
use crate::session::terminals::table::Terminals;
use crate::session::wire::Wire;
use crate::session::wire::process::spawn_agent;
use crate::session::worker::Worker;
use crate::session::{Input, Session, Then};
use crate::shared::Shared;
use crate::tools::EngineTools;
use crate::tools::command::CommandRunner;

impl Session {
    /// A session whose agent is to be started, with the worker that has prepared it.
    pub(super) fn prepared(prepared: Prepared, worker: Worker<Then>, shared: &Shared) -> Self {
        let Prepared {
            plan,
            has_agent,
            names,
            mut launch,
            servers,
            secrets,
            trace,
            relay_env,
            api,
        } = prepared;
        let number = plan.number;
        let overlay = launch.overlay.take();
        let after_allow = opening::hook_after_allow(&launch, &plan.profile);
        let mut session = Self::new(plan, names, &launch, shared);
        session.worker = worker;
        if !has_agent {
            return session;
        }
        if let Some(shows) = shared.host.shows_output(number) {
            let hidden = secrets.in_traffic();
            let shows = move |text: &str| shows(&hidden.known(text.to_owned()));
            session.own_calls.runner.show_output(Arc::new(shows));
        }
        session.wire.record = Record { secrets, trace };
        session.folders.overlay = overlay;
        session.permissions.hook.is_after_allow = after_allow;
        session.folders.consented = launch.consent.is_some();
        session.guidance.recipes.relay_env = relay_env;
        session.guidance.api = api;
        let opening = opening::Opening::new(&session.agent_facts.profile, &launch, servers);
        let command = opening::command_line(launch, session.root());
        let until = Instant::now() + STARTUP;
        session.lifecycle.start(command, opening, until);
        session
    }

    /// Starts the agent's process, unless the session was ended while it was prepared.
    pub(super) fn start_agent(&mut self, shared: &mut Shared) {
        if self.is_closing() {
            return self.finish(shared);
        }
        let Some(command) = self.lifecycle.take_command() else {
            return;
        };
        let session = self.carried.number;
        let inputs = shared.inputs.clone();
        let guardian = shared.guardian.clone();
        let trace = self.wire.record.trace.clone();
        let lines = self.lifecycle.peers.client.is_some();
        shared.spawn(async move {
            let started = spawn_agent(session, command, guardian, trace, lines, &inputs).await;
            let started = Box::new(started);
            Input::Started { session, started }
        });
    }

    /// One without an agent, prepared at once.
    #[cfg(test)]
    pub(crate) fn plain(
        number: u64,
        options: SessionOptions,
        shared: &Shared,
    ) -> Result<Self, crate::error::EngineError> {
        let prepared = opening::plan::Start::plain(number, options, shared)?.prepare()?;
        Ok(Self::prepared(prepared, Worker::default(), shared))
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
        let tracker = opening::tracker(confinement.root(), &options);
        let client = options.client.clone().map(Client::new);
        let memory = Memory::of_project(&shared.config.state_dir, confinement.root());
        let carried = Carried::new(number, now, options, tracker, canary, memory);
        let tools = EngineTools::new(
            Arc::clone(&runner),
            shared.guardian.clone(),
            shared.config.env.clone(),
        );
        Self {
            carried,
            lifecycle: Lifecycle::new(client),
            wire: Wire::default(),
            turn: PromptTurn::default(),
            restore: Restore::default(),
            agent_settings: AgentSettings::default(),
            permissions: Questions::default(),
            own_calls: OwnCalls::new(runner, Arc::new(tools)),
            client_files: FileRequests::default(),
            terminals: Terminals::default(),
            elicitation: Elicitations::default(),
            worker: Worker::default(),
            guidance: Guidance::new(Recipes::new(launch.hook.clone(), launch.hook_off.clone())),
            folders: Folders {
                waiting_roots: Vec::new(),
                confinement,
                home: launch.home.clone(),
                folder,
                overlay: None,
                consented: false,
            },
            agent_facts: Arc::new(AgentFacts {
                profile,
                policy,
                names,
                hidden: launch.hidden.clone(),
            }),
        }
    }
}

/// Runs commands for the agent, from the engine's own environment.
fn runner(session: u64, folder: &Path, shared: &Shared) -> CommandRunner {
    let (guardian, env) = (shared.guardian.clone(), shared.config.env.clone());
    let terminals = shared.host.client_terminals(session);
    CommandRunner::new(folder.join("runs"), guardian, env).with_terminals(terminals)
}
