//! What an agent sends, as events carry it: a block, a tool call, a plan. Knows no session, so that a replay reads
//! alike.

use serde_json::Value;
use siderail_acp::content::ContentBlock;
use siderail_acp::exit_code::{exit_code, without_code};
use siderail_acp::options::CommandInfo;
use siderail_acp::tool_call::ToolCall;
use siderail_guard::Action;

use crate::acp_words::tool_call_status;
use siderail_event::{
    AgentCommand, AgentCommands, EventBody, FileDiff, PlanEntry, ToolCallView, ToolKind,
};

/// Text of a tool call that an event carries at most.
const TOOL_TEXT: usize = 4_000;
/// Commands that an event carries at most; one agent announces half a megabyte of them.
const MOST_COMMANDS: usize = 500;
/// Characters of a command's description.
const DESCRIPTION: usize = 300;

/// A block as text: what is not text is named.
pub fn shown(content: &ContentBlock) -> String {
    match content {
        ContentBlock::Text(text) => text.clone(),
        ContentBlock::Other { kind, .. } => format!("[{kind}]"),
    }
}

/// The same of a block that is not needed any more.
pub fn into_shown(content: ContentBlock) -> String {
    match content {
        ContentBlock::Text(text) => text,
        other => shown(&other),
    }
}

/// A call as an event reports it. `action`: what the guard sees in it.
pub fn view_of(call: &ToolCall, action: &Action) -> ToolCallView {
    let text = output_text(call);
    let exit_code = action.command.as_ref().and_then(|_| exit_code(call));
    let text = match exit_code {
        Some(code) => without_code(&text, code),
        None => text,
    };
    ToolCallView {
        tool_call_id: call.id.clone(),
        tool: action.identity.label(),
        kind: call
            .kind
            .as_ref()
            .map_or(ToolKind::Other, |kind| kind.as_str().into()),
        status: tool_call_status(&call.status),
        title: call.title.clone(),
        command: action.command.clone(),
        paths: action.paths.clone(),
        own: action.identity.is_own(),
        diffs: call.content.iter().filter_map(diff_of).collect(),
        text: capped(&text, TOOL_TEXT),
        exit_code,
    }
}

/// A change as a tool call's content shows it.
pub fn diff_of(content: &Value) -> Option<FileDiff> {
    (text_of(content, "type") == Some("diff")).then_some(())?;
    Some(FileDiff {
        path: text_of(content, "path")?.to_owned(),
        old_text: text_of(content, "oldText").map(str::to_owned),
        new_text: text_of(content, "newText")?.to_owned(),
    })
}

/// The agent's plan as an event reports it.
pub fn plan_entries(entries: Vec<siderail_acp::update::PlanEntry>) -> Vec<PlanEntry> {
    let entry = |e: siderail_acp::update::PlanEntry| PlanEntry {
        text: e.content,
        status: e.status.as_str().into(),
        priority: e.priority.as_str().into(),
    };
    entries.into_iter().map(entry).collect()
}

/// The agent's slash commands as an event carries them; empty if there are none.
pub fn commands_of(commands: &[CommandInfo]) -> Option<EventBody> {
    let command = |info: &CommandInfo| AgentCommand {
        name: info.name.clone(),
        description: capped(&info.description, DESCRIPTION),
        hint: info.hint.clone(),
    };
    let commands: Vec<_> = commands.iter().take(MOST_COMMANDS).map(command).collect();
    (!commands.is_empty()).then_some(EventBody::AgentCommands(AgentCommands { commands }))
}

/// What a call shows, or what it put out.
pub fn output_text(call: &ToolCall) -> String {
    let shown = call.content_text();
    match (&call.raw_output, shown.is_empty()) {
        (_, false) | (Value::Null, true) => shown,
        (Value::String(text), true) => text.clone(),
        (output, true) => ["output", "content", "message", "error"]
            .iter()
            .find_map(|name| text_of(output, name))
            .map_or_else(|| output.to_string(), str::to_owned),
    }
}

/// Text cut to what an event carries.
pub fn capped(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// The value of a member that is text.
pub fn text_of<'a>(arguments: &'a Value, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str)
}
