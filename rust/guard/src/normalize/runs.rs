//! What a call runs, and whether that is known completely: from its fields, else from its words.
//!
//! A command that is an argument of one of our tools does not count here: our server sees it. Knows no policy.

use serde_json::Value;

use super::names::AgentNames;
use super::quirk::Quirk;
use super::{fields, identity};
use crate::action::{ActionKind, Identity, IdentityRule};
use crate::tool::Tool;

/// Our tools that take a command line as an argument, with all their arguments.
const COMMAND_TOOLS: [(Tool, &[&str]); 2] = [
    (
        Tool::RunCommand,
        &["command", "working_dir", "timeout_s", "wait_s", "page"],
    ),
    (Tool::RunInTerminal, &["command", "terminal_id"]),
];

/// What a call runs; nothing for an own tool's argument of that name.
pub(super) fn run_of(
    call: &identity::Call,
    claim: &identity::Claim,
    options: &Value,
    names: &AgentNames,
) -> fields::Run {
    let raw_input = &call.merged["rawInput"];
    if !std::ptr::eq(fields::arguments(raw_input, claim.rule), raw_input) {
        // An envelope around the arguments of an MCP tool.
        return fields::Run::default();
    }
    let tool = match &claim.identity {
        Identity::Builtin(name) => name.as_str(),
        _ => "",
    };
    let mut run = fields::run(raw_input, tool);
    if names.has(Quirk::ActionClass) && fields::action_class(raw_input).is_some() {
        run.unread.retain(|key| key != "kind");
    }
    if let Identity::OwnTool(own) = &claim.identity {
        let is_other = |line: &String| !is_own_argument(*own, line, call, claim.rule);
        let line = run.line.filter(is_other);
        let unread = Vec::new();
        return fields::Run { line, unread };
    }
    if run.line.is_none() && (run.unread.is_empty() || !claim.identity.is_builtin_or_unknown()) {
        run.line = in_words(call, raw_input, options, names, &mut run.unread);
    }
    run
}

/// The command line where no field holds one: in the title, or in an option. Only of some agents is known
/// that their programs write them; any other's could be its model's own words.
fn in_words(
    call: &identity::Call,
    raw_input: &Value,
    options: &Value,
    names: &AgentNames,
    unread: &mut Vec<String>,
) -> Option<String> {
    let may_be = names.title_is_command && call.merged["kind"] == "execute";
    let title = call.merged["title"].as_str().filter(|_| may_be);
    let in_title = title.and_then(|title| fields::command_in_title(title, raw_input));
    let (line, place, quirk) = match in_title {
        Some(line) => (line, "title", Quirk::CommandInTitle),
        None => (
            fields::command_in_options(options)?,
            "options",
            Quirk::CommandInOptions,
        ),
    };
    if !names.has(quirk) {
        unread.push(place.to_owned());
    }
    Some(line)
}

/// The members that leave open what an action of the agent's own runs; none of an action that runs nothing.
pub(super) fn unread(
    call: &identity::Call,
    identity: &Identity,
    kind: ActionKind,
    run: &fields::Run,
) -> Vec<String> {
    if !identity.is_builtin_or_unknown() {
        return Vec::new();
    }
    let told = [call.request, call.stored].map(|call| call["kind"].as_str());
    let told = told.map(|word| word.map(ActionKind::from_acp));
    let runs = run.line.is_some()
        || kind.is_command()
        || told.contains(&Some(ActionKind::Execute))
        || run.unread.iter().any(|key| fields::names_command(key));
    if !runs && *identity == Identity::Unknown {
        // Neither a name nor a kind: all but files could be what it runs.
        let unread = run.unread.iter().filter(|key| !fields::names_files(key));
        return unread.cloned().collect();
    }
    if !runs {
        return Vec::new();
    }
    let mut unread = run.unread.clone();
    let merged = call.merged;
    if run.line.is_some()
        && fields::applied_patch(&merged["rawInput"], run.line.as_deref()).is_none()
    {
        if told.iter().flatten().any(|kind| kind.changes_files()) {
            unread.push("kind".to_owned());
        }
        if fields::has_diff(merged) {
            unread.push("content".to_owned());
        }
    }
    unread
}

/// A command line is an own tool's argument when fields showed the tool, or when the call has nothing but that tool's
/// arguments and its title is not the command itself.
fn is_own_argument(own: Tool, line: &str, call: &identity::Call, rule: IdentityRule) -> bool {
    let Some((_, arguments)) = COMMAND_TOOLS.iter().find(|(tool, _)| *tool == own) else {
        return false;
    };
    if !rule.is_by_title() {
        return true;
    }
    let only_arguments = call.merged["rawInput"]
        .as_object()
        .is_some_and(|fields| fields.keys().all(|key| arguments.contains(&key.as_str())));
    only_arguments && call.merged["title"] != line
}
