//! The gate of our own tools: decides about a call at our server, before its handler.
//!
//! Here the name is certainly ours, so nothing depends on what an agent says about the call. Through our tools a person
//! is asked about the same things, and the shell policy denies the same things, as through the agent's.

use serde_json::Value;

use crate::context::{Context, Policy};
use crate::decision::{Decision, Reason, Verdict};
use crate::normalize::fields;
use crate::path::Place;
use crate::policy;
use crate::shell::Analysis;
use crate::tool::{GitAction, Needs, Patience, Tool};

/// Decides about a call of one of our own tools, at our server, before its handler.
pub fn own_tool_gate(tool: Tool, arguments: &Value, ctx: &Context) -> Decision {
    let kind = tool.kind();
    let paths = fields::named_paths(arguments);
    let needs = needs_of(tool, arguments);
    if needs == Needs::Command && arguments["command"].is_null() && arguments["run_id"].is_string()
    {
        // Only looks at what a command that was allowed has put out.
        return Decision::new(Verdict::Allow, Reason::OwnTool, kind);
    }
    if needs == Needs::Command {
        let decision = command_gate(tool, arguments, ctx);
        return match tool {
            Tool::RunInTerminal => typed(decision, arguments),
            _ => decision,
        };
    }
    if paths
        .iter()
        .any(|path| policy::is_protected_place(path, ctx))
    {
        return Decision::new(Verdict::Ask, Reason::ProtectedPath, kind);
    }
    if needs == Needs::Destructive {
        return Decision::new(Verdict::Ask, Reason::Dangerous, kind);
    }
    if paths
        .iter()
        .any(|path| policy::place_of(path, ctx) == Place::Outside)
    {
        return policy::what_is_left(Reason::OutsideProject, kind, ctx);
    }
    match needs {
        Needs::Nothing => Decision::new(Verdict::Allow, Reason::OwnTool, kind),
        _ => policy::what_is_left(Reason::NeedsPerson, kind, ctx),
    }
}

/// The same where the call would run a program that the repository names: what needed nobody needs a person.
pub fn with_named_program(decision: Decision, ctx: &Context) -> Decision {
    match (decision.verdict, decision.reason) {
        (Verdict::Allow, Reason::OwnTool) => {
            policy::what_is_left(Reason::NeedsPerson, decision.kind, ctx)
        }
        _ => decision,
    }
}

/// Where the command of an own tool's call starts.
pub fn command_folder(arguments: &Value, cwd: &str) -> String {
    fields::base_folder(arguments, cwd)
}

/// Whether no call of a tool can go ahead where nobody answers questions. `dangerous` says that the policy
/// `yolo` allows what is dangerous too.
pub fn waits_for_person(tool: Tool, policy: Policy, dangerous: bool) -> bool {
    if tool.patience() == Patience::Person {
        return true;
    }
    let allows = policy == Policy::Yolo;
    match tool.needs() {
        // Some of their actions only look.
        Needs::Nothing | Needs::Action => false,
        Needs::Destructive => !(allows && dangerous),
        Needs::Command | Needs::Person | Needs::PersonOverwriting => !allows,
    }
}

/// What a call of `git_branch` or `git_stash` does, by its argument `action`; `None` for a word that the tool does not know
/// and for other tools.
pub fn git_action(tool: Tool, arguments: &Value) -> Option<GitAction> {
    GitAction::read(tool, arguments["action"].as_str())
}

/// What the command of an own tool's call does, from where it starts.
pub(crate) fn analysis(arguments: &Value, ctx: &Context) -> Analysis {
    let command = arguments["command"].as_str().unwrap_or_default();
    let cwd = command_folder(arguments, ctx.cwd);
    policy::analyse(command, &cwd, ctx)
}

fn command_gate(tool: Tool, arguments: &Value, ctx: &Context) -> Decision {
    let analysis = analysis(arguments, ctx);
    let denied = ctx
        .policy
        .redirects()
        .then(|| policy::denied_command(&ctx.tool_as_seen.as_seen(tool), &analysis, ctx))
        .flatten();
    denied.unwrap_or_else(|| policy::of_command(analysis, &[], ctx))
}

/// What is typed into a terminal may do more than the line says: then no policy and no remembered answer allows it.
fn typed(decision: Decision, arguments: &Value) -> Decision {
    // One that is open may be in any folder, or run a program that reads the line in its own way.
    let in_unknown_state = !arguments["terminal_id"].is_null();
    let command = arguments["command"].as_str().unwrap_or_default();
    let is_ordinary = matches!(
        (decision.verdict, decision.reason),
        (Verdict::Allow, _) | (Verdict::Ask, Reason::NeedsPerson)
    );
    if is_ordinary && (in_unknown_state || has_keys(command) || recalls(command)) {
        return Decision {
            verdict: Verdict::Ask,
            reason: Reason::Dangerous,
            ..decision
        };
    }
    decision
}

/// Control characters are keys: one of them erases what was typed before it, another completes a name.
fn has_keys(command: &str) -> bool {
    command.chars().any(|c| c.is_control() && c != '\n')
}

/// An interactive shell puts earlier commands in place of `!rm` and `^a^b`. Rather a question too many: quotes are
/// not looked at.
fn recalls(command: &str) -> bool {
    let after_mark = command.split('!').skip(1);
    let mut marked =
        after_mark.map(|rest| !rest.is_empty() && !rest.starts_with([' ', '\n', '=', '(']));
    // An empty piece is between the two marks of `!!`.
    command.contains("!!")
        || marked.any(|is_recall| is_recall)
        || command
            .lines()
            .any(|line| line.trim_start().starts_with('^'))
}

/// What a call of that tool needs; where its row depends on an argument, what this call's argument makes of it.
fn needs_of(tool: Tool, arguments: &Value) -> Needs {
    match tool.needs() {
        Needs::PersonOverwriting => match arguments["overwrite"] == true {
            true => Needs::Destructive,
            false => Needs::Person,
        },
        Needs::Action => git_action(tool, arguments).map_or(Needs::Person, GitAction::needs),
        needs => needs,
    }
}
