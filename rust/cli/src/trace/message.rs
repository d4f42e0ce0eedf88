//! A recorded JSON-RPC message in a few words: its method or kind, and what it is about.
//!
//! Answers carry no method, so the requests of both sides are remembered until they are answered.

use std::collections::HashMap;

use serde_json::Value;

use super::Way;

/// A message in short.
pub(super) struct Short {
    /// Method, update kind, or what it answers.
    pub(super) kind: String,
    /// What it is about; may be empty.
    pub(super) about: String,
}

/// Open requests by who asked and their id.
#[derive(Default)]
pub(super) struct Names(HashMap<(Way, String), String>);

impl Names {
    /// The message in short; remembers requests.
    pub(super) fn short(&mut self, way: Way, message: &Value) -> Short {
        if way == Way::Note {
            return Short {
                kind: "note".to_owned(),
                about: pairs(message),
            };
        }
        let id = message.get("id").map(Value::to_string);
        if let Some(method) = message["method"].as_str() {
            let params = &message["params"];
            let number = id.as_ref().map(|id| format!(" #{id}")).unwrap_or_default();
            if let Some(id) = id {
                self.0.insert((way, id), method.to_owned());
            }
            let kind = match params["update"]["sessionUpdate"].as_str() {
                Some(update) => update.to_owned(),
                None => format!("{method}{number}"),
            };
            return Short {
                kind,
                about: about_request(params),
            };
        }
        let id = id.unwrap_or_else(|| "null".to_owned());
        let asked_by = match way {
            Way::ToAgent => Way::FromAgent,
            _ => Way::ToAgent,
        };
        let method = self.0.remove(&(asked_by, id.clone()));
        let method = method
            .map(|method| format!(" ({method})"))
            .unwrap_or_default();
        match message.get("error") {
            Some(error) => Short {
                kind: format!("error #{id}{method}"),
                about: about_error(error),
            },
            None => Short {
                kind: format!("answer #{id}{method}"),
                about: about_result(&message["result"]),
            },
        }
    }
}

fn about_request(params: &Value) -> String {
    let update = &params["update"];
    let call = match update.is_object() {
        true => update,
        false => &params["toolCall"],
    };
    let text = &call["content"]["text"];
    if let Some(text) = text.as_str() {
        return text.to_owned();
    }
    if call.get("toolCallId").is_some() {
        return words(call, &["toolCallId", "status", "title"]);
    }
    if let Some(version) = params.get("protocolVersion") {
        return format!("protocol {version}");
    }
    if let Some(blocks) = params["prompt"].as_array() {
        let texts = blocks.iter().filter_map(|block| block["text"].as_str());
        return texts.collect::<Vec<_>>().join(" ");
    }
    let named = [
        "path",
        "command",
        "cwd",
        "methodId",
        "modeId",
        "currentModeId",
        "reason",
    ];
    match words(params, &named) {
        about if about.is_empty() => words(update, &named),
        about => about,
    }
}

fn about_result(result: &Value) -> String {
    let info = &result["agentInfo"];
    if info.is_object() {
        return words(info, &["name", "version"]);
    }
    let outcome = &result["outcome"];
    if outcome.is_object() {
        return words(outcome, &["outcome", "optionId"]);
    }
    words(
        result,
        &["stopReason", "sessionId", "terminalId", "content"],
    )
}

fn about_error(error: &Value) -> String {
    match error {
        Value::String(text) => text.clone(),
        error => {
            let data = match &error["data"] {
                Value::Null => String::new(),
                data => format!(" {data}"),
            };
            words(error, &["code", "message"]) + &data
        }
    }
}

/// The members of these names that are texts or numbers, one after the other.
fn words(value: &Value, names: &[&str]) -> String {
    let found = names.iter().filter_map(|name| match value.get(*name) {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    });
    found.collect::<Vec<_>>().join(" ")
}

fn pairs(note: &Value) -> String {
    let members = note.as_object().into_iter().flatten();
    let said = members.filter_map(|(name, value)| match value {
        Value::String(text) => Some(format!("{name} {text}")),
        Value::Number(number) => Some(format!("{name} {number}")),
        _ => None,
    });
    said.collect::<Vec<_>>().join(", ")
}
