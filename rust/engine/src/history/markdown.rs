//! A conversation as Markdown, and its texts for a search. Pure.

use super::Conversation;
use crate::event::{EventBody, PlanEntry, PromptOrigin};

/// A conversation as a Markdown page. `date` words a time in milliseconds since 1970.
pub fn markdown(conversation: &Conversation, date: impl Fn(u64) -> String) -> String {
    let listed = &conversation.listed;
    let mut page = format!(
        "# {}\n\n{} with {} in `{}`, {} prompts.\n",
        heading(&listed.title),
        date(listed.began),
        listed.head.agent,
        listed.head.project,
        listed.prompts
    );
    let mut in_message = false;
    for entry in &conversation.entries {
        let is_message = matches!(entry.body, EventBody::AgentMessage { .. });
        if !(in_message && is_message) {
            page.push('\n');
        }
        in_message = is_message;
        page += &match &entry.body {
            EventBody::TurnStarted { origin, text } => {
                let who = match origin {
                    PromptOrigin::User => "You",
                    PromptOrigin::Continuation => "Continuation",
                    PromptOrigin::Plan => "You, on the plan",
                };
                format!("## {who}, {}\n\n{}\n", date(entry.at), quoted(text))
            }
            EventBody::AgentMessage { text, .. } => text.clone(),
            other => lines(other),
        };
    }
    if !page.ends_with('\n') {
        page.push('\n');
    }
    page
}

/// What of an event a person would search for.
pub(super) fn texts(body: &EventBody) -> Vec<String> {
    match body {
        EventBody::TurnStarted { text, .. }
        | EventBody::AgentMessage { text, .. }
        | EventBody::PlanProposed { text, .. }
        | EventBody::Steered { text, .. } => vec![text.clone()],
        EventBody::ToolCall(call) => {
            let mut texts = vec![call.title.clone(), call.text.clone()];
            texts.extend(call.command.clone());
            texts.extend(call.paths.iter().cloned());
            texts
        }
        EventBody::OwnTool(call) => {
            let mut texts = vec![format!("{} {}", call.tool, call.text)];
            texts.extend(call.diff.clone());
            texts.extend(call.paths.iter().cloned());
            texts
        }
        other => vec![lines(other)],
    }
}

fn lines(body: &EventBody) -> String {
    match body {
        EventBody::ToolCall(call) => {
            let title = if call.title.is_empty() {
                &call.tool
            } else {
                &call.title
            };
            let command = call.command.as_deref().map(code).unwrap_or_default();
            format!("- {}: {}{command}\n", call.status, one_line(title))
        }
        EventBody::OwnTool(call) => {
            let paths = call.paths.join(", ");
            let diff = call.diff.as_deref().map(|diff| fenced("diff", diff));
            let diff = diff.unwrap_or_default();
            format!(
                "- {}: `{}` {}\n{diff}",
                call.status,
                call.tool,
                one_line(&paths)
            )
        }
        EventBody::Plan { entries } | EventBody::PlanProposed { entries, .. } => steps(entries),
        EventBody::PlanApproved { .. } => "- the plan was approved\n".to_owned(),
        EventBody::PlanRejected { text, .. } => {
            format!("- the plan was not approved {}\n", one_line(text))
        }
        EventBody::PermissionDenied { tool, by, text, .. } => {
            format!("- denied by {by}: `{tool}` {}\n", one_line(text))
        }
        EventBody::PermissionApproved { tool, by, .. } => {
            format!("- allowed by {by}: `{tool}`\n")
        }
        EventBody::Steered { text, .. } => quoted(text) + "\n",
        EventBody::Unguarded { text } => format!("- unguarded: {}\n", one_line(text)),
        EventBody::TurnEnded {
            stop_reason, text, ..
        } if stop_reason != "end_turn" => {
            let why = one_line(text.as_deref().unwrap_or_default());
            format!("- the turn ended: {stop_reason} {why}\n")
        }
        EventBody::Error { text, .. } => format!("- error: {}\n", one_line(text)),
        _ => String::new(),
    }
}

fn steps(entries: &[PlanEntry]) -> String {
    let step = |entry: &PlanEntry| {
        let done = if entry.status == "completed" {
            "x"
        } else {
            " "
        };
        format!("- [{done}] {}\n", one_line(&entry.text))
    };
    entries.iter().map(step).collect()
}

fn heading(title: &str) -> String {
    match title {
        "" => "A conversation".to_owned(),
        title => one_line(title),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn quoted(text: &str) -> String {
    let line = |line: &str| format!("> {line}");
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn code(command: &str) -> String {
    fenced("sh", command)
}

/// A fence that is longer than any in the text.
fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("\n{fence}{language}\n{}\n{fence}\n", text.trim_end())
}
