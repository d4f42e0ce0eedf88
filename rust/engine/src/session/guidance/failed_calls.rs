//! Calls that ran and failed: which of them the denial tracker hears of, and the program's status and last words.
//!
//! A call has failed by its own status, or by the exit code of the program that it ran, which most agents report as
//! a call that is completed. A call of ours is judged where it is carried out; what an agent then says of it is the
//! same failure once more. Whether the words are a refusal of access, `siderail_guard::access` says.

use serde_json::Value;
use siderail_acp::tool_call::ToolCall;
use siderail_guard::{Action, ActionKind, normalize};

use crate::event::EventBody;
use crate::host::{ToolErrorCode, ToolFailure, ToolOutcome};
use crate::session::Session;
use crate::session::guidance::exit_code::exit_code;
use crate::session::views::{output_text, text_of};
use crate::shared::Shared;

impl Session {
    /// A call of ours has been carried out, or a host gave up on it.
    pub(in crate::session) fn own_call_judged(
        &mut self,
        tool: &str,
        arguments: &Value,
        outcome: &Result<ToolOutcome, ToolFailure>,
        shared: &mut Shared,
    ) {
        let command = text_of(arguments, "command");
        match outcome {
            Ok(done) if done.exit_code.is_none_or(|code| code == 0) => {
                self.carried.tracker.on_success(tool);
            }
            Ok(done) => self.access_failed(&done.text, command, shared),
            // The others speak of the call itself, or show what stands in a file.
            Err(failed) => match failed.code {
                ToolErrorCode::IoError
                | ToolErrorCode::GitCommandFailed
                | ToolErrorCode::InternalError => self.access_failed(&failed.text, command, shared),
                _ => {}
            },
        }
    }

    /// A call of the agent's own tool has ended well.
    pub(in crate::session) fn builtin_completed(
        &mut self,
        id: &str,
        action: &Action,
        shared: &mut Shared,
    ) {
        let call = self
            .handshake
            .acp
            .as_ref()
            .and_then(|acp| acp.tool_call(id));
        if self.is_carrier(action, call, shared) {
            return;
        }
        let failed = call.filter(|call| exit_code(call).is_some_and(|code| code != 0));
        match failed.map(last_words) {
            None => self.carried.tracker.on_success(&action.identity.label()),
            Some(output) => self.access_failed(&output, action.command.as_deref(), shared),
        }
    }

    /// A call of the agent's own tool has failed.
    pub(in crate::session) fn builtin_failed(
        &mut self,
        id: &str,
        action: &Action,
        shared: &mut Shared,
    ) {
        let call = self
            .handshake
            .acp
            .as_ref()
            .and_then(|acp| acp.tool_call(id));
        if self.is_carrier(action, call, shared) {
            return;
        }
        if let Some(output) = call.map(last_words) {
            self.access_failed(&output, action.command.as_deref(), shared);
        }
    }

    /// A call of ours, or the agent's way to call it: what comes of it is known from where it is carried out.
    fn is_carrier(&self, action: &Action, call: Option<&ToolCall>, shared: &Shared) -> bool {
        let tool = action.identity.label();
        let reaches_ours = action.kind != ActionKind::Read;
        action.identity.is_own()
            || reaches_ours && self.facts.profile.guard.pass_tools.contains(&tool)
            || call.is_some_and(|call| self.is_named_as_ours(call, shared))
    }

    /// OpenHands names a call's tool only with its result, and takes its model's own words for a title.
    fn is_named_as_ours(&self, call: &ToolCall, shared: &Shared) -> bool {
        text_of(&call.raw_output, "tool_name").is_some_and(|tool| {
            let names = self.facts.agent_names(&shared.offered);
            let action = normalize::hook(tool, &Value::Null, &self.root_text(), &names);
            self.facts
                .by_own_name(action, &shared.offered)
                .identity
                .is_own()
        })
    }

    /// Counts what a failed call put out where its program was refused access. Without a turn nothing adds up.
    fn access_failed(&mut self, output: &str, command: Option<&str>, shared: &mut Shared) {
        if self.carried.n_turns == 0 {
            return;
        }
        let Some(text) = self.carried.tracker.on_failure(output, command).nudge else {
            return;
        };
        let denials = self.carried.tracker.consecutive();
        self.carried.delivery.note(text.clone());
        self.emit(EventBody::Nudge { denials, text }, shared);
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
