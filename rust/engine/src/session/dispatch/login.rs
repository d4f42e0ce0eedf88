//! Logs in, step by step. If a person can be asked, the session waits for that and then tries again what failed;
//! otherwise it ends. [`lifecycle::login`](crate::session::lifecycle::login) chooses the way.

use std::collections::BTreeMap;
use std::time::Instant;

use siderail_acp::requests;
use siderail_acp::wire::RpcError;

use crate::event::StopReason;
use crate::login::LoginWay;
use crate::session::lifecycle::STARTUP;
use crate::session::lifecycle::login::{self, FirstLogin, LOGIN, PersonsLogin};
use crate::session::{Session, Tag};
use crate::shared::Shared;

impl Session {
    /// The agent has said how it lets people log in. True when the session has to wait for a login, or failed.
    pub(super) fn logs_in(&mut self, shared: &mut Shared) -> bool {
        let wanted = self.carried.options.login.as_deref();
        let starting = self.lifecycle.starting();
        let by_itself = starting.and_then(|starting| starting.opening.auth_method.clone());
        let methods = self.lifecycle.peers.auth_methods();
        match FirstLogin::of(wanted, by_itself.as_deref(), methods) {
            FirstLogin::ByAgent(method) => self.log_in_by_agent(&method, shared),
            FirstLogin::ByItself(method) => self.authenticate(&method, shared),
            FirstLogin::Failed(why) => self.login_failed(why, shared),
            FirstLogin::None => return false,
        }
        true
    }

    /// The agent took the login: what it was missing for is tried again, and a start takes the usual time.
    pub(super) fn logged_in(&mut self, shared: &mut Shared) {
        match self.lifecycle.login_ended() {
            Some(prompt) => {
                self.carried.queue.push_front(prompt);
                self.next_prompt(shared);
            }
            // Whatever it was for has been given up, and the session is there.
            None if self.lifecycle.peers.acp.is_some() => {}
            None => {
                self.lifecycle.await_handshake(Instant::now() + STARTUP);
                self.open_session(shared);
            }
        }
    }

    /// True when what has taken too long is a login.
    pub(in crate::session) fn login_overdue(&mut self, shared: &mut Shared) -> bool {
        let was_at_it = self.wire.is_logging_in();
        if was_at_it {
            let line = self.wire.abandon_login();
            self.send_some(line, shared);
            let text = "the agent did not finish the login in time";
            self.login_failed(text.to_owned(), shared);
        }
        was_at_it
    }

    /// The agent logs in, and a person may take their time for it.
    fn log_in_by_agent(&mut self, method: &str, shared: &mut Shared) {
        self.lifecycle.await_login(Instant::now() + LOGIN);
        self.authenticate(method, shared);
    }

    fn authenticate(&mut self, method: &str, shared: &mut Shared) {
        let params = requests::authenticate(method);
        self.request(requests::AUTHENTICATE, &params, Tag::Authenticate, shared);
    }

    /// The agent answered that a login is missing.
    pub(in crate::session) fn login_needed(&mut self, error: &RpcError, shared: &mut Shared) {
        let text = self.lifecycle.peers.login_needed(error);
        self.login_failed(text, shared);
    }

    pub(in crate::session) fn login_failed(&mut self, text: String, shared: &mut Shared) {
        if self.is_closing() {
            return;
        }
        let ways = self.login_ways(shared);
        let told = login::needed(text, &self.agent_facts.profile.login, &ways);
        self.apply(told, shared);
        if !self.asks_person() {
            return self.end(Some(StopReason::Error), shared);
        }
        self.lifecycle.login_failed();
        self.tell_inspectors(shared);
    }

    /// Whether there is somebody who can log in.
    pub(in crate::session) fn asks_person(&self) -> bool {
        login::asks_person(&self.carried.options)
    }

    /// A person logs in, or has logged in: what failed is tried again. `method`: the agent's, `None` for a way that it
    /// has not offered. `env`: what was entered for it.
    pub(crate) fn log_in(
        &mut self,
        method: Option<&str>,
        env: BTreeMap<String, String>,
        shared: &mut Shared,
    ) {
        let is_at_it = self.wire.is_logging_in() && method.is_some();
        if !self.lifecycle.lacks_login() || is_at_it {
            return self.notice("no login is in progress", shared);
        }
        match PersonsLogin::of(method, self.lifecycle.peers.auth_methods()) {
            PersonsLogin::ByAgent(method) => self.log_in_by_agent(&method, shared),
            PersonsLogin::Failed(why) => self.login_failed(why, shared),
            PersonsLogin::Done => {
                let line = self.wire.abandon_login();
                self.send_some(line, shared);
                self.carried.options.agent_env.extend(env);
                let prompt = self.lifecycle.login_ended();
                self.start_anew(prompt, shared);
            }
        }
    }

    /// The ways to log in that the agent offers.
    pub(super) fn login_ways(&self, shared: &Shared) -> Vec<LoginWay> {
        let methods = self.lifecycle.peers.auth_methods();
        let (profile, options) = (&self.agent_facts.profile, &self.carried.options);
        login::ways(methods, profile, options, &shared.config.env, self.root())
    }
}
