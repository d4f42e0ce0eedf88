//! Whose tool a call uses: ordered rules, structured fields before titles.
//!
//! Fields are written by the agent's program. Titles often hold the model's own words, so a title
//! names a tool only where no field does, and a name of ours beside fields that none of our calls
//! has is contradictory rather than ours.

use serde_json::Value;

use super::names::AgentNames;
use super::quirk::Quirk;
use super::{fields, forms};
use crate::action::{ActionKind, Identity, IdentityRule};
use crate::builtin;

/// A call as it came in: the request itself, the earlier announcement, and both merged.
pub(super) struct Call<'a> {
    pub(super) request: &'a Value,
    pub(super) stored: &'a Value,
    pub(super) merged: &'a Value,
    /// The request's own `_meta`.
    pub(super) meta: &'a Value,
    /// `rawInput` is made by the agent's program; in a hook's payload it is the model's own.
    pub(super) has_made_input: bool,
}

/// An identity and what showed it.
pub(super) struct Claim {
    pub(super) identity: Identity,
    pub(super) rule: IdentityRule,
    /// Another claim of the same strength says otherwise.
    pub(super) disputed: bool,
}

/// Applies the rules in order.
pub(super) fn identify(call: &Call, names: &AgentNames) -> Claim {
    let claims = structured(call, names);
    if let Some((identity, rule)) = claims.first() {
        let own = claims
            .iter()
            .filter(|(identity, _)| identity.is_own())
            .count();
        return Claim {
            identity: identity.clone(),
            rule: *rule,
            disputed: own > 0 && claims.iter().any(|(other, _)| other != identity),
        };
    }
    let (identity, rule) = of_titles(call, names)
        .or_else(|| of_kind(call))
        .or_else(|| of_shape(call))
        .unwrap_or((Identity::Unknown, IdentityRule::None));
    // Copilot's request has the tool's own title, so only the announcement can name a built-in tool.
    let announced = text(&call.stored["title"]).and_then(builtin::of_tool);
    let disputed = identity.is_own() && announced.is_some();
    Claim {
        identity,
        rule,
        disputed,
    }
}

/// Every claim that a field makes, strongest first.
fn structured(call: &Call, names: &AgentNames) -> Vec<(Identity, IdentityRule)> {
    let both = [call.request, call.stored];
    let raw_input = &call.merged["rawInput"];
    let mut claims = Vec::new();
    if let Some(claim) = of_envelope(call, names) {
        claims.push(claim);
    }
    let is_mcp = !claims.is_empty();
    let name = both.iter().find_map(|call| text(&call["name"]));
    let meta_name = both
        .iter()
        .find_map(|call| tool_in_meta(&call["_meta"], names));
    for (name, rule) in [
        (name, IdentityRule::Name),
        (meta_name, IdentityRule::MetaToolName),
    ] {
        if let Some(identity) = name.and_then(|name| of_tool_name(name, is_mcp, names)) {
            claims.push((identity, rule));
        }
    }
    if let Some(identity) = of_action_class(raw_input, call, names) {
        claims.push((identity, IdentityRule::ActionClass));
    }
    if names.has(Quirk::CallIdNamesTool)
        && let Some(identity) = of_call_id(&call.merged["toolCallId"], names)
    {
        claims.push((identity, IdentityRule::CallIdPrefix));
    }
    claims
}

fn text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty())
}

/// `_meta.toolName`, `tool_name`, and where agents have a place of their own for it; Python agents nest `_meta` in a
/// `field_meta`.
fn tool_in_meta<'a>(meta: &'a Value, names: &AgentNames) -> Option<&'a str> {
    ["", "/field_meta"].iter().find_map(|nest| {
        let own = names.tool_name_in_meta.iter().map(String::as_str);
        ["toolName", "tool_name"]
            .into_iter()
            .chain(own)
            .find_map(|at| text(meta.pointer(&format!("{nest}/{at}"))?))
    })
}

/// An agent that puts MCP calls into an envelope may name the bare tool beside it.
fn of_tool_name(name: &str, is_mcp: bool, names: &AgentNames) -> Option<Identity> {
    let is_bare = !name.contains(['.', ':']) && !name.contains("__");
    if is_mcp && is_bare && builtin::of_tool(name).is_none() {
        return None;
    }
    Some(
        forms::any(name, names)
            .or_else(|| forms::slashed(name, names))
            .or_else(|| forms::bare(name, names))
            .unwrap_or_else(|| Identity::Builtin(builtin::without_namespace(name).to_owned())),
    )
}

/// Fields that name the server and the tool apart: both Codex adapters.
fn of_envelope(call: &Call, names: &AgentNames) -> Option<(Identity, IdentityRule)> {
    let raw_input = &call.merged["rawInput"];
    let is_flagged = call.meta["is_mcp_tool_approval"] == true
        || call.merged["_meta"]["is_mcp_tool_call"] == true;
    let has_envelope = names.has(Quirk::McpEnvelope) && call.has_made_input;
    if !is_flagged && !has_envelope {
        return None;
    }
    if let (Some(server), Some(tool)) = (text(&raw_input["server"]), text(&raw_input["tool"])) {
        let rule = if is_flagged {
            IdentityRule::McpApproval
        } else {
            IdentityRule::McpEnvelope
        };
        return Some((forms::of_server(server, tool, names), rule));
    }
    let server = text(&raw_input["server_name"])?;
    let tool = text(&raw_input["request"]["message"])
        .and_then(asked_tool)
        .unwrap_or_default();
    Some((
        forms::of_server(server, tool, names),
        IdentityRule::ServerName,
    ))
}

/// The tool of `Allow the S MCP server to run tool "T"?`.
fn asked_tool(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once("to run tool \"")?;
    rest.split_once('"').map(|(tool, _)| tool)
}

/// OpenHands names the class of an action, and the tool at the head of its title.
fn of_action_class(raw_input: &Value, call: &Call, names: &AgentNames) -> Option<Identity> {
    let head = titles(call).find_map(|title| title.split_once(": {").map(|(head, _)| head));
    match fields::action_class(raw_input)? {
        _ if !names.has(Quirk::ActionClass) || !call.has_made_input => None,
        fields::MCP_ACTION => {
            let tool = head?;
            Some(
                forms::bare(tool, names).unwrap_or_else(|| Identity::OtherMcp {
                    server: String::new(),
                    tool: tool.to_owned(),
                }),
            )
        }
        class => Some(Identity::Builtin(head.unwrap_or(class).to_owned())),
    }
}

/// Gemini's call ids begin with the tool's name: `write_file__call_1`, `mcp_S_t__call_2`.
fn of_call_id(id: &Value, names: &AgentNames) -> Option<Identity> {
    let (name, _) = id.as_str()?.rsplit_once("__")?;
    if name.starts_with("mcp_") {
        // Another server's name cannot be distinguished from its tool's here; the title shows it.
        return forms::own(name, names);
    }
    (!name.is_empty()).then(|| Identity::Builtin(name.to_owned()))
}

fn titles<'a>(call: &Call<'a>) -> impl Iterator<Item = &'a str> {
    [call.request, call.stored]
        .into_iter()
        .filter_map(|call| text(&call["title"]))
}

fn of_titles(call: &Call, names: &AgentNames) -> Option<(Identity, IdentityRule)> {
    let form = |title| forms::any(title, names).or_else(|| forms::slashed(title, names));
    if let Some(identity) = titles(call).find_map(form) {
        return Some((identity, IdentityRule::TitleForm));
    }
    if let Some(identity) = titles(call).find_map(|title| forms::bare(title, names)) {
        return Some((identity, IdentityRule::BareTitle));
    }
    let kinds = kinds(call);
    let fits = |title: &&str| {
        let is_told = |known: ActionKind| kinds.iter().any(|kind| kind.acp() == known.acp());
        builtin::of_tool(title).is_some_and(|known| kinds.is_empty() || is_told(known))
    };
    let title = titles(call).find(fits)?;
    Some((
        Identity::Builtin(title.to_owned()),
        IdentityRule::BuiltinTitle,
    ))
}

/// The kinds that the request and the announcement give, `other` left out.
fn kinds(call: &Call) -> Vec<ActionKind> {
    [call.request, call.stored]
        .iter()
        .filter_map(|call| call["kind"].as_str())
        .map(ActionKind::from_acp)
        .filter(|kind| *kind != ActionKind::Other)
        .collect()
}

fn of_kind(call: &Call) -> Option<(Identity, IdentityRule)> {
    let kind = kinds(call).into_iter().next()?;
    Some((Identity::Builtin(kind.acp().to_owned()), IdentityRule::Kind))
}

/// Neither a name nor a kind, but a command or a change of a file.
fn of_shape(call: &Call) -> Option<(Identity, IdentityRule)> {
    let kind = if fields::command(&call.merged["rawInput"], "").is_some() {
        ActionKind::Execute
    } else if fields::has_diff(call.merged) {
        ActionKind::Edit
    } else {
        return None;
    };
    Some((
        Identity::Builtin(kind.acp().to_owned()),
        IdentityRule::Shape,
    ))
}
