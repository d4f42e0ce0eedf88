//! Keeps secrets out of events: an agent that runs `env`, or dies with its environment on stderr, reveals them.
//!
//! The session's own token and password are hidden in every text. What the user's variables hold is hidden in what
//! agents, models and tools say; not where a person judges by the text or a path is named: each member of an event says
//! whose word it is (`rust/event/src/texts.rs`). A model's message comes in pieces, and each is looked at by itself.
//! Knows no agent and no policy.

use std::collections::BTreeMap;

use siderail_acp::redact::Redaction;

use crate::event::{EventBody, Texts, Word};

/// What must not be revealed.
#[derive(Debug, Default)]
pub(crate) struct Secrets {
    /// The session's own.
    own: Redaction,
    /// Those, and what the agent's environment holds.
    all: Redaction,
}

impl Secrets {
    /// `own`: the session's token and password; `env`: what the agent is started with.
    pub(crate) fn new(own: Vec<String>, env: &BTreeMap<String, String>) -> Self {
        Self {
            all: Redaction::of_environment(env, own.clone()),
            own: Redaction::new(own),
        }
    }

    /// What hides all of them in traffic.
    pub(crate) fn in_traffic(&self) -> Redaction {
        self.all.clone()
    }

    /// The event without them.
    pub(crate) fn hide(&self, mut body: EventBody) -> EventBody {
        body.each_text(Word::Said, &mut |word, text| {
            let secrets = match word {
                Word::Said => &self.all,
                Word::Judged => &self.own,
            };
            *text = secrets.known(std::mem::take(text));
        });
        body
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::{Value, json};

    use super::*;

    const TOKEN: &str = "token-of-this-session";
    const PASSWORD: &str = "correct-horse-battery";
    /// What of every event is hidden: all secrets in what agents, models and tools `said`, the session's own in what
    /// a person `judged`.
    const HIDDEN_IN: &str = include_str!("../tests/hidden_in_events.txt");

    fn secrets() -> Secrets {
        let env = BTreeMap::from([("DB_PASSWORD".to_owned(), PASSWORD.to_owned())]);
        Secrets::new(vec![TOKEN.to_owned()], &env)
    }

    #[test]
    fn a_tools_title_and_command_tell_no_secret() {
        let hidden = |event: Value| {
            let body = serde_json::from_value(event).expect("an event");
            serde_json::to_string(&secrets().hide(body)).expect("an event is JSON")
        };
        let call = json!({
            "event": "TOOL_CALL", "tool_call_id": "c", "title": "psql -p correct-horse-battery", "tool": "Bash correct-horse-battery",
            "kind": "execute", "status": "pending", "command": "psql -p correct-horse-battery", "paths": [], "diffs": [], "text": "",
        });
        assert!(
            !hidden(call.clone()).contains("battery"),
            "{}",
            hidden(call)
        );
    }

    #[test]
    fn every_text_of_every_event_is_hidden_as_its_declaration_says() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/boundary");
        let files = std::fs::read_dir(folder).expect("the folder");
        let files = files.map(|file| file.expect("a file").path());
        let events = files.filter(|file| {
            let name = file.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with("event."))
        });
        let mut rows: Vec<String> = events
            .map(|file| row(&std::fs::read_to_string(file).expect("an event")))
            .collect();
        rows.sort();
        let found = rows.join("\n") + "\n";
        assert!(
            found == HIDDEN_IN,
            "`tests/hidden_in_events.txt` expects other members to be hidden than these:\n{found}"
        );
    }

    /// An event with both secrets in every text that may be any text: which members are hidden, and which are not.
    fn row(line: &str) -> String {
        let mut event: Value = serde_json::from_str(line).expect("JSON");
        if event.get("entry").is_some() {
            event["entry"] = json!({"event": "AGENT_MESSAGE", "text": ""});
        }
        let told = format!("{TOKEN} {PASSWORD}");
        for place in texts(&event, "") {
            let text = event.pointer_mut(&place).expect("a text");
            let was = std::mem::replace(text, json!(told));
            if serde_json::from_value::<EventBody>(event.clone()).is_err() {
                *event.pointer_mut(&place).expect("a text") = was;
            }
        }
        let body = serde_json::from_value(event.clone()).expect("an event");
        let hidden = serde_json::to_value(secrets().hide(body)).expect("JSON");
        let mut names = [
            ("said", Vec::new()),
            ("judged", Vec::new()),
            ("as is", Vec::new()),
        ];
        for place in texts(&hidden, "") {
            let Some(text) = hidden.pointer(&place).and_then(Value::as_str) else {
                continue;
            };
            let at = match (text.contains(TOKEN), text.contains(PASSWORD)) {
                (false, false) if text.contains("[hidden]") => 0,
                (false, true) => 1,
                (true, _) => 2,
                (false, false) => continue,
            };
            let name = place.split('/').filter(|part| part.parse::<u32>().is_err());
            let name = name.collect::<Vec<_>>().join(".").split_off(1);
            if !names[at].1.contains(&name) {
                names[at].1.push(name);
            }
        }
        let names = names.iter().filter(|(_, names)| !names.is_empty());
        let names: Vec<String> = names
            .map(|(what, names)| format!("{what}: {}", names.join(" ")))
            .collect();
        let event = event["event"].as_str().expect("a name");
        format!("{event} {}", names.join("; "))
            .trim_end()
            .to_owned()
    }

    /// The places of all texts in a value, and of members that may be texts.
    fn texts(value: &Value, place: &str) -> Vec<String> {
        match value {
            Value::String(_) | Value::Null => vec![place.to_owned()],
            Value::Object(members) => {
                let below =
                    |(name, value): (&String, &Value)| texts(value, &format!("{place}/{name}"));
                members.iter().flat_map(below).collect()
            }
            Value::Array(items) => {
                let below = |(at, value)| texts(value, &format!("{place}/{at}"));
                items.iter().enumerate().flat_map(below).collect()
            }
            _ => Vec::new(),
        }
    }
}
