//! One tool call as the agent has reported it so far.
//!
//! A call is an upsert: an announcement, any number of updates and repeated announcements all say "these fields are
//! now so". An update may come before, or without, its announcement. What a field means for policy is not known here.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::schema;

/// How far a tool call is.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum ToolCallStatus {
    /// Not started; it may be waiting for a permission.
    #[default]
    Pending,
    /// Running.
    InProgress,
    /// Ended well, as far as the agent says.
    Completed,
    /// Ended badly, or still open when its turn ended.
    Failed,
    /// Open when its turn was cancelled. In protocol version 1 no agent sends it; this client sets it.
    Cancelled,
    /// A status that is in no schema of version 1.
    Unknown(String),
}

impl ToolCallStatus {
    /// Reads a status as it is on the wire.
    pub fn read(text: &str) -> Self {
        match text {
            "pending" => Self::Pending,
            "in_progress" => Self::InProgress,
            "completed" => Self::Completed,
            "failed" => Self::Failed,
            "cancelled" => Self::Cancelled,
            unknown => Self::Unknown(unknown.to_owned()),
        }
    }

    /// The status as it is on the wire.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Unknown(status) => status,
        }
    }

    /// Whether nothing more is expected of the call.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// The fields of one announcement or update; what the agent left out is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolCallFields {
    /// `toolCallId`.
    pub id: String,
    /// A title for people, written by the agent.
    pub title: Option<String>,
    /// The tool's programmatic name, if the agent gives it.
    pub name: Option<String>,
    /// What the tool does, in the agent's word: a hint, never an identity.
    pub kind: Option<String>,
    /// How far it is.
    pub status: Option<ToolCallStatus>,
    /// What it shows; replaces what it showed before. Shared with the call that it is merged into: diffs are large.
    pub content: Option<Arc<[Value]>>,
    /// The files it touches; replaces the ones before.
    pub locations: Option<Vec<Value>>,
    /// The tool's arguments.
    pub raw_input: Option<Value>,
    /// The tool's result.
    pub raw_output: Option<Value>,
    /// `_meta`, unwrapped.
    pub meta: Option<Value>,
    /// Members that are in no schema.
    pub extra: Map<String, Value>,
}

impl ToolCallFields {
    /// Reads the `toolCall` of a permission request; `None` without an id.
    pub fn read(object: &Value) -> Option<Self> {
        Self::take(object.clone())
    }

    /// Reads the `update` object of a session update and takes it apart; `None` without an id.
    pub fn take(object: Value) -> Option<Self> {
        let Value::Object(mut members) = object else {
            return None;
        };
        members.remove("sessionUpdate");
        Some(Self {
            id: match members.remove("toolCallId")? {
                Value::String(id) => id,
                Value::Number(id) => id.to_string(),
                _ => return None,
            },
            title: take_text(&mut members, "title"),
            name: take_text(&mut members, "name"),
            kind: take_text(&mut members, "kind"),
            status: take_text(&mut members, "status").map(|status| ToolCallStatus::read(&status)),
            content: take_items(&mut members, "content").map(Arc::from),
            locations: take_items(&mut members, "locations"),
            raw_input: take_value(&mut members, "rawInput"),
            raw_output: take_value(&mut members, "rawOutput"),
            meta: take_value(&mut members, "_meta").map(|meta| schema::unwrapped(&meta).clone()),
            extra: members,
        })
    }
}

fn take_text(members: &mut Map<String, Value>, key: &str) -> Option<String> {
    match members.remove(key) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

fn take_items(members: &mut Map<String, Value>, key: &str) -> Option<Vec<Value>> {
    match members.remove(key) {
        Some(Value::Array(items)) => Some(items),
        _ => None,
    }
}

fn take_value(members: &mut Map<String, Value>, key: &str) -> Option<Value> {
    members.remove(key).filter(|value| !value.is_null())
}

/// A tool call with everything that was said about it, the latest word first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolCall {
    /// `toolCallId`, unique in its session.
    pub id: String,
    /// A title for people; empty until the agent gives one.
    pub title: String,
    /// The tool's programmatic name, if the agent gives it.
    pub name: Option<String>,
    /// What the tool does, in the agent's word; `None` until it says (Vibe and Codex ask before they say).
    pub kind: Option<String>,
    /// How far it is.
    pub status: ToolCallStatus,
    /// What it shows.
    pub content: Arc<[Value]>,
    /// The files it touches.
    pub locations: Vec<Value>,
    /// The tool's arguments; null until known.
    pub raw_input: Value,
    /// The tool's result; null until known.
    pub raw_output: Value,
    /// `_meta`, unwrapped; keys of later updates are added to those of earlier ones.
    pub meta: Value,
    /// Members that are in no schema.
    pub extra: Map<String, Value>,
    /// Whether a `tool_call` announced it. False for a call that is only known from an update or a request.
    pub announced: bool,
    /// Somebody has asked for its end ([`crate::session::Session::take_end`]).
    pub(crate) end_was_taken: bool,
    /// It ended in an earlier turn.
    pub(crate) is_past: bool,
}

impl ToolCall {
    /// A call of which only the id is known.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            ..Self::default()
        }
    }

    /// Takes over what an announcement or update says. Arrays replace, absent fields stay; an empty title and an
    /// empty `rawInput` (`{}`, `""`) say nothing, because opencode and Qwen send them after the real ones.
    pub fn merge(&mut self, fields: ToolCallFields) {
        if let Some(title) = fields.title.filter(|title| !title.is_empty()) {
            self.title = title;
        }
        if let Some(raw_input) = fields.raw_input.filter(|input| !is_empty(input)) {
            self.raw_input = raw_input;
        }
        if let Some(raw_output) = fields.raw_output {
            self.raw_output = raw_output;
        }
        self.name = fields.name.or(self.name.take());
        self.kind = fields.kind.or(self.kind.take());
        if let Some(status) = fields.status {
            self.status = status;
        }
        if let Some(content) = fields.content {
            self.content = content;
        }
        if let Some(locations) = fields.locations {
            self.locations = locations;
        }
        if let Some(meta) = fields.meta {
            merge_meta(&mut self.meta, meta);
        }
        self.extra.extend(fields.extra);
    }

    /// Whether something more is expected of the call.
    pub fn is_open(&self) -> bool {
        !self.status.is_final()
    }

    /// The call in the shape of a `tool_call` update, with everything that is known of it.
    pub fn to_value(&self) -> Value {
        let mut members = self.extra.clone();
        members.insert("toolCallId".into(), self.id.clone().into());
        members.insert("status".into(), self.status.as_str().into());
        if !self.title.is_empty() {
            members.insert("title".into(), self.title.clone().into());
        }
        if let Some(name) = &self.name {
            members.insert("name".into(), name.clone().into());
        }
        if let Some(kind) = &self.kind {
            members.insert("kind".into(), kind.as_str().into());
        }
        if !self.content.is_empty() {
            members.insert("content".into(), self.content.to_vec().into());
        }
        if !self.locations.is_empty() {
            members.insert("locations".into(), self.locations.clone().into());
        }
        for (key, value) in [
            ("rawInput", &self.raw_input),
            ("rawOutput", &self.raw_output),
            ("_meta", &self.meta),
        ] {
            if !value.is_null() {
                members.insert(key.into(), value.clone());
            }
        }
        Value::Object(members)
    }

    /// The text that the call's content shows, a line break between blocks; diffs and terminals not included.
    pub fn content_text(&self) -> String {
        let texts = self
            .content
            .iter()
            .filter_map(|item| schema::text(item.get("content")?, "text"));
        texts.collect::<Vec<_>>().join("\n")
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

fn merge_meta(meta: &mut Value, newer: Value) {
    match (meta, newer) {
        (Value::Object(meta), Value::Object(newer)) => meta.extend(newer),
        (meta, newer) => *meta = newer,
    }
}
