//! The tool table: names, arguments and descriptions as models read them.
//!
//! Rules behind the texts (MCP 2025-11-25 and what ten agents do with tool lists): schemas are flat
//! with one `type` each, since agents drop unions, bounds and defaults, so that bounds and defaults
//! stand in words too; all four annotations are given; descriptions say what a tool is for and never
//! what other tools are not for. The order is fixed. Who runs a tool is no matter of this table.

mod files;
mod project;
mod run;

use serde_json::{Map, Value, json};
use siderail_mcp::{Annotations, ToolDefinition};

/// The definitions of the offered tools, in the table's order; unknown names are left out.
pub fn definitions(offered: &[&str]) -> Vec<ToolDefinition> {
    all()
        .into_iter()
        .filter(|tool| offered.contains(&tool.name.as_str()))
        .collect()
}

/// The whole table.
pub fn all() -> Vec<ToolDefinition> {
    let mut table = files::definitions();
    table.extend(run::definitions());
    table.extend(project::definitions());
    table
}

const READS: Annotations = Annotations {
    read_only: true,
    destructive: false,
    idempotent: true,
    open_world: false,
};

const EDITS: Annotations = Annotations {
    read_only: false,
    destructive: true,
    idempotent: false,
    open_world: false,
};

fn tool(
    name: &str,
    title: &str,
    annotations: Annotations,
    description: &str,
    input_schema: Value,
) -> ToolDefinition {
    ToolDefinition {
        name: name.to_owned(),
        title: title.to_owned(),
        description: description.to_owned(),
        input_schema,
        annotations,
    }
}

/// An object schema; members whose name ends in `!` are required.
fn schema<const N: usize>(members: [(&str, Value); N]) -> Value {
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

fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

fn one_of(values: &[&str], description: &str) -> Value {
    json!({"type": "string", "enum": values, "description": description})
}

fn flag(description: &str) -> Value {
    json!({"type": "boolean", "default": false, "description": format!("{description} Default false.")})
}

/// A whole number from `minimum` on.
fn from(minimum: u64, description: &str) -> Value {
    json!({
        "type": "integer",
        "minimum": minimum,
        "description": format!("{description} From {minimum}."),
    })
}

/// A whole number with bounds and a default, which are repeated in words.
fn bounded(minimum: u64, maximum: u64, default: u64, description: &str) -> Value {
    json!({
        "type": "integer",
        "minimum": minimum,
        "maximum": maximum,
        "default": default,
        "description": format!("{description} {minimum} to {maximum}, default {default}."),
    })
}

/// The argument that almost every tool has.
fn path(description: &str) -> Value {
    text(&format!(
        "{description} Relative to the project, absolute, or file://."
    ))
}

fn cursor() -> Value {
    text("Where to go on: the value that the answer before named.")
}
