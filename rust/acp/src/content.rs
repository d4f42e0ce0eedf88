//! Content blocks: what a message or a tool call shows (ACP schema 1.15, `ContentBlock`).
//!
//! Almost every block of live traffic is text, so text is read at once and everything else stays raw until asked.

use std::borrow::Cow;

use agent_client_protocol_schema::v1;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::schema;

/// A content block of an agent.
#[derive(Clone, Debug)]
pub enum ContentBlock {
    /// Plain text, usually Markdown.
    Text(String),
    /// Image, audio, resource, resource link, or a type this client does not know.
    Other {
        /// The block's `type`; empty when it has none.
        kind: String,
        /// The whole block.
        raw: Box<RawValue>,
    },
}

/// Only what distinguishes text from the rest, borrowed from the line.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    text: Option<Cow<'a, str>>,
}

impl ContentBlock {
    /// Reads a block; never fails.
    pub fn read(raw: &RawValue) -> Self {
        if let Ok(head) = serde_json::from_str::<Head<'_>>(raw.get()) {
            return match (&*head.kind, head.text) {
                ("text", Some(text)) => Self::Text(text.into_owned()),
                _ => Self::Other {
                    kind: head.kind.into_owned(),
                    raw: raw.to_owned(),
                },
            };
        }
        let value = schema::value(raw);
        match (schema::text(&value, "type"), schema::text(&value, "text")) {
            (Some("text"), Some(text)) => Self::Text(text.to_owned()),
            (kind, _) => Self::Other {
                kind: kind.unwrap_or_default().to_owned(),
                raw: raw.to_owned(),
            },
        }
    }

    /// The text of a text block.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Other { .. } => None,
        }
    }

    /// The schema's view of the block; `None` for a type or shape that the schema does not know.
    pub fn typed(&self) -> Option<v1::ContentBlock> {
        match self {
            Self::Text(text) => Some(v1::ContentBlock::Text(v1::TextContent::new(text))),
            Self::Other { raw, .. } => schema::read(raw).ok(),
        }
    }
}
