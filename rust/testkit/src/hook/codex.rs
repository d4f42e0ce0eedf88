//! Codex trusts a hook only by the hash of its definition.

use std::time::Duration;

use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{Hook, HookEvent, HookStyle};

/// A hook from Codex's session flags, trusted or not.
#[derive(Clone, Debug)]
pub struct CodexHook {
    /// Key of its entry in `hooks.state`.
    pub key: String,
    /// Hash of its definition as it is now.
    pub current_hash: String,
    /// True where `hooks.state` has that very hash and does not disable the hook.
    pub trusted: bool,
    /// The hook.
    pub hook: Hook,
}

/// `sha256:` and the hash of a command hook's definition: compact JSON with sorted members.
#[must_use]
pub fn definition_hash(event_name: &str, matcher: &str, command: &str, timeout: u64) -> String {
    let quoted = |text: &str| Value::from(text).to_string();
    let definition = format!(
        "{{\"event_name\":{},\"hooks\":[{{\"async\":false,\"command\":{},\"timeout\":{timeout},\
         \"type\":\"command\"}}],\"matcher\":{}}}",
        quoted(event_name),
        quoted(command),
        quoted(matcher),
    );
    format!("sha256:{}", HEXLOWER.encode(&Sha256::digest(definition)))
}

/// The file that Codex names as the place of settings from its command line.
const FLAGS: &str = if cfg!(windows) {
    r"C:\<session-flags>\config.toml"
} else {
    "/<session-flags>/config.toml"
};

/// The hooks of a `hooks` table (`{PreToolUse:[…], PermissionRequest:[…], state:{…}}`).
#[must_use]
pub fn hooks(table: &Value) -> Vec<CodexHook> {
    let events = [
        ("PreToolUse", "pre_tool_use", HookEvent::PreTool),
        (
            "PermissionRequest",
            "permission_request",
            HookEvent::PermissionRequest,
        ),
    ];
    let mut found = Vec::new();
    for (name, event_name, event) in events {
        for (group, entry) in table[name].as_array().into_iter().flatten().enumerate() {
            for (index, hook) in entry["hooks"].as_array().into_iter().flatten().enumerate() {
                let Some(command) = hook["command"].as_str() else {
                    continue;
                };
                let timeout = hook["timeout"].as_u64().unwrap_or(600);
                let matcher = entry["matcher"].as_str().unwrap_or_default();
                let key = format!("{FLAGS}:{event_name}:{group}:{index}");
                let current_hash = definition_hash(event_name, matcher, command, timeout);
                let state = &table["state"][&key];
                let trusted = state["trusted_hash"] == json!(current_hash)
                    && state["enabled"] != json!(false);
                let hook = Hook {
                    event,
                    style: HookStyle::ClaudeCode,
                    matcher: matcher.to_owned(),
                    command: command.to_owned(),
                    limit: Duration::from_secs(timeout),
                    fails_closed: false,
                    as_argument: true,
                };
                found.push(CodexHook {
                    key,
                    current_hash,
                    trusted,
                    hook,
                });
            }
        }
    }
    found
}
