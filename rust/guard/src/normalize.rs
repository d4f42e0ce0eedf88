//! Turns what each agent sends into one [`Action`]. Own tool first, structured fields before
//! titles.
//!
//! Titles are text of the agent, often of its model: they name a tool only where no field does.
//! Knows the shapes of the recordings under `tests/fixtures/recordings`; knows no policy. Reading
//! order: the merge here, then `identity`, `forms`, `fields` and `runs`.

use serde_json::{Map, Value, json};

use crate::action::{Action, ActionKind, Identity};
use crate::builtin;

pub(crate) mod fields;
mod forms;
mod identity;
mod json;
mod names;
pub(crate) mod patch;
mod quirk;
mod runs;

use json::has_members;

pub use crate::action::IdentityRule;
pub use names::AgentNames;
pub use quirk::Quirk;

/// A permission request and what is known besides.
#[derive(Clone, Copy, Debug)]
pub struct RequestView<'a> {
    /// The request's `toolCall`.
    pub tool_call: &'a Value,
    /// The merged earlier tool call of that id.
    pub stored: Option<&'a Value>,
    /// The last announced call that is still open; OpenHands' requests name no call.
    pub last_open: Option<&'a Value>,
    /// The request's `_meta`.
    pub meta: Option<&'a Value>,
    /// The request's `options`.
    pub options: &'a Value,
    /// The session's working directory, absolute.
    pub cwd: &'a str,
}

/// What of an action is read from the call as it was sent.
impl Action {
    /// The tool's arguments as far as the agent reports them: an object, or null.
    pub fn arguments(&self) -> &Value {
        fields::arguments(&self.raw["rawInput"], self.rule)
    }

    /// The same as our tools take them, without what the agent's program adds to them.
    pub fn own_arguments(&self) -> Value {
        match self.names_class {
            true => fields::without_class(self.arguments()),
            false => self.arguments().clone(),
        }
    }

    /// The folder that its command starts in, absolute; `cwd` where it names none.
    pub fn run_folder(&self, cwd: &str) -> String {
        fields::run_folder(&self.raw, cwd)
    }

    /// False where the same command line again could do something else.
    pub fn is_told_whole(&self) -> bool {
        let raw_input = &self.raw["rawInput"];
        self.unread.is_empty() && !fields::takes_bounds_off(raw_input)
    }
}

/// Normalises a permission request.
pub fn permission(view: &RequestView, names: &AgentNames) -> Action {
    let request = with_parsed_input(view.tool_call);
    let stored = view.stored.map(with_parsed_input);
    let (request, stored) = match (stored, view.last_open) {
        (None, Some(open)) if says_nothing(&request) => (with_parsed_input(open), Value::Null),
        (stored, _) => (request, stored.unwrap_or(Value::Null)),
    };
    let merged = merge(&stored, &request);
    let call = identity::Call {
        request: &request,
        stored: &stored,
        merged: &merged,
        meta: view.meta.unwrap_or(&Value::Null),
        has_made_input: true,
    };
    action(&call, view.options, view.cwd, names)
}

/// Normalises the payload of an agent's own pre-tool hook.
pub fn hook(tool_name: &str, tool_input: &Value, cwd: &str, names: &AgentNames) -> Action {
    let call = with_parsed_input(&json!({ "name": tool_name, "rawInput": tool_input }));
    announced(&call, false, cwd, names)
}

/// Normalises an announced tool call (merged over its updates).
pub fn update(stored: &Value, cwd: &str, names: &AgentNames) -> Action {
    announced(&with_parsed_input(stored), true, cwd, names)
}

fn announced(call: &Value, has_made_input: bool, cwd: &str, names: &AgentNames) -> Action {
    let call = identity::Call {
        request: call,
        stored: &Value::Null,
        merged: call,
        meta: &Value::Null,
        has_made_input,
    };
    action(&call, &Value::Null, cwd, names)
}

fn action(call: &identity::Call, options: &Value, cwd: &str, names: &AgentNames) -> Action {
    let merged = call.merged;
    let claim = identity::identify(call, names);
    let run = runs::run_of(call, &claim, options, names);
    // A program may be called like our tool; fast-agent's titles are its own words.
    let by_title_alone = claim.rule.is_by_title()
        && names.title_is_command
        && !names.has(Quirk::SlashedNames)
        && merged["kind"] == "execute"
        && !has_members(&merged["rawInput"]);
    let contradictory = claim.identity.is_own()
        && (claim.disputed || run.line.is_some() || fields::has_diff(merged) || by_title_alone);
    let mut paths = fields::paths(call.request, claim.rule, options, cwd);
    for path in fields::paths(call.stored, claim.rule, &Value::Null, cwd) {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let kind = kind_of(merged, call.stored, &claim.identity, run.line.as_deref());
    Action {
        title: merged["title"].as_str().unwrap_or_default().to_owned(),
        kind,
        unread: runs::unread(call, &claim.identity, kind, &run),
        identity: claim.identity,
        rule: claim.rule,
        command: run.line,
        paths,
        contradictory,
        raw: merged.clone(),
        names_class: names.has(Quirk::ActionClass),
    }
}

fn kind_of(
    merged: &Value,
    stored: &Value,
    identity: &Identity,
    command: Option<&str>,
) -> ActionKind {
    let told = ActionKind::from_acp(merged["kind"].as_str().unwrap_or_default());
    let earlier = ActionKind::from_acp(stored["kind"].as_str().unwrap_or_default());
    let told = if told == ActionKind::Other {
        earlier
    } else {
        told
    };
    if matches!(identity, Identity::OwnTool(_) | Identity::OtherMcp { .. }) {
        return told;
    }
    let raw_input = &merged["rawInput"];
    let named = match identity {
        Identity::Builtin(name) => named_kind(name, raw_input),
        _ => None,
    };
    if let Some(patch) = fields::applied_patch(raw_input, command) {
        return if patch.only_deletes {
            ActionKind::Delete
        } else {
            ActionKind::Edit
        };
    }
    if command.is_some() {
        return match named {
            Some(ActionKind::Input) => ActionKind::Input,
            _ => ActionKind::Execute,
        };
    }
    if fields::has_diff(merged) && !matches!(told, ActionKind::Delete | ActionKind::Move) {
        return ActionKind::Edit;
    }
    match (named, told) {
        // A shell whose command is unknown: the agent's own reading of it is all there is.
        (Some(named), ActionKind::Read | ActionKind::Edit | ActionKind::SearchText)
            if named.is_command() =>
        {
            told
        }
        (Some(ActionKind::Read), ActionKind::Edit | ActionKind::Delete | ActionKind::Move) => told,
        (Some(named), _) => named,
        (None, told) => told,
    }
}

fn named_kind(name: &str, raw_input: &Value) -> Option<ActionKind> {
    if crate::builtin::is_file_editor(name) && raw_input["command"] == "view" {
        return Some(ActionKind::Read);
    }
    builtin::of_tool(name)
}

/// A request that only asks for consent to a call that it does not name.
fn says_nothing(request: &Value) -> bool {
    let is_open_kind = matches!(request["kind"].as_str(), None | Some("other"));
    is_open_kind
        && request["name"].is_null()
        && !has_members(&request["rawInput"])
        && !has_members(&request["content"])
        && !has_members(&request["locations"])
}

/// The request over the earlier call. Empty values overwrite nothing; `rawInput` is merged member
/// by member, so that no earlier argument is lost to a shorter form of the same call.
fn merge(stored: &Value, request: &Value) -> Value {
    let (Some(old), Some(new)) = (stored.as_object(), request.as_object()) else {
        return if request.is_object() {
            request.clone()
        } else {
            stored.clone()
        };
    };
    let mut merged = old.clone();
    for (key, value) in new {
        if !has_members(value) {
            merged.entry(key.clone()).or_insert_with(|| value.clone());
            continue;
        }
        match (merged.get_mut(key), value) {
            (Some(Value::Object(old)), Value::Object(new))
                if key == "rawInput" || key == "_meta" =>
            {
                overlay(old, new);
            }
            _ => {
                merged.insert(key.clone(), value.clone());
            }
        }
    }
    Value::Object(merged)
}

fn overlay(old: &mut Map<String, Value>, new: &Map<String, Value>) {
    for (key, value) in new {
        if !value.is_null() {
            old.insert(key.clone(), value.clone());
        }
    }
}

/// The call with a `rawInput` that is JSON in a string unpacked, and with arguments that are JSON
/// in the content's text (Gemini's MCP calls, before they run) taken as `rawInput`.
fn with_parsed_input(call: &Value) -> Value {
    let mut call = call.clone();
    let may_be_arguments =
        call["kind"] == "other" && !matches!(call["status"].as_str(), Some("completed" | "failed"));
    let in_content = call["content"][0]["content"]["text"]
        .as_str()
        .filter(|_| may_be_arguments);
    let source = match &call["rawInput"] {
        Value::String(text) => Some(text.as_str()),
        _ if !has_members(&call["rawInput"]) => in_content,
        _ => None,
    };
    let parsed = source
        .filter(|text| text.trim_start().starts_with('{'))
        .and_then(|text| serde_json::from_str::<Map<String, Value>>(text).ok());
    if let (Some(parsed), Some(fields)) = (parsed, call.as_object_mut()) {
        fields.insert("rawInput".to_owned(), Value::Object(parsed));
    }
    call
}
