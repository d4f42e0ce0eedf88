//! Where each agent reads its hooks.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::{Hook, HookEvent, HookStyle, codex_hooks};
use crate::args::Args;
use crate::settings;

/// The member in which Copilot looks for the command line of a hook.
const COPILOT_SHELL: &str = if cfg!(windows) { "powershell" } else { "bash" };

const BOTH: [(&str, HookEvent); 2] = [
    ("PreToolUse", HookEvent::PreTool),
    ("PermissionRequest", HookEvent::PermissionRequest),
];

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
        "claude" => {
            let settings = &sources.new_session["_meta"]["claudeCode"]["options"]["settings"];
            groups(&settings["hooks"], HookStyle::ClaudeCode, 1.0)
        }
        "codex" => trusted(&settings::codex(sources.args)),
        "codex-zed" => {
            let config = settings::codex(sources.args);
            if config["features"]["hooks"] == true {
                trusted(&config)
            } else {
                Vec::new()
            }
        }
        "qwen" => {
            let defaults = settings::json_from_variable("QWEN_CODE_SYSTEM_DEFAULTS_PATH");
            groups(&defaults["hooks"], HookStyle::ClaudeCode, 0.001)
        }
        "vibe" => vibe(),
        "openhands" => openhands(sources.cwd),
        _ => Vec::new(),
    }
}

/// `--plugin-dir=DIR`: `plugin.json` names the hooks' file.
fn copilot(args: &Args) -> Vec<Hook> {
    let mut found = Vec::new();
    for dir in args.agent_values("--plugin-dir") {
        let dir = Path::new(&dir);
        let plugin = settings::json_file(&dir.join("plugin.json"));
        let hooks =
            settings::json_file(&dir.join(plugin["hooks"].as_str().unwrap_or("hooks.json")));
        let events = [
            ("preToolUse", HookEvent::PreTool),
            ("permissionRequest", HookEvent::PermissionRequest),
        ];
        for (name, event) in events {
            for hook in hooks["hooks"][name].as_array().into_iter().flatten() {
                let Some(command) = hook[COPILOT_SHELL].as_str() else {
                    continue;
                };
                found.push(Hook {
                    event,
                    style: HookStyle::Copilot,
                    matcher: "*".to_owned(),
                    command: command.to_owned(),
                    limit: seconds(&hook["timeoutSec"], 30.0),
                    fails_closed: true,
                    as_argument: false,
                });
            }
        }
    }
    found
}

/// Claude Code's table: per event groups with a matcher; `unit` is the timeout's unit in seconds.
fn groups(table: &Value, style: HookStyle, unit: f64) -> Vec<Hook> {
    let mut found = Vec::new();
    for (name, event) in BOTH {
        for group in table[name].as_array().into_iter().flatten() {
            for hook in group["hooks"].as_array().into_iter().flatten() {
                let Some(command) = hook["command"].as_str() else {
                    continue;
                };
                found.push(Hook {
                    event,
                    style,
                    matcher: group["matcher"].as_str().unwrap_or("*").to_owned(),
                    command: command.to_owned(),
                    limit: seconds(&hook["timeout"], 60.0 / unit).mul_f64(unit),
                    fails_closed: false,
                    as_argument: false,
                });
            }
        }
    }
    found
}

/// Codex skips what it does not trust without a word.
fn trusted(config: &Value) -> Vec<Hook> {
    let hooks = codex_hooks(&config["hooks"]).into_iter();
    hooks
        .filter(|hook| hook.trusted)
        .map(|hook| hook.hook)
        .collect()
}

/// `hooks.toml` in `VIBE_HOME`, or in `~/.vibe`.
fn vibe() -> Vec<Hook> {
    let home = std::env::var_os("VIBE_HOME")
        .map(PathBuf::from)
        .or_else(|| in_home(".vibe"));
    let Some(file) = home
        .map(|home| home.join("hooks.toml"))
        .filter(|file| file.exists())
    else {
        return Vec::new();
    };
    let hooks = settings::toml_file(&file);
    let hook = |entry: &Value| {
        let pre_tool = entry["type"] == "pre_tool";
        Some(Hook {
            event: HookEvent::PreTool,
            style: HookStyle::Vibe,
            matcher: entry["match"].as_str().unwrap_or("*").to_owned(),
            command: entry["command"].as_str().filter(|_| pre_tool)?.to_owned(),
            limit: seconds(&entry["timeout"], 60.0),
            fails_closed: entry["strict"] == true,
            as_argument: false,
        })
    };
    hooks["hooks"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(hook)
        .collect()
}

/// `.openhands/hooks.json` in the session's folder, or else in the home folder.
fn openhands(cwd: &Path) -> Vec<Hook> {
    let places = [Some(cwd.join(".openhands")), in_home(".openhands")];
    let mut files = places
        .into_iter()
        .flatten()
        .map(|folder| folder.join("hooks.json"));
    let Some(file) = files.find(|file| file.exists()) else {
        return Vec::new();
    };
    groups(
        &settings::json_file(&file)["hooks"],
        HookStyle::OpenHands,
        1.0,
    )
}

fn in_home(name: &str) -> Option<PathBuf> {
    std::env::var_os("HOME").map(|home| Path::new(&home).join(name))
}

fn seconds(value: &Value, default: f64) -> Duration {
    Duration::from_secs_f64(value.as_f64().unwrap_or(default).max(0.0))
}
