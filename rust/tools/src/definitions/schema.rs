//! The parts of the definitions: schemas of arguments, annotations.
//!
//! Knows no tool.

use serde_json::{Map, Value, json};
use siderail_guard::Tool;
use siderail_mcp::{Annotations, ToolDefinition};
use siderail_workspace::arguments::Amount;

pub(super) const READS: Annotations = Annotations {
    read_only: true,
    destructive: false,
    idempotent: true,
    open_world: false,
};

pub(super) const EDITS: Annotations = Annotations {
    read_only: false,
    destructive: true,
    idempotent: false,
    open_world: false,
};

pub(super) fn tool(
    tool: Tool,
    title: &str,
    annotations: Annotations,
    description: &str,
    input_schema: Value,
) -> ToolDefinition {
    ToolDefinition {
        name: tool.name().to_owned(),
        title: title.to_owned(),
        description: description.to_owned(),
        input_schema,
        annotations,
    }
}

/// An object schema; members whose name ends in `!` are required.
pub(super) fn schema<'a>(members: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (name, member) in members {
        let bare = name.trim_end_matches('!');
        if bare.len() < name.len() {
            required.push(json!(bare));
        }
        properties.insert(bare.to_owned(), member);
    }
    if required.is_empty() {
        json!({"type": "object", "properties": properties})
    } else {
        json!({"type": "object", "properties": properties, "required": required})
    }
}

pub(super) fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

pub(super) fn one_of(values: &[&str], description: &str) -> Value {
    json!({"type": "string", "enum": values, "description": description})
}

pub(super) fn flag(description: &str) -> Value {
    json!({"type": "boolean", "description": format!("{description} Default false.")})
}

/// A whole number from `minimum` on. Bounds are given in words alone, since half of the agents drop
/// the schema's own; handlers reject what is out of range.
pub(super) fn from(minimum: u64, description: &str) -> Value {
    json!({"type": "integer", "description": format!("{description} From {minimum}.")})
}

/// A whole number with bounds and a default.
pub(super) fn bounded(minimum: u64, maximum: u64, default: u64, description: &str) -> Value {
    json!({
        "type": "integer",
        "description": format!("{description} {minimum} to {maximum}, default {default}."),
    })
}

/// How much of something is wanted, as the tool itself takes it.
pub(super) fn amount(amount: Amount, description: &str) -> Value {
    let Amount { least, most, usual } = amount;
    bounded(least as u64, most as u64, usual as u64, description)
}

/// The argument that almost every tool has.
pub(super) fn path(description: &str) -> Value {
    text(description)
}

pub(super) fn cursor() -> Value {
    text("Where to go on: the value that the answer before named.")
}
