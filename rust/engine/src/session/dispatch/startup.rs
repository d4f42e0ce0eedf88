//! Runs the handshake, step by step, until prompts may be sent.
//! [`lifecycle::startup`](crate::session::lifecycle::startup) says what to send to the agent, and what its answers lead
//! to.
//!
//! Whatever fails here says what happened, shows the agent's last words on stderr, and ends the session with its summary.

use std::time::Instant;

use serde_json::{Value, value::RawValue};
use siderail_acp::initialize::{AgentCapabilities, InitializeResult, NewSessionResult};
use siderail_acp::requests::{self, SessionSetup};
use siderail_acp::wire::RpcError;

use crate::event::ErrorKind;
use crate::history::{Archive, Recording};
use crate::session::agent_settings::FirstSettings;
use crate::session::input::{StartFailure, Started};
use crate::session::lifecycle::startup::{self, Step};
use crate::session::modes::note_setting;
use crate::session::{Agent, Session, Tag};
use crate::shared::Shared;

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
                let hint = startup::not_there(&self.agent_facts.profile.install, is_own);
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
        let client = self.lifecycle.peers.client.as_ref();
        let params = startup::hello(&self.agent_facts.profile, Self::can_ask(shared), client);
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
    pub(super) fn handshake_answer(
        &mut self,
        tag: Tag,
        outcome: Result<Box<RawValue>, RpcError>,
        shared: &mut Shared,
    ) {
        // A late answer must not bring a session back that is ending.
        if self.is_closing() {
            return;
        }
        match Step::of(tag, outcome, self.lifecycle.peers.client.is_some()) {
            Step::Initialized(result) => self.initialized(&result, shared),
            Step::OpenedForClient(outcome) => self.opened_for_client(outcome, shared),
            Step::LoggedIn => self.logged_in(shared),
            Step::OpenSession => self.open_session(shared),
            Step::SessionOpened(result) => self.session_opened(&result, shared),
            Step::SessionsListed(outcome) => self.sessions_listed(&outcome, shared),
            Step::SessionDeleted(outcome) => {
                self.lifecycle.peers.sessions_question.deleted(&outcome)
            }
            Step::Restored(outcome) => self.restored(outcome, shared),
            Step::ModeTaken {
                setting,
                mode,
                result,
            } => {
                if let Some(acp) = &mut self.lifecycle.peers.acp {
                    note_setting(acp, &setting, &result);
                    acp.set_mode(&mode);
                }
                self.check_recipes(shared);
            }
            Step::ModeRefused(why) => {
                self.guidance.recipes.mode_off(why);
                self.check_recipes(shared);
            }
            Step::HooksListed(outcome) => self.hooks_listed(&outcome, shared),
            Step::LoginNeeded(error) => self.login_needed(&error, shared),
            Step::LoginFailed(text) => self.login_failed(text, shared),
            Step::Failed(text) => self.fail(ErrorKind::Handshake, text, None, shared),
            Step::Nothing => {}
        }
    }

    fn initialized(&mut self, result: &RawValue, shared: &mut Shared) {
        let result = match InitializeResult::read(result) {
            Ok(result) => result,
            Err(error) => return self.fail(ErrorKind::Protocol, error.to_string(), None, shared),
        };
        self.lifecycle.peers.initialized = Some(result);
        self.tell_client_initialized(shared);
        if !self.logs_in(shared) {
            self.open_session(shared);
        }
    }

    pub(in crate::session) fn open_session(&mut self, shared: &mut Shared) {
        let Some(initialized) = &self.lifecycle.peers.initialized else {
            return;
        };
        let capabilities = initialized.capabilities.clone();
        if self.lifecycle.peers.client.is_some() {
            return self.open_for_client(&capabilities, shared);
        }
        if self.restore(shared) {
            return;
        }
        let Some(setup) = self.setup(&capabilities, shared) else {
            return;
        };
        let params = setup.new_session(&capabilities);
        self.request(requests::NEW_SESSION, &params, Tag::NewSession, shared);
    }

    /// The members about the session to open, new or not, during the handshake; servers that the agent does not get are
    /// reported.
    pub(in crate::session) fn setup(
        &mut self,
        capabilities: &AgentCapabilities,
        shared: &mut Shared,
    ) -> Option<SessionSetup> {
        let further = self.carried.options.additional_directories.iter();
        let further = further.map(|folder| folder.display().to_string());
        let roots = self.folders.further_roots_text();
        let folders = (self.root_text(), roots.into_iter().chain(further).collect());
        let opening = &self.lifecycle.starting()?.opening;
        let (setup, told) =
            opening.setup(&self.agent_facts, capabilities, folders, &shared.offered);
        for text in told {
            self.notice(&text, shared);
        }
        Some(setup)
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
        let usual = self.agent_facts.profile.mode.as_deref();
        let first = match FirstSettings::of(&acp, set, usual, &options.set) {
            Ok(first) => first,
            Err((text, hint)) => return self.fail(ErrorKind::Setting, text, hint, shared),
        };
        for setting in first.options {
            self.carried.due.add(setting);
        }
        self.carried.due.make_again();
        self.lifecycle.peers.acp = Some(acp);
        if !self.restore.is_under_way() {
            let starting = self.lifecycle.starting();
            let early = starting.map(|starting| starting.early.take(&id));
            for early in early.into_iter().flatten() {
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
                let acp = self.lifecycle.peers.acp.as_ref();
                let modes = acp.and_then(|acp| acp.modes());
                let current = modes.map(|modes| modes.current.as_str());
                let recipes = &mut self.guidance.recipes;
                recipes.mode_not_offered(first.mode.as_deref(), current);
                self.check_recipes(shared);
            }
        }
    }

    /// Prompts may be sent: reports what there is to say about the session, in the order in which it is seen.
    pub(super) fn ready(&mut self, shared: &mut Shared) {
        let Some(early) = self.lifecycle.ready() else {
            return;
        };
        let Some(acp) = &self.lifecycle.peers.acp else {
            return;
        };
        let mut told = None;
        if self.carried.options.settings.history {
            let recording = Recording {
                archive: Archive::of_project(&shared.config.state_dir, self.root()),
                project: self.root().to_owned(),
                agent: self.agent_facts.profile.name.clone(),
                agent_session: acp.id().to_owned(),
                redaction: self.wire.record.secrets.in_traffic(),
                continues: self.carried.options.resume.clone(),
            };
            told = shared.history.begin(self.carried.number, recording);
        }
        for body in self.lifecycle.peers.started(acp, &self.agent_facts) {
            self.emit(body, shared);
        }
        self.tell_options(shared);
        self.tell_commands(shared);
        self.check_memory(shared);
        self.tell_recipes(shared);
        self.show_restored(early, shared);
        // Behind all that is shown again, where it is seen.
        let notices = std::mem::take(&mut self.carried.options.notices);
        for text in notices.into_iter().chain(told) {
            self.notice(&text, shared);
        }
        self.next_prompt(shared);
    }

    /// The program has said much and nothing of the protocol, and there is no use in waiting.
    pub(super) fn is_no_agent(&mut self, shared: &mut Shared) {
        if let Some((text, hint)) = self.wire.noise.no_agent() {
            self.fail(ErrorKind::Protocol, text, Some(hint), shared);
        }
    }

    /// The handshake takes too long, unless the agent is still replaying a conversation or waits for a login.
    pub(in crate::session) fn startup_overdue(&mut self, now: Instant, shared: &mut Shared) {
        if self.is_telling() {
            return;
        }
        self.is_no_agent(shared);
        if self.login_overdue(shared) {
            return;
        }
        let (text, hint) = startup::overdue(&self.waits_for(now));
        self.fail(ErrorKind::Handshake, text, Some(hint), shared);
    }
}
