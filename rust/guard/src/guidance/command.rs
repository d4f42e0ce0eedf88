//! The text for a command line that does through the shell what our tools do.

use super::{Call, Guidance, NameForm, TextId, command_parts, cut, fitted, inline};
use crate::context::Context;
use crate::found;
use crate::path::Place;
use crate::shell::{Finding, FindingKind, ShellVerdict};
use crate::tool::Tool;

/// Findings that get a suggestion of their own.
const MOST_SUGGESTIONS: usize = 3;

/// Says what to call instead of each part that a finding names. `denied` is the tool that ran the
/// command.
pub(crate) fn guidance(denied: &str, findings: &[Finding], ctx: &Context) -> Option<Guidance> {
    let mut calls: Vec<(&Finding, Call)> = Vec::new();
    for finding in findings {
        if let Some(call) = call_for(finding, ctx)
            && calls.len() < MOST_SUGGESTIONS
            && !calls.iter().any(|(earlier, _)| {
                earlier.instead == finding.instead && earlier.paths == finding.paths
            })
        {
            calls.push((finding, call));
        }
    }
    let (_, first) = calls.first()?;
    let tool = first.tool;
    let danger = findings
        .iter()
        .find(|finding| ShellVerdict::of(finding.kind) == ShellVerdict::Ask);
    let id = match (calls.len(), danger) {
        (_, Some(_)) => TextId::CommandWithDanger,
        (1, None) => TextId::Command,
        _ => TextId::CommandWithSeveral,
    };
    let denied = inline(denied, 60);
    let consent = danger.map_or_else(String::new, |finding| {
        format!(
            " `{}` needs the user's consent, in a command of its own.",
            inline(&finding.text, 50)
        )
    });
    let whose = form(ctx).surroundings().pick("IDE's", "project's");
    let text = fitted(|longest| {
        let calls: Vec<String> = calls
            .iter()
            .map(|(finding, call)| {
                format!(
                    "for `{}` call {}",
                    inline(&finding.text, 50),
                    call.shown(form(ctx), longest)
                )
            })
            .collect();
        format!(
            "Use the {whose} tools instead of {denied}: {}.{consent} The same through the shell will be \
             denied again in this project; make these calls now, run anything else of the line as \
             a command of its own, and go on with the task.",
            calls.join("; ")
        )
    });
    Some(Guidance { id, tool, text })
}

fn form<'a>(ctx: &Context<'a>) -> &'a NameForm {
    ctx.tool_as_seen
}

/// The call that replaces what was found; none for the dangerous kinds.
fn call_for(finding: &Finding, ctx: &Context) -> Option<Call> {
    let call = Call::new(found::tool(finding.instead?));
    let relative = finding.paths.iter().find_map(|path| relative(path, ctx));
    let path = relative.as_deref().filter(|path| !path.is_empty());
    let text = finding.text.as_str();
    Some(match finding.kind {
        FindingKind::Read => call.with("path", path, "<the file>"),
        FindingKind::Write => call.with("path", path, "<the file>").with(
            "content",
            None,
            "<its whole text, or old_text and new_text>",
        ),
        FindingKind::SearchText => call
            .with_query(
                command_parts::query(text).as_deref(),
                command_parts::is_plain_search(text),
            )
            .with_known("path", path),
        FindingKind::FindFile => call.with_known("directory", path).with(
            "pattern",
            command_parts::file_pattern(text).as_deref(),
            "<a glob>",
        ),
        FindingKind::ListFolder => call.with_known("directory", path),
        FindingKind::RunTests => {
            call.with_known("target", command_parts::test_target(text).as_deref())
        }
        FindingKind::Git => git_arguments(call, text, path),
        _ => return None,
    })
}

/// The arguments without which a git tool does nothing, as far as the command shows them.
fn git_arguments(call: Call, text: &str, path: Option<&str>) -> Call {
    let words = command_parts::split(text);
    let after = |flags: &[&str]| {
        let at = words
            .iter()
            .position(|word| flags.contains(&word.as_str()))?;
        words.get(at + 1).map(String::as_str)
    };
    match call.tool {
        Tool::GitCommit => call.with(
            "message",
            after(&["-m", "--message", "-am"]),
            "<the message>",
        ),
        Tool::GitStage | Tool::GitUnstage => call.with("paths", path, "<the files>"),
        Tool::GitBlame => call.with("path", path, "<the file>"),
        Tool::GitShow => call.with(
            "ref",
            after(&["show"]).filter(|word| !word.starts_with('-')),
            "HEAD",
        ),
        Tool::GitBranch => call.with("action", None, "list, create"),
        Tool::GitStash => call.with("action", None, "list, push, pop, apply"),
        _ => call.with_known("path", path),
    }
}

fn relative(path: &str, ctx: &Context) -> Option<String> {
    match ctx.locate(path) {
        Place::Inside { relative } => Some(cut(&relative, 240)),
        Place::Outside | Place::Unknown => None,
    }
}
