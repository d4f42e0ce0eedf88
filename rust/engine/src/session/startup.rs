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

use super::awaited::Unanswered;
use super::modes::{current_mode, mode_change, modes_there_are, option_change};
use super::process::{StartFailure, Started};
use super::{Agent, Phase, STARTUP, Session, Tag};
use crate::event::{ErrorKind, EventBody, LogKind};
use crate::history::{Archive, Recording};
use crate::shelf::Shelf;
use crate::tools;

impl Session {
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
                    _ if self.options.agent_command.is_some() => {
                        "check the command that was given for the agent".to_owned()
                    }
                    "" => "check the program that the profile names".to_owned(),
                    install => format!("to install it: {install}"),
                };
                self.fail(ErrorKind::Spawn, failure.text, Some(hint), shelf);
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
            elicitation_form: Self::can_ask(shelf),
            elicitation_url: Self::can_ask(shelf),
            auth_terminal: true,
        };
        let version = env!("CARGO_PKG_VERSION");
        let params = requests::initialize("siderail", "Siderail", version, features);
        let params = match &self.client {
            Some(client) => client.hello(&params),
            None => params,
        };
        self.request(requests::INITIALIZE, &params, Tag::Initialize, shelf);
    }

    /// Sends one of our requests.
    pub(super) fn request(&mut self, method: &str, params: &Value, tag: Tag, shelf: &mut Shelf) {
        let (id, line) = self.connection.request(method, params, tag);
        self.unanswered.insert(id, Unanswered::new(method));
        self.send(line, shelf);
    }

    /// The answer to a request of the handshake.
    pub(super) fn handshake_answer(
        &mut self,
        tag: &Tag,
        outcome: Result<Box<RawValue>, RpcError>,
        shelf: &mut Shelf,
    ) {
        // A late answer must not bring a session back that is ending.
        if self.is_closing() {
            return;
        }
        match (tag, outcome) {
            (Tag::Initialize, Ok(result)) => self.initialized(&result, shelf),
            (Tag::OpenPassed, outcome) => self.opened_for_client(outcome, shelf),
            (Tag::Authenticate, Ok(_)) => self.logged_in(shelf),
            // The client is told by the agent's answer when it opens a session.
            (Tag::Authenticate, Err(_)) if self.client.is_some() => self.open_session(shelf),
            (Tag::NewSession, Ok(result)) => self.session_opened(&result, shelf),
            (Tag::List, outcome) => self.sessions_listed(&outcome, shelf),
            (Tag::Delete, outcome) => self.session_deleted(&outcome),
            (Tag::Restore, outcome) => self.restored(outcome, shelf),
            (Tag::SetMode { setting, mode }, outcome) => {
                match outcome {
                    Ok(result) => {
                        self.note_setting(setting, &result);
                        if let Some(acp) = &mut self.acp {
                            acp.set_mode(mode);
                        }
                    }
                    Err(error) => self
                        .recipes
                        .mode_off(format!("the agent did not take the mode `{mode}`: {error}")),
                }
                self.check_recipes(shelf);
            }
            (Tag::HookListing, outcome) => self.hooks_listed(outcome, shelf),
            (_, Err(error)) if error.code == codes::AUTH_REQUIRED => {
                self.login_needed(&error, shelf)
            }
            (Tag::Authenticate, Err(error)) => self.login_refused(&error, shelf),
            (tag, Err(error)) => {
                let step = match tag {
                    Tag::Initialize => "initialize",
                    _ => "session/new",
                };
                let text = format!("the agent refused {step}: {error}");
                self.fail(ErrorKind::Handshake, text, None, shelf);
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

    fn initialized(&mut self, result: &RawValue, shelf: &mut Shelf) {
        let result = match InitializeResult::read(result) {
            Ok(result) => result,
            Err(error) => return self.fail(ErrorKind::Protocol, error.to_string(), None, shelf),
        };
        self.initialized = Some(result);
        self.tell_client_initialized(shelf);
        if !self.logs_in(shelf) {
            self.open_session(shelf);
        }
    }

    pub(super) fn open_session(&mut self, shelf: &mut Shelf) {
        let Some(initialized) = &self.initialized else {
            return;
        };
        let capabilities = initialized.capabilities.clone();
        if self.client.is_some() {
            return self.open_for_client(&capabilities, shelf);
        }
        if self.restore(shelf) {
            return;
        }
        let setup = self.setup(&capabilities, shelf);
        let params = setup.new_session(&capabilities);
        self.request(requests::NEW_SESSION, &params, Tag::NewSession, shelf);
    }

    /// What the agent is told about the session to open, new or not; servers that it does not get are told.
    pub(super) fn setup(
        &self,
        capabilities: &AgentCapabilities,
        shelf: &mut Shelf,
    ) -> SessionSetup {
        let servers = &self.opening.servers;
        let (more, told) = servers.for_agent(capabilities, &self.profile.mcp);
        for text in told {
            let kind = LogKind::Notice;
            self.emit(EventBody::AgentLog { kind, text }, shelf);
        }
        let mut mcp_servers = self.opening.mcp_servers.clone();
        mcp_servers.extend(more);
        let instructs = self.policy != Policy::Observe;
        SessionSetup {
            cwd: self.root_text(),
            mcp_servers,
            additional_directories: self.additional_directories(),
            system_prompt: instructs.then(|| tools::system_prompt(&self.names, &shelf.offered)),
            meta: self.opening.meta.clone(),
        }
    }

    /// Further folders, for agents that take them.
    fn additional_directories(&self) -> Vec<String> {
        let folders = self.options.additional_directories.iter();
        folders.map(|folder| folder.display().to_string()).collect()
    }

    fn session_opened(&mut self, result: &RawValue, shelf: &mut Shelf) {
        let opened = match NewSessionResult::read(result) {
            Ok(opened) => opened,
            Err(error) => return self.fail(ErrorKind::Protocol, error.to_string(), None, shelf),
        };
        self.opened(&opened, shelf);
    }

    /// The agent's session is there; what is left is its mode.
    pub(super) fn opened(&mut self, opened: &NewSessionResult, shelf: &mut Shelf) {
        let acp = siderail_acp::Session::open(opened);
        let id = opened.session_id.clone();
        let set = self.options.settings.mode.of(&self.options.agent);
        let set = set.map(str::to_owned);
        let wanted = set.clone().or_else(|| self.profile.mode.clone());
        let change = wanted.as_deref().and_then(|mode| mode_change(&acp, mode));
        if let (None, Some(mode)) = (&change, &set) {
            let text = format!("the agent has no mode `{mode}`");
            let hint = modes_there_are(&acp);
            return self.fail(ErrorKind::Setting, text, Some(hint), shelf);
        }
        for (option, value) in &self.options.set {
            match option_change(&acp, option, value) {
                Ok(setting) => self.carried.due.add(setting),
                Err(why) => return self.fail(ErrorKind::Setting, why, None, shelf),
            }
        }
        self.carried.due.make_again();
        self.acp = Some(acp);
        if self.restoring.is_none() {
            for early in self.early.take(&id) {
                self.update(early.update, shelf);
            }
        }
        match change {
            Some(setting) => {
                let tag = Tag::SetMode {
                    setting: setting.clone(),
                    mode: wanted.unwrap_or_default(),
                };
                self.send_setting(&setting, tag, shelf);
            }
            None => {
                self.mode_not_offered(wanted.as_deref());
                self.check_recipes(shelf);
            }
        }
    }

    pub(super) fn ready(&mut self, shelf: &mut Shelf) {
        self.phase = Phase::Ready;
        self.limit = None;
        let Some(acp) = &self.acp else { return };
        let mut told = None;
        if self.options.settings.history {
            told = shelf.history.begin(
                self.number,
                Recording {
                    archive: Archive::of_project(&shelf.config.state_dir, self.root()),
                    project: self.root().to_owned(),
                    agent: self.profile.name.clone(),
                    agent_session: acp.id().to_owned(),
                    redaction: self.secrets.in_traffic(),
                    continues: self.options.resume.clone(),
                },
            );
        }
        let started = EventBody::SessionStarted {
            agent: self.profile.name.clone(),
            version: self.agent_version(),
            agent_session: acp.id().to_owned(),
            policy: self.policy.as_str().to_owned(),
            mode: current_mode(acp).map(str::to_owned),
            images: self
                .initialized
                .as_ref()
                .is_some_and(|i| i.capabilities.image),
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
        self.tell_options(shelf);
        self.tell_commands(shelf);
        self.check_memory(shelf);
        self.tell_recipes(shelf);
        self.show_restored(shelf);
        // Behind all that is shown again, where it is seen.
        for text in std::mem::take(&mut self.options.notices)
            .into_iter()
            .chain(told)
        {
            let kind = LogKind::Notice;
            self.emit(EventBody::AgentLog { kind, text }, shelf);
        }
        self.next_prompt(shelf);
    }

    /// Name and version that the agent gave of itself.
    pub(super) fn agent_version(&self) -> Option<String> {
        let agent = self.initialized.as_ref()?.agent.as_ref()?;
        let name = agent.title.as_deref().unwrap_or(&agent.name);
        Some(format!("{name} {}", agent.version))
    }

    /// The program has said much and nothing of the protocol, and there is no use in waiting.
    pub(super) fn is_no_agent(&mut self, shelf: &mut Shelf) {
        if let Some((text, hint)) = self.noise.no_agent() {
            self.fail(ErrorKind::Protocol, text, Some(hint), shelf);
        }
    }

    pub(super) fn startup_overdue(&mut self, now: Instant, shelf: &mut Shelf) {
        if self.is_telling() {
            return;
        }
        self.is_no_agent(shelf);
        if self.login_overdue(shelf) {
            return;
        }
        let text = format!(
            "the agent did not finish its handshake in {} s: {}",
            STARTUP.as_secs(),
            self.awaited(now)
        );
        let hint =
            "start its command by hand to see what it waits for: a login, the network, an update"
                .to_owned();
        self.fail(ErrorKind::Handshake, text, Some(hint), shelf);
    }
}
