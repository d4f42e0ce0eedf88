//! Logging in: which of an agent's ways is used, and what is said when a login is missing. Plain data; it knows no
//! session.
//!
//! Only methods of the kind `agent` are carried out here, by `authenticate`. For all others a person runs a command or
//! sets a variable; which one is quoted exactly.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use siderail_acp::initialize::{AuthKind, AuthMethod};
use siderail_acp::wire::RpcError;

use siderail_os::System;

use crate::command::SessionOptions;
use crate::event::{self, ErrorKind, EventBody, LoginKind, LoginMethod, LoginNeeded};
use crate::launch::environment;
use crate::login::{self, LoginHow, LoginWay, Started};
use crate::profile::Profile;
use crate::session::effect::Effect;
use crate::session::lifecycle::peers::Peers;
use crate::shell_word;

/// How long a person may take in the browser that an agent opens.
pub(in crate::session) const LOGIN: Duration = Duration::from_secs(10 * 60);

/// What is done about a login once the agent has said which ways it has.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::session) enum FirstLogin {
    /// The agent logs in by this method, and a person may take their time for it.
    ByAgent(String),
    /// The same, with what is there already.
    ByItself(String),
    /// What was asked for cannot be done, for this reason.
    Failed(String),
    /// No login is needed that is known of.
    None,
}

impl FirstLogin {
    /// `wanted`: the method that was asked for; `by_itself`: the one that the agent has all it needs for.
    pub(in crate::session) fn of(
        wanted: Option<&str>,
        by_itself: Option<&str>,
        methods: &[AuthMethod],
    ) -> Self {
        if let Some(wanted) = wanted {
            return match offered(methods, wanted) {
                Ok(AuthKind::Agent) => Self::ByAgent(wanted.to_owned()),
                Ok(_) => Self::Failed(format!(
                    "`{wanted}` is not a login that the agent can do by itself"
                )),
                Err(why) => Self::Failed(why),
            };
        }
        let by_itself = by_itself.filter(|method| offered(methods, method).is_ok());
        by_itself.map_or(Self::None, |method| Self::ByItself(method.to_owned()))
    }
}

/// What is done when a person logs in.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::session) enum PersonsLogin {
    /// The agent logs in by this method.
    ByAgent(String),
    /// There is no such login, for this reason.
    Failed(String),
    /// They have done it where only a new process of the agent sees it.
    Done,
}

impl PersonsLogin {
    /// `method`: the agent's, `None` for a way that it has not offered.
    pub(in crate::session) fn of(method: Option<&str>, methods: &[AuthMethod]) -> Self {
        let Some(id) = method else {
            return Self::Done;
        };
        match offered(methods, id) {
            Ok(AuthKind::Agent) => Self::ByAgent(id.to_owned()),
            Ok(_) => Self::Done,
            Err(why) => Self::Failed(why),
        }
    }
}

impl Peers {
    /// The ways to log in that the agent has offered.
    pub(in crate::session) fn auth_methods(&self) -> &[AuthMethod] {
        let initialized = self.initialized.as_ref();
        initialized.map_or(&[], |initialized| &initialized.auth_methods)
    }

    /// The agent answered that a login is missing: what is said of that. Some say only now which ways there are.
    pub(in crate::session) fn login_needed(&mut self, error: &RpcError) -> String {
        if let Some(initialized) = &mut self.initialized
            && initialized.auth_methods.is_empty()
        {
            let data = error.data.as_ref().map_or(Value::Null, |data| {
                serde_json::from_str(data.get()).unwrap_or_default()
            });
            initialized.auth_methods = AuthMethod::list(&data);
        }
        match error.message.trim() {
            "" => "the agent needs you to log in".to_owned(),
            said => format!("the agent needs you to log in: {said}"),
        }
    }
}

/// Whether there is somebody who can log in.
pub(in crate::session) fn asks_person(options: &SessionOptions) -> bool {
    options.answer.is_none() && !options.no_login
}

/// The ways to log in that the agent offers, for a person. `ours`: the environment that the agent was started from.
pub(in crate::session) fn ways(
    methods: &[AuthMethod],
    profile: &Profile,
    options: &SessionOptions,
    ours: &BTreeMap<String, String>,
    root: &Path,
) -> Vec<LoginWay> {
    let command = options.agent_command.clone().unwrap_or_else(|| {
        let program = [profile.program.clone()];
        program.into_iter().chain(profile.args.clone()).collect()
    });
    let started = Started {
        command: &command,
        env: &environment(profile, &options.agent_env, ours),
        cwd: root,
    };
    let methods = methods.iter();
    methods.map(|method| login::way(method, &started)).collect()
}

/// Which kind of login this is; the error says that the agent has none of the name.
fn offered<'a>(methods: &'a [AuthMethod], id: &str) -> Result<&'a AuthKind, String> {
    let known = methods.iter().find(|method| method.id == id);
    let kind = known.map(|method| &method.kind);
    kind.ok_or_else(|| format!("the agent has no login `{id}`"))
}

/// Reports that a login is missing, and what to do. `by_command`: what the profile says of that.
pub(in crate::session) fn needed(text: String, by_command: &str, ways: &[LoginWay]) -> [Effect; 2] {
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
    let error = EventBody::Error(event::Error {
        kind: ErrorKind::Login,
        text,
        hint: Some(hint),
    });
    let methods = ways.iter().filter_map(told).collect();
    [error, EventBody::LoginNeeded(LoginNeeded { methods })].map(Effect::emit)
}

/// A way to log in as an event reports it; none if nobody here knows what to do.
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
        // What precedes `&&` belongs to the value, blanks too.
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
    use super::*;
    use serde_json::json;

    fn methods() -> Vec<AuthMethod> {
        AuthMethod::list(&json!({"authMethods": [
            {"id": "browser", "name": "In the browser"},
            {"id": "key", "name": "By key", "type": "env_var", "vars": [{"name": "KEY"}]},
        ]}))
    }

    #[test]
    fn a_login_that_was_asked_for_is_carried_out_only_where_the_agent_does_it() {
        let all = methods();
        let first = |wanted, by_itself| FirstLogin::of(wanted, by_itself, &all);
        let (browser, key) = (Some("browser"), Some("key"));
        assert_eq!(
            first(browser, key),
            FirstLogin::ByAgent("browser".to_owned())
        );
        let failed = |login| matches!(login, FirstLogin::Failed(_));
        assert!(failed(first(key, None)) && failed(first(Some("other"), browser)));
        assert_eq!(first(None, key), FirstLogin::ByItself("key".to_owned()));
        assert_eq!(first(None, Some("other")), FirstLogin::None);
        assert_eq!(first(None, None), FirstLogin::None);
    }

    #[test]
    fn what_a_person_has_done_elsewhere_is_seen_by_a_new_process_alone() {
        let all = methods();
        let login = |method| PersonsLogin::of(method, &all);
        let browser = "browser".to_owned();
        assert_eq!(login(Some("browser")), PersonsLogin::ByAgent(browser));
        assert_eq!(login(Some("key")), PersonsLogin::Done);
        assert_eq!(login(None), PersonsLogin::Done);
        assert!(matches!(login(Some("other")), PersonsLogin::Failed(_)));
    }

    #[test]
    fn ways_that_an_agent_tells_only_with_its_error_are_taken_unless_it_told_some_before() {
        let mut peers = Peers::default();
        let answer = json!({"protocolVersion": 1});
        let answer = serde_json::value::to_raw_value(&answer).expect("JSON");
        let initialized = siderail_acp::initialize::InitializeResult::read(&answer);
        peers.initialized = Some(initialized.expect("a version"));
        let mut error = RpcError::new(siderail_acp::wire::codes::AUTH_REQUIRED, " ");
        assert_eq!(peers.login_needed(&error), "the agent needs you to log in");
        assert!(peers.auth_methods().is_empty());
        let data = |methods: Value| serde_json::value::to_raw_value(&methods).expect("JSON");
        error.data = Some(data(json!({"authMethods": [{"id": "a", "name": "a"}]})));
        error.message = "no token".into();
        assert!(peers.login_needed(&error).ends_with(": no token"));
        assert_eq!(peers.auth_methods().len(), 1);
        error.data = Some(data(json!({"authMethods": []})));
        peers.login_needed(&error);
        assert_eq!(peers.auth_methods().len(), 1);
    }

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
