//! Payloads and answers of the agents' own pre-tool hooks. Pure: it reads and writes JSON, decides nothing.
//!
//! Two ways of naming members are in use (`toolName`/`toolArgs` and `tool_name`/`tool_input`), and three
//! ways of saying no. "No decision" leaves the agent's ordinary permission flow in force.

use serde_json::{Value, json};

use crate::profile::{HookShape, ProbeCall};

/// What an agent is about to run, as its hook reports it.
#[derive(Clone, Debug, PartialEq)]
pub struct HookCall {
    /// The agent's own name of the tool.
    pub tool: String,
    /// Its arguments, parsed where they came as a JSON string.
    pub input: Value,
    /// The agent's id of the tool call, where it gives one.
    pub call_id: Option<String>,
    /// The agent would ask for permission and lets its hook answer instead.
    pub asks: bool,
}

/// Reads a payload; `None` when it is not a JSON object or names no tool.
pub fn parse(payload: &[u8]) -> Option<HookCall> {
    let value: Value = serde_json::from_slice(payload).ok()?;
    let text = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| value.get(name)?.as_str())
            .filter(|t| !t.is_empty())
    };
    let input = ["tool_input", "toolArgs", "toolInput"]
        .iter()
        .find_map(|name| value.get(name))
        .cloned()
        .unwrap_or(Value::Null);
    Some(HookCall {
        tool: text(&["tool_name", "toolName"])?.to_owned(),
        input: unpacked(input),
        call_id: text(&["tool_use_id", "toolCallId", "tool_call_id"]).map(str::to_owned),
        asks: text(&["hook_event_name", "hookName"]) == Some("PermissionRequest"),
    })
}

/// Arguments that came as a JSON string become what the string holds.
fn unpacked(input: Value) -> Value {
    match &input {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner @ Value::Object(_)) => inner,
            _ => input,
        },
        _ => input,
    }
}

/// The answer that denies with a reason.
pub fn deny(shape: HookShape, call: &HookCall, reason: &str) -> String {
    let answer = match shape {
        HookShape::PermissionRequest if call.asks => json!({"hookSpecificOutput": {
            "hookEventName": "PermissionRequest",
            "decision": {"behavior": "deny", "message": reason},
        }}),
        HookShape::PermissionDecision => {
            json!({"permissionDecision": "deny", "permissionDecisionReason": reason})
        }
        HookShape::PreToolUse | HookShape::PermissionRequest => json!({"hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        }}),
        HookShape::Decision => json!({"decision": "deny", "reason": reason}),
    };
    answer.to_string()
}

/// The answer that leaves the decision to the agent's ordinary flow.
pub fn no_decision(shape: HookShape) -> String {
    match shape {
        HookShape::PermissionDecision | HookShape::PreToolUse | HookShape::PermissionRequest => {
            "{}".to_owned()
        }
        HookShape::Decision => json!({"decision": "allow"}).to_string(),
    }
}

/// What the hook's command says so that the relay, where the engine is gone or slow, answers as [`no_decision`] does.
pub fn when_unanswered(shape: HookShape) -> &'static [&'static str] {
    match shape {
        HookShape::PermissionDecision | HookShape::PreToolUse | HookShape::PermissionRequest => &[],
        HookShape::Decision => &["--no-decision", "allow"],
    }
}

/// The events that a hook of this shape is registered for, as its command names them.
pub fn events(shape: HookShape) -> &'static [Option<&'static str>] {
    match shape {
        HookShape::PermissionRequest => &[Some("PermissionRequest"), Some("PreToolUse")],
        HookShape::PermissionDecision | HookShape::PreToolUse | HookShape::Decision => &[None],
    }
}

/// What an agent of this shape would write to its hook about a call.
pub fn payload(shape: HookShape, event: Option<&str>, call: &ProbeCall, cwd: &str) -> Value {
    let (tool, input) = (&call.tool, &call.input);
    match shape {
        HookShape::PermissionDecision => json!({
            "sessionId": "trial", "timestamp": 0, "cwd": cwd, "toolName": tool, "toolArgs": input,
        }),
        HookShape::PreToolUse | HookShape::PermissionRequest => json!({
            "session_id": "trial", "transcript_path": null, "cwd": cwd, "permission_mode": "default",
            "hook_event_name": event.unwrap_or("PreToolUse"), "tool_name": tool, "tool_input": input,
        }),
        HookShape::Decision => json!({
            "session_id": "trial", "cwd": cwd, "hook_event_name": "pre_tool", "tool_name": tool,
            "tool_input": input,
        }),
    }
}

/// The reason, where an answer of this shape denies.
pub fn denial(shape: HookShape, answer: &Value) -> Option<String> {
    let specific = &answer["hookSpecificOutput"];
    let (decision, reason) = match shape {
        HookShape::PermissionDecision => (
            &answer["permissionDecision"],
            &answer["permissionDecisionReason"],
        ),
        HookShape::Decision => (&answer["decision"], &answer["reason"]),
        HookShape::PreToolUse | HookShape::PermissionRequest
            if specific["decision"].is_object() =>
        {
            (
                &specific["decision"]["behavior"],
                &specific["decision"]["message"],
            )
        }
        HookShape::PreToolUse | HookShape::PermissionRequest => (
            &specific["permissionDecision"],
            &specific["permissionDecisionReason"],
        ),
    };
    (decision == "deny").then(|| reason.as_str().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_is_read_and_its_denial_understood_in_every_shape() {
        let probe = ProbeCall {
            tool: "edit".to_owned(),
            input: json!({"path": "a.txt"}),
        };
        for shape in [
            HookShape::PermissionDecision,
            HookShape::PreToolUse,
            HookShape::PermissionRequest,
            HookShape::Decision,
        ] {
            for event in events(shape) {
                let payload = payload(shape, *event, &probe, "/p").to_string();
                let call = parse(payload.as_bytes()).unwrap();
                assert_eq!((&call.tool, &call.input), (&probe.tool, &probe.input));
                assert_eq!(call.asks, *event == Some("PermissionRequest"));
                let answer = serde_json::from_str(&deny(shape, &call, "no")).unwrap();
                assert_eq!(denial(shape, &answer).as_deref(), Some("no"));
            }
            let open = serde_json::from_str(&no_decision(shape)).unwrap();
            assert_eq!(denial(shape, &open), None);
        }
    }

    #[test]
    fn both_ways_of_naming_members_are_read() {
        let copilot = br#"{"sessionId":"s","toolName":"bash","toolArgs":"{\"command\":\"ls\"}"}"#;
        assert_eq!(
            parse(copilot),
            Some(HookCall {
                tool: "bash".to_owned(),
                input: json!({"command": "ls"}),
                call_id: None,
                asks: false,
            })
        );
        let codex = br#"{"tool_name":"apply_patch","tool_input":{"input":"x"},"tool_use_id":"c1"}"#;
        assert_eq!(parse(codex).unwrap().call_id.as_deref(), Some("c1"));
        assert_eq!(parse(b"not json"), None);
        assert_eq!(parse(br#"{"tool_name":""}"#), None);
    }

    #[test]
    fn a_reason_with_quotes_stays_one_json_line() {
        let call = parse(br#"{"tool_name":"x","hook_event_name":"PermissionRequest"}"#).unwrap();
        for shape in [
            HookShape::PermissionDecision,
            HookShape::PreToolUse,
            HookShape::PermissionRequest,
            HookShape::Decision,
        ] {
            let line = deny(shape, &call, "say \"no\"\nand why");
            assert!(!line.contains('\n'));
            assert!(
                serde_json::from_str::<Value>(&line)
                    .unwrap()
                    .to_string()
                    .contains("and why")
            );
            assert!(serde_json::from_str::<Value>(&no_decision(shape)).is_ok());
        }
    }
}
