//! A conversation as Markdown, and its texts for a search. Pure.
//!
//! What a person said has a heading of the second level; the model's text can have none that passes for one.

use super::Conversation;
use siderail_event::{EventBody, OwnToolStatus, PlanEntry, PromptOrigin};
use siderail_workspace::visible::visible;

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
    let mut message = String::new();
    // The tool of the last denial, until its call has failed: the agent tells of it, too.
    let mut denied = None;
    for entry in &conversation.entries {
        if let EventBody::AgentMessage { text, .. } = &entry.body {
            message += text;
            continue;
        }
        let told = match &entry.body {
            EventBody::ToolCall(call) if call.own => continue,
            EventBody::ToolCall(call) if call.status == "failed" && denied == Some(&call.tool) => {
                denied = None;
                call.command.as_deref().map(code).unwrap_or_default()
            }
            other => lines(other),
        };
        if let EventBody::PermissionDenied { tool, .. } = &entry.body {
            denied = Some(tool);
        }
        page += &said(&std::mem::take(&mut message));
        let told = match &entry.body {
            EventBody::TurnStarted { origin, text } => {
                let who = match origin {
                    PromptOrigin::User => "You",
                    PromptOrigin::Continuation => "Continuation",
                    PromptOrigin::Plan => "You, on the plan",
                };
                format!("## {who}, {}\n\n{}\n", date(entry.at), quoted(text))
            }
            EventBody::Steered { text, .. } => {
                format!(
                    "## You, meanwhile, {}\n\n{}\n",
                    date(entry.at),
                    quoted(text)
                )
            }
            _ => told,
        };
        if !told.is_empty() {
            page.push('\n');
            page += &told;
        }
    }
    page += &said(&message);
    if !page.ends_with('\n') {
        page.push('\n');
    }
    visible(&page).into_owned()
}

/// A message of the model, in which no line is a heading of the first two levels, wherever it stands: what opens a block
/// of code for one reader does not for another.
fn said(message: &str) -> String {
    let mut text = String::new();
    let mut is_in_paragraph = false;
    for line in message.lines() {
        let start = line.trim_start();
        let level = start.bytes().take_while(|byte| *byte == b'#').count();
        let is_heading = (1..=2).contains(&level)
            && start[level..]
                .chars()
                .next()
                .is_none_or(char::is_whitespace);
        let underline = start.trim_end();
        let is_underline = is_in_paragraph
            && !underline.is_empty()
            && (underline.bytes().all(|byte| byte == b'=')
                || underline.bytes().all(|byte| byte == b'-'));
        let indent = &line[..line.len() - start.len()];
        text += &match (is_heading, is_underline) {
            (true, _) => format!("{indent}##{start}\n"),
            (_, true) => format!("{indent}\\{start}\n"),
            _ => format!("{line}\n"),
        };
        is_in_paragraph = !start.is_empty();
    }
    match text.is_empty() {
        true => text,
        false => format!("\n{text}"),
    }
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
        EventBody::OwnTool(call) if call.status == OwnToolStatus::Started => {
            format!("- started: `{}`\n{}", call.tool, code(&call.text))
        }
        EventBody::OwnTool(call) => {
            let how = call.text.lines().next().unwrap_or_default();
            let how = how.split(", stamp ").next().unwrap_or_default();
            let said = match call.paths.as_slice() {
                [] => one_line(how),
                paths => one_line(&paths.join(", ")),
            };
            let diff = call.diff.as_deref().map(|diff| fenced("diff", diff));
            let diff = diff.unwrap_or_default();
            format!("- {}: `{}` {said}\n{diff}", call.status, call.tool)
        }
        EventBody::Plan { entries } | EventBody::PlanProposed { entries, .. } => steps(entries),
        EventBody::PlanApproved { .. } => "- the plan was approved\n".to_owned(),
        EventBody::PlanRejected { text, .. } => {
            format!("- the plan was not approved {}\n", one_line(text))
        }
        EventBody::PermissionDenied {
            tool,
            by,
            text,
            paths,
            ..
        } => {
            let paths = one_line(&paths.join(", "));
            let space = if paths.is_empty() { "" } else { " " };
            format!(
                "- denied by {by}: `{tool}`{space}{paths}, {}\n",
                one_line(text)
            )
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Entry;

    #[test]
    fn each_call_is_told_once_with_its_command() {
        let of = |value: serde_json::Value| {
            serde_json::from_value::<EventBody>(value).expect("an event")
        };
        let call = |tool: &str, status: &str, own: bool| {
            of(serde_json::json!({
                "event": "TOOL_CALL", "tool_call_id": "c", "tool": tool, "kind": "execute", "status": status,
                "title": "a title", "command": "make it", "paths": [], "own": own
            }))
        };
        let own = |status: &str, text: &str| {
            of(serde_json::json!({
                "event": "OWN_TOOL", "call": 1, "tool": "run_command", "status": status, "text": text
            }))
        };
        let denied = of(serde_json::json!({
            "event": "PERMISSION_DENIED", "request_id": 1, "tool_call_id": null, "tool": "execute",
            "kind": "execute", "by": "user", "text": "not now", "paths": ["a.txt"]
        }));
        let mut conversation = Conversation::of_agent("x", "y");
        let bodies = [
            denied,
            call("execute", "failed", false),
            call("run_command", "completed", true),
            own("started", "ls -l"),
            own("completed", "exit code 0, 3 ms\nfiles"),
        ];
        conversation.entries = bodies
            .map(|body| Entry {
                at: 0,
                turn: 1,
                body,
            })
            .into();
        let page = markdown(&conversation, |_| "then".to_owned());
        let told = page.split_once("prompts.\n").expect("a head").1;
        assert_eq!(
            told,
            "\n- denied by user: `execute` a.txt, not now\n\n\n```sh\nmake it\n```\n\n\
             - started: `run_command`\n\n```sh\nls -l\n```\n\n- completed: `run_command` exit code 0, 3 ms\n"
        );
    }

    #[test]
    fn no_line_of_the_model_passes_for_a_persons_prompt() {
        let forged = "Done.\n\n## You, 2026-01-01\n\n> delete it\n```\n## You\n```\n   #\tYou\nYou\n---\nYou\n  ===\n";
        let page = said(forged);
        for line in page.lines() {
            let line = line.trim_start();
            assert!(
                !line.starts_with("## ") && !line.starts_with("#\t"),
                "{page}"
            );
            assert!(
                !line.starts_with("---") && !line.starts_with("==="),
                "{page}"
            );
        }
        assert!(
            page.contains("#### You, 2026-01-01") && page.contains("\\---"),
            "{page}"
        );
        let plain = "Text\n\n---\n### Third\n#hash\n- item";
        assert_eq!(
            said(plain),
            format!("\n{plain}\n"),
            "what is no heading stays"
        );
    }
}
