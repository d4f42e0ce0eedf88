//! Hook payloads of every agent, odd and hostile calls: what the guard makes of them.

mod any_json;
mod calls;
mod own_tools;
#[path = "../profiles/mod.rs"]
mod profiles;
mod unread;

use serde_json::Value;
use siderail_guard::normalize::{self, AgentNames, RequestView};
use siderail_guard::{Action, Identity, Tool};

const OWN_TOOLS: [Tool; 5] = [
    Tool::ReadFile,
    Tool::WriteFile,
    Tool::RunTests,
    Tool::RunCommand,
    Tool::GitStatus,
];

const AGENTS: [&str; 11] = [
    "copilot",
    "claude",
    "codex",
    "codex-zed",
    "gemini",
    "qwen",
    "opencode",
    "vibe",
    "openhands",
    "fast-agent",
    "generic",
];

fn names(agent: &str) -> AgentNames<'_> {
    AgentNames {
        quirks: profiles::quirks(agent),
        tool_name_in_meta: profiles::tool_name_in_meta(agent),
        server: "intellij-code-tools",
        own_tools: &OWN_TOOLS,
        title_is_command: matches!(agent, "gemini" | "generic"),
    }
}

fn hook(agent: &str, tool: &str, input: Value) -> Action {
    normalize::hook(tool, &input, "/proj", &names(agent))
}

fn request(agent: &str, tool_call: Value, stored: Option<Value>) -> Action {
    let view = RequestView {
        tool_call: &tool_call,
        stored: stored.as_ref(),
        last_open: None,
        meta: None,
        options: &Value::Null,
        cwd: "/proj",
    };
    normalize::permission(&view, &names(agent))
}

fn own(tool: &str) -> Identity {
    Identity::OwnTool(Tool::named(tool).expect("one of ours"))
}

fn builtin(tool: &str) -> Identity {
    Identity::Builtin(tool.to_owned())
}
