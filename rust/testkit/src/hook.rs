//! The agents' own pre-tool hooks, run as the agents run them: `sh -c COMMAND`, payload on stdin,
//! the agent's environment, the answer on stdout.
//!
//! [`find`] reads the hooks from where the shape's agent reads them; [`Hook::run`] asks one. What a
//! denial does to the turn is decided elsewhere.

mod codex;
mod find;

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::shell;

pub use codex::{CodexHook, definition_hash, hooks as codex_hooks};
pub use find::{Sources, find};

/// When a hook runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookEvent {
    /// Ahead of every tool call.
    PreTool,
    /// Instead of asking the client.
    PermissionRequest,
}

/// Whose payload and answer a hook has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookStyle {
    /// `{sessionId,timestamp,cwd,toolName,toolArgs}` → `{permissionDecision,permissionDecisionReason}`.
    Copilot,
    /// Claude Code's form, also Codex's and Qwen's.
    ClaudeCode,
    /// Mistral Vibe's.
    Vibe,
    /// OpenHands'.
    OpenHands,
}

/// A hook command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    /// When it runs.
    pub event: HookEvent,
    /// Its payload's form.
    pub style: HookStyle,
    /// Tool names it is for: `*`, `.*`, or names with `|` between them.
    pub matcher: String,
    /// The shell command.
    pub command: String,
    /// How long it may take.
    pub limit: Duration,
    /// True: a hook that fails denies.
    pub fails_closed: bool,
    /// On Windows its command is an argument of `cmd /C`, quoted as for any program.
    pub as_argument: bool,
}

/// What a hook receives.
#[derive(Clone, Copy, Debug)]
pub struct HookCall<'a> {
    /// ACP session id.
    pub session: &'a str,
    /// The session's folder.
    pub cwd: &'a Path,
    /// The tool's name in hooks.
    pub tool: &'a str,
    /// The model's arguments.
    pub input: &'a Value,
    /// The tool call's id.
    pub call_id: &'a str,
    /// Number of the turn.
    pub turn: u64,
}

impl Hook {
    /// Runs the hook; `Some(reason)` where it denies.
    ///
    /// What goes wrong is printed to stderr, as agents log it.
    #[must_use]
    pub fn run(&self, call: &HookCall<'_>) -> Option<String> {
        if !self.is_for(call.tool) {
            return None;
        }
        match self.answer(call) {
            Ok(Some(answer)) => self.denial(&answer),
            Ok(None) => None,
            Err(why) => {
                eprintln!("scripted agent: hook {}: {why}", self.command);
                self.fails_closed.then(|| format!("hook failed: {why}"))
            }
        }
    }

    fn is_for(&self, tool: &str) -> bool {
        matches!(self.matcher.as_str(), "" | "*" | ".*")
            || self.matcher.split('|').any(|name| name == tool)
    }

    fn payload(&self, call: &HookCall<'_>) -> Value {
        match self.style {
            HookStyle::Copilot => json!({
                "sessionId": call.session, "timestamp": 1_795_165_941_834_u64, "cwd": call.cwd,
                "toolName": call.tool, "toolArgs": call.input,
            }),
            HookStyle::ClaudeCode => json!({
                "session_id": call.session, "transcript_path": null, "cwd": call.cwd,
                "permission_mode": "default",
                "hook_event_name": match self.event {
                    HookEvent::PreTool => "PreToolUse",
                    HookEvent::PermissionRequest => "PermissionRequest",
                },
                "tool_name": call.tool, "tool_input": call.input, "tool_use_id": call.call_id,
                "turn_id": call.turn.to_string(),
            }),
            HookStyle::Vibe => json!({
                "session_id": call.session, "parent_session_id": null, "cwd": call.cwd,
                "hook_event_name": "pre_tool", "tool_name": call.tool,
                "tool_call_id": call.call_id, "tool_input": call.input,
            }),
            HookStyle::OpenHands => json!({
                "event_type": "PreToolUse", "tool_name": call.tool, "tool_input": call.input,
                "session_id": call.session, "working_dir": call.cwd,
            }),
        }
    }

    /// The reason, where the answer is a denial of this hook's form.
    fn denial(&self, answer: &Value) -> Option<String> {
        let specific = &answer["hookSpecificOutput"];
        let (decision, reason) = match (self.style, self.event) {
            (HookStyle::Copilot, _) => (
                &answer["permissionDecision"],
                &answer["permissionDecisionReason"],
            ),
            (HookStyle::ClaudeCode, HookEvent::PreTool) => (
                &specific["permissionDecision"],
                &specific["permissionDecisionReason"],
            ),
            (HookStyle::ClaudeCode, HookEvent::PermissionRequest) => (
                &specific["decision"]["behavior"],
                &specific["decision"]["message"],
            ),
            (HookStyle::Vibe | HookStyle::OpenHands, _) => (&answer["decision"], &answer["reason"]),
        };
        (decision == "deny").then(|| reason.as_str().unwrap_or_default().to_owned())
    }

    /// The answer that exit code 2 means: a denial with what was printed to stderr.
    fn denial_of(&self, reason: &str) -> Value {
        match self.style {
            HookStyle::Vibe | HookStyle::OpenHands => json!({"decision": "deny", "reason": reason}),
            HookStyle::Copilot | HookStyle::ClaudeCode => json!({"hookSpecificOutput": {
                "permissionDecision": "deny", "permissionDecisionReason": reason,
                "decision": {"behavior": "deny", "message": reason},
            }}),
        }
    }

    fn answer(&self, call: &HookCall<'_>) -> Result<Option<Value>, String> {
        let mut child = shell::command(&self.command, self.as_argument)
            .current_dir(call.cwd)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        let mut stdin = child.stdin.take().expect("stdin is piped");
        let stdout = child.stdout.take().expect("stdout is piped");
        let stderr = child.stderr.take().expect("stderr is piped");
        let payload = self.payload(call).to_string();
        // A hook that answers without reading closes the pipe early, which is its right.
        drop(stdin.write_all(payload.as_bytes()));
        drop(stdin);
        let output = read_aside(stdout);
        let complaint = read_aside(stderr);
        let code = wait(&mut child, self.limit)?;
        let text = output.join().unwrap_or_default();
        let complaint = complaint.join().unwrap_or_default();
        eprint!("{complaint}");
        match code {
            0 if text.trim().is_empty() => Ok(None),
            2 if self.style != HookStyle::Copilot => Ok(Some(self.denial_of(complaint.trim()))),
            0 => serde_json::from_str(&text)
                .map(Some)
                .map_err(|error| format!("no JSON: {error}")),
            code => Err(format!("exit code {code}")),
        }
    }
}

fn read_aside(mut pipe: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read up to a failing read still counts.
        drop(pipe.read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn wait(child: &mut Child, limit: Duration) -> Result<i32, String> {
    let deadline = Instant::now() + limit;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status.code().unwrap_or(-1)),
            Ok(None) if Instant::now() > deadline => {
                // Already gone is as good as killed.
                drop(child.kill());
                drop(child.wait());
                return Err(format!("no answer within {} s", limit.as_secs()));
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(5)),
            Err(error) => return Err(error.to_string()),
        }
    }
}
