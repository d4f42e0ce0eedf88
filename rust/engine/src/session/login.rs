//! Logging in: by the method that was asked for, and what is said when a login is missing.
//!
//! Only methods of the kind `agent` are carried out here, by `authenticate`. For all others a person runs a command
//! or sets a variable; which one is said word by word, and the session ends.

use std::time::{Duration, Instant};

use serde_json::Value;
use siderail_acp::initialize::{AuthKind, AuthMethod};
use siderail_acp::requests;
use siderail_acp::wire::RpcError;

use super::{Limit, STARTUP, Session, Tag};
use crate::launch::environment;
use crate::login::{self, LoginWay, Started};
use crate::shelf::Shelf;

/// How long a person may take in the browser that an agent opens.
const LOGIN: Duration = Duration::from_secs(10 * 60);

impl Session {
    /// The agent has said how it lets people log in. True when the session has to wait for a login, or failed.
    pub(super) fn logs_in(&mut self, shelf: &mut Shelf) -> bool {
        let offered = |wanted: &String| self.auth_methods().iter().find(|m| m.id == *wanted);
        if let Some(wanted) = self.options.login.clone() {
            match offered(&wanted).map(|method| method.kind.clone()) {
                Some(AuthKind::Agent) => {
                    self.limit = Some((Instant::now() + LOGIN, Limit::Startup));
                    self.authenticate(&wanted, shelf);
                }
                Some(_) => self.login_failed(
                    format!("`{wanted}` is no login that the agent carries out by itself"),
                    shelf,
                ),
                None => {
                    self.login_failed(format!("the agent has no login `{wanted}`"), shelf);
                }
            }
            return true;
        }
        let by_itself = self.opening.auth_method.clone();
        match by_itself.filter(|method| offered(method).is_some()) {
            Some(method) => {
                self.authenticate(&method, shelf);
                true
            }
            None => false,
        }
    }

    /// The agent took the login: what remains of the start takes the usual time.
    pub(super) fn logged_in(&mut self, shelf: &mut Shelf) {
        self.limit = Some((Instant::now() + STARTUP, Limit::Startup));
        self.open_session(shelf);
    }

    /// True when what has taken too long is a login.
    pub(super) fn login_overdue(&mut self, shelf: &mut Shelf) -> bool {
        let mut open = self.unanswered.values();
        let waits = open.any(|unanswered| unanswered.method == requests::AUTHENTICATE);
        if waits {
            self.login_failed(
                "the agent did not finish the login in time".to_owned(),
                shelf,
            );
        }
        waits
    }

    fn authenticate(&mut self, method: &str, shelf: &mut Shelf) {
        let params = requests::authenticate(method);
        self.request(requests::AUTHENTICATE, &params, Tag::Authenticate, shelf);
    }

    fn auth_methods(&self) -> &[AuthMethod] {
        self.initialized
            .as_ref()
            .map_or(&[], |initialized| &initialized.auth_methods)
    }

    /// The agent answered that a login is missing. Some tell only now which ones there are.
    pub(super) fn login_needed(&mut self, error: &RpcError, shelf: &mut Shelf) {
        if let Some(initialized) = &mut self.initialized
            && initialized.auth_methods.is_empty()
        {
            let data = error.data.as_ref().map_or(Value::Null, |data| {
                serde_json::from_str(data.get()).unwrap_or_default()
            });
            initialized.auth_methods = AuthMethod::list(&data);
        }
        let text = match error.message.trim() {
            "" => "the agent wants a login".to_owned(),
            said => format!("the agent wants a login: {said}"),
        };
        self.login_failed(text, shelf);
    }

    /// The agent did not take a login.
    pub(super) fn login_refused(&mut self, error: &RpcError, shelf: &mut Shelf) {
        self.login_failed(format!("the agent refused the login: {error}"), shelf);
    }

    fn login_failed(&mut self, text: String, shelf: &mut Shelf) {
        let mut hints = Vec::new();
        if !self.profile.login.is_empty() {
            hints.push(format!("log in with: {}", self.profile.login));
        }
        let ways: Vec<String> = self
            .login_ways(shelf)
            .iter()
            .map(ToString::to_string)
            .collect();
        if !ways.is_empty() {
            hints.push(format!("the agent offers: {}", ways.join("; ")));
        }
        let hint = match hints.is_empty() {
            true => "start the agent by hand and log in there".to_owned(),
            false => hints.join("; "),
        };
        self.fail("login", text, Some(hint), shelf);
    }

    /// The ways to log in that the agent offers.
    pub(super) fn login_ways(&self, shelf: &Shelf) -> Vec<LoginWay> {
        let (profile, options) = (&self.profile, &self.options);
        let command = options.agent_command.clone().unwrap_or_else(|| {
            let program = [profile.program.clone()];
            program.into_iter().chain(profile.args.clone()).collect()
        });
        let started = Started {
            command: &command,
            env: &environment(profile, &options.agent_env, &shelf.config.env),
            cwd: self.root(),
        };
        let methods = self.auth_methods().iter();
        methods.map(|method| login::way(method, &started)).collect()
    }
}
