//! Logging in: by the method that was asked for, and what is said when a login is missing.
//!
//! Only methods of the kind `agent` are carried out here, by `authenticate`. For all others a person runs a command
//! or sets a variable; which one is said word by word. Where a person can be asked the session waits for that, and then
//! tries again what failed; elsewhere it ends.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::Value;
use siderail_acp::initialize::{AuthKind, AuthMethod};
use siderail_acp::requests;
use siderail_acp::wire::RpcError;

use siderail_os::System;

use crate::event::{ErrorKind, EventBody, LoginKind, LoginMethod, StopReason};
use crate::launch::environment;
use crate::login::{self, LoginHow, LoginWay, Started};
use crate::session::effect::Effect;
use crate::session::{STARTUP, Session, Tag};
use crate::shared::Shared;
use crate::shell_word;

/// How long a person may take in the browser that an agent opens.
const LOGIN: Duration = Duration::from_secs(10 * 60);

impl Session {
    /// The agent has said how it lets people log in. True when the session has to wait for a login, or failed.
    pub(in crate::session) fn logs_in(&mut self, shared: &mut Shared) -> bool {
        if let Some(wanted) = self.carried.options.login.clone() {
            match offered(self.auth_methods(), &wanted) {
                Ok(AuthKind::Agent) => self.log_in_by_agent(&wanted, shared),
                Ok(_) => self.login_failed(
                    format!("`{wanted}` is not a login that the agent can do by itself"),
                    shared,
                ),
                Err(why) => self.login_failed(why, shared),
            }
            return true;
        }
        let by_itself = self.handshake.opening.auth_method.clone();
        let by_itself = by_itself.filter(|method| offered(self.auth_methods(), method).is_ok());
        if let Some(method) = &by_itself {
            self.authenticate(method, shared);
        }
        by_itself.is_some()
    }

    /// The agent took the login: what it was missing for is tried again, and a start takes the usual time.
    pub(in crate::session) fn logged_in(&mut self, shared: &mut Shared) {
        match self.lifecycle.login_ended() {
            Some(prompt) => {
                self.carried.queue.push_front(prompt);
                self.next_prompt(shared);
            }
            // Whatever it was for has been given up, and the session is there.
            None if self.handshake.acp.is_some() => {}
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

    fn auth_methods(&self) -> &[AuthMethod] {
        self.handshake
            .initialized
            .as_ref()
            .map_or(&[], |initialized| &initialized.auth_methods)
    }

    /// The agent answered that a login is missing. Some tell only now which ones there are.
    pub(in crate::session) fn login_needed(&mut self, error: &RpcError, shared: &mut Shared) {
        if let Some(initialized) = &mut self.handshake.initialized
            && initialized.auth_methods.is_empty()
        {
            let data = error.data.as_ref().map_or(Value::Null, |data| {
                serde_json::from_str(data.get()).unwrap_or_default()
            });
            initialized.auth_methods = AuthMethod::list(&data);
        }
        let text = match error.message.trim() {
            "" => "the agent needs you to log in".to_owned(),
            said => format!("the agent needs you to log in: {said}"),
        };
        self.login_failed(text, shared);
    }

    pub(in crate::session) fn login_failed(&mut self, text: String, shared: &mut Shared) {
        if self.is_closing() {
            return;
        }
        let ways = self.login_ways(shared);
        self.apply(needed(text, &self.facts.profile.login, &ways), shared);
        if !self.asks_person() {
            return self.end(Some(StopReason::Error), shared);
        }
        self.lifecycle.login_failed();
        self.tell_inspectors(shared);
    }

    /// Whether there is somebody who can log in.
    pub(in crate::session) fn asks_person(&self) -> bool {
        self.carried.options.answer.is_none() && !self.carried.options.no_login
    }

    /// A person logs in, or has logged in: what failed is tried again.
    /// `method`: the agent's, none for a way that it has not told. `env`: what was entered for it.
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
        match method.map(|id| (id, offered(self.auth_methods(), id))) {
            Some((id, Ok(AuthKind::Agent))) => self.log_in_by_agent(id, shared),
            Some((_, Err(why))) => self.login_failed(why, shared),
            Some((_, Ok(_))) | None => {
                let line = self.wire.abandon_login();
                self.send_some(line, shared);
                self.carried.options.agent_env.extend(env);
                let prompt = self.lifecycle.login_ended();
                self.start_anew(prompt, shared);
            }
        }
    }

    /// The ways to log in that the agent offers.
    pub(in crate::session) fn login_ways(&self, shared: &Shared) -> Vec<LoginWay> {
        let (profile, options) = (&self.facts.profile, &self.carried.options);
        let command = options.agent_command.clone().unwrap_or_else(|| {
            let program = [profile.program.clone()];
            program.into_iter().chain(profile.args.clone()).collect()
        });
        let started = Started {
            command: &command,
            env: &environment(profile, &options.agent_env, &shared.config.env),
            cwd: self.root(),
        };
        let methods = self.auth_methods().iter();
        methods.map(|method| login::way(method, &started)).collect()
    }
}

/// Which kind of login this is; the error says that the agent has none of the name.
fn offered<'a>(methods: &'a [AuthMethod], id: &str) -> Result<&'a AuthKind, String> {
    let known = methods.iter().find(|method| method.id == id);
    let kind = known.map(|method| &method.kind);
    kind.ok_or_else(|| format!("the agent has no login `{id}`"))
}

/// Tells that a login is missing, and what there is to be done. `by_command`: what the profile says of that.
fn needed(text: String, by_command: &str, ways: &[LoginWay]) -> [Effect; 2] {
    let mut hints = Vec::new();
    if !by_command.is_empty() {
        hints.push(format!("log in with: {by_command}"));
    }
    let offers: Vec<String> = ways.iter().map(ToString::to_string).collect();
    if !offers.is_empty() {
        hints.push(format!("the agent offers: {}", offers.join("; ")));
    }
    let hint = match hints.is_empty() {
        true => login::BY_HAND.to_owned(),
        false => hints.join("; "),
    };
    let error = EventBody::Error {
        kind: ErrorKind::Login,
        text,
        hint: Some(hint),
    };
    let methods = ways.iter().filter_map(told).collect();
    [error, EventBody::LoginNeeded { methods }].map(Effect::emit)
}

/// A way to log in as an event tells it; none where nobody here knows what to do.
fn told(way: &LoginWay) -> Option<LoginMethod> {
    let (kind, command, vars) = match &way.how {
        LoginHow::Agent => (LoginKind::Agent, None, None),
        LoginHow::Command { line, added, .. } => {
            let program = [line.program.clone()];
            let args = line
                .args
                .iter()
                .map(|arg| arg.to_string_lossy().into_owned());
            let words = program.into_iter().chain(args);
            let command = with_variables(added, words.collect(), System::HERE.is_windows());
            (LoginKind::Terminal, Some(command), None)
        }
        LoginHow::Variables { names, .. } => (LoginKind::EnvVar, None, Some(names.clone())),
        LoginHow::Unknown(_) => return None,
    };
    Some(LoginMethod {
        id: way.id.clone(),
        name: way.name.clone(),
        description: Some(way.description.clone()).filter(|said| !said.is_empty()),
        kind,
        command_line: command.as_deref().map(line),
        command,
        vars,
    })
}

/// A command as it is typed into a shell.
fn line(command: &[String]) -> String {
    let words: Vec<String> = command.iter().map(|word| shell_word(word)).collect();
    words.join(" ")
}

/// A command that sets variables for itself, by a program that every system of its kind has.
fn with_variables(
    added: &BTreeMap<String, String>,
    command: Vec<String>,
    on_windows: bool,
) -> Vec<String> {
    if added.is_empty() {
        return command;
    }
    if on_windows {
        // What stands ahead of `&&` belongs to the value, blanks too.
        let set = |(name, value): (&String, &String)| format!("set {name}={value}&& ");
        let quoted = |word: &String| match word.contains(' ') {
            true => format!("\"{word}\""),
            false => word.clone(),
        };
        let words: Vec<String> = command.iter().map(quoted).collect();
        let line: String = added.iter().map(set).collect();
        let shell = ["cmd", "/d", "/c"].map(str::to_owned);
        return shell.into_iter().chain([line + &words.join(" ")]).collect();
    }
    let assigned = added.iter().map(|(name, value)| format!("{name}={value}"));
    let through = std::iter::once("env".to_owned());
    through.chain(assigned).chain(command).collect()
}

#[cfg(test)]
mod tests {
    use super::with_variables;

    #[test]
    fn a_login_with_variables_is_a_command_that_exists_on_the_system_where_it_is_typed() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let added = [("A".to_owned(), "b".to_owned())].into();
        let on = |windows| with_variables(&added, words("agent login"), windows);
        assert_eq!(on(false), words("env A=b agent login"));
        assert_eq!(on(true), ["cmd", "/d", "/c", "set A=b&& agent login"]);
        let none = with_variables(&[].into(), words("agent login"), true);
        assert_eq!(none, words("agent login"));
    }
}
