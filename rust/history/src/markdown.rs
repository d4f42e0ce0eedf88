//! A conversation as Markdown, and its texts for a search. Pure.
//!
//! What a person said has a heading of the second level; headings in the model's text are escaped, so that they cannot
//! look like one. `siderail-view` says what belongs to one call.

use std::collections::HashMap;

use super::Conversation;
use siderail_catalog::Tool;
use siderail_event as event;
use siderail_event::{
    AgentMessage, ApprovedBy, EventBody, PermissionDenied, Plan, PlanEntry, PlanEntryStatus,
    PlanProposed, PlanRejected, Steered, TurnEnded, TurnStarted, Unguarded,
};
use siderail_view::conversation::{
    Call, CallStatus, List, Listed, Patch, PromptWay, Proposal, ProposalState, What,
};
use siderail_workspace::escape::visible;

/// A conversation as a Markdown page. `date` words a time in milliseconds since 1970.
pub fn markdown(conversation: &Conversation, date: impl Fn(u64) -> String) -> String {
    let listed = &conversation.listed;
    let mut page = format!(
        "# {}\n\n{} with {} in `{}`, {} {}.\n",
        heading(&listed.title),
        date(listed.began),
        listed.head.agent,
        listed.head.project,
        listed.prompts,
        if listed.prompts == 1 {
            "prompt"
        } else {
            "prompts"
        },
    );
    let (list, times) = items(conversation);
    for listed in list.items() {
        let at = times.get(&listed.item.id).copied().unwrap_or_default();
        let told = told(&list, listed, &date(at));
        if !told.is_empty() {
            page.push('\n');
            page += &told;
        }
    }
    visible(&page).into_owned()
}

/// The items of a conversation, and when each began.
fn items(conversation: &Conversation) -> (List, HashMap<u64, u64>) {
    let mut view = siderail_view::Conversation::new(0);
    let (mut list, mut times) = (List::default(), HashMap::new());
    for entry in &conversation.entries {
        for patch in view.body(&entry.body) {
            if let Patch::Append(item) = &patch {
                times.insert(item.id, entry.at);
            }
            list.apply(patch);
        }
    }
    (list, times)
}

fn told(list: &List, listed: &Listed, date: &str) -> String {
    match &listed.item.what {
        What::Prompt { text, way } => {
            let who = match way {
                PromptWay::User => "You",
                PromptWay::Continuation => "Continuation",
                PromptWay::Plan => "You, on the plan",
                PromptWay::Steered => "You, meanwhile",
                // What the agent reads of it has a heading of its own.
                PromptWay::Feedback => return format!("- to be different: {}\n", one_line(text)),
            };
            format!("## {who}, {date}\n\n{}\n", quoted(text))
        }
        What::Speech { is_thought: false } => said(&listed.text),
        What::Call(call) => {
            let instead = list.folded(listed).map(|denied| told(list, denied, date));
            instead.collect::<String>() + &call_told(call)
        }
        What::Calls => list
            .folded(listed)
            .map(|call| told(list, call, date))
            .collect(),
        What::Plan { entries } => steps(entries),
        What::Proposal(proposal) => proposal_told(proposal),
        What::Notice { event, .. } => notice(event),
        What::Speech { .. }
        | What::Changes { .. }
        | What::PastBegins { .. }
        | What::PastOmitted { .. }
        | What::PastEnds { .. } => String::new(),
    }
}

/// A call in a row, with its command and what it changed.
fn call_told(call: &Call) -> String {
    let paths = one_line(&call.paths.join(", "));
    let asks = call.is_own && call.tool_of_ours() == Some(Tool::AskUser);
    let is_command = call.is_own && call.is_described && !asks;
    let command = call
        .command
        .as_deref()
        .or(is_command.then_some(call.title.as_str()));
    let command = command
        .filter(|command| !command.is_empty())
        .map(code)
        .unwrap_or_default();
    if let Some(denial) = &call.denial {
        let space = if paths.is_empty() { "" } else { " " };
        let (by, tool, reason) = (denial.by, &call.tool, one_line(&denial.reason));
        return format!("- denied by {by}: `{tool}`{space}{paths}, {reason}\n{command}");
    }
    let status = match call.status {
        CallStatus::Pending | CallStatus::Asking | CallStatus::Running => "not ended",
        CallStatus::Done => "completed",
        CallStatus::Failed => "failed",
        CallStatus::Denied => "denied",
        CallStatus::Cancelled => "cancelled",
    };
    let how = call.output.lines().next().unwrap_or_default();
    let how = how.split(", stamp ").next().unwrap_or_default();
    let what = match (call.is_own, paths.as_str()) {
        (false, _) if call.title.is_empty() => one_line(&call.tool),
        (false, _) => one_line(&call.title),
        (true, _) if asks => {
            let (question, answer) = (one_line(&call.title), one_line(&call.output));
            format!("`{}` {question} {answer}", call.tool)
        }
        (true, "") => format!("`{}` {}", call.tool, one_line(how)),
        (true, paths) => format!("`{}` {paths}", call.tool),
    };
    let allowed = match call.approved_by {
        Some(by) if by != ApprovedBy::Policy => format!(", allowed by {by}"),
        _ => String::new(),
    };
    let diff = call
        .diff
        .as_deref()
        .map(|diff| fenced("diff", diff))
        .unwrap_or_default();
    format!("- {status}: {what}{allowed}\n{command}{diff}")
}

fn proposal_told(proposal: &Proposal) -> String {
    let plan = match proposal.entries.as_slice() {
        [] => said(&proposal.text),
        entries => steps(entries),
    };
    let came = match proposal.state {
        ProposalState::Waiting => return plan,
        ProposalState::Approved => "the plan was approved",
        ProposalState::SentBack => "the plan was sent back",
        ProposalState::TurnedDown => "the plan was not approved",
    };
    format!("{plan}- {came}\n")
}

fn notice(event: &EventBody) -> String {
    match event {
        EventBody::Unguarded(Unguarded { text }) => format!("- unguarded: {}\n", one_line(text)),
        EventBody::TurnEnded(TurnEnded {
            stop_reason, text, ..
        }) => {
            let why = one_line(text.as_deref().unwrap_or_default());
            format!("- the turn ended: {stop_reason} {why}\n")
        }
        EventBody::Error(event::Error { text, .. }) => format!("- error: {}\n", one_line(text)),
        _ => String::new(),
    }
}

/// A message of the model, in which no line is a heading of the first two levels, wherever it is: what opens a block of
/// code for one reader does not for another.
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
    text
}

/// What of an event a person would search for.
pub(super) fn texts(body: &EventBody) -> Vec<String> {
    match body {
        EventBody::TurnStarted(TurnStarted { text, .. })
        | EventBody::AgentMessage(AgentMessage { text, .. })
        | EventBody::PlanProposed(PlanProposed { text, .. })
        | EventBody::Steered(Steered { text, .. }) => vec![text.clone()],
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
        EventBody::PermissionDenied(PermissionDenied {
            tool, text, paths, ..
        }) => {
            let mut texts = vec![tool.clone(), text.clone()];
            texts.extend(paths.iter().cloned());
            texts
        }
        EventBody::Plan(Plan { entries }) => entries.iter().map(|step| step.text.clone()).collect(),
        EventBody::PlanRejected(PlanRejected { text, .. })
        | EventBody::Unguarded(Unguarded { text })
        | EventBody::Error(event::Error { text, .. }) => vec![text.clone()],
        EventBody::TurnEnded(TurnEnded { text, .. }) => text.iter().cloned().collect(),
        _ => Vec::new(),
    }
}

fn steps(entries: &[PlanEntry]) -> String {
    let step = |entry: &PlanEntry| {
        let done = if entry.status == PlanEntryStatus::Completed {
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
                "event": "TOOL_CALL", "tool_call_id": tool, "tool": tool, "kind": "execute", "status": status,
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
            own("started", "ls -l"),
            own("completed", "exit code 0, 3 ms\nfiles"),
            call("run_command", "completed", true),
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
            "\n- denied by user: `execute` a.txt, not now\n\n```sh\nmake it\n```\n\n\
             - completed: `run_command` exit code 0, 3 ms\n\n```sh\nls -l\n```\n"
        );
    }

    #[test]
    fn a_question_of_the_model_stands_beside_its_answer() {
        let of = |status: &str, text: &str| Entry {
            at: 0,
            turn: 1,
            body: serde_json::from_value(serde_json::json!({
                "event": "OWN_TOOL", "call": 1, "tool": "ask_user", "status": status, "text": text
            }))
            .expect("an event"),
        };
        let mut conversation = Conversation::of_agent("x", "y");
        conversation.entries = vec![
            of("started", "Which\n# colour?"),
            of("completed", "The user answered: dark\n## blue\n"),
        ];
        let page = markdown(&conversation, |_| "then".to_owned());
        let told = page.split_once("prompts.\n").expect("a head").1;
        assert_eq!(
            told,
            "\n- completed: `ask_user` Which # colour? The user answered: dark ## blue\n"
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
            format!("{plain}\n"),
            "what is no heading stays"
        );
    }
}
