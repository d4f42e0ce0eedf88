//! Calls that ran and failed: which of them the denial tracker hears of, and the program's status and last words.
//!
//! A call has failed by its own status, or by the exit code of the program that it ran, which most agents report as a
//! completed call. A call of ours is judged where it is carried out; what an agent then says of it is the same failure
//! once more. `siderail_guard::access` says whether the words are a refusal of access.

use serde_json::Value;
use siderail_acp::tool_call::ToolCall;
use siderail_guard::{Action, ActionKind, Tool, normalize};

use crate::host::{ToolErrorCode, ToolFailure, ToolOutcome};
use crate::session::agent_facts::AgentFacts;
use crate::session::effect::Effect;
use crate::session::guidance::denials::Denials;
use crate::views::{output_text, text_of};
use siderail_acp::exit_code::exit_code;

impl Denials {
    /// A call of ours has been carried out, or a host gave up on it.
    pub(in crate::session) fn own_call_ended(
        &mut self,
        turn: u32,
        tool: Tool,
        arguments: &Value,
        outcome: &Result<ToolOutcome, ToolFailure>,
    ) -> Option<Effect> {
        let command = text_of(arguments, "command");
        match outcome {
            Ok(done) if done.exit_code.is_none_or(|code| code == 0) => {
                self.tracker.on_success(tool.name());
                None
            }
            Ok(done) => self.access_failed(turn, &done.text, command),
            // The others speak of the call itself, or show the contents of a file.
            Err(failed) => match failed.code {
                ToolErrorCode::IoError
                | ToolErrorCode::GitCommandFailed
                | ToolErrorCode::InternalError => self.access_failed(turn, &failed.text, command),
                _ => None,
            },
        }
    }

    /// A call of the agent's own tool has ended, by its own status well (`completed`) or not.
    pub(in crate::session) fn builtin_ended(
        &mut self,
        turn: u32,
        action: &Action,
        call: Option<&ToolCall>,
        completed: bool,
    ) -> Option<Effect> {
        let failed = |call: &&ToolCall| !completed || exit_code(call).is_some_and(|code| code != 0);
        match call.filter(failed) {
            Some(call) => self.access_failed(turn, &last_words(call), action.command.as_deref()),
            None => {
                if completed {
                    self.tracker.on_success(&action.identity.label());
                }
                None
            }
        }
    }
}

impl AgentFacts {
    /// A call of ours, or the agent's way to call it: what comes of it is known from where it is carried out.
    pub(in crate::session) fn carries_ours(
        &self,
        action: &Action,
        call: Option<&ToolCall>,
        root: &str,
        offered: &[Tool],
    ) -> bool {
        let tool = action.identity.label();
        let reaches_ours = action.kind != ActionKind::Read;
        action.identity.is_own()
            || reaches_ours && self.profile.guard.pass_tools.contains(&tool)
            || call.is_some_and(|call| self.is_named_as_ours(call, root, offered))
    }

    /// OpenHands names a call's tool only with its result, and takes its model's own words for a title.
    fn is_named_as_ours(&self, call: &ToolCall, root: &str, offered: &[Tool]) -> bool {
        text_of(&call.raw_output, "tool_name").is_some_and(|tool| {
            let action = normalize::hook(tool, &Value::Null, root, &self.agent_names(offered));
            self.by_own_name(action, offered).identity.is_own()
        })
    }
}

/// What a call's program said last: its errors apart from its output, where the agent keeps them apart.
fn last_words(call: &ToolCall) -> String {
    if let Some(errors) = text_of(&call.raw_output, "stderr").filter(|text| !text.trim().is_empty())
    {
        return errors.to_owned();
    }
    let streamed = call.meta.get("terminal_output_delta");
    match streamed.and_then(|piece| text_of(piece, "data")) {
        Some(piece) if call.content_text().trim().is_empty() => piece.to_owned(),
        _ => output_text(call),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(content: &str, raw_output: Value, meta: Value) -> ToolCall {
        let mut call = ToolCall::new("1");
        if !content.is_empty() {
            let block = json!({"type": "content", "content": {"type": "text", "text": content}});
            call.content = vec![block].into();
        }
        call.raw_output = raw_output;
        call.meta = meta;
        call
    }

    #[test]
    fn a_programs_errors_are_its_last_words() {
        let both = json!({"stdout": "12 lines", "stderr": "x: Permission denied"});
        assert_eq!(
            last_words(&call("12 lines", both, Value::Null)),
            "x: Permission denied"
        );
        let streamed = json!({"terminal_output_delta": {"data": "x: Permission denied\n"}});
        let code = json!({"exit_code": 1});
        assert_eq!(
            last_words(&call("", code, streamed)),
            "x: Permission denied\n"
        );
        let merged = json!({"stdout": "all", "stderr": ""});
        assert_eq!(last_words(&call("shown", merged, Value::Null)), "shown");
    }
}
