//! What a tool looks like to a client: its entry in `tools/list`.
//!
//! Definitions are fixed when a connection starts. Clients ask, defer and run in parallel by the
//! annotations, so all four are always sent (their defaults differ from what an absent field suggests).

use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::Value;

/// One offered tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDefinition {
    /// Bare name, `[a-z][a-z0-9_]*`, at most 40 characters: clients add prefixes and cut long names.
    pub name: String,
    /// What people read when they are asked.
    pub title: String,
    /// What the model reads; at most 2 000 characters.
    pub description: String,
    /// JSON Schema with an object at its root; every member has one plain `type`.
    pub input_schema: Value,
    /// What a call may do.
    pub annotations: Annotations,
}

/// What a call may do, as a hint to clients (MCP 2025-11-25, `ToolAnnotations`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Annotations {
    /// Changes nothing. Clients run such calls side by side, and some ask nobody.
    pub read_only: bool,
    /// May destroy something, as opposed to only adding.
    pub destructive: bool,
    /// The same call again has no further effect.
    pub idempotent: bool,
    /// Reaches beyond the project and the IDE.
    pub open_world: bool,
}

impl Annotations {
    /// A tool that only looks, and only at the project.
    pub const READ: Self = Self {
        read_only: true,
        destructive: false,
        idempotent: true,
        open_world: false,
    };
}

impl Serialize for ToolDefinition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut entry = serializer.serialize_struct("Tool", 5)?;
        entry.serialize_field("name", &self.name)?;
        entry.serialize_field("title", &self.title)?;
        entry.serialize_field("description", &self.description)?;
        entry.serialize_field("inputSchema", &self.input_schema)?;
        entry.serialize_field("annotations", &self.annotations)?;
        entry.end()
    }
}

impl Serialize for Annotations {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut hints = serializer.serialize_struct("ToolAnnotations", 4)?;
        hints.serialize_field("readOnlyHint", &self.read_only)?;
        hints.serialize_field("destructiveHint", &self.destructive)?;
        hints.serialize_field("idempotentHint", &self.idempotent)?;
        hints.serialize_field("openWorldHint", &self.open_world)?;
        hints.end()
    }
}
