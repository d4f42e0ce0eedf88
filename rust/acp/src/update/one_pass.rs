//! A line with a session update, read in one pass, as nearly all of them can be.
//!
//! Replays and large diffs come as fast as we read. To cut out the params as raw JSON and then the update in them would
//! go through every byte twice more. Whatever is unusual (another method, a member that is not where agents put it, a
//! content that is not text, a text that Rust cannot hold, an unknown kind) is `None` here and read with care
//! elsewhere.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{Chunk, SessionUpdate, SessionUpdateMessage, chunk_kind, read_members};
use crate::client_request::methods;
use crate::content::ContentBlock;
use crate::schema;

/// Reads the notification on a line.
pub(super) fn read_line(line: &str) -> Option<SessionUpdateMessage> {
    let Line(message) = serde_json::from_str(line).ok()?;
    Some(SessionUpdateMessage {
        bytes: line.len(),
        ..message
    })
}

/// A member's name or text, borrowed unless it has escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

fn next_is<'de, A: MapAccess<'de>>(members: &mut A, name: &str) -> Result<bool, A::Error> {
    let next = members.next_key::<Text<'de>>()?;
    Ok(next.is_some_and(|Text(next)| next == name))
}

struct Line(SessionUpdateMessage);

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Line;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a session update")
            }

            /// `jsonrpc`, `method` and `params` in this order, and nothing else.
            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Line, A::Error> {
                let other = || A::Error::custom("not a session update");
                if !next_is(&mut members, "jsonrpc")? {
                    return Err(other());
                }
                members.next_value::<IgnoredAny>()?;
                let is_update = next_is(&mut members, "method")?
                    && members.next_value::<Text<'de>>()?.0 == methods::UPDATE;
                if !is_update || !next_is(&mut members, "params")? {
                    return Err(other());
                }
                let Params(message) = members.next_value()?;
                match members.next_key::<IgnoredAny>()? {
                    None => Ok(Line(message)),
                    Some(_) => Err(other()),
                }
            }
        }
        deserializer.deserialize_map(Members)
    }
}

struct Params(SessionUpdateMessage);

impl<'de> Deserialize<'de> for Params {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Params;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("the params of a session update")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Params, A::Error> {
                let (mut session_id, mut update, mut meta) = (None, None, None);
                while let Some(Text(name)) = members.next_key::<Text<'de>>()? {
                    match &*name {
                        "sessionId" => session_id = Some(members.next_value()?),
                        "update" => update = Some(members.next_value::<Update>()?.0),
                        "_meta" => meta = Some(members.next_value::<Box<RawValue>>()?),
                        _ => drop(members.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(Params(SessionUpdateMessage {
                    session_id: session_id.ok_or_else(|| A::Error::missing_field("sessionId"))?,
                    update: update.ok_or_else(|| A::Error::missing_field("update"))?,
                    meta,
                    bytes: 0,
                }))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

struct Update(SessionUpdate);

impl<'de> Deserialize<'de> for Update {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Update;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a session update that names its kind first")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Update, A::Error> {
                if !next_is(&mut members, "sessionUpdate")? {
                    return Err(A::Error::custom("the kind is not named first"));
                }
                let Text(kind) = members.next_value()?;
                if let Some(of_kind) = chunk_kind(&kind) {
                    return Ok(Update(of_kind(chunk(members)?)));
                }
                let mut rest = Map::new();
                while let Some((name, value)) = members.next_entry::<String, Value>()? {
                    rest.insert(name, value);
                }
                let update = read_members(&kind, Value::Object(rest));
                update
                    .map(Update)
                    .ok_or_else(|| A::Error::custom("an unknown kind or shape"))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// The rest of a chunk, which has to have a text.
fn chunk<'de, A: MapAccess<'de>>(mut members: A) -> Result<Chunk, A::Error> {
    let mut content = None;
    let mut message_id = None;
    let mut meta = Value::Null;
    while let Some(Text(name)) = members.next_key::<Text<'de>>()? {
        match &*name {
            "content" => content = Some(members.next_value::<PlainText>()?.0),
            "messageId" => message_id = members.next_value::<Option<String>>()?,
            "_meta" => meta = schema::unwrapped(&members.next_value()?).clone(),
            _ => drop(members.next_value::<IgnoredAny>()?),
        }
    }
    let text = content.ok_or_else(|| A::Error::missing_field("content"))?;
    Ok(Chunk {
        content: ContentBlock::Text(text),
        message_id,
        meta,
    })
}

/// The text of a content block that is one.
struct PlainText(String);

impl<'de> Deserialize<'de> for PlainText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = PlainText;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a text block")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<PlainText, A::Error> {
                let (mut is_text, mut text) = (false, None);
                while let Some(Text(name)) = members.next_key::<Text<'de>>()? {
                    match &*name {
                        "type" => is_text = members.next_value::<Text<'de>>()?.0 == "text",
                        "text" => text = Some(members.next_value::<String>()?),
                        _ => drop(members.next_value::<IgnoredAny>()?),
                    }
                }
                let text = text.filter(|_| is_text);
                text.map(PlainText)
                    .ok_or_else(|| A::Error::custom("not a text block"))
            }
        }
        deserializer.deserialize_map(Members)
    }
}
