//! The handshake, until prompts may be sent: `initialize`, login, `session/new`, mode.
//!
//! Whatever fails here says what happened, shows the agent's last words on stderr, and ends the session
//! with its summary. Nothing here judges an action.

use std::time::Instant;

use serde_json::{Value, value::RawValue};
use siderail_acp::initialize::{AgentCapabilities, InitializeResult, NewSessionResult};
use siderail_acp::requests::{self, ClientFeatures, SessionSetup};
use siderail_acp::wire::{RpcError, codes};
use siderail_guard::policy::Policy;

use crate::event::{ErrorKind, EventBody};
use crate::history::{Archive, Recording};
use crate::session::agent_settings::FirstSettings;
use crate::session::lifecycle::process::{StartFailure, Started};
use crate::session::modes::{current_mode, note_setting};
use crate::session::{Agent, STARTUP, Session, Tag};
use crate::shared::Shared;
use crate::tools;

impl Session {
    /// The process runs (or does not): say hello.
    pub(in crate::session) fn process_started(
        &mut self,
        started: Result<Started, StartFailure>,
        shared: &mut Shared,
    ) {
        let started = match started {
            Ok(started) => started,
            Err(failure) => {
                let is_own = self.carried.options.agent_command.is_some();
                let hint = not_there(&self.facts.profile.install, is_own);
                self.fail(ErrorKind::Spawn, failure.text, Some(hint), shared);
                return self.finish(shared);
            }
        };
        self.wire.heard = Instant::now();
        self.wire.agent = Some(Agent {
            outbound: started.outbound,
            stop: Some(started.stop),
            stderr: started.stderr,
        });
        if self.is_closing() {
            return self.wire.stop_agent();
        }
        let features = ClientFeatures {
            read_files: self.facts.profile.advertise_fs,
            write_files: self.facts.profile.advertise_fs,
            terminal: self.facts.profile.advertise_terminal,
            elicitation_form: Self::can_ask(shared),
            elicitation_url: Self::can_ask(shared),
            auth_terminal: true,
        };
        let version = env!("CARGO_PKG_VERSION");
        let params = requests::initialize("siderail", "Siderail", version, features);
        let params = match &self.handshake.client {
            Some(client) => client.hello(&params),
            None => params,
        };
        self.request(requests::INITIALIZE, &params, Tag::Initialize, shared);
    }

    /// Sends one of our requests.
    pub(in crate::session) fn request(
        &mut self,
        method: &str,
        params: &Value,
        tag: Tag,
        shared: &mut Shared,
    ) {
        let (_, line) = self.wire.request(method, params, tag);
        self.send(line, shared);
    }

    /// The answer to a request of the handshake.
    pub(in crate::session) fn handshake_answer(
        &mut self,
        tag: &Tag,
        outcome: Result<Box<RawValue>, RpcError>,
        shared: &mut Shared,
    ) {
        // A late answer must not bring a session back that is ending.
        if self.is_closing() {
            return;
        }
        match (tag, outcome) {
            (Tag::Initialize, Ok(result)) => self.initialized(&result, shared),
            (Tag::OpenPassed, outcome) => self.opened_for_client(outcome, shared),
            (Tag::Authenticate, Ok(_)) => self.logged_in(shared),
            // The client is told by the agent's answer when it opens a session.
            (Tag::Authenticate, Err(_)) if self.handshake.client.is_some() => {
                self.open_session(shared)
            }
            (Tag::NewSession, Ok(result)) => self.session_opened(&result, shared),
            (Tag::List, outcome) => self.sessions_listed(&outcome, shared),
            (Tag::Delete, outcome) => self.session_deleted(&outcome),
            (Tag::Restore, outcome) => self.restored(outcome, shared),
            (Tag::SetMode { setting, mode }, outcome) => {
                match outcome {
                    Ok(result) => {
                        if let Some(acp) = &mut self.handshake.acp {
                            note_setting(acp, setting, &result);
                            acp.set_mode(mode);
                        }
                    }
                    Err(error) => self
                        .guidance
                        .recipes
                        .mode_off(format!("the agent rejected the mode `{mode}`: {error}")),
                }
                self.check_recipes(shared);
            }
            (Tag::HookListing, outcome) => self.hooks_listed(outcome, shared),
            (_, Err(error)) if error.code == codes::AUTH_REQUIRED => {
                self.login_needed(&error, shared)
            }
            (Tag::Authenticate, Err(error)) => {
                self.login_failed(format!("the agent refused the login: {error}"), shared);
            }
            (tag, Err(error)) => {
                let step = match tag {
                    Tag::Initialize => "initialize",
                    _ => "session/new",
                };
                let text = format!("the agent refused {step}: {error}");
                self.fail(ErrorKind::Handshake, text, None, shared);
            }
            (
                Tag::Prompt
                | Tag::Close
                | Tag::Steering(_)
                | Tag::Steer(_)
                | Tag::Set(_)
                | Tag::Passed(_)
                | Tag::BeforePrompt { .. },
                Ok(_),
            ) => {}
        }
    }

    fn initialized(&mut self, result: &RawValue, shared: &mut Shared) {
        let result = match InitializeResult::read(result) {
            Ok(result) => result,
            Err(error) => return self.fail(ErrorKind::Protocol, error.to_string(), None, shared),
        };
        self.handshake.initialized = Some(result);
        self.tell_client_initialized(shared);
        if !self.logs_in(shared) {
            self.open_session(shared);
        }
    }

    pub(in crate::session) fn open_session(&mut self, shared: &mut Shared) {
        let Some(initialized) = &self.handshake.initialized else {
            return;
        };
        let capabilities = initialized.capabilities.clone();
        if self.handshake.client.is_some() {
            return self.open_for_client(&capabilities, shared);
        }
        if self.restore(shared) {
            return;
        }
        let setup = self.setup(&capabilities, shared);
        let params = setup.new_session(&capabilities);
        self.request(requests::NEW_SESSION, &params, Tag::NewSession, shared);
    }

    /// What the agent is told about the session to open, new or not; servers that it does not get are told.
    pub(in crate::session) fn setup(
        &self,
        capabilities: &AgentCapabilities,
        shared: &mut Shared,
    ) -> SessionSetup {
        let servers = &self.handshake.opening.servers;
        let (more, told) = servers.for_agent(capabilities, &self.facts.profile.mcp);
        for text in told {
            self.notice(&text, shared);
        }
        let mut mcp_servers = self.handshake.opening.mcp_servers.clone();
        mcp_servers.extend(more);
        let instructs = self.facts.policy != Policy::Observe;
        let folders = self.carried.options.additional_directories.iter();
        let folders = folders.map(|folder| folder.display().to_string());
        let mut additional_directories = self.place.further_roots_text();
        additional_directories.extend(folders);
        SessionSetup {
            cwd: self.root_text(),
            mcp_servers,
            additional_directories,
            system_prompt: instructs
                .then(|| tools::system_prompt(&self.facts.names, &shared.offered)),
            meta: self.handshake.opening.meta.clone(),
        }
    }

    fn session_opened(&mut self, result: &RawValue, shared: &mut Shared) {
        let opened = match NewSessionResult::read(result) {
            Ok(opened) => opened,
            Err(error) => return self.fail(ErrorKind::Protocol, error.to_string(), None, shared),
        };
        self.opened(&opened, shared);
    }

    /// The agent's session is there; what is left is its mode.
    pub(in crate::session) fn opened(&mut self, opened: &NewSessionResult, shared: &mut Shared) {
        let acp = siderail_acp::Session::open(opened);
        let id = opened.session_id.clone();
        let options = &self.carried.options;
        let set = options.settings.mode.of(&options.agent);
        let usual = self.facts.profile.mode.as_deref();
        let first = match FirstSettings::of(&acp, set, usual, &options.set) {
            Ok(first) => first,
            Err((text, hint)) => return self.fail(ErrorKind::Setting, text, hint, shared),
        };
        for setting in first.options {
            self.carried.due.add(setting);
        }
        self.carried.due.make_again();
        self.handshake.acp = Some(acp);
        if !self.restore.is_under_way() {
            for early in self.handshake.early.take(&id) {
                self.update(early.update, shared);
            }
        }
        match first.mode_change {
            Some(setting) => {
                let tag = Tag::SetMode {
                    setting: setting.clone(),
                    mode: first.mode.unwrap_or_default(),
                };
                self.send_setting(&setting, tag, shared);
            }
            None => {
                self.mode_not_offered(first.mode.as_deref());
                self.check_recipes(shared);
            }
        }
    }

    pub(in crate::session) fn ready(&mut self, shared: &mut Shared) {
        if !self.lifecycle.ready() {
            return;
        }
        let Some(acp) = &self.handshake.acp else {
            return;
        };
        let mut told = None;
        if self.carried.options.settings.history {
            told = shared.history.begin(
                self.number,
                Recording {
                    archive: Archive::of_project(&shared.config.state_dir, self.root()),
                    project: self.root().to_owned(),
                    agent: self.facts.profile.name.clone(),
                    agent_session: acp.id().to_owned(),
                    redaction: self.wire.record.secrets.in_traffic(),
                    continues: self.carried.options.resume.clone(),
                },
            );
        }
        let started = EventBody::SessionStarted {
            agent: self.facts.profile.name.clone(),
            version: self.handshake.agent_version(),
            agent_session: acp.id().to_owned(),
            policy: self.facts.policy.into(),
            mode: current_mode(acp).map(str::to_owned),
            images: self
                .handshake
                .initialized
                .as_ref()
                .is_some_and(|i| i.capabilities.image),
        };
        self.emit(started, shared);
        if !self.facts.hidden.is_empty() {
            self.emit(
                EventBody::Hidden {
                    tools: self.facts.hidden.clone(),
                },
                shared,
            );
        }
        self.tell_options(shared);
        self.tell_commands(shared);
        self.check_memory(shared);
        self.tell_recipes(shared);
        self.show_restored(shared);
        // Behind all that is shown again, where it is seen.
        for text in std::mem::take(&mut self.carried.options.notices)
            .into_iter()
            .chain(told)
        {
            self.notice(&text, shared);
        }
        self.next_prompt(shared);
    }

    /// The program has said much and nothing of the protocol, and there is no use in waiting.
    pub(in crate::session) fn is_no_agent(&mut self, shared: &mut Shared) {
        if let Some((text, hint)) = self.wire.noise.no_agent() {
            self.fail(ErrorKind::Protocol, text, Some(hint), shared);
        }
    }

    pub(in crate::session) fn startup_overdue(&mut self, now: Instant, shared: &mut Shared) {
        if self.is_telling() {
            return;
        }
        self.is_no_agent(shared);
        if self.login_overdue(shared) {
            return;
        }
        let text = format!(
            "the agent did not finish its handshake in {} s: {}",
            STARTUP.as_secs(),
            self.waits_for(now)
        );
        let hint =
            "run its command yourself to see what it waits for: a login, the network, an update"
                .to_owned();
        self.fail(ErrorKind::Handshake, text, Some(hint), shared);
    }
}

/// What helps where the agent's program does not start. `is_own`: a person has given its command line.
fn not_there(install: &str, is_own: bool) -> String {
    match install {
        _ if is_own => "check the agent's command line".to_owned(),
        "" => "check the program named in the agent's profile".to_owned(),
        install => format!("to install it: {install}"),
    }
}
