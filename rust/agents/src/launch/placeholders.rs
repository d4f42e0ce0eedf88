//! Placeholders of recipes, and the values that only the engine can work out.
//!
//! `{server}` `{server_}` `{folder}` `{socket}` `{token}` `{relay_program}` `{hidden_tools}` `{home}` `{hook_command}`
//! and their like stand for text anywhere in a string; a string that is exactly `{relay_args}` or
//! `{hidden_tools_list}` becomes that list.

use std::path::Path;

use data_encoding::HEXLOWER;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use siderail_os::System;
use siderail_os::files::short_name;

use super::values::Values;
use crate::hook;
use crate::profile::{HookTrust, Profile};
use crate::quoting::{bare_windows_program, shell_word, windows_program};

/// Replaces `{name}`; a string that is exactly one placeholder of a list becomes that list.
pub(super) struct Filler {
    texts: Vec<(&'static str, String)>,
    lists: Vec<(&'static str, Value)>,
}

impl Filler {
    /// `hooks_before`: how many hooks of the user's come before ours.
    pub(super) fn new(
        profile: &Profile,
        hidden: &[String],
        values: &Values<'_>,
        hooks_before: usize,
    ) -> Self {
        let hook_command = hook_command(values.relay, profile, System::HERE);
        let texts = vec![
            ("{server}", values.server.to_owned()),
            ("{server_}", values.server.replace('-', "_")),
            ("{home}", values.home.to_owned()),
            ("{api_port}", values.api_port.to_string()),
            ("{api_password}", values.api_password.to_owned()),
            ("{hook_index}", hooks_before.to_string()),
            ("{folder}", values.folder.display().to_string()),
            ("{socket}", values.socket.to_owned()),
            ("{token}", values.token.to_owned()),
            (
                "{relay_program}",
                values.relay.first().cloned().unwrap_or_default(),
            ),
            ("{hidden_tools}", hidden.join(",")),
            ("{hidden_tools_json}", json!(hidden).to_string()),
            ("{hook_command_json}", json!(hook_command).to_string()),
            ("{hook_command}", hook_command),
        ];
        let lists = vec![
            (
                "{relay_args}",
                json!(values.relay.get(1..).unwrap_or_default()),
            ),
            ("{hidden_tools_list}", json!(hidden)),
        ];
        let mut filler = Self { texts, lists };
        if let Some(trust) = profile.hook.as_ref().and_then(|hook| hook.trust.as_ref()) {
            filler.add_trust(trust, System::HERE);
        }
        filler
    }

    /// What an agent has to trust in a hook: where it is configured, and the digest of its definition.
    fn add_trust(&mut self, trust: &HookTrust, system: System) {
        let on_windows = trust.source_on_windows.as_ref();
        let source = on_windows.filter(|_| system.is_windows());
        let source = source.unwrap_or(&trust.source);
        let digest = Sha256::digest(self.text(&trust.definition).as_bytes());
        let hash = format!("sha256:{}", HEXLOWER.encode(&digest));
        let escaped = source.replace('\\', r"\\");
        self.texts.extend([
            ("{hook_source}", source.clone()),
            ("{hook_source_escaped}", escaped),
            ("{hook_hash}", hash),
        ]);
    }

    pub(super) fn text(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('{') {
            let (before, tail) = rest.split_at(at);
            out.push_str(before);
            match self.texts.iter().find(|(name, _)| tail.starts_with(name)) {
                Some((name, value)) => {
                    out.push_str(value);
                    rest = &tail[name.len()..];
                }
                None => {
                    out.push('{');
                    rest = &tail[1..];
                }
            }
        }
        out + rest
    }

    pub(super) fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => match self.lists.iter().find(|(name, _)| name == text) {
                Some((_, list)) => list.clone(),
                None => Value::String(self.text(text)),
            },
            Value::Array(items) => items.iter().map(|v| self.value(v)).collect(),
            Value::Object(members) => Value::Object(
                members
                    .iter()
                    .map(|(k, v)| (self.text(k), self.value(v)))
                    .collect::<Map<_, _>>(),
            ),
            other => other.clone(),
        }
    }
}

/// The constant command that an agent's hook runs: socket and token travel in the environment, and the answer
/// for the case that nobody answers is in the command itself.
fn hook_command(relay: &[String], profile: &Profile, system: System) -> String {
    let mut words: Vec<String> = relay.iter().map(|w| shell_word(w)).collect();
    if let (true, Some(first), Some(program)) =
        (system.is_windows(), words.first_mut(), relay.first())
    {
        let bare = profile.hook.as_ref().is_some_and(|hook| hook.bare_program);
        *first = match bare {
            true => bare_windows_program(program, &short_name(Path::new(program))),
            false => windows_program(program),
        };
    }
    words.push("hook".to_owned());
    words.push(shell_word(&profile.name));
    let shape = profile.hook.as_ref().map(|hook| hook.shape);
    words.extend(
        shape
            .into_iter()
            .flat_map(hook::when_unanswered)
            .map(|&word| word.to_owned()),
    );
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profiles;

    #[test]
    fn on_windows_codex_gets_a_command_without_quotes_and_others_one_in_quotes() {
        let profiles = Profiles::load(&[] as &[&Path]);
        let relay = [r"C:\Siderail\siderail.exe", "relay"].map(str::to_owned);
        let command = |agent: &str, system| {
            hook_command(&relay, &profiles.get(agent, false).unwrap(), system)
        };
        for agent in ["codex", "codex-zed"] {
            let expected = format!(r"C:\Siderail\siderail.exe relay hook {agent}");
            assert_eq!(command(agent, System::Windows), expected);
        }
        let claude = command("claude", System::Windows);
        assert!(claude.starts_with("\"C:/Siderail/siderail.exe\" relay hook claude"));
    }
}
