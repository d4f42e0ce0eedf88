//! Logging in: by the method that was asked for, and what is said when a login is missing.
//!
//! Only methods of the kind `agent` are carried out here, by `authenticate`. For all others a person runs a command
//! or sets a variable; which one is said word by word. Where a person can be asked the session waits for that, and then
//! tries again what failed; elsewhere it ends.

use std::time::{Duration, Instant};

use serde_json::Value;
use siderail_acp::initialize::{AuthKind, AuthMethod};
use siderail_acp::requests;
use siderail_acp::wire::RpcError;

use super::awaited::Unanswered;
use super::turn::Prompt;
use super::{Limit, STARTUP, Session, Tag};
use crate::event::{EventBody, LogKind, LoginMethod, PromptOrigin};
use crate::launch::environment;
use crate::login::{self, LoginHow, LoginWay, Started};
use crate::shelf::Shelf;

/// How long a person may take in the browser that an agent opens.
const LOGIN: Duration = Duration::from_secs(10 * 60);

/// What a login is missing for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// A session.
    Opening,
    /// A prompt of a session that is there.
    Prompt(Prompt),
}

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

    /// The agent took the login: what it was missing for is tried again, and a start takes the usual time.
    pub(super) fn logged_in(&mut self, shelf: &mut Shelf) {
        match self.login_missing.take() {
            Some(Missing::Prompt(prompt)) => {
                self.limit = None;
                match prompt.origin {
                    PromptOrigin::User => {
                        self.queue.push_front(prompt);
                        self.next_prompt(shelf);
                    }
                    PromptOrigin::Continuation | PromptOrigin::Plan => {
                        self.prepare_prompt(prompt, shelf);
                    }
                }
            }
            Some(Missing::Opening) | None => {
                self.limit = Some((Instant::now() + STARTUP, Limit::Startup));
                self.open_session(shelf);
            }
        }
    }

    /// True when what has taken too long is a login.
    pub(super) fn login_overdue(&mut self, shelf: &mut Shelf) -> bool {
        let logs_in = |open: &Unanswered| open.method == requests::AUTHENTICATE;
        let waits = self.unanswered.values().any(logs_in);
        if waits {
            self.abandon_login(shelf);
            self.login_failed(
                "the agent did not finish the login in time".to_owned(),
                shelf,
            );
        }
        waits
    }

    /// Nobody waits for a login any more: the agent is told, and a late answer counts for nothing.
    pub(super) fn abandon_login(&mut self, shelf: &mut Shelf) {
        let logs_in = |open: &Unanswered| open.method == requests::AUTHENTICATE;
        let found = self.unanswered.iter().find(|(_, open)| logs_in(open));
        let Some(id) = found.map(|(id, _)| *id) else {
            return;
        };
        self.unanswered.remove(&id);
        if let Some((_, line)) = self.connection.abandon(id) {
            self.send(line, shelf);
        }
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
        if self.is_closing() {
            return;
        }
        let mut hints = Vec::new();
        if !self.profile.login.is_empty() {
            hints.push(format!("log in with: {}", self.profile.login));
        }
        let ways = self.login_ways(shelf);
        let offers: Vec<String> = ways.iter().map(ToString::to_string).collect();
        if !offers.is_empty() {
            hints.push(format!("the agent offers: {}", offers.join("; ")));
        }
        let hint = match hints.is_empty() {
            true => "start the agent by hand and log in there".to_owned(),
            false => hints.join("; "),
        };
        let error = EventBody::Error {
            kind: "login".to_owned(),
            text,
            hint: Some(hint),
        };
        self.emit(error, shelf);
        let methods = ways.iter().filter_map(told).collect();
        self.emit(EventBody::LoginNeeded { methods }, shelf);
        if !self.asks_person() {
            return self.end(Some("error".to_owned()), shelf);
        }
        self.limit = None;
        self.login_missing.get_or_insert(Missing::Opening);
        self.tell_inspectors(shelf);
    }

    /// Whether there is somebody who can log in.
    pub(super) fn asks_person(&self) -> bool {
        self.options.answer.is_none()
    }

    /// A person logs in, or has logged in: what failed is tried again.
    pub(crate) fn log_in(&mut self, method: &str, shelf: &mut Shelf) {
        let is_at_it = |open: &Unanswered| open.method == requests::AUTHENTICATE;
        if self.login_missing.is_none() || self.unanswered.values().any(is_at_it) {
            let kind = LogKind::Notice;
            let text = "no login is waited for".to_owned();
            return self.emit(EventBody::AgentLog { kind, text }, shelf);
        }
        let offered = self.auth_methods().iter().find(|m| m.id == method);
        match offered.map(|method| &method.kind) {
            Some(AuthKind::Agent) => {
                self.limit = Some((Instant::now() + LOGIN, Limit::Startup));
                self.authenticate(method, shelf);
            }
            Some(_) => {
                let prompt = match self.login_missing.take() {
                    Some(Missing::Prompt(prompt)) => Some(prompt),
                    Some(Missing::Opening) | None => None,
                };
                self.start_anew(prompt, shelf);
            }
            None => self.login_failed(format!("the agent has no login `{method}`"), shelf),
        }
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

/// A way to log in as an event tells it; none where nobody here knows what to do.
fn told(way: &LoginWay) -> Option<LoginMethod> {
    let (kind, command, vars) = match &way.how {
        LoginHow::Agent => ("agent", None, None),
        LoginHow::Command { line, added, .. } => {
            let program = [line.program.clone()];
            let words = program.into_iter().chain(line.args.iter().cloned());
            let assigned = added.iter().map(|(name, value)| format!("{name}={value}"));
            let through = (!added.is_empty()).then(|| "env".to_owned());
            let words = through.into_iter().chain(assigned).chain(words);
            ("terminal", Some(words.collect()), None)
        }
        LoginHow::Variables(vars) => ("env_var", None, Some(vars.clone())),
        LoginHow::Unknown(_) => return None,
    };
    Some(LoginMethod {
        id: way.id.clone(),
        name: way.name.clone(),
        description: Some(way.description.clone()).filter(|said| !said.is_empty()),
        kind: kind.to_owned(),
        command,
        vars,
    })
}
