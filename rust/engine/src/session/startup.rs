//! From `StartSession` to the first prompt: process, `initialize`, login, `session/new`, mode.
//!
//! Whatever fails here says what happened, shows the agent's last words on stderr, and ends the session
//! with its summary. Nothing here judges an action.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json, value::RawValue};
use siderail_acp::connection::Connection;
use siderail_acp::initialize::{AuthKind, AuthMethod, InitializeResult, NewSessionResult};
use siderail_acp::options::{ConfigOption, ConfigValue};
use siderail_acp::process::{
    CommandLine, Grace, Guardian, ProcessTree, SpawnError, StderrTail, Streams, login_environment,
};
use siderail_acp::redact::Redaction;
use siderail_acp::requests::{self, ClientFeatures, McpServer, SessionSetup};
use siderail_acp::session::EarlyUpdates;
use siderail_acp::trace::TrafficLog;
use siderail_acp::transport::{self, Outbound, TransportConfig};
use siderail_acp::wire::{RpcError, codes};
use siderail_guard::canary::Canary;
use siderail_guard::denial::DenialTracker;
use siderail_guard::guidance::NameForm;
use siderail_guard::policy::Policy;
use siderail_mcp::server::ServerInfo;
use siderail_mcp::{Listener, SessionServer};
use tokio::sync::{mpsc, oneshot};

use super::{Agent, Input, Limit, Phase, STARTUP, Session, Tag};
use crate::api::{self, ApiAccess};
use crate::command::SessionOptions;
use crate::confine::Confinement;
use crate::consent::Journal;
use crate::delivery::Delivery;
use crate::engine::Shelf;
use crate::error::EngineError;
use crate::event::{EventBody, Summary};
use crate::launch::{Launch, Values, Wishes, codex_hooks, prepare};
use crate::profile::Profile;
use crate::tools::command::CommandRunner;
use crate::tools::{self, SERVER};

/// What a process that has ended may still have said.
const LAST_WORDS: Duration = Duration::from_millis(250);
/// How long the user's login shell may take to tell its environment.
const LOGIN_SHELL: Duration = Duration::from_secs(5);

/// What the handshake says beside the project's folder.
pub(crate) struct Opening {
    mcp_servers: Vec<McpServer>,
    meta: Value,
    /// The login method to use by itself, where what it needs is there.
    auth_method: Option<String>,
}

/// A running agent process, wired up.
pub(crate) struct Started {
    outbound: Outbound,
    stop: oneshot::Sender<Grace>,
    stderr: StderrTail,
}

/// Why the agent's process could not be started.
pub(crate) struct StartFailure {
    text: String,
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
                let kind = "spawn".to_owned();
                let hint = error.hint().map(str::to_owned);
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
        let policy = Policy::parse(&options.policy).ok_or_else(|| EngineError::Setting {
            what: format!("policy `{}`", options.policy),
            why: "it is none of redirect, ask, observe, yolo".to_owned(),
        })?;
        let confinement = confined(&options.project)?;
        let names = NameForm::new(&profile.mcp.as_seen, SERVER);
        let folder = shelf.config.runtime_dir.join(format!("session-{number}"));
        make_folder(&folder)?;
        let info = ServerInfo {
            name: SERVER.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instructions: tools::instructions(&shelf.offered),
        };
        let token = listener.register(
            number,
            SessionServer {
                info,
                tools: Arc::clone(&shelf.tools),
            },
        );
        let watched = policy != Policy::Observe;
        let wishes = Wishes {
            command: options.agent_command.as_deref(),
            env: &options.agent_env,
            hide: options.hide && watched,
            hook: watched,
            consent: options.consent.contains(&profile.name),
        };
        let api = match &profile.api {
            Some(_) if watched => Some(new_api(&folder)?),
            _ => None,
        };
        let home = options
            .agent_env
            .get("HOME")
            .or_else(|| shelf.config.env.get("HOME"));
        let values = Values {
            server: SERVER,
            relay: &shelf.config.relay,
            folder: &folder,
            socket: &listener.path().display().to_string(),
            token: token.as_str(),
            home: home.map_or("", String::as_str),
            api_port: api.as_ref().map_or(0, |api| api.port),
            api_password: api.as_ref().map_or("", |api| api.password.as_str()),
            codex_hooks: codex_hooks(&options.agent_env),
        };
        let mut launch = prepare(&profile, &wishes, &shelf.config.env, &values)?;
        let overlay = launch.overlay.take();
        if let Some((file, ours)) = &launch.consent {
            let keep = shelf.config.keep_consent.contains(&profile.name);
            let journal = Journal::new(&shelf.config.state_dir);
            let applied = journal.apply(&profile.name, file, ours, keep);
            applied.map_err(|e| EngineError::Runtime {
                what: "the agent's hook".to_owned(),
                path: file.clone(),
                why: e.to_string(),
            })?;
        }
        let after_allow = launch.hook && profile.hook.as_ref().is_some_and(|h| h.after_allow);
        let trace = open_trace(options.trace.as_deref(), token.as_str(), &launch.env)?;
        let mut session = Self::new(
            number,
            options,
            profile,
            policy,
            confinement,
            folder,
            names,
            &launch,
            shelf,
        );
        session.api = api;
        session.overlay = overlay;
        session.hook_after_allow = after_allow;
        session.consented = launch.consent.is_some();
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
        let confinement = confined(project)?;
        let folder = shelf.config.runtime_dir.join(format!("session-{number}"));
        make_folder(&folder)?;
        let options = SessionOptions {
            policy: Policy::Yolo.as_str().to_owned(),
            answer: Some(false),
            ..SessionOptions::default()
        };
        let profile = shelf.profiles.get("mcp", true)?;
        let launch = Launch {
            env: shelf.config.env.clone(),
            ..Launch::default()
        };
        let names = NameForm::new("{tool}", SERVER);
        let mut session = Self::new(
            number,
            options,
            profile,
            Policy::Yolo,
            confinement,
            folder,
            names,
            &launch,
            shelf,
        );
        session.phase = Phase::Ready;
        session.limit = None;
        Ok(session)
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the one place where a session is put together"
    )]
    fn new(
        number: u64,
        options: SessionOptions,
        profile: Profile,
        policy: Policy,
        confinement: Confinement,
        folder: PathBuf,
        names: NameForm,
        launch: &Launch,
        shelf: &Shelf,
    ) -> Self {
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
            always: HashSet::new(),
            own_calls: BTreeMap::new(),
            open_files: BTreeMap::new(),
            approved_paths: HashSet::new(),
            approved_commands: Vec::new(),
            refused: Vec::new(),
            refusal_failed: false,
            hook_after_allow: false,
            consented: false,
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
            canary: Canary::new(&profile.guard.unasked, launch.hook),
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

    /// The process runs (or does not): say hello.
    pub(super) fn process_started(
        &mut self,
        started: Result<Started, StartFailure>,
        shelf: &mut Shelf,
    ) {
        let started = match started {
            Ok(started) => started,
            Err(failure) => {
                let hint = match self.profile.install.as_str() {
                    "" => "check the command that was given for the agent".to_owned(),
                    install => format!("to install it: {install}"),
                };
                self.fail("spawn", failure.text, Some(hint), shelf);
                return self.finish(shelf);
            }
        };
        self.heard = Instant::now();
        self.agent = Some(Agent {
            outbound: started.outbound,
            stop: Some(started.stop),
            stderr: started.stderr,
        });
        if self.phase == Phase::Closing {
            return self.stop_agent();
        }
        let features = ClientFeatures {
            read_files: self.profile.advertise_fs,
            write_files: self.profile.advertise_fs,
            terminal: self.profile.advertise_terminal,
            ..ClientFeatures::default()
        };
        let version = env!("CARGO_PKG_VERSION");
        let params = requests::initialize("siderail", "Siderail", version, features);
        self.request(requests::INITIALIZE, &params, Tag::Initialize, shelf);
    }

    /// Sends one of our requests.
    pub(super) fn request(&mut self, method: &str, params: &Value, tag: Tag, shelf: &mut Shelf) {
        let (_, line) = self.connection.request(method, params, tag);
        self.send(line, shelf);
    }

    /// The answer to a request of the handshake.
    pub(super) fn handshake_answer(
        &mut self,
        tag: &Tag,
        outcome: Result<Box<RawValue>, RpcError>,
        shelf: &mut Shelf,
    ) {
        match (tag, outcome) {
            (Tag::Initialize, Ok(result)) => self.initialized(&result, shelf),
            (Tag::Authenticate, Ok(_)) => self.open_session(shelf),
            (Tag::NewSession, Ok(result)) => self.session_opened(&result, shelf),
            (Tag::SetMode, outcome) => {
                if let Err(error) = outcome {
                    let text = format!("the mode could not be set: {error}");
                    self.emit(EventBody::AgentLog { text }, shelf);
                }
                self.ready(shelf);
            }
            (_, Err(error)) if error.code == codes::AUTH_REQUIRED => {
                self.login_needed(&error, shelf)
            }
            (tag, Err(error)) => {
                let step = match tag {
                    Tag::Initialize => "initialize",
                    Tag::Authenticate => "authenticate",
                    _ => "session/new",
                };
                let text = format!("the agent refused {step}: {error}");
                self.fail("handshake", text, None, shelf);
            }
            (Tag::Prompt | Tag::Steering(_), Ok(_)) => {}
        }
    }

    fn initialized(&mut self, result: &RawValue, shelf: &mut Shelf) {
        let result = match InitializeResult::read(result) {
            Ok(result) => result,
            Err(error) => return self.fail("protocol", error.to_string(), None, shelf),
        };
        let offered = |wanted: &String| result.auth_methods.iter().any(|m| m.id == *wanted);
        let method = self.opening.auth_method.clone().filter(offered);
        self.initialized = Some(result);
        match method {
            Some(method) => {
                let params = requests::authenticate(&method);
                self.request(requests::AUTHENTICATE, &params, Tag::Authenticate, shelf);
            }
            None => self.open_session(shelf),
        }
    }

    fn open_session(&mut self, shelf: &mut Shelf) {
        let Some(initialized) = &self.initialized else {
            return;
        };
        let instructs = self.policy != Policy::Observe;
        let setup = SessionSetup {
            cwd: self.root_text(),
            mcp_servers: self.opening.mcp_servers.clone(),
            additional_directories: Vec::new(),
            system_prompt: instructs.then(|| tools::system_prompt(&self.names, &shelf.offered)),
            meta: self.opening.meta.clone(),
        };
        let params = setup.new_session(&initialized.capabilities);
        self.request(requests::NEW_SESSION, &params, Tag::NewSession, shelf);
    }

    fn session_opened(&mut self, result: &RawValue, shelf: &mut Shelf) {
        let opened = match NewSessionResult::read(result) {
            Ok(opened) => opened,
            Err(error) => return self.fail("protocol", error.to_string(), None, shelf),
        };
        let mut acp = siderail_acp::Session::open(&opened);
        let id = opened.session_id.clone();
        let wanted = self
            .options
            .mode
            .clone()
            .or_else(|| self.profile.mode.clone());
        let change = wanted.as_deref().and_then(|mode| mode_change(&acp, mode));
        if let (None, Some(mode)) = (&change, &self.options.mode) {
            let text = format!("the agent has no mode `{mode}`");
            let hint = format!("its modes are: {}", mode_ids(&acp).join(", "));
            return self.fail("handshake", text, Some(hint), shelf);
        }
        if let (Some(_), Some(mode)) = (&change, &wanted) {
            acp.set_mode(mode);
        }
        self.acp = Some(acp);
        for early in self.early.take(&id) {
            self.update(&early.raw, shelf);
        }
        match change {
            Some((method, params)) => self.request(method, &params, Tag::SetMode, shelf),
            None => self.ready(shelf),
        }
    }

    fn ready(&mut self, shelf: &mut Shelf) {
        self.phase = Phase::Ready;
        self.limit = None;
        let Some(acp) = &self.acp else { return };
        let started = EventBody::SessionStarted {
            agent: self.profile.name.clone(),
            version: self
                .initialized
                .as_ref()
                .and_then(|i| i.agent.as_ref())
                .map(|agent| {
                    format!(
                        "{} {}",
                        agent.title.as_deref().unwrap_or(&agent.name),
                        agent.version
                    )
                }),
            agent_session: acp.id().to_owned(),
            policy: self.policy.as_str().to_owned(),
            mode: acp.modes().map(|modes| modes.current.clone()),
        };
        self.emit(started, shelf);
        if !self.hidden.is_empty() {
            self.emit(
                EventBody::Hidden {
                    tools: self.hidden.clone(),
                },
                shelf,
            );
        }
        self.next_prompt(shelf);
    }

    fn login_needed(&mut self, error: &RpcError, shelf: &mut Shelf) {
        let ways: Vec<String> = self
            .initialized
            .iter()
            .flat_map(|i| &i.auth_methods)
            .map(login_way)
            .collect();
        let mut hint = format!("log in with: {}", self.profile.login);
        if !ways.is_empty() {
            hint = format!("{hint}; the agent offers: {}", ways.join("; "));
        }
        self.fail(
            "login",
            format!("the agent wants a login: {error}"),
            Some(hint),
            shelf,
        );
    }

    pub(super) fn startup_overdue(&mut self, shelf: &mut Shelf) {
        let text = format!(
            "the agent did not finish its handshake in {} s",
            STARTUP.as_secs()
        );
        let hint = "start it by hand to see what it waits for".to_owned();
        self.fail("handshake", text, Some(hint), shelf);
    }
}

/// The request that sets a mode, by config option where there is one for it, else by the older way.
fn mode_change(acp: &siderail_acp::Session, mode: &str) -> Option<(&'static str, Value)> {
    if acp.modes().is_some_and(|modes| modes.has(mode)) {
        let params = json!({"sessionId": acp.id(), "modeId": mode});
        return Some((requests::SET_MODE, params));
    }
    let option = acp
        .config_options()
        .iter()
        .find(|option| offers(option, mode))?;
    let params = json!({"sessionId": acp.id(), "configId": option.id, "value": mode});
    Some((requests::SET_CONFIG_OPTION, params))
}

fn offers(option: &ConfigOption, mode: &str) -> bool {
    option.category.as_deref() == Some("mode") && choices(option).any(|choice| choice == mode)
}

fn choices(option: &ConfigOption) -> impl Iterator<Item = &str> {
    let choices = match &option.value {
        ConfigValue::Select { choices, .. } => choices.as_slice(),
        _ => &[],
    };
    choices.iter().map(|choice| choice.value.as_str())
}

fn mode_ids(acp: &siderail_acp::Session) -> Vec<&str> {
    let modes = acp.modes().into_iter().flat_map(|modes| &modes.available);
    let options = acp
        .config_options()
        .iter()
        .filter(|o| o.category.as_deref() == Some("mode"));
    modes
        .map(|mode| mode.id.as_str())
        .chain(options.flat_map(choices))
        .collect()
}

/// A login method in words: the exact command where there is one.
fn login_way(method: &AuthMethod) -> String {
    let how = match &method.kind {
        AuthKind::Command { command, args, .. } => format!("{command} {}", args.join(" ")),
        AuthKind::Terminal { args, .. } => format!("the agent's program with {}", args.join(" ")),
        AuthKind::Environment { vars } => format!("set {}", vars.join(" or ")),
        AuthKind::Agent | AuthKind::Unknown { .. } => method.id.clone(),
    };
    format!("{}: {}", method.name, how.trim())
}

fn confined(project: &Path) -> Result<Confinement, EngineError> {
    Confinement::new(project).map_err(|e| EngineError::Project {
        path: project.to_owned(),
        why: e.to_string(),
    })
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

fn open_trace(
    path: Option<&Path>,
    token: &str,
    env: &BTreeMap<String, String>,
) -> Result<Option<TrafficLog>, EngineError> {
    let Some(path) = path else { return Ok(None) };
    let secret = |(name, value): (&String, &String)| is_secret(name).then(|| value.clone());
    let redaction = Redaction::new(env.iter().filter_map(secret).chain([token.to_owned()]));
    let shown = path.display().to_string();
    let failed = move |e| tracing::error!("the trace file {shown} is not written any more: {e}");
    let log = TrafficLog::create(path, redaction, failed).map_err(|e| EngineError::Setting {
        what: format!("the trace file {}", path.display()),
        why: e.to_string(),
    })?;
    Ok(Some(log))
}

/// Whether a variable of that name holds something that must not be written down.
fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"]
        .iter()
        .any(|word| name.contains(word))
}

/// Starts the process and the two tasks around it: one forwards its lines, one owns its life.
async fn spawn_agent(
    session: u64,
    mut command: CommandLine,
    guardian: Option<Guardian>,
    trace: Option<TrafficLog>,
    inputs: &mpsc::Sender<Input>,
) -> Result<Started, StartFailure> {
    let mut spawned = ProcessTree::spawn(&command, guardian.as_ref(), Streams::Piped);
    if matches!(spawned, Err(SpawnError::NotFound { .. })) {
        // Programs started from a desktop lack what the user's shell adds to PATH.
        let shell = command
            .env
            .get("SHELL")
            .cloned()
            .unwrap_or_else(|| "/bin/sh".to_owned());
        if let Some(login) = login_environment(Path::new(&shell), &command.env, LOGIN_SHELL).await
            && let Some(path) = login.get("PATH")
        {
            command.env.insert("PATH".to_owned(), path.clone());
            spawned = ProcessTree::spawn(&command, guardian.as_ref(), Streams::Piped);
        }
    }
    let mut tree = spawned.map_err(|e| StartFailure {
        text: e.to_string(),
    })?;
    let (Some(stdin), Some(stdout), Some(stderr)) =
        (tree.stdin.take(), tree.stdout.take(), tree.stderr.take())
    else {
        return Err(StartFailure {
            text: "the agent's streams are not connected".to_owned(),
        });
    };
    let tap = trace.as_ref().map(TrafficLog::tap);
    let stderr = StderrTail::follow(stderr, tap.clone());
    let config = TransportConfig {
        tap,
        ..TransportConfig::default()
    };
    let transport = transport::over(stdout, stdin, config);
    let mut lines = transport.inbound;
    let forward = inputs.clone();
    tokio::spawn(async move {
        while let Some(inbound) = lines.recv().await {
            if forward
                .send(Input::Agent { session, inbound })
                .await
                .is_err()
            {
                break;
            }
        }
    });
    let (stop, stopped) = oneshot::channel();
    let done = inputs.clone();
    let outbound = transport.outbound.clone();
    tokio::spawn(async move {
        let exit = tokio::select! {
            exit = tree.wait() => {
                // Whoever of its children is left goes with it.
                tree.kill_now();
                exit
            }
            grace = stopped => {
                outbound.close();
                tree.stop(grace.unwrap_or_default()).await
            }
        };
        outbound.end_inbound(LAST_WORDS);
        if let Some(trace) = trace {
            trace.note(json!({"exit": exit.code, "signal": exit.signal}));
        }
        let _ = done.send(Input::Exited { session, exit }).await;
    });
    Ok(Started {
        outbound: transport.outbound,
        stop,
        stderr,
    })
}
