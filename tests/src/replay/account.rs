//! What a replay led to, as text: what the engine reported, what it answered, and how each tool call ended.
//!
//! Only what follows from the agent's lines and the answers to them is reported, in the order of the lines:
//! the start of a turn and the moment of an answer are the client's own, so they stand where they belong
//! and not where they happened.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

/// The text as it grows.
#[derive(Default)]
pub(super) struct Account {
    lines: Vec<String>,
    /// Text of the model that continues: "says" or "thinks", and the text.
    text: Option<(&'static str, String)>,
    /// Where requests are reported, by number: their verdict is added there.
    requests: BTreeMap<u64, usize>,
    /// The last state of each tool call, in the order of their first.
    calls: Vec<Value>,
    origin: String,
}

impl Account {
    /// Takes one event.
    pub(super) fn event(&mut self, event: &Value) {
        match event["event"].as_str().unwrap_or_default() {
            "AGENT_MESSAGE" => return self.more_text("says", event),
            "AGENT_THOUGHT" => return self.more_text("thinks", event),
            "TURN_STARTED" => event["origin"]
                .as_str()
                .unwrap_or_default()
                .clone_into(&mut self.origin),
            "PERMISSION_APPROVED" => self.verdict(event, "allowed"),
            "PERMISSION_DENIED" => self.verdict(event, "denied"),
            _ => {}
        }
        let Some(line) = self.line(event) else { return };
        self.end_text();
        self.lines.push(line);
    }

    fn line(&mut self, event: &Value) -> Option<String> {
        let word = |name: &str| event[name].as_str().unwrap_or("-").to_owned();
        Some(match event["event"].as_str()? {
            "SESSION_STARTED" => {
                format!(
                    "session: {}, {}, mode {}",
                    word("agent"),
                    word("version"),
                    word("mode")
                )
            }
            "PLAN" => format!("plan: {}", event["entries"]),
            "TOOL_CALL" => format!("call {}:{}", word("tool_call_id"), self.changes(event)),
            "PERMISSION_REQUEST" => {
                let number = event["request_id"].as_u64()?;
                self.end_text();
                self.requests.insert(number, self.lines.len());
                format!(
                    "asked by {} for {}: {} ({}) {} {}",
                    word("channel"),
                    word("tool_call_id"),
                    word("tool"),
                    word("kind"),
                    event["text"],
                    event["paths"]
                )
            }
            "UNGUARDED" => format!("unguarded: {}", word("text")),
            "INACTIVITY_TIMEOUT" => "silent for too long".to_owned(),
            "TURN_ENDED" => {
                let mut line = format!(
                    "turn {} ({}) ended: {}",
                    event["turn"],
                    self.origin,
                    word("stop_reason")
                );
                if let Some(error) = event["text"].as_str() {
                    let _ = write!(line, ", {error:?}");
                }
                line
            }
            "USAGE" => {
                let known = |member: &str| match &event[member] {
                    Value::Null => None,
                    known => Some(format!("{member} {known}")),
                };
                let members = ["used", "size", "cost", "turn_tokens"].map(known);
                let members: Vec<String> = members.into_iter().flatten().collect();
                format!("usage: {}", members.join(", "))
            }
            "SESSION_TITLE" => format!("title: {}", event["title"]),
            "AGENT_NOTICE" => format!("notice: {} {}", word("severity"), event["text"]),
            "ERROR" => format!("error: {} {}", word("kind"), event["text"]),
            "SUMMARY" => format!(
                "summary: {} after {} turns, denials {}, files written {}",
                word("stop_reason"),
                event["turns"],
                event["denials"],
                event["files_written"]
            ),
            _ => return None,
        })
    }

    fn more_text(&mut self, verb: &'static str, event: &Value) {
        let more = event["text"].as_str().unwrap_or_default();
        match &mut self.text {
            Some((before, text)) if *before == verb => text.push_str(more),
            _ => {
                self.end_text();
                self.text = Some((verb, more.to_owned()));
            }
        }
    }

    fn end_text(&mut self) {
        if let Some((verb, text)) = self.text.take() {
            self.lines.push(format!("{verb} {text:?}"));
        }
    }

    fn verdict(&mut self, event: &Value, verdict: &str) {
        let line = event["request_id"]
            .as_u64()
            .and_then(|number| self.requests.get(&number));
        if let Some(line) = line.and_then(|line| self.lines.get_mut(*line)) {
            let by = event["by"].as_str().unwrap_or("-");
            let _ = write!(line, " -> {verdict} by {by}");
        }
    }

    /// What this event changes of its tool call.
    fn changes(&mut self, event: &Value) -> String {
        let same = |call: &&mut Value| call["tool_call_id"] == event["tool_call_id"];
        let Some(known) = self.calls.iter_mut().find(same) else {
            self.calls.push(event.clone());
            return state(event, |_| true);
        };
        let before = std::mem::replace(known, event.clone());
        let changes = state(event, |name| before[name] != event[name]);
        if changes.is_empty() {
            " as before".to_owned()
        } else {
            changes
        }
    }

    /// Something that is no event.
    pub(super) fn note(&mut self, line: &str) {
        self.end_text();
        self.lines.push(line.to_owned());
    }

    /// The whole text; `answers` are those to the agent's requests.
    pub(super) fn finish(mut self, answers: &[String]) -> String {
        self.end_text();
        let mut text = self.lines.join("\n");
        text.push_str("\n\nanswers to the agent's requests:\n");
        for answer in answers {
            let _ = writeln!(text, "{answer}");
        }
        text.push_str("\ntool calls at the end:\n");
        for call in &self.calls {
            let id = call["tool_call_id"].as_str().unwrap_or("-");
            let _ = writeln!(text, "{id}:{}", state(call, |_| true));
        }
        text
    }
}

/// The chosen members of a tool call, each with its name where it is not plain.
fn state(call: &Value, is_wanted: impl Fn(&str) -> bool) -> String {
    let mut line = String::new();
    for name in ["kind", "tool", "status"] {
        if is_wanted(name) {
            let _ = write!(line, " {}", call[name].as_str().unwrap_or("-"));
        }
    }
    if is_wanted("own") && call["own"] == true {
        line.push_str(" own");
    }
    for name in ["title", "command", "paths", "text"] {
        let is_empty = call[name].is_null() || call[name].as_array().is_some_and(Vec::is_empty);
        if is_wanted(name) && !is_empty {
            let _ = write!(line, " {name} {}", call[name]);
        }
    }
    if is_wanted("diffs") {
        for diff in call["diffs"].as_array().into_iter().flatten() {
            let (path, old, new) = (&diff["path"], &diff["old_text"], &diff["new_text"]);
            let _ = write!(line, " diff {path} {old} to {new}");
        }
    }
    line
}

/// What the agent asked and what it was answered, from the traffic log of the replay.
pub(super) fn answers(traffic: &str) -> Vec<String> {
    let lines = traffic
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut asked: Vec<(Value, String)> = Vec::new();
    for line in lines {
        let message = &line["msg"];
        let Some(id) = message.get("id") else {
            continue;
        };
        match (line["dir"].as_str(), message["method"].as_str()) {
            (Some("agent->client"), Some(method)) => {
                let call = message["params"]["toolCall"]["toolCallId"].as_str();
                let what =
                    call.map_or_else(|| method.to_owned(), |call| format!("{method} {call}"));
                asked.push((id.clone(), what));
            }
            (Some("client->agent"), None) => {
                let open = |(of, what): &&mut (Value, String)| of == id && !what.contains(" -> ");
                if let Some((_, what)) = asked.iter_mut().find(open) {
                    let _ = write!(what, " -> {}", answer(message));
                }
            }
            _ => {}
        }
    }
    asked.into_iter().map(|(_, what)| what).collect()
}

fn answer(message: &Value) -> String {
    let outcome = &message["result"]["outcome"];
    match (outcome["optionId"].as_str(), outcome["outcome"].as_str()) {
        (Some(option), _) => option.to_owned(),
        (None, Some(outcome)) => outcome.to_owned(),
        (None, None) if message.get("result").is_some() => "ok".to_owned(),
        _ => format!("error {}", message["error"]["code"]),
    }
}
