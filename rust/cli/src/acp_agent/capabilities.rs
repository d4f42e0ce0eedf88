//! The capabilities that the client sees: the agent's own answer to `initialize`, with ours added.
//!
//! Text in, text out.

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

/// The agent's answer as the client gets it: the agent's own, byte for byte, where nothing has to differ.
pub(super) fn for_client(result: &RawValue) -> Box<RawValue> {
    let Ok(mut told) = serde_json::from_str::<Value>(result.get()) else {
        return result.to_owned();
    };
    let mut changed = logins(&mut told);
    changed |= closes(&mut told);
    match to_raw_value(&told) {
        Ok(told) if changed => told,
        _ => result.to_owned(),
    }
}

/// A login in a terminal is made by the client with the program that it knows, which is this one.
fn logins(told: &mut Value) -> bool {
    let methods = told.get_mut("authMethods").and_then(Value::as_array_mut);
    let mut changed = false;
    for method in methods.into_iter().flatten() {
        let Some(id) = method["id"].as_str().map(str::to_owned) else {
            continue;
        };
        // Some agents say so in `_meta`.
        let has_meta = method.get("_meta").is_some_and(Value::is_object);
        for place in ["", "/_meta"].into_iter().take(1 + usize::from(has_meta)) {
            let Some(login) = method.pointer_mut(place) else {
                continue;
            };
            if login["type"] != "terminal" {
                continue;
            }
            login["args"] = json!(["--login", id]);
            if let Some(env) = login.get_mut("env") {
                *env = match env {
                    Value::Array(_) => json!([]),
                    _ => json!({}),
                };
            }
            changed = true;
        }
    }
    changed
}

/// Every session is a process of ours, which can be ended.
fn closes(told: &mut Value) -> bool {
    let Some(capabilities) = told
        .get_mut("agentCapabilities")
        .and_then(Value::as_object_mut)
    else {
        return false;
    };
    let session = capabilities
        .entry("sessionCapabilities")
        .or_insert_with(|| json!({}));
    if !session.is_object() || session["close"].is_object() {
        return false;
    }
    session["close"] = json!({});
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_logins_are_ours_and_sessions_can_be_closed() {
        let cases = [
            (
                json!({"authMethods": [
                    {"id": "a", "type": "terminal", "args": ["login"], "env": {"X": "1"}},
                    {"id": "b", "type": "agent", "args": ["kept"]},
                    {"id": "c", "name": "C", "_meta": {"type": "terminal", "args": ["--auth"]}},
                    {"id": "d", "_meta": {"terminal-auth": {"command": "d", "args": ["login"]}}}
                ], "agentCapabilities": {"loadSession": true, "sessionCapabilities": {"list": {}}}}),
                json!({"authMethods": [
                    {"id": "a", "type": "terminal", "args": ["--login", "a"], "env": {}},
                    {"id": "b", "type": "agent", "args": ["kept"]},
                    {"id": "c", "name": "C", "_meta": {"type": "terminal", "args": ["--login", "c"]}},
                    {"id": "d", "_meta": {"terminal-auth": {"command": "d", "args": ["login"]}}}
                ], "agentCapabilities": {"loadSession": true, "sessionCapabilities": {"list": {}, "close": {}}}}),
            ),
            (
                json!({"agentCapabilities": {}}),
                json!({"agentCapabilities": {"sessionCapabilities": {"close": {}}}}),
            ),
        ];
        for (agents, expected) in cases {
            let told = for_client(&to_raw_value(&agents).unwrap());
            assert_eq!(serde_json::from_str::<Value>(told.get()).unwrap(), expected);
        }
        let text = r#"{"agentCapabilities":{"sessionCapabilities":{"close":{}} },"x":1.0}"#;
        let raw = RawValue::from_string(text.to_owned()).unwrap();
        assert_eq!(for_client(&raw).get(), text, "byte for byte");
    }
}
