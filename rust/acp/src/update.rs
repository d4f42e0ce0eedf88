//! Reads `session/update` (ACP schema 1.15), as an open enum.
//!
//! Usual updates are read in one pass (`one_pass`). All others are read with care: the tag first, then the body from
//! the same slice, because raw JSON does not survive a tagged enum. An update whose kind or shape is unknown is not an
//! error: it is [`SessionUpdate::Unknown`] with everything it said.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::content::ContentBlock;
use crate::options::{CommandInfo, ConfigOption, read_commands, read_config_options};
use crate::schema;
use crate::tool_call::ToolCallFields;

mod one_pass;

/// A `session/update` notification.
#[derive(Clone, Debug)]
pub struct SessionUpdateMessage {
    /// The session it belongs to, as the agent names it.
    pub session_id: String,
    /// What it says.
    pub update: SessionUpdate,
    /// `_meta` beside the update, where OpenHands keeps its token counts
    /// (`tests/fixtures/recordings/openhands/allow`).
    pub meta: Option<Box<RawValue>>,
    /// Length of the params as they came: about what it takes to keep it.
    pub bytes: usize,
}

impl SessionUpdateMessage {
    /// Reads a whole line that is such a notification, as far as that can be done in one pass; `None` does not mean
    /// that it is not one.
    pub(crate) fn of_line(line: &[u8]) -> Option<Self> {
        one_pass::read_line(std::str::from_utf8(line).ok()?)
    }

    /// Reads the params of a `session/update`.
    ///
    /// # Errors
    /// Says what is missing: without a session id and an update there is nothing to apply.
    pub fn read(params: &RawValue) -> Result<Self, serde_json::Error> {
        #[derive(Deserialize)]
        struct Params<'a> {
            #[serde(rename = "sessionId", borrow)]
            session_id: Cow<'a, str>,
            #[serde(borrow)]
            update: &'a RawValue,
            #[serde(rename = "_meta", borrow, default)]
            meta: Option<&'a RawValue>,
        }
        let bytes = params.get().len();
        let params = serde_json::from_str::<Params<'_>>(params.get())?;
        Ok(Self {
            session_id: params.session_id.into_owned(),
            update: SessionUpdate::read(params.update),
            meta: params.meta.map(ToOwned::to_owned),
            bytes,
        })
    }
}

/// A piece of a message.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// What it adds.
    pub content: ContentBlock,
    /// The message it belongs to, where the agent says so.
    pub message_id: Option<String>,
    /// `_meta`, unwrapped; null when absent.
    pub meta: Value,
}

/// One step of a plan. Priority and status stay texts, so that new ones reach the reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanEntry {
    /// What is to be done.
    pub content: String,
    /// `high`, `medium`, `low`, or something newer.
    pub priority: String,
    /// `pending`, `in_progress`, `completed`, or something newer.
    pub status: String,
}

/// How much of the context window is used, and what it cost.
#[derive(Clone, Debug, PartialEq)]
pub struct UsageInfo {
    /// Tokens in use.
    pub used: u64,
    /// Tokens that fit.
    pub size: u64,
    /// Amount and currency (ISO 4217), where the agent counts.
    pub cost: Option<(f64, String)>,
    /// `_meta`, unwrapped; null when absent.
    pub meta: Value,
}

/// A message of the agent program itself, for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// `info`, `warning`, `error`, or something newer.
    pub severity: String,
    /// One line.
    pub title: String,
    /// More, where there is more.
    pub description: Option<String>,
}

/// How far a compaction is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompactionStatus {
    /// It has begun.
    InProgress,
    /// The conversation is shorter now.
    Completed,
    /// It failed.
    Failed,
    /// It was cancelled; the conversation is as before.
    Cancelled,
    /// A status that is in no schema.
    Unknown(String),
}

impl CompactionStatus {
    fn read(status: &str) -> Self {
        match status {
            "in_progress" => Self::InProgress,
            "completed" => Self::Completed,
            "failed" => Self::Failed,
            "cancelled" => Self::Cancelled,
            unknown => Self::Unknown(unknown.to_owned()),
        }
    }
}

/// The agent makes a long conversation shorter for its model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compaction {
    /// Names it in the session.
    pub id: String,
    /// How far it is.
    pub status: CompactionStatus,
    /// Why it failed, for people.
    pub error: Option<String>,
}

/// What changed about a session itself. The outer `None` means "as before", the inner one "cleared".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionInfo {
    /// The session's title.
    pub title: Option<Option<String>>,
    /// When it last changed, ISO 8601.
    pub updated_at: Option<Option<String>>,
}

/// What a session update says.
#[derive(Clone, Debug)]
pub enum SessionUpdate {
    /// A piece of what the user said; comes when a session is replayed.
    UserMessageChunk(Chunk),
    /// A piece of the agent's answer.
    AgentMessageChunk(Chunk),
    /// A piece of the agent's thinking.
    AgentThoughtChunk(Chunk),
    /// A tool call is announced (or announced again).
    ToolCall(Box<ToolCallFields>),
    /// A tool call changed; it need not have been announced.
    ToolCallUpdate(Box<ToolCallFields>),
    /// The whole plan, replacing the one before.
    Plan(Vec<PlanEntry>),
    /// All slash commands, replacing the ones before.
    AvailableCommands(Vec<CommandInfo>),
    /// The session's mode is now another.
    CurrentMode {
        /// Id of the mode.
        mode_id: String,
    },
    /// All config options, replacing the ones before.
    ConfigOptions(Vec<ConfigOption>),
    /// Title or date changed.
    SessionInfo(SessionInfo),
    /// Context window and cost.
    Usage(UsageInfo),
    /// Something for the user to read.
    Notice(Notice),
    /// The conversation is made shorter for the model.
    Compaction(Compaction),
    /// A kind or shape that this client does not know.
    Unknown {
        /// The `sessionUpdate` tag; empty when absent.
        kind: String,
        /// The whole `update` object.
        raw: Box<RawValue>,
    },
}

impl SessionUpdate {
    /// Whether it is a piece of a message.
    pub(crate) fn is_chunk(&self) -> bool {
        matches!(
            self,
            Self::UserMessageChunk(_) | Self::AgentMessageChunk(_) | Self::AgentThoughtChunk(_)
        )
    }

    /// Reads the `update` object; never fails.
    pub fn read(raw: &RawValue) -> Self {
        let kind = tag_of(raw);
        let known = match chunk_kind(&kind) {
            Some(of_kind) => read_chunk(raw).map(of_kind),
            None => read_members(&kind, schema::value(raw)),
        };
        known.unwrap_or_else(|| Self::Unknown {
            kind: kind.into_owned(),
            raw: raw.to_owned(),
        })
    }
}

/// The `sessionUpdate` of an update; empty when absent. Reads no further than that: most agents put the tag first, and
/// a large update is then not read twice.
fn tag_of(raw: &RawValue) -> Cow<'_, str> {
    struct Tag<'t, 'de>(&'t mut Option<Cow<'de, str>>);

    impl<'de> Visitor<'de> for Tag<'_, 'de> {
        type Value = ();

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a session update")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
            #[derive(Deserialize)]
            struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
            while let Some(Text(key)) = members.next_key::<Text<'de>>()? {
                if key == "sessionUpdate" {
                    *self.0 = Some(members.next_value::<Text<'de>>()?.0);
                    return Ok(());
                }
                members.next_value::<IgnoredAny>()?;
            }
            Ok(())
        }
    }

    let mut tag = None;
    // Leaving an object half read is an error to the parser; what counts is what was found until then.
    let _rest = serde_json::Deserializer::from_str(raw.get()).deserialize_map(Tag(&mut tag));
    tag.unwrap_or_default()
}

/// What makes an update of a chunk, for the kinds that are chunks.
fn chunk_kind(kind: &str) -> Option<fn(Chunk) -> SessionUpdate> {
    match kind {
        "user_message_chunk" => Some(SessionUpdate::UserMessageChunk),
        "agent_message_chunk" => Some(SessionUpdate::AgentMessageChunk),
        "agent_thought_chunk" => Some(SessionUpdate::AgentThoughtChunk),
        _ => None,
    }
}

/// Reads an update that is not a chunk; `None` for an unknown kind or shape.
fn read_members(kind: &str, update: Value) -> Option<SessionUpdate> {
    Some(match kind {
        "tool_call" => SessionUpdate::ToolCall(Box::new(ToolCallFields::take(update)?)),
        "tool_call_update" => {
            SessionUpdate::ToolCallUpdate(Box::new(ToolCallFields::take(update)?))
        }
        "plan" => SessionUpdate::Plan(read_plan(&update)?),
        "available_commands_update" => SessionUpdate::AvailableCommands(read_commands(&update)),
        "current_mode_update" => SessionUpdate::CurrentMode {
            mode_id: schema::text(&update, "currentModeId")?.to_owned(),
        },
        "config_option_update" => SessionUpdate::ConfigOptions(read_config_options(&update)),
        "session_info_update" => SessionUpdate::SessionInfo(read_info(&update)),
        "usage_update" => SessionUpdate::Usage(read_usage(&update)?),
        "notice" => SessionUpdate::Notice(read_notice(&update)?),
        "compaction_update" => SessionUpdate::Compaction(read_compaction(&update)?),
        _ => return None,
    })
}

/// Content that is not text stays raw, so a chunk is read without a detour over values where that is possible.
fn read_chunk(raw: &RawValue) -> Option<Chunk> {
    #[derive(Deserialize)]
    struct Body<'a> {
        #[serde(borrow)]
        content: &'a RawValue,
        #[serde(rename = "messageId", borrow, default)]
        message_id: Option<Cow<'a, str>>,
        #[serde(rename = "_meta", borrow, default)]
        meta: Option<&'a RawValue>,
    }
    if let Ok(body) = serde_json::from_str::<Body<'_>>(raw.get()) {
        return Some(Chunk {
            content: ContentBlock::read(body.content),
            message_id: body.message_id.map(Cow::into_owned),
            meta: match body.meta {
                Some(meta) => schema::unwrapped(&schema::value(meta)).clone(),
                None => Value::Null,
            },
        });
    }
    let value = schema::value(raw);
    Some(Chunk {
        content: ContentBlock::read(&schema::raw(value.get("content")?)),
        message_id: schema::text(&value, "messageId").map(str::to_owned),
        meta: schema::meta(&value).clone(),
    })
}

fn read_plan(value: &Value) -> Option<Vec<PlanEntry>> {
    value.get("entries")?.as_array()?;
    let entry = |entry: &Value| PlanEntry {
        content: schema::owned_text(entry, "content"),
        priority: schema::owned_text(entry, "priority"),
        status: schema::owned_text(entry, "status"),
    };
    Some(schema::items(value, "entries").iter().map(entry).collect())
}

fn read_usage(value: &Value) -> Option<UsageInfo> {
    let number = |key: &str| {
        value
            .get(key)
            .and_then(Value::as_f64)
            .filter(|number| *number >= 0.0)
            .map(|number| number as u64)
    };
    let cost = value.get("cost");
    Some(UsageInfo {
        used: number("used")?,
        size: number("size")?,
        cost: cost.and_then(|cost| {
            Some((
                cost.get("amount")?.as_f64()?,
                schema::owned_text(cost, "currency"),
            ))
        }),
        meta: schema::meta(value).clone(),
    })
}

fn read_info(value: &Value) -> SessionInfo {
    let change = |key: &str| {
        value
            .get(key)
            .map(|value| value.as_str().map(str::to_owned))
    };
    SessionInfo {
        title: change("title"),
        updated_at: change("updatedAt"),
    }
}

fn read_notice(value: &Value) -> Option<Notice> {
    Some(Notice {
        severity: schema::owned_text(value, "severity"),
        title: schema::text(value, "title")?.to_owned(),
        description: schema::text(value, "description").map(str::to_owned),
    })
}

fn read_compaction(value: &Value) -> Option<Compaction> {
    Some(Compaction {
        id: schema::text(value, "compactionId")?.to_owned(),
        status: CompactionStatus::read(schema::text(value, "status")?),
        error: schema::text(value, "error").map(str::to_owned),
    })
}
