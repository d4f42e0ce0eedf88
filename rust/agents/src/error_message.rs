//! Errors that an agent reports as a message, in a prompt turn that then ends as if all were well. Plain data out of its
//! profile; it knows no session and no event.

use serde::Deserialize;

/// How an agent's error messages are distinguished from its model's answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ErrorMessages {
    /// What they begin with.
    pub begins: Vec<String>,
    /// What they contain where the login or key is not accepted.
    pub login: Vec<String>,
    /// What other messages of the agent's own begin with, which may come before an error.
    pub notes: Vec<String>,
}

/// What an error message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorMessage {
    /// The login or key is not accepted.
    Login,
    /// Anything else.
    Failed,
}

impl ErrorMessages {
    /// True for a message of the agent's own that is not an error.
    pub fn is_note(&self, message: &str) -> bool {
        begins(message, &self.notes)
    }

    /// What kind of error all the text of a turn is; none for an answer of the model's.
    pub fn kind_of(&self, text: &str) -> Option<ErrorMessage> {
        if !begins(text, &self.begins) {
            return None;
        }
        let is_login = self.login.iter().any(|words| text.contains(words.as_str()));
        Some(match is_login {
            true => ErrorMessage::Login,
            false => ErrorMessage::Failed,
        })
    }
}

fn begins(text: &str, with: &[String]) -> bool {
    let text = text.trim_start();
    with.iter().any(|words| text.starts_with(words.as_str()))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::profile::Profiles;

    /// What the agent said in a recording, without its notes.
    fn said(errors: &ErrorMessages, recording: &str) -> String {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/recordings");
        let lines = std::fs::read_to_string(folder.join(recording)).unwrap();
        let messages = lines.lines().filter_map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let update = &line["msg"]["params"]["update"];
            let is_message = update["sessionUpdate"] == "agent_message_chunk";
            is_message.then(|| update["content"]["text"].as_str().unwrap().to_owned())
        });
        messages
            .filter(|message| !errors.is_note(message))
            .collect()
    }

    #[test]
    fn recorded_errors_are_found_and_recorded_answers_are_none() {
        let profiles = Profiles::load(&[] as &[&Path]);
        for (agent, recording, kind) in [
            ("copilot", "unauthorized", Some(ErrorMessage::Login)),
            ("copilot", "model_down", Some(ErrorMessage::Failed)),
            ("copilot", "allow", None),
            ("fast-agent", "unauthorized", Some(ErrorMessage::Login)),
            ("fast-agent", "model_down", Some(ErrorMessage::Failed)),
            ("fast-agent", "allow", None),
        ] {
            let errors = &profiles.get(agent, true).unwrap().error_messages;
            let said = said(errors, &format!("{agent}/{recording}.acp.jsonl"));
            assert!(!said.is_empty(), "{agent} {recording}");
            assert_eq!(errors.kind_of(&said), kind, "{said}");
            let quoted = format!("It says: {said}");
            assert_eq!(errors.kind_of(&quoted), None, "{quoted}");
        }
        assert_eq!(ErrorMessages::default().kind_of("Error: x"), None);
    }
}
