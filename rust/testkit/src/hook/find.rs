//! Where each agent reads its hooks.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::{Hook, HookEvent, HookStyle};
use crate::args::Args;

/// Where to look.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    /// The shape's name.
    pub shape: &'a str,
    /// The agent's command line.
    pub args: &'a Args,
    /// Params of `session/new`.
    pub new_session: &'a Value,
    /// The session's folder.
    pub cwd: &'a Path,
}

/// The hooks that are in force.
#[must_use]
pub fn find(sources: &Sources<'_>) -> Vec<Hook> {
    match sources.shape {
        "copilot" => copilot(sources.args),
        _ => Vec::new(),
    }
}

/// `--plugin-dir=DIR`: `plugin.json` names the hooks' file.
fn copilot(args: &Args) -> Vec<Hook> {
    let mut found = Vec::new();
    for dir in args.agent_values("--plugin-dir") {
        let dir = Path::new(&dir);
        let plugin = read_json(&dir.join("plugin.json"));
        let file = plugin["hooks"].as_str().unwrap_or("hooks.json").to_owned();
        let hooks = read_json(&dir.join(file));
        for (name, event) in [
            ("preToolUse", HookEvent::PreTool),
            ("permissionRequest", HookEvent::PermissionRequest),
        ] {
            for hook in hooks["hooks"][name].as_array().into_iter().flatten() {
                let Some(command) = hook["bash"].as_str() else {
                    continue;
                };
                found.push(Hook {
                    event,
                    style: HookStyle::Copilot,
                    command: command.to_owned(),
                    limit: seconds(&hook["timeoutSec"], 30),
                    fails_closed: true,
                });
            }
        }
    }
    found
}

fn seconds(value: &Value, default: u64) -> Duration {
    Duration::from_secs_f64(value.as_f64().unwrap_or(default as f64).max(0.0))
}

/// The file as JSON, null where it cannot be read; agents ignore broken hook files as well.
fn read_json(path: &Path) -> Value {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("scripted agent: {} not read: {error}", path.display());
            return Value::Null;
        }
    };
    serde_json::from_str(&text).unwrap_or_else(|error| {
        eprintln!("scripted agent: {} is no JSON: {error}", path.display());
        Value::Null
    })
}
