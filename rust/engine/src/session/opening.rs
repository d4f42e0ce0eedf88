//! Puts a session together: profile, wishes, folder, token and launch become an agent's process and its owner.
//!
//! Nothing has been said to the agent yet. What fails here is told before anything was started.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use siderail_acp::connection::Connection;
use siderail_acp::process::CommandLine;
use siderail_acp::requests::McpServer;
use siderail_acp::session::EarlyUpdates;
use siderail_acp::trace::TrafficLog;
use siderail_guard::canary::Canary;
use siderail_guard::denial::DenialTracker;
use siderail_guard::guidance::NameForm;
use siderail_guard::policy::Policy;
use siderail_mcp::{Listener, ServerInfo, SessionServer};

use super::process::{open_trace, spawn_agent};
use super::recipes::Recipes;
use super::{Input, Limit, Phase, STARTUP, Session};
use crate::api::{self, ApiAccess};
use crate::command::SessionOptions;
use crate::confine::Confinement;
use crate::consent::Journal;
use crate::delivery::Delivery;
use crate::engine::Shelf;
use crate::error::EngineError;
use crate::event::{EventBody, Summary};
use crate::launch::{Launch, Values, Wishes, codex_hooks, prepare};
use crate::memory::Memory;
use crate::profile::Profile;
use crate::tools::command::CommandRunner;
use crate::tools::{self, SERVER};

/// What the handshake says beside the project's folder.
pub(crate) struct Opening {
    pub(super) mcp_servers: Vec<McpServer>,
    pub(super) meta: Value,
    /// The login method to use by itself, where what it needs is there.
    pub(super) auth_method: Option<String>,
}

/// What a session is made of, before anything is started.
struct Plan {
    number: u64,
    options: SessionOptions,
    profile: Profile,
    policy: Policy,
    confinement: Confinement,
    folder: PathBuf,
}

impl Plan {
    fn new(
        number: u64,
        options: SessionOptions,
        profile: Profile,
        shelf: &Shelf,
    ) -> Result<Self, EngineError> {
        let policy = Policy::parse(&options.policy).ok_or_else(|| EngineError::Setting {
            what: format!("policy `{}`", options.policy),
            why: "it is none of redirect, ask, observe, yolo".to_owned(),
        })?;
        let confinement = Confinement::new(&options.project).map_err(|e| EngineError::Project {
            path: options.project.clone(),
            why: e.to_string(),
        })?;
        let folder = shelf.config.runtime_dir.join(format!("session-{number}"));
        make_folder(&folder)?;
        Ok(Self {
            number,
            options,
            profile,
            policy,
            confinement,
            folder,
        })
    }

    /// Fills the recipes. A hook, an API or hiding would defeat the purpose of only watching.
    fn launch(
        &self,
        token: &str,
        api: Option<&ApiAccess>,
        shelf: &Shelf,
        listener: &Listener,
    ) -> Result<Launch, EngineError> {
        let watched = self.policy != Policy::Observe;
        let options = &self.options;
        let wishes = Wishes {
            command: options.agent_command.as_deref(),
            env: &options.agent_env,
            hide: options.hide && watched,
            hook: watched,
            consent: options.consent.contains(&self.profile.name),
        };
        let home = options
            .agent_env
            .get("HOME")
            .or_else(|| shelf.config.env.get("HOME"));
        let values = Values {
            server: SERVER,
            relay: &shelf.config.relay,
            folder: &self.folder,
            socket: &listener.path().display().to_string(),
            token,
            home: home.map_or("", String::as_str),
            api_port: api.map_or(0, |api| api.port),
            api_password: api.map_or("", |api| api.password.as_str()),
            codex_hooks: codex_hooks(&options.agent_env),
        };
        let launch = prepare(&self.profile, &wishes, &shelf.config.env, &values)?;
        if let Some((file, ours)) = &launch.consent {
            let keep = shelf.config.keep_consent.contains(&self.profile.name);
            let journal = Journal::new(&shelf.config.state_dir);
            let applied = journal.apply(&self.profile.name, file, ours, keep);
            applied.map_err(|e| EngineError::Runtime {
                what: "the agent's hook".to_owned(),
                path: file.clone(),
                why: e.to_string(),
            })?;
        }
        Ok(launch)
    }
}

impl Session {
    /// Starts an agent; `None` when it failed at once, with `ERROR` and `SUMMARY` already out.
    pub(crate) fn start(
        number: u64,
        options: SessionOptions,
        shelf: &mut Shelf,
        listener: &Listener,
    ) -> Option<Self> {
        let agent = options.agent.clone();
        match Self::prepare(number, options, shelf, listener) {
            Ok((session, command, trace)) => {
                let inputs = shelf.inputs.clone();
                let guardian = shelf.guardian.clone();
                tokio::spawn(async move {
                    let started = spawn_agent(number, command, guardian, trace, &inputs).await;
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
            Err(error) => {
                listener.revoke(number);
                let (kind, hint) = ("spawn".to_owned(), error.hint().map(str::to_owned));
                shelf.emit(
                    number,
                    0,
                    EventBody::Error {
                        kind,
                        text: error.to_string(),
                        hint,
                    },
                );
                let stop_reason = "not_started".to_owned();
                let summary = Summary {
                    agent,
                    stop_reason,
                    ..Summary::default()
                };
                shelf.emit(number, 0, EventBody::Summary(summary));
                None
            }
        }
    }

    fn prepare(
        number: u64,
        options: SessionOptions,
        shelf: &Shelf,
        listener: &Listener,
    ) -> Result<(Self, CommandLine, Option<TrafficLog>), EngineError> {
        let profile = shelf
            .profiles
            .get(&options.agent, options.agent_command.is_some())?;
        let plan = Plan::new(number, options, profile, shelf)?;
        let info = ServerInfo {
            name: SERVER.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instructions: tools::instructions(&shelf.offered),
        };
        let server = SessionServer {
            info,
            tools: Arc::clone(&shelf.tools),
        };
        let token = listener.register(number, server);
        let api = match &plan.profile.api {
            Some(_) if plan.policy != Policy::Observe => Some(new_api(&plan.folder)?),
            _ => None,
        };
        let mut launch = plan.launch(token.as_str(), api.as_ref(), shelf, listener)?;
        let trace = open_trace(plan.options.trace.as_deref(), token.as_str(), &launch.env)?;
        let overlay = launch.overlay.take();
        let hook = plan.profile.hook.as_ref();
        let after_allow = launch.hook.is_some() && hook.is_some_and(|hook| hook.after_allow);
        let names = NameForm::new(&plan.profile.mcp.as_seen, SERVER);
        let mut session = Self::new(plan, names, &launch, shelf);
        session.api = api;
        session.overlay = overlay;
        session.hook_after_allow = after_allow;
        session.consented = launch.consent.is_some();
        session.recipes.relay_env = [
            ("SIDERAIL_SOCKET", listener.path().display().to_string()),
            ("SIDERAIL_TOKEN", token.as_str().to_owned()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec();
        let command = CommandLine {
            program: launch.program,
            args: launch.args,
            env: launch.env,
            cwd: session.root().to_owned(),
        };
        Ok((session, command, trace))
    }

    /// A session without an agent, for a plain MCP client: our tools and their gate, nobody to ask.
    ///
    /// What a person would be asked about goes ahead, since such clients ask by themselves; what is
    /// dangerous or protected does not.
    pub(crate) fn plain(number: u64, project: &Path, shelf: &Shelf) -> Result<Self, EngineError> {
        let options = SessionOptions {
            policy: Policy::Yolo.as_str().to_owned(),
            answer: Some(false),
            project: project.to_owned(),
            ..SessionOptions::default()
        };
        let profile = shelf.profiles.get("mcp", true)?;
        let plan = Plan::new(number, options, profile, shelf)?;
        let launch = Launch {
            env: shelf.config.env.clone(),
            ..Launch::default()
        };
        let mut session = Self::new(plan, NameForm::new("{tool}", SERVER), &launch, shelf);
        session.phase = Phase::Ready;
        session.limit = None;
        Ok(session)
    }

    fn new(plan: Plan, names: NameForm, launch: &Launch, shelf: &Shelf) -> Self {
        let Plan {
            number,
            options,
            profile,
            policy,
            confinement,
            folder,
        } = plan;
        let now = Instant::now();
        Self {
            number,
            policy,
            home: launch.env.get("HOME").cloned(),
            names,
            phase: Phase::Starting,
            started: now,
            agent: None,
            connection: Connection::new(),
            acp: None,
            early: EarlyUpdates::default(),
            initialized: None,
            opening: Opening {
                mcp_servers: launch.mcp_servers.clone(),
                meta: launch.session_meta.clone(),
                auth_method: profile.auth_method.clone().filter(|_| {
                    profile
                        .auth_env
                        .as_ref()
                        .is_none_or(|name| launch.env.contains_key(name))
                }),
            },
            hidden: launch.hidden.clone(),
            queue: VecDeque::new(),
            turn: 0,
            cancelling: None,
            stop_reason: None,
            asks: BTreeMap::new(),
            denied: Vec::new(),
            memory: Memory::of_project(&shelf.config.state_dir, confinement.root()),
            own_calls: BTreeMap::new(),
            open_files: BTreeMap::new(),
            approved_paths: HashSet::new(),
            approved_commands: Vec::new(),
            refused: Vec::new(),
            refusal_failed: false,
            hook_after_allow: false,
            consented: false,
            named: Vec::new(),
            ended: HashSet::new(),
            expected: Vec::new(),
            api: None,
            overlay: None,
            terminals: BTreeMap::new(),
            runner: Arc::new(CommandRunner::new(
                folder.join("runs"),
                shelf.guardian.clone(),
                shelf.config.env.clone(),
            )),
            edits: siderail_mcp::edit_queue::EditQueue::default(),
            delivery: Delivery::default(),
            tracker: DenialTracker::new(
                shelf.config.deny_threshold,
                &confinement.root().display().to_string(),
            ),
            canary: Canary::new(&profile.guard.unasked, launch.hook.is_some()),
            recipes: Recipes::new(launch.hook.clone()),
            unguarded: false,
            n_denials: BTreeMap::new(),
            files_written: Vec::new(),
            heard: now,
            inactivity: shelf.config.inactivity,
            limit: Some((now + STARTUP, Limit::Startup)),
            exit: None,
            output_closed: false,
            options,
            profile,
            confinement,
            folder,
        }
    }
}

/// A port and a password for the agent's own API.
fn new_api(folder: &Path) -> Result<ApiAccess, EngineError> {
    let failed = |why: String| EngineError::Runtime {
        what: "the access to the agent's API".to_owned(),
        path: folder.to_owned(),
        why,
    };
    let port = api::free_port().map_err(|e| failed(e.to_string()))?;
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(|e| failed(e.to_string()))?;
    let password = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(ApiAccess { port, password })
}

fn make_folder(folder: &Path) -> Result<(), EngineError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|e| EngineError::Runtime {
        what: "the session's folder".to_owned(),
        path: folder.to_owned(),
        why: e.to_string(),
    })
}
